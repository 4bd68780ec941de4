/* pointer.c - telling pointers apart. */
#include <string.h>

#include "softcuda/api/pool.h"

static bool is_host(const struct mem_info *m)
{
    return m->kind == MEM_HOST || m->kind == MEM_REGISTERED;
}

/* Each attribute has a type of its own; the value is written as that. */
static CUresult store(void *value, const void *from, size_t size)
{
    memcpy(value, from, size);
    return CUDA_SUCCESS;
}

#define STORE(type, v) store(value, &(type){ v }, sizeof(type))

/* Of memory that no pool gave: NULL. */
static CUmemoryPool pool_of(uint64_t p)
{
    CUmemoryPool pool = NULL;
    struct mem_info m;

    sc_pool_find(p, &m, &pool);
    return pool;
}

static CUresult get(void *value, int attribute, const struct mem_info *m, uint64_t p)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:          return STORE(CUcontext, m->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:      return STORE(unsigned, is_host(m) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:   return STORE(CUdeviceptr, p);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return is_host(m) || m->kind == MEM_MANAGED ? STORE(void *, (void *)(uintptr_t)p) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:      return STORE(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:        return STORE(unsigned long long, m->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:       return STORE(unsigned, m->kind == MEM_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:   return STORE(int, m->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return STORE(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return STORE(CUdeviceptr, m->start);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:       return STORE(size_t, m->size);
    case CU_POINTER_ATTRIBUTE_MAPPED:           return STORE(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return STORE(uint64_t, 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return STORE(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:     return STORE(unsigned, 3);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:   return STORE(CUmemoryPool, pool_of(p));
    default:                                    return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
    struct mem_info m;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!value || !sc_mem_find(p, &m))
        return CUDA_ERROR_INVALID_VALUE;
    return get(value, (int)attribute, &m, p);
}

/* What does not apply, and all of an unknown pointer, is left zero: that is no error here. */
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **values, CUdeviceptr p)
{
    struct mem_info m = { .device = -2 };   /* the ordinal of memory that no device knows */
    CUresult r = sc_ready();
    bool known;

    if (r)
        return r;
    if (!n || !attributes || !values)
        return CUDA_ERROR_INVALID_VALUE;
    known = sc_mem_find(p, &m);
    for (unsigned i = 0; i < n; i++) {
        int a = (int)attributes[i];

        if (known && get(values[i], a, &m, p) && a == CU_POINTER_ATTRIBUTE_HOST_POINTER)
            *(void **)values[i] = NULL;
        else if (!known && a == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)values[i] = -2;
        else if (!known && (a == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || a == CU_POINTER_ATTRIBUTE_IS_MANAGED
                            || a == CU_POINTER_ATTRIBUTE_MAPPED))
            *(unsigned *)values[i] = 0;
        else if (!known && (a == CU_POINTER_ATTRIBUTE_CONTEXT || a == CU_POINTER_ATTRIBUTE_DEVICE_POINTER
                            || a == CU_POINTER_ATTRIBUTE_HOST_POINTER))
            *(void **)values[i] = NULL;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
    struct mem_info m;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!value || (int)attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !sc_mem_find(p, &m))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;                /* copies are synchronous enough */
}
