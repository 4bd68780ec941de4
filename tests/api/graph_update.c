/* graph_update.c - what may be changed in an executable graph, node by node or as a whole, and what the manual forbids. */
#include "capture.h.inc"

struct world { CUcontext context; CUmodule module; CUfunction add, poke; CUstream stream; CUdeviceptr p; CUgraph graph; };

static void make_world(struct world *w)
{
    w->context = start();
    w->add = function_of(&w->module, PTX_HEAD PTX_ADD PTX_POKE, "add");
    CU(ModuleGetFunction, &w->poke, w->module, "poke");
    w->stream = stream();
    w->p = memory();
    CU(MemsetD32_v2, w->p, 0, 1024);
    CU(CtxSynchronize);
    CU(GraphCreate, &w->graph, 0);
}

static CUgraphExec instantiate(CUgraph g, unsigned flags)
{
    CUgraphExec e;

    CU(GraphInstantiateWithFlags, &e, g, flags);
    return e;
}

static uint32_t word_after_launch(struct world *w, CUgraphExec e, unsigned i)
{
    uint32_t got;

    CU(GraphLaunch, e, w->stream);
    CU(StreamSynchronize, w->stream);
    CU(MemcpyDtoH_v2, &got, w->p + 4 * i, 4);
    return got;
}

static CUDA_MEMCPY3D copy(CUdeviceptr to, CUdeviceptr from, size_t width, size_t height)
{
    return (CUDA_MEMCPY3D){ .from = { .type = CU_MEMORYTYPE_DEVICE, .device = from, .pitch = 64 },
                            .to = { .type = CU_MEMORYTYPE_DEVICE, .device = to, .pitch = 64 },
                            .width = width, .height = height, .depth = 1 };
}

static CUDA_MEMSET_NODE_PARAMS fill(CUdeviceptr p, unsigned value, size_t width, size_t height)
{
    return (CUDA_MEMSET_NODE_PARAMS){ .to = p, .pitch = 64, .value = value, .element = 4, .width = width, .height = height };
}

static void a_kernel_node_takes_another_kernel(void **state)
{
    struct world w;
    CUgraphNode n;
    CUgraphExec e;
    CUDA_KERNEL_NODE_PARAMS k = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };

    (void)state;
    make_world(&w);
    k.func = w.add;
    k.params = (void *[]){ &w.p, &(uint32_t){ 1 }, &(uint32_t){ 5 } };
    CU(GraphAddKernelNode_v2, &n, w.graph, NULL, 0, &k);
    e = instantiate(w.graph, 0);
    assert_int_equal(word_after_launch(&w, e, 0), 5);
    k.func = w.poke;
    k.params = (void *[]){ &w.p };
    CU(GraphExecKernelNodeSetParams_v2, e, n, &k);
    assert_int_equal(word_after_launch(&w, e, 0), 1);
    k.block[0] = 2000;
    assert_int_not_equal(CALL(GraphExecKernelNodeSetParams_v2)(e, n, &k), CUDA_SUCCESS);
    assert_int_equal(word_after_launch(&w, e, 0), 1);
    CU(GraphExecDestroy, e);
    stop();
}

static void copies_of_one_row_change_and_others_do_not(void **state)
{
    CUDA_MEMCPY3D row, box, host;
    CUgraphNode one, two;
    struct world w;
    CUgraphExec e;
    uint32_t source[16] = { 3 };

    (void)state;
    make_world(&w);
    CU(MemsetD32_v2, w.p + 1024, 6, 64);
    CU(MemsetD32_v2, w.p + 2048, 8, 64);
    row = copy(w.p, w.p + 1024, 64, 1);
    CU(GraphAddMemcpyNode, &one, w.graph, NULL, 0, &row, w.context);
    box = copy(w.p + 256, w.p + 1024, 32, 2);
    CU(GraphAddMemcpyNode, &two, w.graph, NULL, 0, &box, w.context);
    e = instantiate(w.graph, 0);
    assert_int_equal(word_after_launch(&w, e, 0), 6);
    row = copy(w.p, w.p + 2048, 32, 1);
    CU(GraphExecMemcpyNodeSetParams, e, one, &row, w.context);
    assert_int_equal(word_after_launch(&w, e, 0), 8);
    assert_int_equal(CALL(GraphExecMemcpyNodeSetParams)(e, one, &box, w.context), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphExecMemcpyNodeSetParams)(e, two, &row, w.context), CUDA_ERROR_INVALID_VALUE);
    CU(GraphExecMemcpyNodeSetParams, e, two, &box, w.context);
    host = row;
    host.from = (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_HOST, .host = source };
    assert_int_equal(CALL(GraphExecMemcpyNodeSetParams)(e, one, &host, w.context), CUDA_ERROR_INVALID_VALUE);
    row.width = 0;
    assert_int_equal(CALL(GraphExecMemcpyNodeSetParams)(e, one, &row, w.context), CUDA_ERROR_INVALID_VALUE);
    CU(GraphExecDestroy, e);
    stop();
}

