/* trace.c - gpudl trace: runs a program whose gpudl writes a timeline, and prints the tables when it has ended. */
#include "tools/gpudl/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_STARTED = 126, KILLED = 128 };

/* Where things go: in a folder of its own until the program has ended. */
struct places {
    char folder[PATH_MAX], tables[PATH_MAX], softcuda[PATH_MAX];
    char file[PATH_MAX]; /* the trace: the folder's, where none was asked for */
    bool kept;
};

static const struct command_option options[] = {
    { "-o", "FILE.json", "write the timeline there, for https://ui.perfetto.dev or chrome://tracing" },
    { NULL, NULL, NULL },
};

static int run(int argc, char **argv);

const struct command command_trace = {
    .name = "trace",
    .arguments = "[-o FILE.json] [--] PROGRAM [ARGUMENT]...",
    .summary = "run a program and show what it loaded, launched and copied",
    .options = options,
    .notes =
        "Two tables are printed on stderr when PROGRAM has ended: everything that its devices did, and a summary by name. PROGRAM is one\n"
        "that uses gpudl; of any other that runs on softcuda, FILE.json has what softcuda saw. The exit status is PROGRAM's.\n"
        "  gpudl trace -o saxpy.json -- gpudl run saxpy.ptx saxpy --grid 4 --block 256 i32:1024 f32:2 'f32[1024]' 'f32[1024]'\n",
    .run = run,
};

/* -------------------------------------------------------------------------------------------------------------------- before it */

static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

/* The program may change its folder before it opens the file. */
static bool make_absolute(const char *path, char out[PATH_MAX])
{
    char here[PATH_MAX];

    if (*path == '/')
        return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
    return getcwd(here, sizeof(here)) && join(out, here, path);
}

static int choose_places(const char *file, struct places *p)
{
    const char *base = getenv("TMPDIR");

    memset(p, 0, sizeof(*p));
    p->kept = file != NULL;
    if (!join(p->folder, base && *base == '/' ? base : "/tmp", "gpudl-trace-XXXXXX") || !mkdtemp(p->folder)) {
        p->folder[0] = '\0';
        return command_failed(&command_trace, "no folder for the tables: %s", strerror(errno));
    }
    if (!join(p->tables, p->folder, "tables") || !join(p->softcuda, p->folder, "softcuda.json") ||
        !(file ? make_absolute(file, p->file) : join(p->file, p->folder, "trace.json")))
        return command_failed(&command_trace, "the path is too long");
    return STATUS_OK;
}

/* A file that is there is not left to be taken for this run's; said here where it cannot be written, not by the program. */
static int empty_file(const struct places *p)
{
    int fd = p->kept ? open(p->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666) : -1;

    if (p->kept && fd < 0)
        return command_failed(&command_trace, "%s: %s", p->file, strerror(errno));
    if (fd >= 0)
        close(fd);
    return STATUS_OK;
}

static void remove_places(const struct places *p)
{
    if (!p->folder[0])
        return;
    unlink(p->tables);
    unlink(p->softcuda);
    if (!p->kept)
        unlink(p->file);
    rmdir(p->folder);
}

/* ------------------------------------------------------------------------------------------------------------------- the program */

static void become(char **argv, const struct places *p)
{
    setenv("GPUDL_TRACE", p->file, 1);
    setenv("GPUDL_TRACE_TABLES", p->tables, 1);
    setenv("SOFTCUDA_TRACE", p->softcuda, 0);
    execvp(argv[0], argv);
    fprintf(stderr, "gpudl trace: %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? NOT_FOUND : NOT_STARTED);
}

/* Keys that interrupt are the program's; what it has traced until then is shown. */
static int run_program(char **argv, const struct places *p)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    int ended = 0;
    pid_t child;

    fflush(NULL);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        become(argv, p);
    }
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (child < 0)
        return command_failed(&command_trace, "%s: %s", argv[0], strerror(errno));
    return WIFSIGNALED(ended) ? KILLED + WTERMSIG(ended) : WEXITSTATUS(ended);
}

/* --------------------------------------------------------------------------------------------------------------------- behind it */

static bool has_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0;
}

static bool copy_to(const char *path, FILE *to)
{
    FILE *from = fopen(path, "re");
    char part[4096];
    size_t n;

    if (!from)
        return false;
    while ((n = fread(part, 1, sizeof(part), from)) > 0)
        fwrite(part, 1, n, to);
    fclose(from);
    return true;
}

/* The program did not use gpudl, or not to its end. */
static void show_rest(const struct places *p)
{
    FILE *to;

    if (has_bytes(p->file)) {
        fprintf(stderr, "gpudl trace: the program did not end by itself: there are no tables%s\n",
            p->kept ? ", and the file has what was known" : "");
        return;
    }
    if (!has_bytes(p->softcuda)) {
        fprintf(stderr, "gpudl trace: nothing was traced: the program used neither gpudl nor softcuda\n");
        return;
    }
    to = p->kept ? fopen(p->file, "we") : NULL;
    if (to) {
        copy_to(p->softcuda, to);
        fclose(to);
    }
    fprintf(stderr, "gpudl trace: the program did not use gpudl, so there are no tables; %s what softcuda saw\n",
        p->kept ? "the file has" : "with -o FILE.json there is a file of");
}

static void show(const struct places *p)
{
    if (!has_bytes(p->tables) || !copy_to(p->tables, stderr))
        show_rest(p);
}

static int trace(const char *file, char **program)
{
    struct places p;
    int status = choose_places(file, &p);

    if (status == STATUS_OK)
        status = empty_file(&p);
    if (status == STATUS_OK) {
        status = run_program(program, &p);
        show(&p);
    }
    remove_places(&p);
    return status;
}

static int run(int argc, char **argv)
{
    const char *file = NULL;
    int i = 1;

    for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--"); i++) {
        if (strncmp(argv[i], "-o", 2))
            return command_misused(&command_trace, "no option '%s'", argv[i]);
        file = argv[i][2] ? argv[i] + 2 : argv[++i];
        if (!file)
            return command_misused(&command_trace, "-o wants a FILE.json");
    }
    if (i < argc && !strcmp(argv[i], "--"))
        i++;
    if (i >= argc)
        return command_misused(&command_trace, "no program given");
    return trace(file, argv + i);
}
