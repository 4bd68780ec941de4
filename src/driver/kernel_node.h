/* kernel_node.h - the same bytes as CUDA_KERNEL_NODE_PARAMS_v2, whose name cannot be declared beside cuda.h. A test compares the two. */
#ifndef GPUDL_DRIVER_KERNEL_NODE_H
#define GPUDL_DRIVER_KERNEL_NODE_H

#include <gpudl/driver.h>

struct driver_kernel_node {
    CUfunction function;        /* NULL: kernel, in context */
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra;
    CUkernel kernel;
    CUcontext context;          /* NULL: the current one */
};

#endif
