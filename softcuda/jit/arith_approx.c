/* arith_approx.c - ex2 lg2 sin cos tanh rsqrt on f32, inline: a reduction and a polynomial.
 *
 * All are nearer to the true value than NVIDIA's hardware, and treat zeros, infinities, NaNs and subnormals as it does. The
 * polynomials were fitted for the smallest largest error (named beside each) with 50 digits. */
#include "softcuda/jit/arith_parts.h"

static LLVMValueRef f(struct arith *a, double value)
{
    return arith_fconst(a, 32, value);
}

static LLVMValueRef i32(struct arith *a, unsigned value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(a->context), value, false);
}

static LLVMValueRef infinity(struct arith *a)
{
    return f(a, __builtin_inf());
}

/* An AVX-512 operation of one or two operands that takes (values, what masked lanes hold, mask, rounding). */
static LLVMValueRef masked(struct arith *a, const char *name, const LLVMValueRef *args, unsigned nargs, const int *immediate)
{
    LLVMTypeRef piece = LLVMVectorType(LLVMFloatTypeInContext(a->context), 16);
    LLVMValueRef tail[4];
    unsigned n = 0;

    if (immediate)
        tail[n++] = i32(a, (unsigned)*immediate);
    tail[n++] = LLVMConstNull(piece);
    tail[n++] = LLVMConstInt(LLVMInt16TypeInContext(a->context), 0xffff, false);
    tail[n++] = i32(a, 4); /* round as the processor is set */
    return arith_pieces(a, name, 16, LLVMTypeOf(args[0]), args, nargs, tail, n);
}

static LLVMValueRef round_even(struct arith *a, LLVMValueRef x)
{
    return arith_call1(a, "llvm.roundeven", x);
}

/* 2^n for whole n of -126 to 127. */
static LLVMValueRef power(struct arith *a, LLVMValueRef n)
{
    return arith_as_float(a, v_shl(a, v_add(a, n, v_k(a, 32, 127)), v_k(a, 32, 23)));
}

/* p * 2^n in two steps, so that the one that may underflow rounds once; n is a whole number of -151 to 129. */
static LLVMValueRef scale(struct arith *a, LLVMValueRef p, LLVMValueRef n)
{
    LLVMValueRef whole = LLVMBuildFPToSI(a->builder, n, arith_int(a, 32), ""), half = v_ashr(a, whole, v_k(a, 32, 1));

    return v_fmul(a, v_fmul(a, p, power(a, half)), power(a, v_sub(a, whole, half)));
}

/* x = n + r, |r| <= 1/2: 2^n * (1 + r * q(r)), whole powers exact. Fitted to 2e-9. */
LLVMValueRef arith_ex2(struct arith *a, LLVMValueRef x, bool ftz)
{
    static const double q[] = { 0.000153536975036, 0.0013398896817, 0.00961843620674, 0.0555033239553, 0.240226479223,
        0.69314720291 };
    LLVMValueRef number = v_fcmp(a, LLVMRealORD, x, x), bounded = x, n, r, args[2], v;

    if (!a->avx512) {
        bounded = v_select(a, v_fcmp(a, LLVMRealOGT, x, f(a, -151)), x, f(a, -151));
        bounded = v_select(a, v_fcmp(a, LLVMRealOLT, bounded, f(a, 129)), bounded, f(a, 129));
    }
    n = round_even(a, bounded);
    r = v_fsub(a, bounded, n);
    args[0] = arith_muladd(a, r, arith_poly(a, r, q, 6), f(a, 1));
    args[1] = n;
    /* vscalef answers +inf and 0 for infinite n, whatever it scales */
    v = a->avx512 ? masked(a, "llvm.x86.avx512.mask.scalef.ps.512", args, 2, NULL) : scale(a, args[0], n);
    if (ftz)
        v = v_select(a, v_fcmp(a, LLVMRealOLT, x, f(a, -126)), f(a, 0), v);
    return v_select(a, number, v, arith_as_float(a, v_k(a, 32, ARITH_NAN32)));
}

/* exponent and mantissa of a positive number, the mantissa in [0.75, 1.5). */
static void split(struct arith *a, LLVMValueRef x, LLVMValueRef *exponent, LLVMValueRef *mantissa)
{
    if (a->avx512) {
        static const int around_one = 3;
        LLVMValueRef low;

        *exponent = masked(a, "llvm.x86.avx512.mask.getexp.ps.512", &x, 1, NULL);
        *mantissa = masked(a, "llvm.x86.avx512.mask.getmant.ps.512", &x, 1, &around_one);
        low = v_fcmp(a, LLVMRealOLT, *mantissa, f(a, 1));
        *exponent = v_select(a, low, v_fadd(a, *exponent, f(a, 1)), *exponent);
        return;
    }
    LLVMValueRef small = v_fcmp(a, LLVMRealOLT, x, f(a, 0x1p-126)), base = v_k(a, 32, 0x3f400000), bits, e;

    bits = arith_as_int(a, v_select(a, small, v_fmul(a, x, f(a, 0x1p23)), x));
    e = v_ashr(a, v_sub(a, bits, base), v_k(a, 32, 23));
    *mantissa = arith_as_float(a, v_sub(a, bits, v_shl(a, e, v_k(a, 32, 23))));
    e = v_select(a, small, v_sub(a, e, v_k(a, 32, 23)), e);
    *exponent = LLVMBuildSIToFP(a->builder, e, arith_float(a, 32), "");
}

