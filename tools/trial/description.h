/* description.h - what gpudl-trial is told (src/loader/life/trial_format.h), read and checked. */
#ifndef GPUDL_TRIAL_DESCRIPTION_H
#define GPUDL_TRIAL_DESCRIPTION_H

#include <gpudl/gpudl.h>

#include "src/util/span.h"

struct buffer {
    uint64_t size;
    unsigned element;           /* gpudl_trial_element */
    double absolute, relative;
    struct span content, expected;  /* lent; data is NULL: none was given */
    CUdeviceptr address;
};

/* One argument; a buffer's address comes in when there is one. */
struct argument {
    gpudl_arg arg;
    size_t buffer;              /* of GPUDL_TRIAL_ARG */
};

struct trial {
    char *kernel;               /* NULL: the image holds one */
    uint32_t grid[3], block[3], shared_bytes, device;
    struct buffer *buffers;
    struct argument *arguments;
    size_t nbuffers, narguments;
};

struct description {
    char *driver, *name, *target;   /* NULL: none was given */
    gpudl_load_options load;
    struct span image, names;   /* lent */
    uint64_t limit_ns;          /* 0: none */
    struct trial *trials;
    size_t ntrials;
};

/* NULL, or why it cannot be read; lends from bytes. What it allocates goes with the process, or description_free(). */
const char *description_read(struct span bytes, struct description *out);
/* The name in the image of what the kernel is called; or that itself. */
const char *description_name(const struct description *d, const char *kernel);
void description_free(struct description *d);

#endif
