/* life.h - whether something is still there, for those who outlive it: graphs do not keep the code of their kernels. */
#ifndef SOFTCUDA_API_LIFE_H
#define SOFTCUDA_API_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct sc_life { atomic_uint refs; atomic_bool ended; };

static inline struct sc_life *sc_life_create(void)
{
    struct sc_life *l = malloc(sizeof(*l));

    if (l) {
        atomic_init(&l->refs, 1);
        atomic_init(&l->ended, false);
    }
    return l;
}

static inline struct sc_life *sc_life_ref(struct sc_life *l)
{
    atomic_fetch_add(&l->refs, 1);
    return l;
}

static inline void sc_life_unref(struct sc_life *l)     /* accepts NULL */
{
    if (l && atomic_fetch_sub(&l->refs, 1) == 1)
        free(l);
}

/* By the one that lives, which gives up its reference. Accepts NULL. */
static inline void sc_life_end(struct sc_life *l)
{
    if (l)
        atomic_store(&l->ended, true);
    sc_life_unref(l);
}

static inline bool sc_life_ended(const struct sc_life *l)
{
    return atomic_load(&l->ended);
}

#endif
