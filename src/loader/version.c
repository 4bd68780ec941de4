/* Versions: found again by content, counted, parked with their last reference. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/source/link.h"
#include "src/loader/loader.h"
#include "src/loader/launch/plan.h"
#include "src/loader/mixed.h"
#include "src/loader/share/borrow.h"
#include "src/loader/share/share.h"

static struct version **bucket(gpudl_loader *l, struct hash128 hash)
{
    return &l->versions[hash.low % VERSION_BUCKETS];
}

/* ------------------------------------------------------------------------------------------------------------ found by content */

/* What makes two loads the same. */
struct wanted {
    struct span bytes, lowered;
    const struct load_settings *settings;
    uint64_t *counter;          /* that the version held last was counted in */
};

static struct version **last_of_size(gpudl_loader *l, size_t size)
{
    return &l->last_of_size[(size * 0x9e3779b97f4a7c15u >> 32) % VERSION_BUCKETS];
}

static bool may_be(const struct version *v, const struct wanted *w)
{
    return v->content.bytes.size == w->bytes.size && v->content.lowered.size == w->lowered.size &&
        gpudl__settings_same(&v->settings, w->settings);
}

static bool is_equal(struct span a, struct span b)
{
    return !a.size || a.data == b.data || memcmp(a.data, b.data, a.size) == 0;
}

/* Of one that may be it. */
static bool is_it(const struct version *v, const struct wanted *w)
{
    return is_equal(v->content.bytes, w->bytes) && is_equal(v->content.lowered, w->lowered);
}

bool gpudl__version_is(const struct version *v, const struct content *content, const struct load_settings *settings)
{
    const struct wanted w = { content->bytes, content->lowered, settings, NULL };

    return may_be(v, &w) && is_it(v, &w);
}

static void take(struct version *v)
{
    if (v->parked)
        gpudl__unpark(v);
    v->references++;
}

static void take_as(struct version *v, struct wanted *w)
{
    gpudl_loader *l = v->loader;

    w->counter = v->parked ? &l->counts.warm_hits : &l->counts.shared;
    ++*w->counter;
    take(v);
}

/* Its bytes decide, and they may be many: without the lock. NULL: it is not, and is let go again. */
static struct version *confirm(struct version *v, const struct wanted *w)
{
    if (is_it(v, w))
        return v;
    pthread_mutex_lock(&v->loader->lock);
    --*w->counter;
    pthread_mutex_unlock(&v->loader->lock);
    gpudl__version_drop(v);
    return NULL;
}

/* Most often it is the one of this size that was wanted last: then nothing need be hashed. */
static struct version *guess(gpudl_loader *l, struct wanted *w)
{
    struct version *v;

    pthread_mutex_lock(&l->lock);
    v = *last_of_size(l, w->bytes.size);
    if (v && may_be(v, w))
        take_as(v, w);
    else
        v = NULL;
    pthread_mutex_unlock(&l->lock);
    return v ? confirm(v, w) : NULL;
}

/* The n-th in its bucket that may be it; NULL: there are not so many. Under the lock. */
static struct version *candidate(gpudl_loader *l, const struct wanted *w, struct hash128 hash, size_t n)
{
    struct version *v = *bucket(l, hash);

    for (; v; v = v->next)
        if (v->hash.low == hash.low && v->hash.high == hash.high && may_be(v, w) && !n--)
            break;
    return v;
}

/* The hash finds, the bytes decide. */
static struct version *find_hashed(gpudl_loader *l, struct wanted *w, struct hash128 hash)
{
    struct version *v = NULL, *next;
    size_t n = 0;

    do {
        pthread_mutex_lock(&l->lock);
        next = candidate(l, w, hash, n++);
        if (next) {
            *last_of_size(l, w->bytes.size) = next;
            take_as(next, w);
        }
        pthread_mutex_unlock(&l->lock);
        if (next)
            v = confirm(next, w);
    } while (next && !v);
    return v;
}

static void note_found(gpudl_loader *l, const struct wanted *w, const char *name)
{
    if (l->trace)
        gpudl__trace_note(
            l->trace, w->counter == &l->counts.warm_hits ? "found, warm" : "found, shared", name, w->bytes.size);
}

struct version *gpudl__version_find(
    gpudl_loader *l, struct span bytes, const char *name, const struct load_settings *settings)
{
    struct wanted w = { bytes, { NULL, 0 }, settings, NULL };
    struct version *v = guess(l, &w);

    /* Large ones are looked for among all that loaders share, without a hash, when they are read. */
    if (!v && (!l->commons || bytes.size < BORROW_LEAST))
        v = find_hashed(l, &w, gpudl__hash128(bytes));
    if (v)
        note_found(l, &w, name);
    return v;
}

/* ------------------------------------------------------------------------------------------------------------- in the list */

static void list(struct version *v)
{
    struct version **b = bucket(v->loader, v->hash);

    v->next = *b;
    *b = v;
    *last_of_size(v->loader, v->content.bytes.size) = v;
    v->listed = true;
}

void gpudl__version_unlist(struct version *v)
{
    struct version **p = bucket(v->loader, v->hash), **last = last_of_size(v->loader, v->content.bytes.size);

    if (!v->listed)
        return;
    if (*last == v)
        *last = NULL;
    while (*p != v)
        p = &(*p)->next;
    *p = v->next;
    v->listed = false;
}

/* Under the lock. */
static void join_all(struct version *v)
{
    v->before = v->loader->newest;
    if (v->before)
        v->before->after = v;
    v->loader->newest = v;
}

