/* Tasks: loads and replaces in a thread of the loader's. */
#include <string.h>

#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/hold.h"
#include "src/loader/loader.h"
#include "src/loader/options.h"
#include "src/loader/process.h"
#include "src/loader/life/resident.h"
#include "src/loader/life/task.h"
#include "src/util/clock.h"

enum { PAUSE = 50000, LONGEST_PAUSE = 1000000 }; /* ns, between looks at an event */

/* ---------------------------------------------------------------------------------------------------- in the loader's thread */

static gpudl_status cancelled(void)
{
    return gpudl__fail(GPUDL_ERROR_CANCELLED, "the task was cancelled");
}

static gpudl_status parked(void)
{
    return gpudl__fail(GPUDL_ERROR_CANCELLED, "the process is ending: gpudl's threads are parked, and no task goes on");
}

static gpudl_status wait_for_event(struct gpudl_task *t)
{
    const gpudl_driver_table *cu = &t->loader->driver.table;
    uint64_t pause = PAUSE;
    int err = GPUDL_CU_NOT_READY;

    while (err == GPUDL_CU_NOT_READY) {
        if (atomic_load(&t->cancelled) || gpudl__thread_is_to_park())
            return cancelled();
        err = cu->EventQuery(t->event);
        if (err == GPUDL_CU_NOT_READY)
            clock_sleep(pause);
        pause = pause < LONGEST_PAUSE ? 2 * pause : pause;
    }
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuEventQuery", err, "waiting for the work of a stream") : GPUDL_OK;
}

/* A loaded one that nobody takes. */
static void let_library_go(gpudl_library *lib)
{
    if (gpudl__handle_close(lib, HANDLE_LIBRARY, "a task"))
        gpudl__library_drop(lib);
}

static gpudl_status load(struct gpudl_task *t)
{
    const int first = 0, *devices = t->async.ndevices ? t->devices : &first;
    gpudl_library *lib = NULL;
    gpudl_status status = gpudl__library_load(t->loader, &t->kept.source, kept_options(&t->kept), NULL, &lib);

    if (status == GPUDL_OK && (t->async.flags & GPUDL_ASYNC_RESIDENT))
        status = gpudl__library_make_resident(lib, devices, t->async.ndevices ? t->async.ndevices : 1, t->async.when);
    if (status == GPUDL_OK)
        t->library = lib;
    else if (lib)
        let_library_go(lib);
    return status;
}

static gpudl_status perform(struct gpudl_task *t)
{
    gpudl_status status = t->event ? wait_for_event(t) : GPUDL_OK;

    if (status == GPUDL_OK && atomic_load(&t->cancelled))
        status = cancelled();
    if (status != GPUDL_OK)
        return status;
    return t->replaces ? gpudl__kept_replace(&t->kept, t->library) : load(t);
}

/* Nobody has it any more. */
static void destroy(struct gpudl_task *t)
{
    gpudl_loader *l = t->loader;
    bool orphan = t->orphan;

    if (t->event)
        l->driver.table.EventDestroy(t->event);
    if (t->library && t->replaces)
        gpudl__library_drop(t->library);
    else if (t->library)
        let_library_go(t->library);
    gpudl__kept_release(&t->kept);
    gpudl__handle_give(l, t, HANDLE_TASK);
    pthread_mutex_lock(&l->lock);
    l->orphans -= orphan;
    pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
}

static void end(struct gpudl_task *t, gpudl_status status)
{
    gpudl_loader *l = t->loader;
    bool last;

    t->status = status;
    if (status != GPUDL_OK)
        gpudl__failure_save(&t->failure);
    pthread_mutex_lock(&l->lock);
    t->runner = pthread_self();
    t->ended = true;
    pthread_mutex_unlock(&l->lock);
    if (t->async.done) {
        gpudl__thread_leave(l);
        atomic_store(&t->telling, true);
        t->async.done(t->async.user, t);
        atomic_store(&t->telling, false);
        gpudl__thread_enter(l);
    }
    pthread_mutex_lock(&l->lock);
    t->left = true;
    last = --t->references == 0;
    pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
    if (last)
        destroy(t);
}

static void run(struct job *job)
{
    struct gpudl_task *t = (struct gpudl_task *)((char *)job - offsetof(struct gpudl_task, job));
    struct thread *self = thread_self();
    gpudl_status status;

    if (self)
        self->cancelled = &t->cancelled;
    status = perform(t);
    if (self)
        self->cancelled = NULL;
    end(t, status);
}

/* -------------------------------------------------------------------------------------------------------------- in the caller's */

