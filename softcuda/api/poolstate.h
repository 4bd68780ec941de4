/* poolstate.h - what pool.c and poolblock.c know of the pools there are. */
#ifndef SOFTCUDA_API_POOLSTATE_H
#define SOFTCUDA_API_POOLSTATE_H

#include "softcuda/api/pool.h"
#include "softcuda/run/range.h"

#define SC_POOL_STEP ((uint64_t)32 << 20)      /* in which a pool counts what it holds, as real ones do */

struct block;                           /* poolblock.c */

struct CUmemPoolHandle_st {
    uint32_t magic;
    struct CUmemPoolHandle_st *next, **at;
    struct device *device;
    bool is_default, destroyed;
    int reuse[4];                       /* by CU_MEMPOOL_ATTR_REUSE_: kept, and told */
    uint64_t limit, threshold;          /* bytes: to hold at most (0: any), to keep when nobody needs them */
    uint64_t held, held_high, used, used_high;
    uint32_t access;                    /* bit d: device d may touch it */
    struct block *blocks;
};

extern struct sc_pools {
    pthread_mutex_t lock;               /* pools, blocks, devices' pools */
    struct sc_ranges used;              /* the blocks in use */
    CUmemoryPool all;
    uint64_t next_id;
    CUmemoryPool defaults[SC_MAX_DEVICES], current[SC_MAX_DEVICES];
} sc_pools;

static inline uint64_t sc_pool_steps(uint64_t bytes)
{
    return (bytes + SC_POOL_STEP - 1) / SC_POOL_STEP * SC_POOL_STEP;
}

/* pool.c */
CUresult sc_pool_check(CUmemoryPool);
CUmemoryPool sc_pool_current(struct device *);          /* NULL without memory; the lock is held, as for the others */
void sc_pool_destroy(CUmemoryPool);                     /* it has no blocks any more */

/* poolblock.c: frees idle blocks until no more than keep bytes are held. */
bool sc_pool_trim(CUmemoryPool, uint64_t keep);

#endif
