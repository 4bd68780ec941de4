/* Lives of libraries on a device that is busy: the same on softcuda and on a GPU. A kernel that spins until the host tells it to
 * end stands for work under way; what waited for it would wait for ever, and the alarm ends the test.
 *
 * GPUDL_TEST_REPLACES says how often a library is replaced under load. GPUDL_DRIVER says which device; without one this is skipped
 * (exit code 77). */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpudl/gpudl.h>

#include "tests/loader/asserts.h"

enum { PATIENCE = 120, TEXT_SIZE = 2048 };

static gpudl_loader *loader;
static const gpudl_driver_table *cu;

/* ------------------------------------------------------------------------------------------------------------- the kernels */

static const char spin_text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry spin(.param .u64 flag)\n{\n.reg .u32 %r;\n.reg .u64 %p;\n.reg .pred %q;\n"
    "ld.param.u64 %p, [flag];\nL:\nld.volatile.global.u32 %r, [%p];\nsetp.eq.u32 %q, %r, 0;\n@%q bra L;\nret;\n}\n";

/* Two kernels that write a number to a place, and to the one behind; and a global with it. */
static gpudl_source numbered(char *text, unsigned number)
{
    int n = snprintf(text, TEXT_SIZE,
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry first(.param .u64 out)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [out];\n"
        "mov.u32 %%r, %u;\nst.global.u32 [%%p], %%r;\nret;\n}\n"
        ".visible .entry second(.param .u64 out)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [out];\n"
        "mov.u32 %%r, %u;\nst.global.u32 [%%p+4], %%r;\nret;\n}\n",
        number, number);

    return gpudl_source_memory(text, (size_t)n);
}

static gpudl_library *load_numbered(unsigned number)
{
    char text[TEXT_SIZE];
    gpudl_source source = numbered(text, number);
    gpudl_library *lib = NULL;

    assert_ok(gpudl_library_load(loader, &source, NULL, &lib));
    return lib;
}

static gpudl_status replace_by(gpudl_library *lib, unsigned number, const gpudl_replace_options *o)
{
    char text[TEXT_SIZE];
    gpudl_source source = numbered(text, number);

    return gpudl_library_replace(lib, &source, o);
}

/* ------------------------------------------------------------------------------------------------------------ a busy device */

struct busy {
    gpudl_library *library;
    gpudl_kernel *kernel;
    CUstream stream;
    volatile unsigned *flag;
};

static void make_busy(struct busy *b, unsigned blocks)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    void *flag;

    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(spin_text, strlen(spin_text)), NULL, &b->library));
    assert_ok(gpudl_kernel_get(b->library, "spin", &b->kernel));
    assert_ok(gpudl_library_make_resident(b->library, NULL, 0, gpudl_now()));
    assert_cu(cu->StreamCreate(&b->stream, GPUDL_STREAM_NON_BLOCKING));
    assert_cu(cu->MemHostAlloc(&flag, sizeof(unsigned), 3)); /* portable, mapped */
    b->flag = flag;
    *b->flag = 0;
    config.stream = b->stream;
    config.grid[0] = blocks;
    assert_ok(gpudl_launch(b->kernel, &config, (CUdeviceptr)(uintptr_t)flag));
}

static void end_busy(struct busy *b)
{
    *b->flag = 1;
    assert_cu(cu->StreamSynchronize(b->stream));
    assert_cu(cu->StreamDestroy(b->stream));
    assert_cu(cu->MemFreeHost((void *)b->flag));
    gpudl_kernel_release(b->kernel);
    gpudl_library_release(b->library);
}

static gpudl_loader_stats stats(void)
{
    gpudl_loader_stats s = { .size_of_struct = sizeof(s) };

    assert_ok(gpudl_loader_statistics(loader, &s));
    return s;
}

static unsigned read_word(CUdeviceptr p)
{
    unsigned word;

    assert_cu(cu->MemcpyDtoH(&word, p, sizeof(word)));
    return word;
}

/* ---------------------------------------------------------------------------------------------------------------- the tests */

