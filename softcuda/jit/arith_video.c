/* arith_video.c - the video instructions: parts of words, wider intermediate results, a second operation. */
#include "softcuda/jit/arith_parts.h"

static bool is_signed(const struct arith_op *o, unsigned type)
{
    return ptx_type_is_signed(o->in->types[type]);
}

/* vset is written without a type of the destination: unsigned. */
static bool destination_signed(const struct arith_op *o)
{
    return o->in->ntypes == 3 && is_signed(o, 0);
}

static unsigned part_bits(uint32_t part)
{
    return part == 0 ? 32 : part & PTX_PART_HALVES ? 16 : 8;
}

/* The lowest bits of v, as to bits. */
static LLVMValueRef extend(struct arith *a, LLVMValueRef v, unsigned bits, bool sign, unsigned to)
{
    v = arith_ext(a, v, to, false);
    if (bits == to)
        return v;
    v = v_shl(a, v, v_k(a, to, to - bits));
    return sign ? v_ashr(a, v, v_k(a, to, to - bits)) : v_lshr(a, v, v_k(a, to, to - bits));
}

/* Operand i (1: a, 2: b), the part of it that is chosen, in 64 bits. */
static LLVMValueRef operand(struct arith_op *o, unsigned i)
{
    struct arith *a = o->a;
    uint32_t part = o->in->ops[i].part;
    unsigned bits = part_bits(part), first = part ? PTX_PART_DIGIT(part, 0) * bits : 0;
    bool sign = is_signed(o, o->in->ntypes - 3 + i);

    return extend(a, v_lshr(a, o->src[i - 1], v_k(a, 32, first)), bits, sign, 64);
}

static LLVMValueRef clamp_to(struct arith *a, LLVMValueRef v, unsigned bits, bool sign)
{
    unsigned n = arith_bits(v);
    uint64_t low = sign ? UINT64_MAX << (bits - 1) : 0, high = UINT64_MAX >> (64 - bits + sign);

    return arith_clamp(a, v, v_k(a, n, low), v_k(a, n, high), true);
}

static LLVMValueRef compare(struct arith_op *o, LLVMValueRef x, LLVMValueRef y)
{
    static const struct {
        enum ptx_mod mod;
        LLVMIntPredicate predicate;
    } comparisons[] = {
        { PTX_M_eq, LLVMIntEQ },
        { PTX_M_ne, LLVMIntNE },
        { PTX_M_lt, LLVMIntSLT },
        { PTX_M_le, LLVMIntSLE },
        { PTX_M_gt, LLVMIntSGT },
    };
    LLVMIntPredicate p = LLVMIntSGE;

    for (unsigned i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++)
        if (has(o, comparisons[i].mod))
            p = comparisons[i].predicate;
    return v_zext(o->a, v_icmp(o->a, p, x, y), arith_bits(x));
}

static LLVMValueRef shifted(struct arith_op *o, LLVMValueRef x, LLVMValueRef by, bool left)
{
    struct arith *a = o->a;

    by = has(o, PTX_M_wrap) ? v_and(a, by, v_k(a, 64, 31)) : arith_call2(a, "llvm.umin", by, v_k(a, 64, 32));
    return left ? v_shl(a, x, by) : v_ashr(a, x, by);
}

static LLVMValueRef average(struct arith *a, LLVMValueRef x, LLVMValueRef y)
{
    unsigned bits = arith_bits(x);
    LLVMValueRef sum = v_add(a, x, y), up = v_icmp(a, LLVMIntSGE, sum, v_k(a, bits, 0));

    return v_ashr(a, v_add(a, sum, v_zext(a, up, bits)), v_k(a, bits, 1));
}

/* x and y are wide enough that nothing overflows. */
static LLVMValueRef first_operation(struct arith_op *o, LLVMValueRef x, LLVMValueRef y)
{
    struct arith *a = o->a;

    switch (o->in->op) {
    case PTX_I_vadd:
    case PTX_I_vadd2:
    case PTX_I_vadd4:
        return v_add(a, x, y);
    case PTX_I_vsub:
    case PTX_I_vsub2:
    case PTX_I_vsub4:
        return v_sub(a, x, y);
    case PTX_I_vabsdiff:
    case PTX_I_vabsdiff2:
    case PTX_I_vabsdiff4:
        return v_select(a, v_icmp(a, LLVMIntSGT, x, y), v_sub(a, x, y), v_sub(a, y, x));
    case PTX_I_vmin:
    case PTX_I_vmin2:
    case PTX_I_vmin4:
        return arith_call2(a, "llvm.smin", x, y);
    case PTX_I_vmax:
    case PTX_I_vmax2:
    case PTX_I_vmax4:
        return arith_call2(a, "llvm.smax", x, y);
    case PTX_I_vavrg2:
    case PTX_I_vavrg4:
        return average(a, x, y);
    case PTX_I_vshl:
    case PTX_I_vshr:
        return shifted(o, x, y, o->in->op == PTX_I_vshl);
    default:
        return compare(o, x, y);
    }
}

