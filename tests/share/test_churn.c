/* Plugins that come and go in threads, by chance: each with a copy of gpudl of its own, each loading what others have, launching,
 * leaving in order or as it is; and children of the process, in which one of them crashes. The others go on: every launch works, and
 * at the end nothing is left but what nobody could take over.
 *
 * usage: test_share_churn [--driver NAME_OR_PATH] [--seed N] [--steps N] [--cpu-seconds N]
 *
 * Without --driver over the null driver, which counts misuse. --steps: of each thread; --cpu-seconds: instead, until the process has
 * used so much. Without --seed one is made up, and printed. Where there is no such driver it is skipped (exit code 77). */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/harness/harness.h"
#include "tests/share/copy.h"

enum { THREADS = 4, PLUGINS = 4, CONTENTS = 6, TEXT_SIZE = 1024, FIRST_NUMBER = 1000 };

/* Asked by LeakSanitizer: a plugin that goes with its loader open leaves its heap. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static const char *driver;
static bool is_null;
static unsigned long seed, steps = 100, cpu_seconds;
static char texts[CONTENTS][TEXT_SIZE];
static atomic_int failed, children, abandoned;

/* A plugin of one thread, with what it has. */
struct guest {
    struct plugin plugin;
    gpudl_loader *loader;
    gpudl_library *library;
    unsigned content;
};

struct thread {
    unsigned index;
    uint64_t random;
    unsigned long step;
    struct guest guests[PLUGINS];
    unsigned *words; /* mapped; NULL: the driver runs no kernels */
};

static unsigned pick(struct thread *t, unsigned n)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (unsigned)((t->random >> 16) % n);
}

static void fail(const struct thread *t, const char *format, ...)
{
    va_list args;

    if (atomic_fetch_add(&failed, 1) > 5)
        return;
    fprintf(stderr, "seed %lu, thread %u, step %lu: ", seed, t->index, t->step);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

#define must(t, g, call) ((g)->plugin.copy->call == GPUDL_OK || (fail(t, "%s: %s", #call, (g)->plugin.copy->error_text()), false))

static void make_texts(void)
{
    for (unsigned i = 0; i < CONTENTS; i++)
        snprintf(texts[i], TEXT_SIZE,
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\n"
            "ld.param.u64 %%p, [out];\nmov.u32 %%r, %u;\nst.global.u32 [%%p], %%r;\nret;\n}\n",
            FIRST_NUMBER + i);
}

static void log_nothing(void *user, gpudl_log_level level, const char *text)
{
    (void)user;
    if (level == GPUDL_LOG_ERROR)
        fprintf(stderr, "%s\n", text);
}

/* --------------------------------------------------------------------------------------------------------- what they do */

/* ThreadSanitizer does not see that the dynamic linker maps a plugin where another one was, and takes them for one: there plugins
 * stay, and their loaders come and go. */
#ifdef __SANITIZE_THREAD__
enum { PLUGINS_GO = 0 };
#else
enum { PLUGINS_GO = 1 };
#endif

static void come(struct thread *t, struct guest *g)
{
    static const char *const kinds[] = { "static", "static", "static", "shared", "other" };
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.driver = driver;
    options.log = log_nothing;
    if (pick(t, 4) == 0)
        options.warm_count = options.retired_count = GPUDL_NONE_AT_ALL;
    if (!g->plugin.handle && !plugin_open(&g->plugin, kinds[pick(t, 5)]))
        fail(t, "no plugin");
    else if (must(t, g, loader_open(&options, &g->loader)))
        must(t, g, loader_use_device(g->loader, 0));
}

static void release(struct guest *g)
{
    g->plugin.copy->library_release(g->library);
    g->library = NULL;
}

static void go(struct guest *g)
{
    release(g);
    g->plugin.copy->loader_close(g->loader);
    if (PLUGINS_GO)
        plugin_close(&g->plugin); /* a shared one may be somebody else's, too */
    g->loader = NULL;
}

/* With all that it has. Contexts stay retained, so it is done seldom. */
static void go_as_it_is(struct guest *g)
{
    atomic_fetch_add(&abandoned, 1);
    plugin_close(&g->plugin);
    g->library = NULL;
    g->loader = NULL;
}

static void load(struct thread *t, struct guest *g)
{
    release(g);
    g->content = pick(t, CONTENTS);
    must(t, g, library_load(g->loader, GPUDL_MEMORY(texts[g->content], strlen(texts[g->content])), NULL, &g->library));
}

static void replace(struct thread *t, struct guest *g)
{
    unsigned content = pick(t, CONTENTS);

    if (must(t, g, library_replace(g->library, GPUDL_MEMORY(texts[content], strlen(texts[content])), NULL)))
        g->content = content;
}

static void check_word(struct thread *t, struct guest *g)
{
    if (g->plugin.copy->loader_driver(g->loader)->CtxSynchronize() != 0)
        fail(t, "cuCtxSynchronize");
    else if (*t->words != FIRST_NUMBER + g->content)
        fail(t, "the kernel wrote %u, not %u", *t->words, FIRST_NUMBER + g->content);
}

static void launch(struct thread *t, struct guest *g)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr out = (CUdeviceptr)(uintptr_t)t->words;
    gpudl_arg arg = { GPUDL_ARG_POINTER, sizeof(out), { .pointer = t->words } };
    void *params[] = { &out };
    gpudl_kernel *k;

    if (!must(t, g, kernel_get(g->library, "k", &k)))
        return;
    if (t->words)
        *t->words = 0;
    if (pick(t, 2) ? must(t, g, kernel_launch(k, &config, &arg, 1)) : must(t, g, kernel_launch_params(k, &config, params)))
        if (t->words)
            check_word(t, g);
    g->plugin.copy->kernel_release(k);
}

