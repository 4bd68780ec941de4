/* queue.c - see queue.h. */
#include "softcuda/api/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_EXECUTORS 128

struct edge { struct edge *next; struct op *waiter; };
struct sleeper { struct sleeper *next; pthread_cond_t wake; };

pthread_mutex_t sc_queue = PTHREAD_MUTEX_INITIALIZER;

static struct {                         /* sc_queue */
    struct CUstream_st *first, **end;
    pthread_cond_t work;
    unsigned started, idle;
    unsigned calls;                     /* idle executors that were called and have not come yet; not counted idle any more */
} ready = { .end = &ready.first, .work = PTHREAD_COND_INITIALIZER };

uint64_t sc_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void *sc_op_create(size_t size, void (*run)(struct op *, struct sc_worker *), void (*drop)(struct op *))
{
    struct op *op = aligned_alloc(64, (size + 63) / 64 * 64);

    if (!op)
        return NULL;
    memset(op, 0, size);
    op->refs = 1;
    op->mark = sc_next_mark;
    op->run = run;
    op->drop = drop;
    return op;
}

void sc_op_ref(struct op *op)
{
    op->refs++;
}

void sc_op_unref(struct op *op)
{
    if (!op || --op->refs)
        return;
    free(op);
}

static void *executor_main(void *);

static bool may_run(const struct CUstream_st *s)
{
    return s->first && s->first->waits == 0;
}

static void schedule(struct CUstream_st *s)
{
    struct CUstream_st **at = ready.end;

    if (s->running || s->ready || !may_run(s))
        return;
    if (s->priority < 0)                /* before all that are less urgent */
        for (at = &ready.first; *at && (*at)->priority <= s->priority; at = &(*at)->next_ready)
            ;
    s->ready = true;
    s->next_ready = *at;
    if (!s->next_ready)
        ready.end = &s->next_ready;
    *at = s;
    if (ready.idle) {
        ready.idle--;
        ready.calls++;
        pthread_cond_signal(&ready.work);
    } else if (ready.started < MAX_EXECUTORS && !sc_thread_start(executor_main, "softcuda-stream")) {
        ready.started++;
    }
}

static struct CUstream_st *take_ready(void)
{
    struct CUstream_st *s = ready.first;

    if (!s)
        return NULL;
    if (!(ready.first = s->next_ready))
        ready.end = &ready.first;
    s->ready = false;
    return s;
}

/* op may not run before other is done. Without memory for an edge the caller waits here instead. */
static void depend(struct op *op, struct op *other)
{
    struct edge *e;

    if (!other || atomic_load(&other->done))
        return;
    if (!(e = malloc(sizeof(*e)))) {
        sc_op_ref(other);
        pthread_mutex_unlock(&sc_queue);
        sc_op_wait(other);
        pthread_mutex_lock(&sc_queue);
        sc_op_unref(other);
        return;
    }
    e->waiter = op;
    e->next = other->dependents;
    other->dependents = e;
    op->waits++;
}

static bool blocking(const struct CUstream_st *s)
{
    return !(s->flags & CU_STREAM_NON_BLOCKING);
}

/* The legacy stream waits for all blocking streams, and they for it. */
static void depend_on_others(struct CUstream_st *s, struct op *op)
{
    if (s != s->context->legacy) {
        if (blocking(s))
            depend(op, s->context->legacy->last);
        return;
    }
    for (struct CUstream_st *o = s->context->streams; o; o = o->next)
        if (blocking(o))
            depend(op, o->last);
}

/* Whether the context's gate is closed. */
static bool gated(struct CUctx_st *c)
{
    if (c->gate && atomic_load(&c->gate->done)) {
        sc_op_unref(c->gate);
        c->gate = NULL;
    }
    return c->gate;
}

static void append(struct CUstream_st *s, struct op *op)
{
    op->next = NULL;
    op->stream = s;
    *s->end = op;
    s->end = &op->next;
    sc_op_unref(s->last);
    s->last = op;
    sc_op_ref(op);
}

void sc_op_enqueue(struct CUstream_st *s, struct op *op, struct op *after)
{
    pthread_mutex_lock(&sc_queue);
    depend(op, after);
    depend_on_others(s, op);
    if (gated(s->context))
        depend(op, s->context->gate);
    append(s, op);
    schedule(s);
    pthread_mutex_unlock(&sc_queue);
}

static void wait_locked(struct op *op)
{
    struct sleeper me;

    if (atomic_load(&op->done))
        return;
    pthread_cond_init(&me.wake, NULL);
    me.next = op->sleepers;
    op->sleepers = &me;
    while (!atomic_load(&op->done))
        pthread_cond_wait(&me.wake, &sc_queue);
    pthread_cond_destroy(&me.wake);
}

void sc_op_wait(struct op *op)
{
    if (!op || atomic_load_explicit(&op->done, memory_order_acquire))
        return;
    pthread_mutex_lock(&sc_queue);
    wait_locked(op);
    pthread_mutex_unlock(&sc_queue);
}

/* Waits for the stream's last operation; called and returns with the lock held. */
static void drain_locked(struct CUstream_st *s)
{
    struct op *op = s->last;

    if (!op)
        return;
    sc_op_ref(op);
    wait_locked(op);
    sc_op_unref(op);
}

void sc_op_perform(struct CUstream_st *s, struct op *op)
{
    op->refs++;
    sc_op_enqueue(s, op, NULL);
    pthread_mutex_lock(&sc_queue);
    wait_locked(op);
    sc_op_unref(op);
    pthread_mutex_unlock(&sc_queue);
}

