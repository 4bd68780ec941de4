/* What a checked launch is refused for, in words; and shared memory that is had for the asking. Off the path: takes its time. */
#include "src/loader/launch/attributes.h"
#include "src/loader/error.h"
#include "src/loader/launch/extended.h"
#include "src/loader/fork.h"
#include "src/loader/launch/launch.h"
#include "src/loader/launch/plan.h"
#include "src/loader/names/signature.h"

enum { SIGNATURE_SIZE = 1024, TYPE_SIZE = 256 };

/* -------------------------------------------------------------------------------------------------------------- limits */

/* "FILE: kernel 'k': ..." */
#define refuse(k, format, ...) \
    gpudl__fail(GPUDL_ERROR_LAUNCH_LIMIT, "%s: kernel '%s': " format, (k)->library->name, (k)->slot->name, __VA_ARGS__)

static char axis(int i)
{
    return (char)('x' + i);
}

static gpudl_status refuse_block(const gpudl_kernel *k, const struct plan *p, const gpudl_launch_config *c, int i)
{
    const unsigned *b = c->block;

    if (!p->block_above[i])
        return refuse(k, "a block of %u x %u x %u threads, and the kernel is declared for %u x %u x %u (.reqntid)", b[0], b[1],
            b[2], p->block_low[0], p->block_low[1], p->block_low[2]);
    return refuse(k, "block.%c is %u; it is 1 to %u on this device", axis(i), b[i], p->block_above[i] + 1);
}

static gpudl_status refuse_threads(const gpudl_kernel *k, const struct plan *p, const gpudl_launch_config *c, uint64_t threads)
{
    const unsigned *b = c->block;

    return refuse(k, "a block of %u x %u x %u is %llu threads; at most %u %s", b[0], b[1], b[2], (unsigned long long)threads,
        p->threads_most,
        p->threads_most == p->declared_threads ? "are what the kernel is declared for (__launch_bounds__, .maxntid)"
                                               : "are in a block on this device");
}

static gpudl_status refuse_shared(const gpudl_kernel *k, const struct plan *p, const gpudl_launch_config *c)
{
    return refuse(k, "%u bytes of dynamic shared memory and %u that it declares; a block has at most %u on this device",
        c->shared_bytes, p->shared_static, p->shared_most + p->shared_static);
}

/* A dimension of 0 counts as beyond the limit; so many of each that the product overflows cannot be after the dimensions fit. */
static gpudl_status check_shape(const gpudl_kernel *k, const struct plan *p, const gpudl_launch_config *c)
{
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];

    for (int i = 0; i < 3; i++) {
        if (c->block[i] - p->block_low[i] > p->block_above[i])
            return refuse_block(k, p, c, i);
        if (c->grid[i] - 1 > p->grid_above[i])
            return refuse(k, "grid.%c is %u; it is 1 to %u on this device", axis(i), c->grid[i], p->grid_above[i] + 1);
    }
    return threads > p->threads_most ? refuse_threads(k, p, c, threads) : GPUDL_OK;
}

/* ----------------------------------------------------------------------------------------------- what the driver is asked for */

/* For the device of the current context, once; two threads may both. */
static gpudl_status ask_here(const gpudl_kernel *k, const struct place *place, struct plan *p)
{
    const gpudl_loader *l = k->library->loader;
    const char *call = "cuCtxGetDevice";
    CUdevice device;
    int err = l->driver.table.CtxGetDevice(&device);
    uint64_t bit = !err && device >= 0 && device < 64 ? (uint64_t)1 << device : 0;

    if (atomic_load_explicit(&p->asked, memory_order_acquire) & bit)
        return GPUDL_OK;
    if (!err)
        err = gpudl__shared_raise(&l->driver.table, place->handle, device, &call);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_LAUNCH, &l->driver.table, call, err,
            "%s: kernel '%s': asking for more than %u bytes of dynamic shared memory", k->library->name, k->slot->name,
            atomic_load(&p->shared));
    atomic_fetch_or_explicit(&p->asked, bit, memory_order_release);
    if (l->driver.devices == 1)
        atomic_store_explicit(&p->shared, p->shared_most, memory_order_release);
    return GPUDL_OK;
}

static bool lacks_shared(const struct plan *p, const gpudl_launch_config *c)
{
    return c->shared_bytes > atomic_load_explicit(&p->shared, memory_order_acquire);
}

/* e: what else is to be asked, or NULL. It may load code: other threads' captures are left alone. */
static gpudl_status ask_all(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c, const struct extended *e)
{
    struct relaxed relaxed = gpudl__relax(k->library->loader);
    gpudl_status status = lacks_shared(p, c) ? ask_here(k, place, p) : GPUDL_OK;

    if (status == GPUDL_OK && e)
        status = gpudl__extended_ask(k, place, p, c, e);
    gpudl__unrelax(k->library->loader, relaxed);
    return status;
}

/* In the context that the launch will run in. */
static gpudl_status ask_in_context(
    const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c, const struct extended *e)
{
    gpudl_status status;
    bool pushed;

    if (gpudl__forked())
        return gpudl__fail_forked("a launch");
    status = gpudl__launch_enter(k, c, &pushed);
    if (status != GPUDL_OK)
        return status;
    status = ask_all(k, place, p, c, e);
    gpudl__context_leave(k->library->loader, pushed);
    return status;
}

