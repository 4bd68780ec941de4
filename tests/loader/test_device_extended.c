/* Attributes, occupancy, extended launches and nodes of graphs on a device: the same on softcuda and on a GPU. GPUDL_DRIVER
 * says which; without one this is skipped (exit code 77). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/loader/asserts.h"
#include "tests/loader/data.h"

static const gpudl_driver_table *cu;

/* gather: *out += 1 by each block, and waits until all of the grid did. fill: out[global thread] = value. */
static const char plain_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry gather(.param .u64 out, .param .u32 blocks)\n{\n"
    "    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [blocks];\n"
    "    mov.u32 %r2, %tid.x;\n    setp.ne.u32 %p1, %r2, 0;\n    @%p1 bra END;\n"
    "    atom.global.add.u32 %r3, [%rd1], 1;\n"
    "AGAIN:\n    ld.volatile.global.u32 %r4, [%rd1];\n    setp.lt.u32 %p1, %r4, %r1;\n    @%p1 bra AGAIN;\n"
    "END:\n    ret;\n}\n"
    ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
    "    .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [value];\n"
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n    mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "    mul.wide.u32 %rd2, %r5, 4;\n    add.u64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3], %r1;\n    ret;\n}\n";

/* fill, of another content: twice the value. */
static const char twice_ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
                                "    .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                                "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [value];\n    add.u32 %r1, %r1, %r1;\n"
                                "    mov.u32 %r4, %tid.x;\n    mul.wide.u32 %rd2, %r4, 4;\n    add.u64 %rd3, %rd1, %rd2;\n"
                                "    st.global.u32 [%rd3], %r1;\n    ret;\n}\n";

/* size: how many blocks its cluster has. */
static const char cluster_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                  ".visible .entry size(.param .u64 out)\n{\n"
                                  "    .reg .b32 %r<2>; .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n"
                                  "    mov.u32 %r1, %cluster_nctarank;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n"
                                  ".visible .entry pairs(.param .u64 out) .reqnctapercluster 2\n{\n"
                                  "    .reg .b32 %r<2>; .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n"
                                  "    mov.u32 %r1, %cluster_nctarank;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";

struct fixture {
    gpudl_library *library;
    gpudl_kernel *kernel;
    CUdeviceptr out;
};

static struct fixture open_kernel(const char *ptx, size_t size, const char *name)
{
    struct fixture f;

    assert_ok(gpudl_library_load(NULL, GPUDL_MEMORY(ptx, size - 1), NULL, &f.library));
    assert_ok(gpudl_kernel_get(f.library, name, &f.kernel));
    assert_cu(cu->MemAlloc(&f.out, 4096));
    assert_cu(cu->MemcpyHtoD(f.out, (const char[4096]){ 0 }, 4096));
    return f;
}
#define OPEN(ptx, name) open_kernel(ptx, sizeof(ptx), name)

static void close_kernel(struct fixture *f)
{
    assert_cu(cu->CtxSynchronize());
    assert_cu(cu->MemFree(f->out));
    gpudl_kernel_release(f->kernel);
    gpudl_library_release(f->library);
}

static unsigned word(const struct fixture *f, unsigned index)
{
    unsigned value;

    assert_cu(cu->CtxSynchronize());
    assert_cu(cu->MemcpyDtoH(&value, f->out + 4 * index, 4));
    return value;
}

static int device_attribute(int which)
{
    int value = 0;

    assert_cu(cu->DeviceGetAttribute(&value, which, 0));
    return value;
}

/* ------------------------------------------------------------------------------------------------- attributes, occupancy */

static CUkernel native_kernel(gpudl_library *lib, const char *name)
{
    gpudl_version *v;
    CUlibrary native;
    CUkernel kernel;

    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_native(v, &native));
    assert_cu(cu->LibraryGetKernel(&kernel, native, name));
    gpudl_version_unpin(v);
    return kernel;
}

/* Whether the image tells it or the driver: of machine code where this device has some, else of PTX. */
static void attributes_are_what_the_driver_says(void **state)
{
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(NULL, DATA_SOURCE(names_fatbin), NULL, &lib));
    for (size_t i = 0; i < gpudl_library_kernel_count(lib); i++) {
        const char *name = gpudl_library_kernel_name(lib, i);
        CUkernel native = native_kernel(lib, name);
        gpudl_kernel *k;
        assert_ok(gpudl_kernel_get(lib, name, &k));
        for (int a = GPUDL_FUNC_MAX_THREADS_PER_BLOCK; a <= GPUDL_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE; a++) {
            int ours = -99, drivers = -98, err = cu->KernelGetAttribute(&drivers, a, native, 0);
            if (!err)
                assert_ok(gpudl_kernel_attribute(k, a, 0, &ours));
            if (!err && ours != drivers)
                fail_msg("%s: attribute %d is %d, and the driver says %d", name, a, ours, drivers);
        }
        gpudl_kernel_release(k);
    }
    gpudl_library_release(lib);
}

