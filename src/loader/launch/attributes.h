/* attributes.h - attributes of kernels. They are the version's; what was set is also kept with the slot that it was set through, so
 * that another version gets the same. */
#ifndef GPUDL_LOADER_ATTRIBUTES_H
#define GPUDL_LOADER_ATTRIBUTES_H

#include "src/loader/launch/use.h"

enum { ATTRIBUTE_CACHE_PREFERENCE = -1 };   /* beside the GPUDL_FUNC_... */

/* Never taken out before its slot goes, and added at the end: a walk needs the lock for each step only. */
struct attribute {
    struct attribute *next;
    int id, value;
    int device;                     /* as callers count them */
};

/* Sets on a kernel, on one device, what was set there through the slot. Makes the code resident. Not under the lock. What is set
 * meanwhile may be missed: the library's attribute_changes tells. */
gpudl_status gpudl__attributes_apply(gpudl_loader *l, const struct slot *slot, CUkernel kernel, int device);
/* A bit for each device that anything was set on, through any slot of the library. *changes: its attribute_changes; may be NULL. */
uint64_t gpudl__attributes_devices(gpudl_library *lib, size_t *changes);

void gpudl__attributes_free(struct attribute *list);

/* Lets a kernel have all dynamic shared memory of a device, but for what it declares itself: returns the driver's code.
 * *call: the one that failed. */
int gpudl__shared_raise(const gpudl_driver_table *cu, CUkernel kernel, CUdevice device, const char **call);
/* The same on the device that was entered, where the kernel has less than that; a device that does not have so much is left to
 * say so itself. */
gpudl_status gpudl__have_shared(const struct use *u, size_t bytes);

#endif
