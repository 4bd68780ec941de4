/* emit_insn.c - one instruction: its guard, then what it does. */
#include <stddef.h>

#include "softcuda/jit/device_op.h"

#define B(e) ((e)->v.builder)

/* ---- mov and its kin */

static unsigned dst_bits(const struct emit *e, const struct ptx_operand *dst)
{
    return dst->kind == PTX_OP_REG ? v_reg_bits(e, dst->index) : 32;
}

static LLVMValueRef value_like(struct emit *e, const struct ptx_operand *dst, const struct ptx_operand *o, unsigned bits)
{
    bool scalar = dst->kind == PTX_OP_REG && e->plan->shapes[dst->index].kind == SHAPE_UNIFORM;

    return scalar ? v_scalar(e, o, bits) : v_vector(e, o, bits);
}

/* mov.b64 d, {a, b}: the first element is the lowest part. */
static void pack(struct emit *e)
{
    const struct ptx_operand *dst = &e->in->ops[0], *src = &e->in->ops[1];
    unsigned bits = ptx_type_bits(e->in->types[0]), part = bits / src->nelems;
    LLVMValueRef all = NULL;

    for (uint32_t i = 0; i < src->nelems; i++) {
        LLVMValueRef x = b_resize(e, value_like(e, dst, &src->elems[i], part), bits, false);
        if (i)
            x = LLVMBuildShl(B(e), x, LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind ? arith_const(&e->v, bits, i * part)
                                                                                         : arith_const(&e->u, bits, i * part), "");
        all = all ? LLVMBuildOr(B(e), all, x, "") : x;
    }
    v_set(e, dst, all);
}

static void unpack(struct emit *e)
{
    const struct ptx_operand *dst = &e->in->ops[0];
    unsigned bits = ptx_type_bits(e->in->types[0]), part = bits / dst->nelems;

    for (uint32_t i = 0; i < dst->nelems; i++) {
        const struct ptx_operand *d = &dst->elems[i];
        bool scalar = d->kind == PTX_OP_REG && e->plan->shapes[d->index].kind == SHAPE_UNIFORM;
        LLVMValueRef x = value_like(e, d, &e->in->ops[1], bits);
        x = LLVMBuildLShr(B(e), x, arith_const(scalar ? &e->u : &e->v, bits, i * part), "");
        v_set(e, d, b_resize(e, x, part, false));
    }
}

static void emit_cvta(struct emit *e)
{
    const struct ptx_operand *dst = &e->in->ops[0];
    unsigned bits = dst_bits(e, dst);
    LLVMValueRef x = value_like(e, dst, &e->in->ops[1], bits), distance = v_cvta_distance(e, e->in);
    bool vector = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;

    if (distance)
        x = LLVMBuildAdd(B(e), x, vector ? b_splat(e, distance) : distance, "");
    v_set(e, dst, x);
}

/* isspacep.space p, a */
static void emit_isspacep(struct emit *e)
{
    const struct ptx_operand *dst = &e->in->ops[0];
    bool scalar = dst->kind == PTX_OP_REG && e->plan->shapes[dst->index].kind == SHAPE_UNIFORM;
    struct arith *a = scalar ? &e->u : &e->v;
    LLVMValueRef x = value_like(e, dst, &e->in->ops[1], 64), shared, local, low, size;

    low = b_warp_field(e, offsetof(struct sc_warp, shared), 64, true);
    size = b_resize(e, b_warp_field(e, offsetof(struct sc_warp, shared_bytes), 32, true), 64, false);
    if (!scalar) {
        low = b_splat(e, low);
        size = b_splat(e, size);
    }
    shared = v_icmp(a, LLVMIntULT, v_sub(a, x, low), size);
    low = b_warp_field(e, offsetof(struct sc_warp, local_base), 64, true);
    size = b_warp_field(e, offsetof(struct sc_warp, local_end), 64, true);
    size = LLVMBuildSub(B(e), size, low, "");
    if (!scalar) {
        low = b_splat(e, low);
        size = b_splat(e, size);
    }
    local = v_icmp(a, LLVMIntULT, v_sub(a, x, low), size);
    switch (e->in->space) {
    case PTX_SHARED: v_set(e, dst, shared); break;
    case PTX_LOCAL: v_set(e, dst, local); break;
    case PTX_GLOBAL: v_set(e, dst, v_not(a, v_or(a, shared, local))); break;
    default: v_set(e, dst, arith_const(a, 1, 0)); break;
    }
}

