#include "tests/fuzzptx/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/interp/interp.h"

void program_add(struct program *p, bool fixed, char *text)
{
    if (p->nlines == p->room) {
        p->room = p->room ? 2 * p->room : 256;
        p->lines = realloc(p->lines, p->room * sizeof(*p->lines));
    }
    p->lines[p->nlines++] = (struct line){ text, fixed, p->group };
}

char *program_text(const struct program *p)
{
    size_t size = 1;
    char *text, *end;

    for (unsigned i = 0; i < p->nlines; i++)
        size += strlen(p->lines[i].text) + 1;
    text = end = malloc(size);
    *text = 0;
    for (unsigned i = 0; i < p->nlines; i++)
        end += sprintf(end, "%s\n", p->lines[i].text);
    return text;
}

void program_clear(struct program *p)
{
    for (unsigned i = 0; i < p->nlines; i++)
        free(p->lines[i].text);
    free(p->lines);
    memset(p, 0, sizeof(*p));
}

uint32_t program_threads(const struct program *p)
{
    return p->grid[0] * p->grid[1] * p->grid[2] * p->block[0] * p->block[1] * p->block[2];
}

/* ---- memory */

struct arguments memory_arguments(const struct program *p, uint64_t address)
{
    struct arguments a = p->arguments;
    uint64_t threads = program_threads(p);

    a.in = address;
    a.own = a.in + IN_BYTES;
    a.rows = a.own + OWN_BYTES * threads;
    a.sums = a.rows + (ROWS * 4 * threads + 15) / 16 * 16;
    a.last = a.sums + (SUMS + 4) * 4;
    return a;
}

size_t memory_size(const struct program *p)
{
    return memory_arguments(p, 0).last + (size_t)LAST * 8 * program_threads(p);
}

void memory_fill(const struct program *p, uint8_t *memory)
{
    uint64_t x = p->seed * 2 + 1;

    memset(memory, 0, memory_size(p));
    for (unsigned i = 0; i < IN_BYTES / 4; i++) {
        uint32_t v;
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        v = (uint32_t)(x >> 32);
        v = v % 4 == 0 ? v : v % 4 == 1 ? v >> 26 : v % 4 == 2 ? 0x3f800000 + (v >> 8 << 3) : 0u - (v >> 28);
        memcpy(memory + 4 * i, &v, 4);
    }
}

void outcome_clear(struct outcome *o)
{
    free(o->memory);
    free(o->any);
    *o = (struct outcome){ 0 };
}

bool outcome_differs(const struct program *p, const struct outcome *want, const uint8_t *memory, char why[256])
{
    struct arguments at = memory_arguments(p, 0);

    for (size_t i = 0, size = memory_size(p); i < size; i++) {
        const char *where = i < at.own ? "in" : i < at.rows ? "own" : i < at.sums ? "rows" : i < at.last ? "sums" : "last";
        uint64_t offset = i < at.own ? i : i < at.rows ? i - at.own : i < at.sums ? i - at.rows : i < at.last ? i - at.sums : i - at.last;
        uint32_t is, should;
        if (want->any[i] || want->memory[i] == memory[i])
            continue;
        memcpy(&is, memory + i / 4 * 4, 4);
        memcpy(&should, want->memory + i / 4 * 4, 4);
        snprintf(why, 256, "%s+%llu is %#x, should be %#x (threads in all: %u)", where, (unsigned long long)offset / 4 * 4, is, should,
                 program_threads(p));
        return true;
    }
    return false;
}

/* ---- the interpreter */

int run_interpreter(const struct program *p, bool backwards, struct outcome *o, char why[256])
{
    size_t size = memory_size(p);
    char *text = program_text(p);
    struct ptx_error err;
    struct ptx_module *m = ptx_parse(text, strlen(text), &err);
    struct interp_region region;
    struct arguments arguments;
    struct interp_launch launch = { .params = (const uint8_t *)&arguments, .regions = &region, .nregions = 1,
                                    .dynamic_shared = p->dynamic_shared, .max_steps = 6000000, .backwards = backwards };
    const struct ptx_func *k = m ? ptx_find_entry(m, "k") : NULL;
    int failed = -1;

    free(text);
    o->memory = aligned_alloc(64, (size + 63) / 64 * 64);
    o->any = calloc(size, 1);
    memory_fill(p, o->memory);
    region = (struct interp_region){ o->memory, size, o->any };
    arguments = memory_arguments(p, (uint64_t)(uintptr_t)o->memory);
    memcpy(launch.nctaid, p->grid, sizeof(p->grid));
    memcpy(launch.ntid, p->block, sizeof(p->block));
    if (!m)
        snprintf(why, 256, "line %u: %.200s", err.pos.line, err.text);
    else if (!k)
        snprintf(why, 256, "no kernel");
    else
        failed = interp_run(m, k, &launch, why);
    ptx_module_destroy(m);
    return failed;
}
