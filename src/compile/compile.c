/* compile.c - a job from its beginning to its end: which compiler, kept already, somebody at it already, else made. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

enum { REASON_SIZE = 2048, BUSY_FIRST = 500 * 1000, BUSY_MOST = 20 * 1000 * 1000 /* ns */, BUSY_TOO_LONG = 20 * 60 /* s */ };

void gpudl__compile_release(struct compile_result *r)
{
    gpudl__free((void *)(uintptr_t)r->bytes.data);
    gpudl__free(r->log);
    gpudl__free((void *)(uintptr_t)r->lowered.data);
    gpudl__free((void *)(uintptr_t)r->headers.data);
    *r = (struct compile_result){ .log = NULL };
}

/* ---- making it */

static const char *words_of(enum compile_error error)
{
    switch (error) {
    case COMPILE_SOURCE:
        return "does not compile";
    case COMPILE_HEADER:
        return "a header was not found";
    case COMPILE_OPTION:
        return "an option was refused";
    case COMPILE_TARGET:
        return "the compiler does not make code for the target";
    case COMPILE_BROKEN:
        return "the compiler failed";
    case COMPILE_CANCELLED:
        return "the compilation was cancelled";
    case COMPILE_NO_MEMORY:
        return "no host memory to compile it";
    default:
        return "it cannot be compiled";
    }
}

static void tell_header(const struct request *r, const char *log, struct text *why)
{
    const struct scan_place place = { r->folders, r->nfolders, r->job->headers, r->job->nheaders, r->defines, r->ndefines,
        r->nown, NULL };
    char header[PATH_MAX], from[PATH_MAX];

    if (!gpudl__log_header(log, header, sizeof(header), from, sizeof(from)))
        return;
    gpudl__text_add(why, ": '%s': ", header);
    gpudl__scan_tried(from, header, &place, why);
}

static void tell(const struct request *r, const struct compile_target *target, enum compile_error error, const struct made *made,
    const struct text *reason, struct text *why)
{
    const char *log = made->log.used > 1 && !made->log.failed ? made->log.data : "";

    gpudl__text_add(why, "%s: %s", r->job->name, words_of(error));
    if (error == COMPILE_HEADER)
        tell_header(r, log, why);
    gpudl__text_add(why, " (%s, %s", gpudl__compiler_name(r->compiler->kind), r->compiler->path);
    if (error == COMPILE_TARGET)
        gpudl__text_add(why, ", for sm_%u%.1s", target->sm, &target->suffix);
    gpudl__text_add(why, ")%s%s%s%s", reason->used ? ": " : "", reason->used ? reason->data : "", *log ? ":\n" : "", log);
}

static bool is_apart(const struct compile_job *job)
{
    const char *wish = gpudl__environment("GPUDL_COMPILE_PROCESS");

    return (job->flags & COMPILE_PROCESS) || (wish && *wish && strcmp(wish, "0") != 0);
}

static enum compile_error make_one(
    const struct request *r, const struct compile_target *target, struct compile_result *out, struct made *made, struct text *why)
{
    static back_end *const back_ends[COMPILER_KINDS] = { gpudl__nvrtc_compile, gpudl__nvcc_compile, gpudl__clang_compile };
    const struct work w = { r->job, r->options, r->compiler, *target, r->relocatable, is_apart(r->job) };
    char room[REASON_SIZE];
    struct text reason = gpudl__text_init(room, sizeof(room));
    enum compile_error error;

    *made = (struct made){ .log = { .data = NULL } };
    *out = (struct compile_result){ .target = *target };
    out->target.exact = true;
    error = back_ends[r->compiler->kind](&w, out, made, &reason);
    if (!error)
        out->log = gpudl__alloc_string(made->log.used && !made->log.failed ? made->log.data : "");
    if (!error && !out->log)
        error = COMPILE_NO_MEMORY;
    if (error) {
        tell(r, target, error, made, &reason, why);
        gpudl__compile_release(out);
    }
    return error;
}

static void drop_made(struct made *made)
{
    gpudl__strings_free(&made->log);
    gpudl__strings_free(&made->reads);
}

/* What the target may be made of, in turn: machine code; PTX of the same architecture; PTX of those below, as its number may be newer than the
 * compiler. */
