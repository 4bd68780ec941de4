/* What was sealed is read back; anything else is refused, and the reason is the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "src/cache/entry.h"

static const struct entry_secret secret = { "sixteen bytes, and sixteen more" };
static const struct cache_key key = { { 1, 2, 3 } };

struct sample { unsigned char bytes[ENTRY_HEADER + 64]; size_t size; };

static struct sample seal(const char *label, const char *meta, const char *data)
{
    struct entry e = { .key = key, .made = 1700000000, .meta = { (const unsigned char *)meta, strlen(meta) },
                       .data = { (const unsigned char *)data, strlen(data) } };
    struct sample s;

    strncpy(e.label, label, sizeof(e.label) - 1);
    gpudl__entry_seal(s.bytes, &e, &secret);
    memcpy(s.bytes + ENTRY_HEADER, meta, e.meta.size);
    memcpy(s.bytes + ENTRY_HEADER + e.meta.size, data, e.data.size);
    s.size = ENTRY_HEADER + e.meta.size + e.data.size;
    return s;
}

static enum entry_fault open_sample(const struct sample *s, struct entry *e)
{
    return gpudl__entry_open((struct span){ s->bytes, s->size }, &key, &secret, e);
}

static void what_was_sealed_comes_back(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    struct entry e;

    (void)state;
    assert_int_equal(open_sample(&s, &e), ENTRY_GOOD);
    assert_string_equal(e.label, "a kernel");
    assert_int_equal(e.made, 1700000000);
    assert_int_equal(e.meta.size, 4);
    assert_memory_equal(e.meta.data, "meta", 4);
    assert_int_equal(e.data.size, 9);
    assert_memory_equal(e.data.data, "some data", 9);
}

static void nothing_at_all_can_be_kept(void **state)
{
    struct sample s = seal("", "", "");
    struct entry e;

    (void)state;
    assert_int_equal(open_sample(&s, &e), ENTRY_GOOD);
    assert_int_equal(e.meta.size + e.data.size, 0);
}

static void every_bit_counts(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    struct entry e;

    (void)state;
    for (size_t bit = 0; bit < 8 * s.size; bit++) {
        s.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(open_sample(&s, &e), ENTRY_GOOD);
        s.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_int_equal(open_sample(&s, &e), ENTRY_GOOD);
}

static void every_other_length_is_refused(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    size_t whole = s.size;
    struct entry e;

    (void)state;
    for (s.size = 0; s.size < sizeof(s.bytes); s.size++)
        if (s.size != whole)
            assert_int_equal(open_sample(&s, &e), ENTRY_CUT);
}

static void reasons_are_told_apart(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    const struct entry_secret other = { "another" };
    const struct cache_key elsewhere = { { 9 } };
    struct span file = { s.bytes, s.size };
    struct entry e;

    (void)state;
    assert_int_equal(gpudl__entry_open(file, &key, &other, &e), ENTRY_FORGED);
    assert_int_equal(gpudl__entry_open(file, &elsewhere, &secret, &e), ENTRY_MISPLACED);
    s.bytes[s.size - 1] ^= 1;
    assert_int_equal(open_sample(&s, &e), ENTRY_DAMAGED);
    s.bytes[8]++;
    assert_int_equal(open_sample(&s, &e), ENTRY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sealed_comes_back), cmocka_unit_test(nothing_at_all_can_be_kept), cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(every_other_length_is_refused), cmocka_unit_test(reasons_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
