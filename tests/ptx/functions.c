/* functions.c - kernels and functions: parameters, launch bounds, scopes, registers, labels. */
#include "text.h"

static void parameters_are_laid_out_in_order(void **state)
{
    struct ptx_module *m = parse_module(
        ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 4 .b8 c[13], "
        ".param .u16 d, .param .v4 .f32 e,"
        ".param .align 128 .b8 f[64], .param .b64 .ptr g) { ret; }");
    const struct ptx_func *f = &m->funcs[0];
    static const uint32_t offsets[] = { 0, 8, 16, 30, 32, 128, 192 };
    static const uint32_t sizes[] = { 1, 8, 13, 2, 16, 64, 8 }, aligns[] = { 1, 8, 4, 2, 16, 128, 8 };

    (void)state;
    assert_true(f->entry && f->linkage == PTX_VISIBLE);
    assert_int_equal(f->nparams, 7);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(f->params[i].offset, offsets[i]);
        assert_int_equal(f->params[i].size, sizes[i]);
        assert_int_equal(f->params[i].align, aligns[i]);
    }
    assert_int_equal(f->param_bytes, 200);
    ptx_module_destroy(m);
}

static void launch_bounds_are_read(void **state)
{
    struct ptx_module *m = parse_module(
        ".entry a() .maxntid 128 .minnctapersm 4 .maxnreg 32 { ret; } .entry b() .reqntid 8, 4 .pragma \"nounroll\"; { ret; }"
        ".entry c() .maxntid 8, 8, 2 .explicitcluster .reqnctapercluster 2, 1, "
        "1 .maxclusterrank 4 .blocksareclusters { ret; }"
        ".func .attribute(.unified(1, 2)) d() .noreturn .abi_preserve 8 { trap; } .entry e;");

    (void)state;
    assert_true(m->funcs[0].maxntid[0] == 128 && m->funcs[0].maxntid[1] == 1 && m->funcs[0].maxntid[2] == 1);
    assert_true(m->funcs[0].minnctapersm == 4 && m->funcs[0].maxnreg == 32 && m->funcs[0].reqntid[0] == 0);
    assert_true(m->funcs[1].reqntid[0] == 8 && m->funcs[1].reqntid[1] == 4 && m->funcs[1].reqntid[2] == 1);
    assert_true(m->funcs[2].maxntid[2] == 2 && m->funcs[2].reqnctapercluster[0] == 2 && m->funcs[2].maxclusterrank == 4);
    assert_true(m->funcs[2].explicitcluster && m->funcs[2].blocksareclusters);
    assert_true(m->funcs[3].noreturn && !m->funcs[3].entry);
    assert_true(m->funcs[4].declared_only && m->funcs[4].insns == NULL);
    assert_ptr_equal(ptx_find_entry(m, "b"), &m->funcs[1]);
    assert_null(ptx_find_entry(m, "d"));
    assert_null(ptx_find_entry(m, "nobody"));
    ptx_module_destroy(m);
}

static void only_used_registers_of_a_range_exist(void **state)
{
    struct ptx_module *m = parse_module(".entry k() { .reg .b32 %r<1000000>, %rs1<4>; .reg .f32 %f<3>;"
                                        "add.s32 %r999999, %r7, %r7; mov.b32 %rs12, %rs13; mov.f32 %f0, %f2; "
                                        "mov.b32 %r0, %rs12; }");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    expect_error(".entry k() { .reg .b32 %rs1<4>; mov.b32 %rs14, 0; }", 1, "register '%rs14' is not declared");
    assert_int_equal(f->nregs, 7);
    assert_int_equal(f->insns[0].ops[1].index, f->insns[0].ops[2].index);
    assert_string_equal(register_name(f, &f->insns[0].ops[0]), "%r999999");
    assert_int_equal(f->insns[1].ops[0].index, f->insns[3].ops[1].index);
    assert_int_equal(f->regs[f->insns[2].ops[0].index].type, PTX_F32);
    ptx_module_destroy(m);
}

