/* Handles that are not what they should be: released, released twice, of another kind. A clear error or nothing, as far back as
 * released ones are kept apart (src/loader/handles.h); and those that are still out when their loader is closed, by name. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/loader/handles.h"
#include "tests/loader/common.h"

static gpudl_library *load(gpudl_loader *l)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    return lib;
}

static gpudl_kernel *get(gpudl_library *lib)
{
    gpudl_kernel *k = NULL;

    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    return k;
}

static gpudl_version *pin(gpudl_library *lib)
{
    gpudl_version *v = NULL;

    assert_ok(gpudl_library_pin(lib, &v));
    return v;
}

static gpudl_task *begin(gpudl_loader *l)
{
    gpudl_task *t = NULL;

    assert_ok(gpudl_library_load_async(l, DATA_SOURCE(names_ptx), NULL, NULL, &t));
    assert_ok(gpudl_task_wait(t, UINT64_MAX));
    return t;
}

/* Every call that takes one fails with this status, and says those words. */
static void library_is(gpudl_library *lib, gpudl_status status, const char *words)
{
    gpudl_version *v;
    gpudl_kernel *k;
    gpudl_task *t;

    assert_fails(gpudl_kernel_get(lib, "axpy", &k), status, words);
    assert_fails(gpudl_library_pin(lib, &v), status, words);
    assert_fails(gpudl_library_replace(lib, DATA_SOURCE(names_cubin), NULL), status, words);
    assert_fails(gpudl_library_replace_async(lib, DATA_SOURCE(names_cubin), NULL, NULL, &t), status, words);
    assert_fails(gpudl_library_rollback(lib), status, words);
    assert_fails(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()), status, words);
    assert_fails(gpudl_library_watch(lib, NULL), status, words);
    assert_int_equal(gpudl_library_kernel_count(lib), 0);
    assert_non_null(strstr(gpudl_error_text(), "gpudl_library_kernel_count"));
    assert_null(gpudl_library_kernel_name(lib, 0));
    assert_string_equal(gpudl_library_log(lib), "");
    assert_int_equal(gpudl_library_generation(lib), 0);
    gpudl_library_unwatch(lib);
    assert_non_null(strstr(gpudl_error_text(), "gpudl_library_unwatch"));
    gpudl_library_release(lib);
    assert_non_null(strstr(gpudl_error_text(), words));
}

static void kernel_is(gpudl_kernel *k, gpudl_status status, const char *words)
{
    gpudl_param_info info = { .size_of_struct = sizeof(info) };
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_arg many[40] = { GPUDL_ARG(1) };
    gpudl_version *v;
    unsigned blocks;
    int value;
    size_t n;

    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), status, words);
    assert_fails(gpudl_launch(k, &config, 1, 2.f, NULL, NULL), status, words);
    assert_fails(gpudl_kernel_launch(k, &config, NULL, 0), status, words);
    assert_fails(gpudl_kernel_launch(k, &config, many, 40), status, words);
    assert_fails(gpudl_kernel_launch_packed(k, &config, many, 8), status, words);
    config.nattributes = 1;
    config.attributes = (const void *)many;
    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), status, words);
    config.nattributes = 0;
    config.version = (gpudl_version *)k;
    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), status, words);
    config.version = NULL;
    assert_fails(gpudl_kernel_update_node(k, (CUgraphExec)16, (CUgraphNode)16, &config, NULL, &v), status, words);
    assert_fails(gpudl_kernel_attribute(k, 0, 0, &value), status, words);
    assert_fails(gpudl_kernel_set_attribute(k, 8, 0, 0), status, words);
    assert_fails(gpudl_kernel_occupancy(k, 32, 0, 0, &blocks), status, words);
    assert_fails(gpudl_kernel_param_count(k, &n), status, words);
    assert_fails(gpudl_kernel_param(k, 0, &info), status, words);
    assert_null(gpudl_kernel_name(k));
    gpudl_kernel_release(k);
    assert_non_null(strstr(gpudl_error_text(), words));
}

