/* The connection to a driver. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_LOADER
#define GPUDL_HPP_LOADER

#include <gpudl/hpp/options.hpp>

namespace gpudl {

struct loader_options {
    std::string driver;
    gpudl_log_function *log = nullptr;
    void *log_user = nullptr;
    void *(*allocate)(void *user, std::size_t bytes) = nullptr;
    void (*release)(void *user, void *block) = nullptr;
    void *allocator_user = nullptr;
    bool per_thread_stream = false;
    unsigned captures = 0;                                          /* GPUDL_CAPTURES_... */
    std::uint64_t warm_bytes = 0, retired_bytes = 0;
    unsigned warm_count = 0, retired_count = 0, workers = 0;
    unsigned share = 0;                                             /* GPUDL_SHARE_NOTHING */
    std::optional<trust_options> trust;
    std::string trace;                                              /* a file */
};

/* A default one stands for the process's default loader, which the first call opens. One that was opened is closed at its end: after all that
 * came from it was released. */
class loader : public handle_of<gpudl_loader, gpudl_loader_close> {
public:
    using handle_of::handle_of;

    [[nodiscard]] static loader open(const loader_options &options = {}) { return try_open(options).value(); }
    static result<loader> try_open(const loader_options &options = {})
    {
        gpudl_loader_options c = GPUDL_LOADER_OPTIONS_INIT;
        std::optional<detail::c_trust> trust;
        gpudl_loader *own = nullptr;

        c.driver = detail::text_or_null(options.driver);
        c.log = options.log, c.log_user = options.log_user;
        c.allocate = options.allocate, c.release = options.release, c.allocator_user = options.allocator_user;
        c.per_thread_stream = options.per_thread_stream;
        c.captures = options.captures;
        c.warm_bytes = options.warm_bytes, c.retired_bytes = options.retired_bytes;
        c.warm_count = options.warm_count, c.retired_count = options.retired_count;
        c.workers = options.workers;
        c.share = options.share;
        if (options.trust)
            c.trust = trust.emplace(*options.trust).get();
        c.trace = detail::text_or_null(options.trace);
        gpudl_status status = gpudl_loader_open(&c, &own);
        return detail::made<loader>(status, own);
    }

    /* The driver's functions; lent. */
    const gpudl_driver_table &driver() const { return *try_driver().value(); }
    result<const gpudl_driver_table *> try_driver() const
    {
        const gpudl_driver_table *table = gpudl_loader_driver(handle());
        if (!table) /* the text says why, and there is no status but of the loader's opening */
            return failure(GPUDL_ERROR_NO_DRIVER, gpudl_error_text(), gpudl_error_cuda());
        return table;
    }
    const char *driver_text() const { return gpudl_loader_driver_text(handle()); }
    const char *emulated() const { return gpudl_loader_emulated(handle()); }
    bool is_software() const { return gpudl_loader_is_software(handle()) != 0; }
    std::uint64_t features() const { return gpudl_features(handle()); }     /* GPUDL_BUILT_..., GPUDL_HAS_... */

    void use_device(int device = 0) const { detail::must(gpudl_loader_use_device(handle(), device)); }
    result<void> try_use_device(int device = 0) const { return detail::done(gpudl_loader_use_device(handle(), device)); }

    /* How many retired versions are still loaded. */
    std::size_t reap(std::chrono::nanoseconds wait = {}) const { return try_reap(wait).value(); }
    result<std::size_t> try_reap(std::chrono::nanoseconds wait = {}) const
    {
        std::size_t left = 0;
        gpudl_status status = gpudl_loader_reap(handle(), detail::ns(wait), &left);
        return detail::made<std::size_t>(status, left);
    }
    void trim(std::uint64_t bytes = 0, std::size_t count = 0) const { detail::must(gpudl_loader_trim(handle(), bytes, count)); }
    result<void> try_trim(std::uint64_t bytes = 0, std::size_t count = 0) const
    {
        return detail::done(gpudl_loader_trim(handle(), bytes, count));
    }

    gpudl_loader_stats statistics() const { return try_statistics().value(); }
    result<gpudl_loader_stats> try_statistics() const
    {
        gpudl_loader_stats stats = detail::sized<gpudl_loader_stats>();
        gpudl_status status = gpudl_loader_statistics(handle(), &stats);
        return detail::made<gpudl_loader_stats>(status, stats);
    }

    /* The same and more, as JSON. */
    std::string statistics_json() const { return try_statistics_json().value(); }
    result<std::string> try_statistics_json() const
    {
        std::string json(4096, '\0');
        std::size_t length = gpudl_loader_stats_json(handle(), json.data(), json.size());
        if (length >= json.size()) {    /* numbers may have grown since */
            json.resize(length + 256);
            length = gpudl_loader_stats_json(handle(), json.data(), json.size());
        }
        if (length == 0)
            return failure(GPUDL_ERROR_ARGUMENT, gpudl_error_text(), gpudl_error_cuda());
        json.resize(length < json.size() ? length : json.size() - 1);
        return json;
    }

    /* The index-th linker there is; past the end GPUDL_ERROR_ARGUMENT. */
    gpudl_linker_info linker(std::size_t index) const { return try_linker(index).value(); }
    result<gpudl_linker_info> try_linker(std::size_t index) const
    {
        gpudl_linker_info info = detail::sized<gpudl_linker_info>();
        gpudl_status status = gpudl_linker_describe(handle(), index, &info);
        return detail::made<gpudl_linker_info>(status, info);
    }
};

}
#endif
