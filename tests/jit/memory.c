/* memory.c - loads, stores and atomics in every shape that an address can have. */
#include "tests/jit/harness.h"

/* Copies 32-bit words 0 to n of the second quarter of out, which holds its own index, as the kernel says. */
static void rows_of_structures_go_in_and_out(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(
        "mov.u32 %r60, %ctaid.x; mov.u32 %r61, %ntid.x; mad.lo.s32 %r62, %r60, %r61, %r0; mul.wide.s32 %rd2, %r62, 16; add.s64 %rd1, %rd0, %rd2;\n"
        "add.s32 %r1, %r62, 100; add.s32 %r2, %r62, 200; add.s32 %r3, %r62, 300;\nsetp.lt.u32 %p1, %r0, 45;\n"
        "@%p1 st.global.v4.u32 [%rd1], {%r62, %r1, %r2, %r3};\nld.global.v2.u32 {%r10, %r11}, [%rd1+8];\nst.global.v2.u32 [%rd1+8192], {%r11, %r10};\nret;\n"), 2, 50), -1);
    for (unsigned i = 0; i < 100; i++) {
        unsigned on = i % 50 < 45;
        for (unsigned j = 0; j < 4; j++)
            assert_int_equal(out[4 * i + j], on ? i + 100 * j : 0);
        assert_int_equal(out[2048 + 4 * i], on ? i + 300 : 0);
        assert_int_equal(out[2048 + 4 * i + 1], on ? i + 200 : 0);
    }
}

static void an_index_that_wraps_reads_where_single_threads_would(void **state)
{
    (void)state;
    /* (tid - 1) as unsigned 32 bits: lane 0 is masked off, lanes 1 and up read words 0 and up. */
    assert_int_equal(run(KERNEL(MY_WORD
        "st.global.u32 [%rd1+4096], %r0;\nsub.s32 %r1, %r0, 1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd0, %rd2;\nsetp.ne.u32 %p1, %r0, 0;\n"
        "mov.u32 %r2, 999;\n@%p1 ld.global.u32 %r2, [%rd2+4096];\nst.global.u32 [%rd1], %r2;\nret;\n"), 1, 32), -1);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i ? i - 1 : 999);
}

static void narrow_loads_extend_as_their_type_says(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "add.s64 %rd5, %rd0, 4096; cvt.u64.u32 %rd6, %r0; add.s64 %rd5, %rd5, %rd6; sub.s32 %r1, 100, %r0; sub.s32 %r1, %r1, 120; st.global.u8 [%rd5], %r1;\n"
        "ld.global.s8 %r2, [%rd5];\nld.global.u8 %r3, [%rd5];\nmad.lo.s32 %r4, %r3, 1000, %r2;\nst.global.u32 [%rd1], %r4;\nret;\n"), 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], (uint8_t)(-20 - (int)i) * 1000 + (int8_t)(-20 - (int)i));
}

/* As the PTX guide's table of relaxed types says: a register wider than the type gets the sign of a signed result. */
static void narrow_conversions_extend_as_their_type_says(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD ".reg .b16 %h<9>; .reg .f32 %f<2>;\n"
        "add.s32 %r1, %r0, 220; cvt.s8.s32 %h1, %r1; cvt.s32.s16 %r2, %h1; cvt.u8.u32 %h2, %r1; cvt.u32.u16 %r3, %h2;\n"
        "cvt.s8.s32 %r4, %r1; min.s16 %h3, %h1, 5; cvt.s32.s16 %r5, %h3; sub.s32 %r6, 0, %r0; cvt.rn.f32.s32 %f1, %r6; cvt.rzi.s8.f32 %r7, %f1;\n"
        "mad.lo.s32 %r8, %r2, 1000, %r3; mad.lo.s32 %r8, %r4, 1000000, %r8; add.s32 %r8, %r8, %r5; add.s32 %r8, %r8, %r7; st.global.u32 [%rd1], %r8;\nret;\n"),
        1, 64), -1);
    for (int i = 0; i < 64; i++) {
        int narrow = (int8_t)(220 + i);
        assert_int_equal((int)out[i], narrow * 1000 + (uint8_t)(220 + i) + narrow * 1000000 + (narrow < 5 ? narrow : 5) - i);
    }
}

