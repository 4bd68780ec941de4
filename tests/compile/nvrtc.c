/* NVRTC, where there is one: what is expected of it, among that where it looks for headers. Exits with 77 without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "tests/compile/fake.h"

static const char scale[] = "template <typename T, int N> __global__ void scale(T *x) { x[threadIdx.x] *= N; }\n"
                            "__constant__ float table[4];\n"
                            "extern \"C\" __global__ void plain(int *p) { *p = 1; }\n";

static struct compile_job job_of(struct cache *c, const char *name, const char *text)
{
    struct compile_job job = fake_job(c, name, text);

    job.compiler = "nvrtc";
    return job;
}

static bool is_there(void)
{
    struct compiler c;
    struct text none = { NULL, 0, 0, false };

    return gpudl__compiler_find("nvrtc", COMPILE_PTX, 0, &c, &none) == COMPILE_OK;
}

static void every_format_is_made(void **state)
{
    static const unsigned char magic[][4] = { { 0x7f, 'E', 'L', 'F' }, { 0xed, 0x43, 0x4e, 0x7f } };
    struct compile_job job = job_of(NULL, "k.cu", scale);
    struct compile_result r;

    (void)state;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    assert_non_null(strstr((const char *)r.bytes.data, ".target sm_75"));
    assert_int_equal(r.bytes.size, strlen((const char *)r.bytes.data));
    assert_int_equal(strncmp(r.compiler, "NVRTC ", 6), 0);
    gpudl__compile_release(&r);
    job.target.format = COMPILE_CUBIN;
    job.target.sm = 90;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    assert_memory_equal(r.bytes.data, magic[0], 4);
    gpudl__compile_release(&r);
    job.target.format = COMPILE_LTOIR;
    if (fake_compile(&job, &r) == COMPILE_OK) { /* since 12.0 */
        assert_memory_equal(r.bytes.data, magic[1], 4);
        gpudl__compile_release(&r);
    }
}

static void name_expressions_are_lowered(void **state)
{
    static const char *const names[] = { "scale<float, 2 + 2>", "plain", "&table" };
    struct compile_job job = job_of(NULL, "k.cu", scale);
    struct compile_result r;

    (void)state;
    job.names = names;
    job.nnames = 3;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    assert_string_equal(gpudl__compile_lowered(r.lowered, names[0]), "_Z5scaleIfLi4EEvPT_");
    assert_string_equal(gpudl__compile_lowered(r.lowered, "plain"), "plain");
    assert_string_equal(gpudl__compile_lowered(r.lowered, "&table"), "table");
    gpudl__compile_release(&r);
}

static void failures_are_told_apart(void **state)
{
    static const char *const option[] = { "--no-such-option" }, *const std[] = { "--std=c++99" },
                             *const names[] = { "nothing<int>" };
    struct compile_job job = job_of(NULL, "k.cu", "int x = ;");
    struct compile_result r;

    (void)state;
    assert_int_equal(fake_compile(&job, &r), COMPILE_SOURCE);
    assert_non_null(strstr(fake_text, "k.cu(1): error:"));
    job = job_of(NULL, "dir/k.cu", "#include <none.h>\n");
    assert_int_equal(fake_compile(&job, &r), COMPILE_HEADER);
    assert_non_null(strstr(fake_text, "'none.h': tried "));
    job = job_of(NULL, "k.cu", scale);
    job.options = option;
    job.noptions = 1;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OPTION);
    assert_non_null(strstr(fake_text, "--no-such-option"));
    job.options = std;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OPTION);
    job.noptions = 0;
    job.names = names;
    job.nnames = 1;
    assert_int_equal(fake_compile(&job, &r), COMPILE_SOURCE);
    assert_non_null(strstr(fake_text, "nothing"));
    job.nnames = 0;
    job.target.sm = 999;
    assert_int_equal(fake_compile(&job, &r), COMPILE_TARGET);
    job.target.exact = false;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK); /* PTX of what it knows */
    assert_int_equal(r.target.format, COMPILE_PTX);
    assert_true(r.target.sm >= 75 && r.target.sm <= 120);
    gpudl__compile_release(&r);
}

/* Compiles a source that includes a.h, with in_memory among the headers if it is not NULL; returns which a.h was read. */
static char which(const char *name, const char *text, const char *in_memory)
{
    const struct compile_header header = { "a.h", { (const unsigned char *)in_memory, in_memory ? strlen(in_memory) : 0 } };
    const char *options[] = { "-I", strdup(fake_path("one")), "-I", strdup(fake_path("two")) };
    struct compile_job job = job_of(NULL, name, text);
    struct compile_result r;
    const char *at;
    char found = 0;

    job.options = options;
    job.noptions = 4;
    job.headers = &header;
    job.nheaders = in_memory != NULL;
    if (fake_compile(&job, &r) == COMPILE_OK) {
        at = strstr((const char *)r.bytes.data, "from_");
        found = at ? at[5] : 0;
        gpudl__compile_release(&r);
    }
    free((char *)(uintptr_t)options[1]);
    free((char *)(uintptr_t)options[3]);
    return found;
}

