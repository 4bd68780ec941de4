/* gen_warp.c - what lanes tell each other, and barriers with shared memory between them. */
#include <stdio.h>
#include <string.h>

#include "tests/fuzzptx/gen.h"

static void keep(struct gen *g, enum class c, int id)
{
    g_keep(g, c, id, false, 1, 0);
}

/* A shuffle, and zero where its source is not there. */
static void shuffle(struct gen *g)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    unsigned mode = g_pick(g, 4), n = g_pick(g, 32), width = 1u << g_pick(g, 6);
    unsigned clamp = ((32 - width) << 8) | (mode == 0 ? 0 : 31);
    int here = g_new(g, R), from = g_new(g, R), bit = g_new(g, R), got = g_new(g, R), p = g_new(g, P), there = g_new(g, P), d = g_new(g, R);
    char by[32];

    if (g_chance(g, 30))
        snprintf(by, sizeof(by), "%s", g_register(g, R, false).text);
    else
        snprintf(by, sizeof(by), "%u", n);
    g_say(g, "vote.sync.ballot.b32 %%r%d, 1, %s;", here, g->flow.mask);
    g_say(g, "mov.u32 %%r%d, %%laneid; shfl.sync.%s.b32 %%r%d|%%p%d, %%r%d, %s, %u, %s;", from, modes[mode], bit, p, from, by, clamp, g->flow.mask);
    /* Where the source is missing, so is its lane number: reckon it. */
    if (mode == 3)
        g_say(g, "and.b32 %%r%d, %%r%d, %u; and.b32 %%r%d, %s, %u; or.b32 %%r%d, %%r%d, %%r%d;", from, from, 32 - width, bit, by, width - 1, from, from,
              bit);
    else
        g_say(g, "and.b32 %%r%d, %s, 31; %s %%r%d, %%r%d, %%r%d; @!%%p%d mov.u32 %%r%d, %%laneid;", bit, by,
              mode == 0 ? "sub.u32" : mode == 1 ? "add.u32" : "xor.b32", from, from, bit, p, from);
    g_say(g, "shfl.sync.%s.b32 %%r%d, %s, %s, %u, %s;", modes[mode], got, g_register(g, R, false).text, by, clamp,
          g->flow.mask);
    g_say(g, "shr.u32 %%r%d, %%r%d, %%r%d; and.b32 %%r%d, %%r%d, 1; setp.ne.u32 %%p%d, %%r%d, 0; selp.b32 %%r%d, %%r%d, 0, %%p%d;", bit, here, from, bit,
          bit, there, bit, d, got, there);
    keep(g, R, d);
    keep(g, P, p);
}

static void vote(struct gen *g)
{
    static const char *const modes[] = { "all", "any", "uni" };
    int id;

    if (g_chance(g, 50)) {
        id = g_new(g, R);
        g_say(g, "vote.sync.ballot.b32 %%r%d, %s%s, %s;", id, g_chance(g, 30) ? "!" : "", g_register(g, P, false).text, g->flow.mask);
        keep(g, R, id);
    } else {
        id = g_new(g, P);
        g_say(g, "vote.sync.%s.pred %%p%d, %s, %s;", modes[g_pick(g, 3)], id, g_register(g, P, false).text, g->flow.mask);
        keep(g, P, id);
    }
}

static void agree(struct gen *g)
{
    static const char *const ops[] = { "add.s32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32", "add.u32" };
    int id = g_new(g, R), p = g_new(g, P);

    if (g_chance(g, 60)) {
        g_say(g, "redux.sync.%s %%r%d, %s, %s;", ops[g_pick(g, 9)], id, g_register(g, R, false).text, g->flow.mask);
    } else if (g_chance(g, 50)) {
        g_say(g, "match.any.sync.b32 %%r%d, %s, %s;", id, g_register(g, R, false).text, g->flow.mask);
    } else {
        g_say(g, "match.all.sync.b64 %%r%d|%%p%d, %s, %s;", id, p, g_register(g, D, false).text, g->flow.mask);
        keep(g, P, p);
    }
    keep(g, R, id);
}

