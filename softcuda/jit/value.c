/* value.c - operands as values, results into registers, in the shape that the plan gave each register. */
#include <stddef.h>
#include <string.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

unsigned v_reg_bits(const struct emit *e, uint32_t reg)
{
    return ptx_type_bits(e->func->regs[reg].type);
}

struct shape v_shape(struct emit *e, const struct ptx_operand *o)
{
    return plan_operand_shape(e->plan, o);
}

/* Nought at first: a lane may come to read what only others wrote. Without that, there is a single store mostly, and it costs LLVM next to
 * nothing to find the value. */
static LLVMValueRef make_slot(struct emit *e, LLVMTypeRef type, bool written_first)
{
    LLVMValueRef memory = b_alloca(e, type);

    if (!written_first)
        LLVMBuildStore(B(e), LLVMConstNull(type), memory);
    return memory;
}

void v_make_slots(struct emit *e)
{
    for (uint32_t r = 0; r < e->func->nregs; r++) {
        struct shape x = e->plan->shapes[r];
        unsigned bits = v_reg_bits(e, r);
        LLVMTypeRef scalar = b_int(e, bits), type = x.kind == SHAPE_VARYING ? LLVMVectorType(scalar, SC_LANES) : scalar;
        bool written_first = plan_written_first(e->plan, r);
        struct slot *slot = &e->regs[r];

        if (!e->plan->ndefs[r] && !e->plan->nuses[r])
            continue;
        slot->value = make_slot(e, type, written_first);
        if (x.kind == SHAPE_WIDENED)
            slot->narrow = make_slot(e, b_int(e, 32), written_first);
        if (x.t_dynamic)
            slot->t = make_slot(e, x.kind == SHAPE_WIDENED ? b_int(e, 32) : scalar, written_first);
    }
}

/* ---- scalars */

static LLVMValueRef immediate(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    uint64_t value = o->imm;

    if (o->is_float && o->imm_bits == 64 && bits == 32) {
        double d;
        float f;
        uint32_t word;
        memcpy(&d, &value, sizeof(d));
        f = (float)d;
        memcpy(&word, &f, sizeof(word));
        value = word;
    }
    return LLVMConstInt(b_int(e, bits), bits == 1 ? value != 0 : value, false);
}

static LLVMValueRef lane0_of_warp(struct emit *e)
{
    return LLVMBuildMul(B(e), e->warp_index, b_i32(e, SC_LANES), "");
}

/* Base of %tid.x .y .z where their shape is not varying; the shapes are made in plan.c. */
static LLVMValueRef tid_base(struct emit *e, unsigned axis)
{
    const uint32_t x = e->plan->ntid[0], y = e->plan->ntid[1], z = e->plan->ntid[2];
    LLVMValueRef lane0;

    if ((axis && y == 1 && z == 1) || (axis == 0 && e->plan->group < SC_LANES))
        return b_i32(e, 0);
    lane0 = lane0_of_warp(e);
    if (axis == 0)
        return y == 1 && z == 1 ? lane0 : LLVMBuildURem(B(e), lane0, b_i32(e, x), "");
    if (axis == 2)
        return LLVMBuildUDiv(B(e), lane0, b_i32(e, (uint64_t)x * y), "");
    lane0 = LLVMBuildUDiv(B(e), lane0, b_i32(e, x), "");
    return z == 1 ? lane0 : LLVMBuildURem(B(e), lane0, b_i32(e, y), "");
}

static LLVMValueRef dim_field(struct emit *e, size_t offset, unsigned axis)
{
    return b_warp_field(e, offset + axis * sizeof(uint32_t), 32, true);
}

static LLVMValueRef clock_value(struct emit *e, uint32_t sr)
{
    bool timer = sr >= PTX_SR_GLOBALTIMER, high = sr == PTX_SR_CLOCK_HI || sr == PTX_SR_GLOBALTIMER_HI;
    LLVMValueRef now = b_call(e, timer ? "sc_rt_globaltimer" : "sc_rt_clock", 64, NULL, 0);

    return high ? LLVMBuildLShr(B(e), now, b_i64(e, 32), "") : now;
}

