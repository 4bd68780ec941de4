// Small kernels for the tests of the command. kernels.ptx is made from them: nvcc -arch=compute_75 -ptx -fmad=false -o kernels.ptx kernels.cu
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Leaves its buffer alone: what is printed is what was written on the command line.
extern "C" __global__ void nothing(const void *) {}

// Every type of number, as parameters.
extern "C" __global__ void numbers(signed char a, short b, int c, long long d, unsigned char e, unsigned short f, unsigned g, unsigned long long h,
    unsigned short half, float i, double j, long long *integers, double *floats)
{
    integers[0] = a, integers[1] = b, integers[2] = c, integers[3] = d;
    integers[4] = e, integers[5] = f, integers[6] = g, integers[7] = h;
    integers[8] = half;
    floats[0] = i, floats[1] = j;
}

// Grid and block as the device sees them, and the size of dynamic shared memory.
extern "C" __global__ void shape(unsigned *out)
{
    unsigned shared;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z;
    out[3] = blockDim.x, out[4] = blockDim.y, out[5] = blockDim.z;
    out[6] = shared;
}

namespace ns {
template <typename T, int N> __global__ void scale(T *x)
{
    x[threadIdx.x] *= N;
}
template __global__ void scale<float, 4>(float *);
}
