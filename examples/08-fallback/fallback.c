/* fallback.c - y = a * x + y whatever is wrong: with the best kernel that loads, with the one that is built in, and in plain C where no kernel
 * can be had. Each choice says why not those before it. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1024 };

GPUDL_EMBEDDED_DECLARE(built_in); /* examples/02-saxpy-from-file/saxpy.cu; the build puts it into the program */

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static void saxpy_on_device(gpudl_library *library, float a, const float *x, float *y)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    gpudl_launch_config config = gpudl_launch_1d(N / 256, 256);
    gpudl_kernel *saxpy;
    CUdeviceptr dx, dy;

    MUST(gpudl_loader_use_device(NULL, 0));
    MUST(gpudl_kernel_get(library, "saxpy", &saxpy));
    MUST(cu->MemAlloc(&dx, N * sizeof(*x)));
    MUST(cu->MemAlloc(&dy, N * sizeof(*y)));
    MUST(cu->MemcpyHtoD(dx, x, N * sizeof(*x)));
    MUST(cu->MemcpyHtoD(dy, y, N * sizeof(*y)));
    MUST(gpudl_launch(saxpy, &config, (int)N, a, dx, dy));
    MUST(cu->MemcpyDtoH(y, dy, N * sizeof(*y)));
    MUST(cu->MemFree(dx));
    MUST(cu->MemFree(dy));
    gpudl_kernel_release(saxpy);
}

static void saxpy_in_c(float a, const float *x, float *y)
{
    for (int i = 0; i < N; i++)
        y[i] = a * x[i] + y[i];
}

/* A machine without any driver ends in plain C, too: then it is the first reason, and the only one. */
static void saxpy(const gpudl_source *sources, size_t n, float a, const float *x, float *y)
{
    gpudl_library *library;
    size_t which;

    if (gpudl_library_load_first(NULL, sources, n, NULL, &which, &library) != GPUDL_OK) {
        printf("   taken: plain C\n   why: %s\n", gpudl_error_text());
        saxpy_in_c(a, x, y);
        return;
    }
    printf("   taken: source %zu, %s\n", which, sources[which].name);
    if (which > 0) /* it went well, and yet there is a text: why not those before it */
        printf("   why: %s\n", gpudl_error_text());
    saxpy_on_device(library, a, x, y);
    gpudl_library_release(library);
}

static void try(const char *what, const gpudl_source *sources, size_t n)
{
    static float x[N], y[N];

    printf("%s\n", what);
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 1;
    saxpy(sources, n, 2, x, y);
    printf("   y = %g %g %g ... %g\n", y[0], y[1], y[2], y[N - 1]);
}

int main(void)
{
    const gpudl_source sources[] = {
        gpudl_source_file("newest.fatbin"),   /* was never delivered */
        gpudl_source_file("damaged.fatbin"),  /* was cut while it was copied */
        gpudl_source_file("other-gpu.cubin"), /* machine code for sm_110 */
        GPUDL_EMBEDDED(built_in),
        gpudl_source_file("never-tried.fatbin"),
    };

    try("1. The first is good:", sources + 3, 2);
    try("2. The first three are not:", sources, 5);
    try("3. None is:", sources, 3);
    return 0;
}
