/* program.c - a compiler that is a program. It gets copies of the source and of headers in memory, in a folder that goes with it, and finds
 * files where they are. */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

#define HEADERS "headers"

/* What a compiler may want to know of our environment: all else is none of its business. */
static void add_environment(const struct program *p, struct strings *out)
{
    static const char *const variables[] = { "PATH", "HOME", "LD_LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
        "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN" };

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *value = gpudl__environment(variables[i]);
        if (value)
            gpudl__strings_addf(out, "%s=%s", variables[i], value);
    }
    if (!gpudl__environment("PATH"))
        gpudl__strings_add(out, "PATH=/usr/bin:/bin");
    gpudl__strings_add(out, "LC_ALL=C");
    gpudl__strings_addf(out, "TMPDIR=%s", p->folder.path);
}

/* "dir/k v2.cu" -> "k_v2.cu" */
static void base_name(const char *name, const char *extension, char *out, size_t size)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base), used = 0;

    for (size_t i = 0; i < n && used < 64; i++)
        out[used++] = isalnum((unsigned char)base[i]) ? base[i] : '_';
    snprintf(out + used, size - used, "%s.%s", used ? "" : "source", extension);
}

/* The first line says what the text is called, for messages. */
static void add_line(const char *name, struct strings *out)
{
    gpudl__strings_append(out, "#line 1 \"", 9);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            gpudl__strings_append(out, "\\", 1);
        gpudl__strings_append(out, name, 1);
    }
    gpudl__strings_append(out, "\"\n", 2);
}

static enum compile_error write_source(struct program *p, const char *base, bool is_cuda, struct text *why)
{
    const struct compile_job *job = p->work->job;
    struct strings line = { .data = NULL }, names = { .data = NULL };
    bool good;

    if (is_cuda)
        add_line(job->name, &line);
    gpudl__names_request(job, &names);
    good = !line.failed && !names.failed;
    if (good) {
        const struct span parts[] = { { (const unsigned char *)line.data, line.used }, job->text,
            { (const unsigned char *)names.data, names.used } };
        good = gpudl__folder_write(&p->folder, base, parts, 3, why);
    }
    for (size_t i = 0; good && i < job->nheaders; i++) {
        char name[PATH_MAX];
        good = snprintf(name, sizeof(name), HEADERS "/%s", job->headers[i].name) < (int)sizeof(name) &&
            *job->headers[i].name != '/' && gpudl__folder_write(&p->folder, name, &job->headers[i].text, 1, why);
        if (!good && !why->used)
            gpudl__text_add(why,
                "the header '%s' cannot be kept in memory for a compiler that runs as a process: its name must be relative",
                job->headers[i].name);
    }
    gpudl__strings_free(&line);
    gpudl__strings_free(&names);
    return good ? COMPILE_OK : why->used ? COMPILE_BROKEN : COMPILE_NO_MEMORY;
}

enum compile_error gpudl__program_begin(const struct work *w, const char *extension, struct program *p, struct text *why)
{
    char base[80];
    enum compile_error error;

    *p = (struct program){ .work = w };
    base_name(w->job->name, extension, base, sizeof(base));
    if (!gpudl__folder_make(w->job->cache, &p->folder, why))
        return COMPILE_BROKEN;
    snprintf(p->source, sizeof(p->source), "%s/%s", p->folder.path, base);
    snprintf(p->output, sizeof(p->output), "%s/output", p->folder.path);
    snprintf(p->reads, sizeof(p->reads), "%s/reads", p->folder.path);
    gpudl__strings_add(&p->arguments, w->compiler->path);
    error = write_source(p, base, !strcmp(extension, "cu"), why);
    if (!error && w->job->nheaders)
        gpudl__strings_addf(&p->arguments, "-I%s/" HEADERS, p->folder.path);
    return error;
}

void gpudl__program_end(struct program *p)
{
    gpudl__folder_remove(&p->folder);
    gpudl__strings_free(&p->arguments);
}

/* ---- what it read: a rule for make, "output: a.cu dir/b\ c.h \" */

/* nvcc also says that it read what #line names: that is the text, which need not be a file, and the name expressions. */
static bool is_read(const struct program *p, const char *word)
{
    const struct compile_job *job = p->work->job;
    size_t folder = strlen(p->folder.path);

    if (!*word || (!strncmp(word, p->folder.path, folder) && word[folder] == '/'))
        return false;
    return (strcmp(word, job->name) != 0 && !gpudl__names_called(job, word)) || access(word, F_OK) == 0;
}

