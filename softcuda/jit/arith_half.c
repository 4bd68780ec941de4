/* arith_half.c - f16 and bf16 to and from f32, and f64 to f32, in every rounding.
 *
 * bf16 is the upper half of an f32 and is handled as integers: LLVM would call a library for its own type. */
#include "softcuda/jit/arith_parts.h"

static LLVMValueRef as_half(struct arith *a, LLVMValueRef bits)
{
    return LLVMBuildBitCast(a->builder, bits, arith_float(a, 16), "");
}

LLVMValueRef arith_widen(struct arith *a, LLVMValueRef bits, enum ptx_type type)
{
    if (type == PTX_F16)
        return v_fpext(a, as_half(a, bits), 32);
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

LLVMValueRef arith_narrow(struct arith *a, LLVMValueRef f32, enum ptx_type type, enum ptx_mod rounding)
{
    LLVMValueRef v = type == PTX_F16 ? arith_as_int(a, v_fptrunc(a, f32, 16)) : nearest_bf16(a, f32), back;

    if (rounding != PTX_M_rn) {
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
    return arith_as_float(a, arith_round_fix(a, arith_as_int(a, near), v_fcmp(a, LLVMRealOLT, f64, back),
                                             v_fcmp(a, LLVMRealOGT, f64, back), rounding));
}

/* The sign of the error is all that counts; an f32's own range is too small for the error itself. */
LLVMValueRef arith_f64_to_f32_odd(struct arith *a, LLVMValueRef f64)
{
    LLVMValueRef near = v_fptrunc(a, f64, 32), back = v_fpext(a, near, 64), one = arith_fconst(a, 32, 1), sign;

    sign = v_select(a, v_fcmp(a, LLVMRealOLT, f64, back), arith_fconst(a, 32, -1), one);
    sign = v_select(a, v_fcmp(a, LLVMRealONE, f64, back), sign, arith_fconst(a, 32, 0));
    return arith_make_odd(a, near, sign);
}
