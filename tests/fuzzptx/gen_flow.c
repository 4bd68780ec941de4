/* gen_flow.c - branches, loops, tangles of branches that are no structure at all, early ends, calls. */
#include <stdio.h>
#include <string.h>

#include "tests/fuzzptx/gen.h"

/* The last predicate of the pool, made for a branch that all threads take together or not. */
static struct val condition(struct gen *g, bool uniform)
{
    if (g_chance(g, 70) || !g->pool[P].n)
        g_predicate(g, uniform);
    else {
        struct src s = g_register(g, P, uniform);
        struct val v = { .uniform = s.uniform };
        sscanf(s.text, "%%p%d", &v.id);
        return v;
    }
    return g->pool[P].v[g->pool[P].n - 1];
}

/* Lanes that go one way, as a mask of their own; before the branch. */
static void split_mask(struct gen *g, const char *no, int p, char mask[16])
{
    int id = g_new(g, R);

    g_say(g, "vote.sync.ballot.b32 %%r%d, %s%%p%d, %s;", id, no, p, g->flow.mask);
    snprintf(mask, 16, "%%r%d", id);
}

void g_if(struct gen *g)
{
    struct flow before = g->flow, inside = before, otherwise;
    struct val p = condition(g, g->flow.uniform && g_chance(g, 40));
    bool both = g_chance(g, 50), no = g_chance(g, 50);
    int other = g_label(g), end = g_label(g), n = 1 + (int)g_pick(g, 5);

    inside.depth++;
    inside.uniform &= p.uniform;
    otherwise = inside;
    if (!inside.uniform && *before.mask) {
        inside.mask[0] = otherwise.mask[0] = 0;
        if (g_chance(g, 40)) {
            split_mask(g, no ? "" : "!", p.id, inside.mask);
            split_mask(g, no ? "!" : "", p.id, otherwise.mask);
        }
    }
    g_say(g, "@%s%%p%d bra L%d;", no ? "!" : "", p.id, both ? other : end);
    g->flow = inside;
    g_block(g, n);
    if (both) {
        if (g_chance(g, 90))
            g_say(g, "bra%s L%d;", inside.uniform && g_chance(g, 30) ? ".uni" : "", end);
        g_say(g, "L%d:", other);
        g->flow = otherwise;
        g_block(g, n);
    }
    g_say(g, "L%d:", end);
    g->flow = before;
}

/* ---- loops */

struct counter { int id; struct src start, limit; unsigned step; bool ragged, tested_first, masked; };

static struct src small_limit(struct gen *g, bool uniform, int most)
{
    struct src s;
    unsigned bits = most > 7 ? 7 : 3;
    int id;

    if (!uniform && g_chance(g, 60)) {      /* each lane its own */
        s = g_register(g, R, false);
        id = g_new(g, R);
        g_say(g, "and.b32 %%r%d, %s, %u;", id, s.text, bits);
        snprintf(s.text, sizeof(s.text), "%%r%d", id);
        s.low = 0, s.high = bits;
        return s;
    }
    for (int tries = 0; tries < 12; tries++) {
        s = g_register(g, R, uniform);
        if (s.low <= s.high && s.high <= most && s.high > 0)
            return s;
    }
    s = (struct src){ .uniform = true };
    s.low = s.high = 1 + g_pick(g, (unsigned)most);
    snprintf(s.text, sizeof(s.text), "%lld", (long long)s.low);
    return s;
}

static struct src start_of(struct gen *g, bool uniform, struct src limit, int most)
{
    struct src s;

    for (int tries = 0; tries < 6 && g_chance(g, 60); tries++) {
        s = g_register(g, R, uniform);
        if (s.low <= s.high && limit.high - s.low <= most && s.high < 1000)
            return s;
    }
    return (struct src){ .text = "0", .uniform = true };
}

