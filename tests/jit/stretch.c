/* stretch.c - accesses that are built twice (softcuda/jit/stretch.c): what the first code expects and does not find must be as if it were not there. */
#include "tests/jit/harness.h"

#define WORDS 4096u             /* of device memory */
#define ILLEGAL 1
#define MISALIGNED 2
#define FILES ".file 1 \"k.cu\"\n"
#define LINE(n) ".loc 1 " #n " 1\n"
/* %r62: the thread's number in the grid; %rd2: four times that. */
#define INDEX "mov.u32 %r60, %ctaid.x; mov.u32 %r61, %ntid.x; mad.lo.s32 %r62, %r60, %r61, %r0; mul.wide.s32 %rd2, %r62, 4;\n"

static void is_fault(struct fault f, int kind, uint32_t thread, uint32_t bytes, uint32_t line)
{
    assert_int_equal(f.kind, kind);
    assert_int_equal(f.thread, thread);
    assert_int_equal(f.bytes, bytes);
    assert_int_equal(f.line, line);
}

static struct fault run_in_memory(const char *text, unsigned grid, unsigned block)
{
    return run_within(text, grid, block, WORDS, 0);
}

/* y = 2 * x + y for the first n of the threads; both are their own index before. */
static void threads_that_are_off_touch_nothing(void **state)
{
    static const unsigned on[] = { 0, 1, 31, 32, 33, 63, 64, 95, 96 };
    char text[2000];

    (void)state;
    for (unsigned i = 0; i < sizeof(on) / sizeof(*on); i++) {
        snprintf(text, sizeof(text), "%s"
            "add.s64 %%rd3, %%rd0, %%rd2; st.global.u32 [%%rd3], %%r62; st.global.u32 [%%rd3+4096], %%r62;\n"
            "setp.ge.u32 %%p1, %%r62, %u;\n@%%p1 bra END;\n"
            "ld.global.u32 %%r1, [%%rd3+4096]; ld.global.u32 %%r2, [%%rd3]; shl.b32 %%r1, %%r1, 1; add.s32 %%r1, %%r1, %%r2; st.global.u32 [%%rd3], %%r1;\n"
            "END: ret;\n}\n", KERNEL_BEGIN INDEX, on[i]);
        assert_int_equal(run_in_memory(text, 2, 48).kind, -1);
        for (unsigned t = 0; t < 128; t++)
            assert_int_equal(out[t], t >= 96 ? 0 : t < on[i] ? 3 * t : t);
    }
}

/* A loop of the grid's stride whose end is ragged: lanes leave it one by one, and keep their sums. */
static void a_loop_that_lanes_leave_sums_for_each(void **state)
{
    (void)state;
    assert_int_equal(run_in_memory(KERNEL(INDEX
        "mov.u32 %r1, %r62;\nFILL: setp.ge.u32 %p1, %r1, 1000;\n@%p1 bra FILLED;\n"
        "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd0, %rd3; st.global.u32 [%rd3+4096], %r1; add.s32 %r1, %r1, 64; bra FILL;\n"
        "FILLED: mov.u32 %r1, %r62; mov.u32 %r2, 0;\n"
        "NEXT: mul.wide.s32 %rd3, %r1, 4; add.s64 %rd3, %rd0, %rd3; ld.global.u32 %r3, [%rd3+4096]; add.s32 %r2, %r2, %r3; add.s32 %r1, %r1, 64;\n"
        "setp.lt.s32 %p2, %r1, 1000;\n@%p2 bra NEXT;\nadd.s64 %rd4, %rd0, %rd2; st.global.u32 [%rd4], %r2;\nret;\n"), 1, 64).kind, -1);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t sum = 0;
        for (unsigned i = t; i < 1000; i += 64)
            sum += i;
        assert_int_equal(out[t], sum);
    }
}

/* The second of three accesses leaves memory in lane 7: it is the one that is told, the first was made, the third was not. */
static void a_fault_tells_its_own_thread_and_line(void **state)
{
    struct fault f = run_in_memory(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd3, 16356;\n"
        LINE(10) "st.global.u32 [%rd3], 5;\n" LINE(11) "ld.global.u32 %r1, [%rd4];\n" LINE(12) "st.global.u32 [%rd3+4], %r1; st.global.u32 [%rd4], 6;\nret;\n")
        FILES, 1, 32);

    (void)state;
    is_fault(f, ILLEGAL, 7, 4, 11);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 5);
    assert_int_equal(out[WORDS - 1], 0);
}