/* k is a kernel that is well. */
static void version_is(gpudl_version *v, gpudl_kernel *k, gpudl_status status, const char *words)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    CUdeviceptr address;
    CUlibrary native;

    config.version = v;
    assert_fails(gpudl_kernel_launch_params(k, &config, NULL), status, words);
    assert_fails(gpudl_launch(k, &config, 1, 2.f, NULL, NULL), status, words);
    assert_fails(gpudl_kernel_launch_packed(k, &config, &address, 8), status, words);
    assert_fails(gpudl_version_native(v, &native), status, words);
    assert_fails(gpudl_version_global(v, "counter", 0, &address, NULL), status, words);
    assert_fails(gpudl_version_copy_globals(v, v, 0, NULL), status, words);
    assert_int_equal(gpudl_version_number(v), 0);
    assert_int_equal(gpudl_version_kernel_count(v), 0);
    assert_null(gpudl_version_kernel_name(v, 0));
    assert_string_equal(gpudl_version_log(v), "");
    gpudl_version_unpin(v);
    assert_non_null(strstr(gpudl_error_text(), words));
}

static void task_is(gpudl_task *t, gpudl_status status, const char *words)
{
    gpudl_library *lib;

    assert_fails(gpudl_task_wait(t, 0), status, words);
    assert_fails(gpudl_task_library(t, &lib), status, words);
    assert_int_equal(gpudl_task_ended(t), 0);
    gpudl_task_cancel(t);
    gpudl_task_release(t);
    assert_non_null(strstr(gpudl_error_text(), words));
}

static void loader_is_none(gpudl_loader *l)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };
    gpudl_library *lib;

    assert_fails(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib), GPUDL_ERROR_RELEASED, "no loader at");
    assert_fails(gpudl_loader_reap(l, 0, NULL), GPUDL_ERROR_RELEASED, "no loader at");
    assert_fails(gpudl_loader_statistics(l, &stats), GPUDL_ERROR_RELEASED, "no loader at");
    assert_null(gpudl_loader_driver(l));
    gpudl_loader_close(l);
}

static void a_use_after_the_release_is_told(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l), *other = load(l);
    gpudl_kernel *k = get(lib), *good = get(other);
    gpudl_version *v = pin(lib);
    gpudl_task *t = begin(l);
    unsigned long launches;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    gpudl_task_release(t);
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    launches = nulldrv_calls("cuLaunchKernel") + nulldrv_calls("cuLaunchKernelEx");
    for (int twice = 0; twice < 2; twice++) {
        library_is(lib, GPUDL_ERROR_RELEASED, "the library was released");
        kernel_is(k, GPUDL_ERROR_RELEASED, "the kernel was released");
        version_is(v, good, GPUDL_ERROR_RELEASED, "the pinned version was released");
        task_is(t, GPUDL_ERROR_RELEASED, "the task was released");
    }
    assert_int_equal(nulldrv_calls("cuLaunchKernel") + nulldrv_calls("cuLaunchKernelEx"), launches);
    assert_non_null(strstr(harness_log(), "gpudl_library_release: the library was released before"));
    assert_non_null(strstr(harness_log(), "gpudl_kernel_release"));
    assert_non_null(strstr(harness_log(), "gpudl_version_unpin"));
    assert_non_null(strstr(harness_log(), "gpudl_task_release"));
    gpudl_kernel_release(good);
    gpudl_library_release(other);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

static void a_kernel_outlives_its_library(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l);
    gpudl_kernel *k = get(lib);

    (void)state;
    gpudl_library_release(lib);
    library_is(lib, GPUDL_ERROR_RELEASED, "its kernels may be used");
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
    assert_string_equal(gpudl_kernel_name(k), "axpy");
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_kernel_release(k);
    harness_close(l);
}

/* Two pins of one version are two. */
static void a_pin_is_not_unpinned_for_another(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l);
    gpudl_version *one = pin(lib), *other = pin(lib);
    CUlibrary native;

    (void)state;
    assert_ptr_not_equal(one, other);
    assert_int_equal(gpudl_version_number(one), gpudl_version_number(other));
    gpudl_library_release(lib);
    gpudl_version_unpin(one);
    gpudl_version_unpin(one);
    assert_ok(gpudl_version_native(other, &native));
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_version_unpin(other);
    harness_close(l);
}

