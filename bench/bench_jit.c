/* From PTX text to the end of the first launch: load, get the kernel, launch, wait; on the driver that GPUDL_DRIVER names.
 * Each text is new to every cache: it ends in a comment that was not there before. */
#include "bench/device.h"
#include "bench/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PARAMS 16

static const char *const names[] = { "saxpy", "sgemm", "black_scholes", "nbody", "mandelbrot", "stencil", "histogram", "reduce",
    "scan" };

struct text {
    struct bench_device *device;
    const char *kernel;
    char *ptx; /* with room for a comment */
    size_t size;
    unsigned count;
    CUdeviceptr memory; /* for every pointer argument */
};

static bool read_text(const char *file, struct text *t)
{
    char path[4096];
    FILE *f = bench_data(file, path, sizeof(path)) ? fopen(path, "r") : NULL;
    long size;

    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    t->ptx = size > 0 ? malloc((size_t)size + 64) : NULL;
    t->size = t->ptx ? fread(t->ptx, 1, (size_t)size, f) : 0;
    fclose(f);
    return t->size != 0;
}

/* Every count is 0, so that the kernels do next to nothing, and every pointer leads to memory. */
static bool launch_idle(struct text *t, gpudl_kernel *kernel)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 128);
    uint64_t zero = 0;
    void *params[MAX_PARAMS];
    size_t n;

    if (gpudl_kernel_param_count(kernel, &n) != GPUDL_OK || n > MAX_PARAMS)
        return false;
    for (size_t i = 0; i < n; i++) {
        gpudl_param_info info = { .size_of_struct = sizeof(info) };

        if (gpudl_kernel_param(kernel, i, &info) != GPUDL_OK)
            return false;
        params[i] = info.size == sizeof(CUdeviceptr) ? (void *)&t->memory : (void *)&zero;
    }
    return gpudl_kernel_launch_params(kernel, &config, params) == GPUDL_OK && bench_device_wait(t->device);
}

static bool first_launch(struct text *t, size_t size)
{
    gpudl_library *library;
    gpudl_kernel *kernel = NULL;
    bool ok;

    if (gpudl_library_load(t->device->loader, GPUDL_MEMORY(t->ptx, size), NULL, &library) != GPUDL_OK)
        return false;
    ok = gpudl_kernel_get(library, t->kernel, &kernel) == GPUDL_OK && launch_idle(t, kernel);
    if (!ok)
        fprintf(stderr, "%s: %s\n", t->kernel, gpudl_error_text());
    gpudl_kernel_release(kernel);
    gpudl_library_release(library);
    return ok;
}

static double sample(void *arg)
{
    struct text *t = arg;
    size_t size = t->size + (size_t)snprintf(t->ptx + t->size, 64, "\n// %d.%u\n", (int)getpid(), t->count++);
    double start = bench_now();

    return first_launch(t, size) ? bench_now() - start : -1;
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "from PTX text to the end of the first launch");
    struct bench_device device;
    CUdeviceptr memory;

    if (!bench_device_open(NULL, &device))
        return bench_end(report);
    bench_note(report, "%s", gpudl_loader_driver_text(device.loader));
    memory = bench_device_buffer(&device, NULL, 1 << 16);
    for (size_t i = 0; memory && i < sizeof(names) / sizeof(*names); i++) {
        struct text t = { .device = &device, .kernel = names[i], .memory = memory };
        const struct bench_side side = { "text to result", sample, &t };
        char file[64];

        snprintf(file, sizeof(file), "%s.ptx", names[i]);
        if (read_text(file, &t))
            bench_compare(report, names[i], &side, 1, 21, 0);
        free(t.ptx);
    }
    bench_device_close(&device);
    return bench_end(report);
}
