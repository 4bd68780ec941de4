/* What NVIDIA's cuda_runtime.h adds in C++: pointers of any type, arguments that may be left out, cudaLaunchKernelEx. Part of
 * <gpudl/cuda_runtime_compat.h>, which includes it. Runs with C++98 but for cudaLaunchKernelEx (C++11). */
#ifndef GPUDL_CUDA_RUNTIME_COMPAT_HPP
#define GPUDL_CUDA_RUNTIME_COMPAT_HPP

#if __cplusplus >= 201103L
#include <utility>
#endif

/* ------------------------------------------------------------------------------------------------------------------- memory */

template <class T> static inline cudaError_t cudaMalloc(T **out, size_t bytes)
{
    return ::cudaMalloc((void **)(void *)out, bytes);
}

template <class T> static inline cudaError_t cudaMallocPitch(T **out, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)out, pitch, width, height);
}

template <class T> static inline cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)out, bytes, flags);
}

static inline cudaError_t cudaMallocHost(void **out, size_t bytes, unsigned flags)
{
    return ::cudaHostAlloc(out, bytes, flags);
}

template <class T> static inline cudaError_t cudaMallocHost(T **out, size_t bytes, unsigned flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)out, bytes, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags)
{
    return ::cudaHostAlloc((void **)(void *)out, bytes, flags);
}

template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)out, host, flags);
}

template <class T> static inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)out, bytes, stream);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(
    void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return ::cudaGetSymbolAddress(address, (const void *)&symbol);
}

/* ------------------------------------------------------------------------------------------------------- events and graphs */

static inline cudaError_t cudaEventCreate(cudaEvent_t *out, unsigned flags)
{
    return ::cudaEventCreateWithFlags(out, flags);
}

/* As it was before CUDA 12: where and why it failed was told by two more parameters. */
static inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t size)
{
    if (node)
        *node = 0;
    if (log && size)
        *log = 0;
    return ::cudaGraphInstantiate(out, graph, 0);
}

/* --------------------------------------------------------------------------------------------------- libraries and kernels */

template <class T>
static inline cudaError_t cudaLibraryGetGlobal(T **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetGlobal((void **)(void *)address, bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetManaged(T **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetManaged((void **)(void *)address, bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetUnifiedFunction(T **function, cudaLibrary_t library, const char *symbol)
{
    return ::cudaLibraryGetUnifiedFunction((void **)(void *)function, library, symbol);
}

template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *entry)
{
    return ::cudaGetKernel(kernel, (const void *)entry);
}

template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}

template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache preference)
{
    return ::cudaFuncSetCacheConfig((const void *)function, preference);
}

template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, T *function)
{
    return ::cudaFuncGetAttributes(out, (const void *)function);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size, shared);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared = 0, int limit = 0)
{
    return ::gpudl_cudart_suggest_block(grid, block, (const void *)function, shared, limit);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *function, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)function, config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, T *function, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(blocks, (const void *)function, config);
}

/* ----------------------------------------------------------------------------------------------------------------- launches */

template <class T>
static inline cudaError_t cudaLaunchKernel(
    T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)function, grid, block, args, shared, stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(
    T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, shared, stream);
}

#if __cplusplus >= 201103L
/* The types of a handle's parameters are not known: arguments go as they are, so 2.0 is a double. */
template <class... Args>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, const cudaKernel_t kernel, Args &&...args)
{
    void *each[] = { (void *)&args..., nullptr };
    return ::cudaLaunchKernelExC(config, (const void *)kernel, each);
}

template <class... Params, class... Args>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Params...), Args &&...args)
{
    return [&](Params... converted) {
        void *each[] = { (void *)&converted..., nullptr };
        return ::cudaLaunchKernelExC(config, (const void *)kernel, each);
    }(std::forward<Args>(args)...);
}
#endif

#endif
