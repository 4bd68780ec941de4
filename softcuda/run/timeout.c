/* timeout.c - see timeout.h. One thread watches, started with the first grid. */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "softcuda/run/timeout.h"

#define AGAIN       5000000u            /* ns between two signals to the same thread */
#define MAX_RANGES  1024

static struct { pthread_once_t once; double seconds; } setting = { .once = PTHREAD_ONCE_INIT };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;
    struct sc_grid *grids;              /* by the order of their deadlines */
    struct sc_grid **end;
    struct sc_worker *workers;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .end = &watch.grids };

/* Code of libraries and the program: everywhere else is machine code of kernels. Written by the watcher before it sends a signal. */
static struct { uint64_t from, size; } ranges[MAX_RANGES];
static unsigned nranges;

static void read_setting(void)
{
    const char *wish = secure_getenv("SOFTCUDA_TIMEOUT");
    double n = wish ? strtod(wish, NULL) : 0;

    setting.seconds = n > 0 && n < 1e9 ? n : 0;
}

double sc_timeout_seconds(void)
{
    pthread_once(&setting.once, read_setting);
    return setting.seconds;
}

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    for (unsigned i = 0; i < info->dlpi_phnum && nranges < MAX_RANGES; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
            ranges[nranges].from = info->dlpi_addr + p->p_vaddr;
            ranges[nranges++].size = p->p_memsz;
        }
    }
    return nranges == MAX_RANGES;
}

bool sc_timeout_may_leave(uint64_t pc)
{
    for (unsigned i = 0; i < nranges; i++)
        if (pc - ranges[i].from < ranges[i].size)
            return false;
    return nranges && nranges < MAX_RANGES;
}

/* The lock is held. */
static void interrupt(const struct sc_grid *g)
{
    for (struct sc_worker *wk = watch.workers; wk; wk = wk->next_timed)
        if (wk->grid == g)
            pthread_kill(wk->thread, SC_TIMEOUT_SIGNAL);
}

static void install(struct sigaction *old)
{
    struct sigaction ours = { .sa_sigaction = sc_fault_interrupt, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

    sigemptyset(&ours.sa_mask);
    sigaction(SC_TIMEOUT_SIGNAL, &ours, old);
}

static void sleep_until(uint64_t when)
{
    const struct timespec t = { (time_t)(when / 1000000000u), (long)(when % 1000000000u) };

    pthread_cond_timedwait(&watch.changed, &watch.lock, &t);
}

/* Ends the first grid. The lock is held, but for the pauses. */
static void end_first(struct sc_grid *g)
{
    struct sigaction old;

    nranges = 0;
    dl_iterate_phdr(note_object, NULL);
    install(&old);
    sc_grid_fail(g, SC_FAULT_TIMEOUT, 0, (const uint32_t[3]){ 0, 0, 0 });
    while (watch.grids == g) {
        interrupt(g);
        sleep_until(now() + AGAIN);
    }
    sigaction(SC_TIMEOUT_SIGNAL, &old, NULL);
}

static void *watcher_main(void *name)
{
    pthread_setname_np(pthread_self(), name);
    pthread_mutex_lock(&watch.lock);
    for (;;) {
        if (!watch.grids)
            pthread_cond_wait(&watch.changed, &watch.lock);
        else if (now() < watch.grids->deadline)
            sleep_until(watch.grids->deadline);
        else
            end_first(watch.grids);
    }
    return NULL;
}

void sc_timeout_begin(struct sc_grid *g)
{
    if (!sc_timeout_seconds())
        return;
    pthread_mutex_lock(&watch.lock);
    g->deadline = now() + (uint64_t)(setting.seconds * 1e9);
    g->next_timed = NULL;
    *watch.end = g;
    watch.end = &g->next_timed;
    if (!watch.started)
        watch.started = !sc_thread_start(watcher_main, "softcuda-watch");
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
}

void sc_timeout_end(struct sc_grid *g)
{
    struct sc_grid **at = &watch.grids;

    if (!sc_timeout_seconds())
        return;
    pthread_mutex_lock(&watch.lock);
    while (*at != g)
        at = &(*at)->next_timed;
    if (!(*at = g->next_timed))
        watch.end = at;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
}

void sc_timeout_enter(struct sc_worker *wk)
{
    if (!sc_timeout_seconds())
        return;
    pthread_mutex_lock(&watch.lock);
    wk->thread = pthread_self();
    wk->next_timed = watch.workers;
    watch.workers = wk;
    pthread_mutex_unlock(&watch.lock);
}

void sc_timeout_leave(struct sc_worker *wk)
{
    struct sc_worker **at = &watch.workers;

    if (!sc_timeout_seconds())
        return;
    pthread_mutex_lock(&watch.lock);
    while (*at != wk)
        at = &(*at)->next_timed;
    *at = wk->next_timed;
    pthread_mutex_unlock(&watch.lock);
}
