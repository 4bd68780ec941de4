/* cfg.c - instructions to blocks, blocks to a graph. */
#include "softcuda/ptx/cfg_build.h"

#include <stdlib.h>
#include <string.h>

struct build {
    const struct ptx_func *f;
    struct cfg *cfg;
    struct arena *arena;        /* the graph's */
    uint32_t *block_of;             /* of every instruction, and of the end: ninsns + 1 */
    struct cfg_block *blocks;       /* as they stand in the text */
    uint32_t nblocks;
    struct ptx_vec loops;
};

bool cfg_is_wait(const struct ptx_insn *in)
{
    return in->op == PTX_I_bar || in->op == PTX_I_barrier || in->op == PTX_I_call || ptx_has(in, PTX_M_sync);
}

static bool is_guarded(const struct ptx_insn *in)
{
    return in->guard.kind != PTX_OP_NONE;
}

static bool is_branch(const struct ptx_insn *in)
{
    return in->op == PTX_I_bra || in->op == PTX_I_brx;
}

static bool is_end(const struct ptx_insn *in)
{
    return in->op == PTX_I_ret || in->op == PTX_I_exit || in->op == PTX_I_trap;
}

static const struct ptx_branch_table *table_of(const struct ptx_func *f, const struct ptx_insn *in)
{
    return &f->tables[in->ops[1].index];
}

/* Marks where blocks begin; the end begins one if something branches there. */
static void mark(const struct ptx_func *f, uint32_t *starts)
{
    starts[0] = 1;
    for (uint32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_insn *in = &f->insns[i];

        if (in->op == PTX_I_bra)
            starts[in->ops[0].index] = 1;
        if (in->op == PTX_I_brx)
            for (uint32_t k = 0; k < table_of(f, in)->n; k++)
                starts[table_of(f, in)->targets[k]] = 1;
        if (cfg_is_wait(in))
            starts[i] = 1;
        if ((is_branch(in) && (is_guarded(in) || i + 1 < f->ninsns)) ||
            (i + 1 < f->ninsns && (is_end(in) || cfg_is_wait(in))))
            starts[i + 1] = 1;
    }
}

static bool make_blocks(struct build *b)
{
    uint32_t n = b->f->ninsns, at = 0;

    b->block_of = ptx_zalloc(b->arena, ((size_t)n + 1) * sizeof(*b->block_of));
    if (!b->block_of)
        return false;
    mark(b->f, b->block_of);
    for (uint32_t i = 0; i <= n; i++)
        b->nblocks += b->block_of[i];
    b->blocks = ptx_zalloc(b->arena, b->nblocks * sizeof(*b->blocks));
    if (!b->blocks)
        return false;
    for (uint32_t i = 0; i <= n; i++) {
        if (b->block_of[i]) {
            b->blocks[at].first = i;
            b->blocks[at].loop = -1;
            at++;
        }
        b->block_of[i] = at - 1;
        b->blocks[at - 1].end = i < n ? i + 1 : n;
    }
    return true;
}

static void add_once(struct cfg_block *block, uint32_t to)
{
    for (uint32_t i = 0; i < block->nsucc; i++)
        if (block->succ[i] == to)
            return;
    block->succ[block->nsucc++] = to;
}

/* Tables may be long and full of the same target: seen[] keeps this linear. */
static void add_table(struct build *b, uint32_t from, const struct ptx_branch_table *t, uint32_t *seen)
{
    struct cfg_block *block = &b->blocks[from];

    for (uint32_t k = 0; k < t->n; k++) {
        uint32_t to = b->block_of[t->targets[k]];

        if (seen[to] != from + 1)
            block->succ[block->nsucc++] = to;
        seen[to] = from + 1;
    }
}

