/* function.c - one PTX function as one LLVM function. */
#include <stddef.h>
#include <stdlib.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

static uint32_t block_threads(const struct emit *e)
{
    return e->plan->ntid[0] * e->plan->ntid[1] * e->plan->ntid[2];
}

/* No lane is ever missing: full warps only, and nobody leaves before the end. */
static bool all_lanes_live(const struct emit *e)
{
    if (!e->func->entry || block_threads(e) % SC_LANES || e->unit->calls_exit)
        return false;
    for (uint32_t b = 0; b < e->plan->cfg->nblocks; b++) {
        const struct cfg_block *block = &e->plan->cfg->blocks[b];
        const struct ptx_insn *last = &e->func->insns[block->end - 1];
        bool leaves = last->op == PTX_I_ret || last->op == PTX_I_exit || last->op == PTX_I_trap;
        if (leaves && (last->guard.kind != PTX_OP_NONE || e->plan->guarded[b]))
            return false;
        for (uint32_t i = 0; i < block->nsucc; i++)
            if (e->plan->exit_only[block->succ[i]] && (block->nsucc > 1 || e->plan->guarded[b]))
                return false;
    }
    return true;
}

static LLVMValueRef first_mask(struct emit *e)
{
    LLVMValueRef first, rest;

    if (!e->func->entry)
        return b_mask(e, LLVMGetParam(e->function, 1));
    if (block_threads(e) % SC_LANES == 0)
        return b_full(e);
    first = LLVMBuildMul(B(e), e->warp_index, b_i32(e, SC_LANES), "");
    rest = LLVMBuildSub(B(e), b_i32(e, block_threads(e)), first, "");
    return LLVMBuildICmp(B(e), LLVMIntULT, b_lanes(e, 32, 1, e->plan->group), b_splat(e, rest), "");
}

static LLVMValueRef mask_slot(struct emit *e, LLVMValueRef value)
{
    LLVMValueRef memory = b_alloca(e, b_mask_type(e));

    LLVMBuildStore(B(e), value, memory);
    return memory;
}

/* Takes a frame of local memory for 32 lanes, or ends the launch. */
static void take_frame(struct emit *e, LLVMValueRef *top)
{
    LLVMValueRef size = b_i64(e, (uint64_t)e->plan->local_frame * SC_LANES), end, after, args[3];
    LLVMBasicBlockRef ok;

    if (!e->plan->local_frame)
        return;
    *top = b_gep(e, e->warp, b_i64(e, offsetof(struct sc_warp, local_top)));
    e->frame = b_load(e, b_int(e, 64), *top);
    end = b_warp_field(e, offsetof(struct sc_warp, local_end), 64, true);
    after = LLVMBuildAdd(B(e), e->frame, size, "");
    ok = b_if(e, LLVMBuildICmp(B(e), LLVMIntUGT, after, end, ""));
    args[0] = e->warp;
    args[1] = b_i32(e, SC_FAULT_STACK_OVERFLOW);
    args[2] = e->frame;
    b_call(e, "sc_rt_fault", 0, args, 3);
    b_end(e, ok);
    LLVMBuildStore(B(e), after, *top);
}

static void make_runs(struct emit *e)
{
    bool parks = false;

    for (uint32_t r = 0; r < e->plan->nruns; r++) {
        e->run_ends[r] = b_block(e, "run.end");
        parks |= e->plan->runs[r].parks;
    }
    if (parks || e->plan->has_spin) {
        e->budget = b_alloca(e, b_int(e, 32));
        LLVMBuildStore(B(e), b_i32(e, 64), e->budget);
    }
    if (!parks)
        return;
    e->progress = b_alloca(e, b_int(e, 1));
    LLVMBuildStore(B(e), LLVMConstNull(b_int(e, 1)), e->progress);
    e->force = b_alloca(e, b_int(e, 1));
    LLVMBuildStore(B(e), LLVMConstNull(b_int(e, 1)), e->force);
    e->released = mask_slot(e, b_no_lanes(e));
}

static void begin(struct emit *e, LLVMValueRef *top)
{
    const struct cfg *g = e->plan->cfg;

    e->entry = b_block(e, "entry");
    b_at(e, e->entry);
    if (!e->func->entry) {
        e->warp_index = b_warp_field(e, offsetof(struct sc_warp, warp), 32, false);
        e->ctaid_x = b_warp_field(e, offsetof(struct sc_warp, ctaid), 32, false);
    }
    e->done = b_block(e, "done");
    e->mask0 = first_mask(e);
    e->all_live = all_lanes_live(e);
    e->live = mask_slot(e, e->mask0);
    e->exited = mask_slot(e, b_no_lanes(e));
    e->carry = b_alloca(e, e->plan->carry_varying ? b_mask_type(e) : b_int(e, 1));
    LLVMBuildStore(B(e), LLVMConstNull(e->plan->carry_varying ? b_mask_type(e) : b_int(e, 1)), e->carry);
    for (uint32_t b = 0; b < g->nblocks; b++) {
        e->blocks[b] = b_block(e, "b");
        if (e->plan->guarded[b])
            e->wait[b] = mask_slot(e, b_no_lanes(e));
        for (uint32_t i = g->blocks[b].first; i < g->blocks[b].end; i++)
            e->plan_target[i] = b;
    }
    make_runs(e);
    v_make_slots(e);
    for (uint32_t i = 0; i < e->func->nvars; i++)
        if (e->func->vars[i].space == PTX_PARAM)
            e->vars[i] = param_memory(e, e->func->vars[i].size);
    take_frame(e, top);
}

