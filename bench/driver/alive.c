/* alive.c - what keeps code alive, and what does not: graphs of a library that is unloaded, user objects, events. */
#include "bench/driver/calls.h"
#include "bench/driver/load.h"

#include <string.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------------------------- graphs without library */

/* A graph of kernel one, which writes value, 0, to the subject's memory; that is all ones before. */
struct graphed {
    struct experiment *x;
    struct subject s;
    CUgraph graph;
    CUgraphExec exec;
};

static bool capture_kernel(struct graphed *g)
{
    struct experiment *x = g->x;
    void *params[] = { &g->s.memory };

    return subject_prepare(&g->s, x, new_image(x, 4 << 10), RESIDENT) &&
        must(x, x->cu->MemsetD32(g->s.memory, ~0u, 16), "cuMemsetD32") == 0 &&
        must(x, x->more.StreamBeginCapture(g->s.stream, CAPTURE_RELAXED), "cuStreamBeginCapture") == 0 &&
        must(x, x->cu->LaunchKernel((CUfunction)(void *)g->s.one, 1, 1, 1, 1, 1, 1, 0, g->s.stream, params, NULL),
            "cuLaunchKernel") == 0 &&
        must(x, x->more.StreamEndCapture(g->s.stream, &g->graph), "cuStreamEndCapture") == 0;
}

static int instantiate(struct graphed *g)
{
    return g->x->more.GraphInstantiateWithFlags(&g->exec, g->graph, 0);
}

/* Three cells: what n launches and the wait for the last one answered, and whether it did its work. The first that failed. */
static void launch_cells(struct graphed *g, unsigned n)
{
    struct experiment *x = g->x;
    uint32_t word = ~0u;
    int launched = 0, waited = 0;

    for (unsigned i = 0; i < n && launched == 0 && waited == 0; i++) {
        launched = x->more.GraphLaunch(g->exec, g->s.stream);
        waited = launched ? launched : x->cu->StreamSynchronize(g->s.stream);
    }
    cell_answer(x, launched);
    cell_answer(x, waited);
    if (x->cu->MemcpyDtoH(&word, g->s.memory, sizeof(word)) != 0)
        cell_text("the context is broken");
    else
        cell_text("%s", word == 0 ? "yes" : "no");
}

/* Where the code was, other code may be. */
static void load_others(struct graphed *g)
{
    for (unsigned i = 0; i < 8; i++) {
        struct subject other;

        subject_prepare(&other, g->x, g->s.image, RESIDENT); /* left behind */
    }
}

static void graph_child(struct experiment *x, const char *arg)
{
    struct graphed g = { .x = x };
    bool late = strcmp(arg, "late") == 0, others = strcmp(arg, "others") == 0;

    if (!capture_kernel(&g))
        return;
    cell_text("%s",
        late         ? "unloaded before instantiation"
            : others ? "unloaded after instantiation, eight libraries loaded"
                     : "unloaded after instantiation");
    if (!late)
        must(x, instantiate(&g), "cuGraphInstantiate");
    cell_answer(x, unload(&g.s));
    if (others)
        load_others(&g);
    if (late) {
        int r = instantiate(&g);

        cell_answer(x, r);
        if (r != 0) {
            row_end();
            return;
        }
    } else
        cell_text("before");
    launch_cells(&g, x->quick ? 2 : 50);
    row_end();
}

/* A cell: what unloading answered, and after how long. */
static void cell_unload(struct experiment *x, struct subject *s)
{
    double start = bench_now();
    int r = unload(s);

    cell_text("%s after %.1f ms", answer(x, r), (bench_now() - start) / 1e6);
}

