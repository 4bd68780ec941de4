/* worker.c - see worker.h. */
#include "softcuda/run/timeout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_SIZE      ((size_t)1 << 20)       /* of a runner; touched pages only are real */
/* Around the shared memory of a block lie 2 GiB either way that fault: a 32-bit offset, signed, meets nothing else. The memory a block has
 * ends where that begins, to 128 bytes. */
#define SHARED_WINDOW   ((size_t)1 << 32)
#define SHARED_ALIGN    128u
#define RESIDENT_MAX    32                      /* blocks of an ordinary grid that one worker interleaves */
#define PAGE            ((size_t)4096)

_Thread_local struct sc_worker *sc_this_worker __attribute__((tls_model("initial-exec")));

void sc_queue_init(struct queue *q)
{
    q->first = NULL;
    q->end = &q->first;
}

void sc_queue_push(struct queue *q, struct runner *r)
{
    r->next = NULL;
    *q->end = r;
    q->end = &r->next;
}

struct runner *sc_queue_pop(struct queue *q)
{
    struct runner *r = q->first;

    if (r && !(q->first = r->next))
        q->end = &q->first;
    return r;
}

void sc_worker_make_ready(struct sc_worker *wk, struct runner *r)
{
    sc_queue_push(&wk->ready, r);
    wk->nready++;
}

void sc_worker_make_all_ready(struct sc_worker *wk, struct queue *q, unsigned n)
{
    if (!q->first)
        return;
    *wk->ready.end = q->first;
    wk->ready.end = q->end;
    wk->nready += n;
    sc_queue_init(q);
}

static struct runner *pop_ready(struct sc_worker *wk)
{
    struct runner *r = sc_queue_pop(&wk->ready);

    if (r)
        wk->nready--;
    return r;
}

static void runner_main(void *);

static struct runner *runner_create(struct sc_worker *wk)
{
    struct runner *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);

    if (!r)
        return NULL;
    memset(r, 0, sizeof(*r));
    if (sc_fiber_create(&r->fiber, STACK_SIZE, wk->nrunners)) {
        free(r);
        return NULL;
    }
    r->worker = wk;
    r->older = wk->runners;
    wk->runners = r;
    wk->nrunners++;
    sc_fiber_prepare(&r->fiber, runner_main, r);
    return r;
}

static struct runner *take_idle(struct sc_worker *wk)
{
    struct runner *r = wk->idle;

    if (!r)
        return runner_create(wk);
    wk->idle = r->next;
    return r;
}

static void put_idle(struct sc_worker *wk, struct runner *r)
{
    r->next = wk->idle;
    wk->idle = r;
}

