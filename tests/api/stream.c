/* stream.c - order within a stream, none between streams, unless asked for. No test depends on how long anything takes: work is
 * held back by gates that the test opens. */
#include "cuda.h.inc"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct gate { sem_t sem; atomic_int passed; };

static void wait_at(void *data)
{
    struct gate *g = data;

    sem_wait(&g->sem);
    atomic_fetch_add(&g->passed, 1);
}

static void gate_init(struct gate *g)
{
    sem_init(&g->sem, 0, 0);
    atomic_init(&g->passed, 0);
}

static void open_gate(void *data)
{
    sem_post(&((struct gate *)data)->sem);
}

static void *open_gate_from_a_thread(void *data)
{
    open_gate(data);
    return NULL;
}

static void set_flag(void *data)
{
    atomic_store((atomic_int *)data, 1);
}

static void work_is_asynchronous_and_in_order(void **state)
{
    struct gate g;
    CUstream s;
    CUdeviceptr p;
    uint32_t *host;

    (void)state;
    gate_init(&g);
    start();
    CU(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
    CU(MemAlloc_v2, &p, 4000);
    CU(MemHostAlloc, (void **)&host, 4000, 0);
    assert_int_equal(CALL(StreamQuery)(s), CUDA_SUCCESS);
    CU(LaunchHostFunc, s, wait_at, &g);
    CU(MemsetD32Async, p, 5, 1000, s);
    CU(MemcpyDtoHAsync_v2, host, p, 4000, s);
    assert_int_equal(CALL(StreamQuery)(s), CUDA_ERROR_NOT_READY);
    assert_int_equal(host[999], 0);
    sem_post(&g.sem);
    CU(StreamSynchronize, s);
    assert_int_equal(CALL(StreamQuery)(s), CUDA_SUCCESS);
    assert_int_equal(host[999], 5);
    CU(MemFreeHost, host);
    CU(StreamDestroy_v2, s);
    stop();
}

static void streams_overlap(void **state)
{
    struct gate g;
    CUstream a, b;

    (void)state;
    gate_init(&g);
    start();
    CU(StreamCreate, &a, 0);
    CU(StreamCreate, &b, 0);
    CU(LaunchHostFunc, a, wait_at, &g);
    CU(LaunchHostFunc, b, open_gate, &g);     /* would never come if b waited for a */
    CU(StreamSynchronize, a);
    CU(StreamSynchronize, b);
    stop();
}

static void kernels_of_two_streams_run_at_once(void **state)
{
    CUmodule m;
    CUfunction spin, poke;
    CUstream a, b;
    CUdeviceptr p;
    void *params[] = { &p };
    uint32_t got[2];

    (void)state;
    start();
    CU(StreamCreate, &a, CU_STREAM_NON_BLOCKING);
    CU(StreamCreate, &b, CU_STREAM_NON_BLOCKING);
    spin = function_of(&m, PTX_HEAD PTX_SPIN PTX_POKE, "spin");
    CU(ModuleGetFunction, &poke, m, "poke");
    CU(MemAlloc_v2, &p, 8);
    CU(MemsetD32_v2, p, 0, 2);
    CU(LaunchKernel, spin, 1, 1, 1, 1, 1, 1, 0, a, params, NULL);
    CU(LaunchKernel, poke, 1, 1, 1, 1, 1, 1, 0, b, params, NULL);
    CU(StreamSynchronize, a);
    CU(MemcpyDtoH_v2, got, p, 8);
    assert_int_equal(got[1], 2);
    stop();
}

static void the_legacy_stream_waits_for_blocking_streams_and_they_for_it(void **state)
{
    struct gate g;
    CUstream blocking, other;
    atomic_int legacy = 0, after = 0, free_one = 0;

    (void)state;
    gate_init(&g);
    start();
    CU(StreamCreate, &blocking, 0);
    CU(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    CU(LaunchHostFunc, blocking, wait_at, &g);
    CU(LaunchHostFunc, NULL, set_flag, &legacy);
    CU(LaunchHostFunc, blocking, set_flag, &after);
    CU(LaunchHostFunc, other, set_flag, &free_one);
    CU(StreamSynchronize, other);
    assert_int_equal(free_one, 1);
    assert_int_equal(legacy, 0);
    assert_int_equal(CALL(StreamQuery)(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
    sem_post(&g.sem);
    CU(StreamSynchronize, NULL);
    assert_int_equal(legacy, 1);
    CU(StreamSynchronize, blocking);
    assert_int_equal(after, 1);
    stop();
}

static void an_event_orders_two_streams(void **state)
{
    struct gate g;
    CUstream a, b;
    CUevent e;
    atomic_int later = 0;

    (void)state;
    gate_init(&g);
    start();
    CU(StreamCreate, &a, CU_STREAM_NON_BLOCKING);
    CU(StreamCreate, &b, CU_STREAM_NON_BLOCKING);
    CU(EventCreate, &e, 0);
    assert_int_equal(CALL(EventQuery)(e), CUDA_SUCCESS);            /* never recorded */
    CU(LaunchHostFunc, a, wait_at, &g);
    CU(EventRecord, e, a);
    CU(StreamWaitEvent, b, e, 0);
    CU(LaunchHostFunc, b, set_flag, &later);
    assert_int_equal(CALL(EventQuery)(e), CUDA_ERROR_NOT_READY);
    assert_int_equal(CALL(StreamQuery)(b), CUDA_ERROR_NOT_READY);
    assert_int_equal(later, 0);
    CU(EventDestroy_v2, e);                                         /* those that wait for it still do */
    sem_post(&g.sem);
    CU(StreamSynchronize, b);
    assert_int_equal(later, 1);
    assert_int_equal(g.passed, 1);
    stop();
}

static void events_measure_time(void **state)
{
    CUevent a, b, untimed;
    float ms = -1;

    (void)state;
    start();
    CU(EventCreate, &a, 0);
    CU(EventCreate, &b, 0);
    CU(EventCreate, &untimed, CU_EVENT_DISABLE_TIMING);
    assert_int_equal(CALL(EventElapsedTime_v2)(&ms, a, b), CUDA_ERROR_INVALID_HANDLE);
    CU(EventRecord, a, NULL);
    CU(EventRecord, b, NULL);
    CU(EventSynchronize, b);
    CU(EventElapsedTime_v2, &ms, a, b);
    assert_true(ms >= 0);
    CU(EventRecord, untimed, NULL);
    CU(CtxSynchronize);
    assert_int_equal(CALL(EventElapsedTime_v2)(&ms, a, untimed), CUDA_ERROR_INVALID_HANDLE);
    CU(EventDestroy_v2, a);
    CU(EventDestroy_v2, b);
    CU(EventDestroy_v2, untimed);
    stop();
}

static void on_callback(CUstream s, CUresult r, void *data)
{
    atomic_store((atomic_int *)data, s && r == CUDA_SUCCESS ? 1 : 2);
}

static void a_destroyed_stream_finishes_its_work(void **state)
{
    struct gate g;
    CUstream s;
    atomic_int called = 0;

    (void)state;
    gate_init(&g);
    start();
    CU(StreamCreate, &s, 0);
    CU(LaunchHostFunc, s, wait_at, &g);
    CU(StreamAddCallback, s, on_callback, &called, 0);
    CU(StreamDestroy_v2, s);
    sem_post(&g.sem);
    CU(CtxSynchronize);
    assert_int_equal(called, 1);
    stop();
}

static void unloading_waits_for_what_runs(void **state)
{
    struct gate g;
    CUmodule m;
    CUfunction f;
    CUstream s;
    CUdeviceptr p;
    uint32_t n = 1, v = 6, got;
    void *params[] = { &p, &n, &v };
    pthread_t opener;

    (void)state;
    gate_init(&g);
    start();
    f = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
    CU(MemAlloc_v2, &p, 4);
    CU(MemsetD32_v2, p, 0, 1);
    CU(LaunchHostFunc, s, wait_at, &g);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
    pthread_create(&opener, NULL, open_gate_from_a_thread, &g);
    CU(ModuleUnload, m);
    assert_int_equal(g.passed, 1);
    CU(MemcpyDtoH_v2, &got, p, 4);
    assert_int_equal(got, 6);
    pthread_join(opener, NULL);
    stop();
}

static void *own_stream(void *data)
{
    CUcontext c = data;
    unsigned long long *id = malloc(sizeof(*id));

    if (CALL(CtxSetCurrent)(c) || AS(StreamGetId, 12000, 2)(NULL, id))
        *id = 0;
    return id;
}

static void each_thread_has_a_default_stream(void **state)
{
    unsigned long long mine, again, legacy;
    CUcontext c = start();
    pthread_t t;
    void *others;

    (void)state;
    assert_int_equal(AS(StreamGetId, 12000, 2)(NULL, &mine), 0);
    CU(StreamGetId, CU_STREAM_PER_THREAD, &again);
    CU(StreamGetId, NULL, &legacy);
    pthread_create(&t, NULL, own_stream, c);
    pthread_join(t, &others);
    assert_true(mine == again && mine != legacy && *(unsigned long long *)others != mine && *(unsigned long long *)others);
    free(others);
    stop();
}

static void *launch_many(void *data)
{
    CUcontext c = data;
    CUmodule m;
    CUfunction f;
    CUstream s;
    CUdeviceptr p;
    uint32_t n = 100, v = 1, got[100] = { 0 };
    void *params[] = { &p, &n, &v };

    if (CALL(CtxSetCurrent)(c) || CALL(ModuleLoadData)(&m, PTX_HEAD PTX_ADD) || CALL(ModuleGetFunction)(&f, m, "add")
        || CALL(StreamCreate)(&s, CU_STREAM_NON_BLOCKING) || CALL(MemAlloc_v2)(&p, 400)
        || CALL(MemsetD32_v2)(p, 0, 100))
        return "setup";
    for (int i = 0; i < 300; i++)
        if (CALL(LaunchKernel)(f, 4, 1, 1, 32, 1, 1, 0, s, params, NULL))
            return "launch";
    if (CALL(StreamSynchronize)(s) || CALL(MemcpyDtoH_v2)(got, p, 400) || got[0] != 300 || got[99] != 300)
        return "result";
    return CALL(ModuleUnload)(m) || CALL(StreamDestroy_v2)(s) || CALL(MemFree_v2)(p) ? "end" : NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t t[8];
    void *complaint;
    CUcontext c = start();

    (void)state;
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, launch_many, c);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], &complaint);
        if (complaint)
            fail_msg("%s", (const char *)complaint);
    }
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_asynchronous_and_in_order),
        cmocka_unit_test(streams_overlap),
        cmocka_unit_test(kernels_of_two_streams_run_at_once),
        cmocka_unit_test(the_legacy_stream_waits_for_blocking_streams_and_they_for_it),
        cmocka_unit_test(an_event_orders_two_streams),
        cmocka_unit_test(events_measure_time),
        cmocka_unit_test(a_destroyed_stream_finishes_its_work),
        cmocka_unit_test(unloading_waits_for_what_runs),
        cmocka_unit_test(each_thread_has_a_default_stream),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests_name("api.stream", tests, NULL, NULL);
}
