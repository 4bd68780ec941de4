#include "tests/interp/interp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/interp/parts.h"

void interp_stop(struct interp *in, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    vsnprintf(in->why, 256, why, args);
    va_end(args);
    longjmp(in->out, 1);
}

/* ---- where things lie */

static uint32_t place(uint32_t *end, uint32_t align, uint64_t size)
{
    uint32_t at = (*end + align - 1) / align * align;

    *end = at + (uint32_t)size;
    return at;
}

static uint32_t *place_formals(const struct ptx_param *list, uint32_t n, uint32_t *bytes)
{
    uint32_t *at = calloc(n + 1, sizeof(*at));

    for (uint32_t i = 0; i < n; i++)
        at[i] = place(bytes, list[i].align, list[i].size);
    return at;
}

static void lay_out(struct interp *in, uint32_t f)
{
    const struct ptx_func *func = &in->module->funcs[f];
    struct layout *l = &in->layouts[f];

    l->params = place_formals(func->params, func->nparams, &l->param_bytes);
    l->rets = place_formals(func->rets, func->nrets, &l->ret_bytes);
    l->vars = calloc(func->nvars + 1, sizeof(*l->vars));
    in->func_shared[f] = l->vars;
    for (uint32_t i = 0; i < func->nvars; i++) {
        const struct ptx_var *v = &func->vars[i];
        uint32_t *end = v->space == PTX_SHARED ? &in->static_shared : v->space == PTX_LOCAL ? &l->local_bytes : &l->var_bytes;
        l->vars[i] = place(end, v->align, v->size);
    }
    for (uint32_t i = 0; func == in->kernel && i < func->nparams; i++)
        l->params[i] = func->params[i].offset;
    l->local_bytes = (l->local_bytes + 15) / 16 * 16;
}

static void prepare(struct interp *in)
{
    const struct ptx_module *m = in->module;

    in->layouts = calloc(m->nfuncs + 1, sizeof(*in->layouts));
    in->func_shared = calloc(m->nfuncs + 1, sizeof(*in->func_shared));
    in->shared_offset = calloc(m->nvars + 1, sizeof(*in->shared_offset));
    in->globals = calloc(m->nvars + 1, sizeof(*in->globals));
    for (uint32_t i = 0; i < m->nvars; i++)
        if (m->vars[i].space == PTX_SHARED && !m->vars[i].extern_shared)
            in->shared_offset[i] = place(&in->static_shared, m->vars[i].align, m->vars[i].size);
    for (uint32_t f = 0; f < m->nfuncs; f++)
        lay_out(in, f);
    in->static_shared = (in->static_shared + 15) / 16 * 16;
    for (uint32_t i = 0; i < m->nvars; i++) {
        if (m->vars[i].extern_shared)
            in->shared_offset[i] = in->static_shared;
        if (m->vars[i].space == PTX_SHARED)
            continue;
        in->globals[i] = interp_take(in, (uint32_t)m->vars[i].size, true);
        if (m->vars[i].init)
            memcpy(in->globals[i].bytes, m->vars[i].init, m->vars[i].size);
    }
}

/* ---- operands */

static uint64_t special(struct thread *t, uint32_t sr)
{
    const struct interp_launch *l = t->in->launch;
    uint32_t lane = t->index % INTERP_LANES;

    if (sr >= PTX_SR_LANEMASK_EQ && sr <= PTX_SR_LANEMASK_GT) {
        uint32_t eq = 1u << lane, lt = eq - 1;
        const uint32_t masks[] = { eq, lt | eq, lt, ~lt, ~(lt | eq) };
        return masks[sr - PTX_SR_LANEMASK_EQ];
    }
    if (sr <= PTX_SR_TID_Z)
        return t->tid[sr - PTX_SR_TID_X];
    if (sr <= PTX_SR_NTID_Z)
        return l->ntid[sr - PTX_SR_NTID_X];
    if (sr <= PTX_SR_CTAID_Z)
        return t->in->ctaid[sr - PTX_SR_CTAID_X];
    if (sr <= PTX_SR_NCTAID_Z)
        return l->nctaid[sr - PTX_SR_NCTAID_X];
    if (sr == PTX_SR_LANEID)
        return lane;
    interp_stop(t->in, "a special register that is not the same everywhere");
}