/* What one check has passed must not pass for another place, for more bytes, or for other lanes. */
static void a_check_stands_for_the_same_access_only(void **state)
{
    (void)state;
    is_fault(run_in_memory(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2; add.s64 %rd3, %rd3, 16256;\n"
        LINE(20) "ld.global.u32 %r1, [%rd3];\n" LINE(21) "st.global.u32 [%rd3], 1;\n" LINE(22) "st.global.u32 [%rd3+4], %r1;\nret;\n") FILES, 1, 32),
        ILLEGAL, 31, 4, 22);
    for (unsigned i = WORDS - 32; i < WORDS; i++)
        assert_int_equal(out[i], 1);
    is_fault(run_in_memory(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2; add.s64 %rd3, %rd3, 16256;\n"
        LINE(30) "ld.global.u32 %r1, [%rd3];\n" LINE(31) "ld.global.v2.u32 {%r1, %r2}, [%rd3];\nst.global.u32 [%rd3], %r2;\nret;\n") FILES, 1, 32),
        MISALIGNED, 1, 8, 31);
    is_fault(run_in_memory(KERNEL("mul.wide.u32 %rd2, %r0, 8; add.s64 %rd3, %rd0, %rd2; add.s64 %rd3, %rd3, 16132;\n"
        LINE(40) "ld.global.u32 %r1, [%rd3];\n" LINE(41) "ld.global.u64 %rd4, [%rd3+4];\n" LINE(42) "st.global.u64 [%rd3], %rd4;\nret;\n") FILES, 1, 32),
        ILLEGAL, 31, 8, 41);
}

/* Lanes 5 and up would leave memory. As long as they are off, all is well. */
static void a_guarded_access_checks_nothing_for_an_unguarded_one(void **state)
{
#define EDGE INDEX "add.s64 %rd3, %rd0, %rd2; add.s64 %rd3, %rd3, 16364; setp.lt.u32 %p1, %r0, 5; mov.u32 %r1, 0;\n" \
             LINE(50) "@%p1 ld.global.u32 %r1, [%rd3];\n" LINE(51) "@%p1 st.global.u32 [%rd3], 9;\n"
    (void)state;
    assert_int_equal(run_in_memory(KERNEL(EDGE "ret;\n") FILES, 1, 32).kind, -1);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(out[WORDS - 5 + i], 9);
    is_fault(run_in_memory(KERNEL(EDGE LINE(52) "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd0], %r2;\nret;\n") FILES, 1, 32), ILLEGAL, 5, 4, 52);
    assert_int_equal(run_in_memory(KERNEL(EDGE "@!%p1 bra END;\n" LINE(53) "ld.global.u32 %r2, [%rd3]; add.s32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;\nEND: ret;\n")
        FILES, 1, 32).kind, -1);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(out[WORDS - 5 + i], 10);
#undef EDGE
}

static void misaligned_rows_are_told(void **state)
{
    (void)state;
    is_fault(run_in_memory(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd3, 2;\n"
        LINE(60) "ld.global.u32 %r1, [%rd3];\n" LINE(61) "st.global.u32 [%rd4], 1;\nret;\n") FILES, 1, 64), MISALIGNED, 0, 4, 61);
    assert_int_equal(run_in_memory(KERNEL("mul.wide.u32 %rd2, %r0, 2; add.s64 %rd3, %rd0, %rd2;\n"
        "ld.global.u16 %r1, [%rd3+2]; add.s32 %r1, %r1, %r0; st.global.u16 [%rd3+2], %r1;\nret;\n"), 1, 64).kind, -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(((uint16_t *)out)[i + 1], i);
}

/* 32 bits wrap between lanes 1 and 2, with all lanes on: the first two lie 16 GB further on than the others. */
static void an_index_that_wraps_leaves_the_row(void **state)
{
    (void)state;
    is_fault(run_in_memory(KERNEL("sub.s32 %r1, %r0, 2; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd0, %rd2; add.s64 %rd3, %rd3, -17179869176;\n"
        LINE(72) "st.global.u32 [%rd3], 4;\nret;\n") FILES, 1, 32), ILLEGAL, 2, 4, 72);
    is_fault(run_in_memory(KERNEL("sub.s32 %r1, %r0, 2; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd0, %rd2; mul.wide.u32 %rd4, %r0, 4; add.s64 %rd4, %rd0, %rd4;\n"
        LINE(70) "st.global.u32 [%rd4], 3;\n" LINE(71) "st.global.u32 [%rd3], 4;\nret;\n") FILES, 1, 32), ILLEGAL, 0, 4, 71);
    assert_int_equal(out[0], 3);
}

