/* context.c - contexts, and each thread's stack of them. */
#include <stdlib.h>

#include "softcuda/api/array.h"
#include "softcuda/api/capture.h"
#include "softcuda/api/leaks.h"
#include "softcuda/api/pool.h"

#define DEPTH 64
#define DEFAULT_STACK 1024

static _Thread_local struct { CUcontext at[DEPTH]; unsigned n; } stack;

static CUcontext contexts;              /* all that ever were; sc_objects */
static uint64_t next_id;                /* sc_objects */

CUcontext sc_context_next(CUcontext c)
{
    CUcontext next;

    pthread_mutex_lock(&sc_objects);
    next = c ? c->next : contexts;
    pthread_mutex_unlock(&sc_objects);
    return next;
}

CUcontext sc_current(void)
{
    return stack.n ? stack.at[stack.n - 1] : NULL;
}

CUresult sc_check_context(CUcontext c)
{
    if (!c || c->magic != SC_CONTEXT)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!atomic_load(&c->alive))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return sc_sticky(c);
}

CUresult sc_enter(CUcontext *current)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    *current = sc_current();
    return *current ? sc_check_context(*current) : CUDA_ERROR_INVALID_CONTEXT;
}

/* Of a handle that the caller names. */
static CUresult named(CUcontext c)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return c && c->magic == SC_CONTEXT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUcontext context_create(struct device *d, bool is_primary)
{
    CUcontext c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->magic = SC_CONTEXT;
    c->device = d;
    c->is_primary = is_primary;
    c->next = contexts;
    contexts = c;
    return c;
}

/* sc_objects is held. */
static CUresult context_start(CUcontext c, unsigned flags)
{
    CUresult r = (CUresult)atomic_load(&c->device->sticky);

    if (r)
        return r;
    c->flags = flags;
    c->id = ++next_id;
    atomic_store(&c->sticky, 0);
    atomic_store(&c->stack_limit, DEFAULT_STACK);
    if ((r = sc_stream_create(c, 0, 0, &c->legacy)))
        return r;
    sc_services_init(&c->services, c->device->memory, c);
    atomic_store(&c->alive, true);
    return CUDA_SUCCESS;
}

/* Waits for its work, then everything that belongs to it goes; the handle stays and says so. sc_objects is held. */
static void context_end(CUcontext c)
{
    atomic_store(&c->alive, false);
    sc_capture_drop_context(c);
    sc_context_drain(c);
    sc_leaks_of_context(c);
    while (c->modules)
        sc_module_destroy(c->modules);
    sc_streams_release(c);
    sc_services_finish(&c->services);
    sc_arrays_drop(c);
    sc_pools_leave(c);
    sc_graph_memory_leave(c);
    sc_devmem_free_owned(c->device->memory, c);
    sc_mem_drop(c);
    atomic_store(&c->peers, 0);
    for (CUcontext other = contexts; other; other = other->next)
        atomic_fetch_and(&other->peers, ~(1u << c->device->ordinal));
}

static CUresult push(CUcontext c)
{
    if (stack.n == DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack.at[stack.n++] = c;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_objects);
    if (!d->primary && !(d->primary = context_create(d, true)))
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (!r && !atomic_load(&d->primary->alive))
        r = context_start(d->primary, d->primary_flags);
    if (!r)
        d->primary_refs++;
    pthread_mutex_unlock(&sc_objects);
    if (!r)
        *context = d->primary;
    return r ? r : sc_libraries_enter(d->primary);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    pthread_mutex_lock(&sc_objects);
    if (!d->primary_refs)
        r = CUDA_ERROR_INVALID_CONTEXT;
    else if (--d->primary_refs == 0 && atomic_load(&d->primary->alive))
        context_end(d->primary);
    pthread_mutex_unlock(&sc_objects);
    return r;
}

