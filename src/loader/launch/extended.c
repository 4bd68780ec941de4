#include "src/loader/launch/extended.h"

#include <string.h>

#include "src/loader/error.h"
#include "src/loader/launch/hold.h"
#include "src/loader/source/registered.h"

enum { PORTABLE = 8 };   /* blocks of a cluster that every device with clusters takes */
enum { WIDEST = 65535 }; /* a dimension of a cluster beyond that is none */

/* "FILE: kernel 'k': ..." */
#define refuse(status, k, format, ...) \
    gpudl__fail(status, "%s: kernel '%s': " format, (k)->library->name, (k)->slot->name, __VA_ARGS__)

static uint64_t product(const unsigned dim[3])
{
    uint64_t n = dim[0];

    return __builtin_mul_overflow(n, dim[1], &n) || __builtin_mul_overflow(n, dim[2], &n) ? UINT64_MAX : n;
}

/* -------------------------------------------------------------------------------------------------------- what it asks for */

/* The last of a kind counts. All zeroes are no cluster. */
static void read_attributes(const gpudl_launch_config *c, struct extended *e)
{
    const gpudl_launch_attribute *a = (const gpudl_launch_attribute *)c->attributes;

    for (unsigned i = 0; i < c->nattributes; i++) {
        if (a[i].id == GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE)
            e->cooperative = a[i].value.value != 0;
        for (int d = 0; d < 3 && a[i].id == GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION; d++)
            e->cluster[d] = a[i].value.dim[d];
    }
}

static bool is_set(const unsigned dim[3])
{
    return dim[0] | dim[1] | dim[2];
}

static void read(const struct plan *p, const gpudl_launch_config *c, struct extended *e)
{
    *e = (struct extended){ 0 };
    read_attributes(c, e);
    if (!is_set(e->cluster))
        memcpy(e->cluster, p->cluster, sizeof(e->cluster));
    e->cluster_blocks = is_set(e->cluster) ? product(e->cluster) : 1;
    e->blocks = product(c->grid);
    if (p->blocks_are_clusters && __builtin_mul_overflow(e->blocks, e->cluster_blocks, &e->blocks))
        e->blocks = UINT64_MAX;
}

/* ---------------------------------------------------------------------------------------------------------------- clusters */

static gpudl_status check_shape(const gpudl_kernel *k, const struct plan *p, const unsigned x[3])
{
    const unsigned *own = p->cluster;

    for (int i = 0; i < 3; i++)
        if (!x[i] || x[i] > WIDEST)
            return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
                "a cluster of %u x %u x %u blocks: each dimension is at least 1, and at most 8 blocks are in it together", x[0],
                x[1], x[2]);
    if (is_set(own) && (x[0] != own[0] || x[1] != own[1] || x[2] != own[2]))
        return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
            "a cluster of %u x %u x %u blocks, and the kernel is declared for %u x %u x %u (__cluster_dims__, .reqnctapercluster)",
            x[0], x[1], x[2], own[0], own[1], own[2]);
    return GPUDL_OK;
}

static gpudl_status check_grid(const gpudl_kernel *k, const gpudl_launch_config *c, const unsigned x[3])
{
    for (int i = 0; i < 3; i++)
        if (c->grid[i] % x[i])
            return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
                "grid.%c is %u; with clusters of %u x %u x %u blocks it is a multiple of %u", 'x' + i, c->grid[i], x[0], x[1],
                x[2], x[i]);
    return GPUDL_OK;
}

static gpudl_status check_cluster(
    const gpudl_kernel *k, const struct plan *p, const gpudl_launch_config *c, const struct extended *e)
{
    const unsigned *x = e->cluster;
    gpudl_status status = check_shape(k, p, x);

    if (status != GPUDL_OK)
        return status;
    if (e->cluster_blocks > 1 && !k->library->loader->limits.clusters)
        return refuse(GPUDL_ERROR_UNSUPPORTED, k,
            "a cluster of %u x %u x %u blocks, and the device has no clusters of more than one (%s): they want compute capability 9.0 and "
            "CUDA 11.8",
            x[0], x[1], x[2], k->library->loader->driver_text);
    if (p->cluster_most && e->cluster_blocks > p->cluster_most)
        return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
            "a cluster of %u x %u x %u is %llu blocks; at most %u are what the kernel is declared for (.maxclusterrank)", x[0],
            x[1], x[2], (unsigned long long)e->cluster_blocks, p->cluster_most);
    return p->blocks_are_clusters ? GPUDL_OK : check_grid(k, c, x);
}

