/* Devices, contexts, memory, streams, events. */
#include "tests/nulldriver/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

struct CUctx_st { int device; };
struct CUgraph_st { uint64_t id; CUuserObject objects; };
struct CUstream_st { CUcontext context; _Atomic(CUgraph) graph; }; /* that it is captured into, or NULL */
struct CUevent_st { int unused; };
struct CUuserObject_st { CUuserObject next; void (*destroy)(void *); void *data; };

static CUstream captured;           /* by nulldrv_capture(), or NULL; */
static struct CUgraph_st its_graph; /* this is the one graph of all those captures */
static _Atomic uint64_t captures;
static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER; /* for what graphs hold */
static atomic_bool busy;

struct settings settings;
atomic_long alive_libraries, alive_contexts, alive_memory, alive_streams, alive_events;

static struct CUctx_st primary[MOST_DEVICES] = { { 0 }, { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 } };
static _Thread_local struct { CUcontext on[DEEPEST]; int depth; } stack;

long pushed(void)
{
    return stack.depth;
}

void reset_device(void)
{
    captured = NULL;
    atomic_store(&busy, false);
    settings = (struct settings){ .version = 13000, .devices = 1, .clusters = 1, .cooperative = 1, .sm = 90, .name = "null driver" };
}

static CUcontext current(void)
{
    return stack.depth ? stack.on[stack.depth - 1] : NULL;
}

int null_Init(unsigned flags) { (void)flags; ENTER(Init); return settings.devices ? 0 : GPUDL_CU_NO_DEVICE; }
int null_DriverGetVersion(int *version) { ENTER(DriverGetVersion); *version = settings.version; return 0; }
int null_DeviceGetCount(int *count) { ENTER(DeviceGetCount); *count = settings.devices; return 0; }

int null_DeviceGet(CUdevice *device, int ordinal)
{
    ENTER(DeviceGet);
    if (ordinal < 0 || ordinal >= settings.devices)
        return GPUDL_CU_INVALID_DEVICE;
    *device = ordinal;
    return 0;
}

int null_DeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    ENTER(DeviceGetName);
    snprintf(name, (size_t)size, "%s", settings.name);
    return 0;
}

int null_DeviceTotalMem(size_t *bytes, CUdevice device)
{
    (void)device;
    ENTER(DeviceTotalMem);
    *bytes = (size_t)1 << 34;
    return 0;
}

int null_DeviceGetUuid(struct CUuuid_st *uuid, CUdevice device)
{
    ENTER(DeviceGetUuid);
    memset((void *)uuid, device, 16);
    return 0;
}

int null_DeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    (void)device;
    ENTER(DeviceGetAttribute);
    switch (attribute) {
    case GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR: *value = (int)settings.sm / 10; break;
    case GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR: *value = (int)settings.sm % 10; break;
    case GPUDL_DEVICE_WARP_SIZE: *value = 32; break;
    case GPUDL_DEVICE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case GPUDL_DEVICE_MAX_BLOCK_DIM_X:
    case GPUDL_DEVICE_MAX_BLOCK_DIM_Y: *value = 1024; break;
    case GPUDL_DEVICE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case GPUDL_DEVICE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    case GPUDL_DEVICE_MAX_GRID_DIM_Y:
    case GPUDL_DEVICE_MAX_GRID_DIM_Z: *value = 65535; break;
    case GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
    case GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
    case GPUDL_DEVICE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case GPUDL_DEVICE_UNIFIED_ADDRESSING: *value = 1; break;
    case GPUDL_DEVICE_COOPERATIVE_LAUNCH: *value = settings.cooperative; break;
    case GPUDL_DEVICE_CLUSTER_LAUNCH: *value = settings.clusters; break;
    default: *value = 0;
    }
    return 0;
}

static atomic_long retained[MOST_DEVICES];

int null_DevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER(DevicePrimaryCtxRetain);
    if (device < 0 || device >= MOST_DEVICES)
        return GPUDL_CU_INVALID_DEVICE;
    *context = &primary[device];
    atomic_fetch_add(&retained[device], 1);
    atomic_fetch_add(&alive_contexts, 1);
    return 0;
}

int null_DevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(DevicePrimaryCtxRelease);
    atomic_fetch_sub(&retained[device], 1);
    if (atomic_fetch_sub(&alive_contexts, 1) <= 0)
        misuse("a primary context was released more often than retained");
    return 0;
}

int null_DevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    ENTER(DevicePrimaryCtxGetState);
    *flags = 0;
    *active = atomic_load(&retained[device]) > 0;
    return 0;
}

int null_CtxGetCurrent(CUcontext *context) { ENTER(CtxGetCurrent); *context = current(); return 0; }

