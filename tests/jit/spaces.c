/* spaces.c - addresses of .local, .shared, .const and .param as 32-bit and as 64-bit numbers, and generic addresses from both. */
#include "tests/jit/harness.h"

#define FRAME PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<99>; .reg .b64 %rd<30>;\n" \
                  ".local .align 8 .b8 pad[8]; .local .align 8 .b8 depot[64]; .shared .align 8 .b8 before[16]; .shared .align 8 .b8 row[1024];\n" \
                  "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
#define NUMBERS ".const .align 4 .b8 first[12];\n.global .u32 between = 77;\n.const .align 8 .u32 numbers[8] = { 100, 101, 102, 103, 104, 105, 106, 107 };\n"
#define CONSTANTS PTX NUMBERS ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<99>; .reg .b64 %rd<30>;\n" \
                  "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD

/* Each thread stores its number at its own place of depot through 32 bits, and reads it back through what the text makes of the address. */
static void local_round_trip(const char *back)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", FRAME
        "mov.u32 %r1, depot;\nand.b32 %r2, %r0, 7;\nshl.b32 %r3, %r2, 2;\nadd.u32 %r4, %r1, %r3;\nst.local.u32 [%r4], 1;\nst.local.u32 [%r4+32], %r0;\n", back,
        "st.global.u32 [%rd1], %r20;\nret;\n}\n");
    assert_int_equal(run(text, 2, 70), -1);
    for (unsigned i = 0; i < 140; i++)
        assert_int_equal(out[i], i % 70);
}

static void local_addresses_of_32_bits_are_addresses(void **state)
{
    (void)state;
    local_round_trip("ld.local.u32 %r20, [%r4+32];\n");
    local_round_trip("ld.local.u32 %r20, [%r4+32];\nxor.b32 %r21, %r4, 4;\nld.local.u32 %r22, [%r21];\n");      /* it leaves the frame's own layout */
    local_round_trip("mul.lo.u32 %r5, %r4, 3;\nsub.u32 %r5, %r5, %r4;\nsub.u32 %r5, %r5, %r4;\nxor.b32 %r5, %r5, 0;\nld.local.u32 %r20, [%r5+32];\n");
}

static void local_addresses_of_32_bits_become_generic_ones(void **state)
{
    (void)state;
    local_round_trip("cvt.u64.u32 %rd5, %r4;\ncvta.local.u64 %rd6, %rd5;\nld.u32 %r20, [%rd6+32];\n");
    local_round_trip("mov.u64 %rd4, depot;\ncvta.local.u64 %rd5, %rd4;\ncvt.u64.u32 %rd7, %r3;\nadd.u64 %rd5, %rd5, %rd7;\nld.u32 %r20, [%rd5+32];\n");
    local_round_trip("cvt.u64.u32 %rd5, %r4;\ncvta.local.u64 %rd6, %rd5;\ncvta.to.local.u64 %rd7, %rd6;\ncvt.u32.u64 %r7, %rd7;\nld.local.u32 %r20, [%r7+32];\n");
    local_round_trip("cvt.u64.u32 %rd5, %r4;\nld.local.u32 %r20, [%rd5+32];\nxor.b64 %rd6, %rd5, 1;\n");
}

static void one_local_address_serves_all_lanes(void **state)
{
    (void)state;
    local_round_trip("st.local.u32 [%r1+24], %r0;\nmov.u32 %r5, depot;\nor.b32 %r5, %r5, 0;\nld.local.u32 %r20, [%r5+24];\n");
}

static void local_addresses_go_through_calls(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".func (.param .b32 r) get(.param .b32 a)\n{\n.reg .b32 %x<4>;\nld.param.u32 %x1, [a];\nld.local.u32 %x2, [%x1+4];\nst.param.b32 [r], %x2;\nret;\n}\n"
        ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<99>; .reg .b64 %rd<30>;\n.local .align 8 .b8 depot[64];\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "mov.u32 %r1, depot;\nst.local.u32 [%r1+12], %r0;\nadd.u32 %r1, %r1, 8;\n"
        "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 q; call (q), get, (a); ld.param.b32 %r2, [q]; }\nst.global.u32 [%rd1], %r2;\nret;\n}\n", 1, 70), -1);
    for (unsigned i = 0; i < 70; i++)
        assert_int_equal(out[i], i);
}

static void local_addresses_out_of_reach_end_the_launch(void **state)
{
    (void)state;
    assert_int_equal(run(FRAME "mov.u32 %r1, depot;\nxor.b32 %r1, %r1, 0x40000000;\nst.local.u32 [%r1], 1;\nret;\n}\n", 1, 32), 1);
    assert_int_equal(run(FRAME "mov.u32 %r1, depot;\nmul.lo.u32 %r2, %r0, %r0;\nshl.b32 %r2, %r2, 20;\nxor.b32 %r1, %r1, %r2;\nld.local.u32 %r2, [%r1];\nret;\n}\n", 1, 32), 1);
}

