/* Handles that go from one owner to another: what somebody else loaded as a library or a kernel of gpudl's, and back.
 *
 * An adopted library is one of registered kernels (registered.c), with the driver's library beside them. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/launch/use.h"
#include "src/loader/options.h"
#include "src/loader/pin.h"
#include "src/loader/source/registered.h"

enum { KERNELS_MOST = 1 << 20 };

struct adoption {
    gpudl_loader *loader;
    CUlibrary native; /* NULL: one kernel */
    gpudl_adopt_options options;
    const char *name; /* for messages */
    gpudl_registered_kernel *kernels;
    size_t nkernels;
};

/* ----------------------------------------------------------------------------------------------------- which kernels there are */

static gpudl_status failed(const struct adoption *a, const char *call, int err)
{
    return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &a->loader->driver.table, call, err, "%s: which kernels it has", a->name);
}

static gpudl_status make_room(struct adoption *a, size_t n)
{
    a->nkernels = n;
    a->kernels = gpudl__alloc_zero((n + 1) * sizeof(*a->kernels));
    return a->kernels ? GPUDL_OK : gpudl__fail_memory("adopted kernels");
}

static gpudl_status find_named(struct adoption *a)
{
    const gpudl_driver_table *cu = &a->loader->driver.table;
    gpudl_status status = a->options.kernels
        ? make_room(a, a->options.nkernels)
        : gpudl__fail_argument("gpudl_library_adopt", "kernels is NULL and nkernels is not 0");

    for (size_t i = 0; i < a->options.nkernels && status == GPUDL_OK; i++) {
        const char *name = a->options.kernels[i];
        int err;

        if (!name)
            return gpudl__fail_argument("gpudl_library_adopt", "a kernel's name is NULL");
        a->kernels[i].name = name;
        err = cu->LibraryGetKernel(&a->kernels[i].kernel, a->native, name);
        if (err)
            status = gpudl__fail_cuda(err == GPUDL_CU_NOT_FOUND ? GPUDL_ERROR_NO_SUCH_KERNEL : GPUDL_ERROR_DRIVER, cu,
                "cuLibraryGetKernel", err, "%s: kernel '%s'; names are those in the image", a->name, name);
    }
    return status;
}

/* A driver may list less than it counted. */
static gpudl_status name_all(struct adoption *a, const CUkernel *handles)
{
    int err = 0;

    for (size_t i = 0; i < a->nkernels; i++)
        if (!handles[i])
            a->nkernels = i;

    for (size_t i = 0; i < a->nkernels && !err; i++) {
        a->kernels[i].kernel = handles[i];
        err = a->loader->driver.table.KernelGetName(&a->kernels[i].name, handles[i]);
    }
    return err ? failed(a, "cuKernelGetName", err) : GPUDL_OK;
}

static gpudl_status find_all(struct adoption *a)
{
    const gpudl_driver_table *cu = &a->loader->driver.table;
    gpudl_status status;
    CUkernel *handles;
    unsigned n = 0;
    int err;

    if (!cu->LibraryGetKernelCount || !cu->LibraryEnumerateKernels || !cu->KernelGetName)
        return gpudl__fail(GPUDL_ERROR_DRIVER_TOO_OLD,
            "%s: the driver (%s) does not list a library's kernels, as drivers do since CUDA 12.4: name those that are wanted "
            "(gpudl_adopt_options.kernels)",
            a->name, a->loader->driver_text);
    err = cu->LibraryGetKernelCount(&n, a->native);
    if (!err && n > KERNELS_MOST)
        err = GPUDL_CU_INVALID_HANDLE;
    if (err)
        return failed(a, "cuLibraryGetKernelCount", err);
    status = make_room(a, n);
    if (status != GPUDL_OK || !n)
        return status;
    handles = gpudl__alloc_zero(n * sizeof(*handles));
    if (!handles)
        return gpudl__fail_memory("adopted kernels");
    err = cu->LibraryEnumerateKernels(handles, n, a->native);
    status = err ? failed(a, "cuLibraryEnumerateKernels", err) : name_all(a, handles);
    gpudl__free(handles);
    return status;
}

static gpudl_status find_kernels(struct adoption *a)
{
    return a->options.nkernels || a->options.kernels ? find_named(a) : find_all(a);
}

/* ----------------------------------------------------------------------------------------------------------------- the library */

static gpudl_status copy_kernels(const struct adoption *a, struct content *c)
{
    size_t bytes = a->nkernels * sizeof(*a->kernels);
    gpudl_status status = GPUDL_OK;
    void *copy;

    copy = a->nkernels ? gpudl__registered_copy(a->name, a->kernels, bytes, &status) : gpudl__alloc(1);
    c->bytes = (struct span){ copy, bytes };
    c->registered = true;
    c->adopted = a->native;
    c->name = gpudl__alloc_string(a->name);
    return status == GPUDL_OK && (!copy || !c->name) ? gpudl__fail_memory("adopted kernels") : status;
}

/* Nobody else has the library yet. Its code may be on a device for all that is known here. */
static void own(gpudl_library *lib)
{
    struct version *v = atomic_load(&lib->binding)->version;

    atomic_store(&v->touched, true);
    v->lent = false;
}

