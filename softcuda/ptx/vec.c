#include "softcuda/ptx/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

void *ptx_zalloc(struct arena *a, size_t size)
{
    void *p = gpudl__arena_alloc(a, size);

    return p ? memset(p, 0, size) : NULL;
}
