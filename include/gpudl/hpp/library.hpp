/* Libraries. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_LIBRARY
#define GPUDL_HPP_LIBRARY

#include <gpudl/hpp/kernel.hpp>

#include <memory>

namespace gpudl {

class task;
struct async_options;
struct first_of;

struct adopt_options {
    std::uint64_t flags = 0;            /* GPUDL_ADOPT_... */
    std::string name;
    std::vector<std::string> kernels;
};

struct watch_options {
    std::optional<replace_options> replace;
    std::chrono::nanoseconds poll_interval{ 0 };
    bool poll = false;
    /* Told of each outcome in the thread that watches, with the text and the generation; must not throw. */
    std::function<void(gpudl_status, const char *text, std::uint64_t generation)> told;
};

namespace detail {

/* It may end its own watch, and so let go of itself, while it is called. */
struct told : std::enable_shared_from_this<told> {
    std::function<void(gpudl_status, const char *, std::uint64_t)> f;

    static void tell(void *user, gpudl_library *, gpudl_status status, const char *text, std::uint64_t generation) noexcept
    {
        const std::shared_ptr<told> self = static_cast<told *>(user)->shared_from_this();
        self->f(status, text, generation);
    }
};

}

class library : public handle_of<gpudl_library, gpudl_library_release> {
    using base = handle_of<gpudl_library, gpudl_library_release>;
    std::vector<std::shared_ptr<detail::told>> told_;   /* since the last unwatch() */

public:
    using base::base;
    library() noexcept = default;
    library(library &&other) noexcept : base(std::move(other)), told_(std::move(other.told_)) {}
    library &operator=(library &&other) noexcept
    {
        if (this != &other) {
            std::vector<std::shared_ptr<detail::told>> told = std::exchange(other.told_, {});
            base::operator=(std::move(other));  /* ends a watch of this one */
            told_ = std::move(told);
        }
        return *this;
    }
    ~library() { reset(); }
    void reset(gpudl_library *own = nullptr) noexcept
    {
        base::reset(own);
        told_.clear();
    }
    /* The caller's to release; a watch that tells a function is ended. */
    gpudl_library *detach() noexcept
    {
        if (!told_.empty())
            unwatch();
        return base::detach();
    }

    /* ---------------------------------------------------------------------------------------------------- loaded */

    [[nodiscard]] static library load(const source &from, const load_options &options = {}, const loader &by = {})
    {
        return try_load(from, options, by).value();
    }
    static result<library> try_load(const source &from, const load_options &options = {}, const loader &by = {})
    {
        const gpudl_source c = from.c();
        const detail::c_load o(options);
        gpudl_library *own = nullptr;
        gpudl_status status = gpudl_library_load(by.handle(), &c, o.get(), &own);
        return detail::made<library>(status, own);
    }
    /* The first that can be. */
    [[nodiscard]] static first_of load_first(const std::vector<source> &from, const load_options &options = {}, const loader &by = {});
    static result<first_of> try_load_first(const std::vector<source> &from, const load_options &options = {}, const loader &by = {});
    /* All as one. */
    [[nodiscard]] static library link(const std::vector<source> &from, const load_options &options = {}, const loader &by = {})
    {
        return try_link(from, options, by).value();
    }
    static result<library> try_link(const std::vector<source> &from, const load_options &options = {}, const loader &by = {})
    {
        const std::vector<gpudl_source> c = detail::c_sources(from);
        const detail::c_load o(options);
        gpudl_library *own = nullptr;
        gpudl_status status = gpudl_library_link(by.handle(), c.data(), c.size(), o.get(), &own);
        return detail::made<library>(status, own);
    }
    [[nodiscard]] static task load_async(const source &from, const load_options &options, const async_options &async, const loader &by = {});
    static result<task> try_load_async(const source &from, const load_options &options, const async_options &async, const loader &by = {});

    /* Of the driver's handle of somebody else. */
    [[nodiscard]] static library adopt(CUlibrary native, const adopt_options &options = {}, const loader &by = {})
    {
        return try_adopt(native, options, by).value();
    }
    static result<library> try_adopt(CUlibrary native, const adopt_options &options = {}, const loader &by = {})
    {
        const std::vector<const char *> kernels = detail::pointers(options.kernels);
        gpudl_adopt_options c = GPUDL_ADOPT_OPTIONS_INIT;
        gpudl_library *own = nullptr;
        c.flags = options.flags;
        c.name = detail::text_or_null(options.name);
        c.kernels = kernels.data(), c.nkernels = kernels.size();
        gpudl_status status = gpudl_library_adopt(by.handle(), native, &c, &own);
        return detail::made<library>(status, own);
    }

