/* gpudl_compile_options, taken in once: checked, and copied with all that they point to. */
#include <string.h>

#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/options.h"

static const unsigned KNOWN_FLAGS = GPUDL_COMPILE_NO_CACHE | GPUDL_COMPILE_RELOCATABLE | GPUDL_COMPILE_PROCESS;

static gpudl_status wrong(const char *what)
{
    return gpudl__fail_argument("gpudl_compile_options", what);
}

static gpudl_status check_lists(const gpudl_compile_options *o)
{
    if ((o->noptions && !o->options) || (o->nheaders && !o->headers) || (o->nnames && !o->names))
        return wrong("a list is NULL, and its count is not 0");
    for (size_t i = 0; i < o->noptions; i++)
        if (!o->options[i])
            return wrong("one of the options is NULL");
    for (size_t i = 0; i < o->nheaders; i++)
        if (!o->headers[i].name || !o->headers[i].text)
            return wrong("a header's name or text is NULL");
    for (size_t i = 0; i < o->nnames; i++)
        if (!o->names[i])
            return wrong("one of the name expressions is NULL");
    return GPUDL_OK;
}

gpudl_status gpudl__compile_import(const gpudl_compile_options *given, gpudl_compile_options *o)
{
    gpudl_status status = GPUDL_OK;

    *o = (gpudl_compile_options)GPUDL_COMPILE_OPTIONS_INIT;
    if (given)
        status = gpudl__options_import(o, sizeof(*o), given, "gpudl_compile_options");
    if (status == GPUDL_OK)
        status = gpudl__flags_check(o->flags, KNOWN_FLAGS, "gpudl_compile_options");
    if (status != GPUDL_OK)
        return status;
    if ((unsigned)o->format > GPUDL_FORMAT_FATBIN)
        return wrong("format is none of gpudl_format");
    return check_lists(o);
}

/* ---- copies: a first round counts the bytes, a second one fills them */

struct filler {
    char *block; /* NULL: counting */
    size_t used;
};

/* Room for n bytes, aligned for pointers. */
static void *take(struct filler *f, size_t n)
{
    void *at = f->block ? f->block + f->used : NULL;

    f->used += (n + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    return at;
}

static const char *copy_string(struct filler *f, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    char *at = text ? take(f, n) : NULL;

    return at ? memcpy(at, text, n) : NULL;
}

static const char *const *copy_strings(struct filler *f, const char *const *strings, size_t n)
{
    const char **at = n ? take(f, n * sizeof(*at)) : NULL;

    for (size_t i = 0; i < n; i++) {
        const char *copy = copy_string(f, strings[i]);
        if (at)
            at[i] = copy;
    }
    return at;
}

static const gpudl_header *copy_headers(struct filler *f, const gpudl_header *headers, size_t n)
{
    gpudl_header *at = n ? take(f, n * sizeof(*at)) : NULL;

    for (size_t i = 0; i < n; i++) {
        const gpudl_header copy = { copy_string(f, headers[i].name), copy_string(f, headers[i].text) };
        if (at)
            at[i] = copy;
    }
    return at;
}

static gpudl_compile_options *fill(struct filler *f, const gpudl_compile_options *o)
{
    gpudl_compile_options *at = take(f, sizeof(*at)), copy = *o;

    copy.options = copy_strings(f, o->options, o->noptions);
    copy.headers = copy_headers(f, o->headers, o->nheaders);
    copy.names = copy_strings(f, o->names, o->nnames);
    copy.compiler = copy_string(f, o->compiler);
    copy.target = copy_string(f, o->target);
    if (at)
        *at = copy;
    return at;
}

gpudl_status gpudl__compile_copy(const gpudl_compile_options *given, gpudl_compile_options **out)
{
    struct filler f = { NULL, 0 };
    gpudl_compile_options o;
    gpudl_status status = gpudl__compile_import(given, &o);

    *out = NULL;
    if (status != GPUDL_OK || !given)
        return status;
    fill(&f, &o);
    f.block = gpudl__alloc(f.used);
    f.used = 0;
    if (!f.block)
        return gpudl__fail_memory("a copy of options");
    *out = fill(&f, &o);
    return GPUDL_OK;
}

gpudl_status gpudl__compile_of_load(const gpudl_load_options *given, gpudl_compile_options **out)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_status status = GPUDL_OK;

    *out = NULL;
    if (given)
        status = gpudl__options_import(&load, sizeof(load), given, "gpudl_load_options");
    return status == GPUDL_OK ? gpudl__compile_copy(load.compile, out) : status;
}
