/* gpudl's CUDA runtime names: a program written against cudaLibraryLoadFromFile, cudaLaunchKernel and their kin, on drivers older than
 * CUDA 12.8 and without a GPU. Compile it with -I.../include/gpudl/compat, where a cuda_runtime.h and an nvrtc.h take the place of NVIDIA's,
 * or include this; link libgpudl_cudart. In CMake: gpudl::cudart; for pkg-config: gpudl-cudart.
 *
 *     cudaLibrary_t lib;
 *     cudaKernel_t saxpy;
 *     cudaLibraryLoadFromFile(&lib, "saxpy.fatbin", NULL, NULL, 0, NULL, NULL, 0);
 *     cudaLibraryGetKernel(&saxpy, lib, "saxpy");
 *     cudaLaunchKernel((const void *)saxpy, grid, block, args, 0, stream);
 *
 * Meaning and parameters are those of the CUDA runtime's manual; docs/CUDA-NAMES.md has what differs. Names are the library's symbols with
 * gpudl_ before them (asm labels), so NVIDIA's runtime may be in the same process, though its headers not in the same source. Host code only: what
 * nvcc compiles has NVIDIA's runtime in it already.
 *
 * All goes through the process's default loader (<gpudl/gpudl.h>), opened by the first call that needs it. Every call may be made from any thread;
 * the last error, its text and the device that was set are each thread's own. Nothing is thrown or printed. */
#ifndef GPUDL_CUDA_RUNTIME_COMPAT_H
#define GPUDL_CUDA_RUNTIME_COMPAT_H

#if defined(__CUDA_RUNTIME_API_H__) || defined(__DRIVER_TYPES_H__) || defined(__VECTOR_TYPES_H__)
#error "a part of NVIDIA's cuda_runtime.h is included already: a source file has that or gpudl's names; include these first"
#endif
#ifdef __CUDACC__
#error "nvcc brings NVIDIA's runtime along: compile host code that uses gpudl's names with the host's compiler"
#endif
/* What comes later finds the names taken. */
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__

#include <gpudl/cuda_runtime_types.h>

/* The runtime whose names these are. */
#define CUDART_VERSION 12080
#define CUDARTAPI
#define CUDART_CB

#define GPUDL_CUDART_API __attribute__((visibility("default")))
#define GPUDL_CUDART(name) __asm__("gpudl_" #name)
/* Calls that heed a NULL stream: with this macro, as with nvcc --default-stream per-thread, it is the thread's own. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define GPUDL_CUDART_STREAM(name) __asm__("gpudl_" #name "_ptsz")
#else
#define GPUDL_CUDART_STREAM(name) GPUDL_CUDART(name)
#endif
#ifdef __cplusplus
#define GPUDL_CUDART_DEFAULT(value) = value
extern "C" {
#else
#define GPUDL_CUDART_DEFAULT(value)
#endif
#define GPUDL_RT(result, name, params) GPUDL_CUDART_API result name params GPUDL_CUDART(name);
#define GPUDL_RT_STREAM(name, params) GPUDL_CUDART_API cudaError_t name params GPUDL_CUDART_STREAM(name);
#define GPUDL_RT_OR(value) GPUDL_CUDART_DEFAULT(value)

/* Declarations in the dress of macros, which clang-format takes for multiplications. */
/* clang-format off */
/* ------------------------------------------------------------------------------------------------------- errors and versions */

GPUDL_RT(cudaError_t, cudaGetLastError, (void))
GPUDL_RT(cudaError_t, cudaPeekAtLastError, (void))
GPUDL_RT(const char *, cudaGetErrorName, (cudaError_t error))
GPUDL_RT(const char *, cudaGetErrorString, (cudaError_t error))
/* Of this thread's last call here that failed: what was tried and found, and what to do. Lent until the next one; "" if none did. gpudl's own. */
GPUDL_CUDART_API const char *gpudl_cudart_error_text(void);
/* 0 where there is no driver; then the library calls fail with cudaErrorInsufficientDriver. */
GPUDL_RT(cudaError_t, cudaDriverGetVersion, (int *version))
/* 12080 where the library calls work, else 12000. */
GPUDL_RT(cudaError_t, cudaRuntimeGetVersion, (int *version))

