/* The process of trial launches, as seen from the program's: started, talked to, ended.
 *
 * It is started by posix_spawn(), which runs no handler of pthread_atfork(), with no descriptor but the conversation's and all signals
 * as they are by default. The conversation is a socket: a write to a process that is gone is an error there, not a SIGPIPE.
 * The program may ignore SIGCHLD, or wait for all its children by itself: then how this one ended is not known, and its number
 * may mean another process any time, so it is held by a descriptor (pidfd) where Linux has them (5.3). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/loader/error.h"
#include "src/loader/life/trial.h"
#include "src/util/clock.h"

enum { PAUSE = 10000000 };      /* ns, between looks at whether it was cancelled */

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct child {
    pid_t pid;
    int handle;                 /* a pidfd, or -1 */
    int socket;
    bool gone;                  /* it says nothing more */
    bool reaped;
    int ended;                  /* how, or -1 */
    size_t piece, sent;         /* what is to be sent next */
    size_t got;
    bool complete;              /* the line */
};

/* ------------------------------------------------------------------------------------------------------------------- starting */

static int set_signals(posix_spawnattr_t *a)
{
    sigset_t none, all;
    int err;

    sigemptyset(&none);
    sigfillset(&all);
    err = posix_spawnattr_setsigmask(a, &none);
    if (!err)
        err = posix_spawnattr_setsigdefault(a, &all);
    if (!err)
        err = posix_spawnattr_setpgroup(a, 0); /* of its own: a terminal's ^C is the program's to heed */
    return err ? err : posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int set_descriptors(posix_spawn_file_actions_t *f, int socket)
{
    int err = posix_spawn_file_actions_adddup2(f, socket, STDIN_FILENO);

    if (!err)
        err = posix_spawn_file_actions_adddup2(f, socket, STDOUT_FILENO);
    if (!err)
        err = posix_spawn_file_actions_addopen(f, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    return err ? err : posix_spawn_file_actions_addclosefrom_np(f, STDERR_FILENO + 1);
}

static int spawn(const char *program, int socket, pid_t *pid)
{
    char *argv[] = { (char *)"gpudl-trial", NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int err = posix_spawn_file_actions_init(&files);

    if (err)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (!err) {
        err = set_signals(&attributes);
        if (!err)
            err = set_descriptors(&files, socket);
        if (!err)
            err = posix_spawn(pid, program, &files, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return err;
}

static bool hung_up(int socket)
{
    struct pollfd p = { socket, 0, 0 };

    return poll(&p, 1, 0) > 0 && (p.revents & POLLHUP);
}

/* As long as somebody has the other end, the number is still its: then so is the handle. */
static void take_handle(struct child *c)
{
    c->handle = (int)syscall(SYS_pidfd_open, c->pid, 0);
    if (c->handle >= 0 && hung_up(c->socket)) {
        close(c->handle);
        c->handle = -1;
    }
}

static int start(const char *program, struct child *c)
{
    int ends[2], err;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    err = spawn(program, ends[1], &c->pid);
    close(ends[1]);
    if (err) {
        close(ends[0]);
        return err;
    }
    c->socket = ends[0];
    take_handle(c);
    return 0;
}

/* --------------------------------------------------------------------------------------------------------------------- ending */

/* Without a handle. Another may have waited for it: then it is gone. */
static void look(struct child *c)
{
    int how;
    pid_t n = waitpid(c->pid, &how, WNOHANG);

    if (n == c->pid)
        c->ended = how;
    c->reaped = n == c->pid || (n < 0 && errno != EINTR);
}

static int as_wait_has_it(const siginfo_t *s)
{
    return s->si_code == CLD_EXITED ? (s->si_status & 255) << 8 : s->si_status & 127;
}

static void reap_by_handle(struct child *c)
{
    siginfo_t s = { 0 };
    int err;

    do
        err = waitid((idtype_t)P_PIDFD, (id_t)c->handle, &s, WEXITED);
    while (err && errno == EINTR);
    if (!err)
        c->ended = as_wait_has_it(&s);
    else if (errno == EINVAL) /* Linux 5.3 has handles, and does not wait by them */
        waitpid(c->pid, &c->ended, 0);
}

static void reap_by_number(struct child *c)
{
    int how;
    pid_t n;

    do
        n = waitpid(c->pid, &how, 0);
    while (n < 0 && errno == EINTR);
    if (n == c->pid)
        c->ended = how;
}

static void end(struct child *c)
{
    close(c->socket);
    if (c->handle >= 0) {
        syscall(SYS_pidfd_send_signal, c->handle, SIGKILL, NULL, 0);
        reap_by_handle(c);
        close(c->handle);
        return;
    }
    if (!c->reaped)
        look(c);
    if (!c->reaped) {
        kill(c->pid, SIGKILL);
        reap_by_number(c);
    }
}

/* ------------------------------------------------------------------------------------------------------------ the conversation */

static bool has_to_send(const struct child *c, const struct trial_talk *t)
{
    return c->piece < t->npieces;
}

/* One that reads no more has something to say. */
static void send_some(struct child *c, const struct trial_talk *t)
{
    const struct span *p = &t->pieces[c->piece];
    ssize_t n = send(c->socket, p->data + c->sent, p->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n < 0 && errno != EAGAIN && errno != EINTR)
        c->piece = t->npieces;
    if (n > 0)
        c->sent += (size_t)n;
    while (has_to_send(c, t) && c->sent == t->pieces[c->piece].size) {
        c->piece++;
        c->sent = 0;
    }
    if (!has_to_send(c, t))
        shutdown(c->socket, SHUT_WR);
}

/* What is there, up to the end of the line. A line that is too long is cut. */
static void receive(struct child *c, const struct trial_talk *t)
{
    ssize_t n;
    char *end_of_line;

    while (!c->complete) {
        n = recv(c->socket, t->answer + c->got, t->size - 1 - c->got, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) { /* it closed its end: its answer, if any, is over */
            c->gone = true;
            return;
        }
        end_of_line = memchr(t->answer + c->got, '\n', (size_t)n);
        c->got = end_of_line ? (size_t)(end_of_line - t->answer) : c->got + (size_t)n;
        c->complete = end_of_line || c->got == t->size - 1;
    }
}

/* Until something is to be done, or for a little while. */
static void wait_for_it(struct child *c, const struct trial_talk *t, uint64_t most)
{
    struct pollfd fds[2] = { { c->socket, POLLIN, 0 }, { c->handle, POLLIN, 0 } };
    struct timespec pause = clock_spec(most < PAUSE ? most : PAUSE);

    if (has_to_send(c, t))
        fds[0].events |= POLLOUT;
    if (ppoll(fds, c->handle >= 0 ? 2 : 1, &pause, NULL) < 0)
        return;
    if (fds[0].revents & POLLOUT)
        send_some(c, t);
    if (c->handle >= 0) {
        c->gone |= fds[1].revents != 0;
    } else {
        look(c);
        c->gone |= c->reaped;
    }
    receive(c, t); /* after that: what it wrote before its end is there */
}

static gpudl_status converse(struct child *c, const struct trial_talk *t)
{
    uint64_t deadline = clock_after(t->timeout_ns), now = clock_now();

    while (!c->complete && !c->gone) {
        if (thread_cancelled())
            return gpudl__fail(GPUDL_ERROR_CANCELLED, "the task was cancelled");
        if (now >= deadline)
            return gpudl__fail(GPUDL_ERROR_TRIAL,
                "it did not end within %.3f s (gpudl_replace_options.trial_timeout_ns): is there a kernel that never ends?",
                (double)t->timeout_ns / 1e9);
        wait_for_it(c, t, deadline - now);
        now = clock_now();
    }
    t->answer[c->complete ? c->got : 0] = '\0';
    return GPUDL_OK;
}

gpudl_status gpudl__trial_talk(const char *program, struct trial_talk *talk)
{
    struct child c = { .handle = -1, .ended = -1 };
    gpudl_status status;
    int err = start(program, &c);

    if (err)
        return gpudl__fail(GPUDL_ERROR_TRIAL, "%s cannot be started: %s", program, strerror(err));
    status = converse(&c, talk);
    end(&c);
    talk->ended = c.ended;
    return status;
}
