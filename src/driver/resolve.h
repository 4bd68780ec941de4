/* resolve.h - finds functions of an opened driver library, in the version that is asked for and no other. Within driver/. */
#ifndef GPUDL_DRIVER_RESOLVE_H
#define GPUDL_DRIVER_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

struct driver_resolver {
    int (*five)(const char *, void **, int, uint64_t, int *); /* cuGetProcAddress since CUDA 12.0, or NULL */
    int (*four)(const char *, void **, int, uint64_t);        /* and since 11.3 */
    int version;                                              /* the driver's own, or what it is to be taken for */
};

/* Asked for by a version that is newer than the driver, an older form is given: one with other parameters, perhaps. So it is not asked. */
void *gpudl__driver_resolve(const struct driver_resolver *r, const char *name, int version);

#endif
