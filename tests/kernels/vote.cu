// Votes over whole and partial warps.
extern "C" __global__ void vote(int threads, const int *x, unsigned *out)
{
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, left = threads - (t & ~31);
    unsigned mask = 0xffffffffu >> (32 - min(left, 32));
    int i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * threads + t, v = x[i];
    unsigned *o = out + 4 * i;

    o[0] = __ballot_sync(mask, v > 3);
    o[1] = __any_sync(mask, v > 90) * 2 + __all_sync(mask, v >= 0);
    if (v % 3 == 0) {
        unsigned third = __ballot_sync(mask & o[3], v > 50);
        o[2] = third + __popc(third);
    } else {
        o[2] = __any_sync(mask & ~o[3], v > 95);
    }
    __syncwarp(mask);
    int uniform;
    asm("{ .reg .pred p, q; setp.gt.s32 p, %1, 40; vote.sync.uni.pred q, p, %2; selp.s32 %0, 1, 0, q; }"
        : "=r"(uniform) : "r"(v), "r"(mask));
    o[3] = uniform;
}
