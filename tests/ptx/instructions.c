/* instructions.c - opcodes and operands. */
#include "text.h"

static void check_types(const char *text, enum ptx_op op, unsigned n, const enum ptx_type *types)
{
    struct ptx_module *m = parse_body(text);
    const struct ptx_insn *in = only_insn(m);

    assert_int_equal(in->op, op);
    assert_int_equal(in->ntypes, n);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(in->types[i], types[i]);
    ptx_module_destroy(m);
}

#define TYPES(...) sizeof((enum ptx_type[]){ __VA_ARGS__ }) / sizeof(enum ptx_type), (enum ptx_type[]){ __VA_ARGS__ }

static void types_are_in_written_order(void **state)
{
    (void)state;
    check_types("cvt.rn.f32.s32 %f0, %r0;", PTX_I_cvt, TYPES(PTX_F32, PTX_S32));
    check_types("mul.wide.s32 %d0, %r0, %r1;", PTX_I_mul, TYPES(PTX_S32));
    check_types("and.pred %p0, %p1, %p2;", PTX_I_and, TYPES(PTX_PRED));
    check_types("fma.rn.bf16x2 %r0, %r1, %r2, %r3;", PTX_I_fma, TYPES(PTX_BF16X2));
    check_types("cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", PTX_I_cvt, TYPES(PTX_E4M3X2, PTX_F32));
    check_types("dp4a.s32.u32 %r0, %r1, %r2, %r3;", PTX_I_dp4a, TYPES(PTX_S32, PTX_U32));
    check_types("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
        "{%f0,%f1,%f2,%f3};",
                PTX_I_mma, TYPES(PTX_F32, PTX_BF16, PTX_BF16, PTX_F32));
    check_types("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", PTX_I_vabsdiff4, TYPES(PTX_U32, PTX_U32, PTX_U32));
    check_types("wmma.load.a.sync.aligned.row.m16n16k16.global.s4 {%r0}, [%d0];", PTX_I_wmma, TYPES(PTX_S4));
}

