/* flow.c - control flow of a warp: masks of waiting lanes, in the order of plan.h.
 *
 * An unguarded block runs for all live lanes and branches as a scalar program does. A guarded block takes the lanes that wait for it, or is
 * skipped; its branches only add lanes to the masks of their targets, and the next block in the layout is tried. A back edge is
 * taken while lanes wait there. So the lowest block with lanes always runs first: minimum-PC scheduling, decided when code is made.
 *
 * That order starves a lane that waits for another one behind it. In a loop whose branches depend on other threads a back edge is taken
 * BUDGET times only, then control falls through; and at a wait point (a barrier, a shuffle) lanes stay until their partners are there. Both leave
 * lanes behind, so the end of such a run sweeps it again while any wait. */
#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)
#define BUDGET 64

static LLVMValueRef not_in(struct emit *e, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildAnd(B(e), x, LLVMBuildNot(B(e), y, ""), "");
}

static LLVMValueRef mask_load(struct emit *e, LLVMValueRef memory)
{
    return b_load(e, b_mask_type(e), memory);
}

/* ---- where control goes */

static LLVMBasicBlockRef fall_through(struct emit *e, uint32_t block)
{
    int32_t run = e->plan->run_of[block];

    if (run >= 0 && block + 1 == e->plan->runs[run].end)
        return e->run_ends[run];
    return block + 1 < e->plan->cfg->nblocks ? e->blocks[block + 1] : e->done;
}

/* Where control goes if nobody waits for this block. */
static LLVMBasicBlockRef pass_over(struct emit *e)
{
    return fall_through(e, e->plan->region_end[e->block] - 1);
}

static void wait_for(struct emit *e, uint32_t block, LLVMValueRef lanes)
{
    LLVMValueRef memory = e->wait[block];

    LLVMBuildStore(B(e), LLVMBuildOr(B(e), mask_load(e, memory), lanes, ""), memory);
}

static void retire(struct emit *e, LLVMValueRef lanes, bool for_good)
{
    LLVMBuildStore(B(e), not_in(e, mask_load(e, e->live), lanes), e->live);
    if (for_good && !e->func->entry)
        LLVMBuildStore(B(e), LLVMBuildOr(B(e), mask_load(e, e->exited), lanes, ""), e->exited);
}

static bool exits(const struct emit *e, uint32_t block)
{
    return e->func->insns[e->plan->cfg->blocks[block].first].op == PTX_I_exit;
}

static uint32_t loop_of_back_edge(const struct emit *e, uint32_t from, uint32_t to)
{
    int32_t l = e->plan->cfg->blocks[from].loop;

    while (l >= 0 && to < e->plan->cfg->loops[l].first)
        l = e->plan->cfg->loops[l].parent;
    return (uint32_t)l;
}

/* A spin loop that the whole warp runs together: let others go on now and then. */
static void yield_in_uniform_spin(struct emit *e, uint32_t to)
{
    uint32_t loop;
    LLVMValueRef left;
    LLVMBasicBlockRef end;

    if (to > e->block)
        return;
    loop = loop_of_back_edge(e, e->block, to);
    if (loop == UINT32_MAX || !e->plan->spins[loop])
        return;
    left = LLVMBuildSub(B(e), b_load(e, b_int(e, 32), e->budget), b_i32(e, 1), "");
    LLVMBuildStore(B(e), left, e->budget);
    end = b_if(e, LLVMBuildICmp(B(e), LLVMIntEQ, left, b_i32(e, 0), ""));
    LLVMBuildStore(B(e), b_i32(e, BUDGET), e->budget);
    b_call(e, "sc_rt_yield", 0, &e->warp, 1);
    e->unit->may_wait = true;
    b_end(e, end);
}

/* All live lanes go to one block. */
static void go_together(struct emit *e, uint32_t to, LLVMValueRef lanes)
{
    if (e->plan->exit_only[to]) {
        if (exits(e, to))
            retire(e, lanes, true);
        b_jump(e, e->done);
        return;
    }
    yield_in_uniform_spin(e, to);
    if (e->plan->guarded[to])
        wait_for(e, to, lanes);
    b_jump(e, e->blocks[to]);
}

