/* process.c - runs a compiler, without the host noticing.
 *
 *     host --clone, no signal at its end--> keeper --clone--> compiler
 *
 * A child of the host itself would send it SIGCHLD, and a handler that waits for any child would take its status away. So the compiler is the
 * child of a keeper, which is a child of a kind that wait() passes over (its exit signal is 0; an exec would set that back, so it makes none).
 * The keeper is a copy of a process with threads: it makes system calls only, writes the compiler's status into a pipe and ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/compile/internal.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* on every architecture */
#endif

enum { FILES_MOST = 1 << 16, OUTPUT_MOST = 4 << 20, CANCEL_EVERY = 20 /* ms */ };

struct pipes {
    int output[2], status[2];
};

struct ending {
    int error;  /* errno of the exec, or 0 */
    int status; /* waitpid's */
};

static void close_all(struct pipes *p)
{
    for (int i = 0; i < 2; i++) {
        if (p->output[i] >= 0)
            close(p->output[i]);
        if (p->status[i] >= 0)
            close(p->status[i]);
    }
}

/* Not below 3: what the host has closed there is the child's for its standard streams. */
static bool make_pipe(int ends[2])
{
    int made[2];

    if (pipe2(made, O_CLOEXEC))
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = made[i] > 2 ? made[i] : fcntl(made[i], F_DUPFD_CLOEXEC, 3);
        if (made[i] <= 2)
            close(made[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* ---- in the keeper: nothing but system calls, by their numbers where sanitizers have functions of these names that take locks */

__attribute__((noreturn)) static void leave(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

static void reset_signals(void)
{
    struct sigaction act = { .sa_handler = SIG_DFL };
    sigset_t none;

    for (int s = 1; s < NSIG; s++)
        if (s != SIGKILL && s != SIGSTOP)
            sigaction(s, &act, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The first that is told is what counts: that it was not started comes before that it ended. */
static void tell(const struct pipes *p, int error, int status)
{
    const struct ending end = { error, status };

    while (syscall(SYS_write, p->status[1], &end, sizeof(end)) < 0 && errno == EINTR)
        ;
}

/* The host may have closed its standard streams: then fd is one of them already, to be kept open. */
static bool lead(int fd, int to)
{
    return fd == to ? syscall(SYS_fcntl, fd, F_SETFD, 0) == 0 : fd >= 0 && syscall(SYS_dup3, fd, to, 0) == to;
}

__attribute__((noreturn)) static void become(const struct process *p, const struct pipes *pipes)
{
    int null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (lead(null, 0) && lead(pipes->output[1], 1) && lead(pipes->output[1], 2) && (!p->folder || !chdir(p->folder))) {
        reset_signals();
        execve(p->arguments[0], (char *const *)(uintptr_t)p->arguments, (char *const *)(uintptr_t)p->environment);
    }
    tell(pipes, errno ? errno : EIO, 0);
    leave(127);
}

static void close_from(unsigned first, unsigned last)
{
    if (first > last || syscall(SYS_close_range, first, last, 0u) == 0)
        return;
    for (unsigned fd = first; fd <= last && fd < FILES_MOST; fd++)
        close((int)fd);
}

/* The host's other files: the pipes of other compilers among them, whose ends would not come before ours. */
static void close_others(const struct pipes *p)
{
    unsigned a = (unsigned)p->output[1], b = (unsigned)p->status[1];

    close_from(3, (a < b ? a : b) - 1);
    close_from((a < b ? a : b) + 1, (a < b ? b : a) - 1);
    close_from((a < b ? b : a) + 1, ~0u);
}

__attribute__((noreturn)) static void keep(const struct process *p, const struct pipes *pipes)
{
    struct sigaction act = { .sa_handler = SIG_DFL };
    int status = 0;
    pid_t child;

    setpgid(0, 0);
    close_others(pipes);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGCHLD, &act, NULL); /* an ignored one would take the status */
    child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0)
        become(p, pipes);
    if (child < 0) {
        tell(pipes, errno, 0);
    } else {
        while (syscall(SYS_wait4, child, &status, 0, NULL) < 0 && errno == EINTR)
            ;
        tell(pipes, 0, status);
    }
    leave(0);
}

/* ---- in the host */

/* No signal gets at the keeper, which has the host's handlers. */
static pid_t start(const struct process *p, const struct pipes *pipes)
{
    sigset_t all, before;
    pid_t keeper;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    keeper = (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (keeper == 0)
        keep(p, pipes);
    error = errno;
    if (keeper > 0)
        setpgid(keeper, keeper); /* as it does itself: whoever comes first */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return keeper;
}

/* Takes what there is; false: the last writer has gone. What is beyond the bound is read, and dropped. */
static bool take_output(int fd, struct strings *output)
{
    char some[16384];
    ssize_t n = read(fd, some, sizeof(some));

    if (n > 0 && output->used < OUTPUT_MOST)
        gpudl__strings_append(output, some, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* What is left in the pipe. Something that the compiler has started may live on, and hold its end. */
static void take_rest(int fd, struct strings *output)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };

    while (poll(&one, 1, 0) == 1 && take_output(fd, output))
        ;
}

/* Until the status comes; false: it was cancelled. */
static bool attend(const struct process *p, const struct pipes *pipes, struct strings *output, struct ending *end)
{
    struct pollfd fds[2] = { { .fd = pipes->status[0], .events = POLLIN }, { .fd = pipes->output[0], .events = POLLIN } };

    for (;;) {
        if (p->cancelled && p->cancelled(p->user))
            return false;
        if (poll(fds, 2, p->cancelled ? CANCEL_EVERY : -1) < 0) {
            if (errno != EINTR)
                return false;
            continue;
        }
        if (fds[1].revents && !take_output(fds[1].fd, output))
            fds[1].fd = -1;
        if (!fds[0].revents)
            continue;
        if (read(fds[0].fd, end, sizeof(*end)) != sizeof(*end))
            *end = (struct ending){ .error = ECHILD }; /* the keeper was ended */
        take_rest(pipes->output[0], output);
        return true;
    }
}

static void reap(pid_t keeper)
{
    while (waitpid(keeper, NULL, __WCLONE) < 0 && errno == EINTR)
        ;
}

static enum process_end what_ended(const struct ending *end, int *status)
{
    if (end->error) {
        *status = end->error;
        return PROCESS_NOT_STARTED;
    }
    if (WIFSIGNALED(end->status)) {
        *status = WTERMSIG(end->status);
        return PROCESS_KILLED;
    }
    *status = WEXITSTATUS(end->status);
    return PROCESS_ENDED;
}

enum process_end gpudl__process_run(const struct process *p, struct strings *output, int *status)
{
    struct pipes pipes = { { -1, -1 }, { -1, -1 } };
    struct ending end;
    bool whole;
    pid_t keeper;

    if (!make_pipe(pipes.output) || !make_pipe(pipes.status) || (keeper = start(p, &pipes)) < 0) {
        *status = errno;
        close_all(&pipes);
        return PROCESS_NOT_STARTED;
    }
    close(pipes.output[1]);
    close(pipes.status[1]);
    pipes.output[1] = pipes.status[1] = -1;
    whole = attend(p, &pipes, output, &end);
    if (!whole)
        kill(-keeper, SIGKILL); /* its group: the compiler, and what that has started */
    close_all(&pipes);
    reap(keeper);
    gpudl__strings_append(output, "", 1);
    return whole ? what_ended(&end, status) : PROCESS_CANCELLED;
}
