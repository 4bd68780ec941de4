/* device.c - initialisation, and the devices: each a share of nothing but its own memory; all run on the same CPU threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softcuda/api/trace.h"

#define MEMORY_MAX     ((uint64_t)64 << 30)
#define WITH_CLUSTERS 11080 /* the driver whose attributes go on beyond 119 */

pthread_mutex_t sc_objects = PTHREAD_MUTEX_INITIALIZER;

static struct {
    pthread_once_t once;
    atomic_bool ready;
    CUresult result;
    int count;
    bool differ;
    struct device devices[SC_MAX_DEVICES];
} driver = { .once = PTHREAD_ONCE_INIT };

/* "8G", "512M", "1000000"; 0 when it is none. */
static uint64_t parse_bytes(const char *text)
{
    char *end;
    uint64_t n = strtoull(text, &end, 10);

    switch (*end) {
    case 'T': case 't': n <<= 10; /* fall through */
    case 'G': case 'g': n <<= 10; /* fall through */
    case 'M': case 'm': n <<= 10; /* fall through */
    case 'K': case 'k': n <<= 10;
    }
    return n;
}

static uint64_t memory_bytes(void)
{
    const char *wish = secure_getenv("SOFTCUDA_MEMORY");
    uint64_t n = wish ? parse_bytes(wish) : 0;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (n)
        return n;
    n = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : MEMORY_MAX;
    return n < MEMORY_MAX ? n : MEMORY_MAX;
}

/* "9.0" or "90", and with commas one for each device, the last for the others. */
static void capability(int ordinal, unsigned *major, unsigned *minor)
{
    const char *wish = secure_getenv("SOFTCUDA_COMPUTE_CAPABILITY"), *next;
    unsigned a = 0, b = 0;

    *major = 7;
    *minor = 5;
    if (!wish)
        return;
    for (; ordinal && (next = strchr(wish, ',')); ordinal--)
        wish = next + 1;
    if (sscanf(wish, "%u.%u", &a, &b) == 2 && a >= 3 && a < 100 && b < 10) {
        *major = a;
        *minor = b;
    } else if (sscanf(wish, "%u", &a) == 1 && a >= 30 && a < 1000) {
        *major = a / 10;
        *minor = a % 10;
    }
}

/* Threads do not survive a fork: in the child the driver is as if it had never been initialised, and cannot be. */
static void forget(void)
{
    driver.result = CUDA_ERROR_NOT_INITIALIZED;
    atomic_store(&driver.ready, false);
}

unsigned sc_device_sm(int i)
{
    return driver.devices[i].major * 10 + driver.devices[i].minor;
}

static void initialise(void)
{
    const char *wish = secure_getenv("SOFTCUDA_DEVICES");
    long n = wish ? strtol(wish, NULL, 10) : 1;
    uint64_t bytes = memory_bytes();

    n = n < 0 ? 0 : n > SC_MAX_DEVICES ? SC_MAX_DEVICES : n;
    driver.result = n ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
    for (int i = 0; i < n; i++) {
        struct device *d = &driver.devices[i];

        d->ordinal = i;
        capability(i, &d->major, &d->minor);
        if (!(d->memory = sc_devmem_create(bytes))) {
            driver.result = CUDA_ERROR_OUT_OF_MEMORY;
            return;
        }
        driver.count = i + 1;
        driver.differ |= sc_device_sm(i) != sc_device_sm(0);
    }
    pthread_atfork(NULL, NULL, forget);
    sc_trace_open();
    atomic_store(&driver.ready, driver.result == CUDA_SUCCESS);
}

CUresult cuInit(unsigned int flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&driver.once, initialise);
    return driver.result;
}

CUresult sc_ready(void)
{
    if (sc_in_callback && sc_hazards())
        return CUDA_ERROR_NOT_PERMITTED;
    return atomic_load_explicit(&driver.ready, memory_order_acquire) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

int sc_device_count(void)
{
    return driver.count;
}

bool sc_devices_differ(void)
{
    return driver.differ;
}

struct device *sc_device_at(int i)
{
    return &driver.devices[i];
}

CUresult sc_device(CUdevice ordinal, struct device **out)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (ordinal < 0 || ordinal >= driver.count)
        return CUDA_ERROR_INVALID_DEVICE;
    *out = &driver.devices[ordinal];
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = driver.count;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    struct device *d;
    CUresult r = sc_device(ordinal, &d);

    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *device = ordinal;
    return r;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!name || size <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)size, "softcuda, %u CPU thread%s", sc_pool_threads(), sc_pool_threads() == 1 ? "" : "s");
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!major || !minor)
        return CUDA_ERROR_INVALID_VALUE;
    *major = (int)d->major;
    *minor = (int)d->minor;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);
    uint64_t left, total;

    if (r)
        return r;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    sc_devmem_sizes(d->memory, &left, &total);
    *bytes = total;
    return CUDA_SUCCESS;
}

/* The same in every process, as the device is. */
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(uuid->bytes, "softcuda-device", 15);
    uuid->bytes[15] = (char)d->ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!text || size <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)size, "0000:00:%02x.0", (unsigned)d->ordinal);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    unsigned domain, bus, slot;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!device || !text)
        return CUDA_ERROR_INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &slot) != 2)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (domain || bus || slot >= (unsigned)driver.count)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = (CUdevice)slot;
    return CUDA_SUCCESS;
}

/* All devices' memory is this process's: each can reach the others', once a context asks for it. */
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    struct device *a, *b;
    CUresult r = sc_device(device, &a);

    if (r || (r = sc_device(peer, &b)))
        return r;
    if (!can)
        return CUDA_ERROR_INVALID_VALUE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer)
{
    CUresult r = cuDeviceCanAccessPeer(value, device, peer);

    if (r)
        return r;
    if (device == peer)
        return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
          || attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct device *d;
    CUresult r = sc_device(device, &d);

    if (r)
        return r;
    if (!value || (int)attribute < 1 || (int)attribute > (sc_driver_version() < WITH_CLUSTERS ? 119 : 147))
        return CUDA_ERROR_INVALID_VALUE;
    *value = sc_device_attribute(d, (int)attribute);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void)
{
    CUcontext c;

    return sc_enter(&c);
}

CUresult cuProfilerStop(void)
{
    CUcontext c;

    return sc_enter(&c);
}

#ifndef GPUDL_VERSION_TEXT
#define GPUDL_VERSION_TEXT "0.1.0"
#endif
const char *softcuda_version(void)
{
    return GPUDL_VERSION_TEXT;
}
