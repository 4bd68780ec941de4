/* names.h - every function of the driver API that CUDA 13.0 documents, with the versions as of which its forms are there: the
 * numbers in the names of cudaTypedefs.h, which a test compares. This is the one place that says so: cuGetProcAddress finds by it,
 * and what an older driver (SOFTCUDA_DRIVER_VERSION) has not is hidden by it. */
#ifndef SOFTCUDA_API_NAMES_H
#define SOFTCUDA_API_NAMES_H

/* A form is a symbol: the name, and a suffix where it is not the first form.
 *   F(name, since, suffix)
 *   T(name, since, suffix, thread)     and one for per-thread default streams, whose symbol has the suffix thread besides
 *   A(name, since, suffix)             cuda.h calls another function by this name from then on
 *   O(name, since)                     with the 32-bit addresses of CUDA 3.1, or otherwise before its time: there by its symbol only,
 *                                      which does what the next form does
 *   N(name, since)                     of another library's header (GL, EGL, VDPAU): found, but no symbol */
#define SC_NAMES(F, T, A, O, N) \
    O(cuArray3DCreate, 2000) F(cuArray3DCreate, 3020, _v2) O(cuArray3DGetDescriptor, 2000) F(cuArray3DGetDescriptor, 3020, _v2) \
    O(cuArrayCreate, 2000) F(cuArrayCreate, 3020, _v2) F(cuArrayDestroy, 2000, ) O(cuArrayGetDescriptor, 2000) \
    F(cuArrayGetDescriptor, 3020, _v2) F(cuArrayGetMemoryRequirements, 11060, ) F(cuArrayGetPlane, 11020, ) \
    F(cuArrayGetSparseProperties, 11010, ) F(cuCheckpointProcessCheckpoint, 12080, ) \
    F(cuCheckpointProcessGetRestoreThreadId, 12080, ) F(cuCheckpointProcessGetState, 12080, ) F(cuCheckpointProcessLock, 12080, ) \
    F(cuCheckpointProcessRestore, 12080, ) F(cuCheckpointProcessUnlock, 12080, ) F(cuCoredumpGetAttribute, 12010, ) \
    F(cuCoredumpGetAttributeGlobal, 12010, ) F(cuCoredumpSetAttribute, 12010, ) F(cuCoredumpSetAttributeGlobal, 12010, ) \
    F(cuCtxAttach, 2000, ) O(cuCtxCreate, 2000) F(cuCtxCreate, 3020, _v2) F(cuCtxCreate, 11040, _v3) F(cuCtxCreate, 12050, _v4) \
    O(cuCtxDestroy, 2000) F(cuCtxDestroy, 4000, _v2) F(cuCtxDetach, 2000, ) F(cuCtxDisablePeerAccess, 4000, ) \
    F(cuCtxEnablePeerAccess, 4000, ) F(cuCtxFromGreenCtx, 12040, ) F(cuCtxGetApiVersion, 3020, ) F(cuCtxGetCacheConfig, 3020, ) \
    F(cuCtxGetCurrent, 4000, ) F(cuCtxGetDevResource, 12040, ) F(cuCtxGetDevice, 2000, ) F(cuCtxGetDevice, 13000, _v2) \
    F(cuCtxGetExecAffinity, 11040, ) F(cuCtxGetFlags, 7000, ) F(cuCtxGetId, 12000, ) F(cuCtxGetLimit, 3010, ) \
    F(cuCtxGetSharedMemConfig, 4020, ) F(cuCtxGetStreamPriorityRange, 5050, ) O(cuCtxPopCurrent, 2000) \
    F(cuCtxPopCurrent, 4000, _v2) O(cuCtxPushCurrent, 2000) F(cuCtxPushCurrent, 4000, _v2) F(cuCtxRecordEvent, 12050, ) \
    F(cuCtxResetPersistingL2Cache, 11000, ) F(cuCtxSetCacheConfig, 3020, ) F(cuCtxSetCurrent, 4000, ) F(cuCtxSetFlags, 12010, ) \
    F(cuCtxSetLimit, 3010, ) F(cuCtxSetSharedMemConfig, 4020, ) F(cuCtxSynchronize, 2000, ) F(cuCtxSynchronize, 13000, _v2) \
    F(cuCtxWaitEvent, 12050, ) F(cuDestroyExternalMemory, 10000, ) F(cuDestroyExternalSemaphore, 10000, ) \
    F(cuDevResourceGenerateDesc, 12040, ) F(cuDevSmResourceSplitByCount, 12040, ) F(cuDeviceCanAccessPeer, 4000, ) \
    F(cuDeviceComputeCapability, 2000, ) F(cuDeviceGet, 2000, ) F(cuDeviceGetAttribute, 2000, ) F(cuDeviceGetByPCIBusId, 4010, ) \
    F(cuDeviceGetCount, 2000, ) F(cuDeviceGetDefaultMemPool, 11020, ) F(cuDeviceGetDevResource, 12040, ) \
    F(cuDeviceGetExecAffinitySupport, 11040, ) F(cuDeviceGetGraphMemAttribute, 11040, ) \
    F(cuDeviceGetHostAtomicCapabilities, 13000, ) F(cuDeviceGetLuid, 10000, ) F(cuDeviceGetMemPool, 11020, ) \
    F(cuDeviceGetName, 2000, ) F(cuDeviceGetNvSciSyncAttributes, 10020, ) F(cuDeviceGetP2PAtomicCapabilities, 13000, ) \
    F(cuDeviceGetP2PAttribute, 8000, ) F(cuDeviceGetPCIBusId, 4010, ) F(cuDeviceGetProperties, 2000, ) \
    F(cuDeviceGetTexture1DLinearMaxWidth, 11010, ) F(cuDeviceGetUuid, 9020, ) F(cuDeviceGetUuid, 11040, _v2) \
    F(cuDeviceGraphMemTrim, 11040, ) F(cuDevicePrimaryCtxGetState, 7000, ) F(cuDevicePrimaryCtxRelease, 7000, ) \
    F(cuDevicePrimaryCtxRelease, 11000, _v2) F(cuDevicePrimaryCtxReset, 7000, ) F(cuDevicePrimaryCtxReset, 11000, _v2) \
    F(cuDevicePrimaryCtxRetain, 7000, ) F(cuDevicePrimaryCtxSetFlags, 7000, ) F(cuDevicePrimaryCtxSetFlags, 11000, _v2) \
    F(cuDeviceRegisterAsyncNotification, 12040, ) F(cuDeviceSetGraphMemAttribute, 11040, ) F(cuDeviceSetMemPool, 11020, ) \
    O(cuDeviceTotalMem, 2000) F(cuDeviceTotalMem, 3020, _v2) F(cuDeviceUnregisterAsyncNotification, 12040, ) \
    F(cuDriverGetVersion, 2020, ) N(cuEGLStreamConsumerAcquireFrame, 7000) N(cuEGLStreamConsumerConnect, 7000) \
    N(cuEGLStreamConsumerConnectWithFlags, 8000) N(cuEGLStreamConsumerDisconnect, 7000) N(cuEGLStreamConsumerReleaseFrame, 7000) \
    N(cuEGLStreamProducerConnect, 7000) N(cuEGLStreamProducerDisconnect, 7000) N(cuEGLStreamProducerPresentFrame, 7000) \
    N(cuEGLStreamProducerReturnFrame, 7000) F(cuEventCreate, 2000, ) N(cuEventCreateFromEGLSync, 9000) O(cuEventDestroy, 2000) \
    F(cuEventDestroy, 4000, _v2) F(cuEventElapsedTime, 2000, ) F(cuEventElapsedTime, 12080, _v2) F(cuEventQuery, 2000, ) \
    T(cuEventRecord, 2000, , _ptsz) T(cuEventRecordWithFlags, 11010, , _ptsz) F(cuEventSynchronize, 2000, ) \
    F(cuExternalMemoryGetMappedBuffer, 10000, ) F(cuExternalMemoryGetMappedMipmappedArray, 10000, ) \
    F(cuFlushGPUDirectRDMAWrites, 11030, ) F(cuFuncGetAttribute, 2020, ) F(cuFuncGetModule, 11000, ) F(cuFuncGetName, 12030, ) \
    F(cuFuncGetParamInfo, 12040, ) F(cuFuncIsLoaded, 12040, ) F(cuFuncLoad, 12040, ) F(cuFuncSetAttribute, 9000, ) \
    F(cuFuncSetBlockShape, 2000, ) F(cuFuncSetCacheConfig, 3000, ) F(cuFuncSetSharedMemConfig, 4020, ) \
    F(cuFuncSetSharedSize, 2000, ) N(cuGLCtxCreate, 2000) N(cuGLCtxCreate, 3020) N(cuGLGetDevices, 4010) N(cuGLGetDevices, 6050) \
    N(cuGLInit, 2000) N(cuGLMapBufferObject, 2000) N(cuGLMapBufferObject, 3020) N(cuGLMapBufferObjectAsync, 2030) \
    N(cuGLMapBufferObjectAsync, 3020) N(cuGLRegisterBufferObject, 2000) N(cuGLSetBufferObjectMapFlags, 2030) \
    N(cuGLUnmapBufferObject, 2000) N(cuGLUnmapBufferObjectAsync, 2030) N(cuGLUnregisterBufferObject, 2000) \
    F(cuGetErrorName, 6000, ) F(cuGetErrorString, 6000, ) F(cuGetExportTable, 3000, ) F(cuGetProcAddress, 11030, ) \
    F(cuGetProcAddress, 12000, _v2) F(cuGraphAddBatchMemOpNode, 11070, ) F(cuGraphAddChildGraphNode, 10000, ) \
    F(cuGraphAddDependencies, 10000, ) F(cuGraphAddDependencies, 12030, _v2) F(cuGraphAddEmptyNode, 10000, ) \
    F(cuGraphAddEventRecordNode, 11010, ) F(cuGraphAddEventWaitNode, 11010, ) F(cuGraphAddExternalSemaphoresSignalNode, 11020, ) \
    F(cuGraphAddExternalSemaphoresWaitNode, 11020, ) F(cuGraphAddHostNode, 10000, ) F(cuGraphAddKernelNode, 10000, ) \
    F(cuGraphAddKernelNode, 12000, _v2) F(cuGraphAddMemAllocNode, 11040, ) F(cuGraphAddMemFreeNode, 11040, ) \
    F(cuGraphAddMemcpyNode, 10000, ) F(cuGraphAddMemsetNode, 10000, ) F(cuGraphAddNode, 12020, ) F(cuGraphAddNode, 12030, _v2) \
    F(cuGraphBatchMemOpNodeGetParams, 11070, ) F(cuGraphBatchMemOpNodeSetParams, 11070, ) \
    F(cuGraphChildGraphNodeGetGraph, 10000, ) F(cuGraphClone, 10000, ) F(cuGraphConditionalHandleCreate, 12030, ) \
    F(cuGraphCreate, 10000, ) F(cuGraphDebugDotPrint, 11030, ) F(cuGraphDestroy, 10000, ) F(cuGraphDestroyNode, 10000, ) \
    F(cuGraphEventRecordNodeGetEvent, 11010, ) F(cuGraphEventRecordNodeSetEvent, 11010, ) F(cuGraphEventWaitNodeGetEvent, 11010, ) \
    F(cuGraphEventWaitNodeSetEvent, 11010, ) F(cuGraphExecBatchMemOpNodeSetParams, 11070, ) \
    F(cuGraphExecChildGraphNodeSetParams, 11010, ) F(cuGraphExecDestroy, 10000, ) F(cuGraphExecEventRecordNodeSetEvent, 11010, ) \
    F(cuGraphExecEventWaitNodeSetEvent, 11010, ) F(cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020, ) \
    F(cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020, ) F(cuGraphExecGetFlags, 12000, ) \
    F(cuGraphExecHostNodeSetParams, 10020, ) F(cuGraphExecKernelNodeSetParams, 10010, ) \
    F(cuGraphExecKernelNodeSetParams, 12000, _v2) F(cuGraphExecMemcpyNodeSetParams, 10020, ) \
    F(cuGraphExecMemsetNodeSetParams, 10020, ) F(cuGraphExecNodeSetParams, 12020, ) F(cuGraphExecUpdate, 10020, ) \
    F(cuGraphExecUpdate, 12000, _v2) F(cuGraphExternalSemaphoresSignalNodeGetParams, 11020, ) \
    F(cuGraphExternalSemaphoresSignalNodeSetParams, 11020, ) F(cuGraphExternalSemaphoresWaitNodeGetParams, 11020, ) \
    F(cuGraphExternalSemaphoresWaitNodeSetParams, 11020, ) F(cuGraphGetEdges, 10000, ) F(cuGraphGetEdges, 12030, _v2) \
    F(cuGraphGetNodes, 10000, ) F(cuGraphGetRootNodes, 10000, ) F(cuGraphHostNodeGetParams, 10000, ) \
    F(cuGraphHostNodeSetParams, 10000, ) F(cuGraphInstantiate, 10000, ) F(cuGraphInstantiate, 11000, _v2) \
    A(cuGraphInstantiate, 12000, WithFlags) F(cuGraphInstantiateWithFlags, 11040, ) \
    T(cuGraphInstantiateWithParams, 12000, , _ptsz) F(cuGraphKernelNodeCopyAttributes, 11000, ) \
    F(cuGraphKernelNodeGetAttribute, 11000, ) F(cuGraphKernelNodeGetParams, 10000, ) F(cuGraphKernelNodeGetParams, 12000, _v2) \
    F(cuGraphKernelNodeSetAttribute, 11000, ) F(cuGraphKernelNodeSetParams, 10000, ) F(cuGraphKernelNodeSetParams, 12000, _v2) \
    T(cuGraphLaunch, 10000, , _ptsz) F(cuGraphMemAllocNodeGetParams, 11040, ) F(cuGraphMemFreeNodeGetParams, 11040, ) \
    F(cuGraphMemcpyNodeGetParams, 10000, ) F(cuGraphMemcpyNodeSetParams, 10000, ) F(cuGraphMemsetNodeGetParams, 10000, ) \
    F(cuGraphMemsetNodeSetParams, 10000, ) F(cuGraphNodeFindInClone, 10000, ) F(cuGraphNodeGetDependencies, 10000, ) \
    F(cuGraphNodeGetDependencies, 12030, _v2) F(cuGraphNodeGetDependentNodes, 10000, ) F(cuGraphNodeGetDependentNodes, 12030, _v2) \
    F(cuGraphNodeGetEnabled, 11060, ) F(cuGraphNodeGetType, 10000, ) F(cuGraphNodeSetEnabled, 11060, ) \
    F(cuGraphNodeSetParams, 12020, ) F(cuGraphReleaseUserObject, 11030, ) F(cuGraphRemoveDependencies, 10000, ) \
    F(cuGraphRemoveDependencies, 12030, _v2) F(cuGraphRetainUserObject, 11030, ) T(cuGraphUpload, 11010, , _ptsz) \
    N(cuGraphicsEGLRegisterImage, 7000) N(cuGraphicsGLRegisterBuffer, 3000) N(cuGraphicsGLRegisterImage, 3000) \
    T(cuGraphicsMapResources, 3000, , _ptsz) N(cuGraphicsResourceGetMappedEglFrame, 7000) \
    F(cuGraphicsResourceGetMappedMipmappedArray, 5000, ) F(cuGraphicsResourceGetMappedPointer, 3000, ) \
    F(cuGraphicsResourceGetMappedPointer, 3020, _v2) F(cuGraphicsResourceSetMapFlags, 3000, ) \
    F(cuGraphicsResourceSetMapFlags, 6050, _v2) F(cuGraphicsSubResourceGetMappedArray, 3000, ) \
    T(cuGraphicsUnmapResources, 3000, , _ptsz) F(cuGraphicsUnregisterResource, 3000, ) \
    N(cuGraphicsVDPAURegisterOutputSurface, 3010) N(cuGraphicsVDPAURegisterVideoSurface, 3010) F(cuGreenCtxCreate, 12040, ) \
    F(cuGreenCtxDestroy, 12040, ) F(cuGreenCtxGetDevResource, 12040, ) F(cuGreenCtxGetId, 12090, ) \
    F(cuGreenCtxRecordEvent, 12040, ) F(cuGreenCtxStreamCreate, 12050, ) F(cuGreenCtxWaitEvent, 12040, ) \
    F(cuImportExternalMemory, 10000, ) F(cuImportExternalSemaphore, 10000, ) F(cuInit, 2000, ) F(cuIpcCloseMemHandle, 4010, ) \
    F(cuIpcGetEventHandle, 4010, ) F(cuIpcGetMemHandle, 4010, ) F(cuIpcOpenEventHandle, 4010, ) F(cuIpcOpenMemHandle, 4010, ) \
    F(cuIpcOpenMemHandle, 11000, _v2) F(cuKernelGetAttribute, 12000, ) F(cuKernelGetFunction, 12000, ) \
    F(cuKernelGetLibrary, 12050, ) F(cuKernelGetName, 12030, ) F(cuKernelGetParamInfo, 12040, ) F(cuKernelSetAttribute, 12000, ) \
    F(cuKernelSetCacheConfig, 12000, ) F(cuLaunch, 2000, ) T(cuLaunchCooperativeKernel, 9000, , _ptsz) \
    F(cuLaunchCooperativeKernelMultiDevice, 9000, ) F(cuLaunchGrid, 2000, ) F(cuLaunchGridAsync, 2000, ) \
    T(cuLaunchHostFunc, 10000, , _ptsz) T(cuLaunchKernel, 4000, , _ptsz) T(cuLaunchKernelEx, 11060, , _ptsz) \
    F(cuLibraryEnumerateKernels, 12040, ) F(cuLibraryGetGlobal, 12000, ) F(cuLibraryGetKernel, 12000, ) \
    F(cuLibraryGetKernelCount, 12040, ) F(cuLibraryGetManaged, 12000, ) F(cuLibraryGetModule, 12000, ) \
    F(cuLibraryGetUnifiedFunction, 12000, ) F(cuLibraryLoadData, 12000, ) F(cuLibraryLoadFromFile, 12000, ) \
    F(cuLibraryUnload, 12000, ) O(cuLinkAddData, 5050) F(cuLinkAddData, 6050, _v2) O(cuLinkAddFile, 5050) \
    F(cuLinkAddFile, 6050, _v2) F(cuLinkComplete, 5050, ) O(cuLinkCreate, 5050) F(cuLinkCreate, 6050, _v2) \
    F(cuLinkDestroy, 5050, ) F(cuLogsCurrent, 12090, ) F(cuLogsDumpToFile, 12090, ) F(cuLogsDumpToMemory, 12090, ) \
    F(cuLogsRegisterCallback, 12090, ) F(cuLogsUnregisterCallback, 12090, ) F(cuMemAddressFree, 10020, ) \
    F(cuMemAddressReserve, 10020, ) F(cuMemAdvise, 8000, ) F(cuMemAdvise, 12020, _v2) O(cuMemAlloc, 2000) F(cuMemAlloc, 3020, _v2) \
    T(cuMemAllocAsync, 11020, , _ptsz) T(cuMemAllocFromPoolAsync, 11020, , _ptsz) O(cuMemAllocHost, 2000) \
    F(cuMemAllocHost, 3020, _v2) F(cuMemAllocManaged, 6000, ) O(cuMemAllocPitch, 2000) F(cuMemAllocPitch, 3020, _v2) \
    T(cuMemBatchDecompressAsync, 12060, , _ptsz) F(cuMemCreate, 10020, ) T(cuMemDiscardAndPrefetchBatchAsync, 13000, , _ptsz) \
    T(cuMemDiscardBatchAsync, 13000, , _ptsz) F(cuMemExportToShareableHandle, 10020, ) O(cuMemFree, 2000) F(cuMemFree, 3020, _v2) \
    T(cuMemFreeAsync, 11020, , _ptsz) F(cuMemFreeHost, 2000, ) F(cuMemGetAccess, 10020, ) O(cuMemGetAddressRange, 2000) \
    F(cuMemGetAddressRange, 3020, _v2) F(cuMemGetAllocationGranularity, 10020, ) \
    F(cuMemGetAllocationPropertiesFromHandle, 10020, ) F(cuMemGetDefaultMemPool, 13000, ) \
    F(cuMemGetHandleForAddressRange, 11070, ) O(cuMemGetInfo, 2000) F(cuMemGetInfo, 3020, _v2) F(cuMemGetMemPool, 13000, ) \
    F(cuMemHostAlloc, 2020, ) O(cuMemHostGetDevicePointer, 2020) F(cuMemHostGetDevicePointer, 3020, _v2) \
    F(cuMemHostGetFlags, 2030, ) F(cuMemHostRegister, 4000, ) F(cuMemHostRegister, 6050, _v2) F(cuMemHostUnregister, 4000, ) \
    F(cuMemImportFromShareableHandle, 10020, ) F(cuMemMap, 10020, ) T(cuMemMapArrayAsync, 11010, , _ptsz) \
    F(cuMemPoolCreate, 11020, ) F(cuMemPoolDestroy, 11020, ) F(cuMemPoolExportPointer, 11020, ) \
    F(cuMemPoolExportToShareableHandle, 11020, ) F(cuMemPoolGetAccess, 11020, ) F(cuMemPoolGetAttribute, 11020, ) \
    F(cuMemPoolImportFromShareableHandle, 11020, ) F(cuMemPoolImportPointer, 11020, ) F(cuMemPoolSetAccess, 11020, ) \
    F(cuMemPoolSetAttribute, 11020, ) F(cuMemPoolTrimTo, 11020, ) T(cuMemPrefetchAsync, 8000, , _ptsz) \
    T(cuMemPrefetchAsync, 12020, _v2, _ptsz) T(cuMemPrefetchBatchAsync, 13000, , _ptsz) F(cuMemRangeGetAttribute, 8000, ) \
    F(cuMemRangeGetAttributes, 8000, ) F(cuMemRelease, 10020, ) F(cuMemRetainAllocationHandle, 11000, ) F(cuMemSetAccess, 10020, ) \
    F(cuMemSetMemPool, 13000, ) F(cuMemUnmap, 10020, ) T(cuMemcpy, 4000, , _ptds) O(cuMemcpy2D, 2000) \
    T(cuMemcpy2D, 3020, _v2, _ptds) O(cuMemcpy2DAsync, 2000) T(cuMemcpy2DAsync, 3020, _v2, _ptsz) O(cuMemcpy2DUnaligned, 2000) \
    T(cuMemcpy2DUnaligned, 3020, _v2, _ptds) O(cuMemcpy3D, 2000) T(cuMemcpy3D, 3020, _v2, _ptds) O(cuMemcpy3DAsync, 2000) \
    T(cuMemcpy3DAsync, 3020, _v2, _ptsz) T(cuMemcpy3DBatchAsync, 12080, , _ptsz) T(cuMemcpy3DBatchAsync, 13000, _v2, _ptsz) \
    T(cuMemcpy3DPeer, 4000, , _ptds) T(cuMemcpy3DPeerAsync, 4000, , _ptsz) T(cuMemcpyAsync, 4000, , _ptsz) O(cuMemcpyAtoA, 2000) \
    T(cuMemcpyAtoA, 3020, _v2, _ptds) O(cuMemcpyAtoD, 2000) T(cuMemcpyAtoD, 3020, _v2, _ptds) O(cuMemcpyAtoH, 2000) \
    T(cuMemcpyAtoH, 3020, _v2, _ptds) O(cuMemcpyAtoHAsync, 2000) T(cuMemcpyAtoHAsync, 3020, _v2, _ptsz) \
    T(cuMemcpyBatchAsync, 12080, , _ptsz) T(cuMemcpyBatchAsync, 13000, _v2, _ptsz) O(cuMemcpyDtoA, 2000) \
    T(cuMemcpyDtoA, 3020, _v2, _ptds) O(cuMemcpyDtoD, 2000) T(cuMemcpyDtoD, 3020, _v2, _ptds) O(cuMemcpyDtoDAsync, 3000) \
    T(cuMemcpyDtoDAsync, 3020, _v2, _ptsz) O(cuMemcpyDtoH, 2000) T(cuMemcpyDtoH, 3020, _v2, _ptds) O(cuMemcpyDtoHAsync, 2000) \
    T(cuMemcpyDtoHAsync, 3020, _v2, _ptsz) O(cuMemcpyHtoA, 2000) T(cuMemcpyHtoA, 3020, _v2, _ptds) O(cuMemcpyHtoAAsync, 2000) \
    T(cuMemcpyHtoAAsync, 3020, _v2, _ptsz) O(cuMemcpyHtoD, 2000) T(cuMemcpyHtoD, 3020, _v2, _ptds) O(cuMemcpyHtoDAsync, 2000) \
    T(cuMemcpyHtoDAsync, 3020, _v2, _ptsz) T(cuMemcpyPeer, 4000, , _ptds) T(cuMemcpyPeerAsync, 4000, , _ptsz) O(cuMemsetD16, 2000) \
    T(cuMemsetD16, 3020, _v2, _ptds) T(cuMemsetD16Async, 3020, , _ptsz) O(cuMemsetD2D16, 2000) T(cuMemsetD2D16, 3020, _v2, _ptds) \
    T(cuMemsetD2D16Async, 3020, , _ptsz) O(cuMemsetD2D32, 2000) T(cuMemsetD2D32, 3020, _v2, _ptds) \
    T(cuMemsetD2D32Async, 3020, , _ptsz) O(cuMemsetD2D8, 2000) T(cuMemsetD2D8, 3020, _v2, _ptds) \
    T(cuMemsetD2D8Async, 3020, , _ptsz) O(cuMemsetD32, 2000) T(cuMemsetD32, 3020, _v2, _ptds) T(cuMemsetD32Async, 3020, , _ptsz) \
    O(cuMemsetD8, 2000) T(cuMemsetD8, 3020, _v2, _ptds) T(cuMemsetD8Async, 3020, , _ptsz) F(cuMipmappedArrayCreate, 5000, ) \
    F(cuMipmappedArrayDestroy, 5000, ) F(cuMipmappedArrayGetLevel, 5000, ) F(cuMipmappedArrayGetMemoryRequirements, 11060, ) \
    F(cuMipmappedArrayGetSparseProperties, 11010, ) F(cuModuleEnumerateFunctions, 12040, ) F(cuModuleGetFunction, 2000, ) \
    F(cuModuleGetFunctionCount, 12040, ) O(cuModuleGetGlobal, 2000) F(cuModuleGetGlobal, 3020, _v2) \
    F(cuModuleGetLoadingMode, 11070, ) F(cuModuleGetSurfRef, 3000, ) F(cuModuleGetTexRef, 2000, ) F(cuModuleLoad, 2000, ) \
    F(cuModuleLoadData, 2000, ) F(cuModuleLoadDataEx, 2010, ) F(cuModuleLoadFatBinary, 2000, ) F(cuModuleUnload, 2000, ) \
    F(cuMulticastAddDevice, 12010, ) F(cuMulticastBindAddr, 12010, ) F(cuMulticastBindMem, 12010, ) F(cuMulticastCreate, 12010, ) \
    F(cuMulticastGetGranularity, 12010, ) F(cuMulticastUnbind, 12010, ) F(cuOccupancyAvailableDynamicSMemPerBlock, 10020, ) \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, ) F(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, ) \
    F(cuOccupancyMaxActiveClusters, 11070, ) F(cuOccupancyMaxPotentialBlockSize, 6050, ) \
    F(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, ) F(cuOccupancyMaxPotentialClusterSize, 11070, ) F(cuParamSetSize, 2000, ) \
    F(cuParamSetTexRef, 2000, ) F(cuParamSetf, 2000, ) F(cuParamSeti, 2000, ) F(cuParamSetv, 2000, ) \
    F(cuPointerGetAttribute, 4000, ) F(cuPointerGetAttributes, 7000, ) F(cuPointerSetAttribute, 6000, ) \
    F(cuProfilerInitialize, 4000, ) F(cuProfilerStart, 4000, ) F(cuProfilerStop, 4000, ) \
    T(cuSignalExternalSemaphoresAsync, 10000, , _ptsz) T(cuStreamAddCallback, 5000, , _ptsz) \
    T(cuStreamAttachMemAsync, 6000, , _ptsz) T(cuStreamBatchMemOp, 8000, , _ptsz) T(cuStreamBatchMemOp, 11070, _v2, _ptsz) \
    T(cuStreamBeginCapture, 10000, , _ptsz) T(cuStreamBeginCapture, 10010, _v2, _ptsz) \
    T(cuStreamBeginCaptureToGraph, 12030, , _ptsz) T(cuStreamCopyAttributes, 11000, , _ptsz) F(cuStreamCreate, 2000, ) \
    F(cuStreamCreateWithPriority, 5050, ) O(cuStreamDestroy, 2000) F(cuStreamDestroy, 4000, _v2) \
    T(cuStreamEndCapture, 10000, , _ptsz) T(cuStreamGetAttribute, 11000, , _ptsz) T(cuStreamGetCaptureInfo, 10010, , _ptsz) \
    T(cuStreamGetCaptureInfo, 11030, _v2, _ptsz) T(cuStreamGetCaptureInfo, 12030, _v3, _ptsz) T(cuStreamGetCtx, 9020, , _ptsz) \
    T(cuStreamGetCtx, 12050, _v2, _ptsz) T(cuStreamGetDevice, 12080, , _ptsz) T(cuStreamGetFlags, 5050, , _ptsz) \
    F(cuStreamGetGreenCtx, 12040, ) T(cuStreamGetId, 12000, , _ptsz) T(cuStreamGetPriority, 5050, , _ptsz) \
    T(cuStreamIsCapturing, 10000, , _ptsz) T(cuStreamQuery, 2000, , _ptsz) T(cuStreamSetAttribute, 11000, , _ptsz) \
    T(cuStreamSynchronize, 2000, , _ptsz) T(cuStreamUpdateCaptureDependencies, 11030, , _ptsz) \
    T(cuStreamUpdateCaptureDependencies, 12030, _v2, _ptsz) T(cuStreamWaitEvent, 3020, , _ptsz) \
    T(cuStreamWaitValue32, 8000, , _ptsz) T(cuStreamWaitValue32, 11070, _v2, _ptsz) T(cuStreamWaitValue64, 9000, , _ptsz) \
    T(cuStreamWaitValue64, 11070, _v2, _ptsz) T(cuStreamWriteValue32, 8000, , _ptsz) T(cuStreamWriteValue32, 11070, _v2, _ptsz) \
    T(cuStreamWriteValue64, 9000, , _ptsz) T(cuStreamWriteValue64, 11070, _v2, _ptsz) F(cuSurfObjectCreate, 5000, ) \
    F(cuSurfObjectDestroy, 5000, ) F(cuSurfObjectGetResourceDesc, 5000, ) F(cuSurfRefGetArray, 3000, ) \
    F(cuSurfRefSetArray, 3000, ) F(cuTensorMapEncodeIm2col, 12000, ) F(cuTensorMapEncodeIm2colWide, 12080, ) \
    F(cuTensorMapEncodeTiled, 12000, ) F(cuTensorMapReplaceAddress, 12000, ) F(cuTexObjectCreate, 5000, ) \
    F(cuTexObjectDestroy, 5000, ) F(cuTexObjectGetResourceDesc, 5000, ) F(cuTexObjectGetResourceViewDesc, 5000, ) \
    F(cuTexObjectGetTextureDesc, 5000, ) F(cuTexRefCreate, 2000, ) F(cuTexRefDestroy, 2000, ) F(cuTexRefGetAddress, 2000, ) \
    F(cuTexRefGetAddress, 3020, _v2) F(cuTexRefGetAddressMode, 2000, ) F(cuTexRefGetArray, 2000, ) \
    F(cuTexRefGetBorderColor, 8000, ) F(cuTexRefGetFilterMode, 2000, ) F(cuTexRefGetFlags, 2000, ) F(cuTexRefGetFormat, 2000, ) \
    F(cuTexRefGetMaxAnisotropy, 5000, ) F(cuTexRefGetMipmapFilterMode, 5000, ) F(cuTexRefGetMipmapLevelBias, 5000, ) \
    F(cuTexRefGetMipmapLevelClamp, 5000, ) F(cuTexRefGetMipmappedArray, 5000, ) F(cuTexRefSetAddress, 2000, ) \
    F(cuTexRefSetAddress, 3020, _v2) F(cuTexRefSetAddress2D, 2020, ) F(cuTexRefSetAddress2D, 3020, _v2) \
    F(cuTexRefSetAddress2D, 4010, _v3) F(cuTexRefSetAddressMode, 2000, ) F(cuTexRefSetArray, 2000, ) \
    F(cuTexRefSetBorderColor, 8000, ) F(cuTexRefSetFilterMode, 2000, ) F(cuTexRefSetFlags, 2000, ) F(cuTexRefSetFormat, 2000, ) \
    F(cuTexRefSetMaxAnisotropy, 5000, ) F(cuTexRefSetMipmapFilterMode, 5000, ) F(cuTexRefSetMipmapLevelBias, 5000, ) \
    F(cuTexRefSetMipmapLevelClamp, 5000, ) F(cuTexRefSetMipmappedArray, 5000, ) F(cuThreadExchangeStreamCaptureMode, 10010, ) \
    F(cuUserObjectCreate, 11030, ) F(cuUserObjectRelease, 11030, ) F(cuUserObjectRetain, 11030, ) N(cuVDPAUCtxCreate, 3010) \
    N(cuVDPAUCtxCreate, 3020) N(cuVDPAUGetDevice, 3010) N(cuWGLGetDevice, 2020) T(cuWaitExternalSemaphoresAsync, 10000, , _ptsz)

typedef void sc_function_pointer(void);

/* plain: NULL where only the symbol is there. */
struct sc_name { const char *name, *symbol; int since; sc_function_pointer *plain, *per_thread; };

/* The first form of CUDA 7.0 for per-thread default streams; all that were older got theirs there. */
#define SC_PER_THREAD_SINCE 7000

extern const struct sc_name sc_names[];                 /* a NULL name is the end */
int sc_symbol_since(const char *symbol);                /* 0: always */

#endif
