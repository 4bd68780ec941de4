/* math.h - functions that libclc has not, or has less accurate than CUDA documents; errors in units in the last place are in docs/CLANG.md.
 *
 * Formulas: elementary identities and Taylor series, the sources of the others are said where they are. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

/* sqrt(2)/2 <= m < sqrt(2), a = m * 2^e; a is normal */
GPUDL_DEVICE double gpudl_split(double a, int *e)
{
    gpudl_ll bits = __nv_double_as_longlong(a), over = bits - 0x3fe6a09e667f3bcdll;

    *e = (int)(over >> 52);
    return __nv_longlong_as_double(bits - (over & (gpudl_ll)0xfff0000000000000ull));
}
GPUDL_DEVICE float gpudl_splitf(float a, int *e)
{
    int bits = __nv_float_as_int(a), over = bits - 0x3f3504f3;

    *e = over >> 23;
    return __nv_int_as_float(bits - (over & (int)0xff800000u));
}

/* log(1+f) = f - f^2/2 + s*(f^2/2 + R), s = f/(2+f), R = 2*(s^2/3 + s^4/5 + ...): the series of atanh, arranged so that its sum is small. */
GPUDL_DEVICE double __nv_log(double a)
{
    int e, small = a < 0x1p-1022;
    double m = gpudl_split(small ? a * 0x1p54 : a, &e), f = m - 1, s = f / (m + 1), z = s * s, h = 0.5 * f * f, r;

    r = 2.0 / 23;
    for (int k = 21; k >= 3; k -= 2)
        r = __builtin_fma(r, z, 2.0 / k);
    r *= z;
    e -= small ? 54 : 0;
    if (!(a > 0) || a == __builtin_inf())
        return a == 0 ? -__builtin_inf() : a > 0 ? a : __builtin_nan("");
    /* e * ln 2 in two parts, the first of few enough bits for its product to be exact */
    return e * 0x1.62e42fee00000p-1 - ((h - __builtin_fma(s, h + r, e * 0x1.a39ef35793c76p-33)) - f);
}
GPUDL_DEVICE float __nv_logf(float a)
{
    int e, small = a < 0x1p-126f;
    float m = gpudl_splitf(small ? a * 0x1p25f : a, &e), f = m - 1, s = f / (m + 1), z = s * s, h = 0.5f * f * f, r;

    r = 2.0f / 11;
    for (int k = 9; k >= 3; k -= 2)
        r = __builtin_fmaf(r, z, 2.0f / (float)k);
    r *= z;
    e -= small ? 25 : 0;
    if (!(a > 0) || a == __builtin_inff())
        return a == 0 ? -__builtin_inff() : a > 0 ? a : __builtin_nanf("");
    return (float)e * 0x1.62e400p-1f - ((h - __builtin_fmaf(s, h + r, (float)e * 0x1.7f7d1cp-20f)) - f);
}

GPUDL_FN(float, coshf, (float a), (float)__nv_cosh((double)a))
GPUDL_FN(float, erfcf, (float a), (float)__nv_erfc((double)a))
GPUDL_FN(float, lgammaf, (float a), (float)__nv_lgamma((double)a))
GPUDL_FN(double, rcbrt, (double a), 1.0 / __nv_cbrt(a))
GPUDL_FN(float, rcbrtf, (float a), (float)(1.0 / __nv_cbrt((double)a)))
GPUDL_FN(double, rsqrt, (double a), 1.0 / __builtin_sqrt(a))

