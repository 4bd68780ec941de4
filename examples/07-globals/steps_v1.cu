// Three kinds of globals, which the host reads and writes by these names.
__constant__ int stride;            // written by the host, read by kernels
__device__ int total;               // the kernels' own
__managed__ int launches;           // of both: the host uses the same address

extern "C" __global__ void step()
{
    atomicAdd(&total, stride);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        launches++;
}
