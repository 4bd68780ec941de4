/* What policies, one upon the other, let in; and that no bit of a signed cubin can be changed. */
#include "tests/trust/common.h"

static struct trust_keys *alices, *bobs, *both;
static struct trust_digests *cubins, *others;
static struct secret_key alice_secret;

static struct trust_keys *keys_of(const struct span *files, size_t n)
{
    struct trust_keys *keys = gpudl__trust_keys_create();

    for (size_t i = 0; i < n; i++)
        assert_good(gpudl__trust_keys_add(keys, files[i], why()));
    return keys;
}

static struct trust_digests *digests_of(struct span content)
{
    struct trust_digests *digests = gpudl__trust_digests_create();
    struct sha256 digest = gpudl__sha256(content);
    char text[SHA256_TEXT];

    gpudl__sha256_print(&digest, text);
    assert_good(gpudl__trust_digests_add(digests, text, why()));
    return digests;
}

static int make(void **state)
{
    struct span files[] = { TRUST_SPAN(bob_pub), TRUST_SPAN(alice_pub) };

    (void)state;
    alices = keys_of(&files[1], 1);
    bobs = keys_of(files, 1);
    both = keys_of(files, 2);
    cubins = digests_of(TRUST_SPAN(signed_cubin));
    others = digests_of(TRUST_SPAN(alice_pub));
    return gpudl__secret_key_read(TRUST_SPAN(alice_key), NULL, &alice_secret, why());
}

static int release(void **state)
{
    (void)state;
    gpudl__trust_keys_free(alices);
    gpudl__trust_keys_free(bobs);
    gpudl__trust_keys_free(both);
    gpudl__trust_digests_free(cubins);
    gpudl__trust_digests_free(others);
    return 0;
}

static struct trust_subject signed_cubin(void)
{
    return (struct trust_subject){ .bytes = TRUST_SPAN(signed_cubin), .signature = TRUST_SPAN(hashed_minisig) };
}

static enum trust_error check_all(
    const struct trust_policy *policies, size_t n, struct trust_subject subject, struct trust_finding *f)
{
    struct trust_finding unused;

    return gpudl__trust_check(policies, n, &subject, f ? f : &unused, why());
}

static enum trust_error check(struct trust_policy policy, struct trust_subject subject)
{
    return check_all(&policy, 1, subject, NULL);
}

#define SIGNED_BY(keys) ((struct trust_policy){ TRUST_BY_SIGNATURE, keys, NULL })
#define PINNED(digests) ((struct trust_policy){ TRUST_BY_DIGEST, NULL, digests })

static void nothing_is_asked_of_anything_without_a_policy(void **state)
{
    struct trust_subject unsigned_one = { .bytes = TRUST_SPAN(signed_cubin) };

    (void)state;
    assert_good(check((struct trust_policy){ TRUST_NONE, alices, others }, unsigned_one));
    assert_good(check_all(NULL, 0, unsigned_one, NULL));
}

static void a_signature_is_asked_for(void **state)
{
    struct trust_subject subject = signed_cubin();
    struct trust_finding f;

    (void)state;
    assert_good(check(SIGNED_BY(alices), subject));
    assert_good(check_all(&SIGNED_BY(both), 1, subject, &f));
    assert_true(f.verified && !gpudl__trust_open_question(&f));
    assert_refused(check(SIGNED_BY(bobs), subject), TRUST_UNKNOWN_KEY, "not among the 1 trusted");
    assert_refused(check(SIGNED_BY(NULL), subject), TRUST_UNKNOWN_KEY, "not among the 0 trusted");
    subject.signature = TRUST_SPAN(alice_pub);
    assert_refused(check(SIGNED_BY(alices), subject), TRUST_BAD_SIGNATURE, "signature cannot be read");
    subject.signature = (struct span){ NULL, 0 };
    assert_refused(check(SIGNED_BY(alices), subject), TRUST_UNSIGNED, "is not signed");
}

/* Ids are not unique: a key ring with a key of the same id does not hide the right one, nor does it let a wrong one in. */
static void keys_of_one_id_are_all_tried(void **state)
{
    struct public_key namesake;
    char text[PUBLIC_KEY_TEXT];
    struct trust_keys *keys = gpudl__trust_keys_create();

    (void)state;
    namesake = *gpudl__trust_keys_at(bobs, 0);
    memcpy(namesake.id, gpudl__trust_keys_at(alices, 0)->id, KEY_ID);
    gpudl__public_key_write(&namesake, text);
    assert_good(gpudl__trust_keys_add(keys, text_of(text), why()));
    assert_refused(check(SIGNED_BY(keys), signed_cubin()), TRUST_BAD_SIGNATURE, "did not sign");
    assert_good(gpudl__trust_keys_add(keys, TRUST_SPAN(alice_pub), why()));
    assert_good(check(SIGNED_BY(keys), signed_cubin()));
    gpudl__trust_keys_free(keys);
}

