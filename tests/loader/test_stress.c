/* Everything at once: threads that load, beside and at once, get kernels, launch in all ways, capture, pin, make resident, replace, go
 * back, watch, trim, reap, cancel and release, each choosing at random. Nobody crashes, hangs, or is told what it should not be; no
 * launch meets code that is gone; launches under one pin are of one version; at the end nothing is left.
 *
 * usage: test_loader_stress [--driver NAME_OR_PATH] [--seed N] [--rounds N] [--steps N]
 *
 * Without --driver over the null driver, which counts misuse. Without --seed one is made up, and printed: the same seed gives each
 * thread the same choices, though not the same times. Where there is no such driver it is skipped (exit code 77). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/loader/stress.h"

/* ------------------------------------------------------------------------------------------------------------ what is loaded */

char texts[VARIANTS][TEXT_SIZE];
char folder[64];

static int kernel_text(char *to, const char *name, const char *more, unsigned number, unsigned offset)
{
    return snprintf(to, TEXT_SIZE / 2,
        ".visible .entry %s(.param .u64 out%s)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [out];\nmov.u32 %%r, %u;\n"
        "st.global.u32 [%%p+%u], %%r;\nret;\n}\n",
        name, more, number, offset);
}

static void make_texts(void)
{
    for (unsigned i = 0; i < VARIANTS; i++) {
        char *t = texts[i];
        t += sprintf(t, ".version 7.0\n.target sm_75\n.address_size 64\n");
        if (i == GOOD + 1)
            t += sprintf(t, ".visible .global .align 4 .u32 n = 5;\n");
        t += kernel_text(t, "first", i == GOOD + 1 ? ", .param .u32 more" : "", FIRST_NUMBER + i, 0);
        if (i != GOOD)
            kernel_text(t, "second", "", FIRST_NUMBER + i, 4);
    }
}

const char *file_path(unsigned i)
{
    static char paths[SHARED][128];

    snprintf(paths[i], sizeof(paths[i]), "%s/%u.ptx", folder, i);
    return paths[i];
}

/* ------------------------------------------------------------------------------------------------------------------- threads */

struct stress stress;

unsigned pick(struct thread *t, unsigned n)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (unsigned)((t->random >> 16) % n);
}

void fail(struct thread *t, const char *format, ...)
{
    va_list args;

    if (atomic_fetch_add(&stress.failed, 1) > 5)
        return;
    fprintf(stderr, "seed %lu, thread %u, step %lu, %s: ", stress.seed, t->index, t->step, t->doing);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

bool is_one_of(struct thread *t, gpudl_status status, ...)
{
    bool found = status == GPUDL_OK;
    va_list args;

    va_start(args, status);
    for (int one; !found && (one = va_arg(args, int)) >= 0;)
        found = (int)status == one;
    va_end(args);
    if (!found)
        fail(t, "%s: %s", gpudl_status_name(status), gpudl_error_text());
    return status == GPUDL_OK;
}
static unsigned pick_action(struct thread *t)
{
    unsigned all = 0, i = 0, at;

    for (unsigned a = 0; a < action_count; a++)
        all += actions[a].weight;
    for (at = pick(t, all); at >= actions[i].weight; i++)
        at -= actions[i].weight;
    return i;
}

static void prepare(struct thread *t)
{
    void *words = NULL;

    t->doing = "the beginning";
    if (gpudl_loader_use_device(stress.loader, 0) != GPUDL_OK ||
        stress.cu->StreamCreate(&t->stream, GPUDL_STREAM_NON_BLOCKING) != 0 ||
        stress.cu->MemHostAlloc(&words, 8, 3) != 0) /* portable, mapped */
        fail(t, "no context, stream or memory");
    t->words = words;
}

/* One thread makes what LLVM makes once: ThreadSanitizer does not see how LLVM guards it. */
static void warm_up(struct thread *t)
{
    prepare(t);
    while (!t->libraries[0])
        load(t);
    is_one_of(t, gpudl_kernel_get(t->libraries[0], "first", &t->kernels[0]), -1);
    for (int i = 0; i < 4 * OWN; i++)
        launch(t);
    let_all_go(t);
}

static void *work(void *user)
{
    struct thread *t = user;
    unsigned a;

    prepare(t);
    pthread_barrier_wait(&stress.frame);
    for (t->step = 0; t->step < stress.steps && !atomic_load(&stress.failed); t->step++) {
        a = pick_action(t);
        t->doing = actions[a].name;
        actions[a].act(t);
        atomic_fetch_add_explicit(&stress.counts[a], 1, memory_order_relaxed);
    }
    pthread_barrier_wait(&stress.frame);
    let_all_go(t);
    return NULL;
}

static bool find_graph_calls(void)
{
    int found;

    return stress.cu->GetProcAddress("cuStreamBeginCapture", (void **)&stress.begin, 10010, 0, &found) == 0 &&
        stress.cu->GetProcAddress("cuStreamEndCapture", (void **)&stress.end, 10000, 0, &found) == 0 &&
        stress.cu->GetProcAddress("cuGraphInstantiateWithFlags", (void **)&stress.make, 11040, 0, &found) == 0 &&
        stress.cu->GetProcAddress("cuGraphLaunch", (void **)&stress.run, 10000, 0, &found) == 0 &&
        stress.cu->GetProcAddress("cuGraphDestroy", (void **)&stress.drop, 10000, 0, &found) == 0 &&
        stress.cu->GetProcAddress("cuGraphExecDestroy", (void **)&stress.drop_exec, 10000, 0, &found) == 0;
}

/* The loader is of the seed's making, too. */
static void open_loader(struct thread *t)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    static const unsigned counts[] = { 0, 1, 3, GPUDL_NONE_AT_ALL };

    o.driver = stress.driver;
    o.captures = pick(t, 2) ? GPUDL_CAPTURES_NONE : 0;
    o.warm_count = counts[pick(t, 4)];
    o.retired_count = counts[pick(t, 4)];
    o.workers = pick(t, 5);
    stress.captures = !o.captures;
    stress.loader = harness_open_with(o);
    stress.cu = gpudl_loader_driver(stress.loader);
    if (stress.driver && !find_graph_calls())
        fail(t, "no calls for graphs");
}

