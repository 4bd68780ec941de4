/* reset.c - what survives a reset of the primary context. */
#include "bench/driver/calls.h"

#include <string.h>

struct survivor {
    struct experiment *x;
    struct subject s; /* resident */
    CUgraphExec exec; /* of an empty kernel */
    CUdeviceptr global;
    unsigned long long id; /* of the context */
};

static int get_kernel(struct survivor *v)
{
    CUkernel k;
    int r = v->x->cu->LibraryGetKernel(&k, v->s.library, "one");

    return r == 0 && k != v->s.one ? GPUDL_CU_UNKNOWN : r;
}

/* With memory of its own, since the old one is another question. */
static int launch(struct survivor *v, void *function)
{
    const gpudl_driver_table *cu = v->x->cu;
    CUdeviceptr memory;
    void *params[] = { &memory };
    int r = cu->MemAlloc(&memory, 4096);

    r = r ? r : cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    return r ? r : cu->CtxSynchronize();
}

static int launch_kernel(struct survivor *v)
{
    return launch(v, v->s.one);
}

static int launch_function(struct survivor *v)
{
    return launch(v, v->s.function);
}

static int get_function(struct survivor *v)
{
    return v->x->cu->KernelGetFunction(&v->s.function, v->s.one);
}

static int get_global(struct survivor *v)
{
    CUdeviceptr p;
    size_t size;

    return v->x->cu->LibraryGetGlobal(&p, &size, v->s.library, "value");
}

static int read_global(struct survivor *v)
{
    uint32_t word;

    return v->x->cu->MemcpyDtoH(&word, v->global, sizeof(word));
}

static int unload_library(struct survivor *v)
{
    return v->x->cu->LibraryUnload(v->s.library);
}

static int query_stream(struct survivor *v)
{
    return v->x->cu->StreamQuery(v->s.stream);
}

static int query_event(struct survivor *v)
{
    return v->x->cu->EventQuery(v->s.event);
}

static int read_memory(struct survivor *v)
{
    uint32_t word;

    return v->x->cu->MemcpyDtoH(&word, v->s.memory, sizeof(word));
}

static int launch_graph(struct survivor *v)
{
    int r = v->x->more.GraphLaunch(v->exec, NULL);

    return r ? r : v->x->cu->CtxSynchronize();
}

/* Another handle, or another identity, is said as an error. */
static int same_context(struct survivor *v)
{
    CUcontext c;
    int r = v->x->cu->CtxGetCurrent(&c);

    return r == 0 && c != v->x->context ? GPUDL_CU_INVALID_CONTEXT : r;
}

static int same_id(struct survivor *v)
{
    unsigned long long id = 0;
    int r = v->x->cu->CtxGetId ? v->x->cu->CtxGetId(v->x->context, &id) : GPUDL_CU_NOT_SUPPORTED;

    return r == 0 && id != v->id ? GPUDL_CU_INVALID_VALUE : r;
}

static const struct probe {
    const char *name;
    int (*use)(struct survivor *);
} probes[] = {
    { "CUcontext, current", same_context },
    { "its id the same", same_id },
    { "CUlibrary: cuLibraryGetKernel, same handle", get_kernel },
    { "CUkernel: launch", launch_kernel },
    { "CUkernel: cuKernelGetFunction", get_function },
    { "CUfunction: launch", launch_function },
    { "CUlibrary: cuLibraryGetGlobal", get_global },
    { "old pointer to its global", read_global },
    { "CUlibrary: cuLibraryUnload", unload_library },
    { "CUstream", query_stream },
    { "CUevent", query_event },
    { "device memory", read_memory },
    { "CUgraphExec: launch", launch_graph },
};
enum { PROBES = sizeof(probes) / sizeof(*probes) };

static bool make(struct survivor *v)
{
    struct experiment *x = v->x;
    CUgraph graph;
    size_t size;

    return subject_prepare(&v->s, x, new_image(x, 4 << 10), RESIDENT) &&
        (!x->cu->CtxGetId || must(x, x->cu->CtxGetId(x->context, &v->id), "cuCtxGetId") == 0) &&
        must(x, x->cu->LibraryGetGlobal(&v->global, &size, v->s.library, "value"), "cuLibraryGetGlobal") == 0 &&
        must(x, x->more.StreamBeginCapture(v->s.stream, CAPTURE_RELAXED), "cuStreamBeginCapture") == 0 &&
        must(x, launch_nothing(x, v->s.stream), "a launch into a capture") == 0 &&
        must(x, x->more.StreamEndCapture(v->s.stream, &graph), "cuStreamEndCapture") == 0 &&
        must(x, x->more.GraphInstantiateWithFlags(&v->exec, graph, 0), "cuGraphInstantiate") == 0;
}

static void child(struct experiment *x, const char *arg)
{
    bool again = strncmp(arg, "again ", 6) == 0;
    const struct probe *p = probes;
    struct survivor v = { .x = x };
    CUcontext c;

    while (strcmp(p->name, arg + (again ? 6 : 5)) != 0)
        p++;
    if (!make(&v))
        return;
    cell_text("%s", p->name);
    cell_text("%s", again ? "retained and current again" : "reset");
    if (must(x, x->cu->DevicePrimaryCtxReset(0), "cuDevicePrimaryCtxReset") != 0)
        return;
    if (again &&
        (must(x, x->cu->DevicePrimaryCtxRetain(&c, 0), "cuDevicePrimaryCtxRetain") != 0 ||
            must(x, x->cu->CtxSetCurrent(c), "cuCtxSetCurrent") != 0))
        return;
    cell_answer(x, p->use(&v));
    row_end();
}

static void run(struct experiment *x)
{
    char arg[96];

    table_begin("After cuDevicePrimaryCtxReset", "handle from before|the primary context is|answer");
    for (unsigned i = 0; i < PROBES; i++)
        for (unsigned again = 0; again < 2; again++) {
            snprintf(arg, sizeof(arg), "%s %s", again ? "again" : "once", probes[i].name);
            experiment_child(x, "probe", arg, NULL);
        }
}

int main(int argc, char **argv)
{
    static const struct experiment_child children[] = { { "probe", child }, { NULL, NULL } };
    static const struct experiment_plan plan = { "reset", "what survives a reset of the primary context?", run, children };

    return experiment_main(argc, argv, &plan);
}
