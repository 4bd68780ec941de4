/* Kernels of libraries: a function in each context, and attributes for each device. */
#include <string.h>

#include "src/driver/legacy.h"

static struct legacy_kernel *kernel_of(CUkernel handle)
{
    return legacy_is_ours(handle) ? legacy_object(handle) : NULL;
}

static void lock(struct legacy_kernel *k, const struct allocator **before)
{
    pthread_mutex_lock(&k->library->lock);
    *before = gpudl__alloc_use(k->library->heap);
}

static void unlock(struct legacy_kernel *k, const struct allocator *before)
{
    gpudl__alloc_use(before);
    pthread_mutex_unlock(&k->library->lock);
}

void gpudl__legacy_kernel_free(struct legacy_kernel *k)
{
    struct legacy_functions *f = atomic_load(&k->functions), *before;
    struct legacy_attribute *a = k->attributes, *next;

    for (; f; f = before) {
        before = f->before;
        gpudl__free(f);
    }
    for (; a; a = next) {
        next = a->next;
        gpudl__free(a);
    }
    gpudl__free(k);
}

/* -------------------------------------------------------------------------------------------------------------------- functions */

static bool find(const struct legacy_kernel *k, CUcontext context, CUfunction *out)
{
    const struct legacy_functions *f = atomic_load_explicit(&k->functions, memory_order_acquire);

    for (size_t i = 0; f && i < f->n; i++)
        if (f->list[i].handle == context && gpudl__legacy_alive(k->library->driver, f->list[i].module->context)) {
            *out = f->list[i].native;
            return true;
        }
    return false;
}

/* Without what there was for a context of this handle, which is gone. */
static bool publish(struct legacy_kernel *k, struct legacy_function mine)
{
    struct legacy_functions *before = atomic_load(&k->functions), *f;
    size_t n = before ? before->n : 0;

    f = gpudl__alloc_zero(sizeof(*f) + (n + 1) * sizeof(f->list[0]));
    if (!f)
        return false;
    for (size_t i = 0; i < n; i++)
        if (before->list[i].handle != mine.handle)
            f->list[f->n++] = before->list[i];
    f->list[f->n++] = mine;
    f->before = before;
    atomic_store_explicit(&k->functions, f, memory_order_release);
    return true;
}

static int set(struct legacy_driver *d, CUfunction f, int id, int value)
{
    if (id == LEGACY_CACHE_PREFERENCE)
        return d->func_set_cache_config(f, value);
    return d->real.FuncSetAttribute(f, id, value);
}

/* Under the library's lock. */
static int find_or_make(struct legacy_kernel *k, struct legacy_entered *e, CUfunction *out)
{
    struct legacy_driver *d = k->library->driver;
    struct legacy_function mine = { .handle = e->context };
    int err;

    if (find(k, e->context, out))
        return 0;
    err = gpudl__legacy_module(k->library, e, &mine.module);
    if (!err)
        err = d->real.ModuleGetFunction(&mine.native, mine.module->native, k->name);
    for (struct legacy_attribute *a = k->attributes; a && !err; a = a->next)
        if (a->device == mine.module->context->device)
            err = set(d, mine.native, a->id, a->value);
    if (!err && !publish(k, mine))
        err = GPUDL_CU_OUT_OF_MEMORY;
    if (!err)
        *out = mine.native;
    return err;
}

int gpudl__legacy_function(struct legacy_kernel *k, struct legacy_entered *e, CUfunction *out)
{
    const struct allocator *before;
    int err;

    if (find(k, e->context, out))
        return 0;
    lock(k, &before);
    err = find_or_make(k, e, out);
    unlock(k, before);
    return err;
}

int gpudl__legacy_kernel_function(CUfunction *out, CUkernel handle)
{
    struct legacy_kernel *k = kernel_of(handle);
    struct legacy_entered e;
    int err;

    if (!k)
        return GPUDL_CU_INVALID_HANDLE;
    err = gpudl__legacy_enter_stream(k->library->driver, NULL, &e);
    return err ? err : gpudl__legacy_function(k, &e, out);
}

