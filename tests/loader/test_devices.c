/* Several devices: the same on softcuda, which has as many as SOFTCUDA_DEVICES says, and on GPUs. With fewer than two this is skipped
 * (exit code 77). */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/loader/asserts.h"

enum { MOST = 4, PATIENCE = 120, MUCH_SHARED = 60000 };

static const gpudl_driver_table *cu;
static int ndevices;

/* store: *out = value, twice it in the second text; count: *out = ++n, of the device's n; far: the last word of MUCH_SHARED bytes;
 * spin: till *flag is not 0. */
#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define STORE(more) \
    ".visible .entry store(.param .u64 out, .param .u32 value)\n{\n.reg .u32 %r;\n.reg .u64 %p;\n" \
    "ld.param.u64 %p, [out];\nld.param.u32 %r, [value];\n" more "st.global.u32 [%p], %r;\nret;\n}\n"
static const char text[] = HEAD STORE("");
static const char doubled[] = HEAD STORE("add.u32 %r, %r, %r;\n");
static const char other[] = HEAD STORE("add.u32 %r, %r, 1;\n");
static const char counting[] = HEAD
    ".visible .global .align 4 .u32 n;\n"
    ".visible .entry count(.param .u64 out)\n{\n.reg .u32 %r;\n.reg .u64 %p;\nld.param.u64 %p, [out];\nld.global.u32 %r, [n];\n"
    "add.u32 %r, %r, 1;\nst.global.u32 [n], %r;\nst.global.u32 [%p], %r;\nret;\n}\n";
#define FAR \
    ".extern .shared .align 16 .b8 room[];\n" \
    ".visible .entry far(.param .u64 out)\n{\n.reg .u32 %r<3>;\n.reg .u64 %p;\nld.param.u64 %p, [out];\nmov.u32 %r0, 55;\n" \
    "mov.u32 %r1, room;\nst.shared.u32 [%r1+59996], %r0;\nld.shared.u32 %r2, [%r1+59996];\nst.global.u32 [%p], %r2;\nret;\n}\n"
static const char far[] = HEAD FAR, far_too[] = HEAD "// attributes\n" FAR;
static const char spin[] =
    HEAD ".visible .entry spin(.param .u64 flag)\n{\n.reg .u32 %r;\n.reg .u64 %p;\n.reg .pred %q;\nld.param.u64 %p, [flag];\n"
         "L:\nld.volatile.global.u32 %r, [%p];\nsetp.eq.u32 %q, %r, 0;\n@%q bra L;\nret;\n}\n";

static gpudl_kernel *load(const char *ptx, const char *name, gpudl_library **lib)
{
    gpudl_kernel *k = NULL;

    assert_ok(gpudl_library_load(NULL, GPUDL_MEMORY(ptx, strlen(ptx)), NULL, lib));
    assert_ok(gpudl_kernel_get(*lib, name, &k));
    return k;
}

static void unload(gpudl_library *lib, gpudl_kernel *k)
{
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void use(int device)
{
    assert_ok(gpudl_loader_use_device(NULL, device));
}

/* A word of a device's memory, and a stream of it. */
struct place {
    CUdeviceptr word;
    CUstream stream;
};

static struct place make_place(int device)
{
    struct place p;

    use(device);
    assert_cu(cu->MemAlloc(&p.word, 4));
    assert_cu(cu->MemcpyHtoD(p.word, &(unsigned){ 0 }, 4));
    assert_cu(cu->StreamCreate(&p.stream, GPUDL_STREAM_NON_BLOCKING));
    return p;
}

static unsigned wait_for(struct place p)
{
    CUcontext context;
    unsigned word;

    assert_cu(cu->StreamGetCtx(p.stream, &context));
    assert_cu(cu->CtxPushCurrent(context));
    assert_cu(cu->StreamSynchronize(p.stream));
    assert_cu(cu->MemcpyDtoH(&word, p.word, 4));
    assert_cu(cu->CtxPopCurrent(&context));
    return word;
}

static void end_place(struct place p, int device)
{
    use(device);
    assert_cu(cu->StreamDestroy(p.stream));
    assert_cu(cu->MemFree(p.word));
}

/* ----------------------------------------------------------------------------------------------------------- one library, all */

struct job {
    gpudl_kernel *kernel;
    int device;
    unsigned got;
    gpudl_status status;
};

static void *launch_on_one(void *user)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct job *j = user;
    CUdeviceptr out;

    j->status = gpudl_loader_use_device(NULL, j->device);
    if (j->status != GPUDL_OK || cu->MemAlloc(&out, 4))
        return NULL;
    for (unsigned i = 0; i < 20 && j->status == GPUDL_OK; i++)
        j->status = gpudl_launch(j->kernel, &config, out, 100u * (unsigned)j->device + i);
    cu->CtxSynchronize();
    cu->MemcpyDtoH(&j->got, out, 4);
    cu->MemFree(out);
    return NULL;
}

