/* gpudl-trial - launches kernels that nobody trusts yet, for gpudl_library_replace(): reads what to do on its standard input, does
 * it, and answers in one line. It holds nothing that would be missed when it is killed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/loader/life/trial_format.h"
#include "tools/trial/answer.h"
#include "tools/trial/launch.h"

static const char help[] =
    "usage: gpudl-trial <DESCRIPTION\n"
    "\n"
    "Launches new code in a process of its own, for gpudl_library_replace(), and answers in one line on standard output.\n"
    "What a description is, and what the answers are, is in gpudl-trial(1).\n"
    "\n"
    "  --help     print this\n"
    "  --version  print the version\n";

/* All of standard input. */
static struct span read_all(void)
{
    size_t size = 0, room = 1 << 16;
    unsigned char *bytes = malloc(room);
    ssize_t n = 1;

    while (bytes && n) {
        if (size == room && !(bytes = realloc(bytes, room *= 2)))
            break;
        n = read(STDIN_FILENO, bytes + size, room - size);
        if (n < 0 && errno != EINTR)
            answer(strerror(errno), "bad standard input cannot be read:");
        size += n > 0 ? (size_t)n : 0;
    }
    if (!bytes)
        answer("there is no memory for the description", "bad");
    return (struct span){ bytes, size };
}

/* Its parent kills it in time; this is for when there is none any more. */
static void set_limit(uint64_t ns)
{
    uint64_t seconds = ns / 1000000000u + 5;

    if (ns)
        alarm(seconds < 1u << 30 ? (unsigned)seconds : 1u << 30);
}

static int do_trials(void)
{
    struct description d;
    struct span bytes;
    const char *why;

    unsetenv("GPUDL_TRACE"); /* what is traced is the program, not its trials */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (answer_prepare())
        return 1;
    bytes = read_all();
    why = description_read(bytes, &d);
    if (why)
        answer(why, "bad");
    set_limit(d.limit_ns);
    launch_all(&d);
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return do_trials();
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return fputs(help, stdout) < 0;
    if (!strcmp(argv[1], "--version"))
        return printf("gpudl-trial %d.%d.%d\n", GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH) < 0;
    fprintf(stderr, "gpudl-trial: it takes no '%s'; 'gpudl-trial --help' says how it is used.\n", argv[1]);
    return 2;
}
