/* event.c - events: an event is the last operation recorded for it, or a place in a capture. */
#include "softcuda/api/capture.h"

static CUresult check(CUevent e)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return e && e->magic == SC_EVENT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    CUcontext c;
    CUevent e;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!event || (flags & ~3u))        /* interprocess events do not exist here */
        return CUDA_ERROR_INVALID_VALUE;
    if (!(e = sc_handle_new(&sc_events, SC_EVENT)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    e->context = c;
    e->flags = flags;
    *event = e;
    return CUDA_SUCCESS;
}

/* Puts another operation, or none, in the place of the recorded one. */
static void replace(CUevent e, struct op *op)
{
    pthread_mutex_lock(&sc_queue);
    sc_op_unref(e->op);
    e->op = op;
    pthread_mutex_unlock(&sc_queue);
}

/* The recorded operation with a reference, or NULL. */
static struct op *recorded(CUevent e)
{
    struct op *op;

    pthread_mutex_lock(&sc_queue);
    if ((op = e->op))
        sc_op_ref(op);
    pthread_mutex_unlock(&sc_queue);
    return op;
}

static void put(struct op *op)
{
    pthread_mutex_lock(&sc_queue);
    sc_op_unref(op);
    pthread_mutex_unlock(&sc_queue);
}

CUresult cuEventDestroy_v2(CUevent e)
{
    CUcontext c;
    CUresult r = check(e);

    if (r)
        return r;
    replace(e, NULL);
    sc_capture_forget(e);
    c = e->context;
    sc_handle_free(&sc_events, e);
    return atomic_load(&c->alive) ? sc_sticky(c) : CUDA_SUCCESS;
}

CUresult sc_event_record(CUevent e, struct CUstream_st *s)
{
    struct op *op = sc_op_create(sizeof(*op), NULL, NULL);

    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->refs++;                         /* the event's; nobody else knows it yet */
    sc_op_enqueue(s, op, NULL);
    sc_capture_forget(e);
    replace(e, op);
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent e, CUstream stream, unsigned int flags)
{
    struct CUstream_st *s;
    CUresult r = check(e);

    if (r || (r = sc_stream_work(stream, &s)))
        return r;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (s->context != e->context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!sc_capturing(s))
        return flags ? CUDA_ERROR_ILLEGAL_STATE : sc_event_record(e, s);
    if (!flags)
        replace(e, NULL);
    return sc_capture_record(s, e, flags);
}

CUresult cuEventRecord(CUevent e, CUstream stream)
{
    return cuEventRecordWithFlags(e, stream, 0);
}

CUresult sc_event_wait(CUevent e, struct CUstream_st *s)
{
    struct op *op, *before = recorded(e);

    if (!before)
        return CUDA_SUCCESS;
    if ((op = sc_op_create(sizeof(*op), NULL, NULL)))
        sc_op_enqueue(s, op, before);
    put(before);
    return op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* May the host ask for it, or wait? */
static CUresult ask(CUevent e)
{
    CUresult r = check(e);

    if (r || (r = sc_check_context(e->context)) || (r = sc_capture_refuse_event(e)))
        return r;
    return sc_capture_unsafe();
}

CUresult cuEventQuery(CUevent e)
{
    struct op *op;
    CUresult r = ask(e);

    if (r)
        return r;
    if (!(op = recorded(e)))
        return CUDA_SUCCESS;
    r = atomic_load(&op->done) ? sc_sticky(e->context) : CUDA_ERROR_NOT_READY;
    put(op);
    return r;
}

CUresult cuEventSynchronize(CUevent e)
{
    struct op *op;
    CUresult r = ask(e);

    if (r)
        return r;
    if ((op = recorded(e))) {
        sc_op_wait(op);
        put(op);
    }
    sc_services_flush(&e->context->services);
    return sc_sticky(e->context);
}

static CUresult elapsed(float *ms, const struct op *a, const struct op *b)
{
    if (!a || !b)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!atomic_load(&a->done) || !atomic_load(&b->done))
        return CUDA_ERROR_NOT_READY;
    *ms = (float)((double)(int64_t)(b->time - a->time) * 1e-6);
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
    struct op *a, *b;
    CUresult r = check(start);

    if (r || (r = check(end)))
        return r;
    if (!ms)
        return CUDA_ERROR_INVALID_VALUE;
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING || start->context != end->context)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((r = sc_capture_refuse_event(start)) || (r = sc_capture_refuse_event(end)))
        return r;
    a = recorded(start);
    b = recorded(end);
    r = elapsed(ms, a, b);
    put(a);
    put(b);
    return r;
}

/* All that the context was given so far. */
CUresult cuCtxRecordEvent(CUcontext c, CUevent e)
{
    struct op *op;
    CUresult r = check(e);

    if (r || (r = sc_check_context(c)))
        return r;
    if (e->context != c)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((r = sc_capture_refuse_context(c)))
        return r;
    if (!(op = sc_op_create(sizeof(*op), NULL, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    sc_op_gather(c, op);
    sc_capture_forget(e);
    replace(e, op);
    return CUDA_SUCCESS;
}

/* All that the context is given from now on waits. */
CUresult cuCtxWaitEvent(CUcontext c, CUevent e)
{
    struct op *before;
    CUresult r = check(e);

    if (r || (r = sc_check_context(c)) || (r = sc_capture_refuse_context(c)))
        return r;
    if (sc_capture_refuse_event(e))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!(before = recorded(e)))
        return CUDA_SUCCESS;
    r = sc_context_gate(c, before) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    put(before);
    return r;
}
