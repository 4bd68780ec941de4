/* Loaders: opening, the default one, contexts, closing. */
#include "src/loader/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cache/cache.h"
#include "src/loader/source/compile.h"
#include "src/loader/context.h"
#include "src/loader/launch/epoch.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/image/image_api.h"
#include "src/loader/leaks.h"
#include "src/loader/options.h"
#include "src/loader/process.h"
#include "src/loader/share/share.h"
#include "src/loader/source/trust.h"
#include "src/util/clock.h"

enum { CLOSE_PATIENCE = 1000000000, CLOSE_PAUSE = 50000 }; /* ns */

/* One loud warning a process says that no GPU is used. */
static atomic_bool warned;

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(gpudl_loader *) default_loader;

static void describe_driver(gpudl_loader *l)
{
    const struct driver *d = &l->driver;

    if (d->software)
        snprintf(l->driver_text, sizeof(l->driver_text), "%s (%.160s)", d->name, d->path);
    else
        snprintf(l->driver_text, sizeof(l->driver_text), "%s, CUDA %d.%d driver (%.140s)", d->name, d->table.version / 1000,
            d->table.version % 1000 / 10, d->path);
}

/* The driver reads these when it is initialised, whatever it is loaded for. */
static bool is_on(const char *variable)
{
    const char *value = getenv(variable);

    return value && atoi(value);
}

static gpudl_status open_driver(gpudl_loader *l, const gpudl_loader_options *options)
{
    char text[DRIVER_TEXT_SIZE];
    int cuda;
    gpudl_status status = gpudl__driver_open(options->driver, !gpudl__trust_locked(), &l->driver, &cuda, text);

    if (status != GPUDL_OK)
        return gpudl__fail_code(status, cuda, text);
    l->target = gpudl__target_of(l->driver.sm, l->driver.table.version, l->driver.software);
    l->target.any_ptx = l->driver.software && !l->driver.mixed;
    l->target.jit_forced = !l->driver.software && is_on("CUDA_FORCE_PTX_JIT");
    l->target.jit_disabled = !l->driver.software && is_on("CUDA_DISABLE_PTX_JIT");
    l->null_stream = options->per_thread_stream ? GPUDL_STREAM_PER_THREAD : NULL;
    describe_driver(l);
    return GPUDL_OK;
}

static void report_driver(gpudl_loader *l)
{
    if (l->driver.fallback && !atomic_exchange(&warned, true))
        gpudl__log(l, GPUDL_LOG_WARNING, "%s", l->driver.notice);
    gpudl__log(l, GPUDL_LOG_INFO, "opened %s", l->driver_text);
    if (*l->driver.emulated)
        gpudl__log(l, GPUDL_LOG_INFO, "this driver is old, and gpudl stands in with %s", l->driver.emulated);
    if (*l->driver.missing)
        gpudl__log(l, GPUDL_LOG_DEBUG, "the driver lacks %s", l->driver.missing);
}

static gpudl_loader *allocate_loader(const gpudl_loader_options *options, const void *made_at)
{
    struct allocator heap = { options->allocate, options->release, options->allocator_user };
    const struct allocator *before = gpudl__alloc_use(heap.allocate ? &heap : NULL);
    gpudl_loader *l = gpudl__alloc_zero(sizeof(*l));

    gpudl__alloc_use(before);
    if (!l)
        return NULL;
    l->allocator = heap;
    gpudl__handle_still(&l->face);
    gpudl__handle_open(l, HANDLE_LOADER, made_at);
    gpudl__handles_init(l->stores);
    l->log = options->log ? options->log : gpudl__log_to_stderr;
    l->log_user = options->log_user;
    l->captures = !options->captures;
    gpudl__parking_init(
        &l->parking, options->warm_bytes, options->warm_count, options->retired_bytes, options->retired_count);
    return l;
}

/* Frees without touching the driver. */
static void free_loader(gpudl_loader *l)
{
    gpudl__cache_close(l->cache);
    gpudl__handles_free(l->stores);
    gpudl__free(l->contexts);
    gpudl__trust_setup_free(l->trust);
    gpudl__free(l);
}

static void init_condition(pthread_cond_t *c)
{
    pthread_condattr_t a;

    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

static gpudl_status complete(gpudl_loader *l, const gpudl_loader_options *options)
{
    const struct allocator *before = gpudl__alloc_use(gpudl__loader_heap(l));
    gpudl_status status = gpudl__trust_open(options->trust, &l->trust);

    gpudl__alloc_use(before);
    if (status == GPUDL_OK)
        status = open_driver(l, options);
    if (status != GPUDL_OK)
        return status;
    gpudl__alloc_use(gpudl__loader_heap(l));
    l->contexts = gpudl__alloc_zero((size_t)l->driver.devices * sizeof(*l->contexts));
    gpudl__alloc_use(before);
    if (!l->contexts)
        return gpudl__fail_memory("a loader");
    pthread_mutex_init(&l->lock, NULL);
    init_condition(&l->moment_came);
    gpudl__workers_init(&l->workers, options->workers);
    gpudl__asker_init(&l->asker);
    return GPUDL_OK;
}

gpudl_status gpudl_loader_open(const gpudl_loader_options *given, gpudl_loader **out)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_status status;
    gpudl_loader *l;

    if (!out)
        return gpudl__fail_argument("gpudl_loader_open", "out is NULL");
    if (given && (status = gpudl__options_import(&options, sizeof(options), given, "gpudl_loader_options")) != GPUDL_OK)
        return status;
    if (!options.allocate != !options.release)
        return gpudl__fail_argument("gpudl_loader_open", "allocate and release go together: give both or neither");
    if (options.workers > WORKERS_MOST || options.share > GPUDL_SHARE_NOTHING)
        return gpudl__fail_argument("gpudl_loader_open", "workers is at most 16, and share 0 or GPUDL_SHARE_NOTHING");
    if (options.per_thread_stream > 1 || options.captures > GPUDL_CAPTURES_NONE)
        return gpudl__fail_argument("gpudl_loader_open", "per_thread_stream is 0 or 1, and captures 0 or GPUDL_CAPTURES_NONE");
    if (gpudl__forked())
        return gpudl__fail_forked("opening a loader");
    gpudl__fork_mark();
    gpudl__epoch_init();
    l = allocate_loader(&options, __builtin_return_address(0));
    if (!l)
        return gpudl__fail_memory("a loader");
    status = complete(l, &options);
    if (status != GPUDL_OK) {
        free_loader(l);
        return status;
    }
    gpudl__process_add(l);
    gpudl__share_open(l, &options);
    report_driver(l);
    gpudl__loader_trace(l, options.trace);
    *out = l;
    return GPUDL_OK;
}

