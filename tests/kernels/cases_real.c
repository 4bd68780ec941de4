/* Floating-point arithmetic: every rounding, exact operations, conversions, approximations. Compiled without contraction. What
 * is computed between two changes of the rounding mode is volatile, to stay there. */
#include "tests/kernels/cases.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const int roundings[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
static const struct kt_shape shapes[] = { KT_SHAPE_1D(2, 31), KT_SHAPE_1D(3, 64), KT_SHAPE_1D(5, 100) };

/* ------------------------------------------------------------------------------------------------------------------- operands */

static float from_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* Of three numbers one is an edge, one has any exponent, one is near 1 with a full significand. */
static float edge_f32(struct kt *k)
{
    static const uint32_t edges[] = { 0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800001, 0x3f800000,
        0xbf7fffff, 0x4b800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fffffff, 0x33800000, 0x5f000000 };
    uint32_t random = kt_random(k);

    switch (random % 3) {
    case 0:
        return from_bits(edges[random >> 8 & 15]);
    case 1:
        return from_bits(random >> 31 ? 0x7fffffff : kt_random(k) & 0xff7fffff);
    default:
        return from_bits(0x3f000000 | (random >> 3 & 0x80ffffff));
    }
}

static double edge_f64(struct kt *k)
{
    uint64_t bits;
    double d;

    if (kt_random(k) % 3 == 0)
        return (double)edge_f32(k);
    bits = (uint64_t)kt_random(k) << 32;
    bits |= kt_random(k);
    bits = kt_random(k) & 1 ? (bits & 0x800fffffffffffff) | 0x3ff0000000000000 : bits & 0xffefffffffffffff;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static float *edges_f32(struct kt *k, unsigned n)
{
    float *p = kt_in(k, KT_F32, n);

    for (unsigned i = 0; i < n; i++)
        p[i] = edge_f32(k);
    return p;
}

static double *edges_f64(struct kt *k, unsigned n)
{
    double *p = kt_in(k, KT_F64, n);

    for (unsigned i = 0; i < n; i++)
        p[i] = edge_f64(k);
    return p;
}

static unsigned count(struct kt *k)
{
    unsigned n = kt_threads(k) - 5;

    kt_u32(k, n);
    return n;
}

/* ------------------------------------------------------------------------------------------------------------------ roundings */

enum operation { ADD, SUB, MUL, FMA };

static float apply_f32(enum operation op, float a, float b, float c)
{
    return op == ADD ? a + b : op == SUB ? a - b : op == MUL ? a * b : fmaf(a, b, c);
}

static double apply_f64(enum operation op, double a, double b, double c)
{
    return op == ADD ? a + b : op == SUB ? a - b : op == MUL ? a * b : fma(a, b, c);
}

static float rounded_f32(int rounding, enum operation op, float a, float b, float c)
{
    volatile float va = a, vb = b, vc = c, r;

    fesetround(rounding);
    r = apply_f32(op, va, vb, vc);
    fesetround(FE_TONEAREST);
    return r;
}

static double rounded_f64(int rounding, enum operation op, double a, double b, double c)
{
    volatile double va = a, vb = b, vc = c, r;

    fesetround(rounding);
    r = apply_f64(op, va, vb, vc);
    fesetround(FE_TONEAREST);
    return r;
}

static float flushed(float v)
{
    return fabsf(v) < FLT_MIN ? copysignf(0, v) : v;
}

/* A result goes to zero that, rounded as if the exponent had no end, is below the least normal number; not one that is rounded
 * up to it. */
static float rounded_ftz(int rounding, enum operation op, float a, float b, float c)
{
    float r = rounded_f32(rounding, op, a, b, c), far;

    if (fabsf(r) > FLT_MIN)
        return r;
    if (op == ADD || op == SUB) /* exact when so small */
        return flushed(r);
    far = rounded_f32(rounding, op, a * 0x1p50f, b * 0x1p50f, c * 0x1p100f);
    return fabsf(far) < FLT_MIN * 0x1p100f ? copysignf(0, r) : r;
}

static void rounding_f32_or_ftz(struct kt *k, bool ftz)
{
    unsigned n = count(k);
    float *x = edges_f32(k, n), *y = edges_f32(k, n), *z = edges_f32(k, n),
          *out = kt_want(k, kt_inout(k, KT_F32, 16 * n, KT_EXACT));

    for (unsigned i = 0; i < n; i += 5) { /* products just below the least normal number */
        x[i] = (1 - (float)i * 0x1p-23f) * (i & 2 ? -1 : 1);
        y[i] = (1 + (float)i * 0x1p-23f) * FLT_MIN;
        z[i] = i & 1 ? 0 : z[i];
    }
    for (unsigned i = 0; i < 16 * n; i++) {
        float a = x[i / 16], b = y[i / 16], c = z[i / 16];

        if (ftz)
            out[i] = rounded_ftz(roundings[i % 4], i / 4 % 4, flushed(a), flushed(b), flushed(c));
        else
            out[i] = rounded_f32(roundings[i % 4], i / 4 % 4, a, b, c);
    }
}

static void rounding_f32(struct kt *k)
{
    rounding_f32_or_ftz(k, false);
}

static void rounding_ftz(struct kt *k)
{
    rounding_f32_or_ftz(k, true);
}

static void rounding_f64(struct kt *k)
{
    unsigned n = count(k);
    double *x = edges_f64(k, n), *y = edges_f64(k, n), *z = edges_f64(k, n),
           *out = kt_want(k, kt_inout(k, KT_F64, 16 * n, KT_EXACT));

    for (unsigned i = 0; i < 16 * n; i++)
        out[i] = rounded_f64(roundings[i % 4], i / 4 % 4, x[i / 16], y[i / 16], z[i / 16]);
}

static float saturated(float v)
{
    return v > 1 ? 1 : v > 0 ? v : 0; /* NaN and -0 become +0 */
}

static void rounding_saturated(struct kt *k)
{
    unsigned n = count(k);
    float *x = edges_f32(k, n), *y = edges_f32(k, n), *z = edges_f32(k, n),
          *out = kt_want(k, kt_inout(k, KT_F32, 4 * n, KT_EXACT));

    for (unsigned i = 0; i < n; i++) {
        out[4 * i] = saturated(rounded_f32(FE_TONEAREST, ADD, x[i], y[i], 0));
        out[4 * i + 1] = saturated(rounded_f32(FE_TOWARDZERO, SUB, x[i], y[i], 0));
        out[4 * i + 2] = saturated(rounded_f32(FE_UPWARD, MUL, x[i], y[i], 0));
        out[4 * i + 3] = saturated(rounded_f32(FE_DOWNWARD, FMA, x[i], y[i], z[i]));
    }
}

/* ----------------------------------------------------------------------------------------------------------- exact operations */

/* -0 is less than +0, and a number is better than a NaN. */
static double least(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

static double most(double a, double b)
{
    return -least(-a, -b);
}

static unsigned compared(double a, double b)
{
    return (unsigned)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a >= b) << 4 | !(a > b) << 5);
}

