/* arena.h - memory that is freed all at once, and growing arrays to fill before their size is known. */
#ifndef SOFTCUDA_PTX_ARENA_H
#define SOFTCUDA_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena_block;

/* All zeroes is an empty arena. */
struct ptx_arena {
    struct ptx_arena_block *blocks;
    char *at, *end;             /* what is left of the newest small block */
};

void *ptx_arena_alloc(struct ptx_arena *, size_t size);     /* zeroed, for any type; NULL when memory runs out */
void ptx_arena_free(struct ptx_arena *);                    /* leaves an empty one */

/* All zeroes is an empty vector. Pointers into it hold until the next push. */
struct ptx_vec {
    void *data;
    size_t n, room;
};

void *ptx_vec_push(struct ptx_vec *, size_t elem);          /* a new zeroed element at the end; NULL when memory runs out */
void *ptx_vec_extend(struct ptx_vec *, size_t elem, size_t n);      /* the first of n new zeroed elements, n > 0 */
void ptx_vec_free(struct ptx_vec *);

#endif
