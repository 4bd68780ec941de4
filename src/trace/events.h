/* events.h - an event before and one behind what a stream is given. */
#ifndef GPUDL_TRACE_EVENTS_H
#define GPUDL_TRACE_EVENTS_H

#include <gpudl/driver.h>

#include "src/trace/timeline.h"

struct timed;

/* Before the call that gives the stream something to do; NULL: it will not be timed, as where the stream is captured. */
struct timed *gpudl__events_before(CUstream stream);
/* Behind that call, which returned err; t may be NULL. r: all but device, track and times; its texts are copied. */
void gpudl__events_after(struct timed *t, struct trace_record *r, int err);

#endif