static void real_f32(struct kt *k)
{
    unsigned n = count(k), *flags;
    float *x = edges_f32(k, n), *y = edges_f32(k, n), *o = kt_want(k, kt_inout(k, KT_F32, 10 * n, KT_EXACT));

    flags = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++, o += 10) {
        float a = x[i], b = y[i];

        o[0] = a / b;
        o[1] = sqrtf(a);
        o[2] = 1 / b;
        o[3] = (float)least(a, b);
        o[4] = (float)most(a, b);
        o[5] = fabsf(a) + b;
        o[6] = copysignf(a, b);
        o[7] = floorf(a) + ceilf(b);
        o[8] = truncf(a);
        o[9] = rintf(b);
        flags[i] = compared(a, b) | (unsigned)(isnan(a) << 6 | (isinf(b) != 0) << 7 | (signbit(a) != 0) << 8);
    }
}

static void real_f64(struct kt *k)
{
    unsigned n = count(k), *flags;
    double *x = edges_f64(k, n), *y = edges_f64(k, n), *o = kt_want(k, kt_inout(k, KT_F64, 8 * n, KT_EXACT));

    flags = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++, o += 8) {
        double a = x[i], b = y[i];

        o[0] = a / b;
        o[1] = sqrt(a);
        o[2] = 1 / b;
        o[3] = least(a, b);
        o[4] = most(a, b);
        o[5] = floor(a) + ceil(b);
        o[6] = copysign(trunc(a), b);
        o[7] = (double)(float)a + fma(a, b, b);
        flags[i] = compared(a, b);
    }
}

static void real_functions(struct kt *k)
{
    unsigned n = count(k);
    double *x = kt_in(k, KT_F64, n), *o = kt_want(k, kt_inout(k, KT_F64, 5 * n, (struct kt_tolerance){ 1e-15, 1e-15 }));

    for (unsigned i = 0; i < n; i++) {
        x[i] = (int)kt_random(k) * 0x1p-31;
        x[i] = (x[i] + kt_random(k) * 0x1p-63) * (i % 2 ? 1e4 : 3);
    }
    for (unsigned i = 0; i < n; i++, o += 5) {
        o[0] = exp(x[i] / 100);
        o[1] = log(fabs(x[i]) + 0.25);
        o[2] = sin(x[i]);
        o[3] = cos(x[i] * 1e6);
        o[4] = atan(x[i]);
    }
}

/* ---------------------------------------------------------------------------------------------------------------- conversions */

