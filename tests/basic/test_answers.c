/* What a basic build answers where a full one does something. */
#include "tests/loader/common.h"

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry a() { ret; }\n";

#define SAYS_SO(call) assert_fails(call, GPUDL_ERROR_UNSUPPORTED, "this is a basic build of gpudl")

static void what_is_left_out_says_so(void **state)
{
    gpudl_source cuda = gpudl_source_text("k.cu", "__global__ void k() {}");
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    gpudl_linked *linked;
    gpudl_code *code;
    char words[64];

    (void)state;
    SAYS_SO(gpudl_library_load(l, &cuda, NULL, &lib));
    SAYS_SO(gpudl_compile(l, &cuda, NULL, &code));
    SAYS_SO(gpudl_library_link(l, &cuda, 1, NULL, &lib));
    SAYS_SO(gpudl_linked_make(l, &cuda, 1, NULL, &linked));
    SAYS_SO(gpudl_linker_describe(l, 0, NULL));
    SAYS_SO(gpudl_cache_describe(l, NULL));
    SAYS_SO(gpudl_cache_list(l, NULL, NULL));
    SAYS_SO(gpudl_cache_trim(l, 0, NULL));
    SAYS_SO(gpudl_trust_check(&cuda, NULL, NULL));
    SAYS_SO(gpudl_trust_digest(&cuda, NULL));
    SAYS_SO(gpudl_trust_keygen(NULL, NULL, NULL));
    SAYS_SO(gpudl_trust_sign(&cuda, NULL, NULL));
    SAYS_SO(gpudl_code_describe(NULL, NULL));
    SAYS_SO(gpudl_library_watch(NULL, NULL));
    assert_int_equal(gpudl_compilers(NULL, NULL, words, sizeof(words)), strlen("none: this is a basic build of gpudl"));
    assert_string_equal(words, "none: this is a basic build of gpudl");
    assert_null(gpudl_linked_bytes(NULL, NULL));
    harness_close(l);
}

/* Not even where nothing is wrong with the content. */
static void a_policy_of_trust_is_never_passed_over(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_replace_options replace = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open(), *other;
    gpudl_library *lib;
    gpudl_task *task;

    (void)state;
    load.trust = options.trust = &trust;
    options.driver = harness_null_driver();
    for (trust.policy = GPUDL_TRUST_DIGEST; trust.policy <= GPUDL_TRUST_SIGNATURE; trust.policy++) {
        SAYS_SO(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), &load, &lib));
        SAYS_SO(gpudl_loader_open(&options, &other));
        assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(text, strlen(text)), &load, NULL, &task));
        SAYS_SO(gpudl_task_wait(task, UINT64_MAX));
        gpudl_task_release(task);
    }
    trust.policy = GPUDL_TRUST_NONE;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), &load, &lib));
    trust.policy = GPUDL_TRUST_SIGNATURE;
    replace.load = &load;
    SAYS_SO(gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), &replace));
    trust.policy = GPUDL_TRUST_NONE;
    trust.locked = 1;
    SAYS_SO(gpudl_loader_open(&options, &other));
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_trial_that_cannot_be_refuses_the_replace(void **state)
{
    gpudl_trial trial = gpudl_trial_1d("a", 1, 32);
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    o.trials = &trial, o.ntrials = 1;
    SAYS_SO(gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), &o));
    gpudl_library_release(lib);
    harness_close(l);
}

/* What the program has anyway is taken where the better ones cannot be. */
static void a_program_goes_on_with_its_own_kernels(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_loader *l = harness_open();
    gpudl_registered_kernel own[] = { { "a", NULL, NULL, NULL } };
    gpudl_source sources[] = { gpudl_source_text("a.cu", "extern \"C\" __global__ void a() {}"),
        gpudl_source_registered("own", own, 1) };
    gpudl_library *owner, *lib;
    gpudl_version *pin;
    gpudl_kernel *k;
    size_t which;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &owner));
    assert_ok(gpudl_kernel_get(owner, "a", &k));
    assert_ok(gpudl_kernel_native(k, &own[0].kernel, &pin));
    gpudl_kernel_release(k);
    assert_ok(gpudl_library_load_first(l, sources, 2, NULL, &which, &lib));
    assert_int_equal(which, 1);
    assert_non_null(strstr(gpudl_error_text(), "basic build"));
    assert_ok(gpudl_kernel_get(lib, "a", &k));
    assert_ok(gpudl_kernel_launch_params(k, &config, NULL));
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_version_unpin(pin);
    gpudl_library_release(owner);
    harness_close(l);
}

static void features_are_those_of_a_basic_build(void **state)
{
    gpudl_loader *l = harness_open();
    uint64_t has = gpudl_features(l);

    (void)state;
    assert_int_equal(has & GPUDL_BUILT_FULL, 0);
    assert_int_equal(has & (GPUDL_HAS_COMPILER | GPUDL_HAS_LINKER | GPUDL_HAS_TRIAL | GPUDL_HAS_POLICY), 0);
    assert_int_equal(has & (GPUDL_HAS_DRIVER | GPUDL_HAS_GPU | GPUDL_HAS_SOFTCUDA), GPUDL_HAS_DRIVER | GPUDL_HAS_GPU);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(what_is_left_out_says_so),
        TEST(a_policy_of_trust_is_never_passed_over),
        TEST(a_trial_that_cannot_be_refuses_the_replace),
        TEST(a_program_goes_on_with_its_own_kernels),
        TEST(features_are_those_of_a_basic_build),
    };

    return cmocka_run_group_tests_name("basic", tests, NULL, NULL);
}
