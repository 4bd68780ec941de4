/* residency.c - how long loading, becoming resident and unloading take, and how long other threads' launches wait meanwhile. */
#include "bench/driver/calls.h"
#include "bench/driver/load.h"

#include <string.h>
#include <unistd.h>

#define MAX_SAMPLES 15
#define MAX_CALLS 32
#define MODULE_EAGER_LOADING 1

static const struct {
    const char *name;
    double ns, quick_ns;
} loads[] = {
    { "nothing", 0, 0 },
    { "1 us", 1e3, 1e3 },
    { "100 us", 1e5, 1e5 },
    { "100 ms", 1e8, 1e7 },
};
static const struct {
    const char *name;
    size_t bytes, quick_bytes;
} sizes[] = {
    { "4 KB", 4 << 10, 4 << 10 },
    { "800 KB", 800 << 10, 60 << 10 },
};
enum { LOADS = 4, SIZES = 2 };

struct figure {
    double ns, others;
};

/* What others' launches take with nobody in their way. */
static int pass_time(void *subject)
{
    double until = bench_now() + 2e4;

    (void)subject;
    while (bench_now() < until)
        ;
    return 0;
}

static const struct driver_call no_call = { "no call, 20 us", 0, NOTHING, pass_time };

/* Of a mode: all calls under one load, then under the next. */
struct measured {
    struct experiment *x;
    const void *images[SIZES];
    const struct driver_call *calls[MAX_CALLS];
    unsigned ncalls;
    struct figure figures[SIZES][MAX_CALLS][LOADS];
};

static struct figure measure(struct measured *m, const struct driver_call *call, const void *image, struct load *load,
    struct watch *watch, unsigned samples)
{
    double ns[MAX_SAMPLES], others[MAX_SAMPLES];

    for (unsigned i = 0; i < samples; i++) {
        struct timed t = { 0 };
        struct subject s;

        if (subject_prepare(&s, m->x, image, call->before)) {
            t = time_call(load, watch, call->make, &s);
            must(m->x, t.result, call->name);
        }
        subject_drop(&s);
        ns[i] = t.ns;
        others[i] = t.others;
    }
    return (struct figure){ median(ns, samples), median(others, samples) };
}

/* With nothing in flight others do not launch either: that would be something. */
static void measure_under(struct measured *m, unsigned l)
{
    double length = m->x->quick ? loads[l].quick_ns : loads[l].ns;
    unsigned samples = m->x->quick ? 1 : length >= 1e7 ? 2 : MAX_SAMPLES;
    struct load load;
    struct watch watch;

    if (!load_begin(&load, m->x, length) || (length > 0 && !watch_begin(&watch, m->x)))
        return;
    for (unsigned s = 0; s < SIZES; s++)
        for (unsigned c = 0; c < m->ncalls; c++)
            m->figures[s][c][l] = measure(m, m->calls[c], m->images[s], &load, length > 0 ? &watch : NULL, samples);
    if (length > 0)
        watch_end(&watch);
    load_end(&load);
}

/* What was asked for, and whether the driver heeds it. */
static const char *heeded(struct experiment *x, const char *mode)
{
    int is = 0;

    must(x, x->more.ModuleGetLoadingMode(&is), "cuModuleGetLoadingMode");
    return (is == MODULE_EAGER_LOADING) == (strcmp(mode, "eager") == 0) ? "" : " (not heeded)";
}

static void print(const struct measured *m, const char *mode)
{
    const char *word = heeded(m->x, mode);

    for (unsigned s = 0; s < SIZES; s++)
        for (unsigned c = 0; c < m->ncalls; c++) {
            cell_text("%s%s", mode, word);
            cell_text("%s", sizes[s].name);
            cell_text("%s", m->calls[c]->name);
            for (unsigned l = 0; l < LOADS; l++) {
                cell_ns(m->figures[s][c][l].ns);
                if (l > 0)
                    cell_ns(m->figures[s][c][l].others);
            }
            row_end();
        }
}

static void child(struct experiment *x, const char *mode)
{
    static struct measured m;

    alarm(300); /* nothing here hangs, but four kernels at once take long on few CPUs */
    m.x = x;
    m.calls[m.ncalls++] = &no_call;
    for (const struct driver_call *c = driver_calls; c->name && m.ncalls < MAX_CALLS; c++)
        if (c->in & IN_RESIDENCY)
            m.calls[m.ncalls++] = c;
    for (unsigned s = 0; s < SIZES; s++)
        if (!(m.images[s] = new_image(x, x->quick ? sizes[s].quick_bytes : sizes[s].bytes)))
            return;
    for (unsigned l = 0; l < LOADS; l++)
        measure_under(&m, l);
    print(&m, mode);
}

static void run(struct experiment *x)
{
    table_begin(
        "What each call takes, and the longest launch of other threads meanwhile (medians), with kernels of so long in flight",
        "CUDA_MODULE_LOADING|module|call|nothing|1 us|others|100 us|others|100 ms|others");
    experiment_child(x, "mode", "lazy", "CUDA_MODULE_LOADING=LAZY");
    experiment_child(x, "mode", "eager", "CUDA_MODULE_LOADING=EAGER");
    if (x->quick)
        table_note("Quick: kernels of 10 ms for 100 ms, a module of 60 KB for 800 KB.");
}

int main(int argc, char **argv)
{
    static const struct experiment_child children[] = { { "mode", child }, { NULL, NULL } };
    static const struct experiment_plan plan = { "residency",
        "what do loading, residency and unloading take, and whom do they keep waiting?", run, children };

    return experiment_main(argc, argv, &plan);
}
