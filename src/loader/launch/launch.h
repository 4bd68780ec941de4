/* launch.h - what all kinds of launches share: pin (epoch.h), read the place, one driver call, unpin. */
#ifndef GPUDL_LOADER_LAUNCH_H
#define GPUDL_LOADER_LAUNCH_H

#include "src/loader/loader.h"
#include "src/loader/thread.h"
#include "src/util/text.h"

/* pinned.c: the kernel in a version that the caller holds. Prepared first, when the config is imported. */
gpudl_status gpudl__pinned_prepare(const char *function, const gpudl_kernel *k, struct version *v);
struct place *gpudl__pinned_place(const gpudl_kernel *k, const struct version *v);

/* Where the kernel is; lent while the thread is pinned. */
static inline struct place *launch_place(const gpudl_kernel *k, const gpudl_launch_config *c)
{
    if (__builtin_expect(c->version != NULL, 0))
        return gpudl__pinned_place(k, c->version->version);
    return &atomic_load_explicit(k->binding, memory_order_acquire)->places[k->index];
}

/* What a driver's code is marked with when code could not be given to a graph to hold; captured.c. */
enum { LAUNCH_NOT_HELD = 1 << 16 };

/* What launches of handles that are no live kernels return (handles.c). */
enum { LAUNCH_NO_KERNEL = 1 << 17 };

/* The stream is being captured: the graph holds the place's version from now on. Returns a driver's code, marked. Pinned. */
__attribute__((noinline, cold)) int gpudl__launch_captured(const gpudl_kernel *k, const struct place *p, CUstream stream);

/* The legacy stream is never captured. */
static inline bool launch_may_be_captured(const gpudl_kernel *k, CUstream stream)
{
    int status;

    return (uintptr_t)stream > (uintptr_t)GPUDL_STREAM_LEGACY && k->is_capturing && k->is_capturing(stream, &status) == 0 &&
        status != GPUDL_STREAM_CAPTURE_STATUS_NONE;
}

/* A replace looks at the most that was launched; what the driver refused is not counted. Two threads may both write; then the next
 * launch makes it right. */
static inline void launch_remember(struct slot *slot, const gpudl_launch_config *c)
{
    unsigned threads = c->block[0] * c->block[1] * c->block[2];

    if (__builtin_expect(threads > atomic_load_explicit(&slot->threads, memory_order_relaxed), 0))
        atomic_store_explicit(&slot->threads, threads, memory_order_relaxed);
    if (__builtin_expect(c->shared_bytes > atomic_load_explicit(&slot->shared, memory_order_relaxed), 0))
        atomic_store_explicit(&slot->shared, c->shared_bytes, memory_order_relaxed);
}

/* The driver took its launch: one store, beside what the thread's pin has just written. */
static inline void launch_note(struct thread *self, const gpudl_kernel *k)
{
    atomic_store_explicit(&self->launched, k, memory_order_relaxed);
}

/* traced.c: what kernels of a traced loader have for the driver's function. It remembers, for its thread, what was to be launched, and comes
 * back with LAUNCH_IS_TRACED; the launch is done where all failures are looked at. Without a trace nothing is asked, and nothing kept for it. */
enum { LAUNCH_IS_TRACED = 1 << 18 };
int gpudl__launch_is_traced(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
struct trace_launch gpudl__launch_record(const gpudl_kernel *k, CUfunction f, const gpudl_launch_config *c, CUstream stream);
/* That launch, and its record. Pinned. */
__attribute__((noinline, cold)) int gpudl__launch_traced(const gpudl_kernel *k, const gpudl_launch_config *c);

/* Attributes go through cuLaunchKernelEx, with a trace or without. */
int gpudl__launch_extended(
    const gpudl_kernel *k, CUfunction f, const gpudl_launch_config *c, CUstream stream, void **params, void **extra);

/* Either params or extra, as cuLaunchKernel takes them. */
static inline int launch_call(
    const gpudl_kernel *k, const struct place *p, const gpudl_launch_config *c, void *const *params, void *const *extra)
{
    CUstream stream = c->stream ? c->stream : k->null_stream;
    CUfunction f = (CUfunction)p->handle;
    int err;

    if (__builtin_expect(launch_may_be_captured(k, stream), 0) && (err = gpudl__launch_captured(k, p, stream)))
        return err;
    if (__builtin_expect(c->nattributes != 0, 0))
        err = gpudl__launch_extended(k, f, c, stream, (void **)params, (void **)extra);
    else
        err = k->launch(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes, stream,
            (void **)params, (void **)extra);
    if (__builtin_expect(!err, 1))
        launch_remember(k->slot, c);
    else if (err == LAUNCH_IS_TRACED)
        err = gpudl__launch_traced(k, c);
    return err;
}

/* Not as the fast path has it: NULL, another size of the config, attributes, a version. Those are imported. */
static inline bool launch_is_odd(const gpudl_kernel *k, const gpudl_launch_config *c)
{
    return !k || !c || c->size != sizeof(*c) || c->nattributes || c->version;
}
gpudl_status gpudl__launch_import(
    const char *function, const gpudl_kernel *k, const gpudl_launch_config *config, gpudl_launch_config *known);

/* The context that a launch of a thread without one runs in: the stream's, or the primary one of device 0. */
gpudl_status gpudl__launch_context(const gpudl_kernel *k, const gpudl_launch_config *c, CUcontext *out);
/* Has the context current that the launch will run in, until left (context.h). Of several devices the stream says which. */
gpudl_status gpudl__launch_enter(const gpudl_kernel *k, const gpudl_launch_config *c, bool *pushed);
/* Words: of several devices the one where it was to run, and what that, or an old driver, has to do with the driver's code. */
void gpudl__launch_where(const gpudl_kernel *k, const gpudl_launch_config *c, int err, struct text *t);

/* The driver returned err: tries again where all that lacked was a context, else says why. The thread is not pinned. */
__attribute__((noinline, cold)) gpudl_status gpudl__launch_failed(const char *function, struct thread *self,
    const gpudl_kernel *k, const gpudl_launch_config *c, void *const *params, void *const *extra, int err);

#endif
