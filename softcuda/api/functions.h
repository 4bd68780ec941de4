/* functions.h - every function that libsoftcuda exports. Names without a version are, where CUDA has a _v2, the same function:
 * the 32-bit forms of CUDA 3.1 do not exist here. _ptsz and _ptds take a NULL stream for the thread's own. */
#ifndef SOFTCUDA_API_FUNCTIONS_H
#define SOFTCUDA_API_FUNCTIONS_H

#include "softcuda/api/abi.h"

#pragma GCC visibility push(default)

/* device.c, error.c, procaddress.c */
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult error, const char **text);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

/* context.c */
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int n, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

/* memory.c, pointer.c */
CUresult cuMemGetInfo_v2(size_t *left, size_t *total);
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t size);
CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned int element);
CUresult cuMemFree_v2(CUdeviceptr p);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p);
CUresult cuMemAllocHost_v2(void **p, size_t size);
CUresult cuMemHostAlloc(void **p, size_t size, unsigned int flags);
CUresult cuMemFreeHost(void *p);
CUresult cuMemHostRegister_v2(void *p, size_t size, unsigned int flags);
CUresult cuMemHostUnregister(void *p);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *p, unsigned int flags);
CUresult cuMemHostGetFlags(unsigned int *flags, void *p);
CUresult cuMemAllocManaged(CUdeviceptr *p, size_t size, unsigned int flags);
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream stream);
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *p, size_t size, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream);
CUresult cuMemFreeAsync_ptsz(CUdeviceptr p, CUstream stream);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p);
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **values, CUdeviceptr p);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p);

/* transfer.c; the per-thread forms of all files: perthread.c */
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t n);
CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t n);
CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned int value, size_t n);
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr p, unsigned int value, size_t n, CUstream stream);
CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8_v2_ptds(CUdeviceptr p, unsigned char value, size_t n);
CUresult cuMemsetD16_v2_ptds(CUdeviceptr p, unsigned short value, size_t n);
CUresult cuMemsetD32_v2_ptds(CUdeviceptr p, unsigned int value, size_t n);
CUresult cuMemsetD8Async_ptsz(CUdeviceptr p, unsigned char value, size_t n, CUstream stream);
CUresult cuMemsetD16Async_ptsz(CUdeviceptr p, unsigned short value, size_t n, CUstream stream);
CUresult cuMemsetD32Async_ptsz(CUdeviceptr p, unsigned int value, size_t n, CUstream stream);

/* stream.c */
CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);
CUresult cuStreamSynchronize_ptsz(CUstream stream);
CUresult cuStreamQuery_ptsz(CUstream stream);
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned int flags);
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags);
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context);
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned int *flags);
CUresult cuStreamGetPriority_ptsz(CUstream stream, int *priority);
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id);
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice *device);
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *data);

/* event.c */
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned int flags);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);

/* module.c */
CUresult cuModuleLoad(CUmodule *module, const char *file);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetFunctionCount(unsigned int *n, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int n, CUmodule module);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *size, CUmodule module, const char *name);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);

/* library.c */
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned int n,
                           CUlibraryOption *library_options, void **library_values, unsigned int library_n);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options, void **values, unsigned int n,
                               CUlibraryOption *library_options, void **library_values, unsigned int library_n);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetKernelCount(unsigned int *n, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int n, CUlibrary library);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *size, CUlibrary library, const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *size, CUlibrary library, const char *name);
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name);

/* function.c */
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size);
CUresult cuFuncLoad(CUfunction function);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);

/* launch.c, occupancy.c */
CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                        unsigned int bz, unsigned int shared, CUstream stream, void **params, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
    unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params);
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                             unsigned int bz, unsigned int shared, CUstream stream, void **params, void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
    unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction f, int threads, size_t shared, unsigned int flags);
CUresult cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned int flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction f, int blocks, int threads);

CUresult cuGetProcAddress_v2(
    const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status);

const char *softcuda_version(void);

/* What cuda.h renames: the old names, for those who look them up by hand. */
#ifndef __cuda_cuda_h__
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuMemGetInfo(size_t *left, size_t *total);
CUresult cuMemAlloc(CUdeviceptr *p, size_t size);
CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned int element);
CUresult cuMemFree(CUdeviceptr p);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p);
CUresult cuMemAllocHost(void **p, size_t size);
CUresult cuMemHostRegister(void *p, size_t size, unsigned int flags);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *p, unsigned int flags);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t n);
CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, size_t n);
CUresult cuMemsetD32(CUdeviceptr p, unsigned int value, size_t n);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *size, CUmodule module, const char *name);
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags);
#endif

#pragma GCC visibility pop

#endif
