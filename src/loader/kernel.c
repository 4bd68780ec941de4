/* Kernels: a caller's own handle to one entry of a library. */
#include <string.h>

#include "src/compile/compile.h"
#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/image/image_api.h"
#include "src/loader/loader.h"
#include "src/loader/poison.h"
#include "src/loader/names/names.h"
#include "src/loader/options.h"
#include "src/loader/life/resident.h"
#include "src/loader/launch/launch.h"
#include "src/loader/launch/use.h"

enum { TEXT_SIZE = 2048 };

static gpudl_status find_only(const gpudl_library *lib, const struct version *v, const struct names *names, size_t *index)
{
    char list[TEXT_SIZE];
    struct text t = gpudl__text_init(list, sizeof(list));

    *index = 0;
    if (v->nkernels == 1)
        return GPUDL_OK;
    if (!v->nkernels)
        return gpudl__fail(GPUDL_ERROR_NO_SUCH_KERNEL,
            "%s: holds no kernels, only globals: is one missing __global__, or was its template never instantiated?", lib->name);
    gpudl__name_list(names, &t);
    return gpudl__fail(GPUDL_ERROR_AMBIGUOUS_NAME, "%s: holds %zu kernels; say which: %s", lib->name, v->nkernels, list);
}

static gpudl_status find(const gpudl_library *lib, const struct version *v, const char *name, const struct image_kernel **out)
{
    struct names names = gpudl__version_names(v);
    char list[TEXT_SIZE];
    struct text t = gpudl__text_init(list, sizeof(list));
    const char *lowered = name ? gpudl__compile_lowered(v->content.lowered, name) : NULL;
    gpudl_status status = GPUDL_OK;
    size_t index = 0;

    if (!name)
        status = find_only(lib, v, &names, &index);
    else
        switch (gpudl__name_find(&names, &v->index, lowered ? lowered : name, &index, &t)) {
        case NAME_FOUND:
            break;
        case NAME_NO_MEMORY:
            return gpudl__fail_memory("a kernel's name");
        case NAME_AMBIGUOUS:
            return gpudl__fail(GPUDL_ERROR_AMBIGUOUS_NAME, "%s: several kernels answer to '%s': %s", lib->name, name, list);
        case NAME_NONE:
            return gpudl__fail(GPUDL_ERROR_NO_SUCH_KERNEL, "%s: no kernel '%s' among its %zu%s%s", lib->name, name, v->nkernels,
                list,
                gpudl__can_demangle() ? ""
                                      : "; without a C++ runtime library on this machine only names as in the image are known");
        }
    *out = &v->kernels[index];
    return status;
}

static gpudl_status ask_driver(const gpudl_library *lib, struct version *v, const struct image_kernel *k, CUkernel *out)
{
    const gpudl_driver_table *cu = &lib->loader->driver.table;
    int err;

    version_touch(v);
    *out = v->first;
    if (k == v->kernels)
        return GPUDL_OK;
    err = gpudl__version_kernel(v, (size_t)(k - v->kernels), out);
    return err ? gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuLibraryGetKernel", err, "%s: kernel '%s'", lib->name, k->name)
               : GPUDL_OK;
}

/* ------------------------------------------------------------------------------------------------ slots; all under the lock */

static const char *slot_at(const void *list, size_t index)
{
    return ((struct slot *const *)list)[index]->name;
}

static struct names slot_names(const gpudl_library *lib)
{
    return (struct names){ slot_at, lib->slots, lib->nslots };
}

static struct slot *find_slot(const gpudl_library *lib, const char *name)
{
    struct names names = slot_names(lib);
    size_t index;

    return gpudl__index_find(&lib->index, &names, name, &index) ? lib->slots[index] : NULL;
}

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* The list's capacity is the power of two at or above its length. */
static bool append_slot(gpudl_library *lib, struct slot *slot)
{
    struct slot **bigger;
    struct names names;

    if (is_power_of_two(lib->nslots)) {
        bigger = gpudl__alloc((lib->nslots ? 2 * lib->nslots : 1) * sizeof(*bigger));
        if (!bigger)
            return false;
        if (lib->nslots)
            memcpy(bigger, lib->slots, lib->nslots * sizeof(*bigger));
        gpudl__free(lib->slots);
        lib->slots = bigger;
    }
    lib->slots[lib->nslots++] = slot;
    names = slot_names(lib);
    if (gpudl__index_update(&lib->index, &names, lib->nslots - 1))
        return true;
    lib->nslots--;
    return false;
}

