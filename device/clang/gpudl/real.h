/* real.h - floats and doubles as numbers of one kind: their bits, pairs of them, powers of two, remainders. What follows is
 * written for both.
 *
 * A pair is a sum h + l of two numbers of which l is too small to change h: about twice as many bits (Dekker 1971, Knuth 4.2.2). */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

template <class T> struct gpudl_real;
template <> struct gpudl_real<double> {
    typedef gpudl_ll bits;
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr double infinity = __builtin_inf(), nan = __builtin_nan(""), least_normal = 0x1p-1022;
    static constexpr double ln2_high = 0x1.62e42fee00000p-1,
                            ln2_low = 0x1.a39ef35793c76p-33; /* times an exponent the first is exact */
    static constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56; /* as a pair */
    static constexpr int over = 1100; /* the exponential of more, or of less than minus that, is infinite or zero */
};
template <> struct gpudl_real<float> {
    typedef int bits;
    static constexpr int mantissa = 23, bias = 127;
    static constexpr float infinity = __builtin_inff(), nan = __builtin_nanf(""), least_normal = 0x1p-126f;
    static constexpr float ln2_high = 0x1.62e400p-1f, ln2_low = 0x1.7f7d1cp-20f;
    static constexpr float ln2 = 0x1.62e430p-1f, ln2_rest = -0x1.05c610p-29f;
    static constexpr int over = 160;
};

GPUDL_DEVICE double gpudl_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
GPUDL_DEVICE float gpudl_fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
GPUDL_DEVICE double gpudl_abs(double a)
{
    return __builtin_fabs(a);
}
GPUDL_DEVICE float gpudl_abs(float a)
{
    return __builtin_fabsf(a);
}
GPUDL_DEVICE double gpudl_sign_of(double a, double sign)
{
    return __builtin_copysign(a, sign);
}
GPUDL_DEVICE float gpudl_sign_of(float a, float sign)
{
    return __builtin_copysignf(a, sign);
}
GPUDL_DEVICE double gpudl_root(double a)
{
    return __builtin_sqrt(a);
}
GPUDL_DEVICE float gpudl_root(float a)
{
    return __builtin_sqrtf(a);
}
GPUDL_DEVICE double gpudl_nearest(double a)
{
    return __builtin_rint(a);
}
GPUDL_DEVICE float gpudl_nearest(float a)
{
    return __builtin_rintf(a);
}
GPUDL_DEVICE double gpudl_whole(double a)
{
    return __builtin_trunc(a);
}
GPUDL_DEVICE float gpudl_whole(float a)
{
    return __builtin_truncf(a);
}
template <class T> GPUDL_DEVICE typename gpudl_real<T>::bits gpudl_bits(T a)
{
    return __builtin_bit_cast(typename gpudl_real<T>::bits, a);
}
template <class T> GPUDL_DEVICE T gpudl_of_bits(typename gpudl_real<T>::bits a)
{
    return __builtin_bit_cast(T, a);
}
template <class T> GPUDL_DEVICE bool gpudl_finite(T a)
{
    return gpudl_abs(a) < gpudl_real<T>::infinity;
}

/* Horner's scheme */
template <class T, int n> GPUDL_DEVICE T gpudl_polynomial(const T (&c)[n], T x)
{
    T r = c[0];

#pragma unroll
    for (int i = 1; i < n; i++)
        r = gpudl_fma(r, x, c[i]);
    return r;
}

template <class T> struct gpudl_pair {
    T h, l;
};
template <class T> GPUDL_DEVICE gpudl_pair<T> gpudl_quick_pair(T h, T l) /* |h| >= |l| */
{
    T s = h + l;

    return { s, l - (s - h) };
}
template <class T> GPUDL_DEVICE gpudl_pair<T> gpudl_sum(T a, T b)
{
    T s = a + b, t = s - a;

    return { s, (a - (s - t)) + (b - t) };
}
template <class T> GPUDL_DEVICE gpudl_pair<T> gpudl_product(T a, T b)
{
    T p = a * b;

    return { p, gpudl_fma(a, b, -p) };
}
template <class T> GPUDL_DEVICE gpudl_pair<T> operator+(gpudl_pair<T> a, gpudl_pair<T> b)
{
    gpudl_pair<T> s = gpudl_sum(a.h, b.h);

    return gpudl_quick_pair(s.h, s.l + (a.l + b.l));
}
template <class T> GPUDL_DEVICE gpudl_pair<T> operator*(gpudl_pair<T> a, gpudl_pair<T> b)
{
    gpudl_pair<T> p = gpudl_product(a.h, b.h);

    return gpudl_quick_pair(p.h, p.l + (a.h * b.l + a.l * b.h));
}
template <class T> GPUDL_DEVICE gpudl_pair<T> operator/(gpudl_pair<T> a, gpudl_pair<T> b)
{
    T q = a.h / b.h, r = gpudl_fma(-q, b.h, a.h) + (a.l - q * b.l);

    return gpudl_quick_pair(q, r / b.h);
}

