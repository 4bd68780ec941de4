/* Images through the public header: what is in them, and why they would not run. Without a driver but where a device is asked. */
#include "tests/loader/common.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static gpudl_image *open_image(const gpudl_source *source)
{
    gpudl_image *im = NULL;

    assert_ok(gpudl_image_open(source, NULL, &im));
    return im;
}

static gpudl_target named(const char *arch, int cuda_version)
{
    gpudl_target t = GPUDL_TARGET_INIT;

    t.arch = arch;
    t.cuda_version = cuda_version;
    return t;
}

static gpudl_verdict explain(gpudl_image *im, const gpudl_target *target)
{
    gpudl_verdict v = { .size_of_struct = sizeof(v) };

    assert_ok(gpudl_image_explain(im, GPUDL_ALL, target, &v));
    assert_non_null(v.word);
    assert_int_equal(v.status == GPUDL_OK, strcmp(v.word, "ok") == 0);
    assert_int_equal(v.status == GPUDL_OK, *v.reason == '\0');
    return v;
}

/* Of a kernel by its name; fails where there is none. */
static gpudl_kernel_info kernel_of(gpudl_image *im, size_t entry, const char *name, size_t *index)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    size_t n;

    assert_ok(gpudl_image_read(im, entry, &n, NULL));
    for (*index = 0; *index < n; ++*index) {
        assert_ok(gpudl_image_kernel(im, entry, *index, &k));
        if (!strcmp(k.name, name))
            return k;
    }
    fail_msg("no kernel %s", name);
    return k;
}

static void tells_what_is_there(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    size_t nkernels, nglobals;

    (void)state;
    assert_ok(gpudl_image_describe(im, &info));
    assert_string_equal(info.format, "fatbin");
    assert_int_equal(info.bytes, DATA_SIZE(names_fatbin));
    assert_int_equal(info.entries, 2);
    assert_int_equal(info.containers, 1);
    assert_int_equal(info.damage, GPUDL_OK);
    assert_string_equal(info.damage_text, "");
    assert_ok(gpudl_image_entry(im, 0, &e));
    assert_string_equal(e.kind, "ptx");
    assert_string_equal(e.arch, "compute_75");
    assert_string_equal(e.compression, "zstd");
    assert_int_equal(e.ptx_version, 90);
    assert_int_equal(e.status, GPUDL_OK);
    assert_ok(gpudl_image_entry(im, 1, &e));
    assert_string_equal(e.kind, "elf");
    assert_string_equal(e.arch, "sm_90");
    assert_string_equal(e.payload_arch, "sm_90");
    assert_string_equal(e.compression, "none");
    assert_ok(gpudl_image_read(im, 1, &nkernels, &nglobals));
    assert_int_equal(nkernels, 7);
    assert_int_equal(nglobals, 0);
    gpudl_image_close(im);
}

/* The same numbers as a loaded kernel's, in machine code and in PTX. */
static void parameters_are_those_of_a_loaded_kernel(void **state)
{
    gpudl_param_info mine = { .size_of_struct = sizeof(mine) }, loaded = { .size_of_struct = sizeof(loaded) };
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    gpudl_kernel *k;
    size_t index;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_fatbin), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    for (size_t entry = 0; entry < 2; entry++) {
        gpudl_kernel_info info = kernel_of(im, entry, "axpy", &index);

        assert_int_equal(info.params, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_ok(gpudl_image_param(im, entry, index, i, &mine));
            assert_ok(gpudl_kernel_param(k, i, &loaded));
            assert_int_equal(mine.offset, loaded.offset);
            assert_int_equal(mine.size, loaded.size);
            assert_string_equal(loaded.type, ""); /* the machine code was taken */
        }
        assert_string_equal(mine.type, entry == 0 ? "u64" : "");
        assert_fails(gpudl_image_param(im, entry, index, 4, &mine), GPUDL_ERROR_ARGUMENT, "4 parameters");
    }
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    harness_close(l);
    gpudl_image_close(im);
}

