/* report.c - see report.h. */
#include "softcuda/api/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct line { char text[1024]; size_t n; };

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(l->text + l->n, sizeof(l->text) - l->n, format, args);
    va_end(args);
    if (n > 0)
        l->n = l->n + (size_t)n < sizeof(l->text) ? l->n + (size_t)n : sizeof(l->text) - 1;
}

static const char *what(int fault)
{
    switch (fault) {
    case SC_FAULT_TRAP:                return "trap";
    case SC_FAULT_ILLEGAL_ADDRESS:     return "illegal address";
    case SC_FAULT_MISALIGNED:          return "misaligned address";
    case SC_FAULT_ASSERT:              return "assertion failed";
    case SC_FAULT_STACK_OVERFLOW:      return "stack overflow";
    case SC_FAULT_ILLEGAL_INSTRUCTION: return "illegal instruction";
    case SC_FAULT_BAD_CALL:            return "call of what is no function";
    case SC_FAULT_DEADLOCK:            return "barrier that cannot complete";
    case SC_FAULT_RESOURCES:           return "no memory for stacks";
    case SC_FAULT_TIMEOUT:             return "out of time";
    default:                           return "fault";
    }
}

static void add_where(struct line *l, const struct sc_grid *g)
{
    uint32_t t = g->fault_thread, x = g->ntid[0], y = g->ntid[1];

    if (g->fault == SC_FAULT_TIMEOUT) {
        add(l, " (SOFTCUDA_TIMEOUT is %g s)", sc_timeout_seconds());
        return;
    }
    add(l, ", block (%u,%u,%u)", g->fault_ctaid[0], g->fault_ctaid[1], g->fault_ctaid[2]);
    if (t != UINT32_MAX)
        add(l, ", thread (%u,%u,%u)", t % x, t / x % y, t / x / y);
}

static void add_place(struct line *l, const struct sc_place *p, const struct ptx_module *m)
{
    if (!p->line)
        return;
    if (p->file < m->nfiles && m->files[p->file])
        add(l, ", at %s:%u", m->files[p->file], p->line);
    else
        add(l, ", at line %u", p->line);
}

static const char *kind(const struct mem_info *m)
{
    switch (m->kind) {
    case MEM_HOST:       return "page-locked host memory";
    case MEM_REGISTERED: return "registered host memory";
    case MEM_MANAGED:    return "managed memory";
    case MEM_MODULE:     return "variables of a module";
    default:             return "device memory";
    }
}

/* Memory that is there: then it is another device's, or the access crosses its end. */
static bool add_holder(struct line *l, CUcontext c, uint64_t address)
{
    struct mem_info m;

    if (!sc_mem_find(address, &m))
        return false;
    add(l, "; the address lies in %s of %" PRIu64 " bytes at 0x%" PRIx64, kind(&m), m.size, m.start);
    if (m.device != c->device->ordinal)
        add(l, " of device %d, which this context has no access to", m.device);
    return true;
}

static void add_neighbour(struct line *l, const struct sc_devmem_info *d, uint64_t distance, const char *side)
{
    add(l, "; the nearest allocation, 0x%" PRIx64 " of %" PRIu64 " bytes, %s %" PRIu64 " bytes %s", d->start, d->size,
        side[0] == 'b' ? "ends" : "begins", distance, side[0] == 'b' ? "before it" : "behind it");
}

static void add_neighbours(struct line *l, CUcontext c, uint64_t address)
{
    struct sc_devmem_info below, above;
    uint64_t down, up;

    if (!sc_devmem_contains(c->device->memory, address)) {
        if (address < 4096)
            add(l, "; a null pointer?");
        else
            add(l, "; it is no device memory: host memory must be allocated or registered with the driver");
        return;
    }
    sc_devmem_near(c->device->memory, address, &below, &above);
    if (below.size && address - below.start < below.size) {     /* what no pointer of the program leads to */
        add(l, "%s", below.kind == SC_KIND_HEAP ? "; the address lies in what device code allocated" : "; the access leaves its array or surface");
        return;
    }
    down = below.size ? address - (below.start + below.size) : UINT64_MAX;
    up = above.size ? above.start - address : UINT64_MAX;
    if (below.size && down <= up)
        add_neighbour(l, &below, down, "below");
    else if (above.size)
        add_neighbour(l, &above, up, "above");
}

void sc_report_fault(const struct sc_kernel_work *w)
{
    const char *quiet = secure_getenv("SOFTCUDA_QUIET");
    const struct sc_grid *g = &w->grid;
    CUcontext c = w->f->module->context;
    struct line l = { .n = 0 };

    add(&l, "softcuda: kernel %s: %s", w->f->kernel->func->name, what(g->fault));
    if (g->fault == SC_FAULT_ILLEGAL_ADDRESS || g->fault == SC_FAULT_MISALIGNED) {
        add(&l, " 0x%" PRIx64, g->fault_address);
        if (g->fault_bytes)
            add(&l, " (%u bytes)", g->fault_bytes);
    }
    add_where(&l, g);
    add_place(&l, &g->fault_place, w->f->module->program->ptx);
    if (g->fault == SC_FAULT_ILLEGAL_ADDRESS && !add_holder(&l, c, g->fault_address))
        add_neighbours(&l, c, g->fault_address);
    sc_log(l.text);
    if (!quiet || !*quiet || *quiet == '0')
        fprintf(stderr, "%s\n", l.text);
}
