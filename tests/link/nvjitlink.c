/* nvjitlink.c - the toolkit's linker, where it is on this machine, without a device: what it makes of images that nvcc 13.0 made, and its
 * words. Ends with 77 where there is none. */
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

static int version;

static gpudl_status make(const char *arch, gpudl_link_format format, const gpudl_load_options *load, gpudl_source a, gpudl_source b,
    gpudl_linked **out)
{
    gpudl_source sources[] = { a, b };
    gpudl_link_options options = GPUDL_LINK_OPTIONS_INIT;

    options.arch = arch;
    options.format = (unsigned)format;
    options.linker = "nvjitlink";
    options.load = load;
    return gpudl_linked_make(NULL, sources, b.name ? 2 : 1, &options, out);
}

static gpudl_linked *made(const char *arch, gpudl_link_format format, const gpudl_load_options *load, gpudl_source a, gpudl_source b)
{
    gpudl_linked *linked;

    if (make(arch, format, load, a, b, &linked) != GPUDL_OK)
        fail_msg("%s", gpudl_error_text());
    return linked;
}

#define assert_fails(call, expected, words) \
    do { \
        gpudl_status status_ = (call); \
        if (status_ != (expected)) \
            fail_msg("%s, not %s: %s", gpudl_status_name(status_), gpudl_status_name(expected), gpudl_error_text()); \
        if (!strstr(gpudl_error_text(), (words))) \
            fail_msg("no '%s' in: %s", (words), gpudl_error_text()); \
    } while (0)

/* A whole image for this architecture, with both kernels, that lacks nothing. */
static void assert_whole(gpudl_linked *linked, const char *arch)
{
    gpudl_entry_info entry = { .size_of_struct = sizeof(entry) };
    size_t size, kernels, globals;
    const void *bytes = gpudl_linked_bytes(linked, &size);
    gpudl_image *image;

    assert_int_equal(gpudl_image_open(GPUDL_MEMORY(bytes, size), NULL, &image), GPUDL_OK);
    assert_int_equal(gpudl_image_read(image, 0, &kernels, &globals), GPUDL_OK);
    assert_int_equal(kernels, 2);
    assert_int_equal(gpudl_image_entry(image, 0, &entry), GPUDL_OK);
    assert_string_equal(entry.arch, arch);
    assert_int_equal(entry.relocatable, 0);
    assert_null(gpudl_image_extern(image, 0, 0));
    gpudl_image_close(image);
    gpudl_linked_release(linked);
}

static const gpudl_source nothing;

static void ptx_and_cubins_become_a_cubin(void **state)
{
    (void)state;
    assert_whole(made("sm_75", GPUDL_LINK_FITTING, NULL, FILE_OF("caller.cubin"), FILE_OF("callee.cubin")), "sm_75");
    assert_whole(made("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.cubin")), "sm_75");
    assert_whole(made("sm_90", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx")), "sm_90");
}

static void of_an_archive_what_is_needed_is_taken(void **state)
{
    (void)state;
    assert_whole(made("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.cubin"), FILE_OF("libcallee.a")), "sm_75");
}

static void ltoir_is_linked_as_such_by_itself(void **state)
{
    (void)state;
    if (version < 13000)
        skip();
    assert_whole(made("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ltoir"), FILE_OF("callee.ltoir")), "sm_75");
    assert_whole(made("sm_90", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ltoir"), FILE_OF("callee_lto.fatbin")), "sm_90");
    assert_whole(made("sm_75", GPUDL_LINK_PTX, NULL, FILE_OF("caller.ltoir"), FILE_OF("callee.ltoir")), "compute_75");
}

static void options_are_passed_on(void **state)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;

    (void)state;
    load.flags = GPUDL_LOAD_LINE_INFO;
    load.optimization = GPUDL_OPTIMIZATION(1);
    load.max_registers = 32;
    load.fma = GPUDL_FMA_OFF;
    load.cache_mode = GPUDL_CACHE_MODE_CG;
    assert_whole(made("sm_75", GPUDL_LINK_CUBIN, &load, FILE_OF("caller.ptx"), FILE_OF("callee.ptx")), "sm_75");
}

static void what_is_missing_is_named(void **state)
{
    gpudl_linked *linked;

    (void)state;
    assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.cubin"), nothing, &linked), GPUDL_ERROR_LINK, "'_Z5twicei'");
    assert_non_null(strstr(gpudl_error_text(), "'seven'"));
    assert_non_null(strstr(gpudl_error_text(), "caller.cubin"));
}

/* nvJitLink 13.0 makes no error of it where there is no LTO-IR. */
static void what_is_there_twice_is_named(void **state)
{
    gpudl_linked *linked;

    (void)state;
    assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("callee.ptx"), FILE_OF("callee.cubin"), &linked), GPUDL_ERROR_LINK,
        "'_Z5twicei' is defined more than once: in " DATA "/callee.ptx and in " DATA "/callee.cubin");
    assert_null(strstr(gpudl_error_text(), "_Z3one"));      /* weak */
    if (version >= 13000)
        assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("callee.ltoir"), FILE_OF("callee.ltoir"), &linked), GPUDL_ERROR_LINK, "seven");
}

