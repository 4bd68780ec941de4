/* Everything at once: threads that load, beside and at once, get kernels, launch in all ways, capture, pin, make resident, replace, go
 * back, watch, trim, reap, cancel and release, each choosing at random. Nobody crashes, hangs, or is told what it should not be; no
 * launch meets code that is gone; launches under one pin are of one version; at the end nothing is left.
 *
 * usage: test_loader_stress [--driver NAME_OR_PATH] [--seed N] [--rounds N] [--steps N]
 *
 * Without --driver over the null driver, which counts misuse. Without --seed one is made up, and printed: the same seed gives each
 * thread the same choices, though not the same times. Where there is no such driver it is skipped (exit code 77). */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/harness/harness.h"

enum { THREADS = 6, SHARED = 4, OWN = 8, VARIANTS = 8, GOOD = 6, FIRST_NUMBER = 1000, TEXT_SIZE = 1024, MOMENT = 1000000 /* ns */ };

/* ------------------------------------------------------------------------------------------------------------ what is loaded */

/* The good ones can take each other's place; one lacks a kernel; one takes other parameters, and has a global. */
static char texts[VARIANTS][TEXT_SIZE];
static char folder[64];

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

static const char *file_path(unsigned i)
{
    static char paths[SHARED][128];

    snprintf(paths[i], sizeof(paths[i]), "%s/%u.ptx", folder, i);
    return paths[i];
}

/* ------------------------------------------------------------------------------------------------------------------- threads */

static struct stress {
    const char *driver;         /* NULL: the null driver */
    unsigned long seed, steps;
    gpudl_loader *loader;
    const gpudl_driver_table *cu;
    bool captures;
    pthread_barrier_t frame;    /* before all, and after: nobody captures then */
    pthread_rwlock_t capturing; /* held by those who capture; to be had by those who reap */
    struct {
        pthread_rwlock_t lock;  /* written by the one who releases and loads anew */
        gpudl_library *library;
    } shared[SHARED];
    atomic_int failed, running;
    atomic_ulong counts[32];
    int (*begin)(CUstream, int), (*end)(CUstream, CUgraph *), (*make)(void **, CUgraph, unsigned long long);
    int (*run)(void *, CUstream), (*drop)(CUgraph), (*drop_exec)(void *);
} s;

struct graph {
    CUgraph graph;              /* the null driver's */
    void *exec;                 /* another's */
};

/* What a thread has, each in a place of its own; NULL: none. */
struct thread {
    uint64_t random;
    unsigned index;
    unsigned long step;
    const char *doing;
    CUstream stream;
    unsigned *words;            /* two, on device and host */
    gpudl_library *libraries[OWN];
    gpudl_kernel *kernels[OWN];
    gpudl_version *pins[OWN];
    gpudl_task *tasks[OWN];
    struct graph graphs[OWN];
};

static unsigned pick(struct thread *t, unsigned n)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (unsigned)((t->random >> 16) % n);
}