uint64_t interp_address(struct thread *t, const struct ptx_operand *o)
{
    struct frame *f = interp_frame(t);
    const struct ptx_module *m = t->in->module;
    const struct ptx_var *v;

    switch (o->kind) {
    case PTX_OP_VAR:
        v = &m->vars[o->index];
        if (v->space == PTX_SHARED)
            return t->in->shared_offset[o->index] + (uint64_t)o->offset;
        return (uint64_t)(uintptr_t)t->in->globals[o->index].bytes - (v->space == PTX_CONST ? interp_const_base(t->in) : 0) + (uint64_t)o->offset;
    case PTX_OP_LOCALVAR:
        v = &f->func->vars[o->index];
        return f->layout->vars[o->index] + (v->space == PTX_LOCAL ? f->local : 0) + (uint64_t)o->offset;
    case PTX_OP_PARAMVAR:
        return f->layout->params[o->index] + (uint64_t)o->offset;
    case PTX_OP_RETVAR:
        return f->layout->rets[o->index] + (uint64_t)o->offset;
    case PTX_OP_REG: {
        struct value at = f->regs[o->index];
        if (at.any)
            interp_stop(t->in, "an undefined address");
        return at.bits + (uint64_t)o->offset;
    }
    default:
        interp_stop(t->in, "an address of this kind");
    }
}

static uint64_t number(const struct ptx_operand *o, enum ptx_type type)
{
    union { float f; uint32_t u; } single;
    union { double d; uint64_t u; } real = { .u = o->imm };

    if (type != PTX_F32 || !o->is_float || o->imm_bits == 32)
        return o->imm;
    single.f = (float)real.d;
    return single.u;
}

struct value interp_get(struct thread *t, const struct ptx_operand *o, enum ptx_type type)
{
    struct value v = { 0, false };
    unsigned bits = ptx_type_bits(type), at = 0;

    switch (o->kind) {
    case PTX_OP_REG:
        v = interp_frame(t)->regs[o->index];
        if (o->negated)
            v.bits = type == PTX_PRED ? !v.bits : -v.bits;
        break;
    case PTX_OP_IMM: v.bits = number(o, type); break;
    case PTX_OP_SPECIAL: v.bits = special(t, o->index); break;
    case PTX_OP_VECTOR:
        for (uint32_t i = 0; i < o->nelems; i++, at += bits / o->nelems) {
            struct value part = interp_get(t, &o->elems[i], PTX_B64);
            v.bits |= interp_low(part.bits, bits / o->nelems) << at;
            v.any |= part.any;
        }
        break;
    default: v.bits = interp_address(t, o); break;
    }
    v.bits = interp_low(v.bits, bits);
    return v;
}

void interp_set(struct thread *t, const struct ptx_operand *o, struct value v, enum ptx_type type)
{
    struct frame *f = interp_frame(t);
    unsigned bits = ptx_type_bits(type);

    if (o->kind == PTX_OP_SINK)
        return;
    if (o->kind == PTX_OP_VECTOR) {
        for (uint32_t i = 0; i < o->nelems; i++) {
            interp_set(t, &o->elems[i], v, bits / o->nelems == 32 ? PTX_B32 : bits / o->nelems == 16 ? PTX_B16 : PTX_B8);
            v.bits >>= bits / o->nelems;
        }
        return;
    }
    if (ptx_type_is_signed(type))
        v.bits = (uint64_t)interp_signed(v.bits, bits);
    else
        v.bits = interp_low(v.bits, bits);
    v.bits = interp_low(v.bits, ptx_type_bits(f->func->regs[o->index].type));
    f->regs[o->index] = v;
}

