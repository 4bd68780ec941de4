/* Libraries: code, and a module of it in each context that has used it. */
#include <string.h>

#include "src/driver/legacy.h"

enum { THREADS_PER_BLOCK = 1, WALL_TIME = 2 }; /* CU_JIT_...: what the driver answers by */

static struct legacy_library *library_of(CUlibrary handle)
{
    return legacy_is_ours(handle) ? legacy_object(handle) : NULL;
}

/* A thread of the program's may capture, or another one: a library of CUDA 12's is loaded into contexts without an end to captures. */
static int exchange_mode(struct legacy_driver *d, int *mode)
{
    return d->real.ThreadExchangeStreamCaptureMode ? d->real.ThreadExchangeStreamCaptureMode(mode) : GPUDL_CU_NOT_SUPPORTED;
}

/* ---------------------------------------------------------------------------------------------------------------------- modules */

static struct legacy_module *find_module(struct legacy_library *lib, CUcontext context)
{
    struct legacy_module *m = lib->modules;

    while (m && (m->context->handle != context || !gpudl__legacy_alive(lib->driver, m->context)))
        m = m->next;
    return m;
}

static int load_module(
    struct legacy_library *lib, struct legacy_entered *e, int *options, void **values, unsigned n, struct legacy_module **out)
{
    struct legacy_driver *d = lib->driver;
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED, err;
    bool relaxed = exchange_mode(d, &mode) == 0;
    struct legacy_module *m = gpudl__alloc_zero(sizeof(*m));

    err = m ? d->real.ModuleLoadDataEx(&m->native, lib->code, n, options, values) : GPUDL_CU_OUT_OF_MEMORY;
    if (!err && (err = gpudl__legacy_context_take(d, e->context, &m->context)))
        d->real.ModuleUnload(m->native);
    if (relaxed)
        exchange_mode(d, &mode);
    if (err) {
        gpudl__free(m);
        return err;
    }
    m->retained = e->retained;
    e->retained = false;
    m->next = lib->modules;
    lib->modules = m;
    *out = m;
    return 0;
}

int gpudl__legacy_module(struct legacy_library *lib, struct legacy_entered *e, struct legacy_module **out)
{
    *out = find_module(lib, e->context);
    return *out ? 0 : load_module(lib, e, lib->options, lib->values, lib->noptions, out);
}

/* A context that is gone has taken its module with it. */
static int unload_module(struct legacy_driver *d, struct legacy_module *m)
{
    struct legacy_entered e = { 0 };
    int err = 0;

    if (gpudl__legacy_alive(d, m->context)) {
        err = gpudl__legacy_push(d, m->context->handle, &e);
        if (!err)
            err = d->real.ModuleUnload(m->native);
    }
    e.retained = m->retained;
    e.device = m->context->device;
    gpudl__legacy_context_give(d, m->context);
    gpudl__legacy_leave(d, &e);
    gpudl__free(m);
    return err;
}

/* -------------------------------------------------------------------------------------------------------------------- libraries */

static void destroy(struct legacy_library *lib, int *err)
{
    struct legacy_module *m, *next_module;
    struct legacy_kernel *k, *next_kernel;
    int one;

    for (k = lib->kernels; k; k = next_kernel) {
        next_kernel = k->next;
        gpudl__legacy_kernel_free(k);
    }
    for (m = lib->modules; m; m = next_module) {
        next_module = m->next;
        one = unload_module(lib->driver, m);
        *err = *err ? *err : one;
    }
    pthread_mutex_destroy(&lib->lock);
    gpudl__free(lib->options);
    gpudl__free(lib->values);
    gpudl__free(lib);
}

