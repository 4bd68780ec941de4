/* What a launch is told besides its arguments. Part of <gpudl/gpudl.hpp>. */
#ifndef GPUDL_HPP_LAUNCH
#define GPUDL_HPP_LAUNCH

#include <gpudl/hpp/version.hpp>

namespace gpudl {

/* Blocks of a grid, threads of a block: 256, { 16, 16 }, or CUDA's dim3. */
struct dim {
    unsigned x = 1, y = 1, z = 1;

    constexpr dim() = default;
    template <class X, class Y = unsigned, class Z = unsigned,
        class = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> && std::is_integral_v<Z>>>
    constexpr dim(X along_x, Y along_y = 1, Z along_z = 1)
        : x(static_cast<unsigned>(along_x)), y(static_cast<unsigned>(along_y)), z(static_cast<unsigned>(along_z))
    {
    }
    template <class D, class = decltype(D::x, D::y, D::z)> constexpr dim(const D &d) : x(d.x), y(d.y), z(d.z) {}
};

/* { grid, block }, and what else: launch_config({ 4, 4 }, { 16, 16 }).on(stream). A gpudl_launch_config, for calls of gpudl.h too. */
struct launch_config : gpudl_launch_config {
    launch_config(dim grid_blocks, dim block_threads, unsigned shared = 0, CUstream on = nullptr)
        : gpudl_launch_config(gpudl_launch_3d(
              grid_blocks.x, grid_blocks.y, grid_blocks.z, block_threads.x, block_threads.y, block_threads.z))
    {
        shared_bytes = shared;
        gpudl_launch_config::stream = on;
    }
    launch_config(const gpudl_launch_config &c) : gpudl_launch_config(c) {}

    launch_config &shared(unsigned bytes) { return shared_bytes = bytes, *this; }
    launch_config &on(CUstream s) { return stream = s, *this; }
    /* The code of a version that is pinned, whatever the library is now. */
    launch_config &of(const gpudl::version &pinned) { return gpudl_launch_config::version = pinned.handle(), *this; }
    /* Lent until the launch returns. */
    launch_config &with(const gpudl_launch_attribute *list, unsigned n)
    {
        attributes = reinterpret_cast<const struct CUlaunchAttribute_st *>(list);
        nattributes = n;
        return *this;
    }
    template <unsigned N> launch_config &with(const gpudl_launch_attribute (&list)[N]) { return with(list, N); }
};

}
#endif
