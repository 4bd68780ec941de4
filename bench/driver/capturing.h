/* capturing.h - captures that somebody holds open while calls are made. */
#ifndef BENCH_DRIVER_CAPTURING_H
#define BENCH_DRIVER_CAPTURING_H

#include <pthread.h>
#include <semaphore.h>

#include "bench/driver/experiment.h"

struct capturing {
    struct experiment *x;
    int mode;      /* CAPTURE_ */
    bool blocking; /* a stream that the legacy one waits for */
    bool own;      /* by the calling thread, not by one of its own */
    CUstream stream;
    CUgraph graph; /* while it is open */
    int ended;
    pthread_t thread;
    sem_t open, end;
};
/* mode, blocking and own are set. An empty kernel is captured already. */
bool capturing_begin(struct capturing *, struct experiment *);
int capturing_end(struct capturing *); /* what ending it answered; the graph goes */

/* A table of all driver calls with one of the bits of in: what each answers and does to captures of other threads and this one's,
 * from a thread in CUDA's own mode (global) and in relaxed mode. */
void capture_table(struct experiment *, const char *title, unsigned in);

/* This thread's mode; returns the one before. */
int exchange_mode(struct experiment *, int mode);

#endif