/* A graph's hold on its code may be let go on a thread of the driver's, some time after. */
static void wait_for_graphs(void)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };

    for (int i = 0; stress.driver && i < 10000; i++) {
        if (gpudl_loader_statistics(stress.loader, &stats) != GPUDL_OK || !stats.held)
            return;
        usleep(1000);
    }
}

static void close_loader(struct thread *t)
{
    const char *misuse = "";

    for (int i = 0; i < SHARED; i++) {
        gpudl_library_release(stress.shared[i].library);
        stress.shared[i].library = NULL;
    }
    wait_for_graphs();
    gpudl_loader_close(stress.loader);
    if (harness_live_blocks() || strstr(harness_log(), "gpudl_loader_close"))
        fail(t, "%ld blocks are left: %s", harness_live_blocks(), harness_log());
    if (stress.driver)
        return;
    if (nulldrv_alive("library") || nulldrv_alive("context") || nulldrv_alive("event") || nulldrv_misuses(NULL)) {
        nulldrv_misuses(&misuse);
        fail(t, "left: %ld libraries, %ld contexts, %ld events; misuse: %s", nulldrv_alive("library"), nulldrv_alive("context"),
            nulldrv_alive("event"), misuse);
    }
}

static void run_round(unsigned long seed)
{
    struct thread main_thread = { .random = seed * 0x9e3779b97f4a7c15u + 1, .index = THREADS, .doing = "the frame" };
    static struct thread threads[THREADS];
    pthread_t ids[THREADS];

    stress.seed = seed;
    nulldrv_reset();
    open_loader(&main_thread);
    for (unsigned i = 0; i < SHARED; i++)
        write_file(&main_thread);
    if (stress.driver)
        warm_up(&main_thread);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){ .random = main_thread.random + 0x9e3779b97f4a7c15u * (i + 1), .index = i };
        if (pthread_create(&ids[i], NULL, work, &threads[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    close_loader(&main_thread);
}

static void prepare_files(void)
{
    strcpy(folder, "/tmp/gpudl-stress-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    for (unsigned i = 0; i < SHARED; i++) {
        FILE *f = fopen(file_path(i), "w");
        if (!f || fputs(texts[i], f) < 0 || fclose(f) != 0)
            abort();
    }
}

static void remove_files(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

static unsigned long number(char **argv, const char *name, unsigned long otherwise)
{
    for (; *argv; argv++)
        if (strcmp(*argv, name) == 0 && argv[1])
            return strtoul(argv[1], NULL, 0);
    return otherwise;
}

static bool is_there(void)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    o.driver = stress.driver;
    if (gpudl_loader_open(&o, &l) != GPUDL_OK)
        return false;
    gpudl_loader_close(l);
    return true;
}

int main(int argc, char **argv)
{
    unsigned long seed = number(argv, "--seed", (unsigned long)time(NULL) ^ (unsigned long)getpid() << 20);
    unsigned long rounds = number(argv, "--rounds", 1);

    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--driver") == 0)
            stress.driver = argv[i + 1];
    stress.steps = number(argv, "--steps", 2000);
    if (stress.driver && !is_there()) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    pthread_barrier_init(&stress.frame, NULL, THREADS);
    pthread_rwlock_init(&stress.capturing, NULL);
    for (int i = 0; i < SHARED; i++)
        pthread_rwlock_init(&stress.shared[i].lock, NULL);
    make_texts();
    prepare_files();
    for (unsigned long i = 0; i < rounds && !atomic_load(&stress.failed); i++) {
        printf("seed %lu\n", seed + i);
        fflush(stdout);
        alarm(300);
        run_round(seed + i);
    }
    remove_files();
    for (unsigned a = 0; a < action_count; a++)
        printf("%s %lu%s", actions[a].name, stress.counts[a], a + 1 < action_count ? ", " : "");
    printf(", tasks told %lu, changes told %lu\n", stress.counts[31], stress.counts[30]);
    return atomic_load(&stress.failed) != 0;
}
