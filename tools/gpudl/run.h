/* run.h - gpudl run, in two steps: what the command line asks for, and doing it. */
#ifndef GPUDL_TOOL_RUN_H
#define GPUDL_TOOL_RUN_H

#include "tools/gpudl/argument.h"
#include "tools/gpudl/command.h"
#include "tools/gpudl/compiling.h"

/* One --print or --save: what becomes of an argument after the launch. */
struct run_output {
    size_t index;           /* of the argument */
    size_t count;           /* elements to print; 0: all */
    const char *path;       /* to save to; NULL: print */
};

struct run_plan {
    const char *file, *kernel;      /* kernel NULL: the only one */
    unsigned grid[3], block[3], shared_bytes;
    int device;
    struct compiling compiling;
    struct argument *arguments;
    size_t narguments;
    struct run_output *outputs;     /* in the order of the command line */
    size_t noutputs;
    bool stats;
};

/* STATUS_OK and a plan, freed with run_plan_free; or another status, after having said why. */
int run_plan_parse(int argc, char **argv, struct run_plan *out);
void run_plan_free(struct run_plan *);
int run_plan_execute(struct run_plan *);

#endif
