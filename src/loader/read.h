/* read.h - a source's bytes, read once into a private copy. */
#ifndef GPUDL_LOADER_READ_H
#define GPUDL_LOADER_READ_H

#include <gpudl/gpudl.h>

#include "src/util/span.h"

struct content {
    struct span bytes;          /* a NUL follows the last byte, not counted */
    char *name;                 /* for messages: the path, or "memory" */
};

/* On failure there is nothing to release. */
gpudl_status gpudl__content_read(const gpudl_source *source, struct content *out);
void gpudl__content_release(struct content *c);     /* what was moved out of it is NULL and left alone */

#endif
