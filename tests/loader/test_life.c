/* Warm and retired versions, moments, residency, captures. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/loader/common.h"

enum { MOMENT = 20 * 1000 * 1000, LONG = 2000000000 }; /* ns */

static gpudl_loader_stats stats_of(gpudl_loader *l)
{
    gpudl_loader_stats s = { .size_of_struct = sizeof(s) };

    assert_ok(gpudl_loader_statistics(l, &s));
    return s;
}

static gpudl_library *load(gpudl_loader *l, const gpudl_source *source)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(l, source, NULL, &lib));
    return lib;
}

/* A device has it then, as far as anyone knows. */
static void touch(gpudl_library *lib)
{
    gpudl_kernel *k;

    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    gpudl_kernel_release(k);
}

static void warm_code_is_found_again(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_loader_stats s;

    (void)state;
    for (int i = 0; i < 3; i++)
        gpudl_library_release(load(l, DATA_SOURCE(names_ptx)));
    s = stats_of(l);
    assert_int_equal(nulldrv_calls("cuLibraryLoadData"), 1);
    assert_int_equal(s.loads, 1);
    assert_int_equal(s.warm_hits, 2);
    assert_int_equal(s.warm, 1);
    assert_true(s.warm_bytes > 0);
    assert_int_equal(s.held, 0);
    harness_close(l);
}

