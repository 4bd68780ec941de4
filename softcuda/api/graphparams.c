/* graphparams.c - what a node does: checked, and copied so that it is the node's own. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/array.h"
#include "softcuda/api/graph.h"

static void *copy_of(const void *p, size_t n)
{
    void *copy = malloc(n ? n : 1);

    return copy && n ? memcpy(copy, p, n) : copy;
}

/* The bytes are those of the params; the pointers are made anew. */
static CUresult point_at_bytes(struct node_params *p, const size_t *offsets)
{
    p->u.kernel.pointers = calloc(p->u.kernel.npointers + 1, sizeof(void *));
    if (!p->u.kernel.bytes || !p->u.kernel.pointers)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->u.kernel.npointers; i++)
        p->u.kernel.pointers[i] = p->u.kernel.bytes + offsets[i];
    return CUDA_SUCCESS;
}

static CUresult take_arguments(struct node_params *p, const struct ptx_func *f, void **params, void **extra)
{
    size_t *offsets = calloc(f->nparams + 1, sizeof(*offsets));
    CUresult r;

    if (!offsets)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < f->nparams; i++)
        offsets[i] = f->params[i].offset;
    p->u.kernel.nbytes = f->param_bytes;
    p->u.kernel.bytes = calloc(1, f->param_bytes + 1);
    p->u.kernel.npointers = f->nparams;
    r = point_at_bytes(p, offsets);
    free(offsets);
    return r ? r : sc_launch_params(p->u.kernel.bytes, f, params, extra);
}

CUresult sc_params_kernel(struct node_params *p, const struct sc_launch *l, void **params, void **extra)
{
    const struct CUmod_st *m = l->f->module;
    CUresult r = sc_launch_check(l);

    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_KERNEL };
    if (r || (r = take_arguments(p, l->f->kernel->func, params, extra))) {
        sc_params_free(p);
        return r;
    }
    p->u.kernel.launch = *l;
    p->u.kernel.kernel = l->f->from;
    p->u.kernel.context = m->context;
    p->u.kernel.life = sc_life_ref(m->life);
    return CUDA_SUCCESS;
}

static CUresult clone_kernel(struct node_params *to, const struct node_params *from)
{
    size_t n = from->u.kernel.npointers, *offsets = calloc(n + 1, sizeof(*offsets));
    CUresult r;

    if (!offsets)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++)
        offsets[i] = (size_t)((unsigned char *)from->u.kernel.pointers[i] - from->u.kernel.bytes);
    to->u.kernel.bytes = copy_of(from->u.kernel.bytes, from->u.kernel.nbytes);
    sc_life_ref(to->u.kernel.life);
    r = point_at_bytes(to, offsets);
    free(offsets);
    if (r)
        sc_params_free(to);
    return r;
}

CUresult sc_params_copy(struct node_params *p, const struct sc_abi_memcpy3d *c, CUcontext context)
{
    CUresult r = sc_check_context(context);
    struct sc_box box;

    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_MEMCPY, .u.copy = { *c, context } };
    if (r)
        return r;
    return c->width && c->height && c->depth ? sc_box(c, &box) : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_params_set(struct node_params *p, const struct sc_abi_memset_node *s, CUcontext context)
{
    CUresult r = sc_check_context(context);

    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_MEMSET, .u.set = { *s, context } };
    if (r)
        return r;
    if ((s->element != 1 && s->element != 2 && s->element != 4) || !s->width || !s->height)
        return CUDA_ERROR_INVALID_VALUE;
    return sc_fill_fits(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_params_host(struct node_params *p, CUhostFn function, void *data)
{
    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_HOST, .u.host = { function, data } };
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_params_event(struct node_params *p, int type, CUevent e)
{
    *p = (struct node_params){ .type = type, .u.event = e };
    return e && e->magic == SC_EVENT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_params_child(struct node_params *p, const struct CUgraph_st *g)
{
    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_GRAPH };
    return sc_graph_clone(g, &p->u.child);
}

CUresult sc_params_mem_alloc(struct node_params *p, const struct sc_abi_alloc_node *a)
{
    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
    return sc_graph_memory_create(a, &p->u.memory);
}

CUresult sc_params_mem_free(struct node_params *p, uint64_t address)
{
    *p = (struct node_params){ .type = CU_GRAPH_NODE_TYPE_MEM_FREE, .u.memory = sc_graph_memory_at(address) };
    return p->u.memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_params_clone(struct node_params *to, const struct node_params *from)
{
    *to = *from;
    switch (from->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return clone_kernel(to, from);
    case CU_GRAPH_NODE_TYPE_GRAPH:  return sc_graph_clone(from->u.child, &to->u.child);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: case CU_GRAPH_NODE_TYPE_MEM_FREE: sc_graph_memory_ref(to->u.memory); return CUDA_SUCCESS;
    default: return CUDA_SUCCESS;
    }
}

void sc_params_free(struct node_params *p)
{
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        free(p->u.kernel.bytes);
        free(p->u.kernel.pointers);
        sc_life_unref(p->u.kernel.life);
    } else if (p->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        sc_graph_free(p->u.child);
    } else if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        sc_graph_memory_unref(p->u.memory);
    }
    p->type = CU_GRAPH_NODE_TYPE_EMPTY;
}
