/* Libraries: a caller's own handle onto a version. */
#include <string.h>

#include "src/loader/launch/attributes.h"
#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/loader.h"
#include "src/loader/source/trust.h"

enum { FIRST_PLACES = 8 };

static struct binding *current(gpudl_library *lib)
{
    return atomic_load_explicit(&lib->binding, memory_order_acquire);
}

/* Frees what a library has besides its binding. */
static void free_library(gpudl_library *lib)
{
    for (size_t i = 0; i < lib->nslots; i++) {
        gpudl__attributes_free(lib->slots[i]->attributes);
        gpudl__free(lib->slots[i]);
    }
    gpudl__free(lib->slots);
    gpudl__index_free(&lib->index);
    gpudl__trust_setup_free(lib->trust);
    gpudl__free(lib->compile);
    gpudl__free(lib->name);
    gpudl__handle_give(lib->loader, lib, HANDLE_LIBRARY);
}

/* Turns the library onto its first version, whose reference is taken over, and hands it out. */
static gpudl_status bind(gpudl_library *lib, struct version *v, const void *made_at, gpudl_library **out)
{
    struct binding *b = gpudl__binding_create(v, v->nkernels < FIRST_PLACES ? v->nkernels : FIRST_PLACES);

    if (!b) {
        gpudl__version_drop(v);
        return gpudl__fail_memory("a library");
    }
    atomic_store_explicit(&lib->binding, b, memory_order_release);
    gpudl__handle_open(lib, HANDLE_LIBRARY, made_at);
    *out = lib;
    return GPUDL_OK;
}

/* NULL: no memory. */
static gpudl_library *make(gpudl_loader *l, const char *name, const struct load_settings *settings)
{
    gpudl_library *lib = gpudl__handle_take(l, HANDLE_LIBRARY);

    if (!lib)
        return NULL;
    lib->loader = l;
    lib->references = 1;
    lib->settings = *settings;
    lib->name = gpudl__alloc_string(name);
    if (lib->name)
        return lib;
    free_library(lib);
    return NULL;
}

