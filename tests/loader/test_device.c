/* The main job on a device: the same on softcuda and on a GPU. GPUDL_DRIVER says which; without one this is skipped (exit
 * code 77).
 *
 * Expected values are exact: small integers in floating point. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/loader/asserts.h"
#include "tests/loader/data.h"

static const gpudl_driver_table *cu;

static gpudl_library *load(const gpudl_source *source)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(NULL, source, NULL, &lib));
    return lib;
}

static CUdeviceptr upload(const void *bytes, size_t size)
{
    CUdeviceptr p;

    assert_cu(cu->MemAlloc(&p, size));
    assert_cu(cu->MemcpyHtoD(p, bytes, size));
    return p;
}

static void download(void *bytes, CUdeviceptr p, size_t size)
{
    assert_cu(cu->CtxSynchronize());
    assert_cu(cu->MemcpyDtoH(bytes, p, size));
    assert_cu(cu->MemFree(p));
}

/* Runs `name` over one buffer of n floats, one block. */
static void run_in_place(gpudl_library *lib, const char *name, float *values, unsigned n)
{
    gpudl_launch_config config = gpudl_launch_1d(1, n);
    CUdeviceptr p = upload(values, n * sizeof(*values));
    void *params[] = { &p };
    gpudl_kernel *k;

    assert_ok(gpudl_kernel_get(lib, name, &k));
    assert_ok(gpudl_kernel_launch_params(k, &config, params));
    download(values, p, n * sizeof(*values));
    gpudl_kernel_release(k);
}

/* A number of elements that is no multiple of a block, and blocks that are no multiple of a warp. */
static void check_axpy(gpudl_library *lib, unsigned block)
{
    enum { N = 1000 };
    gpudl_launch_config config = gpudl_launch_1d((N + block - 1) / block, block);
    float x[N], y[N], a = 2;
    CUdeviceptr dx, dy;
    gpudl_kernel *k;
    int n = N - 1;

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(3 * i);
    }
    dx = upload(x, sizeof(x));
    dy = upload(y, sizeof(y));
    void *params[] = { &n, &a, &dx, &dy };
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_launch_params(k, &config, params));
    download(y, dy, sizeof(y));
    assert_cu(cu->MemFree(dx));
    for (int i = 0; i < N; i++)
        if (y[i] != (float)(i < n ? 5 * i : 3 * i))
            fail_msg("element %d is %g with blocks of %u", i, y[i], block);
    gpudl_kernel_release(k);
}

static void every_format_gives_the_right_numbers(void **state)
{
    gpudl_library *ptx = load(DATA_SOURCE(names_ptx)), *fatbin = load(DATA_SOURCE(names_fatbin));

    (void)state;
    for (unsigned block = 32; block <= 256; block += 56) {
        check_axpy(ptx, block);
        check_axpy(fatbin, block);
    }
    gpudl_library_release(ptx);
    gpudl_library_release(fatbin);
}

static void check_scaled(const gpudl_load_options *options)
{
    gpudl_library *lib;
    float values[40];

    assert_ok(gpudl_library_load(NULL, DATA_SOURCE(names_ptx), options, &lib));
    for (int i = 0; i < 40; i++)
        values[i] = (float)i;
    run_in_place(lib, "ns::scale<float, 4>", values, 40);
    for (int i = 0; i < 40; i++)
        if (values[i] != (float)(4 * i))
            fail_msg("element %d is %g", i, values[i]);
    if (options->max_registers && !gpudl_loader_is_software(NULL))
        assert_non_null(strstr(gpudl_library_log(lib), "register"));
    gpudl_library_release(lib);
}

/* All of them are accepted, and change no result. */
static void every_load_option_gives_the_right_numbers(void **state)
{
    gpudl_load_options options[9];

    (void)state;
    for (int i = 0; i < 9; i++)
        options[i] = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT;
    options[1].optimization = GPUDL_OPTIMIZATION(0);
    options[2].max_registers = 16; /* raised to what the driver thinks is the least, with a remark */
    options[3].fma = GPUDL_FMA_OFF;
    options[4].cache_mode = GPUDL_CACHE_MODE_CG;
    options[5].flags = GPUDL_LOAD_LINE_INFO;
    options[6].flags = GPUDL_LOAD_DEBUG;
    options[7].flags = GPUDL_LOAD_PRESERVED;
    options[8] = options[7];
    options[8].flags |= GPUDL_LOAD_LINE_INFO;
    options[8].optimization = GPUDL_OPTIMIZATION(3);
    for (int i = 0; i < 9; i++)
        check_scaled(&options[i]);
}

