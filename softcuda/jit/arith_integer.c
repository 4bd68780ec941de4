/* arith_integer.c - integer arithmetic; division through floating point, where that is exact. */
#include "softcuda/jit/arith_parts.h"

static bool is_signed(const struct arith_op *o)
{
    return ptx_type_is_signed(o->type);
}

/* What a sum that overflowed should have been: the end of the range on the side of the overflow. */
static LLVMValueRef saturated(struct arith_op *o, const char *signed_name, const char *unsigned_name)
{
    return arith_call2(o->a, is_signed(o) ? signed_name : unsigned_name, o->src[0], o->src[1]);
}

/* x + y + carry-in. *carry: read if in, written if out; NULL where neither is asked for. */
static LLVMValueRef add_carry(struct arith *a, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *carry, bool in, bool out)
{
    LLVMValueRef sum = v_add(a, x, y), over = NULL;

    if (out)
        over = v_icmp(a, LLVMIntULT, sum, x);
    if (in) {
        LLVMValueRef more = v_add(a, sum, v_zext(a, *carry, arith_bits(x)));

        if (out)
            over = v_or(a, over, v_icmp(a, LLVMIntULT, more, sum));
        sum = more;
    }
    if (out)
        *carry = over;
    return sum;
}

/* x - y - borrow-in. */
static LLVMValueRef sub_borrow(struct arith *a, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *borrow, bool in, bool out)
{
    LLVMValueRef difference = v_sub(a, x, y), under = NULL;

    if (out)
        under = v_icmp(a, LLVMIntULT, x, y);
    if (in) {
        LLVMValueRef less = v_sub(a, difference, v_zext(a, *borrow, arith_bits(x)));

        if (out)
            under = v_or(a, under, v_icmp(a, LLVMIntUGT, less, difference));
        difference = less;
    }
    if (out)
        *borrow = under;
    return difference;
}

LLVMValueRef arith_build_iadd(struct arith_op *o)
{
    bool in = o->in->op == PTX_I_addc || o->in->op == PTX_I_subc, out = has(o, PTX_M_cc);

    if (o->in->op == PTX_I_add || o->in->op == PTX_I_addc)
        return has(o, PTX_M_sat) ? saturated(o, "llvm.sadd.sat", "llvm.uadd.sat")
                                 : add_carry(o->a, o->src[0], o->src[1], o->carry, in, out);
    return has(o, PTX_M_sat) ? saturated(o, "llvm.ssub.sat", "llvm.usub.sat")
                             : sub_borrow(o->a, o->src[0], o->src[1], o->carry, in, out);
}

/* The high half of an unsigned product of 64 bits, by halves of 32: no vector unit has it whole. */
static LLVMValueRef umulhi64(struct arith *a, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef low = v_k(a, 64, UINT32_MAX), half = v_k(a, 64, 32);
    LLVMValueRef x0 = v_and(a, x, low), x1 = v_lshr(a, x, half), y0 = v_and(a, y, low), y1 = v_lshr(a, y, half);
    LLVMValueRef middle = v_add(a, v_mul(a, x1, y0), v_lshr(a, v_mul(a, x0, y0), half));
    LLVMValueRef other = v_add(a, v_mul(a, x0, y1), v_and(a, middle, low));

    return v_add(a, v_add(a, v_mul(a, x1, y1), v_lshr(a, middle, half)), v_lshr(a, other, half));
}

static LLVMValueRef mulhi64(struct arith *a, LLVMValueRef x, LLVMValueRef y, bool sign)
{
    LLVMValueRef high = umulhi64(a, x, y), last = v_k(a, 64, 63);

    if (!sign)
        return high;
    high = v_sub(a, high, v_and(a, v_ashr(a, x, last), y));
    return v_sub(a, high, v_and(a, v_ashr(a, y, last), x));
}

static LLVMValueRef wide_product(struct arith *a, LLVMValueRef x, LLVMValueRef y, unsigned bits, bool sign)
{
    return v_mul(a, arith_ext(a, x, bits, sign), arith_ext(a, y, bits, sign));
}

/* .lo, .hi or .wide. */
static LLVMValueRef product(struct arith_op *o)
{
    struct arith *a = o->a;
    unsigned bits = o->bits;

    if (has(o, PTX_M_wide))
        return wide_product(a, o->src[0], o->src[1], 2 * bits, is_signed(o));
    if (has(o, PTX_M_lo))
        return v_mul(a, o->src[0], o->src[1]);
    if (bits == 64 && a->lanes > 1)
        return mulhi64(a, o->src[0], o->src[1], is_signed(o));
    return v_trunc(a, v_lshr(a, wide_product(a, o->src[0], o->src[1], 2 * bits, is_signed(o)), v_k(a, 2 * bits, bits)), bits);
}

LLVMValueRef arith_build_imul(struct arith_op *o)
{
    return product(o);
}

LLVMValueRef arith_build_mad(struct arith_op *o)
{
    LLVMValueRef p = product(o);

    if (has(o, PTX_M_sat))
        return arith_call2(o->a, "llvm.sadd.sat", p, o->src[2]);
    return add_carry(o->a, p, o->src[2], o->carry, o->in->op == PTX_I_madc, has(o, PTX_M_cc));
}

