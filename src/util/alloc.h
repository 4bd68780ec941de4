/* alloc.h - gpudl's own heap. Blocks come from the allocator that the calling thread works under, malloc unless one was chosen, and
 * remember it: gpudl__free() gives each back to where it came from, from any thread. */
#ifndef GPUDL_UTIL_ALLOC_H
#define GPUDL_UTIL_ALLOC_H

#include <stddef.h>

struct allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
};

/* The calling thread works under a from now on (NULL: malloc); returns what it worked under before, to be restored. Lent for that time. */
const struct allocator *gpudl__alloc_use(const struct allocator *a);

void *gpudl__alloc(size_t bytes);                   /* aligned for any type, not cleared; NULL: no memory */
void *gpudl__alloc_zero(size_t bytes);
char *gpudl__alloc_string(const char *text);        /* a copy; text may be NULL, and then so is the copy */
void gpudl__free(void *block);                      /* accepts NULL */

#endif
