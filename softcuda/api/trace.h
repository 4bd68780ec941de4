/* trace.h - what the program does, as a timeline: SOFTCUDA_TRACE=FILE, for Perfetto or chrome://tracing, and whoever listens
 * (softcuda/activity.h). Costs one load where it is off. */
#ifndef SOFTCUDA_API_TRACE_H
#define SOFTCUDA_API_TRACE_H

#include "softcuda/activity.h"
#include "softcuda/api/objects.h"

struct sc_launch_shape { const char *kernel; const uint32_t *grid, *block; uint32_t static_shared, dynamic_shared; };

enum { SC_TRACE_FILE = 1, SC_TRACE_LISTENER = 2 };

extern atomic_uint sc_tracing;
extern _Thread_local uint64_t sc_trace_stream;      /* id of the stream whose operation this thread runs; 0: none */
extern _Thread_local uint64_t sc_trace_mark;        /* that operation's */
extern _Thread_local uint64_t sc_next_mark;         /* of operations that this thread makes */

void sc_trace_open(void);               /* once, when the driver is initialised */
/* When something begins: 0 where nothing is traced, and then the calls below do nothing. */
static inline uint64_t sc_trace_begin(void)
{
    return atomic_load_explicit(&sc_tracing, memory_order_relaxed) ? sc_now() : 0;
}
/* It has ended. */
void sc_trace_kernel(uint64_t begin, CUcontext, const struct sc_launch_shape *);
void sc_trace_copy(uint64_t begin, CUcontext, uint64_t to, uint64_t from, uint64_t bytes);
void sc_trace_fill(uint64_t begin, CUcontext, uint64_t bytes);
void sc_trace_host(uint64_t begin, const char *what, const char *detail);   /* on the calling thread */

void sc_tell(const struct softcuda_activity *);     /* activity.c: to the listener, if there is one */

#endif
