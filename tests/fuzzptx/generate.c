/* generate.c - random kernels. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzzptx/gen.h"

unsigned g_pick(struct gen *g, unsigned n)
{
    g->random = g->random * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(g->random >> 33) % n;
}

bool g_chance(struct gen *g, unsigned percent)
{
    return g_pick(g, 100) < percent;
}

void g_say(struct gen *g, const char *format, ...)
{
    va_list args;
    char text[2000];

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    program_add(g->p, false, strdup(text));
}

int g_label(struct gen *g)
{
    return g->labels++;
}

static void say_fixed(struct gen *g, const char *text)
{
    program_add(g->p, true, strdup(text));
}

/* ---- statements */

static void statement(struct gen *g)
{
    unsigned kind = g_pick(g, 100);
    bool deep = g->flow.depth > 3;

    g->budget--;
    if (g_chance(g, 8))
        g_look(g, g_register(g, R, false));
    if (kind < 46)
        g_compute(g);
    else if (kind < 64)
        g_access(g);
    else if (kind < 69)
        g_lanes(g);
    else if (kind < 74)
        g_barrier(g);
    else if (kind < 77)
        g_leave(g);
    else if (kind < 80 && g->functions)
        g_call(g);
    else if (deep)
        g_compute(g);
    else if (kind < 89)
        g_if(g);
    else if (kind < 95)
        g_loop(g);
    else if (kind < 97)
        g_switch(g);
    else if (kind < 98 && !g->flow.in_function)
        g_lock(g);
    else if (g->flow.depth < 2 && !g->structured)
        g_tangle(g);
    else
        g_if(g);
}

void g_statements(struct gen *g, int n)
{
    while (n-- > 0 && g->budget > 0)
        statement(g);
}

void g_block(struct gen *g, int n)
{
    int saved[CLASSES];

    for (int c = 0; c < CLASSES; c++)
        saved[c] = g->pool[c].n;
    g_statements(g, n);
    for (int c = 0; c < CLASSES; c++)
        g->pool[c].n = saved[c];
}

/* ---- the frame around them */

static void shape(struct gen *g)
{
    static const uint32_t blocks[][3] = { { 1, 1, 1 }, { 31, 1, 1 }, { 32, 1, 1 }, { 33, 1, 1 }, { 64, 1, 1 }, { 100, 1, 1 }, { 128, 1, 1 }, { 16, 16, 1 },
                                          { 8, 4, 3 }, { 5, 7, 2 }, { 4, 4, 1 }, { 32, 3, 1 }, { 2, 3, 5 }, { 64, 2, 1 }, { 16, 2, 1 }, { 16, 1, 3 },
                                          { 8, 8, 2 }, { 1, 64, 1 }, { 48, 2, 1 }, { 96, 1, 2 } };
    const uint32_t *b = blocks[g_pick(g, sizeof(blocks) / sizeof(*blocks))];

    memcpy(g->p->block, b, sizeof(g->p->block));
    g->p->grid[0] = 1 + g_pick(g, 3);
    g->p->grid[1] = g_chance(g, 30) ? 2 : 1;
    g->p->grid[2] = 1;
}

static void declare_registers(struct gen *g, unsigned at)
{
    char text[300];

    snprintf(text, sizeof(text), ".reg .pred %%p<%d>; .reg .b32 %%r<%d>; .reg .b64 %%d<%d>; .reg .f32 %%f<%d>; .reg .f64 %%e<%d>;", g->ids[P] + 1,
             g->ids[R] + 1, g->ids[D] + 1, g->ids[F] + 1, g->ids[E] + 1);
    free(g->p->lines[at].text);
    g->p->lines[at].text = strdup(text);
}

static void tables(struct gen *g)
{
    char text[2400];

    for (int k = 0; k < 2; k++) {
        int n = snprintf(text, sizeof(text), "%s .align 16 .b32 %s[64] = { ", k ? ".const" : ".global", k ? "fixed" : "table");
        for (int i = 0; i < 64; i++)
            n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%u", i ? ", " : "", g_chance(g, 60) ? g_pick(g, 20) : g_pick(g, 1u << 31) * 2);
        snprintf(text + n, sizeof(text) - (size_t)n, " };");
        say_fixed(g, text);
    }
}

static void functions(struct gen *g)
{
    int n = g_chance(g, 35) ? 1 + (int)g_pick(g, FUNCTIONS) : 0;
    char text[160];

    for (int i = 0; i < n; i++) {
        unsigned at;
        snprintf(text, sizeof(text), ".func (.param .align 8 .b8 r[16]) f%d (.param .b32 a, .param .b64 b)\n{\n.local .align 16 .b8 stack[128];", i);
        say_fixed(g, text);
        at = g->p->nlines;
        say_fixed(g, "");
        g_function(g, i);
        say_fixed(g, "}");
        declare_registers(g, at);
    }
    g->functions = n;
}

