// Shuffles of every mode, with widths, with masks of some lanes, in code that lanes reach at different times.
#define FULL 0xffffffffu

static __device__ int linear_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

static __device__ int linear_block()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

// Whole warps. Eight results a thread.
extern "C" __global__ void shuffle_modes(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = x[i];
    int *o = out + 8 * i;

    o[0] = __shfl_sync(FULL, v, lane * 7 + 3);
    o[1] = __shfl_sync(FULL, v, 5, 8);
    o[2] = __shfl_up_sync(FULL, v, 3);
    o[3] = __shfl_up_sync(FULL, v, 1, 4);
    o[4] = __shfl_down_sync(FULL, v, 5);
    o[5] = __shfl_down_sync(FULL, v, 9, 16);
    o[6] = __shfl_xor_sync(FULL, v, 17);
    o[7] = __shfl_xor_sync(FULL, v, 2, 4);
}

// 64-bit values; a source that another lane computed; the predicate of a lane that had no source.
extern "C" __global__ void shuffle_wide(const double *x, double *out, int *in_range)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, inside, unused;
    double v = x[i];

    out[2 * i] = __shfl_xor_sync(FULL, v, 1) + v;
    out[2 * i + 1] = __shfl_sync(FULL, v, __double2int_rz(v) & 31);
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 4, 0, 0xffffffff; selp.s32 %1, 1, 0, p; }"
                 : "=r"(unused), "=r"(inside) : "r"(i));
    in_range[i] = inside * 1000 + (unused - i);
}

// Odd and even lanes shuffle apart; of the odd ones, those above 16 once more.
extern "C" __global__ void shuffle_halves(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = x[i];

    if (lane & 1) {
        v += __shfl_xor_sync(0xaaaaaaaau, v, 2);
        if (lane > 16)
            v -= 3 * __shfl_sync(0xaaaa0000u, v, 31 - (lane & 14));
        else
            v *= 5;
    } else {
        for (int d = 2; d < 32; d <<= 1) {
            int other = __shfl_up_sync(0x55555555u, v, d);
            if (lane >= d)
                v += other;
        }
    }
    out[i] = v + __shfl_sync(FULL, v, 31 - lane);
}

// Any block: the lanes that there are, then those of them whose value is odd.
extern "C" __global__ void shuffle_some(int threads, const int *x, int *out)
{
    int t = linear_thread(), i = linear_block() * threads + t, lane = t & 31, left = threads - (t & ~31);
    unsigned mask = FULL >> (32 - min(left, 32));
    int v = x[i], first;
    unsigned odd = __ballot_sync(mask, v & 1);

    first = __shfl_sync(mask, v, 0);
    if (v & 1) {
        int last = 31 - __clz(odd);
        v = __shfl_sync(odd, v, last) * 2 + __shfl_sync(odd, lane, __ffs(odd) - 1);
    }
    out[i] = v + first;
}