/* A PTX of so many bytes with one kernel. */
static char *make_text(const char *kernel, size_t size)
{
    char *text = malloc(size + 1);

    assert_non_null(text);
    memset(text, ' ', size);
    text[size] = '\0';
    text[snprintf(text, size, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry %s() { ret; }\n", kernel)] = ' ';
    return text;
}

static void memory_that_is_loaded_already_is_not_copied(void **state)
{
    enum { SIZE = 100000 };
    char *text = make_text("a", SIZE);
    gpudl_loader *l = harness_open();
    gpudl_library *held;

    (void)state;
    gpudl_library_release(load(l, GPUDL_MEMORY(text, SIZE)));
    assert_true(harness_largest_block() >= SIZE);
    held = load(l, GPUDL_MEMORY(text, SIZE));
    gpudl_library_release(load(l, GPUDL_MEMORY(text, SIZE)));
    assert_true(harness_largest_block() < SIZE);
    assert_int_equal(stats_of(l).warm_hits, 1);
    assert_int_equal(stats_of(l).shared, 1);
    memset(text, ' ', SIZE); /* is the caller's: what was loaded does not mind */
    free(text);
    assert_string_equal(gpudl_library_kernel_name(held, 0), "a");
    gpudl_library_release(held);
    harness_close(l);
}

static void contents_of_one_size_are_told_apart(void **state)
{
    enum { SIZE = 5000, N = 3 };
    char *texts[N] = { make_text("a", SIZE), make_text("b", SIZE), make_text("c", SIZE) };
    const char *const names[N] = { "a", "b", "c" };
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    for (int i = 0; i < 4 * N; i++) {
        lib = load(l, GPUDL_MEMORY(texts[i % N], SIZE));
        assert_string_equal(gpudl_library_kernel_name(lib, 0), names[i % N]);
        gpudl_library_release(lib);
    }
    assert_int_equal(stats_of(l).loads, N);
    assert_int_equal(stats_of(l).warm_hits, 3 * N);
    assert_int_equal(stats_of(l).shared, 0);
    assert_int_equal(stats_of(l).warm, N);
    for (int i = 0; i < N; i++)
        free(texts[i]);
    harness_close(l);
}

static void the_least_recently_used_goes_first(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    options.warm_count = 2;
    l = harness_open_with(options);
    gpudl_library_release(load(l, DATA_SOURCE(names_ptx)));
    gpudl_library_release(load(l, DATA_SOURCE(names_cubin)));
    gpudl_library_release(load(l, DATA_SOURCE(names_ptx)));
    gpudl_library_release(load(l, DATA_SOURCE(names_fatbin)));  /* the cubin goes */
    assert_int_equal(nulldrv_alive("library"), 2);
    gpudl_library_release(load(l, DATA_SOURCE(names_ptx)));
    assert_int_equal(stats_of(l).warm_hits, 2);
    gpudl_library_release(load(l, DATA_SOURCE(names_cubin)));
    assert_int_equal(stats_of(l).warm_hits, 2);
    assert_int_equal(stats_of(l).loads, 4);
    harness_close(l);
}

static void warm_code_is_bounded_in_bytes(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    options.warm_bytes = 1;
    l = harness_open_with(options);
    gpudl_library_release(load(l, DATA_SOURCE(names_ptx)));
    assert_int_equal(nulldrv_alive("library"), 0);
    harness_close(l);
}

/* Unloading what no device has waits for nothing; the rest waits for a point that the program names. */
static void what_a_device_may_have_is_unloaded_at_a_named_point(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    size_t left = 99;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    touch(lib);
    gpudl_library_release(lib);
    gpudl_library_release(load(l, DATA_SOURCE(names_cubin)));
    assert_ok(gpudl_loader_trim(l, 0, 0));
    assert_int_equal(nulldrv_alive("library"), 1);
    assert_int_equal(stats_of(l).retired, 1);
    nulldrv_set_busy(1);
    assert_ok(gpudl_loader_reap(l, 0, &left));
    assert_int_equal(left, 1);
    assert_ok(gpudl_loader_reap(l, MOMENT, &left));
    assert_int_equal(left, 1);
    assert_int_equal(nulldrv_alive("library"), 1);
    nulldrv_set_busy(0);
    assert_ok(gpudl_loader_reap(l, LONG, &left));
    assert_int_equal(left, 0);
    assert_int_equal(nulldrv_alive("library"), 0);
    assert_int_equal(stats_of(l).forced, 0);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

/* What cannot be told is not taken for idle; where a kernel broke the context nothing will run. */
static void a_device_that_does_not_tell_is_not_idle(void **state)
{
    static const char *const calls[] = { "cuEventCreate", "cuCtxRecordEvent", "cuEventQuery" };
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    size_t left;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    for (int i = 0; i < 3; i++) {
        lib = load(l, DATA_SOURCE(names_ptx));
        touch(lib);
        gpudl_library_release(lib);
        assert_ok(gpudl_loader_trim(l, 0, 0));
        nulldrv_fail(calls[i], 1, GPUDL_CU_OUT_OF_MEMORY);
        assert_ok(gpudl_loader_reap(l, 0, &left));
        assert_int_equal(left, 1);
        nulldrv_fail(calls[i], 1, GPUDL_CU_LAUNCH_FAILED);
        assert_ok(gpudl_loader_reap(l, 0, &left));
        assert_int_equal(left, 0);
    }
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

static void what_has_globals_is_retired_at_once(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(globals_ptx));
    CUdeviceptr address;
    gpudl_version *v;

    (void)state;
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "counter", 0, &address, NULL));
    gpudl_library_release(lib);
    assert_int_equal(stats_of(l).retired, 0);
    gpudl_version_unpin(v);
    assert_int_equal(stats_of(l).retired, 1);
    assert_int_equal(stats_of(l).warm, 0);
    harness_close(l);
}

static void beyond_the_bounds_retired_code_goes_at_once(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    options.warm_count = GPUDL_NONE_AT_ALL;
    options.retired_count = 1;
    l = harness_open_with(options);
    for (int i = 0; i < 3; i++) {
        lib = load(l, i == 1 ? DATA_SOURCE(names_cubin) : DATA_SOURCE(names_ptx));
        touch(lib);
        gpudl_library_release(lib);
    }
    assert_int_equal(stats_of(l).retired, 1);
    assert_int_equal(stats_of(l).forced, 2);
    assert_int_equal(nulldrv_alive("library"), 1);
    harness_close(l);
}

static void where_nothing_is_captured_idle_is_seen(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    options.warm_count = GPUDL_NONE_AT_ALL;
    options.captures = GPUDL_CAPTURES_NONE;
    l = harness_open_with(options);
    assert_ok(gpudl_loader_use_device(l, 0));
    lib = load(l, DATA_SOURCE(names_ptx));
    touch(lib);
    nulldrv_set_busy(1);
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1);
    nulldrv_set_busy(0);
    gpudl_library_release(load(l, DATA_SOURCE(names_cubin)));
    assert_int_equal(nulldrv_alive("library"), 0);
    assert_int_equal(nulldrv_calls("cuThreadExchangeStreamCaptureMode"), 0);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------------- residency */

static void resident_code_is_asked_for_by_kernel(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    gpudl_kernel *a, *b;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "axpy", &a));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 0);
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 1);
    assert_ok(gpudl_kernel_get(lib, "negate", &b)); /* is made ready as it is asked for */
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 2);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    harness_close(l);
}

