/* overloads.h - the names that CUDA gives to more than one type, beyond those of C++'s <cmath>. */
#pragma once
#pragma clang system_header
#define GPUDL_OVER(T, name, args, value) \
    GPUDL_DEVICE T name args \
    { \
        return value; \
    }
#define GPUDL_MIN_MAX(T, A, B) \
    GPUDL_OVER(T, min, (A a, B b), (T)a < (T)b ? (T)a : (T)b) \
    GPUDL_OVER(T, max, (A a, B b), (T)a > (T)b ? (T)a : (T)b)
GPUDL_MIN_MAX(unsigned, unsigned, unsigned)
GPUDL_MIN_MAX(unsigned, int, unsigned)
GPUDL_MIN_MAX(unsigned, unsigned, int)
GPUDL_MIN_MAX(long, long, long)
GPUDL_MIN_MAX(unsigned long, unsigned long, unsigned long)
GPUDL_MIN_MAX(unsigned long, long, unsigned long)
GPUDL_MIN_MAX(unsigned long, unsigned long, long)
GPUDL_MIN_MAX(long long, long long, long long)
GPUDL_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GPUDL_MIN_MAX(unsigned long long, long long, unsigned long long)
GPUDL_MIN_MAX(unsigned long long, unsigned long long, long long)
GPUDL_OVER(float, min, (float a, float b), ::fminf(a, b))
GPUDL_OVER(float, max, (float a, float b), ::fmaxf(a, b))
GPUDL_OVER(double, min, (double a, double b), ::fmin((double)a, (double)b))
GPUDL_OVER(double, max, (double a, double b), ::fmax((double)a, (double)b))
GPUDL_OVER(double, min, (float a, double b), ::fmin((double)a, (double)b))
GPUDL_OVER(double, max, (float a, double b), ::fmax((double)a, (double)b))
GPUDL_OVER(double, min, (double a, float b), ::fmin((double)a, (double)b))
GPUDL_OVER(double, max, (double a, float b), ::fmax((double)a, (double)b))
#undef GPUDL_MIN_MAX

GPUDL_OVER(float, rsqrt, (float a), ::rsqrtf(a))
GPUDL_OVER(float, rcbrt, (float a), ::rcbrtf(a))
GPUDL_OVER(float, exp10, (float a), ::exp10f(a))
GPUDL_OVER(float, sinpi, (float a), ::sinpif(a))
GPUDL_OVER(float, cospi, (float a), ::cospif(a))
GPUDL_OVER(void, sincospi, (float a, float *s, float *c), ::sincospif(a, s, c))
GPUDL_OVER(void, sincos, (float a, float *s, float *c), ::sincosf(a, s, c))
GPUDL_OVER(float, erfinv, (float a), ::erfinvf(a))
GPUDL_OVER(float, erfcinv, (float a), ::erfcinvf(a))
GPUDL_OVER(float, erfcx, (float a), ::erfcxf(a))
GPUDL_OVER(float, normcdf, (float a), ::normcdff(a))
GPUDL_OVER(float, normcdfinv, (float a), ::normcdfinvf(a))
GPUDL_OVER(float, cyl_bessel_i0, (float a), ::cyl_bessel_i0f(a))
GPUDL_OVER(float, cyl_bessel_i1, (float a), ::cyl_bessel_i1f(a))
GPUDL_OVER(float, j0, (float a), ::j0f(a))
GPUDL_OVER(float, j1, (float a), ::j1f(a))
GPUDL_OVER(float, jn, (int n, float a), ::jnf(n, a))
GPUDL_OVER(float, y0, (float a), ::y0f(a))
GPUDL_OVER(float, y1, (float a), ::y1f(a))
GPUDL_OVER(float, yn, (int n, float a), ::ynf(n, a))
GPUDL_OVER(float, fdivide, (float a, float b), ::fdividef(a, b))
static __device__ inline double nan(const char *)
{
    return __builtin_nan("");
}
static __device__ inline float nanf(const char *)
{
    return __builtin_nanf("");
}
/* Those that clang declares and leaves to the toolkit: f(float) for the double f */
#define GPUDL_FLOAT(T, name, args, ...) \
    static __device__ inline T name args \
    { \
        return ::name##f(__VA_ARGS__); \
    }
GPUDL_FLOAT(float, acosh, (float a), a)
GPUDL_FLOAT(float, asinh, (float a), a)
GPUDL_FLOAT(float, atanh, (float a), a)
GPUDL_FLOAT(float, cbrt, (float a), a)
GPUDL_FLOAT(float, erf, (float a), a)
GPUDL_FLOAT(float, erfc, (float a), a)
GPUDL_FLOAT(float, exp2, (float a), a)
GPUDL_FLOAT(float, expm1, (float a), a)
GPUDL_FLOAT(float, lgamma, (float a), a)
GPUDL_FLOAT(float, log1p, (float a), a)
GPUDL_FLOAT(float, log2, (float a), a)
GPUDL_FLOAT(float, logb, (float a), a)
GPUDL_FLOAT(float, nearbyint, (float a), a)
GPUDL_FLOAT(float, rint, (float a), a)
GPUDL_FLOAT(float, round, (float a), a)
GPUDL_FLOAT(float, tgamma, (float a), a)
GPUDL_FLOAT(float, trunc, (float a), a)
GPUDL_FLOAT(float, copysign, (float a, float b), a, b)
GPUDL_FLOAT(float, fdim, (float a, float b), a, b)
GPUDL_FLOAT(float, fmax, (float a, float b), a, b)
GPUDL_FLOAT(float, fmin, (float a, float b), a, b)
GPUDL_FLOAT(float, hypot, (float a, float b), a, b)
GPUDL_FLOAT(float, nextafter, (float a, float b), a, b)
GPUDL_FLOAT(float, remainder, (float a, float b), a, b)
GPUDL_FLOAT(float, fma, (float a, float b, float c), a, b, c)
GPUDL_FLOAT(float, remquo, (float a, float b, int *q), a, b, q)
GPUDL_FLOAT(float, scalbn, (float a, int n), a, n)
GPUDL_FLOAT(float, scalbln, (float a, long n), a, n)
GPUDL_FLOAT(int, ilogb, (float a), a)
GPUDL_FLOAT(long, lrint, (float a), a)
GPUDL_FLOAT(long, lround, (float a), a)
GPUDL_FLOAT(long long, llrint, (float a), a)
GPUDL_FLOAT(long long, llround, (float a), a)
#undef GPUDL_FLOAT
#undef GPUDL_OVER
