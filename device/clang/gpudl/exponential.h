/* exponential.h - logarithms, exponentials, powers, roots and hyperbolic functions.
 *
 * exp: n multiples of ln 2 are taken off and Taylor's series takes the rest. log: a = m 2^e, and log(m) is 2 atanh(s), s =
 * (m-1)/(m+1), as its series. pow has both in pairs. The others are reduced to these by identities. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

/* exp(r + low) - 1 as a pair, |r| <= ln(2)/2 and a little */
template <class T> GPUDL_DEVICE gpudl_pair<T> gpudl_expm1_of(T r, T low)
{
    T rest = r * r * gpudl_exp_series(r);

    return gpudl_quick_pair(r, gpudl_fma(low, 1 + (r + rest), rest));
}
template <class T> GPUDL_DEVICE T gpudl_exp_pair(T x, T low) /* exp(x + low) */
{
    typedef gpudl_real<T> real;
    T n = gpudl_nearest(x * (T)1.4426950408889634), r = gpudl_fma(-n, real::ln2_high, x), e;
    gpudl_pair<T> rest = gpudl_sum(r, -n * real::ln2_low), p;

    if (!(gpudl_abs(x) < (T)real::over))
        return x != x ? x : x > 0 ? real::infinity : (T)0;
    p = gpudl_expm1_of(rest.h, rest.l + low);
    e = 1 + p.h;
    return gpudl_scaled(e + (p.h - (e - 1) + p.l), (int)n);
}
GPUDL_FN(double, exp, (double a), gpudl_exp_pair(a, 0.0))
GPUDL_FN(float, expf, (float a), gpudl_exp_pair(a, 0.0f))
template <class T> GPUDL_DEVICE T gpudl_exp2(T x)
{
    typedef gpudl_real<T> real;
    T n = gpudl_nearest(x), r = x - n, e;
    gpudl_pair<T> t = gpudl_product(r, real::ln2), p;

    if (!(gpudl_abs(x) < (T)real::over))
        return x != x ? x : x > 0 ? real::infinity : (T)0;
    p = gpudl_expm1_of(t.h, gpudl_fma(r, real::ln2_rest, t.l));
    e = 1 + p.h;
    return gpudl_scaled(e + (p.h - (e - 1) + p.l), (int)n);
}
GPUDL_FN(double, exp2, (double a), gpudl_exp2(a))
GPUDL_FN(float, exp2f, (float a), gpudl_exp2(a))
/* The product with ln 10 as a pair */
GPUDL_DEVICE double __nv_exp10(double a)
{
    gpudl_pair<double> t = gpudl_product(a, 2.30258509299404590109);

    return gpudl_abs(a) < 400 ? gpudl_exp_pair(t.h, __builtin_fma(a, -2.17075622338224935e-16, t.l)) : __nv_exp(a * 10);
}
GPUDL_DEVICE float __nv_exp10f(float a)
{
    gpudl_pair<float> t = gpudl_product(a, 0x1.26bb1cp+1f);

    return gpudl_abs(a) < 60 ? gpudl_exp_pair(t.h, __builtin_fmaf(a, -0x1.12aabap-25f, t.l)) : __nv_expf(a * 10);
}
template <class T> GPUDL_DEVICE T gpudl_expm1(T x)
{
    typedef gpudl_real<T> real;
    T n = gpudl_nearest(x * (T)1.4426950408889634), r = gpudl_fma(-n, real::ln2_high, x), two;
    gpudl_pair<T> rest = gpudl_sum(r, -n * real::ln2_low), p, s;

    if (!(gpudl_abs(x) < (T)(real::over / 2)))
        return x != x ? x : x > 0 ? gpudl_exp_pair(x, (T)0) : (T)-1;
    if (x < (T)-40)
        return -1;
    p = gpudl_expm1_of(rest.h, rest.l);
    if (n == 0)
        return x == 0 ? x : p.h + p.l;
    if (n > real::mantissa + 4) { /* one more or less does not matter */
        two = 1 + p.h;
        return gpudl_scaled(two + (p.h - (two - 1) + p.l), (int)n);
    }
    two = gpudl_two_to<T>((int)n);
    s = gpudl_sum(two - 1, two * p.h);
    return s.h + (s.l + two * p.l);
}
GPUDL_FN(double, expm1, (double a), gpudl_expm1(a))
GPUDL_FN(float, expm1f, (float a), gpudl_expm1(a))

/* log(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f/(2+f), R = 2 (s^2/3 + s^4/5 + ...), arranged so that only what is small is rounded.
 * Of a number, that has e * ln 2 added, and what 1 + f lost. */
