/* trace.h - what a program does with its devices, as a timeline: a file for Perfetto or chrome://tracing, and tables (docs/TRACING.md).
 *
 *     loader (spans, launches) --> timeline --> chrome: the file
 *     device times: CUPTI, softcuda, events ----^   `--> tables
 *
 * There is one trace a process, and it lives as long as the process: a file is written by one, and wrapped driver functions cannot
 * tell whose they are. All calls may come from any thread. Nothing here fails for its caller: what cannot be recorded is counted and
 * left out. Its memory is malloc's, not a loader's. */
#ifndef GPUDL_TRACE_TRACE_H
#define GPUDL_TRACE_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpudl/gpudl.h>

#include "src/driver/driver.h"

struct trace;

struct trace_wish {
    const char *file;
    bool tables;                            /* print them at the end of the process */
    bool heed;                              /* GPUDL_TRACE_TIMES and GPUDL_TRACE_TABLES of the environment */
    const struct driver *driver;
    bool (*find_cupti)(char path[PATH_MAX]);
    char *(*demangle)(const char *name);    /* for the tables; NULL, or a result of NULL: the name as it is */
    void (*tell)(void *user, gpudl_log_level level, const char *text);
    void *user;                             /* tell's; both only during the call */
};

/* The process's trace, begun with the first call: NULL, and warned, when its file cannot be written. */
struct trace *gpudl__trace_open(const struct trace_wish *wish);
/* What is known is in the file, which is complete until more is added. Accepts NULL. */
void gpudl__trace_flush(struct trace *t);

/* The functions to hand out in place of these: the same, or such that copies and fills are seen. */
const gpudl_driver_table *gpudl__trace_table(struct trace *t, const gpudl_driver_table *real);

/* Something that takes time on the calling thread. A trace of NULL is accepted: then it is a range for an attached profiler at most. */
struct trace_span {
    struct trace *trace;
    uint64_t begin;
    bool pushed;
};
struct trace_span gpudl__trace_begin(struct trace *t, const char *what, const char *of);
void gpudl__trace_end(struct trace_span span, const char *what, const char *of, uint64_t bytes, bool failed);
/* Something that takes none worth telling; t may be NULL. */
void gpudl__trace_note(struct trace *t, const char *what, const char *of, uint64_t bytes);

/* A launch: filled but for the last members by its caller, around the driver's call. */
struct trace_launch {
    const gpudl_driver_table *driver;
    CUkernel handle;
    CUstream stream;
    const char *kernel, *source;
    const unsigned *grid, *block;
    unsigned shared;
    uint64_t begin, number;                 /* number: joins it to what the device did; 0: it is not known */
    struct timed *timed;                    /* events.c's */
};
void gpudl__trace_launch_begin(struct trace *t, struct trace_launch *l);
void gpudl__trace_launch_end(struct trace *t, struct trace_launch *l, int err);

#endif
