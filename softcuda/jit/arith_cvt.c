/* arith_cvt.c - cvt: between all integers and floats. Anything goes by way of f32, f64 or 64-bit integers, with one rounding. */
#include "softcuda/jit/arith_parts.h"

struct conversion {
    struct arith_op *o;
    enum ptx_type from, to;
    unsigned from_bits, to_bits;
};

static LLVMValueRef to_integer_type(struct arith *a, LLVMValueRef v, enum ptx_type to, bool from_signed)
{
    return arith_ext(a, v, ptx_type_bits(to), from_signed);
}

/* The ends of an integer type. */
static uint64_t lowest(enum ptx_type type)
{
    return ptx_type_is_signed(type) ? UINT64_MAX << (ptx_type_bits(type) - 1) : 0;
}

static uint64_t highest(enum ptx_type type)
{
    return UINT64_MAX >> (64 - ptx_type_bits(type) + ptx_type_is_signed(type));
}

static LLVMValueRef int_to_int(struct conversion *c)
{
    struct arith *a = c->o->a;
    LLVMValueRef v = c->o->src[0];
    bool from_signed = ptx_type_is_signed(c->from), to_signed = ptx_type_is_signed(c->to);
    unsigned n = c->from_bits;

    if (!has(c->o, PTX_M_sat))
        return to_integer_type(a, v, c->to, from_signed);
    /* clamped in the source's type, to those ends of the destination that it can pass */
    if (from_signed && (!to_signed || c->to_bits < n))
        v = arith_call2(a, "llvm.smax", v, v_k(a, n, lowest(c->to)));
    if (c->to_bits < n || (c->to_bits == n && to_signed && !from_signed))
        v = arith_call2(a, from_signed ? "llvm.smin" : "llvm.umin", v, v_k(a, n, highest(c->to)));
    return to_integer_type(a, v, c->to, from_signed);
}

static LLVMValueRef widened(struct conversion *c)
{
    struct arith_op typed = *c->o;

    typed.type = PTX_F32;
    if (c->from == PTX_F32)
        return arith_load_float(&typed, 0); /* .ftz is about f32 alone */
    if (c->from == PTX_F64)
        return arith_as_float(c->o->a, c->o->src[0]);
    return arith_widen(c->o->a, c->o->src[0], c->from);
}

/* Whole numbers: rni rzi rmi rpi; NULL: none is asked for. */
static const char *whole_rounding(const struct arith_op *o)
{
    return has(o, PTX_M_rni) ? "llvm.roundeven"
        : has(o, PTX_M_rzi)  ? "llvm.trunc"
        : has(o, PTX_M_rmi)  ? "llvm.floor"
        : has(o, PTX_M_rpi)  ? "llvm.ceil"
                             : NULL;
}

/* x whole or to be cut, into an integer type of 32 or 64 bits. Clamped before it is converted (a NaN to the lower end); the
 * upper end is not a float, and so the last float below it stands in. */
static LLVMValueRef clamped_int(struct arith *a, LLVMValueRef x, unsigned bits, bool sign)
{
    unsigned from = arith_bits(x), digits = bits - sign, precision = from == 64 ? 53 : 24;
    double end = digits == 31 ? 0x1p31 : digits == 32 ? 0x1p32 : digits == 63 ? 0x1p63 : 0x1p64, low = sign ? -end : 0, high;
    LLVMTypeRef type = arith_int(a, bits);
    LLVMValueRef v, over = v_fcmp(a, LLVMRealOGE, x, arith_fconst(a, from, end));

    high = end - (digits > precision ? end / (double)(1ull << precision) : 1);
    v = v_select(a, v_fcmp(a, LLVMRealOGT, x, arith_fconst(a, from, low)), x, arith_fconst(a, from, low));
    v = v_select(a, v_fcmp(a, LLVMRealOLT, v, arith_fconst(a, from, high)), v, arith_fconst(a, from, high));
    v = sign ? LLVMBuildFPToSI(a->builder, v, type, "") : LLVMBuildFPToUI(a->builder, v, type, "");
    return v_select(a, over, v_k(a, bits, sign ? UINT64_MAX >> (65 - bits) : UINT64_MAX), v);
}

