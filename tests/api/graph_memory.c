/* graph_memory.c - graphs that allocate and free memory, made by hand and captured. The program runs on any driver; what the manual
 * leaves open is asked of softcuda alone. */
#include "capture.h.inc"

#define SIZE 4096

static CUDA_MEM_ALLOC_NODE_PARAMS request(size_t bytes)
{
    return (CUDA_MEM_ALLOC_NODE_PARAMS){
        .props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } }, .bytes = bytes };
}

static CUgraph new_graph(void)
{
    CUgraph g;

    CU(GraphCreate, &g, 0);
    return g;
}

static CUgraphNode alloc_node(CUgraph g, CUdeviceptr *p)
{
    CUDA_MEM_ALLOC_NODE_PARAMS a = request(SIZE);
    CUgraphNode n;

    CU(GraphAddMemAllocNode, &n, g, NULL, 0, &a);
    assert_int_not_equal(a.p, 0);
    *p = a.p;
    return n;
}

static CUgraphNode fill_node(CUgraph g, CUgraphNode after, CUdeviceptr p, unsigned value)
{
    CUDA_MEMSET_NODE_PARAMS s = { .to = p, .value = value, .element = 4, .width = SIZE / 4, .height = 1 };
    CUcontext c;
    CUgraphNode n;

    CU(CtxGetCurrent, &c);
    CU(GraphAddMemsetNode, &n, g, &after, 1, &s, c);
    return n;
}

static CUgraphNode copy_node(CUgraph g, CUgraphNode after, CUdeviceptr to, CUdeviceptr from)
{
    CUDA_MEMCPY3D c = { .from = { .type = CU_MEMORYTYPE_DEVICE, .device = from }, .to = { .type = CU_MEMORYTYPE_DEVICE, .device = to },
                        .width = SIZE, .height = 1, .depth = 1 };
    CUcontext context;
    CUgraphNode n;

    CU(CtxGetCurrent, &context);
    CU(GraphAddMemcpyNode, &n, g, &after, 1, &c, context);
    return n;
}

static CUgraphExec instantiate(CUgraph g, unsigned flags)
{
    CUgraphExec e;

    CU(GraphInstantiateWithFlags, &e, g, flags);
    return e;
}

/* A graph that allocates and fills, and leaves it so. */
static CUgraphExec filler(CUgraph g, CUdeviceptr *p, unsigned value, unsigned flags)
{
    CUgraphNode n = alloc_node(g, p);

    fill_node(g, n, *p, value);
    return instantiate(g, flags);
}

static uint32_t last_word(CUdeviceptr p)
{
    uint32_t got;

    CU(MemcpyDtoH_v2, &got, p + SIZE - 4, 4);
    return got;
}

static void memory_may_come_and_go_in_one_graph(void **state)
{
    CUdeviceptr temporary, result;
    CUgraphNode n;
    CUgraphExec e;
    CUstream s;
    CUgraph g;

    (void)state;
    start();
    s = stream();
    result = memory();
    g = new_graph();
    n = alloc_node(g, &temporary);
    n = fill_node(g, n, temporary, 7);
    n = copy_node(g, n, result, temporary);
    CU(GraphAddMemFreeNode, &n, g, &n, 1, temporary);
    e = instantiate(g, 0);
    for (int i = 0; i < 3; i++) {
        CU(MemsetD32_v2, result, 0, SIZE / 4);
        CU(CtxSynchronize);
        CU(GraphLaunch, e, s);
        CU(StreamSynchronize, s);
        assert_int_equal(last_word(result), 7);
    }
    supposed("freeing what its graph has freed", CALL(MemFree_v2)(temporary), CUDA_ERROR_INVALID_VALUE);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    CU(MemFree_v2, result);
    stop();
}

