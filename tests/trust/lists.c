/* SHA-256 is SHA-256, whichever library computes it; manifests are what sha256sum writes and reads; lists of what is revoked. */
#include "tests/trust/common.h"

#include "src/trust/manifest.h"
#include "src/util/alloc.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct sha256 digest_of(const char *hex)
{
    struct sha256 digest;

    assert_true(gpudl__sha256_scan(text_of(hex), &digest));
    return digest;
}

static void digests_are_those_of_the_standard(void **state)
{
    struct sha256 digest;
    char text[SHA256_TEXT];

    (void)state;
    digest = gpudl__sha256(text_of(""));
    gpudl__sha256_print(&digest, text);
    assert_string_equal(text, EMPTY);
    digest = gpudl__sha256(text_of("abc"));
    gpudl__sha256_print(&digest, text);
    assert_string_equal(text, ABC);
}

/* Of sizes on both sides of where the one takes over from the other, and of a block. */
static void both_libraries_agree(void **state)
{
    enum { MOST = 300 * 1024 };
    unsigned char *bytes = malloc(MOST);
    struct sha256 one, other;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    if (!gpudl__sha256_crypto((struct span){ bytes, 0 }, &one)) {
        free(bytes);
        skip(); /* no libcrypto here */
    }
    for (size_t size = 0; size <= MOST; size = size < 130 ? size + 1 : 3 * size) {
        assert_true(gpudl__sha256_crypto((struct span){ bytes, size }, &one));
        other = gpudl__sha256_sodium((struct span){ bytes, size });
        assert_true(sha256_same(&one, &other));
    }
    other = gpudl__sha256_sodium((struct span){ bytes, MOST });
    one = gpudl__sha256((struct span){ bytes, MOST });
    assert_true(sha256_same(&one, &other));
    free(bytes);
}

static void digests_are_64_digits(void **state)
{
    struct sha256 digest;

    (void)state;
    assert_true(gpudl__sha256_scan(text_of("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"), &digest));
    assert_memory_equal(digest.bytes, "\xba\x78\x16\xbf", 4);
    assert_false(gpudl__sha256_scan(text_of(""), &digest));
    assert_false(gpudl__sha256_scan((struct span){ (const unsigned char *)ABC, 63 }, &digest));
    assert_false(gpudl__sha256_scan(text_of(ABC "0"), &digest));
    assert_false(gpudl__sha256_scan(text_of("ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), &digest));
    assert_false(gpudl__sha256_scan(text_of(" a7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), &digest));
}

/* The names of a manifest, each followed by '|'; or what is wrong with it. */
static enum trust_error names_of(const char *manifest, char *names)
{
    struct span rest = text_of(manifest);
    enum trust_error error;
    struct sha256 digest;
    char name[64];
    unsigned line = 0;
    bool more;

    *names = '\0';
    for (;;) {
        error = gpudl__manifest_next(&rest, &line, &digest, name, sizeof(name), &more, why());
        if (error || !more)
            return error;
        strcat(strcat(names, name), "|");
    }
}

static void reads_what_sha256sum_writes(void **state)
{
    char names[256];

    (void)state;
    assert_good(names_of(ABC "  k.cubin\n" EMPTY " *b/k.ptx\n", names));
    assert_string_equal(names, "k.cubin|b/k.ptx|");
    assert_good(names_of("\\" ABC "  a\\\\b\\nc\\rd\n", names));
    assert_string_equal(names, "a\\b\nc\rd|");
    assert_good(names_of(ABC "  a\\b  c \n", names)); /* without the mark a backslash is one */
    assert_string_equal(names, "a\\b  c |");
    assert_good(names_of("\n\r\n" ABC "   two blanks\r\n", names));
    assert_string_equal(names, " two blanks|");
    assert_good(names_of("", names));
    assert_string_equal(names, "");
    assert_good(names_of(ABC "  no end", names));
    assert_string_equal(names, "no end|");
}

static void refuses_other_lines(void **state)
{
    char names[256];

    (void)state;
    assert_refused(names_of(ABC "  k\n" ABC "\n", names), TRUST_BAD_SETUP, "line 2");
    assert_refused(names_of(ABC "  \n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(names_of(ABC " k\n", names), TRUST_BAD_SETUP, "two blanks");
    assert_refused(names_of(ABC "\t k\n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(names_of(" " ABC "  k\n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(names_of("# a remark\n", names), TRUST_BAD_SETUP, "# a remark");
    assert_refused(names_of("\\" ABC "  a\\tb\n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(names_of("\\" ABC "  a\\\n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(names_of("SHA256 (k) = " ABC "\n", names), TRUST_BAD_SETUP, "line 1");
    assert_refused(
        names_of(ABC "  0123456789012345678901234567890123456789012345678901234567890123\n", names), TRUST_BAD_SETUP, "line 1");
}

static void paths_are_compared_as_they_are_written(void **state)
{
    static const char *const cases[][3] = { { "/a", "b", "/a/b" }, { "/a/", "./b//c/.", "/a/b/c" }, { "/a", "/b/./c", "/b/c" },
        { "", "//x", "/x" }, { "/a", "../b", "/a/../b" }, { "/", "...", "/..." } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *path = gpudl__trust_path(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        gpudl__free(path);
    }
}

static void keys_and_contents_are_revoked(void **state)
{
    struct trust_keys *keys = gpudl__trust_keys_create();
    struct sha256 abc = digest_of(ABC), empty = digest_of(EMPTY);
    struct public_key alice, bob;
    char list[512], id[KEY_ID_TEXT];

    (void)state;
    assert_good(gpudl__public_key_read(TRUST_SPAN(alice_pub), &alice, why()));
    assert_good(gpudl__public_key_read(TRUST_SPAN(bob_pub), &bob, why()));
    gpudl__key_id_print(alice.id, id);
    snprintf(list, sizeof(list), "# lost\n%s # in May\n\n  " ABC "\t\n", id);
    assert_good(gpudl__trust_keys_revoke(keys, text_of(list), why()));
    assert_true(gpudl__trust_keys_revoked(keys, alice.id));
    assert_false(gpudl__trust_keys_revoked(keys, bob.id));
    assert_true(gpudl__trust_keys_revoked_content(keys, &abc));
    assert_false(gpudl__trust_keys_revoked_content(keys, &empty));
    snprintf(list, sizeof(list), "%.56s\r\n", strchr(TRUST_TEXT(bob_pub), '\n') + 1);
    assert_good(gpudl__trust_keys_revoke(keys, text_of(list), why()));
    assert_true(gpudl__trust_keys_revoked(keys, bob.id));
    assert_refused(gpudl__trust_keys_revoke(keys, text_of("\nnonsense\n"), why()), TRUST_BAD_SETUP, "line 2 is 'nonsense'");
    assert_refused(gpudl__trust_keys_revoke(keys, text_of("0123456789ABCDEF0\n"), why()), TRUST_BAD_SETUP, "16 hexadecimal");
    gpudl__trust_keys_free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(both_libraries_agree),
        cmocka_unit_test(digests_are_64_digits),
        cmocka_unit_test(reads_what_sha256sum_writes),
        cmocka_unit_test(refuses_other_lines),
        cmocka_unit_test(paths_are_compared_as_they_are_written),
        cmocka_unit_test(keys_and_contents_are_revoked),
    };

    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
