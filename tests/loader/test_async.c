/* Loads and replaces in threads of the loader's. The alarm ends what waits for ever. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char one[] = HEAD ".visible .entry a() { ret; }\n", two[] = HEAD "// two\n.visible .entry a() { ret; }\n";

static void a_load_gives_a_library_once(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib, *again = NULL;
    char text[sizeof(one)];
    gpudl_task *task;

    (void)state;
    memcpy(text, one, sizeof(one));
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(text, strlen(one)), NULL, NULL, &task));
    memset(text, 'x', sizeof(text)); /* the task has its own copy */
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    assert_true(gpudl_task_ended(task));
    assert_ok(gpudl_task_library(task, &lib));
    assert_int_equal(gpudl_library_kernel_count(lib), 1);
    assert_fails(gpudl_task_library(task, &again), GPUDL_ERROR_ARGUMENT, "already");
    assert_null(again);
    gpudl_task_release(task);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_library_that_nobody_takes_is_released(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_task *task;

    (void)state;
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, NULL, &task));
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    gpudl_task_release(task);
    assert_int_equal(nulldrv_alive("library"), 0);
    harness_close(l);
}

static void the_error_comes_with_the_task(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = NULL;
    gpudl_task *task;

    (void)state;
    assert_ok(gpudl_library_load_async(l, GPUDL_FILE("/nowhere/k.fatbin"), NULL, NULL, &task));
    while (!gpudl_task_ended(task))
        usleep(100);
    assert_fails(gpudl_loader_open(NULL, NULL), GPUDL_ERROR_ARGUMENT, "out is NULL");
    assert_fails(gpudl_task_wait(task, 0), GPUDL_ERROR_FILE_MISSING, "/nowhere/k.fatbin");
    assert_fails(gpudl_task_library(task, &lib), GPUDL_ERROR_FILE_MISSING, "/nowhere/k.fatbin");
    gpudl_task_release(task);
    harness_close(l);
}

static void wrong_arguments_are_told_at_once(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_task *task;

    (void)state;
    assert_fails(gpudl_library_load_async(l, NULL, NULL, NULL, &task), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_library_load_async(l, GPUDL_MEMORY(one, 3), NULL, NULL, NULL), GPUDL_ERROR_ARGUMENT, "out is NULL");
    load.fma = 9;
    assert_fails(gpudl_library_load_async(l, GPUDL_MEMORY(one, 3), &load, NULL, &task), GPUDL_ERROR_ARGUMENT, "fma");
    o.flags = 4;
    assert_fails(gpudl_library_load_async(l, GPUDL_MEMORY(one, 3), NULL, &o, &task), GPUDL_ERROR_TOO_NEW, "flags");
    o.flags = 0;
    o.ndevices = 1;
    assert_fails(gpudl_library_load_async(l, GPUDL_MEMORY(one, 3), NULL, &o, &task), GPUDL_ERROR_ARGUMENT, "devices");
    assert_fails(gpudl_library_replace_async(NULL, GPUDL_MEMORY(one, 3), NULL, NULL, &task), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_task_wait(NULL, 0), GPUDL_ERROR_ARGUMENT, "NULL");
    gpudl_task_release(NULL);
    gpudl_task_cancel(NULL);
    harness_close(l);
}

static void it_begins_when_a_streams_work_is_done(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_task *task;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    o.flags = GPUDL_ASYNC_AFTER_STREAM | GPUDL_ASYNC_RESIDENT;
    nulldrv_set_busy(1);
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &task));
    assert_fails(gpudl_task_wait(task, 5000000), GPUDL_ERROR_TIMEOUT, "goes on");
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 0);
    nulldrv_set_busy(0);
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 1);
    gpudl_task_release(task);
    assert_int_equal(nulldrv_alive("event"), 0);
    assert_int_equal(gpudl_loader_driver(l)->StreamCreate(&o.stream, 0), 0);
    nulldrv_capture(o.stream);
    assert_fails(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &task), GPUDL_ERROR_ARGUMENT, "captured");
    gpudl_loader_driver(l)->StreamDestroy(o.stream);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

