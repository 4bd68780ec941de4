/* atomics.h - atomic functions, of the device, of the block (_block) and of the system (_system). All are relaxed. */
#pragma once
#pragma clang system_header

#define GPUDL_ATOMIC(name, T, call, P, V, kind) \
    static __device__ inline T atomic##name(T *p, T v) \
    { \
        return (T)__nvvm_atom_##call##_gen_##kind((P *)p, (P)(V)); \
    } \
    static __device__ inline T atomic##name##_block(T *p, T v) \
    { \
        return (T)__nvvm_atom_cta_##call##_gen_##kind((P *)p, (P)(V)); \
    } \
    static __device__ inline T atomic##name##_system(T *p, T v) \
    { \
        return (T)__nvvm_atom_sys_##call##_gen_##kind((P *)p, (P)(V)); \
    }
#define GPUDL_ATOMIC_WORDS(name, call, V) \
    GPUDL_ATOMIC(name, int, call, int, V, i) \
    GPUDL_ATOMIC(name, unsigned, call, int, V, i) \
    GPUDL_ATOMIC(name, unsigned long long, call, long long, V, ll)
/* Of a scope, clang's are signed: instructions instead */
#define GPUDL_SCOPED(name, T, instruction, kind) \
    static __device__ inline T atomic##name(T *p, T v) \
    { \
        T was; \
        __asm__ volatile(instruction " %0, [%1], %2;" : "=" kind(was) : "l"(p), kind(v) : "memory"); \
        return was; \
    }
