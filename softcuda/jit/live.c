/* live.c - which registers lanes still want where, and what follows for registers written where lanes are apart.
 *
 * In a guarded block a register may have to keep the old value of lanes that are not there: they have left a loop, wait elsewhere in the
 * run, or took the other arm. On the other hand a register stays a scalar in a guarded loop if all lanes that go round write it together:
 * the index of a loop that lanes leave one by one is uniform, or affine, among those that stay. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/plan.h"

/* ---- liveness of registers that cross blocks */

struct live { struct plan *p; uint32_t block; uint32_t *home; uint64_t *use, *def; };

static void home_visit(void *context, uint32_t reg)
{
    struct live *l = context;
    if (l->home[reg] == UINT32_MAX)
        l->home[reg] = l->block;
    else if (l->home[reg] != l->block)
        l->p->dense[reg] = 0;
}

static bool test(const uint64_t *row, uint32_t i)
{
    return row[i / 64] >> (i % 64) & 1;
}

static void set(uint64_t *row, uint32_t i)
{
    row[i / 64] |= (uint64_t)1 << (i % 64);
}

static void live_use(void *context, uint32_t reg)
{
    struct live *l = context;
    uint32_t d = l->p->dense[reg];
    if (d == UINT32_MAX)
        return;
    if (!test(l->def, d))
        set(l->use, d);
}

static void live_def(void *context, uint32_t reg)
{
    struct live *l = context;
    uint32_t d = l->p->dense[reg];
    if (d != UINT32_MAX)
        set(l->def, d);
}

/* A use before the definition in its own block comes from the block's last visit: that register crosses blocks, too. */
struct order { struct plan *p; uint32_t stamp; uint32_t *defined; };

static void order_use(void *context, uint32_t reg)
{
    struct order *o = context;
    if (o->defined[reg] != o->stamp)
        o->p->dense[reg] = 0;
}

static void order_def(void *context, uint32_t reg)
{
    struct order *o = context;
    o->defined[reg] = o->stamp;
    o->p->def_block[reg] = o->stamp - 1;
}

static bool number_crossing(struct plan *p)
{
    uint32_t n = p->func->nregs;
    struct live l = { .p = p, .home = malloc((n + 1) * sizeof(uint32_t)) };
    struct order o = { .p = p, .defined = calloc(n + 1, sizeof(uint32_t)) };
    bool ok = l.home && o.defined;

    for (uint32_t r = 0; ok && r < n; r++)
        l.home[r] = p->dense[r] = UINT32_MAX;
    for (uint32_t b = 0; ok && b < p->cfg->nblocks; b++) {
        l.block = b;
        o.stamp = b + 1;
        for (uint32_t i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++) {
            const struct ptx_insn *in = &p->func->insns[i];
            insn_uses(in, order_use, &o);
            if (in->guard.kind != PTX_OP_NONE)  /* keeps the old value where the guard is false */
                insn_defs(in, order_use, &o);
            insn_defs(in, order_def, &o);
            insn_uses(in, home_visit, &l);
            insn_defs(in, home_visit, &l);
        }
    }
    for (uint32_t r = 0; ok && r < n; r++)
        if (p->dense[r] == 0)
            p->dense[r] = p->ndense++;
    free(l.home);
    free(o.defined);
    return ok;
}

bool plan_find_liveness(struct plan *p)
{
    uint32_t n = p->cfg->nblocks;
    size_t words;
    uint64_t *use, *def;
    bool again = true;

    if (!number_crossing(p))
        return false;
    words = (p->ndense + 63) / 64;
    p->live_in = gpudl__arena_alloc(&p->arena, n * words * sizeof(uint64_t) + 1);
    if (p->live_in)
        memset(p->live_in, 0, n * words * sizeof(uint64_t));
    use = calloc(n * words + 1, sizeof(uint64_t));
    def = calloc(n * words + 1, sizeof(uint64_t));
    if (!p->live_in || !use || !def)
        again = false;
    for (uint32_t b = 0; again && b < n; b++) {
        struct live l = { .p = p, .use = use + b * words, .def = def + b * words };
        for (uint32_t i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++) {
            const struct ptx_insn *in = &p->func->insns[i];
            insn_uses(in, live_use, &l);
            insn_defs(in, in->guard.kind != PTX_OP_NONE ? live_use : live_def, &l);
        }
    }
    while (again) {
        again = false;
        for (uint32_t b = n; b-- > 0;)
            for (size_t w = 0; w < words; w++) {
                uint64_t out = 0, in;
                for (uint32_t i = 0; i < p->cfg->blocks[b].nsucc; i++)
                    out |= p->live_in[p->cfg->blocks[b].succ[i] * words + w];
                in = use[b * words + w] | (out & ~def[b * words + w]);
                again |= in != p->live_in[b * words + w];
                p->live_in[b * words + w] = in;
            }
    }
    free(use);
    free(def);
    return p->live_in != NULL;
}

