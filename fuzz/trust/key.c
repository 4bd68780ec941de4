/* Any bytes as a public key, a secret key and a list of what is revoked: what can be read is the same when it is written and read
 * again, and a secret key that is given out has its own public half. */
#include "fuzz/trust/common.h"

#include <sodium.h>

static void check_public(struct span file)
{
    char text[PUBLIC_KEY_TEXT];
    struct public_key key, again;
    struct reason why;
    enum trust_error error = gpudl__public_key_read(file, &key, reason_begin(&why));

    reason_check(&why, error);
    if (error)
        return;
    gpudl__public_key_write(&key, text);
    CHECK(!gpudl__public_key_read((struct span){ (const unsigned char *)text, strlen(text) }, &again, reason_begin(&why)));
    CHECK(!memcmp(&key, &again, sizeof(key)));
}

/* Of a key with a password only that it is one is asked: trying one takes a second. */
static void check_secret(struct span file)
{
    unsigned char public[PUBLIC_KEY], secret[SECRET_KEY];
    bool locked = gpudl__secret_key_is_locked(file);
    struct secret_key key;
    struct reason why;
    enum trust_error error = gpudl__secret_key_read(file, NULL, &key, reason_begin(&why));

    reason_check(&why, error);
    CHECK(locked ? error != TRUST_OK : error != TRUST_WRONG_PASSWORD);
    if (error)
        return;
    crypto_sign_seed_keypair(public, secret, key.key);
    CHECK(!memcmp(secret, key.key, sizeof(secret)));
    CHECK(!memcmp(gpudl__secret_key_public(&key).key, public, sizeof(public)));
}

static void check_list(struct span file)
{
    struct trust_keys *keys = gpudl__trust_keys_create(), *again = gpudl__trust_keys_create();
    struct reason why;
    enum trust_error error;

    CHECK(keys && again);
    error = gpudl__trust_keys_revoke(keys, file, reason_begin(&why));
    reason_check(&why, error);
    CHECK(gpudl__trust_keys_revoke(again, file, reason_begin(&why)) == error && gpudl__trust_keys_same(keys, again));
    CHECK(!gpudl__trust_keys_count(keys));
    gpudl__trust_keys_free(keys);
    gpudl__trust_keys_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = copy_input(data, size);
    struct span file = { copy, size };

    CHECK(gpudl__trust_init());
    check_public(file);
    check_secret(file);
    check_list(file);
    free(copy);
    return 0;
}
