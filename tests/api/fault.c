/* fault.c - what goes wrong in a kernel ends the launch and poisons the context. The process lives, and so does everything else
 * in it. */
#include "cuda.h.inc"
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* A fault is for good in its process, so each has one of its own. hazards: the setting, NULL: none. */
static void in_a_child(void (*test)(void *), void *arg, const char *hazards)
{
    int status;
    pid_t child = fork();

    if (!child) {
        if (hazards)
            setenv("SOFTCUDA_HAZARDS", hazards, 1);
        test(arg);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

struct faulty { const char *ptx, *name; CUresult wanted; bool for_good; };

static void another_context_works(CUcontext good)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    uint32_t n = 4, v = 1, got;
    void *params[] = { &p, &n, &v };

    CU(CtxSetCurrent, good);
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, 16);
    CU(MemsetD32_v2, p, 0, 4);
    CU(LaunchKernel, f, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, &got, p, 4);
    assert_int_equal(got, 1);
}

static void nothing_works(CUcontext good, CUresult why)
{
    CUcontext c;
    CUdeviceptr p;

    CU(CtxSetCurrent, good);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), why);
    assert_int_equal(AS(CtxCreate_v2, 4000, 0)(&c, 0, 0), why);
    assert_int_equal(CALL(DevicePrimaryCtxRetain)(&c, 0), why);
}

/* Launches, waits, and finds the context poisoned. Of the other one it depends. */
static void fault(void *arg)
{
    const struct faulty *x = arg;
    CUcontext bad, good;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 8;
    uint32_t n = 4, v = 1;
    void *params[] = { &p, &n, &v };

    CU(Init, 0);
    create_context(&good);
    create_context(&bad);
    f = function_of(&m, x->ptx, x->name);
    CU(LaunchKernel, f, 3, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), x->wanted);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), x->wanted);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), x->wanted);
    CU(CtxDestroy_v2, bad);
    if (x->for_good)
        nothing_works(good, x->wanted);
    else
        another_context_works(good);
}

static void expect(const char *ptx, const char *name, CUresult wanted)
{
    in_a_child(fault, &(struct faulty){ ptx, name, wanted, wanted != CUDA_ERROR_ASSERT }, NULL);
    in_a_child(fault, &(struct faulty){ ptx, name, wanted, false }, "off");
}

static void a_null_access_is_an_illegal_address(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        expect(PTX_HEAD PTX_ADD, "add", CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void use_freed_memory(void *arg)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p };

    (void)arg;
    CU(Init, 0);
    create_context(&c);
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(MemAlloc_v2, &p, 1 << 20);
    CU(MemFree_v2, p);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CU(CtxDestroy_v2, c);
}

static void memory_given_back_is_an_illegal_address(void **state)
{
    (void)state;
    in_a_child(use_freed_memory, NULL, NULL);
}

static void a_trap_fails_the_launch(void **state)
{
    (void)state;
    expect(PTX_HEAD PTX_TRAP, "stop", CUDA_ERROR_LAUNCH_FAILED);
}

static void an_assertion_is_told(void **state)
{
    static const char ptx[] = PTX_HEAD
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
        ".global .align 1 .b8 text[5] = {110, 32, 62, 32, 0};\n"
        ".visible .entry check()\n{\n.reg .b32 %r<3>; .reg .b64 %d<4>;\n"
        "mov.u64 %d1, text; cvta.global.u64 %d2, %d1; mov.u32 %r1, 7; mov.u64 %d3, 1;\n{\n"
        ".param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;\n"
        "st.param.b64 [p0], %d2; st.param.b64 [p1], %d2; st.param.b32 [p2], %r1; st.param.b64 [p3], %d2; st.param.b64 [p4], %d3;\n"
        "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nret;\n}\n";

    (void)state;
    expect(ptx, "check", CUDA_ERROR_ASSERT);
}

