/* graphnode.c - nodes of each kind: added, asked, changed, in a graph or in an executable. */
#include <string.h>

#include "softcuda/api/graph.h"

/* ---- what callers say, as params ---- */

static CUresult from_kernel(struct node_params *p, const struct sc_abi_kernel_node *k)
{
    struct sc_launch l = { 0 };
    CUresult r;

    if (!k)
        return CUDA_ERROR_INVALID_VALUE;
    r = k->func ? sc_function(k->func, NULL, &l.f) : sc_function((CUfunction)(void *)k->kern, k->context, &l.f);
    if (r)
        return r;
    memcpy(l.grid, k->grid, sizeof(l.grid));
    memcpy(l.block, k->block, sizeof(l.block));
    l.dynamic = k->shared_bytes;
    return sc_params_kernel(p, &l, k->params, k->extra);
}

static struct sc_abi_kernel_node widened(const struct sc_abi_kernel_node_v1 *k)
{
    struct sc_abi_kernel_node wide = { .func = k->func, .shared_bytes = k->shared_bytes, .params = k->params, .extra = k->extra };

    memcpy(wide.grid, k->grid, sizeof(wide.grid));
    memcpy(wide.block, k->block, sizeof(wide.block));
    return wide;
}

static CUresult from_copy(struct node_params *p, const struct sc_abi_memcpy3d *c, CUcontext context)
{
    return c ? sc_params_copy(p, c, context) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult from_set(struct node_params *p, const struct sc_abi_memset_node *s, CUcontext context)
{
    return s ? sc_params_set(p, s, context) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult from_host(struct node_params *p, const struct sc_abi_host_node *h)
{
    return h ? sc_params_host(p, h->function, h->data) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult from_child(struct node_params *p, CUgraph child)
{
    CUresult r = sc_graph_check(child);

    if (r)
        return r;
    return child->memory ? CUDA_ERROR_NOT_SUPPORTED : sc_params_child(p, child);
}

static CUcontext or_current(CUcontext c)
{
    return c ? c : sc_current();
}

static CUresult from_any(struct node_params *p, const struct sc_abi_node_params *a)
{
    if (!a)
        return CUDA_ERROR_INVALID_VALUE;
    switch (a->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return from_kernel(p, &a->p.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return from_copy(p, &a->p.copy.copy, or_current(a->p.copy.context));
    case CU_GRAPH_NODE_TYPE_MEMSET: return from_set(p, &a->p.set.set, or_current(a->p.set.context));
    case CU_GRAPH_NODE_TYPE_HOST:   return from_host(p, &a->p.host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return a->p.child.ownership ? CUDA_ERROR_NOT_SUPPORTED : from_child(p, a->p.child.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:  *p = (struct node_params){ .type = a->type }; return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return sc_params_event(p, a->type, a->p.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return sc_params_mem_alloc(p, &a->p.alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:  return sc_params_mem_free(p, a->p.free.p);
    default: return a->type < 0 || a->type > 13 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* ---- adding ---- */

static CUresult check_add(CUgraphNode *out, CUgraph g)
{
    CUresult r = sc_graph_check(g);

    return r ? r : out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddKernelNode_v2(
    CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_KERNEL_NODE_PARAMS *k)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_kernel(&p, k)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddKernelNode(
    CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_KERNEL_NODE_PARAMS_v1 *k)
{
    struct sc_abi_kernel_node wide;

    if (!k)
        return CUDA_ERROR_INVALID_VALUE;
    wide = widened(k);
    return cuGraphAddKernelNode_v2(out, g, after, n, &wide);
}

CUresult cuGraphAddMemcpyNode(
    CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_MEMCPY3D *c, CUcontext context)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_copy(&p, c, context)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddMemsetNode(
    CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_MEMSET_NODE_PARAMS *s, CUcontext context)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_set(&p, s, context)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_HOST_NODE_PARAMS *h)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_host(&p, h)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUgraph child)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_child(&p, child)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n)
{
    struct node_params p = { .type = CU_GRAPH_NODE_TYPE_EMPTY };
    CUresult r = check_add(out, g);

    return r ? r : sc_graph_add(g, &p, after, NULL, n, out);
}

static CUresult add_event(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, int type, CUevent e)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = sc_params_event(&p, type, e)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUevent e)
{
    return add_event(out, g, after, n, CU_GRAPH_NODE_TYPE_EVENT_RECORD, e);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUevent e)
{
    return add_event(out, g, after, n, CU_GRAPH_NODE_TYPE_WAIT_EVENT, e);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUDA_MEM_ALLOC_NODE_PARAMS *a)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = a ? sc_params_mem_alloc(&p, a) : CUDA_ERROR_INVALID_VALUE) || (r = sc_graph_add(g, &p, after, NULL, n, out)))
        return r;
    a->p = sc_graph_memory_params(p.u.memory)->p;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUdeviceptr address)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = sc_params_mem_free(&p, address)))
        return r;
    return sc_graph_add(g, &p, after, NULL, n, out);
}

CUresult cuGraphAddNode_v2(
    CUgraphNode *out, CUgraph g, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params)
{
    struct node_params p;
    CUresult r = check_add(out, g);

    if (r || (r = from_any(&p, params)) || (r = sc_graph_add(g, &p, after, data, n, out)))
        return r;
    if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)          /* the node has a copy; that is what the caller gets to know */
        params->p.child.graph = (*out)->params.u.child;
    else if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        params->p.alloc.p = sc_graph_memory_params(p.u.memory)->p;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, CUgraphNodeParams *params)
{
    return cuGraphAddNode_v2(out, g, after, NULL, n, params);
}

