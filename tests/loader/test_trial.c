/* Trials over the null driver: how the other process is found, started, talked to and ended. This program is its own helper: where
 * GPUDL_TEST_HELPER is set, it plays a gpudl-trial of some kind. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define A    ".visible .entry a(.param .u64 p, .param .u32 n) { ret; }\n"

static const char one[] = HEAD A, two[] = HEAD "// two\n" A;

/* ---------------------------------------------------------------------------------------------------------------- the helper */

static size_t read_all(void)
{
    static char bytes[1 << 16];
    size_t size = 0;
    ssize_t n;

    while ((n = read(0, bytes, sizeof(bytes))) > 0)
        size += (size_t)n;
    return size;
}

static int say(const char *text)
{
    return write(1, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1;
}

/* Descriptors, signals that are blocked or not as by default, how much was read. */
static int tell_state(void)
{
    size_t size = read_all();
    int own, unusual = 0, blocked = 0, open_ones = 0;
    struct sigaction a;
    sigset_t mask;
    char line[256];

    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int s = 1; s < 32; s++) {
        blocked += sigismember(&mask, s) == 1;
        unusual += sigaction(s, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
    }
    for (int fd = 0; fd < 1024; fd++)
        open_ones += fcntl(fd, F_GETFD) >= 0;
    own = getpgrp() == getpid();
    snprintf(line, sizeof(line), "state: %d descriptors, %d blocked, %d ignored, own group %d, read %zu\n", open_ones, blocked,
        unusual, own, size);
    return say(line);
}

static int talk_for_ever(void)
{
    while (say("xxxxxxxxxxxxxxxx") == 0)
        ;
    return 0;
}

static int search(void);
static int run_without_handles(void);
static int run_locked(void);

static int help_as(const char *kind)
{
    signal(SIGPIPE, SIG_IGN);
    if (!strcmp(kind, "search"))
        return search();
    if (!strcmp(kind, "without handles"))
        return run_without_handles();
    if (!strcmp(kind, "locked"))
        return run_locked();
    if (!strcmp(kind, "deaf"))
        return say("load 209 it says\\nno \\\\ more\n");
    if (!strcmp(kind, "long"))
        return talk_for_ever();
    if (!strcmp(kind, "killed"))
        return kill(getpid(), SIGTERM);
    if (!strcmp(kind, "silent"))
        return 3;
    signal(SIGPIPE, SIG_DFL);
    if (!strcmp(kind, "state"))
        return tell_state();
    read_all();
    if (!strcmp(kind, "closes")) {
        close(0);
        close(1);
        pause();
    }
    say("ok\n");
    if (!strcmp(kind, "stays"))
        pause();
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------------- a replace */

static int become_helper(const char *kind)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[n > 0 ? n : 0] = '\0';
    setenv("GPUDL_TRIAL", self, 1);
    return setenv("GPUDL_TEST_HELPER", kind, 1);
}

static gpudl_library *load(gpudl_loader *l, const char *text)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    return lib;
}

struct given {
    char content[16];
    gpudl_trial_buffer buffer;
    gpudl_arg args[2];
    gpudl_trial trial;
    gpudl_replace_options options;
};

static struct given *give(struct given *g)
{
    memset(g, 0, sizeof(*g));
    g->buffer = gpudl_trial_buffer_of(GPUDL_TRIAL_U8, g->content, g->content, sizeof(g->content));
    g->args[0] = gpudl_trial_arg(0);
    g->args[1] = GPUDL_ARG(1u);
    g->trial = gpudl_trial_1d("a", 1, 32);
    g->trial.args = g->args;
    g->trial.nargs = 2;
    g->trial.buffers = &g->buffer;
    g->trial.nbuffers = 1;
    g->options = (gpudl_replace_options)GPUDL_REPLACE_OPTIONS_INIT;
    g->options.trials = &g->trial;
    g->options.ntrials = 1;
    return g;
}

static gpudl_status replace(gpudl_library *lib, const char *text, const struct given *g)
{
    return gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), &g->options);
}

/* The library stays as it was, and no child stays. */
static void assert_refused(const char *kind, gpudl_status expected, const char *words)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    struct given g;

    become_helper(kind);
    assert_fails(replace(lib, two, give(&g)), expected, words);
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    gpudl_library_release(lib);
    harness_close(l);
}

