/* CUDA C++ among the sources, and for programs that want bytes only. */
#include "src/loader/source/compile.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "src/compile/compile.h"
#include "src/image/fatbin_write.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/options.h"
#include "src/loader/thread.h"
#include "src/loader/source/trust.h"

enum { REASON_SIZE = 4000, TARGETS_MOST = 64 };

struct gpudl_code {
    struct compile_result result;
    gpudl_format format;
};

/* ---- one job */

static gpudl_status wrong(const char *what)
{
    return gpudl__fail_argument("gpudl_compile_options", what);
}

static gpudl_status status_of(enum compile_error error)
{
    switch (error) {
    case COMPILE_OK:
        return GPUDL_OK;
    case COMPILE_NO_COMPILER:
        return GPUDL_ERROR_NO_COMPILER;
    case COMPILE_SOURCE:
        return GPUDL_ERROR_COMPILE;
    case COMPILE_HEADER:
        return GPUDL_ERROR_COMPILE_HEADER;
    case COMPILE_OPTION:
        return GPUDL_ERROR_COMPILE_OPTION;
    case COMPILE_TARGET:
        return GPUDL_ERROR_COMPILE_TARGET;
    case COMPILE_BROKEN:
        return GPUDL_ERROR_COMPILER;
    case COMPILE_CANCELLED:
        return GPUDL_ERROR_CANCELLED;
    case COMPILE_NO_MEMORY:
        return GPUDL_ERROR_NO_MEMORY;
    }
    return GPUDL_ERROR_COMPILER;
}

/* By the caller's function, or by the task that the thread runs. */
struct stopper {
    const gpudl_compile_options *options;
    atomic_bool *task;
};

static bool is_cancelled(void *user)
{
    const struct stopper *s = user;

    return (s->task && (atomic_load(s->task) || gpudl__thread_is_to_park())) ||
        (s->options->cancelled && s->options->cancelled(s->options->cancelled_user));
}

static struct compile_header *import_headers(const gpudl_compile_options *o)
{
    struct compile_header *headers = gpudl__alloc_zero((o->nheaders + 1) * sizeof(*headers));

    for (size_t i = 0; headers && i < o->nheaders; i++)
        headers[i] = (struct compile_header){ o->headers[i].name,
            { (const unsigned char *)o->headers[i].text, strlen(o->headers[i].text) } };
    return headers;
}

static gpudl_status run(gpudl_loader *l, const struct content *source, const gpudl_compile_options *o,
    struct compile_target target, bool wants_headers, struct compile_result *out)
{
    struct compile_header *headers = import_headers(o);
    char room[REASON_SIZE] = "";
    struct text why = gpudl__text_init(room, sizeof(room));
    struct thread *self = thread_self();
    struct stopper stopper = { o, self ? self->cancelled : NULL };
    struct trace_span span;
    enum compile_error error;
    const struct compile_job job = {
        .name = source->name,
        .text = source->bytes,
        .options = o->options,
        .noptions = o->noptions,
        .headers = headers,
        .nheaders = o->nheaders,
        .names = o->names,
        .nnames = o->nnames,
        .compiler = o->compiler,
        .target = target,
        .flags = (o->flags & GPUDL_COMPILE_NO_CACHE ? COMPILE_NO_CACHE : 0u) |
            (o->flags & GPUDL_COMPILE_RELOCATABLE ? COMPILE_RELOCATABLE : 0u) |
            (o->flags & GPUDL_COMPILE_PROCESS ? COMPILE_PROCESS : 0u),
        .policy = source->level,
        .cancelled = o->cancelled || stopper.task ? is_cancelled : NULL,
        .user = &stopper,
        .cache = o->flags & GPUDL_COMPILE_NO_CACHE ? NULL : gpudl__loader_cache(l),
        .wants_headers = wants_headers,
    };

