/* arith_bits.c - logic, shifts, fields of bits, permutations of bytes, dot products of bytes. */
#include "softcuda/jit/arith_parts.h"

LLVMValueRef arith_build_logic(struct arith_op *o)
{
    switch (o->in->op) {
    case PTX_I_and:
        return v_and(o->a, o->src[0], o->src[1]);
    case PTX_I_or:
        return v_or(o->a, o->src[0], o->src[1]);
    case PTX_I_xor:
        return v_xor(o->a, o->src[0], o->src[1]);
    default:
        return v_not(o->a, o->src[0]);
    }
}

LLVMValueRef arith_build_cnot(struct arith_op *o)
{
    return v_zext(o->a, v_icmp(o->a, LLVMIntEQ, o->src[0], v_k(o->a, o->bits, 0)), o->bits);
}

/* The value of an operand that is one constant in all lanes. */
static bool constant(LLVMValueRef v, uint64_t *value)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind && LLVMIsConstant(v)) {
        LLVMValueRef first = LLVMGetAggregateElement(v, 0);

        for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
            if (LLVMGetAggregateElement(v, i) != first)
                return false;
        v = first;
    }
    if (!v || !LLVMIsAConstantInt(v))
        return false;
    *value = LLVMConstIntGetZExtValue(v);
    return true;
}

/* The minterms of the table, a = 0xf0, b = 0xcc, c = 0xaa; LLVM makes one vpternlog of them. Split by c: f = c ? high(a, b) :
 * low(a, b). */
static LLVMValueRef lop2(struct arith *a, LLVMValueRef x, LLVMValueRef y, unsigned table)
{
    switch (table) { /* bit 2x + y */
    case 0x0:
        return v_k(a, 32, 0);
    case 0x1:
        return v_not(a, v_or(a, x, y));
    case 0x2:
        return v_and(a, v_not(a, x), y);
    case 0x3:
        return v_not(a, x);
    case 0x4:
        return v_and(a, x, v_not(a, y));
    case 0x5:
        return v_not(a, y);
    case 0x6:
        return v_xor(a, x, y);
    case 0x7:
        return v_not(a, v_and(a, x, y));
    default:
        return v_not(a, lop2(a, x, y, ~table & 15));
    }
}

static LLVMValueRef lop3_known(struct arith *a, const LLVMValueRef *src, unsigned table)
{
    unsigned low = 0, high = 0;

    for (unsigned i = 0; i < 4; i++) {
        low |= (table >> (2 * i) & 1) << i;
        high |= (table >> (2 * i + 1) & 1) << i;
    }
    LLVMValueRef v = lop2(a, src[0], src[1], low);

    if (low == high)
        return v;
    if ((low ^ high) == 15)
        return v_xor(a, v, src[2]);
    return v_xor(a, v, v_and(a, lop2(a, src[0], src[1], low ^ high), src[2]));
}

LLVMValueRef arith_build_lop3(struct arith_op *o)
{
    struct arith *a = o->a;
    uint64_t table;
    LLVMValueRef d, p;

    if (!constant(o->src[3], &table))
        table = 0; /* the ISA has only constants here */
    d = lop3_known(a, o->src, table & 255);
    if (o->second && o->nsrc == 5) {
        p = v_icmp(a, LLVMIntNE, d, v_k(a, 32, 0));
        *o->second = has(o, PTX_M_and_) ? v_and(a, p, o->src[4]) : v_or(a, p, o->src[4]);
    }
    return d;
}

/* A shift whose amount may be anything: beyond the width all bits are gone, or all are the sign. */
static LLVMValueRef shift(struct arith *a, LLVMValueRef x, LLVMValueRef amount, bool left, bool sign)
{
    unsigned bits = arith_bits(x), wide = arith_bits(amount);
    LLVMValueRef top = v_k(a, wide, bits - 1), in_range = v_icmp(a, LLVMIntULE, amount, top), v;

    amount = arith_call2(a, "llvm.umin", amount, top);
    amount = arith_ext(a, amount, bits, false);
    if (sign)
        return v_ashr(a, x, amount);
    v = left ? v_shl(a, x, amount) : v_lshr(a, x, amount);
    return v_select(a, in_range, v, v_k(a, bits, 0));
}

LLVMValueRef arith_build_shift(struct arith_op *o)
{
    return shift(o->a, o->src[0], o->src[1], o->in->op == PTX_I_shl, ptx_type_is_signed(o->type));
}

/* The 64 bits b:a, shifted; the high or the low word of them. The source order is a, b, c. */
LLVMValueRef arith_build_shf(struct arith_op *o)
{
    struct arith *a = o->a;
    bool left = has(o, PTX_M_l);
    LLVMValueRef c = o->src[2], args[] = { o->src[1], o->src[0], c }, v;

    v = arith_intrinsic(a, left ? "llvm.fshl" : "llvm.fshr", arith_int(a, 32), args, 3);
    if (has(o, PTX_M_wrap))
        return v;
    /* .clamp: from 32 on, all of one word */
    return v_select(a, v_icmp(a, LLVMIntULT, c, v_k(a, 32, 32)), v, left ? o->src[0] : o->src[1]);
}

