/* Globals of a version: their place on a device. Asking makes the version resident there. */
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/loader.h"
#include "src/loader/names.h"

enum { TEXT_SIZE = 2048 };

static const char *global_at(const void *list, size_t index)
{
    return ((const struct image_global *)list)[index].name;
}

static gpudl_status find(const gpudl_version *v, const char *name, const struct image_global **out)
{
    struct names names = { global_at, v->globals, v->nglobals };
    char list[TEXT_SIZE];
    struct text t = gpudl__text_init(list, sizeof(list));
    size_t index;

    switch (gpudl__name_find(&names, &(struct name_index){ 0 }, name, &index, &t)) {
    case NAME_FOUND:
        break;
    case NAME_NO_MEMORY:
        return gpudl__fail_memory("a global's name");
    case NAME_AMBIGUOUS:
        return gpudl__fail(GPUDL_ERROR_AMBIGUOUS_NAME, "%s: several globals answer to '%s': %s", v->content.name, name, list);
    case NAME_NONE:
        return gpudl__fail(GPUDL_ERROR_NO_SUCH_GLOBAL,
            "%s: no global '%s' among its %zu%s; a variable that no kernel uses may have been left out", v->content.name, name,
            v->nglobals, list);
    }
    *out = &v->globals[index];
    return GPUDL_OK;
}

/* With a context of the device current: the caller's if it is one, else the primary one for the time of the call. */
static int ask_on_device(
    const gpudl_version *v, const char *name, int device, CUcontext primary, CUdeviceptr *address, size_t *size)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    CUdevice here, there;
    int err = cu->DeviceGet(&there, device);

    if (err)
        return err;
    if (cu->CtxGetDevice(&here) == 0 && here == there)
        return cu->LibraryGetGlobal(address, size, v->native, name);
    err = cu->CtxPushCurrent(primary);
    if (err)
        return err;
    err = cu->LibraryGetGlobal(address, size, v->native, name);
    cu->CtxPopCurrent(&primary);
    return err;
}

static gpudl_status ask(const gpudl_version *v, const struct image_global *g, int device, CUdeviceptr *address, size_t *size)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    CUcontext primary;
    gpudl_status status = gpudl__loader_context(v->loader, device, &primary);
    int err;

    if (status != GPUDL_OK)
        return status;
    if (g->managed && cu->LibraryGetManaged) {
        err = cu->LibraryGetManaged(address, size, v->native, g->name);
        return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuLibraryGetManaged", err, "%s: '%s'", v->content.name, g->name)
                   : GPUDL_OK;
    }
    err = ask_on_device(v, g->name, device, primary, address, size);
    return err ? gpudl__fail_cuda(
                     GPUDL_ERROR_DRIVER, cu, "cuLibraryGetGlobal", err, "%s: '%s' on device %d", v->content.name, g->name, device)
               : GPUDL_OK;
}

gpudl_status gpudl_version_global(gpudl_version *v, const char *name, int device, CUdeviceptr *address, size_t *size)
{
    const struct image_global *g;
    const struct allocator *before;
    CUdeviceptr where;
    gpudl_status status;
    size_t bytes;

    if (!v || !name || !address)
        return gpudl__fail_argument("gpudl_version_global", "the version, the name or address is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_version_global");
    before = gpudl__alloc_use(gpudl__loader_heap(v->loader));
    status = find(v, name, &g);
    gpudl__alloc_use(before);
    if (status == GPUDL_OK)
        status = ask(v, g, device, &where, &bytes);
    if (status != GPUDL_OK)
        return status;
    *address = where;
    if (size)
        *size = bytes;
    return GPUDL_OK;
}
