#include <stdlib.h>

#include "softcuda/jit/jit.h"
#include "softcuda/run/grid.h"
#include "tests/jit/harness.h"

uint32_t out[OUT_WORDS] __attribute__((aligned(64)));

static struct sc_worker *worker_of_this_thread(void)
{
    static struct sc_worker *worker;

    if (!worker) {
        sc_fault_thread_init();
        sc_fault_claim_signals();
        worker = sc_worker_create();
    }
    return worker;
}

static struct ptx_module *parse(const char *text)
{
    struct ptx_error err;
    struct ptx_module *m = ptx_parse(text, strlen(text), &err);

    if (!m)
        fail_msg("line %u: %s", err.pos.line, err.text);
    return m;
}

/* g: what is to be known of the grid beside its shape; and what became of it. */
static void run_grid(const char *text, struct shape3 grid, struct shape3 block, unsigned dynamic_shared, struct sc_grid *g)
{
    struct ptx_module *m = parse(text);
    uint64_t globals[64] = { 0 }, param = (uintptr_t)out;
    struct jit_kernel_info info;
    struct jit_unit *unit;
    struct jit_error err;
    struct jit_code code;
    const struct ptx_func *k = ptx_find_entry(m, "k");
    unsigned char *range = calloc(1 << 20, 1), *at = range;

    memcpy(g->nctaid, (uint32_t[]){ grid.x, grid.y, grid.z }, sizeof(g->nctaid));
    memcpy(g->ntid, (uint32_t[]){ block.x, block.y, block.z }, sizeof(g->ntid));
    g->params = (void *)&param;
    g->globals = globals;
    memset(out, 0, sizeof(out));
    if (jit_check(m, &err) || jit_unit_create(m, &unit, &err))
        fail_msg("line %u: %s", err.pos.line, err.text);
    for (uint32_t i = 0; i < m->nvars; i++) {
        globals[i] = (uintptr_t)at;
        at += (m->vars[i].size + 63) / 64 * 64;
        if (m->vars[i].init)
            memcpy((void *)(uintptr_t)globals[i], m->vars[i].init, m->vars[i].size);
        for (size_t r = 0; r < m->vars[i].nrelocs; r++) {
            uint64_t address = jit_function_address(unit, m->vars[i].relocs[r].index);
            memcpy((char *)(uintptr_t)globals[i] + m->vars[i].relocs[r].offset, &address, 8);
        }
    }
    if (jit_kernel_info(unit, k, &info) || jit_compile(unit, k, g->ntid, &code, &err))
        fail_msg("%s", err.text);
    g->code = code.run;
    g->code_blocks = code.run_blocks;
    g->may_wait = code.may_wait;
    g->static_shared = info.static_shared_bytes;
    g->dynamic_shared = dynamic_shared;
    g->local_bytes = info.recursive ? 1 << 20 : info.local_bytes * SC_LANES;
    sc_grid_run(g, worker_of_this_thread());
    free(range);
    jit_unit_destroy(unit);
    ptx_module_destroy(m);
}

int run_shaped(const char *text, struct shape3 grid, struct shape3 block, unsigned dynamic_shared)
{
    struct sc_grid g = { .code = NULL };

    run_grid(text, grid, block, dynamic_shared, &g);
    return g.fault;
}

struct fault run_within(const char *text, unsigned grid, unsigned block, unsigned words, unsigned host_words)
{
    struct sc_grid g = { .memory_base = (uintptr_t)out, .memory_size = 4ull * words };

    g.also[0].from = out + words;
    g.also[0].size = 4ull * host_words;
    run_grid(text, (struct shape3){ grid, 1, 1 }, (struct shape3){ block, 1, 1 }, 0, &g);
    return (struct fault){ g.fault, g.fault_thread, g.fault_bytes, g.fault_place.line };
}

int run(const char *text, unsigned grid, unsigned block)
{
    return run_shaped(text, (struct shape3){ grid, 1, 1 }, (struct shape3){ block, 1, 1 }, 0);
}

const char *check(const char *text)
{
    static char said[300];
    struct ptx_module *m = parse(text);
    struct jit_error err;

    said[0] = 0;
    if (jit_check(m, &err))
        snprintf(said, sizeof(said), "%u: %s", err.pos.line, err.text);
    ptx_module_destroy(m);
    return said;
}
