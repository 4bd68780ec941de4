/* graphwork.c - the work of one node. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/graph.h"

struct graph_work {
    atomic_uint refs;
    int type;
    CUcontext context;                  /* which a fault poisons; NULL: the stream's */
    struct sc_life *life;               /* of a kernel's code, a reference */
    union {
        struct sc_kernel_work kernel;
        struct sc_abi_memcpy3d copy;
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
    case CU_GRAPH_NODE_TYPE_MEMCPY: w->u.copy = p->u.copy.p; w->context = p->u.copy.context; break;
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

static unsigned char *row(const struct sc_abi_memcpy3d_side *s, const struct sc_abi_memcpy3d *c, size_t y, size_t z)
{
    uint64_t base = s->type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)s->host : s->device;
    size_t pitch = s->pitch ? s->pitch : s->x + c->width, rows = s->height ? s->height : s->y + c->height;

    return (unsigned char *)(uintptr_t)(base + ((s->z + z) * rows + s->y + y) * pitch + s->x);
}

/* What the device would not reach any more is a fault of the device, not of this process. */
static bool is_there(const struct sc_abi_memcpy3d_side *s, uint64_t row, size_t width)
{
    return s->type != CU_MEMORYTYPE_DEVICE || sc_mem_there(row, width);
}

static CUresult run_copy(const struct sc_abi_memcpy3d *c)
{
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            unsigned char *to = row(&c->to, c, y, z), *from = row(&c->from, c, y, z);

            if (!is_there(&c->to, (uintptr_t)to, c->width) || !is_there(&c->from, (uintptr_t)from, c->width))
                return CUDA_ERROR_ILLEGAL_ADDRESS;
            memmove(to, from, c->width);
        }
    return CUDA_SUCCESS;
}

static CUresult run_set(const struct sc_abi_memset_node *s)
{
    for (size_t y = 0; y < s->height; y++) {
        uint64_t to = s->to + y * s->pitch;

        if (!sc_mem_there(to, s->width * s->element))
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        sc_fill_now((void *)(uintptr_t)to, s->value, s->element, s->width);
    }
    return CUDA_SUCCESS;
}

/* A kernel whose library is gone: a real device runs whatever lies there by then, and mostly faults. Here it always does. */
static CUresult run_kernel(struct graph_work *w, struct sc_worker *worker)
{
    if (sc_life_ended(w->life))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    memset(w->u.kernel.workspace, 0, sizeof(w->u.kernel.workspace));
    sc_kernel_work_run(&w->u.kernel, worker);
    return CUDA_SUCCESS;
}

void sc_graph_work_run(struct graph_work *w, CUcontext stream, struct sc_worker *worker)
{
    CUresult r = CUDA_SUCCESS;

    switch (w->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: r = run_kernel(w, worker); break;
    case CU_GRAPH_NODE_TYPE_MEMCPY: r = run_copy(&w->u.copy); break;
    case CU_GRAPH_NODE_TYPE_MEMSET: r = run_set(&w->u.set); break;
    default: sc_in_callback = true; w->u.host.function(w->u.host.data); sc_in_callback = false; break;
    }
    if (r)
        sc_poison(w->context ? w->context : stream, r);
    if (w->context && w->context != stream && sc_sticky(w->context))
        sc_poison(stream, sc_sticky(w->context));
}
