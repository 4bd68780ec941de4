// The kernel of both halves. nvcc -c makes an object of all this, for the program to be linked with; nvcc -fatbin takes the kernel alone, and
// the program loads that.
#include <cstdio>

__global__ void hello(bool loaded)
{
    printf("hello from thread %d, %s\n", threadIdx.x, loaded ? "loaded" : "compiled in");
}

// CUDA's own way to launch. Needs nvcc, its runtime library, and a GPU; returns a cudaError_t, 0 if all went well.
extern "C" int hello_compiled_in()
{
    hello<<<1, 4>>>(false);
    cudaError_t launched = cudaGetLastError();
    return launched ? launched : cudaDeviceSynchronize();
}
