// y = a * x + y, one thread an element; the last block is ragged.
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// The same in f64 with a grid-stride loop.
extern "C" __global__ void daxpy_stride(size_t n, double a, const double *x, double *y)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

// The same with vector loads and stores.
extern "C" __global__ void saxpy4(int n, float a, const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 u = x[i], v = y[i];
    y[i] = make_float4(v.x + a * u.x, v.y + a * u.y, v.z + a * u.z, v.w + a * u.w);
}
