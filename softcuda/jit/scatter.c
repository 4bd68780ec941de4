/* scatter.c - lanes that read or write 32 unrelated places: gathers and scatters where the machine has them, else a loop over lanes.
 *
 * LLVM would unroll what the machine lacks into 32 branches for each access; with some dozen of those in a kernel, its register allocator
 * takes seconds. */
#include "softcuda/jit/scatter.h"

#define B(e) ((e)->v.builder)

static bool machine_has(struct emit *e, unsigned bits)
{
    return e->unit->avx512 && (bits == 32 || bits == 64);
}

static LLVMTypeRef lanes_type(struct emit *e, unsigned bits)
{
    return LLVMVectorType(b_int(e, bits), SC_LANES);
}

static LLVMValueRef gather(struct emit *e, LLVMValueRef lanes, unsigned bits, unsigned align)
{
    LLVMTypeRef types[] = { lanes_type(e, bits), LLVMVectorType(b_ptr(e), SC_LANES) };
    LLVMValueRef args[] = { lanes, b_i32(e, align), e->mask, LLVMConstNull(types[0]) };

    return b_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

/* The word around an 8- or 16-bit value lies in the value's own page, so it may be read where the value may. */
static LLVMValueRef gather_small(struct emit *e, LLVMValueRef lanes, unsigned bits)
{
    LLVMValueRef at = LLVMBuildPtrToInt(B(e), lanes, lanes_type(e, 64), ""), word, shift;

    word = LLVMBuildIntToPtr(B(e), LLVMBuildAnd(B(e), at, arith_const(&e->v, 64, ~3ull), ""), LLVMTypeOf(lanes), "");
    shift = LLVMBuildAnd(B(e), LLVMBuildTrunc(B(e), at, lanes_type(e, 32), ""), arith_const(&e->v, 32, 3), "");
    shift = LLVMBuildShl(B(e), shift, arith_const(&e->v, 32, 3), "");
    return LLVMBuildTrunc(B(e), LLVMBuildLShr(B(e), gather(e, word, 32, 4), shift, ""), lanes_type(e, bits), "");
}

static LLVMValueRef begin(struct emit *e, LLVMValueRef lanes, struct lane_loop *loop)
{
    LLVMValueRef places = b_spill(e, LLVMBuildPtrToInt(B(e), lanes, lanes_type(e, 64), ""));

    b_lanes_begin(e, e->mask, loop);
    return LLVMBuildIntToPtr(B(e), b_pick(e, places, 64, loop->lane), b_ptr(e), "");
}

static unsigned alignment(unsigned bits)
{
    return bits > 64 ? 8 : bits / 8;
}

static LLVMValueRef load_in_turn(struct emit *e, LLVMValueRef lanes, unsigned bits)
{
    struct lane_loop loop;
    LLVMValueRef values = b_spill_room(e, bits), x = b_load(e, b_int(e, bits), begin(e, lanes, &loop));

    LLVMSetAlignment(x, alignment(bits));
    b_put(e, values, bits, loop.lane, x);
    b_lanes_end(e, &loop);
    return b_load(e, lanes_type(e, bits), values);
}

static void store_in_turn(struct emit *e, LLVMValueRef value, LLVMValueRef lanes, unsigned bits)
{
    struct lane_loop loop;
    LLVMValueRef values = b_spill(e, value), place = begin(e, lanes, &loop);

    LLVMSetAlignment(LLVMBuildStore(B(e), b_pick(e, values, bits, loop.lane), place), alignment(bits));
    b_lanes_end(e, &loop);
}

bool scatter_takes_turns(struct emit *e, unsigned bits)
{
    return !machine_has(e, bits) && !(machine_has(e, 32) && bits < 32);
}

LLVMValueRef scatter_load(struct emit *e, LLVMValueRef lanes, unsigned bits)
{
    if (scatter_takes_turns(e, bits))
        return load_in_turn(e, lanes, bits);
    return machine_has(e, bits) ? gather(e, lanes, bits, bits / 8) : gather_small(e, lanes, bits);
}

void scatter_store(struct emit *e, LLVMValueRef value, LLVMValueRef lanes, unsigned bits)
{
    LLVMTypeRef types[] = { lanes_type(e, bits), LLVMVectorType(b_ptr(e), SC_LANES) };
    LLVMValueRef args[] = { value, lanes, b_i32(e, bits / 8), e->mask };

    if (machine_has(e, bits))
        b_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
    else
        store_in_turn(e, value, lanes, bits);
}
