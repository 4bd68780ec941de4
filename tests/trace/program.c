/* program.c SCENARIO - a program to be traced: what it does is known, and trace.py compares the trace with it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpudl/gpudl.h>

enum { N = 4096, THREADS = 8, A_THREAD = 100, MANY = 12000 };

#define MUST(call) must((call) == 0, #call)

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "program: %s: %s\n", what, gpudl_error_text());
    exit(1);
}

static gpudl_loader *loader;
static const gpudl_driver_table *cu;

/* out[i] = number, turns times over. */
static const char format[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry work(.param .u64 out, .param .u32 turns)\n{\n.reg .u32 %%r<4>;\n.reg .u64 %%p<3>;\n.reg .pred %%q;\n"
    "ld.param.u64 %%p0, [out];\nld.param.u32 %%r0, [turns];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%p1, %%r1, 4;\n"
    "add.u64 %%p0, %%p0, %%p1;\nmov.u32 %%r2, %u;\n"
    "L:\nst.volatile.global.u32 [%%p0], %%r2;\nsub.u32 %%r0, %%r0, 1;\nsetp.gt.s32 %%q, %%r0, 0;\n@%%q bra L;\nret;\n}\n";

static gpudl_source source(char text[2048], unsigned number)
{
    gpudl_source s = gpudl_source_memory(text, (size_t)snprintf(text, 2048, format, number));

    s.name = "work \"\xff.ptx"; /* a file's name may be anything */
    return s;
}

static gpudl_kernel *load(gpudl_library **lib, unsigned number)
{
    char text[2048];
    gpudl_source s = source(text, number);
    gpudl_kernel *k;

    MUST(gpudl_library_load(loader, &s, NULL, lib));
    MUST(gpudl_kernel_get(*lib, "work", &k));
    return k;
}

static void launch(gpudl_kernel *k, CUdeviceptr out, unsigned turns, CUstream stream)
{
    gpudl_launch_config config = gpudl_launch_1d(2, 64);

    config.stream = stream;
    MUST(gpudl_launch(k, &config, out, turns));
}

/* One of all kinds. */
static void simple(void)
{
    gpudl_library *lib, *same;
    gpudl_kernel *k = load(&lib, 1), *other = load(&same, 1);
    unsigned host[N] = { 0 };
    gpudl_launch_config bad = gpudl_launch_1d(2, 64);
    char text[2048];
    gpudl_source changed = source(text, 2);
    CUdeviceptr d;

    MUST(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    MUST(cu->MemAlloc(&d, sizeof(host)));
    MUST(cu->MemcpyHtoD(d, host, sizeof(host)));
    if (cu->MemsetD8)
        MUST(cu->MemsetD8(d, 0, sizeof(host) / 2));
    launch(k, d, 10, NULL);
    launch(other, d, 1000, NULL);
    MUST(gpudl_library_replace(lib, &changed, NULL));
    launch(k, d, 10, NULL);
    bad.block[0] = 0;
    must(gpudl_launch(k, &bad, d, 1u) != GPUDL_OK, "a block without threads is refused");
    MUST(cu->MemcpyDtoH(host, d, sizeof(host)));
    gpudl_kernel_release(k);
    gpudl_kernel_release(other);
    gpudl_library_release(lib);
    gpudl_library_release(same);
    MUST(cu->MemFree(d));
    gpudl_loader_close(loader);
}

static gpudl_kernel *shared_kernel;
static CUdeviceptr shared_place;

static void *launch_some(void *unused)
{
    CUstream stream;

    (void)unused;
    MUST(gpudl_loader_use_device(loader, 0));
    MUST(cu->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING));
    for (int i = 0; i < A_THREAD; i++)
        launch(shared_kernel, shared_place, 1, stream);
    MUST(cu->StreamSynchronize(stream));
    MUST(cu->StreamDestroy(stream));
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS];
    gpudl_library *lib;

    shared_kernel = load(&lib, 1);
    MUST(cu->MemAlloc(&shared_place, 4 * N));
    for (int i = 0; i < THREADS; i++)
        MUST(pthread_create(&t[i], NULL, launch_some, NULL));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

static void many(void)
{
    gpudl_library *lib;
    gpudl_kernel *k = load(&lib, 1);
    CUdeviceptr d;

    MUST(cu->MemAlloc(&d, 4 * N));
    for (int i = 0; i < MANY; i++)
        launch(k, d, 1, NULL);
    MUST(cu->CtxSynchronize());
    MUST(cu->MemFree(d));
}

static void *launch_for_ever(void *unused)
{
    (void)unused;
    MUST(gpudl_loader_use_device(loader, 0));
    while (shared_kernel)
        launch(shared_kernel, shared_place, 100, NULL);
    return NULL;
}

/* The end comes while a thread launches and kernels run. */
static void exits(void)
{
    gpudl_library *lib;
    pthread_t t;

    shared_kernel = load(&lib, 1);
    MUST(cu->MemAlloc(&shared_place, 4 * N));
    MUST(pthread_create(&t, NULL, launch_for_ever, NULL));
    for (int i = 0; i < 20; i++)
        launch(shared_kernel, shared_place, 100000, NULL);
}

/* A child goes its own way, and the file stays the parent's. */
static void forks(void)
{
    gpudl_library *lib;
    gpudl_kernel *k = load(&lib, 1);
    CUdeviceptr d;
    pid_t child = -1;

    MUST(cu->MemAlloc(&d, 4 * N));
    for (int i = 0; i < 20; i++) {
        if (i == 10 && (child = fork()) == 0)
            exit(0);
        launch(k, d, 1, NULL);
    }
    waitpid(child, NULL, 0);
    MUST(cu->CtxSynchronize());
    MUST(cu->MemFree(d));
}

struct graph_calls {
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*launch)(CUgraphExec, CUstream), (*destroy)(CUgraph);
    int (*instantiate)(CUgraphExec *, CUgraph, unsigned long long), (*destroy_exec)(CUgraphExec);
};

static void find_graph_calls(struct graph_calls *c)
{
    int found;

    MUST(cu->GetProcAddress("cuStreamBeginCapture", (void **)&c->begin, 12000, 0, &found));
    MUST(cu->GetProcAddress("cuStreamEndCapture", (void **)&c->end, 12000, 0, &found));
    MUST(cu->GetProcAddress("cuGraphInstantiateWithFlags", (void **)&c->instantiate, 12000, 0, &found));
    MUST(cu->GetProcAddress("cuGraphLaunch", (void **)&c->launch, 12000, 0, &found));
    MUST(cu->GetProcAddress("cuGraphDestroy", (void **)&c->destroy, 12000, 0, &found));
    MUST(cu->GetProcAddress("cuGraphExecDestroy", (void **)&c->destroy_exec, 12000, 0, &found));
}

/* In global mode, where each wrong call of any thread ends the capture. Launches beside it, more than events wait for, go on. */
static void capture(void)
{
    unsigned host[64] = { 0 };
    struct graph_calls g;
    CUstream stream, beside;
    CUgraphExec executable;
    gpudl_library *lib;
    gpudl_kernel *k = load(&lib, 7);
    CUgraph graph;
    CUdeviceptr d;

    find_graph_calls(&g);
    MUST(cu->MemAlloc(&d, 4 * N));
    MUST(cu->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING));
    MUST(cu->StreamCreate(&beside, GPUDL_STREAM_NON_BLOCKING));
    launch(k, d + 4 * 64, 1, stream);
    MUST(g.begin(stream, 0));
    for (int i = 0; i < 4; i++)
        launch(k, d, 1, stream);
    for (int i = 0; i < 200; i++)
        launch(k, d + 4 * 64, 1, beside);
    MUST(g.end(stream, &graph));
    MUST(g.instantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        MUST(g.launch(executable, stream));
    MUST(cu->StreamSynchronize(stream));
    MUST(cu->StreamSynchronize(beside));
    MUST(cu->MemcpyDtoH(host, d, sizeof(host)));
    must(host[63] == 7, "what the graph writes is there");
    MUST(g.destroy_exec(executable));
    MUST(g.destroy(graph));
    MUST(cu->MemFree(d));
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "simple", simple },
    { "threads", threads },
    { "many", many },
    { "exit", exits },
    { "fork", forks },
    { "capture", capture },
};

int main(int argc, char **argv)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.trace = argc > 2 ? argv[2] : NULL;
    MUST(gpudl_loader_open(&options, &loader));
    MUST(gpudl_loader_use_device(loader, 0));
    cu = gpudl_loader_driver(loader);
    for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(*scenarios); i++)
        if (!strcmp(argv[1], scenarios[i].name)) {
            scenarios[i].run();
            return 0;
        }
    fprintf(stderr, "usage: program SCENARIO [FILE]\n");
    return 2;
}
