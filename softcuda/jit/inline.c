/* inline.c - copies bodies into callers, on the tree. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/inline.h"
#include "softcuda/jit/local.h"

#define MOST_INSNS (1u << 20)       /* of a function that bodies are copied into; more is left as calls */

enum visit { NEW, OPEN, DONE };

struct inliner {
    const struct ptx_module *old;
    struct ptx_module *module;
    struct arena *arena;
    enum visit *visits;
    bool *take;                     /* functions that are copied into their callers */
    bool failed;
};

/* ---- which */

static bool is_block_barrier(const struct ptx_insn *in)
{
    return (in->op == PTX_I_bar || in->op == PTX_I_barrier) && !ptx_has(in, PTX_M_warp);
}

/* Arguments and parameters are both in memory, or both in registers. */
static bool call_fits(const struct ptx_call *c, const struct ptx_func *g)
{
    if (c->nargs != g->nparams || c->nrets != g->nrets || g->nrets > 1 || local_takes_params(g))
        return false;
    for (uint32_t i = 0; i < c->nargs; i++)
        if (g->params[i].in_reg == (c->args[i].kind == PTX_OP_LOCALVAR || c->args[i].kind == PTX_OP_PARAMVAR))
            return false;
    return !c->nrets || g->rets[0].in_reg == (c->rets[0].kind == PTX_OP_REG);
}

/* ---- growing one function */

struct growth {
    struct inliner *n;
    struct ptx_func *f;             /* the new one */
    struct ptx_insn *insns;
    uint32_t count, capacity;
};

static void *grow(struct growth *g, const void *old, size_t used, size_t more, size_t size)
{
    void *block = gpudl__arena_grow(g->n->arena, old, used * size, (used + more + 1) * size);

    g->n->failed |= !block;
    return block;
}

/* An empty list may be NULL. */
static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

static struct ptx_insn *add_insn(struct growth *g)
{
    if (g->count == g->capacity) {
        struct ptx_insn *insns = grow(g, g->insns, g->count, g->count + 64, sizeof(*insns));
        if (!insns)
            return NULL;
        g->insns = insns;
        g->capacity = 2 * g->count + 64;
    }
    return &g->insns[g->count++];
}

/* What of the callee becomes what in the caller. */
struct mapping {
    const struct ptx_func *callee;
    const struct ptx_call *call;
    uint32_t reg, var, table, proto, insn;      /* where the callee's begin */
    uint32_t *shared;                           /* by variable of the callee: module variable, or UINT32_MAX */
    uint32_t end;                               /* instruction after the body */
};

static void map_operand(struct growth *g, const struct mapping *m, struct ptx_operand *o)
{
    struct ptx_operand *elems;

    switch (o->kind) {
    case PTX_OP_REG: o->index += m->reg; break;
    case PTX_OP_LABEL: o->index += m->insn; break;
    case PTX_OP_LOCALVAR:
        if (m->shared[o->index] != UINT32_MAX) {
            o->kind = PTX_OP_VAR;
            o->index = m->shared[o->index];
        } else {
            o->index += m->var;
        }
        break;
    case PTX_OP_PARAMVAR: case PTX_OP_RETVAR: {
        const struct ptx_operand *outer = o->kind == PTX_OP_PARAMVAR ? &m->call->args[o->index] : &m->call->rets[o->index];
        o->kind = outer->kind;
        o->index = outer->index;
        break;
    }
    case PTX_OP_VECTOR:
        elems = grow(g, o->elems, o->nelems, 0, sizeof(*elems));
        if (!elems)
            return;
        o->elems = elems;
        for (uint32_t i = 0; i < o->nelems; i++)
            map_operand(g, m, &elems[i]);
        break;
    default: break;
    }
}

