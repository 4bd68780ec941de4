/* In the place of NVIDIA's cuda_runtime.h. */
#include <gpudl/cuda_runtime_compat.h>
