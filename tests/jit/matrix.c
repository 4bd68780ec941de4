/* matrix.c - matrices of tensor cores: products against plain loops, over fragments that the PTX ISA manual lays out; loads and stores;
 * rows of 8 x 8 matrices; barriers in shared memory. */
#include "softcuda/run/half.h"
#include "tests/jit/harness.h"

/* The harness clears out before a run, so that the kernel makes its input itself: word w of lane l is w * 37 + l * 11, hashed. */
static uint32_t word_of(unsigned lane, unsigned w)
{
    uint32_t x = (w * 37 + lane * 11 + 1) * 2654435761u;

    return x ^ x >> 15;
}
#define MAKE_WORD(reg, w) \
    "mad.lo.u32 %r60, %r0, 11, " #w " * 37 + 1;\nmul.lo.u32 %r60, %r60, 2654435761;\nshr.u32 %r61, %r60, 15;\nxor.b32 %r" #reg ", %r60, %r61;\n"
#define MY_ROW "mul.wide.u32 %rd1, %r0, 64; add.s64 %rd1, %rd0, %rd1;\n"

static int32_t byte_of(uint32_t word, unsigned j)
{
    return (int8_t)(word >> 8 * j);
}

/* A of m16n8k32: row lane / 4 and 8 below it, four bytes from column 4 * (lane % 4), and 16 to the right. */
static void bytes_multiply_exactly(void **state)
{
    int32_t a[16][32], b[32][8];

    (void)state;
    assert_int_equal(run(KERNEL(MY_ROW MAKE_WORD(1, 0) MAKE_WORD(2, 1) MAKE_WORD(3, 2) MAKE_WORD(4, 3) MAKE_WORD(5, 4) MAKE_WORD(6, 5)
        "mov.u32 %r7, 5; mov.u32 %r8, %r0;\n"
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r10,%r11,%r12,%r13}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8,%r7,%r8};\n"
        "st.global.v4.b32 [%rd1], {%r10,%r11,%r12,%r13};\nret;\n"), 1, 32), -1);
    for (unsigned l = 0; l < 32; l++) {
        for (unsigned r = 0; r < 4; r++)
            for (unsigned j = 0; j < 4; j++)
                a[l / 4 + 8 * (r & 1)][l % 4 * 4 + j + 16 * (r >> 1)] = byte_of(word_of(l, r), j);
        for (unsigned r = 0; r < 2; r++)
            for (unsigned j = 0; j < 4; j++)
                b[l % 4 * 4 + j + 16 * r][l / 4] = byte_of(word_of(l, 4 + r), j);
    }
    for (unsigned l = 0; l < 32; l++)
        for (unsigned i = 0; i < 4; i++) {
            int32_t sum = i & 1 ? (int32_t)l : 5;
            for (unsigned k = 0; k < 32; k++)
                sum += a[l / 4 + 8 * (i >> 1)][k] * b[k][l % 4 * 2 + (i & 1)];
            assert_int_equal((int32_t)out[l * 16 + i], sum);
        }
}

/* 1.0 to 1.75, and their negatives. */
static float half_of(uint32_t word, unsigned h)
{
    return sc_half_to_float((uint16_t)(((word & 0x83008300) | 0x3c003c00) >> 16 * h));
}