/* The library goes while the graph runs, behind a kernel that does not end by itself. */
static void running_child(struct experiment *x, const char *arg)
{
    struct graphed g = { .x = x };

    (void)arg;
    if (!capture_kernel(&g) || must(x, instantiate(&g), "cuGraphInstantiate") != 0)
        return;
    cell_text("unloaded while it runs, behind a kernel of 20 ms");
    must(x, launch_spin(x, g.s.stream, 2e7, NULL), "a launch");
    must(x, x->more.GraphLaunch(g.exec, g.s.stream), "cuGraphLaunch");
    cell_unload(x, &g.s);
    cell_text("before");
    cell_text("before");
    cell_answer(x, x->cu->StreamSynchronize(g.s.stream));
    row_end();
}

static void graphs(struct experiment *x)
{
    static const char *const orders[] = { "late", "early", "others" };

    table_begin(
        "A graph with a kernel of a library that is unloaded", "order|cuLibraryUnload|instantiation|launch|wait|it did its work");
    for (unsigned i = 0; i < 3; i++)
        experiment_child(x, "graph", orders[i], NULL);
    experiment_child(x, "running", "", NULL);
    table_note("%u launches of a graph, or up to the first that failed.", x->quick ? 2 : 50);
}

/* ---------------------------------------------------------------------------------------------------------------- user objects */

struct owned {
    struct experiment *x;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    volatile uint32_t *gate;
    int destroyed;
};

