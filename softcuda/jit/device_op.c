/* device_op.c - operands through memory. */
#include "softcuda/jit/device_op.h"

#define B(e) ((e)->v.builder)

unsigned operand_count(const struct ptx_operand *o)
{
    return o->kind == PTX_OP_VECTOR ? o->nelems : 1;
}

const struct ptx_operand *operand_element(const struct ptx_operand *o, unsigned i)
{
    return o->kind == PTX_OP_VECTOR ? &o->elems[i] : o;
}

static LLVMTypeRef vector_type(struct emit *e, unsigned bits)
{
    return LLVMVectorType(b_int(e, bits), SC_LANES);
}

LLVMValueRef words_room(struct emit *e, unsigned n, unsigned bits)
{
    return b_scratch(e, (uint64_t)SC_LANES * (bits / 8) * n);
}

static LLVMValueRef vector_at(struct emit *e, LLVMValueRef room, unsigned i, unsigned bits)
{
    return b_gep(e, room, b_i64(e, (uint64_t)i * bits / 8 * SC_LANES));
}

void words_put(struct emit *e, LLVMValueRef room, unsigned i, LLVMValueRef vector)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(vector)));

    LLVMBuildStore(B(e), vector, vector_at(e, room, i, bits));
}

LLVMValueRef words_get(struct emit *e, LLVMValueRef room, unsigned i, unsigned bits)
{
    return b_load(e, vector_type(e, bits), vector_at(e, room, i, bits));
}

LLVMValueRef spill_addresses(struct emit *e, const struct ptx_operand *o, enum ptx_space space)
{
    struct address where = address_make(e, o, space, 1);

    return b_spill(e, LLVMBuildPtrToInt(B(e), address_lanes(e, &where, 0), vector_type(e, 64), ""));
}

void call_if_any(struct emit *e, const char *name, LLVMValueRef *args, unsigned nargs)
{
    LLVMBasicBlockRef end = e->guarded_insn ? b_if(e, b_any(e, e->mask)) : NULL;

    b_call(e, name, 0, args, nargs);
    if (end)
        b_end(e, end);
}
