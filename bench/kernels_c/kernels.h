/* kernels.h - the bench kernels' algorithms in plain C. Compiled twice by clang -O3 -ffast-math -march=native, as NAME_c and,
 * with -fveclib=libmvec, as NAME_mvec; VARIANT is the suffix. */
#ifndef BENCH_KERNELS_C_H
#define BENCH_KERNELS_C_H

struct float4 {
    float x, y, z, w;
};

#define BENCH_KERNELS(suffix) \
    void saxpy_##suffix(int n, float a, const float *restrict x, float *restrict y); \
    void sgemm_##suffix(int n, const float *restrict a, const float *restrict b, float *restrict c); \
    void black_scholes_##suffix(int n, const float *restrict spot, const float *restrict strike, const float *restrict years, \
        float *restrict call, float *restrict put, float rate, float volatility); \
    void nbody_##suffix(int n, const struct float4 *restrict bodies, struct float4 *restrict velocities, float dt, \
        float softening); \
    void mandelbrot_##suffix(int width, int height, float x0, float y0, float step, int limit, int *restrict iterations); \
    void stencil_##suffix(int width, int height, const float *restrict in, float *restrict out); \
    void histogram_##suffix(int n, const unsigned char *restrict bytes, unsigned *restrict counts); \
    void reduce_##suffix(int n, const float *restrict x, float *restrict sum); \
    void scan_##suffix(int n, int block, const int *restrict in, int *restrict out);

BENCH_KERNELS(c)
BENCH_KERNELS(mvec)

#define BENCH_PASTE(name, suffix) name##_##suffix
#define BENCH_NAME(name, suffix) BENCH_PASTE(name, suffix)
#define KERNEL(name) BENCH_NAME(name, VARIANT)

#endif
