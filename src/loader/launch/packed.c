/* A launch with its arguments in one block. */
#include "src/loader/launch/epoch.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/launch.h"
#include "src/loader/launch/plan.h"

enum { ALIGNMENT = 16 }; /* the most that a type in device code asks for, so what a struct's padding rounds up to */

/* CU_LAUNCH_PARAM_...: what cuLaunchKernel knows the members of its last argument by. */
#define EXTRA_POINTER ((void *)1)
#define EXTRA_SIZE ((void *)2)

static const char function[] = "gpudl_kernel_launch_packed";

static bool is_whole(const struct plan *p, size_t size)
{
    return p->nparams != PLAN_NOT_KNOWN && size >= p->param_bytes &&
        size <= ((uint64_t)p->param_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static __attribute__((noinline, cold)) gpudl_status launch_first(
    gpudl_kernel *k, const gpudl_launch_config *c, const void *bytes, size_t size)
{
    gpudl_status status = gpudl__forked() ? gpudl__fail_forked(function) : handle_check(k, HANDLE_KERNEL, function);

    if (status == GPUDL_OK)
        status = gpudl__plan_make(k, c);
    return status == GPUDL_OK ? gpudl_kernel_launch_packed(k, c, bytes, size) : status;
}

static inline gpudl_status launch(gpudl_kernel *k, const gpudl_launch_config *c, const void *bytes, size_t size)
{
    size_t passed = size;
    void *extra[] = { EXTRA_POINTER, (void *)bytes, EXTRA_SIZE, &passed, NULL };
    struct thread *self = thread_self();
    gpudl_status status = GPUDL_OK;
    struct place *place;
    struct plan *plan;
    int err = 0;

    if (!self)
        return gpudl__fail_memory("a thread's first launch");
    epoch_pin(self);
    place = launch_place(k, c);
    plan = atomic_load_explicit(&place->plan, memory_order_acquire);
    if (!plan) {
        epoch_unpin(self);
        return launch_first(k, c, bytes, size);
    }
    passed = plan->param_bytes;
    if (!is_whole(plan, size))
        status = gpudl__plan_refuse_packed(k, plan, size);
    else if (!plan_fits(plan, c) || c->nattributes)
        status = gpudl__plan_refuse(k, place, plan, c);
    if (status == GPUDL_OK)
        err = launch_call(k, place, c, NULL, passed ? extra : NULL);
    epoch_unpin(self);
    if (status == GPUDL_OK && !err)
        launch_note(self, k);
    return err ? gpudl__launch_failed(function, self, k, c, NULL, passed ? extra : NULL, err) : status;
}

gpudl_status gpudl_kernel_launch_packed(gpudl_kernel *k, const gpudl_launch_config *c, const void *bytes, size_t size)
{
    gpudl_launch_config known;
    gpudl_status status;

    if (size && !bytes)
        return gpudl__fail_argument(function, "bytes is NULL, and size is not 0");
    if (!launch_is_odd(k, c))
        return launch(k, c, bytes, size);
    status = gpudl__launch_import(function, k, c, &known);
    return status == GPUDL_OK ? launch(k, &known, bytes, size) : status;
}
