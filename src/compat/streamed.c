/* streamed.c - calls that heed a NULL stream. Compiled twice: with CUDA_API_PER_THREAD_DEFAULT_STREAM their symbols end in _ptsz, and NULL is the
 * thread's own stream; without, the legacy one (the header's GPUDL_CUDART_STREAM). */
#include "src/compat/internal.h"

#include <stdlib.h>
#include <string.h>

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define DEFAULT_STREAM GPUDL_STREAM_PER_THREAD
#else
#define DEFAULT_STREAM NULL
#endif

static CUstream meant(cudaStream_t stream)
{
    return stream ? stream : DEFAULT_STREAM;
}

static CUdeviceptr address(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* ----------------------------------------------------------------------------------------------------------------- launches */

/* The runtime has a code of its own for what can be no grid, where the driver has "invalid value". */
static bool is_out_of_bounds(const gpudl_launch_config *c)
{
    static const enum cudaDeviceAttr limits[2][3] = { { cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ },
        { cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ } };
    const unsigned *dims[2] = { c->grid, c->block };
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    CUdevice device;
    int most;

    if (!cu || cu->CtxGetDevice(&device))
        return false;
    for (int i = 0; i < 6; i++)
        if (!dims[i / 3][i % 3] ||
            (!cu->DeviceGetAttribute(&most, limits[i / 3][i % 3], device) && dims[i / 3][i % 3] > (unsigned)most))
            return true;
    return !cu->DeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device) &&
        (uint64_t)c->block[0] * c->block[1] * c->block[2] > (unsigned)most;
}

static cudaError_t launch(const void *function, const gpudl_launch_config *config, void **args)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    cudaError_t err;

    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    RT_ENTER_OR_RETURN(cu);
    (void)cu;
    err = gpudl__rt_status(gpudl_kernel_launch_params(kernel, config, args));
    if (err == cudaErrorInvalidValue && is_out_of_bounds(config))
        err = gpudl__rt_fail(cudaErrorInvalidConfiguration,
            "%s: grid (%u, %u, %u), block (%u, %u, %u): one of them is 0 or more than the device has", gpudl_kernel_name(kernel),
            config->grid[0], config->grid[1], config->grid[2], config->block[0], config->block[1], config->block[2]);
    return err;
}

static gpudl_launch_config configured(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    gpudl_launch_config c = gpudl_launch_3d(grid.x, grid.y, grid.z, block.x, block.y, block.z);

    c.shared_bytes = (unsigned)shared;
    c.stream = meant(stream);
    return c;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    gpudl_launch_config c = configured(grid, block, shared, stream);

    return launch(function, &c, args);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    gpudl_launch_config c;

    if (!config)
        return gpudl__rt_null("cudaLaunchKernelExC", "the config");
    c = configured(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    c.attributes = (const struct CUlaunchAttribute_st *)config->attrs;
    c.nattributes = config->numAttrs;
    return launch(function, &c, args);
}

cudaError_t cudaLaunchCooperativeKernel(
    const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    gpudl_launch_config c = gpudl_launch_with(configured(grid, block, shared, stream), &cooperative, 1);

    return launch(function, &c, args);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, LaunchHostFunc, meant(stream), function, user);
}

struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *user;
};

static void call_back(void *block)
{
    struct callback *c = block;

    c->function(c->stream, cudaSuccess, c->user);
    free(c);
}

/* A host function does not run after an error, so a callback of one is not told of it, and its block is lost with the context. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *user, unsigned flags)
{
    struct callback *c;
    cudaError_t err;

    if (!function || flags)
        return gpudl__rt_fail(
            cudaErrorInvalidValue, "cudaStreamAddCallback: %s", flags ? "flags must be 0" : "the function is NULL");
    c = malloc(sizeof(*c));
    if (!c)
        return gpudl__rt_fail(cudaErrorMemoryAllocation, "no memory for a callback");
    *c = (struct callback){ function, stream, user };
    err = cudaLaunchHostFunc(stream, call_back, c);
    if (err)
        free(c);
    return err;
}

/* ------------------------------------------------------------------------------------------------------------------- memory */

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    CUdeviceptr p = 0;
    cudaError_t err;

    if (!out)
        return gpudl__rt_null("cudaMallocAsync", "the pointer");
    RT_ENTER_OR_RETURN(cu);
    err = bytes ? RT_CALL(cu, MemAllocAsync, &p, bytes, meant(stream)) : cudaSuccess;
    if (!err)
        *out = (void *)(uintptr_t)p;
    return err;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return memory ? RT_CALL(cu, MemFreeAsync, address(memory), meant(stream)) : cudaSuccess;
}

