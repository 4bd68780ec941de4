/* Linking over the null driver, whose linker gives back what it is told to: what is refused before a linker is asked, which linker that is,
 * what it gets, and that nothing is left behind. ctest says GPUDL_LINKER=driver. */
#include "tests/loader/common.h"

#include <stdlib.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char caller[] = HEAD ".extern .func f();\n.visible .entry k(.param .u32 n) { call.uni f, (); ret; }\n";
static const char callee[] = HEAD ".visible .func f() { ret; }\n.weak .entry w() { ret; }\n.global .u32 own;\n";
static const char linked[] = HEAD ".visible .entry k(.param .u32 n) { ret; }\n.weak .entry w() { ret; }\n";

static const unsigned char ltoir[64] = { 0xed, 0x43, 0x4e, 0x7f, 1, 65, 2, 98, 3, 2, 7, 0, 0x18, 0, 1, 0, 0x28, 0, 0, 0, 0x2c, 0, 0, 0, 1, 0, 0x84, 3,
    0x63, 0, 0, 0 };

static gpudl_source named(const char *name, const void *bytes, size_t size)
{
    gpudl_source s = gpudl_source_memory(bytes, size);

    s.name = name;
    return s;
}

static gpudl_source text(const char *name, const char *ptx)
{
    return named(name, ptx, strlen(ptx));
}

static gpudl_status link_two(gpudl_loader *l, gpudl_source a, gpudl_source b)
{
    gpudl_source both[] = { a, b };
    gpudl_library *untouched = (gpudl_library *)l, *lib = untouched;
    gpudl_status status = gpudl_library_link(l, both, 2, NULL, &lib);

    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    else
        assert_ptr_equal(lib, untouched);
    return status;
}

static int open_one(void **state)
{
    nulldrv_reset();
    nulldrv_set_linked(linked, sizeof(linked) - 1);
    *state = harness_open();
    return 0;
}

static int close_one(void **state)
{
    harness_close(*state);
    return 0;
}

