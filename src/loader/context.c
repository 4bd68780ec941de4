#include "src/loader/context.h"

#include "src/loader/error.h"

/* A loader holds one reference: who retains in vain, after another thread or to bring back a context that was reset, gives its own
 * back. Making a context takes too long to hold the lock for. */
static int retain_now(gpudl_loader *l, int device, CUcontext *out)
{
    const gpudl_driver_table *cu = &l->driver.table;
    struct primary_context *p = &l->contexts[device], mine;
    bool first;
    int err = cu->DeviceGet(&mine.device, device);

    if (!err)
        err = cu->DevicePrimaryCtxRetain(&mine.context, mine.device);
    if (err)
        return err;
    pthread_mutex_lock(&l->lock);
    first = !p->context;
    *p = mine;
    *out = mine.context;
    pthread_mutex_unlock(&l->lock);
    return first ? 0 : cu->DevicePrimaryCtxRelease(mine.device);
}

static int retain(gpudl_loader *l, int device, CUcontext *out)
{
    struct relaxed r = gpudl__relax(l);
    int err = retain_now(l, device, out);

    gpudl__unrelax(l, r);
    return err;
}

/* A reset leaves those who retained the context with a handle of something destroyed, until somebody retains it once more. */
static bool was_reset(gpudl_loader *l, int device)
{
    const gpudl_driver_table *cu = &l->driver.table;
    unsigned flags;
    int active;

    return cu->DevicePrimaryCtxGetState && cu->DevicePrimaryCtxGetState(l->contexts[device].device, &flags, &active) == 0 && !active;
}

gpudl_status gpudl__loader_context(gpudl_loader *l, int device, CUcontext *out)
{
    int err;

    if (device < 0 || device >= l->driver.devices)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "there is no device %d: %s has %d, and they count from 0", device,
            l->driver_text, l->driver.devices);
    pthread_mutex_lock(&l->lock);
    *out = l->contexts[device].context;
    pthread_mutex_unlock(&l->lock);
    if (*out && !was_reset(l, device))
        return GPUDL_OK;
    err = retain(l, device, out);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &l->driver.table, "cuDevicePrimaryCtxRetain", err,
                     "making a context on device %d of %s", device, l->driver_text)
               : GPUDL_OK;
}

void gpudl__contexts_release(gpudl_loader *l)
{
    for (int i = 0; i < l->driver.devices; i++)
        if (l->contexts[i].context)
            l->driver.table.DevicePrimaryCtxRelease(l->contexts[i].device);
}

/* The current context may be of that device without being its primary one. */
static bool is_current(const gpudl_driver_table *cu, int ordinal)
{
    CUdevice here, there;

    return cu->CtxGetDevice(&here) == 0 && cu->DeviceGet(&there, ordinal) == 0 && here == there;
}

gpudl_status gpudl__context_enter(gpudl_loader *l, int device, bool *pushed)
{
    const gpudl_driver_table *cu = &l->driver.table;
    CUcontext context;
    gpudl_status status;
    int err;

    *pushed = false;
    if (device >= 0 && device < l->driver.devices && is_current(cu, device))
        return GPUDL_OK;
    status = gpudl__loader_context(l, device, &context);
    if (status != GPUDL_OK)
        return status;
    err = cu->CtxPushCurrent(context);
    *pushed = !err;
    return err
        ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuCtxPushCurrent", err, "making a context of device %d current", device)
        : GPUDL_OK;
}

void gpudl__context_leave(gpudl_loader *l, bool pushed)
{
    CUcontext context;

    if (pushed)
        l->driver.table.CtxPopCurrent(&context);
}

gpudl_status gpudl__context_device(gpudl_loader *l, int *out)
{
    const gpudl_driver_table *cu = &l->driver.table;
    CUdevice here, there;
    int err = 0;

    *out = -1;
    if (cu->CtxGetDevice(&here) != 0)
        return GPUDL_OK;
    for (int i = 0; i < l->driver.devices && !err; i++) {
        err = cu->DeviceGet(&there, i);
        if (!err && there == here)
            *out = i;
    }
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuDeviceGet", err, "asking which device the current context is of")
               : GPUDL_OK;
}

void gpudl__device_words(const gpudl_loader *l, int ordinal, struct text *t)
{
    const gpudl_driver_table *cu = &l->driver.table;
    char name[64] = "";
    CUdevice device;
    unsigned sm;

    gpudl__text_add(t, "device %d", ordinal);
    if (cu->DeviceGet(&device, ordinal) || cu->DeviceGetName(name, sizeof(name), device) || gpudl__driver_sm(cu, ordinal, &sm))
        return;
    gpudl__text_add(t, " (%s, sm_%u)", name, sm);
}

bool gpudl__context_is_active(gpudl_loader *l, int ordinal)
{
    const gpudl_driver_table *cu = &l->driver.table;
    CUcontext own;
    unsigned flags;
    CUdevice device;
    int active = 0;

    pthread_mutex_lock(&l->lock);
    own = l->contexts[ordinal].context;
    pthread_mutex_unlock(&l->lock);
    if (own)
        return !was_reset(l, ordinal);
    return cu->DevicePrimaryCtxGetState && cu->DeviceGet(&device, ordinal) == 0 &&
        cu->DevicePrimaryCtxGetState(device, &flags, &active) == 0 && active;
}

struct relaxed gpudl__relax(gpudl_loader *l)
{
    const gpudl_driver_table *cu = &l->driver.table;
    struct relaxed r = { false, GPUDL_STREAM_CAPTURE_MODE_RELAXED };

    if (l->captures && cu->ThreadExchangeStreamCaptureMode)
        r.changed = cu->ThreadExchangeStreamCaptureMode(&r.before) == 0;
    return r;
}

void gpudl__unrelax(gpudl_loader *l, struct relaxed r)
{
    if (r.changed)
        l->driver.table.ThreadExchangeStreamCaptureMode(&r.before);
}
