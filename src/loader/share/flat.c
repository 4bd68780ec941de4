/* What was read of a loaded version, laid out in one piece. Measured first, then written, by the same walk. */
#include <stdalign.h>
#include <string.h>

#include "src/loader/loader.h"
#include "src/loader/share/pages.h"

/* to NULL: nothing is written yet. */
struct pile {
    unsigned char *to;
    size_t used;
    struct span bytes; /* the record's: what lies in them is not copied */
};

static void *put(struct pile *p, const void *from, size_t size)
{
    const size_t align = alignof(max_align_t);
    void *at = p->to ? p->to + p->used : NULL;

    if (at && size)
        memcpy(at, from, size);
    p->used += (size + align - 1) / align * align;
    return at;
}

static bool lies_in(struct span bytes, const void *at)
{
    return (uintptr_t)at - (uintptr_t)bytes.data <= bytes.size;
}

static const char *put_string(struct pile *p, const char *s)
{
    if (!s || lies_in(p->bytes, s))
        return s;
    return put(p, s, strlen(s) + 1);
}

static const struct image_kernel *put_kernels(struct pile *p, const struct version *v)
{
    struct image_kernel *to = put(p, v->kernels, v->nkernels * sizeof(*to));

    for (size_t i = 0; i < v->nkernels; i++) {
        const struct image_kernel *from = &v->kernels[i];
        const char *name = put_string(p, from->name);
        const void *params = put(p, from->params, from->nparams * sizeof(*from->params));

        if (!to)
            continue;
        to[i].name = name;
        to[i].params = params;
    }
    return to;
}

static const struct image_global *put_globals(struct pile *p, const struct version *v)
{
    struct image_global *to = put(p, v->globals, v->nglobals * sizeof(*to));

    for (size_t i = 0; i < v->nglobals; i++) {
        const char *name = put_string(p, v->globals[i].name);
        if (to)
            to[i].name = name;
    }
    return to;
}

static void put_all(struct pile *p, const struct version *v, struct record_contents *c)
{
    put(p, c, sizeof(*c));
    c->entry = v->entry;
    c->code = v->code;
    if (!lies_in(p->bytes, v->code.data))
        c->code.data = NULL;
    c->kernels = put_kernels(p, v);
    c->nkernels = v->nkernels;
    c->globals = put_globals(p, v);
    c->nglobals = v->nglobals;
    c->ncells = v->index.ncells;
    c->cells = c->ncells ? put(p, v->index.cells, c->ncells * sizeof(*c->cells)) : NULL;
    c->log = put_string(p, v->log);
    c->native = v->native;
    c->first = v->first;
}

/* Where so much can be written: behind the bytes, if there is room; *mapped is 0 then. */
static void *find_room(struct record *r, size_t size, size_t *mapped)
{
    size_t at = (r->used + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

    *mapped = 0;
    if (at <= r->mapped && size <= r->mapped - at)
        return (unsigned char *)r + at;
    *mapped = size;
    return gpudl__pages_take(r->home, mapped);
}

struct record_contents *gpudl__record_flatten(struct record *r, const struct version *v)
{
    struct record_contents c = { 0 };
    struct pile p = { NULL, 0, r->bytes };
    void *to;

    put_all(&p, v, &c);
    to = find_room(r, p.used, &c.mapped);
    if (!to)
        return NULL;
    p = (struct pile){ to, 0, r->bytes };
    put_all(&p, v, &c);
    return memcpy(to, &c, sizeof(c));
}