static void inner_names_hide_outer_ones(void **state)
{
    struct ptx_module *m = parse_body(
        "mov.b32 %r1, 1; { .reg .b32 %r<4>; mov.b32 %r1, 2; { .reg .b32 %r1; mov.b32 %r1, 3; } mov.b32 %r1, 4; "
        "mov.b32 %r9, 5; } mov.b32 %r1, 6;"
        "{ .reg .f32 x; mov.f32 x, 0f00000000; } mov.b32 x, 0;");
    const struct ptx_func *f = &m->funcs[0];
    uint32_t r[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        r[i] = f->insns[i].ops[0].index;
    assert_int_equal(r[0], r[5]);
    assert_int_equal(r[1], r[3]);
    assert_true(r[0] != r[1] && r[1] != r[2] && r[0] != r[2]);
    assert_string_equal(f->regs[r[4]].name, "%r9");
    assert_true(r[6] != r[7] && f->regs[r[6]].type == PTX_F32 && f->regs[r[7]].type == PTX_B32);
    ptx_module_destroy(m);
}

static void a_range_hides_outer_registers_that_were_used(void **state)
{
    struct ptx_module *m = parse_body("mov.b32 %r1, 0; { .reg .b32 %r1; mov.b32 %r1, 1; } { .reg .b32 %r<2>; "
        "mov.b32 %r1, 2; mov.b32 %r5, 2; } mov.b32 %r1, 3;");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_true(f->insns[1].ops[0].index != f->insns[2].ops[0].index);
    assert_true(f->insns[2].ops[0].index != f->insns[0].ops[0].index);
    assert_int_equal(f->insns[4].ops[0].index, f->insns[0].ops[0].index);
    ptx_module_destroy(m);
}

static void labels_are_found_in_all_directions_and_scopes(void **state)
{
    struct ptx_module *m = parse_body(
        "L: bra L; { bra M; bra L; M: ret; { bra.uni OUT; bra M; } } @%p0 bra OUT; { M: bra M; } OUT:");
    const struct ptx_insn *in = m->funcs[0].insns;
    static const uint32_t targets[] = { 0, 3, 0, 0, 8, 3, 8, 7 };

    (void)state;
    for (int i = 0; i < 8; i++) {
        if (in[i].op != PTX_I_bra)
            continue;
        assert_int_equal(in[i].ops[0].kind, PTX_OP_LABEL);
        assert_int_equal(in[i].ops[0].index, targets[i]);
    }
    assert_int_equal(m->funcs[0].ninsns, 8);
    ptx_module_destroy(m);
}

static void a_parameter_may_have_the_name_of_its_function(void **state)
{
    struct ptx_module *m = parse_module(".entry k(.param .u32 k) { .reg .b32 %r; ld.param.u32 %r, [k]; ret; } "
        ".func f() { .reg .b64 %d; mov.u64 %d, k; ret; }");

    (void)state;
    assert_int_equal(m->funcs[0].insns[0].ops[1].kind, PTX_OP_PARAMVAR);
    assert_int_equal(m->funcs[1].insns[0].ops[1].kind, PTX_OP_FUNC);
    ptx_module_destroy(m);
}

static void aliases_share_a_body(void **state)
{
    struct ptx_module *m = parse_module(".visible .func g(.param .b32 a); .weak .func f(.param .b32 b) { ret; } "
        ".alias g, f;");

    (void)state;
    assert_int_equal(m->nfuncs, 2);
    assert_string_equal(m->funcs[0].name, "g");
    assert_int_equal(m->funcs[0].linkage, PTX_VISIBLE);
    assert_ptr_equal(m->funcs[0].insns, m->funcs[1].insns);
    ptx_module_destroy(m);
}

static void lines_of_the_source_are_kept(void **state)
{
    struct ptx_module *m = parse_module(
        ".file 1 \"a.cu\"\n.file 3 \"b.h\", 1700000000, 1234\n.entry k() { ret; .loc 1 17 3\n ret; .loc 3 5 1, "
        "function_name $L_info+20, inlined_at 1 18 2\n ret; }"
        ".entry j() { ret; }");
    const struct ptx_insn *in = m->funcs[0].insns;

    (void)state;
    assert_int_equal(m->nfiles, 4);
    assert_string_equal(m->files[1], "a.cu");
    assert_null(m->files[2]);
    assert_true(in[0].loc_file == 0 && in[0].loc_line == 0);
    assert_true(in[1].loc_file == 1 && in[1].loc_line == 17);
    assert_true(in[2].loc_file == 3 && in[2].loc_line == 5);
    assert_int_equal(m->funcs[1].insns[0].loc_line, 0);
    ptx_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_laid_out_in_order),
        cmocka_unit_test(launch_bounds_are_read),
        cmocka_unit_test(only_used_registers_of_a_range_exist),
        cmocka_unit_test(inner_names_hide_outer_ones),
        cmocka_unit_test(a_range_hides_outer_registers_that_were_used),
        cmocka_unit_test(labels_are_found_in_all_directions_and_scopes),
        cmocka_unit_test(a_parameter_may_have_the_name_of_its_function),
        cmocka_unit_test(aliases_share_a_body),
        cmocka_unit_test(lines_of_the_source_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
