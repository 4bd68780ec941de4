/* In the place of NVIDIA's vector_types.h. */
#include <gpudl/cuda_runtime_compat.h>
