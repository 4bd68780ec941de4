/* apart.c - NVRTC in a process of its own: a crash of it is an error of the compilation, and it holds no lock of this process. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/compile/apart.h"
#include "src/util/alloc.h"

/* ---- reading */

const char *gpudl__apart_text(struct apart_reader *r)
{
    size_t n;
    const char *text = r->failed ? NULL : span_string(r->rest, 0, r->rest.size, &n);

    if (!text) {
        r->failed = true;
        return "";
    }
    r->rest = span_from(r->rest, n + 1);
    return text;
}

size_t gpudl__apart_number(struct apart_reader *r)
{
    const char *text = gpudl__apart_text(r);
    char *end;
    unsigned long long n = strtoull(text, &end, 10);

    r->failed = r->failed || !*text || *end || n > SIZE_MAX;
    return r->failed ? 0 : (size_t)n;
}

size_t gpudl__apart_count(struct apart_reader *r, size_t each)
{
    size_t n = gpudl__apart_number(r);

    r->failed = r->failed || n > r->rest.size / each;
    return r->failed ? 0 : n;
}

/* ---- the program */

static bool take_beside(const char *file, const char *below, char path[PATH_MAX], struct text *looked)
{
    const char *slash = strrchr(file, '/');

    if (!slash || snprintf(path, PATH_MAX, "%.*s/%s" APART_PROGRAM, (int)(slash - file), file, below) >= PATH_MAX)
        return false;
    gpudl__text_add(looked, "%s%s", looked->used ? ", " : "", path);
    return access(path, X_OK) == 0;
}

static bool find_program(char path[PATH_MAX], struct text *looked)
{
    static const char here;
    const char *named = gpudl__environment("GPUDL_NVRTC_PROGRAM");
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    Dl_info self;

    program[n > 0 ? n : 0] = '\0';
    if (named && *named) {
        gpudl__text_add(looked, "%s, as GPUDL_NVRTC_PROGRAM says", named);
        return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX && access(path, X_OK) == 0;
    }
    return (dladdr(&here, &self) && self.dli_fname && take_beside(self.dli_fname, "../bin/", path, looked)) ||
        take_beside(program, "", path, looked);
}

/* ---- the request */

static void add_request(const struct work *w, struct strings *s)
{
    const struct compile_job *job = w->job;
    size_t includes = 0;

    while (includes < INCLUDES_MOST && *w->compiler->include[includes])
        includes++;
    gpudl__strings_add(s, APART_WORD);
    gpudl__strings_add(s, w->compiler->path);
    gpudl__strings_add(s, job->name);
    gpudl__strings_add(s, (const char *)job->text.data);
    gpudl__strings_addf(s, "%u", w->target.sm);
    gpudl__strings_addf(s, "%.1s", &w->target.suffix);
    gpudl__strings_addf(s, "%u", (unsigned)w->target.format);
    gpudl__strings_addf(s, "%d", w->relocatable);
    gpudl__strings_addf(s, "%zu", includes);
    for (size_t i = 0; i < includes; i++)
        gpudl__strings_add(s, w->compiler->include[i]);
    gpudl__strings_addf(s, "%zu", job->noptions);
    for (size_t i = 0; i < job->noptions; i++)
        gpudl__strings_add(s, job->options[i] ? job->options[i] : "");
    gpudl__strings_addf(s, "%zu", job->nheaders);
    for (size_t i = 0; i < job->nheaders; i++) {
        gpudl__strings_add(s, job->headers[i].name);
        gpudl__strings_add(s, (const char *)job->headers[i].text.data);
    }
    gpudl__strings_addf(s, "%zu", job->nnames);
    for (size_t i = 0; i < job->nnames; i++)
        gpudl__strings_add(s, job->names[i]);
}

/* ---- the answer */

static bool copy_out(struct span from, struct span *out)
{
    unsigned char *copy = gpudl__alloc(from.size + 1);

    if (!copy)
        return false;
    memcpy(copy, from.data, from.size);
    copy[from.size] = '\0';
    *out = (struct span){ copy, from.size };
    return true;
}

static enum compile_error take_answer(
    const struct work *w, struct span answer, struct compile_result *out, struct made *made, struct text *why)
{
    struct apart_reader r = { answer, false };
    bool ours = !strcmp(gpudl__apart_text(&r), APART_WORD);
    size_t error = gpudl__apart_number(&r), lowered;
    struct span names;

    snprintf(out->compiler, sizeof(out->compiler), "%s", gpudl__apart_text(&r));
    gpudl__text_add(why, "%s", gpudl__apart_text(&r));
    made->log.used = made->log.count = 0;
    gpudl__strings_add(&made->log, gpudl__apart_text(&r));
    lowered = gpudl__apart_number(&r);
    if (!ours || r.failed || error > COMPILE_NO_MEMORY || !span_cut(r.rest, 0, lowered, &names)) {
        gpudl__text_clear(why);
        gpudl__text_add(why, APART_PROGRAM " answered what this gpudl does not understand: is it of another version?");
        return COMPILE_BROKEN;
    }
    if (error)
        return (enum compile_error)error;
    if (!copy_out(span_from(r.rest, lowered), &out->bytes) || (w->job->nnames && !copy_out(names, &out->lowered)))
        return COMPILE_NO_MEMORY;
    return COMPILE_OK;
}

static enum compile_error run(
    const struct work *w, struct program *p, struct compile_result *out, struct made *made, struct text *why)
{
    struct strings request = { .data = NULL };
    struct span answer = { NULL, 0 }, part;
    enum compile_error error = COMPILE_BROKEN;

    add_request(w, &request);
    part = (struct span){ (const unsigned char *)request.data, request.used };
    if (request.failed)
        error = COMPILE_NO_MEMORY;
    else if (gpudl__folder_write(&p->folder, "request", &part, 1, why))
        error = gpudl__program_run(p, made, &answer, why);
    gpudl__strings_free(&request);
    if (!error)
        error = take_answer(w, answer, out, made, why);
    gpudl__free((void *)(uintptr_t)answer.data);
    return error;
}

enum compile_error gpudl__nvrtc_compile_apart(const struct work *w, struct compile_result *out, struct made *made, struct text *why)
{
    struct program p = { .work = w };
    char path[PATH_MAX], room[2 * PATH_MAX];
    struct text looked = gpudl__text_init(room, sizeof(room));
    enum compile_error error;

    if (!find_program(path, &looked)) {
        gpudl__text_add(why, "NVRTC is wanted in a process of its own, and there is no " APART_PROGRAM ", which comes with gpudl: looked for %s", room);
        return COMPILE_NO_COMPILER;
    }
    if (!gpudl__folder_make(w->job->cache, &p.folder, why))
        return COMPILE_BROKEN;
    snprintf(p.output, sizeof(p.output), "%s/output", p.folder.path);
    gpudl__strings_add(&p.arguments, path);
    gpudl__strings_addf(&p.arguments, "%s/request", p.folder.path);
    gpudl__strings_add(&p.arguments, p.output);
    error = run(w, &p, out, made, why);
    gpudl__program_end(&p);
    return error;
}
