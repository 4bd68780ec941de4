#include "bench/driver/calls.h"

#include <string.h>

#define CALL(name) static int name(void *subject)
#define SUBJECT \
    struct subject *s = subject; \
    const gpudl_driver_table *cu = s->x->cu

/* ----------------------------------------------------------------------------------------------------------------------- code */

CALL(load)
{
    SUBJECT;
    return cu->LibraryLoadData(&s->library, s->image, NULL, NULL, 0, NULL, NULL, 0);
}

CALL(get_kernel)
{
    SUBJECT;
    return cu->LibraryGetKernel(&s->one, s->library, "one");
}

int make_resident(void *subject)
{
    SUBJECT;
    return cu->KernelGetFunction(&s->function, s->one);
}

CALL(get_second_function)
{
    SUBJECT;
    CUfunction f;

    return cu->KernelGetFunction(&f, s->two);
}

CALL(get_module)
{
    SUBJECT;
    return cu->LibraryGetModule(&s->module, s->library);
}

CALL(get_function_of_module)
{
    SUBJECT;
    return cu->ModuleGetFunction(&s->function, s->module, "one");
}

CALL(load_function)
{
    SUBJECT;
    return cu->FuncLoad ? cu->FuncLoad(s->function) : GPUDL_CU_NOT_SUPPORTED;
}

CALL(set_attribute)
{
    SUBJECT;
    return cu->KernelSetAttribute(GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, s->one, 0);
}

CALL(get_attribute)
{
    SUBJECT;
    int value;

    return cu->KernelGetAttribute(&value, GPUDL_FUNC_NUM_REGS, s->one, 0);
}

CALL(set_cache_preference)
{
    SUBJECT;
    return cu->KernelSetCacheConfig ? cu->KernelSetCacheConfig(s->one, GPUDL_CACHE_PREFER_L1, 0) : GPUDL_CU_NOT_SUPPORTED;
}

static int launch(struct subject *s, void *function)
{
    void *params[] = { &s->memory };

    return s->x->cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, s->stream, params, NULL);
}

CALL(launch_first)
{
    return launch(subject, ((struct subject *)subject)->one);
}

CALL(launch_second)
{
    return launch(subject, ((struct subject *)subject)->two);
}

CALL(get_global)
{
    SUBJECT;
    CUdeviceptr p;
    size_t size;

    return cu->LibraryGetGlobal(&p, &size, s->library, "value");
}

int unload(void *subject)
{
    SUBJECT;
    int r = cu->LibraryUnload(s->library);

    s->library = r ? s->library : NULL;
    return r;
}

CALL(load_module)
{
    SUBJECT;
    return cu->ModuleLoadDataEx(&s->own, s->image, 0, NULL, NULL);
}

CALL(unload_module)
{
    SUBJECT;
    int r = cu->ModuleUnload(s->own);

    s->own = r ? s->own : NULL;
    return r;
}

/* --------------------------------------------------------------------------------------------------- memory, events, streams */

CALL(allocate)
{
    SUBJECT;
    CUdeviceptr p;
    int r = cu->MemAlloc(&p, 4096);

    return r ? r : cu->MemFree(p);
}

CALL(copy)
{
    SUBJECT;
    uint32_t word = 0;

    return cu->MemcpyHtoD(s->memory, &word, sizeof(word));
}

CALL(create_event)
{
    SUBJECT;
    CUevent e;
    int r = cu->EventCreate(&e, GPUDL_EVENT_DISABLE_TIMING);

    return r ? r : cu->EventDestroy(e);
}

CALL(record)
{
    SUBJECT;
    return cu->EventRecord(s->event, s->stream);
}

CALL(record_legacy)
{
    SUBJECT;
    return cu->EventRecord(s->event, GPUDL_STREAM_LEGACY);
}

CALL(record_context)
{
    struct subject *s = subject;

    return s->x->more.CtxRecordEvent(s->x->context, s->event);
}

CALL(query)
{
    SUBJECT;
    return cu->EventQuery(s->event);
}

CALL(synchronize_event)
{
    SUBJECT;
    return cu->EventSynchronize(s->event);
}

CALL(create_stream)
{
    SUBJECT;
    CUstream other;
    int r = cu->StreamCreate(&other, GPUDL_STREAM_NON_BLOCKING);

    return r ? r : cu->StreamDestroy(other);
}

CALL(query_stream)
{
    SUBJECT;
    return cu->StreamQuery(s->stream);
}

CALL(query_legacy)
{
    SUBJECT;
    return cu->StreamQuery(GPUDL_STREAM_LEGACY);
}

