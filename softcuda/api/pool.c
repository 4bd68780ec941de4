/* pool.c - see pool.h. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/leaks.h"
#include "softcuda/api/pool.h"
#include "softcuda/run/range.h"

#define UNIT    ((uint64_t)512)         /* sizes of blocks */
#define STEP    ((uint64_t)32 << 20)    /* in which a pool counts what it holds, as real ones do */

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

struct CUmemPoolHandle_st {
    uint32_t magic;
    struct CUmemPoolHandle_st *next, **at;
    struct device *device;
    bool is_default, destroyed;
    int reuse[4];                       /* by CU_MEMPOOL_ATTR_REUSE_: kept, and told */
    uint64_t limit, threshold;          /* bytes: to hold at most (0: any), to keep when nobody needs them */
    uint64_t held, held_high, used, used_high;
    uint32_t access;                    /* bit d: device d may touch it */
    struct block *blocks;
};

static struct {
    pthread_mutex_t lock;               /* pools, blocks, devices' pools */
    struct sc_ranges used;
    CUmemoryPool all;
    uint64_t next_id;
    CUmemoryPool defaults[SC_MAX_DEVICES], current[SC_MAX_DEVICES];
} pools = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct sc_handles handles = SC_HANDLES(struct CUmemPoolHandle_st);

static uint64_t steps(uint64_t bytes)
{
    return (bytes + STEP - 1) / STEP * STEP;
}

static CUmemoryPool pool_create(struct device *d, bool is_default, uint64_t limit)
{
    CUmemoryPool p = sc_handle_new(&handles, SC_POOL);

    if (!p)
        return NULL;
    p->device = d;
    p->is_default = is_default;
    p->limit = steps(limit);
    p->access = 1u << d->ordinal;
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
        p->reuse[i] = 1;
    if ((p->next = pools.all))
        p->next->at = &p->next;
    p->at = &pools.all;
    pools.all = p;
    return p;
}

static void pool_free(CUmemoryPool p)
{
    if ((*p->at = p->next))
        p->next->at = p->at;
    sc_handle_free(&handles, p);
}

/* NULL without memory. The lock is held. */
static CUmemoryPool default_of(struct device *d)
{
    CUmemoryPool *p = &pools.defaults[d->ordinal];

    return *p ? *p : (*p = pool_create(d, true, 0));
}

static CUmemoryPool current_of(struct device *d)
{
    CUmemoryPool p = pools.current[d->ordinal];

    return p ? p : default_of(d);
}

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
        pool_free(p);
}