/* scan.c goes by this order. */
static void headers_are_looked_for_where_the_scan_looks(void **state)
{
    static const char quoted[] = "#include \"a.h\"\n", angled[] = "#include <a.h>\n", next[] = "#include <b.h>\n";
    char *name;

    (void)state;
    name = strdup(fake_path("src/k.cu"));
    fake_write("src/k.cu", "");
    fake_write("one/none", "");
    assert_int_equal(which(name, quoted, NULL), 0);
    fake_write("two/a.h", "extern \"C\" __device__ int from_2 = 1;");
    assert_int_equal(which(name, quoted, NULL), '2');
    assert_int_equal(which(name, angled, NULL), '2');
    fake_write("one/a.h", "extern \"C\" __device__ int from_1 = 1;");
    assert_int_equal(which(name, quoted, NULL), '1');
    assert_int_equal(which(name, angled, NULL), '1');
    fake_write("src/a.h", "extern \"C\" __device__ int from_s = 1;");
    assert_int_equal(which(name, quoted, NULL), 's');
    assert_int_equal(which(name, angled, NULL), '1');
    assert_int_equal(which(name, quoted, "extern \"C\" __device__ int from_m = 1;"), 'm');
    assert_int_equal(which(name, angled, "extern \"C\" __device__ int from_m = 1;"), 'm');
    fake_write("two/b.h", "#include \"a.h\"\n"); /* beside it */
    assert_int_equal(which(name, next, NULL), '2');
    free(name);
}

static void what_was_compiled_is_kept(void **state)
{
    static const char *const texts[] = { "#include \"a.h\"\n", "#define NAME \"a.h\"\n#include NAME\n" };
    struct cache *c = fake_cache(NULL);
    char *name = strdup(fake_path("src/k.cu"));
    struct compile_job job;
    bool kept;

    (void)state;
    for (int i = 0; i < 2; i++) {
        fake_write("src/a.h", "extern \"C\" __device__ int first = 1;");
        job = job_of(c, name, texts[i]);
        assert_true(fake_makes(&job, "first", &kept));
        assert_true(fake_makes(&job, "first", &kept));
        assert_true(kept);
        fake_write("src/a.h", "extern \"C\" __device__ int second = 1;");
        assert_true(fake_makes(&job, "second", &kept));
        assert_false(kept);
    }
    gpudl__cache_close(c);
    free(name);
}

static bool at_once(void *user)
{
    ++*(unsigned *)user;
    return true;
}

static void a_compilation_is_cancelled(void **state)
{
    struct compile_job job = job_of(NULL, "k.cu", scale);
    struct compile_result r;
    unsigned asked = 0;
    enum compile_error error;

    (void)state;
    job.cancelled = at_once;
    job.user = &asked;
    error = fake_compile(&job, &r);
    if (error == COMPILE_OK) /* an NVRTC that cannot be told */
        gpudl__compile_release(&r);
    else
        assert_int_equal(error, COMPILE_CANCELLED);
}

static void warnings_are_in_the_log(void **state)
{
    struct compile_job job = job_of(NULL, "k.cu", "#warning take care\n");
    struct compile_result r;

    (void)state;
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    assert_non_null(strstr(r.log, "take care"));
    gpudl__compile_release(&r);
}

/* With what is taken over from the command lines of nvcc and clang. */
static void spellings_of_other_compilers_are_taken(void **state)
{
    static const char *const options[] = { "-std=c++17", "-O3", "-Xcompiler", "-Wall", "-g", "--expt-relaxed-constexpr", "-D",
        "N=3", "-DM=4", "--use_fast_math", "-lineinfo", "-rdc=false", "-isystem", "/nowhere", "-arch", "sm_90",
        "--extended-lambda", "-w" };
    struct compile_job job = job_of(NULL, "k.cu", "extern \"C\" __global__ void k(int *p) { *p = N + M; }");

    (void)state;
    job.options = options;
    job.noptions = sizeof(options) / sizeof(*options);
    assert_true(fake_makes(&job, "k", NULL));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(every_format_is_made),
        TEST(name_expressions_are_lowered),
        TEST(failures_are_told_apart),
        TEST(headers_are_looked_for_where_the_scan_looks),
        TEST(what_was_compiled_is_kept),
        TEST(a_compilation_is_cancelled),
        TEST(warnings_are_in_the_log),
        TEST(spellings_of_other_compilers_are_taken),
    };

    if (!is_there())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
