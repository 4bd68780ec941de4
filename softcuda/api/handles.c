/* handles.c - see handles.h. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/objects.h"

#define CHUNK 64                        /* objects */

struct sc_chunk { struct sc_chunk *next; _Alignas(16) unsigned char objects[]; };
struct unused { _Atomic uint32_t magic; struct unused *next; };

struct sc_handles sc_streams = SC_HANDLES(struct CUstream_st), sc_events = SC_HANDLES(struct CUevent_st),
                  sc_modules = SC_HANDLES(struct CUmod_st), sc_libraries = SC_HANDLES(struct CUlib_st),
                  sc_functions = SC_HANDLES(struct CUfunc_st), sc_kernels = SC_HANDLES(struct CUkern_st);

static void put(struct sc_handles *h, void *object)
{
    struct unused *u = object;

    atomic_store(&u->magic, 0);
    u->next = h->unused;
    h->unused = u;
}

static int grow(struct sc_handles *h)
{
    struct sc_chunk *c = aligned_alloc(16, sizeof(*c) + CHUNK * h->size);

    if (!c)
        return -1;
    memset(c, 0, sizeof(*c) + CHUNK * h->size);
    c->next = h->chunks;
    h->chunks = c;
    for (size_t i = CHUNK; i-- > 0;)
        put(h, c->objects + i * h->size);
    return 0;
}

void *sc_handle_new(struct sc_handles *h, uint32_t magic)
{
    struct unused *u = NULL;

    pthread_mutex_lock(&h->lock);
    if (h->unused || !grow(h)) {
        u = h->unused;
        h->unused = u->next;
        memset((unsigned char *)u + sizeof(u->magic), 0, h->size - sizeof(u->magic));
        atomic_store(&u->magic, magic);
    }
    pthread_mutex_unlock(&h->lock);
    return u;
}

void sc_handle_free(struct sc_handles *h, void *object)
{
    pthread_mutex_lock(&h->lock);
    put(h, object);
    pthread_mutex_unlock(&h->lock);
}

void sc_handles_each(struct sc_handles *h, void (*visit)(void *, void *), void *arg)
{
    pthread_mutex_lock(&h->lock);
    for (struct sc_chunk *c = h->chunks; c; c = c->next)
        for (size_t i = 0; i < CHUNK; i++)
            if (atomic_load(&((struct unused *)(void *)(c->objects + i * h->size))->magic))
                visit(c->objects + i * h->size, arg);
    pthread_mutex_unlock(&h->lock);
}
