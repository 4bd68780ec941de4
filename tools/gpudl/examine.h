/* examine.h - what there is on this machine, for gpudl doctor. Texts may be from outside: escape them on output. */
#ifndef GPUDL_TOOL_EXAMINE_H
#define GPUDL_TOOL_EXAMINE_H

#include <stdbool.h>
#include <stddef.h>

#include <gpudl/gpudl.h>

enum { MOST_DRIVERS = 3, MOST_DEVICES = 64, MOST_LACKS = 128, MOST_VARIABLES = 64,
    MOST_COMPILERS = 4, MOST_LINKERS = 2, MOST_MISSING = 8 };

struct device_finding {
    char name[256];
    int major, minor;
    size_t bytes;
};

struct lack_finding {
    const char *function, *without;
    int since;                      /* the CUDA version that brought it: 12040 for 12.4 */
};

struct driver_finding {
    const char *name, *places;      /* "nvidia"; where it was looked for */
    bool found;
    char text[4096];                /* its device, version and path; or why it is not usable */
    char emulated[1024];            /* what gpudl stands in with, as it is old; "" */
    int version, ndevices;
    struct device_finding devices[MOST_DEVICES];
    struct lack_finding lacks[MOST_LACKS];
    size_t nlacks;
};

struct variable_finding {
    char name[64];
    const char *value, *effect;
};

struct compiler_finding {
    char kind[16], path[4096];
};

struct missing_finding {
    const char *what, *purpose, *remedy;
};

struct findings {
    struct driver_finding drivers[MOST_DRIVERS];
    size_t ndrivers;
    uint64_t features;              /* gpudl_features() with the default driver */
    bool usable;                    /* the default driver has a device */
    char chosen[4096];              /* which it is, or why it is none */
    char cpu[128], llvm[512];
    unsigned threads;
    struct compiler_finding compilers[MOST_COMPILERS];     /* of CUDA C++, in the order of preference */
    size_t ncompilers;
    char no_compilers[2048];        /* where was looked for those that are not there; "" */
    gpudl_linker_info linkers[MOST_LINKERS];
    size_t nlinkers;
    gpudl_cache_info cache;
    bool names;                     /* can names be given as the source has them? */
    struct variable_finding variables[MOST_VARIABLES];
    size_t nvariables;
    struct missing_finding missing[MOST_MISSING];
    size_t nmissing;
};

void examine(struct findings *out);

#endif
