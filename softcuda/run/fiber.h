/* fiber.h - stacks to switch between on one OS thread. No scheduling in here.
 *
 * A switch saves the callee-saved registers; it makes no system call. All fibers of a thread share its floating-point control
 * words, which nobody changes while they run, so a switch leaves them alone. Sanitizers are told. */
#ifndef SOFTCUDA_RUN_FIBER_H
#define SOFTCUDA_RUN_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_FIBER_GUARD (64u << 10)      /* bytes below each stack that fault: frames larger than a page must not step over them */

struct sc_fiber {
    void *sp;                   /* where it stopped */
    unsigned char *stack;       /* lowest usable byte; the OS thread's own stack: NULL, unless a sanitizer told it */
    size_t size;
    size_t colour;              /* bytes left free at the top, so that the tops of many stacks do not share cache sets */
    struct sc_fiber *from;      /* who switched here last */
    void *fake_stack;           /* AddressSanitizer's */
    void *tsan;
};

/* Replaces the thread's floating-point control words, returns the old ones. The default: round to nearest, denormals kept,
 * exceptions masked. */
uint64_t sc_float_control(uint64_t set);
#if defined(__x86_64__)
#define SC_FLOAT_DEFAULT ((uint64_t)0x037f << 32 | 0x1f80)      /* x87 control, MXCSR */
#else
#define SC_FLOAT_DEFAULT ((uint64_t)0)                          /* FPCR */
#endif

/* The calling OS thread as a fiber to come back to. */
void sc_fiber_adopt_thread(struct sc_fiber *);
/* Reserves a stack. Returns 0, or -1 without memory. */
int  sc_fiber_create(struct sc_fiber *, size_t size, unsigned colour);
void sc_fiber_destroy(struct sc_fiber *);
/* The next switch to it calls entry(arg), which must not return. Forgets whatever was on its stack. */
void sc_fiber_prepare(struct sc_fiber *, void (*entry)(void *), void *arg);
void sc_fiber_switch(struct sc_fiber *self, struct sc_fiber *to);
/* First thing that an entry function calls. */
void sc_fiber_entered(struct sc_fiber *self);
/* Where a signal handler may restart an interrupted fiber: the top of its stack. */
void *sc_fiber_top(const struct sc_fiber *);
/* Is this address in the guard below the stack? */
bool sc_fiber_in_guard(const struct sc_fiber *, const void *address);

#endif
