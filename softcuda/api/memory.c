/* memory.c - allocation: device memory (run/devmem.h), and host memory that devices know of: page-locked, registered, managed. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "softcuda/api/array.h"
#include "softcuda/api/leaks.h"
#include "softcuda/api/capture.h"
#include "softcuda/api/graphmemory.h"
#include "softcuda/api/pool.h"
#include "softcuda/run/range.h"

#define PAGE ((uint64_t)4096)

static struct {
    pthread_mutex_t lock;
    struct sc_ranges ranges;
    uint64_t next_id;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool host_find(uint64_t address, struct mem_info *info)
{
    struct sc_range *r;

    pthread_mutex_lock(&host.lock);
    r = sc_ranges_find(&host.ranges, address);
    if (r) {
        CUcontext c = r->owner;

        *info = (struct mem_info){ r->start, r->size, r->id, (int)r->kind, c, c ? c->device->ordinal : 0, r->flags };
    }
    pthread_mutex_unlock(&host.lock);
    return r;
}

static CUcontext owner_of(const struct sc_devmem_info *d)
{
    return d->kind == MEM_MODULE ? ((struct CUmod_st *)d->owner)->context : d->owner;
}

bool sc_mem_find(uint64_t address, struct mem_info *info)
{
    struct sc_devmem_info d;

    for (int i = 0; i < sc_device_count(); i++) {
        struct device *device = sc_device_at(i);

        if (!sc_devmem_contains(device->memory, address))
            continue;
        if (!sc_devmem_find(device->memory, address, &d) || d.kind == SC_KIND_HEAP || d.kind == SC_KIND_ARRAY)
            return false;
        if (d.kind == MEM_POOL)
            return sc_pool_find(address, info, NULL);
        if (d.kind == MEM_GRAPH)
            return sc_graph_memory_find(address, info);
        *info = (struct mem_info){ d.start, d.size, d.id, (int)d.kind, owner_of(&d), i, 0 };
        return true;
    }
    return host_find(address, info);
}

bool sc_mem_holds(uint64_t p, uint64_t size)
{
    struct mem_info info;

    return sc_mem_find(p, &info) && size <= info.size - (p - info.start);
}

bool sc_mem_there(uint64_t p, uint64_t size)
{
    struct sc_devmem_info d;

    for (int i = 0; i < sc_device_count(); i++)
        if (sc_devmem_contains(sc_device_at(i)->memory, p))
            return sc_devmem_find(sc_device_at(i)->memory, p, &d) && size <= d.size - (p - d.start);
    return true;
}

bool sc_mem_reachable(CUcontext c, uint64_t p, uint64_t size)
{
    CUmemoryPool pool = NULL;
    struct mem_info info;

    if (sc_pool_find(p, &info, &pool))
        return size <= info.size - (p - info.start) && sc_pool_allows(pool, c->device);
    if (sc_graph_memory_find(p, &info))
        return size <= info.size - (p - info.start) && sc_graph_memory_allows(p, c->device);
    if (!sc_mem_find(p, &info) || size > info.size - (p - info.start))
        return false;
    return (info.kind != MEM_DEVICE && info.kind != MEM_MODULE) || info.device == c->device->ordinal
        || atomic_load(&c->peers) >> info.device & 1;
}

/* Enters a range; CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if it overlaps another. */
static CUresult host_add(CUcontext c, uint64_t start, uint64_t size, int kind, unsigned flags)
{
    struct sc_range *r = calloc(1, sizeof(*r)), *before, *after;
    CUresult result = CUDA_SUCCESS;

    if (!r)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *r = (struct sc_range){ .start = start, .size = size, .owner = c, .kind = (uint32_t)kind, .flags = flags };
    pthread_mutex_lock(&host.lock);
    before = sc_ranges_below(&host.ranges, start);
    after = sc_ranges_above(&host.ranges, start);
    if ((before && start - before->start < before->size) || (after && after->start - start < size)) {
        result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    } else {
        r->id = ++host.next_id;
        sc_ranges_insert(&host.ranges, r);
        r = NULL;
    }
    pthread_mutex_unlock(&host.lock);
    free(r);
    return result;
}

/* Takes the range that begins at start out: its size, or 0. */
static uint64_t host_remove(uint64_t start, int kind)
{
    struct sc_range *r;
    uint64_t size = 0;

    pthread_mutex_lock(&host.lock);
    r = sc_ranges_find(&host.ranges, start);
    if (r && r->start == start && (int)r->kind == kind) {
        sc_ranges_remove(&host.ranges, r);
        size = r->size;
    } else {
        r = NULL;
    }
    pthread_mutex_unlock(&host.lock);
    free(r);
    return size;
}

static size_t whole_pages(uint64_t size)
{
    return (size + PAGE - 1) & ~(PAGE - 1);
}

