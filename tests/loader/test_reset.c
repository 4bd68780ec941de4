/* What the program does to contexts and streams under gpudl: the same on softcuda and on a GPU. Without a device this is skipped (exit
 * code 77). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpudl/gpudl.h>

#include "tests/loader/asserts.h"

enum { PATIENCE = 120, MUCH_SHARED = 100000 };

static gpudl_loader *loader;
static const gpudl_driver_table *cu;

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define STORE(name, value) \
    ".visible .entry " name "(.param .u64 out)\n{\n.reg .u32 %r;\n.reg .u64 %p;\nld.param.u64 %p, [out];\nmov.u32 %r, " value ";\n" \
    "st.global.u32 [%p], %r;\nret;\n}\n"
/* The last word of so much dynamic shared memory. */
#define SHARED \
    ".extern .shared .align 16 .b8 room[];\n" \
    ".visible .entry far(.param .u64 out)\n{\n.reg .u32 %r<3>;\n.reg .u64 %p;\nld.param.u64 %p, [out];\nmov.u32 %r0, 55;\n" \
    "mov.u32 %r1, room;\nst.shared.u32 [%r1+99996], %r0;\nld.shared.u32 %r2, [%r1+99996];\nst.global.u32 [%p], %r2;\nret;\n}\n"

static const char one[] = HEAD STORE("first", "11") STORE("second", "12") SHARED;
static const char two[] = HEAD STORE("first", "21") STORE("second", "22") SHARED;
static const char with_global[] = HEAD ".visible .global .align 4 .u32 n = 5;\n" STORE("first", "31");
static const char spin[] = HEAD
    ".visible .entry spin(.param .u64 flag)\n{\n.reg .u32 %r;\n.reg .u64 %p;\n.reg .pred %q;\nld.param.u64 %p, [flag];\n"
    "L:\nld.volatile.global.u32 %r, [%p];\nsetp.eq.u32 %q, %r, 0;\n@%q bra L;\nret;\n}\n";

static gpudl_library *load(const char *text)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    return lib;
}

static gpudl_kernel *get(gpudl_library *lib, const char *name)
{
    gpudl_kernel *k = NULL;

    assert_ok(gpudl_kernel_get(lib, name, &k));
    return k;
}

/* What the kernel wrote, to memory that is there now. */
static unsigned run_with(gpudl_kernel *k, const gpudl_launch_config *config)
{
    unsigned word = 0;
    CUdeviceptr out;

    assert_cu(cu->MemAlloc(&out, 4));
    assert_ok(gpudl_launch(k, config, out));
    assert_cu(cu->MemcpyDtoH(&word, out, 4));
    assert_cu(cu->MemFree(out));
    return word;
}

static unsigned run(gpudl_kernel *k)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    return run_with(k, &config);
}

static unsigned run_far(gpudl_kernel *k)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    config.shared_bytes = MUCH_SHARED;
    return run_with(k, &config);
}

static void reset(void)
{
    CUdevice device;

    assert_cu(cu->DeviceGet(&device, 0));
    assert_cu(cu->DevicePrimaryCtxReset(device));
    assert_ok(gpudl_loader_use_device(loader, 0));
}

static void kernels_survive_a_reset_of_their_context(void **state)
{
    gpudl_replace_options keep = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_library *lib = load(one);
    gpudl_kernel *first = get(lib, "first"), *second, *far = get(lib, "far");
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    (void)state;
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(run(first), 11);
    assert_int_equal(run_far(far), 55);
    reset();
    assert_int_equal(run(first), 11);
    assert_int_equal(run_far(far), 55);
    second = get(lib, "second");
    assert_int_equal(run(second), 12);
    reset();
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_int_equal(run_far(far), 55);
    keep.flags = GPUDL_REPLACE_KEEP_PREVIOUS;
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(two, strlen(two)), &keep));
    assert_int_equal(run(first), 21);
    reset();
    assert_int_equal(run(second), 22);
    assert_ok(gpudl_library_rollback(lib));
    assert_int_equal(run(second), 12);
    assert_int_equal(run_far(far), 55);
    assert_ok(gpudl_library_pin(lib, &config.version));
    reset();
    assert_int_equal(run_with(first, &config), 11);
    gpudl_version_unpin(config.version);
    gpudl_kernel_release(first);
    gpudl_kernel_release(second);
    gpudl_kernel_release(far);
    gpudl_library_release(lib);
}

/* Pointers go with the context; asking again gives what is there now. */
static void globals_are_asked_for_again_after_a_reset(void **state)
{
    gpudl_library *lib = load(with_global);
    gpudl_version *v;
    unsigned word = 0;
    CUdeviceptr p;

    (void)state;
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_global(v, "n", 0, &p, NULL));
    assert_cu(cu->MemcpyHtoD(p, &(unsigned){ 77 }, 4));
    reset();
    assert_ok(gpudl_version_global(v, "n", 0, &p, NULL));
    assert_cu(cu->MemcpyDtoH(&word, p, 4));
    assert_int_equal(word, 5);
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
}

static void what_is_retired_goes_after_a_reset(void **state)
{
    gpudl_library *lib = load(one), *other = load(with_global);
    gpudl_kernel *k = get(lib, "first"), *g = get(other, "first");
    size_t left = 9;

    (void)state;
    run(k);
    run(g);
    gpudl_kernel_release(k);
    gpudl_kernel_release(g);
    gpudl_library_release(lib);
    gpudl_library_release(other);
    assert_ok(gpudl_loader_trim(loader, 0, 0));
    reset();
    assert_ok(gpudl_loader_reap(loader, UINT64_MAX, &left));
    assert_int_equal(left, 0);
}