/* Integers in f16 are exact in any order: a whole m16n8k16. */
static void halves_multiply(void **state)
{
    float a[16][16], b[16][8];

    (void)state;
    assert_int_equal(run(KERNEL(MY_ROW
        MAKE_WORD(1, 0) MAKE_WORD(2, 1) MAKE_WORD(3, 2) MAKE_WORD(4, 3) MAKE_WORD(5, 4) MAKE_WORD(6, 5)
        /* halves of 1.0 to 1.75 and their negatives: sign and two bits of mantissa of each half */
        "and.b32 %r1,%r1,0x83008300; or.b32 %r1,%r1,0x3c003c00; and.b32 %r2,%r2,0x83008300; or.b32 %r2,%r2,0x3c003c00;\n"
        "and.b32 %r3,%r3,0x83008300; or.b32 %r3,%r3,0x3c003c00; and.b32 %r4,%r4,0x83008300; or.b32 %r4,%r4,0x3c003c00;\n"
        "and.b32 %r5,%r5,0x83008300; or.b32 %r5,%r5,0x3c003c00; and.b32 %r6,%r6,0x83008300; or.b32 %r6,%r6,0x3c003c00;\n"
        "mov.f32 %f1, 0f3f800000; cvt.rn.f32.u32 %f2, %r0;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3,%f4,%f5,%f6}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f1,%f2};\n"
        "st.global.v4.f32 [%rd1], {%f3,%f4,%f5,%f6};\n"
        "mov.b32 %r7, 0x3c003c00;\nmma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r8,%r9}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r7};\n"
        "st.global.v2.b32 [%rd1+16], {%r8,%r9};\nret;\n"), 1, 32), -1);
    for (unsigned l = 0; l < 32; l++) {
        for (unsigned r = 0; r < 4; r++)
            for (unsigned h = 0; h < 2; h++)
                a[l / 4 + 8 * (r & 1)][l % 4 * 2 + h + 8 * (r >> 1)] = half_of(word_of(l, r), h);
        for (unsigned r = 0; r < 2; r++)
            for (unsigned h = 0; h < 2; h++)
                b[l % 4 * 2 + h + 8 * r][l / 4] = half_of(word_of(l, 4 + r), h);
    }
    for (unsigned l = 0; l < 32; l++)
        for (unsigned i = 0; i < 4; i++) {
            float sum = 0, got;
            for (unsigned k = 0; k < 16; k++)
                sum += a[l / 4 + 8 * (i >> 1)][k] * b[k][l % 4 * 2 + (i & 1)];
            memcpy(&got, &out[l * 16 + i], 4);
            assert_true(got == sum + (i & 1 ? (float)l : 1));
            assert_true(sc_half_to_float((uint16_t)(out[l * 16 + 4 + i / 2] >> 16 * (i & 1))) == sum + 1);
        }
}

/* wmma: what is loaded in rows and stored in columns is the transpose, whoever held it. */
#define FRAGMENT "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}"
static void matrices_keep_their_elements(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(
        "mov.u32 %r1, 0;\nL: mad.lo.u32 %r2, %r1, 32, %r0; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; st.global.b32 [%rd2], %r2;\n"
        "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 8; @%p1 bra L;\nbar.warp.sync -1;\n"
        "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0], 16;\n"
        "add.s64 %rd3, %rd0, 4096; wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd3], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, 16;\n"
        "wmma.load.c.sync.aligned.col.m8n32k16.global.s32 " FRAGMENT ", [%rd0], 8;\n"
        "add.s64 %rd3, %rd0, 8192; wmma.store.d.sync.aligned.row.m8n32k16.global.s32 [%rd3], " FRAGMENT ", 40;\nret;\n"), 1, 32), -1);
    for (unsigned r = 0; r < 16; r++)
        for (unsigned c = 0; c < 16; c++)
            assert_int_equal(out[1024 + c * 16 + r], r * 16 + c);
    for (unsigned r = 0; r < 8; r++)
        for (unsigned c = 0; c < 32; c++)
            assert_int_equal(out[2048 + r * 40 + c], c * 8 + r);
}

/* All of wmma with bytes, from shared memory: m8n32k16, a in columns and b in rows. */
static void whole_products_of_bytes(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<64>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[1024];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0; mov.u32 %r2, s;\n"
        "L: mad.lo.u32 %r3, %r1, 32, %r0; add.u32 %r4, %r2, %r3; mul.lo.u32 %r5, %r3, 37; st.shared.b8 [%r4], %r5;\n"
        "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra L;\nbar.warp.sync -1;\n"
        "wmma.load.a.sync.aligned.col.m8n32k16.shared.s8 {%r10}, [%r2], 8;\n"
        "wmma.load.b.sync.aligned.row.m8n32k16.shared.s8 {%r11,%r12,%r13,%r14}, [%r2+128], 32;\n"
        "mov.u32 %r15, 0;\n"
        "wmma.mma.sync.aligned.col.row.m8n32k16.s32.s8.s8.s32 " FRAGMENT ", {%r10}, {%r11,%r12,%r13,%r14}, {%r15,%r15,%r15,%r15,%r15,%r15,%r15,%r15};\n"
        "wmma.store.d.sync.aligned.row.m8n32k16.global.s32 [%rd0], " FRAGMENT ", 32;\nret;\n}\n", 1, 32), -1);
    for (unsigned r = 0; r < 8; r++)
        for (unsigned c = 0; c < 32; c++) {
            int32_t sum = 0;
            for (unsigned k = 0; k < 16; k++)
                sum += (int8_t)((k * 8 + r) * 37) * (int8_t)((128 + k * 32 + c) * 37);
            assert_int_equal((int32_t)out[r * 32 + c], sum);
        }
}

