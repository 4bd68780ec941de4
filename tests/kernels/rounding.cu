// Every rounding of add, sub, mul and fma. 16 results a thread: operation * 4 + rounding, in the order rn, rz, rm, rp.
#define OPERATION(o, at, op, type, letter) \
    asm(op ".rn." type " %0, %1, %2;" : "=" letter(o[at]) : letter(a), letter(b)); \
    asm(op ".rz." type " %0, %1, %2;" : "=" letter(o[at + 1]) : letter(a), letter(b)); \
    asm(op ".rm." type " %0, %1, %2;" : "=" letter(o[at + 2]) : letter(a), letter(b)); \
    asm(op ".rp." type " %0, %1, %2;" : "=" letter(o[at + 3]) : letter(a), letter(b));

#define FUSED(o, at, type, letter) \
    asm("fma.rn." type " %0, %1, %2, %3;" : "=" letter(o[at]) : letter(a), letter(b), letter(c)); \
    asm("fma.rz." type " %0, %1, %2, %3;" : "=" letter(o[at + 1]) : letter(a), letter(b), letter(c)); \
    asm("fma.rm." type " %0, %1, %2, %3;" : "=" letter(o[at + 2]) : letter(a), letter(b), letter(c)); \
    asm("fma.rp." type " %0, %1, %2, %3;" : "=" letter(o[at + 3]) : letter(a), letter(b), letter(c));

extern "C" __global__ void rounding_f32(int n, const float *x, const float *y, const float *z, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = y[i], c = z[i], *o = out + 16 * i;
    OPERATION(o, 0, "add", "f32", "f")
    OPERATION(o, 4, "sub", "f32", "f")
    OPERATION(o, 8, "mul", "f32", "f")
    FUSED(o, 12, "f32", "f")
}

extern "C" __global__ void rounding_f64(int n, const double *x, const double *y, const double *z, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = y[i], c = z[i], *o = out + 16 * i;
    OPERATION(o, 0, "add", "f64", "d")
    OPERATION(o, 4, "sub", "f64", "d")
    OPERATION(o, 8, "mul", "f64", "d")
    FUSED(o, 12, "f64", "d")
}

// The same with subnormal operands and results flushed to zero.
extern "C" __global__ void rounding_ftz(int n, const float *x, const float *y, const float *z, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = y[i], c = z[i], *o = out + 16 * i;
    OPERATION(o, 0, "add", "ftz.f32", "f")
    OPERATION(o, 4, "sub", "ftz.f32", "f")
    OPERATION(o, 8, "mul", "ftz.f32", "f")
    FUSED(o, 12, "ftz.f32", "f")
}

// Results held between 0 and 1.
extern "C" __global__ void rounding_saturated(int n, const float *x, const float *y, const float *z, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = y[i], c = z[i], *o = out + 4 * i;
    asm("add.sat.f32 %0, %1, %2;" : "=f"(o[0]) : "f"(a), "f"(b));
    asm("sub.rz.sat.f32 %0, %1, %2;" : "=f"(o[1]) : "f"(a), "f"(b));
    asm("mul.rp.sat.f32 %0, %1, %2;" : "=f"(o[2]) : "f"(a), "f"(b));
    asm("fma.rm.sat.f32 %0, %1, %2, %3;" : "=f"(o[3]) : "f"(a), "f"(b), "f"(c));
}