int null_CtxSetCurrent(CUcontext context)
{
    ENTER(CtxSetCurrent);
    if (stack.depth)
        stack.depth--;
    if (context)
        stack.on[stack.depth++] = context;
    return 0;
}

int null_CtxPushCurrent(CUcontext context)
{
    ENTER(CtxPushCurrent);
    if (!context || stack.depth == DEEPEST)
        return GPUDL_CU_INVALID_CONTEXT;
    stack.on[stack.depth++] = context;
    return 0;
}

int null_CtxPopCurrent(CUcontext *context)
{
    ENTER(CtxPopCurrent);
    if (!stack.depth)
        return GPUDL_CU_INVALID_CONTEXT;
    stack.depth--;
    if (context)
        *context = stack.on[stack.depth];
    return 0;
}

int null_CtxGetDevice(CUdevice *device)
{
    ENTER(CtxGetDevice);
    if (!current())
        return GPUDL_CU_INVALID_CONTEXT;
    *device = current()->device;
    return 0;
}

int null_CtxSynchronize(void) { ENTER(CtxSynchronize); return current() ? 0 : GPUDL_CU_INVALID_CONTEXT; }

static int allocate(CUdeviceptr *out, size_t bytes)
{
    void *block = bytes ? calloc(1, bytes) : NULL;

    if (!bytes)
        return GPUDL_CU_INVALID_VALUE;
    if (!block)
        return GPUDL_CU_OUT_OF_MEMORY;
    *out = (CUdeviceptr)(uintptr_t)block;
    atomic_fetch_add(&alive_memory, 1);
    return 0;
}

/* Freeing frees, even where it is made to fail: what is left then is no leak of the program's. */
static int give_back(int code, CUdeviceptr block)
{
    if (block)
        atomic_fetch_sub(&alive_memory, 1);
    free((void *)(uintptr_t)block);
    return code;
}

int null_MemFree(CUdeviceptr block) { return give_back(enter(CALL_MemFree), block); }
int null_MemFreeAsync(CUdeviceptr block, CUstream s) { (void)s; return give_back(enter(CALL_MemFreeAsync), block); }
int null_MemFreeHost(void *block) { return give_back(enter(CALL_MemFreeHost), (CUdeviceptr)(uintptr_t)block); }

int null_MemAlloc(CUdeviceptr *out, size_t bytes) { ENTER(MemAlloc); return allocate(out, bytes); }
int null_MemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned f) { (void)f; ENTER(MemAllocManaged); return allocate(out, bytes); }
int null_MemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream s) { (void)s; ENTER(MemAllocAsync); return allocate(out, bytes); }

int null_MemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    CUdeviceptr block;
    int err;

    (void)flags;
    ENTER(MemHostAlloc);
    err = allocate(&block, bytes);
    if (!err)
        *out = (void *)(uintptr_t)block;
    return err;
}

#define DEVICE(address) ((void *)(uintptr_t)(address))

int null_Memcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { ENTER(Memcpy); memcpy(DEVICE(to), DEVICE(from), n); return 0; }
int null_MemcpyHtoD(CUdeviceptr to, const void *from, size_t n) { ENTER(MemcpyHtoD); memcpy(DEVICE(to), from, n); return 0; }
int null_MemcpyDtoH(void *to, CUdeviceptr from, size_t n) { ENTER(MemcpyDtoH); memcpy(to, DEVICE(from), n); return 0; }

int null_MemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    ENTER(MemcpyDtoD);
    memcpy(DEVICE(to), DEVICE(from), n);
    return 0;
}

int null_MemsetD8(CUdeviceptr to, unsigned char value, size_t n) { ENTER(MemsetD8); memset(DEVICE(to), value, n); return 0; }

int null_MemsetD32(CUdeviceptr to, unsigned value, size_t n)
{
    ENTER(MemsetD32);
    for (size_t i = 0; i < n; i++)
        memcpy((unsigned char *)DEVICE(to) + 4 * i, &value, 4);
    return 0;
}

int null_StreamCreate(CUstream *out, unsigned flags)
{
    (void)flags;
    ENTER(StreamCreate);
    if (!current())
        return GPUDL_CU_INVALID_CONTEXT;
    *out = malloc(sizeof(**out));
    if (!*out)
        return GPUDL_CU_OUT_OF_MEMORY;
    (*out)->context = current();
    atomic_init(&(*out)->graph, NULL);
    atomic_fetch_add(&alive_streams, 1);
    return 0;
}

int null_StreamDestroy(CUstream stream)
{
    free(stream);
    atomic_fetch_sub(&alive_streams, 1);
    return enter(CALL_StreamDestroy);
}

