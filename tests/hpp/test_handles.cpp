/* Handles of gpudl.hpp: who holds what, when it goes, and what a failure carries. */
#include "tests/hpp/hpp.h"

#include <atomic>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

namespace {

/* The harness's, which looks at its end whether anything was left behind. */
struct fixture {
    gpudl::loader loader;
};

int open_all(void **state)
{
    nulldrv_reset();
    *state = new fixture{ gpudl::loader(harness_open_keeping_nothing()) };
    return 0;
}

int close_all(void **state)
{
    fixture *f = static_cast<fixture *>(*state);
    harness_close(f->loader.detach());
    delete f;
    return 0;
}

const gpudl::loader &loader(void **state)
{
    return static_cast<fixture *>(*state)->loader;
}

gpudl::library load(void **state)
{
    return gpudl::library::load(DATA_BYTES(names_cubin), {}, loader(state));
}

/* ----------------------------------------------------------------------------------------------------------- moves */

template <class T> constexpr bool only_moves()
{
    return std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
        std::is_nothrow_default_constructible_v<T> && std::is_nothrow_destructible_v<T> && !std::is_copy_constructible_v<T> &&
        !std::is_copy_assignable_v<T>;
}

static_assert(only_moves<gpudl::loader>() && only_moves<gpudl::library>() && only_moves<gpudl::version>() &&
    only_moves<gpudl::any_kernel>());
static_assert(only_moves<gpudl::kernel<int, float *>>() && only_moves<gpudl::task>() && only_moves<gpudl::image>());
static_assert(only_moves<gpudl::code>() && only_moves<gpudl::linked>());
static_assert(!std::is_convertible_v<gpudl_kernel *, gpudl::any_kernel>, "a handle is taken over on purpose only");
static_assert(!std::is_constructible_v<gpudl::kernel<int>, gpudl_kernel *>, "and a typed one only after it was looked at");

void a_moved_handle_leaves_an_empty_one(void **state)
{
    gpudl::library a = load(state);
    gpudl_library *const raw = a.handle();
    gpudl::library b = std::move(a);

    expect(!a && b && b.handle() == raw);
    a = std::move(b);
    expect(a.handle() == raw && !b);
    gpudl::library &same = a;
    a = std::move(same);
    expect(a.handle() == raw);
    gpudl::any_kernel k = a.get("axpy"), other = a.get("negate");
    gpudl::any_kernel &self = k;
    k = std::move(self);
    expect(k);
    k = std::move(other);
    expect(std::string(k.name()) == "_Z6negatePKfPf");
    std::swap(a, b);
    expect(!a && b);
}

void an_assigned_handle_releases_what_it_had(void **state)
{
    gpudl::library a = load(state);
    gpudl::library b = gpudl::library::load(DATA_BYTES(globals_cubin), {}, loader(state));

    expect(nulldrv_alive("library") == 2);
    a = std::move(b);
    gpudl_loader_reap(loader(state).handle(), 0, nullptr);
    expect(nulldrv_alive("library") == 1);
    a.reset();
    gpudl_loader_reap(loader(state).handle(), 0, nullptr);
    expect(nulldrv_alive("library") == 0);
}

void handles_may_go_in_any_order(void **state)
{
    gpudl::any_kernel k;
    gpudl::version pin;
    {
        gpudl::library a = load(state);
        k = a.get("axpy");
        pin = a.pin();
    }
    expect(nulldrv_alive("library") == 1);
    expect(std::string(k.name()) == "axpy");
    pin.reset();
    expect(k.param_count() == 4 && k.param(1).size == 4);
    std::vector<gpudl::any_kernel> all;
    all.push_back(std::move(k));
    all.push_back(gpudl::any_kernel());
    all.erase(all.begin());
    gpudl_loader_reap(loader(state).handle(), 0, nullptr);
    expect(nulldrv_alive("library") == 0);
}

void a_detached_handle_is_the_callers(void **state)
{
    gpudl_library *raw = load(state).detach();

    expect(gpudl_library_kernel_count(raw) == 7);
    const gpudl::library back(raw);
    expect(back.kernel_count() == 7 && back.kernel_name(7) == nullptr);
}

void handles_go_while_an_exception_passes(void **state)
{
    try {
        const gpudl::library a = load(state);
        const gpudl::any_kernel k = a.get("axpy");
        (void)a.get("no such kernel");
        fail_msg("no exception");
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_NO_SUCH_KERNEL);
    }
    gpudl_loader_reap(loader(state).handle(), 0, nullptr);
    expect(nulldrv_alive("library") == 0);
}

