/* calls.h - the driver calls that loading, unloading and finding out what is done are made of, each with what must be there
 * before it. */
#ifndef BENCH_DRIVER_CALLS_H
#define BENCH_DRIVER_CALLS_H

#include "bench/driver/experiment.h"

/* What calls are made on. Made by subject_prepare, except image, and given back by subject_drop. */
struct subject {
    struct experiment *x;
    const void *image;
    CUlibrary library;
    CUkernel one, two;
    CUfunction function;  /* one's */
    CUmodule module, own; /* the library's; one loaded by itself */
    CUevent event;
    CUstream stream;
    CUdeviceptr memory;
    CUuserObject object;
    CUgraph graph; /* of an empty kernel */
    CUgraphExec exec;
};

enum { IN_RESIDENCY = 1, IN_CAPTURE = 2, IN_IDLE = 4 }; /* which experiments make a call */

struct driver_call {
    const char *name;
    unsigned in;
    enum state { NOTHING, LOADED, WITH_MODULE, WITH_FUNCTION, RESIDENT, OWN_MODULE, WITH_GRAPH, WITH_EXECUTABLE } before; /* of code; each with all others */
    int (*make)(void *subject);
};
extern const struct driver_call driver_calls[]; /* up to one without a name */

/* The event is recorded behind work that is done. */
bool subject_prepare(struct subject *, struct experiment *, const void *image, enum state);
void subject_drop(struct subject *);
/* Loads, and makes resident; what residency and idle time. */
int make_resident(void *subject);
int unload(void *subject);

#endif