/* a = m * 2^e with sqrt(1/2) <= m < sqrt(2); a is positive and finite */
template <class T> GPUDL_DEVICE T gpudl_split(T a, int *e)
{
    typedef gpudl_real<T> real;
    const typename real::bits least = sizeof(T) == 8 ? (typename real::bits)0x3fe6a09e667f3bcdll : 0x3f3504f3;
    bool small = a < real::least_normal;
    typename real::bits bits = gpudl_bits(small ? a * (sizeof(T) == 8 ? (T)0x1p54 : (T)0x1p25) : a);

    *e = (int)((bits - least) >> real::mantissa);
    bits -= (typename real::bits)((unsigned long long)*e << real::mantissa);
    *e -= small ? real::mantissa + 2 : 0;
    return gpudl_of_bits<T>(bits);
}
/* 2^n for a normal result */
template <class T> GPUDL_DEVICE T gpudl_two_to(int n)
{
    typedef gpudl_real<T> real;

    return gpudl_of_bits<T>((typename real::bits)((unsigned long long)(n + real::bias) << real::mantissa));
}
/* a * 2^n for 1/2 <= |a| <= 2: in two steps, so that only a subnormal result is rounded */
template <class T> GPUDL_DEVICE T gpudl_scaled(T a, int n)
{
    int half = n >> 1;

    return a * gpudl_two_to<T>(half) * gpudl_two_to<T>(n - half);
}
GPUDL_DEVICE double __nv_ldexp(double a, int n)
{
    /* In up to three steps, of which only the last can round: what is too small for that becomes zero all the same. */
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    if (n > 1023) {
        a *= 0x1p1023;
        n -= 1023;
        if (n > 1023) {
            a *= 0x1p1023;
            n -= 1023;
        }
    } else if (n < -1022) {
        a *= 0x1p-969;
        n += 969;
        if (n < -1022) {
            a *= 0x1p-969;
            n += 969;
        }
    }
    return a * gpudl_two_to<double>(n);
}
GPUDL_FN(double, scalbn, (double a, int n), __nv_ldexp(a, n))
GPUDL_FN(float, ldexpf, (float a, int n), (float)((double)a *gpudl_two_to<double>(n<-300 ? -300 : n> 300 ? 300 : n)))
GPUDL_FN(float, scalbnf, (float a, int n), __nv_ldexpf(a, n))
GPUDL_DEVICE int gpudl_exponent(double a) /* of a finite one but zero */
{
    int e = (int)(gpudl_bits(a) >> 52 & 2047);

    return e ? e - 1023 : (int)(gpudl_bits(a * 0x1p54) >> 52 & 2047) - 1077;
}
GPUDL_DEVICE int __nv_ilogb(double a)
{
    if (a == 0 || a != a)
        return (int)0x80000000;
    return gpudl_finite(a) ? gpudl_exponent(a) : 0x7fffffff;
}
GPUDL_FN(int, ilogbf, (float a), __nv_ilogb((double)a))
GPUDL_FN(double, logb, (double a), a == 0 ? -__builtin_inf() : gpudl_finite(a) ? (double)gpudl_exponent(a) : a * a)
GPUDL_FN(float, logbf, (float a), (float)__nv_logb((double)a))
GPUDL_DEVICE double __nv_frexp(double a, int *e)
{
    *e = 0;
    if (a == 0 || !gpudl_finite(a))
        return a + a;
    *e = gpudl_exponent(a) + 1;
    return __nv_ldexp(a, -*e);
}
GPUDL_FN(float, frexpf, (float a, int *e), (float)__nv_frexp((double)a, e))
template <class T> GPUDL_DEVICE T gpudl_modf(T a, T *whole)
{
    *whole = gpudl_whole(a);
    return gpudl_sign_of(gpudl_abs(a) == gpudl_real<T>::infinity ? (T)0 : a - *whole, a);
}
GPUDL_FN(double, modf, (double a, double *whole), gpudl_modf(a, whole))
GPUDL_FN(float, modff, (float a, float *whole), gpudl_modf(a, whole))
template <class T> GPUDL_DEVICE T gpudl_nextafter(T a, T b)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0)
        return gpudl_sign_of(gpudl_of_bits<T>(1), b);
    return gpudl_of_bits<T>(gpudl_bits(a) + ((a < b) == (a > 0) ? 1 : -1));
}
GPUDL_FN(double, nextafter, (double a, double b), gpudl_nextafter(a, b))
GPUDL_FN(float, nextafterf, (float a, float b), gpudl_nextafter(a, b))