static void a_resident_librarys_first_launch_waits_for_nothing(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib = load_numbered(101);
    gpudl_kernel *first, *second;
    struct busy b;
    CUdeviceptr out;

    (void)state;
    assert_cu(cu->MemAlloc(&out, 8));
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_kernel_get(lib, "first", &first));
    assert_ok(gpudl_library_make_resident(lib, NULL, 0, gpudl_now()));
    make_busy(&b, 1);
    assert_ok(gpudl_launch(first, &config, out));
    assert_ok(gpudl_kernel_get(lib, "second", &second));
    assert_ok(gpudl_launch(second, &config, out));
    end_busy(&b);
    assert_cu(cu->StreamSynchronize(config.stream));
    assert_int_equal(read_word(out), 101);
    assert_int_equal(read_word(out + 4), 101);
    gpudl_kernel_release(first);
    gpudl_kernel_release(second);
    gpudl_library_release(lib);
    assert_cu(cu->StreamDestroy(config.stream));
    assert_cu(cu->MemFree(out));
}

/* Of code that a device has, behind 50 running kernels. */
static void a_release_waits_for_nothing(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *gone = load_numbered(201), *stays = load_numbered(202);
    gpudl_kernel *k, *other;
    size_t left = 0;
    CUdeviceptr out;
    struct busy b;

    (void)state;
    assert_cu(cu->MemAlloc(&out, 8));
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_kernel_get(gone, "first", &k));
    assert_ok(gpudl_kernel_get(stays, "first", &other));
    assert_ok(gpudl_launch(k, &config, out));
    assert_ok(gpudl_launch(other, &config, out));
    assert_cu(cu->StreamSynchronize(config.stream));
    make_busy(&b, 50);
    gpudl_kernel_release(k);
    gpudl_library_release(gone);
    assert_ok(gpudl_loader_trim(loader, 0, 0));
    assert_ok(gpudl_launch(other, &config, out));
    assert_ok(gpudl_loader_reap(loader, 1000000, &left));
    assert_true(left >= 1);
    end_busy(&b);
    assert_cu(cu->StreamSynchronize(config.stream));
    assert_ok(gpudl_loader_reap(loader, UINT64_MAX, &left));
    assert_int_equal(left, 0);
    assert_int_equal(read_word(out), 202);
    gpudl_kernel_release(other);
    gpudl_library_release(stays);
    assert_cu(cu->StreamDestroy(config.stream));
    assert_cu(cu->MemFree(out));
}

struct graph_calls {
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*make)(void **, CUgraph, unsigned long long);
    int (*launch)(void *, CUstream), (*drop)(CUgraph), (*drop_exec)(void *);
};

static struct graph_calls find_graph_calls(void)
{
    struct graph_calls g;
    int found;

    assert_cu(cu->GetProcAddress("cuStreamBeginCapture", (void **)&g.begin, 10010, 0, &found));
    assert_cu(cu->GetProcAddress("cuStreamEndCapture", (void **)&g.end, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphInstantiateWithFlags", (void **)&g.make, 11040, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphLaunch", (void **)&g.launch, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphDestroy", (void **)&g.drop, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphExecDestroy", (void **)&g.drop_exec, 10000, 0, &found));
    return g;
}