static void attributes_are_set(void **state)
{
    struct fixture f = OPEN(plain_ptx, "fill");
    int value;

    (void)state;
    assert_ok(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, 0));
    assert_ok(gpudl_kernel_set_cache_preference(f.kernel, GPUDL_CACHE_PREFER_L1, 0));
    assert_ok(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, 0));
    assert_ok(gpudl_kernel_attribute(f.kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, &value));
    assert_int_equal(value, device_attribute(GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    assert_fails(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, value + 1, 0),
        GPUDL_ERROR_LAUNCH_LIMIT, "a block has at most");
    close_kernel(&f);
}

static void attributes_are_set_without_a_context(void **state)
{
    struct fixture f = OPEN(plain_ptx, "fill");
    CUcontext mine, now;

    (void)state;
    assert_cu(cu->CtxPopCurrent(&mine));
    assert_ok(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, 0));
    assert_cu(cu->CtxGetCurrent(&now));
    assert_null(now);
    assert_cu(cu->CtxPushCurrent(mine));
    close_kernel(&f);
}

static void what_was_set_outlives_a_replace(void **state)
{
    struct fixture f = OPEN(plain_ptx, "fill");
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    unsigned value = 4;
    void *params[] = { &f.out, &value };

    (void)state;
    config.shared_bytes = 60000;
    assert_ok(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, 0));
    assert_ok(gpudl_kernel_launch_params(f.kernel, &config, params));
    assert_int_equal(word(&f, 31), 4);
    assert_ok(gpudl_library_replace(f.library, GPUDL_MEMORY(twice_ptx, sizeof(twice_ptx) - 1), NULL));
    assert_ok(gpudl_kernel_launch_params(f.kernel, &config, params));
    assert_int_equal(word(&f, 31), 8);
    close_kernel(&f);
}

static size_t four_bytes_each(void *user, unsigned threads)
{
    ++*(int *)user;
    return 4 * (size_t)threads;
}

static void occupancy_is_told(void **state)
{
    struct fixture f = OPEN(plain_ptx, "fill");
    unsigned one, all, block, grid, most = (unsigned)device_attribute(GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    gpudl_launch_config config;
    int calls = 0;

    (void)state;
    assert_ok(gpudl_kernel_occupancy(f.kernel, 128, 0, 0, &all));
    assert_true(all > 1);
    assert_ok(gpudl_kernel_occupancy(f.kernel, 128, most, 0, &one));
    assert_int_equal(one, 1);
    assert_ok(gpudl_kernel_suggest_block(f.kernel, NULL, NULL, 0, 100, 0, &block, &grid));
    assert_true(block >= 1 && block <= 100 && grid >= 1);
    assert_ok(gpudl_kernel_suggest_block(f.kernel, four_bytes_each, &calls, 0, 0, 0, &block, &grid));
    assert_true(calls > 0 && block >= 32 && block <= 1024);
    config = gpudl_launch_1d(1, block);
    assert_ok(gpudl_launch(f.kernel, &config, f.out, 7));
    assert_int_equal(word(&f, block - 1), 7);
    close_kernel(&f);
}

/* --------------------------------------------------------------------------------------------------------------- launches */

static void a_cooperative_grid_is_on_the_device_at_once(void **state)
{
    const gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    struct fixture f = OPEN(plain_ptx, "gather");
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(1, 64), &cooperative, 1);
    unsigned each, blocks;
    void *params[] = { &f.out, &blocks };

    (void)state;
    assert_ok(gpudl_kernel_occupancy(f.kernel, 64, 0, 0, &each));
    blocks = each * (unsigned)device_attribute(GPUDL_DEVICE_MULTIPROCESSOR_COUNT);
    config.grid[0] = blocks;
    assert_ok(gpudl_launch(f.kernel, &config, f.out, blocks));
    assert_int_equal(word(&f, 0), blocks);
    config.grid[0]++;
    assert_fails(gpudl_launch(f.kernel, &config, f.out, blocks), GPUDL_ERROR_LAUNCH_LIMIT, "a cooperative grid of");
    assert_int_equal(gpudl_kernel_launch_params(f.kernel, &config, params), GPUDL_ERROR_LAUNCH);
    assert_int_equal(gpudl_error_cuda(), GPUDL_CU_COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_int_equal(word(&f, 0), blocks);
    close_kernel(&f);
}

static void a_priority_and_an_early_start_change_no_result(void **state)
{
    const gpudl_launch_attribute both[] = { gpudl_launch_priority(0), gpudl_launch_programmatic() };
    bool early = gpudl_loader_is_software(NULL) || device_attribute(GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR) >= 9;
    struct fixture f = OPEN(plain_ptx, "fill");
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(2, 32), both, early ? 2 : 1);

    (void)state;
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_launch(f.kernel, &config, f.out, 5));
    assert_cu(cu->StreamSynchronize(config.stream));
    assert_int_equal(word(&f, 63), 5);
    assert_cu(cu->StreamDestroy(config.stream));
    close_kernel(&f);
}