void an_empty_handle_is_told(void **)
{
    const gpudl::library none;
    const gpudl::any_kernel nothing;

    expect(none.try_get("axpy").status() == GPUDL_ERROR_ARGUMENT);
    expect(none.try_pin().status() == GPUDL_ERROR_ARGUMENT);
    expect(nothing.try_launch({ 1, 1 }).status() == GPUDL_ERROR_ARGUMENT);
    expect(gpudl::version().try_native().status() == GPUDL_ERROR_ARGUMENT);
    expect(gpudl::task().try_wait().status() == GPUDL_ERROR_ARGUMENT);
    expect(gpudl::image().try_describe().status() == GPUDL_ERROR_ARGUMENT);
}

/* -------------------------------------------------------------------------------------------------------- failures */

void an_exception_carries_status_code_and_text(void **state)
{
    try {
        (void)gpudl::library::load(gpudl::file("no-such-file.fatbin"), {}, loader(state));
        fail_msg("no exception");
    } catch (const std::runtime_error &e) {
        expect_text(e.what(), "no-such-file.fatbin: No such file");
    }
    nulldrv_fail("cuLibraryLoadData", 1, 200);
    try {
        (void)load(state);
        fail_msg("no exception");
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_DRIVER || e.status() != GPUDL_OK);
        expect(e.cuda() == 200);
        expect_text(e.what(), "cuLibraryLoadData");
        gpudl_kernel_get(nullptr, nullptr, nullptr); /* another text of this thread changes nothing */
        expect_text(e.what(), "cuLibraryLoadData");
    }
}

void a_result_is_the_value_or_the_failure(void **state)
{
    gpudl::result<gpudl::library> bad = gpudl::library::try_load(gpudl::file("no-such-file"), {}, loader(state));
    gpudl::result<gpudl::library> good = gpudl::library::try_load(DATA_BYTES(names_cubin), {}, loader(state));

    expect(!bad && bad.status() == GPUDL_ERROR_FILE_MISSING);
    expect(std::string(bad.error().name()) == "GPUDL_ERROR_FILE_MISSING" && bad.error().cuda() == 0);
    expect_text(bad.error().text(), "no-such-file: No such file");
    try {
        (void)std::move(bad).value();
        fail_msg("no exception");
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_FILE_MISSING);
    }
    expect(good && good.status() == GPUDL_OK && good->kernel_count() == 7 && (*good).try_pin());
    const gpudl::library taken = *std::move(good);
    expect(taken.kernel_count() == 7);
    expect(!gpudl::library::try_load(gpudl::file("no-such-file"), {}, loader(state)).value_or(gpudl::library()));
    expect(loader(state).try_trim() && loader(state).try_reap().value() == 0);
}

void the_drivers_own_functions_have_exceptions_too(void **state)
{
    const gpudl_driver_table &cu = loader(state).driver();
    CUdeviceptr p = 0;

    gpudl::cuda(GPUDL_CU_SUCCESS, "cuMemAlloc");
    nulldrv_fail("cuMemAlloc", 1, 2);
    try {
        gpudl::cuda(cu.MemAlloc(&p, 16), "cuMemAlloc");
        fail_msg("no exception");
    } catch (const gpudl::error &e) {
        expect(e.status() == GPUDL_ERROR_DRIVER && e.cuda() == 2);
        expect_text(e.what(), "cuMemAlloc returned 2, CUDA_ERROR_OUT_OF_MEMORY");
    }
    expect_failure(gpudl::try_cuda(77777, "cuX"), GPUDL_ERROR_DRIVER, "cuX returned 77777");
}

