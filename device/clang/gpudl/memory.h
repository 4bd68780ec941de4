/* memory.h - loads and stores with a hint for the caches. */
#pragma once
#pragma clang system_header

template <unsigned size> struct gpudl_access; /* a value of size bytes, as one instruction moves it */
template <> struct gpudl_access<1> {
    typedef unsigned char type;
};
template <> struct gpudl_access<2> {
    typedef unsigned short type;
};
template <> struct gpudl_access<4> {
    typedef unsigned type;
};
template <> struct gpudl_access<8> {
    typedef unsigned long long type;
};
template <> struct gpudl_access<16> {
    typedef gpudl_two_words type;
};

#define GPUDL_HINTED_LOAD(hint) \
    GPUDL_DEVICE void gpudl_ld##hint(const void *p, unsigned char *v) \
    { \
        unsigned short w; \
        __asm__ volatile("ld.global." #hint ".u8 %0, [%1];" : "=h"(w) : "l"(p) : "memory"); \
        *v = (unsigned char)w; \
    } \
    GPUDL_DEVICE void gpudl_ld##hint(const void *p, unsigned short *v) \
    { \
        __asm__ volatile("ld.global." #hint ".u16 %0, [%1];" : "=h"(*v) : "l"(p) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_ld##hint(const void *p, unsigned *v) \
    { \
        __asm__ volatile("ld.global." #hint ".u32 %0, [%1];" : "=r"(*v) : "l"(p) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_ld##hint(const void *p, unsigned long long *v) \
    { \
        __asm__ volatile("ld.global." #hint ".u64 %0, [%1];" : "=l"(*v) : "l"(p) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_ld##hint(const void *p, gpudl_two_words *v) \
    { \
        __asm__ volatile("ld.global." #hint ".v2.u64 {%0, %1}, [%2];" : "=l"(v->low), "=l"(v->high) : "l"(p) : "memory"); \
    } \
    template <class T> GPUDL_DEVICE T __ld##hint(const T *p) \
    { \
        typename gpudl_access<sizeof(T)>::type v; \
        gpudl_ld##hint((const void *)p, &v); \
        return __builtin_bit_cast(T, v); \
    }
#define GPUDL_HINTED_STORE(hint) \
    GPUDL_DEVICE void gpudl_st##hint(void *p, unsigned char v) \
    { \
        __asm__ volatile("st.global." #hint ".u8 [%0], %1;" ::"l"(p), "h"((unsigned short)v) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_st##hint(void *p, unsigned short v) \
    { \
        __asm__ volatile("st.global." #hint ".u16 [%0], %1;" ::"l"(p), "h"(v) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_st##hint(void *p, unsigned v) \
    { \
        __asm__ volatile("st.global." #hint ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_st##hint(void *p, unsigned long long v) \
    { \
        __asm__ volatile("st.global." #hint ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory"); \
    } \
    GPUDL_DEVICE void gpudl_st##hint(void *p, gpudl_two_words v) \
    { \
        __asm__ volatile("st.global." #hint ".v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.low), "l"(v.high) : "memory"); \
    } \
    template <class T> GPUDL_DEVICE void __st##hint(T *p, T v) \
    { \
        gpudl_st##hint((void *)p, __builtin_bit_cast(typename gpudl_access<sizeof(T)>::type, v)); \
    }
GPUDL_HINTED_LOAD(ca)
GPUDL_HINTED_LOAD(cg)
GPUDL_HINTED_LOAD(cs)
GPUDL_HINTED_LOAD(lu)
GPUDL_HINTED_LOAD(cv)
GPUDL_HINTED_STORE(wb)
GPUDL_HINTED_STORE(cg)
GPUDL_HINTED_STORE(cs)
GPUDL_HINTED_STORE(wt)
#undef GPUDL_HINTED_LOAD
#undef GPUDL_HINTED_STORE
