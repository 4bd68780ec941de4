/* pin.h - versions as callers hold them. */
#ifndef GPUDL_LOADER_PIN_H
#define GPUDL_LOADER_PIN_H

#include "src/loader/loader.h"

/* GPUDL_OK: it is one, and was not unpinned. Also tells NULL, and a forked child. */
gpudl_status gpudl__pin_check(gpudl_version *pin, const char *function);

/* Another hold on a version that is held, for a caller. NULL: no memory. */
gpudl_version *gpudl__pin_make(struct version *v, const char *name, const void *made_at);

#endif