static void another_kind_is_told(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l);
    gpudl_kernel *k = get(lib);
    gpudl_version *v = pin(lib);
    gpudl_task *t = begin(l);
    void *all[] = { lib, k, v, t, l };
    static const char *const names[] = { "is a library", "is a kernel", "is a pinned version", "is a task", "is a loader" };
    char zeros[4096] = "";

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    for (int i = 0; i < 5; i++) {
        if (all[i] != lib)
            library_is(all[i], GPUDL_ERROR_ARGUMENT, names[i]);
        if (all[i] != k)
            kernel_is(all[i], GPUDL_ERROR_ARGUMENT, names[i]);
        if (all[i] != v)
            version_is(all[i], k, GPUDL_ERROR_ARGUMENT, names[i]);
        if (all[i] != t)
            task_is(all[i], GPUDL_ERROR_ARGUMENT, names[i]);
        if (all[i] != l)
            loader_is_none(all[i]);
    }
    library_is((void *)zeros, GPUDL_ERROR_ARGUMENT, "none that gpudl gave");
    version_is((void *)zeros, k, GPUDL_ERROR_ARGUMENT, "none that gpudl gave");
    gpudl_task_release(t);
    gpudl_version_unpin(v);
    task_is((void *)v, GPUDL_ERROR_ARGUMENT, "is a pinned version that was released");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

static void a_closed_loader_is_told(void **state)
{
    gpudl_loader *l = harness_open(), *other = harness_open();

    (void)state;
    gpudl_loader_close(l);
    loader_is_none(l);
    harness_close(other);
    loader_is_none(other);
}

/* For as long as is promised, and in bounded memory. */
static void released_handles_wait_before_they_are_used_again(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l);
    gpudl_kernel *k = get(lib), *first = k;
    size_t until = 0;
    long blocks = 0;

    (void)state;
    gpudl_kernel_release(first);
    for (size_t i = 1; i <= 8 * HANDLES_WAITING; i++) {
        k = get(lib);
        if (k == first && !until)
            until = i;
        gpudl_kernel_release(k);
        if (i == 2 * HANDLES_WAITING)
            blocks = harness_live_blocks();
    }
    assert_true(until > HANDLES_WAITING);
    assert_int_equal(harness_live_blocks(), blocks);
    gpudl_library_release(lib);
    harness_close(l);
}

static void the_same_of_pins_tasks_and_libraries(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l), *last = load(l);
    gpudl_version *v = pin(lib);
    gpudl_task *t = begin(l);
    long blocks = 0;

    (void)state;
    gpudl_library_release(last);
    gpudl_version_unpin(v);
    gpudl_task_release(t);
    for (size_t i = 1; i <= 4 * HANDLES_WAITING; i++) {
        gpudl_library_release(load(l));
        gpudl_version_unpin(pin(lib));
        gpudl_task_release(begin(l));
        if (i == 2 * HANDLES_WAITING)
            blocks = harness_live_blocks();
        if (i == HANDLES_WAITING_LEAST - 1) {
            library_is(last, GPUDL_ERROR_RELEASED, "released");
            task_is(t, GPUDL_ERROR_RELEASED, "released");
            assert_int_equal(gpudl_version_number(v), 0);
        }
    }
    assert_int_equal(harness_live_blocks(), blocks);
    gpudl_library_release(lib);
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------------- tasks in done() */

static atomic_int told;

static void release_it(void *user, gpudl_task *t)
{
    (void)user;
    if (!gpudl_task_ended(t) || gpudl_task_wait(t, 0) != GPUDL_OK)
        return;
    gpudl_task_release(t);
    if (gpudl_task_wait(t, 0) == GPUDL_OK) /* still told about */
        atomic_fetch_add(&told, 1);
}

static void a_task_may_be_released_by_the_one_that_is_told(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_task *t;

    (void)state;
    atomic_store(&told, 0);
    o.done = release_it;
    for (int i = 1; i <= 20; i++) {
        assert_ok(gpudl_library_load_async(l, DATA_SOURCE(names_ptx), NULL, &o, &t));
        while (atomic_load(&told) < i)
            usleep(100);
        gpudl_task_release(t);
        assert_non_null(strstr(gpudl_error_text(), "the task was released"));
    }
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------- what is not released */

static void closing_names_what_is_out_and_where_it_was_made(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l), *gone = load(l);
    gpudl_kernel *k = get(gone);
    gpudl_version *v = pin(lib);
    gpudl_task *t = begin(l);

    (void)state;
    gpudl_library_release(gone);
    gpudl_loader_close(l);
    assert_non_null(strstr(harness_log(), "gpudl_loader_close: it stays open"));
    assert_non_null(strstr(harness_log(), "not released: library memory, made at "));
    assert_non_null(strstr(harness_log(), "not released: kernel 'axpy' of memory, made at "));
    assert_non_null(strstr(harness_log(), "not released: pinned version 1 of memory, made at "));
    assert_non_null(strstr(harness_log(), "not released: task, a load of memory, made at "));
    assert_non_null(strstr(harness_log(), "test_loader_handles+0x"));
    gpudl_task_release(t);
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    harness_close(l);
}

