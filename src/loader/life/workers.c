#include "src/loader/life/workers.h"

#include <signal.h>
#include <unistd.h>

#include "src/loader/loader.h"
#include "src/loader/process.h"
#include "src/loader/thread.h"
#include "src/util/clock.h"

static const uint64_t PARK_PATIENCE = 5000000000; /* ns */

/* It is a loader's. */
static THREAD_LOCAL bool own;

void gpudl__workers_init(struct workers *w, unsigned most)
{
    pthread_cond_init(&w->come, NULL);
    w->most = most ? most < WORKERS_MOST ? most : WORKERS_MOST : WORKERS_DEFAULT;
}

int gpudl__thread_start(pthread_t *out, void *(*run)(void *), void *user)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(out, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

void gpudl__thread_settle(gpudl_loader *l)
{
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED;

    own = true;
    gpudl__alloc_use(gpudl__loader_heap(l));
    if (l->driver.table.ThreadExchangeStreamCaptureMode)
        l->driver.table.ThreadExchangeStreamCaptureMode(&mode);
}

/* In a loop of the C library's, not of code that may be unloaded; all signals are blocked. */
static void park(void)
{
    for (;;)
        pause();
}

void gpudl__thread_enter(gpudl_loader *l)
{
    bool ends;

    if (!own)
        return;
    pthread_mutex_lock(&l->lock);
    ends = gpudl__process_ends();
    l->workers.busy += !ends;
    pthread_mutex_unlock(&l->lock);
    if (ends)
        park();
}

void gpudl__thread_leave(gpudl_loader *l)
{
    bool ends;

    if (!own)
        return;
    pthread_mutex_lock(&l->lock);
    l->workers.busy--;
    ends = gpudl__process_ends();
    if (ends)
        pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
    if (ends)
        park();
}

bool gpudl__thread_is_to_park(void)
{
    return own && gpudl__process_ends();
}

void gpudl__threads_park(gpudl_loader *l)
{
    struct timespec until = clock_spec(clock_after(PARK_PATIENCE));
    int err = 0;

    pthread_mutex_lock(&l->lock);
    pthread_cond_broadcast(&l->workers.come);
    pthread_cond_broadcast(&l->moment_came);
    gpudl__watcher_wake(l);
    while (l->workers.busy && !err)
        err = pthread_cond_timedwait(&l->moment_came, &l->lock, &until);
    pthread_mutex_unlock(&l->lock);
}

/* Under the lock; NULL: it is over. */
static struct job *take(struct workers *w, pthread_mutex_t *lock)
{
    struct job *job;

    w->idle++;
    while (!w->first && !w->closing && !gpudl__process_ends())
        pthread_cond_wait(&w->come, lock);
    w->idle--;
    job = w->closing || gpudl__process_ends() ? NULL : w->first;
    if (job) {
        w->first = job->next;
        w->queued--;
    }
    return job;
}

static void *work(void *user)
{
    gpudl_loader *l = user;
    struct job *job;

    gpudl__thread_settle(l);
    pthread_mutex_lock(&l->lock);
    while ((job = take(&l->workers, &l->lock))) {
        pthread_mutex_unlock(&l->lock);
        gpudl__thread_enter(l);
        job->run(job);
        gpudl__thread_leave(l);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    if (gpudl__process_ends())
        park();
    return NULL;
}

/* Under the lock: another thread where all have something to do, or will have when they wake. */
static void grow(gpudl_loader *l)
{
    struct workers *w = &l->workers;

    if (w->idle <= w->queued && w->threads < w->most && gpudl__thread_start(&w->ids[w->threads], work, l) == 0)
        w->threads++;
}

bool gpudl__workers_add(gpudl_loader *l, struct job *job)
{
    struct workers *w = &l->workers;
    bool added;

    gpudl__process_hold_code(l);
    pthread_mutex_lock(&l->lock);
    if (!gpudl__process_ends())
        grow(l);
    added = w->threads != 0 && !gpudl__process_ends();
    if (added) {
        job->next = NULL;
        *(w->first ? &w->last->next : &w->first) = job;
        w->last = job;
        w->queued++;
        pthread_cond_signal(&w->come);
    }
    pthread_mutex_unlock(&l->lock);
    return added;
}

bool gpudl__workers_remove(gpudl_loader *l, struct job *job)
{
    struct workers *w = &l->workers;
    struct job *before = NULL;

    for (struct job **p = &w->first; *p; before = *p, p = &(*p)->next)
        if (*p == job) {
            *p = job->next;
            if (w->last == job)
                w->last = before;
            w->queued--;
            return true;
        }
    return false;
}

void gpudl__workers_join(gpudl_loader *l)
{
    struct workers *w = &l->workers;

    pthread_mutex_lock(&l->lock);
    w->closing = true;
    pthread_cond_broadcast(&w->come);
    pthread_mutex_unlock(&l->lock);
    for (size_t i = 0; i < w->threads; i++)
        pthread_join(w->ids[i], NULL);
    pthread_cond_destroy(&w->come);
}
