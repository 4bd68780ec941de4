/* thread.h - what gpudl keeps of each thread: its last failure, and whether it is inside a launch.
 *
 * Records are made on a thread's first launch or failure, taken over by a later thread when theirs ends, and never freed: a
 * reader of the list needs no lock. They are the process's, not a loader's, so they are malloc's. */
#ifndef GPUDL_LOADER_THREAD_H
#define GPUDL_LOADER_THREAD_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/util/tls.h"

enum { THREAD_TEXT_SIZE = 4096 };

struct thread {
    alignas(64) _Atomic uint64_t pinned;    /* the epoch in which it entered a launch; 0: it is in none */
    _Atomic(const void *) launched;         /* the kernel that it launched last, which may be gone: to be compared only (poison.h) */
    alignas(64) struct thread *next;
    atomic_int taken;
    atomic_bool *cancelled;                 /* of the task that it runs, or NULL */
    int cuda;                               /* of the last failure */
    char text[THREAD_TEXT_SIZE];
};

extern THREAD_LOCAL struct thread *gpudl__self __attribute__((visibility("hidden")));

struct thread *gpudl__thread_register(void);    /* NULL: no memory */
struct thread *gpudl__thread_list(void);        /* all that ever were, through next */

/* The calling thread's; NULL: no memory. */
static inline struct thread *thread_self(void)
{
    struct thread *t = gpudl__self;

    return __builtin_expect(t != NULL, 1) ? t : gpudl__thread_register();
}

bool gpudl__thread_is_to_park(void);    /* workers.c: a loader's, which should give up what it waits for, as the process ends */

/* Was the task that the calling thread runs cancelled? */
static inline bool thread_cancelled(void)
{
    struct thread *t = thread_self();

    return (t && t->cancelled && atomic_load(t->cancelled)) || gpudl__thread_is_to_park();
}

#endif