/* Those for whom a predicate holds, among themselves, under a guard or behind a branch. */
static void some(struct gen *g)
{
    struct src p = g_register(g, P, false), x = g_register(g, R, false);
    int id = g_new(g, R), lane = g_new(g, R), d = g_var(g, R), label = g_label(g);
    bool branch = g_chance(g, 50);
    char when[40] = "";

    g_say(g, "vote.sync.ballot.b32 %%r%d, %s, %s;", id, p.text, g->flow.mask);
    if (branch)
        g_say(g, "@!%s bra L%d;", p.text, label);
    else
        snprintf(when, sizeof(when), "@%s ", p.text);
    switch (g_pick(g, 4)) {
    case 0: g_say(g, "%sredux.sync.add.s32 %%r%d, %s, %%r%d;", when, d, x.text, id); break;
    case 1: g_say(g, "%smatch.any.sync.b32 %%r%d, %s, %%r%d;", when, d, x.text, id); break;
    case 2: g_say(g, "mov.u32 %%r%d, %%laneid; %sshfl.sync.idx.b32 %%r%d, %s, %%r%d, 31, %%r%d;", lane, when, d, x.text, lane, id); break;
    default: g_say(g, "%svote.sync.ballot.b32 %%r%d, %s, %%r%d;", when, d, g_register(g, P, false).text, id); break;
    }
    if (branch)
        g_say(g, "L%d:", label);
}

void g_lanes(struct gen *g)
{
    unsigned kind = g_pick(g, 100);

    if (!*g->flow.mask)
        g_compute(g);
    else if (kind < 35)
        shuffle(g);
    else if (kind < 60)
        vote(g);
    else if (kind < 80)
        agree(g);
    else if (kind < 92)
        some(g);
    else
        g_say(g, "bar.warp.sync %s;", g->flow.mask);
}

/* ---- the block */

static void barrier_red(struct gen *g)
{
    int id = g_new(g, g_chance(g, 50) ? R : P);

    if (g_chance(g, 50)) {
        id = g_new(g, R);
        g_say(g, "bar.red.popc.u32 %%r%d, 0, %s;", id, g_register(g, P, false).text);
        g_keep(g, R, id, true, 0, 1024);
    } else {
        id = g_new(g, P);
        g_say(g, "bar.red.%s.pred %%p%d, 0, %s%s;", g_chance(g, 50) ? "and" : "or", id, g_chance(g, 30) ? "!" : "", g_register(g, P, false).text);
        g_keep(g, P, id, true, 1, 0);
    }
}

static void sync_block(struct gen *g)
{
    int p;

    switch (g_pick(g, 8)) {
    case 0: g_say(g, "barrier.sync %u;", g_pick(g, 3)); break;
    case 1:     /* both arms of a branch wait */
        p = g_label(g);
        g_say(g, "@%s bra L%d; barrier.sync 0; bra L%d;\nL%d: barrier.sync 0;\nL%d:", g_register(g, P, false).text, p, p + 1, p, p + 1);
        g_label(g);
        break;
    case 2: barrier_red(g); break;
    default: g_say(g, "bar.sync 0;"); break;
    }
}

