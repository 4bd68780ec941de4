/* arith_parts.h - what the files of arith share: values, and one instruction on its way through.
 *
 * v_... make one LLVM instruction each, on integers or on floats of any lane count. Floats have LLVM's type inside an
 * operation and are their bits outside of it. */
#ifndef SOFTCUDA_JIT_ARITH_PARTS_H
#define SOFTCUDA_JIT_ARITH_PARTS_H

#include "softcuda/jit/arith.h"

#define ARITH_NAN16 0x7fffu
#define ARITH_NAN32 0x7fffffffu

/* One instruction. For packed types (.f16x2) a->lanes counts elements, and type is the element's. */
struct arith_op {
    struct arith *a;
    const struct ptx_insn *in;
    enum ptx_type type;         /* the first type written */
    unsigned bits;              /* of it */
    const LLVMValueRef *src;
    unsigned nsrc;
    LLVMValueRef *carry, *second;
};
typedef LLVMValueRef arith_builder(struct arith_op *);

static inline bool has(const struct arith_op *o, enum ptx_mod m)
{
    return ptx_has(o->in, m);
}

#define V_BINARY(name, call)                                                                    \
    static inline LLVMValueRef v_##name(struct arith *a, LLVMValueRef x, LLVMValueRef y)        \
    {                                                                                           \
        return LLVMBuild##call(a->builder, x, y, "");                                           \
    }
V_BINARY(add, Add) V_BINARY(sub, Sub) V_BINARY(mul, Mul) V_BINARY(udiv, UDiv) V_BINARY(sdiv, SDiv)
V_BINARY(and, And) V_BINARY(or, Or) V_BINARY(xor, Xor) V_BINARY(shl, Shl) V_BINARY(lshr, LShr) V_BINARY(ashr, AShr)
V_BINARY(fadd, FAdd) V_BINARY(fsub, FSub) V_BINARY(fmul, FMul) V_BINARY(fdiv, FDiv)
#undef V_BINARY

static inline LLVMValueRef v_icmp(struct arith *a, LLVMIntPredicate p, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildICmp(a->builder, p, x, y, "");
}
static inline LLVMValueRef v_fcmp(struct arith *a, LLVMRealPredicate p, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFCmp(a->builder, p, x, y, "");
}
static inline LLVMValueRef v_select(struct arith *a, LLVMValueRef c, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(a->builder, c, yes, no, "");
}

#define V_UNARY(name, call)                                                                     \
    static inline LLVMValueRef v_##name(struct arith *a, LLVMValueRef x)                        \
    {                                                                                           \
        return LLVMBuild##call(a->builder, x, "");                                              \
    }
V_UNARY(not, Not) V_UNARY(neg, Neg) V_UNARY(fneg, FNeg)
#undef V_UNARY

/* To the type of so many bits. */
#define V_CONVERT(name, call, type)                                                             \
    static inline LLVMValueRef v_##name(struct arith *a, LLVMValueRef x, unsigned bits)         \
    {                                                                                           \
        return LLVMBuild##call(a->builder, x, type(a, bits), "");                               \
    }
V_CONVERT(zext, ZExt, arith_int) V_CONVERT(sext, SExt, arith_int) V_CONVERT(trunc, Trunc, arith_int)
V_CONVERT(fpext, FPExt, arith_float) V_CONVERT(fptrunc, FPTrunc, arith_float)
#undef V_CONVERT

static inline LLVMValueRef v_k(struct arith *a, unsigned bits, uint64_t value) { return arith_const(a, bits, value); }

