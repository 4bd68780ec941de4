#include <sodium.h>

#include "src/trust/armor.h"
#include "src/trust/trust.h"
#include "src/util/alloc.h"

struct key_id {
    unsigned char bytes[KEY_ID];
};

struct trust_keys {
    struct public_key *keys;
    struct key_id *revoked;
    struct sha256 *revoked_contents;
    size_t nkeys, nrevoked, nrevoked_contents;
};

bool gpudl__trust_init(void)
{
    return sodium_init() >= 0;
}

struct trust_keys *gpudl__trust_keys_create(void)
{
    return gpudl__alloc_zero(sizeof(struct trust_keys));
}

void gpudl__trust_keys_free(struct trust_keys *k)
{
    if (!k)
        return;
    gpudl__free(k->keys);
    gpudl__free(k->revoked);
    gpudl__free(k->revoked_contents);
    gpudl__free(k);
}

/* Appends one element to an array whose capacity is the power of two at or above its count. False: no memory. */
static bool append(void *array, size_t *n, const void *element, size_t size)
{
    unsigned char *old, *grown;

    memcpy(&old, array, sizeof(old));
    grown = old;
    if ((*n & (*n - 1)) == 0) { /* 0 and powers of two: full */
        grown = gpudl__alloc((*n ? 2 * *n : 1) * size);
        if (!grown)
            return false;
        if (*n)
            memcpy(grown, old, *n * size);
        gpudl__free(old);
        memcpy(array, &grown, sizeof(grown));
    }
    memcpy(grown + (*n)++ * size, element, size);
    return true;
}

static enum trust_error no_memory(struct text *why)
{
    return trust_fail(TRUST_NO_MEMORY, why, "no host memory for its keys");
}

enum trust_error gpudl__trust_keys_add(struct trust_keys *k, struct span file, struct text *why)
{
    struct public_key key;
    enum trust_error error = gpudl__public_key_read(file, &key, why);

    if (error)
        return error;
    return append(&k->keys, &k->nkeys, &key, sizeof(key)) ? TRUST_OK : no_memory(why);
}

static enum trust_error revoke_line(struct trust_keys *k, struct span line, unsigned number, struct text *why)
{
    char nowhere[1];
    struct text unsaid = gpudl__text_init(nowhere, sizeof(nowhere));
    struct public_key key;
    struct sha256 digest;

    if (gpudl__sha256_scan(line, &digest))
        return append(&k->revoked_contents, &k->nrevoked_contents, &digest, sizeof(digest)) ? TRUST_OK : no_memory(why);
    if (gpudl__key_id_scan(line, key.id) || gpudl__public_key_read(line, &key, &unsaid) == TRUST_OK)
        return append(&k->revoked, &k->nrevoked, key.id, sizeof(key.id)) ? TRUST_OK : no_memory(why);
    gpudl__text_add(why, "line %u is ", number);
    gpudl__text_quote(why, line.data, line.size);
    return trust_fail(TRUST_BAD_SETUP, why,
        ", and should be a key's id (16 hexadecimal digits), a public key (56 characters of base64) or a SHA-256 (64 hexadecimal "
        "digits)");
}

enum trust_error gpudl__trust_keys_revoke(struct trust_keys *k, struct span list, struct text *why)
{
    enum trust_error error = TRUST_OK;
    struct span line;

    for (unsigned number = 1; !error && gpudl__line_next(&list, &line); number++) {
        const unsigned char *comment = line.size ? memchr(line.data, '#', line.size) : NULL;

        if (comment)
            line.size = (size_t)(comment - line.data);
        line = gpudl__line_trim(line);
        if (line.size)
            error = revoke_line(k, line, number, why);
    }
    return error;
}

size_t gpudl__trust_keys_count(const struct trust_keys *k)
{
    return k ? k->nkeys : 0;
}

const struct public_key *gpudl__trust_keys_at(const struct trust_keys *k, size_t i)
{
    return &k->keys[i];
}

bool gpudl__trust_keys_revoked(const struct trust_keys *k, const unsigned char id[KEY_ID])
{
    for (size_t i = 0; k && i < k->nrevoked; i++)
        if (memcmp(k->revoked[i].bytes, id, KEY_ID) == 0)
            return true;
    return false;
}

bool gpudl__trust_keys_revoke_contents(const struct trust_keys *k)
{
    return k && k->nrevoked_contents;
}

bool gpudl__trust_keys_revoked_content(const struct trust_keys *k, const struct sha256 *digest)
{
    for (size_t i = 0; k && i < k->nrevoked_contents; i++)
        if (sha256_same(&k->revoked_contents[i], digest))
            return true;
    return false;
}

static bool same(const void *a, size_t na, const void *b, size_t nb, size_t size)
{
    return na == nb && (!na || memcmp(a, b, na * size) == 0);
}

bool gpudl__trust_keys_same(const struct trust_keys *a, const struct trust_keys *b)
{
    return same(a->keys, a->nkeys, b->keys, b->nkeys, sizeof(*a->keys)) &&
        same(a->revoked, a->nrevoked, b->revoked, b->nrevoked, sizeof(*a->revoked)) &&
        same(a->revoked_contents, a->nrevoked_contents, b->revoked_contents, b->nrevoked_contents, sizeof(*a->revoked_contents));
}
