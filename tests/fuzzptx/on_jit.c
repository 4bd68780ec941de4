/* on_jit.c - the machine is the JIT with the runtime under it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/jit.h"
#include "softcuda/run/grid.h"
#include "tests/fuzzptx/program.h"

const bool machine_may_hang = true;

static struct sc_worker *worker;

bool machine_begin(char why[256])
{
    (void)why;
    return true;
}

static int launch(const struct program *p, const struct ptx_module *m, struct jit_unit *unit, uint8_t *memory, char why[256])
{
    struct arguments arguments = memory_arguments(p, (uint64_t)(uintptr_t)memory);
    const struct ptx_func *k = ptx_find_entry(m, "k");
    struct sc_grid g = { .params = (const unsigned char *)&arguments, .dynamic_shared = p->dynamic_shared };
    uint64_t *globals = calloc(m->nvars + 1, sizeof(*globals));
    struct jit_kernel_info info;
    struct jit_error err = { 0 };
    struct jit_code code;

    memcpy(g.nctaid, p->grid, sizeof(p->grid));
    memcpy(g.ntid, p->block, sizeof(p->block));
    if (jit_kernel_info(unit, k, &info) || jit_compile(unit, k, g.ntid, &code, &err)) {
        snprintf(why, 256, "compile: %.200s", err.text);
        return -1;
    }
    for (uint32_t i = 0; i < m->nvars; i++) {
        globals[i] = (uintptr_t)aligned_alloc(64, (m->vars[i].size + 127) / 64 * 64);
        if (m->vars[i].init)
            memcpy((void *)(uintptr_t)globals[i], m->vars[i].init, m->vars[i].size);
    }
    g.globals = globals;
    g.code = code.run;
    g.code_blocks = code.run_blocks;
    g.may_wait = code.may_wait;
    g.static_shared = info.static_shared_bytes;
    g.local_bytes = info.recursive ? 1 << 20 : info.local_bytes * SC_LANES;
    g.memory_base = (uintptr_t)memory;
    g.memory_size = memory_size(p);
    for (unsigned i = 0; i < 2 && i < m->nvars; i++) {
        g.also[i].from = (void *)(uintptr_t)globals[i];
        g.also[i].size = m->vars[i].size;
    }
    sc_grid_run(&g, worker);
    if (g.fault != -1)
        snprintf(why, 256, "fault %d at in+%lld, thread %u", g.fault, (long long)(g.fault_address - (uintptr_t)memory), g.fault_thread);
    for (uint32_t i = 0; i < m->nvars; i++)
        free((void *)(uintptr_t)globals[i]);
    free(globals);
    return g.fault == -1 ? 0 : -1;
}

int machine_run(const struct program *p, const char *text, uint8_t *memory, char why[256])
{
    struct ptx_error parse_error;
    struct ptx_module *m = ptx_parse(text, strlen(text), &parse_error);
    struct jit_unit *unit = NULL;
    struct jit_error err = { 0 };
    int failed = -1;

    if (!worker) {
        sc_fault_thread_init();
        sc_fault_claim_signals();
        worker = sc_worker_create();
    }
    if (!m)
        snprintf(why, 256, "line %u: %.200s", parse_error.pos.line, parse_error.text);
    else if (jit_check(m, &err) || jit_unit_create(m, &unit, &err))
        snprintf(why, 256, "line %u: %.200s", err.pos.line, err.text);
    else
        failed = launch(p, m, unit, memory, why);
    jit_unit_destroy(unit);
    ptx_module_destroy(m);
    return failed;
}
