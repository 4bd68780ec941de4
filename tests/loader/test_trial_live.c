/* Trial launches on a device: the same on softcuda and on a GPU. What new code does wrong, it does in another process; after each
 * test no child and no descriptor is left. GPUDL_DRIVER says which device; without one this is skipped (exit code 77). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpudl/gpudl.h>

#include "tests/loader/asserts.h"

enum { PATIENCE = 240, N = 8, ILLEGAL_ADDRESS = 700 };

static gpudl_loader *loader;
static const gpudl_driver_table *cu;
static char folder[64];

/* --------------------------------------------------------------------------------------------------------------- the kernels */

/* out[i] = 2 * in[i] + more, and then what else is done. */
#define KERNEL(name, rest) \
    ".visible .entry " name "(.param .u64 out, .param .u64 in, .param .f32 more)\n{\n.reg .u32 %i, %j;\n.reg .u64 %p, %q, %o;\n" \
    ".reg .f32 %x, %m;\n.reg .pred %c;\nld.param.u64 %p, [out];\nld.param.u64 %q, [in];\nld.param.f32 %m, [more];\n" \
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %p, %p, %o;\nadd.u64 %q, %q, %o;\nld.global.f32 %x, [%q];\n" \
    "fma.rn.f32 %x, %x, 0f40000000, %m;\n" rest "st.global.f32 [%p], %x;\nret;\n}\n"
#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char
    old[] = HEAD "// old\n" KERNEL("k", ""),
    good[] = HEAD "// good\n" KERNEL("k", ""),
    good_too[] = HEAD "// good, too\n" KERNEL("k", ""),
    wrong[] = HEAD KERNEL("k", "setp.lt.u32 %c, %i, 5;\n@%c bra R;\nadd.f32 %x, %x, 0f3F000000;\nR:\n"),  /* 0.5 too much from 5 on */
    wild[] = HEAD KERNEL("k", "add.u64 %p, %p, 0x100000000000;\n"),
    endless[] = HEAD KERNEL("k", "L:\nld.volatile.global.u32 %j, [%q];\nsetp.ne.u32 %c, %j, 0x12345678;\n@%c bra L;\n"),
    prints[] = HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 text[9] = {110, 111, 10, 110, 111, 10, 110, 111, 0};\n"
        KERNEL("k", "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nmov.u64 %o, text;\ncvta.global.u64 %o, %o;\n"
        "st.param.b64 [f], %o;\nst.param.b64 [a], 0;\ncall.uni (r), vprintf, (f, a);\n}\n");

static gpudl_library *load(const char *text)
{
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(text, strlen(text)), NULL, &lib));
    return lib;
}

/* --------------------------------------------------------------------------------------------------------------- the trial */

struct example {
    float in[N], out[N];
    gpudl_trial_buffer buffers[2];
    gpudl_arg args[3];
    gpudl_trial trial;
    gpudl_replace_options options;
};

static void make_example(struct example *e)
{
    for (int i = 0; i < N; i++) {
        e->in[i] = (float)i;
        e->out[i] = 2 * e->in[i] + 1;
    }
    e->buffers[0] = gpudl_trial_buffer_of(GPUDL_TRIAL_F32, NULL, e->out, sizeof(e->out));
    e->buffers[1] = gpudl_trial_buffer_of(GPUDL_TRIAL_F32, e->in, e->in, sizeof(e->in));
    e->args[0] = gpudl_trial_arg(0);
    e->args[1] = gpudl_trial_arg(1);
    e->args[2] = GPUDL_ARG(1.f);
    e->trial = gpudl_trial_1d("k", 1, N);
    e->trial.args = e->args;
    e->trial.nargs = 3;
    e->trial.buffers = e->buffers;
    e->trial.nbuffers = 2;
    e->options = (gpudl_replace_options)GPUDL_REPLACE_OPTIONS_INIT;
    e->options.trials = &e->trial;
    e->options.ntrials = 1;
    e->options.trial_timeout_ns = PATIENCE * UINT64_C(1000000000);
}

static gpudl_status replace(gpudl_library *lib, const char *text, const struct example *e)
{
    return gpudl_library_replace(lib, GPUDL_MEMORY(text, strlen(text)), &e->options);
}

/* Its context works, and so do the library's kernels. */
static void assert_lives(gpudl_library *lib)
{
    gpudl_launch_config config = gpudl_launch_1d(1, N);
    float x[N] = { 3, 0 };
    gpudl_kernel *k;
    CUdeviceptr p;

    assert_ok(gpudl_kernel_get(lib, "k", &k));
    assert_int_equal(cu->MemAlloc(&p, sizeof(x)), 0);
    assert_int_equal(cu->MemcpyHtoD(p, x, sizeof(x)), 0);
    assert_ok(gpudl_launch(k, &config, p, p, 1.f));
    assert_int_equal(cu->MemcpyDtoH(x, p, sizeof(x)), 0);
    assert_true(x[0] == 7 && x[1] == 1);
    assert_int_equal(cu->MemFree(p), 0);
    gpudl_kernel_release(k);
}

