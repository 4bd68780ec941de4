/* warpop.c - shfl, vote, match, redux, activemask, elect: what the lanes of one warp tell each other. */
#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

/* ---- shfl */

static LLVMValueRef lane_numbers(struct emit *e)
{
    return b_lanes(e, 32, 1, e->plan->group);
}

/* table[index] in each lane; index below 32. */
static LLVMValueRef look_up(struct emit *e, LLVMValueRef table, LLVMValueRef index)
{
    LLVMTypeRef all = LLVMVectorType(b_int(e, 32), SC_LANES);
    LLVMTypeRef types[] = { all, LLVMVectorType(b_ptr(e), SC_LANES) };
    LLVMValueRef sel[2], part[2], k[SC_LANES], args[4], memory;

    if (!e->v.avx512) {
        memory = b_spill(e, table);
        index = LLVMBuildGEP2(B(e), b_int(e, 32), memory, &index, 1, "");
        args[0] = index;
        args[1] = b_i32(e, 4);
        args[2] = b_full(e);
        args[3] = LLVMConstNull(all);
        return b_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
    }
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned i = 0; i < 16; i++)
            k[i] = b_i32(e, 16 * h + i);
        sel[h] = LLVMBuildShuffleVector(B(e), table, LLVMGetPoison(all), LLVMConstVector(k, 16), "");
        part[h] = LLVMBuildShuffleVector(B(e), index, LLVMGetPoison(all), LLVMConstVector(k, 16), "");
    }
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef in[] = { sel[0], part[h], sel[1] };
        part[h] = b_intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, in, 3);
    }
    for (unsigned i = 0; i < SC_LANES; i++)
        k[i] = b_i32(e, i);
    return LLVMBuildShuffleVector(B(e), part[0], part[1], LLVMConstVector(k, SC_LANES), "");
}

enum shfl_mode { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

static enum shfl_mode shfl_mode(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_up) ? SHFL_UP : ptx_has(in, PTX_M_down) ? SHFL_DOWN : ptx_has(in, PTX_M_bfly) ? SHFL_BFLY : SHFL_IDX;
}

/* The PTX ISA manual's rule for one lane: the source lane, and whether it is in range. */
static unsigned source_lane(enum shfl_mode mode, unsigned lane, uint32_t b, uint32_t c, bool *in_range)
{
    unsigned clamp = c & 31, segment = c >> 8 & 31, bval = b & 31;
    unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment, j;

    switch (mode) {
    case SHFL_UP: j = lane - bval; *in_range = (int)j >= (int)most; break;
    case SHFL_DOWN: j = lane + bval; *in_range = j <= most; break;
    case SHFL_BFLY: j = lane ^ bval; *in_range = j <= most; break;
    default: j = least | (bval & ~segment & 31); *in_range = j <= most; break;
    }
    return *in_range ? j : lane;
}

static LLVMValueRef shfl_static(struct emit *e, LLVMValueRef x, uint32_t b, uint32_t c, LLVMValueRef *in_range)
{
    LLVMValueRef k[SC_LANES], p[SC_LANES];

    for (unsigned l = 0; l < SC_LANES; l++) {
        bool ok;
        k[l] = b_i32(e, source_lane(shfl_mode(e->in), l, b, c, &ok));
        p[l] = LLVMConstInt(b_int(e, 1), ok, false);
    }
    *in_range = LLVMConstVector(p, SC_LANES);
    return LLVMBuildShuffleVector(B(e), x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(k, SC_LANES), "");
}

static LLVMValueRef shfl_dynamic(struct emit *e, LLVMValueRef x, LLVMValueRef b, LLVMValueRef c, LLVMValueRef *in_range)
{
    struct arith *a = &e->v;
    LLVMValueRef lane = lane_numbers(e), k31 = arith_const(a, 32, 31), j;
    LLVMValueRef segment = v_and(a, v_lshr(a, c, arith_const(a, 32, 8)), k31), clamp = v_and(a, c, k31);
    LLVMValueRef least = v_and(a, lane, segment), most = v_or(a, least, v_and(a, clamp, v_not(a, segment)));

    b = v_and(a, b, k31);
    switch (shfl_mode(e->in)) {
    case SHFL_UP:
        j = v_sub(a, lane, b);
        *in_range = v_icmp(a, LLVMIntSGE, j, most);
        break;
    case SHFL_DOWN:
        j = v_add(a, lane, b);
        *in_range = v_icmp(a, LLVMIntULE, j, most);
        break;
    case SHFL_BFLY:
        j = v_xor(a, lane, b);
        *in_range = v_icmp(a, LLVMIntULE, j, most);
        break;
    default:
        j = v_or(a, least, v_and(a, b, v_and(a, v_not(a, segment), k31)));
        *in_range = v_icmp(a, LLVMIntULE, j, most);
        break;
    }
    return look_up(e, x, v_select(a, *in_range, j, lane));
}

