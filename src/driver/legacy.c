/* The members of the table on drivers before CUDA 12.0. See legacy.h. */
#include "src/driver/legacy.h"

enum { DRIVERS_MOST = 4 }; /* old ones, in one process */

/* A driver is never closed, so what is known of one stays. */
static struct legacy_driver drivers[DRIVERS_MOST];
static size_t ndrivers;
static pthread_mutex_t drivers_lock = PTHREAD_MUTEX_INITIALIZER;

/* --------------------------------------------------------------------------------------- members that take no handle of ours */

static int get_proc_address(struct legacy_driver *d, const char *name, void **out, int version, uint64_t flags, int *found)
{
    int err;

    *out = NULL;
    if (found)
        *found = 1;
    if (version > d->resolver.version)
        return GPUDL_CU_INVALID_VALUE;
    if (d->resolver.five)
        return d->resolver.five(name, out, version, flags, found);
    err = d->resolver.four(name, out, version, flags);
    if (found)
        *found = err || !*out;
    return err;
}

/* Clusters are launched by cuLaunchKernelEx alone; a driver before CUDA 11.8 does not know the question. */
static int device_attribute(struct legacy_driver *d, int *value, int attribute, CUdevice device)
{
    int err = d->real.DeviceGetAttribute(value, attribute, device);

    if (attribute != GPUDL_DEVICE_CLUSTER_LAUNCH || (err ? err != GPUDL_CU_INVALID_VALUE : d->real.LaunchKernelEx != NULL))
        return err;
    *value = 0;
    return 0;
}

/* One of each for each driver, since they have no other place for which it is. */
#define MEMBERS(n) \
    static int get_proc_address_##n(const char *name, void **out, int version, uint64_t flags, int *found) \
    { \
        return get_proc_address(&drivers[n], name, out, version, flags, found); \
    } \
    static int device_attribute_##n(int *value, int attribute, CUdevice device) \
    { \
        return device_attribute(&drivers[n], value, attribute, device); \
    } \
    static int load_##n(CUlibrary *out, const void *code, int *options, void **values, unsigned count, int *library_options, \
        void **library_values, unsigned library_count) \
    { \
        (void)library_options, (void)library_values, (void)library_count; \
        return gpudl__legacy_load(&drivers[n], out, code, options, values, count); \
    } \
    static int launch_##n(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
        unsigned shared, CUstream stream, void **params, void **extra) \
    { \
        return gpudl__legacy_launch( \
            &drivers[n], f, (unsigned[3]){ gx, gy, gz }, (unsigned[3]){ bx, by, bz }, shared, stream, params, extra); \
    } \
    static int launch_cooperative_##n(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
        unsigned bz, unsigned shared, CUstream stream, void **params) \
    { \
        return gpudl__legacy_launch_cooperative( \
            &drivers[n], f, (unsigned[3]){ gx, gy, gz }, (unsigned[3]){ bx, by, bz }, shared, stream, params); \
    } \
    static int launch_ex_##n(const struct CUlaunchConfig_st *config, CUfunction f, void **params, void **extra) \
    { \
        return gpudl__legacy_launch_ex(&drivers[n], config, f, params, extra); \
    } \
    static int node_##n(CUgraphExec exec, CUgraphNode node, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *params) \
    { \
        return gpudl__legacy_node(&drivers[n], exec, node, params); \
    }
MEMBERS(0)
MEMBERS(1)
MEMBERS(2)
MEMBERS(3)
#undef MEMBERS

#define TABLE(n) \
    { \
        .GetProcAddress = get_proc_address_##n, .DeviceGetAttribute = device_attribute_##n, .LibraryLoadData = load_##n, \
        .LaunchKernel = launch_##n, .LaunchCooperativeKernel = launch_cooperative_##n, .LaunchKernelEx = launch_ex_##n, \
        .GraphExecKernelNodeSetParams = node_##n, \
    }
static const gpudl_driver_table own[DRIVERS_MOST] = { TABLE(0), TABLE(1), TABLE(2), TABLE(3) };
#undef TABLE

