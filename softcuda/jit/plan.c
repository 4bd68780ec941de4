/* plan.c - shapes, guards and runs of one function, to a fixed point.
 *
 * Shapes depend on guards (a register written where lanes are apart is varying) and guards on shapes (a branch on a varying predicate
 * takes lanes apart); both only ever rise, so the two are repeated until nothing moves. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/local.h"
#include "src/util/arena.h"

static void *take(struct plan *p, size_t n, size_t size)
{
    void *block = gpudl__arena_alloc(&p->arena, n * size + 1);

    return block ? memset(block, 0, n * size + 1) : NULL;
}

/* ---- facts that do not move */

static void shape_tid(struct plan *p)
{
    const uint32_t x = p->ntid[0], y = p->ntid[1], z = p->ntid[2];
    const struct shape uniform = { .kind = SHAPE_UNIFORM }, varying = { .kind = SHAPE_VARYING };
    bool flat = y == 1 && z == 1;

    p->tid[0] = p->tid[1] = p->tid[2] = varying;
    p->group = SC_LANES;
    if (flat || x % SC_LANES == 0) {
        p->tid[0] = (struct shape){ .kind = SHAPE_AFFINE, .s = 1, .t = SC_LANES };
        p->tid[1] = p->tid[2] = uniform;
        return;
    }
    if (SC_LANES % x)
        return;
    p->group = x;
    p->tid[0] = x == 1 ? uniform : (struct shape){ .kind = SHAPE_AFFINE, .s = 1 };
    if (z != 1 && x * y % SC_LANES)
        return;
    p->tid[1] = (struct shape){ .kind = SHAPE_AFFINE, .t = 1 };
    p->tid[2] = uniform;
}

static void count_def(void *context, uint32_t reg)
{
    ((uint32_t *)context)[reg]++;
}

static void scan(struct plan *p)
{
    const struct ptx_func *f = p->func;

    for (uint32_t b = 0; b < p->cfg->nblocks; b++) {
        const struct cfg_block *block = &p->cfg->blocks[b];
        const struct ptx_insn *first = &f->insns[block->first];

        p->exit_only[b] = block->end == block->first + 1 && (first->op == PTX_I_ret || first->op == PTX_I_exit) &&
                          first->guard.kind == PTX_OP_NONE;
        for (uint32_t i = block->first; i < block->end; i++) {
            const struct ptx_insn *in = &f->insns[i];
            insn_defs(in, count_def, p->ndefs);
            insn_uses(in, count_def, p->nuses);
            p->has_barrier |= (in->op == PTX_I_bar || in->op == PTX_I_barrier) && !ptx_has(in, PTX_M_warp);
            p->has_exit |= in->op == PTX_I_exit;
            p->has_call |= in->op == PTX_I_call;
        }
    }
}

/* ---- spin loops: a branch inside depends on what an atomic or a strong load inside returned */

struct taint { bool *reg; bool hit, grew; };

static void taint_use(void *context, uint32_t reg)
{
    struct taint *t = context;
    t->hit |= t->reg[reg];
}

static void taint_def(void *context, uint32_t reg)
{
    struct taint *t = context;
    t->grew |= !t->reg[reg];
    t->reg[reg] = true;
}

static void count_used(void *context, uint32_t reg)
{
    struct { const struct plan *p; bool used; } *c = context;
    c->used |= c->p->nuses[reg] > 0;
}

static bool reads_others(const struct plan *p, const struct ptx_insn *in)
{
    struct { const struct plan *p; bool used; } c = { p, false };

    bool waits = in->op == PTX_I_mbarrier && (ptx_has(in, PTX_M_test_wait) || ptx_has(in, PTX_M_try_wait));

    if (in->op != PTX_I_atom && !waits && !(in->op == PTX_I_ld && insn_is_strong(in)))
        return false;
    insn_defs(in, count_used, &c);
    return c.used;
}

static bool loop_spins(struct plan *p, const struct cfg_loop *loop, bool *reg)
{
    struct taint t = { .reg = reg };
    bool branch = false;

    memset(reg, 0, p->func->nregs * sizeof(*reg));
    do {
        t.grew = false;
        for (uint32_t i, b = loop->first; b < loop->end; b++)
            for (i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++) {
                const struct ptx_insn *in = &p->func->insns[i];
                t.hit = reads_others(p, in);
                insn_uses(in, taint_use, &t);
                if (!t.hit)
                    continue;
                insn_defs(in, taint_def, &t);
                branch |= insn_is_terminator(in);
            }
    } while (t.grew && !branch);
    return branch;
}

