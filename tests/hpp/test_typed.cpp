/* gpudl::kernel: what its types say is held against the image when it is got, and arguments arrive converted to them. */
#include "tests/hpp/hpp.h"
#include "tests/hpp/typed.h"

namespace {

struct box {
    double d;
    int n;
};
struct cell {
    float f;
};
struct float4 {
    float x, y, z, w;
};
enum class color : unsigned { red, green = 9 };

using some = gpudl::kernel<int, float *>;
using config = gpudl::launch_config;
static_assert(std::is_invocable_v<some, config, int, float *> && std::is_invocable_v<some, config, char, CUdeviceptr>);
static_assert(
    std::is_invocable_v<some, config, int, gpudl::device_span<float>> && std::is_invocable_v<some, config, int, std::nullptr_t>);
static_assert(!std::is_invocable_v<some, config, int>, "too few");
static_assert(!std::is_invocable_v<some, config, int, float *, int>, "too many");
static_assert(!std::is_invocable_v<some, config, int, const float *>, "the kernel may write to it");
static_assert(
    !std::is_invocable_v<some, config, int, double *> && !std::is_invocable_v<some, config, int, gpudl::device_span<double>>,
    "another type");
static_assert(!std::is_invocable_v<some, config, int, int>, "a number is no address, but a CUdeviceptr");
static_assert(!std::is_invocable_v<some, config, float *, float *>, "a pointer is no number");
static_assert(std::is_same_v<decltype(std::declval<gpudl::library>().get<int, float *>("k")), some>);

struct fixture {
    gpudl_loader *loader;
    gpudl::library library;
};

int open_all(void **state)
{
    nulldrv_reset();
    fixture *f = new fixture{ harness_open(), {} };
    *state = f;
    gpudl_library *own = nullptr;
    expect(gpudl_library_load(f->loader, GPUDL_MEMORY(typed_ptx, sizeof(typed_ptx) - 1), nullptr, &own) == GPUDL_OK);
    f->library.reset(own);
    expect(gpudl_loader_use_device(f->loader, 0) == GPUDL_OK);
    return 0;
}

int close_all(void **state)
{
    fixture *f = static_cast<fixture *>(*state);
    f->library.reset();
    gpudl_loader_driver(f->loader)->CtxSetCurrent(nullptr);
    harness_close(f->loader);
    delete f;
    return 0;
}

const gpudl::library &library(void **state)
{
    return static_cast<fixture *>(*state)->library;
}

template <class... Args> void accepts(void **state, const char *name)
{
    gpudl::result<gpudl::kernel<Args...>> k = gpudl::kernel<Args...>::try_get(library(state), name);
    if (!k)
        fail_msg("%s", k.error().text().c_str());
    expect(*k);
}

template <class... Args> void refuses(void **state, const char *name, const char *words)
{
    expect_failure((gpudl::kernel<Args...>::try_get(library(state), name)), GPUDL_ERROR_LAUNCH_ARGUMENTS, words);
    try {
        gpudl::kernel<Args...> k(library(state), name);
        fail_msg("no exception for %s", name);
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_LAUNCH_ARGUMENTS);
        expect(e.cuda() == 0);
        expect_text(e.what(), words);
    }
}

/* ---------------------------------------------------------------------------------------------------------- at look-up */

void what_fits_is_got(void **state)
{
    accepts<const float *, int, float, double, long, unsigned, bool>(state, "mixed");
    accepts<float *, unsigned, float, double, long long, color, bool>(state, "mixed");
    accepts<CUdeviceptr, int, float, double, CUdeviceptr, int, unsigned char>(state, "mixed");
    accepts<float *, const float *>(state, "copy");
    accepts<void *, const void *>(state, "copy");
    accepts<float4 *, float **, int *, long long *>(state, "draw");
    accepts<void *, CUdeviceptr *, box *, unsigned long *>(state, "draw");
    accepts<box, int>(state, "bag");
    accepts<cell, color *>(state, "tiny");
    accepts<int, unsigned *>(state, "tiny"); /* an enumeration is an integer to the program */
    accepts<float *, float, float, double *>(state, "plain");
    accepts<>(state, "none");
}

