#include "src/loader/life/resident.h"

#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/launch/hold.h"
#include "src/loader/life/moment.h"
#include "src/loader/mixed.h"

enum { MOST_DEVICES = 64 };

struct work {
    struct version *version;
    const CUkernel *handles;
    size_t n;
    uint64_t devices;
};

/* Under lazy loading the driver takes each kernel by itself, when its function is asked for. */
static int load_function(const gpudl_driver_table *cu, CUkernel handle, const char **call)
{
    CUfunction f;
    int err = cu->KernelGetFunction(&f, handle);

    *call = "cuKernelGetFunction";
    if (!err && cu->FuncLoad) {
        *call = "cuFuncLoad";
        err = cu->FuncLoad(f);
    }
    return err;
}

static int load_functions(gpudl_loader *l, const CUkernel *handles, size_t n, const char **call)
{
    struct relaxed r = gpudl__relax(l);
    int err = 0;

    gpudl__launches_hold();
    for (size_t i = 0; i < n && !err; i++)
        err = load_function(&l->driver.table, handles[i], call);
    gpudl__launches_let_go();
    gpudl__unrelax(l, r);
    return err;
}

static gpudl_status make_on(struct version *v, const CUkernel *handles, size_t n, int device)
{
    gpudl_loader *l = v->loader;
    const char *call = "";
    struct trace_span span;
    gpudl_status status;
    bool pushed;
    int err;

    status = gpudl__version_has(v, device);
    if (status == GPUDL_OK)
        status = gpudl__context_enter(l, device, &pushed);
    if (status != GPUDL_OK)
        return status;
    span = gpudl__trace_begin(l->trace, "make resident", v->content.name);
    err = load_functions(l, handles, n, &call);
    if (err == GPUDL_CU_OUT_OF_MEMORY && gpudl__park_unload_all(l))
        err = load_functions(l, handles, n, &call);
    gpudl__trace_end(span, "make resident", v->content.name, v->code.size, err != 0);
    gpudl__context_leave(l, pushed);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &l->driver.table, call, err, "%s: making it resident on device %d",
                     v->content.name, device)
               : GPUDL_OK;
}

static gpudl_status make_now(void *user)
{
    const struct work *w = user;
    gpudl_status status = GPUDL_OK;

    version_touch(w->version);
    for (int i = 0; i < MOST_DEVICES && status == GPUDL_OK; i++)
        if (w->devices >> i & 1)
            status = make_on(w->version, w->handles, w->n, i);
    if (status == GPUDL_OK)
        atomic_fetch_or(&w->version->resident, w->devices);
    return status;
}

gpudl_status gpudl__resident_make(
    struct version *v, const CUkernel *handles, size_t n, uint64_t devices, gpudl_when when, const atomic_bool *hurried)
{
    struct work w = { v, handles, n, devices };

    if (v->lent)
        return GPUDL_OK;
    if (!v->loader->driver.table.KernelGetFunction)
        return gpudl__fail_lacks(v->loader, "cuKernelGetFunction", "%s: making code resident", v->content.name);
    return gpudl__at_moment(v->loader, when, hurried, make_now, &w);
}

gpudl_status gpudl__resident_as_version(struct version *v, CUkernel handle)
{
    struct work w = { v, &handle, 1, atomic_load(&v->resident) };

    return w.devices ? make_now(&w) : GPUDL_OK;
}

gpudl_status gpudl__when_check(const char *function, gpudl_when when)
{
    if (when.mode > GPUDL_WHEN_BY || when.reserved)
        return gpudl__fail_argument(function, "when: the mode is 0, GPUDL_WHEN_IDLE or GPUDL_WHEN_BY, and reserved is 0");
    return GPUDL_OK;
}

static gpudl_status devices_of(gpudl_loader *l, const int *devices, size_t n, uint64_t *out)
{
    gpudl_status status = GPUDL_OK;
    int here;

    *out = 0;
    if (!n) {
        status = gpudl__context_device(l, &here);
        *out = (uint64_t)1 << (here < 0 ? 0 : here);
    }
    for (size_t i = 0; i < n; i++) {
        if (devices[i] < 0 || devices[i] >= l->driver.devices || devices[i] >= MOST_DEVICES)
            return gpudl__fail(GPUDL_ERROR_ARGUMENT, "there is no device %d: %s has %d, and they count from 0", devices[i],
                l->driver_text, l->driver.devices);
        *out |= (uint64_t)1 << devices[i];
    }
    return status;
}

/* A library's version, held, and those of its kernels that were asked for. */
struct snapshot {
    struct version *version;
    CUkernel *handles;
    size_t n;
};

static bool take_snapshot(gpudl_library *lib, struct snapshot *s)
{
    struct binding *b;

    pthread_mutex_lock(&lib->loader->lock);
    b = atomic_load_explicit(&lib->binding, memory_order_relaxed);
    s->n = lib->nslots ? lib->nslots : b->version->nkernels != 0;
    s->handles = gpudl__alloc((s->n + 1) * sizeof(*s->handles));
    for (size_t i = 0; i < s->n && s->handles; i++)
        s->handles[i] = lib->nslots ? b->places[i].handle : b->version->first;
    s->version = b->version;
    if (s->handles)
        gpudl__version_hold(b->version);
    pthread_mutex_unlock(&lib->loader->lock);
    return s->handles != NULL;
}

static gpudl_status make_library(gpudl_library *lib, uint64_t devices, gpudl_when when)
{
    gpudl_status status;
    struct snapshot s;

    if (!take_snapshot(lib, &s))
        return gpudl__fail_memory("a list of kernels");
    status = gpudl__resident_make(s.version, s.handles, s.n, devices, when, NULL);
    gpudl__version_drop(s.version);
    gpudl__free(s.handles);
    return status;
}

gpudl_status gpudl__library_make_resident(gpudl_library *lib, const int *devices, size_t n, gpudl_when when)
{
    const struct allocator *before;
    uint64_t set;
    gpudl_status status = devices_of(lib->loader, devices, n, &set);

    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    status = make_library(lib, set, when);
    gpudl__alloc_use(before);
    return status;
}

gpudl_status gpudl_library_make_resident(gpudl_library *lib, const int *devices, size_t n, gpudl_when when)
{
    static const char function[] = "gpudl_library_make_resident";
    gpudl_status status;

    if (!lib || (n && !devices))
        return gpudl__fail_argument(function, "the library is NULL, or devices is NULL and n is not 0");
    if (gpudl__forked())
        return gpudl__fail_forked(function);
    status = handle_check(lib, HANDLE_LIBRARY, function);
    if (status == GPUDL_OK)
        status = gpudl__when_check(function, when);
    return status == GPUDL_OK ? gpudl__library_make_resident(lib, devices, n, when) : status;
}
