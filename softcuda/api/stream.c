/* stream.c - streams: handles, waiting, host functions. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"

static _Atomic uint64_t next_id, next_thread;

CUresult sc_stream_create(CUcontext c, unsigned flags, int priority, struct CUstream_st **out)
{
    struct CUstream_st *s = sc_handle_new(&sc_streams, SC_STREAM);

    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->context = c;
    s->flags = flags;
    s->priority = priority;
    s->id = atomic_fetch_add(&next_id, 1) + 1;
    s->end = &s->first;
    *out = s;
    return CUDA_SUCCESS;
}

static void link_stream(struct CUstream_st *s)
{
    pthread_mutex_lock(&sc_queue);
    s->next = s->context->streams;
    s->context->streams = s;
    pthread_mutex_unlock(&sc_queue);
}

/* This thread's own default stream in a context. They go with the context, not with the thread. */
static CUresult per_thread(CUcontext c, struct CUstream_st **out)
{
    static _Thread_local uint64_t me;
    struct CUstream_st *s;
    CUresult r;

    if (!me)
        me = atomic_fetch_add(&next_thread, 1) + 1;
    pthread_mutex_lock(&sc_queue);
    for (s = c->streams; s && s->thread != me; s = s->next)
        ;
    pthread_mutex_unlock(&sc_queue);
    if (!s) {
        if ((r = sc_stream_create(c, 0, 0, &s)))
            return r;
        s->thread = me;
        link_stream(s);
    }
    *out = s;
    return CUDA_SUCCESS;
}

CUresult sc_stream(CUstream handle, struct CUstream_st **out)
{
    CUresult r = sc_ready();
    CUcontext c;

    if (r)
        return r;
    if (handle && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
        if (handle->magic != SC_STREAM)
            return CUDA_ERROR_INVALID_HANDLE;
        *out = handle;
        return sc_check_context(handle->context);
    }
    if ((r = sc_enter(&c)))
        return r;
    if (handle == CU_STREAM_PER_THREAD)
        return per_thread(c, out);
    *out = c->legacy;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!stream || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
        return CUDA_ERROR_INVALID_VALUE;
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    r = sc_stream_create(c, flags, priority, stream);
    if (!r)
        link_stream(*stream);
    return r;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

static bool is_default(CUstream s)
{
    return !s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD;
}

/* Returns at once; what is in the stream still runs. */
CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (is_default(stream) || stream->magic != SC_STREAM)
        return CUDA_ERROR_INVALID_HANDLE;
    r = sc_check_context(stream->context);
    sc_capture_drop_stream(stream);
    sc_stream_release(stream);
    return r;
}

/* A stream that the host may ask, or wait for. */
static CUresult ask(CUstream handle, struct CUstream_st **s)
{
    CUresult r = sc_stream_work(handle, s);

    if (r || (r = sc_capture_refuse(*s)))
        return r;
    return sc_capture_unsafe();
}

CUresult cuStreamSynchronize(CUstream handle)
{
    struct CUstream_st *s;
    struct op *op;
    CUcontext c;
    CUresult r = ask(handle, &s);

    if (r)
        return r;
    c = s->context;
    if (s == c->legacy && !sc_stream_idle(s) && (op = sc_op_create(sizeof(*op), NULL, NULL)))
        sc_op_perform(s, op);           /* waits for what blocking streams hold, too */
    else
        sc_stream_drain(s);
    sc_services_flush(&c->services);
    return sc_sticky(c);
}

CUresult cuStreamQuery(CUstream handle)
{
    struct CUstream_st *s;
    CUresult r = ask(handle, &s);

    if (r)
        return r;
    if (!sc_stream_idle(s))
        return CUDA_ERROR_NOT_READY;
    return sc_sticky(s->context);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags)
{
    struct CUstream_st *s;
    bool done;
    CUresult r = sc_stream_work(handle, &s);

    if (r)
        return r;
    if (!event || event->magic != SC_EVENT)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_capture_wait(s, event, flags, &done)) || done)
        return r;
    return sc_event_wait(event, s);
}

struct host_op { struct op op; CUhostFn function; CUstreamCallback callback; CUstream handle; void *data; };

static void run_host(struct op *op, struct sc_worker *worker)
{
    struct host_op *h = (struct host_op *)op;

    (void)worker;
    sc_in_callback = true;
    if (h->function)
        h->function(h->data);
    else
        h->callback(h->handle, sc_sticky(op->stream->context), h->data);
    sc_in_callback = false;
}

static CUresult enqueue_host(CUstream handle, CUhostFn function, CUstreamCallback callback, void *data)
{
    struct CUstream_st *s;
    struct host_op *h;
    struct node_params p;
    CUresult r = sc_stream_work(handle, &s);

    if (r)
        return r;
    if (!function && !callback)
        return CUDA_ERROR_INVALID_VALUE;
    if (callback && (r = sc_capture_refuse(s)))
        return r;
    if (sc_capturing(s))
        return (r = sc_params_host(&p, function, data)) ? r : sc_capture_node(s, &p);
    if (!(h = sc_op_create(sizeof(*h), run_host, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    h->function = function;
    h->callback = callback;
    h->handle = handle;
    h->data = data;
    h->op.always = callback != NULL;
    sc_op_enqueue(s, &h->op, NULL);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    return enqueue_host(stream, function, NULL, data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    return flags ? CUDA_ERROR_INVALID_VALUE : enqueue_host(stream, NULL, callback, data);
}

/* No stream is one of a green context's. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    CUresult r = cuStreamGetCtx(stream, context);

    if (!r && green)
        *green = NULL;
    return r;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(stream, &s);

    if (r)
        return r;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = s->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(stream, &s);

    if (r)
        return r;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = s->flags;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(stream, &s);

    if (r)
        return r;
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    *priority = s->priority;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(stream, &s);

    if (r)
        return r;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    *id = s->id;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(stream, &s);

    if (r)
        return r;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = s->context->device->ordinal;
    return CUDA_SUCCESS;
}