static void clusters_are_had_or_refused(void **state)
{
    const gpudl_launch_attribute two = gpudl_launch_cluster(2, 1, 1), sixteen = gpudl_launch_cluster(16, 1, 1);
    struct fixture f;
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(4, 32), &two, 1), plain = gpudl_launch_1d(4, 32);
    unsigned n;
    void *params[] = { &f.out };

    (void)state;
    if (!device_attribute(GPUDL_DEVICE_CLUSTER_LAUNCH)) {
        struct fixture g = OPEN(plain_ptx, "fill");
        assert_fails(gpudl_launch(g.kernel, &config, g.out, 5), GPUDL_ERROR_UNSUPPORTED, "has no clusters of more than one");
        assert_fails(gpudl_kernel_max_active_clusters(g.kernel, &config, 0, &n), GPUDL_ERROR_UNSUPPORTED, "has no clusters");
        assert_fails(gpudl_kernel_set_attribute(g.kernel, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 2, 0), GPUDL_ERROR_UNSUPPORTED,
            "has no clusters");
        close_kernel(&g);
    }
    if (!device_attribute(GPUDL_DEVICE_CLUSTER_LAUNCH) && !gpudl_loader_is_software(NULL))
        return; /* and cannot read the code that is next */
    f = OPEN(cluster_ptx, "pairs");
    if (gpudl_loader_is_software(NULL)) {
        assert_fails(gpudl_launch(f.kernel, &plain, f.out), GPUDL_ERROR_UNSUPPORTED, "a cluster of 2 x 1 x 1 blocks");
        assert_fails(gpudl_kernel_launch_params(f.kernel, &plain, params), GPUDL_ERROR_LAUNCH, "NOT_SUPPORTED");
        close_kernel(&f);
        return;
    }
    assert_ok(gpudl_launch(f.kernel, &plain, f.out));
    assert_int_equal(word(&f, 0), 2);
    plain.grid[0] = 5;
    assert_fails(gpudl_launch(f.kernel, &plain, f.out), GPUDL_ERROR_LAUNCH_LIMIT, "it is a multiple of 2");
    assert_int_equal(gpudl_kernel_launch_params(f.kernel, &plain, params), GPUDL_ERROR_LAUNCH);
    close_kernel(&f);
    f = OPEN(cluster_ptx, "size");
    assert_ok(gpudl_kernel_max_active_clusters(f.kernel, &config, 0, &n));
    assert_true(n > 0);
    assert_ok(gpudl_launch(f.kernel, &config, f.out));
    assert_int_equal(word(&f, 0), 2);
    config = gpudl_launch_with(gpudl_launch_1d(16, 32), &sixteen, 1);
    assert_fails(gpudl_launch(f.kernel, &config, f.out), GPUDL_ERROR_LAUNCH_LIMIT, "at most 8");
    assert_int_equal(gpudl_kernel_launch_params(f.kernel, &config, params), GPUDL_ERROR_LAUNCH);
    assert_ok(gpudl_kernel_set_attribute(f.kernel, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0));
    assert_ok(gpudl_kernel_max_cluster_size(f.kernel, &config, 0, &n));
    if (n >= 16) {
        assert_ok(gpudl_launch(f.kernel, &config, f.out));
        assert_int_equal(word(&f, 0), 16);
    }
    close_kernel(&f);
}

/* ----------------------------------------------------------------------------------------------------------------- graphs */

