#include "src/loader/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(unsigned char *) page; /* holds 1, and 0 in a child */
static _Atomic pid_t owner;           /* where there is no such page */

static void mark(void)
{
    unsigned char *p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p != MAP_FAILED && madvise(p, 1, MADV_WIPEONFORK) == 0) {
        *p = 1;
        atomic_store_explicit(&page, p, memory_order_release);
        return;
    }
    if (p != MAP_FAILED)
        munmap(p, 1);
    atomic_store(&owner, getpid());
}

void gpudl__fork_mark(void)
{
    pthread_once(&once, mark);
}

bool gpudl__forked(void)
{
    unsigned char *p = atomic_load_explicit(&page, memory_order_acquire);
    pid_t pid;

    if (p)
        return !*p;
    pid = atomic_load(&owner);
    return pid && pid != getpid();
}
