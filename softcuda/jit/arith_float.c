/* arith_float.c - f32, f64, f16 and bf16: add sub mul fma div sqrt rcp, min max, signs. */
#include "softcuda/jit/arith_parts.h"

struct layout {
    uint64_t exponent, sign, quiet;
};

static struct layout layout_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return (struct layout){ 0x7c00, 0x8000, ARITH_NAN16 };
    case PTX_BF16:
        return (struct layout){ 0x7f80, 0x8000, ARITH_NAN16 };
    case PTX_F32:
        return (struct layout){ 0x7f800000, 0x80000000, ARITH_NAN32 };
    default:
        return (struct layout){ 0x7ff0000000000000, 0x8000000000000000, 0x7ff8000000000000 };
    }
}

LLVMValueRef arith_flush(struct arith *a, LLVMValueRef bits, enum ptx_type type)
{
    unsigned n = arith_bits(bits);
    struct layout l = layout_of(type);
    LLVMValueRef tiny = v_icmp(a, LLVMIntEQ, v_and(a, bits, v_k(a, n, l.exponent)), v_k(a, n, 0));

    return v_select(a, tiny, v_and(a, bits, v_k(a, n, l.sign)), bits);
}

static LLVMValueRef canonical_nan(struct arith *a, unsigned bits)
{
    return arith_as_float(a, v_k(a, bits, bits == 32 ? ARITH_NAN32 : 0x7ff8000000000000));
}

LLVMValueRef arith_canonical(struct arith *a, LLVMValueRef v)
{
    return v_select(a, v_fcmp(a, LLVMRealUNO, v, v), canonical_nan(a, arith_bits(v)), v);
}

LLVMValueRef arith_saturate(struct arith *a, LLVMValueRef v)
{
    LLVMValueRef zero = arith_fconst(a, arith_bits(v), 0), one = arith_fconst(a, arith_bits(v), 1);

    v = v_select(a, v_fcmp(a, LLVMRealOGT, v, zero), v, zero);
    return v_select(a, v_fcmp(a, LLVMRealOLT, v, one), v, one);
}

enum ptx_mod arith_rounding(const struct ptx_insn *in)
{
    static const enum ptx_mod directed[] = { PTX_M_rz, PTX_M_rm, PTX_M_rp };

    for (unsigned i = 0; i < 3; i++)
        if (ptx_has(in, directed[i]))
            return directed[i];
    return PTX_M_rn;
}

LLVMValueRef arith_load_float(struct arith_op *o, unsigned source)
{
    LLVMValueRef v = o->src[source];

    if (has(o, PTX_M_ftz))
        v = arith_flush(o->a, v, o->type);
    return o->type == PTX_F16 || o->type == PTX_BF16 ? arith_widen(o->a, v, o->type) : arith_as_float(o->a, v);
}

/* Negative numbers and -0 to +0. */
static LLVMValueRef relu(struct arith *a, LLVMValueRef v)
{
    LLVMValueRef zero = arith_fconst(a, arith_bits(v), 0);

    return v_select(a, v_fcmp(a, LLVMRealUGT, v, zero), v, zero);
}

LLVMValueRef arith_store_float(struct arith_op *o, LLVMValueRef v)
{
    struct arith *a = o->a;

    if (has(o, PTX_M_relu))
        v = relu(a, v);
    if (has(o, PTX_M_sat))
        v = arith_saturate(a, v);
    v = o->type == PTX_F16 || o->type == PTX_BF16 ? arith_narrow(a, v, o->type, PTX_M_rn) : arith_as_int(a, v);
    return has(o, PTX_M_ftz) ? arith_flush(a, v, o->type) : v;
}

/* Hardware flushes what is below the smallest normal number when it is rounded as if exponents had no end. That is seen on the same
 * operation 2^24 times as large; a product that rounds up to the smallest normal number only among subnormals goes to zero. Small sums and
 * differences are exact, so they need none of this. */
static LLVMValueRef flush_product(struct arith_op *o, enum arith_rounded op, LLVMValueRef *args, LLVMValueRef v)
{
    struct arith *a = o->a;
    LLVMValueRef scale = arith_fconst(a, 32, 0x1p24), size, tiny, sign;

    args[0] = v_fmul(a, args[0], scale);
    if (op == ARITH_FMA)
        args[2] = v_fmul(a, args[2], scale);
    size = arith_call1(a, "llvm.fabs", arith_round(a, op, arith_rounding(o->in), args));
    tiny = v_fcmp(a, LLVMRealOLT, size, arith_fconst(a, 32, 0x1p-102));
    sign = v_and(a, arith_as_int(a, v), v_k(a, 32, 0x80000000));
    return v_select(a, tiny, arith_as_float(a, sign), v);
}

/* A result that is a NaN only through a NaN operand or an invalid operation, in code that is hot: see struct arith. */
static LLVMValueRef store_hot(struct arith_op *o, LLVMValueRef v)
{
    return arith_store_float(o, o->a->exact_nan && o->type == PTX_F32 ? arith_canonical(o->a, v) : v);
}

