/* Kernels: of any parameters, checked at each launch; and with types, compared with the image when they are got. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_KERNEL
#define GPUDL_HPP_KERNEL

#include <gpudl/hpp/launch.hpp>
#include <gpudl/hpp/types.hpp>

namespace gpudl {

class library;

/* The driver's handle, and what keeps it good. */
struct native_kernel {
    CUkernel handle = nullptr;
    version pin;
};

struct block_suggestion {
    unsigned block = 0, grid = 0;
};

/* A kernel whose parameters the program does not say here. */
class any_kernel : public handle_of<gpudl_kernel, gpudl_kernel_release> {
public:
    using handle_of::handle_of;
    /* By its name in the image or in the source; nullptr where the library holds one. */
    explicit any_kernel(const library &from, const char *name = nullptr);
    static result<any_kernel> try_get(const library &from, const char *name = nullptr);

    [[nodiscard]] static any_kernel adopt(CUkernel native, const std::string &name = {}, const loader &to = {})
    {
        return try_adopt(native, name, to).value();
    }
    static result<any_kernel> try_adopt(CUkernel native, const std::string &name = {}, const loader &to = {})
    {
        gpudl_adopt_options options = GPUDL_ADOPT_OPTIONS_INIT;
        gpudl_kernel *own = nullptr;
        options.name = detail::text_or_null(name);
        gpudl_status status = gpudl_kernel_adopt(to.handle(), native, &options, &own);
        return detail::made<any_kernel>(status, own);
    }

    /* A checked launch, with the types that the arguments have here: 2.0 is a double. */
    template <class... T> void operator()(const launch_config &config, const T &...arguments) const
    {
        detail::must(gpudl_launch(handle(), &config, arguments...));
    }
    template <class... T> result<void> try_launch(const launch_config &config, const T &...arguments) const
    {
        return detail::done(gpudl_launch(handle(), &config, arguments...));
    }
    /* Nothing is checked. */
    void launch_params(const launch_config &config, void *const *params) const
    {
        detail::must(gpudl_kernel_launch_params(handle(), &config, params));
    }
    result<void> try_launch_params(const launch_config &config, void *const *params) const
    {
        return detail::done(gpudl_kernel_launch_params(handle(), &config, params));
    }
    /* All arguments in one block, as in a struct with them as members. */
    void launch_packed(const launch_config &config, const void *bytes, std::size_t size) const
    {
        detail::must(gpudl_kernel_launch_packed(handle(), &config, bytes, size));
    }
    result<void> try_launch_packed(const launch_config &config, const void *bytes, std::size_t size) const
    {
        return detail::done(gpudl_kernel_launch_packed(handle(), &config, bytes, size));
    }

    const char *name() const { return gpudl_kernel_name(handle()); }    /* as in the image */
    std::size_t param_count() const { return try_param_count().value(); }
    result<std::size_t> try_param_count() const
    {
        std::size_t count = 0;
        gpudl_status status = gpudl_kernel_param_count(handle(), &count);
        return detail::made<std::size_t>(status, count);
    }
    gpudl_param_info param(std::size_t index) const { return try_param(index).value(); }
    result<gpudl_param_info> try_param(std::size_t index) const
    {
        gpudl_param_info info = detail::sized<gpudl_param_info>();
        gpudl_status status = gpudl_kernel_param(handle(), index, &info);
        return detail::made<gpudl_param_info>(status, info);
    }

    int attribute(int attribute, int device = 0) const { return try_attribute(attribute, device).value(); }     /* GPUDL_FUNC_... */
    result<int> try_attribute(int attribute, int device = 0) const
    {
        int value = 0;
        gpudl_status status = gpudl_kernel_attribute(handle(), attribute, device, &value);
        return detail::made<int>(status, value);
    }
    void set_attribute(int attribute, int value, int device = 0) const { try_set_attribute(attribute, value, device).value(); }
    result<void> try_set_attribute(int attribute, int value, int device = 0) const
    {
        return detail::done(gpudl_kernel_set_attribute(handle(), attribute, value, device));
    }
    void set_cache_preference(int preference, int device = 0) const { try_set_cache_preference(preference, device).value(); }
    result<void> try_set_cache_preference(int preference, int device = 0) const
    {
        return detail::done(gpudl_kernel_set_cache_preference(handle(), preference, device));
    }

