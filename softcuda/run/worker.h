/* worker.h - one OS thread that runs blocks. Private to run/.
 *
 * Machine code runs on runners: fibers, each with local memory of its own, that take one warp after the other. A warp that waits
 * parks its runner, and another runner goes on: with warps not begun yet, with a parked one that may go on, or with the next
 * block. So a block whose warps never wait costs no switch, and a block that waits costs one switch for each wait. The worker's
 * own stack ("home") is where runners return to when nothing is left, or when the grid has failed.
 *
 * Nothing here is locked: a worker and everything that it owns belong to its OS thread. */
#ifndef SOFTCUDA_RUN_WORKER_H
#define SOFTCUDA_RUN_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcuda/run/fiber.h"
#include "softcuda/run/grid.h"
#include "softcuda/run/warp.h"

struct runner {
    struct sc_warp warp;            /* first, so that a struct sc_warp * is a runner */
    struct sc_fiber fiber;
    struct sc_worker *worker;
    struct runner *next;            /* in the one queue that holds it: idle, ready, or a barrier's */
    struct runner *older;           /* all runners of the worker */
    unsigned char *local;           /* local memory of its warp */
    size_t local_size;
    uint64_t serial;                /* of the grid that warp was set up for */
    uint32_t lanes, live;           /* threads of its warp, and those that have not exited */
    uint32_t red_count, red_total;  /* what the barrier that released it counted */
};

struct queue { struct runner *first, **end; };

struct barrier {
    uint32_t arrived;               /* threads, rounded up to full warps where a count was given */
    uint32_t threads;               /* that really arrived */
    uint32_t npred;
    uint32_t expected;              /* 0: all live ones */
    unsigned nwaiting;
    struct queue waiting;
};

struct sc_block {
    struct sc_worker *worker;
    struct sc_block *next;          /* free list */
    struct sc_block *older;         /* all blocks of the worker */
    unsigned char *shared, *shared_end;     /* the reserved range; where the memory in its middle ends */
    uint32_t ctaid[3];
    uint32_t begun, unfinished;     /* warps */
    uint32_t live;                  /* threads that have not exited */
    uint32_t waited;                /* bit i: somebody waits at or has arrived at barrier i */
    struct barrier barriers[SC_BARRIERS];
};

struct sc_worker {
    struct sc_fiber home;
    struct runner *current;         /* on the stack now; NULL: home */
    struct runner *idle, *runners;
    unsigned nrunners;
    struct queue ready;
    unsigned nready;
    struct sc_block *opening;       /* has warps that nobody has begun */
    struct sc_block *free_blocks, *blocks;
    unsigned resident;              /* blocks begun and not finished */
    unsigned fruitless;             /* yields since something was last seen to happen */
    unsigned naps;                  /* OS yields since then */
    struct sc_grid *grid;
    struct sc_warp model;           /* what all warps of the grid have in common */
    uint64_t serial;
    uint64_t next, end;             /* blocks claimed and not begun */
    uint32_t at[3];                 /* ctaid of next */
    uint32_t nwarps, nthreads;
    bool aborted;
    pthread_t thread;               /* while it is inside a grid that may run out of time, as is this: */
    struct sc_worker *next_timed;
    uint64_t granted[64];           /* access.c's: pages that this grid may touch, plus 1 */
};

/* The worker of this OS thread while it is inside a grid; read by the signal handler. */
extern _Thread_local struct sc_worker *sc_this_worker __attribute__((tls_model("initial-exec")));

static inline struct runner *sc_runner(struct sc_warp *w)
{
    return (struct runner *)w;
}

/* Takes the next block into the worker: 1, or 0 if none is left, if the grid stops, or without memory. */
int  sc_worker_open_block(struct sc_worker *);
void sc_worker_make_ready(struct sc_worker *, struct runner *);
void sc_worker_make_all_ready(struct sc_worker *, struct queue *, unsigned n);     /* empties the queue, which holds n */
/* Runs something else; self must stand in a queue. Returns when self goes on. */
void sc_worker_switch_away(struct runner *self);
/* Leaves the grid for good: the runner's stack is dropped. */
_Noreturn void sc_worker_abandon(struct runner *self);
/* Some threads exited: barriers that wait for all of them may be complete. */
void sc_barriers_recheck(struct sc_block *);
void sc_barriers_clear(struct sc_block *);

void sc_queue_init(struct queue *);
void sc_queue_push(struct queue *, struct runner *);
struct runner *sc_queue_pop(struct queue *);

#endif