/* A failure is not remembered: the next call tries again. */
static gpudl_status open_default(gpudl_loader **out)
{
    gpudl_status status = GPUDL_OK;
    gpudl_loader *l;

    pthread_mutex_lock(&default_lock);
    l = atomic_load(&default_loader);
    if (!l)
        status = gpudl_loader_open(NULL, &l);
    if (status == GPUDL_OK)
        atomic_store(&default_loader, l);
    pthread_mutex_unlock(&default_lock);
    *out = l;
    return status;
}

gpudl_loader *gpudl__loader(gpudl_loader *given, const char *what, gpudl_status *status)
{
    gpudl_loader *l = given ? given : atomic_load(&default_loader);

    *status = GPUDL_OK;
    if (gpudl__forked()) { /* before any lock: another thread may have held it at the fork */
        *status = gpudl__fail_forked(what);
        return NULL;
    }
    if (given && !gpudl__process_has(given)) {
        *status =
            gpudl__fail(GPUDL_ERROR_RELEASED, "%s: there is no loader at %p: it was closed, or is none", what, (void *)given);
        return NULL;
    }
    if (!l)
        *status = open_default(&l);
    return *status == GPUDL_OK ? l : NULL;
}

gpudl_loader *gpudl__loader_if_open(gpudl_loader *given)
{
    return given ? given : atomic_load(&default_loader);
}

const gpudl_driver_table *gpudl_loader_driver(gpudl_loader *given)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_driver", &status);

    return l ? gpudl__trace_table(l->trace, &l->driver.table) : NULL;
}

const char *gpudl_loader_driver_text(gpudl_loader *given)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_driver_text", &status);

    return l ? l->driver_text : "no driver";
}

const char *gpudl_loader_emulated(gpudl_loader *given)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_emulated", &status);

    return l ? l->driver.emulated : "";
}

int gpudl_loader_is_software(gpudl_loader *given)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_is_software", &status);

    return l && l->driver.software;
}

gpudl_status gpudl_loader_use_device(gpudl_loader *given, int device)
{
    CUcontext context;
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_loader_use_device", &status);
    int err;

    if (!l)
        return status;
    status = gpudl__loader_context(l, device, &context);
    if (status != GPUDL_OK)
        return status;
    err = l->driver.table.CtxSetCurrent(context);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &l->driver.table, "cuCtxSetCurrent", err,
                     "making the context of device %d current", device)
               : GPUDL_OK;
}

/* What may end by itself is waited for, for a while: launches, as one through another loader looks the same (epoch.h), and graphs, as
 * the driver lets go of what a graph held some time after it is destroyed. False, and said: something of it is out. */
static bool is_free(gpudl_loader *l)
{
    uint64_t deadline = clock_after(CLOSE_PATIENCE);
    size_t handles, graphs;
    bool launching, wait;

    do {
        gpudl__reap(l);
        pthread_mutex_lock(&l->lock);
        handles = l->handles;
        graphs = l->graphs;
        launching = l->retired != NULL;
        pthread_mutex_unlock(&l->lock);
        wait = !handles && (graphs || launching) && clock_now() < deadline;
        if (wait)
            clock_sleep(CLOSE_PAUSE);
    } while (wait);
    if (!handles && !graphs && !launching)
        return true;
    gpudl__log(l, GPUDL_LOG_ERROR,
        "gpudl_loader_close: it stays open: %zu libraries, kernels, pins or tasks were not released, %zu graphs hold its code%s",
        handles, graphs, launching ? ", a launch is under way" : "");
    gpudl__leaks_name(l, "gpudl_loader_close", l->log, l->log_user);
    return false;
}

void gpudl_loader_close(gpudl_loader *l)
{
    gpudl_status status;

    if (!l || gpudl__forked() || gpudl__process_ends() || l == atomic_load(&default_loader) ||
        !gpudl__loader(l, "gpudl_loader_close", &status))
        return;
    gpudl__tasks_wait(l);
    if (!is_free(l))
        return;
    gpudl__process_remove(l);
    gpudl__park_unload_all(l);
    gpudl__workers_join(l);
    gpudl__watcher_join(l);
    gpudl__asker_join(l);
    gpudl__share_close(l);
    gpudl__process_let_code_go(l);
    gpudl__trace_flush(l->trace); /* while its contexts are there, and their events */
    gpudl__contexts_release(l);
    pthread_cond_destroy(&l->moment_came);
    pthread_mutex_destroy(&l->lock);
    free_loader(l);
}