/* ---- asking ---- */

static CUresult check_type(CUgraphNode n, int type, const void *out)
{
    CUresult r = sc_node_check(n);

    return r ? r : n->params.type == type && out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The arrays are the node's. */
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *k)
{
    CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_KERNEL, k);
    const struct sc_launch *l;

    if (r)
        return r;
    l = &n->params.u.kernel.launch;
    *k = (struct sc_abi_kernel_node){ .func = l->f, .shared_bytes = l->dynamic, .params = n->params.u.kernel.pointers,
                                      .kern = n->params.u.kernel.kernel, .context = n->params.u.kernel.context };
    memcpy(k->grid, l->grid, sizeof(k->grid));
    memcpy(k->block, l->block, sizeof(k->block));
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1 *k)
{
    struct sc_abi_kernel_node wide;
    CUresult r = k ? cuGraphKernelNodeGetParams_v2(n, &wide) : CUDA_ERROR_INVALID_VALUE;

    if (r)
        return r;
    *k = (struct sc_abi_kernel_node_v1){ .func = wide.func, .shared_bytes = wide.shared_bytes, .params = wide.params };
    memcpy(k->grid, wide.grid, sizeof(k->grid));
    memcpy(k->block, wide.block, sizeof(k->block));
    return CUDA_SUCCESS;
}

/* What is asked for is in the node as it is. */
#define GET(name, kind, type, member) \
    CUresult name(CUgraphNode n, type *out) \
    { \
        CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_##kind, out); \
        if (!r) \
            *out = n->params.u.member; \
        return r; \
    }
GET(cuGraphMemcpyNodeGetParams, MEMCPY, CUDA_MEMCPY3D, copy.p)
GET(cuGraphMemsetNodeGetParams, MEMSET, CUDA_MEMSET_NODE_PARAMS, set.p)
GET(cuGraphHostNodeGetParams, HOST, CUDA_HOST_NODE_PARAMS, host)
GET(cuGraphChildGraphNodeGetGraph, GRAPH, CUgraph, child)
GET(cuGraphEventRecordNodeGetEvent, EVENT_RECORD, CUevent, event)
GET(cuGraphEventWaitNodeGetEvent, WAIT_EVENT, CUevent, event)

/* The array is the node's. */
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *a)
{
    CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_MEM_ALLOC, a);

    if (!r)
        *a = *sc_graph_memory_params(n->params.u.memory);
    return r;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *p)
{
    CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_MEM_FREE, p);

    if (!r)
        *p = sc_graph_memory_params(n->params.u.memory)->p;
    return r;
}

/* ---- changing; exec NULL: in the graph ---- */

static CUresult set(CUgraphExec exec, CUgraphNode n, struct node_params *p)
{
    if (exec)
        return sc_exec_set(exec, n, p);
    sc_params_free(&n->params);
    n->params = *p;
    return CUDA_SUCCESS;
}

static CUresult check_set(CUgraphExec exec, CUgraphNode n, int type)
{
    CUresult r = exec ? sc_exec_check(exec) : CUDA_SUCCESS;

    return r ? r : check_type(n, type, n);
}

static CUresult set_kernel(CUgraphExec exec, CUgraphNode n, const struct sc_abi_kernel_node *k)
{
    struct node_params p;
    CUresult r = check_set(exec, n, CU_GRAPH_NODE_TYPE_KERNEL);

    if (r || (r = from_kernel(&p, k)))
        return r;
    p.u.kernel.launch.cooperative = n->params.u.kernel.launch.cooperative;      /* attributes stay */
    p.u.kernel.priority = n->params.u.kernel.priority;
    return set(exec, n, &p);
}

static CUresult set_copy(CUgraphExec exec, CUgraphNode n, const struct sc_abi_memcpy3d *c, CUcontext context)
{
    struct node_params p;
    CUresult r = check_set(exec, n, CU_GRAPH_NODE_TYPE_MEMCPY);

    if (r || (r = from_copy(&p, c, exec ? context : n->params.u.copy.context)))
        return r;
    return set(exec, n, &p);
}

