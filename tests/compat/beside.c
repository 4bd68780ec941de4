/* One half of a program is compiled with NVIDIA's headers and linked with its runtime, the other with gpudl's names: each gets its own. */
#ifdef GPUDL_HALF
#include <cuda_runtime.h>

int gpudls_runtime(void);
int gpudls_runtime(void)
{
    int version = 0;

    return cudaRuntimeGetVersion(&version) == cudaSuccess ? version : -1;
}
#else
#include <cuda_runtime_api.h>
#include <stdio.h>

int gpudls_runtime(void);
int main(void)
{
    int nvidias = 0, gpudls = gpudls_runtime();

    if (cudaRuntimeGetVersion(&nvidias) != cudaSuccess || nvidias != CUDART_VERSION || gpudls != 12080)
        return fprintf(stderr, "NVIDIA's runtime says %d where it is %d, gpudl's %d\n", nvidias, CUDART_VERSION, gpudls), 1;
    return 0;
}
#endif