static bool link_block(struct build *b, uint32_t from, uint32_t *seen)
{
    struct cfg_block *block = &b->blocks[from];
    const struct ptx_insn *last = block->end > block->first ? &b->f->insns[block->end - 1] : NULL;
    bool falls = from + 1 < b->nblocks && (!last || is_guarded(last) || (!is_branch(last) && !is_end(last)));
    size_t room = 2 + (last && last->op == PTX_I_brx ? table_of(b->f, last)->n : 0);

    block->succ = ptx_zalloc(b->arena, room * sizeof(*block->succ));
    if (!block->succ)
        return false;
    if (last && last->op == PTX_I_bra)
        block->succ[block->nsucc++] = b->block_of[last->ops[0].index];
    if (last && last->op == PTX_I_brx)
        add_table(b, from, table_of(b->f, last), seen);
    if (falls && last && last->op == PTX_I_brx)
        add_once(block, from + 1);
    else if (falls)
        block->succ[block->nsucc++] = from + 1;
    return true;
}

static bool link_blocks(struct build *b)
{
    uint32_t *seen = calloc(b->nblocks, sizeof(*seen));

    for (uint32_t i = 0; seen && i < b->nblocks; i++) {
        if (!link_block(b, i, seen)) {
            free(seen);
            return false;
        }
    }
    free(seen);
    return seen != NULL;
}

static bool add_preds(struct cfg *cfg, struct arena *arena)
{
    for (uint32_t i = 0; i < cfg->nblocks; i++)
        for (uint32_t k = 0; k < cfg->blocks[i].nsucc; k++)
            cfg->blocks[cfg->blocks[i].succ[k]].npred++;
    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        struct cfg_block *block = &cfg->blocks[i];

        block->pred = ptx_zalloc(arena, (block->npred + 1) * sizeof(*block->pred));
        if (!block->pred)
            return false;
        block->npred = 0;
    }
    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        for (uint32_t k = 0; k < cfg->blocks[i].nsucc; k++) {
            struct cfg_block *to = &cfg->blocks[cfg->blocks[i].succ[k]];

            if (!to->npred || to->pred[to->npred - 1] != i)
                to->pred[to->npred++] = i;
        }
    }
    return true;
}

/* Renumbers the blocks by their order and leaves out the rest. */
static bool lay_out(struct build *b, const uint32_t *order, uint32_t n)
{
    struct cfg *cfg = b->cfg;
    uint32_t *place = b->block_of;      /* no longer needed as such */

    cfg->nblocks = n;
    cfg->blocks = ptx_zalloc(b->arena, n * sizeof(*cfg->blocks));
    cfg->nloops = (uint32_t)b->loops.n;
    cfg->loops = ptx_zalloc(b->arena, (b->loops.n + 1) * sizeof(*cfg->loops));
    if (!cfg->blocks || !cfg->loops)
        return false;
    if (cfg->nloops)
        memcpy(cfg->loops, b->loops.data, cfg->nloops * sizeof(*cfg->loops));
    for (uint32_t i = 0; i < n; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
        cfg->blocks[i] = b->blocks[order[i]];
        for (uint32_t k = 0; k < cfg->blocks[i].nsucc; k++)
            cfg->blocks[i].succ[k] = place[cfg->blocks[i].succ[k]];
    }
    return true;
}

static bool build(struct build *b)
{
    uint32_t *order, n = 0;
    bool ok = make_blocks(b) && link_blocks(b);

    order = ok ? malloc(b->nblocks * sizeof(*order)) : NULL;
    ok = order && cfg_order(b->blocks, b->nblocks, order, &n, &b->loops) && lay_out(b, order, n) &&
         add_preds(b->cfg, b->arena) && cfg_post_dominators(b->cfg);
    free(order);
    ptx_vec_free(&b->loops);
    return ok;
}

struct cfg *cfg_build(const struct ptx_func *f)
{
    struct build b = { .f = f };
    struct arena *arena = calloc(1, sizeof(*arena));

    if (!arena)
        return NULL;
    b.arena = arena;
    b.cfg = ptx_zalloc(arena, sizeof(*b.cfg));
    if (b.cfg)
        b.cfg->arena = arena;
    if (b.cfg && build(&b))
        return b.cfg;
    gpudl__arena_free(arena);
    free(arena);
    return NULL;
}

void cfg_destroy(struct cfg *cfg)
{
    struct arena *arena = cfg ? cfg->arena : NULL;

    if (!arena)
        return;
    gpudl__arena_free(arena);
    free(arena);
}
