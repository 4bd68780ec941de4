/* Any bytes as a file of the cache: as they are, or with seal and digest made right, as the reader would stop there otherwise. What is taken
 * for an entry lies inside of the file, fills it, and is of the key asked for; sealed again, it has the same header. */
#include <sodium.h>
#include <stdlib.h>

#include "src/cache/entry.h"

#define MOST        65536
#define AT_DIGEST   72
#define AT_SEAL     224

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct entry_secret secret = { "sixteen bytes, and sixteen more" };

static void check(int holds)
{
    if (!holds)
        abort();
}

static void make_right(unsigned char *file, size_t size, int how)
{
    if (how >= 2)
        crypto_generichash_blake2b(file + AT_DIGEST, 32, file + ENTRY_HEADER, size - ENTRY_HEADER, NULL, 0);
    if (how >= 1)
        crypto_generichash_blake2b(file + AT_SEAL, 32, file, AT_SEAL, secret.bytes, sizeof(secret.bytes));
}

static void open_file(struct span file)
{
    unsigned char header[ENTRY_HEADER];
    struct cache_key key = { { 0 } };
    struct entry e, head;

    if (file.size >= 48)
        memcpy(key.bytes, file.data + 16, sizeof(key.bytes));
    if (gpudl__entry_open(file, &key, &secret, &e))
        return;
    check(!memcmp(&e.key, &key, sizeof(key)));
    check(e.meta.data == file.data + ENTRY_HEADER && e.data.data == e.meta.data + e.meta.size);
    check(e.data.data + e.data.size == file.data + file.size);
    check(memchr(e.label, 0, sizeof(e.label)) != NULL);
    check(!gpudl__entry_head((struct span){ file.data, ENTRY_HEADER }, file.size, &secret, &head) && head.data_size == e.data.size);
    gpudl__entry_seal(header, &e, &secret);
    check(gpudl__entry_head((struct span){ header, ENTRY_HEADER }, file.size, &secret, &head) == ENTRY_GOOD);
    check(!memcmp(header, file.data, 104));
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
