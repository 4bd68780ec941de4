/* The plugin that knows gpudl, and none of the other one's kernels. */
#include <gpudl/gpudl.h>

#include "handover.h"

int handover_b_scale(void *theirs, unsigned long long x, int n, float factor)
{
    gpudl_launch_config config = gpudl_launch_1d((n + 255) / 256, 256);
    gpudl_kernel *kernel;
    gpudl_status status = gpudl_kernel_adopt(NULL, (CUkernel)theirs, NULL, &kernel);

    if (status != GPUDL_OK)
        return status;
    status = gpudl_launch(kernel, &config, (CUdeviceptr)x, n, factor);
    gpudl_kernel_release(kernel);
    return status;
}

int handover_b_launch(void *kernel, unsigned long long x, int n)
{
    void *params[] = { &x, &n };

    return cudaLaunchKernel((const void *)kernel, dim3((n + 255) / 256), dim3(256), params, 0, NULL);
}
