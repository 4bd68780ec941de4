/* call.c - calls: a function runs for the lanes of a mask; a pointer is followed once for each function that lanes point to. */
#include <string.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

/* i32 f(warp, mask, args, ret): args points to one pointer for each parameter; returns the lanes that have exited for good. */
LLVMTypeRef emit_function_type(struct emit_unit *u)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(u->context), ptr = LLVMPointerTypeInContext(u->context, 0);
    LLVMTypeRef params[] = { ptr, i32, ptr, ptr };

    return LLVMFunctionType(i32, params, 4, false);
}

static LLVMValueRef argument_memory(struct emit *e, const struct ptx_operand *o, unsigned bits)
{
    LLVMValueRef memory;

    if (o->kind == PTX_OP_LOCALVAR)
        return e->vars[o->index];
    if (o->kind == PTX_OP_PARAMVAR)
        return b_load(e, b_ptr(e), b_gep(e, e->args, b_i64(e, 8ull * o->index)));
    memory = param_memory(e, 8);
    if (o->kind == PTX_OP_REG)
        bits = v_reg_bits(e, o->index);
    bits = bits < 8 ? 8 : bits;
    param_store(e, memory, 0, bits, v_vector(e, o, bits), NULL);
    return memory;
}

static LLVMValueRef all_arguments(struct emit *e, const struct ptx_func *callee)
{
    const struct ptx_call *call = e->in->call;
    LLVMValueRef table = b_alloca(e, LLVMArrayType2(b_ptr(e), call->nargs ? call->nargs : 1));

    for (uint32_t i = 0; i < call->nargs; i++) {
        unsigned bits = callee && i < callee->nparams ? ptx_type_bits(callee->params[i].type) : 32;
        LLVMBuildStore(B(e), argument_memory(e, &call->args[i], bits), b_gep(e, table, b_i64(e, 8ull * i)));
    }
    return table;
}

static void lanes_exited(struct emit *e, LLVMValueRef bits)
{
    LLVMValueRef gone = b_mask(e, bits), live = b_load(e, b_mask_type(e), e->live), out = b_load(e, b_mask_type(e), e->exited);

    LLVMBuildStore(B(e), LLVMBuildAnd(B(e), live, LLVMBuildNot(B(e), gone, ""), ""), e->live);
    LLVMBuildStore(B(e), LLVMBuildOr(B(e), out, gone, ""), e->exited);
}

static void call_address(struct emit *e, LLVMValueRef function, LLVMValueRef mask, LLVMValueRef table, LLVMValueRef ret)
{
    LLVMValueRef args[] = { e->warp, b_bits(e, mask), table, ret };

    lanes_exited(e, LLVMBuildCall2(B(e), emit_function_type(e->unit), function, args, 4, ""));
}

static void call_extern(struct emit *e, const struct ptx_func *callee, LLVMValueRef table, LLVMValueRef ret)
{
    LLVMValueRef args[] = { e->warp, b_bits(e, e->mask), table, ret };
    char name[64] = "sc_extern_";

    strncat(name, callee->name, sizeof(name) - strlen(name) - 1);
    b_call(e, name, 0, args, 4);
}

/* The table of functions that pointers may lead to. */
static LLVMValueRef function_table(struct emit *e)
{
    struct emit_unit *u = e->unit;
    LLVMValueRef table = LLVMGetNamedGlobal(u->module, "functions"), *entries;
    LLVMTypeRef type = LLVMArrayType2(b_ptr(e), u->ptx->nfuncs);

    if (table)
        return table;
    entries = gpudl__arena_alloc(&u->arena, u->ptx->nfuncs * sizeof(*entries));
    if (!entries)
        return LLVMConstNull(b_ptr(e));
    for (uint32_t i = 0; i < u->ptx->nfuncs; i++)
        entries[i] = u->functions[i] ? u->functions[i] : LLVMConstNull(b_ptr(e));
    table = LLVMAddGlobal(u->module, type, "functions");
    LLVMSetInitializer(table, LLVMConstArray2(b_ptr(e), entries, u->ptx->nfuncs));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

static void fault_call(struct emit *e, LLVMValueRef address)
{
    LLVMValueRef args[] = { e->warp, b_i32(e, SC_FAULT_BAD_CALL), address };

    b_call(e, "sc_rt_fault", 0, args, 3);
}

/* Once for each distinct target among the lanes. */
static void call_pointer(struct emit *e, LLVMValueRef table, LLVMValueRef ret)
{
    const struct ptx_operand *target = &e->in->call->target;
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef pointers = v_vector(e, target, 64), memory = b_spill(e, pointers), rest = b_alloca(e, i32), bits, args[2], one, index;
    LLVMValueRef same, function, slot;
    LLVMBasicBlockRef head = b_block(e, "targets"), body = b_block(e, "target"), end = b_block(e, "targets.end"), ok;

    LLVMBuildStore(B(e), b_bits(e, e->mask), rest);
    b_jump(e, head);
    b_at(e, head);
    bits = b_load(e, i32, rest);
    b_branch(e, LLVMBuildICmp(B(e), LLVMIntNE, bits, b_i32(e, 0), ""), body, end);
    b_at(e, body);
    args[0] = bits;
    args[1] = LLVMConstInt(b_int(e, 1), 1, false);
    one = b_pick(e, memory, 64, b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2));
    same = LLVMBuildAnd(B(e), LLVMBuildICmp(B(e), LLVMIntEQ, pointers, b_splat(e, one), ""), b_mask(e, bits), "");
    LLVMBuildStore(B(e), LLVMBuildAnd(B(e), bits, LLVMBuildNot(B(e), b_bits(e, same), ""), ""), rest);
    index = LLVMBuildSub(B(e), one, b_i64(e, JIT_FUNCTION_BASE), "");
    index = LLVMBuildLShr(B(e), index, b_i64(e, 4), "");
    ok = b_if(e, LLVMBuildICmp(B(e), LLVMIntUGE, index, b_i64(e, e->unit->ptx->nfuncs), ""));
    fault_call(e, one);
    b_end(e, ok);
    slot = LLVMBuildGEP2(B(e), b_ptr(e), function_table(e), &index, 1, "");
    function = b_load(e, b_ptr(e), slot);
    ok = b_if(e, LLVMBuildIsNull(B(e), function, ""));
    fault_call(e, one);
    b_end(e, ok);
    call_address(e, function, same, table, ret);
    b_jump(e, head);
    b_at(e, end);
}

static void read_register_result(struct emit *e, LLVMValueRef memory, const struct ptx_operand *dst)
{
    if (dst->kind == PTX_OP_REG) {
        unsigned bits = v_reg_bits(e, dst->index);
        v_set(e, dst, param_load(e, memory, 0, bits < 8 ? 8 : bits));
    }
}

void emit_call(struct emit *e)
{
    const struct ptx_call *call = e->in->call;
    const struct ptx_func *callee = call->target.kind == PTX_OP_FUNC ? &e->unit->ptx->funcs[call->target.index] : NULL;
    LLVMValueRef table = all_arguments(e, callee), ret = LLVMConstNull(b_ptr(e));

    if (call->nrets)
        ret = call->rets[0].kind == PTX_OP_LOCALVAR ? e->vars[call->rets[0].index] : param_memory(e, 8);
    if (!callee)
        call_pointer(e, table, ret);
    else if (callee->declared_only)
        call_extern(e, callee, table, ret);
    else
        call_address(e, e->unit->functions[call->target.index], e->mask, table, ret);
    if (call->nrets)
        read_register_result(e, ret, &call->rets[0]);
}
