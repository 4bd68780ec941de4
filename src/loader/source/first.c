/* The first of several sources that loads. */
#include <stdio.h>

#include "src/loader/error.h"
#include "src/loader/loader.h"
#include "src/util/text.h"

enum { REASONS_SIZE = 4000 }; /* what a thread's text has room for */

static const char first_function[] = "gpudl_library_load_first";

static gpudl_status check(const gpudl_source *sources, size_t n, const size_t *which, gpudl_library *const *out)
{
    if (!sources || !n || !which || !out)
        return gpudl__fail_argument(first_function, "the sources, which or out is NULL, or there are no sources");
    return gpudl__sources_check(sources, n, first_function);
}

/* The first source's failure, and each one's reason. */
struct failures {
    gpudl_status status;
    int cuda;
    char reasons[REASONS_SIZE];
    struct text text;
};

static void add(struct failures *f, size_t index, gpudl_status status)
{
    if (!index) {
        f->status = status;
        f->cuda = gpudl_error_cuda();
    }
    gpudl__text_add(&f->text, "%s%zu: %s", index ? "; " : "", index, gpudl_error_text());
}

/* The index of the one that was loaded, or n. */
static size_t try_each(gpudl_loader *l, const gpudl_source *sources, size_t n, const gpudl_load_options *options,
    const void *made_at, gpudl_library **out, struct failures *f)
{
    gpudl_status status;

    for (size_t i = 0; i < n; i++) {
        status = gpudl__library_load(l, gpudl__source_at(sources, i), options, made_at, out);
        if (status == GPUDL_OK)
            return i;
        add(f, i, status);
    }
    return n;
}

gpudl_status gpudl_library_load_first(gpudl_loader *given, const gpudl_source *sources, size_t n,
    const gpudl_load_options *options, size_t *which, gpudl_library **out)
{
    struct failures f;
    gpudl_status status = check(sources, n, which, out);
    gpudl_loader *l = status == GPUDL_OK ? gpudl__loader(given, first_function, &status) : NULL;
    char text[REASONS_SIZE + 64];
    size_t taken;

    if (!l)
        return status;
    f.text = gpudl__text_init(f.reasons, sizeof(f.reasons));
    taken = try_each(l, sources, n, options, __builtin_return_address(0), out, &f);
    if (taken == n) {
        snprintf(text, sizeof(text), "none of %zu sources could be loaded: %s", n, f.reasons);
        return gpudl__fail_code(f.status, f.cuda, text);
    }
    if (taken) {
        gpudl__log(l, GPUDL_LOG_INFO, "source %zu was loaded, as those before it could not be: %s", taken, f.reasons);
        gpudl__fail_code(f.status, f.cuda, f.reasons);
    }
    *which = taken;
    return GPUDL_OK;
}
