#include "src/loader/launch/use.h"

#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/launch.h"

gpudl_status gpudl__use_hold(const gpudl_kernel *k, const char *function, gpudl_version *pinned, struct use *u)
{
    const struct place *place;
    gpudl_status status;
    gpudl_loader *l;

    if (!k)
        return gpudl__fail_argument(function, "the kernel is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    status = handle_check(k, HANDLE_KERNEL, function);
    if (status != GPUDL_OK)
        return status;
    *u = (struct use){ .of = k };
    l = k->library->loader;
    pthread_mutex_lock(&l->lock);
    place = pinned ? gpudl__pinned_place(k, pinned->version)
                   : &atomic_load_explicit(k->binding, memory_order_relaxed)->places[k->index];
    u->version = place->version;
    u->kernel = place->kernel;
    u->handle = place->handle;
    gpudl__version_hold(u->version);
    pthread_mutex_unlock(&l->lock);
    u->before = gpudl__alloc_use(gpudl__loader_heap(l));
    return GPUDL_OK;
}

void gpudl__use_drop(struct use *u)
{
    gpudl__version_drop(u->version);
    gpudl__alloc_use(u->before);
}

/* ---------------------------------------------------------------------------------------------------------------- contexts */

gpudl_status gpudl__use_enter(struct use *u, int device)
{
    gpudl_loader *l = u->version->loader;
    gpudl_status status = gpudl__context_enter(l, device, &u->pushed);
    int err = status == GPUDL_OK ? l->driver.table.DeviceGet(&u->device, device) : 0;

    if (err) {
        gpudl__context_leave(l, u->pushed);
        return gpudl__use_failed(u, "cuDeviceGet", err);
    }
    if (status == GPUDL_OK)
        u->relaxed = gpudl__relax(l);
    return status;
}

gpudl_status gpudl__use_enter_launch(struct use *u, const gpudl_launch_config *c)
{
    gpudl_loader *l = u->version->loader;
    gpudl_status status = gpudl__launch_enter(u->of, c, &u->pushed);
    int err = status == GPUDL_OK ? l->driver.table.CtxGetDevice(&u->device) : 0;

    if (err) {
        gpudl__context_leave(l, u->pushed);
        return gpudl__use_failed(u, "cuCtxGetDevice", err);
    }
    if (status == GPUDL_OK)
        u->relaxed = gpudl__relax(l);
    return status;
}

void gpudl__use_leave(struct use *u)
{
    gpudl__unrelax(u->version->loader, u->relaxed);
    gpudl__context_leave(u->version->loader, u->pushed);
}

/* -------------------------------------------------------------------------------------------------------------------- words */

gpudl_status gpudl__use_failed(const struct use *u, const char *call, int err)
{
    return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &u->version->loader->driver.table, call, err, "%s: kernel '%s'",
        u->of->library->name, u->of->slot->name);
}

gpudl_status gpudl__use_lacks(const struct use *u, const char *call)
{
    return gpudl__fail_lacks(u->version->loader, call, "%s: kernel '%s'", u->of->library->name, u->of->slot->name);
}
