/* Versions: found again by content, counted, parked with their last reference. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/source/link.h"
#include "src/loader/loader.h"
#include "src/loader/launch/plan.h"
#include "src/loader/source/trust.h"

static struct version **bucket(gpudl_loader *l, struct hash128 hash)
{
    return &l->versions[hash.low % VERSION_BUCKETS];
}

/* The hash finds, the bytes decide. */
static bool is_equal(struct span a, struct span b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static bool is_same(const struct version *v, const struct content *c, struct hash128 hash, const struct load_settings *settings)
{
    return v->hash.low == hash.low && v->hash.high == hash.high && gpudl__settings_same(&v->settings, settings) &&
        is_equal(v->content.bytes, c->bytes) && is_equal(v->content.lowered, c->lowered);
}

bool gpudl__version_is(const struct version *v, const struct content *content, const struct load_settings *settings)
{
    return is_same(v, content, v->hash, settings);
}

/* A reference for the caller, or NULL. Under the lock. */
static struct version *find(gpudl_loader *l, const struct content *c, struct hash128 hash, const struct load_settings *settings)
{
    for (struct version *v = *bucket(l, hash); v; v = v->next)
        if (is_same(v, c, hash, settings)) {
            if (v->parked)
                gpudl__unpark(v);
            v->references++;
            return v;
        }
    return NULL;
}

static void list(struct version *v)
{
    struct version **b = bucket(v->loader, v->hash);

    v->next = *b;
    *b = v;
    v->listed = true;
}

void gpudl__version_unlist(struct version *v)
{
    struct version **p = bucket(v->loader, v->hash);

    if (!v->listed)
        return;
    while (*p != v)
        p = &(*p)->next;
    *p = v->next;
    v->listed = false;
}

void gpudl__version_destroy(struct version *v)
{
    gpudl_loader *l = v->loader;

    gpudl__version_unload(v);
    if (v->number) {
        pthread_mutex_lock(&l->lock);
        l->counts.unloads++;
        pthread_mutex_unlock(&l->lock);
    }
    gpudl__plans_free(v->plans);
    gpudl__free(v->places);
    gpudl__index_free(&v->index);
    gpudl__free(v->log);
    gpudl__content_release(&v->content);
    gpudl__free(v);
}

void gpudl__version_hold(struct version *v)
{
    v->references++;
}

void gpudl__version_let_go(struct version *v)
{
    if (--v->references == 0)
        gpudl__park(v);
}

void gpudl__version_drop(struct version *v)
{
    gpudl_loader *l = v->loader;

    pthread_mutex_lock(&l->lock);
    gpudl__version_let_go(v);
    pthread_mutex_unlock(&l->lock);
    gpudl__park_settle(l);
}

static const char *kernel_at(const void *list, size_t index)
{
    return ((const struct image_kernel *)list)[index].name;
}

struct names gpudl__version_names(const struct version *v)
{
    return (struct names){ kernel_at, v->kernels, v->nkernels };
}

/* A loaded version comes into the list, unless another thread has loaded the same meanwhile: then that one is taken. Globals
 * can be written, by kernels or by their owner, so a version that has any is nobody else's. */
static struct version *publish(struct version *v)
{
    gpudl_loader *l = v->loader;
    bool is_own = v->nglobals || v->registered;
    struct version *other;

    pthread_mutex_lock(&l->lock);
    v->number = ++l->counts.loads;
    other = is_own ? NULL : find(l, &v->content, v->hash, &v->settings);
    if (!other && !is_own)
        list(v);
    pthread_mutex_unlock(&l->lock);
    if (!other)
        return v;
    gpudl__version_destroy(v);
    return other;
}

static gpudl_status load(gpudl_loader *l, struct content *content, struct hash128 hash, const struct load_settings *settings,
    struct version **out)
{
    struct version *v = gpudl__alloc_zero(sizeof(*v));
    gpudl_status status;

    if (!v)
        return gpudl__fail_memory("a version");
    v->loader = l;
    v->references = 1;
    v->hash = hash;
    v->settings = *settings;
    v->content = *content;
    status = gpudl__version_load(v);
    if (status != GPUDL_OK) {
        v->content = (struct content){ 0 }; /* is still the caller's */
        gpudl__version_destroy(v);
        return status;
    }
    *content = (struct content){ 0 };
    *out = publish(v);
    return GPUDL_OK;
}

static gpudl_status get(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, struct version **out)
{
    struct hash128 hash = gpudl__hash128(content->bytes);
    struct version *v;
    gpudl_status status;

    pthread_mutex_lock(&l->lock);
    v = find(l, content, hash, settings);
    if (v)
        ++*(v->references == 1 ? &l->counts.warm_hits : &l->counts.shared);
    pthread_mutex_unlock(&l->lock);
    if (!v)
        return load(l, content, hash, settings, out);
    status = gpudl__trust_admit_entry(content, v->code);
    if (status != GPUDL_OK) {
        gpudl__version_drop(v);
        return status;
    }
    gpudl__content_release(content);
    *out = v;
    return GPUDL_OK;
}

gpudl_status gpudl__version_get(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, struct version **out)
{
    gpudl_status status = get(l, content, settings, out);

    if (gpudl__link_alone(l, content, settings, &status))
        status = get(l, content, settings, out);
    return status;
}