/* for (i = thread; i < n; i += threads) */
static bool from_far(struct gen *g, struct counter *c, int most)
{
    c->start = g_register(g, R, false);
    if (c->start.low > c->start.high || c->start.low < 0 || c->start.high > 4000)
        return false;
    c->limit = (struct src){ .uniform = true };
    c->limit.low = c->limit.high = c->start.low + 1 + g_pick(g, 2 * (unsigned)(c->start.high - c->start.low) + 20);
    snprintf(c->limit.text, sizeof(c->limit.text), "%lld", (long long)c->limit.high);
    c->step = (unsigned)((c->limit.high - c->start.low) / most + 1);
    return true;
}

static struct counter count(struct gen *g)
{
    int most = g->flow.loops == 0 ? 12 : g->flow.loops == 1 ? 5 : 3;
    struct counter c = { .id = g_new(g, R), .step = 1 + g_pick(g, 3), .ragged = !g->flow.uniform || g_chance(g, 55), .tested_first = g_chance(g, 50) };

    c.masked = c.ragged && c.tested_first && *g->flow.mask && g_chance(g, 40);
    if (c.ragged && g_chance(g, 25) && from_far(g, &c, most))
        return c;
    c.limit = small_limit(g, !c.ragged, most);
    c.start = start_of(g, !c.ragged, c.limit, most);
    return c;
}

/* The lanes that stay, found by those that were here: the loop's mask follows them round. */
static void test_with_mask(struct gen *g, struct counter c, int mask, int to)
{
    int p = g_new(g, P);

    g_say(g, "setp.lt.s32 %%p%d, %%r%d, %s; vote.sync.ballot.b32 %%r%d, %%p%d, %%r%d; @!%%p%d bra L%d;", p, c.id, c.limit.text, mask, p, mask, p, to);
}

static void test_counter(struct gen *g, struct counter c, bool stay, int to)
{
    int p = g_new(g, P);

    g_say(g, "setp.%s.s32 %%p%d, %%r%d, %s;", stay ? "lt" : "ge", p, c.id, c.limit.text);
    g_say(g, "@%%p%d bra L%d;", p, to);
}

/* What was made in a loop that every thread goes through once at least is there behind it, too: some of it is seen. */
static void leave_scope(struct gen *g, const int saved[CLASSES], int seen, bool uniform)
{
    for (int c = 0; c < CLASSES; c++) {
        struct pool *pool = &g->pool[c];
        int n = pool->n < saved[c] + seen ? pool->n : saved[c] + seen;
        for (int i = saved[c]; i < n; i++)
            pool->v[i].uniform &= uniform;
        pool->n = n;
    }
}

/* Something that is another thing in each round. */
static void round_value(struct gen *g, struct counter c)
{
    struct src x = g_source(g, R, false);
    int id = g_new(g, R);

    if (g_chance(g, 80))
        g_say(g, "mad.lo.s32 %%r%d, %%r%d, %u, %s;", id, c.id, 1 + g_pick(g, 9), x.text);
    else
        g_say(g, "xor.b32 %%r%d, %%r%d, %s;", id, c.id, x.text);
    g_keep(g, R, id, !c.ragged && x.uniform, 1, 0);
    if (g_chance(g, 50)) {
        int v = g_var(g, R);
        g_say(g, "add.s32 %%r%d, %%r%d, %%r%d;", v, v, id);
    }
}

