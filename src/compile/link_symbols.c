/* link_symbols.c - names that two parts define. */
#include "src/compile/link_parts.h"

#include <stdlib.h>
#include <string.h>

#include "src/image/details.h"
#include "src/util/alloc.h"

enum { TEXT_SIZE = 512, NAMED_MOST = 8 };

struct definition { const char *name; size_t part; };

struct table {
    struct definition *items;
    size_t n, room;
};

static bool add(struct table *t, const char *name, size_t part)
{
    size_t room = t->room ? 2 * t->room : 64;
    struct definition *items;

    if (t->n == t->room) {
        if (!(items = gpudl__alloc(room * sizeof(*items))))
            return false;
        if (t->n)
            memcpy(items, t->items, t->n * sizeof(*items));
        gpudl__free(t->items);
        t->items = items;
        t->room = room;
    }
    t->items[t->n++] = (struct definition){ name, part };
    return true;
}

/* What can be defined once only: neither local nor weak. */
static bool add_part(struct table *t, const struct image_details *d, const struct image_kernel *kernels,
    const struct image_global *globals, size_t nglobals, size_t part)
{
    bool good = true;

    for (size_t i = 0; good && i < d->nkernels; i++)
        if (d->kernels[i].binding == IMAGE_BIND_GLOBAL)
            good = add(t, kernels[i].name, part);
    for (size_t i = 0; good && i < d->nfunctions; i++)
        if (d->function_bindings[i] == IMAGE_BIND_GLOBAL)
            good = add(t, d->functions[i], part);
    for (size_t i = 0; good && i < nglobals; i++)
        if (globals[i].binding == IMAGE_BIND_GLOBAL)
            good = add(t, globals[i].name, part);
    return good;
}

static enum link_error read_part(struct table *t, const struct link_part *part, size_t index, struct link_failure *failure, struct text *text)
{
    const struct image_details *details;
    const struct image_kernel *kernels;
    const struct image_global *globals;
    size_t nkernels, nglobals;
    char why[TEXT_SIZE];
    enum image_error error;

    error = gpudl__image_details(part->image, part->entry, &details, why, sizeof(why));
    if (!error)
        error = gpudl__image_kernels(part->image, part->entry, &kernels, &nkernels, why, sizeof(why));
    if (!error)
        error = gpudl__image_globals(part->image, part->entry, &globals, &nglobals, why, sizeof(why));
    if (!error)
        return add_part(t, details, kernels, globals, nglobals, index) ? LINK_OK : LINK_NO_MEMORY;
    if (error == IMAGE_NO_MEMORY)
        return LINK_NO_MEMORY;
    gpudl__text_add(text, "%s: %s", part->name, why);
    failure->image = error;
    return LINK_INPUT;
}

static int by_name(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;
    int c = strcmp(x->name, y->name);

    return c ? c : x->part < y->part ? -1 : x->part > y->part;
}

/* Each name once, whatever the number of its definitions. */
static enum link_error find_twice(const struct table *t, const struct link_parts *parts, struct text *text)
{
    size_t found = 0;

    for (size_t i = 1; i < t->n; i++) {
        const struct definition *a = &t->items[i - 1], *b = &t->items[i];

        if (strcmp(a->name, b->name) || a->part == b->part || (i > 1 && !strcmp(t->items[i - 2].name, a->name)))
            continue;
        if (found++ < NAMED_MOST)
            gpudl__text_add(text, "%s'%s' is defined more than once: in %s and in %s", found > 1 ? "; " : "", a->name, parts->items[a->part].name,
                parts->items[b->part].name);
    }
    if (found > NAMED_MOST)
        gpudl__text_add(text, "; and %zu more", found - NAMED_MOST);
    return found ? LINK_REFUSED : LINK_OK;
}

enum link_error gpudl__link_symbols_check(const struct link_parts *parts, struct link_failure *failure, struct text *text)
{
    enum link_error error = LINK_OK;
    struct table t = { 0 };

    for (size_t i = 0; !error && i < parts->n; i++)
        if (parts->items[i].image)
            error = read_part(&t, &parts->items[i], i, failure, text);
    if (!error && t.n)
        qsort(t.items, t.n, sizeof(*t.items), by_name);
    if (!error)
        error = find_twice(&t, parts, text);
    gpudl__free(t.items);
    return error;
}
