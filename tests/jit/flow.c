/* flow.c - control flow that lanes take apart: loops, locks, calls, barriers, exits. */
#include "tests/jit/harness.h"

static void lanes_that_leave_a_loop_early_keep_their_values(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r1, 0;\n"
        "L: mul.lo.s32 %r2, %r1, 10;\n"             /* defined once, used after the loop */
        "add.s32 %r1, %r1, 1;\n"
        "setp.le.u32 %p1, %r1, %r0;\n"
        "@%p1 bra L;\n"
        "st.global.u32 [%rd1], %r2;\nret;\n"), 2, 50), -1);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], i % 50 * 10);
}

static void early_exits_do_not_stop_the_others(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "setp.gt.u32 %p1, %r0, 40;\n@%p1 bra D;\n"
        "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 exit;\n"
        "st.global.u32 [%rd1], 7;\n"
        "D: ret;\n"), 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i <= 40 && i % 2 == 0 ? 7 : 0);
}

static void irreducible_loops_run(void **state)
{
    (void)state;
    /* A loop with two entries: odd threads jump into its middle. Counts how often each half ran. */
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 5;\nand.b32 %r4, %r0, 1;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra B;\n"
        "A: add.s32 %r1, %r1, 1;\n"
        "B: add.s32 %r2, %r2, 1;\nsub.s32 %r3, %r3, 1;\nsetp.gt.s32 %p2, %r3, 0;\n@%p2 bra A;\n"
        "mad.lo.s32 %r5, %r1, 100, %r2;\nst.global.u32 [%rd1], %r5;\nret;\n"), 1, 33), -1);
    for (unsigned i = 0; i < 33; i++)
        assert_int_equal(out[i], i % 2 ? 405 : 505);
}

static void lanes_that_go_back_to_two_places_all_go_on(void **state)
{
    (void)state;
    /* The block at A ends in a branch back to C for some lanes, and to B, before it, for the others: B comes first in the layout, as the way in is
     * a branch to it that nobody takes. */
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 5;\nmov.u32 %r4, %ntid.x;\nsetp.gt.u32 %p1, %r4, 4;\nsetp.lt.u32 %p2, %r0, 7;\n@!%p1 bra B;\n"
        "A: @%p2 bra C;\n"
        "B: add.s32 %r1, %r1, 1;\n"
        "C: sub.s32 %r3, %r3, 1;\nsetp.le.s32 %p3, %r3, 0;\n@%p3 bra D;\nadd.s32 %r2, %r2, 1;\nbra A;\n"
        "D: mad.lo.s32 %r5, %r1, 100, %r2;\nst.global.u32 [%rd1], %r5;\nret;\n"), 1, 33), -1);
    for (unsigned i = 0; i < 33; i++)
        assert_int_equal(out[i], i < 7 ? 4 : 504);
}

#define LOCK PTX ".global .u32 lock;\n.visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n" \
    "ld.param.u64 %rd0, [o];\nmov.u64 %rd1, lock;\n" \
    "TRY: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra TRY;\n" \
    "ld.volatile.global.u32 %r2, [%rd0];\nadd.s32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0], %r2;\nmembar.gl;\n" \
    "atom.global.exch.b32 %r3, [%rd1], 0;\nret;\n}\n"

static void lanes_of_one_warp_can_fight_for_a_lock(void **state)
{
    (void)state;
    assert_int_equal(run(LOCK, 8, 256), -1);
    assert_int_equal(out[0], 8 * 256);
}

static void a_warp_can_wait_for_another_warp_s_flag(void **state)
{
    (void)state;
    /* The first warp spins until the last one has set the flag. */
    assert_int_equal(run(KERNEL(MY_WORD
        "setp.lt.u32 %p1, %r0, 96;\n@%p1 bra W;\n"
        "st.volatile.global.u32 [%rd0+4000], 9;\nbra E;\n"
        "W: ld.volatile.global.u32 %r1, [%rd0+4000];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\n"
        "E: ld.volatile.global.u32 %r2, [%rd0+4000];\nst.global.u32 [%rd1], %r2;\nret;\n"), 1, 128), -1);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(out[i], 9);
}