void g_loop(struct gen *g)
{
    struct flow before = g->flow;
    int head = g_label(g), next = g_label(g), end = g_label(g), mask = 0, saved[CLASSES], vars[CLASSES];
    struct counter c = count(g);
    int64_t high = c.limit.high - 1;

    for (int i = 0; i < CLASSES; i++)
        saved[i] = g->pool[i].n;
    memcpy(vars, g->nvars, sizeof(vars));
    if (g_chance(g, 40))
        g_new_vars(g);
    g_say(g, "mov.u32 %%r%d, %s;", c.id, c.start.text);
    if (!c.tested_first && c.start.high > high)
        high = c.start.high;
    if (c.tested_first && c.start.low >= c.limit.high)
        high = c.start.low;
    g->flow.depth++, g->flow.loops++;
    g->flow.leave = g->flow.next = -1;
    g->flow.uniform = !c.ragged;
    if (c.masked) {
        mask = g_new(g, R);
        g_say(g, "mov.u32 %%r%d, %s;", mask, before.mask);
        snprintf(g->flow.mask, sizeof(g->flow.mask), "%%r%d", mask);
    } else if (c.ragged) {
        g->flow.leave = end, g->flow.next = next;
        g->flow.mask[0] = 0;
    }
    g_say(g, "L%d:", head);
    if (c.masked)
        test_with_mask(g, c, mask, end);
    else if (c.tested_first)
        test_counter(g, c, false, end);
    g_keep(g, R, c.id, !c.ragged, c.start.low, high);
    if (g_chance(g, 70))
        round_value(g, c);
    if (g_chance(g, 40))
        g_new_vars(g);
    g_statements(g, 1 + (int)g_pick(g, 6));
    if (g_chance(g, 30))
        round_value(g, c);
    g_say(g, "L%d:", next);
    g_say(g, "add.s32 %%r%d, %%r%d, %u;", c.id, c.id, c.step);
    if (c.tested_first)
        g_say(g, "bra%s L%d;", g_chance(g, 20) && !c.ragged ? ".uni" : "", head);
    else
        test_counter(g, c, true, head);
    g_say(g, "L%d:", end);
    memcpy(g->nvars, vars, sizeof(vars));
    for (int i = 0; i < g->pool[R].n; i++)      /* behind the loop it has gone further */
        if (g->pool[R].v[i].id == c.id)
            g->pool[R].v[i].low = 1, g->pool[R].v[i].high = 0;
    leave_scope(g, saved, !c.tested_first && g_chance(g, 70) ? 8 : 0, !c.ragged);
    g->flow = before;
    g_keep(g, R, c.id, !c.ragged, 1, 0);
    for (int i = saved[R]; i < g->pool[R].n; i++) {
        struct src s;
        snprintf(s.text, sizeof(s.text), "%%r%d", g->pool[R].v[i].id);
        if (g_chance(g, 50))
            g_look(g, s);
    }
}

/* ---- a branch by number */

void g_switch(struct gen *g)
{
    struct flow before = g->flow;
    struct src x = g_register(g, R, g->flow.uniform && g_chance(g, 40));
    int id = g_new(g, R), ways = 2 + (int)g_pick(g, 4), labels[6], end = g_label(g), table = g_label(g), n = 0;
    char list[120];

    g_say(g, "and.b32 %%r%d, %s, 7; min.u32 %%r%d, %%r%d, %d;", id, x.text, id, id, ways - 1);
    for (int i = 0; i < ways; i++) {
        labels[i] = i && g_chance(g, 20) ? labels[i - 1] : g_label(g);
        n += snprintf(list + n, sizeof(list) - (size_t)n, "%sL%d", i ? ", " : "", labels[i]);
    }
    g_say(g, "T%d: .branchtargets %s;\nbrx.idx%s %%r%d, T%d;", table, list, "", id, table);
    g->flow.uniform &= x.uniform;
    if (!g->flow.uniform)
        g->flow.mask[0] = 0;
    g->flow.depth++;
    for (int i = 0; i < ways; i++) {
        if (i && labels[i] == labels[i - 1])
            continue;
        g_say(g, "L%d:", labels[i]);
        g_block(g, 1 + (int)g_pick(g, 2));
        if (!g_chance(g, 25))
            g_say(g, "bra L%d;", end);
    }
    g_say(g, "L%d:", end);
    g->flow = before;
}

/* ---- blocks that branch to each other anyhow, with fuel so that it ends */

static void anywhere(struct gen *g, const int *labels, int n, int from)
{
    int to = g_chance(g, 65) ? from + 1 + (int)g_pick(g, 3) : (int)g_pick(g, (unsigned)n);

    if (g_chance(g, 80))
        g_say(g, "@%s%s bra L%d;", g_chance(g, 50) ? "!" : "", g_register(g, P, false).text, labels[to < n ? to : n]);
    else
        g_say(g, "bra L%d;", labels[to < n ? to : n]);
}