/* The event is recorded here: later, or in another thread, the stream's handle may mean another stream. */
static gpudl_status record(struct gpudl_task *t)
{
    const gpudl_driver_table *cu = &t->loader->driver.table;
    CUstream stream = t->async.stream ? t->async.stream : t->loader->null_stream;
    const char *call = "cuStreamIsCapturing";
    int err = 0, status = 0;

    if (!(t->async.flags & GPUDL_ASYNC_AFTER_STREAM))
        return GPUDL_OK;
    if (!cu->EventCreate || !cu->EventRecord || !cu->EventQuery || !cu->EventDestroy)
        return gpudl__fail(GPUDL_ERROR_DRIVER_TOO_OLD,
            "the driver (%s) has no events: GPUDL_ASYNC_AFTER_STREAM needs them; update it, or wait for the stream yourself",
            t->loader->driver_text);
    if (cu->StreamIsCapturing)
        err = cu->StreamIsCapturing(stream, &status);
    if (status)
        return gpudl__fail_argument("gpudl_async_options", "the stream is being captured: its work is not begun by it");
    if (!err) {
        call = "cuEventCreate";
        gpudl__launches_hold();
        err = cu->EventCreate(&t->event, GPUDL_EVENT_DISABLE_TIMING);
        gpudl__launches_let_go();
    }
    if (!err) {
        call = "cuEventRecord";
        err = cu->EventRecord(t->event, stream);
    }
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err, "a load after the work of a stream") : GPUDL_OK;
}

static gpudl_status import(struct gpudl_task *t, const char *function, const gpudl_async_options *given)
{
    const uint64_t known = GPUDL_ASYNC_RESIDENT | GPUDL_ASYNC_AFTER_STREAM;
    gpudl_status status = GPUDL_OK;

    if (given)
        status = gpudl__options_import(&t->async, sizeof(t->async), given, "gpudl_async_options");
    if (status == GPUDL_OK)
        status = gpudl__flags_check(t->async.flags, known, "gpudl_async_options");
    if (status != GPUDL_OK)
        return status;
    if (t->async.ndevices > TASK_DEVICES || (t->async.ndevices && !t->async.devices))
        return gpudl__fail_argument("gpudl_async_options", "devices is NULL and ndevices is not 0, or there are more than 64");
    if (t->async.ndevices)
        memcpy(t->devices, t->async.devices, t->async.ndevices * sizeof(*t->devices));
    t->async.devices = NULL;
    return gpudl__when_check(function, t->async.when);
}

/* Hands it to a thread; it is the caller's, too, from then on. On failure it is the caller's alone. */
static gpudl_status start(
    struct gpudl_task *t, const char *function, const gpudl_async_options *async, const void *made_at, gpudl_task **out)
{
    gpudl_status status = import(t, function, async);

    if (status == GPUDL_OK && gpudl__process_ends())
        return parked();
    if (status == GPUDL_OK)
        status = record(t);
    if (status == GPUDL_OK) {
        t->job.run = run;
        t->references = 2;
        gpudl__handle_open(t, HANDLE_TASK, made_at);
        *out = t;
        if (!gpudl__workers_add(t->loader, &t->job))
            status = gpudl__fail(
                GPUDL_ERROR_NO_MEMORY, "%s: no thread could be started for it: is a limit reached (ulimit -u)?", function);
    }
    return status;
}

static struct gpudl_task *create(gpudl_loader *l)
{
    struct gpudl_task *t = gpudl__handle_take(l, HANDLE_TASK);

    if (!t)
        return NULL;
    t->loader = l;
    t->references = 1;
    return t;
}

static gpudl_status load_async(gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options,
    const gpudl_async_options *async, const void *made_at, gpudl_task **out)
{
    struct gpudl_task *t = create(l), *started = NULL;
    struct load_settings checked;
    gpudl_status status;

    if (!t)
        return gpudl__fail_memory("a task");
    status = gpudl__settings_import(options, &checked);
    if (status == GPUDL_OK)
        status = gpudl__keep(source, options, &t->kept);
    if (status == GPUDL_OK)
        status = start(t, "gpudl_library_load_async", async, made_at, &started);
    if (status != GPUDL_OK)
        destroy(t);
    else
        *out = started;
    return status;
}

gpudl_status gpudl_library_load_async(gpudl_loader *given, const gpudl_source *source, const gpudl_load_options *options,
    const gpudl_async_options *async, gpudl_task **out)
{
    const struct allocator *before;
    gpudl_status status;
    gpudl_loader *l;

    if (!out)
        return gpudl__fail_argument("gpudl_library_load_async", "out is NULL");
    l = gpudl__loader(given, "gpudl_library_load_async", &status);
    if (!l)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(l));
    status = load_async(l, source, options, async, __builtin_return_address(0), out);
    gpudl__alloc_use(before);
    return status;
}

static gpudl_status replace_async(gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *options,
    const gpudl_async_options *async, const void *made_at, gpudl_task **out)
{
    struct gpudl_task *t = create(lib->loader), *started = NULL;
    gpudl_status status;

    if (!t)
        return gpudl__fail_memory("a task");
    t->replaces = true;
    status = gpudl__keep_replace(source, options, &t->kept);
    if (status == GPUDL_OK) {
        pthread_mutex_lock(&lib->loader->lock);
        lib->references++;
        pthread_mutex_unlock(&lib->loader->lock);
        t->library = lib;
        status = start(t, "gpudl_library_replace_async", async, made_at, &started);
    }
    if (status != GPUDL_OK)
        destroy(t);
    else
        *out = started;
    return status;
}

