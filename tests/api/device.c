/* device.c - the device, contexts, and finding functions. */
#include "cuda.h.inc"
#include <pthread.h>

static void nothing_works_before_init(void **state)
{
    int n;
    CUcontext c;

    (void)state;
    assert_int_equal(CALL(DeviceGetCount)(&n), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(CALL(CtxGetCurrent)(&c), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(CALL(Init)(1), CUDA_ERROR_INVALID_VALUE);
    CU(Init, 0);
    CU(DeviceGetCount, &n);
    assert_true(n >= 1);
}

static void the_device_is_honest(void **state)
{
    char name[100], cut[6];
    int major, warp, version;
    size_t bytes;
    CUdevice d;

    (void)state;
    CU(DeviceGet, &d, 0);
    assert_int_equal(CALL(DeviceGet)(&d, 99), CUDA_ERROR_INVALID_DEVICE);
    CU(DeviceGetName, name, sizeof(name), d);
    assert_memory_equal(name, "softcuda, ", 10);
    CU(DeviceGetName, cut, sizeof(cut), d);
    assert_string_equal(cut, "softc");
    CU(DeviceGetAttribute, &major, 75, d);
    CU(DeviceGetAttribute, &warp, 10, d);
    assert_true(major >= 7 && warp == 32);
    assert_int_equal(CALL(DeviceGetAttribute)(&warp, 9999, d), CUDA_ERROR_INVALID_VALUE);
    CU(DeviceTotalMem_v2, &bytes, d);
    assert_true(bytes > 0);
    CU(DriverGetVersion, &version);
    assert_true(version >= 12000);
}

static void functions_are_found_by_base_name_version_and_flags(void **state)
{
    CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    CUdriverProcAddressQueryResult status;
    void *f, *g;

    (void)state;
    *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    assert_int_equal(get("cuMemAlloc", &f, 12000, 0, &status), 0);
    assert_true(f == dlsym(library, "cuMemAlloc_v2") && status == CU_GET_PROC_ADDRESS_SUCCESS);
    assert_int_equal(get("cuStreamSynchronize", &f, 12000, 2, &status), 0);
    assert_true(f == dlsym(library, "cuStreamSynchronize_ptsz"));
    assert_int_equal(get("cuStreamSynchronize", &f, 12000, 1, &status), 0);
    assert_true(f == dlsym(library, "cuStreamSynchronize"));
    assert_int_equal(get("cuCtxCreate", &f, 11000, 0, &status), 0);
    assert_int_equal(get("cuCtxCreate", &g, 13000, 0, &status), 0);
    assert_true(f == dlsym(library, "cuCtxCreate_v2") && g == dlsym(library, "cuCtxCreate_v4"));
    f = &f;
    assert_int_equal(get("cuNothing", &f, 12000, 0, &status), 0);
    assert_true(!f && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    f = &f;
    assert_int_equal(get("cuLibraryLoadData", &f, 11040, 0, &status), 0);
    assert_true(!f && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_int_equal(get("cuInit", &f, 99000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    assert_non_null(dlsym(library, "cuMemAlloc"));
    assert_non_null(((const char *(*)(void))dlsym(library, "softcuda_version"))());
}

static void errors_have_names(void **state)
{
    const char *text;

    (void)state;
    CU(GetErrorName, CUDA_ERROR_ILLEGAL_ADDRESS, &text);
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CU(GetErrorString, CUDA_SUCCESS, &text);
    assert_string_equal(text, "no error");
    assert_int_equal(CALL(GetErrorName)((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

static void contexts_stack(void **state)
{
    CUcontext a, b, c;
    CUdeviceptr p;

    (void)state;
    CU(CtxSetCurrent, NULL);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    create_context(&a);
    create_context(&b);
    CU(CtxGetCurrent, &c);
    assert_true(c == b);
    CU(CtxPushCurrent_v2, a);
    CU(CtxPopCurrent_v2, &c);
    assert_true(c == a);
    CU(CtxDestroy_v2, b);
    CU(CtxGetCurrent, &c);
    assert_true(c == a);
    CU(CtxDestroy_v2, a);
    CU(CtxGetCurrent, &c);
    assert_null(c);
    assert_int_equal(CALL(CtxDestroy_v2)(a), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CU(CtxPushCurrent_v2, a);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CU(CtxPopCurrent_v2, NULL);
}

static void globals_are_of_one_context(void **state)
{
    CUdeviceptr pa, pb, ma, mb;
    CUcontext a, b;
    CUlibrary l;
    int version = 0;

    (void)state;
    CU(LibraryLoadData, &l, ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .u32 x = 3;\n"
       ".visible .global .attribute(.managed) .align 4 .u32 y = 4;\n", NULL, NULL, 0, NULL, NULL, 0);
    create_context(&a);
    CU(LibraryGetGlobal, &pa, NULL, l, "x");
    CU(LibraryGetManaged, &ma, NULL, l, "y");
    create_context(&b);
    CU(LibraryGetGlobal, &pb, NULL, l, "x");
    CU(LibraryGetManaged, &mb, NULL, l, "y");
    assert_true(pa != pb && ma == mb);
    assert_int_equal(*(uint32_t *)(uintptr_t)ma, 4);
    CU(MemsetD32_v2, pa, 9, 1);
    CU(MemcpyDtoH_v2, &version, pb, 4);
    assert_int_equal(version, 3);
    CU(CtxDestroy_v2, b);
    CU(LibraryUnload, l);
    CU(CtxDestroy_v2, a);
}

static void a_kernel_outlives_a_reset(void **state)
{
    CUcontext c;
    CUdeviceptr p;
    CUlibrary l;
    CUkernel k;
    uint32_t got = 0;
    void *params[] = { &p };

    (void)state;
    start();
    CU(LibraryLoadData, &l, PTX_HEAD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, l, "poke");
    for (int i = 0; i < 2; i++) {
        CU(MemAlloc_v2, &p, 4);
        CU(LaunchKernel, (CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
        CU(MemcpyDtoH_v2, &got, p, 4);
        assert_int_equal(got, 1);
        CU(DevicePrimaryCtxReset_v2, 0);
        assert_int_equal(CALL(MemAlloc_v2)(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        CU(DevicePrimaryCtxRetain, &c, 0);
        CU(DevicePrimaryCtxRelease_v2, 0); /* the one from before holds it */
    }
    CU(LibraryUnload, l);
    stop();
}

static void limits_are_kept(void **state)
{
    size_t value;
    int least, greatest;

    (void)state;
    start();
    CU(CtxSetLimit, CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 24);
    CU(CtxGetLimit, &value, CU_LIMIT_MALLOC_HEAP_SIZE);
    assert_int_equal(value, 1 << 24);
    assert_int_equal(CALL(CtxGetLimit)(&value, 77), CUDA_ERROR_UNSUPPORTED_LIMIT);
    CU(CtxGetStreamPriorityRange, &least, &greatest);
    assert_true(least >= greatest);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(the_device_is_honest),
        cmocka_unit_test(functions_are_found_by_base_name_version_and_flags),
        cmocka_unit_test(errors_have_names),
        cmocka_unit_test(contexts_stack),
        cmocka_unit_test(globals_are_of_one_context),
        cmocka_unit_test(a_kernel_outlives_a_reset),
        cmocka_unit_test(limits_are_kept),
    };

    return cmocka_run_group_tests_name("api.device", tests, NULL, NULL);
}
