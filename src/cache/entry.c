#include <sodium.h>

#include "src/cache/entry.h"

enum {
    AT_VERSION = 8, AT_HEADER = 12, AT_KIND = 14, AT_KEY = 16, AT_MADE = 48, AT_META = 56, AT_DATA = 64, AT_NONCE = 72, AT_DIGEST = 104,
    AT_LABEL = 136, AT_SEAL = 256, AT_TAG = 288, AT_ZEROS = 304,
};
enum { TAG_GMAC = 1, TAG_POLY1305 = 2 };

#define NONCE  32
#define DIGEST 32
#define TAG    16
_Static_assert(AT_NONCE + NONCE == AT_DIGEST && AT_LABEL + ENTRY_LABEL == AT_SEAL && AT_TAG + TAG == AT_ZEROS, "the fields fill the header");
_Static_assert(TAG == crypto_aead_aes256gcm_ABYTES && TAG == crypto_onetimeauth_BYTES, "tags are of one size");

static const char magic[8] = { 'g', 'p', 'u', 'd', 'l', 'c', 'e', '\n' };

static void put(unsigned char *at, uint64_t v, size_t size)
{
    v = htole64(v);
    memcpy(at, &v, size);
}

static void digest_of(struct span meta, unsigned char digest[DIGEST])
{
    crypto_generichash_blake2b(digest, DIGEST, meta.data, meta.size, NULL, 0);
}

/* What follows from a header and the secret. */
struct derived {
    unsigned char seal[DIGEST];
    unsigned char once[32];     /* the key of the tag */
};
_Static_assert(sizeof(struct derived) == crypto_generichash_blake2b_BYTES_MAX, "one digest makes both");
_Static_assert(crypto_aead_aes256gcm_KEYBYTES == 32 && crypto_onetimeauth_KEYBYTES == 32, "keys are of one size");

static void derive(const unsigned char *header, const struct entry_secret *secret, struct derived *out)
{
    crypto_generichash_blake2b((unsigned char *)out, sizeof(*out), header, AT_SEAL, secret->bytes, sizeof(secret->bytes));
}

/* AES may do with the same nonce each time, as the key is another one. */
static void gmac(struct span data, const unsigned char key[32], unsigned char tag[TAG])
{
    static const unsigned char nonce[crypto_aead_aes256gcm_NPUBBYTES];
    unsigned char nothing[1];

    crypto_aead_aes256gcm_encrypt_detached(nothing, tag, NULL, NULL, 0, data.data, data.size, NULL, nonce, key);
}

static void tag_of(unsigned kind, struct span data, const struct derived *d, unsigned char tag[TAG])
{
    if (kind == TAG_GMAC)
        gmac(data, d->once, tag);
    else
        crypto_onetimeauth(tag, data.data, data.size, d->once);
}

void gpudl__entry_seal(unsigned char header[ENTRY_HEADER], const struct entry *e, const struct entry_secret *secret)
{
    unsigned kind = crypto_aead_aes256gcm_is_available() ? TAG_GMAC : TAG_POLY1305;
    struct derived d;

    memset(header, 0, ENTRY_HEADER);
    memcpy(header, magic, sizeof(magic));
    put(header + AT_VERSION, ENTRY_VERSION, 4);
    put(header + AT_HEADER, ENTRY_HEADER, 2);
    put(header + AT_KIND, kind, 2);
    memcpy(header + AT_KEY, e->key.bytes, sizeof(e->key.bytes));
    put(header + AT_MADE, e->made, 8);
    put(header + AT_META, e->meta.size, 8);
    put(header + AT_DATA, e->data.size, 8);
    randombytes_buf(header + AT_NONCE, NONCE);
    digest_of(e->meta, header + AT_DIGEST);
    memcpy(header + AT_LABEL, e->label, strnlen(e->label, ENTRY_LABEL - 1));
    derive(header, secret, &d);
    memcpy(header + AT_SEAL, d.seal, DIGEST);
    tag_of(kind, e->data, &d, header + AT_TAG);
    sodium_memzero(&d, sizeof(d));
}

static bool is_known(struct span header)
{
    unsigned kind = span_u16(header, AT_KIND);

    return span_is(header, 0, magic, sizeof(magic)) && span_u32(header, AT_VERSION) == ENTRY_VERSION &&
        span_u16(header, AT_HEADER) == ENTRY_HEADER && sodium_is_zero(header.data + AT_ZEROS, ENTRY_HEADER - AT_ZEROS) &&
        (kind == TAG_POLY1305 || (kind == TAG_GMAC && crypto_aead_aes256gcm_is_available()));
}

enum entry_fault gpudl__entry_head(struct span header, uint64_t size, const struct entry_secret *secret, struct entry *out)
{
    struct derived d;
    bool good;

    if (header.size < ENTRY_HEADER || size < ENTRY_HEADER)
        return ENTRY_CUT;
    if (!is_known(header))
        return ENTRY_UNKNOWN;
    derive(header.data, secret, &d);
    good = !sodium_memcmp(d.seal, header.data + AT_SEAL, DIGEST);
    sodium_memzero(&d, sizeof(d));
    if (!good)
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

enum entry_fault gpudl__entry_body(const unsigned char header[ENTRY_HEADER], const struct entry_secret *secret, const struct entry *e)
{
    unsigned char digest[DIGEST], tag[TAG];
    struct span head = { header, ENTRY_HEADER };
    struct derived d;

    digest_of(e->meta, digest);
    if (e->meta.size != e->meta_size || e->data.size != e->data_size || memcmp(digest, header + AT_DIGEST, DIGEST))
        return ENTRY_DAMAGED;
    derive(header, secret, &d);
    tag_of(span_u16(head, AT_KIND), e->data, &d, tag);
    sodium_memzero(&d, sizeof(d));
    return sodium_memcmp(tag, header + AT_TAG, TAG) ? ENTRY_DAMAGED : ENTRY_GOOD;
}