/* Is run in a process of its own, where no thread is but this one. */
static void crash(const struct guest *g)
{
    const struct rlimit none = { 0, 0 };

    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    g->plugin.copy->crash();
    _exit(0);
}

static void crash_in_a_child(struct thread *t, struct guest *g)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        crash(g);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
        fail(t, "a child ended with %#x", status);
    atomic_fetch_add(&children, 1);
}

static void reap(struct thread *t, struct guest *g)
{
    must(t, g, loader_trim(g->loader, 0, 0));
    must(t, g, loader_reap(g->loader, 0, NULL));
}

static void step(struct thread *t)
{
    struct guest *g = &t->guests[pick(t, PLUGINS)];
    unsigned what = pick(t, 100);

    if (!g->loader)
        come(t, g);
    else if (what < 25 || !g->library)
        load(t, g);
    else if (what < 60)
        launch(t, g);
    else if (what < 70)
        replace(t, g);
    else if (what < 75)
        release(g);
    else if (what < 80)
        reap(t, g);
    else if (what == 80 && pick(t, 4) == 0)
        crash_in_a_child(t, g);
    else if (what == 81 && PLUGINS_GO && strstr(g->plugin.path, "gpudl-share-"))
        go_as_it_is(g);
    else if (what < 95)
        go(g);
}

/* ------------------------------------------------------------------------------------------------------------- threads */

static bool has_time(const struct thread *t)
{
    struct timespec used;

    if (!cpu_seconds)
        return t->step < steps;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (unsigned long)used.tv_sec < cpu_seconds;
}

static void *run(void *user)
{
    struct thread *t = user;

    for (; has_time(t) && !atomic_load(&failed); t->step++)
        step(t);
    for (int i = 0; i < PLUGINS; i++)
        if (t->guests[i].loader)
            go(&t->guests[i]);
    return NULL;
}

/* The program's own copy is there all the time, and has memory that kernels write to. */
static void prepare(struct thread *t, unsigned index, gpudl_loader *l)
{
    void *words = NULL;

    *t = (struct thread){ .index = index, .random = seed * 0x9e3779b97f4a7c15u + index + 1 };
    if (!is_null && gpudl_loader_driver(l)->MemHostAlloc(&words, sizeof(*t->words), 3) != 0) /* portable, mapped */
        fail(t, "no memory");
    t->words = words;
}

static void churn(gpudl_loader *l)
{
    struct thread *threads = calloc(THREADS, sizeof(*threads));
    pthread_t handles[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        prepare(&threads[i], i, l);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&handles[i], NULL, run, &threads[i]);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(handles[i], NULL);
    free(threads);
}

/* What was handed on comes to the loader that lets go of something. */
static bool take_in(gpudl_loader *l)
{
    gpudl_library *lib;

    if (gpudl_library_load(l, GPUDL_MEMORY(texts[0], strlen(texts[0])), NULL, &lib) != GPUDL_OK)
        return false;
    gpudl_library_release(lib);
    return gpudl_loader_trim(l, 0, 0) == GPUDL_OK && gpudl_loader_reap(l, UINT64_C(5000000000), NULL) == GPUDL_OK;
}

static bool is_clean(void)
{
    const char *text;

    if (!is_null)
        return true;
    if (nulldrv_misuses(&text))
        fprintf(stderr, "the driver was misused: %s\n", text);
    /* A copy of another format hands on to nobody but its own. */
    if (nulldrv_alive("library") > atomic_load(&abandoned))
        fprintf(stderr, "%ld libraries are left of %d plugins\n", nulldrv_alive("library"), abandoned);
    return nulldrv_misuses(NULL) == 0 && nulldrv_alive("library") <= atomic_load(&abandoned);
}

static void read_options(int argc, char **argv)
{
    seed = (unsigned long)time(NULL) ^ (unsigned long)getpid() << 16;
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long n = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--driver") == 0)
            driver = argv[i + 1];
        else if (strcmp(argv[i], "--seed") == 0)
            seed = n;
        else if (strcmp(argv[i], "--steps") == 0)
            steps = n;
        else if (strcmp(argv[i], "--cpu-seconds") == 0)
            cpu_seconds = n;
        else
            exit(2);
    }
    is_null = !driver;
    if (is_null)
        driver = harness_null_driver();
    printf("seed %lu\n", seed);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;
    bool ok;

    read_options(argc, argv);
    make_texts();
    options.driver = driver;
    if (gpudl_loader_open(&options, &l) != GPUDL_OK) {
        printf("skipped: %s\n", gpudl_error_text());
        return 77;
    }
    gpudl_loader_use_device(l, 0);
    churn(l);
    ok = take_in(l) && is_clean() && !atomic_load(&failed);
    printf("%d children crashed, %d plugins went as they were\n", children, abandoned);
    gpudl_loader_close(l);
    return !ok;
}
