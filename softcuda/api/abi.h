/* abi.h - the CUDA driver's binary interface, as far as softcuda speaks it: types, constants, structures.
 *
 * Numbers are those of the CUDA 13.0 driver API; a test compiles this page beside the real cuda.h and compares. Where that
 * header comes first, only what it does not have is declared here. */
#ifndef SOFTCUDA_API_ABI_H
#define SOFTCUDA_API_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "softcuda/api/abi_memory.h"

/* X(name, number, text) */
#define SC_ABI_ERRORS(X) \
    X(CUDA_SUCCESS, 0, "no error") \
    X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument") \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory") \
    X(CUDA_ERROR_NOT_INITIALIZED, 3, "the driver is not initialized: call cuInit first") \
    X(CUDA_ERROR_DEINITIALIZED, 4, "the driver is shutting down") \
    X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device") \
    X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal") \
    X(CUDA_ERROR_INVALID_IMAGE, 200, "the device kernel image is invalid") \
    X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context") \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image fits this device") \
    X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "this limit is not supported") \
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these devices") \
    X(CUDA_ERROR_INVALID_PTX, 218, "the PTX could not be compiled") \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "the PTX is of a newer version than this driver reads") \
    X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found") \
    X(CUDA_ERROR_OPERATING_SYSTEM, 304, "an operating system call failed") \
    X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle") \
    X(CUDA_ERROR_ILLEGAL_STATE, 401, "what the call needs is not in a state to do it") \
    X(CUDA_ERROR_LOSSY_QUERY, 402, "the answer would leave out the data of edges") \
    X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found") \
    X(CUDA_ERROR_NOT_READY, 600, "the work is not finished yet") \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered") \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch") \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the kernel did not end: it ran out of time, or its threads wait at a barrier that cannot complete") \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled") \
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access is not enabled") \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "the primary context is active") \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "the context is destroyed") \
    X(CUDA_ERROR_ASSERT, 710, "an assertion of device code failed") \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "this host memory is registered already") \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "this host memory is not registered") \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "a device thread ran out of stack") \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered") \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address") \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "an instruction met an address of the wrong space") \
    X(CUDA_ERROR_INVALID_PC, 718, "a call through a pointer that is no function") \
    X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure") \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch") \
    X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted") \
    X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported") \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "not permitted while a stream is capturing") \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "an earlier error has invalidated the capture") \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "this would merge two captures that do not belong together") \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "the capture was not begun in this stream") \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "a stream that joined the capture was not led back to the one that began it") \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "captured work cannot wait for work that is not captured") \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, "the legacy stream would wait for a blocking stream that is capturing") \
    X(CUDA_ERROR_CAPTURED_EVENT, 907, "the event was last recorded in a capture") \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "only the thread that began this capture may end it") \
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910, "the executable graph cannot be updated to this graph") \
    X(CUDA_ERROR_FUNCTION_NOT_LOADED, 913, "the function is not loaded") \
    X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

