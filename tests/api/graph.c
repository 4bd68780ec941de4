/* graph.c - graphs: made by hand, instantiated, launched in order, changed in place, and what they keep alive. The program runs on
 * any driver; SOFTCUDA_LIBRARY names another one. */
#include "cuda.h.inc"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

struct world { CUcontext context; CUmodule module; CUfunction add; CUstream stream; CUdeviceptr p; CUgraph graph; };

static void make_world(struct world *w)
{
    w->context = start();
    w->add = function_of(&w->module, PTX_HEAD PTX_ADD, "add");
    CU(StreamCreate, &w->stream, CU_STREAM_NON_BLOCKING);
    CU(MemAlloc_v2, &w->p, 4096);
    CU(MemsetD32_v2, w->p, 0, 1024);
    CU(CtxSynchronize);
    CU(GraphCreate, &w->graph, 0);
}

/* A node that adds v to the first word. */
static CUgraphNode add_node(struct world *w, CUgraph g, const CUgraphNode *after, size_t n, uint32_t v)
{
    uint32_t one = 1;
    void *params[] = { &w->p, &one, &v };
    CUDA_KERNEL_NODE_PARAMS k = { .func = w->add, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .params = params };
    CUgraphNode node;

    CU(GraphAddKernelNode_v2, &node, g, after, n, &k);
    return node;
}

static CUgraphNode set_node(struct world *w, CUgraph g, const CUgraphNode *after, size_t n, uint32_t v)
{
    CUDA_MEMSET_NODE_PARAMS s = { .to = w->p, .value = v, .element = 4, .width = 1, .height = 1 };
    CUgraphNode node;

    CU(GraphAddMemsetNode, &node, g, after, n, &s, w->context);
    return node;
}

static CUgraphExec instantiate(CUgraph g)
{
    CUgraphExec e;

    CU(GraphInstantiateWithFlags, &e, g, 0);
    return e;
}

static uint32_t first_word(struct world *w)
{
    uint32_t got;

    CU(MemcpyDtoH_v2, &got, w->p, 4);
    return got;
}

/* The first word after a launch. */
static uint32_t launch(struct world *w, CUgraphExec e)
{
    CU(GraphLaunch, e, w->stream);
    CU(StreamSynchronize, w->stream);
    return first_word(w);
}

