/* Libraries on a driver that has none: softcuda, taken for the one of CUDA 11.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/driver/driver.h"
#include "src/driver/kernel_node.h"
#include "src/driver/launch_config.h"
#include "src/util/alloc.h"

static struct driver driver;
static gpudl_driver_table *const cu = &driver.table;
static CUcontext primary;
static CUdeviceptr word;

#define assert_cu(call) assert_int_equal(call, 0)

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 n = 5;\n"
                           ".visible .entry store(.param .u64 out, .param .u32 value)\n{\n.reg .u32 %r;\n.reg .u64 %p;\n"
                           "ld.param.u64 %p, [out];\nld.param.u32 %r, [value];\nst.global.u32 [%p], %r;\nret;\n}\n";
static const char broken[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    bogus.u32 %r1, 1;\n    ret;\n}\n";

static CUlibrary load(const char *code)
{
    CUlibrary lib;

    assert_cu(cu->LibraryLoadData(&lib, code, NULL, NULL, 0, NULL, NULL, 0));
    return lib;
}

static CUkernel get(CUlibrary lib, const char *name)
{
    CUkernel k;

    assert_cu(cu->LibraryGetKernel(&k, lib, name));
    return k;
}

static int launch(const void *f, unsigned value)
{
    void *params[] = { &word, &value };

    return cu->LaunchKernel((CUfunction)(uintptr_t)f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static unsigned result(void)
{
    unsigned value = 0;

    assert_cu(cu->MemcpyDtoH(&value, word, 4));
    return value;
}

static void what_is_emulated_is_said(void **state)
{
    (void)state;
    assert_int_equal(cu->version, 11040);
    assert_non_null(strstr(driver.emulated, "cuLibrary*"));
    assert_non_null(strstr(driver.emulated, "cuLaunchKernelEx"));
    assert_null(strstr(driver.missing, "cuLibraryLoadData"));
    assert_non_null(strstr(driver.missing, "cuFuncLoad (without it: "));
    assert_int_equal(gpudl__driver_since("cuFuncLoad"), 12040);
    assert_int_equal(gpudl__driver_since("cuNoSuchFunction"), 0);
}

static void a_function_is_found_as_an_older_driver_has_it(void **state)
{
    void *function;
    int found;

    (void)state;
    assert_cu(cu->GetProcAddress("cuMemAlloc", &function, 3020, 0, &found));
    assert_non_null(function);
    assert_int_equal(found, 0);
    assert_true(cu->GetProcAddress("cuLibraryLoadData", &function, 12000, 0, &found) != 0 || !function);
    assert_null(cu->FuncLoad);
    assert_null(cu->CtxRecordEvent);
}

static void kernels_have_their_names_and_their_library(void **state)
{
    CUlibrary lib = load(text), of;
    CUkernel k = get(lib, "store");
    const char *name;
    CUfunction f, again;
    CUmodule m;

    (void)state;
    assert_ptr_equal(k, get(lib, "store"));
    assert_int_equal(cu->LibraryGetKernel(&k, lib, "none"), GPUDL_CU_NOT_FOUND);
    assert_cu(cu->KernelGetName(&name, k));
    assert_string_equal(name, "store");
    assert_cu(cu->KernelGetLibrary(&of, k));
    assert_ptr_equal(of, lib);
    assert_cu(cu->KernelGetFunction(&f, k));
    assert_cu(cu->LibraryGetModule(&m, lib));
    assert_cu(cu->ModuleGetFunction(&again, m, "store"));
    assert_ptr_equal(f, again);
    assert_cu(launch(k, 7));
    assert_int_equal(result(), 7);
    assert_cu(launch(f, 8)); /* the driver's own go through */
    assert_int_equal(result(), 8);
    assert_cu(cu->LibraryUnload(lib));
}

static void the_drivers_verdict_comes_with_the_load(void **state)
{
    char log[512] = "";
    int options[] = { GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };
    CUlibrary lib;

    (void)state;
    assert_true(cu->LibraryLoadData(&lib, broken, options, values, 2, NULL, NULL, 0) != 0);
    assert_non_null(strstr(log, "bogus"));
    assert_cu(cu->CtxSetCurrent(NULL)); /* without a context, too */
    assert_true(cu->LibraryLoadData(&lib, broken, NULL, NULL, 0, NULL, NULL, 0) != 0);
    lib = load(text);
    assert_cu(cu->CtxSetCurrent(primary));
    assert_cu(cu->LibraryUnload(lib));
}

