/* cfg_order.c - the layout: a topological order in which every loop is in one piece.
 *
 * Loops are strongly connected components. Tarjan's algorithm gives them last first, so the order is filled from its end.
 * Within a component the same is done again without the edges to its head, which was reached first; that finds the loops
 * inside, and takes irreducible components apart too. Of two ways, what stands first in the text comes first. */
#include "softcuda/ptx/cfg_build.h"

#include <stdlib.h>

#define MAX_LOOP_DEPTH 200      /* below it loops are no longer taken apart, which bounds the time */

/* A part of the order whose blocks are known, but not yet how they follow one another. */
struct region {
    uint32_t head;
    uint32_t cut;               /* edges to this block do not count; CFG_NONE: all do */
    uint32_t first, end;        /* places in the order */
    int32_t loop;
};

struct visit { uint32_t block, next; };     /* next: the successor to look at, from the last to the first */

struct order {
    struct cfg_block *blocks;
    uint32_t *order;
    uint32_t *region;           /* of each block: the id of the region that it is in now */
    uint32_t *index, *low;      /* Tarjan's numbers; index 0: not seen in this region */
    bool *open;                 /* on the stack */
    uint32_t *sorted;           /* successors by rising place in the text, for all blocks */
    uint32_t *sorted_at;
    struct visit *path;
    uint32_t *stack;
    uint32_t npath, nstack, count, regions;
    struct ptx_vec todo;        /* struct region */
    struct ptx_vec *loops;      /* struct cfg_loop */
};