static bool find_spins(struct plan *p)
{
    bool *reg = calloc(p->func->nregs + 1, sizeof(*reg));

    if (!reg)
        return false;
    for (uint32_t l = 0; l < p->cfg->nloops; l++) {
        p->spins[l] = loop_spins(p, &p->cfg->loops[l], reg);
        p->has_spin |= p->spins[l];
    }
    free(reg);
    return true;
}

/* ---- where lanes meet again: post-dominators that do not see edges to a bare ret, since lanes that leave are waited for by nobody */

static uint32_t meet(const uint32_t *ipdom, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == CFG_EXIT || b == CFG_EXIT)
            return CFG_EXIT;
        if (a < b)
            a = ipdom[a];
        else
            b = ipdom[b];
    }
    return a;
}

struct meeting { uint32_t *ipdom, at; bool any; };

static void meet_also(struct meeting *m, const struct plan *p, uint32_t s)
{
    if (p->exit_only[s])
        return;
    m->at = m->any ? meet(m->ipdom, m->at, s) : s;
    m->any = true;
}

/* Where lanes go that take the back edge from k to s: to the exits of that loop, in the end. */
static void meet_after_loop(struct meeting *m, const struct plan *p, uint32_t k, uint32_t s)
{
    int32_t l = p->cfg->blocks[k].loop;

    while (l >= 0 && (s < p->cfg->loops[l].first || s >= p->cfg->loops[l].end))
        l = p->cfg->loops[l].parent;
    if (l < 0)
        return;
    for (uint32_t b = p->cfg->loops[l].first; b < p->cfg->loops[l].end; b++)
        for (uint32_t i = 0; i < p->cfg->blocks[b].nsucc; i++)
            if (p->cfg->blocks[b].succ[i] >= p->cfg->loops[l].end)
                meet_also(m, p, p->cfg->blocks[b].succ[i]);
}

/* Layout order is a reverse post-order, so without back edges a block's meeting point has a larger number: walking numbers upwards, as
 * meet() does, ends. */
static uint32_t *meeting_points(struct plan *p)
{
    uint32_t n = p->cfg->nblocks, *ipdom = take(p, n, sizeof(*ipdom));

    for (uint32_t k = n; ipdom && k-- > 0;) {
        const struct cfg_block *b = &p->cfg->blocks[k];
        struct meeting m = { .ipdom = ipdom, .at = CFG_EXIT };
        for (uint32_t i = 0; i < b->nsucc; i++)
            if (b->succ[i] > k)
                meet_also(&m, p, b->succ[i]);
            else
                meet_after_loop(&m, p, k, b->succ[i]);
        ipdom[k] = m.at;
    }
    return ipdom;
}

/* ---- guards */

static bool guard_block(struct plan *p, uint32_t b)
{
    bool rose = !p->guarded[b];
    p->guarded[b] = true;
    return rose;
}

/* Everything that lanes can reach from the successors of b before they meet at stop. */
static bool guard_region(struct plan *p, uint32_t b, uint32_t stop, uint32_t *stack, bool *seen)
{
    uint32_t n = 0;
    bool rose = false;

    memset(seen, 0, p->cfg->nblocks * sizeof(*seen));
    stack[n++] = b;
    while (n) {
        const struct cfg_block *block = &p->cfg->blocks[stack[--n]];
        for (uint32_t i = 0; i < block->nsucc; i++) {
            uint32_t s = block->succ[i];
            if (s == stop || seen[s] || p->exit_only[s])
                continue;
            seen[s] = true;
            rose |= guard_block(p, s);
            stack[n++] = s;
        }
    }
    return rose;
}

static const struct ptx_insn *last_insn(const struct plan *p, uint32_t b)
{
    return &p->func->insns[p->cfg->blocks[b].end - 1];
}

static bool branches_apart(const struct plan *p, uint32_t b)
{
    const struct ptx_insn *in = last_insn(p, b);
    const struct cfg_block *block = &p->cfg->blocks[b];

    if (in->op == PTX_I_brx && plan_operand_shape(p, &in->ops[0]).kind > SHAPE_UNIFORM)
        return true;
    if (in->op != PTX_I_bra || in->guard.kind == PTX_OP_NONE || p->shapes[in->guard.index].kind <= SHAPE_UNIFORM)
        return false;
    return block->nsucc == 2 && block->succ[0] != block->succ[1] && !p->exit_only[block->succ[0]] && !p->exit_only[block->succ[1]];
}