/* The current context is gone: the driver's own word for it. */
static void a_launch_into_a_context_that_is_gone_fails(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib = load(one);
    gpudl_kernel *k = get(lib, "first");
    CUdevice device;

    (void)state;
    assert_int_equal(run(k), 11);
    assert_cu(cu->DeviceGet(&device, 0));
    assert_cu(cu->DevicePrimaryCtxReset(device));
    assert_true(gpudl_launch(k, &config, (CUdeviceptr)16) != GPUDL_OK);
    assert_int_equal(gpudl_error_cuda(), GPUDL_CU_CONTEXT_IS_DESTROYED);
    assert_ok(gpudl_loader_use_device(loader, 0));
    assert_int_equal(run(k), 11);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void attributes_hold_in_contexts_that_come_later(void **state)
{
    static const char text[] = HEAD "// contexts\n" SHARED;
    int (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext), found;
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib = load(text);
    gpudl_kernel *k = get(lib, "far");
    CUcontext context, before;
    CUdevice device;
    unsigned word;

    (void)state;
    config.shared_bytes = MUCH_SHARED;
    assert_cu(cu->GetProcAddress("cuCtxCreate", (void **)&create, 3020, 0, &found));
    assert_cu(cu->GetProcAddress("cuCtxDestroy", (void **)&destroy, 4000, 0, &found));
    assert_cu(cu->DeviceGet(&device, 0));
    assert_cu(cu->CtxGetCurrent(&before));
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, MUCH_SHARED, 0));
    for (int i = 0; i < 3; i++) { /* the later ones may have the handle of the first; then the first one again */
        CUdeviceptr out;
        void *params[] = { &out };

        if (i < 2)
            assert_cu(create(&context, 0, device));
        assert_cu(cu->MemAlloc(&out, 4));
        assert_ok(gpudl_kernel_launch_params(k, &config, params));
        assert_cu(cu->MemcpyDtoH(&word, out, 4));
        assert_int_equal(word, 55);
        assert_cu(cu->MemFree(out));
        if (i < 2)
            assert_cu(destroy(context));
        assert_cu(cu->CtxSetCurrent(before));
    }
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

/* The stream's handle may be another stream's by the time that the task looks. */
static void a_load_after_a_stream_waits_for_its_work_though_it_is_destroyed(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_library *lib = load(spin), *loaded;
    gpudl_kernel *k = get(lib, "spin");
    CUstream others[8];
    gpudl_task *task;
    void *flag;

    (void)state;
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    assert_cu(cu->MemHostAlloc(&flag, sizeof(unsigned), 3)); /* portable, mapped */
    *(volatile unsigned *)flag = 0;
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_launch(k, &config, (CUdeviceptr)(uintptr_t)flag));
    o.flags = GPUDL_ASYNC_AFTER_STREAM;
    o.stream = config.stream;
    assert_ok(gpudl_library_load_async(loader, GPUDL_MEMORY(two, strlen(two)), NULL, &o, &task));
    assert_cu(cu->StreamDestroy(config.stream));
    for (int i = 0; i < 8; i++)
        assert_cu(cu->StreamCreate(&others[i], GPUDL_STREAM_NON_BLOCKING));
    assert_int_equal(gpudl_task_wait(task, 20000000), GPUDL_ERROR_TIMEOUT);
    *(volatile unsigned *)flag = 1;
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    assert_ok(gpudl_task_library(task, &loaded));
    gpudl_task_release(task);
    for (int i = 0; i < 8; i++)
        assert_cu(cu->StreamDestroy(others[i]));
    assert_cu(cu->MemFreeHost(flag));
    gpudl_library_release(loaded);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

/* The event was the context's. */
static void a_task_that_waits_when_the_context_is_reset_ends(void **state)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_task *tasks[8];
    gpudl_library *lib;
    gpudl_status status;

    (void)state;
    if (!strstr(gpudl_loader_driver_text(loader), "softcuda"))
        skip(); /* NVIDIA's driver crashes in calls of other threads while a context is reset */
    o.flags = GPUDL_ASYNC_AFTER_STREAM | GPUDL_ASYNC_RESIDENT;
    o.when = gpudl_now();
    for (int i = 0; i < 8; i++)
        assert_ok(gpudl_library_load_async(loader, GPUDL_MEMORY(two, strlen(two)), NULL, &o, &tasks[i]));
    reset();
    for (int i = 0; i < 8; i++) {
        status = gpudl_task_wait(tasks[i], UINT64_MAX);
        if (status == GPUDL_OK) {
            assert_ok(gpudl_task_library(tasks[i], &lib));
            gpudl_library_release(lib);
        } else
            assert_true(strlen(gpudl_error_text()) > 0);
        gpudl_task_release(tasks[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_survive_a_reset_of_their_context),
        cmocka_unit_test(globals_are_asked_for_again_after_a_reset),
        cmocka_unit_test(what_is_retired_goes_after_a_reset),
        cmocka_unit_test(a_launch_into_a_context_that_is_gone_fails),
        cmocka_unit_test(attributes_hold_in_contexts_that_come_later),
        cmocka_unit_test(a_load_after_a_stream_waits_for_its_work_though_it_is_destroyed),
        cmocka_unit_test(a_task_that_waits_when_the_context_is_reset_ends),
    };
    int failed;

    if (gpudl_loader_open(NULL, &loader) != GPUDL_OK) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    alarm(PATIENCE);
    cu = gpudl_loader_driver(loader);
    if (!cu->DevicePrimaryCtxReset)
        return 77;
    assert_ok(gpudl_loader_use_device(loader, 0));
    failed = cmocka_run_group_tests_name(gpudl_loader_driver_text(loader), tests, NULL, NULL);
    cu->CtxSetCurrent(NULL);
    gpudl_loader_close(loader);
    return failed;
}