/* Formal parameters that are registers, as old compilers wrote them. */
static void read_register_params(struct emit *e)
{
    for (uint32_t i = 0; i < e->func->nparams; i++) {
        const struct ptx_param *p = &e->func->params[i];
        struct ptx_operand dst = { .kind = PTX_OP_REG, .index = p->reg };
        unsigned bits;
        if (!p->in_reg)
            continue;
        bits = v_reg_bits(e, p->reg);
        v_set(e, &dst, param_load(e, b_load(e, b_ptr(e), b_gep(e, e->args, b_i64(e, 8ull * i))), 0, bits < 8 ? 8 : bits));
    }
}

static void write_register_result(struct emit *e)
{
    struct ptx_operand src = { .kind = PTX_OP_REG };
    unsigned bits;

    if (!e->func->nrets || !e->func->rets[0].in_reg)
        return;
    src.index = e->func->rets[0].reg;
    bits = v_reg_bits(e, src.index);
    param_store(e, e->ret, 0, bits < 8 ? 8 : bits, v_vector(e, &src, bits < 8 ? 8 : bits), NULL);
}

static void finish(struct emit *e, LLVMValueRef top)
{
    LLVMMoveBasicBlockAfter(e->done, LLVMGetLastBasicBlock(e->function));
    b_at(e, e->done);
    write_register_result(e);
    if (e->frame)
        LLVMBuildStore(B(e), e->frame, top);
    if (e->func->entry)
        LLVMBuildRetVoid(B(e));
    else
        LLVMBuildRet(B(e), b_bits(e, b_load(e, b_mask_type(e), e->exited)));
}

static void emit_body(struct emit *e, const struct cfg_block *block)
{
    uint32_t end;

    for (uint32_t i = block->first; i < block->end; i = end) {
        end = stretch_end(e, i, block->end);
        if (end > i) {
            emit_stretch(e, i, end);
            continue;
        }
        if (!insn_is_terminator(&e->func->insns[i]))
            emit_insn(e, &e->func->insns[i]);
        end = i + 1;
    }
}

static void emit_blocks(struct emit *e)
{
    const struct cfg *g = e->plan->cfg;

    if (g->nblocks && e->plan->guarded[0])      /* a loop leads back to the first block */
        LLVMBuildStore(B(e), e->mask0, e->wait[0]);
    b_jump(e, g->nblocks ? e->blocks[0] : e->done);
    for (e->block = 0; e->block < g->nblocks; e->block++) {
        emit_block_head(e);
        fragments_enter_block(e);
        emit_body(e, &g->blocks[e->block]);
        emit_terminator(e);
    }
    for (uint32_t r = 0; r < e->plan->nruns; r++)
        emit_run_end(e, r);
}

static bool make_tables(struct emit *e, uint32_t nblocks, uint32_t nruns)
{
    const struct ptx_func *f = e->func;

    e->regs = calloc(f->nregs + 1, sizeof(*e->regs));
    e->vars = calloc(f->nvars + 1, sizeof(*e->vars));
    e->wait = calloc(nblocks + 1, sizeof(*e->wait));
    e->blocks = calloc(nblocks + 1, sizeof(*e->blocks));
    e->run_ends = calloc(nruns + 1, sizeof(*e->run_ends));
    e->plan_target = calloc(f->ninsns + 1, sizeof(*e->plan_target));
    return e->regs && e->vars && e->wait && e->blocks && e->run_ends && e->plan_target;
}

int emit_function(struct emit_unit *u, uint32_t index)
{
    const struct ptx_func *f = &u->ptx->funcs[index];
    struct plan *plan = plan_make(u->ptx, f, u->ntid);
    struct arith common = { .context = u->context, .module = u->module, .builder = u->builder, .avx512 = u->avx512 };
    struct emit e = { .v = common, .u = common, .unit = u, .plan = plan, .func = f, .function = u->functions[index] };
    LLVMValueRef top = NULL;
    int err = -1;

    e.v.lanes = SC_LANES;
    e.u.lanes = 1;
    if (plan && make_tables(&e, plan->cfg->nblocks, plan->nruns)) {
        e.warp = LLVMGetParam(e.function, 0);
        if (f->entry) {
            e.warp_index = LLVMGetParam(e.function, 1);
            e.ctaid_x = LLVMGetParam(e.function, 2);
        } else {
            e.args = LLVMGetParam(e.function, 2);
            e.ret = LLVMGetParam(e.function, 3);
        }
        begin(&e, &top);
        if (!f->entry) {
            e.block_mask = e.mask = e.mask0;
            read_register_params(&e);
            emit_param_copies(&e);
        }
        emit_blocks(&e);
        finish(&e, top);
        err = 0;
    }
    free(e.regs);
    free(e.vars);
    free(e.wait);
    free(e.blocks);
    free(e.run_ends);
    free(e.plan_target);
    plan_destroy(plan);
    return err;
}
