/* gen_values.c - registers, and arithmetic on them. */
#include <stdio.h>
#include <string.h>

#include "tests/fuzzptx/gen.h"

const char *const g_prefix[CLASSES] = { "%r", "%d", "%f", "%e", "%p" };

#define MOST 0x7fffffff

int g_new(struct gen *g, enum class c)
{
    return g->ids[c]++;
}

int g_var(struct gen *g, enum class c)
{
    return g->vars[c][g_pick(g, (unsigned)g->nvars[c])];
}

void g_new_vars(struct gen *g)
{
    static const enum class classes[] = { R, R, R, D, F, P };

    for (int n = 1 + (int)g_pick(g, 3); n > 0; n--) {
        enum class c = classes[g_pick(g, 6)];
        struct src from = g_register(g, c, false);
        int id = g_new(g, c);
        if (g->nvars[c] == VARS)
            continue;
        g_say(g, "mov.%s %s%d, %s;", c == R ? "b32" : c == D ? "b64" : c == F ? "f32" : "pred", g_prefix[c], id, from.text);
        g->vars[c][g->nvars[c]++] = id;
        g_keep(g, c, id, false, 1, 0);
    }
}

void g_keep(struct gen *g, enum class c, int id, bool uniform, int64_t low, int64_t high)
{
    struct pool *pool = &g->pool[c];

    if (low < -(int64_t)MOST || high > MOST || c != R)
        low = 1, high = 0;
    if (pool->n < (int)(sizeof(pool->v) / sizeof(*pool->v)))
        pool->v[pool->n++] = (struct val){ id, uniform, low, high };
}

static struct src literal(struct gen *g, enum class c)
{
    static const int32_t numbers[] = { 0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 255, -1, -2, -4, -32, 0x7fffffff, (int32_t)0x80000000,
                                       (int32_t)0x9e3779b1 };
    static const uint32_t floats[] = { 0, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0x00000001, 0x4b000000, 0xc2c80000 };
    struct src s = { .uniform = true, .low = 1, .high = 0 };
    int32_t n = numbers[g_pick(g, g_chance(g, 70) ? 9 : sizeof(numbers) / sizeof(*numbers))];
    uint32_t f = floats[g_pick(g, sizeof(floats) / sizeof(*floats))];
    union { double d; uint64_t u; } real = { .d = ((union { uint32_t u; float f; }){ f }).f };

    switch (c) {
    case R: s.low = s.high = n; snprintf(s.text, sizeof(s.text), "%d", n); break;
    case D: snprintf(s.text, sizeof(s.text), g_chance(g, 10) ? "0x%x00000000" : "%d", n); break;
    case F: snprintf(s.text, sizeof(s.text), "0f%08X", f); break;
    default: snprintf(s.text, sizeof(s.text), "0d%016llX", (unsigned long long)real.u); break;
    }
    return s;
}

struct src g_register(struct gen *g, enum class c, bool uniform_only)
{
    const struct pool *pool = &g->pool[c];
    struct src s;

    for (int tries = 0; tries < 60; tries++) {
        int back = g_chance(g, 55) && pool->n > 8 ? (int)g_pick(g, 8) : (int)g_pick(g, (unsigned)pool->n);
        const struct val *v = &pool->v[pool->n - 1 - back];
        if (uniform_only && !v->uniform)
            continue;
        s = (struct src){ .uniform = v->uniform, .low = v->low, .high = v->high };
        snprintf(s.text, sizeof(s.text), "%s%d", g_prefix[c], v->id);
        return s;
    }
    return literal(g, c == P ? R : c);
}

struct src g_source(struct gen *g, enum class c, bool uniform_only)
{
    return c != P && g_chance(g, 20) ? literal(g, c) : g_register(g, c, uniform_only);
}

struct target g_target(struct gen *g, enum class c)
{
    struct target t = { .class = c };

    t.fresh = g->nvars[c] == 0 || g_chance(g, 60);
    t.id = t.fresh ? g_new(g, c) : g_var(g, c);
    if (!t.fresh && g_chance(g, 25))
        snprintf(t.guard, sizeof(t.guard), "@%s%s ", g_chance(g, 50) ? "!" : "", g_register(g, P, false).text);
    return t;
}

