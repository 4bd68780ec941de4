/* libcrypto's SHA-256 uses what the CPU has for it and is several times faster than libsodium's; but it is 5 MB that take a
 * millisecond to load. So it is opened for the first content that is large enough to be worth it, and small contents, programs that
 * trust nothing and machines without a libcrypto do with libsodium's. Both give the same digests. */
#include "src/trust/sha256.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sodium.h>

enum { WORTH_IT = 256 * 1024 };

/* SHA256_CTX, of 112 bytes since ever. The functions need no initialised libcrypto, and read no configuration. */
struct crypto_state {
    _Alignas(16) unsigned char bytes[256];
};

static struct {
    int (*init)(struct crypto_state *);
    int (*update)(struct crypto_state *, const void *, size_t);
    int (*final)(unsigned char *, struct crypto_state *);
} crypto;
static pthread_once_t crypto_once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* Stays open, as whoever computes may be in it at any time. */
static void open_crypto(void)
{
    static const char *const names[] = { "libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1" };
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library || !find(library, "SHA256_Update", &crypto.update) || !find(library, "SHA256_Final", &crypto.final) ||
        !find(library, "SHA256_Init", &crypto.init))
        crypto.init = NULL;
}

bool gpudl__sha256_crypto(struct span bytes, struct sha256 *out)
{
    struct crypto_state state;

    pthread_once(&crypto_once, open_crypto);
    return crypto.init && crypto.init(&state) == 1 && crypto.update(&state, bytes.data, bytes.size) == 1 &&
        crypto.final(out->bytes, &state) == 1;
}

struct sha256 gpudl__sha256_sodium(struct span bytes)
{
    struct sha256 digest;

    crypto_hash_sha256(digest.bytes, bytes.data, bytes.size);
    return digest;
}

struct sha256 gpudl__sha256(struct span bytes)
{
    struct sha256 digest;

    if (bytes.size >= WORTH_IT && gpudl__sha256_crypto(bytes, &digest))
        return digest;
    return gpudl__sha256_sodium(bytes);
}

void gpudl__sha256_print(const struct sha256 *digest, char text[SHA256_TEXT])
{
    sodium_bin2hex(text, SHA256_TEXT, digest->bytes, sizeof(digest->bytes));
}

bool gpudl__sha256_scan(struct span text, struct sha256 *out)
{
    struct sha256 digest;
    size_t n;

    if (text.size != SHA256_TEXT - 1 ||
        sodium_hex2bin(digest.bytes, sizeof(digest.bytes), (const char *)text.data, text.size, NULL, &n, NULL) != 0 ||
        n != sizeof(digest.bytes))
        return false;
    *out = digest;
    return true;
}
