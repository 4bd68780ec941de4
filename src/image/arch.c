/* arch.c - which code runs on which device.
 *
 * Architectures are decimal numbers, 10 * major + minor. A suffix narrows one down: 'a' code runs on that very architecture, 'f'
 * code on its family from its own minor on. Families: 10x (100, 103, 107), 11x (110, called 101 before CUDA 13), 12x. */
#include "src/image/internal.h"

#define THOR 110u
#define THOR_BEFORE_13 101u

static unsigned family(unsigned sm)
{
    return sm == THOR_BEFORE_13 ? THOR / 10 : sm / 10;
}

/* Embedded parts: binary compatibility is promised neither between them nor between them and the rest. */
static bool is_tegra(unsigned sm)
{
    switch (sm) {
    case 53: case 62: case 72: case 87: case 88: case THOR_BEFORE_13: case THOR:
        return true;
    default:
        return false;
    }
}

enum arch_fit gpudl__arch_cubin(unsigned sm, char suffix, unsigned device)
{
    if (sm == device)
        return ARCH_FITS;
    if (sm == THOR_BEFORE_13 && device == THOR)
        return ARCH_RENAMED;
    if (suffix == 'a')
        return ARCH_SPECIFIC;
    if (suffix == 'f' && family(sm) != family(device))
        return ARCH_OTHER_FAMILY;
    if (sm / 10 != device / 10)
        return ARCH_OTHER_MAJOR;
    if (is_tegra(sm) || is_tegra(device))
        return ARCH_TEGRA;
    return sm < device ? ARCH_FITS : ARCH_NEEDS_NEWER;
}

/* PTX without a suffix goes by the bare number, across majors. */
enum arch_fit gpudl__arch_ptx(unsigned sm, char suffix, unsigned device)
{
    if (suffix && sm == THOR_BEFORE_13)
        sm = THOR;
    if (suffix == 'a')
        return sm == device ? ARCH_FITS : ARCH_SPECIFIC;
    if (suffix == 'f' && family(sm) != family(device))
        return ARCH_OTHER_FAMILY;
    return sm <= device ? ARCH_FITS : ARCH_NEEDS_NEWER;
}

const char *gpudl__arch_family(unsigned sm)
{
    switch (family(sm)) {
    case 10: return "10.0, 10.3 and 10.7";
    case 11: return "11.0";
    case 12: return "12.0 and 12.1";
    default: return NULL;
    }
}

/* Numbers from 1.0 on, as NVIDIA counts compute capabilities. */
bool gpudl__image_parse_arch(const char *name, unsigned *sm, char *suffix)
{
    size_t prefix = strncmp(name, "sm_", 3) == 0 ? 3 : strncmp(name, "compute_", 8) == 0 ? 8 : 0, digits = 0;
    unsigned v = 0;

    for (name += prefix; *name >= '0' && *name <= '9' && digits < 4; name++, digits++)
        v = 10 * v + (unsigned)(*name - '0');
    if (digits && !prefix && name[0] == '.' && name[1] >= '0' && name[1] <= '9') {
        v = 10 * v + (unsigned)(name[1] - '0');
        name += 2;
    }
    *suffix = *name == 'a' || *name == 'f' ? *name++ : 0;
    if (!digits || *name || v < 10)
        return false;
    *sm = v;
    return true;
}

/* PTX ISA 5.0 and later, and the first CUDA version whose driver and toolkit know it, as cuDriverGetVersion writes it. */
static const struct { unsigned ptx; int cuda; const char *name; } ptx_history[] = {
    { 50, 8000, "8.0" },   { 60, 9000, "9.0" },   { 61, 9010, "9.1" },   { 62, 9020, "9.2" },   { 63, 10000, "10.0" },
    { 64, 10010, "10.1" }, { 65, 10020, "10.2" }, { 70, 11000, "11.0" }, { 71, 11010, "11.1" }, { 72, 11020, "11.2" },
    { 73, 11030, "11.3" }, { 74, 11040, "11.4" }, { 75, 11050, "11.5" }, { 76, 11060, "11.6" }, { 77, 11070, "11.7" },
    { 78, 11080, "11.8" }, { 80, 12000, "12.0" }, { 81, 12010, "12.1" }, { 82, 12020, "12.2" }, { 83, 12030, "12.3" },
    { 84, 12040, "12.4" }, { 85, 12050, "12.5" }, { 86, 12070, "12.7" }, { 87, 12080, "12.8" }, { 88, 12090, "12.9" },
    { 90, 13000, "13.0" }, { 91, 13010, "13.1" }, { 92, 13020, "13.2" }, { 93, 13030, "13.3" }, { 94, 13040, "13.4" },
};
#define PTX_HISTORY (sizeof(ptx_history) / sizeof(ptx_history[0]))

unsigned gpudl__image_ptx_version(int cuda_version)
{
    unsigned newest = ptx_history[0].ptx;

    if (cuda_version > ptx_history[PTX_HISTORY - 1].cuda)
        return 0;
    for (size_t i = 0; i < PTX_HISTORY && ptx_history[i].cuda <= cuda_version; i++)
        newest = ptx_history[i].ptx;
    return newest;
}

const char *gpudl__ptx_cuda(unsigned ptx_version)
{
    for (size_t i = 0; i < PTX_HISTORY; i++)
        if (ptx_history[i].ptx == ptx_version)
            return ptx_history[i].name;
    return NULL;
}
