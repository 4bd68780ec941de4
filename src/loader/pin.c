/* Pins: a caller's own hold on a version, told apart from others on the same one. */
#include "src/loader/pin.h"

#include "src/loader/error.h"
#include "src/loader/fork.h"

gpudl_status gpudl__pin_check(gpudl_version *pin, const char *function)
{
    if (!pin)
        return gpudl__fail_argument(function, "the version is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    return handle_check(pin, HANDLE_PIN, function);
}

/* One without a version yet. */
static gpudl_version *take(gpudl_loader *l, const char *name)
{
    gpudl_version *pin = gpudl__handle_take(l, HANDLE_PIN);
    const struct allocator *before;

    if (!pin)
        return NULL;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    pin->loader = l;
    pin->name = gpudl__alloc_string(name);
    gpudl__alloc_use(before);
    if (pin->name)
        return pin;
    gpudl__handle_give(l, pin, HANDLE_PIN);
    return NULL;
}

gpudl_version *gpudl__pin_make(struct version *v, const char *name, const void *made_at)
{
    gpudl_version *pin = take(v->loader, name);

    if (!pin)
        return NULL;
    pin->version = v;
    pthread_mutex_lock(&v->loader->lock);
    gpudl__version_hold(v);
    pthread_mutex_unlock(&v->loader->lock);
    gpudl__handle_open(pin, HANDLE_PIN, made_at);
    return pin;
}

gpudl_status gpudl_library_pin(gpudl_library *lib, gpudl_version **out)
{
    static const char function[] = "gpudl_library_pin";
    gpudl_status status;
    gpudl_version *pin;

    if (!lib || !out)
        return gpudl__fail_argument(function, "the library or out is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    status = handle_check(lib, HANDLE_LIBRARY, function);
    if (status != GPUDL_OK)
        return status;
    pin = take(lib->loader, lib->name);
    if (!pin)
        return gpudl__fail_memory("a pin");
    pin->version = gpudl__library_hold(lib);
    gpudl__handle_open(pin, HANDLE_PIN, __builtin_return_address(0));
    *out = pin;
    return GPUDL_OK;
}

void gpudl_version_unpin(gpudl_version *pin)
{
    struct version *v;

    if (!pin || gpudl__forked() || !gpudl__handle_close(pin, HANDLE_PIN, "gpudl_version_unpin"))
        return;
    v = pin->version;
    gpudl__version_drop(v);
    gpudl__free(pin->name);
    gpudl__handle_give(pin->loader, pin, HANDLE_PIN);
}

/* NULL: it is no pin that is held, which is this thread's failure. */
static const struct version *held(gpudl_version *pin, const char *function)
{
    return gpudl__pin_check(pin, function) == GPUDL_OK ? pin->version : NULL;
}

size_t gpudl_version_kernel_count(gpudl_version *pin)
{
    const struct version *v = held(pin, "gpudl_version_kernel_count");

    return v ? v->nkernels : 0;
}

const char *gpudl_version_kernel_name(gpudl_version *pin, size_t index)
{
    const struct version *v = held(pin, "gpudl_version_kernel_name");

    return v && index < v->nkernels ? v->kernels[index].name : NULL;
}

const char *gpudl_version_log(gpudl_version *pin)
{
    const struct version *v = held(pin, "gpudl_version_log");

    return v && v->log ? v->log : "";
}

gpudl_status gpudl_version_native(gpudl_version *pin, CUlibrary *out)
{
    static const char function[] = "gpudl_version_native";
    gpudl_status status;

    if (!out)
        return gpudl__fail_argument(function, "the version or out is NULL");
    status = gpudl__pin_check(pin, function);
    if (status != GPUDL_OK)
        return status;
    if (!pin->version->native)
        return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
            "%s: kernels that were registered, or adopted by themselves, are in no library that gpudl knows; gpudl_kernel_native() gives theirs",
            pin->version->content.name);
    version_touch(pin->version);
    *out = pin->version->native;
    return GPUDL_OK;
}

uint64_t gpudl_version_number(gpudl_version *pin)
{
    return pin && gpudl__pin_check(pin, "gpudl_version_number") == GPUDL_OK ? pin->version->number : 0;
}
