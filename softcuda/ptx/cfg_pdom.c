/* cfg_pdom.c - post-dominators: dominators of the graph turned round, by the iteration of Cooper, Harvey and Kennedy.
 *
 * One exit that is no block stands behind all blocks without successors. Loops without an end get an edge to it, so that it
 * can be reached from everywhere. */
#include "softcuda/ptx/cfg_build.h"

#include <stdlib.h>

struct pdom {
    struct cfg *cfg;
    uint32_t exit;              /* number of the exit: nblocks */
    uint32_t *post;             /* postorder number of each block in the turned graph; the exit has the highest */
    uint32_t *order;            /* the blocks by that number */
    uint32_t *ipdom;            /* CFG_NONE: not known yet */
    bool *seen, *leaves;        /* leaves: has an edge to the exit */
    uint32_t *path, *next;
    uint32_t n;
};

/* All blocks from which root can be reached, in postorder. */
static void search(struct pdom *d, uint32_t root)
{
    uint32_t depth = 0;

    d->seen[root] = true;
    d->path[depth++] = root;
    while (depth) {
        uint32_t block = d->path[depth - 1], pred;

        if (d->next[block] == d->cfg->blocks[block].npred) {
            d->post[block] = d->n;
            d->order[d->n++] = block;
            depth--;
            continue;
        }
        pred = d->cfg->blocks[block].pred[d->next[block]++];
        if (!d->seen[pred]) {
            d->seen[pred] = true;
            d->path[depth++] = pred;
        }
    }
}

/* Later blocks first: an endless loop leaves at its last block. */
static void number(struct pdom *d)
{
    for (uint32_t i = d->cfg->nblocks; i-- > 0;) {
        if (!d->cfg->blocks[i].nsucc) {
            d->leaves[i] = true;
            search(d, i);
        }
    }
    for (uint32_t i = d->cfg->nblocks; i-- > 0;) {
        if (!d->seen[i]) {
            d->leaves[i] = true;
            search(d, i);
        }
    }
    d->post[d->exit] = d->n;
    d->ipdom[d->exit] = d->exit;
}

static uint32_t meet(const struct pdom *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (d->post[a] < d->post[b])
            a = d->ipdom[a];
        while (d->post[b] < d->post[a])
            b = d->ipdom[b];
    }
    return a;
}

static uint32_t post_dominator(const struct pdom *d, uint32_t i)
{
    const struct cfg_block *block = &d->cfg->blocks[i];
    uint32_t best = d->leaves[i] ? d->exit : CFG_NONE;

    for (uint32_t k = 0; k < block->nsucc; k++) {
        uint32_t to = block->succ[k];

        if (d->ipdom[to] != CFG_NONE)
            best = best == CFG_NONE ? to : meet(d, best, to);
    }
    return best;
}

static void iterate(struct pdom *d)
{
    bool changed = true;

    for (uint32_t i = 0; i < d->exit; i++)
        d->ipdom[i] = CFG_NONE;
    while (changed) {
        changed = false;
        for (uint32_t k = d->n; k-- > 0;) {
            uint32_t i = d->order[k], found = post_dominator(d, i);

            changed |= found != d->ipdom[i];
            d->ipdom[i] = found;
        }
    }
}

bool cfg_post_dominators(struct cfg *cfg)
{
    size_t n = (size_t)cfg->nblocks + 1;
    struct pdom d = {
        .cfg = cfg, .exit = cfg->nblocks,
        .post = calloc(n, sizeof(*d.post)), .order = calloc(n, sizeof(*d.order)), .ipdom = calloc(n, sizeof(*d.ipdom)),
        .seen = calloc(n, sizeof(*d.seen)), .leaves = calloc(n, sizeof(*d.leaves)),
        .path = calloc(n, sizeof(*d.path)), .next = calloc(n, sizeof(*d.next)),
    };
    bool ok = d.post && d.order && d.ipdom && d.seen && d.leaves && d.path && d.next;

    if (ok) {
        number(&d);
        iterate(&d);
        for (uint32_t i = 0; i < cfg->nblocks; i++)
            cfg->blocks[i].ipdom = d.ipdom[i] == d.exit ? CFG_EXIT : d.ipdom[i];
    }
    free(d.post);
    free(d.order);
    free(d.ipdom);
    free(d.seen);
    free(d.leaves);
    free(d.path);
    free(d.next);
    return ok;
}