/* sin and cos of pi*a: a is brought to [-1/4, 1/4] without error, the rest are Taylor series in pi*r. which: bit 0 cosine, bit 1 minus */
GPUDL_DEVICE double gpudl_sinpi_of(double r, int which)
{
    double x = r * 3.14159265358979311600e0, low = __builtin_fma(r, 3.14159265358979311600e0, -x), z, s;

    low = __builtin_fma(r, 1.2246467991473531772e-16, low); /* x + low is pi*r to twice the bits */
    z = x * x;
    if (which & 1) {
        s = -1.0 / 6402373705728000.0; /* 18! */
        s = __builtin_fma(s, z, 1.0 / 20922789888000.0);
        s = __builtin_fma(s, z, -1.0 / 87178291200.0);
        s = __builtin_fma(s, z, 1.0 / 479001600.0);
        s = __builtin_fma(s, z, -1.0 / 3628800.0);
        s = __builtin_fma(s, z, 1.0 / 40320.0);
        s = __builtin_fma(s, z, -1.0 / 720.0);
        s = __builtin_fma(s, z, 1.0 / 24.0);
        s = 1 - __builtin_fma(z, 0.5, __builtin_fma(-s * z, z, x * low));
    } else {
        s = 1.0 / 355687428096000.0; /* 17! */
        s = __builtin_fma(s, z, -1.0 / 1307674368000.0);
        s = __builtin_fma(s, z, 1.0 / 6227020800.0);
        s = __builtin_fma(s, z, -1.0 / 39916800.0);
        s = __builtin_fma(s, z, 1.0 / 362880.0);
        s = __builtin_fma(s, z, -1.0 / 5040.0);
        s = __builtin_fma(s, z, 1.0 / 120.0);
        s = __builtin_fma(s, z, -1.0 / 6.0);
        s = x + __builtin_fma(s * z, x, low);
    }
    return which & 2 ? -s : s;
}
GPUDL_DEVICE float gpudl_sinpif_of(float r, int which)
{
    float x = r * 0x1.921fb6p+1f, low = __builtin_fmaf(r, 0x1.921fb6p+1f, -x), z, s;

    low = __builtin_fmaf(r, -0x1.777a5cp-24f, low);
    z = x * x;
    if (which & 1) {
        s = -1.0f / 3628800.0f;
        s = __builtin_fmaf(s, z, 1.0f / 40320.0f);
        s = __builtin_fmaf(s, z, -1.0f / 720.0f);
        s = __builtin_fmaf(s, z, 1.0f / 24.0f);
        s = 1 - __builtin_fmaf(z, 0.5f, __builtin_fmaf(-s * z, z, x * low));
    } else {
        s = 1.0f / 362880.0f;
        s = __builtin_fmaf(s, z, -1.0f / 5040.0f);
        s = __builtin_fmaf(s, z, 1.0f / 120.0f);
        s = __builtin_fmaf(s, z, -1.0f / 6.0f);
        s = x + __builtin_fmaf(s * z, x, low);
    }
    return which & 2 ? -s : s;
}
/* a = n/2 + r; beyond 2^53 (2^24) every a is an even integer, or infinite, whose r is a NaN */
GPUDL_DEVICE double gpudl_halves(double a, int *n)
{
    double h = __builtin_rint(a * 2), r = __builtin_fma(h, -0.5, a);

    *n = (int)(h - 4 * __builtin_floor(h * 0.25));
    return r;
}
GPUDL_DEVICE float gpudl_halvesf(float a, int *n)
{
    float h = __builtin_rintf(a * 2), r = __builtin_fmaf(h, -0.5f, a);

    *n = (int)(h - 4 * __builtin_floorf(h * 0.25f));
    return r;
}
GPUDL_DEVICE double __nv_sinpi(double a)
{
    int n;
    double r = gpudl_halves(__builtin_fabs(a) >= 0x1p53 ? a * 0 : a, &n), s = gpudl_sinpi_of(r, n);

    return r == 0 && !(n & 1) ? __builtin_copysign(0.0, a) : s;
}
GPUDL_DEVICE double __nv_cospi(double a)
{
    int n;
    double r = gpudl_halves(__builtin_fabs(a) >= 0x1p53 ? a * 0 : a, &n), s = gpudl_sinpi_of(r, n + 1);

    return r == 0 && n & 1 ? 0 : s;
}
GPUDL_DEVICE float __nv_sinpif(float a)
{
    int n;
    float r = gpudl_halvesf(__builtin_fabsf(a) >= 0x1p24f ? a * 0 : a, &n), s = gpudl_sinpif_of(r, n);

    return r == 0 && !(n & 1) ? __builtin_copysignf(0.0f, a) : s;
}
GPUDL_DEVICE float __nv_cospif(float a)
{
    int n;
    float r = gpudl_halvesf(__builtin_fabsf(a) >= 0x1p24f ? a * 0 : a, &n), s = gpudl_sinpif_of(r, n + 1);

    return r == 0 && n & 1 ? 0 : s;
}
#define GPUDL_SIN_COS(T, f, name, sine, cosine)                        \
    GPUDL_DEVICE void __nv_##name##f(T a, T *s, T *c)                  \
    {                                                                  \
        *s = __nv_##sine##f(a);                                        \
        *c = __nv_##cosine##f(a);                                      \
    }
