/* starvation.c - which calls come through while many threads launch without a pause. */
#include "bench/driver/calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST_THREADS 16
#define SAMPLES 3
#define PATIENCE 1e8 /* ns; then the launches stop, so that the call comes back */

static const unsigned sizes[] = { 2, 4, 8, 16 };
enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

/* Threads that launch empty kernels, each on its own stream, and wait for them every 64 launches. */
struct crowd {
    struct experiment *x;
    unsigned n;
    pthread_t threads[MOST_THREADS];
    CUstream streams[MOST_THREADS];
    atomic_uint next;
    atomic_bool paused, stop;
};

static void *launch_on(void *arg)
{
    struct crowd *c = arg;
    CUstream s = c->streams[atomic_fetch_add(&c->next, 1)];
    bool ok = use_device(c->x);

    for (unsigned i = 1; ok && !atomic_load(&c->stop); i++) {
        while (atomic_load(&c->paused) && !atomic_load(&c->stop))
            usleep(20);
        ok = must(c->x, launch_nothing(c->x, s), "a launch of the crowd") == 0;
        if (i % 64 == 0)
            must(c->x, c->x->cu->StreamSynchronize(s), "cuStreamSynchronize");
    }
    c->x->cu->StreamSynchronize(s);
    return NULL;
}

static bool crowd_begin(struct crowd *c, struct experiment *x, unsigned n)
{
    *c = (struct crowd){ .x = x, .paused = true };
    while (c->n < n) {
        if (!(c->streams[c->n] = new_stream(x)) || pthread_create(&c->threads[c->n], NULL, launch_on, c) != 0)
            return false;
        c->n++;
    }
    return true;
}

static void crowd_end(struct crowd *c)
{
    atomic_store(&c->stop, true);
    for (unsigned i = 0; i < c->n; i++)
        pthread_join(c->threads[i], NULL);
    for (unsigned i = 0; i < c->n; i++)
        must(c->x, c->x->cu->StreamDestroy(c->streams[i]), "cuStreamDestroy");
}

struct patience {
    struct crowd *crowd;
    atomic_bool done, lost;
};

static void *lose_patience(void *arg)
{
    struct patience *p = arg;
    double until = bench_now() + PATIENCE;

    while (!atomic_load(&p->done) && bench_now() < until)
        usleep(500);
    atomic_store(&p->lost, !atomic_load(&p->done));
    atomic_store(&p->crowd->paused, true);
    return NULL;
}

/* ns; below 0: it took the end of the launches. */
static double time_in(struct crowd *c, const struct driver_call *call, struct subject *s)
{
    struct patience p = { .crowd = c };
    pthread_t thread;
    double start, ns;

    atomic_store(&c->paused, false);
    usleep(2000);
    if (pthread_create(&thread, NULL, lose_patience, &p) != 0)
        return -1;
    start = bench_now();
    must(c->x, call->make(s), call->name);
    ns = bench_now() - start;
    atomic_store(&p.done, true);
    pthread_join(thread, NULL);
    return atomic_load(&p.lost) ? -1 : ns;
}

static void cell_of(struct crowd *c, const struct driver_call *call, const void *image)
{
    unsigned samples = c->x->quick ? 1 : SAMPLES, lost = 0;
    double ns[SAMPLES];

    for (unsigned i = 0; i < samples; i++) {
        struct subject s;

        ns[i] = 0;
        if (subject_prepare(&s, c->x, image, call->before))
            ns[i] = time_in(c, call, &s);
        subject_drop(&s);
        lost += ns[i] < 0;
    }
    if (lost)
        cell_text("**not within %.0f ms**, %u of %u", PATIENCE / 1e6, lost, samples);
    else
        cell_ns(median(ns, samples));
}

static void run(struct experiment *x)
{
    unsigned n = x->quick ? 1 : SIZES;
    const void *image = new_image(x, 4 << 10);
    struct crowd crowds[SIZES];

    for (unsigned i = 0; i < n; i++)
        if (!crowd_begin(&crowds[i], x, sizes[i]))
            return;
    table_begin("What a call takes while so many threads launch empty kernels without a pause (medians)", "call|2|4|8|16");
    for (const struct driver_call *c = driver_calls; image && c->name; c++) {
        cell_text("%s", c->name);
        for (unsigned i = 0; i < n; i++)
            cell_of(&crowds[i], c, image);
        row_end();
    }
    for (unsigned i = 0; i < n; i++)
        crowd_end(&crowds[i]);
}

int main(int argc, char **argv)
{
    static const struct experiment_plan plan = { "starvation",
        "which calls come through while many threads launch without a pause?", run, NULL };

    return experiment_main(argc, argv, &plan);
}
