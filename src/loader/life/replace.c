/* Turning a library to another version while launches go on. */
#include <string.h>

#include "src/loader/launch/attributes.h"
#include "src/loader/context.h"
#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/life/fit.h"
#include "src/loader/fork.h"
#include "src/loader/options.h"
#include "src/loader/launch/plan.h"
#include "src/loader/source/registered.h"
#include "src/loader/life/resident.h"
#include "src/loader/thread.h"
#include "src/loader/life/trial.h"
#include "src/loader/source/trust.h"
#include "src/loader/mixed.h"
#include "src/util/clock.h"

enum { MOST_DEVICES = 64 };

static const char function[] = "gpudl_library_replace";

/* A turn in the making. Its binding is out of sight, and holds nothing yet. */
struct turn {
    gpudl_library *lib;
    struct version *from, *to;          /* both held */
    struct binding *binding;            /* to's, or NULL */
    size_t ready;                       /* so many of its places */
    size_t changes;                     /* of the library's attributes, which were carried over */
    uint64_t devices;                   /* where it is to be resident */
    gpudl_when when;
    const struct trials *trials;        /* NULL: there are none, or they went well */
};

/* ------------------------------------------------------------------------------------------------------- places for slots */

static const struct image_kernel *kernel_now(gpudl_library *lib, size_t i, struct slot **slot)
{
    const struct image_kernel *kernel;

    pthread_mutex_lock(&lib->loader->lock);
    *slot = lib->slots[i];
    kernel = atomic_load_explicit(&lib->binding, memory_order_relaxed)->places[i].kernel;
    pthread_mutex_unlock(&lib->loader->lock);
    return kernel;
}

static gpudl_status make_place(struct turn *t, size_t i)
{
    const gpudl_driver_table *cu = &t->lib->loader->driver.table;
    const struct image_kernel *kernel, *now;
    struct slot *slot;
    CUkernel handle;
    gpudl_status status;
    int err;

    now = kernel_now(t->lib, i, &slot);
    status = gpudl__fit_kernel(t->lib, slot, now, t->to, &kernel);
    if (status == GPUDL_OK)
        status = gpudl__fit_launches(t->lib, slot, t->to, kernel);
    if (status != GPUDL_OK)
        return status;
    err = gpudl__version_kernel(t->to, (size_t)(kernel - t->to->kernels), &handle);
    if (err)
        return gpudl__fail_cuda(
            GPUDL_ERROR_DRIVER, cu, "cuLibraryGetKernel", err, "%s: kernel '%s' of the new code", t->lib->name, kernel->name);
    t->binding->places[i] = (struct place){ handle, kernel, t->to, NULL };
    return GPUDL_OK;
}

/* Where more shared memory was asked for than a kernel has without asking, it is asked for again. */
static gpudl_status carry_shared(const struct turn *t, const struct slot *slot, const struct place *place, int ordinal)
{
    gpudl_loader *l = t->lib->loader;
    const gpudl_driver_table *cu = &l->driver.table;
    const char *call = "cuDeviceGet";
    CUdevice device;
    int err;

    if (!cu->KernelSetAttribute || !cu->KernelGetAttribute || atomic_load(&slot->shared) <= l->limits.shared / 2)
        return GPUDL_OK;
    err = cu->DeviceGet(&device, ordinal);
    if (!err)
        err = gpudl__shared_raise(cu, place->handle, device, &call);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err,
                     "%s: kernel '%s': asking for more shared memory for the new code", t->lib->name, slot->name)
               : GPUDL_OK;
}

/* What is known of a CUfunction the program knows. */
static bool is_function(const struct turn *t, size_t i)
{
    return gpudl__registered_is_function(t->to, t->binding->places[i].kernel);
}

