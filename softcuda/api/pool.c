/* pool.c - memory pools as programs see them: made and destroyed, attributes, access, devices' own. What they give out: poolblock.c. */
#include <string.h>

#include "softcuda/api/poolstate.h"

struct sc_pools sc_pools = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct sc_handles handles = SC_HANDLES(struct CUmemPoolHandle_st);

static CUmemoryPool pool_create(struct device *d, bool is_default, uint64_t limit)
{
    CUmemoryPool p = sc_handle_new(&handles, SC_POOL);

    if (!p)
        return NULL;
    p->device = d;
    p->is_default = is_default;
    p->limit = sc_pool_steps(limit);
    p->access = 1u << d->ordinal;
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
        p->reuse[i] = 1;
    if ((p->next = sc_pools.all))
        p->next->at = &p->next;
    p->at = &sc_pools.all;
    sc_pools.all = p;
    return p;
}

void sc_pool_destroy(CUmemoryPool p)
{
    if ((*p->at = p->next))
        p->next->at = p->at;
    sc_handle_free(&handles, p);
}

/* NULL without memory. The lock is held. */
static CUmemoryPool default_of(struct device *d)
{
    CUmemoryPool *p = &sc_pools.defaults[d->ordinal];

    return *p ? *p : (*p = pool_create(d, true, 0));
}

CUmemoryPool sc_pool_current(struct device *d)
{
    CUmemoryPool p = sc_pools.current[d->ordinal];

    return p ? p : default_of(d);
}

CUresult sc_pool_check(CUmemoryPool p)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return p && p->magic == SC_POOL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool sc_pool_allows(CUmemoryPool p, const struct device *d)
{
    return p->access >> d->ordinal & 1;
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
    pthread_mutex_lock(&sc_pools.lock);
    *pool = pool_create(d, false, p->max_size);
    pthread_mutex_unlock(&sc_pools.lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What was allocated from it stays; a device whose pool it was takes its default one again. */
CUresult cuMemPoolDestroy(CUmemoryPool p)
{
    CUresult r = sc_pool_check(p);

    if (r || p->is_default)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_pools.lock);
    if (sc_pools.current[p->device->ordinal] == p)
        sc_pools.current[p->device->ordinal] = NULL;
    sc_pool_trim(p, 0);
    p->destroyed = true;
    p->magic = SC_GONE;
    if (!p->blocks)
        sc_pool_destroy(p);
    pthread_mutex_unlock(&sc_pools.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep)
{
    CUresult r = sc_pool_check(p);

    if (r)
        return r;
    pthread_mutex_lock(&sc_pools.lock);
    sc_pool_trim(p, keep);
    pthread_mutex_unlock(&sc_pools.lock);
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
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: v = sc_pool_steps(p->held); break;
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
    CUresult r = sc_pool_check(p);

    if (r)
        return r;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_pools.lock);
    r = get(p, (int)which, value);
    pthread_mutex_unlock(&sc_pools.lock);
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
        p->held_high = sc_pool_steps(p->held);
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
    CUresult r = sc_pool_check(p);

    if (r)
        return r;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_pools.lock);
    r = set(p, (int)which, value);
    pthread_mutex_unlock(&sc_pools.lock);
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
    pthread_mutex_lock(&sc_pools.lock);
    p->access = (p->access & ~(1u << d->ordinal)) | (uint32_t)(a->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) << d->ordinal;
    pthread_mutex_unlock(&sc_pools.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *map, size_t n)
{
    CUresult r = sc_pool_check(p);

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
    CUresult r = sc_pool_check(p);

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
    pthread_mutex_lock(&sc_pools.lock);
    *pool = which(d);
    pthread_mutex_unlock(&sc_pools.lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return pool_of(pool, device, default_of);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return pool_of(pool, device, sc_pool_current);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool p)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r || (r = sc_pool_check(p)))
        return r;
    if (p->device != d)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&sc_pools.lock);
    sc_pools.current[d->ordinal] = p;
    pthread_mutex_unlock(&sc_pools.lock);
    return CUDA_SUCCESS;
}
