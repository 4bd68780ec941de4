/* Integer arithmetic at its edges, and carry chains. */
#include "tests/kernels/cases.h"

#include <string.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

static const struct kt_shape shapes[] = { KT_SHAPE_1D(2, 31), KT_SHAPE_1D(3, 64), KT_SHAPE_1D(5, 100) };

/* Random bits; every other one is an edge. */
static uint64_t edge(struct kt *k, unsigned i)
{
    static const uint64_t edges[] = { 0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
        0xffffffffffffffff, 31, 32, 33, 64, 3 };
    uint64_t random = (uint64_t)kt_random(k) << 32;

    random |= kt_random(k);
    return i % 2 ? edges[random % (sizeof(edges) / sizeof(*edges))] : random >> (kt_random(k) & 63);
}

/* The first two arguments after n: pairs in which every edge meets others. */
static void operands(struct kt *k, unsigned n, enum kt_type type, void **x, void **y)
{
    size_t bytes = type == KT_U16 ? 2 : type == KT_U32 ? 4 : 8;

    kt_u32(k, n);
    *x = kt_in(k, type, n);
    *y = kt_in(k, type, n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t a = edge(k, i), b = edge(k, i / 2);

        memcpy((char *)*x + i * bytes, &a, bytes);
        memcpy((char *)*y + i * bytes, &b, bytes);
    }
}

/* -------------------------------------------------------------------------------------------------------------------- 32 bits */

static uint32_t shift_left(uint32_t a, uint32_t by)
{
    return by > 31 ? 0 : a << by;
}

static uint32_t shift_right(uint32_t a, uint32_t by)
{
    return by > 31 ? 0 : a >> by;
}

static int32_t shift_right_signed(int32_t a, uint32_t by)
{
    return a >> (by > 31 ? 31 : by);
}

static uint32_t highest(uint32_t a)
{
    return a ? 31 - (uint32_t)__builtin_clz(a) : 0xffffffffu;
}

static uint32_t reversed(uint32_t a)
{
    uint32_t r = 0;

    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}

/* len bits of a from pos on; above them zeros, or for is_signed copies of the last. */
static uint32_t field(uint32_t a, uint32_t pos, uint32_t len, bool is_signed)
{
    uint32_t last = pos + len - 1 < 31 ? pos + len - 1 : 31, fill = is_signed && len && a >> last & 1, r = 0;

    for (uint32_t i = 0; i < 32; i++)
        r |= (i < len && pos + i < 32 ? a >> (pos + i) & 1 : fill) << i;
    return r;
}

static uint32_t inserted(uint32_t a, uint32_t into, uint32_t pos, uint32_t len)
{
    for (uint32_t i = 0; i < len && pos + i < 32; i++)
        into = (into & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    return into;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;

    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}

static uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << (by & 31) >> 32);
}

static uint32_t funnel_right_clamped(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (by > 32 ? 32 : by));
}

static uint32_t magnitude(int32_t s)
{
    return s < 0 ? -(uint32_t)s : (uint32_t)s;
}

/* As on the hardware: x / 0 and x % 0 are all ones, INT_MIN / -1 is INT_MIN, with nothing left over. */
static void divide_32(uint32_t a, uint32_t b, uint32_t *o)
{
    int32_t s = (int32_t)a, t = (int32_t)b;

    o[0] = b ? a / b : 0xffffffffu;
    o[1] = b ? a % b : 0xffffffffu;
    o[2] = t == 0 ? 0xffffffffu : t == -1 ? -a : (uint32_t)(s / t);
    o[3] = t == 0 ? 0xffffffffu : t == -1 ? 0 : (uint32_t)(s % t);
}

static void want_32(uint32_t a, uint32_t b, uint32_t *o)
{
    int32_t s = (int32_t)a, t = (int32_t)b;
    uint32_t pos = b & 63, len = b >> 6 & 63;

    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = (uint32_t)((uint64_t)a * b >> 32);
    o[4] = (uint32_t)((int64_t)s * t >> 32);
    divide_32(a, b, o + 5);
    o[9] = shift_left(a, b);
    o[10] = shift_right(a, b);
    o[11] = (uint32_t)shift_right_signed(s, b);
    o[12] = (uint32_t)(__builtin_popcount(a) * 100 + (b ? __builtin_clz(b) : 32));
    o[13] = reversed(a) ^ (uint32_t)__builtin_ffs((int)b);
    o[14] = highest(a);
    o[15] = highest(s < 0 ? ~a : a);
    o[15] = o[15] == 0xffffffffu ? o[15] : 31 - o[15];
    o[16] = field(a, pos, len, false);
    o[17] = field(a, pos, len, true);
    o[18] = inserted(a, b, pos, len);
    o[19] = permuted(a, b, a ^ b);
    o[20] = funnel_left(a, b, a >> 3) ^ funnel_right_clamped(a, b, b);
    o[21] = (a & b) | (~a & a * 77);
    o[22] = (uint32_t)(s < t ? s : t) ^ (a > b ? a : b) ^ magnitude(s);
    o[23] = (uint32_t)((int64_t)s * t >> 32) + a;
}

