/* arith_table.c - which instructions arith builds: one line for each root and class of types. */
#include "softcuda/jit/arith_parts.h"

#include <stdio.h>

#define t(name) (1ull << PTX_##name)
#define m(name) (PTX_M_##name + 1)
#define MODS(...) (const uint16_t[]){ __VA_ARGS__, 0 }
#define NONE NULL

#define INT16   (t(U16) | t(S16))
#define INT32   (t(U32) | t(S32))
#define INT64   (t(U64) | t(S64))
#define INT     (INT16 | INT32 | INT64)
#define INTX2   (t(U16X2) | t(S16X2))
#define SIGNED  (t(S16) | t(S32) | t(S64))
#define BITS    (t(B16) | t(B32) | t(B64))
#define HALF    (t(F16) | t(F16X2))
#define BHALF   (t(BF16) | t(BF16X2))
#define F3264   (t(F32) | t(F64))
#define MOVABLE (BITS | INT | F3264)
#define ANYINT  (t(U8) | t(S8) | INT)
#define ANYFLT  (t(F16) | t(BF16) | F3264)

#define ROUND   m(rn), m(rz), m(rm), m(rp)
#define WHOLE   m(rni), m(rzi), m(rmi), m(rpi)
#define COMPARE m(eq), m(ne), m(lt), m(le), m(gt), m(ge), m(lo), m(ls), m(hi), m(hs), \
                m(equ), m(neu), m(ltu), m(leu), m(gtu), m(geu), m(num), m(nan_)
#define LOGIC   m(and_), m(or_), m(xor_)
#define MINMAX  m(ftz), m(NaN), m(xorsign), m(abs)