#define GPUDL_UNSIGNED(name, call, T, of, kind, type) \
    static __device__ inline T atomic##name(T *p, T v) \
    { \
        return __nvvm_atom_##call##_gen_##of(p, v); \
    } \
    GPUDL_SCOPED(name##_block, T, "atom.cta." #call "." type, kind) \
    GPUDL_SCOPED(name##_system, T, "atom.sys." #call "." type, kind)
GPUDL_ATOMIC_WORDS(Add, add, v)
GPUDL_ATOMIC(Add, float, add, float, v, f)
GPUDL_ATOMIC(Add, double, add, double, v, d)
GPUDL_ATOMIC(Sub, int, add, int, 0u - (unsigned)v, i)
GPUDL_ATOMIC(Sub, unsigned, add, int, 0u - v, i)
GPUDL_ATOMIC_WORDS(Exch, xchg, v)
GPUDL_ATOMIC_WORDS(And, and, v)
GPUDL_ATOMIC_WORDS(Or, or, v)
GPUDL_ATOMIC_WORDS(Xor, xor, v)
GPUDL_ATOMIC(Min, int, min, int, v, i)
GPUDL_UNSIGNED(Min, min, unsigned, ui, "r", "u32")
GPUDL_ATOMIC(Min, long long, min, long long, v, ll)
GPUDL_UNSIGNED(Min, min, unsigned long long, ull, "l", "u64")
GPUDL_ATOMIC(Max, int, max, int, v, i)
GPUDL_UNSIGNED(Max, max, unsigned, ui, "r", "u32")
GPUDL_ATOMIC(Max, long long, max, long long, v, ll)
GPUDL_UNSIGNED(Max, max, unsigned long long, ull, "l", "u64")
GPUDL_ATOMIC(Inc, unsigned, inc, unsigned, v, ui)
GPUDL_ATOMIC(Dec, unsigned, dec, unsigned, v, ui)
#undef GPUDL_ATOMIC_WORDS
#undef GPUDL_ATOMIC
#undef GPUDL_UNSIGNED
#undef GPUDL_SCOPED

#define GPUDL_EACH_SCOPE(X) X(, , "") X(_block, cta_, ".cta") X(_system, sys_, ".sys")
#define GPUDL_CAS(T, P, suffix, scope, kind) \
    static __device__ inline T atomicCAS##suffix(T *p, T is, T then) \
    { \
        return (T)__nvvm_atom_##scope##cas_gen_##kind((P *)p, (P)is, (P)then); \
    }
#define GPUDL_OF_SCOPE(suffix, scope, dotted) \
    GPUDL_CAS(int, int, suffix, scope, i) \
    GPUDL_CAS(unsigned, int, suffix, scope, i) \
    GPUDL_CAS(unsigned long long, long long, suffix, scope, ll) \
    static __device__ inline unsigned short atomicCAS##suffix(unsigned short *p, unsigned short is, unsigned short then) \
    { \
        unsigned short was; \
        __asm__ volatile("atom" dotted ".cas.b16 %0, [%1], %2, %3;" : "=h"(was) : "l"(p), "h"(is), "h"(then) : "memory"); \
        return was; \
    } \
    static __device__ inline float atomicExch##suffix(float *p, float v) \
    { \
        return __builtin_bit_cast(float, __nvvm_atom_##scope##xchg_gen_i((int *)p, __builtin_bit_cast(int, v))); \
    }
GPUDL_EACH_SCOPE(GPUDL_OF_SCOPE)
#undef GPUDL_OF_SCOPE
#undef GPUDL_CAS

#if __CUDA_ARCH__ >= 900
/* Two or four floats of global memory, each by itself atomic */
#define GPUDL_OF_SCOPE(suffix, scope, dotted) \
    static __device__ inline float2 atomicAdd##suffix(float2 *p, float2 v) \
    { \
        float2 was; \
        __asm__ volatile("{ .reg .u64 at; cvta.to.global.u64 at, %2; atom.relaxed" dotted \
                         ".global.v2.f32.add {%0, %1}, [at], {%3, %4}; }" \
                         : "=f"(was.x), "=f"(was.y) \
                         : "l"(p), "f"(v.x), "f"(v.y) \
                         : "memory"); \
        return was; \
    } \
    static __device__ inline float4 atomicAdd##suffix(float4 *p, float4 v) \
    { \
        float4 was; \
        __asm__ volatile("{ .reg .u64 at; cvta.to.global.u64 at, %4; " \
                         "atom.relaxed" dotted ".global.v4.f32.add {%0, %1, %2, %3}, [at], {%5, %6, %7, %8}; }" \
                         : "=f"(was.x), "=f"(was.y), "=f"(was.z), "=f"(was.w) \
                         : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) \
                         : "memory"); \
        return was; \
    }
#define GPUDL_GPU_SCOPE(suffix, scope, dotted) GPUDL_OF_SCOPE(suffix, scope, dotted)
GPUDL_GPU_SCOPE(, , ".gpu")
GPUDL_GPU_SCOPE(_block, cta_, ".cta")
GPUDL_GPU_SCOPE(_system, sys_, ".sys")
#undef GPUDL_GPU_SCOPE
#undef GPUDL_OF_SCOPE
#endif

/* Sixteen bytes at once, of any type that is so large and so aligned: PTX 8.3 and sm_90. */
template <class T> struct gpudl_sixteen {
    static const bool is = sizeof(T) == 16 && alignof(T) == 16 && __is_trivially_copyable(T);
};
template <bool> struct gpudl_if {
};
template <> struct gpudl_if<true> {
    typedef int type;
};
struct gpudl_two_words {
    unsigned long long low, high;
};
#if __CUDA_ARCH__ >= 900 && defined(GPUDL_PTX) && GPUDL_PTX >= 83
#define GPUDL_SIXTEEN(...) __VA_ARGS__
#else
#define GPUDL_SIXTEEN(...) \
    { \
        static_assert( \
            sizeof(T) == 0, "atomic functions of 16 bytes need sm_90 and a driver that takes PTX 8.3 (R545 or later)"); \
        return T(); \
    }
#endif
#define GPUDL_OF_SCOPE(suffix, scope, dotted) \
    template <class T, typename gpudl_if<gpudl_sixteen<T>::is>::type = 0> \
    static __device__ inline T atomicExch##suffix(T *p, T v) GPUDL_SIXTEEN({ \
        gpudl_two_words was, w = __builtin_bit_cast(gpudl_two_words, v); \
        __asm__ volatile("{ .reg .b128 was, to; mov.b128 to, {%3, %4}; atom" dotted \
                         ".exch.b128 was, [%2], to; mov.b128 {%0, %1}, was; }" \
                         : "=l"(was.low), "=l"(was.high) \
                         : "l"(p), "l"(w.low), "l"(w.high) \
                         : "memory"); \
        return __builtin_bit_cast(T, was); \
    }) template <class T, typename gpudl_if<gpudl_sixteen<T>::is>::type = 0> \
    static __device__ inline T atomicCAS##suffix(T *p, T is, T then) GPUDL_SIXTEEN({ \
        gpudl_two_words was, i = __builtin_bit_cast(gpudl_two_words, is), w = __builtin_bit_cast(gpudl_two_words, then); \
        __asm__ volatile("{ .reg .b128 was, is, to; mov.b128 is, {%3, %4}; mov.b128 to, {%5, %6}; " \
                         "atom" dotted ".cas.b128 was, [%2], is, to; mov.b128 {%0, %1}, was; }" \
                         : "=l"(was.low), "=l"(was.high) \
                         : "l"(p), "l"(i.low), "l"(i.high), "l"(w.low), "l"(w.high) \
                         : "memory"); \
        return __builtin_bit_cast(T, was); \
    })
GPUDL_EACH_SCOPE(GPUDL_OF_SCOPE)
#undef GPUDL_OF_SCOPE
#undef GPUDL_SIXTEEN
#undef GPUDL_EACH_SCOPE
