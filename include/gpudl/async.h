/* Loads that go on beside the program. Part of <gpudl/gpudl.h>, which includes it.
 *
 *     gpudl_task *task;
 *     gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
 *
 *     o.flags = GPUDL_ASYNC_RESIDENT;
 *     o.when = gpudl_when_idle(1000000000);
 *     gpudl_library_load_async(NULL, GPUDL_FILE("next.fatbin"), NULL, &o, &task);
 *     ...                                     the program goes on, and calls gpudl_loader_reap() between its frames
 *     if (gpudl_task_wait(task, UINT64_MAX) == GPUDL_OK)
 *         gpudl_task_library(task, &library);
 *     gpudl_task_release(task);
 *
 * A loader has a few threads for them, started with the first and joined by gpudl_loader_close(). They block all signals, leave
 * captures of other threads alone, and have no current context. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_ASYNC_H
#define GPUDL_ASYNC_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpudl_task gpudl_task;

#define GPUDL_ASYNC_RESIDENT     1u /* make it resident too, on `devices`, at `when` */
#define GPUDL_ASYNC_AFTER_STREAM 2u /* begin when what `stream` was given before this call is done; it must not be captured */

typedef struct gpudl_async_options {
    size_t size;                /* sizeof(gpudl_async_options) */
    uint64_t flags;             /* GPUDL_ASYNC_... */
    CUstream stream;            /* of the current context; NULL: the default stream, as in a launch */
    const int *devices;         /* copied; NULL with ndevices 0: device 0 */
    size_t ndevices;
    gpudl_when when;
    /* Called once, under no lock, when the task has ended: in one of the loader's threads, or in the one that cancels. It may use the
     * task, but not wait for others. NULL: nobody is told. */
    void (*done)(void *user, gpudl_task *task);
    void *user;
} gpudl_async_options;
#define GPUDL_ASYNC_OPTIONS_INIT { sizeof(gpudl_async_options), 0, NULL, NULL, 0, { 0, 0, 0 }, NULL, NULL }

/**
 * gpudl_library_load() in another thread.
 * @source:   copied by the call, bytes in memory too; a file is read by the task
 * @options:  NULL for the defaults; copied
 * @async:    NULL for the defaults: at once, not resident, nobody is told
 * @out:      release it with gpudl_task_release()
 */
GPUDL_API gpudl_status gpudl_library_load_async(gpudl_loader *loader, const gpudl_source *source,
                                                const gpudl_load_options *options, const gpudl_async_options *async,
                                                gpudl_task **out);

/**
 * gpudl_library_replace() in another thread. The library is held until the task has ended. GPUDL_ASYNC_RESIDENT means nothing
 * here, as a replace makes its new version resident by its own options.
 */
GPUDL_API gpudl_status gpudl_library_replace_async(gpudl_library *library, const gpudl_source *source,
                                                   const gpudl_replace_options *options, const gpudl_async_options *async,
                                                   gpudl_task **out);

/**
 * Wait for the end of a task.
 * @timeout_ns:  0: only ask; UINT64_MAX: for ever
 *
 * Returns what the load or replace returned, with its text as this thread's own; GPUDL_ERROR_CANCELLED, also when the process ends
 * before it has; or GPUDL_ERROR_TIMEOUT while it goes on. Any thread may wait, any number of times.
 */
GPUDL_API gpudl_status gpudl_task_wait(gpudl_task *task, uint64_t timeout_ns);

/* 1: it has ended, well or not. */
GPUDL_API int gpudl_task_ended(gpudl_task *task);

/**
 * Take the library of a load that succeeded; it is the caller's, who releases it. Once: after that GPUDL_ERROR_ARGUMENT. Does not
 * wait: GPUDL_ERROR_TIMEOUT while the task goes on.
 */
GPUDL_API gpudl_status gpudl_task_library(gpudl_task *task, gpudl_library **out);

/* End a task early: one that waits for its turn, for a stream, for a moment or for a trial ends as cancelled; one that is inside
 * the driver goes on to its end. Returns at once. */
GPUDL_API void gpudl_task_cancel(gpudl_task *task);

/* Cancels what goes on, and releases a library that was not taken. Waits for nothing. Accepts NULL. */
GPUDL_API void gpudl_task_release(gpudl_task *task);

#ifdef __cplusplus
}
#endif
#endif
