/* graphquery.c - what a graph is made of, in lists that follow one rule: without an array the number alone is told; an array is
 * filled as far as it goes, and what is left of it is set to NULL. */
#include <stdio.h>
#include <string.h>

#include "softcuda/api/graph.h"

struct listing { CUgraphNode *a, *b; struct sc_abi_edge_data *data; size_t room, n; bool lossy; };

static void list(struct listing *l, CUgraphNode a, CUgraphNode b, const struct sc_abi_edge_data *data)
{
    static const struct sc_abi_edge_data plain;

    if (l->n < l->room) {
        if (l->a)
            l->a[l->n] = a;
        if (l->b)
            l->b[l->n] = b;
        if (l->data)
            l->data[l->n] = data ? *data : plain;
    }
    if (l->a && !l->data && data && memcmp(data, &plain, sizeof(plain)))
        l->lossy = true;
    l->n++;
}

static CUresult finish(struct listing *l, size_t *n)
{
    if (l->lossy)
        return CUDA_ERROR_LOSSY_QUERY;
    for (size_t i = l->n; i < l->room; i++) {
        if (l->a)
            l->a[i] = NULL;
        if (l->b)
            l->b[i] = NULL;
    }
    *n = l->a && l->n > l->room ? l->room : l->n;
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
    struct listing l = { .a = nodes, .room = nodes && n ? *n : 0 };
    CUresult r = sc_graph_check(g);

    if (r || !n)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < g->n; i++)
        list(&l, g->nodes[i], NULL, NULL);
    return finish(&l, n);
}

CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
    struct listing l = { .a = nodes, .room = nodes && n ? *n : 0 };
    CUresult r = sc_graph_check(g);

    if (r || !n)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < g->n; i++)
        if (!g->nodes[i]->before.n)
            list(&l, g->nodes[i], NULL, NULL);
    return finish(&l, n);
}

CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
    struct listing l = { .a = from, .b = to, .data = data, .room = from && n ? *n : 0 };
    CUresult r = sc_graph_check(g);

    if (r || !n || !from != !to || (data && !from))
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->before.n; k++)
            list(&l, g->nodes[i]->before.nodes[k], g->nodes[i], &g->nodes[i]->before.data[k]);
    return finish(&l, n);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n)
{
    struct listing l = { .a = nodes, .data = data, .room = nodes && n ? *n : 0 };
    CUresult r = sc_node_check(node);

    if (r || !n || (data && !nodes))
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 0; k < node->before.n; k++)
        list(&l, node->before.nodes[k], NULL, &node->before.data[k]);
    return finish(&l, n);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n)
{
    struct listing l = { .a = nodes, .data = data, .room = nodes && n ? *n : 0 };
    CUresult r = sc_node_check(node);
    CUgraph g;

    if (r || !n || (data && !nodes))
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    g = node->graph;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->before.n; k++)
            if (g->nodes[i]->before.nodes[k] == node)
                list(&l, g->nodes[i], NULL, &g->nodes[i]->before.data[k]);
    return finish(&l, n);
}

CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *type)
{
    CUresult r = sc_node_check(n);

    if (r)
        return r;
    if (!type)
        return CUDA_ERROR_INVALID_VALUE;
    *type = (CUgraphNodeType)n->params.type;
    return CUDA_SUCCESS;
}

static const char *title(CUgraphNode n)
{
    static const char *const titles[] = { "kernel", "memcpy", "memset", "host", "graph", "empty", "event wait", "event record",
                                          "", "", "allocate", "free" };
    const struct node_params *p = &n->params;

    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL && !sc_life_ended(p->u.kernel.life))
        return p->u.kernel.launch.f->kernel->func->name;
    return titles[p->type];
}

static void print(FILE *f, const struct CUgraph_st *g)
{
    for (size_t i = 0; i < g->n; i++) {
        CUgraphNode n = g->nodes[i];

        fprintf(f, "n%llu [label=\"%zu: %s\"];\n", (unsigned long long)n->id, i, title(n));
        for (size_t k = 0; k < n->before.n; k++)
            fprintf(f, "n%llu -> n%llu;\n", (unsigned long long)n->before.nodes[k]->id, (unsigned long long)n->id);
        if (n->params.type != CU_GRAPH_NODE_TYPE_GRAPH)
            continue;
        fprintf(f, "subgraph cluster_%llu {\n", (unsigned long long)n->id);
        print(f, n->params.u.child);
        fputs("}\n", f);
    }
}

CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned int flags)
{
    CUresult r = sc_graph_check(g);
    FILE *f;
    bool failed;

    (void)flags;                        /* they ask for more, nothing depends on them */
    if (r)
        return r;
    if (!path)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(f = fopen(path, "we")))
        return CUDA_ERROR_OPERATING_SYSTEM;
    fputs("digraph graph_ {\n", f);
    print(f, g);
    fputs("}\n", f);
    failed = ferror(f);
    return fclose(f) || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
