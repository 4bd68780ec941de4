/* address.h - where a memory instruction goes: one place, a row of places, or 32 places. */
#ifndef SOFTCUDA_JIT_ADDRESS_H
#define SOFTCUDA_JIT_ADDRESS_H

#include "softcuda/jit/emit.h"

enum address_kind {
    ADDRESS_ONE,        /* base, the same for all lanes */
    ADDRESS_ROW,        /* lane l at base + l * stride */
    ADDRESS_GROUPS,     /* group g at base + g * t; within a group a row, or one place (stride 0) */
    ADDRESS_SCATTERED   /* lanes, of any kind */
};

struct address {
    enum address_kind kind;
    LLVMValueRef base;      /* ptr */
    LLVMValueRef t;         /* i64, GROUPS */
    LLVMValueRef exact;     /* i1: kind holds; else the lanes are scattered after all. NULL: always */
    int64_t stride;         /* GROUPS: the access's size, or 0 */
    /* Scattered: window + index. */
    const struct ptx_operand *operand;
    enum ptx_space space;
};

/* bytes: what each lane reads or writes there, so that rows can be told. */
struct address address_make(struct emit *, const struct ptx_operand *, enum ptx_space, unsigned bytes);
/* A <32 x ptr> for the lanes of any address, delta bytes further on. */
LLVMValueRef address_lanes(struct emit *, const struct address *, int64_t delta);

#endif
