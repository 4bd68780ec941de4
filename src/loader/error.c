#include "src/loader/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/driver/driver.h"
#include "src/loader/loader.h"
#include "src/loader/poison.h"
#include "src/loader/thread.h"

/* What gpudl_error_text() says for want of a record. */
static THREAD_LOCAL const char *without_record;

const char *gpudl_error_text(void)
{
    if (without_record)
        return without_record;
    return gpudl__self ? gpudl__self->text : "";
}

int gpudl_error_cuda(void)
{
    return gpudl__self ? gpudl__self->cuda : 0;
}

/* The record with its text empty; NULL without memory, and then the status speaks. */
static struct thread *begin(gpudl_status status, int cuda)
{
    struct thread *t = thread_self();

    without_record = t ? NULL : gpudl_status_text(status);
    if (t)
        t->cuda = cuda;
    return t;
}

/* Where a text was cut it ends in "...". */
static void mark_cut(char *text, size_t size)
{
    memcpy(text + size - 4, "...", 4);
}

static size_t print(char *text, size_t size, const char *format, va_list args)
{
    int n = vsnprintf(text, size, format, args);

    if (n >= 0 && (size_t)n < size)
        return (size_t)n;
    mark_cut(text, size);
    return size - 1;
}

gpudl_status gpudl__fail(gpudl_status status, const char *format, ...)
{
    struct thread *t = begin(status, 0);
    va_list args;

    if (!t)
        return status;
    va_start(args, format);
    print(t->text, sizeof(t->text), format, args);
    va_end(args);
    return status;
}

gpudl_status gpudl__fail_code(gpudl_status status, int cuda, const char *text)
{
    gpudl__fail(status, "%s", text);
    begin(status, cuda);
    return status;
}

/* Each table is a loader's. */
static gpudl_loader *loader_of(const gpudl_driver_table *table)
{
    return (gpudl_loader *)((char *)table - offsetof(gpudl_loader, driver.table));
}

/* What is done about a poisoned context is said with it. */
static void add_remedy(int code, struct text *t)
{
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_CUDA, code);

    if (e && e->remedy && !e->poisons)
        gpudl__text_add(t, ". %s", e->remedy);
}

gpudl_status gpudl__fail_cuda(
    gpudl_status status, const gpudl_driver_table *table, const char *call, int code, const char *format, ...)
{
    struct thread *t = begin(status, code);
    const char *words = NULL;
    struct text rest;
    va_list args;
    size_t used;

    if (!t)
        return status;
    va_start(args, format);
    used = print(t->text, sizeof(t->text), format, args);
    va_end(args);
    if (table->GetErrorString(code, &words) != 0 || !words)
        words = "the driver has no words for it";
    rest = gpudl__text_init(t->text + used, sizeof(t->text) - used);
    gpudl__text_add(&rest, ": %s returned %d (%s: %s)", call, code, gpudl__driver_error_name(table, code), words);
    add_remedy(code, &rest);
    gpudl__poison_tell(loader_of(table), code, &rest);
    return status;
}

gpudl_status gpudl__fail_lacks(const gpudl_loader *l, const char *call, const char *format, ...)
{
    struct thread *t = begin(GPUDL_ERROR_DRIVER_TOO_OLD, 0);
    int since = gpudl__driver_since(call), version = l->driver.table.version;
    va_list args;
    size_t used;

    if (!t)
        return GPUDL_ERROR_DRIVER_TOO_OLD;
    va_start(args, format);
    used = print(t->text, sizeof(t->text), format, args);
    va_end(args);
    snprintf(t->text + used, sizeof(t->text) - used, ": the driver (%s) is of CUDA %d.%d and has no %s, which came with CUDA %d.%d: update it",
        l->driver_text, version / 1000, version % 1000 / 10, call, since / 1000, since % 1000 / 10);
    return GPUDL_ERROR_DRIVER_TOO_OLD;
}

gpudl_status gpudl__fail_argument(const char *function, const char *what)
{
    return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: %s", function, what);
}

gpudl_status gpudl__fail_memory(const char *what)
{
    return gpudl__fail(GPUDL_ERROR_NO_MEMORY, "no host memory for %s", what);
}

gpudl_status gpudl__fail_forked(const char *what)
{
    return gpudl__fail(GPUDL_ERROR_FORKED,
        "%s: this process was forked from one that had opened a CUDA driver, and drivers do not survive "
        "that; open gpudl after fork(), or start the child with exec",
        what);
}

void gpudl__failure_save(struct failure *out)
{
    out->cuda = gpudl_error_cuda();
    snprintf(out->text, sizeof(out->text), "%s", gpudl_error_text());
}

void gpudl__failure_restore(const struct failure *f)
{
    struct thread *t = begin(GPUDL_ERROR_NO_MEMORY, f->cuda);

    if (t)
        snprintf(t->text, sizeof(t->text), "%s", f->text);
}
