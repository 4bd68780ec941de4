/* memory.c - ld and st: one access, a row of 32, groups of rows, or 32 places.
 *
 * A row of .v2 or .v4 elements is one wide access and a shuffle. An address that is a row only if its index did not wrap around
 * (address.exact) gets both codes and a branch. */
#include <stddef.h>

#include "softcuda/jit/address.h"
#include "softcuda/jit/scatter.h"

#define B(e) ((e)->v.builder)
#define MAX_VECTOR 8
#define MOST_TURNS 32       /* loops over the lanes in one function */

struct access {
    struct address where;
    unsigned n;                         /* elements a lane: .v4 */
    unsigned bits;                      /* of each */
    bool is_signed;
    LLVMValueRef value[MAX_VECTOR];     /* loaded, or to be stored: vectors of 32 lanes, or scalars where one place is read */
};

static unsigned element_bytes(const struct access *a)
{
    return a->bits / 8;
}

static LLVMTypeRef row_type(struct emit *e, const struct access *a, unsigned lanes)
{
    return LLVMVectorType(b_int(e, a->bits), lanes);
}

static void align(LLVMValueRef access, const struct access *a)
{
    LLVMSetAlignment(access, element_bytes(a) > 8 ? 8 : element_bytes(a));
}

/* ---- shuffles between rows of structures and vectors of lanes */

static LLVMValueRef shuffle(struct emit *e, LLVMValueRef x, LLVMValueRef y, const unsigned *index, unsigned n)
{
    LLVMValueRef k[SC_LANES * MAX_VECTOR];

    for (unsigned i = 0; i < n; i++)
        k[i] = b_i32(e, index[i]);
    return LLVMBuildShuffleVector(B(e), x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(k, n), "");
}

/* Every lane's bit n times: the mask of a row of structures. */
static LLVMValueRef repeat_mask(struct emit *e, LLVMValueRef mask, unsigned lanes, unsigned n)
{
    unsigned index[SC_LANES * MAX_VECTOR];

    for (unsigned i = 0; i < lanes * n; i++)
        index[i] = i / n;
    return n == 1 ? mask : shuffle(e, mask, NULL, index, lanes * n);
}

static LLVMValueRef take_element(struct emit *e, LLVMValueRef row, unsigned lanes, unsigned n, unsigned which)
{
    unsigned index[SC_LANES];

    for (unsigned l = 0; l < lanes; l++)
        index[l] = l * n + which;
    return n == 1 ? row : shuffle(e, row, NULL, index, lanes);
}

static LLVMValueRef join(struct emit *e, LLVMValueRef low, LLVMValueRef high)
{
    unsigned index[SC_LANES * MAX_VECTOR], n = LLVMGetVectorSize(LLVMTypeOf(low));

    for (unsigned i = 0; i < 2 * n; i++)
        index[i] = i;
    return shuffle(e, low, high, index, 2 * n);
}

/* n vectors of lanes to one row of structures, lane by lane. */
static LLVMValueRef interleave(struct emit *e, LLVMValueRef *parts, unsigned lanes, unsigned n)
{
    unsigned index[SC_LANES * MAX_VECTOR];
    LLVMValueRef all[MAX_VECTOR] = { parts[0] };

    for (unsigned i = 0; i < n; i++)
        all[i] = parts[i];
    for (unsigned m = n; m > 1; m /= 2)
        for (unsigned i = 0; i < m / 2; i++)
            all[i] = join(e, all[2 * i], all[2 * i + 1]);
    for (unsigned i = 0; i < lanes * n; i++)
        index[i] = i % n * lanes + i / n;
    return n == 1 ? all[0] : shuffle(e, all[0], NULL, index, lanes * n);
}

static LLVMValueRef slice(struct emit *e, LLVMValueRef x, unsigned first, unsigned lanes)
{
    unsigned index[SC_LANES];

    for (unsigned l = 0; l < lanes; l++)
        index[l] = first + l;
    return lanes == SC_LANES ? x : shuffle(e, x, NULL, index, lanes);
}

/* ---- masked rows */

