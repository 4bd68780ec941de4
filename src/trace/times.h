/* times.h - where the times of what devices do come from. One of these is chosen when a trace begins:
 *
 * cupti      CUPTI's activity records: exact, everything in the process. NVIDIA's driver, where no other profiler is attached
 * softcuda   softcuda tells, by a function that it exports: exact, everything in the process
 * events     an event before and one behind each launch, copy and fill that goes through gpudl. Any driver; durations hold what lies
 *            between the two, some microseconds */
#ifndef GPUDL_TRACE_TIMES_H
#define GPUDL_TRACE_TIMES_H

#include "src/trace/timeline.h"
#include "src/trace/trace.h"
#include "src/util/text.h"

struct trace_times {
    const char *words;          /* "CUPTI's" */
    /* Around a launch through gpudl, on its thread; they set l->number. NULL: nothing is to be done. */
    void (*before)(struct trace_launch *l);
    void (*after)(struct trace_launch *l, int err);
    /* Hands what is known to the timeline. last: the process ends; waits for a moment for what is not finished, then closes. */
    void (*settle)(bool last);
    const gpudl_driver_table *wrapped;  /* functions to hand out in place of the driver's own; NULL: those */
};

/* Each: NULL, it is not to be had here, and why says so; else it tells the timeline from now on. One a process. */
const struct trace_times *gpudl__times_cupti(struct timeline *t, const char *path, struct text *why);
const struct trace_times *gpudl__times_softcuda(struct timeline *t, const struct driver *d, struct text *why);
const struct trace_times *gpudl__times_events(struct timeline *t, const struct driver *d, struct text *why);

/* copies.c: the driver's functions, with events around copies and fills. */
const gpudl_driver_table *gpudl__copies_wrap(const gpudl_driver_table *real);

#endif
