/* queue.h - streams: operations in order, worked off by executor threads.
 *
 * An operation may run when it is the first of its stream and everything that it waits for is done. A stream with such an
 * operation stands in the ready list; an executor takes the stream, runs what can run, and leaves it. All of this is under one
 * lock; operations run without it. */
#ifndef SOFTCUDA_API_QUEUE_H
#define SOFTCUDA_API_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUstream_st;
struct sc_worker;
struct edge;
struct capture_member;
struct sleeper;

struct op {
    struct op *next;                    /* in its stream */
    struct CUstream_st *stream;
    unsigned refs;
    unsigned waits;                     /* operations that must be done first */
    bool always;                        /* runs in a poisoned context too */
    atomic_bool done;
    struct edge *dependents;
    struct sleeper *sleepers;           /* threads that wait for it */
    uint64_t time;                      /* ns, when it was done */
    uint64_t mark;                      /* softcuda_mark()'s when it was made */
    void (*run)(struct op *, struct sc_worker *);   /* may be NULL */
    void (*drop)(struct op *);          /* what it owns; may be NULL */
};

struct CUstream_st {
    uint32_t magic;
    struct CUctx_st *context;
    unsigned flags;
    int priority;
    uint64_t id;
    uint64_t thread;                    /* per-thread default stream: whose; 0: none */
    struct CUstream_st *next;           /* in its context */
    struct op *first, **end;
    struct op *last;                    /* a reference; NULL when all is done */
    bool running, ready, destroyed;
    _Atomic(struct capture_member *) capture;   /* its part in a capture, or NULL: capture.c */
    struct CUstream_st *next_ready;
};

extern pthread_mutex_t sc_queue;

/* A zeroed operation of size bytes that begins with struct op; NULL: no memory. */
void *sc_op_create(size_t size, void (*run)(struct op *, struct sc_worker *), void (*drop)(struct op *));
/* Puts it at the end of the stream, which owns it from then on. after: one more operation to wait for, or NULL. */
void sc_op_enqueue(struct CUstream_st *, struct op *, struct op *after);
/* In no stream: it is done when all that the context was given before is. Its reference stays the caller's. */
void sc_op_gather(struct CUctx_st *, struct op *);
/* Whatever the context is given from now on waits for this one. 0, or -1: no memory. */
int sc_context_gate(struct CUctx_st *, struct op *);
/* The same as sc_op_enqueue, and returns when it is done. */
void sc_op_perform(struct CUstream_st *, struct op *);
/* Would an operation put there now run at once? Then the caller may as well do it. */
bool sc_stream_idle(struct CUstream_st *);
void sc_op_ref(struct op *);            /* sc_queue held, as for unref */
void sc_op_unref(struct op *);          /* accepts NULL */
void sc_op_wait(struct op *);           /* the caller has a reference; accepts NULL */
/* All that is in the stream, or in the context's streams, now. */
void sc_stream_drain(struct CUstream_st *);
void sc_context_drain(struct CUctx_st *);
/* Gives the stream up; it goes when its work is done. */
void sc_stream_release(struct CUstream_st *);
void sc_streams_release(struct CUctx_st *);     /* all of a context, the legacy one too */
uint64_t sc_now(void);                  /* ns, monotonic */

#endif
