/* graphexec.c - executable graphs: made and destroyed. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/graphexec.h"

struct sc_handles sc_execs = SC_HANDLES(struct CUgraphExec_st);
static struct { pthread_mutex_t lock; CUgraphExec first; } with_memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

CUresult sc_exec_check(CUgraphExec e)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return e && e->magic == SC_EXEC ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sc_plan_ref(struct plan *p)
{
    atomic_fetch_add(&p->refs, 1);
}

void sc_plan_unref(struct plan *p)
{
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    for (size_t i = 0; i < p->n; i++) {
        sc_graph_work_unref(p->steps[i].work);
        sc_graph_memory_unref(p->steps[i].memory);
    }
    sc_users_free(p->users, p->nusers);
    free(p);
}

/* All nodes, those of child graphs too. */
static size_t count(const struct CUgraph_st *g)
{
    size_t n = g->n;

    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i]->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
            n += count(g->nodes[i]->params.u.child);
    return n;
}

bool sc_node_has_work(int type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET
        || type == CU_GRAPH_NODE_TYPE_HOST;
}

/* The executable's copy of a graph gives its references to user objects up: they stay until the last launch has ended. */
static CUresult take_users(struct plan *p, CUgraph g)
{
    struct user_reference *more = realloc(p->users, (p->nusers + g->nusers + 1) * sizeof(*more));

    if (!more)
        return CUDA_ERROR_OUT_OF_MEMORY;
    p->users = more;
    if (g->nusers)
        memcpy(more + p->nusers, g->users, g->nusers * sizeof(*more));
    p->nusers += g->nusers;
    free(g->users);
    g->users = NULL;
    g->nusers = 0;
    return CUDA_SUCCESS;
}

static CUresult add_steps(struct making *, CUgraph);

