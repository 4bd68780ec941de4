/* arith_round.c - add sub mul div sqrt fma with each of the four roundings.
 *
 * To nearest is what LLVM's own operations do. The directed ones: AVX-512 has instructions that carry their rounding. Without it
 * f32 is computed in f64, rounded to nearest, and moved by one where that went past the exact value; f64 calls the runtime. */
#include "softcuda/jit/arith_parts.h"

#include <stdio.h>

static LLVMValueRef i32(struct arith *a, unsigned value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(a->context), value, false);
}

static LLVMValueRef nearest(struct arith *a, enum arith_rounded op, const LLVMValueRef *args)
{
    switch (op) {
    case ARITH_ADD:
        return v_fadd(a, args[0], args[1]);
    case ARITH_SUB:
        return v_fsub(a, args[0], args[1]);
    case ARITH_MUL:
        return v_fmul(a, args[0], args[1]);
    case ARITH_DIV:
        return v_fdiv(a, args[0], args[1]);
    case ARITH_SQRT:
        return arith_call1(a, "llvm.sqrt", args[0]);
    default:
        return arith_call3(a, "llvm.fma", args[0], args[1], args[2]);
    }
}

static unsigned operands(enum arith_rounded op)
{
    return op == ARITH_FMA ? 3 : op == ARITH_SQRT ? 1 : 2;
}

static LLVMValueRef embedded(struct arith *a, enum arith_rounded op, enum ptx_mod rounding, const LLVMValueRef *args)
{
    static const char *const names[] = { "add", "sub", "mul", "div", "sqrt", "vfmadd" };
    LLVMValueRef control = i32(a, rounding == PTX_M_rm ? 9 : rounding == PTX_M_rp ? 10 : 11); /* with exceptions suppressed */
    char name[48];

    snprintf(name, sizeof(name), "llvm.x86.avx512.%s.%s.512", names[op], arith_bits(args[0]) == 32 ? "ps" : "pd");
    return arith_pieces(a, name, 512 / arith_bits(args[0]), LLVMTypeOf(args[0]), args, operands(op), &control, 1);
}

LLVMValueRef arith_add_error(struct arith *a, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum)
{
    LLVMValueRef y1 = v_fsub(a, sum, x), x1 = v_fsub(a, sum, y1);

    return v_fadd(a, v_fsub(a, x, x1), v_fsub(a, y, y1));
}

LLVMValueRef arith_make_odd(struct arith *a, LLVMValueRef rounded, LLVMValueRef error)
{
    unsigned bits = arith_bits(rounded);
    LLVMValueRef zero = v_k(a, bits, 0), one = v_k(a, bits, 1), r = arith_as_int(a, rounded);
    LLVMValueRef inexact = v_fcmp(a, LLVMRealONE, error, arith_fconst(a, bits, 0));
    LLVMValueRef too_big = v_icmp(a, LLVMIntSLT, v_xor(a, r, arith_as_int(a, error)), zero);
    LLVMValueRef odd = v_or(a, v_select(a, too_big, v_sub(a, r, one), r), one);

    return arith_as_float(a, v_select(a, inexact, odd, r));
}

/* The next float below, as bits; minus the smallest subnormal below a zero. */
static LLVMValueRef next_down(struct arith *a, LLVMValueRef v)
{
    unsigned bits = arith_bits(v);
    LLVMValueRef zero = v_k(a, bits, 0), one = v_k(a, bits, 1), sign = v_k(a, bits, 1ull << (bits - 1)), next;

    next = v_select(a, v_icmp(a, LLVMIntSLT, v, zero), v_add(a, v, one), v_sub(a, v, one));
    return v_select(a, v_icmp(a, LLVMIntEQ, v_or(a, v, sign), sign), v_or(a, sign, one), next);
}

static LLVMValueRef next_up(struct arith *a, LLVMValueRef v)
{
    unsigned bits = arith_bits(v);
    LLVMValueRef sign = v_k(a, bits, 1ull << (bits - 1));

    return v_xor(a, next_down(a, v_xor(a, v, sign)), sign);
}

LLVMValueRef arith_round_fix(struct arith *a, LLVMValueRef v, LLVMValueRef below, LLVMValueRef above, enum ptx_mod rounding)
{
    LLVMValueRef negative, past;

    switch (rounding) {
    case PTX_M_rm:
        return v_select(a, below, next_down(a, v), v);
    case PTX_M_rp:
        return v_select(a, above, next_up(a, v), v);
    case PTX_M_rz: /* towards zero is one less in the bits, whatever the sign */
        negative = v_icmp(a, LLVMIntSLT, v, v_k(a, arith_bits(v), 0));
        past = v_select(a, negative, above, below);
        past = v_and(a, past, v_icmp(a, LLVMIntNE, v_shl(a, v, v_k(a, arith_bits(v), 1)), v_k(a, arith_bits(v), 0)));
        return v_select(a, past, v_sub(a, v, v_k(a, arith_bits(v), 1)), v);
    default:
        return v;
    }
}

