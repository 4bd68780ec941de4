/* join.c - several texts as one: what a linker of PTX promises, name by name. */
#include "text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "softcuda/ptx/join.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define MOST 4

static const char *const names[MOST] = { "a", "b", "c", "d" };
static char error[4096];

static bool is_provided(const char *name)
{
    return !strcmp(name, "vprintf");
}

/* The texts joined; those from `optional` on are a library's. NULL: error says why not. To be freed. */
static char *join_from(size_t optional, const char *const *texts)
{
    struct ptx_source sources[MOST];
    char *out = NULL;
    size_t n = 0, size;

    for (; n < MOST && texts[n]; n++)
        sources[n] = (struct ptx_source){ texts[n], strlen(texts[n]), names[n], n >= optional };
    if (ptx_join(sources, n, is_provided, &out, &size, error, sizeof(error)))
        return NULL;
    assert_int_equal(size, strlen(out));
    return out;
}

#define JOIN(...) join_from(MOST, (const char *const[MOST + 1]){ __VA_ARGS__ })

static struct ptx_module *joined_from(size_t optional, const char *const *texts)
{
    char *text = join_from(optional, texts);
    struct ptx_error err;
    struct ptx_module *m;

    if (!text)
        fail_msg("%s", error);
    m = ptx_parse(text, strlen(text), &err);
    if (!m)
        fail_msg("%u: %s in:\n%s", err.pos.line, err.text, text);
    free(text);
    return m;
}

#define JOINED(...) joined_from(MOST, (const char *const[MOST + 1]){ __VA_ARGS__ })
#define FAILS(text, ...) \
    do { \
        assert_null(JOIN(__VA_ARGS__)); \
        assert_string_equal(error, text); \
    } while (0)

static const struct ptx_var *variable(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nvars; i++)
        if (!strcmp(m->vars[i].name, name))
            return &m->vars[i];
    return NULL;
}

static uint32_t first_word(const struct ptx_module *m, const char *name)
{
    uint32_t word = 0;

    assert_non_null(variable(m, name));
    assert_non_null(variable(m, name)->init);
    memcpy(&word, variable(m, name)->init, 4);
    return word;
}

static const struct ptx_func *function(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (!strcmp(m->funcs[i].name, name))
            return &m->funcs[i];
    return NULL;
}

static void a_text_alone_stays_what_it_is(void **state)
{
    struct ptx_module *m = JOINED(HEAD ".global .u32 x = 5;\n.visible .entry k(.param .u64 p) .maxntid 32, 1, 1 {ret;}\n");

    (void)state;
    assert_int_equal(m->version, 75);
    assert_int_equal(m->target, 75);
    assert_int_equal(first_word(m, "x"), 5);
    assert_int_equal(function(m, "k")->maxntid[0], 32);
    ptx_module_destroy(m);
}

static void the_newest_version_and_target_hold_for_all(void **state)
{
    struct ptx_module *m = JOINED(".version 7.8 .target sm_90a, debug .address_size 64", ".version 8.1 .target sm_80",
        ".version 8.0\n.target sm_90\n");

    (void)state;
    assert_int_equal(m->version, 81);
    assert_int_equal(m->target, 90);
    assert_int_equal(m->target_suffix, 'a');
    assert_false(m->debug);
    ptx_module_destroy(m);
}

static void names_of_no_linkage_stay_apart(void **state)
{
    static const char text[] = HEAD ".global .u32 x = %d;\n.func f() {.reg .u32 %%r; ld.global.u32 %%r, [x]; ret;}\n";
    char one[256], other[256];
    struct ptx_module *m;

    (void)state;
    snprintf(one, sizeof(one), text, 1);
    snprintf(other, sizeof(other), text, 2);
    m = JOINED(one, other, HEAD ".visible .global .u32 x$1 = 3;\n.visible .func f$1() {ret;}\n");
    assert_int_equal(first_word(m, "x"), 1);
    assert_int_equal(first_word(m, "x$1"), 3);
    assert_int_equal(first_word(m, "x$2"), 2);
    assert_int_equal(function(m, "f")->insns[0].ops[1].index, variable(m, "x") - m->vars);
    assert_int_equal(function(m, "f$2")->insns[0].ops[1].index, variable(m, "x$2") - m->vars);
    ptx_module_destroy(m);
}

