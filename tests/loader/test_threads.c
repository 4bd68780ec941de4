/* Threads launch, load and release at the same time: no launch ever meets code that was unloaded (the null driver counts
 * those), and nothing is left at the end. Run it under ThreadSanitizer. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/loader/common.h"

enum { ROUNDS = 300, LAUNCHERS = 3, LOADERS = 2 };

struct shared {
    gpudl_loader *loader;
    gpudl_library *library;
    atomic_int done, failed;
};

/* cmocka's assertions belong to the main thread: others count. */
#define count_unless(what, condition) \
    do { \
        if (!(condition)) \
            atomic_fetch_add(&(what)->failed, 1); \
    } while (0)

static void *launch_all_the_time(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct shared *s = user;
    gpudl_kernel *k;

    count_unless(s, gpudl_loader_use_device(s->loader, 0) == GPUDL_OK);
    count_unless(s, gpudl_kernel_get(s->library, "axpy", &k) == GPUDL_OK);
    while (!atomic_load(&s->done))
        for (int i = 0; i < 100; i++)
            count_unless(s, gpudl_kernel_launch_params(k, &config, NULL) == GPUDL_OK);
    gpudl_kernel_release(k);
    return NULL;
}

/* The same content as the others, so the version is shared, found and dropped all the time; and kernels that nobody had, so
 * that bindings grow. */
static void *load_all_the_time(void *user)
{
    static const char *const names[] = { "negate", "ns::scale<float, 4>", "ns::scale<double, 2>", "ns::fill<7>", "twice(float*)",
        "axpy" };
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct shared *s = user;
    gpudl_library *lib;
    gpudl_kernel *k;

    for (int i = 0; i < ROUNDS; i++) {
        const gpudl_source *source = i % 3 ? DATA_SOURCE(names_cubin) : DATA_SOURCE(globals_cubin);
        count_unless(s, gpudl_library_load(s->loader, source, NULL, &lib) == GPUDL_OK);
        count_unless(s, gpudl_kernel_get(lib, i % 3 ? names[i % 6] : "bump", &k) == GPUDL_OK);
        gpudl_library_release(lib);
        count_unless(s, gpudl_kernel_launch_params(k, &config, NULL) == GPUDL_OK);
        gpudl_kernel_release(k);
    }
    return NULL;
}

static void launches_never_meet_unloaded_code(void **state)
{
    struct shared s = { .loader = harness_open_keeping_nothing() };
    pthread_t launchers[LAUNCHERS], loaders[LOADERS];

    (void)state;
    assert_ok(gpudl_library_load(s.loader, DATA_SOURCE(names_ptx), NULL, &s.library));
    for (int i = 0; i < LAUNCHERS; i++)
        assert_int_equal(pthread_create(&launchers[i], NULL, launch_all_the_time, &s), 0);
    for (int i = 0; i < LOADERS; i++)
        assert_int_equal(pthread_create(&loaders[i], NULL, load_all_the_time, &s), 0);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(loaders[i], NULL);
    atomic_store(&s.done, 1);
    for (int i = 0; i < LAUNCHERS; i++)
        pthread_join(launchers[i], NULL);
    assert_int_equal(s.failed, 0);
    gpudl_library_release(s.library);
    harness_close(s.loader);
}

/* Slots are added while others launch from the same library, and have their first checked launches: its bindings are turned
 * under them. */
static void *grow(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct shared *s = user;
    char name[16];

    for (int i = 0; i < 200; i++) {
        gpudl_kernel *k;
        sprintf(name, "k%d", i);
        count_unless(s, gpudl_kernel_get(s->library, name, &k) == GPUDL_OK);
        count_unless(s, gpudl_kernel_launch_params(k, &config, NULL) == GPUDL_OK);
        config.shared_bytes = (unsigned)i % 2 * 100000;
        count_unless(s, gpudl_launch(k, &config, i) == GPUDL_OK);
        count_unless(s, gpudl_launch(k, &config, 1.) == GPUDL_ERROR_LAUNCH_ARGUMENTS);
        config.shared_bytes = 0;
        gpudl_kernel_release(k);
    }
    return NULL;
}

static void grow_once(struct shared *s, const char *ptx)
{
    pthread_t launcher, growers[2];

    atomic_store(&s->done, 0);
    assert_ok(gpudl_library_load(s->loader, GPUDL_MEMORY(ptx, strlen(ptx)), NULL, &s->library));
    assert_int_equal(pthread_create(&launcher, NULL, launch_all_the_time, s), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&growers[i], NULL, grow, s), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(growers[i], NULL);
    atomic_store(&s->done, 1);
    pthread_join(launcher, NULL);
    gpudl_library_release(s->library);
}

static void libraries_grow_under_launches(void **state)
{
    static char ptx[65536] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry axpy() { ret; }\n";
    struct shared s = { .loader = harness_open_keeping_nothing() };

    (void)state;
    for (int i = 0; i < 200; i++)
        sprintf(ptx + strlen(ptx), ".visible .entry k%d(.param .u32 a) { ret; }\n", i);
    for (int i = 0; i < 20; i++)
        grow_once(&s, ptx);
    assert_int_equal(s.failed, 0);
    harness_close(s.loader);
}

