/* How much of a kernel a device holds at once. Asks the driver, each time; the function that it is asked through is not kept. */
#include "src/driver/launch_config.h"
#include "src/loader/launch/attributes.h"
#include "src/loader/error.h"
#include "src/loader/launch/hold.h"
#include "src/loader/launch/launch.h"
#include "src/loader/source/registered.h"
#include "src/loader/launch/use.h"

static int function_of(const struct use *u, CUfunction *f)
{
    int err;

    *f = (CUfunction)u->handle;
    if (gpudl__registered_is_function(u->version, u->kernel))
        return 0;
    gpudl__launches_hold();
    err = u->version->loader->driver.table.KernelGetFunction(f, u->handle);
    gpudl__launches_let_go();
    return err;
}

/* On the device, with the function in hand; there: the driver has what it will be asked through. Only after a success leave. */
static gpudl_status enter(struct use *u, int device, size_t shared, bool there, const char *call, CUfunction *f)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    gpudl_status status;
    int err;

    if (!there || !cu->KernelGetFunction)
        return gpudl__use_lacks(u, there ? "cuKernelGetFunction" : call);
    status = gpudl__use_enter(u, device);
    if (status != GPUDL_OK)
        return status;
    status = gpudl__have_shared(u, shared);
    err = status == GPUDL_OK ? function_of(u, f) : 0;
    if (err)
        status = gpudl__use_failed(u, "cuKernelGetFunction", err);
    if (status != GPUDL_OK)
        gpudl__use_leave(u);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------ blocks */

static gpudl_status ask_blocks(struct use *u, unsigned threads, size_t shared, int device, unsigned *blocks)
{
    static const char call[] = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    gpudl_status status;
    CUfunction f;
    int n, err;

    status = enter(u, device, shared, cu->OccupancyMaxActiveBlocksPerMultiprocessor, call, &f);
    if (status != GPUDL_OK)
        return status;
    err = cu->OccupancyMaxActiveBlocksPerMultiprocessor(&n, f, (int)threads, shared);
    gpudl__use_leave(u);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err,
            "%s: kernel '%s', blocks of %u threads with %zu bytes of dynamic shared memory", u->of->library->name,
            u->of->slot->name, threads, shared);
    *blocks = n > 0 ? (unsigned)n : 0;
    return GPUDL_OK;
}

gpudl_status gpudl_kernel_occupancy(gpudl_kernel *k, unsigned threads, size_t shared, int device, unsigned *blocks)
{
    static const char function[] = "gpudl_kernel_occupancy";
    gpudl_status status;
    struct use u;

    if (!blocks)
        return gpudl__fail_argument(function, "blocks is NULL");
    if (!threads || threads > INT32_MAX)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: a block of %u threads: a block has 1 to 1024", function, threads);
    status = gpudl__use_hold(k, function, NULL, &u);
    if (status != GPUDL_OK)
        return status;
    status = ask_blocks(&u, threads, shared, device, blocks);
    gpudl__use_drop(&u);
    return status;
}

/* The driver's callback has no place for a user's pointer. */
struct shared_of {
    gpudl_shared_of_block *function;
    void *user;
};
static _Thread_local const struct shared_of *asked;

static size_t shared_of(int threads)
{
    return asked->function(asked->user, (unsigned)threads);
}

static int suggest(
    const gpudl_driver_table *cu, CUfunction f, const struct shared_of *of, size_t shared, unsigned limit, int *grid, int *block)
{
    const struct shared_of *before = asked;
    int err;

    asked = of;
    err = cu->OccupancyMaxPotentialBlockSize(grid, block, f, of->function ? shared_of : NULL, shared, (int)limit);
    asked = before;
    return err;
}

static gpudl_status ask_block(
    struct use *u, const struct shared_of *of, size_t shared, unsigned limit, int device, unsigned *block, unsigned *grid)
{
    static const char call[] = "cuOccupancyMaxPotentialBlockSize";
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    int blocks = 0, threads = 0, err;
    gpudl_status status;
    CUfunction f;

    status = enter(u, device, of->function ? SIZE_MAX : shared, cu->OccupancyMaxPotentialBlockSize, call, &f);
    if (status != GPUDL_OK)
        return status;
    err = suggest(cu, f, of, shared, limit, &blocks, &threads);
    gpudl__use_leave(u);
    if (err)
        return gpudl__use_failed(u, call, err);
    *block = (unsigned)threads;
    if (grid)
        *grid = (unsigned)blocks;
    return GPUDL_OK;
}

