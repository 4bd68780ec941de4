/* agree.c - do the times of a trace agree, on a GPU? Kernels of 100 us and more are traced with times of events while this program asks CUPTI
 * itself; then with CUPTI's, while it records events of its own. Each kernel is within 5 %. Exits with 77 where there is no GPU or no CUPTI. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpudl/gpudl.h>

#include "src/compile/compile.h"
#include "src/trace/cupti_abi.h"

enum { SKIPPED = 77, RUNS = 20, SIZES = 4, KERNELS = RUNS * SIZES };

static const unsigned long long sizes[SIZES] = { 100000, 200000, 500000, 2000000 }; /* ns */

/* Spins for so many ns of the device's own clock. The other one goes before it, so that the stream is at work when events are recorded:
 * in one that is idle, the time between host calls would be counted. */
#define SPIN(name) \
    ".visible .entry " name "(.param .u64 ns)\n{\n.reg .u64 %n, %t<3>;\n.reg .pred %q;\nld.param.u64 %n, [ns];\n" \
    "mov.u64 %t0, %globaltimer;\nL:\nmov.u64 %t1, %globaltimer;\nsub.u64 %t2, %t1, %t0;\nsetp.lt.u64 %q, %t2, %n;\n@%q bra L;\nret;\n}\n"
static const char spin[] = ".version 7.0\n.target sm_75\n.address_size 64\n" SPIN("spin") SPIN("before");

static double others[KERNELS], traced[KERNELS]; /* us, in the order of launches */

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "agree: %s: %s\n", what, gpudl_error_text());
    exit(1);
}
#define MUST(call) must((call) == 0, #call)

/* ------------------------------------------------------------------------------------------------------- CUPTI, as a program has it */

static struct {
#define DECLARE(name, params) int(*name) params;
    CUPTI_FUNCTIONS(DECLARE)
#undef DECLARE
} cupti;
static size_t nothers;

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
    *buffer = malloc(*size = 1 << 20);
    *records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;

    (void)context, (void)stream, (void)size;
    while (valid && cupti.ActivityGetNextRecord(buffer, valid, &record) == 0) {
        const struct cupti_kernel *k = record;
        if (k->kind == CUPTI_CONCURRENT_KERNEL && !strcmp(k->name, "spin") && nothers < KERNELS)
            others[nothers++] = (double)(k->end - k->start) / 1e3;
    }
    free(buffer);
}

static void ask_cupti(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    must(library != NULL, path);
#define RESOLVE(name, params) must((*(void **)&cupti.name = dlsym(library, "cupti" #name)) != NULL, #name);
    CUPTI_FUNCTIONS(RESOLVE)
#undef RESOLVE
    MUST(cupti.ActivityRegisterCallbacks(request, complete));
    MUST(cupti.ActivityEnable(CUPTI_CONCURRENT_KERNEL));
}

/* ----------------------------------------------------------------------------------------------------------------------- what is run */

static void run(gpudl_loader *l, int own_events)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    CUevent start, end;
    gpudl_library *lib;
    gpudl_kernel *k, *before;
    float ms;

    MUST(gpudl_loader_use_device(l, 0));
    MUST(gpudl_library_load(l, GPUDL_MEMORY(spin, sizeof(spin) - 1), NULL, &lib));
    MUST(gpudl_kernel_get(lib, "spin", &k));
    MUST(gpudl_kernel_get(lib, "before", &before));
    MUST(cu->EventCreate(&start, 0));
    MUST(cu->EventCreate(&end, 0));
    MUST(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    for (int i = 0; i < KERNELS; i++) {
        MUST(gpudl_launch(before, &config, 200000ull));
        if (own_events)
            MUST(cu->EventRecord(start, NULL));
        MUST(gpudl_launch(k, &config, sizes[i % SIZES]));
        if (own_events)
            MUST(cu->EventRecord(end, NULL));
        MUST(cu->CtxSynchronize());
        if (own_events) {
            MUST(cu->EventElapsedTime(&ms, start, end));
            others[i] = (double)ms * 1e3;
        }
    }
    gpudl_kernel_release(k);
    gpudl_kernel_release(before);
    gpudl_library_release(lib);
}

static size_t read_trace(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    size_t n = 0;

    must(f != NULL, path);
    while (fgets(line, sizeof(line), f))
        if (strstr(line, "\"cat\":\"kernel\",\"name\":\"spin\"") && n < KERNELS)
            traced[n++] = atof(strstr(line, "\"dur\":") + 6);
    fclose(f);
    return n;
}

/* Not the first: the driver prepares for it between the two events (16 us on an H200). */
static int compare(const char *what)
{
    double worst = 0;

    for (int i = 1; i < KERNELS; i++) {
        double off = fabs(traced[i] - others[i]) / others[i];
        if (others[i] >= 100 && off > worst)
            worst = off;
        if (others[i] >= 100 && off > 0.05)
            printf("%s: kernel %d: %.3f us in the trace, %.3f us\n", what, i, traced[i], others[i]);
    }
    printf("%s: %d kernels of 100 us to 2 ms, at most %.2f %% off\n", what, KERNELS, 100 * worst);
    return worst > 0.05;
}

static int one(const char *times, const char *path)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    char file[] = "/tmp/gpudl-agree-XXXXXX";
    gpudl_loader *l;
    size_t n;

    close(mkstemp(file));
    setenv("GPUDL_TRACE_TIMES", times, 1);
    if (!strcmp(times, "events"))
        ask_cupti(path);
    options.trace = file;
    MUST(gpudl_loader_open(&options, &l));
    run(l, !strcmp(times, "cupti"));
    gpudl_loader_close(l);
    if (!strcmp(times, "events"))
        MUST(cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED));
    n = read_trace(file);
    unlink(file);
    if (n != KERNELS || (!strcmp(times, "events") && nothers != KERNELS)) {
        fprintf(stderr, "agree: %s: %zu kernels in the trace, %zu by CUPTI\n", times, n, nothers);
        return 1;
    }
    return compare(!strcmp(times, "events") ? "events, against CUPTI" : "CUPTI, against events");
}

/* Each in a process of its own: a trace is a process's, and CUPTI serves one. */
static int in_a_process(const char *times, const char *path)
{
    int ended;
    pid_t child = fork();

    if (child == 0)
        exit(one(times, path));
    return child < 0 || waitpid(child, &ended, 0) != child || !WIFEXITED(ended) || WEXITSTATUS(ended);
}

/* In a process of its own too: a driver does not survive a fork. */
static int has_gpu(void)
{
    int ended = 1;
    pid_t child = fork();

    if (child == 0) {
        gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
        gpudl_loader *l;
        options.driver = "nvidia";
        _exit(gpudl_loader_open(&options, &l) != GPUDL_OK);
    }
    waitpid(child, &ended, 0);
    return ended == 0;
}

int main(void)
{
    char path[PATH_MAX];

    if (!has_gpu() || !gpudl__find_cupti(path)) {
        printf("no GPU, or no CUPTI\n");
        return SKIPPED;
    }
    setenv("GPUDL_DRIVER", "nvidia", 1);
    return in_a_process("cupti", path) | in_a_process("events", path);
}
