/* abi.c - softcuda's own page of the driver's interface agrees with cuda.h: numbers, structures, and, as C refuses to declare a
 * function twice in two ways, every prototype. */
#include <cuda.h>
#include <cudaProfiler.h>
#include <assert.h>
#include <stddef.h>

#include "softcuda/api/abi.h"
#include "softcuda/api/functions.h"

#define SAME(name, number, ...) static_assert((int)(name) == (number), #name);
SC_ABI_ERRORS(SAME)
SC_ABI_CONSTANTS(SAME)

#define FIELD(a, am, b, bm) static_assert(offsetof(a, am) == offsetof(b, bm), #bm);
static_assert(sizeof(struct sc_abi_uuid) == sizeof(CUuuid), "CUuuid");
static_assert(sizeof(struct sc_abi_launch_attribute) == sizeof(CUlaunchAttribute), "CUlaunchAttribute");
FIELD(struct sc_abi_launch_attribute, value, CUlaunchAttribute, value)
FIELD(struct sc_abi_launch_attribute, value.cluster.z, CUlaunchAttribute, value.clusterDim.z)
FIELD(struct sc_abi_launch_attribute, value.event.at_start, CUlaunchAttribute, value.programmaticEvent.triggerAtBlockStart)
static_assert(sizeof(struct sc_abi_launch_config) == sizeof(CUlaunchConfig), "CUlaunchConfig");
FIELD(struct sc_abi_launch_config, block, CUlaunchConfig, blockDimX)
FIELD(struct sc_abi_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes)
FIELD(struct sc_abi_launch_config, stream, CUlaunchConfig, hStream)
FIELD(struct sc_abi_launch_config, attrs, CUlaunchConfig, attrs)
FIELD(struct sc_abi_launch_config, nattrs, CUlaunchConfig, numAttrs)

int main(void)
{
    return 0;
}
