/* internal.h - what the calls of the CUDA runtime's names share: the thread's state, and the way to the driver.
 *
 * The runtime's API has no handle of its own, so neither has this: it works with the process's default loader, and keeps what is each
 * thread's (last error, its text, the device) in thread-local memory. Only the public API of gpudl is used. */
#ifndef GPUDL_COMPAT_INTERNAL_H
#define GPUDL_COMPAT_INTERNAL_H

#include <stdbool.h>

#include <gpudl/cuda_runtime_compat.h>
#include <gpudl/gpudl.h>

/* ------------------------------------------------------------------------------------------------------------- what failed */

/* Each makes `error` the thread's last one, leaves its text, and returns it. */
__attribute__((format(printf, 2, 3))) cudaError_t gpudl__rt_fail(cudaError_t error, const char *format, ...);
cudaError_t gpudl__rt_null(const char *call, const char *argument);
/* The driver has no such function. */
cudaError_t gpudl__rt_missing(const char *function);

/* The runtime's error for what gpudl said, with gpudl's text; cudaSuccess for GPUDL_OK. */
cudaError_t gpudl__rt_status(gpudl_status status);
/* For what the driver said; cudaSuccess for 0. */
cudaError_t gpudl__rt_cuda(const char *function, int code);

/* ----------------------------------------------------------------------------------------------------- the way to the driver */

/* The default loader's driver. Fails as the loader's opening does. */
cudaError_t gpudl__rt_driver(const gpudl_driver_table **out);
/* And a current context for the calling thread: the one that it has, else the primary one of the device that it has set. */
cudaError_t gpudl__rt_enter(const gpudl_driver_table **out);
/* The current context's device, else the one that was set. */
cudaError_t gpudl__rt_device(int *out);
/* A function that gpudl's table does not have; NULL: the driver neither. */
void *gpudl__rt_more(const gpudl_driver_table *cu, const char *function, int since);

#define RT_ENTER_OR_RETURN(cu) \
    const gpudl_driver_table *cu; \
    do { \
        cudaError_t entered = gpudl__rt_enter(&cu); \
        if (entered) \
            return entered; \
    } while (0)

#define RT_CALL(cu, member, ...) \
    ((cu)->member ? gpudl__rt_cuda("cu" #member, (cu)->member(__VA_ARGS__)) : gpudl__rt_missing("cu" #member))

/* Declares `call`, the driver's function of that name. */
#define RT_MORE_OR_RETURN(cu, name, since, ...) \
    int (*call)(__VA_ARGS__) = (int (*)(__VA_ARGS__))gpudl__rt_more(cu, name, since); \
    if (!call) \
    return gpudl__rt_missing(name)

/* ----------------------------------------------------------------------------------------------------------------- kernels */

/* The kernel behind what a caller passes as a function; NULL, and the failure is told: it is none. Takes no lock. */
gpudl_kernel *gpudl__rt_kernel(const void *function);

/* Which handles are kernels' (set.c). Looked into at each launch, so it takes no lock; adding and removing are the caller's to serialise. */
bool gpudl__rt_set_has(const void *handle);
bool gpudl__rt_set_add(const void *handle); /* false: no memory */
void gpudl__rt_set_remove(const void *handle);

/* Options of a load (options.c). */
struct rt_options {
    gpudl_load_options load;
    gpudl_host_table table;
    struct rt_log {
        char *text;
        void **size; /* the option's value: how many bytes there are; then, how many were written */
    } info, error;
    void **wall_time; /* the option's value: milliseconds, a float */
};
cudaError_t gpudl__rt_options(struct rt_options *out, enum cudaJitOption *jit, void **jit_values, unsigned njit,
    enum cudaLibraryOption *options, void **values, unsigned noptions);
void gpudl__rt_log(const struct rt_log *log, const char *text);

/* How many bytes an image has that is in memory, as its own header says; 0: it is none that is known here. At most `limit` bytes from
 * `code` on are looked at; a fatbin that nvcc embedded is found through its wrapper, whence *image, which is `code` otherwise. */
size_t gpudl__rt_image_size(const void *code, size_t limit, const void **image);

#endif
