/* Attributes of kernels on a device. */
#include "src/loader/launch/attributes.h"

#include "src/loader/error.h"
#include "src/loader/launch/extended.h"
#include "src/loader/launch/hold.h"
#include "src/loader/mixed.h"
#include "src/loader/source/registered.h"

/* -------------------------------------------------------------------------------------------------- shared memory, asked for */

int gpudl__shared_raise(const gpudl_driver_table *cu, CUkernel kernel, CUdevice device, const char **call)
{
    int most, own, has, err;

    *call = "cuDeviceGetAttribute";
    err = cu->DeviceGetAttribute(&most, GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    if (err)
        return err;
    /* The driver counts what a kernel declares, and what it calls. */
    *call = "cuKernelGetAttribute";
    err = cu->KernelGetAttribute(&own, GPUDL_FUNC_SHARED_SIZE_BYTES, kernel, device);
    if (!err)
        err = cu->KernelGetAttribute(&has, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, device);
    if (err || has >= most - own)
        return err;
    *call = "cuKernelSetAttribute";
    gpudl__launches_hold();
    err = cu->KernelSetAttribute(GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - own, kernel, device);
    gpudl__launches_let_go();
    return err;
}

gpudl_status gpudl__have_shared(const struct use *u, size_t bytes)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    const char *call = "cuKernelGetAttribute";
    int has = 0, err;

    if (!bytes || !cu->KernelGetAttribute || !cu->KernelSetAttribute || gpudl__registered_is_function(u->version, u->kernel))
        return GPUDL_OK;
    err = cu->KernelGetAttribute(&has, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, u->handle, u->device);
    if (!err && bytes > (size_t)has)
        err = gpudl__shared_raise(cu, u->handle, u->device, &call);
    return err ? gpudl__use_failed(u, call, err) : GPUDL_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- asking */

/* Machine code tells it: then *value is set. */
static bool image_tells(int attribute, const struct image_entry *entry, const struct image_resources *r, int *value)
{
    uint32_t found = IMAGE_NOT_KNOWN;

    if (attribute == GPUDL_FUNC_BINARY_VERSION)
        found = entry->payload_sm ? entry->payload_sm : IMAGE_NOT_KNOWN;
    else if (attribute == GPUDL_FUNC_NUM_REGS && r)
        found = r->registers;
    else if (attribute == GPUDL_FUNC_SHARED_SIZE_BYTES && r)
        found = r->shared;
    else if (attribute == GPUDL_FUNC_LOCAL_SIZE_BYTES && r)
        found = r->stack;
    else if (attribute >= GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH && attribute <= GPUDL_FUNC_REQUIRED_CLUSTER_DEPTH && r &&
        r->cluster[0])
        found = r->cluster[attribute - GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH];
    if (found > INT32_MAX)
        return false;
    *value = (int)found;
    return true;
}

static gpudl_status ask_image(const struct use *u, int attribute, int device, bool *told, int *value)
{
    struct version *v = u->version;
    const struct image_resources *r;
    const struct image_entry *entry;
    gpudl_status status;

    *told = false;
    if (v->handles || gpudl__version_varies(v) || device < 0 || device >= v->loader->driver.devices)
        return GPUDL_OK;
    pthread_mutex_lock(&v->loader->lock);
    status = gpudl__version_image(v);
    entry = status == GPUDL_OK ? gpudl__image_entry(v->image, v->entry) : NULL;
    if (entry && entry->format == IMAGE_CUBIN) {
        status = gpudl__kernel_resources(v, u->kernel, &r);
        if (status == GPUDL_OK)
            *told = image_tells(attribute, entry, r, value);
    }
    pthread_mutex_unlock(&v->loader->lock);
    return status;
}

static gpudl_status is_function(const struct use *u)
{
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: kernel '%s' was registered as a CUfunction, whose attributes are the program's alone: register its CUkernel",
        u->of->library->name, u->of->slot->name);
}

