/* What is read from machine code against what the driver says of the same kernels once they are loaded: registers, shared and local
 * memory, largest block, parameters. Needs a GPU (77: none); looks at every cubin of the files named that is made for that device.
 *     test_image_device DATA_FOLDER [FILE...] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpudl/driver.h>

#include "src/image/details.h"
#include "src/image/explain.h"
#include "src/image/image.h"

#define SKIPPED 77
#define COMPLAINTS_MOST 20
#define DEVICE_MOST_THREADS 1024

enum { MAX_THREADS = 0, SHARED_BYTES = 1, LOCAL_BYTES = 3, REGISTERS = 4 };
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*device_attribute)(int *, int, int);
    int (*retain)(CUcontext *, int);
    int (*current)(CUcontext);
    int (*load)(CUlibrary *, const void *, const void *, const void *, unsigned, const void *, const void *, unsigned);
    int (*unload)(CUlibrary);
    int (*kernel)(CUkernel *, CUlibrary, const char *);
    int (*attribute)(int *, int, CUkernel, int);
    int (*param)(CUkernel, size_t, size_t *, size_t *);
} cu;

static struct {
    size_t cubins, kernels, params, complaints;
} sum;

static bool find(void *lib, void *out, const char *name)
{
    void *p = dlsym(lib, name);

    memcpy(out, &p, sizeof(p));
    return p != NULL;
}

static bool open_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);

    return lib && find(lib, &cu.init, "cuInit") && find(lib, &cu.device, "cuDeviceGet")
        && find(lib, &cu.device_attribute, "cuDeviceGetAttribute") && find(lib, &cu.retain, "cuDevicePrimaryCtxRetain")
        && find(lib, &cu.current, "cuCtxSetCurrent") && find(lib, &cu.load, "cuLibraryLoadData")
        && find(lib, &cu.unload, "cuLibraryUnload") && find(lib, &cu.kernel, "cuLibraryGetKernel")
        && find(lib, &cu.attribute, "cuKernelGetAttribute") && find(lib, &cu.param, "cuKernelGetParamInfo");
}

static void complain(const char *kernel, const char *what, unsigned long long ours, unsigned long long theirs)
{
    if (++sum.complaints <= COMPLAINTS_MOST)
        fprintf(stderr, "%s: %s: read %llu, the driver says %llu\n", kernel, what, ours, theirs);
}

static void compare(const char *kernel, const char *what, CUkernel k, int attribute, uint32_t ours)
{
    int theirs = -1;

    if (ours != IMAGE_NOT_KNOWN && (cu.attribute(&theirs, attribute, k, 0) || (uint32_t)theirs != ours))
        complain(kernel, what, ours, (unsigned long long)(long long)theirs);
}

static void compare_params(const struct image_kernel *k, CUkernel loaded)
{
    size_t offset, size;

    for (uint32_t i = 0; i < k->nparams; i++, sum.params++) {
        offset = size = 0;
        if (cu.param(loaded, i, &offset, &size) || offset != k->params[i].offset || size != k->params[i].size)
            complain(k->name, "offset and size of a parameter", k->params[i].offset * 100000ull + k->params[i].size,
                offset * 100000ull + size);
    }
    if (k->params_known && !cu.param(loaded, k->nparams, &offset, &size))
        complain(k->name, "number of parameters", k->nparams, k->nparams + 1ull);
}

static void compare_kernel(CUlibrary library, const struct image_kernel *k, const struct image_resources *r)
{
    CUkernel loaded;

    sum.kernels++;
    if (cu.kernel(&loaded, library, k->name)) {
        complain(k->name, "there", 1, 0);
        return;
    }
    compare(k->name, "registers", loaded, REGISTERS, r->registers);
    compare(k->name, "static shared bytes", loaded, SHARED_BYTES, r->shared);
    compare(k->name, "local bytes", loaded, LOCAL_BYTES, r->stack);
    /* What .reqntid asks for does not show in the driver's attribute. */
    if (r->max_threads && r->max_threads <= DEVICE_MOST_THREADS && !r->required_block[0])
        compare(k->name, "threads of a block", loaded, MAX_THREADS, r->max_threads);
    compare_params(k, loaded);
}

static void compare_cubin(struct image *im, size_t i)
{
    const struct image_details *d;
    const struct image_kernel *k;
    CUlibrary library;
    struct span payload;
    char text[256];
    size_t n;

    if (gpudl__image_kernels(im, i, &k, &n, text, sizeof(text)) || gpudl__image_details(im, i, &d, text, sizeof(text))
        || gpudl__image_payload(im, i, &payload, text, sizeof(text))) {
        fprintf(stderr, "%s\n", text);
        sum.complaints++;
        return;
    }
    sum.cubins++;
    if (cu.load(&library, payload.data, NULL, NULL, 0, NULL, NULL, 0)) {
        complain("a cubin", "loads", 1, 0);
        return;
    }
    for (size_t j = 0; j < n; j++)
        compare_kernel(library, &k[j], &d->kernels[j]);
    cu.unload(library);
}

static void compare_file(const char *path, const struct image_target *target)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data;
    struct image *im;
    long size;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) || !(data = malloc((size_t)size + 1))
        || fread(data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        sum.complaints++;
        return;
    }
    fclose(f);
    if (gpudl__image_inspect((struct span){ data, (size_t)size }, NULL, &im, NULL, 0) == IMAGE_OK) {
        for (size_t i = 0; i < gpudl__image_count(im); i++) {
            if (gpudl__image_entry(im, i)->format == IMAGE_CUBIN
                && gpudl__image_judge(im, i, target, NULL) == IMAGE_VERDICT_FITS)
                compare_cubin(im, i);
            gpudl__image_forget(im, i);
        }
        gpudl__image_close(im);
    }
    free(data);
}

int main(int argc, char **argv)
{
    static const char *const files[] = { "k_all.fatbin", "a_80.cubin", "a_default.fatbin", "a_100.fatbin", "p.fatbin", "c_90.cubin",
        "d_90.cubin", "launch.cubin", "names.cubin", "k_debug.fatbin", "a_118.fatbin", "h.exe", "hr.exe" };
    struct image_target target = { .machine_code = true };
    int device, major = 0, minor = 0;
    CUcontext context;
    char path[4096];

    if (!open_driver() || cu.init(0) || cu.device(&device, 0) || cu.device_attribute(&major, CAPABILITY_MAJOR, device)
        || cu.device_attribute(&minor, CAPABILITY_MINOR, device) || cu.retain(&context, device) || cu.current(context))
        return SKIPPED;
    target.sm = (unsigned)(10 * major + minor);
    for (size_t i = 0; argc > 1 && i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", argv[1], files[i]);
        compare_file(path, &target);
    }
    for (int i = 2; i < argc; i++)
        compare_file(argv[i], &target);
    printf("sm_%u: %zu cubins, %zu kernels, %zu parameters, %zu differences\n", target.sm, sum.cubins, sum.kernels, sum.params,
        sum.complaints);
    return sum.complaints != 0;
}
