/* A locked policy is the whole process's: a process for each test. */
#include "tests/loader/common.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char alice[GPUDL_PUBLIC_KEY_TEXT], alice_secret[GPUDL_SECRET_KEY_TEXT];
static char bob[GPUDL_PUBLIC_KEY_TEXT], bob_secret[GPUDL_SECRET_KEY_TEXT];
static const char *const alices[] = { alice }, *const bobs[] = { bob };

static int make_keys(void **state)
{
    (void)state;
    return gpudl_trust_keygen(NULL, alice, alice_secret) || gpudl_trust_keygen(NULL, bob, bob_secret);
}

static gpudl_status open_locked(const char *const *keys, const char *driver, gpudl_loader **out)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_trust_options t = GPUDL_TRUST_OPTIONS_INIT;

    t.policy = GPUDL_TRUST_SIGNATURE;
    t.locked = 1;
    t.keys = keys, t.nkeys = 1;
    o.trust = &t;
    o.driver = driver;
    return gpudl_loader_open(&o, out);
}

/* secret: who signs it, or NULL. */
static gpudl_status load(gpudl_loader *l, const char *secret)
{
    char signature[GPUDL_SIGNATURE_TEXT];
    gpudl_sign_options s = GPUDL_SIGN_OPTIONS_INIT;
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_trust_options t = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_status status;

    s.secret_key = secret;
    if (secret) {
        assert_ok(gpudl_trust_sign(DATA_SOURCE(names_ptx), &s, signature));
        t.signature = signature, t.signature_size = strlen(signature);
    }
    o.trust = &t;
    status = gpudl_library_load(l, DATA_SOURCE(names_ptx), &o, &lib);
    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    return status;
}

/* Runs in a child; asserts jump, and so end it with a failure. */
static void in_a_process(void (*body)(void))
{
    int status;
    pid_t child = fork();

    if (!child) {
        const struct CMUnitTest test = { "in a process", (CMUnitTestFunction)(void (*)(void))body, NULL, NULL, NULL };
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

IN_A_PROCESS(a_lock_holds_for_every_loader)
{
    gpudl_loader *before = harness_open(), *locked, *after;

    assert_ok(load(before, NULL));
    assert_ok(open_locked(alices, harness_null_driver(), &locked));
    assert_fails(load(locked, NULL), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    assert_fails(load(before, NULL), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    assert_fails(load(before, bob_secret), GPUDL_ERROR_NOT_TRUSTED, "");
    assert_ok(load(before, alice_secret));
    gpudl_loader_close(locked);
    harness_close(before);
    after = harness_open();
    assert_fails(load(after, NULL), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    assert_ok(load(after, alice_secret));
    harness_close(after);
}

IN_A_PROCESS(the_default_loader_is_under_it_and_the_environment_is_not_heeded)
{
    gpudl_loader *locked;

    setenv("GPUDL_DRIVER", harness_null_driver(), 1);
    assert_ok(open_locked(alices, harness_null_driver(), &locked));
    if (strstr(gpudl_loader_driver_text(NULL), "nulldrv"))
        fail_msg("GPUDL_DRIVER was heeded: %s", gpudl_loader_driver_text(NULL));
    if (gpudl_loader_driver(NULL)) /* softcuda or a GPU */
        assert_fails(load(NULL, NULL), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    gpudl_loader_close(locked);
}

static const char *folder_of_cache(gpudl_loader *l)
{
    gpudl_cache_info info = { .size_of_struct = sizeof(info) };

    gpudl_cache_describe(l, &info);     /* where nothing is kept yet there is a folder all the same */
    return info.folder ? info.folder : "none";
}

IN_A_PROCESS(the_environment_does_not_say_where_code_is_kept)
{
    gpudl_loader *locked, *before;

    setenv("GPUDL_CACHE_DIR", "/tmp/gpudl-test-planted", 1);
    setenv("HOME", "/tmp/gpudl-test-planted", 1);
    before = harness_open();
    assert_string_equal(folder_of_cache(before), "/tmp/gpudl-test-planted");
    assert_ok(open_locked(alices, harness_null_driver(), &locked));
    assert_null(strstr(folder_of_cache(locked), "planted"));
    assert_null(strstr(folder_of_cache(before), "planted"));
    gpudl_loader_close(locked);
    harness_close(before);
}

IN_A_PROCESS(nothing_weaker_can_be_asked_for)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_trust_options t = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader *locked, *l;

    assert_ok(open_locked(alices, harness_null_driver(), &locked));
    o.trust = &t;
    o.driver = harness_null_driver();
    t.policy = GPUDL_TRUST_NONE;
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_WEAKER, "policy of the process");
    gpudl_loader_close(locked);
}

IN_A_PROCESS(it_holds_even_if_that_loader_cannot_be_opened)
{
    gpudl_loader *l;

    assert_fails(open_locked(alices, "/nowhere/libcuda.so", &l), GPUDL_ERROR_NO_DRIVER, "/nowhere");
    l = harness_open();
    assert_fails(load(l, NULL), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    harness_close(l);
}

/* Opening the same again is one lock; several different ones hold all, up to a bound. */
IN_A_PROCESS(locks_add_up)
{
    gpudl_loader *l;

    for (int i = 0; i < 20; i++) {
        assert_ok(open_locked(alices, harness_null_driver(), &l));
        gpudl_loader_close(l);
    }
    l = harness_open();
    assert_ok(load(l, alice_secret));
    harness_close(l);
    assert_ok(open_locked(bobs, harness_null_driver(), &l));
    assert_fails(load(l, alice_secret), GPUDL_ERROR_NOT_TRUSTED, "");
    gpudl_loader_close(l);
    for (int i = 0; i < 6; i++) {
        char public[GPUDL_PUBLIC_KEY_TEXT], secret[GPUDL_SECRET_KEY_TEXT];
        assert_ok(gpudl_trust_keygen(NULL, public, secret));
        assert_ok(open_locked((const char *const[]){ public }, harness_null_driver(), &l));
        gpudl_loader_close(l);
    }
    assert_ok(gpudl_trust_keygen(NULL, alice, alice_secret));
    assert_fails(open_locked(alices, harness_null_driver(), &l), GPUDL_ERROR_TRUST_SETUP, "8 policies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_holds_for_every_loader),
        cmocka_unit_test(the_default_loader_is_under_it_and_the_environment_is_not_heeded),
        cmocka_unit_test(the_environment_does_not_say_where_code_is_kept),
        cmocka_unit_test(nothing_weaker_can_be_asked_for),
        cmocka_unit_test(it_holds_even_if_that_loader_cannot_be_opened),
        cmocka_unit_test(locks_add_up),
    };

    return cmocka_run_group_tests_name("locked", tests, make_keys, NULL);
}
