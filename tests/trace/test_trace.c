/* Traces of loaders over the null driver: whether there is one, where it goes, and that it harms nobody. There is one a process, so each test
 * is one, which ends without handlers of exit(3), but for that which is about them. Times are those of events: the null driver has no other. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/loader/common.h"

static char file[] = "/tmp/gpudl-trace-XXXXXX";

/* ------------------------------------------------------------------------------------------------------- a process for each test */

static void in_a_process(void (*body)(void))
{
    int status;
    pid_t child = fork();

    if (!child) {
        const struct CMUnitTest test = { "in a process", (CMUnitTestFunction)(void (*)(void))body, NULL, NULL, NULL };
        nulldrv_reset();
        _exit(_cmocka_run_group_tests("a process", &test, 1, NULL, NULL));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define IN_A_PROCESS(name) \
    static void name##_body(void); \
    static void name(void **state) \
    { \
        (void)state; \
        in_a_process(name##_body); \
    } \
    static void name##_body(void)

static gpudl_loader *open_to(const char *path)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.trace = path;
    return harness_open_with(options);
}

static gpudl_status launch_one(gpudl_loader *l)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *lib = NULL;
    gpudl_kernel *k = NULL;
    gpudl_status status = gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib);

    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "axpy", &k);
    if (status == GPUDL_OK)
        status = gpudl_kernel_launch_params(
            k, &config, (void *[]){ &(int){ 0 }, &(float){ 0 }, &(void *){ NULL }, &(void *){ NULL } });
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static const char *read_whole(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n;

    if (!f)
        return NULL;
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void assert_complete(const char *text)
{
    size_t n;

    assert_non_null(text);
    n = strlen(text);
    assert_true(n > 4 && text[0] == '[' && strcmp(text + n - 3, "\n]\n") == 0);
}

#define LAUNCHES "\"cat\":\"launch\",\"name\":"
#define KERNELS "\"cat\":\"kernel\",\"name\":"

/* ------------------------------------------------------------------------------------------------------------------- where it goes */

IN_A_PROCESS(an_unwritable_file_is_one_warning)
{
    gpudl_loader *l = open_to("/nowhere/trace.json"), *other;

    assert_int_equal(occurrences(harness_log(), "nothing is traced: /nowhere/trace.json cannot be written: No such file"), 1);
    assert_ok(launch_one(l));
    other = open_to("/nowhere/trace.json");
    assert_ok(launch_one(other));
    assert_null(strstr(harness_log(), "nothing is traced"));
    gpudl_loader_close(other);
    harness_close(l);
}

IN_A_PROCESS(the_file_is_complete_after_each_close)
{
    gpudl_loader *l = open_to(file), *other;

    assert_complete(read_whole(file));
    assert_ok(launch_one(l));
    gpudl_loader_close(l);
    assert_int_equal(nulldrv_alive("event"), 0);
    assert_complete(read_whole(file));
    assert_int_equal(occurrences(read_whole(file), LAUNCHES), 1);
    assert_int_equal(occurrences(read_whole(file), KERNELS), 1);
    other = open_to("/tmp/another-which-is-not-made");
    assert_ok(launch_one(other));
    harness_close(other);
    assert_complete(read_whole(file));
    assert_int_equal(occurrences(read_whole(file), LAUNCHES), 2);
    assert_int_equal(access("/tmp/another-which-is-not-made", F_OK), -1);
}

IN_A_PROCESS(the_environment_names_it_and_a_lock_forbids_that)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_trust_options t = GPUDL_TRUST_OPTIONS_INIT;
    char key[GPUDL_PUBLIC_KEY_TEXT], secret[GPUDL_SECRET_KEY_TEXT];
    const char *keys[] = { key };
    gpudl_loader *l;

    assert_ok(gpudl_trust_keygen(NULL, key, secret));
    t.policy = GPUDL_TRUST_SIGNATURE;
    t.locked = 1;
    t.keys = keys, t.nkeys = 1;
    o.trust = &t;
    unlink(file);
    setenv("GPUDL_TRACE", file, 1);
    l = harness_open_with(o);
    assert_int_equal(access(file, F_OK), -1);
    harness_close(l);
    o.trace = file; /* the program may */
    l = harness_open_with(o);
    assert_complete(read_whole(file));
    harness_close(l);
}

IN_A_PROCESS(the_environment_names_it)
{
    gpudl_loader *l;

    unlink(file);
    setenv("GPUDL_TRACE", file, 1);
    l = open_to(NULL);
    assert_ok(launch_one(l));
    harness_close(l);
    assert_complete(read_whole(file));
}

IN_A_PROCESS(a_file_that_another_traces_into_is_left_to_it)
{
    char own[64];
    gpudl_loader *l;
    int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, "another's", 9), 9);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    l = open_to(file);
    assert_ok(launch_one(l));
    harness_close(l);
    assert_string_equal(read_whole(file), "another's");
    snprintf(own, sizeof(own), "%s.%d", file, (int)getpid());
    assert_complete(read_whole(own));
    unlink(own);
    close(fd);
}

