/* survey.c - which PTX of other people loads: one line a file, then the commonest reasons of the rest, and what it all cost.
 *
 *     survey [-j KERNELS] [-b BLOCK] [-t SECONDS] FILE.ptx...
 *
 * Every file is parsed and checked, as a driver does on loading it; of each, up to KERNELS kernels become machine code for blocks of
 * BLOCK threads. A file is read in a process of its own, so that one that crashes it or takes longer than SECONDS for one step is told
 * as such. Times are of the processor. Ends with 1 if anything crashed, hung or was compiled into invalid code. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "softcuda/jit/jit.h"

#define SLOW_KERNELS 10

enum step { READ, PARSE, CHECK, COMPILE, DONE };
static const char *const step_names[] = { "read", "parse", "check", "compile", "end" };

/* What a child tells after each step; whole, as it is smaller than a pipe. */
struct report {
    enum step step;
    bool failed;
    uint32_t kernels, insns;    /* of the file; COMPILE: insns of the kernel */
    double ms;
    uint32_t line;
    char text[256];             /* why it failed; COMPILE, before: the kernel's name */
};

struct reason {
    char text[256];
    uint32_t files, kernels;
};

struct times {
    double *ms;
    size_t n, room;
};

struct slow {
    double ms;
    uint32_t insns;
    char what[300];
};

struct survey {
    unsigned compile, seconds;
    uint32_t block[3];
    uint32_t files, files_loaded, kernels, kernels_loaded, compiled, bugs;
    uint64_t insns, compiled_insns;
    double compile_ms;
    struct times load, jit;
    struct reason *reasons;
    size_t nreasons;
    struct slow slow[SLOW_KERNELS];
};

