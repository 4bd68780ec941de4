/* 08 in C++, and without exceptions: y = a * x + y whatever is wrong, with the best kernel that loads, with the one that is built in, or in plain
 * C++. Failures are values here: -fno-exceptions compiles it. */
#include <gpudl/gpudl.hpp>

#include <cstdio>
#include <vector>

GPUDL_EMBEDDED_DECLARE(built_in); /* saxpy.cu; the build puts it into the program */

static gpudl::result<void> saxpy_on_device(
    const gpudl::library &library, float a, const std::vector<float> &x, std::vector<float> &y)
{
    const gpudl::loader loader;
    const std::size_t bytes = x.size() * sizeof(float);
    const int n = static_cast<int>(x.size());

    if (auto used = loader.try_use_device(); !used)
        return used;
    auto saxpy = library.try_get<int, float, const float *, float *>("saxpy");
    if (!saxpy)
        return saxpy.error();
    const gpudl_driver_table &cu = loader.driver();
    CUdeviceptr dx = 0, dy = 0;
    int err = cu.MemAlloc(&dx, bytes);
    if (!err)
        err = cu.MemAlloc(&dy, bytes);
    if (!err)
        err = cu.MemcpyHtoD(dx, x.data(), bytes);
    if (!err)
        err = cu.MemcpyHtoD(dy, y.data(), bytes);
    gpudl::result<void> done = gpudl::try_cuda(err, "copying to the device");
    if (done)
        done = saxpy->try_launch({ (n + 255) / 256, 256 }, n, a, dx, dy);
    if (done)
        done = gpudl::try_cuda(cu.MemcpyDtoH(y.data(), dy, bytes), "cuMemcpyDtoH");
    cu.MemFree(dx);
    cu.MemFree(dy);
    return done;
}

/* False: the device failed, which no other source would help. */
static bool saxpy(const std::vector<gpudl::source> &sources, float a, const std::vector<float> &x, std::vector<float> &y)
{
    const auto first = gpudl::library::try_load_first(sources);

    if (!first) {
        std::printf("   taken: plain C++\n   why: %s\n", first.error().text().c_str());
        for (std::size_t i = 0; i < x.size(); i++)
            y[i] += a * x[i];
        return true;
    }
    std::printf("   taken: source %zu, %s\n", first->which, sources[first->which].c().name);
    if (first->which > 0)
        std::printf("   why: %s\n", first->why.c_str());
    const gpudl::result<void> done = saxpy_on_device(first->taken, a, x, y);
    if (!done)
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return static_cast<bool>(done);
}

static bool attempt(const char *what, const std::vector<gpudl::source> &sources)
{
    std::vector<float> x(1024), y(1024, 1);

    std::printf("%s\n", what);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i);
    const bool done = saxpy(sources, 2, x, y);
    std::printf("   y = %g %g %g ... %g\n", y[0], y[1], y[2], y[1023]);
    return done;
}

int main()
{
    const gpudl::source newest = gpudl::file("newest.fatbin");   /* was never delivered */
    const gpudl::source damaged = gpudl::file("damaged.fatbin"); /* was cut while it was copied */
    const gpudl::source other = gpudl::file("other-gpu.cubin");  /* machine code for sm_110 */
    const gpudl::source good = GPUDL_EMBEDDED(built_in);

    bool all = attempt("1. The first is good:", { good, newest });
    all &= attempt("2. The first three are not:", { newest, damaged, other, good });
    all &= attempt("3. None is:", { newest, damaged, other });
    return all ? 0 : 1;
}