/* ------------------------------------------------------------------------------------------------------------- that it harms nobody */

IN_A_PROCESS(a_refused_launch_is_recorded_as_that)
{
    gpudl_loader *l = open_to(file);

    nulldrv_fail("cuLaunchKernel", 1, GPUDL_CU_LAUNCH_OUT_OF_RESOURCES);
    assert_fails(launch_one(l), GPUDL_ERROR_LAUNCH, "cuLaunchKernel");
    assert_int_equal(gpudl_error_cuda(), GPUDL_CU_LAUNCH_OUT_OF_RESOURCES);
    harness_close(l);
    assert_non_null(strstr(read_whole(file), "\"failed\":true"));
    assert_int_equal(occurrences(read_whole(file), KERNELS), 0);
    assert_int_equal(occurrences(read_whole(file), "\"ph\":\"s\""), 0);
}

IN_A_PROCESS(nothing_is_recorded_into_a_capture)
{
    gpudl_loader *l = open_to(file);
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    void *params[] = { &(int){ 0 }, &(float){ 0 }, &(void *){ NULL }, &(void *){ NULL } };
    const gpudl_driver_table *cu = gpudl_loader_driver(l);
    gpudl_library *lib;
    gpudl_kernel *k;

    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING), 0);
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_launch_params(k, &config, params));
    assert_int_equal(nulldrv_calls("cuEventRecord"), 3); /* a base, and two */
    nulldrv_capture(config.stream);
    assert_ok(gpudl_kernel_launch_params(k, &config, params));
    assert_int_equal(nulldrv_calls("cuEventRecord"), 3);
    nulldrv_capture(NULL);
    nulldrv_destroy_graph();
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    cu->StreamDestroy(config.stream);
    cu->CtxSetCurrent(NULL);
    harness_close(l);
    assert_int_equal(occurrences(read_whole(file), LAUNCHES), 2);
    assert_int_equal(occurrences(read_whole(file), KERNELS), 1);
}

/* Events that are never done are not waited for: beyond so many launches go without. */
IN_A_PROCESS(a_device_that_never_ends_is_not_waited_for)
{
    gpudl_loader *l = open_to(file);
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    void *params[] = { &(int){ 0 }, &(float){ 0 }, &(void *){ NULL }, &(void *){ NULL } };
    gpudl_library *lib;
    gpudl_kernel *k;

    assert_ok(gpudl_loader_use_device(l, 0));
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(gpudl_kernel_launch_params(k, &config, params)); /* the context's clock is known from here on */
    nulldrv_set_busy(1);
    for (int i = 0; i < 5000; i++)
        assert_ok(gpudl_kernel_launch_params(k, &config, params));
    assert_true(nulldrv_alive("event") <= 2 * 4096 + 1);
    nulldrv_set_busy(0);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_loader_driver(l)->CtxSetCurrent(NULL);
    harness_close(l);
}

IN_A_PROCESS(wrapped_functions_are_there_where_the_drivers_are)
{
    gpudl_loader *plain = harness_open(), *l = open_to(file);
    const gpudl_driver_table *before = gpudl_loader_driver(plain), *cu = gpudl_loader_driver(l);
    CUdeviceptr d;
    int n = 7;

    assert_ptr_not_equal(before->MemcpyHtoD, cu->MemcpyHtoD);
    assert_true(!before->MemcpyHtoDAsync == !cu->MemcpyHtoDAsync && !before->MemsetD16 == !cu->MemsetD16);
    assert_ptr_equal(before->LaunchKernel, cu->LaunchKernel);
    assert_ok(gpudl_loader_use_device(l, 0));
    assert_int_equal(cu->MemAlloc(&d, 4), 0);
    assert_int_equal(cu->MemcpyHtoD(d, &n, 4), 0);
    assert_int_equal(*(int *)(uintptr_t)d, 7);
    nulldrv_fail("cuMemcpyDtoH", 1, GPUDL_CU_ILLEGAL_ADDRESS);
    assert_int_equal(cu->MemcpyDtoH(&n, d, 4), GPUDL_CU_ILLEGAL_ADDRESS);
    cu->MemFree(d);
    cu->CtxSetCurrent(NULL);
    gpudl_loader_close(plain);
    harness_close(l);
    assert_int_equal(occurrences(read_whole(file), "\"cat\":\"copy\""), 1);
}

/* Its events are gone with it, and those of the one that follows under the same name are made anew. */
IN_A_PROCESS(a_context_that_was_reset_is_timed_again)
{
    gpudl_loader *l = open_to(file);

    assert_ok(launch_one(l));
    nulldrv_fail("cuEventRecord", 1, GPUDL_CU_INVALID_HANDLE);
    assert_ok(launch_one(l));
    assert_ok(launch_one(l));
    harness_close(l);
    assert_int_equal(occurrences(read_whole(file), LAUNCHES), 3);
    assert_int_equal(occurrences(read_whole(file), KERNELS), 2);
}

