/* mixed.h - a machine whose devices differ in architecture: what of an image each takes. The driver gets the entries that any device takes,
 * in one fatbin, and gives each device its own; kernels and globals are those of the first of them. */
#ifndef GPUDL_LOADER_MIXED_H
#define GPUDL_LOADER_MIXED_H

#include "src/loader/loader.h"

/* Of a version whose image is open: the entry, its code, and v->mixed. */
gpudl_status gpudl__mixed_choose(struct version *v);
void gpudl__mixed_free(struct version *v);
/* Is what the driver got let in by the policy of a load of this content? */
gpudl_status gpudl__version_admit(struct version *v, const struct content *content);
/* GPUDL_OK, or why the device has no code of the version. */
gpudl_status gpudl__version_has(struct version *v, int device);
/* May it be another entry's code that a device has than v->entry's? */
bool gpudl__version_varies(const struct version *v);

#endif
