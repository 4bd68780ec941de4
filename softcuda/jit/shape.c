/* shape.c - the shape of what an instruction computes. */
#include "softcuda/jit/plan.h"

static const struct shape uniform = { .kind = SHAPE_UNIFORM };
static const struct shape varying = { .kind = SHAPE_VARYING };
static const struct shape none = { .kind = SHAPE_NONE };

bool shape_equal(struct shape a, struct shape b)
{
    return a.kind == b.kind && a.t_dynamic == b.t_dynamic && a.zero_extended == b.zero_extended && a.s == b.s && a.t == b.t &&
           a.c == b.c;
}

static bool is_affine(struct shape x)
{
    return x.kind == SHAPE_AFFINE;
}

static struct shape affine(int64_t s, int64_t t, bool t_dynamic)
{
    if (s == 0 && t == 0 && !t_dynamic)
        return uniform;
    return (struct shape){ .kind = SHAPE_AFFINE, .s = s, .t = t_dynamic ? 0 : t, .t_dynamic = t_dynamic };
}

static struct shape add(struct shape x, struct shape y, int sign)
{
    if (x.kind == SHAPE_NONE || y.kind == SHAPE_NONE)
        return none;
    if (x.kind == SHAPE_UNIFORM && y.kind == SHAPE_UNIFORM)
        return uniform;
    if (x.kind == SHAPE_VARYING || y.kind == SHAPE_VARYING)
        return varying;
    if (x.kind == SHAPE_WIDENED && y.kind == SHAPE_UNIFORM)
        return x;
    if (x.kind == SHAPE_UNIFORM && y.kind == SHAPE_WIDENED) {
        y.c *= sign;
        return y;
    }
    if (x.kind == SHAPE_WIDENED || y.kind == SHAPE_WIDENED)
        return varying;
    return affine(x.s + sign * y.s, x.t + sign * y.t, x.t_dynamic || y.t_dynamic);
}

static struct shape scale(struct shape x, int64_t k)
{
    if (is_affine(x))
        return affine(x.s * k, x.t * k, x.t_dynamic && k != 0);
    if (x.kind == SHAPE_WIDENED) {
        x.c *= k;
        return x.c ? x : uniform;
    }
    return x;
}

/* x * y at one width. */
static struct shape multiply(const struct plan *p, const struct ptx_operand *a, const struct ptx_operand *b)
{
    struct shape x = plan_operand_shape(p, a), y = plan_operand_shape(p, b);
    int64_t k;

    if (x.kind == SHAPE_NONE || y.kind == SHAPE_NONE)
        return none;
    if (x.kind == SHAPE_UNIFORM && y.kind == SHAPE_UNIFORM)
        return uniform;
    if (insn_constant(b, &k))
        return scale(x, k);
    if (insn_constant(a, &k))
        return scale(y, k);
    if (is_affine(x) && x.s == 0 && y.kind == SHAPE_UNIFORM)
        return affine(0, 0, true);
    if (is_affine(y) && y.s == 0 && x.kind == SHAPE_UNIFORM)
        return affine(0, 0, true);
    return varying;
}

static struct shape widen(struct shape x, bool zero_extended)
{
    if (!is_affine(x))
        return x;
    return (struct shape){ .kind = SHAPE_WIDENED, .s = (int32_t)x.s, .t = (int32_t)x.t, .t_dynamic = x.t_dynamic,
                           .zero_extended = zero_extended, .c = 1 };
}

/* 32 x 32 -> 64 bits: only a number times an affine value stays in shape. */
static struct shape multiply_wide(const struct plan *p, const struct ptx_insn *in)
{
    struct shape x = plan_operand_shape(p, &in->ops[1]), y = plan_operand_shape(p, &in->ops[2]);
    bool zero = !ptx_type_is_signed(in->types[0]);
    int64_t k;

    if (x.kind == SHAPE_NONE || y.kind == SHAPE_NONE)
        return none;
    if (x.kind == SHAPE_UNIFORM && y.kind == SHAPE_UNIFORM)
        return uniform;
    if (ptx_type_bits(in->types[0]) != 32)
        return varying;
    if (is_affine(x) && insn_constant(&in->ops[2], &k))
        return scale(widen(x, zero), zero ? (int64_t)(uint32_t)k : (int32_t)k);
    if (is_affine(y) && insn_constant(&in->ops[1], &k))
        return scale(widen(y, zero), zero ? (int64_t)(uint32_t)k : (int32_t)k);
    return varying;
}

