#include "src/loader/life/parked.h"

#include "src/loader/life/idle.h"
#include "src/loader/loader.h"
#include "src/loader/share/share.h"

enum { DEFAULT_COUNT = 64, DEFAULT_BYTES = 64 << 20 };

static void bound(struct parked_list *list, uint64_t bytes, size_t count)
{
    list->most_bytes = bytes ? bytes : DEFAULT_BYTES;
    list->most_count = count == GPUDL_NONE_AT_ALL ? 0 : count ? count : DEFAULT_COUNT;
}

void gpudl__parking_init(struct parking *p, uint64_t warm_bytes, size_t warm_count, uint64_t retired_bytes, size_t retired_count)
{
    bound(&p->lists[PARKED_WARM], warm_bytes, warm_count);
    bound(&p->lists[PARKED_RETIRED], retired_bytes, retired_count);
}

/* ------------------------------------------------------------------------------------------------------------ under the lock */

static void append(struct version *v, enum parked kind)
{
    struct parked_list *list = &v->loader->parking.lists[kind];

    v->parked = kind;
    v->newer = NULL;
    v->older = list->newest;
    *(list->newest ? &list->newest->newer : &list->oldest) = v;
    list->newest = v;
    list->count++;
    list->bytes += v->code.size;
}

static void take_out(struct version *v)
{
    struct parked_list *list = &v->loader->parking.lists[v->parked];

    *(v->newer ? &v->newer->older : &list->newest) = v->older;
    *(v->older ? &v->older->newer : &list->oldest) = v->newer;
    list->count--;
    list->bytes -= v->code.size;
    v->newer = v->older = NULL;
    v->parked = PARKED_NOT;
}

static void move(struct version *v, enum parked kind)
{
    if (v->parked)
        take_out(v);
    append(v, kind);
}

/* Nothing of a version that other loaders have, too, is here to be unloaded: theirs is the choice when. So its bytes are counted
 * once, by the last one. */
static bool leave(struct version *v)
{
    v->left = v->record && record_is_shared(v->record) && gpudl__record_leave(v->loader->commons, v->record);
    if (v->left)
        v->record = NULL;
    return v->left;
}

static bool is_touched(const struct version *v)
{
    return atomic_load(&v->touched) || (v->record && atomic_load(&v->record->touched));
}

static void retire(struct version *v)
{
    gpudl__version_unlist(v);
    move(v, !leave(v) && is_touched(v) && !v->lent ? PARKED_RETIRED : PARKED_DOOMED);
}

void gpudl__park(struct version *v)
{
    if (v->listed && leave(v)) {
        gpudl__version_unlist(v);
        append(v, PARKED_DOOMED);
    } else if (v->listed)
        append(v, PARKED_WARM);
    else
        retire(v);
}

void gpudl__unpark(struct version *v)
{
    take_out(v);
}

static bool is_over(const struct parked_list *list, uint64_t bytes, size_t count)
{
    return list->count > count || list->bytes > bytes;
}

void gpudl__park_cool(gpudl_loader *l, uint64_t bytes, size_t count)
{
    struct parked_list *warm = &l->parking.lists[PARKED_WARM];

    while (warm->oldest && is_over(warm, bytes, count))
        retire(warm->oldest);
}

static void force_out(gpudl_loader *l, uint64_t bytes, size_t count)
{
    struct parked_list *retired = &l->parking.lists[PARKED_RETIRED];

    while (retired->oldest && is_over(retired, bytes, count)) {
        move(retired->oldest, PARKED_DOOMED);
        l->counts.forced++;
    }
}

/* The whole list, linked through older; they are in no list any more. */
static struct version *take_all(gpudl_loader *l, enum parked kind)
{
    struct parked_list *list = &l->parking.lists[kind];
    struct version *all = NULL, *v;

    while ((v = list->newest)) {
        take_out(v);
        v->older = all;
        all = v;
    }
    return all;
}

/* -------------------------------------------------------------------------------------------------------- not under the lock */

/* What copies of gpudl that are gone left behind is parked here. */
static void adopt(gpudl_loader *l)
{
    struct record *r;

    while (l->commons && (r = gpudl__record_adopt(l->commons, gpudl__share_driver(l))))
        gpudl__version_adopt(l, r);
}

static size_t destroy_all(struct version *v)
{
    struct version *next;
    size_t n = 0;

    for (; v; v = next, n++) {
        next = v->older;
        gpudl__version_destroy(v);
    }
    return n;
}

static size_t unload_kind(gpudl_loader *l, enum parked kind)
{
    struct version *all;

    pthread_mutex_lock(&l->lock);
    all = take_all(l, kind);
    pthread_mutex_unlock(&l->lock);
    return destroy_all(all);
}

size_t gpudl__park_unload_retired(gpudl_loader *l)
{
    return unload_kind(l, PARKED_RETIRED);
}

void gpudl__park_settle(gpudl_loader *l)
{
    const struct parked_list *warm = &l->parking.lists[PARKED_WARM], *retired = &l->parking.lists[PARKED_RETIRED];
    struct version *doomed;
    bool more;

    adopt(l);
    pthread_mutex_lock(&l->lock);
    gpudl__park_cool(l, warm->most_bytes, warm->most_count);
    force_out(l, retired->most_bytes, retired->most_count);
    doomed = take_all(l, PARKED_DOOMED);
    more = retired->count != 0;
    pthread_mutex_unlock(&l->lock);
    destroy_all(doomed);
    if (more && !l->captures && gpudl__idle_wait(l, 0))
        gpudl__park_unload_retired(l);
}

size_t gpudl__park_unload_all(gpudl_loader *l)
{
    size_t n;

    adopt(l);
    pthread_mutex_lock(&l->lock);
    gpudl__park_cool(l, 0, 0);
    force_out(l, 0, 0);
    pthread_mutex_unlock(&l->lock);
    n = unload_kind(l, PARKED_DOOMED);
    return n;
}
