/* vec.h - growing arrays, to fill before their size is known; and cleared memory of an arena. */
#ifndef SOFTCUDA_PTX_VEC_H
#define SOFTCUDA_PTX_VEC_H

#include <stddef.h>

#include "src/util/arena.h"

/* All zeroes is an empty vector. Pointers into it hold until the next push. */
struct ptx_vec {
    void *data;
    size_t n, room;
};

void *ptx_vec_push(struct ptx_vec *, size_t elem);          /* a new zeroed element at the end; NULL when memory runs out */
void *ptx_vec_extend(struct ptx_vec *, size_t elem, size_t n);      /* the first of n new zeroed elements, n > 0 */
void ptx_vec_free(struct ptx_vec *);

void *ptx_zalloc(struct arena *, size_t size);              /* zeroed; NULL when memory runs out */

#endif