static void a_local_name_gives_way_to_a_shared_one(void **state)
{
    struct ptx_module *m = JOINED(HEAD ".global .u32 x = 1;\n", HEAD ".visible .global .u32 x = 2;\n");

    (void)state;
    assert_int_equal(first_word(m, "x"), 2);
    assert_int_equal(first_word(m, "x$1"), 1);
    ptx_module_destroy(m);
}

static void each_name_of_a_statement_counts(void **state)
{
    struct ptx_module *m = JOINED(HEAD ".global .align 8 .u32 x = 1, y[3] = {7, 8}, z;\n.extern .const .u32 c, d;\n"
                                       ".visible .global .u64 use[2] = {c, d};\n",
        HEAD ".global .u32 y = 2;\n.visible .const .u32 c = 3, d = 4;\n");

    (void)state;
    assert_int_equal(first_word(m, "x"), 1);
    assert_int_equal(variable(m, "y")->size, 12);
    assert_int_equal(variable(m, "y")->align, 8);
    assert_int_equal(first_word(m, "y$1"), 2);
    assert_int_equal(first_word(m, "c"), 3);
    assert_int_equal(first_word(m, "d"), 4);
    assert_int_equal(variable(m, "use")->nrelocs, 2);
    ptx_module_destroy(m);
}

static void definitions_may_come_in_any_order(void **state)
{
    static const char table[] = HEAD
        ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .u64 other[1];\n.visible .global .u64 table[2] = {f, other};\n";
    static const char f[] = HEAD
        ".extern .global .u64 table[2];\n.visible .global .u64 other[1] = {table};\n"
        ".visible .func (.param .b32 r) f(.param .b32 x) {ret;}\n";

    (void)state;
    for (int order = 0; order < 2; order++) {
        struct ptx_module *m = JOINED(order ? f : table, order ? table : f);

        assert_int_equal(variable(m, "table")->nrelocs, 2);
        assert_int_equal(variable(m, "other")->nrelocs, 1);
        assert_false(function(m, "f")->declared_only);
        assert_int_equal(variable(m, "table")->linkage, PTX_VISIBLE);
        ptx_module_destroy(m);
    }
}

static void a_weak_definition_is_taken_once_and_gives_way(void **state)
{
    static const char weak[] = HEAD ".weak .global .u32 x = 1;\n.weak .entry k() {ret;}\n.weak .func f() {ret;}\n";
    struct ptx_module *m = JOINED(weak, weak, HEAD ".visible .global .u32 x = 3;\n.visible .func f() {exit; ret;}\n");

    (void)state;
    assert_int_equal(first_word(m, "x"), 3);
    assert_int_equal(m->nvars, 1);
    assert_int_equal(function(m, "f")->ninsns, 2);
    assert_int_equal(function(m, "k")->ninsns, 1);
    assert_int_equal(m->nfuncs, 2);
    ptx_module_destroy(m);
}

static void the_largest_common_variable_is_taken(void **state)
{
    struct ptx_module *m = JOINED(HEAD ".common .global .u32 x[2];\n", HEAD ".common .global .u32 x[5];\n.common .global .u32 y;\n",
        HEAD ".extern .global .u32 y;\n.visible .global .u64 use = y;\n", HEAD ".visible .global .u32 y = 4;\n");

    (void)state;
    assert_int_equal(variable(m, "x")->size, 20);
    assert_int_equal(first_word(m, "y"), 4);
    ptx_module_destroy(m);
}