static __attribute__((format(printf, 2, 3))) void fail(struct thread *t, const char *format, ...)
{
    va_list args;

    if (atomic_fetch_add(&s.failed, 1) > 5)
        return;
    fprintf(stderr, "seed %lu, thread %u, step %lu, %s: ", s.seed, t->index, t->step, t->doing);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* The status is one of these, up to -1. */
static bool is_one_of(struct thread *t, gpudl_status status, ...)
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

/* A shared library, to be given back, or one of its own; NULL: there is none. */
struct lent {
    gpudl_library *library;
    int shared;                 /* -1: its own */
};

static struct lent lend(struct thread *t)
{
    struct lent l = { NULL, (int)pick(t, SHARED) };

    if (pick(t, 2)) {
        pthread_rwlock_rdlock(&s.shared[l.shared].lock);
        l.library = s.shared[l.shared].library;
        return l;
    }
    l.shared = -1;
    l.library = t->libraries[pick(t, OWN)];
    return l;
}

static void give_back(struct lent l)
{
    if (l.shared >= 0)
        pthread_rwlock_unlock(&s.shared[l.shared].lock);
}

static gpudl_source memory(struct thread *t, unsigned variants)
{
    const char *text = texts[pick(t, variants)];

    return gpudl_source_memory(text, strlen(text));
}

static gpudl_when some_time(struct thread *t)
{
    switch (pick(t, 3)) {
    case 0: return gpudl_now();
    case 1: return gpudl_when_idle(MOMENT);
    default: return gpudl_by(MOMENT);
    }
}

/* ------------------------------------------------------------------------------------------------------------------- loading */

static void load(struct thread *t)
{
    gpudl_library **place = &t->libraries[pick(t, OWN)];
    gpudl_source sources[2] = { gpudl_source_file("/nowhere"), memory(t, VARIANTS) };
    size_t which;

    gpudl_library_release(*place);
    *place = NULL;
    if (pick(t, 4))
        is_one_of(t, gpudl_library_load(s.loader, &sources[1], NULL, place), -1);
    else if (is_one_of(t, gpudl_library_load_first(s.loader, sources, 2, NULL, &which, place), -1) && which != 1)
        fail(t, "source %zu", which);
}

static void count_task(void *user, gpudl_task *task)
{
    gpudl_task_ended(task);
    atomic_fetch_add((atomic_ulong *)user, 1);
}

static void load_beside(struct thread *t)
{
    gpudl_task **place = &t->tasks[pick(t, OWN)];
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_source source = memory(t, VARIANTS);

    gpudl_task_release(*place);
    *place = NULL;
    o.flags = pick(t, 4); /* resident, after a stream */
    o.stream = t->stream;
    o.when = some_time(t);
    o.done = count_task;
    o.user = &s.counts[31];
    is_one_of(t, gpudl_library_load_async(s.loader, &source, NULL, &o, place), -1);
}

static void use_task(struct thread *t)
{
    gpudl_task **task = &t->tasks[pick(t, OWN)];
    gpudl_library **place = &t->libraries[pick(t, OWN)];
    gpudl_library *lib = NULL;

    if (!*task)
        return;
    if (!pick(t, 4))
        gpudl_task_cancel(*task);
    is_one_of(t, gpudl_task_wait(*task, pick(t, 2) * MOMENT), GPUDL_ERROR_TIMEOUT, GPUDL_ERROR_CANCELLED, GPUDL_ERROR_REPLACE, -1);
    if (gpudl_task_library(*task, &lib) == GPUDL_OK) {
        gpudl_library_release(*place);
        *place = lib;
    }
    if (pick(t, 2)) {
        gpudl_task_release(*task);
        *task = NULL;
    }
}

static void reload_shared(struct thread *t)
{
    unsigned i = pick(t, SHARED);

    pthread_rwlock_wrlock(&s.shared[i].lock);
    gpudl_library_release(s.shared[i].library);
    s.shared[i].library = NULL;
    /* What is half-written, or was left damaged, is refused; then there is none for a while. */
    is_one_of(t, gpudl_library_load(s.loader, GPUDL_FILE(file_path(i)), NULL, &s.shared[i].library), GPUDL_ERROR_NOT_AN_IMAGE,
        GPUDL_ERROR_PTX, GPUDL_ERROR_IMAGE_EMPTY, GPUDL_ERROR_IMAGE_TRUNCATED, GPUDL_ERROR_IMAGE_DAMAGED, GPUDL_ERROR_NO_KERNELS,
        GPUDL_ERROR_FILE_UNREADABLE, -1);
    pthread_rwlock_unlock(&s.shared[i].lock);
}

/* In place, or renamed to; seldom damaged. */
static void write_file(struct thread *t)
{
    unsigned i = pick(t, SHARED);
    const char *text = pick(t, 8) ? texts[pick(t, GOOD)] : "damaged";
    char other[160];
    int fd;

    snprintf(other, sizeof(other), "%s/%u-new", folder, t->index);
    if (pick(t, 2))
        snprintf(other, sizeof(other), "%s/%u.ptx", folder, i);
    fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        fail(t, "%s cannot be written", other);
    close(fd);
    if (!strstr(other, ".ptx")) {
        char path[160];
        snprintf(path, sizeof(path), "%s/%u.ptx", folder, i);
        rename(other, path);
    }
}

/* --------------------------------------------------------------------------------------------------------------- life */

static void replace(struct thread *t)
{
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_source source = memory(t, VARIANTS);
    struct lent l = lend(t);
    gpudl_task **place = &t->tasks[pick(t, OWN)];

    o.flags = pick(t, 2);
    o.when = some_time(t);
    if (l.library && pick(t, 3))
        is_one_of(t, gpudl_library_replace(l.library, &source, &o), GPUDL_ERROR_REPLACE, GPUDL_ERROR_TIMEOUT, -1);
    else if (l.library) {
        gpudl_task_release(*place);
        *place = NULL;
        is_one_of(t, gpudl_library_replace_async(l.library, &source, &o, NULL, place), -1);
    }
    give_back(l);
}

static void go_back(struct thread *t)
{
    struct lent l = lend(t);

    if (l.library)
        is_one_of(t, gpudl_library_rollback(l.library), GPUDL_ERROR_REPLACE, -1);
    give_back(l);
}

static void make_resident(struct thread *t)
{
    struct lent l = lend(t);

    if (l.library)
        is_one_of(t, gpudl_library_make_resident(l.library, NULL, 0, some_time(t)), GPUDL_ERROR_TIMEOUT, -1);
    give_back(l);
}

static void hear(void *user, gpudl_library *lib, gpudl_status status, const char *text, uint64_t generation)
{
    (void)text;
    (void)status;
    (void)generation;
    atomic_fetch_add((atomic_ulong *)user, 1);
    gpudl_library_kernel_count(lib);
}

static void watch(struct thread *t)
{
    gpudl_replace_options replace_options = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_watch_options o = GPUDL_WATCH_OPTIONS_INIT;
    struct lent l = lend(t);

    replace_options.when = some_time(t);
    o.replace = &replace_options;
    o.poll = pick(t, 2);
    o.poll_ns = MOMENT;
    o.told = pick(t, 2) ? hear : NULL;
    o.user = &s.counts[30];
    if (l.library && pick(t, 3))
        is_one_of(t, gpudl_library_watch(l.library, &o), GPUDL_ERROR_ARGUMENT, -1); /* not of a file */
    else if (l.library)
        gpudl_library_unwatch(l.library);
    give_back(l);
}

static void trim(struct thread *t)
{
    is_one_of(t, gpudl_loader_trim(s.loader, pick(t, 4096), pick(t, 8)), -1);
}

static void reap(struct thread *t)
{
    size_t left;

    if (pthread_rwlock_trywrlock(&s.capturing) != 0)
        return;
    is_one_of(t, gpudl_loader_reap(s.loader, pick(t, 2) * MOMENT, &left), -1);
    pthread_rwlock_unlock(&s.capturing);
}

static void ask(struct thread *t)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };
    struct lent l = lend(t);

    is_one_of(t, gpudl_loader_statistics(s.loader, &stats), -1);
    if (stats.held + stats.warm + stats.retired > stats.loads - stats.unloads)
        fail(t, "%zu + %zu + %zu versions", stats.held, stats.warm, stats.retired);
    if (l.library && (gpudl_library_kernel_count(l.library) < 1 || strcmp(gpudl_library_log(l.library), "") != 0))
        fail(t, "no kernels, or a log");
    give_back(l);
}