static LLVMValueRef saturating(struct arith *a, LLVMValueRef x, enum ptx_type to)
{
    unsigned bits = ptx_type_bits(to);
    LLVMValueRef v;

    if (bits >= 32)
        return clamped_int(a, x, bits, ptx_type_is_signed(to));
    v = arith_clamp(a, clamped_int(a, x, 32, true), v_k(a, 32, lowest(to)), v_k(a, 32, highest(to)), true);
    return v_trunc(a, v, bits);
}

/* Out of range is clamped. A NaN is 0, but where 64 bits are involved the highest bit alone. */
static LLVMValueRef float_to_int(struct conversion *c)
{
    struct arith *a = c->o->a;
    LLVMValueRef x = widened(c), v, nan;
    const char *rounding = whole_rounding(c->o);

    if (!has(c->o, PTX_M_rzi))
        x = arith_call1(a, rounding, x);
    v = saturating(a, x, c->to);
    nan = v_k(a, c->to_bits, c->from == PTX_F64 || c->to_bits == 64 ? 1ull << (c->to_bits - 1) : 0);
    return v_select(a, v_fcmp(a, LLVMRealUNO, x, x), nan, v);
}

static LLVMValueRef nearest_float(struct arith *a, LLVMValueRef v, unsigned bits, bool sign)
{
    return sign ? LLVMBuildSIToFP(a->builder, v, arith_float(a, bits), "")
                : LLVMBuildUIToFP(a->builder, v, arith_float(a, bits), "");
}

static LLVMValueRef leading_zeros(struct arith *a, LLVMValueRef v)
{
    LLVMValueRef args[] = { v, LLVMConstInt(LLVMInt1TypeInContext(a->context), 0, false) };

    return arith_intrinsic(a, "llvm.ctlz", LLVMTypeOf(v), args, 2);
}

/* An integer as a float without its last bits, exactly. */
struct cut {
    LLVMValueRef bits;    /* the float's, without a sign */
    LLVMValueRef inexact; /* something was cut off */
    LLVMValueRef negative;
};

static struct cut cut_int(struct arith *a, LLVMValueRef v, unsigned bits, bool sign)
{
    unsigned n = arith_bits(v), precision = bits == 32 ? 24 : 53;
    LLVMValueRef zero = v_k(a, n, 0), negative = sign ? v_icmp(a, LLVMIntSLT, v, zero) : v_k(a, 1, 0), size, lost, kept;

    size = v_select(a, negative, v_neg(a, v), v);
    lost = arith_call2(a, "llvm.smax", v_sub(a, v_k(a, n, n - precision), leading_zeros(a, size)), zero);
    kept = v_shl(a, v_lshr(a, size, lost), lost);
    return (struct cut){ arith_as_int(a, nearest_float(a, kept, bits, false)), v_icmp(a, LLVMIntNE, kept, size), negative };
}

static LLVMValueRef signed_float(struct arith *a, LLVMValueRef bits, LLVMValueRef negative)
{
    unsigned n = arith_bits(bits);

    return arith_as_float(a, v_or(a, bits, v_shl(a, v_zext(a, negative, n), v_k(a, n, n - 1))));
}

static LLVMValueRef directed_float(struct arith *a, LLVMValueRef v, unsigned bits, bool sign, enum ptx_mod rounding)
{
    struct cut c = cut_int(a, v, bits, sign);
    LLVMValueRef away = rounding == PTX_M_rp ? v_not(a, c.negative) : rounding == PTX_M_rm ? c.negative : v_k(a, 1, 0);

    return signed_float(a, v_add(a, c.bits, v_zext(a, v_and(a, c.inexact, away), bits)), c.negative);
}

/* For a second, narrower rounding. */
static LLVMValueRef odd_f32(struct arith *a, LLVMValueRef v, bool sign)
{
    struct cut c = cut_int(a, v, 32, sign);

    return signed_float(a, v_or(a, c.bits, v_zext(a, c.inexact, 32)), c.negative);
}