/* Needs no context, and makes none. */
static gpudl_status ask_driver(const struct use *u, int attribute, int device, int *value)
{
    gpudl_loader *l = u->version->loader;
    const gpudl_driver_table *cu = &l->driver.table;
    struct relaxed relaxed;
    CUcontext none;
    CUdevice native;
    int found, err;

    if (!cu->KernelGetAttribute)
        return gpudl__use_lacks(u, "cuKernelGetAttribute");
    if (gpudl__registered_is_function(u->version, u->kernel))
        return is_function(u);
    if (device < 0 || device >= l->driver.devices)
        return gpudl__loader_context(l, device, &none); /* says so */
    err = cu->DeviceGet(&native, device);
    if (err)
        return gpudl__use_failed(u, "cuDeviceGet", err);
    relaxed = gpudl__relax(l);
    err = cu->KernelGetAttribute(&found, attribute, u->handle, native);
    gpudl__unrelax(l, relaxed);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuKernelGetAttribute", err, "%s: kernel '%s': attribute %d on device %d",
            u->of->library->name, u->of->slot->name, attribute, device);
    *value = found;
    return GPUDL_OK;
}

gpudl_status gpudl_kernel_attribute(gpudl_kernel *k, int attribute, int device, int *value)
{
    gpudl_status status;
    struct use u;
    bool told;

    if (!value || attribute < 0)
        return gpudl__fail_argument("gpudl_kernel_attribute", value ? "the attribute is negative" : "value is NULL");
    status = gpudl__use_hold(k, "gpudl_kernel_attribute", NULL, &u);
    if (status != GPUDL_OK)
        return status;
    status = ask_image(&u, attribute, device, &told, value);
    if (status == GPUDL_OK && !told)
        status = ask_driver(&u, attribute, device, value);
    gpudl__use_drop(&u);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- setting */

static const char *call_of(int id)
{
    return id == ATTRIBUTE_CACHE_PREFERENCE ? "cuKernelSetCacheConfig" : "cuKernelSetAttribute";
}

/* Shared memory is raised, and never lowered. *call: the one that failed. */
static int set(const gpudl_driver_table *cu, const struct attribute *a, CUkernel kernel, CUdevice device, const char **call)
{
    int err;

    if (a->id == GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return gpudl__shared_raise(cu, kernel, device, call);
    *call = call_of(a->id);
    gpudl__launches_hold();
    err = a->id == ATTRIBUTE_CACHE_PREFERENCE ? cu->KernelSetCacheConfig(kernel, a->value, device)
                                              : cu->KernelSetAttribute(a->id, a->value, kernel, device);
    gpudl__launches_let_go();
    return err;
}

static gpudl_status set_failed(const struct use *u, const struct attribute *a, const char *call, int err)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;

    if (a->id == ATTRIBUTE_CACHE_PREFERENCE)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err, "%s: kernel '%s': cache preference %d on device %d",
            u->of->library->name, u->of->slot->name, a->value, a->device);
    return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err, "%s: kernel '%s': setting attribute %d to %d on device %d",
        u->of->library->name, u->of->slot->name, a->id, a->value, a->device);
}

/* What was asked for is had, or why not. */
static gpudl_status check_shared(const struct use *u, const struct attribute *a)
{
    int has, err = u->version->loader->driver.table.KernelGetAttribute(&has, a->id, u->handle, u->device);

    if (err)
        return gpudl__use_failed(u, "cuKernelGetAttribute", err);
    if (a->value > has)
        return gpudl__fail(GPUDL_ERROR_LAUNCH_LIMIT,
            "%s: kernel '%s': %d bytes of dynamic shared memory; beside what it declares a block has at most %d on device %d",
            u->of->library->name, u->of->slot->name, a->value, has, a->device);
    return GPUDL_OK;
}

