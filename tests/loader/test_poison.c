/* What codes mean; and what is said when a kernel has taken its context along. */
#include "tests/loader/common.h"

#include <pthread.h>
#include <stdbool.h>

struct fixture {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *axpy, *scale;
};

static int open_all(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    f.loader = harness_open();
    assert_ok(gpudl_loader_use_device(f.loader, 0)); /* launches take the short way */
    assert_ok(gpudl_library_load(f.loader, DATA_SOURCE(names_ptx), NULL, &f.library));
    assert_ok(gpudl_kernel_get(f.library, "axpy", &f.axpy));
    assert_ok(gpudl_kernel_get(f.library, "ns::scale<float, 4>", &f.scale));
    *state = &f;
    return 0;
}

static int close_all(void **state)
{
    struct fixture *f = *state;

    gpudl_kernel_release(f->axpy);
    gpudl_kernel_release(f->scale);
    gpudl_library_release(f->library);
    gpudl_loader_driver(f->loader)->CtxSetCurrent(NULL);
    harness_close(f->loader);
    return 0;
}

static gpudl_status launch(gpudl_kernel *k)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    return gpudl_kernel_launch_params(k, &config, NULL);
}

static gpudl_status launch_failing(gpudl_kernel *k, int code)
{
    gpudl_status status;

    nulldrv_fail("cuLaunchKernel", 1, code);
    status = launch(k);
    nulldrv_forget_failures();
    return status;
}

static bool says(const char *words)
{
    return strstr(gpudl_error_text(), words) != NULL;
}

/* --------------------------------------------------------------------------------------------------------------- explanations */

static bool is_sentence(const char *text)
{
    return text && strlen(text) > 5 && text[strlen(text) - 1] == '.';
}

static void every_status_has_a_cause_and_a_remedy(void **state)
{
    const gpudl_explanation *e;
    int last = -1;

    (void)state;
    for (size_t i = 0; (e = gpudl_explain_nth(GPUDL_CODE_STATUS, i)); i++) {
        if (!is_sentence(e->cause) || !is_sentence(e->remedy) || e->code <= last || e->poisons)
            fail_msg("%s (%d after %d)", e->name, e->code, last);
        assert_ptr_equal(gpudl_explain(GPUDL_CODE_STATUS, e->code), e);
        last = e->code;
    }
    assert_int_equal(last, GPUDL_ERROR_PASSWORD);
    assert_null(gpudl_explain(GPUDL_CODE_STATUS, 7));
    assert_null(gpudl_explain((gpudl_code_kind)2, 0));
}

static void what_poisons_has_a_cause_and_a_remedy(void **state)
{
    const gpudl_explanation *e;
    int last = -1, poisons = 0;

    (void)state;
    for (size_t i = 0; (e = gpudl_explain_nth(GPUDL_CODE_CUDA, i)); i++) {
        bool explained = is_sentence(e->cause) && is_sentence(e->remedy);
        if ((e->cause || e->remedy || e->poisons) && !explained)
            fail_msg("%s", e->name);
        assert_true(e->code > last);
        last = e->code;
        poisons += e->poisons != 0;
    }
    assert_true(poisons >= 8);
    assert_null(gpudl_explain(GPUDL_CODE_CUDA, 12345));
}

/* ------------------------------------------------------------------------------------------------------------------- poisoned */

static void a_poisoned_context_is_said_to_be_one(void **state)
{
    struct fixture *f = *state;
    const gpudl_explanation *e;

    for (size_t i = 1; (e = gpudl_explain_nth(GPUDL_CODE_CUDA, i)); i++) {
        if (e->code == GPUDL_CU_INVALID_CONTEXT) /* tried again */
            continue;
        assert_int_equal(launch_failing(f->axpy, e->code), GPUDL_ERROR_LAUNCH);
        assert_int_equal(gpudl_error_cuda(), e->code);
        if (says("THE CONTEXT IS POISONED") != (e->poisons != 0) || says("in this process any more") != (e->poisons == 2))
            fail_msg("%s: %s", e->name, gpudl_error_text());
    }
}

static void other_calls_say_so_too(void **state)
{
    struct fixture *f = *state;
    gpudl_version *v;
    CUlibrary native;

    assert_ok(launch(f->axpy));
    nulldrv_fail("cuKernelGetFunction", 1, GPUDL_CU_LAUNCH_FAILED);
    nulldrv_fail("cuFuncLoad", 1, GPUDL_CU_LAUNCH_FAILED);
    assert_fails(gpudl_library_make_resident(f->library, NULL, 0, gpudl_now()), GPUDL_ERROR_DRIVER, "THE CONTEXT IS POISONED");
    assert_true(says("'axpy' of memory, by this thread"));
    nulldrv_forget_failures();
    assert_ok(gpudl_library_pin(f->library, &v));
    assert_ok(gpudl_version_native(v, &native));
    gpudl_version_unpin(v);
}