/* Before the new code is resident: nothing of it runs here. */
static void a_refused_trial_leaves_the_device_alone(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a;
    struct given g;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_loader_use_device(l, 0));
    gpudl_loader_driver(l)->CtxSetCurrent(NULL); /* there is a context, where the code is to be resident */
    become_helper("silent");
    assert_fails(replace(lib, two, give(&g)), GPUDL_ERROR_TRIAL, "status 3");
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 0);
    become_helper("ok");
    assert_ok(replace(lib, two, give(&g)));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 1);
    assert_int_equal(gpudl_library_generation(lib), 1);
    become_helper("silent");
    assert_ok(replace(lib, two, give(&g)));     /* it is that already */
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static void what_fits_not_is_not_tried(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a;
    struct given g;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    become_helper("silent");
    assert_fails(replace(lib, HEAD ".visible .entry b() { ret; }\n", give(&g)), GPUDL_ERROR_REPLACE, "'a'");
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static void the_other_process_has_nothing_of_this_one(void **state)
{
    int fd = open("/dev/null", O_RDONLY);       /* not close-on-exec */
    sigset_t usr1, before;

    (void)state;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    signal(SIGUSR2, SIG_IGN);
    assert_refused("state", GPUDL_ERROR_TRIAL, "3 descriptors, 0 blocked, 0 ignored, own group 1");
    signal(SIGUSR2, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(fd);
}

static void any_other_answer_is_a_refusal(void **state)
{
    (void)state;
    assert_refused("silent", GPUDL_ERROR_TRIAL, "ended without an answer, with status 3");
    assert_refused("killed", GPUDL_ERROR_TRIAL, "killed by signal 15");
    assert_refused("closes", GPUDL_ERROR_TRIAL, "ended without an answer");
    assert_refused("long", GPUDL_ERROR_TRIAL, "gpudl-trial answered 'xxxx");
    assert_refused("deaf", GPUDL_ERROR_TRIAL, "it says\nno \\ more");
    assert_int_equal(gpudl_error_cuda(), 209);
}

/* More than a socket holds; one that does not read it is no SIGPIPE. */
static void descriptions_may_be_large(void **state)
{
    static const char *const kinds[] = { "state", "deaf", "ok" };
    enum { LARGE = 5 << 20 };
    char *large = calloc(1, LARGE);
    struct given g;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gpudl_loader *l = harness_open();
        gpudl_library *lib = load(l, one);

        become_helper(kinds[i]);
        give(&g)->buffer.bytes = large;
        g.buffer.expected = large;
        g.buffer.nbytes = LARGE;
        if (i == 0)
            assert_fails(replace(lib, two, &g), GPUDL_ERROR_TRIAL, "read 1048"); /* 2 * 5 MiB, and the rest */
        if (i == 1)
            assert_fails(replace(lib, two, &g), GPUDL_ERROR_TRIAL, "it says");
        if (i == 2)
            assert_ok(replace(lib, two, &g));
        gpudl_library_release(lib);
        harness_close(l);
    }
    free(large);
}

static void who_has_answered_is_not_waited_for(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    struct given g;

    (void)state;
    become_helper("stays");
    assert_ok(replace(lib, two, give(&g)));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    gpudl_library_release(lib);
    harness_close(l);
}

/* ----------------------------------------------------------------------------------------------------------------- the program */

/* In another process, from another folder: nothing is beside it. */
static int search(void)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    struct given g;

    assert_fails(replace(lib, two, give(&g)), GPUDL_ERROR_FILE_MISSING, "");
    return say(gpudl_error_text());
}

static void a_missing_program_is_told_with_where_it_was_looked_for(void **state)
{
    char folder[] = "/tmp/gpudl-trial-XXXXXX", command[16384], self[4096], driver[4096], line[8192] = "";
    FILE *out;

    (void)state;
    become_helper("search");
    snprintf(self, sizeof(self), "%s", getenv("GPUDL_TRIAL"));
    snprintf(driver, sizeof(driver), "%s", harness_null_driver());
    *strrchr(driver, '/') = '\0';
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command),
        "cp '%s' %s/x && env -u GPUDL_TRIAL PATH=/nowhere::/elsewhere LD_LIBRARY_PATH='%s' %s/x; rm -r %s", self, folder, driver,
        folder, folder);
    out = popen(command, "r");
    assert_non_null(out);
    assert_non_null(fgets(line, sizeof(line), out));
    pclose(out);
    assert_non_null(strstr(line, "trial launches need gpudl-trial"));
    assert_non_null(strstr(line, folder));
    assert_non_null(strstr(line, "/../bin/gpudl-trial, "));
    assert_non_null(strstr(line, "/nowhere/gpudl-trial, /elsewhere/gpudl-trial"));
    setenv("GPUDL_TRIAL", "/nowhere/trial", 1);
    unsetenv("GPUDL_TEST_HELPER");
}