/* --------------------------------------------------------------------------------------------------- what may be left: nothing */

/* Of the kinds that trials have: a driver may open others any time. */
static int count_descriptors(void)
{
    char path[64], target[64];
    int n = 0;

    for (int fd = 0; fd < 1024; fd++) {
        ssize_t length;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        length = readlink(path, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        n += !strncmp(target, "socket:", 7) || !strncmp(target, "pipe:", 5) || !strcmp(target, "anon_inode:[pidfd]");
    }
    return n;
}

static int descriptors;

static int before_each(void **state)
{
    (void)state;
    descriptors = count_descriptors();
    return 0;
}

static int after_each(void **state)
{
    (void)state;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
        fprintf(stderr, "a child is left\n");
        return -1;
    }
    if (count_descriptors() != descriptors) {
        fprintf(stderr, "%d descriptors, before it %d\n", count_descriptors(), descriptors);
        return -1;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------------- the tests */

static void what_does_as_expected_is_taken(void **state)
{
    gpudl_library *lib = load(old);
    struct example e;

    (void)state;
    make_example(&e);
    assert_ok(replace(lib, good, &e));
    assert_int_equal(gpudl_library_generation(lib), 1);
    assert_lives(lib);
    assert_ok(replace(lib, prints, &e)); /* what a kernel prints is no answer */
    e.options.trial_driver = "softcuda";
    assert_ok(replace(lib, good_too, &e));
    gpudl_library_release(lib);
}

static void a_wrong_result_is_refused_with_the_first(void **state)
{
    gpudl_library *lib = load(old);
    struct example e;

    (void)state;
    make_example(&e);
    assert_fails(replace(lib, wrong, &e), GPUDL_ERROR_TRIAL,
        "trial 0: kernel 'k' ended, and element 5 of buffer 0 (both count from 0) is 11.5; expected 11; 3 of 8 are wrong");
    assert_int_equal(gpudl_error_cuda(), 0);
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_lives(lib);
    e.buffers[0].absolute = 0.25;
    e.buffers[0].relative = 0.25 / 13; /* enough from 13 on */
    assert_fails(replace(lib, wrong, &e), GPUDL_ERROR_TRIAL, "element 5 of buffer 0 (both count from 0) is 11.5; expected 11; 1 of 8");
    e.buffers[0].absolute = 0.5;
    assert_ok(replace(lib, wrong, &e));
    gpudl_library_release(lib);
}

static void a_fault_stays_in_the_other_process(void **state)
{
    gpudl_library *lib = load(old);
    struct example e;

    (void)state;
    make_example(&e);
    assert_fails(replace(lib, wild, &e), GPUDL_ERROR_TRIAL, "trial 0: kernel 'k' failed: cuCtxSynchronize returned 700 (CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_int_equal(gpudl_error_cuda(), ILLEGAL_ADDRESS);
    if (gpudl_loader_is_software(loader))
        assert_non_null(strstr(gpudl_error_text(), "thread (0,0,0)")); /* where, too */
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_lives(lib);
    gpudl_library_release(lib);
}

static void what_never_ends_is_ended(void **state)
{
    gpudl_library *lib = load(old);
    struct example e;

    (void)state;
    make_example(&e);
    e.options.trial_timeout_ns = 1000000000;
    assert_fails(replace(lib, endless, &e), GPUDL_ERROR_TRIAL, "did not end within 1.000 s");
    assert_lives(lib);
    gpudl_library_release(lib);
}

static void a_launch_that_cannot_be_is_refused(void **state)
{
    gpudl_library *lib = load(old);
    struct example e;

    (void)state;
    make_example(&e);
    e.trial.kernel = "gone";
    assert_fails(replace(lib, good, &e), GPUDL_ERROR_TRIAL, "trial 0: ");
    assert_non_null(strstr(gpudl_error_text(), "gone"));
    e.trial.kernel = NULL; /* it holds one */
    e.trial.nargs = 2;
    assert_fails(replace(lib, good, &e), GPUDL_ERROR_TRIAL, "2 arguments");
    e.trial.nargs = 3;
    e.trial.block[0] = 5000;
    assert_fails(replace(lib, good, &e), GPUDL_ERROR_TRIAL, "5000");
    e.trial.block[0] = N;
    e.trial.device = 99;
    assert_fails(replace(lib, good, &e), GPUDL_ERROR_TRIAL, "99");
    e.trial.device = 0;
    e.options.trial_driver = "/nowhere/libcuda.so.1";
    assert_fails(replace(lib, good, &e), GPUDL_ERROR_TRIAL, "/nowhere/libcuda.so.1");
    assert_int_equal(gpudl_library_generation(lib), 0);
    e.options.trial_driver = NULL;
    assert_ok(replace(lib, good, &e));
    gpudl_library_release(lib);
}

static void of_several_the_first_that_fails_is_told(void **state)
{
    gpudl_library *lib = load(old);
    gpudl_trial trials[3];
    struct example e, other;

    (void)state;
    make_example(&e);
    make_example(&other);
    other.out[7] = 0;
    trials[0] = trials[1] = e.trial;
    trials[2] = other.trial;
    e.options.trials = trials;
    e.options.ntrials = 2;
    assert_ok(replace(lib, good, &e));
    e.options.ntrials = 3;
    assert_fails(replace(lib, good_too, &e), GPUDL_ERROR_TRIAL, "trial 2: kernel 'k' ended, and element 7 of buffer 0");
    gpudl_library_release(lib);
}

/* Compiled here, tried there; under the name that was given when it was compiled, which no demangler knows. */
static void what_was_compiled_is_tried_as_it_is(void **state)
{
    static const char source[] = "template <class T, int N = 2> __global__ void k(T *x) { x[threadIdx.x] *= N; }\n";
    static const char changed[] = "template <class T, int N = 3> __global__ void k(T *x) { x[threadIdx.x] *= N; }\n";
    gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    const char *const names[] = { "k<float>" };
    gpudl_library *lib;
    gpudl_status status;
    struct example e;

    (void)state;
    compile.names = names;
    compile.nnames = 1;
    options.compile = &compile;
    status = gpudl_library_load(loader, GPUDL_TEXT("k.cu", source), &options, &lib);
    if (status == GPUDL_ERROR_NO_COMPILER)
        skip();
    assert_ok(status);
    make_example(&e);
    e.trial.kernel = "k<float>";
    e.args[0] = gpudl_trial_arg(1);
    e.trial.nargs = 1;
    e.buffers[0].expected = NULL;
    e.buffers[1].expected = e.out;
    for (int i = 0; i < N; i++)
        e.out[i] = 2 * e.in[i];
    assert_fails(gpudl_library_replace(lib, GPUDL_TEXT("k.cu", changed), &e.options), GPUDL_ERROR_TRIAL, "element 1 of buffer 1 (both count from 0) is 3; expected 2");
    for (int i = 0; i < N; i++)
        e.out[i] = 3 * e.in[i];
    assert_ok(gpudl_library_replace(lib, GPUDL_TEXT("k.cu", changed), &e.options));
    gpudl_library_release(lib);
}

/* ------------------------------------------------------------------------------------------------------- tasks and watches */

static void write_file(const char *name, const char *text)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* Trials begin with a file, so that a test knows when. */
static void tell_of_trials(void)
{
    char text[2 * 128 + 4096], real[4096], path[128];
    ssize_t n = readlink("/proc/self/exe", real, sizeof(real) - 1);

    real[n] = '\0';
    *strrchr(real, '/') = '\0';
    snprintf(text, sizeof(text), "#!/bin/sh\n: >%s/begun\nexec '%s/gpudl-trial'\n", folder, real);
    write_file("helper", text);
    snprintf(path, sizeof(path), "%s/helper", folder);
    setenv("GPUDL_TRIAL", path, 1);
}

static void wait_until_begun(void)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/begun", folder);
    while (unlink(path) != 0)
        usleep(1000);
    unsetenv("GPUDL_TRIAL");
}

static void a_cancel_ends_a_trial_under_way(void **state)
{
    gpudl_library *lib = load(old);
    gpudl_task *task;
    struct example e;

    (void)state;
    make_example(&e);
    tell_of_trials();
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(endless, strlen(endless)), &e.options, NULL, &task));
    memset(&e, 0x55, sizeof(e)); /* the task has its own copy */
    wait_until_begun();
    gpudl_task_cancel(task);
    assert_fails(gpudl_task_wait(task, UINT64_MAX), GPUDL_ERROR_CANCELLED, "cancelled");
    gpudl_task_release(task);
    assert_lives(lib);
    make_example(&e);
    assert_ok(gpudl_library_replace_async(lib, GPUDL_MEMORY(wrong, strlen(wrong)), &e.options, NULL, &task));
    assert_fails(gpudl_task_wait(task, UINT64_MAX), GPUDL_ERROR_TRIAL, "element 5");
    gpudl_task_release(task);
    gpudl_library_release(lib);
}

