#include "src/loader/life/idle.h"

#include "src/loader/context.h"
#include "src/loader/launch/hold.h"
#include "src/loader/loader.h"
#include "src/util/clock.h"

enum { FIRST_PAUSE = 2000, LONGEST_PAUSE = 200000 }; /* ns */

/* Nothing will ever run in it again: a kernel broke it, or it is gone. */
static bool is_dead(int err)
{
    return (err >= GPUDL_CU_ILLEGAL_ADDRESS && err <= GPUDL_CU_LAUNCH_FAILED) || err == GPUDL_CU_INVALID_CONTEXT ||
        err == GPUDL_CU_DEINITIALIZED;
}

/* Asked again and again, in growing pauses. */
static int wait_for(const gpudl_driver_table *cu, CUevent event, uint64_t deadline)
{
    uint64_t pause = FIRST_PAUSE, now;
    int err;

    while ((err = cu->EventQuery(event)) == GPUDL_CU_NOT_READY && (now = clock_now()) < deadline) {
        clock_sleep(pause < deadline - now ? pause : deadline - now);
        if (pause < LONGEST_PAUSE)
            pause *= 2;
    }
    return err;
}

/* Of the current context. */
static bool is_idle(const gpudl_driver_table *cu, CUcontext context, uint64_t deadline)
{
    CUevent event;
    int err;

    if (!cu->EventCreate || !cu->EventQuery || !cu->EventDestroy || !cu->EventRecord)
        return true;
    gpudl__launches_hold();
    err = cu->EventCreate(&event, GPUDL_EVENT_DISABLE_TIMING);
    gpudl__launches_let_go();
    if (err)
        return is_dead(err);
    err = cu->CtxRecordEvent ? cu->CtxRecordEvent(context, event) : cu->EventRecord(event, GPUDL_STREAM_LEGACY);
    if (!err)
        err = wait_for(cu, event, deadline);
    gpudl__launches_hold();
    cu->EventDestroy(event);
    gpudl__launches_let_go();
    return !err || is_dead(err);
}

static bool is_other_idle(const gpudl_driver_table *cu, CUcontext context, uint64_t deadline)
{
    bool idle;

    if (cu->CtxPushCurrent(context) != 0)
        return true;
    idle = is_idle(cu, context, deadline);
    cu->CtxPopCurrent(&context);
    return idle;
}

/* The loader's own, or one that the program made: the CUDA runtime's is the same. */
static CUcontext primary_of(gpudl_loader *l, int ordinal)
{
    CUcontext context;

    return gpudl__context_is_active(l, ordinal) && gpudl__loader_context(l, ordinal, &context) == GPUDL_OK ? context : NULL;
}

bool gpudl__idle_wait(gpudl_loader *l, uint64_t timeout_ns)
{
    const gpudl_driver_table *cu = &l->driver.table;
    uint64_t deadline = clock_after(timeout_ns);
    CUcontext current = NULL, context;
    struct relaxed r = gpudl__relax(l);
    bool idle = true;

    if (cu->CtxGetCurrent(&current) == 0 && current)
        idle = is_idle(cu, current, deadline);
    for (int i = 0; i < l->driver.devices && idle; i++) {
        context = primary_of(l, i);
        if (context && context != current)
            idle = is_other_idle(cu, context, deadline);
    }
    gpudl__unrelax(l, r);
    return idle;
}