static void a_graph_keeps_the_code_that_it_was_made_of(void **state)
{
    CUstream stream;
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *lib = load_numbered(301);
    struct graph_calls g = find_graph_calls();
    gpudl_kernel *first;
    CUdeviceptr out;
    CUgraph graph;
    void *exec;

    (void)state;
    assert_cu(cu->MemAlloc(&out, 8));
    assert_cu(cu->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING));
    assert_ok(gpudl_kernel_get(lib, "first", &first));
    config.stream = stream;
    assert_ok(gpudl_loader_trim(loader, 0, 0));
    assert_ok(gpudl_loader_reap(loader, UINT64_MAX, NULL));
    assert_cu(g.begin(stream, 0)); /* global: harmless calls of others would end it */
    assert_ok(gpudl_launch(first, &config, out));
    assert_ok(gpudl_launch(first, &config, out));
    assert_ok(replace_by(lib, 302, NULL));
    assert_cu(g.end(stream, &graph));
    assert_cu(g.make(&exec, graph, 0));
    assert_cu(g.drop(graph));
    assert_ok(replace_by(lib, 303, NULL));
    assert_ok(gpudl_loader_trim(loader, 0, 0));
    assert_ok(gpudl_loader_reap(loader, UINT64_MAX, NULL));
    assert_int_equal(stats().held, 2);
    assert_cu(g.launch(exec, stream));
    assert_cu(cu->StreamSynchronize(stream));
    assert_int_equal(read_word(out), 301);
    assert_cu(g.drop_exec(exec));
    for (int i = 0; i < 1000 && stats().held > 1; i++) /* its destructor is called on a thread of the driver's */
        usleep(1000);
    assert_int_equal(stats().held, 1);
    gpudl_kernel_release(first);
    gpudl_library_release(lib);
    assert_cu(cu->StreamDestroy(stream));
    assert_cu(cu->MemFree(out));
}

static void count_message(void *user, gpudl_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level <= GPUDL_LOG_WARNING;
}

/* What the driver calls when the graph is gone runs on a thread of its own, beside the close. */
static void a_loader_can_be_closed_right_after_its_graphs(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    struct graph_calls g = find_graph_calls();
    char text[TEXT_SIZE];
    gpudl_source source = numbered(text, 401);
    int complaints = 0;
    CUdeviceptr out;

    (void)state;
    options.log = count_message;
    options.log_user = &complaints;
    assert_cu(cu->MemAlloc(&out, 8));
    assert_cu(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING));
    for (int i = 0; i < 50; i++) {
        gpudl_library *lib;
        gpudl_kernel *first;
        gpudl_loader *l;
        CUgraph graph;
        void *exec;

        assert_ok(gpudl_loader_open(&options, &l));
        assert_ok(gpudl_library_load(l, &source, NULL, &lib));
        assert_ok(gpudl_kernel_get(lib, "first", &first));
        assert_cu(g.begin(config.stream, 2));
        assert_ok(gpudl_launch(first, &config, out));
        assert_cu(g.end(config.stream, &graph));
        assert_cu(g.make(&exec, graph, 0));
        gpudl_kernel_release(first);
        gpudl_library_release(lib);
        assert_cu(g.launch(exec, config.stream));
        assert_cu(g.drop(graph));
        assert_cu(g.drop_exec(exec));
        assert_cu(cu->StreamSynchronize(config.stream));
        gpudl_loader_close(l);
    }
    assert_int_equal(complaints, 0);
    assert_int_equal(read_word(out), 401);
    assert_cu(cu->StreamDestroy(config.stream));
    assert_cu(cu->MemFree(out));
}

static void values_of_globals_are_carried_at_a_named_point(void **state)
{
    static const char a[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 n = 1;\n"
                            ".visible .global .align 4 .u32 gone;\n.visible .const .align 4 .u32 c;\n.visible .global .align 8 .b8 w[8];\n";
    static const char b[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 n = 2;\n"
                            ".visible .const .align 4 .u32 c;\n.visible .global .align 8 .b8 w[16];\n";
    gpudl_library *lib;
    gpudl_version *before, *after;
    CUdeviceptr p;
    size_t copied;

    (void)state;
    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(a, strlen(a)), NULL, &lib));
    assert_ok(gpudl_library_pin(lib, &before));
    assert_ok(gpudl_version_global(before, "n", 0, &p, NULL));
    assert_cu(cu->MemcpyHtoD(p, &(unsigned){ 77 }, 4));
    assert_ok(gpudl_version_global(before, "c", 0, &p, NULL));
    assert_cu(cu->MemcpyHtoD(p, &(unsigned){ 78 }, 4));
    assert_ok(gpudl_library_replace(lib, GPUDL_MEMORY(b, strlen(b)), NULL));
    assert_ok(gpudl_library_pin(lib, &after));
    assert_ok(gpudl_version_global(after, "n", 0, &p, NULL));
    assert_int_equal(read_word(p), 2);
    assert_ok(gpudl_version_copy_globals(before, after, 0, &copied));
    assert_int_equal(copied, 2); /* w has another size */
    assert_int_equal(read_word(p), 77);
    assert_ok(gpudl_version_global(after, "c", 0, &p, NULL));
    assert_int_equal(read_word(p), 78);
    gpudl_version_unpin(before);
    gpudl_version_unpin(after);
    gpudl_library_release(lib);
}

