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
SC_ABI_MEMORY_CONSTANTS(SAME)

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


#define SIZE(a, b) static_assert(sizeof(a) == sizeof(b), #b);
SIZE(union sc_abi_launch_value, CUkernelNodeAttrValue)
FIELD(struct sc_abi_launch_attribute, value.priority, CUlaunchAttribute, value.priority)
SIZE(struct sc_abi_kernel_node_v1, CUDA_KERNEL_NODE_PARAMS_v1)
FIELD(struct sc_abi_kernel_node_v1, extra, CUDA_KERNEL_NODE_PARAMS_v1, extra)
SIZE(struct sc_abi_kernel_node, CUDA_KERNEL_NODE_PARAMS)
SIZE(struct sc_abi_kernel_node, CUDA_KERNEL_NODE_PARAMS_v3)
FIELD(struct sc_abi_kernel_node, block, CUDA_KERNEL_NODE_PARAMS, blockDimX)
FIELD(struct sc_abi_kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes)
FIELD(struct sc_abi_kernel_node, params, CUDA_KERNEL_NODE_PARAMS, kernelParams)
FIELD(struct sc_abi_kernel_node, kern, CUDA_KERNEL_NODE_PARAMS, kern)
FIELD(struct sc_abi_kernel_node, context, CUDA_KERNEL_NODE_PARAMS, ctx)
SIZE(struct sc_abi_memcpy3d, CUDA_MEMCPY3D)
FIELD(struct sc_abi_memcpy3d, from.lod, CUDA_MEMCPY3D, srcLOD)
FIELD(struct sc_abi_memcpy3d, from.type, CUDA_MEMCPY3D, srcMemoryType)
FIELD(struct sc_abi_memcpy3d, from.host, CUDA_MEMCPY3D, srcHost)
FIELD(struct sc_abi_memcpy3d, from.device, CUDA_MEMCPY3D, srcDevice)
FIELD(struct sc_abi_memcpy3d, from.array, CUDA_MEMCPY3D, srcArray)
FIELD(struct sc_abi_memcpy3d, from.pitch, CUDA_MEMCPY3D, srcPitch)
FIELD(struct sc_abi_memcpy3d, from.height, CUDA_MEMCPY3D, srcHeight)
FIELD(struct sc_abi_memcpy3d, to, CUDA_MEMCPY3D, dstXInBytes)
FIELD(struct sc_abi_memcpy3d, to.height, CUDA_MEMCPY3D, dstHeight)
FIELD(struct sc_abi_memcpy3d, width, CUDA_MEMCPY3D, WidthInBytes)
FIELD(struct sc_abi_memcpy3d, depth, CUDA_MEMCPY3D, Depth)
SIZE(struct sc_abi_memset_node, CUDA_MEMSET_NODE_PARAMS)
FIELD(struct sc_abi_memset_node, pitch, CUDA_MEMSET_NODE_PARAMS, pitch)
FIELD(struct sc_abi_memset_node, value, CUDA_MEMSET_NODE_PARAMS, value)
FIELD(struct sc_abi_memset_node, element, CUDA_MEMSET_NODE_PARAMS, elementSize)
FIELD(struct sc_abi_memset_node, height, CUDA_MEMSET_NODE_PARAMS, height)
SIZE(struct sc_abi_host_node, CUDA_HOST_NODE_PARAMS)
FIELD(struct sc_abi_host_node, data, CUDA_HOST_NODE_PARAMS, userData)
SIZE(struct sc_abi_node_params, CUgraphNodeParams)
FIELD(struct sc_abi_node_params, p.kernel, CUgraphNodeParams, kernel)
FIELD(struct sc_abi_node_params, p.copy.context, CUgraphNodeParams, memcpy.copyCtx)
FIELD(struct sc_abi_node_params, p.copy.copy, CUgraphNodeParams, memcpy.copyParams)
FIELD(struct sc_abi_node_params, p.set.context, CUgraphNodeParams, memset.ctx)
FIELD(struct sc_abi_node_params, p.host.data, CUgraphNodeParams, host.userData)
FIELD(struct sc_abi_node_params, p.child.ownership, CUgraphNodeParams, graph.ownership)
FIELD(struct sc_abi_node_params, p.event, CUgraphNodeParams, eventWait.event)
FIELD(struct sc_abi_node_params, p.alloc.p, CUgraphNodeParams, alloc.dptr)
FIELD(struct sc_abi_node_params, p.free.p, CUgraphNodeParams, free.dptr)
FIELD(struct sc_abi_node_params, reserved2, CUgraphNodeParams, reserved2)
SIZE(struct sc_abi_edge_data, CUgraphEdgeData)
FIELD(struct sc_abi_edge_data, type, CUgraphEdgeData, type)
SIZE(struct sc_abi_instantiate, CUDA_GRAPH_INSTANTIATE_PARAMS)
FIELD(struct sc_abi_instantiate, upload, CUDA_GRAPH_INSTANTIATE_PARAMS, hUploadStream)
FIELD(struct sc_abi_instantiate, error_node, CUDA_GRAPH_INSTANTIATE_PARAMS, hErrNode_out)
FIELD(struct sc_abi_instantiate, result, CUDA_GRAPH_INSTANTIATE_PARAMS, result_out)
SIZE(struct sc_abi_update_result, CUgraphExecUpdateResultInfo)
FIELD(struct sc_abi_update_result, node, CUgraphExecUpdateResultInfo, errorNode)
FIELD(struct sc_abi_update_result, from, CUgraphExecUpdateResultInfo, errorFromNode)

