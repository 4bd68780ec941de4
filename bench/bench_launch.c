/* What gpudl adds to a launch: gpudl_kernel_launch_params against the driver's own LaunchKernel, gpudl_launch against the
 * former, one that is traced against one that is not, on the driver that GPUDL_DRIVER names (the null driver shows gpudl's own
 * cost), from 1 to 16 threads, each with a stream of its own. A sample is a batch of launches; waiting for the device is outside
 * of it. */
#include "bench/device.h"
#include "bench/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 16
#define BATCH 400        /* below what a driver queues before a launch waits for room */
#define FAST_BATCH 20000 /* where a launch takes less than FAST_NS: nothing is queued */
#define FAST_NS 60

struct target {
    struct bench_device device;
    gpudl_kernel *kernel;
    gpudl_version *version;
    CUkernel native;
    CUstream streams[MAX_THREADS];
    unsigned threads, batch;
    enum { DRIVER, UNCHECKED, CHECKED, TRACED } through; /* of the sample being taken */
    struct bench_device traced_device;
    gpudl_kernel *traced;
    pthread_barrier_t start;
};

struct worker {
    struct target *target;
    unsigned index;
    double ns; /* a launch; below 0: failed */
};

struct arguments {
    int n;
    float a;
    CUdeviceptr x, y;
    void *params[4];
};

static void set_arguments(struct arguments *a)
{
    *a = (struct arguments){ 0 }; /* n == 0: the kernel returns at once */
    a->params[0] = &a->n;
    a->params[1] = &a->a;
    a->params[2] = &a->x;
    a->params[3] = &a->y;
}

static bool launch_batch(struct target *t, CUstream stream, unsigned batch)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    int (*raw)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **) =
        t->device.driver->LaunchKernel;
    struct arguments a;
    bool ok = true;

    set_arguments(&a);
    config.stream = stream;
    if (t->through == CHECKED)
        for (unsigned i = 0; i < batch; i++)
            ok &= gpudl_launch(t->kernel, &config, a.n, a.a, a.x, a.y) == GPUDL_OK;
    else if (t->through == UNCHECKED || t->through == TRACED)
        for (unsigned i = 0; i < batch; i++)
            ok &= gpudl_kernel_launch_params(t->through == TRACED ? t->traced : t->kernel, &config, a.params) == GPUDL_OK;
    else
        for (unsigned i = 0; i < batch; i++)
            ok &= raw((CUfunction)t->native, 1, 1, 1, 32, 1, 1, 0, stream, a.params, NULL) == 0;
    return ok;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct target *t = w->target;
    CUstream stream = t->streams[w->index];
    bool ok =
        gpudl_loader_use_device(t->device.loader, 0) == GPUDL_OK && launch_batch(t, stream, 16) && bench_device_wait(&t->device);
    double start;

    pthread_barrier_wait(&t->start);
    start = bench_now();
    ok &= launch_batch(t, stream, t->batch);
    w->ns = ok ? (bench_now() - start) / t->batch : -1;
    return NULL;
}