/* A run must be left at its end only: whatever else its blocks lead to, and all between, joins it. */
static bool close_runs(struct plan *p)
{
    const struct cfg *g = p->cfg;
    bool rose = false, again;

    do {
        again = false;
        for (uint32_t first = 0; first < g->nblocks; first++) {
            uint32_t end, lowest, highest;
            bool head = branches_apart(p, first) && !p->guarded[first];
            if (!head && !p->guarded[first])
                continue;
            for (end = first + 1; end < g->nblocks && p->guarded[end]; end++) {}
            lowest = first;
            highest = end;
            for (uint32_t b = first; b < end; b++)
                for (uint32_t i = 0; i < g->blocks[b].nsucc; i++) {
                    uint32_t s = g->blocks[b].succ[i];
                    if (p->exit_only[s])
                        continue;
                    if (s < lowest || (head && s == first))
                        lowest = s;
                    if (s > highest)
                        highest = s;
                    if (head && s <= first)
                        again |= guard_block(p, first);
                }
            for (uint32_t b = lowest; b < first; b++)
                again |= guard_block(p, b);
            for (uint32_t b = end; b < highest; b++)
                again |= guard_block(p, b);
            first = end - 1;
        }
        rose |= again;
    } while (again);
    return rose;
}

static bool raise_guards(struct plan *p, const uint32_t *ipdom, uint32_t *stack, bool *seen, bool *done)
{
    const struct cfg *g = p->cfg;
    bool rose = false;

    for (uint32_t b = 0; b < g->nblocks; b++) {
        if (done[b] || !branches_apart(p, b))
            continue;
        done[b] = true;
        rose |= guard_region(p, b, ipdom[b], stack, seen);
    }
    rose |= close_runs(p);
    /* Lanes may leave a spin loop while others stay in it, and those may wait for what the first do next. */
    for (uint32_t l = 0; l < g->nloops; l++) {
        if (!p->spins[l])
            continue;
        for (uint32_t b = g->loops[l].first; b < g->loops[l].end; b++)
            if (p->guarded[b] && !done[g->nblocks + l]) {
                done[g->nblocks + l] = true;
                rose |= guard_block(p, g->loops[l].first);
                rose |= guard_region(p, g->loops[l].first, CFG_EXIT, stack, seen);
            }
    }
    return rose | close_runs(p);
}

/* ---- shapes */

struct raise { struct plan *p; uint32_t block; struct shape shape; bool rose; };

static void raise_reg(void *context, uint32_t reg)
{
    struct raise *r = context;
    struct plan *p = r->p;
    struct shape old = p->shapes[reg], now = r->shape;

    if (now.kind == SHAPE_NONE || old.kind == SHAPE_VARYING)
        return;
    if (p->func->regs[reg].type == PTX_PRED && now.kind > SHAPE_UNIFORM)
        now.kind = SHAPE_VARYING;
    if (p->guarded[r->block] && now.kind != SHAPE_VARYING && !plan_keeps_together(p, reg, r->block))
        now.kind = SHAPE_VARYING;
    if (old.kind != SHAPE_NONE && !shape_equal(old, now))
        now.kind = SHAPE_VARYING;
    if (now.kind == SHAPE_VARYING)
        now = (struct shape){ .kind = SHAPE_VARYING };
    if (!shape_equal(old, now)) {
        p->shapes[reg] = now;
        r->rose = true;
    }
}

static bool raise_shapes(struct plan *p)
{
    bool rose = false;

    for (uint32_t b = 0; b < p->cfg->nblocks; b++)
        for (uint32_t i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++) {
            const struct ptx_insn *in = &p->func->insns[i];
            struct raise r = { .p = p, .block = b };
            bool carry = ptx_has(in, PTX_M_cc);
            if (!carry && !insn_has_dst(in) && !in->call)
                continue;
            r.shape = plan_result_shape(p, in, b);
            if (carry && (r.shape.kind > SHAPE_UNIFORM || p->guarded[b]) && !p->carry_varying)
                rose = p->carry_varying = true;
            insn_defs(in, raise_reg, &r);
            rose |= r.rose;
        }
    return rose;
}

