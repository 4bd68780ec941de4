/* stretch.c - a second code for stretches of a block that read and write rows.
 *
 * Nearly always all lanes are on, each row is one (its index did not wrap), and lies in the device's memory. So a stretch from one such access
 * to the last that follows closely is built twice: at first for just that, with plain loads and stores and no masks, then as it is built
 * elsewhere. Before each access the first code looks whether its row is what it expects, and goes over to the second code at that very
 * instruction if not: registers are where both find them. So every check is made where the program has its access, and what a fault tells is told
 * by the second code. LLVM sees that all code after such a look is behind it, and drops the look at an address that was looked at before. */
#include "softcuda/jit/address.h"

#define B(e) ((e)->v.builder)
#define MOST_ACCESSES 16
#define NEAR 8              /* instructions between two accesses of a stretch */
#define MOST_TWICE 512      /* instructions of a function that are built twice: rows matter little to those that are longer */

static bool is_plain_access(const struct ptx_insn *in)
{
    return (in->op == PTX_I_ld || in->op == PTX_I_ldu || in->op == PTX_I_st) && in->guard.kind == PTX_OP_NONE && !insn_is_strong(in) &&
           in->space != PTX_LOCAL && in->space != PTX_PARAM;
}

static const struct ptx_operand *place_of(const struct ptx_insn *in)
{
    return &in->ops[in->op == PTX_I_st ? 0 : 1];
}

static bool is_row(struct emit *e, const struct ptx_insn *in)
{
    unsigned n = in->vec ? in->vec : 1;

    return is_plain_access(in) && address_is_row(e, place_of(in), in->space, n * ptx_type_bits(in->types[in->ntypes - 1]) / 8);
}

/* What may lie between: it neither waits nor takes an access of another kind, whose code is long. */
static bool may_be_between(const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_I_ld:
        return in->space == PTX_PARAM && in->ops[1].kind != PTX_OP_REG;
    case PTX_I_ldu: case PTX_I_st: case PTX_I_cp: case PTX_I_atom: case PTX_I_red: case PTX_I_call:
    case PTX_I_tex: case PTX_I_tld4: case PTX_I_suld: case PTX_I_sust: case PTX_I_sured: case PTX_I_txq: case PTX_I_suq:
    case PTX_I_wmma: case PTX_I_mma: case PTX_I_ldmatrix: case PTX_I_stmatrix: case PTX_I_movmatrix: case PTX_I_mbarrier:
    case PTX_I_bar: case PTX_I_barrier: case PTX_I_shfl: case PTX_I_vote: case PTX_I_match: case PTX_I_redux: case PTX_I_activemask:
    case PTX_I_elect: case PTX_I_membar: case PTX_I_fence: case PTX_I_nanosleep: case PTX_I_prefetch: case PTX_I_prefetchu:
    case PTX_I_discard: case PTX_I_applypriority: case PTX_I_createpolicy: case PTX_I_pmevent: case PTX_I_brkpt:
    case PTX_I_griddepcontrol: case PTX_I_setmaxnreg: case PTX_I_mapa: case PTX_I_getctarank:
        return false;
    default:
        return !insn_is_terminator(in);
    }
}

/* Where the mask is a constant already, only a row that may turn out to be none gains. */
static bool gains(struct emit *e, const struct ptx_insn *in)
{
    return !LLVMIsConstant(e->block_mask) || v_shape(e, place_of(in)).kind == SHAPE_WIDENED;
}

uint32_t stretch_end(struct emit *e, uint32_t first, uint32_t limit)
{
    const struct ptx_insn *insns = e->func->insns;
    uint32_t end = first, i, accesses = 0;
    bool good = false;

    for (i = first; i < limit && i - end <= NEAR && accesses < MOST_ACCESSES; i++) {
        if (is_row(e, &insns[i])) {
            good |= gains(e, &insns[i]);
            accesses++;
            end = i + 1;
        } else if (i == first || !may_be_between(&insns[i])) {
            break;
        }
    }
    /* Lanes that are off keep what guarded code writes: with all on, there is nothing to keep. */
    if (e->plan->guarded[e->block] && end > first)
        end = i;
    return good && e->built_twice + (end - first) <= MOST_TWICE ? end : first;
}

static LLVMValueRef all_on(struct emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B(e), LLVMIntEQ, b_bits(e, mask), LLVMConstAllOnes(b_int(e, SC_LANES)), "");
}

void emit_stretch(struct emit *e, uint32_t first, uint32_t end)
{
    const struct ptx_insn *insns = e->func->insns;
    LLVMBasicBlockRef plain = b_block(e, "plain"), met = b_block(e, "met"), other[MOST_ACCESSES];
    LLVMValueRef mask = e->block_mask;
    uint32_t n = 0;

    e->built_twice += end - first;
    other[0] = b_block(e, "careful");
    LLVMIsConstant(mask) ? b_jump(e, plain) : b_branch(e, all_on(e, mask), plain, other[0]);
    b_at(e, plain);
    e->block_mask = b_full(e);
    for (uint32_t i = first; i < end; i++) {
        if (is_row(e, &insns[i])) {
            if (n)
                other[n] = b_block(e, "careful");
            e->otherwise = other[n++];
        }
        emit_insn(e, &insns[i]);
        e->otherwise = NULL;
    }
    b_jump(e, met);
    e->block_mask = mask;
    n = 0;
    for (uint32_t i = first; i < end; i++) {
        if (is_row(e, &insns[i])) {
            if (n)
                b_jump(e, other[n]);
            b_at(e, other[n++]);
        }
        emit_insn(e, &insns[i]);
    }
    b_end(e, met);
}
