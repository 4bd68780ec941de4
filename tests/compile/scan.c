/* What a source may include: all that any compiler would read, and a key that changes with each of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "tests/compile/fake.h"

static struct scan found;
static const char *folders[3];
static struct compile_header memory[2];
static size_t nmemory;
static const char *define;

static struct cache_key scan_from(const char *name, const char *text, const char *before)
{
    const struct scan_place place = { folders, 2, memory, nmemory, &define, define != NULL, 0, NULL };
    struct cache_key_maker m;
    struct cache_key key;

    gpudl__key_begin(&m, "test", 1);
    assert_true(gpudl__scan(
        name, (struct span){ (const unsigned char *)text, strlen(text) }, &before, before != NULL, &place, &m, &found));
    gpudl__key_end(&m, &key);
    return key;
}

static struct cache_key scan(const char *text)
{
    return scan_from(fake_path("src/k.cu"), text, NULL);
}

static bool same(struct cache_key a, struct cache_key b)
{
    return !memcmp(&a, &b, sizeof(a));
}

static int begin(void **state)
{
    static char one[96], two[96];

    if (fake_begin(state))
        return -1;
    snprintf(one, sizeof(one), "%s", fake_path("one"));
    snprintf(two, sizeof(two), "%s", fake_path("two"));
    folders[0] = one;
    folders[1] = two;
    nmemory = 0;
    define = NULL;
    fake_write("src/k.cu", "");
    fake_write("one/none", "");
    fake_write("two/none", "");
    return 0;
}

/* Each of these reads two/a.h. */
static void every_spelling_of_an_include_is_seen(void **state)
{
    static const char *const spellings[] = { "#include \"a.h\"", "#include <a.h>", "  #  include <a.h>", "#include<a.h>",
        "#include \"a.h\" // why", "/* c */ # /* c */ include /* c */ <a.h>", "#inc\\\nlude <a.h>", "#include \\\n <a.h>",
        "#include \\  \n <a.h>", "#if 0\n#include <a.h>\n#endif", "/*\n*/ #include <a.h>", "/*\n*/\n#include <a.h>",
        "int x;\n\t#\tinclude\t<a.h>", "%:include <a.h>", "#include_next <a.h>", "const char *s = \"/*\";\n#include <a.h>",
        "R\"(\n)\" \"\"\n#include <a.h>\n", "#if __has_include(<a.h>)\n#endif", "\r\n#include <a.h>\r\n",
        "#ifdef X\n#elif __has_include ( \"a.h\" )\n#endif",
        "#define MY_HAS_INCLUDE(x) __has_include(x)\n#if MY_HAS_INCLUDE(<a.h>)\n#endif" };

    (void)state;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
        struct cache_key before, after;

        fake_write("two/a.h", "int before;");
        before = scan(spellings[i]);
        if (found.partial)
            fprintf(stderr, "partial: %s\n", spellings[i]);
        assert_false(found.partial);
        fake_write("two/a.h", "int after;");
        after = scan(spellings[i]);
        if (same(before, after))
            fprintf(stderr, "not seen: %s\n", spellings[i]);
        assert_false(same(before, after));
        fake_write("two/a.h", "int before;");
        assert_true(same(before, scan(spellings[i])));
    }
}

static void what_cannot_be_told_is_said(void **state)
{
    static const char *const partial[] = { "#include NAME", "#include /* \n */ <a.h>", "#if __has_include(NAME)",
        "#embed \"data\"", "?\?=include <a.h>", "#define ASK(x) __has_include(x)", "#import <a.h>", "#include" };
    static const char *const whole[] = { "int x;", "#define __has_include_my(x) 0", "#if defined(__has_include)",
        "#included <a.h>", "x = a # include;", "#pragma once", "char c = '#';" };

    (void)state;
    for (size_t i = 0; i < sizeof(partial) / sizeof(*partial); i++) {
        scan(partial[i]);
        if (!found.partial)
            fprintf(stderr, "not said: %s\n", partial[i]);
        assert_true(found.partial);
    }
    for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
        scan(whole[i]);
        if (found.partial)
            fprintf(stderr, "said: %s\n", whole[i]);
        assert_false(found.partial);
    }
}

/* Whichever definition holds: each of these may read two/a.h. */
static void names_that_macros_make_are_seen(void **state)
{
    static const char *const made[] = { "#define N <a.h>\n#include N", "#define N \"a.h\"\n#include N // why",
        "#define N M\n#define M <a.h>\n#include N", "#define E h\n#define N <a.E>\n#include N",
        "#if X\n#define D other\n#else\n#define D a\n#endif\n#define N <D.h>\n#include N",
        "#include <defines.h>\n#include FROM_HEADER", "#define N <defines.h>\n#include N\n#include FROM_HEADER",
        "# define  N  <a.h>  // c\n# include N" };
    static const char *const unknown[] = { "#define N(x) <x>\n#include N(a.h)", "#define N <a ## b.h>\n#include N",
        "#include UNKNOWN", "#define N P(a)\n#define P(x) <x.h>\n#include N", "#define N N\n#include N",
        "#define N <a.h> /* c */\n#include N" };

    (void)state;
    fake_write("two/defines.h", "#define FROM_HEADER <a.h>\n");
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
        struct cache_key before;

        fake_write("two/a.h", "int before;");
        before = scan(made[i]);
        if (found.partial)
            fprintf(stderr, "not told: %s\n", made[i]);
        assert_false(found.partial);
        fake_write("two/a.h", "int after;");
        if (same(before, scan(made[i])))
            fprintf(stderr, "not seen: %s\n", made[i]);
        assert_false(same(before, scan(made[i])));
    }
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        scan(unknown[i]);
        if (!found.partial)
            fprintf(stderr, "told: %s\n", unknown[i]);
        assert_true(found.partial);
    }
    define = "N=<a.h>";
    scan("#include N");
    assert_false(found.partial);
}

