/* unsupported.c - the documented functions of CUDA 13.0, all of them. Those that are defined nowhere else answer here that they are
 * not supported; a program that only mentions them can be linked and started. */
#include <stddef.h>

#include "softcuda/api/unsupported.h"

/* X(symbol) */
#define SYMBOLS(X) \
    X(cuArray3DCreate) X(cuArray3DCreate_v2) X(cuArray3DGetDescriptor) X(cuArray3DGetDescriptor_v2) X(cuArrayCreate) \
    X(cuArrayCreate_v2) X(cuArrayDestroy) X(cuArrayGetDescriptor) X(cuArrayGetDescriptor_v2) X(cuArrayGetMemoryRequirements) \
    X(cuArrayGetPlane) X(cuArrayGetSparseProperties) X(cuCheckpointProcessCheckpoint) X(cuCheckpointProcessGetRestoreThreadId) \
    X(cuCheckpointProcessGetState) X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore) X(cuCheckpointProcessUnlock) \
    X(cuCoredumpGetAttribute) X(cuCoredumpGetAttributeGlobal) X(cuCoredumpSetAttribute) X(cuCoredumpSetAttributeGlobal) \
    X(cuCtxAttach) X(cuCtxCreate) X(cuCtxCreate_v2) X(cuCtxCreate_v3) X(cuCtxCreate_v4) X(cuCtxDestroy) X(cuCtxDestroy_v2) \
    X(cuCtxDetach) X(cuCtxDisablePeerAccess) X(cuCtxEnablePeerAccess) X(cuCtxFromGreenCtx) X(cuCtxGetApiVersion) \
    X(cuCtxGetCacheConfig) X(cuCtxGetCurrent) X(cuCtxGetDevResource) X(cuCtxGetDevice) X(cuCtxGetDevice_v2) \
    X(cuCtxGetExecAffinity) X(cuCtxGetFlags) X(cuCtxGetId) X(cuCtxGetLimit) X(cuCtxGetSharedMemConfig) \
    X(cuCtxGetStreamPriorityRange) X(cuCtxPopCurrent) X(cuCtxPopCurrent_v2) X(cuCtxPushCurrent) X(cuCtxPushCurrent_v2) \
    X(cuCtxRecordEvent) X(cuCtxResetPersistingL2Cache) X(cuCtxSetCacheConfig) X(cuCtxSetCurrent) X(cuCtxSetFlags) \
    X(cuCtxSetLimit) X(cuCtxSetSharedMemConfig) X(cuCtxSynchronize) X(cuCtxSynchronize_v2) X(cuCtxWaitEvent) \
    X(cuDestroyExternalMemory) X(cuDestroyExternalSemaphore) X(cuDevResourceGenerateDesc) X(cuDevSmResourceSplitByCount) \
    X(cuDeviceCanAccessPeer) X(cuDeviceComputeCapability) X(cuDeviceGet) X(cuDeviceGetAttribute) X(cuDeviceGetByPCIBusId) \
    X(cuDeviceGetCount) X(cuDeviceGetDefaultMemPool) X(cuDeviceGetDevResource) X(cuDeviceGetExecAffinitySupport) \
    X(cuDeviceGetGraphMemAttribute) X(cuDeviceGetHostAtomicCapabilities) X(cuDeviceGetLuid) X(cuDeviceGetMemPool) \
    X(cuDeviceGetName) X(cuDeviceGetNvSciSyncAttributes) X(cuDeviceGetP2PAtomicCapabilities) X(cuDeviceGetP2PAttribute) \
    X(cuDeviceGetPCIBusId) X(cuDeviceGetProperties) X(cuDeviceGetTexture1DLinearMaxWidth) X(cuDeviceGetUuid) \
    X(cuDeviceGetUuid_v2) X(cuDeviceGraphMemTrim) X(cuDevicePrimaryCtxGetState) X(cuDevicePrimaryCtxRelease) \
    X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxReset) X(cuDevicePrimaryCtxReset_v2) X(cuDevicePrimaryCtxRetain) \
    X(cuDevicePrimaryCtxSetFlags) X(cuDevicePrimaryCtxSetFlags_v2) X(cuDeviceRegisterAsyncNotification) \
    X(cuDeviceSetGraphMemAttribute) X(cuDeviceSetMemPool) X(cuDeviceTotalMem) X(cuDeviceTotalMem_v2) \
    X(cuDeviceUnregisterAsyncNotification) X(cuDriverGetVersion) X(cuEventCreate) X(cuEventDestroy) X(cuEventDestroy_v2) \
    X(cuEventElapsedTime) X(cuEventElapsedTime_v2) X(cuEventQuery) X(cuEventRecord) X(cuEventRecordWithFlags) \
    X(cuEventRecordWithFlags_ptsz) X(cuEventRecord_ptsz) X(cuEventSynchronize) X(cuExternalMemoryGetMappedBuffer) \
    X(cuExternalMemoryGetMappedMipmappedArray) X(cuFlushGPUDirectRDMAWrites) X(cuFuncGetAttribute) X(cuFuncGetModule) \
    X(cuFuncGetName) X(cuFuncGetParamInfo) X(cuFuncIsLoaded) X(cuFuncLoad) X(cuFuncSetAttribute) X(cuFuncSetBlockShape) \
    X(cuFuncSetCacheConfig) X(cuFuncSetSharedMemConfig) X(cuFuncSetSharedSize) X(cuGetErrorName) X(cuGetErrorString) \
    X(cuGetProcAddress) X(cuGetProcAddress_v2) X(cuGraphAddBatchMemOpNode) X(cuGraphAddChildGraphNode) \
    X(cuGraphAddDependencies) X(cuGraphAddDependencies_v2) X(cuGraphAddEmptyNode) X(cuGraphAddEventRecordNode) \
    X(cuGraphAddEventWaitNode) X(cuGraphAddExternalSemaphoresSignalNode) X(cuGraphAddExternalSemaphoresWaitNode) \
    X(cuGraphAddHostNode) X(cuGraphAddKernelNode) X(cuGraphAddKernelNode_v2) X(cuGraphAddMemAllocNode) \
    X(cuGraphAddMemFreeNode) X(cuGraphAddMemcpyNode) X(cuGraphAddMemsetNode) X(cuGraphAddNode) X(cuGraphAddNode_v2) \
    X(cuGraphBatchMemOpNodeGetParams) X(cuGraphBatchMemOpNodeSetParams) X(cuGraphChildGraphNodeGetGraph) X(cuGraphClone) \
    X(cuGraphConditionalHandleCreate) X(cuGraphCreate) X(cuGraphDebugDotPrint) X(cuGraphDestroy) X(cuGraphDestroyNode) \
    X(cuGraphEventRecordNodeGetEvent) X(cuGraphEventRecordNodeSetEvent) X(cuGraphEventWaitNodeGetEvent) \
    X(cuGraphEventWaitNodeSetEvent) X(cuGraphExecBatchMemOpNodeSetParams) X(cuGraphExecChildGraphNodeSetParams) \
    X(cuGraphExecDestroy) X(cuGraphExecEventRecordNodeSetEvent) X(cuGraphExecEventWaitNodeSetEvent) \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams) X(cuGraphExecExternalSemaphoresWaitNodeSetParams) \
    X(cuGraphExecGetFlags) X(cuGraphExecHostNodeSetParams) X(cuGraphExecKernelNodeSetParams) \
    X(cuGraphExecKernelNodeSetParams_v2) X(cuGraphExecMemcpyNodeSetParams) X(cuGraphExecMemsetNodeSetParams) \
    X(cuGraphExecNodeSetParams) X(cuGraphExecUpdate) X(cuGraphExecUpdate_v2) X(cuGraphExternalSemaphoresSignalNodeGetParams) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams) X(cuGraphExternalSemaphoresWaitNodeGetParams) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams) X(cuGraphGetEdges) X(cuGraphGetEdges_v2) X(cuGraphGetNodes) \
    X(cuGraphGetRootNodes) X(cuGraphHostNodeGetParams) X(cuGraphHostNodeSetParams) X(cuGraphInstantiate) \
    X(cuGraphInstantiateWithFlags) X(cuGraphInstantiateWithParams) X(cuGraphInstantiateWithParams_ptsz) \
    X(cuGraphInstantiate_v2) X(cuGraphKernelNodeCopyAttributes) X(cuGraphKernelNodeGetAttribute) X(cuGraphKernelNodeGetParams) \
    X(cuGraphKernelNodeGetParams_v2) X(cuGraphKernelNodeSetAttribute) X(cuGraphKernelNodeSetParams) \
    X(cuGraphKernelNodeSetParams_v2) X(cuGraphLaunch) X(cuGraphLaunch_ptsz) X(cuGraphMemAllocNodeGetParams) \
    X(cuGraphMemFreeNodeGetParams) X(cuGraphMemcpyNodeGetParams) X(cuGraphMemcpyNodeSetParams) X(cuGraphMemsetNodeGetParams) \
    X(cuGraphMemsetNodeSetParams) X(cuGraphNodeFindInClone) X(cuGraphNodeGetDependencies) X(cuGraphNodeGetDependencies_v2) \
    X(cuGraphNodeGetDependentNodes) X(cuGraphNodeGetDependentNodes_v2) X(cuGraphNodeGetEnabled) X(cuGraphNodeGetType) \
    X(cuGraphNodeSetEnabled) X(cuGraphNodeSetParams) X(cuGraphReleaseUserObject) X(cuGraphRemoveDependencies) \
    X(cuGraphRemoveDependencies_v2) X(cuGraphRetainUserObject) X(cuGraphUpload) X(cuGraphUpload_ptsz) \
    X(cuGraphicsMapResources) X(cuGraphicsMapResources_ptsz) X(cuGraphicsResourceGetMappedMipmappedArray) \
    X(cuGraphicsResourceGetMappedPointer) X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags) \
    X(cuGraphicsResourceSetMapFlags_v2) X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsUnmapResources) \
    X(cuGraphicsUnmapResources_ptsz) X(cuGraphicsUnregisterResource) X(cuGreenCtxCreate) X(cuGreenCtxDestroy) \
    X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) X(cuGreenCtxRecordEvent) X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) \
    X(cuImportExternalMemory) X(cuImportExternalSemaphore) X(cuInit) X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) \
    X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle) X(cuIpcOpenMemHandle_v2) X(cuKernelGetAttribute) \
    X(cuKernelGetFunction) X(cuKernelGetLibrary) X(cuKernelGetName) X(cuKernelGetParamInfo) X(cuKernelSetAttribute) \
    X(cuKernelSetCacheConfig) X(cuLaunch) X(cuLaunchCooperativeKernel) X(cuLaunchCooperativeKernelMultiDevice) \
    X(cuLaunchCooperativeKernel_ptsz) X(cuLaunchGrid) X(cuLaunchGridAsync) X(cuLaunchHostFunc) X(cuLaunchHostFunc_ptsz) \
    X(cuLaunchKernel) X(cuLaunchKernelEx) X(cuLaunchKernelEx_ptsz) X(cuLaunchKernel_ptsz) X(cuLibraryEnumerateKernels) \
    X(cuLibraryGetGlobal) X(cuLibraryGetKernel) X(cuLibraryGetKernelCount) X(cuLibraryGetManaged) X(cuLibraryGetModule) \
    X(cuLibraryGetUnifiedFunction) X(cuLibraryLoadData) X(cuLibraryLoadFromFile) X(cuLibraryUnload) X(cuLinkAddData) \
    X(cuLinkAddData_v2) X(cuLinkAddFile) X(cuLinkAddFile_v2) X(cuLinkComplete) X(cuLinkCreate) X(cuLinkCreate_v2) \
    X(cuLinkDestroy) X(cuLogsCurrent) X(cuLogsDumpToFile) X(cuLogsDumpToMemory) X(cuLogsRegisterCallback) \
    X(cuLogsUnregisterCallback) X(cuMemAddressFree) X(cuMemAddressReserve) X(cuMemAdvise) X(cuMemAdvise_v2) X(cuMemAlloc) \
    X(cuMemAllocAsync) X(cuMemAllocAsync_ptsz) X(cuMemAllocFromPoolAsync) X(cuMemAllocFromPoolAsync_ptsz) X(cuMemAllocHost) \
    X(cuMemAllocHost_v2) X(cuMemAllocManaged) X(cuMemAllocPitch) X(cuMemAllocPitch_v2) X(cuMemAlloc_v2) \
    X(cuMemBatchDecompressAsync) X(cuMemBatchDecompressAsync_ptsz) X(cuMemCreate) X(cuMemDiscardAndPrefetchBatchAsync) \
    X(cuMemDiscardAndPrefetchBatchAsync_ptsz) X(cuMemDiscardBatchAsync) X(cuMemDiscardBatchAsync_ptsz) \
    X(cuMemExportToShareableHandle) X(cuMemFree) X(cuMemFreeAsync) X(cuMemFreeAsync_ptsz) X(cuMemFreeHost) X(cuMemFree_v2) \
    X(cuMemGetAccess) X(cuMemGetAddressRange) X(cuMemGetAddressRange_v2) X(cuMemGetAllocationGranularity) \
    X(cuMemGetAllocationPropertiesFromHandle) X(cuMemGetDefaultMemPool) X(cuMemGetHandleForAddressRange) X(cuMemGetInfo) \
    X(cuMemGetInfo_v2) X(cuMemGetMemPool) X(cuMemHostAlloc) X(cuMemHostGetDevicePointer) X(cuMemHostGetDevicePointer_v2) \
    X(cuMemHostGetFlags) X(cuMemHostRegister) X(cuMemHostRegister_v2) X(cuMemHostUnregister) X(cuMemImportFromShareableHandle) \
    X(cuMemMap) X(cuMemMapArrayAsync) X(cuMemMapArrayAsync_ptsz) X(cuMemPoolCreate) X(cuMemPoolDestroy) \
    X(cuMemPoolExportPointer) X(cuMemPoolExportToShareableHandle) X(cuMemPoolGetAccess) X(cuMemPoolGetAttribute) \
    X(cuMemPoolImportFromShareableHandle) X(cuMemPoolImportPointer) X(cuMemPoolSetAccess) X(cuMemPoolSetAttribute) \
    X(cuMemPoolTrimTo) X(cuMemPrefetchAsync) X(cuMemPrefetchAsync_ptsz) X(cuMemPrefetchAsync_v2) X(cuMemPrefetchAsync_v2_ptsz) \
    X(cuMemPrefetchBatchAsync) X(cuMemPrefetchBatchAsync_ptsz) X(cuMemRangeGetAttribute) X(cuMemRangeGetAttributes) \
    X(cuMemRelease) X(cuMemRetainAllocationHandle) X(cuMemSetAccess) X(cuMemSetMemPool) X(cuMemUnmap) X(cuMemcpy) \
    X(cuMemcpy2D) X(cuMemcpy2DAsync) X(cuMemcpy2DAsync_v2) X(cuMemcpy2DAsync_v2_ptsz) X(cuMemcpy2DUnaligned) \
    X(cuMemcpy2DUnaligned_v2) X(cuMemcpy2DUnaligned_v2_ptds) X(cuMemcpy2D_v2) X(cuMemcpy2D_v2_ptds) X(cuMemcpy3D) \
    X(cuMemcpy3DAsync) X(cuMemcpy3DAsync_v2) X(cuMemcpy3DAsync_v2_ptsz) X(cuMemcpy3DBatchAsync) X(cuMemcpy3DBatchAsync_ptsz) \
    X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DBatchAsync_v2_ptsz) X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) \
    X(cuMemcpy3DPeerAsync_ptsz) X(cuMemcpy3DPeer_ptds) X(cuMemcpy3D_v2) X(cuMemcpy3D_v2_ptds) X(cuMemcpyAsync) \
    X(cuMemcpyAsync_ptsz) X(cuMemcpyAtoA) X(cuMemcpyAtoA_v2) X(cuMemcpyAtoA_v2_ptds) X(cuMemcpyAtoD) X(cuMemcpyAtoD_v2) \
    X(cuMemcpyAtoD_v2_ptds) X(cuMemcpyAtoH) X(cuMemcpyAtoHAsync) X(cuMemcpyAtoHAsync_v2) X(cuMemcpyAtoHAsync_v2_ptsz) \
    X(cuMemcpyAtoH_v2) X(cuMemcpyAtoH_v2_ptds) X(cuMemcpyBatchAsync) X(cuMemcpyBatchAsync_ptsz) X(cuMemcpyBatchAsync_v2) \
    X(cuMemcpyBatchAsync_v2_ptsz) X(cuMemcpyDtoA) X(cuMemcpyDtoA_v2) X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyDtoD) \
    X(cuMemcpyDtoDAsync) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyDtoDAsync_v2_ptsz) X(cuMemcpyDtoD_v2) X(cuMemcpyDtoD_v2_ptds) \
    X(cuMemcpyDtoH) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoHAsync_v2_ptsz) X(cuMemcpyDtoH_v2) \
    X(cuMemcpyDtoH_v2_ptds) X(cuMemcpyHtoA) X(cuMemcpyHtoAAsync) X(cuMemcpyHtoAAsync_v2) X(cuMemcpyHtoAAsync_v2_ptsz) \
    X(cuMemcpyHtoA_v2) X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyHtoD) X(cuMemcpyHtoDAsync) X(cuMemcpyHtoDAsync_v2) \
    X(cuMemcpyHtoDAsync_v2_ptsz) X(cuMemcpyHtoD_v2) X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyPeer) X(cuMemcpyPeerAsync) \
    X(cuMemcpyPeerAsync_ptsz) X(cuMemcpyPeer_ptds) X(cuMemcpy_ptds) X(cuMemsetD16) X(cuMemsetD16Async) \
    X(cuMemsetD16Async_ptsz) X(cuMemsetD16_v2) X(cuMemsetD16_v2_ptds) X(cuMemsetD2D16) X(cuMemsetD2D16Async) \
    X(cuMemsetD2D16Async_ptsz) X(cuMemsetD2D16_v2) X(cuMemsetD2D16_v2_ptds) X(cuMemsetD2D32) X(cuMemsetD2D32Async) \
    X(cuMemsetD2D32Async_ptsz) X(cuMemsetD2D32_v2) X(cuMemsetD2D32_v2_ptds) X(cuMemsetD2D8) X(cuMemsetD2D8Async) \
    X(cuMemsetD2D8Async_ptsz) X(cuMemsetD2D8_v2) X(cuMemsetD2D8_v2_ptds) X(cuMemsetD32) X(cuMemsetD32Async) \
    X(cuMemsetD32Async_ptsz) X(cuMemsetD32_v2) X(cuMemsetD32_v2_ptds) X(cuMemsetD8) X(cuMemsetD8Async) X(cuMemsetD8Async_ptsz) \
    X(cuMemsetD8_v2) X(cuMemsetD8_v2_ptds) X(cuMipmappedArrayCreate) X(cuMipmappedArrayDestroy) X(cuMipmappedArrayGetLevel) \
    X(cuMipmappedArrayGetMemoryRequirements) X(cuMipmappedArrayGetSparseProperties) X(cuModuleEnumerateFunctions) \
    X(cuModuleGetFunction) X(cuModuleGetFunctionCount) X(cuModuleGetGlobal) X(cuModuleGetGlobal_v2) X(cuModuleGetLoadingMode) \
    X(cuModuleGetSurfRef) X(cuModuleGetTexRef) X(cuModuleLoad) X(cuModuleLoadData) X(cuModuleLoadDataEx) \
    X(cuModuleLoadFatBinary) X(cuModuleUnload) X(cuMulticastAddDevice) X(cuMulticastBindAddr) X(cuMulticastBindMem) \
    X(cuMulticastCreate) X(cuMulticastGetGranularity) X(cuMulticastUnbind) X(cuOccupancyAvailableDynamicSMemPerBlock) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
    X(cuOccupancyMaxActiveClusters) X(cuOccupancyMaxPotentialBlockSize) X(cuOccupancyMaxPotentialBlockSizeWithFlags) \
    X(cuOccupancyMaxPotentialClusterSize) X(cuParamSetSize) X(cuParamSetTexRef) X(cuParamSetf) X(cuParamSeti) X(cuParamSetv) \
    X(cuPointerGetAttribute) X(cuPointerGetAttributes) X(cuPointerSetAttribute) X(cuProfilerInitialize) X(cuProfilerStart) \
    X(cuProfilerStop) X(cuSignalExternalSemaphoresAsync) X(cuSignalExternalSemaphoresAsync_ptsz) X(cuStreamAddCallback) \
    X(cuStreamAddCallback_ptsz) X(cuStreamAttachMemAsync) X(cuStreamAttachMemAsync_ptsz) X(cuStreamBatchMemOp) \
    X(cuStreamBatchMemOp_ptsz) X(cuStreamBatchMemOp_v2) X(cuStreamBatchMemOp_v2_ptsz) X(cuStreamBeginCapture) \
    X(cuStreamBeginCaptureToGraph) X(cuStreamBeginCaptureToGraph_ptsz) X(cuStreamBeginCapture_ptsz) X(cuStreamBeginCapture_v2) \
    X(cuStreamBeginCapture_v2_ptsz) X(cuStreamCopyAttributes) X(cuStreamCopyAttributes_ptsz) X(cuStreamCreate) \
    X(cuStreamCreateWithPriority) X(cuStreamDestroy) X(cuStreamDestroy_v2) X(cuStreamEndCapture) X(cuStreamEndCapture_ptsz) \
    X(cuStreamGetAttribute) X(cuStreamGetAttribute_ptsz) X(cuStreamGetCaptureInfo) X(cuStreamGetCaptureInfo_ptsz) \
    X(cuStreamGetCaptureInfo_v2) X(cuStreamGetCaptureInfo_v2_ptsz) X(cuStreamGetCaptureInfo_v3) \
    X(cuStreamGetCaptureInfo_v3_ptsz) X(cuStreamGetCtx) X(cuStreamGetCtx_ptsz) X(cuStreamGetCtx_v2) X(cuStreamGetCtx_v2_ptsz) \
    X(cuStreamGetDevice) X(cuStreamGetDevice_ptsz) X(cuStreamGetFlags) X(cuStreamGetFlags_ptsz) X(cuStreamGetGreenCtx) \
    X(cuStreamGetId) X(cuStreamGetId_ptsz) X(cuStreamGetPriority) X(cuStreamGetPriority_ptsz) X(cuStreamIsCapturing) \
    X(cuStreamIsCapturing_ptsz) X(cuStreamQuery) X(cuStreamQuery_ptsz) X(cuStreamSetAttribute) X(cuStreamSetAttribute_ptsz) \
    X(cuStreamSynchronize) X(cuStreamSynchronize_ptsz) X(cuStreamUpdateCaptureDependencies) \
    X(cuStreamUpdateCaptureDependencies_ptsz) X(cuStreamUpdateCaptureDependencies_v2) \
    X(cuStreamUpdateCaptureDependencies_v2_ptsz) X(cuStreamWaitEvent) X(cuStreamWaitEvent_ptsz) X(cuStreamWaitValue32) \
    X(cuStreamWaitValue32_ptsz) X(cuStreamWaitValue32_v2) X(cuStreamWaitValue32_v2_ptsz) X(cuStreamWaitValue64) \
    X(cuStreamWaitValue64_ptsz) X(cuStreamWaitValue64_v2) X(cuStreamWaitValue64_v2_ptsz) X(cuStreamWriteValue32) \
    X(cuStreamWriteValue32_ptsz) X(cuStreamWriteValue32_v2) X(cuStreamWriteValue32_v2_ptsz) X(cuStreamWriteValue64) \
    X(cuStreamWriteValue64_ptsz) X(cuStreamWriteValue64_v2) X(cuStreamWriteValue64_v2_ptsz) X(cuSurfObjectCreate) \
    X(cuSurfObjectDestroy) X(cuSurfObjectGetResourceDesc) X(cuSurfRefGetArray) X(cuSurfRefSetArray) X(cuTensorMapEncodeIm2col) \
    X(cuTensorMapEncodeIm2colWide) X(cuTensorMapEncodeTiled) X(cuTensorMapReplaceAddress) X(cuTexObjectCreate) \
    X(cuTexObjectDestroy) X(cuTexObjectGetResourceDesc) X(cuTexObjectGetResourceViewDesc) X(cuTexObjectGetTextureDesc) \
    X(cuTexRefCreate) X(cuTexRefDestroy) X(cuTexRefGetAddress) X(cuTexRefGetAddressMode) X(cuTexRefGetAddress_v2) \
    X(cuTexRefGetArray) X(cuTexRefGetBorderColor) X(cuTexRefGetFilterMode) X(cuTexRefGetFlags) X(cuTexRefGetFormat) \
    X(cuTexRefGetMaxAnisotropy) X(cuTexRefGetMipmapFilterMode) X(cuTexRefGetMipmapLevelBias) X(cuTexRefGetMipmapLevelClamp) \
    X(cuTexRefGetMipmappedArray) X(cuTexRefSetAddress) X(cuTexRefSetAddress2D) X(cuTexRefSetAddress2D_v2) \
    X(cuTexRefSetAddress2D_v3) X(cuTexRefSetAddressMode) X(cuTexRefSetAddress_v2) X(cuTexRefSetArray) \
    X(cuTexRefSetBorderColor) X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefSetFormat) X(cuTexRefSetMaxAnisotropy) \
    X(cuTexRefSetMipmapFilterMode) X(cuTexRefSetMipmapLevelBias) X(cuTexRefSetMipmapLevelClamp) X(cuTexRefSetMipmappedArray) \
    X(cuThreadExchangeStreamCaptureMode) X(cuUserObjectCreate) X(cuUserObjectRelease) X(cuUserObjectRetain) \
    X(cuWaitExternalSemaphoresAsync) X(cuWaitExternalSemaphoresAsync_ptsz)