static void memory_may_outlive_the_launch_and_is_freed_once(void **state)
{
    CUdeviceptr p;
    CUgraph g = (start(), new_graph());
    CUgraphExec e = filler(g, &p, 9, 0);
    CUstream s = stream();

    (void)state;
    supposed("freeing it before a launch", CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    CU(GraphLaunch, e, s);
    assert_int_equal(CALL(GraphLaunch)(e, s), CUDA_ERROR_INVALID_VALUE);            /* it is not freed yet */
    CU(StreamSynchronize, s);
    assert_int_equal(last_word(p), 9);
    CU(MemFreeAsync, p, s);
    supposed("freeing it twice", CALL(MemFreeAsync)(p, s), CUDA_ERROR_INVALID_VALUE);
    CU(GraphLaunch, e, s);
    CU(StreamSynchronize, s);
    CU(MemFree_v2, p);
    CU(GraphLaunch, e, s);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    CU(StreamSynchronize, s);
    assert_int_equal(last_word(p), 9);                                              /* it does not go with its graph */
    CU(MemFree_v2, p);
    supposed("freeing it again", CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void launches_may_free_what_the_one_before_left(void **state)
{
    CUdeviceptr p;
    CUgraph g = (start(), new_graph());
    CUgraphExec e = filler(g, &p, 5, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    CUstream s = stream();

    (void)state;
    for (int i = 0; i < 3; i++)
        CU(GraphLaunch, e, s);
    CU(StreamSynchronize, s);
    assert_int_equal(last_word(p), 5);
    CU(MemFreeAsync, p, s);
    CU(StreamSynchronize, s);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    stop();
}

static void another_graph_may_free_it(void **state)
{
    CUdeviceptr p, temporary;
    CUgraphNode n, unused;
    CUgraphExec alloc, release;
    CUstream s;
    CUgraph g = (start(), new_graph()), other = new_graph();

    (void)state;
    s = stream();
    n = alloc_node(g, &p);
    CU(GraphAddMemFreeNode, &unused, other, NULL, 0, p);
    assert_int_equal(CALL(GraphAddMemFreeNode)(&unused, other, NULL, 0, p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddMemFreeNode)(&unused, g, &n, 1, p), CUDA_ERROR_INVALID_VALUE);
    n = alloc_node(g, &temporary);
    CU(GraphAddMemFreeNode, &n, g, &n, 1, temporary);
    assert_int_equal(CALL(GraphAddMemFreeNode)(&unused, g, &n, 1, temporary), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddMemFreeNode)(&unused, other, NULL, 0, temporary), CUDA_ERROR_INVALID_VALUE);
    alloc = instantiate(g, 0);
    release = instantiate(other, 0);
    for (int i = 0; i < 2; i++) {
        CU(GraphLaunch, alloc, s);
        CU(GraphLaunch, release, s);
    }
    CU(StreamSynchronize, s);
    supposed("freeing what nobody has allocated", CALL(GraphLaunch)(release, s), CUDA_ERROR_INVALID_VALUE);
    supposed("freeing it again", CALL(MemFree_v2)(p), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void what_is_no_allocation_of_a_graph_is_not_freed_by_one(void **state)
{
    CUDA_MEM_ALLOC_NODE_PARAMS none = request(0), elsewhere = request(SIZE);
    CUdeviceptr p;
    CUgraphNode n;
    CUgraph g = (start(), new_graph());

    (void)state;
    p = memory();
    assert_int_equal(CALL(GraphAddMemFreeNode)(&n, g, NULL, 0, p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddMemFreeNode)(&n, g, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddMemAllocNode)(&n, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddMemAllocNode)(&n, g, NULL, 0, &none), CUDA_ERROR_INVALID_VALUE);
    elsewhere.props.location.id = 100;
    assert_int_not_equal(CALL(GraphAddMemAllocNode)(&n, g, NULL, 0, &elsewhere), CUDA_SUCCESS);
    CU(GraphInstantiateWithFlags, &(CUgraphExec){ NULL }, g, 0);                    /* none of that is in the graph */
    CU(MemFree_v2, p);
    stop();
}

static void such_graphs_are_not_copied_and_lose_nothing(void **state)
{
    CUgraphExecUpdateResultInfo info;
    CUdeviceptr p, q;
    CUgraphNode n, fill, node;
    CUgraphExec e, second;
    CUgraph g = (start(), new_graph()), clone, parent = new_graph(), like = new_graph();

    (void)state;
    n = alloc_node(like, &q);
    fill_node(like, n, q, 2);
    n = alloc_node(g, &p);
    fill = fill_node(g, n, p, 1);
    supposed("cloning", CALL(GraphClone)(&clone, g), CUDA_ERROR_NOT_SUPPORTED);
    supposed("a child", CALL(GraphAddChildGraphNode)(&node, parent, NULL, 0, g), CUDA_ERROR_NOT_SUPPORTED);
    supposed("a node less", CALL(GraphDestroyNode)(fill), CUDA_ERROR_NOT_SUPPORTED);
    supposed("an edge less", CALL(GraphRemoveDependencies)(g, &n, &fill, 1), CUDA_ERROR_NOT_SUPPORTED);
    e = instantiate(g, 0);
    supposed("a second executable", CALL(GraphInstantiateWithFlags)(&second, g, 0), CUDA_ERROR_NOT_SUPPORTED);
    supposed("an update", CALL(GraphExecUpdate_v2)(e, like, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    supposed("its result", (int)info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
    CU(GraphExecDestroy, e);
    e = instantiate(g, 0);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    CU(GraphDestroy, like);
    stop();
}

static void nodes_tell_what_they_allocate_and_free(void **state)
{
    struct sc_abi_access access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
    CUDA_MEM_ALLOC_NODE_PARAMS got;
    CUgraphNode a, f;
    CUgraphNodeType type;
    CUdeviceptr p;
    CUgraph g = (start(), new_graph());

    (void)state;
    any.p.alloc = request(SIZE);
    any.p.alloc.access = (void *)&access;
    any.p.alloc.naccess = 1;
    assert_int_equal(AS(GraphAddNode_v2, 12030, 0)(&a, g, NULL, NULL, 0, &any), CUDA_SUCCESS);
    CU(GraphMemAllocNodeGetParams, a, &got);
    assert_true(got.p == any.p.alloc.p && got.bytes == SIZE && got.props.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    assert_true(got.naccess == 1 && got.access[0].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(AS(GraphNodeSetParams, 12020, 0)(a, &any), CUDA_ERROR_NOT_SUPPORTED);
    any = (CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_MEM_FREE };
    any.p.free.p = got.p;
    assert_int_equal(AS(GraphAddNode_v2, 12030, 0)(&f, g, &a, NULL, 1, &any), CUDA_SUCCESS);
    CU(GraphMemFreeNodeGetParams, f, &p);
    assert_int_equal(p, got.p);
    CU(GraphNodeGetType, f, &type);
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEM_FREE);
    assert_int_equal(CALL(GraphMemFreeNodeGetParams)(a, &p), CUDA_ERROR_INVALID_VALUE);
    CU(GraphDestroy, g);
    stop();
}

static uint64_t number(int which)
{
    uint64_t v = 77;

    CU(DeviceGetGraphMemAttribute, 0, (CUgraphMem_attribute)which, &v);
    return v;
}

static void a_device_counts_the_memory_of_its_graphs(void **state)
{
    uint64_t before, zero = 0, one = 1;
    CUdeviceptr p;
    CUgraph g = (start(), new_graph());

    (void)state;
    if (!is_softcuda())
        skip();                                     /* when a GPU takes memory for a graph is its driver's business */
    before = number(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
    alloc_node(g, &p);
    assert_int_equal(number(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), before + SIZE);
    assert_true(number(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) >= before + SIZE);
    CU(GraphDestroy, g);
    assert_int_equal(number(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), before);
    assert_true(number(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= before + SIZE);
    CU(DeviceSetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero);
    assert_int_equal(number(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), before);
    assert_int_equal(CALL(DeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(DeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero), CUDA_ERROR_INVALID_VALUE);
    CU(DeviceGraphMemTrim, 0);
    stop();
}

static void allocations_in_stream_order_are_captured(void **state)
{
    CUdeviceptr p = 0, kept = 0, result;
    CUgraphNode nodes[8];
    CUgraphNodeType type;
    CUgraphExec e;
    CUstream s;
    CUgraph g;
    size_t n = 8;

    (void)state;
    start();
    s = stream();
    result = memory();
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(MemAllocAsync, &p, SIZE, s);
    CU(MemsetD32Async, p, 3, SIZE / 4, s);
    CU(MemcpyDtoDAsync_v2, result, p, SIZE, s);
    CU(MemFreeAsync, p, s);
    CU(MemAllocAsync, &kept, SIZE, s);
    CU(MemsetD32Async, kept, 4, SIZE / 4, s);
    CU(StreamEndCapture, s, &g);
    CU(GraphGetNodes, g, nodes, &n);
    assert_int_equal(n, 6);
    CU(GraphNodeGetType, nodes[0], &type);
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    CU(GraphNodeGetType, nodes[3], &type);
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEM_FREE);
    e = instantiate(g, 0);
    CU(GraphLaunch, e, s);
    CU(StreamSynchronize, s);
    assert_int_equal(last_word(result), 3);
    assert_int_equal(last_word(kept), 4);
    CU(MemFreeAsync, kept, s);
    CU(StreamSynchronize, s);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    stop();
}

static void a_capture_frees_memory_of_graphs_only(void **state)
{
    CUdeviceptr p;
    CUstream s;

    (void)state;
    start();
    s = stream();
    p = memory();
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    supposed("freeing other memory in a capture", CALL(MemFreeAsync)(p, s), CUDA_ERROR_INVALID_VALUE);
    (void)end(s);
    CU(MemFree_v2, p);
    stop();
}

static void conditional_nodes_are_not_supported(void **state)
{
    CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    int (*create)(uint64_t *, CUgraph, CUcontext, unsigned, unsigned);
    CUgraphNode n;
    uint64_t handle;
    CUgraph g = (start(), new_graph());

    (void)state;
    if (!is_softcuda())
        skip();
    *(void **)&create = proc("GraphConditionalHandleCreate", 12030, 0);
    assert_int_equal(create(&handle, g, NULL, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(AS(GraphAddNode_v2, 12030, 0)(&n, g, NULL, NULL, 0, &any), CUDA_ERROR_NOT_SUPPORTED);
    CU(GraphDestroy, g);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_come_and_go_in_one_graph),
        cmocka_unit_test(memory_may_outlive_the_launch_and_is_freed_once),
        cmocka_unit_test(launches_may_free_what_the_one_before_left),
        cmocka_unit_test(another_graph_may_free_it),
        cmocka_unit_test(what_is_no_allocation_of_a_graph_is_not_freed_by_one),
        cmocka_unit_test(such_graphs_are_not_copied_and_lose_nothing),
        cmocka_unit_test(nodes_tell_what_they_allocate_and_free),
        cmocka_unit_test(a_device_counts_the_memory_of_its_graphs),
        cmocka_unit_test(allocations_in_stream_order_are_captured),
        cmocka_unit_test(a_capture_frees_memory_of_graphs_only),
        cmocka_unit_test(conditional_nodes_are_not_supported),
    };

    if (!has_device())
        return 77;
    return cmocka_run_group_tests_name("api.graph_memory", tests, NULL, NULL);
}
