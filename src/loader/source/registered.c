#include "src/loader/source/registered.h"

#include <dlfcn.h>
#include <string.h>

#include "src/loader/error.h"

enum { PARAMS_MOST = 4096 };    /* 32,764 bytes of them, at most */

typedef int get_kernel(CUkernel *kernel, const void *stub);     /* cudaGetKernel */

/* ---------------------------------------------------------------------------------------------------------------- the copy */

static gpudl_status check(const char *name, const gpudl_registered_kernel *k, size_t i)
{
    int given = (k->kernel != NULL) + (k->function != NULL) + (k->stub != NULL);

    if (!k->name || !*k->name)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "%s: registered kernel %zu (they count from 0) has no name: give the one that gpudl_kernel_get() is asked for", name,
            i);
    if (given != 1)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "%s: registered kernel '%s' has %d of kernel, function and stub: give one of them", name, k->name, given);
    return GPUDL_OK;
}

static gpudl_status measure(const char *name, const gpudl_registered_kernel *kernels, size_t n, size_t *size)
{
    gpudl_status status = GPUDL_OK;

    *size = n * sizeof(*kernels);
    for (size_t i = 0; i < n && status == GPUDL_OK; i++) {
        status = check(name, &kernels[i], i);
        if (status == GPUDL_OK)
            *size += strlen(kernels[i].name) + 1;
    }
    return status;
}

void *gpudl__registered_copy(const char *name, const gpudl_registered_kernel *kernels, size_t bytes, gpudl_status *status)
{
    size_t n = bytes / sizeof(*kernels), size = 0;
    gpudl_registered_kernel *copy;
    char *names;

    *status = n && kernels && bytes % sizeof(*kernels) == 0
        ? measure(name, kernels, n, &size)
        : gpudl__fail_argument("gpudl_source_registered", "there are no kernels, or their size is another gpudl's");
    if (*status != GPUDL_OK)
        return NULL;
    copy = gpudl__alloc(size);
    if (!copy) {
        *status = gpudl__fail_memory("registered kernels");
        return NULL;
    }
    names = (char *)(copy + n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = kernels[i];
        copy[i].name = strcpy(names, kernels[i].name);
        names += strlen(names) + 1;
    }
    return copy;
}

/* --------------------------------------------------------------------------------------------------------------- their handles */

/* The runtime may be loaded at any time, so it is looked for each time. */
static gpudl_status ask_runtime(const struct version *v, const gpudl_registered_kernel *k, CUkernel *out)
{
    get_kernel *get;
    int err;

    *(void **)&get = dlsym(RTLD_DEFAULT, "cudaGetKernel");
    if (!get)
        return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
            "%s: registered kernel '%s': its stub is known to the CUDA runtime alone, and this program shows none (libcudart.so, CUDA "
            "12.1 or newer): pass what cudaGetKernel() gives it as `kernel`",
            v->content.name, k->name);
    err = get(out, k->stub);
    return err
        ? gpudl__fail(GPUDL_ERROR_DRIVER,
              "%s: registered kernel '%s': cudaGetKernel returned %d (a code of the CUDA runtime): is the stub a kernel of this program?",
              v->content.name, k->name, err)
        : GPUDL_OK;
}

static gpudl_status handle_of(const struct version *v, const gpudl_registered_kernel *k, CUkernel *out)
{
    if (k->stub)
        return ask_runtime(v, k, out);
    *out = k->kernel ? k->kernel : (CUkernel)k->function;
    return GPUDL_OK;
}

/* ------------------------------------------------------------------------------------------------------------ their parameters */

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* The capacity is the power of two at or above the number. */
static bool append(struct image_kernel *k, struct image_param p)
{
    struct image_param *bigger, *params = (struct image_param *)k->params;

    if (is_power_of_two(k->nparams)) {
        bigger = gpudl__alloc((k->nparams ? 2 * k->nparams : 1) * sizeof(*bigger));
        if (!bigger)
            return false;
        if (k->nparams)
            memcpy(bigger, params, k->nparams * sizeof(*bigger));
        gpudl__free(params);
        k->params = params = bigger;
    }
    params[k->nparams++] = p;
    return true;
}

/* Until the driver says that there are no more; another answer tells nothing. */
static gpudl_status ask_params(const struct version *v, CUkernel handle, struct image_kernel *k)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    size_t offset, size;
    int err = 0;

    while (k->nparams < PARAMS_MOST && (err = cu->KernelGetParamInfo(handle, k->nparams, &offset, &size)) == 0) {
        if (!append(k, (struct image_param){ .offset = (uint32_t)offset, .size = (uint32_t)size }))
            return gpudl__fail_memory("registered kernels");
        k->param_bytes = (uint32_t)(offset + size);
    }
    k->params_known = err == GPUDL_CU_INVALID_VALUE;
    return GPUDL_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- the version */

static gpudl_status take(struct version *v, const gpudl_registered_kernel *from, struct image_kernel *k, CUkernel *handle)
{
    gpudl_status status = handle_of(v, from, handle);

    k->name = from->name;
    if (status == GPUDL_OK && !from->function && v->loader->driver.table.KernelGetParamInfo)
        status = ask_params(v, *handle, k);
    return status;
}

gpudl_status gpudl__registered_load(struct version *v)
{
    const gpudl_registered_kernel *given = (const void *)v->content.bytes.data;
    size_t n = v->content.bytes.size / sizeof(*given);
    struct image_kernel *kernels = gpudl__alloc_zero((n + 1) * sizeof(*kernels)); /* an adopted library may have none */
    gpudl_status status = GPUDL_OK;
    struct names names;

    v->kernels = kernels;
    v->lent = true;
    v->handles = gpudl__alloc_zero((n + 1) * sizeof(*v->handles));
    if (!kernels || !v->handles)
        return gpudl__fail_memory("registered kernels");
    v->nkernels = n;
    for (size_t i = 0; i < n; i++)
        kernels[i].name = "";
    for (size_t i = 0; i < n && status == GPUDL_OK; i++)
        status = take(v, &given[i], &kernels[i], &v->handles[i]);
    if (status != GPUDL_OK)
        return status;
    v->first = v->handles[0];
    v->native = v->content.adopted;
    names = gpudl__version_names(v);
    return gpudl__index_update(&v->index, &names, 0) ? GPUDL_OK : gpudl__fail_memory("the names of kernels");
}

bool gpudl__registered_is_function(const struct version *v, const struct image_kernel *k)
{
    const gpudl_registered_kernel *given = (const void *)v->content.bytes.data;

    return v->handles && given[k - v->kernels].function;
}

void gpudl__registered_unload(struct version *v)
{
    if (v->image || v->taken)
        return;
    for (size_t i = 0; i < v->nkernels; i++)
        gpudl__free((void *)v->kernels[i].params);
    gpudl__free((void *)v->kernels);
    gpudl__free(v->handles);
    v->kernels = NULL;
    v->handles = NULL;
}
