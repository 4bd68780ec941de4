/* Types and constants of driver.h are cuda.h's, in C++; and every function of the table has the parameters that the toolkit's own typedef
 * of that function and version has, enumerations taken as int. */
#include "headers.inc"
#include <cassert>
#include <cstddef>
#include <type_traits>

#include <cudaTypedefs.h>

#include "abi.inc"

template <class Ours, class Theirs> constexpr bool same_parameter()
{
    if constexpr (std::is_same_v<Ours, Theirs>)
        return true;
    else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>)
        return same_parameter<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
    else if constexpr (std::is_enum_v<Theirs>)
        return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
    else    /* cuuint64_t may be another 64-bit type than uint64_t */
        return std::is_integral_v<Ours> && std::is_integral_v<Theirs> && sizeof(Ours) == sizeof(Theirs) &&
               std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
}

template <class... Ours, class... Theirs> constexpr bool same_function(int (*)(Ours...), CUresult (*)(Theirs...))
{
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
        return (same_parameter<Ours, Theirs>() && ...);
    else
        return false;
}

static_assert(sizeof(CUresult) == sizeof(int));
#define CHECK_FUNCTION(name, since, need, without, params) \
    static_assert(same_function(decltype(gpudl_driver_table::name)(nullptr), PFN_cu##name##_v##since(nullptr)), #name);
GPUDL_DRIVER_FUNCTIONS(CHECK_FUNCTION)

static size_t through(const gpudl_source *source) { return source->size; }

int main()
{
    return through(GPUDL_FILE("k.cubin")) == sizeof(gpudl_source) && GPUDL_STREAM_PER_THREAD == CU_STREAM_PER_THREAD ? 0 : 1;
}