static LLVMValueRef load_row(struct emit *e, const struct access *a, LLVMValueRef ptr, LLVMValueRef mask, unsigned lanes)
{
    LLVMTypeRef types[] = { row_type(e, a, lanes * a->n), b_ptr(e) };
    LLVMValueRef args[] = { ptr, b_i32(e, element_bytes(a)), repeat_mask(e, mask, lanes, a->n), LLVMConstNull(types[0]) };

    return b_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
}

static void store_row(struct emit *e, const struct access *a, LLVMValueRef row, LLVMValueRef ptr, LLVMValueRef mask, unsigned lanes)
{
    LLVMTypeRef types[] = { row_type(e, a, lanes * a->n), b_ptr(e) };
    LLVMValueRef args[] = { row, ptr, b_i32(e, element_bytes(a)), repeat_mask(e, mask, lanes, a->n) };

    b_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
}

static LLVMValueRef group_ptr(struct emit *e, const struct access *a, unsigned g)
{
    return b_gep(e, a->where.base, LLVMBuildMul(B(e), a->where.t, b_i64(e, g), ""));
}

static LLVMValueRef load_one(struct emit *e, const struct access *a, LLVMValueRef ptr, unsigned i)
{
    LLVMValueRef x = b_load(e, b_int(e, a->bits), b_gep(e, ptr, b_i64(e, (uint64_t)i * element_bytes(a))));

    align(x, a);
    return x;
}

/* ---- loads, by kind of address */

static void load_as_row(struct emit *e, struct access *a)
{
    LLVMValueRef row = load_row(e, a, a->where.base, e->mask, SC_LANES);

    for (unsigned i = 0; i < a->n; i++)
        a->value[i] = take_element(e, row, SC_LANES, a->n, i);
}

static LLVMValueRef splat_group(struct emit *e, LLVMValueRef scalar, unsigned lanes)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(B(e), LLVMGetPoison(type), scalar, b_i32(e, 0), "");

    return LLVMBuildShuffleVector(B(e), one, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(b_int(e, 32), lanes)), "");
}

/* One place a group. All its lanes may be off: then the place may be anywhere, and is not touched. */
static void load_group_place(struct emit *e, const struct access *a, unsigned g, LLVMValueRef *out)
{
    unsigned lanes = e->plan->group;
    LLVMValueRef mask = slice(e, e->mask, g * lanes, lanes), ptr = group_ptr(e, a, g), any;

    if (LLVMIsConstant(e->mask)) {
        for (unsigned i = 0; i < a->n; i++)
            out[i] = splat_group(e, load_one(e, a, ptr, i), lanes);
        return;
    }
    /* Where no lane is on, read the warp's own structure instead: without a branch the groups' loads stay together. */
    any = LLVMBuildICmp(B(e), LLVMIntNE, LLVMBuildBitCast(B(e), mask, b_int(e, lanes), ""), LLVMConstNull(b_int(e, lanes)), "");
    ptr = LLVMBuildSelect(B(e), any, ptr, e->warp, "");
    for (unsigned i = 0; i < a->n; i++)
        out[i] = splat_group(e, load_one(e, a, ptr, i), lanes);
}

static void load_as_groups(struct emit *e, struct access *a)
{
    unsigned lanes = e->plan->group, groups = SC_LANES / lanes;
    LLVMValueRef part[SC_LANES / 4][MAX_VECTOR];

    for (unsigned g = 0; g < groups; g++) {
        LLVMValueRef row;
        if (!a->where.stride) {
            load_group_place(e, a, g, part[g]);
            continue;
        }
        row = load_row(e, a, group_ptr(e, a, g), slice(e, e->mask, g * lanes, lanes), lanes);
        for (unsigned i = 0; i < a->n; i++)
            part[g][i] = take_element(e, row, lanes, a->n, i);
    }
    for (unsigned i = 0; i < a->n; i++) {
        for (unsigned m = groups; m > 1; m /= 2)
            for (unsigned g = 0; g < m / 2; g++)
                part[g][i] = join(e, part[2 * g][i], part[2 * g + 1][i]);
        a->value[i] = part[0][i];
    }
}

