/* launch_config.h - the same bytes as CUlaunchConfig, whose name cannot be declared beside cuda.h. A test compares the two. */
#ifndef GPUDL_DRIVER_LAUNCH_CONFIG_H
#define GPUDL_DRIVER_LAUNCH_CONFIG_H

#include <gpudl/driver.h>

struct driver_launch_config {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    const struct CUlaunchAttribute_st *attributes;
    unsigned nattributes;
};

#endif
