/* Kernels of the program's own as a source. */
#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* As the CUDA runtime has it, where a program shows its symbols: found by dlsym. */
__attribute__((visibility("default"))) int cudaGetKernel(CUkernel *kernel, const void *stub);
static CUkernel runtimes;
static const char stub, unknown_stub;

int cudaGetKernel(CUkernel *kernel, const void *of)
{
    *kernel = runtimes;
    return of == &stub ? 0 : 98;
}

/* Kernels that somebody else has loaded. */
struct owner {
    gpudl_library *library;
    gpudl_version *version;
    CUkernel a, b;
};

static struct owner own(gpudl_loader *l)
{
    static const char text[] = HEAD ".visible .entry a(.param .u32 n) { ret; }\n.visible .entry b() { ret; }\n";
    struct owner o = { 0 };
    CUlibrary native;

    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &o.library));
    assert_ok(gpudl_library_pin(o.library, &o.version));
    assert_ok(gpudl_version_native(o.version, &native));
    assert_int_equal(gpudl_loader_driver(l)->LibraryGetKernel(&o.a, native, "a"), 0);
    assert_int_equal(gpudl_loader_driver(l)->LibraryGetKernel(&o.b, native, "b"), 0);
    runtimes = o.b;
    return o;
}

static void disown(struct owner *o)
{
    gpudl_version_unpin(o->version);
    gpudl_library_release(o->library);
}

static void they_are_found_and_launched(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    struct owner o = own(l);
    char name[] = "first";
    gpudl_registered_kernel kernels[] = { { name, o.a, NULL, NULL }, { "second", NULL, (CUfunction)o.b, NULL }, { "third", NULL, NULL, &stub } };
    gpudl_source source = gpudl_source_registered("built in", kernels, 3);
    gpudl_kernel *k[3];
    gpudl_library *lib;
    CUlibrary native;
    gpudl_version *v;

    (void)state;
    assert_ok(gpudl_library_load(l, &source, NULL, &lib));
    name[0] = 'X'; /* it was copied */
    assert_int_equal(gpudl_library_kernel_count(lib), 3);
    assert_ok(gpudl_kernel_get(lib, "first", &k[0]));
    assert_ok(gpudl_kernel_get(lib, "second", &k[1]));
    assert_ok(gpudl_kernel_get(lib, "third", &k[2]));
    for (int i = 0; i < 3; i++)
        assert_ok(gpudl_kernel_launch_params(k[i], &config, (void *[]){ &(int){ 1 } }));
    assert_fails(gpudl_launch(k[1], &config, 1), GPUDL_ERROR_UNSUPPORTED, "does not say");
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 0);
    assert_ok(gpudl_library_pin(lib, &v));
    assert_fails(gpudl_version_native(v, &native), GPUDL_ERROR_UNSUPPORTED, "registered");
    gpudl_version_unpin(v);
    for (int i = 0; i < 3; i++)
        gpudl_kernel_release(k[i]);
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1); /* the owner's */
    disown(&o);
    harness_close(l);
}

static void they_are_the_last_of_several_sources(void **state)
{
    gpudl_loader *l = harness_open();
    struct owner o = own(l);
    gpudl_registered_kernel kernels[] = { { "a", o.a, NULL, NULL } };
    gpudl_source sources[] = { gpudl_source_file("/nowhere/k.cubin"), gpudl_source_registered("built in", kernels, 1) };
    gpudl_library *lib;
    size_t which;

    (void)state;
    assert_ok(gpudl_library_load_first(l, sources, 2, NULL, &which, &lib));
    assert_int_equal(which, 1);
    gpudl_library_release(lib);
    disown(&o);
    harness_close(l);
}

