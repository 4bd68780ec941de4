/* Machine code outlives the process that made it, is found by everything that it depends on and by nothing else, and is made again
 * whenever what is on disk is no good. The test runs itself as the programs: `test_cache_code KERNEL BLOCK FACTOR LOADS` launches a
 * kernel, LOADS times or in -LOADS threads, and prints whether the result is right, and softcuda's counts. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softcuda/api/abi.h"
#include "softcuda/api/functions.h"
#include "softcuda/jit/disk.h"
#include "tests/cache/folder.h"

/* ---- the program */

#define MOST 1024

/* fill: p[i] = i * FACTOR. turn: the same, by way of the mirrored thread and a barrier. */
static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, FACTOR;\n"
    "mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r2;\nret;\n}\n"
    ".visible .entry turn(.param .u64 p)\n{\n.reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 4 .b8 s[4096];\n"
    "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; mov.u32 %r1, %tid.x; mov.u32 %r3, %ntid.x; sub.u32 %r4, %r3, %r1; sub.u32 %r4, %r4, 1;\n"
    "mul.lo.u32 %r2, %r4, FACTOR; mov.u32 %r5, s; mad.lo.u32 %r6, %r4, 4, %r5; st.shared.u32 [%r6], %r2;\nbar.sync 0;\n"
    "mad.lo.u32 %r6, %r1, 4, %r5; ld.shared.u32 %r7, [%r6];\n"
    "mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r7;\nret;\n}\n";

static void *library;

static void *function(const char *name)
{
    void *f = dlsym(library, name);

    if (!f)
        exit(3);
    return f;
}