void g_done(struct gen *g, struct target t, bool uniform, int64_t low, int64_t high)
{
    if (t.fresh)
        g_keep(g, t.class, t.id, uniform, low, high);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }
static bool known(struct src s) { return s.low <= s.high; }

/* ---- 32 bits */

static void shaped(struct gen *g, struct target t, bool uniform_only)
{
    struct src a = g_register(g, R, uniform_only), b = g_source(g, R, uniform_only), c = g_source(g, R, uniform_only);
    bool both = known(a) && known(b), all = both && known(c), same = a.uniform && b.uniform;
    int64_t corner[4] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high }, low = 1, high = 0;
    int64_t small = least(least(corner[0], corner[1]), least(corner[2], corner[3]));
    int64_t large = greatest(greatest(corner[0], corner[1]), greatest(corner[2], corner[3]));
    unsigned n = g_pick(g, 5);

    switch (g_pick(g, 6)) {
    case 0:
        g_say(g, "%sadd.%s32 %%r%d, %s, %s;", t.guard, g_chance(g, 50) ? "s" : "u", t.id, a.text, b.text);
        if (both)
            low = a.low + b.low, high = a.high + b.high;
        break;
    case 1:
        g_say(g, "%ssub.s32 %%r%d, %s, %s;", t.guard, t.id, a.text, b.text);
        if (both)
            low = a.low - b.high, high = a.high - b.low;
        break;
    case 2:
        g_say(g, "%smul.lo.%s32 %%r%d, %s, %s;", t.guard, g_chance(g, 50) ? "s" : "u", t.id, a.text, b.text);
        if (both)
            low = small, high = large;
        break;
    case 3:
        g_say(g, "%smad.lo.s32 %%r%d, %s, %s, %s;", t.guard, t.id, a.text, b.text, c.text);
        same &= c.uniform;
        if (all)
            low = small + c.low, high = large + c.high;
        break;
    case 4:
        g_say(g, "%sshl.b32 %%r%d, %s, %u;", t.guard, t.id, a.text, n);
        same = a.uniform;
        if (known(a))
            low = a.low * (1 << n), high = a.high * (1 << n);
        break;
    default:
        g_say(g, "%smov.%s32 %%r%d, %s;", t.guard, g_chance(g, 50) ? "b" : "u", t.id, a.text);
        same = a.uniform, low = a.low, high = a.high;
        break;
    }
    g_done(g, t, same, low, high);
}

static void shapeless(struct gen *g, struct target t)
{
    static const char *const two[] = { "and.b32", "or.b32", "xor.b32", "min.s32", "max.s32", "min.u32", "max.u32", "mul.hi.s32", "mul.hi.u32",
                                       "shr.s32", "shr.u32", "shl.b32" };
    static const char *const one[] = { "not.b32", "neg.s32", "abs.s32", "popc.b32", "clz.b32", "brev.b32", "cnot.b32", "cvt.u32.u8", "cvt.s32.s16",
                                       "cvt.s32.s8", "cvt.u32.u16" };
    static const char *const three[] = { "bfe.u32", "bfe.s32", "prmt.b32", "shf.l.wrap.b32", "shf.r.clamp.b32", "slct.b32.s32", "sad.u32",
                                         "mad.hi.u32" };
    struct src a = g_register(g, R, false), b = g_source(g, R, false), c = g_source(g, R, false), p = g_register(g, P, false);
    bool same = a.uniform && b.uniform;
    int64_t low = 1, high = 0;

    switch (g_pick(g, 8)) {
    case 0: case 1: case 2:
        g_say(g, "%s%s %%r%d, %s, %s;", t.guard, two[g_pick(g, 12)], t.id, a.text, b.text);
        break;
    case 3:
        g_say(g, "%s%s %%r%d, %s;", t.guard, one[g_pick(g, 11)], t.id, a.text);
        same = a.uniform;
        break;
    case 4: {
        unsigned which = g_pick(g, 8);
        if (which < 2) {    /* no NVIDIA compiler agrees with its hardware on fields that lie outside */
            snprintf(b.text, sizeof(b.text), "%u", g_pick(g, 32));
            snprintf(c.text, sizeof(c.text), "%u", g_pick(g, 33));
        }
        g_say(g, "%s%s %%r%d, %s, %s, %s;", t.guard, three[which], t.id, a.text, b.text, c.text);
        same = a.uniform && b.uniform && c.uniform;
        break;
    }
    case 5:
        g_say(g, "%sselp.b32 %%r%d, %s, %s, %s;", t.guard, t.id, a.text, b.text, p.text);
        same &= p.uniform;
        if (known(a) && known(b))
            low = least(a.low, b.low), high = greatest(a.high, b.high);
        break;
    case 6:
        g_say(g, "%slop3.b32 %%r%d, %s, %s, %s, 0x%02x;", t.guard, t.id, a.text, b.text, c.text, g_pick(g, 256));
        same &= c.uniform;
        break;
    default: {
        unsigned bits = 1 + g_pick(g, 6);
        g_say(g, "%sand.b32 %%r%d, %s, %u;", t.guard, t.id, a.text, (1u << bits) - 1);
        same = a.uniform, low = 0, high = (1 << bits) - 1;
    }
    }
    g_done(g, t, same, low, high);
}