static void fills_keep_their_shape(void **state)
{
    CUDA_MEMSET_NODE_PARAMS s;
    CUgraphNode one, two;
    struct world w;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    s = fill(w.p, 1, 4, 1);
    CU(GraphAddMemsetNode, &one, w.graph, NULL, 0, &s, w.context);
    s = fill(w.p + 256, 2, 4, 2);
    CU(GraphAddMemsetNode, &two, w.graph, NULL, 0, &s, w.context);
    e = instantiate(w.graph, 0);
    s = fill(w.p, 11, 4, 1);
    CU(GraphExecMemsetNodeSetParams, e, one, &s, w.context);
    s = fill(w.p + 256, 12, 4, 2);
    CU(GraphExecMemsetNodeSetParams, e, two, &s, w.context);
    assert_int_equal(word_after_launch(&w, e, 0), 11);
    assert_int_equal(word_after_launch(&w, e, 64), 12);
    s = fill(w.p, 11, 4, 2);
    assert_int_equal(CALL(GraphExecMemsetNodeSetParams)(e, one, &s, w.context), CUDA_ERROR_INVALID_VALUE);
    s = fill(w.p + 256, 12, 5, 2);
    assert_int_equal(CALL(GraphExecMemsetNodeSetParams)(e, two, &s, w.context), CUDA_ERROR_INVALID_VALUE);
    s = fill(w.p, 11, 0, 1);
    assert_int_equal(CALL(GraphExecMemsetNodeSetParams)(e, one, &s, w.context), CUDA_ERROR_INVALID_VALUE);
    CU(GraphExecDestroy, e);
    stop();
}

static void event_nodes_take_other_events(void **state)
{
    CUevent first, second;
    CUgraphNode record, wait;
    struct world w;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    CU(EventCreate, &first, CU_EVENT_DISABLE_TIMING);
    CU(EventCreate, &second, CU_EVENT_DISABLE_TIMING);
    CU(GraphAddEventWaitNode, &wait, w.graph, NULL, 0, first);
    CU(GraphAddEventRecordNode, &record, w.graph, &wait, 1, first);
    e = instantiate(w.graph, 0);
    CU(GraphExecEventRecordNodeSetEvent, e, record, second);
    CU(GraphExecEventWaitNodeSetEvent, e, wait, second);
    assert_int_equal(CALL(GraphExecEventWaitNodeSetEvent)(e, record, second), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphExecEventRecordNodeSetEvent)(e, record, NULL), CUDA_ERROR_INVALID_VALUE);
    CU(GraphLaunch, e, w.stream);
    CU(EventSynchronize, second);
    CU(GraphExecDestroy, e);
    stop();
}

static CUgraph fill_graph(struct world *w, unsigned value)
{
    CUDA_MEMSET_NODE_PARAMS s = fill(w->p, value, 4, 1);
    CUgraphNode n;
    CUgraph g;

    CU(GraphCreate, &g, 0);
    CU(GraphAddMemsetNode, &n, g, NULL, 0, &s, w->context);
    return g;
}