static void tiles_of_sixteen_load_rows_and_broadcasts(void **state)
{
    (void)state;
    /* Block (16, 8): rows of 16 whose pitch is known at run time only. */
    assert_int_equal(run_shaped(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd0, [o];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; add.s32 %r4, %r3, 40;\n"       /* pitch */
        "mad.lo.s32 %r5, %r2, %r4, %r1; mul.wide.s32 %rd1, %r5, 4; add.s64 %rd1, %rd0, %rd1; mad.lo.s32 %r6, %r2, 100, %r1; st.global.u32 [%rd1], %r6;\n"
        "mul.lo.s32 %r7, %r2, %r4; mul.wide.s32 %rd2, %r7, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r8, [%rd2+12];\n"
        "mad.lo.s32 %r9, %r2, 16, %r1; mul.wide.s32 %rd3, %r9, 4; add.s64 %rd3, %rd0, %rd3; st.global.u32 [%rd3+8192], %r8;\nret;\n}\n",
        (struct shape3){ 1, 1, 1 }, (struct shape3){ 16, 8, 1 }, 0), -1);
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 16; x++) {
            assert_int_equal(out[40 * y + x], 100 * y + x);
            assert_int_equal(out[2048 + 16 * y + x], 100 * y + 3);
        }
}

static void bytes_and_halves_go_where_each_lane_says(void **state)
{
    uint8_t bytes[64] = { 0 };
    uint16_t halves[64] = { 0 };

    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD
        "mul.lo.s32 %r1, %r0, 7; and.b32 %r1, %r1, 63; cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd0, %rd2; mad.wide.u32 %rd4, %r1, 2, %rd0;\n"
        "add.s32 %r2, %r0, 100; mul.lo.s32 %r3, %r0, 1300; setp.lt.u32 %p1, %r0, 60;\n"
        "@%p1 st.global.u8 [%rd3+4096], %r2; @%p1 st.global.u16 [%rd4+8192], %r3; bar.sync 0;\n"
        "mad.lo.s32 %r1, %r0, 5, 3; and.b32 %r1, %r1, 63; cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd0, %rd2; mad.wide.u32 %rd4, %r1, 2, %rd0;\n"
        "ld.global.s8 %r4, [%rd3+4096]; ld.global.u16 %r5, [%rd4+8192]; mad.lo.s32 %r6, %r5, 1000, %r4; st.global.u32 [%rd1], %r6;\nret;\n"),
        1, 64), -1);
    for (unsigned i = 0; i < 60; i++) {
        bytes[7 * i % 64] = (uint8_t)(i + 100);
        halves[7 * i % 64] = (uint16_t)(1300 * i);
    }
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], halves[(5 * i + 3) % 64] * 1000u + (uint32_t)(int8_t)bytes[(5 * i + 3) % 64]);
}

/* Four words at a time to places that the bits of the thread's number, swapped about, tell: of some threads, through shared memory. */
static void structures_at_scattered_places_go_in_and_out(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(".shared .align 16 .b8 sm[1024];\n"
        "xor.b32 %r1, %r0, 21; shl.b32 %r1, %r1, 4; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd0, %rd2; mov.u32 %r2, sm; add.u32 %r3, %r2, %r1;\n"
        "add.s32 %r10, %r0, 100; add.s32 %r11, %r0, 200; add.s32 %r12, %r0, 300; setp.ne.u32 %p1, %r0, 7;\n"
        "@%p1 st.shared.v4.u32 [%r3], {%r0, %r10, %r11, %r12};\nbar.sync 0;\n@%p1 ld.shared.v2.u32 {%r20, %r21}, [%r3+8];\n"
        "@%p1 st.global.v2.u32 [%rd1], {%r21, %r20};\n@%p1 ld.global.v2.u32 {%r22, %r23}, [%rd1];\n@%p1 st.global.v2.u32 [%rd1+4096], {%r23, %r22};\n"
        "@%p1 cp.async.cg.shared.global [%r3], [%rd1], 16;\n@%p1 ld.shared.v4.u32 {%r30, %r31, %r32, %r33}, [%r3];\n"
        "@%p1 st.global.v4.u32 [%rd1+8192], {%r30, %r31, %r32, %r33};\nret;\n"), 1, 50), -1);
    for (unsigned t = 0; t < 64; t++) {
        const uint32_t *at = &out[4 * (t ^ 21)], on = t < 50 && t != 7;
        const uint32_t wanted[] = { on ? t + 300 : 0, on ? t + 200 : 0, 0, 0 };
        assert_memory_equal(at, wanted, 16);
        assert_memory_equal(at + 2048, wanted, 16);
        assert_int_equal(at[1024], wanted[1]);
        assert_int_equal(at[1025], wanted[0]);
    }
}