CALL(synchronize_stream)
{
    SUBJECT;
    return cu->StreamSynchronize(s->stream);
}

CALL(synchronize)
{
    SUBJECT;
    return cu->CtxSynchronize();
}

static void destroy_nothing(void *data)
{
    (void)data;
}

CALL(create_object)
{
    struct subject *s = subject;
    int r = s->x->more.UserObjectCreate(&s->object, NULL, destroy_nothing, 1, USER_OBJECT_NO_SYNC);

    return r ? r : s->x->more.UserObjectRelease(s->object, 1);
}

/* --------------------------------------------------------------------------------------------------------------------- graphs */

CALL(capture_graph)
{
    struct subject *s = subject;
    int r = s->x->more.StreamBeginCapture(s->stream, CAPTURE_RELAXED);

    r = r ? r : launch_nothing(s->x, s->stream);
    return r ? r : s->x->more.StreamEndCapture(s->stream, &s->graph);
}

CALL(instantiate)
{
    struct subject *s = subject;
    return s->x->more.GraphInstantiateWithFlags(&s->exec, s->graph, 0);
}

CALL(launch_graph)
{
    struct subject *s = subject;
    return s->x->more.GraphLaunch(s->exec, s->stream);
}

CALL(destroy_executable)
{
    struct subject *s = subject;
    CUgraphExec exec = s->exec;

    s->exec = NULL;
    return s->x->more.GraphExecDestroy(exec);
}

CALL(destroy_graph)
{
    struct subject *s = subject;
    CUgraph graph = s->graph;

    s->graph = NULL;
    return s->x->more.GraphDestroy(graph);
}

CALL(is_context_active)
{
    SUBJECT;
    CUdevice device;
    unsigned flags;
    int active, r = cu->DeviceGet(&device, 0);

    return r ? r : cu->DevicePrimaryCtxGetState(device, &flags, &active);
}

const struct driver_call driver_calls[] = {
    { "cuLibraryLoadData", IN_RESIDENCY | IN_CAPTURE, NOTHING, load },
    { "cuLibraryGetKernel", IN_RESIDENCY | IN_CAPTURE, LOADED, get_kernel },
    { "cuKernelGetFunction, first", IN_RESIDENCY | IN_CAPTURE, LOADED, make_resident },
    { "cuKernelGetFunction, second kernel", IN_RESIDENCY | IN_CAPTURE, RESIDENT, get_second_function },
    { "cuKernelSetAttribute, first", IN_RESIDENCY | IN_CAPTURE, LOADED, set_attribute },
    { "cuKernelSetCacheConfig, first", IN_RESIDENCY | IN_CAPTURE, LOADED, set_cache_preference },
    { "cuKernelGetAttribute, first", IN_RESIDENCY | IN_CAPTURE, LOADED, get_attribute },
    { "cuLibraryGetModule, first", IN_RESIDENCY | IN_CAPTURE, LOADED, get_module },
    { "cuModuleGetFunction of it", IN_RESIDENCY, WITH_MODULE, get_function_of_module },
    { "cuFuncLoad of that", IN_RESIDENCY | IN_CAPTURE, WITH_FUNCTION, load_function },
    { "cuFuncLoad, resident", IN_RESIDENCY | IN_CAPTURE, RESIDENT, load_function },
    { "cuLaunchKernel, first", IN_RESIDENCY | IN_CAPTURE, LOADED, launch_first },
    { "cuLaunchKernel, second kernel", IN_RESIDENCY | IN_CAPTURE, RESIDENT, launch_second },
    { "cuLibraryGetGlobal, first", IN_RESIDENCY | IN_CAPTURE, LOADED, get_global },
    { "cuLibraryUnload, never resident", IN_RESIDENCY | IN_CAPTURE, LOADED, unload },
    { "cuLibraryUnload, resident", IN_RESIDENCY | IN_CAPTURE, RESIDENT, unload },
    { "cuModuleLoadDataEx", IN_RESIDENCY | IN_CAPTURE, NOTHING, load_module },
    { "cuModuleUnload", IN_RESIDENCY | IN_CAPTURE, OWN_MODULE, unload_module },
    { "cuMemAlloc, cuMemFree", IN_CAPTURE, NOTHING, allocate },
    { "cuMemcpyHtoD", IN_CAPTURE, NOTHING, copy },
    { "cuEventCreate, cuEventDestroy", IN_CAPTURE, NOTHING, create_event },
    { "cuEventRecord, own stream", IN_CAPTURE | IN_IDLE, NOTHING, record },
    { "cuEventRecord, legacy stream", IN_CAPTURE | IN_IDLE, NOTHING, record_legacy },
    { "cuCtxRecordEvent", IN_CAPTURE | IN_IDLE, NOTHING, record_context },
    { "cuEventQuery", IN_CAPTURE | IN_IDLE, NOTHING, query },
    { "cuEventSynchronize", IN_CAPTURE, NOTHING, synchronize_event },
    { "cuStreamCreate, cuStreamDestroy", IN_CAPTURE, NOTHING, create_stream },
    { "cuStreamQuery, own stream", IN_CAPTURE | IN_IDLE, NOTHING, query_stream },
    { "cuStreamQuery, legacy stream", IN_CAPTURE | IN_IDLE, NOTHING, query_legacy },
    { "cuStreamSynchronize, own stream", IN_CAPTURE, NOTHING, synchronize_stream },
    { "cuCtxSynchronize", IN_CAPTURE | IN_IDLE, NOTHING, synchronize },
    { "cuUserObjectCreate, cuUserObjectRelease", IN_CAPTURE, NOTHING, create_object },
    { "cuGraphInstantiateWithFlags", IN_CAPTURE, WITH_GRAPH, instantiate },
    { "cuGraphLaunch in another stream", IN_CAPTURE, WITH_EXECUTABLE, launch_graph },
    { "cuGraphExecDestroy", IN_CAPTURE, WITH_EXECUTABLE, destroy_executable },
    { "cuGraphDestroy", IN_CAPTURE, WITH_GRAPH, destroy_graph },
    { "cuDevicePrimaryCtxGetState", IN_CAPTURE, NOTHING, is_context_active },
    { NULL, 0, NOTHING, NULL },
};

