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
    LLVMValueRef low, high; /* i64, the outermost places of all lanes, whether they are on or not; NULL: not known without looking at each */
    LLVMValueRef uneven;    /* i64, whose low bits are those in which some lane's address is not even */
    uint64_t steps;         /* the lanes' distances, or'ed: uneven ones need a look at each */
    int64_t span;           /* high - low where that is a number, else -1 */
    /* Scattered: window + index. */
    const struct ptx_operand *operand;
    enum ptx_space space;
};

/* bytes: what each lane reads or writes there, so that rows can be told. */
struct address address_make(struct emit *, const struct ptx_operand *, enum ptx_space, unsigned bytes);
/* Is it surely a row whose ends tell whether it may be touched, unless its index wraps? Builds nothing. */
bool address_is_row(struct emit *, const struct ptx_operand *, enum ptx_space, unsigned bytes);
/* Before an access of so many bytes a lane: lanes of e->mask that would touch what is not theirs, or a misaligned place, end the launch.
 * scattered: the lanes are known not to lie as kind says. bounds.c */
void address_check(struct emit *, const struct address *, unsigned bytes, bool scattered);
/* i1: some lane would, were it on; of an address whose ends are known. NULL: none can. */
LLVMValueRef address_bad(struct emit *, const struct address *, unsigned bytes);
/* .local and a kernel's .param are looked up in their own range instead of the device's memory. */
bool address_has_own_range(enum ptx_space);
/* The same for the addresses of all lanes, and for one lane's. */
void address_check_lanes(struct emit *, LLVMValueRef pointers, unsigned bytes, enum ptx_space);
void address_check_one(struct emit *, LLVMValueRef pointer, unsigned bytes, enum ptx_space, LLVMValueRef lane_bit);
/* Asks for what a row that is read in a loop will come to. ahead.c */
void address_look_ahead(struct emit *, const struct address *, unsigned bytes);
/* A <32 x ptr> for the lanes of any address, delta bytes further on. */
LLVMValueRef address_lanes(struct emit *, const struct address *, int64_t delta);

#endif
