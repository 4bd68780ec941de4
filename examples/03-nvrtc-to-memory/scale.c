/* scale.c - CUDA C++ as text to a running kernel, no file anywhere: compiled by NVRTC (or by nvcc or clang, whichever is there) to bytes
 * in memory, and those loaded. Exit status 77: there is no compiler. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(failed == GPUDL_ERROR_NO_COMPILER ? 77 : 1);
}
#define MUST(call) must(call, #call)

static const char text[] = "template <class T, int N> __global__ void scale(T *x)\n"
                           "{\n"
                           "    x[blockIdx.x * blockDim.x + threadIdx.x] *= N;\n"
                           "}\n";
static const char instance[] = "scale<float, 3>"; /* a template is compiled for what is asked for by name */

static gpudl_code *compile(void)
{
    const char *const names[] = { instance };
    gpudl_compile_options options = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_code *code;

    options.names = names, options.nnames = 1;
    MUST(gpudl_compile(NULL, GPUDL_TEXT("scale.cu", text), &options, &code)); /* for the device that is here */
    MUST(gpudl_code_describe(code, &info));
    printf("%s: %zu bytes of %s for %s, %s\n", info.compiler, info.nbytes,
        info.format == GPUDL_FORMAT_PTX ? "PTX" : "machine code", info.target, info.kept ? "found on disk" : "compiled");
    return code;
}

static void launch(gpudl_kernel *scale)
{
    enum { N = 256 };
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    gpudl_launch_config config = gpudl_launch_1d(N / 64, 64);
    float x[N];
    CUdeviceptr dx;

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    MUST(cu->MemAlloc(&dx, sizeof(x)));
    MUST(cu->MemcpyHtoD(dx, x, sizeof(x)));
    MUST(gpudl_launch(scale, &config, dx));
    MUST(cu->MemcpyDtoH(x, dx, sizeof(x)));
    MUST(cu->MemFree(dx));
    printf("x = %g %g %g ... %g\n", x[0], x[1], x[2], x[N - 1]);
}

int main(void)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_code *code, *again;
    gpudl_library *library;
    gpudl_kernel *scale;

    MUST(gpudl_loader_use_device(NULL, 0));
    code = compile();
    again = compile(); /* any program of this user that asks for the same is spared the compiler */
    gpudl_code_release(again);

    /* The bytes are the program's to keep or send. Where they need not be seen, gpudl_library_load() takes the text itself. */
    MUST(gpudl_code_describe(code, &info));
    MUST(gpudl_library_load(NULL, GPUDL_MEMORY(info.bytes, info.nbytes), NULL, &library));
    MUST(gpudl_kernel_get(library, gpudl_code_name(code, instance), &scale));
    printf("%s is %s\n", instance, gpudl_kernel_name(scale));
    launch(scale);

    gpudl_kernel_release(scale);
    gpudl_library_release(library);
    gpudl_code_release(code);
    return 0;
}
