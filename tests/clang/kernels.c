/* kernels.c - warps, barriers, atomics, memory and the language through clang's header: the kernels of the .cu files of those
 * names. */
#include "tests/corpus/corpus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

/* Lane that i reads from, or i itself where that lane is not within its group of width */
static int source(int which, int i, int width)
{
    int lane = i & 31, first = lane & -width, from = lane;

    switch (which) {
    case 0:
        from = first + ((i * 3 + 1) & (width - 1));
        break;
    case 1:
        from = lane - 3 >= first ? lane - 3 : lane;
        break;
    case 2:
        from = lane + 5 < first + width ? lane + 5 : lane;
        break;
    case 3:
        from = (lane ^ 6) < first + width ? lane ^ 6 : lane;
        break;
    default:
        from = 7;
    }
    return (i & 32) + from;
}
static void shuffles(struct corpus *c)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = { { "int", 4 }, { "uint", 4 }, { "long", 8 }, { "ulong", 8 }, { "longlong", 8 }, { "ulonglong", 8 },
        { "float", 4 }, { "double", 8 } };
    unsigned char x[BLOCK * 8], o[5 * BLOCK * 8];
    char kernel[32];

    for (unsigned i = 0; i < sizeof(x); i++)
        x[i] = (unsigned char)(i * 37 + 11);
    for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++)
        for (int width = 32; width >= 8; width /= 2) {
            size_t size = types[t].size;
            CUdeviceptr dx = corpus_up(c, x, BLOCK * size), dO = corpus_up(c, NULL, 5 * BLOCK * size);

            snprintf(kernel, sizeof(kernel), "shuffle_%s", types[t].name);
            corpus_run(c, kernel, 1, BLOCK, 0, ARGS(&dx, &dO, &width));
            corpus_down(c, o, dO, 5 * BLOCK * size);
            for (int which = 0; which < 5; which++)
                for (int i = 0; i < BLOCK; i++)
                    corpus_expect(c,
                        !memcmp(o + (size_t)(which * BLOCK + i) * size,
                            x + (size_t)source(which, i, which < 4 ? width : 32) * size, size),
                        kernel, which * 1000 + i);
            corpus_free(c);
        }
}

/* Over the lanes of mask in i's warp */
#define OVER_LANES(mask, i) \
    for (int l = 0; l < 32; l++) \
        if ((mask) >> l & 1) \
            for (int v = x[((i)&32) + l], once_ = 1; once_; once_ = 0)
