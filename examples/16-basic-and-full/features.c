/* features.c - a program for everywhere: it has a kernel built in and the same as a C function, and takes something better
 * where there is something better. Whether there is depends on the gpudl that it is run with, which may be a basic one, and on
 * the machine; gpudl_features() says both. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 256, THREADS = 64 };

/* scale(x, by): x[i] *= by. As PTX, which any device takes, and as text, which a compiler of the machine makes the best of. */
static const char built_in[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry scale(.param .u64 x, .param .f32 by)\n{\n.reg .b64 %p, %o;\n.reg .b32 %i, %b, %n;\n.reg .f32 %x, %y;\n"
    "mov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %b, %n, %i;\n"
    "ld.param.u64 %p, [x];\ncvta.to.global.u64 %p, %p;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %p, %p, %o;\n"
    "ld.param.f32 %y, [by];\nld.global.f32 %x, [%p];\nmul.f32 %x, %x, %y;\nst.global.f32 [%p], %x;\nret;\n}\n";
static const char text[] =
    "extern \"C\" __global__ void scale(float *x, float by)\n{\n    x[blockIdx.x * blockDim.x + threadIdx.x] *= by;\n}\n";

static void scale_in_c(float *x, float by)
{
    for (int i = 0; i < N; i++)
        x[i] *= by;
}

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static void print_features(uint64_t can)
{
    static const struct { uint64_t bit; const char *name; } names[] = {
        { GPUDL_BUILT_COMPILE, "compiling" }, { GPUDL_BUILT_LINK, "linking" }, { GPUDL_BUILT_TRUST, "trust" },
        { GPUDL_BUILT_CACHE, "cache" }, { GPUDL_BUILT_WATCH, "watches" }, { GPUDL_BUILT_TRIAL, "trials" },
        { GPUDL_HAS_GPU, "a GPU" }, { GPUDL_HAS_SOFTCUDA, "softcuda" }, { GPUDL_HAS_COMPILER, "a compiler" },
        { GPUDL_HAS_LINKER, "a linker" }, { GPUDL_HAS_NAMES, "names of C++" },
    };
    const char *before = "built with: ";

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (names[i].bit == GPUDL_HAS_GPU) {
            printf("%s\n", can & GPUDL_BUILT_FULL ? "" : "built with the basic parts");
            before = "the machine has: ";
        }
        if (can & names[i].bit) {
            printf("%s%s", before, names[i].name);
            before = ", ";
        }
    }
    printf("\n");
}

/* The best first. NULL: there is nothing to run a kernel on. */
static gpudl_library *load(uint64_t can)
{
    gpudl_source sources[2];
    const char *const names[] = { "compiled for this machine", "the PTX that is built in" };
    gpudl_library *library;
    size_t n = 0, which, first = can & GPUDL_HAS_COMPILER ? 0 : 1;

    if (!(can & GPUDL_HAS_DRIVER))
        return NULL;
    if (can & GPUDL_HAS_COMPILER)
        sources[n++] = gpudl_source_text("scale.cu", text);
    sources[n++] = gpudl_source_memory(built_in, sizeof(built_in) - 1);
    MUST(gpudl_library_load_first(NULL, sources, n, NULL, &which, &library));
    printf("taken: %s\n", names[first + which]);
    return library;
}

static void scale(gpudl_library *library, float *x, float by)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    gpudl_launch_config config = gpudl_launch_1d(N / THREADS, THREADS);
    gpudl_kernel *kernel;
    CUdeviceptr there;

    MUST(gpudl_loader_use_device(NULL, 0));
    MUST(gpudl_kernel_get(library, "scale", &kernel));
    MUST(cu->MemAlloc(&there, N * sizeof(*x)));
    MUST(cu->MemcpyHtoD(there, x, N * sizeof(*x)));
    MUST(gpudl_launch(kernel, &config, there, by));
    MUST(cu->MemcpyDtoH(x, there, N * sizeof(*x)));
    MUST(cu->MemFree(there));
    gpudl_kernel_release(kernel);
}

/* What a build does without has its functions all the same, so this program links with any; they say so. */
static void ask_to_link(void)
{
    gpudl_linked *linked = NULL;
    gpudl_status status = gpudl_linked_make(NULL, GPUDL_MEMORY(built_in, sizeof(built_in) - 1), 1, NULL, &linked);

    if (status == GPUDL_OK)
        printf("linking: done, by %s\n", gpudl_linked_linker(linked));
    else
        printf("linking: %s: %s\n", gpudl_status_name(status), gpudl_error_text());
    gpudl_linked_release(linked);
}

int main(void)
{
    uint64_t can = gpudl_features(NULL);
    gpudl_library *library;
    float x[N];

    print_features(can);
    library = load(can);
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    if (library) {
        scale(library, x, 3);
    } else {
        printf("taken: the C function\n");
        scale_in_c(x, 3);
    }
    printf("x = %g %g %g ... %g\n", (double)x[0], (double)x[1], (double)x[2], (double)x[N - 1]);
    ask_to_link();
    gpudl_library_release(library);
    return 0;
}
