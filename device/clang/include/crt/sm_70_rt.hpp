/* sm_70_rt.hpp - clang's header takes the typed match functions from a file of this name. */
#pragma once
#pragma clang system_header
#define GPUDL_MATCH(T, bits, value)                                                                                                  \
    static __device__ inline unsigned __match_any_sync(unsigned mask, T v) { return __match##bits##_any_sync(mask, value); }         \
    static __device__ inline unsigned __match_all_sync(unsigned mask, T v, int *all) { return __match##bits##_all_sync(mask, value, all); }
GPUDL_MATCH(int, 32, (unsigned)v)
GPUDL_MATCH(unsigned, 32, v)
GPUDL_MATCH(float, 32, __builtin_bit_cast(unsigned, v))
GPUDL_MATCH(long, 64, (unsigned long long)v)
GPUDL_MATCH(unsigned long, 64, v)
GPUDL_MATCH(long long, 64, (unsigned long long)v)
GPUDL_MATCH(unsigned long long, 64, v)
GPUDL_MATCH(double, 64, __builtin_bit_cast(unsigned long long, v))
#undef GPUDL_MATCH
