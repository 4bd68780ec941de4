#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/util/span.h"

static const unsigned char bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static const struct span s = { bytes, sizeof(bytes) };

static void integers_are_little_endian(void **state)
{
    (void)state;
    assert_int_equal(span_u8(s, 8), 9);
    assert_int_equal(span_u16(s, 1), 0x0302);
    assert_int_equal(span_u32(s, 1), 0x05040302);
    assert_true(span_u64(s, 1) == 0x0908070605040302);
}

static void past_the_end_there_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(span_u8(s, 9), 0);
    assert_int_equal(span_u16(s, 8), 0);
    assert_int_equal(span_u32(s, 6), 0);
    assert_true(span_u64(s, 2) == 0);
    assert_true(span_u64(s, UINT64_MAX - 3) == 0);
    assert_int_equal(span_from(s, 9).size, 0);
    assert_int_equal(span_from(s, UINT64_MAX).size, 0);
    assert_int_equal(span_from(s, 4).size, 5);
}

static void cuts_lie_within(void **state)
{
    struct span out = { NULL, 77 };

    (void)state;
    assert_false(span_cut(s, 0, 10, &out));
    assert_false(span_cut(s, 10, 0, &out));
    assert_false(span_cut(s, 1, UINT64_MAX, &out));
    assert_false(span_cut(s, UINT64_MAX, 2, &out));
    assert_int_equal(out.size, 77);
    assert_true(span_cut(s, 9, 0, &out));
    assert_int_equal(out.size, 0);
    assert_true(span_cut(s, 3, 6, &out));
    assert_ptr_equal(out.data, bytes + 3);
    assert_int_equal(out.size, 6);
}

static void strings_end_within(void **state)
{
    static const unsigned char text[] = "ab\0cd";
    struct span t = { text, 5 };        /* the last NUL is outside */
    size_t n = 9;

    (void)state;
    assert_string_equal(span_string(t, 0, 100, &n), "ab");
    assert_int_equal(n, 2);
    assert_string_equal(span_string(t, 2, 100, &n), "");
    assert_null(span_string(t, 3, 100, &n));
    assert_null(span_string(t, 5, 100, &n));
    assert_null(span_string(t, UINT64_MAX, 100, &n));
    assert_null(span_string(t, 0, 2, &n));
    assert_non_null(span_string(t, 0, 3, NULL));
}

static void comparisons_stay_within(void **state)
{
    (void)state;
    assert_true(span_is(s, 7, "\x08\x09", 2));
    assert_false(span_is(s, 8, "\x09\x0a", 2));
    assert_false(span_is(s, UINT64_MAX, "\x09", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_little_endian),
        cmocka_unit_test(past_the_end_there_is_nothing),
        cmocka_unit_test(cuts_lie_within),
        cmocka_unit_test(strings_end_within),
        cmocka_unit_test(comparisons_stay_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
