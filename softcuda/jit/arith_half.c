/* arith_half.c - f16 and bf16 to and from f32, and f64 to f32, in every rounding.
 *
 * bf16 is the upper half of an f32 and is handled as integers: LLVM would call a library for its own type. */
#include "softcuda/jit/arith_parts.h"

/* f16 as the processor converts it; an fpext would be seen through, and what follows then done on halves, one by one. */
static LLVMValueRef widen_f16_avx512(struct arith *a, LLVMValueRef bits)
{
    LLVMTypeRef piece = LLVMVectorType(LLVMFloatTypeInContext(a->context), 16);
    LLVMValueRef tail[] = { LLVMConstNull(piece), LLVMConstInt(LLVMInt16TypeInContext(a->context), 0xffff, false),
        LLVMConstInt(LLVMInt32TypeInContext(a->context), 4, false) };

    return arith_pieces(a, "llvm.x86.avx512.mask.vcvtph2ps.512", 16, arith_float(a, 32), &bits, 1, tail, 3);
}

/* The fraction and exponent in their new places, times the difference of the biases; infinities and NaNs get all of it. */
static LLVMValueRef widen_f16(struct arith *a, LLVMValueRef bits)
{
    LLVMValueRef h = v_zext(a, bits, 32), size = v_shl(a, v_and(a, h, v_k(a, 32, 0x7fff)), v_k(a, 32, 13)),
                 full = v_k(a, 32, 0x7f800000);
    LLVMValueRef sign = v_shl(a, v_and(a, h, v_k(a, 32, 0x8000)), v_k(a, 32, 16)), scaled, special;

    scaled = arith_as_int(a, v_fmul(a, arith_as_float(a, size), arith_fconst(a, 32, 0x1p112)));
    special = v_icmp(a, LLVMIntUGE, size, v_k(a, 32, 0x7c00 << 13));
    return arith_as_float(a, v_or(a, sign, v_select(a, special, v_or(a, size, full), scaled)));
}

LLVMValueRef arith_widen(struct arith *a, LLVMValueRef bits, enum ptx_type type)
{
    if (type == PTX_F16)
        return a->avx512 ? widen_f16_avx512(a, bits) : widen_f16(a, bits);
    return arith_as_float(a, v_shl(a, v_zext(a, bits, 32), v_k(a, 32, 16)));
}

/* Not of NaNs. */
static LLVMValueRef nearest_bf16(struct arith *a, LLVMValueRef f32)
{
    LLVMValueRef v = arith_as_int(a, f32), sixteen = v_k(a, 32, 16);
    LLVMValueRef odd = v_and(a, v_lshr(a, v, sixteen), v_k(a, 32, 1));

    v = v_add(a, v, v_add(a, odd, v_k(a, 32, 0x7fff)));
    return v_trunc(a, v_lshr(a, v, sixteen), 16);
}

/* In the rounding that is asked for; only rn without AVX-512. */
static LLVMValueRef narrow_f16(struct arith *a, LLVMValueRef f32, enum ptx_mod rounding)
{
    unsigned control = rounding == PTX_M_rm ? 1 : rounding == PTX_M_rp ? 2 : rounding == PTX_M_rz ? 3 : 0;
    LLVMTypeRef piece = LLVMVectorType(LLVMInt16TypeInContext(a->context), 16);
    LLVMValueRef tail[] = { LLVMConstInt(LLVMInt32TypeInContext(a->context), control, false), LLVMConstNull(piece),
        LLVMConstInt(LLVMInt16TypeInContext(a->context), 0xffff, false) };

    if (!a->avx512)
        return arith_as_int(a, v_fptrunc(a, f32, 16));
    return arith_pieces(a, "llvm.x86.avx512.mask.vcvtps2ph.512", 16, arith_int(a, 16), &f32, 1, tail, 3);
}

LLVMValueRef arith_narrow(struct arith *a, LLVMValueRef f32, enum ptx_type type, enum ptx_mod rounding)
{
    LLVMValueRef v = type == PTX_F16 ? narrow_f16(a, f32, rounding) : nearest_bf16(a, f32), back;

    if (rounding != PTX_M_rn && !(type == PTX_F16 && a->avx512)) {
        back = arith_widen(a, v, type);
        v = arith_round_fix(a, v, v_fcmp(a, LLVMRealOLT, f32, back), v_fcmp(a, LLVMRealOGT, f32, back), rounding);
    }
    return v_select(a, v_fcmp(a, LLVMRealUNO, f32, f32), v_k(a, 16, ARITH_NAN16), v);
}

LLVMValueRef arith_f64_to_f32(struct arith *a, LLVMValueRef f64, enum ptx_mod rounding)
{
    LLVMValueRef near = v_fptrunc(a, f64, 32), back;

    if (rounding == PTX_M_rn)
        return near;
    back = v_fpext(a, near, 64);
    return arith_as_float(a,
        arith_round_fix(
            a, arith_as_int(a, near), v_fcmp(a, LLVMRealOLT, f64, back), v_fcmp(a, LLVMRealOGT, f64, back), rounding));
}

/* The sign of the error is all that counts; an f32's own range is too small for the error itself. */
LLVMValueRef arith_f64_to_f32_odd(struct arith *a, LLVMValueRef f64)
{
    LLVMValueRef near = v_fptrunc(a, f64, 32), back = v_fpext(a, near, 64), one = arith_fconst(a, 32, 1), sign;

    sign = v_select(a, v_fcmp(a, LLVMRealOLT, f64, back), arith_fconst(a, 32, -1), one);
    sign = v_select(a, v_fcmp(a, LLVMRealONE, f64, back), sign, arith_fconst(a, 32, 0));
    return arith_make_odd(a, near, sign);
}