struct outcome {
    atomic_int times;
    gpudl_status status;
    char text[1024];
};

static void told(void *user, gpudl_library *lib, gpudl_status status, const char *text, uint64_t generation)
{
    struct outcome *o = user;

    (void)lib, (void)generation;
    o->status = status;
    snprintf(o->text, sizeof(o->text), "%s", text);
    atomic_fetch_add(&o->times, 1);
}

static gpudl_library *load_file(void)
{
    gpudl_library *lib = NULL;
    char path[128];

    write_file("k.ptx", old);
    snprintf(path, sizeof(path), "%s/k.ptx", folder);
    assert_ok(gpudl_library_load(loader, GPUDL_FILE(path), NULL, &lib));
    return lib;
}

static void wait_for(struct outcome *o, int n)
{
    while (atomic_load(&o->times) < n)
        usleep(1000);
}

static void a_watched_file_is_tried_first(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_library *lib = load_file();
    struct outcome o = { .times = 0 };
    struct example e;

    (void)state;
    make_example(&e);
    options.replace = &e.options;
    options.told = told;
    options.user = &o;
    assert_ok(gpudl_library_watch(lib, &options));
    memset(&e, 0x55, sizeof(e));
    write_file("k.ptx", wrong);
    wait_for(&o, 1);
    assert_int_equal(o.status, GPUDL_ERROR_TRIAL);
    assert_non_null(strstr(o.text, "element 5 of buffer 0"));
    assert_int_equal(gpudl_library_generation(lib), 0);
    write_file("k.ptx", good);
    wait_for(&o, 2);
    assert_int_equal(o.status, GPUDL_OK);
    assert_int_equal(gpudl_library_generation(lib), 1);
    tell_of_trials();
    write_file("k.ptx", endless);
    wait_until_begun();
    gpudl_library_unwatch(lib);
    assert_int_equal(o.times, 2);
    assert_lives(lib);
    gpudl_library_release(lib);
}

