/* memory.c - allocation, copies in all directions, and telling pointers apart. */
#include "cuda.h.inc"
#include <sys/mman.h>

static void copies_keep_every_byte(void **state)
{
    unsigned char out[5000], in[5000];
    CUdeviceptr a, b;

    (void)state;
    start();
    for (int i = 0; i < 5000; i++)
        out[i] = (unsigned char)(i * 7);
    CU(MemAlloc_v2, &a, 5000);
    CU(MemAlloc_v2, &b, 5000);
    CU(MemcpyHtoD_v2, a, out, 5000);
    CU(MemcpyDtoD_v2, b, a, 5000);
    CU(MemcpyDtoH_v2, in, b, 5000);
    assert_memory_equal(in, out, 5000);
    CU(MemsetD8_v2, b + 1, 0xee, 3);
    CU(MemsetD16_v2, b + 4, 0x1234, 1);
    CU(Memcpy, (CUdeviceptr)(uintptr_t)in, b, 8);
    assert_true(in[0] == out[0] && in[1] == 0xee && in[3] == 0xee && in[4] == 0x34 && in[5] == 0x12 && in[6] == out[6]);
    CU(MemcpyHtoDAsync_v2, a, out + 1, 100, NULL);
    out[1] = 99;                                    /* pageable: was read before the call returned */
    CU(MemcpyDtoHAsync_v2, in, a, 100, NULL);       /* pageable: is there when the call returns */
    assert_int_equal(in[0], 7);
    CU(MemFree_v2, a);
    CU(MemFree_v2, b);
    stop();
}

static void bad_ranges_are_refused(void **state)
{
    char host[512];
    CUdeviceptr p, q;

    (void)state;
    start();
    assert_int_equal(CALL(MemAlloc_v2)(&p, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemAlloc_v2)(&p, (size_t)1 << 60), CUDA_ERROR_OUT_OF_MEMORY);
    CU(MemAlloc_v2, &p, 300);
    assert_int_equal(CALL(MemcpyHtoD_v2)(p, host, 301), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemcpyDtoH_v2)(host, p + 100, 201), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemcpyDtoH_v2)(host, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemcpyHtoD_v2)(p, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemsetD32_v2)(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemsetD8_v2)(p, 0, 301), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemFree_v2)(p + 256), CUDA_ERROR_INVALID_VALUE);
    CU(MemcpyHtoD_v2, p, NULL, 0);
    CU(MemFree_v2, p);
    CU(MemFree_v2, 0);
    assert_int_equal(CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(MemGetAddressRange_v2)(&q, NULL, p), CUDA_ERROR_NOT_FOUND);
    stop();
}

static void free_memory_is_counted(void **state)
{
    size_t before, during, after, total;
    CUdeviceptr p;

    (void)state;
    start();
    CU(MemGetInfo_v2, &before, &total);
    CU(MemAlloc_v2, &p, 1 << 20);
    CU(MemGetInfo_v2, &during, &total);
    CU(MemFree_v2, p);
    CU(MemGetInfo_v2, &after, &total);
    assert_true(before <= total && during == before - (1 << 20) && after == before);
    stop();
}

static void pointers_are_told_apart(void **state)
{
    unsigned type, managed;
    CUcontext c = start(), got;
    CUdeviceptr p, base, m, dp;
    size_t size;
    char *host, here;

    (void)state;
    CU(MemAlloc_v2, &p, 1000);
    CU(MemHostAlloc, (void **)&host, 100, 0);
    CU(MemAllocManaged, &m, 64, CU_MEM_ATTACH_GLOBAL);
    CU(PointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 10);
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    CU(PointerGetAttribute, &got, CU_POINTER_ATTRIBUTE_CONTEXT, p + 10);
    assert_true(got == c);
    CU(PointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host);
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    CU(PointerGetAttribute, &managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m + 3);
    assert_int_equal(managed, 1);
    assert_int_equal(CALL(PointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&here),
                     CUDA_ERROR_INVALID_VALUE);
    CU(MemGetAddressRange_v2, &base, &size, p + 999);
    assert_true(base == p && size == 1000);
    CU(MemHostGetDevicePointer_v2, &dp, host, 0);
    CU(MemsetD8_v2, dp, 3, 100);
    assert_int_equal(host[99], 3);
    ((char *)(uintptr_t)m)[5] = 9;
    CU(MemcpyDtoH_v2, &here, m + 5, 1);
    assert_int_equal(here, 9);
    CU(MemFree_v2, m);
    CU(MemFreeHost, host);
    CU(MemFree_v2, p);
    stop();
}

static void host_memory_is_registered_once(void **state)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    start();
    CU(MemHostRegister_v2, p, 8192, 0);
    assert_int_equal(CALL(MemHostRegister_v2)(p + 4096, 100, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CU(MemsetD8_v2, (CUdeviceptr)(uintptr_t)p, 1, 8192);
    CU(MemHostUnregister, p);
    assert_int_equal(CALL(MemHostUnregister)(p), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    munmap(p, 8192);
    stop();
}

static void kernels_reach_host_memory_that_the_driver_knows(void **state)
{
    char *registered = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUdeviceptr managed, p, of_pinned;
    void *pinned, *params[] = { &p };
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(MemHostRegister_v2, registered, 4096, 0);
    CU(MemHostAlloc, &pinned, 64, 0);
    CU(MemAllocManaged, &managed, 64, CU_MEM_ATTACH_GLOBAL);
    CU(MemHostGetDevicePointer_v2, &of_pinned, pinned, 0);
    memset(pinned, 0, 64);
    memset((void *)(uintptr_t)managed, 0, 64);
    for (int i = 0; i < 3; i++) {
        p = i == 0 ? (CUdeviceptr)(uintptr_t)(registered + 4092) : i == 1 ? of_pinned : managed;
        CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    }
    CU(CtxSynchronize);
    assert_true(*(uint32_t *)(registered + 4092) == 1 && *(uint32_t *)pinned == 1 && *(uint32_t *)(uintptr_t)managed == 1);
    CU(MemFree_v2, managed);
    CU(MemFreeHost, pinned);
    CU(MemHostUnregister, registered);
    munmap(registered, 4096);
    CU(ModuleUnload, m);
    stop();
}

static void memory_in_stream_order(void **state)
{
    CUstream s;
    CUdeviceptr p;
    uint32_t got = 0;

    (void)state;
    start();
    CU(StreamCreate, &s, 0);
    CU(MemAllocAsync, &p, 64, s);
    CU(MemsetD32Async, p, 11, 16, s);
    CU(MemcpyDtoHAsync_v2, &got, p, 4, s);
    CU(MemFreeAsync, p, s);
    CU(StreamSynchronize, s);
    assert_int_equal(got, 11);
    assert_int_equal(CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    CU(StreamDestroy_v2, s);
    stop();
}

static void the_context_takes_its_memory_along(void **state)
{
    size_t before, after, total;
    CUdeviceptr p;

    (void)state;
    start();
    CU(MemGetInfo_v2, &before, &total);
    CU(MemAlloc_v2, &p, 1 << 20);
    stop();
    start();
    CU(MemGetInfo_v2, &after, &total);
    assert_int_equal(before, after);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_keep_every_byte),
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(free_memory_is_counted),
        cmocka_unit_test(pointers_are_told_apart),
        cmocka_unit_test(host_memory_is_registered_once),
        cmocka_unit_test(kernels_reach_host_memory_that_the_driver_knows),
        cmocka_unit_test(memory_in_stream_order),
        cmocka_unit_test(the_context_takes_its_memory_along),
    };

    return cmocka_run_group_tests_name("api.memory", tests, NULL, NULL);
}