static void one_library_serves_a_context_of_each_device(void **state)
{
    struct job jobs[MOST];
    pthread_t threads[MOST];
    gpudl_library *lib;
    gpudl_kernel *k = load(text, "store", &lib);

    (void)state;
    for (int i = 0; i < ndevices; i++) {
        jobs[i] = (struct job){ k, i, 0, GPUDL_OK };
        assert_int_equal(pthread_create(&threads[i], NULL, launch_on_one, &jobs[i]), 0);
    }
    for (int i = 0; i < ndevices; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].status, GPUDL_OK);
        assert_int_equal(jobs[i].got, 100 * i + 19);
    }
    unload(lib, k);
}

/* Whatever context is current, and if none is. */
static void the_device_follows_from_the_stream(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct place places[MOST];
    gpudl_library *lib, *far_lib;
    gpudl_kernel *k = load(text, "store", &lib), *f = load(far, "far", &far_lib);
    CUcontext context;

    (void)state;
    for (int i = 0; i < ndevices; i++)
        places[i] = make_place(i);
    for (int current = -1; current < ndevices; current++) {
        if (current < 0)
            assert_cu(cu->CtxSetCurrent(NULL));
        else
            use(current);
        assert_cu(cu->CtxGetCurrent(&context));
        for (int i = 0; i < ndevices; i++) {
            unsigned value = (unsigned)(10 * current + i);
            struct {
                CUdeviceptr out;
                unsigned value;
            } packed = { places[i].word, value + 1 };
            void *params[] = { &places[i].word, &value };
            CUcontext after;

            config.stream = places[i].stream;
            config.shared_bytes = 0;
            assert_ok(gpudl_kernel_launch_params(k, &config, params));
            assert_int_equal(wait_for(places[i]), value);
            assert_ok(gpudl_kernel_launch_packed(k, &config, &packed, sizeof(packed)));
            assert_int_equal(wait_for(places[i]), value + 1);
            config.shared_bytes = MUCH_SHARED; /* which is asked for on that device */
            assert_ok(gpudl_launch(f, &config, places[i].word));
            assert_int_equal(wait_for(places[i]), 55);
            assert_cu(cu->CtxGetCurrent(&after));
            assert_ptr_equal(after, context);
        }
    }
    for (int i = 0; i < ndevices; i++)
        end_place(places[i], i);
    unload(lib, k);
    unload(far_lib, f);
}

static void a_whole_grid_at_once_is_on_the_streams_device(void **state)
{
    gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct place p = make_place(ndevices - 1);
    gpudl_library *lib;
    gpudl_kernel *k = load(text, "store", &lib);
    int can = 0;

    (void)state;
    use(0);
    assert_cu(cu->DeviceGetAttribute(&can, GPUDL_DEVICE_COOPERATIVE_LAUNCH, ndevices - 1));
    config.stream = p.stream;
    config.attributes = (const struct CUlaunchAttribute_st *)&cooperative;
    config.nattributes = 1;
    if (can) {
        assert_ok(gpudl_launch(k, &config, p.word, 5u));
        assert_int_equal(wait_for(p), 5);
    }
    end_place(p, ndevices - 1);
    unload(lib, k);
}

/* ------------------------------------------------------------------------------------------------------ what each device has */

