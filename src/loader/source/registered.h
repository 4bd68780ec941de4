/* registered.h - kernels that somebody else has loaded, in the place of an image: the program registered them as a source, or handed them
 * over (adopt.c). */
#ifndef GPUDL_LOADER_REGISTERED_H
#define GPUDL_LOADER_REGISTERED_H

#include "src/loader/loader.h"

/* The array with its names behind it, in one block; NULL, and the thread's text set, when one is not as it should be. */
void *gpudl__registered_copy(const char *name, const gpudl_registered_kernel *kernels, size_t bytes, gpudl_status *status);

/* Of a content that such a copy is; in the place of finding an entry and handing it to the driver. */
gpudl_status gpudl__registered_load(struct version *v);
void gpudl__registered_unload(struct version *v);     /* nothing, of a version with an image */

/* Is its handle a CUfunction? It launches as a CUkernel does, but must not go where the driver takes a CUkernel. */
bool gpudl__registered_is_function(const struct version *v, const struct image_kernel *k);

#endif