/* softcuda takes them and does nothing; a launch would not be what it says. */
static gpudl_status check_cluster(const struct use *u, const struct attribute *a)
{
    const gpudl_loader *l = u->version->loader;
    int can = 0, err;

    if (a->value <= 1)
        return GPUDL_OK;
    err = l->driver.table.DeviceGetAttribute(&can, GPUDL_DEVICE_CLUSTER_LAUNCH, u->device);
    if (err)
        return gpudl__use_failed(u, "cuDeviceGetAttribute", err);
    if (can)
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: kernel '%s': a cluster of %d blocks, and device %d has no clusters of more than one (%s): they want compute capability 9.0 and CUDA 11.8",
        u->of->library->name, u->of->slot->name, a->value, a->device, l->driver_text);
}

static gpudl_status set_here(struct use *u, const struct attribute *a)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    gpudl_status status = GPUDL_OK;
    const char *call;
    int err;

    if (a->id >= GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH && a->id <= GPUDL_FUNC_REQUIRED_CLUSTER_DEPTH)
        status = check_cluster(u, a);
    if (status != GPUDL_OK)
        return status;
    err = set(cu, a, u->handle, u->device, &call);
    if (err)
        return set_failed(u, a, call, err);
    return a->id == GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES ? check_shared(u, a) : GPUDL_OK;
}

static gpudl_status set_on_device(struct use *u, const struct attribute *a)
{
    const gpudl_driver_table *cu = &u->version->loader->driver.table;
    bool there =
        a->id == ATTRIBUTE_CACHE_PREFERENCE ? cu->KernelSetCacheConfig != NULL : cu->KernelSetAttribute && cu->KernelGetAttribute;
    gpudl_status status;

    if (!there)
        return gpudl__use_lacks(u, call_of(a->id));
    if (gpudl__registered_is_function(u->version, u->kernel))
        return is_function(u);
    status = gpudl__use_enter(u, a->device);
    if (status != GPUDL_OK)
        return status;
    status = set_here(u, a);
    gpudl__use_leave(u);
    return status;
}

/* Under the lock. a is taken over, or its value where there is one like it: then it is the caller's to free. */
static struct attribute *keep(struct slot *slot, struct attribute *a)
{
    struct attribute **p = &slot->attributes;

    while (*p && ((*p)->id != a->id || (*p)->device != a->device))
        p = &(*p)->next;
    if (*p) {
        (*p)->value = a->value;
        return a;
    }
    *p = a;
    return NULL;
}

/* Figures that the version's plans keep may be others now. Under the lock. */
static void forget_figures(const struct version *v, const struct image_kernel *kernel)
{
    for (struct plan *p = v->plans; p; p = p->next)
        if (p->kernel == kernel)
            gpudl__extended_forget(p);
}

/* Done, unless the library was turned meanwhile: then the version that it has now is to get it too. *a: what is left to free. */
static bool settle(const struct use *u, struct attribute **a)
{
    gpudl_library *lib = u->of->library;
    bool same;

    if (u->version->record)
        atomic_fetch_add(&u->version->record->attribute_changes, 1);
    pthread_mutex_lock(&lib->loader->lock);
    same = atomic_load_explicit(&lib->binding, memory_order_relaxed)->version == u->version;
    forget_figures(u->version, u->kernel);
    if (same) {
        *a = keep(u->of->slot, *a);
        lib->attribute_changes++;
    }
    pthread_mutex_unlock(&lib->loader->lock);
    return same;
}

/* *again: the library was turned meanwhile. */
static gpudl_status set_current(const char *function, gpudl_kernel *k, const struct attribute *wanted, bool *again)
{
    struct attribute *a;
    gpudl_status status;
    struct use u;

    *again = false;
    status = gpudl__use_hold(k, function, NULL, &u);
    if (status != GPUDL_OK)
        return status;
    a = gpudl__alloc(sizeof(*a));
    if (a)
        *a = *wanted;
    status = a ? set_on_device(&u, a) : gpudl__fail_memory("an attribute");
    if (status == GPUDL_OK)
        *again = !settle(&u, &a);
    gpudl__free(a);
    gpudl__use_drop(&u);
    return status;
}

