#include "src/loader/launch/epoch.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic uint64_t gpudl__epoch = 1;
bool gpudl__epoch_fences = true;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_barrier(void)
{
    gpudl__epoch_fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

void gpudl__epoch_init(void)
{
    pthread_once(&once, choose_barrier);
}

/* Whoever pinned before this is seen below as pinned in an older epoch; whoever pins after it reads what is in sight now. */
static void barrier(void)
{
#ifndef EPOCH_NO_FENCES
    if (!gpudl__epoch_fences && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
        return;
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

uint64_t gpudl__epoch_advance(void)
{
    barrier();
    return (atomic_fetch_add_explicit(&gpudl__epoch, 1, memory_order_seq_cst) & ~EPOCH_HELD) + 1;
}

bool gpudl__epoch_passed(uint64_t epoch)
{
    for (struct thread *t = gpudl__thread_list(); t; t = t->next) {
        uint64_t pinned = atomic_load_explicit(&t->pinned, memory_order_seq_cst);
        if (pinned && pinned < epoch)
            return false;
    }
    return true;
}
