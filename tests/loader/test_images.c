/* Code that does not fit is refused before the driver is asked, with a status of its own; what the driver refuses, or takes
 * and finds empty, is a failed load with the driver's words. The loader goes on. */
#include "tests/loader/common.h"

#include <stdlib.h>

static gpudl_status load_memory(gpudl_loader *l, const void *bytes, size_t size)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, GPUDL_MEMORY(bytes, size), NULL, &lib);

    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    return status;
}

#define LOAD(l, name) load_memory(l, data_##name, DATA_SIZE(name))

static gpudl_loader *open_as(unsigned sm, const char *name)
{
    nulldrv_set_sm(sm);
    nulldrv_set_name(name);
    return harness_open();
}

static void tells_bytes_that_are_no_image(void **state)
{
    gpudl_loader *l = harness_open();

    (void)state;
    assert_fails(load_memory(l, "saxpy.cubin", 11), GPUDL_ERROR_NOT_AN_IMAGE, "memory: ");
    assert_fails(load_memory(l, "\x01\x02\x03\x04\x05\x06\x07\x08", 8), GPUDL_ERROR_NOT_AN_IMAGE, "memory: ");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    assert_ok(LOAD(l, names_fatbin));
    harness_close(l);
}

static void never_believes_a_truncated_image(void **state)
{
    gpudl_loader *l = harness_open();

    (void)state;
    for (size_t n = 1; n < DATA_SIZE(names_fatbin); n += 97) {
        gpudl_status status = load_memory(l, data_names_fatbin, n);
        assert_true(
            status == GPUDL_ERROR_IMAGE_TRUNCATED || status == GPUDL_ERROR_NOT_AN_IMAGE || status == GPUDL_ERROR_IMAGE_DAMAGED);
        assert_true(strlen(gpudl_error_text()) > 0);
    }
    assert_fails(load_memory(l, data_names_cubin, 1500), GPUDL_ERROR_IMAGE_TRUNCATED, "memory: ");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    harness_close(l);
}

static void survives_any_flipped_byte(void **state)
{
    gpudl_loader *l = harness_open();
    unsigned char *copy = malloc(DATA_SIZE(names_fatbin));

    (void)state;
    for (size_t i = 0; i < DATA_SIZE(names_fatbin); i += i < 256 ? 1 : 61) {
        memcpy(copy, data_names_fatbin, DATA_SIZE(names_fatbin));
        copy[i] ^= 0xff;
        if (load_memory(l, copy, DATA_SIZE(names_fatbin)) != GPUDL_OK)
            assert_true(strlen(gpudl_error_text()) > 0);
    }
    free(copy);
    harness_close(l);
}

static void tells_code_for_another_device(void **state)
{
    gpudl_loader *l = open_as(80, "null driver");

    (void)state;
    assert_fails(LOAD(l, names_cubin), GPUDL_ERROR_ARCHITECTURE, "sm_80");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    assert_ok(LOAD(l, names_fatbin)); /* holds PTX as well */
    harness_close(l);
    l = open_as(70, "null driver");
    assert_fails(LOAD(l, names_ptx), GPUDL_ERROR_ARCHITECTURE, "75");
    harness_close(l);
}

static void tells_machine_code_on_softcuda(void **state)
{
    gpudl_loader *l = open_as(75, "softcuda, 2 CPU threads");

    (void)state;
    assert_true(gpudl_loader_is_software(l));
    assert_fails(LOAD(l, names_cubin), GPUDL_ERROR_MACHINE_CODE_ONLY, "PTX");
    assert_ok(LOAD(l, names_fatbin));
    harness_close(l);
}

static void tells_ptx_that_is_too_new(void **state)
{
    static const char ptx[] = ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    gpudl_loader *l = harness_open();

    (void)state;
    assert_fails(load_memory(l, ptx, sizeof(ptx) - 1), GPUDL_ERROR_PTX_TOO_NEW, "99.0");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    harness_close(l);
}

static void tells_an_image_without_kernels(void **state)
{
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    gpudl_loader *l = harness_open();

    (void)state;
    assert_fails(load_memory(l, ptx, sizeof(ptx) - 1), GPUDL_ERROR_NO_KERNELS, "without kernels");
    harness_close(l);
}

static void gives_the_drivers_words_for_refused_ptx(void **state)
{
    gpudl_loader *l = harness_open();

    (void)state;
    nulldrv_set_kernels("");
    nulldrv_set_log("ptxas application ptx input, line 9; error   : Not a name of any known instruction: 'bogus'\n");
    assert_fails(LOAD(l, names_ptx), GPUDL_ERROR_PTX, "line 9; error   : Not a name of any known instruction: 'bogus'");
    assert_int_equal(nulldrv_alive("library"), 0);
    nulldrv_set_log(NULL);
    assert_fails(LOAD(l, names_ptx), GPUDL_ERROR_PTX, "axpy"); /* an empty library is a failure without words as well */
    nulldrv_set_kernels(NULL);
    assert_ok(LOAD(l, names_ptx));
    harness_close(l);
}

static void maps_what_the_driver_returns(void **state)
{
    static const struct {
        int code;
        gpudl_status ptx, cubin;
    } table[] = {
        { 200, GPUDL_ERROR_PTX, GPUDL_ERROR_IMAGE_DAMAGED },
        { 218, GPUDL_ERROR_PTX, GPUDL_ERROR_DRIVER },
        { 222, GPUDL_ERROR_PTX_TOO_NEW, GPUDL_ERROR_PTX_TOO_NEW },
        { 209, GPUDL_ERROR_ARCHITECTURE, GPUDL_ERROR_ARCHITECTURE },
        { 2, GPUDL_ERROR_DRIVER, GPUDL_ERROR_DRIVER },
        { 999, GPUDL_ERROR_DRIVER, GPUDL_ERROR_DRIVER },
    };
    gpudl_loader *l = harness_open();

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        nulldrv_fail("cuLibraryLoadData", 1, table[i].code);
        assert_fails(LOAD(l, names_ptx), table[i].ptx, "cuLibraryLoadData returned");
        assert_int_equal(gpudl_error_cuda(), table[i].code);
        nulldrv_fail("cuLibraryLoadData", 1, table[i].code);
        assert_fails(LOAD(l, names_cubin), table[i].cubin, "cuLibraryLoadData returned");
    }
    assert_ok(LOAD(l, names_ptx));
    assert_int_equal(gpudl_error_cuda(), 999); /* a success leaves the last failure alone */
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(tells_bytes_that_are_no_image),
        TEST(never_believes_a_truncated_image),
        TEST(survives_any_flipped_byte),
        TEST(tells_code_for_another_device),
        TEST(tells_machine_code_on_softcuda),
        TEST(tells_ptx_that_is_too_new),
        TEST(tells_an_image_without_kernels),
        TEST(gives_the_drivers_words_for_refused_ptx),
        TEST(maps_what_the_driver_returns),
    };

    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