/* One that was seen to be allowed is left to the driver from then on. */
static gpudl_status ask_non_portable(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const struct extended *e, CUdevice device)
{
    const gpudl_driver_table *cu = &k->library->loader->driver.table;
    int allowed = 1, err = 0;

    if (cu->KernelGetAttribute && !gpudl__registered_is_function(place->version, place->kernel))
        err = cu->KernelGetAttribute(&allowed, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, place->handle, device);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, "cuKernelGetAttribute", err,
            "%s: kernel '%s': asking what cluster it allows", k->library->name, k->slot->name);
    if (!allowed)
        return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
            "a cluster of %u x %u x %u is %llu blocks; at most %d, unless the device can have more and "
            "GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED is set for it (gpudl_kernel_set_attribute)",
            e->cluster[0], e->cluster[1], e->cluster[2], (unsigned long long)e->cluster_blocks, PORTABLE);
    if (device >= 0 && device < 64)
        atomic_fetch_or_explicit(&p->non_portable, (uint64_t)1 << device, memory_order_relaxed);
    return GPUDL_OK;
}

/* Attributes that others set, who share the version, change the figures as well. What is asked now is of now at least. */
static void see_changes(struct plan *p)
{
    uint64_t now = p->changes ? atomic_load(p->changes) : 0;

    if (atomic_exchange(&p->changes_seen, now) != now)
        gpudl__extended_forget(p);
}

static bool is_portable(const struct plan *p, const struct extended *e, CUdevice device)
{
    uint64_t seen = atomic_load_explicit(&p->non_portable, memory_order_relaxed);

    return e->cluster_blocks <= PORTABLE || (device >= 0 && device < 64 && (seen >> device & 1));
}

/* -------------------------------------------------------------------------------------------- how many blocks a device holds
 *
 * Remembered in one word, so that it is read and written whole: device (6 bits), threads (11), shared memory (20), blocks (27).
 * What does not fit a field is asked for each time. The oldest makes room. */

enum { DEVICE_BITS = 6, THREADS_BITS = 11, SHARED_BITS = 20, BLOCKS_BITS = 27 };

static bool is_narrow(uint64_t value, int bits)
{
    return value >> bits == 0;
}

/* Blocks are 0 in it. 0: it cannot be remembered. */
static uint64_t key_of(const gpudl_launch_config *c, CUdevice device)
{
    uint64_t threads = product(c->block);

    if (device < 0 || !is_narrow((uint64_t)device, DEVICE_BITS) || !is_narrow(threads, THREADS_BITS) ||
        !is_narrow(c->shared_bytes, SHARED_BITS))
        return 0;
    return (((uint64_t)device << THREADS_BITS | threads) << SHARED_BITS | c->shared_bytes) << BLOCKS_BITS;
}

static bool recall(struct plan *p, uint64_t key, uint64_t *blocks)
{
    for (int i = 0; i < PLAN_FITS && key; i++) {
        uint64_t word = atomic_load_explicit(&p->fits[i], memory_order_relaxed);
        if (word >> BLOCKS_BITS != key >> BLOCKS_BITS)
            continue;
        *blocks = word & (((uint64_t)1 << BLOCKS_BITS) - 1);
        return true;
    }
    return false;
}

static void remember(struct plan *p, uint64_t key, uint64_t blocks)
{
    if (key && is_narrow(blocks, BLOCKS_BITS))
        atomic_store_explicit(&p->fits[atomic_fetch_add_explicit(&p->next_fit, 1, memory_order_relaxed) % PLAN_FITS],
            key | blocks, memory_order_relaxed);
}

void gpudl__extended_forget(struct plan *p)
{
    for (int i = 0; i < PLAN_FITS; i++)
        atomic_store_explicit(&p->fits[i], 0, memory_order_relaxed);
    atomic_store_explicit(&p->non_portable, 0, memory_order_relaxed);
}