/* log2 of the mantissa 1 + t is t * p(t), fitted to 3.8e-8. */
LLVMValueRef arith_build_lg2(struct arith_op *o)
{
    static const double p[] = { 0.0801901816587, -0.176355295298, 0.216658068534, -0.242507985613, 0.288140171623,
        -0.360582446749, 0.480903568691, -0.721348418509, 1.44269502651 };
    struct arith *a = o->a;
    LLVMValueRef x = arith_load_float(o, 0), exponent, t, v;

    split(a, x, &exponent, &t);
    t = v_fsub(a, t, f(a, 1));
    v = arith_muladd(a, t, arith_poly(a, t, p, 9), exponent);
    v = v_select(a, v_fcmp(a, LLVMRealOEQ, x, infinity(a)), x, v);
    v = v_select(a, v_fcmp(a, LLVMRealOEQ, x, f(a, 0)), f(a, -__builtin_inf()), v);
    v = v_select(a, v_fcmp(a, LLVMRealOGE, x, f(a, 0)), v, arith_as_float(a, v_k(a, 32, ARITH_NAN32)));
    return arith_as_int(a, v);
}

/* sin(2 pi g) for |g| <= 1/4, fitted to 3.4e-9. */
static LLVMValueRef quarter_sine(struct arith *a, LLVMValueRef g)
{
    static const double p[] = { 39.5366946254, -76.5497806856, 81.6010039979, -41.3416550301, 6.28318516008 };

    return v_fmul(a, g, arith_poly(a, v_fmul(a, g, g), p, 5));
}

/* In turns, and so with an error that grows with the operand, as the hardware's does; subnormals are 0 with and without .ftz. */
LLVMValueRef arith_build_sincos(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef x = arith_as_float(a, arith_flush(a, o->src[0], PTX_F32)), turns = v_fmul(a, x, f(a, 0.15915494309189535)), g,
                 part, v;

    part = v_fsub(a, turns, round_even(a, turns));
    g = arith_call1(a, "llvm.fabs", part);
    if (o->in->op == PTX_I_cos)
        return arith_store_float(o, arith_canonical(a, quarter_sine(a, v_fsub(a, f(a, 0.25), g))));
    v = v_fsub(a, f(a, 0.5), g);
    v = quarter_sine(a, v_select(a, v_fcmp(a, LLVMRealOLT, g, v), g, v));
    v = arith_call2(a, "llvm.copysign", v, part);
    v = v_select(a, v_fcmp(a, LLVMRealOEQ, turns, f(a, 0)), x, v);
    return arith_store_float(o, arith_canonical(a, v));
}

/* Below 0.6 an odd polynomial, fitted to 8e-8; above by e^-2x. */
LLVMValueRef arith_tanh(struct arith *a, LLVMValueRef x)
{
    static const double p[] = { 0.0156399714773, -0.0522307428704, 0.133135127447, -0.333326210883 };
    LLVMValueRef size = arith_call1(a, "llvm.fabs", x), square = v_fmul(a, x, x), one = f(a, 1), small, e, big;

    small = arith_muladd(a, v_fmul(a, x, square), arith_poly(a, square, p, 4), x);
    e = arith_ex2(a, v_fmul(a, size, f(a, -2.8853900817779268)), false);
    big = v_fdiv(a, v_fsub(a, one, e), v_fadd(a, one, e));
    big = v_select(a, v_fcmp(a, LLVMRealOLT, size, f(a, 0.6)), small, big);
    return arith_canonical(a, arith_call2(a, "llvm.copysign", big, x));
}

/* The 14 bits of the processor's estimate and one step of Newton's, which does not take 0 and infinity. */
LLVMValueRef arith_rsqrt(struct arith *a, LLVMValueRef x)
{
    LLVMTypeRef piece = LLVMVectorType(LLVMFloatTypeInContext(a->context), 16);
    LLVMValueRef tail[] = { LLVMConstNull(piece), LLVMConstInt(LLVMInt16TypeInContext(a->context), 0xffff, false) }, r, rest, v;

    if (!a->avx512)
        return v_fdiv(a, f(a, 1), arith_call1(a, "llvm.sqrt", x));
    r = arith_pieces(a, "llvm.x86.avx512.rsqrt14.ps.512", 16, LLVMTypeOf(x), &x, 1, tail, 2);
    rest = arith_muladd(a, v_fneg(a, v_fmul(a, x, r)), r, f(a, 1));
    v = arith_muladd(a, v_fmul(a, r, f(a, 0.5)), rest, r);
    return v_select(a, v_fcmp(a, LLVMRealORD, rest, rest), v, r);
}

/* Subnormal operands need no flush: 2^x is 1. */
LLVMValueRef arith_build_ex2(struct arith_op *o)
{
    if (o->type == PTX_F32)
        return arith_as_int(o->a, arith_ex2(o->a, arith_as_float(o->a, o->src[0]), has(o, PTX_M_ftz)));
    return arith_store_float(o, arith_ex2(o->a, arith_load_float(o, 0), false));
}

LLVMValueRef arith_build_tanh(struct arith_op *o)
{
    return arith_store_float(o, arith_tanh(o->a, arith_load_float(o, 0)));
}
