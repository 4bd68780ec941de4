/* Signatures of minisign's are good, for what was signed and the key that signed; no bit of content, signature or trusted comment
 * can be changed. */
#include "tests/trust/common.h"

static struct public_key alice, bob;
static struct secret_key alices;

static int read_keys(void **state)
{
    (void)state;
    return gpudl__public_key_read(TRUST_SPAN(alice_pub), &alice, why()) ||
        gpudl__public_key_read(TRUST_SPAN(bob_pub), &bob, why()) ||
        gpudl__secret_key_read(TRUST_SPAN(alice_key), NULL, &alices, why());
}

static enum trust_error verify(struct span signature, struct span content, const struct public_key *key)
{
    unsigned char hash[PREHASH];
    struct signature s;
    enum trust_error error = gpudl__signature_read(signature, &s, why());

    return error ? error : gpudl__signature_verify(&s, key, gpudl__signature_message(s.prehashed, content, hash), why());
}

static void minisigns_are_good(void **state)
{
    struct signature s;

    (void)state;
    assert_good(verify(TRUST_SPAN(hashed_minisig), TRUST_SPAN(signed_cubin), &alice));
    assert_good(verify(TRUST_SPAN(legacy_minisig), TRUST_SPAN(signed_cubin), &alice));
    assert_good(gpudl__signature_read(TRUST_SPAN(hashed_minisig), &s, why()));
    assert_true(s.prehashed);
    assert_int_equal(s.comment.size, strlen("signed, too"));
    assert_memory_equal(s.comment.data, "signed, too", s.comment.size);
    assert_good(gpudl__signature_read(TRUST_SPAN(legacy_minisig), &s, why()));
    assert_false(s.prehashed);
    assert_memory_equal(s.id, alice.id, KEY_ID);
}

static void another_key_or_content_is_refused(void **state)
{
    struct public_key namesake = bob;

    (void)state;
    assert_refused(verify(TRUST_SPAN(hashed_minisig), TRUST_SPAN(signed_cubin), &bob), TRUST_UNKNOWN_KEY, "not signed with key");
    memcpy(namesake.id, alice.id, KEY_ID); /* anybody can make such a key */
    assert_refused(verify(TRUST_SPAN(hashed_minisig), TRUST_SPAN(signed_cubin), &namesake), TRUST_BAD_SIGNATURE, "did not sign");
    assert_refused(
        verify(TRUST_SPAN(hashed_minisig), TRUST_SPAN(alice_pub), &alice), TRUST_BAD_SIGNATURE, "did not sign these bytes");
    assert_refused(
        verify(TRUST_SPAN(legacy_minisig), TRUST_SPAN(alice_pub), &alice), TRUST_BAD_SIGNATURE, "did not sign these bytes");
}

static void own_signatures_are_good(void **state)
{
    char text[SIGNATURE_TEXT], comment[COMMENT_WRITTEN + 1];

    (void)state;
    for (int prehashed = 0; prehashed < 2; prehashed++) {
        assert_good(gpudl__signature_write(&alices, TRUST_SPAN(signed_cubin), prehashed, "u", "t", text, why()));
        assert_good(verify(text_of(text), TRUST_SPAN(signed_cubin), &alice));
        assert_good(
            gpudl__signature_write(&alices, (struct span){ (const unsigned char *)"", 0 }, prehashed, "", "", text, why()));
        assert_good(verify(text_of(text), (struct span){ (const unsigned char *)"", 0 }, &alice));
    }
    memset(comment, 'c', sizeof(comment) - 1);
    comment[sizeof(comment) - 1] = '\0';
    assert_good(gpudl__signature_write(&alices, TRUST_SPAN(signed_cubin), true, comment, comment, text, why()));
    assert_good(verify(text_of(text), TRUST_SPAN(signed_cubin), &alice));
}

/* Ed25519 signatures of one key over one content are always the same. */
static void writes_what_minisign_writes(void **state)
{
    char text[SIGNATURE_TEXT];

    (void)state;
    assert_good(gpudl__signature_write(&alices, TRUST_SPAN(signed_cubin), true, "not signed", "signed, too", text, why()));
    assert_string_equal(text, TRUST_TEXT(hashed_minisig));
    assert_good(gpudl__signature_write(&alices, TRUST_SPAN(signed_cubin), false, "not signed", "signed, too", text, why()));
    assert_string_equal(text, TRUST_TEXT(legacy_minisig));
}

