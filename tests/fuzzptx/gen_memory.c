/* gen_memory.c - addresses in the shapes that compilers make, and what is loaded and stored there. */
#include <stdio.h>
#include <string.h>

#include "tests/fuzzptx/gen.h"

/* An index whose numbers are known, or made so: index + *add is from 0 to n - 1. */
struct src g_index(struct gen *g, uint32_t n, int64_t *add)
{
    struct src s;
    unsigned bits = 0;
    int id;

    for (int tries = 0; tries < 10 && !g_chance(g, 15); tries++) {
        s = g_source(g, R, false);
        if (s.low > s.high || s.high - s.low >= n || s.low < -(1 << 24) || s.high > 1 << 24)
            continue;
        *add = -s.low + (int64_t)g_pick(g, (unsigned)(n - (s.high - s.low)));
        if (s.low >= 0 && s.high < n && g_chance(g, 60))
            *add = 0;
        return s;
    }
    while (bits < 9 && 2u << bits <= n)
        bits++;
    id = g_new(g, R);
    s = g_register(g, R, false);
    g_say(g, "and.b32 %%r%d, %s, %u;", id, s.text, (1u << bits) - 1);
    snprintf(s.text, sizeof(s.text), "%%r%d", id);
    s.low = 0, s.high = (1 << bits) - 1;
    *add = 0;
    if (g_chance(g, 40)) {
        unsigned k = 1 + g_pick(g, 20);
        id = g_new(g, R);
        g_say(g, "sub.s32 %%r%d, %s, %u;", id, s.text, k);
        snprintf(s.text, sizeof(s.text), "%%r%d", id);
        s.low = -(int64_t)k, s.high -= k;
        *add = k;
    }
    return s;
}

struct address { char text[48]; };

/* [base + size * (index + add)] in 64 bits. */
static struct address far(struct gen *g, const char *base, struct src index, int64_t add, unsigned size)
{
    const char *sign = index.low < 0 || g_chance(g, 50) ? "s" : "u";
    int wide = g_new(g, D), at = g_new(g, D);
    unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    long long offset = add * size;
    struct address a;

    switch (g_pick(g, 5)) {
    case 0: case 1: g_say(g, "mul.wide.%s32 %%d%d, %s, %u; add.s64 %%d%d, %s, %%d%d;", sign, wide, index.text, size, at, base, wide); break;
    case 2:
        g_say(g, "cvt.%s64.%s32 %%d%d, %s; shl.b64 %%d%d, %%d%d, %u; add.s64 %%d%d, %%d%d, %s;", sign, sign, wide, index.text, wide, wide, log, at,
              wide, base);
        break;
    case 3: g_say(g, "mad.wide.%s32 %%d%d, %s, %u, %s;", sign, at, index.text, size, base); break;
    default: {
        int low = g_new(g, R), before = g_new(g, D);
        g_say(g, "shl.b32 %%r%d, %s, %u; cvt.%s64.%s32 %%d%d, %%r%d; add.s64 %%d%d, %s, %%d%d;", low, index.text, log, sign, sign, before, low, at,
              base, before);
    }
    }
    if (offset && g_chance(g, 40)) {
        int moved = g_new(g, D);
        g_say(g, "add.s64 %%d%d, %%d%d, %lld;", moved, at, offset);
        at = moved, offset = 0;
    }
    if (offset)
        snprintf(a.text, sizeof(a.text), "[%%d%d+%lld]", at, offset);
    else
        snprintf(a.text, sizeof(a.text), "[%%d%d]", at);
    return a;
}

/* The same in 32 bits, which is enough for all spaces but .global. */
static struct address near(struct gen *g, struct address a)
{
    int id, low = -1;
    char rest[40] = "";

    if (sscanf(a.text, "[%%d%d%39s", &id, rest) < 1 || !g_chance(g, 30))
        return a;
    low = g_new(g, R);
    g_say(g, "cvt.u32.u64 %%r%d, %%d%d;", low, id);
    snprintf(a.text, sizeof(a.text), "[%%r%d%s", low, rest);
    return a;
}

/* The address of a variable, as it counts in its space or as a generic one, in %d<id>. */
static void take_address(struct gen *g, int id, const char *name, const char *space, bool generic)
{
    if (g_chance(g, 30)) {
        int low = g_new(g, R);
        g_say(g, "mov.u32 %%r%d, %s; cvt.u64.u32 %%d%d, %%r%d;", low, name, id, low);
    } else {
        g_say(g, "mov.u64 %%d%d, %s;", id, name);
    }
    if (generic)
        g_say(g, "cvta%s.u64 %%d%d, %%d%d;", space, id, id);
}

/* ---- what is moved */

struct form { const char *type; enum class class; unsigned bytes, vec; };

