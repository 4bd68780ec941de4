/* A launch with its arguments checked: pin, read the place, compare with its plan, one driver call, unpin. No lock and no
 * allocation, once there is a plan. */
#include <string.h>

#include "src/loader/launch/epoch.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/launch.h"
#include "src/loader/launch/plan.h"

enum { MOST_POINTERS = 32 }; /* more arguments than that are copied into one block */

static const char function[] = "gpudl_kernel_launch";

/* NULL: there are none, which is refused. */
static inline const void *bytes_of(const gpudl_arg *a)
{
    return a->type == GPUDL_ARG_BYTES ? a->value.pointer : &a->value;
}

/* Are they the kernel's? Also makes params, which has room for them. */
static inline bool take(const struct plan *p, const gpudl_arg *args, size_t n, const void **params)
{
    bool good = n == p->nparams;

    for (size_t i = 0; i < n && good; i++) {
        params[i] = bytes_of(&args[i]);
        good = plan_accepts(&p->params[i], &args[i]) & (params[i] != NULL);
    }
    return good;
}

static __attribute__((noinline, cold)) gpudl_status launch_first(
    gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n);

/* odd: it may have attributes. */
static inline gpudl_status launch(gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n, bool odd)
{
    void *params[MOST_POINTERS];
    struct thread *self = thread_self();
    gpudl_status status = GPUDL_OK;
    struct place *place;
    struct plan *plan;
    int err = 0;

    if (__builtin_expect(!self, 0))
        return gpudl__fail_memory("a thread's first launch");
    epoch_pin(self);
    place = launch_place(k, c);
    plan = atomic_load_explicit(&place->plan, memory_order_acquire);
    if (__builtin_expect(!plan, 0)) {
        epoch_unpin(self);
        return launch_first(k, c, args, n);
    }
    if (__builtin_expect(!take(plan, args, n, (const void **)params), 0))
        status = gpudl__plan_refuse_args(k, plan, args, n);
    else if (__builtin_expect(!plan_fits(plan, c) || (odd && c->nattributes), 0))
        status = gpudl__plan_refuse(k, place, plan, c);
    if (__builtin_expect(status == GPUDL_OK, 1))
        err = launch_call(k, place, c, params, NULL);
    epoch_unpin(self);
    if (__builtin_expect(!err && status == GPUDL_OK, 1))
        launch_note(self, k);
    if (__builtin_expect(!err, 1))
        return status;
    return gpudl__launch_failed(function, self, k, c, params, NULL, err);
}

static gpudl_status launch_first(gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n)
{
    gpudl_status status = gpudl__forked() ? gpudl__fail_forked(function) : handle_check(k, HANDLE_KERNEL, function);

    if (status == GPUDL_OK)
        status = gpudl__plan_make(k, c);
    return status == GPUDL_OK ? gpudl_kernel_launch(k, c, args, n) : status;
}

/* Copied to where they belong; what is wrong with them is found on the way. Pinned. */
static gpudl_status pack(
    const gpudl_kernel *k, const struct plan *p, const gpudl_arg *args, size_t n, unsigned char *block, size_t size)
{
    const struct image_param *to = p->kernel->params;

    if (n != p->nparams || p->param_bytes > size)
        return gpudl__plan_refuse_args(k, p, args, n);
    for (size_t i = 0; i < n; i++) {
        if (!plan_accepts(&p->params[i], &args[i]) || !bytes_of(&args[i]) || to[i].offset + (uint64_t)to[i].size > size)
            return gpudl__plan_refuse_args(k, p, args, n);
        memcpy(block + to[i].offset, bytes_of(&args[i]), args[i].size);
    }
    return GPUDL_OK;
}

static __attribute__((noinline)) gpudl_status launch_many(
    gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n)
{
    unsigned char block[PLAN_MOST_BYTES];
    struct thread *self = thread_self();
    gpudl_status status;
    struct plan *plan;
    size_t size;

    if (!self)
        return gpudl__fail_memory("a thread's first launch");
    epoch_pin(self);
    plan = atomic_load_explicit(&launch_place(k, c)->plan, memory_order_acquire);
    status = plan ? pack(k, plan, args, n, block, sizeof(block)) : GPUDL_OK;
    size = plan ? plan->param_bytes : 0;
    epoch_unpin(self);
    if (!plan)
        return launch_first(k, c, args, n);
    return status == GPUDL_OK ? gpudl_kernel_launch_packed(k, c, block, size) : status;
}

static __attribute__((noinline)) gpudl_status launch_odd(
    gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n)
{
    gpudl_launch_config known;
    gpudl_status status = gpudl__launch_import(function, k, c, &known);

    if (status != GPUDL_OK)
        return status;
    if (n && !args)
        return gpudl__fail_argument(function, "args is NULL, and n is not 0");
    return n > MOST_POINTERS ? launch_many(k, &known, args, n) : launch(k, &known, args, n, true);
}

gpudl_status gpudl_kernel_launch(gpudl_kernel *k, const gpudl_launch_config *c, const gpudl_arg *args, size_t n)
{
    if (__builtin_expect(launch_is_odd(k, c) || n > MOST_POINTERS || !args, 0))
        return launch_odd(k, c, args, n);
    return launch(k, c, args, n, false);
}