static void globals_are_each_devices_own(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr addresses[MOST];
    struct place places[MOST];
    gpudl_version *version;
    gpudl_library *lib;
    gpudl_kernel *k = load(counting, "count", &lib);
    size_t size;

    (void)state;
    assert_ok(gpudl_library_pin(lib, &version));
    for (int i = 0; i < ndevices; i++)
        places[i] = make_place(i);
    use(0);
    for (int i = 0; i < ndevices; i++) {
        assert_ok(gpudl_version_global(version, "n", i, &addresses[i], &size));
        assert_int_equal(size, 4);
        for (int j = 0; j < i; j++)
            assert_true(addresses[i] != addresses[j]);
    }
    for (int i = 0; i < ndevices; i++) {
        use(i);
        assert_cu(cu->MemcpyHtoD(addresses[i], &(unsigned){ 100 * (unsigned)i }, 4));
    }
    for (int i = 0; i < ndevices; i++) {
        config.stream = places[i].stream;
        assert_ok(gpudl_launch(k, &config, places[i].word));
        assert_int_equal(wait_for(places[i]), 100 * i + 1);
    }
    for (int i = 0; i < ndevices; i++)
        end_place(places[i], i);
    gpudl_version_unpin(version);
    unload(lib, k);
}

static int shared_of(gpudl_kernel *k, int device)
{
    int value = -1;

    assert_ok(gpudl_kernel_attribute(k, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, device, &value));
    return value;
}

static void attributes_are_each_devices_own(void **state)
{
    gpudl_library *lib;
    gpudl_kernel *k = load(far_too, "far", &lib);
    int before = shared_of(k, 0);

    (void)state;
    use(0);
    assert_true(before < MUCH_SHARED);
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, MUCH_SHARED, 1));
    for (int i = 0; i < ndevices; i++)
        if (i == 1)
            assert_true(shared_of(k, i) >= MUCH_SHARED);
        else
            assert_int_equal(shared_of(k, i), before);
    unload(lib, k);
}

/* A device that is busy has what it needs, or the launch would wait for ever. */
static void residency_is_on_the_devices_that_were_named(void **state)
{
    const int chosen[] = { 1, ndevices - 1 };
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib, *busy;
    gpudl_kernel *s = load(spin, "spin", &busy), *k;

    (void)state;
    assert_ok(gpudl_library_make_resident(busy, chosen, 2, gpudl_now()));
    use(0);
    k = load(other, "store", &lib);
    assert_ok(gpudl_library_make_resident(lib, chosen, 2, gpudl_now()));
    for (int i = 0; i < (ndevices > 2 ? 2 : 1); i++) {
        struct place p = make_place(chosen[i]), q = make_place(chosen[i]);
        void *flag;

        assert_cu(cu->MemHostAlloc(&flag, 4, GPUDL_MEMHOSTALLOC_PORTABLE | GPUDL_MEMHOSTALLOC_DEVICEMAP));
        *(volatile unsigned *)flag = 0;
        config.stream = p.stream;
        assert_ok(gpudl_launch(s, &config, (CUdeviceptr)(uintptr_t)flag));
        config.stream = q.stream;
        assert_ok(gpudl_launch(k, &config, q.word, 7u));
        *(volatile unsigned *)flag = 1;
        assert_int_equal(wait_for(q), 8);
        assert_cu(cu->StreamSynchronize(p.stream));
        assert_cu(cu->MemFreeHost(flag));
        end_place(p, chosen[i]);
        end_place(q, chosen[i]);
    }
    unload(lib, k);
    unload(busy, s);
}

/* Run first, while no context is there. */
static void residency_makes_no_context_on_other_devices(void **state)
{
    const int last = ndevices - 1;
    gpudl_library *lib;
    gpudl_kernel *k;
    unsigned flags;
    int active;

    (void)state;
    if (ndevices < 3)
        skip();
    use(0);
    k = load(other, "store", &lib);
    assert_ok(gpudl_library_make_resident(lib, &last, 1, gpudl_now()));
    for (int i = 1; i < ndevices; i++) {
        assert_cu(cu->DevicePrimaryCtxGetState(i, &flags, &active));
        assert_int_equal(active, i == last);
    }
    unload(lib, k);
}

static void a_replace_is_for_all_devices(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct place places[MOST];
    gpudl_library *lib;
    gpudl_kernel *k = load(text, "store", &lib);

    (void)state;
    for (int i = 0; i < ndevices; i++) {
        places[i] = make_place(i);
        config.stream = places[i].stream;
        assert_ok(gpudl_launch(k, &config, places[i].word, 30u));
        assert_int_equal(wait_for(places[i]), 30);
    }
    use(0);
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(doubled, strlen(doubled)), NULL));
    for (int i = 0; i < ndevices; i++) {
        config.stream = places[i].stream;
        assert_ok(gpudl_launch(k, &config, places[i].word, 30u));
        assert_int_equal(wait_for(places[i]), 60);
        end_place(places[i], i);
    }
    unload(lib, k);
}

