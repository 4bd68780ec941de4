/* ahead.c - asks for what a loop will read some rounds on.
 *
 * On a GPU a grid-stride loop walks memory in order, since all its threads take a step at a time. Here one warp takes all its steps and then
 * the next one does: each reads a row and leaps over those of all others, mostly farther than a page, where the CPU's own prefetching does not
 * follow. So each row that is read in a loop is told from the one before it, and the row as far ahead as some more such steps is asked for. A wrong
 * guess costs a line of the cache; prefetching never faults. */
#include "softcuda/jit/address.h"

#define B(e) ((e)->v.builder)
#define STEPS 6         /* more drive each other out of the cache: with a stride of a power of two, all lines are in a set or two */
#define LINE 64
#define MOST_LINES 2    /* rows of more than that are long enough for the CPU to see what comes */

static void ask_for(struct emit *e, LLVMValueRef at)
{
    LLVMTypeRef ptr = b_ptr(e);
    LLVMValueRef args[] = { LLVMBuildIntToPtr(B(e), at, ptr, ""), b_i32(e, 0), b_i32(e, 3), b_i32(e, 1) };

    b_intrinsic(e, "llvm.prefetch", &ptr, 1, args, 4);
}

void address_look_ahead(struct emit *e, const struct address *a, unsigned bytes)
{
    LLVMValueRef before, at, ahead;

    if (a->kind != ADDRESS_ROW || a->space == PTX_SHARED || a->space == PTX_LOCAL || a->space == PTX_PARAM ||
        e->plan->cfg->blocks[e->block].loop < 0 || bytes * SC_LANES > MOST_LINES * LINE)
        return;
    before = b_slot(e, b_i64(e, 0));
    at = LLVMBuildPtrToInt(B(e), a->base, b_int(e, 64), "");
    ahead = LLVMBuildMul(B(e), LLVMBuildSub(B(e), at, b_load(e, b_int(e, 64), before), ""), b_i64(e, STEPS), "");
    ahead = LLVMBuildAdd(B(e), at, ahead, "");
    LLVMBuildStore(B(e), at, before);
    for (unsigned line = 0; line * LINE < bytes * SC_LANES; line++)
        ask_for(e, LLVMBuildAdd(B(e), ahead, b_i64(e, (uint64_t)line * LINE), ""));
}