static void shared_addresses_of_both_widths_meet(void **state)
{
    (void)state;
    assert_int_equal(run(FRAME
        "mov.u32 %r1, row;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %r0;\nbar.sync 0;\n"
        "mov.u64 %rd2, row;\nxor.b32 %r4, %r0, 1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd2, %rd3;\nld.shared.u32 %r5, [%rd4];\n"
        "cvt.u64.u32 %rd5, %r3;\ncvta.shared.u64 %rd6, %rd5;\nld.u32 %r6, [%rd6];\ncvta.to.shared.u64 %rd7, %rd6;\ncvt.u32.u64 %r7, %rd7;\nld.shared.u32 %r8, [%r7];\n"
        "mad.lo.s32 %r9, %r5, 100, %r6;\nmad.lo.s32 %r9, %r9, 100, %r8;\nst.global.u32 [%rd1], %r9;\nret;\n}\n", 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], ((i ^ 1) * 100 + i) * 100 + i);
}

/* Each thread reads numbers[its own index, scattered] into %r20. */
static void const_reads(const char *how)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", CONSTANTS "mul.lo.u32 %r1, %r0, 5;\nand.b32 %r1, %r1, 7;\nshl.b32 %r2, %r1, 2;\n", how,
             "st.global.u32 [%rd1], %r20;\nret;\n}\n");
    assert_int_equal(run(text, 1, 40), -1);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(out[i], 100 + 5 * i % 8);
}

static void const_addresses_of_both_widths_meet(void **state)
{
    (void)state;
    const_reads("mov.u32 %r3, numbers;\nadd.u32 %r4, %r3, %r2;\nld.const.u32 %r20, [%r4];\n");
    const_reads("mov.u64 %rd3, numbers;\ncvt.u64.u32 %rd4, %r2;\nadd.u64 %rd5, %rd3, %rd4;\nld.const.u32 %r20, [%rd5];\n");
    const_reads("mov.u32 %r3, numbers;\nadd.u32 %r4, %r3, %r2;\ncvt.u64.u32 %rd4, %r4;\ncvta.const.u64 %rd5, %rd4;\nld.u32 %r20, [%rd5];\n");
    const_reads("mov.u64 %rd3, numbers;\ncvta.const.u64 %rd3, %rd3;\ncvt.u64.u32 %rd4, %r2;\nadd.u64 %rd5, %rd3, %rd4;\nld.u32 %r19, [%rd5];\n"
                "cvta.to.const.u64 %rd6, %rd5;\ncvt.u32.u64 %r6, %rd6;\nld.const.u32 %r20, [%r6];\n");
    assert_int_equal(run(CONSTANTS "mov.u32 %r3, numbers;\nld.const.v2.u32 {%r4, %r5}, [%r3+8];\nld.const.u32 %r6, [numbers+4];\nadd.u32 %r7, %r3, 28;\n"
        "ld.const.u32 %r7, [%r7];\nld.global.u32 %r8, [between];\nmad.lo.u32 %r4, %r4, 1000, %r5;\nmad.lo.u32 %r6, %r6, 1000, %r7;\nadd.u32 %r4, %r4, %r6;\n"
        "add.u32 %r4, %r4, %r8;\nst.global.u32 [%rd1], %r4;\nret;\n}\n", 1, 1), -1);
    assert_int_equal(out[0], 102000 + 103 + 101000 + 107 + 77);
}

static void const_rows_are_read_at_once(void **state)
{
    (void)state;
    assert_int_equal(run(CONSTANTS "setp.ge.u32 %p1, %r0, 8;\n@%p1 ret;\nmov.u32 %r3, numbers;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r4, %r3;\nld.const.u32 %r5, [%r4];\n"
        "mov.u64 %rd3, numbers;\nmul.wide.u32 %rd4, %r0, 4;\nadd.u64 %rd4, %rd3, %rd4;\nld.const.u32 %r6, [%rd4];\nmad.lo.u32 %r5, %r5, 1000, %r6;\n"
        "st.global.u32 [%rd1], %r5;\nret;\n}\n", 1, 32), -1);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], (100 + i) * 1001);
}

