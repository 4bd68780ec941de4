/* Kernels of a version that the caller holds, whatever their library is now. */
#include "src/loader/error.h"
#include "src/loader/launch/launch.h"
#include "src/loader/launch/plan.h"

static bool find(const gpudl_kernel *k, const struct version *v, size_t *index)
{
    struct names names = gpudl__version_names(v);

    return gpudl__index_find(&v->index, &names, k->slot->name, index);
}

struct place *gpudl__pinned_place(const gpudl_kernel *k, const struct version *v)
{
    size_t index = 0;

    find(k, v, &index);
    return &v->places[index];
}

static bool has_place(struct version *v, size_t index)
{
    bool has;

    pthread_mutex_lock(&v->loader->lock);
    has = v->places && v->places[index].handle;
    pthread_mutex_unlock(&v->loader->lock);
    return has;
}

/* Two threads may both: they say the same. */
static bool set_place(struct version *v, size_t index, CUkernel handle)
{
    pthread_mutex_lock(&v->loader->lock);
    if (!v->places)
        v->places = gpudl__alloc_zero(v->nkernels * sizeof(*v->places));
    if (v->places && !v->places[index].handle) {
        v->places[index].kernel = &v->kernels[index];
        v->places[index].version = v;
        v->places[index].handle = handle;
    }
    pthread_mutex_unlock(&v->loader->lock);
    return v->places != NULL;
}

static gpudl_status make_place(const gpudl_kernel *k, struct version *v, size_t index)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    const struct allocator *before;
    CUkernel handle;
    bool made;
    int err = gpudl__version_kernel(v, index, &handle);

    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuLibraryGetKernel", err, "%s: kernel '%s' of the version in the config",
            v->content.name, k->slot->name);
    version_touch(v);
    before = gpudl__alloc_use(gpudl__loader_heap(v->loader));
    made = set_place(v, index, handle);
    gpudl__alloc_use(before);
    return made ? GPUDL_OK : gpudl__fail_memory("the kernels of a version");
}

gpudl_status gpudl__pinned_prepare(const char *function, const gpudl_kernel *k, struct version *v)
{
    size_t index;

    if (v->loader != k->library->loader)
        return gpudl__fail_argument(function, "the version in the config is of another loader than the kernel");
    if (!find(k, v, &index))
        return gpudl__fail(GPUDL_ERROR_NO_SUCH_KERNEL,
            "%s: the version in the config (number %llu) has no kernel '%s': launch it without a version, or pin one that has it",
            k->library->name, (unsigned long long)v->number, k->slot->name);
    return has_place(v, index) ? GPUDL_OK : make_place(k, v, index);
}
