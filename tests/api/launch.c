/* launch.c - a launch does what it says, in order, or says why not. */
#include "cuda.h.inc"

static void a_kernel_changes_memory(void **state)
{
    uint32_t host[1000], n = 1000, v = 5;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p, &n, &v };

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, sizeof(host));
    CU(MemsetD32_v2, p, 7, 1000);
    for (int i = 0; i < 3; i++)
        CU(LaunchKernel, f, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, host, p, sizeof(host));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(host[i], 22);
    CU(MemFree_v2, p);
    CU(ModuleUnload, m);
    stop();
}

static void packed_parameters_are_the_same(void **state)
{
    struct { CUdeviceptr p; uint32_t n, v; } packed = { 0, 10, 3 };
    size_t size = sizeof(packed);
    void *extra[] = { (void *)1, &packed, (void *)2, &size, NULL };
    uint32_t host[10];
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &packed.p, sizeof(host));
    CU(MemsetD32_v2, packed.p, 0, 10);
    CU(LaunchKernel, f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra);
    CU(MemcpyDtoH_v2, host, packed.p, sizeof(host));
    assert_int_equal(host[0], 3);
    assert_int_equal(host[9], 3);
    size = 8;
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void a_kernel_of_a_library_is_launched_by_its_handle(void **state)
{
    uint32_t host[4] = { 0 }, n = 4, v = 9;
    unsigned count;
    size_t offset, size;
    const char *name;
    int threads;
    CUlibrary l;
    CUkernel k, all[2];
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p, &n, &v };

    (void)state;
    start();
    CU(LibraryLoadData, &l, PTX_HEAD PTX_ADD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, l, "add");
    assert_int_equal(AS(LibraryGetKernelCount, 12040, 0)(&count, l), 0);
    assert_int_equal(count, 2);
    assert_int_equal(AS(LibraryEnumerateKernels, 12040, 0)(all, 2, l), 0);
    assert_true(all[0] == k);
    assert_int_equal(AS(KernelGetName, 12040, 0)(&name, k), 0);
    assert_string_equal(name, "add");
    assert_int_equal(AS(KernelGetParamInfo, 12040, 0)(k, 1, &offset, &size), 0);
    assert_true(offset == 8 && size == 4);
    assert_int_equal(AS(KernelGetParamInfo, 12040, 0)(k, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    CU(KernelGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0);
    assert_int_equal(threads, 1024);
    CU(MemAlloc_v2, &p, sizeof(host));
    CU(MemsetD32_v2, p, 0, 4);
    CU(LaunchKernel, (CUfunction)k, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL);
    CU(KernelGetFunction, &f, k);
    CU(LaunchKernel, f, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, host, p, sizeof(host));
    assert_int_equal(host[3], 18);
    assert_int_equal(CALL(LibraryGetKernel)(&k, l, "sub"), CUDA_ERROR_NOT_FOUND);
    CU(LibraryUnload, l);
    stop();
}

static void globals_hold_what_the_text_says(void **state)
{
    static const char ptx[] = PTX_HEAD
        ".global .align 4 .u32 table[3] = {10, 20, 30};\n"
        ".const .align 4 .u32 factor = 7;\n"
        ".global .align 8 .u64 where[2] = {table, generic(table)+8};\n"
        ".visible .global .align 8 .u64 out[2];\n"
        ".visible .entry get()\n{\n.reg .b32 %r<4>; .reg .b64 %d<8>;\n"
        "ld.global.u64 %d1, [where+8]; ld.u32 %r1, [%d1]; ld.const.u32 %r2, [factor]; mul.lo.u32 %r1, %r1, %r2;\n"
        "cvt.u64.u32 %d2, %r1; st.global.u64 [out], %d2; ret;\n}\n";
    CUdeviceptr table, where, out;
    uint64_t held[2];
    size_t size;
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, ptx, "get");
    CU(ModuleGetGlobal_v2, &table, &size, m, "table");
    assert_int_equal(size, 12);
    CU(ModuleGetGlobal_v2, &where, NULL, m, "where");
    CU(ModuleGetGlobal_v2, &out, &size, m, "out");
    assert_int_equal(CALL(ModuleGetGlobal_v2)(&out, &size, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    CU(MemcpyDtoH_v2, held, where, sizeof(held));
    assert_true(held[0] == table && held[1] == table + 8);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    CU(MemcpyDtoH_v2, held, out, sizeof(held));
    assert_int_equal(held[0], 210);
    CU(ModuleUnload, m);
    stop();
}

/* A plain name is the address in the variable's own space, which 32 bits hold for constants; generic() is the one for all. */
static void constants_are_found_through_addresses_of_both_kinds(void **state)
{
    static const char ptx[] = PTX_HEAD
        ".visible .global .align 8 .u64 out;\n.const .align 4 .u32 first = 1;\n.global .u32 between = 2;\n.const .align 4 .u32 row[3] = {10, 20, 30};\n"
        ".const .align 8 .u64 plain = row+4;\n.global .align 4 .u32 brief = row+8;\n.global .align 8 .u64 wide = generic(row);\n"
        ".visible .entry get()\n{\n.reg .b32 %r<6>; .reg .b64 %d<4>;\n"
        "ld.const.u64 %d1, [plain]; ld.const.u32 %r1, [%d1]; ld.global.u32 %r2, [brief]; ld.const.u32 %r3, [%r2]; ld.global.u64 %d2, [wide]; ld.u32 %r4, [%d2];\n"
        "mad.lo.u32 %r1, %r1, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4; cvt.u64.u32 %d3, %r1; st.global.u64 [out], %d3; ret;\n}\n";
    CUdeviceptr out;
    uint64_t held = 0;
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, ptx, "get");
    CU(ModuleGetGlobal_v2, &out, NULL, m, "out");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    CU(MemcpyDtoH_v2, &held, out, sizeof(held));
    assert_int_equal(held, (20 * 100 + 30) * 100 + 10);
    CU(ModuleUnload, m);
    stop();
}

static void impossible_launches_are_refused(void **state)
{
    uint32_t n = 0, v = 0;
    CUdeviceptr p = 0;
    void *params[] = { &p, &n, &v };
    CUmodule m, m2;
    CUfunction f, g;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    g = function_of(&m2, PTX_HEAD ".visible .entry few() .maxntid 64, 1, 1 { ret; }\n", "few");
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 64, 64, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(f, 0, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 65536, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 32, 1, 1, 49153, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchKernel)(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(LaunchKernel)(g, 1, 1, 1, 65, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CU(LaunchKernel, g, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    CU(FuncSetAttribute, f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 90000);
    CU(LaunchKernel, f, 1, 1, 1, 32, 1, 1, 90000, NULL, params, NULL);
    assert_int_equal(
        CALL(FuncSetAttribute)(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(LaunchCooperativeKernel)(f, 100000, 1, 1, 1024, 1, 1, 0, NULL, params),
                     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CU(CtxSynchronize);
    stop();
}

/* All blocks add to p[0] and wait for each other on it, as a grid barrier does. */
static void all_blocks_of_a_cooperative_launch_meet(void **state)
{
    static const char ptx[] = PTX_HEAD
        ".visible .entry meet(.param .u64 p, .param .u32 n)\n{\n.reg .pred %q; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
        "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\nbar.sync 0;\n"
        "setp.ne.u32 %q, %r2, 0; @%q bra JOIN;\nmembar.gl; atom.global.add.u32 %r3, [%d1], 1;\n"
        "LOOP: ld.volatile.global.u32 %r4, [%d1]; setp.lt.u32 %q, %r4, %r1; @%q bra LOOP;\n"
        "JOIN: bar.sync 0;\natom.global.add.u32 %r5, [%d1+4], 1;\nret;\n}\n";
    uint32_t host[2], blocks;
    int a_processor, processors;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p, &blocks };

    (void)state;
    start();
    f = function_of(&m, ptx, "meet");
    CU(OccupancyMaxActiveBlocksPerMultiprocessor, &a_processor, f, 96, 0);
    CU(DeviceGetAttribute, &processors, 16, 0);
    blocks = (uint32_t)(a_processor * processors);
    CU(MemAlloc_v2, &p, 8);
    CU(MemsetD32_v2, p, 0, 2);
    CU(LaunchCooperativeKernel, f, blocks, 1, 1, 96, 1, 1, 0, NULL, params);
    CU(MemcpyDtoH_v2, host, p, 8);
    assert_int_equal(host[0], blocks);
    assert_int_equal(host[1], blocks * 96);
    stop();
}

static void launch_attributes_pass(void **state)
{
    CUlaunchAttribute attrs[2] = { { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = { 1, 1, 1 } }, { .id = 8 } };
    CUlaunchConfig config = { { 1, 1, 1 }, { 32, 1, 1 }, 0, NULL, attrs, 2 };
    CUdeviceptr p;
    uint32_t n = 1, v = 4, got;
    void *params[] = { &p, &n, &v };
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, 4);
    CU(MemsetD32_v2, p, 0, 1);
    CU(LaunchKernelEx, &config, f, params, NULL);
    attrs[0].value.cluster.x = 2;
    assert_int_equal(CALL(LaunchKernelEx)(&config, f, params, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CU(MemcpyDtoH_v2, &got, p, 4);
    assert_int_equal(got, 4);
    stop();
}

/* It would run as if each block were a cluster of its own. */
static void a_cluster_of_more_than_one_block_is_refused(void **state)
{
    CUmodule m;
    CUfunction f;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD ".visible .entry k() .reqnctapercluster 1, 2 { ret; }", "k");
    assert_int_equal(CALL(LaunchKernel)(f, 2, 2, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    f = function_of(&m, PTX_HEAD ".visible .entry k() .reqnctapercluster 1 { ret; }", "k");
    CU(LaunchKernel, f, 2, 2, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    CU(FuncSetAttribute, f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 1);
    assert_int_equal(CALL(FuncSetAttribute)(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2), CUDA_ERROR_NOT_SUPPORTED);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_changes_memory),
        cmocka_unit_test(packed_parameters_are_the_same),
        cmocka_unit_test(a_kernel_of_a_library_is_launched_by_its_handle),
        cmocka_unit_test(globals_hold_what_the_text_says),
        cmocka_unit_test(constants_are_found_through_addresses_of_both_kinds),
        cmocka_unit_test(impossible_launches_are_refused),
        cmocka_unit_test(all_blocks_of_a_cooperative_launch_meet),
        cmocka_unit_test(launch_attributes_pass),
        cmocka_unit_test(a_cluster_of_more_than_one_block_is_refused),
    };

    return cmocka_run_group_tests_name("api.launch", tests, NULL, NULL);
}