static LLVMValueRef envreg(struct emit *e, unsigned n)
{
    LLVMValueRef both;

    if (n != 1 && n != 2)
        return b_i32(e, 0);
    both = b_warp_field(e, offsetof(struct sc_warp, envreg1_2), 64, true);
    return b_resize(e, n == 1 ? LLVMBuildLShr(B(e), both, b_i64(e, 32), "") : both, 32, false);
}

static LLVMValueRef special(struct emit *e, uint32_t sr)
{
    if (sr <= PTX_SR_TID_Z)
        return tid_base(e, sr - PTX_SR_TID_X);
    if (sr <= PTX_SR_NTID_Z)
        return b_i32(e, e->plan->ntid[sr - PTX_SR_NTID_X]);
    if (sr == PTX_SR_CTAID_X)
        return e->ctaid_x;
    if (sr <= PTX_SR_CTAID_Z)
        return dim_field(e, offsetof(struct sc_warp, ctaid), sr - PTX_SR_CTAID_X);
    if (sr <= PTX_SR_NCTAID_Z)
        return dim_field(e, offsetof(struct sc_warp, nctaid), sr - PTX_SR_NCTAID_X);
    if (sr >= PTX_SR_CLOCK && sr <= PTX_SR_GLOBALTIMER_HI)
        return clock_value(e, sr);
    if (sr >= PTX_SR_ENVREG0 && sr < PTX_SR_PM0)
        return envreg(e, sr - PTX_SR_ENVREG0);
    switch (sr) {
    case PTX_SR_WARPID: return e->warp_index;
    case PTX_SR_NWARPID: return b_warp_field(e, offsetof(struct sc_warp, nwarps), 32, true);
    case PTX_SR_SMID: return b_warp_field(e, offsetof(struct sc_warp, smid), 32, true);
    case PTX_SR_NSMID: return b_warp_field(e, offsetof(struct sc_warp, nsmid), 32, true);
    case PTX_SR_GRIDID: return b_warp_field(e, offsetof(struct sc_warp, gridid), 64, true);
    case PTX_SR_DYNAMIC_SMEM_SIZE: return b_warp_field(e, offsetof(struct sc_warp, dynamic_shared_bytes), 32, true);
    case PTX_SR_TOTAL_SMEM_SIZE: case PTX_SR_AGGR_SMEM_SIZE:
        return b_warp_field(e, offsetof(struct sc_warp, shared_bytes), 32, true);
    /* Without clusters every block is a cluster of its own. */
    case PTX_SR_CLUSTERID_X: return e->ctaid_x;
    case PTX_SR_CLUSTERID_Y: case PTX_SR_CLUSTERID_Z:
        return dim_field(e, offsetof(struct sc_warp, ctaid), sr - PTX_SR_CLUSTERID_X);
    case PTX_SR_NCLUSTERID_X: case PTX_SR_NCLUSTERID_Y: case PTX_SR_NCLUSTERID_Z:
        return dim_field(e, offsetof(struct sc_warp, nctaid), sr - PTX_SR_NCLUSTERID_X);
    case PTX_SR_CLUSTER_NCTAID_X: case PTX_SR_CLUSTER_NCTAID_Y: case PTX_SR_CLUSTER_NCTAID_Z: case PTX_SR_CLUSTER_NCTARANK:
        return b_i32(e, 1);
    default: return b_i32(e, 0);
    }
}

static LLVMValueRef add_offset(struct emit *e, LLVMValueRef value, int64_t offset)
{
    return offset ? LLVMBuildAdd(B(e), value, LLVMConstInt(LLVMTypeOf(value), (uint64_t)offset, true), "") : value;
}

/* The value of a uniform operand, the base of an affine one. */
static LLVMValueRef base_of(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    LLVMValueRef x;

    switch (o->kind) {
    case PTX_OP_REG:
        x = b_load(e, b_int(e, v_reg_bits(e, o->index)), e->regs[o->index].value);
        if (o->negated)
            x = v_reg_bits(e, o->index) == 1 ? LLVMBuildNot(B(e), x, "") : LLVMBuildNeg(B(e), x, "");
        break;
    case PTX_OP_IMM:
        return immediate(e, o, bits);
    case PTX_OP_SPECIAL:
        x = o->index == PTX_SR_LANEID ? b_i32(e, 0) : special(e, o->index);
        break;
    default:
        x = v_address_of(e, o);
    }
    return add_offset(e, b_resize(e, x, bits, false), o->memory ? 0 : o->offset);
}

