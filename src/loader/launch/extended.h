/* extended.h - limits of cooperative launches and of clusters, checked before the driver is asked. Off the path; pinned. */
#ifndef GPUDL_LOADER_EXTENDED_H
#define GPUDL_LOADER_EXTENDED_H

#include "src/loader/launch/plan.h"

/* What a launch asks for beside its shape. */
struct extended {
    bool cooperative;
    unsigned cluster[3];        /* zeroes: none */
    uint64_t cluster_blocks;
    uint64_t blocks;            /* of the grid; UINT64_MAX: or more */
};

/* What the image and what is remembered tell. *ask: the rest is the driver's to tell, in gpudl__extended_ask(). */
gpudl_status gpudl__extended_check(
    const gpudl_kernel *k, struct plan *p, const gpudl_launch_config *c, struct extended *e, bool *ask);
/* In the context of the launch, with the shared memory of c had. */
gpudl_status gpudl__extended_ask(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c, const struct extended *e);

/* What is remembered of blocks that fit is for a kernel whose attributes have changed. */
void gpudl__extended_forget(struct plan *p);

#endif