/* --------------------------------------------------------------------------------------------------- libraries and kernels */

/* A fatbin, a cubin, PTX, or CUDA C++ in a file named .cu, which is compiled (<gpudl/compile.h>). */
GPUDL_RT(cudaError_t, cudaLibraryLoadFromFile,
    (cudaLibrary_t *library, const char *path, enum cudaJitOption *jit, void **jit_values, unsigned njit,
        enum cudaLibraryOption *options, void **option_values, unsigned noptions))
/* As CUDA's it takes no size, so the bytes must say it: an ELF or fatbin header, or the NUL at the end of PTX. */
GPUDL_RT(cudaError_t, cudaLibraryLoadData,
    (cudaLibrary_t *library, const void *code, enum cudaJitOption *jit, void **jit_values, unsigned njit,
        enum cudaLibraryOption *options, void **option_values, unsigned noptions))
/* Names that articles use and CUDA's headers do not have. The former is cudaLibraryLoadData() of so many bytes. The latter has loaded when it
 * returns, since what was loaded is needed by the next call; the stream is checked, and not waited for. */
GPUDL_RT(cudaError_t, cudaLibraryLoadFromMemory, (cudaLibrary_t *library, const void *code, size_t bytes))
GPUDL_RT(cudaError_t, cudaLibraryLoadFromFileAsync, (cudaLibrary_t *library, const char *path, cudaStream_t stream))
/* Its kernels go with it; launches that are on their way keep the code. */
GPUDL_RT(cudaError_t, cudaLibraryUnload, (cudaLibrary_t library))
/* Names as in the image, or as the source writes them. The same name gives the same handle. */
GPUDL_RT(cudaError_t, cudaLibraryGetKernel, (cudaKernel_t *kernel, cudaLibrary_t library, const char *name))
GPUDL_RT(cudaError_t, cudaLibraryGetGlobal, (void **address, size_t *bytes, cudaLibrary_t library, const char *name))
GPUDL_RT(cudaError_t, cudaLibraryGetManaged, (void **address, size_t *bytes, cudaLibrary_t library, const char *name))
GPUDL_RT(cudaError_t, cudaLibraryGetKernelCount, (unsigned *count, cudaLibrary_t library))
GPUDL_RT(cudaError_t, cudaLibraryEnumerateKernels, (cudaKernel_t *kernels, unsigned n, cudaLibrary_t library))
/* cudaErrorNotSupported: gpudl does not do it. */
GPUDL_RT(cudaError_t, cudaLibraryGetUnifiedFunction, (void **function, cudaLibrary_t library, const char *symbol))
GPUDL_RT(cudaError_t, cudaKernelSetAttributeForDevice,
    (cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value, int device))
/* Articles' name for it, on the current device. */
GPUDL_RT(cudaError_t, cudaKernelSetAttribute, (cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value))
/* The kernel behind a __global__ function that nvcc compiled, asked of NVIDIA's runtime where the program has one. A cudaKernel_t of these
 * names is given back as it is. */
GPUDL_RT(cudaError_t, cudaGetKernel, (cudaKernel_t *kernel, const void *entry))

/* Where `function` is asked for: a cudaKernel_t. */
GPUDL_RT(cudaError_t, cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value))
GPUDL_RT(cudaError_t, cudaFuncSetCacheConfig, (const void *function, enum cudaFuncCache preference))
GPUDL_RT(cudaError_t, cudaFuncGetAttributes, (struct cudaFuncAttributes *out, const void *function))
GPUDL_RT(cudaError_t, cudaFuncGetName, (const char **name, const void *function))
GPUDL_RT(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *blocks, const void *function, int block_size, size_t shared))
GPUDL_RT(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, const void *function, int block_size, size_t shared, unsigned flags))
GPUDL_RT(cudaError_t, cudaOccupancyMaxActiveClusters, (int *clusters, const void *function, const cudaLaunchConfig_t *config))
GPUDL_RT(cudaError_t, cudaOccupancyMaxPotentialClusterSize, (int *blocks, const void *function, const cudaLaunchConfig_t *config))
/* What the C++ template cudaOccupancyMaxPotentialBlockSize() calls. gpudl's own. */
GPUDL_CUDART_API cudaError_t gpudl_cudart_suggest_block(int *grid, int *block, const void *function, size_t shared, int limit);

