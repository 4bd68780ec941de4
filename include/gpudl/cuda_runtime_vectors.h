/* dim3, short vectors, and CUDA's words for functions, which mean nothing on the host. Part of <gpudl/cuda_runtime_compat.h>, which includes it. */
#ifndef GPUDL_CUDA_RUNTIME_VECTORS_H
#define GPUDL_CUDA_RUNTIME_VECTORS_H

/* NVIDIA's headers that come later, such as cuda_fp16.h, find these names taken, and those words. */
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#ifndef __host__
#define __host__
#define __device__
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif

struct uint3 {
    unsigned x, y, z;
};
typedef struct uint3 uint3;

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
#else
    dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
#endif
#endif
};
typedef struct dim3 dim3;

/* Host data that a kernel reads as vectors: aligned as device code has them. */
#define GPUDL_CUDART_VECTORS(X) \
    X(char, char, 2, 4) \
    X(uchar, unsigned char, 2, 4) \
    X(short, short, 4, 8) \
    X(ushort, unsigned short, 4, 8) \
    X(int, int, 8, 16) \
    X(uint, unsigned, 8, 16) \
    X(float, float, 8, 16)
#define GPUDL_CUDART_VECTOR(name, type, two, four) \
    typedef struct name##2 \
    { \
        type x, y; \
    } \
    __attribute__((aligned(two))) name##2; \
    typedef struct name##4 \
    { \
        type x, y, z, w; \
    } \
    __attribute__((aligned(four))) name##4; \
    static inline name##2 make_##name##2(type x, type y) \
    { \
        name##2 v = { x, y }; \
        return v; \
    } \
    static inline name##4 make_##name##4(type x, type y, type z, type w) \
    { \
        name##4 v = { x, y, z, w }; \
        return v; \
    }
GPUDL_CUDART_VECTORS(GPUDL_CUDART_VECTOR)
#undef GPUDL_CUDART_VECTOR
typedef struct int3 {
    int x, y, z;
} int3;
typedef struct float3 {
    float x, y, z;
} float3;
typedef struct double2 {
    double x, y;
} __attribute__((aligned(16))) double2;
static inline int3 make_int3(int x, int y, int z)
{
    int3 v = { x, y, z };
    return v;
}
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    uint3 v = { x, y, z };
    return v;
}
static inline float3 make_float3(float x, float y, float z)
{
    float3 v = { x, y, z };
    return v;
}
static inline double2 make_double2(double x, double y)
{
    double2 v = { x, y };
    return v;
}

#endif