static_assert(sizeof(struct sc_abi_memcpy2d) == sizeof(CUDA_MEMCPY2D), "CUDA_MEMCPY2D");
FIELD(struct sc_abi_memcpy2d, from.array, CUDA_MEMCPY2D, srcArray)
FIELD(struct sc_abi_memcpy2d, to.type, CUDA_MEMCPY2D, dstMemoryType)
FIELD(struct sc_abi_memcpy2d, width, CUDA_MEMCPY2D, WidthInBytes)
static_assert(sizeof(struct sc_abi_array) == sizeof(CUDA_ARRAY_DESCRIPTOR), "CUDA_ARRAY_DESCRIPTOR");
FIELD(struct sc_abi_array, channels, CUDA_ARRAY_DESCRIPTOR, NumChannels)
static_assert(sizeof(struct sc_abi_array3d) == sizeof(CUDA_ARRAY3D_DESCRIPTOR), "CUDA_ARRAY3D_DESCRIPTOR");
FIELD(struct sc_abi_array3d, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags)
static_assert(sizeof(struct sc_abi_resource) == sizeof(CUDA_RESOURCE_DESC), "CUDA_RESOURCE_DESC");
FIELD(struct sc_abi_resource, of.linear.size, CUDA_RESOURCE_DESC, res.linear.sizeInBytes)
FIELD(struct sc_abi_resource, of.pitch2d.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)
FIELD(struct sc_abi_resource, flags, CUDA_RESOURCE_DESC, flags)
static_assert(sizeof(struct sc_abi_sampler) == sizeof(CUDA_TEXTURE_DESC), "CUDA_TEXTURE_DESC");
FIELD(struct sc_abi_sampler, flags, CUDA_TEXTURE_DESC, flags)
FIELD(struct sc_abi_sampler, border, CUDA_TEXTURE_DESC, borderColor)
static_assert(sizeof(struct sc_abi_view) == sizeof(CUDA_RESOURCE_VIEW_DESC), "CUDA_RESOURCE_VIEW_DESC");
FIELD(struct sc_abi_view, last_layer, CUDA_RESOURCE_VIEW_DESC, lastLayer)

static_assert(sizeof(struct sc_abi_pool_props) == sizeof(CUmemPoolProps), "CUmemPoolProps");
FIELD(struct sc_abi_pool_props, location.id, CUmemPoolProps, location.id)
static_assert(sizeof(struct sc_abi_create_params) == sizeof(CUctxCreateParams), "CUctxCreateParams");
FIELD(struct sc_abi_create_params, cig, CUctxCreateParams, cigParams)
FIELD(struct sc_abi_pool_props, max_size, CUmemPoolProps, maxSize)
static_assert(sizeof(struct sc_abi_access) == sizeof(CUmemAccessDesc), "CUmemAccessDesc");
SIZE(struct sc_abi_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS)
FIELD(struct sc_abi_alloc_node, access, CUDA_MEM_ALLOC_NODE_PARAMS, accessDescs)
FIELD(struct sc_abi_alloc_node, naccess, CUDA_MEM_ALLOC_NODE_PARAMS, accessDescCount)
FIELD(struct sc_abi_alloc_node, bytes, CUDA_MEM_ALLOC_NODE_PARAMS, bytesize)

int main(void)
{
    return 0;
}
