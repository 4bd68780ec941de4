__device__ int counter;
__device__ float table[16] = {1.f, 2.f, 3.f};
__constant__ int lut[8] = {1, 2, 3};
__managed__ int mval = 3;
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i] + lut[i & 7] + table[i & 15];
    if (i == 0) atomicAdd(&counter, mval);
}
extern "C" __global__ void __launch_bounds__(256, 2) shk(double *o)
{
    __shared__ double s[128];
    s[threadIdx.x & 127] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[127 - (threadIdx.x & 127)];
}
