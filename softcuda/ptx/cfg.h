/* cfg.h - the control flow graph of one function, in the order in which the JIT lays it out.
 *
 * Blocks are numbered in layout order: reverse post-order with the blocks of every loop contiguous, so block 0 is the entry
 * and an edge to a block with a number not above its own is a back edge. Works on irreducible graphs (then "loop" means a
 * strongly connected component, taken apart recursively). Unreachable code is left out. */
#ifndef SOFTCUDA_PTX_CFG_H
#define SOFTCUDA_PTX_CFG_H

#include "softcuda/ptx/ptx.h"

#define CFG_EXIT UINT32_MAX

struct cfg_block {
    uint32_t first, end;        /* instructions [first, end) of the function; never empty but for an artificial exit */
    uint32_t *succ;             /* block numbers; for a guarded bra: succ[0] taken, succ[1] fall through (maybe the same);
                                 * for brx: each once, the targets, then the fall through if guarded */
    uint32_t nsucc;             /* 0: the block ends in ret, exit or trap without a guard, or falls off the end */
    uint32_t *pred;             /* each once, in rising order */
    uint32_t npred;
    uint32_t ipdom;             /* immediate post-dominator, CFG_EXIT for none but the exit; lanes that a guarded ret, exit or
                                 * trap ends do not count, and a loop without an end is taken to leave at its last block */
    int32_t  loop;              /* innermost loop, -1: none */
};

struct cfg_loop {
    uint32_t first, end;        /* blocks [first, end), contiguous */
    int32_t  parent;            /* -1: none */
    uint32_t depth;             /* 1 for an outermost loop */
};

struct cfg {
    struct cfg_block *blocks;
    uint32_t nblocks;
    struct cfg_loop *loops;     /* outer ones before the ones inside them */
    uint32_t nloops;
    void *arena;
};

/* A block ends after: bra, brx, ret, exit, trap (a guarded ret/exit/trap falls through to the next), before every label that is
 * branched to, and BEFORE and after every wait point that cfg_is_wait() names, so that a wait point is a block of its own.
 * Returns NULL when memory runs out. */
struct cfg *cfg_build(const struct ptx_func *);
void cfg_destroy(struct cfg *);     /* accepts NULL */

/* Where lanes may have to wait for each other: bar, barrier, call, and all that is .sync (bar.warp, shfl, vote, match, redux,
 * elect, mma ...). membar and fence are none. */
bool cfg_is_wait(const struct ptx_insn *);

#endif
