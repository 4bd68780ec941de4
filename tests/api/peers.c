/* peers.c - two devices, as the environment asks for (see CMakeLists.txt): memory of their own, copies between them, and a fork.
 * */
#include "cuda.h.inc"
#include <sys/wait.h>
#include <unistd.h>

static void the_environment_makes_the_devices(void **state)
{
    int n, major, optin;
    size_t bytes;

    (void)state;
    CU(Init, 0);
    CU(DeviceGetCount, &n);
    assert_int_equal(n, 2);
    CU(DeviceTotalMem_v2, &bytes, 1);
    assert_int_equal(bytes, 64 << 20);
    CU(DeviceGetAttribute, &major, 75, 1);
    CU(DeviceGetAttribute, &optin, 97, 1);
    assert_true(major == 9 && optin == 227 << 10);
}

static void devices_reach_each_other(void **state)
{
    CUcontext a, b;
    CUdeviceptr pa, pb;
    CUevent e;
    CUstream s;
    int can, where;
    uint32_t got;

    (void)state;
    CU(DeviceCanAccessPeer, &can, 0, 1);
    assert_int_equal(can, 1);
    CU(DevicePrimaryCtxRetain, &a, 0);
    CU(DevicePrimaryCtxRetain, &b, 1);
    CU(CtxSetCurrent, a);
    CU(MemAlloc_v2, &pa, 64);
    CU(MemsetD32_v2, pa, 77, 16);
    CU(EventCreate, &e, 0);
    CU(EventRecord, e, NULL);
    CU(CtxSetCurrent, b);
    CU(MemAlloc_v2, &pb, 64);
    CU(StreamCreate, &s, 0);
    CU(StreamWaitEvent, s, e, 0);                   /* an event of the other device */
    CU(MemcpyDtoDAsync_v2, pb, pa, 64, s);
    CU(StreamSynchronize, s);
    CU(MemcpyDtoH_v2, &got, pb + 60, 4);
    assert_int_equal(got, 77);
    CU(PointerGetAttribute, &where, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pb);
    assert_int_equal(where, 1);
    CU(EventDestroy_v2, e);
    CU(CtxSetCurrent, NULL);
    CU(DevicePrimaryCtxRelease, 0);
    CU(DevicePrimaryCtxRelease, 1);
    assert_int_equal(CALL(DevicePrimaryCtxRelease)(1), CUDA_ERROR_INVALID_CONTEXT);
}

/* In a child, as a fault is for good. */
static void touch_without_leave(void)
{
    CUcontext a, b;
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    CU(Init, 0);
    CU(DevicePrimaryCtxRetain, &a, 0);
    CU(DevicePrimaryCtxRetain, &b, 1);
    CU(CtxSetCurrent, b);
    CU(MemAlloc_v2, &p, 64);
    CU(CtxSetCurrent, a);
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CU(CtxSetCurrent, b);
    CU(MemAlloc_v2, &p, 64);                        /* the other device goes on */
}

static void kernels_need_leave_for_the_memory_of_another_device(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (!child) {
        touch_without_leave();
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void kernels_with_leave_reach_it(void **state)
{
    struct sc_abi_access leave = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUcontext a, b;
    CUdeviceptr p, pooled;
    CUmemoryPool pool;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };
    uint32_t got = 0;

    (void)state;
    CU(Init, 0);
    CU(DevicePrimaryCtxRetain, &a, 0);
    CU(DevicePrimaryCtxRetain, &b, 1);
    CU(CtxSetCurrent, b);
    CU(MemAlloc_v2, &p, 64);
    CU(MemAllocAsync, &pooled, 64, NULL);
    CU(DeviceGetMemPool, &pool, 1);
    CU(MemPoolSetAccess, pool, (const CUmemAccessDesc *)&leave, 1);
    CU(CtxSetCurrent, a);
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(CtxEnablePeerAccess, b, 0);
    assert_int_equal(CALL(CtxEnablePeerAccess)(b, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, &got, p, 4);
    assert_int_equal(got, 1);
    CU(CtxDisablePeerAccess, b);
    assert_int_equal(CALL(CtxDisablePeerAccess)(b), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    p = pooled;                                     /* a pool has rules of its own */
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyPeer, pooled + 4, b, pooled, b, 4);
    CU(MemcpyDtoH_v2, &got, pooled + 4, 4);
    assert_int_equal(got, 1);
    CU(ModuleUnload, m);
    CU(CtxSetCurrent, NULL);
    CU(DevicePrimaryCtxRelease, 0);
    CU(DevicePrimaryCtxRelease, 1);
}

static void memory_runs_out(void **state)
{
    CUdeviceptr p;

    (void)state;
    start();
    assert_int_equal(CALL(MemAlloc_v2)(&p, 65 << 20), CUDA_ERROR_OUT_OF_MEMORY);
    CU(MemAlloc_v2, &p, 60 << 20);
    stop();
}

static void a_forked_child_is_told(void **state)
{
    int status, n;
    pid_t child = fork();

    (void)state;
    if (!child)
        _exit(CALL(DeviceGetCount)(&n) == CUDA_ERROR_NOT_INITIALIZED && CALL(Init)(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CU(DeviceGetCount, &n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_need_leave_for_the_memory_of_another_device),      /* forks, so before there are threads */
        cmocka_unit_test(the_environment_makes_the_devices),
        cmocka_unit_test(devices_reach_each_other),
        cmocka_unit_test(kernels_with_leave_reach_it),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(a_forked_child_is_told),
    };

    return cmocka_run_group_tests_name("api.peers", tests, NULL, NULL);
}