/* Attributes of a CUkernel are the driver's to tell; a CUfunction is not given to calls that take a CUkernel. */
static void their_attributes_are_the_programs(void **state)
{
    static const char better[] = HEAD ".visible .entry a() { ret; }\n";
    gpudl_loader *l = harness_open();
    struct owner o = own(l);
    gpudl_registered_kernel kernels[] = { { "a", o.b, NULL, NULL } }, functions[] = { { "a", NULL, (CUfunction)o.b, NULL } };
    gpudl_source source = gpudl_source_registered("built in", kernels, 1);
    gpudl_library *lib;
    unsigned long before;
    gpudl_kernel *a;
    int value = 0;

    (void)state;
    assert_ok(gpudl_library_load(l, &source, NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, NULL, &a));
    assert_ok(gpudl_kernel_attribute(a, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, 0, &value));
    assert_int_equal(value, 1024);
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(better, strlen(better)), NULL));
    source = gpudl_source_registered("built in", functions, 1);
    before = nulldrv_calls("cuKernelGetAttribute");
    assert_ok(gpudl_library_replace(lib, &source, NULL));
    assert_int_equal(nulldrv_calls("cuKernelGetAttribute"), before);
    assert_fails(gpudl_kernel_attribute(a, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, 0, &value), GPUDL_ERROR_UNSUPPORTED, "CUfunction");
    assert_fails(gpudl_kernel_set_attribute(a, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, 0), GPUDL_ERROR_UNSUPPORTED,
        "registered as a CUfunction");
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    disown(&o);
    harness_close(l);
}

/* What was built in runs until something better is there, and again when that goes. */
static void they_are_replaced_and_come_back(void **state)
{
    static const char better[] = HEAD ".visible .entry a(.param .u32 n) { ret; }\n";
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_replace_options options = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    struct owner o = own(l);
    gpudl_registered_kernel kernels[] = { { "a", o.a, NULL, NULL } };
    gpudl_source source = gpudl_source_registered("built in", kernels, 1);
    gpudl_library *lib;
    gpudl_task *task;
    gpudl_kernel *a;

    (void)state;
    assert_ok(gpudl_library_load_async(l, &source, NULL, NULL, &task));
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    assert_ok(gpudl_task_library(task, &lib));
    gpudl_task_release(task);
    assert_ok(gpudl_kernel_get(lib, NULL, &a));
    options.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(better, strlen(better)), &options));
    assert_ok(gpudl_launch(a, &config, 1));
    assert_ok(gpudl_library_rollback(lib));
    assert_ok(gpudl_kernel_launch_params(a, &config, (void *[]){ &(int){ 1 } }));
    assert_ok(gpudl_library_rollback(lib));
    assert_ok(gpudl_launch(a, &config, 1));
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    disown(&o);
    harness_close(l);
}

static void what_is_wrong_with_them_is_told(void **state)
{
    gpudl_loader *l = harness_open();
    struct owner o = own(l);
    gpudl_registered_kernel k = { "a", NULL, NULL, NULL };
    gpudl_source source = gpudl_source_registered("built in", &k, 1);
    gpudl_library *lib;
    gpudl_image *image;

    (void)state;
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_ARGUMENT, "'a' has 0 of kernel, function and stub");
    k.kernel = o.a;
    k.stub = &stub;
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_ARGUMENT, "'a' has 2 of");
    k.stub = NULL;
    k.name = "";
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_ARGUMENT, "has no name");
    k.name = "a";
    assert_fails(gpudl_image_open(&source, NULL, &image), GPUDL_ERROR_ARGUMENT, "no image");
    source.nbytes--;
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_ARGUMENT, "another gpudl");
    source.nbytes = 0;
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_ARGUMENT, "no kernels");
    source.nbytes = sizeof(k);
    k.kernel = NULL;
    k.stub = &unknown_stub;
    assert_fails(gpudl_library_load(l, &source, NULL, &lib), GPUDL_ERROR_DRIVER, "cudaGetKernel returned 98");
    disown(&o);
    harness_close(l);
}

static gpudl_status scenario(gpudl_loader *l, void *user)
{
    gpudl_registered_kernel kernels[] = { { "first", *(CUkernel *)user, NULL, NULL }, { "second", *(CUkernel *)user, NULL, NULL } };
    gpudl_source source = gpudl_source_registered("built in", kernels, 2);
    gpudl_kernel *k = NULL;
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, &source, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = gpudl_kernel_get(lib, "second", &k);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static void whatever_lacks_nothing_is_lost(void **state)
{
    CUkernel handle = (CUkernel)&stub;

    (void)state;
    harness_fail_allocations(scenario, &handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(they_are_found_and_launched),
        TEST(they_are_the_last_of_several_sources),
        TEST(they_are_replaced_and_come_back),
        TEST(their_attributes_are_the_programs),
        TEST(what_is_wrong_with_them_is_told),
        TEST(whatever_lacks_nothing_is_lost),
    };

    return cmocka_run_group_tests_name("registered", tests, NULL, NULL);
}
