/* Attributes of kernels, occupancy, nodes of graphs. A multiprocessor has 2048 threads and 228 KB of shared memory. */
#include "src/driver/kernel_node.h"
#include "src/driver/launch_config.h"
#include "tests/nulldriver/internal.h"

#include <stdio.h>
#include <string.h>

enum { WITHOUT_ASKING = 49152, MOST_SHARED = 232448, MULTIPROCESSORS = 4, THREADS = 2048, MOST_BLOCKS = 32 };

static CUkernel last_node;

static struct {
    void (*see)(void *);
    void *user;
} next_attribute;

void reset_nodes(void)
{
    last_node = NULL;
    nulldrv_on_attribute(NULL, NULL);
}

/* Set and used by one thread. */
void nulldrv_on_attribute(void (*see)(void *), void *user)
{
    next_attribute.see = see;
    next_attribute.user = user;
}

static void see_attribute(void)
{
    void (*see)(void *) = next_attribute.see;

    next_attribute.see = NULL;
    see(next_attribute.user);
}

const char *nulldrv_last_node(void)
{
    return last_node ? last_node->name : NULL;
}

void start_attributes(CUkernel k)
{
    atomic_init(&k->shared, WITHOUT_ASKING);
    for (int d = 0; d < MOST_DEVICES; d++) {
        k->attributes[d][GPUDL_FUNC_MAX_THREADS_PER_BLOCK] = 1024;
        k->attributes[d][GPUDL_FUNC_NUM_REGS] = 77; /* of no image of the tests */
        k->attributes[d][GPUDL_FUNC_BINARY_VERSION] = (int)settings.sm;
        k->attributes[d][GPUDL_FUNC_PTX_VERSION] = (int)settings.sm;
        k->attributes[d][GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES] = WITHOUT_ASKING;
        k->attributes[d][GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT] = -1;
    }
}

static bool is_attribute(int attribute, CUdevice device)
{
    return attribute >= 0 && attribute < KERNEL_ATTRIBUTES && device >= 0 && device < settings.devices;
}

int null_KernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device)
{
    ENTER(KernelGetAttribute);
    if (!is_attribute(attribute, device))
        return GPUDL_CU_INVALID_VALUE;
    *value = atomic_load(&kernel->attributes[device][attribute]);
    return usable(kernel->library, "an attribute was asked of an unloaded library");
}

int null_KernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice device)
{
    ENTER(KernelSetAttribute);
    if (next_attribute.see)
        see_attribute();
    if (!is_attribute(attribute, device) || attribute < GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return GPUDL_CU_INVALID_VALUE;
    if (attribute == GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES && (value < 0 || value > MOST_SHARED))
        return GPUDL_CU_INVALID_VALUE;
    if (attribute == GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        atomic_store(&kernel->shared, (unsigned)value);
    atomic_store(&kernel->attributes[device][attribute], value);
    return usable(kernel->library, "an attribute of an unloaded library was set");
}

int null_KernelSetCacheConfig(CUkernel kernel, int preference, CUdevice device)
{
    ENTER(KernelSetCacheConfig);
    if (preference < 0 || preference > 3 || !is_attribute(0, device))
        return GPUDL_CU_INVALID_VALUE;
    atomic_store(&kernel->cache_preference[device], preference);
    return usable(kernel->library, "a cache preference of an unloaded library was set");
}

/* A function is its kernel. It is of a context, as on a real driver. */
int null_KernelGetFunction(CUfunction *out, CUkernel kernel)
{
    ENTER(KernelGetFunction);
    if (!pushed())
        return GPUDL_CU_INVALID_CONTEXT;
    *out = (CUfunction)kernel;
    return usable(kernel->library, "a function was asked of an unloaded library");
}

static int blocks_of(CUkernel kernel, int threads, size_t shared)
{
    int n = threads <= 1024 ? THREADS / threads : 0;

    if (shared > atomic_load(&kernel->shared))
        return 0;
    if (shared && (size_t)n > 233472 / shared)
        n = (int)(233472 / shared);
    return n < MOST_BLOCKS ? n : MOST_BLOCKS;
}

int null_OccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared)
{
    ENTER(OccupancyMaxActiveBlocksPerMultiprocessor);
    if (!pushed() || threads <= 0)
        return pushed() ? GPUDL_CU_INVALID_VALUE : GPUDL_CU_INVALID_CONTEXT;
    *blocks = blocks_of((CUkernel)f, threads, shared);
    return 0;
}

int null_OccupancyMaxPotentialBlockSize(
    int *grid, int *block, CUfunction f, size_t (*shared_of)(int), size_t shared, int limit)
{
    int threads = limit && limit < 1024 ? limit : 1024, blocks;

    ENTER(OccupancyMaxPotentialBlockSize);
    while ((blocks = blocks_of((CUkernel)f, threads, shared_of ? shared_of(threads) : shared)) == 0 && threads > 32)
        threads -= 32;
    *block = threads;
    *grid = blocks * MULTIPROCESSORS;
    return blocks ? 0 : GPUDL_CU_INVALID_VALUE;
}

static unsigned cluster_of(const struct CUlaunchConfig_st *config)
{
    const struct driver_launch_config *c = (const struct driver_launch_config *)config;
    const gpudl_launch_attribute *a = (const gpudl_launch_attribute *)c->attributes;

    for (unsigned i = 0; i < c->nattributes; i++)
        if (a[i].id == GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            return a[i].value.dim[0] * a[i].value.dim[1] * a[i].value.dim[2];
    return 1;
}

int null_OccupancyMaxActiveClusters(int *clusters, CUfunction f, const struct CUlaunchConfig_st *config)
{
    const struct driver_launch_config *c = (const struct driver_launch_config *)config;

    ENTER(OccupancyMaxActiveClusters);
    *clusters = MULTIPROCESSORS * blocks_of((CUkernel)f, (int)c->block[0], c->shared_bytes) / (int)cluster_of(config);
    return 0;
}

int null_OccupancyMaxPotentialClusterSize(int *blocks, CUfunction f, const struct CUlaunchConfig_st *config)
{
    (void)config;
    ENTER(OccupancyMaxPotentialClusterSize);
    *blocks = ((CUkernel)f)->attributes[0][GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] ? 16 : 8;
    return 0;
}

/* Executable graphs and nodes are whatever they are: neither is looked at. */
int null_GraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *params)
{
    const struct driver_kernel_node *n = (const struct driver_kernel_node *)params;

    ENTER(GraphExecKernelNodeSetParams);
    if (!exec || !node || n->function || !n->kernel || n->extra || !n->grid[0] || !n->block[0])
        return GPUDL_CU_INVALID_VALUE;
    if (!pushed())
        return GPUDL_CU_INVALID_CONTEXT;
    if (n->shared_bytes > atomic_load(&n->kernel->shared))
        return GPUDL_CU_INVALID_VALUE;
    last_node = n->kernel;
    return usable(n->kernel->library, "a node was set to a kernel of an unloaded library");
}