static void votes(struct corpus *c)
{
    static const unsigned bits[] = { 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31 }; /* of 0xf0f0f0f0 */
    int x[BLOCK];
    unsigned o[9 * BLOCK];
    CUdeviceptr dx, dO;

    for (int i = 0; i < BLOCK; i++)
        x[i] = i < 32 ? i * 5 % 9 : 4;
    dx = corpus_up(c, x, sizeof(x));
    dO = corpus_up(c, NULL, sizeof(o));
    corpus_run(c, "votes", 1, BLOCK, 0, ARGS(&dx, &dO));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < BLOCK; i++) {
        unsigned half = 0xffffu << (i & 16), big = 0, same = 0, odd = 0, any = 0, all = 1, sum = 0, or = 0, and = ~0u, xor = 0;
        int most = -100, least = 100, of_half = 0, low = 100;

        OVER_LANES(~0u, i)
        {
            big |= (unsigned)(v > 3) << l;
            same |= (unsigned)(v == x[i]) << l;
            odd |= (unsigned)(v & 1) << l;
            any |= v > 8;
            all &= v < 9;
            sum += (unsigned)v;
            or |= 1u << v;
            and &= ~(1u << v);
            xor ^= 3u << v;
            least = -v < least ? -v : least;
        }
        OVER_LANES(half, i)
        {
            most = v > most ? v : most;
            low = v < low ? v : low;
            of_half -= v;
        }
        corpus_expect(c, o[i] == big, "ballot", i);
        corpus_expect(c, o[64 + i] == (any | all << 1 | (unsigned)(big == 0 || big == ~0u) << 2), "any, all, uni", i);
        corpus_expect(c, o[128 + i] == same && o[192 + i] == same, "match_any", i);
        corpus_expect(c, o[256 + i] == half + 1, "match_all", i);
        corpus_expect(c, !(x[i] & 1) || (o[320 + i] >> (i & 31) & 1 && !(o[320 + i] & ~odd)), "activemask", i);
        corpus_expect(c, o[384 + i] == (odd & half), "ballot of a half", i);
        corpus_expect(c, o[448 + i] == bits[i % 16], "fns", i);
        if (c->arch >= 80)
            corpus_expect(c,
                o[512 + i] ==
                    sum + 1000 * (unsigned)most + 100000 * (unsigned)least + (or ^and^xor) + (unsigned)low + (unsigned)most +
                        (unsigned)of_half,
                "reduce", i);
    }
}
static void barriers(struct corpus *c)
{
    int x[BLOCK], more = 0;
    unsigned o[3 * BLOCK];
    CUdeviceptr dx, dO;

    for (int i = 0; i < BLOCK; i++) {
        x[i] = i * 5 % 9;
        more += x[i] > 3;
    }
    dx = corpus_up(c, x, sizeof(x));
    dO = corpus_up(c, NULL, sizeof(o));
    corpus_run(c, "barriers", 1, BLOCK, 0, ARGS(&dx, &dO));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < BLOCK; i++)
        corpus_expect(
            c, o[i] == (unsigned)x[63 - i] && o[64 + i] == ((unsigned)more | 3u << 8) && o[128 + i] == 1, "barriers", i);
}
static void warps(struct corpus *c)
{
    shuffles(c);
    votes(c);
    barriers(c);
}

struct words {
    int32_t i[8];
    uint32_t u[11], pad;
    uint64_t w[7];
    int64_t l[2];
    float f, old_f;
    double d;
    uint16_t h[2];
};
static const struct words begin = { .i = { 1, 2, 3, 4, -1, 0, 6, 7 },
    .u = { 1, 2, 3000, 4, ~0u, 0, 7, 0, 5, 0, 77 },
    .w = { 1, ~0ull, 3, ~0ull, 0, 6, 7 },
    .old_f = 3.25f };