static gpudl_status check_device(const struct turn *t, size_t first, size_t n, int device)
{
    struct relaxed relaxed = gpudl__relax(t->lib->loader);
    gpudl_status status = GPUDL_OK;
    struct slot *slot;

    for (size_t i = first; i < n && status == GPUDL_OK; i++) {
        if (is_function(t, i))
            continue;
        kernel_now(t->lib, i, &slot);
        status = gpudl__fit_device(t->lib, slot, t->binding->places[i].handle, device);
        if (status == GPUDL_OK)
            status = carry_shared(t, slot, &t->binding->places[i], device);
    }
    gpudl__unrelax(t->lib->loader, relaxed);
    return status;
}

/* Only the first kernels wait for a moment: with them the version is resident, and further ones wait for nothing. */
static gpudl_status make_resident(struct turn *t, size_t n)
{
    CUkernel *handles;
    gpudl_status status;

    if (!t->devices || n == t->ready)
        return GPUDL_OK;
    handles = gpudl__alloc((n - t->ready) * sizeof(*handles));
    if (!handles)
        return gpudl__fail_memory("a list of kernels");
    for (size_t i = t->ready; i < n; i++)
        handles[i - t->ready] = t->binding->places[i].handle;
    status = gpudl__resident_make(t->to, handles, n - t->ready, t->devices, t->ready ? gpudl_now() : t->when, &t->lib->hurried);
    gpudl__free(handles);
    for (int d = 0; d < MOST_DEVICES && status == GPUDL_OK; d++)
        if (t->devices >> d & 1)
            status = check_device(t, t->ready, n, d);
    return status;
}

static gpudl_status try_it(struct turn *t)
{
    struct trace_span span;
    gpudl_status status = GPUDL_OK;

    if (t->trials) {
        span = gpudl__trace_begin(t->lib->loader->trace, "trial", t->lib->name);
        status = gpudl__trials_run(t->trials, t->to);
        gpudl__trace_end(span, "trial", t->lib->name, 0, status != GPUDL_OK);
    }
    t->trials = NULL;
    return status;
}

static gpudl_status make_places(struct turn *t, size_t n)
{
    struct binding *b = gpudl__binding_create(t->to, n ? n : 1);
    gpudl_status status = GPUDL_OK;

    if (!b)
        return gpudl__fail_memory("a library");
    if (t->binding)
        memcpy(b->places, t->binding->places, t->ready * sizeof(b->places[0]));
    gpudl__free(t->binding);
    t->binding = b;
    for (size_t i = t->ready; i < n && status == GPUDL_OK; i++)
        status = make_place(t, i);
    if (status == GPUDL_OK)
        status = try_it(t);
    if (status == GPUDL_OK)
        status = make_resident(t, n);
    t->ready = n;
    return status;
}

/* --------------------------------------------------------------------------------------------------------------- the turn */

static size_t count_slots(gpudl_library *lib)
{
    size_t n;

    pthread_mutex_lock(&lib->loader->lock);
    n = lib->nslots;
    pthread_mutex_unlock(&lib->loader->lock);
    return n;
}

/* What was set of kernels is set of the new ones. */
static gpudl_status carry_attributes(struct turn *t)
{
    uint64_t devices = gpudl__attributes_devices(t->lib, &t->changes);
    gpudl_status status = GPUDL_OK;
    struct slot *slot;

    for (size_t i = 0; i < t->ready && devices; i++) {
        if (is_function(t, i))
            continue;
        kernel_now(t->lib, i, &slot);
        for (int d = 0; d < MOST_DEVICES && status == GPUDL_OK; d++)
            if (devices >> d & 1)
                status = gpudl__attributes_apply(t->lib->loader, slot, t->binding->places[i].handle, d);
    }
    return status;
}

/* Unless kernels were asked for meanwhile, or attributes set. The binding takes over the reference to its version. */
static struct binding *turn_now(struct turn *t)
{
    gpudl_loader *l = t->lib->loader;
    struct binding *old = NULL;

