/* reach.c - walks calls from a kernel; lays out the shared memory of what it finds. */
#include <string.h>

#include "softcuda/jit/local.h"
#include "softcuda/jit/reach.h"

struct walk {
    const struct ptx_module *module;
    struct reach *r;
    bool *on_path;
};

static void visit(struct walk *w, uint32_t index);

static void visit_call(struct walk *w, const struct ptx_call *call)
{
    if (call->target.kind == PTX_OP_FUNC) {
        visit(w, call->target.index);
        return;
    }
    w->r->has_pointers = true;
    w->r->recursive = true;
    for (uint32_t f = 0; f < w->module->nfuncs; f++)
        if (w->module->funcs[f].address_taken)
            visit(w, f);
}

static void visit(struct walk *w, uint32_t index)
{
    const struct ptx_func *f = &w->module->funcs[index];

    if (w->on_path[index])
        w->r->recursive = true;
    if (w->r->functions[index] || f->declared_only)
        return;
    w->r->functions[index] = true;
    w->on_path[index] = true;
    for (uint32_t i = 0; i < f->ninsns; i++) {
        if (f->insns[i].call)
            visit_call(w, f->insns[i].call);
        w->r->calls_exit |= f->insns[i].op == PTX_I_exit && !f->entry;
    }
    w->on_path[index] = false;
}

static int64_t place(struct reach *r, const struct ptx_var *v)
{
    uint32_t align = v->align ? v->align : 1, at = (r->shared_used + align - 1) / align * align;

    r->shared_used = at + (uint32_t)v->size;
    return at;
}

static void place_operand(struct reach *r, const struct ptx_module *m, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_VAR && m->vars[o->index].space == PTX_SHARED && !m->vars[o->index].extern_shared &&
        r->shared_offset[o->index] < 0)
        r->shared_offset[o->index] = place(r, &m->vars[o->index]);
    for (uint32_t i = 0; o->kind == PTX_OP_VECTOR && i < o->nelems; i++)
        place_operand(r, m, &o->elems[i]);
}

static bool lay_out(struct reach *r, const struct ptx_module *m, uint32_t index)
{
    const struct ptx_func *f = &m->funcs[index];
    int64_t *offsets = gpudl__arena_alloc(&r->arena, (f->nvars + 1) * sizeof(*offsets));

    if (!offsets)
        return false;
    for (uint32_t v = 0; v < f->nvars; v++)
        offsets[v] = f->vars[v].space == PTX_SHARED && !f->vars[v].extern_shared ? place(r, &f->vars[v]) : -1;
    for (uint32_t i = 0; i < f->ninsns; i++)
        for (unsigned k = 0; k < f->insns[i].nops; k++)
            place_operand(r, m, &f->insns[i].ops[k]);
    r->func_shared[index] = offsets;
    return true;
}

static void *zeroed(struct arena *a, size_t size)
{
    void *block = gpudl__arena_alloc(a, size + 1);

    return block ? memset(block, 0, size + 1) : NULL;
}

int reach_find(const struct ptx_module *m, const struct ptx_func *kernel, struct reach *r)
{
    struct walk w = { .module = m, .r = r };

    memset(r, 0, sizeof(*r));
    r->functions = zeroed(&r->arena, m->nfuncs * sizeof(*r->functions));
    w.on_path = zeroed(&r->arena, m->nfuncs * sizeof(*w.on_path));
    r->func_shared = zeroed(&r->arena, m->nfuncs * sizeof(*r->func_shared));
    r->shared_offset = zeroed(&r->arena, m->nvars * sizeof(*r->shared_offset));
    if (!r->functions || !w.on_path || !r->func_shared || !r->shared_offset)
        return -1;
    for (uint32_t v = 0; v < m->nvars; v++)
        r->shared_offset[v] = -1;
    visit(&w, (uint32_t)(kernel - m->funcs));
    for (uint32_t f = 0; f < m->nfuncs; f++)
        if (r->functions[f] && !lay_out(r, m, f))
            return -1;
    r->static_shared = (r->shared_used + 15) / 16 * 16;
    return 0;
}

void reach_release(struct reach *r)
{
    gpudl__arena_free(&r->arena);
}

uint32_t reach_local_bytes(const struct ptx_module *m, const struct ptx_func *f, const struct reach *r, unsigned depth)
{
    uint32_t deepest = 0;

    if (depth > m->nfuncs || f->declared_only)
        return 0;
    for (uint32_t i = 0; i < f->ninsns && !r->recursive; i++) {
        const struct ptx_call *call = f->insns[i].call;
        uint32_t below;
        if (!call || call->target.kind != PTX_OP_FUNC)
            continue;
        below = reach_local_bytes(m, &m->funcs[call->target.index], r, depth + 1);
        deepest = below > deepest ? below : deepest;
    }
    return local_lay_out(f, NULL, NULL) + deepest;
}
