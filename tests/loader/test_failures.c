/* Whatever fails, and whenever: a status, a text, nothing left, and the loader goes on. */
#include "tests/loader/common.h"

static gpudl_status use_kernels(gpudl_library *lib)
{
    static const char *const names[] = { "axpy", "negate", "ns::scale<float, 4>" };
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_kernel *k[3] = { NULL };
    gpudl_status status = GPUDL_OK;

    for (int i = 0; i < 3 && status == GPUDL_OK; i++)
        status = gpudl_kernel_get(lib, names[i], &k[i]);
    for (int i = 0; i < 3 && status == GPUDL_OK; i++)
        status = gpudl_kernel_launch_params(k[i], &config, NULL);
    for (int i = 0; i < 3; i++)
        gpudl_kernel_release(k[i]);
    return status;
}

static gpudl_status kernels(gpudl_loader *l, void *source)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = use_kernels(lib);
    gpudl_library_release(lib);
    return status;
}

/* Its limits are asked for, and more shared memory. */
static gpudl_status checked(gpudl_loader *l, void *source)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_kernel *k = NULL;
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    config.shared_bytes = 100000;
    status = gpudl_kernel_get(lib, "axpy", &k);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, 1, 2.f, NULL, NULL);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

/* The second load shares the first one's version. */
static gpudl_status shared(gpudl_loader *l, void *source)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = kernels(l, source);
    gpudl_library_release(lib);
    return status;
}

static gpudl_status globals(gpudl_loader *l, void *source)
{
    CUdeviceptr address;
    gpudl_version *v = NULL;
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = gpudl_library_pin(lib, &v);
    if (status == GPUDL_OK)
        status = gpudl_version_global(v, "counter", 0, &address, NULL);
    if (status == GPUDL_OK)
        status = gpudl_version_global(v, "both", 0, &address, NULL);
    if (status == GPUDL_OK)
        status = gpudl_version_global(v, "ns::inner", 0, &address, NULL);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    return status;
}

/* As many kernels as need an index, and bindings that grow. */
static gpudl_status many(gpudl_loader *l, void *source)
{
    gpudl_kernel *k[40] = { NULL };
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    for (size_t i = 0; i < 40 && status == GPUDL_OK; i++)
        status = gpudl_kernel_get(lib, gpudl_library_kernel_name(lib, i), &k[i]);
    for (size_t i = 0; i < 40; i++)
        gpudl_kernel_release(k[i]);
    gpudl_library_release(lib);
    return status;
}

static void each(void (*harness)(harness_scenario *, void *))
{
    char ptx[4096] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    gpudl_source of_many;
    gpudl_source sources[] = {
        gpudl_source_memory(data_names_fatbin, DATA_SIZE(names_fatbin)),
        gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin)),
        gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx)),
    }, with_globals = gpudl_source_memory(data_globals_fatbin, DATA_SIZE(globals_fatbin));

    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
        harness(kernels, &sources[i]);
        harness(shared, &sources[i]);
        harness(checked, &sources[i]);
    }
    harness(globals, &with_globals);
    for (int i = 0; i < 40; i++)
        sprintf(ptx + strlen(ptx), ".visible .entry k%d() { ret; }\n", i);
    of_many = gpudl_source_memory(ptx, strlen(ptx));
    harness(many, &of_many);
}

static void fail_calls_999(harness_scenario *run, void *user)
{
    harness_fail_driver_calls(999, run, user);
}
static void fail_calls_2(harness_scenario *run, void *user)
{
    harness_fail_driver_calls(2, run, user);
}
static void fail_calls_500(harness_scenario *run, void *user)
{
    harness_fail_driver_calls(500, run, user);
}

static void any_allocation(void **state)
{
    (void)state;
    each(harness_fail_allocations);
}
static void any_driver_call(void **state)
{
    (void)state;
    each(fail_calls_999);
}
static void any_driver_call_for_want_of_memory(void **state)
{
    (void)state;
    each(fail_calls_2);
}
static void any_driver_call_with_the_code_of_not_found(void **state)
{
    (void)state;
    each(fail_calls_500);
}