int null_StreamSynchronize(CUstream stream) { (void)stream; ENTER(StreamSynchronize); return 0; }
int null_StreamQuery(CUstream stream) { (void)stream; ENTER(StreamQuery); return 0; }
int null_StreamWaitEvent(CUstream s, CUevent e, unsigned f) { (void)s; (void)e; (void)f; ENTER(StreamWaitEvent); return 0; }

static CUgraph graph_of(CUstream s)
{
    if ((uintptr_t)s <= 2)
        return NULL;
    return s == captured ? &its_graph : atomic_load(&s->graph);
}

int null_StreamIsCapturing(CUstream s, int *status) { ENTER(StreamIsCapturing); *status = graph_of(s) != NULL; return 0; }

int null_StreamGetCaptureInfo(CUstream s, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **nodes, size_t *n)
{
    (void)nodes;
    (void)n;
    ENTER(StreamGetCaptureInfo);
    *graph = graph_of(s);
    *status = *graph != NULL;
    *id = *graph ? (*graph)->id : 0;
    return 0;
}

int null_UserObjectCreate(CUuserObject *out, void *data, void (*destroy)(void *), unsigned references, unsigned flags)
{
    (void)references;
    (void)flags;
    ENTER(UserObjectCreate);
    *out = malloc(sizeof(**out));
    if (!*out)
        return GPUDL_CU_OUT_OF_MEMORY;
    **out = (struct CUuserObject_st){ NULL, destroy, data };
    return 0;
}

int null_UserObjectRelease(CUuserObject object, unsigned count)
{
    (void)count;
    object->destroy(object->data);
    free(object);
    return enter(CALL_UserObjectRelease);
}

int null_GraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    (void)count;
    (void)flags;
    ENTER(GraphRetainUserObject);
    pthread_mutex_lock(&graph_lock);
    object->next = graph->objects;
    graph->objects = object;
    pthread_mutex_unlock(&graph_lock);
    return 0;
}

void nulldrv_capture(CUstream stream)
{
    captured = stream;
    its_graph.id = ++captures;
}

static void let_go(CUgraph graph)
{
    CUuserObject next;

    for (CUuserObject o = graph->objects; o; o = next) {
        next = o->next;
        o->destroy(o->data);
        free(o);
    }
    graph->objects = NULL;
}

void nulldrv_destroy_graph(void)
{
    let_go(&its_graph);
}

void nulldrv_begin_capture(CUstream stream)
{
    CUgraph graph = calloc(1, sizeof(*graph));

    graph->id = ++captures;
    atomic_store(&stream->graph, graph);
}

CUgraph nulldrv_end_capture(CUstream stream)
{
    return atomic_exchange(&stream->graph, NULL);
}

void nulldrv_drop_graph(CUgraph graph)
{
    let_go(graph);
    free(graph);
}

int null_StreamGetCtx(CUstream stream, CUcontext *context)
{
    ENTER(StreamGetCtx);
    *context = (uintptr_t)stream > 2 ? stream->context : current();
    return *context ? 0 : GPUDL_CU_INVALID_CONTEXT;
}

int null_ThreadExchangeStreamCaptureMode(int *mode) { ENTER(ThreadExchangeStreamCaptureMode); *mode = 0; return 0; }

int null_EventCreate(CUevent *out, unsigned flags)
{
    (void)flags;
    ENTER(EventCreate);
    *out = malloc(sizeof(**out));
    if (!*out)
        return GPUDL_CU_OUT_OF_MEMORY;
    atomic_fetch_add(&alive_events, 1);
    return 0;
}


int null_EventDestroy(CUevent event)
{
    free(event);
    atomic_fetch_sub(&alive_events, 1);
    return enter(CALL_EventDestroy);
}

int null_EventRecord(CUevent event, CUstream stream) { (void)event; (void)stream; ENTER(EventRecord); return 0; }
int null_CtxRecordEvent(CUcontext c, CUevent event) { (void)c; (void)event; ENTER(CtxRecordEvent); return 0; }
int null_EventQuery(CUevent event) { (void)event; ENTER(EventQuery); return atomic_load(&busy) ? GPUDL_CU_NOT_READY : 0; }
int null_EventSynchronize(CUevent event) { (void)event; ENTER(EventSynchronize); return 0; }

int null_EventElapsedTime(float *ms, CUevent a, CUevent b)
{
    (void)a;
    (void)b;
    ENTER(EventElapsedTime);
    *ms = 0;
    return 0;
}

void nulldrv_set_busy(int on)
{
    atomic_store(&busy, on != 0);
}
