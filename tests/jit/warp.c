/* warp.c - what lanes of one warp tell each other. */
#include "tests/jit/harness.h"

/* The PTX ISA manual's rule for shfl, lane by lane. */
static unsigned shfl_source(char mode, unsigned lane, unsigned b, unsigned c, int *in_range)
{
    unsigned clamp = c & 31, seg = c >> 8 & 31, most = (lane & seg) | (clamp & ~seg), least = lane & seg;
    int j = mode == 'u' ? (int)lane - (int)b : mode == 'd' ? (int)(lane + b) : mode == 'b' ? (int)(lane ^ b) : (int)(least | (b & ~seg & 31));

    *in_range = mode == 'u' ? j >= (int)most : j <= (int)most;
    return *in_range ? (unsigned)j : lane;
}

static void try_shfl(const char *mode, unsigned b, unsigned c, int as_registers)
{
    char text[2000], body[500], args[64];

    if (as_registers)
        snprintf(args, sizeof(args), "%%r2, %%r3");
    else
        snprintf(args, sizeof(args), "%u, %u", b, c);
    snprintf(body, sizeof(body), "mad.lo.s32 %%r1, %%r0, %%r0, 3;\nmov.u32 %%r2, %u;\nmov.u32 %%r3, %u;\n"
             "shfl.sync.%s.b32 %%r4|%%p1, %%r1, %s, -1;\n", b, c, mode, args);
    snprintf(text, sizeof(text), "%s%s%s", KERNEL_BEGIN MY_WORD, body,
             "selp.u32 %r5, 1, 0, %p1;\nst.global.u32 [%rd1], %r4;\nst.global.u32 [%rd1+256], %r5;\nret;\n}\n");
    assert_int_equal(run(text, 1, 64), -1);
    for (unsigned i = 0; i < 64; i++) {
        int ok;
        unsigned j = i / 32 * 32 + shfl_source(mode[0], i % 32, b, c, &ok);
        assert_int_equal(out[i], j * j + 3);
        assert_int_equal(out[64 + i], ok);
    }
}

static void shuffles_follow_the_manual_s_rule(void **state)
{
    static const unsigned c[] = { 31, 0, 0x1807, 0x181f, 0x1000, 0x1c03 };

    (void)state;
    for (unsigned i = 0; i < sizeof(c) / sizeof(*c); i++)
        for (unsigned b = 0; b < 32; b += 5)
            for (int regs = 0; regs < 2; regs++) {
                try_shfl("up", b, c[i], regs);
                try_shfl("down", b, c[i], regs);
                try_shfl("bfly", b, c[i], regs);
                try_shfl("idx", b, c[i], regs);
            }
}

static void shuffles_in_a_branch_see_the_lanes_that_are_there(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "mov.u32 %r4, 77;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
        "shfl.sync.idx.b32 %r4, %r0, 5, 31, 0xaaaaaaaa;\n"
        "E: st.global.u32 [%rd1], %r4;\nret;\n"), 1, 32), -1);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 2 ? 5 : 77);
}

static void votes_count_members_only(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p1, %r1, 0;\n"
        "vote.sync.ballot.b32 %r2, %p1, -1;\nst.global.u32 [%rd1], %r2;\n"
        "vote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, %p1, -1;\nselp.u32 %r3, 1, 0, %p2;\nselp.u32 %r4, 2, 0, %p3;\nadd.s32 %r3, %r3, %r4;\n"
        "st.global.u32 [%rd1+256], %r3;\n"
        "@!%p1 bra E;\nvote.sync.all.pred %p4, %p1, 0x11111111;\nactivemask.b32 %r5;\nselp.u32 %r6, %r5, 0, %p4;\nst.global.u32 [%rd1+512], %r6;\nE: ret;\n"),
        1, 64), -1);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(out[i], 0x11111111);
        assert_int_equal(out[64 + i], 1);
        assert_int_equal(out[128 + i], i % 4 ? 0 : 0x11111111);
    }
}

static void match_and_redux_group_lanes_by_value(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "and.b32 %r1, %r0, 1;\nmatch.any.sync.b32 %r2, %r1, -1;\nst.global.u32 [%rd1], %r2;\n"
        "match.all.sync.b32 %r3|%p1, %r1, -1;\nselp.u32 %r4, 5, 6, %p1;\nadd.s32 %r3, %r3, %r4;\nst.global.u32 [%rd1+256], %r3;\n"
        "redux.sync.add.s32 %r5, %r0, -1;\nst.global.u32 [%rd1+512], %r5;\nredux.sync.min.u32 %r6, %r0, %r2;\nst.global.u32 [%rd1+768], %r6;\nret;\n"),
        1, 32), -1);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(out[i], i % 2 ? 0xaaaaaaaa : 0x55555555);
        assert_int_equal(out[64 + i], 6);
        assert_int_equal(out[128 + i], 496);
        assert_int_equal(out[192 + i], i % 2);
    }
}

static void lanes_wait_for_their_partners_at_a_warp_barrier(void **state)
{
    (void)state;
    /* Odd lanes write, even lanes read after bar.warp.sync, which stands in either arm. */
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<3>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .shared .u32 s[32];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "mov.u32 %r10, s;\nxor.b32 %r2, %r0, 1;\nmad.lo.s32 %r11, %r2, 4, %r10;\nmad.lo.s32 %r12, %r0, 4, %r10;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n"
        "st.shared.u32 [%r11], %r0;\nbar.warp.sync -1;\nbra E;\n"
        "A: bar.warp.sync -1;\nld.shared.u32 %r3, [%r12];\nst.global.u32 [%rd1], %r3;\nE: ret;\n}\n", 1, 32), -1);
    for (unsigned i = 0; i < 32; i += 2)
        assert_int_equal(out[i], i + 1);
}

static void block_reductions_hear_every_thread(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "setp.gt.u32 %p1, %r0, 20;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
        "selp.u32 %r2, 1000, 0, %p2;\nselp.u32 %r3, 2000, 0, %p3;\nadd.s32 %r1, %r1, %r2;\nadd.s32 %r1, %r1, %r3;\nst.global.u32 [%rd1], %r1;\nret;\n"), 2, 100), -1);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(out[i], 2079);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_follow_the_manual_s_rule), cmocka_unit_test(shuffles_in_a_branch_see_the_lanes_that_are_there),
        cmocka_unit_test(votes_count_members_only), cmocka_unit_test(match_and_redux_group_lanes_by_value),
        cmocka_unit_test(lanes_wait_for_their_partners_at_a_warp_barrier), cmocka_unit_test(block_reductions_hear_every_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