void a_wrong_count_is_told(void **state)
{
    refuses<float *>(state, "copy", "1 argument was given, and the kernel takes 2: copy(float*, float const*)");
    refuses<>(state, "copy", "0 arguments were given");
    refuses<int>(state, "none", "takes 0: none()");
}

void a_wrong_size_is_told(void **state)
{
    refuses<const float *, long, float, double, long, unsigned, bool>(state, "mixed",
        "argument 1 (they count from 0) is long (8 bytes), and the kernel takes int (4 bytes): mixed(float const*, int");
    refuses<float *, double, int, double *>(
        state, "plain", "argument 1 (they count from 0) is double (8 bytes), and the kernel takes f32");
}

void a_wrong_type_is_told(void **state)
{
    refuses<const float *, float, float, double, long, unsigned, bool>(
        state, "mixed", "argument 1 (they count from 0) is float (4 bytes)");
    refuses<const float *, int, float, double, void *, unsigned, bool>(
        state, "mixed", "is void* (8 bytes), and the kernel takes long");
    refuses<double *, const float *>(state, "copy",
        "argument 0 (they count from 0) is double* (8 bytes), and the kernel takes float* (8 bytes): copy(float*, float const*)");
    refuses<float *, const int *>(state, "copy", "is int const* (8 bytes), and the kernel takes float const*");
    refuses<float *, float **>(state, "copy", "is float** (8 bytes)");
    refuses<float4 *, double **, void *, long *>(state, "draw", "is double** (8 bytes), and the kernel takes float** (8 bytes)");
    refuses<float4 *, float **, void *, int *>(state, "draw", "is int* (8 bytes), and the kernel takes long*");
    refuses<float *, int, int, double *>(
        state, "plain", "argument 1 (they count from 0) is int (4 bytes), and the kernel takes f32");
}

void const_is_told_where_the_kernel_may_write(void **state)
{
    refuses<const float *, const float *>(state, "copy",
        "argument 0 (they count from 0) is float const* (8 bytes), and the kernel takes float* (8 bytes): copy(float*, float const*); "
        "the kernel may write to what the program has as const");
    refuses<const void *, const float *>(state, "copy", "is void const* (8 bytes)");
}

void a_wrong_struct_is_told(void **state)
{
    refuses<cell, int>(state, "bag", "cell (4 bytes), and the kernel takes box (16 bytes): bag(box, int)");
    refuses<float, color *>(
        state, "tiny", "argument 0 (they count from 0) is float (4 bytes), and the kernel takes cell (4 bytes)");
    refuses<cell, float *>(state, "tiny", "argument 1 (they count from 0) is float* (8 bytes), and the kernel takes color*");
    refuses<float *, float, float, float, double *>(state, "plain", "5 arguments");
    refuses<float *, const float4 *>(state, "copy", "float4 const* (8 bytes), and the kernel takes float const*");
}

/* gpudl_kernel_check() itself, which the types go through. */
void types_may_be_spelled_either_way_or_not_told(void **state)
{
    const gpudl::any_kernel k = library(state).get("copy");
    const gpudl_arg args[] = { gpudl::detail::arg_of_type<float *>(), gpudl::detail::arg_of_type<float *>() };
    const char *const east[] = { "float *", " const  float *" }, *const half[] = { nullptr, "float const * const" };
    const char *const wrong[] = { "int *", nullptr };

    expect(gpudl_kernel_check(k.handle(), args, nullptr, 2) == GPUDL_OK);
    expect(gpudl_kernel_check(k.handle(), args, east, 2) == GPUDL_OK);
    expect(gpudl_kernel_check(k.handle(), args, half, 2) == GPUDL_OK);
    expect(gpudl_kernel_check(k.handle(), args, wrong, 2) == GPUDL_ERROR_LAUNCH_ARGUMENTS);
    expect(gpudl_kernel_check(k.handle(), nullptr, nullptr, 2) == GPUDL_ERROR_ARGUMENT);
    expect(gpudl_kernel_check(nullptr, args, nullptr, 2) == GPUDL_ERROR_ARGUMENT);
    expect(nulldrv_calls("cuLaunchKernel") == 0);
}