static uint32_t degree(const struct order *o, uint32_t block)
{
    return o->blocks[block].nsucc;
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Blocks are numbered as they stand in the text. */
static bool sort_successors(struct order *o, uint32_t nblocks)
{
    size_t edges = 0;

    for (uint32_t i = 0; i < nblocks; i++)
        edges += degree(o, i);
    o->sorted = malloc((edges + 1) * sizeof(*o->sorted));
    o->sorted_at = malloc(nblocks * sizeof(*o->sorted_at));
    if (!o->sorted || !o->sorted_at)
        return false;
    edges = 0;
    for (uint32_t i = 0; i < nblocks; i++) {
        o->sorted_at[i] = (uint32_t)edges;
        for (uint32_t k = 0; k < degree(o, i); k++)
            o->sorted[edges++] = o->blocks[i].succ[k];
        qsort(o->sorted + o->sorted_at[i], degree(o, i), sizeof(*o->sorted), by_place);
    }
    return true;
}

static void open_block(struct order *o, uint32_t block)
{
    o->index[block] = o->low[block] = ++o->count;
    o->open[block] = true;
    o->stack[o->nstack++] = block;
    o->path[o->npath++] = (struct visit){ block, degree(o, block) };
}

static bool has_self_edge(const struct order *o, uint32_t block)
{
    for (uint32_t k = 0; k < degree(o, block); k++)
        if (o->blocks[block].succ[k] == block)
            return true;
    return false;
}

/* The component of n blocks at [end - n, end) of the order is a loop: notes it, and that it is to be ordered itself. */
static bool add_loop(struct order *o, const struct region *in, uint32_t head, uint32_t n, uint32_t end)
{
    struct cfg_loop *loop = ptx_vec_push(o->loops, sizeof(*loop));
    int32_t number = (int32_t)o->loops->n - 1;
    struct region *inner;

    if (!loop)
        return false;
    *loop = (struct cfg_loop){ .first = end - n, .end = end, .parent = in->loop, .depth = 1 };
    if (in->loop >= 0)
        loop->depth = ((struct cfg_loop *)o->loops->data)[in->loop].depth + 1;
    for (uint32_t i = end - n; i < end; i++)
        o->blocks[o->order[i]].loop = number;
    if (n == 1)
        return true;
    inner = ptx_vec_push(&o->todo, sizeof(*inner));
    if (!inner)
        return false;
    *inner = (struct region){ head, head, end - n, end, number };
    return true;
}

/* All of the component whose first block is at the top of the path; returns how many blocks it has, 0 without memory. */
static uint32_t close_component(struct order *o, const struct region *in, uint32_t head, uint32_t end)
{
    uint32_t n = 0, block;

    do {
        block = o->stack[--o->nstack];
        o->open[block] = false;
        o->order[end - ++n] = block;
    } while (block != head);
    if (n == 1 && (head == in->cut || !has_self_edge(o, head)))
        return 1;
    return add_loop(o, in, head, n, end) ? n : 0;
}

static bool follows(const struct order *o, const struct region *in, uint32_t to, uint32_t id)
{
    return to != in->cut && o->region[to] == id;
}

/* One step of the search: down an edge, or back. Returns false when memory runs out. */
static bool step(struct order *o, const struct region *in, uint32_t id, bool flat, uint32_t *end)
{
    struct visit *v = &o->path[o->npath - 1];
    uint32_t block = v->block, to, n;

    if (v->next) {
        to = o->sorted[o->sorted_at[block] + --v->next];
        if (!follows(o, in, to, id))
            return true;
        if (!o->index[to])
            open_block(o, to);
        else if (o->open[to] && !flat && o->index[to] < o->low[block])
            o->low[block] = o->index[to];
        return true;
    }
    o->npath--;
    if (o->npath && o->low[block] < o->low[o->path[o->npath - 1].block])
        o->low[o->path[o->npath - 1].block] = o->low[block];
    if (o->low[block] != o->index[block])
        return true;
    n = close_component(o, in, block, *end);
    *end -= n;
    return n > 0;
}

static bool is_too_deep(const struct order *o, const struct region *in)
{
    return in->loop >= 0 && ((const struct cfg_loop *)o->loops->data)[in->loop].depth >= MAX_LOOP_DEPTH;
}

static bool order_region(struct order *o, const struct region *in)
{
    uint32_t id = ++o->regions, end = in->end;
    bool flat = is_too_deep(o, in);

    for (uint32_t i = in->first; i < in->end; i++) {
        o->region[o->order[i]] = id;
        o->index[o->order[i]] = 0;
    }
    o->count = 0;
    open_block(o, in->head);
    while (o->npath)
        if (!step(o, in, id, flat, &end))
            return false;
    return true;
}

/* Which blocks can be reached from block 0: puts them in the order, in any order. */
static uint32_t reach(struct order *o)
{
    uint32_t n = 0, done = 0;

    o->order[n++] = 0;
    o->open[0] = true;
    while (done < n) {
        const struct cfg_block *block = &o->blocks[o->order[done++]];

        for (uint32_t k = 0; k < block->nsucc; k++) {
            if (!o->open[block->succ[k]])
                o->order[n++] = block->succ[k];
            o->open[block->succ[k]] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        o->open[o->order[i]] = false;
    return n;
}

static bool order_all(struct order *o, uint32_t nblocks, uint32_t *n)
{
    struct region *whole;

    if (!o->region || !o->index || !o->low || !o->open || !o->path || !o->stack || !sort_successors(o, nblocks))
        return false;
    *n = reach(o);
    whole = ptx_vec_push(&o->todo, sizeof(*whole));
    if (!whole)
        return false;
    *whole = (struct region){ 0, CFG_NONE, 0, *n, -1 };
    for (size_t i = 0; i < o->todo.n; i++) {
        struct region in = ((struct region *)o->todo.data)[i];

        if (!order_region(o, &in))
            return false;
    }
    return true;
}

bool cfg_order(struct cfg_block *blocks, uint32_t nblocks, uint32_t *order, uint32_t *n, struct ptx_vec *loops)
{
    struct order o = {
        .blocks = blocks, .order = order, .loops = loops,
        .region = calloc(nblocks, sizeof(*o.region)), .index = calloc(nblocks, sizeof(*o.index)),
        .low = calloc(nblocks, sizeof(*o.low)), .open = calloc(nblocks, sizeof(*o.open)),
        .path = calloc(nblocks, sizeof(*o.path)), .stack = calloc(nblocks, sizeof(*o.stack)),
    };
    bool ok = order_all(&o, nblocks, n);

    free(o.region);
    free(o.index);
    free(o.low);
    free(o.open);
    free(o.path);
    free(o.stack);
    free(o.sorted);
    free(o.sorted_at);
    ptx_vec_free(&o.todo);
    return ok;
}
