/* capture.c - what may be done while streams capture, by whom, and what it does to the capture. The program runs on any driver
 * (SOFTCUDA_LIBRARY names another one), so that a GPU says whether softcuda is right. What no manual says and what was not seen on a
 * GPU is asked of softcuda alone; where the other driver thinks differently, the program says so. */
#include "cuda.h.inc"
#include <pthread.h>
#include <stdatomic.h>

#define UNSUPPORTED CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
#define INVALIDATED CUDA_ERROR_STREAM_CAPTURE_INVALIDATED

static bool is_softcuda(void)
{
    open_library();
    return dlsym(library, "softcuda_version");
}

/* Of softcuda this is required; another driver is only told about. */
static void supposed(const char *what, int got, int wanted)
{
    if (got != wanted)
        print_message("%s: %d, supposed to be %d\n", what, got, wanted);
    if (is_softcuda())
        assert_int_equal(got, wanted);
}

static CUstream stream(void)
{
    CUstream s;

    CU(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
    return s;
}

static CUdeviceptr memory(void)
{
    CUdeviceptr p;

    CU(MemAlloc_v2, &p, 4096);
    return p;
}

static void begin(CUstream s, CUstreamCaptureMode mode)
{
    CU(StreamBeginCapture_v2, s, mode);
}

static CUresult end(CUstream s)
{
    CUgraph g = (CUgraph)&g;
    CUresult r = CALL(StreamEndCapture)(s, &g);

    if (r)
        assert_null(g);
    else
        CU(GraphDestroy, g);
    return r;
}

static int status(CUstream s)
{
    CUstreamCaptureStatus status;

    CU(StreamIsCapturing, s, &status);
    return (int)status;
}

/* ---- calls that a graph would miss ---- */

/* What a call needs, made before the capture. */
static struct things {
    CUdeviceptr memory, other;
    void *pinned, *host;
    CUstream stream;
    CUevent event;
    CUmodule module;
    CUfunction function;
    CUlibrary library;
    CUgraph graph;
    CUgraphExec exec;
    CUcontext context;
} t;

static CUresult mem_alloc(void) { return CALL(MemAlloc_v2)(&t.other, 64); }
static CUresult mem_free(void) { return CALL(MemFree_v2)(t.memory); }
static CUresult host_alloc(void) { void *p; return CALL(MemHostAlloc)(&p, 64, 0); }
static CUresult host_free(void) { return CALL(MemFreeHost)(t.pinned); }
static CUresult host_register(void) { return CALL(MemHostRegister_v2)(t.host, 4096, 0); }
static CUresult managed_alloc(void) { return CALL(MemAllocManaged)(&t.other, 64, CU_MEM_ATTACH_GLOBAL); }
static CUresult event_query(void) { return CALL(EventQuery)(t.event); }
static CUresult event_wait(void) { return CALL(EventSynchronize)(t.event); }
static CUresult stream_wait(void) { return CALL(StreamSynchronize)(t.stream); }
static CUresult stream_query(void) { return CALL(StreamQuery)(t.stream); }
static CUresult module_load(void) { CUmodule m; return CALL(ModuleLoadData)(&m, PTX_HEAD PTX_ADD); }
static CUresult module_unload(void) { return CALL(ModuleUnload)(t.module); }
static CUresult library_unload(void) { return CALL(LibraryUnload)(t.library); }
static CUresult copy_now(void) { int i; return CALL(MemcpyDtoH_v2)(&i, t.memory, 4); }
static CUresult fill_now(void) { return CALL(MemsetD32_v2)(t.memory, 1, 1); }
static CUresult context_wait(void) { return CALL(CtxSynchronize)(); }
static CUresult context_record(void) { return AS(CtxRecordEvent, 12050, 0)(t.context, t.event); }
static CUresult library_load(void) { CUlibrary l; return CALL(LibraryLoadData)(&l, PTX_HEAD PTX_ADD, NULL, NULL, 0, NULL, NULL, 0); }
static CUresult event_create(void) { CUevent e; return CALL(EventCreate)(&e, 0); }
static CUresult event_record(void) { return CALL(EventRecord)(t.event, t.stream); }
static CUresult event_destroy(void) { return CALL(EventDestroy_v2)(t.event); }
static CUresult stream_create(void) { CUstream s; return CALL(StreamCreate)(&s, CU_STREAM_NON_BLOCKING); }
static CUresult fill_later(void) { return CALL(MemsetD32Async)(t.memory, 1, 1, t.stream); }
static CUresult alloc_later(void) { return CALL(MemAllocAsync)(&t.other, 64, t.stream); }
static CUresult memory_info(void) { size_t a, b; return CALL(MemGetInfo_v2)(&a, &b); }
static CUresult attribute(void) { int i; return CALL(FuncGetAttribute)(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, t.function); }
static CUresult graph_create(void) { CUgraph g; return CALL(GraphCreate)(&g, 0); }
static CUresult instantiate(void) { CUgraphExec e; return CALL(GraphInstantiateWithFlags)(&e, t.graph, 0); }
static CUresult graph_launch(void) { return CALL(GraphLaunch)(t.exec, t.stream); }

static CUresult launch(void)
{
    uint32_t n = 1, v = 1;
    void *params[] = { &t.memory, &n, &v };

    return CALL(LaunchKernel)(t.function, 1, 1, 1, 1, 1, 1, 0, t.stream, params, NULL);
}

/* sure: the manual or a GPU says so. forbidden: to a thread that captures bind; always: in a context with a capture, to anyone. */
static const struct call {
    const char *name;
    CUresult (*call)(void);
    bool sure, forbidden, always;
} calls[] = {
    { "cuMemAlloc", mem_alloc, true, true, false },
    { "cuMemFree", mem_free, true, true, false },
    { "cuMemHostAlloc", host_alloc, false, true, false },
    { "cuMemFreeHost", host_free, false, true, false },
    { "cuMemHostRegister", host_register, false, true, false },
    { "cuMemAllocManaged", managed_alloc, false, true, false },
    { "cuEventQuery", event_query, true, true, false },
    { "cuEventSynchronize", event_wait, false, true, false },
    { "cuStreamSynchronize", stream_wait, true, true, false },
    { "cuStreamQuery", stream_query, false, true, false },
    { "cuModuleLoadData", module_load, true, true, false },
    { "cuModuleUnload", module_unload, false, true, false },
    { "cuLibraryUnload", library_unload, true, true, false },
    { "cuMemcpyDtoH", copy_now, false, true, false },
    { "cuMemsetD32", fill_now, false, true, false },
    { "cuCtxSynchronize", context_wait, true, true, true },
    { "cuCtxRecordEvent", context_record, true, true, true },
    { "cuLibraryLoadData", library_load, false, false, false },
    { "cuEventCreate", event_create, false, false, false },
    { "cuEventRecord", event_record, true, false, false },
    { "cuEventDestroy", event_destroy, false, false, false },
    { "cuStreamCreate", stream_create, false, false, false },
    { "cuMemsetD32Async", fill_later, true, false, false },
    { "cuMemAllocAsync", alloc_later, false, false, false },
    { "cuMemGetInfo", memory_info, false, false, false },
    { "cuFuncGetAttribute", attribute, false, false, false },
    { "cuGraphCreate", graph_create, true, false, false },
    { "cuGraphInstantiate", instantiate, false, false, false },
    { "cuGraphLaunch", graph_launch, false, false, false },
    { "cuLaunchKernel", launch, true, false, false },
};

static const struct situation {
    const char *name;
    CUstreamCaptureMode capture, thread;
    bool other_thread, bound;
} situations[] = {
    { "another thread", CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL, true, true },
    { "another thread, in thread-local mode", CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, true, false },
    { "another thread, relaxed", CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, true, false },
    { "another thread, thread-local capture", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, true, false },
    { "the same thread", CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, true },
    { "the same thread, thread-local capture", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, true },
    { "the same thread, relaxed", CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, false, false },
    { "the same thread, relaxed capture", CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_GLOBAL, false, false },
};

static void make_things(void)
{
    CUkernel k;
    CUfunction f;

    CU(CtxGetCurrent, &t.context);
    t.memory = memory();
    CU(MemHostAlloc, &t.pinned, 4096, 0);
    t.host = aligned_alloc(4096, 4096);
    t.stream = stream();
    CU(EventCreate, &t.event, 0);
    CU(EventRecord, t.event, t.stream);
    t.function = function_of(&t.module, PTX_HEAD PTX_ADD, "add");
    CU(LibraryLoadData, &t.library, PTX_HEAD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, t.library, "poke");
    CU(KernelGetFunction, &f, k);
    assert_int_equal(launch(), CUDA_SUCCESS);               /* so that nothing is made resident in the capture */
    CU(GraphCreate, &t.graph, 0);
    CU(GraphInstantiateWithFlags, &t.exec, t.graph, 0);
    CU(CtxSynchronize);
}

struct doing { const struct call *call; CUstreamCaptureMode mode; CUresult result; };

static void *do_call(void *data)
{
    struct doing *d = data;

    CU(CtxSetCurrent, t.context);
    CU(ThreadExchangeStreamCaptureMode, &d->mode);
    d->result = d->call->call();
    CU(ThreadExchangeStreamCaptureMode, &d->mode);
    return NULL;
}

/* 1: the driver thinks differently, and must not. */
static int try(const struct call *c, const struct situation *s)
{
    struct doing d = { c, s->thread, 0 };
    bool bound = s->bound && !(is_softcuda() && getenv("SOFTCUDA_HAZARDS"));
    CUresult wanted = c->always || (c->forbidden && bound) ? UNSUPPORTED : CUDA_SUCCESS, ended;
    CUstream capturing = stream();
    pthread_t thread;
    bool right;

    make_things();
    begin(capturing, s->capture);
    CU(MemsetD32Async, t.memory, 1, 1, capturing);
    if (s->other_thread) {
        pthread_create(&thread, NULL, do_call, &d);
        pthread_join(thread, NULL);
    } else {
        do_call(&d);
    }
    ended = end(capturing);
    right = d.result == wanted && ended == (wanted ? INVALIDATED : CUDA_SUCCESS);
    if (!right)
        print_message("%s by %s: %d, then the end %d; supposed to be %d%s\n", c->name, s->name, d.result, ended, wanted,
                      c->sure ? "" : " (unsure)");
    CU(StreamDestroy_v2, capturing);
    (void)CALL(MemHostUnregister)(t.host);
    free(t.host);
    return !right && (c->sure || is_softcuda());
}

static void unsafe_calls_are_forbidden_to_those_whom_a_capture_binds(void **state)
{
    CUcontext c;
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        CU(Init, 0);
        create_context(&c);
        for (size_t k = 0; k < sizeof(situations) / sizeof(situations[0]); k++)
            wrong += try(&calls[i], &situations[k]);
        CU(CtxDestroy_v2, c);
    }
    assert_int_equal(wrong, 0);
}

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
    supposed("the end in the right thread, after one in a wrong one", end(s), CUDA_SUCCESS);
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
        supposed(i ? "waiting for it later" : "asking it later", asks[i](e), CUDA_ERROR_CAPTURED_EVENT);
    }
    supposed("waiting for an event of a capture that is over", CALL(StreamWaitEvent)(s, e, 0), CUDA_ERROR_CAPTURED_EVENT);
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

