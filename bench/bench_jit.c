/* From PTX text to the end of the first launch: load, get the kernel, launch, wait; on the driver that GPUDL_DRIVER names. Of a text that is new
 * to every cache, as it ends in a comment that was not there before; of the same text again, whose code is on disk; both in a process of their own,
 * whose start is not counted; and of a text that this process has loaded already. The bench is its own such process:
 * `bench_jit --first FILE KERNEL [--cpu-time]` prints the time in ns. */
#include "bench/device.h"
#include "bench/harness.h"

#include <ftw.h>
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
    char *ptx;
    size_t size;
    unsigned count;
    CUdeviceptr memory; /* for every pointer argument */
};

static char folder[] = "/tmp/gpudl-bench-XXXXXX", text_file[64], self[4096];
static bool cpu_time; /* --cpu-time */

static bool read_text(const char *path, struct text *t)
{
    FILE *f = fopen(path, "r");
    long size;

    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    t->ptx = size > 0 ? malloc((size_t)size) : NULL;
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

static bool first_launch(struct text *t)
{
    gpudl_library *library;
    gpudl_kernel *kernel = NULL;
    bool ok;

    if (gpudl_library_load(t->device->loader, GPUDL_MEMORY(t->ptx, t->size), NULL, &library) != GPUDL_OK)
        return false;
    ok = gpudl_kernel_get(library, t->kernel, &kernel) == GPUDL_OK && launch_idle(t, kernel);
    if (!ok)
        fprintf(stderr, "%s: %s\n", t->kernel, gpudl_error_text());
    gpudl_kernel_release(kernel);
    gpudl_library_release(library);
    return ok;
}

static double loaded(void *arg)
{
    double start = bench_now();

    return first_launch(arg) ? bench_now() - start : -1;
}

/* ---- in another process */

static int first(const char *file, const char *kernel)
{
    struct bench_device device;
    struct text t = { .device = &device, .kernel = kernel };
    double time = -1;

    if (cpu_time)
        bench_use_cpu_time();
    if (!read_text(file, &t) || !bench_device_open(NULL, &device))
        return 1;
    t.memory = bench_device_buffer(&device, NULL, 1 << 16);
    if (t.memory)
        time = loaded(&t);
    printf("%.0f\n", time);
    bench_device_close(&device);
    free(t.ptx);
    return time < 0;
}

static double known(void *arg)
{
    struct text *t = arg;
    char command[sizeof(self) + 256];
    FILE *child;
    double time;

    snprintf(command, sizeof(command), "'%s' --first %s %s%s", self, text_file, t->kernel, cpu_time ? " --cpu-time" : "");
    child = popen(command, "r");
    if (!child)
        return -1;
    if (fscanf(child, "%lf", &time) != 1)
        time = -1;
    return pclose(child) == 0 ? time : -1;
}

static double new(void *arg)
{
    struct text *t = arg;
    FILE *f = fopen(text_file, "w");
    bool ok = f != NULL;

    if (f) {
        ok = fwrite(t->ptx, 1, t->size, f) == t->size && fprintf(f, "\n// %d.%u\n", (int)getpid(), t->count++) > 0;
        ok = fclose(f) == 0 && ok;
    }
    return ok ? known(t) : -1;
}

/* ---- */

static void measure(struct bench_report *report, struct text *t)
{
    const struct bench_side sides[] = { { "new text", new, t }, { "known on disk", known, t }, { "loaded already", loaded, t } };
    gpudl_library *held;

    if (gpudl_library_load(t->device->loader, GPUDL_MEMORY(t->ptx, t->size), NULL, &held) != GPUDL_OK)
        return;
    bench_compare(report, t->kernel, sides, sizeof(sides) / sizeof(*sides), 21, 0);
    gpudl_library_release(held);
}

/* The user's own cache is left alone. */
static bool make_folder(void)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n < 0 || !mkdtemp(folder))
        return false;
    snprintf(text_file, sizeof(text_file), "%s/text.ptx", folder);
    return setenv("GPUDL_CACHE_DIR", folder, 1) == 0 && setenv("GPUDL_QUIET", "1", 1) == 0;
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what, (void)at;
    return remove(path);
}

int main(int argc, char **argv)
{
    struct bench_report *report;
    struct bench_device device;
    CUdeviceptr memory;
    char file[64], path[4096];

    for (int i = 1; i < argc; i++)
        cpu_time = cpu_time || strcmp(argv[i], "--cpu-time") == 0;
    if (argc >= 4 && strcmp(argv[1], "--first") == 0)
        return first(argv[2], argv[3]);
    report = bench_begin(argc, argv, "from PTX text to the end of the first launch");
    if (!make_folder() || !bench_device_open(NULL, &device))
        return bench_end(report);
    bench_note(report, "%s", gpudl_loader_driver_text(device.loader));
    memory = bench_device_buffer(&device, NULL, 1 << 16);
    for (size_t i = 0; memory && i < sizeof(names) / sizeof(*names); i++) {
        struct text t = { .device = &device, .kernel = names[i], .memory = memory };

        snprintf(file, sizeof(file), "%s.ptx", names[i]);
        if (bench_data(file, path, sizeof(path)) && read_text(path, &t))
            measure(report, &t);
        free(t.ptx);
    }
    bench_device_close(&device);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return bench_end(report);
}
