#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/util/hash.h"

/* The values may be on someone's disk: they must not change with the library's version or the machine. */
static void values_are_those_of_xxh3(void **state)
{
    struct span empty = { (const unsigned char *)"", 0 };

    (void)state;
    assert_true(gpudl__hash64(empty) == 0x2d06800538d394c2);
    assert_true(gpudl__hash128(empty).low == 0x6001c324468d497f);
    assert_true(gpudl__hash128(empty).high == 0x99aa06d3014798d8);
}

static void every_byte_and_the_length_count(void **state)
{
    unsigned char bytes[600] = { 0 };
    uint64_t whole = gpudl__hash64((struct span){ bytes, sizeof(bytes) });
    struct hash128 wide = gpudl__hash128((struct span){ bytes, sizeof(bytes) });

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = 1;
        assert_true(gpudl__hash64((struct span){ bytes, sizeof(bytes) }) != whole);
        assert_true(gpudl__hash128((struct span){ bytes, sizeof(bytes) }).low != wide.low);
        bytes[i] = 0;
        assert_true(gpudl__hash64((struct span){ bytes, i }) != whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_xxh3),
        cmocka_unit_test(every_byte_and_the_length_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
