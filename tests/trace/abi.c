/* What gpudl declares of CUPTI, and of NVTX, is what NVIDIA's headers say, where they are. Nothing is run: it compiles. */
#include <cupti.h>
#include <stdio.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include "src/trace/cupti_abi.h"
#include "src/trace/nvtx_abi.h"

#define SAME(ours, member, theirs, its) \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, its) && \
            sizeof(((struct ours *)0)->member) == sizeof(((theirs *)0)->its), \
        #ours "." #member)
/* Three of theirs are one of ours. */
#define SAME_3(ours, member, theirs, its) \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, its##X) && \
            offsetof(struct ours, member) + 2 * sizeof(((theirs *)0)->its##Z) == offsetof(theirs, its##Z), \
        #ours "." #member)

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel;
typedef CUpti_ActivityMemcpy6 copy;
#else
typedef CUpti_ActivityKernel9 kernel;
typedef CUpti_ActivityMemcpy5 copy;
#endif
typedef CUpti_ActivityMemset4 fill;

SAME(cupti_kernel, kind, kernel, kind);
SAME(cupti_kernel, registers, kernel, registersPerThread);
SAME(cupti_kernel, start, kernel, start);
SAME(cupti_kernel, end, kernel, end);
SAME(cupti_kernel, device, kernel, deviceId);
SAME(cupti_kernel, stream, kernel, streamId);
SAME_3(cupti_kernel, grid, kernel, grid);
SAME_3(cupti_kernel, block, kernel, block);
SAME(cupti_kernel, static_shared, kernel, staticSharedMemory);
SAME(cupti_kernel, dynamic_shared, kernel, dynamicSharedMemory);
SAME(cupti_kernel, local_a_thread, kernel, localMemoryPerThread);
SAME(cupti_kernel, correlation, kernel, correlationId);
SAME(cupti_kernel, name, kernel, name);

SAME(cupti_memcpy, kind, copy, kind);
SAME(cupti_memcpy, copy_kind, copy, copyKind);
SAME(cupti_memcpy, bytes, copy, bytes);
SAME(cupti_memcpy, start, copy, start);
SAME(cupti_memcpy, end, copy, end);
SAME(cupti_memcpy, device, copy, deviceId);
SAME(cupti_memcpy, stream, copy, streamId);

SAME(cupti_memset, kind, fill, kind);
SAME(cupti_memset, bytes, fill, bytes);
SAME(cupti_memset, start, fill, start);
SAME(cupti_memset, end, fill, end);
SAME(cupti_memset, device, fill, deviceId);
SAME(cupti_memset, stream, fill, streamId);

SAME(cupti_call, site, CUpti_CallbackData, callbackSite);
SAME(cupti_call, correlation, CUpti_CallbackData, correlationId);

#define NUMBER(ours, theirs) _Static_assert((int)ours == (int)theirs, #theirs)
NUMBER(CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
NUMBER(CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
NUMBER(CUPTI_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
NUMBER(CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
NUMBER(CUPTI_SITE_ENTER, CUPTI_API_ENTER);
NUMBER(CUPTI_LAUNCH_KERNEL, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
NUMBER(CUPTI_LAUNCH_KERNEL_EX, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
NUMBER(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
NUMBER(1, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
NUMBER(2, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
NUMBER(8, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
NUMBER(10, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);

#ifdef NVTX_VERSION
SAME(nvtx_callbacks, size, NvtxExportTableCallbacks, struct_size);
SAME(nvtx_callbacks, get_table, NvtxExportTableCallbacks, GetModuleFunctionTable);
SAME(nvtx_version, version, NvtxExportTableVersionInfo, version);
SAME(nvtx_version, set_profilers, NvtxExportTableVersionInfo, SetInjectionNvtxVersion);
SAME(nvtx_attributes, size, nvtxEventAttributes_t, size);
SAME(nvtx_attributes, payload, nvtxEventAttributes_t, payload);
SAME(nvtx_attributes, message_type, nvtxEventAttributes_t, messageType);
SAME(nvtx_attributes, message, nvtxEventAttributes_t, message);
_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t), "nvtxEventAttributes_t");
NUMBER(NVTX_ABI_VERSION, NVTX_VERSION);
NUMBER(NVTX_TABLE_CALLBACKS, NVTX_ETID_CALLBACKS);
NUMBER(NVTX_TABLE_VERSION, NVTX_ETID_VERSIONINFO);
NUMBER(NVTX_CORE2, NVTX_CB_MODULE_CORE2);
NUMBER(NVTX_MODULES, NVTX_CB_MODULE_SIZE);
NUMBER(NVTX_FUNCTIONS, NVTX_CBID_CORE2_SIZE);
NUMBER(NVTX_PUSH, NVTX_CBID_CORE2_DomainRangePushEx);
NUMBER(NVTX_POP, NVTX_CBID_CORE2_DomainRangePop);
NUMBER(NVTX_CREATE_DOMAIN, NVTX_CBID_CORE2_DomainCreateA);
NUMBER(NVTX_ASCII, NVTX_MESSAGE_TYPE_ASCII);
#endif

int main(void)
{
    printf("as in CUPTI %d\n", CUPTI_API_VERSION);
    return 0;
}
