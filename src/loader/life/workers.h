/* workers.h - a loader's own threads. Started when there is work, joined when the loader is closed. They block all signals, are in
 * relaxed capture mode, and have no current context. */
#ifndef GPUDL_LOADER_WORKERS_H
#define GPUDL_LOADER_WORKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct gpudl_loader;

enum { WORKERS_MOST = 16, WORKERS_DEFAULT = 2 };

/* A piece of work, within something larger. */
struct job {
    struct job *next;
    void (*run)(struct job *job);
};

/* Under the loader's lock. idle: threads that wait, or were woken and have no job yet; queued: jobs without a thread. */
struct workers {
    struct job *first, *last;
    pthread_cond_t come;        /* a job, or the end */
    size_t threads, idle, most, queued;
    size_t busy;                /* of all the loader's threads: those inside gpudl, not in a callback or asleep */
    bool closing;
    pthread_t ids[WORKERS_MOST];
};

void gpudl__workers_init(struct workers *w, unsigned most);
/* Not under the lock. False: there is no thread, and none can be started; then the job is still the caller's. */
bool gpudl__workers_add(struct gpudl_loader *l, struct job *job);
/* Under the lock: takes a job back that no thread has begun. */
bool gpudl__workers_remove(struct gpudl_loader *l, struct job *job);
void gpudl__workers_join(struct gpudl_loader *l);       /* not under the lock; what is still queued is not run */

/* Starts a thread as a worker is one; for threads that live as long as what they work for. */
int gpudl__thread_start(pthread_t *out, void *(*run)(void *), void *user);
/* At the beginning of such a thread. */
void gpudl__thread_settle(struct gpudl_loader *l);
/* Around what it does, and the other way round about callbacks. Not under the lock; mean nothing to other threads. When the process
 * ends a thread does not come back from them. */
void gpudl__thread_enter(struct gpudl_loader *l);
void gpudl__thread_leave(struct gpudl_loader *l);
/* Waits for all to be parked, within reason. */
void gpudl__threads_park(struct gpudl_loader *l);

#endif