/* Where the thread is: its number in the block is %r1, in the grid %r0. */
static void place(struct gen *g)
{
    const uint32_t *b = g->p->block, *n = g->p->grid;
    bool flat = b[1] == 1 && b[2] == 1;
    char text[600];

    say_fixed(g, "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [own]; ld.param.u64 %d2, [rows]; ld.param.u64 %d3, [sums]; ld.param.u64 %d4, [last];");
    say_fixed(g, "mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ntid.x;");
    snprintf(text, sizeof(text), "%s mad.lo.s32 %%r8, %%r6, %u, %%r5; mad.lo.s32 %%r0, %%r8, %u, %%r1; mul.wide.u32 %%d5, %%r0, %u; add.s64 %%d5, %%d1, %%d5;",
             flat ? "mov.u32 %r1, %r2;" : g_chance(g, 50) ? "mov.u32 %r9, %ntid.y; mad.lo.s32 %r1, %r4, %r9, %r3; mad.lo.s32 %r1, %r1, %r7, %r2;"
                                                          : "", n[0], b[0] * b[1] * b[2], OWN_BYTES);
    if (!flat && text[0] == ' ') {
        char own[700];
        snprintf(own, sizeof(own), "mad.lo.s32 %%r1, %%r3, %u, %%r2; mad.lo.s32 %%r1, %%r4, %u, %%r1;%s", b[0], b[0] * b[1], text);
        say_fixed(g, own);
    } else {
        say_fixed(g, text);
    }
    g_keep(g, R, 0, false, 0, program_threads(g->p) - 1);
    g_keep(g, R, 1, false, 0, b[0] * b[1] * b[2] - 1);
    for (int i = 0; i < 3; i++)
        g_keep(g, R, 2 + i, b[i] == 1, 0, b[i] - 1);
    g_keep(g, R, 5, true, 0, n[0] - 1);
    g_keep(g, R, 6, true, 0, n[1] - 1);
    g_keep(g, R, 7, true, b[0], b[0]);
}

static void arguments(struct gen *g)
{
    struct arguments *a = &g->p->arguments;

    a->n = g_pick(g, 200);
    a->w = 1 + g_pick(g, 70);
    a->x = (float)g_pick(g, 1000) / 8 - 20;
    a->big = (uint64_t)g_pick(g, 1u << 30) << g_pick(g, 30);
    say_fixed(g, "ld.param.u32 %r10, [n]; ld.param.u32 %r11, [w]; ld.param.f32 %f0, [x]; ld.param.u64 %d6, [big]; cvt.rn.f64.s32 %e0, %r10;");
    g_keep(g, R, 10, true, a->n, a->n);
    g_keep(g, R, 11, true, a->w, a->w);
    g_keep(g, F, 0, true, 1, 0);
    g_keep(g, D, 6, true, 1, 0);
    g_keep(g, E, 0, true, 1, 0);
}

static void variables(struct gen *g)
{
    static const char *const starts[] = { "mov.u32 %%r%d, %%r2;", "mov.u32 %%r%d, 0;", "mov.u32 %%r%d, %%r0;", "mov.u32 %%r%d, -5;", "mov.u32 %%r%d, %%r10;",
                                          "mov.u32 %%r%d, %%laneid;", "mov.u32 %%r%d, %%r3;" };
    static const char *const wide[] = { "cvt.s64.s32 %%d%d, %%r2;", "mov.u64 %%d%d, 1000;", "mov.u64 %%d%d, %%d6;", "cvt.u64.u32 %%d%d, %%r0;" };
    char text[80];
    static const int n[CLASSES] = { 5, 3, 3, 1, 3 };

    g->ids[R] = 12, g->ids[D] = 7, g->ids[F] = 1, g->ids[E] = 1;
    for (int c = 0; c < CLASSES; c++) {
        g->nvars[c] = n[c];
        for (int i = 0; i < n[c]; i++) {
            int id = g->vars[c][i] = g_new(g, (enum class)c);
            if (c == R)
                snprintf(text, sizeof(text), starts[g_pick(g, 7)], id);
            else if (c == D)
                snprintf(text, sizeof(text), wide[g_pick(g, 4)], id);
            else if (c == F)
                snprintf(text, sizeof(text), "cvt.rn.f32.s32 %%f%d, %%r%d;", id, (int)g_pick(g, 6));
            else if (c == E)
                snprintf(text, sizeof(text), "cvt.rn.f64.s32 %%e%d, %%r%d;", id, (int)g_pick(g, 6));
            else
                snprintf(text, sizeof(text), "setp.%s.s32 %%p%d, %%r%d, %u;", g_chance(g, 50) ? "lt" : "eq", id, (int)g_pick(g, 6), g_pick(g, 20));
            say_fixed(g, text);
            g_keep(g, (enum class)c, id, false, 1, 0);
        }
    }
    for (int i = 0; i < 2; i++) {
        g->shared[0][i] = g_new(g, R), g->shared[1][i] = g_new(g, D);
        snprintf(text, sizeof(text), "mov.u32 %%r%d, %s; mov.u64 %%d%d, %d;", g->shared[0][i], i ? "%r5" : "1", g->shared[1][i], 9 * i);
        say_fixed(g, text);
        g_keep(g, R, g->shared[0][i], true, 1, 0);
        g_keep(g, D, g->shared[1][i], true, 1, 0);
    }
    g->seen = g_new(g, R);
    snprintf(text, sizeof(text), "mov.u32 %%r%d, 17;", g->seen);
    say_fixed(g, text);
    snprintf(text, sizeof(text), "setp.gt.u32 %%p%d, %%r10, %u;", g->ids[P], g_pick(g, 200));
    say_fixed(g, text);
    g_keep(g, P, g_new(g, P), true, 1, 0);
}

