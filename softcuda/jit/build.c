/* build.c - small pieces of IR that the emitter is made of. */
#include <stdio.h>
#include <string.h>

#include "softcuda/jit/emit.h"

#define B(e) ((e)->v.builder)

LLVMTypeRef b_int(struct emit *e, unsigned bits)
{
    return LLVMIntTypeInContext(e->v.context, bits);
}

LLVMTypeRef b_ptr(struct emit *e)
{
    return LLVMPointerTypeInContext(e->v.context, 0);
}

LLVMValueRef b_i32(struct emit *e, uint64_t value)
{
    return LLVMConstInt(b_int(e, 32), value, false);
}

LLVMValueRef b_i64(struct emit *e, uint64_t value)
{
    return LLVMConstInt(b_int(e, 64), value, false);
}

LLVMTypeRef b_mask_type(struct emit *e)
{
    return LLVMVectorType(b_int(e, 1), SC_LANES);
}

LLVMValueRef b_full(struct emit *e)
{
    return LLVMConstAllOnes(b_mask_type(e));
}

LLVMValueRef b_no_lanes(struct emit *e)
{
    return LLVMConstNull(b_mask_type(e));
}

LLVMValueRef b_splat(struct emit *e, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), SC_LANES);
    LLVMValueRef one = LLVMBuildInsertElement(B(e), LLVMGetPoison(type), scalar, b_i32(e, 0), "");

    return LLVMBuildShuffleVector(B(e), one, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(b_int(e, 32), SC_LANES)), "");
}

LLVMValueRef b_lanes(struct emit *e, unsigned bits, int64_t s, int64_t t)
{
    LLVMValueRef lanes[SC_LANES];

    for (unsigned l = 0; l < SC_LANES; l++)
        lanes[l] = LLVMConstInt(b_int(e, bits), (uint64_t)s * (l % e->plan->group) + (uint64_t)t * (l / e->plan->group), false);
    return LLVMConstVector(lanes, SC_LANES);
}

LLVMValueRef b_bits(struct emit *e, LLVMValueRef mask)
{
    return LLVMBuildBitCast(B(e), mask, b_int(e, SC_LANES), "");
}

LLVMValueRef b_mask(struct emit *e, LLVMValueRef bits)
{
    return LLVMBuildBitCast(B(e), bits, b_mask_type(e), "");
}

LLVMValueRef b_any(struct emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B(e), LLVMIntNE, b_bits(e, mask), b_i32(e, 0), "");
}

LLVMValueRef b_alloca(struct emit *e, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B(e));
    LLVMValueRef first = LLVMGetFirstInstruction(e->entry), memory;

    if (first)
        LLVMPositionBuilderBefore(B(e), first);
    else
        LLVMPositionBuilderAtEnd(B(e), e->entry);
    memory = LLVMBuildAlloca(B(e), type, "");
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        LLVMSetAlignment(memory, 64);
    LLVMPositionBuilderAtEnd(B(e), here);
    return memory;
}

LLVMValueRef b_slot(struct emit *e, LLVMValueRef first)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B(e));
    LLVMValueRef memory = b_alloca(e, LLVMTypeOf(first));

    LLVMPositionBuilderBefore(B(e), LLVMGetBasicBlockTerminator(e->entry));
    LLVMBuildStore(B(e), first, memory);
    LLVMPositionBuilderAtEnd(B(e), here);
    return memory;
}

/* An area of the right size that the last instruction has left; areas come in powers of two, so that few do. Memory of each one's own would
 * make frames of megabytes. */
LLVMValueRef b_scratch(struct emit *e, uint64_t bytes)
{
    uint64_t room = 64;

    while (room < bytes)
        room *= 2;
    for (unsigned i = 0; i < SCRATCH_AREAS; i++) {
        struct scratch *s = &e->scratch[i];

        if (!s->memory)
            *s = (struct scratch){ .memory = b_alloca(e, LLVMArrayType2(b_int(e, 8), room)), .bytes = room };
        else if (s->bytes != room || s->user == e->in)
            continue;
        s->user = e->in;
        return s->memory;
    }
    return b_alloca(e, LLVMArrayType2(b_int(e, 8), room));
}

LLVMValueRef b_load(struct emit *e, LLVMTypeRef type, LLVMValueRef ptr)
{
    return LLVMBuildLoad2(B(e), type, ptr, "");
}

LLVMValueRef b_gep(struct emit *e, LLVMValueRef ptr, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(B(e), b_int(e, 8), ptr, &bytes, 1, "");
}

static void set_metadata(struct emit *e, LLVMValueRef load, const char *name, LLVMValueRef value)
{
    LLVMMetadataRef node = value ? LLVMValueAsMetadata(value) : NULL;
    unsigned kind = LLVMGetMDKindIDInContext(e->v.context, name, (unsigned)strlen(name));

    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(e->v.context, LLVMMDNodeInContext2(e->v.context, &node, value ? 1 : 0)));
}

LLVMValueRef b_warp_field(struct emit *e, size_t offset, unsigned bits, bool invariant)
{
    LLVMValueRef value = b_load(e, b_int(e, bits), b_gep(e, e->warp, b_i64(e, offset)));

    if (invariant)
        b_invariant(e, value);
    return value;
}

LLVMValueRef b_warp_ptr(struct emit *e, size_t offset, uint64_t readable)
{
    LLVMValueRef value = b_load(e, b_ptr(e), b_gep(e, e->warp, b_i64(e, offset)));

    b_invariant(e, value);
    if (readable)
        set_metadata(e, value, "dereferenceable", b_i64(e, readable));
    if (readable)
        set_metadata(e, value, "align", b_i64(e, 8));
    return value;
}

