// Kernels of every kind of name, and no globals. See README for how the images beside this file are made.
extern "C" __global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

namespace ns {
template <class T, int N> __global__ void scale(T *y)
{
    y[threadIdx.x] *= T(N);
}
template __global__ void scale<float, 4>(float *);
template __global__ void scale<double, 2>(double *);

template <unsigned N> __global__ void fill(unsigned *y)
{
    y[threadIdx.x] = N;
}
template __global__ void fill<7>(unsigned *);
}

__global__ void twice(float *y)
{
    y[threadIdx.x] += y[threadIdx.x];
}

__global__ void twice(double *y)
{
    y[threadIdx.x] += y[threadIdx.x];
}

__global__ void negate(const float *x, float *y)
{
    y[threadIdx.x] = -x[threadIdx.x];
}
