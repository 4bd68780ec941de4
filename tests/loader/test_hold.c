/* Launches step aside for a call that needs the driver to itself, and never for long. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "src/loader/launch/epoch.h"
#include "src/loader/launch/hold.h"
#include "tests/loader/common.h"

struct launcher {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *kernel;
    pthread_t thread;
    atomic_bool stop;
    atomic_ulong launches, failed;
};

static void *launch_all_the_time(void *arg)
{
    struct launcher *l = arg;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    if (gpudl_loader_use_device(l->loader, 0) != GPUDL_OK)
        atomic_fetch_add(&l->failed, 1);
    while (!atomic_load(&l->stop)) {
        if (gpudl_kernel_launch_params(l->kernel, &config, NULL) != GPUDL_OK)
            atomic_fetch_add(&l->failed, 1);
        atomic_fetch_add(&l->launches, 1);
    }
    return NULL;
}

static void begin(struct launcher *l)
{
    l->loader = harness_open();
    assert_ok(gpudl_loader_use_device(l->loader, 0));
    assert_ok(gpudl_library_load(l->loader, DATA_SOURCE(names_ptx), NULL, &l->library));
    assert_ok(gpudl_kernel_get(l->library, "axpy", &l->kernel));
}

static void start(struct launcher *l)
{
    assert_int_equal(pthread_create(&l->thread, NULL, launch_all_the_time, l), 0);
    while (!atomic_load(&l->launches))
        usleep(10);
}

static void end(struct launcher *l)
{
    gpudl_kernel_release(l->kernel);
    gpudl_library_release(l->library);
    harness_close(l->loader);
}

static void wait_for_more(struct launcher *l)
{
    unsigned long before = atomic_load(&l->launches);

    while (atomic_load(&l->launches) < before + 10)
        usleep(10);
}

/* The one that is under way when it begins is not held. */
static bool none_while_held(struct launcher *l)
{
    unsigned long first, last;

    gpudl__launches_hold();
    usleep(2000);
    first = atomic_load(&l->launches);
    usleep(2000);
    last = atomic_load(&l->launches);
    gpudl__launches_let_go();
    return first == last;
}

static void launches_wait_for_the_end_of_a_held_call(void **state)
{
    struct launcher l = { 0 };
    int tries = 0;

    (void)state;
    begin(&l);
    start(&l);
    while (!none_while_held(&l)) /* a machine so busy that 4 ms took 20 */
        assert_true(tries++ < 100);
    wait_for_more(&l);
    atomic_store(&l.stop, true);
    pthread_join(l.thread, NULL);
    assert_int_equal(atomic_load(&l.failed), 0);
    end(&l);
}

static void a_call_that_does_not_come_back_holds_nobody_for_ever(void **state)
{
    struct launcher l = { 0 };

    (void)state;
    begin(&l);
    start(&l);
    gpudl__launches_hold();
    wait_for_more(&l);
    gpudl__launches_let_go();
    wait_for_more(&l);
    atomic_store(&l.stop, true);
    pthread_join(l.thread, NULL);
    end(&l);
}

static void calls_that_follow_each_other_at_once_let_launches_through(void **state)
{
    struct launcher l = { 0 };
    unsigned long before;

    (void)state;
    begin(&l);
    start(&l);
    before = atomic_load(&l.launches);
    gpudl__launches_hold();
    while (atomic_load(&l.launches) < before + 100) {
        gpudl__launches_hold(); /* there is always one */
        gpudl__launches_let_go();
    }
    gpudl__launches_let_go();
    atomic_store(&l.stop, true);
    pthread_join(l.thread, NULL);
    end(&l);
}

static void who_holds_does_not_wait_for_itself(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct launcher l = { 0 };
    uint64_t epoch;

    (void)state;
    begin(&l);
    gpudl__launches_hold();
    gpudl__launches_hold();
    epoch = gpudl__epoch_advance();
    assert_ok(gpudl_kernel_launch_params(l.kernel, &config, NULL));
    gpudl__launches_let_go();
    assert_ok(gpudl_kernel_launch_params(l.kernel, &config, NULL));
    gpudl__launches_let_go();
    assert_true(gpudl__epoch_passed(epoch));
    assert_true(epoch < gpudl__epoch_advance()); /* a hold is no part of the number */
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(launches_wait_for_the_end_of_a_held_call),
        TEST(a_call_that_does_not_come_back_holds_nobody_for_ever),
        TEST(calls_that_follow_each_other_at_once_let_launches_through),
        TEST(who_holds_does_not_wait_for_itself),
    };

    return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
