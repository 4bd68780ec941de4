/* Any bytes as a file of the cache: as they are, or with seal, digest and tag made right, as the reader would stop there otherwise. What is taken
 * for an entry fills the file; sealed again, it has the same header but for the nonce. */
#include <sodium.h>
#include <stdlib.h>

#include "src/cache/entry.h"

#define MOST        65536

enum { AT_META = 56, AT_NONCE = 72, AT_DIGEST = 104, AT_SEAL = 256, AT_TAG = 288 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct entry_secret secret = { "sixteen bytes, and sixteen more" };

static void check(int holds)
{
    if (!holds)
        abort();
}

/* How much of it is made right: 1, the seal; 2, also what follows the header. */
static void make_right(unsigned char *file, size_t size, int how)
{
    uint64_t meta = span_u64((struct span){ file, size }, AT_META), rest = size - ENTRY_HEADER;
    struct derived { unsigned char seal[32], once[32]; } d;
    unsigned char *body = file + ENTRY_HEADER;

    if (how >= 2 && meta <= rest)
        crypto_generichash_blake2b(file + AT_DIGEST, 32, body, meta, NULL, 0);
    if (how >= 1) {
        crypto_generichash_blake2b((unsigned char *)&d, sizeof(d), file, AT_SEAL, secret.bytes, sizeof(secret.bytes));
        memcpy(file + AT_SEAL, d.seal, sizeof(d.seal));
    }
    if (how >= 2 && meta <= rest)
        crypto_onetimeauth(file + AT_TAG, body + meta, rest - meta, d.once);
}

static void open_file(struct span file)
{
    unsigned char header[ENTRY_HEADER];
    struct entry e, head;

    if (gpudl__entry_head(file, file.size, &secret, &e))
        return;
    check(span_cut(file, ENTRY_HEADER, e.meta_size, &e.meta) && span_cut(file, ENTRY_HEADER + e.meta_size, e.data_size, &e.data));
    check(e.data.data + e.data.size == file.data + file.size);
    check(memchr(e.label, 0, sizeof(e.label)) != NULL);
    if (gpudl__entry_body(file.data, &secret, &e))
        return;
    gpudl__entry_seal(header, &e, &secret);
    check(gpudl__entry_head((struct span){ header, ENTRY_HEADER }, file.size, &secret, &head) == ENTRY_GOOD);
    check(!memcmp(header, file.data, AT_NONCE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *file;
    struct cache_key key;
    char text[CACHE_KEY_TEXT + 8] = { 0 };

    if (!size || size > MOST)
        return 0;
    memcpy(text, data, size < sizeof(text) - 1 ? size : sizeof(text) - 1);
    gpudl__key_scan(text, &key);
    file = malloc(size);        /* of this length, so that a sanitizer sees the first byte behind it */
    check(file != NULL);
    memcpy(file, data + 1, size - 1);
    if (size - 1 >= ENTRY_HEADER)
        make_right(file, size - 1, data[0] % 3);
    open_file((struct span){ file, size - 1 });
    free(file);
    return 0;
}
