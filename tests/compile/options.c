/* How options are spelled for each compiler: with stand-ins that write down what they were told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/compile/fake.h"

static const char script[] =
    "#!/bin/sh\n"
    "here=${0%/*}\n"
    "[ \"$1\" = --version ] && echo 'clang version 19.1' && exit 0\n"
    "for word; do echo \"$word\"; done >\"$here/arguments\"\n"
    "while [ $# -gt 0 ]; do\n"
    "    case $1 in -o) echo .version >\"$2\" ;; -MF) echo 'output: ' >\"$2\" ;; esac\n"
    "    shift\n"
    "done\n";

static char arguments[8192];    /* of the last run, a line each, with a newline before the first */

static void make_clang(void)
{
    fake_write("clang", script);
    assert_int_equal(chmod(fake_path("clang"), 0700), 0);
    fake_write("device/gpudl_cuda.h", "");
    setenv("GPUDL_CLANG_INCLUDE", fake_path("device"), 1);
}

static void compile_with(const char *const *options, size_t n)
{
    struct compile_job job = fake_job(NULL, "k.cu", "int k;");
    char *path = strdup(fake_path("clang"));
    struct compile_result r;
    size_t size;
    FILE *f;

    job.compiler = path;
    job.options = options;
    job.noptions = n;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    gpudl__compile_release(&r);
    free(path);
    f = fopen(fake_path("arguments"), "rb");
    assert_non_null(f);
    arguments[0] = '\n';
    size = fread(arguments + 1, 1, sizeof(arguments) - 2, f);
    arguments[1 + size] = '\0';
    fclose(f);
}

static bool was_told(const char *word)
{
    char line[200];

    snprintf(line, sizeof(line), "\n%s\n", word);
    return strstr(arguments, line) != NULL;
}

#define COMPILE(...) compile_with((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void fusing_is_never_plain_fast(void **state)
{
    (void)state;
    make_clang();
    compile_with(NULL, 0);
    assert_true(was_told("-ffp-contract=fast-honor-pragmas"));
    COMPILE("--fmad=true");
    assert_true(was_told("-ffp-contract=fast-honor-pragmas"));
    assert_null(strstr(arguments, "-ffp-contract=fast\n"));
    COMPILE("--use_fast_math");
    assert_true(was_told("-ffp-contract=fast-honor-pragmas"));
    assert_false(was_told("-ffast-math"));
    COMPILE("-fmad", "false");
    assert_true(was_told("-ffp-contract=off"));
    COMPILE("--fmad=false", "--fmad=true");
    assert_false(was_told("-ffp-contract=off"));
}

static void mathematics_are_spelled_for_clang(void **state)
{
    (void)state;
    make_clang();
    compile_with(NULL, 0);
    assert_null(strstr(arguments, "-nvptx-prec"));
    assert_false(was_told("-fgpu-flush-denormals-to-zero"));
    COMPILE("--ftz=true", "--prec-div=false", "--prec-sqrt=false");
    assert_true(was_told("-fgpu-flush-denormals-to-zero") && was_told("-DGPUDL_FTZ"));
    assert_true(was_told("-mllvm\n-nvptx-prec-divf32=1") && was_told("-DGPUDL_SQRT_APPROX"));
    assert_false(was_told("-fgpu-approx-transcendentals"));
    assert_true(!strstr(arguments, "--ftz") && !strstr(arguments, "--prec"));
    COMPILE("-ffp-contract=off");       /* clang's own word has the last word */
    assert_non_null(strstr(strstr(arguments, "fast-honor-pragmas"), "-ffp-contract=off"));
}

static void fast_mathematics_is_all_of_them_unless_one_is_taken_out(void **state)
{
    (void)state;
    make_clang();
    COMPILE("--use_fast_math", "--prec-div=false");
    assert_true(was_told("-fgpu-flush-denormals-to-zero") && was_told("-nvptx-prec-divf32=0") && was_told("-DGPUDL_SQRT_APPROX") &&
        was_told("-fgpu-approx-transcendentals"));
    assert_null(strstr(strstr(arguments, "-nvptx-prec-divf32") + 1, "-nvptx-prec-divf32"));     /* LLVM takes it once */
    COMPILE("--use_fast_math", "--prec-div=true", "--prec-sqrt=true", "--ftz=false");
    assert_false(was_told("-fgpu-flush-denormals-to-zero") || was_told("-nvptx-prec-divf32=0") || was_told("-DGPUDL_SQRT_APPROX"));
    assert_true(was_told("-fgpu-approx-transcendentals"));
}

static void the_others_are_spelled_for_clang(void **state)
{
    (void)state;
    make_clang();
    COMPILE("-I", "a folder", "--system-include=s", "--pre-include=p.h", "-DN=4", "--undefine-macro", "M", "--std=c++20", "-O3", "-Xcompiler", "-Wall",
        "--extended-lambda", "-lineinfo", "-G");
    assert_true(was_told("-Ia folder") && was_told("-isystems") && was_told("-include\np.h") && was_told("-DN=4") && was_told("-UM"));
    assert_true(was_told("-std=c++20") && was_told("-gline-tables-only") && was_told("-g\n-O0"));
    assert_false(was_told("-Xcompiler") || was_told("-Wall") || was_told("--extended-lambda"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_begin, fake_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fusing_is_never_plain_fast),
        TEST(mathematics_are_spelled_for_clang),
        TEST(fast_mathematics_is_all_of_them_unless_one_is_taken_out),
        TEST(the_others_are_spelled_for_clang),
    };

    return cmocka_run_group_tests_name("compile.options", tests, NULL, NULL);
}
