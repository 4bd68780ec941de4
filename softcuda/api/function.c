/* function.c - kernels (of libraries, for any context) and functions (kernels in one context), and their attributes. */
#include "softcuda/api/objects.h"

#define SHARED_DEFAULT (48 << 10)       /* static and dynamic, unless the attribute is raised */

static CUresult check_kernel(CUkernel k)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return k && k->magic == SC_KERNEL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sc_function(CUfunction handle, CUcontext c, struct CUfunc_st **out)
{
    CUkernel k = (CUkernel)(void *)handle;
    struct CUmod_st *m;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    if (handle->magic == SC_FUNCTION) {
        *out = handle;
        return c && handle->module->context != c ? CUDA_ERROR_INVALID_HANDLE : sc_check_context(handle->module->context);
    }
    if (handle->magic != SC_KERNEL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!c && (r = sc_enter(&c)))
        return r;
    if ((r = sc_library_module(k->library, c, &m)))
        return r;
    *out = m->functions[k->index];
    return CUDA_SUCCESS;
}

static int default_dynamic(const struct program_kernel *k)
{
    int left = SHARED_DEFAULT - (int)k->info.static_shared_bytes;

    return left < 0 ? 0 : left;
}

int sc_max_dynamic(const struct CUfunc_st *f)
{
    int own = atomic_load(&f->max_dynamic), kernels = -1;

    if (f->from)
        kernels = atomic_load(&f->from->max_dynamic[f->module->context->device->ordinal]);
    if (own < 0 && kernels < 0)
        return default_dynamic(f->kernel);
    return own > kernels ? own : kernels;
}

/* What the program's variables take; parameters are not counted. */
static uint64_t const_bytes(const struct ptx_module *m)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < m->nvars; i++)
        if (m->vars[i].space == PTX_CONST)
            n += m->vars[i].size;
    return n;
}

/* The device whose limits hold where the caller named none. */
static CUresult attribute(int *value, int which, const struct program_kernel *k, const struct device *d, int max_dynamic)
{
    const struct ptx_func *f = k->func;
    uint32_t threads = f->reqntid[0] ? f->reqntid[0] * f->reqntid[1] * f->reqntid[2]
                     : f->maxntid[0] ? f->maxntid[0] * f->maxntid[1] * f->maxntid[2] : 1024;

    if (!value || which < 0 || which > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return CUDA_ERROR_INVALID_VALUE;
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = threads > 1024 ? 1024 : (int)threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:     *value = (int)k->info.static_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:      *value = (int)const_bytes(k->program->ptx); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:      *value = (int)k->info.local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:              *value = f->maxnreg && f->maxnreg < 32 ? (int)f->maxnreg : 32; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:           *value = (int)k->program->ptx->target; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:        *value = (int)(d->major * 10 + d->minor); break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = max_dynamic; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

/* What may be set: dynamic shared memory matters here, a cluster of more than one block is not to be had, the rest are hints. */
static CUresult set(atomic_int *max_dynamic, int which, int value, const struct program_kernel *k, const struct device *d)
{
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return value < -1 || value > 100 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    if (which >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH && which <= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH && value > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (which > CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
        which <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return CUDA_SUCCESS;
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0
        || value > sc_shared_optin(d) - (int)k->info.static_shared_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_store(max_dynamic, value);
    return CUDA_SUCCESS;
}

static CUresult param_info(const struct program_kernel *k, size_t index, size_t *offset, size_t *size)
{
    if (!offset || index >= k->func->nparams)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = k->func->params[index].offset;
    if (size)
        *size = k->func->params[index].size;
    return CUDA_SUCCESS;
}

static struct program_kernel *kernel_of(CUkernel k)
{
    return &k->library->program->kernels[k->index];
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel k)
{
    CUresult r = check_kernel(k);

    if (r)
        return r;
    return function ? sc_function((CUfunction)(void *)k, NULL, function) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel k)
{
    CUresult r = check_kernel(k);

    if (r)
        return r;
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    *library = k->library;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel k)
{
    CUresult r = check_kernel(k);

    if (r)
        return r;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = kernel_of(k)->func->name;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *size)
{
    CUresult r = check_kernel(k);

    return r ? r : param_info(kernel_of(k), index, offset, size);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which, CUkernel k, CUdevice device)
{
    struct device *d;
    int max;
    CUresult r = check_kernel(k);

    if (r || (r = sc_device(device, &d)))
        return r;
    max = atomic_load(&k->max_dynamic[device]);
    return attribute(value, (int)which, kernel_of(k), d, max < 0 ? default_dynamic(kernel_of(k)) : max);
}

/* An attribute is set in code that is resident: in the current context of the device, else its primary one, if it has any. */
static CUresult enter_device(CUkernel k, const struct device *d)
{
    CUcontext c = sc_current();
    struct CUmod_st *m;

    if (!c || c->device != d)
        c = d->primary;
    return c && !sc_check_context(c) ? sc_library_module(k->library, c, &m) : CUDA_SUCCESS;
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel k, CUdevice device)
{
    struct device *d;
    CUresult r = check_kernel(k);

    if (r || (r = sc_device(device, &d)) || (r = enter_device(k, d)))
        return r;
    return set(&k->max_dynamic[device], (int)which, value, kernel_of(k), d);
}

CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device)
{
    struct device *d;
    CUresult r = check_kernel(k);

    (void)config;
    return r || (r = sc_device(device, &d)) ? r : enter_device(k, d);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction function)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    return r ? r : attribute(value, (int)which, f->kernel, f->module->context->device, sc_max_dynamic(f));
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    return r ? r : set(&f->max_dynamic, (int)which, value, f->kernel, f->module->context->device);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    struct CUfunc_st *f;

    (void)config;
    return sc_function(function, NULL, &f);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    struct CUfunc_st *f;

    (void)config;
    return sc_function(function, NULL, &f);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = f->module;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = f->kernel->func->name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    return r ? r : param_info(f->kernel, index, offset, size);
}

/* A function is in its context's memory from the start; its machine code is made for a block shape, which is not known here. */
CUresult cuFuncLoad(CUfunction function)
{
    struct CUfunc_st *f;

    return sc_function(function, NULL, &f);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct CUfunc_st *f;
    CUresult r = sc_function(function, NULL, &f);

    if (r)
        return r;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}
