/* A thread's last error, its text and device; from codes of gpudl and the driver to the runtime's. */
#include "src/compat/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    cudaError_t last;
    int device;
    char text[2048];
} thread;

/* -------------------------------------------------------------------------------------------------------------- what failed */

cudaError_t gpudl__rt_fail(cudaError_t error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(thread.text, sizeof(thread.text), format, args);
    va_end(args);
    thread.last = error;
    return error;
}

cudaError_t gpudl__rt_null(const char *call, const char *argument)
{
    return gpudl__rt_fail(cudaErrorInvalidValue, "%s: %s is NULL", call, argument);
}

cudaError_t gpudl__rt_missing(const char *function)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    int version = cu ? cu->version : 0;

    return gpudl__rt_fail(cudaErrorNotSupported,
        "the driver has no %s: it is %s, of CUDA %d.%d. Update the driver, or do without this call", function,
        gpudl_loader_driver_text(NULL), version / 1000, version % 1000 / 10);
}

/* Statuses that have no code of the driver's behind them. */
static cudaError_t error_of(gpudl_status status)
{
    switch (status) {
    case GPUDL_OK:
        return cudaSuccess;
    case GPUDL_ERROR_NO_MEMORY:
        return cudaErrorMemoryAllocation;
    case GPUDL_ERROR_UNSUPPORTED:
        return cudaErrorNotSupported;
    case GPUDL_ERROR_TIMEOUT:
        return cudaErrorTimeout;
    case GPUDL_ERROR_RELEASED:
        return cudaErrorInvalidResourceHandle;
    case GPUDL_ERROR_FILE_MISSING:
    case GPUDL_ERROR_FILE_UNREADABLE:
    case GPUDL_ERROR_FILE_IS_FOLDER:
        return cudaErrorFileNotFound;
    case GPUDL_ERROR_IMAGE_EMPTY:
    case GPUDL_ERROR_IMAGE_TRUNCATED:
    case GPUDL_ERROR_IMAGE_DAMAGED:
    case GPUDL_ERROR_NOT_AN_IMAGE:
    case GPUDL_ERROR_NO_KERNELS:
    case GPUDL_ERROR_NOT_LINKED:
    case GPUDL_ERROR_LINK:
        return cudaErrorInvalidKernelImage;
    case GPUDL_ERROR_ARCHITECTURE:
    case GPUDL_ERROR_MACHINE_CODE_ONLY:
        return cudaErrorNoKernelImageForDevice;
    case GPUDL_ERROR_PTX_TOO_NEW:
        return cudaErrorUnsupportedPtxVersion;
    case GPUDL_ERROR_PTX:
        return cudaErrorInvalidPtx;
    case GPUDL_ERROR_NO_SUCH_KERNEL:
    case GPUDL_ERROR_AMBIGUOUS_NAME:
    case GPUDL_ERROR_NO_SUCH_GLOBAL:
        return cudaErrorSymbolNotFound;
    case GPUDL_ERROR_LAUNCH_LIMIT:
        return cudaErrorInvalidConfiguration;
    case GPUDL_ERROR_LAUNCH:
        return cudaErrorLaunchFailure;
    case GPUDL_ERROR_NO_DRIVER:
    case GPUDL_ERROR_DRIVER_TOO_OLD:
        return cudaErrorInsufficientDriver;
    case GPUDL_ERROR_NO_DEVICE:
        return cudaErrorNoDevice;
    case GPUDL_ERROR_FORKED:
        return cudaErrorInitializationError;
    case GPUDL_ERROR_NO_COMPILER:
    case GPUDL_ERROR_NO_LINKER:
        return cudaErrorJitCompilerNotFound;
    case GPUDL_ERROR_COMPILE:
    case GPUDL_ERROR_COMPILE_HEADER:
        return cudaErrorInvalidSource;
    case GPUDL_ERROR_NOT_TRUSTED:
    case GPUDL_ERROR_SIGNATURE_MISSING:
    case GPUDL_ERROR_SIGNATURE:
    case GPUDL_ERROR_REVOKED:
    case GPUDL_ERROR_DIGEST:
    case GPUDL_ERROR_TRUST_WEAKER:
        return cudaErrorNotPermitted;
    case GPUDL_ERROR_DRIVER:
        return cudaErrorUnknown;
    default:
        return cudaErrorInvalidValue;
    }
}

