// Atomic functions. Each kernel: n threads, all on the same few words.
#define EACH_SCOPE(X) X() X(_block) X(_system)
struct words {
    int i[8];
    unsigned u[11];
    unsigned pad;
    unsigned long long w[7];
    long long l[2];
    float f, old_f;
    double d;
    unsigned short h[2];
};
#define OF_SCOPE(scope) \
    extern "C" __global__ void atomics##scope(words *x, int n) \
    { \
        int t = blockIdx.x * blockDim.x + threadIdx.x; \
        unsigned u = (unsigned)t; \
        unsigned long long w = (unsigned long long)t << 33 | u; \
        if (t >= n) \
            return; \
        atomicAdd##scope(&x->i[0], -t); \
        atomicSub##scope(&x->i[1], t); \
        atomicMin##scope(&x->i[2], -t); \
        atomicMax##scope(&x->i[3], t); \
        atomicAnd##scope(&x->i[4], ~(1 << (t & 15))); \
        atomicOr##scope(&x->i[5], 1 << (t & 15)); \
        atomicXor##scope(&x->i[6], t); \
        atomicAdd##scope(&x->u[0], u); \
        atomicSub##scope(&x->u[1], u); \
        atomicMin##scope(&x->u[2], u + 5); \
        atomicMax##scope(&x->u[3], 0x80000000u + u); \
        atomicAnd##scope(&x->u[4], ~(1u << (u & 31)) | 1u); \
        atomicOr##scope(&x->u[5], 1u << (u & 31)); \
        atomicXor##scope(&x->u[6], u); \
        atomicInc##scope(&x->u[7], 9u); \
        atomicDec##scope(&x->u[8], 9u); \
        atomicAdd##scope(&x->u[9], atomicExch##scope(&x->u[10], u)); \
        atomicAdd##scope(&x->w[0], w); \
        atomicMin##scope(&x->w[1], w + 5); \
        atomicMax##scope(&x->w[2], w | 1ull << 63); \
        atomicAnd##scope(&x->w[3], ~(1ull << (u & 63))); \
        atomicOr##scope(&x->w[4], 1ull << (u & 63)); \
        atomicXor##scope(&x->w[5], w); \
        atomicMin##scope(&x->l[0], -(long long)w); \
        atomicMax##scope(&x->l[1], (long long)w); \
        atomicAdd##scope(&x->f, 0.25f * (float)(t & 7)); \
        atomicAdd##scope(&x->d, 0.5 * t); \
        for (int was = x->i[7], is; (is = atomicCAS##scope(&x->i[7], was, was + t)) != was;) \
            was = is; \
        for (unsigned long long was = x->w[6], is; (is = atomicCAS##scope(&x->w[6], was, was + w)) != was;) \
            was = is; \
        for (unsigned short was = x->h[0], is; (is = atomicCAS##scope(&x->h[0], was, (unsigned short)(was + t))) != was;) \
            was = is; \
        if (t == 0) \
            x->h[1] = atomicExch##scope(&x->old_f, 7.5f) == 3.25f; \
    }
EACH_SCOPE(OF_SCOPE)

extern "C" __global__ void in_shared(unsigned *o)
{
    __shared__ unsigned count;
    __shared__ float sum;
    __shared__ double wide;

    if (threadIdx.x == 0) {
        count = 0;
        sum = 0;
        wide = 0;
    }
    __syncthreads();
    atomicAdd(&count, 2u);
    atomicAdd(&sum, 0.5f);
    atomicAdd_block(&wide, 0.25);
    __syncthreads();
    if (threadIdx.x == 0) {
        o[0] = count;
        o[1] = (unsigned)sum;
        o[2] = (unsigned)wide;
    }
}

#if __CUDA_ARCH__ >= 900 && GPUDL_PTX >= 83
struct alignas(16) sixteen {
    unsigned long long low, high;
};
// [0] is counted up by compare and swap, [1] is exchanged; float2 and float4 are added to behind them
extern "C" __global__ void wide(sixteen *x, float2 *pair, float4 *four)
{
    sixteen was = x[0], is;

    for (;;) {
        is = atomicCAS(&x[0], was, sixteen{ was.low + 1, was.high + 2 });
        if (is.low == was.low && is.high == was.high)
            break;
        was = is;
    }
    atomicExch(&x[1], sixteen{ 7, 8 });
    atomicAdd(pair, make_float2(1, 0.5f));
    atomicAdd_system(four, make_float4(1, 2, 3, 4));
}
#endif
