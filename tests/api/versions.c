/* versions.c - a driver of another version (SOFTCUDA_DRIVER_VERSION, see CMakeLists.txt: 11.4) has what that one had, and everything
 * else that CUDA has can be looked up and says that it is not supported. */
#include "cuda.h.inc"

static CUresult look_up(const char *name, int version, void **f, CUdriverProcAddressQueryResult *why)
{
    CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

    open_library();
    *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    return get(name, f, version, 0, why);
}

static void a_newer_version_is_refused(void **state)
{
    CUdriverProcAddressQueryResult why;
    void *f;

    (void)state;
    assert_int_equal(look_up("cuInit", 11050, &f, &why), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(look_up("cuInit", 11040, &f, &why), CUDA_SUCCESS);
    assert_non_null(f);
}

static void what_is_newer_is_not_found(void **state)
{
    static const char *const newer[] = { "cuLibraryLoadData", "cuKernelGetParamInfo", "cuLaunchKernelEx", "cuGreenCtxCreate" };
    CUdriverProcAddressQueryResult why;
    void *f;

    (void)state;
    for (unsigned i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
        f = &f;
        assert_int_equal(look_up(newer[i], 11040, &f, &why), CUDA_SUCCESS);
        assert_null(f);
        assert_int_equal(why, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    }
    assert_int_equal(look_up("cuNoSuchThing", 11040, &f, &why), CUDA_SUCCESS);
    assert_int_equal(why, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

static void what_is_newer_does_not_work_by_its_symbol_either(void **state)
{
    CUresult (*load)(CUlibrary *, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **, unsigned);
    CUresult (*name)(const char **, CUfunction);
    CUlibrary l;
    CUmodule m;
    CUfunction f;
    CUdevice d;
    const char *text;
    int version;

    (void)state;
    assert_int_equal(AS(Init, 2000, 0)(0), CUDA_SUCCESS);
    assert_int_equal(AS(DriverGetVersion, 2020, 0)(&version), CUDA_SUCCESS);
    assert_int_equal(version, 11040);
    *(void **)&load = dlsym(library, "cuLibraryLoadData");
    assert_int_equal(load(&l, PTX_HEAD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(AS(CtxCreate_v2, 4000, 0)(&(CUcontext){ NULL }, 0, 0), CUDA_SUCCESS);
    assert_int_equal(AS(CtxGetDevice, 2000, 0)(&d), CUDA_SUCCESS);
    assert_int_equal(AS(ModuleLoadData, 2000, 0)(&m, PTX_HEAD PTX_POKE), CUDA_SUCCESS);
    assert_int_equal(AS(ModuleGetFunction, 2000, 0)(&f, m, "poke"), CUDA_SUCCESS);
    *(void **)&name = dlsym(library, "cuFuncGetName");
    assert_int_equal(name(&text, f), CUDA_ERROR_NOT_SUPPORTED);
}

static void what_softcuda_has_not_says_so(void **state)
{
    CUdriverProcAddressQueryResult why;
    int (*f)(int, int, int);

    (void)state;
    assert_int_equal(look_up("cuIpcGetMemHandle", 11040, (void **)&f, &why), CUDA_SUCCESS);
    assert_int_equal(why, CU_GET_PROC_ADDRESS_SUCCESS);
    assert_int_equal(f(1, 2, 3), CUDA_ERROR_NOT_SUPPORTED);
    *(void **)&f = dlsym(library, "cuIpcGetMemHandle");
    assert_int_equal(f(1, 2, 3), CUDA_ERROR_NOT_SUPPORTED);
}

static void nothing_undocumented_is_imitated(void **state)
{
    CUresult (*get)(const void **, const CUuuid *);
    const void *table;
    CUuuid id = { { 1 } };

    (void)state;
    *(void **)&get = dlsym(library, "cuGetExportTable");
    assert_int_equal(get(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_version_is_refused),
        cmocka_unit_test(what_is_newer_is_not_found),
        cmocka_unit_test(what_is_newer_does_not_work_by_its_symbol_either),
        cmocka_unit_test(what_softcuda_has_not_says_so),
        cmocka_unit_test(nothing_undocumented_is_imitated),
    };

    return cmocka_run_group_tests_name("api.versions", tests, NULL, NULL);
}