static void load_scattered(struct emit *e, struct access *a)
{
    for (unsigned i = 0; i < a->n; i++)
        a->value[i] = scatter_load(e, address_lanes(e, &a->where, (int64_t)i * element_bytes(a)), a->bits);
}

static void check(struct emit *e, const struct access *a, bool scattered)
{
    address_check(e, &a->where, a->n * element_bytes(a), scattered);
}

/* An address goes as a row if it is one, and both its ends may be touched. */
static void branch_row(struct emit *e, const struct access *a, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow)
{
    LLVMValueRef bad = address_bad(e, &a->where, a->n * element_bytes(a)), good = bad ? LLVMBuildNot(B(e), bad, "") : NULL;

    if (a->where.exact)
        good = good ? LLVMBuildAnd(B(e), a->where.exact, good, "") : a->where.exact;
    good ? b_branch(e, good, fast, slow) : b_jump(e, fast);
}

/* In the first code of a stretch. */
static void expect_row(struct emit *e, const struct access *a)
{
    LLVMBasicBlockRef row = b_block(e, "row");

    branch_row(e, a, row, e->otherwise);
    b_at(e, row);
}

static void load_shaped(struct emit *e, struct access *a)
{
    switch (a->where.kind) {
    case ADDRESS_ROW: load_as_row(e, a); break;
    case ADDRESS_GROUPS: load_as_groups(e, a); break;
    default: load_scattered(e, a);
    }
}

/* The runtime looks at each lane, and does it: for what is no row after all, or leaves the device's memory. It hardly ever comes to that, so the
 * code should be short. The bounds of shared memory need no look (bounds.c). */
static bool go_lane_by_lane(struct emit *e, const struct access *a, bool write, LLVMValueRef values)
{
    LLVMValueRef args[8] = { e->warp };
    bool shared = a->where.space == PTX_SHARED;

    if (address_has_own_range(a->where.space))
        return false;
    if (shared)
        check(e, a, true);
    args[1] = b_spill(e, LLVMBuildPtrToInt(B(e), address_lanes(e, &a->where, 0), LLVMVectorType(b_int(e, 64), SC_LANES), ""));
    args[2] = values;
    args[3] = b_i32(e, element_bytes(a));
    args[4] = b_i32(e, a->n);
    args[5] = b_bits(e, e->mask);
    args[6] = b_i32(e, e->in->loc_file);
    args[7] = b_i32(e, e->in->loc_line);
    if (shared)
        b_call(e, write ? "sc_rt_scatter_lanes" : "sc_rt_gather_lanes", 0, args + 1, 5);
    else
        b_call(e, write ? "sc_rt_write_lanes" : "sc_rt_read_lanes", 0, args, 8);
    return true;
}

/* Where values[i] of all lanes lies. */
static LLVMValueRef nth(struct emit *e, const struct access *a, LLVMValueRef values, unsigned i)
{
    return b_gep(e, values, b_i64(e, (uint64_t)i * SC_LANES * element_bytes(a)));
}

static void load_wrapped(struct emit *e, struct access *a)
{
    LLVMValueRef values = b_scratch(e, (uint64_t)a->n * SC_LANES * element_bytes(a));

    if (!go_lane_by_lane(e, a, false, values)) {
        check(e, a, true);
        load_scattered(e, a);
        return;
    }
    for (unsigned i = 0; i < a->n; i++)
        a->value[i] = b_load(e, row_type(e, a, SC_LANES), nth(e, a, values, i));
}

/* Scattered places that the machine cannot gather take a loop for each element. LLVM's register allocator takes its time over hundreds of loops: what
 * comes after so many goes through the runtime, which is somewhat slower. */
static bool is_for_the_runtime(struct emit *e, const struct access *a)
{
    if (a->where.kind != ADDRESS_SCATTERED || address_has_own_range(a->where.space) || !scatter_takes_turns(e, a->bits))
        return false;
    e->turns += a->n;
    return e->turns > MOST_TURNS;
}

