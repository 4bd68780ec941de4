/* math.c - the header's mathematical functions against C's, which are taken in long double and rounded.
 *
 * Errors are counted in units in the last place between the result and the rounded reference, as CUDA's guide counts them; the
 * bounds are that guide's. Arguments: special values, whole numbers and halves, and random ones over all exponents and over the
 * function's interesting range. */
#include "tests/corpus/corpus.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 24576
#define PI 3.14159265358979323846264338327950288L

typedef long double real;
struct one {
    const char *name;
    real (*reference)(real);
    double low, high;               /* where it is interesting */
    int bound_f, bound_d;           /* units in the last place */
    double exempt_low, exempt_high; /* between these only the absolute error counts */
    double absolute_f, absolute_d;  /* allowed where |x| >= 8 (Bessel), or between the former */
};
struct two {
    const char *name;
    real (*reference)(real, real);
    double low, high, low2, high2;
    int bound_f, bound_d;
    int whole; /* the second is a whole number */
};

static real sinpi_of(real x)
{
    real r = fmodl(x, 2), a = fabsl(r), s = a > 1 ? -1 : 1;

    a = a > 1 ? a - 1 : a;
    a = a > 0.5L ? 1 - a : a;
    return !isfinite(x) ? NAN
        : a == 0        ? copysignl(0, x)
                        : copysignl(1, x) * s * (a > 0.25L ? cosl(PI * (0.5L - a)) : sinl(PI * a));
}
static real cospi_of(real x)
{
    real a = fmodl(fabsl(x), 2);

    a = a > 1 ? 2 - a : a;
    if (!isfinite(x) || a == 0.5L)
        return isfinite(x) ? 0 : NAN;
    return a > 0.75L ? -cosl(PI * (1 - a)) : a > 0.25L ? sinl(PI * (0.5L - a)) : cosl(PI * a);
}
static real rcbrt_of(real x)
{
    return 1 / cbrtl(x);
}
static real sqrt_of(real x)
{
    return sqrt((double)x);
} /* rounded once, as sqrtl would not be */
static real rsqrt_of(real x)
{
    return 1 / sqrtl(x);
}
static real exp10_of(real x)
{
    return powl(10, x);
}
static real erfcx_of(real x)
{
    if (x < 26)
        return expl(x * x) * erfcl(x);
    real s = 1;
    for (int k = 19; k > 0; k -= 2)
        s = 1 - k * 0.5L / x / x * s;
    return s / sqrtl(PI) / x;
}
static real normcdf_of(real x)
{
    return 0.5L * erfcl(-x * sqrtl(0.5L));
}
/* y such that erfc(y) = q, q <= 1/2, by Newton's method for its logarithm from the leading term of its asymptotic form */
static real erfc_inverse(real q)
{
    real y = sqrtl(-logl(q)) * 0.97L;

    for (int i = 0; i < 40; i++) {
        real e = erfcl(y), step = logl(e / q) * e * sqrtl(PI) / 2 * expl(y * y);
        y += step;
        if (fabsl(step) < 1e-19L * y)
            break;
    }
    return y;
}
static real erf_inverse(real x)
{
    real y = x * sqrtl(PI) / 2;

    for (int i = 0; i < 40 && x != 0; i++)
        y -= (erfl(y) - x) * sqrtl(PI) / 2 * expl(y * y);
    return y;
}
static real erfinv_of(real x)
{
    if (!(fabsl(x) < 1))
        return fabsl(x) == 1 ? x * INFINITY : NAN;
    return fabsl(x) <= 0.5L ? erf_inverse(x) : copysignl(erfc_inverse(1 - fabsl(x)), x);
}
static real erfcinv_of(real q)
{
    if (!(q > 0 && q < 2))
        return q == 0 ? INFINITY : q == 2 ? -INFINITY : NAN;
    return q < 0.5L ? erfc_inverse(q) : q > 1.5L ? -erfc_inverse(2 - q) : erf_inverse(1 - q);
}
static real normcdfinv_of(real p)
{
    return -sqrtl(2) * erfcinv_of(2 * p);
}
static real lgamma_of(real x)
{
    int sign;

    return lgammal_r(x, &sign);
}
static real bessel_i(int n, real x)
{
    real term = 1, sum = 1;

    for (int k = 1; k < 2000 && term > sum * 1e-22L; k++) {
        term *= 0.25L * x * x / (k * (real)(k + n));
        sum += term;
    }
    return n ? 0.5L * x * sum : sum;
}
static real i0_of(real x)
{
    return isinf(x) ? INFINITY : isnan(x) ? x : bessel_i(0, x);
}
static real i1_of(real x)
{
    return isinf(x) || isnan(x) ? x : bessel_i(1, x);
}
static real frexp_part(real x)
{
    return frexpl(x, (int[1]){ 0 });
}
static real frexp_exponent(real x)
{
    int e = 0;

    frexpl(x, &e);
    return isfinite(x) ? e : 0;
}
static real modf_whole(real x)
{
    real whole;

    modfl(x, &whole);
    return whole;
}
static real modf_part(real x)
{
    return modfl(x, (real[1]){ 0 });
}
static real ilogb_of(real x)
{
    return x == 0 || isnan(x) ? -2147483648.0L : isinf(x) ? 2147483647.0L : ilogbl(x);
}
static real classes_of(real x)
{
    return (isnan(x) ? 1 : 0) + (isinf(x) ? 2 : 0) + (isfinite(x) ? 4 : 0) + (signbit(x) ? 8 : 0);
}