static void handles_of_the_drivers_are_no_libraries_or_kernels(void **state)
{
    CUlibrary lib = load(text);
    CUkernel k = get(lib, "store");
    CUfunction f;
    int value;

    (void)state;
    assert_cu(cu->KernelGetFunction(&f, k));
    assert_int_equal(cu->KernelGetAttribute(&value, GPUDL_FUNC_NUM_REGS, (CUkernel)f, 0), GPUDL_CU_INVALID_HANDLE);
    assert_int_equal(cu->LibraryUnload((CUlibrary)f), GPUDL_CU_INVALID_HANDLE);
    assert_int_equal(cu->LibraryUnload(NULL), GPUDL_CU_INVALID_HANDLE);
    assert_cu(cu->LibraryUnload(lib));
}

static int launch_with(CUkernel k, const gpudl_launch_attribute *a, unsigned value)
{
    struct driver_launch_config c = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .nattributes = 1 };
    void *params[] = { &word, &value };

    c.attributes = (const struct CUlaunchAttribute_st *)a;
    return cu->LaunchKernelEx((const struct CUlaunchConfig_st *)&c, (CUfunction)k, params, NULL);
}

static void attributes_of_a_launch_are_heeded_let_go_or_refused(void **state)
{
    gpudl_launch_attribute a = { .id = GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.value = 1 };
    CUlibrary lib = load(text);
    CUkernel k = get(lib, "store");

    (void)state;
    assert_cu(launch_with(k, &a, 21));
    assert_int_equal(result(), 21);
    a = (gpudl_launch_attribute){ .id = GPUDL_LAUNCH_ATTRIBUTE_PRIORITY, .value.value = 1 };
    assert_cu(launch_with(k, &a, 22));
    assert_int_equal(result(), 22);
    a = (gpudl_launch_attribute){ .id = GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.dim = { 1, 1, 1 } };
    assert_cu(launch_with(k, &a, 23));
    assert_int_equal(result(), 23);
    a.value.dim[1] = 2;
    assert_int_equal(launch_with(k, &a, 24), GPUDL_CU_NOT_SUPPORTED);
    a = (gpudl_launch_attribute){ .id = 7 }; /* an event in the middle of the kernel */
    assert_int_equal(launch_with(k, &a, 24), GPUDL_CU_NOT_SUPPORTED);
    assert_int_equal(result(), 23);
    assert_cu(cu->LibraryUnload(lib));
}