static void load_either_way(struct emit *e, struct access *a)
{
    LLVMBasicBlockRef fast = b_block(e, "row"), slow = b_block(e, "wrapped"), end = b_block(e, "loaded"), from[2];
    LLVMValueRef value[2][MAX_VECTOR];

    branch_row(e, a, fast, slow);
    b_at(e, fast);
    load_shaped(e, a);
    for (unsigned i = 0; i < a->n; i++)
        value[0][i] = a->value[i];
    from[0] = LLVMGetInsertBlock(B(e));
    b_jump(e, end);
    b_at(e, slow);
    load_wrapped(e, a);
    for (unsigned i = 0; i < a->n; i++)
        value[1][i] = a->value[i];
    from[1] = LLVMGetInsertBlock(B(e));
    b_jump(e, end);
    b_at(e, end);
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef in[] = { value[0][i], value[1][i] };
        a->value[i] = LLVMBuildPhi(B(e), LLVMTypeOf(in[0]), "");
        LLVMAddIncoming(a->value[i], in, from, 2);
    }
}

/* One place for all lanes. Under a varying guard perhaps no lane wants it, and then it must not be touched. */
static void load_place(struct emit *e, struct access *a)
{
    LLVMValueRef ptr = a->where.base;

    check(e, a, false);
    if (e->guarded_insn)
        ptr = LLVMBuildSelect(B(e), b_any(e, e->mask), ptr, e->warp, "");
    for (unsigned i = 0; i < a->n; i++)
        a->value[i] = load_one(e, a, ptr, i);
}

/* ---- volatile and the like: one atomic access a lane, in the order of the lanes */

static LLVMAtomicOrdering ordering(const struct ptx_insn *in)
{
    if (ptx_has(in, PTX_M_acquire))
        return LLVMAtomicOrderingAcquire;
    if (ptx_has(in, PTX_M_release))
        return LLVMAtomicOrderingRelease;
    return LLVMAtomicOrderingMonotonic;
}

static void make_strong(struct emit *e, LLVMValueRef access, const struct access *a)
{
    LLVMSetVolatile(access, true);
    LLVMSetAlignment(access, element_bytes(a));
    if (a->bits <= 64)
        LLVMSetOrdering(access, ordering(e->in));
}

static void load_strong(struct emit *e, struct access *a)
{
    struct lane_loop loop;
    LLVMValueRef at[MAX_VECTOR], memory[MAX_VECTOR];

    for (unsigned i = 0; i < a->n; i++) {
        at[i] = b_spill(e, LLVMBuildPtrToInt(B(e), address_lanes(e, &a->where, (int64_t)i * element_bytes(a)),
                                             LLVMVectorType(b_int(e, 64), SC_LANES), ""));
        memory[i] = b_spill_room(e, a->bits);
    }
    check(e, a, true);
    b_lanes_begin(e, e->mask, &loop);
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef x = b_load(e, b_int(e, a->bits), LLVMBuildIntToPtr(B(e), b_pick(e, at[i], 64, loop.lane), b_ptr(e), ""));
        make_strong(e, x, a);
        b_put(e, memory[i], a->bits, loop.lane, x);
    }
    b_lanes_end(e, &loop);
    for (unsigned i = 0; i < a->n; i++)
        a->value[i] = b_load(e, row_type(e, a, SC_LANES), memory[i]);
}

static void store_strong(struct emit *e, struct access *a)
{
    struct lane_loop loop;
    LLVMValueRef at[MAX_VECTOR], memory[MAX_VECTOR];

    for (unsigned i = 0; i < a->n; i++) {
        at[i] = b_spill(e, LLVMBuildPtrToInt(B(e), address_lanes(e, &a->where, (int64_t)i * element_bytes(a)),
                                             LLVMVectorType(b_int(e, 64), SC_LANES), ""));
        memory[i] = b_spill(e, a->value[i]);
    }
    check(e, a, true);
    b_lanes_begin(e, e->mask, &loop);
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef ptr = LLVMBuildIntToPtr(B(e), b_pick(e, at[i], 64, loop.lane), b_ptr(e), "");
        make_strong(e, LLVMBuildStore(B(e), b_pick(e, memory[i], a->bits, loop.lane), ptr), a);
    }
    b_lanes_end(e, &loop);
}

