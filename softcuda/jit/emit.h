/* emit.h - one function on its way from a plan to LLVM IR.
 *
 * Registers are allocas (of a scalar, of two, or of a vector, as their shapes say) that LLVM's mem2reg turns into values. Masks of
 * lanes are <32 x i1>. Values follow arith.h: integers of the type's width. */
#ifndef SOFTCUDA_JIT_EMIT_H
#define SOFTCUDA_JIT_EMIT_H

#include "softcuda/jit/arith_parts.h"
#include "softcuda/jit/plan.h"

/* Everything of one kernel and block shape: the functions that it can reach, in one LLVM module. */
struct emit_unit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    bool avx512;
    const char *cpu, *features;
    const struct ptx_module *ptx;
    const struct ptx_func *kernel;
    uint32_t ntid[3];
    LLVMValueRef *functions;        /* by index in ptx->funcs; NULL: not reachable */
    const int64_t *shared_offset;   /* of module-scope .shared variables, -1: not this kernel's */
    int64_t *const *func_shared;    /* by function: offsets of its own .shared variables */
    uint32_t first_constant;        /* variable in .const, UINT32_MAX: none; all of a module's variables lie in one range, in order */
    uint32_t static_shared;         /* where dynamic shared memory begins */
    struct arena arena;
    bool calls_exit;                /* a function that can be called contains exit: lanes may be gone after a call */
    bool may_wait;                  /* some code was made that can wait for another warp */
};

/* What device code sees as the address of function i is JIT_FUNCTION_BASE + 16 * i: nothing is mapped there. */
#define JIT_FUNCTION_BASE 0x5f0000000000ull

struct slot { LLVMValueRef value, t, narrow; };     /* allocas; t: a dynamic t; narrow: the 32-bit part of a widened value */

#define SCRATCH_AREAS 24
struct scratch { LLVMValueRef memory; uint64_t bytes; const struct ptx_insn *user; };    /* memory that belongs to one instruction at a time */

#define FRAGMENTS 64
struct fragment {
    LLVMValueRef memory;                    /* NULL: not made yet */
    unsigned words;
    const struct ptx_operand *registers;    /* that hold the same now; NULL: none */
    bool wide;                              /* of 64 bits */
    const struct ptx_insn *user;            /* last */
    uint64_t age;
};

struct emit {
    struct arith v, u;              /* vectors and scalars */
    struct emit_unit *unit;
    const struct plan *plan;
    const struct ptx_func *func;
    LLVMValueRef function, warp, args, ret;
    LLVMValueRef warp_index, ctaid_x;   /* i32 */
    LLVMBasicBlockRef entry;        /* holds the allocas */
    struct slot *regs;
    LLVMValueRef carry;
    LLVMValueRef *vars;             /* .param variables of the body: interleaved memory */
    LLVMValueRef frame;             /* i64: this function's local memory, NULL if it has none */
    LLVMValueRef live, exited;      /* allocas: lanes that still run; lanes that exited for good */
    LLVMValueRef mask0;             /* lanes that the function began with */
    LLVMValueRef *wait;             /* by block: alloca, lanes that wait for it; guarded blocks only */
    LLVMBasicBlockRef *blocks, *run_ends, done;
    LLVMValueRef budget, progress, force, released; /* allocas of runs that park; NULL if there is none */
    uint32_t *plan_target;          /* block of each instruction, for branch tables */
    struct scratch scratch[SCRATCH_AREAS];  /* memory NULL: not made yet */
    struct fragment fragments[FRAGMENTS];   /* fragment.c */
    uint64_t fragment_age;
    bool all_live;                  /* no lane is ever missing: masks of unguarded blocks are constant */
    uint32_t block;                 /* now */
    LLVMValueRef block_mask, mask;  /* lanes of this block; of this instruction */
    bool guarded_insn;              /* a varying guard narrows mask */
    const struct ptx_insn *in;
    LLVMBasicBlockRef otherwise;    /* where to go if this access is not a row, or would fault; NULL outside of the first code of a stretch */
    uint32_t built_twice;           /* instructions so far, stretch.c */
    uint32_t turns;                 /* loops over lanes so far, memory.c */
};