static void other_architectures_are_named(void **state)
{
    gpudl_linked *linked;

    (void)state;
    assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.cubin"), FILE_OF("callee_80.cubin"), &linked), GPUDL_ERROR_ARCHITECTURE,
        "callee_80.cubin: holds relocatable machine code for sm_80");
    assert_non_null(strstr(gpudl_error_text(), "what is linked is for sm_75"));
    assert_fails(make("sm_30", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"), &linked), GPUDL_ERROR_ARCHITECTURE, "sm_30");
}

static void ltoir_and_other_code_do_not_mix_well_and_that_is_said(void **state)
{
    gpudl_linked *linked;

    (void)state;
    if (version < 13000)
        skip();
    assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ltoir"), &linked), GPUDL_ERROR_LINK,
        "compile all of it with -dlto, or none");
    assert_fails(make("sm_75", GPUDL_LINK_PTX, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"), &linked), GPUDL_ERROR_NO_LINKER,
        "linked PTX is made of LTO-IR alone");
}

static void bad_ptx_is_told_with_the_compilers_words(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { bogus.u32; ret; }\n";
    gpudl_source source = gpudl_source_memory(text, sizeof(text) - 1);
    gpudl_linked *linked;

    (void)state;
    source.name = "bad.ptx";
    assert_fails(make("sm_75", GPUDL_LINK_CUBIN, NULL, source, nothing, &linked), GPUDL_ERROR_LINK, "bogus");
    assert_non_null(strstr(gpudl_error_text(), "bad.ptx"));
}

static gpudl_cache_info cache_now(void)
{
    gpudl_cache_info info = { .size_of_struct = sizeof(info) };

    assert_int_equal(gpudl_cache_describe(NULL, &info), GPUDL_OK);
    return info;
}

static void what_was_linked_is_kept(void **state)
{
    gpudl_load_options other = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_compile_options no_cache = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_linked *first, *again;
    size_t size, again_size;
    gpudl_cache_info before;

    (void)state;
    other.max_registers = 24;
    first = made("sm_86", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"));
    before = cache_now();
    again = made("sm_86", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"));
    assert_int_equal(cache_now().hits, before.hits + 1);
    assert_string_equal(gpudl_linked_linker(again), gpudl_linked_linker(first));
    assert_string_equal(gpudl_linked_log(again), gpudl_linked_log(first));
    gpudl_linked_bytes(first, &size);
    gpudl_linked_bytes(again, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(gpudl_linked_bytes(again, NULL), gpudl_linked_bytes(first, NULL), size);
    gpudl_linked_release(first);
    assert_whole(again, "sm_86");
    before = cache_now();
    assert_whole(made("sm_86", GPUDL_LINK_CUBIN, &other, FILE_OF("caller.ptx"), FILE_OF("callee.ptx")), "sm_86");
    assert_whole(made("sm_86", GPUDL_LINK_CUBIN, NULL, FILE_OF("callee.ptx"), FILE_OF("caller.ptx")), "sm_86");
    no_cache.flags = GPUDL_COMPILE_NO_CACHE;
    other.max_registers = 0;
    other.compile = &no_cache;
    assert_whole(made("sm_86", GPUDL_LINK_CUBIN, &other, FILE_OF("caller.ptx"), FILE_OF("callee.ptx")), "sm_86");
    assert_int_equal(cache_now().hits, before.hits);
}

static void several_architectures_become_a_fatbin(void **state)
{
    static const char *const archs[] = { "sm_75", "sm_90" };
    gpudl_linked *linked = made("sm_75,sm_90", GPUDL_LINK_FATBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"));
    size_t size;
    const void *bytes = gpudl_linked_bytes(linked, &size);
    gpudl_image *image;

    (void)state;
    assert_int_equal(gpudl_image_open(GPUDL_MEMORY(bytes, size), NULL, &image), GPUDL_OK);
    for (size_t i = 0; i < 2; i++) {
        gpudl_entry_info entry = { .size_of_struct = sizeof(entry) };

        assert_int_equal(gpudl_image_entry(image, i, &entry), GPUDL_OK);
        assert_string_equal(entry.arch, archs[i]);
        assert_int_equal(entry.relocatable, 0);
    }
    assert_int_not_equal(gpudl_image_entry(image, 2, &(gpudl_entry_info){ .size_of_struct = sizeof(gpudl_entry_info) }), GPUDL_OK);
    gpudl_image_close(image);
    gpudl_linked_release(linked);
    assert_fails(make("sm_75,sm_80", GPUDL_LINK_FATBIN, NULL, FILE_OF("caller.cubin"), FILE_OF("callee.cubin"), &linked),
        GPUDL_ERROR_ARCHITECTURE, "sm_80");
    assert_fails(make("sm_75,sm_80", GPUDL_LINK_CUBIN, NULL, FILE_OF("caller.ptx"), FILE_OF("callee.ptx"), &linked),
        GPUDL_ERROR_ARGUMENT, "GPUDL_LINK_FATBIN");
}

int main(void)
{
    char folder[] = "/tmp/gpudl-test-link-XXXXXX";
    int failed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_linked_is_kept),      /* the first: it counts what no loader does */
        cmocka_unit_test(ptx_and_cubins_become_a_cubin),
        cmocka_unit_test(of_an_archive_what_is_needed_is_taken),
        cmocka_unit_test(ltoir_is_linked_as_such_by_itself),
        cmocka_unit_test(options_are_passed_on),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_is_there_twice_is_named),
        cmocka_unit_test(other_architectures_are_named),
        cmocka_unit_test(ltoir_and_other_code_do_not_mix_well_and_that_is_said),
        cmocka_unit_test(bad_ptx_is_told_with_the_compilers_words),
        cmocka_unit_test(several_architectures_become_a_fatbin),
    };
    gpudl_linker_info info = { .size_of_struct = sizeof(info) };

    if (gpudl_linker_describe(NULL, 0, &info) != GPUDL_OK || !info.usable) {
        printf("no nvJitLink: %s\n", info.text);
        return 77;
    }
    version = info.version;
    if (!mkdtemp(folder) || setenv("GPUDL_CACHE_DIR", folder, 1))
        return 1;
    failed = cmocka_run_group_tests_name("link.nvjitlink", tests, NULL, NULL);
    gpudl_cache_trim(NULL, 0, NULL);
    return failed;
}
