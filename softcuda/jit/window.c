/* window.c - what the addresses of a space count from.
 *
 * Addresses in .global are generic ones. Those in .shared, .local, .const and of a kernel's .param are offsets from where the block's shared
 * memory, the warp's local memory, the module's constants and the launch's parameters begin: PTX may hold them in 32 bits. cvta adds that
 * beginning, cvta.to takes it off again.
 *
 * The parameters of a function lie lane by lane (param.c), where nothing has an address. A function that takes the address of one gets
 * copies of all in its local memory, and that address is a local one. */
#include <stddef.h>

#include "softcuda/jit/address.h"
#include "softcuda/jit/scatter.h"

#define B(e) ((e)->v.builder)

static LLVMValueRef global_address(struct emit *e, uint32_t index)
{
    LLVMValueRef table = b_warp_ptr(e, offsetof(struct sc_warp, globals), 8ull * e->unit->ptx->nvars), address;

    address = b_load(e, b_int(e, 64), b_gep(e, table, b_i64(e, 8ull * index)));
    b_invariant(e, address);
    return address;
}

LLVMValueRef v_window(struct emit *e, enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED: return b_warp_ptr(e, offsetof(struct sc_warp, shared), 0);
    case PTX_LOCAL: return b_warp_ptr(e, offsetof(struct sc_warp, local_base), 0);
    case PTX_PARAM: return b_warp_ptr(e, e->func->entry ? offsetof(struct sc_warp, params) : offsetof(struct sc_warp, local_base), 0);
    case PTX_CONST:
        if (e->unit->first_constant == UINT32_MAX)
            return NULL;
        return LLVMBuildIntToPtr(B(e), global_address(e, e->unit->first_constant), b_ptr(e), "");
    default: return NULL;
    }
}

LLVMValueRef v_cvta_distance(struct emit *e, const struct ptx_insn *in)
{
    LLVMValueRef window = v_window(e, in->space), distance;

    if (!window)
        return NULL;
    distance = LLVMBuildPtrToInt(B(e), window, b_int(e, 64), "");
    return ptx_has(in, PTX_M_to) ? LLVMBuildNeg(B(e), distance, "") : distance;
}

/* ---- the addresses of variables, in their own space */

static LLVMValueRef in_window(struct emit *e, LLVMValueRef address, enum ptx_space space)
{
    return LLVMBuildSub(B(e), address, LLVMBuildPtrToInt(B(e), v_window(e, space), b_int(e, 64), ""), "");
}

static LLVMValueRef in_frame(struct emit *e, uint32_t offset)
{
    if (e->plan->local_inside)
        return b_i64(e, offset);
    return LLVMBuildAdd(B(e), in_window(e, e->frame, PTX_LOCAL), b_i64(e, offset), "");
}

static LLVMValueRef in_shared(struct emit *e, const struct ptx_var *v, int64_t offset)
{
    return b_i64(e, v->extern_shared ? e->unit->static_shared : (uint64_t)offset);
}

LLVMValueRef v_address_of(struct emit *e, const struct ptx_operand *o)
{
    const struct ptx_var *v;

    switch (o->kind) {
    case PTX_OP_VAR:
        v = &e->unit->ptx->vars[o->index];
        if (v->space == PTX_SHARED)
            return in_shared(e, v, e->unit->shared_offset[o->index]);
        return v->space == PTX_CONST ? in_window(e, global_address(e, o->index), PTX_CONST) : global_address(e, o->index);
    case PTX_OP_LOCALVAR:
        v = &e->func->vars[o->index];
        if (v->space == PTX_SHARED)
            return in_shared(e, v, e->unit->func_shared[e->func - e->unit->ptx->funcs][o->index]);
        return v->space == PTX_LOCAL ? in_frame(e, e->plan->local_offset[o->index]) : b_i64(e, 0);
    case PTX_OP_PARAMVAR:
        return e->func->entry ? b_i64(e, e->func->params[o->index].offset) : in_frame(e, e->plan->param_offset[o->index]);
    case PTX_OP_FUNC: return b_i64(e, JIT_FUNCTION_BASE + 16ull * o->index);
    default: return b_i64(e, 0);
    }
}

/* ---- copies of parameters */

static void copy_param(struct emit *e, uint32_t i)
{
    LLVMValueRef memory = b_load(e, b_ptr(e), b_gep(e, e->args, b_i64(e, 8ull * i))), to;
    int64_t frame = e->plan->local_frame;

    for (uint64_t unit = 0; unit < e->func->params[i].size; unit += 4) {
        to = LLVMBuildAdd(B(e), in_frame(e, e->plan->param_offset[i]), b_i64(e, unit), "");
        to = LLVMBuildAdd(B(e), b_splat(e, to), b_lanes(e, 64, frame, frame * e->plan->group), "");
        scatter_store(e, param_load(e, memory, unit, 32), b_gep(e, v_window(e, PTX_LOCAL), to), 32);
    }
}

void emit_param_copies(struct emit *e)
{
    for (uint32_t i = 0; e->plan->takes_params && i < e->func->nparams; i++)
        if (!e->func->params[i].in_reg)
            copy_param(e, i);
}