/* Registers that nobody gives a value are uniform, too, and what is made of them is written under guards all the same. */
static bool settle(struct plan *p)
{
    bool rose = false;

    for (uint32_t r = 0; r < p->func->nregs; r++)
        if (p->shapes[r].kind == SHAPE_NONE) {
            p->shapes[r].kind = SHAPE_UNIFORM;
            rose = true;
        }
    return rose;
}

/* What a call gives to parameters that are registers is not known here: each lane may have its own. */
static void give_params_shapes(struct plan *p)
{
    for (uint32_t i = 0; i < p->func->nparams; i++)
        if (p->func->params[i].in_reg)
            p->shapes[p->func->params[i].reg].kind = SHAPE_VARYING;
}

static bool fix_shapes_and_guards(struct plan *p)
{
    uint32_t n = p->cfg->nblocks, *ipdom = meeting_points(p);
    uint32_t *stack = calloc(n + 1, sizeof(*stack));
    bool *seen = calloc(n + 1, sizeof(*seen)), *done = calloc(n + p->cfg->nloops + 1, sizeof(*done));
    bool ok = ipdom && stack && seen && done;

    give_params_shapes(p);
    while (ok && ((raise_shapes(p) | raise_guards(p, ipdom, stack, seen, done)) || settle(p))) {}
    free(stack);
    free(seen);
    free(done);
    return ok;
}

/* ---- runs */

bool plan_block_parks(const struct plan *p, uint32_t b)
{
    const struct ptx_insn *in = &p->func->insns[p->cfg->blocks[b].first];
    int32_t l = p->cfg->blocks[b].loop;

    for (; l >= 0; l = p->cfg->loops[l].parent)
        if (p->spins[l])
            return true;
    return cfg_is_wait(in) && in->op != PTX_I_call;
}

static bool find_runs(struct plan *p)
{
    uint32_t n = p->cfg->nblocks;

    p->runs = take(p, n, sizeof(*p->runs));
    p->run_of = take(p, n, sizeof(*p->run_of));
    if (!p->runs || !p->run_of)
        return false;
    for (uint32_t b = 0; b < n; b++) {
        struct plan_run *run;
        p->run_of[b] = -1;
        if (!p->guarded[b])
            continue;
        if (b == 0 || !p->guarded[b - 1])
            p->runs[p->nruns++] = (struct plan_run){ .first = b };
        p->run_of[b] = (int32_t)p->nruns - 1;
        run = &p->runs[p->nruns - 1];
        run->end = b + 1;
        run->parks |= plan_block_parks(p, b);
    }
    return true;
}

/* ---- all of it */

static bool allocate(struct plan *p)
{
    const struct ptx_func *f = p->func;

    p->local_offset = take(p, f->nvars, sizeof(*p->local_offset));
    p->param_offset = take(p, f->nparams, sizeof(*p->param_offset));
    p->shapes = take(p, f->nregs, sizeof(*p->shapes));
    p->ndefs = take(p, f->nregs, sizeof(*p->ndefs));
    p->nuses = take(p, f->nregs, sizeof(*p->nuses));
    p->def_block = take(p, f->nregs, sizeof(*p->def_block));
    p->dense = take(p, f->nregs, sizeof(*p->dense));
    p->guarded = take(p, p->cfg->nblocks, sizeof(*p->guarded));
    p->exit_only = take(p, p->cfg->nblocks, sizeof(*p->exit_only));
    p->spins = take(p, p->cfg->nloops, sizeof(*p->spins));
    return p->local_offset && p->param_offset && p->shapes && p->ndefs && p->nuses && p->def_block && p->dense && p->guarded &&
           p->exit_only && p->spins;
}

struct plan *plan_make(const struct ptx_module *module, const struct ptx_func *func, const uint32_t ntid[3])
{
    struct plan *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->module = module;
    p->func = func;
    memcpy(p->ntid, ntid, sizeof(p->ntid));
    p->cfg = cfg_build(func);
    if (p->cfg && allocate(p)) {
        p->takes_params = local_takes_params(func);
        p->local_frame = local_lay_out(func, p->local_offset, p->param_offset);
        shape_tid(p);
        scan(p);
        p->local_inside = !p->takes_params && local_stays_inside(p);
        if (find_spins(p) && plan_find_liveness(p) && fix_shapes_and_guards(p) && find_runs(p) && plan_find_regions(p))
            return p;
    }
    plan_destroy(p);
    return NULL;
}

void plan_destroy(struct plan *p)
{
    if (!p)
        return;
    cfg_destroy(p->cfg);
    gpudl__arena_free(&p->arena);
    free(p);
}
