// Shuffles, votes, matches, reductions and barriers. Each kernel: one block of 64 threads, x and o of 64 elements.
#define SHUFFLES(T, name) \
    extern "C" __global__ void shuffle_##name(const T *x, T *o, int width) \
    { \
        int i = threadIdx.x; \
        T v = x[i]; \
        o[i] = __shfl_sync(0xffffffffu, v, i * 3 + 1, width); \
        o[64 + i] = __shfl_up_sync(0xffffffffu, v, 3, width); \
        o[128 + i] = __shfl_down_sync(0xffffffffu, v, 5, width); \
        o[192 + i] = __shfl_xor_sync(0xffffffffu, v, 6, width); \
        o[256 + i] = __shfl_sync(0xffffffffu, v, 7); \
    }
SHUFFLES(int, int)
SHUFFLES(unsigned, uint)
SHUFFLES(long, long)
SHUFFLES(unsigned long, ulong)
SHUFFLES(long long, longlong)
SHUFFLES(unsigned long long, ulonglong)
SHUFFLES(float, float)
SHUFFLES(double, double)

extern "C" __global__ void votes(const int *x, unsigned *o)
{
    int i = threadIdx.x, v = x[i], all;
    unsigned half = 0xffffu << (i & 16);

    o[i] = __ballot_sync(0xffffffffu, v > 3);
    o[64 + i] = (unsigned)__any_sync(0xffffffffu, v > 8) | (unsigned)__all_sync(0xffffffffu, v < 9) << 1 |
        (unsigned)(__uni_sync(0xffffffffu, v > 3) != 0) << 2;
    o[128 + i] = __match_any_sync(0xffffffffu, v);
    o[192 + i] = __match_any_sync(0xffffffffu, (double)v * 0.5);
    o[256 + i] = __match_all_sync(half, (long long)(v > 100), &all) + (unsigned)all;
    if (v & 1)
        o[320 + i] = __activemask();
    __syncwarp(half);
    o[384 + i] = __ballot_sync(half, v & 1);
    o[448 + i] = __fns(0xf0f0f0f0u, 0, (int)(i % 16) + 1);
#if __CUDA_ARCH__ >= 800
    o[512 + i] = __reduce_add_sync(0xffffffffu, (unsigned)v) + 1000 * (unsigned)__reduce_max_sync(half, v) +
        100000 * (unsigned)__reduce_min_sync(0xffffffffu, -v) +
        (__reduce_or_sync(0xffffffffu, 1u << v) ^ __reduce_and_sync(0xffffffffu, ~(1u << v)) ^
            __reduce_xor_sync(0xffffffffu, 3u << v)) +
        __reduce_min_sync(half, (unsigned)v) + __reduce_max_sync(half, (unsigned)v) + (unsigned)__reduce_add_sync(half, -v);
#endif
}
static __device__ unsigned long long globaltimer() // programs bring their own, so the header may not
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
extern "C" __global__ void barriers(const int *x, unsigned *o)
{
    __shared__ int turned[64];
    int i = threadIdx.x, v = x[i];

    turned[i] = v;
    __threadfence_block();
    __syncthreads();
    o[i] = (unsigned)turned[63 - i];
    __threadfence();
    o[64 + i] = (unsigned)__syncthreads_count(v > 3) | (unsigned)(__syncthreads_and(v < 9) != 0) << 8 |
        (unsigned)(__syncthreads_or(v == 4) != 0) << 9;
    __threadfence_system();
    long long then = clock64();
    unsigned long long before = globaltimer();
    __nanosleep(20);
    int now = (int)clock() | 1;
    o[128 + i] = clock64() >= then && globaltimer() >= before && now != 0 && warpSize == 32;
    __barrier_sync(1);
    __barrier_sync_count(2, 64);
}