    if (!headers)
        return gpudl__fail_memory("headers");
    if (gpudl__trust_locked())
        gpudl__compilers_ignore_environment();
    span = gpudl__trace_begin(l ? l->trace : NULL, "compile", source->name);
    error = gpudl__compile(&job, out, &why);
    gpudl__trace_end(
        span, !error && out->kept ? "compile: kept" : "compile", source->name, error ? 0 : out->bytes.size, error != COMPILE_OK);
    gpudl__free(headers);
    if (error == COMPILE_NO_MEMORY && !why.used)
        return gpudl__fail_memory("a compilation");
    return error ? gpudl__fail(status_of(error), "%s%s%s", strncmp(room, source->name, strlen(source->name)) ? source->name : "",
                       strncmp(room, source->name, strlen(source->name)) ? ": " : "", room)
                 : GPUDL_OK;
}

static void log_result(gpudl_loader *l, const struct content *source, const struct compile_result *r)
{
    if (!l)
        return;
    gpudl__log(l, GPUDL_LOG_DEBUG, "%s: %s by %s", source->name, r->kept ? "was compiled before" : "compiled", r->compiler);
    if (*r->log)
        gpudl__log(l, GPUDL_LOG_INFO, "%s: %s says: %s", source->name, r->compiler, r->log);
}

/* ---- the target */

static gpudl_status parse_target(const char *name, gpudl_format format, struct compile_target *out)
{
    bool virtual = !strncmp(name, "compute_", 8);

    *out = (struct compile_target){ .exact = true };
    if (!gpudl__image_parse_arch(name, &out->sm, &out->suffix))
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "gpudl_compile_options: target is '%.40s': write it as \"sm_90\", \"sm_90a\" or \"compute_90\"", name);
    switch (format) {
    case GPUDL_FORMAT_PTX:
        out->format = COMPILE_PTX;
        return GPUDL_OK;
    case GPUDL_FORMAT_LTOIR:
        out->format = COMPILE_LTOIR;
        return GPUDL_OK;
    case GPUDL_FORMAT_CUBIN:
        if (virtual)
            return gpudl__fail(GPUDL_ERROR_ARGUMENT,
                "gpudl_compile_options: a cubin is for a real architecture, such as \"sm_90\", and target is '%.40s'", name);
        out->format = COMPILE_CUBIN;
        return GPUDL_OK;
    default:
        out->format = virtual ? COMPILE_PTX : COMPILE_CUBIN;
        return GPUDL_OK;
    }
}

/* What the device takes. */
static struct compile_target device_target(const gpudl_loader *l, gpudl_format format)
{
    struct compile_target t = { .sm = l->driver.sm, .format = l->driver.software ? COMPILE_PTX : COMPILE_CUBIN };

    if (format == GPUDL_FORMAT_PTX || format == GPUDL_FORMAT_LTOIR)
        t.format = format == GPUDL_FORMAT_PTX ? COMPILE_PTX : COMPILE_LTOIR;
    t.exact = format != GPUDL_FORMAT_AUTO;
    return t;
}

static const char *target_of(const gpudl_compile_options *o)
{
    return o->target ? o->target : gpudl__compile_arch_of(o->options, o->noptions);
}

/* ---- a load, and a link */

/* What the content is compiled to takes its place. */
static gpudl_status replace(gpudl_loader *l, struct content *content, const gpudl_compile_options *o, struct compile_target target)
{
    struct compile_result result;
    gpudl_status status = run(l, content, o, target, false, &result);

    if (status != GPUDL_OK)
        return status;
    log_result(l, content, &result);
    gpudl__content_replace(content, result.bytes, result.lowered, result.hashed ? &result.hash : NULL);
    result.bytes = result.lowered = (struct span){ NULL, 0 };
    gpudl__compile_release(&result);
    return GPUDL_OK;
}

gpudl_status gpudl__content_compile(
    gpudl_loader *l, const gpudl_compile_options *options, const struct load_settings *settings, struct content *content)
{
    static const gpudl_compile_options none = GPUDL_COMPILE_OPTIONS_INIT;
    const gpudl_compile_options *o = options ? options : &none;
    struct compile_target target;
    const char *name;
    gpudl_status status = GPUDL_OK;

    if (!content->cuda)
        return GPUDL_OK;
    if (o->format == GPUDL_FORMAT_FATBIN || o->format == GPUDL_FORMAT_LTOIR)
        return wrong("a load makes a cubin or PTX: leave format 0, or use gpudl_compile()");
    name = target_of(o);
    target = device_target(l, o->format);
    if (name)
        status = parse_target(name, l->driver.software && !o->format ? GPUDL_FORMAT_PTX : o->format, &target);
    else
        gpudl__settings_target(settings, &target.sm, &target.suffix);
    return status == GPUDL_OK ? replace(l, content, o, target) : status;
}