void g_tangle(struct gen *g)
{
    struct flow before = g->flow;
    int labels[13], n = 3 + (int)g_pick(g, 9), fuel = g_new(g, R), saved[CLASSES], inner[CLASSES], vars[CLASSES];

    for (int i = 0; i < CLASSES; i++)
        saved[i] = g->pool[i].n;
    memcpy(vars, g->nvars, sizeof(vars));
    if (g_chance(g, 60))
        g_new_vars(g);
    for (int i = 0; i < CLASSES; i++)
        inner[i] = g->pool[i].n;
    for (int i = 0; i <= n; i++)
        labels[i] = g_label(g);
    g_say(g, "mov.u32 %%r%d, %u;", fuel, 4 + g_pick(g, 24));
    g->flow = (struct flow){ .in_function = before.in_function, .leave = -1, .next = -1, .depth = before.depth + 2, .loops = before.loops + 2 };
    if (g_chance(g, 40))
        anywhere(g, labels, n, -1);
    for (int i = 0; i < n; i++) {
        int p = g_new(g, P);
        g_say(g, "L%d:", labels[i]);
        if (g_chance(g, 85) || i == n - 1)
            g_say(g, "sub.s32 %%r%d, %%r%d, 1; setp.le.s32 %%p%d, %%r%d, 0; @%%p%d bra L%d;", fuel, fuel, p, fuel, p, labels[n]);
        g_statements(g, (int)g_pick(g, 4));
        if (!g_chance(g, 4))    /* seldom: values of one block are seen in others, where they may be undefined */
            for (int c = 0; c < CLASSES; c++)
                g->pool[c].n = inner[c];
        anywhere(g, labels, n, i);
        if (g_chance(g, 30))
            anywhere(g, labels, n, i);
    }
    g_say(g, "L%d:", labels[n]);
    memcpy(g->nvars, vars, sizeof(vars));
    for (int c = 0; c < CLASSES; c++)
        g->pool[c].n = saved[c];
    g->flow = before;
}

/* ---- a lock that threads of one warp take from each other */

void g_lock(struct gen *g)
{
    int again = g_label(g), got = g_label(g), old = g_new(g, R), sum = g_new(g, R), fresh = g_new(g, R), p = g_new(g, P);
    int v = g_var(g, R);
    bool waits = g_chance(g, 50);   /* spins until it has it; else takes it inside the loop, when it can */
    struct flow before = g->flow;
    char critical[300];

    snprintf(critical, sizeof(critical), "ld.volatile.global.u32 %%r%d, [%%d3+%d]; add.u32 %%r%d, %%r%d, %s; st.volatile.global.u32 [%%d3+%d], %%r%d;", sum,
             4 * SUMS + 4, sum, sum, g_source(g, R, false).text, 4 * SUMS + 4, sum);
    g->flow = (struct flow){ .leave = -1, .next = -1, .depth = before.depth + 2, .loops = before.loops + 2 };
    g->p->group = (unsigned)again + 1;
    g_say(g, "L%d:", again);
    if (g_chance(g, 50))    /* the same in each round */
        g_say(g, "xor.b32 %%r%d, %s, %s;", fresh, g_register(g, R, false).text, g_source(g, R, false).text);
    g_say(g, "atom.cas.global.b32 %%r%d, [%%d3+%d], 0, 1; setp.ne.u32 %%p%d, %%r%d, 0; @%%p%d bra L%d;", old, 4 * SUMS, p, old, p, waits ? again : got);
    g_say(g, "membar.gl; %s membar.gl; atom.exch.global.b32 %%r%d, [%%d3+%d], 0;", critical, old, 4 * SUMS);
    if (g_chance(g, 50))
        g_say(g, "add.s32 %%r%d, %%r%d, 1;", v, v);
    if (!waits)
        g_say(g, "L%d: @%%p%d bra L%d;", got, p, again);
    g->p->group = 0;
    g->flow = before;
}

/* ---- ends: of a round, of a loop, of threads */

