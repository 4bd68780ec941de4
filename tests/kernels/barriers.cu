// Barriers in loops, in some lanes' code, of some warps, and those that count.
extern "C" __global__ void barrier_tree(const int *x, int *sums)
{
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x;

    s[t] = x[blockIdx.x * n + t];
    __syncthreads();
    while (n > 1) {
        int half = (n + 1) / 2;
        if (t < n / 2)
            s[t] += s[t + half];
        __syncthreads();
        n = half;
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

// Every thread reads what its neighbour wrote in the round before.
extern "C" __global__ void barrier_rounds(int rounds, int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x, v = x[blockIdx.x * blockDim.x + t];

    for (int r = 0; r < rounds; r++) {
        s[t] = v;
        __syncthreads();
        v = v * 3 + s[(t + 1) % blockDim.x];
        __syncthreads();
        if (r % 3 == 1)
            continue;
        s[t] = v ^ r;
        __syncthreads();
        v += s[(t + blockDim.x - 1) % blockDim.x];
        __syncthreads();
    }
    x[blockIdx.x * blockDim.x + t] = v;
}

extern "C" __global__ void barrier_votes(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];

    out[i] = __syncthreads_count(v % 3 == 0) * 4 + (__syncthreads_and(v < 1000) != 0) * 2 + (__syncthreads_or(v == 7) != 0);
}

// Odd and even lanes meet at one barrier from two places.
extern "C" __global__ void barrier_from_two_places(const int *x, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (t & 1) {
        s[t] = x[i] * 2;
        asm volatile("barrier.sync 0;" ::: "memory");
    } else {
        s[t] = x[i] + 1;
        asm volatile("barrier.sync 0;" ::: "memory");
    }
    out[i] = s[blockDim.x - 1 - t];
}

// Two warps a pair: the even one produces, the odd one consumes, through two barriers of 64 threads.
extern "C" __global__ void barrier_pairs(int rounds, const int *x, int *out)
{
    __shared__ int s[512];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pair = warp / 2, sum = 0;
    int filled = 1 + 2 * pair, emptied = 2 + 2 * pair;

    for (int r = 0; r < rounds; r++) {
        if (warp % 2 == 0) {
            s[pair * 32 + lane] = x[(blockIdx.x * blockDim.x + threadIdx.x) * rounds + r];
            asm volatile("bar.sync %0, 64;" ::"r"(filled) : "memory");
            asm volatile("bar.sync %0, 64;" ::"r"(emptied) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(filled) : "memory");
            sum = sum * 5 + s[pair * 32 + 31 - lane];
            asm volatile("bar.sync %0, 64;" ::"r"(emptied) : "memory");
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Lanes of a warp hand each other values between two waits of the warp.
extern "C" __global__ void barrier_warp(const int *x, int *out)
{
    __shared__ int s[1024];
    int t = threadIdx.x, lane = t & 31, i = blockIdx.x * blockDim.x + t;
    unsigned mask = 0xffffffffu >> (32 - min((int)blockDim.x - (t & ~31), 32));

    if (lane % 3 == 0)
        s[t] = x[i];
    else
        s[t] = -x[i];
    __syncwarp(mask);
    int v = s[t ^ lane ^ (lane / 2)];
    __syncwarp(mask);
    s[t] = v + 1;
    __syncwarp(mask);
    out[i] = s[t ^ lane ^ (lane / 4)];
}