/* One root after another in the order of enum ptx_op; within a root the first line that fits counts. */
static const struct arith_form forms[] = {
    /* root, types written, first type, second type, modifiers, one of which must be there, shape, builder */
    { PTX_I_abs, 1, SIGNED, 0, NONE, NONE, "T=T", arith_build_iabs },
    { PTX_I_abs, 1, t(F32) | HALF | BHALF, 0, MODS(m(ftz)), NONE, "T=T", arith_build_fsign },
    { PTX_I_abs, 1, t(F64), 0, NONE, NONE, "T=T", arith_build_fsign },
    { PTX_I_add, 1, INT | INTX2, 0, MODS(m(sat), m(cc)), NONE, "T=TT", arith_build_iadd },
    { PTX_I_add, 1, t(F32) | t(F32X2), 0, MODS(ROUND, m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_add, 1, t(F64), 0, MODS(ROUND), NONE, "T=TT", arith_build_fadd },
    { PTX_I_add, 1, HALF, 0, MODS(m(rn), m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_add, 1, BHALF, 0, MODS(m(rn)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_addc, 1, INT32 | INT64, 0, MODS(m(cc)), NONE, "T=TT", arith_build_iadd },
    { PTX_I_and, 1, BITS | t(PRED), 0, NONE, NONE, "T=TT", arith_build_logic },
    { PTX_I_bfe, 1, INT32 | INT64, 0, NONE, NONE, "T=TUU", arith_build_bfe },
    { PTX_I_bfi, 1, t(B32) | t(B64), 0, NONE, NONE, "T=TTUU", arith_build_bfi },
    { PTX_I_bfind, 1, INT32 | INT64, 0, MODS(m(shiftamt)), NONE, "U=T", arith_build_bfind },
    { PTX_I_bmsk, 1, t(B32), 0, MODS(m(clamp), m(wrap)), MODS(m(clamp), m(wrap)), "T=UU", arith_build_bmsk },
    { PTX_I_brev, 1, t(B32) | t(B64), 0, NONE, NONE, "T=T", arith_build_brev },
    { PTX_I_clz, 1, t(B32) | t(B64), 0, NONE, NONE, "U=T", arith_build_count },
    { PTX_I_cnot, 1, BITS, 0, NONE, NONE, "T=T", arith_build_cnot },
    { PTX_I_copysign, 1, F3264, 0, NONE, NONE, "T=TT", arith_build_copysign },
    { PTX_I_cos, 1, t(F32), 0, MODS(m(approx), m(ftz)), NONE, "T=T", arith_build_sincos },
    { PTX_I_cvt, 2, t(U16) | t(S16), t(S32), MODS(m(pack), m(sat)), MODS(m(pack)), "U=UU", arith_build_cvt_pack },
    { PTX_I_cvt, 3, t(U8) | t(S8), t(S32), MODS(m(pack), m(sat)), MODS(m(pack)), "U=UUU", arith_build_cvt_pack },
    { PTX_I_cvt, 2, t(F16X2) | t(BF16X2), t(F32), MODS(m(rn), m(rz), m(relu), m(satfinite)), MODS(m(rn), m(rz)), "U=UU",
      arith_build_cvt_pack },
    { PTX_I_cvt, 2, t(F16X2), t(E4M3X2) | t(E5M2X2), MODS(m(rn), m(relu)), MODS(m(rn)), "U=S", arith_build_cvt_from_fp8 },
    { PTX_I_cvt, 2, t(E4M3X2) | t(E5M2X2), t(F32), MODS(m(rn), m(satfinite), m(relu)), MODS(m(satfinite)), "T=UU",
      arith_build_cvt_to_fp8 },
    { PTX_I_cvt, 2, t(E4M3X2) | t(E5M2X2), t(F16X2), MODS(m(rn), m(satfinite), m(relu)), MODS(m(satfinite)), "T=U",
      arith_build_cvt_to_fp8 },
    { PTX_I_cvt, 2, t(TF32), t(F32), MODS(m(rna), m(rn), m(rz), m(relu), m(satfinite)), MODS(m(rna), m(rn), m(rz)), "U=U",
      arith_build_cvt },
    { PTX_I_cvt, 2, ANYINT, ANYINT, MODS(m(sat)), NONE, "T=S", arith_build_cvt },
    { PTX_I_cvt, 2, ANYINT, ANYFLT, MODS(WHOLE, m(ftz), m(sat)), MODS(WHOLE), "T=S",
      arith_build_cvt },
    { PTX_I_cvt, 2, ANYFLT, ANYINT, MODS(ROUND, m(sat)), MODS(ROUND), "T=S", arith_build_cvt },
    { PTX_I_cvt, 2, ANYFLT, ANYFLT, MODS(ROUND, WHOLE, m(ftz), m(sat), m(relu), m(satfinite)), NONE, "T=S",
      arith_build_cvt },
    { PTX_I_div, 1, INT, 0, NONE, NONE, "T=TT", arith_build_idiv },
    { PTX_I_div, 1, t(F32), 0, MODS(ROUND, m(approx), m(full), m(ftz)), NONE, "T=TT", arith_build_fdiv },
    { PTX_I_div, 1, t(F64), 0, MODS(ROUND), NONE, "T=TT", arith_build_fdiv },
    { PTX_I_dp2a, 2, INT32, INT32, MODS(m(lo), m(hi)), MODS(m(lo), m(hi)), "U=UUU", arith_build_dp },
    { PTX_I_dp4a, 2, INT32, INT32, NONE, NONE, "U=UUU", arith_build_dp },
    { PTX_I_ex2, 1, t(F32) | HALF | BHALF, 0, MODS(m(approx), m(ftz)), NONE, "T=T", arith_build_ex2 },
    { PTX_I_fma, 1, t(F32) | t(F32X2), 0, MODS(ROUND, m(ftz), m(sat)), MODS(ROUND), "T=TTT", arith_build_fma },
    { PTX_I_fma, 1, t(F64), 0, MODS(ROUND), MODS(ROUND), "T=TTT", arith_build_fma },
    { PTX_I_fma, 1, HALF, 0, MODS(m(rn), m(ftz), m(sat), m(relu)), MODS(m(rn)), "T=TTT", arith_build_fma },
    { PTX_I_fma, 1, BHALF, 0, MODS(m(rn), m(relu)), MODS(m(rn)), "T=TTT", arith_build_fma },
    { PTX_I_fns, 1, t(B32), 0, NONE, NONE, "T=UUU", arith_build_fns },
    { PTX_I_lg2, 1, t(F32), 0, MODS(m(approx), m(ftz)), NONE, "T=T", arith_build_lg2 },
    { PTX_I_lop3, 1, t(B32), 0, MODS(m(and_), m(or_)), NONE, "T|P=TTTU?P", arith_build_lop3 },
    { PTX_I_mad, 1, INT16 | INT32, 0, MODS(m(wide)), MODS(m(wide)), "W=TTW", arith_build_mad },
    { PTX_I_mad, 1, INT, 0, MODS(m(lo), m(hi), m(cc), m(sat)), MODS(m(lo), m(hi)), "T=TTT", arith_build_mad },
    { PTX_I_mad, 1, t(F32), 0, MODS(ROUND, m(ftz), m(sat)), NONE, "T=TTT", arith_build_fma },
    { PTX_I_mad, 1, t(F64), 0, MODS(ROUND), NONE, "T=TTT", arith_build_fma },
    { PTX_I_mad24, 1, INT32, 0, MODS(m(lo), m(hi), m(sat)), MODS(m(lo), m(hi)), "T=TTT", arith_build_mul24 },
    { PTX_I_madc, 1, INT32 | INT64, 0, MODS(m(lo), m(hi), m(cc)), MODS(m(lo), m(hi)), "T=TTT", arith_build_mad },
    { PTX_I_max, 1, INT | INTX2, 0, MODS(m(relu)), NONE, "T=TT", arith_build_iminmax },
    { PTX_I_max, 1, t(F32), 0, MODS(MINMAX), NONE, "T=TT?T", arith_build_fminmax },
    { PTX_I_max, 1, HALF, 0, MODS(MINMAX), NONE, "T=TT", arith_build_fminmax },
    { PTX_I_max, 1, BHALF, 0, MODS(m(NaN), m(xorsign), m(abs)), NONE, "T=TT", arith_build_fminmax },
    { PTX_I_max, 1, t(F64), 0, NONE, NONE, "T=TT", arith_build_fminmax },
    { PTX_I_min, 1, INT | INTX2, 0, MODS(m(relu)), NONE, "T=TT", arith_build_iminmax },
    { PTX_I_min, 1, t(F32), 0, MODS(MINMAX), NONE, "T=TT?T", arith_build_fminmax },
    { PTX_I_min, 1, HALF, 0, MODS(MINMAX), NONE, "T=TT", arith_build_fminmax },
    { PTX_I_min, 1, BHALF, 0, MODS(m(NaN), m(xorsign), m(abs)), NONE, "T=TT", arith_build_fminmax },
    { PTX_I_min, 1, t(F64), 0, NONE, NONE, "T=TT", arith_build_fminmax },
    { PTX_I_mul, 1, INT16 | INT32, 0, MODS(m(wide)), MODS(m(wide)), "W=TT", arith_build_imul },
    { PTX_I_mul, 1, INT, 0, MODS(m(lo), m(hi)), MODS(m(lo), m(hi)), "T=TT", arith_build_imul },
    { PTX_I_mul, 1, t(F32) | t(F32X2), 0, MODS(ROUND, m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_mul, 1, t(F64), 0, MODS(ROUND), NONE, "T=TT", arith_build_fadd },
    { PTX_I_mul, 1, HALF, 0, MODS(m(rn), m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_mul, 1, BHALF, 0, MODS(m(rn)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_mul24, 1, INT32, 0, MODS(m(lo), m(hi)), MODS(m(lo), m(hi)), "T=TT", arith_build_mul24 },
    { PTX_I_neg, 1, SIGNED, 0, NONE, NONE, "T=T", arith_build_ineg },
    { PTX_I_neg, 1, t(F32) | HALF | BHALF, 0, MODS(m(ftz)), NONE, "T=T", arith_build_fsign },
    { PTX_I_neg, 1, t(F64), 0, NONE, NONE, "T=T", arith_build_fsign },
    { PTX_I_not, 1, BITS | t(PRED), 0, NONE, NONE, "T=T", arith_build_logic },
    { PTX_I_or, 1, BITS | t(PRED), 0, NONE, NONE, "T=TT", arith_build_logic },
    { PTX_I_popc, 1, t(B32) | t(B64), 0, NONE, NONE, "U=T", arith_build_count },
    { PTX_I_prmt, 1, t(B32), 0, MODS(m(f4e), m(b4e), m(rc8), m(ecl), m(ecr), m(rc16)), NONE, "T=UUU", arith_build_prmt },
    { PTX_I_rcp, 1, t(F32), 0, MODS(ROUND, m(approx), m(ftz)), NONE, "T=T", arith_build_rcp },
    { PTX_I_rcp, 1, t(F64), 0, MODS(ROUND, m(approx), m(ftz)), NONE, "T=T", arith_build_rcp },
    { PTX_I_rem, 1, INT, 0, NONE, NONE, "T=TT", arith_build_idiv },
    { PTX_I_rsqrt, 1, F3264, 0, MODS(m(approx), m(ftz)), NONE, "T=T", arith_build_rsqrt },
    { PTX_I_sad, 1, INT, 0, NONE, NONE, "T=TTT", arith_build_sad },
    { PTX_I_selp, 1, MOVABLE, 0, NONE, NONE, "T=TTP", arith_build_selp },
    { PTX_I_set, 2, INT32 | t(F32), BITS | INT | F3264, MODS(COMPARE, LOGIC, m(ftz)), MODS(COMPARE), "T=SS?P", arith_build_set },
    { PTX_I_set, 2, INT16 | INT32 | t(F32) | t(F16) | t(BF16), t(F16) | t(BF16), MODS(COMPARE, LOGIC, m(ftz)), MODS(COMPARE),
      "T=SS?P", arith_build_set },
    { PTX_I_set, 2, INT32 | t(F16X2) | t(BF16X2), t(F16X2) | t(BF16X2), MODS(COMPARE, LOGIC, m(ftz)), MODS(COMPARE), "T=SS?P",
      arith_build_set },
    { PTX_I_setp, 1, BITS | INT | F3264 | HALF | BHALF, 0, MODS(COMPARE, LOGIC, m(ftz)), MODS(COMPARE), "P|P=TT?P",
      arith_build_setp },
    { PTX_I_shf, 1, t(B32), 0, MODS(m(l), m(r), m(clamp), m(wrap)), MODS(m(l), m(r)), "T=UUU", arith_build_shf },
    { PTX_I_shl, 1, BITS, 0, NONE, NONE, "T=TU", arith_build_shift },
    { PTX_I_shr, 1, BITS | INT, 0, NONE, NONE, "T=TU", arith_build_shift },
    { PTX_I_sin, 1, t(F32), 0, MODS(m(approx), m(ftz)), NONE, "T=T", arith_build_sincos },
    { PTX_I_slct, 2, MOVABLE, t(S32) | t(F32), MODS(m(ftz)), NONE, "T=TTS", arith_build_slct },
    { PTX_I_sqrt, 1, t(F32), 0, MODS(ROUND, m(approx), m(ftz)), NONE, "T=T", arith_build_sqrt },
    { PTX_I_sqrt, 1, t(F64), 0, MODS(ROUND), NONE, "T=T", arith_build_sqrt },
    { PTX_I_sub, 1, INT | INTX2, 0, MODS(m(sat), m(cc)), NONE, "T=TT", arith_build_iadd },
    { PTX_I_sub, 1, t(F32) | t(F32X2), 0, MODS(ROUND, m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_sub, 1, t(F64), 0, MODS(ROUND), NONE, "T=TT", arith_build_fadd },
    { PTX_I_sub, 1, HALF, 0, MODS(m(rn), m(ftz), m(sat)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_sub, 1, BHALF, 0, MODS(m(rn)), NONE, "T=TT", arith_build_fadd },
    { PTX_I_subc, 1, INT32 | INT64, 0, MODS(m(cc)), NONE, "T=TT", arith_build_iadd },
    { PTX_I_szext, 1, INT32, 0, MODS(m(clamp), m(wrap)), MODS(m(clamp), m(wrap)), "T=TU", arith_build_szext },
    { PTX_I_tanh, 1, t(F32) | HALF | BHALF, 0, MODS(m(approx)), NONE, "T=T", arith_build_tanh },
    { PTX_I_testp, 1, F3264, 0, MODS(m(finite), m(infinite), m(number), m(notanumber), m(normal), m(subnormal)),
      MODS(m(finite), m(infinite), m(number), m(notanumber), m(normal), m(subnormal)), "P=T", arith_build_testp },

#define VIDEO(root, ...) \
    { PTX_I_##root, 3, INT32, INT32, MODS(m(sat), m(add), m(min), m(max), __VA_ARGS__), NONE, "U=UU?U", arith_build_video }
#define SIMD(root, ...) { PTX_I_##root, 3, INT32, INT32, MODS(m(sat), m(add), __VA_ARGS__), NONE, "U=UUU", arith_build_simd }
#define VSET(root) { PTX_I_##root, 2, INT32, INT32, MODS(m(add), COMPARE), MODS(COMPARE), "U=UUU", arith_build_simd }
    VIDEO(vabsdiff, 0), SIMD(vabsdiff2, 0), SIMD(vabsdiff4, 0),
    VIDEO(vadd, 0), SIMD(vadd2, 0), SIMD(vadd4, 0), SIMD(vavrg2, 0), SIMD(vavrg4, 0),
    { PTX_I_vmad, 3, INT32, INT32, MODS(m(sat), m(shr7), m(shr15), m(po)), NONE, "U=UUU", arith_build_video },
    VIDEO(vmax, 0), SIMD(vmax2, 0), SIMD(vmax4, 0), VIDEO(vmin, 0), SIMD(vmin2, 0), SIMD(vmin4, 0),
    { PTX_I_vset, 2, INT32, INT32, MODS(m(add), m(min), m(max), COMPARE), MODS(COMPARE), "U=UU?U", arith_build_video },
    VSET(vset2), VSET(vset4),
    VIDEO(vshl, m(clamp), m(wrap)), VIDEO(vshr, m(clamp), m(wrap)),
    VIDEO(vsub, 0), SIMD(vsub2, 0), SIMD(vsub4, 0),
    { PTX_I_xor, 1, BITS | t(PRED), 0, NONE, NONE, "T=TT", arith_build_logic },
};

static const char *const mod_names[] = {
#define NAME(id, text) text,
    PTX_MODS(NAME)
#undef NAME
};

static bool listed(const uint16_t *list, unsigned mod)
{
    for (; list && *list; list++)
        if (*list == mod + 1)
            return true;
    return false;
}

static bool any_of(const uint16_t *list, const struct ptx_insn *in)
{
    for (; *list; list++)
        if (ptx_has(in, *list - 1))
            return true;
    return false;
}

/* A modifier that the form does not take, or -1. */
static int stranger(const struct arith_form *f, const struct ptx_insn *in)
{
    for (unsigned w = 0; w < PTX_MOD_WORDS; w++)
        for (uint64_t left = in->mods[w]; left; left &= left - 1) {
            unsigned mod = 64 * w + (unsigned)__builtin_ctzll(left);

            if (!listed(f->mods, mod))
                return (int)mod;
        }
    return -1;
}

static bool types_fit(const struct arith_form *f, const struct ptx_insn *in)
{
    if (in->ntypes != f->ntypes || !(f->types >> in->types[0] & 1))
        return false;
    if (f->ntypes == 3 && f->build == arith_build_cvt_pack)
        return f->second >> in->types[1] & 1 && in->types[2] == PTX_B32;
    for (unsigned i = 1; i < in->ntypes; i++)
        if (!(f->second >> in->types[i] & 1))
            return false;
    return true;
}

static const struct arith_form *first_of(enum ptx_op op)
{
    size_t low = 0, high = sizeof(forms) / sizeof(*forms);

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (forms[middle].op < op)
            low = middle + 1;
        else
            high = middle;
    }
    return &forms[low];
}

const struct arith_form *arith_find(const struct ptx_insn *in, char *why, size_t why_size)
{
    const struct arith_form *end = forms + sizeof(forms) / sizeof(*forms), *f = first_of(in->op);
    int mod = -1;

    if (f == end || f->op != in->op) {
        snprintf(why, why_size, "no instruction of this name is");
        return NULL;
    }
    for (; f < end && f->op == in->op; f++) {
        int other;

        if (!types_fit(f, in) || (f->need && !any_of(f->need, in)))
            continue;
        other = stranger(f, in);
        if (other < 0)
            return f;
        mod = other;
    }
    if (mod < 0)
        snprintf(why, why_size, "no such combination of types and modifiers");
    else
        snprintf(why, why_size, "'.%s' is not known for this type", mod_names[mod]);
    return NULL;
}
