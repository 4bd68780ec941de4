/* gpudl/driver.h - the CUDA driver API as gpudl declares it: handles, constants, and the table of functions through which
 * gpudl speaks to every device. Needs no CUDA header, and stands beside <cuda.h> in either order: the handle types are the
 * same types, declared again.
 *
 *     const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
 *     CUdeviceptr x;
 *     if (cu->MemAlloc(&x, 4096) || cu->MemcpyHtoD(x, host, 4096))
 *         ...
 *
 * A member is the CUDA function of its name without "cu", in the newest form that the version beside it in the list names
 * (MemAlloc is cuMemAlloc_v2). Members return int, since CUresult cannot be declared twice: 0 is CUDA_SUCCESS. Enumerations
 * are int here, pointers to them int *. Parameters and meaning are those of the CUDA driver API manual. A member marked
 * MAYBE is NULL where the driver is too old for it or does without; one marked NEED is always there.
 *
 * Before CUDA 12.0 the members that take a CUlibrary or a CUkernel, and those that launch, are gpudl's own (gpudl_loader_emulated): such
 * handles mean nothing to the driver's functions, and what LibraryLoadData was given must stay until LibraryUnload. */
#ifndef GPUDL_DRIVER_H
#define GPUDL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUlinkState_st *CUlinkState;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

struct CUlaunchAttribute_st;    /* cuda.h's; gpudl passes them through */
struct CUlaunchConfig_st;
struct CUDA_KERNEL_NODE_PARAMS_v2_st;
struct CUuuid_st;

/* The same bytes as CUlaunchAttribute, for programs without cuda.h: fill an array of them and cast it to
 * const struct CUlaunchAttribute_st *; <gpudl/attributes.h> has functions for both. */
typedef struct gpudl_launch_attribute {
    int id;                     /* GPUDL_LAUNCH_ATTRIBUTE_... */
    int pad;
    union {
        char pad[64];
        int value;              /* COOPERATIVE, PRIORITY, PROGRAMMATIC_STREAM_SERIALIZATION */
        unsigned dim[3];        /* CLUSTER_DIMENSION */
        uint64_t align;         /* as CUDA's, which has pointers */
    } value;
} gpudl_launch_attribute;

/* ---------------------------------------------------------------------------------------------------------------- constants */

/* Results that a program may want to tell apart; GetErrorName names them all. */
#define GPUDL_CU_SUCCESS                        0
#define GPUDL_CU_INVALID_VALUE                  1
#define GPUDL_CU_OUT_OF_MEMORY                  2
#define GPUDL_CU_NOT_INITIALIZED                3
#define GPUDL_CU_DEINITIALIZED                  4
#define GPUDL_CU_STUB_LIBRARY                  34
#define GPUDL_CU_NO_DEVICE                    100
#define GPUDL_CU_INVALID_DEVICE               101
#define GPUDL_CU_INVALID_IMAGE                200
#define GPUDL_CU_INVALID_CONTEXT              201
#define GPUDL_CU_NO_BINARY_FOR_GPU            209
#define GPUDL_CU_INVALID_PTX                  218
#define GPUDL_CU_UNSUPPORTED_PTX_VERSION      222
#define GPUDL_CU_INVALID_HANDLE               400
#define GPUDL_CU_NOT_FOUND                    500
#define GPUDL_CU_NOT_READY                    600
#define GPUDL_CU_ILLEGAL_ADDRESS              700
#define GPUDL_CU_LAUNCH_OUT_OF_RESOURCES      701
#define GPUDL_CU_CONTEXT_IS_DESTROYED         709
#define GPUDL_CU_LAUNCH_FAILED                719
#define GPUDL_CU_COOPERATIVE_LAUNCH_TOO_LARGE 720
#define GPUDL_CU_NOT_SUPPORTED                801
#define GPUDL_CU_SYSTEM_NOT_READY             802
#define GPUDL_CU_SYSTEM_DRIVER_MISMATCH       803
#define GPUDL_CU_COMPAT_NOT_SUPPORTED_ON_DEVICE 804
#define GPUDL_CU_STREAM_CAPTURE_UNSUPPORTED   900
#define GPUDL_CU_STREAM_CAPTURE_INVALIDATED   901
#define GPUDL_CU_INVALID_CLUSTER_SIZE         912
#define GPUDL_CU_UNKNOWN                      999