/* ------------------------------------------------------------------------------------------------------------------- kernels */

static void get_kernel(struct thread *t)
{
    gpudl_kernel **place = &t->kernels[pick(t, OWN)];
    struct lent l = lend(t);

    gpudl_kernel_release(*place);
    *place = NULL;
    if (l.library)
        is_one_of(t, gpudl_kernel_get(l.library, pick(t, 2) ? "first" : "second", place), GPUDL_ERROR_NO_SUCH_KERNEL, -1);
    give_back(l);
}

static void pin(struct thread *t)
{
    gpudl_version **place = &t->pins[pick(t, OWN)];
    CUdeviceptr address;
    CUlibrary native;
    struct lent l = lend(t);

    gpudl_version_unpin(*place);
    *place = NULL;
    if (l.library && is_one_of(t, gpudl_library_pin(l.library, place), -1)) {
        if (gpudl_version_number(*place) == 0)
            fail(t, "a pin without a number");
        is_one_of(t, gpudl_version_native(*place, &native), -1);
        is_one_of(t, gpudl_version_global(*place, "n", 0, &address, NULL), GPUDL_ERROR_NO_SUCH_GLOBAL, -1);
    }
    give_back(l);
}

static gpudl_status launch_somehow(struct thread *t, gpudl_kernel *k, const gpudl_launch_config *c)
{
    uint64_t out = (uintptr_t)t->words;
    void *params[2] = { &out, &out }; /* for either signature */
    struct { uint64_t out; uint32_t more; uint32_t pad; } block = { out, 0, 0 };

    switch (pick(t, 3)) {
    case 0: return gpudl_kernel_launch_params(k, c, params);
    case 1: return gpudl_launch(k, c, (CUdeviceptr)out);
    default: return gpudl_kernel_launch_packed(k, c, &block, sizeof(out));
    }
}

