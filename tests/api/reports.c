/* reports.c - what softcuda tells a person: faults, kernels that do not end, leaks, the timeline. Each in a process of its own, whose
 * settings and stderr are the test's. */
#include "cuda.h.inc"
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static char told[1 << 16];              /* stderr of the last child */

static void in_a_child(void (*test)(void), const char *name, const char *value)
{
    ssize_t n, all = 0;
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (name)
            setenv(name, value, 1);
        test();
        exit(0);                        /* with everything that is due at the end of a process */
    }
    close(ends[1]);
    while ((n = read(ends[0], told + all, sizeof(told) - 1 - (size_t)all)) > 0)
        all += n;
    told[all] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("the child failed: %s", told);
}

static void says(const char *text)
{
    if (!strstr(told, text))
        fail_msg("\"%s\" is not in: %s", text, told);
}

static void fault_at(uint64_t offset, CUresult wanted)
{
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    uint32_t n = 64, v = 1;
    void *params[] = { &p, &n, &v };

    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, 256);
    p += offset;
    CU(LaunchKernel, f, 2, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), wanted);
}

static void behind_the_end(void)
{
    fault_at((uint64_t)1 << 20, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void misaligned(void)
{
    fault_at(2, CUDA_ERROR_MISALIGNED_ADDRESS);
}

static void on_the_host(void)
{
    static uint32_t mine[64];
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)mine;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    start();
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(mine[0], 0);
}

static void a_fault_is_told_in_one_line(void **state)
{
    (void)state;
    in_a_child(behind_the_end, NULL, NULL);
    says("softcuda: kernel add: illegal address 0x");
    says("the nearest allocation, 0x");
    says("of 256 bytes, ends ");
    assert_ptr_equal(strchr(told, '\n'), strrchr(told, '\n'));
    in_a_child(misaligned, NULL, NULL);
    says("softcuda: kernel add: misaligned address 0x");
    in_a_child(on_the_host, NULL, NULL);
    says("host memory must be allocated or registered");
    in_a_child(behind_the_end, "SOFTCUDA_QUIET", "1");
    assert_string_equal(told, "");
}

/* What a program that asks the driver's log gets. */
static void ask_the_log(void)
{
    char log[2048], small[64];
    size_t size = sizeof(log);
    CUlogIterator from;

    start();
    assert_int_equal(AS(LogsCurrent, 12090, 0)(&from, 0), CUDA_SUCCESS);
    assert_int_equal(AS(LogsDumpToMemory, 12090, 0)(NULL, log, &size, 0), CUDA_SUCCESS);
    assert_int_equal(size, 0);
    behind_the_end();
    size = sizeof(log);
    assert_int_equal(AS(LogsDumpToMemory, 12090, 0)(&from, log, &size, 0), CUDA_SUCCESS);
    assert_int_equal(size, strlen(log));
    assert_non_null(strstr(log, "softcuda: kernel add: illegal address 0x"));
    assert_ptr_equal(strchr(log, '\n'), log + size - 1);
    size = sizeof(log);
    assert_int_equal(AS(LogsDumpToMemory, 12090, 0)(&from, log, &size, 0), CUDA_SUCCESS);     /* the iterator has gone on */
    assert_int_equal(size, 0);
    size = sizeof(small);
    assert_int_equal(AS(LogsDumpToMemory, 12090, 0)(NULL, small, &size, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(size, 0);
    size = sizeof(log);
    assert_int_equal(AS(LogsDumpToMemory, 12090, 0)(NULL, log, &size, 1), CUDA_ERROR_INVALID_VALUE);
}

static void a_fault_is_in_the_drivers_log(void **state)
{
    (void)state;
    in_a_child(ask_the_log, "SOFTCUDA_QUIET", "1");
    assert_string_equal(told, "");
}

/* A file that nvcc -lineinfo has made says where. */
#define PTX_LINES PTX_HEAD \
    ".visible .entry poke(.param .u64 p)\n{\n.reg .b32 %r; .reg .b64 %d;\n" \
    ".loc 1 10 5\nld.param.u64 %d, [p]; mov.u32 %r, 1;\n.loc 1 12 9\nst.global.u32 [%d], %r;\n.loc 1 13 1\nret;\n}\n" \
    ".file 1 \"/home/me/poke.cu\"\n"

static void poke_nowhere(void)
{
    CUdeviceptr p = 0;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    start();
    f = function_of(&m, PTX_LINES, "poke");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void poke_another_device(void)
{
    CUcontext other, mine;
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    CU(Init, 0);
    CU(DevicePrimaryCtxRetain, &other, 1);
    CU(CtxSetCurrent, other);
    CU(MemAlloc_v2, &p, 64);
    CU(DevicePrimaryCtxRetain, &mine, 0);
    CU(CtxSetCurrent, mine);
    f = function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void a_fault_is_told_with_its_place(void **state)
{
    (void)state;
    in_a_child(poke_nowhere, NULL, NULL);
    says("kernel poke: illegal address 0x0 (4 bytes), block (0,0,0), thread (0,0,0), at /home/me/poke.cu:12");
    says("a null pointer?");
    in_a_child(poke_another_device, "SOFTCUDA_DEVICES", "2");
    says("of device 1, which this context has no access to");
}

/* What libcudart does first. */
static void ask_for_tables(void)
{
    CUresult (*get)(const void **, const CUuuid *);
    const void *table;
    CUuuid id = { { 0x6b } };

    open_library();
    *(void **)&get = dlsym(library, "cuGetExportTable");
    assert_int_equal(get(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(get(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
}

static void a_program_on_the_runtime_library_is_told_once(void **state)
{
    (void)state;
    in_a_child(ask_for_tables, NULL, NULL);
    says("NVIDIA's runtime library (libcudart)");
    says("cannot run on it\n");
    assert_ptr_equal(strchr(told, '\n'), strrchr(told, '\n'));
}

/* forever(): a loop without calls; wait(): one that waits for its block's other warp, which never comes */
#define PTX_FOREVER PTX_HEAD \
    ".visible .entry forever(.param .u64 p)\n{\n.reg .b64 %d; .reg .b32 %r;\nld.param.u64 %d, [p];\n" \
    "L: st.global.u32 [%d], %r; add.u32 %r, %r, 1; bra L;\nret;\n}\n" \
    ".visible .entry still()\n{\n.reg .b32 %r;\nL: nanosleep.u32 1000; bra L;\nret;\n}\n"

static void run_for_ever(void)
{
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    start();
    f = function_of(&m, PTX_FOREVER, "forever");
    CU(MemAlloc_v2, &p, 4);
    CU(LaunchKernel, f, 8, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void sleep_for_ever(void)
{
    CUmodule m;
    CUfunction f;

    start();
    f = function_of(&m, PTX_FOREVER, "still");
    CU(LaunchKernel, f, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void spin_for_ever(void)
{
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    void *params[] = { &p };

    start();
    f = function_of(&m, PTX_HEAD PTX_SPIN, "spin");
    CU(MemAlloc_v2, &p, 8);
    CU(MemsetD32_v2, p, 0, 2);
    CU(LaunchKernel, f, 4, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void a_kernel_without_end_is_ended(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();                             /* the thread sanitizer keeps signals back until a thread calls something */
#endif
    in_a_child(run_for_ever, "SOFTCUDA_TIMEOUT", "0.05");
    says("softcuda: kernel forever: out of time");
    in_a_child(sleep_for_ever, "SOFTCUDA_TIMEOUT", "0.05");
    in_a_child(spin_for_ever, "SOFTCUDA_TIMEOUT", "0.05");
}

static void leave_things(void)
{
    CUcontext c;
    CUdeviceptr p, q;
    CUlibrary l;
    CUmodule m;
    CUstream s;
    CUevent e;
    void *host;

    CU(Init, 0);
    create_context(&c);
    CU(MemAlloc_v2, &p, 12345);
    CU(MemAlloc_v2, &q, 777);
    CU(MemFree_v2, q);
    CU(MemHostAlloc, &host, 4321, 0);
    CU(StreamCreate, &s, 0);
    CU(EventCreate, &e, 0);
    CU(MemAllocAsync, &q, 999, s);
    function_of(&m, PTX_HEAD PTX_POKE, "poke");
    CU(CtxDestroy_v2, c);
    start();
    CU(MemAlloc_v2, &p, 54321);         /* told at the end */
    CU(LibraryLoadData, &l, PTX_HEAD PTX_ADD, NULL, NULL, 0, NULL, NULL, 0);
}

static void leave_memory_of_a_graph(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS a = {
        .props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } }, .bytes = 2345 };
    CUgraphNode n;
    CUgraphExec e;
    CUgraph g;

    start();
    CU(GraphCreate, &g, 0);
    CU(GraphAddMemAllocNode, &n, g, NULL, 0, &a);
    CU(GraphInstantiateWithFlags, &e, g, 0);
    CU(GraphLaunch, e, NULL);
    CU(GraphExecDestroy, e);
    CU(GraphDestroy, g);
    stop();
}

static void leave_nothing(void)
{
    CUdeviceptr p;
    CUstream s;

    start();
    CU(StreamCreate, &s, 0);
    CU(MemAllocAsync, &p, 999, s);
    CU(MemFreeAsync, p, s);
    CU(StreamDestroy_v2, s);
    stop();
}

static void leaks_are_listed(void **state)
{
    (void)state;
    in_a_child(leave_things, "SOFTCUDA_LEAKS", "1");
    says("leak: device memory: 12345 bytes");
    says("leak: page-locked host memory: 4321 bytes");
    says("leak: memory of a pool: 999 bytes");
    says("leak: stream 0x");
    says("leak: event 0x");
    says("leak: module with 1 kernel (poke)");
    says("leak: device memory: 54321 bytes");
    says("leak: library with 1 kernel (add)");
    assert_null(strstr(told, "777"));
    in_a_child(leave_memory_of_a_graph, "SOFTCUDA_LEAKS", "1");
    says("leak: memory of a graph: 2345 bytes");
    in_a_child(leave_nothing, "SOFTCUDA_LEAKS", "1");
    assert_string_equal(told, "");
    in_a_child(leave_things, NULL, NULL);
    assert_string_equal(told, "");
}

static void do_things(void)
{
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    uint32_t n = 64, v = 1, got[64];
    void *params[] = { &p, &n, &v };

    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &p, 256);
    CU(MemsetD32_v2, p, 0, 64);
    CU(LaunchKernel, f, 2, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, got, p, 256);
    stop();
}

static void the_timeline_names_everything(void **state)
{
    static const char *const wanted[] = { "\"name\":\"load\"", "\"name\":\"compile\",\"args\":{\"of\":\"add\"}",
        "\"name\":\"set\",\"args\":{\"bytes\":256", "\"name\":\"add\",\"args\":{\"grid\":[2,1,1],\"block\":[32,1,1]",
        "\"name\":\"copy DtoH\",\"args\":{\"bytes\":256,\"GB/s\"" };
    char name[] = "/tmp/softcuda-trace-XXXXXX", *text = calloc(1, 1 << 16);
    int fd = mkstemp(name);
    size_t n;
    FILE *f;

    (void)state;
    close(fd);
    in_a_child(do_things, "SOFTCUDA_TRACE", name);
    f = fopen(name, "r");
    n = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    unlink(name);
    for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        if (!strstr(text, wanted[i]))
            fail_msg("%s is not in: %s", wanted[i], text);
    assert_true(text[0] == '[' && !strcmp(text + n - 3, "\n]\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_is_told_in_one_line),
        cmocka_unit_test(a_fault_is_in_the_drivers_log),
        cmocka_unit_test(a_fault_is_told_with_its_place),
        cmocka_unit_test(a_program_on_the_runtime_library_is_told_once),
        cmocka_unit_test(a_kernel_without_end_is_ended),
        cmocka_unit_test(leaks_are_listed),
        cmocka_unit_test(the_timeline_names_everything),
    };

    return cmocka_run_group_tests_name("api.reports", tests, NULL, NULL);
}