int gpudl__legacy_kernel_library(CUlibrary *out, CUkernel handle)
{
    struct legacy_kernel *k = kernel_of(handle);

    if (!k)
        return GPUDL_CU_INVALID_HANDLE;
    *out = legacy_handle(k->library);
    return 0;
}

int gpudl__legacy_kernel_name(const char **out, CUkernel handle)
{
    struct legacy_kernel *k = kernel_of(handle);

    if (!k)
        return GPUDL_CU_INVALID_HANDLE;
    *out = k->name;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------------- attributes */

/* A context of the device: the current one, else one that the library is in already, else the primary one. */
static int enter(struct legacy_library *lib, CUdevice device, struct legacy_entered *e)
{
    struct legacy_driver *d = lib->driver;
    struct legacy_module *m = lib->modules;
    CUdevice here;

    if (d->real.CtxGetDevice(&here) == 0 && here == device)
        return gpudl__legacy_enter_device(d, device, e);
    while (m && (m->context->device != device || !gpudl__legacy_alive(d, m->context)))
        m = m->next;
    return m ? gpudl__legacy_push(d, m->context->handle, e) : gpudl__legacy_enter_device(d, device, e);
}

int gpudl__legacy_attribute(int *value, int attribute, CUkernel handle, CUdevice device)
{
    struct legacy_kernel *k = kernel_of(handle);
    const struct allocator *before;
    struct legacy_entered e;
    CUfunction f;
    int err;

    if (!k)
        return GPUDL_CU_INVALID_HANDLE;
    lock(k, &before);
    err = enter(k->library, device, &e);
    if (!err) {
        err = find_or_make(k, &e, &f);
        if (!err)
            err = k->library->driver->real.FuncGetAttribute(value, attribute, f);
        gpudl__legacy_leave(k->library->driver, &e);
    }
    unlock(k, before);
    return err;
}

/* In the other contexts of the device. */
static int set_elsewhere(struct legacy_kernel *k, CUcontext here, int id, int value, CUdevice device)
{
    const struct legacy_functions *f = atomic_load(&k->functions);
    struct legacy_driver *d = k->library->driver;
    struct legacy_entered e;
    int err = 0;

    for (size_t i = 0; f && i < f->n && !err; i++) {
        const struct legacy_context *c = f->list[i].module->context;

        if (c->handle == here || c->device != device || !gpudl__legacy_alive(d, c))
            continue;
        err = gpudl__legacy_push(d, c->handle, &e);
        if (!err)
            err = set(d, f->list[i].native, id, value);
        gpudl__legacy_leave(d, &e);
    }
    return err;
}

static bool keep(struct legacy_kernel *k, int id, int value, CUdevice device)
{
    struct legacy_attribute *a = k->attributes;

    while (a && (a->id != id || a->device != device))
        a = a->next;
    if (!a) {
        a = gpudl__alloc(sizeof(*a));
        if (!a)
            return false;
        *a = (struct legacy_attribute){ k->attributes, id, value, device };
        k->attributes = a;
    }
    a->value = value;
    return true;
}

static int set_on(struct legacy_kernel *k, int id, int value, CUdevice device)
{
    struct legacy_driver *d = k->library->driver;
    struct legacy_entered e;
    CUfunction f;
    int err = enter(k->library, device, &e);

    if (err)
        return err;
    err = find_or_make(k, &e, &f);
    if (!err)
        err = set(d, f, id, value);
    if (!err)
        err = keep(k, id, value, device) ? set_elsewhere(k, e.context, id, value, device) : GPUDL_CU_OUT_OF_MEMORY;
    gpudl__legacy_leave(d, &e);
    return err;
}

int gpudl__legacy_set_attribute(int attribute, int value, CUkernel handle, CUdevice device)
{
    struct legacy_kernel *k = kernel_of(handle);
    const struct allocator *before;
    int err;

    if (!k)
        return GPUDL_CU_INVALID_HANDLE;
    lock(k, &before);
    err = set_on(k, attribute, value, device);
    unlock(k, before);
    return err;
}

int gpudl__legacy_set_cache(CUkernel handle, int preference, CUdevice device)
{
    return gpudl__legacy_set_attribute(LEGACY_CACHE_PREFERENCE, preference, handle, device);
}
