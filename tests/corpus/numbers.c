/* numbers.c - one thread, one element: arithmetic of all types. */
#include "tests/corpus/corpus.h"

#include <math.h>
#include <string.h>

#include "softcuda/run/half.h"

#define N 1000

static void fill(float *x, int n, float low, float high)
{
    for (int i = 0; i < n; i++)
        x[i] = corpus_random(low, high);
}

static void saxpy(struct corpus *c)
{
    float x[N], y[N], got[N], a = 1.5f;
    double xd[N], yd[N], gotd[N], ad = -0.25;
    int n = N - 3, quads = N / 4;
    size_t nd = N;
    CUdeviceptr dx, dy;

    fill(x, N, -2, 2);
    fill(y, N, -2, 2);
    dx = corpus_up(c, x, sizeof(x));
    dy = corpus_up(c, y, sizeof(y));
    corpus_run(c, "saxpy", 4, 256, 0, ARGS(&n, &a, &dx, &dy));
    corpus_down(c, got, dy, sizeof(got));
    for (int i = 0; i < N; i++)
        corpus_expect(c, corpus_near(got[i], i < n ? a * x[i] + y[i] : y[i], 1e-6), "saxpy", i);
    dy = corpus_up(c, y, sizeof(y));
    corpus_run(c, "saxpy4", 3, 100, 0, ARGS(&quads, &a, &dx, &dy));
    corpus_down(c, got, dy, sizeof(got));
    for (int i = 0; i < N; i++)
        corpus_expect(c, corpus_near(got[i], a * x[i] + y[i], 1e-6), "saxpy4", i);
    for (int i = 0; i < N; i++) {
        xd[i] = x[i];
        yd[i] = y[i];
    }
    dx = corpus_up(c, xd, sizeof(xd));
    dy = corpus_up(c, yd, sizeof(yd));
    corpus_run(c, "daxpy_gs", 2, 100, 0, ARGS(&nd, &ad, &dx, &dy));
    corpus_down(c, gotd, dy, sizeof(gotd));
    for (int i = 0; i < N; i++)
        corpus_expect(c, corpus_near(gotd[i], yd[i] + ad * xd[i], 1e-14), "daxpy_gs", i);
}

static void sgemm(struct corpus *c)
{
    enum { M = 45, K = 37, COLS = 50 };
    static float a[M * K], b[K * COLS], got[M * COLS];
    int m = M, n = COLS, k = K;
    CUdeviceptr da, db, dc;

    fill(a, M * K, -1, 1);
    fill(b, K * COLS, -1, 1);
    da = corpus_up(c, a, sizeof(a));
    db = corpus_up(c, b, sizeof(b));
    dc = corpus_up(c, NULL, sizeof(got));
    corpus_run_2d(c, "sgemm_tiled", 4, 3, 16, 16, ARGS(&m, &n, &k, &da, &db, &dc));
    corpus_down(c, got, dc, sizeof(got));
    for (int i = 0; i < M * COLS; i++) {
        double sum = 0, most = 0;
        for (int j = 0; j < K; j++) {
            sum += (double)a[i / COLS * K + j] * b[j * COLS + i % COLS];
            most += fabs((double)a[i / COLS * K + j] * b[j * COLS + i % COLS]);
        }
        corpus_expect(c, fabs(got[i] - sum) < 1e-6 * most, "sgemm", i);
    }
}

static double normal(double d)
{
    return 0.5 * (1 + erf(d * 0.7071067811865476));
}

