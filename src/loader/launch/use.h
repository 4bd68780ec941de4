/* use.h - a kernel's code for calls off the launch path: its version held, so that it does not go meanwhile, and where need be
 * with a context current and the thread relaxed (context.h), as such calls may load code. */
#ifndef GPUDL_LOADER_USE_H
#define GPUDL_LOADER_USE_H

#include "src/loader/context.h"

struct use {
    const gpudl_kernel *of;
    struct version *version;
    const struct image_kernel *kernel;
    CUkernel handle;
    const struct allocator *before; /* the thread's */
    /* After enter. */
    CUdevice device;
    bool pushed;
    struct relaxed relaxed;
};

/* pinned: a version that gpudl__launch_import() accepted, or NULL: what the library is now. The thread works under the loader's
 * allocator until drop. Fails without anything held. */
gpudl_status gpudl__use_hold(const gpudl_kernel *k, const char *function, gpudl_version *pinned, struct use *u);
void gpudl__use_drop(struct use *u);

/* On a device. */
gpudl_status gpudl__use_enter(struct use *u, int device);
/* Where a launch of this config would run. */
gpudl_status gpudl__use_enter_launch(struct use *u, const gpudl_launch_config *c);
void gpudl__use_leave(struct use *u);

/* "FILE: kernel 'k': call returned ..." */
gpudl_status gpudl__use_failed(const struct use *u, const char *call, int err);
/* "FILE: kernel 'k': the driver has no call" */
gpudl_status gpudl__use_lacks(const struct use *u, const char *call);

#endif
