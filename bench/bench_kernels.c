/* The nine kernels on one core: softcuda's machine code against the same algorithms in C by clang -O3 -ffast-math, by clang
 * with -fveclib=libmvec, and in OpenCL on PoCL where there is one. Machine code is made before the first sample; a sample is
 * launches in a row and one wait. */
#include "bench/device.h"
#include "bench/harness.h"
#include "bench/kernels_c/kernels.h"
#include "bench/opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 5
#define MAX_ARGS 8
#define SAMPLE_NS 4e6

enum type { FLOATS, INTS, BYTES };

struct buffer {
    enum type type;
    size_t count;
};

struct arg {
    enum { END, INT, FLOAT, BUFFER } kind;
    int i;
    float f;
};

struct kernel {
    const char *name;
    double budget;              /* the most that softcuda / C may be */
    unsigned grid[3], block[3];
    struct buffer buffers[MAX_BUFFERS];
    int output;                 /* the buffer whose sum is compared */
    struct arg args[MAX_ARGS + 1];
    void (*c)(void **buffers), (*mvec)(void **buffers);
};

#define SIDES(name, ...) \
    static void name##_in_c(void **b) { name##_c(__VA_ARGS__); } \
    static void name##_in_mvec(void **b) { name##_mvec(__VA_ARGS__); }

SIDES(saxpy, 1 << 20, 2.f, b[0], b[1])
SIDES(sgemm, 512, b[0], b[1], b[2])
SIDES(black_scholes, 1 << 20, b[0], b[1], b[2], b[3], b[4], 0.05f, 0.3f)
SIDES(nbody, 4096, b[0], b[1], 0.01f, 0.1f)
SIDES(mandelbrot, 1024, 512, -2.f, -1.f, 0.00390625f, 256, b[0])
SIDES(stencil, 2048, 2048, b[0], b[1])
SIDES(histogram, 1 << 22, b[0], b[1])
SIDES(reduce, 1 << 22, b[0], b[1])
SIDES(scan, 1 << 18, 256, b[0], b[1])

#define I(v) { INT, v, 0 }
#define F(v) { FLOAT, 0, v }
#define B(index) { BUFFER, index, 0 }
#define RUNS(name) name##_in_c, name##_in_mvec

static const struct kernel kernels[] = {
    { "saxpy", 1.1, { 4096, 1, 1 }, { 256, 1, 1 }, { { FLOATS, 1 << 20 }, { FLOATS, 1 << 20 } }, 1,
      { I(1 << 20), F(2.f), B(0), B(1) }, RUNS(saxpy) },
    { "sgemm", 4.4, { 32, 32, 1 }, { 16, 16, 1 }, { { FLOATS, 512 * 512 }, { FLOATS, 512 * 512 }, { FLOATS, 512 * 512 } }, 2,
      { I(512), I(512), I(512), B(0), B(1), B(2) }, RUNS(sgemm) },
    { "black_scholes", 0.06, { 4096, 1, 1 }, { 256, 1, 1 },
      { { FLOATS, 1 << 20 }, { FLOATS, 1 << 20 }, { FLOATS, 1 << 20 }, { FLOATS, 1 << 20 }, { FLOATS, 1 << 20 } }, 3,
      { I(1 << 20), B(0), B(1), B(2), B(3), B(4), F(0.05f), F(0.3f) }, RUNS(black_scholes) },
    { "nbody", 1.38, { 32, 1, 1 }, { 128, 1, 1 }, { { FLOATS, 4 * 4096 }, { FLOATS, 4 * 4096 } }, 1,
      { B(0), B(1), F(0.01f), F(0.1f) }, RUNS(nbody) },
    { "mandelbrot", 0.10, { 64, 32, 1 }, { 16, 16, 1 }, { { INTS, 1024 * 512 } }, 0,
      { I(1024), I(512), F(-2.f), F(-1.f), F(0.00390625f), I(256), B(0) }, RUNS(mandelbrot) },
    { "stencil", 1.85, { 64, 256, 1 }, { 32, 8, 1 }, { { FLOATS, 2048 * 2048 }, { FLOATS, 2048 * 2048 } }, 1,
      { I(2048), I(2048), B(0), B(1) }, RUNS(stencil) },
    { "histogram", 19, { 64, 1, 1 }, { 256, 1, 1 }, { { BYTES, 1 << 22 }, { INTS, 256 } }, 1,
      { I(1 << 22), B(0), B(1) }, RUNS(histogram) },
    { "reduce", 3.4, { 64, 1, 1 }, { 256, 1, 1 }, { { FLOATS, 1 << 22 }, { FLOATS, 64 } }, 1,
      { I(1 << 22), B(0), B(1) }, RUNS(reduce) },
    { "scan", 15.6, { 1024, 1, 1 }, { 256, 1, 1 }, { { INTS, 1 << 18 }, { INTS, 1 << 18 } }, 1,
      { I(1 << 18), B(0), B(1) }, RUNS(scan) },
};

