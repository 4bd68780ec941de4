/* Which driver is opened, and what is said when none can be. Every case runs in a process of its own, since drivers read
 * their settings from the environment, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "src/driver/driver.h"

static const char *null_driver;

struct result {
    gpudl_status status;
    int cuda;
    bool software, fallback;
    unsigned sm;
    char text[DRIVER_TEXT_SIZE], missing[2048];
};

static void put(const char *assignment)
{
    char *copy = strdup(assignment);
    char *equal = strchr(copy, '=');

    *equal = '\0';
    setenv(copy, equal + 1, 1);
    free(copy);
}

/* Opens in a child that has these settings in its environment, a NULL behind the last. */
static struct result open_in_child(const char *wanted, const char *const *environment)
{
    struct result r = { 0 };
    struct driver d;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("GPUDL_DRIVER");
        for (; *environment; environment++)
            put(*environment);
        r.status = gpudl__driver_open(wanted, true, &d, &r.cuda, r.text);
        r.software = d.software;
        r.fallback = d.fallback;
        r.sm = d.sm;
        memcpy(r.missing, d.missing, sizeof(r.missing));
        _exit(write(ends[1], &r, sizeof(r)) != sizeof(r));
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &r, sizeof(r)), sizeof(r));
    close(ends[0]);
    waitpid(child, NULL, 0);
    return r;
}

#define OPEN(wanted, ...) open_in_child(wanted, (const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static void assert_text(const struct result *r, const char *words)
{
    if (!strstr(r->text, words))
        fail_msg("no '%s' in: %s", words, r->text);
}

static void a_path_opens_that_library(void **state)
{
    struct result r = OPEN(null_driver);

    (void)state;
    assert_int_equal(r.status, GPUDL_OK);
    assert_int_equal(r.sm, 90);
    assert_false(r.software);
    r = OPEN("/nowhere/libcuda.so.1");
    assert_int_equal(r.status, GPUDL_ERROR_NO_DRIVER);
    assert_text(&r, "/nowhere/libcuda.so.1");
    r = OPEN("/proc/version");
    assert_int_equal(r.status, GPUDL_ERROR_NO_DRIVER);
    r = OPEN("libc.so.6");
    assert_int_equal(r.status, GPUDL_ERROR_DRIVER_TOO_OLD);
    assert_text(&r, "cuGetProcAddress");
}

static void the_environment_decides_when_the_caller_does_not(void **state)
{
    char setting[4200];
    struct result r;

    (void)state;
    snprintf(setting, sizeof(setting), "GPUDL_DRIVER=%s", null_driver);
    r = OPEN(NULL, setting);
    assert_int_equal(r.status, GPUDL_OK);
    r = OPEN("auto", setting);
    assert_int_equal(r.status, GPUDL_OK);
    r = OPEN("/nowhere/driver", setting);
    assert_int_equal(r.status, GPUDL_ERROR_NO_DRIVER);
    r = OPEN(NULL, "GPUDL_DRIVER=/nowhere/other");
    assert_text(&r, "/nowhere/other");
}

static void a_software_device_is_known_by_its_name(void **state)
{
    struct result r = OPEN(null_driver, "NULLDRV_NAME=softcuda, 2 CPU threads", "NULLDRV_SM=75");

    (void)state;
    assert_int_equal(r.status, GPUDL_OK);
    assert_true(r.software);
    assert_false(r.fallback);
    assert_int_equal(r.sm, 75);
}

static void a_driver_that_cannot_start_says_why(void **state)
{
    static const struct {
        const char *fail;
        gpudl_status status;
        int cuda;
        const char *words;
    } table[] = {
        { "NULLDRV_DEVICES=0", GPUDL_ERROR_NO_DEVICE, 100, "CUDA_VISIBLE_DEVICES" },
        { "NULLDRV_FAIL=cuInit:1:34", GPUDL_ERROR_DRIVER, 34, "stub" },
        { "NULLDRV_FAIL=cuInit:1:802", GPUDL_ERROR_DRIVER, 802, "fabric manager" },
        { "NULLDRV_FAIL=cuInit:1:803", GPUDL_ERROR_DRIVER, 803, "different versions" },
        { "NULLDRV_FAIL=cuInit:1:804", GPUDL_ERROR_DRIVER, 804, "compatibility" },
        { "NULLDRV_FAIL=cuInit:1:999", GPUDL_ERROR_DRIVER, 999, "CUDA_ERROR_UNKNOWN" },
        { "NULLDRV_FAIL=cuDeviceGetCount:1:999", GPUDL_ERROR_DRIVER, 999, "cuDeviceGetCount" },
        { "NULLDRV_FAIL=cuDeviceGetAttribute:2:1", GPUDL_ERROR_DRIVER, 1, "cuDeviceGetAttribute" },
        { "NULLDRV_FAIL=cuDriverGetVersion:1:3", GPUDL_ERROR_DRIVER, 0, "cuDriverGetVersion" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct result r = OPEN(null_driver, table[i].fail);
        assert_int_equal(r.status, table[i].status);
        assert_int_equal(r.cuda, table[i].cuda);
        assert_text(&r, table[i].words);
        assert_text(&r, "libnulldrv.so");
    }
}

static void an_old_driver_is_told_with_what_it_lacks(void **state)
{
    struct result r = OPEN(null_driver, "NULLDRV_VERSION=11080");

    (void)state;
    assert_int_equal(r.status, GPUDL_ERROR_DRIVER_TOO_OLD);
    assert_text(&r, "cuLibraryLoadData (CUDA 12.0)");
    assert_text(&r, "CUDA 11.8");
    r = OPEN(null_driver, "NULLDRV_VERSION=12000");
    assert_int_equal(r.status, GPUDL_OK);
    assert_non_null(strstr(r.missing, "cuLibraryGetKernelCount (without it: no counting kernels)"));
}

static void auto_says_of_both_why_not(void **state)
{
    struct result r;

    (void)state;
    if (dlopen("libcuda.so.1", RTLD_LAZY) || dlopen("libsoftcuda.so", RTLD_LAZY))
        skip();
    r = OPEN(NULL);
    if (r.status == GPUDL_OK)
        skip(); /* softcuda is beside this test */
    assert_int_equal(r.status, GPUDL_ERROR_NO_DRIVER);
    assert_text(&r, "no NVIDIA driver");
    assert_text(&r, "libcuda.so.1");
    assert_text(&r, "no softcuda");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_opens_that_library),
        cmocka_unit_test(the_environment_decides_when_the_caller_does_not),
        cmocka_unit_test(a_software_device_is_known_by_its_name),
        cmocka_unit_test(a_driver_that_cannot_start_says_why),
        cmocka_unit_test(an_old_driver_is_told_with_what_it_lacks),
        cmocka_unit_test(auto_says_of_both_why_not),
    };
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);

    if (n < 0)
        return 1;
    path[n] = '\0';
    strcpy(strrchr(path, '/'), "/../lib/libnulldrv.so");
    null_driver = path;
    return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
