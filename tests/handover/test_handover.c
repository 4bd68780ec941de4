/* Two plugins with a static CUDA runtime each: what nvcc compiled into one is launched by gpudl out of the other, and what gpudl loaded by a
 * runtime that knows nothing of it. Skipped (77) without a GPU, since that runtime runs on none but NVIDIA's driver. */
#include <dlfcn.h>
#include <stdio.h>

#include "tests/handover/handover.h"
#include "tests/loader/asserts.h"

enum { N = 1000 };

/* x[i] += 1.0 (3f800000), and 10.0 (41200000). */
#define ADD(number) \
    ".version 7.0\n.target sm_75\n.address_size 64\n" \
    ".visible .entry add(.param .u64 x, .param .u32 n)\n{\n" \
    ".reg .u64 %d<4>;\n.reg .u32 %r<6>;\n.reg .f32 %f<3>;\n.reg .pred %p<2>;\n" \
    "ld.param.u64 %d1, [x];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %d1, %d1;\n" \
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.u32 %r5, %r2, %r3, %r4;\n" \
    "setp.ge.u32 %p1, %r5, %r1;\n@%p1 ret;\n" \
    "mul.wide.u32 %d2, %r5, 4;\nadd.u64 %d3, %d1, %d2;\n" \
    "ld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f1, 0f" number ";\nst.global.f32 [%d3], %f2;\nret;\n}\n"
static const char add_one[] = ADD("3F800000"), add_ten[] = ADD("41200000");

static const gpudl_driver_table *cu;

static struct {
    void *a, *b;
    int (*kernel)(void **);
    int (*load)(const void *, void **);
    int (*scale)(void *, unsigned long long, int, float);
    int (*launch)(void *, unsigned long long, int);
} plugin;

static void *open_plugin(const char *name)
{
    void *p = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!p)
        fail_msg("%s", dlerror());
    return p;
}

static void *find(void *library, const char *name)
{
    void *p = dlsym(library, name);

    assert_non_null(p);
    return p;
}

static int open_plugins(void **state)
{
    (void)state;
    plugin.a = open_plugin("libhandover_a.so");
    plugin.b = open_plugin("libhandover_b.so");
    *(void **)&plugin.kernel = find(plugin.a, "handover_a_kernel");
    *(void **)&plugin.load = find(plugin.a, "handover_a_load");
    *(void **)&plugin.scale = find(plugin.b, "handover_b_scale");
    *(void **)&plugin.launch = find(plugin.b, "handover_b_launch");
    return 0;
}

/* x[i] = i */
static CUdeviceptr make(void)
{
    float x[N];
    CUdeviceptr p;

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    assert_cu(cu->MemAlloc(&p, sizeof(x)));
    assert_cu(cu->MemcpyHtoD(p, x, sizeof(x)));
    return p;
}

static void expect(CUdeviceptr p, float factor, float more)
{
    float x[N];

    assert_cu(cu->CtxSynchronize());
    assert_cu(cu->MemcpyDtoH(x, p, sizeof(x)));
    for (int i = 0; i < N; i++)
        if (x[i] != (float)i * factor + more)
            fail_msg("element %d is %g, not %g", i, x[i], (float)i * factor + more);
}

static gpudl_library *load(const char *text)
{
    gpudl_library *lib;

    assert_ok(gpudl_library_load(NULL, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    return lib;
}

static void a_kernel_of_nvccs_is_launched_by_gpudl_in_another_plugin(void **state)
{
    CUdeviceptr x = make();
    void *theirs;
    int status;

    (void)state;
    assert_cu(plugin.kernel(&theirs));
    status = plugin.scale(theirs, x, N, 3.0f);
    if (status != GPUDL_OK)
        fail_msg("%s", gpudl_error_text());
    expect(x, 3, 0);
    assert_cu(plugin.scale(theirs, x, N, 0.5f)); /* adopted again: a release gives back the handle alone */
    expect(x, 1.5f, 0);
    assert_cu(cu->MemFree(x));
}

static void its_parameters_are_checked(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(4, 256);
    CUdeviceptr x = make();
    gpudl_kernel *k;
    void *theirs;
    size_t n;

    (void)state;
    assert_cu(plugin.kernel(&theirs));
    assert_ok(gpudl_kernel_adopt(NULL, theirs, NULL, &k));
    assert_non_null(strstr(gpudl_kernel_name(k), "scale"));
    if (cu->KernelGetParamInfo) {
        assert_ok(gpudl_kernel_param_count(k, &n));
        assert_int_equal(n, 3);
        assert_fails(gpudl_launch(k, &config, x, (int)N), GPUDL_ERROR_LAUNCH_ARGUMENTS, "scale");
        assert_fails(gpudl_launch(k, &config, x, (int)N, 3.0), GPUDL_ERROR_LAUNCH_ARGUMENTS, "scale");
    }
    expect(x, 1, 0);
    gpudl_kernel_release(k);
    assert_cu(cu->MemFree(x));
}

static void a_kernel_of_gpudls_is_launched_by_another_runtime(void **state)
{
    gpudl_library *lib = load(add_one);
    CUdeviceptr x = make();
    gpudl_version *pin;
    CUkernel native;
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "add", &k));
    assert_ok(gpudl_kernel_native(k, &native, &pin));
    assert_cu(plugin.launch(native, x, N));
    expect(x, 1, 1);
    gpudl_version_unpin(pin);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_cu(cu->MemFree(x));
}

