// C++ in kernels: templates, lambdas, constexpr, concepts where there are any; the library's headers; built-in variables and vector types.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <limits>
#include <math_constants.h>
#include <tuple>
#include <type_traits>
#include <utility>

template <class T, int N> __global__ void scale(T *x, T by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto f = [=] __device__(T v) { return v * by + N; };

    if constexpr (std::is_floating_point_v<T>)
        x[i] = std::max(f(x[i]), T(0.5));
    else
        x[i] = std::min(f(x[i]), std::numeric_limits<T>::max());
}
template __global__ void scale<float, 4>(float *, float);
template __global__ void scale<int, -1>(int *, int);

constexpr __host__ __device__ unsigned power(unsigned base, unsigned n)
{
    return n ? base * power(base, n - 1) : 1;
}
template <class... T> __device__ auto sum_of(T... v)
{
    return (v + ... + 0);
}
template <class F> __device__ int applied(F f, int n)
{
    return f(n);
}
__device__ int add_one(int n)
{
    return n + 1;
}
__device__ int add_two(int n)
{
    return n + 2;
}
__device__ int (*const choices[])(int) = { add_one, add_two };

extern "C" __global__ void __launch_bounds__(128, 2) language(double *o, int n)
{
    extern __shared__ double dynamic[];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    std::array<int, 3> a{ 1, 2, 3 };
    std::complex<double> c(1, 2);
    auto [first, second] = std::make_pair(3, 4.5);
    float4 four = make_float4(1, 2, 3, 4);
    int2 two{ 5, 6 };
    dim3 shape = blockDim;
    static_assert(power(3, 4) == 81 && sizeof(float4) == 16 && alignof(double2) == 16 && sizeof(uchar3) == 3, "as CUDA has them");

    dynamic[t] = t;
    __syncthreads();
    c *= c;
    o[12 * t] = dynamic[(t + 1) % (blockDim.x * blockDim.y)];
    o[12 * t + 1] = c.real() * 100 + c.imag();
    o[12 * t + 2] = sum_of(a[0], a[1], a[2]) + first + second;
    o[12 * t + 3] = four.x + four.y + four.z + four.w + two.x * two.y;
    o[12 * t + 4] = shape.x * 10000 + shape.y * 100 + shape.z + gridDim.x * 0.5;
    o[12 * t + 5] = applied([n](int k) { return k * n; }, 3) + choices[t & 1](10);
    o[12 * t + 6] = std::sqrt(2.0f) + std::pow(2.0, 3) + std::abs(-3.5) + std::fmin(1.0f, 2.0f);
    o[12 * t + 7] = std::isnan(CUDART_NAN) + 2 * std::isinf(CUDART_INF_F) + std::numeric_limits<float>::epsilon();
    o[12 * t + 8] = CUDART_PI_F + std::fma(2.0, 3.0, 4.0) + std::floor(-1.5f) + std::hypot(3.0, 4.0) + std::round(2.5f);
    o[12 * t + 9] = (double)std::uint64_t(1) + std::abs(-2) + std::tgamma(4.0f) + std::cbrt(27.0) + std::copysign(1.0f, -2.0f);
#if __cplusplus >= 202002L
    auto over = []<class T>(T v) requires std::is_integral_v<T>
    {
        return v + 1;
    };
    o[12 * t + 10] = over(41);
#else
    o[12 * t + 10] = 42;
#endif
    o[12 * t + 11] = blockIdx.x + 10 * blockIdx.y;
}
