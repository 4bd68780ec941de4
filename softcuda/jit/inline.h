/* inline.h - functions that hold barriers become part of their callers.
 *
 * A call runs for the lanes of a mask and cannot be left half done, but a barrier in it may have to wait for lanes of the same warp that call the
 * function elsewhere, or later. In one function the masks of control flow take care of that (flow.c). */
#ifndef SOFTCUDA_JIT_INLINE_H
#define SOFTCUDA_JIT_INLINE_H

#include "softcuda/ptx/ptx.h"
#include "src/util/arena.h"

/* A module whose functions have the same indices, variables of the old one first, and in which every direct call of a function with a barrier
 * (its own or in what it calls) is replaced by its body; recursive ones are left as they are. The old module if there is nothing to do; NULL
 * without memory. Lives in the arena and lends from the old module. */
const struct ptx_module *inline_barriers(const struct ptx_module *, struct arena *);

#endif