static void black_scholes(struct corpus *c)
{
    float s[N], k[N], t[N], call[N], put[N], r = 0.02f, v = 0.3f, x[N], y[N];
    double xd[N], yd[N];
    int n = N;
    CUdeviceptr ds, dk, dt, dcall, dput;

    fill(s, N, 5, 30);
    fill(k, N, 1, 100);
    fill(t, N, 0.25f, 10);
    ds = corpus_up(c, s, sizeof(s));
    dk = corpus_up(c, k, sizeof(k));
    dt = corpus_up(c, t, sizeof(t));
    dcall = corpus_up(c, NULL, sizeof(call));
    dput = corpus_up(c, NULL, sizeof(put));
    corpus_run(c, "bs", 4, 256, 0, ARGS(&ds, &dk, &dt, &dcall, &dput, &r, &v, &n));
    corpus_down(c, call, dcall, sizeof(call));
    corpus_down(c, put, dput, sizeof(put));
    for (int i = 0; i < N; i++) {
        double d1 = (log((double)s[i] / k[i]) + (r + 0.5 * v * v) * t[i]) / (v * sqrt(t[i])), d2 = d1 - v * sqrt(t[i]);
        double e = exp(-(double)r * t[i]);
        corpus_expect(c, fabs(call[i] - (s[i] * normal(d1) - k[i] * e * normal(d2))) < 2e-4, "bs call", i);
        corpus_expect(c, fabs(put[i] - (k[i] * e * normal(-d2) - s[i] * normal(-d1))) < 2e-4, "bs put", i);
    }
    fill(x, N, 0.1f, 8);
    for (int i = 0; i < N; i++)
        xd[i] = x[i];
    ds = corpus_up(c, x, sizeof(x));
    dk = corpus_up(c, NULL, sizeof(y));
    dt = corpus_up(c, xd, sizeof(xd));
    dcall = corpus_up(c, NULL, sizeof(yd));
    corpus_run(c, "mathf", 10, 100, 0, ARGS(&ds, &dk, &dt, &dcall, &n));
    corpus_down(c, y, dk, sizeof(y));
    corpus_down(c, yd, dcall, sizeof(yd));
    for (int i = 0; i < N; i++) {
        double a = x[i], d = xd[i];
        double w = sin(a) + cos(a) + tanh(a) + pow(a, 1.7f) + log2(a) + exp2(a) + atan2(a, 2) + fmod(a, 3) + round(a) + floor(a) +
            cbrt(a) - fabs(a) + fabs(a) + exp(a) + sin(a) + a / 3;
        corpus_expect(c, corpus_near(y[i], w, 2e-5), "mathf", i);
        w = exp(d) + log(d) + sqrt(d) + sin(d) + pow(d, 1.5) + 1 / d + 1 / sqrt(d) + fma(d, d, 1) + trunc(d) + erf(d);
        corpus_expect(c, corpus_near(yd[i], w, 1e-12), "mathf f64", i);
    }
}

static void nbody(struct corpus *c)
{
    enum { BODIES = 256 };
    static float p[BODIES][4], v[BODIES][4], got[BODIES][4];
    int n = BODIES;
    float dt = 0.01f, eps2 = 0.05f;
    CUdeviceptr dp, dv;

    fill(&p[0][0], BODIES * 4, 0.1f, 1);
    fill(&v[0][0], BODIES * 4, -1, 1);
    dp = corpus_up(c, p, sizeof(p));
    dv = corpus_up(c, v, sizeof(v));
    corpus_run(c, "nbody", 2, 128, 0, ARGS(&dp, &dv, &n, &dt, &eps2));
    corpus_down(c, got, dv, sizeof(got));
    for (int i = 0; i < BODIES; i++) {
        double a[3] = { 0 };
        for (int j = 0; j < BODIES; j++) {
            double d[3], r2 = eps2;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)p[j][k] - p[i][k];
                r2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                a[k] += d[k] * p[j][3] / (r2 * sqrt(r2));
        }
        for (int k = 0; k < 3; k++)
            corpus_expect(c, fabs(got[i][k] - (v[i][k] + dt * a[k])) < 1e-3, "nbody", i);
        corpus_expect(c, got[i][3] == v[i][3], "nbody w", i);
    }
}

