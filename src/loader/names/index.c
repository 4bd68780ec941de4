#include "src/loader/names/index.h"

#include <string.h>

#include "src/util/alloc.h"
#include "src/util/hash.h"

enum { FEW = 32 };

static size_t first_cell(const struct name_index *x, const char *name)
{
    return gpudl__hash64((struct span){ (const unsigned char *)name, strlen(name) }) & (x->ncells - 1);
}

static void insert(struct name_index *x, const struct names *names, size_t i)
{
    size_t cell = first_cell(x, names->at(names->list, i));

    while (x->cells[cell])
        cell = (cell + 1) & (x->ncells - 1);
    x->cells[cell] = (uint32_t)i + 1;
}

static bool grow(struct name_index *x, const struct names *names)
{
    struct name_index bigger = { NULL, 4 * FEW };

    while (bigger.ncells < 4 * names->count)
        bigger.ncells *= 2;
    bigger.cells = gpudl__alloc_zero(bigger.ncells * sizeof(*bigger.cells));
    if (!bigger.cells)
        return false;
    for (size_t i = 0; i < names->count; i++)
        insert(&bigger, names, i);
    gpudl__free(x->cells);
    *x = bigger;
    return true;
}

bool gpudl__index_update(struct name_index *x, const struct names *names, size_t already)
{
    if (names->count < FEW)
        return true;
    if (x->ncells < 2 * names->count)
        return grow(x, names);
    for (size_t i = already; i < names->count; i++)
        insert(x, names, i);
    return true;
}

static bool find_among_few(const struct names *names, const char *name, size_t *index)
{
    for (*index = 0; *index < names->count; ++*index)
        if (strcmp(names->at(names->list, *index), name) == 0)
            return true;
    return false;
}

/* Of equal names the first one, as they were inserted in order. */
bool gpudl__index_find(const struct name_index *x, const struct names *names, const char *name, size_t *index)
{
    if (!x->cells)
        return find_among_few(names, name, index);
    for (size_t cell = first_cell(x, name); x->cells[cell]; cell = (cell + 1) & (x->ncells - 1)) {
        *index = x->cells[cell] - 1;
        if (strcmp(names->at(names->list, *index), name) == 0)
            return true;
    }
    return false;
}

void gpudl__index_free(struct name_index *x)
{
    gpudl__free(x->cells);
    *x = (struct name_index){ 0 };
}
