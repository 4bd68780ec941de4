// Each mathematical function, of float and of double, over arrays.
#define ONE_T(name, T, call, kernel) \
    extern "C" __global__ void kernel(const T *x, T *y, int n) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) \
            y[i] = call; \
    }
#define TWO_T(name, T, call, kernel) \
    extern "C" __global__ void kernel(const T *x, const T *z, T *y, int n) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) \
            y[i] = call; \
    }
#define ONE(name) ONE_T(name, float, name##f(x[i]), name##_f) ONE_T(name, double, name(x[i]), name##_d)
#define TWO(name) TWO_T(name, float, name##f(x[i], z[i]), name##_f) TWO_T(name, double, name(x[i], z[i]), name##_d)
#define NAMED(name, expression) ONE_T(name, float, (expression), name##_f) ONE_T(name, double, (expression), name##_d)

ONE(sin)
ONE(cos) ONE(tan) ONE(sinpi) ONE(cospi) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh)
    ONE(atanh) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(cbrt) ONE(rcbrt) ONE(sqrt)
        ONE(rsqrt) ONE(erf) ONE(erfc) ONE(erfinv) ONE(erfcinv) ONE(erfcx) ONE(normcdf) ONE(normcdfinv) ONE(tgamma) ONE(lgamma)
            ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0) ONE(cyl_bessel_i1) ONE(floor) ONE(ceil) ONE(trunc) ONE(round)
                ONE(rint) ONE(nearbyint) ONE(fabs) ONE(logb) TWO(pow) TWO(atan2) TWO(hypot) TWO(rhypot) TWO(fmod) TWO(remainder)
                    TWO(fdim) TWO(fmax) TWO(fmin) TWO(copysign) TWO(nextafter)

                        template <class T>
                        __device__ T of_sincos(T x, int which)
{
    T s, c;
    sincos(x, &s, &c);
    return which ? c : s;
}
template <class T> __device__ T of_sincospi(T x, int which)
{
    T s, c;
    sincospi(x, &s, &c);
    return which ? c : s;
}
template <class T> __device__ T of_frexp(T x, int which)
{
    int e;
    T m = frexp(x, &e);
    return which ? (T)e : m;
}
template <class T> __device__ T of_modf(T x, int which)
{
    double whole;
    float wholef;
    T part = sizeof(T) == 8 ? (T)modf((double)x, &whole) : (T)modff((float)x, &wholef);
    return which ? part : sizeof(T) == 8 ? (T)whole : (T)wholef;
}
template <class T> __device__ T of_remquo(T x, T y, int which)
{
    int q;
    T r = remquo(x, y, &q);
    return which ? (T)(q & 7) : r;
}
NAMED(sincos_sin, of_sincos(x[i], 0))
NAMED(sincos_cos, of_sincos(x[i], 1))
NAMED(sincospi_sin, of_sincospi(x[i], 0))
NAMED(sincospi_cos, of_sincospi(x[i], 1))
NAMED(frexp_part, of_frexp(x[i], 0))
NAMED(frexp_exponent, of_frexp(x[i], 1))
NAMED(modf_whole, of_modf(x[i], 0))
NAMED(modf_part, of_modf(x[i], 1))
NAMED(ilogb_of, ilogb(x[i]))
NAMED(classes, (isnan(x[i]) ? 1 : 0) + (isinf(x[i]) ? 2 : 0) + (isfinite(x[i]) ? 4 : 0) + (signbit(x[i]) ? 8 : 0))
TWO_T(ldexp, float, ldexpf(x[i], (int)z[i]), ldexp_f)
TWO_T(ldexp, double, ldexp(x[i], (int)z[i]), ldexp_d)
TWO_T(remquo, float, of_remquo(x[i], z[i], 0), remquo_rest_f)
TWO_T(remquo, double, of_remquo(x[i], z[i], 0), remquo_rest_d)
TWO_T(remquo, float, of_remquo(x[i], z[i], 1), remquo_bits_f)
TWO_T(remquo, double, of_remquo(x[i], z[i], 1), remquo_bits_d)
TWO_T(norm, float, norm3df(x[i], z[i], 3), norm3_f)
TWO_T(norm, double, norm3d(x[i], z[i], 3), norm3_d)
TWO_T(norm, float, rnorm4df(x[i], z[i], 3, x[i]), rnorm4_f)
TWO_T(norm, double, rnorm4d(x[i], z[i], 3, x[i]), rnorm4_d)
TWO_T(jn, float, jnf((int)z[i], x[i]), jn_f)
TWO_T(jn, double, jn((int)z[i], x[i]), jn_d)
TWO_T(yn, float, ynf((int)z[i], x[i]), yn_f)
TWO_T(yn, double, yn((int)z[i], x[i]), yn_d)
TWO_T(powi, float, powif(x[i], (int)z[i]), powi_f)
TWO_T(powi, double, powi(x[i], (int)z[i]), powi_d)
