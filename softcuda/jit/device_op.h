/* device_op.h - instructions that are calls of C functions in run/: textures, surfaces, matrices, mbarriers. Their operands and results
 * go through memory, a vector of 32 lanes after the other. */
#ifndef SOFTCUDA_JIT_DEVICE_OP_H
#define SOFTCUDA_JIT_DEVICE_OP_H

#include "softcuda/jit/address.h"

/* Why an instruction is not supported, or NULL if it is. */
const char *texture_refusal(const struct ptx_insn *);
const char *matrix_refusal(const struct ptx_insn *);
const char *mbarrier_refusal(const struct ptx_insn *); /* and of cp.async.bulk, cp.async.mbarrier */

void emit_texture(struct emit *);               /* tex tld4 suld sust sured txq suq: texture_op.c */
void emit_matrix(struct emit *);                /* wmma mma ldmatrix stmatrix movmatrix: matrix_op.c */
void emit_mbarrier(struct emit *);              /* mbarrier, cp.async.mbarrier, cp.async.bulk: mbarrier_op.c */
bool is_mbarrier_copy(const struct ptx_insn *); /* of cp: mbarrier_op.c's */

/* ---- device_op.c */

/* The elements of { a, b }, or the operand itself. */
unsigned operand_count(const struct ptx_operand *);
const struct ptx_operand *operand_element(const struct ptx_operand *, unsigned i);
/* Room for n vectors of so many bits a lane; vector i of them. */
LLVMValueRef words_room(struct emit *, unsigned n, unsigned bits);
void words_put(struct emit *, LLVMValueRef room, unsigned i, LLVMValueRef vector);
LLVMValueRef words_get(struct emit *, LLVMValueRef room, unsigned i, unsigned bits);
/* Generic addresses of all lanes, spilled as 64-bit words. */
LLVMValueRef spill_addresses(struct emit *, const struct ptx_operand *, enum ptx_space);
/* A call that is not made if a guard leaves no lane. */
void call_if_any(struct emit *, const char *name, LLVMValueRef *args, unsigned nargs);

/* ---- fragment.c: 32-bit registers of all lanes, one after the other; wide: 64-bit ones as two each */
struct fragment_target {
    LLVMValueRef room; /* for the results */
    struct fragment *fragment;
    bool wide;
};
LLVMValueRef fragment_source(struct emit *, const struct ptx_operand *, bool wide); /* memory that holds them; not to be written */
struct fragment_target fragment_target(struct emit *, const struct ptx_operand *, bool wide);
void fragment_set(struct emit *, const struct ptx_operand *, struct fragment_target); /* the registers, from their room */
void fragments_forget(struct emit *);

#endif