/* What is written back goes to the caller of the load, so later ones do without. */
static bool is_kept(int option)
{
    return option != THREADS_PER_BLOCK && option != WALL_TIME &&
        (option < GPUDL_JIT_INFO_LOG_BUFFER || option > GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
}

static bool keep_options(struct legacy_library *lib, const int *options, void **values, unsigned n)
{
    lib->options = gpudl__alloc((n + 1) * sizeof(*options));
    lib->values = gpudl__alloc((n + 1) * sizeof(*values));
    if (!lib->options || !lib->values)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (is_kept(options[i])) {
            lib->options[lib->noptions] = options[i];
            lib->values[lib->noptions++] = values[i];
        }
    return true;
}

static int load_first(struct legacy_library *lib, struct legacy_entered *e, int *options, void **values, unsigned n)
{
    struct legacy_module *first;
    int err = load_module(lib, e, options, values, n, &first);

    gpudl__legacy_leave(lib->driver, e);
    return err;
}

/* The driver's verdict is wanted now, so the code goes into a context now; of a device that has none in it that is no verdict, where there
 * are others. */
static int load_somewhere(struct legacy_library *lib, int *options, void **values, unsigned n)
{
    struct legacy_driver *d = lib->driver;
    struct legacy_entered e;
    int devices = 0, err = gpudl__legacy_enter_any(d, &e);

    if (!err)
        err = load_first(lib, &e, options, values, n);
    if (err != GPUDL_CU_NO_BINARY_FOR_GPU || d->real.DeviceGetCount(&devices))
        return err;
    for (int i = 0; i < devices && devices > 1 && err == GPUDL_CU_NO_BINARY_FOR_GPU; i++)
        if (!gpudl__legacy_enter_device(d, i, &e))
            err = load_first(lib, &e, options, values, n);
    return err;
}

int gpudl__legacy_load(struct legacy_driver *d, CUlibrary *out, const void *code, int *options, void **values, unsigned n)
{
    struct legacy_library *lib = gpudl__alloc_zero(sizeof(*lib));
    int err;

    if (!lib)
        return GPUDL_CU_OUT_OF_MEMORY;
    lib->driver = d;
    lib->code = code;
    lib->heap = gpudl__alloc_use(NULL);
    gpudl__alloc_use(lib->heap);
    pthread_mutex_init(&lib->lock, NULL);
    err = keep_options(lib, options, values, n) ? load_somewhere(lib, options, values, n) : GPUDL_CU_OUT_OF_MEMORY;
    if (err)
        destroy(lib, &err);
    else
        *out = legacy_handle(lib);
    return err;
}

int gpudl__legacy_unload(CUlibrary handle)
{
    struct legacy_library *lib = library_of(handle);
    int err = 0;

    if (!lib)
        return GPUDL_CU_INVALID_HANDLE;
    destroy(lib, &err);
    return err;
}

/* ------------------------------------------------------------------------------------------------------------ what is in them */

/* The module in the current context; any: where there is none, in one that has it already, or device 0's. */
static int enter(struct legacy_library *lib, bool any, struct legacy_entered *e, struct legacy_module **out)
{
    struct legacy_module *m = NULL;
    CUcontext current = NULL;
    int err = lib->driver->real.CtxGetCurrent(&current);

    *e = (struct legacy_entered){ .context = current };
    if (err || (!current && !any))
        return err ? err : GPUDL_CU_INVALID_CONTEXT;
    for (m = any ? lib->modules : NULL; m && !gpudl__legacy_alive(lib->driver, m->context); m = m->next)
        ;
    if (m && !find_module(lib, current))
        err = gpudl__legacy_push(lib->driver, m->context->handle, e);
    else
        err = gpudl__legacy_enter_any(lib->driver, e);
    if (err)
        return err;
    err = gpudl__legacy_module(lib, e, out);
    if (err)
        gpudl__legacy_leave(lib->driver, e);
    return err;
}

static int add_kernel(struct legacy_library *lib, const char *name, struct legacy_kernel **out)
{
    size_t size = strlen(name) + 1;
    struct legacy_entered e;
    struct legacy_module *m;
    struct legacy_kernel *k;
    CUfunction f;
    int err = enter(lib, true, &e, &m);

    if (err)
        return err;
    err = lib->driver->real.ModuleGetFunction(&f, m->native, name);
    gpudl__legacy_leave(lib->driver, &e);
    if (err)
        return err;
    k = gpudl__alloc_zero(sizeof(*k) + size);
    if (!k)
        return GPUDL_CU_OUT_OF_MEMORY;
    k->library = lib;
    memcpy(k->name, name, size);
    k->next = lib->kernels;
    lib->kernels = *out = k;
    return 0;
}

static void lock(struct legacy_library *lib, const struct allocator **before)
{
    pthread_mutex_lock(&lib->lock);
    *before = gpudl__alloc_use(lib->heap);
}

static void unlock(struct legacy_library *lib, const struct allocator *before)
{
    gpudl__alloc_use(before);
    pthread_mutex_unlock(&lib->lock);
}

int gpudl__legacy_kernel(CUkernel *out, CUlibrary handle, const char *name)
{
    struct legacy_library *lib = library_of(handle);
    const struct allocator *before;
    struct legacy_kernel *k;
    int err = 0;

    if (!lib)
        return GPUDL_CU_INVALID_HANDLE;
    lock(lib, &before);
    k = lib->kernels;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (!k)
        err = add_kernel(lib, name, &k);
    unlock(lib, before);
    if (!err)
        *out = legacy_handle(k);
    return err;
}

int gpudl__legacy_module_of(CUmodule *out, CUlibrary handle)
{
    struct legacy_library *lib = library_of(handle);
    const struct allocator *before;
    struct legacy_entered e;
    struct legacy_module *m;
    int err;

    if (!lib)
        return GPUDL_CU_INVALID_HANDLE;
    lock(lib, &before);
    err = enter(lib, false, &e, &m);
    if (!err) {
        *out = m->native;
        gpudl__legacy_leave(lib->driver, &e);
    }
    unlock(lib, before);
    return err;
}

static int find_global(CUdeviceptr *address, size_t *size, CUlibrary handle, const char *name, bool any)
{
    struct legacy_library *lib = library_of(handle);
    const struct allocator *before;
    struct legacy_entered e;
    struct legacy_module *m;
    int err;

    if (!lib)
        return GPUDL_CU_INVALID_HANDLE;
    lock(lib, &before);
    err = enter(lib, any, &e, &m);
    if (!err) {
        err = lib->driver->real.ModuleGetGlobal(address, size, m->native, name);
        gpudl__legacy_leave(lib->driver, &e);
    }
    unlock(lib, before);
    return err;
}

int gpudl__legacy_global(CUdeviceptr *address, size_t *size, CUlibrary handle, const char *name)
{
    return find_global(address, size, handle, name, false);
}

int gpudl__legacy_managed(CUdeviceptr *address, size_t *size, CUlibrary handle, const char *name)
{
    return find_global(address, size, handle, name, true);
}
