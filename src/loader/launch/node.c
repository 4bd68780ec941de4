/* Kernel nodes of instantiated graphs, set to the version that a kernel has now. */
#include "src/driver/kernel_node.h"
#include "src/loader/launch/attributes.h"
#include "src/loader/error.h"
#include "src/loader/launch/launch.h"
#include "src/loader/pin.h"
#include "src/loader/launch/use.h"

static const char function[] = "gpudl_kernel_update_node";

static gpudl_status set(struct use *u, CUgraphExec exec, CUgraphNode node, const gpudl_launch_config *c, void *const *params)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    struct driver_kernel_node n = {
        .grid = { c->grid[0], c->grid[1], c->grid[2] },
        .block = { c->block[0], c->block[1], c->block[2] },
        .shared_bytes = c->shared_bytes,
        .params = (void **)params,
        .kernel = u->handle,
    };
    gpudl_status status = gpudl__have_shared(u, c->shared_bytes);
    int err;

    if (status != GPUDL_OK)
        return status;
    err = cu->GraphExecKernelNodeSetParams(exec, node, (const struct CUDA_KERNEL_NODE_PARAMS_v2_st *)&n);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, "cuGraphExecKernelNodeSetParams", err,
                     "%s: kernel '%s' for a node of a graph, grid %u x %u x %u, block %u x %u x %u, %u bytes of dynamic shared "
                     "memory; the node keeps its context, and what else is said there",
                     u->of->library->name, u->of->slot->name, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                     c->block[2], c->shared_bytes)
               : GPUDL_OK;
}

static gpudl_status update(struct use *u, CUgraphExec exec, CUgraphNode node, const gpudl_launch_config *c, void *const *params)
{
    gpudl_status status;

    if (!u->version->loader->driver.table.GraphExecKernelNodeSetParams)
        return gpudl__use_lacks(u, "cuGraphExecKernelNodeSetParams");
    status = gpudl__use_enter_launch(u, c);
    if (status != GPUDL_OK)
        return status;
    status = set(u, exec, node, c, params);
    gpudl__use_leave(u);
    return status;
}

gpudl_status gpudl_kernel_update_node(gpudl_kernel *k, CUgraphExec exec, CUgraphNode node, const gpudl_launch_config *config,
    void *const *params, gpudl_version **pin)
{
    gpudl_launch_config known;
    gpudl_version *made;
    gpudl_status status;
    struct use u;

    if (!exec || !node || !pin)
        return gpudl__fail_argument(function, "the executable graph, the node or pin is NULL");
    status = gpudl__launch_import(function, k, config, &known);
    if (status != GPUDL_OK)
        return status;
    if (known.nattributes)
        return gpudl__fail_argument(function, "the config has attributes, and a node keeps those that it has");
    status = gpudl__use_hold(k, function, known.version, &u);
    if (status != GPUDL_OK)
        return status;
    made = gpudl__pin_make(u.version, k->library->name, __builtin_return_address(0)); /* first: there is no way back from the update */
    status = made ? update(&u, exec, node, &known, params) : gpudl__fail_memory("a pin");
    if (status == GPUDL_OK) {
        launch_remember(k->slot, &known);
        *pin = made;
    } else
        gpudl_version_unpin(made);
    gpudl__use_drop(&u);
    return status;
}