/* The harness passes one parameter, the address of out; its halves are what is read here. */
static void param_addresses_of_both_widths_meet(void **state)
{
    uint64_t address = (uintptr_t)out;

    (void)state;
    assert_int_equal(run(FRAME
        "mov.u32 %r1, o;\nld.param.u64 %rd2, [%r1];\nst.global.u64 [%rd0+1024], %rd2;\nmov.u64 %rd3, o;\nld.param.u32 %r2, [%rd3+4];\nst.global.u32 [%rd0+1032], %r2;\n"
        "and.b32 %r3, %r0, 1;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r4, %r1, %r3;\nld.param.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\n"
        "cvt.u64.u32 %rd4, %r3;\nadd.u64 %rd5, %rd3, %rd4;\nld.param.u32 %r6, [%rd5];\nst.global.u32 [%rd1+256], %r6;\n"
        "cvta.param.u64 %rd6, %rd5;\nld.u32 %r7, [%rd6];\nst.global.u32 [%rd1+512], %r7;\n"
        "cvt.u64.u32 %rd7, %r4;\ncvta.param.u64 %rd8, %rd7;\nld.u32 %r8, [%rd8];\nst.global.u32 [%rd1+768], %r8;\nret;\n}\n", 1, 64), -1);
    assert_memory_equal(&out[256], &address, 8);
    assert_int_equal(out[258], address >> 32);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 4; j++)
            assert_int_equal(out[64 * j + i], i % 2 ? address >> 32 : (uint32_t)address);
}

static void param_addresses_out_of_reach_end_the_launch(void **state)
{
    (void)state;
    assert_int_equal(run(FRAME "mov.u32 %r1, o;\nadd.u32 %r1, %r1, 4096;\nld.param.u32 %r2, [%r1];\nst.global.u32 [%rd1], %r2;\nret;\n}\n", 1, 32), 1);
    assert_int_equal(run(FRAME "mov.u64 %rd2, o;\nshl.b32 %r1, %r0, 2;\ncvt.u64.u32 %rd3, %r1;\nadd.u64 %rd2, %rd2, %rd3;\nld.param.u32 %r2, [%rd2];\nst.global.u32 [%rd1], %r2;\nret;\n}\n",
                         1, 32), 1);
}

/* clang reads elements of a structure that a function is given by value like this, old compilers as local memory. */
#define TAKES ".func (.param .b32 r) get(.param .b32 other, .param .align 8 .b8 s[16], .param .b32 i)\n{\n.reg .b32 %x<8>; .reg .b64 %y<8>;\n" \
              "ld.param.u32 %x1, [i];\nmul.wide.u32 %y1, %x1, 4;\n"
#define GIVES "st.param.b32 [r], %x2;\nret;\n}\n"

static void function_reads(const char *how)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", PTX TAKES, how, GIVES
        ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<99>; .reg .b64 %rd<30>;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "add.u32 %r1, %r0, 1000;\nadd.u32 %r2, %r0, 2000;\nadd.u32 %r3, %r0, 3000;\nmul.lo.u32 %r4, %r0, 3;\nand.b32 %r4, %r4, 3;\n"
        "{ .param .b32 z; st.param.b32 [z], %r3; .param .align 8 .b8 s[16]; st.param.b32 [s], %r0; st.param.b32 [s+4], %r1; st.param.v2.b32 [s+8], {%r2, %r3};\n"
        ".param .b32 i; st.param.b32 [i], %r4; .param .b32 q; call (q), get, (z, s, i); ld.param.b32 %r5, [q]; }\nst.global.u32 [%rd1], %r5;\nret;\n}\n");
    assert_int_equal(run(text, 1, 70), -1);
    for (unsigned i = 0; i < 70; i++)
        assert_int_equal(out[i], i + 1000 * (3 * i % 4));
}

static void functions_take_the_addresses_of_their_parameters(void **state)
{
    (void)state;
    function_reads("mov.b64 %y2, s;\nadd.u64 %y3, %y2, %y1;\nld.param.u32 %x2, [%y3];\n");
    function_reads("mov.b64 %y2, s;\nadd.u64 %y3, %y2, %y1;\nld.local.u32 %x2, [%y3];\n");
    function_reads("mov.b64 %y2, s;\ncvta.local.u64 %y3, %y2;\nadd.u64 %y3, %y3, %y1;\nld.u32 %x2, [%y3];\n");
    function_reads("mov.u32 %x3, s;\nshl.b32 %x4, %x1, 2;\nadd.u32 %x3, %x3, %x4;\nld.param.u32 %x2, [%x3];\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_addresses_of_32_bits_are_addresses), cmocka_unit_test(local_addresses_of_32_bits_become_generic_ones),
        cmocka_unit_test(one_local_address_serves_all_lanes), cmocka_unit_test(local_addresses_go_through_calls),
        cmocka_unit_test(local_addresses_out_of_reach_end_the_launch), cmocka_unit_test(shared_addresses_of_both_widths_meet),
        cmocka_unit_test(const_addresses_of_both_widths_meet), cmocka_unit_test(const_rows_are_read_at_once),
        cmocka_unit_test(param_addresses_of_both_widths_meet), cmocka_unit_test(param_addresses_out_of_reach_end_the_launch),
        cmocka_unit_test(functions_take_the_addresses_of_their_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