/* ----------------------------------------------------------------------------------------------------------------- launches */

GPUDL_RT_STREAM(cudaLaunchKernel, (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream))
GPUDL_RT_STREAM(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void **args))
GPUDL_RT_STREAM(cudaLaunchCooperativeKernel,
    (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream))
GPUDL_RT_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *user))
GPUDL_RT_STREAM(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t function, void *user, unsigned flags))

/* ------------------------------------------------------------------------------------------------------------------ devices */

GPUDL_RT(cudaError_t, cudaGetDeviceCount, (int *count))
GPUDL_RT(cudaError_t, cudaGetDevice, (int *device))
GPUDL_RT(cudaError_t, cudaSetDevice, (int device))
GPUDL_RT(cudaError_t, cudaInitDevice, (int device, unsigned device_flags, unsigned flags))
GPUDL_RT(cudaError_t, cudaSetDeviceFlags, (unsigned flags))
GPUDL_RT(cudaError_t, cudaDeviceSynchronize, (void))
GPUDL_RT(cudaError_t, cudaThreadSynchronize, (void))
GPUDL_RT(cudaError_t, cudaDeviceReset, (void))
GPUDL_RT(cudaError_t, cudaGetDeviceProperties, (struct cudaDeviceProp *out, int device))
GPUDL_RT(cudaError_t, cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device))
GPUDL_RT(cudaError_t, cudaDeviceGetPCIBusId, (char *out, int size, int device))
GPUDL_RT(cudaError_t, cudaDeviceCanAccessPeer, (int *can, int device, int peer))
GPUDL_RT(cudaError_t, cudaDeviceGetStreamPriorityRange, (int *least, int *greatest))
GPUDL_RT(cudaError_t, cudaDeviceGetLimit, (size_t *value, enum cudaLimit limit))
GPUDL_RT(cudaError_t, cudaDeviceSetLimit, (enum cudaLimit limit, size_t value))

/* ------------------------------------------------------------------------------------------------------------------- memory */

GPUDL_RT(cudaError_t, cudaMalloc, (void **out, size_t bytes))
GPUDL_RT(cudaError_t, cudaMallocPitch, (void **out, size_t *pitch, size_t width, size_t height))
GPUDL_RT(cudaError_t, cudaMallocManaged, (void **out, size_t bytes, unsigned flags GPUDL_RT_OR(cudaMemAttachGlobal)))
GPUDL_RT(cudaError_t, cudaMallocHost, (void **out, size_t bytes))
GPUDL_RT(cudaError_t, cudaHostAlloc, (void **out, size_t bytes, unsigned flags))
GPUDL_RT(cudaError_t, cudaHostRegister, (void *memory, size_t bytes, unsigned flags))
GPUDL_RT(cudaError_t, cudaHostUnregister, (void *memory))
GPUDL_RT(cudaError_t, cudaHostGetDevicePointer, (void **out, void *host, unsigned flags))
GPUDL_RT(cudaError_t, cudaFree, (void *memory))
GPUDL_RT(cudaError_t, cudaFreeHost, (void *memory))
GPUDL_RT_STREAM(cudaMallocAsync, (void **out, size_t bytes, cudaStream_t stream))
GPUDL_RT_STREAM(cudaFreeAsync, (void *memory, cudaStream_t stream))
GPUDL_RT(cudaError_t, cudaMemGetInfo, (size_t *free, size_t *total))
GPUDL_RT(cudaError_t, cudaPointerGetAttributes, (struct cudaPointerAttributes *out, const void *pointer))

GPUDL_RT_STREAM(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind))
GPUDL_RT_STREAM(cudaMemcpyAsync,
    (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream GPUDL_RT_OR(0)))
