/* CUDA C++ among the sources, over the null driver and a stand-in for a compiler. */
#include <stdlib.h>

#include "tests/compile/fake.h"
#include "tests/loader/common.h"

static gpudl_compile_options compile;
static gpudl_load_options options;
static gpudl_library *lib;

static int begin(void **state)
{
    static char compiler[128];

    if (fake_begin(state))
        return -1;
    setenv("GPUDL_CACHE_DIR", fake_path("cache"), 1);
    snprintf(compiler, sizeof(compiler), "%s", fake_path("fake-nvcc"));
    compile = (gpudl_compile_options)GPUDL_COMPILE_OPTIONS_INIT;
    compile.compiler = compiler;
    options = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT;
    options.compile = &compile;
    return 0;
}

static void a_source_is_compiled_and_loaded(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_kernel *k;

    (void)state;
    fake_write("k.cu", "int k;");
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &lib));
    assert_ok(gpudl_kernel_get(lib, "k", &k));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(fake_path("k.cu")), &options, &lib));
    gpudl_library_release(lib);
    assert_int_equal(fake_runs(), 2); /* two names */
    harness_close(l);
    l = harness_open();
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &lib));
    assert_int_equal(fake_runs(), 2);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_source_with_the_mark_is_compiled_whatever_its_name(void **state)
{
    static const char text[] = GPUDL_SOURCE_MARK " of k.cu\nint k;";
    const gpudl_source memory = gpudl_source_named("fallback", text, strlen(text));
    gpudl_loader *l = harness_open();
    gpudl_image *image;
    gpudl_kernel *k;

    (void)state;
    fake_write("k.fatbin", text);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(fake_path("k.fatbin")), &options, &lib));
    assert_ok(gpudl_kernel_get(lib, "k", &k));
    gpudl_kernel_release(k);
    assert_ok(
        gpudl_library_replace(lib, &memory, &(gpudl_replace_options){ .size = sizeof(gpudl_replace_options), .load = &options }));
    gpudl_library_release(lib);
    assert_ok(gpudl_library_load(l, &memory, &options, &lib));
    gpudl_library_release(lib);
    assert_fails(gpudl_image_open(GPUDL_FILE(fake_path("k.fatbin")), NULL, &image), GPUDL_ERROR_UNSUPPORTED, "k.fatbin");
    harness_close(l);
}

