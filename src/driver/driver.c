/* Which driver, and what it is. */
#include "src/driver/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/util/text.h"

const char *gpudl__driver_error_name(const gpudl_driver_table *t, int code)
{
    const char *name = NULL;

    return t->GetErrorName(code, &name) == 0 && name ? name : "an error of no known name";
}

static const char *advice(int code)
{
    switch (code) {
    case GPUDL_CU_STUB_LIBRARY:
        return "this is the toolkit's stub for linking, not a driver: take its folder off the library path";
    case GPUDL_CU_NO_DEVICE:
        return "the driver sees no GPU: look at nvidia-smi, CUDA_VISIBLE_DEVICES and, in a container, --gpus";
    case GPUDL_CU_SYSTEM_NOT_READY:
        return "the system is not ready: is the fabric manager (or MPS) running?";
    case GPUDL_CU_SYSTEM_DRIVER_MISMATCH:
        return "the kernel module and this library are of different versions: reboot, or reload the module";
    case GPUDL_CU_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return "a forward compatibility library that this GPU does not allow: take it off the library path";
    case GPUDL_CU_UNKNOWN:
        return "the kernel module may not be loaded, or /dev/nvidia* not accessible";
    default:
        return "is the driver's kernel module loaded?";
    }
}

static gpudl_status fail(const struct driver *d, const char *call, int code, int *cuda, char *text)
{
    snprintf(text, DRIVER_TEXT_SIZE, "%s: %s returned %d (%s): %s", d->path, call, code,
        gpudl__driver_error_name(&d->table, code), advice(code));
    *cuda = code;
    return code == GPUDL_CU_NO_DEVICE ? GPUDL_ERROR_NO_DEVICE : GPUDL_ERROR_DRIVER;
}

int gpudl__driver_sm(const gpudl_driver_table *t, int ordinal, unsigned *sm)
{
    int major, minor, err;
    CUdevice device;

    err = t->DeviceGet(&device, ordinal);
    if (!err)
        err = t->DeviceGetAttribute(&major, GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR, device);
    if (!err)
        err = t->DeviceGetAttribute(&minor, GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR, device);
    if (!err)
        *sm = (unsigned)(10 * major + minor);
    return err;
}

static gpudl_status ask_others(struct driver *d, int *cuda, char *text)
{
    unsigned sm = d->sm;
    int err = 0;

    for (int i = 1; i < d->devices && !err; i++) {
        err = gpudl__driver_sm(&d->table, i, &sm);
        d->mixed |= sm != d->sm;
    }
    return err ? fail(d, "cuDeviceGetAttribute", err, cuda, text) : GPUDL_OK;
}

static gpudl_status ask_device(struct driver *d, int *cuda, char *text)
{
    const gpudl_driver_table *t = &d->table;
    CUdevice device;
    int err;

    if ((err = t->DeviceGetCount(&d->devices)))
        return fail(d, "cuDeviceGetCount", err, cuda, text);
    if (d->devices <= 0)
        return fail(d, "cuDeviceGetCount", GPUDL_CU_NO_DEVICE, cuda, text);
    if ((err = t->DeviceGet(&device, 0)))
        return fail(d, "cuDeviceGet", err, cuda, text);
    if ((err = t->DeviceGetName(d->name, sizeof(d->name), device)))
        return fail(d, "cuDeviceGetName", err, cuda, text);
    if ((err = gpudl__driver_sm(t, 0, &d->sm)))
        return fail(d, "cuDeviceGetAttribute", err, cuda, text);
    d->software = strncmp(d->name, "softcuda", 8) == 0; /* under whatever name its library was opened */
    return ask_others(d, cuda, text);
}

/* From an opened library to a driver with a device. Once cuInit was called the library stays. */
static gpudl_status start(void *library, int limit, struct driver *d, int *cuda, char *text)
{
    struct link_map *map = NULL;
    char reason[DRIVER_TEXT_SIZE];
    gpudl_status status;
    int err;

    d->path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] ? map->l_name : "the driver library";
    status = gpudl__driver_fill(library, limit, d, cuda, reason);
    if (status != GPUDL_OK) {
        snprintf(text, DRIVER_TEXT_SIZE, "%.400s: %.1500s", d->path, reason);
        dlclose(library);
        return status;
    }
    err = d->table.Init(0);
    if (err)
        return fail(d, "cuInit", err, cuda, text);
    return ask_device(d, cuda, text);
}

static gpudl_status open_nvidia(int limit, struct driver *d, int *cuda, char *text)
{
    char where[DRIVER_TEXT_SIZE];
    void *library = gpudl__driver_find_nvidia(where);

    if (library)
        return start(library, limit, d, cuda, text);
    snprintf(text, DRIVER_TEXT_SIZE, "no NVIDIA driver: %.1900s", where);
    return GPUDL_ERROR_NO_DRIVER;
}

static gpudl_status open_softcuda(int limit, struct driver *d, int *cuda, char *text)
{
    char where[DRIVER_TEXT_SIZE];
    void *library = gpudl__driver_find_softcuda(where);

    if (library)
        return start(library, limit, d, cuda, text);
    snprintf(text, DRIVER_TEXT_SIZE, "no softcuda: %.1900s", where);
    return GPUDL_ERROR_NO_DRIVER;
}

static gpudl_status open_path(const char *path, int limit, struct driver *d, int *cuda, char *text)
{
    char where[DRIVER_TEXT_SIZE] = "";
    void *library = gpudl__driver_find_path(path, where);

    if (library)
        return start(library, limit, d, cuda, text);
    snprintf(text, DRIVER_TEXT_SIZE, "%.1900s; a driver is auto, nvidia, softcuda or the path of a library", where);
    return GPUDL_ERROR_NO_DRIVER;
}

static gpudl_status open_any(int limit, struct driver *d, int *cuda, char *text)
{
    char nvidia[DRIVER_TEXT_SIZE], soft[DRIVER_TEXT_SIZE];
    gpudl_status status = open_nvidia(limit, d, cuda, nvidia);

    if (status == GPUDL_OK)
        return GPUDL_OK;
    memset(d, 0, sizeof(*d));
    status = open_softcuda(limit, d, cuda, soft);
    if (status != GPUDL_OK) {
        snprintf(text, DRIVER_TEXT_SIZE, "%.1000s; and in its place %.1000s", nvidia, soft);
        return status;
    }
    *cuda = 0;
    d->fallback = true;
    snprintf(
        d->notice, sizeof(d->notice), "NO GPU IS USED: kernels run on the CPU, in softcuda, right but slow (%.1800s)", nvidia);
    return GPUDL_OK;
}

static bool is_auto(const char *wanted)
{
    return !wanted || !*wanted || strcmp(wanted, "auto") == 0;
}

static int api_limit(void)
{
    const char *wish = secure_getenv("GPUDL_DRIVER_API");
    int limit = wish ? atoi(wish) : 0;

    return limit > 0 ? limit : 0;
}

gpudl_status gpudl__driver_open(const char *wanted, bool heed, struct driver *out, int *cuda, char *text)
{
    int limit = heed ? api_limit() : 0;

    memset(out, 0, sizeof(*out));
    *cuda = 0;
    text[0] = '\0';
    if (is_auto(wanted) && heed)
        wanted = secure_getenv("GPUDL_DRIVER");
    if (is_auto(wanted))
        return open_any(limit, out, cuda, text);
    if (strcmp(wanted, "nvidia") == 0)
        return open_nvidia(limit, out, cuda, text);
    if (strcmp(wanted, "softcuda") == 0)
        return open_softcuda(limit, out, cuda, text);
    return open_path(wanted, limit, out, cuda, text);
}
