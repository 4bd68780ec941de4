/* Libraries, kernels, globals, launches. Handles are never reused and their memory is kept until the next reset, so that a
 * use after the end is seen and counted, not followed. */
#include "src/driver/launch_config.h"
#include "tests/nulldriver/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlib_st {
    struct CUlib_st *next;
    atomic_bool loaded;
    bool any; /* has whatever kernel is asked for */
    struct CUkern_st *kernels;
    size_t global_bytes;
    char memory[256];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUlib_st *libraries;                   /* all since the reset */
static char *kernel_names, *log_text, *remarks_text, *driver_log; /* NULL: any; NULL: none */
static char *param_sizes;                            /* NULL: not told */
static size_t global_bytes = 64;

static void set(char **place, const char *text)
{
    pthread_mutex_lock(&lock);
    free(*place);
    *place = text ? strdup(text) : NULL;
    pthread_mutex_unlock(&lock);
}

void nulldrv_set_kernels(const char *names)
{
    set(&kernel_names, names);
}
void nulldrv_set_log(const char *text)
{
    set(&log_text, text);
}
void nulldrv_set_remarks(const char *text)
{
    set(&remarks_text, text);
}
void nulldrv_set_driver_log(const char *text)
{
    set(&driver_log, text);
}
int null_LogsDumpToMemory(unsigned *from, char *buffer, size_t *size, unsigned flags)
{
    (void)from, (void)flags;
    ENTER(LogsDumpToMemory);
    pthread_mutex_lock(&lock);
    *size = (size_t)snprintf(buffer, *size, "%s", driver_log ? driver_log : "");
    pthread_mutex_unlock(&lock);
    return 0;
}
void nulldrv_set_params(const char *sizes)
{
    set(&param_sizes, sizes);
}
void nulldrv_set_globals(size_t bytes)
{
    global_bytes = bytes;
}

static CUkernel add_kernel(CUlibrary library, const char *name, size_t length)
{
    CUkernel k = calloc(1, sizeof(*k) + length + 1);

    memcpy(k->name, name, length);
    k->library = library;
    start_attributes(k);
    k->next = library->kernels;
    library->kernels = k;
    return k;
}

static CUkernel find_kernel(CUlibrary library, const char *name)
{
    for (CUkernel k = library->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0)
            return k;
    return library->any ? add_kernel(library, name, strlen(name)) : NULL;
}

void write_log(const int *options, void **values, unsigned n, int buffer_option, int size_option, const char *text)
{
    char *buffer = NULL;
    unsigned size = 0;

    for (unsigned i = 0; i < n; i++) {
        if (options[i] == buffer_option)
            buffer = values[i];
        if (options[i] == size_option)
            size = (unsigned)(uintptr_t)values[i];
    }
    if (buffer && size && text)
        snprintf(buffer, size, "%s", text);
}

/* The last load's options, the driver's and then the library's. */
enum { MOST_OPTIONS = 16 };
static struct {
    int options[MOST_OPTIONS];
    void *values[MOST_OPTIONS];
    unsigned n;
} given[2];

static void remember_options(int library, const int *options, void **values, unsigned n)
{
    given[library].n = n < MOST_OPTIONS ? n : MOST_OPTIONS;
    for (unsigned i = 0; i < given[library].n; i++) {
        given[library].options[i] = options[i];
        given[library].values[i] = values[i];
    }
}

int nulldrv_load_option(int library, int option, void **value)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < given[library].n; i++) {
        if (given[library].options[i] != option)
            continue;
        found = 1;
        if (value)
            *value = given[library].values[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int null_LibraryLoadData(CUlibrary *out, const void *code, int *options, void **values, unsigned n, int *library_options,
    void **library_values, unsigned nlibrary)
{
    CUlibrary library;

    ENTER(LibraryLoadData);
    if (!code)
        return GPUDL_CU_INVALID_VALUE;
    library = calloc(1, sizeof(*library));
    pthread_mutex_lock(&lock);
    remember_options(0, options, values, n);
    remember_options(1, library_options, library_values, nlibrary);
    write_log(options, values, n, GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log_text);
    write_log(options, values, n, GPUDL_JIT_INFO_LOG_BUFFER, GPUDL_JIT_INFO_LOG_BUFFER_SIZE_BYTES, remarks_text);
    library->loaded = true;
    library->any = !kernel_names;
    library->global_bytes = global_bytes;
    for (const char *name = kernel_names; name && *name; name += strcspn(name, ","), name += *name == ',')
        add_kernel(library, name, strcspn(name, ","));
    library->next = libraries;
    libraries = library;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&alive_libraries, 1);
    *out = library;
    return 0;
}

int null_LibraryUnload(CUlibrary library)
{
    ENTER(LibraryUnload);
    if (!atomic_exchange(&library->loaded, false)) {
        misuse("a library was unloaded twice");
        return GPUDL_CU_INVALID_HANDLE;
    }
    atomic_fetch_sub(&alive_libraries, 1);
    return 0;
}

int usable(CUlibrary library, const char *what)
{
    if (atomic_load_explicit(&library->loaded, memory_order_relaxed))
        return 0;
    misuse(what);
    return GPUDL_CU_INVALID_HANDLE;
}

int null_LibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
    CUkernel k;

    ENTER(LibraryGetKernel);
    if (usable(library, "a kernel was asked of an unloaded library"))
        return GPUDL_CU_INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    k = find_kernel(library, name);
    pthread_mutex_unlock(&lock);
    if (!k)
        return GPUDL_CU_NOT_FOUND;
    *out = k;
    return 0;
}

