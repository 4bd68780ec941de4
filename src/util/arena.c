#include "src/util/arena.h"

#include <stdint.h>
#include <string.h>

#include "src/util/alloc.h"

#define FIRST_BLOCK 1024u
#define LARGEST_BLOCK (64u * 1024)
#define ALIGN _Alignof(max_align_t)

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    max_align_t data[];
};

static struct arena_block *add_block(struct arena *a, size_t least)
{
    size_t size = a->blocks ? 2 * a->blocks->size : FIRST_BLOCK;
    struct arena_block *b;

    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < least)
        size = least;
    b = gpudl__alloc(sizeof(*b) + size);
    if (!b)
        return NULL;
    *b = (struct arena_block){ a->blocks, size, 0 };
    a->blocks = b;
    return b;
}

void *gpudl__arena_alloc(struct arena *a, size_t size)
{
    struct arena_block *b = a->blocks;
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!b || size > b->size - b->used)
        b = add_block(a, size);
    if (!b)
        return NULL;
    p = (unsigned char *)b->data + b->used;
    b->used += size;
    return p;
}

void *gpudl__arena_grow(struct arena *a, const void *old, size_t used, size_t size)
{
    void *p = gpudl__arena_alloc(a, size);

    if (p && used)
        memcpy(p, old, used);
    return p;
}

char *gpudl__arena_string(struct arena *a, const void *bytes, size_t size)
{
    char *s = size < SIZE_MAX ? gpudl__arena_alloc(a, size + 1) : NULL;

    if (!s)
        return NULL;
    if (size)
        memcpy(s, bytes, size);
    s[size] = '\0';
    return s;
}

void gpudl__arena_free(struct arena *a)
{
    for (struct arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        gpudl__free(b);
    }
    a->blocks = NULL;
}