static void modifiers_spaces_and_widths_are_told_apart(void **state)
{
    struct ptx_module *m = parse_body("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f0, %f1, %f2, %f3}, [%d0];");
    const struct ptx_insn *in = only_insn(m);

    (void)state;
    assert_int_equal(in->op, PTX_I_ld);
    assert_int_equal(in->space, PTX_GLOBAL);
    assert_int_equal(in->space2, PTX_GENERIC);
    assert_int_equal(in->vec, 4);
    assert_int_equal(in->ntypes, 1);
    assert_int_equal(in->types[0], PTX_F32);
    assert_true(ptx_has(in, PTX_M_nc) && ptx_has(in, PTX_M_L1_no_allocate) && ptx_has(in, PTX_M_L2_128B));
    assert_false(ptx_has(in, PTX_M_cg));
    assert_string_equal(in->opcode, "ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
    ptx_module_destroy(m);

    m = parse_body("setp.lt.and.f32 %p0|%p1, %f0, %f1, !%p2;");
    in = only_insn(m);
    assert_true(ptx_has(in, PTX_M_lt) && ptx_has(in, PTX_M_and_));
    assert_int_equal(in->vec, 1);
    assert_int_equal(in->space, PTX_GENERIC);
    ptx_module_destroy(m);
}

static void a_space_of_a_cluster_is_a_space_and_a_modifier(void **state)
{
    struct ptx_module *m = parse_body("st.shared::cluster.u32 [%r0], %r1; isspacep.shared::cta %p0, %d0; "
                                      "cp.async.cg.shared.global [%r0], [%d0], 16;"
                                      "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r0], %r1;"
                                      "cvta.param.u64 %d0, a; ld.param::entry.u64 %d0, [a];");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_int_equal(in[0].space, PTX_SHARED);
    assert_true(ptx_has(&in[0], PTX_M_shared_cluster));
    assert_int_equal(in[1].space, PTX_SHARED);
    assert_true(ptx_has(&in[1], PTX_M_shared_cta) && !ptx_has(&in[1], PTX_M_shared_cluster));
    assert_true(in[2].space == PTX_SHARED && in[2].space2 == PTX_GLOBAL);
    assert_true(in[3].space == PTX_GLOBAL && in[3].space2 == PTX_SHARED);
    assert_int_equal(in[4].space, PTX_PARAM);
    assert_true(in[5].space == PTX_PARAM && ptx_has(&in[5], PTX_M_param_entry));
    ptx_module_destroy(m);
}

static void blanks_inside_an_opcode_do_not_matter(void **state)
{
    struct ptx_module *m = parse_body("ld .global /* here */ .f32\n %f0, [%d0]; ld.global.f32 %f1, [%d0];");

    (void)state;
    assert_string_equal(m->funcs[0].insns[0].opcode, "ld.global.f32");
    assert_string_equal(m->funcs[0].insns[1].opcode, "ld.global.f32");
    assert_int_equal(m->funcs[0].insns[0].space, PTX_GLOBAL);
    ptx_module_destroy(m);
}

static void pairs_are_two_operands(void **state)
{
    struct ptx_module *m = parse_body("shfl.sync.idx.b32 %r0|%p0, %r1, 1, 31, -1; setp.eq.s32 _|%p1, %r0, %r1; "
        "or.b32 %r0, %r1, 1|2;");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_true(f->insns[0].pair);
    assert_int_equal(f->insns[0].nops, 6);
    assert_string_equal(register_name(f, &f->insns[0].ops[1]), "%p0");
    assert_true(f->insns[0].ops[5].imm == UINT64_MAX);
    assert_true(f->insns[1].pair);
    assert_int_equal(f->insns[1].ops[0].kind, PTX_OP_SINK);
    assert_false(f->insns[2].pair);
    assert_int_equal(f->insns[2].ops[2].imm, 3);
    ptx_module_destroy(m);
}

static void guards_may_be_negated(void **state)
{
    struct ptx_module *m = parse_body("@%p1 add.s32 %r0, %r1, %r2; @!%p2 ret; ret;");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_string_equal(register_name(f, &f->insns[0].guard), "%p1");
    assert_false(f->insns[0].guard.negated);
    assert_string_equal(register_name(f, &f->insns[1].guard), "%p2");
    assert_true(f->insns[1].guard.negated);
    assert_int_equal(f->insns[1].nops, 0);
    assert_int_equal(f->insns[2].guard.kind, PTX_OP_NONE);
    ptx_module_destroy(m);
}

static void operands_of_every_kind_are_resolved(void **state)
{
    struct ptx_module *m = parse_module(
        ".global .u32 g; .func (.param .b32 r) fn(.param .b32 q) { .local .b32 l; .reg .b32 %x; .reg .b64 %y;"
        "mov.u64 %y, g; mov.u64 %y, g+4; ld.global.u32 %x, [g+-4]; mov.u32 %x, l; ld.param.b32 %x, [q]; "
        "st.param.b32 [r+0], -%x;"
        "mov.u64 %y, fn; ld.u32 %x, [%y+16]; ld.u32 %x, [%y-16]; ld.global.u32 %x, [0x100]; mov.u32 %x, %tid.y; "
        "mov.u32 %x, %envreg7;"
        "mov.u32 %x, %pm3; mov.u64 %y, %pm7_64; mov.u64 %y, %clock64; mov.u32 %x, %reserved_smem_offset_1; "
        "mov.u32 %x, %lanemask_lt;"
        "mov.u32 %x, %cluster_nctaid.z; }");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_true(in[0].ops[1].kind == PTX_OP_VAR && !in[0].ops[1].memory && in[0].ops[1].offset == 0);
    assert_true(in[1].ops[1].kind == PTX_OP_VAR && in[1].ops[1].offset == 4);
    assert_true(in[2].ops[1].kind == PTX_OP_VAR && in[2].ops[1].memory && in[2].ops[1].offset == -4);
    assert_true(in[3].ops[1].kind == PTX_OP_LOCALVAR && in[3].ops[1].index == 0);
    assert_true(in[4].ops[1].kind == PTX_OP_PARAMVAR && in[4].ops[1].memory);
    assert_true(in[5].ops[0].kind == PTX_OP_RETVAR && in[5].ops[0].memory);
    assert_true(in[5].ops[1].kind == PTX_OP_REG && in[5].ops[1].negated);
    assert_true(in[6].ops[1].kind == PTX_OP_FUNC && in[6].ops[1].index == 0);
    assert_true(m->funcs[0].address_taken);
    assert_true(in[7].ops[1].kind == PTX_OP_REG && in[7].ops[1].memory && in[7].ops[1].offset == 16);
    assert_int_equal(in[8].ops[1].offset, -16);
    assert_true(in[9].ops[1].kind == PTX_OP_IMM && in[9].ops[1].memory && in[9].ops[1].imm == 256);
    assert_int_equal(in[10].ops[1].index, PTX_SR_TID_Y);
    assert_int_equal(in[11].ops[1].index, PTX_SR_ENVREG0 + 7);
    assert_int_equal(in[12].ops[1].index, PTX_SR_PM0 + 3);
    assert_int_equal(in[13].ops[1].index, PTX_SR_PM0_64 + 7);
    assert_int_equal(in[14].ops[1].index, PTX_SR_CLOCK64);
    assert_int_equal(in[15].ops[1].index, PTX_SR_RESERVED_SMEM_OFFSET1);
    assert_int_equal(in[16].ops[1].index, PTX_SR_LANEMASK_LT);
    assert_int_equal(in[17].ops[1].index, PTX_SR_CLUSTER_NCTAID_Z);
    ptx_module_destroy(m);
}

static void elements_of_arrays_are_memory_but_for_mov(void **state)
{
    struct ptx_module *m = parse_module(".global .v2 .u32 g[4]; .entry k() { .shared .u16 s[4]; .reg .b32 %r<9>; "
        ".reg .b64 %d;"
                                        "ld.global.v2.u32 {%r0, %r1}, g[2]; mov.u64 %d, g[1]; st.shared.u16 s[3], %r1; }");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_true(in[0].ops[1].kind == PTX_OP_VAR && in[0].ops[1].memory && in[0].ops[1].offset == 16);
    assert_true(in[1].ops[1].kind == PTX_OP_VAR && !in[1].ops[1].memory && in[1].ops[1].offset == 8);
    assert_true(in[2].ops[0].kind == PTX_OP_LOCALVAR && in[2].ops[0].memory && in[2].ops[0].offset == 6);
    ptx_module_destroy(m);
}

static void vectors_hold_registers_constants_and_sinks(void **state)
{
    struct ptx_module *m = parse_body("mov.b64 {%r1, _}, %d0; st.v4.b32 [%d0], {%r0, 7, -1, %r3};");
    const struct ptx_func *f = &m->funcs[0];
    const struct ptx_operand *v = &f->insns[0].ops[0];

    (void)state;
    assert_int_equal(v->kind, PTX_OP_VECTOR);
    assert_int_equal(v->nelems, 2);
    assert_string_equal(register_name(f, &v->elems[0]), "%r1");
    assert_int_equal(v->elems[1].kind, PTX_OP_SINK);
    v = &f->insns[1].ops[1];
    assert_int_equal(v->nelems, 4);
    assert_int_equal(v->elems[1].imm, 7);
    assert_true(v->elems[2].imm == UINT64_MAX);
    ptx_module_destroy(m);
}

static void brackets_may_hold_several_items(void **state)
{
    struct ptx_module *m = parse_module(".global .texref tx; .global .samplerref sm; .entry k() { .reg .f32 %f<9>; "
                                        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tx, {%f4, %f5}];"
                                        "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tx, sm, {%f4}]; }");
    const struct ptx_operand *o = &m->funcs[0].insns[0].ops[1];

    (void)state;
    assert_true(o->kind == PTX_OP_VECTOR && o->memory);
    assert_int_equal(o->nelems, 2);
    assert_int_equal(o->elems[0].kind, PTX_OP_VAR);
    assert_int_equal(o->elems[1].kind, PTX_OP_VECTOR);
    assert_int_equal(o->elems[1].nelems, 2);
    assert_true(ptx_has(&m->funcs[0].insns[0], PTX_M_d2));
    o = &m->funcs[0].insns[1].ops[1];
    assert_int_equal(o->nelems, 3);
    assert_int_equal(o->elems[2].nelems, 1);
    ptx_module_destroy(m);
}

