/* bounds.c - checks before accesses.
 *
 * The device's memory is one range of addresses (run/devmem.h), so most checks are one scalar comparison of both ends of what the lanes
 * touch; what fails it is looked up by the runtime, lane by lane, and may be shared, local or host memory after all. Shared memory needs no
 * check of its bounds: a 32-bit offset from it meets nothing else (run/worker.c). */
#include <stddef.h>

#include "softcuda/jit/address.h"

#define B(e) ((e)->v.builder)

static LLVMValueRef memory_base(struct emit *e)
{
    return b_warp_field(e, offsetof(struct sc_warp, memory_base), 64, true);
}

static LLVMValueRef memory_size(struct emit *e)
{
    return b_warp_field(e, offsetof(struct sc_warp, memory_size), 64, true);
}

/* .local, and .param of a kernel, lie in ranges of their own instead of in the device's memory, and nowhere else. */
bool address_has_own_range(enum ptx_space space)
{
    return space == PTX_LOCAL || space == PTX_PARAM;
}

static void window_of(struct emit *e, enum ptx_space space, LLVMValueRef *base, LLVMValueRef *size)
{
    LLVMValueRef end;

    if (!address_has_own_range(space)) {
        *base = memory_base(e);
        *size = memory_size(e);
        return;
    }
    if (space == PTX_PARAM && e->func->entry) {
        *base = b_warp_field(e, offsetof(struct sc_warp, params), 64, true);
        *size = b_i64(e, e->func->param_bytes);
        return;
    }
    *base = b_warp_field(e, offsetof(struct sc_warp, local_base), 64, true);
    end = b_warp_field(e, offsetof(struct sc_warp, local_end), 64, true);
    *size = LLVMBuildSub(B(e), end, *base, "");
}

static void place_of(struct emit *e, LLVMValueRef *file, LLVMValueRef *line)
{
    *file = b_i32(e, e->in->loc_file);
    *line = b_i32(e, e->in->loc_line);
}

static void look_up_lanes(struct emit *e, LLVMValueRef addresses, unsigned bytes, LLVMValueRef lanes, enum ptx_space space)
{
    LLVMValueRef args[] = { e->warp, b_spill(e, addresses), b_i32(e, bytes), lanes, NULL, NULL, NULL, NULL };

    place_of(e, &args[4], &args[5]);
    if (!address_has_own_range(space)) {
        b_call(e, "sc_rt_check_lanes", 0, args, 6);
        return;
    }
    window_of(e, space, &args[6], &args[7]);
    b_call(e, "sc_rt_check_range", 0, args, 8);
}

static void look_up_one(struct emit *e, LLVMValueRef address, unsigned bytes, LLVMValueRef lanes, enum ptx_space space)
{
    LLVMValueRef args[] = { e->warp, address, b_i32(e, bytes), lanes, NULL, NULL };

    if (address_has_own_range(space)) {
        look_up_lanes(e, b_splat(e, address), bytes, lanes, space);
        return;
    }
    place_of(e, &args[4], &args[5]);
    b_call(e, "sc_rt_check_one", 0, args, 6);
}

static LLVMValueRef is_uneven(struct emit *e, LLVMValueRef bits, unsigned bytes)
{
    return LLVMBuildICmp(B(e), LLVMIntNE, LLVMBuildAnd(B(e), bits, b_i64(e, bytes - 1), ""), b_i64(e, 0), "");
}

/* [low, high + bytes) is not all inside. */
static LLVMValueRef is_outside(struct emit *e, LLVMValueRef low, LLVMValueRef high, unsigned bytes, enum ptx_space space)
{
    LLVMValueRef base, size, first, last;

    window_of(e, space, &base, &size);
    first = LLVMBuildSub(B(e), low, base, "");
    last = LLVMBuildAdd(B(e), LLVMBuildSub(B(e), high, base, ""), b_i64(e, bytes - 1), "");
    return LLVMBuildOr(B(e), LLVMBuildICmp(B(e), LLVMIntUGE, first, size, ""), LLVMBuildICmp(B(e), LLVMIntUGE, last, size, ""), "");
}

/* Both at once where span is a number: an offset whose low bits are turned into its high ones is out of bounds if it is uneven. The device's
 * memory begins at a page, and holds more than any span. */
