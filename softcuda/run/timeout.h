/* timeout.h - SOFTCUDA_TIMEOUT=SECONDS: a grid that runs longer is ended. Private to run/.
 *
 * Whoever yields or waits sees that its grid has stopped. A loop without calls does not: its thread gets a signal, again and again
 * until it comes at a moment when the thread is in machine code, which holds no lock and can be left anywhere. */
#ifndef SOFTCUDA_RUN_TIMEOUT_H
#define SOFTCUDA_RUN_TIMEOUT_H

#include <signal.h>

#include "softcuda/run/worker.h"

#define SC_TIMEOUT_SIGNAL SIGURG        /* ignored by default, so one that comes late does no harm */

/* A grid runs; a worker is inside one. */
void sc_timeout_begin(struct sc_grid *);
void sc_timeout_end(struct sc_grid *);
void sc_timeout_enter(struct sc_worker *);
void sc_timeout_leave(struct sc_worker *);

/* fault.c: the signal's handler. */
void sc_fault_interrupt(int sig, siginfo_t *, void *context);
/* May the thread be stopped at this instruction? */
bool sc_timeout_may_leave(uint64_t pc);

#endif
