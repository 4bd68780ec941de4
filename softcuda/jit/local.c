/* local.c - local memory whose addresses do not leave their function.
 *
 * Its frame is interleaved: unit u of 4 bytes of all 32 lanes lies at frame + 128 * u, lane by lane, so that an access at the same
 * offset in all lanes, which most are, is one row instead of 32 places. Addresses of such variables are offsets in the frame. Where one
 * escapes (cvta.local, a call), memory is linear for each lane instead, and addresses are offsets in all of the warp's local memory
 * (window.c). */
#include <stdlib.h>

#include "softcuda/jit/emit.h"
#include "softcuda/jit/local.h"

#define B(e) ((e)->v.builder)

/* ---- how much there is */

static bool is_param_address(const struct ptx_operand *o)
{
    bool found = o->kind == PTX_OP_PARAMVAR && !o->memory;

    for (uint32_t i = 0; o->kind == PTX_OP_VECTOR && i < o->nelems; i++)
        found |= is_param_address(&o->elems[i]) && !o->memory;
    return found;
}

bool local_takes_params(const struct ptx_func *f)
{
    for (uint32_t i = 0; !f->entry && i < f->ninsns; i++)
        for (unsigned k = 0; k < f->insns[i].nops; k++)
            if (is_param_address(&f->insns[i].ops[k]))
                return true;
    return false;
}

static void place(uint64_t size, uint32_t align, uint32_t *frame, uint32_t *offset)
{
    uint32_t at = align ? (*frame + align - 1) / align * align : *frame;

    *frame = at + (uint32_t)size;
    if (offset)
        *offset = at;
}

uint32_t local_lay_out(const struct ptx_func *f, uint32_t *var_offset, uint32_t *param_offset)
{
    bool params = local_takes_params(f);
    uint32_t frame = 0;

    for (uint32_t i = 0; i < f->nvars; i++)
        if (f->vars[i].space == PTX_LOCAL)
            place(f->vars[i].size, f->vars[i].align, &frame, var_offset ? &var_offset[i] : NULL);
    for (uint32_t i = 0; params && i < f->nparams; i++)
        place((f->params[i].size + 3) / 4 * 4, f->params[i].align < 4 ? 4 : f->params[i].align, &frame, param_offset ? &param_offset[i] : NULL);
    return (frame + 15) / 16 * 16;
}

/* ---- do they stay? */

struct track { const struct plan *p; bool *is_local, grew, escapes, seen; };

static bool is_local_address(const struct track *t, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_LOCALVAR)
        return t->p->func->vars[o->index].space == PTX_LOCAL;
    return o->kind == PTX_OP_REG && t->is_local[o->index];
}

static void see(void *context, uint32_t reg)
{
    struct track *t = context;
    t->seen |= t->is_local[reg];
}

static bool uses_local(struct track *t, const struct ptx_insn *in)
{
    t->seen = false;
    insn_uses(in, see, t);
    for (unsigned i = 0; i < in->nops; i++)
        t->seen |= is_local_address(t, &in->ops[i]);
    return t->seen;
}

/* The operand that an address may come through, of those instructions that pass one on. */
static bool passes_on(const struct track *t, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->ops;

    if (in->pair || in->ops[0].kind != PTX_OP_REG || ptx_has(in, PTX_M_cc))
        return false;
    switch (in->op) {
    case PTX_I_mov: return is_local_address(t, &o[1]);
    case PTX_I_add: return is_local_address(t, &o[1]) != is_local_address(t, &o[2]);
    case PTX_I_sub: return is_local_address(t, &o[1]) && !is_local_address(t, &o[2]);
    case PTX_I_mad: return !is_local_address(t, &o[1]) && !is_local_address(t, &o[2]) && is_local_address(t, &o[3]);
    default: return false;
    }
}

static void follow(struct track *t, const struct ptx_insn *in)
{
    bool access = (in->op == PTX_I_ld || in->op == PTX_I_st) && in->space == PTX_LOCAL;
    const struct ptx_operand *at = access ? &in->ops[in->op == PTX_I_ld] : NULL;

    if (access) {
        t->escapes |= !is_local_address(t, at);
        if (in->op == PTX_I_st)
            t->escapes |= is_local_address(t, &in->ops[1]);
        return;
    }
    if (!uses_local(t, in))
        return;
    if (in->op == PTX_I_cvta && in->ops[0].kind == PTX_OP_REG && !t->p->nuses[in->ops[0].index])
        return;     /* compilers write it whether it is used or not */
    if (!passes_on(t, in)) {
        t->escapes = true;
        return;
    }
    t->grew |= !t->is_local[in->ops[0].index];
    t->is_local[in->ops[0].index] = true;
}

