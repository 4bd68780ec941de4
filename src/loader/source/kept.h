/* kept.h - a source, its options, and how a replace is done, for later than the call that they came with. */
#ifndef GPUDL_LOADER_KEPT_H
#define GPUDL_LOADER_KEPT_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

#include "src/loader/life/trial.h"
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
    gpudl_replace_options replace;
    struct trials trials;
};

/* Copies what they point to. On failure there is nothing to release. options may be NULL. */
gpudl_status gpudl__keep(const gpudl_source *source, const gpudl_load_options *options, struct kept *out);
/* The same, of a replace. */
gpudl_status gpudl__keep_replace(const gpudl_source *source, const gpudl_replace_options *options, struct kept *out);
void gpudl__kept_release(struct kept *k);

/* Does it, in this thread. */
gpudl_status gpudl__kept_replace(const struct kept *k, gpudl_library *lib);

static inline const gpudl_load_options *kept_options(const struct kept *k)
{
    return k->has_options ? &k->options : NULL;
}

#endif