/* A version that two sources share is told by the one that each handle came from; a text by its name. */
static void what_is_out_is_named_by_its_own_source(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_source first = *DATA_SOURCE(names_ptx), second = *DATA_SOURCE(names_ptx);
    gpudl_library *a, *b;
    gpudl_version *v;
    gpudl_kernel *k;
    gpudl_task *t;

    (void)state;
    first.name = "first.ptx";
    second.name = "second.ptx";
    assert_ok(gpudl_library_load(l, &first, NULL, &a));
    assert_ok(gpudl_library_load(l, &second, NULL, &b));
    v = pin(b);
    k = get(b);
    gpudl_library_release(a);
    assert_ok(gpudl_library_load_async(l, &second, NULL, NULL, &t));
    assert_ok(gpudl_task_wait(t, UINT64_MAX));
    gpudl_loader_close(l);
    assert_non_null(strstr(harness_log(), "not released: library second.ptx, made at "));
    assert_non_null(strstr(harness_log(), "not released: kernel 'axpy' of second.ptx, made at "));
    assert_non_null(strstr(harness_log(), "not released: pinned version 1 of second.ptx, made at "));
    assert_non_null(strstr(harness_log(), "not released: task, a load of second.ptx, made at "));
    assert_null(strstr(harness_log(), "first.ptx, made at "));
    gpudl_task_release(t);
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(b);
    harness_close(l);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    while ((text = strchr(text, '\n'))) {
        text++;
        n++;
    }
    return n;
}

/* Where none asked, a few are enough. */
static void all_are_named_to_those_who_ask(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l);
    gpudl_kernel *k[40];

    (void)state;
    for (int i = 0; i < 40; i++)
        k[i] = get(lib);
    unsetenv("GPUDL_LEAKS");
    gpudl_loader_close(l);
    assert_int_equal(count_lines(harness_log()), 1 + 16 + 1);
    assert_non_null(strstr(harness_log(), "25 more; GPUDL_LEAKS=1"));
    setenv("GPUDL_LEAKS", "1", 1);
    gpudl_loader_close(l);
    unsetenv("GPUDL_LEAKS");
    assert_int_equal(count_lines(harness_log()), 18 + 1 + 41);
    for (int i = 0; i < 40; i++)
        gpudl_kernel_release(k[i]);
    gpudl_library_release(lib);
    harness_close(l);
}

static gpudl_status pins(gpudl_loader *l, void *user)
{
    gpudl_version *a = NULL, *b = NULL;
    gpudl_library *lib;
    gpudl_status status;

    (void)user;
    status = gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib);
    if (status != GPUDL_OK)
        return status;
    status = gpudl_library_pin(lib, &a);
    if (status == GPUDL_OK)
        status = gpudl_library_pin(lib, &b);
    gpudl_version_unpin(a);
    gpudl_version_unpin(b);
    gpudl_library_release(lib);
    return status;
}

static void without_memory_there_is_no_handle(void **state)
{
    (void)state;
    harness_fail_allocations(pins, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_use_after_the_release_is_told),
        TEST(a_kernel_outlives_its_library),
        TEST(a_pin_is_not_unpinned_for_another),
        TEST(another_kind_is_told),
        TEST(a_closed_loader_is_told),
        TEST(released_handles_wait_before_they_are_used_again),
        TEST(the_same_of_pins_tasks_and_libraries),
        TEST(a_task_may_be_released_by_the_one_that_is_told),
        TEST(closing_names_what_is_out_and_where_it_was_made),
        TEST(what_is_out_is_named_by_its_own_source),
        TEST(all_are_named_to_those_who_ask),
        TEST(without_memory_there_is_no_handle),
    };

    return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
