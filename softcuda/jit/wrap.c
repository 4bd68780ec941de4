/* wrap.c - how the runtime enters a kernel.
 *
 * A kernel whose warps may wait is entered once a warp, each on a fiber of its own. Otherwise one call runs many warps in two loops, and what
 * the body computes from the parameters alone is computed once: a saxpy of a million elements has 32,768 warps of some nanoseconds. */
#include <stddef.h>

#include "softcuda/jit/emit.h"

LLVMTypeRef emit_kernel_type(struct emit_unit *u)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(u->context);
    LLVMTypeRef params[] = { LLVMPointerTypeInContext(u->context, 0), i32, i32 };

    return LLVMFunctionType(LLVMVoidTypeInContext(u->context), params, 3, false);
}

static LLVMValueRef field(struct emit_unit *u, LLVMValueRef warp, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(u->context), offset, false);

    return LLVMBuildGEP2(u->builder, LLVMInt8TypeInContext(u->context), warp, &at, 1, "");
}

static void wrap_warp(struct emit_unit *u, LLVMValueRef function, LLVMValueRef body)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(u->context);
    LLVMValueRef warp = LLVMGetParam(function, 0), args[3] = { warp };

    args[1] = LLVMBuildLoad2(u->builder, i32, field(u, warp, offsetof(struct sc_warp, warp)), "");
    args[2] = LLVMBuildLoad2(u->builder, i32, field(u, warp, offsetof(struct sc_warp, ctaid)), "");
    LLVMBuildCall2(u->builder, emit_kernel_type(u), body, args, 3, "");
    LLVMBuildRetVoid(u->builder);
}

struct counter { LLVMBasicBlockRef head, end; LLVMValueRef i, last; };

static void count_begin(struct emit_unit *u, LLVMValueRef function, struct counter *c, LLVMValueRef from, LLVMValueRef to)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(u->builder);

    c->head = LLVMAppendBasicBlockInContext(u->context, function, "each");
    c->end = LLVMAppendBasicBlockInContext(u->context, function, "end");
    c->last = to;
    LLVMBuildBr(u->builder, c->head);
    LLVMPositionBuilderAtEnd(u->builder, c->head);
    c->i = LLVMBuildPhi(u->builder, LLVMTypeOf(from), "");
    LLVMAddIncoming(c->i, &from, &before, 1);
}

static void count_end(struct emit_unit *u, struct counter *c)
{
    LLVMValueRef next = LLVMBuildAdd(u->builder, c->i, LLVMConstInt(LLVMTypeOf(c->i), 1, false), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(u->builder);

    LLVMAddIncoming(c->i, &next, &here, 1);
    LLVMBuildCondBr(u->builder, LLVMBuildICmp(u->builder, LLVMIntEQ, next, c->last, ""), c->end, c->head);
    LLVMPositionBuilderAtEnd(u->builder, c->end);
}

static void wrap_blocks(struct emit_unit *u, LLVMValueRef function, LLVMValueRef body)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(u->context);
    LLVMValueRef warp = LLVMGetParam(function, 0), first, end, args[3] = { warp };
    LLVMValueRef at_warp = field(u, warp, offsetof(struct sc_warp, warp)), at_ctaid = field(u, warp, offsetof(struct sc_warp, ctaid));
    uint32_t threads = u->ntid[0] * u->ntid[1] * u->ntid[2];
    struct counter block, each;

    first = LLVMBuildLoad2(u->builder, i32, at_ctaid, "");
    end = LLVMBuildAdd(u->builder, first, LLVMGetParam(function, 1), "");
    count_begin(u, function, &block, first, end);
    LLVMBuildStore(u->builder, block.i, at_ctaid);
    count_begin(u, function, &each, LLVMConstInt(i32, 0, false), LLVMConstInt(i32, (threads + SC_LANES - 1) / SC_LANES, false));
    LLVMBuildStore(u->builder, each.i, at_warp);
    args[1] = each.i;
    args[2] = block.i;
    LLVMBuildCall2(u->builder, emit_kernel_type(u), body, args, 3, "");
    count_end(u, &each);
    count_end(u, &block);
    LLVMBuildRetVoid(u->builder);
}

void emit_wrapper(struct emit_unit *u, LLVMValueRef body, const char *name)
{
    LLVMTypeRef params[] = { LLVMPointerTypeInContext(u->context, 0), LLVMInt32TypeInContext(u->context) };
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(u->context), params, u->may_wait ? 1 : 2, false);
    LLVMValueRef function = LLVMAddFunction(u->module, name, type);

    emit_set_attributes(u, function);
    LLVMPositionBuilderAtEnd(u->builder, LLVMAppendBasicBlockInContext(u->context, function, "entry"));
    if (u->may_wait)
        wrap_warp(u, function, body);
    else
        wrap_blocks(u, function, body);
}