static void dynamic_shared_memory_is_one_with_the_widest_alignment(void **state)
{
    static const char text[] = HEAD ".extern .shared .align %d .b8 s[];\n.entry %s() {.reg .u32 %%r; mov.u32 %%r, s; ret;}\n";
    char one[256], other[256];
    struct ptx_module *m;

    (void)state;
    snprintf(one, sizeof(one), text, 4, "k");
    snprintf(other, sizeof(other), text, 16, "l");
    m = JOINED(one, other);
    assert_int_equal(m->nvars, 1);
    assert_true(variable(m, "s")->extern_shared);
    assert_int_equal(variable(m, "s")->size, 0);
    assert_int_equal(variable(m, "s")->align, 16);
    ptx_module_destroy(m);
}

static void an_alias_is_what_it_stands_for(void **state)
{
    struct ptx_module *m = JOINED(
        HEAD ".extern .func g();\n.visible .entry k() {call.uni g, (); ret;}\n",
        HEAD ".visible .func f();\n.visible .func g();\n.visible .func f() {exit; ret;}\n.alias g, f;\n");

    (void)state;
    assert_int_equal(function(m, "g")->ninsns, 2);
    ptx_module_destroy(m);
}

static void lines_stay_those_of_their_files(void **state)
{
    struct ptx_module *m = JOINED(
        HEAD ".visible .entry k() {.loc 1 5 3\nret;}\n.file 1 \"one.cu\"\n.file 2 \"two.cu\"\n.section .debug_str {\n$L__info_string0:\n.b8 0\n}\n",
        HEAD ".visible .entry l() {.loc 1 7 3, function_name $L__info_string0, inlined_at 1 2 3\nret;}\n.file 1 \"three.cu\", 12, 34\n"
             ".section .debug_str {\n$L__info_string0:\n.b8 0\n}\n");

    (void)state;
    assert_int_equal(function(m, "k")->insns[0].loc_line, 5);
    assert_string_equal(m->files[function(m, "k")->insns[0].loc_file], "one.cu");
    assert_int_equal(function(m, "l")->insns[0].loc_line, 7);
    assert_string_equal(m->files[function(m, "l")->insns[0].loc_file], "three.cu");
    ptx_module_destroy(m);
}

