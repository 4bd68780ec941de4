/* The plugin that has a kernel. */
#include "handover.h"

__global__ void scale(float *x, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] *= factor;
}

int handover_a_kernel(void **out)
{
    cudaKernel_t kernel;
    cudaError_t err = cudaGetKernel(&kernel, (const void *)scale);

    if (!err)
        *out = (void *)kernel;
    return err;
}

int handover_a_load(const void *image, void **out)
{
#if CUDART_VERSION >= 12080
    cudaLibrary_t library;
    cudaError_t err = cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);

    if (!err)
        *out = (void *)library;
    return err;
#else
    (void)image, (void)out;
    return -1;
#endif
}
