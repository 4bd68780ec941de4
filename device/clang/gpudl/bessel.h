/* bessel.h - Bessel functions of the first and second kind.
 *
 * To 25 the power series (Abramowitz and Stegun 9.1.10 to 9.1.13), whose terms are far larger than its sum: it is added up in
 * pairs of doubles, of 106 bits. Beyond that Hankel's expansion, 9.2.5 to 9.2.10. Higher orders by the recurrence, in the
 * direction that is stable. */
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma clang fp contract(off) /* what a product or sum loses is reckoned with: none may be fused but as written */

typedef gpudl_pair<double> gpudl_pair_d;
GPUDL_DEVICE gpudl_pair_d operator/(gpudl_pair_d a, double b)
{
    double q = a.h / b, r = __builtin_fma(-q, b, a.h) + a.l;

    return gpudl_quick_pair(q, r / b);
}
/* log(x) as twice the series of atanh, every term a pair, plus the exponent's share */
GPUDL_DEVICE gpudl_pair_d gpudl_pair_log(double x)
{
    const gpudl_pair_d ln2 = { 0.693147180559945286227, 2.319046813846299558418e-17 };
    int e;
    double m = gpudl_split(x, &e);
    gpudl_pair_d s = gpudl_pair_d{ m - 1, 0 } / gpudl_sum(m, 1.0), z = s * s, sum = { 0, 0 };

    for (int k = 39; k >= 3; k -= 2)
        sum = (sum + gpudl_pair_d{ 1, 0 } / k) * z;
    sum = (sum + gpudl_pair_d{ 1, 0 }) * s;
    return gpudl_pair_d{ 2 * sum.h, 2 * sum.l } + ln2 * gpudl_pair_d{ (double)e, 0 };
}

/* Sum of (-z)^k / (k! (k+n)!) * n!, and the same with each term times H(k) + H(k+n) - H(n), for z = x^2/4 */
GPUDL_DEVICE gpudl_pair_d gpudl_bessel_series(int n, double x, gpudl_pair_d *harmonic)
{
    double square = -0.25 * x * x;
    gpudl_pair_d z = { square, __builtin_fma(-0.25 * x, x, -square) }, term = { 1, 0 }, sum = term, h = { 0, 0 }, hsum = h;

    for (int k = 1; k < 80; k++) {
        term = term * z / (k * ((double)k + n));
        sum = sum + term;
        h = h + gpudl_pair_d{ 1, 0 } / k + gpudl_pair_d{ 1, 0 } / ((double)k + n);
        hsum = hsum + term * h;
        if (__builtin_fabs(term.h) * (1 + h.h) < __builtin_fabs(sum.h) * 0x1p-70 && k > x)
            break;
    }
    *harmonic = hsum;
    return sum;
}
/* J and Y of order n for x >= 25 */
GPUDL_DEVICE void gpudl_bessel_far(int n, double x, double *j, double *y)
{
    double term = 1, p = 1, q = 0, mu = 4.0 * n * n, s, c, scale = 0.56418958354775628695 / __builtin_sqrt(x), sine, cosine;

    for (int k = 1; k < 36; k++) {
        double odd = 2 * k - 1, next = term * (mu - odd * odd) / (k * 8 * x);

        if (__builtin_fabs(next) > __builtin_fabs(term) || next == 0)
            break;
        term = next;
        *(k & 1 ? &q : &p) += k & 2 ? -term : term;
    }
    sine = __nv_sin(x);
    cosine = __nv_cos(x);
    c = n ? sine - cosine : cosine + sine;  /* sqrt(2) cos(x - pi/4 - n pi/2) */
    s = n ? -sine - cosine : sine - cosine; /* sqrt(2) sin(x - pi/4 - n pi/2) */
    *j = scale * (p * c - q * s);
    *y = scale * (p * s + q * c);
}
GPUDL_CALLED double gpudl_bessel_j01(int n, double x)
{
    gpudl_pair_d sum, not_used;
    double j, y;

    if (__nv_isinfd(x))
        return 0;
    if (x >= 25 || x != x) {
        gpudl_bessel_far(n, x, &j, &y);
        return j;
    }
    sum = gpudl_bessel_series(n, x, &not_used);
    return n ? 0.5 * x * sum.h : sum.h;
}
GPUDL_CALLED double gpudl_bessel_y01(int n, double x)
{
    const gpudl_pair_d gamma = { 0.5772156649015328655494, -4.942915152430645e-18 },
                       ln2 = { 0.693147180559945286227, 2.319046813846299558418e-17 },
                       two_over_pi = { 0.63661977236758138243, -3.93573533505082137e-17 };
    gpudl_pair_d sum, h, log, r;
    double j, y;

    if (!(x > 0) || __nv_isinfd(x))
        return x == 0 ? -__builtin_inf() : x > 0 ? 0.0 : __builtin_nan("");
    if (x >= 25) {
        gpudl_bessel_far(n, x, &j, &y);
        return y;
    }
    if (n && x < 0x1p-60)
        return -0.63661977236758138243 / x;
    sum = gpudl_bessel_series(n, x, &h);
    log = gpudl_pair_log(x) + gpudl_pair_d{ -ln2.h, -ln2.l } + gamma;
    h = h * gpudl_pair_d{ -0.5, 0 };
    if (!n)
        return ((log * sum + h) * two_over_pi).h;
    /* n = 1: the series' harmonic numbers start from H(1) = 1, whose share is sum / 2 */
    r = (log * sum + h + sum * gpudl_pair_d{ -0.5, 0 }) * gpudl_pair_d{ 0.5 * x, 0 };
    r = r + gpudl_pair_d{ -1, 0 } / x;
    return (r * two_over_pi).h;
}
GPUDL_FN(double, j0, (double a), gpudl_bessel_j01(0, __builtin_fabs(a)))
GPUDL_DEVICE double __nv_j1(double a)
{
    double j = gpudl_bessel_j01(1, __builtin_fabs(a));

    return a < 0 ? -j : j;
}
GPUDL_FN(double, y0, (double a), gpudl_bessel_y01(0, a))
GPUDL_FN(double, y1, (double a), gpudl_bessel_y01(1, a))

