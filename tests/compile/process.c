/* Compilers as processes: what they print and end with, and a host that notices nothing. The test runs itself as the compiler. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "tests/compile/fake.h"

static atomic_uint signals;

/* What the test does as a process. */
static int act(char **argv)
{
    const char *what = argv[1];
    sigset_t mask;

    if (!strcmp(what, "say")) {
        printf("out ");
        fflush(stdout);
        fprintf(stderr, "err %s", getenv("WORD") ? getenv("WORD") : "none");
        return atoi(argv[2]);
    }
    if (!strcmp(what, "flood")) {
        for (int i = 0; i < 100000; i++)
            puts("a line of some length, so that a pipe fills up, and is drained, and fills up again");
        return 3;
    }
    if (!strcmp(what, "sleep")) {
        if (fork() == 0) /* and something that it has started */
            execl(argv[0], argv[0], "sleep-alone", NULL);
        pause();
    }
    if (!strcmp(what, "sleep-alone"))
        for (;;)
            pause();
    if (!strcmp(what, "signals")) {
        struct sigaction act;
        sigprocmask(SIG_SETMASK, NULL, &mask);
        for (int s = 1; s < 32; s++)
            if (sigismember(&mask, s) || (sigaction(s, NULL, &act) == 0 && act.sa_handler == SIG_IGN))
                return s;
        return 0;
    }
    if (!strcmp(what, "files")) {
        for (int fd = 3; fd < 200; fd++)
            if (fcntl(fd, F_GETFD) >= 0)
                return fd;
        return read(0, &(char){ 0 }, 1) == 0 ? 0 : 1;
    }
    raise(SIGKILL);
    return 0;
}

static enum process_end run(const char *what, const char *more, struct strings *output, int *status)
{
    char self[PATH_MAX];
    const char *const arguments[] = { self, what, more, NULL }, *const environment[] = { "WORD=word", NULL };
    const struct process p = { arguments, environment, NULL, NULL, NULL };
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[n > 0 ? n : 0] = '\0';
    gpudl__strings_free(output);
    return gpudl__process_run(&p, output, status);
}

static void output_and_status_are_told(void **state)
{
    struct strings output = { .data = NULL };
    int status;

    (void)state;
    assert_int_equal(run("say", "42", &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 42);
    assert_string_equal(output.data, "out err word");
    assert_int_equal(run("say", "0", &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 0);
    assert_int_equal(run("crash", NULL, &output, &status), PROCESS_KILLED);
    assert_int_equal(status, SIGKILL);
    gpudl__strings_free(&output);
}

static void much_output_is_drained(void **state)
{
    struct strings output = { .data = NULL };
    int status;

    (void)state;
    assert_int_equal(run("flood", NULL, &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 3);
    assert_true(output.used > 1000000);
    gpudl__strings_free(&output);
}

static void what_cannot_be_started_is_told(void **state)
{
    const char *const arguments[] = { "/nowhere/nvcc", NULL }, *const environment[] = { NULL };
    const struct process p = { arguments, environment, NULL, NULL, NULL };
    struct strings output = { .data = NULL };
    int status;

    (void)state;
    assert_int_equal(gpudl__process_run(&p, &output, &status), PROCESS_NOT_STARTED);
    assert_int_equal(status, ENOENT);
    gpudl__strings_free(&output);
}

static void on_child(int s)
{
    int kept = errno;

    (void)s;
    signals++;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* as many programs do */
        ;
    errno = kept;
}

/* Its handler of SIGCHLD is not called, and its wait() gets nothing, whatever it has set. */
static void the_host_notices_nothing(void **state)
{
    struct strings output = { .data = NULL };
    struct sigaction act = { .sa_handler = on_child }, before;
    int status;

    (void)state;
    sigaction(SIGCHLD, &act, &before);
    assert_int_equal(run("say", "7", &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 7);
    assert_int_equal(signals, 0);
    act.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &act, NULL);
    assert_int_equal(run("say", "8", &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 8);
    sigaction(SIGCHLD, &before, NULL);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    gpudl__strings_free(&output);
}

static void the_compiler_gets_no_signals_and_files_of_ours(void **state)
{
    struct strings output = { .data = NULL };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigset_t some, old;
    int status, fd = fcntl(0, F_DUPFD_CLOEXEC, 50);

    (void)state;
    sigaction(SIGPIPE, &ignore, &before);
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigprocmask(SIG_BLOCK, &some, &old);
    assert_int_equal(run("signals", NULL, &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 0);
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGPIPE, &before, NULL);
    assert_int_equal(run("files", NULL, &output, &status), PROCESS_ENDED);
    assert_int_equal(status, 0);
    close(fd);
    gpudl__strings_free(&output);
}

static bool after_a_while(void *user)
{
    return ++*(int *)user > 3;
}

static void what_is_cancelled_ends_with_all_that_it_started(void **state)
{
    char self[PATH_MAX] = "";
    const char *const arguments[] = { self, "sleep", NULL }, *const environment[] = { NULL };
    int asked = 0, status;
    const struct process p = { arguments, environment, NULL, after_a_while, &asked };
    struct strings output = { .data = NULL };

    (void)state;
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    assert_int_equal(gpudl__process_run(&p, &output, &status), PROCESS_CANCELLED); /* and takes the other one with it */
    gpudl__strings_free(&output);
}

static void *in_thread(void *arg)
{
    struct strings output = { .data = NULL };
    char number[12];
    int status;

    for (int i = 0; i < 10; i++) {
        snprintf(number, sizeof(number), "%d", (int)(intptr_t)arg);
        if (run("say", number, &output, &status) != PROCESS_ENDED || status != (int)(intptr_t)arg)
            abort();
    }
    gpudl__strings_free(&output);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[8];

    (void)state;
    for (intptr_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, in_thread, (void *)i), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_are_told),
        cmocka_unit_test(much_output_is_drained),
        cmocka_unit_test(what_cannot_be_started_is_told),
        cmocka_unit_test(the_host_notices_nothing),
        cmocka_unit_test(the_compiler_gets_no_signals_and_files_of_ours),
        cmocka_unit_test(what_is_cancelled_ends_with_all_that_it_started),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };

    return argc > 1 ? act(argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
