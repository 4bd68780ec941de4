/* scatter.h - lanes that read or write 32 unrelated places, in the form that this machine does best. */
#ifndef SOFTCUDA_JIT_SCATTER_H
#define SOFTCUDA_JIT_SCATTER_H

#include "softcuda/jit/emit.h"

/* lanes: <32 x ptr>, checked. Of the lanes of e->mask; what the others get is anything. */
/* Has the machine no gather for such elements, so that a load is a loop over lanes? */
bool scatter_takes_turns(struct emit *, unsigned bits);
LLVMValueRef scatter_load(struct emit *, LLVMValueRef lanes, unsigned bits);
/* Where lanes meet, the highest one's value stays. */
void scatter_store(struct emit *, LLVMValueRef value, LLVMValueRef lanes, unsigned bits);

#endif