static struct form form(struct gen *g, unsigned most, bool stores)
{
    static const struct form forms[] = {
        { "u32", R, 4, 1 }, { "b32", R, 4, 1 }, { "s32", R, 4, 1 }, { "u32", R, 4, 1 }, { "f32", F, 4, 1 }, { "f32", F, 4, 1 },
        { "u64", D, 8, 1 }, { "b64", D, 8, 1 }, { "f64", E, 8, 1 }, { "u8", R, 1, 1 }, { "s8", R, 1, 1 }, { "u16", R, 2, 1 }, { "s16", R, 2, 1 },
        { "u32", R, 8, 2 }, { "u32", R, 16, 4 }, { "f32", F, 8, 2 }, { "f32", F, 16, 4 }, { "u64", D, 16, 2 }, { "u8", R, 4, 4 }, { "u16", R, 4, 2 },
        { "s32", D, 4, 1 }, { "u32", D, 4, 1 },
    };
    struct form f;

    do
        f = forms[g_pick(g, sizeof(forms) / sizeof(*forms) - (stores ? 2 : 0))];
    while (f.bytes > most);
    return f;
}

/* A value that may be stored: of floats no NaN but the one of constants. */
static struct src storable(struct gen *g, enum class c)
{
    struct src s = g_source(g, c, false);
    int id, p;

    if (c == R || c == D)
        return s;
    id = g_new(g, c), p = g_new(g, P);
    s = g_register(g, c, false);
    if (c == F)
        g_say(g, "setp.nan.f32 %%p%d, %s, %s; selp.f32 %%f%d, 0f7FC00000, %s, %%p%d;", p, s.text, s.text, id, s.text, p);
    else
        g_say(g, "setp.nan.f64 %%p%d, %s, %s; selp.f64 %%e%d, 0d7FF8000000000000, %s, %%p%d;", p, s.text, s.text, id, s.text, p);
    snprintf(s.text, sizeof(s.text), "%s%d", g_prefix[c], id);
    return s;
}

static const char *maybe_volatile(struct gen *g, const char *space)
{
    static char text[40];

    snprintf(text, sizeof(text), "%s%s", g_chance(g, 8) && (!*space || !strcmp(space, ".global")) ? ".volatile" : "", space);
    return text;
}

static void load(struct gen *g, const char *space, struct form f, struct address a, const char *guard)
{
    char list[160] = "{";
    int first, n = 1;
    struct target t;

    if (f.vec == 1) {
        t = *guard ? (struct target){ .class = f.class, .id = g_var(g, f.class) } : g_target(g, f.class);
        g_say(g, "%sld%s.%s %s%d, %s;", *guard ? guard : t.guard, maybe_volatile(g, space), f.type, g_prefix[f.class], t.id, a.text);
        g_done(g, t, false, strcmp(f.type, "u8") ? 1 : 0, strcmp(f.type, "u8") ? 0 : 255);
        return;
    }
    first = g->ids[f.class];
    g->ids[f.class] += (int)f.vec;
    for (unsigned i = 0; i < f.vec; i++)
        n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%s%d", i ? ", " : "", g_prefix[f.class], first + (int)i);
    g_say(g, "%sld%s.v%u.%s %s}, %s;", guard, space, f.vec, f.type, list, a.text);
    for (unsigned i = 0; !*guard && i < f.vec; i++)
        g_keep(g, f.class, first + (int)i, false, 1, 0);
}

static void store(struct gen *g, const char *space, struct form f, struct address a, const char *guard)
{
    char list[200] = "{";
    int n = 1;

    if (f.vec == 1) {
        g_say(g, "%sst%s.%s %s, %s;", guard, maybe_volatile(g, space), f.type, a.text, storable(g, f.class).text);
        return;
    }
    for (unsigned i = 0; i < f.vec; i++)
        n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%s", i ? ", " : "", storable(g, f.class).text);
    g_say(g, "%sst%s.v%u.%s %s, %s};", guard, space, f.vec, f.type, a.text, list);
}

static void guard(struct gen *g, char text[40])
{
    *text = 0;
    if (g_chance(g, 20))
        snprintf(text, 40, "@%s%s ", g_chance(g, 50) ? "!" : "", g_register(g, P, false).text);
}

/* ---- where */

static void load_table(struct gen *g)
{
    int id = g_new(g, D);
    bool constant = g_chance(g, 40);
    struct form f = form(g, 16, false);
    struct src index;
    struct address a;
    char base[24], when[40];
    int64_t add;

    guard(g, when);
    if (constant && g_chance(g, 40)) {
        snprintf(a.text, sizeof(a.text), "[fixed+%u]", g_pick(g, 256 / f.bytes) * f.bytes);
        load(g, ".const", f, a, when);
        return;
    }
    index = g_index(g, 256 / f.bytes, &add);
    snprintf(base, sizeof(base), "%%d%d", id);
    if (constant) {
        bool generic = g_chance(g, 20);
        take_address(g, id, "fixed", ".const", generic);
        a = far(g, base, index, add, f.bytes);
        load(g, generic ? "" : ".const", f, generic ? a : near(g, a), when);
        return;
    }
    g_say(g, "mov.u64 %%d%d, table;", id);
    load(g, g_chance(g, 20) ? "" : ".global", f, far(g, base, index, add, f.bytes), when);
}