GPUDL_SIN_COS(double, , sincos, sin, cos)
GPUDL_SIN_COS(float, f, sincos, sin, cos)
GPUDL_SIN_COS(double, , sincospi, sinpi, cospi)
GPUDL_SIN_COS(float, f, sincospi, sinpi, cospi)
#undef GPUDL_SIN_COS

/* Powers of two and the parts of a number */
GPUDL_DEVICE double gpudl_two_to(int n) { return __nv_longlong_as_double((gpudl_ll)(n + 1023) << 52); } /* -1022 to 1023 */
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
    return a * gpudl_two_to(n);
}
GPUDL_FN(double, scalbn, (double a, int n), __nv_ldexp(a, n))
GPUDL_DEVICE float __nv_ldexpf(float a, int n)
{
    n = n < -300 ? -300 : n > 300 ? 300 : n;
    return (float)((double)a * gpudl_two_to(n));
}
GPUDL_FN(float, scalbnf, (float a, int n), __nv_ldexpf(a, n))
GPUDL_DEVICE int gpudl_exponent(double a) /* of a finite one but zero */
{
    int e = (int)(__nv_double_as_longlong(a) >> 52 & 2047);

    return e ? e - 1023 : ((int)(__nv_double_as_longlong(a * 0x1p54) >> 52 & 2047)) - 1077;
}
GPUDL_DEVICE int __nv_ilogb(double a)
{
    if (a == 0 || a != a)
        return (int)0x80000000;
    return __nv_isinfd(a) ? 0x7fffffff : gpudl_exponent(a);
}
GPUDL_FN(int, ilogbf, (float a), __nv_ilogb((double)a))
GPUDL_FN(double, logb, (double a), a == 0 ? -__builtin_inf() : __nv_isfinited(a) ? (double)gpudl_exponent(a) : a * a)
GPUDL_FN(float, logbf, (float a), (float)__nv_logb((double)a))
GPUDL_DEVICE double __nv_frexp(double a, int *e)
{
    *e = 0;
    if (a == 0 || !__nv_isfinited(a))
        return a + a;
    *e = gpudl_exponent(a) + 1;
    return __nv_ldexp(a, -*e);
}
GPUDL_FN(float, frexpf, (float a, int *e), (float)__nv_frexp((double)a, e))
GPUDL_DEVICE double __nv_modf(double a, double *whole)
{
    *whole = __builtin_trunc(a);
    return __builtin_copysign(__nv_isinfd(a) ? 0 : a - *whole, a);
}
GPUDL_DEVICE float __nv_modff(float a, float *whole)
{
    *whole = __builtin_truncf(a);
    return __builtin_copysignf(__nv_isinff(a) ? 0 : a - *whole, a);
}
GPUDL_DEVICE double __nv_nextafter(double a, double b)
{
    gpudl_ll bits = __nv_double_as_longlong(a);

    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0)
        return __builtin_copysign(0x1p-1074, b);
    return __nv_longlong_as_double(bits + ((a < b) == (a > 0) ? 1 : -1));
}
GPUDL_DEVICE float __nv_nextafterf(float a, float b)
{
    int bits = __nv_float_as_int(a);

    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0)
        return __builtin_copysignf(0x1p-149f, b);
    return __nv_int_as_float(bits + ((a < b) == (a > 0) ? 1 : -1));
}
/* The low bits of the quotient as it is rounded: from the remainder by 8*b, which is exact. */
GPUDL_DEVICE double __nv_remquo(double a, double b, int *quotient)
{
    double x = __builtin_fabs(a), y = __builtin_fabs(b), r = __nv_remainder(x, y), part = y > 0x1p1020 ? x : __nv_fmod(x, 8 * y);
    int q = (int)__builtin_rint((part - r) / y) & 7;

    *quotient = r != r ? 0 : __nv_signbitd(a) != __nv_signbitd(b) ? -q : q;
    return __nv_signbitd(a) ? -r : r;
}
GPUDL_FN(float, remquof, (float a, float b, int *q), (float)__nv_remquo((double)a, (double)b, q))

GPUDL_DEVICE double __nv_powi(double a, int n)
{
    return __nv_pow(a, (double)n);
}
GPUDL_FN(float, powif, (float a, int n), __nv_powf(a, (float)n))
#pragma float_control(pop)
