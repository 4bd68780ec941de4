#include "src/loader/launch/plan.h"

#include "src/loader/error.h"
#include "src/loader/launch/launch.h"
#include "src/loader/names/names.h"
#include "src/loader/names/signature.h"

enum { TEXT_SIZE = 512 };

/* ----------------------------------------------------------------------------------------------- the devices; under the lock */

/* Raises *most to what a device has; one that does not tell has no limit. */
static int widen(const gpudl_driver_table *cu, CUdevice device, int attribute, unsigned *most)
{
    int value, err = cu->DeviceGetAttribute(&value, attribute, device);

    if (!err && value <= 0)
        *most = UINT32_MAX;
    else if (!err && (unsigned)value > *most)
        *most = (unsigned)value;
    return err;
}

static int has(const gpudl_driver_table *cu, CUdevice device, int attribute, bool *any)
{
    int value, err = cu->DeviceGetAttribute(&value, attribute, device);

    if (!err && value > 0)
        *any = true;
    return err;
}

static int widen_all(const gpudl_driver_table *cu, int ordinal, struct device_limits *d)
{
    CUdevice device;
    int err = cu->DeviceGet(&device, ordinal);

    for (int i = 0; i < 3 && !err; i++) {
        err = widen(cu, device, GPUDL_DEVICE_MAX_BLOCK_DIM_X + i, &d->block[i]);
        if (!err)
            err = widen(cu, device, GPUDL_DEVICE_MAX_GRID_DIM_X + i, &d->grid[i]);
    }
    if (!err)
        err = widen(cu, device, GPUDL_DEVICE_MAX_THREADS_PER_BLOCK, &d->threads);
    if (!err)
        err = widen(cu, device, GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK, &d->shared);
    if (!err)
        err = widen(cu, device, GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &d->shared_most);
    if (!err)
        err = has(cu, device, GPUDL_DEVICE_CLUSTER_LAUNCH, &d->clusters);
    if (!err)
        err = has(cu, device, GPUDL_DEVICE_COOPERATIVE_LAUNCH, &d->cooperative);
    return err;
}

gpudl_status gpudl__limits_ask(gpudl_loader *l)
{
    struct device_limits d = { .known = true };
    int err = 0;

    if (l->limits.known)
        return GPUDL_OK;
    for (int i = 0; i < l->driver.devices && !err; i++)
        err = widen_all(&l->driver.table, i, &d);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, &l->driver.table, "cuDeviceGetAttribute", err,
            "asking device after device what a launch may have");
    if (!l->driver.table.KernelSetAttribute || !l->driver.table.KernelGetAttribute || d.shared_most < d.shared)
        d.shared_most = d.shared;
    l->limits = d;
    return GPUDL_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ a kernel */

