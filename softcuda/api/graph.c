/* graph.c - graphs: their nodes, in the order of their making, and the edges between them. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/graph.h"

struct sc_handles sc_graphs = SC_HANDLES(struct CUgraph_st), sc_nodes = SC_HANDLES(struct CUgraphNode_st);

static _Atomic uint64_t next_id, next_serial;

CUresult sc_graph_check(CUgraph g)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return g && g->magic == SC_GRAPH ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_node_check(CUgraphNode n)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return n && n->magic == SC_NODE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_graph_create(CUgraph *out)
{
    *out = sc_handle_new(&sc_graphs, SC_GRAPH);
    if (!*out)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*out)->serial = atomic_fetch_add(&next_serial, 1) + 1;
    return CUDA_SUCCESS;
}

CUresult sc_nodes_add(struct node_list *l, const CUgraphNode *nodes, const struct sc_abi_edge_data *data, size_t n)
{
    CUgraphNode *at = realloc(l->nodes, (l->n + n + 1) * sizeof(*at));
    struct sc_abi_edge_data *edges;

    if (at)
        l->nodes = at;
    edges = realloc(l->data, (l->n + n + 1) * sizeof(*edges));
    if (edges)
        l->data = edges;
    if (!at || !edges)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0, k; i < n; i++) {
        for (k = 0; k < l->n && l->nodes[k] != nodes[i]; k++)
            ;
        if (k < l->n)
            continue;
        l->nodes[k] = nodes[i];
        l->data[k] = data ? data[i] : (struct sc_abi_edge_data){ 0 };
        l->n++;
    }
    return CUDA_SUCCESS;
}

void sc_nodes_clear(struct node_list *l)
{
    free(l->nodes);
    free(l->data);
    *l = (struct node_list){ 0 };
}

static void remove_edge(struct node_list *l, size_t i)
{
    l->n--;
    memmove(&l->nodes[i], &l->nodes[i + 1], (l->n - i) * sizeof(*l->nodes));
    memmove(&l->data[i], &l->data[i + 1], (l->n - i) * sizeof(*l->data));
}

static bool is_plain(const struct sc_abi_edge_data *d)
{
    static const struct sc_abi_edge_data none;

    return !memcmp(d, &none, sizeof(none));
}

/* Only kernels have other outgoing ports than 0, and lead to other kernels from them. */
static bool edge_is_right(CUgraphNode from, int to_type, const struct sc_abi_edge_data *d)
{
    if (!d || is_plain(d))
        return true;
    return from->params.type == CU_GRAPH_NODE_TYPE_KERNEL && to_type == CU_GRAPH_NODE_TYPE_KERNEL && d->from_port <= 2
        && d->to_port == 0 && d->type <= 1;
}

static bool edges_are_right(CUgraph g, int type, const CUgraphNode *after, const struct sc_abi_edge_data *data, size_t n)
{
    if (n && !after)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (sc_node_check(after[i]) || after[i]->graph != g || !edge_is_right(after[i], type, data ? &data[i] : NULL))
            return false;
        for (size_t k = 0; k < i; k++)
            if (after[k] == after[i])
                return false;
    }
    return true;
}

static void node_free(CUgraphNode n)
{
    sc_nodes_clear(&n->before);
    sc_params_free(&n->params);
    sc_handle_free(&sc_nodes, n);
}

static CUresult append(CUgraph g, CUgraphNode n)
{
    size_t room = g->room ? 2 * g->room : 16;
    CUgraphNode *more;

    if (g->n == g->room) {
        if (!(more = realloc(g->nodes, room * sizeof(*more))))
            return CUDA_ERROR_OUT_OF_MEMORY;
        g->nodes = more;
        g->room = room;
    }
    n->index = g->n;
    g->nodes[g->n++] = n;
    return CUDA_SUCCESS;
}

