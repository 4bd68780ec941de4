/* language.h - the words that CUDA adds to C++. */
#pragma once
#pragma clang system_header
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __managed__ _Pragma("GCC error \"__managed__ is not supported by gpudl's clang back end; compile this file with NVRTC\"")
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __restrict__ __restrict

/* Of the header's own: functions that vanish where they are not called. */
#define GPUDL_DEVICE static __attribute__((device, always_inline, nothrow)) inline
#define GPUDL_CALLED static __attribute__((device, noinline, nothrow)) inline /* too long to be put into each caller */
