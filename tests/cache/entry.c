/* What was sealed is read back; anything else is refused, and the reason is the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <sodium.h>

#include "src/cache/entry.h"

static const struct entry_secret secret = { "sixteen bytes, and sixteen more" };
static const struct cache_key key = { { 1, 2, 3 } };

enum { AT_KIND = 14, AT_TAG = 288 };

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
    const struct span file = { s->bytes, s->size };
    enum entry_fault fault = gpudl__entry_head(file, s->size, &secret, e);

    if (fault)
        return fault;
    assert_true(span_cut(file, ENTRY_HEADER, e->meta_size, &e->meta));
    assert_true(span_cut(file, ENTRY_HEADER + e->meta_size, e->data_size, &e->data));
    return gpudl__entry_body(s->bytes, &secret, e);
}

static void what_was_sealed_comes_back(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    struct entry e;

    (void)state;
    assert_int_equal(open_sample(&s, &e), ENTRY_GOOD);
    assert_string_equal(e.label, "a kernel");
    assert_int_equal(e.made, 1700000000);
    assert_memory_equal(&e.key, &key, sizeof(key));
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
    struct span file = { s.bytes, s.size };
    struct entry e;

    (void)state;
    assert_int_equal(gpudl__entry_head(file, s.size, &other, &e), ENTRY_FORGED);
    s.bytes[s.size - 1] ^= 1;
    assert_int_equal(open_sample(&s, &e), ENTRY_DAMAGED);
    s.bytes[8]++;
    assert_int_equal(open_sample(&s, &e), ENTRY_UNKNOWN);
}

/* What is tagged with a key that is used once must not be tagged with it again. */
static void no_two_entries_are_sealed_alike(void **state)
{
    struct sample a = seal("a kernel", "meta", "some data"), b = seal("a kernel", "meta", "some data");

    (void)state;
    assert_memory_not_equal(a.bytes, b.bytes, ENTRY_HEADER);
    memcpy(a.bytes + AT_TAG, b.bytes + AT_TAG, 16);
    assert_int_equal(open_sample(&a, &(struct entry){ .made = 0 }), ENTRY_DAMAGED);
}

static void data_of_every_length_has_its_tag(void **state)
{
    static unsigned char bytes[600];
    struct entry e = { .key = key, .data = { bytes, 0 } };
    unsigned char header[ENTRY_HEADER];

    (void)state;
    for (; e.data.size < sizeof(bytes); e.data.size++) {
        struct entry found;

        bytes[e.data.size] = (unsigned char)(e.data.size * 7);
        gpudl__entry_seal(header, &e, &secret);
        assert_int_equal(
            gpudl__entry_head((struct span){ header, ENTRY_HEADER }, ENTRY_HEADER + e.data.size, &secret, &found), ENTRY_GOOD);
        found.data = e.data;
        assert_int_equal(gpudl__entry_body(header, &secret, &found), ENTRY_GOOD);
        if (!e.data.size)
            continue;
        bytes[e.data.size - 1] ^= 1;
        assert_int_equal(gpudl__entry_body(header, &secret, &found), ENTRY_DAMAGED);
        bytes[e.data.size - 1] ^= 1;
    }
}

static void a_tag_of_another_cpu_is_a_miss(void **state)
{
    struct sample s = seal("a kernel", "meta", "some data");
    struct entry e;

    (void)state;
    s.bytes[AT_KIND] = 3;
    assert_int_equal(open_sample(&s, &e), ENTRY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sealed_comes_back), cmocka_unit_test(nothing_at_all_can_be_kept), cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(every_other_length_is_refused), cmocka_unit_test(reasons_are_told_apart),
        cmocka_unit_test(no_two_entries_are_sealed_alike), cmocka_unit_test(data_of_every_length_has_its_tag),
        cmocka_unit_test(a_tag_of_another_cpu_is_a_miss),
    };
    int failed = cmocka_run_group_tests_name("tags of a CPU without AES", tests, NULL, NULL);    /* what libsodium does not know yet is not there */

    if (sodium_init() < 0)
        return 1;
    return failed + cmocka_run_group_tests_name("tags of this CPU", tests, NULL, NULL);
}
