/* The nine kernels that a GPU program is mostly made of. */
#include "tests/kernels/cases.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------------- saxpy */

static void saxpy(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 7;
    float *x, *y, *want;

    kt_u32(k, n);
    kt_f32(k, 1.7f);
    kt_fill_floats(k, x = kt_in(k, KT_F32, n), n, -4, 4);
    kt_fill_floats(k, y = kt_inout(k, KT_F32, n, KT_EXACT), n, -4, 4);
    want = kt_want(k, y);
    for (unsigned i = 0; i < n; i++)
        want[i] = 1.7f * x[i] + y[i];
}

static void daxpy_stride(struct kt *k)
{
    unsigned n = 3 * kt_threads(k) + 5;
    double *x, *y, *want;

    kt_u64(k, n);
    kt_f64(k, -0.3);
    x = kt_in(k, KT_F64, n);
    y = kt_inout(k, KT_F64, n, KT_EXACT);
    for (unsigned i = 0; i < n; i++) {
        x[i] = kt_random(k) / 3.0;
        y[i] = kt_random(k) / 7.0;
    }
    want = kt_want(k, y);
    for (unsigned i = 0; i < n; i++)
        want[i] += -0.3 * x[i];
}

static void saxpy4(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 5;
    float *x, *y, *want;

    kt_u32(k, n);
    kt_f32(k, 0.9f);
    kt_fill_floats(k, x = kt_in(k, KT_F32, 4 * n), 4 * n, -4, 4);
    kt_fill_floats(k, y = kt_inout(k, KT_F32, 4 * n, KT_EXACT), 4 * n, -4, 4);
    want = kt_want(k, y);
    for (unsigned i = 0; i < 4 * n; i++)
        want[i] = y[i] + 0.9f * x[i];
}

static const struct kt_shape saxpy_shapes[] = { KT_SHAPE_1D(7, 1), KT_SHAPE_1D(5, 31), KT_SHAPE_1D(5, 33), KT_SHAPE_1D(9, 100),
    KT_SHAPE_1D(17, 256), KT_SHAPE_1D(2, 1024) };

/* ---------------------------------------------------------------------------------------------------------------------- sgemm */

static void sgemm(struct kt *k)
{
    unsigned m = k->grid[1] * 16 - 3, n = k->grid[0] * 16 - 5, depth = 37;
    float *a, *b, *c;

    kt_u32(k, m);
    kt_u32(k, n);
    kt_u32(k, depth);
    kt_fill_floats(k, a = kt_in(k, KT_F32, m * depth), m * depth, -1, 1);
    kt_fill_floats(k, b = kt_in(k, KT_F32, depth * n), depth * n, -1, 1);
    c = kt_want(k, kt_inout(k, KT_F32, m * n, KT_EXACT));
    for (unsigned row = 0; row < m; row++)
        for (unsigned col = 0; col < n; col++) {
            float sum = 0;

            for (unsigned i = 0; i < (depth + 15) / 16 * 16; i++) /* with the padding of the tiles: -0 + 0 is 0 */
                sum += i < depth ? a[row * depth + i] * b[i * n + col] : 0.f;
            c[row * n + col] = sum;
        }
}

static const struct kt_shape sgemm_shapes[] = { { { 1, 1, 1 }, { 16, 16, 1 } }, { { 3, 4, 1 }, { 16, 16, 1 } } };

/* --------------------------------------------------------------------------------------------------------------------- reduce */

/* v += v of the lane d to the right, for d = 16, 8, 4, 2, 1, of lanes lanes. */
static void fold_warp(float v[32], unsigned lanes, bool whole)
{
    for (unsigned d = 16; d; d >>= 1) {
        float old[32];

        for (unsigned l = 0; l < 32; l++)
            old[l] = v[l];
        for (unsigned l = 0; l < lanes; l++) {
            if (l + d < lanes)
                v[l] += old[l + d];
            else if (whole) /* beyond the warp, a shuffle gives the lane its own */
                v[l] += old[l];
        }
    }
}

static void reduce_block(const struct kt *k, unsigned block, unsigned n, const float *x, bool whole, float *sum)
{
    unsigned threads = k->block[0], stride = k->grid[0] * threads, nwarps = (threads + 31) / 32;
    float of_warp[32] = { 0 };

    for (unsigned w = 0; w < nwarps; w++) {
        unsigned lanes = threads - w * 32 < 32 ? threads - w * 32 : 32;
        float v[32] = { 0 };

        for (unsigned l = 0; l < lanes; l++)
            for (unsigned i = block * threads + w * 32 + l; i < n; i += stride)
                v[l] += x[i];
        fold_warp(v, lanes, whole);
        of_warp[w] = v[0];
    }
    if (whole)
        fold_warp(of_warp, 32, true);
    for (unsigned w = 1; w < nwarps && !whole; w++)
        of_warp[0] += of_warp[w];
    *sum = of_warp[0];
}