static const struct one ones[] = {
    { "sin", sinl, -100, 100, 2, 2, 0, 0, 0, 0 },
    { "cos", cosl, -100, 100, 2, 2, 0, 0, 0, 0 },
    { "tan", tanl, -100, 100, 4, 2, 0, 0, 0, 0 },
    { "sincos_sin", sinl, -100, 100, 2, 2, 0, 0, 0, 0 },
    { "sincos_cos", cosl, -100, 100, 2, 2, 0, 0, 0, 0 },
    { "sinpi", sinpi_of, -5, 5, 1, 2, 0, 0, 0, 0 },
    { "cospi", cospi_of, -5, 5, 1, 2, 0, 0, 0, 0 },
    { "sincospi_sin", sinpi_of, -5, 5, 1, 2, 0, 0, 0, 0 },
    { "sincospi_cos", cospi_of, -5, 5, 1, 2, 0, 0, 0, 0 },
    { "asin", asinl, -1, 1, 2, 2, 0, 0, 0, 0 },
    { "acos", acosl, -1, 1, 2, 2, 0, 0, 0, 0 },
    { "atan", atanl, -5, 5, 2, 2, 0, 0, 0, 0 },
    { "sinh", sinhl, -90, 90, 3, 2, 0, 0, 0, 0 },
    { "cosh", coshl, -90, 90, 2, 1, 0, 0, 0, 0 },
    { "tanh", tanhl, -10, 10, 2, 2, 0, 0, 0, 0 },
    { "asinh", asinhl, -10, 10, 3, 3, 0, 0, 0, 0 },
    { "acosh", acoshl, 1, 10, 4, 3, 0, 0, 0, 0 },
    { "atanh", atanhl, -1, 1, 3, 2, 0, 0, 0, 0 },
    { "exp", expl, -104, 89, 2, 1, 0, 0, 0, 0 },
    { "exp2", exp2l, -150, 128, 2, 1, 0, 0, 0, 0 },
    { "exp10", exp10_of, -45, 39, 2, 1, 0, 0, 0, 0 },
    { "expm1", expm1l, -20, 89, 1, 1, 0, 0, 0, 0 },
    { "log", logl, 0, 10, 1, 1, 0, 0, 0, 0 },
    { "log2", log2l, 0, 10, 1, 1, 0, 0, 0, 0 },
    { "log10", log10l, 0, 10, 2, 1, 0, 0, 0, 0 },
    { "log1p", log1pl, -1, 10, 1, 1, 0, 0, 0, 0 },
    { "cbrt", cbrtl, -10, 10, 1, 1, 0, 0, 0, 0 },
    { "rcbrt", rcbrt_of, -10, 10, 1, 1, 0, 0, 0, 0 },
    { "sqrt", sqrt_of, 0, 10, 0, 0, 0, 0, 0, 0 },
    { "rsqrt", rsqrt_of, 0, 10, 2, 1, 0, 0, 0, 0 },
    { "erf", erfl, -6, 6, 2, 2, 0, 0, 0, 0 },
    { "erfc", erfcl, -6, 28, 4, 5, 0, 0, 0, 0 },
    { "erfinv", erfinv_of, -1, 1, 2, 5, 0, 0, 0, 0 },
    { "erfcinv", erfcinv_of, 0, 2, 4, 6, 0, 0, 0, 0 },
    { "erfcx", erfcx_of, -9, 40, 4, 4, 0, 0, 0, 0 },
    { "normcdf", normcdf_of, -38, 9, 5, 5, 0, 0, 0, 0 },
    { "normcdfinv", normcdfinv_of, 0, 1, 5, 8, 0, 0, 0, 0 },
    { "tgamma", tgammal, -40, 36, 5, 10, 0, 0, 0, 0 },
    { "lgamma", lgamma_of, -30, 100, 6, 4, -23.0001, -2.26, 1e-5, 1e-5 },
    { "j0", j0l, -8, 8, 9, 7, 8, INFINITY, 2.2e-6, 5e-12 },
    { "j1", j1l, -8, 8, 9, 7, 8, INFINITY, 2.2e-6, 5e-12 },
    { "y0", y0l, 0, 8, 9, 7, 8, INFINITY, 2.2e-6, 5e-12 },
    { "y1", y1l, 0, 8, 9, 7, 8, INFINITY, 2.2e-6, 5e-12 },
    { "cyl_bessel_i0", i0_of, -90, 90, 6, 6, 0, 0, 0, 0 },
    { "cyl_bessel_i1", i1_of, -90, 90, 6, 6, 0, 0, 0, 0 },
    { "floor", floorl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "ceil", ceill, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "trunc", truncl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "round", roundl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "rint", rintl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "nearbyint", nearbyintl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "fabs", fabsl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "logb", logbl, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "frexp_part", frexp_part, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "frexp_exponent", frexp_exponent, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "modf_whole", modf_whole, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "modf_part", modf_part, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "ilogb_of", ilogb_of, -10, 10, 0, 0, 0, 0, 0, 0 },
    { "classes", classes_of, -10, 10, 0, 0, 0, 0, 0, 0 },
};

