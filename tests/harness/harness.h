/* harness.h - runs a scenario again and again with the n-th allocation, or the n-th driver call, failing: n = 1, 2, ...
 * until nothing fails any more. Each time: no crash, a status and a text, nothing left behind, and the same loader does its
 * work afterwards.
 *
 * A test that links the harness has malloc, calloc and realloc of everything in its executable wrapped: link gpudl's static
 * library. */
#ifndef HARNESS_H
#define HARNESS_H

#include <gpudl/gpudl.h>

#include "tests/nulldriver/nulldrv.h"

/* What a program does between opening a loader and closing it. Returns the first status that is not GPUDL_OK, with all it
 * took released. */
typedef gpudl_status harness_scenario(gpudl_loader *l, void *user);

const char *harness_null_driver(void);                  /* path of the null driver */
/* A loader over the null driver; its blocks are counted, its log is kept. */
gpudl_loader *harness_open(void);
gpudl_loader *harness_open_with(gpudl_loader_options options);   /* log and allocator are the harness's; so is a driver of NULL */
gpudl_loader *harness_open_keeping_nothing(void);       /* what nobody holds is unloaded at once */
void harness_close(gpudl_loader *l);                    /* asserts that nothing is left: blocks, libraries, contexts, misuse */
long harness_live_blocks(void);
size_t harness_largest_block(void);                     /* in bytes, of those that were asked for since the last call */
const char *harness_log(void);                          /* what was logged since the loader was opened, a line each */

void harness_fail_allocations(harness_scenario *scenario, void *user);
/* code: what the failing call returns. */
void harness_fail_driver_calls(int code, harness_scenario *scenario, void *user);
/* may_fail: further calls, up to NULL, whose failure need change nothing for the caller. */
void harness_fail_driver_calls_but(const char *const *may_fail, int code, harness_scenario *scenario, void *user);

#endif
