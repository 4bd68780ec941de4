/* procaddress.c - cuGetProcAddress: base names, versions as of which a form exists, forms for per-thread default streams. */
#include <stdio.h>
#include <string.h>

#include "softcuda/api/names.h"
#include "softcuda/api/objects.h"

/* The newest form that a program built for this version knows; *status says why there is none. */
static const struct sc_name *find(const char *name, int version, int *status)
{
    const struct sc_name *best = NULL;

    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    for (const struct sc_name *n = sc_names; n->name; n++) {
        if (strcmp(n->name, name))
            continue;
        if (n->plain && n->since <= version && (!best || n->since > best->since))
            best = n;
        *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
    if (best)
        *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return best;
}

/* Without a form for per-thread default streams the plain one is given. */
static void *form(const struct sc_name *n, int version, cuuint64_t flags)
{
    bool wanted = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM && version >= SC_PER_THREAD_SINCE;

    return (void *)(wanted && n->per_thread ? n->per_thread : n->plain);
}

CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    const struct sc_name *n;
    int found;

    if (!name || !out || flags > 3 || version > sc_driver_version())
        return CUDA_ERROR_INVALID_VALUE;
    n = find(name, version, &found);
    *out = n ? form(n, version, flags) : NULL;
    if (status)
        *status = (CUdriverProcAddressQueryResult)found;
    return CUDA_SUCCESS;
}

static void complain(void)
{
    fputs("softcuda: undocumented tables of the driver were asked for, as NVIDIA's runtime library (libcudart) does; softcuda has the "
          "documented driver API only, so what is built on that library cannot run on it\n", stderr);
}

CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&once, complain);
    return CUDA_ERROR_NOT_SUPPORTED;
}
