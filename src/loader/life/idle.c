#include "src/loader/life/idle.h"

#include "src/loader/context.h"
#include "src/loader/launch/hold.h"
#include "src/loader/life/asker.h"
#include "src/loader/loader.h"
#include "src/util/clock.h"

enum { FIRST_PAUSE = 2000, LONGEST_PAUSE = 200000, THREADS_TURN = 5000000 }; /* ns */

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

/* Of the current context: behind the work of all streams, or of those that the legacy stream waits for. */
static int wait_by_event(const gpudl_driver_table *cu, CUcontext context, uint64_t deadline)
{
    CUevent event;
    int err;

    gpudl__launches_hold();
    err = cu->EventCreate(&event, GPUDL_EVENT_DISABLE_TIMING);
    gpudl__launches_let_go();
    if (err)
        return err;
    err = cu->CtxRecordEvent ? cu->CtxRecordEvent(context, event) : cu->EventRecord(event, GPUDL_STREAM_LEGACY);
    if (!err)
        err = wait_for(cu, event, deadline);
    gpudl__launches_hold();
    cu->EventDestroy(event);
    gpudl__launches_let_go();
    return err;
}

/* A driver before CUDA 12.5 is asked for the other streams by a thread, which needs some time even where it finds nothing to wait for. */
static bool is_idle(gpudl_loader *l, CUcontext context, uint64_t deadline)
{
    const gpudl_driver_table *cu = &l->driver.table;
    uint64_t turn = clock_after(THREADS_TURN);
    int err;

    if (!cu->EventCreate || !cu->EventQuery || !cu->EventDestroy || !cu->EventRecord)
        return true;
    err = wait_by_event(cu, context, deadline);
    if (!err && !cu->CtxRecordEvent)
        err = gpudl__asker_wait(l, context, deadline > turn ? deadline : turn);
    return !err || is_dead(err);
}

static bool is_other_idle(gpudl_loader *l, CUcontext context, uint64_t deadline)
{
    const gpudl_driver_table *cu = &l->driver.table;
    bool idle;

    if (cu->CtxPushCurrent(context) != 0)
        return true;
    idle = is_idle(l, context, deadline);
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
        idle = is_idle(l, current, deadline);
    for (int i = 0; i < l->driver.devices && idle; i++) {
        context = primary_of(l, i);
        if (context && context != current)
            idle = is_other_idle(l, context, deadline);
    }
    gpudl__unrelax(l, r);
    return idle;
}
