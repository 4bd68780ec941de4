/* idle.c - how to find out that nothing runs: what each way costs, whether it sees everything, what it does to others, and whether
 * code becomes resident and goes at once after it has said so. */
#include "bench/driver/calls.h"
#include "bench/driver/capturing.h"
#include "bench/driver/load.h"

#include <string.h>
#include <unistd.h>

#define MAX_SAMPLES 51
#define STREAMS LOAD_STREAMS

/* One who asks. Launches are on the streams; whoever launched recorded markers behind them. */
struct asker {
    struct experiment *x;
    CUstream streams[STREAMS];
    CUevent event, markers[STREAMS];
};

static int record_context(void *asker)
{
    struct asker *a = asker;

    return a->x->more.CtxRecordEvent(a->x->context, a->event);
}

static int record_legacy(void *asker)
{
    struct asker *a = asker;

    return a->x->cu->EventRecord(a->event, GPUDL_STREAM_LEGACY);
}

static int query_event(void *asker)
{
    struct asker *a = asker;

    return a->x->cu->EventQuery(a->event);
}

static int query_legacy(void *asker)
{
    return ((struct asker *)asker)->x->cu->StreamQuery(GPUDL_STREAM_LEGACY);
}

static int query_streams(void *asker)
{
    struct asker *a = asker;
    int r = 0;

    for (unsigned s = 0; s < STREAMS && r == 0; s++)
        r = a->x->cu->StreamQuery(a->streams[s]);
    return r;
}

static int query_markers(void *asker)
{
    struct asker *a = asker;
    int r = 0;

    for (unsigned s = 0; s < STREAMS && r == 0; s++)
        r = a->x->cu->EventQuery(a->markers[s]);
    return r;
}

static int synchronize(void *asker)
{
    return ((struct asker *)asker)->x->cu->CtxSynchronize();
}

static int record_marker(void *asker)
{
    struct asker *a = asker;

    return a->x->cu->EventRecord(a->markers[0], a->streams[0]);
}

static int no_query(void *asker)
{
    (void)asker;
    return 0;
}

/* record, where a way has that, is called once; then query until it says that nothing runs. */
static const struct way {
    const char *name;
    int (*record)(void *), (*query)(void *);
} ways[] = {
    { "cuCtxRecordEvent, cuEventQuery", record_context, query_event },
    { "cuStreamQuery, legacy stream", NULL, query_legacy },
    { "cuEventRecord on the legacy stream, cuEventQuery", record_legacy, query_event },
    { "cuStreamQuery of 4 streams", NULL, query_streams },
    { "markers recorded at launch, cuEventQuery of 4", NULL, query_markers },
    { "cuCtxSynchronize", NULL, synchronize },
    { "cuEventRecord of a marker", record_marker, no_query },
    { "no question", NULL, no_query },
};
enum { WAYS = 6, COSTS = 8 }; /* the last ones only have a cost; a call of the clock is in each */

struct question {
    struct asker *asker;
    const struct way *way;
};

static int ask(void *question)
{
    struct question *q = question;
    int r = q->way->record ? q->way->record(q->asker) : 0;

    return r ? r : q->way->query(q->asker);
}

static int mark(struct asker *a, unsigned s)
{
    return a->x->cu->EventRecord(a->markers[s], a->streams[s]);
}