uint64_t sc_mem_host_alloc(CUcontext c, uint64_t size, int kind, unsigned flags)
{
    void *p;

    if (!size || size > (uint64_t)1 << 46)
        return 0;
    p = mmap(NULL, whole_pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    if (host_add(c, (uint64_t)(uintptr_t)p, size, kind, flags)) {
        munmap(p, whole_pages(size));
        return 0;
    }
    return (uint64_t)(uintptr_t)p;
}

bool sc_mem_host_free(uint64_t p, int kind)
{
    uint64_t size = host_remove(p, kind);

    if (!size)
        return false;
    munmap((void *)(uintptr_t)p, whole_pages(size));
    return true;
}

void sc_mem_leaks(CUcontext c)
{
    static const char *const names[] = { [MEM_HOST] = "page-locked host memory", [MEM_REGISTERED] = "registered host memory",
                                         [MEM_MANAGED] = "managed memory" };
    struct sc_range *r;
    uint64_t from = 0;

    pthread_mutex_lock(&host.lock);
    for (; (r = sc_ranges_above(&host.ranges, from)); from = r->start + 1)
        if (r->owner == c)
            sc_leak(c, names[r->kind], r->start, r->size, r->id);
    pthread_mutex_unlock(&host.lock);
}

void sc_mem_drop(CUcontext c)
{
    struct sc_range *r;
    uint64_t from = 0;

    pthread_mutex_lock(&host.lock);
    while ((r = sc_ranges_above(&host.ranges, from))) {
        from = r->start + 1;
        if (r->owner != c)
            continue;
        sc_ranges_remove(&host.ranges, r);
        if (r->kind != MEM_REGISTERED)
            munmap((void *)(uintptr_t)r->start, whole_pages(r->size));
        free(r);
    }
    pthread_mutex_unlock(&host.lock);
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
    CUcontext c;
    CUresult r = sc_enter(&c);
    uint64_t a, b;

    if (r)
        return r;
    sc_devmem_sizes(c->device->memory, &a, &b);
    if (left)
        *left = a;
    if (total)
        *total = b;
    return CUDA_SUCCESS;
}

static CUresult alloc(CUcontext c, CUdeviceptr *p, size_t size)
{
    uint64_t got;

    if (!p || !size)
        return CUDA_ERROR_INVALID_VALUE;
    got = sc_devmem_alloc(c->device->memory, size, c, MEM_DEVICE);
    if (!got && sc_pools_trim(c->device))
        got = sc_devmem_alloc(c->device->memory, size, c, MEM_DEVICE);
    if (!got)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = got;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t size)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);

    return r ? r : alloc(c, p, size);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned int element)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);
    size_t row, all;

    if (r)
        return r;
    if (!pitch || !width || (element != 4 && element != 8 && element != 16) || width > SIZE_MAX - 511)
        return CUDA_ERROR_INVALID_VALUE;
    row = (width + 511) & ~(size_t)511;
    if (__builtin_mul_overflow(row, height, &all))
        return CUDA_ERROR_OUT_OF_MEMORY;
    r = alloc(c, p, all);
    if (!r)
        *pitch = row;
    return r;
}

CUresult sc_mem_free_now(uint64_t p)
{
    struct graph_memory *graph;
    struct mem_info info;
    CUresult r = sc_graph_memory_free(p, &graph);

    if (r != CUDA_ERROR_NOT_FOUND) {
        if (!r)
            sc_graph_memory_unref(graph);
        return r;
    }
    if (!sc_mem_find(p, &info) || info.start != p)
        return CUDA_ERROR_INVALID_VALUE;
    if (info.kind == MEM_MANAGED)
        return sc_mem_host_free(p, MEM_MANAGED) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (info.kind != MEM_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (sc_pool_free(p))
        return CUDA_SUCCESS;
    return sc_devmem_free(sc_device_at(info.device)->memory, p, MEM_DEVICE) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Work that was given before it may still use the memory, so it is waited for. */
CUresult cuMemFree_v2(CUdeviceptr p)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);

    if (r || !p)
        return r;
    sc_context_drain(c);
    return sc_mem_free_now(p);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    CUcontext c;
    struct mem_info info;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!sc_mem_find(p, &info))
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = info.start;
    if (size)
        *size = info.size;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **p, size_t size, unsigned int flags)
{
    CUcontext c;
    uint64_t got;
    CUresult r = sc_enter_unsafe(&c);

    if (r)
        return r;
    if (!p || !size || (flags & ~7u))
        return CUDA_ERROR_INVALID_VALUE;
    if (!(got = sc_mem_host_alloc(c, size, MEM_HOST, flags)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = (void *)(uintptr_t)got;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **p, size_t size)
{
    return cuMemHostAlloc(p, size, 0);
}

CUresult cuMemFreeHost(void *p)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);

    if (r || !p)
        return r;
    sc_context_drain(c);
    return sc_mem_host_free((uint64_t)(uintptr_t)p, MEM_HOST) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostRegister_v2(void *p, size_t size, unsigned int flags)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);

    if (r)
        return r;
    if (!p || !size || (flags & ~15u) || size > UINTPTR_MAX - (uintptr_t)p)
        return CUDA_ERROR_INVALID_VALUE;
    return host_add(c, (uint64_t)(uintptr_t)p, size, MEM_REGISTERED, flags);
}

CUresult cuMemHostUnregister(void *p)
{
    CUcontext c;
    CUresult r = sc_enter_unsafe(&c);

    if (r)
        return r;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    sc_context_drain(c);
    return host_remove((uint64_t)(uintptr_t)p, MEM_REGISTERED) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

/* The page-locked allocation that holds p. */
static CUresult pinned(const void *p, struct mem_info *info)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!p || !host_find((uint64_t)(uintptr_t)p, info) || info->kind == MEM_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *p, unsigned int flags)
{
    struct mem_info info;
    CUresult r = pinned(p, &info);

    if (r)
        return r;
    if (!device || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *device = (CUdeviceptr)(uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p)
{
    struct mem_info info;
    CUresult r = pinned(p, &info);

    if (r)
        return r;
    if (!flags || info.kind != MEM_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = info.flags | 2u;           /* always mapped */
    return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t size, unsigned int flags)
{
    CUcontext c;
    uint64_t got;
    CUresult r = sc_enter_unsafe(&c);

    if (r)
        return r;
    if (!p || !size || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    if (!(got = sc_mem_host_alloc(c, size, MEM_MANAGED, flags)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = got;
    return CUDA_SUCCESS;
}