LLVMValueRef v_scalar(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    return base_of(e, o, bits);
}

/* ---- affine values */

struct affine v_affine(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    struct shape x = v_shape(e, o);
    struct affine a = { .base = base_of(e, o, bits), .s = x.s, .t_constant = x.t };

    if (x.t_dynamic)
        a.t = b_resize(e, b_load(e, b_int(e, v_reg_bits(e, o->index)), e->regs[o->index].t), bits, false);
    return a;
}

struct affine v_narrow(struct emit *e, const struct ptx_operand *o, LLVMValueRef *offset)
{
    struct shape x = v_shape(e, o);
    const struct slot *slot = &e->regs[o->index];
    struct affine a = { .base = b_load(e, b_int(e, 32), slot->narrow), .s = x.s, .t_constant = x.t };

    if (x.t_dynamic)
        a.t = b_load(e, b_int(e, 32), slot->t);
    *offset = add_offset(e, b_load(e, b_int(e, 64), slot->value), o->memory ? 0 : o->offset);
    return a;
}

static LLVMValueRef expand(struct emit *e, struct affine a, unsigned bits)
{
    LLVMValueRef x = b_splat(e, a.base), lanes = b_lanes(e, bits, a.s, a.t ? 0 : a.t_constant);

    x = LLVMBuildAdd(B(e), x, lanes, "");
    if (!a.t)
        return x;
    return LLVMBuildAdd(B(e), x, LLVMBuildMul(B(e), b_splat(e, a.t), b_lanes(e, bits, 0, 1), ""), "");
}

static LLVMValueRef expand_widened(struct emit *e, const struct ptx_operand *o)
{
    struct shape x = v_shape(e, o);
    LLVMValueRef offset, wide;
    struct affine a = v_narrow(e, o, &offset);

    wide = b_resize(e, expand(e, a, 32), 64, !x.zero_extended);
    wide = LLVMBuildMul(B(e), wide, arith_const(&e->v, 64, (uint64_t)x.c), "");
    return LLVMBuildAdd(B(e), wide, b_splat(e, offset), "");
}

/* Smallest and largest of s * i + t * g over the lanes, as i64; t may be a program's value (then sign-extended). */
void v_extent(struct emit *e, struct affine a, LLVMValueRef *low, LLVMValueRef *high)
{
    int64_t n = e->plan->group, groups = SC_LANES / n, s = a.s * (n - 1), t = a.t_constant * (groups - 1);
    LLVMValueRef zero = b_i64(e, 0), run, negative;

    *low = b_i64(e, (uint64_t)((s < 0 ? s : 0) + (a.t || t > 0 ? 0 : t)));
    *high = b_i64(e, (uint64_t)((s > 0 ? s : 0) + (a.t || t < 0 ? 0 : t)));
    if (!a.t)
        return;
    run = LLVMBuildMul(B(e), b_resize(e, a.t, 64, true), b_i64(e, (uint64_t)(groups - 1)), "");
    negative = LLVMBuildICmp(B(e), LLVMIntSLT, run, zero, "");
    *low = LLVMBuildAdd(B(e), *low, LLVMBuildSelect(B(e), negative, run, zero, ""), "");
    *high = LLVMBuildAdd(B(e), *high, LLVMBuildSelect(B(e), negative, zero, run, ""), "");
}

LLVMValueRef v_exact(struct emit *e, struct shape x, struct affine a)
{
    LLVMValueRef low, high, base = b_resize(e, a.base, 64, !x.zero_extended), in_low, in_high;
    int64_t least = x.zero_extended ? 0 : INT32_MIN, most = x.zero_extended ? UINT32_MAX : INT32_MAX;

    v_extent(e, a, &low, &high);
    in_low = LLVMBuildICmp(B(e), LLVMIntSGE, LLVMBuildAdd(B(e), base, low, ""), b_i64(e, (uint64_t)least), "");
    in_high = LLVMBuildICmp(B(e), LLVMIntSLE, LLVMBuildAdd(B(e), base, high, ""), b_i64(e, (uint64_t)most), "");
    return LLVMBuildAnd(B(e), in_low, in_high, "");
}