static gpudl_status check_owner(const struct adoption *a)
{
    bool has;

    if (!(a->options.flags & GPUDL_ADOPT_OWNED))
        return GPUDL_OK;
    pthread_mutex_lock(&a->loader->lock);
    has = gpudl__version_has_native(a->loader, a->native);
    pthread_mutex_unlock(&a->loader->lock);
    return has
        ? gpudl__fail(GPUDL_ERROR_ARGUMENT,
              "%s: GPUDL_ADOPT_OWNED, and the library %p is one that this loader has already: it would be unloaded twice; adopt it "
              "without that flag",
              a->name, (void *)a->native)
        : GPUDL_OK;
}

static gpudl_status make_library(const struct adoption *a, const void *made_at, gpudl_library **out)
{
    struct load_settings settings;
    struct content content = { 0 };
    gpudl_status status = gpudl__settings_import(NULL, &settings);

    if (status == GPUDL_OK)
        status = copy_kernels(a, &content);
    if (status == GPUDL_OK)
        status = gpudl__library_create(a->loader, &content, &settings, made_at, out);
    gpudl__content_release(&content);
    return status;
}

static gpudl_status adopt_library(struct adoption *a, const void *made_at, gpudl_library **out)
{
    gpudl_status status = check_owner(a);

    if (status == GPUDL_OK)
        status = find_kernels(a);
    if (status == GPUDL_OK)
        status = make_library(a, made_at, out);
    if (status == GPUDL_OK && (a->options.flags & GPUDL_ADOPT_OWNED))
        own(*out);
    gpudl__free(a->kernels);
    return status;
}

static gpudl_status begin(
    const char *function, gpudl_loader *given, const gpudl_adopt_options *options, uint64_t flags, struct adoption *a)
{
    gpudl_status status = GPUDL_OK;

    *a = (struct adoption){ 0 };
    if (options)
        status = gpudl__options_import(&a->options, sizeof(a->options), options, "gpudl_adopt_options");
    if (status == GPUDL_OK)
        status = gpudl__flags_check(a->options.flags, GPUDL_ADOPT_OWNED, "gpudl_adopt_options");
    if (status == GPUDL_OK && (a->options.flags & ~flags))
        status = gpudl__fail_argument(function, "GPUDL_ADOPT_OWNED is for libraries");
    if (status == GPUDL_OK)
        a->loader = gpudl__loader(given, function, &status);
    return status;
}

gpudl_status gpudl_library_adopt(gpudl_loader *given, CUlibrary native, const gpudl_adopt_options *options, gpudl_library **out)
{
    static const char function[] = "gpudl_library_adopt";
    const struct allocator *before;
    gpudl_status status;
    struct adoption a;

    if (!native || !out)
        return gpudl__fail_argument(function, "the library or out is NULL");
    status = begin(function, given, options, GPUDL_ADOPT_OWNED, &a);
    if (status != GPUDL_OK)
        return status;
    a.native = native;
    a.name = a.options.name ? a.options.name : "adopted library";
    before = gpudl__alloc_use(gpudl__loader_heap(a.loader));
    status = adopt_library(&a, __builtin_return_address(0), out);
    gpudl__alloc_use(before);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------ one kernel */

static const char *name_of(const struct adoption *a, CUkernel native)
{
    const gpudl_driver_table *cu = &a->loader->driver.table;
    const char *name = NULL;

    if (a->options.name && *a->options.name)
        return a->options.name;
    return cu->KernelGetName && cu->KernelGetName(&name, native) == 0 && name && *name ? name : "adopted";
}

/* The library goes with the kernel. */
static gpudl_status adopt_kernel(const struct adoption *a, CUkernel native, const void *made_at, gpudl_kernel **out)
{
    gpudl_registered_kernel one = { name_of(a, native), native, NULL, NULL };
    struct adoption alone = { .loader = a->loader, .name = one.name, .kernels = &one, .nkernels = 1 };
    gpudl_library *lib;
    gpudl_status status = make_library(&alone, made_at, &lib);

    if (status != GPUDL_OK)
        return status;
    status = gpudl__kernel_get(lib, NULL, made_at, out);
    gpudl_library_release(lib);
    return status;
}

gpudl_status gpudl_kernel_adopt(gpudl_loader *given, CUkernel native, const gpudl_adopt_options *options, gpudl_kernel **out)
{
    static const char function[] = "gpudl_kernel_adopt";
    const struct allocator *before;
    gpudl_status status;
    struct adoption a;

    if (!native || !out)
        return gpudl__fail_argument(function, "the kernel or out is NULL");
    status = begin(function, given, options, 0, &a);
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(a.loader));
    status = adopt_kernel(&a, native, __builtin_return_address(0), out);
    gpudl__alloc_use(before);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------- and back */

gpudl_status gpudl_kernel_native(gpudl_kernel *k, CUkernel *native, gpudl_version **out)
{
    static const char function[] = "gpudl_kernel_native";
    gpudl_version *pin = NULL;
    gpudl_status status;
    struct use u;

    if (!native || !out)
        return gpudl__fail_argument(function, "native or pin is NULL");
    status = gpudl__use_hold(k, function, NULL, &u);
    if (status != GPUDL_OK)
        return status;
    if (gpudl__registered_is_function(u.version, u.kernel))
        status = gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
            "%s: kernel '%s' was registered as a CUfunction, and has no CUkernel that gpudl knows", k->library->name,
            k->slot->name);
    else if (!(pin = gpudl__pin_make(u.version, k->library->name, __builtin_return_address(0))))
        status = gpudl__fail_memory("a pin");
    if (status == GPUDL_OK) {
        version_touch(u.version); /* whoever launches it makes it resident */
        *native = u.handle;
        *out = pin;
    }
    gpudl__use_drop(&u);
    return status;
}