static void a_child_takes_the_parameters_of_a_graph_that_is_like_it(void **state)
{
    struct world w;
    CUgraphNode node;
    CUgraphExec e;
    CUgraph longer;

    (void)state;
    make_world(&w);
    CU(GraphAddChildGraphNode, &node, w.graph, NULL, 0, fill_graph(&w, 1));
    e = instantiate(w.graph, 0);
    CU(GraphExecChildGraphNodeSetParams, e, node, fill_graph(&w, 2));
    assert_int_equal(word_after_launch(&w, e, 0), 2);
    longer = fill_graph(&w, 3);
    CU(GraphAddEmptyNode, &(CUgraphNode){ NULL }, longer, NULL, 0);
    assert_int_equal(CALL(GraphExecChildGraphNodeSetParams)(e, node, longer), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(word_after_launch(&w, e, 0), 2);
    CU(GraphExecDestroy, e);
    stop();
}

/* Two kernels, the second behind the first or not. */
static CUgraph kernels(struct world *w, bool edge, int priority, bool cooperative)
{
    CUDA_KERNEL_NODE_PARAMS k = { .func = w->poke, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .params = (void *[]){ &w->p } };
    CUkernelNodeAttrValue value = { .priority = priority };
    CUgraphNode a, b;
    CUgraph g;

    CU(GraphCreate, &g, 0);
    CU(GraphAddKernelNode_v2, &a, g, NULL, 0, &k);
    CU(GraphAddKernelNode_v2, &b, g, &a, edge, &k);
    CU(GraphKernelNodeSetAttribute, b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value);
    memset(&value, 0, sizeof(value));
    value.cooperative = cooperative;
    CU(GraphKernelNodeSetAttribute, b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
    return g;
}

static int update(CUgraphExec e, CUgraph g, CUgraphNode *node)
{
    CUgraphExecUpdateResultInfo info;
    CUresult r = CALL(GraphExecUpdate_v2)(e, g, &info);

    assert_int_equal(r, (int)info.result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS);
    if (node)
        *node = info.node;
    return (int)info.result;
}

static void an_update_says_what_it_cannot_take(void **state)
{
    CUgraphNode node;
    struct world w;
    CUgraphExec e, by_priority;
    CUgraph g;

    (void)state;
    make_world(&w);
    e = instantiate(kernels(&w, true, 0, false), 0);
    by_priority = instantiate(kernels(&w, true, 0, false), CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    assert_int_equal(update(e, kernels(&w, true, 0, false), NULL), CU_GRAPH_EXEC_UPDATE_SUCCESS);
    g = kernels(&w, false, 0, false);
    assert_int_equal(update(e, g, &node), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_non_null(node);
    CU(GraphAddEmptyNode, &node, g, NULL, 0);
    assert_int_equal(update(e, g, &node), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_null(node);
    assert_int_equal(update(e, kernels(&w, true, 0, true), &node), CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    assert_int_equal(update(e, kernels(&w, true, -1, false), NULL), CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_int_equal(update(by_priority, kernels(&w, true, -1, false), &node), CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    assert_non_null(node);
    CU(GraphExecDestroy, e);
    CU(GraphExecDestroy, by_priority);
    stop();
}

/* Only those who have several devices can tell. */
static void work_does_not_move_to_another_device(void **state)
{
    CUDA_MEMSET_NODE_PARAMS s;
    CUDA_MEMCPY3D c;
    CUgraphNode set, cpy;
    CUcontext other;
    CUdeviceptr there;
    struct world w;
    CUgraphExec e;
    int n;

    (void)state;
    make_world(&w);
    CU(DeviceGetCount, &n);
    if (n < 2)
        skip();
    CU(DevicePrimaryCtxRetain, &other, 1);
    CU(CtxSetCurrent, other);
    there = memory();
    CU(CtxSetCurrent, w.context);
    s = fill(w.p, 1, 4, 1);
    CU(GraphAddMemsetNode, &set, w.graph, NULL, 0, &s, w.context);
    c = copy(w.p, w.p + 1024, 64, 1);
    CU(GraphAddMemcpyNode, &cpy, w.graph, NULL, 0, &c, w.context);
    e = instantiate(w.graph, 0);
    s = fill(there, 1, 4, 1);
    assert_int_equal(CALL(GraphExecMemsetNodeSetParams)(e, set, &s, w.context), CUDA_ERROR_INVALID_VALUE);
    c = copy(w.p, there, 64, 1);
    assert_int_equal(CALL(GraphExecMemcpyNodeSetParams)(e, cpy, &c, w.context), CUDA_ERROR_INVALID_VALUE);
    CU(GraphExecDestroy, e);
    CU(DevicePrimaryCtxRelease, 1);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_node_takes_another_kernel),
        cmocka_unit_test(copies_of_one_row_change_and_others_do_not),
        cmocka_unit_test(fills_keep_their_shape),
        cmocka_unit_test(event_nodes_take_other_events),
        cmocka_unit_test(a_child_takes_the_parameters_of_a_graph_that_is_like_it),
        cmocka_unit_test(an_update_says_what_it_cannot_take),
        cmocka_unit_test(work_does_not_move_to_another_device),
    };

    if (!has_device())
        return 77;
    return cmocka_run_group_tests_name("api.graph_update", tests, NULL, NULL);
}