void sc_stream_drain(struct CUstream_st *s)
{
    pthread_mutex_lock(&sc_queue);
    drain_locked(s);
    pthread_mutex_unlock(&sc_queue);
}

void sc_context_drain(struct CUctx_st *c)
{
    struct CUstream_st *s;

    pthread_mutex_lock(&sc_queue);
    drain_locked(c->legacy);
    do {                                /* the list may change while a stream is waited for */
        for (s = c->streams; s && !s->last; s = s->next)
            ;
        if (s)
            drain_locked(s);
    } while (s);
    pthread_mutex_unlock(&sc_queue);
}

bool sc_stream_idle(struct CUstream_st *s)
{
    bool idle;

    pthread_mutex_lock(&sc_queue);
    idle = !s->last && !gated(s->context);
    if (idle && s == s->context->legacy) {
        for (struct CUstream_st *o = s->context->streams; o; o = o->next)
            idle = idle && (!blocking(o) || !o->last);
    } else if (idle && blocking(s)) {
        idle = !s->context->legacy->last;
    }
    pthread_mutex_unlock(&sc_queue);
    return idle;
}

static void unlink_stream(struct CUstream_st *s)
{
    struct CUstream_st **at = &s->context->streams;

    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
    sc_handle_free(&sc_streams, s);
}

static void release(struct CUstream_st *s)
{
    s->destroyed = true;
    s->magic = SC_GONE;
    if (!s->first && !s->running)
        unlink_stream(s);               /* else its executor does */
}

void sc_stream_release(struct CUstream_st *s)
{
    pthread_mutex_lock(&sc_queue);
    release(s);
    pthread_mutex_unlock(&sc_queue);
}

void sc_streams_release(struct CUctx_st *c)
{
    struct CUstream_st *next;

    pthread_mutex_lock(&sc_queue);
    for (struct CUstream_st *s = c->streams; s; s = next) {
        next = s->next;
        release(s);
    }
    release(c->legacy);
    c->legacy = NULL;
    sc_op_unref(c->gate);
    c->gate = NULL;
    pthread_mutex_unlock(&sc_queue);
}

/* Tells everybody. */
static void finish(struct op *op)
{
    op->time = sc_now();
    atomic_store_explicit(&op->done, true, memory_order_release);
    while (op->dependents) {
        struct edge *e = op->dependents;

        op->dependents = e->next;
        if (--e->waiter->waits == 0 && e->waiter->stream)
            schedule(e->waiter->stream);
        else if (e->waiter->waits == 0)
            finish(e->waiter);
        free(e);
    }
    while (op->sleepers) {
        struct sleeper *sleeper = op->sleepers;

        op->sleepers = sleeper->next;
        pthread_cond_signal(&sleeper->wake);
    }
    sc_op_unref(op);
}

/* Takes the stream's first operation, which has run, out. */
static void complete(struct op *op)
{
    struct CUstream_st *s = op->stream;

    if (!(s->first = op->next))
        s->end = &s->first;
    if (s->last == op) {
        s->last = NULL;
        sc_op_unref(op);
    }
    finish(op);
}

void sc_op_gather(struct CUctx_st *c, struct op *op)
{
    pthread_mutex_lock(&sc_queue);
    sc_op_ref(op);                      /* until it is done */
    op->waits = 1;                      /* this function */
    depend(op, c->legacy->last);
    for (struct CUstream_st *s = c->streams; s; s = s->next)
        depend(op, s->last);
    if (--op->waits == 0)
        finish(op);
    pthread_mutex_unlock(&sc_queue);
}

int sc_context_gate(struct CUctx_st *c, struct op *before)
{
    struct op *gate = sc_op_create(sizeof(*gate), NULL, NULL);

    if (!gate)
        return -1;
    pthread_mutex_lock(&sc_queue);
    sc_op_ref(gate);                    /* until it is done */
    gate->waits = 1;
    depend(gate, before);
    depend(gate, c->gate);
    sc_op_unref(c->gate);
    c->gate = gate;
    if (--gate->waits == 0)
        finish(gate);
    pthread_mutex_unlock(&sc_queue);
    return 0;
}

static void execute(struct op *op, struct sc_worker *worker)
{
    sc_trace_stream = op->stream->id;
    sc_trace_mark = op->mark;
    if (op->run && (op->always || !sc_sticky(op->stream->context)))
        op->run(op, worker);
    if (op->drop)
        op->drop(op);
}

static void work_off(struct CUstream_st *s, struct sc_worker *worker)
{
    struct op *op;

    s->running = true;
    while (may_run(s)) {
        op = s->first;
        pthread_mutex_unlock(&sc_queue);
        execute(op, worker);
        pthread_mutex_lock(&sc_queue);
        complete(op);
    }
    s->running = false;
    if (s->destroyed && !s->first)
        unlink_stream(s);
}

static void *executor_main(void *name)
{
    struct sc_worker *worker;
    struct CUstream_st *s;

    pthread_setname_np(pthread_self(), name);
    sc_fault_thread_init();
    worker = sc_worker_create();        /* NULL: launches of this thread fail for lack of memory */
    pthread_mutex_lock(&sc_queue);
    for (;;) {
        while (!(s = take_ready())) {
            ready.idle++;
            while (!ready.calls)
                pthread_cond_wait(&ready.work, &sc_queue);
            ready.calls--;
        }
        work_off(s, worker);
    }
    return NULL;
}
