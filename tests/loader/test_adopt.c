/* Handles of the driver's, in and out. */
#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char text[] = HEAD ".visible .entry a(.param .u64 p, .param .u32 n) { ret; }\n";

/* A library that somebody else has loaded, past gpudl. */
static CUlibrary load_elsewhere(gpudl_loader *l, const char *kernels)
{
    CUlibrary native;

    nulldrv_set_kernels(kernels);
    assert_cu(gpudl_loader_driver(l)->LibraryLoadData(&native, text, NULL, NULL, 0, NULL, NULL, 0));
    nulldrv_set_kernels(NULL);
    return native;
}

static CUkernel kernel_of(gpudl_loader *l, CUlibrary native, const char *name)
{
    CUkernel k;

    assert_cu(gpudl_loader_driver(l)->LibraryGetKernel(&k, native, name));
    return k;
}

static void unload(gpudl_loader *l, CUlibrary native)
{
    assert_cu(gpudl_loader_driver(l)->LibraryUnload(native));
}

/* Somebody else's loader: the harness does not look at it. */
static gpudl_loader *open_elsewhere(void)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    o.driver = harness_null_driver();
    assert_ok(gpudl_loader_open(&o, &l));
    return l;
}

static gpudl_adopt_options owned(void)
{
    gpudl_adopt_options o = GPUDL_ADOPT_OPTIONS_INIT;

    o.flags = GPUDL_ADOPT_OWNED;
    return o;
}

static void a_kernel_is_launched_and_its_arguments_are_checked(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    gpudl_param_info param = { .size_of_struct = sizeof(param) };
    gpudl_kernel *k;
    void *nothing = NULL;
    size_t n;

    (void)state;
    nulldrv_set_params("8,4");
    assert_ok(gpudl_kernel_adopt(l, kernel_of(l, native, "a"), NULL, &k));
    assert_string_equal(gpudl_kernel_name(k), "a");
    assert_ok(gpudl_kernel_param_count(k, &n));
    assert_int_equal(n, 2);
    assert_ok(gpudl_kernel_param(k, 1, &param));
    assert_int_equal(param.offset, 8);
    assert_int_equal(param.size, 4);
    assert_ok(gpudl_launch(k, &config, nothing, 5));
    assert_fails(gpudl_launch(k, &config, nothing), GPUDL_ERROR_LAUNCH_ARGUMENTS, "2");
    assert_fails(gpudl_launch(k, &config, nothing, 5.0), GPUDL_ERROR_LAUNCH_ARGUMENTS, "4 bytes");
    gpudl_kernel_release(k);
    assert_int_equal(nulldrv_alive("library"), 1); /* the handle alone went */
    unload(l, native);
    harness_close(l);
}

/* Before CUDA 12.4 a driver tells no parameters, and before 12.3 no names. */
static void what_the_driver_does_not_tell_is_not_checked(void **state)
{
    gpudl_adopt_options named = GPUDL_ADOPT_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    gpudl_kernel *k;

    (void)state;
    named.name = "saxpy";
    assert_ok(gpudl_kernel_adopt(l, kernel_of(l, native, "a"), &named, &k));
    assert_string_equal(gpudl_kernel_name(k), "saxpy");
    assert_fails(gpudl_launch(k, &config, 1), GPUDL_ERROR_UNSUPPORTED, "does not say");
    assert_ok(gpudl_kernel_launch_params(k, &config, (void *[]){ &(int){ 1 } }));
    gpudl_kernel_release(k);
    nulldrv_fail("cuKernelGetName", 1, GPUDL_CU_INVALID_HANDLE);
    assert_ok(gpudl_kernel_adopt(l, kernel_of(l, native, "a"), NULL, &k));
    assert_string_equal(gpudl_kernel_name(k), "adopted");
    gpudl_kernel_release(k);
    unload(l, native);
    harness_close(l);
}

