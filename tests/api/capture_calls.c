/* capture_calls.c - which calls are forbidden while streams capture, because a graph would miss them, and to whom. */
#include "capture.h.inc"

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
    { "cuEventSynchronize", event_wait, true, true, false },
    { "cuStreamSynchronize", stream_wait, true, true, false },
    { "cuStreamQuery", stream_query, true, true, false },
    { "cuModuleLoadData", module_load, true, false, false },
    { "cuModuleUnload", module_unload, true, true, false },
    { "cuLibraryUnload", library_unload, true, true, false },
    { "cuMemcpyDtoH", copy_now, false, true, false },
    { "cuMemsetD32", fill_now, false, true, false },
    { "cuCtxSynchronize", context_wait, true, true, true },
    { "cuCtxRecordEvent", context_record, true, true, true },
    { "cuLibraryLoadData", library_load, true, false, false },
    { "cuEventCreate", event_create, true, false, false },
    { "cuEventRecord", event_record, true, false, false },
    { "cuEventDestroy", event_destroy, false, false, false },
    { "cuStreamCreate", stream_create, true, false, false },
    { "cuMemsetD32Async", fill_later, true, false, false },
    { "cuMemAllocAsync", alloc_later, false, false, false },
    { "cuMemGetInfo", memory_info, false, false, false },
    { "cuFuncGetAttribute", attribute, false, false, false },
    { "cuGraphCreate", graph_create, true, false, false },
    { "cuGraphInstantiate", instantiate, true, true, false },
    { "cuGraphLaunch", graph_launch, true, false, false },
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsafe_calls_are_forbidden_to_those_whom_a_capture_binds),
    };

    if (!has_device())
        return 77;
    return cmocka_run_group_tests_name("api.capture_calls", tests, NULL, NULL);
}