/* a * b + c, plus one with .po, scaled; clamped as what the operands make it, signed or not. */
static LLVMValueRef multiply_add(struct arith_op *o, LLVMValueRef x, LLVMValueRef y)
{
    struct arith *a = o->a;
    bool sign = is_signed(o, 1) || is_signed(o, 2);
    LLVMValueRef v = v_add(a, v_mul(a, x, y), arith_ext(a, o->src[2], 64, sign)), scale;

    if (has(o, PTX_M_po))
        v = v_add(a, v, v_k(a, 64, 1));
    scale = v_k(a, 64, has(o, PTX_M_shr7) ? 7 : has(o, PTX_M_shr15) ? 15 : 0);
    v = sign ? v_ashr(a, v, scale) : v_lshr(a, v, scale);
    if (has(o, PTX_M_sat))
        v = sign ? clamp_to(a, v, 32, true) : arith_call2(a, "llvm.umin", v, v_k(a, 64, UINT32_MAX));
    return v_trunc(a, v, 32);
}

/* add, min or max with c; or the rest of c around the part that the result replaces. */
static LLVMValueRef second_operation(struct arith_op *o, LLVMValueRef v)
{
    struct arith *a = o->a;
    uint32_t part = o->in->ops[0].part;
    unsigned bits = part_bits(part);
    bool sign = destination_signed(o);

    if (o->nsrc < 3)
        return v;
    if (has(o, PTX_M_add))
        return v_add(a, v, o->src[2]);
    if (has(o, PTX_M_min))
        return arith_call2(a, sign ? "llvm.smin" : "llvm.umin", v, o->src[2]);
    if (has(o, PTX_M_max))
        return arith_call2(a, sign ? "llvm.smax" : "llvm.umax", v, o->src[2]);
    if (!part)
        return v;

    unsigned first = PTX_PART_DIGIT(part, 0) * bits;
    uint32_t mask = (UINT32_MAX >> (32 - bits)) << first;

    v = v_and(a, v_shl(a, v, v_k(a, 32, first)), v_k(a, 32, mask));
    return v_or(a, v, v_and(a, o->src[2], v_k(a, 32, ~mask)));
}

LLVMValueRef arith_build_video(struct arith_op *o)
{
    LLVMValueRef x = operand(o, 1), y = operand(o, 2), v;

    if (o->in->op == PTX_I_vmad)
        return multiply_add(o, x, y);
    v = first_operation(o, x, y);
    if (has(o, PTX_M_sat))
        v = clamp_to(o->a, v, part_bits(o->in->ops[0].part), destination_signed(o));
    return second_operation(o, v_trunc(o->a, v, 32));
}

/* Lane number lane of operand i (1: a, 2: b). A written choice counts through a and b; without one each is its own. */
static LLVMValueRef simd_operand(struct arith_op *o, unsigned i, unsigned lane, unsigned bits)
{
    struct arith *a = o->a;
    unsigned lanes = 32 / bits;
    uint32_t part = o->in->ops[i].part;
    unsigned digit = part ? PTX_PART_DIGIT(part, lane) : lane + (i - 1) * lanes;
    LLVMValueRef word = o->src[digit / lanes & 1];

    return extend(a, v_lshr(a, word, v_k(a, 32, digit % lanes * bits)), bits, is_signed(o, o->in->ntypes - 3 + i), 32);
}

static bool lane_chosen(uint32_t mask, unsigned lane)
{
    if (!mask)
        return true;
    for (unsigned i = 0; i < PTX_PART_COUNT(mask); i++)
        if (PTX_PART_DIGIT(mask, i) == lane)
            return true;
    return false;
}

/* Two halves or four bytes at once. Lanes that the destination does not name are c's; with .add all are added up, and c. */
LLVMValueRef arith_build_simd(struct arith_op *o)
{
    static const enum ptx_op halves[] = { PTX_I_vadd2, PTX_I_vsub2, PTX_I_vabsdiff2, PTX_I_vmin2, PTX_I_vmax2, PTX_I_vavrg2,
        PTX_I_vset2 };
    struct arith *a = o->a;
    unsigned bits = 8;
    LLVMValueRef sum = o->src[2], merged = v_k(a, 32, 0);

    for (unsigned i = 0; i < sizeof(halves) / sizeof(*halves); i++)
        if (o->in->op == halves[i])
            bits = 16;
    for (unsigned lane = 0; lane < 32 / bits; lane++) {
        LLVMValueRef v = first_operation(o, simd_operand(o, 1, lane, bits), simd_operand(o, 2, lane, bits)), field;

        if (has(o, PTX_M_sat))
            v = clamp_to(a, v, bits, destination_signed(o));
        field = v_k(a, 32, (UINT32_MAX >> (32 - bits)) << lane * bits);
        if (lane_chosen(o->in->ops[0].part, lane)) {
            sum = v_add(a, sum, v);
            v = v_and(a, v_shl(a, v, v_k(a, 32, lane * bits)), field);
        } else
            v = v_and(a, o->src[2], field);
        merged = v_or(a, merged, v);
    }
    return has(o, PTX_M_add) ? sum : merged;
}