    /* --------------------------------------------------------------------------------------------------- asked */

    std::size_t kernel_count() const { return gpudl_library_kernel_count(handle()); }
    const char *kernel_name(std::size_t index) const { return gpudl_library_kernel_name(handle(), index); }    /* nullptr past the end */
    const char *log() const { return gpudl_library_log(handle()); }
    std::uint64_t generation() const { return gpudl_library_generation(handle()); }

    /* get("saxpy"): of any parameters. get<int, float, const float *, float *>("saxpy"): a gpudl::kernel of these. */
    [[nodiscard]] any_kernel get(const char *name = nullptr) const { return any_kernel(*this, name); }
    result<any_kernel> try_get(const char *name = nullptr) const { return any_kernel::try_get(*this, name); }
    template <class First, class... Args> [[nodiscard]] kernel<First, Args...> get(const char *name = nullptr) const
    {
        return kernel<First, Args...>(*this, name);
    }
    template <class First, class... Args> result<kernel<First, Args...>> try_get(const char *name = nullptr) const
    {
        return kernel<First, Args...>::try_get(*this, name);
    }

    [[nodiscard]] version pin() const { return try_pin().value(); }
    result<version> try_pin() const
    {
        gpudl_version *own = nullptr;
        gpudl_status status = gpudl_library_pin(handle(), &own);
        return detail::made<version>(status, own);
    }

    /* -------------------------------------------------------------------------------------------------- changed */

    void replace(const source &with, const replace_options &options = {}) const { try_replace(with, options).value(); }
    result<void> try_replace(const source &with, const replace_options &options = {}) const
    {
        const gpudl_source c = with.c();
        const detail::c_replace o(options);
        return detail::done(gpudl_library_replace(handle(), &c, o.get()));
    }
    [[nodiscard]] task replace_async(const source &with, const replace_options &options, const async_options &async) const;
    result<task> try_replace_async(const source &with, const replace_options &options, const async_options &async) const;

    void rollback() const { detail::must(gpudl_library_rollback(handle())); }
    result<void> try_rollback() const { return detail::done(gpudl_library_rollback(handle())); }

    /* devices: none for the current one. */
    void make_resident(when at = now(), const std::vector<int> &devices = {}) const { try_make_resident(at, devices).value(); }
    result<void> try_make_resident(when at = now(), const std::vector<int> &devices = {}) const
    {
        return detail::done(gpudl_library_make_resident(handle(), devices.empty() ? nullptr : devices.data(), devices.size(), at));
    }

    /* Follow the file that it was loaded from. */
    void watch(const watch_options &options = {}) { try_watch(options).value(); }
    result<void> try_watch(const watch_options &options = {})
    {
        std::optional<detail::c_replace> how;
        gpudl_watch_options c = GPUDL_WATCH_OPTIONS_INIT;
        if (options.replace)
            c.replace = how.emplace(*options.replace).get();
        c.poll_ns = detail::ns(options.poll_interval);
        c.poll = options.poll;
        if (options.told) {
            told_.push_back(std::make_shared<detail::told>());
            told_.back()->f = options.told;
            c.told = detail::told::tell, c.user = told_.back().get();
        }
        return detail::done(gpudl_library_watch(handle(), &c));
    }
    void unwatch() noexcept
    {
        gpudl_library_unwatch(handle());
        told_.clear();
    }
};

/* What load_first() took, and which it was. */
struct first_of {
    library taken;
    std::size_t which = 0;
    std::string why;        /* not those before it */
};

inline result<first_of> library::try_load_first(const std::vector<source> &from, const load_options &options, const loader &by)
{
    const std::vector<gpudl_source> c = detail::c_sources(from);
    const detail::c_load o(options);
    std::size_t which = 0;
    gpudl_library *own = nullptr;
    gpudl_status status = gpudl_library_load_first(by.handle(), c.data(), c.size(), o.get(), &which, &own);
    if (status != GPUDL_OK)
        return failure::last(status);
    return first_of{ library(own), which, which ? gpudl_error_text() : "" };
}

inline first_of library::load_first(const std::vector<source> &from, const load_options &options, const loader &by)
{
    return try_load_first(from, options, by).value();
}

inline result<any_kernel> any_kernel::try_get(const library &from, const char *name)
{
    gpudl_kernel *own = nullptr;
    gpudl_status status = gpudl_kernel_get(from.handle(), name, &own);
    return detail::made<any_kernel>(status, own);
}

inline any_kernel::any_kernel(const library &from, const char *name) : any_kernel(try_get(from, name).value()) {}

}
#endif