bool interp_guard(struct thread *t, const struct ptx_insn *insn)
{
    struct value p;

    if (insn->guard.kind == PTX_OP_NONE)
        return true;
    p = interp_get(t, &insn->guard, PTX_PRED);
    if (p.any)
        interp_stop(t->in, "line %u: an undefined guard", insn->pos.line);
    return p.bits;
}

/* ---- calls */

static void enter(struct thread *t, const struct ptx_func *func)
{
    struct frame *f = interp_frame(t);

    f->func = func;
    f->layout = &t->in->layouts[func - t->in->module->funcs];
    f->regs = malloc((func->nregs + 1) * sizeof(*f->regs));
    for (uint32_t i = 0; i < func->nregs; i++)
        f->regs[i] = (struct value){ 0, true };
    f->vars = interp_take(t->in, f->layout->var_bytes, false);
    f->params = interp_take(t->in, f->layout->param_bytes, false);
    f->rets = interp_take(t->in, f->layout->ret_bytes, false);
    f->local = t->depth ? f[-1].local + f[-1].layout->local_bytes : 0;
    f->pc = 0;
    if (f->local + f->layout->local_bytes > INTERP_LOCAL)
        interp_stop(t->in, "too much local memory");
}

static void leave(struct thread *t)
{
    struct frame *f = interp_frame(t);

    free(f->regs);
    interp_drop(f->vars);
    interp_drop(f->params);
    interp_drop(f->rets);
    f->regs = NULL;
    f->vars = f->params = f->rets = (struct memory){ 0 };
}

static void end(struct thread *t)
{
    for (; t->state != ENDED && t->depth; t->depth--)
        leave(t);
    if (t->state != ENDED)
        leave(t);
    t->state = ENDED;
}

static void copy(struct memory to, uint32_t at, struct memory from, uint32_t from_at, uint64_t size)
{
    memcpy(to.bytes + at, from.bytes + from_at, size);
    memcpy(to.bytes + to.size + at, from.bytes + from.size + from_at, size);
}

static void call(struct thread *t, const struct ptx_insn *insn)
{
    const struct ptx_call *c = insn->call;
    const struct ptx_func *callee;
    struct frame *from = interp_frame(t), *to = from + 1;

    if (c->target.kind != PTX_OP_FUNC || t->depth + 1 == INTERP_CALLS)
        interp_stop(t->in, "line %u: a call of this kind", insn->pos.line);
    callee = &t->in->module->funcs[c->target.index];
    t->depth++;
    enter(t, callee);
    for (uint32_t i = 0; i < c->nargs; i++)
        copy(to->params, to->layout->params[i], from->vars, from->layout->vars[c->args[i].index], callee->params[i].size);
}

static void give_back(struct thread *t)
{
    struct frame *from = interp_frame(t), *to = from - 1;
    const struct ptx_call *c;

    if (!t->depth) {
        end(t);
        return;
    }
    c = to->func->insns[to->pc - 1].call;
    for (uint32_t i = 0; i < c->nrets; i++)
        copy(to->vars, to->layout->vars[c->rets[i].index], from->rets, from->layout->rets[i], from->func->rets[i].size);
    leave(t);
    t->depth--;
}

/* ---- one instruction */

static bool control(struct thread *t, const struct ptx_insn *insn)
{
    struct frame *f = interp_frame(t);
    struct value v;

    switch (insn->op) {
    case PTX_I_bra: f->pc = insn->ops[0].index; return true;
    case PTX_I_brx:
        v = interp_get(t, &insn->ops[0], PTX_U32);
        if (v.any || v.bits >= f->func->tables[insn->ops[1].index].n)
            interp_stop(t->in, "line %u: no such branch", insn->pos.line);
        f->pc = f->func->tables[insn->ops[1].index].targets[v.bits];
        return true;
    case PTX_I_call: call(t, insn); return true;
    case PTX_I_ret: give_back(t); return true;
    case PTX_I_exit: end(t); return true;
    default: return false;
    }
}

