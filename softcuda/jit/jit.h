/* jit.h - machine code for PTX kernels. All LLVM calls are in this folder.
 *
 * Code is made lazily, for one kernel and one block shape (so that %ntid folds), and kept until its unit goes. Thread-safe. */
#ifndef SOFTCUDA_JIT_JIT_H
#define SOFTCUDA_JIT_JIT_H

#include "softcuda/ptx/ptx.h"
#include "softcuda/run/warp.h"

struct jit_error {
    struct ptx_pos pos;         /* in the PTX text; line 0: none */
    char text[256];
};

struct jit_code {
    bool may_wait;                  /* may call sc_rt_barrier or sc_rt_yield: its warps must be fibers, and run is set; else run_blocks is */
    void (*run)(struct sc_warp *);  /* one warp; returns when all its lanes have exited */
    void (*run_blocks)(struct sc_warp *, uint32_t n);   /* all warps of n blocks, from ctaid[0] on; sets warp and ctaid[0] itself */
};

/* Facts of a kernel that need no machine code. */
struct jit_kernel_info {
    uint32_t static_shared_bytes;   /* of this kernel and everything it can call */
    uint32_t local_bytes;           /* a thread, of its deepest call path; recursion counts once */
    bool recursive;                 /* or calls through pointers: local memory has no static bound */
};

/* Everything in the module that this JIT cannot run, the first of it: 0, or -1 with *err ("line 12: wgmma.mma_async ... is not
 * supported by softcuda"). Call it when a module is loaded, so that nothing fails at launch. */
int jit_check(const struct ptx_module *, struct jit_error *err);
int jit_check_part(
    const struct ptx_module *, struct jit_error *err); /* of a module that is to be linked: functions may be missing */

struct jit_unit;    /* one module's machine code */
/* Keeps a pointer to module, which must outlive the unit. */
int  jit_unit_create(const struct ptx_module *, struct jit_unit **, struct jit_error *err);
void jit_unit_destroy(struct jit_unit *);   /* accepts NULL; nobody may be running its code */

/* The text that the module was parsed from: with it, code is kept on disk, and shared with other units of the same text. */
void jit_unit_set_text(struct jit_unit *, const void *text, size_t size);

int  jit_kernel_info(struct jit_unit *, const struct ptx_func *kernel, struct jit_kernel_info *);
/* The code for this block shape, fetched or made now if it is not there yet; lent by the unit. */
int  jit_compile(struct jit_unit *, const struct ptx_func *kernel, const uint32_t ntid[3], struct jit_code *, struct jit_error *err);
/* The value that device code sees as the address of a function (function pointers in initialisers). */
uint64_t jit_function_address(const struct jit_unit *, uint32_t func_index);

#endif