/* Some lanes go to a block, some elsewhere. */
static void go_apart(struct emit *e, uint32_t to, LLVMValueRef lanes)
{
    if (e->plan->exit_only[to])
        retire(e, lanes, exits(e, to));
    else if (e->plan->guarded[to])
        wait_for(e, to, lanes);
    /* else it is the end of this run, where everybody meets */
}

static bool spins_back(const struct emit *e, uint32_t to)
{
    uint32_t loop = loop_of_back_edge(e, e->block, to);

    return loop != UINT32_MAX && e->plan->spins[loop];
}

/* Takes the back edge if lanes wait there; builds on where it is not taken. */
static void take_back_edge(struct emit *e, uint32_t to)
{
    LLVMBasicBlockRef on = b_block(e, "on");
    LLVMValueRef go = b_any(e, mask_load(e, e->wait[to])), left;

    if (spins_back(e, to)) {
        left = LLVMBuildSub(B(e), b_load(e, b_int(e, 32), e->budget), b_i32(e, 1), "");
        LLVMBuildStore(B(e), left, e->budget);
        go = LLVMBuildAnd(B(e), go, LLVMBuildICmp(B(e), LLVMIntSGT, left, b_i32(e, 0), ""), "");
    }
    b_branch(e, go, e->blocks[to], on);
    b_at(e, on);
}

/* The lowest guarded block from `from` on that this one leads back to, or UINT32_MAX. */
static uint32_t next_back(const struct emit *e, uint32_t from)
{
    const struct cfg_block *block = &e->plan->cfg->blocks[e->block];
    uint32_t lowest = UINT32_MAX;

    for (uint32_t i = 0; i < block->nsucc; i++) {
        uint32_t to = block->succ[i];
        if (to >= from && to <= e->block && to < lowest && e->plan->guarded[to])
            lowest = to;
    }
    return lowest;
}

static void end_apart(struct emit *e)
{
    /* The lowest place first: on its way from there control passes the others, but not this block if nobody comes to it. */
    for (uint32_t to = next_back(e, 0); to != UINT32_MAX; to = next_back(e, to + 1))
        take_back_edge(e, to);
    b_jump(e, fall_through(e, e->block));
}

/* ---- terminators */

static void after_retiring(struct emit *e, uint32_t next)
{
    LLVMBasicBlockRef on = b_block(e, "left");
    LLVMValueRef live = mask_load(e, e->live);

    b_branch(e, b_any(e, live), on, e->done);
    b_at(e, on);
    go_together(e, next, live);
}

void emit_fault(struct emit *e, enum sc_fault fault, LLVMValueRef mask)
{
    LLVMBasicBlockRef end = b_if(e, b_any(e, mask));
    LLVMValueRef args[] = { e->warp, b_i32(e, fault), b_i64(e, 0) };

    b_call(e, "sc_rt_fault", 0, args, 3);
    b_end(e, end);
}

static void emit_return(struct emit *e, const struct ptx_insn *in, LLVMValueRef guard)
{
    const struct cfg_block *block = &e->plan->cfg->blocks[e->block];
    bool guarded = e->plan->guarded[e->block];
    LLVMValueRef lanes = guard ? LLVMBuildAnd(B(e), e->block_mask, guard, "") : e->block_mask;

    if (in->op == PTX_I_trap) {
        emit_fault(e, SC_FAULT_TRAP, lanes);
        if (!guard && !guarded) {
            b_jump(e, e->done);
            return;
        }
    }
    retire(e, lanes, in->op != PTX_I_ret);
    if (guarded) {
        if (guard)
            go_apart(e, block->succ[0], not_in(e, e->block_mask, lanes));
        end_apart(e);
    } else if (guard) {
        after_retiring(e, block->succ[0]);
    } else {
        b_jump(e, e->done);
    }
}

static void branch_together(struct emit *e, LLVMValueRef condition)
{
    const struct cfg_block *block = &e->plan->cfg->blocks[e->block];
    LLVMBasicBlockRef yes = b_block(e, "taken"), no = b_block(e, "not.taken");

    b_branch(e, condition, yes, no);
    b_at(e, yes);
    go_together(e, block->succ[0], e->block_mask);
    b_at(e, no);
    go_together(e, block->succ[1], e->block_mask);
}