static void destroyed(void *data)
{
    __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

/* A cell: has the destructor run, or does it within 20 ms? */
static void cell_destroyed(struct owned *o, const char *step)
{
    double end = bench_now() + 2e7;
    int n;

    while (!(n = __atomic_load_n(&o->destroyed, __ATOMIC_SEQ_CST)) && bench_now() < end)
        usleep(100);
    cell_text("%s: %s", step, n == 0 ? "alive" : n == 1 ? "destroyed" : "destroyed more than once");
}

/* A graph of one kernel that runs until the gate opens, owning a user object that it was given while it was captured. */
static bool capture_owner(struct owned *o, struct experiment *x)
{
    CUuserObject object;
    CUgraph open;
    int status;

    memset(o, 0, sizeof(*o));
    o->x = x;
    o->gate = new_gate(x);
    o->stream = new_stream(x);
    return o->gate && o->stream && must(x, x->more.StreamBeginCapture(o->stream, CAPTURE_RELAXED), "cuStreamBeginCapture") == 0 &&
        must(x, launch_spin(x, o->stream, 1e9, o->gate), "a launch into a capture") == 0 &&
        must(x, x->more.StreamGetCaptureInfo(o->stream, &status, NULL, &open, NULL, NULL, NULL), "cuStreamGetCaptureInfo") == 0 &&
        must(x, x->more.UserObjectCreate(&object, &o->destroyed, destroyed, 1, USER_OBJECT_NO_SYNC), "cuUserObjectCreate") == 0 &&
        must(x, x->more.GraphRetainUserObject(open, object, 1, USER_OBJECT_MOVE), "cuGraphRetainUserObject") == 0;
}

static bool end_capture(struct owned *o)
{
    return must(o->x, o->x->more.StreamEndCapture(o->stream, &o->graph), "cuStreamEndCapture") == 0;
}

static void destroy_graph(struct owned *o)
{
    must(o->x, o->x->more.GraphDestroy(o->graph), "cuGraphDestroy");
    cell_destroyed(o, "graph destroyed");
}

static void destroy_exec(struct owned *o)
{
    must(o->x, o->x->more.GraphExecDestroy(o->exec), "cuGraphExecDestroy");
    cell_destroyed(o, "executable destroyed");
}

static void open_gate(struct owned *o)
{
    *o->gate = 1;
    must(o->x, o->x->cu->StreamSynchronize(o->stream), "cuStreamSynchronize");
}

static void finish(struct owned *o)
{
    row_end();
    must(o->x, o->x->cu->StreamDestroy(o->stream), "cuStreamDestroy");
    must(o->x, o->x->cu->MemFreeHost((void *)o->gate), "cuMemFreeHost");
}

static void only_the_graph(struct experiment *x)
{
    struct owned o;

    if (!capture_owner(&o, x) || !end_capture(&o))
        return;
    cell_text("a graph alone");
    cell_destroyed(&o, "captured");
    destroy_graph(&o);
    finish(&o);
}

static void executable(struct experiment *x, bool graph_first)
{
    struct owned o;

    if (!capture_owner(&o, x) || !end_capture(&o) ||
        must(x, x->more.GraphInstantiateWithFlags(&o.exec, o.graph, 0), "cuGraphInstantiate") != 0)
        return;
    cell_text("a graph and an executable, launched and done");
    must(x, x->more.GraphLaunch(o.exec, o.stream), "cuGraphLaunch");
    open_gate(&o);
    if (graph_first)
        destroy_graph(&o);
    destroy_exec(&o);
    if (!graph_first)
        destroy_graph(&o);
    finish(&o);
}

static void running_executable(struct experiment *x)
{
    struct owned o;

    if (!capture_owner(&o, x) || !end_capture(&o) ||
        must(x, x->more.GraphInstantiateWithFlags(&o.exec, o.graph, 0), "cuGraphInstantiate") != 0)
        return;
    cell_text("an executable that runs");
    must(x, x->more.GraphLaunch(o.exec, o.stream), "cuGraphLaunch");
    destroy_graph(&o);
    destroy_exec(&o);
    open_gate(&o);
    cell_destroyed(&o, "done");
    finish(&o);
}

/* A stream that captures cannot be waited for. */
static void broken_capture(struct experiment *x)
{
    struct owned o;

    if (!capture_owner(&o, x))
        return;
    cell_text("a capture that is broken off");
    x->cu->StreamSynchronize(o.stream);
    cell_destroyed(&o, "invalid");
    x->more.StreamEndCapture(o.stream, &o.graph);
    cell_destroyed(&o, "ended");
    *o.gate = 1;
    finish(&o);
}

static void user_objects(struct experiment *x)
{
    table_begin("A user object given to the graph of a capture (20 ms are waited for its destructor)", "whose|then|then|then");
    only_the_graph(x);
    executable(x, true);
    executable(x, false);
    running_executable(x);
    broken_capture(x);
}

/* ---------------------------------------------------------------------------------------------------------------------- events */

static void event_child(struct experiment *x, const char *arg)
{
    struct subject s;

    (void)arg;
    if (!subject_prepare(&s, x, new_image(x, 4 << 10), RESIDENT))
        return;
    cell_text("behind a kernel of 20 ms");
    must(x, launch_spin(x, s.stream, 2e7, NULL), "a launch");
    must(x, x->cu->EventRecord(s.event, s.stream), "cuEventRecord");
    cell_unload(x, &s);
    cell_answer(x, x->cu->EventQuery(s.event));
    must(x, launch_spin(x, s.stream, 2e7, NULL), "a launch");
    must(x, x->cu->EventRecord(s.event, s.stream), "cuEventRecord");
    must(x, x->cu->StreamDestroy(s.stream), "cuStreamDestroy");
    cell_answer(x, x->cu->EventQuery(s.event));
    cell_answer(x, x->cu->EventSynchronize(s.event));
    row_end();
}

static void run(struct experiment *x)
{
    graphs(x);
    user_objects(x);
    table_begin("An event behind work of a library, whose library and then whose stream goes",
        "recorded|cuLibraryUnload|cuEventQuery|its stream destroyed: cuEventQuery|cuEventSynchronize");
    experiment_child(x, "event", "", NULL);
}

int main(int argc, char **argv)
{
    static const struct experiment_child children[] = { { "graph", graph_child }, { "running", running_child },
        { "event", event_child }, { NULL, NULL } };
    static const struct experiment_plan plan = { "alive", "what keeps a version alive?", run, children };

    return experiment_main(argc, argv, &plan);
}