    pthread_mutex_lock(&l->lock);
    if (t->lib->nslots == t->ready && t->lib->attribute_changes == t->changes) {
        old = atomic_load_explicit(&t->lib->binding, memory_order_relaxed);
        atomic_store_explicit(&t->lib->binding, t->binding, memory_order_release);
        atomic_fetch_add(&t->lib->generation, 1);
    }
    pthread_mutex_unlock(&l->lock);
    return old;
}

static gpudl_status turn(struct turn *t)
{
    struct binding *old = NULL;
    gpudl_status status = GPUDL_OK;

    while (!old && status == GPUDL_OK) {
        status = make_places(t, count_slots(t->lib));
        if (status == GPUDL_OK)
            status = carry_attributes(t);
        if (status == GPUDL_OK)
            old = turn_now(t);
    }
    if (old) {
        t->binding = NULL;
        t->to = NULL;
        gpudl__binding_retire(t->lib->loader, old);
    }
    return status;
}

/* A launch may have made it resident wherever there is a context. */
static gpudl_status find_contexts(gpudl_loader *l, uint64_t *devices)
{
    int here;
    gpudl_status status = gpudl__context_device(l, &here);

    if (here >= 0)
        *devices |= (uint64_t)1 << here;
    for (int i = 0; i < l->driver.devices && i < MOST_DEVICES; i++)
        if (gpudl__context_is_active(l, i))
            *devices |= (uint64_t)1 << i;
    return status;
}

/* Where the old one was made resident, else where it may be; where attributes were set. */
static gpudl_status choose_devices(struct turn *t)
{
    gpudl_status status = GPUDL_OK;

    if (!t->lib->loader->driver.table.KernelGetFunction)
        return GPUDL_OK;
    t->devices = atomic_load(&t->from->resident);
    if (!t->devices && atomic_load(&t->from->touched))
        status = find_contexts(t->lib->loader, &t->devices);
    t->devices |= gpudl__attributes_devices(t->lib, NULL);
    return status;
}

static void hurry(gpudl_library *lib)
{
    if (!atomic_exchange(&lib->hurried, true))
        pthread_cond_broadcast(&lib->loader->moment_came);
}

/* Until a replace has ended, a cancel, or the deadline. From a deadline on that means now the one before is hurried: its moment may
 * be for this very thread to name. Under the lock; true: go on waiting. */
static bool wait_for_turn(gpudl_library *lib, gpudl_when when, uint64_t deadline)
{
    struct timespec until = clock_spec(deadline);
    bool late = clock_now() >= deadline;

    if (!lib->turning || thread_cancelled() || (late && when.mode == GPUDL_WHEN_IDLE))
        return false;
    if (late)
        hurry(lib);
    if (late || deadline == UINT64_MAX)
        pthread_cond_wait(&lib->loader->moment_came, &lib->loader->lock);
    else
        pthread_cond_timedwait(&lib->loader->moment_came, &lib->loader->lock, &until);
    return true;
}

/* One after another; what is left of the time is in when. Not a lock, as one may wait for a moment: those behind it can be cancelled
 * meanwhile. */
static gpudl_status begin(gpudl_library *lib, gpudl_when *when)
{
    gpudl_loader *l = lib->loader;
    uint64_t deadline = when->mode ? clock_after(when->timeout_ns) : 0, now;
    bool mine;

    pthread_mutex_lock(&l->lock);
    while (wait_for_turn(lib, *when, deadline))
        ;
    mine = !lib->turning;
    lib->turning = true;
    if (mine)
        atomic_store(&lib->hurried, false);
    pthread_mutex_unlock(&l->lock);
    if (!mine && thread_cancelled())
        return gpudl__fail(GPUDL_ERROR_CANCELLED, "the task was cancelled");
    if (!mine)
        return gpudl__fail(GPUDL_ERROR_TIMEOUT, "%s: another replace of this library did not end within %.3f ms", lib->name,
            (double)when->timeout_ns / 1e6);
    now = clock_now();
    if (when->mode && deadline != UINT64_MAX)
        when->timeout_ns = deadline > now ? deadline - now : 0;
    return GPUDL_OK;
}

