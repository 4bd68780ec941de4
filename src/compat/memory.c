/* Memory that is there at once, and what is known of pointers. Copies are in streamed.c. */
#include "src/compat/internal.h"

static CUdeviceptr address(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* CUDA's runtime gives NULL for no bytes, and success; its driver refuses them. */
cudaError_t cudaMalloc(void **out, size_t bytes)
{
    CUdeviceptr p = 0;
    cudaError_t err;

    if (!out)
        return gpudl__rt_null("cudaMalloc", "the pointer");
    RT_ENTER_OR_RETURN(cu);
    err = bytes ? RT_CALL(cu, MemAlloc, &p, bytes) : cudaSuccess;
    if (!err)
        *out = (void *)(uintptr_t)p;
    return err;
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    CUdeviceptr p = 0;
    cudaError_t err;

    if (!out || !pitch)
        return gpudl__rt_null("cudaMallocPitch", out ? "the pitch" : "the pointer");
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuMemAllocPitch", 3020, CUdeviceptr *, size_t *, size_t, size_t, unsigned);
    err = gpudl__rt_cuda("cuMemAllocPitch", call(&p, pitch, width, height, 4));
    if (!err)
        *out = (void *)(uintptr_t)p;
    return err;
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    CUdeviceptr p = 0;
    cudaError_t err;

    if (!out || !bytes)
        return gpudl__rt_fail(cudaErrorInvalidValue, "cudaMallocManaged: %s", out ? "0 bytes" : "the pointer is NULL");
    RT_ENTER_OR_RETURN(cu);
    err = RT_CALL(cu, MemAllocManaged, &p, bytes, flags);
    if (!err)
        *out = (void *)(uintptr_t)p;
    return err;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    if (!out)
        return gpudl__rt_null("cudaHostAlloc", "the pointer");
    RT_ENTER_OR_RETURN(cu);
    if (!bytes) {
        *out = NULL;
        return cudaSuccess;
    }
    return RT_CALL(cu, MemHostAlloc, out, bytes, flags);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return cudaHostAlloc(out, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, MemHostRegister, memory, bytes, flags);
}

cudaError_t cudaHostUnregister(void *memory)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, MemHostUnregister, memory);
}

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    CUdeviceptr p = 0;
    cudaError_t err;

    if (!out)
        return gpudl__rt_null("cudaHostGetDevicePointer", "the pointer");
    RT_ENTER_OR_RETURN(cu);
    err = RT_CALL(cu, MemHostGetDevicePointer, &p, host, flags);
    if (!err)
        *out = (void *)(uintptr_t)p;
    return err;
}

cudaError_t cudaFree(void *memory)
{
    RT_ENTER_OR_RETURN(cu); /* cudaFree(0) is how programs have the context made */
    return memory ? RT_CALL(cu, MemFree, address(memory)) : cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory)
{
    RT_ENTER_OR_RETURN(cu);
    return memory ? RT_CALL(cu, MemFreeHost, memory) : cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, MemGetInfo, free, total);
}

/* The driver knows no pointer that it did not give out; to the runtime that is memory of the host, and no error. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    enum {
        TYPE = GPUDL_POINTER_MEMORY_TYPE,
        DEVICE_POINTER = 3,
        HOST_POINTER = 4,
        IS_MANAGED = 8,
        ORDINAL = GPUDL_POINTER_DEVICE_ORDINAL
    };
    unsigned type = 0, managed = 0;
    struct cudaPointerAttributes a = { .type = cudaMemoryTypeUnregistered, .device = cudaInvalidDeviceId };
    CUdeviceptr p = address(pointer);

    if (!out)
        return gpudl__rt_null("cudaPointerGetAttributes", "attributes");
    RT_ENTER_OR_RETURN(cu);
    if (!cu->PointerGetAttribute)
        return gpudl__rt_missing("cuPointerGetAttribute");
    if (cu->PointerGetAttribute(&type, TYPE, p) || !type) {
        a.hostPointer = (void *)(uintptr_t)pointer;
    } else {
        cu->PointerGetAttribute(&managed, IS_MANAGED, p);
        cu->PointerGetAttribute(&a.device, ORDINAL, p);
        cu->PointerGetAttribute(&a.devicePointer, DEVICE_POINTER, p);
        if (cu->PointerGetAttribute(&a.hostPointer, HOST_POINTER, p))
            a.hostPointer = NULL;
        a.type = managed ? cudaMemoryTypeManaged : type == 1 ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    }
    *out = a;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------------------------------ symbols */

static cudaError_t no_symbols(const char *call)
{
    return gpudl__rt_fail(cudaErrorInvalidSymbol,
        "%s: symbols are variables that nvcc compiled into the program, and gpudl knows those of libraries only. Ask cudaLibraryGetGlobal() for the "
        "address, and use cudaMemcpy()",
        call);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    (void)symbol, (void)from, (void)bytes, (void)offset, (void)kind;
    return no_symbols("cudaMemcpyToSymbol");
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    (void)to, (void)symbol, (void)bytes, (void)offset, (void)kind;
    return no_symbols("cudaMemcpyFromSymbol");
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    (void)out, (void)symbol;
    return no_symbols("cudaGetSymbolAddress");
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    (void)bytes, (void)symbol;
    return no_symbols("cudaGetSymbolSize");
}
