/* shapes.c - values that are the same in all lanes meet values that are not. */
#include "tests/jit/harness.h"

static void a_carry_that_is_the_same_in_all_lanes_is_added_to_each(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r1, %ntid.x;\nadd.cc.u32 %r2, %r1, -1;\naddc.u32 %r3, %r0, 4;\n"
        "st.global.u32 [%rd1], %r3;\nret;\n"), 2, 50), -1);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], i % 50 + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_carry_that_is_the_same_in_all_lanes_is_added_to_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
