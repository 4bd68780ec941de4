/* Loads and replaces that go on beside the program. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_TASK
#define GPUDL_HPP_TASK

#include <gpudl/hpp/library.hpp>

namespace gpudl {

struct async_options {
    std::uint64_t flags = 0;            /* GPUDL_ASYNC_... */
    CUstream stream = nullptr;
    std::vector<int> devices;
    gpudl::when when = now();
    std::function<void()> done;         /* called once when it has ended, in another thread; must not throw */
};

namespace detail {

class c_async {
    std::unique_ptr<std::function<void()>> done_;
    gpudl_async_options c_ = GPUDL_ASYNC_OPTIONS_INIT;

    static void tell(void *user, gpudl_task *) noexcept
    {
        const std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()> *>(user));
        (*f)();
    }

public:
    explicit c_async(const async_options &o)
    {
        c_.flags = o.flags;
        c_.stream = o.stream;
        c_.devices = o.devices.empty() ? nullptr : o.devices.data(), c_.ndevices = o.devices.size();
        c_.when = o.when;
        if (o.done) {
            done_ = std::make_unique<std::function<void()>>(o.done);
            c_.done = tell, c_.user = done_.get();
        }
    }
    /* It may have been told already when the call that took this returns. */
    const gpudl_async_options *give() noexcept { return done_.release(), &c_; }
    void take_back() noexcept { delete static_cast<std::function<void()> *>(c_.user); }
};

}

/* Its end cancels what goes on. */
class task : public handle_of<gpudl_task, gpudl_task_release> {
public:
    using handle_of::handle_of;

    /* Fails as the load or replace did. */
    void wait() const { try_wait().value(); }
    /* GPUDL_ERROR_TIMEOUT while it goes on. */
    result<void> try_wait(std::chrono::nanoseconds limit = forever) const { return detail::done(gpudl_task_wait(handle(), detail::ns(limit))); }
    bool ended() const { return gpudl_task_ended(handle()) != 0; }
    void cancel() const noexcept { gpudl_task_cancel(handle()); }

    /* The library of a load that has ended, once. */
    [[nodiscard]] library take() const { return try_take().value(); }
    result<library> try_take() const
    {
        gpudl_library *own = nullptr;
        gpudl_status status = gpudl_task_library(handle(), &own);
        return detail::made<library>(status, own);
    }
};

inline result<task> library::try_load_async(const source &from, const load_options &options, const async_options &async, const loader &by)
{
    const gpudl_source c = from.c();
    const detail::c_load o(options);
    detail::c_async a(async);
    gpudl_task *own = nullptr;
    gpudl_status status = gpudl_library_load_async(by.handle(), &c, o.get(), a.give(), &own);
    if (status != GPUDL_OK)
        a.take_back();
    return detail::made<task>(status, own);
}

inline task library::load_async(const source &from, const load_options &options, const async_options &async, const loader &by)
{
    return try_load_async(from, options, async, by).value();
}

inline result<task> library::try_replace_async(const source &with, const replace_options &options, const async_options &async) const
{
    const gpudl_source c = with.c();
    const detail::c_replace o(options);
    detail::c_async a(async);
    gpudl_task *own = nullptr;
    gpudl_status status = gpudl_library_replace_async(handle(), &c, o.get(), a.give(), &own);
    if (status != GPUDL_OK)
        a.take_back();
    return detail::made<task>(status, own);
}

inline task library::replace_async(const source &with, const replace_options &options, const async_options &async) const
{
    return try_replace_async(with, options, async).value();
}

}
#endif