/* A row of memory that is not the device's, or half of it, in elements of all sizes: to there and back. */
static void rows_of_host_memory_go_in_and_out(void **state)
{
    static const struct { const char *type, *regs; unsigned bytes; } as[] = {
        { "u8", "%r1", 1 }, { "u16", "%r1", 2 }, { "u32", "%r1", 4 }, { "u64", "%rd9", 8 }, { "v2.u16", "{%r1, %r2}", 4 },
        { "v2.u32", "{%r1, %r2}", 8 }, { "v4.u32", "{%r1, %r2, %r3, %r4}", 16 }, { "v2.u64", "{%rd8, %rd9}", 16 },
    };
    char text[2000];

    (void)state;
    for (unsigned i = 0; i < sizeof(as) / sizeof(*as); i++)
        for (unsigned from = WORDS * 4 - 16 * as[i].bytes; from <= WORDS * 4; from += 16 * as[i].bytes) {
            snprintf(text, sizeof(text), "%s"
                "add.s64 %%rd3, %%rd0, %%rd2; mul.lo.s32 %%r5, %%r62, 0x01020305; add.s32 %%r5, %%r5, 0x11111111; st.global.u32 [%%rd3], %%r5;\nbar.sync 0;\n"
                "mul.wide.s32 %%rd4, %%r62, %u; add.s64 %%rd4, %%rd0, %%rd4; ld.global.%s %s, [%%rd4]; st.global.%s [%%rd4+%u], %s;\n"
                "bar.sync 0;\nld.global.%s %s, [%%rd4+%u]; st.global.%s [%%rd4+4096], %s;\nret;\n}\n",
                KERNEL_BEGIN INDEX, as[i].bytes, as[i].type, as[i].regs, as[i].type, from, as[i].regs, as[i].type, as[i].regs, from, as[i].type, as[i].regs);
            assert_int_equal(run_within(text, 1, 128, WORDS, 1024).kind, -1);
            assert_memory_equal((char *)out + from, out, 128 * (as[i].bytes < 4 ? as[i].bytes : 4));
            assert_memory_equal((char *)out + 4096, out, 128 * (as[i].bytes < 4 ? as[i].bytes : 4));
        }
}

/* Not part of a stretch, but told by the same code where there are no gathers: 16 bytes at places in any order, of which thread 30's is misaligned
 * and thread 20's is outside. */
static void scattered_structures_are_checked(void **state)
{
    (void)state;
    is_fault(run_in_memory(KERNEL("xor.b32 %r1, %r0, 5; shl.b32 %r2, %r1, 4; setp.eq.u32 %p1, %r0, 30; selp.b32 %r3, 8, 0, %p1; add.s32 %r2, %r2, %r3; cvt.u64.u32 %rd2, %r2; add.s64 %rd3, %rd0, %rd2;\n"
        LINE(90) "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];\nst.global.u32 [%rd0], %r4;\nret;\n") FILES, 1, 32), MISALIGNED, 30, 16, 90);
    is_fault(run_in_memory(KERNEL("xor.b32 %r1, %r0, 5; shl.b32 %r2, %r1, 4; setp.eq.u32 %p1, %r0, 20; selp.b32 %r3, 16384, 0, %p1; add.s32 %r2, %r2, %r3; cvt.u64.u32 %rd2, %r2; add.s64 %rd3, %rd0, %rd2;\n"
        LINE(91) "st.global.v4.u32 [%rd3], {%r0, %r0, %r0, 1};\nret;\n") FILES, 1, 32), ILLEGAL, 20, 16, 91);
    assert_int_equal(out[3], 0);
    is_fault(run_in_memory(KERNEL(".shared .align 16 .b8 sm[1024];\nxor.b32 %r1, %r0, 5; shl.b32 %r2, %r1, 4; setp.eq.u32 %p1, %r0, 9; selp.b32 %r3, 8, 0, %p1; add.s32 %r2, %r2, %r3; mov.u32 %r3, sm; add.s32 %r2, %r2, %r3;\n"
        LINE(92) "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, 1};\nret;\n") FILES, 1, 32), MISALIGNED, 9, 16, 92);
}

/* Where the third access is no row of the device's memory, the first two have been made, once. */
static void what_was_done_is_not_done_again(void **state)
{
    (void)state;
    assert_int_equal(run_within(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2;\n"
        "ld.global.u32 %r1, [%rd3]; add.s32 %r1, %r1, 1; st.global.u32 [%rd3], %r1; st.global.u32 [%rd3+16384], %r1;\n"
        "ld.global.u32 %r1, [%rd3+4096]; add.s32 %r1, %r1, 1; st.global.u32 [%rd3+4096], %r1;\nret;\n"), 1, 64, WORDS, 64).kind, -1);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(out[i], 1);
        assert_int_equal(out[1024 + i], 1);
        assert_int_equal(out[WORDS + i], 1);
    }
}

static void host_memory_ends_where_it_ends(void **state)
{
    (void)state;
    is_fault(run_within(KERNEL(INDEX "add.s64 %rd3, %rd0, %rd2;\n" LINE(80) "ld.global.u32 %r1, [%rd3];\n"
        LINE(81) "st.global.u32 [%rd3+16384], 7;\nret;\n") FILES, 1, 32, WORDS, 20), ILLEGAL, 20, 4, 81);
    for (unsigned i = 0; i < 32; i++)   /* all lanes are looked at before one writes */
        assert_int_equal(out[WORDS + i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_are_off_touch_nothing), cmocka_unit_test(a_loop_that_lanes_leave_sums_for_each),
        cmocka_unit_test(a_fault_tells_its_own_thread_and_line), cmocka_unit_test(a_check_stands_for_the_same_access_only),
        cmocka_unit_test(a_guarded_access_checks_nothing_for_an_unguarded_one), cmocka_unit_test(misaligned_rows_are_told),
        cmocka_unit_test(an_index_that_wraps_leaves_the_row), cmocka_unit_test(rows_of_host_memory_go_in_and_out),
        cmocka_unit_test(scattered_structures_are_checked), cmocka_unit_test(what_was_done_is_not_done_again), cmocka_unit_test(host_memory_ends_where_it_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
