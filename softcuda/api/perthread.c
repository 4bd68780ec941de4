/* perthread.c - the forms for programs compiled with a default stream for each thread (_ptsz, _ptds), and the names that cuda.h
 * renames. */
#include "softcuda/api/objects.h"

/* A NULL stream is this thread's own. */
static CUstream mine(CUstream s)
{
    return s ? s : CU_STREAM_PER_THREAD;
}

#define SAME(name, original, params, args) CUresult name params { return original args; }

SAME(cuMemcpy_ptds, sc_any, (CUdeviceptr to, CUdeviceptr from, size_t n), (to, from, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemcpyHtoD_v2_ptds, sc_htod, (CUdeviceptr to, const void *from, size_t n), (to, from, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemcpyDtoH_v2_ptds, sc_dtoh, (void *to, CUdeviceptr from, size_t n), (to, from, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemcpyDtoD_v2_ptds, sc_dtod, (CUdeviceptr to, CUdeviceptr from, size_t n), (to, from, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemsetD8_v2_ptds, sc_fill, (CUdeviceptr p, unsigned char v, size_t n), (p, v, 1, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemsetD16_v2_ptds, sc_fill, (CUdeviceptr p, unsigned short v, size_t n), (p, v, 2, n, CU_STREAM_PER_THREAD, true))
SAME(cuMemsetD32_v2_ptds, sc_fill, (CUdeviceptr p, unsigned int v, size_t n), (p, v, 4, n, CU_STREAM_PER_THREAD, true))

CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
    CUresult r = cuMemcpyPeerAsync(to, to_context, from, from_context, size, CU_STREAM_PER_THREAD);

    return r ? r : cuStreamSynchronize(CU_STREAM_PER_THREAD);
}

SAME(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext tc, CUdeviceptr from, CUcontext fc, size_t n, CUstream s),
    (to, tc, from, fc, n, mine(s)))
SAME(cuMemcpyAsync_ptsz, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, mine(s)))
SAME(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s),
    (to, from, n, mine(s)))
SAME(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, mine(s)))
SAME(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s),
    (to, from, n, mine(s)))
SAME(cuMemsetD8Async_ptsz, cuMemsetD8Async, (CUdeviceptr p, unsigned char v, size_t n, CUstream s), (p, v, n, mine(s)))
SAME(cuMemsetD16Async_ptsz, cuMemsetD16Async, (CUdeviceptr p, unsigned short v, size_t n, CUstream s), (p, v, n, mine(s)))
SAME(cuMemsetD32Async_ptsz, cuMemsetD32Async, (CUdeviceptr p, unsigned int v, size_t n, CUstream s), (p, v, n, mine(s)))
SAME(cuMemAllocAsync_ptsz, cuMemAllocAsync, (CUdeviceptr *p, size_t n, CUstream s), (p, n, mine(s)))
SAME(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync, (CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s),
    (p, n, pool, mine(s)))
SAME(cuMemFreeAsync_ptsz, cuMemFreeAsync, (CUdeviceptr p, CUstream s), (p, mine(s)))

SAME(cuStreamSynchronize_ptsz, cuStreamSynchronize, (CUstream s), (mine(s)))
SAME(cuStreamQuery_ptsz, cuStreamQuery, (CUstream s), (mine(s)))
SAME(cuStreamWaitEvent_ptsz, cuStreamWaitEvent, (CUstream s, CUevent e, unsigned int flags), (mine(s), e, flags))
SAME(cuStreamAddCallback_ptsz, cuStreamAddCallback, (CUstream s, CUstreamCallback f, void *d, unsigned int flags),
    (mine(s), f, d, flags))
