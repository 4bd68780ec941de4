/* Which context, and so which device, a launch runs in: the stream's, else the current one, else the primary one of device 0. */
#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/launch/launch.h"

static bool is_real(CUstream stream)
{
    return (uintptr_t)stream > (uintptr_t)GPUDL_STREAM_PER_THREAD;
}

gpudl_status gpudl__launch_context(const gpudl_kernel *k, const gpudl_launch_config *c, CUcontext *out)
{
    gpudl_loader *l = k->library->loader;
    const struct allocator *before;
    gpudl_status status;

    if (is_real(c->stream) && l->driver.table.StreamGetCtx(c->stream, out) == 0)
        return GPUDL_OK;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    status = gpudl__loader_context(l, 0, out);
    gpudl__alloc_use(before);
    return status;
}

static gpudl_status failed(const gpudl_kernel *k, const char *call, int err)
{
    return gpudl__fail_cuda(
        GPUDL_ERROR_LAUNCH, &k->library->loader->driver.table, call, err, "%s: kernel '%s': making a context for the launch current",
        k->library->name, k->slot->name);
}

/* A single device is that of every stream, so it is not asked about. */
gpudl_status gpudl__launch_enter(const gpudl_kernel *k, const gpudl_launch_config *c, bool *pushed)
{
    gpudl_loader *l = k->library->loader;
    const gpudl_driver_table *cu = &l->driver.table;
    CUcontext current = NULL, wanted;
    gpudl_status status;
    int err = cu->CtxGetCurrent(&current);

    *pushed = false;
    if (err)
        return failed(k, "cuCtxGetCurrent", err);
    if (current && (l->driver.devices == 1 || !is_real(c->stream)))
        return GPUDL_OK;
    status = gpudl__launch_context(k, c, &wanted);
    if (status != GPUDL_OK || wanted == current)
        return status;
    err = cu->CtxPushCurrent(wanted);
    *pushed = !err;
    return err ? failed(k, "cuCtxPushCurrent", err) : GPUDL_OK;
}

/* -------------------------------------------------------------------------------------------------------------------- words */

/* -1: it is of none that can be told. */
static int device_of_stream(gpudl_loader *l, CUstream stream)
{
    const gpudl_driver_table *cu = &l->driver.table;
    CUcontext context;
    int device = -1;

    if (!is_real(stream) || cu->StreamGetCtx(stream, &context) || cu->CtxPushCurrent(context))
        return -1;
    gpudl__context_device(l, &device);
    cu->CtxPopCurrent(&context);
    return device;
}

static void add_reason(const gpudl_kernel *k, int device, int err, struct text *t)
{
    const gpudl_loader *l = k->library->loader;

    if (err == GPUDL_CU_NO_BINARY_FOR_GPU) {
        gpudl__text_add(t, "; %s has no code for ", k->library->name);
        gpudl__device_words(l, device, t);
    }
    if (err == GPUDL_CU_ILLEGAL_ADDRESS)
        gpudl__text_add(t,
            "; a kernel before it reached for an address that is not there for it: memory of another device is, once the context has "
            "access to that one's (cuCtxEnablePeerAccess, where cuDeviceCanAccessPeer allows it)");
}

void gpudl__launch_where(const gpudl_kernel *k, const gpudl_launch_config *c, int err, struct text *t)
{
    gpudl_loader *l = k->library->loader;
    int of_stream, here = -1;

    if (err == GPUDL_CU_NOT_SUPPORTED && *l->driver.emulated)
        gpudl__text_add(t, "; for this driver gpudl stands in with %s", l->driver.emulated);
    gpudl__context_device(l, &here);
    if (l->driver.devices == 1) {
        if (here >= 0)
            gpudl__text_add(t, ", device %d", here);
        return;
    }
    of_stream = device_of_stream(l, c->stream);
    if (of_stream < 0 && here < 0)
        return;
    gpudl__text_add(t, ", on ");
    gpudl__device_words(l, of_stream >= 0 ? of_stream : here, t);
    if (of_stream >= 0 && here >= 0 && of_stream != here) {
        gpudl__text_add(t, ", which its stream is of, while the current context is of ");
        gpudl__device_words(l, here, t);
    }
    add_reason(k, of_stream >= 0 ? of_stream : here, err, t);
}