static void tells_what_kernels_need(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    gpudl_kernel_info k;
    size_t index;

    (void)state;
    k = kernel_of(im, 1, "axpy", &index);
    assert_true(k.registers > 0 && k.registers < 256);
    assert_int_equal(k.shared, 0);
    assert_int_equal(k.local, 0);
    assert_string_equal(k.problem, "");
    k = kernel_of(im, 0, "axpy", &index);
    assert_int_equal(k.registers, GPUDL_UNKNOWN); /* before it is compiled nobody knows */
    gpudl_image_close(im);
}

static gpudl_global_info global_of(gpudl_image *im, const char *name)
{
    gpudl_global_info g = { .size_of_struct = sizeof(g) };
    size_t n;

    assert_ok(gpudl_image_read(im, 0, NULL, &n));
    for (size_t i = 0; i < n; i++) {
        assert_ok(gpudl_image_global(im, 0, i, &g));
        if (!strcmp(g.name, name))
            return g;
    }
    fail_msg("no global %s", name);
    return g;
}

static void tells_globals(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(globals_cubin));
    gpudl_global_info g = { .size_of_struct = sizeof(g) };
    size_t n;

    (void)state;
    assert_false(global_of(im, "counter").constant);
    assert_true(global_of(im, "table").constant);
    assert_true(global_of(im, "both").managed);
    assert_ok(gpudl_image_read(im, 0, NULL, &n));
    assert_fails(gpudl_image_global(im, 0, n, &g), GPUDL_ERROR_ARGUMENT, "globals");
    gpudl_image_close(im);
}

static void code_is_lent_as_it_was_compressed(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    const void *bytes;
    size_t size;

    (void)state;
    assert_ok(gpudl_image_code(im, 1, &bytes, &size));
    assert_true(size >= DATA_SIZE(names_cubin));
    assert_memory_equal(bytes, data_names_cubin, DATA_SIZE(names_cubin));
    gpudl_image_forget(im, 0);
    assert_ok(gpudl_image_code(im, 0, &bytes, &size));
    assert_non_null(strstr(bytes, ".version"));
    assert_int_equal(((const char *)bytes)[size], 0);
    gpudl_image_forget(im, 0);
    assert_ok(gpudl_image_code(im, 0, &bytes, &size));
    gpudl_image_close(im);
}

static void needs_no_driver(void **state)
{
    gpudl_target target = named("sm_90", 13000);
    gpudl_verdict v = { .size_of_struct = sizeof(v) };
    gpudl_image *im;

    (void)state;
    setenv("GPUDL_DRIVER", "/nowhere/libcuda.so", 1);
    im = open_image(DATA_SOURCE(names_cubin));
    assert_int_equal(explain(im, &target).status, GPUDL_OK);
    assert_fails(gpudl_image_explain(im, GPUDL_ALL, NULL, &v), GPUDL_ERROR_NO_DRIVER, "/nowhere/libcuda.so");
    gpudl_image_close(im);
    unsetenv("GPUDL_DRIVER");
}

static void explains_what_would_be_taken(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    gpudl_target target = named("sm_90", 13000);
    gpudl_verdict v = explain(im, &target);

    (void)state;
    assert_int_equal(v.status, GPUDL_OK);
    assert_int_equal(v.entry, 1);
    assert_false(v.compiled);
    target.arch = "8.0";
    v = explain(im, &target);
    assert_int_equal(v.status, GPUDL_OK);
    assert_int_equal(v.entry, 0);
    assert_true(v.compiled);
    target.software = 1;
    target.arch = "sm_90";
    v = explain(im, &target);
    assert_int_equal(v.entry, 0);
    gpudl_image_close(im);
}

