/* poison.h - errors of the driver after which a context is of no use any more, and what is known of the kernel that did it.
 *
 * A kernel's fault is told by whichever call comes next, so the call that fails is not to blame. Who is: softcuda's log says so.
 * Of other drivers the kernels are named that each thread launched last through gpudl; the launch path leaves a pointer for it in
 * the thread's record, nothing else. */
#ifndef GPUDL_LOADER_POISON_H
#define GPUDL_LOADER_POISON_H

#include "src/loader/loader.h"
#include "src/util/text.h"

/* Adds to t what code leaves behind and who may have done it; nothing, where code poisons no context. Waits for no lock. */
void gpudl__poison_tell(gpudl_loader *l, int code, struct text *t);

/* The memory is another kernel's from now on: nobody has launched it yet. */
void gpudl__poison_forget(const gpudl_kernel *k);

#endif
