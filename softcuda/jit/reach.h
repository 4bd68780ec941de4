/* reach.h - what a kernel can reach: functions, and through them shared and local memory. */
#ifndef SOFTCUDA_JIT_REACH_H
#define SOFTCUDA_JIT_REACH_H

#include "softcuda/jit/jit.h"
#include "src/util/arena.h"

struct reach {
    bool *functions;            /* by index: can be called */
    int64_t *shared_offset;     /* of module variables in the shared window, -1: not used here */
    int64_t **func_shared;      /* by function: of its own variables */
    uint32_t static_shared;     /* bytes, a multiple of 16: dynamic shared memory begins there */
    uint32_t shared_used;       /* bytes */
    bool recursive, calls_exit, has_pointers;
    struct arena arena;
};

/* 0, or -1 without memory. */
int  reach_find(const struct ptx_module *, const struct ptx_func *kernel, struct reach *);
void reach_release(struct reach *);
/* Bytes of local memory a lane on the deepest call path. */
uint32_t reach_local_bytes(const struct ptx_module *, const struct ptx_func *, const struct reach *, unsigned depth);

#endif