static void without_kernels_asked_for_one_is_made_resident(void **state)
{
    int devices[] = { 0, 1 }, wrong = 2;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    nulldrv_set_devices(2);
    l = harness_open();
    lib = load(l, DATA_SOURCE(names_ptx));
    assert_ok(gpudl_library_make_resident(lib, devices, 2, gpudl_now()));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 2);
    assert_fails(gpudl_library_make_resident(lib, &wrong, 1, gpudl_now()), GPUDL_ERROR_ARGUMENT, "no device 2");
    assert_fails(gpudl_library_make_resident(lib, NULL, 0, (gpudl_when){ 3, 0, 0 }), GPUDL_ERROR_ARGUMENT, "when");
    assert_fails(gpudl_library_make_resident(NULL, NULL, 0, gpudl_now()), GPUDL_ERROR_ARGUMENT, "NULL");
    gpudl_library_release(lib);
    harness_close(l);
}

static void no_moment_is_a_timeout(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));

    (void)state;
    assert_fails(
        gpudl_library_make_resident(lib, NULL, 0, gpudl_when_idle(MOMENT)), GPUDL_ERROR_TIMEOUT, "gpudl_loader_reap");
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 0);
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_by(MOMENT)));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 1);
    gpudl_library_release(lib);
    harness_close(l);
}

struct waiter {
    gpudl_library *library;
    gpudl_status status;
    char text[200];
};

static void *wait_to_be_resident(void *user)
{
    struct waiter *w = user;

    w->status = gpudl_library_make_resident(w->library, NULL, 0, gpudl_when_idle(UINT64_MAX));
    snprintf(w->text, sizeof(w->text), "%s", gpudl_error_text());
    return NULL;
}

/* The thread that names the point does the work, and the failure is told to the one that wanted it. */
static void a_named_point_is_what_others_wait_for(void **state)
{
    gpudl_loader *l = harness_open();
    struct waiter w = { load(l, DATA_SOURCE(names_ptx)), GPUDL_OK, "" };
    pthread_t t;

    (void)state;
    for (int round = 0; round < 2; round++) {
        unsigned long before = nulldrv_calls("cuKernelGetFunction");
        if (round)
            nulldrv_fail("cuKernelGetFunction", 1, 719);
        assert_int_equal(pthread_create(&t, NULL, wait_to_be_resident, &w), 0);
        while (nulldrv_calls("cuKernelGetFunction") == before) {
            assert_ok(gpudl_loader_reap(l, 0, NULL));
            usleep(100);
        }
        pthread_join(t, NULL);
        assert_int_equal(w.status, round ? GPUDL_ERROR_DRIVER : GPUDL_OK);
    }
    assert_non_null(strstr(w.text, "cuKernelGetFunction returned 719"));
    assert_null(strstr(gpudl_error_text(), "719"));
    gpudl_library_release(w.library);
    harness_close(l);
}

