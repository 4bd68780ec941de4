#include "tests/harness/harness.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
/* Visible, or the linker complains of shared libraries that call the wrapped ones. */
#define VISIBLE __attribute__((visibility("default")))
VISIBLE void *__wrap_malloc(size_t bytes);
VISIBLE void *__wrap_calloc(size_t n, size_t bytes);
VISIBLE void *__wrap_realloc(void *block, size_t bytes);

static atomic_long until_failure; /* allocations; 0: none fails */
static atomic_bool failed_ours;   /* the one that failed was asked of the loader's allocator */
static atomic_long live;
static _Atomic size_t largest;
static char messages[1 << 16];

/* -------------------------------------------------------------------------------------------------------------- allocations */

static bool fails_now(void)
{
    return atomic_load(&until_failure) > 0 && atomic_fetch_sub(&until_failure, 1) == 1;
}

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return fails_now() ? NULL : __real_realloc(block, bytes);
}

static void note_size(size_t bytes)
{
    size_t known = atomic_load(&largest);

    while (bytes > known && !atomic_compare_exchange_weak(&largest, &known, bytes))
        ;
}

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (fails_now()) {
        atomic_store(&failed_ours, true);
        return NULL;
    }
    atomic_fetch_add(&live, 1);
    note_size(bytes);
    return __real_malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    atomic_fetch_sub(&live, 1);
    free(block);
}

long harness_live_blocks(void)
{
    return atomic_load(&live);
}

size_t harness_largest_block(void)
{
    return atomic_exchange(&largest, 0);
}

/* ------------------------------------------------------------------------------------------------------------------ loaders */

const char *harness_null_driver(void)
{
    Dl_info info;

    assert_true(dladdr((void *)nulldrv_reset, &info));
    return info.dli_fname;
}

static void keep_message(void *user, gpudl_log_level level, const char *text)
{
    size_t used = strlen(messages);

    (void)user;
    if (level <= GPUDL_LOG_WARNING)
        snprintf(messages + used, sizeof(messages) - used, "%s\n", text);
}

const char *harness_log(void)
{
    return messages;
}

static gpudl_status open_loader(gpudl_loader_options options, gpudl_loader **out)
{
    messages[0] = '\0';
    if (!options.driver)
        options.driver = harness_null_driver();
    options.log = keep_message;
    options.allocate = allocate;
    options.release = release;
    return gpudl_loader_open(&options, out);
}

gpudl_loader *harness_open_with(gpudl_loader_options options)
{
    gpudl_loader *l = NULL;

    if (open_loader(options, &l) != GPUDL_OK)
        fail_msg("%s", gpudl_error_text());
    return l;
}

gpudl_loader *harness_open(void)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    return harness_open_with(options);
}

gpudl_loader *harness_open_keeping_nothing(void)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.warm_count = options.retired_count = GPUDL_NONE_AT_ALL;
    return harness_open_with(options);
}

static void assert_no_misuse(void)
{
    const char *text;

    if (nulldrv_misuses(&text))
        fail_msg("the driver was misused: %s", text);
}

void harness_close(gpudl_loader *l)
{
    gpudl_loader_close(l);
    assert_int_equal(harness_live_blocks(), 0);
    assert_int_equal(nulldrv_alive("library"), 0);
    assert_int_equal(nulldrv_alive("context"), 0);
    assert_int_equal(nulldrv_alive("link"), 0);
    assert_no_misuse();
}

/* ------------------------------------------------------------------------------------------------------------------ failing */

struct alive {
    long libraries, contexts, pushed;
};

static struct alive count_alive(void)
{
    return (struct alive){ nulldrv_alive("library"), nulldrv_alive("context"), nulldrv_alive("pushed") };
}

static void assert_failed_well(gpudl_status status, long n, const char *what)
{
    if (status == GPUDL_OK)
        fail_msg("failure %ld, of %s, was not reported", n, what);
    assert_true(strlen(gpudl_error_text()) > 0);
    assert_string_not_equal(gpudl_status_name(status), "GPUDL_ERROR_UNKNOWN");
}

/* Opens, runs, and leaves the loader open for another run; NULL where opening failed. */
static gpudl_status attempt(harness_scenario *scenario, void *user, gpudl_loader **l)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_status status;

    *l = NULL;
    status = open_loader(options, l);
    return status == GPUDL_OK ? scenario(*l, user) : status;
}

static void assert_still_usable(gpudl_loader *l, harness_scenario *scenario, void *user)
{
    if (l && scenario(l, user) != GPUDL_OK)
        fail_msg("the loader does not work any more: %s", gpudl_error_text());
    gpudl_loader_close(l);
    assert_int_equal(harness_live_blocks(), 0);
    assert_no_misuse();
}

void harness_fail_allocations(harness_scenario *scenario, void *user)
{
    struct alive before = count_alive(), after;
    gpudl_status status;
    gpudl_loader *l;
    bool failed;

    for (long n = 1;; n++) {
        atomic_store(&failed_ours, false);
        atomic_store(&until_failure, n);
        status = attempt(scenario, user, &l);
        failed = atomic_exchange(&until_failure, 0) <= 0;
        if (failed_ours || status != GPUDL_OK) /* readers of images may do without some of theirs */
            assert_failed_well(status, n, "an allocation");
        assert_true(failed || status == GPUDL_OK);
        assert_still_usable(l, scenario, user);
        after = count_alive();
        assert_memory_equal(&before, &after, sizeof(before));
        if (!failed)
            break;
        assert_true(n < 10000);
    }
}

/* Failures that change nothing for the caller: texts of errors, and giving back, of which there is no way back. */
static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool is_tolerated(const char *name, const char *const *more)
{
    static const char *const names[] = { "cuGetErrorName", "cuGetErrorString", "cuLibraryUnload", "cuDevicePrimaryCtxRelease",
        "cuCtxPopCurrent", "cuLinkDestroy", "cuStreamGetCtx", "cuCtxGetDevice", "cuThreadExchangeStreamCaptureMode",
        "cuDevicePrimaryCtxGetState", NULL };

    return is_among(names, name) || is_among(more, name);
}

void harness_fail_driver_calls(int code, harness_scenario *scenario, void *user)
{
    harness_fail_driver_calls_but((const char *const[]){ NULL }, code, scenario, user);
}

void harness_fail_driver_calls_but(const char *const *may_fail, int code, harness_scenario *scenario, void *user)
{
    struct alive before = count_alive(), after;
    const char *failed;
    gpudl_status status;
    gpudl_loader *l;

    for (long n = 1;; n++) {
        nulldrv_fail("*", (unsigned long)n, code);
        status = attempt(scenario, user, &l);
        failed = nulldrv_failed();
        nulldrv_forget_failures();
        if (failed && !is_tolerated(failed, may_fail))
            assert_failed_well(status, n, failed);
        else if (!failed && status != GPUDL_OK)
            fail_msg("%s", gpudl_error_text());
        for (long extra = nulldrv_alive("pushed") - before.pushed; extra > 0; extra--)
            gpudl_loader_driver(l)->CtxPopCurrent(NULL); /* cuCtxPopCurrent was the one that failed */
        assert_still_usable(l, scenario, user);
        after = count_alive();
        if (failed && is_tolerated(failed, may_fail))
            before = after;
        assert_memory_equal(&before, &after, sizeof(before));
        if (!failed)
            break;
        assert_true(n < 10000);
    }
}