static void kernels_of_a_library_are_listed_and_launched(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "_Z5saxpyifPKfPf,b"), same;
    gpudl_library *lib;
    gpudl_kernel *saxpy, *b;
    gpudl_version *v;
    CUdeviceptr p;

    (void)state;
    nulldrv_set_params("");
    assert_ok(gpudl_library_adopt(l, native, NULL, &lib));
    assert_int_equal(gpudl_library_kernel_count(lib), 2);
    assert_ok(gpudl_kernel_get(lib, "saxpy", &saxpy));
    assert_string_equal(gpudl_kernel_name(saxpy), "_Z5saxpyifPKfPf");
    assert_ok(gpudl_kernel_get(lib, "b", &b));
    assert_fails(gpudl_kernel_get(lib, "c", &b), GPUDL_ERROR_NO_SUCH_KERNEL, "adopted library: no kernel 'c'");
    assert_ok(gpudl_launch(b, &config));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_native(v, &same));
    assert_ptr_equal(same, native);
    assert_ok(gpudl_version_global(v, "table", 0, &p, NULL));
    gpudl_version_unpin(v);
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(nulldrv_calls("cuKernelGetFunction"), 0); /* its owner's to do */
    gpudl_kernel_release(saxpy);
    gpudl_kernel_release(b);
    gpudl_library_release(lib);
    assert_int_equal(nulldrv_alive("library"), 1);
    unload(l, native);
    harness_close(l);
}

static void globals_that_are_not_there_are_told(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_version *v;
    gpudl_library *lib;
    CUlibrary native;
    CUdeviceptr p;

    (void)state;
    nulldrv_set_globals(0);
    native = load_elsewhere(l, "");
    assert_ok(gpudl_library_adopt(l, native, NULL, &lib)); /* without a kernel, too */
    assert_int_equal(gpudl_library_kernel_count(lib), 0);
    assert_ok(gpudl_library_pin(lib, &v));
    assert_fails(gpudl_version_global(v, "table", 0, &p, NULL), GPUDL_ERROR_NO_SUCH_GLOBAL, "'table'");
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    unload(l, native);
    harness_close(l);
}

static void those_that_are_wanted_may_be_named(void **state)
{
    static const char *const wanted[] = { "b" }, *const lost[] = { "b", "x" };
    gpudl_adopt_options o = GPUDL_ADOPT_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a,b,c");
    gpudl_library *lib;

    (void)state;
    o.kernels = wanted, o.nkernels = 1, o.name = "theirs";
    assert_ok(gpudl_library_adopt(l, native, &o, &lib));
    assert_int_equal(gpudl_library_kernel_count(lib), 1);
    assert_string_equal(gpudl_library_kernel_name(lib, 0), "b");
    assert_int_equal(nulldrv_calls("cuLibraryEnumerateKernels"), 0);
    gpudl_library_release(lib);
    o.kernels = lost, o.nkernels = 2;
    assert_fails(gpudl_library_adopt(l, native, &o, &lib), GPUDL_ERROR_NO_SUCH_KERNEL, "theirs: kernel 'x'");
    unload(l, native);
    harness_close(l);
}

/* As one that gpudl loaded: not while anything holds it, and at a moment. */
static void an_owned_library_is_unloaded_when_nothing_holds_it(void **state)
{
    gpudl_adopt_options o = owned();
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    gpudl_library *lib;
    gpudl_kernel *k;
    size_t left;

    (void)state;
    assert_ok(gpudl_library_adopt(l, native, &o, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &k));
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_reap(l, 0, &left));
    assert_int_equal(nulldrv_alive("library"), 1);
    nulldrv_set_busy(1);
    gpudl_kernel_release(k);
    assert_int_equal(nulldrv_alive("library"), 1); /* it may be running */
    nulldrv_set_busy(0);
    assert_ok(gpudl_loader_reap(l, 0, &left));
    assert_int_equal(left, 0);
    assert_int_equal(nulldrv_alive("library"), 0);
    harness_close(l);
}