gpudl_status gpudl_kernel_suggest_block(gpudl_kernel *k, gpudl_shared_of_block *shared_of_block, void *user, size_t shared,
    unsigned limit, int device, unsigned *block, unsigned *grid)
{
    static const char function[] = "gpudl_kernel_suggest_block";
    const struct shared_of of = { shared_of_block, user };
    gpudl_status status;
    struct use u;

    if (!block)
        return gpudl__fail_argument(function, "block is NULL");
    if (limit > INT32_MAX)
        return gpudl__fail(
            GPUDL_ERROR_ARGUMENT, "%s: a limit of %u threads: a block has at most 1024, and 0 is no limit", function, limit);
    status = gpudl__use_hold(k, function, NULL, &u);
    if (status != GPUDL_OK)
        return status;
    status = ask_block(&u, &of, shared, limit, device, block, grid);
    gpudl__use_drop(&u);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- clusters */

typedef int cluster_question(int *, CUfunction, const struct CUlaunchConfig_st *);

static gpudl_status has_clusters(const struct use *u, int device)
{
    const gpudl_loader *l = u->version->loader;
    int can = 0, err = l->driver.table.DeviceGetAttribute(&can, GPUDL_DEVICE_CLUSTER_LAUNCH, u->device);

    if (err)
        return gpudl__use_failed(u, "cuDeviceGetAttribute", err);
    return can
        ? GPUDL_OK
        : gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
              "%s: kernel '%s': device %d has no clusters of more than one block (%s): they want compute capability 9.0 and CUDA 11.8",
              u->of->library->name, u->of->slot->name, device, l->driver_text);
}

static struct driver_launch_config native_config(const gpudl_kernel *k, const gpudl_launch_config *c)
{
    return (struct driver_launch_config){
        .grid = { c->grid[0], c->grid[1], c->grid[2] },
        .block = { c->block[0], c->block[1], c->block[2] },
        .shared_bytes = c->shared_bytes,
        .stream = c->stream ? c->stream : k->null_stream,
        .attributes = c->attributes,
        .nattributes = c->nattributes,
    };
}

static gpudl_status ask_clusters(
    struct use *u, cluster_question *question, const char *call, const gpudl_launch_config *c, int device, unsigned *out)
{
    struct driver_launch_config config = native_config(u->of, c);
    gpudl_status status;
    CUfunction f;
    int n, err;

    status = enter(u, device, c->shared_bytes, true, call, &f);
    if (status != GPUDL_OK)
        return status;
    status = has_clusters(u, device);
    if (status == GPUDL_OK && !question)
        status = gpudl__use_lacks(u, call);
    err = status == GPUDL_OK ? question(&n, f, (const struct CUlaunchConfig_st *)&config) : 0;
    gpudl__use_leave(u);
    if (status != GPUDL_OK || err)
        return err ? gpudl__use_failed(u, call, err) : status;
    *out = n > 0 ? (unsigned)n : 0;
    return GPUDL_OK;
}

gpudl_status gpudl_kernel_max_active_clusters(gpudl_kernel *k, const gpudl_launch_config *config, int device, unsigned *clusters)
{
    static const char function[] = "gpudl_kernel_max_active_clusters";
    gpudl_launch_config known;
    gpudl_status status;
    struct use u;

    if (!clusters)
        return gpudl__fail_argument(function, "clusters is NULL");
    status = gpudl__launch_import(function, k, config, &known);
    if (status == GPUDL_OK)
        status = gpudl__use_hold(k, function, known.version, &u);
    if (status != GPUDL_OK)
        return status;
    status = ask_clusters(
        &u, u.version->loader->driver.table.OccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", &known, device, clusters);
    gpudl__use_drop(&u);
    return status;
}

gpudl_status gpudl_kernel_max_cluster_size(gpudl_kernel *k, const gpudl_launch_config *config, int device, unsigned *blocks)
{
    static const char function[] = "gpudl_kernel_max_cluster_size";
    gpudl_launch_config known;
    gpudl_status status;
    struct use u;

    if (!blocks)
        return gpudl__fail_argument(function, "blocks is NULL");
    status = gpudl__launch_import(function, k, config, &known);
    if (status == GPUDL_OK)
        status = gpudl__use_hold(k, function, known.version, &u);
    if (status != GPUDL_OK)
        return status;
    status = ask_clusters(&u, u.version->loader->driver.table.OccupancyMaxPotentialClusterSize,
        "cuOccupancyMaxPotentialClusterSize", &known, device, blocks);
    gpudl__use_drop(&u);
    return status;
}
