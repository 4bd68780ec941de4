/* disk.h - machine code kept between runs of programs: object files in the cache, each under a key of everything that went into it.
 *
 * SOFTCUDA_CACHE=off keeps none; nor does a softcuda without a build id, as nothing else tells two of them apart. */
#ifndef SOFTCUDA_JIT_DISK_H
#define SOFTCUDA_JIT_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "src/cache/key.h"

/* What made the code, for its key: LLVM and this library. */
void disk_add_maker(struct cache_key_maker *);

/* NULL: not there. The caller's. */
LLVMMemoryBufferRef disk_find(const struct cache_key *, bool *may_wait);
void disk_keep(const struct cache_key *, const char *label, LLVMMemoryBufferRef object, bool may_wait);
void disk_drop(const struct cache_key *);   /* what was found does not load */

struct softcuda_cache_stats {               /* of this process */
    uint64_t hits, misses, stored, healed;
};
__attribute__((visibility("default"))) void softcuda_cache_stats(struct softcuda_cache_stats *);

#endif
