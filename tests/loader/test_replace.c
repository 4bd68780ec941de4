/* Libraries turned to other code: who follows, what is refused, what is kept. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define A    ".visible .entry a(.param .u32 n, .param .f32 x) { ret; }\n"
#define B    ".visible .entry b(.param .u64 p) { ret; }\n"

static const char one[] = HEAD A B, two[] = HEAD "// two\n" A B, three[] = HEAD "// three\n" A B;

static gpudl_library *load(gpudl_loader *l, const char *text)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    return lib;
}

static gpudl_status replace(gpudl_library *lib, const char *text)
{
    return gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), NULL);
}

static uint64_t number_of(gpudl_library *lib)
{
    gpudl_version *v;
    uint64_t n;

    assert_ok(gpudl_library_pin(lib, &v));
    n = gpudl_version_number(v);
    gpudl_version_unpin(v);
    return n;
}

static void kernels_follow_their_library(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one), *same = load(l, one);
    gpudl_kernel *a, *b;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_ok(replace(lib, two));
    assert_int_equal(gpudl_library_generation(lib), 1);
    assert_int_equal(number_of(lib), 2);
    assert_int_equal(number_of(same), 1); /* a library is its owner's alone */
    assert_ok(gpudl_launch(a, &config, 1, 2.f));
    assert_ok(gpudl_kernel_get(lib, "b", &b));
    assert_ok(gpudl_launch(b, &config, (void *)NULL));
    assert_ok(replace(lib, two)); /* it is that already */
    assert_int_equal(gpudl_library_generation(lib), 1);
    gpudl_library_release(same);
    gpudl_library_release(lib);
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    harness_close(l);
}

/* Resident before it is seen, where the old one was launched: kernels that were asked for. */
static void new_code_is_resident_before_it_is_seen(void **state)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a, *b;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_kernel_get(lib, "b", &b));
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_ok(replace(lib, two));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 2);
    o.when = gpudl_when_idle(1000000);
    assert_fails(gpudl_library_replace(lib, GPUDL_MEMORY(three, strlen(three)), &o), GPUDL_ERROR_TIMEOUT, "moment");
    assert_int_equal(number_of(lib), 2);
    o.when = gpudl_by(1000000);
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(three, strlen(three)), &o));
    assert_int_equal(number_of(lib), 3);
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

/* Of a thread that has no context, as those of tasks and watched files: where others have one, not where it would make one. */
static void it_is_resident_where_launches_may_have_made_it(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *lib;
    gpudl_kernel *a;
    gpudl_loader *l;

    (void)state;
    nulldrv_set_devices(2);
    l = harness_open();
    lib = load(l, one);
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_loader_use_device(l, 1));
    assert_ok(gpudl_launch(a, &config, 1, 2.f));
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    assert_ok(replace(lib, two));
    assert_int_equal(nulldrv_alive("context"), 1);
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 1);
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_pin_keeps_what_it_took(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, one);
    gpudl_version *v;
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(replace(lib, two));
    assert_int_equal(nulldrv_alive("library"), 2);
    config.version = v;
    assert_ok(gpudl_launch(a, &config, 1, 2.f));
    assert_ok(gpudl_kernel_launch_params(a, &config, NULL));
    assert_fails(gpudl_launch(a, &config, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "1 argument");
    gpudl_version_unpin(v);
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

/* The library's own may go at any time, where another thread replaces it. */
static void names_and_log_of_a_pinned_version_stay(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib;
    const char *name, *log;
    gpudl_version *v;

    (void)state;
    nulldrv_set_remarks("info   : nothing to remark");
    lib = load(l, one);
    nulldrv_set_remarks(NULL);
    assert_ok(gpudl_library_pin(lib, &v));
    assert_int_equal(gpudl_version_kernel_count(v), gpudl_library_kernel_count(lib));
    name = gpudl_version_kernel_name(v, 0);
    log = gpudl_version_log(v);
    assert_string_equal(name, gpudl_library_kernel_name(lib, 0));
    assert_ok(replace(lib, two));
    gpudl_library_release(lib);
    assert_string_equal(name, "a");
    assert_string_equal(log, "info   : nothing to remark");
    assert_string_equal(gpudl_version_kernel_name(v, 0), "a");
    assert_null(gpudl_version_kernel_name(v, gpudl_version_kernel_count(v)));
    gpudl_version_unpin(v);
    harness_close(l);
}

static void a_pinned_launch_knows_whose_version_it_is(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open(), *other = harness_open();
    gpudl_library *lib = load(l, one), *b_only = load(l, HEAD B), *elsewhere = load(other, one);
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_library_pin(b_only, &config.version));
    assert_fails(gpudl_launch(a, &config, 1, 2.f), GPUDL_ERROR_NO_SUCH_KERNEL, "has no kernel 'a'");
    gpudl_version_unpin(config.version);
    assert_ok(gpudl_library_pin(elsewhere, &config.version));
    assert_fails(gpudl_launch(a, &config, 1, 2.f), GPUDL_ERROR_ARGUMENT, "another loader");
    gpudl_version_unpin(config.version);
    gpudl_kernel_release(a);
    gpudl_library_release(elsewhere);
    gpudl_library_release(b_only);
    gpudl_library_release(lib);
    gpudl_loader_close(other);
    harness_close(l);
}

