/* gpudl.hpp on a device: the same on softcuda and on a GPU. GPUDL_DRIVER says which; without one this is skipped (exit code 77). Expected values
 * are exact: small integers in floating point. */
#include "tests/hpp/hpp.h"

#include <vector>

namespace {

/* Device memory for a test. */
struct buffer {
    CUdeviceptr address = 0;
    std::size_t size;

    explicit buffer(const std::vector<float> &from) : size(from.size() * sizeof(float))
    {
        gpudl::cuda(gpudl::loader().driver().MemAlloc(&address, size), "cuMemAlloc");
        gpudl::cuda(gpudl::loader().driver().MemcpyHtoD(address, from.data(), size), "cuMemcpyHtoD");
    }
    buffer(const buffer &) = delete;
    ~buffer()
    {
        gpudl::loader().driver().MemFree(address);
    }

    std::vector<float> read() const
    {
        std::vector<float> to(size / sizeof(float));
        gpudl::cuda(gpudl::loader().driver().MemcpyDtoH(to.data(), address, size), "cuMemcpyDtoH");
        return to;
    }
};

void a_typed_kernel_computes(void **)
{
    const auto lib = gpudl::library::load(DATA_BYTES(names_fatbin));
    const gpudl::kernel<int, float, const float *, float *> axpy(lib, "axpy");
    const buffer x({ 1, 2, 3, 4 }), y({ 10, 20, 30, 40 });

    axpy({ 2, 2 }, 3, 2, x.address, y.address);
    expect((y.read() == std::vector<float>{ 12, 24, 36, 40 }));
    axpy.launch_unchecked({ 2, 2 }, 4, 1, x.address, y.address);
    expect((y.read() == std::vector<float>{ 13, 26, 39, 44 }));
    lib.get("axpy")({ 1, 4 }, 4, 1.0f, x.address, y.address);
    expect((y.read() == std::vector<float>{ 14, 28, 42, 48 }));
}

void types_are_held_against_the_image_that_was_taken(void **)
{
    const auto lib = gpudl::library::load(DATA_BYTES(names_fatbin));

    expect(lib.try_get<float *>("twice(float*)"));
    expect_failure(lib.try_get<double *>("twice(float*)"), GPUDL_ERROR_LAUNCH_ARGUMENTS,
        "is double* (8 bytes), and the kernel takes float*");
    expect_failure(lib.try_get<const float *>("ns::scale<float, 4>"), GPUDL_ERROR_LAUNCH_ARGUMENTS, "as const");
    expect((lib.try_get<int, float, const float *, double *>("axpy"))); /* of C, and no more is told than u64 */
    expect((lib.try_get<int, double, const float *, float *>("axpy").status() == GPUDL_ERROR_LAUNCH_ARGUMENTS));
}

void globals_are_read_and_written_as_their_type(void **)
{
    const auto lib = gpudl::library::load(DATA_BYTES(globals_fatbin));
    const gpudl::version pin = lib.pin();
    const gpudl::device_span<float> table = pin.global<float>("table");
    const auto bump = lib.get<float *>("bump");
    const buffer out({ 0, 0 });
    const float values[] = { 7, 8, 9, 10 };

    expect(table.size() == 4 && pin.global<int>("counter").size() == 1 && pin.global<double>("ns::inner").size() == 3);
    gpudl::cuda(gpudl::loader().driver().MemcpyHtoD(table.address(), values, sizeof(values)), "cuMemcpyHtoD");
    bump(gpudl::launch_config(1, 1).of(pin), out.address);
    expect(out.read()[0] == 7 * 6);
}

void a_kernel_follows_its_library(void **)
{
    const auto lib = gpudl::library::load(DATA_BYTES(names_fatbin));
    const auto twice = lib.get<float *>("twice(float*)");
    const gpudl::version old = lib.pin();
    const buffer y({ 3 });

    twice({ 1, 1 }, y.address);
    lib.replace(DATA_BYTES(names_ptx));
    twice({ 1, 1 }, y.address);
    twice(gpudl::launch_config(1, 1).of(old), y.address);
    expect(y.read()[0] == 24 && lib.generation() == 1 && twice.suggest_block().block > 0 && twice.occupancy(32) > 0);
}

} // namespace

int main()
{
    if (!gpudl::loader().try_driver() || !gpudl::loader().try_use_device())
        return 77;
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_typed_kernel_computes),
        cmocka_unit_test(types_are_held_against_the_image_that_was_taken),
        cmocka_unit_test(globals_are_read_and_written_as_their_type),
        cmocka_unit_test(a_kernel_follows_its_library),
    };

    return cmocka_run_group_tests_name("hpp.device", tests, nullptr, nullptr);
}