static void nodes_run_behind_those_they_wait_for(void **state)
{
    struct world w;
    CUgraphNode a, b, c, nodes[4], from[2], to[2];
    size_t n = 4;

    (void)state;
    make_world(&w);
    a = add_node(&w, w.graph, NULL, 0, 5);
    b = set_node(&w, w.graph, NULL, 0, 100);                /* first, by the edges */
    c = add_node(&w, w.graph, (CUgraphNode[]){ a, b }, 2, 20);
    assert_int_equal(AS(GraphAddDependencies_v2, 12030, 0)(w.graph, &b, &a, NULL, 1), CUDA_SUCCESS);
    assert_int_equal(AS(GraphAddDependencies_v2, 12030, 0)(w.graph, &b, &a, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch(&w, instantiate(w.graph)), 125);
    CU(GraphGetNodes, w.graph, nodes, &n);
    assert_true(n == 3 && nodes[0] == a && nodes[1] == b && nodes[2] == c && !nodes[3]);
    n = 4;
    CU(GraphGetRootNodes, w.graph, nodes, &n);
    assert_true(n == 1 && nodes[0] == b);
    n = 2;
    assert_int_equal(AS(GraphGetEdges_v2, 12030, 0)(w.graph, from, to, NULL, &n), CUDA_SUCCESS);
    assert_int_equal(n, 2);
    n = 4;
    assert_int_equal(AS(GraphNodeGetDependentNodes_v2, 12030, 0)(b, nodes, NULL, &n), CUDA_SUCCESS);
    assert_int_equal(n, 2);
    CU(GraphDestroyNode, a);
    assert_int_equal(launch(&w, instantiate(w.graph)), 120);
    stop();
}

static void a_circle_is_no_graph(void **state)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS how = { 0 };
    struct world w;
    CUgraphNode a, b;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    a = add_node(&w, w.graph, NULL, 0, 1);
    b = add_node(&w, w.graph, &a, 1, 1);
    if (AS(GraphAddDependencies_v2, 12030, 0)(w.graph, &b, &a, NULL, 1) == CUDA_SUCCESS) {
        assert_int_equal(CALL(GraphInstantiateWithParams)(&e, w.graph, &how), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(how.result, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    }
    stop();
}

static void bad_nodes_are_refused(void **state)
{
    struct world w;
    CUgraphNode a, b, elsewhere;
    CUgraph other;
    CUDA_KERNEL_NODE_PARAMS k = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    CUDA_MEMSET_NODE_PARAMS s = { .element = 3, .width = 1, .height = 1 };

    (void)state;
    make_world(&w);
    CU(GraphCreate, &other, 0);
    elsewhere = add_node(&w, other, NULL, 0, 1);
    a = add_node(&w, w.graph, NULL, 0, 1);
    assert_int_equal(CALL(GraphAddEmptyNode)(&b, w.graph, &elsewhere, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddEmptyNode)(&b, w.graph, (CUgraphNode[]){ a, a }, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddEmptyNode)(&b, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_not_equal(CALL(GraphAddKernelNode_v2)(&b, w.graph, NULL, 0, &k), CUDA_SUCCESS);
    s.to = w.p;
    assert_int_equal(CALL(GraphAddMemsetNode)(&b, w.graph, NULL, 0, &s, w.context), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(GraphAddHostNode)(&b, w.graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){ 0 }), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void parameters_are_the_nodes_own_and_can_be_read_back(void **state)
{
    struct world w;
    CUgraphNode n;
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMSET_NODE_PARAMS s;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    n = add_node(&w, w.graph, NULL, 0, 7);
    CU(GraphKernelNodeGetParams_v2, n, &k);
    assert_true(k.func == w.add && k.block[0] == 1 && *(uint32_t *)k.params[2] == 7);
    e = instantiate(w.graph);
    *(uint32_t *)k.params[2] = 8;
    CU(GraphKernelNodeSetParams_v2, n, &(CUDA_KERNEL_NODE_PARAMS){ .func = w.add, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
       .params = (void *[]){ &w.p, &(uint32_t){ 1 }, &(uint32_t){ 30 } } });
    assert_int_equal(launch(&w, e), 7);                     /* what was instantiated stays */
    assert_int_equal(launch(&w, instantiate(w.graph)), 37);
    n = set_node(&w, w.graph, NULL, 0, 4);
    CU(GraphMemsetNodeGetParams, n, &s);
    assert_true(s.to == w.p && s.value == 4 && s.element == 4);
    stop();
}

static void boxes_are_copied(void **state)
{
    struct world w;
    CUgraphNode n;
    unsigned char from[64], to[64] = { 0 };
    CUDA_MEMCPY3D in = { 0 }, out = { 0 };

    (void)state;
    make_world(&w);
    for (int i = 0; i < 64; i++)
        from[i] = (unsigned char)i;
    in.from = (struct sc_abi_memcpy3d_side){ .x = 1, .y = 1, .type = CU_MEMORYTYPE_HOST, .host = from, .pitch = 8, .height = 4 };
    in.to = (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_DEVICE, .device = w.p, .pitch = 16, .height = 2 };
    in.width = 3;
    in.height = 2;
    in.depth = 2;
    out = in;
    out.from = in.to;
    out.to = in.from;
    out.to.host = to;
    CU(GraphAddMemcpyNode, &n, w.graph, NULL, 0, &in, w.context);
    CU(GraphAddMemcpyNode, &n, w.graph, &n, 1, &out, w.context);
    launch(&w, instantiate(w.graph));
    for (int i = 0; i < 64; i++) {
        int x = i % 8, y = i / 8 % 4;

        assert_int_equal(to[i], x >= 1 && x < 4 && y >= 1 && y < 3 ? i : 0);
    }
    stop();
}

static void count_up(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void executables_are_changed_in_place(void **state)
{
    struct world w;
    CUgraphNode set, add, host;
    CUgraphExec e;
    atomic_int a = 0, b = 0;
    CUDA_HOST_NODE_PARAMS h = { count_up, &a };
    unsigned enabled;

    (void)state;
    make_world(&w);
    set = set_node(&w, w.graph, NULL, 0, 10);
    add = add_node(&w, w.graph, &set, 1, 1);
    CU(GraphAddHostNode, &host, w.graph, &add, 1, &h);
    e = instantiate(w.graph);
    assert_int_equal(launch(&w, e), 11);
    CU(GraphExecKernelNodeSetParams_v2, e, add, &(CUDA_KERNEL_NODE_PARAMS){ .func = w.add, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
       .params = (void *[]){ &w.p, &(uint32_t){ 1 }, &(uint32_t){ 2 } } });
    CU(GraphExecMemsetNodeSetParams, e, set, &(CUDA_MEMSET_NODE_PARAMS){ .to = w.p, .value = 20, .element = 4, .width = 1, .height = 1 },
       w.context);
    h.data = &b;
    CU(GraphExecHostNodeSetParams, e, host, &h);
    assert_int_equal(launch(&w, e), 22);
    assert_true(a == 1 && b == 1);
    CU(GraphNodeSetEnabled, e, add, 0);
    CU(GraphNodeGetEnabled, e, add, &enabled);
    assert_int_equal(enabled, 0);
    assert_int_equal(launch(&w, e), 20);
    assert_int_equal(CALL(GraphExecKernelNodeSetParams_v2)(e, set, &(CUDA_KERNEL_NODE_PARAMS){ .func = w.add }),
                     CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void an_executable_takes_over_a_graph_that_is_like_its_own(void **state)
{
    CUgraphExecUpdateResultInfo info;
    struct world w;
    CUgraph same, longer, other;
    CUgraphNode n;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    n = set_node(&w, w.graph, NULL, 0, 1);
    add_node(&w, w.graph, &n, 1, 1);
    e = instantiate(w.graph);
    CU(GraphCreate, &same, 0);
    n = set_node(&w, same, NULL, 0, 50);
    add_node(&w, same, &n, 1, 5);
    CU(GraphExecUpdate_v2, e, same, &info);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_int_equal(launch(&w, e), 55);
    CU(GraphClone, &longer, same);
    add_node(&w, longer, NULL, 0, 1);
    assert_int_equal(CALL(GraphExecUpdate_v2)(e, longer, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    CU(GraphCreate, &other, 0);
    n = add_node(&w, other, NULL, 0, 50);
    set_node(&w, other, &n, 1, 5);
    assert_int_equal(CALL(GraphExecUpdate_v2)(e, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_non_null(info.node);
    assert_int_equal(launch(&w, e), 55);
    stop();
}

static void clones_and_children_are_copies(void **state)
{
    struct world w;
    CUgraph clone, child, parent;
    CUgraphNode n, found, node, inside;
    CUgraphExec e;
    size_t one = 1;

    (void)state;
    make_world(&w);
    n = add_node(&w, w.graph, NULL, 0, 1);
    CU(GraphClone, &clone, w.graph);
    CU(GraphNodeFindInClone, &found, n, clone);
    assert_ptr_not_equal(found, n);
    CU(GraphCreate, &parent, 0);
    CU(GraphAddChildGraphNode, &node, parent, NULL, 0, w.graph);
    add_node(&w, w.graph, NULL, 0, 1000);                   /* too late for both */
    CU(GraphAddChildGraphNode, &node, parent, &node, 1, clone);
    CU(GraphChildGraphNodeGetGraph, node, &child);
    CU(GraphGetNodes, child, &inside, &one);
    e = instantiate(parent);
    CU(GraphDestroy, clone);
    assert_int_equal(launch(&w, e), 2);
    CU(GraphExecKernelNodeSetParams_v2, e, inside, &(CUDA_KERNEL_NODE_PARAMS){ .func = w.add, .grid = { 1, 1, 1 },
       .block = { 1, 1, 1 }, .params = (void *[]){ &w.p, &(uint32_t){ 1 }, &(uint32_t){ 7 } } });
    assert_int_equal(launch(&w, e), 10);
    CU(GraphExecChildGraphNodeSetParams, e, node, child);
    assert_int_equal(launch(&w, e), 12);
    assert_int_not_equal(CALL(GraphExecChildGraphNodeSetParams)(e, node, w.graph), CUDA_SUCCESS);
    CU(GraphDestroy, parent);
    CU(GraphExecDestroy, e);
    stop();
}

static void wait_at(void *data)
{
    sem_wait(data);
}

static void launches_of_one_executable_come_one_after_the_other(void **state)
{
    struct world w;
    CUgraphNode n, add;
    CUgraphExec e;
    CUstream other;
    sem_t gate;

    (void)state;
    make_world(&w);
    sem_init(&gate, 0, 0);
    CU(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    CU(GraphAddHostNode, &n, w.graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){ wait_at, &gate });
    add = add_node(&w, w.graph, &n, 1, 1);
    e = instantiate(w.graph);
    CU(GraphUpload, e, w.stream);
    CU(GraphLaunch, e, w.stream);
    CU(GraphExecKernelNodeSetParams_v2, e, add, &(CUDA_KERNEL_NODE_PARAMS){ .func = w.add, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
       .params = (void *[]){ &w.p, &(uint32_t){ 1 }, &(uint32_t){ 10 } } });         /* not for the launch under way */
    CU(GraphLaunch, e, other);
    assert_int_equal(CALL(StreamQuery)(other), CUDA_ERROR_NOT_READY);
    sem_post(&gate);
    CU(StreamSynchronize, w.stream);
    assert_int_equal(first_word(&w), 1);
    sem_post(&gate);
    CU(StreamSynchronize, other);
    assert_int_equal(first_word(&w), 11);
    stop();
}

static void events_are_waited_for_and_recorded_outside(void **state)
{
    struct world w;
    CUgraphNode n;
    CUgraphExec e;
    CUevent before, after;
    CUstream other;
    sem_t gate;

    (void)state;
    make_world(&w);
    sem_init(&gate, 0, 0);
    CU(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    CU(EventCreate, &before, CU_EVENT_DISABLE_TIMING);
    CU(EventCreate, &after, CU_EVENT_DISABLE_TIMING);
    CU(GraphAddEventWaitNode, &n, w.graph, NULL, 0, before);
    n = add_node(&w, w.graph, &n, 1, 3);
    CU(GraphAddEventRecordNode, &n, w.graph, &n, 1, after);
    e = instantiate(w.graph);
    CU(LaunchHostFunc, other, wait_at, &gate);
    CU(EventRecord, before, other);
    CU(GraphLaunch, e, w.stream);
    assert_int_equal(CALL(EventQuery)(after), CUDA_ERROR_NOT_READY);
    sem_post(&gate);
    CU(EventSynchronize, after);
    assert_int_equal(first_word(&w), 3);
    stop();
}

static void user_objects_live_as_long_as_graphs_and_executables(void **state)
{
    struct world w;
    CUuserObject o;
    CUgraph clone;
    CUgraphExec e;
    sem_t gone;
    int value;

    (void)state;
    make_world(&w);
    sem_init(&gone, 0, 0);
    CU(UserObjectCreate, &o, &gone, (CUhostFn)(void (*)(void))sem_post, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    CU(GraphRetainUserObject, w.graph, o, 1, CU_GRAPH_USER_OBJECT_MOVE);
    CU(GraphClone, &clone, w.graph);
    e = instantiate(w.graph);
    CU(GraphDestroy, w.graph);
    CU(GraphDestroy, clone);
    CU(GraphLaunch, e, w.stream);
    CU(StreamSynchronize, w.stream);
    usleep(2000);
    sem_getvalue(&gone, &value);
    assert_int_equal(value, 0);
    CU(GraphExecDestroy, e);
    sem_wait(&gone);

    CU(GraphCreate, &w.graph, 0);
    CU(UserObjectCreate, &o, &gone, (CUhostFn)(void (*)(void))sem_post, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    CU(UserObjectRelease, o, 1);
    CU(GraphRetainUserObject, w.graph, o, 2, 0);
    CU(UserObjectRelease, o, 1);
    CU(GraphReleaseUserObject, w.graph, o, 1);
    CU(GraphReleaseUserObject, w.graph, o, 1);
    sem_wait(&gone);
    assert_int_equal(CALL(UserObjectCreate)(&o, &gone, NULL, 1, 0), CUDA_ERROR_INVALID_VALUE);
    stop();
}

static void an_executable_may_go_while_it_runs(void **state)
{
    struct world w;
    CUgraphNode n;
    CUgraphExec e;
    sem_t gate;

    (void)state;
    make_world(&w);
    sem_init(&gate, 0, 0);
    CU(GraphAddHostNode, &n, w.graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){ wait_at, &gate });
    add_node(&w, w.graph, &n, 1, 6);
    e = instantiate(w.graph);
    CU(GraphLaunch, e, w.stream);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, w.graph);
    sem_post(&gate);
    CU(StreamSynchronize, w.stream);
    assert_int_equal(first_word(&w), 6);
    stop();
}

static void any_node_goes_through_one_call(void **state)
{
    CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_MEMSET };
    struct world w;
    CUgraphNode n;
    CUgraphExec e;

    (void)state;
    make_world(&w);
    p.p.set.set = (CUDA_MEMSET_NODE_PARAMS){ .to = w.p, .value = 3, .element = 4, .width = 1, .height = 1 };
    p.p.set.context = w.context;
    assert_int_equal(AS(GraphAddNode_v2, 12030, 0)(&n, w.graph, NULL, NULL, 0, &p), CUDA_SUCCESS);
    e = instantiate(w.graph);
    assert_int_equal(launch(&w, e), 3);
    p.p.set.set.value = 4;
    assert_int_equal(AS(GraphExecNodeSetParams, 12020, 0)(e, n, &p), CUDA_SUCCESS);
    assert_int_equal(launch(&w, e), 4);
    stop();
}

static void edges_keep_their_data(void **state)
{
    CUgraphEdgeData port = { .from_port = 1, .type = 1 }, got;
    struct world w;
    CUgraphNode a, b, from, to;
    size_t n = 1;

    (void)state;
    make_world(&w);
    a = add_node(&w, w.graph, NULL, 0, 1);
    b = add_node(&w, w.graph, NULL, 0, 1);
    if (AS(GraphAddDependencies_v2, 12030, 0)(w.graph, &a, &b, &port, 1))
        skip();                                             /* this driver does not allow it */
    assert_int_equal(AS(GraphGetEdges_v2, 12030, 0)(w.graph, &from, &to, NULL, &n), CUDA_ERROR_LOSSY_QUERY);
    assert_int_equal(AS(GraphGetEdges_v2, 12030, 0)(w.graph, &from, &to, &got, &n), CUDA_SUCCESS);
    assert_memory_equal(&got, &port, sizeof(got));
    stop();
}

static void a_graph_is_drawn(void **state)
{
    char path[] = "/tmp/graph.XXXXXX", text[4096];
    struct world w;
    CUgraphNode n;
    size_t length;
    FILE *f;
    int fd = mkstemp(path);

    (void)state;
    make_world(&w);
    n = add_node(&w, w.graph, NULL, 0, 1);
    add_node(&w, w.graph, &n, 1, 1);
    CU(GraphDebugDotPrint, w.graph, path, 0);
    f = fdopen(fd, "r");
    length = fread(text, 1, sizeof(text) - 1, f);
    text[length] = '\0';
    fclose(f);
    unlink(path);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "add"));
    assert_non_null(strstr(text, "->"));
    stop();
}

static void a_context_s_events_are_about_all_its_streams(void **state)
{
    struct world w;
    CUevent e;
    CUstream other;
    sem_t gate;

    (void)state;
    make_world(&w);
    sem_init(&gate, 0, 0);
    CU(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    CU(EventCreate, &e, CU_EVENT_DISABLE_TIMING);
    CU(LaunchHostFunc, other, wait_at, &gate);
    assert_int_equal(AS(CtxRecordEvent, 12050, 0)(w.context, e), CUDA_SUCCESS);
    assert_int_equal(CALL(EventQuery)(e), CUDA_ERROR_NOT_READY);
    assert_int_equal(AS(CtxWaitEvent, 12050, 0)(w.context, e), CUDA_SUCCESS);
    CU(MemsetD32Async, w.p, 5, 1, w.stream);
    assert_int_equal(CALL(StreamQuery)(w.stream), CUDA_ERROR_NOT_READY);
    sem_post(&gate);
    CU(StreamSynchronize, w.stream);
    CU(EventQuery, e);
    assert_int_equal(first_word(&w), 5);
    stop();
}

/* In a child, as the device is lost for the process. On a GPU the launch may go well, as long as nothing else lies there. */
static void a_kernel_whose_library_is_gone_is_an_illegal_address(void **state)
{
    CUlibrary l;
    CUkernel k;
    struct world w;
    CUgraphExec e;
    int status;
    pid_t child = fork();

    (void)state;
    if (!child) {
        if (!has_device())
            _exit(77);
        make_world(&w);
        CU(LibraryLoadData, &l, PTX_HEAD PTX_ADD, NULL, NULL, 0, NULL, NULL, 0);
        CU(LibraryGetKernel, &k, l, "add");
        CU(KernelGetFunction, &w.add, k);
        add_node(&w, w.graph, NULL, 0, 1);
        e = instantiate(w.graph);
        if (launch(&w, e) != 1)
            _exit(1);
        CU(LibraryUnload, l);
        CU(GraphLaunch, e, w.stream);
        _exit(CALL(StreamSynchronize)(w.stream) == CUDA_ERROR_ILLEGAL_ADDRESS && CALL(MemAlloc_v2)(&w.p, 4) ? 42 : 2);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    open_library();
    if (dlsym(library, "softcuda_version"))
        assert_int_equal(WEXITSTATUS(status), 42);
    else
        print_message("a launch after its library's unloading: %s\n", WEXITSTATUS(status) == 42 ? "illegal address" : "went well");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_run_behind_those_they_wait_for),
        cmocka_unit_test(a_circle_is_no_graph),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(parameters_are_the_nodes_own_and_can_be_read_back),
        cmocka_unit_test(boxes_are_copied),
        cmocka_unit_test(executables_are_changed_in_place),
        cmocka_unit_test(an_executable_takes_over_a_graph_that_is_like_its_own),
        cmocka_unit_test(clones_and_children_are_copies),
        cmocka_unit_test(launches_of_one_executable_come_one_after_the_other),
        cmocka_unit_test(events_are_waited_for_and_recorded_outside),
        cmocka_unit_test(user_objects_live_as_long_as_graphs_and_executables),
        cmocka_unit_test(an_executable_may_go_while_it_runs),
        cmocka_unit_test(any_node_goes_through_one_call),
        cmocka_unit_test(edges_keep_their_data),
        cmocka_unit_test(a_graph_is_drawn),
        cmocka_unit_test(a_context_s_events_are_about_all_its_streams),
    };
    const struct CMUnitTest lost[] = { cmocka_unit_test(a_kernel_whose_library_is_gone_is_an_illegal_address) };
    int failed;

    if (!has_driver())
        return 77;
    failed = cmocka_run_group_tests_name("api.graph.lost", lost, NULL, NULL);       /* forks, so before the driver has threads */
    if (!has_device())
        return 77;
    return failed + cmocka_run_group_tests_name("api.graph", tests, NULL, NULL);
}
