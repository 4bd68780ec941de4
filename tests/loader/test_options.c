/* Load options: what the driver is told, what is refused at the door, and that other options are another version. */
#include "tests/loader/common.h"

static gpudl_status load_with(gpudl_loader *l, const gpudl_load_options *options)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, DATA_SOURCE(names_ptx), options, &lib);

    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    return status;
}

/* The value that the driver got with the last load; fails where it got none. */
static uintptr_t told(int option)
{
    void *value = NULL;

    if (!nulldrv_load_option(0, option, &value))
        fail_msg("the driver was not told of option %d", option);
    return (uintptr_t)value;
}

static void by_default_the_driver_gets_its_logs_and_nothing_else(void **state)
{
    gpudl_loader *l = harness_open();

    (void)state;
    assert_ok(load_with(l, NULL));
    assert_true(told(GPUDL_JIT_ERROR_LOG_BUFFER) && told(GPUDL_JIT_INFO_LOG_BUFFER));
    assert_int_equal(told(GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES), 4096);
    assert_int_equal(told(GPUDL_JIT_INFO_LOG_BUFFER_SIZE_BYTES), 4096);
    for (int option = 0; option < 64; option++)
        if (option < GPUDL_JIT_INFO_LOG_BUFFER || option > GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            assert_false(nulldrv_load_option(0, option, NULL));
    assert_false(nulldrv_load_option(1, GPUDL_LIBRARY_BINARY_IS_PRESERVED, NULL));
    assert_false(nulldrv_load_option(1, GPUDL_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, NULL));
    harness_close(l);
}

static void the_driver_is_told_all_of_them(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();

    (void)state;
    options.optimization = GPUDL_OPTIMIZATION(0);
    options.max_registers = 32;
    options.fma = GPUDL_FMA_OFF;
    options.cache_mode = GPUDL_CACHE_MODE_CG;
    options.target = "sm_90a";
    options.flags = GPUDL_LOAD_DEBUG | GPUDL_LOAD_LINE_INFO | GPUDL_LOAD_PRESERVED;
    assert_ok(load_with(l, &options));
    assert_int_equal(told(GPUDL_JIT_OPTIMIZATION_LEVEL), 0);
    assert_int_equal(told(GPUDL_JIT_MAX_REGISTERS), 32);
    assert_int_equal(told(GPUDL_JIT_FMA), 0);
    assert_int_equal(told(GPUDL_JIT_CACHE_MODE), 1);
    assert_int_equal(told(GPUDL_JIT_TARGET), 0x10000 + 90);
    assert_int_equal(told(GPUDL_JIT_GENERATE_DEBUG_INFO), 1);
    assert_int_equal(told(GPUDL_JIT_GENERATE_LINE_INFO), 1);
    assert_true(nulldrv_load_option(1, GPUDL_LIBRARY_BINARY_IS_PRESERVED, NULL));
    harness_close(l);
}

/* The driver may look at the table for as long as the code is loaded, and the caller's is gone then. */
static void the_host_table_is_copied(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_host_table table = { &options, 8, &table, 16 };
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    void *value = NULL;

    (void)state;
    options.host_table = &table;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), &options, &lib));
    assert_true(nulldrv_load_option(1, GPUDL_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, &value));
    assert_ptr_not_equal(value, &table);
    assert_memory_equal(value, &table, sizeof(table));
    gpudl_library_release(lib);
    harness_close(l);
}

static void other_options_are_another_version(void **state)
{
    gpudl_load_options variants[8];
    gpudl_host_table table = { variants, 8, NULL, 0 };
    gpudl_loader *l = harness_open();
    gpudl_library *libs[2][8];

    (void)state;
    for (int i = 0; i < 8; i++)
        variants[i] = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT;
    variants[1].max_image_bytes = 1 << 20;
    variants[2].optimization = GPUDL_OPTIMIZATION(4);
    variants[3].max_registers = 64;
    variants[4].target = "9.0";
    variants[5].fma = GPUDL_FMA_ON;
    variants[6].flags = GPUDL_LOAD_LINE_INFO;
    variants[7].host_table = &table;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 8; i++)
            assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), &variants[i], &libs[round][i]));
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 8);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 8; i++)
            gpudl_library_release(libs[round][i]);
    harness_close(l);
}

static void what_no_driver_knows_is_refused(void **state)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();

    (void)state;
#define REFUSED(member, value, status, words) \
    o = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT; \
    o.member = (value); \
    assert_fails(load_with(l, &o), status, words)
    REFUSED(flags, 1u << 31, GPUDL_ERROR_TOO_NEW, "0x80000000");
    REFUSED(optimization, GPUDL_OPTIMIZATION(5), GPUDL_ERROR_ARGUMENT, "0 to 4");
    REFUSED(fma, 3, GPUDL_ERROR_ARGUMENT, "GPUDL_FMA_ON");
    REFUSED(cache_mode, 3, GPUDL_ERROR_ARGUMENT, "GPUDL_CACHE_MODE_CG");
    REFUSED(target, "fast", GPUDL_ERROR_ARGUMENT, "'fast'");
    REFUSED(target, "sm_80", GPUDL_ERROR_ARCHITECTURE, "sm_90");
    REFUSED(target, "sm_100", GPUDL_ERROR_ARCHITECTURE, "sm_100");
#undef REFUSED
    o = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT;
    o.flags = GPUDL_LOAD_DEBUG;
    o.optimization = GPUDL_OPTIMIZATION(4);
    assert_fails(load_with(l, &o), GPUDL_ERROR_ARGUMENT, "not optimised");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    harness_close(l);
}

/* A program that was built with the header of 0.1's first days. */
static void a_shorter_struct_is_accepted(void **state)
{
    struct {
        size_t size;
        uint64_t max_image_bytes, flags;
    } old = { sizeof(old), 1 << 20, 0 };
    gpudl_loader *l = harness_open();

    (void)state;
    assert_ok(load_with(l, (const gpudl_load_options *)&old));
    harness_close(l);
}

static void what_the_driver_remarks_is_kept(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib, *same;

    (void)state;
    nulldrv_set_remarks("ptxas warning : adjusting per thread register count of 16 to lower bound of 24\n");
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_string_equal(gpudl_library_log(lib), "ptxas warning : adjusting per thread register count of 16 to lower bound of 24");
    nulldrv_set_remarks(NULL);
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &same));
    assert_string_equal(gpudl_library_log(same), gpudl_library_log(lib)); /* it is the same version */
    gpudl_library_release(lib);
    gpudl_library_release(same);
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_cubin), NULL, &lib));
    assert_string_equal(gpudl_library_log(lib), "");
    gpudl_library_release(lib);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(by_default_the_driver_gets_its_logs_and_nothing_else),
        TEST(the_driver_is_told_all_of_them),
        TEST(the_host_table_is_copied),
        TEST(other_options_are_another_version),
        TEST(what_no_driver_knows_is_refused),
        TEST(a_shorter_struct_is_accepted),
        TEST(what_the_driver_remarks_is_kept),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
