/* run.c - linked code runs, on softcuda and on a GPU: what one file has another uses, and a hundred small modules are one. Ends with 77
 * where the driver that GPUDL_DRIVER names has no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpudl/gpudl.h>

#define FILE_OF(name) gpudl_source_file(DATA "/" name)

enum { EXPECTED = 2 * 7 + 1000 + 3 + 100 + 2 + 2 * 3 + 1000 + 1 + 100 };

static const gpudl_driver_table *cu;

#define assert_ok(call) \
    do { \
        gpudl_status status_ = (call); \
        if (status_ != GPUDL_OK) \
            fail_msg("%s: %s", gpudl_status_name(status_), gpudl_error_text()); \
    } while (0)

/* The kernel's one result. */
static unsigned run(gpudl_library *lib, const char *name)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *k;
    CUdeviceptr p;
    unsigned got = 0;

    config.shared_bytes = 256;
    assert_ok(gpudl_kernel_get(lib, name, &k));
    assert_int_equal(cu->MemAlloc(&p, 4), 0);
    assert_ok(gpudl_launch(k, &config, p));
    assert_int_equal(cu->MemcpyDtoH(&got, p, 4), 0);
    assert_int_equal(cu->MemFree(p), 0);
    gpudl_kernel_release(k);
    return got;
}

static void assert_runs(gpudl_source a, gpudl_source b)
{
    gpudl_source sources[] = { a, b };
    gpudl_library *lib;

    assert_ok(gpudl_library_link(NULL, sources, 2, NULL, &lib));
    assert_int_equal(run(lib, "call"), EXPECTED);
    gpudl_library_release(lib);
}

static void what_one_file_has_another_uses(void **state)
{
    (void)state;
    assert_runs(FILE_OF("caller.ptx"), FILE_OF("callee.ptx"));
    assert_runs(FILE_OF("callee.ptx"), FILE_OF("caller.ptx"));
}

static void of_an_archive_what_is_needed_is_taken(void **state)
{
    (void)state;
    if (!gpudl_loader_is_software(NULL))
        skip();         /* its machine code is for sm_75 */
    assert_runs(FILE_OF("caller.ptx"), FILE_OF("libcallee.a"));
}

static void ltoir_runs(void **state)
{
    gpudl_linker_info info = { .size_of_struct = sizeof(info) };

    (void)state;
    if (gpudl_linker_describe(NULL, 0, &info) != GPUDL_OK || !info.usable || info.version < 13000 || getenv("GPUDL_LINKER"))
        skip();
    assert_runs(FILE_OF("caller.ltoir"), FILE_OF("callee.ltoir"));
    assert_runs(FILE_OF("caller.ltoir"), FILE_OF("callee_lto.fatbin"));
}

static void sources_are_compiled_first(void **state)
{
    gpudl_source sources[] = { FILE_OF("caller.cu"), FILE_OF("callee.cu") };
    gpudl_library *lib;
    gpudl_status status = gpudl_library_link(NULL, sources, 2, NULL, &lib);

    (void)state;
    if (status == GPUDL_ERROR_NO_COMPILER)
        skip();
    assert_ok(status);
    assert_int_equal(run(lib, "call"), EXPECTED);
    gpudl_library_release(lib);
}

static void the_image_can_be_loaded_later(void **state)
{
    gpudl_source sources[] = { FILE_OF("caller.ptx"), FILE_OF("callee.ptx") };
    gpudl_linked *linked;
    gpudl_library *lib;
    const void *bytes;
    size_t size;

    (void)state;
    assert_ok(gpudl_linked_make(NULL, sources, 2, NULL, &linked));
    bytes = gpudl_linked_bytes(linked, &size);
    assert_ok(gpudl_library_load(NULL, GPUDL_MEMORY(bytes, size), NULL, &lib));
    gpudl_linked_release(linked);
    assert_int_equal(run(lib, "call"), EXPECTED);
    gpudl_library_release(lib);
}

static void a_load_alone_names_what_is_missing(void **state)
{
    gpudl_source source = FILE_OF("caller.ptx");
    gpudl_library *lib;

    (void)state;
    assert_int_equal(gpudl_library_load(NULL, &source, NULL, &lib), GPUDL_ERROR_NOT_LINKED);
    assert_non_null(strstr(gpudl_error_text(), "_Z5twicei"));
    assert_non_null(strstr(gpudl_error_text(), "gpudl_library_link()"));
}

/* kernel i writes what a function of module i makes of i; each module has a variable and a function of names that all the others have. */
enum { MODULES = 100 };

static void write_module(char *text, size_t size, int i)
{
    snprintf(text, size,
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 own = %d;\n"
        ".func (.param .b32 r) step(.param .b32 x)\n{\n.reg .b32 %%r<4>;\nld.param.b32 %%r1, [x]; ld.global.u32 %%r2, [own];\n"
        "mad.lo.u32 %%r3, %%r1, %d, %%r2; st.param.b32 [r], %%r3; ret;\n}\n"
        ".visible .entry kernel%d(.param .u64 p)\n{\n.reg .b32 %%r<4>; .reg .b64 %%d<3>;\nld.param.u64 %%d1, [p]; cvta.to.global.u64 %%d2, %%d1;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %d; call.uni (b), step, (a); ld.param.b32 %%r1, [b]; }\n"
        "st.global.u32 [%%d2], %%r1; ret;\n}\n",
        1000 + i, 3 + i % 7, i, i);
}

static void a_hundred_modules_are_one(void **state)
{
    static char texts[MODULES][1024];
    gpudl_source sources[MODULES];
    gpudl_library *all, *one;
    char name[16];

    (void)state;
    for (int i = 0; i < MODULES; i++) {
        write_module(texts[i], sizeof(texts[i]), i);
        sources[i] = gpudl_source_memory(texts[i], strlen(texts[i]));
    }
    assert_ok(gpudl_library_link(NULL, sources, MODULES, NULL, &all));
    assert_int_equal(gpudl_library_kernel_count(all), MODULES);
    for (int i = 0; i < MODULES; i++) {
        snprintf(name, sizeof(name), "kernel%d", i);
        assert_ok(gpudl_library_load(NULL, &sources[i], NULL, &one));
        assert_int_equal(run(one, name), 1000 + i + i * (3 + i % 7));
        assert_int_equal(run(all, name), 1000 + i + i * (3 + i % 7));
        gpudl_library_release(one);
    }
    gpudl_library_release(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_file_has_another_uses),
        cmocka_unit_test(of_an_archive_what_is_needed_is_taken),
        cmocka_unit_test(ltoir_runs),
        cmocka_unit_test(sources_are_compiled_first),
        cmocka_unit_test(the_image_can_be_loaded_later),
        cmocka_unit_test(a_load_alone_names_what_is_missing),
        cmocka_unit_test(a_hundred_modules_are_one),
    };

    if (gpudl_loader_use_device(NULL, 0) != GPUDL_OK) {
        printf("%s\n", gpudl_error_text());
        return 77;
    }
    cu = gpudl_loader_driver(NULL);
    return cmocka_run_group_tests_name("link.run", tests, NULL, NULL);
}
