/* plan.h - what is known of one function for one block shape before any code is made.
 *
 * Shapes. All 32 lanes of a warp run as one vector, but most registers need no vector: with lane = g * G + i (G lanes a group, i < G),
 *
 *     uniform    the same in all lanes                                            one scalar
 *     affine     base + s*i + t*g, modulo the width                               one scalar (two if t is known at run time only)
 *     widened    offset + c * ext64(affine of 32 bits)                            two scalars
 *     varying    anything                                                         a vector
 *
 * The third shape keeps addresses exact where a 32-bit index wraps around between two lanes: the 64-bit value is then not affine, which
 * one scalar comparison finds out at run time (shape_exact in value.c).
 *
 * Masks. A block is guarded if lanes may come to it apart; it then runs under a mask of the lanes that wait for it, and is skipped while
 * that is empty. Other blocks run under the mask of all live lanes. A run is a maximal sequence of guarded blocks: control enters it
 * anywhere and leaves it at its end, to the one block where all lanes meet again. */
#ifndef SOFTCUDA_JIT_PLAN_H
#define SOFTCUDA_JIT_PLAN_H

#include "softcuda/ptx/cfg.h"
#include "softcuda/run/warp.h"
#include "src/util/arena.h"

enum shape_kind { SHAPE_NONE, SHAPE_UNIFORM, SHAPE_AFFINE, SHAPE_WIDENED, SHAPE_VARYING };

struct shape {
    uint8_t kind;
    bool t_dynamic;         /* t is a value of the program, not a number */
    bool zero_extended;     /* WIDENED: from unsigned */
    int64_t s, t;
    int64_t c;              /* WIDENED */
};

struct plan_run {
    uint32_t first, end;    /* blocks [first, end) */
    bool parks;             /* lanes may stay behind at a wait point or in a spin loop: the run is swept again until none does */
};

struct plan {
    const struct ptx_module *module;
    const struct ptx_func *func;
    struct cfg *cfg;
    uint32_t ntid[3];
    unsigned group;             /* G: 1 to 32, a power of two */
    struct shape tid[3];
    uint32_t local_frame;       /* bytes a lane of this function's .local variables, a multiple of 16 */
    uint32_t *local_offset;     /* of each of func->vars, in its space's own frame */
    uint32_t *param_offset;     /* of each parameter's copy, where a function takes the address of one */
    bool takes_params;
    bool local_inside;          /* addresses of .local variables are offsets in an interleaved frame (local.c) */
    struct shape *shapes;       /* of each register */
    bool carry_varying;         /* the carry flag */
    uint32_t *ndefs, *nuses;    /* of each register */
    uint32_t *def_block;        /* where it is written, if it is written once */
    bool *guarded;              /* each block */
    bool *spins;                /* each loop: its branches depend on what other threads write */
    bool *exit_only;            /* each block: nothing but ret or exit */
    uint32_t *region_end;       /* of each block: where control goes on if nobody waits for it */
    int32_t *run_of;            /* each block: index into runs, -1 */
    struct plan_run *runs;
    uint32_t nruns;
    bool has_spin, has_barrier, has_exit, has_call;
    uint32_t *dense;            /* registers that live across blocks: number in the sets below; UINT32_MAX: local to one block */
    uint32_t ndense;
    uint64_t *live_in;          /* a row of (ndense + 63) / 64 words a block */
    struct arena arena;
};

/* NULL when memory runs out. */
struct plan *plan_make(const struct ptx_module *, const struct ptx_func *, const uint32_t ntid[3]);
void plan_destroy(struct plan *);       /* accepts NULL */

/* Must a definition of this register in this block keep the old value of lanes that are not there? */
bool plan_blends(const struct plan *, uint32_t reg, uint32_t block);
/* Do all lanes that need it write this register together, though the block is guarded? Then it need not be varying. */
bool plan_keeps_together(const struct plan *, uint32_t reg, uint32_t block);
/* Is this register always written, for all lanes that go on, before it is read? Then it needs no value to begin with. */
bool plan_written_first(const struct plan *, uint32_t reg);
/* May lanes stay behind in this block while others of its run go on: a wait point, or part of a spin loop? */
bool plan_block_parks(const struct plan *, uint32_t block);
bool plan_find_liveness(struct plan *);
bool plan_find_regions(struct plan *);
struct shape plan_operand_shape(const struct plan *, const struct ptx_operand *);
/* The shape of what an instruction of this block computes, from the shapes known so far. */
struct shape plan_result_shape(const struct plan *, const struct ptx_insn *, uint32_t block);
bool shape_equal(struct shape, struct shape);

/* Registers that an instruction writes and reads; the guard counts as read. */
typedef void insn_visit(void *context, uint32_t reg);
void insn_defs(const struct ptx_insn *, insn_visit *, void *context);
void insn_uses(const struct ptx_insn *, insn_visit *, void *context);
bool insn_has_dst(const struct ptx_insn *);
bool insn_is_terminator(const struct ptx_insn *);   /* bra brx ret exit trap */
bool insn_is_strong(const struct ptx_insn *);       /* ld or st: volatile, relaxed, acquire, release, mmio */
bool insn_takes_whole_warp(const struct ptx_insn *);     /* .sync without a mask of members: all live lanes are */
bool insn_constant(const struct ptx_operand *, int64_t *value);

#endif