void b_invariant(struct emit *e, LLVMValueRef load)
{
    set_metadata(e, load, "invariant.load", NULL);
}

LLVMValueRef b_resize(struct emit *e, LLVMValueRef value, unsigned bits, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(value), lane = type, to = b_int(e, bits);
    unsigned from;

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        lane = LLVMGetElementType(type);
        to = LLVMVectorType(to, LLVMGetVectorSize(type));
    }
    from = LLVMGetIntTypeWidth(lane);
    if (from == bits)
        return value;
    if (from > bits)
        return LLVMBuildTrunc(B(e), value, to, "");
    return is_signed ? LLVMBuildSExt(B(e), value, to, "") : LLVMBuildZExt(B(e), value, to, "");
}

LLVMBasicBlockRef b_block(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->v.context, e->function, name);
}

void b_at(struct emit *e, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(B(e), block);
}

void b_jump(struct emit *e, LLVMBasicBlockRef block)
{
    LLVMBuildBr(B(e), block);
}

void b_branch(struct emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    LLVMBuildCondBr(B(e), condition, yes, no);
}

LLVMBasicBlockRef b_if(struct emit *e, LLVMValueRef condition)
{
    LLVMBasicBlockRef then = b_block(e, "then"), end = b_block(e, "end");

    b_branch(e, condition, then, end);
    b_at(e, then);
    return end;
}

LLVMBasicBlockRef b_if_rarely(struct emit *e, LLVMValueRef condition)
{
    LLVMBasicBlockRef then = b_block(e, "rare"), end = b_block(e, "end");
    LLVMMetadataRef weights[] = {
        LLVMMDStringInContext2(e->v.context, "branch_weights", 14),
        LLVMValueAsMetadata(b_i32(e, 1)),
        LLVMValueAsMetadata(b_i32(e, 1 << 20)),
    };
    LLVMValueRef branch = LLVMBuildCondBr(B(e), condition, then, end);

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->v.context, "prof", 4),
                    LLVMMetadataAsValue(e->v.context, LLVMMDNodeInContext2(e->v.context, weights, 3)));
    b_at(e, then);
    return end;
}

void b_end(struct emit *e, LLVMBasicBlockRef end)
{
    b_jump(e, end);
    b_at(e, end);
}

LLVMValueRef b_intrinsic(struct emit *e, const char *name, LLVMTypeRef *types, unsigned ntypes, LLVMValueRef *args, unsigned nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->v.module, id, types, ntypes);

    return LLVMBuildCall2(B(e), LLVMGlobalGetValueType(f), f, args, nargs, "");
}

LLVMValueRef b_call(struct emit *e, const char *name, unsigned ret_bits, LLVMValueRef *args, unsigned nargs)
{
    LLVMTypeRef types[8], type;
    LLVMValueRef f = LLVMGetNamedFunction(e->v.module, name);

    for (unsigned i = 0; i < nargs; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(ret_bits ? b_int(e, ret_bits) : LLVMVoidTypeInContext(e->v.context), types, nargs, false);
    if (!f)
        f = LLVMAddFunction(e->v.module, name, type);
    return LLVMBuildCall2(B(e), type, f, args, nargs, "");
}

void b_lanes_begin(struct emit *e, LLVMValueRef mask, struct lane_loop *l)
{
    LLVMValueRef bits = b_bits(e, mask), args[2], more;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B(e));
    LLVMTypeRef i32 = b_int(e, 32);

    l->head = b_block(e, "lanes");
    l->body = b_block(e, "lane");
    l->end = b_block(e, "lanes.end");
    b_jump(e, l->head);
    b_at(e, l->head);
    l->bits = LLVMBuildPhi(B(e), i32, "");
    LLVMAddIncoming(l->bits, &bits, &before, 1);
    more = LLVMBuildICmp(B(e), LLVMIntNE, l->bits, b_i32(e, 0), "");
    b_branch(e, more, l->body, l->end);
    b_at(e, l->body);
    args[0] = l->bits;
    args[1] = LLVMConstInt(b_int(e, 1), 1, false);
    l->lane = b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2);
}

void b_lanes_end(struct emit *e, struct lane_loop *l)
{
    LLVMValueRef next = LLVMBuildAnd(B(e), l->bits, LLVMBuildSub(B(e), l->bits, b_i32(e, 1), ""), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B(e));

    LLVMAddIncoming(l->bits, &next, &here, 1);
    b_jump(e, l->head);
    b_at(e, l->end);
}

LLVMValueRef b_spill_room(struct emit *e, unsigned bits)
{
    return b_scratch(e, (uint64_t)SC_LANES * (bits / 8));
}

LLVMValueRef b_spill(struct emit *e, LLVMValueRef vector)
{
    LLVMValueRef memory = b_spill_room(e, LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(vector))));

    LLVMBuildStore(B(e), vector, memory);
    return memory;
}

static LLVMValueRef lane_address(struct emit *e, LLVMValueRef memory, unsigned bits, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(B(e), lane, b_int(e, 64), "");
    return LLVMBuildGEP2(B(e), b_int(e, bits), memory, &index, 1, "");
}

LLVMValueRef b_pick(struct emit *e, LLVMValueRef memory, unsigned bits, LLVMValueRef lane)
{
    return b_load(e, b_int(e, bits), lane_address(e, memory, bits, lane));
}

void b_put(struct emit *e, LLVMValueRef memory, unsigned bits, LLVMValueRef lane, LLVMValueRef value)
{
    LLVMBuildStore(B(e), value, lane_address(e, memory, bits, lane));
}