/* X(name, number) */
#define SC_ABI_CONSTANTS(X) \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
    X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
    X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2) \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4) \
    X(CU_FUNC_ATTRIBUTE_PTX_VERSION, 5) \
    X(CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6) \
    X(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 7) \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
    X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9) \
    X(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 10) \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 11) \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 12) \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 13) \
    X(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 15) \
    X(CU_POINTER_ATTRIBUTE_CONTEXT, 1) \
    X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2) \
    X(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3) \
    X(CU_POINTER_ATTRIBUTE_HOST_POINTER, 4) \
    X(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 6) \
    X(CU_POINTER_ATTRIBUTE_BUFFER_ID, 7) \
    X(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8) \
    X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9) \
    X(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, 10) \
    X(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11) \
    X(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12) \
    X(CU_POINTER_ATTRIBUTE_MAPPED, 13) \
    X(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 14) \
    X(CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, 15) \
    X(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, 16) \
    X(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 17) \
    X(CU_MEMORYTYPE_HOST, 1) \
    X(CU_MEMORYTYPE_DEVICE, 2) \
    X(CU_MEMORYTYPE_ARRAY, 3) \
    X(CU_MEMORYTYPE_UNIFIED, 4) \
    X(CU_LIMIT_STACK_SIZE, 0) \
    X(CU_LIMIT_PRINTF_FIFO_SIZE, 1) \
    X(CU_LIMIT_MALLOC_HEAP_SIZE, 2) \
    X(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 3) \
    X(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4) \
    X(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 5) \
    X(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 6) \
    X(CU_JIT_WALL_TIME, 2) \
    X(CU_JIT_INFO_LOG_BUFFER, 3) \
    X(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4) \
    X(CU_JIT_ERROR_LOG_BUFFER, 5) \
    X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
    X(CU_JIT_NUM_OPTIONS, 35) \
    X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2) \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4) \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7) \
    X(CU_LAUNCH_ATTRIBUTE_PRIORITY, 8) \
    X(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12) \
    X(CU_GET_PROC_ADDRESS_SUCCESS, 0) \
    X(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1) \
    X(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, 2) \
    X(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, 2) \
    X(CU_STREAM_CAPTURE_STATUS_NONE, 0) \
    X(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1) \
    X(CU_STREAM_CAPTURE_STATUS_INVALIDATED, 2) \
    X(CU_STREAM_CAPTURE_MODE_GLOBAL, 0) \
    X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1) \
    X(CU_STREAM_CAPTURE_MODE_RELAXED, 2) \
    X(CU_STREAM_ADD_CAPTURE_DEPENDENCIES, 0) \
    X(CU_STREAM_SET_CAPTURE_DEPENDENCIES, 1) \
    X(CU_EVENT_RECORD_EXTERNAL, 1) \
    X(CU_EVENT_WAIT_EXTERNAL, 1) \
    X(CU_GRAPH_NODE_TYPE_KERNEL, 0) \
    X(CU_GRAPH_NODE_TYPE_MEMCPY, 1) \
    X(CU_GRAPH_NODE_TYPE_MEMSET, 2) \
    X(CU_GRAPH_NODE_TYPE_HOST, 3) \
    X(CU_GRAPH_NODE_TYPE_GRAPH, 4) \
    X(CU_GRAPH_NODE_TYPE_EMPTY, 5) \
    X(CU_GRAPH_NODE_TYPE_WAIT_EVENT, 6) \
    X(CU_GRAPH_NODE_TYPE_EVENT_RECORD, 7) \
    X(CU_GRAPH_NODE_TYPE_MEM_ALLOC, 10) \
    X(CU_GRAPH_NODE_TYPE_MEM_FREE, 11) \
    X(CU_GRAPH_NODE_TYPE_CONDITIONAL, 13) \
    X(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, 1) \
    X(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, 2) \
    X(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, 4) \
    X(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, 8) \
    X(CUDA_GRAPH_INSTANTIATE_SUCCESS, 0) \
    X(CUDA_GRAPH_INSTANTIATE_ERROR, 1) \
    X(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, 2) \
    X(CU_GRAPH_EXEC_UPDATE_SUCCESS, 0) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR, 1) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, 2) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, 3) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, 5) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, 6) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE, 7) \
    X(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, 8) \
    X(CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, 0) \
    X(CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, 1) \
    X(CU_GRAPH_USER_OBJECT_MOVE, 1) \
    X(CU_AD_FORMAT_UNSIGNED_INT8, 1) \
    X(CU_AD_FORMAT_UNSIGNED_INT16, 2) \
    X(CU_AD_FORMAT_UNSIGNED_INT32, 3) \
    X(CU_AD_FORMAT_SIGNED_INT8, 8) \
    X(CU_AD_FORMAT_SIGNED_INT16, 9) \
    X(CU_AD_FORMAT_SIGNED_INT32, 10) \
    X(CU_AD_FORMAT_HALF, 16) \
    X(CU_AD_FORMAT_FLOAT, 32) \
    X(CUDA_ARRAY3D_LAYERED, 1) \
    X(CUDA_ARRAY3D_SURFACE_LDST, 2) \
    X(CUDA_ARRAY3D_CUBEMAP, 4) \
    X(CUDA_ARRAY3D_TEXTURE_GATHER, 8) \
    X(CUDA_ARRAY3D_COLOR_ATTACHMENT, 32) \
    X(CU_TR_ADDRESS_MODE_WRAP, 0) \
    X(CU_TR_ADDRESS_MODE_CLAMP, 1) \
    X(CU_TR_ADDRESS_MODE_MIRROR, 2) \
    X(CU_TR_ADDRESS_MODE_BORDER, 3) \
    X(CU_TR_FILTER_MODE_POINT, 0) \
    X(CU_TR_FILTER_MODE_LINEAR, 1) \
    X(CU_TRSF_READ_AS_INTEGER, 1) \
    X(CU_TRSF_NORMALIZED_COORDINATES, 2) \
    X(CU_TRSF_SRGB, 16) \
    X(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION, 32) \
    X(CU_TRSF_SEAMLESS_CUBEMAP, 64) \
    X(CU_RESOURCE_TYPE_ARRAY, 0) \
    X(CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, 1) \
    X(CU_RESOURCE_TYPE_LINEAR, 2) \
    X(CU_RESOURCE_TYPE_PITCH2D, 3) \
    X(CU_STREAM_NON_BLOCKING, 1) \
    X(CU_EVENT_DISABLE_TIMING, 2) \
    X(CU_FUNCTION_LOADING_STATE_LOADED, 1) \
    X(CU_MODULE_EAGER_LOADING, 1) \
    X(CU_MODULE_LAZY_LOADING, 2) \
    X(CU_CTX_FLAGS_MASK, 0xff) \
    X(CU_MEM_ATTACH_GLOBAL, 1) \
    X(CU_MEM_ATTACH_HOST, 2) \
    X(CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 2) \
    X(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)