/* -------------------------------------------------------------------------------------------------------------- what is told */

static void a_device_that_is_not_there_is_told(void **state)
{
    char words[64];
    gpudl_library *lib;
    gpudl_kernel *k = load(counting, "count", &lib);
    gpudl_version *version;
    CUdeviceptr p;
    int none = ndevices, value;

    (void)state;
    assert_cu(cu->DeviceGetCount(&none));
    snprintf(words, sizeof(words), "there is no device %d", none);
    assert_ok(gpudl_library_pin(lib, &version));
    assert_fails(gpudl_loader_use_device(NULL, none), GPUDL_ERROR_ARGUMENT, words);
    assert_fails(gpudl_library_make_resident(lib, &none, 1, gpudl_now()), GPUDL_ERROR_ARGUMENT, words);
    assert_fails(gpudl_version_global(version, "n", none, &p, NULL), GPUDL_ERROR_ARGUMENT, words);
    assert_fails(gpudl_kernel_attribute(k, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, none, &value), GPUDL_ERROR_ARGUMENT, words);
    assert_fails(gpudl_kernel_set_attribute(k, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 9, none), GPUDL_ERROR_ARGUMENT, words);
    gpudl_version_unpin(version);
    unload(lib, k);
}

static void a_refused_launch_names_its_device(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 5000);
    struct place p = make_place(1);
    gpudl_library *lib;
    gpudl_kernel *k = load(text, "store", &lib);
    unsigned value = 1;
    void *params[] = { &p.word, &value };

    (void)state;
    use(1);
    assert_fails(gpudl_kernel_launch_params(k, &config, params), GPUDL_ERROR_LAUNCH, ", on device 1 (");
    use(0);
    config.stream = p.stream;
    assert_fails(gpudl_kernel_launch_params(k, &config, params), GPUDL_ERROR_LAUNCH,
        ", which its stream is of, while the current context is of device 0 (");
    end_place(p, 1);
    unload(lib, k);
}

/* The last one: no context of the device works again. */
static void memory_of_another_device_is_told(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct place here = make_place(0), there = make_place(1);
    gpudl_library *lib;
    gpudl_kernel *k = load(text, "store", &lib);

    (void)state;
    use(1);
    config.stream = there.stream;
    assert_ok(gpudl_launch(k, &config, here.word, 1u));
    assert_int_equal(cu->StreamSynchronize(there.stream), GPUDL_CU_ILLEGAL_ADDRESS);
    assert_fails(gpudl_launch(k, &config, there.word, 1u), GPUDL_ERROR_LAUNCH, "cuCtxEnablePeerAccess");
    use(0);
    config.stream = here.stream;
    assert_ok(gpudl_launch(k, &config, here.word, 3u));
    assert_int_equal(wait_for(here), 3);
    unload(lib, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residency_makes_no_context_on_other_devices),
        cmocka_unit_test(one_library_serves_a_context_of_each_device),
        cmocka_unit_test(the_device_follows_from_the_stream),
        cmocka_unit_test(a_whole_grid_at_once_is_on_the_streams_device),
        cmocka_unit_test(globals_are_each_devices_own),
        cmocka_unit_test(attributes_are_each_devices_own),
        cmocka_unit_test(residency_is_on_the_devices_that_were_named),
        cmocka_unit_test(a_replace_is_for_all_devices),
        cmocka_unit_test(a_device_that_is_not_there_is_told),
        cmocka_unit_test(a_refused_launch_names_its_device),
        cmocka_unit_test(memory_of_another_device_is_told),
    };

    cu = gpudl_loader_driver(NULL);
    if (!cu || cu->DeviceGetCount(&ndevices) || ndevices < 2) {
        fprintf(stderr, "skipped: %s\n", cu ? "it wants two devices" : gpudl_error_text());
        return 77;
    }
    ndevices = ndevices < MOST ? ndevices : MOST;
    alarm(PATIENCE);
    return cmocka_run_group_tests_name(gpudl_loader_driver_text(NULL), tests, NULL, NULL);
}