GPUDL_RT_STREAM(cudaMemcpy2D,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind))
GPUDL_RT_STREAM(cudaMemcpy2DAsync,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
        cudaStream_t stream GPUDL_RT_OR(0)))
GPUDL_RT_STREAM(cudaMemset, (void *memory, int value, size_t bytes))
GPUDL_RT_STREAM(cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream GPUDL_RT_OR(0)))
/* Symbols are nvcc's: these say so, and fail with cudaErrorInvalidSymbol. cudaLibraryGetGlobal() gives the address of a library's variable. */
GPUDL_RT(cudaError_t, cudaMemcpyToSymbol,
    (const void *symbol, const void *from, size_t bytes, size_t offset GPUDL_RT_OR(0),
        enum cudaMemcpyKind kind GPUDL_RT_OR(cudaMemcpyHostToDevice)))
GPUDL_RT(cudaError_t, cudaMemcpyFromSymbol,
    (void *to, const void *symbol, size_t bytes, size_t offset GPUDL_RT_OR(0),
        enum cudaMemcpyKind kind GPUDL_RT_OR(cudaMemcpyDeviceToHost)))
GPUDL_RT(cudaError_t, cudaGetSymbolAddress, (void **address, const void *symbol))
GPUDL_RT(cudaError_t, cudaGetSymbolSize, (size_t *bytes, const void *symbol))

/* ------------------------------------------------------------------------------------------------------- streams and events */

GPUDL_RT(cudaError_t, cudaStreamCreate, (cudaStream_t *out))
GPUDL_RT(cudaError_t, cudaStreamCreateWithFlags, (cudaStream_t *out, unsigned flags))
GPUDL_RT(cudaError_t, cudaStreamCreateWithPriority, (cudaStream_t *out, unsigned flags, int priority))
GPUDL_RT(cudaError_t, cudaStreamDestroy, (cudaStream_t stream))
GPUDL_RT_STREAM(cudaStreamSynchronize, (cudaStream_t stream))
GPUDL_RT_STREAM(cudaStreamQuery, (cudaStream_t stream))
GPUDL_RT_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags GPUDL_RT_OR(0)))
GPUDL_RT_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority))
GPUDL_RT_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags))
GPUDL_RT(cudaError_t, cudaEventCreate, (cudaEvent_t *out))
GPUDL_RT(cudaError_t, cudaEventCreateWithFlags, (cudaEvent_t *out, unsigned flags))
GPUDL_RT(cudaError_t, cudaEventDestroy, (cudaEvent_t event))
GPUDL_RT_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream GPUDL_RT_OR(0)))
GPUDL_RT_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream GPUDL_RT_OR(0), unsigned flags GPUDL_RT_OR(0)))
GPUDL_RT(cudaError_t, cudaEventSynchronize, (cudaEvent_t event))
GPUDL_RT(cudaError_t, cudaEventQuery, (cudaEvent_t event))
GPUDL_RT(cudaError_t, cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end))

/* ------------------------------------------------------------------------------------------------------------------- graphs */

GPUDL_RT_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode))
GPUDL_RT_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph))
GPUDL_RT_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status))
GPUDL_RT(cudaError_t, cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode *mode))
GPUDL_RT(cudaError_t, cudaGraphCreate, (cudaGraph_t *graph, unsigned flags))
GPUDL_RT(cudaError_t, cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n))
GPUDL_RT(cudaError_t, cudaGraphInstantiate, (cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags GPUDL_RT_OR(0)))
GPUDL_RT(cudaError_t, cudaGraphInstantiateWithFlags,
    (cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags GPUDL_RT_OR(0)))
GPUDL_RT_STREAM(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream))
GPUDL_RT(cudaError_t, cudaGraphExecDestroy, (cudaGraphExec_t graph))
GPUDL_RT(cudaError_t, cudaGraphDestroy, (cudaGraph_t graph))
/* clang-format on */

#ifdef __cplusplus
}
#endif
#undef GPUDL_RT
#undef GPUDL_RT_STREAM
#undef GPUDL_RT_OR

#ifdef __cplusplus
#include <gpudl/cuda_runtime_compat.hpp>
#endif
#endif
