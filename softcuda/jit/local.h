/* local.h - does the local memory of a function stay inside it? */
#ifndef SOFTCUDA_JIT_LOCAL_H
#define SOFTCUDA_JIT_LOCAL_H

#include "softcuda/jit/plan.h"

/* True if every address of a .local variable ends in ld.local and st.local of this function, and these see no other address. Then an
 * address is an offset in a frame whose layout nobody else knows. Reads p->func, p->cfg, p->ndefs and p->nuses. */
bool local_stays_inside(const struct plan *p);

#endif
