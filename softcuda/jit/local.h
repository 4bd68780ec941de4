/* local.h - what local memory a function has, and does it stay inside it? */
#ifndef SOFTCUDA_JIT_LOCAL_H
#define SOFTCUDA_JIT_LOCAL_H

#include "softcuda/jit/plan.h"

/* True if every address of a .local variable ends in ld.local and st.local of this function, and these see no other address. Then an
 * address is an offset in a frame whose layout nobody else knows. Reads p->func, p->cfg, p->ndefs and p->nuses. */
bool local_stays_inside(const struct plan *p);
/* Does it take the address of one of its parameters? Not a kernel, whose parameters have addresses. */
bool local_takes_params(const struct ptx_func *);
/* Bytes a lane of its .local variables, and of the copies of its parameters where it takes the address of one; a multiple of 16. The
 * tables, which receive their offsets, may be NULL. */
uint32_t local_lay_out(const struct ptx_func *, uint32_t *var_offset, uint32_t *param_offset);

#endif
