/* occupancy.c - how many blocks a processor holds: here a bound on what a cooperative launch may keep resident on one thread. */
#include "softcuda/api/objects.h"

/* of CUdevice_attribute */
enum { PROCESSORS = 16, MAX_THREADS = 39, SHARED_PER_PROCESSOR = 81, MAX_BLOCKS = 106, RESERVED_SHARED = 111 };

static int most_threads(const struct CUfunc_st *f)
{
    int n = 1024;

    cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, (CUfunction)(uintptr_t)f);
    return n;
}

static int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

int sc_active_blocks(const struct CUfunc_st *f, int threads, size_t dynamic)
{
    const struct device *d = f->module->context->device;
    size_t shared = f->kernel->info.static_shared_bytes + dynamic + (size_t)sc_device_attribute(d, RESERVED_SHARED);
    int by_threads = sc_device_attribute(d, MAX_THREADS) / round_up(threads, SC_LANES);
    int blocks = sc_device_attribute(d, MAX_BLOCKS);
    size_t by_shared = shared ? (size_t)sc_device_attribute(d, SHARED_PER_PROCESSOR) / shared : (size_t)blocks;

    if (threads > most_threads(f) || dynamic > (size_t)sc_max_dynamic(f))
        return 0;
    if (by_threads < blocks)
        blocks = by_threads;
    return by_shared < (size_t)blocks ? (int)by_shared : blocks;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!blocks || threads <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = sc_active_blocks(f, threads, shared);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction f, int threads, size_t shared, unsigned int flags)
{
    return flags & ~1u ? CUDA_ERROR_INVALID_VALUE : cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}

/* The largest block that leaves a processor as full as any other. */
CUresult cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
    struct CUfunc_st *f;
    int best = 0, best_threads = 0, most;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!grid || !block || limit < 0)
        return CUDA_ERROR_INVALID_VALUE;
    most = most_threads(f);
    if (limit && limit < most)
        most = limit;
    for (int threads = most; threads > 0; threads = threads % SC_LANES ? threads / SC_LANES * SC_LANES : threads - SC_LANES) {
        int n = sc_active_blocks(f, threads, shared_of ? shared_of(threads) : shared);

        if (n * threads > best) {
            best = n * threads;
            best_threads = threads;
        }
    }
    if (!best)
        return CUDA_ERROR_INVALID_VALUE;
    *block = best_threads;
    *grid = best / best_threads * sc_device_attribute(f->module->context->device, PROCESSORS);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned int flags)
{
    return flags & ~1u ? CUDA_ERROR_INVALID_VALUE : cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction function, int blocks, int threads)
{
    struct CUfunc_st *f;
    const struct device *d;
    int share;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!shared || blocks <= 0 || threads <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    d = f->module->context->device;
    share = sc_device_attribute(d, SHARED_PER_PROCESSOR) / blocks - sc_device_attribute(d, RESERVED_SHARED)
          - (int)f->kernel->info.static_shared_bytes;
    *shared = share < 0 ? 0 : share < sc_max_dynamic(f) ? (size_t)share : (size_t)sc_max_dynamic(f);
    return CUDA_SUCCESS;
}
