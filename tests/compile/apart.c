/* NVRTC in a process of its own: what is not there, breaks, hangs or says something else is an error of the compilation; what works makes what
 * NVRTC makes in this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/compile/fake.h"

static char real[4096];         /* gpudl-nvrtc */

static bool at_once(void *user)
{
    (void)user;
    return access(fake_path("begun"), F_OK) == 0;
}

/* With a stand-in for gpudl-nvrtc, and a file that is called like NVRTC. */
static enum compile_error compile_by(const char *script, bool (*cancelled)(void *))
{
    struct compile_job job = fake_job(NULL, "k.cu", "int k;");
    char text[400], *library = strdup(fake_path("libnvrtc.so.13"));
    struct compile_result r;
    enum compile_error error;

    fake_write("libnvrtc.so.13", "");
    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    fake_write("program", text);
    assert_int_equal(chmod(fake_path("program"), 0700), 0);
    setenv("GPUDL_NVRTC_PROGRAM", fake_path("program"), 1);
    job.compiler = library;
    job.flags = COMPILE_PROCESS;
    job.cancelled = cancelled;
    error = fake_compile(&job, &r);
    free(library);
    return error;
}

static void a_crash_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(compile_by("kill -SEGV $$", NULL), COMPILE_BROKEN);
    assert_non_null(strstr(fake_text, "signal 11"));
}

static void one_that_is_cancelled_ends(void **state)
{
    char script[300];

    (void)state;
    snprintf(script, sizeof(script), "echo >%s; exec sleep 1000", fake_path("begun"));
    assert_int_equal(compile_by(script, at_once), COMPILE_CANCELLED);
}

static void another_versions_answer_is_refused(void **state)
{
    (void)state;
    assert_int_equal(compile_by("printf 'gpudl-nvrtc 0\\0000\\000' >$2", NULL), COMPILE_BROKEN);
    assert_non_null(strstr(fake_text, "another version"));
    assert_int_equal(compile_by("printf 'gpudl-nvrtc 1\\0000\\000\\000\\000\\00099\\000' >$2", NULL), COMPILE_BROKEN);
    assert_int_equal(compile_by("exit 2", NULL), COMPILE_BROKEN);
}

static void without_the_program_it_is_said_where_it_was_looked_for(void **state)
{
    struct compile_job job = fake_job(NULL, "k.cu", "int k;");
    char *library = strdup(fake_path("libnvrtc.so.13"));
    struct compile_result r;

    (void)state;
    fake_write("libnvrtc.so.13", "");
    job.compiler = library;
    setenv("GPUDL_NVRTC_PROGRAM", "/nowhere/program", 1);
    setenv("GPUDL_COMPILE_PROCESS", "1", 1);
    assert_int_equal(fake_compile(&job, &r), COMPILE_NO_COMPILER);
    unsetenv("GPUDL_COMPILE_PROCESS");
    assert_non_null(strstr(fake_text, "looked for /nowhere/program"));
    free(library);
}

/* The rest needs an NVRTC. */
static bool has_nvrtc(void)
{
    struct compile_job job = fake_job(NULL, "k.cu", "__global__ void k() {}");
    struct compile_result r;

    setenv("GPUDL_NVRTC_PROGRAM", real, 1);
    job.compiler = "nvrtc";
    if (fake_compile(&job, &r) != COMPILE_OK)
        return false;
    gpudl__compile_release(&r);
    return true;
}

static void it_makes_the_same(void **state)
{
    static const char text[] =
        "#include \"n.h\"\ntemplate <typename T> __global__ void fill(T *p) { int unused = 1; p[threadIdx.x] = T(N * FACTOR); }\n";
    static const struct compile_header header = { "n.h", { (const unsigned char *)"#define N 3\n", 12 } };
    static const char *const names[] = { "fill<float>", "fill<int>" }, *const options[] = { "-D", "FACTOR=2" };
    struct compile_job job = fake_job(NULL, "a name.cu", text);
    struct compile_result here, there;

    (void)state;
    if (!has_nvrtc())
        skip();
    job.compiler = "nvrtc";
    job.headers = &header;
    job.nheaders = 1;
    job.names = names;
    job.nnames = 2;
    job.options = options;
    job.noptions = 2;
    assert_int_equal(fake_compile(&job, &here), COMPILE_OK);
    job.flags = COMPILE_PROCESS;
    if (fake_compile(&job, &there) != COMPILE_OK)
        fail_msg("%s", fake_text);
    assert_int_equal(here.bytes.size, there.bytes.size);
    assert_memory_equal(here.bytes.data, there.bytes.data, here.bytes.size);
    assert_int_equal(here.lowered.size, there.lowered.size);
    assert_memory_equal(here.lowered.data, there.lowered.data, here.lowered.size);
    assert_string_equal(here.compiler, there.compiler);
    assert_string_equal(here.log, there.log);
    assert_non_null(strstr(there.log, "unused"));
    gpudl__compile_release(&here);
    gpudl__compile_release(&there);
}

static void it_fails_with_the_same_words(void **state)
{
    static const char *const texts[] = { "int x = ;\n", "#include \"missing.h\"\n" };
    char here[sizeof(fake_text)];
    struct compile_result r;

    (void)state;
    if (!has_nvrtc())
        skip();
    for (size_t i = 0; i < 2; i++) {
        struct compile_job job = fake_job(NULL, "k.cu", texts[i]);
        enum compile_error error;

        job.compiler = "nvrtc";
        error = fake_compile(&job, &r);
        memcpy(here, fake_text, sizeof(here));
        assert_int_not_equal(error, COMPILE_OK);
        job.flags = COMPILE_PROCESS;
        assert_int_equal(fake_compile(&job, &r), error);
        assert_string_equal(here, fake_text);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_begin, fake_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_crash_is_an_error),
        TEST(one_that_is_cancelled_ends),
        TEST(another_versions_answer_is_refused),
        TEST(without_the_program_it_is_said_where_it_was_looked_for),
        TEST(it_makes_the_same),
        TEST(it_fails_with_the_same_words),
    };
    const char *given = getenv("GPUDL_NVRTC_PROGRAM");

    snprintf(real, sizeof(real), "%s", given ? given : "");
    return cmocka_run_group_tests_name("compile.apart", tests, NULL, NULL);
}