static void map_call(struct growth *g, const struct mapping *m, struct ptx_insn *in)
{
    struct ptx_call *c = grow(g, in->call, 1, 0, sizeof(*c));

    if (!c)
        return;
    in->call = c;
    map_operand(g, m, &c->target);
    c->args = grow(g, c->args, c->nargs, 0, sizeof(*c->args));
    c->rets = grow(g, c->rets, c->nrets, 0, sizeof(*c->rets));
    for (uint32_t i = 0; !g->n->failed && i < c->nargs; i++)
        map_operand(g, m, &c->args[i]);
    for (uint32_t i = 0; !g->n->failed && i < c->nrets; i++)
        map_operand(g, m, &c->rets[i]);
    if (c->proto >= 0)
        c->proto += (int32_t)m->proto;
}

static void turn_to_branch(struct growth *g, struct ptx_insn *in, uint32_t to)
{
    struct ptx_operand label = { .kind = PTX_OP_LABEL, .index = to };

    in->op = PTX_I_bra;
    in->opcode = "bra";
    in->ops = grow(g, &label, 1, 0, sizeof(label));
    in->nops = 1;
}

static void copy_insn(struct growth *g, const struct mapping *m, const struct ptx_insn *from)
{
    struct ptx_insn *in = add_insn(g);

    if (!in)
        return;
    *in = *from;
    map_operand(g, m, &in->guard);
    if (from->op == PTX_I_ret) {
        turn_to_branch(g, in, m->end);
        return;
    }
    in->ops = grow(g, from->ops, from->nops, 0, sizeof(*in->ops));
    for (unsigned i = 0; in->ops && i < in->nops; i++)
        if (from->op == PTX_I_brx && i == 1)
            in->ops[i].index += m->table;
        else
            map_operand(g, m, &in->ops[i]);
    if (in->call)
        map_call(g, m, in);
}

static void add_mov(struct growth *g, enum ptx_type type, struct ptx_operand to, struct ptx_operand from, const struct ptx_insn *call)
{
    struct ptx_insn *in = add_insn(g);
    struct ptx_operand ops[] = { to, from };

    if (!in)
        return;
    *in = (struct ptx_insn){ .op = PTX_I_mov, .types = { type }, .ntypes = 1, .vec = 1, .opcode = "mov", .nops = 2, .pos = call->pos,
                             .loc_file = call->loc_file, .loc_line = call->loc_line };
    in->ops = grow(g, ops, 2, 0, sizeof(*ops));
}

/* The callee's .shared variables exist once, wherever its body is: they become the module's. */
static bool place_vars(struct growth *g, struct mapping *m)
{
    const struct ptx_func *c = m->callee;
    struct ptx_module *module = g->n->module;

    m->shared = grow(g, NULL, 0, c->nvars, sizeof(*m->shared));
    g->f->vars = grow(g, g->f->vars, g->f->nvars, c->nvars, sizeof(*g->f->vars));
    if (g->n->failed)
        return false;
    m->var = g->f->nvars;
    copy(g->f->vars + m->var, c->vars, c->nvars * sizeof(*c->vars));
    g->f->nvars += c->nvars;
    for (uint32_t i = 0; i < c->nvars; i++) {
        m->shared[i] = UINT32_MAX;
        if (c->vars[i].space != PTX_SHARED || c->vars[i].extern_shared)
            continue;
        g->f->vars[m->var + i].size = 0;
        for (uint32_t v = g->n->old->nvars; v < module->nvars; v++)
            if (module->vars[v].name == c->vars[i].name && module->vars[v].pos.line == c->vars[i].pos.line)
                m->shared[i] = v;
        if (m->shared[i] != UINT32_MAX)
            continue;
        module->vars = grow(g, module->vars, module->nvars, 1, sizeof(*module->vars));
        if (g->n->failed)
            return false;
        module->vars[module->nvars] = c->vars[i];
        m->shared[i] = module->nvars++;
    }
    return true;
}

