/* second_context.c - the way round: code that becomes resident in a second context of the same device, beside long kernels of the
 * primary one. What each step takes and keeps waiting, and what a launch that goes through the second context costs. */
#include "bench/driver/calls.h"
#include "bench/driver/load.h"

#include <string.h>

#define MAX_SAMPLES 9
#define DETOURS 200

struct round {
    struct experiment *x;
    CUcontext second;
    CUstream stream; /* of the second context */
    CUlibrary library;
    CUkernel kernel;
    const void *image;
    CUdeviceptr memory; /* of the primary one */
};

/* A call with the second context current, and back. */
#define IN_SECOND(name, call) \
    static int name(void *arg) \
    { \
        struct round *r = arg; \
        int result; \
\
        r->x->cu->CtxSetCurrent(r->second); \
        result = call; \
        r->x->cu->CtxSetCurrent(r->x->context); \
        return result; \
    }

static int create(void *arg)
{
    struct round *r = arg;
    int result = r->x->more.CtxCreate(&r->second, 0, 0);

    r->x->cu->CtxSetCurrent(r->x->context);
    return result;
}

static int launch_into(struct round *r)
{
    void *params[] = { &r->memory };

    return r->x->cu->LaunchKernel((CUfunction)(void *)r->kernel, 1, 1, 1, 1, 1, 1, 0, r->stream, params, NULL);
}

static int launch_and_wait(struct round *r)
{
    int result = launch_into(r);

    return result ? result : r->x->cu->StreamSynchronize(r->stream);
}

static int load_code(void *arg)
{
    struct round *r = arg;
    int result = r->x->cu->LibraryLoadData(&r->library, r->image, NULL, NULL, 0, NULL, NULL, 0);

    return result ? result : r->x->cu->LibraryGetKernel(&r->kernel, r->library, "one");
}

static int get_function(struct round *r)
{
    CUfunction f;

    return r->x->cu->KernelGetFunction(&f, r->kernel);
}

IN_SECOND(create_stream, r->x->cu->StreamCreate(&r->stream, GPUDL_STREAM_NON_BLOCKING))
IN_SECOND(become_resident, get_function(r))
IN_SECOND(launch, launch_and_wait(r))
IN_SECOND(synchronize, r->x->cu->CtxSynchronize())
IN_SECOND(unload_code, r->x->cu->LibraryUnload(r->library))

static int destroy(void *arg)
{
    struct round *r = arg;

    return r->x->more.CtxDestroy(r->second);
}

static const struct step {
    const char *name;
    int (*make)(void *);
    bool of_size;
} steps[] = {
    { "cuCtxCreate", create, false },
    { "cuStreamCreate in it", create_stream, false },
    { "cuLibraryLoadData", load_code, true },
    { "cuKernelGetFunction in it, first", become_resident, true },
    { "cuLaunchKernel in it and the end of it", launch, true },
    { "cuCtxSynchronize in it", synchronize, false },
    { "cuLibraryUnload of what is resident there alone", unload_code, true },
    { "cuCtxDestroy", destroy, false },
};
enum { STEPS = sizeof(steps) / sizeof(*steps) };

/* ----------------------------------------------------------------------------------------------------------------------- steps */

struct samples {
    double ns[STEPS][MAX_SAMPLES], others[STEPS][MAX_SAMPLES];
    double bytes[MAX_SAMPLES];
};

static double free_bytes(struct experiment *x)
{
    size_t left = 0, total;

    must(x, x->cu->MemGetInfo(&left, &total), "cuMemGetInfo");
    return (double)left;
}

static void one_round(struct round *r, struct load *load, struct watch *watch, struct samples *s, unsigned i)
{
    double before = free_bytes(r->x);

    for (unsigned k = 0; k < STEPS; k++) {
        struct timed t = time_call(load, watch, steps[k].make, r);

        must(r->x, t.result, steps[k].name);
        s->ns[k][i] = t.ns;
        s->others[k][i] = t.others;
        if (k == 1)
            s->bytes[i] = before - free_bytes(r->x);
    }
}

/* Under kernels of ns in the primary context; the middle of the samples is in [0] afterwards. */
static void rounds(struct round *r, double ns, struct samples *s)
{
    unsigned n = r->x->quick ? 1 : ns > 0 ? 3 : MAX_SAMPLES;
    struct load load;
    struct watch watch;

    memset(s, 0, sizeof(*s));
    if (!load_begin(&load, r->x, ns) || !watch_begin(&watch, r->x))
        return;
    for (unsigned i = 0; i < n; i++)
        one_round(r, &load, &watch, s, i);
    watch_end(&watch);
    load_end(&load);
    for (unsigned k = 0; k < STEPS; k++) {
        s->ns[k][0] = median(s->ns[k], n);
        s->others[k][0] = median(s->others[k], n);
    }
    s->bytes[0] = median(s->bytes, n);
}