static void division(struct gen *g, struct target t)
{
    struct src a = g_register(g, R, false), b = g_register(g, R, false);
    int id = g_new(g, R);

    if (g_chance(g, 50)) {
        unsigned n = 1 + g_pick(g, 40);
        g_say(g, "%s%s.%s32 %%r%d, %s, %u;", t.guard, g_chance(g, 50) ? "div" : "rem", g_chance(g, 50) ? "s" : "u", t.id, a.text, n);
        g_done(g, t, a.uniform, 1, 0);
        return;
    }
    g_say(g, "or.b32 %%r%d, %s, 1; %s%s.%s32 %%r%d, %s, %%r%d;", id, b.text, t.guard, g_chance(g, 50) ? "div" : "rem",
          g_chance(g, 50) ? "s" : "u", t.id, a.text, id);
    g_done(g, t, a.uniform && b.uniform, 1, 0);
}

/* ---- 64 bits */

static void doubled(struct gen *g, struct target t, bool uniform_only)
{
    static const char *const two[] = { "add.s64", "sub.s64", "mul.lo.s64", "and.b64", "or.b64", "xor.b64", "min.s64", "max.u64", "mul.hi.u64" };
    static const char *const one[] = { "mov.b64", "not.b64", "neg.s64", "brev.b64" };
    struct src a = g_register(g, D, uniform_only), b = g_source(g, D, uniform_only), x = g_register(g, R, uniform_only);
    struct src y = g_source(g, R, uniform_only), p = g_register(g, P, uniform_only);
    bool same = a.uniform, wide = x.uniform && y.uniform;
    const char *sign = g_chance(g, 50) ? "s" : "u";

    switch (g_pick(g, 9)) {
    case 0: g_say(g, "%scvt.%s64.%s32 %%d%d, %s;", t.guard, sign, sign, t.id, x.text); same = x.uniform; break;
    case 1: g_say(g, "%smul.wide.%s32 %%d%d, %s, %s;", t.guard, sign, t.id, x.text, y.text); same = wide; break;
    case 2: g_say(g, "%smad.wide.%s32 %%d%d, %s, %s, %s;", t.guard, sign, t.id, x.text, y.text, a.text); same &= wide; break;
    case 3: g_say(g, "%sshl.b64 %%d%d, %s, %u;", t.guard, t.id, a.text, g_pick(g, 40)); break;
    case 4: g_say(g, "%sshr.%s64 %%d%d, %s, %s;", t.guard, sign, t.id, a.text, y.text); same &= y.uniform; break;
    case 5: g_say(g, "%s%s %%d%d, %s;", t.guard, one[g_pick(g, 4)], t.id, a.text); break;
    case 6:
        g_say(g, "%sselp.b64 %%d%d, %s, %s, %s;", t.guard, t.id, a.text, b.text, p.text);
        same &= b.uniform && p.uniform;
        break;
    case 7: g_say(g, "%smov.b64 %%d%d, {%s, %s};", t.guard, t.id, x.text, g_register(g, R, true).text); same = false; break;
    default:
        g_say(g, "%s%s %%d%d, %s, %s;", t.guard, two[g_pick(g, g_chance(g, 50) ? 2 : 9)], t.id, a.text, b.text);
        same &= b.uniform;
        break;
    }
    g_done(g, t, same, 1, 0);
}

