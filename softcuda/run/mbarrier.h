/* mbarrier.h - barriers that are 64 bits of shared memory, and the bulk copies that tell them of their bytes.
 *
 * A block stays on one OS thread, so nothing here is atomic, and an asynchronous copy is made at once. */
#ifndef SOFTCUDA_RUN_MBARRIER_H
#define SOFTCUDA_RUN_MBARRIER_H

#include "softcuda/run/warp.h"

/* What an mbarrier holds: arrivals that are missing in this phase and that the next one begins with, bytes that are announced and
 * have not come, and the phase's parity. */
#define SC_MBARRIER_COUNT_BITS 20
#define SC_MBARRIER_BYTES_BITS 21

enum sc_mbarrier_op {
    SC_MBARRIER_INIT,
    SC_MBARRIER_INVAL,
    SC_MBARRIER_ARRIVE,
    SC_MBARRIER_DROP,
    SC_MBARRIER_EXPECT,
    SC_MBARRIER_COMPLETE,
    SC_MBARRIER_TEST,
    SC_MBARRIER_PARITY,
    SC_MBARRIER_PENDING
};
#define SC_MBARRIER_OP(f) ((enum sc_mbarrier_op)((f)&15))
#define SC_MBARRIER_ANNOUNCES (1u << 4) /* arrive.expect_tx: count is bytes, one arrives */

/* Of each lane: count is of arrivals or of bytes, a state, or a parity; result receives the state before, or whether the phase is over. */
void sc_rt_mbarrier(
    struct sc_warp *, uint32_t lanes, uint32_t form, const uint64_t *address, const uint64_t *count, uint64_t *result);
/* size bytes of each lane; mbarrier: address of the one that hears of them, NULL: none. */
void sc_rt_bulk_copy(
    struct sc_warp *, uint32_t lanes, const uint64_t *to, const uint64_t *from, const uint32_t *size, const uint64_t *mbarrier);

#endif
