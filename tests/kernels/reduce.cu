// One sum a block, through shuffles.
static __device__ float warp_sum(float v)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

// Whole warps only.
extern "C" __global__ void reduce(int n, const float *x, float *sums)
{
    __shared__ float of_warp[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float v = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    v = warp_sum(v);
    if (lane == 0)
        of_warp[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x >> 5 ? of_warp[lane] : 0.f;
    if (warp == 0)
        v = warp_sum(v);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = v;
}

// Any block: the last warp's mask names the lanes it has.
extern "C" __global__ void reduce_ragged(int n, const float *x, float *sums)
{
    __shared__ float of_warp[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int lanes = min(32, (int)blockDim.x - warp * 32);
    unsigned mask = 0xffffffffu >> (32 - lanes);
    float v = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    for (int d = 16; d; d >>= 1) {
        float other = __shfl_down_sync(mask, v, d);
        if (lane + d < lanes)
            v += other;
    }
    if (lane == 0)
        of_warp[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (blockDim.x + 31) / 32; w++)
            v += of_warp[w];
        sums[blockIdx.x] = v;
    }
}
