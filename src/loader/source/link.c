/* Linking and loading: contents become one content, which goes the way of any other. */
#include "src/loader/source/link.h"

#include <stdio.h>
#include <string.h>

#include "src/image/details.h"
#include "src/loader/source/compile.h"
#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/options.h"
#include "src/loader/poison.h"
#include "src/loader/source/trust.h"

enum { TEXT_SIZE = 3072, NAME_SIZE = 256, NAMED_MOST = 3 };

static const char link_function[] = "gpudl_library_link";

/* ----------------------------------------------------------------------------------------------------------------- one request */

/* For the driver's linker: a context of the device that is linked for. */
struct lending {
    gpudl_loader *loader;
    bool pushed;
};

static int enter(void *user)
{
    struct lending *lent = user;

    if (gpudl__context_enter(lent->loader, 0, &lent->pushed) == GPUDL_OK)
        return 0;
    return gpudl_error_cuda() ? gpudl_error_cuda() : GPUDL_CU_UNKNOWN;
}

static void leave(void *user)
{
    struct lending *lent = user;

    gpudl__context_leave(lent->loader, lent->pushed);
}

static struct link_settings settings_of(const struct load_settings *s)
{
    struct link_settings out = {
        .line_info = s->flags & GPUDL_LOAD_LINE_INFO,
        .debug = s->flags & GPUDL_LOAD_DEBUG,
        .fma_given = s->fma != 0,
        .fma = s->fma == GPUDL_FMA_ON,
        .optimization_given = s->optimization != 0,
        .optimization = s->optimization ? s->optimization - GPUDL_OPTIMIZATION(0) : 0,
        .max_registers = s->max_registers,
    };

    if (s->cache_mode)
        memcpy(out.cache_mode, s->cache_mode == GPUDL_CACHE_MODE_CG ? "cg" : "ca", sizeof(out.cache_mode));
    return out;
}

static gpudl_status status_of(enum link_error error, const struct link_failure *f)
{
    switch (error) {
    case LINK_OK: return GPUDL_OK;
    case LINK_INPUT: return gpudl__image_status(f->image);
    case LINK_MISFIT: return gpudl__misfit_status(f->misfit);
    case LINK_NO_LINKER: return GPUDL_ERROR_NO_LINKER;
    case LINK_REFUSED: return GPUDL_ERROR_LINK;
    case LINK_NO_MEMORY: return GPUDL_ERROR_NO_MEMORY;
    }
    return GPUDL_ERROR_LINK;
}

struct link_target gpudl__link_target_of(const gpudl_loader *l)
{
    return (struct link_target){ .sm = l->driver.sm, .device = true, .ptx = l->driver.software };
}

/* Is there LTO-IR in it? */
static bool has_ltoir(const struct content *content)
{
    struct image *image;
    bool has = false;

    if (gpudl__image_inspect(content->bytes, NULL, &image, NULL, 0))
        return false;
    for (size_t i = 0; i < gpudl__image_count(image); i++)
        has = has || gpudl__image_entry(image, i)->format == IMAGE_LTOIR;
    gpudl__image_close(image);
    return has;
}

/* LTO-IR, as it is optimised across sources; PTX where something else cannot be LTO-IR as well, or nobody could link that. */
static gpudl_format format_for(const struct link_request *r)
{
    if (r->target.ptx && r->loader && r->loader->driver.software)
        return GPUDL_FORMAT_PTX;
    for (size_t i = 0; i < r->n; i++)
        if (!r->contents[i].cuda && !has_ltoir(&r->contents[i]))
            return GPUDL_FORMAT_PTX;
    return gpudl__link_takes_ltoir(r->linker) ? GPUDL_FORMAT_LTOIR : GPUDL_FORMAT_PTX;
}

/* Compilers that make no LTO-IR make PTX. */
static gpudl_status compile(const struct link_request *r, gpudl_format format, struct content *content)
{
    gpudl_status status = gpudl__content_compile_part(r->loader, r->options, r->target.sm, r->target.suffix, format, content);

    if (status != GPUDL_ERROR_NO_COMPILER || format != GPUDL_FORMAT_LTOIR)
        return status;
    return gpudl__content_compile_part(r->loader, r->options, r->target.sm, r->target.suffix, GPUDL_FORMAT_PTX, content);
}

static gpudl_status compile_all(const struct link_request *r)
{
    gpudl_format format = GPUDL_FORMAT_AUTO;
    gpudl_status status = GPUDL_OK;

    for (size_t i = 0; status == GPUDL_OK && i < r->n; i++) {
        if (!r->contents[i].cuda)
            continue;
        if (!format)
            format = format_for(r);
        status = compile(r, format, &r->contents[i]);
    }
    return status;
}

