/* hazards.c - what is hard on a GPU is as hard here. No test depends on how long anything takes: kernels run until the test lets
 * them go, and what must wait for them is seen to wait by what it finds done when it returns. */
#include "cuda.h.inc"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* A kernel that runs until *gate is set; behind it, a host function that says so. */
struct running { CUstream stream; uint32_t *gate; atomic_int done; CUmodule module; };

static void set_done(void *data)
{
    atomic_store(&((struct running *)data)->done, 1);
}

static void begin(struct running *r)
{
    CUdeviceptr p;
    void *params[] = { &p };
    CUfunction f = function_of(&r->module, PTX_HEAD PTX_SPIN, "spin");

    CU(MemHostAlloc, (void **)&r->gate, 8, 0);
    r->gate[0] = 0;
    p = (CUdeviceptr)(uintptr_t)r->gate;
    atomic_store(&r->done, 0);
    CU(StreamCreate, &r->stream, CU_STREAM_NON_BLOCKING);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, r->stream, params, NULL);
    CU(LaunchHostFunc, r->stream, set_done, r);
}

static void *let_go(void *data)
{
    struct running *r = data;

    usleep(2000);
    __atomic_store_n(&r->gate[0], 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *end_later(struct running *r)
{
    pthread_t *t = malloc(sizeof(*t));

    pthread_create(t, NULL, let_go, r);
    return t;
}

static void finish(struct running *r, void *thread)
{
    pthread_join(*(pthread_t *)thread, NULL);
    free(thread);
    CU(StreamSynchronize, r->stream);
    CU(StreamDestroy_v2, r->stream);
    CU(MemFreeHost, r->gate);
}

#define PTX_TWO PTX_HEAD ".visible .entry one()\n{\nret;\n}\n.visible .entry two()\n{\nret;\n}\n"

static CUkernel kernel_of(CUlibrary *l, const char *name)
{
    CUkernel k;

    CU(LibraryLoadData, l, PTX_TWO, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, *l, name);
    return k;
}

static void loading_waits_for_nothing(void **state)
{
    struct running r;
    CUlibrary l;
    CUkernel k;
    int regs;

    (void)state;
    start();
    begin(&r);
    k = kernel_of(&l, "one");                       /* would hang if it waited */
    CU(KernelGetAttribute, &regs, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0);
    CU(LibraryUnload, l);                           /* never was resident */
    assert_int_equal(r.done, 0);
    finish(&r, end_later(&r));
    stop();
}

static void becoming_resident_waits_for_what_runs(void **state)
{
    CUfunction f;

    (void)state;
    for (int how = 0; how < 3; how++) {
        struct running r;
        CUlibrary l;
        CUkernel k;
        void *t;

        start();
        k = kernel_of(&l, "one");
        begin(&r);
        t = end_later(&r);
        if (how == 0)
            CU(KernelGetFunction, &f, k);
        else if (how == 1)
            CU(LaunchKernel, (CUfunction)(void *)k, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL);
        else
            CU(KernelSetAttribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, k, 0);
        assert_int_equal(r.done, 1);
        finish(&r, t);
        CU(LibraryUnload, l);
        stop();
    }
}

static void a_second_kernel_of_a_resident_library_is_free(void **state)
{
    struct running r;
    CUlibrary l;
    CUkernel one, two;
    CUfunction f;

    (void)state;
    start();
    one = kernel_of(&l, "one");
    CU(LibraryGetKernel, &two, l, "two");
    CU(KernelGetFunction, &f, one);
    begin(&r);
    CU(KernelGetFunction, &f, two);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL);
    CU(StreamSynchronize, CU_STREAM_PER_THREAD);
    assert_int_equal(r.done, 0);
    finish(&r, end_later(&r));
    CU(LibraryUnload, l);
    stop();
}

static void modules_wait_when_they_come_and_when_they_go(void **state)
{
    struct running r;
    CUmodule m;
    void *t;

    (void)state;
    start();
    begin(&r);
    t = end_later(&r);
    CU(ModuleLoadData, &m, PTX_TWO);
    assert_int_equal(r.done, 1);
    finish(&r, t);
    begin(&r);
    t = end_later(&r);
    CU(ModuleUnload, m);
    assert_int_equal(r.done, 1);
    finish(&r, t);
    stop();
}

static void unloading_what_is_resident_waits(void **state)
{
    struct running r;
    CUlibrary l;
    CUfunction f;
    void *t;

    (void)state;
    start();
    CU(KernelGetFunction, &f, kernel_of(&l, "one"));
    begin(&r);
    t = end_later(&r);
    CU(LibraryUnload, l);
    assert_int_equal(r.done, 1);
    finish(&r, t);
    stop();
}

struct bystander { CUcontext context; CUfunction f; struct running *running; atomic_int asked, saw; };

static void *make_resident(void *data)
{
    struct bystander *b = data;
    CUlibrary l;
    CUfunction f;
    CUkernel k;

    CU(CtxSetCurrent, b->context);
    k = kernel_of(&l, "one");
    atomic_store(&b->asked, 1);
    CU(KernelGetFunction, &f, k);
    return NULL;
}

/* The first launches may come before the hold; sooner or later one is held up until the running kernel has ended. */
static void launches_of_every_thread_are_held_up(void **state)
{
    struct running r;
    struct bystander b = { .context = start(), .running = &r };
    CUmodule m;
    pthread_t t;
    void *ender;

    (void)state;
    b.f = function_of(&m, PTX_TWO, "two");
    begin(&r);
    pthread_create(&t, NULL, make_resident, &b);
    while (!atomic_load(&b.asked))
        ;
    ender = end_later(&r);
    while (!r.done)
        CU(LaunchKernel, b.f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL);
    pthread_join(t, NULL);
    finish(&r, ender);
    CU(CtxSynchronize);
    stop();
}

static void handles_whose_object_is_gone_are_told(void **state)
{
    CUlibrary l, l2;
    CUmodule m;
    CUfunction f, g;
    CUkernel k;
    CUstream s;
    CUevent e;
    const char *name;

    (void)state;
    start();
    k = kernel_of(&l, "one");
    CU(KernelGetFunction, &f, k);
    CU(LibraryUnload, l);
    g = function_of(&m, PTX_TWO, "one");
    CU(ModuleUnload, m);
    assert_int_equal(CALL(LaunchKernel)(g, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(LaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(LaunchKernel)((CUfunction)(void *)k, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(ModuleGetFunction)(&g, m, "one"), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(ModuleUnload)(m), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(LibraryUnload)(l), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(AS(KernelGetName, 12030, 0)(&name, k), CUDA_ERROR_INVALID_HANDLE);
    CU(StreamCreate, &s, 0);
    CU(EventCreate, &e, 0);
    CU(StreamDestroy_v2, s);
    CU(EventDestroy_v2, e);
    assert_int_equal(CALL(StreamQuery)(s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(StreamDestroy_v2)(s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(CALL(EventQuery)(e), CUDA_ERROR_INVALID_HANDLE);
    CU(LibraryLoadData, &l2, PTX_TWO, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryUnload, l2);
    stop();
}

static void the_handle_of_a_destroyed_stream_comes_back(void **state)
{
    CUstream a, b;

    (void)state;
    start();
    CU(StreamCreate, &a, 0);
    CU(StreamDestroy_v2, a);
    CU(StreamCreate, &b, 0);
    assert_ptr_equal(a, b);
    CU(StreamDestroy_v2, b);
    stop();
}

static void call_the_driver(void *data)
{
    size_t left, total;

    *(CUresult *)data = CALL(MemGetInfo_v2)(&left, &total);
}

static void host_functions_may_not_call_the_driver(void **state)
{
    CUresult r = CUDA_SUCCESS;

    (void)state;
    start();
    CU(LaunchHostFunc, NULL, call_the_driver, &r);
    CU(CtxSynchronize);
    assert_int_equal(r, CUDA_ERROR_NOT_PERMITTED);
    stop();
}

static void eagerly(void)
{
    struct running r;
    CUmoduleLoadingMode mode;
    CUlibrary l;
    CUfunction f;
    CUkernel k;
    void *t;

    start();
    assert_int_equal(AS(ModuleGetLoadingMode, 11070, 0)(&mode), CUDA_SUCCESS);
    assert_int_equal(mode, CU_MODULE_EAGER_LOADING);
    begin(&r);
    t = end_later(&r);
    k = kernel_of(&l, "one");
    assert_int_equal(r.done, 1);
    finish(&r, t);
    begin(&r);
    CU(KernelGetFunction, &f, k);
    assert_int_equal(r.done, 0);
    finish(&r, end_later(&r));
    CU(LibraryUnload, l);
    stop();
}

static void without_hazards(void)
{
    struct running r;
    CUlibrary l;
    CUfunction f;

    start();
    begin(&r);
    CU(KernelGetFunction, &f, kernel_of(&l, "one"));
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL);
    CU(StreamSynchronize, CU_STREAM_PER_THREAD);
    assert_int_equal(r.done, 0);
    finish(&r, end_later(&r));
    CU(LibraryUnload, l);
    stop();
}

/* Settings are read once a process. */
static void in_a_child(const char *name, const char *value, void (*test)(void))
{
    int status;
    pid_t child = fork();

    if (!child) {
        setenv(name, value, 1);
        test();
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void eager_loading_waits_at_the_load(void **state)
{
    (void)state;
    in_a_child("CUDA_MODULE_LOADING", "EAGER", eagerly);
}

static void hazards_can_be_switched_off(void **state)
{
    (void)state;
    in_a_child("SOFTCUDA_HAZARDS", "off", without_hazards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eager_loading_waits_at_the_load),      /* these two fork, so before there are threads */
        cmocka_unit_test(hazards_can_be_switched_off),
        cmocka_unit_test(loading_waits_for_nothing),
        cmocka_unit_test(becoming_resident_waits_for_what_runs),
        cmocka_unit_test(a_second_kernel_of_a_resident_library_is_free),
        cmocka_unit_test(modules_wait_when_they_come_and_when_they_go),
        cmocka_unit_test(unloading_what_is_resident_waits),
        cmocka_unit_test(launches_of_every_thread_are_held_up),
        cmocka_unit_test(handles_whose_object_is_gone_are_told),
        cmocka_unit_test(the_handle_of_a_destroyed_stream_comes_back),
        cmocka_unit_test(host_functions_may_not_call_the_driver),
    };

    return cmocka_run_group_tests_name("api.hazards", tests, NULL, NULL);
}
