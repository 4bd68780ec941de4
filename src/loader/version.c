/* Versions: found again by content, counted, unloaded with their last reference. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/loader.h"
#include "src/loader/plan.h"

static struct gpudl_version **bucket(gpudl_loader *l, struct hash128 hash)
{
    return &l->versions[hash.low % VERSION_BUCKETS];
}

/* The hash finds, the bytes decide. */
static bool is_same(const struct gpudl_version *v, struct span bytes, struct hash128 hash, const struct load_settings *settings)
{
    return v->hash.low == hash.low && v->hash.high == hash.high && v->content.bytes.size == bytes.size &&
        gpudl__settings_same(&v->settings, settings) && memcmp(v->content.bytes.data, bytes.data, bytes.size) == 0;
}

/* A reference for the caller, or NULL. Under the lock. */
static struct gpudl_version *find(gpudl_loader *l, struct span bytes, struct hash128 hash, const struct load_settings *settings)
{
    for (struct gpudl_version *v = *bucket(l, hash); v; v = v->next)
        if (is_same(v, bytes, hash, settings)) {
            v->references++;
            return v;
        }
    return NULL;
}

static void list(struct gpudl_version *v)
{
    struct gpudl_version **b = bucket(v->loader, v->hash);

    v->next = *b;
    *b = v;
    v->listed = true;
}

static void unlist(struct gpudl_version *v)
{
    struct gpudl_version **p = bucket(v->loader, v->hash);

    if (!v->listed)
        return;
    while (*p != v)
        p = &(*p)->next;
    *p = v->next;
    v->listed = false;
}

static void destroy(struct gpudl_version *v)
{
    gpudl__version_unload(v);
    gpudl__plans_free(v->plans);
    gpudl__index_free(&v->index);
    gpudl__free(v->log);
    gpudl__content_release(&v->content);
    gpudl__free(v);
}

void gpudl__version_hold(struct gpudl_version *v)
{
    v->references++;
}

void gpudl__version_drop(struct gpudl_version *v)
{
    gpudl_loader *l = v->loader;
    bool last;

    pthread_mutex_lock(&l->lock);
    last = --v->references == 0;
    if (last)
        unlist(v);
    pthread_mutex_unlock(&l->lock);
    if (last)
        destroy(v);
}

static const char *kernel_at(const void *list, size_t index)
{
    return ((const struct image_kernel *)list)[index].name;
}

struct names gpudl__version_names(const struct gpudl_version *v)
{
    return (struct names){ kernel_at, v->kernels, v->nkernels };
}

/* A loaded version comes into the list, unless another thread has loaded the same meanwhile: then that one is taken. Globals
 * can be written, by kernels or by their owner, so a version that has any is nobody else's. */
static struct gpudl_version *publish(struct gpudl_version *v)
{
    gpudl_loader *l = v->loader;
    struct gpudl_version *other;

    if (v->nglobals)
        return v;
    pthread_mutex_lock(&l->lock);
    other = find(l, v->content.bytes, v->hash, &v->settings);
    if (!other)
        list(v);
    pthread_mutex_unlock(&l->lock);
    if (!other)
        return v;
    destroy(v);
    return other;
}

static gpudl_status load(gpudl_loader *l, struct content *content, struct hash128 hash, const struct load_settings *settings,
    struct gpudl_version **out)
{
    struct gpudl_version *v = gpudl__alloc_zero(sizeof(*v));
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
        destroy(v);
        return status;
    }
    *content = (struct content){ 0 };
    *out = publish(v);
    return GPUDL_OK;
}

gpudl_status gpudl__version_get(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, struct gpudl_version **out)
{
    struct hash128 hash = gpudl__hash128(content->bytes);
    struct gpudl_version *v;

    pthread_mutex_lock(&l->lock);
    v = find(l, content->bytes, hash, settings);
    pthread_mutex_unlock(&l->lock);
    if (!v)
        return load(l, content, hash, settings, out);
    gpudl__content_release(content);
    *out = v;
    return GPUDL_OK;
}
