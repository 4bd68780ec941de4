/* mbarrier_op.c - mbarrier, and the copies that arrive at one. */
#include "softcuda/jit/device_op.h"
#include "softcuda/run/mbarrier.h"

#define B(e) ((e)->v.builder)

bool is_mbarrier_copy(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_bulk) || ptx_has(in, PTX_M_mbarrier);
}

static int operation(const struct ptx_insn *in)
{
    static const struct {
        enum ptx_mod mod;
        enum sc_mbarrier_op op;
    } table[] = {
        { PTX_M_init, SC_MBARRIER_INIT },
        { PTX_M_inval, SC_MBARRIER_INVAL },
        { PTX_M_arrive, SC_MBARRIER_ARRIVE },
        { PTX_M_arrive_drop, SC_MBARRIER_DROP },
        { PTX_M_test_wait, SC_MBARRIER_TEST },
        { PTX_M_try_wait, SC_MBARRIER_TEST },
        { PTX_M_pending_count, SC_MBARRIER_PENDING },
        { PTX_M_expect_tx, SC_MBARRIER_EXPECT },
        { PTX_M_complete_tx, SC_MBARRIER_COMPLETE },
    };

    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (ptx_has(in, table[i].mod))
            return table[i].op == SC_MBARRIER_TEST && ptx_has(in, PTX_M_parity) ? SC_MBARRIER_PARITY : (int)table[i].op;
    return -1;
}

static const char *copy_refusal(const struct ptx_insn *in)
{
    if (ptx_has(in, PTX_M_mbarrier))
        return in->nops == 1 ? NULL : "this form";
    if (ptx_has(in, PTX_M_commit_group) || ptx_has(in, PTX_M_wait_group) || ptx_has(in, PTX_M_prefetch))
        return NULL;
    if (ptx_has(in, PTX_M_tensor) || ptx_has(in, PTX_M_reduce) || ptx_has(in, PTX_M_cp_mask) || ptx_has(in, PTX_M_ignore_oob))
        return "tensors, reductions and masks";
    return in->nops >= (ptx_has(in, PTX_M_mbarrier_complete_tx_bytes) ? 4 : 3) ? NULL : "this form";
}

const char *mbarrier_refusal(const struct ptx_insn *in)
{
    int op;

    if (in->op == PTX_I_cp)
        return copy_refusal(in);
    op = operation(in);
    if (op < 0 || in->nops < (op == SC_MBARRIER_INVAL ? 1 : 2) ||
        (op >= SC_MBARRIER_TEST && op != SC_MBARRIER_PENDING && in->nops < 3))
        return "this form";
    return NULL;
}

static LLVMValueRef spill_count(struct emit *e, const struct ptx_operand *o, bool is_state)
{
    if (!o)
        return b_spill(e, arith_const(&e->v, 64, 1));
    return b_spill(e, is_state ? v_vector(e, o, 64) : b_resize(e, v_vector(e, o, 32), 64, false));
}

static LLVMValueRef call_barrier(struct emit *e, uint32_t form, LLVMValueRef address, LLVMValueRef count)
{
    LLVMValueRef args[] = { e->warp, b_bits(e, e->mask), b_i32(e, form), address, count, words_room(e, 1, 64) };

    call_if_any(e, "sc_rt_mbarrier", args, 6);
    return words_get(e, args[5], 0, 64);
}

static void emit_bulk_copy(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool tells = ptx_has(in, PTX_M_mbarrier_complete_tx_bytes);
    LLVMValueRef args[6];

    args[0] = e->warp;
    args[1] = b_bits(e, e->mask);
    args[2] = spill_addresses(e, &in->ops[0], in->space);
    args[3] = spill_addresses(e, &in->ops[1], in->space2);
    args[4] = b_spill(e, v_vector(e, &in->ops[2], 32));
    args[5] = tells ? spill_addresses(e, &in->ops[3], PTX_SHARED) : LLVMConstNull(b_ptr(e));
    call_if_any(e, "sc_rt_bulk_copy", args, 6);
}

/* Copies are made at once: nothing is under way when a group is committed or waited for. Where an arrival is to be counted when
 * earlier copies are done, it is counted now; without .noinc it was announced in the same breath, and nothing changes. */
static void emit_copy(struct emit *e)
{
    const struct ptx_insn *in = e->in;

    if (ptx_has(in, PTX_M_mbarrier)) {
        if (ptx_has(in, PTX_M_noinc))
            call_barrier(e, SC_MBARRIER_ARRIVE, spill_addresses(e, &in->ops[0], in->space), spill_count(e, NULL, false));
        return;
    }
    if (!ptx_has(in, PTX_M_commit_group) && !ptx_has(in, PTX_M_wait_group) && !ptx_has(in, PTX_M_prefetch))
        emit_bulk_copy(e);
}

void emit_mbarrier(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool answers = insn_has_dst(in);
    const struct ptx_operand *at = &in->ops[answers ? 1 : 0], *count = NULL;
    uint32_t form = (uint32_t)operation(in);
    LLVMValueRef result;

    if (in->op == PTX_I_cp) {
        emit_copy(e);
        return;
    }
    if (in->nops > 1u + answers)
        count = &in->ops[1 + answers];
    if (form == SC_MBARRIER_PENDING) {
        v_set(e, &in->ops[0], call_barrier(e, form, b_spill(e, arith_const(&e->v, 64, 0)), spill_count(e, at, true)));
        return;
    }
    if (ptx_has(in, PTX_M_expect_tx) && form != SC_MBARRIER_EXPECT)
        form |= SC_MBARRIER_ANNOUNCES;
    result =
        call_barrier(e, form, spill_addresses(e, at, in->space), spill_count(e, count, SC_MBARRIER_OP(form) == SC_MBARRIER_TEST));
    if (!answers)
        return;
    if (SC_MBARRIER_OP(form) == SC_MBARRIER_TEST || SC_MBARRIER_OP(form) == SC_MBARRIER_PARITY)
        result = b_resize(e, result, 1, false);
    v_set(e, &in->ops[0], result);
}
