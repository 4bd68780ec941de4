/* Sharing by content, references, pins, globals, slots. */
#include "tests/loader/common.h"

static gpudl_library *load(gpudl_loader *l, const gpudl_source *source)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(l, source, NULL, &lib));
    return lib;
}

static CUlibrary native_of(gpudl_library *lib)
{
    gpudl_version *v;
    CUlibrary native;

    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_native(v, &native));
    gpudl_version_unpin(v);
    return native;
}

static void the_same_content_is_loaded_once(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *a = load(l, DATA_SOURCE(names_ptx)), *b = load(l, DATA_SOURCE(names_ptx)),
                  *c = load(l, DATA_SOURCE(names_cubin));

    (void)state;
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(native_of(a), native_of(b));
    assert_ptr_not_equal(native_of(a), native_of(c));
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 2);
    gpudl_library_release(a);
    assert_int_equal(nulldrv_alive("library"), 2);
    gpudl_library_release(b);
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_library_release(c);
    harness_close(l);
}

static void what_can_be_written_is_not_shared(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *a = load(l, DATA_SOURCE(globals_fatbin)), *b = load(l, DATA_SOURCE(globals_fatbin));

    (void)state;
    assert_ptr_not_equal(native_of(a), native_of(b));
    gpudl_library_release(a);
    gpudl_library_release(b);
    harness_close(l);
}

static void other_options_are_another_version(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *a = load(l, DATA_SOURCE(names_ptx)), *b;

    (void)state;
    options.max_image_bytes = 1 << 20;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), &options, &b));
    assert_ptr_not_equal(native_of(a), native_of(b));
    gpudl_library_release(a);
    gpudl_library_release(b);
    harness_close(l);
}

static void a_kernel_keeps_its_library(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    gpudl_kernel *k, *same;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_get(lib, "axpy", &same));
    assert_ptr_not_equal(k, same);
    gpudl_library_release(lib);
    gpudl_kernel_release(same);
    assert_int_equal(nulldrv_alive("library"), 1);
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
    gpudl_kernel_release(k);
    harness_close(l);
}

static void a_pin_keeps_its_version(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, DATA_SOURCE(globals_ptx));
    CUdeviceptr address;
    gpudl_version *v;

    (void)state;
    assert_ok(gpudl_library_pin(lib, &v));
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1);
    assert_ok(gpudl_version_global(v, "counter", 0, &address, NULL));
    gpudl_version_unpin(v);
    assert_int_equal(nulldrv_alive("library"), 0);
    harness_close(l);
}

static void globals_are_found_by_name(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(globals_cubin));
    CUdeviceptr address = 0;
    gpudl_version *v;
    size_t size = 0;

    (void)state;
    nulldrv_set_globals(64);
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "table", 0, &address, &size));
    assert_int_equal(size, 64);
    assert_true(address != 0);
    assert_ok(gpudl_version_global(v, "ns::inner", 0, &address, &size));
    assert_int_equal(nulldrv_alive("pushed"), 0); /* the context was lent for the calls */
    assert_int_equal(nulldrv_calls("cuLibraryGetManaged"), 0);
    assert_ok(gpudl_version_global(v, "both", 0, &address, NULL));
    assert_int_equal(nulldrv_calls("cuLibraryGetManaged"), 1);
    assert_fails(gpudl_version_global(v, "countre", 0, &address, &size), GPUDL_ERROR_NO_SUCH_GLOBAL, "did you mean counter");
    assert_fails(gpudl_version_global(v, "counter", 1, &address, &size), GPUDL_ERROR_ARGUMENT, "no device 1");
    assert_fails(gpudl_version_global(v, NULL, 0, &address, &size), GPUDL_ERROR_ARGUMENT, "NULL");
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    harness_close(l);
}

/* More kernels than a new library has places for, and a launch of the first after each. */
static void kernels_keep_their_places_while_a_library_grows(void **state)
{
    char ptx[16384] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_kernel *k[100];
    gpudl_library *lib;
    char name[16];

    (void)state;
    for (int i = 0; i < 100; i++)
        sprintf(ptx + strlen(ptx), ".visible .entry k%d(.param .u32 a) { ret; }\n", i);
    lib = load(l, GPUDL_MEMORY(ptx, strlen(ptx)));
    assert_int_equal(gpudl_library_kernel_count(lib), 100);
    for (int i = 0; i < 100; i++) {
        sprintf(name, "k%d", i);
        assert_string_equal(gpudl_library_kernel_name(lib, (size_t)i), name);
        assert_ok(gpudl_kernel_get(lib, name, &k[i]));
        assert_ok(gpudl_kernel_launch_params(k[0], &config, NULL));
        assert_ok(gpudl_kernel_launch_params(k[i], &config, NULL));
    }
    assert_null(gpudl_library_kernel_name(lib, 100));
    for (int i = 0; i < 100; i++) {
        sprintf(name, "k%d", i);
        assert_string_equal(gpudl_kernel_name(k[i]), name);
        gpudl_kernel_release(k[i]);
    }
    gpudl_library_release(lib);
    harness_close(l);
}

static void parameters_are_the_images(void **state)
{
    static const struct {
        size_t offset, size;
    } expected[] = { { 0, 4 }, { 4, 4 }, { 8, 8 }, { 16, 8 } };
    gpudl_param_info info = { .size_of_struct = sizeof(info) };
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_cubin));
    gpudl_kernel *k;
    size_t n;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_param_count(k, &n));
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_ok(gpudl_kernel_param(k, i, &info));
        assert_int_equal(info.offset, expected[i].offset);
        assert_int_equal(info.size, expected[i].size);
    }
    assert_fails(gpudl_kernel_param(k, 4, &info), GPUDL_ERROR_ARGUMENT, "4 parameters");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_loader_with_something_out_stays_open(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));

    (void)state;
    gpudl_loader_close(l);
    assert_non_null(strstr(harness_log(), "not released"));
    gpudl_library_release(lib);
    harness_close(l);
}

static void release_accepts_null(void **state)
{
    (void)state;
    gpudl_library_release(NULL);
    gpudl_kernel_release(NULL);
    gpudl_version_unpin(NULL);
    gpudl_loader_close(NULL);
    assert_int_equal(gpudl_library_kernel_count(NULL), 0);
    assert_null(gpudl_library_kernel_name(NULL, 0));
    assert_null(gpudl_kernel_name(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(the_same_content_is_loaded_once),
        TEST(what_can_be_written_is_not_shared),
        TEST(other_options_are_another_version),
        TEST(a_kernel_keeps_its_library),
        TEST(a_pin_keeps_its_version),
        TEST(globals_are_found_by_name),
        TEST(kernels_keep_their_places_while_a_library_grows),
        TEST(parameters_are_the_images),
        TEST(a_loader_with_something_out_stays_open),
        TEST(release_accepts_null),
    };

    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