gpudl_status gpudl__kernel_resources(struct version *v, const struct image_kernel *kernel, const struct image_resources **out)
{
    size_t index = (size_t)(kernel - v->kernels);
    const struct image_details *details;
    char text[TEXT_SIZE];
    enum image_error error;
    gpudl_status status;

    *out = NULL;
    status = gpudl__version_image(v);
    if (status != GPUDL_OK || !v->image)
        return status;
    error = gpudl__image_details(v->image, v->entry, &details, text, sizeof(text));
    *out = !error && index < details->nkernels ? &details->kernels[index] : NULL;
    return error == IMAGE_NO_MEMORY ? gpudl__fail_memory("a kernel's limits") : GPUDL_OK;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned without(unsigned all, unsigned taken)
{
    return all == UINT32_MAX ? all : all > taken ? all - taken : 0;
}

static void set_devices_limits(struct plan *p, const struct device_limits *d)
{
    for (int i = 0; i < 3; i++) {
        p->block_low[i] = 1;
        p->block_above[i] = d->block[i] - 1;
        p->grid_above[i] = d->grid[i] - 1;
    }
    p->threads = p->threads_most = d->threads;
    p->shared_most = d->shared_most;
    atomic_init(&p->shared, d->shared);
}

/* A dimension that is not declared beside one that is, is 1. */
static void set_cluster(struct plan *p, const struct image_resources *r)
{
    p->cluster_most = r->max_cluster_rank;
    p->blocks_are_clusters = r->blocks_are_clusters;
    if (!r->cluster[0])
        return;
    for (int i = 0; i < 3; i++)
        p->cluster[i] = r->cluster[i] ? r->cluster[i] : 1;
    p->threads = 0;
}

/* Of .maxntid the product alone counts. */
static void set_kernels_limits(struct plan *p, const struct device_limits *d, const struct image_resources *r)
{
    for (int i = 0; i < 3 && r->required_block[0]; i++) {
        p->block_low[i] = r->required_block[i] ? r->required_block[i] : 1;
        p->block_above[i] = 0;
    }
    if (r->max_threads) {
        p->declared_threads = r->max_threads;
        p->threads = p->threads_most = least(d->threads, r->max_threads);
    }
    set_cluster(p, r);
    if (r->shared == IMAGE_NOT_KNOWN)
        return;
    p->shared_static = r->shared;
    p->shared_most = without(d->shared_most, r->shared);
    atomic_init(&p->shared, without(d->shared, r->shared));
}

static void set_params(struct plan *p, const struct image_kernel *kernel)
{
    struct signature s;

    p->nparams = kernel->params_known ? kernel->nparams : PLAN_NOT_KNOWN;
    p->param_bytes = kernel->param_bytes;
    if (!kernel->params_known)
        return;
    s = gpudl__signature_open(kernel);
    for (size_t i = 0; i < kernel->nparams; i++)
        p->params[i] = (struct plan_param){ kernel->params[i].size, gpudl__signature_accepts(&s, i) };
    gpudl__signature_close(&s);
}

static gpudl_status create(struct version *v, const struct image_kernel *kernel, struct plan **out)
{
    const struct device_limits *d = &v->loader->limits;
    const struct image_resources *r;
    size_t n = kernel->params_known ? kernel->nparams : 0;
    gpudl_status status = gpudl__limits_ask(v->loader);
    struct plan *p;

    if (status == GPUDL_OK)
        status = gpudl__kernel_resources(v, kernel, &r);
    if (status != GPUDL_OK)
        return status;
    p = gpudl__alloc_zero(sizeof(*p) + n * sizeof(p->params[0]));
    if (!p)
        return gpudl__fail_memory("a kernel's limits");
    p->kernel = kernel;
    p->changes = v->record ? &v->record->attribute_changes : NULL;
    set_devices_limits(p, d);
    if (v->lent)
        atomic_init(&p->shared, d->shared_most); /* the driver knows what its owner has asked for */
    if (r)
        set_kernels_limits(p, d, r);
    set_params(p, kernel);
    p->next = v->plans;
    v->plans = p;
    *out = p;
    return GPUDL_OK;
}

/* Libraries of one version share its plans. */
static gpudl_status complete(struct version *v, struct place *place)
{
    struct plan *p = v->plans;
    gpudl_status status = GPUDL_OK;

    while (p && p->kernel != place->kernel)
        p = p->next;
    if (!p)
        status = create(v, place->kernel, &p);
    if (status == GPUDL_OK)
        atomic_store_explicit(&place->plan, p, memory_order_release);
    return status;
}

gpudl_status gpudl__plan_make(gpudl_kernel *k, const gpudl_launch_config *c)
{
    gpudl_loader *l = k->library->loader;
    const struct allocator *before = gpudl__alloc_use(gpudl__loader_heap(l));
    gpudl_status status = GPUDL_OK;
    struct place *place;

    gpudl__can_demangle(); /* looks for its library now, not under the lock */
    pthread_mutex_lock(&l->lock);
    place = launch_place(k, c);
    if (!atomic_load_explicit(&place->plan, memory_order_relaxed))
        status = complete(place->version, place);
    pthread_mutex_unlock(&l->lock);
    gpudl__alloc_use(before);
    return status;
}

void gpudl__plans_free(struct plan *p)
{
    struct plan *next;

    for (; p; p = next) {
        next = p->next;
        gpudl__free(p);
    }
}
