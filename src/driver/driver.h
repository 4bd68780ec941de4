/* driver.h - opens a CUDA driver library at run time and fills the table of its functions. Nothing of CUDA is linked.
 *
 * A driver, once initialised, is never closed again: it has threads and exit handlers of its own. Not locked; a driver is
 * immutable after opening. Texts are for a person, and written into the caller's buffers, never empty on failure. */
#ifndef GPUDL_DRIVER_DRIVER_H
#define GPUDL_DRIVER_DRIVER_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

enum { DRIVER_TEXT_SIZE = 2048 };

struct driver {
    gpudl_driver_table table;
    const char *path;           /* of the library that was opened; lent by the dynamic linker */
    bool software;              /* softcuda */
    bool fallback;              /* nobody asked for softcuda: there was no GPU; notice says why */
    unsigned sm;                /* of device 0, 90 for 9.0 */
    int devices;
    bool mixed;                 /* devices differ in architecture */
    char name[64];              /* of device 0 */
    char missing[2048];         /* optional functions that are not there, and what that costs; "" when all are */
    char emulated[512];         /* what gpudl does itself, as the driver is older, and by what; "" when nothing */
    char notice[DRIVER_TEXT_SIZE];
};

/* wanted: "auto" or NULL, "nvidia", "softcuda" or a path; see gpudl_loader_options. heed: GPUDL_DRIVER decides about auto, and
 * GPUDL_DRIVER_API=11040 leaves unused what is newer than CUDA 11.4. text is of DRIVER_TEXT_SIZE. *cuda: the driver's own code behind
 * a failure, or 0. */
gpudl_status gpudl__driver_open(const char *wanted, bool heed, struct driver *out, int *cuda, char *text);

/* The architecture of a device, 90 for 9.0. Returns the driver's code. */
int gpudl__driver_sm(const gpudl_driver_table *t, int ordinal, unsigned *sm);

/* "CUDA_ERROR_INVALID_IMAGE"; never NULL. */
const char *gpudl__driver_error_name(const gpudl_driver_table *t, int code);

/* ------------------------------------------------------------------------------------------------------------ within driver/ */

/* The version that has a function of the list, 12040 for CUDA 12.4; call is its name ("cuFuncLoad"). 0: it is not in the list. */
int gpudl__driver_since(const char *call);

/* Fills the table from an opened library, or its own members (legacy.h). text says which required functions are missing, out->missing
 * which optional ones. limit: functions that are newer are left unused; 0: none are. */
gpudl_status gpudl__driver_fill(void *library, int limit, struct driver *out, int *cuda, char *text);
/* dlopen for the places of softcuda in turn; text collects where was looked and what the dynamic linker said. */
void *gpudl__driver_find_softcuda(char *text);
void *gpudl__driver_find_nvidia(char *text);
void *gpudl__driver_find_path(const char *path, char *text);

#endif
