/* trigonometry.h - sin, cos and tan, those of pi*a, and the inverse ones.
 *
 * sin and cos are Taylor series in an argument of at most pi/4, which is kept in two parts. Small arguments are reduced by
 * multiples of pi/2 in three parts (Cody and Waite), others by Payne and Hanek's method: the bits of 2/pi that matter times the
 * argument, as an integer of 192 bits. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

/* The sine of x + low, or where which has bit 0 the cosine; minus that where it has bit 1 */
template <class T> GPUDL_DEVICE T gpudl_sine_of(T x, T low, int which)
{
    T z = x * x, half = (T)0.5 * z, one = 1 - half, s;

    if (which & 1)
        s = one + ((1 - one - half) + gpudl_fma(gpudl_cos_series(z) * z, z, -x * low - (T)0.5 * gpudl_fma(x, x, -z)));
    else
        s = x + gpudl_fma(gpudl_sin_series(z) * z, x, low - half * low);
    return which & 2 ? -s : s;
}

static __device__ const unsigned long long gpudl_two_over_pi[] = {
    /* a word of zeroes, then its first 1280 bits after the point */
    0x0000000000000000ull,
    0xa2f9836e4e441529ull,
    0xfc2757d1f534ddc0ull,
    0xdb6295993c439041ull,
    0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull,
    0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full,
    0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull,
    0x6bfb5fb11f8d5d08ull,
    0x56033046fc7b6babull,
    0xf0cfbc209af4361dull,
};
/* a = q * pi/2 + r + low, for any finite a; returns q modulo 4 */
GPUDL_CALLED int gpudl_reduce_far(double a, double *r, double *low)
{
    gpudl_ll bits = __nv_double_as_longlong(a);
    gpudl_ull m = ((gpudl_ull)bits & ((1ull << 52) - 1)) | 1ull << 52, w[4], p[3];
    int e = (int)(bits >> 52 & 2047) - 1075, at = 62 + e, shift = at & 63, q, zeros; /* bits of more weight make multiples of 4 */
    unsigned __int128 sum;
    double h, l, scale;

    for (int i = 0; i < 4; i++)
        w[i] = at / 64 + i < 21 ? gpudl_two_over_pi[at / 64 + i] : 0;
    for (int i = 0; i < 3 && shift; i++)
        w[i] = w[i] << shift | w[i + 1] >> (64 - shift);
    sum = (unsigned __int128)m * w[2];
    p[2] = (gpudl_ull)sum;
    sum = (unsigned __int128)m * w[1] + (gpudl_ull)(sum >> 64);
    p[1] = (gpudl_ull)sum;
    p[0] = m * w[0] + (gpudl_ull)(sum >> 64);
    q = (int)(p[0] >> 62);
    for (int i = 0; i < 3; i++)
        p[i] = p[i] << 2 | (i < 2 ? p[i + 1] >> 62 : 0);
    bits = (gpudl_ll)p[0] >> 63; /* more than half: one up, and what remains is negative */
    q -= (int)bits;
    for (int i = 0; i < 3; i++)
        p[i] ^= (gpudl_ull)bits;
    zeros = __nv_clzll((gpudl_ll)p[0]);
    if (zeros && zeros < 64) {
        p[0] = p[0] << zeros | p[1] >> (64 - zeros);
        p[1] = p[1] << zeros | p[2] >> (64 - zeros);
    }
    scale = __nv_longlong_as_double((gpudl_ll)(1023 - 64 - zeros) << 52);
    h = (double)(p[0] & ~2047ull) * scale; /* exact */
    l = ((double)(p[0] & 2047) + (double)p[1] * 0x1p-64) * scale;
    if ((bits != 0) != (a < 0)) {
        h = -h;
        l = -l;
    }
    *r = h * 1.5707963267948966;
    *low = __builtin_fma(h, 1.5707963267948966, -*r) + (h * 6.123233995736766e-17 + l * 1.5707963267948966);
    return a < 0 ? -q : q;
}
GPUDL_DEVICE int gpudl_reduce(double a, double *r, double *low)
{
    double n = __builtin_rint(a * 0.63661977236758138243), t = __builtin_fma(-n, 1.5707963267948966, a),
           u = n * 6.123233995736766e-17, back;

    if (!(__builtin_fabs(a) < 65536)) {
        if (__nv_isfinited(a))
            return gpudl_reduce_far(a, r, low);
        *r = *low = __builtin_nan("");
        return 0;
    }
    *r = t - u;
    back = *r - t;
    *low =
        (t - (*r - back)) - (u + back) - __builtin_fma(n, -1.4973849048591698e-33, __builtin_fma(n, 6.123233995736766e-17, -u));
    return (int)n;
}
GPUDL_DEVICE int gpudl_reduce(float a, float *r, float *low)
{
    float n = __builtin_rintf(a * 0.636619772f), t = __builtin_fmaf(-n, 0x1.921fb6p+0f, a), u = n * -0x1.777a5cp-25f, back;

    if (!(gpudl_abs(a) < 16384)) {
        double far = __builtin_nan(""), rest;
        int q = gpudl_finite(a) ? gpudl_reduce_far((double)a, &far, &rest) : 0;

        *r = (float)far;
        *low = (float)(far - (double)*r);
        return q;
    }
    *r = t - u;
    back = *r - t;
    *low = (t - (*r - back)) - (u + back) - __builtin_fmaf(n, -0x1.ee59dap-50f, __builtin_fmaf(n, -0x1.777a5cp-25f, -u));
    return (int)n;
}
template <class T> GPUDL_DEVICE T gpudl_sin(T a)
{
    T r, low;
    int q = gpudl_reduce(a, &r, &low);

    return a == 0 ? a : gpudl_sine_of(r, low, q);
}
template <class T> GPUDL_DEVICE T gpudl_cos(T a)
{
    T r, low;
    int q = gpudl_reduce(a, &r, &low);

    return gpudl_sine_of(r, low, q + 1);
}
template <class T> GPUDL_DEVICE void gpudl_sincos(T a, T *s, T *c)
{
    T r, low;
    int q = gpudl_reduce(a, &r, &low);

    *s = a == 0 ? a : gpudl_sine_of(r, low, q);
    *c = gpudl_sine_of(r, low, q + 1);
}
template <class T> GPUDL_DEVICE T gpudl_tan(T a)
{
    T s, c;

    gpudl_sincos(a, &s, &c);
    return s / c;
}
GPUDL_FN(double, sin, (double a), gpudl_sin(a))
GPUDL_FN(float, sinf, (float a), gpudl_sin(a))
GPUDL_FN(double, cos, (double a), gpudl_cos(a))
GPUDL_FN(float, cosf, (float a), gpudl_cos(a))
GPUDL_FN(double, tan, (double a), gpudl_tan(a))
GPUDL_FN(float, tanf, (float a), gpudl_tan(a))
GPUDL_DEVICE void __nv_sincos(double a, double *s, double *c)
{
    gpudl_sincos(a, s, c);
}
GPUDL_DEVICE void __nv_sincosf(float a, float *s, float *c)
{
    gpudl_sincos(a, s, c);
}

