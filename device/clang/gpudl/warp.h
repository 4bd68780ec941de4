/* warp.h - what clang's header leaves out of votes and reductions, and products of bytes and halfwords. */
#pragma once
#pragma clang system_header

#if __CUDA_ARCH__ >= 800
#define GPUDL_REDUCE(T, name, builtin) \
    static __device__ inline T __reduce_##name##_sync(unsigned mask, T value) \
    { \
        return (T)__nvvm_redux_sync_##builtin((int)value, (int)mask); \
    }
GPUDL_REDUCE(int, add, add)
GPUDL_REDUCE(unsigned, add, add)
GPUDL_REDUCE(int, min, min)
GPUDL_REDUCE(unsigned, min, umin)
GPUDL_REDUCE(int, max, max)
GPUDL_REDUCE(unsigned, max, umax)
GPUDL_REDUCE(unsigned, and, and)
GPUDL_REDUCE(unsigned, or, or)
GPUDL_REDUCE(unsigned, xor, xor)
#undef GPUDL_REDUCE
#endif

#define GPUDL_DOT(name, instruction, TR, TA, TB, first, second, third) \
    GPUDL_DEVICE TR name(TA a, TB b, TR c) \
    { \
        TR r; \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(first), "r"(second), "r"(third)); \
        return r; \
    }
#define GPUDL_WORD(v) __builtin_bit_cast(unsigned, v)
GPUDL_DOT(__dp4a, "dp4a.s32.s32", int, int, int, a, b, c)
GPUDL_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned, a, b, c)
GPUDL_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4, GPUDL_WORD(a), GPUDL_WORD(b), c)
GPUDL_DOT(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4, GPUDL_WORD(a), GPUDL_WORD(b), c)
#define GPUDL_DOT_2(half) \
    GPUDL_DOT(__dp2a_##half, "dp2a." #half ".s32.s32", int, int, int, a, b, c) \
    GPUDL_DOT(__dp2a_##half, "dp2a." #half ".u32.u32", unsigned, unsigned, unsigned, a, b, c) \
    GPUDL_DOT(__dp2a_##half, "dp2a." #half ".s32.s32", int, short2, char4, GPUDL_WORD(a), GPUDL_WORD(b), c) \
    GPUDL_DOT(__dp2a_##half, "dp2a." #half ".u32.u32", unsigned, ushort2, uchar4, GPUDL_WORD(a), GPUDL_WORD(b), c)
GPUDL_DOT_2(lo)
GPUDL_DOT_2(hi)
#undef GPUDL_DOT_2
#undef GPUDL_DOT
#undef GPUDL_WORD