/* --------------------------------------------------------------------------------------------------------------- whole lives */

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char one[] = HEAD ".visible .entry a(.param .u32 p) { ret; }\n.visible .entry b() { ret; }\n";
static const char two[] = HEAD "// two\n.visible .entry a(.param .u32 p) { ret; }\n.visible .entry b() { ret; }\n";
static const char globals_one[] = HEAD ".visible .global .u32 n;\n.visible .entry a() { ret; }\n";
static const char globals_two[] = HEAD ".visible .global .u32 n;\n.visible .entry a() { ret; }\n// two\n";

static gpudl_status load_text(gpudl_loader *l, const char *text, gpudl_library **out)
{
    return gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, out);
}

static gpudl_status residency(gpudl_loader *l, void *user)
{
    gpudl_kernel *a = NULL, *b = NULL;
    gpudl_library *lib;
    gpudl_status status = load_text(l, one, &lib);

    (void)user;
    if (status != GPUDL_OK)
        return status;
    status = gpudl_library_make_resident(lib, NULL, 0, gpudl_now());
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "a", &a);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "b", &b);
    if (status == GPUDL_OK)
        status = gpudl_library_make_resident(lib, (const int[]){ 0 }, 1, gpudl_by(0));
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    return status;
}

/* Nothing that fails in here is worth a failure: an idle device that is not seen is seen another time. */
static gpudl_status reaping(gpudl_loader *l, void *user)
{
    size_t left = 99;
    gpudl_status status = residency(l, user);

    if (status != GPUDL_OK)
        return status;
    assert_ok(gpudl_loader_trim(l, 0, 0));
    assert_ok(gpudl_loader_reap(l, 0, &left));
    assert_true(left <= 1);
    assert_ok(gpudl_loader_reap(l, UINT64_MAX, &left));
    assert_int_equal(left, 0);
    return GPUDL_OK;
}

/* A replace that fails leaves everything as it was. */
static gpudl_status replacing(gpudl_loader *l, void *user)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_kernel *a = NULL, *b = NULL;
    uint64_t turned = 0;
    gpudl_library *lib;
    gpudl_status status = load_text(l, one, &lib), replaced;

    (void)user;
    if (status != GPUDL_OK)
        return status;
    o.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    config.shared_bytes = 100000;
    status = gpudl_kernel_get(lib, "a", &a);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "b", &b);
    if (status == GPUDL_OK)
        status = gpudl_launch(a, &config, 1);
    if (status == GPUDL_OK) {
        status = replaced = gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &o);
        turned += replaced == GPUDL_OK;
        assert_int_equal(gpudl_library_generation(lib), turned);
    }
    if (status == GPUDL_OK)
        status = gpudl_launch(a, &config, 1);
    if (status == GPUDL_OK) {
        status = replaced = gpudl_library_rollback(lib);
        turned += replaced == GPUDL_OK;
        assert_int_equal(gpudl_library_generation(lib), turned);
    }
    config.shared_bytes = 0;
    if (status == GPUDL_OK)
        status = gpudl_launch(b, &config);
    else if (a && !nulldrv_failed())
        assert_ok(gpudl_launch(a, &config, 1));
    gpudl_kernel_release(a);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    return status;
}

static gpudl_status pinning(gpudl_loader *l, void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_version *from = NULL, *to = NULL;
    gpudl_kernel *k = NULL;
    gpudl_library *lib;
    size_t n = 0;
    gpudl_status status = load_text(l, globals_one, &lib);

    (void)user;
    if (status != GPUDL_OK)
        return status;
    status = gpudl_library_pin(lib, &from);
    if (status == GPUDL_OK)
        status = gpudl_library_replace(lib, GPUDL_MEMORY(globals_two, strlen(globals_two)), NULL);
    if (status == GPUDL_OK)
        status = gpudl_library_pin(lib, &to);
    if (status == GPUDL_OK)
        status = gpudl_version_copy_globals(from, to, 0, &n);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "a", &k);
    config.version = from;
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config);
    config.version = to;
    if (status == GPUDL_OK)
        status = gpudl_kernel_launch_params(k, &config, NULL);
    gpudl_kernel_release(k);
    gpudl_version_unpin(from);
    gpudl_version_unpin(to);
    gpudl_library_release(lib);
    return status;
}