/* shfl.sync.mode.b32 d|p, a, b, c, members */
static void emit_shfl(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *o = &in->ops[in->pair ? 2 : 1];
    LLVMValueRef x = v_vector(e, &o[0], 32), in_range;
    int64_t b, c;

    if (insn_constant(&o[1], &b) && insn_constant(&o[2], &c))
        x = shfl_static(e, x, (uint32_t)b, (uint32_t)c, &in_range);
    else
        x = shfl_dynamic(e, x, v_vector(e, &o[1], 32), v_vector(e, &o[2], 32), &in_range);
    v_set(e, &in->ops[0], x);
    if (in->pair)
        v_set(e, &in->ops[1], in_range);
}

/* ---- vote */

static void emit_vote(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    LLVMValueRef p = v_predicate(e, &in->ops[1]), yes = b_bits(e, LLVMBuildAnd(B(e), p, e->mask, ""));
    LLVMValueRef here = b_bits(e, e->mask);
    struct arith *a = &e->u;
    bool varying = false;

    if (ptx_has(in, PTX_M_sync)) {
        varying = v_shape(e, &in->ops[2]).kind > SHAPE_UNIFORM;
        if (varying) {
            LLVMValueRef members = v_vector(e, &in->ops[2], 32);
            a = &e->v;
            yes = v_and(a, b_splat(e, yes), members);
            here = v_and(a, b_splat(e, here), members);
        } else {
            LLVMValueRef members = v_scalar(e, &in->ops[2], 32);
            yes = v_and(a, yes, members);
            here = v_and(a, here, members);
        }
    }
    if (ptx_has(in, PTX_M_ballot))
        v_set(e, &in->ops[0], yes);
    else if (ptx_has(in, PTX_M_any))
        v_set(e, &in->ops[0], v_icmp(a, LLVMIntNE, yes, arith_const(a, 32, 0)));
    else if (ptx_has(in, PTX_M_uni))
        v_set(e, &in->ops[0], v_or(a, v_icmp(a, LLVMIntEQ, yes, here), v_icmp(a, LLVMIntEQ, yes, arith_const(a, 32, 0))));
    else
        v_set(e, &in->ops[0], v_icmp(a, LLVMIntEQ, yes, here));
}

/* ---- what goes by groups of lanes: those with equal keys are one group */

struct groups { LLVMBasicBlockRef head, body, end; LLVMValueRef rest, members; };

static void groups_begin(struct emit *e, LLVMValueRef key, struct groups *g)
{
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef bits = b_bits(e, e->mask), memory = b_spill(e, key), args[2], first, same;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B(e));
    unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(key)));

    g->head = b_block(e, "groups");
    g->body = b_block(e, "group");
    g->end = b_block(e, "groups.end");
    b_jump(e, g->head);
    b_at(e, g->head);
    g->rest = LLVMBuildPhi(B(e), i32, "");
    LLVMAddIncoming(g->rest, &bits, &before, 1);
    b_branch(e, LLVMBuildICmp(B(e), LLVMIntNE, g->rest, b_i32(e, 0), ""), g->body, g->end);
    b_at(e, g->body);
    args[0] = g->rest;
    args[1] = LLVMConstInt(b_int(e, 1), 1, false);
    first = b_pick(e, memory, width, b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2));
    same = LLVMBuildICmp(B(e), LLVMIntEQ, key, b_splat(e, first), "");
    g->members = LLVMBuildAnd(B(e), same, b_mask(e, g->rest), "");
}

static void groups_end(struct emit *e, struct groups *g)
{
    LLVMValueRef rest = LLVMBuildAnd(B(e), g->rest, LLVMBuildNot(B(e), b_bits(e, g->members), ""), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B(e));

    LLVMAddIncoming(g->rest, &rest, &here, 1);
    b_jump(e, g->head);
    b_at(e, g->end);
}