/* The library stays as it is, and the reason names the kernel. */
static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        { HEAD B, "kernel 'a' is in use, and is not in the new code" },
        { HEAD ".visible .entry a(.param .u32 n) { ret; }\n", "it has 2 parameters, in the new code 1" },
        { HEAD ".visible .entry a(.param .u32 n, .param .f64 x) { ret; }\n", "its parameter 1 (they count from 0) is f32 (4 bytes at 4), in the new code f64 (8 bytes at 8)" },
        { HEAD ".visible .entry a(.param .u32 n, .param .u32 x) { ret; }\n", "in the new code u32" },
        { HEAD ".visible .entry a(.param .u32 n, .param .f32 x) .maxntid 128 { ret; }\n", "was launched with 256 threads a block; the new code is declared for at most 128" },
        { HEAD ".shared .align 4 .b8 s[40000];\n.visible .entry a(.param .u32 n, .param .f32 x) { .reg .u64 %r; mov.u64 %r, s; ret; }\n", "" },
        { "not code", "neither" },
    };
    gpudl_launch_config config = gpudl_launch_1d(1, 256);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    config.shared_bytes = 40000;
    assert_ok(gpudl_launch(a, &config, 1, 2.f));
    for (size_t i = 0; i < 5; i++) {
        assert_fails(replace(lib, cases[i].text), GPUDL_ERROR_REPLACE, cases[i].words);
        assert_int_equal(gpudl_library_generation(lib), 0);
        assert_int_equal(number_of(lib), 1);
        assert_ok(gpudl_launch(a, &config, 1, 2.f));
    }
    assert_ok(replace(lib, cases[5].text)); /* 80,000 bytes of shared memory are there for the asking */
    assert_fails(replace(lib, cases[6].text), GPUDL_ERROR_NOT_AN_IMAGE, "");
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

/* What the driver refused was no launch: it says nothing of what the kernel must be able to do. */
static void refused_launches_ask_for_nothing(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    config.block[0] = 4096;
    config.shared_bytes = 1 << 30;
    assert_fails(gpudl_kernel_launch_params(a, &config, NULL), GPUDL_ERROR_LAUNCH, "cuLaunchKernel");
    assert_ok(replace(lib, two));
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

/* Its globals would begin anew. */
static void code_with_globals_is_not_replaced_by_itself(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_load_options other = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(globals_ptx), NULL, &lib));
    assert_ok(gpudl_library_replace(lib, DATA_SOURCE(globals_ptx), NULL));
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_int_equal(number_of(lib), 1);
    other.flags = GPUDL_LOAD_LINE_INFO;
    o.load = &other;
    assert_ok(gpudl_library_replace(lib, DATA_SOURCE(globals_ptx), &o)); /* compiled otherwise */
    assert_int_equal(gpudl_library_generation(lib), 1);
    gpudl_library_release(lib);
    harness_close(l);
}

/* A kernel that nobody holds may go; one that is asked for later need not have been in the old code. */
static void what_nobody_asked_for_may_go(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *b;

    (void)state;
    assert_ok(replace(lib, HEAD B));
    assert_int_equal(gpudl_library_kernel_count(lib), 1);
    assert_ok(gpudl_kernel_get(lib, "b", &b));
    assert_fails(replace(lib, HEAD A), GPUDL_ERROR_REPLACE, "'b'");
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_library_goes_back_to_what_was_kept(void **state)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a, *b;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_fails(gpudl_library_rollback(lib), GPUDL_ERROR_REPLACE, "nothing to go back to");
    o.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &o));
    assert_int_equal(nulldrv_alive("library"), 2);
    assert_ok(gpudl_kernel_get(lib, "b", &b));
    assert_ok(gpudl_library_rollback(lib));
    assert_int_equal(number_of(lib), 1);
    assert_ok(gpudl_launch(b, &config, (void *)NULL));
    assert_ok(gpudl_library_rollback(lib));
    assert_int_equal(number_of(lib), 2);
    assert_int_equal(gpudl_library_generation(lib), 3);
    assert_ok(replace(lib, three));
    assert_int_equal(nulldrv_alive("library"), 1);
    assert_fails(gpudl_library_rollback(lib), GPUDL_ERROR_REPLACE, "nothing");
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    harness_close(l);
}