static void name_expressions_are_found_as_they_were_written(void **state)
{
    static const char *const names[] = { "&k", "other<1 + 2>" };
    gpudl_loader *l = harness_open();
    gpudl_library *same, *plain;
    gpudl_version *v[3];
    gpudl_kernel *k;

    (void)state;
    compile.names = names;
    compile.nnames = 1;
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &lib));
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &same));
    compile.nnames = 0;
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &plain));
    assert_fails(gpudl_kernel_get(lib, "other", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "other");
    assert_ok(gpudl_kernel_get(lib, "&k", &k));
    assert_string_equal(gpudl_kernel_name(k), "k");
    gpudl_kernel_release(k);
    assert_fails(gpudl_kernel_get(plain, "&k", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "&k");
    assert_ok(gpudl_library_pin(lib, &v[0]));
    assert_ok(gpudl_library_pin(same, &v[1]));
    assert_ok(gpudl_library_pin(plain, &v[2]));
    assert_int_equal(gpudl_version_number(v[0]), gpudl_version_number(v[1]));
    assert_int_not_equal(gpudl_version_number(v[0]), gpudl_version_number(v[2]));
    for (int i = 0; i < 3; i++)
        gpudl_version_unpin(v[i]);
    gpudl_library_release(lib);
    gpudl_library_release(same);
    gpudl_library_release(plain);
    harness_close(l);
}

static void failures_have_a_status_each(void **state)
{
    static const char *const unknown[] = { "--unknown" }, *const output[] = { "-o", "x" }, *const last[] = { "-I" };
    static const gpudl_header bad = { NULL, "" };
    gpudl_loader *l = harness_open();

    (void)state;
#define FAILS(text, status, words) assert_fails(gpudl_library_load(l, GPUDL_TEXT("k.cu", text), &options, &lib), status, words)
    FAILS("SYNTAX_ERROR", GPUDL_ERROR_COMPILE, "k.cu(3): error: expected an expression");
    FAILS("#include \"none.h\"\n", GPUDL_ERROR_COMPILE_HEADER, "'none.h': tried none.h");
    compile.options = unknown;
    compile.noptions = 1;
    FAILS("int k;", GPUDL_ERROR_COMPILE_OPTION, "Unknown option '--unknown'");
    compile.options = output;
    compile.noptions = 2;
    FAILS("int k;", GPUDL_ERROR_COMPILE_OPTION, "-o is not taken");
    compile.options = last;
    compile.noptions = 1;
    FAILS("int k;", GPUDL_ERROR_COMPILE_OPTION, "wants a value");
    compile.noptions = 0;
    compile.target = "sm_999";
    FAILS("int k;", GPUDL_ERROR_COMPILE_TARGET, "Unsupported gpu architecture");
    compile.target = "fermi";
    FAILS("int k;", GPUDL_ERROR_ARGUMENT, "'fermi'");
    compile.target = NULL;
    compile.headers = &bad;
    compile.nheaders = 1;
    FAILS("int k;", GPUDL_ERROR_ARGUMENT, "header");
    compile.nheaders = 0;
    compile.flags = 1u << 30;
    FAILS("int k;", GPUDL_ERROR_TOO_NEW, "flags");
    compile.flags = 0;
    compile.format = GPUDL_FORMAT_FATBIN;
    FAILS("int k;", GPUDL_ERROR_ARGUMENT, "gpudl_compile()");
    compile.format = GPUDL_FORMAT_AUTO;
    compile.compiler = "tcc";
    FAILS("int k;", GPUDL_ERROR_NO_COMPILER, "'tcc'");
    compile.compiler = "/nowhere/nvcc";
    FAILS("int k;", GPUDL_ERROR_NO_COMPILER, "No such file");
    FAILS("", GPUDL_ERROR_IMAGE_EMPTY, "0 bytes");
    harness_close(l);
}

/* Looked for nowhere but in places that are not there. */
static void without_a_compiler_it_says_where_it_looked(void **state)
{
    gpudl_loader *l = harness_open();

    (void)state;
    setenv("GPUDL_COMPILER", "/nowhere/nvcc", 1);
    compile.compiler = NULL;
    assert_fails(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &lib), GPUDL_ERROR_NO_COMPILER, "/nowhere/nvcc");
    unsetenv("GPUDL_COMPILER");
    harness_close(l);
}

static void headers_in_memory_are_found(void **state)
{
    static const gpudl_header headers[] = { { "a.h", "int in_memory;\n" }, { "sub/b.h", "int below;\n" } };
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_code *code;

    (void)state;
    compile.headers = headers;
    compile.nheaders = 2;
    compile.target = "compute_75";
    assert_ok(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "#include \"a.h\"\n#include \"sub/b.h\"\n"), &compile, &code));
    assert_ok(gpudl_code_describe(code, &info));
    assert_non_null(strstr(info.bytes, "int in_memory;"));
    assert_non_null(strstr(info.bytes, "int below;"));
    gpudl_code_release(code);
}

static void several_targets_make_a_fatbin(void **state)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_image_info image_info = { .size_of_struct = sizeof(image_info) };
    gpudl_entry_info entry = { .size_of_struct = sizeof(entry) };
    gpudl_image *image;
    gpudl_code *code;
    const void *bytes;
    size_t size;

    (void)state;
    compile.target = "compute_75,compute_90a,compute_100f";
    compile.format = GPUDL_FORMAT_FATBIN;
    assert_ok(gpudl_compile(NULL, GPUDL_TEXT("src/k.cu", "int k;"), &compile, &code));
    assert_ok(gpudl_code_describe(code, &info));
    assert_int_equal(info.format, GPUDL_FORMAT_FATBIN);
    assert_ok(gpudl_image_open(GPUDL_MEMORY(info.bytes, info.nbytes), NULL, &image));
    assert_ok(gpudl_image_describe(image, &image_info));
    assert_string_equal(image_info.format, "fatbin");
    assert_int_equal(image_info.entries, 3);
    assert_int_equal(image_info.damage, GPUDL_OK);
    assert_ok(gpudl_image_entry(image, 1, &entry));
    assert_string_equal(entry.arch, "compute_90a");
    assert_string_equal(entry.identifier, "k.cu");
    assert_ok(gpudl_image_entry(image, 2, &entry));
    assert_string_equal(entry.arch, "compute_100f");
    assert_ok(gpudl_image_code(image, 0, &bytes, &size));
    assert_non_null(strstr(bytes, "// int k;"));
    gpudl_image_close(image);
    gpudl_code_release(code);
    compile.target = "compute_75,nonsense";
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, &code), GPUDL_ERROR_ARGUMENT, "nonsense");
    compile.target = ",";
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, &code), GPUDL_ERROR_ARGUMENT, "'");
}