/* ---- build.c: small pieces of IR */
LLVMTypeRef  b_int(struct emit *, unsigned bits);           /* a scalar */
LLVMTypeRef  b_ptr(struct emit *);
LLVMValueRef b_i32(struct emit *, uint64_t);
LLVMValueRef b_i64(struct emit *, uint64_t);
LLVMTypeRef  b_mask_type(struct emit *);
LLVMValueRef b_full(struct emit *);                         /* all lanes */
LLVMValueRef b_no_lanes(struct emit *);
LLVMValueRef b_splat(struct emit *, LLVMValueRef scalar);
LLVMValueRef b_lanes(struct emit *, unsigned bits, int64_t s, int64_t t);   /* the constant s * (lane % G) + t * (lane / G) */
LLVMValueRef b_bits(struct emit *, LLVMValueRef mask);      /* mask as i32 */
LLVMValueRef b_mask(struct emit *, LLVMValueRef bits);      /* i32 as mask */
LLVMValueRef b_any(struct emit *, LLVMValueRef mask);       /* i1 */
LLVMValueRef b_alloca(struct emit *, LLVMTypeRef);          /* in the entry block, 64-aligned for vectors */
LLVMValueRef b_slot(struct emit *, LLVMValueRef first);     /* the same, holding a constant when the function begins; not before its blocks are built */
LLVMValueRef b_scratch(struct emit *, uint64_t bytes);      /* memory until the end of this instruction; 64-aligned */
LLVMValueRef b_load(struct emit *, LLVMTypeRef, LLVMValueRef ptr);
LLVMValueRef b_gep(struct emit *, LLVMValueRef ptr, LLVMValueRef bytes);
LLVMValueRef b_warp_field(struct emit *, size_t offset, unsigned bits, bool invariant);
LLVMValueRef b_warp_ptr(struct emit *, size_t offset, uint64_t readable);   /* bytes that may be read there at any time */
void         b_invariant(struct emit *, LLVMValueRef load);  /* what it reads does not change during the launch */
LLVMValueRef b_resize(struct emit *, LLVMValueRef, unsigned bits, bool is_signed);  /* scalar or vector */
LLVMBasicBlockRef b_block(struct emit *, const char *name);
void         b_at(struct emit *, LLVMBasicBlockRef);        /* go on building there */
void         b_jump(struct emit *, LLVMBasicBlockRef);
void         b_branch(struct emit *, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no);
LLVMBasicBlockRef b_if(struct emit *, LLVMValueRef condition);      /* builds in the new block; returns the one to end with b_end() */
LLVMBasicBlockRef b_if_rarely(struct emit *, LLVMValueRef condition);   /* the same where the condition hardly ever holds */
void         b_end(struct emit *, LLVMBasicBlockRef);
LLVMValueRef b_intrinsic(struct emit *, const char *name, LLVMTypeRef *types, unsigned ntypes, LLVMValueRef *args, unsigned nargs);
/* Calls a runtime function: ret 0 for void, else the bits of an integer; args give their own types. */
LLVMValueRef b_call(struct emit *, const char *name, unsigned ret_bits, LLVMValueRef *args, unsigned nargs);

struct lane_loop { LLVMBasicBlockRef head, body, end; LLVMValueRef bits, lane; };
void b_lanes_begin(struct emit *, LLVMValueRef mask, struct lane_loop *);   /* once for each lane of mask, upwards */
void b_lanes_end(struct emit *, struct lane_loop *);
LLVMValueRef b_spill(struct emit *, LLVMValueRef vector);                   /* to scratch memory, for b_pick and b_put */
LLVMValueRef b_spill_room(struct emit *, unsigned bits);                    /* the same for a vector that comes to be */
LLVMValueRef b_pick(struct emit *, LLVMValueRef memory, unsigned bits, LLVMValueRef lane);
void         b_put(struct emit *, LLVMValueRef memory, unsigned bits, LLVMValueRef lane, LLVMValueRef value);

/* ---- value.c: operands and registers */
struct affine { LLVMValueRef base, t; int64_t s, t_constant; };     /* base + s * i + (t ? t : t_constant) * g */