static bool leaves_at_exits(const struct plan *p, const struct cfg_loop *loop, uint32_t d)
{
    size_t words = (p->ndense + 63) / 64;

    for (uint32_t b = loop->first; b < loop->end; b++)
        for (uint32_t i = 0; i < p->cfg->blocks[b].nsucc; i++) {
            uint32_t s = p->cfg->blocks[b].succ[i];
            if ((s < loop->first || s >= loop->end) && test(p->live_in + s * words, d))
                return true;
        }
    return false;
}

static bool leaves_loop_alive(const struct plan *p, const struct cfg_loop *loop, uint32_t d)
{
    return test(p->live_in + loop->first * ((p->ndense + 63) / 64), d) || leaves_at_exits(p, loop, d);
}

/* Does somebody in this run, perhaps one who waits while others are elsewhere, still want the register? */
static bool wanted_in_run(const struct plan *p, const struct plan_run *run, uint32_t d)
{
    size_t words = (p->ndense + 63) / 64;

    for (uint32_t b = run->first; b <= run->end && b < p->cfg->nblocks; b++)
        if (test(p->live_in + b * words, d))
            return true;
    return false;
}

/* The only way back is from the loop's last block: nobody is left behind inside while others go round again. */
static bool goes_round_together(const struct plan *p, const struct cfg_loop *loop)
{
    for (uint32_t b = loop->first; b + 1 < loop->end; b++)
        for (uint32_t i = 0; i < p->cfg->blocks[b].nsucc; i++)
            if (p->cfg->blocks[b].succ[i] <= b && p->cfg->blocks[b].succ[i] <= loop->first)
                return false;
    return true;
}

bool plan_written_first(const struct plan *p, uint32_t reg)
{
    uint32_t d = p->dense[reg];

    if (d == UINT32_MAX)
        return p->ndefs[reg] > 0;
    return p->ndefs[reg] == 1 && !p->guarded[p->def_block[reg]] && !test(p->live_in, d);
}

bool plan_blends(const struct plan *p, uint32_t reg, uint32_t block)
{
    uint32_t d = p->dense[reg];
    int32_t loop = p->cfg->blocks[block].loop;
    const struct plan_run *run;

    if (!p->guarded[block] || d == UINT32_MAX)
        return false;
    run = &p->runs[p->run_of[block]];
    if (run->parks || p->ndefs[reg] > 1)
        return wanted_in_run(p, run, d) && (run->parks || !plan_keeps_together(p, reg, block));
    if (loop < 0)
        return false;
    if (!goes_round_together(p, &p->cfg->loops[loop]))
        return wanted_in_run(p, run, d);
    return leaves_loop_alive(p, &p->cfg->loops[loop], d);
}

/* ---- lanes that go round a loop together */

/* Can control get from block `first` to block `to` inside [first, end) without passing `without` or coming to `first` again? An irreducible
 * part may be passed against the layout. */
static bool slips_past(const struct plan *p, uint32_t first, uint32_t end, uint32_t to, uint32_t without)
{
    bool *reached = calloc(end - first, sizeof(*reached)), again = first != without, slips;

    if (!reached)
        return true;
    reached[0] = again;
    while (again) {
        again = false;
        for (uint32_t b = first; b < end; b++)
            for (uint32_t i = 0; reached[b - first] && b != to && i < p->cfg->blocks[b].nsucc; i++) {
                uint32_t s = p->cfg->blocks[b].succ[i];
                if (s <= first || s >= end || s == without || reached[s - first])
                    continue;
                reached[s - first] = true;
                again |= s < b;
            }
    }
    slips = reached[to - first];
    free(reached);
    return slips;
}

