/* alu.c - integers and comparisons. */
#include "tests/interp/parts.h"

typedef __int128 wide;

static wide product(enum ptx_type type, uint64_t a, uint64_t b)
{
    unsigned bits = ptx_type_bits(type);

    return ptx_type_is_signed(type) ? (wide)interp_signed(a, bits) * interp_signed(b, bits) : (wide)((unsigned __int128)a * b);
}

static uint64_t multiply(const struct ptx_insn *insn, uint64_t a, uint64_t b)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    wide p = product(insn->types[0], a, b);

    return (uint64_t)(ptx_has(insn, PTX_M_hi) ? p >> bits : p);
}

static uint64_t add_carry(const struct ptx_insn *insn, struct thread *t, uint64_t a, uint64_t b, bool in)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    unsigned __int128 sum = (unsigned __int128)a + b + in;

    if (ptx_has(insn, PTX_M_cc))
        t->carry = sum >> bits & 1;
    return (uint64_t)sum;
}

static uint64_t shift(const struct ptx_insn *insn, uint64_t a, uint64_t n)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    bool is_signed = ptx_type_is_signed(insn->types[0]);

    if (insn->op == PTX_I_shl)
        return n >= bits ? 0 : a << n;
    if (is_signed)
        return (uint64_t)(interp_signed(a, bits) >> (n >= bits ? bits - 1 : n));
    return n >= bits ? 0 : a >> n;
}

static uint64_t divide(const struct ptx_insn *insn, struct thread *t, uint64_t a, uint64_t b)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    int64_t x = interp_signed(a, bits), y = interp_signed(b, bits);

    if (!b)
        interp_stop(t->in, "line %u: a division by zero", insn->pos.line);
    if (!ptx_type_is_signed(insn->types[0]))
        return insn->op == PTX_I_div ? a / b : a % b;
    if (y == -1)
        return insn->op == PTX_I_div ? -a : 0;
    return (uint64_t)(insn->op == PTX_I_div ? x / y : x % y);
}

static uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector)
{
    uint64_t both = b << 32 | a, d = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned s = selector >> 4 * i & 15;
        uint64_t byte = both >> 8 * (s & 7) & 255;
        d |= (s & 8 ? byte & 128 ? 255 : 0 : byte) << 8 * i;
    }
    return d;
}

static uint64_t logic3(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
    uint64_t d = 0;

    for (unsigned i = 0; i < 32; i++)
        d |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return d;
}

static uint64_t funnel(const struct ptx_insn *insn, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t both = b << 32 | a, n = ptx_has(insn, PTX_M_wrap) ? c & 31 : c > 32 ? 32 : c;

    return ptx_has(insn, PTX_M_l) ? (n == 32 ? a : both << n >> 32) : both >> n;
}

static uint64_t field(const struct ptx_insn *insn, const uint64_t *s)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    uint64_t pos = s[1] & 255, len = s[2] & 255, last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1, d = 0;
    uint64_t sign = ptx_type_is_signed(insn->types[0]) && len ? s[0] >> last & 1 : 0;

    for (unsigned i = 0; i < bits; i++)
        d |= (i < len && pos + i < bits ? s[0] >> (pos + i) & 1 : sign) << i;
    return d;
}

static uint64_t put_field(unsigned bits, const uint64_t *s)
{
    uint64_t pos = s[2] & 255, len = s[3] & 255, d = s[1];

    for (uint64_t i = 0; i < len && pos + i < bits; i++)
        d = (d & ~(1ull << (pos + i))) | (s[0] >> i & 1) << (pos + i);
    return d;
}

static uint64_t count(enum ptx_op op, unsigned bits, uint64_t a)
{
    uint64_t ones = 0, zeros = 0, reversed = 0;

    for (unsigned i = 0; i < bits; i++) {
        ones += a >> i & 1;
        zeros = a >> i & 1 ? 0 : zeros + 1;
        reversed |= (a >> i & 1) << (bits - 1 - i);
    }
    return op == PTX_I_popc ? ones : op == PTX_I_clz ? zeros : reversed;
}

