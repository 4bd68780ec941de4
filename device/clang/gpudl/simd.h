/* simd.h - the SIMD functions: four bytes or two halfwords of a word, each for itself. Written in C++, as hardware has few of
 * them. */
#pragma once
#pragma clang system_header
template <class T, class F> GPUDL_DEVICE unsigned gpudl_lanes(unsigned a, unsigned b, F f)
{
    const int bits = 8 * sizeof(T);
    unsigned r = 0;

#pragma unroll
    for (int at = 0; at < 32; at += bits)
        r |= ((unsigned)f((int)(T)(a >> at), (int)(T)(b >> at)) & ((1u << bits) - 1)) << at;
    return r;
}
template <class T> GPUDL_DEVICE int gpudl_saturated(int a)
{
    const bool is_signed = (T)-1 < (T)0;
    const int most = (1 << (8 * sizeof(T) - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;

    return a < least ? least : a > most ? most : a;
}
template <class T> GPUDL_DEVICE unsigned gpudl_difference_sum(unsigned a, unsigned b)
{
    unsigned sum = 0;

#pragma unroll
    for (int at = 0; at < 32; at += 8 * (int)sizeof(T))
        sum += (unsigned)__nv_abs((int)(T)(a >> at) - (int)(T)(b >> at));
    return sum;
}
#define GPUDL_LANES_1(name, T, value) \
    GPUDL_DEVICE unsigned __nv_##name(unsigned v) \
    { \
        return gpudl_lanes<T>( \
            v, 0, [](int a, int) __attribute__((device)) { return value; }); \
    }
#define GPUDL_LANES_2(name, T, value) \
    GPUDL_DEVICE unsigned __nv_##name(unsigned v, unsigned w) \
    { \
        return gpudl_lanes<T>( \
            v, w, [](int a, int b) __attribute__((device)) { return value; }); \
    }
#define GPUDL_COMPARED(what, n, T, op) \
    GPUDL_LANES_2(vcmp##what##n, T, a op b ? -1 : 0) \
    GPUDL_LANES_2(vset##what##n, T, a op b ? 1 : 0)
#define GPUDL_SIMD(n, S, U) \
    GPUDL_LANES_1(vabs##n, S, __nv_abs(a)) \
    GPUDL_LANES_1(vabsss##n, S, gpudl_saturated<S>(__nv_abs(a))) \
    GPUDL_LANES_1(vneg##n, S, -a) \
    GPUDL_LANES_1(vnegss##n, S, gpudl_saturated<S>(-a)) \
    GPUDL_LANES_2(vabsdiffs##n, S, __nv_abs(a - b)) \
    GPUDL_LANES_2(vabsdiffu##n, U, __nv_abs(a - b)) \
    GPUDL_LANES_2(vadd##n, U, a + b) \
    GPUDL_LANES_2(vaddss##n, S, gpudl_saturated<S>(a + b)) \
    GPUDL_LANES_2(vaddus##n, U, gpudl_saturated<U>(a + b)) \
    GPUDL_LANES_2(vsub##n, U, a - b) \
    GPUDL_LANES_2(vsubss##n, S, gpudl_saturated<S>(a - b)) \
    GPUDL_LANES_2(vsubus##n, U, gpudl_saturated<U>(a - b)) \
    GPUDL_LANES_2(vavgs##n, S, (a + b + (a + b >= 0 ? 1 : 0)) >> 1) \
    GPUDL_LANES_2(vavgu##n, U, (a + b + 1) >> 1) \
    GPUDL_LANES_2(vhaddu##n, U, (a + b) >> 1) \
    GPUDL_LANES_2(vmins##n, S, a < b ? a : b) \
    GPUDL_LANES_2(vminu##n, U, a < b ? a : b) \
    GPUDL_LANES_2(vmaxs##n, S, a > b ? a : b) \
    GPUDL_LANES_2(vmaxu##n, U, a > b ? a : b) \
    GPUDL_COMPARED(eq, n, U, ==) \
    GPUDL_COMPARED(ne, n, U, !=) \
    GPUDL_COMPARED(ges, n, S, >=) \
    GPUDL_COMPARED(geu, n, U, >=) \
    GPUDL_COMPARED(gts, n, S, >) \
    GPUDL_COMPARED(gtu, n, U, >) \
    GPUDL_COMPARED(les, n, S, <=) \
    GPUDL_COMPARED(leu, n, U, <=) \
    GPUDL_COMPARED(lts, n, S, <) \
    GPUDL_COMPARED(ltu, n, U, <) \
    GPUDL_FN(unsigned, vsads##n, (unsigned a, unsigned b), gpudl_difference_sum<S>(a, b)) \
    GPUDL_FN(unsigned, vsadu##n, (unsigned a, unsigned b), gpudl_difference_sum<U>(a, b))
GPUDL_SIMD(2, short, unsigned short)
GPUDL_SIMD(4, signed char, unsigned char)
#undef GPUDL_SIMD
#undef GPUDL_COMPARED
#undef GPUDL_LANES_1
#undef GPUDL_LANES_2
