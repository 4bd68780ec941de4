// Atomics whose outcome does not depend on their order, on global and on shared memory.
extern "C" __global__ void atomics_32(unsigned *u, int *s, float *f)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&u[0], i);
    atomicSub(&u[1], 3u);
    atomicInc(&u[2], 99u);
    atomicDec(&u[3], 99u);
    atomicAnd(&u[4], ~(1u << i % 32));
    atomicOr(&u[5], 1u << i % 29);
    atomicXor(&u[6], i * 2654435761u);
    atomicMin(&u[7], i * 2654435761u);
    atomicMax(&u[8], i * 2654435761u);
    atomicAdd(&u[10], atomicExch(&u[9], 5u));   // what was in u[9] comes out once, 5 all the other times
    for (unsigned old = u[11], seen;; old = seen) {
        seen = atomicCAS(&u[11], old, old * 5 + 1);
        if (seen == old)
            break;
    }
    atomicMin(&s[0], (int)(i * 2654435761u));
    atomicMax(&s[1], (int)(i * 2654435761u));
    atomicAdd(&s[2], -(int)i);
    atomicAdd(&f[0], 0.5f);
    atomicExch(&f[1], 3.f);
}

extern "C" __global__ void atomics_64(unsigned long long *u, long long *s, double *d)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x, mixed = (i + 1) * 0x9e3779b97f4a7c15ull;

    atomicAdd(&u[0], mixed);
    atomicAnd(&u[1], ~(1ull << i % 64));
    atomicOr(&u[2], 1ull << i % 61);
    atomicXor(&u[3], mixed);
    atomicMin(&u[4], mixed);
    atomicMax(&u[5], mixed);
    atomicAdd(&u[7], atomicExch(&u[6], 1ull << 33));
    atomicMin(&s[0], (long long)mixed);
    atomicMax(&s[1], (long long)mixed);
    atomicAdd(&d[0], 0.25);
    unsigned long long *bits = (unsigned long long *)&d[1], old = *bits, seen;  // an addition through compare and swap
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(__longlong_as_double(seen) + 2.0));
    } while (seen != old);
}

// Each thread draws a ticket: every place of out is written once.
extern "C" __global__ void atomics_tickets(unsigned *next, unsigned *out)
{
    out[atomicAdd(next, 1u)] += 1;
}

extern "C" __global__ void atomics_shared(const unsigned *x, unsigned *out, float *sums)
{
    __shared__ unsigned u[8];
    __shared__ unsigned long long wide;
    __shared__ float f;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (t == 0) {
        for (int k = 0; k < 8; k++)
            u[k] = k == 4 ? 0xffffffffu : 0;
        wide = 0;
        f = 0;
    }
    __syncthreads();
    atomicAdd(&u[x[i] % 3], x[i]);
    atomicMax(&u[3], x[i]);
    atomicMin(&u[4], x[i]);
    atomicXor(&u[5], x[i]);
    if (x[i] & 1)
        atomicInc(&u[6], 1000u);
    for (unsigned old = u[7], seen; (seen = atomicCAS(&u[7], old, old + 7)) != old; old = seen)
        ;
    atomicAdd(&wide, (unsigned long long)x[i] << 20);
    atomicAdd(&f, 1.f);
    __syncthreads();
    if (t < 8)
        out[10 * blockIdx.x + t] = u[t];
    if (t == 0) {
        out[10 * blockIdx.x + 8] = (unsigned)wide;
        out[10 * blockIdx.x + 9] = (unsigned)(wide >> 32);
        sums[blockIdx.x] = f;
    }
}
