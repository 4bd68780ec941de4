/* Attributes of kernels, occupancy, and launches that ask for more. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_ATTRIBUTES_H
#define GPUDL_ATTRIBUTES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Residency. Code that becomes resident on a device waits for all that runs in its context, and all launches wait with it
 * (docs/DRIVER-BEHAVIOUR.md). What of the below may do that, where the kernel's library is not resident yet: setting anything,
 * occupancy, clusters, a node, and a checked launch that is cooperative and the first of its block size. Do these before the work
 * starts. Asking for an attribute is not known to.
 *
 * Devices count from 0. Where the thread's current context is not of that device the primary one is lent to it for the call, and
 * made if it is not there yet; asking for an attribute needs none.
 *
 * Attributes belong to the version, the code itself: libraries of the same content see what any of them sets. Each kernel remembers
 * what was set through it. */

/* -------------------------------------------------------------------------------------------------------------- attributes */

/**
 * Ask for an attribute of a kernel on a device.
 * @attribute:  GPUDL_FUNC_...; CUDA's CU_FUNC_ATTRIBUTE_... are the same numbers. One that this gpudl does not know is passed on
 * @value:      written on success only
 *
 * What machine code says itself is answered without the driver: registers (NUM_REGS), static shared and
 * local memory (SHARED_SIZE_BYTES, LOCAL_SIZE_BYTES), what it was compiled for (BINARY_VERSION), a cluster that it is declared for
 * (REQUIRED_CLUSTER_WIDTH, _HEIGHT, _DEPTH).
 */
GPUDL_API gpudl_status gpudl_kernel_attribute(gpudl_kernel *kernel, int attribute, int device, int *value);

/**
 * Set an attribute of a kernel on a device: MAX_DYNAMIC_SHARED_SIZE_BYTES, PREFERRED_SHARED_MEMORY_CARVEOUT (percent; -1: the
 * driver's choice), NON_PORTABLE_CLUSTER_SIZE_ALLOWED (1: more than 8 blocks a cluster, where the device can),
 * REQUIRED_CLUSTER_WIDTH, _HEIGHT and _DEPTH, CLUSTER_SCHEDULING_POLICY_PREFERENCE. The others can only be asked for.
 *
 * MAX_DYNAMIC_SHARED_SIZE_BYTES is different: whatever the value, the kernel gets all that the device has, once, and keeps it,
 * so nobody takes shared memory from others who share the code. A value beyond that is GPUDL_ERROR_LAUNCH_LIMIT. Checked launches
 * (gpudl_kernel_launch) ask by themselves.
 */
GPUDL_API gpudl_status gpudl_kernel_set_attribute(gpudl_kernel *kernel, int attribute, int value, int device);

/* Prefer the L1 cache to shared memory, or the other way, where they are one memory: GPUDL_CACHE_PREFER_... */
GPUDL_API gpudl_status gpudl_kernel_set_cache_preference(gpudl_kernel *kernel, int preference, int device);

/* --------------------------------------------------------------------------------------------------------------- occupancy */

/* Nothing of it is kept by gpudl: each call asks the driver. Dynamic shared memory beyond what the kernel has without asking is
 * asked for first, as a checked launch would, so the answer is for such a launch. */

/**
 * How many blocks of this size a multiprocessor holds at once.
 * @block_threads:  of one block, all dimensions together
 * @shared_bytes:   dynamic shared memory of one block
 * @blocks:         written on success only; 0: not one
 */
GPUDL_API gpudl_status gpudl_kernel_occupancy(gpudl_kernel *kernel, unsigned block_threads, size_t shared_bytes, int device,
                                              unsigned *blocks);

/* Dynamic shared memory of a block of so many threads. Called from within gpudl_kernel_suggest_block(); calls neither gpudl nor
 * the driver. */
typedef size_t gpudl_shared_of_block(void *user, unsigned threads);

/**
 * Suggest a block size that fills the device best.
 * @shared_of:     what a block of that size needs of dynamic shared memory; NULL: shared_bytes, whatever the size
 * @limit:         most threads a block; 0: as many as the kernel can have
 * @block, @grid:  written on success only; @grid is the fewest blocks that fill the device, and may be NULL
 */
GPUDL_API gpudl_status gpudl_kernel_suggest_block(gpudl_kernel *kernel, gpudl_shared_of_block *shared_of, void *user,
                                                  size_t shared_bytes, unsigned limit, int device, unsigned *block,
                                                  unsigned *grid);

/**
 * How many clusters of a launch the device holds at once, and how many blocks a cluster of it may have at most.
 * @config:  the launch, with a cluster among its attributes for the former (gpudl_launch_cluster), unless the kernel is declared
 *           for one; without for the latter
 *
 * GPUDL_ERROR_UNSUPPORTED where the device has no clusters: before compute capability 9.0, and softcuda.
 */
