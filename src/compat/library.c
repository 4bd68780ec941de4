/* Libraries and kernels. A cudaLibrary_t is a gpudl_library and a cudaKernel_t a gpudl_kernel; what is kept beside them is which kernels were
 * given out, since CUDA's go with their library and are the same for the same name. */
#include "src/compat/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct given {
    struct given *next;
    gpudl_kernel *kernel;
    char name[]; /* as it was asked for */
};

struct loaded {
    struct loaded *next;
    gpudl_library *library;
    gpudl_version *pin; /* NULL until a global is asked for: its address is good while it is pinned */
    struct given *kernels;
    const void *entry; /* what cudaGetKernel() was asked for; NULL: a library that the program loaded */
};

static struct {
    pthread_mutex_t lock;
    struct loaded *first;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ------------------------------------------------------------------------------------------------------- with the lock held */

static struct loaded **place_of(const gpudl_library *library)
{
    for (struct loaded **p = &all.first; *p; p = &(*p)->next)
        if ((*p)->library == library)
            return p;
    return NULL;
}

static struct loaded *find(cudaLibrary_t library)
{
    struct loaded **p = library ? place_of(library) : NULL;

    if (p)
        return *p;
    gpudl__rt_fail(cudaErrorInvalidResourceHandle,
        "%p is no library that is loaded: it was unloaded, or is another kind of handle", (const void *)library);
    return NULL;
}

static cudaError_t give(struct loaded *l, const char *name, cudaKernel_t *out)
{
    size_t length = strlen(name) + 1;
    struct given *g;
    cudaError_t err;

    for (g = l->kernels; g; g = g->next)
        if (strcmp(g->name, name) == 0) {
            *out = g->kernel;
            return cudaSuccess;
        }
    g = malloc(sizeof(*g) + length);
    if (!g)
        return gpudl__rt_fail(cudaErrorMemoryAllocation, "no memory for the handle of kernel %s", name);
    memcpy(g->name, name, length);
    err = gpudl__rt_status(gpudl_kernel_get(l->library, name, &g->kernel));
    if (!err && !gpudl__rt_set_add(g->kernel)) {
        gpudl_kernel_release(g->kernel);
        err = gpudl__rt_fail(cudaErrorMemoryAllocation, "no memory for the handle of kernel %s", name);
    }
    if (err) {
        free(g);
        return err;
    }
    g->next = l->kernels;
    l->kernels = g;
    *out = g->kernel;
    return cudaSuccess;
}

static cudaError_t global(struct loaded *l, const char *name, void **address, size_t *bytes)
{
    CUdeviceptr where;
    int device = 0;
    cudaError_t err = gpudl__rt_device(&device);

    if (!err && !l->pin)
        err = gpudl__rt_status(gpudl_library_pin(l->library, &l->pin));
    if (!err)
        err = gpudl__rt_status(gpudl_version_global(l->pin, name, device, &where, bytes));
    if (!err && address)
        *address = (void *)(uintptr_t)where;
    return err;
}

/* ------------------------------------------------------------------------------------------------------------------ loading */

static void forget(struct loaded *l)
{
    for (struct given *g = l->kernels, *next; g; g = next) {
        next = g->next;
        gpudl_kernel_release(g->kernel);
        free(g);
    }
    gpudl_version_unpin(l->pin);
    gpudl_library_release(l->library);
    free(l);
}

static cudaError_t keep(gpudl_library *library, const void *entry, struct loaded **out)
{
    struct loaded *l = calloc(1, sizeof(*l));

    if (!l) {
        gpudl_library_release(library);
        return gpudl__rt_fail(cudaErrorMemoryAllocation, "no memory for the handle of a library");
    }
    l->library = library;
    l->entry = entry;
    pthread_mutex_lock(&all.lock);
    l->next = all.first;
    all.first = l;
    pthread_mutex_unlock(&all.lock);
    *out = l;
    return cudaSuccess;
}

static float milliseconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (float)(now.tv_sec - then->tv_sec) * 1e3f + (float)(now.tv_nsec - then->tv_nsec) * 1e-6f;
}

static cudaError_t load(const gpudl_source *source, struct rt_options *options, cudaLibrary_t *out)
{
    gpudl_library *library = NULL;
    struct loaded *l;
    struct timespec begin;
    gpudl_status status;
    cudaError_t err;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    status = gpudl_library_load(NULL, source, &options->load, &library);
    if (options->wall_time) {
        float ms = milliseconds_since(&begin);
        memcpy(options->wall_time, &ms, sizeof(ms));
    }
    err = gpudl__rt_status(status);
    gpudl__rt_log(&options->error, err ? gpudl_error_text() : "");
    gpudl__rt_log(&options->info, err ? "" : gpudl_library_log(library));
    if (!err)
        err = keep(library, NULL, &l);
    if (!err)
        *out = l->library;
    return err;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *jit, void **jit_values,
    unsigned njit, enum cudaLibraryOption *options, void **values, unsigned noptions)
{
    struct rt_options o;
    cudaError_t err;

    if (!library || !path)
        return gpudl__rt_null("cudaLibraryLoadFromFile", library ? "the path" : "the library");
    err = gpudl__rt_options(&o, jit, jit_values, njit, options, values, noptions);
    return err ? err : load(GPUDL_FILE(path), &o, library);
}