static void a_digest_is_asked_for(void **state)
{
    struct trust_subject subject = { .bytes = TRUST_SPAN(signed_cubin) };
    struct trust_finding f;

    (void)state;
    assert_good(check_all(&PINNED(cubins), 1, subject, &f));
    assert_false(gpudl__trust_open_question(&f));
    assert_good(check_all(&PINNED(others), 1, subject, &f)); /* an entry may still be the one */
    assert_true(gpudl__trust_open_question(&f));
    assert_good(gpudl__trust_check_entry(&PINNED(others), 1, &f, TRUST_SPAN(alice_pub), why()));
    assert_refused(
        gpudl__trust_check_entry(&PINNED(others), 1, &f, TRUST_SPAN(bob_pub), why()), TRUST_OTHER_DIGEST, "among the 1");
}

/* With a signature the digests that are given hold as well. */
static void a_signed_content_can_be_pinned_too(void **state)
{
    struct trust_policy right = { TRUST_BY_SIGNATURE, alices, cubins }, wrong = { TRUST_BY_SIGNATURE, alices, others };
    struct trust_finding f;

    (void)state;
    assert_good(check_all(&right, 1, signed_cubin(), &f));
    assert_false(gpudl__trust_open_question(&f));
    assert_good(check_all(&wrong, 1, signed_cubin(), &f));
    assert_refused(gpudl__trust_check_entry(&wrong, 1, &f, TRUST_SPAN(signed_cubin), why()), TRUST_OTHER_DIGEST, "neither");
}

static void each_policy_holds_by_itself(void **state)
{
    struct trust_policy signed_and_pinned[] = { SIGNED_BY(alices), PINNED(cubins) };
    struct trust_policy by_two[] = { SIGNED_BY(alices), SIGNED_BY(bobs) };
    struct trust_policy pinned_twice[] = { PINNED(cubins), PINNED(others) };
    struct trust_policy none_first[] = { { TRUST_NONE, NULL, NULL }, SIGNED_BY(bobs) };
    struct trust_subject unsigned_one = { .bytes = TRUST_SPAN(signed_cubin) };
    struct trust_finding f;

    (void)state;
    assert_good(check_all(signed_and_pinned, 2, signed_cubin(), NULL));
    assert_refused(check_all(signed_and_pinned, 2, unsigned_one, NULL), TRUST_UNSIGNED, "");
    assert_refused(check_all(by_two, 2, signed_cubin(), NULL), TRUST_UNKNOWN_KEY, "");
    assert_refused(check_all(none_first, 2, signed_cubin(), NULL), TRUST_UNKNOWN_KEY, "");
    assert_good(check_all(pinned_twice, 2, signed_cubin(), &f));
    assert_int_equal(f.entry_wanted, 2);
}

static void what_one_policy_revokes_is_revoked_for_all(void **state)
{
    struct trust_keys *revoked = gpudl__trust_keys_create();
    struct trust_policy policies[] = { { TRUST_NONE, revoked, NULL }, SIGNED_BY(both) };
    struct trust_policy pinned[] = { { TRUST_NONE, revoked, NULL }, PINNED(cubins) };
    struct sha256 digest = gpudl__sha256(TRUST_SPAN(signed_cubin));
    struct trust_finding f;
    char list[SHA256_TEXT];

    (void)state;
    assert_good(check_all(policies, 2, signed_cubin(), NULL));
    gpudl__sha256_print(&digest, list);
    assert_good(gpudl__trust_keys_revoke(revoked, text_of(list), why()));
    assert_refused(check_all(policies, 2, signed_cubin(), NULL), TRUST_REVOKED, "SHA-256");
    assert_refused(check_all(pinned, 2, signed_cubin(), NULL), TRUST_REVOKED, "SHA-256");
    assert_good(check_all(policies, 1, signed_cubin(), NULL)); /* nobody asks */
    assert_good(check_all(pinned, 2, (struct trust_subject){ .bytes = TRUST_SPAN(bob_pub) }, &f));
    assert_refused(gpudl__trust_check_entry(pinned, 2, &f, TRUST_SPAN(signed_cubin), why()), TRUST_REVOKED, "its code");
    assert_good(gpudl__trust_keys_revoke(revoked, text_of(strchr(TRUST_TEXT(alice_pub), '\n') + 1), why()));
    assert_refused(check_all(policies, 2, signed_cubin(), NULL), TRUST_REVOKED, "which is revoked");
    gpudl__trust_keys_free(revoked);
}