/* -------------------------------------------------------------------------------------------- what goes through */

void sources_own_their_texts(void **state)
{
    const gpudl::source path = gpudl::file(std::string("no-such-") + "file-of-a-name-that-is-longer-than-a-small-string");
    const std::vector<gpudl::source> copies(3, path);
    const std::string text = "x";
    gpudl_source c = copies[2].c();

    expect(c.kind == GPUDL_SOURCE_FILE && std::string(c.name) == "no-such-file-of-a-name-that-is-longer-than-a-small-string");
    expect(c.name != path.c().name);
    c = gpudl::text("k.cu", "extern").c();
    expect(c.kind == GPUDL_SOURCE_TEXT && c.nbytes == 6);
    const gpudl::source signed_one = gpudl::memory(text).signature("sig").name("named");
    c = signed_one.c();
    expect(c.kind == GPUDL_SOURCE_MEMORY && c.bytes == text.data() && c.nbytes == 1 && c.signature_size == 3 &&
        std::string(c.name) == "named");
    const std::vector<int> words(3);
    expect(gpudl::memory(words).c().nbytes == 12);
    expect_failure(gpudl::library::try_load(path, {}, loader(state)), GPUDL_ERROR_FILE_MISSING, "longer-than-a-small-string");
}

void options_arrive(void **state)
{
    gpudl::load_options options;
    void *value = nullptr;

    options.optimization = GPUDL_OPTIMIZATION(2);
    options.max_registers = 40;
    const auto lib = gpudl::library::load(DATA_BYTES(names_ptx), options, loader(state));
    expect(nulldrv_load_option(0, GPUDL_JIT_MAX_REGISTERS, &value) && value == reinterpret_cast<void *>(40));
    options.trust.emplace().policy = GPUDL_TRUST_DIGEST;
    options.trust->digests.push_back(std::string(64, '0'));
    expect(gpudl::library::try_load(DATA_BYTES(names_ptx), options, loader(state)).status() == GPUDL_ERROR_DIGEST);
    options.trust->digests.push_back(gpudl::trust::digest(DATA_BYTES(names_ptx)));
    expect(gpudl::library::try_load(DATA_BYTES(names_ptx), options, loader(state)));
}

void the_first_that_loads_says_why_not_the_others(void **state)
{
    const gpudl::first_of first = gpudl::library::load_first({ gpudl::file("gone"), DATA_BYTES(names_cubin) }, {}, loader(state));

    expect(first.which == 1 && first.taken.kernel_count() == 7);
    expect_text(first.why, "gone: No such file");
    expect(gpudl::library::try_load_first({ gpudl::file("gone") }, {}, loader(state)).status() == GPUDL_ERROR_FILE_MISSING);
}

void globals_are_spans_of_their_type(void **state)
{
    nulldrv_set_globals(16);
    loader(state).use_device();
    const auto lib = gpudl::library::load(DATA_BYTES(globals_cubin), {}, loader(state));
    const gpudl::version pin = lib.pin();
    const gpudl::device_span<float> table = pin.global<float>("table");

    expect(table.size() == 4 && table.size_bytes() == 16 && table.data());
    expect(pin.global("table").address() == table.address());
    struct odd {
        char bytes[5];
    };
    expect_failure(pin.try_global<odd>("table"), GPUDL_ERROR_ARGUMENT, "'table' has 16 bytes");
    expect(pin.try_global<float>("no such global").status() != GPUDL_OK);
    expect(pin.native() && pin.kernel_count() == 1 && pin.number() == 1);
    loader(state).driver().CtxSetCurrent(nullptr);
}

