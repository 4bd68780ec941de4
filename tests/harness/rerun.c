/* rerun (allocation|driver) PROGRAM ARGUMENT... - runs a program over the null driver again and again, with gpudl's n-th allocation or the n-th
 * driver call failing, n = 1, 2, ... until nothing fails any more and the program ends well.
 *
 * A run in which something failed must end by itself, not by a signal, within a minute; and if it ends badly it must have said something on
 * stderr, and not a sanitizer. The null driver and the preloaded library are found beside this program's folder, in ../lib. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 5000, SECONDS = 60, REPORT_FD = 100, PRELOAD_FD = 101 };

struct run {
    int status;       /* as waitpid tells it */
    char failed[64];  /* what was made to fail; "" when nothing was */
    char said[16384]; /* on stderr */
};

static char lib_folder[4096];

static void find_lib_folder(void)
{
    ssize_t n = readlink("/proc/self/exe", lib_folder, sizeof(lib_folder) - 16);

    lib_folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(lib_folder, '/');
    if (!slash)
        slash = lib_folder;
    snprintf(slash, sizeof(lib_folder) - (size_t)(slash - lib_folder), "/../lib");
}

/* By a descriptor's name, as the dynamic linker splits LD_PRELOAD at blanks and colons. */
static void preload(const char *path)
{
    char value[64];
    int fd = open(path, O_RDONLY);

    if (fd < 0 || dup2(fd, PRELOAD_FD) < 0)
        _exit(127);
    close(fd);
    snprintf(value, sizeof(value), "/proc/self/fd/%d", PRELOAD_FD);
    setenv("LD_PRELOAD", value, 1);
}

static void set_environment(bool allocation, int n)
{
    char value[4200];

    snprintf(value, sizeof(value), "%s/libnulldrv.so", lib_folder);
    setenv("GPUDL_DRIVER", value, 1);
    snprintf(value, sizeof(value), "%d", REPORT_FD);
    setenv("HARNESS_REPORT_FD", value, 1);
    snprintf(value, sizeof(value), "%s/libfailalloc.so", lib_folder);
    if (allocation)
        preload(value);
    snprintf(value, sizeof(value), allocation ? "%d" : "*:%d:999", n);
    setenv(allocation ? "FAILALLOC_N" : "NULLDRV_FAIL", value, 1);
}

static void become(char **argv, bool allocation, int n, int said, int report)
{
    int nothing = open("/dev/null", O_WRONLY);

    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    dup2(report, REPORT_FD);
    set_environment(allocation, n);
    alarm(SECONDS);
    execv(argv[0], argv);
    _exit(127);
}

/* What comes until the end; more than fits is read and dropped. */
static void drain(int fd, char *to, size_t size)
{
    char rest[4096];
    size_t used = 0;
    ssize_t n;

    while ((n = used + 1 < size ? read(fd, to + used, size - 1 - used) : read(fd, rest, sizeof(rest))) > 0)
        used += used + 1 < size ? (size_t)n : 0;
    to[used] = '\0';
    close(fd);
}

static void run_once(char **argv, bool allocation, int n, struct run *r)
{
    int said[2], report[2];

    if (pipe2(said, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0)
        exit(2);
    pid_t child = fork();
    if (child == 0)
        become(argv, allocation, n, said[1], report[1]);
    close(said[1]);
    close(report[1]);
    drain(said[0], r->said, sizeof(r->said));
    drain(report[0], r->failed, sizeof(r->failed));
    waitpid(child, &r->status, 0);
}

static const char *complaint(const struct run *r)
{
    if (WIFSIGNALED(r->status))
        return WTERMSIG(r->status) == SIGALRM ? "it hung" : "it crashed";
    if (strstr(r->said, "Sanitizer") || strstr(r->said, "runtime error"))
        return "a sanitizer spoke";
    if (WEXITSTATUS(r->status) && !r->said[0])
        return "it failed without a word";
    if (WEXITSTATUS(r->status) && !r->failed[0])
        return "it fails when nothing is made to fail";
    return NULL;
}

int main(int argc, char **argv)
{
    bool allocation = argc > 1 && strcmp(argv[1], "allocation") == 0;
    static struct run r;
    const char *wrong;

    if (argc < 3 || (!allocation && strcmp(argv[1], "driver") != 0)) {
        fprintf(stderr, "usage: rerun (allocation|driver) PROGRAM ARGUMENT...\n");
        return 2;
    }
    find_lib_folder();
    for (int n = 1; n <= MOST_RUNS; n++) {
        run_once(argv + 2, allocation, n, &r);
        wrong = complaint(&r);
        if (wrong) {
            fprintf(stderr, "%s when %s %d (%s) failed:\n%s\n", wrong, argv[1], n, r.failed, r.said);
            return 1;
        }
        if (!r.failed[0]) {
            printf("%d failures, each survived\n", n - 1);
            return n == 1; /* nothing could be made to fail: the program does not use gpudl */
        }
    }
    fprintf(stderr, "no end after %d runs\n", MOST_RUNS);
    return 1;
}