/* A stream that does not wait for the legacy one is captured meanwhile, in the mode that harmless calls of others end. */
static void globals_are_found_and_copied_beside_a_capture(void **state)
{
    static const char a[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 n = 1;\n";
    static const char b[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 n = 2;\n";
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*drop)(CUgraph);
    gpudl_library *one, *two;
    gpudl_version *from, *to;
    CUdeviceptr p;
    CUstream stream;
    CUgraph graph;
    size_t copied;
    int found;

    (void)state;
    assert_cu(cu->GetProcAddress("cuStreamBeginCapture", (void **)&begin, 10010, 0, &found));
    assert_cu(cu->GetProcAddress("cuStreamEndCapture", (void **)&end, 10000, 0, &found));
    assert_cu(cu->GetProcAddress("cuGraphDestroy", (void **)&drop, 10000, 0, &found));
    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(a, strlen(a)), NULL, &one));
    assert_ok(gpudl_library_load(loader, GPUDL_MEMORY(b, strlen(b)), NULL, &two));
    assert_ok(gpudl_library_pin(one, &from));
    assert_ok(gpudl_library_pin(two, &to));
    assert_cu(cu->StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING));
    assert_cu(begin(stream, 0)); /* global */
    assert_ok(gpudl_version_global(from, "n", 0, &p, NULL));
    assert_ok(gpudl_version_copy_globals(from, to, 0, &copied));
    assert_cu(end(stream, &graph));
    assert_int_equal(copied, 1);
    assert_ok(gpudl_version_global(to, "n", 0, &p, NULL));
    assert_int_equal(read_word(p), 1);
    assert_cu(drop(graph));
    assert_cu(cu->StreamDestroy(stream));
    gpudl_version_unpin(from);
    gpudl_version_unpin(to);
    gpudl_library_release(one);
    gpudl_library_release(two);
}

static void a_registered_kernels_parameters_are_the_drivers(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *owner = load_numbered(401), *lib;
    gpudl_registered_kernel own = { "own", NULL, NULL, NULL };
    gpudl_source source = gpudl_source_registered("built in", &own, 1);
    gpudl_version *v;
    CUlibrary native;
    gpudl_kernel *k;
    CUdeviceptr out;

    (void)state;
    assert_cu(cu->MemAlloc(&out, 8));
    assert_ok(gpudl_library_pin(owner, &v));
    assert_ok(gpudl_version_native(v, &native));
    assert_cu(cu->LibraryGetKernel(&own.kernel, native, "first"));
    assert_ok(gpudl_library_load(loader, &source, NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "own", &k));
    if (cu->KernelGetParamInfo)
        assert_int_equal(gpudl_launch(k, &config, out, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS);
    assert_ok(gpudl_kernel_launch_params(k, &config, (void *[]){ &out }));
    assert_cu(cu->CtxSynchronize());
    assert_int_equal(read_word(out), 401);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_version_unpin(v);
    gpudl_library_release(owner);
    assert_cu(cu->MemFree(out));
}

/* ------------------------------------------------------------------------------------------------------- replaced under load */

enum { THREADS = 8, VERSIONS = 6 };

static struct {
    gpudl_library *library;
    CUcontext context;
    atomic_int done, failed, mixed;
    atomic_ulong launches;
} load;

#define expect(condition) ((condition) ? (void)0 : (void)atomic_fetch_add(&load.failed, 1))

/* One launch of what the library is now, and two of one version. */
static void launch_round(gpudl_kernel *first, gpudl_kernel *second, gpudl_launch_config config, CUdeviceptr out)
{
    unsigned words[2] = { 0, 0 };

    expect(gpudl_launch(first, &config, out) == GPUDL_OK);
    expect(gpudl_library_pin(load.library, &config.version) == GPUDL_OK);
    expect(gpudl_launch(first, &config, out) == GPUDL_OK);
    expect(gpudl_launch(second, &config, out) == GPUDL_OK);
    gpudl_version_unpin(config.version);
    expect(cu->StreamSynchronize(config.stream) == 0);
    expect(cu->MemcpyDtoH(words, out, sizeof(words)) == 0);
    if (words[0] != words[1] || words[0] < 1000 || words[0] >= 1000 + VERSIONS)
        atomic_fetch_add(&load.mixed, 1);
    atomic_fetch_add(&load.launches, 3);
}

static void *launch_without_pause(void *unused)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *first, *second;
    CUdeviceptr out = 0;

    (void)unused;
    expect(cu->CtxSetCurrent(load.context) == 0);
    expect(cu->MemAlloc(&out, 8) == 0);
    expect(cu->StreamCreate(&config.stream, GPUDL_STREAM_NON_BLOCKING) == 0);
    expect(gpudl_kernel_get(load.library, "first", &first) == GPUDL_OK);
    expect(gpudl_kernel_get(load.library, "second", &second) == GPUDL_OK);
    while (!atomic_load(&load.done) && !atomic_load(&load.failed))
        launch_round(first, second, config, out);
    gpudl_kernel_release(first);
    gpudl_kernel_release(second);
    expect(cu->StreamDestroy(config.stream) == 0);
    expect(cu->MemFree(out) == 0);
    return NULL;
}

