/* range.c - see range.h. Split and merge; a node's rank is random, and above its children's. */
#include "softcuda/run/range.h"

static void update(struct sc_range *n)
{
    n->largest = n->free ? n->size : 0;
    if (n->left && n->left->largest > n->largest)
        n->largest = n->left->largest;
    if (n->right && n->right->largest > n->largest)
        n->largest = n->right->largest;
}

/* Nodes that begin below start go to *low, the others to *high. */
static void split(struct sc_range *n, uint64_t start, struct sc_range **low, struct sc_range **high)
{
    if (!n) {
        *low = *high = NULL;
    } else if (n->start < start) {
        *low = n;
        split(n->right, start, &n->right, high);
        update(n);
    } else {
        *high = n;
        split(n->left, start, low, &n->left);
        update(n);
    }
}

static struct sc_range *merge(struct sc_range *low, struct sc_range *high)
{
    if (!low || !high)
        return low ? low : high;
    if (low->rank > high->rank) {
        low->right = merge(low->right, high);
        update(low);
        return low;
    }
    high->left = merge(low, high->left);
    update(high);
    return high;
}

static uint32_t next_rank(struct sc_ranges *t)
{
    t->seed = t->seed * 1664525u + 1013904223u;
    return t->seed ^ t->seed >> 15;
}

void sc_ranges_insert(struct sc_ranges *t, struct sc_range *n)
{
    struct sc_range *low, *high;

    n->left = n->right = NULL;
    n->rank = next_rank(t);
    update(n);
    split(t->root, n->start, &low, &high);
    t->root = merge(merge(low, n), high);
}

void sc_ranges_remove(struct sc_ranges *t, struct sc_range *n)
{
    struct sc_range *low, *middle, *high;

    split(t->root, n->start, &low, &middle);
    split(middle, n->start + 1, &middle, &high);
    t->root = merge(low, high);
}

struct sc_range *sc_ranges_below(const struct sc_ranges *t, uint64_t address)
{
    struct sc_range *best = NULL;

    for (struct sc_range *n = t->root; n; n = n->start <= address ? n->right : n->left)
        if (n->start <= address)
            best = n;
    return best;
}

struct sc_range *sc_ranges_above(const struct sc_ranges *t, uint64_t address)
{
    struct sc_range *best = NULL;

    for (struct sc_range *n = t->root; n; n = n->start >= address ? n->left : n->right)
        if (n->start >= address)
            best = n;
    return best;
}

struct sc_range *sc_ranges_find(const struct sc_ranges *t, uint64_t address)
{
    struct sc_range *n = sc_ranges_below(t, address);

    return n && address - n->start < n->size ? n : NULL;
}

struct sc_range *sc_ranges_fit(const struct sc_ranges *t, uint64_t size)
{
    struct sc_range *n = t->root;

    while (n && n->largest >= size) {
        if (n->left && n->left->largest >= size)
            n = n->left;
        else if (n->free && n->size >= size)
            return n;
        else
            n = n->right;
    }
    return NULL;
}
