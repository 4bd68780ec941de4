#include "src/loader/launch/hold.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/loader/fork.h"
#include "src/loader/launch/epoch.h"
#include "src/util/clock.h"

enum { LONGEST = 20000000 }; /* ns */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders;                /* lock */
static _Atomic uint32_t ended, waiting; /* holds that ended; launches that wait */
static _Atomic uint64_t until;
static _Thread_local unsigned own;      /* this thread's holds */

void gpudl__launches_hold(void)
{
    own++;
    pthread_mutex_lock(&lock);
    holders++;
    atomic_store(&until, clock_after(LONGEST));
    atomic_fetch_or(&gpudl__epoch, EPOCH_HELD);
    pthread_mutex_unlock(&lock);
}

void gpudl__launches_let_go(void)
{
    own--;
    pthread_mutex_lock(&lock);
    if (--holders == 0)
        atomic_fetch_and(&gpudl__epoch, ~EPOCH_HELD);
    atomic_fetch_add(&ended, 1);
    pthread_mutex_unlock(&lock);
    if (atomic_load(&waiting))
        syscall(SYS_futex, &ended, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void wait_for_end(uint32_t turn)
{
    uint64_t now;

    while (atomic_load(&ended) == turn && (atomic_load(&gpudl__epoch) & EPOCH_HELD)) {
        struct timespec left;

        now = clock_now();
        if (now >= atomic_load(&until)) {
            atomic_fetch_and(&gpudl__epoch, ~EPOCH_HELD);
            return;
        }
        left = clock_spec(atomic_load(&until) - now);
        syscall(SYS_futex, &ended, FUTEX_WAIT_PRIVATE, turn, &left, NULL, 0);
    }
}

uint64_t gpudl__epoch_held(void)
{
    uint32_t turn = atomic_load(&ended);

    if (!own && !gpudl__forked()) {
        atomic_fetch_add(&waiting, 1);
        wait_for_end(turn);
        atomic_fetch_sub(&waiting, 1);
    }
    return atomic_load(&gpudl__epoch) & ~EPOCH_HELD;
}