static real rhypot_of(real x, real y)
{
    return 1 / hypotl(x, y);
}
static real norm3_of(real x, real y)
{
    return hypotl(hypotl(x, y), 3);
}
static real rnorm4_of(real x, real y)
{
    return 1 / hypotl(hypotl(hypotl(x, y), 3), x);
}
static real ldexp_of(real x, real n)
{
    return ldexpl(x, (int)n);
}
static real remquo_bits(real x, real y)
{
    int q = 0;

    return isnan(remquol(x, y, &q)) ? 0 : (real)(q & 7);
}
static real pown_of(real x, real n)
{
    return powl(x, n);
}

static const struct two twos[] = {
    { "pow", powl, 0, 10, -20, 20, 4, 2, 0 },
    { "pow", powl, -10, 10, -40, 40, 4, 2, 1 },
    { "pow", powl, 0.9, 1.1, -3000, 3000, 4, 2, 0 },
    { "powi", pown_of, -10, 10, -40, 40, 4, 2, 1 },
    { "atan2", atan2l, -10, 10, -10, 10, 3, 2, 0 },
    { "hypot", hypotl, -10, 10, -10, 10, 3, 2, 0 },
    { "rhypot", rhypot_of, -10, 10, -10, 10, 2, 1, 0 },
    { "norm3", norm3_of, -10, 10, -10, 10, 3, 2, 0 },
    { "rnorm4", rnorm4_of, -10, 10, -10, 10, 2, 1, 0 },
    { "fmod", fmodl, -1000, 1000, -10, 10, 0, 0, 0 },
    { "remainder", remainderl, -1000, 1000, -10, 10, 0, 0, 0 },
    { "remquo_rest", remainderl, -1000, 1000, -10, 10, 0, 0, 0 },
    { "remquo_bits", remquo_bits, -1000, 1000, -10, 10, 0, 0, 0 },
    { "fdim", fdiml, -10, 10, -10, 10, 0, 0, 0 },
    { "fmax", fmaxl, -10, 10, -10, 10, 0, 0, 0 },
    { "fmin", fminl, -10, 10, -10, 10, 0, 0, 0 },
    { "copysign", copysignl, -10, 10, -10, 10, 0, 0, 0 },
    { "ldexp", ldexp_of, -10, 10, -2300, 2300, 0, 0, 1 },
};

