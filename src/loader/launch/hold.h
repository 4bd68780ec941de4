/* hold.h - launches step aside for a call that needs the driver to itself.
 *
 * NVIDIA's driver takes a context's lock for reading in each launch and for writing where code becomes resident or goes, or an
 * event is made. Readers go first: while eight threads launch without a pause such a call never comes through
 * (docs/DRIVER-BEHAVIOUR.md, 9). So launches that begin while one is held wait for its end, as they would in the driver if it
 * had the lock, but for 20 ms at most: by then it has it, or waits for kernels. A launch waits for one call, not for the next
 * one that follows it at once.
 *
 * Held is a bit of the epoch, which each launch reads anyway. */
#ifndef GPUDL_LOADER_LAUNCH_HOLD_H
#define GPUDL_LOADER_LAUNCH_HOLD_H

void gpudl__launches_hold(void);    /* around the driver call, in the thread that makes it; they nest */
void gpudl__launches_let_go(void);

#endif