static void what_changes_by_itself_is_said(void **state)
{
    (void)state;
    scan("__TIME__");
    assert_true(found.changing);
    scan("a __DATE__ b");
    assert_true(found.changing);
    scan("__TIMESTAMP__");
    assert_true(found.changing);
    fake_write("two/a.h", "__TIME__");
    scan("#include <a.h>");
    assert_true(found.changing);
    scan("__FILE__ __LINE__");
    assert_false(found.changing);
}

static void headers_of_headers_are_seen(void **state)
{
    struct cache_key before;

    (void)state;
    fake_write("two/a.h", "#include \"sub/b.h\"");
    fake_write("two/sub/b.h", "#include \"c.h\"");       /* beside it */
    fake_write("two/sub/c.h", "#include <a.h>\nint c;"); /* and round again */
    before = scan("#include <a.h>");
    assert_false(found.unresolved);
    fake_write("two/sub/c.h", "int d;");
    assert_false(same(before, scan("#include <a.h>")));
}

static void a_name_that_comes_before_is_another_key(void **state)
{
    struct cache_key before, now;

    (void)state;
    fake_write("two/a.h", "int a;");
    before = scan("#include \"a.h\"");
    fake_write("one/b.h", "int a;");
    fake_write("src/b.h", "int a;");
    assert_true(same(before, scan("#include \"a.h\"")));
    fake_write("one/a.h", "int a;"); /* the same content: __FILE__ tells them apart */
    now = scan("#include \"a.h\"");
    assert_false(same(before, now));
    fake_write("src/a.h", "int beside;");
    assert_false(same(now, scan("#include \"a.h\"")));
    assert_true(same(scan("#include <a.h>"), scan("#include <a.h>")));
    unlink(fake_path("src/a.h"));
    assert_true(same(now, scan("#include \"a.h\"")));
}

static void what_is_not_there_is_part_of_the_key(void **state)
{
    struct cache_key before;

    (void)state;
    before = scan("#include <a.h>");
    assert_true(found.unresolved);
    fake_write("two/a.h", "");
    assert_false(same(before, scan("#include <a.h>")));
    assert_false(found.unresolved);
}

static void headers_in_memory_come_first(void **state)
{
    struct cache_key before;

    (void)state;
    memory[0] = (struct compile_header){ "a.h", { (const unsigned char *)"#include \"b.h\"", 14 } };
    nmemory = 1;
    fake_write("two/a.h", "int a;");
    fake_write("two/b.h", "int b;");
    before = scan("#include <a.h>");
    fake_write("two/a.h", "int other;");
    assert_true(same(before, scan("#include <a.h>")));
    fake_write("two/b.h", "int other;");
    assert_false(same(before, scan("#include <a.h>")));
    before = scan("int x;"); /* all of them belong to the job */
    memory[0].text.size--;
    assert_false(same(before, scan("int x;")));
}

static void headers_in_front_are_seen(void **state)
{
    struct cache_key before;

    (void)state;
    fake_write("two/a.h", "int a;");
    before = scan_from("k.cu", "int x;", "a.h");
    assert_false(found.unresolved);
    fake_write("two/a.h", "int b;");
    assert_false(same(before, scan_from("k.cu", "int x;", "a.h")));
}

static void what_is_no_file_is_passed_over_or_said(void **state)
{
    (void)state;
    fake_write("one/a.h/file", ""); /* a folder of this name */
    fake_write("two/a.h", "int a;");
    scan("#include <a.h>");
    assert_false(found.unresolved);
    assert_false(found.partial);
    if (geteuid()) {
        chmod(fake_path("two/a.h"), 0);
        scan("#include <a.h>");
        assert_true(found.partial);
    }
}

static void many_headers_are_seen(void **state)
{
    static char all[40000];
    struct cache_key before;

    (void)state;
    all[0] = '\0';
    for (int i = 0; i < 700; i++) {
        char name[32], line[48];
        snprintf(name, sizeof(name), "two/h%d.h", i);
        fake_write(name, "int x;");
        snprintf(line, sizeof(line), "#include <h%d.h>\n", i);
        strcat(all, line);
    }
    before = scan(all);
    assert_false(found.unresolved);
    assert_true(same(before, scan(all)));
    fake_write("two/h650.h", "int y;");
    assert_false(same(before, scan(all)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(every_spelling_of_an_include_is_seen),
        TEST(what_cannot_be_told_is_said),
        TEST(names_that_macros_make_are_seen),
        TEST(what_changes_by_itself_is_said),
        TEST(headers_of_headers_are_seen),
        TEST(a_name_that_comes_before_is_another_key),
        TEST(what_is_not_there_is_part_of_the_key),
        TEST(headers_in_memory_come_first),
        TEST(headers_in_front_are_seen),
        TEST(what_is_no_file_is_passed_over_or_said),
        TEST(many_headers_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