static CUresult add(CUgraph g, struct node_params *p, const CUgraphNode *after, const struct sc_abi_edge_data *data, size_t count,
                    CUgraphNode *out)
{
    CUgraphNode n = NULL;
    CUresult r = CUDA_ERROR_INVALID_VALUE;

    if (edges_are_right(g, p->type, after, data, count))
        r = (n = sc_handle_new(&sc_nodes, SC_NODE)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    if (r) {
        sc_params_free(p);
        return r;
    }
    n->graph = g;
    n->id = atomic_fetch_add(&next_id, 1) + 1;
    n->params = *p;
    if (p->type == CU_GRAPH_NODE_TYPE_GRAPH)
        p->u.child->owner = n;
    if ((r = sc_nodes_add(&n->before, after, data, count)) || (r = append(g, n))) {
        node_free(n);
        return r;
    }
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        g->memory = true;
    *out = n;
    return CUDA_SUCCESS;
}

/* A graph frees an allocation once, and either its own graph does or others do. */
static CUresult check_free(CUgraph g, const struct graph_memory *m)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i]->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE && g->nodes[i]->params.u.memory == m)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult sc_graph_add(CUgraph g, struct node_params *p, const CUgraphNode *after, const struct sc_abi_edge_data *data, size_t n,
                      CUgraphNode *out)
{
    struct graph_memory *m = p->u.memory;
    int type = p->type;
    CUresult r = CUDA_SUCCESS;

    if (type == CU_GRAPH_NODE_TYPE_MEM_FREE && !(r = check_free(g, m)))
        r = sc_graph_memory_free_in(m, g->serial, false);
    if (r) {
        sc_params_free(p);
        return r;
    }
    if ((r = add(g, p, after, data, n, out)))
        return r;
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        sc_graph_memory_belongs(m, g->serial);
    else if (type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        (void)sc_graph_memory_free_in(m, g->serial, true);
    return CUDA_SUCCESS;
}

void sc_graph_free(CUgraph g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++)
        node_free(g->nodes[i]);
    free(g->nodes);
    sc_users_free(g->users, g->nusers);
    sc_handle_free(&sc_graphs, g);
}

/* Edges may lead to nodes that come later in the list, so they are copied when all nodes are there. */
static CUresult copy_edges(const struct CUgraph_st *from, CUgraph to)
{
    CUresult r = CUDA_SUCCESS;

    for (size_t i = 0; !r && i < from->n; i++) {
        const struct node_list *before = &from->nodes[i]->before;

        for (size_t k = 0; !r && k < before->n; k++)
            r = sc_nodes_add(&to->nodes[i]->before, &to->nodes[before->nodes[k]->index], &before->data[k], 1);
    }
    return r;
}

CUresult sc_graph_clone(const struct CUgraph_st *g, CUgraph *out)
{
    CUgraph copy;
    CUresult r = sc_graph_create(&copy);

    if (r)
        return r;
    for (size_t i = 0; !r && i < g->n; i++) {
        struct node_params p;
        CUgraphNode n;

        if (!(r = sc_params_clone(&p, &g->nodes[i]->params)) && !(r = add(copy, &p, NULL, NULL, 0, &n)))
            n->origin = g->nodes[i]->id;
    }
    if (!r)
        r = copy_edges(g, copy);
    if (!r)
        r = sc_users_copy(&copy->users, &copy->nusers, g->users, g->nusers);
    if (r)
        sc_graph_free(copy);
    else
        *out = copy;
    return r;
}

static bool is_in_order(const struct CUgraph_st *g)
{
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->before.n; k++)
            if (g->nodes[i]->before.nodes[k]->index >= i)
                return false;
    return true;
}

/* In rounds: whoever waits for nobody that is left comes next. Only graphs whose edges were added later get here. */
static size_t sort(const struct CUgraph_st *g, CUgraphNode *order, bool *placed)
{
    size_t n = 0, before;

    do {
        before = n;
        for (size_t i = 0; i < g->n; i++) {
            const struct node_list *l = &g->nodes[i]->before;
            size_t k = 0;

            while (k < l->n && placed[l->nodes[k]->index])
                k++;
            if (placed[i] || k < l->n)
                continue;
            placed[i] = true;
            order[n++] = g->nodes[i];
        }
    } while (n > before);
    return n;
}

