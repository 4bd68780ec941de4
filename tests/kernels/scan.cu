// Inclusive prefix sum within each block.
static __device__ int warp_scan(int v, int lane)
{
    for (int d = 1; d < 32; d <<= 1) {
        int left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += left;
    }
    return v;
}

// Whole warps only: shuffles within a warp, then over the warps' sums.
extern "C" __global__ void scan(int n, const int *in, int *out)
{
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = warp_scan(i < n ? in[i] : 0, lane);

    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0)
        sums[lane] = warp_scan(lane < blockDim.x >> 5 ? sums[lane] : 0, lane);
    __syncthreads();
    if (warp)
        v += sums[warp - 1];
    if (i < n)
        out[i] = v;
}

// Any block: two buffers in dynamic shared memory, log2(threads) barriers.
extern "C" __global__ void scan_buffers(int n, const int *in, int *out)
{
    extern __shared__ int buffer[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;

    buffer[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int v = buffer[from + t];
        if (t >= d)
            v += buffer[from + t - d];
        from = blockDim.x - from;
        buffer[from + t] = v;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[from + t];
}
