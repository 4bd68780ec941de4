/* Running a case on a device. */
#include "tests/kernels/kernel_test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_STACK_SIZE 0 /* bytes a thread; recursion needs more than the default */

struct launch {
    const struct kt_device *device;
    gpudl_library *library;
    gpudl_version *version;
    gpudl_kernel *kernel;
    CUdeviceptr memory[KT_MAX_BUFFERS]; /* 0: none */
    char *error;
    size_t error_size;
};

static bool fail(struct launch *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct launch *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(l->error, l->error_size, format, args);
    va_end(args);
    return false;
}

static bool check(struct launch *l, int code, const char *what)
{
    const char *name = NULL;

    if (code == 0)
        return true;
    l->device->driver->GetErrorName(code, &name);
    return fail(l, "%s: %s (%d)", what, name ? name : "unknown error", code);
}

gpudl_status kt_device_open(const char *driver, int which, struct kt_device *d)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_status status;

    options.driver = driver;
    status = gpudl_loader_open(&options, &d->loader);
    if (status != GPUDL_OK)
        return status;
    d->driver = gpudl_loader_driver(d->loader);
    d->which = which;
    status = gpudl_loader_use_device(d->loader, 0);
    if (status != GPUDL_OK) {
        gpudl_loader_close(d->loader);
        return status;
    }
    if (d->driver->CtxSetLimit)
        d->driver->CtxSetLimit(LIMIT_STACK_SIZE, 16384);
    return GPUDL_OK;
}

void kt_device_close(struct kt_device *d)
{
    gpudl_loader_close(d->loader);
}

/* kernels/FILE.ptx beside the program, or in the folder that GPUDL_TEST_DATA names. */
static bool ptx_path(const char *file, char *path, size_t size)
{
    const char *folder = getenv("GPUDL_TEST_DATA");
    char own[4096];
    ssize_t n;

    if (!folder) {
        n = readlink("/proc/self/exe", own, sizeof(own) - 1);
        if (n <= 0)
            return false;
        own[n] = 0;
        *strrchr(own, '/') = 0;
        folder = own;
    }
    return snprintf(path, size, "%s/kernels/%s.ptx", folder, file) < (int)size;
}

static bool load(struct launch *l, const struct kt_case *c)
{
    char path[4200];

    if (!ptx_path(c->file, path, sizeof(path)))
        return fail(l, "no place for the path of %s.ptx", c->file);
    if (gpudl_library_load(l->device->loader, GPUDL_FILE(path), NULL, &l->library) != GPUDL_OK ||
        gpudl_library_pin(l->library, &l->version) != GPUDL_OK || gpudl_kernel_get(l->library, c->kernel, &l->kernel) != GPUDL_OK)
        return fail(l, "%s", gpudl_error_text());
    return true;
}

/* Memory of the buffer on the device, with its bytes in it. */
static bool place_buffer(struct launch *l, const struct kt_buffer *b, CUdeviceptr *memory)
{
    CUdeviceptr at;
    size_t size;

    if (b->global) {
        if (gpudl_version_global(l->version, b->global, 0, &at, &size) != GPUDL_OK)
            return fail(l, "%s", gpudl_error_text());
        if (size != kt_bytes(b))
            return fail(l, "%s has %zu bytes, expected %zu", b->global, size, kt_bytes(b));
    } else {
        if (!check(l, l->device->driver->MemAlloc(memory, kt_bytes(b) + !kt_bytes(b)), "MemAlloc"))
            return false;
        at = *memory;
    }
    return !kt_bytes(b) || check(l, l->device->driver->MemcpyHtoD(at, b->in, kt_bytes(b)), "MemcpyHtoD");
}

static bool fetch_buffer(struct launch *l, struct kt_buffer *b, CUdeviceptr memory)
{
    void **got = &b->got[l->device->which];

    if (b->global && gpudl_version_global(l->version, b->global, 0, &memory, NULL) != GPUDL_OK)
        return fail(l, "%s", gpudl_error_text());
    free(*got);
    *got = malloc(kt_bytes(b) + 1);
    if (!*got)
        return fail(l, "out of memory");
    return !kt_bytes(b) || check(l, l->device->driver->MemcpyDtoH(*got, memory, kt_bytes(b)), "MemcpyDtoH");
}

static bool launch(struct launch *l, struct kt *k)
{
    gpudl_launch_config config = gpudl_launch_3d(k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    void *params[KT_MAX_PARAMS];

    config.shared_bytes = k->shared_bytes;
    for (size_t i = 0; i < k->nparams; i++)
        params[i] = k->params[i].buffer >= 0 ? (void *)&l->memory[k->params[i].buffer] : (void *)&k->params[i].scalar;
    if (gpudl_kernel_launch_params(l->kernel, &config, params) != GPUDL_OK)
        return fail(l, "%s", gpudl_error_text());
    return check(l, l->device->driver->CtxSynchronize(), "CtxSynchronize");
}

static bool run_loaded(struct launch *l, struct kt *k)
{
    for (size_t i = 0; i < k->nbuffers; i++)
        if (!place_buffer(l, &k->buffers[i], &l->memory[i]))
            return false;
    if (!launch(l, k))
        return false;
    for (size_t i = 0; i < k->nbuffers; i++)
        if (k->buffers[i].compared && !fetch_buffer(l, &k->buffers[i], l->memory[i]))
            return false;
    return true;
}

bool kt_run(const struct kt_device *device, const struct kt_case *c, struct kt *k, char *error, size_t size)
{
    struct launch l = { .device = device, .error = error, .error_size = size };
    bool ok = gpudl_loader_use_device(device->loader, 0) == GPUDL_OK ? load(&l, c) && run_loaded(&l, k)
                                                                     : fail(&l, "%s", gpudl_error_text());

    for (size_t i = 0; i < k->nbuffers; i++)
        if (l.memory[i])
            device->driver->MemFree(l.memory[i]);
    gpudl_kernel_release(l.kernel);
    gpudl_version_unpin(l.version);
    gpudl_library_release(l.library);
    return ok;
}
