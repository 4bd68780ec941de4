/* rest.c - printf, calls, local memory, inline assembly, matrices, textures, and what fits nowhere else. */
#include "tests/corpus/corpus.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softcuda/run/half.h"

/* What device code prints goes to this process's standard output. */
static void prints(struct corpus *c)
{
    char path[] = "/tmp/corpusXXXXXX", text[1024] = "", line[100];
    int n = 3, file = mkstemp(path), saved = dup(1);
    float f = 2.5f;

    fflush(stdout);
    dup2(file, 1);
    corpus_run(c, "pf", 1, 32, 0, ARGS(&n, &f));
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    corpus_expect(c, pread(file, text, sizeof(text) - 1, 0) > 0, "pf prints", 0);
    close(file);
    unlink(path);
    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof(line), "t %d f %f s hi ll %lld\n", i, f, (long long)i << 33);
        corpus_expect(c, strstr(text, line), "pf", i);
    }
}

struct pair {
    double a;
    int b[5];
};

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void calls(struct corpus *c)
{
    enum { BLOCK = 64 };
    float o[BLOCK], got[BLOCK];
    struct pair p[BLOCK], back[BLOCK];
    int q[BLOCK], n = 9;
    CUdeviceptr dO, dp, dq = corpus_up(c, NULL, sizeof(q));

    memset(p, 0, sizeof(p));
    for (int i = 0; i < BLOCK; i++) {
        o[i] = (float)(i % 5) / 4;
        p[i].a = i;
        p[i].b[4] = 100 + i;
    }
    dO = corpus_up(c, o, sizeof(o));
    dp = corpus_up(c, p, sizeof(p));
    corpus_run(c, "calls", 1, BLOCK, 0, ARGS(&dO, &dp, &dq, &n));
    corpus_down(c, got, dO, sizeof(got));
    corpus_down(c, back, dp, sizeof(back));
    corpus_down(c, q, dq, sizeof(q));
    for (int i = 0; i < BLOCK; i++) {
        float r = 0;
        for (int k = 0; k < n; k++)
            r = r * o[i] + (float)k;
        r += i & 1 ? o[i] * 2 : o[i] + 1;
        r += i & 2 ? r * 3 : r;
        corpus_expect(c, corpus_near(got[i], r, 1e-6), "calls", i);
        corpus_expect(c, back[i].a == i * 9.0 && back[i].b[4] == 109 + i && back[i].b[0] == 0, "calls struct", i);
        corpus_expect(c, q[i] == fib(9), "calls recursion", i);
    }
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void local(struct corpus *c)
{
    static int x[64][32], o[64][32];
    int n = 5;
    CUdeviceptr dx, dO = corpus_up(c, NULL, sizeof(o));

    for (int i = 0; i < 64 * 32; i++)
        x[i / 32][i % 32] = (int)corpus_random(-1000, 1000);
    dx = corpus_up(c, x, sizeof(x));
    corpus_run(c, "loc", 1, 64, 0, ARGS(&dx, &dO, &n));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 0; i < 64; i++) {
        qsort(x[i], 32, sizeof(int), by_value);
        for (int k = 0; k < 32; k++)
            corpus_expect(c, o[i][k] == x[i][k * n & 31], "loc", i);
    }
}

static double switched(int op, double a, int i)
{
    switch (op) {
    case 0:
        return sin(a);
    case 1:
        return exp(a);
    case 2:
        return a * a;
    case 3:
        return 1 / a;
    case 4:
        return sqrt(a);
    case 5:
        return fabs(a);
    case 6:
        return a + 7;
    case 7:
        for (int k = 0; k < i; k++)
            a = a * 0.5 + 1;
        return a;
    case 8:
        return -a - 3;
    case 9:
        return a - 3;
    default:
        return 0;
    }
}