static void set_members(gpudl_driver_table *t, size_t n)
{
    t->GetProcAddress = own[n].GetProcAddress;
    t->DeviceGetAttribute = own[n].DeviceGetAttribute;
    t->LibraryLoadData = own[n].LibraryLoadData;
    t->LaunchKernel = own[n].LaunchKernel;
    t->LaunchCooperativeKernel = t->LaunchCooperativeKernel ? own[n].LaunchCooperativeKernel : NULL;
    t->LaunchKernelEx = own[n].LaunchKernelEx;
    t->GraphExecKernelNodeSetParams = drivers[n].exec_kernel_set_params ? own[n].GraphExecKernelNodeSetParams : NULL;
    t->LibraryUnload = gpudl__legacy_unload;
    t->LibraryGetKernel = gpudl__legacy_kernel;
    t->LibraryGetModule = gpudl__legacy_module_of;
    t->LibraryGetGlobal = gpudl__legacy_global;
    t->LibraryGetManaged = gpudl__legacy_managed;
    t->KernelGetFunction = gpudl__legacy_kernel_function;
    t->KernelGetLibrary = gpudl__legacy_kernel_library;
    t->KernelGetName = gpudl__legacy_kernel_name;
    t->KernelGetAttribute = gpudl__legacy_attribute;
    t->KernelSetAttribute = gpudl__legacy_set_attribute;
    t->KernelSetCacheConfig = drivers[n].func_set_cache_config ? gpudl__legacy_set_cache : NULL;
}

/* ------------------------------------------------------------------------------------------------------------------ a driver */

/* Loaders of one driver share what is known of it. DRIVERS_MOST: there is no room. */
static size_t find_or_add(const gpudl_driver_table *t, const struct driver_resolver *r)
{
    size_t n = 0;

    pthread_mutex_lock(&drivers_lock);
    while (n < ndrivers && drivers[n].real.ModuleLoadDataEx != t->ModuleLoadDataEx)
        n++;
    if (n == ndrivers && n < DRIVERS_MOST) {
        struct legacy_driver *d = &drivers[ndrivers++];

        d->real = *t;
        d->resolver = *r;
        *(void **)&d->func_set_cache_config = gpudl__driver_resolve(r, "cuFuncSetCacheConfig", 3000);
        *(void **)&d->exec_kernel_set_params = gpudl__driver_resolve(r, "cuGraphExecKernelNodeSetParams", 10010);
        pthread_mutex_init(&d->lock, NULL);
    }
    pthread_mutex_unlock(&drivers_lock);
    return n;
}

static bool has_modules(const gpudl_driver_table *t)
{
    return t->ModuleLoadDataEx && t->ModuleUnload && t->ModuleGetFunction && t->ModuleGetGlobal && t->FuncGetAttribute &&
        t->FuncSetAttribute && t->StreamGetCtx && t->CtxGetCurrent && t->CtxPushCurrent && t->CtxPopCurrent && t->LaunchKernel;
}

bool gpudl__legacy_install(struct driver *out, const struct driver_resolver *r, struct text *text)
{
    struct text said = gpudl__text_init(out->emulated, sizeof(out->emulated));
    bool has_launch_ex = out->table.LaunchKernelEx != NULL;
    size_t n;

    if (!has_modules(&out->table)) {
        gpudl__text_add(text, "; nor has it all of the modules (cuModule*, cuFunc*) that stand in for libraries");
        return false;
    }
    n = find_or_add(&out->table, r);
    if (n == DRIVERS_MOST) {
        gpudl__text_add(
            text, "; there are %d other drivers before CUDA 12.0 in this process, and no room for one more", DRIVERS_MOST);
        return false;
    }
    set_members(&out->table, n);
    gpudl__text_add(&said, "cuLibrary* and cuKernel* (CUDA 12.0), by a module in each context");
    if (!has_launch_ex)
        gpudl__text_add(&said, "; cuLaunchKernelEx (CUDA 11.6), by cuLaunchKernel and cuLaunchCooperativeKernel: no clusters");
    return true;
}
