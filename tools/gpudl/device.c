/* device.c - gpudl device: which driver answers, and its devices. */
#include "tools/gpudl/command.h"

#include <stdio.h>

static int print_device(const gpudl_driver_table *driver, int index)
{
    char name[256] = "";
    size_t bytes = 0;
    int major = 0, minor = 0;
    CUdevice device;
    int code = driver->DeviceGet(&device, index);

    if (!code)
        code = driver->DeviceGetName(name, sizeof(name), device);
    if (!code)
        code = driver->DeviceGetAttribute(&major, GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR, device);
    if (!code)
        code = driver->DeviceGetAttribute(&minor, GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR, device);
    if (!code && driver->DeviceTotalMem)
        code = driver->DeviceTotalMem(&bytes, device);
    if (code)
        return command_driver_failed(&command_device, driver, "the device cannot be asked", code);
    printf("device %d: %s, compute capability %d.%d, %.1f GiB\n", index, name, major, minor, (double)bytes / (1 << 30));
    return STATUS_OK;
}

static int print_devices(gpudl_loader *loader)
{
    const gpudl_driver_table *driver = gpudl_loader_driver(loader);
    int count = 0, status = STATUS_OK;
    int code = driver->DeviceGetCount(&count);

    if (code)
        return command_driver_failed(&command_device, driver, "the devices cannot be counted", code);
    printf("driver: %s\n", gpudl_loader_driver_text(loader));
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = print_device(driver, i);
    return status;
}

static int run(int argc, char **argv)
{
    gpudl_loader *loader;
    int status;

    if (argc > 1)
        return command_misused(&command_device, "'%s' is not wanted here", argv[1]);
    if (gpudl_loader_open(NULL, &loader) != GPUDL_OK)
        return command_library_failed(&command_device);
    status = print_devices(loader);
    gpudl_loader_close(loader);
    return status;
}

const struct command command_device = {
    .name = "device",
    .arguments = "",
    .summary = "say which driver answers, and list its devices",
    .notes = "GPUDL_DRIVER in the environment chooses the driver: auto, nvidia, softcuda, or the path of a library.\n",
    .run = run,
};
