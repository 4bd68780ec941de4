/* Moments: those who wait for one, and those who name one. */
#include "src/loader/life/moment.h"

#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/life/idle.h"
#include "src/loader/options.h"
#include "src/loader/thread.h"
#include "src/util/clock.h"

enum { PROBE_PAUSE = 500000 }; /* ns, between looks at the device */

struct moment {
    struct moment *next;
    gpudl_status (*run)(void *user);
    void *user;
    const atomic_bool *hurried; /* or NULL */
    enum { WAITS, RUNS, DONE } state;
    gpudl_status status;
    struct failure failure;     /* of the thread that ran it */
};

/* ---------------------------------------------------------------------------------------- who waits; all under the lock */

static void enqueue(gpudl_loader *l, struct moment *m)
{
    struct moment **end = &l->moments;

    while (*end)
        end = &(*end)->next;
    *end = m;
}

static void dequeue(gpudl_loader *l, struct moment *m)
{
    struct moment **p = &l->moments;

    while (*p != m)
        p = &(*p)->next;
    *p = m->next;
}

static bool is_hurried(const struct moment *m)
{
    return m->hurried && atomic_load(m->hurried);
}

/* Until it was run by another, the deadline, a cancel, a hurry, or the next look; true: go on waiting. */
static bool wait_more(gpudl_loader *l, struct moment *m, uint64_t deadline)
{
    uint64_t until = clock_now();
    struct timespec t;

    if (m->state == DONE || (m->state == WAITS && (until >= deadline || thread_cancelled() || is_hurried(m))))
        return false;
    until = l->captures || deadline - until < PROBE_PAUSE ? deadline : until + PROBE_PAUSE;
    t = clock_spec(until);
    if (m->state == RUNS)
        pthread_cond_wait(&l->moment_came, &l->lock);
    else
        pthread_cond_timedwait(&l->moment_came, &l->lock, &t);
    return true;
}

/* May this thread look at the device itself, and is it idle? Without the lock meanwhile. */
static bool sees_idle(gpudl_loader *l)
{
    bool idle;

    if (l->captures)
        return false;
    pthread_mutex_unlock(&l->lock);
    idle = gpudl__idle_wait(l, 0);
    pthread_mutex_lock(&l->lock);
    return idle;
}

/* True: it was run, here m->status is what it returned. False: it is this thread's again. */
static bool wait_for_moment(gpudl_loader *l, struct moment *m, uint64_t deadline, bool *idle)
{
    pthread_mutex_lock(&l->lock);
    enqueue(l, m);
    do
        *idle = m->state == WAITS && sees_idle(l);
    while (!(*idle && m->state == WAITS) && wait_more(l, m, deadline));
    if (m->state == WAITS)
        dequeue(l, m);
    pthread_mutex_unlock(&l->lock);
    return m->state == DONE;
}

gpudl_status gpudl__at_moment(
    gpudl_loader *l, gpudl_when when, const atomic_bool *hurried, gpudl_status (*run)(void *user), void *user)
{
    struct moment m = { .run = run, .user = user, .hurried = hurried };
    bool idle;

    if (!when.mode)
        return run(user);
    if (wait_for_moment(l, &m, clock_after(when.timeout_ns), &idle)) {
        if (m.status != GPUDL_OK)
            gpudl__failure_restore(&m.failure);
        return m.status;
    }
    if (thread_cancelled())
        return gpudl__fail(GPUDL_ERROR_CANCELLED, "the task was cancelled");
    if (idle || when.mode == GPUDL_WHEN_BY || is_hurried(&m))
        return run(user);
    return gpudl__fail(GPUDL_ERROR_TIMEOUT,
        "no good moment came within %.3f ms: the device was not seen idle, and no thread called gpudl_loader_reap(): "
        "call it between two batches, wait for longer, or do it now",
        (double)when.timeout_ns / 1e6);
}

/* ---------------------------------------------------------------------------------------------------------------- who names */

static struct moment *take_first(gpudl_loader *l)
{
    struct moment *m;

    pthread_mutex_lock(&l->lock);
    m = l->moments;
    if (m) {
        l->moments = m->next;
        m->state = RUNS;
    }
    pthread_mutex_unlock(&l->lock);
    return m;
}

/* After it the waiting thread may be gone, and m with it. */
static void finish(gpudl_loader *l, struct moment *m)
{
    pthread_mutex_lock(&l->lock);
    m->state = DONE;
    pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
}

/* Failures are those of the threads that wait: this one's stays what it was. */
static void run_all(gpudl_loader *l)
{
    struct failure mine;
    struct moment *m = take_first(l);

    if (!m)
        return;
    gpudl__failure_save(&mine);
    for (; m; m = take_first(l)) {
        m->status = m->run(m->user);
        if (m->status != GPUDL_OK)
            gpudl__failure_save(&m->failure);
        finish(l, m);
    }
    gpudl__failure_restore(&mine);
}

static size_t retired(gpudl_loader *l)
{
    size_t n;

    pthread_mutex_lock(&l->lock);
    n = l->parking.lists[PARKED_RETIRED].count;
    pthread_mutex_unlock(&l->lock);
    return n;
}

static bool is_needed(gpudl_loader *l)
{
    bool needed;

    gpudl__reap(l);
    pthread_mutex_lock(&l->lock);
    needed = l->moments || l->parking.lists[PARKED_RETIRED].count;
    pthread_mutex_unlock(&l->lock);
    return needed;
}

gpudl_status gpudl_loader_reap(gpudl_loader *given, uint64_t timeout_ns, size_t *left)
{
    const struct allocator *before;
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_reap", &status);

    if (!l)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    if (is_needed(l) && gpudl__idle_wait(l, timeout_ns)) {
        run_all(l);
        gpudl__reap(l);
        gpudl__park_unload_retired(l);
    }
    if (left)
        *left = retired(l);
    gpudl__alloc_use(before);
    return GPUDL_OK;
}

gpudl_status gpudl_loader_trim(gpudl_loader *given, uint64_t bytes, size_t count)
{
    const struct allocator *before;
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_trim", &status);

    if (!l)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    gpudl__reap(l);
    pthread_mutex_lock(&l->lock);
    gpudl__park_cool(l, bytes, count);
    pthread_mutex_unlock(&l->lock);
    gpudl__park_settle(l);
    gpudl__alloc_use(before);
    return GPUDL_OK;
}
