/* beside.c - softcuda in a process that has another LLVM, whose symbols everybody sees. Skipped where there is none. */
#include "cuda.h.inc"

static void kernels_run_beside_another_llvm(void **state)
{
    uint32_t n = 64, v = 3, got[64];
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p, &n, &v };

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, sizeof(got));
    CU(MemsetD32_v2, p, 4, 64);
    CU(LaunchKernel, f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, got, p, sizeof(got));
    assert_int_equal(got[63], 7);
    CU(MemFree_v2, p);
    CU(ModuleUnload, m);
    stop();
}

int main(void)
{
    static const char *const names[] = { "libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-15.so.1", "libLLVM-14.so.1" };
    const struct CMUnitTest tests[] = { cmocka_unit_test(kernels_run_beside_another_llvm) };
    int n = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !n; i++)
        n += dlopen(names[i], RTLD_NOW | RTLD_GLOBAL) != NULL;
    if (!n)
        return 77;
    return cmocka_run_group_tests_name("api.beside", tests, NULL, NULL);
}
