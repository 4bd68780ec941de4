/* special.h - gamma, norms, and modified Bessel functions. Those of floats are rounded from double. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

/* Gamma(y) = *first * *second, y > 0. Stirling's series from 12 on (Abramowitz and Stegun 6.1.40), below that
 * Gamma(y+n)/(y(y+1)...(y+n-1)); the product is kept in two parts, as is y+n, so that neither adds to the error. */
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

/* log of gamma: about its zeros at 1 and 2 polynomials that have them as factors; by Gamma(x) = (x-1) Gamma(x-1) to 8; then
 * Stirling's series */
GPUDL_DEVICE double gpudl_lgamma_of(double x) /* x > 0 */
{
    double p = 1, z, q, s;

    if (x < 0.5) {
        z = x;
        return z * (z - 1) * gpudl_polynomial(gpudl_lgamma_1_fit, z) - __nv_log(x);
    }
    if (x <= 1.5) {
        z = x - 1;
        return z * (z - 1) * gpudl_polynomial(gpudl_lgamma_1_fit, z);
    }
    if (x < 8) {
        z = x;
        while (z > 3) {
            z -= 1;
            p *= z;
        }
        z -= 2;
        return z * (z + 1) * gpudl_polynomial(gpudl_lgamma_2_fit, z) + (p > 1 ? __nv_log(p) : 0.0);
    }
    if (x > 1e17)
        return x * (__nv_log(x) - 1);
    z = 1 / x;
    q = z * z;
    s = -3617.0 / 122400;
    s = __builtin_fma(s, q, 1.0 / 156);
    s = __builtin_fma(s, q, -691.0 / 360360);
    s = __builtin_fma(s, q, 1.0 / 1188);
    s = __builtin_fma(s, q, -1.0 / 1680);
    s = __builtin_fma(s, q, 1.0 / 1260);
    s = __builtin_fma(s, q, -1.0 / 360);
    s = __builtin_fma(s, q, 1.0 / 12);
    return (x - 0.5) * (__nv_log(x) - 1) + (0.41893853320467274178 + s * z);
}
GPUDL_CALLED double __nv_lgamma(double a)
{
    double x = gpudl_abs(a), s;

    if (!gpudl_finite(a) || a == 0)
        return a != a ? a : __builtin_inf();
    if (a > 0)
        return gpudl_lgamma_of(x);
    if (x < 0x1p-60)
        return -__nv_log(x);
    s = gpudl_abs(x * __nv_sinpi(x));
    return s == 0 ? __builtin_inf() : __nv_log(3.14159265358979323846 / s) - gpudl_lgamma_of(x);
}
GPUDL_FN(float, lgammaf, (float a), (float)__nv_lgamma((double)a))

/* Norms: of doubles scaled by a power of two, so that no square overflows or vanishes; root: a pair, times 2^*e; false where it
 * is infinite, NaN or 0 */