/* (1 << n) - 1 for n of 0 to bits and beyond. */
static LLVMValueRef low_ones(struct arith *a, unsigned bits, LLVMValueRef n)
{
    return v_not(a, shift(a, v_k(a, bits, UINT64_MAX), n, true, false));
}

/* Positions and lengths count modulo 256 in 32-bit fields; in 64-bit ones the hardware takes them as they are. */
static LLVMValueRef field_number(struct arith_op *o, unsigned source)
{
    return o->bits == 32 ? v_and(o->a, o->src[source], v_k(o->a, 32, 255)) : o->src[source];
}

/* A field of length c from position b on; what lies above the top of a is its sign. */
LLVMValueRef arith_build_bfe(struct arith_op *o)
{
    struct arith *a = o->a;
    bool sign = ptx_type_is_signed(o->type);
    LLVMValueRef top = v_k(a, 32, o->bits), zero = v_k(a, 32, 0);
    LLVMValueRef position = field_number(o, 1), length = field_number(o, 2), spare, field;

    field = shift(a, o->src[0], position, false, sign);
    if (!sign)
        return v_and(a, field, low_ones(a, o->bits, length));
    length = arith_call2(a, "llvm.umin", length, top);
    spare = v_sub(a, top, length);
    field = shift(a, shift(a, field, spare, true, false), spare, false, true);
    return v_select(a, v_icmp(a, LLVMIntEQ, length, zero), v_k(a, o->bits, 0), field);
}

/* a's low d bits put into b at position c. */
LLVMValueRef arith_build_bfi(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef position = field_number(o, 2), length = field_number(o, 3);
    LLVMValueRef mask = shift(a, low_ones(a, o->bits, length), position, true, false);
    LLVMValueRef field = shift(a, o->src[0], position, true, false);

    return v_or(a, v_and(a, field, mask), v_and(a, o->src[1], v_not(a, mask)));
}

static LLVMValueRef leading_zeros(struct arith *a, LLVMValueRef v)
{
    LLVMValueRef args[] = { v, LLVMConstInt(LLVMInt1TypeInContext(a->context), 0, false) };

    return arith_intrinsic(a, "llvm.ctlz", LLVMTypeOf(v), args, 2);
}

/* The highest bit that is not the sign, or with .shiftamt its distance from the top; all ones if there is none. */
LLVMValueRef arith_build_bfind(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef v = o->src[0], zeros, found;

    if (ptx_type_is_signed(o->type))
        v = v_xor(a, v, v_ashr(a, v, v_k(a, o->bits, o->bits - 1)));
    zeros = arith_ext(a, leading_zeros(a, v), 32, false);
    found = has(o, PTX_M_shiftamt) ? zeros : v_sub(a, v_k(a, 32, o->bits - 1), zeros);
    return v_select(a, v_icmp(a, LLVMIntEQ, v, v_k(a, o->bits, 0)), v_k(a, 32, UINT32_MAX), found);
}

LLVMValueRef arith_build_bmsk(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef position = o->src[0], length = o->src[1];

    if (has(o, PTX_M_wrap)) {
        position = v_and(a, position, v_k(a, 32, 31));
        length = v_and(a, length, v_k(a, 32, 31));
    }
    return shift(a, low_ones(a, 32, length), position, true, false);
}

LLVMValueRef arith_build_brev(struct arith_op *o)
{
    return arith_call1(o->a, "llvm.bitreverse", o->src[0]);
}

LLVMValueRef arith_build_count(struct arith_op *o)
{
    LLVMValueRef n = o->in->op == PTX_I_clz ? leading_zeros(o->a, o->src[0]) : arith_call1(o->a, "llvm.ctpop", o->src[0]);

    return arith_ext(o->a, n, 32, false);
}

LLVMValueRef arith_build_fns(struct arith_op *o)
{
    return arith_each_lane(o->a, "arith_rt_fns", 32, o->src, 3);
}

/* The selector that the mode stands for: four nibbles, from the two low bits of c. */
static LLVMValueRef mode_selector(struct arith_op *o)
{
    static const struct {
        enum ptx_mod mode;
        uint16_t selector[4];
    } modes[] = {
        { PTX_M_f4e, { 0x3210, 0x4321, 0x5432, 0x6543 } },
        { PTX_M_b4e, { 0x5670, 0x6701, 0x7012, 0x0123 } },
        { PTX_M_rc8, { 0x0000, 0x1111, 0x2222, 0x3333 } },
        { PTX_M_ecl, { 0x3210, 0x3211, 0x3222, 0x3333 } },
        { PTX_M_ecr, { 0x0000, 0x1110, 0x2210, 0x3210 } },
        { PTX_M_rc16, { 0x1010, 0x3232, 0x1010, 0x3232 } },
    };
    struct arith *a = o->a;

    for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        if (!has(o, modes[i].mode))
            continue;
        LLVMValueRef c = v_and(a, o->src[2], v_k(a, 32, 3)), s = v_k(a, 32, modes[i].selector[0]);

        for (unsigned k = 1; k < 4; k++)
            s = v_select(a, v_icmp(a, LLVMIntEQ, c, v_k(a, 32, k)), v_k(a, 32, modes[i].selector[k]), s);
        return s;
    }
    return o->src[2];
}

