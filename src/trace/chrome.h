/* chrome.h - the trace's file, in Chrome's trace event format, which Perfetto reads: a JSON array, an event a line.
 *
 * A device is a process of the picture and a stream one of its threads; the program is process 1. The file is complete whenever
 * chrome_complete() has returned, until the next event. Not locked. */
#ifndef GPUDL_TRACE_CHROME_H
#define GPUDL_TRACE_CHROME_H

#include <stdio.h>

#include "src/trace/timeline.h"

enum { CHROME_TRACKS = 256 };

struct chrome {
    FILE *file;
    uint64_t start;             /* what is zero in it */
    bool seekable, complete;    /* complete: ends in a bracket, which the next event takes away */
    struct { uint32_t process; uint64_t thread; } named[CHROME_TRACKS];
    size_t nnamed;
    char device[64];            /* what the first one is called */
};

/* The file is open, and empty; lent. */
void gpudl__chrome_begin(struct chrome *c, FILE *file, const char *device, const char *times);
void gpudl__chrome_add(struct chrome *c, const struct trace_record *r);
bool gpudl__chrome_complete(struct chrome *c);     /* false: what was written is not on the disk */

#endif