static gpudl_status run(const struct link_request *request, struct link_result *out)
{
    struct link_input *inputs = gpudl__alloc_zero(request->n * sizeof(*inputs));
    gpudl_loader *l = request->loader;
    struct lending lent = { l, false };
    struct link_job job = { .inputs = inputs, .n = request->n, .target = request->target, .linker = request->linker,
        .settings = settings_of(request->settings), .limit = request->settings->limit };
    bool kept = !request->options || !(request->options->flags & GPUDL_COMPILE_NO_CACHE);
    struct link_failure failure;
    enum link_error error;
    char words[TEXT_SIZE];
    struct text text = gpudl__text_init(words, sizeof(words));

    if (inputs && kept)
        job.cache = gpudl__loader_cache(l);
    if (!inputs || (kept && !job.cache)) {
        gpudl__free(inputs);
        return gpudl__fail_memory("the inputs of a link");
    }
    if (l)
        job.driver = (struct link_driver){ &l->driver.table, l->driver.software, l->driver_text, enter, leave, &lent };
    for (size_t i = 0; i < request->n; i++)
        inputs[i] = (struct link_input){ request->contents[i].bytes, request->contents[i].name };
    error = gpudl__link(&job, out, &failure, &text);
    gpudl__free(inputs);
    if (error == LINK_NO_MEMORY)
        return gpudl__fail_memory("a link");
    if (l)
        gpudl__poison_tell(l, failure.cuda, &text);
    return error ? gpudl__fail_code(status_of(error, &failure), failure.cuda, words) : GPUDL_OK;
}

gpudl_status gpudl__link_contents(const struct link_request *request, struct link_result *out)
{
    gpudl_status status = compile_all(request);

    return status == GPUDL_OK ? run(request, out) : status;
}

/* ------------------------------------------------------------------------------------------------------------------- contents */

void gpudl__contents_release(struct content *contents, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gpudl__content_release(&contents[i]);
    gpudl__free(contents);
}

gpudl_status gpudl__contents_read(const gpudl_source *sources, size_t n, struct content **out)
{
    struct content *contents = gpudl__alloc_zero(n * sizeof(*contents));
    gpudl_status status = contents ? GPUDL_OK : gpudl__fail_memory("the inputs of a link");

    for (size_t i = 0; status == GPUDL_OK && i < n; i++)
        status = gpudl__content_read(gpudl__source_at(sources, i), NULL, &contents[i]);
    if (status == GPUDL_OK)
        *out = contents;
    else if (contents)
        gpudl__contents_release(contents, n);
    return status;
}

/* "a.o+b.o+3 more" */
static char *name_of(const struct content *contents, size_t n)
{
    size_t named = n > NAMED_MOST ? NAMED_MOST - 1 : n;
    char name[NAME_SIZE];
    struct text t = gpudl__text_init(name, sizeof(name));

    for (size_t i = 0; i < named; i++)
        gpudl__text_add(&t, "%s%s", i ? "+" : "", contents[i].name);
    if (named < n)
        gpudl__text_add(&t, "+%zu more", n - named);
    return gpudl__alloc_string(name);
}

/* The names of all that was compiled, one behind the other. */
static bool join_names(const struct content *contents, size_t n, struct span *out)
{
    unsigned char *bytes, *at;
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += contents[i].lowered.size;
    *out = (struct span){ NULL, 0 };
    if (!size)
        return true;
    if (!(bytes = at = gpudl__alloc(size)))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (contents[i].lowered.size)
            memcpy(at, contents[i].lowered.data, contents[i].lowered.size);
        at += contents[i].lowered.size;
    }
    *out = (struct span){ bytes, size };
    return true;
}

/* The result as a content, which takes the bytes over; what the linker remarked is logged. */
static gpudl_status keep(const struct link_request *r, struct link_result *result, struct content *out)
{
    struct content c = { .bytes = { result->bytes, result->size }, .name = name_of(r->contents, r->n) };

    result->bytes = NULL;
    if (!c.name || !join_names(r->contents, r->n, &c.lowered)) {
        gpudl__content_release(&c);
        gpudl__link_release(result);
        return gpudl__fail_memory("linked code");
    }
    if (result->log)
        gpudl__log(r->loader, GPUDL_LOG_INFO, "%s: %s says: %s", c.name, result->linker, result->log);
    gpudl__link_release(result);
    *out = c;
    return GPUDL_OK;
}

static gpudl_status link_contents(gpudl_loader *l, struct content *contents, size_t n, const gpudl_compile_options *options,
    const struct load_settings *settings, struct content *out)
{
    struct link_request request = { l, contents, n, settings, options, gpudl__link_target_of(l), NULL };
    struct trace_span span = gpudl__trace_begin(l->trace, "link", contents[0].name);
    struct link_result result;
    gpudl_status status = gpudl__link_contents(&request, &result);

    gpudl__trace_end(span, "link", contents[0].name, status == GPUDL_OK ? result.size : 0, status != GPUDL_OK);
    return status == GPUDL_OK ? keep(&request, &result, out) : status;
}

