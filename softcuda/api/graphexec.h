/* graphexec.h - what stands behind an executable graph. */
#ifndef SOFTCUDA_API_GRAPHEXEC_H
#define SOFTCUDA_API_GRAPHEXEC_H

#include "softcuda/api/graph.h"

struct step { int type; bool disabled; CUevent event; struct graph_work *work; struct graph_memory *memory; };

/* Shared by an executable and its launches; whoever is alone with it may change it. */
struct plan {
    atomic_uint refs;
    struct user_reference *users;       /* what must not go before the last launch has ended */
    size_t nusers;
    bool memory;                        /* some steps allocate or free */
    size_t n;
    struct step steps[];
};

/* A node of the executable's own graph, or of one inside it, and its step; a child graph's own node has none: SIZE_MAX. */
struct place { uint64_t origin; CUgraphNode node; size_t step; };

struct CUgraphExec_st {
    uint32_t magic;
    uint64_t flags;
    CUgraph graph;
    uint64_t source;                    /* serial number of the graph that it was made of */
    CUgraphExec next;                   /* of those that allocate or free memory */
    struct plan *plan;
    struct place *places;               /* rising by origin */
    size_t nplaces;
    pthread_mutex_t lock;               /* launching */
    struct op *last;                    /* of the latest launch, a reference */
};

/* A plan for a graph of the executable's own, and the places of its nodes. */
struct making { struct plan *plan; struct place *places; size_t nsteps, nplaces; CUgraphNode failed; };

CUresult sc_plan_make(struct making *, CUgraph);
void sc_plan_ref(struct plan *);
void sc_plan_unref(struct plan *);                      /* accepts NULL */
bool sc_node_has_work(int type);
/* The place of the caller's node in the executable, or NULL. */
struct place *sc_exec_find(CUgraphExec, const struct CUgraphNode_st *);

#endif