/* One kernel, ready to run both ways. */
struct run {
    const struct kernel *kernel;
    struct bench_device *device;    /* NULL: C only */
    gpudl_kernel *code;
    gpudl_launch_config config;
    void *host[MAX_BUFFERS];
    CUdeviceptr memory[MAX_BUFFERS];
    void *params[MAX_ARGS];
    struct arg args[MAX_ARGS];
    struct opencl *opencl;          /* NULL: without */
    struct opencl_kernel *cl_code;
    struct opencl_buffer *cl_memory[MAX_BUFFERS];
    size_t device_repeats, c_repeats, mvec_repeats, cl_repeats;
};

static size_t bytes_of(const struct buffer *b)
{
    return b->count * (b->type == BYTES ? 1 : 4);
}

/* Inputs between 0.5 and 1.5 (bytes: all; ints: below 100), outputs zero. */
static void fill(const struct buffer *b, bool output, uint32_t seed, void *to)
{
    uint32_t s = seed * 2654435761u + 1;

    memset(to, 0, bytes_of(b));
    for (size_t i = 0; i < b->count && !output; i++) {
        s = s * 1664525u + 1013904223u;
        if (b->type == FLOATS)
            ((float *)to)[i] = 0.5f + (float)(s >> 8) * 0x1p-24f;
        else if (b->type == INTS)
            ((int *)to)[i] = (int)((s >> 8) % 100);
        else
            ((unsigned char *)to)[i] = (unsigned char)(s >> 24);
    }
}

static double sum_of(const struct buffer *b, const void *values)
{
    double sum = 0;

    for (size_t i = 0; i < b->count; i++)
        sum += b->type == FLOATS ? (double)((const float *)values)[i] : (double)((const int *)values)[i];
    return sum;
}

static bool prepare_host(struct run *r)
{
    for (int i = 0; i < MAX_BUFFERS && r->kernel->buffers[i].count; i++) {
        r->host[i] = aligned_alloc(64, (bytes_of(&r->kernel->buffers[i]) + 63) / 64 * 64);
        if (!r->host[i])
            return false;
        fill(&r->kernel->buffers[i], i == r->kernel->output, (uint32_t)i, r->host[i]);
    }
    return true;
}

/* softcuda's memory is memory of this process: all sides read the same inputs, so that none drives another's out of the caches. */
static void share_inputs(struct run *r)
{
    for (int i = 0; i < MAX_BUFFERS && r->host[i]; i++)
        if (i != r->kernel->output) {
            free(r->host[i]);
            r->host[i] = (void *)(uintptr_t)r->memory[i];
        }
}

