/* graphmemory.h - memory that graphs allocate and free. Private to api/.
 *
 * An allocation has its address, and here its memory too, from the making of its node on, until no graph, executable or launch knows
 * it any more and nobody has it allocated. A launch allocates it; a free node, cuMemFreeAsync or cuMemFree frees it, in the order in
 * which the calls are made. */
#ifndef SOFTCUDA_API_GRAPHMEMORY_H
#define SOFTCUDA_API_GRAPHMEMORY_H

#include "softcuda/api/objects.h"

struct graph_memory;
struct plan;

/* Checks what is asked for; the caller has a reference. */
CUresult sc_graph_memory_create(const struct sc_abi_alloc_node *, struct graph_memory **);
struct graph_memory *sc_graph_memory_ref(struct graph_memory *);        /* accepts NULL, as does unref */
void sc_graph_memory_unref(struct graph_memory *);
/* The allocation that begins there, a reference, or NULL. */
struct graph_memory *sc_graph_memory_at(uint64_t address);
const struct sc_abi_alloc_node *sc_graph_memory_params(const struct graph_memory *);

/* It is allocated in a graph of this serial number. */
void sc_graph_memory_belongs(struct graph_memory *, uint64_t graph);
/* May that graph free it? Then it is marked: either its own graph frees it or others do. */
CUresult sc_graph_memory_free_in(struct graph_memory *, uint64_t graph, bool mark);

/* A launch of the plan into a stream of the context allocates and frees, or may not. */
CUresult sc_graph_memory_launch(const struct plan *, bool auto_free, CUcontext);
/* A program frees it; CUDA_ERROR_NOT_FOUND: it is no graph's. The caller gets the reference of who had it allocated. */
CUresult sc_graph_memory_free(uint64_t p, struct graph_memory **);
void sc_graph_memory_leave(CUcontext);          /* what was allocated in the context, which ends */

bool sc_graph_memory_find(uint64_t address, struct mem_info *);
bool sc_graph_memory_allows(uint64_t address, const struct device *);

#endif