static bool is_a_number(unsigned word)
{
    return !s.driver || (word >= FIRST_NUMBER && word < FIRST_NUMBER + VARIANTS);
}

/* The test's own calls leave captures alone; that gpudl's do is what is tried. */
static void wait_for_stream(struct thread *t)
{
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED, err;

    s.cu->ThreadExchangeStreamCaptureMode(&mode);
    err = s.cu->StreamSynchronize(t->stream);
    s.cu->ThreadExchangeStreamCaptureMode(&mode);
    if (err)
        fail(t, "cuStreamSynchronize returned %d", err);
}

static void launch(struct thread *t)
{
    gpudl_kernel *k = t->kernels[pick(t, OWN)];
    gpudl_launch_config config = gpudl_launch_1d(1, 1 + pick(t, 64));

    if (!k)
        return;
    config.stream = t->stream;
    config.shared_bytes = pick(t, 10) ? 0 : 60000;
    if (pick(t, 3) == 0)
        config.version = t->pins[pick(t, OWN)]; /* of its library, or not */
    t->words[0] = t->words[1] = 0;
    if (!is_one_of(t, launch_somehow(t, k, &config), GPUDL_ERROR_LAUNCH_ARGUMENTS, GPUDL_ERROR_NO_SUCH_KERNEL,
            config.shared_bytes ? GPUDL_ERROR_LAUNCH : GPUDL_OK, -1)) /* params: not asked for before */
        return;
    wait_for_stream(t);
    if (!is_a_number(t->words[0]) && !is_a_number(t->words[1]))
        fail(t, "a kernel wrote %u, %u", t->words[0], t->words[1]);
}

/* Two kernels of one library under one pin of it. */
static void launch_pair(struct thread *t)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *first = NULL, *second = NULL;
    struct lent l = lend(t);
    CUdeviceptr out = (uintptr_t)t->words;
    bool both;

    config.stream = t->stream;
    both = l.library && is_one_of(t, gpudl_library_pin(l.library, &config.version), -1) &&
        is_one_of(t, gpudl_kernel_get(l.library, "first", &first), -1) &&
        is_one_of(t, gpudl_kernel_get(l.library, "second", &second), GPUDL_ERROR_NO_SUCH_KERNEL, -1);
    t->words[0] = t->words[1] = 0;
    if (both && is_one_of(t, gpudl_launch(first, &config, out), GPUDL_ERROR_LAUNCH_ARGUMENTS, -1) &&
        is_one_of(t, gpudl_launch(second, &config, out), GPUDL_ERROR_NO_SUCH_KERNEL, -1)) {
        wait_for_stream(t);
        if (t->words[0] != t->words[1] || !is_a_number(t->words[0]))
            fail(t, "under one pin %u and %u were written", t->words[0], t->words[1]);
    }
    gpudl_kernel_release(first);
    gpudl_kernel_release(second);
    gpudl_version_unpin(config.version);
    give_back(l);
}

/* ------------------------------------------------------------------------------------------------------------------- graphs */

static void drop_graph(struct thread *t, struct graph *g)
{
    int err = 0;

    if (g->graph)
        nulldrv_drop_graph(g->graph);
    if (g->exec)
        err = s.drop_exec(g->exec);
    if (err)
        fail(t, "cuGraphExecDestroy returned %d", err);
    *g = (struct graph){ NULL, NULL };
}

static bool begin_capture(struct thread *t)
{
    int err;

    if (!s.driver) {
        nulldrv_begin_capture(t->stream);
        return true;
    }
    err = s.begin(t->stream, (int)pick(t, 3)); /* global, thread-local, relaxed */
    if (err)
        fail(t, "cuStreamBeginCapture returned %d", err);
    return !err;
}

static void end_capture(struct thread *t, struct graph *g)
{
    CUgraph graph = NULL;
    int err;

    if (!s.driver) {
        g->graph = nulldrv_end_capture(t->stream);
        return;
    }
    err = s.end(t->stream, &graph);
    if (!err)
        err = s.make(&g->exec, graph, 0);
    if (graph)
        s.drop(graph);
    if (err)
        fail(t, "a capture ended with %d", err);
}

