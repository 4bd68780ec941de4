/* Device times from softcuda, which tells what it has done by its own clock, which is the host's (softcuda/activity.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "softcuda/activity.h"
#include "src/trace/times.h"

static struct {
    struct timeline *timeline;
    int (*listen)(softcuda_listener *, void *);
    void (*mark)(uint64_t);
} soft;

static void hear(void *user, const struct softcuda_activity *a)
{
    static const enum trace_kind kinds[] = { TRACE_KERNEL, TRACE_COPY, TRACE_FILL, TRACE_SPAN };
    struct trace_record r = { .kind = kinds[a->kind],
        .device = a->device,
        .track = a->stream,
        .begin = a->begin,
        .end = a->end,
        .number = a->mark,
        .bytes = a->bytes,
        .name = a->name,
        .of = a->of,
        .static_shared = a->static_shared,
        .dynamic_shared = a->dynamic_shared };

    char name[32];

    (void)user;
    if (a->kind == SOFTCUDA_HOST) {
        snprintf(name, sizeof(name), "softcuda: %s", a->name);
        r.name = name;
    }
    memcpy(r.grid, a->grid, sizeof(r.grid));
    memcpy(r.block, a->block, sizeof(r.block));
    gpudl__timeline_add(soft.timeline, &r);
}

static void before(struct trace_launch *l)
{
    static _Atomic uint64_t numbers;

    l->number = atomic_fetch_add(&numbers, 1) + 1;
    soft.mark(l->number);
}

static void after(struct trace_launch *l, int err)
{
    (void)l, (void)err;
    soft.mark(0);
}

static void settle(bool last)
{
    if (last)
        soft.listen(NULL, NULL);
}

const struct trace_times *gpudl__times_softcuda(struct timeline *t, const struct driver *d, struct text *why)
{
    static const struct trace_times times = { "softcuda's", before, after, settle, NULL };
    void *library = d->software ? dlopen(d->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (!d->software)
        return NULL;
    soft.timeline = t;
    if (library) {
        *(void **)&soft.listen = dlsym(library, "softcuda_listen");
        *(void **)&soft.mark = dlsym(library, "softcuda_mark");
    }
    if (soft.listen && soft.mark && soft.listen(hear, NULL) == 0)
        return &times;
    gpudl__text_add(why, "%sthis softcuda tells nobody, or somebody else, what it does", why->used ? "; " : "");
    return NULL;
}
