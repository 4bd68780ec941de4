/* atomic.c - atom and red: one lane after another.
 *
 * A block stays on one OS thread, so .shared atomics are plain loads and stores; all others are the host's atomic instructions. */
#include "softcuda/jit/address.h"

#define B(e) ((e)->v.builder)

struct atomic {
    enum ptx_mod which;
    enum ptx_type type;
    unsigned bits, bytes;       /* of an element; of all of them */
    LLVMValueRef at, operand, compare, old;     /* spilled vectors */
};

static const enum ptx_mod operations[] = { PTX_M_add, PTX_M_min, PTX_M_max, PTX_M_inc, PTX_M_dec, PTX_M_and_, PTX_M_or_, PTX_M_xor_,
                                           PTX_M_exch, PTX_M_cas };

static enum ptx_mod operation(const struct ptx_insn *in)
{
    for (unsigned i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        if (ptx_has(in, operations[i]))
            return operations[i];
    return PTX_M_add;
}

static LLVMValueRef apply(struct emit *e, const struct atomic *a, LLVMValueRef old, LLVMValueRef operand, LLVMValueRef compare)
{
    if (a->which == PTX_M_exch)
        return operand;
    if (a->which == PTX_M_cas)
        return LLVMBuildSelect(B(e), LLVMBuildICmp(B(e), LLVMIntEQ, old, compare, ""), operand, old, "");
    return arith_atomic_op(&e->u, a->which, a->type, old, operand);
}

static LLVMValueRef shared_lane(struct emit *e, const struct atomic *a, LLVMValueRef ptr, LLVMValueRef operand, LLVMValueRef compare)
{
    LLVMValueRef old = b_load(e, b_int(e, a->bits), ptr);

    LLVMSetAlignment(old, a->bits / 8);
    LLVMSetAlignment(LLVMBuildStore(B(e), apply(e, a, old, operand, compare), ptr), a->bits / 8);
    return old;
}

/* What the host has an instruction for. */
static bool host_operation(const struct atomic *a, LLVMAtomicRMWBinOp *op)
{
    bool is_signed = ptx_type_is_signed(a->type);

    if (ptx_type_is_float(a->type))
        return false;
    switch (a->which) {
    case PTX_M_add: *op = LLVMAtomicRMWBinOpAdd; return true;
    case PTX_M_and_: *op = LLVMAtomicRMWBinOpAnd; return true;
    case PTX_M_or_: *op = LLVMAtomicRMWBinOpOr; return true;
    case PTX_M_xor_: *op = LLVMAtomicRMWBinOpXor; return true;
    case PTX_M_exch: *op = LLVMAtomicRMWBinOpXchg; return true;
    case PTX_M_min: *op = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin; return true;
    case PTX_M_max: *op = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax; return true;
    default: return false;
    }
}

static LLVMValueRef compare_exchange(struct emit *e, const struct atomic *a, LLVMValueRef ptr, LLVMValueRef expected, LLVMValueRef wanted)
{
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(B(e), ptr, expected, wanted, LLVMAtomicOrderingSequentiallyConsistent,
                                               LLVMAtomicOrderingSequentiallyConsistent, false);

    LLVMSetAlignment(pair, a->bits / 8);
    return pair;
}

static LLVMValueRef retry_lane(struct emit *e, const struct atomic *a, LLVMValueRef ptr, LLVMValueRef operand)
{
    LLVMBasicBlockRef before, again = b_block(e, "again"), end = b_block(e, "swapped"), here;
    LLVMValueRef first = b_load(e, b_int(e, a->bits), ptr), old, pair, now;

    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, a->bits / 8);
    before = LLVMGetInsertBlock(B(e));
    b_jump(e, again);
    b_at(e, again);
    old = LLVMBuildPhi(B(e), b_int(e, a->bits), "");
    LLVMAddIncoming(old, &first, &before, 1);
    pair = compare_exchange(e, a, ptr, old, apply(e, a, old, operand, NULL));
    now = LLVMBuildExtractValue(B(e), pair, 0, "");
    here = LLVMGetInsertBlock(B(e));
    LLVMAddIncoming(old, &now, &here, 1);
    b_branch(e, LLVMBuildExtractValue(B(e), pair, 1, ""), end, again);
    b_at(e, end);
    return now;
}

static LLVMValueRef global_lane(struct emit *e, const struct atomic *a, LLVMValueRef ptr, LLVMValueRef operand, LLVMValueRef compare)
{
    LLVMAtomicRMWBinOp op;
    LLVMValueRef rmw;

    if (a->which == PTX_M_cas)
        return LLVMBuildExtractValue(B(e), compare_exchange(e, a, ptr, compare, operand), 0, "");
    if (!host_operation(a, &op))
        return retry_lane(e, a, ptr, operand);
    rmw = LLVMBuildAtomicRMW(B(e), op, ptr, operand, LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMSetAlignment(rmw, a->bits / 8);
    return rmw;
}

static void one_element(struct emit *e, struct atomic *a, const struct address *where, int64_t delta)
{
    struct lane_loop loop;
    LLVMValueRef ptr, operand, compare = NULL, old;

    a->at = b_spill(e, LLVMBuildPtrToInt(B(e), address_lanes(e, where, delta), LLVMVectorType(b_int(e, 64), SC_LANES), ""));
    b_lanes_begin(e, e->mask, &loop);
    ptr = LLVMBuildIntToPtr(B(e), b_pick(e, a->at, 64, loop.lane), b_ptr(e), "");
    if (!delta)
        address_check_one(e, ptr, a->bytes, where->space, LLVMBuildShl(B(e), b_i32(e, 1), loop.lane, ""));
    operand = b_pick(e, a->operand, a->bits, loop.lane);
    if (a->compare)
        compare = b_pick(e, a->compare, a->bits, loop.lane);
    old = where->space == PTX_SHARED ? shared_lane(e, a, ptr, operand, compare) : global_lane(e, a, ptr, operand, compare);
    if (a->old)
        b_put(e, a->old, a->bits, loop.lane, old);
    b_lanes_end(e, &loop);
}

static bool wanted(const struct emit *e, const struct ptx_operand *dst)
{
    return dst->kind == PTX_OP_REG && e->plan->nuses[dst->index];
}

void emit_atomic(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    unsigned first = in->op == PTX_I_atom, n = in->vec ? in->vec : 1;
    struct atomic a = { .which = operation(in), .type = in->types[in->ntypes - 1] };
    const struct ptx_operand *x = &in->ops[first + 1];
    struct address where;

    a.bits = ptx_type_bits(a.type);
    a.bytes = n * a.bits / 8;
    where = address_make(e, &in->ops[first], in->space, n * a.bits / 8);
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *dst = !first ? NULL : in->ops[0].kind == PTX_OP_VECTOR ? &in->ops[0].elems[i] : &in->ops[0];
        LLVMTypeRef type = LLVMVectorType(b_int(e, a.bits), SC_LANES);
        if (a.which == PTX_M_cas) {
            a.compare = b_spill(e, v_vector(e, x, a.bits));
            a.operand = b_spill(e, v_vector(e, x + 1, a.bits));
        } else {
            a.operand = b_spill(e, v_vector(e, x->kind == PTX_OP_VECTOR ? &x->elems[i] : x, a.bits));
        }
        a.old = dst && wanted(e, dst) ? b_spill_room(e, a.bits) : NULL;
        one_element(e, &a, &where, (int64_t)i * a.bits / 8);
        if (a.old)
            v_set_signed(e, dst, b_load(e, type, a.old), ptx_type_is_signed(a.type));
    }
}
