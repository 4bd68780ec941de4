/* barrier.c - bar and barrier: a warp arrives as a whole, its exited lanes with it.
 *
 * In a guarded block the warp's lanes may come to barriers apart. Then the block waits until all live lanes are there (flow.c); or, when
 * nothing else can run and every live lane stands at some barrier, the run's end arrives for all of them at once and releases them. */
#include <stddef.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

static uint32_t block_threads(const struct emit *e)
{
    return e->plan->ntid[0] * e->plan->ntid[1] * e->plan->ntid[2];
}

/* Threads that this warp began with. */
static LLVMValueRef warp_threads(struct emit *e)
{
    uint32_t threads = block_threads(e), last = threads % SC_LANES;
    LLVMValueRef is_last;

    if (!last)
        return b_i32(e, SC_LANES);
    is_last = LLVMBuildICmp(B(e), LLVMIntEQ, e->warp_index, b_i32(e, threads / SC_LANES), "");
    return LLVMBuildSelect(B(e), is_last, b_i32(e, last), b_i32(e, SC_LANES), "");
}

/* With a count the hardware counts warps, 32 threads each. */
static LLVMValueRef arriving(struct emit *e, bool counted)
{
    return counted ? b_i32(e, SC_LANES) : warp_threads(e);
}

void emit_arrive_all(struct emit *e, LLVMValueRef id, LLVMValueRef count)
{
    LLVMValueRef all = LLVMBuildICmp(B(e), LLVMIntEQ, count, b_i32(e, 0), "");
    LLVMValueRef args[] = { e->warp, id, LLVMBuildSelect(B(e), all, warp_threads(e), arriving(e, true), ""), count };

    if (block_threads(e) <= SC_LANES && LLVMIsConstant(count) && !LLVMConstIntGetZExtValue(count))
        return;
    b_call(e, "sc_rt_barrier", 0, args, 4);
    e->unit->may_wait = true;
}

static LLVMValueRef operand_or_zero(struct emit *e, const struct ptx_operand *o)
{
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef args[2], lanes, first;

    if (!o)
        return b_i32(e, 0);
    if (v_shape(e, o).kind <= SHAPE_UNIFORM)
        return v_scalar(e, o, 32);
    lanes = v_vector(e, o, 32);     /* the first lane speaks for the warp */
    args[0] = b_bits(e, e->mask);
    args[1] = LLVMConstInt(b_int(e, 1), 0, false);
    first = b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2);
    return LLVMBuildExtractElement(B(e), lanes, LLVMBuildAnd(B(e), first, b_i32(e, SC_LANES - 1), ""), "");
}

static void emit_bar_sync(struct emit *e, const struct ptx_operand *count)
{
    bool arrive = ptx_has(e->in, PTX_M_arrive);
    LLVMValueRef id = ptx_has(e->in, PTX_M_cluster) ? b_i32(e, SC_CLUSTER_BARRIER) : operand_or_zero(e, &e->in->ops[0]);
    LLVMValueRef args[] = { e->warp, id, arriving(e, count), operand_or_zero(e, count) };

    if (!count && block_threads(e) <= SC_LANES)
        return;
    b_call(e, arrive ? "sc_rt_barrier_arrive" : "sc_rt_barrier", 0, args, 4);
    e->unit->may_wait = true;
}

/* bar.red.op.type d, a{, b}, {!}c */
static void emit_bar_red(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *count = in->nops > 3 ? &in->ops[2] : NULL, *c = &in->ops[in->nops - 1];
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef yes = b_bits(e, LLVMBuildAnd(B(e), v_predicate(e, c), e->mask, "")), total = b_alloca(e, i32), n, result;
    LLVMValueRef here = b_bits(e, e->mask), missing, args[6];

    n = b_intrinsic(e, "llvm.ctpop", &i32, 1, &yes, 1);
    if (ptx_has(in, PTX_M_and_)) {  /* exited lanes say yes, so that they do not spoil it */
        missing = LLVMBuildSub(B(e), arriving(e, count), b_intrinsic(e, "llvm.ctpop", &i32, 1, &here, 1), "");
        n = LLVMBuildAdd(B(e), n, missing, "");
    }
    args[0] = e->warp;
    args[1] = operand_or_zero(e, &in->ops[1]);
    args[2] = arriving(e, count);
    args[3] = operand_or_zero(e, count);
    args[4] = n;
    args[5] = total;
    result = b_call(e, "sc_rt_barrier_red", 32, args, 6);
    e->unit->may_wait |= block_threads(e) > SC_LANES;
    if (ptx_has(in, PTX_M_and_))
        result = LLVMBuildICmp(B(e), LLVMIntEQ, result, b_load(e, i32, total), "");
    else if (ptx_has(in, PTX_M_or_))
        result = LLVMBuildICmp(B(e), LLVMIntNE, result, b_i32(e, 0), "");
    v_set(e, &in->ops[0], result);
}

void emit_barrier(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    LLVMBasicBlockRef end = NULL;
    LLVMValueRef released, mine;

    if (ptx_has(in, PTX_M_warp) || (ptx_has(in, PTX_M_cluster) && ptx_has(in, PTX_M_arrive)))
        return;     /* bar.warp.sync: that the lanes are here is all; a cluster is one block, which meets where it waits */
    if (ptx_has(in, PTX_M_red)) {
        emit_bar_red(e);
        return;
    }
    if (e->released && e->plan->guarded[e->block] && !ptx_has(in, PTX_M_arrive)) {
        released = b_load(e, b_mask_type(e), e->released);
        mine = LLVMBuildAnd(B(e), e->block_mask, LLVMBuildNot(B(e), released, ""), "");
        LLVMBuildStore(B(e), LLVMBuildAnd(B(e), released, LLVMBuildNot(B(e), e->block_mask, ""), ""), e->released);
        end = b_if(e, b_any(e, mine));
    }
    emit_bar_sync(e, in->nops > 1 ? &in->ops[1] : NULL);
    if (end)
        b_end(e, end);
}
