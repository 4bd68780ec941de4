/* poolblock.c - what pools give out and take back: blocks, in the order of streams. See pool.h. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/leaks.h"
#include "softcuda/api/poolstate.h"

#define UNIT ((uint64_t)512)            /* sizes of blocks */

/* LEAVING: freed, but its stream has not come to that yet. GONE: to be given back when no operation knows it any more. */
enum state { USED, LEAVING, IDLE, GONE };

struct block {
    struct sc_range range;              /* what was asked for; in the tree while it is used */
    struct block *next, **at;           /* of the pool */
    CUmemoryPool pool;
    CUcontext context;                  /* of the stream that it was allocated in, or freed */
    uint64_t bytes;                     /* held */
    uint64_t stream;                    /* LEAVING: in which */
    uint64_t turn;                      /* how often it was given out: an earlier free is no longer its own */
    unsigned pending;                   /* frees in streams */
    enum state state;
};

/* The block goes back to the device, and a destroyed pool with its last one. */
static void drop(struct block *b)
{
    CUmemoryPool p = b->pool;

    b->state = GONE;
    if (b->pending)
        return;
    if ((*b->at = b->next))
        b->next->at = b->at;
    p->held -= b->bytes;
    sc_devmem_free(p->device->memory, b->range.start, MEM_POOL);
    free(b);
    if (p->destroyed && !p->blocks)
        sc_pool_destroy(p);
}

bool sc_pool_trim(CUmemoryPool p, uint64_t keep)
{
    struct block *next;
    bool some = false;

    for (struct block *b = p->blocks; b && sc_pool_steps(p->held) > keep; b = next) {
        next = b->next;
        if (b->state == IDLE) {
            drop(b);
            some = true;
        }
    }
    return some;
}

/* A block that fits without much waste, and that work of this stream may overwrite. */
static struct block *reusable(CUmemoryPool p, const struct CUstream_st *s, uint64_t bytes)
{
    struct block *best = NULL;

    for (struct block *b = p->blocks; b; b = b->next)
        if ((b->state == IDLE || (b->state == LEAVING && b->stream == s->id)) && b->bytes >= bytes && b->bytes <= 2 * bytes
            && (!best || b->bytes < best->bytes))
            best = b;
    return best;
}

static struct block *new_block(CUmemoryPool p, uint64_t bytes)
{
    struct block *b;

    if ((p->limit && sc_pool_steps(p->held + bytes) > p->limit) || !(b = calloc(1, sizeof(*b))))
        return NULL;
    if (!(b->range.start = sc_devmem_alloc(p->device->memory, bytes, p, MEM_POOL))) {
        free(b);
        return NULL;
    }
    b->pool = p;
    b->bytes = bytes;
    if ((b->next = p->blocks))
        b->next->at = &b->next;
    b->at = &p->blocks;
    p->blocks = b;
    p->held += bytes;
    if (sc_pool_steps(p->held) > p->held_high)
        p->held_high = sc_pool_steps(p->held);
    return b;
}

static uint64_t take(CUmemoryPool p, const struct CUstream_st *s, uint64_t size)
{
    uint64_t bytes = (size + UNIT - 1) / UNIT * UNIT, start = 0;
    struct block *b;

    pthread_mutex_lock(&sc_pools.lock);
    if ((b = reusable(p, s, bytes)) || (b = new_block(p, bytes))) {
        b->state = USED;
        b->turn++;
        b->context = s->context;
        b->range = (struct sc_range){ .start = b->range.start, .size = size, .owner = b, .id = ++sc_pools.next_id };
        sc_ranges_insert(&sc_pools.used, &b->range);
        p->used += size;
        if (p->used > p->used_high)
            p->used_high = p->used;
        start = b->range.start;
    }
    pthread_mutex_unlock(&sc_pools.lock);
    return start;
}

/* Takes the block out of those in use. The lock is held. */
static void untake(struct block *b)
{
    sc_ranges_remove(&sc_pools.used, &b->range);
    b->pool->used -= b->range.size;
}

static struct block *used_at(uint64_t p)
{
    struct sc_range *r = sc_ranges_find(&sc_pools.used, p);

    return r ? r->owner : NULL;
}

/* What nobody needs any more is kept up to the pool's threshold. */
static void settle(struct block *b)
{
    b->state = IDLE;
    if (b->pool->destroyed || sc_pool_steps(b->pool->held) > b->pool->threshold)
        drop(b);
}

static CUresult alloc(CUdeviceptr *p, uint64_t size, CUmemoryPool pool, struct CUstream_st *s)
{
    uint64_t got = 0;

    if (size <= (uint64_t)1 << 48 && !(got = take(pool, s, size))) {
        sc_context_drain(s->context);           /* what other streams have freed comes back */
        sc_pools_trim(pool->device);
        got = take(pool, s, size);
    }
    if (!got)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = got;
    return CUDA_SUCCESS;
}

/* The graph's from then on, with the pool's properties. */
static CUresult alloc_captured(CUdeviceptr *p, size_t size, CUmemoryPool pool, struct CUstream_st *s)
{
    struct sc_abi_access access[SC_MAX_DEVICES];
    struct sc_abi_alloc_node a = {
        .props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, pool->device->ordinal } },
        .access = access, .bytes = size };
    struct node_params params;
    CUdeviceptr start;
    CUresult r;

    for (int i = 0; i < sc_device_count(); i++)
        if (sc_pool_allows(pool, sc_device_at(i)))
            access[a.naccess++] = (struct sc_abi_access){ { CU_MEM_LOCATION_TYPE_DEVICE, i }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    if ((r = sc_params_mem_alloc(&params, &a)))
        return r;
    start = sc_graph_memory_params(params.u.memory)->p;
    if (!(r = sc_capture_node(s, &params)))
        *p = start;
    return r;
}