static int attribute(int what, CUkernel kernel)
{
    int value = -1;

    assert_cu(cu->KernelGetAttribute(&value, what, kernel, 0));
    return value;
}

static void compare_kernel(gpudl_image *image, size_t entry, size_t index, CUlibrary native)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    gpudl_param_info p = { .size_of_struct = sizeof(p) };
    size_t offset, size;
    CUkernel kernel;

    assert_ok(gpudl_image_kernel(image, entry, index, &k));
    assert_cu(cu->LibraryGetKernel(&kernel, native, k.name));
    assert_int_equal(k.registers, attribute(GPUDL_FUNC_NUM_REGS, kernel));
    assert_int_equal(k.shared, attribute(GPUDL_FUNC_SHARED_SIZE_BYTES, kernel));
    assert_int_equal(k.local, attribute(GPUDL_FUNC_LOCAL_SIZE_BYTES, kernel));
    for (unsigned i = 0; cu->KernelGetParamInfo && i < k.params; i++) {
        assert_ok(gpudl_image_param(image, entry, index, i, &p));
        assert_cu(cu->KernelGetParamInfo(kernel, i, &offset, &size));
        assert_int_equal(p.offset, offset);
        assert_int_equal(p.size, size);
    }
}

/* What an image tells without a driver is what the driver tells: of machine code, where this device runs it. */
static void an_image_tells_what_the_driver_does(void **state)
{
    gpudl_verdict verdict = { .size_of_struct = sizeof(verdict) };
    gpudl_library *lib;
    gpudl_version *version;
    gpudl_image *image;
    CUlibrary native;
    size_t n;

    (void)state;
    assert_ok(gpudl_image_open(DATA_SOURCE(names_fatbin), NULL, &image));
    assert_ok(gpudl_image_explain(image, GPUDL_ALL, NULL, &verdict));
    assert_int_equal(verdict.status, GPUDL_OK);
    assert_ok(gpudl_image_read(image, verdict.entry, &n, NULL));
    lib = load(DATA_SOURCE(names_fatbin));
    assert_int_equal(n, gpudl_library_kernel_count(lib));
    assert_ok(gpudl_library_pin(lib, &version));
    assert_ok(gpudl_version_native(version, &native));
    for (size_t i = 0; i < n && !verdict.compiled && cu->KernelGetAttribute; i++)
        compare_kernel(image, verdict.entry, i, native);
    gpudl_version_unpin(version);
    gpudl_library_release(lib);
    gpudl_image_close(image);
}

static void kernels_are_found_by_the_sources_names(void **state)
{
    gpudl_library *lib = load(DATA_SOURCE(names_fatbin));
    float values[40];

    (void)state;
    for (int i = 0; i < 40; i++)
        values[i] = (float)i;
    run_in_place(lib, "ns::scale<float, 4>", values, 40);
    run_in_place(lib, "twice(float*)", values, 40);
    for (int i = 0; i < 40; i++)
        assert_true(values[i] == (float)(8 * i));
    gpudl_library_release(lib);
}

static void globals_are_read_and_written(void **state)
{
    gpudl_library *lib = load(DATA_SOURCE(globals_fatbin));
    float table[4] = { 10, 20, 30, 40 }, out[4] = { 0 };
    CUdeviceptr counter, constants;
    gpudl_version *v;
    int value = 6;
    size_t size;

    (void)state;
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "counter", 0, &counter, &size));
    assert_int_equal(size, sizeof(int));
    assert_ok(gpudl_version_global(v, "table", 0, &constants, &size));
    assert_int_equal(size, sizeof(table));
    assert_cu(cu->MemcpyHtoD(counter, &value, sizeof(value)));
    assert_cu(cu->MemcpyHtoD(constants, table, sizeof(table)));
    run_in_place(lib, "bump", out, 1);
    assert_true(out[0] == 70);
    assert_cu(cu->MemcpyDtoH(&value, counter, sizeof(value)));
    assert_int_equal(value, 7);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
}

static void a_managed_variable_is_the_hosts_too(void **state)
{
    gpudl_library *lib;
    CUdeviceptr both;
    gpudl_version *v;
    float out[4] = { 0 };
    size_t size;

    (void)state;
    if (!cu->LibraryGetManaged)
        skip();
    lib = load(DATA_SOURCE(globals_fatbin));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "both", 0, &both, &size));
    assert_int_equal(size, sizeof(int));
    run_in_place(lib, "bump", out, 1);
    assert_int_equal(*(volatile int *)(uintptr_t)both, 6);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
}