int null_LibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    ENTER(LibraryGetKernelCount);
    pthread_mutex_lock(&lock);
    *count = library->any;
    for (CUkernel k = library->kernels; k; k = k->next)
        ++*count;
    pthread_mutex_unlock(&lock);
    return 0;
}

int null_LibraryEnumerateKernels(CUkernel *kernels, unsigned n, CUlibrary library)
{
    ENTER(LibraryEnumerateKernels);
    if (usable(library, "kernels were asked of an unloaded library"))
        return GPUDL_CU_INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    for (CUkernel k = library->kernels; k && n; k = k->next, n--)
        *kernels++ = k;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Each lies behind the one before, at a multiple of its size. */
static int param_info(size_t index, size_t *offset, size_t *size)
{
    size_t end = 0;

    if (!param_sizes)
        return GPUDL_CU_NOT_SUPPORTED;
    for (const char *s = param_sizes; *s; s += strcspn(s, ","), s += *s == ',', index--) {
        *size = strtoul(s, NULL, 10);
        *offset = (end + *size - 1) / *size * *size;
        end = *offset + *size;
        if (!index)
            return 0;
    }
    return GPUDL_CU_INVALID_VALUE;
}

int null_KernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    int err;

    ENTER(KernelGetParamInfo);
    if (param_sizes && usable(kernel->library, "parameters were asked of a kernel of an unloaded library"))
        return GPUDL_CU_INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    err = param_info(index, offset, size);
    pthread_mutex_unlock(&lock);
    return err;
}

static int global(CUdeviceptr *address, size_t *bytes, CUlibrary library)
{
    if (usable(library, "a global was asked of an unloaded library"))
        return GPUDL_CU_INVALID_HANDLE;
    if (!library->global_bytes)
        return GPUDL_CU_NOT_FOUND;
    if (address)
        *address = (CUdeviceptr)(uintptr_t)library->memory;
    if (bytes)
        *bytes = library->global_bytes;
    return 0;
}

int null_LibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    (void)name;
    ENTER(LibraryGetGlobal);
    return pushed() ? global(address, bytes, library) : GPUDL_CU_INVALID_CONTEXT;
}

int null_LibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    (void)name;
    ENTER(LibraryGetManaged);
    return global(address, bytes, library);
}

int null_KernelGetLibrary(CUlibrary *out, CUkernel kernel)
{
    ENTER(KernelGetLibrary);
    *out = kernel->library;
    return 0;
}

int null_KernelGetName(const char **out, CUkernel kernel)
{
    ENTER(KernelGetName);
    *out = kernel->name;
    return 0;
}

static _Thread_local CUstream last_stream;

void *nulldrv_last_stream(void)
{
    return last_stream;
}

static void (*_Atomic on_launch)(void **params, void **extra);

void nulldrv_on_launch(void (*see)(void **params, void **extra))
{
    atomic_store(&on_launch, see);
}

static int launch(CUfunction function, CUstream stream, unsigned shared, void **params, void **extra)
{
    void (*see)(void **, void **) = atomic_load_explicit(&on_launch, memory_order_relaxed);
    CUkernel kernel = (CUkernel)function;

    last_stream = stream;
    if (!pushed())
        return GPUDL_CU_INVALID_CONTEXT;
    if (shared > atomic_load_explicit(&kernel->shared, memory_order_relaxed))
        return GPUDL_CU_INVALID_VALUE;
    if (see)
        see(params, extra);
    return usable(kernel->library, "a kernel of an unloaded library was launched");
}

int null_LaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
    CUstream s, void **params, void **extra)
{
    (void)gy, (void)gz, (void)by, (void)bz;
    ENTER(LaunchKernel);
    return gx && bx ? launch(f, s, shared, params, extra) : GPUDL_CU_INVALID_VALUE;
}

int null_LaunchKernelEx(const struct CUlaunchConfig_st *config, CUfunction f, void **params, void **extra)
{
    const struct driver_launch_config *c = (const struct driver_launch_config *)config;

    ENTER(LaunchKernelEx);
    return c ? launch(f, c->stream, c->shared_bytes, params, extra) : GPUDL_CU_INVALID_VALUE;
}

int null_LaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream s, void **params)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    ENTER(LaunchCooperativeKernel);
    return launch(f, s, shared, params, NULL);
}

static void forget(CUlibrary library)
{
    for (CUkernel k = library->kernels, next; k; k = next) {
        next = k->next;
        free(k);
    }
    free(library);
}

/* Unloaded ones are forgotten; loaded ones stay. */
void reset_libraries(void)
{
    CUlibrary kept = NULL;

    nulldrv_set_kernels(NULL);
    nulldrv_set_log(NULL);
    nulldrv_set_remarks(NULL);
    nulldrv_set_driver_log(NULL);
    nulldrv_set_params(NULL);
    nulldrv_set_globals(64);
    nulldrv_on_launch(NULL);
    reset_nodes();
    pthread_mutex_lock(&lock);
    for (CUlibrary l = libraries, next; l; l = next) {
        next = l->next;
        if (!l->loaded) {
            forget(l);
            continue;
        }
        l->next = kept;
        kept = l;
    }
    libraries = kept;
    pthread_mutex_unlock(&lock);
}

int nulldrv_cache_preference(const char *name, int device)
{
    int preference = -1;

    pthread_mutex_lock(&lock);
    for (CUlibrary l = libraries; l && preference < 0; l = l->next)
        for (CUkernel k = l->kernels; l->loaded && k; k = k->next)
            if (strcmp(k->name, name) == 0)
                preference = atomic_load(&k->cache_preference[device]);
    pthread_mutex_unlock(&lock);
    return preference;
}