gpudl_status gpudl__content_compile_part(gpudl_loader *l, const gpudl_compile_options *options, unsigned sm, char suffix,
    gpudl_format format, struct content *content)
{
    struct compile_target target = { .sm = sm, .suffix = suffix, .exact = true };
    gpudl_compile_options o = GPUDL_COMPILE_OPTIONS_INIT;

    if (options)
        o = *options;
    if (o.format == GPUDL_FORMAT_FATBIN)
        return wrong("a link takes sources as LTO-IR, PTX or cubins: leave format 0, or use gpudl_compile()");
    o.flags |= GPUDL_COMPILE_RELOCATABLE;
    target.format = (enum compile_format)(o.format ? o.format : format);
    return replace(l, content, &o, target);
}

/* ---- bytes only */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum image_format image_format_of(enum compile_format format)
{
    return format == COMPILE_CUBIN ? IMAGE_CUBIN : format == COMPILE_PTX ? IMAGE_PTX : IMAGE_LTOIR;
}

/* The results of all targets, in one image. The names are the same in each. */
static gpudl_status join(const struct content *source, struct compile_result *results, size_t n, struct compile_result *out)
{
    struct fatbin_part parts[TARGETS_MOST];
    struct span bytes;
    enum image_error error;

    for (size_t i = 0; i < n; i++)
        parts[i] = (struct fatbin_part){ image_format_of(results[i].target.format), results[i].bytes, results[i].target.sm,
            results[i].target.suffix, base_name(source->name) };
    error = gpudl__fatbin_write(parts, n, &bytes);
    if (error)
        return gpudl__fail_memory("a fatbin");
    for (size_t i = 1; i < n; i++) {
        results[0].kept = results[0].kept && results[i].kept;
        gpudl__compile_release(&results[i]);
    }
    gpudl__free((void *)(uintptr_t)results[0].bytes.data);
    *out = results[0];
    out->bytes = bytes;
    return GPUDL_OK;
}

static gpudl_status compile_all(gpudl_loader *l, const struct content *source, const gpudl_compile_options *o,
    const char *targets, struct compile_result *out)
{
    struct compile_result results[TARGETS_MOST];
    gpudl_status status = GPUDL_OK;
    size_t n = 0;

    for (const char *at = targets; status == GPUDL_OK && *at; at += *at == ',') {
        size_t size = strcspn(at, ",");
        struct compile_target target;
        char name[24];

        if (n == TARGETS_MOST)
            status = wrong("target names more than 64 architectures");
        snprintf(name, sizeof(name), "%.*s", (int)size, at);
        if (status == GPUDL_OK)
            status = parse_target(name, GPUDL_FORMAT_FATBIN, &target);
        if (status == GPUDL_OK)
            status = run(l, source, o, target, true, &results[n]);
        n += status == GPUDL_OK;
        at += size;
    }
    if (status == GPUDL_OK)
        status = n ? join(source, results, n, out) : wrong("target names no architecture");
    for (size_t i = 0; status != GPUDL_OK && i < n; i++)
        gpudl__compile_release(&results[i]);
    return status;
}

static gpudl_format format_of(enum compile_format format)
{
    return (gpudl_format)format;
}

static gpudl_status compile(gpudl_loader *l, const struct content *source, const gpudl_compile_options *o, gpudl_code *code)
{
    const char *name = target_of(o);
    struct compile_target target;
    char device[24];
    gpudl_status status = GPUDL_OK;

    if (!name && o->format == GPUDL_FORMAT_FATBIN) {
        snprintf(device, sizeof(device), "%s_%u", l->driver.software ? "compute" : "sm", l->driver.sm);
        name = device;
    }
    if (o->format == GPUDL_FORMAT_FATBIN) {
        code->format = GPUDL_FORMAT_FATBIN;
        return compile_all(l, source, o, name, &code->result);
    }
    if (name)
        status = parse_target(name, o->format, &target);
    else
        target = device_target(l, o->format);
    if (status == GPUDL_OK)
        status = run(l, source, o, target, true, &code->result);
    if (status == GPUDL_OK)
        code->format = format_of(code->result.target.format);
    return status;
}

