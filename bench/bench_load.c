/* Load a small cubin from a file and get its kernel: gpudl against the CUDA runtime (cudaLibraryLoadFromFile,
 * cudaLibraryGetKernel) and against the bare driver (cuLibraryLoadFromFile, cuLibraryGetKernel). Only where there is an NVIDIA
 * GPU; the runtime's side only where a libcudart is found. The cubins are made for the GPU at hand by the driver's linker,
 * each of other code, so that nothing is shared; unloading is not timed. */
#include "bench/device.h"
#include "bench/harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIANTS 64
#define LOADS 16 /* of one sample */
#define JIT_INPUT_PTX 1

/* What is not in gpudl's table, as the CUDA manuals declare it. */
struct driver_calls {
    int (*link_create)(unsigned, int *, void **, void **);
    int (*link_add)(void *, int, void *, size_t, const char *, unsigned, int *, void **);
    int (*link_complete)(void *, void **, size_t *);
    int (*link_destroy)(void *);
    int (*load)(void **, const char *, int *, void **, unsigned, int *, void **, unsigned);
    int (*kernel)(void **, void *, const char *);
    int (*unload)(void *);
};

struct runtime_calls {
    int (*load)(void **, const char *, int *, void **, unsigned, int *, void **, unsigned);
    int (*kernel)(void **, void *, const char *);
    int (*unload)(void *);
};

struct loads {
    struct bench_device *device;
    struct driver_calls driver;
    struct runtime_calls runtime;
    char folder[64];
    unsigned next; /* variant */
};

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool open_driver(struct driver_calls *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    return library && find(library, "cuLinkCreate_v2", &d->link_create) && find(library, "cuLinkAddData_v2", &d->link_add) &&
        find(library, "cuLinkComplete", &d->link_complete) && find(library, "cuLinkDestroy", &d->link_destroy) &&
        find(library, "cuLibraryLoadFromFile", &d->load) && find(library, "cuLibraryGetKernel", &d->kernel) &&
        find(library, "cuLibraryUnload", &d->unload);
}

static bool open_runtime(struct runtime_calls *r)
{
    static const char *const names[] = { "libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.13",
        "/usr/local/cuda/lib64/libcudart.so.12" };
    const char *named = getenv("GPUDL_BENCH_CUDART");
    void *library = named ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "cudaLibraryLoadFromFile", &r->load) && find(library, "cudaLibraryGetKernel", &r->kernel) &&
        find(library, "cudaLibraryUnload", &r->unload);
}

/* ----------------------------------------------------------------------------------------------------------------- the cubins */

static const char *variant_path(const struct loads *l, unsigned variant, char path[96])
{
    snprintf(path, 96, "%s/%u.cubin", l->folder, variant);
    return path;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, size, f) == size;

    return f && fclose(f) == 0 && ok;
}