/* Each by itself, before anything looks into it. Digests of entries pin what a driver gets, and here it gets something else. */
static gpudl_status admit(gpudl_loader *l, const gpudl_load_options *options, struct content *contents, size_t n)
{
    gpudl_status status = GPUDL_OK;

    for (size_t i = 0; status == GPUDL_OK && i < n; i++) {
        status = gpudl__trust_admit(l->trust, NULL, options, &contents[i]);
        if (status == GPUDL_OK && contents[i].question)
            status = gpudl__fail(GPUDL_ERROR_DIGEST,
                "%s: its own SHA-256 is not among those that are trusted, and an entry's is not enough for what is linked",
                contents[i].name);
    }
    return status;
}

/* The policy that the link named is its library's. */
static void move_policy(struct content *from, struct content *to)
{
    to->trust = from->trust;
    to->level = from->level;
    from->trust = NULL;
}

static gpudl_status link_sources(gpudl_loader *l, const gpudl_source *sources, size_t n, const gpudl_load_options *options,
    const struct load_settings *settings, struct content *out)
{
    gpudl_compile_options *compile;
    struct content *contents;
    gpudl_status status = gpudl__compile_of_load(options, &compile);

    if (status != GPUDL_OK)
        return status;
    status = gpudl__contents_read(sources, n, &contents);
    if (status == GPUDL_OK) {
        status = admit(l, options, contents, n);
        if (status == GPUDL_OK)
            status = link_contents(l, contents, n, compile, settings, out);
        if (status == GPUDL_OK)
            move_policy(&contents[0], out);
        gpudl__contents_release(contents, n);
    }
    gpudl__free(compile);
    return status;
}

static gpudl_status link_and_load(gpudl_loader *l, const gpudl_source *sources, size_t n, const gpudl_load_options *options,
    const struct load_settings *settings, const void *made_at, gpudl_library **out)
{
    struct content linked;
    gpudl_status status = link_sources(l, sources, n, options, settings, &linked);

    if (status != GPUDL_OK)
        return status;
    status = gpudl__library_create(l, &linked, settings, made_at, out);
    gpudl__content_release(&linked);
    return status;
}

gpudl_status gpudl_library_link(
    gpudl_loader *given, const gpudl_source *sources, size_t n, const gpudl_load_options *options, gpudl_library **out)
{
    struct load_settings settings;
    const struct allocator *before;
    gpudl_status status;
    gpudl_loader *l;

    if (!sources || !n || !out)
        return gpudl__fail_argument(link_function, "the sources or out is NULL, or there are no sources");
    status = gpudl__sources_check(sources, n, link_function);
    if (status == GPUDL_OK)
        status = gpudl__settings_import(options, &settings);
    if (status != GPUDL_OK)
        return status;
    l = gpudl__loader(given, link_function, &status);
    if (!l)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    status = link_and_load(l, sources, n, options, &settings, __builtin_return_address(0), out);
    gpudl__alloc_use(before);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------------- alone */

/* PTX that uses what it does not hold; the driver refused it, in its own words. */
static bool lacks_names(const struct image *image)
{
    return gpudl__image_count(image) == 1 && gpudl__image_entry(image, 0)->format == IMAGE_PTX;
}

static bool wants_a_link(const struct content *content, gpudl_status status)
{
    const struct image_details *details;
    struct image *image;
    bool wants;

    if (status == GPUDL_ERROR_NOT_LINKED)
        return true;
    if (status != GPUDL_ERROR_PTX && status != GPUDL_ERROR_UNSUPPORTED)
        return false;
    if (gpudl__image_inspect(content->bytes, NULL, &image, NULL, 0))
        return false;
    if (status == GPUDL_ERROR_UNSUPPORTED)
        wants = gpudl__image_format(image) == IMAGE_LTOIR;
    else
        wants = lacks_names(image) && !gpudl__image_details(image, 0, &details, NULL, 0) && details->needs_linking;
    gpudl__image_close(image);
    return wants;
}

bool gpudl__link_alone(gpudl_loader *l, struct content *content, const struct load_settings *settings, gpudl_status *status)
{
    char words[TEXT_SIZE];
    struct content linked;
    gpudl_status failed;

    if (*status == GPUDL_OK || !wants_a_link(content, *status))
        return false;
    failed = link_contents(l, content, 1, NULL, settings, &linked);
    if (failed == GPUDL_OK) {
        gpudl__content_replace(content, linked.bytes, linked.lowered, NULL);
        gpudl__free(linked.name);
        return true;
    }
    if (failed == GPUDL_ERROR_NO_MEMORY) {
        *status = failed;
        return false;
    }
    snprintf(words, sizeof(words), "%s", gpudl_error_text());
    *status = gpudl__fail(GPUDL_ERROR_NOT_LINKED,
        "%s: the code must be linked before it is loaded, and alone it cannot be: %s; load it together with the code that it uses, with "
        "gpudl_library_link()", content->name, words);
    return false;
}
