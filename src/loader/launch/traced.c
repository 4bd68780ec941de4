/* Launches of a loader that is traced (src/trace/trace.h). */
#include "src/loader/launch/launch.h"

/* What this thread was about to launch. */
static __thread struct {
    CUfunction function;
    CUstream stream;
    void **params, **extra;
} asked;

int gpudl__launch_is_traced(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream stream, void **params, void **extra)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared;
    asked.function = f;
    asked.stream = stream;
    asked.params = params;
    asked.extra = extra;
    return LAUNCH_IS_TRACED;
}

struct trace_launch gpudl__launch_record(const gpudl_kernel *k, CUfunction f, const gpudl_launch_config *c, CUstream stream)
{
    return (struct trace_launch){
        .driver = &k->library->loader->driver.table,
        .handle = (CUkernel)f,
        .stream = stream,
        .kernel = k->slot->name,
        .source = k->library->name,
        .grid = c->grid,
        .block = c->block,
        .shared = c->shared_bytes,
    };
}

int gpudl__launch_traced(const gpudl_kernel *k, const gpudl_launch_config *c)
{
    gpudl_loader *l = k->library->loader;
    struct trace_launch record = gpudl__launch_record(k, asked.function, c, asked.stream);
    int err;

    gpudl__trace_launch_begin(l->trace, &record);
    err = l->driver.table.LaunchKernel(asked.function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
        c->shared_bytes, asked.stream, asked.params, asked.extra);
    gpudl__trace_launch_end(l->trace, &record, err);
    if (!err)
        launch_remember(k->slot, c);
    return err;
}
