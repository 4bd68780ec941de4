/* Failures, as exceptions and as values. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_ERROR
#define GPUDL_HPP_ERROR

#include <gpudl/gpudl.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__cpp_exceptions)
#define GPUDL_HPP_EXCEPTIONS 1
#else
#define GPUDL_HPP_EXCEPTIONS 0
#endif

namespace gpudl {

/* Why a call failed. */
class failure {
    gpudl_status status_ = GPUDL_OK;
    int cuda_ = 0;
    std::string text_;

public:
    failure() = default;
    failure(gpudl_status status, std::string text, int cuda = 0) : status_(status), cuda_(cuda), text_(std::move(text)) {}

    /* This thread's last one, which was of that status. */
    static failure last(gpudl_status status) { return failure(status, gpudl_error_text(), gpudl_error_cuda()); }

    gpudl_status status() const noexcept { return status_; }
    int cuda() const noexcept { return cuda_; }     /* the driver's code behind it, CUresult; 0: none */
    const std::string &text() const noexcept { return text_; }
    const char *name() const noexcept { return gpudl_status_name(status_); }
};

/* The same as an exception; what() is the text. */
class __attribute__((visibility("default"))) error : public std::runtime_error {
    gpudl_status status_;
    int cuda_;

public:
    explicit error(const failure &f)
        : std::runtime_error(f.text().empty() ? gpudl_status_text(f.status()) : f.text()), status_(f.status()), cuda_(f.cuda())
    {
    }

    gpudl_status status() const noexcept { return status_; }
    int cuda() const noexcept { return cuda_; }
};

namespace detail {

[[noreturn]] inline void raise(const failure &f)
{
#if GPUDL_HPP_EXCEPTIONS
    throw error(f);
#else
    (void)f;
    std::abort();
#endif
}

/* Out of the way of calls that succeed. */
[[noreturn]] __attribute__((noinline, cold)) inline void raise_last(gpudl_status status)
{
    raise(failure::last(status));
}

inline void must(gpudl_status status)
{
    if (__builtin_expect(status != GPUDL_OK, 0))
        raise_last(status);
}

}

/* The value of a call, or why there is none. value() throws that; * and -> ask for a value to be there. */
template <class T> class [[nodiscard]] result {
    std::optional<T> value_;
    failure failure_;

    void need() const
    {
        if (!value_)
            detail::raise(failure_);
    }

public:
    result(T value) : value_(std::move(value)) {}
    result(failure f) : failure_(std::move(f)) {}

    explicit operator bool() const noexcept { return value_.has_value(); }
    gpudl_status status() const noexcept { return failure_.status(); }      /* GPUDL_OK where there is a value */
    const failure &error() const noexcept { return failure_; }

    T &value() & { need(); return *value_; }
    const T &value() const & { need(); return *value_; }
    T value() && { need(); return std::move(*value_); }
    template <class U> T value_or(U &&other) && { return value_ ? std::move(*value_) : T(std::forward<U>(other)); }

    T &operator*() & noexcept { return *value_; }
    const T &operator*() const & noexcept { return *value_; }
    T &&operator*() && noexcept { return std::move(*value_); }
    T *operator->() noexcept { return &*value_; }
    const T *operator->() const noexcept { return &*value_; }
};

/* Of a call that makes nothing. */
template <> class [[nodiscard]] result<void> {
    failure failure_;

public:
    result() = default;
    result(failure f) : failure_(std::move(f)) {}

    explicit operator bool() const noexcept { return status() == GPUDL_OK; }
    gpudl_status status() const noexcept { return failure_.status(); }
    const failure &error() const noexcept { return failure_; }
    void value() const
    {
        if (!*this)
            detail::raise(failure_);
    }
};

namespace detail {

inline result<void> done(gpudl_status status)
{
    return status == GPUDL_OK ? result<void>() : result<void>(failure::last(status));
}

/* A T of what a call wrote, if it succeeded. */
template <class T, class... From> result<T> made(gpudl_status status, From &&...from)
{
    if (status != GPUDL_OK)
        return failure::last(status);
    return T{ std::forward<From>(from)... };
}

}

/* What a function of the driver's table returned: cuda(loader.driver().MemAlloc(&p, n), "cuMemAlloc"). */
inline result<void> try_cuda(int code, const char *call)
{
    if (code == GPUDL_CU_SUCCESS)
        return {};
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_CUDA, code);
    std::string text = std::string(call) + " returned " + std::to_string(code);
    if (e)
        text += std::string(", ") + e->name + ": " + e->text;
    return failure(GPUDL_ERROR_DRIVER, std::move(text), code);
}

inline void cuda(int code, const char *call)
{
    if (__builtin_expect(code != GPUDL_CU_SUCCESS, 0))
        try_cuda(code, call).value();
}

}
#endif