static void capture(struct thread *t)
{
    struct graph *g = &t->graphs[pick(t, OWN)];
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    if (!s.captures)
        return;
    config.stream = t->stream;
    drop_graph(t, g);
    pthread_rwlock_rdlock(&s.capturing);
    if (begin_capture(t)) {
        for (unsigned i = pick(t, 6); i > 0; i--) {
            gpudl_kernel *k = t->kernels[pick(t, OWN)];
            config.version = pick(t, 2) ? t->pins[pick(t, OWN)] : NULL;
            if (k)
                is_one_of(t, gpudl_launch(k, &config, (CUdeviceptr)(uintptr_t)t->words), GPUDL_ERROR_LAUNCH_ARGUMENTS,
                    GPUDL_ERROR_NO_SUCH_KERNEL, -1);
            if (!pick(t, 4))
                get_kernel(t);
            if (!pick(t, 4))
                load(t);
        }
        end_capture(t, g);
    }
    pthread_rwlock_unlock(&s.capturing);
}

static void run_graph(struct thread *t)
{
    struct graph *g = &t->graphs[pick(t, OWN)];
    int err = g->exec ? s.run(g->exec, t->stream) : 0;

    if (err)
        fail(t, "cuGraphLaunch returned %d", err);
    if (g->exec)
        wait_for_stream(t);
    if (!pick(t, 3))
        drop_graph(t, g);
}

/* ------------------------------------------------------------------------------------------------------------------ letting go */

/* A use after it, too: it is told, or the handle is another's by now. */
static void let_go(struct thread *t)
{
    unsigned i = pick(t, OWN);
    size_t n;

    switch (pick(t, 4)) {
    case 0:
        gpudl_library_release(t->libraries[i]);
        gpudl_library_generation(t->libraries[i]);
        t->libraries[i] = NULL;
        break;
    case 1:
        gpudl_kernel_release(t->kernels[i]);
        if (t->kernels[i])
            gpudl_kernel_param_count(t->kernels[i], &n);
        t->kernels[i] = NULL;
        break;
    case 2:
        gpudl_version_unpin(t->pins[i]);
        gpudl_version_number(t->pins[i]);
        t->pins[i] = NULL;
        break;
    default:
        gpudl_task_release(t->tasks[i]);
        gpudl_task_ended(t->tasks[i]);
        t->tasks[i] = NULL;
    }
}

