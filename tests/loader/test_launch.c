/* One driver call a launch; whose context; streams; attributes; what a refused launch says. */
#include "tests/loader/common.h"

struct fixture {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *kernel;
    const gpudl_driver_table *cu;
};

static int open_with(struct fixture *f, gpudl_loader_options options)
{
    nulldrv_reset();
    f->loader = harness_open_with(options);
    f->cu = gpudl_loader_driver(f->loader);
    assert_ok(gpudl_library_load(f->loader, DATA_SOURCE(names_ptx), NULL, &f->library));
    assert_ok(gpudl_kernel_get(f->library, "axpy", &f->kernel));
    return 0;
}

static int open_all(void **state)
{
    static struct fixture f;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    *state = &f;
    return open_with(&f, options);
}

static int close_all(void **state)
{
    struct fixture *f = *state;

    gpudl_kernel_release(f->kernel);
    gpudl_library_release(f->library);
    f->cu->CtxSetCurrent(NULL);
    harness_close(f->loader);
    return 0;
}

static void a_launch_is_one_driver_call(void **state)
{
    gpudl_launch_config config = gpudl_launch_3d(4, 2, 1, 32, 4, 1);
    struct fixture *f = *state;
    unsigned long before;

    assert_ok(gpudl_loader_use_device(f->loader, 0));
    before = nulldrv_calls("*");
    for (int i = 0; i < 10; i++)
        assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_int_equal(nulldrv_calls("*") - before, 10);
    assert_int_equal(nulldrv_calls("cuLaunchKernel"), 10);
}

static void without_a_context_the_primary_one_is_lent(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct fixture *f = *state;
    CUcontext now = NULL;

    for (int i = 0; i < 3; i++)
        assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_int_equal(nulldrv_calls("cuDevicePrimaryCtxRetain"), 1);
    assert_int_equal(f->cu->CtxGetCurrent(&now), 0);
    assert_null(now);
}

static void without_a_context_the_streams_is_lent(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct fixture *f = *state;
    CUcontext lent;

    assert_ok(gpudl_loader_use_device(f->loader, 0));
    assert_int_equal(f->cu->StreamCreate(&config.stream, 0), 0);
    assert_int_equal(f->cu->CtxPopCurrent(&lent), 0);
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_int_equal(nulldrv_calls("cuStreamGetCtx"), 1);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    f->cu->StreamDestroy(config.stream);
}

static void a_refused_launch_says_what_it_was(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(7, 32);
    struct fixture *f = *state;

    assert_ok(gpudl_loader_use_device(f->loader, 0));
    nulldrv_fail("cuLaunchKernel", 1, 719);
    assert_fails(gpudl_kernel_launch_params(f->kernel, &config, NULL), GPUDL_ERROR_LAUNCH,
        "kernel 'axpy', grid 7 x 1 x 1, block 32 x 1 x 1");
    assert_non_null(strstr(gpudl_error_text(), "CUDA_ERROR_LAUNCH_FAILED"));
    assert_int_equal(gpudl_error_cuda(), 719);
    nulldrv_fail("cuLaunchKernel", 1, 201); /* a current context that the driver calls invalid is not replaced */
    assert_fails(gpudl_kernel_launch_params(f->kernel, &config, NULL), GPUDL_ERROR_LAUNCH, "CUDA_ERROR_INVALID_CONTEXT");
    config.grid[0] = 0;
    assert_fails(gpudl_kernel_launch_params(f->kernel, &config, NULL), GPUDL_ERROR_LAUNCH, "grid 0");
    config.grid[0] = 1;
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
}

static void attributes_go_through_the_extended_call(void **state)
{
    gpudl_launch_attribute cooperative = { GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE, 0, { { 1 } } };
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct fixture *f = *state;

    assert_ok(gpudl_loader_use_device(f->loader, 0));
    config.nattributes = 1;
    assert_fails(gpudl_kernel_launch_params(f->kernel, &config, NULL), GPUDL_ERROR_ARGUMENT, "attributes is NULL");
    config.attributes = (const struct CUlaunchAttribute_st *)&cooperative;
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_int_equal(nulldrv_calls("cuLaunchKernelEx"), 1);
    assert_int_equal(nulldrv_calls("cuLaunchKernel"), 0);
}

static void configs_are_sized(void **state)
{
    struct {
        gpudl_launch_config config;
        uint64_t newer;
    } larger = { gpudl_launch_1d(1, 32), 0 };
    struct fixture *f = *state;

    assert_ok(gpudl_loader_use_device(f->loader, 0));
    larger.config.size = sizeof(larger);
    assert_ok(gpudl_kernel_launch_params(f->kernel, &larger.config, NULL));
    larger.newer = 1;
    assert_fails(gpudl_kernel_launch_params(f->kernel, &larger.config, NULL), GPUDL_ERROR_TOO_NEW, "gpudl_launch_config");
    larger.config.size = 3;
    assert_fails(gpudl_kernel_launch_params(f->kernel, &larger.config, NULL), GPUDL_ERROR_ARGUMENT, "sizeof");
    assert_fails(gpudl_kernel_launch_params(NULL, &larger.config, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_kernel_launch_params(f->kernel, NULL, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
}

static void a_null_stream_is_the_loaders_choice(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_launch_attribute priority = { GPUDL_LAUNCH_ATTRIBUTE_PRIORITY, 0, { { 0 } } };
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    struct fixture *f = *state;

    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_null(nulldrv_last_stream());
    close_all(state);
    options.per_thread_stream = 1;
    open_with(f, options);
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_ptr_equal(nulldrv_last_stream(), GPUDL_STREAM_PER_THREAD);
    config.nattributes = 1;
    config.attributes = (const struct CUlaunchAttribute_st *)&priority;
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_ptr_equal(nulldrv_last_stream(), GPUDL_STREAM_PER_THREAD);
    config.stream = GPUDL_STREAM_LEGACY;
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
    assert_ptr_equal(nulldrv_last_stream(), GPUDL_STREAM_LEGACY);
}

static void devices_are_chosen_by_number(void **state)
{
    struct fixture *f = *state;

    assert_fails(gpudl_loader_use_device(f->loader, 1), GPUDL_ERROR_ARGUMENT, "no device 1");
    assert_fails(gpudl_loader_use_device(f->loader, -1), GPUDL_ERROR_ARGUMENT, "no device -1");
    assert_ok(gpudl_loader_use_device(f->loader, 0));
    assert_ok(gpudl_loader_use_device(f->loader, 0));
    assert_int_equal(nulldrv_alive("context"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(a_launch_is_one_driver_call),
        TEST(without_a_context_the_primary_one_is_lent),
        TEST(without_a_context_the_streams_is_lent),
        TEST(a_refused_launch_says_what_it_was),
        TEST(attributes_go_through_the_extended_call),
        TEST(configs_are_sized),
        TEST(a_null_stream_is_the_loaders_choice),
        TEST(devices_are_chosen_by_number),
    };

    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
