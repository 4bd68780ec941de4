/* fit.h - can another version take a library's place, for those who hold its kernels? */
#ifndef GPUDL_LOADER_FIT_H
#define GPUDL_LOADER_FIT_H

#include "src/loader/loader.h"

/* The kernel of a slot in another version, with the same parameters; GPUDL_ERROR_REPLACE says why not. */
gpudl_status gpudl__fit_kernel(
    const gpudl_library *lib, const struct slot *slot, const struct image_kernel *now, struct version *to,
    const struct image_kernel **out);
/* Can it still be launched as it was? By what the image says. */
gpudl_status gpudl__fit_launches(
    const gpudl_library *lib, const struct slot *slot, struct version *to, const struct image_kernel *kernel);
/* The same by what a device says, where the version is resident. */
gpudl_status gpudl__fit_device(const gpudl_library *lib, const struct slot *slot, CUkernel handle, int device);

#endif