static struct shape convert(const struct plan *p, const struct ptx_insn *in)
{
    struct shape x = plan_operand_shape(p, &in->ops[1]);
    enum ptx_type to = in->types[0], from = in->types[1];
    unsigned bits_to = ptx_type_bits(to), bits_from = ptx_type_bits(from);

    if (x.kind == SHAPE_NONE || x.kind == SHAPE_UNIFORM)
        return x;
    if (ptx_type_is_float(to) || ptx_type_is_float(from) || ptx_has(in, PTX_M_sat))
        return varying;
    if (bits_to == bits_from)
        return x;
    if (bits_to == 64 && bits_from == 32)
        return widen(x, !ptx_type_is_signed(from));
    if (bits_to == 32 && bits_from == 64 && x.kind == SHAPE_WIDENED)
        return affine(x.s * x.c, x.t * x.c, x.t_dynamic);
    if (bits_to == 32 && bits_from == 64)
        return x;
    return varying;
}

static struct shape special(const struct plan *p, uint32_t sr)
{
    if (sr <= PTX_SR_TID_Z)
        return p->tid[sr - PTX_SR_TID_X];
    if (sr == PTX_SR_LANEID)
        return affine(1, p->group, false);
    if (sr >= PTX_SR_LANEMASK_EQ && sr <= PTX_SR_LANEMASK_GT)
        return varying;
    return uniform;
}

/* Each lane's part of a linear frame. */
static struct shape in_frame(const struct plan *p)
{
    return affine(p->local_frame, (int64_t)p->local_frame * p->group, false);
}

struct shape plan_operand_shape(const struct plan *p, const struct ptx_operand *o)
{
    struct shape worst = uniform;

    switch (o->kind) {
    case PTX_OP_REG:
        return o->negated && p->shapes[o->index].kind > SHAPE_UNIFORM ? varying : p->shapes[o->index];
    case PTX_OP_SPECIAL:
        return special(p, o->index);
    case PTX_OP_LOCALVAR:
        return p->func->vars[o->index].space == PTX_LOCAL && !p->local_inside ? in_frame(p) : uniform;
    case PTX_OP_PARAMVAR:
        return p->takes_params && !o->memory ? in_frame(p) : uniform;
    case PTX_OP_VECTOR:
        for (uint32_t i = 0; i < o->nelems; i++) {
            struct shape x = plan_operand_shape(p, &o->elems[i]);
            if (x.kind == SHAPE_NONE)
                return none;
            if (x.kind != SHAPE_UNIFORM)
                worst = varying;
        }
        return worst;
    default:
        return uniform;
    }
}

static struct shape all_uniform_or_varying(const struct plan *p, const struct ptx_insn *in)
{
    bool unknown = false;

    for (unsigned i = insn_has_dst(in) ? (in->pair ? 2 : 1) : 0; i < in->nops; i++) {
        struct shape x = plan_operand_shape(p, &in->ops[i]);
        if (x.kind > SHAPE_UNIFORM)
            return varying;
        unknown |= x.kind == SHAPE_NONE;
    }
    return unknown ? none : uniform;
}

static struct shape load(const struct plan *p, const struct ptx_insn *in, uint32_t block)
{
    const struct ptx_operand *a = &in->ops[1];
    struct shape x = plan_operand_shape(p, a);

    if (in->space == PTX_PARAM)
        return p->func->entry && a->kind != PTX_OP_LOCALVAR ? (x.kind > SHAPE_UNIFORM ? varying : uniform) : varying;
    if (in->space == PTX_LOCAL || p->guarded[block])
        return varying;
    return x.kind <= SHAPE_UNIFORM ? x : varying;
}

/* Within one warp everybody gets the same answer: uniform where all lanes ask together. */
static struct shape warp_wide(const struct plan *p, const struct ptx_insn *in, uint32_t block)
{
    bool has_members = ptx_has(in, PTX_M_sync) && in->op != PTX_I_bar && in->op != PTX_I_barrier;

