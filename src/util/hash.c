#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/util/hash.h"

enum { WIDE_FROM = 1024 }; /* bytes; for less it is not worth asking the CPU */

uint64_t gpudl__hash64(struct span bytes)
{
    return XXH3_64bits(bytes.data, bytes.size);
}

struct hash128 gpudl__hash128(struct span bytes)
{
    XXH128_hash_t h;

#ifdef HASH_AVX2 /* the build has hash_avx2.c */
    if (bytes.size >= WIDE_FROM && __builtin_cpu_supports("avx2"))
        return gpudl__hash128_avx2(bytes);
#endif
    h = XXH3_128bits(bytes.data, bytes.size);
    return (struct hash128){ h.low64, h.high64 };
}
