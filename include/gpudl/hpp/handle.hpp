/* What all handles are, and calls back from C. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_HANDLE
#define GPUDL_HPP_HANDLE

#include <gpudl/hpp/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <vector>

namespace gpudl {

/* An object of gpudl's that is released with this one. */
template <class H, void (*Release)(H *)> class handle_of {
    H *handle_ = nullptr;

public:
    handle_of() noexcept = default;
    explicit handle_of(H *own) noexcept : handle_(own) {}
    handle_of(handle_of &&other) noexcept : handle_(other.detach()) {}
    handle_of &operator=(handle_of &&other) noexcept
    {
        reset(other.detach());  /* right for itself, too: it is empty when it is reset */
        return *this;
    }
    ~handle_of() { reset(); }

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    H *handle() const noexcept { return handle_; }                      /* lent */
    H *detach() noexcept { return std::exchange(handle_, nullptr); }    /* the caller's to release */
    void reset(H *own = nullptr) noexcept { Release(std::exchange(handle_, own)); }
};

/* Memory of a device that holds Ts: not for the host to read. */
template <class T> struct device_span {
    T *pointer = nullptr;
    std::size_t count = 0;

    T *data() const noexcept { return pointer; }
    std::size_t size() const noexcept { return count; }
    std::size_t size_bytes() const noexcept { return count * sizeof(T); }
    CUdeviceptr address() const noexcept { return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer)); }
};

inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

namespace detail {

inline std::uint64_t ns(std::chrono::nanoseconds t) noexcept
{
    return t == forever ? UINT64_MAX : t.count() < 0 ? 0 : static_cast<std::uint64_t>(t.count());
}

/* Not given is NULL in C. */
inline const char *text_or_null(const std::string &s) noexcept { return s.empty() ? nullptr : s.c_str(); }

template <class Info> Info sized() noexcept
{
    Info info = Info();
    info.size_of_struct = sizeof(info);
    return info;
}

inline std::vector<const char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<const char *> all;
    for (const std::string &text : texts)
        all.push_back(text.c_str());
    return all;
}

/* A function object that C calls back. What it throws is kept until C has returned, as it must not pass through. */
template <class F> class guarded {
    F &f_;
#if GPUDL_HPP_EXCEPTIONS
    std::exception_ptr thrown_;
#endif

public:
    explicit guarded(F &f) : f_(f) {}

    template <class R, class... A> R call(R otherwise, A... a) noexcept
    {
#if GPUDL_HPP_EXCEPTIONS
        if (thrown_)
            return otherwise;
        try {
#endif
            if constexpr (std::is_void_v<std::invoke_result_t<F &, A...>>)
                f_(a...);
            else
                otherwise = static_cast<R>(f_(a...));
#if GPUDL_HPP_EXCEPTIONS
        } catch (...) {
            thrown_ = std::current_exception();
        }
#endif
        return otherwise;
    }

    void rethrow()
    {
#if GPUDL_HPP_EXCEPTIONS
        if (thrown_)
            std::rethrow_exception(thrown_);
#endif
    }

    /* For each kind of callback: `void f(void *user, Args...)`, and one that says by 0 that it has enough. */
    template <class... A> static void tell(void *user, A... a) { static_cast<guarded *>(user)->call(0, a...); }
    template <class... A> static int ask(void *user, A... a)
    {
        guarded *g = static_cast<guarded *>(user);
        int more = g->call(1, a...);
#if GPUDL_HPP_EXCEPTIONS
        if (g->thrown_)
            return 0;
#endif
        return more;
    }
};

}
}
#endif
