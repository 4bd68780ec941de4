/* arith_fp8.c - cvt between pairs of 8-bit floats and f16 or f32. e4m3 has no infinities, and one NaN of either sign. */
#include "softcuda/jit/arith_parts.h"

struct format { unsigned fraction, bias; uint64_t nan; double most; };

static struct format format_of(enum ptx_type type)
{
    return type == PTX_E4M3X2 ? (struct format){ 3, 7, 0x7f, 448 } : (struct format){ 2, 15, 0x7d, 57344 };
}

/* 2^n, of which f32 has a normal number. */
static LLVMValueRef power(struct arith *a, int n)
{
    return arith_as_float(a, v_k(a, 32, (uint64_t)(n + 127) << 23));
}

/* The low byte as f32: fraction and exponent in their new places, times the difference of the biases. */
static LLVMValueRef decoded(struct arith *a, LLVMValueRef v, struct format f)
{
    LLVMValueRef size = v_and(a, v, v_k(a, 32, 0x7f)), sign = v_shl(a, v_and(a, v, v_k(a, 32, 0x80)), v_k(a, 32, 24)), scaled, special;

    scaled = arith_as_float(a, v_shl(a, size, v_k(a, 32, 23 - f.fraction)));
    scaled = arith_as_int(a, v_fmul(a, scaled, power(a, 127 - (int)f.bias)));
    if (f.fraction == 2)    /* 0x7c: infinity */
        scaled = v_select(a, v_icmp(a, LLVMIntEQ, size, v_k(a, 32, 0x7c)), v_k(a, 32, 0x7f800000), scaled);
    special = v_icmp(a, LLVMIntUGE, size, v_k(a, 32, f.nan));
    return arith_as_float(a, v_or(a, v_select(a, special, v_k(a, 32, ARITH_NAN32), scaled), sign));
}

/* To nearest; what is too large, infinity too, becomes the largest number. */
static LLVMValueRef encoded(struct arith *a, LLVMValueRef x, struct format f)
{
    unsigned cut = 23 - f.fraction;
    LLVMValueRef v = arith_as_int(a, x), size = v_and(a, v, v_k(a, 32, 0x7fffffff)), sign, odd, normal, small, is_small, result;

    sign = v_and(a, v_lshr(a, v, v_k(a, 32, 24)), v_k(a, 32, 0x80));
    size = arith_call2(a, "llvm.umin", size, arith_as_int(a, arith_fconst(a, 32, f.most)));
    odd = v_and(a, v_lshr(a, size, v_k(a, 32, cut)), v_k(a, 32, 1));
    normal = v_lshr(a, v_add(a, size, v_add(a, odd, v_k(a, 32, (1u << (cut - 1)) - 1))), v_k(a, 32, cut));
    normal = v_sub(a, normal, v_k(a, 32, (127 - f.bias) << f.fraction));
    /* Subnormals count units: adding 2^23 of them leaves the count in the low bits, rounded. */
    small = v_fmul(a, arith_as_float(a, size), power(a, (int)(f.bias - 1 + f.fraction)));
    small = v_and(a, arith_as_int(a, v_fadd(a, small, power(a, 23))), v_k(a, 32, 0xff));
    is_small = v_icmp(a, LLVMIntULT, size, v_k(a, 32, (uint64_t)(128 - f.bias) << 23));
    result = v_or(a, v_select(a, is_small, small, normal), sign);
    return v_select(a, v_fcmp(a, LLVMRealUNO, x, x), v_k(a, 32, 0x7f), result);
}

static LLVMValueRef relu(struct arith_op *o, LLVMValueRef x)
{
    LLVMValueRef zero = arith_fconst(o->a, 32, 0);

    return has(o, PTX_M_relu) ? v_select(o->a, v_fcmp(o->a, LLVMRealUGT, x, zero), x, zero) : x;
}

/* cvt.rn.f16x2.e4m3x2 d, a: the upper byte becomes the upper half. */
LLVMValueRef arith_build_cvt_from_fp8(struct arith_op *o)
{
    struct arith *a = o->a;
    struct format f = format_of(o->in->types[1]);
    LLVMValueRef v = v_zext(a, o->src[0], 32), half[2];

    for (unsigned i = 0; i < 2; i++) {
        half[i] = relu(o, decoded(a, v_lshr(a, v, v_k(a, 32, 8 * i)), f));
        half[i] = v_zext(a, arith_narrow(a, half[i], PTX_F16, PTX_M_rn), 32);
    }
    return v_or(a, v_shl(a, half[1], v_k(a, 32, 16)), half[0]);
}

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b: a becomes the upper byte. Or of one f16x2. */
LLVMValueRef arith_build_cvt_to_fp8(struct arith_op *o)
{
    struct arith *a = o->a;
    struct format f = format_of(o->in->types[0]);
    LLVMValueRef byte[2], x;

    for (unsigned i = 0; i < 2; i++) {
        if (o->in->types[1] == PTX_F32)
            x = arith_as_float(a, o->src[1 - i]);
        else
            x = arith_widen(a, v_trunc(a, v_lshr(a, o->src[0], v_k(a, 32, 16 * i)), 16), PTX_F16);
        byte[i] = encoded(a, relu(o, x), f);
    }
    return v_trunc(a, v_or(a, v_shl(a, byte[1], v_k(a, 32, 8)), byte[0]), 16);
}
