// The approximate instructions, each to an array of its own.
#define APPROXIMATE(op, of, to) \
    { \
        float r; \
        asm(op ".f32 %0, %1;" : "=f"(r) : "f"(of)); \
        to[i] = r; \
    }

extern "C" __global__ void approximate(int n, const float *x, float *ex2, float *rcp, float *root, float *rsqrt,
    float *lg2, float *sine, float *cosine, float *tangent)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], size = fabsf(a);
    APPROXIMATE("ex2.approx", a, ex2)
    APPROXIMATE("rcp.approx", a, rcp)
    APPROXIMATE("sqrt.approx", size, root)
    APPROXIMATE("rsqrt.approx", size, rsqrt)
    APPROXIMATE("lg2.approx", size, lg2)
    APPROXIMATE("sin.approx", a, sine)
    APPROXIMATE("cos.approx", a, cosine)
    APPROXIMATE("tanh.approx", a, tangent)
}

extern "C" __global__ void approximate_division(int n, const float *x, const float *y, float *approx, float *full)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a, f;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(a) : "f"(x[i]), "f"(y[i]));
    asm("div.full.f32 %0, %1, %2;" : "=f"(f) : "f"(x[i]), "f"(y[i]));
    approx[i] = a;
    full[i] = f;
}

// Functions of the CUDA math library that use them.
extern "C" __global__ void approximate_functions(int n, const float *x, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], *o = out + 8 * i;
    o[0] = expf(a);
    o[1] = powf(fabsf(a) + 0.1f, 1.7f);
    o[2] = sinf(a);
    o[3] = cosf(a * 1000.f);
    o[4] = tanhf(a);
    o[5] = logf(fabsf(a) + 0.01f);
    o[6] = erff(a);
    o[7] = cbrtf(a);
}