template <class T> GPUDL_DEVICE T gpudl_log_of(T f, int e, T lost)
{
    typedef gpudl_real<T> real;
    T s = f / (2 + f), z = s * s, half = (T)0.5 * f * f, r = gpudl_log_series(z), k = (T)e;

    r = gpudl_fma(s, gpudl_fma(r, z, half), gpudl_fma(k, real::ln2_low, lost));
    return k * real::ln2_high - ((half - r) - f);
}
template <class T> GPUDL_DEVICE T gpudl_log_special(T a)
{
    return a == 0 ? -gpudl_real<T>::infinity : a > 0 ? a : gpudl_real<T>::nan;
}
template <class T> GPUDL_DEVICE bool gpudl_has_log(T a)
{
    return a > 0 && a < gpudl_real<T>::infinity;
}
template <class T> GPUDL_DEVICE T gpudl_log(T a)
{
    int e;
    T m = gpudl_split(a, &e);

    return gpudl_has_log(a) ? gpudl_log_of(m - 1, e, (T)0) : gpudl_log_special(a);
}
GPUDL_FN(double, log, (double a), gpudl_log(a))
GPUDL_FN(float, logf, (float a), gpudl_log(a))
template <class T> GPUDL_DEVICE T gpudl_log1p(T a)
{
    int e;
    T u = 1 + a, m, lost;

    if (a > (T)-0.25 && a < (T)0.375)
        return a == 0 ? a : gpudl_log_of(a, 0, (T)0);
    if (!gpudl_has_log(u))
        return gpudl_log_special(u);
    lost = a > 1 ? 1 - (u - a) : a - (u - 1);
    m = gpudl_split(u, &e);
    return gpudl_log_of(m - 1, e, lost / u);
}
GPUDL_FN(double, log1p, (double a), gpudl_log1p(a))
GPUDL_FN(float, log1pf, (float a), gpudl_log1p(a))

/* log(m) as a pair, of m = 1 + f: the first terms of the series of atanh in pairs, the others only where they are small */
template <class T> GPUDL_DEVICE gpudl_pair<T> gpudl_log_pair_of(T m)
{
    const gpudl_pair<T> third = { (T)(2.0 / 3), (T)(sizeof(T) == 8 ? 3.700743415417188e-17 : 2.0 / 3 - (double)(T)(2.0 / 3)) };
    gpudl_pair<T> s = gpudl_pair<T>{ m - 1, 0 } / gpudl_sum(m, (T)1), z = s * s, q;

    q = third + gpudl_pair<T>{ gpudl_log_rest_series(z.h) * z.h, 0 };
    return gpudl_pair<T>{ 2 * s.h, 2 * s.l } + s * (z * q);
}
template <class T> GPUDL_DEVICE T gpudl_log_scaled(T a, gpudl_pair<T> scale, gpudl_pair<T> of_two) /* log(a) * scale */
{
    int e;
    T m = gpudl_split(a, &e);
    gpudl_pair<T> l;

    if (!gpudl_has_log(a))
        return gpudl_log_special(a);
    l = gpudl_log_pair_of(m) * scale + of_two * gpudl_pair<T>{ (T)e, 0 };
    return l.h + l.l;
}
GPUDL_FN(double, log2, (double a), gpudl_log_scaled<double>(a, { 1.4426950408889633870, 2.0355273740931033e-17 }, { 1, 0 }))
GPUDL_FN(float, log2f, (float a), gpudl_log_scaled<float>(a, { 0x1.715476p+0f, 0x1.4ae0cp-26f }, { 1, 0 }))
GPUDL_FN(double, log10, (double a),
    gpudl_log_scaled<double>(
        a, { 0.43429448190325181667, 1.09831965021676507e-17 }, { 0.30102999566398119802, -2.8037281277851704e-18 }))
GPUDL_FN(float, log10f, (float a),
    gpudl_log_scaled<float>(a, { 0x1.bcb7b2p-2f, -0x1.5b235ep-27f }, { 0x1.344136p-2f, -0x1.ec10cp-27f }))

template <class T> GPUDL_DEVICE T gpudl_pow(T x, T y)
{
    typedef gpudl_real<T> real;
    T a = gpudl_abs(x), r;
    int e;
    bool whole = gpudl_whole(y) == y,
         odd = whole && gpudl_abs(y) < (T)(sizeof(T) == 8 ? 0x1p53 : 0x1p24) && gpudl_whole(y * (T)0.5) * 2 != y;
    gpudl_pair<T> l, p;

    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    if (gpudl_abs(y) == real::infinity)
        return a == 1 ? (T)1 : (a > 1) == (y > 0) ? real::infinity : (T)0;
    if (a == 0 || a == real::infinity) {
        r = (a == 0) == (y < 0) ? real::infinity : (T)0;
        return odd ? gpudl_sign_of(r, x) : r;
    }
    if (x < 0 && !whole)
        return real::nan;
    l = gpudl_log_pair_of(gpudl_split(a, &e));
    l = gpudl_pair<T>{ real::ln2, real::ln2_rest } * gpudl_pair<T>{ (T)e, 0 } + l;
    p = gpudl_product(y, l.h);
    r = gpudl_abs(p.h) < (T)real::over ? gpudl_exp_pair(p.h, gpudl_fma(y, l.l, p.l)) : p.h > 0 ? real::infinity : (T)0;
    return x < 0 && odd ? -r : r;
}
GPUDL_CALLED double __nv_pow(double a, double b)
{
    return gpudl_pow(a, b);
}
GPUDL_CALLED float __nv_powf(float a, float b)
{
    return gpudl_pow(a, b);
}
GPUDL_FN(double, powi, (double a, int n), __nv_pow(a, (double)n))
GPUDL_DEVICE float __nv_powif(float a, int n)
{
    return (float)__nv_pow((double)a, (double)n);
} /* not every int is a float */