static void reduce_any(struct kt *k, bool whole)
{
    unsigned n = 5 * kt_threads(k) + 17;
    float *x, *sums;

    kt_u32(k, n);
    kt_fill_floats(k, x = kt_in(k, KT_F32, n), n, -1, 1);
    sums = kt_want(k, kt_inout(k, KT_F32, k->grid[0], KT_EXACT));
    for (unsigned b = 0; b < k->grid[0]; b++)
        reduce_block(k, b, n, x, whole, &sums[b]);
}

static void reduce(struct kt *k)
{
    reduce_any(k, true);
}

static void reduce_ragged(struct kt *k)
{
    reduce_any(k, false);
}

static const struct kt_shape ragged_1d[] = { KT_SHAPE_1D(3, 1), KT_SHAPE_1D(3, 31), KT_SHAPE_1D(3, 32), KT_SHAPE_1D(3, 33),
    KT_SHAPE_1D(3, 100), KT_SHAPE_1D(2, 256), KT_SHAPE_1D(1, 999) };

/* ----------------------------------------------------------------------------------------------------------------------- scan */

static void scan_any(struct kt *k)
{
    unsigned threads = k->block[0], n = kt_threads(k) - threads / 3;
    int *in, *out;

    kt_u32(k, n);
    kt_fill_bits(k, in = kt_in(k, KT_U32, n), n * sizeof(*in));
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++)
        out[i] = (int)((unsigned)in[i] + (i % threads ? (unsigned)out[i - 1] : 0));
}

static void scan_buffers(struct kt *k)
{
    k->shared_bytes = 2 * k->block[0] * sizeof(int);
    scan_any(k);
}

/* ------------------------------------------------------------------------------------------------------------------ histogram */

static void histogram(struct kt *k)
{
    unsigned n = 20 * kt_threads(k) + 3, *counts;
    unsigned char *bytes;

    kt_u32(k, n);
    kt_fill_bits(k, bytes = kt_in(k, KT_U8, n), n);
    for (unsigned i = 0; i < n / 2; i++) /* half of them crowd in a few values, so that lanes meet */
        bytes[i] &= 3;
    counts = kt_inout(k, KT_U32, 256, KT_EXACT);
    for (unsigned v = 0; v < 256; v++)
        counts[v] = v;
    counts = kt_want(k, counts);
    for (unsigned i = 0; i < n; i++)
        counts[bytes[i]]++;
}

/* -------------------------------------------------------------------------------------------------------------- Black-Scholes */

static double normal(double d)
{
    return 0.5 * (1 + erf(d * 0.70710678));
}

static void black_scholes(struct kt *k)
{
    const struct kt_tolerance tolerance = { 2e-5, 2e-5 }; /* expf and erff use ex2.approx; prices are up to 150 */
    const double rate = 0.02f, volatility = 0.3f;
    unsigned n = kt_threads(k) - kt_threads(k) / 9;
    float *spot, *strike, *years, *call, *put;

    kt_u32(k, n);
    kt_fill_floats(k, spot = kt_in(k, KT_F32, n), n, 5, 150);
    kt_fill_floats(k, strike = kt_in(k, KT_F32, n), n, 5, 150);
    kt_fill_floats(k, years = kt_in(k, KT_F32, n), n, 0.25f, 10);
    call = kt_want(k, kt_inout(k, KT_F32, n, tolerance));
    put = kt_want(k, kt_inout(k, KT_F32, n, tolerance));
    kt_f32(k, 0.02f);
    kt_f32(k, 0.3f);
    for (unsigned i = 0; i < n; i++) {
        double s = spot[i], x = strike[i], t = years[i], root = sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
        double d2 = d1 - volatility * root, now = x * exp(-rate * t);

        call[i] = (float)(s * normal(d1) - now * normal(d2));
        put[i] = (float)(now * (1 - normal(d2)) - s * (1 - normal(d1)));
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- nbody */

static void nbody_bodies(struct kt *k, unsigned n)
{
    const struct kt_tolerance tolerance = { 1e-4, 1e-4 }; /* rsqrt.approx, cubed, and a sum of n */
    float *bodies, *velocities, *want;

    kt_fill_floats(k, bodies = kt_in(k, KT_F32, 4 * n), 4 * n, 0, 1);
    kt_fill_floats(k, velocities = kt_inout(k, KT_F32, 4 * n, tolerance), 4 * n, -1, 1);
    kt_f32(k, 0.01f);
    kt_f32(k, 0.1f);
    want = kt_want(k, velocities);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            double d[3], r2 = 0.1f, pull;

            for (int c = 0; c < 3; c++) {
                d[c] = (double)bodies[4 * j + c] - bodies[4 * i + c];
                r2 += d[c] * d[c];
            }
            pull = bodies[4 * j + 3] / (r2 * sqrt(r2));
            for (int c = 0; c < 3; c++)
                want[4 * i + c] = (float)(want[4 * i + c] + 0.01f * d[c] * pull);
        }
}

static void nbody(struct kt *k)
{
    nbody_bodies(k, kt_threads(k));
}

static void nbody_ragged(struct kt *k)
{
    unsigned n = kt_threads(k) - k->block[0] / 2;

    k->shared_bytes = k->block[0] * 4 * sizeof(float);
    kt_u32(k, n);
    nbody_bodies(k, n);
}

static const struct kt_shape nbody_shapes[] = { KT_SHAPE_1D(1, 128), KT_SHAPE_1D(3, 128) };

/* -------------------------------------------------------------------------------------------------------------------- stencil */

static void stencil(struct kt *k)
{
    unsigned w = k->grid[0] * k->block[0] - (k->block[0] - 1) / 2, h = k->grid[1] * k->block[1] - (k->block[1] - 1) / 3;
    float *in, *out;

    kt_u32(k, w);
    kt_u32(k, h);
    kt_fill_floats(k, in = kt_in(k, KT_F32, w * h), w * h, -9, 9);
    kt_fill_floats(k, out = kt_inout(k, KT_F32, w * h, KT_EXACT), w * h, -9, 9);
    out = kt_want(k, out);
    for (unsigned y = 1; y + 1 < h; y++)
        for (unsigned x = 1; x + 1 < w; x++) {
            const float *p = in + y * w + x;

            out[y * w + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-(int)w] + p[w]);
        }
}

