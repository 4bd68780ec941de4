/* What a loader has done and has. */
#include "src/loader/error.h"
#include "src/loader/loader.h"
#include "src/loader/options.h"

gpudl_status gpudl_loader_statistics(gpudl_loader *given, gpudl_loader_stats *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_loader_stats");
    const struct parked_list *warm, *retired;
    gpudl_loader_stats s;
    gpudl_loader *l;

    if (status != GPUDL_OK)
        return status;
    l = gpudl__loader(given, "gpudl_loader_statistics", &status);
    if (!l)
        return status;
    warm = &l->parking.lists[PARKED_WARM];
    retired = &l->parking.lists[PARKED_RETIRED];
    pthread_mutex_lock(&l->lock);
    s = l->counts;
    s.warm = warm->count;
    s.retired = retired->count;
    s.warm_bytes = warm->bytes;
    s.retired_bytes = retired->bytes;
    s.held = (size_t)(s.loads - s.unloads) - s.warm - s.retired;
    pthread_mutex_unlock(&l->lock);
    gpudl__result_export(out, &s, sizeof(s));
    return GPUDL_OK;
}
