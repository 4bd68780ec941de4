#include "src/util/sample.h"

#include <string.h>

#include "src/util/hash.h"

uint64_t gpudl__hash_sample_at(uint64_t size, unsigned i)
{
    uint64_t last = size - HASH_SAMPLE;

    return i == HASH_SAMPLES - 1 ? last : last / (HASH_SAMPLES - 1) * i;
}

uint64_t gpudl__hash_samples(uint64_t size, const unsigned char taken[HASH_SAMPLED])
{
    unsigned char all[HASH_SAMPLED + sizeof(size)];

    memcpy(all, taken, HASH_SAMPLED);
    memcpy(all + HASH_SAMPLED, &size, sizeof(size));
    return gpudl__hash64((struct span){ all, sizeof(all) });
}

uint64_t gpudl__hash_sampled(struct span bytes)
{
    unsigned char taken[HASH_SAMPLED] = { 0 };

    if (bytes.size < HASH_SAMPLE) {
        if (bytes.size)
            memcpy(taken, bytes.data, bytes.size);
        return gpudl__hash_samples(bytes.size, taken);
    }
    for (unsigned i = 0; i < HASH_SAMPLES; i++)
        memcpy(taken + i * HASH_SAMPLE, bytes.data + gpudl__hash_sample_at(bytes.size, i), HASH_SAMPLE);
    return gpudl__hash_samples(bytes.size, taken);
}