static CUresult add_step(struct making *m, CUgraphNode n)
{
    const struct node_params *p = &n->params;
    struct step *s = &m->plan->steps[m->nsteps];

    m->places[m->nplaces++] = (struct place){ n->origin, n, p->type == CU_GRAPH_NODE_TYPE_GRAPH ? SIZE_MAX : m->nsteps };
    if (p->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return add_steps(m, p->u.child);
    *s = (struct step){ .type = p->type };
    m->plan->n = ++m->nsteps;
    if (p->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        s->event = p->u.event;
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        s->memory = sc_graph_memory_ref(p->u.memory);
        m->plan->memory = true;
    }
    return sc_node_has_work(p->type) ? sc_graph_work_create(p, &s->work) : CUDA_SUCCESS;
}

static CUresult add_steps(struct making *m, CUgraph g)
{
    CUgraphNode *order;
    CUresult r = take_users(m->plan, g);

    if (r)
        return r;
    if ((r = sc_graph_order(g, &order))) {
        m->failed = g->n ? g->nodes[0] : NULL;
        return r;
    }
    for (size_t i = 0; !r && i < g->n; i++)
        if ((r = add_step(m, order[i])) && !m->failed)
            m->failed = order[i];
    free(order);
    return r;
}

static int by_origin(const void *a, const void *b)
{
    uint64_t x = ((const struct place *)a)->origin, y = ((const struct place *)b)->origin;

    return x < y ? -1 : x > y;
}

CUresult sc_plan_make(struct making *m, CUgraph g)
{
    size_t n = count(g);
    CUresult r = CUDA_ERROR_OUT_OF_MEMORY;

    *m = (struct making){ .plan = calloc(1, sizeof(*m->plan) + n * sizeof(struct step)),
                           .places = calloc(n + 1, sizeof(*m->places)) };
    if (m->plan)
        atomic_init(&m->plan->refs, 1);
    if (m->plan && m->places)
        r = add_steps(m, g);
    if (!r) {
        qsort(m->places, m->nplaces, sizeof(*m->places), by_origin);
        return CUDA_SUCCESS;
    }
    sc_plan_unref(m->plan);
    free(m->places);
    return r;
}

/* The node of the caller's graph that this one of the copy was made of. */
static CUgraphNode original(const struct CUgraph_st *g, CUgraphNode copy)
{
    for (size_t i = 0; copy && i < g->n; i++)
        if (g->nodes[i]->id == copy->origin)
            return g->nodes[i];
    return NULL;
}

/* Of a graph that allocates or frees there is one executable at a time. false: there is one. */
static bool enter(CUgraphExec e)
{
    CUgraphExec other;

    pthread_mutex_lock(&with_memory.lock);
    for (other = with_memory.first; other && other->source != e->source; other = other->next)
        ;
    if (!other) {
        e->next = with_memory.first;
        with_memory.first = e;
    }
    pthread_mutex_unlock(&with_memory.lock);
    return !other;
}

static void leave(CUgraphExec e)
{
    CUgraphExec *at = &with_memory.first;

    pthread_mutex_lock(&with_memory.lock);
    while (*at && *at != e)
        at = &(*at)->next;
    if (*at)
        *at = e->next;
    pthread_mutex_unlock(&with_memory.lock);
}

static void exec_free(CUgraphExec e)
{
    sc_plan_unref(e->plan);
    sc_graph_free(e->graph);
    free(e->places);
    pthread_mutex_lock(&sc_queue);
    sc_op_unref(e->last);
    pthread_mutex_unlock(&sc_queue);
    pthread_mutex_destroy(&e->lock);
    sc_handle_free(&sc_execs, e);
}

static CUresult instantiate(CUgraphExec *out, CUgraph g, uint64_t flags, CUgraphNode *failed)
{
    CUgraphExec e;
    CUgraph copy;
    struct making m;
    CUresult r = sc_graph_clone(g, &copy);

    *failed = NULL;
    if (r)
        return r;
    if ((r = sc_plan_make(&m, copy))) {
        *failed = original(g, m.failed);
        sc_graph_free(copy);
        return r;
    }
    if (!(e = sc_handle_new(&sc_execs, SC_EXEC))) {
        sc_plan_unref(m.plan);
        free(m.places);
        sc_graph_free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    e->flags = flags & ~(uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    e->graph = copy;
    e->source = g->serial;
    e->plan = m.plan;
    e->places = m.places;
    e->nplaces = m.nplaces;
    pthread_mutex_init(&e->lock, NULL);
    if (g->memory && !enter(e)) {
        exec_free(e);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *out = e;
    return CUDA_SUCCESS;
}

static CUresult check_instantiate(CUgraphExec *out, CUgraph g, uint64_t flags)
{
    CUresult r = sc_graph_check(g);

    if (r)
        return r;
    if (!out || flags & ~(uint64_t)15 || g->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    return flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH ? CUDA_ERROR_NOT_SUPPORTED : sc_capture_unsafe();
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    CUgraphNode failed;
    CUresult r = flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD ? CUDA_ERROR_INVALID_VALUE : check_instantiate(out, g, flags);

    return r ? r : instantiate(out, g, flags, &failed);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *failed, char *log, size_t size)
{
    CUgraphNode node = NULL;
    CUresult r = check_instantiate(out, g, 0);

    if (!r)
        r = instantiate(out, g, 0, &node);
    if (failed)
        *failed = node;
    if (log && size)
        log[0] = '\0';
    return r;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    CUresult r;

    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    p->error_node = NULL;
    r = check_instantiate(out, g, p->flags);
    if (!r)
        r = instantiate(out, g, p->flags, &p->error_node);
    if (!r && p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
        r = cuGraphUpload(*out, p->upload);
    p->result = !r ? CUDA_GRAPH_INSTANTIATE_SUCCESS
              : p->error_node ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE : CUDA_GRAPH_INSTANTIATE_ERROR;
    return r;
}

CUresult cuGraphExecGetFlags(CUgraphExec e, cuuint64_t *flags)
{
    CUresult r = sc_exec_check(e);

    if (r)
        return r;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = e->flags;
    return CUDA_SUCCESS;
}

/* Launches under way hold the plan, and go on. */
CUresult cuGraphExecDestroy(CUgraphExec e)
{
    CUresult r = sc_exec_check(e);

    if (r || (r = sc_capture_unsafe()))
        return r;
    leave(e);
    exec_free(e);
    return CUDA_SUCCESS;
}

struct place *sc_exec_find(CUgraphExec e, const struct CUgraphNode_st *n)
{
    const struct place wanted = { .origin = n->id };

    return bsearch(&wanted, e->places, e->nplaces, sizeof(wanted), by_origin);
}