static void rows_come_as_they_lie_or_transposed(void **state)
{
    (void)state;
    /* Row l / 8 * 8 + l % 8 of four matrices begins at 48 * that number; a half's value is its number in shared memory. */
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<4>; .reg .b32 %r<64>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[2048];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0; mov.u32 %r2, s;\n" MY_ROW
        "L: mad.lo.u32 %r3, %r1, 32, %r0; mad.lo.u32 %r4, %r3, 4, %r2; mad.lo.u32 %r5, %r3, 0x20002, 0x10000; st.shared.b32 [%r4], %r5;\n"
        "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra L;\nbar.warp.sync -1;\n"
        "mad.lo.u32 %r6, %r0, 48, %r2;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r6];\nst.global.v4.b32 [%rd1], {%r10,%r11,%r12,%r13};\n"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14,%r15}, [%r6];\nst.global.v2.b32 [%rd1+16], {%r14,%r15};\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r16, %r10;\nst.global.b32 [%rd1+24], %r16;\nret;\n}\n", 1, 32), -1);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned h = 0; h < 2; h++) {
            for (unsigned m = 0; m < 4; m++)
                assert_int_equal(out[l * 16 + m] >> 16 * h & 0xffff, (8 * m + l / 4) * 24 + l % 4 * 2 + h);
            for (unsigned m = 0; m < 2; m++)
                assert_int_equal(out[l * 16 + 4 + m] >> 16 * h & 0xffff, (8 * m + l % 4 * 2 + h) * 24 + l / 4);
            assert_int_equal(out[l * 16 + 6] >> 16 * h & 0xffff, (l % 4 * 2 + h) * 24 + l / 4);
        }
}

/* A product in a branch that all lanes take at different times waits for them. */
static void products_wait_for_the_whole_warp(void **state)
{
    (void)state;
    assert_int_equal(run(KERNEL(MY_ROW
        "setp.lt.u32 %p1, %r0, 16;\nmov.u32 %r1, 0x01010101; mov.u32 %r5, 0;\n@%p1 bra A;\nmov.u32 %r1, 0x02020202;\nA:\n"
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2,%r3}, {%r1}, {%r1}, {%r5,%r5};\nst.global.v2.b32 [%rd1], {%r2,%r3};\nret;\n"), 1, 32), -1);
    for (unsigned l = 0; l < 32; l++)       /* rows 0 to 3 are 1, the rest 2; so are b's columns */
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(out[l * 16 + i], 16 * (l / 4 < 4 ? 1 : 2) * (l % 4 * 2 + i < 4 ? 1 : 2));
}

/* ---- mbarriers */

#define MBARRIER PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<9>; .reg .b32 %r<64>; .reg .b64 %rd<32>; .shared .align 8 .b64 bar; .shared .align 16 .b8 s[4096];\n" \
    "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x; mov.u32 %r2, bar;\n" MY_WORD "setp.eq.u32 %p1, %r0, 0;\n"

static void phases_end_when_all_have_arrived(void **state)
{
    (void)state;
    /* Three rounds: each thread writes its word, arrives, waits for the phase, and reads its neighbour's. */
    assert_int_equal(run(MBARRIER
        "@%p1 mbarrier.init.shared.b64 [%r2], 100;\nbar.sync 0;\nmov.u32 %r3, 0; mov.u32 %r9, 0; mov.u32 %r10, s;\n"
        "add.u32 %r4, %r0, 33; rem.u32 %r4, %r4, 100; mad.lo.u32 %r5, %r4, 4, %r10; mad.lo.u32 %r6, %r0, 4, %r10;\n"
        "R: mad.lo.u32 %r7, %r3, 1000, %r0; st.shared.b32 [%r6], %r7;\nmbarrier.arrive.shared.b64 %rd5, [%r2];\n"
        "W: mbarrier.test_wait.shared.b64 %p2, [%r2], %rd5;\n@!%p2 bra W;\n"
        "ld.shared.b32 %r8, [%r5]; add.u32 %r9, %r9, %r8;\n"
        "mbarrier.arrive.shared.b64 _, [%r2];\nV: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 1;\n@!%p3 bra V;\n"
        "add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 3; @%p4 bra R;\nst.global.b32 [%rd1], %r9;\nret;\n}\n", 2, 100), -1);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(out[i], 3 * ((i % 100 + 33) % 100) + 3000);
}

static void bytes_that_were_announced_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(run(MBARRIER
        "cvta.to.global.u64 %rd0, %rd0; add.s64 %rd6, %rd0, 16384; mul.wide.u32 %rd7, %r0, 4; add.s64 %rd7, %rd7, %rd6; mul.lo.u32 %r5, %r0, 7; st.global.b32 [%rd7], %r5;\n"
        "@%p1 mbarrier.init.shared.b64 [%r2], 1;\nbar.sync 0;\nmov.u32 %r3, s;\n"
        "@!%p1 bra W;\nmbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 256;\n"
        "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0;\nselp.u32 %r4, 1, 0, %p2;\nst.global.b32 [%rd0+1024], %r4;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd6], 256, [%r2];\n"
        "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra W;\n"
        "mad.lo.u32 %r4, %r0, 4, %r3; ld.shared.b32 %r5, [%r4]; st.global.b32 [%rd1], %r5;\n"
        "bar.sync 0;\n@%p1 mbarrier.inval.shared.b64 [%r2];\nret;\n}\n", 1, 64), -1);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i * 7);
    assert_int_equal(out[256], 0);
}

