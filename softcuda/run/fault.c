/* fault.c - a bad access in machine code ends the launch, not the process.
 *
 * The handler of SIGSEGV and its kin is the process's; it touches only faults of threads that are inside a grid, and hands all
 * others to the handler that was there before. It does not jump: it sends the interrupted fiber to landing(), at the top of its
 * own stack, and returns. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "softcuda/run/timeout.h"

#define ALT_STACK_SIZE (64u << 10)      /* a frame with AVX-512 state alone takes some 3 KiB */

#define NSIGNALS 4

static const int signals[NSIGNALS] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
/* Who handled each signal before us, newest first. Never freed: a handler may be reading it. */
struct earlier { struct sigaction action; struct earlier *older; };
static _Atomic(struct earlier *) previous[NSIGNALS];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local void *alt_stack;

void sc_rt_fault(struct sc_warp *w, uint32_t fault, uint64_t address)
{
    struct runner *r = sc_runner(w);

    sc_grid_fail(r->worker->grid, fault, address, w->ctaid);
    sc_worker_abandon(r);
}

static _Noreturn void landing(void)
{
    sc_worker_abandon(sc_this_worker->current);
}

static int slot(int sig)
{
    int i = 0;

    while (signals[i] != sig)
        i++;
    return i;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = &atomic_load(&previous[slot(sig)])->action;

    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(sig, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    else
        signal(sig, SIG_DFL);           /* the instruction runs again and ends the process as it would have without us */
}

static enum sc_fault fault_of(int sig, const siginfo_t *info, const struct runner *r)
{
    if (sig == SIGILL)
        return SC_FAULT_ILLEGAL_INSTRUCTION;
    if (sig == SIGFPE)
        return SC_FAULT_TRAP;
    if (sig == SIGBUS && info->si_code == BUS_ADRALN)
        return SC_FAULT_MISALIGNED;
    return sc_fiber_in_guard(&r->fiber, info->si_addr) ? SC_FAULT_STACK_OVERFLOW : SC_FAULT_ILLEGAL_ADDRESS;
}

static void send_to(ucontext_t *uc, void (*where)(void), void *stack)
{
#if defined(__x86_64__)
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)where;
    uc->uc_mcontext.gregs[REG_RSP] = (greg_t)stack - 8;     /* as after a call */
    uc->uc_mcontext.gregs[REG_EFL] &= ~0x400;               /* direction flag */
#else
    uc->uc_mcontext.pc = (uint64_t)where;
    uc->uc_mcontext.sp = (uint64_t)stack;
#endif
}

static void handler(int sig, siginfo_t *info, void *context)
{
    struct sc_worker *wk = sc_this_worker;

    if (!wk || !wk->current || info->si_code <= 0) {        /* si_code <= 0: sent by somebody, not by an instruction */
        pass_on(sig, info, context);
        return;
    }
    sc_grid_fail(wk->grid, fault_of(sig, info, wk->current), (uint64_t)(uintptr_t)info->si_addr, wk->current->warp.ctaid);
    send_to(context, landing, sc_fiber_top(&wk->current->fiber));
}

static uint64_t pc_of(const ucontext_t *uc)
{
#if defined(__x86_64__)
    return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#else
    return uc->uc_mcontext.pc;
#endif
}

void sc_fault_interrupt(int sig, siginfo_t *info, void *context)
{
    struct sc_worker *wk = sc_this_worker;

    (void)sig, (void)info;
    if (wk && wk->current && atomic_load(&wk->grid->stop) && sc_timeout_may_leave(pc_of(context)))
        send_to(context, landing, sc_fiber_top(&wk->current->fiber));
}

static bool same_handler(const struct sigaction *a, const struct sigaction *b)
{
    return (a->sa_flags & SA_SIGINFO) == (b->sa_flags & SA_SIGINFO) && a->sa_handler == b->sa_handler;
}

/* A program that puts its own handler back again and again costs no memory. */
static void install(int i)
{
    struct earlier *newest = atomic_load(&previous[i]), *e;
    struct sigaction ours, old;

    sigaction(signals[i], NULL, &old);
    if (!newest || !same_handler(&newest->action, &old)) {
        if (!(e = malloc(sizeof(*e))))
            return;
        e->action = old;
        e->older = newest;
        atomic_store(&previous[i], e);
    }
    memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signals[i], &ours, NULL);
}

static bool is_ours(int i)
{
    struct sigaction now;

    return !sigaction(signals[i], NULL, &now) && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler;
}

void sc_fault_claim_signals(void)
{
    if (is_ours(0))
        return;
    pthread_mutex_lock(&install_lock);
    for (int i = 0; i < NSIGNALS; i++)
        if (!is_ours(i))
            install(i);
    pthread_mutex_unlock(&install_lock);
}

void sc_fault_thread_init(void)
{
    stack_t ss = { .ss_size = ALT_STACK_SIZE };
    sigset_t ours;

    sigemptyset(&ours);
    for (int i = 0; i < NSIGNALS; i++)
        sigaddset(&ours, signals[i]);
    if (sc_timeout_seconds())
        sigaddset(&ours, SC_TIMEOUT_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    ss.ss_sp = mmap(NULL, ALT_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ss.ss_sp == MAP_FAILED)
        return;                         /* faults other than stack overflow are still caught */
    alt_stack = ss.ss_sp;
    sigaltstack(&ss, NULL);
}

int sc_thread_start(void *(*start)(void *), const char *name)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    int err;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&thread, &attr, start, (void *)(uintptr_t)name);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return err ? -1 : 0;
}

void sc_fault_thread_exit(void)
{
    stack_t ss = { .ss_flags = SS_DISABLE };

    if (!alt_stack)
        return;
    sigaltstack(&ss, NULL);
    munmap(alt_stack, ALT_STACK_SIZE);
    alt_stack = NULL;
}