SAME(cuStreamGetCtx_ptsz, cuStreamGetCtx, (CUstream s, CUcontext *c), (mine(s), c))
SAME(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2, (CUstream s, CUcontext *c, CUgreenCtx *green), (mine(s), c, green))
SAME(cuStreamGetFlags_ptsz, cuStreamGetFlags, (CUstream s, unsigned int *flags), (mine(s), flags))
SAME(cuStreamGetPriority_ptsz, cuStreamGetPriority, (CUstream s, int *priority), (mine(s), priority))
SAME(cuStreamGetId_ptsz, cuStreamGetId, (CUstream s, unsigned long long *id), (mine(s), id))
SAME(cuStreamGetDevice_ptsz, cuStreamGetDevice, (CUstream s, CUdevice *d), (mine(s), d))
SAME(cuStreamIsCapturing_ptsz, cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *status), (mine(s), status))
SAME(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode), (mine(s), mode))
SAME(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph,
     (CUstream s, CUgraph g, const CUgraphNode *after, const CUgraphEdgeData *d, size_t n, CUstreamCaptureMode mode),
     (mine(s), g, after, d, n, mode))
SAME(cuStreamEndCapture_ptsz, cuStreamEndCapture, (CUstream s, CUgraph *g), (mine(s), g))
SAME(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g, const CUgraphNode **nodes, size_t *n),
     (mine(s), status, id, g, nodes, n))
SAME(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g, const CUgraphNode **nodes, const CUgraphEdgeData **d,
      size_t *n), (mine(s), status, id, g, nodes, d, n))
SAME(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *nodes, const CUgraphEdgeData *d, size_t n, unsigned int flags), (mine(s), nodes, d, n, flags))
SAME(cuGraphUpload_ptsz, cuGraphUpload, (CUgraphExec e, CUstream s), (e, mine(s)))
SAME(cuGraphLaunch_ptsz, cuGraphLaunch, (CUgraphExec e, CUstream s), (e, mine(s)))
SAME(cuLaunchHostFunc_ptsz, cuLaunchHostFunc, (CUstream s, CUhostFn f, void *d), (mine(s), f, d))
SAME(cuEventRecord_ptsz, cuEventRecord, (CUevent e, CUstream s), (e, mine(s)))
SAME(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned int flags), (e, mine(s), flags))

SAME(cuLaunchKernel_ptsz, cuLaunchKernel,
     (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
      unsigned int shared, CUstream s, void **params, void **extra), (f, gx, gy, gz, bx, by, bz, shared, mine(s), params, extra))
SAME(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel,
     (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
      unsigned int shared, CUstream s, void **params), (f, gx, gy, gz, bx, by, bz, shared, mine(s), params))

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    CUlaunchConfig c;

    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    c = *config;
    c.stream = mine(c.stream);
    return cuLaunchKernelEx(&c, f, params, extra);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *e, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    if (p && p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
        p->upload = mine(p->upload);
    return cuGraphInstantiateWithParams(e, g, p);
}

/* Older forms: without the data of edges, always in global mode. */
SAME(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream s), (s, CU_STREAM_CAPTURE_MODE_GLOBAL))
SAME(cuStreamBeginCapture_ptsz, cuStreamBeginCapture_v2, (CUstream s), (mine(s), CU_STREAM_CAPTURE_MODE_GLOBAL))
SAME(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
    (s, status, id, NULL, NULL, NULL, NULL))
SAME(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo_v3, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
    (mine(s), status, id, NULL, NULL, NULL, NULL))
SAME(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g, const CUgraphNode **nodes, size_t *n),
     (s, status, id, g, nodes, NULL, n))
SAME(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *nodes, size_t n, unsigned int flags), (s, nodes, NULL, n, flags))
SAME(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *nodes, size_t n, unsigned int flags), (mine(s), nodes, NULL, n, flags))
SAME(cuGraphInstantiate, cuGraphInstantiate_v2, (CUgraphExec *e, CUgraph g, CUgraphNode *failed, char *log, size_t n),
    (e, g, failed, log, n))
SAME(cuGraphGetEdges, cuGraphGetEdges_v2, (CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n), (g, from, to, NULL, n))
SAME(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, (CUgraphNode node, CUgraphNode *nodes, size_t *n),
    (node, nodes, NULL, n))
SAME(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, (CUgraphNode node, CUgraphNode *nodes, size_t *n),
    (node, nodes, NULL, n))
SAME(cuGraphAddDependencies, cuGraphAddDependencies_v2, (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n),
    (g, from, to, NULL, n))
SAME(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2,
     (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n), (g, from, to, NULL, n))

CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphNode *failed, CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info;
    CUresult r = cuGraphExecUpdate_v2(e, g, &info);

    if (failed)
        *failed = info.node;
    if (result)
        *result = info.result;
    return r;
}

SAME(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *n, CUdevice d), (n, d))
SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid *u, CUdevice d), (u, d))
SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice d), (d))
SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice d), (d))
SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, (CUdevice d, unsigned int flags), (d, flags))
SAME(cuCtxCreate, cuCtxCreate_v2, (CUcontext *c, unsigned int flags, CUdevice d), (c, flags, d))
SAME(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext c), (c))
SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext c), (c))
SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *c), (c))
SAME(cuMemGetInfo, cuMemGetInfo_v2, (size_t *left, size_t *total), (left, total))
SAME(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr *p, size_t n), (p, n))
SAME(cuMemAllocPitch, cuMemAllocPitch_v2, (CUdeviceptr * p, size_t *pitch, size_t w, size_t h, unsigned int e),
    (p, pitch, w, h, e))
SAME(cuMemFree, cuMemFree_v2, (CUdeviceptr p), (p))
SAME(cuMemGetAddressRange, cuMemGetAddressRange_v2, (CUdeviceptr *base, size_t *n, CUdeviceptr p), (base, n, p))
SAME(cuMemAllocHost, cuMemAllocHost_v2, (void **p, size_t n), (p, n))
SAME(cuMemHostRegister, cuMemHostRegister_v2, (void *p, size_t n, unsigned int flags), (p, n, flags))
SAME(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (CUdeviceptr *d, void *p, unsigned int flags), (d, p, flags))
SAME(cuMemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t n), (to, from, n))
SAME(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n), (to, from, n))
SAME(cuMemcpyDtoD, cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t n), (to, from, n))
SAME(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s), (to, from, n, s))
SAME(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s))
SAME(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s))
SAME(cuMemsetD8, cuMemsetD8_v2, (CUdeviceptr p, unsigned char v, size_t n), (p, v, n))
SAME(cuMemsetD16, cuMemsetD16_v2, (CUdeviceptr p, unsigned short v, size_t n), (p, v, n))
SAME(cuMemsetD32, cuMemsetD32_v2, (CUdeviceptr p, unsigned int v, size_t n), (p, v, n))
SAME(cuMemsetD2D8, cuMemsetD2D8_v2, (CUdeviceptr p, size_t pitch, unsigned char v, size_t w, size_t h), (p, pitch, v, w, h))
SAME(cuMemsetD2D16, cuMemsetD2D16_v2, (CUdeviceptr p, size_t pitch, unsigned short v, size_t w, size_t h), (p, pitch, v, w, h))
SAME(cuMemsetD2D32, cuMemsetD2D32_v2, (CUdeviceptr p, size_t pitch, unsigned int v, size_t w, size_t h), (p, pitch, v, w, h))
SAME(cuLinkCreate, cuLinkCreate_v2, (unsigned int n, CUjit_option *o, void **v, CUlinkState *s), (n, o, v, s))
SAME(cuLinkAddData, cuLinkAddData_v2,
     (CUlinkState s, CUjitInputType t, void *d, size_t size, const char *name, unsigned int n, CUjit_option *o, void **v),
     (s, t, d, size, name, n, o, v))
SAME(cuLinkAddFile, cuLinkAddFile_v2, (CUlinkState s, CUjitInputType t, const char *path, unsigned int n, CUjit_option *o, void **v),
     (s, t, path, n, o, v))
SAME(cuStreamDestroy, cuStreamDestroy_v2, (CUstream s), (s))
SAME(cuEventDestroy, cuEventDestroy_v2, (CUevent e), (e))
SAME(cuEventElapsedTime, cuEventElapsedTime_v2, (float *ms, CUevent a, CUevent b), (ms, a, b))
SAME(cuModuleGetGlobal, cuModuleGetGlobal_v2, (CUdeviceptr *p, size_t *n, CUmodule m, const char *name), (p, n, m, name))
SAME(cuGetProcAddress, cuGetProcAddress_v2, (const char *name, void **f, int version, cuuint64_t flags),
    (name, f, version, flags, NULL))