static LLVMValueRef stored(struct conversion *c, LLVMValueRef v, enum ptx_mod rounding)
{
    struct arith *a = c->o->a;

    if (has(c->o, PTX_M_sat))
        v = arith_saturate(a, v);
    return c->to == PTX_F16 || c->to == PTX_BF16 ? arith_narrow(a, v, c->to, rounding) : arith_as_int(a, v);
}

static LLVMValueRef int_to_float(struct conversion *c)
{
    struct arith *a = c->o->a;
    enum ptx_mod rounding = arith_rounding(c->o->in);
    bool sign = ptx_type_is_signed(c->from);
    unsigned precision = c->to == PTX_F64 ? 53 : c->to == PTX_F32 ? 24 : 11;
    LLVMValueRef v = c->o->src[0];

    if (c->from_bits < 32) {
        v = arith_ext(a, v, 32, sign);
        sign = true;
    }
    if (precision == 11)
        return stored(c, c->from_bits <= 16 ? nearest_float(a, v, 32, sign) : odd_f32(a, v, sign), rounding);
    if (rounding == PTX_M_rn || c->from_bits <= precision)
        return stored(c, nearest_float(a, v, c->to_bits, sign), rounding);
    return stored(c, directed_float(a, v, c->to_bits, sign, rounding), rounding);
}

/* The largest finite number of the type instead of infinity. */
static LLVMValueRef within_range(struct conversion *c, LLVMValueRef v)
{
    struct arith *a = c->o->a;
    double most = c->to == PTX_F16 ? 65504.0 : 0x1.fep127;
    LLVMValueRef high = arith_fconst(a, 32, most), low = arith_fconst(a, 32, -most);

    if (!has(c->o, PTX_M_satfinite))
        return v;
    v = v_select(a, v_fcmp(a, LLVMRealOGT, v, high), high, v);
    return v_select(a, v_fcmp(a, LLVMRealOLT, v, low), low, v);
}

static LLVMValueRef relu(struct conversion *c, LLVMValueRef v)
{
    struct arith *a = c->o->a;
    LLVMValueRef zero = arith_fconst(a, 32, 0);

    return has(c->o, PTX_M_relu) ? v_select(a, v_fcmp(a, LLVMRealUGT, v, zero), v, zero) : v;
}

/* From f32 (f64 narrowed already) to f16 or bf16. A NaN of f64 keeps its sign. */
static LLVMValueRef narrowed(struct conversion *c, LLVMValueRef v, enum ptx_mod rounding)
{
    struct arith *a = c->o->a;
    LLVMValueRef result = stored(c, within_range(c, relu(c, v)), rounding), nan;

    if (c->from != PTX_F64 || has(c->o, PTX_M_sat))
        return result;
    nan = v_trunc(a, v_lshr(a, arith_as_int(a, v), v_k(a, 32, 16)), 16);
    nan = v_or(a, v_and(a, nan, v_k(a, 16, 0x8000)), v_k(a, 16, c->to == PTX_F16 ? 0x7e00 : 0x7fc0));
    return v_select(a, v_fcmp(a, LLVMRealUNO, v, v), nan, result);
}

/* Those that the hardware does by moving bits let NaNs through. */
static bool keeps_nans(const struct conversion *c)
{
    if (c->to == PTX_F64)
        return c->from != PTX_F32 || !has(c->o, PTX_M_ftz);
    if (has(c->o, PTX_M_sat))
        return true;
    return c->from == PTX_F64 || c->from == PTX_BF16 || (c->from == PTX_F32 && !whole_rounding(c->o) && !has(c->o, PTX_M_ftz));
}

static LLVMValueRef float_to_float(struct conversion *c)
{
    struct arith *a = c->o->a;
    const char *whole = whole_rounding(c->o);
    enum ptx_mod rounding = arith_rounding(c->o->in);
    LLVMValueRef v = widened(c);

    if (whole)
        v = arith_call1(a, whole, v);
    if ((c->to == PTX_F32 || c->to == PTX_F64) && !keeps_nans(c))
        v = arith_canonical(a, v);
    if (c->to == PTX_F64)
        v = c->from == PTX_F64 ? v : v_fpext(a, v, 64);
    else if (c->from == PTX_F64)
        v = c->to == PTX_F32 ? arith_f64_to_f32(a, v, rounding) : arith_f64_to_f32_odd(a, v);
    if (c->to == PTX_F64)
        return stored(c, v, rounding);
    if (c->to != PTX_F32)
        return narrowed(c, v, rounding);
    v = stored(c, v, rounding);
    return has(c->o, PTX_M_ftz) ? arith_flush(a, v, PTX_F32) : v;
}