/* What gpudl makes of an image says more than the driver's code for it; of the rest the driver's code is what the runtime gives. */
cudaError_t gpudl__rt_status(gpudl_status status)
{
    cudaError_t error = error_of(status);

    if (status == GPUDL_OK)
        return cudaSuccess;
    if ((status == GPUDL_ERROR_LAUNCH || status == GPUDL_ERROR_DRIVER) && gpudl_error_cuda())
        error = (cudaError_t)gpudl_error_cuda();
    return gpudl__rt_fail(error, "%s", gpudl_error_text());
}

/* Numbers have been the same since CUDA 10.1. */
cudaError_t gpudl__rt_cuda(const char *function, int code)
{
    const gpudl_explanation *e;

    if (!code)
        return cudaSuccess;
    e = gpudl_explain(GPUDL_CODE_CUDA, code);
    return gpudl__rt_fail((cudaError_t)code, "%s: %s (%d): %s%s%s", function, e ? e->name : "a code that gpudl does not know",
        code, e ? e->text : "", e && e->remedy ? ". " : "", e && e->remedy ? e->remedy : "");
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t last = thread.last;

    thread.last = cudaSuccess;
    return last;
}

cudaError_t cudaPeekAtLastError(void)
{
    return thread.last;
}

const char *gpudl_cudart_error_text(void)
{
    return thread.text;
}

/* ------------------------------------------------------------------------------------------------------ the way to the driver */

cudaError_t gpudl__rt_driver(const gpudl_driver_table **out)
{
    cudaError_t err;

    *out = gpudl_loader_driver(NULL);
    if (*out)
        return cudaSuccess;
    /* A call that returns a status says why: no device, too old, forked. It may find a driver that was not there a moment ago. */
    err = gpudl__rt_status(gpudl_loader_use_device(NULL, thread.device));
    if (!err)
        *out = gpudl_loader_driver(NULL);
    return err || *out ? err : gpudl__rt_fail(cudaErrorInitializationError, "the driver came and went");
}

cudaError_t gpudl__rt_enter(const gpudl_driver_table **out)
{
    cudaError_t err = gpudl__rt_driver(out);
    CUcontext now = NULL;

    if (err)
        return err;
    if ((*out)->CtxGetCurrent(&now) == 0 && now)
        return cudaSuccess;
    return gpudl__rt_status(gpudl_loader_use_device(NULL, thread.device));
}

cudaError_t gpudl__rt_device(int *out)
{
    const gpudl_driver_table *cu;
    cudaError_t err = gpudl__rt_driver(&cu);
    CUcontext now = NULL;
    CUdevice device, other;
    int n = 0;

    if (err)
        return err;
    *out = thread.device;
    if (cu->CtxGetCurrent(&now) || !now || cu->CtxGetDevice(&device) || cu->DeviceGetCount(&n))
        return cudaSuccess;
    for (int i = 0; i < n; i++) /* a CUdevice is the driver's own number */
        if (cu->DeviceGet(&other, i) == 0 && other == device)
            *out = i;
    return cudaSuccess;
}

void *gpudl__rt_more(const gpudl_driver_table *cu, const char *function, int since)
{
    void *found = NULL;
    int why;

    if (!cu->GetProcAddress || cu->GetProcAddress(function, &found, since, 0, &why))
        return NULL;
    return found;
}

/* --------------------------------------------------------------------------------------------------------- the thread's device */

cudaError_t cudaSetDevice(int device)
{
    const gpudl_driver_table *cu;
    cudaError_t err = gpudl__rt_driver(&cu);
    int n = 0;

    if (!err)
        err = RT_CALL(cu, DeviceGetCount, &n);
    if (err)
        return err;
    if (device < 0 || device >= n)
        return gpudl__rt_fail(
            cudaErrorInvalidDevice, "cudaSetDevice(%d): there are %d devices, and they count from 0", device, n);
    err = gpudl__rt_status(gpudl_loader_use_device(NULL, device));
    if (!err)
        thread.device = device;
    return err;
}

cudaError_t cudaGetDevice(int *device)
{
    return device ? gpudl__rt_device(device) : gpudl__rt_null("cudaGetDevice", "device");
}

/* The context's handle is of no use afterwards: the next call of a thread asks for the device's context anew. */
cudaError_t cudaDeviceReset(void)
{
    const gpudl_driver_table *cu;
    CUdevice handle;
    int device;
    cudaError_t err = gpudl__rt_enter(&cu);

    if (!err)
        err = gpudl__rt_device(&device);
    if (!err)
        err = RT_CALL(cu, DeviceGet, &handle, device);
    if (!err)
        err = RT_CALL(cu, DevicePrimaryCtxReset, handle);
    if (!err)
        err = RT_CALL(cu, CtxSetCurrent, NULL);
    return err;
}