/* All write their own words of shared memory, wait, read anybody's, wait. */
static void exchange(struct gen *g)
{
    uint32_t n = g->p->block[0] * g->p->block[1] * g->p->block[2];
    int base = g_new(g, R), at = g_new(g, R), other = g_new(g, R), got = g_new(g, R), wide = g_new(g, D);
    bool dynamic = g->p->dynamic_shared && g_chance(g, 40), vector = g_chance(g, 30), generic = g_chance(g, 25);
    struct src x = g_register(g, R, false);

    g_say(g, "mov.u32 %%r%d, %s; mad.lo.s32 %%r%d, %%r1, %u, %%r%d;", base, dynamic ? "extra" : "board", at, vector ? 16 : 4, base);
    if (vector)
        g_say(g, "st.shared.v4.u32 [%%r%d], {%s, %s, %s, %%r1};", at, x.text, g_source(g, R, false).text, g_source(g, R, false).text);
    else
        g_say(g, "st.shared.u32 [%%r%d], %s;", at, x.text);
    sync_block(g);
    if (g_chance(g, 60))
        g_say(g, "add.u32 %%r%d, %%r1, %u; rem.u32 %%r%d, %%r%d, %u;", other, g_pick(g, n), other, other, n);
    else if (g_chance(g, 50))
        g_say(g, "sub.u32 %%r%d, %u, %%r1;", other, n - 1);
    else if (g_chance(g, 50))
        g_say(g, "mov.u32 %%r%d, %u;", other, g_pick(g, n));
    else
        g_say(g, "rem.u32 %%r%d, %s, %u;", other, g_register(g, R, false).text, n);
    if (generic) {
        g_say(g, "mov.u64 %%d%d, %s; cvta.shared.u64 %%d%d, %%d%d; mad.wide.u32 %%d%d, %%r%d, %u, %%d%d; ld.u32 %%r%d, [%%d%d];", wide,
              dynamic ? "extra" : "board", wide, wide, wide, other, vector ? 16 : 4, wide, got, wide);
    } else {
        g_say(g, "mad.lo.s32 %%r%d, %%r%d, %u, %%r%d; ld.shared.u32 %%r%d, [%%r%d+%u];", other, other, vector ? 16 : 4, base, got, other,
              vector ? 4 * g_pick(g, 4) : 0);
    }
    sync_block(g);
    keep(g, R, got);
}

/* A total in shared memory. */
static void total(struct gen *g)
{
    int p = g_new(g, P), got = g_new(g, R);
    struct src slot = { .text = "0" };

    g_say(g, "setp.eq.u32 %%p%d, %%r1, 0; @%%p%d st.shared.v4.u32 [board+16], {%%r6, %%r6, %%r5, %%r5};", p, p);
    sync_block(g);
    if (g_chance(g, 50)) {
        int at = g_new(g, R), k = g_new(g, R);
        slot = g_register(g, R, false);
        g_say(g, "and.b32 %%r%d, %s, 3; mov.u32 %%r%d, board; mad.lo.u32 %%r%d, %%r%d, 4, %%r%d; red.shared.add.u32 [%%r%d+16], %s;", k, slot.text, at, at,
              k, at, at, g_source(g, R, false).text);
    } else {
        g_say(g, "red.shared.add.u32 [board+16], %s;", g_source(g, R, false).text);
    }
    sync_block(g);
    g_say(g, "ld.shared.u32 %%r%d, [board+16];", got);
    sync_block(g);
    g_keep(g, R, got, true, 1, 0);
}

/* The first warps of the block among themselves. */
static void some_warps(struct gen *g)
{
    uint32_t warps = g->p->block[0] * g->p->block[1] * g->p->block[2] / 32, n;
    int p = g_new(g, P), got = g_new(g, R), label = g_label(g), v = g_var(g, R);

    if (!warps || !g->plain)
        return;
    n = 32 * (1 + g_pick(g, warps));
    g_say(g, "setp.ge.u32 %%p%d, %%r1, %u;", p, n);
    g_say(g, "@%%p%d bra L%d;", p, label);
    if (g_chance(g, 50))
        g_say(g, "bar.sync 3, %u;", n);
    else
        g_say(g, "bar.red.popc.u32 %%r%d, 4, %u, %s; add.u32 %%r%d, %%r%d, 1;", got, n, g_register(g, P, false).text, v, got);
    g_say(g, "L%d:", label);
}

void g_barrier(struct gen *g)
{
    unsigned kind = g_pick(g, 100);

    if (!g->flow.uniform || !g->has_shared)
        g_lanes(g);
    else if (kind < 65)
        exchange(g);
    else if (kind < 78)
        barrier_red(g);
    else if (kind < 88)
        some_warps(g);
    else
        total(g);
}
