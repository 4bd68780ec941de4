/* What gpudl_features() says of a full build, of drivers and of policies. */
#include <stdlib.h>

#include "tests/loader/common.h"

static const uint64_t of_driver = GPUDL_HAS_DRIVER | GPUDL_HAS_GPU | GPUDL_HAS_SOFTCUDA;

static void a_full_build_has_all_parts(void **state)
{
    gpudl_loader *l = harness_open();
    uint64_t has = gpudl_features(l);

    (void)state;
    assert_int_equal(has & GPUDL_BUILT_FULL,
        GPUDL_BUILT_COMPILE | GPUDL_BUILT_LINK | GPUDL_BUILT_TRUST | GPUDL_BUILT_CACHE | GPUDL_BUILT_WATCH | GPUDL_BUILT_TRIAL);
    assert_int_equal(has & of_driver, GPUDL_HAS_DRIVER | GPUDL_HAS_GPU);
    assert_int_equal(has & GPUDL_HAS_LINKER, GPUDL_HAS_LINKER); /* the null driver's */
    assert_int_equal(has & GPUDL_HAS_POLICY, 0);
    harness_close(l);
}

static void softcuda_is_no_gpu(void **state)
{
    gpudl_loader *l;

    (void)state;
    nulldrv_set_name("softcuda, 2 CPU threads");
    l = harness_open();
    assert_int_equal(gpudl_features(l) & of_driver, GPUDL_HAS_DRIVER | GPUDL_HAS_SOFTCUDA);
    harness_close(l);
}

static void a_policy_in_force_is_told(void **state)
{
    static const char zeroes[] = "0000000000000000000000000000000000000000000000000000000000000000";
    const char *const digests[] = { zeroes };
    gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    trust.policy = GPUDL_TRUST_DIGEST;
    trust.digests = digests, trust.ndigests = 1;
    options.trust = &trust;
    l = harness_open_with(options);
    assert_int_equal(gpudl_features(l) & GPUDL_HAS_POLICY, GPUDL_HAS_POLICY);
    harness_close(l);
}

/* The default loader, which cannot be opened: no failure, and the reason is there. */
static void without_a_driver_the_reason_is_told(void **state)
{
    (void)state;
    setenv("GPUDL_DRIVER", "/nowhere/libcuda.so", 1);
    assert_int_equal(gpudl_features(NULL) & of_driver, 0);
    assert_non_null(strstr(gpudl_error_text(), "/nowhere/libcuda.so"));
    unsetenv("GPUDL_DRIVER");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_full_build_has_all_parts),
        TEST(softcuda_is_no_gpu),
        TEST(a_policy_in_force_is_told),
        TEST(without_a_driver_the_reason_is_told),
    };

    return cmocka_run_group_tests_name("features", tests, NULL, NULL);
}