static void load_strong_place(struct emit *e, struct access *a)
{
    load_place(e, a);
    for (unsigned i = 0; i < a->n; i++)
        make_strong(e, a->value[i], a);
}

/* ---- stores, by kind of address */

static void store_as_row(struct emit *e, struct access *a)
{
    store_row(e, a, interleave(e, a->value, SC_LANES, a->n), a->where.base, e->mask, SC_LANES);
}

static void store_as_groups(struct emit *e, struct access *a)
{
    unsigned lanes = e->plan->group;

    for (unsigned g = 0; g < SC_LANES / lanes; g++) {
        LLVMValueRef part[MAX_VECTOR];
        for (unsigned i = 0; i < a->n; i++)
            part[i] = slice(e, a->value[i], g * lanes, lanes);
        store_row(e, a, interleave(e, part, lanes, a->n), group_ptr(e, a, g), slice(e, e->mask, g * lanes, lanes), lanes);
    }
}

static void store_scattered(struct emit *e, struct access *a)
{
    for (unsigned i = 0; i < a->n; i++)
        scatter_store(e, a->value[i], address_lanes(e, &a->where, (int64_t)i * element_bytes(a)), a->bits);
}

/* All lanes write one place; the highest one's value stays. */
static void store_place(struct emit *e, struct access *a)
{
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef bits = b_bits(e, e->mask), args[] = { bits, LLVMConstInt(b_int(e, 1), 1, false) }, last;
    LLVMBasicBlockRef end = b_if(e, LLVMBuildICmp(B(e), LLVMIntNE, bits, b_i32(e, 0), ""));

    check(e, a, false);
    last = LLVMBuildSub(B(e), b_i32(e, SC_LANES - 1), b_intrinsic(e, "llvm.ctlz", &i32, 1, args, 2), "");
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef ptr = b_gep(e, a->where.base, b_i64(e, (uint64_t)i * element_bytes(a))), store;
        store = LLVMBuildStore(B(e), LLVMBuildExtractElement(B(e), a->value[i], last, ""), ptr);
        align(store, a);
        if (insn_is_strong(e->in))
            make_strong(e, store, a);
    }
    b_end(e, end);
}

static void store_shaped(struct emit *e, struct access *a)
{
    if (a->where.kind == ADDRESS_ROW)
        store_as_row(e, a);
    else if (a->where.kind == ADDRESS_GROUPS && a->where.stride)
        store_as_groups(e, a);
    else
        store_scattered(e, a);
}

static void store_wrapped(struct emit *e, struct access *a)
{
    LLVMValueRef values = b_scratch(e, (uint64_t)a->n * SC_LANES * element_bytes(a));

    for (unsigned i = 0; i < a->n; i++)
        LLVMBuildStore(B(e), a->value[i], nth(e, a, values, i));
    if (go_lane_by_lane(e, a, true, values))
        return;
    check(e, a, true);
    store_scattered(e, a);
}

static void store_either_way(struct emit *e, struct access *a)
{
    LLVMBasicBlockRef fast = b_block(e, "row"), slow = b_block(e, "wrapped"), end = b_block(e, "stored");

    branch_row(e, a, fast, slow);
    b_at(e, fast);
    store_shaped(e, a);
    b_jump(e, end);
    b_at(e, slow);
    store_wrapped(e, a);
    b_end(e, end);
}

/* ---- instructions */

static const struct ptx_operand *element(const struct ptx_operand *o, unsigned i)
{
    return o->kind == PTX_OP_VECTOR ? &o->elems[i] : o;
}

static struct access access_of(struct emit *e, const struct ptx_operand *at)
{
    const struct ptx_insn *in = e->in;
    enum ptx_type type = in->types[in->ntypes - 1];
    struct access a = { .n = in->vec ? in->vec : 1, .bits = ptx_type_bits(type), .is_signed = ptx_type_is_signed(type) };

    a.where = address_make(e, at, in->space, a.n * a.bits / 8);
    return a;
}