static void wrong_arguments_are_told(void **state)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);

    (void)state;
    assert_fails(replace(NULL, two), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_library_replace(lib, NULL, NULL), GPUDL_ERROR_ARGUMENT, "");
    o.flags = 2;
    assert_fails(gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &o), GPUDL_ERROR_TOO_NEW, "flags");
    o = (gpudl_replace_options)GPUDL_REPLACE_OPTIONS_INIT;
    o.when.mode = 7;
    assert_fails(gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &o), GPUDL_ERROR_ARGUMENT, "when");
    assert_fails(gpudl_library_rollback(NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(gpudl_library_generation(NULL), 0);
    assert_int_equal(gpudl_version_number(NULL), 0);
    gpudl_library_release(lib);
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------------ under load */

enum { LAUNCHERS = 4, ROUNDS = 400 };

struct load {
    gpudl_loader *loader;
    gpudl_library *library;
    atomic_int done, failed;
};

#define count_unless(what, condition) \
    do { \
        if (!(condition)) \
            atomic_fetch_add(&(what)->failed, 1); \
    } while (0)

static void *launch_all_the_time(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32), pinned = config;
    struct load *s = user;
    gpudl_kernel *a, *b;

    count_unless(s, gpudl_loader_use_device(s->loader, 0) == GPUDL_OK);
    count_unless(s, gpudl_kernel_get(s->library, "a", &a) == GPUDL_OK);
    while (!atomic_load(&s->done)) {
        for (int i = 0; i < 50; i++) {
            count_unless(s, gpudl_launch(a, &config, 1, 2.f) == GPUDL_OK);
            count_unless(s, gpudl_kernel_launch_params(a, &config, NULL) == GPUDL_OK);
        }
        count_unless(s, gpudl_kernel_get(s->library, "b", &b) == GPUDL_OK);
        count_unless(s, gpudl_library_pin(s->library, &pinned.version) == GPUDL_OK);
        count_unless(s, gpudl_launch(a, &pinned, 1, 2.f) == GPUDL_OK);
        count_unless(s, gpudl_launch(b, &pinned, (void *)NULL) == GPUDL_OK);
        gpudl_version_unpin(pinned.version);
        gpudl_kernel_release(b);
    }
    gpudl_kernel_release(a);
    return NULL;
}

/* The null driver counts launches of code that was unloaded. */
static void replaces_under_load_fail_no_launch(void **state)
{
    gpudl_loader *(*const open[])(void) = { harness_open, harness_open_keeping_nothing };
    static const char *const texts[] = { one, two, three };
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    pthread_t launchers[LAUNCHERS];

    (void)state;
    for (int keeping = 0; keeping < 2; keeping++) {
        struct load s = { .loader = open[keeping]() };
        s.library = load(s.loader, one);
        for (int i = 0; i < LAUNCHERS; i++)
            assert_int_equal(pthread_create(&launchers[i], NULL, launch_all_the_time, &s), 0);
        for (int i = 0; i < ROUNDS; i++) {
            o.flags = i % 5 == 0 ? GPUDL_REPLACE_KEEP_PREVIOUS : 0;
            count_unless(&s, gpudl_library_replace(s.library, GPUDL_MEMORY(texts[i % 3], strlen(texts[i % 3])), &o) == GPUDL_OK);
            count_unless(&s, i % 5 || !gpudl_library_rollback(s.library) || i == 0);
        }
        atomic_store(&s.done, 1);
        for (int i = 0; i < LAUNCHERS; i++)
            pthread_join(launchers[i], NULL);
        assert_int_equal(s.failed, 0);
        gpudl_library_release(s.library);
        harness_close(s.loader);
    }
}

/* -------------------------------------------------------------------------------------------------------------- failures */

static gpudl_status turn_it(gpudl_library *lib)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_version *v = NULL;
    gpudl_kernel *a = NULL;
    gpudl_status status = gpudl_kernel_get(lib, "a", &a);

    config.shared_bytes = 60000;
    o.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    if (status == GPUDL_OK)
        status = gpudl_launch(a, &config, 1, 2.f);
    if (status == GPUDL_OK)
        status = gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &o);
    if (status == GPUDL_OK)
        status = gpudl_library_rollback(lib);
    if (status == GPUDL_OK)
        status = gpudl_library_pin(lib, &v);
    config.version = v;
    if (status == GPUDL_OK)
        status = gpudl_launch(a, &config, 1, 2.f);
    gpudl_version_unpin(v);
    gpudl_kernel_release(a);
    return status;
}

static gpudl_status turning(gpudl_loader *l, void *user)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), NULL, &lib);

    (void)user;
    if (status != GPUDL_OK)
        return status;
    status = turn_it(lib);
    gpudl_library_release(lib);
    return status;
}

static void whatever_fails_nothing_is_lost(void **state)
{
    (void)state;
    harness_fail_allocations(turning, NULL);
    nulldrv_reset();
    harness_fail_driver_calls(719, turning, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(kernels_follow_their_library),
        TEST(new_code_is_resident_before_it_is_seen),
        TEST(it_is_resident_where_launches_may_have_made_it),
        TEST(a_pin_keeps_what_it_took),
        TEST(names_and_log_of_a_pinned_version_stay),
        TEST(a_pinned_launch_knows_whose_version_it_is),
        TEST(what_does_not_fit_is_refused),
        TEST(refused_launches_ask_for_nothing),
        TEST(what_nobody_asked_for_may_go),
        TEST(a_library_goes_back_to_what_was_kept),
        TEST(code_with_globals_is_not_replaced_by_itself),
        TEST(wrong_arguments_are_told),
        TEST(replaces_under_load_fail_no_launch),
        TEST(whatever_fails_nothing_is_lost),
    };

    return cmocka_run_group_tests_name("replace", tests, NULL, NULL);
}
