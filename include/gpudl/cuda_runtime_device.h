/* Devices as the CUDA runtime shows them. Part of <gpudl/cuda_runtime_compat.h>, which includes it. */
#ifndef GPUDL_CUDA_RUNTIME_DEVICE_H
#define GPUDL_CUDA_RUNTIME_DEVICE_H

#include <stddef.h>

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};
enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceSyncMemops 0x80
#define cudaDeviceMask 0xff

/* The same numbers as the driver's. */
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMaxTexture1DWidth = 21,
    cudaDevAttrMaxTexture2DWidth = 22,
    cudaDevAttrMaxTexture2DHeight = 23,
    cudaDevAttrMaxTexture3DWidth = 24,
    cudaDevAttrMaxTexture3DHeight = 25,
    cudaDevAttrMaxTexture3DDepth = 26,
    cudaDevAttrMaxTexture2DLayeredWidth = 27,
    cudaDevAttrMaxTexture2DLayeredHeight = 28,
    cudaDevAttrMaxTexture2DLayeredLayers = 29,
    cudaDevAttrSurfaceAlignment = 30,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrMaxTexture1DLayeredWidth = 42,
    cudaDevAttrMaxTexture1DLayeredLayers = 43,
    cudaDevAttrMaxTexture2DGatherWidth = 45,
    cudaDevAttrMaxTexture2DGatherHeight = 46,
    cudaDevAttrMaxTexture3DWidthAlt = 47,
    cudaDevAttrMaxTexture3DHeightAlt = 48,
    cudaDevAttrMaxTexture3DDepthAlt = 49,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrTexturePitchAlignment = 51,
    cudaDevAttrMaxTextureCubemapWidth = 52,
    cudaDevAttrMaxTextureCubemapLayeredWidth = 53,
    cudaDevAttrMaxTextureCubemapLayeredLayers = 54,
    cudaDevAttrMaxSurface1DWidth = 55,
    cudaDevAttrMaxSurface2DWidth = 56,
    cudaDevAttrMaxSurface2DHeight = 57,
    cudaDevAttrMaxSurface3DWidth = 58,
    cudaDevAttrMaxSurface3DHeight = 59,
    cudaDevAttrMaxSurface3DDepth = 60,
    cudaDevAttrMaxSurface1DLayeredWidth = 61,
    cudaDevAttrMaxSurface1DLayeredLayers = 62,
    cudaDevAttrMaxSurface2DLayeredWidth = 63,
    cudaDevAttrMaxSurface2DLayeredHeight = 64,
    cudaDevAttrMaxSurface2DLayeredLayers = 65,
    cudaDevAttrMaxSurfaceCubemapWidth = 66,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth = 67,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers = 68,
    cudaDevAttrMaxTexture1DLinearWidth = 69,
    cudaDevAttrMaxTexture2DLinearWidth = 70,
    cudaDevAttrMaxTexture2DLinearHeight = 71,
    cudaDevAttrMaxTexture2DLinearPitch = 72,
    cudaDevAttrMaxTexture2DMipmappedWidth = 73,
    cudaDevAttrMaxTexture2DMipmappedHeight = 74,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxTexture1DMipmappedWidth = 77,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrMultiGpuBoardGroupID = 85,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrCanFlushRemoteWrites = 98,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost = 101,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize = 109,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrSparseCudaArraySupported = 112,
    cudaDevAttrHostRegisterReadOnlySupported = 113,
    cudaDevAttrTimelineSemaphoreInteropSupported = 114,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrGPUDirectRDMASupported = 116,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117,
    cudaDevAttrGPUDirectRDMAWritesOrdering = 118,
    cudaDevAttrMemoryPoolSupportedHandleTypes = 119,
    cudaDevAttrClusterLaunch = 120,
    cudaDevAttrDeferredMappingCudaArraySupported = 121,
    cudaDevAttrIpcEventSupport = 125,
    cudaDevAttrMemSyncDomainCount = 126,
    cudaDevAttrNumaConfig = 130,
    cudaDevAttrNumaId = 131,
    cudaDevAttrMpsEnabled = 133,
    cudaDevAttrHostNumaId = 134,
    cudaDevAttrD3D12CigSupported = 135,
    cudaDevAttrVulkanCigSupported = 138,
    cudaDevAttrGpuPciDeviceId = 139,
    cudaDevAttrGpuPciSubsystemId = 140,
    cudaDevAttrHostNumaMemoryPoolsSupported = 142,
    cudaDevAttrHostNumaMultinodeIpcSupported = 143,
    cudaDevAttrHostMemoryPoolsSupported = 144,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147
};