static void say_last(struct gen *g, unsigned slot, enum class c, const char *reg)
{
    static const char *const types[] = { "u32", "u64", "f32", "f64" };
    int at = g_new(g, R), wide = g_new(g, D), p = g_new(g, P);
    uint32_t threads = program_threads(g->p);

    g_say(g, "add.u32 %%r%d, %%r0, %u; mul.wide.u32 %%d%d, %%r%d, 8; add.s64 %%d%d, %%d4, %%d%d;", at, slot * threads, wide, at, wide, wide);
    if (c == P)
        g_say(g, "selp.u32 %%r%d, 1, 2, %s; st.global.u32 [%%d%d], %%r%d;", at, reg, wide, at);
    else if (c == F || c == E)
        g_say(g, "setp.nan.%s %%p%d, %s, %s; @!%%p%d st.global.%s [%%d%d], %s;", types[c], p, reg, reg, p, types[c], wide, reg);
    else
        g_say(g, "st.global.%s [%%d%d], %s;", types[c], wide, reg);
}

static void end(struct gen *g)
{
    unsigned slot = 0;
    char reg[24];

    for (int i = 0; i < 6; i++)
        g_look(g, g_register(g, R, false));
    snprintf(reg, sizeof(reg), "%%r%d", g->seen);
    say_last(g, slot++, R, reg);

    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < g->nvars[c]; i++) {
            snprintf(reg, sizeof(reg), "%s%d", g_prefix[c], g->vars[c][i]);
            if (g_chance(g, 70))
                say_last(g, slot++, (enum class)c, reg);
        }
    for (; slot < LAST; slot++) {
        enum class c = slot % 3 ? R : D;
        say_last(g, slot, c, g_register(g, c, false).text);
    }
    say_fixed(g, "DONE: ret;\n}");
}

void generate(struct program *p, uint64_t seed, bool structured)
{
    struct gen g = { .p = p, .structured = structured, .random = seed * 0x9e3779b97f4a7c15ull + 12345 };
    unsigned at;
    char text[200];

    *p = (struct program){ .seed = seed };
    g_pick(&g, 2);
    shape(&g);
    say_fixed(&g, ".version 8.0\n.target sm_80\n.address_size 64");
    tables(&g);
    say_fixed(&g, ".extern .shared .align 16 .b8 extra[];");
    functions(&g);
    g.has_local = g_chance(&g, 50);
    g.has_shared = g_chance(&g, 50);
    p->dynamic_shared = g.has_shared && g_chance(&g, 40) ? 16 * p->block[0] * p->block[1] * p->block[2] : 0;
    g.plain = g_chance(&g, 50);
    say_fixed(&g, ".visible .entry k(.param .u64 in, .param .u64 own, .param .u64 rows, .param .u64 sums, .param .u64 last, .param .u32 n, .param .u32 w,\n"
                  ".param .f32 x, .param .u32 zero, .param .u64 big)\n{");
    at = p->nlines;
    say_fixed(&g, "");
    if (g.has_local)
        say_fixed(&g, ".local .align 16 .b8 stack[128];");
    snprintf(text, sizeof(text), ".shared .align 16 .b8 board[%u];", 16 * p->block[0] * p->block[1] * p->block[2] + 64);
    if (g.has_shared)
        say_fixed(&g, text);
    memset(g.pool, 0, sizeof(g.pool));
    g.flow = (struct flow){ .uniform = true, .mask = "0xffffffff", .leave = -1, .next = -1 };
    place(&g);
    arguments(&g);
    variables(&g);
    for (int i = 0; g.has_local && i < 8; i++) {
        snprintf(text, sizeof(text), "st.local.v4.u32 [stack+%d], {%%r0, %%r2, %%r5, %d};", 16 * i, i);
        say_fixed(&g, text);
    }
    g.budget = 10 + (int)g_pick(&g, 60);
    g_statements(&g, 1000);
    end(&g);
    declare_registers(&g, at);
}