static void a_fresh_copy_of_globals_comes_with_each_load(void **state)
{
    gpudl_library *a = load(DATA_SOURCE(globals_fatbin)), *b = load(DATA_SOURCE(globals_fatbin));
    float out[1];

    (void)state;
    run_in_place(a, "bump", out, 1);
    run_in_place(a, "bump", out, 1);
    assert_true(out[0] == 7);
    run_in_place(b, "bump", out, 1);
    assert_true(out[0] == 6);
    gpudl_library_release(a);
    gpudl_library_release(b);
}

static void streams_keep_their_order(void **state)
{
    gpudl_library *lib = load(DATA_SOURCE(names_ptx));
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    float values[32];
    CUdeviceptr p;
    gpudl_kernel *k;

    (void)state;
    if (!cu->StreamCreate || !cu->StreamSynchronize || !cu->StreamDestroy)
        skip();
    for (int i = 0; i < 32; i++)
        values[i] = (float)i;
    p = upload(values, sizeof(values));
    void *params[] = { &p };
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_kernel_get(lib, "twice(float*)", &k));
    for (int i = 0; i < 5; i++)
        assert_ok(gpudl_kernel_launch_params(k, &config, params));
    assert_cu(cu->StreamSynchronize(config.stream));
    download(values, p, sizeof(values));
    for (int i = 0; i < 32; i++)
        assert_true(values[i] == (float)(32 * i));
    assert_cu(cu->StreamDestroy(config.stream));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

struct job {
    gpudl_kernel *kernel;
    CUdeviceptr p;
    gpudl_status status;
    CUcontext after;
};

static void *launch_without_context(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct job *j = user;
    void *params[] = { &j->p };

    j->status = gpudl_kernel_launch_params(j->kernel, &config, params);
    cu->CtxGetCurrent(&j->after);
    return NULL;
}

static void a_thread_without_a_context_launches(void **state)
{
    gpudl_library *lib = load(DATA_SOURCE(names_ptx));
    float values[32];
    struct job j = { 0 };
    pthread_t t;

    (void)state;
    for (int i = 0; i < 32; i++)
        values[i] = (float)i;
    j.p = upload(values, sizeof(values));
    assert_ok(gpudl_kernel_get(lib, "twice(float*)", &j.kernel));
    assert_int_equal(pthread_create(&t, NULL, launch_without_context, &j), 0);
    pthread_join(t, NULL);
    assert_int_equal(j.status, GPUDL_OK);
    assert_null(j.after);
    download(values, j.p, sizeof(values));
    assert_true(values[31] == 62);
    gpudl_kernel_release(j.kernel);
    gpudl_library_release(lib);
}

/* The driver's own JIT speaks here. */
static void an_unknown_instruction_is_named_with_its_line(void **state)
{
    static const char ptx[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    bogus.u32 %r1, 1;\n    ret;\n}\n";
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(NULL, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &lib);

    (void)state;
    if (status != GPUDL_ERROR_PTX || !strstr(gpudl_error_text(), "bogus") || !strstr(gpudl_error_text(), "6"))
        fail_msg("%s: %s", gpudl_status_name(status), gpudl_error_text());
    check_axpy(lib = load(DATA_SOURCE(names_ptx)), 64);
    gpudl_library_release(lib);
}

static void code_that_does_not_fit_is_refused(void **state)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(NULL, DATA_SOURCE(names_cubin), NULL, &lib);

    (void)state;
    if (status == GPUDL_OK) { /* an sm_9x device */
        check_axpy(lib, 64);
        gpudl_library_release(lib);
    } else {
        assert_int_equal(status, gpudl_loader_is_software(NULL) ? GPUDL_ERROR_MACHINE_CODE_ONLY : GPUDL_ERROR_ARCHITECTURE);
    }
}

static void a_refused_launch_is_told(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 5000);
    gpudl_library *lib = load(DATA_SOURCE(names_ptx));
    CUdeviceptr p = 0;
    void *params[] = { &p };
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "twice(float*)", &k));
    assert_int_equal(gpudl_kernel_launch_params(k, &config, params), GPUDL_ERROR_LAUNCH);
    assert_non_null(strstr(gpudl_error_text(), "block 5000 x 1 x 1"));
    assert_true(gpudl_error_cuda() != 0);
    gpudl_kernel_release(k);
    check_axpy(lib, 64);
    gpudl_library_release(lib);
}