static void leave_all(struct version *v, bool unloaded)
{
    gpudl_loader *l = v->loader;

    pthread_mutex_lock(&l->lock);
    l->gone++;
    l->counts.unloads += unloaded;
    if (v->after)
        v->after->before = v->before;
    else if (l->newest == v)
        l->newest = v->before;
    if (v->before)
        v->before->after = v->after;
    pthread_mutex_unlock(&l->lock);
}

bool gpudl__version_has_native(const gpudl_loader *l, CUlibrary native)
{
    for (const struct version *v = l->newest; v; v = v->before)
        if (v->native == native)
            return true;
    return false;
}

void gpudl__version_destroy(struct version *v)
{
    struct trace_span span = gpudl__trace_begin(v->number ? v->loader->trace : NULL, "unload", v->content.name);
    bool unloaded = gpudl__version_unload(v);

    gpudl__trace_end(span, "unload", v->content.name, v->code.size, false);
    if (v->number)
        leave_all(v, unloaded);
    gpudl__mixed_free(v);
    gpudl__plans_free(v->plans);
    gpudl__free(v->places);
    if (!v->taken)
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

/* What another thread has loaded meanwhile, held; or NULL. Under the lock. */
static struct version *find_twin(const struct version *v)
{
    const struct wanted w = { v->content.bytes, v->content.lowered, &v->settings, NULL };
    struct version *twin;
    size_t n = 0;

    do
        twin = candidate(v->loader, &w, v->hash, n++);
    while (twin && !is_it(twin, &w));
    if (twin)
        take(twin);
    return twin;
}

/* Globals can be written, by kernels or by their owner, so a version that has any is nobody else's, unless both sides ask. */
static bool is_own(const struct version *v)
{
    return (v->nglobals && !(v->settings.flags & GPUDL_LOAD_SHARED_GLOBALS)) || v->handles;
}

/* A loaded version comes into the list, unless another thread has loaded the same meanwhile: then that one is taken. */
static struct version *publish(struct version *v)
{
    gpudl_loader *l = v->loader;
    struct version *other;

    pthread_mutex_lock(&l->lock);
    v->number = ++l->made;
    ++*(v->taken ? &l->counts.joined : &l->counts.loads);
    other = is_own(v) ? NULL : find_twin(v);
    if (!other)
        join_all(v);
    if (!other && !is_own(v))
        list(v);
    pthread_mutex_unlock(&l->lock);
    if (!other)
        return v;
    gpudl__version_destroy(v);
    return other;
}

/* Another loader's, or the driver's now. Messages go out when nobody waits any more. */
static gpudl_status take_or_load(struct version *v)
{
    bool shared, mine;
    gpudl_status status;

    shared = gpudl__share_get(v, &mine);
    if (shared && !mine) {
        gpudl__share_take(v);
        return gpudl__version_admit(v, &v->content);
    }
    status = gpudl__version_load(v);
    if (shared)
        gpudl__share_land(v, status == GPUDL_OK && !is_own(v));
    gpudl__version_tell(v);
    return status;
}

/* The version has it all; its bytes may be a record's meanwhile, and then the copy of them is not needed any more. */
static void let_go_of_copy(const struct version *v, struct content *copy)
{
    struct content bytes = { .bytes = copy->bytes, .lowered = copy->lowered, .shared = copy->shared, .lender = copy->lender };

    if (v->record)
        gpudl__content_release(&bytes);
    *copy = (struct content){ 0 };
}

static gpudl_status load(gpudl_loader *l, struct content *content, struct hash128 hash, const struct load_settings *settings,
    struct version **out)
{
    struct version *v = gpudl__alloc_zero(sizeof(*v));
    struct trace_span span;
    gpudl_status status;

    if (!v)
        return gpudl__fail_memory("a version");
    v->loader = l;
    v->references = 1;
    v->hash = hash;
    v->settings = *settings;
    v->content = *content;
    span = gpudl__trace_begin(l->trace, "load", v->content.name);
    status = take_or_load(v);
    gpudl__trace_end(span, "load", v->content.name, v->content.bytes.size, status != GPUDL_OK);
    if (status != GPUDL_OK) {
        v->content = (struct content){ 0 }; /* is still the caller's */
        gpudl__version_destroy(v);
        return status;
    }
    let_go_of_copy(v, content);
    *out = publish(v);
    return GPUDL_OK;
}

static gpudl_status get(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, struct version **out)
{
    struct wanted w = { content->bytes, content->lowered, settings, NULL };
    struct version *v = guess(l, &w);
    struct hash128 hash;
    gpudl_status status;

    if (!v) {
        hash = content->hashed ? content->hash : gpudl__hash128(content->bytes);
        v = find_hashed(l, &w, hash);
    }
    if (!v)
        return load(l, content, hash, settings, out);
    note_found(l, &w, content->name);
    status = gpudl__version_admit(v, content);
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

void gpudl__version_adopt(gpudl_loader *l, struct record *r)
{
    const struct allocator *before = gpudl__alloc_use(gpudl__loader_heap(l));
    struct version *v = gpudl__alloc_zero(sizeof(*v));

    if (v)
        v->content.name = gpudl__alloc_string("code of a plugin that is gone");
    gpudl__alloc_use(before);
    if (!v) {
        gpudl__record_abandon(l->commons, r);
        return;
    }
    v->loader = l;
    v->hash = r->hash;
    v->settings = r->key.settings;
    v->record = r;
    gpudl__share_take(v);
    pthread_mutex_lock(&l->lock);
    v->number = ++l->made;
    join_all(v);
    list(v);
    gpudl__park(v);
    pthread_mutex_unlock(&l->lock);
}
