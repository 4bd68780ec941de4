/* What a loader has done and has. */
#include <stdio.h>

#include "src/cache/cache.h"
#include "src/loader/error.h"
#include "src/loader/loader.h"
#include "src/loader/options.h"

static gpudl_loader_stats collect(gpudl_loader *l)
{
    const struct parked_list *warm = &l->parking.lists[PARKED_WARM], *retired = &l->parking.lists[PARKED_RETIRED];
    gpudl_loader_stats s;

    pthread_mutex_lock(&l->lock);
    s = l->counts;
    s.warm = warm->count;
    s.retired = retired->count;
    s.warm_bytes = warm->bytes;
    s.retired_bytes = retired->bytes;
    s.held = (size_t)(l->made - l->gone) - s.warm - s.retired;
    pthread_mutex_unlock(&l->lock);
    return s;
}

gpudl_status gpudl_loader_statistics(gpudl_loader *given, gpudl_loader_stats *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_loader_stats");
    gpudl_loader_stats s;
    gpudl_loader *l;

    if (status != GPUDL_OK)
        return status;
    l = gpudl__loader(given, "gpudl_loader_statistics", &status);
    if (!l)
        return status;
    s = collect(l);
    gpudl__result_export(out, &s, sizeof(s));
    return GPUDL_OK;
}

/* A loader that has compiled nothing has no cache yet. */
static struct cache_counts cache_counts(gpudl_loader *l)
{
    struct cache_counts counts = { 0 };
    struct cache *cache;

    pthread_mutex_lock(&l->lock);
    cache = l->cache;
    pthread_mutex_unlock(&l->lock);
    if (cache)
        gpudl__cache_counts(cache, &counts);
    return counts;
}

size_t gpudl_loader_stats_json(gpudl_loader *given, char *out, size_t size)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_stats_json", &status);
    struct cache_counts c;
    gpudl_loader_stats s;
    int n;

    if (out && size)
        *out = '\0';
    if (!l)
        return 0;
    s = collect(l);
    c = cache_counts(l);
#define COUNT(member) (unsigned long long)(member)
    n = snprintf(out, out ? size : 0,
        "{\"loads\":%llu,\"shared\":%llu,\"warm_hits\":%llu,\"unloads\":%llu,\"forced\":%llu,\"replaces\":%llu,\"rollbacks\":%llu,"
        "\"captured\":%llu,\"held\":%llu,\"warm\":%llu,\"retired\":%llu,\"warm_bytes\":%llu,\"retired_bytes\":%llu,"
        "\"cache\":{\"hits\":%llu,\"misses\":%llu,\"stored\":%llu,\"healed\":%llu,\"evicted\":%llu,\"failed\":%llu}}",
        COUNT(s.loads), COUNT(s.shared), COUNT(s.warm_hits), COUNT(s.unloads), COUNT(s.forced), COUNT(s.replaces),
        COUNT(s.rollbacks), COUNT(s.captured), COUNT(s.held), COUNT(s.warm), COUNT(s.retired), COUNT(s.warm_bytes),
        COUNT(s.retired_bytes), COUNT(c.hits), COUNT(c.misses), COUNT(c.stored), COUNT(c.healed), COUNT(c.evicted),
        COUNT(c.failed));
#undef COUNT
    return n > 0 ? (size_t)n : 0;
}