static void a_graph_launched_into_a_capture_is_a_child(void **state)
{
    CUgraph g, inner;
    CUgraphNode node;
    CUgraphNodeType type;
    CUgraphExec e;
    CUstream s;
    size_t n = 1;

    (void)state;
    start();
    s = stream();
    CU(GraphCreate, &inner, 0);
    CU(GraphAddEmptyNode, &node, inner, NULL, 0);
    CU(GraphInstantiateWithFlags, &e, inner, 0);
    begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CU(GraphLaunch, e, s);
    CU(StreamEndCapture, s, &g);
    CU(GraphGetNodes, g, &node, &n);
    CU(GraphNodeGetType, node, &type);
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_GRAPH);
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
        cmocka_unit_test(a_graph_launched_into_a_capture_is_a_child),
        cmocka_unit_test(external_events_are_nodes),
        cmocka_unit_test(threads_capture_beside_each_other),
        cmocka_unit_test(callbacks_cannot_be_captured),
        cmocka_unit_test(what_capturing_streams_leave_behind_is_freed),
        cmocka_unit_test(unsafe_calls_are_forbidden_to_those_whom_a_capture_binds),
    };

    if (!has_device())
        return 77;
    return cmocka_run_group_tests_name("api.capture", tests, NULL, NULL);
}
