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

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(any_allocation),
        TEST(any_driver_call),
        TEST(any_driver_call_for_want_of_memory),
        TEST(any_driver_call_with_the_code_of_not_found),
    };

    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