static void end(gpudl_library *lib)
{
    pthread_mutex_lock(&lib->loader->lock);
    lib->turning = false;
    pthread_cond_broadcast(&lib->loader->moment_came);
    pthread_mutex_unlock(&lib->loader->lock);
}

/* Takes over the reference to the version; between begin and end. */
static gpudl_status turn_to(gpudl_library *lib, struct version *to, bool keep, gpudl_when when, const struct trials *trials)
{
    struct turn t = { .lib = lib, .from = gpudl__library_hold(lib), .to = to, .when = when, .trials = trials };
    struct version *drop = t.from;
    gpudl_status status = GPUDL_OK;

    if (t.from != to)
        status = choose_devices(&t);
    if (status == GPUDL_OK && t.from != to)
        status = turn(&t);
    if (status == GPUDL_OK && t.from != to) {
        drop = lib->previous;
        lib->previous = keep ? t.from : NULL;
        if (!keep)
            gpudl__version_drop(t.from);
    }
    gpudl__free(t.binding);
    if (t.to)
        gpudl__version_drop(t.to);
    if (drop)
        gpudl__version_drop(drop);
    return status;
}

static void count(gpudl_library *lib, uint64_t *counter, uint64_t before)
{
    pthread_mutex_lock(&lib->loader->lock);
    *counter += atomic_load(&lib->generation) - before;
    pthread_mutex_unlock(&lib->loader->lock);
}

/* Read, admitted, and compiled, where it is CUDA C++: with the options that come with it, else those of the load. */
static gpudl_status read_in(gpudl_library *lib, const gpudl_source *source, const struct load_settings *settings,
    const gpudl_load_options *load, struct content *out)
{
    gpudl_compile_options *compile;
    gpudl_status status = gpudl__compile_of_load(load, &compile);

    if (status != GPUDL_OK)
        return status;
    status = gpudl__content_read(source, lib->loader->commons, out);
    if (status == GPUDL_OK) {
        status = gpudl__trust_admit(lib->loader->trust, lib->trust, load, out);
        if (status == GPUDL_OK)
            status = gpudl__content_compile(lib->loader, load ? compile : lib->compile, settings, out);
        if (status != GPUDL_OK)
            gpudl__content_release(out);
    }
    gpudl__free(compile);
    return status;
}

/* Content that the library has already: also where a load would have its own, for its globals. Held; NULL: it is other content. */
static struct version *already(gpudl_library *lib, const struct content *content, const struct load_settings *settings)
{
    struct version *v = gpudl__library_hold(lib);

    if (gpudl__version_is(v, content, settings))
        return v;
    gpudl__version_drop(v);
    return NULL;
}

static gpudl_status get_version(
    gpudl_library *lib, struct content *content, const struct load_settings *settings, struct version **out)
{
    struct version *same = already(lib, content, settings);
    gpudl_status status;

    if (!same)
        return gpudl__version_get(lib->loader, content, settings, out);
    status = gpudl__version_admit(same, content);
    if (status == GPUDL_OK)
        *out = same;
    else
        gpudl__version_drop(same);
    return status;
}

static gpudl_status replace_by(gpudl_library *lib, struct content *content, const struct load_settings *settings,
    const gpudl_replace_options *o, gpudl_when when, const struct trials *trials)
{
    uint64_t before = gpudl_library_generation(lib);
    struct trace_span span = gpudl__trace_begin(lib->loader->trace, "replace", lib->name);
    struct version *to;
    gpudl_status status = get_version(lib, content, settings, &to);

    if (status == GPUDL_OK)
        status = turn_to(lib, to, o->flags & GPUDL_REPLACE_KEEP_PREVIOUS, when, trials->count ? trials : NULL);
    gpudl__trace_end(span, "replace", lib->name, 0, status != GPUDL_OK);
    count(lib, &lib->loader->counts.replaces, before);
    return status;
}

