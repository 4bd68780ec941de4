/* threads.c - what threads do together: shuffles, barriers, atomics, locks, the whole grid. */
#include "tests/corpus/corpus.h"

#include <string.h>

#define N 1000

static void reduce(struct corpus *c)
{
    enum { BLOCK = 256, WARPS = BLOCK / 32 };
    float x[N], sum;
    double want = 0, dv[WARPS];
    int n = N, idx[WARPS];
    CUdeviceptr dx, dO, di;

    for (int i = 0; i < N; i++) {
        x[i] = corpus_random(-1, 1);
        want += x[i];
    }
    dx = corpus_up(c, x, sizeof(x));
    dO = corpus_up(c, NULL, 4);
    corpus_run(c, "reduce", 3, BLOCK, 0, ARGS(&dx, &dO, &n));
    corpus_down(c, &sum, dO, 4);
    corpus_expect(c, sum > want - 1e-4 && sum < want + 1e-4, "reduce", 0);
    di = corpus_up(c, NULL, sizeof(idx));
    dO = corpus_up(c, NULL, sizeof(dv));
    corpus_run(c, "argmax_xor", 1, BLOCK, 0, ARGS(&dx, &di, &dO, &n));
    corpus_down(c, idx, di, sizeof(idx));
    corpus_down(c, dv, dO, sizeof(dv));
    for (int w = 0; w < WARPS; w++) {
        int best = w * 32;
        for (int i = w * 32; i < w * 32 + 32; i++)
            best = x[i] > x[best] ? i : best;
        corpus_expect(c, idx[w] == best && dv[w] == 2 * (double)x[best], "argmax_xor", w);
    }
}

static void histogram(struct corpus *c)
{
    uint8_t d[4 * N];
    uint32_t want[256] = { 0 }, got[256];
    int n = 4 * N;
    CUdeviceptr dd, dg;

    for (int i = 0; i < 4 * N; i++)
        want[d[i] = (uint8_t)corpus_random(0, 255)]++;
    dd = corpus_up(c, d, sizeof(d));
    dg = corpus_up(c, NULL, sizeof(got));
    corpus_run(c, "hist", 3, 100, 0, ARGS(&dd, &dg, &n));
    corpus_down(c, got, dg, sizeof(got));
    for (int i = 0; i < 256; i++)
        corpus_expect(c, got[i] == want[i], "hist", i);
}

static void scan(struct corpus *c)
{
    enum { BLOCK = 256 };
    int in[N], out[N], n = N;
    CUdeviceptr di, dO;

    for (int i = 0; i < N; i++)
        in[i] = (int)corpus_random(-100, 100);
    di = corpus_up(c, in, sizeof(in));
    for (int kernel = 0; kernel < 2; kernel++) {
        dO = corpus_up(c, NULL, sizeof(out));
        corpus_run(c, kernel ? "scan_warp" : "scan_hs", 4, BLOCK, 2 * BLOCK * 4, ARGS(&di, &dO, &n));
        corpus_down(c, out, dO, sizeof(out));
        for (int i = 0, sum = 0; i < N; i++) {
            sum = i % BLOCK ? sum + in[i] : in[i];
            corpus_expect(c, out[i] == sum, kernel ? "scan_warp" : "scan_hs", i);
        }
    }
}

static void grid_sync(struct corpus *c)
{
    float a[N], b[N];
    int x[N], n = N, sum = 0, got;
    CUdeviceptr da, db, dx, dO;

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        x[i] = i * 7 % 13;
    }
    da = corpus_up(c, a, sizeof(a));
    db = corpus_up(c, NULL, sizeof(b));
    corpus_run_together(c, "gsync", 4, 64, ARGS(&da, &db, &n));
    corpus_down(c, a, da, sizeof(a));
    for (int i = 0; i < N; i++)
        corpus_expect(c, a[i] == 2.0f * (float)(N - 1 - i), "gsync", i);
    dx = corpus_up(c, x, sizeof(x));
    dO = corpus_up(c, NULL, 4);
    corpus_run(c, "cgred", 4, 256, 0, ARGS(&dx, &dO, &n));
    corpus_down(c, &got, dO, 4);
    for (int w = 0; w < 4 * 256 / 32; w++) { /* the warp's sum, and the largest of its eights, which all have that sum */
        int v = 0;
        for (int i = 32 * w; i < 32 * w + 32; i++)
            v += i < N ? x[i] : 0;
        sum += v + v;
    }
    corpus_expect(c, got == sum, "cgred", got);
}

