/* leaks.h - SOFTCUDA_LEAKS=1: what a program has not given back, a line each on stderr, when a context ends and when the process does. */
#ifndef SOFTCUDA_API_LEAKS_H
#define SOFTCUDA_API_LEAKS_H

#include "softcuda/api/objects.h"

void sc_leaks_of_context(CUcontext);    /* which ends, but still has everything */
void sc_leak(CUcontext, const char *what, uint64_t address, uint64_t size, uint64_t id);    /* one line; id: how many came before */
void sc_mem_leaks(CUcontext);           /* memory.c: host memory */
void sc_pool_leaks(CUcontext);          /* poolblock.c */
void sc_graph_memory_leaks(CUcontext);  /* graphmemory.c */

#endif
