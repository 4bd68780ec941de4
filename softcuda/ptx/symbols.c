/* symbols.c - a hash table with chains, and a list of names for each open scope. */
#include "softcuda/ptx/symbols.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(struct ptx_slice s)
{
    uint32_t h = 2166136261u;

    for (uint32_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.text[i]) * 16777619u;
    return h ^ h >> 15;
}

static bool same(const struct ptx_symbol *s, struct ptx_slice name, uint32_t hash)
{
    return s->hash == hash && s->name.len == name.len && !memcmp(s->name.text, name.text, name.len);
}

void ptx_symbols_free(struct ptx_symbols *t)
{
    free(t->buckets);
    gpudl__arena_free(&t->arenas[0]);
    gpudl__arena_free(&t->arenas[1]);
}

/* Keeps the order within chains. */
static bool grow(struct ptx_symbols *t)
{
    size_t n = t->nbuckets ? t->nbuckets * 2 : 256;
    struct ptx_symbol **buckets = calloc(n, sizeof(*buckets)), ***tails;

    tails = calloc(n, sizeof(*tails));
    if (!buckets || !tails) {
        free(buckets);
        free(tails);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        tails[i] = &buckets[i];
    for (size_t i = 0; i < t->nbuckets; i++) {
        for (struct ptx_symbol *s = t->buckets[i], *next; s; s = next) {
            struct ptx_symbol ***tail = &tails[s->hash & (n - 1)];

            next = s->chain;
            s->chain = NULL;
            **tail = s;
            *tail = &s->chain;
        }
    }
    free(tails);
    free(t->buckets);
    t->buckets = buckets;
    t->nbuckets = n;
    return true;
}

bool ptx_scope_enter(struct ptx_symbols *t)
{
    if (t->depth == PTX_MAX_DEPTH)
        return false;
    t->depth++;
    return true;
}

static void unlink_symbol(struct ptx_symbols *t, const struct ptx_symbol *s)
{
    struct ptx_symbol **at = &t->buckets[s->hash & (t->nbuckets - 1)];

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    t->n--;
}

void ptx_scope_leave(struct ptx_symbols *t)
{
    for (struct ptx_symbol *s = t->scopes[t->depth]; s; s = s->sibling)
        unlink_symbol(t, s);
    t->has_range[t->depth] = false;
    t->scopes[t->depth--] = NULL;
    if (!t->depth)
        gpudl__arena_free(&t->arenas[1]);
}

struct ptx_symbol *ptx_symbol_add(struct ptx_symbols *t, struct ptx_slice name, enum ptx_symbol_kind kind, uint32_t depth)
{
    struct ptx_symbol *s, **bucket;

    if (t->n >= t->nbuckets && !grow(t))
        return NULL;
    s = ptx_zalloc(&t->arenas[depth > 0], sizeof(*s));
    if (!s)
        return NULL;
    *s = (struct ptx_symbol){ .name = name, .kind = kind, .depth = depth, .hash = hash_of(name) };
    bucket = &t->buckets[s->hash & (t->nbuckets - 1)];
    while (*bucket && (*bucket)->depth > depth)     /* chains go from the inside to the outside */
        bucket = &(*bucket)->chain;
    s->chain = *bucket;
    *bucket = s;
    s->sibling = t->scopes[depth];
    t->scopes[depth] = s;
    t->has_range[depth] |= kind == SYM_RANGE;
    t->n++;
    return s;
}

/* Ranges and other names live apart: "%r<9>" does not declare "%r". */
struct ptx_symbol *ptx_symbol_find(const struct ptx_symbols *t, struct ptx_slice name)
{
    uint32_t hash = hash_of(name);

    if (!t->nbuckets)
        return NULL;
    for (struct ptx_symbol *s = t->buckets[hash & (t->nbuckets - 1)]; s; s = s->chain)
        if (same(s, name, hash) && s->kind != SYM_RANGE)
            return s;
    return NULL;
}

struct ptx_symbol *ptx_symbol_find_at(const struct ptx_symbols *t, struct ptx_slice name, uint32_t depth)
{
    uint32_t hash = hash_of(name);

    if (!t->nbuckets)
        return NULL;
    for (struct ptx_symbol *s = t->buckets[hash & (t->nbuckets - 1)]; s; s = s->chain)
        if (same(s, name, hash) && s->depth == depth && s->kind != SYM_RANGE)
            return s;
    return NULL;
}

/* The innermost range of this name that has the number. */
static struct ptx_symbol *find_range(const struct ptx_symbols *t, struct ptx_slice name, uint64_t number)
{
    uint32_t hash = hash_of(name);

    for (struct ptx_symbol *s = t->buckets[hash & (t->nbuckets - 1)]; s; s = s->chain)
        if (same(s, name, hash) && s->kind == SYM_RANGE && number < s->index)
            return s;
    return NULL;
}

/* The digits may begin anywhere: "%r1<9>" covers "%r12" too, so every split is tried. Numbers have no leading zeroes. */
static struct ptx_symbol *search_splits(const struct ptx_symbols *t, struct ptx_slice name)
{
    struct ptx_symbol *best = NULL;
    uint64_t value = 0, unit = 1;

    for (uint32_t n = name.len; n > 1 && unit <= UINT32_MAX; unit *= 10) {
        char c = name.text[--n];
        struct ptx_symbol *s;

        if (c < '0' || c > '9')
            break;
        value += unit * (uint64_t)(c - '0');
        if (c == '0' && n + 1 != name.len)
            continue;
        s = find_range(t, (struct ptx_slice){ name.text, n }, value);
        if (s && (!best || s->depth > best->depth))
            best = s;
    }
    return best;
}

struct ptx_symbol *ptx_range_find(const struct ptx_symbols *t, struct ptx_slice name, int outer)
{
    int depth = (int)t->depth;
    struct ptx_symbol *s;

    while (depth > outer && !t->has_range[depth])
        depth--;
    if (depth <= outer)
        return NULL;
    s = search_splits(t, name);
    return s && (int)s->depth > outer ? s : NULL;
}