gpudl_status check_a_kernel(gpudl_loader *l, void *)
{
    const gpudl_arg arg = gpudl::detail::arg_of_type<float *>();
    const char *const type = "float *";
    gpudl_library *lib = nullptr;
    gpudl_kernel *k = nullptr;
    gpudl_status status = gpudl_library_load(l, DATA_SOURCE(names_cubin), nullptr, &lib);

    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "ns::scale<float, 4>", &k);
    if (status == GPUDL_OK)
        status = gpudl_kernel_check(k, &arg, &type, 1);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

void a_check_survives_failing_allocations(void **)
{
    harness_fail_allocations(check_a_kernel, nullptr);
}

void an_image_that_tells_no_parameters_is_said(void **state)
{
    fixture *f = static_cast<fixture *>(*state);
    gpudl_library *own = nullptr;
    const gpudl_registered_kernel mine = { "mine", reinterpret_cast<CUkernel>(library(state).get("none").native().handle),
        nullptr, nullptr };
    const gpudl_source source = gpudl_source_registered("built in", &mine, 1);

    nulldrv_set_params(nullptr);
    expect(gpudl_library_load(f->loader, &source, nullptr, &own) == GPUDL_OK);
    const gpudl::library registered(own);
    expect_failure(registered.try_get<int>("mine"), GPUDL_ERROR_UNSUPPORTED, "launch it unchecked");
}

/* ----------------------------------------------------------------------------------------------------------- launches */

struct {
    const void *x;
    int n;
    float a;
    double d;
    long l;
    unsigned u;
    bool b;
} seen;

void see_mixed(void **params, void **)
{
    std::memcpy(&seen.x, params[0], 8);
    std::memcpy(&seen.n, params[1], 4);
    std::memcpy(&seen.a, params[2], 4);
    std::memcpy(&seen.d, params[3], 8);
    std::memcpy(&seen.l, params[4], 8);
    std::memcpy(&seen.u, params[5], 4);
    std::memcpy(&seen.b, params[6], 1);
}

void expect_seen()
{
    expect(seen.x == reinterpret_cast<void *>(0x1234560));
    expect(seen.n == -3 && seen.a == 2 && seen.d == 3 && seen.l == -7 && seen.u == 9 && seen.b);
    seen = {};
}

void arguments_are_converted_as_in_a_call(void **state)
{
    const gpudl::kernel<const float *, int, float, double, long, color, bool> mixed(library(state), "mixed");
    const CUdeviceptr address = 0x1234560;
    float *const pointer = reinterpret_cast<float *>(0x1234560);
    const gpudl::device_span<float> span{ pointer, 1 };

    nulldrv_on_launch(see_mixed);
    mixed({ 1, 32 }, address, short(-3), 2, 3.0f, -7, color::green, true);
    expect_seen();
    mixed({ { 1, 2 }, { 3, 4, 5 } }, pointer, -3, 2.0, 3, -7L, color::green, pointer != nullptr);
    expect_seen();
    mixed.launch_unchecked({ 1, 32 }, span, -3, 2, 3, -7, color::green, true);
    expect_seen();
    expect(mixed.try_launch({ 1, 32 }, span, -3, 2, 3, -7, color::green, true));
    expect_seen();
}

void see_bag(void **params, void **)
{
    const box *b = static_cast<const box *>(params[0]);
    expect(b->d == 2.5 && b->n == 7 && *static_cast<int *>(params[1]) == 5);
}