/* A register that holds a local address here holds one everywhere. */
static void count_other(struct track *t, const struct ptx_insn *in)
{
    const struct ptx_operand *d = &in->ops[0];

    if (insn_has_dst(in) && d->kind == PTX_OP_REG && t->is_local[d->index] && !passes_on(t, in))
        t->escapes = true;
    for (uint32_t i = 0; insn_has_dst(in) && d->kind == PTX_OP_VECTOR && i < d->nelems; i++)
        t->escapes |= d->elems[i].kind == PTX_OP_REG && t->is_local[d->elems[i].index];
    for (uint32_t i = 0; in->call && i < in->call->nargs; i++)
        t->escapes |= is_local_address(t, &in->call->args[i]) ;
    for (uint32_t i = 0; in->call && i < in->call->nrets; i++)
        t->escapes |= is_local_address(t, &in->call->rets[i]);
}

static void each_insn(struct track *t, void (*visit)(struct track *, const struct ptx_insn *))
{
    const struct cfg *g = t->p->cfg;

    for (uint32_t b = 0; b < g->nblocks && !t->escapes; b++)
        for (uint32_t i = g->blocks[b].first; i < g->blocks[b].end && !t->escapes; i++)
            visit(t, &t->p->func->insns[i]);
}

bool local_stays_inside(const struct plan *p)
{
    struct track t = { .p = p, .is_local = calloc(p->func->nregs + 1, sizeof(bool)) };
    bool stays;

    if (!t.is_local)
        return false;
    do {
        t.grew = t.escapes = false;
        for (uint32_t b = 0; b < p->cfg->nblocks; b++)
            for (uint32_t i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++)
                follow(&t, &p->func->insns[i]);
    } while (t.grew);
    each_insn(&t, count_other);
    stays = !t.escapes;
    free(t.is_local);
    return stays;
}

/* ---- accesses */

struct local {
    LLVMValueRef offset;        /* i64 where all lanes go to one offset, else <32 x i32> */
    bool uniform;
    unsigned bytes;             /* of an element */
};

static LLVMTypeRef row_type(struct emit *e, unsigned bits)
{
    return LLVMVectorType(b_int(e, bits), SC_LANES);
}

static LLVMValueRef any_on(struct emit *e, const struct local *l, LLVMValueRef bad)
{
    return l->uniform ? LLVMBuildAnd(B(e), bad, b_any(e, e->mask), "") : b_any(e, LLVMBuildAnd(B(e), bad, e->mask, ""));
}

/* Out of the frame, or uneven, in some lane that is on. One branch for both: kernels full of local memory have hundreds of these. */
static void check(struct emit *e, const struct local *l, unsigned total)
{
    uint64_t last = e->plan->local_frame >= total ? e->plan->local_frame - total : 0;
    struct arith *a = l->uniform ? &e->u : &e->v;
    unsigned bits = l->uniform ? 64 : 32;
    LLVMValueRef out = v_icmp(a, LLVMIntUGT, l->offset, arith_const(a, bits, last));
    LLVMValueRef odd = v_icmp(a, LLVMIntNE, v_and(a, l->offset, arith_const(a, bits, total - 1)), arith_const(a, bits, 0));
    LLVMBasicBlockRef end = b_if_rarely(e, any_on(e, l, LLVMBuildOr(B(e), out, odd, "")));
    LLVMValueRef fault = LLVMBuildSelect(B(e), any_on(e, l, out), b_i32(e, SC_FAULT_ILLEGAL_ADDRESS), b_i32(e, SC_FAULT_MISALIGNED), "");
    LLVMValueRef args[] = { e->warp, fault, b_i64(e, 0) };

    b_call(e, "sc_rt_fault", 0, args, 3);
    b_end(e, end);
}

static LLVMValueRef frame(struct emit *e)
{
    return LLVMBuildIntToPtr(B(e), e->frame, b_ptr(e), "");
}

/* The row of the unit delta bytes after the offset. */
static LLVMValueRef row(struct emit *e, const struct local *l, unsigned delta)
{
    LLVMValueRef at = LLVMBuildAdd(B(e), l->offset, b_i64(e, delta), "");

    at = LLVMBuildAnd(B(e), at, b_i64(e, ~3ull), "");
    return b_gep(e, frame(e), LLVMBuildMul(B(e), at, b_i64(e, SC_LANES), ""));
}

static LLVMValueRef byte_shift(struct emit *e, const struct local *l, unsigned delta)
{
    LLVMValueRef at = LLVMBuildAdd(B(e), l->offset, b_i64(e, delta), "");

    at = LLVMBuildShl(B(e), LLVMBuildAnd(B(e), at, b_i64(e, 3), ""), b_i64(e, 3), "");
    return b_splat(e, b_resize(e, at, 32, false));
}

static LLVMValueRef load_row(struct emit *e, LLVMValueRef at)
{
    LLVMValueRef x = b_load(e, row_type(e, 32), at);

    LLVMSetAlignment(x, 16);
    return x;
}

static void store_row(struct emit *e, LLVMValueRef at, LLVMValueRef x)
{
    LLVMTypeRef types[] = { row_type(e, 32), b_ptr(e) };
    LLVMValueRef args[] = { x, at, b_i32(e, 16), e->mask };

    b_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
}