static void a_program_that_is_named_and_not_there_is_told(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    struct given g;

    (void)state;
    setenv("GPUDL_TRIAL", "/nowhere/trial", 1);
    assert_fails(replace(lib, two, give(&g)), GPUDL_ERROR_FILE_MISSING, "GPUDL_TRIAL is '/nowhere/trial'");
    setenv("GPUDL_TRIAL", "/proc", 1);  /* a folder can be entered, and not be run */
    assert_fails(replace(lib, two, give(&g)), GPUDL_ERROR_TRIAL, "cannot be started");
    gpudl_library_release(lib);
    harness_close(l);
}

/* The library's and the source's signature, by a key of this moment. */
static void sign(const char *secret, const char *text, char *signature, gpudl_trust_options *trust)
{
    gpudl_sign_options s = GPUDL_SIGN_OPTIONS_INIT;

    s.secret_key = secret;
    assert_ok(gpudl_trust_sign(GPUDL_MEMORY(text, strlen(text)), &s, signature));
    *trust = (gpudl_trust_options)GPUDL_TRUST_OPTIONS_INIT;
    trust->signature = signature;
    trust->signature_size = strlen(signature);
}

/* The environment names a program that is not there; beside this one is the real one, and that is taken. */
static void the_environment_has_no_say(void **state)
{
    char public[GPUDL_PUBLIC_KEY_TEXT], secret[GPUDL_SECRET_KEY_TEXT], signature[GPUDL_SIGNATURE_TEXT];
    gpudl_trust_options policy = GPUDL_TRUST_OPTIONS_INIT, trust;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_load_options load_options = GPUDL_LOAD_OPTIONS_INIT;
    const char *const keys[] = { public };
    gpudl_library *lib = NULL;
    gpudl_loader *l;
    struct given g;

    (void)state;
    assert_ok(gpudl_trust_keygen(NULL, public, secret));
    policy.policy = GPUDL_TRUST_SIGNATURE;
    policy.locked = 1;
    policy.keys = keys;
    policy.nkeys = 1;
    options.trust = &policy;
    l = harness_open_with(options);
    load_options.trust = &trust;
    sign(secret, one, signature, &trust);
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), &load_options, &lib));
    sign(secret, two, signature, &trust);
    give(&g)->options.load = &load_options;
    g.trial.kernel = "gone";
    setenv("GPUDL_TRIAL", "/nowhere/trial", 1);
    assert_fails(replace(lib, two, &g), GPUDL_ERROR_TRIAL, "'gone'");
    gpudl_library_release(lib);
    harness_close(l);
}

static int run_locked(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup(the_environment_has_no_say, reset_driver) };

    unsetenv("GPUDL_TEST_HELPER");
    return cmocka_run_group_tests_name("trial, under a locked policy", tests, NULL, NULL);
}

static void under_a_locked_policy_the_environment_has_no_say(void **state)
{
    (void)state;
    become_helper("locked");
    assert_int_equal(system("exec \"$GPUDL_TRIAL\" >&2"), 0);
}

/* ------------------------------------------------------------------------------------------------------------ arguments, memory */