static void the_kernel_that_was_launched_last_is_named(void **state)
{
    struct fixture *f = *state;

    assert_ok(launch(f->scale));
    assert_ok(launch(f->axpy));
    assert_int_equal(launch_failing(f->scale, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says("suspect: 'axpy' of memory, by this thread"));
    /* The one that was refused was not launched. */
    assert_int_equal(launch_failing(f->scale, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says("suspect: 'axpy' of memory, by this thread"));
    assert_int_equal(launch_failing(f->scale, 214), GPUDL_ERROR_LAUNCH); /* hardware */
    assert_false(says("suspect"));
}

static void checked_and_packed_launches_are_named_too(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    struct {
        int n;
        float a;
        uint64_t x, y;
    } packed = { 1, 2, 0, 0 };
    struct fixture *f = *state;

    assert_ok(launch(f->scale));
    assert_ok(gpudl_kernel_launch_packed(f->axpy, &config, &packed, sizeof(packed)));
    assert_int_equal(launch_failing(f->scale, GPUDL_CU_LAUNCH_FAILED), GPUDL_ERROR_LAUNCH);
    assert_true(says("'axpy'"));
    assert_ok(launch(f->scale));
    assert_ok(gpudl_launch(f->axpy, &config, 1, 2.0f, (CUdeviceptr)0, (CUdeviceptr)0));
    assert_fails(gpudl_launch(f->scale, &config, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 0");
    assert_int_equal(launch_failing(f->scale, GPUDL_CU_LAUNCH_FAILED), GPUDL_ERROR_LAUNCH);
    assert_true(says("'axpy'"));
    assert_false(says("'_ZN2ns5scaleIfLi4EEEvPT_' of memory, by"));
}

static void *launch_once(void *kernel)
{
    assert_ok(launch(kernel));
    return NULL;
}

static void kernels_of_other_threads_are_named_too(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;

    assert_ok(launch(f->axpy));
    assert_int_equal(pthread_create(&thread, NULL, launch_once, f->scale), 0);
    pthread_join(thread, NULL);
    assert_int_equal(launch_failing(f->axpy, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says("'axpy' of memory, by this thread"));
    assert_true(says("scale"));
    assert_true(says("by another thread"));
}

/* Nor is another one that has its memory now. */
static void a_kernel_that_was_released_is_not_named(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k, *last;

    assert_ok(gpudl_kernel_get(f->library, "axpy", &last));
    assert_ok(launch(last));
    gpudl_kernel_release(last);
    assert_int_equal(launch_failing(f->scale, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says("THE CONTEXT IS POISONED"));
    assert_false(says("suspect"));
    for (int i = 0; i < 5000; i++) {
        assert_ok(gpudl_kernel_get(f->library, "ns::scale<float, 4>", &k));
        if (k == last)
            assert_int_equal(launch_failing(k, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
        assert_false(says("suspect"));
        gpudl_kernel_release(k);
    }
}

static void the_log_of_softcuda_says_who_did_it(void **state)
{
    static const char older[] = "softcuda: kernel other: trap",
                      line[] = "softcuda: kernel axpy: illegal address 0x10, block (1,0,0)";
    gpudl_library *lib;
    gpudl_kernel *k;
    gpudl_loader *l;
    char log[256];

    (void)state;
    nulldrv_reset();
    nulldrv_set_name("softcuda, a null driver");
    snprintf(log, sizeof(log), "%s\n%s\n", older, line);
    l = harness_open();
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "axpy", &k));
    assert_ok(launch(k));
    assert_int_equal(launch_failing(k, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says("suspect: 'axpy'")); /* nothing was logged */
    nulldrv_set_driver_log(log);
    assert_int_equal(launch_failing(k, GPUDL_CU_ILLEGAL_ADDRESS), GPUDL_ERROR_LAUNCH);
    assert_true(says(line));
    assert_false(says(older));
    assert_false(says("suspect"));
    nulldrv_set_driver_log(NULL);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_cause_and_a_remedy),
        cmocka_unit_test(what_poisons_has_a_cause_and_a_remedy),
        cmocka_unit_test_setup_teardown(a_poisoned_context_is_said_to_be_one, open_all, close_all),
        cmocka_unit_test_setup_teardown(other_calls_say_so_too, open_all, close_all),
        cmocka_unit_test_setup_teardown(the_kernel_that_was_launched_last_is_named, open_all, close_all),
        cmocka_unit_test_setup_teardown(checked_and_packed_launches_are_named_too, open_all, close_all),
        cmocka_unit_test_setup_teardown(kernels_of_other_threads_are_named_too, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_kernel_that_was_released_is_not_named, open_all, close_all),
        cmocka_unit_test(the_log_of_softcuda_says_who_did_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