/* ---------------------------------------------------------------------------------------------------- the program's own SIGCHLD */

static void reap_all(int number)
{
    int error = errno;

    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = error;
}

static void forked(void)
{
    fprintf(stderr, "a handler of pthread_atfork() was run\n");
    abort();
}

static void whatever_the_program_does_with_sigchld(void **state)
{
    void (*const handlers[])(int) = { SIG_IGN, reap_all, SIG_DFL };
    struct sigaction now;
    struct example e;

    (void)state;
    make_example(&e);
    for (size_t i = 0; i < 3; i++) {
        gpudl_library *lib = load(old);
        struct sigaction a = { .sa_handler = handlers[i], .sa_flags = SA_RESTART };

        assert_int_equal(sigaction(SIGCHLD, &a, NULL), 0);
        assert_ok(replace(lib, good, &e));
        assert_fails(replace(lib, wild, &e), GPUDL_ERROR_TRIAL, "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
        assert_ptr_equal(now.sa_handler, handlers[i]);
        gpudl_library_release(lib);
    }
}

/* ------------------------------------------------------------------------------------------------------------------------ all */

/* The thread that watches, and with it its descriptors, stays. */
static void begin(void)
{
    gpudl_library *lib;

    strcpy(folder, "/tmp/gpudl-trial-XXXXXX");
    assert_non_null(mkdtemp(folder));
    lib = load_file();
    assert_ok(gpudl_library_watch(lib, NULL));
    gpudl_library_release(lib);
    lib = load(old);
    assert_lives(lib);
    gpudl_library_release(lib);
    pthread_atfork(forked, NULL, NULL);
}

/* Without a fork. */
static void end(void)
{
    static const char *const names[] = { "k.ptx", "helper", "begun", "" };
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, before_each, after_each)
        TEST(what_does_as_expected_is_taken),
        TEST(a_wrong_result_is_refused_with_the_first),
        TEST(a_fault_stays_in_the_other_process),
        TEST(what_never_ends_is_ended),
        TEST(a_launch_that_cannot_be_is_refused),
        TEST(of_several_the_first_that_fails_is_told),
        TEST(what_was_compiled_is_tried_as_it_is),
        TEST(a_cancel_ends_a_trial_under_way),
        TEST(a_watched_file_is_tried_first),
        TEST(whatever_the_program_does_with_sigchld),
    };
    int failed;

    if (gpudl_loader_open(NULL, &loader) != GPUDL_OK) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    alarm(PATIENCE);
    cu = gpudl_loader_driver(loader);
    assert_ok(gpudl_loader_use_device(loader, 0));
    begin();
    failed = cmocka_run_group_tests_name(gpudl_loader_driver_text(loader), tests, NULL, NULL);
    end();
    cu->CtxSetCurrent(NULL);
    gpudl_loader_close(loader);
    return failed;
}
