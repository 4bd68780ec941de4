/* features.h - what a build is made of: full (full.c) or basic (src/basic/). */
#ifndef GPUDL_LOADER_FEATURES_H
#define GPUDL_LOADER_FEATURES_H

#include <gpudl/gpudl.h>

extern const uint64_t gpudl__features_built;                /* GPUDL_BUILT_... */
uint64_t gpudl__features_found(gpudl_loader *l);            /* GPUDL_HAS_... of what is built in; l may be NULL */

#endif
