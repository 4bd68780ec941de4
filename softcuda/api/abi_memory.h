/* abi_memory.h - the part of abi.h that is about memory pools, creating contexts, and linking. */
#ifndef SOFTCUDA_API_ABI_MEMORY_H
#define SOFTCUDA_API_ABI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* X(name, number) */
#define SC_ABI_MEMORY_CONSTANTS(X) \
    X(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1) \
    X(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 2) \
    X(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 3) \
    X(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4) \
    X(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5) \
    X(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 6) \
    X(CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 7) \
    X(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 8) \
    X(CU_JIT_INPUT_CUBIN, 0) \
    X(CU_JIT_INPUT_PTX, 1) \
    X(CU_JIT_INPUT_FATBINARY, 2) \
    X(CU_JIT_INPUT_OBJECT, 3) \
    X(CU_JIT_INPUT_LIBRARY, 4) \
    X(CU_JIT_INPUT_NVVM, 5) \
    X(CU_MEM_LOCATION_TYPE_DEVICE, 1) \
    X(CU_MEM_ALLOCATION_TYPE_PINNED, 1) \
    X(CU_MEM_ACCESS_FLAGS_PROT_NONE, 0) \
    X(CU_MEM_ACCESS_FLAGS_PROT_READ, 1) \
    X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3) \
    X(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, 0) \
    X(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, 1) \
    X(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, 2) \
    X(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, 3)

#ifndef __cuda_cuda_h__
#define SC_ABI_MEMORY_CONSTANT(name, number) name = number,
enum { SC_ABI_MEMORY_CONSTANTS(SC_ABI_MEMORY_CONSTANT) };

typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlinkState_st *CUlinkState;
typedef int CUjitInputType;
typedef int CUmemPool_attribute, CUmemAccess_flags, CUmemAllocationType, CUgraphMem_attribute;
typedef struct sc_abi_location CUmemLocation;
typedef struct sc_abi_access CUmemAccessDesc;
typedef struct sc_abi_pool_props CUmemPoolProps;
typedef struct sc_abi_alloc_node CUDA_MEM_ALLOC_NODE_PARAMS;
#endif

struct sc_abi_create_params { void *affinities; int naffinities; void *cig; };

struct sc_abi_location { int type, id; };

struct sc_abi_access { struct sc_abi_location location; int flags; };

struct sc_abi_pool_props {
    int type, handles;
    struct sc_abi_location location;
    void *security;
    size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};

/* A graph's node that allocates; both its forms. */
struct sc_abi_alloc_node {
    struct sc_abi_pool_props props;
    const struct sc_abi_access *access;
    size_t naccess, bytes;
    unsigned long long p;               /* told by the call that makes the node */
};

#endif