static int clamp(int v, int end)
{
    return v < 0 ? 0 : v >= end ? end - 1 : v;
}

static void stencil3d(struct kt *k)
{
    static const int steps[7][3] = { { 0, 0, 0 }, { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 0, -1 },
        { 0, 0, 1 } };
    int nx = (int)(k->grid[0] * k->block[0]), ny = (int)(k->grid[1] * k->block[1]), nz = (int)(k->grid[2] * k->block[2]) - 1;
    float *in, *out;

    nz += nz == 0;
    kt_u32(k, (uint32_t)nx);
    kt_u32(k, (uint32_t)ny);
    kt_u32(k, (uint32_t)nz);
    kt_fill_floats(k, in = kt_in(k, KT_F32, (size_t)(nx * ny * nz)), (size_t)(nx * ny * nz), -9, 9);
    out = kt_want(k, kt_inout(k, KT_F32, (size_t)(nx * ny * nz), KT_EXACT));
    for (int i = 0; i < nx * ny * nz; i++)
        for (int s = 0; s < 7; s++) {
            int x = clamp(i % nx + steps[s][0], nx), y = clamp(i / nx % ny + steps[s][1], ny),
                z = clamp(i / (nx * ny) + steps[s][2], nz);
            float v = in[(z * ny + y) * nx + x];

            out[i] = s ? out[i] + v : v;
        }
}

/* ----------------------------------------------------------------------------------------------------------------- Mandelbrot */

static int escape(float cx, float cy, int limit)
{
    float x = 0, y = 0;
    int i = 0;

    while (i < limit && x * x + y * y < 4.f) {
        float next = x * x - y * y + cx;

        y = 2.f * x * y + cy;
        x = next;
        i++;
    }
    return i;
}

static void mandelbrot(struct kt *k)
{
    unsigned w = k->grid[0] * k->block[0] - (k->block[0] - 1) / 2, h = k->grid[1] * k->block[1] - (k->block[1] - 1) / 3;
    float step = 3.f / (float)w;
    int *out;

    kt_u32(k, w);
    kt_u32(k, h);
    kt_f32(k, -2.1f);
    kt_f32(k, -1.2f);
    kt_f32(k, step);
    kt_u32(k, 200);
    out = kt_want(k, kt_inout(k, KT_U32, w * h, KT_EXACT));
    for (unsigned i = 0; i < w * h; i++)
        out[i] = escape(-2.1f + (float)(i % w) * step, -1.2f + (float)(i / w) * step, 200);
}

static const struct kt_case cases[] = {
    { "saxpy", "saxpy", saxpy, KT_SHAPES(saxpy_shapes) },
    { "saxpy", "daxpy_stride", daxpy_stride, KT_SHAPES(saxpy_shapes) },
    { "saxpy", "saxpy4", saxpy4, KT_SHAPES(saxpy_shapes) },
    { "sgemm", "sgemm", sgemm, KT_SHAPES(sgemm_shapes) },
    { "reduce", "reduce", reduce, KT_SHAPES(kt_whole_warps) },
    { "reduce", "reduce_ragged", reduce_ragged, KT_SHAPES(ragged_1d) },
    { "scan", "scan", scan_any, KT_SHAPES(kt_whole_warps) },
    { "scan", "scan_buffers", scan_buffers, KT_SHAPES(ragged_1d) },
    { "histogram", "histogram", histogram, KT_SHAPES(ragged_1d) },
    { "black_scholes", "black_scholes", black_scholes, KT_SHAPES(saxpy_shapes) },
    { "nbody", "nbody", nbody, KT_SHAPES(nbody_shapes) },
    { "nbody", "nbody_ragged", nbody_ragged, KT_SHAPES(ragged_1d) },
    { "stencil", "stencil", stencil, KT_SHAPES(kt_2d_shapes) },
    { "stencil", "stencil3d", stencil3d, KT_SHAPES(kt_any_shapes) },
    { "mandelbrot", "mandelbrot", mandelbrot, KT_SHAPES(kt_2d_shapes) },
};
const struct kt_table kt_cases_nine = KT_TABLE(cases);