static void branches(struct corpus *c)
{
    enum { N = 500 };
    int op[N], n = N;
    float x[N], got[N];
    CUdeviceptr dop, dx;

    for (int i = 0; i < N; i++) {
        op[i] = i * 7 % 12 - 1;
        x[i] = corpus_random(0.1f, 4);
    }
    dop = corpus_up(c, op, sizeof(op));
    dx = corpus_up(c, x, sizeof(x));
    corpus_run(c, "sw", 5, 100, 0, ARGS(&dop, &dx, &n));
    corpus_down(c, got, dx, sizeof(got));
    for (int i = 0; i < N; i++)
        corpus_expect(c, corpus_near(got[i], switched(op[i], x[i], i), 1e-5), "sw", i);
}

static void assembly(struct corpus *c)
{
    uint32_t o[64];
    uint64_t t[64];
    CUdeviceptr dO = corpus_up(c, NULL, sizeof(o)), dt = corpus_up(c, NULL, sizeof(t));

    corpus_run(c, "ia", 1, 64, 0, ARGS(&dO, &dt));
    corpus_down(c, o, dO, sizeof(o));
    corpus_down(c, t, dt, sizeof(t));
    for (int i = 0; i < 64; i++)
        corpus_expect(c, o[i] == 0xfffffff0u && t[i], "ia", i);
}

static void matrices(struct corpus *c)
{
    enum { N = 512 };
    static float x[N][4], got[N][4];
    uint16_t a[256], b[256];
    float d[256];
    CUdeviceptr dx, dy, dd;

    if (c->arch >= 80) {
        for (int i = 0; i < 4 * N; i++)
            x[i / 4][i % 4] = (float)i;
        dx = corpus_up(c, x, sizeof(x));
        dy = corpus_up(c, NULL, sizeof(got));
        corpus_run(c, "cpa", 2, 256, 0, ARGS(&dx, &dy));
        corpus_down(c, got, dy, sizeof(got));
        for (int i = 0; i < N; i++)
            corpus_expect(c, got[i][3] == x[i / 256 * 256 + 255 - i % 256][3], "cpa", i);
    }
    for (int i = 0; i < 256; i++) {
        a[i] = sc_float_to_half((float)(i * 7 % 15 - 7) / 4);
        b[i] = sc_float_to_half((float)(i * 5 % 13 - 6) / 2);
    }
    dx = corpus_up(c, a, sizeof(a));
    dy = corpus_up(c, b, sizeof(b));
    dd = corpus_up(c, NULL, sizeof(d));
    corpus_run(c, "wm", 1, 32, 0, ARGS(&dx, &dy, &dd));
    corpus_down(c, d, dd, sizeof(d));
    for (int i = 0; i < 256; i++) { /* eighths: exact in any order */
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += sc_half_to_float(a[i / 16 * 16 + k]) * sc_half_to_float(b[i % 16 * 16 + k]);
        corpus_expect(c, d[i] == sum, "wm", i);
    }
}

static void textures(struct corpus *c)
{
    enum { W = 32, H = 6 };
    static float texels[H][W], o[H][W], back[H][W];
    CUDA_ARRAY3D_DESCRIPTOR d = { W, H, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST };
    CUDA_RESOURCE_DESC r = { .type = CU_RESOURCE_TYPE_ARRAY };
    CUDA_TEXTURE_DESC point = { .address = { CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP } };
    CUDA_MEMCPY2D copy = { .from = { .type = CU_MEMORYTYPE_HOST, .host = texels, .pitch = sizeof(texels[0]) },
        .to = { .type = CU_MEMORYTYPE_ARRAY },
        .width = sizeof(texels[0]),
        .height = H };
    CUarray in, out;
    CUtexObject t = 0;
    CUsurfObject s = 0;
    int w = W;
    CUdeviceptr dO = corpus_up(c, NULL, sizeof(o));

    for (int i = 0; i < W * H; i++)
        texels[i / W][i % W] = corpus_random(-1, 1);
    CALL(c, cuArray3DCreate_v2, &in, &d);
    CALL(c, cuArray3DCreate_v2, &out, &d);
    copy.to.array = in;
    CALL(c, cuMemcpy2D_v2, &copy);
    r.of.array = in;
    CALL(c, cuTexObjectCreate, &t, &r, &point, NULL);
    r.of.array = out;
    CALL(c, cuSurfObjectCreate, &s, &r);
    corpus_run(c, "tx", H, W, 0, ARGS(&t, &s, &dO, &w));
    corpus_down(c, o, dO, sizeof(o));
    copy.to = (struct sc_abi_memcpy2d_side){ .type = CU_MEMORYTYPE_HOST, .host = back, .pitch = sizeof(back[0]) };
    copy.from = (struct sc_abi_memcpy2d_side){ .type = CU_MEMORYTYPE_ARRAY, .array = out };
    CALL(c, cuMemcpy2D_v2, &copy);
    for (int i = 0; i < W * H; i++)
        corpus_expect(c, o[i / W][i % W] == texels[i / W][i % W] && back[i / W][i % W] == texels[i / W][i % W], "tx", i);
    CALL(c, cuTexObjectDestroy, t);
    CALL(c, cuSurfObjectDestroy, s);
    CALL(c, cuArrayDestroy, in);
    CALL(c, cuArrayDestroy, out);
}