static void narrowed(struct gen *g, struct target t)
{
    struct src a = g_register(g, D, false);
    int other = g_new(g, R);

    if (g_chance(g, 60)) {
        g_say(g, "%scvt.%s.%s64 %%r%d, %s;", t.guard, g_chance(g, 50) ? "u32" : "s32", g_chance(g, 50) ? "s" : "u", t.id, a.text);
    } else {
        g_say(g, "%smov.b64 {%%r%d, %%r%d}, %s;", t.guard, t.id, other, a.text);
        if (!*t.guard)
            g_keep(g, R, other, a.uniform, 1, 0);
    }
    g_done(g, t, a.uniform, 1, 0);
}

static void carried(struct gen *g)
{
    struct src a = g_register(g, R, false), b = g_source(g, R, false), c = g_register(g, R, false), d = g_source(g, R, false);
    int low = g_new(g, R), high = g_new(g, R);

    g_say(g, "add.cc.u32 %%r%d, %s, %s; addc.u32 %%r%d, %s, %s;", low, a.text, b.text, high, c.text, d.text);
    g_keep(g, R, low, a.uniform && b.uniform, 1, 0);
    g_keep(g, R, high, a.uniform && b.uniform && c.uniform && d.uniform, 1, 0);
}

/* ---- floats */

static void real(struct gen *g, struct target t, enum class class)
{
    static const char *const two[] = { "add.rn", "sub.rn", "mul.rn", "min", "max", "div.rn" };
    static const char *const one[] = { "neg", "abs", "sqrt.rn", "mov" };
    const char *type = class == F ? "f32" : "f64", *reg = g_prefix[class];
    struct src a = g_register(g, class, false), b = g_source(g, class, false), c = g_source(g, class, false), x = g_register(g, R, false);
    struct src p = g_register(g, P, false), other = g_register(g, class == F ? E : F, false);
    bool same = a.uniform && b.uniform;

    switch (g_pick(g, 7)) {
    case 0: g_say(g, "%sfma.rn.%s %s%d, %s, %s, %s;", t.guard, type, reg, t.id, a.text, b.text, c.text); same &= c.uniform; break;
    case 1: g_say(g, "%s%s.%s %s%d, %s;", t.guard, one[g_pick(g, 4)], type, reg, t.id, a.text); same = a.uniform; break;
    case 2: g_say(g, "%scvt.rn.%s.%s32 %s%d, %s;", t.guard, type, g_chance(g, 50) ? "s" : "u", reg, t.id, x.text); same = x.uniform; break;
    case 3: g_say(g, "%sselp.%s %s%d, %s, %s, %s;", t.guard, type, reg, t.id, a.text, b.text, p.text); same &= p.uniform; break;
    case 4:
        g_say(g, "%scvt.%s %s%d, %s;", t.guard, class == F ? "rn.f32.f64" : "f64.f32", reg, t.id, other.text);
        same = other.uniform;
        break;
    default: g_say(g, "%s%s.%s %s%d, %s, %s;", t.guard, two[g_pick(g, 6)], type, reg, t.id, a.text, b.text); break;
    }
    g_done(g, t, same, 1, 0);
}

static void rounded(struct gen *g, struct target t)
{
    struct src a = g_register(g, F, false), e = g_register(g, E, false);

    if (g_chance(g, 60))
        g_say(g, "%scvt.rzi.%s32.f32 %%r%d, %s;", t.guard, g_chance(g, 50) ? "s" : "u", t.id, a.text);
    else
        g_say(g, "%scvt.rzi.s32.f64 %%r%d, %s;", t.guard, t.id, e.text);
    g_done(g, t, false, 1, 0);
}

/* ---- predicates */