static uint64_t state;
static uint64_t bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}
static double between(double low, double high)
{
    return low + (high - low) * (double)(bits() >> 11) * 0x1p-53;
}

/* The i-th argument */
static double argument(int i, double low, double high, bool is_float)
{
    static const double special[] = { 0, 1, 2, 0.5, 0.25, 0.75, 1.5, 8, 24.99, 25, 30, 10, INFINITY, NAN, DBL_MIN, FLT_MIN,
        0x1p-149, 0x1p-1074, 0x1p-1022, FLT_MAX, DBL_MAX, 1e-5, 1e-8, 1e-20, 1e10, 1e22, 1e30, 709, 88, 171, 0x1p24, 0x1p23,
        0x1p52, 0x1p53, 0x1.fffffep-1, 0x1.fffffffffffffp-1, 3.14159265358979, 1.57079632679489, 0x1p-26 };
    const int n = sizeof(special) / sizeof(*special);
    double x;

    if (i < 2 * n)
        x = i & 1 ? -special[i / 2] : special[i / 2];
    else if (i < 600)
        x = (i - 300 - 2 * n) * 0.25;
    else if (i % 4 == 0)
        x = ldexp(between(-2, 2), (int)(bits() % (is_float ? 278u : 2098u)) - (is_float ? 150 : 1075));
    else if (i % 4 == 1)
        x = ldexp(between(-2, 2), (int)(bits() % 40u) - 30);
    else
        x = between(low, high);
    return is_float ? (double)(float)x : x;
}

static int64_t ordered(double x, bool is_float)
{
    int64_t d;
    int32_t f;
    float narrow = (float)x;

    if (is_float) {
        memcpy(&f, &narrow, 4);
        return f < 0 ? -(int64_t)(f & 0x7fffffff) : f;
    }
    memcpy(&d, &x, 8);
    return d < 0 ? -(d & INT64_MAX) : d;
}
static double units(double got, real want, bool is_float)
{
    double rounded = is_float ? (double)(float)want : (double)want;

    if (isnan(got) || isnan(rounded))
        return isnan(got) && isnan(rounded) ? 0 : 1e300;
    return (double)fabsl((real)ordered(got, is_float) - (real)ordered(rounded, is_float));
}

static union {
    float f[N];
    double d[N];
} x, z, y;
static double at(const void *array, int i, bool is_float)
{
    return is_float ? (double)((const float *)array)[i] : ((const double *)array)[i];
}
static void put(void *array, int i, double value, bool is_float)
{
    if (is_float)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}