static void vector_registers_are_registers_in_a_row(void **state)
{
    struct ptx_module *m = parse_body(".reg .v4 .f32 v, %w<3>; ld.global.v4.f32 v, [%d0]; add.f32 v.x, v.w, %w1.g;");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_int_equal(in[0].ops[0].kind, PTX_OP_VECTOR);
    assert_int_equal(in[0].ops[0].nelems, 4);
    assert_int_equal(in[1].ops[0].index, in[0].ops[0].elems[0].index);
    assert_int_equal(in[1].ops[1].index, in[0].ops[0].elems[3].index);
    assert_string_equal(register_name(&m->funcs[0], &in[1].ops[2]), "%w1");
    expect_body_error(".reg .v2 .f32 v; mov.f32 %f0, v.z;", 1, "a vector of 2 has no part '.z'");
    ptx_module_destroy(m);
}

static void video_instructions_choose_bytes_and_halves(void **state)
{
    struct ptx_module *m = parse_body("vadd.u32.u32.u32.sat.add %r0.b2, %r1.b0, %r2.h1, %r3; "
        "vadd4.u32.u32.u32 %r0.b3210, %r1.b7654, %r2, %r3;"
                                      "vadd2.s32.s32.s32 %r0.h10, %r1.h32, %r2, %r3;");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_int_equal(in[0].ops[0].part, 1 << 16 | 2);
    assert_int_equal(in[0].ops[2].part, PTX_PART_HALVES | 1 << 16 | 1);
    assert_int_equal(in[0].ops[3].part, 0);
    assert_int_equal(PTX_PART_COUNT(in[1].ops[1].part), 4);
    assert_int_equal(PTX_PART_DIGIT(in[1].ops[1].part, 0), 4);
    assert_int_equal(PTX_PART_DIGIT(in[1].ops[1].part, 3), 7);
    assert_int_equal(in[2].ops[0].part, PTX_PART_HALVES | 2 << 16 | 0x10);
    ptx_module_destroy(m);
}

