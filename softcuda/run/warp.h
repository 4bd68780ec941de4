/* warp.h - what machine code and the runtime know of each other.
 *
 * A kernel's machine code is one function that runs one warp of 32 lanes: void code(struct sc_warp *). It reads its surroundings from
 * the structure below (the JIT takes the field offsets from here with offsetof) and calls the sc_rt_ functions of this page. All
 * warps of a block run on one OS thread, so shared memory needs no atomic instructions; warps that may wait are fibers. */
#ifndef SOFTCUDA_RUN_WARP_H
#define SOFTCUDA_RUN_WARP_H

#include <stdint.h>

#define SC_LANES 32
#define SC_BARRIERS 17          /* 16 that programs number, and the cluster's */
#define SC_CLUSTER_BARRIER 16

struct sc_warp {
    const unsigned char *params;    /* the kernel's parameter buffer */
    unsigned char *shared;          /* the block's shared memory; [shared, shared + shared_bytes) is the shared window, 16-aligned */
    unsigned char *local_top;       /* local memory not used yet: functions take their frames (32 lanes' worth) from here, upwards */
    unsigned char *local_base;      /* where this warp's local memory begins */
    unsigned char *local_end;
    const uint64_t *globals;        /* address of each variable of the module, by its index in ptx_module.vars */
    struct sc_block *block;         /* the runtime's own */
    uint32_t ctaid[3], nctaid[3], ntid[3];
    uint32_t warp;                  /* index in the block */
    uint32_t nwarps;
    uint32_t smid;                  /* index of the OS thread in the pool */
    uint32_t nsmid;
    uint32_t shared_bytes;          /* static (of this kernel) + dynamic */
    uint32_t static_shared_bytes;
    uint32_t dynamic_shared_bytes;
    uint64_t gridid;
    uint64_t envreg1_2;             /* workspace of a grid barrier: %envreg1 is the high half, %envreg2 the low one; 0: no cooperative launch */
    uint64_t heap;                  /* the runtime's own */
    uint64_t memory_base, memory_size;  /* the device's memory: accesses in there are checked by the machine code, all others by the calls below */
};

/* Where an access is, for messages: of the instruction's .loc; 0: unknown. */
struct sc_place { uint32_t file, line; };

/* Accesses that do not lie in the device's memory, or are misaligned: these find out whether they may be made, and end the launch
 * if not. bytes: of one access, its alignment too. lanes: who makes it; none of them: nothing happens. */
void sc_rt_check_one(struct sc_warp *, uint64_t address, uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line);
void sc_rt_check_lanes(struct sc_warp *, const uint64_t address[SC_LANES], uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line);
/* The same of accesses that may be made in one range only. */
void sc_rt_check_range(struct sc_warp *, const uint64_t address[SC_LANES], uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line,
                       uint64_t base, uint64_t size);

/* Accesses of n elements of so many bytes a lane, upwards. Element i of lane l is values[i * SC_LANES + l]. */
void sc_rt_gather_lanes(const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes);
void sc_rt_scatter_lanes(const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes);
/* The same after sc_rt_check_lanes has seen that all may be made. */
void sc_rt_read_lanes(struct sc_warp *, const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes,
                      uint32_t file, uint32_t line);
void sc_rt_write_lanes(struct sc_warp *, const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes,
                       uint32_t file, uint32_t line);

/* Arrive with nlanes threads of this warp at barrier id of the block and wait until expected threads have arrived
 * (0: all threads of the block that have not exited). Switches to another warp meanwhile. */
void sc_rt_barrier(struct sc_warp *, uint32_t id, uint32_t nlanes, uint32_t expected);
/* bar.arrive: count, do not wait. */
void sc_rt_barrier_arrive(struct sc_warp *, uint32_t id, uint32_t nlanes, uint32_t expected);
/* bar.red: as sc_rt_barrier; npred of the arriving lanes hold the predicate. Returns the number of threads of the block with a true one
 * (popc); .and is result == threads that took part, which *total receives; .or is result != 0. */
uint32_t sc_rt_barrier_red(struct sc_warp *, uint32_t id, uint32_t nlanes, uint32_t expected, uint32_t npred, uint32_t *total);
/* nlanes threads of the warp have exited for good: barriers that wait for "all" no longer count them. Called once at least a warp, by
 * the machine code for early exits when the kernel has barriers, and by the runtime for what is left when the code returns. */
void sc_rt_exited(struct sc_warp *, uint32_t nlanes);
/* Let the block's other warps run (and, when none can, other blocks' threads): a lock or flag is being waited for. */
void sc_rt_yield(struct sc_warp *);
void sc_rt_nanosleep(struct sc_warp *, uint32_t ns);

/* Ends the launch: does not return (unwinds to the scheduler, which drops all fibers of the block). */
enum sc_fault { SC_FAULT_TRAP, SC_FAULT_ILLEGAL_ADDRESS, SC_FAULT_MISALIGNED, SC_FAULT_ASSERT, SC_FAULT_STACK_OVERFLOW,
                SC_FAULT_ILLEGAL_INSTRUCTION, SC_FAULT_BAD_CALL,
                SC_FAULT_DEADLOCK,      /* every warp of a block waits at a barrier that cannot complete */
                SC_FAULT_RESOURCES,     /* no memory for stacks */
                SC_FAULT_TIMEOUT };     /* it ran longer than it may */
_Noreturn void sc_rt_fault(struct sc_warp *, uint32_t fault, uint64_t address);

uint64_t sc_rt_clock(void);         /* a cycle counter */
uint64_t sc_rt_globaltimer(void);   /* nanoseconds */
/* isspacep: is this generic address in the shared window of the block / in the warp's local memory? */
uint32_t sc_rt_is_local(const struct sc_warp *, uint64_t address);

/* The extern functions that device code may call. mask: the calling lanes. args[i] and ret are .param memory, interleaved in units of
 * 4 bytes: byte b of lane l's parameter lies at (b / 4) * 128 + l * 4 + b % 4. */
typedef void sc_extern(struct sc_warp *, uint32_t mask, void *const *args, void *ret);
sc_extern *sc_rt_extern(const char *name);      /* vprintf, __assertfail, malloc, free; NULL: unknown */

#endif