static void print_steps(struct experiment *x, CUdeviceptr memory)
{
    static struct samples s[2][2];
    const void *images[] = { new_image(x, 4 << 10), new_image(x, x->quick ? 60 << 10 : 800 << 10) };

    table_begin("What each step takes, and the longest launch of other threads in the primary context meanwhile (medians)",
        "step|module|no long kernel|others|kernels of 100 ms|others");
    for (unsigned size = 0; size < 2 && images[0] && images[1]; size++)
        for (unsigned busy = 0; busy < 2; busy++) {
            struct round r = { .x = x, .image = images[size], .memory = memory };

            rounds(&r, busy ? x->quick ? 1e7 : 1e8 : 0, &s[size][busy]);
        }
    for (unsigned k = 0; k < STEPS; k++)
        for (unsigned size = 0; size < (steps[k].of_size ? 2 : 1); size++) {
            cell_text("%s", steps[k].name);
            cell_text("%s", !steps[k].of_size ? "" : size ? "800 KB" : "4 KB");
            for (unsigned busy = 0; busy < 2; busy++) {
                cell_ns(s[size][busy].ns[k][0]);
                cell_ns(s[size][busy].others[k][0]);
            }
            row_end();
        }
    table_note("Device memory that the second context and a stream take: %.0f MiB.", s[0][0].bytes[0] / 1048576);
}

/* ---------------------------------------------------------------------------------------------------------------------- detour */

/* Before and after it, the order of a stream of the primary context; the events are one of each context. */
static int detour(struct round *r, CUstream stream, CUevent before, CUevent after)
{
    const gpudl_driver_table *cu = r->x->cu;
    int result = cu->EventRecord(before, stream);

    result = result ? result : cu->CtxSetCurrent(r->second);
    result = result ? result : cu->StreamWaitEvent(r->stream, before, 0);
    result = result ? result : launch_into(r);
    result = result ? result : cu->EventRecord(after, r->stream);
    cu->CtxSetCurrent(r->x->context);
    return result ? result : cu->StreamWaitEvent(stream, after, 0);
}

/* A row: what the host and, launch after launch, the device take for one. */
static void launches(struct round *r, bool through_second, CUevent after)
{
    struct experiment *x = r->x;
    CUstream stream = new_stream(x);
    unsigned n = x->quick ? 10 : DETOURS;
    double start, host;
    CUevent before;

    cell_text("%s", through_second ? "through the second context, in order" : "in the primary context");
    if (!stream || must(x, x->cu->EventCreate(&before, GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate") != 0)
        return;
    start = bench_now();
    for (unsigned i = 0; i < n; i++) {
        must(x, launch_nothing(x, stream), "a launch");
        if (through_second)
            must(x, detour(r, stream, before, after), "a detour");
        else
            must(x, launch_nothing(x, stream), "a launch");
    }
    host = bench_now() - start;
    must(x, x->cu->StreamSynchronize(stream), "cuStreamSynchronize");
    cell_ns(host / n);
    cell_ns((bench_now() - start) / n);
    row_end();
    must(x, x->cu->EventDestroy(before), "cuEventDestroy");
    must(x, x->cu->StreamDestroy(stream), "cuStreamDestroy");
}

static void print_detour(struct experiment *x, CUdeviceptr memory)
{
    struct round r = { .x = x, .image = new_image(x, 4 << 10), .memory = memory };
    uint32_t word = ~0u;
    CUevent after;
    int result;

    table_begin("A launch in the primary context and one more behind it", "the second one|host, both|host and device, both");
    if (!r.image || must(x, create(&r), "cuCtxCreate") != 0 || must(x, create_stream(&r), "cuStreamCreate") != 0 ||
        must(x, load_code(&r), "cuLibraryLoadData") != 0)
        return;
    must(x, x->cu->MemcpyHtoD(memory, &word, sizeof(word)), "cuMemcpyHtoD");
    result = launch(&r);
    must(x, x->cu->MemcpyDtoH(&word, memory, sizeof(word)), "cuMemcpyDtoH");
    x->cu->CtxSetCurrent(r.second);
    must(x, x->cu->EventCreate(&after, GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate");
    x->cu->CtxSetCurrent(x->context);
    for (unsigned i = 0; i < 4; i++)
        launches(&r, i % 2, after);
    must(x, x->cu->EventDestroy(after), "cuEventDestroy");
    must(x, unload_code(&r), "cuLibraryUnload");
    must(x, destroy(&r), "cuCtxDestroy");
    table_note("A kernel of the second context that writes the primary one's memory: %s, and the memory is %s.",
        answer(x, result), word == 0 ? "written" : "not written");
}

static void run(struct experiment *x)
{
    CUdeviceptr memory;

    if (must(x, x->cu->MemAlloc(&memory, 4096), "cuMemAlloc") != 0)
        return;
    print_steps(x, memory);
    print_detour(x, memory);
    must(x, x->cu->MemFree(memory), "cuMemFree");
}

int main(int argc, char **argv)
{
    static const struct experiment_plan plan = { "second_context",
        "what does the way round through a second context cost, and what waits?", run, NULL };

    return experiment_main(argc, argv, &plan);
}
