/* barrier.c - what machine code calls to wait. */
#include <sched.h>
#include <time.h>

#include "softcuda/run/worker.h"

#define PATIENCE    64      /* yields a ready warp, before an ordinary grid gets another block interleaved */
#define NAP_AFTER   2000    /* fruitless OS yields before the thread sleeps a little each time */

static void release(struct sc_block *b, uint32_t id)
{
    struct barrier *bar = &b->barriers[id];

    for (struct runner *r = bar->waiting.first; r; r = r->next) {
        r->red_count = bar->npred;
        r->red_total = bar->threads;
    }
    sc_worker_make_all_ready(b->worker, &bar->waiting, bar->nwaiting);
    bar->nwaiting = 0;
    bar->arrived = bar->threads = bar->npred = 0;
    b->waited &= ~(1u << id);
    b->worker->fruitless = 0;
}

static bool complete(const struct sc_block *b, const struct barrier *bar)
{
    return bar->expected ? bar->arrived >= bar->expected : bar->threads >= b->live;
}

void sc_barriers_recheck(struct sc_block *b)
{
    for (uint32_t left = b->waited; left; left &= left - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(left);
        struct barrier *bar = &b->barriers[id];

        if (!bar->expected && complete(b, bar))
            release(b, id);
    }
}

void sc_barriers_clear(struct sc_block *b)
{
    for (uint32_t left = b->waited; left; left &= left - 1) {
        struct barrier *bar = &b->barriers[__builtin_ctz(left)];

        bar->arrived = bar->threads = bar->npred = bar->nwaiting = 0;
        sc_queue_init(&bar->waiting);
    }
    b->waited = 0;
}

/* Counts threads in. A count given by the program counts full warps, as the hardware does. */
static struct barrier *arrive(struct runner *r, uint32_t id, uint32_t nlanes, uint32_t expected, uint32_t npred)
{
    struct sc_block *b = r->warp.block;
    struct barrier *bar = &b->barriers[id % SC_BARRIERS];

    if (!(b->waited >> id % SC_BARRIERS & 1))
        bar->expected = expected;
    b->waited |= 1u << id % SC_BARRIERS;
    bar->arrived += nlanes == r->live ? SC_LANES : nlanes;
    bar->threads += nlanes;
    bar->npred += npred;
    return bar;
}

void sc_rt_barrier(struct sc_warp *w, uint32_t id, uint32_t nlanes, uint32_t expected)
{
    sc_rt_barrier_red(w, id, nlanes, expected, 0, NULL);
}

uint32_t sc_rt_barrier_red(struct sc_warp *w, uint32_t id, uint32_t nlanes, uint32_t expected, uint32_t npred, uint32_t *total)
{
    struct runner *r = sc_runner(w);
    struct barrier *bar = arrive(r, id, nlanes, expected, npred);

    if (complete(w->block, bar)) {
        r->red_count = bar->npred;
        r->red_total = bar->threads;
        release(w->block, id % SC_BARRIERS);
    } else {
        sc_queue_push(&bar->waiting, r);
        bar->nwaiting++;
        sc_worker_switch_away(r);
    }
    if (total)
        *total = r->red_total;
    return r->red_count;
}

void sc_rt_barrier_arrive(struct sc_warp *w, uint32_t id, uint32_t nlanes, uint32_t expected)
{
    struct barrier *bar = arrive(sc_runner(w), id, nlanes, expected, 0);

    if (complete(w->block, bar))
        release(w->block, id % SC_BARRIERS);
}

void sc_rt_exited(struct sc_warp *w, uint32_t nlanes)
{
    struct runner *r = sc_runner(w);

    if (!r->worker->grid->may_wait)
        return;
    if (nlanes > r->live)
        nlanes = r->live;
    r->live -= nlanes;
    w->block->live -= nlanes;
    if (w->block->waited)
        sc_barriers_recheck(w->block);
}

/* Nobody on this thread can go on but by what another thread does. */
static void let_others_run(struct sc_worker *wk)
{
    const struct timespec nap = { .tv_nsec = 20000 };

    if (wk->naps++ < NAP_AFTER)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

void sc_rt_yield(struct sc_warp *w)
{
    struct runner *r = sc_runner(w);
    struct sc_worker *wk = r->worker;
    unsigned patience;

    if (atomic_load_explicit(&wk->grid->stop, memory_order_relaxed))
        sc_worker_abandon(r);
    if (!wk->grid->may_wait) {
        sched_yield();
        return;
    }
    sc_worker_make_ready(wk, r);
    patience = wk->grid->cooperative ? wk->nready : wk->nready * PATIENCE;
    if (!wk->opening && wk->fruitless++ >= patience) {
        wk->fruitless = 0;
        if (sc_worker_open_block(wk))
            wk->naps = 0;
        else
            let_others_run(wk);
    }
    sc_worker_switch_away(r);
}

void sc_rt_nanosleep(struct sc_warp *w, uint32_t ns)
{
    struct runner *r = sc_runner(w);
    const struct timespec t = { .tv_nsec = ns < 1000000 ? ns : 1000000 };

    if (r->worker->grid->may_wait)
        sc_rt_yield(w);
    else if (ns >= 2000)            /* a shorter sleep costs more than it lasts */
        nanosleep(&t, NULL);
}

uint32_t sc_rt_is_local(const struct sc_warp *w, uint64_t address)
{
    const struct runner *r = (const struct runner *)w;

    return address - (uint64_t)(uintptr_t)r->local < r->local_size;
}

uint64_t sc_rt_clock(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t t;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#endif
}

uint64_t sc_rt_globaltimer(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
