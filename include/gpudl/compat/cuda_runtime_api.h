/* In the place of NVIDIA's cuda_runtime_api.h. */
#include <gpudl/cuda_runtime_compat.h>