static enum ptx_type source_type(const struct ptx_insn *insn, unsigned i)
{
    if (insn->op == PTX_I_selp && i == 2)
        return PTX_PRED;
    if ((insn->op == PTX_I_setp || insn->op == PTX_I_set) && i == 2)
        return PTX_PRED;
    if (insn->op == PTX_I_cvt || insn->op == PTX_I_set)
        return insn->types[1];
    if (insn->op == PTX_I_slct && i == 2)
        return insn->types[1];
    if ((insn->op == PTX_I_shl || insn->op == PTX_I_shr) && i == 1)
        return PTX_U32;
    if ((insn->op == PTX_I_bfe && i >= 1) || (insn->op == PTX_I_bfi && i >= 2))
        return PTX_U32;
    if (insn->op == PTX_I_mad && ptx_has(insn, PTX_M_wide) && i == 2)
        return insn->types[0] == PTX_S32 ? PTX_S64 : PTX_U64;
    return insn->types[0];
}

static enum ptx_type result_type(const struct ptx_insn *insn)
{
    bool counts = insn->op == PTX_I_popc || insn->op == PTX_I_clz || insn->op == PTX_I_bfind;

    if (ptx_has(insn, PTX_M_wide))
        return insn->types[0] == PTX_S32 ? PTX_S64 : insn->types[0] == PTX_U32 ? PTX_U64 : insn->types[0] == PTX_S16 ? PTX_S32 : PTX_U32;
    return counts ? PTX_U32 : insn->types[0];
}

static void set_predicates(struct thread *t, const struct ptx_insn *insn, const struct value *src, unsigned nsrc)
{
    bool yes = interp_compares(insn, insn->types[insn->ntypes - 1], src[0], src[1]), c = nsrc < 3 || src[2].bits;
    struct value p = { yes, src[0].any || src[1].any || (nsrc > 2 && src[2].any) }, q = { !yes, p.any };

    if (ptx_has(insn, PTX_M_and_))
        p.bits &= c, q.bits &= c;
    else if (ptx_has(insn, PTX_M_or_))
        p.bits |= c, q.bits |= c;
    else if (ptx_has(insn, PTX_M_xor_))
        p.bits ^= c, q.bits ^= c;
    if (insn->op == PTX_I_set)
        p.bits = p.bits ? insn->types[0] == PTX_F32 ? 0x3f800000 : 0xffffffff : 0;
    interp_set(t, &insn->ops[0], p, insn->op == PTX_I_set ? insn->types[0] : PTX_PRED);
    if (insn->pair)
        interp_set(t, &insn->ops[1], q, PTX_PRED);
}

static void compute(struct thread *t, const struct ptx_insn *insn)
{
    unsigned first = insn->pair ? 2 : 1, nsrc = insn->nops - first;
    struct value src[PTX_MAX_OPERANDS], d = { 0, false };

    for (unsigned i = 0; i < nsrc; i++) {
        src[i] = interp_get(t, &insn->ops[first + i], source_type(insn, i));
        d.any |= src[i].any;
    }
    if (insn->op == PTX_I_setp || insn->op == PTX_I_set) {
        set_predicates(t, insn, src, nsrc);
        return;
    }
    if (insn->op == PTX_I_selp && !src[2].any)
        d.any = src[!src[2].bits].any;
    if (insn->op == PTX_I_mov)
        d.bits = src[0].bits;
    else if (!(insn->op == PTX_I_cvt ? interp_convert(insn, src[0], &d) : ptx_type_is_float(insn->types[0]) ? interp_real(insn, src, &d) :
               interp_integer(insn, src, t, &d)))
        interp_stop(t->in, "line %u: '%s' is not known", insn->pos.line, insn->opcode);
    interp_set(t, &insn->ops[0], d, result_type(insn));
}