/* DeviceGetAttribute */
#define GPUDL_DEVICE_MAX_THREADS_PER_BLOCK               1
#define GPUDL_DEVICE_MAX_BLOCK_DIM_X                     2
#define GPUDL_DEVICE_MAX_BLOCK_DIM_Y                     3
#define GPUDL_DEVICE_MAX_BLOCK_DIM_Z                     4
#define GPUDL_DEVICE_MAX_GRID_DIM_X                      5
#define GPUDL_DEVICE_MAX_GRID_DIM_Y                      6
#define GPUDL_DEVICE_MAX_GRID_DIM_Z                      7
#define GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK         8
#define GPUDL_DEVICE_TOTAL_CONSTANT_MEMORY               9
#define GPUDL_DEVICE_WARP_SIZE                          10
#define GPUDL_DEVICE_MAX_REGISTERS_PER_BLOCK            12
#define GPUDL_DEVICE_CLOCK_RATE                         13
#define GPUDL_DEVICE_MULTIPROCESSOR_COUNT               16
#define GPUDL_DEVICE_CONCURRENT_KERNELS                 31
#define GPUDL_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR     39
#define GPUDL_DEVICE_UNIFIED_ADDRESSING                 41
#define GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR           75
#define GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR           76
#define GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR 81
#define GPUDL_DEVICE_MANAGED_MEMORY                     83
#define GPUDL_DEVICE_CONCURRENT_MANAGED_ACCESS          89
#define GPUDL_DEVICE_COOPERATIVE_LAUNCH                 95
#define GPUDL_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN  97
#define GPUDL_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK  111
#define GPUDL_DEVICE_CLUSTER_LAUNCH                    120

/* KernelGetAttribute, FuncGetAttribute */
#define GPUDL_FUNC_MAX_THREADS_PER_BLOCK                 0
#define GPUDL_FUNC_SHARED_SIZE_BYTES                     1
#define GPUDL_FUNC_CONST_SIZE_BYTES                      2
#define GPUDL_FUNC_LOCAL_SIZE_BYTES                      3
#define GPUDL_FUNC_NUM_REGS                              4
#define GPUDL_FUNC_PTX_VERSION                           5
#define GPUDL_FUNC_BINARY_VERSION                        6
#define GPUDL_FUNC_CACHE_MODE_CA                         7
#define GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES         8
#define GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT      9
#define GPUDL_FUNC_CLUSTER_SIZE_MUST_BE_SET             10
#define GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH               11
#define GPUDL_FUNC_REQUIRED_CLUSTER_HEIGHT              12
#define GPUDL_FUNC_REQUIRED_CLUSTER_DEPTH               13
#define GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED    14
#define GPUDL_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE 15

/* KernelSetCacheConfig */
#define GPUDL_CACHE_PREFER_NONE                          0
#define GPUDL_CACHE_PREFER_SHARED                        1
#define GPUDL_CACHE_PREFER_L1                            2
#define GPUDL_CACHE_PREFER_EQUAL                         3

/* Options of LibraryLoadData and ModuleLoadDataEx */
#define GPUDL_JIT_MAX_REGISTERS                          0
#define GPUDL_JIT_INFO_LOG_BUFFER                        3
#define GPUDL_JIT_INFO_LOG_BUFFER_SIZE_BYTES             4
#define GPUDL_JIT_ERROR_LOG_BUFFER                       5
#define GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES            6
#define GPUDL_JIT_OPTIMIZATION_LEVEL                     7
#define GPUDL_JIT_TARGET                                 9
#define GPUDL_JIT_GENERATE_DEBUG_INFO                   11
#define GPUDL_JIT_GENERATE_LINE_INFO                    13
#define GPUDL_JIT_CACHE_MODE                            14
#define GPUDL_JIT_FMA                                   24
/* Inputs of LinkAddData */
#define GPUDL_JIT_INPUT_CUBIN                            0
#define GPUDL_JIT_INPUT_PTX                              1
#define GPUDL_JIT_INPUT_FATBINARY                        2
#define GPUDL_JIT_INPUT_OBJECT                           3
#define GPUDL_JIT_INPUT_LIBRARY                          4
#define GPUDL_JIT_INPUT_NVVM                             5

