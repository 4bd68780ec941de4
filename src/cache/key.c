#include <sodium.h>

#include "src/cache/key.h"

#define PERSONAL "gpudl key\0\0\0\0\0\0"    /* 16 bytes that set these digests apart from all others */

_Static_assert(sizeof(struct cache_key_maker) >= sizeof(crypto_generichash_blake2b_state), "the state does not fit");
_Static_assert(sizeof(PERSONAL) == crypto_generichash_blake2b_PERSONALBYTES, "the personal text is 16 bytes with its NUL");

static crypto_generichash_blake2b_state *state_of(struct cache_key_maker *m)
{
    return (crypto_generichash_blake2b_state *)(void *)m->state;
}

static void add_sized(struct cache_key_maker *m, const void *bytes, size_t size)
{
    uint64_t length = htole64(size);

    crypto_generichash_blake2b_update(state_of(m), (const unsigned char *)&length, sizeof(length));
    crypto_generichash_blake2b_update(state_of(m), bytes, size);
}

void gpudl__key_begin(struct cache_key_maker *m, const char *domain, uint32_t version)
{
    crypto_generichash_blake2b_init_salt_personal(state_of(m), NULL, 0, sizeof(struct cache_key), NULL, (const unsigned char *)PERSONAL);
    gpudl__key_add_number(m, domain, version);
}

void gpudl__key_add(struct cache_key_maker *m, const char *tag, struct span bytes)
{
    add_sized(m, tag, strlen(tag));
    add_sized(m, bytes.data, bytes.size);
}

void gpudl__key_add_text(struct cache_key_maker *m, const char *tag, const char *text)
{
    gpudl__key_add(m, tag, (struct span){ (const unsigned char *)text, strlen(text) });
}

void gpudl__key_add_number(struct cache_key_maker *m, const char *tag, uint64_t number)
{
    uint64_t little = htole64(number);

    gpudl__key_add(m, tag, (struct span){ (const unsigned char *)&little, sizeof(little) });
}

void gpudl__key_end(struct cache_key_maker *m, struct cache_key *key)
{
    crypto_generichash_blake2b_final(state_of(m), key->bytes, sizeof(key->bytes));
}

void gpudl__key_print(const struct cache_key *key, char text[CACHE_KEY_TEXT])
{
    sodium_bin2hex(text, CACHE_KEY_TEXT, key->bytes, sizeof(key->bytes));
}

bool gpudl__key_scan(const char *text, struct cache_key *key)
{
    char again[CACHE_KEY_TEXT];
    size_t n;

    if (sodium_hex2bin(key->bytes, sizeof(key->bytes), text, strnlen(text, CACHE_KEY_TEXT), NULL, &n, NULL) || n != sizeof(key->bytes))
        return false;
    gpudl__key_print(key, again);
    return !strcmp(text, again);
}
