/* arena.c - a chain of blocks; what is large gets one of its own. */
#include "softcuda/ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct ptx_arena_block {
    _Alignas(max_align_t) struct ptx_arena_block *next;
};

static void *new_block(struct ptx_arena *a, size_t size)
{
    struct ptx_arena_block *b;

    if (size > SIZE_MAX - sizeof(*b))
        return NULL;
    b = calloc(1, sizeof(*b) + size);
    if (!b)
        return NULL;
    b->next = a->blocks;
    a->blocks = b;
    return b + 1;
}

void *ptx_arena_alloc(struct ptx_arena *a, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    char *p;

    if (size > BLOCK_BYTES / 4)
        return new_block(a, size);
    size = (size + align - 1) / align * align;
    if ((size_t)(a->end - a->at) < size) {
        p = new_block(a, BLOCK_BYTES);
        if (!p)
            return NULL;
        a->at = p;
        a->end = p + BLOCK_BYTES;
    }
    p = a->at;
    a->at += size;
    return p;
}

void ptx_arena_free(struct ptx_arena *a)
{
    struct ptx_arena_block *b = a->blocks, *next;

    for (; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct ptx_arena){ 0 };
}

void *ptx_vec_extend(struct ptx_vec *v, size_t elem, size_t n)
{
    size_t room = v->room ? v->room : 16;
    char *p;

    while (room - v->n < n) {
        if (room > SIZE_MAX / 2 / elem)
            return NULL;
        room *= 2;
    }
    if (room != v->room) {
        p = realloc(v->data, room * elem);
        if (!p)
            return NULL;
        v->data = p;
        v->room = room;
    }
    p = (char *)v->data + v->n * elem;
    v->n += n;
    return memset(p, 0, n * elem);
}

void *ptx_vec_push(struct ptx_vec *v, size_t elem)
{
    return ptx_vec_extend(v, elem, 1);
}

void ptx_vec_free(struct ptx_vec *v)
{
    free(v->data);
    *v = (struct ptx_vec){ 0 };
}