/* As on a GPU, those who hold the context keep a handle that answers CONTEXT_IS_DESTROYED until somebody retains it again. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    pthread_mutex_lock(&sc_objects);
    if (d->primary && atomic_load(&d->primary->alive))
        context_end(d->primary);
    pthread_mutex_unlock(&sc_objects);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_objects);
    d->primary_flags = flags;
    if (d->primary)
        d->primary->flags = flags;
    pthread_mutex_unlock(&sc_objects);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_objects);
    *flags = d->primary_flags;
    *active = d->primary && atomic_load(&d->primary->alive);
    pthread_mutex_unlock(&sc_objects);
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    struct device *d;
    CUcontext c;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!context || (flags & ~(unsigned)CU_CTX_FLAGS_MASK))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_objects);
    c = context_create(d, false);
    r = c ? context_start(c, flags) : CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&sc_objects);
    if (r || (r = push(c)))
        return r;
    *context = c;
    return sc_libraries_enter(c);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int n, unsigned int flags, CUdevice device)
{
    (void)params;
    return n ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
    const struct sc_abi_create_params *p = (const struct sc_abi_create_params *)params;

    return p && (p->naffinities || p->cig) ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext c)
{
    CUresult r = named(c);

    if (r)
        return r;
    if (c->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&sc_objects);
    if (atomic_load(&c->alive))
        context_end(c);
    else
        r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    pthread_mutex_unlock(&sc_objects);
    if (stack.n && stack.at[stack.n - 1] == c)
        stack.n--;
    return r;
}

CUresult cuCtxPushCurrent_v2(CUcontext c)
{
    CUresult r = named(c);

    return r ? r : push(c);
}

CUresult cuCtxPopCurrent_v2(CUcontext *c)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!stack.n)
        return CUDA_ERROR_INVALID_CONTEXT;
    stack.n--;
    if (c)
        *c = stack.at[stack.n];
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c)
{
    CUresult r = sc_ready();

    if (r || (c && (r = named(c))))
        return r;
    if (stack.n)
        stack.n--;
    return c ? push(c) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *c)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    *c = sc_current();
    return CUDA_SUCCESS;
}

static CUresult device_of(CUdevice *device, CUcontext c)
{
    CUresult r = c ? named(c) : sc_ready();

    if (r)
        return r;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!c && !(c = sc_current()))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = c->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return device_of(device, NULL);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext c)
{
    return device_of(device, c);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    CUcontext c = sc_current();
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!c)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = c->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    c->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext c, unsigned long long *id)
{
    CUresult r = c ? named(c) : sc_ready();

    if (r)
        return r;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    if (!c && !(c = sc_current()))
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = c->id;
    return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext c)
{
    CUresult r = sc_check_context(c);

    if (r || (r = sc_capture_refuse_context(c)))
        return r;
    sc_context_drain(c);
    sc_services_flush(&c->services);
    return sc_sticky(c);
}

CUresult cuCtxSynchronize(void)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    return r ? r : synchronize(c);
}

CUresult cuCtxSynchronize_v2(CUcontext c)
{
    CUresult r = c ? named(c) : sc_enter(&c);

    return r ? r : synchronize(c);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)limit) {
    case CU_LIMIT_STACK_SIZE:       *value = atomic_load(&c->stack_limit); break;
    case CU_LIMIT_PRINTF_FIFO_SIZE: *value = c->services.limit; break;
    case CU_LIMIT_MALLOC_HEAP_SIZE: *value = atomic_load(&c->services.heap_limit); break;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: *value = 2; break;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: *value = 2048; break;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY: *value = 128; break;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: *value = 0; break;
    default: return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    switch ((int)limit) {
    case CU_LIMIT_STACK_SIZE:
        if (value > 512 << 10)
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&c->stack_limit, value);
        break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        pthread_mutex_lock(&c->services.lock);
        c->services.limit = value;
        pthread_mutex_unlock(&c->services.lock);
        break;
    case CU_LIMIT_MALLOC_HEAP_SIZE: atomic_store(&c->services.heap_limit, value); break;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY: case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: break;
    default: return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    CUcontext c;

    (void)config;
    return sc_enter(&c);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = 1;                        /* banks of four bytes */
    return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    CUcontext c;

    (void)config;
    return sc_enter(&c);
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned int *version)
{
    CUresult r = c ? named(c) : sc_ready();

    if (r)
        return r;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    if (!c && !sc_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    CUcontext c;

    return sc_enter(&c);
}

/* Copies reach every memory anyway; this is for kernels. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    CUcontext c;
    CUresult r = sc_enter(&c);
    uint32_t bit;

    if (r || (r = sc_check_context(peer)))
        return r;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (c == peer)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (c->device == peer->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    bit = 1u << peer->device->ordinal;
    return atomic_fetch_or(&c->peers, bit) & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    CUcontext c;
    CUresult r = sc_enter(&c);
    uint32_t bit;

    if (r || (r = sc_check_context(peer)))
        return r;
    bit = 1u << peer->device->ordinal;
    return atomic_fetch_and(&c->peers, ~bit) & bit ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