static void explains_why_nothing_would_and_what_to_do(void **state)
{
    gpudl_image *fatbin = open_image(DATA_SOURCE(names_fatbin)), *cubin = open_image(DATA_SOURCE(names_cubin));
    gpudl_target target = named("sm_80", 13000);
    gpudl_verdict v;

    (void)state;
    v = explain(cubin, &target);
    assert_int_equal(v.status, GPUDL_ERROR_ARCHITECTURE);
    assert_string_equal(v.word, "wrong-major");
    assert_int_equal(v.entry, 0);
    assert_non_null(strstr(v.remedy, "-gencode arch=compute_80,code=sm_80"));
    target.cuda_version = 12040;
    v = explain(fatbin, &target);
    assert_int_equal(v.status, GPUDL_ERROR_PTX_TOO_NEW);
    assert_non_null(strstr(v.reason, "9.0"));
    assert_non_null(strstr(v.reason, "8.4"));
    assert_true(*v.remedy);
    target.software = 1;
    v = explain(cubin, &target);
    assert_int_equal(v.status, GPUDL_ERROR_MACHINE_CODE_ONLY);
    assert_ok(gpudl_image_judge(fatbin, 1, &target, &v));
    assert_int_equal(v.status, GPUDL_ERROR_MACHINE_CODE_ONLY);
    gpudl_image_close(fatbin);
    gpudl_image_close(cubin);
}

static void count_warning(void *user, const char *word, const char *kernel, const char *text)
{
    (void)kernel;
    assert_true(*text);
    if (!strcmp(word, "jit-at-load") || !strcmp(word, "jit-from-older-ptx"))
        ++*(int *)user;
}

static void warns_of_what_runs_badly(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_ptx));
    gpudl_target target = named("sm_90", 13000);
    int warnings = 0;

    (void)state;
    assert_ok(gpudl_image_warnings(im, 0, &target, count_warning, &warnings));
    assert_true(warnings > 0);
    gpudl_image_close(im);
}

/* Whatever an explanation for the loader's device says, a load does. */
static void a_load_does_what_was_explained(void **state)
{
    const gpudl_source sources[] = {
        gpudl_source_memory(data_names_fatbin, DATA_SIZE(names_fatbin)),
        gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin)),
        gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx)),
        gpudl_source_memory(data_globals_fatbin, DATA_SIZE(globals_fatbin)),
    };
    static const unsigned devices[] = { 70, 75, 80, 89, 90, 100, 120 };
    gpudl_target target = GPUDL_TARGET_INIT;

    (void)state;
    for (size_t d = 0; d < sizeof(devices) / sizeof(*devices); d++) {
        nulldrv_set_sm(devices[d]);
        target.loader = harness_open();
        for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
            gpudl_image *im = open_image(&sources[i]);
            gpudl_verdict v = explain(im, &target);
            gpudl_library *lib = NULL;

            assert_int_equal(gpudl_library_load(target.loader, &sources[i], NULL, &lib), v.status);
            gpudl_library_release(lib);
            gpudl_image_close(im);
        }
        harness_close(target.loader);
    }
}

static void walk(gpudl_image *im)
{
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    gpudl_target target = named("sm_90", 13000);

    assert_ok(gpudl_image_describe(im, &info));
    assert_int_equal(info.damage == GPUDL_OK, *info.damage_text == '\0');
    for (size_t i = 0; i < info.entries; i++) {
        size_t nkernels = 0;

        assert_ok(gpudl_image_entry(im, i, &e));
        if (gpudl_image_read(im, i, &nkernels, NULL) != GPUDL_OK)
            assert_true(*gpudl_error_text());
        for (size_t n = 0; n < nkernels; n++)
            assert_ok(gpudl_image_kernel(im, i, n, &k));
    }
    explain(im, &target);
}

static void tells_what_is_left_of_a_truncated_image(void **state)
{
    size_t damaged = 0;

    (void)state;
    for (size_t n = 0; n < DATA_SIZE(names_fatbin); n += n < 256 ? 1 : 97) {
        gpudl_image_info info = { .size_of_struct = sizeof(info) };
        gpudl_image *im;

        if (gpudl_image_open(GPUDL_MEMORY(data_names_fatbin, n), NULL, &im) != GPUDL_OK) {
            assert_true(*gpudl_error_text());
            continue;
        }
        assert_ok(gpudl_image_describe(im, &info));
        assert_int_not_equal(info.damage, GPUDL_OK);
        damaged++;
        walk(im);
        gpudl_image_close(im);
    }
    assert_true(damaged > 0);
}

