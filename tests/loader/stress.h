/* stress.h - what test_stress.c, which runs the threads, and stress_actions.c, what they do, share. */
#ifndef TESTS_LOADER_STRESS_H
#define TESTS_LOADER_STRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/harness/harness.h"

enum { THREADS = 6, SHARED = 4, OWN = 8, VARIANTS = 8, GOOD = 6, FIRST_NUMBER = 1000, TEXT_SIZE = 1024, MOMENT = 1000000 /* ns */ };

/* The good ones can take each other's place; one lacks a kernel; one takes other parameters, and has a global. */
extern char texts[VARIANTS][TEXT_SIZE];
extern char folder[64];
const char *file_path(unsigned i);  /* of a shared library's file, in the folder */

extern struct stress {
    const char *driver;         /* NULL: the null driver */
    unsigned long seed, steps;
    gpudl_loader *loader;
    const gpudl_driver_table *cu;
    bool captures;
    pthread_barrier_t frame;    /* before all, and after: nobody captures then */
    pthread_rwlock_t capturing; /* held by those who capture; to be had by those who reap */
    struct {
        pthread_rwlock_t lock;  /* written by the one who releases and loads anew */
        gpudl_library *library;
    } shared[SHARED];
    atomic_int failed, running;
    atomic_ulong counts[32];
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*make)(void **, CUgraph, unsigned long long);
    int (*run)(void *, CUstream), (*drop)(CUgraph), (*drop_exec)(void *);
} stress;

struct graph {
    CUgraph graph;              /* the null driver's */
    void *exec;                 /* another's */
};

/* What a thread has, each in a place of its own; NULL: none. */
struct thread {
    uint64_t random;
    unsigned index;
    unsigned long step;
    const char *doing;
    CUstream stream;
    unsigned *words;            /* two, on device and host */
    gpudl_library *libraries[OWN];
    gpudl_kernel *kernels[OWN];
    gpudl_version *pins[OWN];
    gpudl_task *tasks[OWN];
    struct graph graphs[OWN];
};

unsigned pick(struct thread *, unsigned n);     /* less than n */
void fail(struct thread *, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool is_one_of(struct thread *, gpudl_status, ...);     /* these may be, up to -1, and GPUDL_OK: true then */

struct action {
    const char *name;
    void (*act)(struct thread *);
    unsigned weight;
};
extern const struct action actions[];
extern const unsigned action_count;

/* Those that are done before or after all others, too. */
void load(struct thread *);
void launch(struct thread *);
void write_file(struct thread *);
void let_all_go(struct thread *);

#endif