/* sin and cos of pi*a: a is brought to [-1/4, 1/4] without error */
GPUDL_DEVICE double gpudl_sinpi_of(double r, int which)
{
    double x = r * 3.14159265358979311600e0;

    return gpudl_sine_of(x, __builtin_fma(r, 1.2246467991473531772e-16, __builtin_fma(r, 3.14159265358979311600e0, -x)), which);
}
GPUDL_DEVICE float gpudl_sinpif_of(float r, int which)
{
    float x = r * 0x1.921fb6p+1f;

    return gpudl_sine_of(x, __builtin_fmaf(r, -0x1.777a5cp-24f, __builtin_fmaf(r, 0x1.921fb6p+1f, -x)), which);
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
GPUDL_DEVICE void __nv_sincospi(double a, double *s, double *c)
{
    *s = __nv_sinpi(a);
    *c = __nv_cospi(a);
}
GPUDL_DEVICE void __nv_sincospif(float a, float *s, float *c)
{
    *s = __nv_sinpif(a);
    *c = __nv_cospif(a);
}

template <class T> struct gpudl_circle;
template <> struct gpudl_circle<double> {
    static constexpr double half_pi = 1.57079632679489655800, half_pi_low = 6.123233995736766e-17;
};
template <> struct gpudl_circle<float> {
    static constexpr float half_pi = 0x1.921fb6p+0f, half_pi_low = -0x1.777a5cp-25f;
};

/* The angle of (x, y), both at least 0: atan of the quotient that is at most 1, or its complement */
template <class T> GPUDL_DEVICE T gpudl_angle(T x, T y)
{
    typedef gpudl_circle<T> circle;
    bool steep = y > x;
    T big = steep ? y : x, small = steep ? x : y, q = small / big, lost, u, r;

    lost = gpudl_fma(-q, big, small) / big; /* what the quotient lost */
    lost = gpudl_finite(big) && gpudl_finite(lost) ? lost : 0;
    q = gpudl_finite(big) ? q : gpudl_finite(small) ? (T)0 : (T)1;
    u = q * q;
    r = gpudl_fma(q * u, gpudl_atan_series(u), lost / (1 + u));
    return steep ? circle::half_pi - (q + (r - circle::half_pi_low)) : q + r;
}
template <class T> GPUDL_DEVICE T gpudl_atan(T a)
{
    return a != a ? a : gpudl_sign_of(gpudl_angle((T)1, gpudl_abs(a)), a);
}
template <class T> GPUDL_DEVICE T gpudl_atan2(T y, T x)
{
    typedef gpudl_circle<T> circle;
    T a;

    if (x != x || y != y)
        return x + y;
    a = y == 0 ? (T)0 : gpudl_angle(gpudl_abs(x), gpudl_abs(y));
    if (gpudl_bits(x) < 0)
        a = 2 * circle::half_pi - (a - 2 * circle::half_pi_low);
    return gpudl_sign_of(a, y);
}
/* asin(x) for |x| <= 1/2; else by asin(x) = pi/2 - 2 asin(sqrt((1-x)/2)), with what the root loses */
template <class T> GPUDL_DEVICE T gpudl_asin(T a)
{
    typedef gpudl_circle<T> circle;
    T x = gpudl_abs(a), u = x > (T)0.5 ? (T)0.5 * (1 - x) : x * x, s, r = u * gpudl_asin_series(u);

    if (x <= (T)0.5)
        return gpudl_fma(a, r, a);
    s = gpudl_root(u);
    r = gpudl_fma(s, r, s > 0 ? gpudl_fma(-s, s, u) / (2 * s) : (T)0);
    return gpudl_sign_of(circle::half_pi - (2 * s - (circle::half_pi_low - 2 * r)), a);
}
template <class T> GPUDL_DEVICE T gpudl_acos(T a)
{
    typedef gpudl_circle<T> circle;
    T x = gpudl_abs(a), u = x > (T)0.5 ? (T)0.5 * (1 - x) : x * x, s, r = u * gpudl_asin_series(u);

    if (x <= (T)0.5)
        return circle::half_pi - (a - gpudl_fma(-a, r, circle::half_pi_low));
    s = gpudl_root(u);
    r = gpudl_fma(s, r, s > 0 ? gpudl_fma(-s, s, u) / (2 * s) : (T)0);
    return a > 0 ? 2 * (s + r) : 2 * (circle::half_pi - (s + (r - circle::half_pi_low)));
}
GPUDL_BOTH(atan)
GPUDL_BOTH(asin)
GPUDL_BOTH(acos)
GPUDL_FN(double, atan2, (double y, double x), gpudl_atan2(y, x))
GPUDL_FN(float, atan2f, (float y, float x), gpudl_atan2(y, x))
#pragma float_control(pop)