gpudl_status gpudl__plan_refuse(const gpudl_kernel *k, const struct place *place, struct plan *p, const gpudl_launch_config *c)
{
    gpudl_status status = check_shape(k, p, c);
    struct extended e;
    bool ask = false;

    if (status == GPUDL_OK && c->shared_bytes > p->shared_most)
        status = refuse_shared(k, p, c);
    if (status == GPUDL_OK && (c->nattributes || p->cluster[0]))
        status = gpudl__extended_check(k, p, c, &e, &ask);
    if (status != GPUDL_OK || (!ask && !lacks_shared(p, c)))
        return status;
    return ask_in_context(k, place, p, c, ask ? &e : NULL);
}

/* ----------------------------------------------------------------------------------------------------------- arguments */

gpudl_status gpudl__refuse_unknown(const gpudl_kernel *k)
{
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: the image does not say, or not consistently, what parameters '%s' takes: launch it unchecked, with "
        "gpudl_kernel_launch_params()",
        k->library->name, k->slot->name);
}

gpudl_status gpudl__refuse_arg(
    const gpudl_kernel *k, const struct image_kernel *kernel, const gpudl_arg *a, const char *type, size_t i, const char *remark)
{
    char signature[SIGNATURE_SIZE], given[TYPE_SIZE], wanted[TYPE_SIZE];
    struct text t = gpudl__text_init(signature, sizeof(signature)), g = gpudl__text_init(given, sizeof(given)),
                w = gpudl__text_init(wanted, sizeof(wanted));
    struct signature s = gpudl__signature_open(kernel);
    unsigned size = kernel->params[i].size;

    gpudl__signature_add(&s, &t);
    gpudl__signature_add_param(&s, i, &w);
    gpudl__signature_close(&s);
    if (type)
        gpudl__text_add(&g, "%s (%u byte%s)", type, a->size, a->size == 1 ? "" : "s");
    else
        gpudl__arg_add(a, &g);
    return gpudl__fail(GPUDL_ERROR_LAUNCH_ARGUMENTS,
        "%s: argument %zu (they count from 0) is %s, and the kernel takes %s (%u byte%s): %s%s", k->library->name, i, given,
        wanted, size, size == 1 ? "" : "s", signature, remark);
}

gpudl_status gpudl__refuse_count(const gpudl_kernel *k, const struct image_kernel *kernel, size_t n)
{
    char signature[SIGNATURE_SIZE];
    struct text t = gpudl__text_init(signature, sizeof(signature));
    struct signature s = gpudl__signature_open(kernel);

    gpudl__signature_add(&s, &t);
    gpudl__signature_close(&s);
    return gpudl__fail(GPUDL_ERROR_LAUNCH_ARGUMENTS, "%s: %zu argument%s given, and the kernel takes %u: %s", k->library->name, n,
        n == 1 ? " was" : "s were", kernel->nparams, signature);
}

static gpudl_status refuse_arg(const gpudl_kernel *k, const struct plan *p, const gpudl_arg *a, size_t i)
{
    bool slip = a->type == GPUDL_ARG_DOUBLE && p->params[i].size == 4;

    return gpudl__refuse_arg(k, p->kernel, a, NULL, i, slip ? "; 2.0 is a double, 2.0f a float" : "");
}

gpudl_status gpudl__plan_refuse_args(const gpudl_kernel *k, const struct plan *p, const gpudl_arg *args, size_t n)
{
    if (p->nparams == PLAN_NOT_KNOWN)
        return gpudl__refuse_unknown(k);
    if (n != p->nparams)
        return gpudl__refuse_count(k, p->kernel, n);
    for (size_t i = 0; i < n; i++)
        if (!plan_accepts(&p->params[i], &args[i]))
            return refuse_arg(k, p, &args[i], i);
    for (size_t i = 0; i < n; i++)
        if (args[i].type == GPUDL_ARG_BYTES && !args[i].value.pointer)
            return gpudl__fail(GPUDL_ERROR_ARGUMENT, "gpudl_kernel_launch: argument %zu is a block of bytes at NULL", i);
    return gpudl__fail(GPUDL_ERROR_LAUNCH_LIMIT, "%s: kernel '%s' takes %u bytes of arguments; at most %d can be passed",
        k->library->name, k->slot->name, p->param_bytes, PLAN_MOST_BYTES);
}

gpudl_status gpudl__plan_refuse_packed(const gpudl_kernel *k, const struct plan *p, size_t size)
{
    char signature[SIGNATURE_SIZE];
    struct text t = gpudl__text_init(signature, sizeof(signature));
    struct signature s;

    if (p->nparams == PLAN_NOT_KNOWN)
        return gpudl__refuse_unknown(k);
    s = gpudl__signature_open(p->kernel);
    gpudl__signature_add(&s, &t);
    gpudl__signature_close(&s);
    return gpudl__fail(GPUDL_ERROR_LAUNCH_ARGUMENTS,
        "%s: %zu bytes of packed arguments, and the last parameter ends at %u; a struct with them as members may have its "
        "padding behind that, up to the next multiple of 16: %s",
        k->library->name, size, p->param_bytes, signature);
}
