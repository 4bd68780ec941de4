/* A version that is held: for launches of one version, globals and native handles. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_VERSION
#define GPUDL_HPP_VERSION

#include <gpudl/hpp/loader.hpp>

namespace gpudl {

/* Pinned by library::pin(), until it goes. */
class version : public handle_of<gpudl_version, gpudl_version_unpin> {
public:
    using handle_of::handle_of;

    std::size_t kernel_count() const { return gpudl_version_kernel_count(handle()); }
    const char *kernel_name(std::size_t index) const { return gpudl_version_kernel_name(handle(), index); }    /* nullptr past the end */
    const char *log() const { return gpudl_version_log(handle()); }
    std::uint64_t number() const { return gpudl_version_number(handle()); }

    /* Where a global is, as bytes. */
    device_span<unsigned char> global(const char *name, int device = 0) const { return try_global(name, device).value(); }
    result<device_span<unsigned char>> try_global(const char *name, int device = 0) const
    {
        CUdeviceptr address = 0;
        std::size_t size = 0;
        gpudl_status status = gpudl_version_global(handle(), name, device, &address, &size);
        return detail::made<device_span<unsigned char>>(status, reinterpret_cast<unsigned char *>(static_cast<std::uintptr_t>(address)), size);
    }

    /* The same of one or several Ts; GPUDL_ERROR_ARGUMENT where its size is no multiple of theirs. */
    template <class T> device_span<T> global(const char *name, int device = 0) const { return try_global<T>(name, device).value(); }
    template <class T> result<device_span<T>> try_global(const char *name, int device = 0) const
    {
        result<device_span<unsigned char>> bytes = try_global(name, device);
        if (!bytes)
            return bytes.error();
        if (bytes->count % sizeof(T))
            return failure(GPUDL_ERROR_ARGUMENT, std::string("global '") + name + "' has " + std::to_string(bytes->count) +
                " bytes, which are no whole number of elements of " + std::to_string(sizeof(T)) + ": give the type that its source has");
        return device_span<T>{ reinterpret_cast<T *>(bytes->pointer), bytes->count / sizeof(T) };
    }

    /* Of globals of both; how many there were. */
    std::size_t copy_globals_from(const version &other, int device = 0) const { return try_copy_globals_from(other, device).value(); }
    result<std::size_t> try_copy_globals_from(const version &other, int device = 0) const
    {
        std::size_t copied = 0;
        gpudl_status status = gpudl_version_copy_globals(other.handle(), handle(), device, &copied);
        return detail::made<std::size_t>(status, copied);
    }

    CUlibrary native() const { return try_native().value(); }
    result<CUlibrary> try_native() const
    {
        CUlibrary native = nullptr;
        gpudl_status status = gpudl_version_native(handle(), &native);
        return detail::made<CUlibrary>(status, native);
    }
};

}
#endif
