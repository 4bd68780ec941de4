/* The launch path: pin, read the binding, one driver call, unpin. No lock and no allocation. */
#include <string.h>

#include "src/driver/launch_config.h"
#include "src/loader/context.h"
#include "src/loader/launch/epoch.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/launch.h"
#include "src/loader/options.h"
#include "src/loader/pin.h"

enum { WHERE_SIZE = 512 };

int gpudl__launch_extended(
    const gpudl_kernel *k, CUfunction f, const gpudl_launch_config *c, CUstream stream, void **params, void **extra)
{
    struct driver_launch_config config = {
        .grid = { c->grid[0], c->grid[1], c->grid[2] },
        .block = { c->block[0], c->block[1], c->block[2] },
        .shared_bytes = c->shared_bytes,
        .stream = stream,
        .attributes = c->attributes,
        .nattributes = c->nattributes,
    };
    gpudl_loader *l = k->library->loader;
    struct trace_launch record;
    int err;

    if (l->trace) {
        record = gpudl__launch_record(k, f, c, stream);
        gpudl__trace_launch_begin(l->trace, &record);
    }
    err = l->driver.table.LaunchKernelEx((const struct CUlaunchConfig_st *)&config, f, params, extra);
    if (l->trace)
        gpudl__trace_launch_end(l->trace, &record, err);
    return err;
}

static inline int call(
    struct thread *self, const gpudl_kernel *k, const gpudl_launch_config *c, void *const *params, void *const *extra)
{
    int err;

    epoch_pin(self);
    err = launch_call(k, launch_place(k, c), c, params, extra);
    epoch_unpin(self);
    if (__builtin_expect(!err, 1))
        launch_note(self, k);
    return err;
}

static __attribute__((noinline, cold)) gpudl_status refused(const gpudl_kernel *k, const gpudl_launch_config *c, int err)
{
    const gpudl_driver_table *cu = &k->library->loader->driver.table;
    char words[WHERE_SIZE] = "";
    struct text where = gpudl__text_init(words, sizeof(words));

    if (err & LAUNCH_NOT_HELD)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, "the driver", err & ~LAUNCH_NOT_HELD,
            "%s: kernel '%s': its stream is being captured, and the code could not be given to the graph to hold",
            k->library->name, k->slot->name);
    gpudl__launch_where(k, c, err, &where);
    return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, c->nattributes ? "cuLaunchKernelEx" : "cuLaunchKernel", err,
        "%s: kernel '%s', grid %u x %u x %u, block %u x %u x %u, %u bytes of dynamic shared memory%s", k->library->name,
        k->slot->name, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes, words);
}

/* The driver found no current context: lend the thread one for this launch. */
static __attribute__((noinline, cold)) gpudl_status launch_without_context(
    struct thread *self, const gpudl_kernel *k, const gpudl_launch_config *c, void *const *params, void *const *extra)
{
    const gpudl_driver_table *cu = &k->library->loader->driver.table;
    CUcontext context = NULL;
    gpudl_status status;
    int err;

    if (cu->CtxGetCurrent(&context) != 0 || context)
        return refused(k, c, GPUDL_CU_INVALID_CONTEXT);
    status = gpudl__launch_context(k, c, &context);
    if (status != GPUDL_OK)
        return status;
    err = cu->CtxPushCurrent(context);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, "cuCtxPushCurrent", err,
            "%s: kernel '%s': making a context for the launch current", k->library->name, k->slot->name);
    err = call(self, k, c, params, extra);
    cu->CtxPopCurrent(&context);
    return err ? refused(k, c, err) : GPUDL_OK;
}

gpudl_status gpudl__launch_failed(const char *function, struct thread *self, const gpudl_kernel *k, const gpudl_launch_config *c,
    void *const *params, void *const *extra, int err)
{
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    if (err == LAUNCH_NO_KERNEL)
        return gpudl__handle_refuse(k, HANDLE_KERNEL, function);
    if (err == GPUDL_CU_INVALID_CONTEXT)
        return launch_without_context(self, k, c, params, extra);
    return refused(k, c, err);
}

gpudl_status gpudl__launch_import(
    const char *function, const gpudl_kernel *k, const gpudl_launch_config *config, gpudl_launch_config *known)
{
    gpudl_status status;

    if (!k || !config)
        return gpudl__fail_argument(function, "the kernel or the config is NULL");
    status = handle_check(k, HANDLE_KERNEL, function);
    if (status != GPUDL_OK)
        return status;
    status = gpudl__options_import(known, sizeof(*known), config, "gpudl_launch_config");
    if (status != GPUDL_OK)
        return status;
    if (known->nattributes && !known->attributes)
        return gpudl__fail_argument(function, "nattributes is not 0, and attributes is NULL");
    if (known->nattributes && !k->library->loader->driver.table.LaunchKernelEx)
        return gpudl__fail_lacks(
            k->library->loader, "cuLaunchKernelEx", "%s: kernel '%s': a launch with attributes", k->library->name, k->slot->name);
    if (!known->version)
        return GPUDL_OK;
    status = gpudl__pin_check(known->version, function);
    return status == GPUDL_OK ? gpudl__pinned_prepare(function, k, known->version->version) : status;
}

static const char params_function[] = "gpudl_kernel_launch_params";

static gpudl_status launch(gpudl_kernel *k, const gpudl_launch_config *config, void *const *params)
{
    struct thread *self = thread_self();
    int err;

    if (__builtin_expect(!self, 0))
        return gpudl__fail_memory("a thread's first launch");
    err = call(self, k, config, params, NULL);
    if (__builtin_expect(!err, 1))
        return (gpudl_status)err; /* GPUDL_OK, and an instruction less than that */
    return gpudl__launch_failed(params_function, self, k, config, params, NULL, err);
}

static __attribute__((noinline)) gpudl_status launch_imported(
    gpudl_kernel *k, const gpudl_launch_config *config, void *const *params)
{
    gpudl_launch_config known;
    gpudl_status status = gpudl__launch_import(params_function, k, config, &known);

    return status == GPUDL_OK ? launch(k, &known, params) : status;
}

gpudl_status gpudl_kernel_launch_params(gpudl_kernel *k, const gpudl_launch_config *config, void *const *params)
{
    if (__builtin_expect(launch_is_odd(k, config), 0))
        return launch_imported(k, config, params);
    return launch(k, config, params);
}
