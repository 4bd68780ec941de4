/* sample.h - what a content that is not taken in as a whole is looked for by: its size, and pieces of HASH_SAMPLE bytes that lie all
 * over it, from its first byte to its last. Equal samples say little, others say that the contents differ. */
#ifndef GPUDL_UTIL_SAMPLE_H
#define GPUDL_UTIL_SAMPLE_H

#include <stdint.h>

#include "src/util/span.h"

enum { HASH_SAMPLES = 5, HASH_SAMPLE = 128, HASH_SAMPLED = HASH_SAMPLES * HASH_SAMPLE };

/* Of a size of at least HASH_SAMPLE: where the i-th begins. */
uint64_t gpudl__hash_sample_at(uint64_t size, unsigned i);
uint64_t gpudl__hash_samples(uint64_t size, const unsigned char taken[HASH_SAMPLED]);
uint64_t gpudl__hash_sampled(struct span bytes);        /* the same of bytes that are there, of any size */

#endif