static LLVMValueRef rounded(struct arith_op *o, enum arith_rounded op, LLVMValueRef *args)
{
    LLVMValueRef v = arith_round(o->a, op, arith_rounding(o->in), args);
    bool product = op == ARITH_MUL || op == ARITH_FMA;

    return has(o, PTX_M_ftz) && o->type == PTX_F32 && product ? flush_product(o, op, args, v) : v;
}

static LLVMValueRef store_f32_nan(struct arith_op *o, LLVMValueRef v)
{
    return arith_store_float(o, o->type == PTX_F32 ? arith_canonical(o->a, v) : v);
}

/* add, sub and mul. Of two f16 or bf16 the f32 result, rounded again, is right: 24 bits are twice 11 and two more. */
LLVMValueRef arith_build_fadd(struct arith_op *o)
{
    LLVMValueRef args[] = { arith_load_float(o, 0), arith_load_float(o, 1) };
    enum arith_rounded op = o->in->op == PTX_I_add ? ARITH_ADD : o->in->op == PTX_I_sub ? ARITH_SUB : ARITH_MUL;

    return store_hot(o, rounded(o, op, args));
}

/* The product of two f16 is exact in f32. The sum is rounded to odd, since the second rounding would see ties that are none.
 * bf16 has the range of f32, so it does the same in f64. */
static LLVMValueRef fma16(struct arith_op *o, LLVMValueRef *args)
{
    struct arith *a = o->a;
    LLVMValueRef product, sum;

    for (unsigned i = 0; i < 3 && o->type == PTX_BF16; i++)
        args[i] = v_fpext(a, args[i], 64);
    product = v_fmul(a, args[0], args[1]);
    sum = v_fadd(a, product, args[2]);
    sum = arith_make_odd(a, sum, arith_add_error(a, product, args[2], sum));
    return o->type == PTX_BF16 ? arith_f64_to_f32_odd(a, sum) : sum;
}

LLVMValueRef arith_build_fma(struct arith_op *o)
{
    LLVMValueRef args[] = { arith_load_float(o, 0), arith_load_float(o, 1), arith_load_float(o, 2) };

    if (o->type == PTX_F16 || o->type == PTX_BF16)
        return arith_store_float(o, fma16(o, args));
    return store_hot(o, rounded(o, ARITH_FMA, args));
}

/* .approx and .full are rounded to nearest. But .approx stands for a product with the reciprocal, which is 0 from a divisor
 * above 2^126. */
LLVMValueRef arith_build_fdiv(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef args[] = { arith_load_float(o, 0), arith_load_float(o, 1) }, v, size, huge, zero;

    v = arith_round(a, ARITH_DIV, arith_rounding(o->in), args);
    if (has(o, PTX_M_approx)) {
        size = arith_call1(a, "llvm.fabs", args[1]);
        huge = v_fcmp(a, LLVMRealOGT, size, arith_fconst(a, 32, 0x1p126));
        zero = v_fmul(a, args[0], arith_call2(a, "llvm.copysign", arith_fconst(a, 32, 0), args[1]));
        huge = v_and(a, huge, v_fcmp(a, LLVMRealOLT, size, arith_fconst(a, 32, __builtin_inf())));
        v = v_select(a, huge, zero, v);
    }
    return store_f32_nan(o, v);
}

LLVMValueRef arith_build_sqrt(struct arith_op *o)
{
    LLVMValueRef x = arith_load_float(o, 0);

    return store_f32_nan(o, arith_round(o->a, ARITH_SQRT, arith_rounding(o->in), &x));
}

/* Only the high words of operand and result count, and subnormals do not; the high word of a NaN is an f32's. */
static LLVMValueRef rough_f64(struct arith_op *o, LLVMValueRef (*build)(struct arith_op *, LLVMValueRef))
{
    struct arith *a = o->a;
    LLVMValueRef high = v_k(a, 64, 0xffffffff00000000), v = arith_flush(a, v_and(a, o->src[0], high), PTX_F64);

    v = build(o, arith_as_float(a, v));
    v = v_select(a, v_fcmp(a, LLVMRealUNO, v, v), arith_as_float(a, v_k(a, 64, (uint64_t)ARITH_NAN32 << 32)), v);
    return arith_flush(a, v_and(a, arith_as_int(a, v), high), PTX_F64);
}

static LLVMValueRef reciprocal(struct arith_op *o, LLVMValueRef x)
{
    LLVMValueRef args[] = { arith_fconst(o->a, o->bits, 1), x };

    return arith_round(o->a, ARITH_DIV, arith_rounding(o->in), args);
}

static LLVMValueRef reciprocal_root(struct arith_op *o, LLVMValueRef x)
{
    return v_fdiv(o->a, arith_fconst(o->a, 64, 1), arith_call1(o->a, "llvm.sqrt", x));
}

LLVMValueRef arith_build_rcp(struct arith_op *o)
{
    if (o->type == PTX_F64 && has(o, PTX_M_approx))
        return rough_f64(o, reciprocal);
    return store_f32_nan(o, reciprocal(o, arith_load_float(o, 0)));
}

