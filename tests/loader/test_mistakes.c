/* The classic mistakes, and the words that a person needs to see theirs: examples/09-diagnose makes them on devices. */
#include "tests/loader/common.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static gpudl_loader *loader;

static int open_loader(void **state)
{
    (void)state;
    nulldrv_reset();
    nulldrv_set_sm(75);
    loader = harness_open();
    return 0;
}

static int close_loader(void **state)
{
    (void)state;
    harness_close(loader);
    return 0;
}

static gpudl_status load(gpudl_source source)
{
    gpudl_library *lib;

    return gpudl_library_load(loader, &source, NULL, &lib);
}

static bool says(const char *words)
{
    return strstr(gpudl_error_text(), words) != NULL;
}

static void a_wrong_architecture_is_told_with_both_and_what_to_compile(void **state)
{
    (void)state;
    assert_fails(load(gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin))), GPUDL_ERROR_ARCHITECTURE, "sm_90");
    assert_true(says("this device is sm_75"));
    assert_true(says("-gencode arch=compute_75"));
}

static void ptx_that_is_too_new_is_told_with_both_versions_and_what_to_do(void **state)
{
    static const char ptx[] = ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";

    (void)state;
    assert_fails(load(gpudl_source_memory(ptx, strlen(ptx))), GPUDL_ERROR_PTX_TOO_NEW, "version 99.0");
    assert_true(says("reads up to 9.0"));
    assert_true(says("update the driver"));
}

/* softcuda's PTX is read by it alone, and what it says is in its log. */
static void ptx_that_is_too_new_for_softcuda_is_no_other_error(void **state)
{
    static const char ptx[] = ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    nulldrv_set_name("softcuda, a null driver");
    nulldrv_set_kernels("");
    nulldrv_set_log("holds PTX for compute_75 (newer than this driver reads)");
    l = harness_open();
    assert_fails(gpudl_library_load(l, GPUDL_MEMORY(ptx, strlen(ptx)), NULL, &lib), GPUDL_ERROR_PTX_TOO_NEW, "newer than");
    gpudl_loader_close(l);
}

static void a_path_that_was_passed_as_bytes_is_told_as_one(void **state)
{
    static const char path[] = "/opt/app/kernels/saxpy.fatbin";

    (void)state;
    assert_fails(load(gpudl_source_memory(path, strlen(path))), GPUDL_ERROR_NOT_AN_IMAGE, path);
    assert_true(says("give it as a file, not as bytes"));
}

static void a_truncated_file_is_told_with_its_name_and_sizes(void **state)
{
    char path[] = "/tmp/mistakes-XXXXXX", words[64];
    int file = mkstemp(path);
    size_t half = DATA_SIZE(names_fatbin) / 2;

    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, data_names_fatbin, half), (ssize_t)half);
    close(file);
    assert_fails(load(gpudl_source_file(path)), GPUDL_ERROR_IMAGE_TRUNCATED, path);
    snprintf(words, sizeof(words), "claims 14792 bytes, %zu present", half - 16); /* behind the header */
    assert_true(says(words));
    assert_true(says("was it copied, or passed, as a whole?"));
    unlink(path);
}

static gpudl_kernel *get_axpy(gpudl_library **lib)
{
    gpudl_kernel *k;

    assert_ok(gpudl_library_load(loader, DATA_SOURCE(names_ptx), NULL, lib));
    assert_ok(gpudl_kernel_get(*lib, "axpy", &k));
    return k;
}

static void arguments_of_wrong_size_or_order_are_told_with_the_signature(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *lib;
    gpudl_kernel *k = get_axpy(&lib);
    CUdeviceptr x = 256, y = 512;

    (void)state;
    assert_fails(gpudl_launch(k, &config, 32, 2.0, x, y), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 1");
    assert_true(says("is double (8 bytes)"));
    assert_true(says("takes f32 (4 bytes)"));
    assert_true(says("axpy(u32, f32, u64, u64)"));
    assert_true(says("2.0f a float"));
    assert_fails(gpudl_launch(k, &config, x, 2.0f, 32, y), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 0");
    assert_true(says("takes u32 (4 bytes)"));
    assert_fails(gpudl_launch(k, &config, 32, 2.0f, x), GPUDL_ERROR_LAUNCH_ARGUMENTS, "3 arguments were given");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

/* What a driver answers is the driver's; that the text has the launch, the device and what to do is gpudl's. */
static void a_handle_of_another_context_or_device_is_told_with_the_launch(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(2, 32);
    gpudl_library *lib;
    gpudl_kernel *k = get_axpy(&lib);

    (void)state;
    assert_ok(gpudl_loader_use_device(loader, 0));
    nulldrv_fail("cuLaunchKernel", 1, GPUDL_CU_INVALID_HANDLE);
    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), GPUDL_ERROR_LAUNCH, "kernel 'axpy', grid 2 x 1 x 1");
    assert_true(says("device 0: cuLaunchKernel returned 400"));
    assert_true(says("Make the handle again after a reset"));
    gpudl_loader_driver(loader)->CtxSetCurrent(NULL);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void a_context_that_was_reset_is_told_with_what_to_do(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(2, 32);
    gpudl_library *lib;
    gpudl_kernel *k = get_axpy(&lib);

    (void)state;
    nulldrv_fail("cuLaunchKernel", 1, GPUDL_CU_CONTEXT_IS_DESTROYED);
    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), GPUDL_ERROR_LAUNCH, "returned 709");
    assert_true(says("gpudl_loader_use_device() again"));
    assert_false(says("POISONED"));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_loader, close_loader)
    const struct CMUnitTest tests[] = {
        TEST(a_wrong_architecture_is_told_with_both_and_what_to_compile),
        TEST(ptx_that_is_too_new_is_told_with_both_versions_and_what_to_do),
        TEST(ptx_that_is_too_new_for_softcuda_is_no_other_error),
        TEST(a_path_that_was_passed_as_bytes_is_told_as_one),
        TEST(a_truncated_file_is_told_with_its_name_and_sizes),
        TEST(arguments_of_wrong_size_or_order_are_told_with_the_signature),
        TEST(a_handle_of_another_context_or_device_is_told_with_the_launch),
        TEST(a_context_that_was_reset_is_told_with_what_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
