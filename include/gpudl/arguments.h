/* Arguments as they are written. Part of <gpudl/gpudl.h>, which includes it.
 *
 *     gpudl_status gpudl_launch(gpudl_kernel *, const gpudl_launch_config *, arguments...);
 *
 * gpudl_kernel_launch() with the arguments as in a call of the kernel: gpudl_launch(saxpy, &config, n, 2.0f, x, y). Numbers and
 * pointers go with the types that they have here, so 2.0 is a double and no float. In C up to 32 arguments, each evaluated once,
 * and structs as GPUDL_STRUCT(s), where s has an address: a variable, or a compound literal. In C++ any number, and structs and
 * classes that can be copied byte by byte as they are; GPUDL_STRUCT(x) passes anything by its size alone. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_ARGUMENTS_H
#define GPUDL_ARGUMENTS_H

#ifdef __cplusplus
#include <cstring>
#include <type_traits>
#endif

#ifdef __cplusplus
extern "C++" {
template <class T> gpudl_arg gpudl_arg_struct(const T &x)
{
    static_assert(std::is_trivially_copyable<T>::value, "an argument of a kernel is copied byte by byte");
    gpudl_arg a = { GPUDL_ARG_BYTES, sizeof(T), { nullptr } };
    a.value.pointer = &reinterpret_cast<const char &>(x);
    return a;
}

template <class T> constexpr unsigned gpudl_arg_type_of()
{
    if constexpr (std::is_enum<T>::value)
        return gpudl_arg_type_of<std::underlying_type_t<T>>();
    else if constexpr (std::is_same<T, bool>::value)
        return GPUDL_ARG_BOOL;
    else if constexpr (std::is_same<T, char>::value)
        return GPUDL_ARG_CHAR;
    else if constexpr (std::is_floating_point<T>::value)
        return sizeof(T) == sizeof(float) ? GPUDL_ARG_FLOAT : GPUDL_ARG_DOUBLE;
    else if constexpr (std::is_same<std::make_signed_t<T>, long>::value)
        return std::is_signed<T>::value ? GPUDL_ARG_LONG : GPUDL_ARG_ULONG;
    else
        return (sizeof(T) == 1   ? GPUDL_ARG_SCHAR
                : sizeof(T) == 2 ? GPUDL_ARG_SHORT
                : sizeof(T) == 4 ? GPUDL_ARG_INT
                                 : GPUDL_ARG_LLONG) + !std::is_signed<T>::value;
}

template <class T> gpudl_arg gpudl_arg_of(const T &x)
{
    gpudl_arg a = { GPUDL_ARG_POINTER, sizeof(void *), { nullptr } };
    if constexpr (std::is_same<T, gpudl_arg>::value) {
        return x;
    } else if constexpr (std::is_class<T>::value || std::is_union<T>::value) {
        return gpudl_arg_struct(x);
    } else if constexpr (std::is_arithmetic<T>::value || std::is_enum<T>::value) {
        static_assert(sizeof(T) <= 8, "no kernel takes a scalar of this type");
        a.type = gpudl_arg_type_of<T>();
        a.size = sizeof(T);
        std::memcpy(&a.value, &x, sizeof(T));
    } else {
        const volatile void *pointer = x;
        a.value.pointer = const_cast<const void *>(pointer);
    }
    return a;
}

template <class... T> gpudl_status gpudl_launch(gpudl_kernel *kernel, const gpudl_launch_config *config, const T &...arguments)
{
    const gpudl_arg list[] = { gpudl_arg_of(arguments)..., gpudl_arg() };
    return gpudl_kernel_launch(kernel, config, list, sizeof...(T));
}
}
#define GPUDL_ARG(x)      gpudl_arg_of(x)
#define GPUDL_STRUCT(...) gpudl_arg_struct(__VA_ARGS__)
#else
static inline gpudl_arg gpudl_arg_bytes(const void *bytes, size_t size)
{
    gpudl_arg a = { GPUDL_ARG_BYTES, (unsigned)size, { bytes } };
    return a;
}
static inline gpudl_arg gpudl_arg_same(gpudl_arg x) { return x; }
#define GPUDL_ARG_MAKER(name, ctype, tag, member, as) \
    static inline gpudl_arg gpudl_arg_##name(ctype x) \
    { \
        gpudl_arg a = { GPUDL_ARG_##tag, sizeof(x), { 0 } }; \
        a.value.member = (as)x; \
        return a; \
    }
GPUDL_ARG_MAKER(bool, _Bool, BOOL, integer, uint64_t)
GPUDL_ARG_MAKER(char, char, CHAR, integer, uint64_t)
GPUDL_ARG_MAKER(schar, signed char, SCHAR, integer, uint64_t)
GPUDL_ARG_MAKER(uchar, unsigned char, UCHAR, integer, uint64_t)
GPUDL_ARG_MAKER(short, short, SHORT, integer, uint64_t)
GPUDL_ARG_MAKER(ushort, unsigned short, USHORT, integer, uint64_t)
GPUDL_ARG_MAKER(int, int, INT, integer, uint64_t)
GPUDL_ARG_MAKER(uint, unsigned, UINT, integer, uint64_t)
GPUDL_ARG_MAKER(long, long, LONG, integer, uint64_t)
GPUDL_ARG_MAKER(ulong, unsigned long, ULONG, integer, uint64_t)
GPUDL_ARG_MAKER(llong, long long, LLONG, integer, uint64_t)
GPUDL_ARG_MAKER(ullong, unsigned long long, ULLONG, integer, uint64_t)
GPUDL_ARG_MAKER(float, float, FLOAT, real, float)
GPUDL_ARG_MAKER(double, double, DOUBLE, wide, double)
GPUDL_ARG_MAKER(pointer, const volatile void *, POINTER, integer, uintptr_t)
#undef GPUDL_ARG_MAKER

#define GPUDL_ARG(x) \
    _Generic((x), gpudl_arg: gpudl_arg_same, _Bool: gpudl_arg_bool, char: gpudl_arg_char, signed char: gpudl_arg_schar, \
        unsigned char: gpudl_arg_uchar, short: gpudl_arg_short, unsigned short: gpudl_arg_ushort, int: gpudl_arg_int, \
        unsigned: gpudl_arg_uint, long: gpudl_arg_long, unsigned long: gpudl_arg_ulong, long long: gpudl_arg_llong, \
        unsigned long long: gpudl_arg_ullong, float: gpudl_arg_float, double: gpudl_arg_double, default: gpudl_arg_pointer)(x)
#define GPUDL_STRUCT(...) gpudl_arg_bytes(&(__VA_ARGS__), sizeof(__VA_ARGS__))

/* How many there are, then that many, and an empty one to end with, so that there may be none. */
#define gpudl_launch(...) GPUDL_LAUNCH_COUNTED(GPUDL_LAUNCH_COUNT(__VA_ARGS__), __VA_ARGS__, ~)
#define GPUDL_LAUNCH_COUNT(...) \
    GPUDL_LAUNCH_PICK(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, \
        9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define GPUDL_LAUNCH_PICK(k, c, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, \
    a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n
#define GPUDL_LAUNCH_COUNTED(n, ...) GPUDL_LAUNCH_LIST(n, __VA_ARGS__)
#define GPUDL_LAUNCH_LIST(n, kernel, config, ...) \
    gpudl_kernel_launch(kernel, config, (const gpudl_arg[]){ GPUDL_ARGS_##n(__VA_ARGS__) }, n)
#define GPUDL_ARGS_0(...)     { 0, 0, { 0 } }
#define GPUDL_ARGS_1(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_0(__VA_ARGS__)
#define GPUDL_ARGS_2(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_1(__VA_ARGS__)
#define GPUDL_ARGS_3(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_2(__VA_ARGS__)
#define GPUDL_ARGS_4(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_3(__VA_ARGS__)
#define GPUDL_ARGS_5(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_4(__VA_ARGS__)
#define GPUDL_ARGS_6(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_5(__VA_ARGS__)
#define GPUDL_ARGS_7(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_6(__VA_ARGS__)
#define GPUDL_ARGS_8(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_7(__VA_ARGS__)
#define GPUDL_ARGS_9(x, ...)   GPUDL_ARG(x), GPUDL_ARGS_8(__VA_ARGS__)
#define GPUDL_ARGS_10(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_9(__VA_ARGS__)
#define GPUDL_ARGS_11(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_10(__VA_ARGS__)
#define GPUDL_ARGS_12(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_11(__VA_ARGS__)
#define GPUDL_ARGS_13(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_12(__VA_ARGS__)
#define GPUDL_ARGS_14(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_13(__VA_ARGS__)
#define GPUDL_ARGS_15(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_14(__VA_ARGS__)
#define GPUDL_ARGS_16(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_15(__VA_ARGS__)
#define GPUDL_ARGS_17(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_16(__VA_ARGS__)
#define GPUDL_ARGS_18(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_17(__VA_ARGS__)
#define GPUDL_ARGS_19(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_18(__VA_ARGS__)
#define GPUDL_ARGS_20(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_19(__VA_ARGS__)
#define GPUDL_ARGS_21(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_20(__VA_ARGS__)
#define GPUDL_ARGS_22(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_21(__VA_ARGS__)
#define GPUDL_ARGS_23(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_22(__VA_ARGS__)
#define GPUDL_ARGS_24(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_23(__VA_ARGS__)
#define GPUDL_ARGS_25(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_24(__VA_ARGS__)
#define GPUDL_ARGS_26(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_25(__VA_ARGS__)
#define GPUDL_ARGS_27(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_26(__VA_ARGS__)
#define GPUDL_ARGS_28(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_27(__VA_ARGS__)
#define GPUDL_ARGS_29(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_28(__VA_ARGS__)
#define GPUDL_ARGS_30(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_29(__VA_ARGS__)
#define GPUDL_ARGS_31(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_30(__VA_ARGS__)
#define GPUDL_ARGS_32(x, ...)  GPUDL_ARG(x), GPUDL_ARGS_31(__VA_ARGS__)
#endif
#endif
