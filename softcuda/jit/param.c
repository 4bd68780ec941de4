/* param.c - .param memory: a kernel's parameter buffer, which all lanes share, and the arguments and results of calls, which are each
 * lane's own and lie interleaved in units of 4 bytes (run/warp.h). */
#include <stddef.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

static LLVMTypeRef row(struct emit *e)
{
    return LLVMVectorType(b_int(e, 32), SC_LANES);
}

LLVMValueRef param_memory(struct emit *e, uint64_t size)
{
    uint64_t units = (size + 3) / 4;

    return b_alloca(e, LLVMArrayType2(row(e), units ? units : 1));
}

static LLVMValueRef unit_at(struct emit *e, LLVMValueRef memory, uint64_t offset)
{
    return b_gep(e, memory, b_i64(e, offset / 4 * 4 * SC_LANES));
}

static LLVMValueRef load_unit(struct emit *e, LLVMValueRef memory, uint64_t offset)
{
    LLVMValueRef x = b_load(e, row(e), unit_at(e, memory, offset));

    LLVMSetAlignment(x, 64);
    return x;
}

static void store_unit(struct emit *e, LLVMValueRef memory, uint64_t offset, LLVMValueRef x, LLVMValueRef mask)
{
    if (mask)
        x = LLVMBuildSelect(B(e), mask, x, load_unit(e, memory, offset), "");
    LLVMSetAlignment(LLVMBuildStore(B(e), x, unit_at(e, memory, offset)), 64);
}

LLVMValueRef param_load(struct emit *e, LLVMValueRef memory, uint64_t offset, unsigned bits)
{
    LLVMValueRef x = load_unit(e, memory, offset), high;

    if (bits <= 32) {
        x = LLVMBuildLShr(B(e), x, arith_const(&e->v, 32, offset % 4 * 8), "");
        return b_resize(e, x, bits, false);
    }
    x = b_resize(e, x, bits, false);
    for (unsigned done = 32; done < bits; done += 32) {
        high = b_resize(e, load_unit(e, memory, offset + done / 8), bits, false);
        x = LLVMBuildOr(B(e), x, LLVMBuildShl(B(e), high, arith_const(&e->v, bits, done), ""), "");
    }
    return x;
}

void param_store(struct emit *e, LLVMValueRef memory, uint64_t offset, unsigned bits, LLVMValueRef x, LLVMValueRef mask)
{
    unsigned shift = offset % 4 * 8;
    uint32_t keep;

    for (unsigned done = 0; bits > 32 && done < bits; done += 32) {
        LLVMValueRef part = LLVMBuildLShr(B(e), x, arith_const(&e->v, bits, done), "");
        store_unit(e, memory, offset + done / 8, b_resize(e, part, 32, false), mask);
    }
    if (bits > 32)
        return;
    x = b_resize(e, x, 32, false);
    if (bits < 32) {
        keep = ~((uint32_t)((1ull << bits) - 1) << shift);
        x = LLVMBuildShl(B(e), x, arith_const(&e->v, 32, shift), "");
        x = LLVMBuildOr(B(e), x, LLVMBuildAnd(B(e), load_unit(e, memory, offset), arith_const(&e->v, 32, keep), ""), "");
    }
    store_unit(e, memory, offset, x, mask);
}

/* ---- ld.param and st.param */

static LLVMValueRef memory_of(struct emit *e, const struct ptx_operand *at)
{
    switch (at->kind) {
    case PTX_OP_LOCALVAR: return e->vars[at->index];
    case PTX_OP_PARAMVAR: return b_load(e, b_ptr(e), b_gep(e, e->args, b_i64(e, 8ull * at->index)));
    default: return e->ret;
    }
}

/* ld.param of a kernel by name. */
static void load_kernel_param(struct emit *e, const struct ptx_operand *at, const struct ptx_operand *dst, uint64_t delta,
                              enum ptx_type type)
{
    uint64_t offset = e->func->params[at->index].offset + (uint64_t)at->offset + delta;
    LLVMValueRef base = b_warp_ptr(e, offsetof(struct sc_warp, params), e->func->param_bytes), value;

    value = b_load(e, b_int(e, ptx_type_bits(type)), b_gep(e, base, b_i64(e, offset)));
    LLVMSetAlignment(value, 1);
    b_invariant(e, value);
    v_set_signed(e, dst, value, ptx_type_is_signed(type));
}

void emit_param_access(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool store = in->op == PTX_I_st;
    const struct ptx_operand *at = &in->ops[store ? 0 : 1], *data = &in->ops[store ? 1 : 0];
    enum ptx_type type = in->types[in->ntypes - 1];
    unsigned n = in->vec ? in->vec : 1, bits = ptx_type_bits(type);

    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *x = data->kind == PTX_OP_VECTOR ? &data->elems[i] : data;
        uint64_t delta = (uint64_t)i * bits / 8, offset = (uint64_t)at->offset + delta;
        if (store)
            param_store(e, memory_of(e, at), offset, bits, v_vector(e, x, bits), e->mask);
        else if (e->func->entry && at->kind == PTX_OP_PARAMVAR)
            load_kernel_param(e, at, x, delta, type);
        else
            v_set_signed(e, x, param_load(e, memory_of(e, at), offset, bits), ptx_type_is_signed(type));
    }
}