/* prmt by a constant is one shuffle of bytes; a second one, where signs are asked for. */
static LLVMValueRef shuffle_bytes(struct arith_op *o, unsigned selector)
{
    struct arith *a = o->a, bytes = *a;
    unsigned n = bytes.lanes = 4 * a->lanes;
    LLVMValueRef x = arith_relane(a, o->src[0], n, 8), y = arith_relane(a, o->src[1], n, 8), mask[128], signs[128], v;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);

    for (unsigned i = 0; i < n; i++) {
        unsigned nibble = selector >> i % 4 * 4, from = nibble & 3;

        mask[i] = LLVMConstInt(i32, i / 4 * 4 + from + (nibble & 4 ? n : 0), false);
        signs[i] = LLVMConstInt(i32, nibble & 8 ? n + i : i, false);
    }
    v = LLVMBuildShuffleVector(a->builder, x, y, LLVMConstVector(mask, n), "");
    if (selector & 0x8888)
        v = LLVMBuildShuffleVector(a->builder, v, v_ashr(&bytes, v, v_k(&bytes, 8, 7)), LLVMConstVector(signs, n), "");
    return arith_relane(a, v, a->lanes, 32);
}

/* Each nibble of the selector names a byte of b:a; its top bit asks for the byte's sign instead. Only the plain mode has it. */
LLVMValueRef arith_build_prmt(struct arith_op *o)
{
    struct arith *a = o->a;
    uint64_t known;
    LLVMValueRef both = v_or(a, v_zext(a, o->src[0], 64), v_shl(a, v_zext(a, o->src[1], 64), v_k(a, 64, 32)));
    LLVMValueRef selector = mode_selector(o), result = v_k(a, 32, 0), zero = result;
    bool plain = selector == o->src[2];

    if (constant(selector, &known))
        return shuffle_bytes(o, known & 0xffff);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef nibble = v_and(a, v_lshr(a, selector, v_k(a, 32, 4 * i)), v_k(a, 32, 15)), amount, byte, sign, negative;

        amount = v_zext(a, v_shl(a, v_and(a, nibble, v_k(a, 32, 7)), v_k(a, 32, 3)), 64);
        byte = v_and(a, v_trunc(a, v_lshr(a, both, amount), 32), v_k(a, 32, 255));
        if (plain) {
            negative = v_icmp(a, LLVMIntNE, v_and(a, byte, v_k(a, 32, 128)), zero);
            sign = v_select(a, negative, v_k(a, 32, 255), zero);
            byte = v_select(a, v_icmp(a, LLVMIntNE, v_and(a, nibble, v_k(a, 32, 8)), zero), sign, byte);
        }
        result = v_or(a, result, v_shl(a, byte, v_k(a, 32, 8 * i)));
    }
    return result;
}

/* Extends from the b-th bit (b bits in all); b clamped to 32, or taken modulo 32. */
LLVMValueRef arith_build_szext(struct arith_op *o)
{
    struct arith *a = o->a;
    bool sign = ptx_type_is_signed(o->type);
    LLVMValueRef width = v_k(a, 32, 32), n = o->src[1], spare, v;

    n = has(o, PTX_M_wrap) ? v_and(a, n, v_k(a, 32, 31)) : arith_call2(a, "llvm.umin", n, width);
    spare = v_sub(a, width, n);
    v = shift(a, shift(a, o->src[0], spare, true, false), spare, false, sign);
    return v_select(a, v_icmp(a, LLVMIntEQ, n, v_k(a, 32, 0)), v_k(a, 32, 0), v);
}

/* Part i of the word, bits wide, as 32. */
static LLVMValueRef part(struct arith *a, LLVMValueRef word, unsigned i, unsigned bits, bool sign)
{
    LLVMValueRef up = v_shl(a, word, v_k(a, 32, 32 - bits * (i + 1))), back = v_k(a, 32, 32 - bits);

    return sign ? v_ashr(a, up, back) : v_lshr(a, up, back);
}

/* dp4a: bytes by bytes; dp2a: halves of a by the low or the high two bytes of b. */
LLVMValueRef arith_build_dp(struct arith_op *o)
{
    struct arith *a = o->a;
    bool four = o->in->op == PTX_I_dp4a, asign = ptx_type_is_signed(o->in->types[0]), bsign = ptx_type_is_signed(o->in->types[1]);
    unsigned n = four ? 4 : 2, first = has(o, PTX_M_hi) ? 2 : 0;
    LLVMValueRef sum = o->src[2];

    for (unsigned i = 0; i < n; i++)
        sum = v_add(a, sum, v_mul(a, part(a, o->src[0], i, four ? 8 : 16, asign), part(a, o->src[1], first + i, 8, bsign)));
    return sum;
}
