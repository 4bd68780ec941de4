/* What is in a file of CUDA code; no driver is needed. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_IMAGE
#define GPUDL_HPP_IMAGE

#include <gpudl/hpp/options.hpp>

namespace gpudl {

inline constexpr std::size_t all = static_cast<std::size_t>(-1);     /* GPUDL_ALL */

/* Bytes that an object of gpudl's lends. */
struct lent_bytes {
    const unsigned char *bytes = nullptr;
    std::size_t count = 0;

    const unsigned char *data() const noexcept { return bytes; }
    std::size_t size() const noexcept { return count; }
};

struct entry_counts {
    std::size_t kernels = 0, globals = 0;
};

/* Texts in what is returned are lent by the image. */
class image : public handle_of<gpudl_image, gpudl_image_close> {
    template <class Info, class Call, class... At> static result<Info> ask(Call call, At... at)
    {
        Info info = detail::sized<Info>();
        gpudl_status status = call(at..., &info);
        return detail::made<Info>(status, info);
    }

public:
    using handle_of::handle_of;

    [[nodiscard]] static image open(const source &from, gpudl_image_options limits = GPUDL_IMAGE_OPTIONS_INIT)
    {
        return try_open(from, limits).value();
    }
    static result<image> try_open(const source &from, gpudl_image_options limits = GPUDL_IMAGE_OPTIONS_INIT)
    {
        const gpudl_source c = from.c();
        gpudl_image *own = nullptr;
        gpudl_status status = gpudl_image_open(&c, &limits, &own);
        return detail::made<image>(status, own);
    }

    gpudl_image_info describe() const { return try_describe().value(); }
    result<gpudl_image_info> try_describe() const { return ask<gpudl_image_info>(gpudl_image_describe, handle()); }
    gpudl_entry_info entry(std::size_t index) const { return try_entry(index).value(); }
    result<gpudl_entry_info> try_entry(std::size_t index) const { return ask<gpudl_entry_info>(gpudl_image_entry, handle(), index); }

    entry_counts read(std::size_t entry) const { return try_read(entry).value(); }
    result<entry_counts> try_read(std::size_t entry) const
    {
        entry_counts n;
        gpudl_status status = gpudl_image_read(handle(), entry, &n.kernels, &n.globals);
        return detail::made<entry_counts>(status, n);
    }
    void forget(std::size_t entry) const noexcept { gpudl_image_forget(handle(), entry); }
    lent_bytes code(std::size_t entry) const { return try_code(entry).value(); }
    result<lent_bytes> try_code(std::size_t entry) const
    {
        const void *bytes = nullptr;
        std::size_t size = 0;
        gpudl_status status = gpudl_image_code(handle(), entry, &bytes, &size);
        return detail::made<lent_bytes>(status, static_cast<const unsigned char *>(bytes), size);
    }

    gpudl_kernel_info kernel(std::size_t entry, std::size_t index) const { return try_kernel(entry, index).value(); }
    result<gpudl_kernel_info> try_kernel(std::size_t entry, std::size_t index) const
    {
        return ask<gpudl_kernel_info>(gpudl_image_kernel, handle(), entry, index);
    }
    gpudl_param_info param(std::size_t entry, std::size_t kernel, std::size_t index) const { return try_param(entry, kernel, index).value(); }
    result<gpudl_param_info> try_param(std::size_t entry, std::size_t kernel, std::size_t index) const
    {
        return ask<gpudl_param_info>(gpudl_image_param, handle(), entry, kernel, index);
    }
    gpudl_global_info global(std::size_t entry, std::size_t index) const { return try_global(entry, index).value(); }
    result<gpudl_global_info> try_global(std::size_t entry, std::size_t index) const
    {
        return ask<gpudl_global_info>(gpudl_image_global, handle(), entry, index);
    }
    const char *external(std::size_t entry, std::size_t index) const { return gpudl_image_extern(handle(), entry, index); }    /* nullptr past the end */

    /* each(const gpudl_section_info &) returns whether it wants more. */
    template <class Each> void sections(std::size_t entry, Each each) const { try_sections(entry, std::move(each)).value(); }
    template <class Each> result<void> try_sections(std::size_t entry, Each each) const
    {
        auto f = [&](const gpudl_section_info *s) { return each(*s); };
        detail::guarded<decltype(f)> g(f);
        gpudl_status status = gpudl_image_sections(handle(), entry, g.template ask<const gpudl_section_info *>, &g);
        g.rethrow();
        return detail::done(status);
    }
    /* each(const gpudl_symbol_info &), the same. */
    template <class Each> void symbols(std::size_t entry, Each each) const { try_symbols(entry, std::move(each)).value(); }
    template <class Each> result<void> try_symbols(std::size_t entry, Each each) const
    {
        auto f = [&](const gpudl_symbol_info *s) { return each(*s); };
        detail::guarded<decltype(f)> g(f);
        gpudl_status status = gpudl_image_symbols(handle(), entry, g.template ask<const gpudl_symbol_info *>, &g);
        g.rethrow();
        return detail::done(status);
    }

    /* Which entry would be taken for a target, or why none. */
    gpudl_verdict explain(const gpudl_target &target, std::size_t container = all) const { return try_explain(target, container).value(); }
    result<gpudl_verdict> try_explain(const gpudl_target &target, std::size_t container = all) const
    {
        return ask<gpudl_verdict>(gpudl_image_explain, handle(), container, &target);
    }
    gpudl_verdict judge(std::size_t entry, const gpudl_target &target) const { return try_judge(entry, target).value(); }
    result<gpudl_verdict> try_judge(std::size_t entry, const gpudl_target &target) const
    {
        return ask<gpudl_verdict>(gpudl_image_judge, handle(), entry, &target);
    }
    /* each(word, kernel or nullptr, text) */
    template <class Each> void warnings(std::size_t entry, const gpudl_target &target, Each each) const
    {
        try_warnings(entry, target, std::move(each)).value();
    }
    template <class Each> result<void> try_warnings(std::size_t entry, const gpudl_target &target, Each each) const
    {
        detail::guarded<Each> g(each);
        gpudl_status status = gpudl_image_warnings(
            handle(), entry, &target, g.template tell<const char *, const char *, const char *>, &g);
        g.rethrow();
        return detail::done(status);
    }
};

/* An architecture by its name: target("sm_90"). */
inline gpudl_target target(const char *arch)
{
    gpudl_target t = GPUDL_TARGET_INIT;
    t.arch = arch;
    return t;
}

/* A name as the source has it. */
inline std::string demangle(const char *name)
{
    std::string s(gpudl_demangle(name, nullptr, 0), '\0');
    gpudl_demangle(name, s.data(), s.size() + 1);
    return s;
}

}
#endif