static gpudl_status compile_source(gpudl_loader *l, const gpudl_source *source, const gpudl_compile_options *o, gpudl_code **out)
{
    gpudl_code *code = gpudl__alloc_zero(sizeof(*code));
    struct content content;
    gpudl_status status;

    if (!code)
        return gpudl__fail_memory("the result of a compilation");
    status = gpudl__content_read(source, NULL, &content);
    if (status == GPUDL_OK) {
        status = compile(l, &content, o, code);
        if (status == GPUDL_OK)
            log_result(l, &content, &code->result);
        gpudl__content_release(&content);
    }
    if (status == GPUDL_OK)
        *out = code;
    else
        gpudl__free(code);
    return status;
}

gpudl_status gpudl_compile(
    gpudl_loader *given, const gpudl_source *source, const gpudl_compile_options *options, gpudl_code **out)
{
    const struct allocator *before;
    gpudl_loader *l = gpudl__loader_if_open(given);
    gpudl_compile_options o;
    gpudl_status status;

    if (!out)
        return gpudl__fail_argument("gpudl_compile", "out is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_compile");
    status = gpudl__compile_import(options, &o);
    if (status == GPUDL_OK && !l && !target_of(&o))
        l = gpudl__loader(given, "gpudl_compile", &status);
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(l ? gpudl__loader_heap(l) : NULL);
    status = compile_source(l, source, &o, out);
    gpudl__alloc_use(before);
    return status;
}

void gpudl_code_release(gpudl_code *code)
{
    if (!code)
        return;
    gpudl__compile_release(&code->result);
    gpudl__free(code);
}

gpudl_status gpudl_code_describe(gpudl_code *code, gpudl_code_info *out)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_status status = gpudl__result_check(out, "gpudl_code_info");
    const struct compile_result *r;

    if (status != GPUDL_OK)
        return status;
    if (!code)
        return gpudl__fail_argument("gpudl_code_describe", "the code is NULL");
    r = &code->result;
    info.bytes = r->bytes.data;
    info.nbytes = r->bytes.size;
    info.format = code->format;
    info.kept = r->kept;
    info.compiler = r->compiler;
    info.log = r->log;
    if (code->format != GPUDL_FORMAT_FATBIN)
        snprintf(info.target, sizeof(info.target), "%s_%u%.1s", code->format == GPUDL_FORMAT_CUBIN ? "sm" : "compute",
            r->target.sm, &r->target.suffix);
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}

const char *gpudl_code_name(gpudl_code *code, const char *expression)
{
    return code && expression ? gpudl__compile_lowered(code->result.lowered, expression) : NULL;
}

const char *gpudl_code_header(gpudl_code *code, size_t index)
{
    const char *path = NULL;
    size_t n;

    for (size_t at = 0; code && at < code->result.headers.size; at += n + 1) {
        path = span_string(code->result.headers, at, PATH_MAX, &n);
        if (!path || !index--)
            return path;
    }
    return NULL;
}

/* ---- which compilers there are */

struct naming {
    void (*each)(void *user, const char *kind, const char *path);
    void *user;
};

static void name_one(void *arg, const struct compile_found *f)
{
    const struct naming *n = arg;

    n->each(n->user, f->kind, f->path);
}

size_t gpudl_compilers(void (*each)(void *, const char *, const char *), void *user, char *out, size_t size)
{
    struct naming n = { each, user };
    char room[REASON_SIZE];
    struct text missing = gpudl__text_init(room, sizeof(room));

    if (each)
        gpudl__compilers_list(name_one, &n, &missing);
    if (out && size)
        snprintf(out, size, "%s", room);
    return missing.used;
}
