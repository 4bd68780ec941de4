/* tokens.c - numbers, names, comments, constant expressions. */
#include "text.h"

static void check_constant(const char *text, uint64_t bits)
{
    char body[256] = "mov.b64 %d0, ";
    struct ptx_module *m;
    const struct ptx_operand *o;

    strcat(strcat(body, text), ";");
    m = parse_body(body);
    o = &only_insn(m)->ops[1];
    assert_int_equal(o->kind, PTX_OP_IMM);
    assert_false(o->is_float);
    assert_true(o->imm == bits);
    ptx_module_destroy(m);
}

static void integers_are_read_in_every_base(void **state)
{
    (void)state;
    check_constant("42", 42);
    check_constant("0x2A", 42);
    check_constant("0X2a", 42);
    check_constant("052", 42);
    check_constant("0b101010", 42);
    check_constant("42U", 42);
    check_constant("0", 0);
    check_constant("0xFFFFFFFFFFFFFFFF", UINT64_MAX);
    check_constant("18446744073709551615", UINT64_MAX);
    check_constant("-1", UINT64_MAX);
    check_constant("4294967295", 0xffffffff);
    check_constant("WARP_SZ", 32);
}

static void constant_expressions_are_those_of_c(void **state)
{
    (void)state;
    check_constant("(1<<4)|3", 19);
    check_constant("1 + 2 * 3 - 4", 3);
    check_constant("-7 / 2", (uint64_t)-3);
    check_constant("-7 % 4", (uint64_t)-3);
    check_constant("~0 ^ 1", UINT64_MAX - 1);
    check_constant("!5 + !0", 1);
    check_constant("3 > 2 && 2 >= 3 || 1 != 1", 0);
    check_constant("(3 == 3) ? 10 : 20", 10);
    check_constant("1 ? 2 ? 3 : 4 : 5", 3);
    check_constant("-8 >> 1", (uint64_t)-4);
    check_constant("0x8000000000000000 >> 63", 1);
    check_constant("(.u64)-8 >> 1", 0x7ffffffffffffffc);
    check_constant("(.s64)0xfffffffffffffff8U >> 1", (uint64_t)-4);
    check_constant("1 << 64", 0);
    check_constant("-0x7fffffffffffffff - 1", 1ull << 63);
    check_constant("(-0x7fffffffffffffff - 1) / -1", 1ull << 63);
    check_constant("(-0x7fffffffffffffff - 1) % -1", 0);
    check_constant("-1 < 0", 1);
    check_constant("-1 < 0U", 0);
    check_constant("WARP_SZ / 2 - 1", 15);
}

static void check_float(const char *text, unsigned width, uint64_t bits)
{
    char body[256] = "mov.f64 %d0, ";
    struct ptx_module *m;
    const struct ptx_operand *o;

    strcat(strcat(body, text), ";");
    m = parse_body(body);
    o = &only_insn(m)->ops[1];
    assert_int_equal(o->kind, PTX_OP_IMM);
    assert_true(o->is_float);
    assert_int_equal(o->imm_bits, width);
    assert_true(o->imm == bits);
    ptx_module_destroy(m);
}

static void floats_are_bit_patterns(void **state)
{
    (void)state;
    check_float("0f3F800000", 32, 0x3f800000);
    check_float("0F7fffffff", 32, 0x7fffffff);
    check_float("-0f3F800000", 32, 0xbf800000);
    check_float("0d3FF0000000000000", 64, 0x3ff0000000000000);
    check_float("0DfFf0000000000001", 64, 0xfff0000000000001);
    check_float("1.5", 64, 0x3ff8000000000000);
    check_float(".5", 64, 0x3fe0000000000000);
    check_float("1.", 64, 0x3ff0000000000000);
    check_float("25e-2", 64, 0x3fd0000000000000);
    check_float("-2.5E+1", 64, 0xc039000000000000);
    check_float("1.0 + 0f3F800000 * 2.0", 64, 0x4008000000000000);
    check_float("1.0 / 4", 64, 0x3fd0000000000000);
    check_float("1.0 / 0.0", 64, 0x7ff0000000000000);
}

static void comments_and_foreign_lines_are_blank(void **state)
{
    struct ptx_module *m = parse_body("add.s32 // %r1\n %r0, /* %r2,\n */ %r1, 1;\n"
                                      "# 12 \"file.cu\"\n#line 3\n@@DWARF .byte 0x12, 'x'\n ret /**/;");

    (void)state;
    assert_int_equal(m->funcs[0].ninsns, 2);
    assert_int_equal(m->funcs[0].insns[1].pos.line, 7);
    assert_int_equal(m->funcs[0].insns[1].pos.column, 2);
    ptx_module_destroy(m);
}

static void names_may_hold_dollars_and_percents(void **state)
{
    struct ptx_module *m = parse_body(".reg .b32 $a, _b$c, %_x, %1; $L__BB0_1: _L: add.s32 $a, _b$c, %_x; mov.b32 %1, "
        "$a; bra _L;");

    (void)state;
    assert_string_equal(m->funcs[0].regs[m->funcs[0].insns[0].ops[2].index].name, "%_x");
    assert_string_equal(m->funcs[0].regs[m->funcs[0].insns[1].ops[0].index].name, "%1");
    ptx_module_destroy(m);
}

static void text_ends_at_its_first_nul(void **state)
{
    static const char text[] = ".version 9.0 .target sm_75 .visible .entry k() { ret; }\0 rubbish";
    struct ptx_error err;
    struct ptx_module *m = ptx_parse(text, sizeof(text), &err);

    (void)state;
    assert_non_null(m);
    assert_int_equal(m->nfuncs, 1);
    ptx_module_destroy(m);
}

static void bad_tokens_are_named(void **state)
{
    (void)state;
    expect_body_error("\nmov.b32 %r0, 0x10000000000000000;", 2, "a number wider than 64 bits");
    expect_body_error("mov.b32 %r0, 09;", 1, "a letter in a number");
    expect_body_error("mov.b32 %r0, 12q;", 1, "a letter in a number");
    expect_body_error("mov.b32 %r0, 0x;", 1, "a letter in a number");
    expect_body_error("mov.b32 %r0, 0f3F8;", 1, "a 0f literal needs 8 hexadecimal digits, a 0d literal 16");
    expect_body_error("mov.b32 %r0, 0f3F8000000;", 1, "a 0f literal needs 8 hexadecimal digits, a 0d literal 16");
    expect_body_error("mov.b32 %r0, 1 / 0;", 1, "division by zero");
    expect_body_error("mov.b32 %r0, 1.0 % 2;", 1, "this operator takes integers");
    expect_body_error("mov.b32 %r0, ~1.0;", 1, "this operator takes integers");
    expect_body_error("\n\n/* ret;", 3, "a comment without an end");
    expect_body_error(".pragma \"abc", 1, "a string without an end");
    expect_body_error("mov.b32 %r0, `;", 1, "a character that no PTX begins with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_in_every_base),
        cmocka_unit_test(constant_expressions_are_those_of_c),
        cmocka_unit_test(floats_are_bit_patterns),
        cmocka_unit_test(comments_and_foreign_lines_are_blank),
        cmocka_unit_test(names_may_hold_dollars_and_percents),
        cmocka_unit_test(text_ends_at_its_first_nul),
        cmocka_unit_test(bad_tokens_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