/* So many that not each gets a loop of its own. */
static void many_scattered_halves_go_in_and_out(void **state)
{
    char text[8000] = KERNEL_BEGIN ".reg .b16 %h<2>;\nxor.b32 %r1, %r0, 21; shl.b32 %r1, %r1, 1; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd0, %rd2; cvt.u16.u32 %h0, %r0;\n"
                                   "st.global.u16 [%rd1], %h0;\n";

    (void)state;
    for (unsigned i = 0; i < 40; i++)
        snprintf(text + strlen(text), 200, "ld.global.u16 %%h0, [%%rd1+%u]; add.s16 %%h0, %%h0, 3; st.global.u16 [%%rd1+%u], %%h0;\n", 128 * i, 128 * i + 128);
    strcat(text, "ret;\n}\n");
    assert_int_equal(run(text, 1, 50), -1);
    for (unsigned i = 0; i <= 40; i++)
        for (unsigned t = 0; t < 64; t++)
            assert_int_equal(((uint16_t *)out)[64 * i + (t ^ 21)], t < 50 ? t + 3 * i : 0);
}

static void the_highest_lane_s_store_stays(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL("setp.lt.u32 %p1, %r0, 23;\n@%p1 st.global.u32 [%rd0], %r0;\nmov.u32 %r1, 5;\n@!%p1 st.global.u32 [%rd0+4], %r1;\nret;\n"), 1, 32), -1);
    assert_int_equal(out[0], 22);
    assert_int_equal(out[1], 5);
}

static void a_guarded_load_of_one_place_touches_nothing_if_no_lane_wants_it(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_WORD "mov.u64 %rd5, 64;\nsetp.gt.u32 %p1, %r0, 99;\nmov.u32 %r1, 3;\n@%p1 ld.global.u32 %r1, [%rd5];\nst.global.u32 [%rd1], %r1;\nret;\n"), 1, 32), -1);
    assert_int_equal(out[31], 3);
}

static void atomics_add_up_in_all_spaces(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .shared .u32 s;\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u32 [%r1], 0;\nbar.sync 0;\n"
        "atom.shared.add.u32 %r2, [%r1], 2;\nred.global.add.u32 [%rd0], %r0;\natom.global.max.s32 %r3, [%rd0+4], %r0;\natom.global.inc.u32 %r4, [%rd0+8], 6;\n"
        "mov.f32 %f1, 0f3F000000;\nred.global.add.f32 [%rd0+12], %f1;\natom.global.exch.b32 %r5, [%rd0+16], %r0;\natom.global.or.b32 %r6, [%rd0+20], %r0;\n"
        "bar.sync 0;\nld.shared.u32 %r7, [%r1];\n@%p1 red.global.add.u32 [%rd0+24], %r7;\nret;\n}\n", 4, 96), -1);
    assert_int_equal(out[0], 4 * 95 * 96 / 2);
    assert_int_equal(out[1], 95);
    assert_int_equal(out[2], 4 * 96 % 7);
    assert_int_equal(out[3], 0x43400000);   /* 192.0f */
    assert_int_equal(out[5], 127);
    assert_int_equal(out[6], 4 * 2 * 96);
}

static void local_arrays_are_each_thread_s_own(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.local .align 8 .b8 depot[64];\n.reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .b64 %SP; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "st.local.u32 [%SPL+8], %r0;\nand.b32 %r1, %r0, 7;\nmul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %SPL, %rd2;\nadd.s32 %r2, %r0, 500;\nst.local.u32 [%rd3], %r2;\n"
        "add.s64 %rd4, %SP, %rd2;\nld.u32 %r3, [%rd4];\nst.global.u32 [%rd1], %r3;\nret;\n}\n", 2, 70), -1);
    for (unsigned i = 0; i < 140; i++)
        assert_int_equal(out[i], i % 70 + 500);
}