static void a_barrier_that_cannot_complete_ends(void **state)
{
    static const char ptx[] = PTX_HEAD
        ".visible .entry hang()\n{\n.reg .pred %q; .reg .b32 %r<2>;\nmov.u32 %r1, %tid.x; setp.lt.u32 %q, %r1, 32;\n"
        "@%q bra ONE;\nbar.sync 1, 64;\nret;\nONE: bar.sync 2, 64;\nret;\n}\n";

    (void)state;
    expect(ptx, "hang", CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void trap(void)
{
    CUmodule m;
    CUfunction f = function_of(&m, PTX_HEAD PTX_TRAP, "stop");

    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_LAUNCH_FAILED);
}

static void reset_and_go_on(void *arg)
{
    CUcontext c;
    CUdeviceptr p;

    (void)arg;
    start();
    trap();
    CU(DevicePrimaryCtxReset_v2, 0);
    CU(DevicePrimaryCtxRetain, &c, 0);
    CU(MemAlloc_v2, &p, 4);
    CU(CtxSynchronize);
    stop();
}

static void reset_in_vain(void *arg)
{
    CUcontext c;
    CUdeviceptr p;

    (void)arg;
    start();
    trap();
    CU(DevicePrimaryCtxReset_v2, 0);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(CALL(DevicePrimaryCtxRetain)(&c, 0), CUDA_ERROR_LAUNCH_FAILED);
}

static void a_reset_heals_only_without_hazards(void **state)
{
    (void)state;
    in_a_child(reset_in_vain, NULL, NULL);
    in_a_child(reset_and_go_on, NULL, "off");
}

static void ask_streams_and_events(void *arg)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUstream s;
    CUevent e;

    (void)arg;
    CU(Init, 0);
    create_context(&c);
    f = function_of(&m, PTX_HEAD PTX_TRAP, "stop");
    CU(StreamCreate, &s, 0);
    CU(EventCreate, &e, 0);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
    (void)CALL(EventRecord)(e, s);                  /* may come before or after the fault */
    assert_int_equal(CALL(StreamSynchronize)(s), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(EventQuery)(e), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(EventDestroy_v2)(e), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(StreamDestroy_v2)(s), CUDA_ERROR_LAUNCH_FAILED);
    CU(CtxDestroy_v2, c);
}

static void events_and_streams_tell_the_fault_too(void **state)
{
    (void)state;
    in_a_child(ask_streams_and_events, NULL, NULL);
}

/* Seen on an H200: what asks the context fails, what does not need it works, loading and unloading libraries too. */
static void ask_around(void *arg)
{
    CUcontext c;
    CUlibrary l, l2;
    CUkernel k;
    CUfunction f;
    CUdeviceptr p, base;
    unsigned flags;
    unsigned long long id;
    size_t n;
    int v;

    (void)arg;
    c = start();
    CU(LibraryLoadData, &l, PTX_HEAD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, l, "poke");
    CU(MemAlloc_v2, &p, 16);
    trap();
    assert_int_equal(CALL(KernelGetFunction)(&f, k), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(CtxGetLimit)(&n, 0), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(MemGetAddressRange_v2)(&base, &n, p), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(MemFree_v2)(p), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(ProfilerStart)(), CUDA_ERROR_LAUNCH_FAILED);
    CU(LibraryLoadData, &l2, PTX_HEAD PTX_POKE, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryUnload, l2);
    CU(KernelGetAttribute, &v, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0);
    CU(LibraryUnload, l);
    CU(CtxGetFlags, &flags);
    CU(CtxGetId, c, &id);
    CU(CtxPushCurrent_v2, c);
    CU(CtxPopCurrent_v2, &c);
    CU(PointerGetAttribute, &flags, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
    CU(DevicePrimaryCtxRetain, &c, 0);
}

static void only_what_needs_the_context_fails(void **state)
{
    (void)state;
    in_a_child(ask_around, NULL, NULL);
}

static void on_segv(int sig)
{
    _exit(sig == SIGSEGV ? 42 : 1);
}

/* In a child: a handler of the program's own, put there before softcuda's, gets the faults of the program's own code. */
static void other_faults_go_where_they_went_before(void **state)
{
    int *volatile nowhere = (int *)16;
    int status;
    pid_t child;

    (void)state;
    open_library();
    child = fork();
    if (!child) {
        signal(SIGSEGV, on_segv);
        fault(&(struct faulty){ PTX_HEAD PTX_ADD, "add", CUDA_ERROR_ILLEGAL_ADDRESS, true });
        *nowhere = 1;
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_faults_go_where_they_went_before),
        cmocka_unit_test(a_null_access_is_an_illegal_address),
        cmocka_unit_test(memory_given_back_is_an_illegal_address),
        cmocka_unit_test(a_trap_fails_the_launch),
        cmocka_unit_test(an_assertion_is_told),
        cmocka_unit_test(a_barrier_that_cannot_complete_ends),
        cmocka_unit_test(a_reset_heals_only_without_hazards),
        cmocka_unit_test(events_and_streams_tell_the_fault_too),
        cmocka_unit_test(only_what_needs_the_context_fails),
    };

    return cmocka_run_group_tests_name("api.fault", tests, NULL, NULL);
}
