/* insn.c - which operands of an instruction are written and which are read. */
#include "softcuda/jit/plan.h"

bool insn_has_dst(const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_I_st: case PTX_I_red: case PTX_I_bra: case PTX_I_brx: case PTX_I_membar: case PTX_I_fence: case PTX_I_ret:
    case PTX_I_exit: case PTX_I_trap: case PTX_I_prefetch: case PTX_I_prefetchu: case PTX_I_nanosleep: case PTX_I_cp:
    case PTX_I_discard: case PTX_I_applypriority: case PTX_I_pmevent: case PTX_I_brkpt: case PTX_I_griddepcontrol: case PTX_I_call:
    case PTX_I_sust: case PTX_I_sured: case PTX_I_stmatrix: case PTX_I_setmaxnreg: case PTX_I_stackrestore:
        return false;
    case PTX_I_bar: case PTX_I_barrier:
        return ptx_has(in, PTX_M_red);
    case PTX_I_wmma:
        return !ptx_has(in, PTX_M_store);
    case PTX_I_mbarrier:
        return in->nops > 0 && !in->ops[0].memory;
    default:
        return in->nops > 0;
    }
}

bool insn_is_terminator(const struct ptx_insn *in)
{
    return in->op == PTX_I_bra || in->op == PTX_I_brx || in->op == PTX_I_ret || in->op == PTX_I_exit || in->op == PTX_I_trap;
}

bool insn_is_strong(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_volatile_) || ptx_has(in, PTX_M_relaxed) || ptx_has(in, PTX_M_acquire) ||
           ptx_has(in, PTX_M_release) || ptx_has(in, PTX_M_mmio) || ptx_has(in, PTX_M_cv);
}

bool insn_takes_whole_warp(const struct ptx_insn *in)
{
    return in->op == PTX_I_wmma || in->op == PTX_I_mma || in->op == PTX_I_ldmatrix || in->op == PTX_I_stmatrix ||
           in->op == PTX_I_movmatrix || in->op == PTX_I_setmaxnreg;
}

bool insn_constant(const struct ptx_operand *o, int64_t *value)
{
    if (o->kind != PTX_OP_IMM || o->is_float || o->memory)
        return false;
    *value = (int64_t)o->imm;
    return true;
}

static void visit_operand(const struct ptx_operand *o, insn_visit *visit, void *context)
{
    if (o->kind == PTX_OP_REG)
        visit(context, o->index);
    for (uint32_t i = 0; o->kind == PTX_OP_VECTOR && i < o->nelems; i++)
        visit_operand(&o->elems[i], visit, context);
}

static unsigned ndsts(const struct ptx_insn *in)
{
    return !insn_has_dst(in) ? 0 : in->pair ? 2 : 1;
}

void insn_defs(const struct ptx_insn *in, insn_visit *visit, void *context)
{
    for (unsigned i = 0; i < ndsts(in) && i < in->nops; i++)
        if (!in->ops[i].memory)
            visit_operand(&in->ops[i], visit, context);
    for (uint32_t i = 0; in->call && i < in->call->nrets; i++)
        visit_operand(&in->call->rets[i], visit, context);
}

void insn_uses(const struct ptx_insn *in, insn_visit *visit, void *context)
{
    visit_operand(&in->guard, visit, context);
    for (unsigned i = ndsts(in); i < in->nops; i++)
        visit_operand(&in->ops[i], visit, context);
    if (!in->call)
        return;
    visit_operand(&in->call->target, visit, context);
    for (uint32_t i = 0; i < in->call->nargs; i++)
        visit_operand(&in->call->args[i], visit, context);
}