static void what_was_linked_is_loaded(void **state)
{
    gpudl_source both[] = { text("caller.ptx", caller), text("callee.ptx", callee) };
    gpudl_library *lib;
    gpudl_kernel *k;
    int type;

    assert_ok(gpudl_library_link(*state, both, 2, NULL, &lib));
    assert_int_equal(gpudl_library_kernel_count(lib), 2);
    assert_ok(gpudl_kernel_get(lib, "k", &k));
    assert_string_equal(nulldrv_link_input(0, &type), "caller.ptx");
    assert_int_equal(type, GPUDL_JIT_INPUT_PTX);
    assert_string_equal(nulldrv_link_input(1, &type), "callee.ptx");
    assert_null(nulldrv_link_input(2, &type));
    assert_int_equal(nulldrv_alive("link"), 0);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

static void what_is_linked_to_the_same_is_one_version(void **state)
{
    gpudl_source both[] = { text("caller.ptx", caller), text("callee.ptx", callee) };
    gpudl_library *one, *other;

    assert_ok(gpudl_library_link(*state, both, 2, NULL, &one));
    assert_ok(gpudl_library_link(*state, both, 2, NULL, &other));
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_library_release(one);
    gpudl_library_release(other);
}

static void names_that_two_define_are_told_before_a_linker_is_asked(void **state)
{
    assert_fails(link_two(*state, text("one.ptx", callee), text("two.ptx", callee)), GPUDL_ERROR_LINK,
        "'f' is defined more than once: in one.ptx and in two.ptx");
    assert_null(strstr(gpudl_error_text(), "'w'"));         /* weak */
    assert_null(strstr(gpudl_error_text(), "'own'"));       /* each one's own */
    assert_int_equal(nulldrv_calls("cuLinkCreate"), 0);
}

static void the_linkers_words_are_the_texts(void **state)
{
    nulldrv_set_link_log("undefined reference to 'f' in 'caller.ptx'\n");
    assert_fails(link_two(*state, text("caller.ptx", caller), text("empty.ptx", HEAD)), GPUDL_ERROR_LINK,
        "could not link caller.ptx and empty.ptx: undefined reference to 'f' in 'caller.ptx'; cuLinkComplete returned 218");
    assert_int_equal(gpudl_error_cuda(), 218);
}

static void architectures_that_differ_are_both_named(void **state)
{
    static const char newer[] = ".version 8.0\n.target sm_100\n.address_size 64\n";

    assert_fails(link_two(*state, text("caller.ptx", caller), text("newer.ptx", newer)), GPUDL_ERROR_ARCHITECTURE, "newer.ptx: holds PTX for compute_100");
    assert_non_null(strstr(gpudl_error_text(), "what is linked is for sm_90"));
}

static void what_is_no_image_is_refused_as_in_a_load(void **state)
{
    assert_fails(link_two(*state, text("caller.ptx", caller), text("words.txt", "hello")), GPUDL_ERROR_NOT_AN_IMAGE, "words.txt: ");
    assert_fails(link_two(*state, text("caller.ptx", caller), text("empty", "")), GPUDL_ERROR_IMAGE_EMPTY, "empty");
    assert_fails(link_two(*state, text("caller.ptx", caller), gpudl_source_file("/nowhere/b.ptx")), GPUDL_ERROR_FILE_MISSING, "/nowhere/b.ptx");
    assert_fails(link_two(*state, text("caller.ptx", caller), named("whole.cubin", data_names_cubin, DATA_SIZE(names_cubin))),
        GPUDL_ERROR_ARCHITECTURE, "linked already");
}

static void arguments_are_checked(void **state)
{
    gpudl_source one = text("caller.ptx", caller);
    gpudl_link_options options = GPUDL_LINK_OPTIONS_INIT;
    gpudl_linked *made;
    gpudl_library *lib;

    assert_fails(gpudl_library_link(*state, NULL, 1, NULL, &lib), GPUDL_ERROR_ARGUMENT, "gpudl_library_link");
    assert_fails(gpudl_library_link(*state, &one, 0, NULL, &lib), GPUDL_ERROR_ARGUMENT, "gpudl_library_link");
    assert_fails(gpudl_library_link(*state, &one, 1, NULL, NULL), GPUDL_ERROR_ARGUMENT, "gpudl_library_link");
    options.format = 7;
    assert_fails(gpudl_linked_make(*state, &one, 1, &options, &made), GPUDL_ERROR_ARGUMENT, "format is 7");
    options.format = 0;
    options.arch = "sm90";
    assert_fails(gpudl_linked_make(*state, &one, 1, &options, &made), GPUDL_ERROR_ARGUMENT, "'sm90' is no architecture");
}

static void ltoir_needs_nvjitlink(void **state)
{
    gpudl_link_options options = GPUDL_LINK_OPTIONS_INIT;
    gpudl_source source = named("k.ltoir", ltoir, sizeof(ltoir));
    gpudl_linked *made;

    assert_fails(link_two(*state, source, text("callee.ptx", callee)), GPUDL_ERROR_NO_LINKER, "LTO-IR is linked by nvJitLink only");
    options.linker = "/nowhere/libnvJitLink.so.13";
    assert_fails(gpudl_linked_make(*state, &source, 1, &options, &made), GPUDL_ERROR_NO_LINKER, "/nowhere/libnvJitLink.so.13");
    assert_non_null(strstr(gpudl_error_text(), "pip install nvidia-nvjitlink"));
}

static void a_load_links_relocatable_code_by_itself(void **state)
{
    gpudl_library *lib;

    nulldrv_set_sm(90);
    assert_ok(gpudl_library_load(*state, GPUDL_FILE(IMAGES "/reloc.fatbin"), NULL, &lib));
    assert_int_equal(nulldrv_calls("cuLinkComplete"), 1);
    assert_int_equal(gpudl_library_kernel_count(lib), 2);       /* those of what the linker gave */
    gpudl_library_release(lib);
}

static void a_load_names_what_is_missing(void **state)
{
    gpudl_library *lib;

    nulldrv_set_link_log("error   : Undefined reference to 'helper' in 'd'\n");
    assert_fails(gpudl_library_load(*state, GPUDL_FILE(IMAGES "/reloc.fatbin"), NULL, &lib), GPUDL_ERROR_NOT_LINKED, "Undefined reference to 'helper'");
    assert_non_null(strstr(gpudl_error_text(), "gpudl_library_link()"));
    assert_non_null(strstr(gpudl_error_text(), "reloc.fatbin: the code must be linked"));
}

static void a_load_of_ptx_that_lacks_names_says_so(void **state)
{
    gpudl_library *lib;

    nulldrv_set_kernels("");
    nulldrv_set_log("ptxas fatal   : Unresolved extern function 'f'");
    nulldrv_set_link_log("undefined reference to 'f'");
    assert_fails(gpudl_library_load(*state, GPUDL_MEMORY(caller, sizeof(caller) - 1), NULL, &lib), GPUDL_ERROR_NOT_LINKED, "undefined reference to 'f'");
    nulldrv_set_log("ptxas fatal   : Not a name of any known instruction: 'bogus'");       /* which is another matter */
    assert_fails(gpudl_library_load(*state, GPUDL_MEMORY(linked, sizeof(linked) - 1), NULL, &lib), GPUDL_ERROR_PTX, "bogus");
    assert_int_equal(nulldrv_calls("cuLinkCreate"), 1);
}

static void what_was_linked_can_be_had_as_bytes(void **state)
{
    gpudl_source both[] = { text("caller.ptx", caller), text("callee.ptx", callee) };
    gpudl_linked *made;
    size_t size;

    assert_ok(gpudl_linked_make(*state, both, 2, NULL, &made));
    assert_string_equal(gpudl_linked_bytes(made, &size), linked);
    assert_int_equal(size, sizeof(linked) - 1);
    assert_string_equal(gpudl_linked_log(made), "");
    assert_non_null(strstr(gpudl_linked_linker(made), "null driver"));
    gpudl_linked_release(made);
    gpudl_linked_release(NULL);
}

static void options_of_a_load_are_the_linkers_too(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_source one = text("callee.ptx", callee);
    gpudl_library *lib;
    void *value;

    options.max_registers = 40;
    assert_ok(gpudl_library_link(*state, &one, 1, &options, &lib));
    assert_true(nulldrv_load_option(0, GPUDL_JIT_MAX_REGISTERS, &value));
    assert_int_equal(nulldrv_link_option(GPUDL_JIT_MAX_REGISTERS, &value), 1);
    assert_int_equal((uintptr_t)value, 40);
    gpudl_library_release(lib);
}

static void linkers_are_described(void **state)
{
    gpudl_linker_info info = { sizeof(info), NULL, 0, 0, "" };

    assert_ok(gpudl_linker_describe(*state, 0, &info));
    assert_string_equal(info.name, "nvjitlink");
    assert_true(strlen(info.text) > 0);
    assert_ok(gpudl_linker_describe(*state, 1, &info));
    assert_string_equal(info.name, "driver");
    assert_int_equal(info.usable, 1);
    assert_fails(gpudl_linker_describe(*state, 2, &info), GPUDL_ERROR_ARGUMENT, "two linkers");
}

/* --------------------------------------------------------------------------------------------------- whatever fails, and whenever */

static gpudl_status scenario(gpudl_loader *l, void *user)
{
    gpudl_source both[] = { text("caller.ptx", caller), text("callee.ptx", callee) };
    gpudl_library *lib;
    gpudl_linked *made;
    gpudl_status status;

    (void)user;
    status = gpudl_library_link(l, both, 2, NULL, &lib);
    if (status != GPUDL_OK)
        return status;
    gpudl_library_release(lib);
    status = gpudl_linked_make(l, both, 2, NULL, &made);
    if (status == GPUDL_OK)
        gpudl_linked_release(made);
    return status;
}

static gpudl_status alone(gpudl_loader *l, void *user)
{
    gpudl_library *lib;
    gpudl_status status = gpudl_library_load(l, GPUDL_FILE(IMAGES "/reloc.fatbin"), NULL, &lib);

    (void)user;
    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    return status;
}

static void any_failure_leaves_nothing(void **state)
{
    (void)state;
    nulldrv_reset();
    nulldrv_set_linked(linked, sizeof(linked) - 1);
    harness_fail_allocations(scenario, NULL);
    harness_fail_allocations(alone, NULL);
    harness_fail_driver_calls(999, scenario, NULL);
    harness_fail_driver_calls(2, scenario, NULL);
    harness_fail_driver_calls(999, alone, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_one, close_one)
        TEST(what_was_linked_is_loaded),
        TEST(what_is_linked_to_the_same_is_one_version),
        TEST(names_that_two_define_are_told_before_a_linker_is_asked),
        TEST(the_linkers_words_are_the_texts),
        TEST(architectures_that_differ_are_both_named),
        TEST(what_is_no_image_is_refused_as_in_a_load),
        TEST(arguments_are_checked),
        TEST(ltoir_needs_nvjitlink),
        TEST(a_load_links_relocatable_code_by_itself),
        TEST(a_load_names_what_is_missing),
        TEST(a_load_of_ptx_that_lacks_names_says_so),
        TEST(what_was_linked_can_be_had_as_bytes),
        TEST(options_of_a_load_are_the_linkers_too),
        TEST(linkers_are_described),
        cmocka_unit_test(any_failure_leaves_nothing),
    };

    return cmocka_run_group_tests_name("loader.link", tests, NULL, NULL);
}
