/* error.h - this thread's last failure. Never fails itself: without memory the text is the status's own. */
#ifndef GPUDL_LOADER_ERROR_H
#define GPUDL_LOADER_ERROR_H

#include <gpudl/gpudl.h>

#include "src/loader/thread.h"

/* Both return status, so that a failure is one line. */
__attribute__((format(printf, 2, 3))) gpudl_status gpudl__fail(gpudl_status status, const char *format, ...);
/* The text goes on with ": call returned code (name: the driver's own words)", and what to do about that code; or that the context is
 * poisoned (poison.h). */
__attribute__((format(printf, 5, 6))) gpudl_status gpudl__fail_cuda(
    gpudl_status status, const gpudl_driver_table *t, const char *call, int code, const char *format, ...);
/* The driver is too old for this call: ": the driver (...) is of CUDA 11.4 and has no cuFuncLoad, which came with CUDA 12.4: update it" */
__attribute__((format(printf, 3, 4))) gpudl_status gpudl__fail_lacks(
    const gpudl_loader *l, const char *call, const char *format, ...);
gpudl_status gpudl__fail_code(gpudl_status status, int cuda, const char *text);     /* for texts that name the call themselves */
/* Calls on NULL handles and the like: what the argument should be. */
gpudl_status gpudl__fail_argument(const char *function, const char *what);
gpudl_status gpudl__fail_memory(const char *what);
gpudl_status gpudl__fail_forked(const char *what);

/* A thread's last failure, taken to another thread, or put by while others may come. */
struct failure {
    int cuda;
    char text[THREAD_TEXT_SIZE];
};
void gpudl__failure_save(struct failure *out);
void gpudl__failure_restore(const struct failure *f);

#endif
