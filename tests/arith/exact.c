#include "tests/arith/exact.h"

#include <fenv.h>
#include <string.h>

typedef unsigned __int128 u128;

struct format {
    unsigned fraction, exponent;
};

static struct format format_of(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
        return (struct format){ 10, 5 };
    case PTX_BF16:
        return (struct format){ 7, 8 };
    case PTX_TF32:
    case PTX_F32:
        return (struct format){ 23, 8 };
    default:
        return (struct format){ 52, 11 };
    }
}

unsigned fraction_bits(enum ptx_type t)
{
    return format_of(t).fraction;
}

static u128 raw(__float128 v)
{
    u128 bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static __float128 cooked(u128 bits)
{
    __float128 v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint64_t exponent_mask(enum ptx_type t)
{
    struct format f = format_of(t);

    return ((1ull << f.exponent) - 1) << f.fraction;
}

static uint64_t sign_bit(enum ptx_type t)
{
    struct format f = format_of(t);

    return 1ull << (f.exponent + f.fraction);
}

bool is_nan(uint64_t bits, enum ptx_type t)
{
    return (bits & (sign_bit(t) - 1)) > exponent_mask(t);
}

uint64_t flushed(uint64_t bits, enum ptx_type t)
{
    return bits & exponent_mask(t) ? bits : bits & sign_bit(t);
}

struct exact exact_of(uint64_t bits, enum ptx_type t)
{
    struct format f = format_of(t);
    uint64_t fraction = bits & ((1ull << f.fraction) - 1), exponent = (bits & exponent_mask(t)) >> f.fraction;
    int64_t bias = (1 << (f.exponent - 1)) - 1, power = exponent ? (int64_t)exponent : 1;
    u128 sign = (u128)(bits & sign_bit(t) ? 1 : 0) << 127, unit;
    __float128 v;

    if ((bits & exponent_mask(t)) == exponent_mask(t))
        return (struct exact){ cooked(sign | (u128)0x7fff << 112 | (fraction ? (u128)1 << 111 : 0)), false };
    unit = (u128)(uint64_t)(power - bias - f.fraction + 16383) << 112;
    v = (__float128)(fraction | (exponent ? 1ull << f.fraction : 0)) * cooked(unit);
    return (struct exact){ cooked(raw(v) | sign), false };
}

/* One operation towards zero, by the compiler's software floats, and what it lost. */
static struct exact operate(char op, __float128 x, __float128 y)
{
    volatile __float128 a = x, b = y, r;
    bool inexact;

    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_ALL_EXCEPT);
    if (op == '+')
        r = a + b;
    else if (op == '*')
        r = a * b;
    else
        r = a / b;
    inexact = fetestexcept(FE_INEXACT) != 0;
    fesetround(FE_TONEAREST);
    return (struct exact){ r, inexact };
}

struct exact exact_add(struct exact x, struct exact y)
{
    return operate('+', x.v, y.v);
}

struct exact exact_mul(struct exact x, struct exact y)
{
    return operate('*', x.v, y.v);
}

struct exact exact_div(struct exact x, struct exact y)
{
    return operate('/', x.v, y.v);
}

/* Bit by bit, 64 of them, from a number 2^(2k) * m. */
struct exact exact_sqrt(struct exact x)
{
    u128 bits = raw(x.v), size = bits & ~((u128)1 << 127), m, root = 0;
    int64_t power;

    if (size == 0 || size > (u128)0x7fff << 112 || bits == (u128)0x7fff << 112)
        return x;
    if (bits >> 127)
        return (struct exact){ cooked((u128)0x7fff8 << 108), false };
    power = (int64_t)(size >> 112) - 16383 - 112;
    m = (size & (((u128)1 << 112) - 1)) | (u128)1 << 112;
    m <<= power & 1 ? 13 : 14; /* a source has 53 bits: the low ones are empty */
    power -= power & 1 ? 13 : 14;
    for (u128 bit = (u128)1 << 63; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= m)
            root |= bit;
    return (
        struct exact){ operate('*', (__float128)root, cooked((u128)(uint64_t)(power / 2 + 16383) << 112)).v, root * root != m };
}

static bool rounds_up(enum ptx_mod rounding, bool negative, bool odd, int half)
{
    switch (rounding) {
    case PTX_M_rz:
        return false;
    case PTX_M_rm:
        return negative && half;
    case PTX_M_rp:
        return !negative && half;
    case PTX_M_rna:
        return half >= 2;
    default:
        return half > 2 || (half == 2 && odd);
    }
}

uint64_t exact_round(struct exact x, enum ptx_type t, enum ptx_mod rounding)
{
    struct format f = format_of(t);
    unsigned fraction = t == PTX_TF32 ? 10 : f.fraction, hidden = f.fraction - fraction;
    u128 bits = raw(x.v), m = bits & (((u128)1 << 112) - 1), rest, kept;
    int64_t exponent = (int64_t)(bits >> 112 & 0x7fff), bias = (1 << (f.exponent - 1)) - 1, drop, biased;
    bool negative = bits >> 127;
    uint64_t sign = negative ? sign_bit(t) : 0, out;
    int half; /* of the last bit: 0 nothing, 1 less than a half, 2 a half, 3 more */

    if (exponent == 0x7fff)
        return m ? (t == PTX_F64 ? exponent_mask(t) | 1ull << 51 : sign_bit(t) - 1) : sign | exponent_mask(t);
    if (exponent == 0 && m == 0 && !x.more)
        return sign;
    m |= (u128)1 << 112;
    biased = exponent - 16383 + bias;
    drop = 112 - (int64_t)fraction + (biased < 1 ? 1 - biased : 0);
    if (drop > 120)
        drop = 120;
    kept = m >> drop;
    rest = m & (((u128)1 << drop) - 1);
    half = rest == (u128)1 << (drop - 1) ? (x.more ? 3 : 2) : rest > (u128)1 << (drop - 1) ? 3 : rest || x.more ? 1 : 0;
    out = (uint64_t)kept + rounds_up(rounding, negative, kept & 1, half);
    out = (out << hidden) + ((uint64_t)(biased < 1 ? 0 : biased - 1) << f.fraction);
    if (biased > (1 << f.exponent) || out >= exponent_mask(t)) {
        bool to_infinity = rounding == PTX_M_rn || rounding == PTX_M_rna || rounding == (negative ? PTX_M_rm : PTX_M_rp);

        out = to_infinity ? exponent_mask(t) : exponent_mask(t) - (1ull << hidden);
    }
    return sign | out;
}

enum ptx_mod rounding_of(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_rz) ? PTX_M_rz
        : ptx_has(in, PTX_M_rm)  ? PTX_M_rm
        : ptx_has(in, PTX_M_rp)  ? PTX_M_rp
        : ptx_has(in, PTX_M_rna) ? PTX_M_rna
                                 : PTX_M_rn;
}

bool same_or_nan(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    enum ptx_type t = in->types[0];

    (void)src;
    if (t == PTX_F32X2)
        return same_or_nan(&(struct ptx_insn){ .types = { PTX_F32 } }, src, want & UINT32_MAX, got & UINT32_MAX) &&
            same_or_nan(&(struct ptx_insn){ .types = { PTX_F32 } }, src, want >> 32, got >> 32);
    return want == got || (is_nan(want, t) && is_nan(got, t));
}
