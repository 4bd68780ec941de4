/* The CUDA runtime's error codes, by number: a list, of which the enum, names and texts are made. Part of <gpudl/cuda_runtime_compat.h>. */
#ifndef GPUDL_CUDA_RUNTIME_ERRORS_H
#define GPUDL_CUDA_RUNTIME_ERRORS_H

/* X(name, number, text). NULL: a code that the driver has as well, with the text that gpudl_explain() gives. */
#define GPUDL_CUDART_ERRORS(X) \
    X(cudaSuccess, 0, NULL) \
    X(cudaErrorInvalidValue, 1, NULL) \
    X(cudaErrorMemoryAllocation, 2, NULL) \
    X(cudaErrorInitializationError, 3, NULL) \
    X(cudaErrorCudartUnloading, 4, NULL) \
    X(cudaErrorProfilerDisabled, 5, NULL) \
    X(cudaErrorProfilerNotInitialized, 6, NULL) \
    X(cudaErrorProfilerAlreadyStarted, 7, NULL) \
    X(cudaErrorProfilerAlreadyStopped, 8, NULL) \
    X(cudaErrorInvalidConfiguration, 9, "a grid or block is empty, or larger than the device allows") \
    X(cudaErrorInvalidPitchValue, 12, "a pitch is smaller than the rows, or larger than the device allows") \
    X(cudaErrorInvalidSymbol, 13, "the symbol is none that the runtime knows") \
    X(cudaErrorInvalidHostPointer, 16, "an address of host memory is not valid") \
    X(cudaErrorInvalidDevicePointer, 17, "an address of device memory is not valid") \
    X(cudaErrorInvalidTexture, 18, "the texture is not valid") \
    X(cudaErrorInvalidTextureBinding, 19, "the texture is not bound as it should be") \
    X(cudaErrorInvalidChannelDescriptor, 20, "the channel format is not valid") \
    X(cudaErrorInvalidMemcpyDirection, 21, "the direction of the copy is none of cudaMemcpyKind") \
    X(cudaErrorAddressOfConstant, 22, "the address of a constant was taken where that cannot be") \
    X(cudaErrorTextureFetchFailed, 23, "a texture could not be read") \
    X(cudaErrorTextureNotBound, 24, "the texture is not bound") \
    X(cudaErrorSynchronizationError, 25, "waiting failed") \
    X(cudaErrorInvalidFilterSetting, 26, "the filter mode does not go with the texture") \
    X(cudaErrorInvalidNormSetting, 27, "the texture cannot be read as normalised") \
    X(cudaErrorMixedDeviceExecution, 28, "code of the device and of its emulation were mixed") \
    X(cudaErrorNotYetImplemented, 31, "not implemented yet") \
    X(cudaErrorMemoryValueTooLarge, 32, "the value is too large for the memory") \
    X(cudaErrorStubLibrary, 34, NULL) \
    X(cudaErrorInsufficientDriver, 35, "the driver is missing, or older than the runtime needs") \
    X(cudaErrorCallRequiresNewerDriver, 36, NULL) \
    X(cudaErrorInvalidSurface, 37, "the surface is not valid") \
    X(cudaErrorDuplicateVariableName, 43, "two variables have this name") \
    X(cudaErrorDuplicateTextureName, 44, "two textures have this name") \
    X(cudaErrorDuplicateSurfaceName, 45, "two surfaces have this name") \
    X(cudaErrorDevicesUnavailable, 46, NULL) \
    X(cudaErrorIncompatibleDriverContext, 49, "the current context is not one that the runtime can use") \
    X(cudaErrorMissingConfiguration, 52, "a launch was not configured") \
    X(cudaErrorPriorLaunchFailure, 53, "an earlier launch failed") \
    X(cudaErrorLaunchMaxDepthExceeded, 65, "launches from the device are nested too deeply") \
    X(cudaErrorLaunchFileScopedTex, 66, "a kernel launched from the device uses textures of file scope") \
    X(cudaErrorLaunchFileScopedSurf, 67, "a kernel launched from the device uses surfaces of file scope") \
    X(cudaErrorSyncDepthExceeded, 68, "waiting on the device is nested too deeply") \
    X(cudaErrorLaunchPendingCountExceeded, 69, "too many launches from the device are outstanding") \
    X(cudaErrorInvalidDeviceFunction, 98, "this is no kernel, or none that is loaded") \
    X(cudaErrorNoDevice, 100, NULL) \
    X(cudaErrorInvalidDevice, 101, NULL) \
    X(cudaErrorDeviceNotLicensed, 102, NULL) \
    X(cudaErrorSoftwareValidityNotEstablished, 103, "the software is not known to be valid") \
    X(cudaErrorStartupFailure, 127, "the runtime could not start") \
    X(cudaErrorInvalidKernelImage, 200, NULL) \
    X(cudaErrorDeviceUninitialized, 201, NULL) \
    X(cudaErrorMapBufferObjectFailed, 205, NULL) \
    X(cudaErrorUnmapBufferObjectFailed, 206, NULL) \
    X(cudaErrorArrayIsMapped, 207, NULL) \
    X(cudaErrorAlreadyMapped, 208, NULL) \
    X(cudaErrorNoKernelImageForDevice, 209, NULL) \
    X(cudaErrorAlreadyAcquired, 210, NULL) \
    X(cudaErrorNotMapped, 211, NULL) \
    X(cudaErrorNotMappedAsArray, 212, NULL) \
    X(cudaErrorNotMappedAsPointer, 213, NULL) \
    X(cudaErrorECCUncorrectable, 214, NULL) \
    X(cudaErrorUnsupportedLimit, 215, NULL) \
    X(cudaErrorDeviceAlreadyInUse, 216, NULL) \
    X(cudaErrorPeerAccessUnsupported, 217, NULL) \
    X(cudaErrorInvalidPtx, 218, NULL) \
    X(cudaErrorInvalidGraphicsContext, 219, NULL) \
    X(cudaErrorNvlinkUncorrectable, 220, NULL) \
    X(cudaErrorJitCompilerNotFound, 221, NULL) \
    X(cudaErrorUnsupportedPtxVersion, 222, NULL) \
    X(cudaErrorJitCompilationDisabled, 223, NULL) \
    X(cudaErrorUnsupportedExecAffinity, 224, NULL) \
    X(cudaErrorUnsupportedDevSideSync, 225, NULL) \
    X(cudaErrorContained, 226, NULL) \
    X(cudaErrorInvalidSource, 300, NULL) \
    X(cudaErrorFileNotFound, 301, NULL) \
    X(cudaErrorSharedObjectSymbolNotFound, 302, NULL) \
    X(cudaErrorSharedObjectInitFailed, 303, NULL) \
    X(cudaErrorOperatingSystem, 304, NULL) \
    X(cudaErrorInvalidResourceHandle, 400, NULL) \
    X(cudaErrorIllegalState, 401, NULL) \
    X(cudaErrorLossyQuery, 402, NULL) \
    X(cudaErrorSymbolNotFound, 500, NULL) \
    X(cudaErrorNotReady, 600, NULL) \
    X(cudaErrorIllegalAddress, 700, NULL) \
    X(cudaErrorLaunchOutOfResources, 701, NULL) \
    X(cudaErrorLaunchTimeout, 702, NULL) \
    X(cudaErrorLaunchIncompatibleTexturing, 703, NULL) \
    X(cudaErrorPeerAccessAlreadyEnabled, 704, NULL) \
    X(cudaErrorPeerAccessNotEnabled, 705, NULL) \
    X(cudaErrorSetOnActiveProcess, 708, NULL) \
    X(cudaErrorContextIsDestroyed, 709, NULL) \
    X(cudaErrorAssert, 710, NULL) \
    X(cudaErrorTooManyPeers, 711, NULL) \
    X(cudaErrorHostMemoryAlreadyRegistered, 712, NULL) \
    X(cudaErrorHostMemoryNotRegistered, 713, NULL) \
    X(cudaErrorHardwareStackError, 714, NULL) \
    X(cudaErrorIllegalInstruction, 715, NULL) \
    X(cudaErrorMisalignedAddress, 716, NULL) \
    X(cudaErrorInvalidAddressSpace, 717, NULL) \
    X(cudaErrorInvalidPc, 718, NULL) \
    X(cudaErrorLaunchFailure, 719, NULL) \
    X(cudaErrorCooperativeLaunchTooLarge, 720, NULL) \
    X(cudaErrorTensorMemoryLeak, 721, NULL) \
    X(cudaErrorNotPermitted, 800, NULL) \
    X(cudaErrorNotSupported, 801, NULL) \
    X(cudaErrorSystemNotReady, 802, NULL) \
    X(cudaErrorSystemDriverMismatch, 803, NULL) \
    X(cudaErrorCompatNotSupportedOnDevice, 804, NULL) \
    X(cudaErrorMpsConnectionFailed, 805, NULL) \
    X(cudaErrorMpsRpcFailure, 806, NULL) \
    X(cudaErrorMpsServerNotReady, 807, NULL) \
    X(cudaErrorMpsMaxClientsReached, 808, NULL) \
    X(cudaErrorMpsMaxConnectionsReached, 809, NULL) \
    X(cudaErrorMpsClientTerminated, 810, NULL) \
    X(cudaErrorCdpNotSupported, 811, NULL) \
    X(cudaErrorCdpVersionMismatch, 812, NULL) \
    X(cudaErrorStreamCaptureUnsupported, 900, NULL) \
    X(cudaErrorStreamCaptureInvalidated, 901, NULL) \
    X(cudaErrorStreamCaptureMerge, 902, NULL) \
    X(cudaErrorStreamCaptureUnmatched, 903, NULL) \
    X(cudaErrorStreamCaptureUnjoined, 904, NULL) \
    X(cudaErrorStreamCaptureIsolation, 905, NULL) \
    X(cudaErrorStreamCaptureImplicit, 906, NULL) \
    X(cudaErrorCapturedEvent, 907, NULL) \
    X(cudaErrorStreamCaptureWrongThread, 908, NULL) \
    X(cudaErrorTimeout, 909, NULL) \
    X(cudaErrorGraphExecUpdateFailure, 910, NULL) \
    X(cudaErrorExternalDevice, 911, NULL) \
    X(cudaErrorInvalidClusterSize, 912, NULL) \
    X(cudaErrorFunctionNotLoaded, 913, NULL) \
    X(cudaErrorInvalidResourceType, 914, NULL) \
    X(cudaErrorInvalidResourceConfiguration, 915, NULL) \
    X(cudaErrorUnknown, 999, NULL) \
    X(cudaErrorApiFailureBase, 10000, "codes from here on are those of other libraries")

#endif