/* The first bytes of what is no image say at least what it is instead. */
static size_t glimpse(const char *bytes)
{
    size_t n = 0;

    while (n < 256 && bytes[n] >= ' ')
        n++;
    return n ? n : 4;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit, void **jit_values,
    unsigned njit, enum cudaLibraryOption *options, void **values, unsigned noptions)
{
    struct rt_options o;
    const void *image;
    size_t size;
    cudaError_t err;

    if (!library || !code)
        return gpudl__rt_null("cudaLibraryLoadData", library ? "the code" : "the library");
    err = gpudl__rt_options(&o, jit, jit_values, njit, options, values, noptions);
    if (err)
        return err;
    size = gpudl__rt_image_size(code, SIZE_MAX - (uintptr_t)code, &image);
    return size ? load(GPUDL_MEMORY(image, size), &o, library) : load(GPUDL_MEMORY(code, glimpse(code)), &o, library);
}

cudaError_t cudaLibraryLoadFromMemory(cudaLibrary_t *library, const void *code, size_t bytes)
{
    struct rt_options o = { .load = GPUDL_LOAD_OPTIONS_INIT };

    if (!library || !code)
        return gpudl__rt_null("cudaLibraryLoadFromMemory", library ? "the code" : "the library");
    return load(GPUDL_MEMORY(code, bytes), &o, library);
}

cudaError_t cudaLibraryLoadFromFileAsync(cudaLibrary_t *library, const char *path, cudaStream_t stream)
{
    cudaError_t err = stream ? cudaStreamQuery(stream) : cudaSuccess;

    if (err && err != cudaErrorNotReady)
        return err;
    if (err)
        cudaGetLastError();
    return cudaLibraryLoadFromFile(library, path, NULL, NULL, 0, NULL, NULL, 0);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    struct loaded *l;

    pthread_mutex_lock(&all.lock);
    l = find(library);
    if (l) {
        *place_of(library) = l->next;
        for (struct given *g = l->kernels; g; g = g->next)
            gpudl__rt_set_remove(g->kernel);
    }
    pthread_mutex_unlock(&all.lock);
    if (!l)
        return cudaErrorInvalidResourceHandle;
    forget(l);
    return cudaSuccess;
}

/* ---------------------------------------------------------------------------------------------------- what is in a library */

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct loaded *l;
    cudaError_t err;

    if (!kernel || !name)
        return gpudl__rt_null("cudaLibraryGetKernel", kernel ? "the name" : "the kernel");
    pthread_mutex_lock(&all.lock);
    l = find(library);
    err = l ? give(l, name, kernel) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&all.lock);
    return err;
}

static cudaError_t get_global(const char *call, void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    struct loaded *l;
    cudaError_t err;

    if (!name)
        return gpudl__rt_null(call, "the name");
    pthread_mutex_lock(&all.lock);
    l = find(library);
    err = l ? global(l, name, address, bytes) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&all.lock);
    return err;
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return get_global("cudaLibraryGetGlobal", address, bytes, library, name);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return get_global("cudaLibraryGetManaged", address, bytes, library, name);
}

cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *symbol)
{
    (void)function, (void)library;
    return gpudl__rt_fail(cudaErrorNotSupported, "cudaLibraryGetUnifiedFunction(%s): gpudl does not do unified functions",
        symbol ? symbol : "NULL");
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    struct loaded *l;

    if (!count)
        return gpudl__rt_null("cudaLibraryGetKernelCount", "the count");
    pthread_mutex_lock(&all.lock);
    l = find(library);
    if (l)
        *count = (unsigned)gpudl_library_kernel_count(library);
    pthread_mutex_unlock(&all.lock);
    return l ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
{
    struct loaded *l;
    cudaError_t err = cudaSuccess;
    const char *name;

    if (!kernels)
        return gpudl__rt_null("cudaLibraryEnumerateKernels", "the array");
    pthread_mutex_lock(&all.lock);
    l = find(library);
    if (!l)
        err = cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; !err && i < n && (name = gpudl_library_kernel_name(library, i)); i++)
        err = give(l, name, &kernels[i]);
    pthread_mutex_unlock(&all.lock);
    return err;
}

/* ------------------------------------------------------------------------------------------------------------------ kernels */

gpudl_kernel *gpudl__rt_kernel(const void *function)
{
    if (gpudl__rt_set_has(function))
        return (gpudl_kernel *)(uintptr_t)function;
    gpudl__rt_fail(cudaErrorInvalidDeviceFunction,
        "%p is no kernel of a library that is loaded. Pass a cudaKernel_t of cudaLibraryGetKernel(); of a __global__ function that nvcc "
        "compiled, what cudaGetKernel() gives for it",
        function);
    return NULL;
}

/* What was adopted once is found again, and stays for the rest of the process as the function does. */
static struct loaded *adopted(const void *entry)
{
    for (struct loaded *l = all.first; l; l = l->next)
        if (l->entry == entry)
            return l;
    return NULL;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *entry)
{
    gpudl_registered_kernel own = { "kernel", NULL, NULL, entry };
    gpudl_source source = gpudl_source_registered("a __global__ function", &own, 1);
    gpudl_library *library;
    struct loaded *l;
    cudaError_t err = cudaSuccess;

    if (!kernel || !entry)
        return gpudl__rt_null("cudaGetKernel", kernel ? "the function" : "the kernel");
    if (gpudl__rt_set_has(entry)) {
        *kernel = (cudaKernel_t)(uintptr_t)entry;
        return cudaSuccess;
    }
    pthread_mutex_lock(&all.lock);
    l = adopted(entry);
    pthread_mutex_unlock(&all.lock);
    if (!l) {
        if (gpudl_library_load(NULL, &source, NULL, &library) != GPUDL_OK)
            return gpudl__rt_fail(cudaErrorInvalidDeviceFunction, "%s", gpudl_error_text());
        err = keep(library, entry, &l);
    }
    if (err)
        return err;
    pthread_mutex_lock(&all.lock);
    err = give(l, own.name, kernel);
    pthread_mutex_unlock(&all.lock);
    return err;
}
