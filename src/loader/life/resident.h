/* resident.h - code onto devices, before its first launch does it. */
#ifndef GPUDL_LOADER_RESIDENT_H
#define GPUDL_LOADER_RESIDENT_H

#include "src/loader/loader.h"

/* Makes these kernels of a version ready on the devices of a set, a bit each; at a moment of the caller's choice, or as soon as
 * hurried is set (moment.h), which may be NULL. */
gpudl_status gpudl__resident_make(
    struct version *v, const CUkernel *handles, size_t n, uint64_t devices, gpudl_when when, const atomic_bool *hurried);
/* Another kernel of a version that is resident already: wherever that is, at once, since it waits for nothing. */
gpudl_status gpudl__resident_as_version(struct version *v, CUkernel handle);

/* Checks what a caller gave. */
gpudl_status gpudl__when_check(const char *function, gpudl_when when);

#endif
