/* graphupdate.c - executable graphs changed in place: future launches are different, those under way are not. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/array.h"
#include "softcuda/api/graphexec.h"

/* The plan, with nobody else at it. */
static CUresult own_plan(CUgraphExec e)
{
    struct plan *p = e->plan, *copy;
    size_t size = sizeof(*p) + p->n * sizeof(p->steps[0]);

    if (atomic_load(&p->refs) == 1)
        return CUDA_SUCCESS;
    if (!(copy = malloc(size)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, p, size);
    atomic_init(&copy->refs, 1);
    copy->users = NULL;
    copy->nusers = 0;
    if (sc_users_copy(&copy->users, &copy->nusers, p->users, p->nusers)) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->steps[i].work)
            sc_graph_work_ref(p->steps[i].work);
        sc_graph_memory_ref(p->steps[i].memory);
    }
    e->plan = copy;
    sc_plan_unref(p);
    return CUDA_SUCCESS;
}

/* The device whose memory it is; -1: the host's, or nobody's by now. */
static int device_of(uint64_t p)
{
    struct mem_info m;

    return sc_mem_find(p, &m) ? m.device : -1;
}

static bool is_elsewhere(const struct sc_abi_memcpy3d_side *a, const struct sc_abi_memcpy3d_side *b)
{
    if (a->type != b->type)
        return true;
    if (a->type == CU_MEMORYTYPE_ARRAY)
        return a->array->context != b->array->context;
    return a->type != CU_MEMORYTYPE_HOST && device_of(a->device) != device_of(b->device);
}

static bool is_row(const struct sc_abi_memcpy3d *c)
{
    return c->height == 1 && c->depth == 1;
}

static bool copy_changed(const struct node_params *old, const struct node_params *new)
{
    const struct sc_abi_memcpy3d *a = &old->u.copy.p, *b = &new->u.copy.p;

    if (old->u.copy.context != new->u.copy.context || is_elsewhere(&a->from, &b->from) || is_elsewhere(&a->to, &b->to))
        return true;
    return a->height != b->height || a->depth != b->depth || (!is_row(a) && a->width != b->width);
}

static bool set_changed(const struct node_params *old, const struct node_params *new)
{
    const struct sc_abi_memset_node *a = &old->u.set.p, *b = &new->u.set.p;

    if (old->u.set.context != new->u.set.context || device_of(a->to) != device_of(b->to) || a->height != b->height)
        return true;
    return a->height > 1 && (a->width != b->width || a->element != b->element);
}

static int kernel_changed(const struct node_params *old, const struct node_params *new, uint64_t flags)
{
    if (old->u.kernel.context != new->u.kernel.context)
        return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    if (old->u.kernel.launch.cooperative != new->u.kernel.launch.cooperative
        || (flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY && old->u.kernel.priority != new->u.kernel.priority))
        return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    return 0;
}

/* The limits of what may change in place. A kernel may not move to another context or turn cooperative; copies and fills must stay
 * on their devices, and as they are in shape, unless they are one row. */
static int changed(const struct node_params *old, const struct node_params *new, uint64_t flags)
{
    if (old->type != new->type)
        return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    switch (old->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_changed(old, new, flags);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return copy_changed(old, new) ? CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED : 0;
    case CU_GRAPH_NODE_TYPE_MEMSET: return set_changed(old, new) ? CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED : 0;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: case CU_GRAPH_NODE_TYPE_MEM_FREE: return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    default: return 0;
    }
}

