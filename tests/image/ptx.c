/* The scanner of PTX declarations. */
#include "tests/image/help.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static struct opened open_text(const char *text)
{
    struct opened o = open_bytes(bytes_of(text, strlen(text)));

    if (o.error)
        fail_msg("%s", o.text);
    return o;
}

static void assert_one_kernel(const char *text, const char *expected)
{
    struct opened o = open_text(text);

    assert_int_equal(count_kernels(&o, 0), 1);
    assert_kernel(&o, 0, expected);
    close_opened(&o);
}

static void assert_one_global(const char *statement, const char *name, uint64_t size)
{
    char text[512];
    struct opened o;

    snprintf(text, sizeof(text), HEAD "%s", statement);
    o = open_text(text);
    assert_int_equal(count_globals(&o, 0), 1);
    assert_global(&o, 0, name, size, strstr(statement, ".const") != NULL, strstr(statement, ".managed") != NULL);
    close_opened(&o);
}

static void assert_scan_refused(const char *text, enum image_error error, const char *part)
{
    struct opened o = open_text(text);
    const struct image_kernel *k;
    size_t n;

    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), error);
    assert_contains(o.text, part);
    close_opened(&o);
}

static void header_in_any_layout(void **state)
{
    static const struct { const char *text; unsigned version, sm; char suffix; bool is_64bit, debug; } cases[] = {
        { ".version 9.0 .target  sm_90 ,  texmode_independent .address_size 64 .visible .entry k(){ret;}", 90, 90, 0, true,
            false },
        { "// .version 1.0\r\n/* .version 2.0 */ .version 7.8\r\n.target sm_80\r\n", 78, 80, 0, true, false },
        { ".version 8.6\n.target compute_100a\n", 86, 100, 'a', true, false },
        { ".version 8.8\n.target sm_100f, debug\n", 88, 100, 'f', true, true },
        { ".version 9.0\n.target sm_80, sm_90\n", 90, 90, 0, true, false },
        { ".version 9.0\n.target sm_90\n.target sm_80\n.address_size 32\n", 90, 90, 0, false, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o = open_text(cases[i].text);
        const struct image_entry *e = gpudl__image_entry(o.image, 0);

        assert_int_equal(e->ptx_version, cases[i].version);
        assert_int_equal(e->sm, cases[i].sm);
        assert_int_equal(e->suffix, cases[i].suffix);
        assert_int_equal(e->is_64bit, cases[i].is_64bit);
        assert_int_equal(e->debug, cases[i].debug);
        close_opened(&o);
    }
}

static void bad_headers_say_what_is_expected(void **state)
{
    (void)state;
    assert_text_refused(".version 9\n.target sm_90\n", IMAGE_DAMAGED, "line 1: a version such as 9.0 is expected, found '9'");
    assert_text_refused(".version 9.0\n.visible ", IMAGE_DAMAGED, "line 2: the directive .target is expected, found 'visible'");
    assert_text_refused(".version 9.0\n.target debug\n", IMAGE_DAMAGED, "names no architecture");
    assert_text_refused(".version 9.0\n.target 90\n", IMAGE_DAMAGED, "a target such as sm_90");
    assert_text_refused(".version 9.0\n.target sm_90\n.address_size 16\n", IMAGE_DAMAGED,
        "address size of 32 or 64 is expected, found '16'");
    assert_text_refused(".version", IMAGE_TRUNCATED, "cut off");
    assert_text_refused(".version 9.0\n", IMAGE_TRUNCATED, "cut off");
    assert_text_refused(".version 9.0 /* and", IMAGE_TRUNCATED, "does not end");
}

static void text_ends_at_its_first_nul(void **state)
{
    static const char text[] = HEAD ".entry a(){ret;}\0.entry b(){ret;}";
    struct opened o = open_bytes(bytes_of(text, sizeof(text)));

    (void)state;
    assert_int_equal(count_kernels(&o, 0), 1);
    assert_kernel(&o, 0, "a =0");
    close_opened(&o);
}

static void every_form_of_parameter(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".entry k(){ret;}", "k =0");
    assert_one_kernel(HEAD ".entry k {ret;}", "k =0");
    assert_one_kernel(HEAD ".visible .entry k(.param .u32 a, .param .u64 b){}", "k 0+4 8+8 =16");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .s16 b, .param .b32 c, .param .f64 d, .param .b128 e){}",
        "k 0+1 2+2 4+4 8+8 16+16 =32");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .align 16 .u32 n){}", "k 0+1 16+4 =20");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .align 64 .b8 n[64]){}", "k 0+1 64+64 =128");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .u64 .ptr .align 1 n){}", "k 0+1 8+8 =16");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 n){}", "k 0+1 8+8 =16");
    assert_one_kernel(HEAD ".entry k(.param .u8 a, .param .u32 n[3]){}", "k 0+1 4+12 =16");
    assert_one_kernel(HEAD ".entry k(.param .b8 n[0x10]){}", "k 0+16 =16");
    assert_one_kernel(HEAD ".entry k(.param .f16 a, .param .f16x2 b){}", "k 0+2 4+4 =8");
    assert_one_kernel(HEAD ".entry k // name\n ( /* list */ .param /**/ .u32 // type\n a ) { }", "k 0+4 =4");
}

