/* sha256.h - SHA-256 digests, and how they are written. */
#ifndef GPUDL_TRUST_SHA256_H
#define GPUDL_TRUST_SHA256_H

#include "src/util/span.h"

struct sha256 {
    unsigned char bytes[32];
};

enum { SHA256_TEXT = 65 };      /* 64 lower-case hexadecimal digits and a NUL */

struct sha256 gpudl__sha256(struct span bytes);
/* The same with one library or the other; false: libcrypto is not there. */
bool gpudl__sha256_crypto(struct span bytes, struct sha256 *out);
struct sha256 gpudl__sha256_sodium(struct span bytes);

void gpudl__sha256_print(const struct sha256 *, char text[SHA256_TEXT]);
bool gpudl__sha256_scan(struct span text, struct sha256 *out);     /* 64 digits of either case, and nothing else */
static inline bool sha256_same(const struct sha256 *a, const struct sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

#endif
