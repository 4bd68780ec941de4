/* What a launch may be using is not freed; what no launch can be using is. */
#include "src/loader/launch/epoch.h"
#include "src/loader/loader.h"
#include "tests/loader/common.h"

static void a_pin_holds_back_what_went_out_of_sight_after_it(void **state)
{
    struct thread *self = thread_self();
    uint64_t before, after;

    (void)state;
    gpudl__epoch_init();
    assert_non_null(self);
    before = gpudl__epoch_advance();
    epoch_pin(self);
    assert_true(gpudl__epoch_passed(before)); /* pinned later: cannot see it */
    after = gpudl__epoch_advance();
    assert_false(gpudl__epoch_passed(after));
    epoch_unpin(self);
    assert_true(gpudl__epoch_passed(after));
    epoch_pin(self);
    assert_true(gpudl__epoch_passed(after));
    epoch_unpin(self);
}

/* As if this thread were inside a launch for the time of a release. */
static void code_is_unloaded_after_the_launch_and_not_before(void **state)
{
    gpudl_loader *l = harness_open_keeping_nothing();
    gpudl_library *lib, *other;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_cubin), NULL, &other));
    epoch_pin(thread_self());
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 2);
    epoch_unpin(thread_self());
    assert_int_equal(nulldrv_alive("library"), 2); /* nobody looked yet */
    gpudl_library_release(other);
    assert_int_equal(nulldrv_alive("library"), 0);
    harness_close(l);
}

static void closing_looks_once_more(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    epoch_pin(thread_self());
    gpudl_library_release(lib);
    gpudl_loader_close(l);
    assert_non_null(strstr(harness_log(), "launch is under way"));
    epoch_unpin(thread_self());
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_pin_holds_back_what_went_out_of_sight_after_it),
        TEST(code_is_unloaded_after_the_launch_and_not_before),
        TEST(closing_looks_once_more),
    };

    return cmocka_run_group_tests_name("epoch", tests, NULL, NULL);
}