GPUDL_DEVICE bool gpudl_norm_pair(int n, const double *t, gpudl_pair<double> *root, int *e)
{
    gpudl_pair<double> sum = { 0, 0 };
    double most = 0;
    bool nan = false;

    for (int i = 0; i < n; i++) {
        nan |= t[i] != t[i];
        most = __builtin_fmax(most, gpudl_abs(t[i]));
    }
    *root = { nan && gpudl_finite(most) ? __builtin_nan("") : most, 0 };
    if (nan || most == 0 || !gpudl_finite(most))
        return false;
    *e = gpudl_exponent(most);
    for (int i = 0; i < n; i++) {
        double x = __nv_ldexp(t[i], -*e);

        sum = sum + gpudl_product(x, x);
    }
    root->h = gpudl_root(sum.h);
    root->l = (__builtin_fma(-root->h, root->h, sum.h) + sum.l) / (2 * root->h);
    return true;
}
GPUDL_DEVICE double gpudl_norm(int n, const double *t)
{
    gpudl_pair<double> root;
    int e;

    return gpudl_norm_pair(n, t, &root, &e) ? __nv_ldexp(root.h + root.l, e) : root.h;
}
GPUDL_DEVICE double gpudl_rnorm(int n, const double *t)
{
    gpudl_pair<double> root;
    int e;
    double r;

    if (!gpudl_norm_pair(n, t, &root, &e))
        return 1 / root.h;
    r = 1 / root.h;
    return __nv_ldexp(r + r * (__builtin_fma(-r, root.h, 1.0) - r * root.l), -e);
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
GPUDL_DEVICE double gpudl_rnorm_of_floats(int n, const float *t)
{
    return 1 / gpudl_norm_of_floats(n, t);
}
GPUDL_CALLED double __nv_norm(int n, const double *t)
{
    return gpudl_norm(n, t);
}
GPUDL_CALLED double __nv_rnorm(int n, const double *t)
{
    return gpudl_rnorm(n, t);
}
GPUDL_CALLED float __nv_normf(int n, const float *t)
{
    return (float)gpudl_norm_of_floats(n, t);
}
GPUDL_CALLED float __nv_rnormf(int n, const float *t)
{
    return (float)gpudl_rnorm_of_floats(n, t);
}
#define GPUDL_NORM(T, name, of, n, args, ...) \
    GPUDL_DEVICE T __nv_##name args \
    { \
        T t[n] = { __VA_ARGS__ }; \
        return (T)of(n, t); \
    }
#define GPUDL_NORMS(T, f, of) \
    GPUDL_NORM(T, hypot##f, gpudl_norm##of, 2, (T a, T b), a, b) \
    GPUDL_NORM(T, norm3d##f, gpudl_norm##of, 3, (T a, T b, T c), a, b, c) \
    GPUDL_NORM(T, norm4d##f, gpudl_norm##of, 4, (T a, T b, T c, T d), a, b, c, d) \
    GPUDL_NORM(T, rhypot##f, gpudl_rnorm##of, 2, (T a, T b), a, b) \
    GPUDL_NORM(T, rnorm3d##f, gpudl_rnorm##of, 3, (T a, T b, T c), a, b, c) \
    GPUDL_NORM(T, rnorm4d##f, gpudl_rnorm##of, 4, (T a, T b, T c, T d), a, b, c, d)
GPUDL_NORMS(double, , )
GPUDL_NORMS(float, f, _of_floats)
#undef GPUDL_NORMS
#undef GPUDL_NORM

/* I0 and I1: the power series, all of whose terms have one sign, to 20; then Abramowitz and Stegun 9.7.1 */
GPUDL_DEVICE double gpudl_bessel_i(int n, double x)
{
    gpudl_pair<double> z = gpudl_product(0.25 * x, x), term = { 1, 0 }, sum = term;
    double rest = 0, e;

    if (x > 800)
        return __builtin_inf();
    if (x < 20) {
        for (int k = 1; term.h > sum.h * 0x1p-56; k++) {
            term = term * z / gpudl_pair<double>{ k * (double)(k + n), 0 };
            sum = sum + term;
        }
        return n ? 0.5 * x * sum.h : sum.h;
    }
    for (int k = 1; k < 30; k++) {
        double odd = 2 * k - 1;

        term.h *= (odd * odd - 4 * n) / (8 * k * x);
        rest += term.h;
    }
    e = __nv_exp(x < 700 ? x : 0.5 * x);
    rest = (1 + rest) / gpudl_root(6.28318530717958647693 * x) * e;
    return x < 700 ? rest : rest * e;
}
GPUDL_CALLED double __nv_cyl_bessel_i0(double a)
{
    return a == a ? gpudl_bessel_i(0, __builtin_fabs(a)) : a;
}
GPUDL_CALLED double __nv_cyl_bessel_i1(double a)
{
    return a == a ? __builtin_copysign(gpudl_bessel_i(1, __builtin_fabs(a)), a) : a;
}
GPUDL_FN(float, cyl_bessel_i0f, (float a), (float)__nv_cyl_bessel_i0((double)a))
GPUDL_FN(float, cyl_bessel_i1f, (float a), (float)__nv_cyl_bessel_i1((double)a))
#pragma float_control(pop)