static void take_reads(const struct program *p, char *rule, struct strings *reads)
{
    char *at = strstr(rule, ": "), *out;

    if (!at)
        return;
    for (at += 1; *at;) {
        char *word;

        while (isspace((unsigned char)*at) || (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r')))
            at++;
        word = out = at;
        while (*at && !isspace((unsigned char)*at)) {
            if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
                break;
            if ((at[0] == '\\' && (at[1] == ' ' || at[1] == '#')) || (at[0] == '$' && at[1] == '$'))
                at++;
            *out++ = *at++;
        }
        if (*at)
            at++;
        *out = '\0';
        if (is_read(p, word))
            gpudl__strings_add(reads, word);
    }
}

static bool read_rule(struct program *p, struct made *made)
{
    char quiet[1];
    struct text none = gpudl__text_init(quiet, sizeof(quiet));
    struct span rule;

    if (!gpudl__folder_read(&p->folder, "reads", &rule, &none))
        return false;
    take_reads(p, (char *)(uintptr_t)rule.data, &made->reads);
    gpudl__free((void *)(uintptr_t)rule.data);
    return true;
}

/* ---- running it */

/* In messages, headers are called what the caller calls them. */
static void hide_folder(const struct program *p, struct strings *log)
{
    char prefix[PATH_MAX];
    size_t n = (size_t)snprintf(prefix, sizeof(prefix), "%s/" HEADERS "/", p->folder.path);
    char *at = log->data;

    if (!at || log->failed)
        return;
    while ((at = strstr(at, prefix))) {
        memmove(at, at + n, log->used - (size_t)(at - log->data) - n);
        log->used -= n;
    }
}

static enum compile_error start(struct program *p, struct strings *log, int *status, struct text *why)
{
    struct strings environment = { .data = NULL };
    const char **arguments, **variables;
    enum process_end end = PROCESS_NOT_STARTED;

    add_environment(p, &environment);
    arguments = gpudl__strings_array(&p->arguments);
    variables = gpudl__strings_array(&environment);
    if (arguments && variables) {
        const struct process process = { arguments, variables, NULL, p->work->job->cancelled, p->work->job->user };
        end = gpudl__process_run(&process, log, status);
    }
    gpudl__free(arguments);
    gpudl__free(variables);
    gpudl__strings_free(&environment);
    if (!arguments || !variables)
        return COMPILE_NO_MEMORY;
    switch (end) {
    case PROCESS_ENDED:
        return COMPILE_OK;
    case PROCESS_CANCELLED:
        return COMPILE_CANCELLED;
    case PROCESS_KILLED:
        gpudl__text_add(
            why, "the compiler was ended by signal %d (%s): it broke, or had no memory left", *status, strsignal(*status));
        return COMPILE_BROKEN;
    default:
        gpudl__text_add(why, "the compiler cannot be started: %s", strerror(*status));
        return COMPILE_BROKEN;
    }
}

enum compile_error gpudl__program_run(struct program *p, struct made *made, struct span *out, struct text *why)
{
    enum compile_error error;
    int status = 0;

    made->log.used = 0;
    error = p->arguments.failed ? COMPILE_NO_MEMORY : start(p, &made->log, &status, why);
    gpudl__log_trim(&made->log);
    hide_folder(p, &made->log);
    if (made->log.failed)
        return COMPILE_NO_MEMORY;
    if (error)
        return error;
    if (status) {
        error = made->log.used > 1 ? gpudl__log_judge(made->log.data) : COMPILE_BROKEN;
        if (error == COMPILE_BROKEN)
            gpudl__text_add(why, "the compiler ended with status %d and said nothing: run it by hand", status);
        return error;
    }
    if (*p->reads && !read_rule(p, made)) {
        gpudl__text_add(why, "the compiler did not say what it read");
        return COMPILE_BROKEN;
    }
    return gpudl__folder_read(&p->folder, strrchr(p->output, '/') + 1, out, why) ? COMPILE_OK : COMPILE_BROKEN;
}

void gpudl__program_version(const struct compiler *c, const char *word, char *out, size_t size)
{
    const char *const arguments[] = { c->path, "--version", NULL }, *const environment[] = { "LC_ALL=C", NULL };
    const struct process process = { arguments, environment, NULL, NULL, NULL };
    struct strings output = { .data = NULL };
    const char *at;
    int status;

    snprintf(out, size, "%s", gpudl__compiler_name(c->kind));
    if (gpudl__process_run(&process, &output, &status) == PROCESS_ENDED && !output.failed && (at = strstr(output.data, word))) {
        size_t n = strcspn(at + strlen(word), " ,(\n");
        snprintf(out, size, "%s %.*s", gpudl__compiler_name(c->kind), (int)n, at + strlen(word));
    }
    gpudl__strings_free(&output);
}
