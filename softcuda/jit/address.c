/* address.c - reads the shape of an address as a place, a row or 32 places. */
#include <stddef.h>

#include "softcuda/jit/address.h"

#define B(e) ((e)->v.builder)

static unsigned width_of(struct emit *e, const struct ptx_operand *o, enum ptx_space space)
{
    if (space == PTX_SHARED)
        return 32;
    return o->kind == PTX_OP_REG ? v_reg_bits(e, o->index) : 64;
}

/* Offsets of 32 bits in a window are sign-extended: one "below zero" belongs to lanes that are masked off, and a row that begins there is a
 * row still. */
static LLVMValueRef pointer(struct emit *e, LLVMValueRef bytes, int64_t offset, enum ptx_space space)
{
    LLVMValueRef window = v_window(e, space), index = b_resize(e, bytes, 64, window);

    if (offset)
        index = LLVMBuildAdd(B(e), index, b_i64(e, (uint64_t)offset), "");
    return window ? b_gep(e, window, index) : LLVMBuildIntToPtr(B(e), index, b_ptr(e), "");
}

/* base, and how far lanes lie from it: what a check of both ends needs. */
static void note_ends(struct emit *e, struct address *a, LLVMValueRef base, struct affine steps)
{
    LLVMValueRef low, high, at = LLVMBuildPtrToInt(B(e), base, b_int(e, 64), "");

    v_extent(e, steps, &low, &high);
    a->span = steps.t ? -1 : LLVMConstIntGetSExtValue(high) - LLVMConstIntGetSExtValue(low);
    a->low = LLVMBuildAdd(B(e), at, low, "");
    a->high = LLVMBuildAdd(B(e), at, high, "");
    a->steps = (uint64_t)steps.s | (uint64_t)steps.t_constant;
    a->uneven = steps.t ? LLVMBuildOr(B(e), at, steps.t, "") : at;
}

static void as_row_or_groups(struct emit *e, struct address *a, int64_t s, int64_t t_constant, LLVMValueRef t, unsigned bytes)
{
    int64_t g = e->plan->group;

    if (s == bytes && (g == SC_LANES || (!t && t_constant == s * g))) {
        a->kind = ADDRESS_ROW;
    } else if (g < SC_LANES && g >= 4 && (s == bytes || s == 0)) {
        a->kind = ADDRESS_GROUPS;
        a->stride = s;
        a->t = t ? b_resize(e, t, 64, true) : b_i64(e, (uint64_t)t_constant);
    }
}

static void from_widened(struct emit *e, struct address *a, const struct ptx_operand *o, unsigned bytes)
{
    struct shape x = v_shape(e, o);
    LLVMValueRef offset, wide, t = NULL;
    struct affine n = v_narrow(e, o, &offset);

    if (n.t)
        t = LLVMBuildMul(B(e), b_resize(e, n.t, 64, true), b_i64(e, (uint64_t)x.c), "");
    as_row_or_groups(e, a, x.s * x.c, x.t * x.c, t, bytes);
    wide = LLVMBuildMul(B(e), b_resize(e, n.base, 64, !x.zero_extended), b_i64(e, (uint64_t)x.c), "");
    a->base = pointer(e, LLVMBuildAdd(B(e), wide, offset, ""), o->offset, a->space);
    if (a->kind == ADDRESS_SCATTERED)
        return;
    note_ends(e, a, a->base, (struct affine){ .s = x.s * x.c, .t_constant = x.t * x.c, .t = t });
    a->exact = v_exact(e, x, n);
}

struct address address_make(struct emit *e, const struct ptx_operand *o, enum ptx_space space, unsigned bytes)
{
    struct address a = { .kind = ADDRESS_SCATTERED, .operand = o, .space = space };
    struct shape x = v_shape(e, o);
    unsigned width = width_of(e, o, space);
    int64_t offset = o->kind == PTX_OP_IMM ? 0 : o->offset;

    if (x.kind == SHAPE_UNIFORM) {
        a.kind = ADDRESS_ONE;
        a.base = pointer(e, v_scalar(e, o, width), offset, space);
        note_ends(e, &a, a.base, (struct affine){ .s = 0 });
    } else if (x.kind == SHAPE_AFFINE) {
        struct affine n = v_affine(e, o, width);
        n.s = width == 32 ? (int32_t)x.s : x.s;
        n.t_constant = width == 32 ? (int32_t)x.t : x.t;
        n.t = n.t ? b_resize(e, n.t, 64, true) : NULL;
        as_row_or_groups(e, &a, n.s, n.t_constant, n.t, bytes);
        a.base = pointer(e, n.base, offset, space);
        note_ends(e, &a, a.base, n);
    } else if (x.kind == SHAPE_WIDENED && space != PTX_SHARED) {
        from_widened(e, &a, o, bytes);
    }
    return a;
}

bool address_is_row(struct emit *e, const struct ptx_operand *o, enum ptx_space space, unsigned bytes)
{
    struct shape x = v_shape(e, o);
    int64_t g = e->plan->group, s = x.s, t = x.t;

    if (x.kind == SHAPE_WIDENED && space != PTX_SHARED) {
        s *= x.c;
        t *= x.c;
    } else if (x.kind != SHAPE_AFFINE) {
        return false;
    } else if (width_of(e, o, space) == 32) {
        s = (int32_t)s;
        t = (int32_t)t;
    }
    return s == bytes && (g == SC_LANES || (!x.t_dynamic && t == s * g));
}

LLVMValueRef address_lanes(struct emit *e, const struct address *a, int64_t delta)
{
    const struct ptx_operand *o = a->operand;
    unsigned width = width_of(e, o, a->space);
    LLVMValueRef index = v_vector(e, o, width), window = v_window(e, a->space);
    int64_t offset = delta + (o->kind == PTX_OP_IMM ? 0 : o->offset);

    if (!window)
        index = b_resize(e, index, width = 64, false);
    if (offset)
        index = LLVMBuildAdd(B(e), index, arith_const(&e->v, width, (uint64_t)offset), "");
    /* A 32-bit index from one scalar base is what x86's gathers want. */
    return window ? b_gep(e, window, index) : LLVMBuildIntToPtr(B(e), index, LLVMVectorType(b_ptr(e), SC_LANES), "");
}
