/* load.h - what goes on in a context while a call is made, and how long the call takes and keeps others waiting. */
#ifndef BENCH_DRIVER_LOAD_H
#define BENCH_DRIVER_LOAD_H

#include <pthread.h>

#include "bench/driver/experiment.h"

#define LOAD_STREAMS 4

/* Kernels in flight on streams of their own: ones of up to 10 ms launched without pause by a thread, longer ones once before
 * each call, one on each stream. */
struct load {
    struct experiment *x;
    double ns; /* of a kernel; 0: nothing is in flight */
    unsigned nstreams;
    CUstream streams[LOAD_STREAMS];
    pthread_t thread;
    bool stop; /* atomic */
};
bool load_begin(struct load *, struct experiment *, double ns);
void load_before(struct load *); /* a call; load_after waits for what was launched */
void load_after(struct load *);
void load_end(struct load *);

/* Threads that launch empty kernels all the time, each on its own stream, and know which launch took longest. */
struct watch {
    struct experiment *x;
    unsigned nthreads;
    struct watcher {
        struct watch *watch;
        pthread_t thread;
        uint64_t longest, launches; /* atomic; ns */
        unsigned seen;              /* atomic: of watch->round */
    } watchers[2];
    unsigned round; /* atomic */
    bool stop;      /* atomic */
};
bool watch_begin(struct watch *, struct experiment *);
void watch_mark(struct watch *);      /* from now on */
double watch_longest(struct watch *); /* since watch_mark; the launches that are under way have ended */
void watch_end(struct watch *);

/* A call under a load, watched: load and watch may be NULL. */
struct timed {
    int result;
    double ns, others; /* others: the longest launch of another thread; below 0 without a watch */
};
struct timed time_call(struct load *, struct watch *, int (*call)(void *), void *arg);

#endif