static bool place_rest(struct growth *g, struct mapping *m)
{
    const struct ptx_func *c = m->callee;
    struct ptx_func *f = g->f;

    f->regs = grow(g, f->regs, f->nregs, c->nregs, sizeof(*f->regs));
    f->tables = grow(g, f->tables, f->ntables, c->ntables, sizeof(*f->tables));
    f->protos = grow(g, f->protos, f->nprotos, c->nprotos, sizeof(*f->protos));
    if (g->n->failed)
        return false;
    m->reg = f->nregs;
    m->table = f->ntables;
    m->proto = f->nprotos;
    copy(f->regs + f->nregs, c->regs, c->nregs * sizeof(*c->regs));
    copy(f->tables + f->ntables, c->tables, c->ntables * sizeof(*c->tables));
    copy(f->protos + f->nprotos, c->protos, c->nprotos * sizeof(*c->protos));
    f->nregs += c->nregs;
    f->ntables += c->ntables;
    f->nprotos += c->nprotos;
    return true;
}

static void shift_tables(struct growth *g, const struct mapping *m)
{
    for (uint32_t t = 0; t < m->callee->ntables; t++) {
        struct ptx_branch_table *table = &g->f->tables[m->table + t];
        uint32_t *targets = grow(g, table->targets, table->n, 0, sizeof(*targets));
        for (uint32_t i = 0; targets && i < table->n; i++)
            targets[i] += m->insn;
        table->targets = targets;
    }
}

static void copy_body(struct growth *g, const struct ptx_insn *call, const struct ptx_func *callee)
{
    struct mapping m = { .callee = callee, .call = call->call };
    struct ptx_operand reg = { .kind = PTX_OP_REG };
    uint32_t skip = UINT32_MAX;

    if (!place_vars(g, &m) || !place_rest(g, &m))
        return;
    if (call->guard.kind != PTX_OP_NONE) {      /* lanes that do not call go around */
        struct ptx_insn *in = add_insn(g);
        if (!in)
            return;
        skip = g->count - 1;
        *in = *call;
        in->call = NULL;
        in->guard.negated = !call->guard.negated;
    }
    for (uint32_t i = 0; i < callee->nparams; i++)
        if (callee->params[i].in_reg) {
            reg.index = m.reg + callee->params[i].reg;
            add_mov(g, callee->params[i].type, reg, call->call->args[i], call);
        }
    m.insn = g->count;
    m.end = m.insn + callee->ninsns;
    shift_tables(g, &m);
    for (uint32_t i = 0; !g->n->failed && i < callee->ninsns; i++)
        copy_insn(g, &m, &callee->insns[i]);
    if (callee->nrets && callee->rets[0].in_reg) {
        reg.index = m.reg + callee->rets[0].reg;
        add_mov(g, callee->rets[0].type, call->call->rets[0], reg, call);
    }
    if (skip != UINT32_MAX && !g->n->failed)
        turn_to_branch(g, &g->insns[skip], g->count);
}

/* ---- one function after those that it calls */

static void finish(struct inliner *n, uint32_t index);

static bool calls_taken(struct inliner *n, const struct ptx_func *f)
{
    bool any = false;

    for (uint32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_call *c = f->insns[i].call;
        if (!c || c->target.kind != PTX_OP_FUNC)
            continue;
        finish(n, c->target.index);
        any |= n->take[c->target.index];
    }
    return any;
}

/* Labels of the caller's own instructions lie elsewhere now. */
static void move_labels(struct growth *g, const uint32_t *where, const bool *own)
{
    for (uint32_t i = 0; i < g->count; i++)
        for (unsigned k = 0; own[i] && k < g->insns[i].nops; k++)
            if (g->insns[i].ops[k].kind == PTX_OP_LABEL && g->insns[i].op != PTX_I_brx) {
                struct ptx_operand *ops = grow(g, g->insns[i].ops, g->insns[i].nops, 0, sizeof(*ops));
                if (!ops)
                    return;
                ops[k].index = where[ops[k].index];
                g->insns[i].ops = ops;
            }
}

