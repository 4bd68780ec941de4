#include "src/loader/life/asker.h"

#include <errno.h>

#include "src/loader/loader.h"
#include "src/loader/process.h"
#include "src/util/clock.h"

/* On the stack of who asks. */
struct question {
    CUcontext context;
    bool answered;
    int answer; /* the driver's code */
};

void gpudl__asker_init(struct asker *a)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&a->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Not between thread_enter and thread_leave: it may take for ever, and the end of the process is not to wait for that. */
static int synchronize(gpudl_loader *l, CUcontext context)
{
    const gpudl_driver_table *cu = &l->driver.table;
    int err = cu->CtxPushCurrent(context);

    if (err)
        return err;
    err = cu->CtxSynchronize();
    cu->CtxPopCurrent(&context);
    return err;
}

/* Under the lock, but for the time that it takes. */
static void ask(gpudl_loader *l)
{
    struct asker *a = &l->asker;
    CUcontext context = a->next->context;
    int err;

    a->current = a->next;
    a->next = NULL;
    a->busy = true;
    pthread_mutex_unlock(&l->lock);
    err = synchronize(l, context);
    gpudl__thread_enter(l); /* does not come back when the process ends */
    gpudl__thread_leave(l);
    pthread_mutex_lock(&l->lock);
    if (a->current) {
        a->current->answer = err;
        a->current->answered = true;
    }
    a->current = NULL;
    a->busy = false;
    pthread_cond_broadcast(&a->changed);
}

static void *run(void *user)
{
    gpudl_loader *l = user;
    struct asker *a = &l->asker;

    gpudl__thread_settle(l);
    pthread_mutex_lock(&l->lock);
    while (!a->closing)
        if (a->next)
            ask(l);
        else
            pthread_cond_wait(&a->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* Under the lock. */
static bool has_thread(gpudl_loader *l)
{
    struct asker *a = &l->asker;

    if (!a->started && !gpudl__process_ends())
        a->started = gpudl__thread_start(&a->id, run, l) == 0;
    return a->started && !gpudl__process_ends();
}

/* Under the lock. */
static int put(gpudl_loader *l, struct question *mine, const struct timespec *t)
{
    struct asker *a = &l->asker;
    int err = 0;

    while ((a->busy || a->next) && err != ETIMEDOUT)
        err = pthread_cond_timedwait(&a->changed, &l->lock, t);
    if (a->busy || a->next)
        return GPUDL_CU_NOT_READY;
    a->next = mine;
    pthread_cond_broadcast(&a->changed);
    for (err = 0; !mine->answered && err != ETIMEDOUT;)
        err = pthread_cond_timedwait(&a->changed, &l->lock, t);
    if (a->next == mine)
        a->next = NULL;
    if (a->current == mine)
        a->current = NULL;
    return mine->answered ? mine->answer : GPUDL_CU_NOT_READY;
}

int gpudl__asker_wait(gpudl_loader *l, CUcontext context, uint64_t deadline)
{
    struct question mine = { .context = context };
    struct timespec t = clock_spec(deadline);
    int err;

    gpudl__process_hold_code(l);
    pthread_mutex_lock(&l->lock);
    err = has_thread(l) ? put(l, &mine, &t) : GPUDL_CU_NOT_READY;
    pthread_mutex_unlock(&l->lock);
    return err;
}

void gpudl__asker_join(gpudl_loader *l)
{
    struct asker *a = &l->asker;

    pthread_mutex_lock(&l->lock);
    a->closing = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&l->lock);
    if (a->started)
        pthread_join(a->id, NULL);
    pthread_cond_destroy(&a->changed);
}
