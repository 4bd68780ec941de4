/* warm.c - see warm.h. A list has a line for each compilation: FILE and options, as on a command line; words with blanks in them between quotes;
 * lines that begin with '#' say nothing. */
#include "tools/gpudl/warm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/gpudl/compiling.h"
#include "tools/gpudl/words.h"

enum { WORDS_MOST = 256, JOBS_MOST = 256, BAR = 40 };

struct work {
    char **lines;
    size_t nlines;
    pthread_mutex_t lock; /* of what follows */
    size_t next, done, failed, kept;
    bool bar;
};

/* ---- one line */

/* Cuts a line in place; returns the number of words, -1: a quote is not closed, or there are too many. */
static int cut(char *line, char **words)
{
    int n = 0;
    char *out = line;

    for (;;) {
        char quote = 0;

        while (*line == ' ' || *line == '\t' || *line == '\n' || *line == '\r')
            line++;
        if (!*line)
            return n;
        if (n == WORDS_MOST)
            return -1;
        words[n++] = out;
        for (; *line && (quote || !strchr(" \t\r\n", *line)); line++) {
            if (quote ? *line == quote : *line == '"' || *line == '\'')
                quote = quote ? 0 : *line;
            else
                *out++ = *line;
        }
        if (quote)
            return -1;
        line += *line != '\0';
        *out++ = '\0';
    }
}

struct line {
    const char *file, *arch;
    struct compiling compiling;
};

static const struct command_option options[] = {
    { "--arch", "ARCH", "" },
    COMPILING_OPTIONS,
    { NULL, NULL, NULL },
};
static const struct command as_command = { .name = "cache", .options = options };

static int take(void *user, const char *name, const char *value)
{
    struct line *l = user;

    if (!name && l->file)
        return command_misused(&command_cache, "one FILE a line, and '%s' is another", value);
    if (!name)
        l->file = value;
    else if (!compiling_take(&l->compiling, name, value))
        l->arch = value;
    return STATUS_OK;
}

static int compile_words(int n, char **words, bool *kept)
{
    struct line l = { .file = NULL };
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_compile_options o;
    gpudl_code *code = NULL;
    int status;

    if (!compiling_begin(&l.compiling, (size_t)n))
        return command_failed(&command_cache, "out of memory");
    status = words_take(&as_command, n, words, take, &l);
    if (status == STATUS_OK && !l.file)
        status = command_failed(&command_cache, "a line names no FILE");
    if (status == STATUS_OK) {
        o = compiling_options(&l.compiling, l.arch, l.arch && strchr(l.arch, ',') ? GPUDL_FORMAT_FATBIN : GPUDL_FORMAT_AUTO);
        if (gpudl_compile(NULL, GPUDL_FILE(l.file), &o, &code) != GPUDL_OK || gpudl_code_describe(code, &info) != GPUDL_OK)
            status = command_library_failed(&command_cache);
    }
    *kept = info.kept;
    gpudl_code_release(code);
    compiling_end(&l.compiling);
    return status;
}

static int compile_line(char *line, bool *kept)
{
    char *words[WORDS_MOST + 2] = { (char *)(uintptr_t) "cache" };
    int n = cut(line, words + 1);

    *kept = false;
    if (n < 0)
        return command_failed(
            &command_cache, "a line has a quote that is not closed, or more than %d words: %s", WORDS_MOST, line);
    return compile_words(n + 1, words, kept);
}

/* ---- all of them */

static void show(const struct work *w)
{
    int full = w->nlines ? (int)(w->done * BAR / w->nlines) : BAR;

    if (w->bar)
        fprintf(stderr, "\r[%-*.*s] %zu of %zu", BAR, full, "########################################", w->done, w->nlines);
}

static void *work_through(void *arg)
{
    struct work *w = arg;

    pthread_mutex_lock(&w->lock);
    while (w->next < w->nlines) {
        char *line = w->lines[w->next++];
        bool kept;
        int status;

        pthread_mutex_unlock(&w->lock);
        status = compile_line(line, &kept);
        pthread_mutex_lock(&w->lock);
        w->done++;
        w->failed += status != STATUS_OK;
        w->kept += kept;
        show(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int read_list(const char *path, struct work *w)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, lines = 0;

    if (!file) {
        command_failed(&command_cache, "%s: %s", path, strerror(errno));
        return STATUS_UNREADABLE;
    }
    while (getline(&line, &room, file) > 0) {
        const char *at = line + strspn(line, " \t\r\n");
        if (!*at || *at == '#')
            continue;
        if (w->nlines == lines) {
            char **more = realloc(w->lines, (lines = 2 * lines + 16) * sizeof(*more));
            if (!more)
                break;
            w->lines = more;
        }
        w->lines[w->nlines] = strdup(line);
        w->nlines += w->lines[w->nlines] != NULL;
    }
    free(line);
    fclose(file);
    return STATUS_OK;
}

int warm(const char *list, unsigned jobs)
{
    struct work w = { .bar = isatty(STDERR_FILENO) };
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[JOBS_MOST];
    unsigned started = 0;
    int status = read_list(list, &w);

    if (!jobs)
        jobs = cpus > 0 ? (unsigned)cpus : 1;
    if (jobs > w.nlines)
        jobs = (unsigned)w.nlines;
    pthread_mutex_init(&w.lock, NULL);
    show(&w);
    while (started + 1 < jobs && started < JOBS_MOST && pthread_create(&threads[started], NULL, work_through, &w) == 0)
        started++;
    work_through(&w);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&w.lock);
    if (w.bar)
        fputc('\n', stderr);
    if (status == STATUS_OK)
        printf("compiled: %zu, there already: %zu, failed: %zu\n", w.done - w.failed - w.kept, w.kept, w.failed);
    for (size_t i = 0; i < w.nlines; i++)
        free(w.lines[i]);
    free(w.lines);
    return status != STATUS_OK ? status : w.failed ? STATUS_FAILED : STATUS_OK;
}