static void a_library_has_one_owner(void **state)
{
    gpudl_adopt_options o = owned();
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a"), ours;
    gpudl_library *lib, *again, *loaded;
    gpudl_version *v;
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_library_adopt(l, native, &o, &lib));
    assert_fails(gpudl_library_adopt(l, native, &o, &again), GPUDL_ERROR_ARGUMENT, "unloaded twice");
    assert_ok(gpudl_library_adopt(l, native, NULL, &again)); /* lent by the other one */
    gpudl_library_release(again);
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &loaded));
    assert_ok(gpudl_library_pin(loaded, &v));
    assert_ok(gpudl_version_native(v, &ours));
    assert_fails(gpudl_library_adopt(l, ours, &o, &again), GPUDL_ERROR_ARGUMENT, "unloaded twice");
    assert_fails(gpudl_kernel_adopt(l, kernel_of(l, native, "a"), &o, &k), GPUDL_ERROR_ARGUMENT, "is for libraries");
    gpudl_version_unpin(v);
    gpudl_library_release(loaded);
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_reap(l, 0, NULL));
    harness_close(l);
}

/* From somebody's own kernels to better ones, and back. */
static void an_adopted_library_is_replaced_and_comes_back(void **state)
{
    gpudl_replace_options keep = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    void *nothing = NULL;
    gpudl_library *lib;
    gpudl_kernel *k;

    (void)state;
    nulldrv_set_params("8,4");
    assert_ok(gpudl_library_adopt(l, native, NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &k));
    keep.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), &keep));
    assert_ok(gpudl_launch(k, &config, nothing, 1));
    assert_ok(gpudl_library_rollback(lib));
    assert_ok(gpudl_launch(k, &config, nothing, 1));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_reap(l, 0, NULL));
    unload(l, native);
    harness_close(l);
}

/* Given out, and launched by somebody else after a replace and after gpudl's own handles are gone. */
static void a_handle_given_out_is_good_while_its_pin_is_held(void **state)
{
    static const char newer[] = HEAD ".visible .entry a(.param .u64 p, .param .u32 n) { add.u32 %r1, %r1, 1; ret; }\n";
    gpudl_loader *l = harness_open_keeping_nothing();
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_library *lib;
    gpudl_version *v;
    gpudl_kernel *k;
    CUkernel native;
    CUlibrary of;

    (void)state;
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &k));
    assert_ok(gpudl_kernel_native(k, &native, &v));
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(newer, strlen(newer)), NULL));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_ok(gpudl_version_native(v, &of));
    assert_int_equal(cu->LaunchKernel((CUfunction)native, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 0);
    assert_ptr_equal(kernel_of(l, of, "a"), native);
    assert_int_equal(nulldrv_misuses(NULL), 0);
    gpudl_version_unpin(v);
    assert_ok(gpudl_loader_reap(l, 0, NULL));
    assert_int_equal(nulldrv_alive("library"), 0);
    assert_cu(cu->CtxSetCurrent(NULL));
    harness_close(l);
}

/* Through two loaders of one process, as two plugins have them. */
static void from_one_loader_to_another(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *a = harness_open(), *b = open_elsewhere();
    gpudl_kernel *theirs, *ours;
    gpudl_library *lib;
    gpudl_version *v;
    CUkernel native;

    (void)state;
    assert_ok(gpudl_library_load(a, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, NULL, &theirs));
    assert_ok(gpudl_kernel_native(theirs, &native, &v));
    assert_ok(gpudl_kernel_adopt(b, native, NULL, &ours));
    assert_ok(gpudl_kernel_launch_params(ours, &config, NULL));
    gpudl_kernel_release(ours);
    gpudl_loader_close(b);
    gpudl_version_unpin(v);
    gpudl_kernel_release(theirs);
    gpudl_library_release(lib);
    harness_close(a);
}

static void what_cannot_be_is_refused(void **state)
{
    gpudl_adopt_options o = GPUDL_ADOPT_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    gpudl_registered_kernel function[] = { { "f", NULL, (CUfunction)kernel_of(l, native, "a"), NULL } };
    gpudl_source source = gpudl_source_registered("built in", function, 1);
    gpudl_library *lib;
    gpudl_version *v;
    gpudl_kernel *k;
    CUkernel out;

    (void)state;
    assert_fails(gpudl_library_adopt(l, NULL, NULL, &lib), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_kernel_adopt(l, NULL, NULL, &k), GPUDL_ERROR_ARGUMENT, "NULL");
    o.flags = 2;
    assert_fails(gpudl_library_adopt(l, native, &o, &lib), GPUDL_ERROR_TOO_NEW, "flags is 0x2");
    o.flags = 0, o.nkernels = 1;
    assert_fails(gpudl_library_adopt(l, native, &o, &lib), GPUDL_ERROR_ARGUMENT, "kernels is NULL");
    assert_ok(gpudl_library_load(l, &source, NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, NULL, &k));
    assert_fails(gpudl_kernel_native(k, &out, &v), GPUDL_ERROR_UNSUPPORTED, "CUfunction");
    assert_fails(gpudl_kernel_native(k, NULL, &v), GPUDL_ERROR_ARGUMENT, "NULL");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    unload(l, native);
    harness_close(l);
}

