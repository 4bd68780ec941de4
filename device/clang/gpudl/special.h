/* special.h - gamma, the inverses and scaled forms of erf, norms, and modified Bessel functions. Those of floats are rounded from double. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

/* Gamma(y) = *first * *second, y > 0. Stirling's series from 12 on (Abramowitz and Stegun 6.1.40), below that Gamma(y+n)/(y(y+1)...(y+n-1));
 * the product is kept in two parts, as is y+n, so that neither adds to the error. */
GPUDL_DEVICE void gpudl_gamma(double y, double *first, double *second)
{
    double p = 1, plow = 0, low = 0, start = y, q, w, s;

    for (int k = 0; y < 12; k++) {
        double t = p * y, tlow = __builtin_fma(p, y, -t) + (plow * y + p * low);

        p = t + tlow;
        plow = tlow - (p - t);
        y = start + (k + 1);
        low = start < k + 1 ? start - (y - (k + 1)) : (k + 1) - (y - start);
    }
    q = 1 / (y * y);
    s = -691.0 / 360360;
    s = __builtin_fma(s, q, 1.0 / 1188);
    s = __builtin_fma(s, q, -1.0 / 1680);
    s = __builtin_fma(s, q, 1.0 / 1260);
    s = __builtin_fma(s, q, -1.0 / 360);
    s = __builtin_fma(s, q, 1.0 / 12) / y;
    w = __nv_pow(y, 0.5 * y);
    *first = __builtin_sqrt(6.28318530717958647693 / y) * (w * __nv_exp(-y));
    *first = __builtin_fma(*first, __nv_expm1(s + low * (__nv_log(y) - 0.5 / y) - plow / p), *first) / p;
    *second = w;
}
GPUDL_CALLED double __nv_tgamma(double a)
{
    double x = __builtin_fabs(a), first, second;

    if (a == 0)
        return 1 / a;
    if (a != a || a >= 172)
        return a * __builtin_inf();
    if (a < 0 && (a == __builtin_trunc(a) || a < -190))
        return a == __builtin_trunc(a) ? __builtin_nan("") : (gpudl_ll)__builtin_trunc(a) & 1 ? 0.0 : -0.0;
    if (x < 0x1p-60)
        return 1 / a;
    gpudl_gamma(x, &first, &second);
    if (a > 0)
        return first * second;
    return -3.14159265358979323846 / (x * __nv_sinpi(x)) / first / second; /* Gamma(-x) Gamma(x) = -pi / (x sin(pi x)) */
}
GPUDL_FN(float, tgammaf, (float a), (float)__nv_tgamma((double)a))

