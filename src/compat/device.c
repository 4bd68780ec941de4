/* Devices and their properties. Which one is a thread's own is in state.c. */
#include "src/compat/internal.h"

#include <string.h>

/* No device is told by the driver's opening; to a program that asks how many there are it is a failure with a count of 0. */
cudaError_t cudaGetDeviceCount(int *count)
{
    const gpudl_driver_table *cu;
    cudaError_t err;

    if (!count)
        return gpudl__rt_null("cudaGetDeviceCount", "the count");
    *count = 0;
    err = gpudl__rt_driver(&cu);
    return err ? err : RT_CALL(cu, DeviceGetCount, count);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    const gpudl_driver_table *cu;
    CUdevice handle;
    int device;
    cudaError_t err = gpudl__rt_driver(&cu);

    if (!err)
        err = gpudl__rt_device(&device);
    if (!err)
        err = RT_CALL(cu, DeviceGet, &handle, device);
    return err ? err : RT_CALL(cu, DevicePrimaryCtxSetFlags, handle, flags & ~(unsigned)cudaDeviceMapHost);
}

/* Makes the context, and does not make it current for good: cudaSetDevice() does. */
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    if (flags)
        return gpudl__rt_fail(cudaErrorInvalidValue, "cudaInitDevice: flags are %u; gpudl knows none", flags);
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, CtxSynchronize);
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

static cudaError_t handle_of(int device, const gpudl_driver_table **cu, CUdevice *out)
{
    cudaError_t err = gpudl__rt_driver(cu);
    int n = 0;

    if (!err)
        err = RT_CALL(*cu, DeviceGetCount, &n);
    if (err)
        return err;
    if (device < 0 || device >= n)
        return gpudl__rt_fail(cudaErrorInvalidDevice, "there is no device %d: there are %d, and they count from 0", device, n);
    return RT_CALL(*cu, DeviceGet, out, device);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    const gpudl_driver_table *cu;
    CUdevice handle;
    cudaError_t err;

    if (!value)
        return gpudl__rt_null("cudaDeviceGetAttribute", "the value");
    err = handle_of(device, &cu, &handle);
    return err ? err : RT_CALL(cu, DeviceGetAttribute, value, (int)attribute, handle);
}

/* What a driver does not know yet is 0. */
static int attribute(const gpudl_driver_table *cu, CUdevice device, enum cudaDeviceAttr which)
{
    int value = 0;

    return cu->DeviceGetAttribute(&value, (int)which, device) ? 0 : value;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    const gpudl_driver_table *cu;
    CUdevice d;
    cudaError_t err;

    if (!out)
        return gpudl__rt_null("cudaGetDeviceProperties", "properties");
    err = handle_of(device, &cu, &d);
    if (err)
        return err;
    memset(out, 0, sizeof(*out));
    err = RT_CALL(cu, DeviceGetName, out->name, (int)sizeof(out->name), d);
    if (err)
        return err;
    if (cu->DeviceGetUuid)
        cu->DeviceGetUuid((struct CUuuid_st *)&out->uuid, d);
    if (cu->DeviceTotalMem)
        cu->DeviceTotalMem(&out->totalGlobalMem, d);
    for (int i = 0; i < 3; i++) {
        out->maxThreadsDim[i] = attribute(cu, d, (enum cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        out->maxGridSize[i] = attribute(cu, d, (enum cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
#define INT(member, name) out->member = attribute(cu, d, cudaDevAttr##name);
    GPUDL_CUDART_PROPERTIES(INT)
#undef INT
#define SIZE(member, name) out->member = (size_t)attribute(cu, d, cudaDevAttr##name);
    GPUDL_CUDART_SIZES(SIZE)
#undef SIZE
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *out, int size, int device)
{
    const gpudl_driver_table *cu;
    CUdevice handle;
    cudaError_t err = handle_of(device, &cu, &handle);

    if (err)
        return err;
    RT_MORE_OR_RETURN(cu, "cuDeviceGetPCIBusId", 4010, char *, int, CUdevice);
    return gpudl__rt_cuda("cuDeviceGetPCIBusId", call(out, size, handle));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    const gpudl_driver_table *cu;
    CUdevice a, b;
    cudaError_t err = handle_of(device, &cu, &a);

    if (!err)
        err = handle_of(peer, &cu, &b);
    return err ? err : RT_CALL(cu, DeviceCanAccessPeer, can, a, b);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, CtxGetLimit, value, (int)limit);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, CtxSetLimit, (int)limit, value);
}
