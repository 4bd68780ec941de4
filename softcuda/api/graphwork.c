/* graphwork.c - the work of one node. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/array.h"
#include "softcuda/api/graph.h"

struct graph_work {
    atomic_uint refs;
    int type;
    CUcontext context;                  /* which a fault poisons; NULL where there is none */
    struct sc_life *life;               /* of a kernel's code, a reference */
    union {
        struct sc_kernel_work kernel;
        struct sc_box copy;
        struct sc_abi_memset_node set;
        struct sc_abi_host_node host;
    } u;
    _Alignas(64) unsigned char params[];
};

static CUresult prepare_kernel(struct graph_work *w, const struct node_params *p)
{
    if (sc_life_ended(p->u.kernel.life))
        return CUDA_ERROR_INVALID_HANDLE;
    w->context = p->u.kernel.context;
    w->life = sc_life_ref(p->u.kernel.life);
    memcpy(w->params, p->u.kernel.bytes, p->u.kernel.nbytes);
    return sc_kernel_work_init(&w->u.kernel, &p->u.kernel.launch, w->params);
}

static CUresult prepare(struct graph_work *w, const struct node_params *p)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return prepare_kernel(w, p);
    case CU_GRAPH_NODE_TYPE_MEMCPY: w->context = p->u.copy.context; return sc_box(&p->u.copy.p, &w->u.copy);
    case CU_GRAPH_NODE_TYPE_MEMSET: w->u.set = p->u.set.p; w->context = p->u.set.context; break;
    case CU_GRAPH_NODE_TYPE_HOST:   w->u.host = p->u.host; break;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult sc_graph_work_create(const struct node_params *p, struct graph_work **out)
{
    size_t bytes = p->type == CU_GRAPH_NODE_TYPE_KERNEL ? p->u.kernel.nbytes : 0;
    size_t size = (sizeof(struct graph_work) + bytes + 63) / 64 * 64;
    struct graph_work *w = aligned_alloc(64, size);
    CUresult r;

    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(w, 0, size);
    atomic_init(&w->refs, 1);
    w->type = p->type;
    r = prepare(w, p);
    if (r)
        sc_graph_work_unref(w);
    else
        *out = w;
    return r;
}

void sc_graph_work_ref(struct graph_work *w)
{
    atomic_fetch_add(&w->refs, 1);
}

void sc_graph_work_unref(struct graph_work *w)
{
    if (!w || atomic_fetch_sub(&w->refs, 1) != 1)
        return;
    sc_life_unref(w->life);
    free(w);
}

/* A kernel whose library is gone: a real device runs whatever lies there by then, and mostly faults. Here it always does. */
static void run_kernel(struct graph_work *w, struct sc_worker *worker)
{
    if (sc_life_ended(w->life)) {
        sc_poison(w->context, CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    memset(w->u.kernel.workspace, 0, sizeof(w->u.kernel.workspace));
    sc_kernel_work_run(&w->u.kernel, worker);
}

static void run_host(const struct sc_abi_host_node *h)
{
    sc_in_callback = true;
    h->function(h->data);
    sc_in_callback = false;
}

void sc_graph_work_run(struct graph_work *w, CUcontext stream, struct sc_worker *worker)
{
    switch (w->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: run_kernel(w, worker); break;
    case CU_GRAPH_NODE_TYPE_MEMCPY: sc_box_run(&w->u.copy, w->context); break;
    case CU_GRAPH_NODE_TYPE_MEMSET: sc_fill_run(&w->u.set, w->context); break;
    default: run_host(&w->u.host); break;
    }
    if (w->context && w->context != stream && sc_sticky(w->context))
        sc_poison(stream, sc_sticky(w->context));
}
