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

/* Large ones too, whose hash may be made by other instructions than that of small ones. */
static void values_are_the_same_for_all_sizes(void **state)
{
    static const struct {
        size_t size;
        uint64_t low, high;
    } known[] = {
        { 1023, 0x2cc3eb48d98f537f, 0x9a6d029ed999fc85 },
        { 1024, 0xdc5acf0b043c445b, 0x8bbb9f7af37f2f52 },
        { 5000, 0x6abe8be5abcb2760, 0xa4ba2a60fb07e016 },
    };
    unsigned char bytes[5000];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct hash128 h = gpudl__hash128((struct span){ bytes, known[i].size });
        assert_true(h.low == known[i].low && h.high == known[i].high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_xxh3),
        cmocka_unit_test(values_are_the_same_for_all_sizes),
        cmocka_unit_test(every_byte_and_the_length_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
