#include "bench/driver/experiment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char base_ptx[] = ".version 7.0\n"
                               ".target sm_75\n"
                               ".address_size 64\n"
                               ".visible .entry nothing()\n"
                               "{\n"
                               "    ret;\n"
                               "}\n"
                               ".visible .entry spin(.param .u64 ns, .param .u64 gate)\n"
                               "{\n"
                               "    .reg .u64 %rd<6>;\n"
                               "    .reg .u32 %r<2>;\n"
                               "    .reg .pred %p<4>;\n"
                               "    ld.param.u64 %rd1, [ns];\n"
                               "    ld.param.u64 %rd2, [gate];\n"
                               "    mov.u64 %rd3, %globaltimer;\n"
                               "    setp.eq.u64 %p1, %rd2, 0;\n"
                               "again:\n"
                               "    @%p1 bra time;\n"
                               "    ld.volatile.global.u32 %r1, [%rd2];\n"
                               "    setp.ne.u32 %p2, %r1, 0;\n"
                               "    @%p2 bra done;\n"
                               "time:\n"
                               "    mov.u64 %rd4, %globaltimer;\n"
                               "    sub.u64 %rd5, %rd4, %rd3;\n"
                               "    setp.lt.u64 %p3, %rd5, %rd1;\n"
                               "    @%p3 bra again;\n"
                               "done:\n"
                               "    ret;\n"
                               "}\n";

/* -------------------------------------------------------------------------------------------------------------------- answers */

const char *answer(struct experiment *x, int result)
{
    static const char prefix[] = "CUDA_ERROR_";
    const char *name = NULL;

    if (result == 0)
        return "ok";
    if (x->cu->GetErrorName(result, &name) != 0 || !name)
        return "an unknown error";
    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
}

void cell_answer(struct experiment *x, int result)
{
    cell_text("%s", answer(x, result));
}

int must(struct experiment *x, int result, const char *what)
{
    if (result != 0) {
        fprintf(stderr, "%s: %s (%d)\n", what, answer(x, result), result);
        x->failed = true;
    }
    return result;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double median(double *samples, size_t n)
{
    qsort(samples, n, sizeof(*samples), by_value);
    return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

/* --------------------------------------------------------------------------------------------------------------------- device */

bool use_device(struct experiment *x)
{
    return must(x, x->cu->CtxSetCurrent(x->context), "cuCtxSetCurrent") == 0;
}

CUstream new_stream(struct experiment *x)
{
    CUstream s = NULL;

    must(x, x->cu->StreamCreate(&s, GPUDL_STREAM_NON_BLOCKING), "cuStreamCreate");
    return s;
}

int launch_nothing(struct experiment *x, CUstream s)
{
    return x->cu->LaunchKernel(x->nothing, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
}

int launch_spin(struct experiment *x, CUstream s, double ns, const volatile uint32_t *gate)
{
    uint64_t time = (uint64_t)ns, at = (uint64_t)(uintptr_t)gate;
    void *params[] = { &time, &at };

    return x->cu->LaunchKernel(x->spin, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
}

volatile uint32_t *new_gate(struct experiment *x)
{
    void *p = NULL;

    if (must(x, x->cu->MemHostAlloc(&p, 64, GPUDL_MEMHOSTALLOC_PORTABLE | GPUDL_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc") == 0)
        memset(p, 0, 64);
    return p;
}

static void find_more(struct experiment *x)
{
#define FIND(name, since, params) \
    if (!x->cu->GetProcAddress || x->cu->GetProcAddress("cu" #name, (void **)&x->more.name, since, 0, NULL) != 0) \
        x->more.name = NULL;
    MORE_FUNCTIONS(FIND)
#undef FIND
}

/* What is measured must not be found missing half-way. */
static bool complete(const struct experiment *x)
{
#define LOOK(name, since, params) \
    if (!x->more.name) { \
        fprintf(stderr, "the driver has no cu%s, which came with CUDA %d.%d: nothing to ask it\n", #name, since / 1000, \
            since % 1000 / 10); \
        return false; \
    }
    MORE_FUNCTIONS(LOOK)
#undef LOOK
    return true;
}

static bool open_device(struct experiment *x)
{
    if (!bench_device_open(NULL, &x->device))
        return false;
    x->cu = x->device.driver;
    find_more(x);
    if (!complete(x) || must(x, x->cu->CtxGetCurrent(&x->context), "cuCtxGetCurrent") != 0 ||
        must(x, x->cu->ModuleLoadDataEx(&x->module, base_ptx, 0, NULL, NULL), "cuModuleLoadDataEx") != 0 ||
        must(x, x->cu->ModuleGetFunction(&x->nothing, x->module, "nothing"), "cuModuleGetFunction(nothing)") != 0 ||
        must(x, x->cu->ModuleGetFunction(&x->spin, x->module, "spin"), "cuModuleGetFunction(spin)") != 0 ||
        must(x, launch_nothing(x, NULL), "the first launch") != 0 || must(x, launch_spin(x, NULL, 1, NULL), "the second") != 0)
        return false;
    return must(x, x->cu->CtxSynchronize(), "cuCtxSynchronize") == 0;
}

/* ----------------------------------------------------------------------------------------------------------------------- main */

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--quick] [--json FILE]\n", program);
    return 2;
}

/* Ends as a child does: what the driver does at exit is no business of the experiment's. */
static void run_child(struct experiment *x, const struct experiment_plan *plan, const char *name, const char *arg)
{
    alarm(CHILD_SECONDS);
    table_send_to(stdout);
    for (const struct experiment_child *c = plan->children; c && c->name; c++)
        if (strcmp(c->name, name) == 0) {
            c->run(x, arg);
            fflush(NULL);
            _exit(x->failed);
        }
    fprintf(stderr, "no child \"%s\"\n", name);
    _exit(2);
}

int experiment_main(int argc, char **argv, const struct experiment_plan *plan)
{
    static struct experiment x;
    const char *path = NULL, *child = NULL, *arg = NULL;
    FILE *json = NULL;
    bool ok;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0)
            x.quick = true;
        else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc)
            path = argv[++i];
        else if (strcmp(argv[i], "--child") == 0 && i + 2 < argc) {
            child = argv[++i];
            arg = argv[++i];
        } else
            return usage(argv[0]);
    if (path && !(json = fopen(path, "w"))) {
        perror(path);
        return 1;
    }
    if (!open_device(&x))
        return x.failed ? 1 : 77;
    if (child)
        run_child(&x, plan, child, arg);
    tables_begin(json, plan->name, plan->question, gpudl_loader_driver_text(x.device.loader), x.quick);
    plan->run(&x);
    tables_end();
    must(&x, x.cu->ModuleUnload(x.module), "cuModuleUnload");
    bench_device_close(&x.device);
    while (x.nimages > 0)
        free(x.images[--x.nimages]);
    ok = !json || fclose(json) == 0;
    return x.failed || !ok;
}
