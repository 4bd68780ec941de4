/* idle.h - has a device finished what it was given? */
#ifndef GPUDL_LOADER_IDLE_H
#define GPUDL_LOADER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct gpudl_loader;

/* Waits, at most so long, until the current context and the loader's own ones have finished all that they had been given; 0: asks
 * once. Ends captures of other threads: only where the program has said that there are none, or that this is a good moment.
 * A context that a kernel broke counts as idle, as nothing will run there; one that cannot tell does not. */
bool gpudl__idle_wait(struct gpudl_loader *l, uint64_t timeout_ns);

#endif