static void let_all_go(struct thread *t)
{
    t->doing = "the end";
    for (int i = 0; i < OWN; i++) {
        drop_graph(t, &t->graphs[i]);
        gpudl_task_release(t->tasks[i]);
        gpudl_version_unpin(t->pins[i]);
        gpudl_kernel_release(t->kernels[i]);
        gpudl_library_release(t->libraries[i]);
    }
    s.cu->StreamDestroy(t->stream);
    s.cu->MemFreeHost(t->words);
    s.cu->CtxSetCurrent(NULL);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

static const struct action {
    const char *name;
    void (*act)(struct thread *);
    unsigned weight;
} actions[] = {
    { "load", load, 6 }, { "load beside", load_beside, 4 }, { "use a task", use_task, 6 }, { "load a shared one", reload_shared, 2 },
    { "write a file", write_file, 2 }, { "replace", replace, 6 }, { "go back", go_back, 2 }, { "make resident", make_resident, 3 },
    { "watch", watch, 2 }, { "trim", trim, 1 }, { "reap", reap, 3 }, { "ask", ask, 2 }, { "get a kernel", get_kernel, 12 },
    { "pin", pin, 5 }, { "launch", launch, 30 }, { "launch a pair", launch_pair, 6 }, { "capture", capture, 3 },
    { "run a graph", run_graph, 4 }, { "let go", let_go, 8 },
};
enum { ACTIONS = sizeof(actions) / sizeof(*actions) };

static unsigned pick_action(struct thread *t)
{
    unsigned all = 0, i = 0, at;

    for (unsigned a = 0; a < ACTIONS; a++)
        all += actions[a].weight;
    for (at = pick(t, all); at >= actions[i].weight; i++)
        at -= actions[i].weight;
    return i;
}

static void prepare(struct thread *t)
{
    void *words = NULL;

    t->doing = "the beginning";
    if (gpudl_loader_use_device(s.loader, 0) != GPUDL_OK || s.cu->StreamCreate(&t->stream, GPUDL_STREAM_NON_BLOCKING) != 0 ||
        s.cu->MemHostAlloc(&words, 8, 3) != 0) /* portable, mapped */
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
    pthread_barrier_wait(&s.frame);
    for (t->step = 0; t->step < s.steps && !atomic_load(&s.failed); t->step++) {
        a = pick_action(t);
        t->doing = actions[a].name;
        actions[a].act(t);
        atomic_fetch_add_explicit(&s.counts[a], 1, memory_order_relaxed);
    }
    pthread_barrier_wait(&s.frame);
    let_all_go(t);
    return NULL;
}

static bool find_graph_calls(void)
{
    int found;

    return s.cu->GetProcAddress("cuStreamBeginCapture", (void **)&s.begin, 10010, 0, &found) == 0 &&
        s.cu->GetProcAddress("cuStreamEndCapture", (void **)&s.end, 10000, 0, &found) == 0 &&
        s.cu->GetProcAddress("cuGraphInstantiateWithFlags", (void **)&s.make, 11040, 0, &found) == 0 &&
        s.cu->GetProcAddress("cuGraphLaunch", (void **)&s.run, 10000, 0, &found) == 0 &&
        s.cu->GetProcAddress("cuGraphDestroy", (void **)&s.drop, 10000, 0, &found) == 0 &&
        s.cu->GetProcAddress("cuGraphExecDestroy", (void **)&s.drop_exec, 10000, 0, &found) == 0;
}

/* The loader is of the seed's making, too. */
static void open_loader(struct thread *t)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    static const unsigned counts[] = { 0, 1, 3, GPUDL_NONE_AT_ALL };

    o.driver = s.driver;
    o.captures = pick(t, 2) ? GPUDL_CAPTURES_NONE : 0;
    o.warm_count = counts[pick(t, 4)];
    o.retired_count = counts[pick(t, 4)];
    o.workers = pick(t, 5);
    s.captures = !o.captures;
    s.loader = harness_open_with(o);
    s.cu = gpudl_loader_driver(s.loader);
    if (s.driver && !find_graph_calls())
        fail(t, "no calls for graphs");
}

/* A graph's hold on its code may be let go on a thread of the driver's, some time after. */
static void wait_for_graphs(void)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };

    for (int i = 0; s.driver && i < 10000; i++) {
        if (gpudl_loader_statistics(s.loader, &stats) != GPUDL_OK || !stats.held)
            return;
        usleep(1000);
    }
}

static void close_loader(struct thread *t)
{
    const char *misuse = "";

    for (int i = 0; i < SHARED; i++) {
        gpudl_library_release(s.shared[i].library);
        s.shared[i].library = NULL;
    }
    wait_for_graphs();
    gpudl_loader_close(s.loader);
    if (harness_live_blocks() || strstr(harness_log(), "gpudl_loader_close"))
        fail(t, "%ld blocks are left: %s", harness_live_blocks(), harness_log());
    if (s.driver)
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

    s.seed = seed;
    nulldrv_reset();
    open_loader(&main_thread);
    for (unsigned i = 0; i < SHARED; i++)
        write_file(&main_thread);
    if (s.driver)
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

    o.driver = s.driver;
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
            s.driver = argv[i + 1];
    s.steps = number(argv, "--steps", 2000);
    if (s.driver && !is_there()) {
        fprintf(stderr, "skipped: %s\n", gpudl_error_text());
        return 77;
    }
    pthread_barrier_init(&s.frame, NULL, THREADS);
    pthread_rwlock_init(&s.capturing, NULL);
    for (int i = 0; i < SHARED; i++)
        pthread_rwlock_init(&s.shared[i].lock, NULL);
    make_texts();
    prepare_files();
    for (unsigned long i = 0; i < rounds && !atomic_load(&s.failed); i++) {
        printf("seed %lu\n", seed + i);
        fflush(stdout);
        alarm(300);
        run_round(seed + i);
    }
    remove_files();
    for (unsigned a = 0; a < ACTIONS; a++)
        printf("%s %lu%s", actions[a].name, s.counts[a], a + 1 < ACTIONS ? ", " : "");
    printf(", tasks told %lu, changes told %lu\n", s.counts[31], s.counts[30]);
    return atomic_load(&s.failed) != 0;
}
