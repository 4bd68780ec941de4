/* hash.h - the fast hash of a content, to find it again. Not cryptographic: an equal hash is confirmed by comparing bytes, and
 * nothing is trusted for its hash. The values are those of XXH3 and may be kept on disk. */
#ifndef GPUDL_UTIL_HASH_H
#define GPUDL_UTIL_HASH_H

#include <stdint.h>

#include "src/util/span.h"

struct hash128 {
    uint64_t low, high;
};

uint64_t gpudl__hash64(struct span bytes);
struct hash128 gpudl__hash128(struct span bytes);
struct hash128 gpudl__hash128_avx2(struct span bytes); /* what it is where the CPU has AVX2; on x86-64 only */

#endif