static cudaError_t check_kind(enum cudaMemcpyKind kind)
{
    return (unsigned)kind <= cudaMemcpyDefault
        ? cudaSuccess
        : gpudl__rt_fail(cudaErrorInvalidMemcpyDirection,
              "a copy's kind is %d: cudaMemcpyHostToHost (0) to cudaMemcpyDefault (4) are there", (int)kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t err = check_kind(kind);

    if (err || !bytes)
        return err;
    RT_ENTER_OR_RETURN(cu);
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return RT_CALL(cu, MemcpyHtoDAsync, address(to), from, bytes, meant(stream));
    case cudaMemcpyDeviceToHost:
        return RT_CALL(cu, MemcpyDtoHAsync, to, address(from), bytes, meant(stream));
    case cudaMemcpyDeviceToDevice:
        return RT_CALL(cu, MemcpyDtoDAsync, address(to), address(from), bytes, meant(stream));
    default:
        return RT_CALL(cu, MemcpyAsync, address(to), address(from), bytes, meant(stream));
    }
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamSynchronize, meant(stream));
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t err = cudaMemcpyAsync(to, from, bytes, kind, NULL);

    return err ? err : cudaStreamSynchronize(NULL);
}
#else
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t err = check_kind(kind);

    if (err || !bytes)
        return err;
    RT_ENTER_OR_RETURN(cu);
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return RT_CALL(cu, MemcpyHtoD, address(to), from, bytes);
    case cudaMemcpyDeviceToHost:
        return RT_CALL(cu, MemcpyDtoH, to, address(from), bytes);
    case cudaMemcpyDeviceToDevice:
        return RT_CALL(cu, MemcpyDtoD, address(to), address(from), bytes);
    default:
        return RT_CALL(cu, Memcpy, address(to), address(from), bytes);
    }
}
#endif

/* The driver's CUDA_MEMCPY2D. */
struct side {
    size_t x, y;
    int type;
    const void *host;
    CUdeviceptr device;
    void *array;
    size_t pitch;
};
struct copy_2d {
    struct side from, to;
    size_t width, height;
};

static struct side side_of(const void *memory, size_t pitch, bool host, bool device)
{
    enum { HOST = 1, DEVICE = 2, EITHER = 4 };
    struct side s = { .type = host ? HOST : device ? DEVICE : EITHER, .pitch = pitch };

    s.host = host ? memory : NULL;
    s.device = host ? 0 : address(memory);
    return s;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    bool either = kind == cudaMemcpyDefault;
    cudaError_t err = check_kind(kind);
    struct copy_2d copy;

    if (err || !width || !height)
        return err;
    if (width > to_pitch || width > from_pitch)
        return gpudl__rt_fail(cudaErrorInvalidPitchValue, "cudaMemcpy2D: rows of %zu bytes, and pitches of %zu and %zu", width,
            to_pitch, from_pitch);
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuMemcpy2DAsync", 3020, const struct copy_2d *, CUstream);
    copy.from = side_of(from, from_pitch, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost, !either);
    copy.to = side_of(to, to_pitch, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost, !either);
    copy.width = width;
    copy.height = height;
    return gpudl__rt_cuda("cuMemcpy2DAsync", call(&copy, meant(stream)));
}

cudaError_t cudaMemcpy2D(
    void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    cudaError_t err = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);

    return err ? err : cudaStreamSynchronize(NULL);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return bytes ? RT_CALL(cu, MemsetD8Async, address(memory), (unsigned char)value, bytes, meant(stream)) : cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    return cudaMemsetAsync(memory, value, bytes, NULL);
#else
    RT_ENTER_OR_RETURN(cu);
    return bytes ? RT_CALL(cu, MemsetD8, address(memory), (unsigned char)value, bytes) : cudaSuccess;
#endif
}

/* -------------------------------------------------------------------------------------------------------- streams and events */

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamQuery, meant(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamWaitEvent, meant(stream), event, flags);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuStreamGetPriority", 5050, CUstream, int *);
    return gpudl__rt_cuda("cuStreamGetPriority", call(meant(stream), priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuStreamGetFlags", 5050, CUstream, unsigned *);
    return gpudl__rt_cuda("cuStreamGetFlags", call(meant(stream), flags));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventRecord, event, meant(stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuEventRecordWithFlags", 11010, CUevent, CUstream, unsigned);
    return gpudl__rt_cuda("cuEventRecordWithFlags", call(event, meant(stream), flags));
}

/* ------------------------------------------------------------------------------------------------------------------- graphs */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuStreamBeginCapture", 10010, CUstream, int);
    return gpudl__rt_cuda("cuStreamBeginCapture", call(meant(stream), (int)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuStreamEndCapture", 10000, CUstream, CUgraph *);
    return gpudl__rt_cuda("cuStreamEndCapture", call(meant(stream), graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    int now = 0;
    cudaError_t err;

    if (!status)
        return gpudl__rt_null("cudaStreamIsCapturing", "the status");
    RT_ENTER_OR_RETURN(cu);
    err = RT_CALL(cu, StreamIsCapturing, meant(stream), &now);
    if (!err)
        *status = (enum cudaStreamCaptureStatus)now;
    return err;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphLaunch", 10000, CUgraphExec, CUstream);
    return gpudl__rt_cuda("cuGraphLaunch", call(graph, meant(stream)));
}
