/* Globals of a version: their place on a device. Asking makes the version resident there. */
#include <string.h>

#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/launch/hold.h"
#include "src/loader/loader.h"
#include "src/loader/mixed.h"
#include "src/loader/names/names.h"
#include "src/loader/pin.h"

enum { TEXT_SIZE = 2048 };

static const char *global_at(const void *list, size_t index)
{
    return ((const struct image_global *)list)[index].name;
}

static gpudl_status find(const struct version *v, const char *name, const struct image_global **out)
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

static gpudl_status ask_managed(const struct version *v, const struct image_global *g, CUdeviceptr *address, size_t *size)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    int err = cu->LibraryGetManaged(address, size, v->native, g->name);

    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuLibraryGetManaged", err, "%s: '%s'", v->content.name, g->name)
               : GPUDL_OK;
}

/* Of a library without an image the driver alone knows what there is. */
static bool ask_managed_too(const struct version *v, const char *name, CUdeviceptr *address, size_t *size)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;

    return !v->image && cu->LibraryGetManaged && cu->LibraryGetManaged(address, size, v->native, name) == 0;
}

static gpudl_status ask_global(const struct version *v, const char *name, int device, CUdeviceptr *address, size_t *size)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    int err;

    gpudl__launches_hold();
    err = cu->LibraryGetGlobal(address, size, v->native, name);
    gpudl__launches_let_go();
    if (err && ask_managed_too(v, name, address, size))
        return GPUDL_OK;
    if (err == GPUDL_CU_NOT_FOUND && !v->image)
        return gpudl__fail_cuda(GPUDL_ERROR_NO_SUCH_GLOBAL, cu, "cuLibraryGetGlobal", err,
            "%s: '%s'; the library was adopted, and its names are those in its image", v->content.name, name);
    return err ? gpudl__fail_cuda(
                     GPUDL_ERROR_DRIVER, cu, "cuLibraryGetGlobal", err, "%s: '%s' on device %d", v->content.name, name, device)
               : GPUDL_OK;
}

static gpudl_status ask(struct version *v, const struct image_global *g, int device, CUdeviceptr *address, size_t *size)
{
    struct relaxed relaxed;
    gpudl_status status;
    bool pushed;

    version_touch(v);
    status = gpudl__version_has(v, device);
    if (status == GPUDL_OK)
        status = gpudl__context_enter(v->loader, device, &pushed);
    if (status != GPUDL_OK)
        return status;
    relaxed = gpudl__relax(v->loader);
    status = g->managed && v->loader->driver.table.LibraryGetManaged ? ask_managed(v, g, address, size)
                                                                     : ask_global(v, g->name, device, address, size);
    gpudl__unrelax(v->loader, relaxed);
    gpudl__context_leave(v->loader, pushed);
    return status;
}

gpudl_status gpudl_version_global(gpudl_version *pin, const char *name, int device, CUdeviceptr *address, size_t *size)
{
    static const char function[] = "gpudl_version_global";
    const struct image_global named = { .name = name }, *g = &named;
    const struct allocator *before;
    CUdeviceptr where;
    gpudl_status status;
    struct version *v;
    size_t bytes;

    if (!pin || !name || !address)
        return gpudl__fail_argument(function, "the version, the name or address is NULL");
    status = gpudl__pin_check(pin, function);
    if (status != GPUDL_OK)
        return status;
    v = pin->version;
    before = gpudl__alloc_use(gpudl__loader_heap(v->loader));
    if (!v->content.adopted)
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

/* ---------------------------------------------------------------------------------------------------------- from one to another */

static const struct image_global *same_global(const struct version *v, const struct image_global *g)
{
    for (size_t i = 0; i < v->nglobals; i++)
        if (strcmp(v->globals[i].name, g->name) == 0)
            return &v->globals[i];
    return NULL;
}

/* What is not of one size is left alone, and not counted. */
static gpudl_status copy_one(struct version *from, struct version *to, const struct image_global *g,
    const struct image_global *same, int device, size_t *copied)
{
    const gpudl_driver_table *cu = &from->loader->driver.table;
    CUdeviceptr source, target;
    size_t n, room;
    gpudl_status status = ask(from, g, device, &source, &n);
    int err;

    if (status == GPUDL_OK)
        status = ask(to, same, device, &target, &room);
    if (status != GPUDL_OK || n != room)
        return status;
    err = cu->MemcpyDtoD(target, source, n);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuMemcpyDtoD", err, "%s: the value of '%s'", from->content.name, g->name);
    ++*copied;
    return GPUDL_OK;
}

static gpudl_status copy_all(struct version *from, struct version *to, int device, size_t *copied)
{
    const gpudl_driver_table *cu = &from->loader->driver.table;
    const struct image_global *same;
    gpudl_status status = GPUDL_OK;
    int err = 0;

    for (size_t i = 0; i < from->nglobals && status == GPUDL_OK; i++)
        if ((same = same_global(to, &from->globals[i])))
            status = copy_one(from, to, &from->globals[i], same, device, copied);
    if (status == GPUDL_OK && *copied && cu->StreamSynchronize)
        err = cu->StreamSynchronize(GPUDL_STREAM_LEGACY);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuStreamSynchronize", err, "%s: values of globals", from->content.name)
               : status;
}

gpudl_status gpudl_version_copy_globals(gpudl_version *from, gpudl_version *to, int device, size_t *copied)
{
    static const char function[] = "gpudl_version_copy_globals";
    struct relaxed relaxed;
    gpudl_status status;
    size_t n = 0;
    bool pushed;

    status = gpudl__pin_check(from, function);
    if (status == GPUDL_OK)
        status = gpudl__pin_check(to, function);
    if (status != GPUDL_OK)
        return status;
    if (from->loader != to->loader)
        return gpudl__fail_argument(function, "the versions are of two loaders");
    if (!from->loader->driver.table.MemcpyDtoD)
        return gpudl__fail_lacks(from->loader, "cuMemcpyDtoD", "%s", function);
    status = gpudl__context_enter(from->loader, device, &pushed);
    if (status != GPUDL_OK)
        return status;
    relaxed = gpudl__relax(from->loader);
    status = copy_all(from->version, to->version, device, &n);
    gpudl__unrelax(from->loader, relaxed);
    gpudl__context_leave(from->loader, pushed);
    if (status == GPUDL_OK && copied)
        *copied = n;
    return status;
}
