/* What gpudl-trial takes for as expected: types, tolerances, and values that are no numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tools/trial/compare.h"

static struct difference differ(unsigned element, const void *got, const void *expected, size_t size, double absolute, double relative)
{
    struct buffer b = { .size = size, .element = element, .absolute = absolute, .relative = relative, .expected = { expected, size } };

    return compare(&b, got);
}

#define assert_differ(element, got, expected, absolute, relative, number, index) \
    do { \
        struct difference d_ = differ(element, got, expected, sizeof(expected), absolute, relative); \
        assert_int_equal(d_.count, number); \
        assert_int_equal(d_.first, index); \
    } while (0)

static void every_element_has_its_type(void **state)
{
    static const char *const names[] = { "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64" };

    (void)state;
    for (unsigned i = GPUDL_TRIAL_U8; i <= GPUDL_TRIAL_F64; i++)
        assert_string_equal(compare_type(i)->name, names[i]);
}

static void integers_differ_by_their_values(void **state)
{
    const signed char got[] = { -128, 5, 127 }, expected[] = { 127, 4, -128 };
    const uint64_t large[] = { UINT64_MAX, 1 }, larger[] = { UINT64_MAX - 1, UINT64_MAX };

    (void)state;
    assert_differ(GPUDL_TRIAL_I8, got, expected, 0, 0, 3, 0);
    assert_differ(GPUDL_TRIAL_I8, got, expected, 1, 0, 2, 0);
    assert_differ(GPUDL_TRIAL_I8, got, expected, 254, 0, 2, 0);
    assert_differ(GPUDL_TRIAL_I8, got, expected, 255, 0, 0, 0);
    assert_differ(GPUDL_TRIAL_U64, large, larger, 0, 0, 2, 0);  /* doubles would be the same */
    assert_differ(GPUDL_TRIAL_U64, large, larger, 1, 0, 1, 1);
}

static void floats_differ_by_more_than_the_tolerance(void **state)
{
    const float got[] = { 100, -100, 0, -0.f }, expected[] = { 101, -101, 0.5f, 0 };
    const uint16_t halves[] = { 0x3c00, 0xbc01 }, others[] = { 0x3c01, 0xbc00 };    /* next to 1 and -1 */

    (void)state;
    assert_differ(GPUDL_TRIAL_F32, got, expected, 0, 0, 3, 0);
    assert_differ(GPUDL_TRIAL_F32, got, expected, 0, 0.01, 1, 2);
    assert_differ(GPUDL_TRIAL_F32, got, expected, 0.5, 0.01, 0, 0);
    assert_differ(GPUDL_TRIAL_F32, got, expected, 0.5, 0, 2, 0);
    assert_differ(GPUDL_TRIAL_F16, halves, others, 0, 0, 2, 0);
    assert_differ(GPUDL_TRIAL_F16, halves, others, 0x1p-10, 0, 0, 0);
}

static void what_is_no_number_is_expected_as_such(void **state)
{
    const double got[] = { NAN, 1, INFINITY, INFINITY, 1 }, expected[] = { -NAN, NAN, INFINITY, -INFINITY, INFINITY };
    const double turned[] = { 0 / 1., NAN };

    (void)state;
    assert_differ(GPUDL_TRIAL_F64, got, expected, 1e300, 1e300, 3, 1);
    assert_differ(GPUDL_TRIAL_F64, expected, got, 1e300, 1e300, 3, 1);
    assert_differ(GPUDL_TRIAL_F64, turned, ((double[]){ 0, 0 }), INFINITY, 0, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_its_type),
        cmocka_unit_test(integers_differ_by_their_values),
        cmocka_unit_test(floats_differ_by_more_than_the_tolerance),
        cmocka_unit_test(what_is_no_number_is_expected_as_such),
    };

    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