static void branch_apart(struct emit *e, LLVMValueRef guard)
{
    const struct cfg_block *block = &e->plan->cfg->blocks[e->block];
    uint32_t yes = block->succ[0], no = block->succ[1];
    LLVMValueRef taken = LLVMBuildAnd(B(e), e->block_mask, guard, ""), rest = not_in(e, e->block_mask, guard);

    if (!e->plan->guarded[e->block] && (e->plan->exit_only[yes] || e->plan->exit_only[no])) {
        bool out = e->plan->exit_only[yes];
        if (e->plan->exit_only[yes] && e->plan->exit_only[no]) {
            retire(e, taken, exits(e, yes));
            retire(e, rest, exits(e, no));
            b_jump(e, e->done);
            return;
        }
        retire(e, out ? taken : rest, exits(e, out ? yes : no));
        after_retiring(e, out ? no : yes);
        return;
    }
    go_apart(e, yes, taken);
    go_apart(e, no, rest);
    end_apart(e);
}

/* brx.idx index, table */
static void branch_table(struct emit *e, const struct ptx_insn *in)
{
    const struct ptx_branch_table *table = &e->func->tables[in->ops[1].index];
    bool apart = e->plan->guarded[e->block] || v_shape(e, &in->ops[0]).kind > SHAPE_UNIFORM;

    if (apart) {
        LLVMValueRef index = v_vector(e, &in->ops[0], 32);
        for (uint32_t i = 0; i < table->n; i++) {
            LLVMValueRef mine = LLVMBuildICmp(B(e), LLVMIntEQ, index, arith_const(&e->v, 32, i), "");
            go_apart(e, e->plan_target[table->targets[i]], LLVMBuildAnd(B(e), e->block_mask, mine, ""));
        }
        end_apart(e);
        return;
    }
    LLVMValueRef sw = LLVMBuildSwitch(B(e), v_scalar(e, &in->ops[0], 32), e->done, table->n);
    for (uint32_t i = 0; i < table->n; i++) {
        LLVMBasicBlockRef to = b_block(e, "case");
        LLVMAddCase(sw, b_i32(e, i), to);
        b_at(e, to);
        go_together(e, e->plan_target[table->targets[i]], e->block_mask);
    }
}

static void go_on(struct emit *e, uint32_t to)
{
    if (!e->plan->guarded[e->block]) {
        go_together(e, to, e->block_mask);
        return;
    }
    go_apart(e, to, e->block_mask);
    end_apart(e);
}

void emit_terminator(struct emit *e)
{
    const struct cfg_block *block = &e->plan->cfg->blocks[e->block];
    const struct ptx_insn *in = &e->func->insns[block->end - 1];
    bool has_guard = in->guard.kind != PTX_OP_NONE, uniform = has_guard && v_shape(e, &in->guard).kind <= SHAPE_UNIFORM;

    /* A call may have ended lanes. */
    if (!e->plan->guarded[e->block] && in->op == PTX_I_call && e->unit->calls_exit && block->nsucc) {
        after_retiring(e, block->succ[0]);
        return;
    }
    if (e->plan->guarded[e->block] && in->op == PTX_I_call && e->unit->calls_exit)
        e->block_mask = LLVMBuildAnd(B(e), e->block_mask, mask_load(e, e->live), "");
    if (!insn_is_terminator(in)) {
        if (block->nsucc) {
            go_on(e, block->succ[0]);
        } else {
            retire(e, e->block_mask, false);
            end_apart(e);
        }
        return;
    }
    if (in->op == PTX_I_brx) {
        branch_table(e, in);
    } else if (in->op != PTX_I_bra) {
        emit_return(e, in, has_guard ? v_predicate(e, &in->guard) : NULL);
    } else if (!has_guard || block->nsucc == 1 || block->succ[0] == block->succ[1]) {
        go_on(e, block->succ[0]);
    } else if (uniform && !e->plan->guarded[e->block]) {
        branch_together(e, v_scalar(e, &in->guard, 1));
    } else {
        branch_apart(e, v_predicate(e, &in->guard));
    }
}

/* ---- heads of blocks */