static void mandelbrot(struct corpus *c)
{
    enum { W = 100, H = 40, MOST = 60 };
    static uint8_t got[H][W];
    int w = W, h = H, most = MOST, differ = 0;
    CUdeviceptr dO = corpus_up(c, NULL, sizeof(got));

    corpus_run_2d(c, "mandel", 1, H, 128, 1, ARGS(&dO, &w, &h, &most));
    corpus_down(c, got, dO, sizeof(got));
    for (int i = 0; i < W * H; i++) {
        float cx = (float)(i % W) * 3.f / W - 2, cy = (float)(i / W) * 2.f / H - 1, zx = 0, zy = 0;
        int k = 0;
        for (; k < MOST && zx * zx + zy * zy < 4; k++) {
            float t = zx * zx - zy * zy + cx;
            zy = 2 * zx * zy + cy;
            zx = t;
        }
        differ += got[i / W][i % W] != k; /* fused or not, points on the edge escape sooner or later */
    }
    corpus_expect(c, differ < W * H / 100, "mandel", differ);
}

static void miscellany(struct corpus *c)
{
    enum { BLOCK = 256 };
    float o[BLOCK], x[BLOCK];
    int a[BLOCK], n = 7;
    CUdeviceptr da, dO = corpus_up(c, NULL, sizeof(o)), dx;

    for (int i = 0; i < BLOCK; i++) {
        x[i] = corpus_random(0.2f, 5);
        a[i] = 3 * i + 1000;
    }
    da = corpus_up(c, a, sizeof(a));
    dx = corpus_up(c, x, sizeof(x));
    corpus_run(c, "misc", 1, BLOCK, 0, ARGS(&da, &dO, &dx, &n));
    corpus_down(c, o, dO, sizeof(o));
    for (int i = 8; i < BLOCK; i++) { /* the first of a are written meanwhile */
        double v = x[i],
               want = v + v + (v + 1) + 2 * v + (v * 2 + 1) + (v > 1 ? 1 : v) + 1 / v + sqrt(v) + nearbyint(v) + a[i] + v / 3;
        corpus_expect(c, corpus_near(o[i], want, 1e-5), "misc", i);
    }
    corpus_down(c, a, da, sizeof(a));
    corpus_expect(c, a[0] == 1000 + BLOCK && a[6] >= 0 && a[6] < BLOCK, "misc counts", a[0]);
    mandelbrot(c);
}

const struct corpus_file corpus_rest[] = {
    { "k08_printf", prints },
    { "k14_func", calls },
    { "k16_local", local },
    { "k17_switch", branches },
    { "k18_asm", assembly },
    { "k21_async", matrices },
    { "k22_tex", textures },
    { "k23_misc", miscellany },
    { NULL, NULL },
};

const struct corpus_file *const corpus_tables[] = { corpus_numbers, corpus_threads, corpus_rest, NULL };