/* All sizes, at one offset in all lanes and at each lane's own, in memory that does not leave the kernel. */
static void local_arrays_hold_every_size(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.local .align 8 .b8 pad[8]; .local .align 8 .b8 depot[128];\n.reg .b16 %h<4>; .reg .b32 %r<99>; .reg .b64 %rd<30>; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, depot;\nld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n" MY_WORD
        "add.s32 %r1, %r0, 0x10203040;\nst.local.u32 [%SPL+4], %r1;\nst.local.u8 [%SPL+5], 0xee;\nst.local.u16 [%SPL+6], %r0;\nld.local.u32 %r2, [%SPL+4];\nst.global.u32 [%rd1], %r2;\n"
        "mul.wide.u32 %rd2, %r0, 0x01000193;\nst.local.u64 [%SPL+16], %rd2;\nld.local.v2.u32 {%r3, %r4}, [%SPL+16];\nadd.s32 %r3, %r3, %r4;\nst.global.u32 [%rd1+4096], %r3;\n"
        "and.b32 %r5, %r0, 7;\nmul.wide.u32 %rd3, %r5, 8;\nadd.s64 %rd4, %SPL, %rd3;\nst.local.u64 [%rd4+64], %rd2;\nst.local.s8 [%rd4+66], -3;\nld.local.u64 %rd5, [%rd4+64];\n"
        "ld.local.s8 %r6, [%rd4+66];\ncvt.u32.u64 %r7, %rd5;\nadd.s32 %r7, %r7, %r6;\nst.global.u32 [%rd1+8192], %r7;\nret;\n}\n", 2, 70), -1);
    for (unsigned i = 0; i < 140; i++) {
        uint32_t t = i % 70;
        uint64_t wide = (uint64_t)t * 0x01000193;
        assert_int_equal(out[i], (t << 16) | 0xee00 | ((t + 0x10203040) & 0xff));
        assert_int_equal(out[1024 + i], (uint32_t)wide + (uint32_t)(wide >> 32));
        assert_int_equal(out[2048 + i], (((uint32_t)wide & 0xff00ffff) | 0xfd0000) - 3);
    }
}

static void offsets_beyond_a_local_array_end_the_launch(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.local .align 8 .b8 depot[64];\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\nmov.u64 %rd1, depot;\nmov.u32 %r0, %tid.x;\n"
        "mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.local.u32 [%rd3], %r0;\nret;\n}\n", 1, 16), -1);
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.local .align 8 .b8 depot[64];\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\nmov.u64 %rd1, depot;\nmov.u32 %r0, %tid.x;\n"
        "mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.local.u32 [%rd3], %r0;\nret;\n}\n", 1, 17), 1);
}

static void stray_accesses_end_the_launch_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL("mov.u64 %rd1, 16;\nst.global.u32 [%rd1], %r0;\nret;\n"), 1, 32), 1);
    assert_int_equal(run(KERNEL("st.global.u32 [%rd0], 1;\nret;\n"), 1, 32), -1);
    assert_int_equal(out[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_structures_go_in_and_out), cmocka_unit_test(an_index_that_wraps_reads_where_single_threads_would),
        cmocka_unit_test(narrow_loads_extend_as_their_type_says), cmocka_unit_test(narrow_conversions_extend_as_their_type_says),
        cmocka_unit_test(tiles_of_sixteen_load_rows_and_broadcasts),
        cmocka_unit_test(structures_at_scattered_places_go_in_and_out), cmocka_unit_test(many_scattered_halves_go_in_and_out),
        cmocka_unit_test(bytes_and_halves_go_where_each_lane_says), cmocka_unit_test(the_highest_lane_s_store_stays),
        cmocka_unit_test(a_guarded_load_of_one_place_touches_nothing_if_no_lane_wants_it),
        cmocka_unit_test(atomics_add_up_in_all_spaces), cmocka_unit_test(local_arrays_are_each_thread_s_own),
        cmocka_unit_test(local_arrays_hold_every_size), cmocka_unit_test(offsets_beyond_a_local_array_end_the_launch),
        cmocka_unit_test(stray_accesses_end_the_launch_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
