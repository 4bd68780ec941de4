/* Devices that differ in architecture: on softcuda, as SOFTCUDA_COMPUTE_CAPABILITY says (7.5,9.0,9.0,8.0), since machines with such GPUs are
 * rare. On others this is skipped (exit code 77). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "src/image/fatbin_write.h"
#include "src/util/alloc.h"
#include "tests/loader/asserts.h"

enum { DEVICES = 4 };

static const unsigned sms[DEVICES] = { 75, 90, 90, 80 };
static const gpudl_driver_table *cu;

/* name: *out = value, and so is the global n. */
#define TEXT(target, name, value, more) \
    ".version 7.8\n.target sm_" #target "\n.address_size 64\n.visible .global .align 4 .u32 n = " #value \
    ";\n.visible .entry " #name "(.param .u64 out" more \
    ")\n{\n.reg .u32 %r;\n.reg .u64 %p;\nld.param.u64 %p, [out];\nmov.u32 %r, " #value ";\nst.global.u32 [%p], %r;\nret;\n}\n"
static const char of_75[] = TEXT(75, store, 75, ""), of_90[] = TEXT(90, store, 90, ""), of_100[] = TEXT(100, store, 100, "");
static const char other_90[] = TEXT(90, put, 90, ""), more_90[] = TEXT(90, store, 90, ", .param .u32 more");

static struct fatbin_part part(unsigned sm, const char *text)
{
    return (struct fatbin_part){ .format = IMAGE_PTX, .bytes = { (const unsigned char *)text, strlen(text) }, .sm = sm };
}

static gpudl_status load(const struct fatbin_part *parts, size_t n, gpudl_library **out)
{
    struct span image;
    gpudl_status status;

    assert_int_equal(gpudl__fatbin_write(parts, n, &image), IMAGE_OK);
    status = gpudl_library_load(NULL, GPUDL_MEMORY(image.data, image.size), NULL, out);
    gpudl__free((void *)(uintptr_t)image.data);
    return status;
}

static unsigned run_on(gpudl_kernel *k, int device)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr out;
    unsigned word;

    assert_ok(gpudl_loader_use_device(NULL, device));
    assert_cu(cu->MemAlloc(&out, 4));
    assert_ok(gpudl_launch(k, &config, out));
    assert_cu(cu->MemcpyDtoH(&word, out, 4));
    assert_cu(cu->MemFree(out));
    return word;
}

static unsigned global_of(gpudl_version *v, int device)
{
    CUdeviceptr p;
    unsigned word;

    assert_ok(gpudl_version_global(v, "n", device, &p, NULL));
    assert_ok(gpudl_loader_use_device(NULL, device));
    assert_cu(cu->MemcpyDtoH(&word, p, 4));
    return word;
}

static void each_device_has_its_own_entry(void **state)
{
    const struct fatbin_part parts[] = { part(75, of_75), part(90, of_90), part(100, of_100) };
    gpudl_library *lib;
    gpudl_version *v;
    gpudl_kernel *k;

    (void)state;
    assert_ok(load(parts, 3, &lib));
    assert_ok(gpudl_kernel_get(lib, "store", &k));
    assert_ok(gpudl_library_pin(lib, &v));
    for (int i = 0; i < DEVICES; i++) {
        assert_int_equal(run_on(k, i), sms[i] == 90 ? 90 : 75);
        assert_int_equal(global_of(v, i), sms[i] == 90 ? 90 : 75);
    }
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void a_device_without_code_is_told_by_name(void **state)
{
    static const char words[] = "has no code for device 0 (softcuda";
    const struct fatbin_part parts[] = { part(90, of_90) };
    const int devices[] = { 1, 2 }, first = 0;
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib;
    gpudl_version *v;
    gpudl_kernel *k;
    CUdeviceptr p;

    (void)state;
    assert_ok(load(parts, 1, &lib));
    assert_ok(gpudl_kernel_get(lib, "store", &k));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_library_make_resident(lib, devices, 2, gpudl_now()));
    assert_int_equal(run_on(k, 1), 90);
    assert_int_equal(run_on(k, 2), 90);
    assert_fails(gpudl_library_make_resident(lib, &first, 1, gpudl_now()), GPUDL_ERROR_ARCHITECTURE, words);
    assert_non_null(strstr(gpudl_error_text(), "sm_75)"));
    assert_non_null(strstr(gpudl_error_text(), "holds PTX for compute_90"));
    assert_fails(gpudl_version_global(v, "n", 0, &p, NULL), GPUDL_ERROR_ARCHITECTURE, words);
    assert_ok(gpudl_loader_use_device(NULL, 0));
    assert_fails(gpudl_launch(k, &config, (CUdeviceptr)0), GPUDL_ERROR_LAUNCH, words);
    assert_int_equal(run_on(k, 2), 90);
    gpudl_version_unpin(v);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void an_image_for_no_device_is_refused(void **state)
{
    const struct fatbin_part parts[] = { part(100, of_100) };
    gpudl_library *lib;

    (void)state;
    assert_fails(load(parts, 1, &lib), GPUDL_ERROR_ARCHITECTURE, "no device has code in it");
}

static void kernels_that_differ_are_refused(void **state)
{
    const struct fatbin_part other[] = { part(75, of_75), part(90, other_90) }, more[] = { part(75, of_75), part(90, more_90) };
    gpudl_library *lib;

    (void)state;
    assert_fails(load(other, 2, &lib), GPUDL_ERROR_UNSUPPORTED, "differ in kernel 'store': one has none");
    assert_fails(load(more, 2, &lib), GPUDL_ERROR_UNSUPPORTED, "differ in kernel 'store': they take different parameters");
}

/* Only for the devices that have it. */
static void a_replace_keeps_to_the_devices(void **state)
{
    const struct fatbin_part both[] = { part(75, of_75), part(90, of_90) }, one[] = { part(90, of_90) };
    struct span image;
    gpudl_library *lib;
    gpudl_kernel *k;

    (void)state;
    assert_ok(load(both, 2, &lib));
    assert_ok(gpudl_kernel_get(lib, "store", &k));
    assert_int_equal(run_on(k, 0), 75);
    assert_ok(gpudl_library_make_resident(lib, (const int[]){ 0, 1 }, 2, gpudl_now()));
    assert_int_equal(gpudl__fatbin_write(one, 1, &image), IMAGE_OK);
    assert_fails(gpudl_library_replace(lib, GPUDL_MEMORY(image.data, image.size), NULL), GPUDL_ERROR_ARCHITECTURE,
        "has no code for device 0 (softcuda");
    gpudl__free((void *)(uintptr_t)image.data);
    assert_int_equal(run_on(k, 0), 75);
    assert_int_equal(run_on(k, 1), 90);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_has_its_own_entry),
        cmocka_unit_test(a_device_without_code_is_told_by_name),
        cmocka_unit_test(an_image_for_no_device_is_refused),
        cmocka_unit_test(kernels_that_differ_are_refused),
        cmocka_unit_test(a_replace_keeps_to_the_devices),
    };
    int n = 0, major = 0;

    cu = gpudl_loader_driver(NULL);
    if (!cu || cu->DeviceGetCount(&n) || n != DEVICES ||
        cu->DeviceGetAttribute(&major, GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR, 1) || major != 9 ||
        !gpudl_loader_is_software(NULL)) {
        fprintf(stderr, "skipped: it wants softcuda with SOFTCUDA_DEVICES=4 and SOFTCUDA_COMPUTE_CAPABILITY=7.5,9.0,9.0,8.0\n");
        return 77;
    }
    return cmocka_run_group_tests_name("devices that differ", tests, NULL, NULL);
}
