/* arena.h - many small things that are released together. Zero-initialised is empty; not locked. */
#ifndef GPUDL_UTIL_ARENA_H
#define GPUDL_UTIL_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *blocks;     /* the newest first */
};

void *gpudl__arena_alloc(struct arena *a, size_t size);     /* aligned for any type, not cleared; NULL: no memory */
/* A copy of the first `used` bytes of old in a place of `size` bytes; old stays where it is until the end. */
void *gpudl__arena_grow(struct arena *a, const void *old, size_t used, size_t size);
char *gpudl__arena_string(struct arena *a, const void *bytes, size_t size);     /* a copy, with a NUL behind it */
void gpudl__arena_free(struct arena *a);

#endif