#define GPUDL_HALF_ROOT_PI 0.88622692545275801365
/* A first guess for erfinv: Winitzki's approximation, good to three digits; minus_log is -log(1 - x^2) */
GPUDL_DEVICE double gpudl_erfinv_guess(double minus_log)
{
    const double a = 0.147;
    double t = 2 / (3.14159265358979323846 * a) - 0.5 * minus_log;

    return __builtin_sqrt(__builtin_sqrt(__builtin_fma(t, t, minus_log / a)) - t);
}
/* erfc(y) = q, 0 < q <= 1/2: Newton's method for log(erfc(y)) = log(q), which is nearly a straight line. */
GPUDL_DEVICE double gpudl_erfc_tail(double q)
{
    double y = gpudl_erfinv_guess(-__nv_log(q * (2 - q)));

    for (int i = 0; i < 3; i++) {
        double e = __nv_erfc(y);

        y += (i < 2 ? __nv_log(e / q) : (e - q) / q) * e * GPUDL_HALF_ROOT_PI * __nv_exp(y * y);
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

/* exp(x^2), with what x*x loses */
GPUDL_DEVICE double gpudl_exp_square(double x)
{
    double h = x * x, low = __builtin_fma(x, x, -h), e = __nv_exp(h);

    return __builtin_fma(e, low, e);
}
/* From 10 on the asymptotic series, Abramowitz and Stegun 7.1.23 */
GPUDL_CALLED double __nv_erfcx(double a)
{
    double x = __builtin_fabs(a), z, s = 1, r;

    if (a < -26.7 || a != a)
        return a * a * __builtin_inf();
    if (x >= 10) {
        z = 0.5 / x / x;
        for (int k = 33; k > 0; k -= 2)
            s = 1 - k * z * s;
        r = s * 0.56418958354775628695 / x;
    } else {
        r = __nv_erfc(x) * gpudl_exp_square(x);
    }
    return a < 0 ? 2 * gpudl_exp_square(x) - r : r;
}
GPUDL_FN(float, erfcxf, (float a), (float)__nv_erfcx((double)a))
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

/* Norms: of doubles scaled by a power of two, so that no square overflows or vanishes */
GPUDL_DEVICE double gpudl_norm(int n, const double *t)
{
    double most = 0, sum = 0, low = 0;
    int e, nan = 0;

    for (int i = 0; i < n; i++) {
        nan |= t[i] != t[i];
        most = __builtin_fmax(most, __builtin_fabs(t[i]));
    }
    if (__nv_isinfd(most) || nan || most == 0)
        return __nv_isinfd(most) ? __builtin_inf() : nan ? __builtin_nan("") : 0.0;
    e = gpudl_exponent(most);
    for (int i = 0; i < n; i++) {
        double x = __nv_ldexp(t[i], -e), square = x * x, next = sum + square;

        low += __builtin_fma(x, x, -square) + (sum > square ? square - (next - sum) : sum - (next - square));
        sum = next;
    }
    return __nv_ldexp(__builtin_sqrt(sum + low), e);
}
GPUDL_DEVICE double gpudl_norm_of_floats(int n, const float *t)
{
    double sum = 0;
    int inf = 0;

    for (int i = 0; i < n; i++) {
        inf |= __nv_isinff(t[i]);
        sum += (double)t[i] * (double)t[i];
    }
    return inf ? __builtin_inf() : __builtin_sqrt(sum);
}
GPUDL_CALLED double __nv_norm(int n, const double *t) { return gpudl_norm(n, t); }
GPUDL_CALLED double __nv_rnorm(int n, const double *t) { return 1 / gpudl_norm(n, t); }
GPUDL_CALLED float __nv_normf(int n, const float *t) { return (float)gpudl_norm_of_floats(n, t); }
GPUDL_CALLED float __nv_rnormf(int n, const float *t) { return (float)(1 / gpudl_norm_of_floats(n, t)); }
#define GPUDL_NORMS(T, f, of)                                                                                   \
    GPUDL_DEVICE T __nv_norm3d##f(T a, T b, T c) { T t[3] = { a, b, c }; return (T)of(3, t); }                  \
    GPUDL_DEVICE T __nv_norm4d##f(T a, T b, T c, T d) { T t[4] = { a, b, c, d }; return (T)of(4, t); }          \
    GPUDL_DEVICE T __nv_rhypot##f(T a, T b) { T t[2] = { a, b }; return (T)(1 / of(2, t)); }                    \
    GPUDL_DEVICE T __nv_rnorm3d##f(T a, T b, T c) { T t[3] = { a, b, c }; return (T)(1 / of(3, t)); }           \
    GPUDL_DEVICE T __nv_rnorm4d##f(T a, T b, T c, T d) { T t[4] = { a, b, c, d }; return (T)(1 / of(4, t)); }
GPUDL_NORMS(double, , gpudl_norm)
GPUDL_NORMS(float, f, gpudl_norm_of_floats)
#undef GPUDL_NORMS

/* I0 and I1: the power series, all of whose terms have one sign, to 30; then Abramowitz and Stegun 9.7.1 */
GPUDL_DEVICE double gpudl_bessel_i(int n, double x)
{
    double z = 0.25 * x * x, term = 1, sum = 1, e;

    if (x < 30) {
        for (int k = 1; term > sum * 0x1p-55; k++) {
            term *= z / (k * (double)(k + n));
            sum += term;
        }
        return n ? 0.5 * x * sum : sum;
    }
    for (int k = 1; k < 30; k++) {
        double odd = 2 * k - 1;

        term *= (odd * odd - 4 * n) / (8 * k * x);
        sum += term;
    }
    e = __nv_exp(0.5 * x);
    return sum / __builtin_sqrt(6.28318530717958647693 * x) * e * e;
}
GPUDL_CALLED double __nv_cyl_bessel_i0(double a) { return a == a ? gpudl_bessel_i(0, __builtin_fabs(a)) : a; }
GPUDL_CALLED double __nv_cyl_bessel_i1(double a) { return a == a ? __builtin_copysign(gpudl_bessel_i(1, __builtin_fabs(a)), a) : a; }
GPUDL_FN(float, cyl_bessel_i0f, (float a), (float)__nv_cyl_bessel_i0((double)a))
GPUDL_FN(float, cyl_bessel_i1f, (float a), (float)__nv_cyl_bessel_i1((double)a))
#pragma float_control(pop)
