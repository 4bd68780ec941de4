/* process.h - the loaders of this process, and its end.
 *
 * At exit nothing is unloaded: the driver, and what the program's own handlers still do with gpudl, are left alone. Loaders' threads
 * are parked by a handler of exit(3), before the driver's own: each ends what it has begun (waits are given up), and sleeps from
 * then on. Calls that would need them fail as cancelled, and closing a loader does nothing. A plugin with gpudl in it stays in the
 * process while a loader of it is open that has threads, or whose code a graph was given: the driver calls when it is destroyed.
 * Another plugin may go with loaders open: what they share is handed on. */
#ifndef GPUDL_LOADER_PROCESS_H
#define GPUDL_LOADER_PROCESS_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

void gpudl__process_add(gpudl_loader *l);
void gpudl__process_remove(gpudl_loader *l);
bool gpudl__process_has(const gpudl_loader *l);     /* does not look into it: it may be gone */

/* Before another thread may run the loader's code by itself, one of its own or the driver's. Not under its lock. The code stays, and
 * threads will be parked. Any number of times. */
void gpudl__process_hold_code(gpudl_loader *l);
/* None will any more. */
void gpudl__process_let_code_go(gpudl_loader *l);
/* They are, or are about to be. */
bool gpudl__process_ends(void);

#endif
