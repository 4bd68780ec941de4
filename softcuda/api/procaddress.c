/* procaddress.c - cuGetProcAddress: base names, versions as of which a form exists, forms for per-thread default streams. */
#include <stdio.h>
#include <string.h>

#include "softcuda/api/objects.h"
#include "softcuda/api/unsupported.h"

typedef void function(void);

static const struct proc { const char *name; int version; function *plain, *per_thread; } procs[] = {
#define P(name, version, symbol)           { #name, version, (function *)symbol, NULL },
#define T(name, version, symbol, thread)   { #name, version, (function *)symbol, (function *)thread },
    P(cuInit, 2000, cuInit) P(cuDriverGetVersion, 2020, cuDriverGetVersion)
    P(cuGetErrorName, 6000, cuGetErrorName) P(cuGetErrorString, 6000, cuGetErrorString)
    P(cuGetProcAddress, 11030, cuGetProcAddress) P(cuGetProcAddress, 12000, cuGetProcAddress_v2)
    P(cuGetExportTable, 3000, cuGetExportTable)
    P(cuDeviceGetCount, 2000, cuDeviceGetCount) P(cuDeviceGet, 2000, cuDeviceGet) P(cuDeviceGetName, 2000, cuDeviceGetName)
    P(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute) P(cuDeviceComputeCapability, 2000, cuDeviceComputeCapability)
    P(cuDeviceTotalMem, 3020, cuDeviceTotalMem_v2) P(cuDeviceGetUuid, 9020, cuDeviceGetUuid_v2)
    P(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2)
    P(cuDeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId) P(cuDeviceGetByPCIBusId, 4010, cuDeviceGetByPCIBusId)
    P(cuDeviceCanAccessPeer, 4000, cuDeviceCanAccessPeer) P(cuDeviceGetP2PAttribute, 8000, cuDeviceGetP2PAttribute)
    P(cuProfilerStart, 4000, cuProfilerStart) P(cuProfilerStop, 4000, cuProfilerStop)
    P(cuThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode)

    P(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain)
    P(cuDevicePrimaryCtxRelease, 7000, cuDevicePrimaryCtxRelease_v2) P(cuDevicePrimaryCtxReset, 7000, cuDevicePrimaryCtxReset_v2)
    P(cuDevicePrimaryCtxSetFlags, 7000, cuDevicePrimaryCtxSetFlags_v2)
    P(cuDevicePrimaryCtxGetState, 7000, cuDevicePrimaryCtxGetState)
    P(cuCtxCreate, 3020, cuCtxCreate_v2) P(cuCtxCreate, 11040, cuCtxCreate_v3) P(cuCtxCreate, 12050, cuCtxCreate_v4)
    P(cuCtxDestroy, 4000, cuCtxDestroy_v2) P(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2)
    P(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2)
    P(cuCtxSetCurrent, 4000, cuCtxSetCurrent) P(cuCtxGetCurrent, 4000, cuCtxGetCurrent)
    P(cuCtxGetDevice, 2000, cuCtxGetDevice) P(cuCtxGetDevice, 13000, cuCtxGetDevice_v2)
    P(cuCtxGetFlags, 7000, cuCtxGetFlags) P(cuCtxSetFlags, 12010, cuCtxSetFlags) P(cuCtxGetId, 12000, cuCtxGetId)
    P(cuCtxSynchronize, 2000, cuCtxSynchronize) P(cuCtxSynchronize, 13000, cuCtxSynchronize_v2)
    P(cuCtxGetLimit, 3010, cuCtxGetLimit) P(cuCtxSetLimit, 3010, cuCtxSetLimit)
    P(cuCtxGetCacheConfig, 3020, cuCtxGetCacheConfig) P(cuCtxSetCacheConfig, 3020, cuCtxSetCacheConfig)
    P(cuCtxGetSharedMemConfig, 4020, cuCtxGetSharedMemConfig) P(cuCtxSetSharedMemConfig, 4020, cuCtxSetSharedMemConfig)
    P(cuCtxGetApiVersion, 3020, cuCtxGetApiVersion) P(cuCtxGetStreamPriorityRange, 5050, cuCtxGetStreamPriorityRange)
    P(cuCtxResetPersistingL2Cache, 11000, cuCtxResetPersistingL2Cache)
    P(cuCtxRecordEvent, 12050, cuCtxRecordEvent) P(cuCtxWaitEvent, 12050, cuCtxWaitEvent)
    P(cuCtxEnablePeerAccess, 4000, cuCtxEnablePeerAccess) P(cuCtxDisablePeerAccess, 4000, cuCtxDisablePeerAccess)

    P(cuMemGetInfo, 3020, cuMemGetInfo_v2) P(cuMemAlloc, 3020, cuMemAlloc_v2) P(cuMemAllocPitch, 3020, cuMemAllocPitch_v2)
    P(cuMemFree, 3020, cuMemFree_v2) P(cuMemGetAddressRange, 3020, cuMemGetAddressRange_v2)
    P(cuMemAllocHost, 3020, cuMemAllocHost_v2) P(cuMemHostAlloc, 2020, cuMemHostAlloc) P(cuMemFreeHost, 2000, cuMemFreeHost)
    P(cuMemHostRegister, 4000, cuMemHostRegister_v2) P(cuMemHostUnregister, 4000, cuMemHostUnregister)
    P(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2) P(cuMemHostGetFlags, 2030, cuMemHostGetFlags)
    P(cuMemAllocManaged, 6000, cuMemAllocManaged)
    T(cuMemAllocAsync, 11020, cuMemAllocAsync, cuMemAllocAsync_ptsz) T(cuMemFreeAsync, 11020, cuMemFreeAsync, cuMemFreeAsync_ptsz)
    T(cuMemAllocFromPoolAsync, 11020, cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz)
    P(cuMemPoolCreate, 11020, cuMemPoolCreate) P(cuMemPoolDestroy, 11020, cuMemPoolDestroy)
    P(cuMemPoolTrimTo, 11020, cuMemPoolTrimTo) P(cuMemPoolGetAttribute, 11020, cuMemPoolGetAttribute)
    P(cuMemPoolSetAttribute, 11020, cuMemPoolSetAttribute) P(cuMemPoolGetAccess, 11020, cuMemPoolGetAccess)
    P(cuMemPoolSetAccess, 11020, cuMemPoolSetAccess) P(cuDeviceGetDefaultMemPool, 11020, cuDeviceGetDefaultMemPool)
    P(cuDeviceGetMemPool, 11020, cuDeviceGetMemPool) P(cuDeviceSetMemPool, 11020, cuDeviceSetMemPool)
    P(cuPointerGetAttribute, 4000, cuPointerGetAttribute) P(cuPointerGetAttributes, 7000, cuPointerGetAttributes)
    P(cuPointerSetAttribute, 6000, cuPointerSetAttribute)
    T(cuMemcpy, 4000, cuMemcpy, cuMemcpy_ptds) T(cuMemcpyAsync, 4000, cuMemcpyAsync, cuMemcpyAsync_ptsz)
    T(cuMemcpyPeer, 4000, cuMemcpyPeer, cuMemcpyPeer_ptds)
    T(cuMemcpyPeerAsync, 4000, cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz)
    T(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds) T(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds)
    T(cuMemcpyDtoD, 3020, cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds)
    T(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz)
    T(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz)
    T(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz)
    T(cuMemsetD8, 3020, cuMemsetD8_v2, cuMemsetD8_v2_ptds) T(cuMemsetD16, 3020, cuMemsetD16_v2, cuMemsetD16_v2_ptds)
    T(cuMemsetD32, 3020, cuMemsetD32_v2, cuMemsetD32_v2_ptds)
    T(cuMemsetD2D8, 3020, cuMemsetD2D8_v2, cuMemsetD2D8_v2_ptds) T(cuMemsetD2D16, 3020, cuMemsetD2D16_v2, cuMemsetD2D16_v2_ptds)
    T(cuMemsetD2D32, 3020, cuMemsetD2D32_v2, cuMemsetD2D32_v2_ptds)
    T(cuMemsetD2D8Async, 3020, cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz)
    T(cuMemsetD2D16Async, 3020, cuMemsetD2D16Async, cuMemsetD2D16Async_ptsz)
    T(cuMemsetD2D32Async, 3020, cuMemsetD2D32Async, cuMemsetD2D32Async_ptsz)
    T(cuMemsetD8Async, 3020, cuMemsetD8Async, cuMemsetD8Async_ptsz)
    T(cuMemsetD16Async, 3020, cuMemsetD16Async, cuMemsetD16Async_ptsz)
    T(cuMemsetD32Async, 3020, cuMemsetD32Async, cuMemsetD32Async_ptsz)

    P(cuStreamCreate, 2000, cuStreamCreate) P(cuStreamCreateWithPriority, 5050, cuStreamCreateWithPriority)
    P(cuStreamDestroy, 4000, cuStreamDestroy_v2)
    T(cuStreamSynchronize, 2000, cuStreamSynchronize, cuStreamSynchronize_ptsz)
    T(cuStreamQuery, 2000, cuStreamQuery, cuStreamQuery_ptsz)
    T(cuStreamWaitEvent, 3020, cuStreamWaitEvent, cuStreamWaitEvent_ptsz)
    T(cuStreamAddCallback, 5000, cuStreamAddCallback, cuStreamAddCallback_ptsz)
    T(cuStreamGetCtx, 9020, cuStreamGetCtx, cuStreamGetCtx_ptsz)
    T(cuStreamGetFlags, 5050, cuStreamGetFlags, cuStreamGetFlags_ptsz)
    T(cuStreamGetPriority, 5050, cuStreamGetPriority, cuStreamGetPriority_ptsz)
    T(cuStreamGetId, 12000, cuStreamGetId, cuStreamGetId_ptsz)
    T(cuStreamGetDevice, 12080, cuStreamGetDevice, cuStreamGetDevice_ptsz)
    T(cuStreamIsCapturing, 10000, cuStreamIsCapturing, cuStreamIsCapturing_ptsz)
    T(cuStreamBeginCapture, 10000, cuStreamBeginCapture, cuStreamBeginCapture_ptsz)
    T(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz)
    T(cuStreamBeginCaptureToGraph, 12030, cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz)
    T(cuStreamEndCapture, 10000, cuStreamEndCapture, cuStreamEndCapture_ptsz)
    T(cuStreamGetCaptureInfo, 10010, cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz)
    T(cuStreamGetCaptureInfo, 11030, cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz)
    T(cuStreamGetCaptureInfo, 12030, cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz)
    T(cuStreamUpdateCaptureDependencies, 11030, cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz)
    T(cuStreamUpdateCaptureDependencies, 12030, cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz)
    T(cuLaunchHostFunc, 10000, cuLaunchHostFunc, cuLaunchHostFunc_ptsz)

    P(cuEventCreate, 2000, cuEventCreate) P(cuEventDestroy, 4000, cuEventDestroy_v2) P(cuEventQuery, 2000, cuEventQuery)
    P(cuEventSynchronize, 2000, cuEventSynchronize) P(cuEventElapsedTime, 2000, cuEventElapsedTime_v2)
    T(cuEventRecord, 2000, cuEventRecord, cuEventRecord_ptsz)
    T(cuEventRecordWithFlags, 11010, cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz)

    P(cuModuleLoad, 2000, cuModuleLoad) P(cuModuleLoadData, 2000, cuModuleLoadData)
    P(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx)
    P(cuModuleLoadFatBinary, 2000, cuModuleLoadFatBinary) P(cuModuleUnload, 2000, cuModuleUnload)
    P(cuModuleGetFunction, 2000, cuModuleGetFunction) P(cuModuleGetGlobal, 3020, cuModuleGetGlobal_v2)
    P(cuModuleGetFunctionCount, 12040, cuModuleGetFunctionCount) P(cuModuleEnumerateFunctions, 12040, cuModuleEnumerateFunctions)
    P(cuModuleGetLoadingMode, 11070, cuModuleGetLoadingMode)

    P(cuLinkCreate, 6050, cuLinkCreate_v2) P(cuLinkAddData, 6050, cuLinkAddData_v2) P(cuLinkAddFile, 6050, cuLinkAddFile_v2)
    P(cuLinkComplete, 5050, cuLinkComplete) P(cuLinkDestroy, 5050, cuLinkDestroy)

    P(cuLibraryLoadData, 12000, cuLibraryLoadData) P(cuLibraryLoadFromFile, 12000, cuLibraryLoadFromFile)
    P(cuLibraryUnload, 12000, cuLibraryUnload) P(cuLibraryGetKernel, 12000, cuLibraryGetKernel)
    P(cuLibraryGetKernelCount, 12040, cuLibraryGetKernelCount) P(cuLibraryEnumerateKernels, 12040, cuLibraryEnumerateKernels)
    P(cuLibraryGetModule, 12000, cuLibraryGetModule) P(cuLibraryGetGlobal, 12000, cuLibraryGetGlobal)
    P(cuLibraryGetManaged, 12000, cuLibraryGetManaged) P(cuLibraryGetUnifiedFunction, 12000, cuLibraryGetUnifiedFunction)

    P(cuKernelGetFunction, 12000, cuKernelGetFunction) P(cuKernelGetLibrary, 12050, cuKernelGetLibrary)
    P(cuKernelGetName, 12030, cuKernelGetName) P(cuKernelGetParamInfo, 12040, cuKernelGetParamInfo)
    P(cuKernelGetAttribute, 12000, cuKernelGetAttribute) P(cuKernelSetAttribute, 12000, cuKernelSetAttribute)
    P(cuKernelSetCacheConfig, 12000, cuKernelSetCacheConfig)
    P(cuFuncGetAttribute, 2020, cuFuncGetAttribute) P(cuFuncSetAttribute, 9000, cuFuncSetAttribute)
    P(cuFuncSetCacheConfig, 3000, cuFuncSetCacheConfig) P(cuFuncSetSharedMemConfig, 4020, cuFuncSetSharedMemConfig)
    P(cuFuncGetModule, 11000, cuFuncGetModule) P(cuFuncGetName, 12030, cuFuncGetName)
    P(cuFuncGetParamInfo, 12040, cuFuncGetParamInfo) P(cuFuncLoad, 12040, cuFuncLoad) P(cuFuncIsLoaded, 12040, cuFuncIsLoaded)

    T(cuLaunchKernel, 4000, cuLaunchKernel, cuLaunchKernel_ptsz)
    T(cuLaunchKernelEx, 11060, cuLaunchKernelEx, cuLaunchKernelEx_ptsz)
    T(cuLaunchCooperativeKernel, 9000, cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz)
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor)
    P(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
    P(cuOccupancyMaxPotentialBlockSize, 6050, cuOccupancyMaxPotentialBlockSize)
    P(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, cuOccupancyMaxPotentialBlockSizeWithFlags)
    P(cuOccupancyAvailableDynamicSMemPerBlock, 10020, cuOccupancyAvailableDynamicSMemPerBlock)
    P(cuArrayCreate, 3020, cuArrayCreate_v2) P(cuArray3DCreate, 3020, cuArray3DCreate_v2) P(cuArrayDestroy, 2000, cuArrayDestroy)
    P(cuArrayGetDescriptor, 3020, cuArrayGetDescriptor_v2) P(cuArray3DGetDescriptor, 3020, cuArray3DGetDescriptor_v2)
    P(cuTexObjectCreate, 5000, cuTexObjectCreate) P(cuTexObjectDestroy, 5000, cuTexObjectDestroy)
    P(cuTexObjectGetResourceDesc, 5000, cuTexObjectGetResourceDesc) P(cuTexObjectGetTextureDesc, 5000, cuTexObjectGetTextureDesc)
    P(cuTexObjectGetResourceViewDesc, 5000, cuTexObjectGetResourceViewDesc)
    P(cuSurfObjectCreate, 5000, cuSurfObjectCreate) P(cuSurfObjectDestroy, 5000, cuSurfObjectDestroy)
    P(cuSurfObjectGetResourceDesc, 5000, cuSurfObjectGetResourceDesc)
    T(cuMemcpy2D, 3020, cuMemcpy2D_v2, cuMemcpy2D_v2_ptds)
    T(cuMemcpy2DUnaligned, 3020, cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds)
    T(cuMemcpy3D, 3020, cuMemcpy3D_v2, cuMemcpy3D_v2_ptds)
    T(cuMemcpyHtoA, 3020, cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds)
    T(cuMemcpyAtoH, 3020, cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds)
    T(cuMemcpyDtoA, 3020, cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds)
    T(cuMemcpyAtoD, 3020, cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds)
    T(cuMemcpyAtoA, 3020, cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds)
    T(cuMemcpy2DAsync, 3020, cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz)
    T(cuMemcpy3DAsync, 3020, cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz)
    T(cuMemcpyHtoAAsync, 3020, cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz)
    T(cuMemcpyAtoHAsync, 3020, cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz)

    P(cuGraphCreate, 10000, cuGraphCreate) P(cuGraphDestroy, 10000, cuGraphDestroy) P(cuGraphClone, 10000, cuGraphClone)
    P(cuGraphNodeFindInClone, 10000, cuGraphNodeFindInClone) P(cuGraphDestroyNode, 10000, cuGraphDestroyNode)
    P(cuGraphGetNodes, 10000, cuGraphGetNodes) P(cuGraphGetRootNodes, 10000, cuGraphGetRootNodes)
    P(cuGraphNodeGetType, 10000, cuGraphNodeGetType) P(cuGraphDebugDotPrint, 11030, cuGraphDebugDotPrint)
    P(cuGraphAddDependencies, 10000, cuGraphAddDependencies) P(cuGraphAddDependencies, 12030, cuGraphAddDependencies_v2)
    P(cuGraphRemoveDependencies, 10000, cuGraphRemoveDependencies)
    P(cuGraphRemoveDependencies, 12030, cuGraphRemoveDependencies_v2) P(cuGraphGetEdges, 10000, cuGraphGetEdges)
    P(cuGraphGetEdges, 12030, cuGraphGetEdges_v2) P(cuGraphNodeGetDependencies, 10000, cuGraphNodeGetDependencies)
    P(cuGraphNodeGetDependencies, 12030, cuGraphNodeGetDependencies_v2)
    P(cuGraphNodeGetDependentNodes, 10000, cuGraphNodeGetDependentNodes)
    P(cuGraphNodeGetDependentNodes, 12030, cuGraphNodeGetDependentNodes_v2) P(cuGraphAddKernelNode, 10000, cuGraphAddKernelNode)
    P(cuGraphAddKernelNode, 12000, cuGraphAddKernelNode_v2) P(cuGraphKernelNodeGetParams, 10000, cuGraphKernelNodeGetParams)
    P(cuGraphKernelNodeGetParams, 12000, cuGraphKernelNodeGetParams_v2)
    P(cuGraphKernelNodeSetParams, 10000, cuGraphKernelNodeSetParams)
    P(cuGraphKernelNodeSetParams, 12000, cuGraphKernelNodeSetParams_v2) P(cuGraphAddMemcpyNode, 10000, cuGraphAddMemcpyNode)
    P(cuGraphMemcpyNodeGetParams, 10000, cuGraphMemcpyNodeGetParams)
    P(cuGraphMemcpyNodeSetParams, 10000, cuGraphMemcpyNodeSetParams) P(cuGraphAddMemsetNode, 10000, cuGraphAddMemsetNode)
    P(cuGraphMemsetNodeGetParams, 10000, cuGraphMemsetNodeGetParams)
    P(cuGraphMemsetNodeSetParams, 10000, cuGraphMemsetNodeSetParams) P(cuGraphAddHostNode, 10000, cuGraphAddHostNode)
    P(cuGraphHostNodeGetParams, 10000, cuGraphHostNodeGetParams) P(cuGraphHostNodeSetParams, 10000, cuGraphHostNodeSetParams)
    P(cuGraphAddChildGraphNode, 10000, cuGraphAddChildGraphNode)
    P(cuGraphChildGraphNodeGetGraph, 10000, cuGraphChildGraphNodeGetGraph) P(cuGraphAddEmptyNode, 10000, cuGraphAddEmptyNode)
    P(cuGraphAddEventRecordNode, 11010, cuGraphAddEventRecordNode)
    P(cuGraphEventRecordNodeGetEvent, 11010, cuGraphEventRecordNodeGetEvent)
    P(cuGraphEventRecordNodeSetEvent, 11010, cuGraphEventRecordNodeSetEvent)
    P(cuGraphAddEventWaitNode, 11010, cuGraphAddEventWaitNode)
    P(cuGraphEventWaitNodeGetEvent, 11010, cuGraphEventWaitNodeGetEvent)
    P(cuGraphEventWaitNodeSetEvent, 11010, cuGraphEventWaitNodeSetEvent) P(cuGraphAddNode, 12020, cuGraphAddNode)
    P(cuGraphAddNode, 12030, cuGraphAddNode_v2) P(cuGraphNodeSetParams, 12020, cuGraphNodeSetParams)
    P(cuGraphKernelNodeCopyAttributes, 11000, cuGraphKernelNodeCopyAttributes)
    P(cuGraphKernelNodeGetAttribute, 11000, cuGraphKernelNodeGetAttribute)
    P(cuGraphKernelNodeSetAttribute, 11000, cuGraphKernelNodeSetAttribute) P(cuGraphInstantiate, 10000, cuGraphInstantiate)
    P(cuGraphInstantiate, 11000, cuGraphInstantiate_v2) P(cuGraphInstantiate, 12000, cuGraphInstantiateWithFlags)
    P(cuGraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags)
    T(cuGraphInstantiateWithParams, 12000, cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz)
    P(cuGraphExecGetFlags, 12000, cuGraphExecGetFlags) P(cuGraphExecDestroy, 10000, cuGraphExecDestroy)
    P(cuGraphExecKernelNodeSetParams, 10010, cuGraphExecKernelNodeSetParams)
    P(cuGraphExecKernelNodeSetParams, 12000, cuGraphExecKernelNodeSetParams_v2)
    P(cuGraphExecMemcpyNodeSetParams, 10020, cuGraphExecMemcpyNodeSetParams)
    P(cuGraphExecMemsetNodeSetParams, 10020, cuGraphExecMemsetNodeSetParams)
    P(cuGraphExecHostNodeSetParams, 10020, cuGraphExecHostNodeSetParams)
    P(cuGraphExecChildGraphNodeSetParams, 11010, cuGraphExecChildGraphNodeSetParams)
    P(cuGraphExecEventRecordNodeSetEvent, 11010, cuGraphExecEventRecordNodeSetEvent)
    P(cuGraphExecEventWaitNodeSetEvent, 11010, cuGraphExecEventWaitNodeSetEvent)
    P(cuGraphExecNodeSetParams, 12020, cuGraphExecNodeSetParams) P(cuGraphExecUpdate, 10020, cuGraphExecUpdate)
    P(cuGraphExecUpdate, 12000, cuGraphExecUpdate_v2) P(cuGraphNodeSetEnabled, 11060, cuGraphNodeSetEnabled)
    P(cuGraphNodeGetEnabled, 11060, cuGraphNodeGetEnabled) T(cuGraphUpload, 11010, cuGraphUpload, cuGraphUpload_ptsz)
    T(cuGraphLaunch, 10000, cuGraphLaunch, cuGraphLaunch_ptsz) P(cuUserObjectCreate, 11030, cuUserObjectCreate)
    P(cuUserObjectRetain, 11030, cuUserObjectRetain) P(cuUserObjectRelease, 11030, cuUserObjectRelease)
    P(cuGraphRetainUserObject, 11030, cuGraphRetainUserObject) P(cuGraphReleaseUserObject, 11030, cuGraphReleaseUserObject)

    P(softcuda_version, 2000, softcuda_version)
};