/* -------------------------------------------------------------------------------------------------------------------- subjects */

static bool prepare_code(struct subject *s, enum state state)
{
    struct experiment *x = s->x;

    if (state == NOTHING)
        return true;
    if (state == OWN_MODULE)
        return must(x, load_module(s), "cuModuleLoadDataEx") == 0;
    if (state == WITH_GRAPH || state == WITH_EXECUTABLE)
        return must(x, capture_graph(s), "a capture of an empty kernel") == 0 &&
            (state == WITH_GRAPH || must(x, instantiate(s), "cuGraphInstantiateWithFlags") == 0);
    if (must(x, load(s), "cuLibraryLoadData") != 0 || must(x, get_kernel(s), "cuLibraryGetKernel(one)") != 0 ||
        must(x, x->cu->LibraryGetKernel(&s->two, s->library, "two"), "cuLibraryGetKernel(two)") != 0)
        return false;
    if (state == RESIDENT)
        return must(x, make_resident(s), "cuKernelGetFunction") == 0 && must(x, load_function(s), "cuFuncLoad") == 0;
    if (state == WITH_MODULE || state == WITH_FUNCTION)
        if (must(x, get_module(s), "cuLibraryGetModule") != 0)
            return false;
    return state != WITH_FUNCTION || must(x, get_function_of_module(s), "cuModuleGetFunction") == 0;
}

bool subject_prepare(struct subject *s, struct experiment *x, const void *image, enum state state)
{
    memset(s, 0, sizeof(*s));
    s->x = x;
    s->image = image;
    if (!image || !(s->stream = new_stream(x)) || must(x, x->cu->MemAlloc(&s->memory, 4096), "cuMemAlloc") != 0 ||
        must(x, x->cu->EventCreate(&s->event, GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate") != 0 ||
        must(x, x->cu->EventRecord(s->event, s->stream), "cuEventRecord") != 0 ||
        must(x, x->cu->StreamSynchronize(s->stream), "cuStreamSynchronize") != 0)
        return false;
    return prepare_code(s, state);
}

void subject_drop(struct subject *s)
{
    const gpudl_driver_table *cu = s->x->cu;

    if (s->stream)
        must(s->x, cu->StreamSynchronize(s->stream), "cuStreamSynchronize");
    if (s->exec)
        must(s->x, destroy_executable(s), "cuGraphExecDestroy");
    if (s->graph)
        must(s->x, destroy_graph(s), "cuGraphDestroy");
    if (s->library)
        must(s->x, cu->LibraryUnload(s->library), "cuLibraryUnload");
    if (s->own)
        must(s->x, cu->ModuleUnload(s->own), "cuModuleUnload");
    if (s->event)
        must(s->x, cu->EventDestroy(s->event), "cuEventDestroy");
    if (s->stream)
        must(s->x, cu->StreamDestroy(s->stream), "cuStreamDestroy");
    if (s->memory)
        must(s->x, cu->MemFree(s->memory), "cuMemFree");
}