static void emit_mov(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *dst = &in->ops[0];
    unsigned bits = ptx_type_bits(in->types[0]);

    if (in->op == PTX_I_cvta)
        emit_cvta(e);
    else if (in->op == PTX_I_isspacep)
        emit_isspacep(e);
    else if (dst->kind == PTX_OP_VECTOR && in->ops[1].kind != PTX_OP_VECTOR)
        unpack(e);
    else if (in->ops[1].kind == PTX_OP_VECTOR && dst->kind != PTX_OP_VECTOR)
        pack(e);
    else if (dst->kind == PTX_OP_VECTOR)
        for (uint32_t i = 0; i < dst->nelems; i++)
            v_set(e, &dst->elems[i], value_like(e, &dst->elems[i], &in->ops[1].elems[i], bits));
    else
        v_set(e, dst, value_like(e, dst, &in->ops[1], bits));
}

/* ---- arithmetic */

static void emit_arith(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *o = &in->ops[in->pair ? 2 : 1], *dst = &in->ops[0];
    bool scalar = dst->kind != PTX_OP_REG || e->plan->shapes[dst->index].kind == SHAPE_UNIFORM;
    struct arith_signature sig;
    LLVMValueRef src[4], carry = NULL, second = NULL, result;
    LLVMTypeRef flag;
    char why[1];

    arith_supports(in, &sig, why, sizeof(why));
    if (in->pair && in->ops[1].kind == PTX_OP_REG)
        scalar &= e->plan->shapes[in->ops[1].index].kind == SHAPE_UNIFORM;
    for (unsigned i = 0; i < sig.nsrc; i++)
        scalar &= v_shape(e, &o[i]).kind <= SHAPE_UNIFORM;
    if (sig.reads_cc || sig.writes_cc)
        scalar &= !e->plan->carry_varying;
    for (unsigned i = 0; i < sig.nsrc; i++)
        src[i] = scalar ? v_scalar(e, &o[i], sig.src_bits[i]) : v_vector(e, &o[i], sig.src_bits[i]);
    flag = e->plan->carry_varying ? b_mask_type(e) : b_int(e, 1);
    if (sig.reads_cc || sig.writes_cc)
        carry = b_load(e, flag, e->carry);
    if (carry && !scalar && !e->plan->carry_varying)
        carry = b_splat(e, carry);
    result = arith_build(scalar ? &e->u : &e->v, in, src, carry ? &carry : NULL, in->pair ? &second : NULL);
    if (sig.writes_cc)
        LLVMBuildStore(B(e), carry, e->carry);
    v_set_signed(e, dst, result, in->op == PTX_I_cvt && ptx_type_is_signed(in->types[0])); /* cvt alone may have a wider register */
    if (second)
        v_set(e, &in->ops[1], second);
}

/* ---- dispatch */

static void emit_fence(struct emit *e)
{
    LLVMBuildFence(B(e), LLVMAtomicOrderingSequentiallyConsistent, ptx_has(e->in, PTX_M_cta), "");
}

static void emit_nanosleep(struct emit *e)
{
    const struct ptx_operand *o = &e->in->ops[0];
    LLVMValueRef args[] = { e->warp, v_shape(e, o).kind <= SHAPE_UNIFORM ? v_scalar(e, o, 32) : b_i32(e, 0) };

    b_call(e, "sc_rt_nanosleep", 0, args, 2);
}