static bool prepare_device(struct run *r)
{
    const struct kernel *k = r->kernel;
    char file[64];

    for (int i = 0; i < MAX_BUFFERS && r->host[i]; i++)
        if (!(r->memory[i] = bench_device_buffer(r->device, r->host[i], bytes_of(&k->buffers[i]))))
            return false;
    share_inputs(r);
    for (int i = 0; i < MAX_ARGS && k->args[i].kind != END; i++) {
        r->args[i] = k->args[i];
        r->params[i] = k->args[i].kind == INT     ? (void *)&r->args[i].i
                       : k->args[i].kind == FLOAT ? (void *)&r->args[i].f
                                                  : (void *)&r->memory[k->args[i].i];
    }
    r->config = gpudl_launch_3d(k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    snprintf(file, sizeof(file), "%s.ptx", k->name);
    return (r->code = bench_device_kernel(r->device, file, k->name)) != NULL;
}

static bool prepare_opencl(struct run *r)
{
    const struct kernel *k = r->kernel;
    bool ok = (r->cl_code = opencl_kernel(r->opencl, k->name)) != NULL;

    for (int i = 0; ok && i < MAX_BUFFERS && r->host[i]; i++)
        ok = (r->cl_memory[i] = opencl_buffer(r->opencl, r->host[i], bytes_of(&k->buffers[i]))) != NULL;
    for (unsigned i = 0; ok && i < MAX_ARGS && k->args[i].kind != END; i++) {
        const struct arg *a = &k->args[i];

        if (a->kind == BUFFER)
            ok = opencl_argument(r->opencl, r->cl_code, i, &r->cl_memory[a->i], sizeof(void *));
        else
            ok = opencl_argument(r->opencl, r->cl_code, i, a->kind == INT ? (const void *)&a->i : (const void *)&a->f, 4);
    }
    return ok;
}

static bool launch_all(struct run *r, size_t repeats)
{
    for (size_t i = 0; i < repeats; i++)
        if (gpudl_kernel_launch_params(r->code, &r->config, r->params) != GPUDL_OK) {
            fprintf(stderr, "%s: %s\n", r->kernel->name, gpudl_error_text());
            return false;
        }
    return bench_device_wait(r->device);
}

/* Every sample begins with a run that is not timed: the sides take turns, and each finds the caches full of another's data. */
static double launch_once(struct run *r, size_t repeats)
{
    double start;

    if (!launch_all(r, 1))
        return -1;
    start = bench_now();
    return launch_all(r, repeats) ? (bench_now() - start) / (double)repeats : -1;
}

static double launch_opencl(struct run *r, size_t repeats)
{
    double start;

    if (!opencl_launch(r->opencl, r->cl_code, r->kernel->grid, r->kernel->block) || !opencl_wait(r->opencl))
        return -1;
    start = bench_now();

    for (size_t i = 0; i < repeats; i++)
        if (!opencl_launch(r->opencl, r->cl_code, r->kernel->grid, r->kernel->block))
            return -1;
    return opencl_wait(r->opencl) ? (bench_now() - start) / (double)repeats : -1;
}

static double call(void (*f)(void **), void **buffers, size_t repeats)
{
    double start;

    f(buffers);
    start = bench_now();
    for (size_t i = 0; i < repeats; i++)
        f(buffers);
    return (bench_now() - start) / (double)repeats;
}

static double sample_device(void *arg)
{
    struct run *r = arg;

    return launch_once(r, r->device_repeats);
}

static double sample_c(void *arg)
{
    struct run *r = arg;

    return call(r->kernel->c, r->host, r->c_repeats);
}

static double sample_mvec(void *arg)
{
    struct run *r = arg;

    return call(r->kernel->mvec, r->host, r->mvec_repeats);
}

static double sample_opencl(void *arg)
{
    struct run *r = arg;

    return launch_opencl(r, r->cl_repeats);
}

static size_t repeats_for(double ns)
{
    return ns >= SAMPLE_NS ? 1 : (size_t)(SAMPLE_NS / (ns + 1)) + 1;
}

/* Both outputs after one run from the same inputs; a kernel that computes something else is not worth timing. */
static bool same_result(struct run *r, struct bench_report *report)
{
    const struct buffer *b = &r->kernel->buffers[r->kernel->output];
    double c, device;
    void *back;

    r->kernel->c(r->host);
    c = sum_of(b, r->host[r->kernel->output]);
    if (!r->device)
        return true;
    back = calloc(1, bytes_of(b));
    if (!back || !launch_all(r, 1) || r->device->driver->MemcpyDtoH(back, r->memory[r->kernel->output], bytes_of(b)) != 0) {
        free(back);
        return false;
    }
    device = sum_of(b, back);
    free(back);
    if (fabs(device - c) <= 1e-3 * fabs(c))
        return true;
    bench_note(report, "%s: WRONG: the sum of its output is %.9g, C has %.9g", r->kernel->name, device, c);
    return false;
}

static void measure(struct bench_report *report, struct run *r)
{
    struct bench_side sides[4];
    size_t n = 0;

    if (r->device) {
        r->device_repeats = repeats_for(launch_once(r, 1));
        sides[n++] = (struct bench_side){ "softcuda", sample_device, r };
    }
    r->c_repeats = repeats_for(call(r->kernel->c, r->host, 1));
    sides[n++] = (struct bench_side){ "clang", sample_c, r };
    r->mvec_repeats = repeats_for(call(r->kernel->mvec, r->host, 1));
    sides[n++] = (struct bench_side){ "clang libmvec", sample_mvec, r };
    if (r->opencl && launch_opencl(r, 1) > 0) {
        r->cl_repeats = repeats_for(launch_opencl(r, 1));
        sides[n++] = (struct bench_side){ "OpenCL", sample_opencl, r };
    }
    bench_compare(report, r->kernel->name, sides, n, 0, r->device ? r->kernel->budget : 0);
}

static void bench_one(struct bench_report *report, struct bench_device *device, struct opencl *opencl, const struct kernel *k)
{
    struct run r = { .kernel = k, .device = device, .opencl = opencl };

    if (!prepare_host(&r) || (opencl && !prepare_opencl(&r)) || (device && !prepare_device(&r)) || !same_result(&r, report))
        bench_note(report, "%s: not measured", k->name);
    else
        measure(report, &r);
    gpudl_kernel_release(r.code);
    opencl_release_kernel(opencl, r.cl_code);
    for (int i = 0; i < MAX_BUFFERS; i++) {
        opencl_release_buffer(opencl, r.cl_memory[i]);
        if ((uintptr_t)r.host[i] != r.memory[i])
            free(r.host[i]);
    }
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "nine kernels on one core: softcuda / C");
    struct bench_device device;
    struct opencl *opencl;
    bool have;

    setenv("SOFTCUDA_THREADS", "1", 0);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    setenv("GPUDL_QUIET", "1", 0);
    opencl = opencl_open("kernels.cl");
    have = bench_device_open("softcuda", &device);
    if (!have)
        bench_note(report, "no softcuda here: C alone");
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
        if (bench_wanted(report, kernels[i].name))
            bench_one(report, have ? &device : NULL, opencl, &kernels[i]);
    if (have)
        bench_device_close(&device);
    opencl_close(opencl);
    return bench_end(report);
}
