/* legacy.h - CUlibrary and CUkernel on drivers before CUDA 12.0, by a module in each context that uses one. Within driver/.
 *
 * Members of the table that take neither handle are made for one driver each (legacy.c); the others find their driver by the handle.
 * A handle of ours is odd, so that it is told from the driver's own, which are addresses of objects.
 *
 *     kernel --> library --> driver
 *       |           |
 *       |           +--> a module for each context --> context
 *       +--> a function for each context, behind one pointer that a launch reads without a lock
 *
 * Locks: a library's own, held over the driver's calls that load and unload its code; inside it the driver's, for its contexts.
 * What is emulated differs from the driver's own where modules do: code is resident once it is loaded, so a load waits for what runs
 * in its context; a __managed__ variable is one for each context; the code is read again for each context, so it must stay until
 * LibraryUnload (as if it were GPUDL_LIBRARY_BINARY_IS_PRESERVED). */
#ifndef GPUDL_DRIVER_LEGACY_H
#define GPUDL_DRIVER_LEGACY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "src/driver/driver.h"
#include "src/driver/resolve.h"
#include "src/util/alloc.h"
#include "src/util/text.h"

struct legacy_driver {
    gpudl_driver_table real; /* what the driver itself has */
    struct driver_resolver resolver;
    int (*func_set_cache_config)(CUfunction, int);
    int (*exec_kernel_set_params)(CUgraphExec, CUgraphNode, const void *); /* without kernel and context in its structure */
    pthread_mutex_t lock;
    struct legacy_context *contexts;
};

/* A context with code of ours in it, for as long as there is some. The driver has no word for one that was destroyed, or reset, and whose
 * handle came back; but an allocation has a number that is never given twice, and goes with its context. */
struct legacy_context {
    struct legacy_context *next;
    CUcontext handle;
    CUdevice device;
    CUdeviceptr token;         /* 0: none could be had */
    unsigned long long number; /* the token's */
    size_t uses;               /* modules; under the driver's lock */
};

struct legacy_module {
    struct legacy_module *next;
    struct legacy_context *context;
    CUmodule native;
    bool retained; /* the primary context, for this module */
};

struct legacy_library {
    struct legacy_driver *driver;
    const struct allocator *heap; /* of the thread that loaded it */
    pthread_mutex_t lock;
    const void *code;
    int *options;
    void **values;
    unsigned noptions;
    struct legacy_module *modules;
    struct legacy_kernel *kernels;
};

/* Which function of which context; never changed, but followed by a longer one. */
struct legacy_functions {
    struct legacy_functions *before; /* launches may still read it */
    size_t n;
    struct legacy_function {
        CUcontext handle;
        struct legacy_module *module;
        CUfunction native;
    } list[];
};

enum { LEGACY_CACHE_PREFERENCE = -1 }; /* as an attribute's number */

struct legacy_attribute {
    struct legacy_attribute *next;
    int id, value;
    CUdevice device;
};

struct legacy_kernel {
    struct legacy_kernel *next;
    struct legacy_library *library;
    _Atomic(struct legacy_functions *) functions;
    struct legacy_attribute *attributes;
    char name[];
};

/* ---------------------------------------------------------------------------------------------------------------------- handles */

static inline bool legacy_is_ours(const void *handle)
{
    return (uintptr_t)handle & 1;
}

static inline void *legacy_handle(void *object)
{
    return (char *)object + 1;
}

static inline void *legacy_object(const void *handle)
{
    return (char *)(uintptr_t)handle - 1;
}

/* ---------------------------------------------------------------------------------------------------- legacy.c, for table.c
 *
 * Completes out->table where the driver lacks libraries, if it has what stands in for them. text collects why not. */
bool gpudl__legacy_install(struct driver *out, const struct driver_resolver *r, struct text *text);

/* ------------------------------------------------------------------------------------------------------------ legacy_context.c */

/* False: it was destroyed, or was reset, since the record was made. */
bool gpudl__legacy_alive(struct legacy_driver *d, const struct legacy_context *c);
/* The record of the current context, counted. */
int gpudl__legacy_context_take(struct legacy_driver *d, CUcontext current, struct legacy_context **out);
void gpudl__legacy_context_give(struct legacy_driver *d, struct legacy_context *c); /* c's context is current, or gone */

/* A context that is current until left. */
struct legacy_entered {
    CUcontext context;
    CUdevice device;
    bool pushed, retained;
};
int gpudl__legacy_push(struct legacy_driver *d, CUcontext context, struct legacy_entered *e);
/* The current one; where there is none, the primary one of device 0. */
int gpudl__legacy_enter_any(struct legacy_driver *d, struct legacy_entered *e);
/* The current one if it is of the device, else its primary one. */
int gpudl__legacy_enter_device(struct legacy_driver *d, CUdevice device, struct legacy_entered *e);
/* The one that a launch into the stream runs in. */
int gpudl__legacy_enter_stream(struct legacy_driver *d, CUstream stream, struct legacy_entered *e);
void gpudl__legacy_leave(struct legacy_driver *d, struct legacy_entered *e);

/* ------------------------------------------------------------------------------------------------------------ legacy_library.c */

int gpudl__legacy_load(struct legacy_driver *d, CUlibrary *out, const void *code, int *options, void **values, unsigned n);
int gpudl__legacy_unload(CUlibrary library);
int gpudl__legacy_kernel(CUkernel *out, CUlibrary library, const char *name);
int gpudl__legacy_module_of(CUmodule *out, CUlibrary library);
int gpudl__legacy_global(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name);
int gpudl__legacy_managed(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name);
/* The library's module in the context, which is current, loaded now if need be. Under the library's lock. */
int gpudl__legacy_module(struct legacy_library *lib, struct legacy_entered *e, struct legacy_module **out);

/* ------------------------------------------------------------------------------------------------------------- legacy_kernel.c */

/* The kernel's function in a context that is current. */
int gpudl__legacy_function(struct legacy_kernel *k, struct legacy_entered *e, CUfunction *out);
int gpudl__legacy_kernel_function(CUfunction *out, CUkernel kernel);
int gpudl__legacy_kernel_library(CUlibrary *out, CUkernel kernel);
int gpudl__legacy_kernel_name(const char **out, CUkernel kernel);
int gpudl__legacy_attribute(int *value, int attribute, CUkernel kernel, CUdevice device);
int gpudl__legacy_set_attribute(int attribute, int value, CUkernel kernel, CUdevice device);
int gpudl__legacy_set_cache(CUkernel kernel, int preference, CUdevice device);
void gpudl__legacy_kernel_free(struct legacy_kernel *k);

/* ------------------------------------------------------------------------------------------------------------- legacy_launch.c
 *
 * f is a kernel of ours, or a function of the driver's. */
int gpudl__legacy_launch(struct legacy_driver *d, CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
    CUstream stream, void **params, void **extra);
int gpudl__legacy_launch_cooperative(struct legacy_driver *d, CUfunction f, const unsigned grid[3], const unsigned block[3],
    unsigned shared, CUstream stream, void **params);
int gpudl__legacy_launch_ex(
    struct legacy_driver *d, const struct CUlaunchConfig_st *config, CUfunction f, void **params, void **extra);
int gpudl__legacy_node(
    struct legacy_driver *d, CUgraphExec exec, CUgraphNode node, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *params);

#endif