/* Frees idle blocks until no more than keep bytes are held. */
static bool trim(CUmemoryPool p, uint64_t keep)
{
    struct block *next;
    bool some = false;

    for (struct block *b = p->blocks; b && steps(p->held) > keep; b = next) {
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

    if ((p->limit && steps(p->held + bytes) > p->limit) || !(b = calloc(1, sizeof(*b))))
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
    if (steps(p->held) > p->held_high)
        p->held_high = steps(p->held);
    return b;
}

static uint64_t take(CUmemoryPool p, const struct CUstream_st *s, uint64_t size)
{
    uint64_t bytes = (size + UNIT - 1) / UNIT * UNIT, start = 0;
    struct block *b;

    pthread_mutex_lock(&pools.lock);
    if ((b = reusable(p, s, bytes)) || (b = new_block(p, bytes))) {
        b->state = USED;
        b->turn++;
        b->context = s->context;
        b->range = (struct sc_range){ .start = b->range.start, .size = size, .owner = b, .id = ++pools.next_id };
        sc_ranges_insert(&pools.used, &b->range);
        p->used += size;
        if (p->used > p->used_high)
            p->used_high = p->used;
        start = b->range.start;
    }
    pthread_mutex_unlock(&pools.lock);
    return start;
}

/* Takes the block out of those in use. The lock is held. */
static void untake(struct block *b)
{
    sc_ranges_remove(&pools.used, &b->range);
    b->pool->used -= b->range.size;
}

static struct block *used_at(uint64_t p)
{
    struct sc_range *r = sc_ranges_find(&pools.used, p);

    return r ? r->owner : NULL;
}

/* What nobody needs any more is kept up to the pool's threshold. */
static void settle(struct block *b)
{
    b->state = IDLE;
    if (b->pool->destroyed || steps(b->pool->held) > b->pool->threshold)
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

static CUresult check(CUmemoryPool p)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return p && p->magic == SC_POOL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Graphs have no nodes for memory here: a capture that would need one is over. */
static CUresult enter(CUstream stream, struct CUstream_st **s)
{
    CUresult r = sc_stream_work(stream, s);

    if (r)
        return r;
    return sc_capture_refuse(*s) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream stream)
{
    struct CUstream_st *s;
    CUresult r = check(pool);

    if (r || (r = enter(stream, &s)))
        return r;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    *p = 0;
    return size ? alloc(p, size, pool, s) : CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream stream)
{
    struct CUstream_st *s;
    CUmemoryPool pool;
    CUresult r = enter(stream, &s);

    if (r)
        return r;
    pthread_mutex_lock(&pools.lock);
    pool = current_of(s->context->device);
    pthread_mutex_unlock(&pools.lock);
    return pool ? cuMemAllocFromPoolAsync(p, size, pool, stream) : CUDA_ERROR_OUT_OF_MEMORY;
}

struct free_op { struct op op; uint64_t p; struct block *block; uint64_t turn; };

static void run_free(struct op *op, struct sc_worker *worker)
{
    struct free_op *f = (struct free_op *)op;

    (void)worker;
    if (!f->block) {
        sc_mem_free_now(f->p);
        return;
    }
    pthread_mutex_lock(&pools.lock);
    f->block->pending--;
    if (f->block->state == GONE)
        drop(f->block);
    else if (f->block->turn == f->turn && f->block->state == LEAVING)
        settle(f->block);
    pthread_mutex_unlock(&pools.lock);
}

/* From here on the address is nobody's. NULL: it was no pool's. */
static struct block *leave(uint64_t p, const struct CUstream_st *s, uint64_t *turn)
{
    struct block *b;

    pthread_mutex_lock(&pools.lock);
    if ((b = used_at(p))) {
        untake(b);
        b->state = LEAVING;
        b->stream = s->id;
        b->context = s->context;
        b->pending++;
        *turn = b->turn;
    }
    pthread_mutex_unlock(&pools.lock);
    return b;
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
    struct CUstream_st *s;
    struct free_op *op;
    struct mem_info info;
    CUresult r = enter(stream, &s);

    if (r || !p)
        return r;
    if (!sc_mem_find(p, &info) || info.start != p || info.kind != MEM_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(op = sc_op_create(sizeof(*op), run_free, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->p = p;
    op->block = leave(p, s, &op->turn);
    op->op.always = true;
    sc_op_enqueue(s, &op->op, NULL);
    return CUDA_SUCCESS;
}

bool sc_pool_find(uint64_t address, struct mem_info *info, CUmemoryPool *pool)
{
    struct block *b;

    pthread_mutex_lock(&pools.lock);
    if ((b = used_at(address))) {
        *info = (struct mem_info){ b->range.start, b->range.size, b->range.id, MEM_DEVICE, b->context,
                                   b->pool->device->ordinal, 0 };
        if (pool)
            *pool = b->pool;
    }
    pthread_mutex_unlock(&pools.lock);
    return b;
}

bool sc_pool_free(uint64_t p)
{
    struct block *b;
    bool found;

    pthread_mutex_lock(&pools.lock);
    b = used_at(p);
    if ((found = b && b->range.start == p)) {
        untake(b);
        settle(b);
    }
    pthread_mutex_unlock(&pools.lock);
    return found;
}

bool sc_pool_allows(CUmemoryPool p, const struct device *d)
{
    return p->access >> d->ordinal & 1;
}

bool sc_pools_trim(const struct device *d)
{
    bool some = false;

    pthread_mutex_lock(&pools.lock);
    for (CUmemoryPool p = pools.all; p; p = p->next)
        if (p->device == d && !p->destroyed)
            some |= trim(p, 0);
    pthread_mutex_unlock(&pools.lock);
    return some;
}

void sc_pool_leaks(CUcontext c)
{
    pthread_mutex_lock(&pools.lock);
    for (CUmemoryPool p = pools.all; p; p = p->next)
        for (struct block *b = p->blocks; b; b = b->next)
            if (b->state == USED && b->context == c)
                sc_leak(c, "memory of a pool", b->range.start, b->range.size, b->range.id);
    pthread_mutex_unlock(&pools.lock);
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

    pthread_mutex_lock(&pools.lock);
    for (CUmemoryPool p = pools.all; p; p = next) {
        next = p->next;
        leave_context(p, c);
    }
    pthread_mutex_unlock(&pools.lock);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    const struct sc_abi_pool_props *p = (const struct sc_abi_pool_props *)props;
    struct device *d;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!pool || !p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->handles)
        return CUDA_ERROR_NOT_SUPPORTED;        /* nothing is shared with other processes */
    if ((r = sc_device(p->location.id, &d)))
        return r;
    pthread_mutex_lock(&pools.lock);
    *pool = pool_create(d, false, p->max_size);
    pthread_mutex_unlock(&pools.lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What was allocated from it stays; a device whose pool it was takes its default one again. */
CUresult cuMemPoolDestroy(CUmemoryPool p)
{
    CUresult r = check(p);

    if (r || p->is_default)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&pools.lock);
    if (pools.current[p->device->ordinal] == p)
        pools.current[p->device->ordinal] = NULL;
    trim(p, 0);
    p->destroyed = true;
    p->magic = SC_GONE;
    if (!p->blocks)
        pool_free(p);
    pthread_mutex_unlock(&pools.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep)
{
    CUresult r = check(p);

    if (r)
        return r;
    pthread_mutex_lock(&pools.lock);
    trim(p, keep);
    pthread_mutex_unlock(&pools.lock);
    return CUDA_SUCCESS;
}

static CUresult get(CUmemoryPool p, int which, void *value)
{
    uint64_t v;

    switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(value, &p->reuse[which], sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:    v = p->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: v = steps(p->held); break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:    v = p->held_high; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:     v = p->used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:        v = p->used_high; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &v, sizeof(v));
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute which, void *value)
{
    CUresult r = check(p);

    if (r)
        return r;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&pools.lock);
    r = get(p, (int)which, value);
    pthread_mutex_unlock(&pools.lock);
    return r;
}

/* Highest values can be put back to 0, that is, to what is there now. */
static CUresult set(CUmemoryPool p, int which, const void *value)
{
    uint64_t v;

    if (which >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES && which <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES) {
        memcpy(&p->reuse[which], value, sizeof(int));
        return CUDA_SUCCESS;
    }
    memcpy(&v, value, sizeof(v));
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->threshold = v;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        p->held_high = steps(p->held);
        return v ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        p->used_high = v ? p->used_high : p->used;
        return v ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute which, void *value)
{
    CUresult r = check(p);

    if (r)
        return r;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&pools.lock);
    r = set(p, (int)which, value);
    pthread_mutex_unlock(&pools.lock);
    return r;
}

static CUresult set_access(CUmemoryPool p, const struct sc_abi_access *a)
{
    struct device *d;
    CUresult r;

    if (a->location.type != CU_MEM_LOCATION_TYPE_DEVICE || (a->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE
        && a->flags != CU_MEM_ACCESS_FLAGS_PROT_READ && a->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_device(a->location.id, &d)))
        return r;
    if (d == p->device)                         /* never without its own */
        return a->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&pools.lock);
    p->access = (p->access & ~(1u << d->ordinal)) | (uint32_t)(a->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) << d->ordinal;
    pthread_mutex_unlock(&pools.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *map, size_t n)
{
    CUresult r = check(p);

    if (!r && n && !map)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; !r && i < n; i++)
        r = set_access(p, (const struct sc_abi_access *)&map[i]);
    return r;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool p, CUmemLocation *location)
{
    const struct sc_abi_location *l = (const struct sc_abi_location *)location;
    struct device *d;
    CUresult r = check(p);

    if (r)
        return r;
    if (!flags || !l || l->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_device(l->id, &d)))
        return r;
    *flags = sc_pool_allows(p, d) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

static CUresult pool_of(CUmemoryPool *pool, CUdevice device, CUmemoryPool (*which)(struct device *))
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!pool)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&pools.lock);
    *pool = which(d);
    pthread_mutex_unlock(&pools.lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return pool_of(pool, device, default_of);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return pool_of(pool, device, current_of);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool p)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r || (r = check(p)))
        return r;
    if (p->device != d)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&pools.lock);
    pools.current[d->ordinal] = p;
    pthread_mutex_unlock(&pools.lock);
    return CUDA_SUCCESS;
}
