/* What is asked of kernels and set on them. */
#include "src/compat/internal.h"

#include <string.h>

/* A bad value of an attribute is that to the runtime, whatever limit it exceeds. */
static cudaError_t set(const void *function, int attribute, int value, int device)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    gpudl_status status;

    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    status = gpudl_kernel_set_attribute(kernel, attribute, value, device);
    return status == GPUDL_ERROR_LAUNCH_LIMIT ? gpudl__rt_fail(cudaErrorInvalidValue, "%s", gpudl_error_text())
                                              : gpudl__rt_status(status);
}

static cudaError_t set_here(const void *function, int attribute, int value)
{
    int device = 0;
    cudaError_t err = gpudl__rt_device(&device);

    return err ? err : set(function, attribute, value, device);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value, int device)
{
    return set(kernel, (int)attribute, value, device);
}

cudaError_t cudaKernelSetAttribute(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value)
{
    return set_here(kernel, (int)attribute, value);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    return set_here(function, (int)attribute, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache preference)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    int device = 0;
    cudaError_t err = kernel ? gpudl__rt_device(&device) : cudaErrorInvalidDeviceFunction;

    return err ? err : gpudl__rt_status(gpudl_kernel_set_cache_preference(kernel, (int)preference, device));
}

/* Those that a driver does not know yet are 0. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    int v[16] = { 0 }, device = 0;
    cudaError_t err = kernel ? gpudl__rt_device(&device) : cudaErrorInvalidDeviceFunction;

    if (!err && !out)
        err = gpudl__rt_null("cudaFuncGetAttributes", "attributes");
    if (!err)
        err = gpudl__rt_status(gpudl_kernel_attribute(kernel, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, device, &v[0]));
    if (err)
        return err;
    for (int i = 1; i < 16; i++)
        if (gpudl_kernel_attribute(kernel, i, device, &v[i]) != GPUDL_OK)
            v[i] = 0;
    *out = (struct cudaFuncAttributes){ .sharedSizeBytes = (size_t)v[GPUDL_FUNC_SHARED_SIZE_BYTES],
        .constSizeBytes = (size_t)v[GPUDL_FUNC_CONST_SIZE_BYTES],
        .localSizeBytes = (size_t)v[GPUDL_FUNC_LOCAL_SIZE_BYTES],
        .maxThreadsPerBlock = v[GPUDL_FUNC_MAX_THREADS_PER_BLOCK],
        .numRegs = v[GPUDL_FUNC_NUM_REGS],
        .ptxVersion = v[GPUDL_FUNC_PTX_VERSION],
        .binaryVersion = v[GPUDL_FUNC_BINARY_VERSION],
        .cacheModeCA = v[GPUDL_FUNC_CACHE_MODE_CA],
        .maxDynamicSharedSizeBytes = v[GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        .preferredShmemCarveout = v[GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT],
        .clusterDimMustBeSet = v[GPUDL_FUNC_CLUSTER_SIZE_MUST_BE_SET],
        .requiredClusterWidth = v[GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH],
        .requiredClusterHeight = v[GPUDL_FUNC_REQUIRED_CLUSTER_HEIGHT],
        .requiredClusterDepth = v[GPUDL_FUNC_REQUIRED_CLUSTER_DEPTH],
        .clusterSchedulingPolicyPreference = v[GPUDL_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE],
        .nonPortableClusterSizeAllowed = v[GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] };
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);

    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    if (!name)
        return gpudl__rt_null("cudaFuncGetName", "the name");
    *name = gpudl_kernel_name(kernel);
    return cudaSuccess;
}

/* ---------------------------------------------------------------------------------------------------------------- occupancy */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared, unsigned flags)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    unsigned found = 0;
    int device = 0;
    cudaError_t err = kernel ? gpudl__rt_device(&device) : cudaErrorInvalidDeviceFunction;

    if (!err && (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride))
        err = gpudl__rt_fail(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocksPerMultiprocessor: %s is not valid",
            !blocks               ? "a NULL result"
                : block_size <= 0 ? "the block size"
                                  : "a flag");
    if (!err)
        err = gpudl__rt_status(gpudl_kernel_occupancy(kernel, (unsigned)block_size, shared, device, &found));
    if (!err)
        *blocks = (int)found;
    return err;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, cudaOccupancyDefault);
}

cudaError_t gpudl_cudart_suggest_block(int *grid, int *block, const void *function, size_t shared, int limit)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    unsigned threads = 0, blocks = 0;
    int device = 0;
    cudaError_t err = kernel ? gpudl__rt_device(&device) : cudaErrorInvalidDeviceFunction;

    if (!err && (!grid || !block))
        err = gpudl__rt_null("cudaOccupancyMaxPotentialBlockSize", "a result");
    if (!err)
        err = gpudl__rt_status(
            gpudl_kernel_suggest_block(kernel, NULL, NULL, shared, limit < 0 ? 0 : (unsigned)limit, device, &threads, &blocks));
    if (err)
        return err;
    *grid = (int)blocks;
    *block = (int)threads;
    return cudaSuccess;
}

typedef gpudl_status clusters_of(gpudl_kernel *kernel, const gpudl_launch_config *config, int device, unsigned *out);

static cudaError_t clusters(clusters_of *ask, int *out, const void *function, const cudaLaunchConfig_t *config)
{
    gpudl_kernel *kernel = gpudl__rt_kernel(function);
    gpudl_launch_config c;
    unsigned found = 0;
    int device = 0;
    cudaError_t err = kernel ? gpudl__rt_device(&device) : cudaErrorInvalidDeviceFunction;

    if (!err && (!out || !config))
        err = gpudl__rt_null("a question for clusters", out ? "the config" : "the result");
    if (err)
        return err;
    c = gpudl_launch_3d(
        config->gridDim.x, config->gridDim.y, config->gridDim.z, config->blockDim.x, config->blockDim.y, config->blockDim.z);
    c.shared_bytes = (unsigned)config->dynamicSmemBytes;
    c.stream = config->stream;
    c.attributes = (const struct CUlaunchAttribute_st *)config->attrs;
    c.nattributes = config->numAttrs;
    err = gpudl__rt_status(ask(kernel, &c, device, &found));
    if (!err)
        *out = (int)found;
    return err;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *config)
{
    return clusters(gpudl_kernel_max_active_clusters, count, function, config);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function, const cudaLaunchConfig_t *config)
{
    return clusters(gpudl_kernel_max_cluster_size, blocks, function, config);
}
