/* variables.c - declarations of variables and their initialisers. */
#include "text.h"

static const struct ptx_var *var(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nvars; i++)
        if (!strcmp(m->vars[i].name, name))
            return &m->vars[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static void check_bytes(const struct ptx_var *v, size_t size, const char *bytes)
{
    assert_int_equal(v->size, size);
    assert_non_null(v->init);
    assert_memory_equal(v->init, bytes, size);
}

static void sizes_and_alignments_follow_the_type(void **state)
{
    struct ptx_module *m = parse_module(
        ".global .u32 a; .visible .global .align 16 .b8 b[100]; .const .f64 c[2][3]; .global .v4 .f32 d; "
        ".weak .global .u64 e, f[4];"
        ".shared .align 8 .b8 g[8]; .global .attribute(.managed) .align 4 .u32 h; .const[2] .s16 i; "
        ".common .global .u32 j; .local .u8 l[3];");

    (void)state;
    assert_true(var(m, "a")->size == 4 && var(m, "a")->align == 4 && var(m, "a")->linkage == PTX_INTERNAL);
    assert_true(var(m, "b")->size == 100 && var(m, "b")->align == 16 && var(m, "b")->linkage == PTX_VISIBLE);
    assert_true(var(m, "c")->size == 48 && var(m, "c")->space == PTX_CONST && var(m, "c")->type == PTX_F64);
    assert_true(var(m, "d")->size == 16 && var(m, "d")->align == 16);
    assert_true(var(m, "f")->size == 32 && var(m, "f")->linkage == PTX_WEAK && var(m, "e")->size == 8);
    assert_true(var(m, "g")->space == PTX_SHARED && !var(m, "g")->extern_shared);
    assert_true(var(m, "h")->managed && !var(m, "a")->managed);
    assert_int_equal(var(m, "i")->size, 2);
    assert_int_equal(var(m, "j")->linkage, PTX_COMMON);
    assert_int_equal(var(m, "l")->space, PTX_LOCAL);
    assert_null(var(m, "a")->init);
    ptx_module_destroy(m);
}

static void dynamic_shared_memory_has_no_size(void **state)
{
    struct ptx_module *m = parse_module(".extern .shared .align 16 .b8 s[]; .entry k() { .extern .shared .f32 t[]; "
        ".reg .b32 %r; mov.u32 %r, t; }");

    (void)state;
    assert_true(var(m, "s")->extern_shared && var(m, "s")->size == 0 && var(m, "s")->align == 16);
    assert_true(var(m, "t")->extern_shared);
    assert_int_equal(m->funcs[0].nvars, 0);
    assert_int_equal(m->funcs[0].insns[0].ops[1].kind, PTX_OP_VAR);
    ptx_module_destroy(m);
}

static void numbers_are_little_endian_bytes(void **state)
{
    struct ptx_module *m = parse_module(
        ".global .u32 a = 0x01020304; .global .b8 b[6] = {1, 2, -1}; .global .u16 c[] = {1, 0xFFFF, (1<<4)|3};"
        ".global .f32 d[3] = {0f3F800000, 1.5, 2}; .global .f64 e[2] = {0d3FF0000000000000, 0f3F800000}; .global .b64 f = -2;"
        ".const .v2 .u8 g[2] = {{1, 2}, {3, 4}}; .global .b32 h[1] = {0f3F800000}; .global .s8 z[2] = {};");

    (void)state;
    check_bytes(var(m, "a"), 4, "\4\3\2\1");
    check_bytes(var(m, "b"), 6, "\1\2\xff\0\0\0");
    check_bytes(var(m, "c"), 6, "\1\0\xff\xff\x13\0");
    check_bytes(var(m, "d"), 12, "\0\0\x80\x3f\0\0\xc0\x3f\0\0\0\x40");
    check_bytes(var(m, "e"), 16, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf0\x3f");
    check_bytes(var(m, "f"), 8, "\xfe\xff\xff\xff\xff\xff\xff\xff");
    check_bytes(var(m, "g"), 4, "\1\2\3\4");
    check_bytes(var(m, "h"), 4, "\0\0\x80\x3f");
    check_bytes(var(m, "z"), 2, "\0\0");
    ptx_module_destroy(m);
}

static void nested_braces_fill_rows(void **state)
{
    struct ptx_module *m = parse_module(".global .u8 a[2][3] = {{1, 2}, {3}}; .global .u8 b[][2] = {{1}, {2, 3}, "
        "{4}}; .global .u8 c[2][2] = {1, 2, 3, 4};");

    (void)state;
    check_bytes(var(m, "a"), 6, "\1\2\0\3\0\0");
    check_bytes(var(m, "b"), 6, "\1\0\2\3\4\0");
    check_bytes(var(m, "c"), 4, "\1\2\3\4");
    ptx_module_destroy(m);
}

static void addresses_are_relocations(void **state)
{
    struct ptx_module *m = parse_module(
        ".global .u32 g; .const .u32 c; .func f() { ret; }"
        ".global .u64 p[5] = {g, g+8, generic(c), generic(c)+4, f}; .global .u64 q = generic(g)+1; .global .u32 s = g;"
        ".global .b8 t[9] = {1, 0xFF(g), 0xFF00(g), 0xFF00000000000000(generic(g)), 0xff(f)};");
    const struct ptx_var *p = var(m, "p"), *t = var(m, "t");

    (void)state;
    assert_int_equal(p->nrelocs, 5);
    assert_true(p->relocs[1].offset == 8 && p->relocs[1].size == 8 && p->relocs[1].index == 0 && p->relocs[1].addend == 8);
    assert_false(p->relocs[1].generic);
    assert_true(p->relocs[3].generic && p->relocs[3].index == 1 && p->relocs[3].addend == 4);
    assert_true(p->relocs[4].is_func && p->relocs[4].index == 0);
    assert_true(m->funcs[0].address_taken);
    assert_int_equal(var(m, "q")->relocs[0].addend, 1);
    assert_int_equal(var(m, "s")->relocs[0].size, 4);
    assert_int_equal(t->nrelocs, 4);
    assert_true(t->relocs[1].offset == 2 && t->relocs[1].size == 1 && t->relocs[1].shift == 8);
    assert_true(t->relocs[2].shift == 56 && t->relocs[2].generic);
    assert_int_equal(t->init[0], 1);
    ptx_module_destroy(m);
}

static void a_definition_takes_the_place_of_its_extern_declaration(void **state)
{
    struct ptx_module *m = parse_module(".extern .global .u32 a[4]; .visible .global .u32 a[4] = {7}; "
        ".extern .global .u32 a[4]; .extern .const .u32 b;");

    (void)state;
    assert_int_equal(m->nvars, 2);
    assert_int_equal(m->vars[0].linkage, PTX_VISIBLE);
    assert_int_equal(m->vars[0].init[0], 7);
    assert_int_equal(m->vars[1].linkage, PTX_EXTERN);
    ptx_module_destroy(m);
}

static void references_are_variables_without_bytes(void **state)
{
    struct ptx_module *m = parse_module(".global .texref t; .global .surfref s[2]; .global .samplerref q = { "
        "addr_mode_0 = wrap, filter_mode = linear };");

    (void)state;
    assert_int_equal(var(m, "t")->type, PTX_TEXREF);
    assert_int_equal(var(m, "s")->size, 16);
    assert_null(var(m, "q")->init);
    ptx_module_destroy(m);
}

static void variables_of_a_function_are_its_own(void **state)
{
    struct ptx_module *m = parse_module(
        ".entry k() { .local .align 16 .b8 depot[64]; .shared .f32 s[32]; { .local .u32 depot; .reg .b64 %d; "
        "mov.u64 %d, depot; } .global .u32 once = 5; }");
    const struct ptx_func *f = &m->funcs[0];

    (void)state;
    assert_int_equal(f->nvars, 3);
    assert_true(f->vars[0].align == 16 && f->vars[0].size == 64 && f->vars[1].space == PTX_SHARED);
    assert_int_equal(f->insns[0].ops[1].index, 2);
    assert_int_equal(var(m, "once")->init[0], 5);
    ptx_module_destroy(m);
}

static void bad_variables_are_named(void **state)
{
    (void)state;
    expect_error(".global .u32 x;\n.global .u32 x;", 2, "'x' is declared twice");
    expect_error(".global .b8 x[99999999999999];", 1, "'x' is too large");
    expect_error(".global .b64 x[0x4000000000000000][16];", 1, "'x' is too large");
    expect_error(".global .b8 x[18446744073709551615U];", 1, "'x' is too large");
    expect_error(".global .b8 x[1000000000] = {1};", 1, "more than 268435456 initialised bytes");
    expect_error(".global .b8 x[-1];", 1, "the size of an array is a whole number, not negative");
    expect_error(".global .b8 x[];", 1, "'x' has no size");
    expect_error(".global .b8 x[2][];", 1, "only the first dimension of 'x' may be left open");
    expect_error(".global .pred x;", 1, "a variable of type .pred");
    expect_error(".global .b8 x[2] = {1, 2, 3};", 1, "too many values for 'x'");
    expect_error(".global .b8 x[2] = {{1}};", 1, "too many braces for 'x'");
    expect_error(".global .b8 x[2][2] = {{1, 2, 3}};", 1, "too many values for 'x'");
    expect_error(".global .b8 x[2] = 1;", 1, "expected '{', not '1'");
    expect_error(".global .u64 x = y;", 1, "'y' is not declared");
    expect_error(".global .u32 x = 1.5;", 1, "a floating-point value for 'x' of type .u32");
    expect_error(".global .b8 x = 0x0FF0(x);", 1, "a mask of an address selects one byte of it");
    expect_error(".shared .b8 x = 1;", 1, "'x' cannot be initialised in .shared");
    expect_error(".global .align 3 .b8 x;", 1, "an alignment is a power of two, at most 65536");
    expect_error(".global x;", 1, "expected a type, not 'x'");
    expect_error(".reg .b32 %r;", 1, "registers outside a function");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_alignments_follow_the_type),
        cmocka_unit_test(dynamic_shared_memory_has_no_size),
        cmocka_unit_test(numbers_are_little_endian_bytes),
        cmocka_unit_test(nested_braces_fill_rows),
        cmocka_unit_test(addresses_are_relocations),
        cmocka_unit_test(a_definition_takes_the_place_of_its_extern_declaration),
        cmocka_unit_test(references_are_variables_without_bytes),
        cmocka_unit_test(variables_of_a_function_are_its_own),
        cmocka_unit_test(bad_variables_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