static void comments_are_one_line_each(void **state)
{
    char text[SIGNATURE_TEXT], comment[COMMENT_WRITTEN + 2];
    struct span content = TRUST_SPAN(signed_cubin);

    (void)state;
    memset(comment, 'c', sizeof(comment) - 1);
    comment[sizeof(comment) - 1] = '\0';
    assert_refused(
        gpudl__signature_write(&alices, content, true, "a\nb", "", text, why()), TRUST_BAD_SETUP, "untrusted comment has more");
    assert_refused(
        gpudl__signature_write(&alices, content, true, "", "a\rb", text, why()), TRUST_BAD_SETUP, "the trusted comment has more");
    assert_refused(gpudl__signature_write(&alices, content, true, "", comment, text, why()), TRUST_BAD_SETUP, "may have 1000");
}

/* Every bit but those of the untrusted comment's text. */
static void no_bit_of_the_signature_can_change(const struct span file)
{
    struct span content = TRUST_SPAN(signed_cubin);
    size_t first = strlen("untrusted comment: "), last = first + strlen("not signed");
    unsigned char *copy = malloc(file.size);

    assert_non_null(copy);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        bool untrusted = bit / 8 >= first && bit / 8 < last;

        memcpy(copy, file.data, file.size);
        copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!untrusted && verify((struct span){ copy, file.size }, content, &alice) == TRUST_OK)
            fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
    }
    free(copy);
}

static void no_bit_of_a_hashed_signature_can_change(void **state)
{
    (void)state;
    no_bit_of_the_signature_can_change(TRUST_SPAN(hashed_minisig));
}

static void no_bit_of_a_legacy_signature_can_change(void **state)
{
    (void)state;
    no_bit_of_the_signature_can_change(TRUST_SPAN(legacy_minisig));
}

static void refuses_what_is_no_signature(void **state)
{
    char text[2048], lines[4][256];
    struct signature s;

    (void)state;
    assert_int_equal(sscanf(TRUST_TEXT(hashed_minisig), "%255[^\n]\n%255[^\n]\n%255[^\n]\n%255[^\n]\n", lines[0], lines[1],
                         lines[2], lines[3]),
        4);
#define REFUSED(words, ...) \
    snprintf(text, sizeof(text), __VA_ARGS__); \
    assert_refused(gpudl__signature_read(text_of(text), &s, why()), TRUST_BAD_SIGNATURE, words)
    REFUSED("first line", "%s", "");
    REFUSED("first line", "%s\n", lines[1]);
    REFUSED("ends after its first", "%s\n", lines[0]);
    REFUSED("second line", "%s\n%.99s\n", lines[0], lines[1]);
    REFUSED("third line", "%s\n%s\n", lines[0], lines[1]);
    REFUSED("third line", "%s\n%s\ntrusted remark: x\n%s\n", lines[0], lines[1], lines[3]);
    REFUSED("fourth line", "%s\n%s\n%s\n", lines[0], lines[1], lines[2]);
    REFUSED("fourth line", "%s\n%s\n%s\n%s", lines[0], lines[1], lines[2], lines[1]);
    REFUSED("more than four", "%s\n%s\n%s\n%s\n\n", lines[0], lines[1], lines[2], lines[3]);
    REFUSED("algorithm 'Ad'", "%s\nQ%s\n%s\n%s\n", lines[0],
        "WSDpXK7m47XdRI1m5mTYa2NcicHhJ/V34hIMutUT5ENqki2nl6Fyi1VBIcKIhykEyIHORxbghWxZCwfMSBXjyEjdTqg69lLjAg=", lines[2],
        lines[3]);
#undef REFUSED
    snprintf(text, sizeof(text), "%s\r\n%s\r\n%s\r\n%s", lines[0], lines[1], lines[2], lines[3]);
    assert_good(verify(text_of(text), TRUST_SPAN(signed_cubin), &alice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minisigns_are_good),
        cmocka_unit_test(another_key_or_content_is_refused),
        cmocka_unit_test(own_signatures_are_good),
        cmocka_unit_test(writes_what_minisign_writes),
        cmocka_unit_test(comments_are_one_line_each),
        cmocka_unit_test(no_bit_of_a_hashed_signature_can_change),
        cmocka_unit_test(no_bit_of_a_legacy_signature_can_change),
        cmocka_unit_test(refuses_what_is_no_signature),
    };

    return cmocka_run_group_tests_name("signature", tests, read_keys, NULL);
}