unsigned     arith_bits(LLVMValueRef);                                  /* width of a lane, integer or float */
LLVMValueRef arith_fconst(struct arith *, unsigned bits, double);       /* a float constant, splat */
LLVMValueRef arith_as_float(struct arith *, LLVMValueRef);              /* bits to float, and back */
LLVMValueRef arith_as_int(struct arith *, LLVMValueRef);
LLVMValueRef arith_ext(struct arith *, LLVMValueRef, unsigned bits, bool is_signed);   /* to bits, wider or narrower */
LLVMValueRef arith_call1(struct arith *, const char *name, LLVMValueRef);         /* overloaded on their type */
LLVMValueRef arith_call2(struct arith *, const char *name, LLVMValueRef, LLVMValueRef);
LLVMValueRef arith_call3(struct arith *, const char *name, LLVMValueRef, LLVMValueRef, LLVMValueRef);
/* x * y + z, fused where that is cheap; for approximations only. */
LLVMValueRef arith_muladd(struct arith *, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
/* A polynomial; the highest coefficient first. */
LLVMValueRef arith_poly(struct arith *, LLVMValueRef x, const double *coefficients, unsigned n);
LLVMValueRef arith_clamp(struct arith *, LLVMValueRef, LLVMValueRef low, LLVMValueRef high, bool is_signed);
/* Views the value as other lanes of the same bits in all: <32 x i32> as <64 x i16>. lanes: the new count. */
LLVMValueRef arith_relane(struct arith *, LLVMValueRef, unsigned lanes, unsigned bits);
/* An AVX-512 intrinsic of width lanes on as many pieces as a->lanes takes. result: the type in all; tail: what follows the
 * nargs vectors in each call. */
LLVMValueRef arith_pieces(struct arith *, const char *name, unsigned width, LLVMTypeRef result, const LLVMValueRef *args,
                          unsigned nargs, const LLVMValueRef *tail, unsigned ntail);
/* A runtime function lane by lane, result and arguments of the integer types given by width. */
LLVMValueRef arith_each_lane(struct arith *, const char *name, unsigned bits, const LLVMValueRef *args, unsigned nargs);

/* Floating point, in arith_float.c. */
LLVMValueRef arith_flush(struct arith *, LLVMValueRef bits, enum ptx_type);     /* subnormals to zero, sign kept */
LLVMValueRef arith_canonical(struct arith *, LLVMValueRef v);                   /* every NaN to 0x7fffffff */
LLVMValueRef arith_saturate(struct arith *, LLVMValueRef);                      /* to [0, 1]; NaN and -0 to +0 */
LLVMValueRef arith_load_float(struct arith_op *, unsigned source);              /* flushed if .ftz; 16-bit types as f32 */
LLVMValueRef arith_store_float(struct arith_op *, LLVMValueRef);                /* .relu .sat .ftz, then bits of o->type */
enum ptx_mod arith_rounding(const struct ptx_insn *);                           /* rn rz rm rp; rn where none is written */

/* f32 <-> 16-bit floats and f64, in arith_half.c. */
LLVMValueRef arith_widen(struct arith *, LLVMValueRef bits16, enum ptx_type);   /* to f32 */
LLVMValueRef arith_narrow(struct arith *, LLVMValueRef f32, enum ptx_type, enum ptx_mod rounding);  /* to bits; NaN to 0x7fff */
LLVMValueRef arith_f64_to_f32(struct arith *, LLVMValueRef f64, enum ptx_mod rounding);
LLVMValueRef arith_f64_to_f32_odd(struct arith *, LLVMValueRef f64);    /* inexact results odd: a second rounding is then right */

/* Exact rounding, in arith_round.c. On floats of 32 or 64 bits. */
enum arith_rounded { ARITH_ADD, ARITH_SUB, ARITH_MUL, ARITH_DIV, ARITH_SQRT, ARITH_FMA };
LLVMValueRef arith_round(struct arith *, enum arith_rounded, enum ptx_mod rounding, const LLVMValueRef *args);
/* v: a neighbour of the exact value, as bits; below, above: on which side of it the exact value lies. */
LLVMValueRef arith_round_fix(struct arith *, LLVMValueRef v, LLVMValueRef below, LLVMValueRef above, enum ptx_mod rounding);
/* What x + y lost when it was rounded to sum. */
LLVMValueRef arith_add_error(struct arith *, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);
/* The rounded value, or where the error (exact - rounded) is not 0 the odd one of the two neighbours of the exact value: it can
 * be rounded once more, to two bits less or fewer, as if it were exact. */
LLVMValueRef arith_make_odd(struct arith *, LLVMValueRef rounded, LLVMValueRef error);

/* Approximations on f32, in arith_approx.c. */
LLVMValueRef arith_ex2(struct arith *, LLVMValueRef, bool ftz);
LLVMValueRef arith_tanh(struct arith *, LLVMValueRef);
LLVMValueRef arith_rsqrt(struct arith *, LLVMValueRef);

arith_builder arith_build_iadd, arith_build_imul, arith_build_mad, arith_build_mul24, arith_build_sad, arith_build_idiv,
    arith_build_iminmax, arith_build_iabs, arith_build_ineg;
arith_builder arith_build_logic, arith_build_cnot, arith_build_lop3, arith_build_shift, arith_build_shf, arith_build_bfe,
    arith_build_bfi, arith_build_bfind, arith_build_bmsk, arith_build_brev, arith_build_count, arith_build_fns, arith_build_prmt,
    arith_build_szext, arith_build_dp;
arith_builder arith_build_fadd, arith_build_fma, arith_build_fdiv, arith_build_sqrt, arith_build_rcp, arith_build_fminmax,
    arith_build_fsign, arith_build_copysign, arith_build_testp;
arith_builder arith_build_rsqrt, arith_build_sincos, arith_build_lg2, arith_build_ex2, arith_build_tanh;
arith_builder arith_build_setp, arith_build_set, arith_build_selp, arith_build_slct;
arith_builder arith_build_cvt, arith_build_cvt_pack, arith_build_cvt_from_fp8, arith_build_cvt_to_fp8;
arith_builder arith_build_video, arith_build_simd;

/* One line of the table in arith_table.c. */
struct arith_form {
    enum ptx_op op;
    uint8_t ntypes;
    uint64_t types, second;     /* sets of enum ptx_type: the first type written; the others */
    const uint16_t *mods;       /* modifiers that it takes: enum ptx_mod + 1, ended by 0 */
    const uint16_t *need;       /* one of these has to be there; NULL: none has to */
    const char *shape;          /* "T|P=TTU?P": result, second result, sources, and sources that may be left out.
                                 * T: the first type, W: twice as wide, S: the second type, U: 32 bits, P: a predicate */
    arith_builder *build;
};
/* NULL: arith does not know it; then why says so. */
const struct arith_form *arith_find(const struct ptx_insn *, char *why, size_t why_size);

#endif