LLVMValueRef arith_build_rsqrt(struct arith_op *o)
{
    LLVMValueRef x;

    if (o->type == PTX_F64)
        return has(o, PTX_M_ftz) ? rough_f64(o, reciprocal_root)
                                 : arith_as_int(o->a, reciprocal_root(o, arith_as_float(o->a, o->src[0])));
    x = arith_rsqrt(o->a, arith_load_float(o, 0));
    return store_hot(o, x);
}

/* The smaller or greater number; -0 is less than +0. A NaN loses, or with .NaN wins. */
static LLVMValueRef pick(struct arith_op *o, LLVMValueRef x, LLVMValueRef y)
{
    struct arith *a = o->a;
    bool max = o->in->op == PTX_I_max;
    LLVMValueRef xbits = arith_as_int(a, x), ybits = arith_as_int(a, y), v, same;

    v = v_select(a, v_fcmp(a, max ? LLVMRealOGT : LLVMRealOLT, x, y), x, y);
    same = arith_as_float(a, max ? v_and(a, xbits, ybits) : v_or(a, xbits, ybits));
    v = v_select(a, v_fcmp(a, LLVMRealOEQ, x, y), same, v);
    if (has(o, PTX_M_NaN))
        return v_select(a, v_fcmp(a, LLVMRealUNO, x, y), canonical_nan(a, arith_bits(x)), v);
    v = v_select(a, v_fcmp(a, LLVMRealUNO, y, y), x, v);
    return arith_canonical(a, v);
}

static LLVMValueRef magnitude(struct arith *a, LLVMValueRef v)
{
    return arith_call1(a, "llvm.fabs", v);
}

LLVMValueRef arith_build_fminmax(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef x = arith_load_float(o, 0), signs = arith_as_int(a, x), v = has(o, PTX_M_abs) ? magnitude(a, x) : x;
    unsigned bits = arith_bits(x);

    for (unsigned i = 1; i < o->nsrc; i++) {
        LLVMValueRef y = arith_load_float(o, i);

        signs = v_xor(a, signs, arith_as_int(a, y));
        v = pick(o, v, has(o, PTX_M_abs) ? magnitude(a, y) : y);
    }
    if (has(o, PTX_M_xorsign)) {
        LLVMValueRef number = v_fcmp(a, LLVMRealORD, v, v);

        signs = v_and(a, signs, v_k(a, bits, bits == 32 ? 0x80000000 : 0x8000000000000000));
        v = v_select(a, number, arith_as_float(a, v_or(a, arith_as_int(a, v), signs)), v);
    }
    return arith_store_float(o, v);
}

/* neg and abs: only the sign; on the hardware NaNs become canonical, too. */
LLVMValueRef arith_build_fsign(struct arith_op *o)
{
    struct arith *a = o->a;
    struct layout l = layout_of(o->type);
    LLVMValueRef v = has(o, PTX_M_ftz) ? arith_flush(a, o->src[0], o->type) : o->src[0], magnitude_bits;

    magnitude_bits = v_and(a, v, v_k(a, o->bits, l.sign - 1));
    v = o->in->op == PTX_I_abs ? magnitude_bits : v_xor(a, v, v_k(a, o->bits, l.sign));
    if (o->type == PTX_F64 || !o->a->exact_nan)
        return v;
    return v_select(a, v_icmp(a, LLVMIntUGT, magnitude_bits, v_k(a, o->bits, l.exponent)), v_k(a, o->bits, l.quiet), v);
}

/* The sign of the first, the rest of the second. */
LLVMValueRef arith_build_copysign(struct arith_op *o)
{
    return arith_as_int(
        o->a, arith_call2(o->a, "llvm.copysign", arith_as_float(o->a, o->src[1]), arith_as_float(o->a, o->src[0])));
}

LLVMValueRef arith_build_testp(struct arith_op *o)
{
    struct arith *a = o->a;
    struct layout l = layout_of(o->type);
    LLVMValueRef magnitude_bits = v_and(a, o->src[0], v_k(a, o->bits, l.sign - 1)), infinity = v_k(a, o->bits, l.exponent);
    LLVMValueRef exponent = v_and(a, magnitude_bits, infinity), zero = v_k(a, o->bits, 0), subnormal;

    if (has(o, PTX_M_finite))
        return v_icmp(a, LLVMIntULT, magnitude_bits, infinity);
    if (has(o, PTX_M_infinite))
        return v_icmp(a, LLVMIntEQ, magnitude_bits, infinity);
    if (has(o, PTX_M_number))
        return v_icmp(a, LLVMIntULE, magnitude_bits, infinity);
    if (has(o, PTX_M_notanumber))
        return v_icmp(a, LLVMIntUGT, magnitude_bits, infinity);
    subnormal = v_and(a, v_icmp(a, LLVMIntEQ, exponent, zero), v_icmp(a, LLVMIntNE, magnitude_bits, zero));
    if (has(o, PTX_M_subnormal))
        return subnormal;
    return v_and(a, v_not(a, subnormal), v_icmp(a, LLVMIntNE, exponent, infinity)); /* 0 is normal */
}