static void wrong_trials_are_told_at_once(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_task *task;
    struct given g;

    (void)state;
#define assert_wrong(what, words) \
    do { \
        give(&g); \
        what; \
        assert_fails(replace(lib, two, &g), GPUDL_ERROR_ARGUMENT, words); \
        assert_fails(gpudl_library_replace_async(lib, GPUDL_MEMORY(two, strlen(two)), &g.options, NULL, &task), \
            GPUDL_ERROR_ARGUMENT, words); \
    } while (0)
    assert_wrong(g.options.trials = NULL, "trials is NULL");
    assert_wrong(g.trial.size = 1, "gpudl_trial.size is 1");
    assert_wrong(g.trial.args = NULL, "trial 0 (they count from 0): args or buffers is NULL");
    assert_wrong(g.buffer.size = 0, "gpudl_trial_buffer.size is 0");
    assert_wrong(g.buffer.element = 11, "buffer 0: element");
    assert_wrong(g.buffer.reserved = 1, "reserved is 0");
    assert_wrong(g.buffer.absolute = -1, "a tolerance is 0 or more");
    assert_wrong((g.buffer.element = GPUDL_TRIAL_F64, g.buffer.nbytes = 12), "no multiple of an element's 8");
    assert_wrong(g.args[0] = gpudl_trial_arg(1), "argument 0 is the address of buffer 1, and there are 1");
    assert_wrong(g.args[0] = GPUDL_ARG((const void *)&g), "argument 0 is a pointer");
    assert_wrong(g.args[1].type = 16, "argument 1 is not as");
    assert_wrong(g.args[1].size = 9, "argument 1 is not as");
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_buffer_is_no_argument_of_other_launches(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one);
    gpudl_kernel *a;
    struct given g;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_fails(gpudl_kernel_launch(a, &config, give(&g)->args, 2), GPUDL_ERROR_LAUNCH_ARGUMENTS, "");
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

static void registered_code_cannot_be_tried(void **state)
{
    gpudl_registered_kernel kernel = { "a", NULL, NULL, NULL };
    gpudl_source source = gpudl_source_registered("built in", &kernel, 1);
    gpudl_loader *l = harness_open();
    gpudl_library *lib = load(l, one), *other = load(l, two);
    gpudl_version *v;
    CUlibrary native;
    struct given g;

    (void)state;
    become_helper("ok");
    assert_ok(gpudl_library_pin(other, &v));
    assert_ok(gpudl_version_native(v, &native));
    assert_int_equal(gpudl_loader_driver(l)->LibraryGetKernel(&kernel.kernel, native, "a"), 0);
    assert_fails(gpudl_library_replace(lib, &source, &give(&g)->options), GPUDL_ERROR_UNSUPPORTED, "registered kernels have no image");
    gpudl_version_unpin(v);
    gpudl_library_release(other);
    gpudl_library_release(lib);
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------ before Linux 5.3 */

/* From now on this process has no pidfds. */
static int take_handles_away(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void whoever_waits_for_children(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_refused("deaf", GPUDL_ERROR_TRIAL, "it says");
    assert_refused("silent", GPUDL_ERROR_TRIAL, "ended without an answer");
    signal(SIGCHLD, SIG_DFL);
}

static int run_without_handles(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_refused_trial_leaves_the_device_alone, reset_driver),
        cmocka_unit_test_setup(any_other_answer_is_a_refusal, reset_driver),
        cmocka_unit_test_setup(descriptions_may_be_large, reset_driver),
        cmocka_unit_test_setup(who_has_answered_is_not_waited_for, reset_driver),
        cmocka_unit_test_setup(whoever_waits_for_children, reset_driver),
    };

    if (take_handles_away())
        return 77;
    assert_int_equal(syscall(SYS_pidfd_open, getpid(), 0), -1);
    return cmocka_run_group_tests_name("trial, without pidfds", tests, NULL, NULL);
}

static void it_works_without_handles_of_processes(void **state)
{
    int how;

    (void)state;
    become_helper("without handles");
    how = system("exec \"$GPUDL_TRIAL\" >&2");
    if (WIFEXITED(how) && WEXITSTATUS(how) == 77)
        skip();
    assert_int_equal(how, 0);
}

static gpudl_status tried(gpudl_loader *l, void *user)
{
    gpudl_library *lib = NULL;
    gpudl_status status = gpudl_library_load(l, GPUDL_MEMORY(one, strlen(one)), NULL, &lib);
    gpudl_task *task;
    struct given g;

    (void)user;
    give(&g)->options.trial_driver = "softcuda";
    if (status == GPUDL_OK)
        status = replace(lib, two, &g);
    if (status == GPUDL_OK)
        status = gpudl_library_replace_async(lib, GPUDL_MEMORY(one, strlen(one)), &g.options, NULL, &task);
    if (status == GPUDL_OK) {
        status = gpudl_task_wait(task, UINT64_MAX);
        gpudl_task_release(task);
    }
    gpudl_library_release(lib);
    return status;
}

static void whatever_allocation_fails_nothing_is_left(void **state)
{
    (void)state;
    become_helper("ok");
    harness_fail_allocations(tried, NULL);
}

int main(void)
{
    const char *kind = getenv("GPUDL_TEST_HELPER");
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_refused_trial_leaves_the_device_alone),
        TEST(what_fits_not_is_not_tried),
        TEST(the_other_process_has_nothing_of_this_one),
        TEST(any_other_answer_is_a_refusal),
        TEST(descriptions_may_be_large),
        TEST(who_has_answered_is_not_waited_for),
        TEST(a_missing_program_is_told_with_where_it_was_looked_for),
        TEST(a_program_that_is_named_and_not_there_is_told),
        TEST(under_a_locked_policy_the_environment_has_no_say),
        TEST(wrong_trials_are_told_at_once),
        TEST(a_buffer_is_no_argument_of_other_launches),
        TEST(registered_code_cannot_be_tried),
        TEST(whoever_waits_for_children),
        TEST(it_works_without_handles_of_processes),
        TEST(whatever_allocation_fails_nothing_is_left),
    };

    alarm(120);
    return kind ? help_as(kind) : cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