static void step(struct thread *t)
{
    struct frame *f = interp_frame(t);
    const struct ptx_insn *insn = &f->func->insns[f->pc];

    if (f->pc >= f->func->ninsns) {
        give_back(t);
        return;
    }
    if (++t->in->steps > t->in->launch->max_steps)
        interp_stop(t->in, "it takes too long");
    f->pc++;
    if (!interp_guard(t, insn))
        return;
    if (control(t, insn) || interp_waits(t, insn) || interp_memory(t, insn))
        return;
    compute(t, insn);
}

/* ---- threads and blocks */

static struct thread *in_turn(struct interp *in, uint32_t i)
{
    return &in->threads[in->launch->backwards ? in->nthreads - 1 - i : i];
}

static void begin(struct interp *in)
{
    const uint32_t *n = in->launch->ntid;

    if (in->shared.size)
        memset(in->shared.bytes + in->shared.size, 1, in->shared.size);
    for (uint32_t i = 0; i < in->nthreads; i++) {
        struct thread *t = &in->threads[i];
        t->index = i;
        t->tid[0] = i % n[0], t->tid[1] = i / n[0] % n[1], t->tid[2] = i / n[0] / n[1];
        t->state = RUNS;
        t->depth = 0;
        t->carry = false;
        memset(t->local.bytes + t->local.size, 1, t->local.size);
        enter(t, in->kernel);
        memcpy(t->calls[0].params.bytes, in->launch->params, t->calls[0].params.size);
        memset(t->calls[0].params.bytes + t->calls[0].params.size, 0, t->calls[0].params.size);
    }
}

static void run_block(struct interp *in)
{
    bool ended = false;

    begin(in);
    while (!ended) {
        ended = true;
        for (uint32_t i = 0; i < in->nthreads; i++) {
            struct thread *t = in_turn(in, i);
            while (t->state == RUNS)
                step(t);
            ended &= t->state == ENDED;
        }
        if (!ended && !interp_release(in))
            interp_stop(in, "a deadlock");
    }
}

static void run_blocks(struct interp *in)
{
    const uint32_t *n = in->launch->nctaid;
    uint32_t nblocks = n[0] * n[1] * n[2];

    in->shared = interp_take(in, in->static_shared + in->launch->dynamic_shared, false);
    in->nthreads = in->launch->ntid[0] * in->launch->ntid[1] * in->launch->ntid[2];
    in->threads = calloc(in->nthreads, sizeof(*in->threads));
    for (uint32_t i = 0; i < in->nthreads; i++) {
        in->threads[i].in = in;
        in->threads[i].state = ENDED;
        in->threads[i].local = interp_take(in, INTERP_LOCAL, false);
    }
    for (uint32_t i = 0; i < nblocks; i++) {
        uint32_t b = in->launch->backwards ? nblocks - 1 - i : i;
        in->ctaid[0] = b % n[0], in->ctaid[1] = b / n[0] % n[1], in->ctaid[2] = b / n[0] / n[1];
        run_block(in);
    }
}

static void release_all(struct interp *in)
{
    for (uint32_t i = 0; in->threads && i < in->nthreads; i++) {
        end(&in->threads[i]);
        interp_drop(in->threads[i].local);
    }
    free(in->threads);
    interp_drop(in->shared);
    for (uint32_t f = 0; f < in->module->nfuncs; f++) {
        free(in->layouts[f].vars);
        free(in->layouts[f].params);
        free(in->layouts[f].rets);
    }
    for (uint32_t i = 0; i < in->module->nvars; i++)
        interp_drop(in->globals[i]);
    free(in->globals);
    free(in->layouts);
    free(in->func_shared);
    free(in->shared_offset);
}

int interp_run(const struct ptx_module *m, const struct ptx_func *kernel, const struct interp_launch *launch, char why[256])
{
    struct interp in = { .module = m, .kernel = kernel, .launch = launch, .why = why };
    int stopped;

    prepare(&in);
    stopped = setjmp(in.out);
    if (!stopped)
        run_blocks(&in);
    release_all(&in);
    return stopped ? -1 : 0;
}
