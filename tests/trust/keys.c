/* Key files as minisign and gpudl write them are read; anything else is refused, with what was expected; a secret key is given out for
 * its password only, and only whole. */
#include <sodium.h>

#include "tests/trust/common.h"

static const struct key_cost cheap = { 32768, 16 << 20 };

static void reads_minisigns_public_keys(void **state)
{
    struct public_key key, again;
    char id[KEY_ID_TEXT];

    (void)state;
    assert_good(gpudl__public_key_read(TRUST_SPAN(alice_pub), &key, why()));
    gpudl__key_id_print(key.id, id);
    assert_non_null(strstr(TRUST_TEXT(alice_pub), id)); /* minisign has written it into its comment */
    assert_good(gpudl__public_key_read(text_of(strchr(TRUST_TEXT(alice_pub), '\n') + 1), &again, why()));
    assert_memory_equal(&key, &again, sizeof(key));
}

static void reads_what_it_writes(void **state)
{
    char public_text[PUBLIC_KEY_TEXT], secret_text[SECRET_KEY_TEXT], id[KEY_ID_TEXT];
    struct public_key public, public_again;
    struct secret_key key, again;
    unsigned char scanned[KEY_ID];

    (void)state;
    gpudl__secret_key_make(&key);
    public = gpudl__secret_key_public(&key);
    gpudl__public_key_write(&public, public_text);
    assert_good(gpudl__public_key_read(text_of(public_text), &public_again, why()));
    assert_memory_equal(&public, &public_again, sizeof(public));
    assert_good(gpudl__secret_key_write(&key, NULL, cheap, secret_text, why()));
    assert_false(gpudl__secret_key_is_locked(text_of(secret_text)));
    assert_good(gpudl__secret_key_read(text_of(secret_text), NULL, &again, why()));
    assert_memory_equal(&key, &again, sizeof(key));
    gpudl__key_id_print(key.id, id);
    assert_true(gpudl__key_id_scan(text_of(id), scanned));
    assert_memory_equal(scanned, key.id, KEY_ID);
}

static void takes_line_ends_of_other_systems(void **state)
{
    const char *base64 = strchr(TRUST_TEXT(alice_pub), '\n') + 1;
    struct public_key key;
    char text[200];

    (void)state;
    snprintf(text, sizeof(text), "untrusted comment: x\r\n%.56s\r\n", base64);
    assert_good(gpudl__public_key_read(text_of(text), &key, why()));
    snprintf(text, sizeof(text), "untrusted comment: x\n%.56s", base64);
    assert_good(gpudl__public_key_read(text_of(text), &key, why()));
    snprintf(text, sizeof(text), "  %.56s \n\n", base64);
    assert_good(gpudl__public_key_read(text_of(text), &key, why()));
}

static void refuses_what_is_no_public_key(void **state)
{
    const char *base64 = strchr(TRUST_TEXT(alice_pub), '\n') + 1;
    struct public_key key;
    char text[300];

    (void)state;
    assert_refused(gpudl__public_key_read(text_of(""), &key, why()), TRUST_BAD_SETUP, "no public key");
    assert_refused(gpudl__public_key_read(text_of("untrusted comment: x\n"), &key, why()), TRUST_BAD_SETUP, "56 characters");
    assert_refused(gpudl__public_key_read(TRUST_SPAN(alice_key), &key, why()), TRUST_BAD_SETUP, "no public key");
    assert_refused(gpudl__public_key_read(TRUST_SPAN(signed_cubin), &key, why()), TRUST_BAD_SETUP, "no public key");
    snprintf(text, sizeof(text), "%.55s\n", base64);
    assert_refused(gpudl__public_key_read(text_of(text), &key, why()), TRUST_BAD_SETUP, "no public key");
    snprintf(text, sizeof(text), "%.56s\n%.56s\n", base64, base64);
    assert_refused(gpudl__public_key_read(text_of(text), &key, why()), TRUST_BAD_SETUP, "no public key");
    snprintf(text, sizeof(text), "Q%.55s\n", base64 + 1);
    assert_refused(gpudl__public_key_read(text_of(text), &key, why()), TRUST_BAD_SETUP, "algorithm 'Ad'");
}