    return p->guarded[block] ? varying : has_members ? plan_operand_shape(p, &in->ops[in->nops - 1]) : uniform;
}

static struct shape integer_op(const struct plan *p, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->ops;
    int64_t k;

    if (ptx_has(in, PTX_M_cc) || ptx_has(in, PTX_M_sat) || in->ntypes != 1 || ptx_type_bits(in->types[0]) < 32 ||
        ptx_type_bits(in->types[0]) > 64)
        return all_uniform_or_varying(p, in);
    switch (in->op) {
    case PTX_I_add: return add(plan_operand_shape(p, &o[1]), plan_operand_shape(p, &o[2]), 1);
    case PTX_I_sub: return add(plan_operand_shape(p, &o[1]), plan_operand_shape(p, &o[2]), -1);
    case PTX_I_shl:
        if (!insn_constant(&o[2], &k) || k < 0 || k >= (int64_t)ptx_type_bits(in->types[0]))
            return all_uniform_or_varying(p, in);
        return scale(plan_operand_shape(p, &o[1]), (int64_t)((uint64_t)1 << k));
    case PTX_I_mul: case PTX_I_mad: {
        struct shape product;
        if (ptx_has(in, PTX_M_hi))
            return all_uniform_or_varying(p, in);
        product = ptx_has(in, PTX_M_wide) ? multiply_wide(p, in) : multiply(p, &o[1], &o[2]);
        return in->op == PTX_I_mul ? product : add(product, plan_operand_shape(p, &o[3]), 1);
    }
    default:
        return all_uniform_or_varying(p, in);
    }
}

static struct shape unguarded_result(const struct plan *p, const struct ptx_insn *in, uint32_t block)
{
    switch (in->op) {
    case PTX_I_mov:
        if (in->ops[1].kind == PTX_OP_SPECIAL && in->ops[1].index >= PTX_SR_CLOCK && in->ops[1].index <= PTX_SR_GLOBALTIMER_HI)
            return p->guarded[block] ? varying : uniform;
        if (in->ops[0].kind == PTX_OP_VECTOR || in->ops[1].kind == PTX_OP_VECTOR)
            return all_uniform_or_varying(p, in);
        return plan_operand_shape(p, &in->ops[1]);
    case PTX_I_cvta:
        return plan_operand_shape(p, &in->ops[1]);
    case PTX_I_cvt:
        return convert(p, in);
    case PTX_I_add: case PTX_I_sub: case PTX_I_mul: case PTX_I_mad: case PTX_I_shl:
        if (in->ntypes && ptx_type_is_float(in->types[0]))
            return all_uniform_or_varying(p, in);
        return integer_op(p, in);
    case PTX_I_addc: case PTX_I_subc: case PTX_I_madc:
        return p->carry_varying ? varying : all_uniform_or_varying(p, in);
    case PTX_I_ld: case PTX_I_ldu:
        return load(p, in, block);
    case PTX_I_vote: case PTX_I_activemask: case PTX_I_redux: case PTX_I_bar: case PTX_I_barrier:
        return warp_wide(p, in, block);
    case PTX_I_atom: case PTX_I_shfl: case PTX_I_match: case PTX_I_elect: case PTX_I_call:
    case PTX_I_tex: case PTX_I_tld4: case PTX_I_suld: case PTX_I_txq: case PTX_I_suq: case PTX_I_wmma: case PTX_I_mma:
    case PTX_I_ldmatrix: case PTX_I_movmatrix: case PTX_I_mbarrier:
        return varying;
    default:
        return all_uniform_or_varying(p, in);
    }
}

struct shape plan_result_shape(const struct plan *p, const struct ptx_insn *in, uint32_t block)
{
    struct shape x = unguarded_result(p, in, block), guard;

    if (in->guard.kind == PTX_OP_NONE || x.kind == SHAPE_NONE)
        return x;
    guard = p->shapes[in->guard.index];
    if (guard.kind == SHAPE_NONE)
        return none;
    return guard.kind == SHAPE_UNIFORM && x.kind == SHAPE_UNIFORM ? uniform : varying;
}
