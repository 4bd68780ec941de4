#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/util/arena.h"

static void allocations_are_aligned_and_apart(void **state)
{
    struct arena a = { 0 };
    unsigned char *before = NULL;

    (void)state;
    for (size_t n = 0; n < 3000; n++) {
        unsigned char *p = gpudl__arena_alloc(&a, n);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, (int)(n & 0xff), n);
        if (before && n > 1)
            assert_int_equal(before[n - 2], (n - 1) & 0xff);
        before = p;
    }
    gpudl__arena_free(&a);
    assert_null(a.blocks);
    gpudl__arena_free(&a);
}

static void copies_keep_their_bytes(void **state)
{
    struct arena a = { 0 };
    char *s = gpudl__arena_string(&a, "kernel and more", 6), *grown;

    (void)state;
    assert_string_equal(s, "kernel");
    assert_string_equal(gpudl__arena_string(&a, NULL, 0), "");
    grown = gpudl__arena_grow(&a, s, 7, 100000);
    assert_string_equal(grown, "kernel");
    assert_string_equal(s, "kernel");
    gpudl__arena_free(&a);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    struct arena a = { 0 };

    (void)state;
    assert_null(gpudl__arena_alloc(&a, SIZE_MAX));
    assert_null(gpudl__arena_alloc(&a, SIZE_MAX - 8));
    assert_null(gpudl__arena_string(&a, "", SIZE_MAX));
    gpudl__arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_apart),
        cmocka_unit_test(copies_keep_their_bytes),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