static bool is_matrix(const struct ptx_insn *in)
{
    return in->op == PTX_I_wmma || in->op == PTX_I_mma || in->op == PTX_I_ldmatrix || in->op == PTX_I_stmatrix || in->op == PTX_I_movmatrix;
}

static void dispatch(struct emit *e)
{
    const struct ptx_insn *in = e->in;

    switch (in->op) {
    case PTX_I_ld: case PTX_I_ldu: case PTX_I_st:
        if (in->space == PTX_PARAM && in->ops[in->op == PTX_I_st ? 0 : 1].kind != PTX_OP_REG)
            emit_param_access(e);
        else if (in->space == PTX_LOCAL && e->plan->local_inside)
            emit_local_access(e);
        else
            emit_memory(e);
        break;
    case PTX_I_cp: case PTX_I_prefetch: case PTX_I_prefetchu: case PTX_I_discard: case PTX_I_applypriority:
        is_mbarrier_copy(in) ? emit_mbarrier(e) : emit_memory(e);
        break;
    case PTX_I_tex: case PTX_I_tld4: case PTX_I_suld: case PTX_I_sust: case PTX_I_sured: case PTX_I_txq: case PTX_I_suq:
        emit_texture(e);
        break;
    case PTX_I_wmma: case PTX_I_mma: case PTX_I_ldmatrix: case PTX_I_stmatrix: case PTX_I_movmatrix:
        emit_matrix(e);
        break;
    case PTX_I_mbarrier: emit_mbarrier(e); break;
    case PTX_I_atom: case PTX_I_red:
        emit_atomic(e);
        break;
    case PTX_I_shfl: case PTX_I_vote: case PTX_I_match: case PTX_I_redux: case PTX_I_activemask: case PTX_I_elect:
        emit_warp_op(e);
        break;
    case PTX_I_bar: case PTX_I_barrier:
        emit_barrier(e);
        break;
    case PTX_I_mov: case PTX_I_cvta: case PTX_I_isspacep:
        emit_mov(e);
        break;
    case PTX_I_call: emit_call(e); break;
    case PTX_I_membar: case PTX_I_fence: emit_fence(e); break;
    case PTX_I_nanosleep: emit_nanosleep(e); break;
    case PTX_I_mapa: v_set(e, &in->ops[0], v_vector(e, &in->ops[1], dst_bits(e, &in->ops[0]))); break;    /* a cluster is one block */
    case PTX_I_getctarank: v_set(e, &in->ops[0], b_i32(e, 0)); break;
    case PTX_I_createpolicy: v_set(e, &in->ops[0], b_i64(e, 0)); break;
    case PTX_I_pmevent: case PTX_I_brkpt: case PTX_I_griddepcontrol: case PTX_I_setmaxnreg: break;
    default: emit_arith(e); break;
    }
}

void emit_insn(struct emit *e, const struct ptx_insn *in)
{
    LLVMBasicBlockRef end = NULL;

    e->in = in;
    e->mask = e->block_mask;
    e->guarded_insn = false;
    if (in->guard.kind != PTX_OP_NONE) {
        if (v_shape(e, &in->guard).kind <= SHAPE_UNIFORM) {
            end = b_if(e, v_scalar(e, &in->guard, 1));
        } else {
            e->mask = LLVMBuildAnd(B(e), e->block_mask, v_predicate(e, &in->guard), "");
            e->guarded_insn = true;
            if (in->op == PTX_I_call)   /* nobody calls: do not */
                end = b_if(e, b_any(e, e->mask));
        }
    }
    if (!v_set_shaped(e, in))
        dispatch(e);
    if (!is_matrix(in))     /* those see to it themselves */
        fragments_written(e, in);
    if (end)
        b_end(e, end);
    e->mask = e->block_mask;
    e->guarded_insn = false;
}
