/* graphuser.c - user objects: something of the caller's that lives as long as graphs, executables and their launches need it. As
 * with a real driver, a thread of the library's own destroys them, at some time after the last reference went. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/graph.h"

struct CUuserObject_st {
    uint32_t magic;
    atomic_uint refs;
    CUhostFn destroy;
    void *data;
    CUuserObject next;                  /* to be destroyed */
};

struct sc_handles sc_user_objects = SC_HANDLES(struct CUuserObject_st);

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    CUuserObject first, *end;
    bool started;
} dead = { .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .end = &dead.first };

static void destroy(CUuserObject o)
{
    sc_in_callback = true;
    o->destroy(o->data);
    sc_in_callback = false;
    sc_handle_free(&sc_user_objects, o);
}

static void *destroyer_main(void *name)
{
    CUuserObject o;

    pthread_setname_np(pthread_self(), name);
    for (;;) {
        pthread_mutex_lock(&dead.lock);
        while (!dead.first)
            pthread_cond_wait(&dead.work, &dead.lock);
        o = dead.first;
        if (!(dead.first = o->next))
            dead.end = &dead.first;
        pthread_mutex_unlock(&dead.lock);
        destroy(o);
    }
    return NULL;
}

/* Without a thread the caller has to do it. */
static void destroy_later(CUuserObject o)
{
    bool started;

    pthread_mutex_lock(&dead.lock);
    if (!dead.started)
        dead.started = !sc_thread_start(destroyer_main, "softcuda-users");
    if ((started = dead.started)) {
        o->next = NULL;
        *dead.end = o;
        dead.end = &o->next;
        pthread_cond_signal(&dead.work);
    }
    pthread_mutex_unlock(&dead.lock);
    if (!started)
        destroy(o);
}

static void release(CUuserObject o, unsigned count)
{
    if (atomic_fetch_sub(&o->refs, count) == count)
        destroy_later(o);
}

static CUresult check(CUuserObject o, unsigned count)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return o && o->magic == SC_USER_OBJECT && count && count <= INT_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_users_copy(struct user_reference **to, size_t *nto, const struct user_reference *from, size_t n)
{
    struct user_reference *copy = n ? malloc(n * sizeof(*copy)) : NULL;

    if (n && !copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (n)
        memcpy(copy, from, n * sizeof(*copy));
    for (size_t i = 0; i < n; i++) {
        copy[i].count = 1;
        atomic_fetch_add(&copy[i].object->refs, 1);
    }
    *to = copy;
    *nto = n;
    return CUDA_SUCCESS;
}

void sc_users_free(struct user_reference *users, size_t n)
{
    for (size_t i = 0; i < n; i++)
        release(users[i].object, users[i].count);
    free(users);
}

CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn function, unsigned int refs, unsigned int flags)
{
    CUuserObject o;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!out || !function || !refs || refs > INT_MAX || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(o = sc_handle_new(&sc_user_objects, SC_USER_OBJECT)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_init(&o->refs, refs);
    o->destroy = function;
    o->data = data;
    *out = o;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject o, unsigned int count)
{
    CUresult r = check(o, count);

    if (!r)
        atomic_fetch_add(&o->refs, count);
    return r;
}

CUresult cuUserObjectRelease(CUuserObject o, unsigned int count)
{
    CUresult r = check(o, count);

    if (!r)
        release(o, count);
    return r;
}

static struct user_reference *find(CUgraph g, CUuserObject o)
{
    for (size_t i = 0; i < g->nusers; i++)
        if (g->users[i].object == o)
            return &g->users[i];
    return NULL;
}

CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned int count, unsigned int flags)
{
    struct user_reference *u;
    CUresult r = sc_graph_check(g);

    if (r || (r = check(o, count)))
        return r;
    if (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(u = find(g, o))) {
        if (!(u = realloc(g->users, (g->nusers + 1) * sizeof(*u))))
            return CUDA_ERROR_OUT_OF_MEMORY;
        g->users = u;
        u += g->nusers++;
        *u = (struct user_reference){ .object = o };
    }
    u->count += count;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        atomic_fetch_add(&o->refs, count);
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned int count)
{
    struct user_reference *u;
    CUresult r = sc_graph_check(g);

    if (r || (r = check(o, count)))
        return r;
    if (!(u = find(g, o)) || u->count < count)
        return CUDA_ERROR_INVALID_VALUE;
    u->count -= count;
    if (!u->count)
        *u = g->users[--g->nusers];
    release(o, count);
    return CUDA_SUCCESS;
}
