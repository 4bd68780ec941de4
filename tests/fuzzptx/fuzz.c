/* fuzz.c - random kernels on the machine under test, against the interpreter.
 *
 *     fuzz [--first SEED] [--count N] [--seconds N] [--show] [--keep] [--self] [--structured]
 *
 * runs the kernels of N seeds, or as many as the time allows. Of one that differs, its seed and a reduced kernel are printed. --show prints the kernels as they
 * are made; --keep does not reduce; --self only looks for kernels whose result depends on who comes first, which the generator must not make;
 * --structured leaves tangles of branches out. Where the machine may hang or crash it has a process of its own, which the parent outlives. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzzptx/program.h"

#define PATIENCE 30     /* seconds for one kernel */

struct progress { uint64_t seed; unsigned ran, skipped; char why[256], skip[256]; };     /* shared with the child */

static struct progress *progress;
static bool show, keep, self, structured;

enum verdict { SAME, DIFFERS, NOT_A_PROGRAM };

static enum verdict run_once(const struct program *p, char why[256])
{
    struct outcome want;
    size_t size = memory_size(p), room = (size + 63) / 64 * 64;
    uint8_t *memory = aligned_alloc(64, room);
    char *text = program_text(p);
    enum verdict verdict = NOT_A_PROGRAM;

    if (run_interpreter(p, false, &want, why) == 0) {
        memory_fill(p, memory);
        verdict = machine_run(p, text, memory, why) || outcome_differs(p, &want, memory, why) ? DIFFERS : SAME;
    }
    outcome_clear(&want);
    free(memory);
    free(text);
    return verdict;
}

/* A program whose result depends on who comes first proves nothing. */
static bool has_races(const struct program *p, char why[256])
{
    struct outcome one, other;
    bool differs = run_interpreter(p, false, &one, why) || run_interpreter(p, true, &other, why);

    if (!differs) {
        differs = outcome_differs(p, &one, other.memory, why) || memcmp(one.any, other.any, memory_size(p));
        outcome_clear(&other);
    }
    outcome_clear(&one);
    return differs;
}

/* In a process of its own: exits with the verdict, or dies. */
static enum verdict run_apart(const struct program *p, char why[256])
{
    int status;
    pid_t child;

    if (!machine_may_hang)
        return run_once(p, why);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        _exit(run_once(p, progress->why));
    }
    waitpid(child, &status, 0);
    memcpy(why, progress->why, 256);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= NOT_A_PROGRAM)
        return WEXITSTATUS(status);
    snprintf(why, 256, "it ends with signal %d%s", WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": too slow, or endless" : "");
    return DIFFERS;
}

static bool fails(const struct program *p, void *context)
{
    char why[256];

    (void)context;
    return run_apart(p, why) == DIFFERS && !has_races(p, why);
}

static bool races(const struct program *p, void *context)
{
    char why[256] = "";

    (void)context;
    return has_races(p, why) && strstr(why, "should be");
}

static void print(const struct program *p, const char *why)
{
    char *text = program_text(p);

    printf("seed %llu: %s\ngrid %ux%ux%u, block %ux%ux%u, n %u, w %u\n%s\n", (unsigned long long)p->seed, why, p->grid[0], p->grid[1], p->grid[2],
           p->block[0], p->block[1], p->block[2], p->arguments.n, p->arguments.w, text);
    fflush(stdout);
    free(text);
}

static void report(uint64_t seed)
{
    struct program p;
    char why[256] = "", first[256];

    memcpy(first, progress->why, sizeof(first));
    generate(&p, seed, structured);
    if (has_races(&p, why)) {
        char race[300];
        if (!keep)
            reduce(&p, races, NULL);
        snprintf(race, sizeof(race), "a race, the generator is wrong: %s", why);
        print(&p, race);
    } else {
        if (!keep)
            reduce(&p, fails, NULL);
        if (run_apart(&p, why) != DIFFERS)
            snprintf(why, sizeof(why), "it differed once only: %.200s", first);
        print(&p, why);
    }
    program_clear(&p);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seeds from progress->seed on; true if one differs. */
static bool run_seeds(uint64_t end, double until)
{
    for (; progress->seed < end && now() < until; progress->seed++) {
        struct program p;
        enum verdict v;
        generate(&p, progress->seed, structured);
        if (show)
            print(&p, "");
        if (machine_may_hang)
            alarm(PATIENCE);
        v = !self ? run_once(&p, progress->why) : races(&p, NULL) ? DIFFERS : SAME;
        program_clear(&p);
        if (v == DIFFERS)
            return true;
        progress->ran++;
        progress->skipped += v == NOT_A_PROGRAM;
        if (v == NOT_A_PROGRAM)
            memcpy(progress->skip, progress->why, sizeof(progress->skip));
        if (v == NOT_A_PROGRAM && getenv("FUZZ_SKIPS"))
            fprintf(stderr, "seed %llu: %s\n", (unsigned long long)progress->seed, progress->why);
    }
    return false;
}

static bool run_seeds_apart(uint64_t end, double until)
{
    int status;
    pid_t child;

    if (!machine_may_hang)
        return run_seeds(end, until);
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(run_seeds(end, until));
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    uint64_t first = 1, count = 100;
    double seconds = 0;
    unsigned found = 0;
    char why[256] = "";

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--self"))
            self = true;
        else if (!strcmp(argv[i], "--structured"))
            structured = true;
        else if (!strcmp(argv[i], "--show"))
            show = true;
        else if (!strcmp(argv[i], "--keep"))
            keep = true;
        else if (i + 1 < argc && !strcmp(argv[i], "--first"))
            first = strtoull(argv[++i], NULL, 0);
        else if (i + 1 < argc && !strcmp(argv[i], "--count"))
            count = strtoull(argv[++i], NULL, 0);
        else if (i + 1 < argc && !strcmp(argv[i], "--seconds"))
            seconds = atof(argv[++i]), count = UINT64_MAX / 2;
    }
    if (!machine_begin(why)) {
        printf("skipped: %s\n", why);
        return 77;
    }
    progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    progress->seed = first;
    seconds = seconds ? now() + seconds : 1e18;
    while (run_seeds_apart(first + count, seconds)) {
        found++;
        report(progress->seed++);
    }
    printf("%u kernels, %u of them not run%s%s%s; %u differ\n", progress->ran, progress->skipped, progress->skipped ? " (such as: " : "",
           progress->skip, progress->skipped ? ")" : "", found);
    return found ? 1 : 0;
}