static void count(void *user, gpudl_task *task)
{
    assert_true(gpudl_task_ended(task));
    atomic_fetch_add((atomic_int *)user, 1);
}

/* Of three: one that waits for a stream, one that waits for a moment, one that has no thread yet. */
static void a_cancelled_task_ends(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_async_options o[3] = { GPUDL_ASYNC_OPTIONS_INIT, GPUDL_ASYNC_OPTIONS_INIT, GPUDL_ASYNC_OPTIONS_INIT };
    atomic_int told = 0;
    gpudl_task *tasks[3];
    gpudl_loader *l;

    (void)state;
    options.workers = 2;
    l = harness_open_with(options);
    assert_ok(gpudl_loader_use_device(l, 0));
    nulldrv_set_busy(1);
    o[0].flags = GPUDL_ASYNC_AFTER_STREAM;
    o[1].flags = GPUDL_ASYNC_RESIDENT;
    o[1].when = gpudl_when_idle(UINT64_MAX);
    for (int i = 0; i < 3; i++) {
        o[i].done = count;
        o[i].user = &told;
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o[i], &tasks[i]));
    }
    usleep(2000);
    for (int i = 2; i >= 0; i--) {
        assert_fails(gpudl_task_wait(tasks[i], 0), GPUDL_ERROR_TIMEOUT, "goes on");
        gpudl_task_cancel(tasks[i]);
        assert_fails(gpudl_task_wait(tasks[i], UINT64_MAX), GPUDL_ERROR_CANCELLED, "cancelled");
        gpudl_task_cancel(tasks[i]); /* nothing to do */
        gpudl_task_release(tasks[i]);
    }
    while (atomic_load(&told) < 3)
        usleep(100);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

static void a_released_task_goes_on_alone(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    atomic_int told = 0;
    gpudl_task *task;

    (void)state;
    o.done = count;
    o.user = &told;
    for (int i = 0; i < 50; i++) {
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &task));
        gpudl_task_release(task);
    }
    while (atomic_load(&told) < 50)
        usleep(100);
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, NULL, &task));
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    gpudl_task_release(task);
    harness_close(l);
}

static void a_replace_in_another_thread_turns_the_library(void **state)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib, *none = NULL;
    gpudl_task *task;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), NULL, &lib));
    o.when = gpudl_when_idle(UINT64_MAX);
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(two, strlen(two)), &o, NULL, &task));
    while (!gpudl_task_ended(task))
        assert_ok(gpudl_loader_reap(l, 0, NULL));
    assert_ok(gpudl_task_wait(task, 0));
    assert_fails(gpudl_task_library(task, &none), GPUDL_ERROR_ARGUMENT, "is a replace");
    assert_int_equal(gpudl_library_generation(lib), 1);
    gpudl_task_release(task);
    gpudl_library_release(lib);
    harness_close(l);
}

/* A thread that has been told of one task does not count for the next: another is started. */
static void a_task_that_waits_keeps_no_other_waiting(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_task *first, *waits, *next;
    gpudl_loader *l;

    (void)state;
    o.flags = GPUDL_ASYNC_RESIDENT;
    o.when = gpudl_when_idle(UINT64_MAX);
    for (int i = 0; i < 20; i++) {
        l = harness_open(); /* two threads at most */
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, NULL, &first));
        assert_ok(gpudl_task_wait(first, UINT64_MAX));
        usleep(1000); /* its thread is idle */
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &waits));
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(two, strlen(two)), NULL, NULL, &next));
        assert_ok(gpudl_task_wait(next, UINT64_MAX));
        gpudl_task_release(first);
        gpudl_task_release(next);
        gpudl_task_release(waits);
        harness_close(l);
    }
}