void libraries_are_replaced_and_turned_back(void **state)
{
    const gpudl::library lib = load(state);
    const auto axpy = lib.get<int, float, const float *, float *>("axpy");
    gpudl::replace_options keep;

    keep.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    lib.replace(DATA_BYTES(names_ptx), keep);
    expect(lib.generation() == 1);
    lib.rollback();
    expect(lib.generation() == 2);
    axpy({ 1, 32 }, 1, 2, nullptr, nullptr);
    expect(lib.try_replace(DATA_BYTES(globals_cubin)).status() == GPUDL_ERROR_REPLACE);
    lib.make_resident();
}

void a_task_tells_and_gives_its_library(void **state)
{
    std::atomic<int> told{ 0 };
    gpudl::async_options async;

    async.done = [&told] { told++; };
    const gpudl::task task = gpudl::library::load_async(DATA_BYTES(names_cubin), {}, async, loader(state));
    task.wait();
    expect(task.ended() && task.take().kernel_count() == 7);
    expect(task.try_take().status() == GPUDL_ERROR_ARGUMENT);
    const gpudl::library lib = load(state);
    lib.replace_async(DATA_BYTES(names_ptx), {}, async).wait();
    async.flags = UINT64_MAX;
    expect(gpudl::library::try_load_async(DATA_BYTES(names_cubin), {}, async, loader(state)).status() == GPUDL_ERROR_TOO_NEW);
    gpudl::task bad = gpudl::library::load_async(gpudl::file("gone"), {}, {}, loader(state));
    expect_failure(bad.try_wait(), GPUDL_ERROR_FILE_MISSING, "gone");
    bad.reset();
    while (told != 2)
        usleep(1000);
}

void write_file(const char *path, const void *bytes, std::size_t size)
{
    FILE *f = std::fopen(path, "w");
    expect(f && std::fwrite(bytes, 1, size, f) == size && std::fclose(f) == 0);
}

/* told() lets go of the library, and so of itself. */
void a_watch_may_be_ended_by_whom_it_tells(void **state)
{
    const std::string path = "/tmp/gpudl-hpp-" + std::to_string(getpid());
    std::atomic<int> told{ 0 };
    gpudl::watch_options options;

    write_file(path.c_str(), data_names_ptx, DATA_SIZE(names_ptx));
    gpudl::library lib = gpudl::library::load(gpudl::file(path), {}, loader(state));
    const std::vector<int> kept(1000, 7); /* its copy lives in what is told: gone too early, the sanitizer says so */
    options.told = [&lib, &told, kept](gpudl_status status, const char *, std::uint64_t) {
        const bool mine = lib && status == GPUDL_OK;
        lib.reset();
        told = mine && kept[999] == 7 ? 1 : 2;
    };
    lib.watch(options);
    gpudl::library moved = std::move(lib);
    lib = std::move(moved);
    write_file((path + ".new").c_str(), data_names_cubin, DATA_SIZE(names_cubin));
    expect(std::rename((path + ".new").c_str(), path.c_str()) == 0);
    while (!told)
        usleep(1000);
    expect(told == 1);
    std::remove(path.c_str());
    expect_failure(load(state).try_watch(), GPUDL_ERROR_ARGUMENT, "file");
}

void handles_of_the_driver_go_out_and_in(void **state)
{
    const gpudl::library lib = load(state);
    const gpudl::native_kernel native = lib.get("axpy").native();

    expect(native.handle && native.pin);
    const gpudl::any_kernel k = gpudl::any_kernel::adopt(native.handle, "theirs", loader(state));
    expect(std::string(k.name()) == "theirs");
    gpudl::adopt_options options;
    options.kernels = { "axpy" };
    options.name = "other";
    const gpudl::library again = gpudl::library::adopt(native.pin.native(), options, loader(state));
    expect(again.kernel_count() == 1);
}