#define FIB PTX ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<9>;\n" \
    "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\nmov.u32 %r2, %r1;\n@%p1 bra OUT;\n" \
    "sub.s32 %r3, %r1, 1;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }\n" \
    "sub.s32 %r3, %r1, 2;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }\n" \
    "add.s32 %r2, %r4, %r5;\nOUT: st.param.b32 [r], %r2;\nret;\n}\n"

static void functions_recurse_with_a_depth_of_each_lane_s_own(void **state)
{
    static const unsigned fib[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89 };

    (void)state;
    assert_int_equal(run(FIB ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<99>; .reg .b64 %rd<9>;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "rem.u32 %r1, %r0, 12;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b]; }\n"
        "st.global.u32 [%rd1], %r2;\nret;\n}\n", 1, 70), -1);
    for (unsigned i = 0; i < 70; i++)
        assert_int_equal(out[i], fib[i % 12]);
}

static void pointers_lead_each_lane_to_its_own_function(void **state)
{
    (void)state;
    assert_int_equal(run(PTX
        ".func (.param .b32 r) one(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nadd.s32 %r1, %r1, 1000;\nst.param.b32 [r], %r1;\nret;\n}\n"
        ".func (.param .b32 r) two(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nmul.lo.s32 %r1, %r1, 3;\nst.param.b32 [r], %r1;\nret;\n}\n"
        ".global .align 8 .u64 tab[2] = { one, two };\n"
        ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<99>; .reg .b64 %rd<9>;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "and.b32 %r1, %r0, 1;\nmul.wide.u32 %rd2, %r1, 8;\nmov.u64 %rd3, tab;\nadd.s64 %rd3, %rd3, %rd2;\nld.global.u64 %rd4, [%rd3];\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (b), %rd4, (a), P; ld.param.b32 %r2, [b]; }\nst.global.u32 [%rd1], %r2;\nret;\n}\n", 1, 40), -1);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(out[i], i % 2 ? 3 * i : 1000 + i);
}

static void barriers_work_where_lanes_are_apart(void **state)
{
    (void)state;
    /* Both arms have a barrier of their own; all threads must be through before anybody goes on. */
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<3>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .shared .u32 s[128];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "mov.u32 %r10, s;\nmad.lo.s32 %r11, %r0, 4, %r10;\nst.shared.u32 [%r11], %r0;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n"
        "bar.sync 0;\nbra E;\n"
        "A: bar.sync 0;\n"
        "E: mov.u32 %r12, 127;\nsub.s32 %r12, %r12, %r0;\nmad.lo.s32 %r13, %r12, 4, %r10;\nld.shared.u32 %r14, [%r13];\nst.global.u32 [%rd1], %r14;\nret;\n}\n",
        2, 128), -1);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(out[i], 127 - i % 128);
}

/* What follows the lock is all one run, with three barriers of two numbers and two counts; two warps are apart, two are not. */
static void barriers_of_other_numbers_do_not_mix(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".global .u32 lock;\n.visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .shared .u32 s[128];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\nmov.u64 %rd2, lock;\n" MY_WORD
        "TRY: atom.global.cas.b32 %r1, [%rd2], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra TRY;\n"
        "ld.volatile.global.u32 %r2, [%rd0+4096];\nadd.s32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0+4096], %r2;\nmembar.gl;\natom.global.exch.b32 %r3, [%rd2], 0;\n"
        "mov.u32 %r10, s;\nmad.lo.s32 %r11, %r0, 4, %r10;\nst.shared.u32 [%r11], %r0;\nbar.sync 2;\nand.b32 %r1, %r0, 65;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra A;\n"
        "bar.sync 0, 128;\nbra E;\n"
        "A: bar.sync 0, 128;\n"
        "E: mov.u32 %r12, 127;\nsub.s32 %r12, %r12, %r0;\nmad.lo.s32 %r13, %r12, 4, %r10;\nld.shared.u32 %r14, [%r13];\nst.global.u32 [%rd1], %r14;\nret;\n}\n",
        1, 128), -1);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(out[i], 127 - i);
    assert_int_equal(out[1024], 128);
}