/* ---- vectors */

static LLVMValueRef tid_vector(struct emit *e, unsigned axis)
{
    const uint32_t x = e->plan->ntid[0], y = e->plan->ntid[1];
    LLVMValueRef thread = LLVMBuildAdd(B(e), b_splat(e, lane0_of_warp(e)), b_lanes(e, 32, 1, e->plan->group), "");

    if (axis == 0)
        return LLVMBuildURem(B(e), thread, arith_const(&e->v, 32, x), "");
    thread = LLVMBuildUDiv(B(e), thread, arith_const(&e->v, 32, axis == 1 ? x : (uint64_t)x * y), "");
    return axis == 1 ? LLVMBuildURem(B(e), thread, arith_const(&e->v, 32, y), "") : thread;
}

static LLVMValueRef lanemask_vector(struct emit *e, uint32_t sr)
{
    LLVMValueRef lanes[SC_LANES];

    for (unsigned l = 0; l < SC_LANES; l++) {
        uint32_t eq = 1u << l, lt = eq - 1;
        uint32_t m = sr == PTX_SR_LANEMASK_EQ ? eq : sr == PTX_SR_LANEMASK_LT ? lt : sr == PTX_SR_LANEMASK_LE ? lt | eq
                   : sr == PTX_SR_LANEMASK_GE ? ~lt : ~(lt | eq);
        lanes[l] = b_i32(e, m);
    }
    return LLVMConstVector(lanes, SC_LANES);
}

LLVMValueRef v_vector(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    struct shape x = v_shape(e, o);
    LLVMValueRef value;
    unsigned width;

    if (o->kind == PTX_OP_SPECIAL && x.kind == SHAPE_VARYING) {
        value = o->index <= PTX_SR_TID_Z ? tid_vector(e, o->index - PTX_SR_TID_X) : lanemask_vector(e, o->index);
        return b_resize(e, value, bits, false);
    }
    if (o->kind == PTX_OP_REG && e->plan->shapes[o->index].kind == SHAPE_VARYING) {
        width = v_reg_bits(e, o->index);
        value = b_load(e, LLVMVectorType(b_int(e, width), SC_LANES), e->regs[o->index].value);
        if (o->negated)
            value = width == 1 ? LLVMBuildNot(B(e), value, "") : LLVMBuildNeg(B(e), value, "");
        value = b_resize(e, value, bits, false);
        if (o->offset && !o->memory)
            value = LLVMBuildAdd(B(e), value, arith_const(&e->v, bits, (uint64_t)o->offset), "");
        return value;
    }
    if (o->kind == PTX_OP_REG && o->negated && e->plan->shapes[o->index].kind > SHAPE_UNIFORM) {
        struct ptx_operand plain = *o;
        plain.negated = false;
        return LLVMBuildNeg(B(e), v_vector(e, &plain, bits), "");
    }
    if (x.kind == SHAPE_WIDENED)
        return b_resize(e, expand_widened(e, o), bits, false);
    if (x.kind == SHAPE_AFFINE)
        return expand(e, v_affine(e, o, bits), bits);
    return b_splat(e, v_scalar(e, o, bits));
}

LLVMValueRef v_predicate(struct emit *e, const struct ptx_operand *o)
{
    return v_vector(e, o, 1);
}

/* ---- results */

static void store_shape(struct emit *e, uint32_t reg, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMVectorType(b_int(e, v_reg_bits(e, reg)), SC_LANES);
    LLVMValueRef ptr = e->regs[reg].value, mask = e->guarded_insn ? e->mask : NULL;

    if (!mask && plan_blends(e->plan, reg, e->block))
        mask = e->block_mask;
    if (mask)
        value = LLVMBuildSelect(B(e), mask, value, b_load(e, type, ptr), "");
    LLVMBuildStore(B(e), value, ptr);
}

