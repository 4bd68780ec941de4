// Threads that leave early, and what the others do without them.
extern "C" __global__ void exit_in_loop(int n, const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v;

    if (i >= n)
        return;
    v = x[i];
    for (int k = 0; k < 50; k++) {
        if (v % 5 == 3) {
            out[i] = k;
            return;
        }
        if (v % 7 == 6)
            return;
        v = v * 3 + 1;
        v &= 0xffffff;
    }
    out[i] = -v;
}

// A third of the threads is gone before the barrier.
extern "C" __global__ void exit_before_barrier(const int *x, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    s[t] = x[i];
    __syncthreads();
    if (t % 3 == 2)
        return;
    int v = s[blockDim.x - 1 - t] * 2;
    __syncthreads();
    s[t] = v;
    __syncthreads();
    out[i] = s[t - t % 3] + __syncthreads_count(t % 2);
}

// Whole warps are gone, the others' shuffles and barriers go on.
extern "C" __global__ void exit_warps(const int *x, int *out)
{
    __shared__ int total;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = x[i] & 0xffff;

    if (t == 0)
        total = 0;
    __syncthreads();
    if ((t / 32) % 2 == 1)
        return;
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        atomicAdd(&total, v);
    __syncthreads();
    out[i] = total;
}