static bool make_cubin(struct loads *l, unsigned variant, size_t *size)
{
    static const char text[] =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry fill(.param .u64 to)\n{\n"
        ".reg .u64 %%p;\n.reg .u32 %%t;\n.reg .u64 %%o;\n"
        "ld.param.u64 %%p, [to];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%o, %%t, 4;\nadd.u64 %%p, %%p, %%o;\n"
        "add.u32 %%t, %%t, %u;\nst.global.u32 [%%p], %%t;\nret;\n}\n";
    char ptx[1024], path[96];
    void *link, *cubin;
    bool ok;

    snprintf(ptx, sizeof(ptx), text, 1000 + variant);
    if (l->driver.link_create(0, NULL, NULL, &link) != 0)
        return false;
    ok = l->driver.link_add(link, JIT_INPUT_PTX, ptx, strlen(ptx) + 1, "fill", 0, NULL, NULL) == 0 &&
        l->driver.link_complete(link, &cubin, size) == 0 && write_file(variant_path(l, variant, path), cubin, *size);
    l->driver.link_destroy(link);
    return ok;
}

static void remove_cubins(const struct loads *l)
{
    char path[96];

    for (unsigned v = 0; v < VARIANTS; v++)
        unlink(variant_path(l, v, path));
    rmdir(l->folder);
}

/* ---------------------------------------------------------------------------------------------------------------- the samples */

static double sample_gpudl(void *arg)
{
    struct loads *l = arg;
    double total = 0;

    for (unsigned i = 0; i < LOADS; i++) {
        gpudl_library *library = NULL;
        gpudl_kernel *kernel = NULL;
        char path[96];
        double start;
        bool ok;

        variant_path(l, l->next++ % VARIANTS, path);
        start = bench_now();
        ok = gpudl_library_load(l->device->loader, GPUDL_FILE(path), NULL, &library) == GPUDL_OK &&
            gpudl_kernel_get(library, "fill", &kernel) == GPUDL_OK;
        total += bench_now() - start;
        gpudl_kernel_release(kernel);
        gpudl_library_release(library);
        gpudl_loader_trim(l->device->loader, 0, 0); /* not warm for its next load */
        gpudl_loader_reap(l->device->loader, 0, NULL);
        if (!ok) {
            fprintf(stderr, "%s\n", gpudl_error_text());
            return -1;
        }
    }
    return total / LOADS;
}

/* The driver's and the runtime's calls have the same shape. */
static double sample_calls(struct loads *l, const struct runtime_calls *calls)
{
    double total = 0;

    for (unsigned i = 0; i < LOADS; i++) {
        void *library = NULL, *kernel;
        char path[96];
        double start;
        bool ok;

        variant_path(l, l->next++ % VARIANTS, path);
        start = bench_now();
        ok = calls->load(&library, path, NULL, NULL, 0, NULL, NULL, 0) == 0 && calls->kernel(&kernel, library, "fill") == 0;
        total += bench_now() - start;
        if (!ok || calls->unload(library) != 0)
            return -1;
    }
    return total / LOADS;
}

static double sample_runtime(void *arg)
{
    struct loads *l = arg;

    return sample_calls(l, &l->runtime);
}

static double sample_driver(void *arg)
{
    struct loads *l = arg;
    const struct runtime_calls calls = { l->driver.load, l->driver.kernel, l->driver.unload };

    return sample_calls(l, &calls);
}

static void compare(struct bench_report *report, struct loads *l, size_t size)
{
    const struct bench_side sides[] = { { "gpudl", sample_gpudl, l }, { "cudart", sample_runtime, l },
        { "driver", sample_driver, l } };
    const struct bench_side no_runtime[] = { sides[0], sides[2] };

    bench_note(report, "a cubin of %zu bytes", size);
    if (open_runtime(&l->runtime)) {
        bench_compare(report, "load a file + kernel", sides, 3, 0, 1.2);
    } else {
        bench_note(report, "no libcudart here (GPUDL_BENCH_CUDART names one)");
        bench_compare(report, "load a file + kernel", no_runtime, 2, 0, 0);
    }
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "load a cubin from a file and get its kernel: gpudl / CUDA");
    struct bench_device device;
    struct loads l = { .device = &device, .folder = "/tmp/gpudl-bench-XXXXXX" };
    size_t size = 0;
    bool ok = true;

    if (!open_driver(&l.driver) || !bench_device_open("nvidia", &device)) {
        bench_note(report, "no NVIDIA GPU here: nothing to measure");
        return bench_end(report);
    }
    if (!mkdtemp(l.folder)) {
        perror(l.folder);
        return 1;
    }
    for (unsigned v = 0; ok && v < VARIANTS; v++)
        ok = make_cubin(&l, v, &size);
    if (ok)
        compare(report, &l, size);
    else
        bench_note(report, "the driver made no cubin");
    remove_cubins(&l);
    bench_device_close(&device);
    return bench_end(report);
}