static void checked_launches_give_the_right_numbers(void **state)
{
    enum { N = 100 };
    gpudl_library *lib = load(DATA_SOURCE(names_fatbin));
    gpudl_launch_config config = gpudl_launch_1d(1, 128);
    float x[N], y[N];
    CUdeviceptr dx, dy;
    gpudl_kernel *k;
    int n = N;
    struct {
        int n;
        float a;
        CUdeviceptr x, y;
    } packed = { N, 1, 0, 0 };

    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(3 * i);
    }
    dx = upload(x, sizeof(x));
    dy = upload(y, sizeof(y));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_launch(k, &config, n, 2.f, dx, dy));
    packed.x = dx;
    packed.y = dy;
    assert_ok(gpudl_kernel_launch_packed(k, &config, &packed, sizeof(packed)));
    assert_int_equal(gpudl_launch(k, &config, n, 2., dx, dy), GPUDL_ERROR_LAUNCH_ARGUMENTS);
    assert_int_equal(gpudl_launch(k, &config, n, 2.f, dx), GPUDL_ERROR_LAUNCH_ARGUMENTS);
    config.block[0] = 5000;
    assert_int_equal(gpudl_launch(k, &config, n, 2.f, dx, dy), GPUDL_ERROR_LAUNCH_LIMIT);
    download(y, dy, sizeof(y));
    assert_cu(cu->MemFree(dx));
    for (int i = 0; i < N; i++)
        assert_true(y[i] == (float)(6 * i));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

/* out = s.n * s.f, by way of the last word of dynamic shared memory. */
static const char far_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry far(.param .u64 out, .param .u32 at, .param .align 8 .b8 s[16])\n{\n"
    "    .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %rd<3>;\n"
    "    .shared .align 4 .b8 own[256];\n"
    "    ld.param.u64 %rd1, [out];\n    cvta.to.global.u64 %rd2, %rd1;\n"
    "    ld.param.u32 %r1, [at];\n    ld.param.u32 %r2, [s];\n    ld.param.f32 %f1, [s+12];\n"
    "    cvt.rn.f32.s32 %f2, %r2;\n    mul.f32 %f3, %f1, %f2;\n"
    "    mov.u32 %r3, own;\n    st.shared.f32 [%r3], %f3;\n    ld.shared.f32 %f3, [%r3];\n"
    "    mov.u32 %r3, dynamic;\n    add.u32 %r4, %r3, %r1;\n"
    "    st.shared.f32 [%r4], %f3;\n    ld.shared.f32 %f1, [%r4];\n    st.global.f32 [%rd2], %f1;\n    ret;\n}\n";

static void all_of_the_shared_memory_is_had_without_asking(void **state)
{
    gpudl_library *lib = load(GPUDL_MEMORY(far_ptx, sizeof(far_ptx) - 1));
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct {
        int n, pad[2];
        float f;
    } s = { 3, { 0 }, 2.5f };
    CUdeviceptr out = upload(&(float){ 0 }, sizeof(float));
    CUcontext context;
    unsigned last;
    float result;
    gpudl_kernel *k;
    int most;

    (void)state;
    assert_cu(cu->DeviceGetAttribute(&most, GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    assert_ok(gpudl_kernel_get(lib, "far", &k));
    config.shared_bytes = (unsigned)most - 256;
    last = config.shared_bytes - 4;
    assert_cu(cu->CtxPopCurrent(&context)); /* and without a context */
    assert_ok(gpudl_launch(k, &config, out, last, GPUDL_STRUCT(s)));
    assert_cu(cu->CtxPushCurrent(context));
    config.shared_bytes += 4;
    assert_int_equal(gpudl_launch(k, &config, out, last, GPUDL_STRUCT(s)), GPUDL_ERROR_LAUNCH_LIMIT);
    assert_non_null(strstr(gpudl_error_text(), "and 256 that it declares"));
    download(&result, out, sizeof(result));
    assert_true(result == 7.5f);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_right_numbers),
        cmocka_unit_test(every_load_option_gives_the_right_numbers),
        cmocka_unit_test(an_image_tells_what_the_driver_does),
        cmocka_unit_test(kernels_are_found_by_the_sources_names),
        cmocka_unit_test(globals_are_read_and_written),
        cmocka_unit_test(a_managed_variable_is_the_hosts_too),
        cmocka_unit_test(a_fresh_copy_of_globals_comes_with_each_load),
        cmocka_unit_test(streams_keep_their_order),
        cmocka_unit_test(a_thread_without_a_context_launches),
        cmocka_unit_test(an_unknown_instruction_is_named_with_its_line),
        cmocka_unit_test(code_that_does_not_fit_is_refused),
        cmocka_unit_test(a_refused_launch_is_told),
        cmocka_unit_test(checked_launches_give_the_right_numbers),
        cmocka_unit_test(all_of_the_shared_memory_is_had_without_asking),
    };

    cu = gpudl_loader_driver(NULL);
    if (!cu) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    assert_ok(gpudl_loader_use_device(NULL, 0));
    return cmocka_run_group_tests_name(gpudl_loader_driver_text(NULL), tests, NULL, NULL);
}