static void compute(struct corpus *c, const char *name, bool is_float, bool second)
{
    const size_t size = N * (is_float ? 4 : 8);
    CUdeviceptr px = corpus_up(c, &x, size), pz = second ? corpus_up(c, &z, size) : 0, py = corpus_up(c, NULL, size);
    char kernel[64];
    int n = N;

    snprintf(kernel, sizeof(kernel), "%s_%c", name, is_float ? 'f' : 'd');
    if (second)
        corpus_run(c, kernel, N / 128, 128, 0, ARGS(&px, &pz, &py, &n));
    else
        corpus_run(c, kernel, N / 128, 128, 0, ARGS(&px, &py, &n));
    corpus_down(c, &y, py, size);
    corpus_free(c);
}

static void judge(struct corpus *c, const char *name, bool is_float, double worst, int where, int bound, bool second)
{
    char what[200];

    if (getenv("MATH_SHOW")) { /* for docs/CLANG.md: the figures, judged by who reads them */
        printf("%-16s %-6s %g of %d at %.17g%s%.17g: %.17g%s\n", name, is_float ? "float" : "double", worst, bound,
            at(&x, where, is_float), second ? " and " : " ", second ? at(&z, where, is_float) : 0.0, at(&y, where, is_float),
            worst > bound ? " WRONG" : "");
        return;
    }
    if (worst <= bound)
        return;
    snprintf(what, sizeof(what), "%s of %s: %.17g%s%.17g gives %.17g, wrong by %g units where %d are allowed,", name,
        is_float ? "float" : "double", at(&x, where, is_float), second ? " and " : " ", second ? at(&z, where, is_float) : 0.0,
        at(&y, where, is_float), worst, bound);
    corpus_expect(c, false, what, where);
}
static void check_one(struct corpus *c, const struct one *f, bool is_float)
{
    double worst = -1, absolute = is_float ? f->absolute_f : f->absolute_d;
    int where = 0;

    state = 88172645463325252u;
    for (int i = 0; i < N; i++)
        put(&x, i, argument(i, f->low, f->high, is_float), is_float);
    compute(c, f->name, is_float, false);
    for (int i = 0; i < N; i++) {
        double a = at(&x, i, is_float), got = at(&y, i, is_float), u;
        real want = f->reference(a);

        if (absolute > 0 && ((a >= f->exempt_low && a <= f->exempt_high) || (f->exempt_low == 8 && -a >= 8)))
            u = fabsl(got - want) <= absolute * (fabsl(want) > 1 ? fabsl(want) : 1) || units(got, want, is_float) <= 4 ? 0
                                                                                                                       : 1e300;
        else
            u = units(got, want, is_float);
        if (u > worst) {
            worst = u;
            where = i;
        }
    }
    judge(c, f->name, is_float, worst, where, is_float ? f->bound_f : f->bound_d, false);
}
static void check_two(struct corpus *c, const struct two *f, bool is_float)
{
    double worst = -1;
    int where = 0;

    state = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        double a = argument(i % 3 ? i : (int)(bits() % N), f->low, f->high, is_float),
               b = argument((int)(bits() % N), f->low2, f->high2, is_float);

        put(&x, i, a, is_float);
        put(&z, i, f->whole ? (fabs(b) < 1e5 ? rint(b) : 7) : b, is_float);
    }
    compute(c, f->name, is_float, true);
    for (int i = 0; i < N; i++) {
        double u = units(at(&y, i, is_float), f->reference(at(&x, i, is_float), at(&z, i, is_float)), is_float);

        if (u > worst) {
            worst = u;
            where = i;
        }
    }
    judge(c, f->name, is_float, worst, where, is_float ? f->bound_f : f->bound_d, true);
}
static void check_math(struct corpus *c)
{
    for (unsigned i = 0; i < sizeof(ones) / sizeof(*ones); i++) {
        check_one(c, &ones[i], true);
        check_one(c, &ones[i], false);
    }
    for (unsigned i = 0; i < sizeof(twos) / sizeof(*twos); i++) {
        check_two(c, &twos[i], true);
        check_two(c, &twos[i], false);
    }
}

const struct corpus_file clang_math[] = { { "math", check_math }, { NULL, NULL } };
