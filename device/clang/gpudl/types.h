/* types.h - vector types with their make_ functions, and dim3. */
#pragma once
#pragma clang system_header

/* align: of the types of 1, 2, 3 and 4 elements */
#define GPUDL_VECTORS(T, name, align1, align2, align3, align4) \
    struct __align__(align1) name##1 \
    { \
        T x; \
    }; \
    struct __align__(align2) name##2 \
    { \
        T x, y; \
    }; \
    struct __align__(align3) name##3 \
    { \
        T x, y, z; \
    }; \
    struct __align__(align4) name##4 \
    { \
        T x, y, z, w; \
    }; \
    static __host__ __device__ inline constexpr name##1 make_##name##1(T x) \
    { \
        return { x }; \
    } \
    static __host__ __device__ inline constexpr name##2 make_##name##2(T x, T y) \
    { \
        return { x, y }; \
    } \
    static __host__ __device__ inline constexpr name##3 make_##name##3(T x, T y, T z) \
    { \
        return { x, y, z }; \
    } \
    static __host__ __device__ inline constexpr name##4 make_##name##4(T x, T y, T z, T w) \
    { \
        return { x, y, z, w }; \
    }

GPUDL_VECTORS(signed char, char, 1, 2, 1, 4)
GPUDL_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
GPUDL_VECTORS(short, short, 2, 4, 2, 8)
GPUDL_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
GPUDL_VECTORS(int, int, 4, 8, 4, 16)
GPUDL_VECTORS(unsigned, uint, 4, 8, 4, 16)
GPUDL_VECTORS(long, long, 8, 16, 8, 16)
GPUDL_VECTORS(unsigned long, ulong, 8, 16, 8, 16)
GPUDL_VECTORS(long long, longlong, 8, 16, 8, 16)
GPUDL_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
GPUDL_VECTORS(float, float, 4, 8, 4, 16)
GPUDL_VECTORS(double, double, 8, 16, 8, 16)
#undef GPUDL_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const
    {
        return { x, y, z };
    }
};

#define GPUDL_BUILTIN_VARIABLE(name) \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const \
    { \
        return dim3(x, y, z); \
    } \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const \
    { \
        return { x, y, z }; \
    }
GPUDL_BUILTIN_VARIABLE(threadIdx)
GPUDL_BUILTIN_VARIABLE(blockIdx)
GPUDL_BUILTIN_VARIABLE(blockDim)
GPUDL_BUILTIN_VARIABLE(gridDim)
#undef GPUDL_BUILTIN_VARIABLE