gpudl_status gpudl_library_replace_async(gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *options,
    const gpudl_async_options *async, gpudl_task **out)
{
    const struct allocator *before;
    gpudl_status status;

    if (!lib || !out)
        return gpudl__fail_argument("gpudl_library_replace_async", "the library or out is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_library_replace_async");
    status = handle_check(lib, HANDLE_LIBRARY, "gpudl_library_replace_async");
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    status = replace_async(lib, source, options, async, __builtin_return_address(0), out);
    gpudl__alloc_use(before);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------ its owner */

static gpudl_status goes_on(void)
{
    return gpudl__fail(
        GPUDL_ERROR_TIMEOUT, "the time was up, and the task goes on: wait for longer, or cancel it with gpudl_task_cancel()");
}

/* Under the lock. */
static bool has_ended(const struct gpudl_task *t)
{
    return t->left || (t->ended && pthread_equal(t->runner, pthread_self()));
}

/* Is this done(), for a task that its owner released before it ended? */
static bool is_told(struct gpudl_task *t)
{
    return atomic_load(&t->telling) && pthread_equal(t->runner, pthread_self());
}

static gpudl_status check(gpudl_task *t, const char *function)
{
    if (!t)
        return gpudl__fail_argument(function, "the task is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    if (atomic_load(&t->face.handle.state) == handle_released(HANDLE_TASK) && is_told(t))
        return GPUDL_OK;
    return handle_check(t, HANDLE_TASK, function);
}

static gpudl_status wait_for_end(gpudl_task *t, uint64_t timeout_ns)
{
    uint64_t deadline = clock_after(timeout_ns);
    struct timespec until = clock_spec(deadline);
    bool ended;
    int err = 0;

    pthread_mutex_lock(&t->loader->lock);
    while (!has_ended(t) && timeout_ns && !err && !gpudl__process_ends())
        err = pthread_cond_timedwait(&t->loader->moment_came, &t->loader->lock, &until);
    ended = has_ended(t);
    pthread_mutex_unlock(&t->loader->lock);
    if (!ended)
        return gpudl__process_ends() ? parked() : goes_on();
    if (t->status != GPUDL_OK)
        gpudl__failure_restore(&t->failure);
    return t->status;
}

gpudl_status gpudl_task_wait(gpudl_task *t, uint64_t timeout_ns)
{
    gpudl_status status = check(t, "gpudl_task_wait");

    return status == GPUDL_OK ? wait_for_end(t, timeout_ns) : status;
}

int gpudl_task_ended(gpudl_task *t)
{
    bool ended;

    if (!t || check(t, "gpudl_task_ended") != GPUDL_OK)
        return 0;
    pthread_mutex_lock(&t->loader->lock);
    ended = has_ended(t);
    pthread_mutex_unlock(&t->loader->lock);
    return ended;
}

gpudl_status gpudl_task_library(gpudl_task *t, gpudl_library **out)
{
    static const char function[] = "gpudl_task_library";
    gpudl_library *lib;
    gpudl_status status;

    if (!t || !out)
        return gpudl__fail_argument(function, "the task or out is NULL");
    status = check(t, function);
    if (status == GPUDL_OK && t->replaces)
        return gpudl__fail_argument(function, "the task is a replace, and its library is the caller's already");
    if (status == GPUDL_OK)
        status = wait_for_end(t, 0);
    if (status != GPUDL_OK)
        return status;
    pthread_mutex_lock(&t->loader->lock);
    lib = t->library;
    t->library = NULL;
    pthread_mutex_unlock(&t->loader->lock);
    if (!lib)
        return gpudl__fail_argument(function, "the library was taken already");
    gpudl__handle_open(lib, HANDLE_LIBRARY, __builtin_return_address(0));
    *out = lib;
    return GPUDL_OK;
}

static void cancel(gpudl_task *t)
{
    gpudl_loader *l = t->loader;
    bool queued;

    pthread_mutex_lock(&l->lock);
    atomic_store(&t->cancelled, true);
    queued = gpudl__workers_remove(l, &t->job);
    pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
    if (queued) {
        struct failure mine;

        gpudl__failure_save(&mine);
        end(t, cancelled());
        gpudl__failure_restore(&mine);
    }
}

void gpudl_task_cancel(gpudl_task *t)
{
    if (t && check(t, "gpudl_task_cancel") == GPUDL_OK)
        cancel(t);
}

void gpudl_task_release(gpudl_task *t)
{
    gpudl_loader *l;
    bool last;

    if (!t || gpudl__forked() || !gpudl__handle_close(t, HANDLE_TASK, "gpudl_task_release"))
        return;
    cancel(t); /* means nothing to one that has ended */
    l = t->loader;
    pthread_mutex_lock(&l->lock);
    last = --t->references == 0;
    t->orphan = !last;
    l->orphans += !last;
    pthread_mutex_unlock(&l->lock);
    if (last)
        destroy(t);
}

void gpudl__tasks_wait(gpudl_loader *l)
{
    pthread_mutex_lock(&l->lock);
    while (l->orphans)
        pthread_cond_wait(&l->moment_came, &l->lock);
    pthread_mutex_unlock(&l->lock);
}
