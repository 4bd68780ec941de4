/* The first of several sources that loads: which it was, and why not the others. */
#include "tests/loader/common.h"

static size_t taken;
static gpudl_library *lib;

/* CUDA C++ is not compiled here, whatever is on the machine. */
static const gpudl_load_options *without_compiler(void)
{
    static gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    static gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;

    compile.compiler = "/nowhere/nvcc";
    load.compile = &compile;
    return &load;
}

static void the_first_that_loads_is_taken(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source sources[] = {
        gpudl_source_file("/nowhere/k.fatbin"),
        gpudl_source_text("k.cu", "__global__ void k() {}"),
        gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx)),
        gpudl_source_file("/nowhere/never-tried"),
    };

    (void)state;
    assert_ok(gpudl_library_load_first(l, sources, 4, without_compiler(), &taken, &lib));
    assert_int_equal(taken, 2);
    assert_true(gpudl_library_kernel_count(lib) > 0);
    assert_non_null(strstr(gpudl_error_text(), "0: /nowhere/k.fatbin: No such file"));
    assert_non_null(strstr(gpudl_error_text(), "1: k.cu: the compiler '/nowhere/nvcc' cannot be used: No such file"));
    gpudl_library_release(lib);
    harness_close(l);
}

GPUDL_EMBEDDED_DECLARE(embedded_names);

static void an_embedded_image_is_the_last_resort(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source sources[] = { gpudl_source_file("/nowhere/k.fatbin"), GPUDL_EMBEDDED(embedded_names) };

    (void)state;
    assert_ok(gpudl_library_load_first(l, sources, 2, NULL, &taken, &lib));
    assert_int_equal(taken, 1);
    assert_int_equal(embedded_names_end - embedded_names, DATA_SIZE(names_ptx));
    assert_int_equal(*embedded_names_end, 0);
    gpudl_library_release(lib);
    sources[1].nbytes = 20;
    assert_fails(gpudl_library_load_first(l, sources, 2, NULL, &taken, &lib), GPUDL_ERROR_FILE_MISSING, "1: embedded_names: ");
    harness_close(l);
}

static void what_loads_at_once_leaves_the_text_alone(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source source = gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx));

    (void)state;
    assert_fails(gpudl_library_load(l, GPUDL_FILE("/nowhere"), NULL, &lib), GPUDL_ERROR_FILE_MISSING, "/nowhere");
    taken = 7;
    assert_ok(gpudl_library_load_first(l, &source, 1, NULL, &taken, &lib));
    assert_int_equal(taken, 0);
    assert_non_null(strstr(gpudl_error_text(), "/nowhere")); /* left alone */
    gpudl_library_release(lib);
    harness_close(l);
}

static void when_none_loads_each_ones_reason_is_told(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source sources[] = {
        gpudl_source_text("k.cu", "__global__ void k() {}"),
        gpudl_source_file("/nowhere/k.fatbin"),
        gpudl_source_memory("hello", 5),
    };

    (void)state;
    taken = 7;
    lib = NULL;
    assert_fails(
        gpudl_library_load_first(l, sources, 3, without_compiler(), &taken, &lib), GPUDL_ERROR_NO_COMPILER, "none of 3 sources");
    assert_non_null(strstr(gpudl_error_text(), "0: k.cu: the compiler"));
    assert_non_null(strstr(gpudl_error_text(), "1: /nowhere/k.fatbin: No such file"));
    assert_non_null(strstr(gpudl_error_text(), "2: memory: "));
    assert_int_equal(taken, 7);
    assert_null(lib);
    nulldrv_fail("cuLibraryLoadData", 1, 200);
    sources[0] = gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin));
    assert_fails(gpudl_library_load_first(l, sources, 3, NULL, &taken, &lib), GPUDL_ERROR_IMAGE_DAMAGED, "none of 3 sources");
    assert_int_equal(gpudl_error_cuda(), 200);
    harness_close(l);
}

static void arguments_are_checked(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source sources[2] = { gpudl_source_file("a"), gpudl_source_file("b") };

    (void)state;
    assert_fails(gpudl_library_load_first(l, NULL, 2, NULL, &taken, &lib), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_library_load_first(l, sources, 0, NULL, &taken, &lib), GPUDL_ERROR_ARGUMENT, "no sources");
    assert_fails(gpudl_library_load_first(l, sources, 2, NULL, NULL, &lib), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_library_load_first(l, sources, 2, NULL, &taken, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    sources[1].size = 3;
    assert_fails(gpudl_library_load_first(l, sources, 2, NULL, &taken, &lib), GPUDL_ERROR_ARGUMENT, "of one size");
    sources[0].size = 0;
    assert_fails(gpudl_library_load_first(l, sources, 1, NULL, &taken, &lib), GPUDL_ERROR_ARGUMENT, "gpudl_source");
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(the_first_that_loads_is_taken),
        TEST(an_embedded_image_is_the_last_resort),
        TEST(what_loads_at_once_leaves_the_text_alone),
        TEST(when_none_loads_each_ones_reason_is_told),
        TEST(arguments_are_checked),
    };

    return cmocka_run_group_tests_name("first", tests, NULL, NULL);
}
