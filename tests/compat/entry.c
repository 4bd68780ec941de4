/* cudaGetKernel() of a __global__ function that nvcc compiled, in a program that has NVIDIA's runtime: launched by gpudl's names. */
#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK(call) \
    do { \
        cudaError_t err_ = (call); \
        if (err_ != cudaSuccess) \
            return fprintf(stderr, "%s: %s: %s\n", #call, cudaGetErrorName(err_), gpudl_cudart_error_text()), 1; \
    } while (0)

const void *entry_of_fill(void);

int main(void)
{
    int out[32] = { 0 }, value = 42, devices;
    void *p, *args[] = { &p, &value };
    dim3 one = { 1, 1, 1 }, warp = { 32, 1, 1 };
    cudaKernel_t kernel, again;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return printf("no device\n"), 77;
    CHECK(cudaMalloc(&p, sizeof(out)));
    if (cudaLaunchKernel(entry_of_fill(), one, warp, args, 0, NULL) != cudaErrorInvalidDeviceFunction)
        return fprintf(stderr, "a function of nvcc's was taken for a kernel of gpudl's\n"), 1;
    CHECK(cudaGetKernel(&kernel, entry_of_fill()));
    CHECK(cudaGetKernel(&again, entry_of_fill()));
    CHECK(cudaLaunchKernel((const void *)kernel, one, warp, args, 0, NULL));
    CHECK(cudaMemcpy(out, p, sizeof(out), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(p));
    if (kernel != again || out[0] != 42 || out[31] != 42)
        return fprintf(stderr, "%s\n", kernel == again ? "fill did not fill" : "one function, two kernels"), 1;
    return 0;
}