static gpudl_status beside(gpudl_loader *l, void *user)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_task *task = NULL, *other = NULL;
    gpudl_library *lib = NULL;
    gpudl_status status;

    (void)user;
    o.flags = GPUDL_ASYNC_RESIDENT | GPUDL_ASYNC_AFTER_STREAM;
    o.when = gpudl_by(0);
    status = gpudl_library_load_async(l, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &task);
    if (status == GPUDL_OK)
        status = gpudl_task_wait(task, UINT64_MAX);
    if (status == GPUDL_OK)
        status = gpudl_task_library(task, &lib);
    if (status == GPUDL_OK)
        status = gpudl_library_replace_async(lib, GPUDL_MEMORY(two, strlen(two)), NULL, NULL, &other);
    if (status == GPUDL_OK)
        status = gpudl_task_wait(other, UINT64_MAX);
    gpudl_task_release(other);
    gpudl_task_release(task);
    gpudl_library_release(lib);
    return status;
}

/* A launch whose code the graph could not be given is refused. */
static gpudl_status capturing(gpudl_loader *l, void *stream)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_kernel *k = NULL;
    gpudl_library *lib;
    gpudl_status status = load_text(l, one, &lib);

    if (status != GPUDL_OK)
        return status;
    config.stream = stream;
    nulldrv_capture(stream);
    status = gpudl_kernel_get(lib, "a", &k);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, 1);
    if (status == GPUDL_OK)
        status = gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), NULL);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config, 1);
    nulldrv_capture(NULL);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    nulldrv_destroy_graph();
    return status;
}

/* Is a context current, and is it of that device? Where that cannot be told it is tried as if, or made current once more. */
static const char *const current[] = { "cuDeviceGet", "cuCtxGetCurrent", NULL };

/* A launch asks whether its stream is captured, and goes on where that fails: it is the launch that fails then, on a real driver. */
static const char *const asked[] = { "cuStreamIsCapturing", "cuDeviceGet", NULL };

static const char *const looking[] = { "cuCtxGetCurrent", "cuEventCreate", "cuEventRecord", "cuCtxRecordEvent", "cuEventQuery",
    "cuEventDestroy", "cuCtxPushCurrent", "cuDeviceGet", "cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain", NULL };

/* And what a task waited with is given back. */
static const char *const beside_may[] = { "cuEventDestroy", "cuDeviceGet", NULL };

static void any_driver_call_in_a_life(void **state)
{
    static const int codes[] = { 999, 2, 700 };
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    const gpudl_driver_table *cu;
    gpudl_loader *holder;   /* of a context that stays, and a stream in it */
    CUstream stream;

    (void)state;
    options.driver = harness_null_driver();
    assert_ok(gpudl_loader_open(&options, &holder));
    cu = gpudl_loader_driver(holder);
    assert_ok(gpudl_loader_use_device(holder, 0));
    assert_int_equal(cu->StreamCreate(&stream, 0), 0);
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        harness_fail_driver_calls_but(current, codes[i], residency, NULL);
        harness_fail_driver_calls_but(looking, codes[i], reaping, NULL);
        harness_fail_driver_calls_but(current, codes[i], replacing, NULL);
        harness_fail_driver_calls_but(current, codes[i], pinning, NULL);
        harness_fail_driver_calls_but(beside_may, codes[i], beside, NULL);
        harness_fail_driver_calls_but(asked, codes[i], capturing, stream);
    }
    cu->StreamDestroy(stream);
    cu->CtxSetCurrent(NULL);
    gpudl_loader_close(holder);
}

static void any_allocation_in_a_life(void **state)
{
    (void)state;
    harness_fail_allocations(residency, NULL);
    harness_fail_allocations(replacing, NULL);
    harness_fail_allocations(pinning, NULL);
    harness_fail_allocations(beside, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(any_allocation),
        TEST(any_driver_call),
        TEST(any_driver_call_for_want_of_memory),
        TEST(any_driver_call_with_the_code_of_not_found),
        TEST(any_driver_call_in_a_life),
        TEST(any_allocation_in_a_life),
    };

    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