/* Where each lane's byte at offset + delta lies. */
static LLVMValueRef places(struct emit *e, const struct local *l, unsigned delta)
{
    struct arith *a = &e->v;
    LLVMValueRef at = v_add(a, l->offset, arith_const(a, 32, delta));
    LLVMValueRef unit = v_mul(a, v_and(a, at, arith_const(a, 32, ~3u)), arith_const(a, 32, SC_LANES));

    at = v_add(a, v_add(a, unit, v_and(a, at, arith_const(a, 32, 3))), b_lanes(e, 32, 4, 4 * e->plan->group));
    return b_gep(e, frame(e), at);
}

static LLVMValueRef gather(struct emit *e, LLVMValueRef at, unsigned bits)
{
    LLVMTypeRef types[] = { row_type(e, bits), LLVMVectorType(b_ptr(e), SC_LANES) };
    LLVMValueRef args[] = { at, b_i32(e, bits / 8), e->mask, LLVMConstNull(types[0]) };

    return b_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

static void scatter(struct emit *e, LLVMValueRef at, LLVMValueRef x, unsigned bits)
{
    LLVMTypeRef types[] = { row_type(e, bits), LLVMVectorType(b_ptr(e), SC_LANES) };
    LLVMValueRef args[] = { x, at, b_i32(e, bits / 8), e->mask };

    b_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

static LLVMValueRef load_small(struct emit *e, const struct local *l, unsigned delta)
{
    if (!l->uniform)
        return gather(e, places(e, l, delta), l->bytes * 8);
    return b_resize(e, LLVMBuildLShr(B(e), load_row(e, row(e, l, delta)), byte_shift(e, l, delta), ""), l->bytes * 8, false);
}

static LLVMValueRef load_element(struct emit *e, const struct local *l, unsigned delta)
{
    LLVMValueRef all = NULL;
    unsigned bits = l->bytes * 8;

    if (l->bytes < 4)
        return load_small(e, l, delta);
    for (unsigned done = 0; done < l->bytes; done += 4) {
        LLVMValueRef x = l->uniform ? load_row(e, row(e, l, delta + done)) : gather(e, places(e, l, delta + done), 32);
        x = b_resize(e, x, bits, false);
        if (done)
            x = LLVMBuildShl(B(e), x, arith_const(&e->v, bits, done * 8), "");
        all = all ? LLVMBuildOr(B(e), all, x, "") : x;
    }
    return all;
}

static void store_small(struct emit *e, const struct local *l, unsigned delta, LLVMValueRef x)
{
    uint32_t ones = (1u << l->bytes * 8) - 1;
    LLVMValueRef at, shift, old;

    if (!l->uniform) {
        scatter(e, places(e, l, delta), x, l->bytes * 8);
        return;
    }
    at = row(e, l, delta);
    shift = byte_shift(e, l, delta);
    old = LLVMBuildAnd(B(e), load_row(e, at), LLVMBuildNot(B(e), LLVMBuildShl(B(e), arith_const(&e->v, 32, ones), shift, ""), ""), "");
    store_row(e, at, LLVMBuildOr(B(e), old, LLVMBuildShl(B(e), b_resize(e, x, 32, false), shift, ""), ""));
}

static void store_element(struct emit *e, const struct local *l, unsigned delta, LLVMValueRef x)
{
    if (l->bytes < 4) {
        store_small(e, l, delta, x);
        return;
    }
    for (unsigned done = 0; done < l->bytes; done += 4) {
        LLVMValueRef part = b_resize(e, LLVMBuildLShr(B(e), x, arith_const(&e->v, l->bytes * 8, done * 8), ""), 32, false);
        if (l->uniform)
            store_row(e, row(e, l, delta + done), part);
        else
            scatter(e, places(e, l, delta + done), part, 32);
    }
}

void emit_local_access(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool store = in->op == PTX_I_st;
    const struct ptx_operand *at = &in->ops[!store], *data = &in->ops[store];
    enum ptx_type type = in->types[in->ntypes - 1];
    unsigned n = in->vec ? in->vec : 1;
    struct local l = { .uniform = v_shape(e, at).kind <= SHAPE_UNIFORM, .bytes = ptx_type_bits(type) / 8 };

    l.offset = l.uniform ? v_scalar(e, at, 64) : v_vector(e, at, 32);
    if (at->offset)
        l.offset = LLVMBuildAdd(B(e), l.offset, l.uniform ? b_i64(e, (uint64_t)at->offset) : arith_const(&e->v, 32, (uint64_t)at->offset), "");
    check(e, &l, n * l.bytes);
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *x = data->kind == PTX_OP_VECTOR ? &data->elems[i] : data;
        if (store)
            store_element(e, &l, i * l.bytes, v_vector(e, x, l.bytes * 8));
        else
            v_set_signed(e, x, load_element(e, &l, i * l.bytes), ptx_type_is_signed(type));
    }
}