void structs_go_by_value(void **state)
{
    const auto bag = library(state).get<box, int>("bag");

    nulldrv_on_launch(see_bag);
    bag({ 1, 1 }, box{ 2.5, 7 }, 5);
    bag({ 1, 1 }, { 2.5, 7 }, 5);
    bag.launch_unchecked({ 1, 1 }, box{ 2.5, 7 }, 5);
}

void a_launch_is_one_driver_call(void **state)
{
    const auto copy = library(state).get<float *, const float *>("copy");
    const gpudl::any_kernel any = library(state).get("copy");

    copy({ 1, 32 }, nullptr, nullptr);
    any({ 1, 32 }, nullptr, nullptr);
    const unsigned long before = nulldrv_calls("*");
    const long blocks = harness_live_blocks();
    for (int i = 0; i < 10; i++) {
        copy({ 1, 32 }, nullptr, nullptr);
        copy.launch_unchecked({ 1, 32 }, nullptr, nullptr);
        any({ 1, 32 }, nullptr, nullptr);
    }
    expect(nulldrv_calls("*") - before == 30);
    expect(harness_live_blocks() == blocks);
}

void a_refused_launch_is_told_with_the_drivers_code(void **state)
{
    const auto none = library(state).get("none");
    const gpudl::kernel<> typed(library(state), "none");

    nulldrv_fail("cuLaunchKernel", 1, 719);
    try {
        typed({ 1, 32 });
        fail_msg("no exception");
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_LAUNCH && e.cuda() == 719);
        expect_text(e.what(), "kernel 'none', grid 1 x 1 x 1");
    }
    expect_failure(typed.try_launch({ 1, 2000 }), GPUDL_ERROR_LAUNCH_LIMIT, "block.x is 2000");
    expect_failure(none.try_launch({ 1, 32 }, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes 0");
    nulldrv_fail("cuLaunchKernel", 1, 719);
    expect(none.try_launch({ 1, 32 }).error().cuda() == 719);
    nulldrv_fail("cuLaunchKernel", 1, 1);
    expect_failure(none.try_launch_params({ 1, 32 }, nullptr), GPUDL_ERROR_LAUNCH, "none");
}

void a_launch_may_be_of_a_version_and_a_stream(void **state)
{
    const gpudl::kernel<> none(library(state), "none");
    const gpudl::version pin = library(state).pin();
    gpudl_launch_attribute priority = gpudl_launch_priority(-1);
    const gpudl_launch_attribute list[] = { priority };
    CUstream stream = nullptr;
    const gpudl_driver_table *cu = gpudl_loader_driver(static_cast<fixture *>(*state)->loader);

    expect(cu->StreamCreate(&stream, 0) == 0);
    none(gpudl::launch_config({ 4 }, { 8, 8 }, 16).on(stream).of(pin));
    expect(nulldrv_last_stream() == stream);
    none(gpudl::launch_config(4, 64).with(list));
    expect(nulldrv_calls("cuLaunchKernelEx") == 1);
    expect(cu->StreamDestroy(stream) == 0);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(what_fits_is_got),
        TEST(a_wrong_count_is_told),
        TEST(a_wrong_size_is_told),
        TEST(a_wrong_type_is_told),
        TEST(const_is_told_where_the_kernel_may_write),
        TEST(a_wrong_struct_is_told),
        TEST(types_may_be_spelled_either_way_or_not_told),
        cmocka_unit_test(a_check_survives_failing_allocations),
        TEST(an_image_that_tells_no_parameters_is_said),
        TEST(arguments_are_converted_as_in_a_call),
        TEST(structs_go_by_value),
        TEST(a_launch_is_one_driver_call),
        TEST(a_refused_launch_is_told_with_the_drivers_code),
        TEST(a_launch_may_be_of_a_version_and_a_stream),
    };

    return cmocka_run_group_tests_name("hpp.typed", tests, nullptr, nullptr);
}