static void memory_that_lacks_is_had_from_warm_code(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx)), *other;

    (void)state;
    touch(lib);
    gpudl_library_release(lib);
    lib = load(l, DATA_SOURCE(names_cubin));
    nulldrv_fail("cuKernelGetFunction", 1, GPUDL_CU_OUT_OF_MEMORY);
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(nulldrv_alive("library"), 1);
    assert_int_equal(stats_of(l).forced, 1);
    nulldrv_fail("cuKernelGetFunction", 1, GPUDL_CU_OUT_OF_MEMORY);
    assert_fails(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()), GPUDL_ERROR_DRIVER, "cuKernelGetFunction returned 2");
    gpudl_library_release(lib);
    nulldrv_fail("cuLibraryLoadData", 1, GPUDL_CU_OUT_OF_MEMORY);
    other = load(l, DATA_SOURCE(names_fatbin));
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_library_release(other);
    harness_close(l);
}

static void an_old_driver_that_cannot_says_so(void **state)
{
    gpudl_loader *l;
    gpudl_library *lib;

    (void)state;
    l = harness_open();
    lib = load(l, DATA_SOURCE(names_ptx));
    nulldrv_fail("cuKernelGetFunction", 1, GPUDL_CU_NOT_SUPPORTED);
    assert_fails(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()), GPUDL_ERROR_DRIVER, "resident on device 0");
    gpudl_library_release(lib);
    harness_close(l);
}

/* -------------------------------------------------------------------------------------------------------------- captures */

static void a_graph_holds_what_was_captured(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_kernel *k, *other;
    CUstream stream;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->StreamCreate(&stream, 0), 0);
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_get(lib, "negate", &other));
    nulldrv_capture(stream);
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL)); /* on another stream */
    assert_int_equal(stats_of(l).captured, 0);
    config.stream = stream;
    for (int i = 0; i < 3; i++) {
        assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
        assert_ok(gpudl_kernel_launch_params(other, &config, NULL));
    }
    assert_int_equal(stats_of(l).captured, 1);
    nulldrv_capture(stream);
    assert_ok(gpudl_launch(k, &config, 1, 2.f, NULL, NULL));
    assert_int_equal(stats_of(l).captured, 2);
    nulldrv_capture(NULL);
    gpudl_kernel_release(k);
    gpudl_kernel_release(other);
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_loader_close(l);
    assert_non_null(strstr(harness_log(), "graphs"));
    nulldrv_destroy_graph();
    assert_int_equal(nulldrv_alive("library"), 1); /* no driver calls in there */
    cu->StreamDestroy(stream);
    cu->CtxSetCurrent(NULL);
    assert_ok(gpudl_loader_reap(l, 0, NULL));
    harness_close(l);
}

/* A launch whose code the graph cannot hold would be a trap for later: it is refused. */
static void a_graph_that_cannot_hold_gets_no_launch(void **state)
{
    static const char *const calls[] = { "cuStreamGetCaptureInfo", "cuUserObjectCreate", "cuGraphRetainUserObject" };
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->StreamCreate(&config.stream, 0), 0);
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    nulldrv_capture(config.stream);
    for (int i = 0; i < 3; i++) {
        nulldrv_fail(calls[i], 1, 999);
        assert_fails(gpudl_kernel_launch_params(k, &config, NULL), GPUDL_ERROR_LAUNCH, "could not be given to the graph");
        assert_int_equal(gpudl_error_cuda(), 999);
        assert_int_equal(nulldrv_calls("cuLaunchKernel"), 0);
    }
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
    nulldrv_capture(NULL);
    nulldrv_destroy_graph();
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    cu->StreamDestroy(config.stream);
    cu->CtxSetCurrent(NULL);
    harness_close(l);
}

static void *destroy_graph_later(void *unused)
{
    usleep(20000);
    nulldrv_destroy_graph();
    return unused;
}