/* A sum that is exactly 0 has, rounded down, the sign - unless both addends are +0. */
static LLVMValueRef zero_down(struct arith *a, LLVMValueRef v, LLVMValueRef sum, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef none = v_fcmp(a, LLVMRealOEQ, sum, arith_fconst(a, 64, 0));
    LLVMValueRef signs = v_or(a, arith_as_int(a, v_fptrunc(a, x, 32)), arith_as_int(a, v_fptrunc(a, y, 32)));

    return v_select(a, none, v_and(a, signs, v_k(a, 32, 0x80000000)), v);
}

static LLVMValueRef sum_f32(struct arith *a, LLVMValueRef x, LLVMValueRef y, enum ptx_mod rounding)
{
    LLVMValueRef sum = v_fadd(a, x, y), error = arith_add_error(a, x, y, sum), zero = arith_fconst(a, 64, 0);
    LLVMValueRef near = v_fptrunc(a, sum, 32), rest = v_fsub(a, sum, v_fpext(a, near, 64)), exact, below, above, v;

    exact = v_fcmp(a, LLVMRealOEQ, rest, zero);
    below = v_or(a, v_fcmp(a, LLVMRealOLT, rest, zero), v_and(a, exact, v_fcmp(a, LLVMRealOLT, error, zero)));
    above = v_or(a, v_fcmp(a, LLVMRealOGT, rest, zero), v_and(a, exact, v_fcmp(a, LLVMRealOGT, error, zero)));
    v = arith_round_fix(a, arith_as_int(a, near), below, above, rounding);
    return rounding == PTX_M_rm ? zero_down(a, v, sum, x, y) : v;
}

/* quotient or root, told by what is left: x - near * y has the sign of the error, times the sign of y. */
static LLVMValueRef residual_f32(struct arith *a, LLVMValueRef result, LLVMValueRef x, LLVMValueRef y, enum ptx_mod rounding)
{
    LLVMValueRef near = v_fptrunc(a, result, 32), wide = v_fpext(a, near, 64), zero = arith_fconst(a, 64, 0);
    LLVMValueRef rest = v_fsub(a, x, v_fmul(a, wide, y ? y : wide)), below, above;

    if (y)
        rest = v_select(a, v_fcmp(a, LLVMRealOLT, y, zero), v_fneg(a, rest), rest);
    below = v_fcmp(a, LLVMRealOLT, rest, zero);
    above = v_fcmp(a, LLVMRealOGT, rest, zero);
    return arith_round_fix(a, arith_as_int(a, near), below, above, rounding);
}

static LLVMValueRef emulated_f32(struct arith *a, enum arith_rounded op, enum ptx_mod rounding, const LLVMValueRef *args)
{
    LLVMValueRef x = v_fpext(a, args[0], 64), y = operands(op) > 1 ? v_fpext(a, args[1], 64) : NULL;

    switch (op) {
    case ARITH_ADD:
        return sum_f32(a, x, y, rounding);
    case ARITH_SUB:
        return sum_f32(a, x, v_fneg(a, y), rounding);
    case ARITH_MUL:
        return arith_as_int(a, arith_f64_to_f32(a, v_fmul(a, x, y), rounding));
    case ARITH_DIV:
        return residual_f32(a, v_fdiv(a, x, y), x, y, rounding);
    case ARITH_SQRT:
        return residual_f32(a, arith_call1(a, "llvm.sqrt", x), x, NULL, rounding);
    default:
        return sum_f32(a, v_fmul(a, x, y), v_fpext(a, args[2], 64), rounding);
    }
}

/* The runtime's function takes three operands always, and what to do: operation * 4 + rounding. */
static LLVMValueRef called_f64(struct arith *a, enum arith_rounded op, enum ptx_mod rounding, const LLVMValueRef *args)
{
    unsigned mode = rounding == PTX_M_rm ? 1 : rounding == PTX_M_rp ? 2 : 3;
    LLVMValueRef all[4];

    for (unsigned i = 0; i < 3; i++)
        all[i] = i < operands(op) ? arith_as_int(a, args[i]) : v_k(a, 64, 0);
    all[3] = v_k(a, 32, op * 4u + mode);
    return arith_each_lane(a, "arith_rt_round", 64, all, 4);
}

LLVMValueRef arith_round(struct arith *a, enum arith_rounded op, enum ptx_mod rounding, const LLVMValueRef *args)
{
    if (rounding == PTX_M_rn)
        return nearest(a, op, args);
    if (a->avx512)
        return embedded(a, op, rounding, args);
    return arith_as_float(a, arith_bits(args[0]) == 32 ? emulated_f32(a, op, rounding, args) : called_f64(a, op, rounding, args));
}