static void words_that_are_roots_elsewhere_are_modifiers(void **state)
{
    struct ptx_module *m = parse_body("atom.global.add.u32 %r0, [%d0], 1; red.global.and.b32 [%d0], %r0; "
        "bar.red.popc.u32 %r0, 0, %p0; "
                                      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r0], %r1; "
                                      "sust.b.2d.b32.trap [%d0, {%r0, %r1}], {%r2};");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_true(in[0].op == PTX_I_atom && ptx_has(&in[0], PTX_M_add));
    assert_true(in[1].op == PTX_I_red && ptx_has(&in[1], PTX_M_and_));
    assert_true(in[2].op == PTX_I_bar && ptx_has(&in[2], PTX_M_red) && ptx_has(&in[2], PTX_M_popc));
    assert_true(in[3].op == PTX_I_mbarrier && ptx_has(&in[3], PTX_M_arrive) && ptx_has(&in[3], PTX_M_cta));
    assert_int_equal(in[3].ops[0].kind, PTX_OP_SINK);
    assert_true(ptx_has(&in[4], PTX_M_b) && ptx_has(&in[4], PTX_M_trap) && ptx_has(&in[4], PTX_M_d2));
    ptx_module_destroy(m);
}

static void every_modifier_has_a_text_of_its_own(void **state)
{
#define TEXT(id, text) text,
    static const char *const texts[] = { PTX_MODS(TEXT) };
#undef TEXT

    (void)state;
    for (size_t i = 0; i < PTX_MOD_COUNT; i++)
        for (size_t k = i + 1; k < PTX_MOD_COUNT; k++)
            assert_string_not_equal(texts[i], texts[k]);
}

static void types_know_their_widths(void **state)
{
    (void)state;
    assert_int_equal(ptx_type_bits(PTX_PRED), 1);
    assert_int_equal(ptx_type_bits(PTX_F16X2), 32);
    assert_int_equal(ptx_type_bits(PTX_B128), 128);
    assert_int_equal(ptx_type_bits(PTX_TEXREF), 64);
    assert_true(ptx_type_is_float(PTX_BF16X2) && !ptx_type_is_float(PTX_B32));
    assert_true(ptx_type_is_signed(PTX_S16X2) && !ptx_type_is_signed(PTX_U8));
    assert_string_equal(ptx_type_name(PTX_E5M2X2), "e5m2x2");
    for (int t = PTX_PRED; t < PTX_TYPE_COUNT; t++)
        assert_true(ptx_type_bits((enum ptx_type)t) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_in_written_order),
        cmocka_unit_test(modifiers_spaces_and_widths_are_told_apart),
        cmocka_unit_test(a_space_of_a_cluster_is_a_space_and_a_modifier),
        cmocka_unit_test(blanks_inside_an_opcode_do_not_matter),
        cmocka_unit_test(pairs_are_two_operands),
        cmocka_unit_test(guards_may_be_negated),
        cmocka_unit_test(operands_of_every_kind_are_resolved),
        cmocka_unit_test(elements_of_arrays_are_memory_but_for_mov),
        cmocka_unit_test(vectors_hold_registers_constants_and_sinks),
        cmocka_unit_test(brackets_may_hold_several_items),
        cmocka_unit_test(vector_registers_are_registers_in_a_row),
        cmocka_unit_test(video_instructions_choose_bytes_and_halves),
        cmocka_unit_test(words_that_are_roots_elsewhere_are_modifiers),
        cmocka_unit_test(every_modifier_has_a_text_of_its_own),
        cmocka_unit_test(types_know_their_widths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
