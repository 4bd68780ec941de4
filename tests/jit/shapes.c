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

static void a_way_round_a_loop_against_the_layout_keeps_what_other_lanes_write(void **state)
{
    (void)state;
    /* Thread 0 goes to L1, into the middle of a loop of L1 and L3 inside, and never to L2. */
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r1, %r0;\nmov.u32 %r2, 9;\nsetp.eq.u32 %p0, %r0, 3;\nsetp.eq.u32 %p1, %r0, 17;\nsetp.eq.u32 %p2, %r0, 0;\n"
        "L0: @!%p2 bra L2;\n"
        "L1: setp.gt.u32 %p0, %r1, 16;\nbra L3;\n"
        "L2: mov.u32 %r1, 100;\n"
        "L3: @!%p1 bra L5;\n@!%p1 bra L1;\n"
        "L5: sub.s32 %r2, %r2, 1;\nsetp.le.s32 %p3, %r2, 0;\n@%p3 bra D;\n@!%p0 bra L0;\n"
        "D: selp.u32 %r3, 1, 2, %p0;\nst.global.u32 [%rd1], %r3;\nret;\n"), 2, 32), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i % 32 == 3 ? 1 : 2);
}

static void lanes_that_wait_for_a_lock_keep_what_others_write_behind_it(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(
        "mov.u32 %r1, 5;\n"
        "L: atom.cas.global.b32 %r2, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
        "ld.volatile.global.u32 %r3, [%rd0+4];\nadd.u32 %r3, %r3, %r1;\nst.volatile.global.u32 [%rd0+4], %r3;\nmembar.gl;\n"
        "atom.exch.global.b32 %r2, [%rd0], 0;\nmov.u32 %r5, 0;\n"
        "M: setp.ge.s32 %p2, %r5, 2;\n@%p2 bra E;\nmov.u32 %r1, 7;\nadd.u32 %r5, %r5, %r1;\nbra M;\n"
        "E: ret;\n"), 1, 64), -1);
    assert_int_equal(out[1], 5 * 64);
}

static void what_nobody_wrote_is_not_written_to_lanes_that_a_guard_leaves_out(void **state)
{
    (void)state;
    /* %r9 has no value: no lane reads it. */
    assert_int_equal(run(KERNEL(MY_WORD
        "setp.gt.u32 %p1, %r0, 1000;\nmov.u32 %r3, %r0;\n@%p1 add.u32 %r3, %r9, 18;\nst.global.u32 [%rd1], %r3;\nret;\n"), 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
}

static void parameters_that_are_registers_have_a_value_for_each_lane(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".func (.reg .b32 %r) square(.reg .b32 %a)\n{\nmul.lo.u32 %r, %a, %a;\nret;\n}\n"
        ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<64>; .reg .b64 %rd<32>;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n"
        MY_WORD "call (%r1), square, (%r0);\nst.global.u32 [%rd1], %r1;\nret;\n}\n", 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i * i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_carry_that_is_the_same_in_all_lanes_is_added_to_each),
        cmocka_unit_test(a_way_round_a_loop_against_the_layout_keeps_what_other_lanes_write),
        cmocka_unit_test(lanes_that_wait_for_a_lock_keep_what_others_write_behind_it),
        cmocka_unit_test(parameters_that_are_registers_have_a_value_for_each_lane),
        cmocka_unit_test(what_nobody_wrote_is_not_written_to_lanes_that_a_guard_leaves_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