#define CALL(name, ...) \
    do { \
        __typeof__(&name) f_ = (__typeof__(&name))function(#name); \
        int code_ = f_(__VA_ARGS__); \
        if (code_) { \
            fprintf(stderr, #name ": %d\n", code_); \
            exit(4); \
        } \
    } while (0)

/* The text with the factor in it. */
static char *write_text(const char *factor)
{
    static _Thread_local char out[2 * sizeof(text)];
    const char *from = text, *at;
    char *to = out;

    while ((at = strstr(from, "FACTOR"))) {
        to += sprintf(to, "%.*s%s", (int)(at - from), from, factor);
        from = at + strlen("FACTOR");
    }
    strcpy(to, from);
    return out;
}

static bool launch(const char *image, const char *kernel, unsigned block, unsigned factor, CUdeviceptr memory)
{
    uint32_t out[MOST] = { 0 };
    void *params[] = { &memory };
    CUmodule module;
    CUfunction f;
    bool right = true;

    CALL(cuModuleLoadData, &module, image);
    CALL(cuModuleGetFunction, &f, module, kernel);
    CALL(cuLaunchKernel, f, 1, 1, 1, block, 1, 1, 0, NULL, params, NULL);
    CALL(cuMemcpyDtoH_v2, out, memory, sizeof(out));
    for (unsigned i = 0; i < block; i++)
        right = right && out[i] == i * factor;
    return right;
}

struct job {
    char **argv;
    CUcontext context;
    CUdeviceptr memory;
    bool right;
};

static void *work(void *arg)
{
    struct job *j = arg;

    CALL(cuCtxSetCurrent, j->context);
    CALL(cuMemAlloc_v2, &j->memory, MOST * 4);
    j->right = launch(write_text(j->argv[3]), j->argv[1], (unsigned)atoi(j->argv[2]), (unsigned)atoi(j->argv[3]), j->memory);
    return NULL;
}

/* n threads, at once. */
static bool work_together(char **argv, CUcontext context, int n)
{
    pthread_t threads[16];
    struct job jobs[16];
    bool right = true;

    for (int i = 0; i < n; i++) {
        jobs[i] = (struct job){ argv, context, 0, false };
        if (pthread_create(&threads[i], NULL, work, &jobs[i]))
            exit(5);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        right = right && jobs[i].right;
    }
    return right;
}

static int program(char **argv)
{
    void (*stats_of)(struct softcuda_cache_stats *);
    struct softcuda_cache_stats stats;
    CUcontext context;
    struct job job = { argv, NULL, 0, true };
    int times = atoi(argv[4]);
    bool right = true;

    library = dlopen("libsoftcuda.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    job.context = context;
    for (int i = 0; i < times; i++) {
        work(&job);
        right = right && job.right;
    }
    if (times < 0)
        right = work_together(argv, context, -times);
    *(void **)&stats_of = function("softcuda_cache_stats");
    stats_of(&stats);
    printf("%s %d %d %d %d\n", right ? "right" : "wrong", (int)stats.hits, (int)stats.misses, (int)stats.stored, (int)stats.healed);
    return 0;
}

/* ---- the tests */

static char self[256], said[600];       /* what the last program wrote to stderr */

static FILE *begin(const char *variables, const char *arguments)
{
    char command[1000];

    snprintf(command, sizeof(command), "GPUDL_CACHE_DIR=%s %s \"%s\" %s 2>%s.said", folder, variables, self, arguments, folder);
    return popen(command, "r");
}

static void end(FILE *program_output, char line[64])
{
    char path[128];

    assert_non_null(fgets(line, 64, program_output));
    line[strcspn(line, "\n")] = 0;
    assert_int_equal(pclose(program_output), 0);
    snprintf(path, sizeof(path), "%s.said", folder);
    said[read_bytes(path, (unsigned char *)said, sizeof(said) - 1)] = 0;
}

/* hits, misses, stored, healed */
static void run(const char *variables, const char *arguments, const char *expected)
{
    char line[64];

    end(begin(variables, arguments), line);
    assert_string_equal(line, expected);
}

static void assert_quiet(void)
{
    assert_string_equal(said, "");
}

static void the_next_process_finds_the_code(void **state)
{
    (void)state;
    run("", "fill 96 3 1", "right 0 1 1 0");
    run("", "fill 96 3 1", "right 1 0 0 0");
    run("", "turn 96 3 1", "right 0 1 1 0");    /* waits at a barrier: needs fibers again */
    run("", "turn 96 3 1", "right 1 0 0 0");
    assert_quiet();
}

static void everything_that_matters_is_in_the_key(void **state)
{
    (void)state;
    run("", "fill 64 3 1", "right 0 1 1 0");
    run("", "fill 96 3 1", "right 0 1 1 0");
    run("", "fill 64 5 1", "right 0 1 1 0");
    run("", "turn 64 3 1", "right 0 1 1 0");
    run("SOFTCUDA_CPU=" OTHER_CPU, "fill 64 3 1", "right 0 1 1 0");
    run("SOFTCUDA_CPU=" OTHER_CPU, "fill 64 3 1", "right 1 0 0 0");
    run("", "fill 64 3 1", "right 1 0 0 0");
}

static void modules_of_one_text_share_the_code(void **state)
{
    (void)state;
    run("", "turn 64 3 5", "right 0 1 1 0");
    run("", "turn 64 3 5", "right 1 0 0 0");
}

static void threads_share_one_compile(void **state)
{
    (void)state;
    run("", "turn 64 3 -8", "right 0 1 1 0");
    run("", "turn 64 3 -8", "right 1 0 0 0");
    run("SOFTCUDA_CACHE=off", "turn 64 3 -8", "right 0 0 0 0");
}

static void each_key(void *user, const struct cache_item *item)
{
    *(struct cache_key *)user = *item->key;
}

static struct cache_key the_only_key(struct cache *c)
{
    struct cache_total total;
    struct cache_key key;

    assert_true(gpudl__cache_list(c, each_key, &key, &total));
    assert_int_equal(total.entries, 1);
    return key;
}

static void a_damaged_entry_is_compiled_again(void **state)
{
    struct cache *c = cache_here();
    static unsigned char bytes[1 << 20];
    char name[CACHE_KEY_TEXT], path[256];
    struct cache_key key;
    size_t n;

    (void)state;
    run("", "fill 96 3 1", "right 0 1 1 0");
    key = the_only_key(c);
    gpudl__key_print(&key, name);
    snprintf(path, sizeof(path), "%s/v2/%s", folder, name);
    n = read_bytes(path, bytes, sizeof(bytes));
    bytes[n - 100] ^= 1;
    write_bytes(path, bytes, n);
    run("", "fill 96 3 1", "right 0 1 1 1");
    run("", "fill 96 3 1", "right 1 0 0 0");
    assert_quiet();
    gpudl__cache_close(c);
}

/* Sealed with the right secret, and no object file all the same; or one with nothing of that name in it. */
static void an_entry_that_does_not_load_is_compiled_again(void **state)
{
    struct cache *c = cache_here();
    struct cache_key key, other = { { 1 } };
    struct cache_hit hit;
    unsigned char meta[16] = { 0 };

    (void)state;
    run("", "fill 96 3 1", "right 0 1 1 0");
    key = the_only_key(c);
    assert_true(gpudl__cache_get(c, &key, &hit));
    assert_true(gpudl__cache_put(c, &key, "", (struct span){ meta, 16 }, (struct span){ meta, 0 }));
    run("", "fill 96 3 1", "right 1 0 1 1");
    assert_true(gpudl__cache_put(c, &key, "", (struct span){ meta, 16 }, (struct span){ hit.data.data, hit.data.size / 2 }));
    run("", "fill 96 3 1", "right 1 0 1 1");
    run("", "fill 96 3 1", "right 1 0 0 0");
    gpudl__cache_release(&hit);

    gpudl__cache_drop(c, &key);
    run("", "fill 64 3 1", "right 0 1 1 0");
    other = the_only_key(c);
    assert_true(gpudl__cache_get(c, &other, &hit));
    assert_true(gpudl__cache_put(c, &key, "", hit.meta, hit.data));
    run("", "fill 96 3 1", "right 1 0 1 1");
    gpudl__cache_release(&hit);
    assert_quiet();
    gpudl__cache_close(c);
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    run("SOFTCUDA_CACHE=off", "fill 96 3 1", "right 0 0 0 0");
    assert_int_equal(access(folder, F_OK), -1);
    assert_quiet();
}

static unsigned lines(const char *s)
{
    unsigned n = 0;

    for (; *s; s++)
        n += *s == '\n';
    return n;
}

static void a_bad_folder_is_told_once_and_all_runs(void **state)
{
    (void)state;
    write_bytes(folder, "x", 1);
    run("", "fill 96 3 3", "right 0 1 0 0");
    assert_int_equal(lines(said), 1);
    assert_non_null(strstr(said, folder));
    assert_non_null(strstr(said, "GPUDL_CACHE_DIR"));
    run("GPUDL_QUIET=1", "fill 96 3 1", "right 0 1 0 0");
    assert_quiet();
}

static void processes_may_start_together(void **state)
{
    FILE *programs[8];
    struct cache *c = cache_here();
    char line[64];

    (void)state;
    for (int i = 0; i < 8; i++)
        programs[i] = begin("", "turn 128 7 2");
    for (int i = 0; i < 8; i++) {
        end(programs[i], line);
        assert_int_equal(strncmp(line, "right ", 6), 0);
    }
    the_only_key(c);
    run("", "turn 128 7 2", "right 1 0 0 0");
    gpudl__cache_close(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_new, folder_remove)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(the_next_process_finds_the_code), TEST(everything_that_matters_is_in_the_key),
        TEST(modules_of_one_text_share_the_code), TEST(threads_share_one_compile), TEST(a_damaged_entry_is_compiled_again),
        TEST(an_entry_that_does_not_load_is_compiled_again), TEST(it_can_be_switched_off),
        TEST(a_bad_folder_is_told_once_and_all_runs), TEST(processes_may_start_together),
    };
    ssize_t n;

    if (argc == 5)
        return program(argv);
    n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