void an_images_parts_are_told_and_exceptions_pass(void **)
{
    const gpudl::image image = gpudl::image::open(DATA_BYTES(names_fatbin));
    const gpudl_image_info info = image.describe();
    int symbols = 0;

    expect(std::string(info.format) == "fatbin" && info.entries == 2);
    expect(image.read(0).kernels == 7 && image.code(0).size() > 100);
    expect(image.explain(gpudl::target("sm_90")).status == GPUDL_OK);
    expect(image.explain(gpudl::target("sm_70")).status == GPUDL_ERROR_ARCHITECTURE);
    const std::size_t elf = std::string(image.entry(0).kind) == "elf" ? 0 : 1;
    image.symbols(elf, [&symbols](const gpudl_symbol_info &) { return ++symbols < 3; });
    expect(symbols == 3);
    try {
        image.symbols(elf, [](const gpudl_symbol_info &) -> bool { throw 5; });
        fail_msg("no exception");
    } catch (int thrown) {
        expect(thrown == 5);
    }
    expect(image.try_entry(9).status() == GPUDL_ERROR_ARGUMENT);
    expect(gpudl::demangle("_Z5twicePf") == "twice(float*)");
}

void keys_sign_and_signatures_are_checked(void **)
{
    const gpudl::trust::key_pair keys = gpudl::trust::keygen();
    const std::string content = "what is signed";
    gpudl::trust_options trust;

    trust.policy = GPUDL_TRUST_SIGNATURE;
    trust.keys.push_back(keys.public_key);
    expect(gpudl::trust::try_check(gpudl::memory(content), trust).status() == GPUDL_ERROR_SIGNATURE_MISSING);
    const std::string signature = gpudl::trust::sign(gpudl::memory(content), keys.secret_key);
    expect(std::string(gpudl::trust::check(gpudl::memory(content).signature(signature), trust).key_id).size() == 16);
    expect(!gpudl::trust::key_is_locked(keys.secret_key));
}

void a_default_loader_is_the_processs_own(void **)
{
    expect(gpudl::loader().handle() == nullptr);
    gpudl::loader_options options;
    options.driver = "/no/such/driver.so";
    expect_failure(gpudl::loader::try_open(options), GPUDL_ERROR_NO_DRIVER, "/no/such/driver.so");
    options.driver = harness_null_driver();
    gpudl::loader a = gpudl::loader::open(options);
    expect(!a.is_software() && std::string(a.driver_text()).size() > 0 && a.statistics().loads == 0);
    expect_text(a.statistics_json(), "\"loads\":0");
    expect(std::string(a.emulated()).empty());
    expect((a.features() & GPUDL_HAS_DRIVER) != 0);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(a_moved_handle_leaves_an_empty_one),
        TEST(an_assigned_handle_releases_what_it_had),
        TEST(handles_may_go_in_any_order),
        TEST(a_detached_handle_is_the_callers),
        TEST(handles_go_while_an_exception_passes),
        TEST(an_empty_handle_is_told),
        TEST(an_exception_carries_status_code_and_text),
        TEST(a_result_is_the_value_or_the_failure),
        TEST(the_drivers_own_functions_have_exceptions_too),
        TEST(sources_own_their_texts),
        TEST(options_arrive),
        TEST(the_first_that_loads_says_why_not_the_others),
        TEST(globals_are_spans_of_their_type),
        TEST(libraries_are_replaced_and_turned_back),
        TEST(a_task_tells_and_gives_its_library),
        TEST(a_watch_may_be_ended_by_whom_it_tells),
        TEST(handles_of_the_driver_go_out_and_in),
        TEST(an_images_parts_are_told_and_exceptions_pass),
        TEST(keys_sign_and_signatures_are_checked),
        TEST(a_default_loader_is_the_processs_own),
    };

    return cmocka_run_group_tests_name("hpp.handles", tests, nullptr, nullptr);
}
