#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/util/text.h"

static void pieces_are_appended(void **state)
{
    char buffer[64];
    struct text t = gpudl__text_init(buffer, sizeof(buffer));

    (void)state;
    assert_string_equal(buffer, "");
    gpudl__text_add(&t, "%d kernels", 3);
    gpudl__text_add(&t, ", %s", "two globals");
    assert_string_equal(buffer, "3 kernels, two globals");
    assert_int_equal(t.used, 22);
    gpudl__text_clear(&t);
    assert_string_equal(buffer, "");
}

static void what_does_not_fit_is_cut_visibly(void **state)
{
    char buffer[12];
    struct text t = gpudl__text_init(buffer, 10);

    (void)state;
    buffer[10] = 'x';
    gpudl__text_add(&t, "123456789");
    assert_string_equal(buffer, "123456789");
    assert_false(t.cut);
    gpudl__text_add(&t, "0");
    assert_string_equal(buffer, "123456...");
    gpudl__text_add(&t, "more");
    assert_string_equal(buffer, "123456...");
    assert_int_equal(buffer[10], 'x');
}

static void tiny_and_missing_buffers_are_accepted(void **state)
{
    char one[1] = { 'x' };
    struct text t = gpudl__text_init(one, 1);

    (void)state;
    gpudl__text_add(&t, "abc");
    assert_int_equal(one[0], 0);
    t = gpudl__text_init(NULL, 100);
    gpudl__text_add(&t, "abc");
    gpudl__text_quote(&t, "abc", 3);
    t = gpudl__text_init(one, 0);
    one[0] = 'x';
    gpudl__text_add(&t, "abc");
    assert_int_equal(one[0], 'x');
}

static void foreign_bytes_are_escaped_and_bounded(void **state)
{
    char buffer[1024], many[300];
    struct text t = gpudl__text_init(buffer, sizeof(buffer));

    (void)state;
    gpudl__text_quote(&t, "a\x1b[0m\xff", 6);
    assert_string_equal(buffer, "'a\\x1b[0m\\xff'");
    gpudl__text_clear(&t);
    memset(many, 'm', sizeof(many));
    gpudl__text_quote(&t, many, sizeof(many));
    assert_int_equal(t.used, 1 + 120 + 4);
    assert_string_equal(buffer + 121, "...'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_appended),
        cmocka_unit_test(what_does_not_fit_is_cut_visibly),
        cmocka_unit_test(tiny_and_missing_buffers_are_accepted),
        cmocka_unit_test(foreign_bytes_are_escaped_and_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