#define CONVERSION(name, from, to) \
    static to name(int rounding, from v) \
    { \
        volatile from before = v; \
        volatile to r; \
        fesetround(rounding); \
        r = (to)before; \
        fesetround(FE_TONEAREST); \
        return r; \
    }
CONVERSION(int_to_f32, int32_t, float)
CONVERSION(unsigned_to_f32, uint32_t, float)
CONVERSION(long_to_f32, int64_t, float)
CONVERSION(ulong_to_f32, uint64_t, float)
CONVERSION(ulong_to_f64, uint64_t, double)
CONVERSION(f64_to_f32, double, float)

/* Integers of every size. The order of the draws is fixed: the digests of a GPU's run rest on it. */
static int32_t shifted32(struct kt *k)
{
    int32_t value = (int32_t)kt_random(k);
    uint32_t by = kt_random(k) & 31;

    return value >> by;
}

static int64_t shifted64(struct kt *k)
{
    uint64_t high = kt_random(k);
    uint64_t low = kt_random(k);
    uint32_t by = kt_random(k) & 63;

    return (int64_t)(high << 32 | low) >> by;
}

static double halves(struct kt *k)
{
    int32_t value = (int32_t)kt_random(k);
    uint32_t one = kt_random(k) & 1;

    return value * (0.5 + one);
}

static void real_from_integers(struct kt *k)
{
    unsigned n = count(k);
    int32_t *x = kt_in(k, KT_U32, n);
    int64_t *y = kt_in(k, KT_U64, n);
    float *f = kt_want(k, kt_inout(k, KT_F32, 8 * n, KT_EXACT));
    double *d = kt_want(k, kt_inout(k, KT_F64, 4 * n, KT_EXACT));

    for (unsigned i = 0; i < n; i++, f += 8, d += 4) {
        x[i] = shifted32(k);
        y[i] = shifted64(k);
        f[0] = int_to_f32(FE_TONEAREST, x[i]);
        f[1] = int_to_f32(FE_TOWARDZERO, x[i]);
        f[2] = unsigned_to_f32(FE_UPWARD, (uint32_t)x[i]);
        f[3] = unsigned_to_f32(FE_DOWNWARD, (uint32_t)x[i]);
        f[4] = long_to_f32(FE_TONEAREST, y[i]);
        f[5] = long_to_f32(FE_DOWNWARD, y[i]);
        f[6] = ulong_to_f32(FE_UPWARD, (uint64_t)y[i]);
        f[7] = (float)(int16_t)x[i];
        d[0] = x[i];
        d[1] = (double)y[i];
        d[2] = ulong_to_f64(FE_TOWARDZERO, (uint64_t)y[i]);
        d[3] = (double)f[0];
    }
}

/* v, already rounded to a whole number, held within low and high. */
static int64_t held(double v, int64_t low, int64_t high)
{
    return isnan(v) ? 0 : v <= (double)low ? low : v >= (double)high ? high : (int64_t)v;
}

static int32_t to_int(double v)
{
    return (int32_t)held(v, INT32_MIN, INT32_MAX);
}

static uint32_t to_unsigned(double v)
{
    return (uint32_t)held(v, 0, UINT32_MAX);
}