static void parameters_that_no_compiler_takes_are_unknown(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".entry k(.param .v4 .f32 a){}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param .pred a){}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param .u32 a[]){}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param a){}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param .u32 a[0]){}", "k ?");
}

static void directives_and_bodies_are_stepped_over(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".entry k(.param .u32 a) .maxntid 256, 1, 1 .minnctapersm 2 .pragma \"x{\"; {}", "k 0+4 =4");
}

static void declarations_are_not_kernels(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".visible .entry k(.param .u32 a);\n.visible .entry k(.param .u32 a) { ret; }", "k 0+4 =4");
    assert_one_kernel(HEAD ".extern .entry other(.param .u32 a);\n.entry k() { ret; }", "k =0");
    assert_one_kernel(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.entry k() { ret; }", "k =0");
}

static void bodies_hold_no_declarations(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".entry k() { { .param .b32 p; call (p), f, (p); } // }\n /* } */ .pragma \"}\"; .shared .b8 s[4]; }\n"
        ".func f(.param .b64 .ptr .global .align 4 x) { .global .u32 in_f; ret; }\n"
        ".section .debug_str { a: .b8 1 }\n.file 1 \"a.cu\"\n", "k =0");
}

static void variables_and_their_sizes(void **state)
{
    (void)state;
    assert_one_global(".global .align 4 .u32 counter;", "counter", 4);
    assert_one_global(".visible .const .align 4 .b8 lut[32] = {1, 2, 3};", "lut", 32);
    assert_one_global(".global .attribute(.managed) .align 4 .u32 mval = 3;", "mval", 4);
    assert_one_global(".weak .global .f32 m[2][3];", "m", 24);
    assert_one_global(".global .v4 .f32 b[2];", "b", 32);
    assert_one_global(".common .global .align 8 .b8 c[24];", "c", 24);
    assert_one_global(".global .u64 t[4] = {_Z6helperiPi, generic(a), 0f3F800000};", "t", 32);
    assert_one_global(".global .b8 s[] = {1, 2, 3};", "s", 3);
    assert_one_global(".global .b16 s[][2] = {{1, 2}, {3, 4}, {5, 6}};", "s", 12);
    assert_one_global(".extern .global .u32 elsewhere;\n.global .u32 here;", "here", 4);
    assert_one_global(".global .texref tex;\n.global .u32 here;", "here", 4);
    assert_one_global(".shared .b8 block[4];\n.extern .shared .align 16 .b8 dyn[];\n.global .u32 here;", "here", 4);
    assert_one_global(".global .align 1 .b8 $str[4] = {37, 100, 10};\n.global .u32 here;", "here", 4);
}

static void several_variables_in_one_statement(void **state)
{
    struct opened o = open_text(HEAD ".global .u32 a, b[3] = {1, 2}, c;");

    (void)state;
    assert_int_equal(count_globals(&o, 0), 3);
    assert_global(&o, 0, "a", 4, false, false);
    assert_global(&o, 0, "b", 12, false, false);
    assert_global(&o, 0, "c", 4, false, false);
    close_opened(&o);
}

static void what_overflows_is_named(void **state)
{
    (void)state;
    assert_scan_refused(HEAD ".global .b8 b[99999999999999999999];", IMAGE_DAMAGED, "line 4: the declaration of 'b' overflows");
    assert_scan_refused(HEAD ".global .b64 b[4000000000][4000000000];", IMAGE_DAMAGED, "declaration of 'b' overflows");
    assert_scan_refused(HEAD ".entry k(.param .b8 b[99999999999999]) {}", IMAGE_DAMAGED, "declaration of 'b' overflows");
    assert_scan_refused(HEAD ".entry k(.param .u8 a, .param .align 0x8000000000000000 .u8 b) {}", IMAGE_DAMAGED,
        "declaration of 'b' overflows");
}