/* Are the partners of the lanes that wait here, here as well? */
static LLVMValueRef partners_here(struct emit *e, const struct ptx_insn *in, LLVMValueRef waiting)
{
    LLVMValueRef live = mask_load(e, e->live), members, missing, go;
    bool barrier = (in->op == PTX_I_bar || in->op == PTX_I_barrier) && !ptx_has(in, PTX_M_warp);
    const struct ptx_operand *m = in->nops ? &in->ops[in->nops - 1] : NULL;

    if (barrier && ptx_has(in, PTX_M_arrive))
        return LLVMConstInt(b_int(e, 1), 1, false);
    if (barrier) {
        missing = not_in(e, not_in(e, live, waiting), mask_load(e, e->released));
        go = LLVMBuildNot(B(e), b_any(e, not_in(e, waiting, mask_load(e, e->released))), "");
        go = LLVMBuildOr(B(e), go, LLVMBuildNot(B(e), b_any(e, missing), ""), "");
        return go;
    }
    if (insn_takes_whole_warp(in)) {
        members = live;
    } else if (v_shape(e, m).kind <= SHAPE_UNIFORM) {
        members = b_mask(e, v_scalar(e, m, 32));
    } else {
        LLVMTypeRef type = LLVMVectorType(b_int(e, 32), SC_LANES);
        LLVMValueRef all = LLVMBuildSelect(B(e), waiting, v_vector(e, m, 32), LLVMConstNull(type), "");
        members = b_mask(e, b_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &all, 1));
    }
    missing = not_in(e, LLVMBuildAnd(B(e), members, live, ""), waiting);
    return LLVMBuildNot(B(e), b_any(e, missing), "");
}

static bool waits_here(const struct emit *e)
{
    const struct ptx_insn *in = &e->func->insns[e->plan->cfg->blocks[e->block].first];

    return cfg_is_wait(in) && in->op != PTX_I_call;
}

void emit_block_head(struct emit *e)
{
    LLVMBasicBlockRef body, arrived;
    int32_t run = e->plan->run_of[e->block];
    LLVMValueRef waiting, forced;

    b_at(e, e->blocks[e->block]);
    if (!e->plan->guarded[e->block]) {
        e->block_mask = e->all_live ? b_full(e) : mask_load(e, e->live);
        return;
    }
    body = b_block(e, "body");
    waiting = mask_load(e, e->wait[e->block]);
    if (waits_here(e)) {
        arrived = b_block(e, "arrived");
        b_branch(e, b_any(e, waiting), arrived, pass_over(e));
        b_at(e, arrived);
        forced = b_load(e, b_int(e, 1), e->force);
        b_branch(e, LLVMBuildOr(B(e), forced, partners_here(e, &e->func->insns[e->plan->cfg->blocks[e->block].first], waiting), ""), body,
                 fall_through(e, e->block));
        b_at(e, body);
        LLVMBuildStore(B(e), LLVMConstNull(b_int(e, 1)), e->force);
    } else {
        b_branch(e, b_any(e, waiting), body, pass_over(e));
        b_at(e, body);
    }
    if (e->plan->runs[run].parks)
        LLVMBuildStore(B(e), LLVMConstInt(b_int(e, 1), 1, false), e->progress);
    LLVMBuildStore(B(e), b_no_lanes(e), e->wait[e->block]);
    e->block_mask = waiting;
}

/* ---- ends of runs */

static bool is_barrier_block(const struct emit *e, uint32_t b)
{
    const struct ptx_insn *in = &e->func->insns[e->plan->cfg->blocks[b].first];

    return (in->op == PTX_I_bar || in->op == PTX_I_barrier) && !ptx_has(in, PTX_M_warp) && !ptx_has(in, PTX_M_arrive);
}

struct meeting { LLVMValueRef id, count; };     /* i32; count 0: all threads */

static LLVMValueRef written_number(struct emit *e, const struct ptx_operand *o)
{
    int64_t n = 0;

    if (o)
        insn_constant(o, &n);
    return b_i32(e, (uint64_t)n);
}

/* A barrier's number and count where they are written as numbers; 0 else. */
static struct meeting meeting_of(struct emit *e, uint32_t b)
{
    const struct ptx_insn *in = &e->func->insns[e->plan->cfg->blocks[b].first];
    unsigned first = ptx_has(in, PTX_M_red), n = in->nops - 2 * first;

    if (ptx_has(in, PTX_M_cluster))
        return (struct meeting){ b_i32(e, SC_CLUSTER_BARRIER), b_i32(e, 0) };
    return (struct meeting){ written_number(e, &in->ops[first]), written_number(e, n > 1 ? &in->ops[first + 1] : NULL) };
}

/* What the lanes in the first block of those wait for. */
static struct meeting first_meeting(struct emit *e, const struct plan_run *run)
{
    struct meeting m = { b_i32(e, 0), b_i32(e, 0) };

