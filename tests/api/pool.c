/* pool.c - memory pools: memory that comes and goes in stream order. What is held back is held back by gates that the test opens. */
#include "cuda.h.inc"
#include <semaphore.h>

#define STEP ((uint64_t)32 << 20)

static sem_t gate;

static void wait_at(void *data)
{
    (void)data;
    sem_wait(&gate);
}

static uint64_t number(CUmemoryPool p, int which)
{
    uint64_t v = 77;

    CU(MemPoolGetAttribute, p, which, &v);
    return v;
}

static CUmemoryPool new_pool(size_t limit)
{
    struct sc_abi_pool_props props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                                       .max_size = limit };
    CUmemoryPool p;

    CU(MemPoolCreate, &p, &props);
    return p;
}

static CUstream new_stream(void)
{
    CUstream s;

    CU(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
    return s;
}

static void what_is_freed_in_a_stream_comes_back_in_it_at_once(void **state)
{
    CUstream s, other;
    CUdeviceptr a, b, c;

    (void)state;
    start();
    s = new_stream();
    other = new_stream();
    sem_init(&gate, 0, 0);
    CU(LaunchHostFunc, s, wait_at, NULL);
    CU(MemAllocAsync, &a, 1 << 20, s);
    CU(MemFreeAsync, a, s);
    CU(MemAllocAsync, &b, 1 << 20, s);
    assert_int_equal(a, b);                         /* though the free has not happened yet */
    CU(MemFreeAsync, b, s);
    CU(MemAllocAsync, &c, 1 << 20, other);
    assert_int_not_equal(b, c);                     /* who knows when that would be */
    CU(MemFreeAsync, c, other);
    sem_post(&gate);
    CU(CtxSynchronize);
    CU(StreamDestroy_v2, s);
    CU(StreamDestroy_v2, other);
    stop();
}

static void work_before_the_free_may_still_use_it(void **state)
{
    CUstream s;
    CUdeviceptr p;
    uint32_t *host;

    (void)state;
    start();
    s = new_stream();
    sem_init(&gate, 0, 0);
    CU(MemHostAlloc, (void **)&host, 4, 0);
    CU(MemAllocAsync, &p, 4096, s);
    CU(LaunchHostFunc, s, wait_at, NULL);
    CU(MemsetD32Async, p, 6, 1024, s);
    CU(MemcpyDtoHAsync_v2, host, p + 4092, 4, s);
    CU(MemFreeAsync, p, s);
    sem_post(&gate);
    CU(StreamSynchronize, s);
    assert_int_equal(*host, 6);
    stop();
}

static void the_address_is_nobodys_at_once(void **state)
{
    CUstream s;
    CUdeviceptr p, base;
    size_t size;

    (void)state;
    start();
    s = new_stream();
    sem_init(&gate, 0, 0);
    CU(LaunchHostFunc, s, wait_at, NULL);
    CU(MemAllocAsync, &p, 1000, s);
    CU(MemGetAddressRange_v2, &base, &size, p + 999);
    assert_true(base == p && size == 1000);
    CU(MemFreeAsync, p, s);
    assert_int_equal(CALL(MemFreeAsync)(p, s), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemGetAddressRange_v2)(&base, &size, p), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(CALL(MemsetD32Async)(p, 0, 4, s), CUDA_ERROR_INVALID_VALUE);
    sem_post(&gate);
    CU(CtxSynchronize);
    CU(MemAllocAsync, &p, 1000, s);
    CU(MemFree_v2, p);                              /* allowed as well, and waits */
    assert_int_equal(CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    CU(MemFreeAsync, 0, s);
    CU(MemAllocAsync, &p, 0, s);
    stop();
}

static void a_pool_counts_what_it_holds(void **state)
{
    CUmemoryPool p;
    CUstream s;
    CUdeviceptr a, b;
    uint64_t all = UINT64_MAX, none = 0, five = 5;
    size_t left, after, total;

    (void)state;
    start();
    s = new_stream();
    p = new_pool(0);
    assert_true(number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0 && number(p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == 0);
    CU(MemAllocFromPoolAsync, &a, 1000, p, s);
    assert_true(number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == STEP && number(p, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 1000);
    CU(MemFreeAsync, a, s);
    CU(StreamSynchronize, s);
    assert_int_equal(number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
    CU(MemGetInfo_v2, &left, &total);
    CU(MemPoolSetAttribute, p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
    CU(MemAllocFromPoolAsync, &a, 40 << 20, p, s);
    CU(MemFreeAsync, a, s);
    CU(StreamSynchronize, s);
    assert_int_equal(number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 2 * STEP);
    assert_int_equal(number(p, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 40 << 20);
    CU(MemAllocFromPoolAsync, &b, 40 << 20, p, new_stream());
    assert_int_equal(a, b);                         /* the free has happened */
    CU(MemFree_v2, b);
    CU(MemPoolTrimTo, p, 0);
    CU(MemGetInfo_v2, &after, &total);
    assert_int_equal(left, after);
    CU(MemPoolSetAttribute, p, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none);
    assert_int_equal(CALL(MemPoolSetAttribute)(p, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &five), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(number(p, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0);
    CU(MemPoolDestroy, p);
    stop();
}

static void pools_have_a_limit_and_an_end(void **state)
{
    CUmemoryPool p, q, mine;
    CUstream s;
    CUdeviceptr a, b;

    (void)state;
    start();
    s = new_stream();
    CU(DeviceGetDefaultMemPool, &mine, 0);
    CU(DeviceGetMemPool, &q, 0);
    assert_ptr_equal(mine, q);
    p = new_pool(1 << 20);
    CU(MemAllocFromPoolAsync, &a, 3 << 20, p, s);       /* within a step */
    assert_int_equal(CALL(MemAllocFromPoolAsync)(&b, STEP, p, s), CUDA_ERROR_OUT_OF_MEMORY);
    CU(PointerGetAttribute, &q, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, a);
    assert_ptr_equal(p, q);
    CU(DeviceSetMemPool, 0, p);
    CU(MemAllocAsync, &b, 16, s);
    CU(PointerGetAttribute, &q, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b);
    assert_ptr_equal(p, q);
    CU(MemPoolDestroy, p);                              /* what came from it stays */
    CU(DeviceGetMemPool, &q, 0);
    assert_ptr_equal(mine, q);
    CU(MemsetD8Async, a, 1, 3 << 20, s);
    CU(MemFreeAsync, a, s);
    CU(MemFreeAsync, b, s);
    CU(CtxSynchronize);
    assert_int_equal(CALL(MemPoolTrimTo)(p, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemPoolDestroy)(mine), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void a_context_takes_its_memory_with_it(void **state)
{
    CUcontext c;
    CUstream s;
    CUdeviceptr p;
    size_t before, after, total;

    (void)state;
    start();
    CU(MemGetInfo_v2, &before, &total);
    create_context(&c);
    s = new_stream();
    for (int i = 0; i < 3; i++)
        CU(MemAllocAsync, &p, 1 << 20, s);
    CU(MemFreeAsync, p, s);
    CU(CtxDestroy_v2, c);
    CU(MemGetInfo_v2, &after, &total);
    assert_int_equal(before, after);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_freed_in_a_stream_comes_back_in_it_at_once),
        cmocka_unit_test(work_before_the_free_may_still_use_it),
        cmocka_unit_test(the_address_is_nobodys_at_once),
        cmocka_unit_test(a_pool_counts_what_it_holds),
        cmocka_unit_test(pools_have_a_limit_and_an_end),
        cmocka_unit_test(a_context_takes_its_memory_with_it),
    };

    return cmocka_run_group_tests_name("api.pool", tests, NULL, NULL);
}