static bool compare(struct gen *g, struct target t, bool uniform_only)
{
    static const char *const order[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    static const enum class classes[] = { R, R, R, R, R, D, F, E };
    enum class c = uniform_only ? R : classes[g_pick(g, 8)];
    struct src a = g_register(g, c, uniform_only), b = g_source(g, c, uniform_only), p = g_register(g, P, uniform_only);
    const char *type = c == R ? g_chance(g, 60) ? "s32" : "u32" : c == D ? g_chance(g, 50) ? "s64" : "u64" : c == F ? "f32" : "f64";
    const char *cmp = order[g_pick(g, 6)];
    static const char *const joins[] = { "and", "or", "xor" };
    int second = g_new(g, P);

    if (g_chance(g, 60) || p.text[1] != 'p') {
        g_say(g, "%ssetp.%s.%s %%p%d, %s, %s;", t.guard, cmp, type, t.id, a.text, b.text);
        return a.uniform && b.uniform;
    }
    if (g_chance(g, 40) && !*t.guard) {
        g_say(g, "setp.%s.%s.%s %%p%d|%%p%d, %s, %s, %s;", cmp, joins[g_pick(g, 3)], type, t.id, second, a.text, b.text, p.text);
        g_keep(g, P, second, a.uniform && b.uniform && p.uniform, 1, 0);
    } else {
        g_say(g, "%ssetp.%s.%s.%s %%p%d, %s, %s, %s%s;", t.guard, cmp, joins[g_pick(g, 3)], type, t.id, a.text, b.text,
              g_chance(g, 30) ? "!" : "", p.text);
    }
    return a.uniform && b.uniform && p.uniform;
}

void g_predicate(struct gen *g, bool uniform)
{
    struct target t = { .id = g_new(g, P), .fresh = true, .class = P };

    g_done(g, t, compare(g, t, uniform), 1, 0);
}

static void predicates(struct gen *g, struct target t)
{
    static const char *const two[] = { "and.pred", "or.pred", "xor.pred" };
    struct src a = g_register(g, P, false), b = g_register(g, P, false);

    if (g_chance(g, 70)) {
        g_done(g, t, compare(g, t, false), 1, 0);
    } else if (g_chance(g, 30)) {
        g_say(g, "%snot.pred %%p%d, %s;", t.guard, t.id, a.text);
        g_done(g, t, a.uniform, 1, 0);
    } else {
        g_say(g, "%s%s %%p%d, %s, %s;", t.guard, two[g_pick(g, 3)], t.id, a.text, b.text);
        g_done(g, t, a.uniform && b.uniform, 1, 0);
    }
}

/* ---- what is only there under a guard, and read under the same */
static void guarded_pair(struct gen *g)
{
    struct src p = g_register(g, P, false), a = g_register(g, R, false), b = g_source(g, R, false);
    int first = g_new(g, R), v = g_var(g, R);
    const char *no = g_chance(g, 50) ? "!" : "";

    g_say(g, "@%s%s add.s32 %%r%d, %s, %s;", no, p.text, first, a.text, b.text);
    if (g_chance(g, 50))
        g_compute(g);
    g_say(g, "@%s%s xor.b32 %%r%d, %%r%d, %s;", no, p.text, v, first, g_source(g, R, false).text);
}

static void shared_variable(struct gen *g)
{
    enum class c = g_chance(g, 70) ? R : D;
    struct target t = { .id = g->shared[c == R ? 0 : 1][g_pick(g, 2)], .class = c };

    if (c == R)
        shaped(g, t, true);
    else
        doubled(g, t, true);
}

void g_look(struct gen *g, struct src s)
{
    if (g->seen >= 0)
        g_say(g, "mad.lo.u32 %%r%d, %%r%d, 31, %s;", g->seen, g->seen, s.text);
}

void g_compute(struct gen *g)
{
    unsigned kind = g_pick(g, 100);

    if (kind < 12 && g->flow.uniform)
        shared_variable(g);
    else if (kind < 38)
        shaped(g, g_target(g, R), false);
    else if (kind < 52)
        shapeless(g, g_target(g, R));
    else if (kind < 55)
        division(g, g_target(g, R));
    else if (kind < 67)
        doubled(g, g_target(g, D), false);
    else if (kind < 71)
        narrowed(g, g_target(g, R));
    else if (kind < 73)
        carried(g);
    else if (kind < 81)
        real(g, g_target(g, F), F);
    else if (kind < 85)
        real(g, g_target(g, E), E);
    else if (kind < 87)
        rounded(g, g_target(g, R));
    else if (kind < 91)
        guarded_pair(g);
    else
        predicates(g, g_target(g, P));
}