static void halves(struct corpus *c)
{
    static uint16_t a[2 * N + 2], b[2 * N], h[2 * N + 2];
    static float f[N], o[N];
    static int32_t ints[N], back[N];
    static uint8_t bytes[N];
    int n = N;
    CUdeviceptr da, db, dc, dO, du, df;

    for (int i = 0; i < 2 * N; i++) {
        a[i] = sc_float_to_half(corpus_random(-2, 2));
        b[i] = sc_float_to_half(corpus_random(-2, 2));
    }
    da = corpus_up(c, a, sizeof(a));
    db = corpus_up(c, b, sizeof(b));
    dc = corpus_up(c, NULL, sizeof(h));
    corpus_run(c, "hadd", 4, 256, 0, ARGS(&da, &db, &dc, &n));
    corpus_down(c, h, dc, sizeof(h));
    for (int i = 0; i < N; i++) {
        float x = sc_half_to_float(a[i]), y = sc_half_to_float(b[i]), z = sc_half_to_float(sc_float_to_half(x * y + x));
        double want = z > y ? z * z : expf(z);
        corpus_expect(c, fabs(sc_half_to_float(h[i]) - want) <= 2e-3 * want + 1e-7, "hadd", i); /* small squares are subnormal */
    }
    corpus_run(c, "h2", 10, 100, 0, ARGS(&da, &db, &dc, &n));
    corpus_down(c, h, dc, sizeof(h));
    for (int i = 0; i < 2 * N; i++) {
        float x = sc_half_to_float(a[i]), y = sc_half_to_float(b[i]), z = sc_half_to_float(sc_float_to_half(x + (x > y ? x : y)));
        corpus_expect(c, h[i] == sc_float_to_half(x * y + z), "h2", i);
    }
    for (int i = 0; i < 2 * N; i++) { /* the same as bf16: the upper half of a float */
        float x = corpus_random(-2, 2), y = corpus_random(-2, 2);
        uint32_t word;
        memcpy(&word, &x, 4);
        a[i] = (uint16_t)(word >> 16);
        memcpy(&word, &y, 4);
        b[i] = (uint16_t)(word >> 16);
        f[i / 2] = x;
    }
    da = corpus_up(c, a, sizeof(a));
    db = corpus_up(c, b, sizeof(b));
    dO = corpus_up(c, f, sizeof(f));
    corpus_run(c, "bf", 4, 256, 0, ARGS(&da, &db, &dc, &dO, &n));
    corpus_down(c, h, dc, sizeof(h));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < N; i++) {
        float x = sc_bfloat_to_float(a[i]), y = sc_bfloat_to_float(b[i]);
        corpus_expect(c, fabsf(sc_bfloat_to_float(h[i]) - (x * y + x)) <= 0.004f * fabsf(x * y + x), "bf", i);
        corpus_expect(c, corpus_near(o[i], x * y + sc_half_to_float(sc_float_to_half(f[i])), 1e-6), "bf f32", i);
    }
    corpus_run(c, "bf2", 10, 100, 0, ARGS(&da, &dc, &n));
    corpus_down(c, h, dc, sizeof(h));
    for (int i = 0; i < 2 * N; i++) {
        float x = sc_bfloat_to_float(a[i]);
        corpus_expect(c, corpus_near(sc_bfloat_to_float(h[i]), x * x + 1.5f, 0.008), "bf2", i);
    }
    for (int i = 0; i < N; i++) {
        ints[i] = i % 3 - 1;
        f[i] = (float)(i % 256) + 0.75f;
    }
    da = corpus_up(c, ints, sizeof(ints));
    dc = corpus_up(c, NULL, sizeof(h));
    dO = corpus_up(c, NULL, sizeof(back));
    du = corpus_up(c, NULL, sizeof(bytes));
    df = corpus_up(c, f, sizeof(f));
    corpus_run(c, "hconv", 4, 256, 0, ARGS(&da, &dc, &dO, &du, &df, &n));
    corpus_down(c, h, dc, sizeof(h));
    corpus_down(c, back, dO, sizeof(back));
    corpus_down(c, bytes, du, sizeof(bytes));
    for (int i = 0; i < N; i++) {
        corpus_expect(c, sc_half_to_float(h[i]) == (float)ints[i] && back[i] == ints[i], "hconv", i);
        corpus_expect(c, bytes[i] == i % 256, "hconv u8", i);
    }
    corpus_expect(c, sc_half_to_float(h[N]) == -1, "hconv sum", 0); /* 334 times -1, 333 times 1 */
}

