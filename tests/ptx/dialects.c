/* dialects.c - PTX as different compilers and times write it. */
#include "text.h"

static struct ptx_module *parse_whole(const char *text)
{
    struct ptx_error err;
    struct ptx_module *m = ptx_parse(text, strlen(text), &err);

    if (!m)
        fail_msg("%u:%u: %s", err.pos.line, err.pos.column, err.text);
    return m;
}

static void old_ptx_has_16_bit_thread_numbers_and_no_address_size(void **state)
{
    struct ptx_module *m = parse_whole(
        "\t.version 1.4\n\t.target sm_10, map_f64_to_f32\n"
        "\t// compiled with open64\n"
        "\t.entry _Z5scalePff (\n\t\t.param .u64 __cudaparm_p,\n\t\t.param .f32 __cudaparm_f)\n\t{\n"
        "\t.reg .u16 %rh<4>;\n\t.reg .u32 %r<5>;\n\t.reg .u64 %rd<5>;\n\t.reg .f32 %f<5>;\n"
        "\t.loc\t14\t3\t0\n$LBB1__Z5scalePff:\n"
        "\tmov.u16 \t%rh1, %ctaid.x;\n\tmov.u16 \t%rh2, %ntid.x;\n\tmul.wide.u16 \t%r1, %rh1, %rh2;\n"
        "\tcvt.u32.u16 \t%r2, %tid.x;\n\tadd.u32 \t%r3, %r2, %r1;\n\tcvt.u64.u32 \t%rd1, %r3;\n\tmul.lo.u64 \t%rd2, "
        "%rd1, 4;\n"
        "\tld.param.u64 \t%rd3, [__cudaparm_p];\n\tadd.u64 \t%rd4, %rd3, %rd2;\n\tld.global.f32 \t%f1, [%rd4+0];\n"
        "\tld.param.f32 \t%f2, [__cudaparm_f];\n\tmul.f32 \t%f3, %f1, %f2;\n\tst.global.f32 \t[%rd4+0], %f3;\n\texit;\n"
        "$LDWend__Z5scalePff:\n\t} // _Z5scalePff\n");

    (void)state;
    assert_int_equal(m->version, 14);
    assert_int_equal(m->target, 10);
    assert_int_equal(m->address_size, 64);
    assert_int_equal(m->funcs[0].insns[3].ops[1].index, PTX_SR_TID_X);
    ptx_module_destroy(m);
}

static void targets_and_versions_are_read(void **state)
{
    struct ptx_module *m = parse_whole(".version 8.7 .target sm_100a, debug, texmode_independent .address_size 64");

    (void)state;
    assert_int_equal(m->version, 87);
    assert_int_equal(m->target, 100);
    assert_int_equal(m->target_suffix, 'a');
    assert_true(m->debug);
    assert_int_equal(m->nfuncs, 0);
    ptx_module_destroy(m);
    m = parse_whole(".version 9.0 .target sm_103f");
    assert_int_equal(m->target_suffix, 'f');
    ptx_module_destroy(m);
}

static void new_nvcc_writes_registers_without_types(void **state)
{
    struct ptx_module *m = parse_module(
        ".visible .entry _Z1kPfi(\n .param .u64 .ptr .align 1 _Z1kPfi_param_0,\n .param .u32 _Z1kPfi_param_1\n)\n{\n"
        " .reg .pred %p<3>;\n .reg .b32 %r<9>;\n"
        " .reg .b64 %rd<5>;\n ld.param.b64 %rd1, [_Z1kPfi_param_0];\n ld.param.b32 %r2, [_Z1kPfi_param_1];\n"
        " setp.nan.f32 %p1, %r1, %r1;\n atom.relaxed.global.cas.b32 %r3, [%rd1], %r2, %r4;\n cvta.to.global.u64 %rd2, %rd1;\n"
        " fma.rn.f32 %r5, %r6, %r7, 0f3F000000;\n ret;\n}");

    (void)state;
    assert_int_equal(m->funcs[0].params[0].align, 8);
    assert_int_equal(m->funcs[0].param_bytes, 12);
    assert_int_equal(m->funcs[0].insns[5].types[0], PTX_F32);
    ptx_module_destroy(m);
}

static void clang_writes_weak_functions_and_odd_spaces(void **state)
{
    struct ptx_module *m = parse_module(
        ".extern .func  (.param .b32 func_retval0) vprintf\n(\n.param .b64 vprintf_param_0,\n.param .b64 vprintf_param_1\n)\n;\n"
        ".weak .func  (.param .b32 func_retval0) _ZN1S1fEi\n(\n.param .b64 _ZN1S1fEi_param_0\n)\n;\n"
        ".global .align 1 .b8 _$_str[4] = {37, 100, 10};\n.visible .global .align 8 .u64 msg = generic(_$_str);\n"
        ".weak .func  (.param .b32 func_retval0) _ZN1S1fEi(\n.param .b64 _ZN1S1fEi_param_0\n)\n{\n"
        ".reg .b32 %r<3>;\n$L__BB0_1:                               // %entry\n"
        "bra.uni $L__BB0_1;\n// -- End function\n}\n"
        ".section\t.debug_abbrev\n\t{\n.b8 1                                // Abbreviation Code\n"
        ".b64 .debug_str+4\n.b32 $L__info-4\n$L__x:\n\t}\n\t.section\t.debug_macinfo\t{\t}\n");

    (void)state;
    assert_int_equal(m->nfuncs, 2);
    assert_int_equal(m->nvars, 2);
    assert_true(m->vars[1].relocs[0].generic);
    assert_int_equal(m->funcs[1].linkage, PTX_WEAK);
    ptx_module_destroy(m);
}

static void inline_assembly_brings_scopes_of_its_own(void **state)
{
    struct ptx_module *m = parse_body(
        "// begin inline asm\n{.reg .pred p;setp.ne.u32 p, %r1, "
        "0;@p bra.uni DONE;bra.uni LAB;LAB: DONE: }\n// end inline asm\n"
        "{.reg .pred p;setp.ne.u32 p, %r1, 0;@p bra.uni DONE; DONE: }\n{\n\tadd.cc.u32 %r0, %r1, %r2;\n;\n}\n");

    (void)state;
    assert_int_equal(m->funcs[0].insns[1].ops[0].index, 3);
    assert_int_equal(m->funcs[0].insns[4].ops[0].index, 5);
    ptx_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_ptx_has_16_bit_thread_numbers_and_no_address_size),
        cmocka_unit_test(targets_and_versions_are_read),
        cmocka_unit_test(new_nvcc_writes_registers_without_types),
        cmocka_unit_test(clang_writes_weak_functions_and_odd_spaces),
        cmocka_unit_test(inline_assembly_brings_scopes_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