    for (uint32_t b = run->end; b-- > run->first;) {
        struct meeting here;
        LLVMValueRef any;
        if (!is_barrier_block(e, b))
            continue;
        here = meeting_of(e, b);
        any = b_any(e, mask_load(e, e->wait[b]));
        m.id = LLVMBuildSelect(B(e), any, here.id, m.id, "");
        m.count = LLVMBuildSelect(B(e), any, here.count, m.count, "");
    }
    return m;
}

static LLVMValueRef lanes_at(struct emit *e, const struct plan_run *run, struct meeting m)
{
    LLVMValueRef lanes = b_no_lanes(e);

    for (uint32_t b = run->first; b < run->end; b++) {
        struct meeting here;
        LLVMValueRef same;
        if (!is_barrier_block(e, b))
            continue;
        here = meeting_of(e, b);
        same = LLVMBuildAnd(B(e), LLVMBuildICmp(B(e), LLVMIntEQ, here.id, m.id, ""), LLVMBuildICmp(B(e), LLVMIntEQ, here.count, m.count, ""), "");
        lanes = LLVMBuildOr(B(e), lanes, LLVMBuildSelect(B(e), same, mask_load(e, e->wait[b]), b_no_lanes(e), ""), "");
    }
    return lanes;
}

/* Nothing ran in the last sweep. Either all live lanes stand at one barrier, if in several places, then the warp arrives; or some wait point is
 * passed as it is, since its partners will not come to this very place. */
static void unblock(struct emit *e, const struct plan_run *run)
{
    struct meeting m = first_meeting(e, run);
    LLVMValueRef lanes = lanes_at(e, run, m);
    LLVMBasicBlockRef arrive = b_block(e, "arrive"), force = b_block(e, "force"), end = b_block(e, "unblocked");

    b_branch(e, b_any(e, not_in(e, mask_load(e, e->live), lanes)), force, arrive);
    b_at(e, arrive);
    emit_arrive_all(e, m.id, m.count);
    LLVMBuildStore(B(e), lanes, e->released);
    b_jump(e, end);
    b_at(e, force);
    LLVMBuildStore(B(e), LLVMConstInt(b_int(e, 1), 1, false), e->force);
    b_end(e, end);
}

static bool has_spin(const struct emit *e, const struct plan_run *run)
{
    for (uint32_t l = 0; l < e->plan->cfg->nloops; l++)
        if (e->plan->spins[l] && e->plan->cfg->loops[l].first >= run->first && e->plan->cfg->loops[l].first < run->end)
            return true;
    return false;
}

static void sweep_again(struct emit *e, const struct plan_run *run)
{
    LLVMValueRef waiting = b_no_lanes(e), moved;
    LLVMBasicBlockRef again = b_block(e, "again"), clear = b_block(e, "clear"), stuck = b_block(e, "stuck"), sweep = b_block(e, "sweep");

    for (uint32_t b = run->first; b < run->end; b++)
        waiting = LLVMBuildOr(B(e), waiting, mask_load(e, e->wait[b]), "");
    b_branch(e, b_any(e, waiting), again, clear);
    b_at(e, again);
    LLVMBuildStore(B(e), b_i32(e, BUDGET), e->budget);
    if (has_spin(e, run)) {
        b_call(e, "sc_rt_yield", 0, &e->warp, 1);
        e->unit->may_wait = true;
    }
    moved = b_load(e, b_int(e, 1), e->progress);
    LLVMBuildStore(B(e), LLVMConstNull(b_int(e, 1)), e->progress);
    b_branch(e, moved, sweep, stuck);
    b_at(e, stuck);
    unblock(e, run);
    b_jump(e, sweep);
    b_at(e, sweep);
    b_jump(e, e->blocks[run->first]);
    b_at(e, clear);
}

void emit_run_end(struct emit *e, uint32_t r)
{
    const struct plan_run *run = &e->plan->runs[r];
    LLVMBasicBlockRef next = run->end < e->plan->cfg->nblocks ? e->blocks[run->end] : e->done;

    b_at(e, e->run_ends[r]);
    if (run->parks)
        sweep_again(e, run);
    if (e->all_live)
        b_jump(e, next);
    else
        b_branch(e, b_any(e, mask_load(e, e->live)), next, e->done);
}