    unsigned occupancy(unsigned block_threads, std::size_t shared_bytes = 0, int device = 0) const
    {
        return try_occupancy(block_threads, shared_bytes, device).value();
    }
    result<unsigned> try_occupancy(unsigned block_threads, std::size_t shared_bytes = 0, int device = 0) const
    {
        unsigned blocks = 0;
        gpudl_status status = gpudl_kernel_occupancy(handle(), block_threads, shared_bytes, device, &blocks);
        return detail::made<unsigned>(status, blocks);
    }
    /* limit: most threads a block; 0: as many as the kernel can have. */
    block_suggestion suggest_block(std::size_t shared_bytes = 0, unsigned limit = 0, int device = 0) const
    {
        return try_suggest_block(shared_bytes, limit, device).value();
    }
    result<block_suggestion> try_suggest_block(std::size_t shared_bytes = 0, unsigned limit = 0, int device = 0) const
    {
        block_suggestion s;
        gpudl_status status = gpudl_kernel_suggest_block(handle(), nullptr, nullptr, shared_bytes, limit, device, &s.block, &s.grid);
        return detail::made<block_suggestion>(status, s);
    }
    unsigned max_active_clusters(const launch_config &config, int device = 0) const { return try_max_active_clusters(config, device).value(); }
    result<unsigned> try_max_active_clusters(const launch_config &config, int device = 0) const
    {
        unsigned clusters = 0;
        gpudl_status status = gpudl_kernel_max_active_clusters(handle(), &config, device, &clusters);
        return detail::made<unsigned>(status, clusters);
    }
    unsigned max_cluster_size(const launch_config &config, int device = 0) const { return try_max_cluster_size(config, device).value(); }
    result<unsigned> try_max_cluster_size(const launch_config &config, int device = 0) const
    {
        unsigned blocks = 0;
        gpudl_status status = gpudl_kernel_max_cluster_size(handle(), &config, device, &blocks);
        return detail::made<unsigned>(status, blocks);
    }

    /* A node of an instantiated graph becomes the current version, which is returned: hold it while the graph may run. */
    version update_node(CUgraphExec exec, CUgraphNode node, const launch_config &config, void *const *params) const
    {
        return try_update_node(exec, node, config, params).value();
    }
    result<version> try_update_node(CUgraphExec exec, CUgraphNode node, const launch_config &config, void *const *params) const
    {
        gpudl_version *pin = nullptr;
        gpudl_status status = gpudl_kernel_update_node(handle(), exec, node, &config, params, &pin);
        return detail::made<version>(status, pin);
    }
    native_kernel native() const { return try_native().value(); }
    result<native_kernel> try_native() const
    {
        CUkernel native = nullptr;
        gpudl_version *pin = nullptr;
        gpudl_status status = gpudl_kernel_native(handle(), &native, &pin);
        return detail::made<native_kernel>(status, native, version(pin));
    }
};

/* A kernel that takes these types: kernel<int, float, const float *, float *>. What the image tells of its parameters is compared with them when
 * it is got, by gpudl_kernel_check(): how many they are, their sizes, and what they are where PTX or a C++ name tells. What does not fit is
 * GPUDL_ERROR_LAUNCH_ARGUMENTS, and the text has the argument, both types and the kernel's signature. Arguments are converted as in a call of a
 * function; for a pointer there may be a CUdeviceptr or a device_span, too. A replace keeps the sizes. */
template <class... Args> class kernel : public any_kernel {
    static_assert((!std::is_reference_v<Args> && ...), "a kernel's arguments are passed by value");
    static_assert((std::is_trivially_copyable_v<Args> && ...), "a kernel's arguments are copied byte by byte");

    static result<void> check(const any_kernel &k)
    {
        const gpudl_arg args[] = { detail::arg_of_type<std::remove_cv_t<Args>>()..., gpudl_arg() };
        const std::string spelled[] = { detail::spelled<std::remove_cv_t<Args>>()..., std::string() };
        const char *types[sizeof...(Args) + 1];

        for (std::size_t i = 0; i <= sizeof...(Args); i++)
            types[i] = spelled[i].c_str();
        return detail::done(gpudl_kernel_check(k.handle(), args, types, sizeof...(Args)));
    }

public:
    kernel() noexcept = default;
    explicit kernel(const library &from, const char *name = nullptr) : kernel(any_kernel(from, name)) {}
    /* Of a kernel that was got otherwise. */
    explicit kernel(any_kernel k) : any_kernel(std::move(k)) { check(*this).value(); }

    static result<kernel> try_get(const library &from, const char *name = nullptr)
    {
        result<any_kernel> k = any_kernel::try_get(from, name);
        if (!k)
            return k.error();
        return try_of(*std::move(k));
    }
    static result<kernel> try_of(any_kernel k)
    {
        result<void> fits = check(k);
        kernel typed;
        if (!fits)
            return fits.error();
        typed.reset(k.detach());
        return typed;
    }

    void operator()(const launch_config &config, detail::parameter<Args>... arguments) const
    {
        detail::must(gpudl_launch(handle(), &config, detail::plain(arguments)...));
    }
    result<void> try_launch(const launch_config &config, detail::parameter<Args>... arguments) const
    {
        return detail::done(gpudl_launch(handle(), &config, detail::plain(arguments)...));
    }
    /* Limits are not checked either, as the types were when it was got: no more than cuLaunchKernel. */
    void launch_unchecked(const launch_config &config, detail::parameter<Args>... arguments) const
    {
        void *const params[] = { detail::place_of(detail::plain(arguments))..., nullptr };
        detail::must(gpudl_kernel_launch_params(handle(), &config, params));
    }
};

}
#endif
