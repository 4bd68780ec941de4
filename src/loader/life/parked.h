/* parked.h - versions that nobody holds.
 *
 *     held --> warm --> retired --> unloaded
 *       ^--------'  beyond the bounds  at a moment, or beyond the bounds
 *
 * A warm one is found by a load of the same content. One that no load may find (it has globals) is retired at once. What no
 * device can have is unloaded instead of retired, as that waits for nothing. What other loaders share, too, is left to them at once. */
#ifndef GPUDL_LOADER_PARKED_H
#define GPUDL_LOADER_PARKED_H

#include <stddef.h>
#include <stdint.h>

struct gpudl_loader;
struct version;

enum parked { PARKED_NOT, PARKED_WARM, PARKED_RETIRED, PARKED_DOOMED, PARKED_KINDS };

/* The newest is the one that was parked last. */
struct parked_list {
    struct version *newest, *oldest;
    size_t count;
    uint64_t bytes;
    size_t most_count;
    uint64_t most_bytes;
};

struct parking {
    struct parked_list lists[PARKED_KINDS];
};

struct gpudl_loader_options;
void gpudl__parking_init(struct parking *p, uint64_t warm_bytes, size_t warm_count, uint64_t retired_bytes, size_t retired_count);

/* Under the lock. */
void gpudl__park(struct version *v);          /* its last reference went */
void gpudl__unpark(struct version *v);        /* a load found it */
void gpudl__park_cool(struct gpudl_loader *l, uint64_t bytes, size_t count);    /* retires warm ones beyond so many */

/* Not under the lock. */
void gpudl__park_settle(struct gpudl_loader *l);        /* unloads what is doomed, or beyond the bounds */
size_t gpudl__park_unload_retired(struct gpudl_loader *l);  /* returns how many */
/* Memory lacks: everything that is parked goes, whatever waits. Returns how many. */
size_t gpudl__park_unload_all(struct gpudl_loader *l);

#endif
