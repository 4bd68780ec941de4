/* grid.h - one kernel launch: its blocks on the pool of threads. */
#ifndef SOFTCUDA_RUN_GRID_H
#define SOFTCUDA_RUN_GRID_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcuda/run/warp.h"

#define SC_SHARED_MAX (256u << 10)      /* shared memory of a block, static and dynamic */

struct sc_services;                     /* services.h: printf and malloc of device code */
struct sc_worker;

struct sc_grid {
    /* set by the caller */
    void (*code)(struct sc_warp *);
    /* All warps of n blocks, ctaid[0] and up, where they never wait; or NULL. */
    void (*code_blocks)(struct sc_warp *, uint32_t n);
    bool may_wait;                      /* warps may wait for each other */
    bool cooperative;                   /* all blocks must be able to wait for each other */
    uint32_t nctaid[3], ntid[3];
    const unsigned char *params;        /* live until the grid is done */
    const uint64_t *globals;
    uint32_t static_shared, dynamic_shared;
    size_t local_bytes;                 /* local memory a warp */
    uint64_t gridid, envreg1_2;
    struct sc_services *services;
    uint64_t memory_base, memory_size;  /* the device's memory; size 0: any address is as good as another */
    /* May device code touch these bytes, which are not the device's (host memory it was given, another device's)? NULL: no. */
    bool (*may_touch)(void *owner, uint64_t address, uint32_t bytes);
    void *may_touch_owner;
    struct { const void *from; uint64_t size; } also[2];    /* this launch's own memory: parameters, the workspace of a grid barrier */
    /* the runtime's */
    uint64_t nblocks;
    uint32_t chunk;                     /* blocks claimed at once */
    _Atomic uint64_t claimed;
    atomic_bool stop;                   /* failed: everybody leaves */
    atomic_int failed;                  /* 1: somebody writes the fault */
    uint32_t smid;                      /* of the next participant; the pool's lock */
    unsigned helpers;                   /* pool threads inside; the pool's lock */
    struct sc_grid *next;               /* the pool's list */
    struct sc_grid *next_timed;         /* timeout.c's */
    uint64_t deadline;
    /* results */
    int fault;                          /* enum sc_fault, or -1 */
    uint64_t fault_address;
    uint32_t fault_ctaid[3];
    uint32_t fault_thread;              /* index in its block; UINT32_MAX: unknown */
    uint32_t fault_bytes;               /* of the access; 0: unknown */
    struct sc_place fault_place;
};

/* Runs the grid to its end on this thread and whatever pool threads are free. worker: the calling thread's. g->fault says how it
 * ended. */
void sc_grid_run(struct sc_grid *, struct sc_worker *);
/* Ends the grid; the first caller's reason is kept. */
void sc_grid_fail(struct sc_grid *, enum sc_fault, uint64_t address, const uint32_t ctaid[3]);
/* The same with all that is known of it. */
void sc_grid_fail_at(struct sc_grid *, enum sc_fault, uint64_t address, const uint32_t ctaid[3], uint32_t thread, uint32_t bytes,
                     struct sc_place);

/* A worker for the calling OS thread, which must be the only one to use it and must have called sc_fault_thread_init(). NULL: no
 * memory. */
struct sc_worker *sc_worker_create(void);
void sc_worker_destroy(struct sc_worker *);     /* accepts NULL */
/* Runs blocks of g until none is left to claim and those begun have ended. */
void sc_worker_run(struct sc_worker *, struct sc_grid *g, uint32_t smid);

/* SOFTCUDA_TIMEOUT: how long a grid may run; 0: as long as it likes. */
double sc_timeout_seconds(void);
/* How many threads run blocks (SOFTCUDA_THREADS, else the CPUs that this process may use). */
unsigned sc_pool_threads(void);

/* Signals: an alternate stack for the calling thread, which takes none but those that its own code causes. */
void sc_fault_thread_init(void);
void sc_fault_thread_exit(void);
/* Starts a detached thread that gets no signal of the program's; start gets the name. 0, or -1. */
int sc_thread_start(void *(*start)(void *), const char *name);
/* Installs the process's handlers, again if somebody has put others there since; those are called for what is not ours. */
void sc_fault_claim_signals(void);

#endif
