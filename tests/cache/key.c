/* A key changes with everything that it is made of, and with nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/cache/key.h"

static struct cache_key key_of(const char *domain, uint32_t version, const char *const *words)
{
    struct cache_key_maker m;
    struct cache_key key;

    gpudl__key_begin(&m, domain, version);
    for (; *words; words += 2)
        gpudl__key_add_text(&m, words[0], words[1]);
    gpudl__key_end(&m, &key);
    return key;
}

#define KEY(domain, version, ...) key_of(domain, version, (const char *const[]){ __VA_ARGS__, NULL })

static void assert_differ(struct cache_key a, struct cache_key b)
{
    assert_memory_not_equal(&a, &b, sizeof(a));
}

static void the_same_fields_make_the_same_key(void **state)
{
    struct cache_key a = KEY("x", 1, "text", "abc"), b = KEY("x", 1, "text", "abc");

    (void)state;
    assert_memory_equal(&a, &b, sizeof(a));
}

static void every_part_counts(void **state)
{
    struct cache_key a = KEY("x", 1, "text", "abc", "kernel", "k");

    (void)state;
    assert_differ(a, KEY("y", 1, "text", "abc", "kernel", "k"));
    assert_differ(a, KEY("x", 2, "text", "abc", "kernel", "k"));
    assert_differ(a, KEY("x", 1, "texu", "abc", "kernel", "k"));
    assert_differ(a, KEY("x", 1, "text", "abd", "kernel", "k"));
    assert_differ(a, KEY("x", 1, "kernel", "k", "text", "abc"));
    assert_differ(a, KEY("x", 1, "text", "abc"));
}

static void fields_that_are_cut_elsewhere_differ(void **state)
{
    (void)state;
    assert_differ(KEY("x", 1, "a", "bc"), KEY("x", 1, "ab", "c"));
    assert_differ(KEY("x", 1, "a", "b", "c", "d"), KEY("x", 1, "a", "bcd"));
    assert_differ(KEY("x", 1, "a", "", "b", ""), KEY("x", 1, "a", "b"));
    assert_differ(KEY("x", 1, "a", ""), KEY("x", 1, "a", "", "", ""));
}

static void the_value_stays_what_it_is(void **state)
{
    struct cache_key a = KEY("test", 1, "a", "b");
    char text[CACHE_KEY_TEXT];

    (void)state;
    gpudl__key_print(&a, text);     /* keys are kept on disk: another value is another format */
    assert_string_equal(text, "9a4a29ea4ddca8ad97572746a9fef13da1282502dd07947d685eabe002e86bde");
}

static void only_its_own_text_is_a_key(void **state)
{
    struct cache_key a = KEY("x", 1, "a", "b"), b;
    char text[CACHE_KEY_TEXT + 1] = { 0 };

    (void)state;
    gpudl__key_print(&a, text);
    assert_true(gpudl__key_scan(text, &b));
    assert_memory_equal(&a, &b, sizeof(a));
    text[64] = '0';
    assert_false(gpudl__key_scan(text, &b));
    text[63] = 0;
    assert_false(gpudl__key_scan(text, &b));
    text[63] = 'A';
    text[64] = 0;
    assert_false(gpudl__key_scan(text, &b));
    assert_false(gpudl__key_scan("secret", &b));
    assert_false(gpudl__key_scan("", &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_fields_make_the_same_key), cmocka_unit_test(every_part_counts),
        cmocka_unit_test(fields_that_are_cut_elsewhere_differ), cmocka_unit_test(the_value_stays_what_it_is),
        cmocka_unit_test(only_its_own_text_is_a_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