static void *grown(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    if (!p) {
        fputs("survey: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- in the child */

static void tell(int to, struct report *r, double since)
{
    r->ms = cpu_ms() - since;
    if (write(to, r, sizeof(*r)) != (ssize_t)sizeof(*r))
        _exit(2);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, n = 0, got;

    if (!f)
        return NULL;
    do {
        if (n == room)
            text = grown(text, room = room ? 2 * room : 1 << 16, 1);
        got = fread(text + n, 1, room - n, f);
        n += got;
    } while (got);
    fclose(f);
    *size = n;
    return text;
}

static void compile_kernels(const struct survey *s, const struct ptx_module *m, int to)
{
    struct report r = { .step = COMPILE };
    struct jit_unit *unit;
    struct jit_error err;
    struct jit_code code;
    unsigned left = s->compile;

    if (!left || jit_unit_create(m, &unit, &err))
        return;
    for (uint32_t i = 0; i < m->nfuncs && left; i++) {
        const struct ptx_func *f = &m->funcs[i];
        double since = cpu_ms();

        if (!f->entry)
            continue;
        left--;
        r.insns = f->ninsns;
        r.failed = jit_compile(unit, f, s->block, &code, &err);
        snprintf(r.text, sizeof(r.text), "%s", r.failed ? err.text : f->name);
        tell(to, &r, since);
    }
    jit_unit_destroy(unit);
}

static void count(const struct ptx_module *m, struct report *r)
{
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        r->kernels += m->funcs[i].entry;
        r->insns += m->funcs[i].ninsns;
    }
}

/* The kernels of a text that cannot be parsed. */
static uint32_t kernels_written(const char *text, size_t size)
{
    static const char word[] = ".entry";
    const char *at = text, *end = text + size;
    uint32_t n = 0;

    while ((at = memmem(at, (size_t)(end - at), word, sizeof(word) - 1))) {
        at += sizeof(word) - 1;
        n++;
    }
    return n;
}

static void load_file(const struct survey *s, const char *path, int to)
{
    struct report r = { .step = READ };
    struct ptx_error parse_error;
    struct jit_error check_error;
    struct ptx_module *m;
    double since = cpu_ms();
    size_t size;
    char *text = read_file(path, &size);

    r.failed = !text;
    tell(to, &r, since);
    if (!text)
        return;
    r = (struct report){ .step = PARSE };
    since = cpu_ms();
    m = ptx_parse(text, size, &parse_error);
    r.failed = !m;
    if (m) {
        count(m, &r);
    } else {
        r.kernels = kernels_written(text, size);
        r.line = parse_error.pos.line;
        memcpy(r.text, parse_error.text, sizeof(r.text));
    }
    tell(to, &r, since);
    free(text);
    if (!m)
        return;
    r.step = CHECK;
    since = cpu_ms();
    r.failed = jit_check(m, &check_error);
    r.line = check_error.pos.line;
    memcpy(r.text, check_error.text, sizeof(r.text));
    tell(to, &r, since);
    if (!r.failed)
        compile_kernels(s, m, to);
    ptx_module_destroy(m);
    r = (struct report){ .step = DONE };
    tell(to, &r, cpu_ms());
}

/* ---- in the parent */

static void add_time(struct times *t, double ms)
{
    if (t->n == t->room)
        t->ms = grown(t->ms, t->room = t->room ? 2 * t->room : 256, sizeof(*t->ms));
    t->ms[t->n++] = ms;
}

static void add_reason(struct survey *s, const char *text, uint32_t kernels)
{
    size_t i = 0;

    while (i < s->nreasons && strcmp(s->reasons[i].text, text))
        i++;
    if (i == s->nreasons) {
        s->reasons = grown(s->reasons, ++s->nreasons, sizeof(*s->reasons));
        memset(&s->reasons[i], 0, sizeof(s->reasons[i]));
        snprintf(s->reasons[i].text, sizeof(s->reasons[i].text), "%s", text);
    }
    s->reasons[i].files++;
    s->reasons[i].kernels += kernels;
}

/* Keeps the slowest ones, the slowest first. */
static void add_slow(struct survey *s, const char *path, const struct report *r)
{
    struct slow new = { .ms = r->ms, .insns = r->insns };

    snprintf(new.what, sizeof(new.what), "%.200s in %.90s", r->text, path);
    for (size_t i = 0; i < SLOW_KERNELS; i++)
        if (new.ms > s->slow[i].ms) {
            struct slow old = s->slow[i];

            s->slow[i] = new;
            new = old;
        }
}

static void add_compiled(struct survey *s, const char *path, const struct report *r)
{
    if (r->failed) {
        printf("%s: compile: %s\n", path, r->text);
        s->bugs++;
        return;
    }
    s->compiled++;
    s->compiled_insns += r->insns;
    s->compile_ms += r->ms;
    add_time(&s->jit, r->ms);
    add_slow(s, path, r);
}

/* False: nothing came within the time, or the child has gone. */
static bool next_report(int from, unsigned seconds, struct report *r, bool *hung)
{
    struct pollfd p = { .fd = from, .events = POLLIN };

    *hung = poll(&p, 1, (int)seconds * 1000) == 0;
    return !*hung && read(from, r, sizeof(*r)) == (ssize_t)sizeof(*r);
}

static void take_reports(struct survey *s, const char *path, int from, pid_t child)
{
    struct report r = { 0 }, loaded = { 0 };
    enum step last = READ;
    bool hung = false, over = false;
    double load_ms = 0;
    int status;

    while (!over && next_report(from, s->seconds, &r, &hung)) {
        last = r.step;
        if (r.step == COMPILE) {
            add_compiled(s, path, &r);
        } else if (r.step != DONE) {
            loaded = r;
            load_ms += r.step == READ ? 0 : r.ms;
        }
        over = r.step == DONE || (r.step <= CHECK && r.failed);
    }
    if (hung)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    s->files++;
    s->kernels += loaded.kernels;
    s->insns += loaded.insns;
    if (!over) {
        printf("%s: %s after %s\n", path, hung ? "HANGS" : "CRASHES", step_names[last]);
        s->bugs++;
    } else if (loaded.failed) {
        printf("%s: %u kernels: %s, line %u: %s\n", path, loaded.kernels, step_names[loaded.step], loaded.line, loaded.text);
        add_reason(s, loaded.text, loaded.kernels);
    } else {
        printf("%s: %u kernels: loads in %.2f ms\n", path, loaded.kernels, load_ms);
        s->files_loaded++;
        s->kernels_loaded += loaded.kernels;
        add_time(&s->load, load_ms);
    }
}

static void survey_file(struct survey *s, const char *path)
{
    int pipe_of[2];
    pid_t child;

    fflush(stdout);
    if (pipe(pipe_of) || (child = fork()) < 0) {
        perror("survey");
        exit(2);
    }
    if (!child) {
        close(pipe_of[0]);
        load_file(s, path, pipe_of[1]);
        _exit(0);
    }
    close(pipe_of[1]);
    take_reports(s, path, pipe_of[0], child);
    close(pipe_of[0]);
}

/* ---- the summary */

static int by_kernels(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;

    return x->kernels != y->kernels ? (x->kernels < y->kernels ? 1 : -1) : strcmp(x->text, y->text);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_times(const char *what, struct times *t)
{
    if (!t->n)
        return;
    qsort(t->ms, t->n, sizeof(*t->ms), by_time);
    printf("%s: median %.2f ms, 90%% %.2f ms, 99%% %.2f ms, most %.2f ms\n", what, t->ms[t->n / 2], t->ms[t->n * 9 / 10],
           t->ms[t->n * 99 / 100], t->ms[t->n - 1]);
}

static double percent(uint32_t part, uint32_t whole)
{
    return whole ? 100.0 * part / whole : 0;
}

static void print_summary(struct survey *s)
{
    printf("\n%u of %u files load (%.1f%%), %u of %u kernels (%.1f%%); %llu instructions\n", s->files_loaded, s->files,
           percent(s->files_loaded, s->files), s->kernels_loaded, s->kernels, percent(s->kernels_loaded, s->kernels),
           (unsigned long long)s->insns);
    print_times("a file parsed and checked", &s->load);
    print_times("a kernel compiled", &s->jit);
    if (s->compiled)
        printf("%u kernels compiled, %.1f us an instruction\n", s->compiled, s->compile_ms * 1e3 / (double)s->compiled_insns);
    for (size_t i = 0; i < SLOW_KERNELS && s->slow[i].ms > 0; i++)
        printf("  %8.1f ms %6u instructions %s\n", s->slow[i].ms, s->slow[i].insns, s->slow[i].what);
    if (s->nreasons)
        qsort(s->reasons, s->nreasons, sizeof(*s->reasons), by_kernels);
    for (size_t i = 0; i < s->nreasons; i++)
        printf("%5u kernels %4u files: %s\n", s->reasons[i].kernels, s->reasons[i].files, s->reasons[i].text);
    if (s->bugs)
        printf("%u crashed, hung or were compiled into invalid code\n", s->bugs);
}

static int usage(void)
{
    fputs("usage: survey [-j KERNELS] [-b BLOCK] [-t SECONDS] FILE.ptx...\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static struct survey s = { .seconds = 60, .block = { 256, 1, 1 } };
    int option;

    while ((option = getopt(argc, argv, "j:b:t:")) != -1) {
        long value = atol(optarg ? optarg : "");

        if (option == '?' || value < 0 || value > 1000000)
            return usage();
        if (option == 'j')
            s.compile = (unsigned)value;
        else if (option == 'b')
            s.block[0] = (uint32_t)value;
        else
            s.seconds = (unsigned)value;
    }
    if (optind == argc)
        return usage();
    for (; optind < argc; optind++)
        survey_file(&s, argv[optind]);
    print_summary(&s);
    free(s.load.ms);
    free(s.jit.ms);
    free(s.reasons);
    return s.bugs ? 1 : 0;
}
