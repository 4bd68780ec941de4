/* parts.h - the interpreter's insides: threads (interp.c), memory (memory.c), arithmetic (alu.c, real.c), lanes of a warp (warp.c). */
#ifndef TESTS_INTERP_PARTS_H
#define TESTS_INTERP_PARTS_H

#include <setjmp.h>

#include "tests/interp/interp.h"

#define INTERP_LANES 32
#define INTERP_CALLS 12         /* deepest call */
#define INTERP_LOCAL 4096       /* bytes of .local memory a thread */

struct value { uint64_t bits; bool any; };      /* any: undefined */

/* Bytes and, behind them, as many flags: 1 where undefined. */
struct memory { uint8_t *bytes; uint32_t size; };

struct layout { uint32_t *vars, *params, *rets; uint32_t var_bytes, param_bytes, ret_bytes, local_bytes; };  /* offsets in a frame, and its sizes */

struct frame {
    const struct ptx_func *func;
    const struct layout *layout;
    struct value *regs;
    struct memory vars, params, rets;   /* .param variables of the body; formal parameters */
    uint32_t local;                     /* offset of its .local variables */
    uint32_t pc;
};

enum state { RUNS, WAITS_FOR_BLOCK, WAITS_FOR_WARP, ENDED };

struct thread {
    struct interp *in;
    uint32_t tid[3], index;             /* index in the block */
    struct frame calls[INTERP_CALLS];
    uint32_t depth;                     /* calls[depth] runs */
    struct memory local;
    enum state state;
    const struct ptx_insn *at;          /* where it waits */
    bool carry;
};

struct interp {
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    const struct interp_launch *launch;
    struct layout *layouts;             /* of each function */
    uint32_t *shared_offset;            /* of module variables, in shared memory */
    uint32_t **func_shared;             /* the same of each function's */
    struct memory shared, *globals;     /* globals: one a module variable */
    uint32_t static_shared;
    struct thread *threads;
    uint32_t nthreads, ctaid[3];
    uint64_t steps;
    jmp_buf out;
    char *why;
};

_Noreturn void interp_stop(struct interp *, const char *why, ...);
static inline struct frame *interp_frame(struct thread *t) { return &t->calls[t->depth]; }
static inline uint64_t interp_low(uint64_t v, unsigned bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }
static inline int64_t interp_signed(uint64_t v, unsigned bits) { return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits); }

/* interp.c */
struct value interp_get(struct thread *, const struct ptx_operand *, enum ptx_type);
void interp_set(struct thread *, const struct ptx_operand *, struct value, enum ptx_type);     /* extends as the type says */
uint64_t interp_address(struct thread *, const struct ptx_operand *);
bool interp_guard(struct thread *, const struct ptx_insn *);

/* memory.c */
bool interp_memory(struct thread *, const struct ptx_insn *);      /* ld st atom red cvta; false: none of these */
struct memory interp_take(struct interp *, uint32_t size, bool defined);
void interp_drop(struct memory);
uint64_t interp_shared_base(struct interp *);
uint64_t interp_const_base(struct interp *);

/* alu.c, real.c: false if the instruction is not theirs */
bool interp_integer(const struct ptx_insn *, const struct value *src, struct thread *, struct value *d);
bool interp_real(const struct ptx_insn *, const struct value *src, struct value *d);
bool interp_convert(const struct ptx_insn *, struct value src, struct value *d);
bool interp_compares(const struct ptx_insn *, enum ptx_type, struct value a, struct value b);

/* warp.c */
bool interp_waits(struct thread *, const struct ptx_insn *);       /* starts to wait there; false: nothing to wait for */
bool interp_release(struct interp *);                              /* lets threads go on that have waited enough; false: none */

#endif
