/* grid.c - the pool: threads that help with whatever grids run now. The thread that runs a grid works on it too, so a grid
 * never waits for the pool, and a grid of one block never wakes it. */
#include "softcuda/run/timeout.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS_PER_THREAD 8

static struct {
    pthread_once_t once;
    unsigned nthreads;
    pthread_mutex_t lock;           /* what follows, and grid->next, helpers, smid */
    pthread_cond_t work, left;      /* a grid wants helpers; a helper has left a grid */
    struct sc_grid *grids;
    unsigned started, idle;
} pool = {
    .once = PTHREAD_ONCE_INIT,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .left = PTHREAD_COND_INITIALIZER,
};

static void count_threads(void)
{
    const char *wish = secure_getenv("SOFTCUDA_THREADS");
    long n = wish ? strtol(wish, NULL, 10) : 0;
    cpu_set_t cpus;

    if (n < 1)
        n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);
    pool.nthreads = n < 1 ? 1 : n > 1024 ? 1024 : (unsigned)n;
}

unsigned sc_pool_threads(void)
{
    pthread_once(&pool.once, count_threads);
    return pool.nthreads;
}

static bool has_work(const struct sc_grid *g)
{
    return atomic_load_explicit(&g->claimed, memory_order_relaxed) < g->nblocks
        && !atomic_load_explicit(&g->stop, memory_order_relaxed);
}

static struct sc_grid *grid_with_work(void)
{
    for (struct sc_grid *g = pool.grids; g; g = g->next)
        if (has_work(g))
            return g;
    return NULL;
}

static void recruit(void);

/* Enters g, calls the next helper while there is work for one, leaves it. Called and returns with the lock held. */
static void help(struct sc_grid *g, struct sc_worker *wk)
{
    uint32_t smid = g->smid++ % pool.nthreads;

    g->helpers++;
    recruit();
    pthread_mutex_unlock(&pool.lock);
    sc_worker_run(wk, g, smid);
    pthread_mutex_lock(&pool.lock);
    if (--g->helpers == 0)
        pthread_cond_broadcast(&pool.left);
}

static void *helper_main(void *name)
{
    struct sc_worker *wk;
    struct sc_grid *g;

    pthread_setname_np(pthread_self(), name);
    sc_fault_thread_init();
    if (!(wk = sc_worker_create()))
        return NULL;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!(g = grid_with_work())) {
            pool.idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.idle--;
        }
        help(g, wk);
    }
    return NULL;
}

/* One at a time: each that comes calls the next. The lock is held. */
static void recruit(void)
{
    if (pool.idle)
        pthread_cond_signal(&pool.work);
    else if (pool.started + 1 < pool.nthreads && grid_with_work() && !sc_thread_start(helper_main, "softcuda-run"))
        pool.started++;
}

static void call_helpers(struct sc_grid *g)
{
    pthread_mutex_lock(&pool.lock);
    g->next = pool.grids;
    pool.grids = g;
    recruit();
    pthread_mutex_unlock(&pool.lock);
}

static void dismiss_helpers(struct sc_grid *g)
{
    struct sc_grid **at = &pool.grids;

    pthread_mutex_lock(&pool.lock);
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    while (g->helpers)
        pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static uint32_t chunk_size(const struct sc_grid *g)
{
    uint64_t chunk = g->nblocks / ((uint64_t)pool.nthreads * CHUNKS_PER_THREAD);

    if (g->cooperative || chunk < 1)
        return 1;
    return chunk > 256 ? 256 : (uint32_t)chunk;
}

void sc_grid_run(struct sc_grid *g, struct sc_worker *wk)
{
    bool alone;

    g->nblocks = (uint64_t)g->nctaid[0] * g->nctaid[1] * g->nctaid[2];
    alone = sc_pool_threads() == 1 || g->nblocks == 1;
    g->chunk = chunk_size(g);
    atomic_init(&g->claimed, 0);
    atomic_init(&g->stop, false);
    atomic_init(&g->failed, 0);
    g->smid = 1;
    g->helpers = 0;
    g->fault = -1;
    sc_fault_claim_signals();
    sc_timeout_begin(g);
    if (!alone)
        call_helpers(g);
    sc_worker_run(wk, g, 0);
    if (!alone)
        dismiss_helpers(g);
    sc_timeout_end(g);
}

void sc_grid_fail_at(struct sc_grid *g, enum sc_fault fault, uint64_t address, const uint32_t ctaid[3], uint32_t thread, uint32_t bytes,
                     struct sc_place place)
{
    int first = 0;

    if (atomic_compare_exchange_strong(&g->failed, &first, 1)) {
        g->fault = (int)fault;
        g->fault_address = address;
        memcpy(g->fault_ctaid, ctaid, sizeof(g->fault_ctaid));
        g->fault_thread = thread;
        g->fault_bytes = bytes;
        g->fault_place = place;
    }
    atomic_store(&g->stop, true);
}

void sc_grid_fail(struct sc_grid *g, enum sc_fault fault, uint64_t address, const uint32_t ctaid[3])
{
    sc_grid_fail_at(g, fault, address, ctaid, UINT32_MAX, 0, (struct sc_place){ 0, 0 });
}