static CUresult set_set(CUgraphExec exec, CUgraphNode n, const struct sc_abi_memset_node *s, CUcontext context)
{
    struct node_params p;
    CUresult r = check_set(exec, n, CU_GRAPH_NODE_TYPE_MEMSET);

    if (r || (r = from_set(&p, s, exec ? context : n->params.u.set.context)))
        return r;
    return set(exec, n, &p);
}

static CUresult set_host(CUgraphExec exec, CUgraphNode n, const struct sc_abi_host_node *h)
{
    struct node_params p;
    CUresult r = check_set(exec, n, CU_GRAPH_NODE_TYPE_HOST);

    if (r || (r = from_host(&p, h)))
        return r;
    return set(exec, n, &p);
}

static CUresult set_event(CUgraphExec exec, CUgraphNode n, int type, CUevent e)
{
    struct node_params p;
    CUresult r = check_set(exec, n, type);

    if (r || (r = sc_params_event(&p, type, e)))
        return r;
    return set(exec, n, &p);
}

static CUresult set_any(CUgraphExec exec, CUgraphNode n, const struct sc_abi_node_params *a)
{
    CUresult r = sc_node_check(n);

    if (r)
        return r;
    if (!a || a->type != n->params.type)
        return CUDA_ERROR_INVALID_VALUE;
    switch (a->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return set_kernel(exec, n, &a->p.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return set_copy(exec, n, &a->p.copy.copy, or_current(a->p.copy.context));
    case CU_GRAPH_NODE_TYPE_MEMSET: return set_set(exec, n, &a->p.set.set, or_current(a->p.set.context));
    case CU_GRAPH_NODE_TYPE_HOST:   return set_host(exec, n, &a->p.host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return exec ? cuGraphExecChildGraphNodeSetParams(exec, n, a->p.child.graph) : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return set_event(exec, n, a->type, a->p.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: case CU_GRAPH_NODE_TYPE_MEM_FREE: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *k)
{
    return set_kernel(NULL, n, k);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *k)
{
    struct sc_abi_kernel_node wide;

    if (!k)
        return CUDA_ERROR_INVALID_VALUE;
    wide = widened(k);
    return set_kernel(NULL, n, &wide);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *c)
{
    return set_copy(NULL, n, c, NULL);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *s)
{
    return set_set(NULL, n, s, NULL);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    return set_host(NULL, n, h);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent e)
{
    return set_event(NULL, n, CU_GRAPH_NODE_TYPE_EVENT_RECORD, e);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent e)
{
    return set_event(NULL, n, CU_GRAPH_NODE_TYPE_WAIT_EVENT, e);
}

CUresult cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *params)
{
    return set_any(NULL, n, params);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *k)
{
    return exec ? set_kernel(exec, n, k) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *k)
{
    struct sc_abi_kernel_node wide;

    if (!exec || !k)
        return CUDA_ERROR_INVALID_VALUE;
    wide = widened(k);
    return set_kernel(exec, n, &wide);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_MEMCPY3D *c, CUcontext context)
{
    return exec ? set_copy(exec, n, c, context) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *s, CUcontext context)
{
    return exec ? set_set(exec, n, s, context) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    return exec ? set_host(exec, n, h) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent e)
{
    return exec ? set_event(exec, n, CU_GRAPH_NODE_TYPE_EVENT_RECORD, e) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent e)
{
    return exec ? set_event(exec, n, CU_GRAPH_NODE_TYPE_WAIT_EVENT, e) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraphNodeParams *params)
{
    return exec ? set_any(exec, n, params) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- attributes of kernel nodes: those that matter are kept, the others are hints ---- */

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, CUkernelNodeAttrID which, CUkernelNodeAttrValue *value)
{
    CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_KERNEL, value);

    if (r)
        return r;
    memset(value, 0, sizeof(*value));
    if ((int)which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        value->cooperative = n->params.u.kernel.launch.cooperative;
    else if ((int)which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = n->params.u.kernel.priority;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, CUkernelNodeAttrID which, const CUkernelNodeAttrValue *value)
{
    CUresult r = check_type(n, CU_GRAPH_NODE_TYPE_KERNEL, value);
    struct sc_launch l;

    if (r)
        return r;
    l = n->params.u.kernel.launch;
    if ((int)which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        n->params.u.kernel.priority = value->priority;
    if ((int)which != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        return CUDA_SUCCESS;
    l.cooperative = value->cooperative;
    if (sc_life_ended(n->params.u.kernel.life))
        return CUDA_ERROR_INVALID_HANDLE;
    if ((r = sc_launch_check(&l)))
        return r;
    n->params.u.kernel.launch = l;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    CUresult r = check_type(to, CU_GRAPH_NODE_TYPE_KERNEL, to);

    if (r || (r = check_type(from, CU_GRAPH_NODE_TYPE_KERNEL, from)))
        return r;
    to->params.u.kernel.launch.cooperative = from->params.u.kernel.launch.cooperative;
    to->params.u.kernel.priority = from->params.u.kernel.priority;
    return CUDA_SUCCESS;
}
