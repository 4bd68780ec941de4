#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/util/hash.h"

uint64_t gpudl__hash64(struct span bytes)
{
    return XXH3_64bits(bytes.data, bytes.size);
}

struct hash128 gpudl__hash128(struct span bytes)
{
    XXH128_hash_t h = XXH3_128bits(bytes.data, bytes.size);

    return (struct hash128){ h.low64, h.high64 };
}