/* Shared memory belongs to one OS thread: its volatile accesses need no more than their place in the program. */
static bool is_strong(const struct ptx_insn *in)
{
    return insn_is_strong(in) && in->space != PTX_SHARED && in->space != PTX_LOCAL;
}

static void emit_load(struct emit *e)
{
    struct access a = access_of(e, &e->in->ops[1]);
    bool strong = is_strong(e->in);

    address_look_ahead(e, &a.where, a.n * element_bytes(&a));
    if (e->otherwise) {
        expect_row(e, &a);
        load_as_row(e, &a);
    } else if (a.where.kind == ADDRESS_ONE) {
        strong ? load_strong_place(e, &a) : load_place(e, &a);
    } else if (strong) {
        load_strong(e, &a);
    } else if (a.where.exact) {
        load_either_way(e, &a);
    } else if (is_for_the_runtime(e, &a)) {
        load_wrapped(e, &a);
    } else {
        check(e, &a, false);
        load_shaped(e, &a);
    }
    for (unsigned i = 0; i < a.n; i++)
        v_set_signed(e, element(&e->in->ops[0], i), a.value[i], a.is_signed);
}

static void emit_store(struct emit *e)
{
    struct access a = access_of(e, &e->in->ops[0]);

    for (unsigned i = 0; i < a.n; i++)
        a.value[i] = v_vector(e, element(&e->in->ops[1], i), a.bits);
    if (e->otherwise) {
        expect_row(e, &a);
        store_as_row(e, &a);
    } else if (a.where.kind == ADDRESS_ONE) {
        store_place(e, &a);
    } else if (is_strong(e->in)) {
        store_strong(e, &a);
    } else if (a.where.exact) {
        store_either_way(e, &a);
    } else if (is_for_the_runtime(e, &a)) {
        store_wrapped(e, &a);
    } else {
        check(e, &a, false);
        store_shaped(e, &a);
    }
}

/* cp.async dst, src, size{, src-size}: the copy is made at once. */
static void emit_copy(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    int64_t bytes;
    struct access a = { .bits = 32 };

    if (!ptx_has(in, PTX_M_async) || in->nops < 3 || !insn_constant(&in->ops[2], &bytes))
        return;     /* commit_group, wait_group, wait_all: nothing is under way */
    a.n = (unsigned)bytes / 4;
    a.where = address_make(e, &in->ops[1], PTX_GENERIC, (unsigned)bytes);
    if (a.where.kind == ADDRESS_ONE) {
        load_place(e, &a);
        for (unsigned i = 0; i < a.n; i++)
            a.value[i] = b_splat(e, a.value[i]);
    } else if (a.where.exact) {
        load_either_way(e, &a);
    } else if (is_for_the_runtime(e, &a)) {
        load_wrapped(e, &a);
    } else {
        check(e, &a, false);
        load_shaped(e, &a);
    }
    if (in->nops > 3 && !in->ops[3].is_float) {     /* bytes past src-size are zero */
        LLVMValueRef size = v_vector(e, &in->ops[3], 32);
        for (unsigned i = 0; i < a.n; i++) {
            LLVMValueRef on = LLVMBuildICmp(B(e), LLVMIntUGT, size, arith_const(&e->v, 32, 4 * i), "");
            a.value[i] = LLVMBuildSelect(B(e), on, a.value[i], arith_const(&e->v, 32, 0), "");
        }
    }
    a.where = address_make(e, &in->ops[0], PTX_SHARED, (unsigned)bytes);
    if (a.where.kind == ADDRESS_ONE) {
        store_place(e, &a);
    } else if (is_for_the_runtime(e, &a)) {
        store_wrapped(e, &a);
    } else {
        check(e, &a, false);
        store_shaped(e, &a);
    }
}

void emit_memory(struct emit *e)
{
    switch (e->in->op) {
    case PTX_I_ld: case PTX_I_ldu: emit_load(e); break;
    case PTX_I_st: emit_store(e); break;
    case PTX_I_cp: emit_copy(e); break;
    default: break;     /* prefetch and other hints */
    }
}