/* The address must be one of a graph's. */
static CUresult free_captured(CUdeviceptr p, struct CUstream_st *s)
{
    struct node_params params;
    CUresult r = sc_params_mem_free(&params, p);

    return r ? r : sc_capture_node(s, &params);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream stream)
{
    struct CUstream_st *s;
    CUresult r = sc_pool_check(pool);

    if (r || (r = sc_stream_work(stream, &s)))
        return r;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    *p = 0;
    if (!size)
        return CUDA_SUCCESS;
    return sc_capturing(s) ? alloc_captured(p, size, pool, s) : alloc(p, size, pool, s);
}

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream stream)
{
    struct CUstream_st *s;
    CUmemoryPool pool;
    CUresult r = sc_stream_work(stream, &s);

    if (r)
        return r;
    pthread_mutex_lock(&sc_pools.lock);
    pool = sc_pool_current(s->context->device);
    pthread_mutex_unlock(&sc_pools.lock);
    return pool ? cuMemAllocFromPoolAsync(p, size, pool, stream) : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Memory of a pool, of a graph, or else at p. */
struct free_op { struct op op; uint64_t p; struct block *block; struct graph_memory *graph; uint64_t turn; };

static void run_free(struct op *op, struct sc_worker *worker)
{
    struct free_op *f = (struct free_op *)op;

    (void)worker;
    if (f->graph) {
        sc_graph_memory_unref(f->graph);
        return;
    }
    if (!f->block) {
        sc_mem_free_now(f->p);
        return;
    }
    pthread_mutex_lock(&sc_pools.lock);
    f->block->pending--;
    if (f->block->state == GONE)
        drop(f->block);
    else if (f->block->turn == f->turn && f->block->state == LEAVING)
        settle(f->block);
    pthread_mutex_unlock(&sc_pools.lock);
}

/* From here on the address is nobody's. NULL: it was no pool's. */
static struct block *leave(uint64_t p, const struct CUstream_st *s, uint64_t *turn)
{
    struct block *b;

    pthread_mutex_lock(&sc_pools.lock);
    if ((b = used_at(p))) {
        untake(b);
        b->state = LEAVING;
        b->stream = s->id;
        b->context = s->context;
        b->pending++;
        *turn = b->turn;
    }
    pthread_mutex_unlock(&sc_pools.lock);
    return b;
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
    struct CUstream_st *s;
    struct free_op *op;
    struct mem_info info;
    CUresult r = sc_stream_work(stream, &s);

    if (r || !p)
        return r;
    if (sc_capturing(s))
        return free_captured(p, s);
    if (!sc_mem_find(p, &info) || info.start != p || info.kind != MEM_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(op = sc_op_create(sizeof(*op), run_free, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    r = sc_graph_memory_free(p, &op->graph);
    if (r && r != CUDA_ERROR_NOT_FOUND) {
        free(op);
        return r;
    }
    op->p = p;
    op->block = leave(p, s, &op->turn);
    op->op.always = true;
    sc_op_enqueue(s, &op->op, NULL);
    return CUDA_SUCCESS;
}

bool sc_pool_find(uint64_t address, struct mem_info *info, CUmemoryPool *pool)
{
    struct block *b;

    pthread_mutex_lock(&sc_pools.lock);
    if ((b = used_at(address))) {
        *info = (struct mem_info){ b->range.start, b->range.size, b->range.id, MEM_DEVICE, b->context,
                                   b->pool->device->ordinal, 0 };
        if (pool)
            *pool = b->pool;
    }
    pthread_mutex_unlock(&sc_pools.lock);
    return b;
}

bool sc_pool_free(uint64_t p)
{
    struct block *b;
    bool found;

    pthread_mutex_lock(&sc_pools.lock);
    b = used_at(p);
    if ((found = b && b->range.start == p)) {
        untake(b);
        settle(b);
    }
    pthread_mutex_unlock(&sc_pools.lock);
    return found;
}

bool sc_pools_trim(const struct device *d)
{
    bool some = false;

    pthread_mutex_lock(&sc_pools.lock);
    for (CUmemoryPool p = sc_pools.all; p; p = p->next)
        if (p->device == d && !p->destroyed)
            some |= sc_pool_trim(p, 0);
    pthread_mutex_unlock(&sc_pools.lock);
    return some;
}

void sc_pool_leaks(CUcontext c)
{
    pthread_mutex_lock(&sc_pools.lock);
    for (CUmemoryPool p = sc_pools.all; p; p = p->next)
        for (struct block *b = p->blocks; b; b = b->next)
            if (b->state == USED && b->context == c)
                sc_leak(c, "memory of a pool", b->range.start, b->range.size, b->range.id);
    pthread_mutex_unlock(&sc_pools.lock);
}

static void leave_context(CUmemoryPool p, CUcontext c)
{
    struct block *next;

    for (struct block *b = p->blocks; b; b = next) {
        next = b->next;
        if (b->context != c || b->state == GONE)
            continue;
        if (b->state == USED)
            untake(b);
        drop(b);                                /* the pool too, with its last one */
    }
}

void sc_pools_leave(CUcontext c)
{
    CUmemoryPool next;

    pthread_mutex_lock(&sc_pools.lock);
    for (CUmemoryPool p = sc_pools.all; p; p = next) {
        next = p->next;
        leave_context(p, c);
    }
    pthread_mutex_unlock(&sc_pools.lock);
}
