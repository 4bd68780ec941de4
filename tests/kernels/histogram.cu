// How often each byte occurs: atomics on shared memory, then on global memory.
extern "C" __global__ void histogram(int n, const unsigned char *bytes, unsigned *counts)
{
    __shared__ unsigned local[256];

    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&counts[i], local[i]);
}
