// Exact operations on f32 and f64 beside the roundings: division, roots, extremes, comparisons, conversions.
extern "C" __global__ void real_f32(int n, const float *x, const float *y, float *out, unsigned *compared)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = y[i], *o = out + 10 * i;

    o[0] = __fdiv_rn(a, b);
    o[1] = __fsqrt_rn(a);
    o[2] = __frcp_rn(b);
    o[3] = fminf(a, b);
    o[4] = fmaxf(a, b);
    o[5] = fabsf(a) - -b;
    o[6] = copysignf(a, b);
    o[7] = floorf(a) + ceilf(b);
    o[8] = truncf(a);
    o[9] = rintf(b);
    compared[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a >= b) << 4 | !(a > b) << 5 |
        isnan(a) << 6 | isinf(b) << 7 | signbit(a) << 8;
}

extern "C" __global__ void real_f64(int n, const double *x, const double *y, double *out, unsigned *compared)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = y[i], *o = out + 8 * i;

    o[0] = a / b;
    o[1] = sqrt(a);
    o[2] = 1.0 / b;
    o[3] = fmin(a, b);
    o[4] = fmax(a, b);
    o[5] = floor(a) + ceil(b);
    o[6] = copysign(trunc(a), b);
    o[7] = (double)(float)a + fma(a, b, b);
    compared[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a >= b) << 4 | !(a > b) << 5;
}

// Functions of the CUDA math library in f64: polynomials, tables, slow paths; no approximate instruction.
extern "C" __global__ void real_functions(int n, const double *x, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], *o = out + 5 * i;

    o[0] = exp(a / 100);
    o[1] = log(fabs(a) + 0.25);
    o[2] = sin(a);
    o[3] = cos(a * 1e6);
    o[4] = atan(a);
}

extern "C" __global__ void real_from_integers(int n, const int *x, const long long *y, float *f, double *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    f[8 * i] = __int2float_rn(x[i]);
    f[8 * i + 1] = __int2float_rz(x[i]);
    f[8 * i + 2] = __uint2float_ru(x[i]);
    f[8 * i + 3] = __uint2float_rd(x[i]);
    f[8 * i + 4] = __ll2float_rn(y[i]);
    f[8 * i + 5] = __ll2float_rd(y[i]);
    f[8 * i + 6] = __ull2float_ru(y[i]);
    f[8 * i + 7] = (float)(short)x[i];
    d[4 * i] = __int2double_rn(x[i]);
    d[4 * i + 1] = __ll2double_rn(y[i]);
    d[4 * i + 2] = __ull2double_rz(y[i]);
    d[4 * i + 3] = (double)f[8 * i];
}

extern "C" __global__ void real_to_integers(int n, const float *x, const double *y, int *out, long long *wide)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[10 * i] = __float2int_rz(x[i]);
    out[10 * i + 1] = __float2int_rn(x[i]);
    out[10 * i + 2] = __float2int_ru(x[i]);
    out[10 * i + 3] = __float2int_rd(x[i]);
    out[10 * i + 4] = (int)__float2uint_rz(x[i]);
    out[10 * i + 5] = (int)__double2uint_rn(y[i]);
    out[10 * i + 6] = __double2int_rz(y[i]);
    out[10 * i + 7] = __double2int_rd(y[i]);
    asm("{ .reg .b16 h; cvt.rzi.s8.f32 h, %1; cvt.s32.s8 %0, h; }" : "=r"(out[10 * i + 8]) : "f"(fminf(x[i], 1e30f)));
    asm("{ .reg .b16 h; cvt.sat.u8.s32 h, %1; cvt.u32.u16 %0, h; }" : "=r"(out[10 * i + 9]) : "r"((int)y[i]));
    wide[4 * i] = __float2ll_rz(x[i]);
    wide[4 * i + 1] = __double2ll_rn(y[i]);
    wide[4 * i + 2] = (long long)__double2ull_rz(y[i]);
    wide[4 * i + 3] = __float_as_int(__double2float_rd(y[i])) * 2ll + __float_as_int(__double2float_ru(y[i]));
}