static bool next_target(struct compile_target *t)
{
    static const unsigned below[] = { 120, 103, 100, 90, 89, 87, 86, 80, 75, 70 };

    if (t->format == COMPILE_CUBIN) {
        t->format = COMPILE_PTX;
        return true;
    }
    t->suffix = 0;
    for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
        if (below[i] < t->sm) {
            t->sm = below[i];
            return true;
        }
    return false;
}

static enum compile_error make(const struct request *r, struct compile_result *out, struct made *made, struct text *why)
{
    struct compile_target target = r->target;
    enum compile_error error = make_one(r, &target, out, made, why);
    char room[REASON_SIZE];
    struct text again;

    if (target.exact || target.format == COMPILE_LTOIR)
        return error;
    while (error == COMPILE_TARGET && next_target(&target)) {
        drop_made(made);
        again = gpudl__text_init(room, sizeof(room));
        error = make_one(r, &target, out, made, &again);
        if (error && error != COMPILE_TARGET) {
            gpudl__text_clear(why);
            gpudl__text_add(why, "%s", again.data);
        }
    }
    return error;
}

/* ---- among processes */

/* Waits while another process is at it. What was made between our last look and the lock is taken. */
static enum compile_error make_alone(const struct request *r, struct compile_result *out, struct text *why)
{
    struct timespec pause = { 0, BUSY_FIRST };
    time_t end = time(NULL) + BUSY_TOO_LONG;
    struct cache_lock lock;
    struct made made;
    enum compile_error error;

    while (gpudl__cache_lock(r->job->cache, &r->key, &lock) == CACHE_LOCK_BUSY && time(NULL) < end) {
        if (r->job->cancelled && r->job->cancelled(r->job->user)) {
            gpudl__text_add(why, "%s: %s", r->job->name, words_of(COMPILE_CANCELLED));
            return COMPILE_CANCELLED;
        }
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec * 3 / 2 < BUSY_MOST ? pause.tv_nsec * 3 / 2 : BUSY_MOST;
    }
    if (gpudl__kept_get(r, out)) {
        gpudl__cache_unlock(r->job->cache, &lock);
        return COMPILE_OK;
    }
    error = make(r, out, &made, why);
    if (!error)
        gpudl__kept_put(r, out, &made);
    gpudl__cache_unlock(r->job->cache, &lock);
    drop_made(&made);
    return error;
}

/* ---- among threads */

static enum compile_error make_or_wait(const struct request *r, struct compile_result *out, struct text *why)
{
    enum compile_error error;
    struct flight *flight;

    if (gpudl__kept_get(r, out))
        return COMPILE_OK;
    flight = gpudl__flight_join(&r->key, r->job, &error, out, why);
    if (!flight)
        return error;
    error = make_alone(r, out, why);
    gpudl__flight_land(flight, error, out, why);
    return error;
}

static enum compile_error make_unkept(const struct request *r, struct compile_result *out, struct text *why)
{
    struct made made;
    enum compile_error error = make(r, out, &made, why);

    drop_made(&made);
    return error;
}

/* ---- the request */

/* Folders in the order that compilers search them, and headers in front. */
static bool add_places(struct request *r)
{
    size_t most = r->options->n + INCLUDES_MOST;

    r->folders = gpudl__alloc_zero((most + 1) * sizeof(*r->folders));
    r->before = gpudl__alloc_zero((most + 1) * sizeof(*r->before));
    r->defines = gpudl__alloc_zero((most + 1) * sizeof(*r->defines));
    if (!r->folders || !r->before || !r->defines)
        return false;
    for (size_t i = 0; i < r->options->n; i++)
        if (r->options->list[i].kind == OPTION_INCLUDE)
            r->folders[r->nfolders++] = r->options->list[i].value;
    for (size_t i = 0; i < r->options->n; i++) {
        if (r->options->list[i].kind == OPTION_SYSTEM)
            r->folders[r->nfolders++] = r->options->list[i].value;
        if (r->options->list[i].kind == OPTION_PREINCLUDE)
            r->before[r->nbefore++] = r->options->list[i].value;
        if (r->options->list[i].kind == OPTION_DEFINE)
            r->defines[r->ndefines++] = r->options->list[i].value;
    }
    for (size_t i = 0; i < INCLUDES_MOST && *r->compiler->include[i]; i++, r->nown++)
        r->folders[r->nfolders++] = r->compiler->include[i];
    return true;
}

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static enum compile_error run(struct request *r, struct compile_result *out, struct text *why)
{
    if (!add_places(r) || !gpudl__request_key(r)) {
        gpudl__text_add(why, "%s: %s", r->job->name, words_of(COMPILE_NO_MEMORY));
        return COMPILE_NO_MEMORY;
    }
    if (r->job->policy && !r->verified) {
        gpudl__text_add(why,
            "%s: a trust policy holds, and it reads headers that nobody has verified, or may: hand them over in memory (headers), and leave out "
            "options that gpudl does not know",
            r->job->name);
        return COMPILE_HEADER;
    }
    if (r->may_keep && r->job->cache && !(r->job->flags & COMPILE_NO_CACHE))
        return make_or_wait(r, out, why);
    return make_unkept(r, out, why);
}