#ifndef __cuda_cuda_h__
#define SC_ABI_CONSTANT(name, number, ...) name = number,
typedef enum { SC_ABI_ERRORS(SC_ABI_CONSTANT) CUDA_ERROR_WIDEST = 0x7fffffff } CUresult;
enum { SC_ABI_CONSTANTS(SC_ABI_CONSTANT) };

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef uint64_t cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef int CUdevice_attribute, CUdevice_P2PAttribute, CUfunction_attribute, CUpointer_attribute, CUlimit, CUjit_option,
    CUlibraryOption, CUfunc_cache, CUsharedconfig, CUfunctionLoadingState, CUmoduleLoadingMode, CUstreamCaptureStatus,
    CUstreamCaptureMode, CUdriverProcAddressQueryResult, CUoutput_mode, CUgraphNodeType, CUkernelNodeAttrID,
    CUgraphExecUpdateResult;
typedef struct sc_abi_uuid CUuuid;
typedef struct sc_abi_launch_attribute CUlaunchAttribute;
typedef struct sc_abi_launch_config CUlaunchConfig;
typedef union sc_abi_launch_value CUkernelNodeAttrValue;
typedef struct sc_abi_kernel_node_v1 CUDA_KERNEL_NODE_PARAMS_v1;
typedef struct sc_abi_kernel_node CUDA_KERNEL_NODE_PARAMS;
typedef struct sc_abi_memcpy3d CUDA_MEMCPY3D;
typedef struct sc_abi_memcpy2d CUDA_MEMCPY2D;
typedef struct sc_abi_array CUDA_ARRAY_DESCRIPTOR;
typedef struct sc_abi_array3d CUDA_ARRAY3D_DESCRIPTOR;
typedef struct sc_abi_resource CUDA_RESOURCE_DESC;
typedef struct sc_abi_sampler CUDA_TEXTURE_DESC;
typedef struct sc_abi_view CUDA_RESOURCE_VIEW_DESC;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef struct sc_abi_memset_node CUDA_MEMSET_NODE_PARAMS;
typedef struct sc_abi_host_node CUDA_HOST_NODE_PARAMS;
typedef struct sc_abi_node_params CUgraphNodeParams;
typedef struct sc_abi_edge_data CUgraphEdgeData;
typedef struct sc_abi_instantiate CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct sc_abi_update_result CUgraphExecUpdateResultInfo;
typedef void CUctxCreateParams;         /* read nowhere */
typedef void CUexecAffinityParam;
typedef void (*CUhostFn)(void *);
typedef void (*CUstreamCallback)(CUstream, CUresult, void *);
typedef size_t (*CUoccupancyB2DSize)(int);
typedef unsigned int CUlogIterator;