/* tf32: f32 with 10 bits of fraction. rna: to nearest, ties away from zero; it leaves NaNs as they are cut. */
static LLVMValueRef to_tf32(struct conversion *c)
{
    struct arith *a = c->o->a;
    LLVMValueRef x = arith_load_float(&(struct arith_op){ .a = a, .in = c->o->in, .type = PTX_F32, .src = c->o->src }, 0);
    LLVMValueRef v = arith_as_int(a, relu(c, x)), kept = v_k(a, 32, 0xffffe000), infinity = v_k(a, 32, 0x7f800000);
    LLVMValueRef size = v_and(a, v, v_k(a, 32, 0x7fffffff)), sign = v_and(a, v, v_k(a, 32, 0x80000000)), rounded = size, odd, nan;

    if (has(c->o, PTX_M_rna))
        rounded = v_add(a, size, v_k(a, 32, 0x1000));
    else if (has(c->o, PTX_M_rn)) {
        odd = v_and(a, v_lshr(a, size, v_k(a, 32, 13)), v_k(a, 32, 1));
        rounded = v_add(a, size, v_add(a, odd, v_k(a, 32, 0xfff)));
    }
    rounded = v_and(a, rounded, kept);
    if (has(c->o, PTX_M_satfinite))
        rounded = arith_call2(a, "llvm.umin", rounded, v_k(a, 32, 0x7f7fe000));
    nan = has(c->o, PTX_M_rna) ? v_and(a, v, kept) : v_k(a, 32, ARITH_NAN32 & 0xffffe000);
    return v_select(a, v_icmp(a, LLVMIntUGT, size, infinity), nan, v_or(a, rounded, sign));
}

LLVMValueRef arith_build_cvt(struct arith_op *o)
{
    struct conversion c = { o, o->in->types[1], o->in->types[0], 0, 0 };

    c.from_bits = ptx_type_bits(c.from);
    c.to_bits = ptx_type_bits(c.to);
    if (c.to == PTX_TF32)
        return to_tf32(&c);
    if (ptx_type_is_float(c.from))
        return ptx_type_is_float(c.to) ? float_to_float(&c) : float_to_int(&c);
    return ptx_type_is_float(c.to) ? int_to_float(&c) : int_to_int(&c);
}

/* cvt.pack: both clamped to the type, the second lowest; bytes push what the third holds upwards. */
static LLVMValueRef pack_ints(struct arith_op *o)
{
    struct arith *a = o->a;
    enum ptx_type to = o->in->types[0];
    unsigned bits = ptx_type_bits(to);
    LLVMValueRef part[2], v;

    for (unsigned i = 0; i < 2; i++) {
        part[i] = arith_clamp(a, o->src[i], v_k(a, 32, lowest(to)), v_k(a, 32, highest(to)), true);
        part[i] = v_and(a, part[i], v_k(a, 32, UINT32_MAX >> (32 - bits)));
    }
    v = v_or(a, v_shl(a, part[0], v_k(a, 32, bits)), part[1]);
    return o->nsrc < 3 ? v : v_or(a, v, v_shl(a, o->src[2], v_k(a, 32, 2 * bits)));
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. */
LLVMValueRef arith_build_cvt_pack(struct arith_op *o)
{
    struct arith *a = o->a;
    struct conversion c = { o, PTX_F32, o->type, 32, 16 };
    LLVMValueRef half[2];

    if (has(o, PTX_M_pack))
        return pack_ints(o);
    for (unsigned i = 0; i < 2; i++)
        half[i] = v_zext(a, narrowed(&c, arith_as_float(a, o->src[i]), arith_rounding(o->in)), 32);
    return v_or(a, v_shl(a, half[0], v_k(a, 32, 16)), half[1]);
}