/* Cube root: a guess from a third of the exponent, then Halley's method, which triples its digits each time; the last step with
 * the exact rest */
GPUDL_DEVICE double __nv_cbrt(double a)
{
    double x = gpudl_abs(a), y, rest;
    int shift = x < 0x1p-1022 ? 54 : x > 0x1p1000 ? -54 : 0;

    if (a == 0 || !gpudl_finite(a))
        return a + a;
    x *= gpudl_two_to<double>(shift);
    y = __nv_longlong_as_double(gpudl_bits(x) / 3 + 0x2a9f7893782da1cell);
    for (int i = 0; i < 3; i++) {
        double cube = y * y * y;

        y = y * ((cube + 2 * x) / (2 * cube + x));
    }
    gpudl_pair<double> square = gpudl_product(y, y), cube = gpudl_product(square.h, y);
    rest = ((cube.h - x) + cube.l) + square.l * y;
    y -= rest / (3 * square.h);
    return gpudl_sign_of(y * gpudl_two_to<double>(-shift / 3), a);
}
GPUDL_FN(float, cbrtf, (float a), (float)__nv_cbrt((double)a))
GPUDL_FN(double, rcbrt, (double a), 1.0 / __nv_cbrt(a))
GPUDL_FN(float, rcbrtf, (float a), (float)(1.0 / __nv_cbrt((double)a)))
GPUDL_FN(double, rsqrt, (double a), 1.0 / gpudl_root(a))

/* Hyperbolic functions from t = expm1(|a|) */
template <class T> GPUDL_DEVICE T gpudl_half_exp(T x) /* exp(x)/2, which may be finite where exp(x) is not */
{
    gpudl_pair<T> less = gpudl_sum(x, -gpudl_real<T>::ln2);

    return gpudl_exp_pair(less.h, x < (T)2000 ? less.l - gpudl_real<T>::ln2_rest : (T)0);
}
template <class T> GPUDL_DEVICE T gpudl_sinh(T a)
{
    T x = gpudl_abs(a), t;

    if (x >= (T)24) /* exp(-x) does not matter */
        return gpudl_sign_of(gpudl_half_exp(x), a);
    t = gpudl_expm1(x);
    return gpudl_sign_of((T)0.5 * (t + t / (t + 1)), a);
}
template <class T> GPUDL_DEVICE T gpudl_cosh(T a)
{
    T x = gpudl_abs(a), t;

    if (x >= (T)24)
        return gpudl_half_exp(x);
    t = gpudl_exp_pair(x, (T)0);
    return (T)0.5 * t + (T)0.5 / t;
}
template <class T> GPUDL_DEVICE T gpudl_tanh(T a)
{
    T x = gpudl_abs(a), t;

    if (x >= (T)22)
        return gpudl_sign_of((T)1, a);
    t = gpudl_expm1(2 * x);
    return x < (T)1e-9 || a != a ? a : gpudl_sign_of(x < (T)0.55 ? t / (t + 2) : 1 - 2 / (t + 2), a);
}
template <class T> GPUDL_DEVICE T gpudl_asinh(T a)
{
    T x = gpudl_abs(a), z = x * x;

    if (x > (T)(sizeof(T) == 8 ? 0x1p28 : 0x1p13))
        return gpudl_sign_of(gpudl_log(x) + (T)0.69314718055994531, a);
    return gpudl_sign_of(gpudl_log1p(x + z / (1 + gpudl_root(1 + z))), a);
}
template <class T> GPUDL_DEVICE T gpudl_acosh(T a)
{
    T t = a - 1;

    if (a > (T)(sizeof(T) == 8 ? 0x1p28 : 0x1p13))
        return gpudl_log(a) + (T)0.69314718055994531;
    return t >= 0 ? gpudl_log1p(t + gpudl_root(gpudl_fma(t, t, 2 * t))) : gpudl_real<T>::nan;
}
template <class T> GPUDL_DEVICE T gpudl_atanh(T a)
{
    T x = gpudl_abs(a);

    return gpudl_sign_of((T)0.5 * gpudl_log1p(2 * x / (1 - x)), a);
}
#define GPUDL_BOTH(name) \
    GPUDL_FN(double, name, (double a), gpudl_##name(a)) \
    GPUDL_FN(float, name##f, (float a), gpudl_##name(a))
GPUDL_BOTH(sinh)
GPUDL_FN(double, cosh, (double a), gpudl_cosh(a))
GPUDL_FN(float, coshf, (float a), gpudl_cosh(a))
GPUDL_BOTH(tanh)
GPUDL_BOTH(asinh)
GPUDL_BOTH(acosh)
GPUDL_BOTH(atanh)
#pragma float_control(pop)