#define CU_STREAM_LEGACY     ((CUstream)1)
#define CU_STREAM_PER_THREAD ((CUstream)2)
#endif

struct sc_abi_uuid { char bytes[16]; };

union sc_abi_launch_value {
    char pad[64];
    int cooperative;
    struct { unsigned x, y, z; } cluster;
    struct { CUevent event; int flags, at_start; } event;
    int priority;
};

struct sc_abi_launch_attribute {
    int id;
    char pad[4];
    union sc_abi_launch_value value;
};

struct sc_abi_launch_config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attrs;
    unsigned nattrs;
};

/* Graphs. The kernel node's second and third forms are the same. */
struct sc_abi_kernel_node_v1 {
    CUfunction func;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **params, **extra;
};

struct sc_abi_kernel_node {
    CUfunction func;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **params, **extra;
    CUkernel kern;                      /* where func is NULL */
    CUcontext context;
};

struct sc_abi_memcpy3d_side {
    size_t x, y, z, lod;                /* x in bytes */
    int type;                           /* CU_MEMORYTYPE_ */
    void *host;
    CUdeviceptr device;
    CUarray array;
    void *reserved;
    size_t pitch, height;
};

struct sc_abi_memcpy3d {
    struct sc_abi_memcpy3d_side from, to;
    size_t width, height, depth;        /* width in bytes */
};

struct sc_abi_memcpy2d_side {
    size_t x, y;                        /* x in bytes */
    int type;                           /* CU_MEMORYTYPE_ */
    void *host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch;
};

struct sc_abi_memcpy2d {
    struct sc_abi_memcpy2d_side from, to;
    size_t width, height;               /* width in bytes */
};

struct sc_abi_memset_node {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;               /* width in elements */
};

struct sc_abi_host_node { CUhostFn function; void *data; };

struct sc_abi_node_params {
    int type;
    int reserved[3];
    union {
        long long pad[29];
        struct sc_abi_kernel_node kernel;
        struct { int flags, reserved; CUcontext context; struct sc_abi_memcpy3d copy; } copy;
        struct { struct sc_abi_memset_node set; CUcontext context; } set;
        struct sc_abi_host_node host;
        struct { CUgraph graph; int ownership; } child;
        CUevent event;
        struct sc_abi_alloc_node alloc;
        struct { CUdeviceptr p; } free;
    } p;
    long long reserved2;
};

struct sc_abi_edge_data { unsigned char from_port, to_port, type, reserved[5]; };

struct sc_abi_instantiate { uint64_t flags; CUstream upload; CUgraphNode error_node; int result; };

struct sc_abi_update_result { int result; CUgraphNode node, from; };

/* Arrays, textures and surfaces. */
struct sc_abi_array { size_t width, height; int format; unsigned channels; };

struct sc_abi_array3d { size_t width, height, depth; int format; unsigned channels, flags; };

struct sc_abi_resource {
    int type;                           /* CU_RESOURCE_TYPE_ */
    union {
        int pad[32];
        CUarray array;
        struct { CUdeviceptr data; int format; unsigned channels; size_t size; } linear;
        struct { CUdeviceptr data; int format; unsigned channels; size_t width, height, pitch; } pitch2d;
    } of;
    unsigned flags;
};

struct sc_abi_sampler {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, least_level, most_level, border[4];
    int reserved[12];
};

struct sc_abi_view { int format; size_t width, height, depth; unsigned first_level, last_level, first_layer, last_layer, reserved[16]; };

#endif