/* Weak: a definition elsewhere takes the place of this one. */
#define ANSWER(symbol) \
    __attribute__((weak, visibility("default"))) int symbol(void); \
    int symbol(void) { return NOT_SUPPORTED; }

enum { NOT_SUPPORTED = 801 };
SYMBOLS(ANSWER)

static int answer(void)
{
    return NOT_SUPPORTED;
}

/* X(name, version that it is known as of) */
#define NAMES(X) \
    X(cuArray3DCreate, 2000) X(cuArray3DGetDescriptor, 2000) X(cuArrayCreate, 2000) X(cuArrayDestroy, 2000) \
    X(cuArrayGetDescriptor, 2000) X(cuArrayGetMemoryRequirements, 11060) X(cuArrayGetPlane, 11020) \
    X(cuArrayGetSparseProperties, 11010) X(cuCheckpointProcessCheckpoint, 12080) \
    X(cuCheckpointProcessGetRestoreThreadId, 12080) X(cuCheckpointProcessGetState, 12080) X(cuCheckpointProcessLock, 12080) \
    X(cuCheckpointProcessRestore, 12080) X(cuCheckpointProcessUnlock, 12080) X(cuCoredumpGetAttribute, 12010) \
    X(cuCoredumpGetAttributeGlobal, 12010) X(cuCoredumpSetAttribute, 12010) X(cuCoredumpSetAttributeGlobal, 12010) \
    X(cuCtxAttach, 2000) X(cuCtxCreate, 2000) X(cuCtxDestroy, 2000) X(cuCtxDetach, 2000) X(cuCtxDisablePeerAccess, 4000) \
    X(cuCtxEnablePeerAccess, 4000) X(cuCtxFromGreenCtx, 12040) X(cuCtxGetApiVersion, 3020) X(cuCtxGetCacheConfig, 3020) \
    X(cuCtxGetCurrent, 4000) X(cuCtxGetDevResource, 12040) X(cuCtxGetDevice, 2000) X(cuCtxGetExecAffinity, 11040) \
    X(cuCtxGetFlags, 7000) X(cuCtxGetId, 12000) X(cuCtxGetLimit, 3010) X(cuCtxGetSharedMemConfig, 4020) \
    X(cuCtxGetStreamPriorityRange, 5050) X(cuCtxPopCurrent, 2000) X(cuCtxPushCurrent, 2000) X(cuCtxRecordEvent, 12050) \
    X(cuCtxResetPersistingL2Cache, 11000) X(cuCtxSetCacheConfig, 3020) X(cuCtxSetCurrent, 4000) X(cuCtxSetFlags, 12010) \
    X(cuCtxSetLimit, 3010) X(cuCtxSetSharedMemConfig, 4020) X(cuCtxSynchronize, 2000) X(cuCtxWaitEvent, 12050) \
    X(cuDestroyExternalMemory, 10000) X(cuDestroyExternalSemaphore, 10000) X(cuDevResourceGenerateDesc, 12040) \
    X(cuDevSmResourceSplitByCount, 12040) X(cuDeviceCanAccessPeer, 4000) X(cuDeviceComputeCapability, 2000) \
    X(cuDeviceGet, 2000) X(cuDeviceGetAttribute, 2000) X(cuDeviceGetByPCIBusId, 4010) X(cuDeviceGetCount, 2000) \
    X(cuDeviceGetDefaultMemPool, 11020) X(cuDeviceGetDevResource, 12040) X(cuDeviceGetExecAffinitySupport, 11040) \
    X(cuDeviceGetGraphMemAttribute, 11040) X(cuDeviceGetHostAtomicCapabilities, 13000) X(cuDeviceGetLuid, 10000) \
    X(cuDeviceGetMemPool, 11020) X(cuDeviceGetName, 2000) X(cuDeviceGetNvSciSyncAttributes, 10020) \
    X(cuDeviceGetP2PAtomicCapabilities, 13000) X(cuDeviceGetP2PAttribute, 8000) X(cuDeviceGetPCIBusId, 4010) \
    X(cuDeviceGetProperties, 2000) X(cuDeviceGetTexture1DLinearMaxWidth, 11010) X(cuDeviceGetUuid, 9020) \
    X(cuDeviceGraphMemTrim, 11040) X(cuDevicePrimaryCtxGetState, 7000) X(cuDevicePrimaryCtxRelease, 7000) \
    X(cuDevicePrimaryCtxReset, 7000) X(cuDevicePrimaryCtxRetain, 7000) X(cuDevicePrimaryCtxSetFlags, 7000) \
    X(cuDeviceRegisterAsyncNotification, 12040) X(cuDeviceSetGraphMemAttribute, 11040) X(cuDeviceSetMemPool, 11020) \
    X(cuDeviceTotalMem, 2000) X(cuDeviceUnregisterAsyncNotification, 12040) X(cuDriverGetVersion, 2020) \
    X(cuEGLStreamConsumerAcquireFrame, 7000) X(cuEGLStreamConsumerConnect, 7000) X(cuEGLStreamConsumerConnectWithFlags, 8000) \
    X(cuEGLStreamConsumerDisconnect, 7000) X(cuEGLStreamConsumerReleaseFrame, 7000) X(cuEGLStreamProducerConnect, 7000) \
    X(cuEGLStreamProducerDisconnect, 7000) X(cuEGLStreamProducerPresentFrame, 7000) X(cuEGLStreamProducerReturnFrame, 7000) \
    X(cuEventCreate, 2000) X(cuEventCreateFromEGLSync, 9000) X(cuEventDestroy, 2000) X(cuEventElapsedTime, 2000) \
    X(cuEventQuery, 2000) X(cuEventRecord, 2000) X(cuEventRecordWithFlags, 11010) X(cuEventSynchronize, 2000) \
    X(cuExternalMemoryGetMappedBuffer, 10000) X(cuExternalMemoryGetMappedMipmappedArray, 10000) \
    X(cuFlushGPUDirectRDMAWrites, 11030) X(cuFuncGetAttribute, 2020) X(cuFuncGetModule, 11000) X(cuFuncGetName, 12030) \
    X(cuFuncGetParamInfo, 12040) X(cuFuncIsLoaded, 12040) X(cuFuncLoad, 12040) X(cuFuncSetAttribute, 9000) \
    X(cuFuncSetBlockShape, 2000) X(cuFuncSetCacheConfig, 3000) X(cuFuncSetSharedMemConfig, 4020) X(cuFuncSetSharedSize, 2000) \
    X(cuGLCtxCreate, 2000) X(cuGLGetDevices, 4010) X(cuGLInit, 2000) X(cuGLMapBufferObject, 2000) \
    X(cuGLMapBufferObjectAsync, 2030) X(cuGLRegisterBufferObject, 2000) X(cuGLSetBufferObjectMapFlags, 2030) \
    X(cuGLUnmapBufferObject, 2000) X(cuGLUnmapBufferObjectAsync, 2030) X(cuGLUnregisterBufferObject, 2000) \
    X(cuGetErrorName, 6000) X(cuGetErrorString, 6000) X(cuGetExportTable, 3000) X(cuGetProcAddress, 11030) \
    X(cuGraphAddBatchMemOpNode, 11070) X(cuGraphAddChildGraphNode, 10000) X(cuGraphAddDependencies, 10000) \
    X(cuGraphAddEmptyNode, 10000) X(cuGraphAddEventRecordNode, 11010) X(cuGraphAddEventWaitNode, 11010) \
    X(cuGraphAddExternalSemaphoresSignalNode, 11020) X(cuGraphAddExternalSemaphoresWaitNode, 11020) \
    X(cuGraphAddHostNode, 10000) X(cuGraphAddKernelNode, 10000) X(cuGraphAddMemAllocNode, 11040) \
    X(cuGraphAddMemFreeNode, 11040) X(cuGraphAddMemcpyNode, 10000) X(cuGraphAddMemsetNode, 10000) X(cuGraphAddNode, 12020) \
    X(cuGraphBatchMemOpNodeGetParams, 11070) X(cuGraphBatchMemOpNodeSetParams, 11070) X(cuGraphChildGraphNodeGetGraph, 10000) \
    X(cuGraphClone, 10000) X(cuGraphConditionalHandleCreate, 12030) X(cuGraphCreate, 10000) X(cuGraphDebugDotPrint, 11030) \
    X(cuGraphDestroy, 10000) X(cuGraphDestroyNode, 10000) X(cuGraphEventRecordNodeGetEvent, 11010) \
    X(cuGraphEventRecordNodeSetEvent, 11010) X(cuGraphEventWaitNodeGetEvent, 11010) X(cuGraphEventWaitNodeSetEvent, 11010) \
    X(cuGraphExecBatchMemOpNodeSetParams, 11070) X(cuGraphExecChildGraphNodeSetParams, 11010) X(cuGraphExecDestroy, 10000) \
    X(cuGraphExecEventRecordNodeSetEvent, 11010) X(cuGraphExecEventWaitNodeSetEvent, 11010) \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020) X(cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020) \
    X(cuGraphExecGetFlags, 12000) X(cuGraphExecHostNodeSetParams, 10020) X(cuGraphExecKernelNodeSetParams, 10010) \
    X(cuGraphExecMemcpyNodeSetParams, 10020) X(cuGraphExecMemsetNodeSetParams, 10020) X(cuGraphExecNodeSetParams, 12020) \
    X(cuGraphExecUpdate, 10020) X(cuGraphExternalSemaphoresSignalNodeGetParams, 11020) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams, 11020) X(cuGraphExternalSemaphoresWaitNodeGetParams, 11020) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams, 11020) X(cuGraphGetEdges, 10000) X(cuGraphGetNodes, 10000) \
    X(cuGraphGetRootNodes, 10000) X(cuGraphHostNodeGetParams, 10000) X(cuGraphHostNodeSetParams, 10000) \
    X(cuGraphInstantiate, 10000) X(cuGraphInstantiateWithFlags, 11040) X(cuGraphInstantiateWithParams, 12000) \
    X(cuGraphKernelNodeCopyAttributes, 11000) X(cuGraphKernelNodeGetAttribute, 11000) X(cuGraphKernelNodeGetParams, 10000) \
    X(cuGraphKernelNodeSetAttribute, 11000) X(cuGraphKernelNodeSetParams, 10000) X(cuGraphLaunch, 10000) \
    X(cuGraphMemAllocNodeGetParams, 11040) X(cuGraphMemFreeNodeGetParams, 11040) X(cuGraphMemcpyNodeGetParams, 10000) \
    X(cuGraphMemcpyNodeSetParams, 10000) X(cuGraphMemsetNodeGetParams, 10000) X(cuGraphMemsetNodeSetParams, 10000) \
    X(cuGraphNodeFindInClone, 10000) X(cuGraphNodeGetDependencies, 10000) X(cuGraphNodeGetDependentNodes, 10000) \
    X(cuGraphNodeGetEnabled, 11060) X(cuGraphNodeGetType, 10000) X(cuGraphNodeSetEnabled, 11060) \
    X(cuGraphNodeSetParams, 12020) X(cuGraphReleaseUserObject, 11030) X(cuGraphRemoveDependencies, 10000) \
    X(cuGraphRetainUserObject, 11030) X(cuGraphUpload, 11010) X(cuGraphicsEGLRegisterImage, 7000) \
    X(cuGraphicsGLRegisterBuffer, 3000) X(cuGraphicsGLRegisterImage, 3000) X(cuGraphicsMapResources, 3000) \
    X(cuGraphicsResourceGetMappedEglFrame, 7000) X(cuGraphicsResourceGetMappedMipmappedArray, 5000) \
    X(cuGraphicsResourceGetMappedPointer, 3000) X(cuGraphicsResourceSetMapFlags, 3000) \
    X(cuGraphicsSubResourceGetMappedArray, 3000) X(cuGraphicsUnmapResources, 3000) X(cuGraphicsUnregisterResource, 3000) \
    X(cuGraphicsVDPAURegisterOutputSurface, 3010) X(cuGraphicsVDPAURegisterVideoSurface, 3010) X(cuGreenCtxCreate, 12040) \
    X(cuGreenCtxDestroy, 12040) X(cuGreenCtxGetDevResource, 12040) X(cuGreenCtxGetId, 12090) X(cuGreenCtxRecordEvent, 12040) \
    X(cuGreenCtxStreamCreate, 12050) X(cuGreenCtxWaitEvent, 12040) X(cuImportExternalMemory, 10000) \
    X(cuImportExternalSemaphore, 10000) X(cuInit, 2000) X(cuIpcCloseMemHandle, 4010) X(cuIpcGetEventHandle, 4010) \
    X(cuIpcGetMemHandle, 4010) X(cuIpcOpenEventHandle, 4010) X(cuIpcOpenMemHandle, 4010) X(cuKernelGetAttribute, 12000) \
    X(cuKernelGetFunction, 12000) X(cuKernelGetLibrary, 12050) X(cuKernelGetName, 12030) X(cuKernelGetParamInfo, 12040) \
    X(cuKernelSetAttribute, 12000) X(cuKernelSetCacheConfig, 12000) X(cuLaunch, 2000) X(cuLaunchCooperativeKernel, 9000) \
    X(cuLaunchCooperativeKernelMultiDevice, 9000) X(cuLaunchGrid, 2000) X(cuLaunchGridAsync, 2000) X(cuLaunchHostFunc, 10000) \
    X(cuLaunchKernel, 4000) X(cuLaunchKernelEx, 11060) X(cuLibraryEnumerateKernels, 12040) X(cuLibraryGetGlobal, 12000) \
    X(cuLibraryGetKernel, 12000) X(cuLibraryGetKernelCount, 12040) X(cuLibraryGetManaged, 12000) X(cuLibraryGetModule, 12000) \
    X(cuLibraryGetUnifiedFunction, 12000) X(cuLibraryLoadData, 12000) X(cuLibraryLoadFromFile, 12000) \
    X(cuLibraryUnload, 12000) X(cuLinkAddData, 5050) X(cuLinkAddFile, 5050) X(cuLinkComplete, 5050) X(cuLinkCreate, 5050) \
    X(cuLinkDestroy, 5050) X(cuLogsCurrent, 12090) X(cuLogsDumpToFile, 12090) X(cuLogsDumpToMemory, 12090) \
    X(cuLogsRegisterCallback, 12090) X(cuLogsUnregisterCallback, 12090) X(cuMemAddressFree, 10020) \
    X(cuMemAddressReserve, 10020) X(cuMemAdvise, 8000) X(cuMemAlloc, 2000) X(cuMemAllocAsync, 11020) \
    X(cuMemAllocFromPoolAsync, 11020) X(cuMemAllocHost, 2000) X(cuMemAllocManaged, 6000) X(cuMemAllocPitch, 2000) \
    X(cuMemBatchDecompressAsync, 12060) X(cuMemCreate, 10020) X(cuMemDiscardAndPrefetchBatchAsync, 13000) \
    X(cuMemDiscardBatchAsync, 13000) X(cuMemExportToShareableHandle, 10020) X(cuMemFree, 2000) X(cuMemFreeAsync, 11020) \
    X(cuMemFreeHost, 2000) X(cuMemGetAccess, 10020) X(cuMemGetAddressRange, 2000) X(cuMemGetAllocationGranularity, 10020) \
    X(cuMemGetAllocationPropertiesFromHandle, 10020) X(cuMemGetDefaultMemPool, 13000) X(cuMemGetHandleForAddressRange, 11070) \
    X(cuMemGetInfo, 2000) X(cuMemGetMemPool, 13000) X(cuMemHostAlloc, 2020) X(cuMemHostGetDevicePointer, 2020) \
    X(cuMemHostGetFlags, 2030) X(cuMemHostRegister, 4000) X(cuMemHostUnregister, 4000) \
    X(cuMemImportFromShareableHandle, 10020) X(cuMemMap, 10020) X(cuMemMapArrayAsync, 11010) X(cuMemPoolCreate, 11020) \
    X(cuMemPoolDestroy, 11020) X(cuMemPoolExportPointer, 11020) X(cuMemPoolExportToShareableHandle, 11020) \
    X(cuMemPoolGetAccess, 11020) X(cuMemPoolGetAttribute, 11020) X(cuMemPoolImportFromShareableHandle, 11020) \
    X(cuMemPoolImportPointer, 11020) X(cuMemPoolSetAccess, 11020) X(cuMemPoolSetAttribute, 11020) X(cuMemPoolTrimTo, 11020) \
    X(cuMemPrefetchAsync, 8000) X(cuMemPrefetchBatchAsync, 13000) X(cuMemRangeGetAttribute, 8000) \
    X(cuMemRangeGetAttributes, 8000) X(cuMemRelease, 10020) X(cuMemRetainAllocationHandle, 11000) X(cuMemSetAccess, 10020) \
    X(cuMemSetMemPool, 13000) X(cuMemUnmap, 10020) X(cuMemcpy, 4000) X(cuMemcpy2D, 2000) X(cuMemcpy2DAsync, 2000) \
    X(cuMemcpy2DUnaligned, 2000) X(cuMemcpy3D, 2000) X(cuMemcpy3DAsync, 2000) X(cuMemcpy3DBatchAsync, 12080) \
    X(cuMemcpy3DPeer, 4000) X(cuMemcpy3DPeerAsync, 4000) X(cuMemcpyAsync, 4000) X(cuMemcpyAtoA, 2000) X(cuMemcpyAtoD, 2000) \
    X(cuMemcpyAtoH, 2000) X(cuMemcpyAtoHAsync, 2000) X(cuMemcpyBatchAsync, 12080) X(cuMemcpyDtoA, 2000) X(cuMemcpyDtoD, 2000) \
    X(cuMemcpyDtoDAsync, 3000) X(cuMemcpyDtoH, 2000) X(cuMemcpyDtoHAsync, 2000) X(cuMemcpyHtoA, 2000) \
    X(cuMemcpyHtoAAsync, 2000) X(cuMemcpyHtoD, 2000) X(cuMemcpyHtoDAsync, 2000) X(cuMemcpyPeer, 4000) \
    X(cuMemcpyPeerAsync, 4000) X(cuMemsetD16, 2000) X(cuMemsetD16Async, 3020) X(cuMemsetD2D16, 2000) \
    X(cuMemsetD2D16Async, 3020) X(cuMemsetD2D32, 2000) X(cuMemsetD2D32Async, 3020) X(cuMemsetD2D8, 2000) \
    X(cuMemsetD2D8Async, 3020) X(cuMemsetD32, 2000) X(cuMemsetD32Async, 3020) X(cuMemsetD8, 2000) X(cuMemsetD8Async, 3020) \
    X(cuMipmappedArrayCreate, 5000) X(cuMipmappedArrayDestroy, 5000) X(cuMipmappedArrayGetLevel, 5000) \
    X(cuMipmappedArrayGetMemoryRequirements, 11060) X(cuMipmappedArrayGetSparseProperties, 11010) \
    X(cuModuleEnumerateFunctions, 12040) X(cuModuleGetFunction, 2000) X(cuModuleGetFunctionCount, 12040) \
    X(cuModuleGetGlobal, 2000) X(cuModuleGetLoadingMode, 11070) X(cuModuleGetSurfRef, 3000) X(cuModuleGetTexRef, 2000) \
    X(cuModuleLoad, 2000) X(cuModuleLoadData, 2000) X(cuModuleLoadDataEx, 2010) X(cuModuleLoadFatBinary, 2000) \
    X(cuModuleUnload, 2000) X(cuMulticastAddDevice, 12010) X(cuMulticastBindAddr, 12010) X(cuMulticastBindMem, 12010) \
    X(cuMulticastCreate, 12010) X(cuMulticastGetGranularity, 12010) X(cuMulticastUnbind, 12010) \
    X(cuOccupancyAvailableDynamicSMemPerBlock, 10020) X(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000) X(cuOccupancyMaxActiveClusters, 11070) \
    X(cuOccupancyMaxPotentialBlockSize, 6050) X(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000) \
    X(cuOccupancyMaxPotentialClusterSize, 11070) X(cuParamSetSize, 2000) X(cuParamSetTexRef, 2000) X(cuParamSetf, 2000) \
    X(cuParamSeti, 2000) X(cuParamSetv, 2000) X(cuPointerGetAttribute, 4000) X(cuPointerGetAttributes, 7000) \
    X(cuPointerSetAttribute, 6000) X(cuProfilerInitialize, 4000) X(cuProfilerStart, 4000) X(cuProfilerStop, 4000) \
    X(cuSignalExternalSemaphoresAsync, 10000) X(cuStreamAddCallback, 5000) X(cuStreamAttachMemAsync, 6000) \
    X(cuStreamBatchMemOp, 8000) X(cuStreamBeginCapture, 10000) X(cuStreamBeginCaptureToGraph, 12030) \
    X(cuStreamCopyAttributes, 11000) X(cuStreamCreate, 2000) X(cuStreamCreateWithPriority, 5050) X(cuStreamDestroy, 2000) \
    X(cuStreamEndCapture, 10000) X(cuStreamGetAttribute, 11000) X(cuStreamGetCaptureInfo, 10010) X(cuStreamGetCtx, 9020) \
    X(cuStreamGetDevice, 12080) X(cuStreamGetFlags, 5050) X(cuStreamGetGreenCtx, 12040) X(cuStreamGetId, 12000) \
    X(cuStreamGetPriority, 5050) X(cuStreamIsCapturing, 10000) X(cuStreamQuery, 2000) X(cuStreamSetAttribute, 11000) \
    X(cuStreamSynchronize, 2000) X(cuStreamUpdateCaptureDependencies, 11030) X(cuStreamWaitEvent, 3020) \
    X(cuStreamWaitValue32, 8000) X(cuStreamWaitValue64, 9000) X(cuStreamWriteValue32, 8000) X(cuStreamWriteValue64, 9000) \
    X(cuSurfObjectCreate, 5000) X(cuSurfObjectDestroy, 5000) X(cuSurfObjectGetResourceDesc, 5000) X(cuSurfRefGetArray, 3000) \
    X(cuSurfRefSetArray, 3000) X(cuTensorMapEncodeIm2col, 12000) X(cuTensorMapEncodeIm2colWide, 12080) \
    X(cuTensorMapEncodeTiled, 12000) X(cuTensorMapReplaceAddress, 12000) X(cuTexObjectCreate, 5000) \
    X(cuTexObjectDestroy, 5000) X(cuTexObjectGetResourceDesc, 5000) X(cuTexObjectGetResourceViewDesc, 5000) \
    X(cuTexObjectGetTextureDesc, 5000) X(cuTexRefCreate, 2000) X(cuTexRefDestroy, 2000) X(cuTexRefGetAddress, 2000) \
    X(cuTexRefGetAddressMode, 2000) X(cuTexRefGetArray, 2000) X(cuTexRefGetBorderColor, 8000) X(cuTexRefGetFilterMode, 2000) \
    X(cuTexRefGetFlags, 2000) X(cuTexRefGetFormat, 2000) X(cuTexRefGetMaxAnisotropy, 5000) \
    X(cuTexRefGetMipmapFilterMode, 5000) X(cuTexRefGetMipmapLevelBias, 5000) X(cuTexRefGetMipmapLevelClamp, 5000) \
    X(cuTexRefGetMipmappedArray, 5000) X(cuTexRefSetAddress, 2000) X(cuTexRefSetAddress2D, 2020) \
    X(cuTexRefSetAddressMode, 2000) X(cuTexRefSetArray, 2000) X(cuTexRefSetBorderColor, 8000) X(cuTexRefSetFilterMode, 2000) \
    X(cuTexRefSetFlags, 2000) X(cuTexRefSetFormat, 2000) X(cuTexRefSetMaxAnisotropy, 5000) \
    X(cuTexRefSetMipmapFilterMode, 5000) X(cuTexRefSetMipmapLevelBias, 5000) X(cuTexRefSetMipmapLevelClamp, 5000) \
    X(cuTexRefSetMipmappedArray, 5000) X(cuThreadExchangeStreamCaptureMode, 10010) X(cuUserObjectCreate, 11030) \
    X(cuUserObjectRelease, 11030) X(cuUserObjectRetain, 11030) X(cuVDPAUCtxCreate, 3010) X(cuVDPAUGetDevice, 3010) \
    X(cuWGLGetDevice, 2020) X(cuWaitExternalSemaphoresAsync, 10000)

#define ENTRY(name, version) { #name, version },
static const struct sc_name names[] = { NAMES(ENTRY) { NULL, 0 } };

const struct sc_name *sc_unsupported_names(void)
{
    return names;
}

void (*sc_unsupported(void))(void)
{
    return (void (*)(void))answer;
}
