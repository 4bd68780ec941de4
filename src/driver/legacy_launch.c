/* Launches of kernels of ours, in the context of the stream, or else the current one. */
#include "src/driver/kernel_node.h"
#include "src/driver/launch_config.h"
#include "src/driver/legacy.h"

static struct legacy_kernel *kernel_of(CUfunction f)
{
    return legacy_is_ours(f) ? legacy_object(f) : NULL;
}

/* *f: what the driver knows the kernel by there. Only after a success leave. */
static int enter(struct legacy_driver *d, struct legacy_kernel *k, CUstream stream, struct legacy_entered *e, CUfunction *f)
{
    int err = gpudl__legacy_enter_stream(d, stream, e);

    if (err)
        return err;
    err = gpudl__legacy_function(k, e, f);
    if (err)
        gpudl__legacy_leave(d, e);
    return err;
}

int gpudl__legacy_launch(struct legacy_driver *d, CUfunction f, const unsigned g[3], const unsigned b[3], unsigned shared,
    CUstream stream, void **params, void **extra)
{
    struct legacy_entered e = { 0 };
    struct legacy_kernel *k = kernel_of(f);
    int err = k ? enter(d, k, stream, &e, &f) : 0;

    if (err)
        return err;
    err = d->real.LaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, params, extra);
    gpudl__legacy_leave(d, &e);
    return err;
}

int gpudl__legacy_launch_cooperative(struct legacy_driver *d, CUfunction f, const unsigned g[3], const unsigned b[3],
    unsigned shared, CUstream stream, void **params)
{
    struct legacy_entered e = { 0 };
    struct legacy_kernel *k = kernel_of(f);
    int err = k ? enter(d, k, stream, &e, &f) : 0;

    if (err)
        return err;
    err = d->real.LaunchCooperativeKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, params);
    gpudl__legacy_leave(d, &e);
    return err;
}

/* ------------------------------------------------------------------------------------------------------------------- attributes
 *
 * For drivers without cuLaunchKernelEx (CUDA 11.6). Those that change what a program sees are heeded or refused; what is a hint, or allows
 * kernels to overlap, is let go. */

enum {
    IGNORE = 0,
    ACCESS_POLICY_WINDOW = 1,
    SYNCHRONIZATION_POLICY = 3,
    CLUSTER_SCHEDULING = 5,
    MEM_SYNC_DOMAIN_MAP = 9,
    MEM_SYNC_DOMAIN = 10
};

static bool is_one_block(const unsigned x[3])
{
    return x[0] <= 1 && x[1] <= 1 && x[2] <= 1;
}

static int heed(const gpudl_launch_attribute *a, bool *cooperative)
{
    switch (a->id) {
    case GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE:
        *cooperative = a->value.value != 0;
        return 0;
    case GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return is_one_block(a->value.dim) ? 0 : GPUDL_CU_NOT_SUPPORTED;
    case GPUDL_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case GPUDL_LAUNCH_ATTRIBUTE_PRIORITY:
    case IGNORE:
    case ACCESS_POLICY_WINDOW:
    case SYNCHRONIZATION_POLICY:
    case CLUSTER_SCHEDULING:
    case MEM_SYNC_DOMAIN_MAP:
    case MEM_SYNC_DOMAIN:
        return 0;
    default:
        return GPUDL_CU_NOT_SUPPORTED;
    }
}

static int launch_without(
    struct legacy_driver *d, const struct driver_launch_config *c, CUfunction f, void **params, void **extra)
{
    const gpudl_launch_attribute *attributes = (const gpudl_launch_attribute *)c->attributes;
    bool cooperative = false;
    int err = 0;

    for (unsigned i = 0; i < c->nattributes && !err; i++)
        err = heed(&attributes[i], &cooperative);
    if (err)
        return err;
    if (!cooperative)
        return d->real.LaunchKernel(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes,
            c->stream, params, extra);
    if (extra || !d->real.LaunchCooperativeKernel) /* which takes no block of arguments */
        return GPUDL_CU_NOT_SUPPORTED;
    return d->real.LaunchCooperativeKernel(
        f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes, c->stream, params);
}

int gpudl__legacy_launch_ex(
    struct legacy_driver *d, const struct CUlaunchConfig_st *config, CUfunction f, void **params, void **extra)
{
    const struct driver_launch_config *c = (const struct driver_launch_config *)config;
    struct legacy_kernel *k = kernel_of(f);
    struct legacy_entered e = { 0 };
    int err = k ? enter(d, k, c->stream, &e, &f) : 0;

    if (err)
        return err;
    err = d->real.LaunchKernelEx ? d->real.LaunchKernelEx(config, f, params, extra) : launch_without(d, c, f, params, extra);
    gpudl__legacy_leave(d, &e);
    return err;
}

/* ------------------------------------------------------------------------------------------------------------------------ graphs */

int gpudl__legacy_node(
    struct legacy_driver *d, CUgraphExec exec, CUgraphNode node, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *params)
{
    struct driver_kernel_node n = *(const struct driver_kernel_node *)params;
    struct legacy_kernel *k = legacy_is_ours(n.kernel) ? legacy_object(n.kernel) : kernel_of(n.function);
    struct legacy_entered e = { 0 };
    int err = n.context ? gpudl__legacy_push(d, n.context, &e) : gpudl__legacy_enter_stream(d, NULL, &e);

    if (!err && k)
        err = gpudl__legacy_function(k, &e, &n.function);
    if (!err)
        err = d->exec_kernel_set_params(exec, node, &n);
    gpudl__legacy_leave(d, &e);
    return err;
}