static void warp(struct corpus *c)
{
    enum { BLOCK = 96 };
    int x[BLOCK], two = 0, all = 1, any = 0, n = 0;
    uint32_t o[BLOCK];
    CUdeviceptr dx, dO;

    for (int i = 0; i < BLOCK; i++) {
        x[i] = 1 + (i * 5 + i / 32) % (i < 64 ? 7 : 1);
        two += x[i] > 2;
        all &= x[i] != 0;
        any |= x[i] != 0;
    }
    dx = corpus_up(c, x, sizeof(x));
    dO = corpus_up(c, NULL, sizeof(o));
    corpus_run(c, "warp", 1, BLOCK, 0, ARGS(&dx, &dO, &n));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < BLOCK; i++) {
        uint32_t ballot = 0, five = 0, positive = 1, odd = 0, same = 0, sum = 0, exor = 0, want;
        for (int l = 0; l < 32; l++) {
            int v = x[i / 32 * 32 + l];
            ballot |= (uint32_t)(v > 3) << l;
            five |= v > 5;
            positive &= v > 0;
            odd |= (uint32_t)(v & 1) << l;
            same |= (uint32_t)(v == x[i]) << l;
            sum += (uint32_t)v;
            exor ^= (uint32_t)v;
        }
        want = ballot + five + positive + same + (same == ~0u ? same + 1 : 0);
        if (x[i] & 1)
            want += (uint32_t)__builtin_popcount(odd) + (uint32_t)x[i / 32 * 32 + __builtin_ctz(odd)];
        if (c->arch >= 80)
            want += sum + exor;
        corpus_expect(c, o[i] == want + (uint32_t)(two + all + any), "warp", i);
    }
}

static void atomics(struct corpus *c)
{
    enum { BLOCK = 128 };
    int a[64] = { 50, -5, 7, 3, 2, 4, -1, 0, 1000, 0 }, lock = 0, flags[2] = { 1, 0 }, count = 0;
    uint64_t b = 1;
    float f = 0;
    double d[2] = { 0, 0 };
    uint32_t inc = 2, dec = 4, ored = 0;
    CUdeviceptr da = corpus_up(c, a, sizeof(a)), db = corpus_up(c, &b, 8), df = corpus_up(c, &f, 4), dd = corpus_up(c, d, 16);
    CUdeviceptr dl = corpus_up(c, &lock, 4), dfl = corpus_up(c, flags, 8), dc;

    corpus_run(c, "at", 1, BLOCK, 0, ARGS(&da, &db, &df, &dd, &dl, &dfl));
    corpus_down(c, a, da, sizeof(a));
    corpus_down(c, &b, db, 8);
    corpus_down(c, &f, df, 4);
    corpus_down(c, d, dd, 16);
    corpus_down(c, flags, dfl, 8);
    for (uint32_t i = 0; i < BLOCK; i++) {
        inc = inc >= 9 ? 0 : inc + 1;
        dec = dec == 0 || dec > 9 ? 9 : dec - 1;
        ored |= i;
    }
    corpus_expect(c, a[0] == 0 && a[1] == BLOCK - 1 && a[2] >= 0 && a[2] < BLOCK && a[3] == 1, "at min max exch cas", a[3]);
    corpus_expect(c, (uint32_t)a[4] == inc && (uint32_t)a[5] == dec, "at inc dec", a[4]);
    corpus_expect(c, a[6] == 0 && a[7] == 0 && a[8] == 1000 - 3 * BLOCK && (uint32_t)a[9] == ored, "at and xor sub or", a[8]);
    corpus_expect(c, b == 1 + 3 * BLOCK && f == 1.5f * BLOCK && d[0] == BLOCK && d[1] == 2 * BLOCK, "at add", (long)b);
    corpus_expect(c, a[11] == BLOCK && a[12] == BLOCK && a[13] == BLOCK && flags[1] == 1, "at scopes and lock", a[13]);
    dc = corpus_up(c, &count, 4);
    corpus_run(c, "naivelock", 8, 64, 0, ARGS(&dl, &dc));
    corpus_down(c, &count, dc, 4);
    corpus_expect(c, count == 8 * 64, "naivelock", count);
}

static void shared(struct corpus *c)
{
    enum { BLOCK = 100 };
    float x[BLOCK], o[BLOCK];
    int nf = 128, count;
    CUdeviceptr dx, dO = corpus_up(c, NULL, sizeof(o));

    for (int i = 0; i < BLOCK; i++)
        x[i] = corpus_random(-4, 4);
    dx = corpus_up(c, x, sizeof(x));
    corpus_run(c, "dynsh", 1, BLOCK, 128 * 4 + BLOCK * 8, ARGS(&dx, &dO, &nf));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < BLOCK; i++)
        corpus_expect(c, o[i] == x[BLOCK - 1 - i] + (float)(x[BLOCK - 1 - i] * 2.0), "dynsh", i);
    corpus_run(c, "globs", 3, BLOCK, 0, ARGS(&dO));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < BLOCK; i++)
        corpus_expect(c, o[i] == 3.0f * (float)i + 5, "globs", i);
    corpus_down(c, &count, corpus_global(c, "cnt"), 4);
    corpus_expect(c, count == 3, "globs count", count);
}

const struct corpus_file corpus_threads[] = {
    { "k03_reduce", reduce },
    { "k04_hist", histogram },
    { "k05_scan", scan },
    { "k13_cgsync", grid_sync },
    { "k15_dynshared", shared },
    { "k19_warp", warp },
    { "k20_atom", atomics },
    { NULL, NULL },
};
