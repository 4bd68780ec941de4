/* The types of a kernel's parameters, for the program and for gpudl_kernel_check(). Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_TYPES
#define GPUDL_HPP_TYPES

#include <gpudl/hpp/handle.hpp>

#include <string_view>

namespace gpudl {
namespace detail {

/* "[with T = box]" of gcc, "[T = box]" of clang. */
template <class T> std::string name_of_class()
{
    std::string_view all = __PRETTY_FUNCTION__;
    std::size_t from = all.find("T = "), to = all.find_last_of(']');

    if (from == std::string_view::npos || to == std::string_view::npos)
        return "a class";
    all = all.substr(from + 4, to - from - 4);
    return std::string(all.substr(0, all.find("; std::string = ")));
}

/* As C++ spells it, const behind; an enumeration as its integer. */
template <class T> std::string spelled()
{
    if constexpr (std::is_const_v<T>)
        return spelled<std::remove_const_t<T>>() + " const";
    else if constexpr (std::is_volatile_v<T>)
        return spelled<std::remove_volatile_t<T>>() + " volatile";
    else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
        return spelled<std::remove_pointer_t<T>>() + "*";
    else if constexpr (std::is_enum_v<T>)
        return spelled<std::underlying_type_t<T>>();
    else if constexpr (std::is_same_v<T, unsigned>)
        return "unsigned int";
    else if constexpr (std::is_same_v<T, long>)
        return "long";
    else if constexpr (std::is_same_v<T, unsigned long>)
        return "unsigned long";
    else if constexpr (std::is_same_v<T, long long>)
        return "long long";
    else if constexpr (std::is_same_v<T, unsigned long long>)
        return "unsigned long long";
    else if constexpr (std::is_same_v<T, short>)
        return "short";
    else if constexpr (std::is_same_v<T, unsigned short>)
        return "unsigned short";
    else
        return name_of_class<T>();      /* and what compilers spell alike: bool, char, int, float, ... */
}

/* Without a value. */
template <class T> gpudl_arg arg_of_type()
{
    gpudl_arg a = gpudl_arg();

    a.size = static_cast<unsigned>(sizeof(T));
    if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>)
        a.type = GPUDL_ARG_POINTER;
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        a.type = gpudl_arg_type_of<T>();
    else
        a.type = GPUDL_ARG_BYTES;
    return a;
}

/* A pointer of the kernel's, of whatever the program has its address in. */
template <class P> struct pointer_parameter {
    P pointer = nullptr;

    pointer_parameter(P p) : pointer(p) {}
    template <class A, class = std::enable_if_t<std::is_same_v<A, CUdeviceptr>>>
    pointer_parameter(A address) : pointer(reinterpret_cast<P>(static_cast<std::uintptr_t>(address)))
    {
    }
    template <class T, class = std::enable_if_t<std::is_convertible_v<T *, P>>> pointer_parameter(const device_span<T> &s) : pointer(s.data()) {}
};

template <class T>
using parameter = std::conditional_t<std::is_pointer_v<std::remove_cv_t<T>>, pointer_parameter<std::remove_cv_t<T>>, std::remove_cv_t<T>>;

template <class T> const T &plain(const T &value) { return value; }
template <class P> const P &plain(const pointer_parameter<P> &value) { return value.pointer; }
template <class T> void *place_of(const T &value) { return const_cast<char *>(&reinterpret_cast<const char &>(value)); }

}
}
#endif