static void integer_32(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;
    uint32_t *x, *y, *out;

    operands(k, n, KT_U32, (void **)&x, (void **)&y);
    out = kt_want(k, kt_inout(k, KT_U32, 24 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++)
        want_32(x[i], y[i], out + 24 * i);
}

/* -------------------------------------------------------------------------------------------------------------------- 64 bits */

static void want_64(uint64_t a, uint64_t b, uint64_t *o)
{
    int64_t s = (int64_t)a, t = (int64_t)b;
    unsigned by = b & 127, capped = by > 63 ? 63 : by;

    o[0] = a * b;
    o[1] = (uint64_t)((uint128)a * b >> 64);
    o[2] = (uint64_t)((int128)s * t >> 64);
    o[3] = b ? a / b : ~0ull;
    o[4] = b ? a % b : ~0ull;
    o[5] = t == 0 ? ~0ull : t == -1 ? -a : (uint64_t)(s / t);
    o[6] = t == 0 ? ~0ull : t == -1 ? 0 : (uint64_t)(s % t);
    o[7] = by > 63 ? 0 : a << capped;
    o[8] = by > 63 ? 0 : a >> capped;
    o[9] = (uint64_t)(s >> capped);
    o[10] = (uint64_t)(__builtin_popcountll(a) * 1000 + (b ? __builtin_clzll(b) : 64));
    o[11] = (uint64_t)reversed((uint32_t)a) << 32 | reversed((uint32_t)(a >> 32));
    o[12] = (uint64_t)(s < t ? s : t) ^ (a > b ? a : b);
    o[13] = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

static void integer_64(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;
    uint64_t *x, *y, *out;

    operands(k, n, KT_U64, (void **)&x, (void **)&y);
    out = kt_want(k, kt_inout(k, KT_U64, 14 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++)
        want_64(x[i], y[i], out + 14 * i);
}

static void integer_16(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;
    int16_t *x, *y;
    uint32_t *out;

    operands(k, n, KT_U16, (void **)&x, (void **)&y);
    out = kt_want(k, kt_inout(k, KT_U32, 2 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        int16_t a = x[i], b = y[i], lo = (int16_t)(a * b), sum = (int16_t)(a + b),
                right = (int16_t)(a >> ((b & 31) > 15 ? 15 : b & 31));

        out[2 * i] = (uint32_t)(uint16_t)a * (uint16_t)b;
        out[2 * i + 1] = (uint32_t)lo ^ (uint32_t)sum << 8 ^ (uint32_t)right << 16 ^ (uint32_t)(a < b);
    }
}

/* --------------------------------------------------------------------------------------------------------------- carry chains */

/* n pairs of 128-bit numbers; many of their words are zero or all ones, so that carries run far. */
static void wide_operands(struct kt *k, uint32_t *p, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        uint32_t random = kt_random(k);

        p[i] = random % 3 == 0 ? 0xffffffffu : random % 3 == 1 ? 0 : random;
    }
}

static void carry_128(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;
    uint128 *x, *y, *sum, *difference;
    uint32_t *carries;

    kt_u32(k, n);
    wide_operands(k, (uint32_t *)(x = kt_in(k, KT_U32, 4 * n)), 4 * n);
    wide_operands(k, (uint32_t *)(y = kt_in(k, KT_U32, 4 * n)), 4 * n);
    sum = kt_want(k, kt_inout(k, KT_U32, 4 * n, KT_EXACT));
    difference = kt_want(k, kt_inout(k, KT_U32, 4 * n, KT_EXACT));
    carries = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        sum[i] = x[i] + y[i];
        difference[i] = x[i] - y[i];
        carries[i] = (sum[i] < x[i]) * 10 + (x[i] < y[i]);
    }
}

static void carry_product(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;
    uint64_t *x, *y, (*chain)[2];
    uint128 *product;

    kt_u32(k, n);
    wide_operands(k, (uint32_t *)(x = kt_in(k, KT_U64, n)), 2 * n);
    wide_operands(k, (uint32_t *)(y = kt_in(k, KT_U64, n)), 2 * n);
    product = kt_want(k, kt_inout(k, KT_U32, 4 * n, KT_EXACT));
    chain = kt_want(k, kt_inout(k, KT_U64, 2 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        product[i] = (uint128)x[i] * y[i];
        chain[i][0] = x[i] + y[i];
        chain[i][1] = x[i] + ~y[i] + (chain[i][0] < x[i]);
    }
}

static const struct kt_case cases[] = {
    { "integers", "integer_32", integer_32, KT_SHAPES(shapes) },
    { "integers", "integer_64", integer_64, KT_SHAPES(shapes) },
    { "integers", "integer_16", integer_16, KT_SHAPES(shapes) },
    { "carry", "carry_128", carry_128, KT_SHAPES(shapes) },
    { "carry", "carry_product", carry_product, KT_SHAPES(shapes) },
};
const struct kt_table kt_cases_integer = KT_TABLE(cases);
