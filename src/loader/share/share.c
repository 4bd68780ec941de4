#include "src/loader/share/share.h"

#include <stdlib.h>
#include <string.h>

#include "src/loader/source/trust.h"

/* ------------------------------------------------------------------------------------------------------------ loaders */

static bool is_wanted(const gpudl_loader_options *options)
{
    const char *said = gpudl__trust_locked() ? NULL : secure_getenv("GPUDL_SHARE");

    return options->share != GPUDL_SHARE_NOTHING && !(said && strcmp(said, "0") == 0);
}

/* Not handles that gpudl makes itself for an old driver, in this copy's heap. Nor a choice of code that is many devices'. */
static bool is_possible(const gpudl_loader *l)
{
    return !*l->driver.emulated && !l->driver.mixed;
}

static void report(gpudl_loader *l, const struct commons_report *r)
{
    if (r->strangers)
        gpudl__log(l, GPUDL_LOG_WARNING,
            "%s holds a copy of gpudl that shares loaded code in another way (format %u, here %u): neither finds what the other has "
            "loaded, and each works alone; build both with one release of gpudl, or set gpudl_loader_options.share to GPUDL_SHARE_NOTHING",
            *r->stranger ? r->stranger : "the program", r->format, r->own);
    if (!r->made && l->commons)
        gpudl__log(l, GPUDL_LOG_DEBUG, "loaded code is shared with other loaders of this process");
}

void gpudl__share_open(gpudl_loader *l, const gpudl_loader_options *options)
{
    struct commons_report met;

    if (!is_wanted(options) || !is_possible(l))
        return;
    l->commons = gpudl__commons_join(&met);
    report(l, &met);
}

void gpudl__share_close(gpudl_loader *l)
{
    if (l->commons)
        gpudl__commons_leave();
    l->commons = NULL;
}

uint64_t gpudl__share_driver(const gpudl_loader *l)
{
    return (uint64_t)(uintptr_t)l->driver.table.LibraryLoadData;
}

/* ----------------------------------------------------------------------------------------------------------- versions */

static struct record_key key_of(const struct version *v)
{
    const struct image_target *t = &v->loader->target;
    struct record_key key;

    memset(&key, 0, sizeof(key));
    key.driver = gpudl__share_driver(v->loader);
    key.sm = t->sm;
    key.ptx_version = t->ptx_version;
    key.cuda_version = (uint32_t)t->cuda_version;
    key.choice = t->machine_code | t->any_ptx << 1 | t->jit_forced << 2 | t->jit_disabled << 3;
    key.settings = v->settings;
    return key;
}

/* Not what points into a plugin, its code or its heap. Nor CUDA C++ that goes to nobody's driver as it is. */
static bool is_sharable(const struct version *v)
{
    static const gpudl_host_table none;

    return v->loader->commons && !v->content.registered && !(v->settings.flags & GPUDL_LOAD_PRESERVED) &&
        memcmp(&v->settings.host, &none, sizeof(none)) == 0;
}

static void lend_bytes(struct version *v)
{
    v->content.bytes = v->record->bytes;
    v->content.lowered = v->record->lowered;
    v->content.shared = true;
    v->content.lender = NULL; /* the caller has it still */
}

bool gpudl__share_get(struct version *v, bool *mine)
{
    struct record_key key;

    *mine = false;
    if (!is_sharable(v))
        return false;
    key = key_of(v);
    v->record = gpudl__record_get(v->loader->commons, &key, v->hash, v->content.bytes, v->content.lowered, mine);
    if (v->record)
        lend_bytes(v);
    return v->record != NULL;
}

void gpudl__share_take(struct version *v)
{
    const struct record_contents *c = v->record->contents;

    lend_bytes(v);
    v->taken = true;
    v->entry = c->entry;
    v->code = c->code;
    v->kernels = c->kernels;
    v->nkernels = c->nkernels;
    v->globals = c->globals;
    v->nglobals = c->nglobals;
    v->index = (struct name_index){ c->cells, c->ncells };
    v->log = gpudl__alloc_string(c->log); /* a courtesy */
    v->native = c->native;
    v->first = c->first;
}

void gpudl__share_land(struct version *v, bool for_others)
{
    gpudl__record_land(v->loader->commons, v->record, for_others ? gpudl__record_flatten(v->record, v) : NULL);
}

/* ----------------------------------------------------------------------------------------------------- a copy that goes */

static void abandon(struct version *v)
{
    if (!v->record)
        return;
    gpudl__record_abandon(v->loader->commons, v->record);
    v->record = NULL;
    v->native = NULL;
    v->left = true;
}

/* Nobody is inside, or should be: where somebody has the lock all the same, what there is stays in the driver. */
void gpudl__share_hand_on(gpudl_loader *l)
{
    if (!l->commons || pthread_mutex_trylock(&l->lock) != 0)
        return;
    for (size_t i = 0; i < VERSION_BUCKETS; i++)
        for (struct version *v = l->versions[i]; v; v = v->next)
            abandon(v);
    for (struct version *v = l->parking.lists[PARKED_RETIRED].newest; v; v = v->older)
        abandon(v);
    l->commons = NULL;
    pthread_mutex_unlock(&l->lock);
}