static gpudl_status compare(const gpudl_kernel *k, const gpudl_launch_config *c, const struct extended *e, uint64_t most)
{
    if (e->blocks <= most)
        return GPUDL_OK;
    return refuse(GPUDL_ERROR_LAUNCH_LIMIT, k,
        "a cooperative grid of %llu blocks, which are on the device at once; of %llu threads and %u bytes of dynamic shared "
        "memory each it holds at most %llu",
        (unsigned long long)e->blocks, (unsigned long long)product(c->block), c->shared_bytes, (unsigned long long)most);
}

/* The driver's code; *call is what returned it. */
static int ask_blocks(const gpudl_driver_table *cu, const struct place *place, const gpudl_launch_config *c, CUdevice device,
    uint64_t *most, const char **call)
{
    int multiprocessors = 0, each = 0, err;
    CUfunction f = (CUfunction)place->handle;

    *call = "cuDeviceGetAttribute";
    err = cu->DeviceGetAttribute(&multiprocessors, GPUDL_DEVICE_MULTIPROCESSOR_COUNT, device);
    if (err)
        return err;
    *call = "cuKernelGetFunction";
    if (!gpudl__registered_is_function(place->version, place->kernel)) {
        gpudl__launches_hold();
        err = cu->KernelGetFunction(&f, place->handle);
        gpudl__launches_let_go();
    }
    if (err)
        return err;
    *call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    err = cu->OccupancyMaxActiveBlocksPerMultiprocessor(&each, f, (int)product(c->block), c->shared_bytes);
    *most = each > 0 && multiprocessors > 0 ? (uint64_t)each * (unsigned)multiprocessors : 0;
    return err;
}

static gpudl_status ask_cooperative(const gpudl_kernel *k, const struct place *place, struct plan *p,
    const gpudl_launch_config *c, const struct extended *e, CUdevice device)
{
    const gpudl_driver_table *cu = &k->library->loader->driver.table;
    uint64_t key = key_of(c, device), most;
    const char *call;
    int err;

    if (recall(p, key, &most))
        return compare(k, c, e, most);
    if (!cu->KernelGetFunction || !cu->OccupancyMaxActiveBlocksPerMultiprocessor)
        return GPUDL_OK;
    err = ask_blocks(cu, place, c, device, &most, &call);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, cu, call, err, "%s: kernel '%s': how many blocks of a cooperative grid fit",
            k->library->name, k->slot->name);
    remember(p, key, most);
    return compare(k, c, e, most);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

gpudl_status gpudl__extended_check(
    const gpudl_kernel *k, struct plan *p, const gpudl_launch_config *c, struct extended *e, bool *ask)
{
    const gpudl_loader *l = k->library->loader;
    bool single = l->driver.devices == 1; /* then it is known which: 0 */
    gpudl_status status;
    uint64_t most;

    *ask = false;
    see_changes(p);
    read(p, c, e);
    if (is_set(e->cluster)) {
        status = check_cluster(k, p, c, e);
        if (status != GPUDL_OK)
            return status;
        *ask = !is_portable(p, e, single ? 0 : -1);
    }
    if (!e->cooperative)
        return GPUDL_OK;
    if (!l->limits.cooperative)
        return refuse(GPUDL_ERROR_UNSUPPORTED, k, "a cooperative launch, and the device has none (%s)", l->driver_text);
    if (single && recall(p, key_of(c, 0), &most))
        return compare(k, c, e, most);
    *ask = true;
    return GPUDL_OK;
}

gpudl_status gpudl__extended_ask(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c, const struct extended *e)
{
    const gpudl_loader *l = k->library->loader;
    gpudl_status status = GPUDL_OK;
    CUdevice device;
    int err = l->driver.table.CtxGetDevice(&device);

    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, &l->driver.table, "cuCtxGetDevice", err,
            "%s: kernel '%s': asking on which device it is launched", k->library->name, k->slot->name);
    if (!is_portable(p, e, device))
        status = ask_non_portable(k, place, p, e, device);
    if (status == GPUDL_OK && e->cooperative)
        status = ask_cooperative(k, place, p, c, e, device);
    return status;
}