/* A binding with room for another slot: the current one, or a bigger copy that is not in sight yet. */
static struct binding *with_room(gpudl_library *lib)
{
    struct binding *b = atomic_load_explicit(&lib->binding, memory_order_relaxed), *bigger;

    if (lib->nslots < b->capacity)
        return b;
    bigger = gpudl__binding_create(b->version, b->capacity ? 2 * b->capacity : 1);
    if (!bigger)
        return NULL;
    memcpy(bigger->places, b->places, b->capacity * sizeof(b->places[0]));
    return bigger;
}

/* Launches of other kernels go on meanwhile: they read other places, in this binding or in the one before. *old: to be
 * retired, or NULL. */
static struct slot *add_slot(gpudl_library *lib, const struct image_kernel *kernel, CUkernel handle, struct binding **old)
{
    struct binding *b = with_room(lib), *before = atomic_load_explicit(&lib->binding, memory_order_relaxed);
    size_t size = strlen(kernel->name) + 1;
    struct slot *slot = b ? gpudl__alloc(sizeof(*slot) + size) : NULL;

    if (!slot)
        goto no_memory;
    slot->index = (uint32_t)lib->nslots;
    atomic_init(&slot->threads, 0);
    atomic_init(&slot->shared, 0);
    slot->attributes = NULL;
    memcpy(slot->name, kernel->name, size);
    if (!append_slot(lib, slot))
        goto no_memory;
    b->places[slot->index] = (struct place){ handle, kernel, b->version, NULL };
    if (b != before) {
        gpudl__version_hold(b->version);
        atomic_store_explicit(&lib->binding, b, memory_order_release);
        *old = before;
    }
    return slot;
no_memory:
    gpudl__free(slot);
    if (b != before)
        gpudl__free(b);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

static void fill(gpudl_kernel *k, gpudl_library *lib, struct slot *slot)
{
    k->binding = &lib->binding;
    k->index = slot->index;
    k->launch = lib->loader->trace ? gpudl__launch_is_traced : lib->loader->driver.table.LaunchKernel;
    k->null_stream = lib->loader->null_stream;
    k->is_capturing = lib->loader->captures ? lib->loader->driver.table.StreamIsCapturing : NULL;
    k->library = lib;
    k->slot = slot;
}

/* What a name was found to be: an entry of a version. */
struct found {
    struct version *version;
    const struct image_kernel *entry;
    CUkernel handle;
};

/* A handle to that entry, which holds the library. *turned: the library is another version meanwhile, and nothing was made. */
static gpudl_status open_kernel(gpudl_library *lib, const struct found *f, const void *made_at, bool *turned, gpudl_kernel **out)
{
    gpudl_kernel *k = gpudl__handle_take(lib->loader, HANDLE_KERNEL);
    struct binding *old = NULL;
    struct slot *slot = NULL;

    if (!k)
        return gpudl__fail_memory("a kernel");
    gpudl__poison_forget(k);
    pthread_mutex_lock(&lib->loader->lock);
    *turned = atomic_load_explicit(&lib->binding, memory_order_relaxed)->version != f->version;
    if (!*turned)
        slot = find_slot(lib, f->entry->name);
    if (!*turned && !slot)
        slot = add_slot(lib, f->entry, f->handle, &old);
    if (slot) {
        fill(k, lib, slot);
        lib->references++;
    }
    pthread_mutex_unlock(&lib->loader->lock);
    if (old)
        gpudl__binding_retire(lib->loader, old);
    if (!slot) {
        gpudl__handle_give(lib->loader, k, HANDLE_KERNEL);
        return *turned ? GPUDL_OK : gpudl__fail_memory("a kernel");
    }
    gpudl__handle_open(k, HANDLE_KERNEL, made_at);
    *out = k;
    return GPUDL_OK;
}

static gpudl_status get_now(gpudl_library *lib, const char *name, const void *made_at, bool *turned, gpudl_kernel **out)
{
    struct found f = { .version = gpudl__library_hold(lib) };
    gpudl_status status = find(lib, f.version, name, &f.entry);

    *turned = false;
    if (status == GPUDL_OK)
        status = ask_driver(lib, f.version, f.entry, &f.handle);
    if (status == GPUDL_OK)
        status = gpudl__resident_as_version(f.version, f.handle);
    if (status == GPUDL_OK)
        status = open_kernel(lib, &f, made_at, turned, out);
    gpudl__version_drop(f.version);
    return status;
}

gpudl_status gpudl__kernel_get(gpudl_library *lib, const char *name, const void *made_at, gpudl_kernel **out)
{
    const struct allocator *before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    gpudl_status status = GPUDL_OK;
    bool turned = true;

    while (turned && status == GPUDL_OK)
        status = get_now(lib, name, made_at, &turned, out);
    gpudl__alloc_use(before);
    return status;
}

gpudl_status gpudl_kernel_get(gpudl_library *lib, const char *name, gpudl_kernel **out)
{
    gpudl_status status;

    if (!lib || !out)
        return gpudl__fail_argument("gpudl_kernel_get", "the library or out is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_kernel_get");
    status = handle_check(lib, HANDLE_LIBRARY, "gpudl_kernel_get");
    return status == GPUDL_OK ? gpudl__kernel_get(lib, name, __builtin_return_address(0), out) : status;
}

void gpudl_kernel_release(gpudl_kernel *k)
{
    gpudl_library *lib;

    if (!k || gpudl__forked() || !gpudl__handle_close(k, HANDLE_KERNEL, "gpudl_kernel_release"))
        return;
    lib = k->library;
    gpudl__handle_give(lib->loader, k, HANDLE_KERNEL);
    gpudl__library_drop(lib);
}

const char *gpudl_kernel_name(gpudl_kernel *k)
{
    return k && handle_check(k, HANDLE_KERNEL, "gpudl_kernel_name") == GPUDL_OK ? k->slot->name : NULL;
}

/* The kernel held, with parameters that are known. */
static gpudl_status hold(gpudl_kernel *k, const char *function, struct use *u)
{
    gpudl_status status = gpudl__use_hold(k, function, NULL, u);

    if (status != GPUDL_OK || u->kernel->params_known)
        return status;
    gpudl__use_drop(u);
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: the image does not say, or not consistently, what parameters '%s' takes: its source does; launch it with "
        "gpudl_kernel_launch_params()",
        k->library->name, k->slot->name);
}

gpudl_status gpudl_kernel_param_count(gpudl_kernel *k, size_t *count)
{
    gpudl_status status;
    struct use u;

    if (!count)
        return gpudl__fail_argument("gpudl_kernel_param_count", "count is NULL");
    status = hold(k, "gpudl_kernel_param_count", &u);
    if (status != GPUDL_OK)
        return status;
    *count = u.kernel->nparams;
    gpudl__use_drop(&u);
    return GPUDL_OK;
}

gpudl_status gpudl_kernel_param(gpudl_kernel *k, size_t index, gpudl_param_info *out)
{
    gpudl_param_info info = { 0 };
    gpudl_status status = gpudl__result_check(out, "gpudl_param_info");
    struct use u;

    if (status == GPUDL_OK)
        status = hold(k, "gpudl_kernel_param", &u);
    if (status != GPUDL_OK)
        return status;
    if (index < u.kernel->nparams)
        info = gpudl__param_info(&u.kernel->params[index]);
    else
        status = gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: '%s' has %u parameters, and they count from 0: there is no %zu",
            k->library->name, k->slot->name, u.kernel->nparams, index);
    gpudl__use_drop(&u);
    if (status == GPUDL_OK)
        gpudl__result_export(out, &info, sizeof(info));
    return status;
}