static void load_in(struct gen *g)
{
    struct form f = form(g, 16, false);
    int64_t add;
    struct src index = g_index(g, IN_BYTES / f.bytes, &add);
    char when[40];

    guard(g, when);
    load(g, g_chance(g, 15) ? "" : g_chance(g, 20) ? ".global.nc" : ".global", f, far(g, "%d0", index, add, f.bytes), when);
}

/* An index that nobody knows, looked at before it is used: if (i < n) a[i]. */
static void load_checked(struct gen *g)
{
    struct src i = g_register(g, R, false);
    struct form f = form(g, 16, false);
    int p = g_new(g, P);
    char when[40];

    i.low = g_chance(g, 50) ? 0 : -1;
    g_say(g, "setp.lt.u32 %%p%d, %s, %u;", p, i.text, IN_BYTES / f.bytes);
    snprintf(when, sizeof(when), "@%%p%d ", p);
    load(g, ".global", f, far(g, "%d0", i, 0, f.bytes), when);
}

static void own(struct gen *g, bool stores)
{
    struct form f = form(g, 16, stores);
    int64_t add;
    struct src index = g_index(g, OWN_BYTES / f.bytes, &add);
    struct address a = far(g, "%d5", index, add, f.bytes);
    const char *space = g_chance(g, 15) ? "" : ".global";
    char when[40];

    guard(g, when);
    (stores ? store : load)(g, space, f, a, when);
}

/* rows[slot * threads + thread] */
static void row(struct gen *g, bool stores)
{
    struct form f = form(g, 4, stores);
    int64_t add;
    struct src slot = g_index(g, ROWS, &add), index = { .low = 0 };
    int id = g_new(g, R);
    struct address a;
    char when[40];

    if (f.vec != 1)
        f = (struct form){ "u32", R, 4, 1 };
    guard(g, when);
    g_say(g, "mad.lo.s32 %%r%d, %s, %u, %%r0;", id, slot.text, program_threads(g->p));
    snprintf(index.text, sizeof(index.text), "%%r%d", id);
    index.low = slot.low < 0 ? -1 : 0;
    a = far(g, "%d2", index, add * program_threads(g->p), 4);
    (stores ? store : load)(g, ".global", f, a, when);
}

static void local(struct gen *g, bool stores)
{
    struct form f = form(g, 16, stores);
    int64_t add;
    struct src index = g_index(g, 128 / f.bytes, &add);
    int id = g_new(g, D);
    char base[24], when[40];
    struct address a;
    bool generic = g_chance(g, 30);

    guard(g, when);
    if (!generic && g_chance(g, 30)) {
        snprintf(a.text, sizeof(a.text), "[stack+%u]", g_pick(g, 128 / f.bytes) * f.bytes);
    } else {
        snprintf(base, sizeof(base), "%%d%d", id);
        take_address(g, id, "stack", ".local", generic);
        a = far(g, base, index, add, f.bytes);
        if (!generic)
            a = near(g, a);
    }
    (stores ? store : load)(g, generic ? "" : ".local", f, a, when);
}

static void sum(struct gen *g)
{
    static const char *const even[] = { "add.u32", "add.s32" };
    int64_t add;
    bool odd = g_chance(g, 50);
    struct src index = g_index(g, SUMS / 2, &add), v = g_source(g, R, false);
    int id = g_new(g, R), at = g_new(g, D);
    char when[40];

    guard(g, when);
    g_say(g, "shl.b32 %%r%d, %s, 3; cvt.s64.s32 %%d%d, %%r%d; add.s64 %%d%d, %%d3, %%d%d;", id, index.text, at, id, at, at);
    g_say(g, "%sred.global.%s [%%d%d+%lld], %s;", when, odd ? "max.u32" : even[g_pick(g, 2)], at, (long long)(8 * add + 4 * odd), v.text);
}

void g_access(struct gen *g)
{
    unsigned kind = g_pick(g, 100);

    if (kind < 12)
        load_table(g);
    else if (g->has_local && kind < 40)
        local(g, kind < 26);
    else if (g->flow.in_function)
        load_table(g);
    else if (kind < 56)
        load_in(g);
    else if (kind < 63)
        load_checked(g);
    else if (kind < 78)
        own(g, kind < 72);
    else if (kind < 92)
        row(g, kind < 86);
    else
        sum(g);
}