static void survives_any_flipped_byte(void **state)
{
    size_t size = DATA_SIZE(names_fatbin);
    unsigned char *copy = malloc(size);
    gpudl_image *im;

    (void)state;
    for (size_t i = 0; i < size; i += i < 1024 ? 1 : 37) {
        memcpy(copy, data_names_fatbin, size);
        copy[i] ^= 0xff;
        if (gpudl_image_open(GPUDL_MEMORY(copy, size), NULL, &im) != GPUDL_OK) {
            assert_true(*gpudl_error_text());
            continue;
        }
        walk(im);
        gpudl_image_close(im);
    }
    free(copy);
}

static void *ask_again_and_again(void *image)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    gpudl_verdict v = { .size_of_struct = sizeof(v) };
    gpudl_target target = named("sm_80", 13000);
    uintptr_t failures = 0;

    for (int i = 0; i < 200; i++) {
        failures += gpudl_image_explain(image, GPUDL_ALL, &target, &v) != GPUDL_OK || v.entry != 0;
        failures += gpudl_image_kernel(image, i % 2, i % 7, &k) != GPUDL_OK;
    }
    return (void *)failures;
}

static void threads_may_share_an_image(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    pthread_t threads[4];
    void *failures;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_again_and_again, im), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failures);
        assert_null(failures);
    }
    gpudl_image_close(im);
}

static void memory_need_not_outlive_the_call(void **state)
{
    size_t size = DATA_SIZE(names_fatbin), n;
    unsigned char *copy = malloc(size);
    gpudl_image *im;

    (void)state;
    memcpy(copy, data_names_fatbin, size);
    im = open_image(GPUDL_MEMORY(copy, size));
    memset(copy, 0xff, size);
    free(copy);
    assert_ok(gpudl_image_read(im, 1, &n, NULL));
    assert_int_equal(n, 7);
    gpudl_image_close(im);
}

/* Larger than what is read into memory: many fatbins, back to back. */
static void large_files_are_read_as_well(void **state)
{
    char path[] = "/tmp/gpudl-test-XXXXXX";
    int fd = mkstemp(path);
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    size_t copies = 2 * (1 << 20) / DATA_SIZE(names_fatbin), n;
    gpudl_image *im;

    (void)state;
    for (size_t i = 0; i < copies; i++)
        assert_int_equal(write(fd, data_names_fatbin, DATA_SIZE(names_fatbin)), DATA_SIZE(names_fatbin));
    close(fd);
    im = open_image(GPUDL_FILE(path));
    unlink(path);
    assert_ok(gpudl_image_describe(im, &info));
    assert_int_equal(info.entries, 2 * copies);
    assert_ok(gpudl_image_read(im, info.entries - 1, &n, NULL));
    assert_int_equal(n, 7);
    gpudl_image_close(im);
}

/* A caller that was built with an older header, and one with a newer. */
static void fills_what_the_caller_has(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin));
    struct {
        size_t size_of_struct;
        const char *format;
        const char *beyond;
    } older = { 2 * sizeof(size_t), NULL, "untouched" };
    struct {
        gpudl_image_info info;
        size_t newer;
    } larger = { { .size_of_struct = sizeof(larger) }, 1 };

    (void)state;
    assert_ok(gpudl_image_describe(im, (gpudl_image_info *)&older));
    assert_string_equal(older.format, "fatbin");
    assert_string_equal(older.beyond, "untouched");
    assert_ok(gpudl_image_describe(im, &larger.info));
    assert_int_equal(larger.newer, 0);
    assert_int_equal(larger.info.size_of_struct, sizeof(larger));
    gpudl_image_close(im);
}