static bool make_asker(struct asker *a, struct experiment *x)
{
    memset(a, 0, sizeof(*a));
    a->x = x;
    for (unsigned s = 0; s < STREAMS; s++)
        if (!(a->streams[s] = new_stream(x)) ||
            must(x, x->cu->EventCreate(&a->markers[s], GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate") != 0 ||
            must(x, mark(a, s), "cuEventRecord") != 0)
            return false;
    return must(x, x->cu->EventCreate(&a->event, GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate") == 0 &&
        must(x, x->cu->CtxSynchronize(), "cuCtxSynchronize") == 0;
}

static void drop_asker(struct asker *a)
{
    a->x->cu->CtxSynchronize();
    for (unsigned s = 0; s < STREAMS; s++) {
        a->x->cu->StreamDestroy(a->streams[s]);
        a->x->cu->EventDestroy(a->markers[s]);
    }
    a->x->cu->EventDestroy(a->event);
}

/* ----------------------------------------------------------------------------------------------------------------------- costs */

static void cost_under(struct asker *a, const struct way *way, double ns, bool others)
{
    double takes[MAX_SAMPLES], waits[MAX_SAMPLES];
    unsigned n = a->x->quick ? 3 : ns >= 1e7 ? 3 : MAX_SAMPLES;
    struct load load;
    struct watch watch;

    if (!load_begin(&load, a->x, a->x->quick && ns > 1e7 ? 1e7 : ns) || (others && !watch_begin(&watch, a->x)))
        return;
    for (unsigned i = 0; i < n; i++) {
        struct timed t = time_call(&load, others ? &watch : NULL, ask, &(struct question){ a, way });

        if (t.result != GPUDL_CU_NOT_READY)
            must(a->x, t.result, way->name);
        takes[i] = t.ns;
        waits[i] = t.others;
    }
    if (others)
        watch_end(&watch);
    load_end(&load);
    cell_ns(median(takes, n));
    if (others)
        cell_ns(median(waits, n));
}

static void costs(struct asker *a)
{
    table_begin(
        "What asking once takes, and the longest launch of other threads meanwhile (medians), with kernels of so long in flight",
        "way|nothing|100 us|others|100 ms|others");
    for (unsigned w = 0; w < COSTS; w++) {
        cell_text("%s", ways[w].name);
        cost_under(a, &ways[w], 0, false);
        cost_under(a, &ways[w], 1e5, true);
        cost_under(a, &ways[w], 1e8, true);
        row_end();
    }
}

/* -------------------------------------------------------------------------------------------------------------- what each sees */

struct launcher {
    struct asker *a;
    CUstream stream;
    volatile uint32_t *gate;
};

/* The per-thread stream is another thread's, so that it is not the asker's own. */
static void *launch_there(void *arg)
{
    struct launcher *l = arg;

    if (use_device(l->a->x))
        must(l->a->x, launch_spin(l->a->x, l->stream, 2e7, l->gate), "a launch");
    return NULL;
}

/* An event on a stream that has nothing to do needs a moment, too. */
static int ask_for_a_while(struct asker *a, const struct way *way)
{
    double end = bench_now() + 5e6;
    int r = way->record ? way->record(a) : 0;

    if (r == 0)
        do
            r = way->query(a);
        while (r == GPUDL_CU_NOT_READY && bench_now() < end);
    return r;
}

static void sees(struct asker *a, const struct way *way, CUstream stream)
{
    struct launcher l = { a, stream, new_gate(a->x) };
    pthread_t thread;
    double start;
    int r;

    if (!l.gate || pthread_create(&thread, NULL, launch_there, &l) != 0)
        return;
    pthread_join(thread, NULL);
    if (stream == a->streams[STREAMS - 1])
        must(a->x, mark(a, STREAMS - 1), "cuEventRecord");
    start = bench_now();
    r = ask_for_a_while(a, way);
    if (way->query == synchronize)
        cell_text("%s", bench_now() - start > 1e7 ? "waited" : "came back");
    else
        cell_text("%s", r == GPUDL_CU_NOT_READY ? "busy" : r == 0 ? "idle" : answer(a->x, r));
    *l.gate = 1;
    must(a->x, a->x->cu->CtxSynchronize(), "cuCtxSynchronize");
    must(a->x, a->x->cu->MemFreeHost((void *)l.gate), "cuMemFreeHost");
}

static void sights(struct asker *a)
{
    CUstream blocking;

    table_begin("What each way says while a kernel runs that another thread launched in",
        "way|a non-blocking stream that it knows|"
        "a blocking stream|the legacy stream|that thread's per-thread stream");
    if (must(a->x, a->x->cu->StreamCreate(&blocking, 0), "cuStreamCreate") != 0)
        return;
    for (unsigned w = 0; w < WAYS; w++) {
        cell_text("%s", ways[w].name);
        sees(a, &ways[w], a->streams[STREAMS - 1]);
        sees(a, &ways[w], blocking);
        sees(a, &ways[w], GPUDL_STREAM_LEGACY);
        sees(a, &ways[w], GPUDL_STREAM_PER_THREAD);
        row_end();
    }
    must(a->x, a->x->cu->StreamDestroy(blocking), "cuStreamDestroy");
}

/* ------------------------------------------------------------------------------------------------------------ after the answer */

static double after_idle(struct asker *a, const struct way *way, const void *image, bool unloads)
{
    struct subject subject;
    double ns = -1;
    int r;

    if (!subject_prepare(&subject, a->x, image, unloads ? RESIDENT : LOADED))
        return -1;
    for (unsigned s = 0; s < STREAMS; s++)
        if (must(a->x, launch_spin(a->x, a->streams[s], 2e5, NULL), "a launch") != 0 ||
            must(a->x, mark(a, s), "cuEventRecord") != 0)
            return -1;
    r = way->record ? way->record(a) : 0;
    if (r == 0)
        do
            r = way->query(a);
        while (r == GPUDL_CU_NOT_READY);
    if (must(a->x, r, way->name) == 0) {
        struct timed t = time_call(NULL, NULL, unloads ? unload : make_resident, &subject);

        must(a->x, t.result, unloads ? "cuLibraryUnload" : "cuKernelGetFunction");
        ns = t.ns;
    }
    subject_drop(&subject);
    return ns;
}

static void afterwards(struct asker *a)
{
    const void *images[] = { new_image(a->x, 4 << 10), new_image(a->x, a->x->quick ? 60 << 10 : 800 << 10) };

    table_begin("What becoming resident and unloading take once a way has said that nothing runs, behind four kernels of 200 us",
        "way|4 KB resident|unload|800 KB resident|unload");
    for (unsigned w = 0; w < WAYS && images[0] && images[1]; w++) {
        cell_text("%s", ways[w].name);
        for (unsigned i = 0; i < 4; i++) {
            double samples[MAX_SAMPLES];
            unsigned n = a->x->quick ? 1 : 15;

            for (unsigned k = 0; k < n; k++)
                samples[k] = after_idle(a, &ways[w], images[i / 2], i % 2);
            cell_ns(median(samples, n));
        }
        row_end();
    }
}

static void run(struct experiment *x)
{
    struct asker a;

    if (!make_asker(&a, x))
        return;
    costs(&a);
    sights(&a);
    afterwards(&a);
    drop_asker(&a);
    capture_table(x, "What asking does to captures", IN_IDLE);
}

int main(int argc, char **argv)
{
    static const struct experiment_plan plan = { "idle", "what counts as idle, cheaply and safely?", run, NULL };

    return experiment_main(argc, argv, &plan);
}