static uint64_t to_ulong(double v)
{
    return v < 0x1p63 ? (uint64_t)held(v, 0, INT64_MAX) : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

static int32_t bits_of(float f)
{
    int32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static void real_to_integers(struct kt *k)
{
    unsigned n = count(k);
    float *x = edges_f32(k, n);
    double *y = edges_f64(k, n);
    int32_t *out = kt_want(k, kt_inout(k, KT_U32, 10 * n, KT_EXACT));
    int64_t *wide = kt_want(k, kt_inout(k, KT_U64, 4 * n, KT_EXACT));

    for (unsigned i = 0; i < n; i++, out += 10, wide += 4) {
        if (isnan(y[i]))
            y[i] = -0.5;
        if (i % 3 == 0) { /* a size that fits, with a fraction */
            x[i] = (float)shifted32(k) * 0.25f;
            y[i] = halves(k);
        }
        out[0] = to_int(trunc((double)x[i]));
        out[1] = to_int(rint((double)x[i]));
        out[2] = to_int(ceil((double)x[i]));
        out[3] = to_int(floor((double)x[i]));
        out[4] = (int32_t)to_unsigned(trunc((double)x[i]));
        out[5] = (int32_t)to_unsigned(rint(y[i]));
        out[6] = to_int(trunc(y[i]));
        out[7] = to_int(floor(y[i]));
        out[8] = (int32_t)held(trunc(least(x[i], 1e30)), -128, 127);
        out[9] = (int32_t)held(to_int(trunc(y[i])), 0, 255);
        wide[0] = isnan(x[i]) ? INT64_MIN : held(trunc((double)x[i]), INT64_MIN, INT64_MAX);
        wide[1] = held(rint(y[i]), INT64_MIN, INT64_MAX);
        wide[2] = (int64_t)to_ulong(trunc(y[i]));
        wide[3] = bits_of(f64_to_f32(FE_DOWNWARD, y[i])) * 2ll + bits_of(f64_to_f32(FE_UPWARD, y[i]));
    }
}

/* ------------------------------------------------------------------------------------------------------------- approximations */

/* Numbers within -3.1 and 3.1, and the special ones. */
static float *angles(struct kt *k, unsigned n)
{
    static const float special[] = { 0, -0.f, INFINITY, -INFINITY, NAN, 1, -1, 0.5f };
    float *x = kt_in(k, KT_F32, n);

    kt_fill_floats(k, x, n, -3.1f, 3.1f);
    for (unsigned i = 0; i < n && i < 8; i++)
        x[i] = special[i];
    return x;
}

static float *result(struct kt *k, unsigned n, double absolute, double ulps)
{
    return kt_want(k, kt_inout(k, KT_F32, n, (struct kt_tolerance){ absolute, (ulps + 0.5) * KT_ULP }));
}

/* The tolerances are the largest errors seen on an H200. */
static void approximate(struct kt *k)
{
    unsigned n = count(k);
    float *x = angles(k, n), *ex2 = result(k, n, 0, 2.06), *rcp = result(k, n, 0, 0.98), *root = result(k, n, 0, 0.94);
    float *rsqrt = result(k, n, 0, 1.51), *lg2 = result(k, n, 7.8e-6, 0), *sine = result(k, n, 3.5e-7, 0),
          *cosine = result(k, n, 4e-7, 0);
    float *tangent = result(k, n, 0, 134);

    for (unsigned i = 0; i < n; i++) {
        double a = x[i];

        ex2[i] = (float)exp2(a);
        rcp[i] = (float)(1 / a);
        root[i] = (float)sqrt(fabs(a));
        rsqrt[i] = (float)(1 / sqrt(fabs(a)));
        lg2[i] = (float)log2(fabs(a));
        sine[i] = (float)sin(a);
        cosine[i] = (float)cos(a);
        tangent[i] = (float)tanh(a);
    }
}

static void approximate_division(struct kt *k)
{
    unsigned n = count(k);
    float *x = angles(k, n), *y = kt_in(k, KT_F32, n), *approx = result(k, n, 0, 2), *full = result(k, n, 0, 2);

    kt_fill_floats(k, y, n, 0.01f, 100);
    for (unsigned i = 0; i < n; i++)
        approx[i] = full[i] = (float)((double)x[i] / y[i]);
}

static void approximate_functions(struct kt *k)
{
    unsigned n = count(k);
    float *x = kt_in(k, KT_F32, n), *o = kt_want(k, kt_inout(k, KT_F32, 8 * n, (struct kt_tolerance){ 2e-7, 1e-6 }));

    kt_fill_floats(k, x, n, -3, 3);
    for (unsigned i = 0; i < n; i++, o += 8) {
        double a = x[i];

        o[0] = (float)exp(a);
        o[1] = (float)pow(fabs(a) + 0.1, 1.7);
        o[2] = (float)sin(a);
        o[3] = (float)cos((double)(x[i] * 1000.f));
        o[4] = (float)tanh(a);
        o[5] = (float)log((double)(fabsf(x[i]) + 0.01f));
        o[6] = (float)erf(a);
        o[7] = (float)cbrt(a);
    }
}

static const struct kt_case cases[] = {
    { "rounding", "rounding_f32", rounding_f32, KT_SHAPES(shapes) },
    { "rounding", "rounding_f64", rounding_f64, KT_SHAPES(shapes) },
    { "rounding", "rounding_ftz", rounding_ftz, KT_SHAPES(shapes) },
    { "rounding", "rounding_saturated", rounding_saturated, KT_SHAPES(shapes) },
    { "reals", "real_f32", real_f32, KT_SHAPES(shapes) },
    { "reals", "real_f64", real_f64, KT_SHAPES(shapes) },
    { "reals", "real_functions", real_functions, KT_SHAPES(shapes) },
    { "reals", "real_from_integers", real_from_integers, KT_SHAPES(shapes) },
    { "reals", "real_to_integers", real_to_integers, KT_SHAPES(shapes) },
    { "approximate", "approximate", approximate, KT_SHAPES(shapes) },
    { "approximate", "approximate_division", approximate_division, KT_SHAPES(shapes) },
    { "approximate", "approximate_functions", approximate_functions, KT_SHAPES(shapes) },
};
const struct kt_table kt_cases_real = KT_TABLE(cases);
