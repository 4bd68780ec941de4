/* Options, logs, the default loader, exit and fork. */
#include "tests/loader/common.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void options_are_sized(void **state)
{
    struct {
        gpudl_loader_options options;
        char newer[16];
    } larger = { GPUDL_LOADER_OPTIONS_INIT, { 0 } };
    gpudl_loader *l;

    (void)state;
    larger.options.driver = harness_null_driver();
    larger.options.size = sizeof(larger);
    assert_ok(gpudl_loader_open(&larger.options, &l));
    gpudl_loader_close(l);
    larger.newer[15] = 1;
    assert_fails(gpudl_loader_open(&larger.options, &l), GPUDL_ERROR_TOO_NEW, "built for a newer one");
    larger.options.size = 0;
    assert_fails(gpudl_loader_open(&larger.options, &l), GPUDL_ERROR_ARGUMENT, "sizeof(gpudl_loader_options)");
    larger.options.size = 2 * sizeof(size_t); /* an older caller's: it ends behind driver */
    assert_ok(gpudl_loader_open(&larger.options, &l));
    gpudl_loader_close(l);
    assert_fails(gpudl_loader_open(&larger.options, NULL), GPUDL_ERROR_ARGUMENT, "out");
}

static void nonsense_is_refused(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    options.release = (void (*)(void *, void *))abort;
    assert_fails(gpudl_loader_open(&options, &l), GPUDL_ERROR_ARGUMENT, "both or neither");
    options.release = NULL;
    options.per_thread_stream = 2;
    assert_fails(gpudl_loader_open(&options, &l), GPUDL_ERROR_ARGUMENT, "per_thread_stream");
    l = harness_open();
    load.flags = 1u << 31;
    assert_fails(gpudl_library_load(l, DATA_SOURCE(names_ptx), &load, &lib), GPUDL_ERROR_TOO_NEW, "flags");
    assert_fails(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, NULL), GPUDL_ERROR_ARGUMENT, "out");
    assert_fails(gpudl_kernel_get(NULL, "axpy", (gpudl_kernel **)&lib), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_library_pin(NULL, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_version_native(NULL, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    harness_close(l);
}

static void limits_hold(void **state)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l;
    gpudl_library *lib;

    (void)state;
    nulldrv_set_name("softcuda");
    l = harness_open();
    load.max_image_bytes = 100;
    assert_true(gpudl_library_load(l, DATA_SOURCE(names_fatbin), &load, &lib) != GPUDL_OK);
    assert_true(strlen(gpudl_error_text()) > 0);
    harness_close(l);
}

static void every_status_has_a_name_and_a_text(void **state)
{
    (void)state;
#define CHECK(name, number, text, cause, remedy) \
    assert_string_equal(gpudl_status_name(GPUDL_##name), "GPUDL_" #name); \
    assert_string_equal(gpudl_status_text(GPUDL_##name), text);
    GPUDL_STATUS_LIST(CHECK)
    assert_non_null(gpudl_status_name((gpudl_status)12345));
    assert_non_null(gpudl_status_text((gpudl_status)12345));
}

/* The default loader takes its driver from the environment, and is there for good. */
static void null_is_the_default_loader(void **state)
{
    gpudl_library *lib;

    (void)state;
    setenv("GPUDL_DRIVER", "/nowhere/libcuda.so", 1);
    assert_null(gpudl_loader_driver(NULL));
    assert_non_null(strstr(gpudl_error_text(), "/nowhere/libcuda.so"));
    setenv("GPUDL_DRIVER", harness_null_driver(), 1);
    assert_non_null(gpudl_loader_driver(NULL));
    assert_non_null(strstr(gpudl_loader_driver_text(NULL), "null driver, CUDA 13.0"));
    assert_false(gpudl_loader_is_software(NULL));
    gpudl_loader_close(NULL);
    assert_ok(gpudl_library_load(NULL, DATA_SOURCE(names_ptx), NULL, &lib));
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1); /* warm */
    assert_ok(gpudl_loader_trim(NULL, 0, 0));
    assert_int_equal(nulldrv_alive("library"), 0);
}

/* What the child finds wrong, or 0. It leaves without running the parent's exit handlers. */
static int check_in_child(gpudl_loader *l, gpudl_library *lib, gpudl_kernel *k, gpudl_version *v)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *fresh;
    gpudl_kernel *other;
    unsigned long calls = nulldrv_calls("*");

    gpudl_kernel_release(k);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    gpudl_loader_close(l);
    if (nulldrv_calls("*") != calls)
        return 1;
    if (gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib) != GPUDL_ERROR_FORKED || !strstr(gpudl_error_text(), "fork"))
        return 2;
    if (gpudl_kernel_get(lib, "axpy", &other) != GPUDL_ERROR_FORKED)
        return 3;
    if (gpudl_loader_open(NULL, &fresh) != GPUDL_ERROR_FORKED)
        return 4;
    nulldrv_fail("cuLaunchKernel", 1, 3); /* as CUDA answers in a child */
    return gpudl_kernel_launch_params(k, &config, NULL) == GPUDL_ERROR_FORKED ? 0 : 5;
}

static void a_forked_child_lets_everything_be(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    gpudl_version *v;
    gpudl_kernel *k;
    int status;
    pid_t child;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_library_pin(lib, &v));
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(check_in_child(l, lib, k, v));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    gpudl_kernel_release(k);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    harness_close(l);
}

/* Runs this program again, which does what `what` says and tells by its exit code. */
static int run_again(const char *what)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_loader_process", what, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void nothing_is_unloaded_at_exit(void **state)
{
    (void)state;
    assert_int_equal(run_again("leave"), 0);
}

static void it_is_said_once_that_no_gpu_is_used(void **state)
{
    int code = run_again("auto");

    (void)state;
    if (code == 77)
        skip(); /* there is a GPU, or no softcuda */
    assert_int_equal(code, 0);
}

/* Leaving with everything still loaded unloads nothing, and does not crash. */
static gpudl_library *left;

static void check_at_exit(void)
{
    if (nulldrv_calls("cuLibraryUnload") || nulldrv_alive("library") != 1)
        _exit(9);
}

static int leave(void)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    options.driver = harness_null_driver();
    if (gpudl_loader_open(&options, &l) != GPUDL_OK || gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &left) != GPUDL_OK)
        return 8;
    atexit(check_at_exit);
    return 0;
}

static void count_warning(void *user, gpudl_log_level level, const char *text)
{
    if (level == GPUDL_LOG_WARNING && strstr(text, "NO GPU IS USED"))
        ++*(int *)user;
}

static int warn_once(void)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *first, *second;
    int warnings = 0;

    unsetenv("GPUDL_DRIVER");
    options.log = count_warning;
    options.log_user = &warnings;
    if (gpudl_loader_open(&options, &first) != GPUDL_OK || !gpudl_loader_is_software(first))
        return 77;
    if (warnings != 1 || gpudl_loader_open(&options, &second) != GPUDL_OK || warnings != 1)
        return 1;
    gpudl_loader_close(first);
    gpudl_loader_close(second);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(options_are_sized),
        TEST(nonsense_is_refused),
        TEST(limits_hold),
        TEST(every_status_has_a_name_and_a_text),
        TEST(a_forked_child_lets_everything_be),
        TEST(null_is_the_default_loader),
        TEST(nothing_is_unloaded_at_exit),
        TEST(it_is_said_once_that_no_gpu_is_used),
    };

    if (argc > 1 && strcmp(argv[1], "leave") == 0)
        return leave();
    if (argc > 1 && strcmp(argv[1], "auto") == 0)
        return warn_once();
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
