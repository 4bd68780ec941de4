/* gen.h - the generator's insides: arithmetic (gen_values.c), memory (gen_memory.c), control (gen_flow.c), lanes and barriers (gen_warp.c).
 *
 * It knows of each value whether all threads of the block have the same (then it may decide over a barrier) and, of 32-bit ones, between what numbers it
 * lies (then it may be an index as it is, and addresses keep the shapes that real programs have). */
#ifndef TESTS_FUZZPTX_GEN_H
#define TESTS_FUZZPTX_GEN_H

#include "tests/fuzzptx/program.h"

enum class { R, D, F, E, P, CLASSES };      /* 32 bits, 64 bits, f32, f64, predicates */

struct val { int id; bool uniform; int64_t low, high; };        /* low > high: unknown */
struct pool { struct val v[256]; int n; };
struct src { char text[32]; bool uniform; int64_t low, high; };

/* Who is here. */
struct flow {
    bool uniform;       /* all threads of the block that have not ended */
    char mask[16];      /* register with the lanes of this warp that are; "" if nobody knows */
    bool in_function;
    int leave, next;    /* labels of the innermost loop's end and next round, -1 */
    int depth, loops;
};

#define FUNCTIONS 3
#define VARS      24

struct gen {
    struct program *p;
    uint64_t random;
    int budget;                 /* statements left */
    int labels, ids[CLASSES];
    struct pool pool[CLASSES];
    int vars[CLASSES][VARS], nvars[CLASSES];    /* registers that are written again and again */
    int shared[2][2];           /* the same, uniform: R and D */
    int seen;                   /* R: what is looked at on the way goes into it, so that it counts in the end; -1: none */
    struct flow flow;
    int functions;              /* may be called */
    bool structured;            /* no tangles */
    bool plain;                 /* no early ends: somebody must come back */
    bool has_local, has_shared;
};

/* generate.c */
unsigned g_pick(struct gen *, unsigned n);
bool g_chance(struct gen *, unsigned percent);
void g_say(struct gen *, const char *format, ...) __attribute__((format(printf, 2, 3)));
int g_label(struct gen *);
void g_statements(struct gen *, int n);
void g_block(struct gen *, int n);          /* what is made in there is not seen behind */

/* gen_values.c */
extern const char *const g_prefix[CLASSES];
struct src g_source(struct gen *, enum class, bool uniform_only);
struct src g_register(struct gen *, enum class, bool uniform_only);   /* no number */
int g_new(struct gen *, enum class);
int g_var(struct gen *, enum class);
void g_new_vars(struct gen *);              /* some more of them, for now */
void g_keep(struct gen *, enum class, int id, bool uniform, int64_t low, int64_t high);
void g_compute(struct gen *);               /* one statement of arithmetic */
void g_look(struct gen *, struct src);      /* at a 32-bit value */
void g_predicate(struct gen *, bool uniform);       /* a new predicate: the last in the pool */
/* Somewhere to put a value: a new register, or one of the variables. guard gets "@%p3 " or "". */
struct target { int id; bool fresh; char guard[40]; enum class class; };
struct target g_target(struct gen *, enum class);
void g_done(struct gen *, struct target, bool uniform, int64_t low, int64_t high);

/* gen_memory.c */
void g_access(struct gen *);
struct src g_index(struct gen *, uint32_t n, int64_t *add);     /* index + *add is from 0 to n - 1 */

/* gen_flow.c */
void g_if(struct gen *);
void g_loop(struct gen *);
void g_switch(struct gen *);
void g_tangle(struct gen *);
void g_lock(struct gen *);
void g_leave(struct gen *);
void g_call(struct gen *);
void g_function(struct gen *, int number);

/* gen_warp.c */
void g_lanes(struct gen *);
void g_barrier(struct gen *);

#endif