/* The mean over the threads of a launch's cost. */
static double sample(struct target *t)
{
    struct worker workers[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    double sum = 0;

    pthread_barrier_init(&t->start, NULL, t->threads);
    for (unsigned i = 0; i < t->threads; i++) {
        workers[i] = (struct worker){ .target = t, .index = i };
        if (i && pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    work(&workers[0]);
    for (unsigned i = 1; i < t->threads; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&t->start);
    for (unsigned i = 0; i < t->threads; i++) {
        if (workers[i].ns < 0)
            return -1;
        sum += workers[i].ns;
    }
    return bench_device_wait(&t->device) ? sum / t->threads : -1;
}

static double sample_gpudl(void *arg)
{
    struct target *t = arg;

    t->through = UNCHECKED;
    return sample(t);
}

static double sample_traced(void *arg)
{
    struct target *t = arg;

    t->through = TRACED;
    return sample(t);
}

static double sample_checked(void *arg)
{
    struct target *t = arg;

    t->through = CHECKED;
    return sample(t);
}

static double sample_raw(void *arg)
{
    struct target *t = arg;

    t->through = DRIVER;
    return sample(t);
}

static bool prepare(struct target *t)
{
    const gpudl_driver_table *d = t->device.driver;
    CUlibrary library;

    t->kernel = bench_device_kernel(&t->device, "saxpy.ptx", "saxpy");
    if (!t->kernel || gpudl_library_pin(t->device.libraries[0], &t->version) != GPUDL_OK ||
        gpudl_version_native(t->version, &library) != GPUDL_OK)
        return false;
    for (unsigned i = 0; d->StreamCreate && i < MAX_THREADS; i++)
        if (d->StreamCreate(&t->streams[i], GPUDL_STREAM_NON_BLOCKING) != 0)
            return false;
    t->threads = 1;
    t->batch = BATCH;
    return d->LibraryGetKernel(&t->native, library, "saxpy") == 0;
}

static void finish(struct target *t)
{
    for (unsigned i = 0; i < MAX_THREADS; i++)
        if (t->streams[i])
            t->device.driver->StreamDestroy(t->streams[i]);
    gpudl_version_unpin(t->version);
    gpudl_kernel_release(t->kernel);
    bench_device_close(&t->device);
}

/* By a second loader, last: what a trace has of the whole process (CUPTI) is paid by launches of the first one too. */
static void compare_traced(struct bench_report *report, struct target *t)
{
    const struct bench_side sides[] = { { "traced", sample_traced, t }, { "untraced", sample_gpudl, t } };

    t->threads = 1;
    t->batch = BATCH;
    if (!bench_device_open_traced(NULL, "/dev/null", &t->traced_device))
        return;
    t->traced = bench_device_kernel(&t->traced_device, "saxpy.ptx", "saxpy");
    if (t->traced) {
        bench_compare(report, "launch, traced", sides, 2, 0, 0);
        if (bench_median(report, 0) > 0)
            bench_note(report, "the trace: %.0f ns", bench_median(report, 0) - bench_median(report, 1));
    }
    gpudl_kernel_release(t->traced);
    bench_device_close(&t->traced_device);
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "a launch: gpudl / the driver");
    struct target t = { .threads = 1 };
    const struct bench_side sides[] = { { "gpudl", sample_gpudl, &t }, { "driver", sample_raw, &t } };
    const struct bench_side checks[] = { { "checked", sample_checked, &t }, { "unchecked", sample_gpudl, &t } };
    bool fast;

    if (!bench_device_open(NULL, &t.device))
        return bench_end(report);
    bench_note(report, "%s", gpudl_loader_driver_text(t.device.loader));
    if (!prepare(&t)) {
        fprintf(stderr, "%s\n", gpudl_error_text());
        return 1;
    }
    fast = sample_raw(&t) < FAST_NS;
    if (fast)
        t.batch = FAST_BATCH;
    for (t.threads = 1; t.threads <= MAX_THREADS; t.threads *= 2) {
        char name[32];

        snprintf(name, sizeof(name), "launch, %u thread%s", t.threads, t.threads > 1 ? "s" : "");
        bench_compare(report, name, sides, 2, 0, fast ? 0 : 1.02);
        if (fast && bench_median(report, 0) > 0)
            bench_note(report, "gpudl's own: %.1f ns", bench_median(report, 0) - bench_median(report, 1));
        if (t.threads == 1) {
            bench_compare(report, "launch, arguments checked", checks, 2, 0, 0);
            if (fast && bench_median(report, 0) > 0)
                bench_note(report, "the check: %.1f ns", bench_median(report, 0) - bench_median(report, 1));
        }
        bench_unpin(); /* threads need CPUs of their own */
    }
    compare_traced(report, &t);
    finish(&t);
    return bench_end(report);
}