/* The pin alone holds it: over a replace, and when gpudl's own handles are gone. */
static void a_handle_stays_what_it_was_while_its_pin_is_held(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(4, 256);
    gpudl_library *lib = load(add_one);
    CUdeviceptr x = make();
    gpudl_version *pin;
    CUkernel native;
    gpudl_kernel *k;
    size_t left;

    (void)state;
    assert_ok(gpudl_kernel_get(lib, "add", &k));
    assert_ok(gpudl_kernel_native(k, &native, &pin));
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(add_ten, strlen(add_ten)), NULL));
    assert_cu(plugin.launch(native, x, N));
    expect(x, 1, 1);
    assert_ok(gpudl_launch(k, &config, x, (int)N));
    expect(x, 1, 11);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_trim(NULL, 0, 0));
    assert_ok(gpudl_loader_reap(NULL, 1000000000, &left));
    assert_int_equal(left, 0);
    assert_cu(plugin.launch(native, x, N));
    expect(x, 1, 12);
    gpudl_version_unpin(pin);
    assert_cu(cu->MemFree(x));
}

/* cudaLibraryLoadData's, from then on gpudl's to unload. */
static void a_library_of_a_runtimes_becomes_gpudls(void **state)
{
    gpudl_adopt_options o = GPUDL_ADOPT_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(4, 256);
    gpudl_loader_stats before = { .size_of_struct = sizeof(before) }, after = before;
    CUdeviceptr x = make();
    gpudl_library *lib;
    gpudl_kernel *k;
    void *theirs;
    int err;

    (void)state;
    err = plugin.load(add_ten, &theirs);
    if (err < 0)
        skip();
    assert_cu(err);
    assert_ok(gpudl_loader_reap(NULL, 1000000000, NULL));
    assert_ok(gpudl_loader_statistics(NULL, &before));
    o.flags = GPUDL_ADOPT_OWNED;
    assert_ok(gpudl_library_adopt(NULL, theirs, &o, &lib));
    assert_ok(gpudl_kernel_get(lib, "add", &k));
    assert_ok(gpudl_launch(k, &config, x, (int)N));
    expect(x, 1, 10);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_ok(gpudl_loader_reap(NULL, 1000000000, NULL));
    assert_ok(gpudl_loader_statistics(NULL, &after));
    assert_int_equal(after.unloads, before.unloads + 1);
    assert_cu(cu->MemFree(x));
}

/* The last: the owner of a kernel goes when what was made of it here is released, and the others go on. */
static void the_owner_goes_last_and_alone(void **state)
{
    gpudl_library *lib = load(add_one);
    CUdeviceptr x = make();
    gpudl_version *pin;
    CUkernel native;
    gpudl_kernel *k;
    void *theirs;

    (void)state;
    assert_cu(plugin.kernel(&theirs));
    assert_cu(plugin.scale(theirs, x, N, 2.0f));
    expect(x, 2, 0);
    assert_int_equal(dlclose(plugin.a), 0);
    assert_ok(gpudl_kernel_get(lib, "add", &k));
    assert_ok(gpudl_kernel_native(k, &native, &pin));
    assert_cu(plugin.launch(native, x, N));
    expect(x, 2, 1);
    gpudl_version_unpin(pin);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_cu(cu->MemFree(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_of_nvccs_is_launched_by_gpudl_in_another_plugin),
        cmocka_unit_test(its_parameters_are_checked),
        cmocka_unit_test(a_kernel_of_gpudls_is_launched_by_another_runtime),
        cmocka_unit_test(a_handle_stays_what_it_was_while_its_pin_is_held),
        cmocka_unit_test(a_library_of_a_runtimes_becomes_gpudls),
        cmocka_unit_test(the_owner_goes_last_and_alone),
    };

    cu = gpudl_loader_driver(NULL);
    if (!cu) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    assert_ok(gpudl_loader_use_device(NULL, 0));
    return cmocka_run_group_tests_name(gpudl_loader_driver_text(NULL), tests, open_plugins, NULL);
}