/* Not in gpudl's table: a program that has graphs has them of its own. */
static struct {
    int (*StreamBeginCapture)(CUstream, int);
    int (*StreamEndCapture)(CUstream, void **graph);
    int (*GraphInstantiateWithFlags)(CUgraphExec *, void *graph, unsigned long long);
    int (*GraphGetNodes)(void *graph, CUgraphNode *, size_t *);
    int (*GraphLaunch)(CUgraphExec, CUstream);
    int (*GraphExecDestroy)(CUgraphExec);
    int (*GraphDestroy)(void *graph);
} graphs;

static bool find_graphs(void)
{
    const struct {
        const char *name;
        int since;
        void *at;
    } wanted[] = {
        { "cuStreamBeginCapture", 10010, &graphs.StreamBeginCapture },
        { "cuStreamEndCapture", 10000, &graphs.StreamEndCapture },
        { "cuGraphInstantiateWithFlags", 11040, &graphs.GraphInstantiateWithFlags },
        { "cuGraphGetNodes", 10000, &graphs.GraphGetNodes },
        { "cuGraphLaunch", 10000, &graphs.GraphLaunch },
        { "cuGraphExecDestroy", 10000, &graphs.GraphExecDestroy },
        { "cuGraphDestroy", 10000, &graphs.GraphDestroy },
    };
    int found;

    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        if (!cu->GetProcAddress || cu->GetProcAddress(wanted[i].name, wanted[i].at, wanted[i].since, 0, &found) ||
            !*(void **)wanted[i].at)
            return false;
    return cu->GraphExecKernelNodeSetParams != NULL;
}

static void a_graphs_node_is_set_to_another_version(void **state)
{
    struct fixture one = OPEN(plain_ptx, "fill"), other = OPEN(twice_ptx, "fill");
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_version *first, *second;
    CUgraphNode node;
    CUgraphExec exec;
    CUdeviceptr out = one.out;
    unsigned value = 21;
    void *params[] = { &out, &value }, *graph;
    size_t n = 1;

    (void)state;
    if (!find_graphs())
        skip();
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_library_pin(one.library, &first));
    assert_cu(graphs.StreamBeginCapture(config.stream, GPUDL_STREAM_CAPTURE_MODE_RELAXED));
    assert_ok(gpudl_kernel_launch_params(one.kernel, &config, params));
    assert_cu(graphs.StreamEndCapture(config.stream, &graph));
    assert_cu(graphs.GraphGetNodes(graph, &node, &n));
    assert_int_equal(n, 1);
    assert_cu(graphs.GraphInstantiateWithFlags(&exec, graph, 0));
    assert_cu(graphs.GraphLaunch(exec, config.stream));
    assert_cu(cu->StreamSynchronize(config.stream));
    assert_int_equal(word(&one, 31), 21);
    assert_ok(gpudl_kernel_update_node(other.kernel, exec, node, &config, params, &second));
    close_kernel(&other); /* its code is the pin's now */
    assert_cu(graphs.GraphLaunch(exec, config.stream));
    assert_cu(cu->StreamSynchronize(config.stream));
    assert_int_equal(word(&one, 31), 42);
    config.block[0] = 5000;
    assert_int_equal(gpudl_kernel_update_node(one.kernel, exec, node, &config, params, &first), GPUDL_ERROR_LAUNCH);
    assert_cu(graphs.GraphExecDestroy(exec));
    assert_cu(graphs.GraphDestroy(graph));
    gpudl_version_unpin(second);
    gpudl_version_unpin(first);
    assert_cu(cu->StreamDestroy(config.stream));
    close_kernel(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_what_the_driver_says),
        cmocka_unit_test(attributes_are_set),
        cmocka_unit_test(attributes_are_set_without_a_context),
        cmocka_unit_test(what_was_set_outlives_a_replace),
        cmocka_unit_test(occupancy_is_told),
        cmocka_unit_test(a_cooperative_grid_is_on_the_device_at_once),
        cmocka_unit_test(a_priority_and_an_early_start_change_no_result),
        cmocka_unit_test(clusters_are_had_or_refused),
        cmocka_unit_test(a_graphs_node_is_set_to_another_version),
    };

    cu = gpudl_loader_driver(NULL);
    if (!cu) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    assert_ok(gpudl_loader_use_device(NULL, 0));
    return cmocka_run_group_tests_name(gpudl_loader_driver_text(NULL), tests, NULL, NULL);
}
