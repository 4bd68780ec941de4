/* Where compiled code is kept, and a look into it for programs. */
#include "src/cache/cache.h"

#include <string.h>

#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/options.h"
#include "src/loader/source/trust.h"

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cache *own;    /* for calls that open no loader; never closed */
static struct cache *locked; /* for all, under a locked policy: wherever the environment says that code is kept, another may have put it there */

static void warn_loader(void *user, const char *text)
{
    gpudl__log(user, GPUDL_LOG_WARNING, "%s", text);
}

static void warn_stderr(void *user, const char *text)
{
    gpudl__log_to_stderr(user, GPUDL_LOG_WARNING, text);
}

static struct cache *open_own(struct cache **which, bool no_environment)
{
    const struct cache_options options = { .warn = warn_stderr, .no_environment = no_environment };
    struct cache *c;

    pthread_mutex_lock(&own_lock);
    if (!*which) {
        const struct allocator *before = gpudl__alloc_use(NULL);
        *which = gpudl__cache_open(&options);
        gpudl__alloc_use(before);
    }
    c = *which;
    pthread_mutex_unlock(&own_lock);
    return c;
}

/* Opening touches no file, and calls nobody. */
struct cache *gpudl__loader_cache(gpudl_loader *l)
{
    const struct cache_options options = { .warn = warn_loader, .user = l };
    const struct allocator *before;
    struct cache *c;

    if (gpudl__trust_locked())
        return open_own(&locked, true);
    if (!l)
        return open_own(&own, false);
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    pthread_mutex_lock(&l->lock);
    if (!l->cache)
        l->cache = gpudl__cache_open(&options);
    c = l->cache;
    pthread_mutex_unlock(&l->lock);
    gpudl__alloc_use(before);
    return c;
}

/* ---- for programs */

static gpudl_status missing(const struct cache *c)
{
    const char *folder = gpudl__cache_folder(c);

    if (!folder)
        return gpudl__fail(GPUDL_ERROR_FILE_MISSING,
            "nothing is kept on disk: none of GPUDL_CACHE_DIR, XDG_CACHE_HOME and HOME is set: set one of them");
    return gpudl__fail(GPUDL_ERROR_FILE_MISSING,
        "%s: nothing is kept here yet, or it cannot be used: it must be this user's own folder, of mode 0700", folder);
}

gpudl_status gpudl_cache_describe(gpudl_loader *given, gpudl_cache_info *out)
{
    gpudl_cache_info info = { .size_of_struct = sizeof(info) };
    gpudl_status status = gpudl__result_check(out, "gpudl_cache_info");
    struct cache_total total;
    struct cache_counts counts;
    struct cache *c;
    bool there;

    if (status != GPUDL_OK)
        return status;
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_cache_describe");
    c = gpudl__loader_cache(gpudl__loader_if_open(given));
    there = gpudl__cache_list(c, NULL, NULL, &total);
    gpudl__cache_counts(c, &counts);
    info.folder = gpudl__cache_folder(c);
    info.entries = total.entries;
    info.bytes = total.bytes;
    info.hits = counts.hits;
    info.misses = counts.misses;
    info.stored = counts.stored;
    info.healed = counts.healed;
    info.evicted = counts.evicted;
    info.failed = counts.failed;
    if (!there && !info.folder)
        return missing(c);
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}

struct listing {
    void (*each)(void *user, const gpudl_cache_entry *);
    void *user;
};

static void list_one(void *arg, const struct cache_item *item)
{
    const struct listing *l = arg;
    char key[CACHE_KEY_TEXT];
    gpudl_cache_entry entry = { sizeof(entry), key, item->label, item->bytes, item->made, item->used };

    gpudl__key_print(item->key, key);
    l->each(l->user, &entry);
}

gpudl_status gpudl_cache_list(gpudl_loader *given, void (*each)(void *, const gpudl_cache_entry *), void *user)
{
    struct listing l = { each, user };
    struct cache_total total;
    struct cache *c;

    if (!each)
        return gpudl__fail_argument("gpudl_cache_list", "each is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_cache_list");
    c = gpudl__loader_cache(gpudl__loader_if_open(given));
    return gpudl__cache_list(c, list_one, &l, &total) ? GPUDL_OK : missing(c);
}

gpudl_status gpudl_cache_trim(gpudl_loader *given, uint64_t bytes, uint64_t *removed)
{
    struct cache_total gone;
    struct cache *c;

    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_cache_trim");
    c = gpudl__loader_cache(gpudl__loader_if_open(given));
    if (!gpudl__cache_trim(c, bytes, &gone))
        return missing(c);
    if (removed)
        *removed = gone.entries;
    return GPUDL_OK;
}