bool interp_integer(const struct ptx_insn *insn, const struct value *src, struct thread *t, struct value *d)
{
    enum ptx_type type = insn->types[0];
    unsigned bits = ptx_type_bits(type);
    uint64_t s[4] = { 0 };
    bool is_signed = ptx_type_is_signed(type), less;

    for (unsigned i = 0; i < insn->nops - 1u && i < 4; i++)
        s[i] = src[i].bits;
    less = is_signed ? interp_signed(s[0], bits) < interp_signed(s[1], bits) : s[0] < s[1];
    switch (insn->op) {
    case PTX_I_add: d->bits = add_carry(insn, t, s[0], s[1], false); break;
    case PTX_I_addc: d->bits = add_carry(insn, t, s[0], s[1], t->carry); break;
    case PTX_I_sub: d->bits = s[0] - s[1]; break;
    case PTX_I_mul: d->bits = multiply(insn, s[0], s[1]); break;
    case PTX_I_mad: d->bits = multiply(insn, s[0], s[1]) + s[2]; break;
    case PTX_I_div: case PTX_I_rem: d->bits = divide(insn, t, s[0], s[1]); break;
    case PTX_I_min: d->bits = less ? s[0] : s[1]; break;
    case PTX_I_max: d->bits = less ? s[1] : s[0]; break;
    case PTX_I_sad: d->bits = (less ? s[1] - s[0] : s[0] - s[1]) + s[2]; break;
    case PTX_I_abs: d->bits = interp_signed(s[0], bits) < 0 ? -s[0] : s[0]; break;
    case PTX_I_neg: d->bits = -s[0]; break;
    case PTX_I_and: d->bits = s[0] & s[1]; break;
    case PTX_I_or: d->bits = s[0] | s[1]; break;
    case PTX_I_xor: d->bits = s[0] ^ s[1]; break;
    case PTX_I_not: d->bits = ~s[0]; break;
    case PTX_I_cnot: d->bits = !s[0]; break;
    case PTX_I_shl: case PTX_I_shr: d->bits = shift(insn, s[0], s[1]); break;
    case PTX_I_selp: d->bits = s[2] ? s[0] : s[1]; break;
    case PTX_I_slct: d->bits = (int32_t)s[2] >= 0 ? s[0] : s[1]; break;
    case PTX_I_prmt: d->bits = permuted(s[0], s[1], s[2]); break;
    case PTX_I_lop3: d->bits = logic3(s[0], s[1], s[2], s[3]); break;
    case PTX_I_shf: d->bits = funnel(insn, s[0], s[1], s[2]); break;
    case PTX_I_bfe: d->bits = field(insn, s); break;
    case PTX_I_bfi: d->bits = put_field(bits, s); break;
    case PTX_I_popc: case PTX_I_clz: case PTX_I_brev: d->bits = count(insn->op, bits, s[0]); break;
    default: return false;
    }
    if (type == PTX_PRED)
        d->bits &= 1;
    return true;
}

bool interp_compares(const struct ptx_insn *insn, enum ptx_type type, struct value a, struct value b)
{
    unsigned bits = ptx_type_bits(type);
    union { uint64_t u; double d; } x = { a.bits }, y = { b.bits };
    union { uint32_t u; float f; } fx = { (uint32_t)a.bits }, fy = { (uint32_t)b.bits };
    bool less, same, apart = false;

    if (type == PTX_F32)
        less = fx.f < fy.f, same = fx.f == fy.f, apart = fx.f != fx.f || fy.f != fy.f;
    else if (type == PTX_F64)
        less = x.d < y.d, same = x.d == y.d, apart = x.d != x.d || y.d != y.d;
    else if (ptx_type_is_signed(type))
        less = interp_signed(a.bits, bits) < interp_signed(b.bits, bits), same = a.bits == b.bits;
    else
        less = a.bits < b.bits, same = a.bits == b.bits;
    if (apart)
        return ptx_has(insn, PTX_M_nan_) || ptx_has(insn, PTX_M_neu) || ptx_has(insn, PTX_M_ltu) || ptx_has(insn, PTX_M_geu);
    if (ptx_has(insn, PTX_M_lt) || ptx_has(insn, PTX_M_ltu))
        return less;
    if (ptx_has(insn, PTX_M_le))
        return less || same;
    if (ptx_has(insn, PTX_M_gt))
        return !less && !same;
    if (ptx_has(insn, PTX_M_ge) || ptx_has(insn, PTX_M_geu))
        return !less;
    return ptx_has(insn, PTX_M_nan_) ? false : ptx_has(insn, PTX_M_eq) ? same : !same;
}