/* The names and numbers of a library's kernels are asked for while it is replaced. */
static void *ask_all_the_time(void *user)
{
    struct shared *s = user;
    gpudl_kernel *k = NULL;
    size_t n;

    count_unless(s, gpudl_kernel_get(s->library, "a", &k) == GPUDL_OK);
    while (!atomic_load(&s->done)) {
        gpudl_param_info info = { .size_of_struct = sizeof(info) };
        count_unless(s, gpudl_library_kernel_count(s->library) == 1);
        count_unless(s, gpudl_library_kernel_name(s->library, 1) == NULL);
        count_unless(s, gpudl_library_log(s->library) != NULL);
        count_unless(s, gpudl_kernel_param_count(k, &n) == GPUDL_OK && n == 1);
        count_unless(s, gpudl_kernel_param(k, 0, &info) == GPUDL_OK && info.size == 4);
    }
    gpudl_kernel_release(k);
    return NULL;
}

static void a_library_is_asked_while_it_is_replaced(void **state)
{
    static const char head[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    struct shared s = { .loader = harness_open_keeping_nothing() };
    pthread_t askers[2];
    char text[256];

    (void)state;
    snprintf(text, sizeof(text), "%s.visible .entry a(.param .u32 n) { ret; }\n", head);
    assert_ok(gpudl_library_load(s.loader, GPUDL_MEMORY(text, strlen(text)), NULL, &s.library));
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&askers[i], NULL, ask_all_the_time, &s), 0);
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof(text), "%s// %d\n.visible .entry a(.param .u32 n) { ret; }\n", head, i);
        assert_ok(gpudl_library_replace(s.library, GPUDL_MEMORY(text, strlen(text)), NULL));
    }
    atomic_store(&s.done, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(askers[i], NULL);
    assert_int_equal(s.failed, 0);
    gpudl_library_release(s.library);
    harness_close(s.loader);
}

static atomic_int within, leave;

static void stay_within(void **params, void **extra)
{
    (void)params, (void)extra;
    atomic_store(&within, 1);
    while (!atomic_load(&leave))
        usleep(100);
}

static void *launch_once(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct shared *s = user;
    gpudl_kernel *k;

    count_unless(s, gpudl_kernel_get(s->library, "axpy", &k) == GPUDL_OK);
    count_unless(s, gpudl_kernel_launch_params(k, &config, NULL) == GPUDL_OK);
    gpudl_kernel_release(k);
    return NULL;
}

static void *leave_soon(void *user)
{
    (void)user;
    usleep(20000);
    atomic_store(&leave, 1);
    return NULL;
}

/* A launch through one loader, in the driver for a while, is waited for by the end of another, and keeps it from nothing. */
static void a_loader_is_closed_while_another_launches(void **state)
{
    struct shared s = { .loader = harness_open() };
    gpudl_loader *other = harness_open();
    gpudl_library *lib;
    pthread_t t, soon;

    (void)state;
    assert_ok(gpudl_library_load(s.loader, DATA_SOURCE(names_ptx), NULL, &s.library));
    assert_ok(gpudl_library_load(other, DATA_SOURCE(names_ptx), NULL, &lib));
    nulldrv_on_launch(stay_within);
    assert_int_equal(pthread_create(&t, NULL, launch_once, &s), 0);
    while (!atomic_load(&within))
        usleep(100);
    gpudl_library_release(lib);
    assert_int_equal(pthread_create(&soon, NULL, leave_soon, NULL), 0);
    gpudl_loader_close(other);
    assert_null(strstr(harness_log(), "stays open"));
    pthread_join(soon, NULL);
    pthread_join(t, NULL);
    assert_int_equal(s.failed, 0);
    gpudl_library_release(s.library);
    harness_close(s.loader);
}

/* Each thread has its own last failure; records of threads that ended are taken over clean. */
static void *fail_alone(void *user)
{
    struct shared *s = user;
    gpudl_library *lib;

    count_unless(s, strcmp(gpudl_error_text(), "") == 0 && gpudl_error_cuda() == 0);
    count_unless(s, gpudl_library_load(s->loader, GPUDL_FILE("/nowhere"), NULL, &lib) == GPUDL_ERROR_FILE_MISSING);
    count_unless(s, strstr(gpudl_error_text(), "/nowhere") != NULL);
    return NULL;
}

static void errors_are_the_threads_own(void **state)
{
    struct shared s = { .loader = harness_open_keeping_nothing() };
    gpudl_library *lib;
    pthread_t t;

    (void)state;
    assert_fails(gpudl_library_load(s.loader, GPUDL_FILE("/here"), NULL, &lib), GPUDL_ERROR_FILE_MISSING, "/here");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(pthread_create(&t, NULL, fail_alone, &s), 0);
        pthread_join(t, NULL);
    }
    assert_int_equal(s.failed, 0);
    assert_non_null(strstr(gpudl_error_text(), "/here"));
    harness_close(s.loader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(launches_never_meet_unloaded_code),
        TEST(libraries_grow_under_launches),
        TEST(a_library_is_asked_while_it_is_replaced),
        TEST(a_loader_is_closed_while_another_launches),
        TEST(errors_are_the_threads_own),
    };

    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