static bool loop_parks(const struct plan *p, const struct cfg_loop *loop)
{
    for (uint32_t b = loop->first; b < loop->end; b++) {
        const struct ptx_insn *in = &p->func->insns[p->cfg->blocks[b].first];
        if (cfg_is_wait(in) && in->op != PTX_I_call)
            return true;
    }
    return false;
}

static bool entered_at_top(const struct plan *p, const struct cfg_loop *loop)
{
    for (uint32_t b = loop->first + 1; b < loop->end; b++)
        for (uint32_t i = 0; i < p->cfg->blocks[b].npred; i++) {
            uint32_t from = p->cfg->blocks[b].pred[i];
            if (from < loop->first || from >= loop->end)
                return false;
        }
    return true;
}

/* The one definition outside of the loop reaches it from every side, with all lanes that come. */
static bool begins_together(const struct plan *p, const struct cfg_loop *loop, uint32_t block)
{
    const struct cfg_loop *around = loop->parent >= 0 ? &p->cfg->loops[loop->parent] : NULL;
    uint32_t first = around ? around->first : 0, end = around ? around->end : p->cfg->nblocks;

    return block < loop->first && p->cfg->blocks[block].loop == loop->parent && !slips_past(p, first, end, loop->first, block);
}

static void count_reg(void *context, uint32_t reg)
{
    struct { uint32_t reg, n; } *c = context;
    c->n += reg == c->reg;
}

static uint32_t defs_in_block(const struct plan *p, uint32_t block, uint32_t reg)
{
    struct { uint32_t reg, n; } c = { reg, 0 };

    for (uint32_t i = p->cfg->blocks[block].first; i < p->cfg->blocks[block].end; i++)
        insn_defs(&p->func->insns[i], count_reg, &c);
    return c.n;
}

/* Every definition inside is passed by all lanes that go round; one outside begins it. */
static bool defined_together(const struct plan *p, const struct cfg_loop *loop, uint32_t reg)
{
    uint32_t outside = 0;

    for (uint32_t b = 0; b < p->cfg->nblocks; b++) {
        uint32_t n = defs_in_block(p, b, reg);
        if (!n)
            continue;
        if (b < loop->first || b >= loop->end) {
            outside += n;
            if (outside > 1 || !begins_together(p, loop, b))
                return false;
        } else if (&p->cfg->loops[p->cfg->blocks[b].loop] != loop || slips_past(p, loop->first, loop->end, loop->end - 1, b)) {
            return false;
        }
    }
    return true;
}

/* Lanes that are not in the loop while it runs wait behind it, up to where the run ends: does one of them want the register? */
static bool wanted_behind(const struct plan *p, const struct cfg_loop *loop, uint32_t d)
{
    size_t words = (p->ndense + 63) / 64;

    for (uint32_t b = loop->end; b < p->cfg->nblocks; b++) {
        if (test(p->live_in + b * words, d))
            return true;
        if (!p->guarded[b])
            break;
    }
    return false;
}

/* Lanes that stay behind in front of the loop: does one of them want the register? */
static bool wanted_before(const struct plan *p, const struct cfg_loop *loop, uint32_t d)
{
    size_t words = (p->ndense + 63) / 64;

    for (uint32_t b = loop->first; b-- > 0 && p->guarded[b];)
        if (plan_block_parks(p, b) && test(p->live_in + b * words, d))
            return true;
    return false;
}

bool plan_keeps_together(const struct plan *p, uint32_t reg, uint32_t block)
{
    int32_t l = p->cfg->blocks[block].loop;
    const struct cfg_loop *loop = l >= 0 ? &p->cfg->loops[l] : NULL;
    uint32_t d = p->dense[reg];

    if (p->ndefs[reg] == 1)
        return !loop || d == UINT32_MAX || !leaves_loop_alive(p, loop, d);
    if (d == UINT32_MAX)    /* begins and ends in this block, each time */
        return true;
    if (!loop || p->spins[l] || !entered_at_top(p, loop) || !goes_round_together(p, loop) || loop_parks(p, loop))
        return false;
    return !leaves_at_exits(p, loop, d) && !wanted_behind(p, loop, d) && !wanted_before(p, loop, d) && defined_together(p, loop, reg);
}
