/* graph_calls.c - what a launch into a capture would have to pay so that its graph keeps a version: the capture's graph, a user
 * object, its reference; and on which thread, in which capture mode, with which rights the object's destructor runs. */
#include "bench/driver/capturing.h"

#include <string.h>
#include <unistd.h>

#define ROUNDS 51
#define BATCH 64

static void nothing(void *data)
{
    (void)data;
}

struct costs {
    double capturing, info, create, retain, release;
};

/* A sample: BATCH of each call; ns for one. The graph keeps the references. */
static struct costs sample(struct experiment *x, CUstream stream, CUgraph graph)
{
    CUuserObject objects[BATCH];
    double at[6];
    int status;

    at[0] = bench_now();
    for (unsigned i = 0; i < BATCH; i++)
        must(x, x->cu->StreamIsCapturing(stream, &status), "cuStreamIsCapturing");
    at[1] = bench_now();
    for (unsigned i = 0; i < BATCH; i++)
        must(x, x->more.StreamGetCaptureInfo(stream, &status, NULL, &(CUgraph){ NULL }, NULL, NULL, NULL),
            "cuStreamGetCaptureInfo");
    at[2] = bench_now();
    for (unsigned i = 0; i < BATCH; i++)
        must(x, x->more.UserObjectCreate(&objects[i], NULL, nothing, 2, USER_OBJECT_NO_SYNC), "cuUserObjectCreate");
    at[3] = bench_now();
    for (unsigned i = 0; i < BATCH; i++)
        must(x, x->more.GraphRetainUserObject(graph, objects[i], 1, USER_OBJECT_MOVE), "cuGraphRetainUserObject");
    at[4] = bench_now();
    for (unsigned i = 0; i < BATCH; i++)
        must(x, x->more.UserObjectRelease(objects[i], 1), "cuUserObjectRelease");
    at[5] = bench_now();
    return (struct costs){ (at[1] - at[0]) / BATCH, (at[2] - at[1]) / BATCH, (at[3] - at[2]) / BATCH, (at[4] - at[3]) / BATCH,
        (at[5] - at[4]) / BATCH };
}

static struct costs measure(struct experiment *x, CUstream stream, CUgraph graph)
{
    double samples[5][ROUNDS];
    unsigned n = x->quick ? 3 : ROUNDS;

    for (unsigned i = 0; i < n; i++) {
        struct costs c = sample(x, stream, graph);

        samples[0][i] = c.capturing;
        samples[1][i] = c.info;
        samples[2][i] = c.create;
        samples[3][i] = c.retain;
        samples[4][i] = c.release;
    }
    return (struct costs){ median(samples[0], n), median(samples[1], n), median(samples[2], n), median(samples[3], n),
        median(samples[4], n) };
}

static void cost_row(const char *name, struct costs c)
{
    cell_text("%s", name);
    cell_ns(c.capturing);
    cell_ns(c.info);
    cell_ns(c.create);
    cell_ns(c.retain);
    cell_ns(c.release);
    row_end();
}

static void costs(struct experiment *x)
{
    struct capturing c = { .mode = CAPTURE_GLOBAL, .own = true };
    CUstream stream = new_stream(x);
    CUgraph graph;

    table_begin("What each call takes (medians)",
        "stream|cuStreamIsCapturing|cuStreamGetCaptureInfo|cuUserObjectCreate|"
        "cuGraphRetainUserObject|cuUserObjectRelease");
    if (!stream || must(x, x->more.GraphCreate(&graph, 0), "cuGraphCreate") != 0)
        return;
    cost_row("does not capture; a graph of its own", measure(x, stream, graph));
    if (capturing_begin(&c, x)) {
        struct costs open = measure(x, c.stream, c.graph);

        must(x, capturing_end(&c), "cuStreamEndCapture");
        cost_row("captures; the graph that is captured", open);
    }
    must(x, x->more.GraphDestroy(graph), "cuGraphDestroy");
    must(x, x->cu->StreamDestroy(stream), "cuStreamDestroy");
}

/* ------------------------------------------------------------------------------------------------------------------ destructor */

struct scene {
    struct experiment *x;
    pid_t thread;
    char name[32];
    int mode, exchanged, queried, got, inside;
};

static _Thread_local bool releasing;

static void look_around(void *data)
{
    struct scene *s = data;
    CUcontext c;
    int status, mode = CAPTURE_RELAXED;

    s->inside = releasing;
    s->name[0] = 0;
    pthread_getname_np(pthread_self(), s->name, sizeof(s->name));
    s->exchanged = s->x->cu->ThreadExchangeStreamCaptureMode(&mode);
    s->mode = mode;
    s->got = s->x->cu->CtxGetCurrent(&c);
    s->queried = s->x->cu->StreamIsCapturing(GPUDL_STREAM_LEGACY, &status);
    __atomic_store_n(&s->thread, gettid(), __ATOMIC_SEQ_CST);
}

/* Alone in its process: drivers forbid calls of theirs there, and may wait for ever. */
static void destructor_child(struct experiment *x, const char *arg)
{
    static struct scene s;
    CUuserObject object;
    CUgraph graph;
    double end;

    (void)arg;
    s.x = x;
    if (must(x, x->more.GraphCreate(&graph, 0), "cuGraphCreate") != 0 ||
        must(x, x->more.UserObjectCreate(&object, &s, look_around, 1, USER_OBJECT_NO_SYNC), "cuUserObjectCreate") != 0 ||
        must(x, x->more.GraphRetainUserObject(graph, object, 1, USER_OBJECT_MOVE), "cuGraphRetainUserObject") != 0)
        return;
    cell_text("cuGraphDestroy");
    releasing = true;
    must(x, x->more.GraphDestroy(graph), "cuGraphDestroy");
    releasing = false;
    for (end = bench_now() + 1e9; !__atomic_load_n(&s.thread, __ATOMIC_SEQ_CST) && bench_now() < end;)
        usleep(100);
    if (!s.thread)
        cell_text("did not run within 1 s");
    else {
        cell_text("%s", s.thread != gettid() ? "another thread" : s.inside ? "the caller's, inside the call" : "the caller's");
        cell_text("%s", s.name);
        cell_text("%s%s", answer(x, s.exchanged), s.exchanged ? "" : s.mode == CAPTURE_GLOBAL ? ": global" : ": another");
        cell_answer(x, s.got);
        cell_answer(x, s.queried);
    }
    row_end();
}

static void run(struct experiment *x)
{
    costs(x);
    table_begin("The destructor of a user object",
        "last reference gone in|runs on|named|cuThreadExchangeStreamCaptureMode there|"
        "cuCtxGetCurrent there|cuStreamIsCapturing there");
    experiment_child(x, "destructor", "", NULL);
}

int main(int argc, char **argv)
{
    static const struct experiment_child children[] = { { "destructor", destructor_child }, { NULL, NULL } };
    static const struct experiment_plan plan = { "graph_calls",
        "what does it cost to give a version to a graph, and where is it let go?", run, children };

    return experiment_main(argc, argv, &plan);
}
