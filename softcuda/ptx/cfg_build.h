/* cfg_build.h - what the three steps of cfg_build() share: blocks (cfg.c), their order (cfg_order.c), post-dominators
 * (cfg_pdom.c). */
#ifndef SOFTCUDA_PTX_CFG_BUILD_H
#define SOFTCUDA_PTX_CFG_BUILD_H

#include "softcuda/ptx/vec.h"
#include "softcuda/ptx/cfg.h"

#define CFG_NONE UINT32_MAX

/* The order of the blocks reachable from block 0: order[i] is the number of the i-th one; *n of them. Appends to loops, whose
 * blocks are positions in the order, and sets the loop of every block. False when memory runs out. */
bool cfg_order(struct cfg_block *blocks, uint32_t nblocks, uint32_t *order, uint32_t *n, struct ptx_vec *loops);

bool cfg_post_dominators(struct cfg *);     /* fills in ipdom; false when memory runs out */

#endif