void v_set_signed(struct emit *e, const struct ptx_operand *o, LLVMValueRef value, bool is_signed)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;

    if (o->kind != PTX_OP_REG)
        return;
    value = b_resize(e, value, v_reg_bits(e, o->index), is_signed);
    if (e->plan->shapes[o->index].kind == SHAPE_VARYING) {
        store_shape(e, o->index, vector ? value : b_splat(e, value));
        return;
    }
    if (vector)     /* uniform, though its operands are not: tid - tid, tid * 0 */
        value = LLVMBuildExtractElement(B(e), value, b_i32(e, 0), "");
    LLVMBuildStore(B(e), value, e->regs[o->index].value);
}

void v_set(struct emit *e, const struct ptx_operand *o, LLVMValueRef value)
{
    v_set_signed(e, o, value, false);
}

/* ---- instructions whose result keeps a shape */

static struct affine affine_sum(struct emit *e, struct affine x, struct affine y, bool minus)
{
    LLVMTypeRef type = LLVMTypeOf(x.base);
    struct affine r = { .base = minus ? LLVMBuildSub(B(e), x.base, y.base, "") : LLVMBuildAdd(B(e), x.base, y.base, "") };
    LLVMValueRef xt = x.t ? x.t : LLVMConstInt(type, (uint64_t)x.t_constant, true);
    LLVMValueRef yt = y.t ? y.t : LLVMConstInt(type, (uint64_t)y.t_constant, true);

    r.t = minus ? LLVMBuildSub(B(e), xt, yt, "") : LLVMBuildAdd(B(e), xt, yt, "");
    return r;
}

/* x times a uniform factor. */
static struct affine affine_product(struct emit *e, struct affine x, LLVMValueRef factor)
{
    LLVMValueRef t = x.t ? x.t : LLVMConstInt(LLVMTypeOf(x.base), (uint64_t)x.t_constant, true);

    return (struct affine){ .base = LLVMBuildMul(B(e), x.base, factor, ""), .t = LLVMBuildMul(B(e), t, factor, "") };
}

static struct affine product_of(struct emit *e, const struct ptx_operand *a, const struct ptx_operand *b, unsigned bits)
{
    bool first = v_shape(e, a).kind != SHAPE_UNIFORM;

    return affine_product(e, v_affine(e, first ? a : b, bits), v_scalar(e, first ? b : a, bits));
}

/* The product of two uniform operands as wide as the instruction's result. */
static LLVMValueRef scalar_product(struct emit *e, const struct ptx_insn *in)
{
    unsigned bits = ptx_type_bits(in->types[0]), to = ptx_has(in, PTX_M_wide) ? 2 * bits : bits;
    bool is_signed = ptx_type_is_signed(in->types[0]);

    return LLVMBuildMul(B(e), b_resize(e, v_scalar(e, &in->ops[1], bits), to, is_signed),
                        b_resize(e, v_scalar(e, &in->ops[2], bits), to, is_signed), "");
}

static struct affine affine_result(struct emit *e, const struct ptx_insn *in, unsigned bits)
{
    const struct ptx_operand *o = in->ops;
    struct affine a;
    LLVMValueRef distance;

    switch (in->op) {
    case PTX_I_add: case PTX_I_sub:
        return affine_sum(e, v_affine(e, &o[1], bits), v_affine(e, &o[2], bits), in->op == PTX_I_sub);
    case PTX_I_mul:
        return product_of(e, &o[1], &o[2], bits);
    case PTX_I_mad:
        if (v_shape(e, &o[1]).kind == SHAPE_UNIFORM && v_shape(e, &o[2]).kind == SHAPE_UNIFORM)
            a = (struct affine){ .base = scalar_product(e, in) };
        else
            a = product_of(e, &o[1], &o[2], bits);
        return affine_sum(e, a, v_affine(e, &o[3], bits), false);
    case PTX_I_cvta:
        a = v_affine(e, &o[1], bits);
        distance = v_cvta_distance(e, in);
        if (distance)
            a.base = LLVMBuildAdd(B(e), a.base, distance, "");
        return a;
    case PTX_I_shl:
        return affine_product(e, v_affine(e, &o[1], bits), LLVMConstInt(b_int(e, bits), (uint64_t)1 << o[2].imm, false));
    default:
        return v_affine(e, &o[1], bits);
    }
}

