/* child.c - what may crash, hang or poison a device is asked in a process of its own: this program, started again. */
#include "bench/driver/experiment.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void start_again(struct experiment *x, const char *name, const char *arg, const char *setting, int out)
{
    char *argv[] = { "experiment", "--child", (char *)name, (char *)arg, x->quick ? "--quick" : NULL, NULL };

    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    dup2(out, STDOUT_FILENO);
    if (setting)
        putenv((char *)setting);
    execv("/proc/self/exe", argv);
    _exit(127);
}

static void finish(struct experiment *x, const char *name, const char *arg, int status)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (table_cells() > 0) {
        if (signal == SIGALRM)
            cell_text("not back after %d s", CHILD_SECONDS);
        else if (signal)
            cell_text("died: %s", strsignal(signal));
        else
            cell_text("ended early");
        row_end();
    } else if (status != 0) {
        fprintf(stderr, "child %s %s: %s %d\n", name, arg, signal ? "signal" : "status", signal ? signal : WEXITSTATUS(status));
        x->failed = true;
    }
}

void experiment_child(struct experiment *x, const char *name, const char *arg, const char *setting)
{
    char line[512];
    int ends[2], status = -1;
    FILE *cells;
    pid_t pid;

    fflush(NULL);
    if (pipe(ends) != 0 || (pid = fork()) < 0 || (pid > 0 && !(cells = fdopen(ends[0], "r")))) {
        perror("starting a child");
        x->failed = true;
        return;
    }
    if (pid == 0) {
        close(ends[0]);
        start_again(x, name, arg, setting, ends[1]);
    }
    close(ends[1]);
    while (fgets(line, sizeof(line), cells)) {
        line[strcspn(line, "\n")] = 0;
        if (!table_receive(line))
            fprintf(stderr, "%s\n", line);
    }
    fclose(cells);
    waitpid(pid, &status, 0);
    finish(x, name, arg, status);
}