static gpudl_status set_attribute(const char *function, gpudl_kernel *k, int id, int value, int device)
{
    const struct attribute wanted = { NULL, id, value, device };
    gpudl_status status;
    bool again;

    do
        status = set_current(function, k, &wanted, &again);
    while (again);
    return status;
}

gpudl_status gpudl_kernel_set_attribute(gpudl_kernel *k, int attribute, int value, int device)
{
    static const char function[] = "gpudl_kernel_set_attribute";

    if (attribute < GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES || attribute == GPUDL_FUNC_CLUSTER_SIZE_MUST_BE_SET)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "%s: attribute %d can only be asked for; what can be set are the others from GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES on",
            function, attribute);
    if (value < (attribute == GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0))
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: attribute %d cannot be %d: it is 0 or more", function, attribute, value);
    if (attribute == GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT && value > 100)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: a carve-out of %d percent: it is 0 to 100, or -1 for the driver's choice",
            function, value);
    return set_attribute(function, k, attribute, value, device);
}

gpudl_status gpudl_kernel_set_cache_preference(gpudl_kernel *k, int preference, int device)
{
    static const char function[] = "gpudl_kernel_set_cache_preference";

    if (preference < GPUDL_CACHE_PREFER_NONE || preference > GPUDL_CACHE_PREFER_EQUAL)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: %d is no preference: it is GPUDL_CACHE_PREFER_NONE to _EQUAL, 0 to 3",
            function, preference);
    return set_attribute(function, k, ATTRIBUTE_CACHE_PREFERENCE, preference, device);
}

/* -------------------------------------------------------------------------------------------------------------- carried over */

/* A copy of the next one of that device behind `after`, NULL for the first. */
static bool next_of(gpudl_loader *l, const struct slot *slot, int device, const struct attribute **after, struct attribute *out)
{
    const struct attribute *a;

    pthread_mutex_lock(&l->lock);
    a = *after ? (*after)->next : slot->attributes;
    while (a && a->device != device)
        a = a->next;
    if (a)
        *out = *a;
    pthread_mutex_unlock(&l->lock);
    *after = a;
    return a != NULL;
}

static gpudl_status apply_here(gpudl_loader *l, const struct slot *slot, CUkernel kernel, int device)
{
    const gpudl_driver_table *cu = &l->driver.table;
    struct relaxed relaxed = gpudl__relax(l);
    const struct attribute *at = NULL;
    const char *call = "cuDeviceGet";
    struct attribute a;
    CUdevice native;
    int err = cu->DeviceGet(&native, device);

    while (!err && next_of(l, slot, device, &at, &a))
        err = set(cu, &a, kernel, native, &call);
    gpudl__unrelax(l, relaxed);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, call, err,
                     "the new code's kernel '%s': carrying its attributes over on device %d", slot->name, device)
               : GPUDL_OK;
}

gpudl_status gpudl__attributes_apply(gpudl_loader *l, const struct slot *slot, CUkernel kernel, int device)
{
    const struct attribute *at = NULL;
    struct attribute any;
    gpudl_status status;
    bool pushed;

    if (!next_of(l, slot, device, &at, &any))
        return GPUDL_OK;
    status = gpudl__context_enter(l, device, &pushed);
    if (status != GPUDL_OK)
        return status;
    status = apply_here(l, slot, kernel, device);
    gpudl__context_leave(l, pushed);
    return status;
}

uint64_t gpudl__attributes_devices(gpudl_library *lib, size_t *changes)
{
    uint64_t devices = 0;

    pthread_mutex_lock(&lib->loader->lock);
    for (size_t i = 0; i < lib->nslots; i++)
        for (const struct attribute *a = lib->slots[i]->attributes; a; a = a->next)
            devices |= a->device < 64 ? (uint64_t)1 << a->device : 0;
    if (changes)
        *changes = lib->attribute_changes;
    pthread_mutex_unlock(&lib->loader->lock);
    return devices;
}

void gpudl__attributes_free(struct attribute *a)
{
    struct attribute *next;

    for (; a; a = next) {
        next = a->next;
        gpudl__free(a);
    }
}