static void refuses_wrong_arguments(void **state)
{
    gpudl_image *im = open_image(DATA_SOURCE(names_fatbin)), *none;
    gpudl_image_info unsized = { .size_of_struct = 0 };
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    gpudl_verdict v = { .size_of_struct = sizeof(v) };
    gpudl_target target = named("hopper", 13000);
    const void *bytes;
    size_t size;

    (void)state;
    assert_fails(gpudl_image_open(NULL, NULL, &none), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_image_open(DATA_SOURCE(names_ptx), NULL, NULL), GPUDL_ERROR_ARGUMENT, "out");
    assert_fails(gpudl_image_open(GPUDL_FILE("/nowhere/k.cubin"), NULL, &none), GPUDL_ERROR_FILE_MISSING, "/nowhere");
    assert_fails(gpudl_image_open(GPUDL_MEMORY("saxpy.cubin", 11), NULL, &none), GPUDL_ERROR_NOT_AN_IMAGE, "memory: ");
    assert_fails(gpudl_image_describe(im, &unsized), GPUDL_ERROR_ARGUMENT, "size_of_struct is 0");
    assert_fails(gpudl_image_describe(im, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_image_entry(im, 2, &e), GPUDL_ERROR_ARGUMENT, "2 entries");
    assert_fails(gpudl_image_entry(NULL, 0, &e), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_image_code(im, 9, &bytes, &size), GPUDL_ERROR_ARGUMENT, "no 9");
    assert_fails(gpudl_image_explain(im, 1, &target, &v), GPUDL_ERROR_ARGUMENT, "1 containers");
    assert_fails(gpudl_image_explain(im, 0, &target, &v), GPUDL_ERROR_ARGUMENT, "'hopper'");
    assert_null(gpudl_image_extern(NULL, 0, 0));
    gpudl_image_forget(NULL, 0);
    gpudl_image_close(NULL);
    gpudl_image_close(im);
}

static void names_are_demangled_into_any_buffer(void **state)
{
    char text[64];

    (void)state;
    assert_int_equal(gpudl_demangle("_Z5twicePf", text, sizeof(text)), 13);
    assert_string_equal(text, "twice(float*)");
    assert_int_equal(gpudl_demangle("_Z5twicePf", text, 6), 13);
    assert_string_equal(text, "twice");
    assert_int_equal(gpudl_demangle("_Z5twicePf", NULL, 0), 13);
    assert_int_equal(gpudl_demangle("axpy", text, sizeof(text)), 4);
    assert_string_equal(text, "axpy");
    assert_int_equal(gpudl_demangle(NULL, text, sizeof(text)), 0);
}

static gpudl_status use(gpudl_loader *l, void *source)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    gpudl_verdict v = { .size_of_struct = sizeof(v) };
    gpudl_target target = GPUDL_TARGET_INIT;
    gpudl_image *im;
    gpudl_status status = gpudl_image_open(source, NULL, &im);

    if (status != GPUDL_OK)
        return status;
    target.loader = l;
    status = gpudl_image_explain(im, GPUDL_ALL, &target, &v);
    if (status == GPUDL_OK)
        status = gpudl_image_entry(im, v.entry, &e);
    if (status == GPUDL_OK)
        status = gpudl_image_kernel(im, v.entry, 0, &k);
    gpudl_image_close(im);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    gpudl_source sources[] = {
        gpudl_source_memory(data_names_fatbin, DATA_SIZE(names_fatbin)),
        gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin)),
        gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx)),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        harness_fail_allocations(use, &sources[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(tells_what_is_there),
        TEST(parameters_are_those_of_a_loaded_kernel),
        TEST(tells_what_kernels_need),
        TEST(tells_globals),
        TEST(code_is_lent_as_it_was_compressed),
        TEST(needs_no_driver),
        TEST(explains_what_would_be_taken),
        TEST(explains_why_nothing_would_and_what_to_do),
        TEST(warns_of_what_runs_badly),
        TEST(a_load_does_what_was_explained),
        TEST(tells_what_is_left_of_a_truncated_image),
        TEST(survives_any_flipped_byte),
        TEST(threads_may_share_an_image),
        TEST(memory_need_not_outlive_the_call),
        TEST(large_files_are_read_as_well),
        TEST(fills_what_the_caller_has),
        TEST(refuses_wrong_arguments),
        TEST(names_are_demangled_into_any_buffer),
        TEST(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