static LLVMValueRef is_bad(struct emit *e, LLVMValueRef low, int64_t span, unsigned bytes, enum ptx_space space)
{
    LLVMTypeRef i64 = b_int(e, 64);
    LLVMValueRef base, size, args[3], shift = b_i64(e, (unsigned)__builtin_ctz(bytes)), most;

    window_of(e, space, &base, &size);
    args[0] = args[1] = LLVMBuildSub(B(e), low, base, "");
    args[2] = shift;
    most = LLVMBuildLShr(B(e), LLVMBuildSub(B(e), size, b_i64(e, (uint64_t)span + bytes), ""), shift, "");
    return LLVMBuildICmp(B(e), LLVMIntUGT, b_intrinsic(e, "llvm.fshr", &i64, 1, args, 3), most, "");
}

static LLVMValueRef lanes_bad(struct emit *e, LLVMValueRef at, unsigned bytes, enum ptx_space space)
{
    struct arith *a = &e->v;
    LLVMValueRef base, size, bad = NULL, odd;

    if (space != PTX_SHARED) {
        window_of(e, space, &base, &size);
        bad = v_icmp(a, LLVMIntUGE, v_add(a, v_sub(a, at, b_splat(e, base)), arith_const(a, 64, bytes - 1)), b_splat(e, size));
    }
    if (bytes > 1) {
        odd = v_icmp(a, LLVMIntNE, v_and(a, at, arith_const(a, 64, bytes - 1)), arith_const(a, 64, 0));
        bad = bad ? v_or(a, bad, odd) : odd;
    }
    return bad ? v_and(a, bad, e->mask) : NULL;
}

void address_check_lanes(struct emit *e, LLVMValueRef pointers, unsigned bytes, enum ptx_space space)
{
    LLVMValueRef at = LLVMBuildPtrToInt(B(e), pointers, LLVMVectorType(b_int(e, 64), SC_LANES), ""), bad = lanes_bad(e, at, bytes, space);
    LLVMBasicBlockRef end;

    if (!bad)
        return;
    end = b_if_rarely(e, b_any(e, bad));
    look_up_lanes(e, at, bytes, b_bits(e, bad), space);
    b_end(e, end);
}

void address_check_one(struct emit *e, LLVMValueRef pointer, unsigned bytes, enum ptx_space space, LLVMValueRef lane_bit)
{
    LLVMValueRef at = LLVMBuildPtrToInt(B(e), pointer, b_int(e, 64), ""), bad = NULL;
    LLVMBasicBlockRef end;

    if (address_has_own_range(space))
        bad = LLVMBuildOr(B(e), is_outside(e, at, at, bytes, space), is_uneven(e, at, bytes), "");
    else if (space != PTX_SHARED)
        bad = is_bad(e, at, 0, bytes, space);
    else if (bytes > 1)
        bad = is_uneven(e, at, bytes);
    if (!bad)
        return;
    end = b_if_rarely(e, bad);
    look_up_one(e, at, bytes, lane_bit, space);
    b_end(e, end);
}

LLVMValueRef address_bad(struct emit *e, const struct address *a, unsigned bytes)
{
    LLVMValueRef bad = NULL;

    if (a->space != PTX_SHARED && !address_has_own_range(a->space) && a->span >= 0)
        return is_bad(e, a->low, a->span, bytes, a->space);
    if (a->space != PTX_SHARED)
        bad = is_outside(e, a->low, a->high, bytes, a->space);
    if (bytes > 1)
        bad = bad ? LLVMBuildOr(B(e), bad, is_uneven(e, a->uneven, bytes), "") : is_uneven(e, a->uneven, bytes);
    return bad;
}

void address_check(struct emit *e, const struct address *a, unsigned bytes, bool scattered)
{
    LLVMValueRef bad;
    LLVMBasicBlockRef end;

    if (a->kind == ADDRESS_ONE) {
        address_check_one(e, a->base, bytes, a->space, b_bits(e, e->mask));
        return;
    }
    if (!a->low || scattered || a->steps & (bytes - 1)) {
        address_check_lanes(e, address_lanes(e, a, 0), bytes, a->space);
        return;
    }
    bad = address_bad(e, a, bytes);
    if (!bad)
        return;
    end = b_if_rarely(e, bad);      /* an end is out of bounds, but perhaps of a lane that is off */
    look_up_lanes(e, LLVMBuildPtrToInt(B(e), address_lanes(e, a, 0), LLVMVectorType(b_int(e, 64), SC_LANES), ""), bytes, b_bits(e, e->mask),
                  a->space);
    b_end(e, end);
}
