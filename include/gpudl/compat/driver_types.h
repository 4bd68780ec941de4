/* In the place of NVIDIA's driver_types.h. */
#include <gpudl/cuda_runtime_compat.h>