static void stencil(struct corpus *c)
{
    enum { W = 70, H = 45 };
    static const int offsets[9][2] = { { -1, -1 }, { 0, -1 }, { 1, -1 }, { -1, 0 }, { 0, 0 }, { 1, 0 }, { -1, 1 }, { 0, 1 },
        { 1, 1 } };
    static float in[H][W], out[H][W];
    float weights[9];
    int w = W, h = H;
    CUdeviceptr di, dO, dw;

    fill(&in[0][0], W * H, -1, 1);
    fill(weights, 9, 0, 1);
    di = corpus_up(c, in, sizeof(in));
    dO = corpus_up(c, NULL, sizeof(out));
    corpus_run_2d(c, "stencil5", 3, 6, 32, 8, ARGS(&di, &dO, &w, &h));
    corpus_down(c, out, dO, sizeof(out));
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            float s = 0.2f * (in[y][x] + in[y][x - 1] + in[y][x + 1] + in[y - 1][x] + in[y + 1][x]);
            corpus_expect(c, fabsf(out[y][x] - s) < 1e-6f, "stencil5", y * W + x);
        }
    dw = corpus_global(c, "w");
    CALL(c, cuMemcpyHtoD_v2, dw, weights, sizeof(weights));
    corpus_run_2d(c, "conv9", 7, 4, 10, 13, ARGS(&di, &dO, &w, &h));
    corpus_down(c, out, dO, sizeof(out));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float s = 0;
            for (int k = 0; k < 9; k++) {
                int xx = x + offsets[k][0], yy = y + offsets[k][1];
                s += weights[k] * in[yy < 0 ? 0 : yy > H - 1 ? H - 1 : yy][xx < 0 ? 0 : xx > W - 1 ? W - 1 : xx];
            }
            corpus_expect(c, fabsf(out[y][x] - s) < 1e-5f, "conv9", y * W + x);
        }
}

