/* index.h - finds a name among many. Few are compared one by one, and cost no memory. Zero-initialised is empty; not locked. */
#ifndef GPUDL_LOADER_INDEX_H
#define GPUDL_LOADER_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names that somebody has, by number. */
struct names {
    const char *(*at)(const void *list, size_t index);
    const void *list;
    size_t count;
};

struct name_index {
    uint32_t *cells;        /* number + 1 of a name, at its hash or behind; 0: none. NULL while there are few names */
    size_t ncells;          /* a power of two, at least twice the names */
};

/* To be called when names were added at the end; false: no memory, and then the index is as it was. */
bool gpudl__index_update(struct name_index *x, const struct names *names, size_t already);
bool gpudl__index_find(const struct name_index *x, const struct names *names, const char *name, size_t *index);
void gpudl__index_free(struct name_index *x);

#endif