static void who_drops_out_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(run(MBARRIER
        "@!%p1 bra E;\nmbarrier.init.shared.b64 [%r2], 3;\nmbarrier.arrive_drop.shared.b64 _, [%r2];\n"
        "mbarrier.arrive.noComplete.shared.b64 %rd5, [%r2], 1;\nmbarrier.pending_count.b64 %r4, %rd5;\nst.global.b32 [%rd1], %r4;\n"
        "mbarrier.arrive.shared.b64 %rd6, [%r2];\nmbarrier.test_wait.shared.b64 %p2, [%r2], %rd5;\nselp.u32 %r5, 1, 0, %p2;\nst.global.b32 [%rd1+4], %r5;\n"
        "mbarrier.arrive.shared.b64 %rd7, [%r2];\nmbarrier.pending_count.b64 %r4, %rd7;\nst.global.b32 [%rd1+8], %r4;\n"
        "mbarrier.arrive.shared.b64 %rd8, [%r2], 1;\nmbarrier.test_wait.shared.b64 %p2, [%r2], %rd7;\nselp.u32 %r5, 1, 0, %p2;\nst.global.b32 [%rd1+12], %r5;\nE: ret;\n}\n", 1, 32), -1);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 1);
    assert_int_equal(out[2], 2);
    assert_int_equal(out[3], 1);
}

/* A cluster of one block: its barrier is a block's, in divergent code as well. */
static void a_cluster_s_barrier_holds_the_block(void **state)
{
    (void)state;
    assert_int_equal(run(PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<9>; .reg .b32 %r<64>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[512];\n"
        "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x; mov.u32 %r2, s;\n" MY_WORD
        "mad.lo.u32 %r3, %r0, 4, %r2; st.shared.b32 [%r3], %r0;\nand.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0;\n@%p1 bra A;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nbra B;\nA: barrier.cluster.arrive;\nbarrier.cluster.wait;\nB:\n"
        "xor.b32 %r5, %r0, 127; mad.lo.u32 %r5, %r5, 4, %r2; ld.shared.b32 %r6, [%r5];\n"
        "mapa.shared::cluster.u32 %r7, %r5, 0; getctarank.shared::cluster.u32 %r8, %r7; ld.shared::cluster.b32 %r9, [%r7]; add.u32 %r9, %r9, %r8; add.u32 %r6, %r6, %r9;\n"
        "st.global.b32 [%rd1], %r6;\nret;\n}\n", 1, 128), -1);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(out[i], 2 * (i ^ 127));
}

static void what_is_not_known_is_refused(void **state)
{
    static const char *const refused[] = {
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},{%f1,%f2,%f3,%f4},%r5,0x0;\n",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r1,%r2},{%f1,%f2,%f3,%f4};\n",
        "mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32 {%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},{%r1,%r2},{%r1,%r2,%r3,%r4};\n",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3}, [%rd1], %r4;\n",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2}, [%r3];\n",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];\n",
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        char text[4000];
        snprintf(text, sizeof(text), "%s%sret;\n}\n", KERNEL_BEGIN, refused[i]);
        assert_non_null(strstr(check(text), "is not supported by softcuda"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_multiply_exactly), cmocka_unit_test(halves_multiply), cmocka_unit_test(matrices_keep_their_elements),
        cmocka_unit_test(whole_products_of_bytes), cmocka_unit_test(rows_come_as_they_lie_or_transposed),
        cmocka_unit_test(products_wait_for_the_whole_warp), cmocka_unit_test(phases_end_when_all_have_arrived),
        cmocka_unit_test(bytes_that_were_announced_are_waited_for), cmocka_unit_test(who_drops_out_is_not_waited_for),
        cmocka_unit_test(a_cluster_s_barrier_holds_the_block), cmocka_unit_test(what_is_not_known_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