static void accumulate(struct emit *e, LLVMValueRef memory, LLVMValueRef mask, LLVMValueRef scalar)
{
    LLVMValueRef splat = b_splat(e, scalar), old = b_load(e, LLVMTypeOf(splat), memory);

    LLVMBuildStore(B(e), LLVMBuildSelect(B(e), mask, splat, old, ""), memory);
}

/* match.any d, a, members; match.all d|p, a, members */
static void emit_match(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    unsigned bits = ptx_type_bits(in->types[in->ntypes - 1]);
    bool all = ptx_has(in, PTX_M_all);
    const struct ptx_operand *o = &in->ops[in->pair ? 2 : 1];
    LLVMValueRef members = v_vector(e, &o[1], 32), memory = b_spill(e, arith_const(&e->v, 32, 0)), found;
    struct groups g;

    groups_begin(e, v_vector(e, &o[0], bits), &g);
    accumulate(e, memory, g.members, b_bits(e, g.members));
    groups_end(e, &g);
    found = v_and(&e->v, b_load(e, LLVMVectorType(b_int(e, 32), SC_LANES), memory), members);
    if (all) {
        LLVMValueRef here = v_and(&e->v, members, b_splat(e, b_bits(e, e->mask)));
        LLVMValueRef yes = v_icmp(&e->v, LLVMIntEQ, found, here);
        v_set(e, &in->ops[0], v_select(&e->v, yes, here, arith_const(&e->v, 32, 0)));
        if (in->pair)
            v_set(e, &in->ops[1], yes);
    } else {
        v_set(e, &in->ops[0], found);
    }
}

static const char *redux_intrinsic(const struct ptx_insn *in, uint64_t *identity)
{
    bool is_signed = ptx_type_is_signed(in->types[0]);

    *identity = 0;
    if (ptx_has(in, PTX_M_add))
        return "llvm.vector.reduce.add";
    if (ptx_has(in, PTX_M_or_))
        return "llvm.vector.reduce.or";
    if (ptx_has(in, PTX_M_xor_))
        return "llvm.vector.reduce.xor";
    if (ptx_has(in, PTX_M_max)) {
        *identity = is_signed ? 0x80000000u : 0;
        return is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
    }
    *identity = 0xffffffffu;
    if (ptx_has(in, PTX_M_and_))
        return "llvm.vector.reduce.and";
    if (is_signed)
        *identity = 0x7fffffffu;
    return is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
}

static LLVMValueRef reduce(struct emit *e, LLVMValueRef x, LLVMValueRef mask)
{
    uint64_t identity;
    const char *name = redux_intrinsic(e->in, &identity);
    LLVMValueRef arg = v_select(&e->v, mask, x, arith_const(&e->v, 32, identity));
    LLVMTypeRef type = LLVMTypeOf(x);

    return b_intrinsic(e, name, &type, 1, &arg, 1);
}

/* redux.sync.op d, a, members */
static void emit_redux(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    LLVMValueRef x = v_vector(e, &in->ops[1], 32), memory;
    struct groups g;

    if (v_shape(e, &in->ops[2]).kind <= SHAPE_UNIFORM) {
        LLVMValueRef members = b_mask(e, v_scalar(e, &in->ops[2], 32));
        v_set(e, &in->ops[0], reduce(e, x, v_and(&e->v, members, e->mask)));
        return;
    }
    memory = b_spill(e, arith_const(&e->v, 32, 0));
    groups_begin(e, v_vector(e, &in->ops[2], 32), &g);
    accumulate(e, memory, g.members, reduce(e, x, g.members));
    groups_end(e, &g);
    v_set(e, &in->ops[0], b_load(e, LLVMTypeOf(x), memory));
}

/* elect.sync d|p, members: the lowest lane */
static void emit_elect(struct emit *e)
{
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef bits = b_bits(e, e->mask), args[] = { bits, LLVMConstInt(b_int(e, 1), 0, false) };
    LLVMValueRef first = b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2);

    v_set(e, &e->in->ops[0], first);
    if (e->in->pair)
        v_set(e, &e->in->ops[1], v_icmp(&e->v, LLVMIntEQ, lane_numbers(e), b_splat(e, first)));
}

void emit_warp_op(struct emit *e)
{
    switch (e->in->op) {
    case PTX_I_shfl: emit_shfl(e); break;
    case PTX_I_vote: emit_vote(e); break;
    case PTX_I_match: emit_match(e); break;
    case PTX_I_redux: emit_redux(e); break;
    case PTX_I_elect: emit_elect(e); break;
    default: v_set(e, &e->in->ops[0], b_bits(e, e->mask)); break;
    }
}
