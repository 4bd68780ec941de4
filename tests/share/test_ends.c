/* Copies of gpudl that go in other ways than by closing their loaders: plugins that are unloaded as they are, graphs that hold code,
 * children, crashes, the end of the process. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/share/sides.h"

/* Asked by LeakSanitizer: a plugin that goes with its loader open leaves its heap. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* ------------------------------------------------------------------------------------------------- plugins that just go */

static void an_open_loader_hands_on_when_its_plugin_goes(void **state)
{
    struct side a, b;

    (void)state;
    side_open(&b, "static");
    side_open(&a, "static");
    side_load(&a);
    side_launch(&a, "axpy");
    side_close_plugin(&a); /* with all that it has */
    assert_int_equal(nulldrv_alive("library"), 1);
    side_load(&b); /* finds it */
    side_launch(&b, "axpy");
    assert_int_equal(loads(), 1);
    side_open(&a, "static");
    side_load_with(&a, DATA_SOURCE(names_ptx), NULL);
    side_close_plugin(&a);
    side_release(&b); /* takes in what nobody looked for */
    assert_int_equal(side_stats(&b).warm, 2);
    side_ok(&b, loader_trim(b.loader, 0, 0));
    side_ok(&b, loader_reap(b.loader, 0, NULL));
    assert_int_equal(nulldrv_alive("library"), 0);
    side_close(&b);
    assert_int_equal(nulldrv_misuses(NULL), 0);
}

static void nobody_is_left_to_hand_on_to(void **state)
{
    struct side a;

    (void)state;
    for (int i = 0; i < 5; i++) {
        long before = nulldrv_alive("library");
        side_open(&a, "static");
        side_load(&a);
        side_launch(&a, "axpy");
        side_close_plugin(&a);
        assert_int_equal(nulldrv_alive("library"), before + 1); /* stays in the driver, as without sharing */
    }
    assert_int_equal(nulldrv_misuses(NULL), 0);
}

/* The driver will call the plugin when the graph goes. */
static void a_graph_holds_the_code_that_it_calls(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct plugin again;
    struct side a, b;
    gpudl_kernel *k;
    CUstream stream;

    (void)state;
    side_open(&b, "static");
    side_load(&b);
    side_open(&a, "static");
    side_load(&a);
    side_ok(&a, loader_use_device(a.loader, 0));
    assert_int_equal(a.g->loader_driver(a.loader)->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING), 0);
    nulldrv_capture(stream);
    config.stream = stream;
    side_ok(&a, kernel_get(a.library, "axpy", &k));
    side_ok(&a, kernel_launch_params(k, &config, NULL));
    a.g->kernel_release(k);
    side_release(&a);
    again = a.plugin;
    assert_false(plugin_close(&a.plugin));
    nulldrv_destroy_graph();
    assert_int_equal(a.g->loader_driver(a.loader)->StreamDestroy(stream), 0);
    assert_true(plugin_reopen(&again));
    a.g->loader_close(a.loader);
    assert_true(plugin_close(&again));
    side_launch(&b, "axpy");
    side_close(&b);
    assert_int_equal(loads(), 1);
    assert_int_equal(nulldrv_misuses(NULL), 0);
}

/* ----------------------------------------------------------------------------------------------------------- children */

static void dump_no_core(void)
{
    const struct rlimit none = { 0, 0 };

    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
}

static void crash(struct side *s)
{
    dump_no_core();
    s->g->crash();
}

/* All that a child can do to what its parent has. */
static void leave(struct side *s)
{
    side_close(s);
    exit(7);
}

static void leave_without_closing(struct side *s)
{
    plugin_close(&s->plugin);
    exit(7);
}

/* Its status. */
static int in_a_child(void (*what)(struct side *), struct side *s)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        what(s);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void what_becomes_of_a_child_is_its_own(void **state)
{
    struct side a, b;
    int status;

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    side_load(&a);
    side_load(&b);
    status = in_a_child(crash, &a);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    status = in_a_child(leave, &a);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = in_a_child(leave_without_closing, &b);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    side_launch(&a, "axpy");
    side_close(&a);
    side_launch(&b, "axpy");
    side_close(&b);
    assert_int_equal(loads(), 1);
    assert_int_equal(nulldrv_alive("library"), 0);
    assert_int_equal(nulldrv_misuses(NULL), 0);
}

/* ------------------------------------------------------------------------------------------------------ the process's end */

static void look_at_exit(void)
{
    if (nulldrv_calls("cuLibraryUnload") != 0)
        _exit(9);
}

static void end_with_all_open(struct side *unused)
{
    static struct side s[3];

    (void)unused;
    atexit(look_at_exit);
    side_open(&s[0], "static");
    side_open(&s[1], "own");
    side_open(&s[2], "shared");
    for (int i = 0; i < 3; i++) {
        side_load(&s[i]);
        side_launch(&s[i], "axpy");
    }
    exit(7);
}

/* In a child, too: nothing of gpudl was open when it was forked. */
static void a_process_may_end_with_all_open(void **state)
{
    int status = in_a_child(end_with_all_open, NULL);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_process_may_end_with_all_open), /* first: a process that has opened a driver has no children that do */
        TEST(what_becomes_of_a_child_is_its_own),
        TEST(a_graph_holds_the_code_that_it_calls),
        TEST(an_open_loader_hands_on_when_its_plugin_goes), /* its context stays retained */
        TEST(nobody_is_left_to_hand_on_to),
    };

    return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}