static uint32_t xorwow(uint32_t *s)
{
    uint32_t t = s[4], q = s[0];

    s[4] = s[3];
    s[3] = s[2];
    s[2] = s[1];
    s[1] = q;
    t ^= t >> 2;
    t ^= t << 1;
    t ^= q ^ (q << 4);
    s[0] = t;
    s[5] += 362437;
    return t + s[5];
}

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1)
{
    for (int i = 0; i < 10; i++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t n[4] = { (uint32_t)(p1 >> 32) ^ c[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ k1, (uint32_t)p0 };
        memcpy(c, n, sizeof(n));
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;

    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static void rng(struct corpus *c)
{
    static uint32_t o[N];
    static float f[N];
    static uint64_t p[N];
    int n = N;
    CUdeviceptr dO = corpus_up(c, NULL, sizeof(o)), df = corpus_up(c, NULL, sizeof(f)), dp = corpus_up(c, NULL, sizeof(p));

    corpus_run(c, "rng", 10, 100, 0, ARGS(&dO, &df, &dp, &n));
    corpus_down(c, o, dO, sizeof(o));
    corpus_down(c, f, df, sizeof(f));
    corpus_down(c, p, dp, sizeof(p));
    for (int i = 0; i < N; i++) {
        uint32_t s[6] = { (uint32_t)i + 1, 2, 3, 4, 5, 6 }, a = 0, r[4] = { (uint32_t)i, 0, 0, 0 }, want, dot = 3;
        for (int k = 0; k < 16; k++)
            a ^= xorwow(s);
        philox(r, a, 7);
        for (int k = 0; k < 4; k++)
            dot += (uint32_t)((int8_t)(r[0] >> 8 * k) * (int8_t)(r[1] >> 8 * k));
        want = r[0] ^ (uint32_t)__builtin_popcount(r[1]) ^ (uint32_t)(r[2] ? __builtin_clz(r[2]) : 32) ^ reversed(r[3]) ^
            (uint32_t)__builtin_ffs((int)a);
        want ^= (r[1] << 7 | r[0] >> 25) ^
            ((r[0] & 0xff) | (r[1] & 0xff) << 8 | (r[0] >> 8 & 0xff) << 16 | (r[1] >> 8 & 0xff) << 24) ^ dot;
        corpus_expect(c, o[i] == want, "rng", i);
        corpus_expect(c, f[i] == (float)(r[0] >> 8) * 0x1p-24f, "rng f32", i);
        corpus_expect(c,
            p[i] ==
                (uint64_t)(((unsigned __int128)((uint64_t)r[0] << 32 | r[1]) * 0x9E3779B97F4A7C15ull) >> 64) +
                    (uint64_t)(i % 7) * (unsigned)(n / (i + 1)),
            "rng u64", i);
    }
}

static void templates(struct corpus *c)
{
    float f[5] = { 1, 2, 3, 4, 5.5f }, of[100], fsum = 15.5f;
    double d[7] = { 1, 2, 3, 4, 5, 6, 7.25 }, od[100];
    int16_t s[4] = { 1000, -2, 30, 4 }, os[100];
    int8_t b[100], ob[100];
    int64_t l[100], ol[100];
    uint16_t u[100], ou[100];
    int n = 100;
    CUdeviceptr dO = corpus_up(c, NULL, 1024), di;

    corpus_run(c, "_Z2tkIfLi5EEv1VIT_XT0_EEPS1_", 1, 100, 0, ARGS(f, &dO));
    corpus_down(c, of, dO, sizeof(of));
    corpus_run(c, "_Z2tkIdLi7EEv1VIT_XT0_EEPS1_", 2, 50, 0, ARGS(d, &dO));
    corpus_down(c, od, dO, sizeof(od));
    corpus_run(c, "_Z2tkIsLi4EEv1VIT_XT0_EEPS1_", 1, 100, 0, ARGS(s, &dO));
    corpus_down(c, os, dO, sizeof(os));
    for (int i = 0; i < 100; i++) {
        corpus_expect(c, corpus_near(of[i], fsum, 1e-6) && corpus_near(od[i], 28.25, 1e-14) && os[i] == 1032, "tk", i);
        b[i] = (int8_t)(i * 5 - 128);
        l[i] = (i - 50) * 3000000000ll;
        u[i] = (uint16_t)(i * 700);
    }
    di = corpus_up(c, b, sizeof(b));
    corpus_run(c, "_Z2mxIaEvPKT_PS0_i", 1, 100, 0, ARGS(&di, &dO, &n));
    corpus_down(c, ob, dO, sizeof(ob));
    di = corpus_up(c, l, sizeof(l));
    corpus_run(c, "_Z2mxIxEvPKT_PS0_i", 4, 31, 0, ARGS(&di, &dO, &n));
    corpus_down(c, ol, dO, sizeof(ol));
    di = corpus_up(c, u, sizeof(u));
    corpus_run(c, "_Z2mxItEvPKT_PS0_i", 1, 128, 0, ARGS(&di, &dO, &n));
    corpus_down(c, ou, dO, sizeof(ou));
    for (int i = 0; i < 100; i++) {
        corpus_expect(c, ob[i] == (int8_t)(b[i] < 0 ? -b[i] : b[i] * b[i]), "mx s8", i);
        corpus_expect(c, ol[i] == (l[i] < 0 ? -l[i] : (int64_t)((uint64_t)l[i] * (uint64_t)l[i])), "mx s64", i);
        corpus_expect(c, ou[i] == (uint16_t)((unsigned)u[i] * u[i]), "mx u16", i);
    }
}

const struct corpus_file corpus_numbers[] = {
    { "k01_saxpy", saxpy },
    { "k02_sgemm", sgemm },
    { "k06_bs", black_scholes },
    { "k07_nbody", nbody },
    { "k09_templ", templates },
    { "k10_half", halves },
    { "k11_stencil", stencil },
    { "k12_rng", rng },
    { NULL, NULL },
};
