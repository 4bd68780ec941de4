/* errors.c - what is wrong is said with its line and its name; nothing is too long, too deep or too short. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

static void unknown_words_are_named_with_their_line(void **state)
{
    (void)state;
    expect_body_error("\n\n bogus.u32 %r0, %r1;", 3, "unknown instruction 'bogus.u32'");
    expect_body_error("\nadd.bogus.u32 %r0, %r1, %r2;", 2, "unknown modifier '.bogus' of 'add.bogus.u32'");
    expect_body_error("ld.global::x.u32 %r0, [%d0];", 1, "unknown modifier '.global::x' of 'ld.global::x.u32'");
    expect_body_error("ld.v3.u32 %r0, [%d0];", 1, "unknown modifier '.v3' of 'ld.v3.u32'");
    expect_body_error("\n.bogus 5;", 2, "unknown directive '.bogus'");
    expect_error("\n.bogus 5;", 2, "unknown directive '.bogus'");
    expect_error("add", 1, "expected a directive, not 'add'");
    expect_error(".entry k() .bogus { }", 1, "unknown directive '.bogus'");
}

static void undeclared_names_are_named(void **state)
{
    (void)state;
    expect_body_error("\nadd.s32 %r0, %r10, 1;", 2, "register '%r10' is not declared");
    expect_body_error("add.s32 %r0, y, 1;", 1, "'y' is not declared");
    expect_body_error("{ .reg .b32 y; }\nmov.b32 y, 0;", 2, "'y' is not declared");
    expect_body_error("call f;", 1, "function 'f' is not declared");
    expect_body_error("call %r0, nothing;", 1, "call prototype 'nothing' is not declared");
    expect_body_error("call a;", 1, "'a' is neither a function nor a register");
    expect_body_error("bra A; {\n bra B; } A:", 2, "label 'B' is not found");
    expect_body_error("bra A; { A: }", 1, "label 'A' is not found");
    expect_body_error("bra %r0;", 1, "label '%r0' is not found");
    expect_body_error("brx.idx %r0, A; A:", 1, "label 'A' is not found");
    expect_body_error("mov.u32 %r0, %tid;", 1, "special register '%tid' has no part '.'");
    expect_body_error("mov.u32 %r0, %laneid.x;", 1, "special register '%laneid' has no part '.x'");
    expect_body_error("mov.u32 %r0, %envreg32;", 1, "register '%envreg32' is not declared");
    expect_body_error("mov.u32 %r0, %r1.b9;", 1, "a register has no part '.b9'");
    expect_body_error("t: .calltargets k, nobody;", 1, "function 'nobody' is not declared");
}

static void names_are_declared_once(void **state)
{
    (void)state;
    expect_body_error("L: ret;\nL: ret;", 2, "'L' is declared twice");
    expect_body_error(".reg .b32 y;\n.reg .b32 y;", 2, "'y' is declared twice");
    expect_error(".func f() { }\n.func f() { }", 2, "'f' is defined twice");
    expect_error(".func f();\n.entry f() { }", 2, "'f' is declared twice");
    expect_error(".global .u32 f;\n.func f() { }", 2, "'f' is declared twice");
    expect_error(".entry k(.param .u32 a, .param .u32 a) { }", 1, "'a' is declared twice");
}

static void syntax_errors_say_what_was_expected(void **state)
{
    (void)state;
    expect_body_error("ret", 1, "expected ';', not '}'");
    expect_body_error("add.s32 %r0, %r1", 1, "expected ';', not '}'");
    expect_body_error("add.s32 %r0,, %r1;", 1, "expected a constant, not ','");
    expect_body_error("ld.u32 %r0, [%d0;", 1, "expected ',' or ']', not ';'");
    expect_body_error("mov.b64 {%r0, %r1, %d0;", 1, "expected ',' or '}', not ';'");
    expect_body_error("@5 ret;", 1, "a guard is a predicate register");
    expect_body_error("@%p0 5;", 1, "expected an instruction, not '5'");
    expect_body_error("mma.sync %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0;", 1, "'mma.sync' has more than 8 operands");
    expect_error(".entry k() {", 1, "expected an instruction, not the end of the text");
    expect_error(".entry k(", 1, "expected a parameter, not the end of the text");
    expect_error(".entry k() ret;", 1, "expected '{' or ';', not 'ret'");
    expect_error(".entry () { }", 1, "expected the name of a function, not '('");
    expect_error(".section .debug_info { .b8 1", 1, "expected '}', not the end of the text");
}

static void check_head(const char *text, const char *message)
{
    struct ptx_error err;

    assert_null(ptx_parse(text, strlen(text), &err));
    assert_string_equal(err.text, message);
}

static void a_module_begins_with_version_and_target(void **state)
{
    (void)state;
    check_head("", "expected .version, not the end of the text");
    check_head(".entry k() {}", "expected .version, not '.entry'");
    check_head(".version 9", "expected a version such as 8.7, not '9'");
    check_head(".version 9.0", "expected .target, not the end of the text");
    check_head(".version 9.0 .target gfx900", "unknown target 'gfx900'");
    check_head(".version 9.0 .target sm_x", "unknown target 'sm_x'");
    check_head(".version 9.0 .target sm_90 .address_size 32", "addresses of 32 bits: only 64 are supported");
    assert_null(ptx_parse(NULL, 0, &(struct ptx_error){ 0 }));
}

/* count times the piece, between head and tail. */
static void check_repeated(const char *head, const char *piece, size_t count, const char *tail, const char *message)
{
    size_t size = strlen(head) + count * strlen(piece) + strlen(tail), at;
    char *text = malloc(size + 1);

    assert_non_null(text);
    at = (size_t)sprintf(text, "%s", head);
    for (size_t i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, "%s", piece);
    sprintf(text + at, "%s", tail);
    if (message)
        expect_body_error(text, 0, message);
    else
        ptx_module_destroy(parse_body(text));
    free(text);
}