static int stop_at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static void a_compilation_is_cancelled(void **state)
{
    gpudl_code *code;
    int asked = 0;

    (void)state;
    fake_write("slow", "1000");
    compile.target = "compute_75";
    compile.cancelled = stop_at_once;
    compile.cancelled_user = &asked;
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, &code), GPUDL_ERROR_CANCELLED, "k.cu");
    assert_true(asked > 0);
}

static void what_is_kept_can_be_looked_at_and_removed(void **state)
{
    gpudl_cache_info info = { .size_of_struct = sizeof(info) };
    gpudl_loader *l = harness_open();
    uint64_t removed = 0;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_TEXT("k.cu", "int k;"), &options, &lib));
    gpudl_library_release(lib);
    assert_ok(gpudl_cache_describe(l, &info));
    assert_string_equal(info.folder, fake_path("cache"));
    assert_int_equal(info.entries, 2); /* the code, and what it read */
    assert_int_equal(info.stored, 2);
    assert_ok(gpudl_cache_trim(l, 0, &removed));
    assert_int_equal(removed, 2);
    harness_close(l);
}

static void arguments_are_checked(void **state)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_code *code;

    (void)state;
    compile.target = "compute_75";
    assert_fails(gpudl_compile(NULL, NULL, &compile, &code), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, NULL), GPUDL_ERROR_ARGUMENT, "out");
    compile.nnames = 1;
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, &code), GPUDL_ERROR_ARGUMENT, "count");
    compile.nnames = 0;
    compile.size = 3;
    assert_fails(gpudl_compile(NULL, GPUDL_TEXT("k.cu", "int k;"), &compile, &code), GPUDL_ERROR_ARGUMENT, "size");
    assert_fails(gpudl_code_describe(NULL, &info), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_null(gpudl_code_name(NULL, "k"));
    gpudl_code_release(NULL);
}

static void code_names_the_headers_that_it_may_include(void **state)
{
    gpudl_code *code;

    (void)state;
    fake_write("a.h", "#if 0\n#include \"sub/b.h\"\n#endif\n");
    fake_write("sub/b.h", "int b;");
    compile.target = "compute_75,compute_80";
    compile.format = GPUDL_FORMAT_FATBIN;
    for (int kept = 0; kept < 2; kept++) {
        assert_ok(gpudl_compile(
            NULL, GPUDL_TEXT(fake_path("k.cu"), "#include \"a.h\"\n#include <not_there>\nint k;"), &compile, &code));
        assert_string_equal(gpudl_code_header(code, 0), fake_path("a.h"));
        assert_string_equal(gpudl_code_header(code, 1), fake_path("sub/b.h"));
        assert_null(gpudl_code_header(code, 2));
        assert_null(gpudl_code_header(code, SIZE_MAX));
        gpudl_code_release(code);
    }
    assert_null(gpudl_code_header(NULL, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(a_source_is_compiled_and_loaded),
        TEST(code_names_the_headers_that_it_may_include),
        TEST(a_source_with_the_mark_is_compiled_whatever_its_name),
        TEST(name_expressions_are_found_as_they_were_written),
        TEST(failures_have_a_status_each),
        TEST(without_a_compiler_it_says_where_it_looked),
        TEST(headers_in_memory_are_found),
        TEST(several_targets_make_a_fatbin),
        TEST(a_compilation_is_cancelled),
        TEST(what_is_kept_can_be_looked_at_and_removed),
        TEST(arguments_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
