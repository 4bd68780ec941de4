/* cross.c - one module in three ways: through the driver API, through gpudl, and through the CUDA runtime. Each loads it for
 * itself, and the results are the same to the last bit; and what gpudl has loaded the others can use as their own, since its
 * native handles are theirs. The runtime is opened where it is and sees the device: on a GPU. */
#include <gpudl/gpudl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024, THREADS = 256, BLOCKS = N / THREADS };

/* spiral(x): x[i] = x[i] * sin(x[i]) + sqrt(x[i]); approximate instructions and roundings, where a difference would show. */
static const char module[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry spiral(.param .u64 x)\n{\n.reg .b64 %p, %o;\n.reg .b32 %i, %b, %n;\n.reg .f32 %x, %s, %q;\n"
    "mov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %b, %n, %i;\n"
    "ld.param.u64 %p, [x];\ncvta.to.global.u64 %p, %p;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %p, %p, %o;\n"
    "ld.global.f32 %x, [%p];\nsin.approx.f32 %s, %x;\nsqrt.rn.f32 %q, %x;\nfma.rn.f32 %x, %x, %s, %q;\n"
    "st.global.f32 [%p], %x;\nret;\n}\n";

/* CUDA's runtime as its headers declare it, where they are; a program that has them includes <cuda_runtime_api.h> instead. */
struct dim {
    unsigned x, y, z;
};
static struct {
    int (*device_count)(int *);
    int (*library_load)(void **, const void *, int *, void **, unsigned, int *, void **, unsigned);
    int (*library_kernel)(void **, void *, const char *);
    int (*library_unload)(void *);
    int (*launch)(const void *, struct dim, struct dim, void **, size_t, void *);
} rt;

static const gpudl_driver_table *cu;
static CUdeviceptr memory;
static unsigned first[N]; /* bits of the first way's results */

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of CUDA's returns its code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static void fill(void)
{
    float x[N];

    for (int i = 0; i < N; i++)
        x[i] = (float)i * 0.037f;
    MUST(cu->MemcpyHtoD(memory, x, sizeof(x)));
}

static void compare(const char *way, const void *library, const void *kernel)
{
    static int ways;
    unsigned bits[N];

    MUST(cu->MemcpyDtoH(bits, memory, sizeof(bits)));
    if (!ways++)
        memcpy(first, bits, sizeof(bits));
    printf("%-24s library %p, kernel %p: x[1000] has the bits %08x\n", way, library, kernel, bits[1000]);
    MUST(memcmp(bits, first, sizeof(bits)) != 0);
}

/* ------------------------------------------------------------------------------------------------------------- the three ways */

static void launch_by_driver(const char *way, CUlibrary library, CUkernel expected)
{
    CUkernel kernel;
    void *params[] = { &memory };

    fill();
    MUST(cu->LibraryGetKernel(&kernel, library, "spiral"));
    MUST(expected && kernel != expected); /* the same handle, whoever is asked */
    MUST(cu->LaunchKernel((CUfunction)kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL)); /* CUDA takes either there */
    compare(way, (void *)library, (void *)kernel);
}

/* Returns the kernel's native handle, which is good while the version is pinned. */
static CUkernel launch_by_gpudl(gpudl_library *library, CUlibrary native)
{
    gpudl_launch_config config = gpudl_launch_1d(BLOCKS, THREADS);
    gpudl_kernel *kernel;
    gpudl_version *pin;
    CUkernel ours;

    fill();
    MUST(gpudl_kernel_get(library, "spiral", &kernel));
    MUST(gpudl_launch(kernel, &config, memory));
    MUST(gpudl_kernel_native(kernel, &ours, &pin));
    compare("gpudl", (void *)native, (void *)ours);
    gpudl_version_unpin(pin); /* the caller has one, too */
    gpudl_kernel_release(kernel);
    return ours;
}

static void launch_by_runtime(const char *way, void *library, CUkernel expected)
{
    struct dim grid = { BLOCKS, 1, 1 }, block = { THREADS, 1, 1 };
    void *kernel, *params[] = { &memory };

    fill();
    MUST(rt.library_kernel(&kernel, library, "spiral"));
    MUST(expected && kernel != (void *)expected);
    MUST(rt.launch(kernel, grid, block, params, 0, NULL));
    compare(way, library, kernel);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

/* NULL, or why not. */
static const char *open_runtime(void)
{
    static const char *const names[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so",
        "/usr/local/cuda/lib64/libcudart.so" };
    void *library = NULL;
    int n = 0;

    if (gpudl_loader_is_software(NULL))
        return "it runs on GPUs only, and this is softcuda";
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return "there is no libcudart";
    rt.device_count = (int (*)(int *))dlsym(library, "cudaGetDeviceCount");
    rt.library_load =
        (int (*)(void **, const void *, int *, void **, unsigned, int *, void **, unsigned))dlsym(library, "cudaLibraryLoadData");
    rt.library_kernel = (int (*)(void **, void *, const char *))dlsym(library, "cudaLibraryGetKernel");
    rt.library_unload = (int (*)(void *))dlsym(library, "cudaLibraryUnload");
    rt.launch = (int (*)(const void *, struct dim, struct dim, void **, size_t, void *))dlsym(library, "cudaLaunchKernel");
    if (!rt.device_count || !rt.library_load || !rt.library_kernel || !rt.library_unload || !rt.launch)
        return "it is too old: it has no cudaLibraryLoadData";
    return rt.device_count(&n) || n == 0 ? "it sees no device: it is newer than the driver, perhaps" : NULL;
}

static void cross_check(gpudl_library *library)
{
    const char *why_not = open_runtime();
    gpudl_version *version; /* its native handle is lent for as long as it is pinned */
    CUlibrary native, own;
    CUkernel ours;
    void *runtimes;

    MUST(gpudl_library_pin(library, &version));
    MUST(gpudl_version_native(version, &native));

    MUST(cu->LibraryLoadData(&own, module, NULL, NULL, 0, NULL, NULL, 0));
    launch_by_driver("driver API", own, NULL);
    ours = launch_by_gpudl(library, native);
    launch_by_driver("driver API, gpudl's", native, ours);
    if (why_not) {
        printf("CUDA runtime: not asked, %s\n", why_not);
    } else {
        MUST(rt.library_load(&runtimes, module, NULL, NULL, 0, NULL, NULL, 0));
        launch_by_runtime("CUDA runtime", runtimes, NULL);
        launch_by_runtime("CUDA runtime, gpudl's", (void *)native, ours); /* its cudaLibrary_t is a CUlibrary */
        MUST(rt.library_unload(runtimes));
    }
    MUST(cu->LibraryUnload(own));
    gpudl_version_unpin(version);
}

int main(void)
{
    gpudl_library *library;

    MUST(gpudl_loader_use_device(NULL, 0)); /* the primary context, which the runtime uses as well */
    cu = gpudl_loader_driver(NULL);
    MUST(cu->MemAlloc(&memory, N * sizeof(float)));
    MUST(gpudl_library_load(NULL, GPUDL_MEMORY(module, sizeof(module) - 1), NULL, &library));
    cross_check(library);
    printf("all results are the same, bit by bit\n");
    gpudl_library_release(library);
    MUST(cu->MemFree(memory));
    return 0;
}