static void a_password_opens_its_key_only(void **state)
{
    char text[SECRET_KEY_TEXT];
    struct secret_key key, again;

    (void)state;
    gpudl__secret_key_make(&key);
    assert_good(gpudl__secret_key_write(&key, "correct horse", cheap, text, why()));
    assert_true(gpudl__secret_key_is_locked(text_of(text)));
    assert_good(gpudl__secret_key_read(text_of(text), "correct horse", &again, why()));
    assert_memory_equal(&key, &again, sizeof(key));
    assert_refused(
        gpudl__secret_key_read(text_of(text), "correct hors", &again, why()), TRUST_WRONG_PASSWORD, "not this secret key's");
    assert_refused(gpudl__secret_key_read(text_of(text), "", &again, why()), TRUST_WRONG_PASSWORD, "not this secret key's");
    assert_refused(gpudl__secret_key_read(text_of(text), NULL, &again, why()), TRUST_WRONG_PASSWORD, "none was given");
}

/* The base64 of a record with some of its bytes changed. */
static void damage(const char *text, size_t at, unsigned char with, size_t n, char *out)
{
    const char *base64 = strchr(text, '\n') + 1;
    unsigned char record[158];
    size_t size;

    assert_int_equal(
        sodium_base642bin(record, sizeof(record), base64, 212, NULL, &size, NULL, sodium_base64_VARIANT_ORIGINAL), 0);
    assert_int_equal(size, sizeof(record));
    for (size_t i = 0; i < n; i++)
        record[at + i] ^= with;
    strcpy(out, "untrusted comment: damaged\n");
    sodium_bin2base64(out + strlen(out), 213, record, sizeof(record), sodium_base64_VARIANT_ORIGINAL);
}

/* Signing with a wrong public half would tell the secret one. */
static void a_damaged_secret_key_is_not_given_out(void **state)
{
    enum { AT_WORK = 38, AT_SECRET = 62, AT_PUBLIC = 94, AT_CHECK = 126 };
    char text[SECRET_KEY_TEXT];
    struct secret_key key;

    (void)state;
    damage(TRUST_TEXT(alice_key), AT_PUBLIC, 1, 1, text);
    assert_refused(gpudl__secret_key_read(text_of(text), NULL, &key, why()), TRUST_BAD_SETUP, "damaged");
    damage(TRUST_TEXT(alice_key), AT_SECRET, 1, 1, text);
    assert_refused(gpudl__secret_key_read(text_of(text), NULL, &key, why()), TRUST_BAD_SETUP, "damaged");
    damage(TRUST_TEXT(alice_key), AT_CHECK, 1, 1, text);
    assert_refused(gpudl__secret_key_read(text_of(text), NULL, &key, why()), TRUST_BAD_SETUP, "damaged");
    damage(TRUST_TEXT(alice_key), 0, 1, 0, text);
    assert_good(gpudl__secret_key_read(text_of(text), NULL, &key, why()));
}

/* A file does not make this process work for hours, or allocate what it likes. */
static void a_secret_key_may_not_cost_what_it_likes(void **state)
{
    char text[SECRET_KEY_TEXT], dear[SECRET_KEY_TEXT];
    struct secret_key key;

    (void)state;
    gpudl__secret_key_make(&key);
    assert_good(gpudl__secret_key_write(&key, "x", cheap, text, why()));
    damage(text, 38 + 5, 0xff, 1, dear);
    assert_refused(gpudl__secret_key_read(text_of(dear), "x", &key, why()), TRUST_BAD_SETUP, "damaged");
    damage(text, 46 + 5, 0xff, 1, dear);
    assert_refused(gpudl__secret_key_read(text_of(dear), "x", &key, why()), TRUST_BAD_SETUP, "damaged");
}

static void refuses_what_is_no_secret_key(void **state)
{
    struct secret_key key;
    char text[SECRET_KEY_TEXT];

    (void)state;
    assert_refused(gpudl__secret_key_read(text_of(""), NULL, &key, why()), TRUST_BAD_SETUP, "no secret key");
    assert_refused(gpudl__secret_key_read(TRUST_SPAN(alice_pub), NULL, &key, why()), TRUST_BAD_SETUP, "no secret key");
    for (size_t at = 0; at < 6; at++) { /* the three algorithms */
        damage(TRUST_TEXT(alice_key), at, 4, 1, text);
        assert_refused(gpudl__secret_key_read(text_of(text), NULL, &key, why()), TRUST_BAD_SETUP, "no secret key");
    }
}

static int start(void **state)
{
    (void)state;
    return gpudl__trust_init() ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_minisigns_public_keys),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(takes_line_ends_of_other_systems),
        cmocka_unit_test(refuses_what_is_no_public_key),
        cmocka_unit_test(a_password_opens_its_key_only),
        cmocka_unit_test(a_damaged_secret_key_is_not_given_out),
        cmocka_unit_test(a_secret_key_may_not_cost_what_it_likes),
        cmocka_unit_test(refuses_what_is_no_secret_key),
    };

    return cmocka_run_group_tests_name("keys", tests, start, NULL);
}
