#include "src/util/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/util/tls.h"

/* In front of every block; keeps the alignment. */
struct header {
    alignas(max_align_t) void (*release)(void *user, void *block);
    void *user;
};

static THREAD_LOCAL const struct allocator *current;

const struct allocator *gpudl__alloc_use(const struct allocator *a)
{
    const struct allocator *before = current;

    current = a;
    return before;
}

static void release_to_libc(void *user, void *block)
{
    (void)user;
    free(block);
}

void *gpudl__alloc(size_t bytes)
{
    const struct allocator *a = current;
    struct header *h;

    if (bytes > PTRDIFF_MAX - sizeof(*h))
        return NULL;
    h = a ? a->allocate(a->user, sizeof(*h) + bytes) : malloc(sizeof(*h) + bytes);
    if (!h)
        return NULL;
    h->release = a ? a->release : release_to_libc;
    h->user = a ? a->user : NULL;
    return h + 1;
}

void *gpudl__alloc_zero(size_t bytes)
{
    void *block = gpudl__alloc(bytes);

    return block ? memset(block, 0, bytes) : NULL;
}

char *gpudl__alloc_string(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? gpudl__alloc(size) : NULL;

    return copy ? memcpy(copy, text, size) : NULL;
}

void gpudl__free(void *block)
{
    struct header *h = block;

    if (!block)
        return;
    h--;
    h->release(h->user, h);
}
