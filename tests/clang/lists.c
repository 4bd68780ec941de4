/* lists.c - integer, SIMD and conversion functions against C, bit for bit. */
#include "tests/corpus/corpus.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"

#define N 2048
#define MOST 200

static uint64_t ref_popc(uint64_t a)
{
    uint64_t n = 0;

    for (; a; a &= a - 1)
        n++;
    return n;
}
static uint64_t ref_clz(uint64_t a, int bits)
{
    int n = 0;

    while (n < bits && !(a >> (bits - 1 - n) & 1))
        n++;
    return (uint64_t)n;
}
static uint64_t ref_ffs(uint64_t a)
{
    for (int i = 0; i < 64; i++)
        if (a >> i & 1)
            return (uint64_t)i + 1;
    return 0;
}
static uint64_t ref_brev(uint64_t a, int bits)
{
    uint64_t r = 0;

    for (int i = 0; i < bits; i++)
        r |= (a >> i & 1) << (bits - 1 - i);
    return r;
}
static uint64_t ref_perm(uint32_t a, uint32_t b, uint32_t s)
{
    uint64_t both = (uint64_t)b << 32 | a, r = 0;

    for (int i = 0; i < 4; i++)
        r |= (both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
static int32_t ref_24s(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}
static uint64_t ref_funnel(uint32_t low, uint32_t high, uint32_t n)
{
    return ((uint64_t)high << 32 | low) << n;
}
static uint64_t ref_funnel_r(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}
static int64_t lane(uint32_t a, int bits, int k, int is_signed)
{
    int64_t v = a >> bits * k & ((1u << bits) - 1);

    return is_signed && v >> (bits - 1) ? v - (1ll << bits) : v;
}
static uint64_t ref_dp4(uint32_t a, uint32_t b, uint32_t c, int is_signed)
{
    for (int k = 0; k < 4; k++)
        c += (uint32_t)(lane(a, 8, k, is_signed) * lane(b, 8, k, is_signed));
    return c;
}
static uint64_t ref_dp2(uint32_t a, uint32_t b, uint32_t c, int is_signed, int high)
{
    for (int k = 0; k < 2; k++)
        c += (uint32_t)(lane(a, 16, k, is_signed) * lane(b, 8, k + 2 * high, is_signed));
    return c;
}

enum { ADD, SUB, DIFFERENCE, AVERAGE, HALF, MIN, MAX, EQ, GE, SATURATED = 16 };
static uint32_t ref_lanes(uint32_t a, uint32_t b, int bits, int is_signed, int what)
{
    int64_t most = (1ll << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    uint32_t r = 0;

    for (int k = 0; k < 32 / bits; k++) {
        int64_t x = lane(a, bits, k, is_signed), y = lane(b, bits, k, is_signed), v = 0;
        switch (what & 15) {
        case ADD:
            v = x + y;
            break;
        case SUB:
            v = x - y;
            break;
        case DIFFERENCE:
            v = llabs(x - y);
            break;
        case AVERAGE:
            v = (x + y + (x + y >= 0)) >> 1;
            break; /* half of an odd sum away from zero */
        case HALF:
            v = (x + y) >> 1;
            break;
        case MIN:
            v = x < y ? x : y;
            break;
        case MAX:
            v = x > y ? x : y;
            break;
        case EQ:
            v = x == y ? -1 : 0;
            break;
        case GE:
            v = x >= y ? -1 : 0;
            break;
        }
        if (what & SATURATED)
            v = v < least ? least : v > most ? most : v;
        r |= ((uint32_t)v & ((1u << bits) - 1)) << bits * k;
    }
    return r;
}
static uint32_t ref_ones(uint32_t mask, int bits)
{
    return mask & (bits == 8 ? 0x01010101u : 0x00010001u);
}
static uint32_t ref_sad(uint32_t a, uint32_t b, int bits, int is_signed)
{
    uint32_t sum = 0;

    for (int k = 0; k < 32 / bits; k++)
        sum += (uint32_t)llabs(lane(a, bits, k, is_signed) - lane(b, bits, k, is_signed));
    return sum;
}

static uint64_t ref_float(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return f != f ? 0x7fffffff : u; /* one NaN is as good as another */
}
static uint64_t ref_double(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    return d != d ? 0x7fffffffffffffff : u;
}
/* expression in rounding mode m; its operands and result are volatile, which keeps the compiler from moving it */
#define IN_MODE(m, T, expression) \
    ({ \
        volatile T r_; \
        fesetround(m); \
        r_ = (expression); \
        fesetround(FE_TONEAREST); \
        r_; \
    })
#define F(m, expression) ref_float(IN_MODE(m, float, expression))
#define D(m, expression) ref_double(IN_MODE(m, double, expression))
#define I(m, x) IN_MODE(m, double, rint((double)(x)))
static uint64_t ref_ull2double(uint64_t w, int mode)
{
    return ref_double(IN_MODE(mode, double, (double)(long double)w));
}
static __int128 ref_limited(double x, __int128 least, __int128 most)
{
    if (x != x)
        return most > UINT32_MAX ? (__int128)1 << 63 : 0;
    return x <= (double)least ? least : x >= (double)most ? most : (__int128)x;
}

struct values {
    uint32_t words[3 * N];
    float floats[3 * N];
    double doubles[3 * N];
};
static struct values in;
static uint64_t got[MOST * N];

static void fill(void)
{
    static const uint32_t words[] = { 0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x00ff00ff,
        0x80008000, 0x7fff7fff };
    static const float floats[] = { 0, -0.0f, 1, -1, 0.5f, -0.5f, 1.5f, 2.5f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, INFINITY,
        -INFINITY, 0x1p31f, -0x1p31f, 0x1p32f, 0x1p63f, 0x1p64f, 0x1p24f, 3 };
    const int special = (int)(sizeof(words) / sizeof(*words)), reals = (int)(sizeof(floats) / sizeof(*floats));
    uint64_t s = 88172645463325252u;

    for (int k = 0; k < 3 * N; k++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        in.words[k] = k % 7 == 0 ? words[s % (uint64_t)special] : k % 5 == 0 ? (uint32_t)(s % 70) : (uint32_t)(s >> 20);
        in.floats[k] = k % 7 == 0 ? floats[s % (uint64_t)reals]
            : k % 5 == 0          ? (float)((int)(s % 200) - 100) / 8
                                  : ldexpf((float)(int32_t)(s >> 32), (int)(s % 90) - 65);
        in.doubles[k] = k % 7 == 0 ? floats[s % (uint64_t)reals]
            : k % 5 == 0           ? ((int)(s % 200) - 100) / 8.0
                                   : ldexp((double)(int64_t)s, (int)(s % 120) - 100);
    }
}
static bool same(uint64_t x, uint64_t y, const char *what)
{
    if (x == y)
        return true;
    if (!strncmp(what, "__float_as_uint", 15)) /* NaN of another kind */
        return (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
    return !strncmp(what, "__double_as_longlong", 20) && (x & INT64_MAX) > 0x7ff0000000000000 &&
        (y & INT64_MAX) > 0x7ff0000000000000;
}
static void check(struct corpus *c, const char *kernel, int functions)
{
    CUdeviceptr words, floats, doubles, out;
    int n = N;

    fill();
    words = corpus_up(c, in.words, sizeof(in.words));
    floats = corpus_up(c, in.floats, sizeof(in.floats));
    doubles = corpus_up(c, in.doubles, sizeof(in.doubles));
    out = corpus_up(c, NULL, sizeof(*got) * N * (size_t)functions);
    corpus_run(c, kernel, N / 128, 128, 0, ARGS(&words, &floats, &doubles, &out, &n));
    corpus_down(c, got, out, sizeof(*got) * N * (size_t)functions);
}
#define COUNT(device, reference) +1
#define COMPARE(device, reference) \
    { \
        uint64_t want = (uint64_t)(reference); \
        corpus_expect(c, same(got[k * N + at], want, #device), #device, at); \
        if (c->wrong && !said++) \
            printf("%s: got %llx, wanted %llx of a %x b %x c %x f %a g %a h %a d %a e %a\n", #device, \
                (unsigned long long)got[k * N + at], (unsigned long long)want, a, b, cc, f, g, h, d, e); \
        k++; \
    }
#define CHECK(name, LIST) \
    static void check_##name(struct corpus *c) \
    { \
        int said = 0; \
        check(c, #name, 0 LIST(COUNT)); \
        for (int at = 0; at < N && !c->wrong; at++) { \
            volatile uint32_t a = in.words[3 * at], b = in.words[3 * at + 1], cc = in.words[3 * at + 2]; \
            volatile int i = (int)a, j = (int)b; \
            int k = 0; \
            volatile uint64_t w = (uint64_t)a << 32 | cc, v = (uint64_t)b << 32 | a; \
            volatile float f = in.floats[3 * at], g = in.floats[3 * at + 1], h = in.floats[3 * at + 2]; \
            volatile double d = in.doubles[3 * at], e = in.doubles[3 * at + 1], q = in.doubles[3 * at + 2]; \
            (void)i, (void)j, (void)w, (void)v, (void)q; \
            LIST(COMPARE) \
        } \
    }
CHECK(integers, INTEGERS)
CHECK(simd, SIMD)
CHECK(reals, REALS)

static void check_lists(struct corpus *c)
{
    check_integers(c);
    check_simd(c);
    check_reals(c);
}
const struct corpus_file clang_lists[] = { { "lists", check_lists }, { NULL, NULL } };