static void what_does_not_end_is_named(void **state)
{
    (void)state;
    assert_scan_refused(HEAD ".entry k() { ret;", IMAGE_TRUNCATED, "ends inside the body of kernel 'k'");
    assert_scan_refused(HEAD ".entry k() { { ret; }", IMAGE_TRUNCATED, "ends inside the body of kernel 'k'");
    assert_scan_refused(HEAD ".entry k(.param .u32", IMAGE_TRUNCATED, "cut off");
    assert_scan_refused(HEAD ".entry k() .maxntid 3", IMAGE_TRUNCATED, "ends inside the head of kernel 'k'");
    assert_scan_refused(HEAD ".entry k() { \n/* ret; }", IMAGE_TRUNCATED, "comment or string that begins on line 5 does not end");
    assert_scan_refused(HEAD ".entry k() { .pragma \"x; }", IMAGE_TRUNCATED, "begins on line 4 does not end");
    assert_scan_refused(HEAD ".global .b8 s[2] = {1,", IMAGE_TRUNCATED, "ends inside the declaration of 's'");
    assert_scan_refused(HEAD ".func f() {", IMAGE_TRUNCATED, "cut off");
}

static void what_cannot_be_stepped_over_is_named(void **state)
{
    (void)state;
    assert_scan_refused(HEAD ".entry () {}", IMAGE_DAMAGED, "line 4: the name of a kernel is expected, found '('");
    assert_scan_refused(HEAD ".global .u32; ", IMAGE_DAMAGED, "the name of a variable is expected, found ';'");
    assert_scan_refused(HEAD ".entry k(.param .u32 a; {}", IMAGE_DAMAGED, "')' is expected, found ';'");
    assert_scan_refused(HEAD "\n.entry k(.param .u32 a\x01[; ) {}", IMAGE_DAMAGED, "line 5: ']' is expected, found ';'");
}

/* Right or wrong, that is for the compiler to say: it knows the language of its day, and it says it with the line. */
static void what_is_not_known_is_stepped_over(void **state)
{
    (void)state;
    assert_one_kernel(HEAD ".novel 1, a; .entry k(.param .u32 a[x * 2]) .novel (2) {}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param .align 3 .u32 a, .param .u32 b) {}", "k ?");
    assert_one_kernel(HEAD ".entry k(.param .f8192 a) {}", "k ?");
    assert_one_global(".global .u32 v<4>;", "v", 0);
    assert_one_global(".global .u32 v[2 * 3] = {1, 2};", "v", 0);
    assert_one_global(".global .attribute(.unified(1, 2), .managed) .u32 v;", "v", 4);
}

/* Nesting and token length are the writer's; the scanner has neither recursion nor a buffer for them. */
static void deep_and_long_texts(void **state)
{
    size_t n = 1 << 20;
    char *text = malloc(3 * n + 256);
    size_t at;

    (void)state;
    at = (size_t)sprintf(text, HEAD ".entry k()");
    memset(text + at, '{', n);
    memset(text + at + n, '}', n);
    text[at + 2 * n] = '\0';
    assert_one_kernel(text, "k =0");

    at = (size_t)sprintf(text, HEAD ".global .u64 g = ");
    memset(text + at, '(', n);
    memset(text + at + n, ')', n);
    memcpy(text + at + 2 * n, "; .entry k(){}", 15);
    assert_one_kernel(text, "k =0");

    at = (size_t)sprintf(text, HEAD ".entry ");
    memset(text + at, 'x', n);
    memcpy(text + at + n, "() { ret; ", 11);
    assert_scan_refused(text, IMAGE_TRUNCATED, "xxx...'");
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_in_any_layout),
        cmocka_unit_test(bad_headers_say_what_is_expected),
        cmocka_unit_test(text_ends_at_its_first_nul),
        cmocka_unit_test(every_form_of_parameter),
        cmocka_unit_test(parameters_that_no_compiler_takes_are_unknown),
        cmocka_unit_test(directives_and_bodies_are_stepped_over),
        cmocka_unit_test(declarations_are_not_kernels),
        cmocka_unit_test(bodies_hold_no_declarations),
        cmocka_unit_test(variables_and_their_sizes),
        cmocka_unit_test(several_variables_in_one_statement),
        cmocka_unit_test(what_overflows_is_named),
        cmocka_unit_test(what_does_not_end_is_named),
        cmocka_unit_test(what_cannot_be_stepped_over_is_named),
        cmocka_unit_test(what_is_not_known_is_stepped_over),
        cmocka_unit_test(deep_and_long_texts),
    };

    return RUN(tests);
}