static void move_tables(struct growth *g, const struct ptx_func *old, const uint32_t *where)
{
    for (uint32_t t = 0; t < old->ntables; t++) {
        uint32_t *targets = grow(g, old->tables[t].targets, old->tables[t].n, 0, sizeof(*targets));
        for (uint32_t i = 0; targets && i < old->tables[t].n; i++)
            targets[i] = where[targets[i]];
        g->f->tables[t].targets = targets;
    }
}

static void rebuild(struct inliner *n, uint32_t index)
{
    const struct ptx_func *old = &n->old->funcs[index];
    struct growth g = { .n = n, .f = &n->module->funcs[index] };
    uint32_t *where = calloc(old->ninsns + 1, sizeof(*where));
    bool *own = NULL;

    g.f->tables = grow(&g, old->tables, old->ntables, 0, sizeof(*g.f->tables));
    for (uint32_t i = 0; where && i < old->ninsns && !n->failed; i++) {
        const struct ptx_insn *in = &old->insns[i];
        const struct ptx_func *callee = in->call && in->call->target.kind == PTX_OP_FUNC ? &n->module->funcs[in->call->target.index] : NULL;
        where[i] = g.count;
        if (callee && n->take[in->call->target.index] && call_fits(in->call, callee) && g.count + callee->ninsns < MOST_INSNS) {
            copy_body(&g, in, callee);
        } else {
            struct ptx_insn *to = add_insn(&g);
            if (to)
                *to = *in;
        }
    }
    if (where)
        where[old->ninsns] = g.count;
    own = calloc(g.count + 1, sizeof(*own));
    n->failed |= !where || !own;
    for (uint32_t i = 0; !n->failed && i < old->ninsns; i++)
        own[where[i]] = where[i] + 1 == where[i + 1];
    if (!n->failed) {
        move_labels(&g, where, own);
        move_tables(&g, old, where);
        g.f->insns = g.insns;
        g.f->ninsns = g.count;
    }
    free(where);
    free(own);
}

static void finish(struct inliner *n, uint32_t index)
{
    const struct ptx_func *f = &n->old->funcs[index];
    bool barrier = false;

    if (n->visits[index] != NEW || n->failed)
        return;
    n->visits[index] = OPEN;
    if (calls_taken(n, f)) {
        rebuild(n, index);
        barrier = true;
    }
    for (uint32_t i = 0; i < f->ninsns; i++)
        barrier |= is_block_barrier(&f->insns[i]);
    n->take[index] = barrier && !f->entry && !f->declared_only;
    n->visits[index] = DONE;
}

static bool any_barrier_in_functions(const struct ptx_module *m)
{
    for (uint32_t f = 0; f < m->nfuncs; f++)
        for (uint32_t i = 0; !m->funcs[f].entry && i < m->funcs[f].ninsns; i++)
            if (is_block_barrier(&m->funcs[f].insns[i]))
                return true;
    return false;
}

const struct ptx_module *inline_barriers(const struct ptx_module *old, struct arena *arena)
{
    struct inliner n = { .old = old, .arena = arena };

    if (!any_barrier_in_functions(old))
        return old;
    n.module = gpudl__arena_alloc(arena, sizeof(*n.module));
    n.visits = calloc(old->nfuncs, sizeof(*n.visits));
    n.take = calloc(old->nfuncs, sizeof(*n.take));
    n.failed = !n.module || !n.visits || !n.take;
    if (!n.failed) {
        *n.module = *old;
        n.module->funcs = gpudl__arena_grow(arena, old->funcs, old->nfuncs * sizeof(*old->funcs), old->nfuncs * sizeof(*old->funcs));
        n.failed = !n.module->funcs;
    }
    for (uint32_t f = 0; f < old->nfuncs; f++)
        finish(&n, f);
    free(n.visits);
    free(n.take);
    return n.failed ? NULL : n.module;
}