/* The user is a library somebody else has loaded, and keeps whatever fails. */
static gpudl_status scenario(gpudl_loader *l, void *user)
{
    CUlibrary native = *(CUlibrary *)user;
    gpudl_kernel *k = NULL, *again = NULL;
    gpudl_version *v = NULL;
    gpudl_library *lib;
    CUkernel handle;
    gpudl_status status = gpudl_library_adopt(l, native, NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = gpudl_kernel_get(lib, "b", &k);
    if (status == GPUDL_OK)
        status = gpudl_kernel_native(k, &handle, &v);
    if (status == GPUDL_OK)
        status = gpudl_kernel_adopt(l, handle, NULL, &again);
    gpudl_kernel_release(again);
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static void whatever_lacks_nothing_is_lost(void **state)
{
    gpudl_loader *l = open_elsewhere();
    CUlibrary native = load_elsewhere(l, "a,b");

    (void)state;
    nulldrv_set_params("8,4");
    harness_fail_allocations(scenario, &native);
    unload(l, native);
    gpudl_loader_close(l);
}

/* Its owner's until the call succeeds, then gpudl's: unloaded once, whatever fails. */
static gpudl_status scenario_of_owners(gpudl_loader *l, void *user)
{
    gpudl_adopt_options o = owned();
    CUlibrary native = load_elsewhere(user, "a,b");
    gpudl_kernel *k = NULL;
    gpudl_library *lib;
    gpudl_status status = gpudl_library_adopt(l, native, &o, &lib);

    if (status != GPUDL_OK) {
        unload(user, native);
        return status;
    }
    status = gpudl_kernel_get(lib, "b", &k);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static void whatever_an_owner_lacks_it_unloads_once(void **state)
{
    gpudl_loader *l = open_elsewhere();

    (void)state;
    harness_fail_allocations(scenario_of_owners, l);
    gpudl_loader_close(l);
}

static void an_owner_that_fails_keeps_nothing(void **state)
{
    gpudl_adopt_options o = owned();
    gpudl_loader *l = harness_open();
    CUlibrary native = load_elsewhere(l, "a");
    gpudl_library *lib;

    (void)state;
    nulldrv_fail("cuLibraryEnumerateKernels", 1, GPUDL_CU_INVALID_HANDLE);
    assert_fails(gpudl_library_adopt(l, native, &o, &lib), GPUDL_ERROR_DRIVER, "cuLibraryEnumerateKernels");
    nulldrv_fail("cuKernelGetName", 1, GPUDL_CU_INVALID_HANDLE);
    assert_fails(gpudl_library_adopt(l, native, &o, &lib), GPUDL_ERROR_DRIVER, "cuKernelGetName");
    assert_int_equal(nulldrv_alive("library"), 1);
    unload(l, native);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(a_kernel_is_launched_and_its_arguments_are_checked),
        TEST(what_the_driver_does_not_tell_is_not_checked),
        TEST(kernels_of_a_library_are_listed_and_launched),
        TEST(globals_that_are_not_there_are_told),
        TEST(those_that_are_wanted_may_be_named),
        TEST(an_owned_library_is_unloaded_when_nothing_holds_it),
        TEST(a_library_has_one_owner),
        TEST(an_adopted_library_is_replaced_and_comes_back),
        TEST(a_handle_given_out_is_good_while_its_pin_is_held),
        TEST(from_one_loader_to_another),
        TEST(what_cannot_be_is_refused),
        TEST(whatever_lacks_nothing_is_lost),
        TEST(whatever_an_owner_lacks_it_unloads_once),
        TEST(an_owner_that_fails_keeps_nothing),
    };

    return cmocka_run_group_tests_name("adopt", tests, NULL, NULL);
}