#define GPUDL_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE 0
#define GPUDL_LIBRARY_BINARY_IS_PRESERVED                1

#define GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE               2
#define GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION         4
#define GPUDL_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION 6
#define GPUDL_LAUNCH_ATTRIBUTE_PRIORITY                  8

#define GPUDL_STREAM_NON_BLOCKING                        1
#define GPUDL_EVENT_DISABLE_TIMING                       2
#define GPUDL_MEM_ATTACH_GLOBAL                          1
#define GPUDL_MEMHOSTALLOC_PORTABLE                      1
#define GPUDL_MEMHOSTALLOC_DEVICEMAP                     2
#define GPUDL_POINTER_MEMORY_TYPE                        2
#define GPUDL_POINTER_DEVICE_ORDINAL                     9
#define GPUDL_STREAM_CAPTURE_MODE_RELAXED                2
#define GPUDL_STREAM_CAPTURE_STATUS_NONE                 0
#define GPUDL_STREAM_LEGACY     ((CUstream)0x1)
#define GPUDL_STREAM_PER_THREAD ((CUstream)0x2)

/* ---------------------------------------------------------------------------------------------------------------- functions */

/* X(member, version to ask cuGetProcAddress for, NEED or MAYBE, what a driver without it costs, parameters) */
#define GPUDL_DRIVER_FUNCTIONS(X) \
    X(Init,                    2000, NEED,  "everything", (unsigned)) \
    X(DriverGetVersion,        2020, NEED,  "everything", (int *)) \
    X(GetErrorName,            6000, NEED,  "names of errors", (int, const char **)) \
    X(GetErrorString,          6000, NEED,  "texts of errors", (int, const char **)) \
    X(GetProcAddress,         12000, MAYBE, "asking for more functions", (const char *, void **, int, uint64_t, int *)) \
    X(DeviceGetCount,          2000, NEED,  "everything", (int *)) \
    X(DeviceGet,               2000, NEED,  "everything", (CUdevice *, int)) \
    X(DeviceGetName,           2000, NEED,  "the device's name", (char *, int, CUdevice)) \
    X(DeviceGetUuid,          11040, MAYBE, "the device's identity", (struct CUuuid_st *, CUdevice)) \
    X(DeviceTotalMem,          3020, MAYBE, "the device's memory size", (size_t *, CUdevice)) \
    X(DeviceGetAttribute,      2000, NEED,  "everything", (int *, int, CUdevice)) \
    X(DeviceCanAccessPeer,     4000, MAYBE, "access between devices", (int *, CUdevice, CUdevice)) \
    X(DevicePrimaryCtxRetain,  7000, NEED,  "a context to work in", (CUcontext *, CUdevice)) \
    X(DevicePrimaryCtxRelease, 11000, NEED, "giving a context back", (CUdevice)) \
    X(DevicePrimaryCtxGetState, 7000, MAYBE, "the context's state", (CUdevice, unsigned *, int *)) \
    X(DevicePrimaryCtxReset,  11000, MAYBE, "resetting a context", (CUdevice)) \
    X(DevicePrimaryCtxSetFlags, 11000, MAYBE, "flags of a context", (CUdevice, unsigned)) \
    X(CtxGetCurrent,           4000, NEED,  "launches without a current context", (CUcontext *)) \
    X(CtxSetCurrent,           4000, NEED,  "choosing a context", (CUcontext)) \
    X(CtxPushCurrent,          4000, NEED,  "launches without a current context", (CUcontext)) \
    X(CtxPopCurrent,           4000, NEED,  "launches without a current context", (CUcontext *)) \
    X(CtxSynchronize,          2000, NEED,  "waiting for a context", (void)) \
    X(CtxGetDevice,            2000, NEED,  "globals of one device", (CUdevice *)) \
    X(CtxGetId,               12000, MAYBE, "a context's identity", (CUcontext, unsigned long long *)) \
    X(CtxGetLimit,             3010, MAYBE, "limits of a context", (size_t *, int)) \
    X(CtxSetLimit,             3010, MAYBE, "limits of a context", (int, size_t)) \
    X(MemAlloc,                3020, NEED,  "device memory", (CUdeviceptr *, size_t)) \
    X(MemFree,                 3020, NEED,  "device memory", (CUdeviceptr)) \
    X(MemAllocManaged,         6000, MAYBE, "managed memory", (CUdeviceptr *, size_t, unsigned)) \
    X(MemAllocAsync,          11020, MAYBE, "memory in stream order", (CUdeviceptr *, size_t, CUstream)) \
    X(MemFreeAsync,           11020, MAYBE, "memory in stream order", (CUdeviceptr, CUstream)) \
    X(MemHostAlloc,            2020, MAYBE, "page-locked memory", (void **, size_t, unsigned)) \
    X(MemFreeHost,             2000, MAYBE, "page-locked memory", (void *)) \
    X(MemHostRegister,         6050, MAYBE, "page-locked memory", (void *, size_t, unsigned)) \
    X(MemHostUnregister,       4000, MAYBE, "page-locked memory", (void *)) \
    X(MemHostGetDevicePointer, 3020, MAYBE, "page-locked memory", (CUdeviceptr *, void *, unsigned)) \
    X(MemGetInfo,              3020, MAYBE, "free memory", (size_t *, size_t *)) \
    X(MemGetAddressRange,      3020, MAYBE, "bounds of memory", (CUdeviceptr *, size_t *, CUdeviceptr)) \
    X(Memcpy,                  4000, MAYBE, "copies of any direction", (CUdeviceptr, CUdeviceptr, size_t)) \
    X(MemcpyAsync,             4000, MAYBE, "copies of any direction", (CUdeviceptr, CUdeviceptr, size_t, CUstream)) \
    X(MemcpyHtoD,              3020, NEED,  "copies", (CUdeviceptr, const void *, size_t)) \
    X(MemcpyDtoH,              3020, NEED,  "copies", (void *, CUdeviceptr, size_t)) \
    X(MemcpyDtoD,              3020, MAYBE, "copies", (CUdeviceptr, CUdeviceptr, size_t)) \
    X(MemcpyHtoDAsync,         3020, MAYBE, "copies in stream order", (CUdeviceptr, const void *, size_t, CUstream)) \
    X(MemcpyDtoHAsync,         3020, MAYBE, "copies in stream order", (void *, CUdeviceptr, size_t, CUstream)) \
    X(MemcpyDtoDAsync,         3020, MAYBE, "copies in stream order", (CUdeviceptr, CUdeviceptr, size_t, CUstream)) \
    X(MemsetD8,                3020, MAYBE, "filling memory", (CUdeviceptr, unsigned char, size_t)) \
    X(MemsetD16,               3020, MAYBE, "filling memory", (CUdeviceptr, unsigned short, size_t)) \
    X(MemsetD32,               3020, MAYBE, "filling memory", (CUdeviceptr, unsigned, size_t)) \
    X(MemsetD8Async,           3020, MAYBE, "filling memory in stream order", (CUdeviceptr, unsigned char, size_t, CUstream)) \
    X(MemsetD16Async,          3020, MAYBE, "filling memory in stream order", (CUdeviceptr, unsigned short, size_t, CUstream)) \
    X(MemsetD32Async,          3020, MAYBE, "filling memory in stream order", (CUdeviceptr, unsigned, size_t, CUstream)) \
    X(PointerGetAttribute,     4000, MAYBE, "telling pointers apart", (void *, int, CUdeviceptr)) \
    X(StreamCreate,            2000, MAYBE, "streams", (CUstream *, unsigned)) \
    X(StreamCreateWithPriority, 5050, MAYBE, "streams with a priority", (CUstream *, unsigned, int)) \
    X(StreamDestroy,           4000, MAYBE, "streams", (CUstream)) \
    X(StreamSynchronize,       2000, MAYBE, "waiting for a stream", (CUstream)) \
    X(StreamQuery,             2000, MAYBE, "asking a stream", (CUstream)) \
    X(StreamWaitEvent,         3020, MAYBE, "order between streams", (CUstream, CUevent, unsigned)) \
    X(StreamGetCtx,            9020, NEED,  "launches without a current context", (CUstream, CUcontext *)) \
    X(StreamIsCapturing,      10000, MAYBE, "knowing of captures", (CUstream, int *)) \
    X(ThreadExchangeStreamCaptureMode, 10010, MAYBE, "background work beside captures", (int *)) \
    X(LaunchHostFunc,         10000, MAYBE, "host functions in stream order", (CUstream, void (*)(void *), void *)) \
    X(EventCreate,             2000, MAYBE, "events", (CUevent *, unsigned)) \
    X(EventDestroy,            4000, MAYBE, "events", (CUevent)) \
    X(EventRecord,             2000, MAYBE, "events", (CUevent, CUstream)) \
    X(EventQuery,              2000, MAYBE, "events", (CUevent)) \
    X(EventSynchronize,        2000, MAYBE, "events", (CUevent)) \
    X(EventElapsedTime,        2000, MAYBE, "times between events", (float *, CUevent, CUevent)) \
    X(ModuleLoadDataEx,        2010, MAYBE, "modules", (CUmodule *, const void *, unsigned, int *, void **)) \
    X(ModuleUnload,            2000, MAYBE, "modules", (CUmodule)) \
    X(ModuleGetFunction,       2000, MAYBE, "modules", (CUfunction *, CUmodule, const char *)) \
    X(ModuleGetGlobal,         3020, MAYBE, "modules", (CUdeviceptr *, size_t *, CUmodule, const char *)) \
    X(LibraryLoadData,        12000, NEED,  "loading code", \
      (CUlibrary *, const void *, int *, void **, unsigned, int *, void **, unsigned)) \
    X(LibraryUnload,          12000, NEED,  "unloading code", (CUlibrary)) \
    X(LibraryGetKernel,       12000, NEED,  "kernels", (CUkernel *, CUlibrary, const char *)) \
    X(LibraryGetKernelCount,  12040, MAYBE, "counting kernels", (unsigned *, CUlibrary)) \
    X(LibraryEnumerateKernels, 12040, MAYBE, "listing kernels", (CUkernel *, unsigned, CUlibrary)) \
    X(LibraryGetModule,       12000, MAYBE, "a library's module", (CUmodule *, CUlibrary)) \
    X(LibraryGetGlobal,       12000, NEED,  "globals", (CUdeviceptr *, size_t *, CUlibrary, const char *)) \
    X(LibraryGetManaged,      12000, MAYBE, "__managed__ globals", (CUdeviceptr *, size_t *, CUlibrary, const char *)) \
    X(KernelGetFunction,      12000, MAYBE, "occupancy", (CUfunction *, CUkernel)) \
    X(KernelGetLibrary,       12050, MAYBE, "a kernel's library", (CUlibrary *, CUkernel)) \
    X(KernelGetAttribute,     12000, MAYBE, "attributes of kernels", (int *, int, CUkernel, CUdevice)) \
    X(KernelSetAttribute,     12000, MAYBE, "more than 48 KB of shared memory", (int, int, CUkernel, CUdevice)) \
    X(KernelGetName,          12030, MAYBE, "names of kernels", (const char **, CUkernel)) \
    X(KernelGetParamInfo,     12040, MAYBE, "parameters of kernels", (CUkernel, size_t, size_t *, size_t *)) \
    X(FuncGetAttribute,        2020, MAYBE, "attributes of functions", (int *, int, CUfunction)) \
    X(FuncSetAttribute,        9000, MAYBE, "attributes of functions", (CUfunction, int, int)) \
    X(FuncGetModule,          11000, MAYBE, "a function's module", (CUmodule *, CUfunction)) \
    X(FuncLoad,               12040, MAYBE, "making code resident", (CUfunction)) \
    X(FuncIsLoaded,           12040, MAYBE, "knowing what is resident", (int *, CUfunction)) \
    X(LaunchKernel,            4000, NEED,  "launches", \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **)) \
    X(LaunchKernelEx,         11060, MAYBE, "launch attributes", \
      (const struct CUlaunchConfig_st *, CUfunction, void **, void **)) \
    X(LaunchCooperativeKernel, 9000, MAYBE, "cooperative launches", \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **)) \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, 6050, MAYBE, "occupancy", (int *, CUfunction, int, size_t)) \
    X(OccupancyMaxPotentialBlockSize, 6050, MAYBE, "occupancy", (int *, int *, CUfunction, size_t (*)(int), size_t, int)) \
    X(StreamGetCaptureInfo,   11030, MAYBE, "knowing of captures", \
      (CUstream, int *, uint64_t *, CUgraph *, const CUgraphNode **, size_t *)) \
    X(UserObjectCreate,       11030, MAYBE, "code that graphs hold", \
      (CUuserObject *, void *, void (*)(void *), unsigned, unsigned)) \
    X(UserObjectRelease,      11030, MAYBE, "code that graphs hold", (CUuserObject, unsigned)) \
    X(GraphRetainUserObject,  11030, MAYBE, "code that graphs hold", (CUgraph, CUuserObject, unsigned, unsigned)) \
    X(CtxRecordEvent,         12050, MAYBE, "seeing that a device is idle", (CUcontext, CUevent)) \
    X(OccupancyMaxActiveClusters, 11070, MAYBE, "occupancy of clusters", (int *, CUfunction, const struct CUlaunchConfig_st *)) \
    X(OccupancyMaxPotentialClusterSize, 11070, MAYBE, "occupancy of clusters", \
      (int *, CUfunction, const struct CUlaunchConfig_st *)) \
    X(KernelSetCacheConfig,   12000, MAYBE, "cache preferences of kernels", (CUkernel, int, CUdevice)) \
    X(GraphExecKernelNodeSetParams, 12000, MAYBE, "another version in an instantiated graph", \
      (CUgraphExec, CUgraphNode, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *)) \
    X(LinkCreate,              6050, MAYBE, "linking", (unsigned, int *, void **, CUlinkState *)) \
    X(LinkAddData,             6050, MAYBE, "linking", \
      (CUlinkState, int, void *, size_t, const char *, unsigned, int *, void **)) \
    X(LinkComplete,            5050, MAYBE, "linking", (CUlinkState, void **, size_t *)) \
    X(LinkDestroy,             5050, MAYBE, "linking", (CUlinkState)) \
    X(LogsDumpToMemory,       12090, MAYBE, "log of the driver's", (unsigned *, char *, size_t *, unsigned))

/* Lent by the loader that opened the driver. Members are only ever appended; size tells which there are. */
struct gpudl_driver_table {
    size_t size;                /* sizeof(gpudl_driver_table) of the library that made it */
    int version;                /* what DriverGetVersion says: 13000 is CUDA 13.0 */
    int reserved;
#define GPUDL_DRIVER_MEMBER(name, since, need, without, params) int (*name) params;
    GPUDL_DRIVER_FUNCTIONS(GPUDL_DRIVER_MEMBER)
#undef GPUDL_DRIVER_MEMBER
};
typedef struct gpudl_driver_table gpudl_driver_table;

#ifdef __cplusplus
}
#endif
#endif
