/* arith_runtime.c - what the machine code calls where it is better not inline. */
#include "softcuda/jit/arith_parts.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* Volatile, so that nothing is computed before the rounding is set. */
static double compute(unsigned op, const volatile double *v)
{
    switch (op) {
    case ARITH_ADD:
        return v[0] + v[1];
    case ARITH_SUB:
        return v[0] - v[1];
    case ARITH_MUL:
        return v[0] * v[1];
    case ARITH_DIV:
        return v[0] / v[1];
    case ARITH_SQRT:
        return sqrt(v[0]);
    default:
        return fma(v[0], v[1], v[2]);
    }
}

static uint64_t rt_round(uint64_t x, uint64_t y, uint64_t z, uint32_t what)
{
    static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
    volatile double v[] = { double_of(x), double_of(y), double_of(z) }, result;
    fenv_t before;

    feholdexcept(&before);
    fesetround(modes[what & 3]);
    result = compute(what >> 2, v);
    fesetenv(&before);
    return bits_of(result);
}

/* The n-th set bit of mask, counted from base on: upwards for positive n, downwards for negative; n = 0: base itself, if it is
 * set. */
static uint32_t rt_fns(uint32_t mask, uint32_t base, uint32_t offset)
{
    int32_t n = (int32_t)offset, step = n < 0 ? -1 : 1;
    uint32_t left = n < 0 ? -offset : offset;

    if (n == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    for (int64_t i = base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

#ifdef __x86_64__
void __truncsfhf2(void);    /* the compiler's own, f32 to f16; only its address is taken here */
#endif

const struct arith_symbol arith_symbols[] = {
    { "arith_rt_round", (void *)rt_round },
    { "arith_rt_fns", (void *)rt_fns },
    /* what LLVM calls on processors without SSE4.1, FMA or F16C */
    { "fmaf", (void *)fmaf },           { "fma", (void *)fma },
    { "roundevenf", (void *)roundevenf }, { "roundeven", (void *)roundeven },
    { "truncf", (void *)truncf },       { "trunc", (void *)trunc },
    { "floorf", (void *)floorf },       { "floor", (void *)floor },
    { "ceilf", (void *)ceilf },         { "ceil", (void *)ceil },
#ifdef __x86_64__
    { "__truncsfhf2", (void *)__truncsfhf2 },
#endif
    { NULL, NULL },
};
