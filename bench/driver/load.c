#include "bench/driver/load.h"

#include <string.h>
#include <unistd.h>

#define LONG_NS 1e7
#define DEPTH 4 /* kernels of a feeder's stream that have not ended */

/* ----------------------------------------------------------------------------------------------------------- kernels in flight */

static void *feed(void *arg)
{
    struct load *l = arg;
    struct experiment *x = l->x;
    CUevent events[LOAD_STREAMS][DEPTH] = { 0 };
    bool ok = use_device(x);

    for (unsigned s = 0; s < l->nstreams; s++)
        for (unsigned d = 0; d < DEPTH; d++)
            ok = ok && must(x, x->cu->EventCreate(&events[s][d], GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate") == 0;
    for (unsigned turn = 0; ok && !__atomic_load_n(&l->stop, __ATOMIC_RELAXED); turn++) {
        for (unsigned s = 0; ok && s < l->nstreams; s++) {
            CUevent e = events[s][turn % DEPTH];

            ok = (turn < DEPTH || must(x, x->cu->EventSynchronize(e), "cuEventSynchronize") == 0) &&
                must(x, launch_spin(x, l->streams[s], l->ns, NULL), "a load's launch") == 0 &&
                must(x, x->cu->EventRecord(e, l->streams[s]), "cuEventRecord") == 0;
        }
        if (x->quick)
            usleep(50); /* few CPUs */
    }
    for (unsigned s = 0; s < l->nstreams; s++) {
        x->cu->StreamSynchronize(l->streams[s]);
        for (unsigned d = 0; d < DEPTH; d++)
            if (events[s][d])
                x->cu->EventDestroy(events[s][d]);
    }
    return NULL;
}

bool load_begin(struct load *l, struct experiment *x, double ns)
{
    memset(l, 0, sizeof(*l));
    l->x = x;
    l->ns = ns;
    if (ns <= 0)
        return true;
    l->nstreams = x->quick ? 1 : LOAD_STREAMS;
    for (unsigned s = 0; s < l->nstreams; s++)
        if (!(l->streams[s] = new_stream(x)))
            return false;
    return ns >= LONG_NS || pthread_create(&l->thread, NULL, feed, l) == 0;
}

/* Long kernels have begun when this returns. */
void load_before(struct load *l)
{
    if (!l || l->ns < LONG_NS)
        return;
    for (unsigned s = 0; s < l->nstreams; s++)
        must(l->x, launch_spin(l->x, l->streams[s], l->ns, NULL), "a load's launch");
    usleep(1000);
}

void load_after(struct load *l)
{
    for (unsigned s = 0; l && l->ns >= LONG_NS && s < l->nstreams; s++)
        must(l->x, l->x->cu->StreamSynchronize(l->streams[s]), "cuStreamSynchronize");
}

void load_end(struct load *l)
{
    __atomic_store_n(&l->stop, true, __ATOMIC_RELAXED);
    if (l->ns > 0 && l->ns < LONG_NS)
        pthread_join(l->thread, NULL);
    for (unsigned s = 0; s < l->nstreams; s++)
        must(l->x, l->x->cu->StreamDestroy(l->streams[s]), "cuStreamDestroy");
}

/* -------------------------------------------------------------------------------------------------------------- other threads */

/* A launch that began before the mark and ended after it counts: what held it up is what is looked for. */
static void note_launch(struct watcher *w, double start, double end)
{
    unsigned round = __atomic_load_n(&w->watch->round, __ATOMIC_ACQUIRE);
    uint64_t ns = (uint64_t)(end - start);

    if (round != w->seen) {
        __atomic_store_n(&w->longest, ns, __ATOMIC_RELAXED);
        __atomic_store_n(&w->seen, round, __ATOMIC_RELEASE);
    } else if (ns > w->longest)
        __atomic_store_n(&w->longest, ns, __ATOMIC_RELAXED);
    __atomic_fetch_add(&w->launches, 1, __ATOMIC_RELEASE);
}

static void *watch_launches(void *arg)
{
    struct watcher *w = arg;
    struct experiment *x = w->watch->x;
    CUstream s = use_device(x) ? new_stream(x) : NULL;
    bool ok = s != NULL;

    for (unsigned i = 1; ok && !__atomic_load_n(&w->watch->stop, __ATOMIC_RELAXED); i++) {
        double start = bench_now();

        ok = must(x, launch_nothing(x, s), "a watcher's launch") == 0;
        note_launch(w, start, bench_now());
        if (i % 64 == 0)
            must(x, x->cu->StreamSynchronize(s), "cuStreamSynchronize");
        if (x->quick)
            usleep(20); /* few CPUs */
    }
    if (s) {
        x->cu->StreamSynchronize(s);
        x->cu->StreamDestroy(s);
    }
    return NULL;
}

/* Until every watcher has ended n more launches. */
static void wait_for_launches(struct watch *w, unsigned n)
{
    for (unsigned i = 0; i < w->nthreads; i++) {
        uint64_t before = __atomic_load_n(&w->watchers[i].launches, __ATOMIC_ACQUIRE);

        while (__atomic_load_n(&w->watchers[i].launches, __ATOMIC_ACQUIRE) < before + n && !w->x->failed)
            usleep(10);
    }
}

bool watch_begin(struct watch *w, struct experiment *x)
{
    memset(w, 0, sizeof(*w));
    w->x = x;
    for (unsigned i = 0; i < (x->quick ? 1 : 2); i++) {
        w->watchers[i].watch = w;
        if (pthread_create(&w->watchers[i].thread, NULL, watch_launches, &w->watchers[i]) != 0)
            return false;
        w->nthreads++;
    }
    wait_for_launches(w, 100);
    return !x->failed;
}

void watch_mark(struct watch *w)
{
    __atomic_fetch_add(&w->round, 1, __ATOMIC_RELEASE);
}

double watch_longest(struct watch *w)
{
    double longest = 0;

    wait_for_launches(w, 2);
    for (unsigned i = 0; i < w->nthreads; i++) {
        double ns = (double)__atomic_load_n(&w->watchers[i].longest, __ATOMIC_RELAXED);

        longest = ns > longest ? ns : longest;
    }
    return longest;
}

void watch_end(struct watch *w)
{
    __atomic_store_n(&w->stop, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < w->nthreads; i++)
        pthread_join(w->watchers[i].thread, NULL);
}

/* ----------------------------------------------------------------------------------------------------------------- timed calls */

struct timed time_call(struct load *load, struct watch *watch, int (*call)(void *), void *arg)
{
    struct timed t = { .others = -1 };
    double start;

    load_before(load);
    if (watch)
        watch_mark(watch);
    start = bench_now();
    t.result = call(arg);
    t.ns = bench_now() - start;
    if (watch)
        t.others = watch_longest(watch);
    load_after(load);
    return t;
}
