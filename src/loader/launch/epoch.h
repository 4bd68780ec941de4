/* epoch.h - nothing goes while a launch may still be using it.
 *
 * A launch pins: it notes in its thread's record the epoch that it entered in, reads a binding, calls the driver, unpins.
 * Who takes a binding out of sight asks for a new epoch and waits (never blocking: it asks again later) until no thread is
 * pinned in an older one.
 *
 * The pin must be seen before the binding is read. Instead of a fence in each launch (some 20 cycles) the rare writer runs a
 * barrier on every CPU that runs a thread of this process: membarrier(2). Where that is missing the launch has its fence. A
 * forked child inherits pins of threads that it has not; it never frees (fork.h). */
#ifndef GPUDL_LOADER_EPOCH_H
#define GPUDL_LOADER_EPOCH_H

#include <stdbool.h>

#include "src/loader/thread.h"

#if defined(__SANITIZE_THREAD__)
#define EPOCH_NO_FENCES 1       /* ThreadSanitizer knows none */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EPOCH_NO_FENCES 1
#endif
#endif

extern _Atomic uint64_t gpudl__epoch __attribute__((visibility("hidden")));
extern bool gpudl__epoch_fences __attribute__((visibility("hidden")));      /* written once, before the first binding exists */

#define EPOCH_HELD ((uint64_t)1 << 63)     /* launches wait (hold.h); no part of the number */

void gpudl__epoch_init(void);               /* before the first pin; any number of times */
uint64_t gpudl__epoch_advance(void);        /* what was taken out of sight before may go when the epoch returned has passed */
bool gpudl__epoch_passed(uint64_t epoch);
uint64_t gpudl__epoch_held(void);           /* waits; the epoch then */

static inline void epoch_pin(struct thread *t)
{
    uint64_t now = atomic_load_explicit(&gpudl__epoch, memory_order_acquire);

    if (__builtin_expect(now & EPOCH_HELD, 0))
        now = gpudl__epoch_held();
#ifdef EPOCH_NO_FENCES
    atomic_exchange_explicit(&t->pinned, now, memory_order_seq_cst);
#else
    atomic_store_explicit(&t->pinned, now, memory_order_release);
    if (__builtin_expect(gpudl__epoch_fences, 0))
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
#endif
}

static inline void epoch_unpin(struct thread *t)
{
    atomic_store_explicit(&t->pinned, 0, memory_order_release);
}

#endif
