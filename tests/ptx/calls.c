/* calls.c - calls, their prototypes, and branches through tables. */
#include "text.h"

static void calls_have_results_target_and_arguments(void **state)
{
    struct ptx_module *m = parse_module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a); .func none() { ret; }"
        ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; { .param .b64 p0; .param .b64 p1; .param .b32 q;"
        "st.param.b64 [p0+0], %rd1; st.param.b64 [p1], %rd2;"
        "call.uni (q), vprintf, (p0, p1); ld.param.b32 %r1, [q]; } call none; call.uni none, (); .reg .pred %p0; "
        "@%p0 call (_), vprintf, (0, 5); }");
    const struct ptx_func *k = &m->funcs[2];
    const struct ptx_call *c = k->insns[2].call;

    (void)state;
    assert_int_equal(k->nvars, 3);
    assert_int_equal(k->vars[0].space, PTX_PARAM);
    assert_non_null(c);
    assert_int_equal(k->insns[2].nops, 0);
    assert_true(ptx_has(&k->insns[2], PTX_M_uni));
    assert_true(c->target.kind == PTX_OP_FUNC && c->target.index == 0);
    assert_int_equal(c->nrets, 1);
    assert_true(c->rets[0].kind == PTX_OP_LOCALVAR && c->rets[0].index == 2);
    assert_int_equal(c->nargs, 2);
    assert_true(c->args[1].kind == PTX_OP_LOCALVAR && c->args[1].index == 1);
    assert_int_equal(c->proto, -1);
    assert_true(k->insns[4].call->nargs == 0 && k->insns[4].call->nrets == 0);
    assert_false(m->funcs[1].address_taken);
    ptx_module_destroy(m);
}

static void indirect_calls_name_a_prototype(void **state)
{
    struct ptx_module *m = parse_body(
        "{ .param .b64 p0; .param .b32 q; proto_0 : .callprototype (.param .b32 _) _ (.param .b64 _, "
        ".param .align 8 .b8 _[24]);"
        "call (q), %d1, (p0), proto_0; }"
        "{ proto_0: .callprototype ()_ () .noreturn; call %d2, proto_0; }");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_int_equal(f->nprotos, 2);
    assert_int_equal(f->protos[0].nrets, 1);
    assert_int_equal(f->protos[0].nparams, 2);
    assert_int_equal(f->protos[0].params[1].size, 24);
    assert_int_equal(f->protos[0].params[1].align, 8);
    assert_int_equal(f->insns[0].call->proto, 0);
    assert_string_equal(register_name(f, &f->insns[0].call->target), "%d1");
    assert_int_equal(f->insns[1].call->proto, 1);
    ptx_module_destroy(m);
}

static void calltargets_and_tables_list_functions(void **state)
{
    struct ptx_module *m = parse_module(
        ".func f() { ret; } .func g() { ret; } .global .u64 table[3] = { g, 0, f };"
        ".entry k() { .reg .b64 %d; t: .calltargets f, g; call %d, (), t; call %d, table; }");
    const struct ptx_insn *in = m->funcs[2].insns;

    (void)state;
    assert_int_equal(in[0].call->ntargets, 2);
    assert_int_equal(in[0].call->targets[1], 1);
    assert_int_equal(in[1].call->ntargets, 2);
    assert_int_equal(in[1].call->targets[0], 1);
    assert_true(m->funcs[0].address_taken);
    ptx_module_destroy(m);
}

static void old_calls_pass_registers(void **state)
{
    struct ptx_module *m = parse_module(
        ".func (.reg .f32 %fr) twice(.reg .f32 %fa, .reg .pred %p) { add.f32 %fr, %fa, %fa; ret; }"
        ".entry k { .reg .f32 %f<3>; .reg .pred %q; call (%f1), twice, (%f2, %q); exit; }");
    const struct ptx_func *f = &m->funcs[0];
    const struct ptx_call *c = m->funcs[1].insns[0].call;

    (void)state;
    assert_true(f->rets[0].in_reg && f->params[0].in_reg);
    assert_int_equal(f->insns[0].ops[0].index, f->rets[0].reg);
    assert_int_equal(f->insns[0].ops[1].index, f->params[0].reg);
    assert_int_equal(f->nregs, 3);
    assert_int_equal(c->rets[0].kind, PTX_OP_REG);
    assert_int_equal(c->args[1].kind, PTX_OP_REG);
    ptx_module_destroy(m);
}

static void recursion_and_declarations_are_one_function(void **state)
{
    struct ptx_module *m = parse_module(
        ".func (.param .b32 r) f(.param .b32 a); .entry k() { .param .b32 x, y; call (x), f, (y); ret; }"
        ".visible .func (.param .b32 r) f(.param .b32 a) { .param .b32 x, y; call (x), f, (y); ret; } "
        ".func (.param .b32 r) f(.param .b32 a);");

    (void)state;
    assert_int_equal(m->nfuncs, 2);
    assert_false(m->funcs[0].declared_only);
    assert_int_equal(m->funcs[0].linkage, PTX_VISIBLE);
    assert_int_equal(m->funcs[0].ninsns, 2);
    assert_int_equal(m->funcs[0].insns[0].call->target.index, 0);
    assert_false(m->funcs[0].address_taken);
    ptx_module_destroy(m);
}

static void branch_tables_hold_instructions(void **state)
{
    struct ptx_module *m = parse_body("T: .branchtargets A, B, A; brx.idx %r0, T; A: ret; B: trap; { brx.idx %r1, U; "
        "U: .branchtargets B, C; } C:");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_int_equal(f->ntables, 2);
    assert_int_equal(f->tables[0].n, 3);
    assert_int_equal(f->tables[0].targets[0], 1);
    assert_int_equal(f->tables[0].targets[1], 2);
    assert_int_equal(f->tables[0].targets[2], 1);
    assert_int_equal(f->insns[0].ops[1].kind, PTX_OP_LABEL);
    assert_int_equal(f->insns[0].ops[1].index, 0);
    assert_int_equal(f->insns[3].ops[1].index, 1);
    assert_int_equal(f->tables[1].targets[1], 4);
    ptx_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_results_target_and_arguments),
        cmocka_unit_test(indirect_calls_name_a_prototype),
        cmocka_unit_test(calltargets_and_tables_list_functions),
        cmocka_unit_test(old_calls_pass_registers),
        cmocka_unit_test(recursion_and_declarations_are_one_function),
        cmocka_unit_test(branch_tables_hold_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
