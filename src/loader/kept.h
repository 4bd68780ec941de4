/* kept.h - a source and its options, for later than the call that they came with. */
#ifndef GPUDL_LOADER_KEPT_H
#define GPUDL_LOADER_KEPT_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

#include "src/util/arena.h"

struct kept {
    gpudl_source source;
    gpudl_load_options options;
    gpudl_host_table host;
    bool has_options;           /* false: the caller gave none */
    char *name, *target;
    gpudl_compile_options *compile;
    void *bytes;
    gpudl_trust_options trust;
    struct arena trusted;       /* what trust points to */
};

/* Copies what they point to. On failure there is nothing to release. options may be NULL. */
gpudl_status gpudl__keep(const gpudl_source *source, const gpudl_load_options *options, struct kept *out);
void gpudl__kept_release(struct kept *k);
static inline const gpudl_load_options *kept_options(const struct kept *k)
{
    return k->has_options ? &k->options : NULL;
}

#endif
