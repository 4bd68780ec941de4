// One kernel, and globals of every kind.
__device__ int counter = 5;
__constant__ float table[4] = { 1, 2, 3, 4 };
__managed__ int both;
namespace ns {
__device__ double inner[3];
}

__global__ void bump(float *out)
{
    counter++;
    both = counter;
    ns::inner[0] = counter;
    out[0] = table[threadIdx.x & 3] * counter;
}
