#include "bench/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool complain(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, gpudl_error_text());
    return false;
}

static bool check(int code, const char *what)
{
    if (code != 0)
        fprintf(stderr, "%s: CUDA error %d\n", what, code);
    return code == 0;
}

bool bench_device_open(const char *driver, struct bench_device *d)
{
    return bench_device_open_traced(driver, NULL, d);
}

bool bench_device_open_traced(const char *driver, const char *trace, struct bench_device *d)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    memset(d, 0, sizeof(*d));
    options.driver = driver;
    options.trace = trace;
    if (gpudl_loader_open(&options, &d->loader) != GPUDL_OK)
        return complain("gpudl_loader_open");
    d->driver = gpudl_loader_driver(d->loader);
    if (gpudl_loader_use_device(d->loader, 0) == GPUDL_OK)
        return true;
    complain("gpudl_loader_use_device");
    gpudl_loader_close(d->loader);
    return false;
}

void bench_device_close(struct bench_device *d)
{
    for (size_t i = 0; i < d->nbuffers; i++)
        check(d->driver->MemFree(d->buffers[i]), "MemFree");
    for (size_t i = 0; i < d->nlibraries; i++)
        gpudl_library_release(d->libraries[i]);
    gpudl_loader_close(d->loader);
}

const char *bench_data(const char *file, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size);
    char *slash;
    int left;

    if (n <= 0 || (size_t)n >= size)
        return NULL;
    path[n] = 0;
    slash = strrchr(path, '/');
    left = (int)(size - (size_t)(slash + 1 - path));
    return snprintf(slash + 1, (size_t)left, "bench-data/%s", file) < left ? path : NULL;
}

gpudl_kernel *bench_device_kernel(struct bench_device *d, const char *file, const char *kernel)
{
    gpudl_library **library = &d->libraries[d->nlibraries];
    gpudl_kernel *k;
    char path[4096];

    if (d->nlibraries == sizeof(d->libraries) / sizeof(*d->libraries) || !bench_data(file, path, sizeof(path)))
        return NULL;
    if (gpudl_library_load(d->loader, GPUDL_FILE(path), NULL, library) != GPUDL_OK) {
        complain("gpudl_library_load");
        return NULL;
    }
    d->nlibraries++;
    if (gpudl_kernel_get(*library, kernel, &k) == GPUDL_OK)
        return k;
    complain("gpudl_kernel_get");
    return NULL;
}

CUdeviceptr bench_device_buffer(struct bench_device *d, const void *host, size_t bytes)
{
    CUdeviceptr *p = &d->buffers[d->nbuffers];

    if (d->nbuffers == sizeof(d->buffers) / sizeof(*d->buffers) || !check(d->driver->MemAlloc(p, bytes), "MemAlloc"))
        return 0;
    d->nbuffers++;
    if (!check(host ? d->driver->MemcpyHtoD(*p, host, bytes) : d->driver->MemsetD8(*p, 0, bytes), "filling a buffer"))
        return 0;
    return *p;
}

bool bench_device_wait(struct bench_device *d)
{
    return check(d->driver->CtxSynchronize(), "CtxSynchronize");
}