/* Bits 0 to 31 or 16 to 47 of the product of the operands' low 24 bits. */
LLVMValueRef arith_build_mul24(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef x = v_shl(a, o->src[0], v_k(a, 32, 8)), y = v_shl(a, o->src[1], v_k(a, 32, 8)), p;

    x = is_signed(o) ? v_ashr(a, x, v_k(a, 32, 8)) : v_lshr(a, x, v_k(a, 32, 8));
    y = is_signed(o) ? v_ashr(a, y, v_k(a, 32, 8)) : v_lshr(a, y, v_k(a, 32, 8));
    if (has(o, PTX_M_lo))
        p = v_mul(a, x, y);
    else
        p = v_trunc(a, v_lshr(a, wide_product(a, x, y, 64, is_signed(o)), v_k(a, 64, 16)), 32);
    if (o->nsrc < 3)
        return p;
    return has(o, PTX_M_sat) ? arith_call2(a, "llvm.sadd.sat", p, o->src[2]) : v_add(a, p, o->src[2]);
}

LLVMValueRef arith_build_sad(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef more = v_icmp(a, is_signed(o) ? LLVMIntSGT : LLVMIntUGT, o->src[0], o->src[1]);
    LLVMValueRef d = v_select(a, more, v_sub(a, o->src[0], o->src[1]), v_sub(a, o->src[1], o->src[0]));

    return v_add(a, d, o->src[2]);
}

static LLVMValueRef int_to_float(struct arith *a, LLVMValueRef x, unsigned bits, bool sign)
{
    return sign ? LLVMBuildSIToFP(a->builder, x, arith_float(a, bits), "")
                : LLVMBuildUIToFP(a->builder, x, arith_float(a, bits), "");
}

static LLVMValueRef float_to_int(struct arith *a, LLVMValueRef x, unsigned bits, bool sign)
{
    return sign ? LLVMBuildFPToSI(a->builder, x, arith_int(a, bits), "") : LLVMBuildFPToUI(a->builder, x, arith_int(a, bits), "");
}

/* A quotient; y is not 0, and no overflow comes of x and y. 32 bits are exact through f64 and 16 through f32: a quotient that is
 * not whole lies further from the next whole number than a rounding goes. */
static LLVMValueRef quotient(struct arith *a, LLVMValueRef x, LLVMValueRef y, bool sign)
{
    unsigned bits = arith_bits(x);
    bool simple = a->lanes == 1 || bits == 64 || LLVMIsConstant(y);

    if (simple)
        return sign ? v_sdiv(a, x, y) : v_udiv(a, x, y);
    if (bits == 16) {
        x = arith_ext(a, x, 32, sign);
        y = arith_ext(a, y, 32, sign);
        return v_trunc(a, float_to_int(a, v_fdiv(a, int_to_float(a, x, 32, true), int_to_float(a, y, 32, true)), 32, true), 16);
    }
    return float_to_int(a, v_fdiv(a, int_to_float(a, x, 64, sign), int_to_float(a, y, 64, sign)), bits, sign);
}

/* Division by 0 answers all ones, as the hardware does; the smallest number divided by -1 is itself, and the remainder 0. */
LLVMValueRef arith_build_idiv(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef x = o->src[0], y = o->src[1], safe, q, result;
    LLVMValueRef zero = v_k(a, o->bits, 0), one = v_k(a, o->bits, 1), ones = v_k(a, o->bits, UINT64_MAX);
    LLVMValueRef by_zero = v_icmp(a, LLVMIntEQ, y, zero), negates = NULL;

    safe = v_select(a, by_zero, one, y);
    if (is_signed(o)) {
        negates = v_icmp(a, LLVMIntEQ, y, ones);
        safe = v_select(a, negates, one, safe);
    }
    q = quotient(a, x, safe, is_signed(o));
    if (o->in->op == PTX_I_rem)
        result = v_sub(a, x, v_mul(a, q, safe));
    else
        result = negates ? v_select(a, negates, v_neg(a, q), q) : q;
    return v_select(a, by_zero, ones, result);
}

LLVMValueRef arith_build_iminmax(struct arith_op *o)
{
    bool max = o->in->op == PTX_I_max;
    const char *name = is_signed(o) ? (max ? "llvm.smax" : "llvm.smin") : (max ? "llvm.umax" : "llvm.umin");
    LLVMValueRef v = arith_call2(o->a, name, o->src[0], o->src[1]);

    return has(o, PTX_M_relu) ? arith_call2(o->a, "llvm.smax", v, v_k(o->a, o->bits, 0)) : v;
}

LLVMValueRef arith_build_iabs(struct arith_op *o)
{
    return v_select(o->a, v_icmp(o->a, LLVMIntSLT, o->src[0], v_k(o->a, o->bits, 0)), v_neg(o->a, o->src[0]), o->src[0]);
}

LLVMValueRef arith_build_ineg(struct arith_op *o)
{
    return v_neg(o->a, o->src[0]);
}
