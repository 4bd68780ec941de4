/* CUDA C++ to bytes, images linked to bytes, and what is kept on disk. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_COMPILE
#define GPUDL_HPP_COMPILE

#include <gpudl/hpp/image.hpp>
#include <gpudl/hpp/loader.hpp>

namespace gpudl {

/* What was compiled. */
class code : public handle_of<gpudl_code, gpudl_code_release> {
public:
    using handle_of::handle_of;

    gpudl_code_info describe() const { return try_describe().value(); }
    result<gpudl_code_info> try_describe() const
    {
        gpudl_code_info info = detail::sized<gpudl_code_info>();
        gpudl_status status = gpudl_code_describe(handle(), &info);
        return detail::made<gpudl_code_info>(status, info);
    }
    lent_bytes bytes() const
    {
        const gpudl_code_info info = describe();
        return { static_cast<const unsigned char *>(info.bytes), info.nbytes };
    }
    /* What a name expression is called in it; nullptr where it was not asked for. */
    const char *name(const char *expression) const { return gpudl_code_name(handle(), expression); }
    const char *header(std::size_t index) const { return gpudl_code_header(handle(), index); }      /* nullptr past the end */
};

inline result<code> try_compile(const source &from, const compile_options &options = {}, const loader &for_device_of = {})
{
    const gpudl_source c = from.c();
    const detail::c_compile o(options);
    gpudl_code *own = nullptr;
    gpudl_status status = gpudl_compile(for_device_of.handle(), &c, o.get(), &own);
    return detail::made<code>(status, own);
}

[[nodiscard]] inline code compile(const source &from, const compile_options &options = {}, const loader &for_device_of = {})
{
    return try_compile(from, options, for_device_of).value();
}

/* each(kind, path) for each compiler there is; returns where was looked for the others. */
template <class Each> std::string compilers(Each each)
{
    std::string missing(4096, '\0');
    detail::guarded<Each> g(each);
    std::size_t length = gpudl_compilers(g.template tell<const char *, const char *>, &g, missing.data(), missing.size());
    g.rethrow();
    missing.resize(length < missing.size() ? length : missing.size() - 1);
    return missing;
}

struct link_options {
    std::string arch;
    gpudl_link_format format = GPUDL_LINK_FITTING;
    std::string linker;
    std::optional<load_options> load;
};

/* What was linked. */
class linked : public handle_of<gpudl_linked, gpudl_linked_release> {
public:
    using handle_of::handle_of;

    [[nodiscard]] static linked make(const std::vector<source> &from, const link_options &options = {}, const loader &by = {})
    {
        return try_make(from, options, by).value();
    }
    static result<linked> try_make(const std::vector<source> &from, const link_options &options = {}, const loader &by = {})
    {
        const std::vector<gpudl_source> c = detail::c_sources(from);
        std::optional<detail::c_load> load;
        gpudl_link_options o = GPUDL_LINK_OPTIONS_INIT;
        gpudl_linked *own = nullptr;
        o.arch = detail::text_or_null(options.arch);
        o.format = options.format;
        o.linker = detail::text_or_null(options.linker);
        if (options.load)
            o.load = load.emplace(*options.load).get();
        gpudl_status status = gpudl_linked_make(by.handle(), c.data(), c.size(), &o, &own);
        return detail::made<linked>(status, own);
    }

    lent_bytes bytes() const
    {
        std::size_t size = 0;
        const void *all_of_it = gpudl_linked_bytes(handle(), &size);
        return { static_cast<const unsigned char *>(all_of_it), size };
    }
    const char *log() const { return gpudl_linked_log(handle()); }
    const char *linker() const { return gpudl_linked_linker(handle()); }
};

/* What is kept on disk. */
namespace cache {

inline result<gpudl_cache_info> try_describe(const loader &of = {})
{
    gpudl_cache_info info = detail::sized<gpudl_cache_info>();
    gpudl_status status = gpudl_cache_describe(of.handle(), &info);
    return detail::made<gpudl_cache_info>(status, info);
}
inline gpudl_cache_info describe(const loader &of = {}) { return try_describe(of).value(); }

/* each(const gpudl_cache_entry &) */
template <class Each> result<void> try_list(Each each, const loader &of = {})
{
    auto f = [&](const gpudl_cache_entry *e) { each(*e); };
    detail::guarded<decltype(f)> g(f);
    gpudl_status status = gpudl_cache_list(of.handle(), g.template tell<const gpudl_cache_entry *>, &g);
    g.rethrow();
    return detail::done(status);
}
template <class Each> void list(Each each, const loader &of = {}) { try_list(std::move(each), of).value(); }

/* How many entries went. */
inline result<std::uint64_t> try_trim(std::uint64_t bytes, const loader &of = {})
{
    std::uint64_t removed = 0;
    gpudl_status status = gpudl_cache_trim(of.handle(), bytes, &removed);
    return detail::made<std::uint64_t>(status, removed);
}
inline std::uint64_t trim(std::uint64_t bytes, const loader &of = {}) { return try_trim(bytes, of).value(); }

}
}
#endif
