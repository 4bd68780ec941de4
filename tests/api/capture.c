/* capture.c - how captures begin and end, who joins them, and what they put into a graph. */
#include "capture.h.inc"

static void a_threads_mode_is_exchanged(void **state)
{
    CUstreamCaptureMode m = CU_STREAM_CAPTURE_MODE_RELAXED;

    (void)state;
    start();
    CU(ThreadExchangeStreamCaptureMode, &m);
    assert_int_equal(m, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(ThreadExchangeStreamCaptureMode, &m);
    assert_int_equal(m, CU_STREAM_CAPTURE_MODE_RELAXED);
    m = 3;
    supposed("a mode that there is not", CALL(ThreadExchangeStreamCaptureMode)(&m), CUDA_SUCCESS);
    m = CU_STREAM_CAPTURE_MODE_GLOBAL;
    CU(ThreadExchangeStreamCaptureMode, &m);
    stop();
}

/* ---- beginning and ending ---- */

static void a_capture_begins_and_ends(void **state)
{
    CUstream s;
    CUgraph g = NULL;

    (void)state;
    start();
    s = stream();
    assert_int_equal(status(s), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_int_equal(CALL(StreamBeginCapture_v2)(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), UNSUPPORTED);
    assert_int_equal(CALL(StreamBeginCapture_v2)(s, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(StreamEndCapture)(s, &g), CUDA_ERROR_ILLEGAL_STATE);
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(status(s), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    supposed("a second begin", CALL(StreamBeginCapture_v2)(s, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
    supposed("the end after it", end(s), CUDA_SUCCESS);
    assert_int_equal(status(s), CU_STREAM_CAPTURE_STATUS_NONE);
    CU(StreamSynchronize, s);
    CU(StreamDestroy_v2, s);
    stop();
}

struct ending { CUstream stream; CUresult result; };

static void *end_there(void *data)
{
    struct ending *e = data;
    CUgraph g;

    e->result = CALL(StreamEndCapture)(e->stream, &g);
    return NULL;
}

static CUresult end_in_another_thread(CUstream s)
{
    struct ending e = { s, 0 };
    pthread_t thread;

    pthread_create(&thread, NULL, end_there, &e);
    pthread_join(thread, NULL);
    return e.result;
}

static void only_a_relaxed_capture_may_be_ended_by_another_thread(void **state)
{
    CUstream s;

    (void)state;
    start();
    s = stream();
    begin(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    assert_int_equal(end_in_another_thread(s), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    assert_int_equal(end(s), CUDA_ERROR_ILLEGAL_STATE); /* the wrong one has ended it */
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(end_in_another_thread(s), CUDA_SUCCESS);
    stop();
}

static void an_invalid_capture_takes_nothing_until_its_end(void **state)
{
    CUstream s;
    CUdeviceptr p;

    (void)state;
    start();
    s = stream();
    p = memory();
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(CALL(StreamSynchronize)(s), UNSUPPORTED);
    assert_int_equal(status(s), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(CALL(MemsetD32Async)(p, 1, 1, s), INVALIDATED);
    assert_int_equal(end(s), INVALIDATED);
    CU(MemsetD32Async, p, 1, 1, s);
    CU(StreamSynchronize, s);
    stop();
}

static void a_capturing_stream_cannot_be_waited_for(void **state)
{
    CUresult (*const asks[])(CUstream) = { CALL(StreamSynchronize), CALL(StreamQuery) };
    CUstream s;

    (void)state;
    start();
    s = stream();
    for (int i = 0; i < 2; i++) {
        begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
        assert_int_equal(asks[i](s), UNSUPPORTED);
        assert_int_equal(end(s), INVALIDATED);
    }
    stop();
}

/* ---- events and streams ---- */

static CUevent event(void)
{
    CUevent e;

    CU(EventCreate, &e, CU_EVENT_DISABLE_TIMING);
    return e;
}

static void streams_join_by_waiting_and_must_be_joined_again(void **state)
{
    CUstream a, b;
    CUevent fork, join;
    CUdeviceptr p;

    (void)state;
    start();
    a = stream();
    b = stream();
    fork = event();
    join = event();
    p = memory();
    for (int joined = 0; joined < 2; joined++) {
        begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
        CU(MemsetD32Async, p, 1, 1, a);
        CU(EventRecord, fork, a);
        CU(StreamWaitEvent, b, fork, 0);
        assert_int_equal(status(b), CU_STREAM_CAPTURE_STATUS_ACTIVE);
        CU(MemsetD32Async, p, 2, 1, b);
        CU(EventRecord, join, b);
        if (joined)
            CU(StreamWaitEvent, a, join, 0);
        assert_int_equal(end(a), joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        assert_int_equal(status(b), CU_STREAM_CAPTURE_STATUS_NONE);
    }
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);                /* a stream that only waited has nothing to be joined for */
    CU(MemsetD32Async, p, 1, 1, a);
    CU(EventRecord, fork, a);
    CU(StreamWaitEvent, b, fork, 0);
    assert_int_equal(end(a), CUDA_SUCCESS);
    stop();
}

static void a_capture_ends_where_it_began(void **state)
{
    CUstream a, b;
    CUevent fork;
    CUgraph g;

    (void)state;
    start();
    a = stream();
    b = stream();
    fork = event();
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(EventRecord, fork, a);
    CU(StreamWaitEvent, b, fork, 0);
    assert_int_equal(CALL(StreamEndCapture)(b, &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    supposed("the end where it began, after one elsewhere", end(a), INVALIDATED);
    stop();
}

static void captured_work_cannot_wait_for_other_work(void **state)
{
    CUstream a, b;
    CUevent e, never;

    (void)state;
    start();
    a = stream();
    b = stream();
    e = event();
    never = event();
    CU(EventRecord, e, b);
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    supposed("waiting for an event that nobody recorded", CALL(StreamWaitEvent)(a, never, 0), CUDA_SUCCESS);
    assert_int_equal(CALL(StreamWaitEvent)(a, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    assert_int_equal(end(a), INVALIDATED);
    stop();
}

static void two_captures_cannot_merge(void **state)
{
    CUstream a, b;
    CUevent e;

    (void)state;
    start();
    a = stream();
    b = stream();
    e = event();
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    begin(b, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(EventRecord, e, a);
    assert_int_equal(CALL(StreamWaitEvent)(b, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    assert_int_equal(end(b), INVALIDATED);
    supposed("the end of the other capture", end(a), INVALIDATED);
    stop();
}

static void a_captured_event_tells_nothing(void **state)
{
    CUresult (*const asks[])(CUevent) = { CALL(EventQuery), CALL(EventSynchronize) };
    CUstream s;
    CUevent e;

    (void)state;
    start();
    s = stream();
    e = event();
    for (int i = 0; i < 2; i++) {
        begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
        CU(EventRecord, e, s);
        supposed(i ? "waiting for a captured event" : "asking a captured event", asks[i](e), CUDA_ERROR_CAPTURED_EVENT);
        supposed("the end after it", end(s), INVALIDATED);
        assert_int_equal(asks[i](e), CUDA_ERROR_INVALID_VALUE); /* the capture is over */
    }
    assert_int_equal(CALL(StreamWaitEvent)(s, e, 0), CUDA_ERROR_INVALID_VALUE);
    CU(EventRecord, e, s);
    CU(EventSynchronize, e);
    CU(EventQuery, e);
    stop();
}

static void the_legacy_stream_keeps_away_from_blocking_streams_that_capture(void **state)
{
    CUstreamCaptureStatus unused;
    CUstream s;
    CUdeviceptr p;
    int i = 0;

    (void)state;
    start();
    CU(StreamCreate, &s, 0);
    p = memory();
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(CALL(StreamIsCapturing)(NULL, &unused), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(end(s), CUDA_SUCCESS);
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(CALL(MemsetD32Async)(p, 1, 1, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(end(s), INVALIDATED);
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(CALL(MemcpyHtoD_v2)(p, &i, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(end(s), INVALIDATED);
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(CALL(StreamSynchronize)(NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(end(s), INVALIDATED);
    CU(StreamDestroy_v2, s);

    s = stream();                                           /* with one that does not block it has nothing to do */
    begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
    CU(StreamIsCapturing, NULL, &unused);
    CU(MemsetD32Async, p, 1, 1, NULL);
    assert_int_equal(end(s), CUDA_SUCCESS);
    stop();
}

/* ---- what is captured ---- */

static void count(CUgraph g, size_t nodes, size_t edges)
{
    size_t n;

    CU(GraphGetNodes, g, NULL, &n);
    assert_int_equal(n, nodes);
    assert_int_equal(AS(GraphGetEdges_v2, 12030, 0)(g, NULL, NULL, NULL, &n), CUDA_SUCCESS);
    assert_int_equal(n, edges);
}

static void captured_work_is_done_at_each_launch_and_not_before(void **state)
{
    CUmodule m;
    CUfunction f;
    CUstream a, b;
    CUevent fork, join;
    CUdeviceptr p, q;
    uint32_t n = 100, v = 3, *pinned, one = 1;
    void *params[] = { &p, &n, &v };
    CUgraph g;
    CUgraphExec e;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    a = stream();
    b = stream();
    fork = event();
    join = event();
    p = memory();
    q = memory();
    CU(MemHostAlloc, (void **)&pinned, 800, 0);
    memset(pinned, 0, 800);
    CU(MemsetD32_v2, p, 7, 200);
    CU(CtxSynchronize);
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(MemcpyHtoDAsync_v2, p, pinned, 400, a);
    CU(EventRecord, fork, a);
    CU(LaunchKernel, f, 1, 1, 1, 128, 1, 1, 0, a, params, NULL);
    CU(StreamWaitEvent, b, fork, 0);
    CU(MemsetD32Async, q, 9, 100, b);
    CU(EventRecord, join, b);
    CU(StreamWaitEvent, a, join, 0);
    CU(MemcpyDtoHAsync_v2, pinned, p, 400, a);
    CU(MemcpyDtoHAsync_v2, pinned + 100, q, 400, a);
    v = 1000;                                               /* parameters were copied */
    CU(StreamEndCapture, a, &g);
    count(g, 5, 5);
    CU(StreamSynchronize, a);
    assert_int_equal(pinned[0], 0);
    CU(GraphInstantiateWithFlags, &e, g, 0);
    CU(GraphDestroy, g);
    for (uint32_t i = 1; i <= 3; i++) {
        CU(GraphLaunch, e, b);
        CU(StreamSynchronize, b);
        assert_int_equal(pinned[99], 3 * i);
        assert_int_equal(pinned[199], 9);
    }
    CU(MemcpyDtoH_v2, &one, p + 404, 4);
    assert_int_equal(one, 7);
    CU(GraphExecDestroy, e);
    stop();
}

static void pageable_memory_is_read_at_each_launch(void **state)
{
    CUstream s;
    CUdeviceptr p;
    CUgraph g;
    CUgraphExec e;
    uint32_t value = 1, got = 0;

    (void)state;
    start();
    s = stream();
    p = memory();
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(MemcpyHtoDAsync_v2, p, &value, 4, s);
    CU(MemcpyDtoHAsync_v2, &got, p, 4, s);
    CU(StreamEndCapture, s, &g);
    CU(GraphInstantiateWithFlags, &e, g, 0);
    value = 2;
    CU(GraphLaunch, e, s);
    CU(StreamSynchronize, s);
    assert_int_equal(got, 2);
    stop();
}

static void a_stream_tells_what_its_next_node_waits_for(void **state)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *nodes;
    CUgraphNode first, empty, before;
    cuuint64_t id, again;
    CUstream s;
    CUgraph g, ended;
    CUdeviceptr p;
    size_t n;

    (void)state;
    start();
    s = stream();
    p = memory();
    assert_int_equal(AS(StreamUpdateCaptureDependencies_v2, 12030, 0)(s, NULL, NULL, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(MemsetD32Async, p, 1, 1, s);
    assert_int_equal(AS(StreamGetCaptureInfo_v2, 11030, 0)(s, &status, &id, &g, &nodes, &n), CUDA_SUCCESS);
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(n, 1);
    first = nodes[0];
    CU(GraphAddEmptyNode, &empty, g, nodes, n);
    assert_int_equal(AS(StreamUpdateCaptureDependencies_v2, 12030, 0)(s, &empty, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                     CUDA_SUCCESS);
    assert_int_equal(AS(StreamGetCaptureInfo_v3, 12030, 0)(s, &status, &again, NULL, &nodes, NULL, &n), CUDA_SUCCESS);
    assert_true(n == 1 && nodes[0] == empty && again == id);
    CU(MemsetD32Async, p, 2, 1, s);
    CU(StreamEndCapture, s, &ended);
    assert_ptr_equal(ended, g);
    count(g, 3, 2);
    n = 1;
    assert_int_equal(AS(GraphNodeGetDependencies_v2, 12030, 0)(empty, &before, NULL, &n), CUDA_SUCCESS);
    assert_true(n == 1 && before == first);
    stop();
}

static void a_capture_may_add_to_a_graph(void **state)
{
    CUgraphNode root;
    CUgraph g, ended;
    CUstream s;
    CUdeviceptr p;

    (void)state;
    start();
    s = stream();
    p = memory();
    CU(GraphCreate, &g, 0);
    CU(GraphAddEmptyNode, &root, g, NULL, 0);
    assert_int_equal(AS(StreamBeginCaptureToGraph, 12030, 0)(s, g, &root, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    CU(MemsetD32Async, p, 1, 1, s);
    CU(StreamEndCapture, s, &ended);
    assert_ptr_equal(ended, g);
    count(g, 2, 1);
    CU(GraphDestroy, g);
    stop();
}

static void a_graph_cannot_be_launched_into_a_capture(void **state)
{
    CUgraph inner;
    CUgraphNode node;
    CUgraphExec e;
    CUstream s;

    (void)state;
    start();
    s = stream();
    CU(GraphCreate, &inner, 0);
    CU(GraphAddEmptyNode, &node, inner, NULL, 0);
    CU(GraphInstantiateWithFlags, &e, inner, 0);
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(CALL(GraphLaunch)(e, s), UNSUPPORTED);
    assert_int_equal(end(s), INVALIDATED);
    stop();
}

static void external_events_are_nodes(void **state)
{
    CUstream s, other;
    CUevent e;
    CUgraph g;

    (void)state;
    start();
    s = stream();
    other = stream();
    e = event();
    assert_int_equal(CALL(EventRecordWithFlags)(e, s, CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
    CU(EventRecord, e, other);
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(StreamWaitEvent, s, e, CU_EVENT_WAIT_EXTERNAL);
    CU(EventRecordWithFlags, e, s, CU_EVENT_RECORD_EXTERNAL);
    CU(StreamEndCapture, s, &g);
    count(g, 2, 1);
    stop();
}

static void *capture_often(void *context)
{
    uint32_t got = 0;
    CUdeviceptr p;
    CUgraphExec e;
    CUstream s;
    CUgraph g;

    if (CALL(CtxSetCurrent)(context) || CALL(StreamCreate)(&s, CU_STREAM_NON_BLOCKING) || CALL(MemAlloc_v2)(&p, 4))
        return "setup";
    for (uint32_t i = 1; i <= 50; i++) {
        if (CALL(StreamBeginCapture_v2)(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) || CALL(MemsetD32Async)(p, i, 1, s)
            || CALL(MemcpyDtoHAsync_v2)(&got, p, 4, s) || CALL(StreamEndCapture)(s, &g))
            return "capture";
        if (CALL(GraphInstantiateWithFlags)(&e, g, 0) || CALL(GraphLaunch)(e, s) || CALL(StreamSynchronize)(s) || got != i)
            return "launch";
        if (CALL(GraphDestroy)(g) || CALL(GraphExecDestroy)(e))
            return "end";
    }
    return NULL;
}

static void threads_capture_beside_each_other(void **state)
{
    CUcontext c = start();
    pthread_t threads[4];
    void *complaint;

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, capture_often, c);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &complaint);
        if (complaint)
            fail_msg("%s", (const char *)complaint);
    }
    stop();
}

static void on_callback(CUstream s, CUresult r, void *data)
{
    (void)s, (void)r, (void)data;
}

static void callbacks_cannot_be_captured(void **state)
{
    CUstream s;

    (void)state;
    start();
    s = stream();
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(CALL(StreamAddCallback)(s, on_callback, NULL, 0), UNSUPPORTED);
    assert_int_equal(end(s), INVALIDATED);
    stop();
}

static void what_capturing_streams_leave_behind_is_freed(void **state)
{
    CUcontext c;
    CUstream a, b;
    CUevent e;
    CUdeviceptr p;

    (void)state;
    if (!is_softcuda())
        skip();
    CU(Init, 0);
    create_context(&c);
    a = stream();
    b = stream();
    e = event();
    p = memory();
    begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(MemsetD32Async, p, 1, 1, a);
    CU(EventRecord, e, a);
    CU(StreamWaitEvent, b, e, 0);
    CU(StreamDestroy_v2, b);
    assert_int_equal(status(a), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CU(StreamDestroy_v2, a);
    begin(a = stream(), CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(CtxDestroy_v2, c);
    start();
    CU(MemAlloc_v2, &p, 4);                                 /* no capture forbids it */
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threads_mode_is_exchanged),
        cmocka_unit_test(a_capture_begins_and_ends),
        cmocka_unit_test(only_a_relaxed_capture_may_be_ended_by_another_thread),
        cmocka_unit_test(an_invalid_capture_takes_nothing_until_its_end),
        cmocka_unit_test(a_capturing_stream_cannot_be_waited_for),
        cmocka_unit_test(streams_join_by_waiting_and_must_be_joined_again),
        cmocka_unit_test(a_capture_ends_where_it_began),
        cmocka_unit_test(captured_work_cannot_wait_for_other_work),
        cmocka_unit_test(two_captures_cannot_merge),
        cmocka_unit_test(a_captured_event_tells_nothing),
        cmocka_unit_test(the_legacy_stream_keeps_away_from_blocking_streams_that_capture),
        cmocka_unit_test(captured_work_is_done_at_each_launch_and_not_before),
        cmocka_unit_test(pageable_memory_is_read_at_each_launch),
        cmocka_unit_test(a_stream_tells_what_its_next_node_waits_for),
        cmocka_unit_test(a_capture_may_add_to_a_graph),
        cmocka_unit_test(a_graph_cannot_be_launched_into_a_capture),
        cmocka_unit_test(external_events_are_nodes),
        cmocka_unit_test(threads_capture_beside_each_other),
        cmocka_unit_test(callbacks_cannot_be_captured),
        cmocka_unit_test(what_capturing_streams_leave_behind_is_freed),
    };

    if (!has_device())
        return 77;
    return cmocka_run_group_tests_name("api.capture", tests, NULL, NULL);
}