static gpudl_status replace(gpudl_library *lib, const gpudl_source *source, const struct load_settings *settings,
    const gpudl_replace_options *o, const struct trials *trials)
{
    struct content content;
    gpudl_when when = o->when;
    gpudl_status status = read_in(lib, source, settings, o->load, &content);

    if (status != GPUDL_OK)
        return status;
    status = begin(lib, &when);
    if (status == GPUDL_OK) {
        status = replace_by(lib, &content, settings, o, when, trials);
        end(lib);
    }
    gpudl__content_release(&content);
    return status;
}

gpudl_status gpudl__library_replace(
    gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *o, const struct trials *trials)
{
    struct load_settings settings = lib->settings;
    gpudl_status status = gpudl__flags_check(o->flags, GPUDL_REPLACE_KEEP_PREVIOUS, "gpudl_replace_options");

    if (status == GPUDL_OK)
        status = gpudl__when_check(function, o->when);
    if (status == GPUDL_OK && o->load)
        status = gpudl__settings_import(o->load, &settings);
    return status == GPUDL_OK ? replace(lib, source, &settings, o, trials) : status;
}

static gpudl_status replace_given(gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *given)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    struct trials trials = { 0 };
    gpudl_status status = GPUDL_OK;

    if (given)
        status = gpudl__options_import(&o, sizeof(o), given, "gpudl_replace_options");
    if (status == GPUDL_OK)
        status = gpudl__trials_import(&o, &trials);
    if (status == GPUDL_OK)
        status = gpudl__library_replace(lib, source, &o, &trials);
    gpudl__trials_release(&trials);
    return status;
}

gpudl_status gpudl_library_replace(gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *given)
{
    const struct allocator *before;
    gpudl_status status;

    if (!lib)
        return gpudl__fail_argument(function, "the library is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    status = handle_check(lib, HANDLE_LIBRARY, function);
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    status = replace_given(lib, source, given);
    gpudl__alloc_use(before);
    return status;
}

static gpudl_status roll_back(gpudl_library *lib)
{
    struct version *to = lib->previous;
    uint64_t before = atomic_load(&lib->generation);
    struct trace_span span;
    gpudl_status status;

    if (!to)
        return gpudl__fail(GPUDL_ERROR_REPLACE,
            "%s: there is nothing to go back to: the library was not replaced with GPUDL_REPLACE_KEEP_PREVIOUS", lib->name);
    pthread_mutex_lock(&lib->loader->lock);
    gpudl__version_hold(to);
    pthread_mutex_unlock(&lib->loader->lock);
    span = gpudl__trace_begin(lib->loader->trace, "roll back", lib->name);
    status = turn_to(lib, to, true, gpudl_now(), NULL);
    gpudl__trace_end(span, "roll back", lib->name, 0, status != GPUDL_OK);
    count(lib, &lib->loader->counts.rollbacks, before);
    return status;
}

gpudl_status gpudl_library_rollback(gpudl_library *lib)
{
    const struct allocator *before;
    gpudl_when now = gpudl_now();
    gpudl_status status;

    if (!lib)
        return gpudl__fail_argument("gpudl_library_rollback", "the library is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_library_rollback");
    status = handle_check(lib, HANDLE_LIBRARY, "gpudl_library_rollback");
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    status = begin(lib, &now);
    if (status == GPUDL_OK) {
        status = roll_back(lib);
        end(lib);
    }
    gpudl__alloc_use(before);
    return status;
}

uint64_t gpudl_library_generation(gpudl_library *lib)
{
    if (!lib || gpudl__forked() || handle_check(lib, HANDLE_LIBRARY, "gpudl_library_generation") != GPUDL_OK)
        return 0;
    return atomic_load(&lib->generation);
}