/* They are the caller's own, whoever made the code. */
static enum compile_error give_headers(
    const struct compile_job *job, struct strings *headers, struct compile_result *out, struct text *why)
{
    if (headers->failed) {
        gpudl__compile_release(out);
        gpudl__text_add(why, "%s: %s", job->name, words_of(COMPILE_NO_MEMORY));
        return COMPILE_NO_MEMORY;
    }
    out->headers = (struct span){ (const unsigned char *)headers->data, headers->used };
    headers->data = NULL;
    return COMPILE_OK;
}

static enum compile_error compile_with(const struct compile_job *job, const struct options *options,
    const struct compiler *compiler, struct compile_target target, struct compile_result *out, struct text *why)
{
    struct request r = { .job = job, .options = options, .compiler = compiler, .target = target, .begun = now() };
    struct strings headers = { .data = NULL };
    enum compile_error error;

    r.relocatable = options->relocatable || (job->flags & COMPILE_RELOCATABLE);
    r.headers = job->wants_headers ? &headers : NULL;
    error = run(&r, out, why);
    if (!error)
        error = give_headers(job, &headers, out, why);
    gpudl__strings_free(&headers);
    gpudl__free(r.folders);
    gpudl__free(r.before);
    gpudl__free(r.defines);
    return error;
}

/* One that makes machine code where that is wanted; else, where PTX does as well, one that makes PTX. */
static enum compile_error find(
    const struct compile_job *job, unsigned passed, struct compile_target *target, struct compiler *out, struct text *why)
{
    enum compile_error error = gpudl__compiler_find(job->compiler, target->format, passed, out, why);

    if (error != COMPILE_NO_COMPILER || target->exact || target->format != COMPILE_CUBIN)
        return error;
    gpudl__text_clear(why);
    error = gpudl__compiler_find(job->compiler, COMPILE_PTX, passed, out, why);
    if (!error)
        target->format = COMPILE_PTX;
    return error;
}

static bool is_named(const struct compile_job *job)
{
    const char *name = job->compiler && *job->compiler ? job->compiler : gpudl__environment("GPUDL_COMPILER");

    return name && *name && strcmp(name, "auto") != 0;
}

/* One that cannot be opened or started is passed over, unless it was asked for. */
static enum compile_error with_first(
    const struct compile_job *job, const struct options *options, struct compile_result *out, struct text *why)
{
    enum compile_error error = COMPILE_OK, none;
    char room[REASON_SIZE];
    unsigned passed = 0;

    for (;;) {
        struct compile_target target = job->target;
        struct text no_other = gpudl__text_init(room, sizeof(room));
        struct compiler compiler;

        if (options->lto)
            target.format = COMPILE_LTOIR;
        none = find(job, passed, &target, &compiler, passed ? &no_other : why);
        if (none)
            return passed ? error : none;
        gpudl__text_clear(why);
        error = compile_with(job, options, &compiler, target, out, why);
        if (error != COMPILE_BROKEN || is_named(job))
            return error;
        passed |= 1u << compiler.kind;
    }
}

enum compile_error gpudl__compile(const struct compile_job *job, struct compile_result *out, struct text *why)
{
    struct options options;
    enum compile_error error = gpudl__options_parse(job->options, job->noptions, &options, why);

    if (error)
        return error;
    error = with_first(job, &options, out, why);
    gpudl__options_free(&options);
    return error;
}