struct shape v_shape(struct emit *, const struct ptx_operand *);
LLVMValueRef v_scalar(struct emit *, const struct ptx_operand *, unsigned bits);        /* of a uniform operand */
LLVMValueRef v_vector(struct emit *, const struct ptx_operand *, unsigned bits);        /* of any operand */
LLVMValueRef v_predicate(struct emit *, const struct ptx_operand *);                    /* a mask */
struct affine v_affine(struct emit *, const struct ptx_operand *, unsigned bits);       /* of an affine one (a uniform one: s = t = 0) */
/* A widened one: offset, and the 32-bit affine value in it. */
struct affine v_narrow(struct emit *, const struct ptx_operand *, LLVMValueRef *offset);
/* i1: does a widened value equal its affine reading in all lanes? */
LLVMValueRef v_exact(struct emit *, struct shape, struct affine narrow);
/* Smallest and largest of s * i + t * g over the lanes, as i64. */
void v_extent(struct emit *, struct affine, LLVMValueRef *low, LLVMValueRef *high);
void v_set(struct emit *, const struct ptx_operand *, LLVMValueRef value);              /* a scalar or a vector, to a register or _ */
void v_set_signed(struct emit *, const struct ptx_operand *, LLVMValueRef value, bool is_signed);   /* extends to the register's width */
bool v_set_shaped(struct emit *, const struct ptx_insn *);  /* builds an instruction whose result is affine or widened; false: it is not */
unsigned v_reg_bits(const struct emit *, uint32_t reg);
void v_make_slots(struct emit *);

/* ---- window.c: what the addresses of a space count from */
LLVMValueRef v_window(struct emit *, enum ptx_space);                       /* ptr; NULL: these are generic ones */
LLVMValueRef v_cvta_distance(struct emit *, const struct ptx_insn *);       /* i64, what cvta adds; NULL: nothing */
LLVMValueRef v_address_of(struct emit *, const struct ptx_operand *);       /* i64, in the variable's own space; lane 0's of a local one */
void emit_param_copies(struct emit *);  /* for a function that takes the address of a parameter */

/* ---- one file each; all emit e->in under e->mask */
void emit_memory(struct emit *);        /* ld ldu st prefetch cp.async: memory.c */
void emit_local_access(struct emit *);  /* ld st of .local that stays inside: local.c */
void emit_param_access(struct emit *);  /* ld st of .param by name: param.c */
void emit_atomic(struct emit *);        /* atom red: atomic.c */
void emit_warp_op(struct emit *);       /* shfl vote match redux activemask elect: warpop.c */
void emit_barrier(struct emit *);       /* bar barrier: barrier.c */
void emit_call(struct emit *);          /* call.c */
void emit_arrive_all(struct emit *, LLVMValueRef id, LLVMValueRef count);   /* the whole warp at a barrier; count 0: of all threads */
void fragments_enter_block(struct emit *);                          /* fragment.c */
void fragments_written(struct emit *, const struct ptx_insn *);     /* its registers have other values now */
void emit_insn(struct emit *, const struct ptx_insn *);     /* anything but a terminator: emit_insn.c */
/* The end of a stretch of accesses that begins at an instruction of block e->block; that instruction: none does. */
uint32_t stretch_end(struct emit *, uint32_t first, uint32_t limit);
void emit_stretch(struct emit *, uint32_t first, uint32_t end);
void emit_terminator(struct emit *);    /* the end of block e->block: flow.c */
void emit_block_head(struct emit *);    /* flow.c */
void emit_run_end(struct emit *, uint32_t run);
void emit_fault(struct emit *, enum sc_fault, LLVMValueRef mask);   /* if any lane of mask */

/* .param memory: 4 bytes of every lane side by side (run/warp.h). */
LLVMValueRef param_load(struct emit *, LLVMValueRef memory, uint64_t offset, unsigned bits);
void param_store(struct emit *, LLVMValueRef memory, uint64_t offset, unsigned bits, LLVMValueRef vector, LLVMValueRef mask);
LLVMValueRef param_memory(struct emit *, uint64_t size);

/* Builds the body of a function; declares what it calls through unit->functions. 0, or -1 without memory. */
int emit_function(struct emit_unit *, uint32_t func_index);
LLVMTypeRef emit_function_type(struct emit_unit *);
LLVMTypeRef emit_kernel_type(struct emit_unit *);       /* void (warp, warp index, ctaid.x) */
/* The function that the runtime calls, around a kernel's body: one warp, or all warps of some blocks. wrap.c */
void emit_set_attributes(struct emit_unit *, LLVMValueRef function);
void emit_wrapper(struct emit_unit *, LLVMValueRef body, const char *name);

#endif
