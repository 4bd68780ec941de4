// The functions of lists.h, each over all threads' values.
#include "lists.h"
#define KERNEL(name, LIST) \
    extern "C" __global__ void name( \
        const unsigned *words, const float *floats, const double *doubles, unsigned long long *out, int n) \
    { \
        int at = blockIdx.x * blockDim.x + threadIdx.x, k = 0; \
        if (at >= n) \
            return; \
        unsigned a = words[3 * at], b = words[3 * at + 1], cc = words[3 * at + 2]; \
        int i = (int)a, j = (int)b; \
        unsigned long long w = (unsigned long long)a << 32 | cc, v = (unsigned long long)b << 32 | a; \
        float f = floats[3 * at], g = floats[3 * at + 1], h = floats[3 * at + 2]; \
        double d = doubles[3 * at], e = doubles[3 * at + 1], q = doubles[3 * at + 2]; \
        (void)i, (void)j, (void)w, (void)v, (void)f, (void)g, (void)h, (void)d, (void)e, (void)q; \
        LIST(STORE) \
    }
#define STORE(device, c) out[(size_t)k++ * n + at] = (unsigned long long)(device);
KERNEL(integers, INTEGERS)
KERNEL(simd, SIMD)
KERNEL(reals, REALS)