/* The driver lets go of what a graph held when it pleases, on a thread of its own. */
static void a_close_waits_for_graphs_that_were_destroyed(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_kernel *k;
    pthread_t thread;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->StreamCreate(&config.stream, 0), 0);
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    nulldrv_capture(config.stream);
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
    nulldrv_capture(NULL);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    cu->StreamDestroy(config.stream);
    cu->CtxSetCurrent(NULL);
    assert_int_equal(pthread_create(&thread, NULL, destroy_graph_later, NULL), 0);
    harness_close(l);
    assert_string_equal(harness_log(), "");
    pthread_join(thread, NULL);
}

struct meeting {
    gpudl_kernel *kernel;
    CUstream stream;
    pthread_barrier_t barrier;
    atomic_int launched;
};

static void *launch_into_it(void *user)
{
    struct meeting *m = user;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    config.stream = m->stream;
    pthread_barrier_wait(&m->barrier);
    if (gpudl_kernel_launch_params(m->kernel, &config, NULL) == GPUDL_OK)
        atomic_fetch_add(&m->launched, 1);
    return NULL;
}

/* Each of several first launches into one capture makes sure of the code, so that one which fails takes it from no other. */
static void meet_in_a_capture(int fails)
{
    enum { MEET = 4 };
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, DATA_SOURCE(names_ptx));
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    struct meeting m = { .launched = 0 };
    pthread_t threads[MEET];

    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->StreamCreate(&m.stream, 0), 0);
    assert_ok(gpudl_kernel_get(lib, "axpy", &m.kernel));
    pthread_barrier_init(&m.barrier, NULL, MEET);
    nulldrv_capture(m.stream);
    nulldrv_slow("cuUserObjectCreate", 20000); /* they do meet */
    if (fails)
        nulldrv_fail("cuGraphRetainUserObject", 1, 999);
    for (int i = 0; i < MEET; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_into_it, &m), 0);
    for (int i = 0; i < MEET; i++)
        pthread_join(threads[i], NULL);
    nulldrv_slow("cuUserObjectCreate", 0);
    assert_int_equal(m.launched, MEET - fails);
    assert_in_range(stats_of(l).captured, 1, MEET);
    nulldrv_capture(NULL);
    gpudl_kernel_release(m.kernel);
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1);
    nulldrv_destroy_graph();
    cu->StreamDestroy(m.stream);
    cu->CtxSetCurrent(NULL);
    assert_ok(gpudl_loader_reap(l, 0, NULL));
    pthread_barrier_destroy(&m.barrier);
    harness_close(l);
}

static void threads_that_meet_in_a_capture_all_hold_the_code(void **state)
{
    (void)state;
    meet_in_a_capture(0);
    meet_in_a_capture(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(warm_code_is_found_again),
        TEST(memory_that_is_loaded_already_is_not_copied),
        TEST(contents_of_one_size_are_told_apart),
        TEST(the_least_recently_used_goes_first),
        TEST(warm_code_is_bounded_in_bytes),
        TEST(what_a_device_may_have_is_unloaded_at_a_named_point),
        TEST(a_device_that_does_not_tell_is_not_idle),
        TEST(what_has_globals_is_retired_at_once),
        TEST(beyond_the_bounds_retired_code_goes_at_once),
        TEST(where_nothing_is_captured_idle_is_seen),
        TEST(resident_code_is_asked_for_by_kernel),
        TEST(without_kernels_asked_for_one_is_made_resident),
        TEST(no_moment_is_a_timeout),
        TEST(a_named_point_is_what_others_wait_for),
        TEST(memory_that_lacks_is_had_from_warm_code),
        TEST(an_old_driver_that_cannot_says_so),
        TEST(a_graph_holds_what_was_captured),
        TEST(a_graph_that_cannot_hold_gets_no_launch),
        TEST(a_close_waits_for_graphs_that_were_destroyed),
        TEST(threads_that_meet_in_a_capture_all_hold_the_code),
    };

    return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
