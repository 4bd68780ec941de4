/* cuda_runtime.h - as much of CUDA's header as the corpus's plainer files need, for clang without a toolkit. */
#pragma once
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __device__           /* clang knows no managed variables here */
#define __host__ __attribute__((host))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __inline__ inline
#include <__clang_cuda_builtin_vars.h>

typedef __SIZE_TYPE__ size_t;
struct int2 { int x, y; };
struct __align__(16) float4 { float x, y, z, w; };

static inline __device__ unsigned atomicAdd(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, (int)v); }
static inline __device__ int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
static inline __device__ float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
static inline __device__ float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
static inline __device__ int min(int a, int b) { return a < b ? a : b; }
static inline __device__ int max(int a, int b) { return a > b ? a : b; }

static inline __device__ int __shfl_down_sync(unsigned m, int v, int d) { return __nvvm_shfl_sync_down_i32(m, v, d, 31); }
static inline __device__ int __shfl_up_sync(unsigned m, int v, int d) { return __nvvm_shfl_sync_up_i32(m, v, d, 0); }
static inline __device__ int __shfl_xor_sync(unsigned m, int v, int d) { return __nvvm_shfl_sync_bfly_i32(m, v, d, 31); }
static inline __device__ float __shfl_down_sync(unsigned m, float v, int d) { return __nvvm_shfl_sync_down_f32(m, v, d, 31); }
static inline __device__ float __shfl_xor_sync(unsigned m, float v, int d) { return __nvvm_shfl_sync_bfly_f32(m, v, d, 31); }

struct halves_of_double { int low, high; };
static inline __device__ double __shfl_sync(unsigned m, double v, int lane)
{
    halves_of_double h = __builtin_bit_cast(halves_of_double, v);
    h.low = __nvvm_shfl_sync_idx_i32(m, h.low, lane, 31);
    h.high = __nvvm_shfl_sync_idx_i32(m, h.high, lane, 31);
    return __builtin_bit_cast(double, h);
}
static inline __device__ double __shfl_up_sync(unsigned m, double v, int d)
{
    halves_of_double h = __builtin_bit_cast(halves_of_double, v);
    h.low = __nvvm_shfl_sync_up_i32(m, h.low, d, 0);
    h.high = __nvvm_shfl_sync_up_i32(m, h.high, d, 0);
    return __builtin_bit_cast(double, h);
}