/* What a trace asks the driver for may fail, and then it knows less. */
static gpudl_status traced(gpudl_loader *l, void *user)
{
    (void)user;
    return launch_one(l);
}

IN_A_PROCESS(failures_of_its_own_calls_are_nobody_elses)
{
    static const char *const may_fail[] = { "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventElapsedTime",
        "cuEventDestroy", "cuStreamCreate", "cuStreamDestroy", "cuCtxGetCurrent", "cuKernelGetAttribute", "cuStreamIsCapturing",
        NULL };

    setenv("GPUDL_TRACE", file, 1);
    harness_fail_driver_calls_but(may_fail, GPUDL_CU_UNKNOWN, traced, NULL);
    assert_complete(read_whole(file));
}

IN_A_PROCESS(lack_of_memory_is_survived)
{
    setenv("GPUDL_TRACE", file, 1);
    harness_fail_allocations(traced, NULL);
    assert_complete(read_whole(file));
}

/* --------------------------------------------------------------------------------------------------------- an attached profiler */

IN_A_PROCESS(an_attached_profiler_is_told_ranges_without_a_trace)
{
    gpudl_loader *l;

    setenv("NVTX_INJECTION64_PATH", INJECTION, 1);
    setenv("INJECTION_LOG", file, 1);
    l = harness_open();
    assert_ok(launch_one(l));
    harness_close(l);
    assert_string_equal(read_whole(file), "domain gpudl\ngood push load memory\ngood pop\ngood push unload memory\ngood pop\n");
}

/* No device, so CUPTI is not to be had here, whether it is installed or not. */
IN_A_PROCESS(times_that_are_not_to_be_had_are_told_of)
{
    gpudl_loader *l;

    setenv("GPUDL_TRACE_TIMES", "cupti", 1);
    l = open_to(file);
    assert_non_null(strstr(harness_log(), "upti"));
    assert_non_null(strstr(harness_log(), "GPUDL_TRACE_TIMES is cupti, softcuda, events or none"));
    assert_ok(launch_one(l));
    harness_close(l);
    assert_complete(read_whole(file));
    assert_int_equal(occurrences(read_whole(file), LAUNCHES), 1);
    assert_int_equal(occurrences(read_whole(file), KERNELS), 0);
}

IN_A_PROCESS(a_profiler_that_is_not_there_is_no_failure)
{
    gpudl_loader *l;

    setenv("NVTX_INJECTION64_PATH", "/nowhere/injection.so", 1);
    l = harness_open();
    assert_ok(launch_one(l));
    harness_close(l);
}

/* ---------------------------------------------------------------------------------------------------------------------- statistics */

static void statistics_as_json_are_the_statistics(void **state)
{
    gpudl_loader *l = harness_open();
    char text[1024], less[20];
    size_t n;

    (void)state;
    assert_ok(launch_one(l));
    assert_ok(launch_one(l));
    n = gpudl_loader_stats_json(l, text, sizeof(text));
    assert_int_equal(n, strlen(text));
    assert_non_null(strstr(text, "{\"loads\":1,\"shared\":0,\"warm_hits\":1,\"unloads\":0,"));
    assert_non_null(strstr(text, "\"held\":0,\"warm\":1,\"retired\":0,"));
    assert_non_null(strstr(text, "\"cache\":{\"hits\":0,\"misses\":0,\"stored\":0,\"healed\":0,\"evicted\":0,\"failed\":0}}"));
    assert_int_equal(gpudl_loader_stats_json(l, less, sizeof(less)), n);
    assert_memory_equal(less, text, sizeof(less) - 1);
    assert_int_equal(less[sizeof(less) - 1], 0);
    assert_int_equal(gpudl_loader_stats_json(l, NULL, 0), n);
    harness_close(l);
    assert_int_equal(gpudl_loader_stats_json(l, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

static int make_file(void **state)
{
    int fd = mkstemp(file);

    (void)state;
    unsetenv("GPUDL_TRACE");
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(file);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
    const struct CMUnitTest tests[] = {
        TEST(an_unwritable_file_is_one_warning),
        TEST(the_file_is_complete_after_each_close),
        TEST(the_environment_names_it_and_a_lock_forbids_that),
        TEST(the_environment_names_it),
        TEST(a_file_that_another_traces_into_is_left_to_it),
        TEST(a_refused_launch_is_recorded_as_that),
        TEST(nothing_is_recorded_into_a_capture),
        TEST(a_device_that_never_ends_is_not_waited_for),
        TEST(wrapped_functions_are_there_where_the_drivers_are),
        TEST(a_context_that_was_reset_is_timed_again),
        TEST(failures_of_its_own_calls_are_nobody_elses),
        TEST(lack_of_memory_is_survived),
        TEST(an_attached_profiler_is_told_ranges_without_a_trace),
        TEST(times_that_are_not_to_be_had_are_told_of),
        TEST(a_profiler_that_is_not_there_is_no_failure),
        TEST(statistics_as_json_are_the_statistics),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
