/* interp.h - PTX kernels run one thread at a time: what machine code for warps is compared with.
 *
 * It shares the parser's tree with the JIT and nothing else: no graph, no shapes, no masks. A thread runs until it ends or waits at a barrier or for
 * lanes of its warp; a block's threads take turns. Integers, f32 and f64 are exact, but a NaN is only ever the canonical one.
 *
 * It knows what a program must not do, and stops there: an access outside the regions, a misaligned one, a branch or an address that depends on an
 * undefined value, a shuffle among lanes that are not converged, a deadlock. An undefined value that is only stored is remembered as such. */
#ifndef TESTS_INTERP_INTERP_H
#define TESTS_INTERP_INTERP_H

#include "softcuda/ptx/ptx.h"

struct interp_region {
    uint8_t *base;      /* 16-aligned; also the address that the kernel sees */
    uint64_t size;
    uint8_t *any;       /* size bytes, or NULL: 1 where the byte's value is undefined. Written by stores. */
};

struct interp_launch {
    uint32_t nctaid[3], ntid[3];
    const uint8_t *params;
    const struct interp_region *regions;
    uint32_t nregions;
    uint32_t dynamic_shared;
    uint64_t max_steps;         /* instructions of all threads */
    bool backwards;             /* threads and blocks take turns in the other order: a program without races does not notice */
};

/* 0; or -1 with what went wrong in why. */
int interp_run(const struct ptx_module *, const struct ptx_func *kernel, const struct interp_launch *, char why[256]);

#endif