/* The newest form that a program built for this version knows; *status says why there is none. */
static const struct proc *find(const char *name, int version, int *status)
{
    const struct proc *best = NULL;

    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    for (size_t i = 0; i < sizeof(procs) / sizeof(procs[0]); i++) {
        if (strcmp(procs[i].name, name))
            continue;
        if (procs[i].version <= version && (!best || procs[i].version > best->version))
            best = &procs[i];
        else if (!best)
            *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
    if (best)
        *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return best;
}

/* A function that CUDA has and softcuda has not: it can be had, and answers so. */
static function *find_unsupported(const char *name, int version, int *status)
{
    const struct sc_name *n = sc_unsupported_names();

    while (n->name && strcmp(n->name, name))
        n++;
    if (!n->name)
        return NULL;
    *status = n->version <= version ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return n->version <= version ? sc_unsupported() : NULL;
}

CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    const struct proc *p;
    int found;

    if (!name || !out || flags > 3 || version > sc_driver_version())
        return CUDA_ERROR_INVALID_VALUE;
    p = find(name, version, &found);
    *out = NULL;
    if (found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
        *out = (void *)find_unsupported(name, version, &found);
    if (p)
        *out = (void *)(p->per_thread && (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ? p->per_thread : p->plain);
    if (status)
        *status = (CUdriverProcAddressQueryResult)found;
    return CUDA_SUCCESS;
}

static void complain(void)
{
    fputs("softcuda: undocumented tables of the driver were asked for, as NVIDIA's runtime library (libcudart) does; softcuda has the "
          "documented driver API only, so what is built on that library cannot run on it\n", stderr);
}

CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&once, complain);
    return CUDA_ERROR_NOT_SUPPORTED;
}
