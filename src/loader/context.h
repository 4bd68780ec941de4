/* context.h - contexts to make calls in, and calls that leave captures of other threads alone. */
#ifndef GPUDL_LOADER_CONTEXT_H
#define GPUDL_LOADER_CONTEXT_H

#include "src/loader/loader.h"
#include "src/util/text.h"

/* The primary context of a device, retained until the loader is closed. */
gpudl_status gpudl__loader_context(gpudl_loader *l, int device, CUcontext *out);
void gpudl__contexts_release(gpudl_loader *l);

/* Has a context of the device current: the caller's if it is one, else the primary one, until left. */
gpudl_status gpudl__context_enter(gpudl_loader *l, int device, bool *pushed);
void gpudl__context_leave(gpudl_loader *l, bool pushed);

/* The device of the current context; -1: there is none. */
gpudl_status gpudl__context_device(gpudl_loader *l, int *out);
/* "device 1 (NVIDIA H200, sm_90)" */
void gpudl__device_words(const gpudl_loader *l, int ordinal, struct text *t);
/* Is there a primary context of the device? The CUDA runtime's is the same. */
bool gpudl__context_is_active(gpudl_loader *l, int device);

/* While a thread captures in global mode, some calls of other threads fail and end the capture, unless those threads are
 * relaxed. Around calls that load, unload, create or query. */
struct relaxed {
    bool changed;
    int before;
};
struct relaxed gpudl__relax(gpudl_loader *l);
void gpudl__unrelax(gpudl_loader *l, struct relaxed r);

#endif