static void barriers_work_in_functions_that_lanes_call_apart(void **state)
{
    (void)state;
    /* Odd and even threads call the same function from different places; the barrier in it is one. Shared memory of the function is one, too. */
    assert_int_equal(run(PTX
        ".func (.param .b32 r) swap(.param .b32 n, .param .b32 i)\n{\n.reg .b32 %r<9>; .shared .u32 s[128];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [i];\n"
        "mov.u32 %r3, s;\nmad.lo.s32 %r4, %r2, 4, %r3;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\nxor.b32 %r5, %r2, 127;\nmad.lo.s32 %r4, %r5, 4, %r3;\n"
        "ld.shared.u32 %r6, [%r4];\nbar.sync 0;\nst.param.b32 [r], %r6;\nret;\n}\n"
        ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<3>; .reg .b32 %r<99>; .reg .b64 %rd<9>;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\nadd.s32 %r2, %r0, 1000;\n@%p1 bra A;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r2; st.param.b32 [b], %r0; call.uni (c), swap, (a, b); ld.param.b32 %r3, [c]; }\nbra E;\n"
        "A: add.s32 %r2, %r2, 5000;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r2; st.param.b32 [b], %r0; call.uni (c), swap, (a, b); ld.param.b32 %r3, [c]; }\n"
        "E: st.global.u32 [%rd1], %r3;\nret;\n}\n", 2, 128), -1);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(out[i], (127 - i % 128) + 1000 + ((127 - i % 128) % 2 ? 0 : 5000));
}

static void a_trap_ends_the_launch(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL("setp.eq.u32 %p1, %r0, 17;\n@%p1 trap;\nret;\n"), 1, 32), 0);
    assert_int_equal(run(KERNEL("setp.eq.u32 %p1, %r0, 99;\n@%p1 trap;\nret;\n"), 1, 32), -1);
}

static void branch_tables_take_each_lane_to_its_case(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "rem.u32 %r1, %r0, 3;\nT: .branchtargets A, B, C;\nbrx.idx %r1, T;\n"
        "A: mov.u32 %r2, 10;\nbra E;\nB: mov.u32 %r2, 20;\nbra E;\nC: mov.u32 %r2, 30;\n"
        "E: st.global.u32 [%rd1], %r2;\nret;\n"), 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 10 * (i % 3 + 1));
}

static void what_cannot_run_is_named_when_it_is_loaded(void **state)
{
    (void)state;
    assert_string_equal(check(KERNEL("ret;\n")), "");
    assert_non_null(strstr(check(PTX "\n\n.visible .entry k()\n{\n.reg .f32 %f<6>; .reg .b64 %rd<2>;\n\nwgmma.fence.sync.aligned;\nret;\n}\n"),
                           "10: 'wgmma.fence.sync.aligned' is not supported"));
    assert_non_null(strstr(check(PTX ".extern .func elsewhere;\n.visible .entry k()\n{\ncall.uni elsewhere;\nret;\n}\n"), "elsewhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_leave_a_loop_early_keep_their_values), cmocka_unit_test(early_exits_do_not_stop_the_others),
        cmocka_unit_test(irreducible_loops_run), cmocka_unit_test(lanes_that_go_back_to_two_places_all_go_on), cmocka_unit_test(lanes_of_one_warp_can_fight_for_a_lock),
        cmocka_unit_test(a_warp_can_wait_for_another_warp_s_flag), cmocka_unit_test(functions_recurse_with_a_depth_of_each_lane_s_own),
        cmocka_unit_test(pointers_lead_each_lane_to_its_own_function), cmocka_unit_test(barriers_work_where_lanes_are_apart),
        cmocka_unit_test(barriers_of_other_numbers_do_not_mix),
        cmocka_unit_test(barriers_work_in_functions_that_lanes_call_apart),
        cmocka_unit_test(a_trap_ends_the_launch), cmocka_unit_test(branch_tables_take_each_lane_to_its_case),
        cmocka_unit_test(what_cannot_run_is_named_when_it_is_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
