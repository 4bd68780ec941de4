/* range.h - disjoint address ranges, in order: a treap keyed by address, where each node knows the largest free range below it.
 * Not locked. */
#ifndef SOFTCUDA_RUN_RANGE_H
#define SOFTCUDA_RUN_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_range {
    uint64_t start, size;
    bool free;
    void *owner;                /* the user's */
    uint32_t kind;              /* the user's */
    uint32_t flags;             /* the user's */
    uint64_t id;                /* the user's */
    /* the treap's */
    uint32_t rank;
    uint64_t largest;           /* free range in this subtree */
    struct sc_range *left, *right;
};

struct sc_ranges { struct sc_range *root; uint32_t seed; };

/* The caller fills start, size, free and what is the user's; ranges must not overlap. */
void sc_ranges_insert(struct sc_ranges *, struct sc_range *);
void sc_ranges_remove(struct sc_ranges *, struct sc_range *);       /* does not free it */
/* The range with start <= address < start + size, or NULL. */
struct sc_range *sc_ranges_find(const struct sc_ranges *, uint64_t address);
/* The last range that begins at or below the address, or NULL. */
struct sc_range *sc_ranges_below(const struct sc_ranges *, uint64_t address);
/* The first range that begins at or above the address, or NULL. */
struct sc_range *sc_ranges_above(const struct sc_ranges *, uint64_t address);
/* The lowest free range of at least size bytes, or NULL. */
struct sc_range *sc_ranges_fit(const struct sc_ranges *, uint64_t size);

#endif