static void same_words(struct corpus *c, const struct words *got, int n)
{
    struct words x = begin;

    for (int t = 0; t < n; t++) {
        uint32_t u = (uint32_t)t;
        uint64_t w = (uint64_t)t << 33 | u;

        x.i[0] -= t, x.i[1] -= t, x.i[2] = -t < x.i[2] ? -t : x.i[2], x.i[3] = t > x.i[3] ? t : x.i[3];
        x.i[4] &= ~(1 << (t & 15)), x.i[5] |= 1 << (t & 15), x.i[6] ^= t, x.i[7] += t;
        x.u[0] += u, x.u[1] -= u, x.u[2] = u + 5 < x.u[2] ? u + 5 : x.u[2],
                                  x.u[3] = 0x80000000u + u > x.u[3] ? 0x80000000u + u : x.u[3];
        x.u[4] &= ~(1u << (u & 31)) | 1u, x.u[5] |= 1u << (u & 31), x.u[6] ^= u;
        x.u[7] = x.u[7] >= 9 ? 0 : x.u[7] + 1;
        x.u[8] = x.u[8] == 0 || x.u[8] > 9 ? 9 : x.u[8] - 1;
        x.w[0] += w, x.w[1] = w + 5 < x.w[1] ? w + 5 : x.w[1], x.w[2] = (w | 1ull << 63) > x.w[2] ? w | 1ull << 63 : x.w[2];
        x.w[3] &= ~(1ull << (u & 63)), x.w[4] |= 1ull << (u & 63), x.w[5] ^= w, x.w[6] += w;
        x.l[0] = -(int64_t)w < x.l[0] ? -(int64_t)w : x.l[0], x.l[1] = (int64_t)w > x.l[1] ? (int64_t)w : x.l[1];
        x.f += 0.25f * (float)(t & 7), x.d += 0.5 * t, x.h[0] = (uint16_t)(x.h[0] + t);
    }
    x.old_f = 7.5f;
    x.h[1] = 1;
    for (int i = 0; i < 8; i++)
        corpus_expect(c, got->i[i] == x.i[i], "atomic of int", i);
    for (int i = 0; i < 9; i++)
        corpus_expect(c, got->u[i] == x.u[i], "atomic of unsigned", i);
    /* Whatever order the exchanges had, each value is seen once but the last */
    corpus_expect(c, got->u[9] + got->u[10] == 77 + (uint32_t)(n * (n - 1) / 2), "atomicExch", 0);
    for (int i = 0; i < 7; i++)
        corpus_expect(c, got->w[i] == x.w[i], "atomic of unsigned long long", i);
    corpus_expect(c, got->l[0] == x.l[0] && got->l[1] == x.l[1], "atomic of long long", 0);
    corpus_expect(c, got->f == x.f && got->d == x.d && got->old_f == x.old_f, "atomic of reals", 0);
    corpus_expect(c, got->h[0] == x.h[0] && got->h[1] == x.h[1], "atomic of halfwords", 0);
}
static void atomics(struct corpus *c)
{
    static const char *const kernels[] = { "atomics", "atomics_block", "atomics_system" };
    struct words got;
    uint32_t o[3];
    uint64_t sixteen[4] = { 0, 0, 1, 1 };
    float floats[8] = { 0 };
    CUdeviceptr p, q;
    int n = 200;

    for (int k = 0; k < 3; k++) {
        int block = k == 1; /* _block: one block */

        p = corpus_up(c, &begin, sizeof(begin));
        corpus_run(c, kernels[k], block ? 1 : 4, block ? 256 : 64, 0, ARGS(&p, &n));
        corpus_down(c, &got, p, sizeof(got));
        same_words(c, &got, n);
    }
    p = corpus_up(c, NULL, sizeof(o));
    corpus_run(c, "in_shared", 1, 96, 0, ARGS(&p));
    corpus_down(c, o, p, sizeof(o));
    corpus_expect(c, o[0] == 192 && o[1] == 48 && o[2] == 24, "atomics in shared memory", o[0]);
    if (c->arch < 90)
        return;
    p = corpus_up(c, sixteen, sizeof(sixteen));
    q = corpus_up(c, floats, sizeof(floats));
    CUdeviceptr four = q + 16;
    corpus_run(c, "wide", 2, 50, 0, ARGS(&p, &q, &four));
    corpus_down(c, sixteen, p, sizeof(sixteen));
    corpus_down(c, floats, q, sizeof(floats));
    corpus_expect(
        c, sixteen[0] == 100 && sixteen[1] == 200 && sixteen[2] == 7 && sixteen[3] == 8, "atomics of 16 bytes", (long)sixteen[0]);
    corpus_expect(c,
        floats[0] == 100 && floats[1] == 50 && floats[4] == 100 && floats[5] == 200 && floats[6] == 300 && floats[7] == 400,
        "atomicAdd of vectors", 0);
}