/* Properties that are a device attribute: X(member, attribute). Some members went with CUDA 13; here all are. */
#define GPUDL_CUDART_PROPERTIES(X) \
    X(regsPerBlock, MaxRegistersPerBlock) \
    X(warpSize, WarpSize) \
    X(maxThreadsPerBlock, MaxThreadsPerBlock) \
    X(major, ComputeCapabilityMajor) \
    X(minor, ComputeCapabilityMinor) \
    X(clockRate, ClockRate) \
    X(deviceOverlap, GpuOverlap) \
    X(multiProcessorCount, MultiProcessorCount) \
    X(kernelExecTimeoutEnabled, KernelExecTimeout) \
    X(integrated, Integrated) \
    X(canMapHostMemory, CanMapHostMemory) \
    X(computeMode, ComputeMode) \
    X(concurrentKernels, ConcurrentKernels) \
    X(ECCEnabled, EccEnabled) \
    X(pciBusID, PciBusId) \
    X(pciDeviceID, PciDeviceId) \
    X(pciDomainID, PciDomainId) \
    X(tccDriver, TccDriver) \
    X(asyncEngineCount, AsyncEngineCount) \
    X(unifiedAddressing, UnifiedAddressing) \
    X(memoryClockRate, MemoryClockRate) \
    X(memoryBusWidth, GlobalMemoryBusWidth) \
    X(l2CacheSize, L2CacheSize) \
    X(persistingL2CacheMaxSize, MaxPersistingL2CacheSize) \
    X(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor) \
    X(streamPrioritiesSupported, StreamPrioritiesSupported) \
    X(globalL1CacheSupported, GlobalL1CacheSupported) \
    X(localL1CacheSupported, LocalL1CacheSupported) \
    X(regsPerMultiprocessor, MaxRegistersPerMultiprocessor) \
    X(managedMemory, ManagedMemory) \
    X(isMultiGpuBoard, IsMultiGpuBoard) \
    X(multiGpuBoardGroupID, MultiGpuBoardGroupID) \
    X(hostNativeAtomicSupported, HostNativeAtomicSupported) \
    X(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio) \
    X(pageableMemoryAccess, PageableMemoryAccess) \
    X(concurrentManagedAccess, ConcurrentManagedAccess) \
    X(computePreemptionSupported, ComputePreemptionSupported) \
    X(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem) \
    X(cooperativeLaunch, CooperativeLaunch) \
    X(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables) \
    X(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost) \
    X(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor) \
    X(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize) \
    X(hostRegisterSupported, HostRegisterSupported) \
    X(memoryPoolsSupported, MemoryPoolsSupported) \
    X(clusterLaunch, ClusterLaunch)
#define GPUDL_CUDART_SIZES(X) \
    X(sharedMemPerBlock, MaxSharedMemoryPerBlock) \
    X(memPitch, MaxPitch) \
    X(totalConstMem, TotalConstantMemory) \
    X(textureAlignment, TextureAlignment) \
    X(texturePitchAlignment, TexturePitchAlignment) \
    X(surfaceAlignment, SurfaceAlignment) \
    X(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor) \
    X(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin) \
    X(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)

typedef struct cudaUUID_st {
    char bytes[16];
} cudaUUID_t;
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem;
    int maxThreadsDim[3], maxGridSize[3];
#define GPUDL_CUDART_MEMBER(member, attribute) int member;
    GPUDL_CUDART_PROPERTIES(GPUDL_CUDART_MEMBER)
#undef GPUDL_CUDART_MEMBER
#define GPUDL_CUDART_MEMBER(member, attribute) size_t member;
    GPUDL_CUDART_SIZES(GPUDL_CUDART_MEMBER)
#undef GPUDL_CUDART_MEMBER
};
typedef struct cudaDeviceProp cudaDeviceProp;

#endif