static void a_node_of_a_graph_takes_a_kernel(void **state)
{
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*make)(CUgraphExec *, CUgraph, unsigned long long), found;
    int (*run)(CUgraphExec, CUstream), (*nodes)(CUgraph, CUgraphNode *, size_t *);
    CUlibrary lib = load(text);
    CUkernel k = get(lib, "store");
    unsigned value = 31;
    void *params[] = { &word, &value };
    struct driver_kernel_node n = { .kernel = k, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .params = params };
    CUgraphExec exec;
    CUgraphNode node;
    CUstream stream;
    CUgraph graph;
    size_t count = 1;

    (void)state;
    assert_cu(cu->GetProcAddress("cuStreamBeginCapture", (void **)&begin, 10010, 0, &found));
    assert_cu(cu->GetProcAddress("cuStreamEndCapture", (void **)&end, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphInstantiateWithFlags", (void **)&make, 11040, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphLaunch", (void **)&run, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphGetNodes", (void **)&nodes, 10000, 0, &found));
    assert_cu(cu->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING));
    assert_cu(begin(stream, 0)); /* global: the load of a kernel's module does not end it */
    assert_cu(cu->LaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    assert_cu(end(stream, &graph));
    assert_cu(nodes(graph, &node, &count));
    assert_int_equal(count, 1);
    assert_cu(make(&exec, graph, 0));
    value = 32;
    assert_cu(cu->GraphExecKernelNodeSetParams(exec, node, (const struct CUDA_KERNEL_NODE_PARAMS_v2_st *)&n));
    assert_cu(run(exec, stream));
    assert_cu(cu->StreamSynchronize(stream));
    assert_int_equal(result(), 32);
    assert_cu(cu->StreamDestroy(stream));
    assert_cu(cu->LibraryUnload(lib));
}

/* A context of another one's handle is told from it, and what went with a context is not unloaded again. */
static void a_reset_is_noticed(void **state)
{
    CUlibrary lib = load(text), gone = load(text);
    CUkernel k = get(lib, "store");
    CUdeviceptr global;
    unsigned value;

    (void)state;
    assert_cu(launch(k, 41));
    assert_cu(cu->LibraryGetGlobal(&global, NULL, lib, "n"));
    assert_cu(cu->MemcpyHtoD(global, &(unsigned){ 99 }, 4));
    assert_cu(cu->DevicePrimaryCtxReset(0));
    assert_cu(cu->LibraryUnload(gone));
    assert_cu(cu->DevicePrimaryCtxRetain(&primary, 0)); /* which brings it back, of the same handle */
    assert_cu(cu->DevicePrimaryCtxRelease(0));
    assert_cu(cu->MemAlloc(&word, 4));
    assert_cu(launch(k, 42));
    assert_int_equal(result(), 42);
    assert_cu(cu->LibraryGetGlobal(&global, NULL, lib, "n"));
    assert_cu(cu->MemcpyDtoH(&value, global, 4));
    assert_int_equal(value, 5);
    assert_cu(cu->LibraryUnload(lib));
}

/* Also in a context that is not the current one, and of one that is gone. */
static void an_unload_is_of_all_contexts(void **state)
{
    int (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext), found;
    CUlibrary lib = load(text);
    CUkernel k = get(lib, "store");
    CUcontext contexts[2], now;
    size_t before, after, total;
    CUdeviceptr p;

    (void)state;
    assert_cu(cu->GetProcAddress("cuCtxCreate", (void **)&create, 3020, 0, &found));
    assert_cu(cu->GetProcAddress("cuCtxDestroy", (void **)&destroy, 4000, 0, &found));
    assert_cu(cu->MemGetInfo(&before, &total));
    for (int i = 0; i < 2; i++) {
        assert_cu(create(&contexts[i], 0, 0));
        assert_cu(launch(k, 50 + (unsigned)i));
        assert_int_equal(cu->LibraryGetGlobal(&p, NULL, lib, "n"), 0);
    }
    assert_cu(destroy(contexts[1]));
    assert_cu(cu->CtxSetCurrent(primary));
    assert_cu(cu->LibraryUnload(lib));
    assert_cu(cu->CtxGetCurrent(&now));
    assert_ptr_equal(now, primary);
    assert_cu(cu->MemGetInfo(&after, &total));
    assert_true(after >= before); /* all that the other context held is given back */
    assert_cu(destroy(contexts[0]));
}

static long allocations_left;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* What cannot be had fails its call, and the next one has it. */
static void memory_that_lacks_fails_one_call(void **state)
{
    const struct allocator heap = { allocate, release, NULL }, *before = gpudl__alloc_use(&heap);
    CUlibrary lib;
    CUkernel k;
    int failed = 0;

    (void)state;
    for (long n = 0; n < 12; n++) {
        int err;

        allocations_left = n;
        err = cu->LibraryLoadData(&lib, text, NULL, NULL, 0, NULL, NULL, 0);
        failed += err == GPUDL_CU_OUT_OF_MEMORY;
        if (err)
            continue;
        err = cu->LibraryGetKernel(&k, lib, "store");
        failed += err == GPUDL_CU_OUT_OF_MEMORY;
        if (!err && launch(k, 61)) {
            failed++;
            allocations_left = 9;
            assert_cu(launch(k, 61));
        }
        assert_cu(cu->LibraryUnload(lib));
    }
    gpudl__alloc_use(before);
    assert_true(failed >= 5); /* the library, its options twice, a module, a kernel, its functions */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_emulated_is_said),
        cmocka_unit_test(a_function_is_found_as_an_older_driver_has_it),
        cmocka_unit_test(kernels_have_their_names_and_their_library),
        cmocka_unit_test(the_drivers_verdict_comes_with_the_load),
        cmocka_unit_test(handles_of_the_drivers_are_no_libraries_or_kernels),
        cmocka_unit_test(attributes_of_a_launch_are_heeded_let_go_or_refused),
        cmocka_unit_test(a_node_of_a_graph_takes_a_kernel),
        cmocka_unit_test(a_reset_is_noticed),
        cmocka_unit_test(an_unload_is_of_all_contexts),
        cmocka_unit_test(memory_that_lacks_fails_one_call),
    };
    char path[4096], why[DRIVER_TEXT_SIZE];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
    int cuda;

    if (n < 0)
        return 1;
    path[n] = '\0';
    strcpy(strrchr(path, '/'), "/../lib/libsoftcuda.so");
    setenv("SOFTCUDA_DRIVER_VERSION", "11040", 1);
    if (gpudl__driver_open(path, true, &driver, &cuda, why) != GPUDL_OK) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    if (cu->DevicePrimaryCtxRetain(&primary, 0) || cu->CtxSetCurrent(primary) || cu->MemAlloc(&word, 4))
        return 1;
    return cmocka_run_group_tests_name("libraries on an old driver", tests, NULL, NULL);
}
