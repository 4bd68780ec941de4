/* gpudl.hpp beside CUDA's headers. GPUDL_ORDER: 0 gpudl.hpp first, 1 cuda.h first, 2 between cuda_runtime.h and cuda.h, 3 before both. */
#if GPUDL_ORDER == 0
#include <gpudl/gpudl.hpp>
#include <cuda.h>
#elif GPUDL_ORDER == 1
#include <cuda.h>
#include <gpudl/gpudl.hpp>
#elif GPUDL_ORDER == 2
#include <cuda_runtime.h>
#include <gpudl/gpudl.hpp>
#include <cuda.h>
#else
#include <gpudl/gpudl.hpp>
#include <cuda_runtime.h>
#include <cuda.h>
#endif
#include "tests/hpp/use.inc"

#if GPUDL_ORDER > 1
static_assert(std::is_constructible_v<gpudl::launch_config, dim3, int>, "CUDA's dim3 is as good as a gpudl::dim");
static_assert(std::is_same_v<cudaKernel_t, CUkernel>, "and its handles are the driver's");
#endif