/* Launches go on between replaces, too. */
static void wait_for_launches(unsigned long more)
{
    unsigned long until = atomic_load(&load.launches) + more;

    while (atomic_load(&load.launches) < until && !atomic_load(&load.failed))
        sched_yield();
}

static void replaces_under_load_fail_no_launch_and_mix_no_versions(void **state)
{
    const char *asked = getenv("GPUDL_TEST_REPLACES");
    unsigned replaces = asked ? (unsigned)atoi(asked) : 200;
    pthread_t threads[THREADS];
    gpudl_loader_stats s;

    (void)state;
    alarm(PATIENCE + replaces);
    load.library = load_numbered(1000);
    assert_cu(cu->CtxGetCurrent(&load.context));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_without_pause, NULL), 0);
    for (unsigned i = 1; i <= replaces && !atomic_load(&load.failed); i++) {
        wait_for_launches(i == 1 ? 3 * THREADS : 1);
        expect(replace_by(load.library, 1000 + i % VERSIONS, NULL) == GPUDL_OK);
        s = stats();
        expect(s.warm <= 64 && s.retired <= 64 && s.held <= THREADS + VERSIONS + 2);
    }
    atomic_store(&load.done, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(load.failed, 0);
    assert_int_equal(load.mixed, 0);
    assert_int_equal(gpudl_library_generation(load.library), replaces);
    print_message("%u replaces, %lu launches\n", replaces, load.launches);
    gpudl_library_release(load.library);
    alarm(PATIENCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resident_librarys_first_launch_waits_for_nothing),
        cmocka_unit_test(a_release_waits_for_nothing),
        cmocka_unit_test(a_graph_keeps_the_code_that_it_was_made_of),
        cmocka_unit_test(a_loader_can_be_closed_right_after_its_graphs),
        cmocka_unit_test(values_of_globals_are_carried_at_a_named_point),
        cmocka_unit_test(globals_are_found_and_copied_beside_a_capture),
        cmocka_unit_test(a_registered_kernels_parameters_are_the_drivers),
        cmocka_unit_test(replaces_under_load_fail_no_launch_and_mix_no_versions),
    };
    int failed;

    if (gpudl_loader_open(NULL, &loader) != GPUDL_OK) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    alarm(PATIENCE);
    cu = gpudl_loader_driver(loader);
    assert_ok(gpudl_loader_use_device(loader, 0));
    failed = cmocka_run_group_tests_name(gpudl_loader_driver_text(loader), tests, NULL, NULL);
    cu->CtxSetCurrent(NULL);
    gpudl_loader_close(loader);
    return failed;
}