/* Division with remainder of |a| by |b|, finite and not zero: long division by blocks of bits. *quotient: its low bits */
template <class T> GPUDL_DEVICE T gpudl_divide(T a, T b, unsigned *quotient)
{
    typedef gpudl_real<T> real;
    const int block = 63 - real::mantissa; /* as many bits of quotient at a time */
    int ea = __nv_ilogb((double)a) - real::mantissa, eb = __nv_ilogb((double)b) - real::mantissa, steps = ea - eb;
    gpudl_ull x, y;

    *quotient = 0;
    if (steps < 0)
        return gpudl_abs(a);
    x = (gpudl_ull)__nv_ldexp(gpudl_abs((double)a), -ea);
    y = (gpudl_ull)__nv_ldexp(gpudl_abs((double)b), -eb);
    *quotient = (unsigned)(x / y);
    x %= y;
    while (steps > 0) {
        int n = steps < block ? steps : block;

        x <<= n;
        *quotient = (*quotient << n) + (unsigned)(x / y);
        x %= y;
        steps -= n;
    }
    return (T)__nv_ldexp((double)x, eb);
}
template <class T> GPUDL_DEVICE bool gpudl_divisible(T a, T b)
{
    return gpudl_finite(a) && b == b && b != 0;
}
template <class T> GPUDL_DEVICE T gpudl_fmod(T a, T b)
{
    unsigned q;

    if (!gpudl_divisible(a, b))
        return gpudl_real<T>::nan;
    return gpudl_sign_of(gpudl_finite(b) && a != 0 ? gpudl_divide(a, b, &q) : gpudl_abs(a), a);
}
template <class T> GPUDL_DEVICE T gpudl_remquo(T a, T b, int *quotient)
{
    T r = gpudl_abs(a), y = gpudl_abs(b);
    unsigned q = 0;

    *quotient = 0;
    if (!gpudl_divisible(a, b))
        return gpudl_real<T>::nan;
    if (gpudl_finite(b) && a != 0) {
        r = gpudl_divide(a, b, &q);
        if (r > y - r || (r == y - r && q & 1)) {
            r -= y;
            q++;
        }
    }
    *quotient = (a < 0) != (b < 0) ? -(int)(q & 7) : (int)(q & 7);
    return gpudl_bits(a) < 0 ? -r : r;
}
GPUDL_CALLED double __nv_fmod(double a, double b)
{
    return gpudl_fmod(a, b);
}
GPUDL_CALLED float __nv_fmodf(float a, float b)
{
    return gpudl_fmod(a, b);
}
GPUDL_CALLED double __nv_remquo(double a, double b, int *q)
{
    return gpudl_remquo(a, b, q);
}
GPUDL_CALLED float __nv_remquof(float a, float b, int *q)
{
    return gpudl_remquo(a, b, q);
}
GPUDL_DEVICE double __nv_remainder(double a, double b)
{
    int q;

    return __nv_remquo(a, b, &q);
}
GPUDL_DEVICE float __nv_remainderf(float a, float b)
{
    int q;

    return __nv_remquof(a, b, &q);
}
#pragma float_control(pop)