CUresult sc_graph_order(const struct CUgraph_st *g, CUgraphNode **out)
{
    CUgraphNode *order = malloc((g->n + 1) * sizeof(*order));
    bool *placed = calloc(g->n + 1, sizeof(*placed));
    CUresult r = order && placed ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    if (!r && is_in_order(g)) {
        if (g->n)
            memcpy(order, g->nodes, g->n * sizeof(*order));
    } else if (!r && sort(g, order, placed) != g->n) {
        r = CUDA_ERROR_INVALID_VALUE;
    }
    free(placed);
    if (r)
        free(order);
    else
        *out = order;
    return r;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return graph && !flags ? sc_graph_create(graph) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroy(CUgraph g)
{
    CUresult r = sc_graph_check(g);

    if (r)
        return r;
    if (g->owner || g->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    sc_graph_free(g);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph g)
{
    CUresult r = sc_graph_check(g);

    if (r)
        return r;
    if (!clone)
        return CUDA_ERROR_INVALID_VALUE;
    return g->memory ? CUDA_ERROR_NOT_SUPPORTED : sc_graph_clone(g, clone);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
    CUresult r = sc_node_check(original);

    if (r || (r = sc_graph_check(clone)))
        return r;
    for (size_t i = 0; out && i < clone->n; i++)
        if (clone->nodes[i]->origin == original->id) {
            *out = clone->nodes[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroyNode(CUgraphNode n)
{
    CUresult r = sc_node_check(n);
    CUgraph g;

    if (r)
        return r;
    g = n->graph;
    if (g->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    if (g->memory)
        return CUDA_ERROR_NOT_SUPPORTED;
    g->n--;
    memmove(&g->nodes[n->index], &g->nodes[n->index + 1], (g->n - n->index) * sizeof(*g->nodes));
    for (size_t i = 0; i < g->n; i++) {
        struct node_list *l = &g->nodes[i]->before;

        g->nodes[i]->index = i;
        for (size_t k = l->n; k-- > 0;)
            if (l->nodes[k] == n)
                remove_edge(l, k);
    }
    node_free(n);
    return CUDA_SUCCESS;
}

static size_t find_edge(const struct node_list *l, CUgraphNode from)
{
    size_t i;

    for (i = 0; i < l->n && l->nodes[i] != from; i++)
        ;
    return i;
}

static CUresult check_edge(CUgraph g, CUgraphNode from, CUgraphNode to)
{
    if (sc_node_check(from) || sc_node_check(to) || from->graph != g || to->graph != g || from == to)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data, size_t n)
{
    CUresult r = sc_graph_check(g);

    if (r)
        return r;
    if (n && (!from || !to))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        if (check_edge(g, from[i], to[i]) || find_edge(&to[i]->before, from[i]) < to[i]->before.n
            || !edge_is_right(from[i], to[i]->params.type, data ? &data[i] : NULL))
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; !r && i < n; i++)
        r = sc_nodes_add(&to[i]->before, &from[i], data ? &data[i] : NULL, 1);
    return r;
}

CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data,
                                      size_t n)
{
    CUresult r = sc_graph_check(g);

    if (r)
        return r;
    if (n && (!from || !to))
        return CUDA_ERROR_INVALID_VALUE;
    if (g->memory)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < n; i++) {
        static const struct sc_abi_edge_data plain;
        size_t k;

        if (check_edge(g, from[i], to[i]) || (k = find_edge(&to[i]->before, from[i])) == to[i]->before.n
            || memcmp(&to[i]->before.data[k], data ? &data[i] : &plain, sizeof(plain)))
            return CUDA_ERROR_INVALID_VALUE;
        remove_edge(&to[i]->before, k);
    }
    return CUDA_SUCCESS;
}
