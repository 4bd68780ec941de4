/* region.c - what need not be looked at where nobody waits for a block.
 *
 * If control comes to a guarded block for which no lane waits, none waits for what can be reached through it only: all of that is passed at
 * once. Besides time that saves LLVM many values: what the block computes is there in all blocks of its region, whichever of those are
 * passed over. */
#include "softcuda/jit/plan.h"

static bool entered_from_outside(const struct cfg_block *block, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < block->npred; i++)
        if (block->pred[i] < first || block->pred[i] >= end)
            return true;
    return false;
}

/* Lanes that go back in front of the region may leave others behind in it. */
static bool leads_in_front(const struct cfg_block *block, uint32_t first)
{
    for (uint32_t i = 0; i < block->nsucc; i++)
        if (block->succ[i] < first)
            return true;
    return false;
}

/* The largest end so that [first, end) is entered at first only and never left to what lies in front of it. */
static uint32_t end_of_region(const struct plan *p, uint32_t first, uint32_t end)
{
    const struct cfg_block *blocks = p->cfg->blocks;
    bool again = !leads_in_front(&blocks[first], first);

    if (!again)
        return first + 1;
    while (again) {
        again = false;
        for (uint32_t b = first + 1; b < end; b++)
            if (entered_from_outside(&blocks[b], first, end) || leads_in_front(&blocks[b], first)) {
                end = b;
                again = true;
            }
    }
    return end;
}

bool plan_find_regions(struct plan *p)
{
    p->region_end = gpudl__arena_alloc(&p->arena, (p->cfg->nblocks + 1) * sizeof(*p->region_end));
    if (!p->region_end)
        return false;
    for (uint32_t b = 0; b < p->cfg->nblocks; b++) {
        p->region_end[b] = b + 1;
        if (p->run_of[b] >= 0 && !p->runs[p->run_of[b]].parks)
            p->region_end[b] = end_of_region(p, b, p->runs[p->run_of[b]].end);
    }
    return true;
}
