/* libclc.h - the functions that are taken from libclc, LLVM's OpenCL library, under the names its bitcode has them.
 *
 * The bitcode is given to clang with -mlink-builtin-bitcode. Where there is none (GPUDL_NO_LIBCLC), a call to one of them is an error that says
 * what to install; what does not need them compiles all the same. */
#pragma once
#pragma clang system_header
#ifdef GPUDL_NO_LIBCLC
#define GPUDL_CLC __attribute__((error("this mathematical function is in libclc, which was not found: install libclc-19, or compile with NVRTC")))
#else
#define GPUDL_CLC
#endif
#define GPUDL_CLC_1(name, symbol)                                                                                            \
    extern "C" __device__ __attribute__((const, nothrow)) float gpudl_clc_##name##f(float) __asm__(symbol "f") GPUDL_CLC;      \
    extern "C" __device__ __attribute__((const, nothrow)) double gpudl_clc_##name(double) __asm__(symbol "d") GPUDL_CLC;
#define GPUDL_CLC_2(name, symbol)                                                                                            \
    extern "C" __device__ __attribute__((const, nothrow)) float gpudl_clc_##name##f(float, float) __asm__(symbol "ff") GPUDL_CLC; \
    extern "C" __device__ __attribute__((const, nothrow)) double gpudl_clc_##name(double, double) __asm__(symbol "dd") GPUDL_CLC;
#define GPUDL_CLC_PASS_1(name, symbol)                                             \
    GPUDL_CLC_1(name, symbol)                                                    \
    GPUDL_FN(double, name, (double a), gpudl_clc_##name(a))                      \
    GPUDL_FN(float, name##f, (float a), gpudl_clc_##name##f(a))
#define GPUDL_CLC_PASS_2(name, symbol)                                             \
    GPUDL_CLC_2(name, symbol)                                                    \
    GPUDL_FN(double, name, (double a, double b), gpudl_clc_##name(a, b))         \
    GPUDL_FN(float, name##f, (float a, float b), gpudl_clc_##name##f(a, b))

GPUDL_CLC_PASS_1(acos, "_Z4acos")
GPUDL_CLC_PASS_1(acosh, "_Z5acosh")
GPUDL_CLC_PASS_1(asin, "_Z4asin")
GPUDL_CLC_PASS_1(asinh, "_Z5asinh")
GPUDL_CLC_PASS_1(atan, "_Z4atan")
GPUDL_CLC_PASS_1(atanh, "_Z5atanh")
GPUDL_CLC_PASS_1(cbrt, "_Z4cbrt")
GPUDL_CLC_PASS_1(cos, "_Z3cos")
GPUDL_CLC_PASS_1(erf, "_Z3erf")
GPUDL_CLC_PASS_1(exp, "_Z3exp")
GPUDL_CLC_PASS_1(exp10, "_Z5exp10")
GPUDL_CLC_PASS_1(exp2, "_Z4exp2")
GPUDL_CLC_PASS_1(expm1, "_Z5expm1")
GPUDL_CLC_PASS_1(log10, "_Z5log10")
GPUDL_CLC_PASS_1(log1p, "_Z5log1p")
GPUDL_CLC_PASS_1(log2, "_Z4log2")
GPUDL_CLC_PASS_1(sin, "_Z3sin")
GPUDL_CLC_PASS_1(sinh, "_Z4sinh")
GPUDL_CLC_PASS_1(tan, "_Z3tan")
GPUDL_CLC_PASS_1(tanh, "_Z4tanh")
GPUDL_CLC_PASS_2(atan2, "_Z5atan2")
GPUDL_CLC_PASS_2(fmod, "_Z4fmod")
GPUDL_CLC_PASS_2(hypot, "_Z5hypot")
GPUDL_CLC_PASS_2(remainder, "_Z9remainder")
GPUDL_CLC_PASS_2(pow, "_Z3pow")
GPUDL_CLC_1(cosh, "_Z4cosh")     /* of these the float one is less accurate than CUDA's: gpudl/math.h */
GPUDL_CLC_1(erfc, "_Z4erfc")
GPUDL_CLC_1(lgamma, "_Z6lgamma")
GPUDL_FN(double, cosh, (double a), gpudl_clc_cosh(a))
GPUDL_FN(double, erfc, (double a), gpudl_clc_erfc(a))
GPUDL_FN(double, lgamma, (double a), gpudl_clc_lgamma(a))
#undef GPUDL_CLC_1
#undef GPUDL_CLC_2
#undef GPUDL_CLC_PASS_1
#undef GPUDL_CLC_PASS_2
#undef GPUDL_CLC
