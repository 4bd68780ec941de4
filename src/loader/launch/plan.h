/* plan.h - what a checked launch of a kernel is held against, put together so that holding costs a few comparisons. Made with the
 * kernel's first checked launch, its version's own; constant from then on but for what shared memory was asked for. */
#ifndef GPUDL_LOADER_PLAN_H
#define GPUDL_LOADER_PLAN_H

#include "src/image/details.h"
#include "src/loader/loader.h"

#define PLAN_NOT_KNOWN UINT32_MAX   /* nparams: the image does not tell them */

enum { PLAN_MOST_BYTES = 32764 };   /* of all parameters together: what PTX ISA 8.1 allows */
enum { PLAN_FITS = 8 };

struct plan_param {
    uint32_t size;
    uint32_t accepts;               /* a bit for each gpudl_arg_type */
};

struct plan {
    struct plan *next;              /* in its version */
    const struct image_kernel *kernel;
    /* A dimension fits when it is at least low, and at most so much above. Below: as declared (.reqntid), or the device's. */
    unsigned block_low[3], block_above[3], grid_above[3];
    unsigned threads;               /* 0: no launch fits at first sight, as it is one of clusters */
    unsigned threads_most;
    /* Dynamic bytes that the driver gives without being asked; shared_most once the only device was asked. Of several, each is
     * asked by itself: that loads the code there. */
    _Atomic unsigned shared;
    _Atomic uint64_t asked;         /* a bit for each device */
    unsigned shared_most, shared_static;
    unsigned declared_threads;      /* of .maxntid; 0: none */
    unsigned cluster[3], cluster_most; /* as declared (.reqnctapercluster, .maxclusterrank); 0: not */
    bool blocks_are_clusters;       /* a grid is counted in them */
    const _Atomic uint64_t *changes;    /* of attributes, by anyone who shares the version; NULL: nobody does */
    _Atomic uint64_t changes_seen;
    _Atomic uint64_t non_portable;  /* a bit for each device where more than 8 blocks a cluster were seen to be allowed */
    _Atomic uint64_t fits[PLAN_FITS], next_fit; /* how many blocks devices hold (extended.c) */
    uint32_t nparams, param_bytes;
    struct plan_param params[];
};

/* Attributes are not looked at: a launch that has any is gpudl__plan_refuse()'s to judge. */
static inline bool plan_fits(const struct plan *p, const gpudl_launch_config *c)
{
    bool fits = c->block[0] * c->block[1] * c->block[2] <= p->threads;

    for (int i = 0; i < 3; i++) {
        fits &= c->block[i] - p->block_low[i] <= p->block_above[i];
        fits &= c->grid[i] - 1 <= p->grid_above[i];
    }
    return fits & (c->shared_bytes <= atomic_load_explicit(&p->shared, memory_order_acquire));
}

static inline bool plan_accepts(const struct plan_param *p, const gpudl_arg *a)
{
    return (a->size == p->size) & (a->type < 32) & (p->accepts >> (a->type & 31));
}

/* Not under the lock, and not pinned: makes the plan of what a launch with this config takes. */
gpudl_status gpudl__plan_make(gpudl_kernel *k, const gpudl_launch_config *c);
void gpudl__plans_free(struct plan *first);
gpudl_status gpudl__limits_ask(gpudl_loader *l);        /* under the lock: l->limits is known then */

/* Under the lock. What the image says of a kernel besides its parameters, or NULL; fails for want of memory only. */
gpudl_status gpudl__kernel_resources(
    struct version *v, const struct image_kernel *kernel, const struct image_resources **out);

/* refuse.c; pinned. A launch that does not fit at first sight, or has attributes: why it does not; or GPUDL_OK, when it does after
 * all, or lacked but shared memory, and the driver gave that. */
__attribute__((noinline, cold)) gpudl_status gpudl__plan_refuse(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c);
/* Why the arguments are not the kernel's. */
__attribute__((noinline, cold)) gpudl_status gpudl__plan_refuse_args(
    const gpudl_kernel *k, const struct plan *p, const gpudl_arg *args, size_t n);
/* The words of both, and of gpudl_kernel_check(). type: how the program spells it, or NULL. */
gpudl_status gpudl__refuse_arg(
    const gpudl_kernel *k, const struct image_kernel *kernel, const gpudl_arg *a, const char *type, size_t i, const char *remark);
gpudl_status gpudl__refuse_unknown(const gpudl_kernel *k);
gpudl_status gpudl__refuse_count(const gpudl_kernel *k, const struct image_kernel *kernel, size_t n);
__attribute__((noinline, cold)) gpudl_status gpudl__plan_refuse_packed(const gpudl_kernel *k, const struct plan *p, size_t size);

#endif