static bool set_affine(struct emit *e, const struct ptx_insn *in)
{
    const struct slot *slot = &e->regs[in->ops[0].index];
    struct shape source = v_shape(e, &in->ops[1]);
    struct affine a;

    if (in->op == PTX_I_cvt && source.kind == SHAPE_WIDENED) {  /* cut down to 32 bits, it is affine again */
        LLVMValueRef offset, factor = b_i32(e, (uint64_t)source.c);
        a = affine_product(e, v_narrow(e, &in->ops[1], &offset), factor);
        a.base = LLVMBuildAdd(B(e), a.base, b_resize(e, offset, 32, false), "");
    } else {
        a = affine_result(e, in, v_reg_bits(e, in->ops[0].index));
    }
    LLVMBuildStore(B(e), a.base, slot->value);
    if (slot->t)
        LLVMBuildStore(B(e), a.t ? a.t : LLVMConstInt(LLVMTypeOf(a.base), (uint64_t)a.t_constant, true), slot->t);
    return true;
}

static void store_widened(struct emit *e, const struct slot *slot, LLVMValueRef offset, struct affine narrow)
{
    LLVMBuildStore(B(e), offset, slot->value);
    LLVMBuildStore(B(e), narrow.base, slot->narrow);
    if (slot->t)
        LLVMBuildStore(B(e), narrow.t ? narrow.t : b_i32(e, (uint64_t)narrow.t_constant), slot->t);
}

/* The operand that carries the widened (or still narrow) value, and what is added to it. */
static void set_widened(struct emit *e, const struct ptx_insn *in)
{
    const struct slot *slot = &e->regs[in->ops[0].index];
    const struct ptx_operand *o = in->ops, *carrier = &o[1];
    LLVMValueRef offset = b_i64(e, 0), more = NULL, factor = NULL;
    struct affine narrow;
    bool wide = in->op == PTX_I_mul || in->op == PTX_I_mad ? ptx_has(in, PTX_M_wide) : in->op == PTX_I_cvt;

    if (v_shape(e, carrier).kind == SHAPE_UNIFORM && in->op != PTX_I_mad)
        carrier = &o[2];
    if (in->op == PTX_I_mad) {
        if (v_shape(e, &o[1]).kind == SHAPE_UNIFORM)
            carrier = v_shape(e, &o[2]).kind == SHAPE_UNIFORM ? &o[3] : &o[2];
        more = carrier == &o[3] ? scalar_product(e, in) : v_scalar(e, &o[3], 64);
    }
    if (in->op == PTX_I_cvta)
        more = v_cvta_distance(e, in);
    if (v_shape(e, carrier).kind == SHAPE_WIDENED) {
        narrow = v_narrow(e, carrier, &offset);
        wide = false;
    } else {
        narrow = v_affine(e, carrier, 32);
    }
    if (in->op == PTX_I_shl)
        factor = b_i64(e, (uint64_t)1 << o[2].imm);
    if ((in->op == PTX_I_mul || (in->op == PTX_I_mad && carrier != &o[3])) && !wide)
        factor = v_scalar(e, carrier == &o[1] ? &o[2] : &o[1], 64);
    if (factor)
        offset = LLVMBuildMul(B(e), offset, factor, "");
    if (in->op == PTX_I_add)
        more = v_scalar(e, carrier == &o[1] ? &o[2] : &o[1], 64);
    if (in->op == PTX_I_sub)
        offset = carrier == &o[1] ? LLVMBuildSub(B(e), offset, v_scalar(e, &o[2], 64), "")
                                  : LLVMBuildSub(B(e), v_scalar(e, &o[1], 64), offset, "");
    if (more)
        offset = LLVMBuildAdd(B(e), offset, more, "");
    store_widened(e, slot, offset, narrow);
}

bool v_set_shaped(struct emit *e, const struct ptx_insn *in)
{
    struct shape x;

    if (!insn_has_dst(in) || in->pair || in->ops[0].kind != PTX_OP_REG)
        return false;
    x = e->plan->shapes[in->ops[0].index];
    if (x.kind == SHAPE_AFFINE)
        return set_affine(e, in);
    if (x.kind != SHAPE_WIDENED)
        return false;
    set_widened(e, in);
    return true;
}
