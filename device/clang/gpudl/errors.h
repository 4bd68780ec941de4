/* errors.h - the error function, its complement, their inverses, and the normal distribution.
 *
 * erf is its Taylor series to 1. erfcx(x) = exp(x^2) erfc(x) is smooth for all x >= 0: one polynomial in (x-4)/(x+4). erfc
 * follows from it. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

template <class T> GPUDL_DEVICE T gpudl_erf_near(T x) /* |x| <= 1; 2/sqrt(pi) is taken as 1 and the rest */
{
    T z = x * x;

    return gpudl_fma(x, gpudl_fma(z, gpudl_erf_series(z), (T)0.128379167095512573896), x);
}
template <class T> GPUDL_DEVICE T gpudl_erfcx_of(T x) /* x >= 0 */
{
    return x < (T)1e18 ? gpudl_erfcx_series((x - 4) / (x + 4)) / (1 + 2 * x) : (T)0.56418958354775628695 / x;
}
template <class T>
GPUDL_DEVICE T gpudl_erfc_of(T x) /* x >= 1/2. exp(-x^2) with what x*x loses; in two factors where it would be subnormal */
{
    gpudl_pair<T> z = gpudl_product(x, x);
    bool small = x > (T)(sizeof(T) == 8 ? 26.0 : 9.0);
    T e = gpudl_exp_pair(small ? (T)-0.5 * z.h : -z.h, small ? (T)0 : -z.l), r = gpudl_erfcx_of(x);

    if (x > 30)
        return 0;
    return small ? (r * (1 - z.l)) * e * e : r * e;
}
template <class T> GPUDL_DEVICE T gpudl_erf(T a)
{
    T x = gpudl_abs(a);

    if (x <= 1)
        return gpudl_erf_near(a);
    return a != a ? a : gpudl_sign_of(1 - gpudl_erfc_of(x), a);
}
template <class T> GPUDL_DEVICE T gpudl_erfc(T a)
{
    T x = gpudl_abs(a), r;

    if (x < (T)0.5)
        return 1 - gpudl_erf_near(a);
    r = gpudl_erfc_of(x);
    return a != a ? a : a < 0 ? 2 - r : r;
}
template <class T> GPUDL_DEVICE T gpudl_erfcx(T a)
{
    T x = gpudl_abs(a);
    gpudl_pair<T> z = gpudl_product(x, x);

    if (!(a < 0))
        return a != a ? a : gpudl_erfcx_of(x);
    return a < (T)-30 ? gpudl_real<T>::infinity : 2 * gpudl_exp_pair(z.h, z.l) - gpudl_erfcx_of(x);
}
GPUDL_BOTH(erf)
GPUDL_BOTH(erfc)
GPUDL_BOTH(erfcx)

#define GPUDL_HALF_ROOT_PI 0.88622692545275801365
/* A first guess for erfinv: Winitzki's approximation, good to three digits; minus_log is -log(1 - x^2) */
GPUDL_DEVICE double gpudl_erfinv_guess(double minus_log)
{
    const double a = 0.147;
    double t = 2 / (3.14159265358979323846 * a) - 0.5 * minus_log;

    return __builtin_sqrt(__builtin_sqrt(__builtin_fma(t, t, minus_log / a)) - t);
}
/* erfc(y) = q, 0 < q <= 1/2: Newton's method for log(erfc(y)) = log(q), which is nearly a straight line and neither vanishes nor
 * overflows. */
GPUDL_DEVICE double gpudl_erfc_tail(double q)
{
    double log_q = __nv_log(q), y = gpudl_erfinv_guess(-log_q - __nv_log(2 - q));

    for (int i = 0; i < 3; i++) {
        double x = gpudl_erfcx_of(y), log_x = __nv_log(x);

        y += (__builtin_fma(-y, y, -log_q) + log_x) * x * GPUDL_HALF_ROOT_PI;
    }
    return y;
}
GPUDL_DEVICE double gpudl_erf_middle(double x) /* |x| <= 1/2 */
{
    double y = gpudl_erfinv_guess(-__nv_log1p(-x * x));

    if (__builtin_fabs(x) < 0x1p-28)
        return x * GPUDL_HALF_ROOT_PI;
    y = __builtin_copysign(y, x);
    for (int i = 0; i < 3; i++)
        y -= (__nv_erf(y) - x) * GPUDL_HALF_ROOT_PI * __nv_exp(y * y);
    return y;
}
GPUDL_CALLED double __nv_erfinv(double x)
{
    double q = 1 - __builtin_fabs(x);

    if (q >= 0.5)
        return gpudl_erf_middle(x);
    return q > 0 ? __builtin_copysign(gpudl_erfc_tail(q), x) : q == 0 ? x * __builtin_inf() : __builtin_nan("");
}
GPUDL_CALLED double __nv_erfcinv(double q)
{
    if (q > 0.5 && q < 1.5)
        return gpudl_erf_middle(1 - q);
    if (!(q > 0 && q < 2))
        return q == 0 ? __builtin_inf() : q == 2 ? -__builtin_inf() : __builtin_nan("");
    return q < 1 ? gpudl_erfc_tail(q) : -gpudl_erfc_tail(2 - q);
}
GPUDL_FN(float, erfinvf, (float a), (float)__nv_erfinv((double)a))
GPUDL_FN(float, erfcinvf, (float a), (float)__nv_erfcinv((double)a))
GPUDL_FN(double, normcdfinv, (double a), -1.41421356237309504880 * __nv_erfcinv(2 * a))
GPUDL_FN(float, normcdfinvf, (float a), (float)__nv_normcdfinv((double)a))

/* erfc(-a/sqrt(2))/2, with what the quotient loses */
GPUDL_CALLED double __nv_normcdf(double a)
{
    const double root = 0.70710678118654757274, root_low = -4.83364665672645672553e-17;
    double h = -root * a, low = __builtin_fma(-root, a, -h) - root_low * a;

    if (!(__builtin_fabs(a) < 40))
        return a > 0 ? 1.0 : a < 0 ? 0.0 : a;
    return 0.5 * __nv_erfc(h) - low * 0.56418958354775628695 * __nv_exp(-h * h);
}
GPUDL_FN(float, normcdff, (float a), (float)__nv_normcdf((double)a))
#pragma float_control(pop)
