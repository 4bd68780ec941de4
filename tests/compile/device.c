/* CUDA C++ with every compiler of this machine, loaded and launched: on softcuda and on a GPU. Exits with 77 without a device or a compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpudl/gpudl.h>

static const char text[] = "#include \"factor.h\"\n"
                           "template <typename T, int N> __global__ void scale(T *x, int n)\n"
                           "{\n"
                           "    __shared__ T block[64];\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    block[threadIdx.x] = i < n ? x[i] : T(0);\n"
                           "    __syncthreads();\n"
                           "    if (i < n)\n"
                           "        x[i] = block[threadIdx.x ^ 1] * T(N) * T(FACTOR);\n"
                           "}\n"
                           "__constant__ float offset = 3;\n"
                           "extern \"C\" __global__ void add(float *x, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n)\n"
                           "        x[i] += offset;\n"
                           "}\n";

enum { N = 200 };

static struct {
    char kind[16], path[4096];
} compilers[8];
static size_t ncompilers;
static gpudl_loader *loader;

static void note(void *user, const char *kind, const char *path)
{
    (void)user;
    if (ncompilers == 8)
        return;
    snprintf(compilers[ncompilers].kind, sizeof(compilers[0].kind), "%s", kind);
    snprintf(compilers[ncompilers++].path, sizeof(compilers[0].path), "%s", path);
}

#define assert_ok(call) \
    do { \
        if ((call) != GPUDL_OK) \
            fail_msg("%s: %s", #call, gpudl_error_text()); \
    } while (0)

static void launch_both(gpudl_library *lib, const char *scale)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(loader);
    gpudl_launch_config config = gpudl_launch_1d((N + 63) / 64, 64);
    gpudl_kernel *kernel;
    CUdeviceptr x;
    float host[N];

    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    assert_int_equal(cu->MemAlloc(&x, sizeof(host)), 0);
    assert_int_equal(cu->MemcpyHtoD(x, host, sizeof(host)), 0);
    assert_ok(gpudl_kernel_get(lib, scale, &kernel));
    assert_ok(gpudl_launch(kernel, &config, x, (int)N));
    gpudl_kernel_release(kernel);
    assert_ok(gpudl_kernel_get(lib, "add", &kernel));
    assert_ok(gpudl_launch(kernel, &config, x, (int)N));
    gpudl_kernel_release(kernel);
    assert_int_equal(cu->MemcpyDtoH(host, x, sizeof(host)), 0);
    assert_int_equal(cu->MemFree(x), 0);
    for (int i = 0; i < N; i++)
        if (host[i] != (float)(i ^ 1) * 4 * 10 + 3)
            fail_msg("element %d is %g", i, host[i]);
}

static void with_compiler(const char *compiler)
{
    static const char *const options[] = { "-DFACTOR=10" }, *const names[] = { "scale<float, 2 + 2>" };
    static const gpudl_header header = { "factor.h", "#ifndef FACTOR\n#error none\n#endif\n" };
    gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_library *lib;

    compile.options = options;
    compile.noptions = 1;
    compile.headers = &header;
    compile.nheaders = 1;
    compile.names = names;
    compile.nnames = 1;
    compile.compiler = compiler;
    load.compile = &compile;
    for (int again = 0; again < 2; again++) { /* made, and found again */
        gpudl_status status = gpudl_library_load(loader, GPUDL_TEXT("scale.cu", text), &load, &lib);
        if (status == GPUDL_ERROR_COMPILER && strstr(gpudl_error_text(), "device header")) {
            print_message("%s: its device header is not built here\n", compiler);
            return;
        }
        if (status != GPUDL_OK)
            fail_msg("%s", gpudl_error_text());
        launch_both(lib, names[0]);
        gpudl_library_release(lib);
    }
}

static void every_compiler_makes_code_that_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ncompilers; i++)
        with_compiler(compilers[i].kind);
}

static void a_path_names_a_compiler_too(void **state)
{
    (void)state;
    with_compiler(compilers[0].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compiler_makes_code_that_runs),
        cmocka_unit_test(a_path_names_a_compiler_too),
    };

    if (gpudl_loader_open(NULL, &loader) != GPUDL_OK || gpudl_loader_use_device(loader, 0) != GPUDL_OK)
        return 77;
    gpudl_compilers(note, NULL, NULL, 0);
    return ncompilers ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
