#include "src/loader/source/kept.h"

#include <string.h>

#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/options.h"
#include "src/loader/source/registered.h"
#include "src/util/alloc.h"

static bool keep_string(const char **p, char **copy)
{
    if (!*p)
        return true;
    *copy = gpudl__alloc_string(*p);
    *p = *copy;
    return *copy != NULL;
}

static gpudl_status keep_registered(struct kept *k)
{
    gpudl_status status;

    k->bytes = gpudl__registered_copy(k->name ? k->name : "memory", k->source.bytes, k->source.nbytes, &status);
    k->source.bytes = k->bytes;
    return status;
}

static bool keep_bytes(struct kept *k)
{
    if (!k->source.bytes || !k->source.nbytes)
        return true;
    k->bytes = gpudl__alloc(k->source.nbytes);
    if (!k->bytes)
        return false;
    memcpy(k->bytes, k->source.bytes, k->source.nbytes);
    k->source.bytes = k->bytes;
    return true;
}

static bool keep_options(struct kept *k)
{
    if (k->options.host_table) {
        k->host = *k->options.host_table;
        k->options.host_table = &k->host;
    }
    return keep_string(&k->options.target, &k->target);
}

static bool keep_text(struct arena *a, const char **text)
{
    if (*text)
        *text = gpudl__arena_string(a, *text, strlen(*text));
    return *text != NULL;
}

static bool keep_texts(struct arena *a, const char *const **texts, size_t n)
{
    const char **copies = gpudl__arena_alloc(a, n * sizeof(*copies));

    for (size_t i = 0; copies && i < n; i++) {
        copies[i] = (*texts)[i];
        if (copies[i] && !keep_text(a, &copies[i]))
            return false;
    }
    *texts = copies;
    return copies != NULL;
}

static bool keep_signature(struct arena *a, const void **signature, size_t size)
{
    if (*signature)
        *signature = gpudl__arena_string(a, *signature, size);
    return *signature != NULL;
}

/* What is not right about them the load will say. */
static bool keep_trust(struct kept *k)
{
    gpudl_trust_options *t = &k->trust;
    struct arena *a = &k->trusted;

    return (!k->source.signature || keep_signature(a, &k->source.signature, k->source.signature_size)) &&
        (!t->key_ring || keep_text(a, &t->key_ring)) && (!t->revoked || keep_text(a, &t->revoked)) &&
        (!t->manifest || keep_text(a, &t->manifest)) && (!t->keys || keep_texts(a, &t->keys, t->nkeys)) &&
        (!t->digests || keep_texts(a, &t->digests, t->ndigests)) &&
        (!t->signature || keep_signature(a, &t->signature, t->signature_size));
}

/* k does not move from here on: it points into itself. */
gpudl_status gpudl__keep(const gpudl_source *source, const gpudl_load_options *options, struct kept *k)
{
    gpudl_status status = GPUDL_OK;

    memset(k, 0, sizeof(*k));
    if (!source)
        return gpudl__fail_argument("gpudl_source", "the source is NULL");
    status = gpudl__options_import(&k->source, sizeof(k->source), source, "gpudl_source");
    k->source.size = sizeof(k->source);
    k->has_options = options != NULL;
    if (status == GPUDL_OK && options)
        status = gpudl__options_import(&k->options, sizeof(k->options), options, "gpudl_load_options");
    k->options.size = sizeof(k->options);
    if (status == GPUDL_OK && k->options.trust) {
        status = gpudl__options_import(&k->trust, sizeof(k->trust), k->options.trust, "gpudl_trust_options");
        k->options.trust = &k->trust;
    }
    if (status == GPUDL_OK)
        status = gpudl__compile_copy(k->options.compile, &k->compile);
    k->options.compile = k->compile;
    if (status != GPUDL_OK)
        return status;
    if (!keep_string(&k->source.name, &k->name) || !keep_options(k) || !keep_trust(k))
        status = gpudl__fail_memory("a copy of a source");
    else if (k->source.kind == GPUDL_SOURCE_REGISTERED)
        status = keep_registered(k);
    else if (!keep_bytes(k))
        status = gpudl__fail_memory("a copy of a source");
    if (status != GPUDL_OK)
        gpudl__kept_release(k);
    return status;
}

gpudl_status gpudl__keep_replace(const gpudl_source *source, const gpudl_replace_options *options, struct kept *k)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_status status = GPUDL_OK;
    struct trials trials;

    memset(k, 0, sizeof(*k));
    if (options)
        status = gpudl__options_import(&o, sizeof(o), options, "gpudl_replace_options");
    if (status == GPUDL_OK)
        status = gpudl__trials_import(&o, &trials);
    if (status != GPUDL_OK)
        return status;
    status = gpudl__keep(source, o.load, k);
    if (status != GPUDL_OK) {
        gpudl__trials_release(&trials);
        return status;
    }
    o.load = kept_options(k);
    o.trials = NULL;
    o.trial_driver = NULL;
    k->replace = o;
    k->trials = trials;
    return GPUDL_OK;
}

gpudl_status gpudl__kept_replace(const struct kept *k, gpudl_library *lib)
{
    return gpudl__library_replace(lib, &k->source, &k->replace, &k->trials);
}

void gpudl__kept_release(struct kept *k)
{
    gpudl__trials_release(&k->trials);
    gpudl__free(k->name);
    gpudl__free(k->target);
    gpudl__free(k->compile);
    gpudl__free(k->bytes);
    gpudl__arena_free(&k->trusted);
    memset(k, 0, sizeof(*k));
}