/* Of two replaces of one library the second waits for the first, which nobody names a moment for. */
static void a_replace_that_waits_for_another_is_cancelled(void **state)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_task *first, *second;
    gpudl_library *lib;
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_loader_use_device(l, 0));
    gpudl_loader_driver(l)->CtxSetCurrent(NULL); /* there is a context, where the code is to be resident */
    o.when = gpudl_when_idle(UINT64_MAX);
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(two, strlen(two)), &o, NULL, &first));
    while (nulldrv_calls("cuLibraryLoadData") < 2)
        usleep(200);
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(one, strlen(one)), &o, NULL, &second));
    usleep(20000);
    gpudl_task_cancel(second);
    assert_fails(gpudl_task_wait(second, UINT64_MAX), GPUDL_ERROR_CANCELLED, "cancelled");
    gpudl_task_release(second);
    gpudl_task_release(first);
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static gpudl_task *replace_when_idle(gpudl_library *lib, const char *text)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_task *task;

    o.when = gpudl_when_idle(UINT64_MAX);
    o.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(text, strlen(text)), &o, NULL, &task));
    return task;
}

/* The moments that two tasks wait for would be for this thread to name, which waits behind the first of them. */
static void hurry_others(gpudl_when when, int rolls_back)
{
    static const char three[] = HEAD "// three\n.visible .entry a() { ret; }\n",
                      four[] = HEAD "// 4\n.visible .entry a() { ret; }\n";
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_task *first, *second;
    unsigned long loads;
    gpudl_library *lib;
    gpudl_kernel *a;

    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_loader_use_device(l, 0));
    gpudl_loader_driver(l)->CtxSetCurrent(NULL); /* there is a context, where the code is to be resident */
    loads = nulldrv_calls("cuLibraryLoadData");
    first = replace_when_idle(lib, two);
    while (nulldrv_calls("cuLibraryLoadData") == loads)
        usleep(200);
    second = replace_when_idle(lib, three);
    o.when = gpudl_when_idle(1000000);
    assert_fails(gpudl_library_replace(lib, GPUDL_MEMORY(four, strlen(four)), &o), GPUDL_ERROR_TIMEOUT, "another replace");
    assert_int_equal(gpudl_library_generation(lib), 0);
    o.when = when;
    if (rolls_back)
        assert_ok(gpudl_library_rollback(lib));
    else
        assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(four, strlen(four)), &o));
    assert_ok(gpudl_task_wait(first, UINT64_MAX));
    while (!gpudl_task_ended(second)) /* it may have been behind this one */
        assert_ok(gpudl_loader_reap(l, 0, NULL));
    assert_ok(gpudl_task_wait(second, 0));
    assert_int_equal(gpudl_library_generation(lib), 3);
    gpudl_task_release(first);
    gpudl_task_release(second);
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static void what_is_to_be_replaced_now_does_not_wait_for_the_moments_of_others(void **state)
{
    (void)state;
    hurry_others(gpudl_now(), 0);
    hurry_others(gpudl_by(1000000), 0);
    hurry_others(gpudl_now(), 1);
}

static gpudl_status scenario(gpudl_loader *l, void *user)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_library *lib = NULL;
    gpudl_task *task;
    gpudl_status status;

    (void)user;
    o.flags = GPUDL_ASYNC_RESIDENT;
    status = gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &task);
    if (status != GPUDL_OK)
        return status;
    status = gpudl_task_wait(task, UINT64_MAX);
    if (status == GPUDL_OK)
        status = gpudl_task_library(task, &lib);
    gpudl_library_release(lib);
    gpudl_task_release(task);
    return status;
}

static void whatever_fails_nothing_is_lost(void **state)
{
    (void)state;
    harness_fail_allocations(scenario, NULL);
    nulldrv_reset();
    harness_fail_driver_calls(719, scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_load_gives_a_library_once),
        TEST(a_library_that_nobody_takes_is_released),
        TEST(the_error_comes_with_the_task),
        TEST(wrong_arguments_are_told_at_once),
        TEST(it_begins_when_a_streams_work_is_done),
        TEST(a_cancelled_task_ends),
        TEST(a_released_task_goes_on_alone),
        TEST(a_task_that_waits_keeps_no_other_waiting),
        TEST(a_replace_in_another_thread_turns_the_library),
        TEST(a_replace_that_waits_for_another_is_cancelled),
        TEST(what_is_to_be_replaced_now_does_not_wait_for_the_moments_of_others),
        TEST(whatever_fails_nothing_is_lost),
    };

    alarm(60);
    return cmocka_run_group_tests_name("async", tests, NULL, NULL);
}
