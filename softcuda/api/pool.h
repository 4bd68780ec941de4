/* pool.h - memory pools: memory that comes and goes in stream order.
 *
 * What is freed in a stream may be given out again in that stream at once, in others when the work before the free is done. The
 * address is nobody's as soon as the free is asked for; the memory itself stays reachable until the stream comes to it. */
#ifndef SOFTCUDA_API_POOL_H
#define SOFTCUDA_API_POOL_H

#include "softcuda/api/objects.h"

/* An allocation that is in use now. */
bool sc_pool_find(uint64_t address, struct mem_info *, CUmemoryPool *);
/* Frees it now: the caller knows that nothing uses it. */
bool sc_pool_free(uint64_t p);
/* May this device touch the pool's memory? */
bool sc_pool_allows(CUmemoryPool, const struct device *);
/* Gives back what a device's pools keep without need. true: there was something. */
bool sc_pools_trim(const struct device *);
void sc_pools_leave(CUcontext);         /* everything that was allocated in the context, which ends */

#endif
