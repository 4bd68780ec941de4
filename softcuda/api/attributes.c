/* attributes.c - what a device says of itself: the limits of a GPU of its compute capability, the counts of this machine.
 * Numbers are those of CUdevice_attribute; what is not here is 0: not supported. */
#include <unistd.h>

#include "softcuda/api/objects.h"

static const struct { int attribute, value; } fixed[] = {
    { 1, 1024 }, { 2, 1024 }, { 3, 1024 }, { 4, 64 },                   /* threads a block */
    { 5, 0x7fffffff }, { 6, 65535 }, { 7, 65535 },                      /* grid */
    { 8, 48 << 10 }, { 9, 64 << 10 }, { 10, 32 }, { 11, 0x7fffffff },   /* shared, constant, warp, pitch */
    { 12, 65536 }, { 82, 65536 },                                       /* registers */
    { 13, 2000000 }, { 36, 1600000 }, { 37, 128 },                      /* kHz, kHz, bits */
    { 14, 512 }, { 30, 512 }, { 51, 32 },                               /* alignments of textures */
    { 15, 1 }, { 40, 2 }, { 31, 1 },                                    /* copies and kernels beside kernels */
    { 18, 1 }, { 19, 1 }, { 41, 1 }, { 91, 1 }, { 99, 1 },              /* host memory is device memory */
    { 78, 1 }, { 79, 1 }, { 80, 1 },
    { 83, 1 }, { 89, 1 }, { 86, 1 }, { 101, 1 },                        /* managed memory */
    { 87, 2 }, { 90, 1 }, { 95, 1 }, { 113, 1 }, { 115, 1 }, { 126, 1 },
    { 21, 131072 }, { 22, 131072 }, { 23, 65536 }, { 24, 16384 }, { 25, 16384 }, { 26, 16384 },     /* textures */
    { 27, 32768 }, { 28, 32768 }, { 29, 2048 }, { 42, 32768 }, { 43, 2048 }, { 44, 1 }, { 45, 32768 }, { 46, 32768 },
    { 47, 8192 }, { 48, 8192 }, { 49, 32768 }, { 52, 32768 }, { 53, 32768 }, { 54, 2046 },
    { 69, 268435456 }, { 70, 131072 }, { 71, 65000 }, { 72, 2097120 },
    { 55, 32768 }, { 56, 131072 }, { 57, 65536 }, { 58, 16384 }, { 59, 16384 }, { 60, 16384 },      /* surfaces */
    { 61, 32768 }, { 62, 2048 }, { 63, 32768 }, { 64, 32768 }, { 65, 2048 }, { 66, 32768 }, { 67, 32768 }, { 68, 2046 },
};

static int l2_bytes(void)
{
    long n = sysconf(_SC_LEVEL3_CACHE_SIZE);

    if (n <= 0)
        n = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return n <= 0 ? 4 << 20 : n > 0x40000000 ? 0x40000000 : (int)n;
}

int sc_shared_optin(const struct device *d)
{
    return (d->major >= 9 ? 227 : 99) << 10;
}

int sc_device_attribute(const struct device *d, int attribute)
{
    switch (attribute) {
    case 16: return (int)sc_pool_threads();
    case 17: return sc_timeout_seconds() > 0;
    case 34: return d->ordinal;
    case 38: return l2_bytes();
    case 39: return d->major >= 8 ? 2048 : 1024;
    case 75: return (int)d->major;
    case 76: return (int)d->minor;
    case 81: return sc_shared_optin(d) + 1024;
    case 97: return sc_shared_optin(d);
    case 106: return d->major >= 8 ? 32 : 16;
    case 111: return d->major >= 8 ? 1024 : 0;
    case 131: return -1;
    case 134: return -1;
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (fixed[i].attribute == attribute)
            return fixed[i].value;
    return 0;
}
