/* timeline.h - what was recorded: kept in a few buffers, each with a lock of its own, and written out when one is full or at a flush. */
#ifndef GPUDL_TRACE_TIMELINE_H
#define GPUDL_TRACE_TIMELINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
    TRACE_SPAN,         /* of a host thread */
    TRACE_LAUNCH,       /* the call, on its thread */
    TRACE_KERNEL,       /* from here on: on a device */
    TRACE_COPY,
    TRACE_FILL,
};

/* Zeroes are what is not known, or does not apply. */
struct trace_record {
    enum trace_kind kind;
    bool failed;
    uint32_t device;
    uint64_t track;             /* the thread; on a device the stream, as a small number */
    uint64_t begin, end;        /* ns, of clock_now() */
    uint64_t number;            /* the same of a launch and its kernel */
    uint64_t bytes;
    uint32_t grid[3], block[3], registers, local;
    uint32_t static_shared, dynamic_shared;
    const char *name, *of;      /* lent for the call; of: the source, or NULL */
};

static inline bool trace_on_device(const struct trace_record *r)
{
    return r->kind >= TRACE_KERNEL;
}

enum { TIMELINE_BUFFERS = 16 };

struct timeline_buffer {
    pthread_mutex_t lock;
    struct trace_record *records;       /* NULL: not used yet */
    char *text;                         /* their names */
    size_t n, used;
};

struct timeline {
    struct timeline_buffer buffers[TIMELINE_BUFFERS];
    void (*write)(void *user, struct trace_record *records, size_t n);  /* any thread, one at a time, in order of their beginnings */
    void *user;
    pthread_mutex_t writing;
    _Atomic uint64_t lost;              /* for lack of memory */
};

void gpudl__timeline_init(struct timeline *t, void (*write)(void *, struct trace_record *, size_t), void *user);
void gpudl__timeline_add(struct timeline *t, const struct trace_record *r);
void gpudl__timeline_flush(struct timeline *t);
uint64_t gpudl__timeline_thread(void);  /* the calling thread's number */

#endif