static void a_file_is_what_its_manifest_says_of_it(void **state)
{
    struct trust_digests *digests = gpudl__trust_digests_create();
    struct sha256 cubin = gpudl__sha256(TRUST_SPAN(signed_cubin)), key = gpudl__sha256(TRUST_SPAN(alice_pub));
    struct trust_subject subject = { .path = "/ring/k.cubin", .bytes = TRUST_SPAN(signed_cubin) };
    char a[SHA256_TEXT], b[SHA256_TEXT], manifest[256];
    struct trust_finding f;

    (void)state;
    gpudl__sha256_print(&cubin, a);
    gpudl__sha256_print(&key, b);
    snprintf(manifest, sizeof(manifest), "%s  ./k.cubin\n%s *l.cubin\n", a, b);
    assert_good(gpudl__trust_digests_add_manifest(digests, "/ring", text_of(manifest), why()));
    assert_good(check_all(&PINNED(digests), 1, subject, &f));
    assert_false(gpudl__trust_open_question(&f));
    subject.path = "/ring/l.cubin"; /* the content is listed, under another name */
    assert_refused(check_all(&PINNED(digests), 1, subject, &f), TRUST_OTHER_DIGEST, "another for this file");
    subject.path = "/elsewhere/m.cubin";
    assert_good(check_all(&PINNED(digests), 1, subject, &f));
    assert_false(gpudl__trust_open_question(&f));
    subject.path = NULL;
    assert_good(check_all(&PINNED(digests), 1, subject, &f));
    assert_false(gpudl__trust_open_question(&f));
    gpudl__trust_digests_free(digests);
}

static void flip(unsigned char *bytes, size_t bit)
{
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

/* Every step-th bit: 1, all of them. */
static void no_bit_of_the_content_can_change(struct span signature, size_t step)
{
    struct span whole = TRUST_SPAN(signed_cubin);
    struct trust_subject subject = { .signature = signature };
    unsigned char *copy = malloc(whole.size);

    assert_non_null(copy);
    memcpy(copy, whole.data, whole.size);
    subject.bytes = (struct span){ copy, whole.size };
    for (size_t bit = 0; bit < 8 * whole.size; bit += step) {
        flip(copy, bit);
        if (check(SIGNED_BY(both), subject) != TRUST_BAD_SIGNATURE)
            fail_msg("bit %zu of byte %zu: %s", bit % 8, bit / 8, reason);
        flip(copy, bit);
    }
    assert_good(check(SIGNED_BY(both), subject));
    free(copy);
}

static void no_bit_of_a_cubin_of_a_hashed_signature_can_change(void **state)
{
    (void)state;
    no_bit_of_the_content_can_change(TRUST_SPAN(hashed_minisig), 1);
}

static void no_bit_of_a_cubin_of_a_legacy_signature_can_change(void **state)
{
    (void)state;
    no_bit_of_the_content_can_change(TRUST_SPAN(legacy_minisig), 7);
}

static void no_bit_of_a_pinned_cubin_can_change(void **state)
{
    struct span whole = TRUST_SPAN(signed_cubin);
    unsigned char *copy = malloc(whole.size);
    struct trust_finding f;

    (void)state;
    assert_non_null(copy);
    memcpy(copy, whole.data, whole.size);
    for (size_t bit = 0; bit < 8 * whole.size; bit++) {
        flip(copy, bit);
        assert_good(check_all(&PINNED(cubins), 1, (struct trust_subject){ .bytes = { copy, whole.size } }, &f));
        assert_int_equal(f.entry_wanted, 1);
        flip(copy, bit);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_of_anything_without_a_policy),
        cmocka_unit_test(a_signature_is_asked_for),
        cmocka_unit_test(keys_of_one_id_are_all_tried),
        cmocka_unit_test(a_digest_is_asked_for),
        cmocka_unit_test(a_signed_content_can_be_pinned_too),
        cmocka_unit_test(each_policy_holds_by_itself),
        cmocka_unit_test(what_one_policy_revokes_is_revoked_for_all),
        cmocka_unit_test(a_file_is_what_its_manifest_says_of_it),
        cmocka_unit_test(no_bit_of_a_cubin_of_a_hashed_signature_can_change),
        cmocka_unit_test(no_bit_of_a_cubin_of_a_legacy_signature_can_change),
        cmocka_unit_test(no_bit_of_a_pinned_cubin_can_change),
    };

    return cmocka_run_group_tests_name("policy", tests, make, release);
}