void g_leave(struct gen *g)
{
    const char *no = g_chance(g, 50) ? "!" : "";

    if (g->flow.leave >= 0 && g_chance(g, 75)) {
        g_say(g, "@%s%s bra L%d;", no, g_register(g, P, false).text, g_chance(g, 60) ? g->flow.leave : g->flow.next);
    } else if (!g->plain && g_chance(g, 50)) {
        struct val p;
        g_predicate(g, false);
        p = g->pool[P].v[g->pool[P].n - 1];
        if (g_chance(g, 30) && !g->flow.in_function)
            g_say(g, "@%s%%p%d bra DONE;", no, p.id);
        else
            g_say(g, "@%s%%p%d %s;", no, p.id, g_chance(g, g->flow.in_function ? 80 : 50) ? "ret" : "exit");
    } else {
        g_compute(g);
    }
}

/* ---- functions */

void g_call(struct gen *g)
{
    int result = g_new(g, R), wide = g_new(g, D);
    struct src a = g_source(g, R, false), b = g_register(g, D, false);
    int f = (int)g_pick(g, (unsigned)g->functions);
    char when[40] = "";

    if (g_chance(g, 10))
        snprintf(when, sizeof(when), "@%s%s ", g_chance(g, 50) ? "!" : "", g_register(g, P, false).text);
    g_say(g, "{ .param .b32 pa; .param .b64 pb; .param .align 8 .b8 pr[16]; st.param.b32 [pa], %s; st.param.b64 [pb], %s; %scall%s (pr), f%d, (pa, pb);",
          a.text, b.text, when, *when || !g_chance(g, 30) ? "" : ".uni", f);
    if (*when) {
        int v = g_var(g, R);
        g_say(g, "ld.param.b32 %%r%d, [pr]; %smov.u32 %%r%d, %%r%d; }", result, when, v, result);
        return;
    }
    g_say(g, "ld.param.b32 %%r%d, [pr]; ld.param.b64 %%d%d, [pr+8]; }", result, wide);
    g_keep(g, R, result, false, 1, 0);
    g_keep(g, D, wide, false, 1, 0);
}

/* A function of its own registers: what the generator knows of the kernel's is put away meanwhile. */
void g_function(struct gen *g, int number)
{
    unsigned head;

    memset(g->pool, 0, sizeof(g->pool));
    memset(g->ids, 0, sizeof(g->ids));
    g->seen = -1;
    g->flow = (struct flow){ .in_function = true, .leave = -1, .next = -1, .depth = 1, .loops = 1 };
    g->has_local = g_chance(g, 40);
    g->functions = number;
    g->plain = g_chance(g, 60);
    head = g->p->nlines;
    g_say(g, "ld.param.b32 %%r0, [a]; ld.param.b64 %%d0, [b]; mov.u32 %%r1, 3; mov.u32 %%r2, %%laneid; setp.lt.s32 %%p0, %%r0, 7; setp.gt.s32 %%p1, %%r2, 9; "
             "mov.f32 %%f0, 0f3F000000; cvt.rn.f32.s32 %%f1, %%r0; mov.f64 %%e0, 0d3FF0000000000000; mov.b64 %%d1, 77;");
    g->p->lines[head].fixed = true;
    g->ids[R] = 3, g->ids[D] = 2, g->ids[F] = 2, g->ids[E] = 1, g->ids[P] = 2;
    for (int c = 0; c < CLASSES; c++) {
        g->nvars[c] = c == E ? 1 : 2;
        for (int i = 0; i < g->nvars[c]; i++)
            g->vars[c][i] = i;
        for (int i = 0; i < g->ids[c]; i++)
            g_keep(g, (enum class)c, i, false, 1, 0);
    }
    if (!g->plain)  /* who leaves early has a result */
        g_say(g, "st.param.b32 [r], %%r2; st.param.b64 [r+8], %%d0;");
    if (g->has_local)
        for (int i = 0; i < 8; i++)
            g_say(g, "st.local.v4.u32 [stack+%d], {%%r0, %%r1, %%r2, %d};", 16 * i, i);
    g->budget = 4 + (int)g_pick(g, 14);
    g_statements(g, 100);
    g_say(g, "st.param.b32 [r], %s; st.param.b64 [r+8], %s;", g_register(g, R, false).text, g_register(g, D, false).text);
    g_say(g, "ret;");
}
