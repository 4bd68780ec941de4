/* Hand-over on a device: the same on softcuda and on a GPU. GPUDL_DRIVER says which; without one this is skipped (exit code 77). */
#include <stdio.h>
#include <string.h>

#include "tests/loader/asserts.h"
#include "tests/loader/data.h"

enum { N = 100 };

static const gpudl_driver_table *cu;

/* As another part of the program has it, which knows nothing of gpudl. */
static CUlibrary load_elsewhere(const gpudl_source *source)
{
    CUlibrary native;

    assert_cu(cu->LibraryLoadData(&native, source->bytes, NULL, NULL, 0, NULL, NULL, 0));
    return native;
}

static CUdeviceptr upload(const float *x)
{
    CUdeviceptr p;

    assert_cu(cu->MemAlloc(&p, N * sizeof(*x)));
    assert_cu(cu->MemcpyHtoD(p, x, N * sizeof(*x)));
    return p;
}

/* x = 0, 1, 2, ...; y = 2 x + y was launched once with y = 0 */
static void expect_twice(CUdeviceptr y)
{
    float values[N];

    assert_cu(cu->CtxSynchronize());
    assert_cu(cu->MemcpyDtoH(values, y, sizeof(values)));
    for (int i = 0; i < N; i++)
        if (values[i] != (float)(2 * i))
            fail_msg("element %d is %g", i, values[i]);
}

static void make_buffers(CUdeviceptr *x, CUdeviceptr *y)
{
    float values[N], zeroes[N] = { 0 };

    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    *x = upload(values);
    *y = upload(zeroes);
}

static void an_adopted_library_is_launched_and_checked(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 128);
    CUlibrary native = load_elsewhere(DATA_SOURCE(names_ptx));
    CUdeviceptr x, y;
    gpudl_library *lib;
    gpudl_kernel *k;

    (void)state;
    if (!cu->LibraryEnumerateKernels || !cu->KernelGetParamInfo)
        skip();
    make_buffers(&x, &y);
    assert_ok(gpudl_library_adopt(NULL, native, NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_launch(k, &config, (int)N, 2.0f, x, y));
    expect_twice(y);
    assert_fails(gpudl_launch(k, &config, (int)N, 2.0f, x), GPUDL_ERROR_LAUNCH_ARGUMENTS, "axpy");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_cu(cu->LibraryUnload(native)); /* still its owner's */
    assert_cu(cu->MemFree(x));
    assert_cu(cu->MemFree(y));
}

static void a_handle_given_out_is_launched_by_the_driver(void **state)
{
    CUdeviceptr x, y;
    float two = 2;
    int n = N;
    void *params[] = { &n, &two, &x, &y };
    gpudl_library *lib;
    gpudl_version *pin;
    gpudl_kernel *k;
    CUkernel native;

    (void)state;
    make_buffers(&x, &y);
    assert_ok(gpudl_library_load(NULL, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_native(k, &native, &pin));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_cu(cu->LaunchKernel((CUfunction)native, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    expect_twice(y);
    gpudl_version_unpin(pin);
    assert_cu(cu->MemFree(x));
    assert_cu(cu->MemFree(y));
}

/* Owned, so that nothing is to be unloaded here; globals by their names in the image, a __managed__ one too. */
static void globals_of_an_adopted_library_are_found(void **state)
{
    gpudl_adopt_options o = GPUDL_ADOPT_OPTIONS_INIT;
    CUlibrary native = load_elsewhere(DATA_SOURCE(globals_ptx));
    gpudl_loader_stats before = { .size_of_struct = sizeof(before) }, after = before;
    const char *const wanted[] = { "_Z4bumpPf" };
    gpudl_library *lib;
    gpudl_version *v;
    CUdeviceptr p;
    size_t size;

    (void)state;
    assert_ok(gpudl_loader_reap(NULL, 1000000000, NULL));
    assert_ok(gpudl_loader_statistics(NULL, &before));
    o.flags = GPUDL_ADOPT_OWNED;
    o.kernels = wanted, o.nkernels = 1;
    assert_ok(gpudl_library_adopt(NULL, native, &o, &lib));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "_ZN2ns5innerE", 0, &p, &size));
    assert_true(p && size);
    assert_ok(gpudl_version_global(v, "both", 0, &p, &size));
    assert_true(p && size);
    assert_fails(gpudl_version_global(v, "nowhere", 0, &p, &size), GPUDL_ERROR_NO_SUCH_GLOBAL, "'nowhere'");
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_reap(NULL, 1000000000, NULL));
    assert_ok(gpudl_loader_statistics(NULL, &after));
    assert_int_equal(after.unloads, before.unloads + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_adopted_library_is_launched_and_checked),
        cmocka_unit_test(a_handle_given_out_is_launched_by_the_driver),
        cmocka_unit_test(globals_of_an_adopted_library_are_found),
    };

    cu = gpudl_loader_driver(NULL);
    if (!cu) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    assert_ok(gpudl_loader_use_device(NULL, 0));
    return cmocka_run_group_tests_name(gpudl_loader_driver_text(NULL), tests, NULL, NULL);
}
