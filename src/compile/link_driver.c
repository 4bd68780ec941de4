/* link_driver.c - the driver's own linker. */
#include "src/compile/link_parts.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/util/alloc.h"

enum { LOG_SIZE = 8192, OPTIONS_MOST = 12, TARGET_ACCELERATED = 0x10000, TARGET_FAMILY = 0x20000 };

struct link_log {
    char errors[LOG_SIZE], remarks[LOG_SIZE];
};

struct jit_options {
    int list[OPTIONS_MOST];
    void *values[OPTIONS_MOST];
    unsigned n;
};

static void option(struct jit_options *o, int name, uintptr_t value)
{
    o->list[o->n] = name;
    o->values[o->n++] = (void *)value;
}

static void take_options(struct jit_options *o, const struct link_job *job, struct link_log *log)
{
    const struct link_settings *s = &job->settings;
    const struct link_target *t = &job->target;

    option(o, GPUDL_JIT_ERROR_LOG_BUFFER, (uintptr_t)log->errors);
    option(o, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_SIZE);
    option(o, GPUDL_JIT_INFO_LOG_BUFFER, (uintptr_t)log->remarks);
    option(o, GPUDL_JIT_INFO_LOG_BUFFER_SIZE_BYTES, LOG_SIZE);
    if (!t->device && !job->driver.software)
        option(o, GPUDL_JIT_TARGET, t->sm + (t->suffix == 'a' ? TARGET_ACCELERATED : t->suffix == 'f' ? TARGET_FAMILY : 0));
    if (s->optimization_given)
        option(o, GPUDL_JIT_OPTIMIZATION_LEVEL, s->optimization);
    if (s->max_registers)
        option(o, GPUDL_JIT_MAX_REGISTERS, s->max_registers);
    if (*s->cache_mode)
        option(o, GPUDL_JIT_CACHE_MODE, !strcmp(s->cache_mode, "cg") ? 1 : 2);
    if (s->line_info)
        option(o, GPUDL_JIT_GENERATE_LINE_INFO, 1);
    if (s->debug)
        option(o, GPUDL_JIT_GENERATE_DEBUG_INFO, 1);
}

static const char *error_name(const gpudl_driver_table *t, int code)
{
    const char *name = NULL;

    return !t->GetErrorName(code, &name) && name ? name : "an error of no known name";
}

static enum link_error refused(const struct link_job *job, const char *call, int code, const struct link_log *log,
    struct link_failure *failure, struct text *text)
{
    char *words = gpudl__link_keep_log(*log->errors ? log->errors : log->remarks);

    gpudl__text_add(text, "the driver (%s) could not link ", job->driver.text);
    gpudl__link_name_inputs(job, text);
    gpudl__text_add(text, ": %s%s%s returned %d (%s)", words ? words : "", words ? "; " : "", call, code, error_name(job->driver.table, code));
    gpudl__free(words);
    failure->cuda = code;
    return LINK_REFUSED;
}

static enum link_error no_context(const struct link_job *job, int code, struct link_failure *failure, struct text *text)
{
    gpudl__text_add(text, "the driver (%s) has no context to link in: %d (%s)", job->driver.text, code, error_name(job->driver.table, code));
    failure->cuda = code;
    return LINK_REFUSED;
}

static int type_of(enum link_kind kind)
{
    switch (kind) {
    case LINK_CUBIN: return GPUDL_JIT_INPUT_CUBIN;
    case LINK_PTX: return GPUDL_JIT_INPUT_PTX;
    case LINK_FATBIN: return GPUDL_JIT_INPUT_FATBINARY;
    case LINK_LIBRARY: return GPUDL_JIT_INPUT_LIBRARY;
    case LINK_LTOIR: break;
    }
    return GPUDL_JIT_INPUT_NVVM;
}

static enum link_error copy_result(const void *bytes, size_t size, struct link_result *out)
{
    out->bytes = gpudl__alloc(size + 1);
    if (!out->bytes)
        return LINK_NO_MEMORY;
    memcpy(out->bytes, bytes, size);
    out->bytes[size] = '\0';
    out->size = size;
    while (out->size && !out->bytes[out->size - 1] && out->bytes[0] != 0x7f)
        out->size--;            /* PTX without its NUL */
    return LINK_OK;
}

static enum link_error link_all(const struct link_job *job, const struct link_parts *parts, CUlinkState state, struct link_log *log,
    struct link_result *out, struct link_failure *failure, struct text *text)
{
    const gpudl_driver_table *cu = job->driver.table;
    size_t size = 0;
    void *bytes = NULL;
    int err;

    for (size_t i = 0; i < parts->n; i++) {
        const struct link_part *p = &parts->items[i];

        err = cu->LinkAddData(state, type_of(p->kind), (void *)(uintptr_t)p->bytes.data, p->bytes.size + (p->kind == LINK_PTX), p->name, 0, NULL,
            NULL);
        if (err)
            return refused(job, "cuLinkAddData", err, log, failure, text);
    }
    err = cu->LinkComplete(state, &bytes, &size);
    if (err)
        return refused(job, "cuLinkComplete", err, log, failure, text);
    if (!bytes || !size) {
        gpudl__text_add(text, "the driver (%s) linked, and gave nothing: link with nvJitLink (GPUDL_LINKER)", job->driver.text);
        return LINK_REFUSED;
    }
    out->log = gpudl__link_keep_log(log->remarks);
    return copy_result(bytes, size, out);
}

enum link_error gpudl__link_driver_run(const struct link_job *job, const struct link_parts *parts, struct link_result *out,
    struct link_failure *failure, struct text *text)
{
    const gpudl_driver_table *cu = job->driver.table;
    struct link_log *log = gpudl__alloc_zero(sizeof(*log));
    struct jit_options options = { .n = 0 };
    enum link_error error;
    CUlinkState state;
    int err;

    if (!log)
        return LINK_NO_MEMORY;
    take_options(&options, job, log);
    snprintf(out->linker, sizeof(out->linker), "%.90s", job->driver.text);
    err = job->driver.enter(job->driver.user);
    if (err) {
        gpudl__free(log);
        return no_context(job, err, failure, text);
    }
    err = cu->LinkCreate(options.n, options.list, options.values, &state);
    if (err) {
        error = refused(job, "cuLinkCreate", err, log, failure, text);
    } else {
        error = link_all(job, parts, state, log, out, failure, text);
        cu->LinkDestroy(state);
    }
    job->driver.leave(job->driver.user);
    gpudl__free(log);
    return error;
}