static void only_what_is_used_must_be_there(void **state)
{
    struct ptx_module *m = JOINED(HEAD
        ".extern .func unused();\n.extern .global .u32 unused_too;\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".entry k() {{.param .b64 f; .param .b64 a; .param .b32 r; call.uni (r), vprintf, (f, a);} ret;}\n");

    (void)state;
    assert_null(function(m, "unused"));
    assert_null(variable(m, "unused_too"));
    assert_true(function(m, "vprintf")->declared_only);
    ptx_module_destroy(m);
    FAILS("undefined reference to 'f' in 'b'\nundefined reference to 'x' in 'b'\nundefined reference to 's' in 'c'",
        HEAD ".extern .func f();\n",
        HEAD ".extern .func f();\n.extern .global .u32 x;\n.entry k() {.reg .b64 %d; call.uni f, (); mov.u64 %d, x; ret;}\n",
        HEAD ".extern .const .u32 s;\n.global .u64 use = s;\n");
}

static void of_a_library_only_what_is_missing_is_taken(void **state)
{
    static const char *const texts[MOST + 1] = {
        HEAD ".extern .func f();\n.entry k() {call.uni f, (); ret;}\n",
        HEAD ".visible .global .u32 nobody = 1;\n.visible .func f$not() {ret;}\n",
        HEAD ".visible .func g() {ret;}\n.visible .global .u32 x = 2;\n",
        HEAD ".extern .func g();\n.visible .func f() {call.uni g, (); ret;}\n",
    };
    struct ptx_module *m = joined_from(1, texts);

    (void)state;
    assert_non_null(function(m, "f"));
    assert_non_null(function(m, "g"));
    assert_int_equal(first_word(m, "x"), 2);
    assert_null(variable(m, "nobody"));
    ptx_module_destroy(m);
}

static void what_contradicts_is_named_with_both_places(void **state)
{
    (void)state;
    FAILS("'f' is defined more than once: in 'a' and in 'b'\n'x' is defined more than once: in 'a' and in 'b'",
        HEAD ".visible .func f() {ret;}\n.visible .global .u32 x;\n", HEAD ".visible .func f() {ret;}\n.visible .global .u32 x = 1;\n");
    FAILS("'x' is declared as .global in 'a' and as .const in 'b'", HEAD ".extern .global .u32 x;\n", HEAD ".visible .const .u32 x = 1;\n");
    FAILS("'x' is declared as .func in 'a' and as .const in 'b'", HEAD ".extern .func x();\n", HEAD ".visible .const .u32 x = 1;\n");
    FAILS("'x' is declared as .func in 'a' and as .entry in 'b'", HEAD ".extern .func x();\n", HEAD ".visible .entry x() {ret;}\n");
    FAILS("'x' has 8 bytes in 'a' and 16 in 'b'", HEAD ".extern .global .b8 x[8];\n", HEAD ".visible .global .u32 x[4] = {1};\n");
    FAILS("'f' has other parameters or results in 'a' than in 'b'", HEAD ".extern .func f(.param .b32 x);\n",
        HEAD ".visible .func f(.param .b64 x) {ret;}\n");
    FAILS("'f' has other parameters or results in 'a' than in 'b'", HEAD ".extern .func (.param .b32 x) f();\n",
        HEAD ".visible .func f(.param .b32 x) {ret;}\n");
}

static void a_variable_may_be_declared_as_bytes(void **state)
{
    struct ptx_module *m = JOINED(HEAD ".extern .global .align 8 .b8 x[16];\n.extern .global .b8 y[];\n.visible .global .u64 u[2] = {x, y};\n",
        HEAD ".visible .global .align 8 .u64 x[2] = {7};\n.visible .global .b8 y[3] = {1};\n");

    (void)state;
    assert_int_equal(first_word(m, "x"), 7);
    assert_int_equal(variable(m, "y")->size, 3);
    ptx_module_destroy(m);
}

static void what_cannot_be_read_is_told_with_its_line(void **state)
{
    (void)state;
    FAILS("'b', line 1: expected .version, which PTX begins with", HEAD, "hello");
    FAILS("'a', line 5: expected the end of a function", HEAD ".entry k() {ret;\n");
    FAILS("'a', line 4: expected ';' behind a variable", HEAD ".global .u32 x = {1");
    FAILS("'a', line 4: expected a function or a variable", HEAD "what is this\n");
    FAILS("'a', line 5: a string without an end", HEAD "\n.file 1 \"x");
    FAILS("'a', line 3: expected an address size of 64", ".version 7.0\n.target sm_70\n.address_size 32\n");
    FAILS("'a', line 1: expected a version such as 8.7", ".version 7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_alone_stays_what_it_is),
        cmocka_unit_test(the_newest_version_and_target_hold_for_all),
        cmocka_unit_test(names_of_no_linkage_stay_apart),
        cmocka_unit_test(a_local_name_gives_way_to_a_shared_one),
        cmocka_unit_test(each_name_of_a_statement_counts),
        cmocka_unit_test(definitions_may_come_in_any_order),
        cmocka_unit_test(a_weak_definition_is_taken_once_and_gives_way),
        cmocka_unit_test(the_largest_common_variable_is_taken),
        cmocka_unit_test(dynamic_shared_memory_is_one_with_the_widest_alignment),
        cmocka_unit_test(an_alias_is_what_it_stands_for),
        cmocka_unit_test(lines_stay_those_of_their_files),
        cmocka_unit_test(only_what_is_used_must_be_there),
        cmocka_unit_test(of_a_library_only_what_is_missing_is_taken),
        cmocka_unit_test(what_contradicts_is_named_with_both_places),
        cmocka_unit_test(a_variable_may_be_declared_as_bytes),
        cmocka_unit_test(what_cannot_be_read_is_told_with_its_line),
    };

    return cmocka_run_group_tests_name("ptx.join", tests, NULL, NULL);
}