static void depth_and_length_are_bounded(void **state)
{
    (void)state;
    check_repeated("", "{", 99, "ret;} } } } } } } }", "expected an instruction, not the end of the text");
    check_repeated("", "{", 100, "", "more than 100 scopes inside each other");
    check_repeated("mov.b32 %r0, ", "-", 98, "1;", NULL);
    check_repeated("mov.b32 %r0, ", "-", 100000, "1;", "an expression nested so deep");
    check_repeated("mov.b32 %r0, ", "(", 100000, "", "an expression nested so deep");
    check_repeated("mov.b32 %r0, ", "1 ? 1 : ", 100000, "1;", "an expression nested so deep");
    check_repeated("mov.b32 {%r0", ", %r1", 255, "}, %r0;", NULL);
    check_repeated("mov.b32 {%r0", ", %r1", 256, "}, %r0;", "more than 256 elements");
    check_repeated("mov.f32 %f0, 0.", "1", 200, ";", "a number of so many digits");
    check_repeated("add.u32", ".u32", 5, " %r0, %r1;", "'add.u32.u32.u32.u32.u32.u32' has too many types");
    check_repeated(".local .b8 y", "[1]", 9, ";", "'y' has more than 8 dimensions");
    check_repeated(".reg .b32 y<16777217>", "", 0, ";", "more than 16777216 registers");
}

static void messages_fit_whatever_they_name(void **state)
{
    struct ptx_error err;
    size_t size = 100000;
    char *text = malloc(size);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, ".version ", 9);
    assert_null(ptx_parse(text, size, &err));
    assert_true(strlen(err.text) < sizeof(err.text));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_words_are_named_with_their_line),
        cmocka_unit_test(undeclared_names_are_named),
        cmocka_unit_test(names_are_declared_once),
        cmocka_unit_test(syntax_errors_say_what_was_expected),
        cmocka_unit_test(a_module_begins_with_version_and_target),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(messages_fit_whatever_they_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
