#include <sodium.h>

#include "src/cache/entry.h"

enum { AT_VERSION = 8, AT_HEADER = 12, AT_KEY = 16, AT_MADE = 48, AT_META = 56, AT_DATA = 64, AT_DIGEST = 72, AT_LABEL = 104, AT_SEAL = 224 };

#define DIGEST 32
_Static_assert(AT_SEAL + DIGEST == ENTRY_HEADER && AT_LABEL + ENTRY_LABEL == AT_SEAL, "the fields fill the header");

static const char magic[8] = { 'g', 'p', 'u', 'd', 'l', 'c', 'e', '\n' };

static void put_u32(unsigned char *at, uint32_t v)
{
    v = htole32(v);
    memcpy(at, &v, sizeof(v));
}

static void put_u64(unsigned char *at, uint64_t v)
{
    v = htole64(v);
    memcpy(at, &v, sizeof(v));
}

static void digest_of(struct span meta, struct span data, unsigned char digest[DIGEST])
{
    crypto_generichash_blake2b_state s;

    crypto_generichash_blake2b_init(&s, NULL, 0, DIGEST);
    crypto_generichash_blake2b_update(&s, meta.data, meta.size);
    crypto_generichash_blake2b_update(&s, data.data, data.size);
    crypto_generichash_blake2b_final(&s, digest, DIGEST);
}

static void seal_of(const unsigned char *header, const struct entry_secret *secret, unsigned char seal[DIGEST])
{
    crypto_generichash_blake2b(seal, DIGEST, header, AT_SEAL, secret->bytes, sizeof(secret->bytes));
}

void gpudl__entry_seal(unsigned char header[ENTRY_HEADER], const struct entry *e, const struct entry_secret *secret)
{
    memset(header, 0, ENTRY_HEADER);
    memcpy(header, magic, sizeof(magic));
    put_u32(header + AT_VERSION, ENTRY_VERSION);
    put_u32(header + AT_HEADER, ENTRY_HEADER);
    memcpy(header + AT_KEY, e->key.bytes, sizeof(e->key.bytes));
    put_u64(header + AT_MADE, e->made);
    put_u64(header + AT_META, e->meta.size);
    put_u64(header + AT_DATA, e->data.size);
    digest_of(e->meta, e->data, header + AT_DIGEST);
    memcpy(header + AT_LABEL, e->label, strnlen(e->label, ENTRY_LABEL - 1));
    seal_of(header, secret, header + AT_SEAL);
}

enum entry_fault gpudl__entry_head(struct span header, uint64_t size, const struct entry_secret *secret, struct entry *out)
{
    unsigned char seal[DIGEST];

    if (header.size < ENTRY_HEADER || size < ENTRY_HEADER)
        return ENTRY_CUT;
    if (!span_is(header, 0, magic, sizeof(magic)) || span_u32(header, AT_VERSION) != ENTRY_VERSION || span_u32(header, AT_HEADER) != ENTRY_HEADER)
        return ENTRY_UNKNOWN;
    seal_of(header.data, secret, seal);
    if (sodium_memcmp(seal, header.data + AT_SEAL, DIGEST))
        return ENTRY_FORGED;
    memset(out, 0, sizeof(*out));
    memcpy(out->key.bytes, header.data + AT_KEY, sizeof(out->key.bytes));
    memcpy(out->label, header.data + AT_LABEL, ENTRY_LABEL - 1);
    out->made = span_u64(header, AT_MADE);
    out->meta_size = span_u64(header, AT_META);
    out->data_size = span_u64(header, AT_DATA);
    if (out->meta_size > size - ENTRY_HEADER || out->data_size != size - ENTRY_HEADER - out->meta_size)
        return ENTRY_CUT;
    return ENTRY_GOOD;
}

enum entry_fault gpudl__entry_open(struct span file, const struct cache_key *key, const struct entry_secret *secret, struct entry *out)
{
    enum entry_fault fault = gpudl__entry_head(file, file.size, secret, out);
    unsigned char digest[DIGEST];

    if (fault)
        return fault;
    if (memcmp(out->key.bytes, key->bytes, sizeof(key->bytes)))
        return ENTRY_MISPLACED;
    if (!span_cut(file, ENTRY_HEADER, out->meta_size, &out->meta) || !span_cut(file, ENTRY_HEADER + out->meta_size, out->data_size, &out->data))
        return ENTRY_CUT;
    digest_of(out->meta, out->data, digest);
    return memcmp(digest, file.data + AT_DIGEST, DIGEST) ? ENTRY_DAMAGED : ENTRY_GOOD;
}