/* Takes the params over. */
static CUresult set_at(CUgraphExec e, struct place *at, struct node_params *p)
{
    struct graph_work *work = NULL;
    CUresult r = CUDA_SUCCESS;
    struct step *s;

    if (sc_node_has_work(p->type))
        r = sc_graph_work_create(p, &work);
    if (r || (r = own_plan(e))) {
        sc_graph_work_unref(work);
        sc_params_free(p);
        return r;
    }
    s = &e->plan->steps[at->step];
    sc_graph_work_unref(s->work);
    s->work = work;
    if (p->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        s->event = p->u.event;
    sc_params_free(&at->node->params);
    at->node->params = *p;
    return CUDA_SUCCESS;
}

/* Stricter than a whole update: of copies a row stays a row. */
static bool may_be_set(const struct node_params *old, const struct node_params *new, uint64_t flags)
{
    if (changed(old, new, flags))
        return false;
    return old->type != CU_GRAPH_NODE_TYPE_MEMCPY || is_row(&old->u.copy.p) == is_row(&new->u.copy.p);
}

CUresult sc_exec_set(CUgraphExec e, CUgraphNode n, struct node_params *p)
{
    struct place *at = sc_exec_find(e, n);

    if (at && at->step != SIZE_MAX && may_be_set(&at->node->params, p, e->flags))
        return set_at(e, at, p);
    sc_params_free(p);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult toggled(CUgraphExec e, CUgraphNode n, struct place **out)
{
    CUresult r = sc_exec_check(e);

    if (r || (r = sc_node_check(n)))
        return r;
    *out = sc_exec_find(e, n);
    return *out && n->params.type <= CU_GRAPH_NODE_TYPE_MEMSET ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec e, CUgraphNode n, unsigned int enabled)
{
    struct place *at;
    CUresult r = toggled(e, n, &at);

    if (r || (r = own_plan(e)))
        return r;
    e->plan->steps[at->step].disabled = !enabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec e, CUgraphNode n, unsigned int *enabled)
{
    struct place *at;
    CUresult r = toggled(e, n, &at);

    if (r)
        return r;
    if (!enabled)
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = !e->plan->steps[at->step].disabled;
    return CUDA_SUCCESS;
}

/* Whether the graphs are alike but for what may change; else what is not, and where in b. */
static int compare(const struct CUgraph_st *a, const struct CUgraph_st *b, uint64_t flags, struct sc_abi_update_result *why)
{
    if (a->n != b->n)
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < a->n; i++) {
        const struct node_list *x = &a->nodes[i]->before, *y = &b->nodes[i]->before;
        int r = x->n == y->n ? 0 : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;

        why->node = b->nodes[i];
        for (size_t k = 0; !r && k < x->n; k++)
            if (x->nodes[k]->index != y->nodes[k]->index) {
                why->from = y->nodes[k];
                r = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
            }
        if (!r)
            r = changed(&a->nodes[i]->params, &b->nodes[i]->params, flags);
        if (!r && a->nodes[i]->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
            r = compare(a->nodes[i]->params.u.child, b->nodes[i]->params.u.child, flags, why);
        if (r)
            return r;
    }
    why->node = NULL;
    return 0;
}

/* The copy's nodes keep the names that those of the old one had. */
static void rename_nodes(CUgraph to, const struct CUgraph_st *from)
{
    for (size_t i = 0; i < to->n; i++) {
        to->nodes[i]->origin = from->nodes[i]->origin;
        if (to->nodes[i]->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
            rename_nodes(to->nodes[i]->params.u.child, from->nodes[i]->params.u.child);
    }
}

/* Puts a copy of g, which is like it, in the place of the executable's graph. */
static CUresult replace(CUgraphExec e, const struct CUgraph_st *g)
{
    struct making m;
    CUgraph copy;
    CUresult r = sc_graph_clone(g, &copy);

    if (r)
        return r;
    rename_nodes(copy, e->graph);
    if ((r = sc_plan_make(&m, copy))) {
        sc_graph_free(copy);
        return r;
    }
    for (size_t i = 0; i < m.plan->n; i++)
        m.plan->steps[i].disabled = e->plan->steps[i].disabled;
    sc_plan_unref(e->plan);
    sc_graph_free(e->graph);
    free(e->places);
    e->plan = m.plan;
    e->graph = copy;
    e->places = m.places;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec e, CUgraph g, CUgraphExecUpdateResultInfo *info)
{
    struct sc_abi_update_result why = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };
    CUresult r = sc_exec_check(e);

    if (!r)
        r = sc_graph_check(g);
    if (!r) {
        why.result = compare(e->graph, g, e->flags, &why);
        r = why.result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : replace(e, g);
    }
    if (info)
        *info = why;
    return r;
}

/* mine: a child graph in the executable; g: like it. */
static CUresult set_all(CUgraphExec e, const struct CUgraph_st *mine, const struct CUgraph_st *g)
{
    CUresult r = CUDA_SUCCESS;

    for (size_t i = 0; !r && i < g->n; i++) {
        const struct node_params *from = &g->nodes[i]->params;
        const struct CUgraphNode_st named = { .id = mine->nodes[i]->origin };
        struct node_params p;

        if (from->type == CU_GRAPH_NODE_TYPE_GRAPH)
            r = set_all(e, mine->nodes[i]->params.u.child, from->u.child);
        else if (!(r = sc_params_clone(&p, from)))
            r = set_at(e, sc_exec_find(e, &named), &p);
    }
    return r;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraph child)
{
    struct sc_abi_update_result why;
    struct place *at;
    CUresult r = sc_exec_check(e);

    if (r || (r = sc_node_check(n)) || (r = sc_graph_check(child)))
        return r;
    at = sc_exec_find(e, n);
    if (!at || at->step != SIZE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (compare(at->node->params.u.child, child, e->flags, &why))
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    return set_all(e, at->node->params.u.child, child);
}
