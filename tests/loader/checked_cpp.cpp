#include "tests/loader/checked_cpp.h"

#include <utility>

namespace {

const gpudl_launch_config config = gpudl_launch_1d(1, 32);

enum class color : unsigned { red, green = 9 };
enum old { one = 4 };

struct box {
    double d;
    int n;
};

struct unlike { // more than its bytes, and not one of a kernel's
    float f;
    operator float() const { return f; }
};

box make()
{
    return { 2.5, 7 };
}

template <int... I> gpudl_status launch_all(gpudl_kernel *k, std::integer_sequence<int, I...>)
{
    return gpudl_launch(k, &config, I...);
}

} // namespace

gpudl_status cpp_mixed(gpudl_kernel *k)
{
    const float *const x = reinterpret_cast<const float *>(0x1234560);
    const int n = -3;

    return gpudl_launch(k, &config, x, n, 1.5f, 2.5, -7L, color::green, true);
}

gpudl_status cpp_pointers(gpudl_kernel *k)
{
    float array[4] = { 0 };
    volatile int *const v = nullptr;
    const CUdeviceptr d = 1;
    gpudl_status status = gpudl_launch(k, &config, array, one, unlike{ 1 }, 2.5, 0L, 0u, false);

    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, nullptr, 0, 0.f, 0., 0L, 0, false);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, v, 0, 0.f, 0., 0L, 0, false);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, d, 0, 0.f, 0., 0LL, 0, GPUDL_STRUCT('x'));
    return status;
}

gpudl_status cpp_double_for_float(gpudl_kernel *k)
{
    return gpudl_launch(k, &config, nullptr, 0, 0., 0., 0L, 0, false);
}

gpudl_status cpp_none(gpudl_kernel *k)
{
    return gpudl_launch(k, &config);
}

gpudl_status cpp_boxed(gpudl_kernel *k)
{
    const gpudl_arg list[] = { GPUDL_ARG(5), GPUDL_ARG(0) };
    const box b = make();
    gpudl_status status = gpudl_launch(k, &config, list[0], make());

    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, 5, GPUDL_STRUCT(b));
    return status;
}

gpudl_status cpp_wider(gpudl_kernel *k)
{
    return launch_all(k, std::make_integer_sequence<int, 40>());
}