gpudl_status gpudl__library_create(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, const void *made_at, gpudl_library **out)
{
    gpudl_library *lib = make(l, content->name, settings);
    struct version *v;
    gpudl_status status;

    if (!lib)
        return gpudl__fail_memory("a library");
    lib->stamp = content->stamp;
    lib->trust = gpudl__trust_take(content);
    status = gpudl__version_get(l, content, settings, &v);
    if (status == GPUDL_OK)
        status = bind(lib, v, made_at, out);
    if (status != GPUDL_OK)
        free_library(lib);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------------------- loads */

/* Of memory that is loaded already no copy is made: the library gets the version's bytes. What a policy is to see is copied
 * first, as nobody may change it between its look and the hit. NULL: it is to be read. */
static struct version *find_in_place(gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options,
    const struct load_settings *settings, const char **name)
{
    struct span bytes;

    if (gpudl__trust_asks(l->trust, options) || !gpudl__source_in_place(source, &bytes, name))
        return NULL;
    return gpudl__version_find(l, bytes, *name, settings);
}

static gpudl_status share(gpudl_loader *l, struct version *v, const char *name, const struct load_settings *settings,
    const void *made_at, gpudl_library **out)
{
    gpudl_library *lib = make(l, name, settings);
    gpudl_status status;

    if (!lib) {
        gpudl__version_drop(v);
        return gpudl__fail_memory("a library");
    }
    status = bind(lib, v, made_at, out);
    if (status != GPUDL_OK)
        free_library(lib);
    return status;
}

static gpudl_status read_and_load(gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options,
    const gpudl_compile_options *compile, const struct load_settings *settings, const void *made_at, gpudl_library **out)
{
    struct content content;
    gpudl_status status = gpudl__content_read(source, l->commons, &content);

    if (status != GPUDL_OK)
        return status;
    status = gpudl__trust_admit(l->trust, NULL, options, &content);
    if (status == GPUDL_OK)
        status = gpudl__content_compile(l, compile, settings, &content);
    if (status == GPUDL_OK)
        status = gpudl__library_create(l, &content, settings, made_at, out);
    gpudl__content_release(&content);
    return status;
}

static gpudl_status load(gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options,
    const struct load_settings *settings, const void *made_at, gpudl_library **out)
{
    gpudl_compile_options *compile;
    gpudl_status status = gpudl__compile_of_load(options, &compile);
    struct version *v;
    const char *name;

    if (status != GPUDL_OK)
        return status;
    v = find_in_place(l, source, options, settings, &name);
    status = v ? share(l, v, name, settings, made_at, out) : read_and_load(l, source, options, compile, settings, made_at, out);
    if (status == GPUDL_OK)
        (*out)->compile = compile;
    else
        gpudl__free(compile);
    return status;
}

gpudl_status gpudl__library_load(
    gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options, const void *made_at, gpudl_library **out)
{
    struct load_settings settings;
    const struct allocator *before;
    gpudl_status status = gpudl__settings_import(options, &settings);

    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    status = load(l, source, options, &settings, made_at, out);
    gpudl__alloc_use(before);
    return status;
}

gpudl_status gpudl_library_load(
    gpudl_loader *given, const gpudl_source *source, const gpudl_load_options *options, gpudl_library **out)
{
    gpudl_status status;
    gpudl_loader *l;

    if (!out)
        return gpudl__fail_argument("gpudl_library_load", "out is NULL");
    l = gpudl__loader(given, "gpudl_library_load", &status);
    return l ? gpudl__library_load(l, source, options, __builtin_return_address(0), out) : status;
}

void gpudl__library_drop(gpudl_library *lib)
{
    gpudl_loader *l = lib->loader;
    struct version *previous;
    struct binding *b = NULL;

    pthread_mutex_lock(&l->lock);
    if (--lib->references == 0)
        b = current(lib);
    pthread_mutex_unlock(&l->lock);
    if (!b)
        return;
    previous = lib->previous;
    free_library(lib);
    gpudl__binding_retire(l, b);
    if (previous)
        gpudl__version_drop(previous);
}

void gpudl_library_release(gpudl_library *lib)
{
    if (!lib || gpudl__forked() || !gpudl__handle_close(lib, HANDLE_LIBRARY, "gpudl_library_release"))
        return;
    gpudl__watch_end(lib);
    gpudl__library_drop(lib);
}

struct version *gpudl__library_hold(gpudl_library *lib)
{
    struct version *v;

    pthread_mutex_lock(&lib->loader->lock);
    v = current(lib)->version;
    gpudl__version_hold(v);
    pthread_mutex_unlock(&lib->loader->lock);
    return v;
}

/* Held, as the library may be turned and the version go; or NULL. */
static struct version *version_of(gpudl_library *lib, const char *function)
{
    if (!lib || gpudl__forked() || handle_check(lib, HANDLE_LIBRARY, function) != GPUDL_OK)
        return NULL;
    return gpudl__library_hold(lib);
}

size_t gpudl_library_kernel_count(gpudl_library *lib)
{
    struct version *v = version_of(lib, "gpudl_library_kernel_count");
    size_t n = v ? v->nkernels : 0;

    if (v)
        gpudl__version_drop(v);
    return n;
}

const char *gpudl_library_kernel_name(gpudl_library *lib, size_t index)
{
    struct version *v = version_of(lib, "gpudl_library_kernel_name");
    const char *name = v && index < v->nkernels ? v->kernels[index].name : NULL;

    if (v)
        gpudl__version_drop(v);
    return name;
}

const char *gpudl_library_log(gpudl_library *lib)
{
    struct version *v = version_of(lib, "gpudl_library_log");
    const char *log = v && v->log ? v->log : "";

    if (v)
        gpudl__version_drop(v);
    return log;
}