/* Local memory for one warp, with room behind it that faults. */
static int reserve_local(struct runner *r, size_t size)
{
    size_t rounded = (size + PAGE - 1) & ~(PAGE - 1);
    unsigned char *p;

    if (size <= r->local_size)
        return 0;
    if (r->local)
        munmap(r->local, r->local_size + SC_FIBER_GUARD);
    r->local = NULL;
    r->local_size = 0;
    p = mmap(NULL, rounded + SC_FIBER_GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -1;
    if (mprotect(p, rounded, PROT_READ | PROT_WRITE)) {
        munmap(p, rounded + SC_FIBER_GUARD);
        return -1;
    }
    r->local = p;
    r->local_size = rounded;
    return 0;
}

static struct sc_block *block_create(struct sc_worker *wk)
{
    struct sc_block *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->shared = mmap(NULL, SHARED_WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    b->shared_end = b->shared + SHARED_WINDOW / 2;
    if (b->shared == MAP_FAILED || mprotect(b->shared_end - SC_SHARED_MAX, SC_SHARED_MAX, PROT_READ | PROT_WRITE)) {
        if (b->shared != MAP_FAILED)
            munmap(b->shared, SHARED_WINDOW);
        free(b);
        return NULL;
    }
    for (unsigned i = 0; i < SC_BARRIERS; i++)
        sc_queue_init(&b->barriers[i].waiting);
    b->worker = wk;
    b->older = wk->blocks;
    wk->blocks = b;
    return b;
}

static unsigned char *shared_begin(const struct sc_block *b)
{
    const struct sc_warp *m = &b->worker->model;

    return b->shared_end - (m->shared_bytes + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
}

static struct sc_block *take_block(struct sc_worker *wk)
{
    struct sc_block *b = wk->free_blocks;

    if (!b)
        return block_create(wk);
    wk->free_blocks = b->next;
    return b;
}

/* Steps on by n blocks, at most to the row's end. */
static void step(struct sc_worker *wk, uint32_t n)
{
    const struct sc_grid *g = wk->grid;

    wk->next += n;
    wk->at[0] += n;
    if (wk->at[0] != g->nctaid[0])
        return;
    wk->at[0] = 0;
    if (++wk->at[1] == g->nctaid[1]) {
        wk->at[1] = 0;
        wk->at[2]++;
    }
}

/* The index of the next block goes to ctaid: 1, or 0 when there is none. */
static int claim(struct sc_worker *wk, uint32_t ctaid[3])
{
    struct sc_grid *g = wk->grid;

    if (wk->next == wk->end) {
        if (atomic_load_explicit(&g->stop, memory_order_relaxed)
            || atomic_load_explicit(&g->claimed, memory_order_relaxed) >= g->nblocks)
            return 0;
        wk->next = atomic_fetch_add_explicit(&g->claimed, g->chunk, memory_order_relaxed);
        if (wk->next >= g->nblocks) {
            wk->end = wk->next;
            return 0;
        }
        wk->end = g->nblocks - wk->next < g->chunk ? g->nblocks : wk->next + g->chunk;
        wk->at[0] = (uint32_t)(wk->next % g->nctaid[0]);
        wk->at[1] = (uint32_t)(wk->next / g->nctaid[0] % g->nctaid[1]);
        wk->at[2] = (uint32_t)(wk->next / g->nctaid[0] / g->nctaid[1]);
    }
    memcpy(ctaid, wk->at, sizeof(wk->at));
    step(wk, 1);
    return 1;
}

/* As claim, but all that was taken at once of one row of the grid: how many blocks, or 0. */
static uint32_t claim_row(struct sc_worker *wk, uint32_t ctaid[3])
{
    uint64_t more;
    uint32_t row;

    if (!claim(wk, ctaid))
        return 0;
    row = wk->grid->nctaid[0] - 1 - ctaid[0];
    more = wk->end - wk->next < row ? wk->end - wk->next : row;
    if (more)
        step(wk, (uint32_t)more);
    return 1 + (uint32_t)more;
}

int sc_worker_open_block(struct sc_worker *wk)
{
    struct sc_block *b;

    if (!wk->grid->cooperative && wk->resident >= RESIDENT_MAX)
        return 0;
    if (!(b = take_block(wk))) {
        if (!wk->resident)
            sc_grid_fail(wk->grid, SC_FAULT_RESOURCES, 0, wk->at);
        return 0;
    }
    if (!claim(wk, b->ctaid)) {
        b->next = wk->free_blocks;
        wk->free_blocks = b;
        return 0;
    }
    b->begun = 0;
    b->unfinished = wk->nwarps;
    b->live = wk->nthreads;
    wk->opening = b;
    wk->resident++;
    wk->fruitless = 0;
    return 1;
}

/* What a warp needs and the grid does not change. */
static int enter_grid(struct runner *r)
{
    struct sc_worker *wk = r->worker;

    if (reserve_local(r, wk->grid->local_bytes))
        return -1;
    r->warp = wk->model;
    r->warp.local_base = r->warp.local_top = r->local;
    r->warp.local_end = r->local ? r->local + r->local_size : NULL;
    r->serial = wk->serial;
    return 0;
}

static void finish_warp(struct runner *r, struct sc_block *b)
{
    struct sc_worker *wk = r->worker;

    b->live -= r->live;
    r->live = 0;
    wk->fruitless = 0;
    if (--b->unfinished) {
        if (b->waited)
            sc_barriers_recheck(b);
        return;
    }
    if (b->waited)
        sc_barriers_clear(b);
    b->next = wk->free_blocks;
    wk->free_blocks = b;
    wk->resident--;
}

static void run_warp(struct runner *r)
{
    struct sc_worker *wk = r->worker;
    struct sc_block *b = wk->opening;
    uint32_t index = b->begun++;

    if (b->begun == wk->nwarps)
        wk->opening = NULL;
    r->lanes = r->live = wk->nthreads - index * SC_LANES < SC_LANES ? wk->nthreads - index * SC_LANES : SC_LANES;
    r->warp.warp = index;
    r->warp.block = b;
    r->warp.shared = shared_begin(b);
    memcpy(r->warp.ctaid, b->ctaid, sizeof(b->ctaid));
    r->warp.local_top = r->local;
    wk->grid->code(&r->warp);
    finish_warp(r, b);
}

/* Warps that never wait: no accounts are kept. */
static void run_plain(struct runner *r)
{
    struct sc_worker *wk = r->worker;
    struct sc_block *b = take_block(wk);
    void (*code)(struct sc_warp *) = wk->grid->code;
    void (*code_blocks)(struct sc_warp *, uint32_t) = wk->grid->code_blocks;
    uint32_t nwarps = wk->nwarps, n;

    if (!b) {
        sc_grid_fail(wk->grid, SC_FAULT_RESOURCES, 0, wk->at);
        return;
    }
    r->warp.block = b;
    r->warp.shared = shared_begin(b);
    while (code_blocks && (n = claim_row(wk, r->warp.ctaid)))
        code_blocks(&r->warp, n);
    while (claim(wk, r->warp.ctaid)) {
        for (uint32_t i = 0; i < nwarps; i++) {
            r->warp.warp = i;
            r->warp.local_top = r->local;
            code(&r->warp);
        }
    }
    b->next = wk->free_blocks;
    wk->free_blocks = b;
}

static void resume(struct runner *self, struct runner *next)
{
    struct sc_worker *wk = self->worker;

    if (next == self)
        return;
    wk->current = next;
    sc_fiber_switch(&self->fiber, &next->fiber);
}

static void go_home(struct runner *self)
{
    struct sc_worker *wk = self->worker;

    wk->current = NULL;
    sc_fiber_switch(&self->fiber, &wk->home);
}

void sc_worker_abandon(struct runner *self)
{
    self->worker->aborted = true;
    go_home(self);
    __builtin_unreachable();
}

static _Noreturn void fail(struct runner *self, enum sc_fault why)
{
    sc_grid_fail(self->worker->grid, why, 0, self->warp.ctaid);
    sc_worker_abandon(self);
}

/* Warps of the open block first, so that all come to their barrier; then parked ones; then the next block. */
static void runner_step(struct runner *self)
{
    struct sc_worker *wk = self->worker;
    struct runner *next;

    if (atomic_load_explicit(&wk->grid->stop, memory_order_relaxed))
        sc_worker_abandon(self);
    if (wk->opening) {
        run_warp(self);
    } else if ((next = pop_ready(wk))) {
        put_idle(wk, self);
        resume(self, next);
    } else if (wk->resident) {
        fail(self, SC_FAULT_DEADLOCK);
    } else if (!sc_worker_open_block(wk)) {
        put_idle(wk, self);
        go_home(self);
    }
}

static void runner_main(void *arg)
{
    struct runner *self = arg;

    sc_fiber_entered(&self->fiber);
    for (;;) {
        if (self->serial != self->worker->serial && enter_grid(self))
            fail(self, SC_FAULT_RESOURCES);
        if (self->worker->grid->may_wait) {
            runner_step(self);
        } else {
            run_plain(self);
            put_idle(self->worker, self);
            go_home(self);
        }
    }
}

void sc_worker_switch_away(struct runner *self)
{
    struct sc_worker *wk = self->worker;
    struct runner *next;

    if (atomic_load_explicit(&wk->grid->stop, memory_order_relaxed))
        sc_worker_abandon(self);
    next = wk->opening ? take_idle(wk) : pop_ready(wk);
    if (!next)
        fail(self, wk->opening ? SC_FAULT_RESOURCES : SC_FAULT_DEADLOCK);
    resume(self, next);
}

/* After a failure: every stack is dropped, whatever it held. */
static void reset(struct sc_worker *wk)
{
    wk->idle = NULL;
    for (struct runner *r = wk->runners; r; r = r->older) {
        sc_fiber_prepare(&r->fiber, runner_main, r);
        put_idle(wk, r);
    }
    wk->free_blocks = NULL;
    for (struct sc_block *b = wk->blocks; b; b = b->older) {
        sc_barriers_clear(b);
        b->next = wk->free_blocks;
        wk->free_blocks = b;
    }
    sc_queue_init(&wk->ready);
    wk->nready = 0;
    wk->opening = NULL;
    wk->resident = 0;
    wk->aborted = false;
}

static void enter(struct sc_worker *wk, struct sc_grid *g, uint32_t smid)
{
    struct sc_warp *m = &wk->model;

    wk->grid = g;
    wk->serial++;
    wk->next = wk->end = 0;
    wk->fruitless = wk->naps = 0;
    wk->nthreads = g->ntid[0] * g->ntid[1] * g->ntid[2];
    wk->nwarps = (wk->nthreads + SC_LANES - 1) / SC_LANES;
    memset(wk->granted, 0, sizeof(wk->granted));
    memset(m, 0, sizeof(*m));
    m->params = g->params;
    m->globals = g->globals;
    memcpy(m->nctaid, g->nctaid, sizeof(m->nctaid));
    memcpy(m->ntid, g->ntid, sizeof(m->ntid));
    m->nwarps = wk->nwarps;
    m->smid = smid;
    m->nsmid = sc_pool_threads();
    m->memory_base = g->memory_size ? g->memory_base : 0;
    m->memory_size = g->memory_size ? g->memory_size : UINT64_MAX;
    m->shared_bytes = g->static_shared + g->dynamic_shared;
    m->static_shared_bytes = g->static_shared;
    m->dynamic_shared_bytes = g->dynamic_shared;
    m->gridid = g->gridid;
    m->envreg1_2 = g->envreg1_2;
    m->heap = (uint64_t)(uintptr_t)g->services;
}

void sc_worker_run(struct sc_worker *wk, struct sc_grid *g, uint32_t smid)
{
    struct runner *r = take_idle(wk);
    uint64_t callers;

    if (!r) {
        sc_grid_fail(g, SC_FAULT_RESOURCES, 0, (const uint32_t[3]){ 0 });
        return;
    }
    enter(wk, g, smid);
    sc_timeout_enter(wk);
    wk->current = r;
    callers = sc_float_control(SC_FLOAT_DEFAULT);
    sc_this_worker = wk;
    sc_fiber_switch(&wk->home, &r->fiber);
    sc_this_worker = NULL;
    sc_float_control(callers);
    sc_timeout_leave(wk);
    if (wk->aborted)
        reset(wk);
    wk->grid = NULL;
}

struct sc_worker *sc_worker_create(void)
{
    struct sc_worker *wk = calloc(1, sizeof(*wk));

    if (!wk)
        return NULL;
    sc_fiber_adopt_thread(&wk->home);
    sc_queue_init(&wk->ready);
    return wk;
}

void sc_worker_destroy(struct sc_worker *wk)
{
    if (!wk)
        return;
    while (wk->runners) {
        struct runner *r = wk->runners;

        wk->runners = r->older;
        sc_fiber_destroy(&r->fiber);
        if (r->local)
            munmap(r->local, r->local_size + SC_FIBER_GUARD);
        free(r);
    }
    while (wk->blocks) {
        struct sc_block *b = wk->blocks;

        wk->blocks = b->older;
        munmap(b->shared, SHARED_WINDOW);
        free(b);
    }
    free(wk);
}
