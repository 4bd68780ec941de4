#include "src/loader/life/fit.h"

#include <string.h>

#include "src/image/details.h"
#include "src/loader/error.h"
#include "src/loader/names/names.h"
#include "src/loader/launch/plan.h"
#include "src/loader/names/signature.h"

enum { TEXT_SIZE = 1024, TYPE_SIZE = 256 };

/* "FILE: kernel 'k' is in use: ..." */
#define refuse(lib, slot, format, ...) \
    gpudl__fail(GPUDL_ERROR_REPLACE, "%s: kernel '%s' is in use, and " format, (lib)->name, (slot)->name, __VA_ARGS__)

/* ------------------------------------------------------------------------------------------------------------- parameters */

struct pair {
    const struct image_kernel *now, *then;
    struct signature now_s, then_s;
};

/* Of one place, and of one kind where both images tell it: a block of bytes passes for any. */
static bool is_same_param(const struct pair *p, size_t i)
{
    const struct image_param *a = &p->now->params[i], *b = &p->then->params[i];
    uint32_t now = gpudl__signature_accepts(&p->now_s, i), then = gpudl__signature_accepts(&p->then_s, i);

    return a->size == b->size && a->offset == b->offset && (now == then || (now & then & ~(1u << GPUDL_ARG_BYTES)));
}

static gpudl_status refuse_param(const gpudl_library *lib, const struct slot *slot, const struct pair *p, size_t i)
{
    char now[TYPE_SIZE], then[TYPE_SIZE];
    struct text a = gpudl__text_init(now, sizeof(now)), b = gpudl__text_init(then, sizeof(then));

    gpudl__signature_add_param(&p->now_s, i, &a);
    gpudl__signature_add_param(&p->then_s, i, &b);
    return refuse(lib, slot, "its parameter %zu (they count from 0) is %s (%u bytes at %u), in the new code %s (%u bytes at %u)",
        i, now, p->now->params[i].size, p->now->params[i].offset, then, p->then->params[i].size, p->then->params[i].offset);
}

static gpudl_status compare_params(const gpudl_library *lib, const struct slot *slot, const struct pair *p)
{
    if (p->now->nparams != p->then->nparams)
        return refuse(lib, slot, "it has %u parameters, in the new code %u", p->now->nparams, p->then->nparams);
    for (size_t i = 0; i < p->now->nparams; i++)
        if (!is_same_param(p, i))
            return refuse_param(lib, slot, p, i);
    return GPUDL_OK;
}

/* Where an image does not tell them, callers know them by themselves. */
static gpudl_status fit_params(
    const gpudl_library *lib, const struct slot *slot, const struct image_kernel *now, const struct image_kernel *then)
{
    struct pair p = { now, then, { 0 }, { 0 } };
    gpudl_status status;

    if (!now->params_known || !then->params_known)
        return GPUDL_OK;
    p.now_s = gpudl__signature_open(now);
    p.then_s = gpudl__signature_open(then);
    status = compare_params(lib, slot, &p);
    gpudl__signature_close(&p.now_s);
    gpudl__signature_close(&p.then_s);
    return status;
}

/* With the nearest names: of C++ kernels a parameter of another type makes another name. */
static gpudl_status refuse_gone(const gpudl_library *lib, const struct slot *slot, const struct version *to)
{
    struct names names = gpudl__version_names(to);
    char list[TEXT_SIZE];
    struct text t = gpudl__text_init(list, sizeof(list));
    size_t index;

    gpudl__name_find(&names, &to->index, slot->name, &index, &t);
    return refuse(lib, slot, "is not in the new code%s", list);
}

gpudl_status gpudl__fit_kernel(const gpudl_library *lib, const struct slot *slot, const struct image_kernel *now,
    struct version *to, const struct image_kernel **out)
{
    struct names names = gpudl__version_names(to);
    size_t index;

    if (!gpudl__index_find(&to->index, &names, slot->name, &index))
        return refuse_gone(lib, slot, to);
    *out = &to->kernels[index];
    return fit_params(lib, slot, now, *out);
}

/* --------------------------------------------------------------------------------------------------------------- launches */

static gpudl_status check_threads(const gpudl_library *lib, const struct slot *slot, unsigned most, const char *why)
{
    unsigned seen = atomic_load(&slot->threads);

    return most && seen > most ? refuse(lib, slot, "was launched with %u threads a block; %s at most %u", seen, why, most)
                               : GPUDL_OK;
}

static gpudl_status check_shared(const gpudl_library *lib, const struct slot *slot, unsigned declared, unsigned most)
{
    unsigned seen = atomic_load(&slot->shared);

    return seen && (uint64_t)seen + declared > most
        ? refuse(lib, slot, "was launched with %u bytes of dynamic shared memory; the new code declares %u, and a block has %u",
              seen, declared, most)
        : GPUDL_OK;
}

/* The loader's lock is for what image/ reads on first use. */
gpudl_status gpudl__fit_launches(
    const gpudl_library *lib, const struct slot *slot, struct version *to, const struct image_kernel *kernel)
{
    gpudl_loader *l = lib->loader;
    const struct image_resources *r = NULL;
    gpudl_status status;

    pthread_mutex_lock(&l->lock);
    status = gpudl__limits_ask(l);
    if (status == GPUDL_OK)
        status = gpudl__kernel_resources(to, kernel, &r);
    pthread_mutex_unlock(&l->lock);
    if (status == GPUDL_OK && r)
        status = check_threads(lib, slot, r->max_threads, "the new code is declared for");
    if (status == GPUDL_OK && r && r->shared != IMAGE_NOT_KNOWN)
        status = check_shared(lib, slot, r->shared, l->limits.shared_most);
    return status;
}

/* A device knows what registers leave. */
gpudl_status gpudl__fit_device(const gpudl_library *lib, const struct slot *slot, CUkernel handle, int ordinal)
{
    const gpudl_driver_table *cu = &lib->loader->driver.table;
    CUdevice device;
    int most, err;

    if (!cu->KernelGetAttribute)
        return GPUDL_OK;
    err = cu->DeviceGet(&device, ordinal);
    if (!err)
        err = cu->KernelGetAttribute(&most, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, handle, device);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuKernelGetAttribute", err,
            "%s: kernel '%s' of the new code: how many threads it can have on device %d", lib->name, slot->name, ordinal);
    return check_threads(lib, slot, most > 0 ? (unsigned)most : 0, "with the registers of the new code there are");
}
