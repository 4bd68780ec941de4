/* nvtx.h - ranges for an attached profiler. One that knows NVTX names its library in NVTX_INJECTION64_PATH; nothing is there else, and a range
 * costs one load. */
#ifndef GPUDL_TRACE_NVTX_H
#define GPUDL_TRACE_NVTX_H

#include <stdbool.h>

void gpudl__nvtx_open(void);                            /* any number of times; looks once */
bool gpudl__nvtx_push(const char *what, const char *of);   /* "load k.ptx", in the domain "gpudl"; false: nobody listens */
void gpudl__nvtx_pop(void);

#endif