GPUDL_CALLED double __nv_jn(int n, double a)
{
    double x = __builtin_fabs(a), low, high, next, j = 0, sum = 0, minus = a < 0 && n & 1 ? -1 : 1;
    int start;

    if (n < 0)
        return __builtin_nan("");
    if (n < 2)
        return n ? __nv_j1(a) : __nv_j0(a);
    if (x == 0 || __nv_isinfd(x))
        return 0;
    if (x > n) { /* up from orders 0 and 1 */
        low = __nv_j0(x);
        high = __nv_j1(x);
        for (int k = 1; k < n; k++) {
            next = 2 * k / x * high - low;
            low = high;
            high = next;
        }
        return minus * high;
    }
    /* Down from an order that is too high to matter (Miller), scaled by J0 + 2 J2 + 2 J4 + ... = 1 */
    start = (n + 24 + (int)__builtin_sqrt(160.0 * n)) & ~1;
    low = 0x1p-900;
    high = 0;
    for (int k = start; k > 0; k--) {
        next = 2 * k / x * low - high;
        high = low;
        low = next;
        if (__builtin_fabs(low) > 0x1p400) {
            low *= 0x1p-800;
            high *= 0x1p-800;
            j *= 0x1p-800;
            sum *= 0x1p-800;
        }
        if (k - 1 == n)
            j = low;
        if (k & 1)
            sum += k == 1 ? low : 2 * low;
    }
    return minus * j / sum;
}
GPUDL_CALLED double __nv_yn(int n, double x)
{
    double low = __nv_y0(x), high, next;

    if (n < 0)
        return __builtin_nan("");
    if (n == 0)
        return low;
    high = __nv_y1(x);
    for (int k = 1; k < n && !__nv_isinfd(high); k++) {
        next = 2 * k / x * high - low;
        low = high;
        high = next;
    }
    return high;
}
GPUDL_FN(float, j0f, (float a), (float)__nv_j0((double)a))
GPUDL_FN(float, j1f, (float a), (float)__nv_j1((double)a))
GPUDL_FN(float, jnf, (int n, float a), (float)__nv_jn(n, (double)a))
GPUDL_FN(float, y0f, (float a), (float)__nv_y0((double)a))
GPUDL_FN(float, y1f, (float a), (float)__nv_y1((double)a))
GPUDL_FN(float, ynf, (int n, float a), (float)__nv_yn(n, (double)a))
#pragma float_control(pop)