GPUDL_API gpudl_status gpudl_kernel_max_active_clusters(gpudl_kernel *kernel, const gpudl_launch_config *config, int device,
                                                        unsigned *clusters);
GPUDL_API gpudl_status gpudl_kernel_max_cluster_size(gpudl_kernel *kernel, const gpudl_launch_config *config, int device,
                                                     unsigned *blocks);

/* ------------------------------------------------------------------------------------------------------ launch attributes */

/* For a launch that is more than a grid, without <cuda.h>:
 *
 *     gpudl_launch_attribute extra[] = { gpudl_launch_cluster(2, 1, 1), gpudl_launch_priority(-1) };
 *     gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(64, 256), extra, 2);
 *
 * The array is lent until the launch returns. A checked launch names the limit that one of them exceeds, before the driver is
 * asked:
 *   - cooperative: the device can, and holds all blocks of the grid at once. How many it holds is asked of the driver once for a
 *     kernel, block size and shared memory: the last eight answers are remembered;
 *   - cluster: the device has clusters; at most 8 blocks, more only where NON_PORTABLE_CLUSTER_SIZE_ALLOWED is set; no more than
 *     the kernel's .maxclusterrank, and just what it is declared for (__cluster_dims__, .reqnctapercluster) if it is; each dimension
 *     of the grid is a multiple of the cluster's. A kernel that is declared for a cluster is checked in all its launches.
 * An unchecked launch passes them on. */

static inline gpudl_launch_attribute gpudl_launch_attribute_of(int id)
{
    gpudl_launch_attribute a = { id, 0, { { 0 } } };
    return a;
}

/* All blocks are on the device at once, so they can wait for each other (cooperative groups' grid.sync()). */
static inline gpudl_launch_attribute gpudl_launch_cooperative(void)
{
    gpudl_launch_attribute a = gpudl_launch_attribute_of(GPUDL_LAUNCH_ATTRIBUTE_COOPERATIVE);
    a.value.value = 1;
    return a;
}

/* Blocks come in clusters of that shape, which reach each other's shared memory. */
static inline gpudl_launch_attribute gpudl_launch_cluster(unsigned x, unsigned y, unsigned z)
{
    gpudl_launch_attribute a = gpudl_launch_attribute_of(GPUDL_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    a.value.dim[0] = x;
    a.value.dim[1] = y;
    a.value.dim[2] = z;
    return a;
}

/* Programmatic dependent launch: it may begin before the kernel ahead of it in the stream has ended, once that says so
 * (griddepcontrol.launch_dependents), and waits for its results by itself (griddepcontrol.wait). */
static inline gpudl_launch_attribute gpudl_launch_programmatic(void)
{
    gpudl_launch_attribute a = gpudl_launch_attribute_of(GPUDL_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    a.value.value = 1;
    return a;
}

/* Lower numbers go first; as of streams. */
static inline gpudl_launch_attribute gpudl_launch_priority(int priority)
{
    gpudl_launch_attribute a = gpudl_launch_attribute_of(GPUDL_LAUNCH_ATTRIBUTE_PRIORITY);
    a.value.value = priority;
    return a;
}

static inline gpudl_launch_config gpudl_launch_with(gpudl_launch_config config, const gpudl_launch_attribute *attributes,
                                                    unsigned n)
{
    config.attributes = (const struct CUlaunchAttribute_st *)attributes;
    config.nattributes = n;
    return config;
}

/* -------------------------------------------------------------------------------------------------------------- graph nodes */

/**
 * Set a kernel node of an instantiated graph to the kernel's current version: graphs go on with the version that was captured or
 * added, also after a replace. As cuGraphExecKernelNodeSetParams: launches of the graph that are under way are not changed.
 * @node:    of the graph that @exec was made of, and launches a kernel
 * @config:  grid, block and shared memory; its stream is where a context is looked for if the thread has none. Attributes stay as
 *           they are in the node, so it has none
 * @params:  as in gpudl_kernel_launch_params(); copied by the call
 * @pin:     written on success only: the version that the node has now. Hold it while the executable graph may run, or until the
 *           node was set to another one, then gpudl_version_unpin()
 *
 * Makes the code resident. The context of the node must be the one that the call runs in. Not while another thread uses @exec.
 */
GPUDL_API gpudl_status gpudl_kernel_update_node(gpudl_kernel *kernel, CUgraphExec exec, CUgraphNode node,
                                                const gpudl_launch_config *config, void *const *params, gpudl_version **pin);

#ifdef __cplusplus
}
#endif
#endif
