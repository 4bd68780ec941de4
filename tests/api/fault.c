/* fault.c - what goes wrong in a kernel ends the launch and poisons the context. The process lives, and so does everything else
 * in it. */
#include "cuda.h.inc"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Launches, waits, and finds the context poisoned; another one still works. */
static void expect(const char *ptx, const char *name, CUresult wanted)
{
    CUcontext bad, good;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 8;
    uint32_t n = 4, v = 1, got;
    void *params[] = { &p, &n, &v };

    CU(Init, 0);
    create_context(&good);
    create_context(&bad);
    f = function_of(&m, ptx, name);
    CU(LaunchKernel, f, 3, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), wanted);
    assert_int_equal(CALL(MemAlloc_v2)(&p, 4), wanted);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), wanted);
    CU(CtxDestroy_v2, bad);

    CU(CtxSetCurrent, good);
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, 16);
    CU(MemsetD32_v2, p, 0, 4);
    CU(LaunchKernel, f, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, &got, p, 4);
    assert_int_equal(got, 1);
    CU(CtxDestroy_v2, good);
}

static void a_null_access_is_an_illegal_address(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        expect(PTX_HEAD PTX_ADD, "add", CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void memory_given_back_is_an_illegal_address(void **state)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p };

    (void)state;
    CU(Init, 0);
    create_context(&c);
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(MemAlloc_v2, &p, 1 << 20);
    CU(MemFree_v2, p);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CU(CtxDestroy_v2, c);
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

static void a_reset_heals_the_primary_context(void **state)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;

    (void)state;
    start();
    f = function_of(&m, PTX_HEAD PTX_TRAP, "stop");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_LAUNCH_FAILED);
    CU(DevicePrimaryCtxReset_v2, 0);
    CU(MemAlloc_v2, &p, 4);
    CU(CtxSynchronize);
    stop();
}

static void events_and_streams_tell_the_fault_too(void **state)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUstream s;
    CUevent e;

    (void)state;
    CU(Init, 0);
    create_context(&c);
    f = function_of(&m, PTX_HEAD PTX_TRAP, "stop");
    CU(StreamCreate, &s, 0);
    CU(EventCreate, &e, 0);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
    (void)CALL(EventRecord)(e, s);                  /* may come before or after the fault */
    assert_int_equal(CALL(StreamSynchronize)(s), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(CALL(EventQuery)(e), CUDA_ERROR_LAUNCH_FAILED);
    CU(EventDestroy_v2, e);
    CU(CtxDestroy_v2, c);
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
        expect(PTX_HEAD PTX_ADD, "add", CUDA_ERROR_ILLEGAL_ADDRESS);
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
        cmocka_unit_test(other_faults_go_where_they_went_before),       /* forks, so before there are threads */
        cmocka_unit_test(a_null_access_is_an_illegal_address),
        cmocka_unit_test(memory_given_back_is_an_illegal_address),
        cmocka_unit_test(a_trap_fails_the_launch),
        cmocka_unit_test(an_assertion_is_told),
        cmocka_unit_test(a_barrier_that_cannot_complete_ends),
        cmocka_unit_test(a_reset_heals_the_primary_context),
        cmocka_unit_test(events_and_streams_tell_the_fault_too),
    };

    return cmocka_run_group_tests_name("api.fault", tests, NULL, NULL);
}