static void hinted(struct corpus *c)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = { { "char", 1 }, { "uchar", 1 }, { "short", 2 }, { "ushort", 2 }, { "int", 4 }, { "uint", 4 }, { "longlong", 8 },
        { "float", 4 }, { "double", 8 }, { "char4", 4 }, { "short2", 4 }, { "int2", 8 }, { "uint4", 16 }, { "float2", 8 },
        { "float4", 16 }, { "double2", 16 } };
    static unsigned char x[BLOCK * 16], o[6 * BLOCK * 16];
    char kernel[32];

    for (unsigned i = 0; i < sizeof(x); i++)
        x[i] = (unsigned char)(i % 16 == 15 || i % 4 == 3 ? 0x3f : i * 37 + 11); /* no NaN */
    for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++) {
        size_t bytes = BLOCK * types[t].size;
        CUdeviceptr dx = corpus_up(c, x, bytes), dO = corpus_up(c, NULL, 6 * bytes);

        snprintf(kernel, sizeof(kernel), "hinted_%s", types[t].name);
        corpus_run(c, kernel, 1, BLOCK, 0, ARGS(&dx, &dO));
        corpus_down(c, o, dO, 6 * bytes);
        for (int k = 0; k < 6; k++)
            corpus_expect(c, !memcmp(o + (size_t)k * bytes, x, bytes), kernel, k);
        corpus_free(c);
    }
}
static void memory(struct corpus *c)
{
    static const int table[] = { 2, 3, 5, 7 };
    unsigned o[4 * BLOCK];
    CUdeviceptr p = corpus_up(c, NULL, sizeof(o));

    corpus_run(c, "memories", 1, BLOCK, 0, ARGS(&p));
    corpus_down(c, o, p, sizeof(o));
    for (int i = 0; i < BLOCK; i++) {
        corpus_expect(c, o[i] == (unsigned)i + 0x01010101u, "memcpy and memset", i);
        corpus_expect(c, o[64 + i] == (1 | 2 | 4 | 32 | 64), "kinds of memory", i);
        corpus_expect(c, o[128 + i] == (unsigned)(2 * i + 3 * (i + 1) + 2 * (i + 2)), "new and virtual functions", i);
        corpus_expect(c, o[192 + i] == (unsigned)(table[i & 3] * 11 + 4), "constant memory", i);
    }
    corpus_free(c);
    hinted(c);
}
static void language(struct corpus *c)
{
    enum { X = 8, Y = 4, T = X * Y };
    double o[12 * T];
    float x[4] = { -10, -2, 0.25f, 3 }, by = 2;
    int w[4] = { 1, 2, 3, 4 }, three = 3, n = 4;
    CUdeviceptr p = corpus_up(c, x, sizeof(x)), q = corpus_up(c, w, sizeof(w)), r = corpus_up(c, NULL, sizeof(o));

    corpus_run(c, "_Z5scaleIfLi4EEvPT_S0_", 2, 2, 0, ARGS(&p, &by));
    corpus_down(c, x, p, sizeof(x));
    corpus_expect(c, x[0] == 0.5f && x[1] == 0.5f && x[2] == 4.5f && x[3] == 10, "a template of float", 0);
    corpus_run(c, "_Z5scaleIiLin1EEvPT_S0_", 2, 2, 0, ARGS(&q, &three));
    corpus_down(c, w, q, sizeof(w));
    corpus_expect(c, w[0] == 2 && w[1] == 5 && w[2] == 8 && w[3] == 11, "a template of int", 0);
    corpus_run_shape(c, "language", (unsigned[]){ 1, 1, X, Y }, T * sizeof(double), ARGS(&r, &n));
    corpus_down(c, o, r, sizeof(o));
    for (int t = 0; t < T; t++) {
        const double want[12] = { (t + 1) % T, -300 + 4, 6 + 3 + 4.5, 10 + 30, X * 10000 + Y * 100 + 1 + 0.5,
            12 + (t & 1 ? 12 : 11), (double)sqrtf(2) + 8 + 3.5 + 1, 3 + (double)0x1p-23f, (double)3.141592654f + 10 - 2 + 5 + 3,
            1 + 2 + 6 + 3 - 1, 42, 0 };
        for (int k = 0; k < 12; k++)
            corpus_expect(c, corpus_near(o[12 * t + k], want[k], 1e-6), "language", 100 * t + k);
    }
}

const struct corpus_file clang_kernels[] = {
    { "warps", warps },
    { "atomics", atomics },
    { "memory", memory },
    { "language", language },
    { NULL, NULL },
};
