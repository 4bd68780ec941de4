/* What a thread of test_stress.c does, one thing at a time, with what it has and with what all share. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/loader/stress.h"

/* A shared library, to be given back, or one of its own; NULL: there is none. */
struct lent {
    gpudl_library *library;
    int shared;                 /* -1: its own */
};

static struct lent lend(struct thread *t)
{
    struct lent l = { NULL, (int)pick(t, SHARED) };

    if (pick(t, 2)) {
        pthread_rwlock_rdlock(&stress.shared[l.shared].lock);
        l.library = stress.shared[l.shared].library;
        return l;
    }
    l.shared = -1;
    l.library = t->libraries[pick(t, OWN)];
    return l;
}

static void give_back(struct lent l)
{
    if (l.shared >= 0)
        pthread_rwlock_unlock(&stress.shared[l.shared].lock);
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

void load(struct thread *t)
{
    gpudl_library **place = &t->libraries[pick(t, OWN)];
    gpudl_source sources[2] = { gpudl_source_file("/nowhere"), memory(t, VARIANTS) };
    size_t which;

    gpudl_library_release(*place);
    *place = NULL;
    if (pick(t, 4))
        is_one_of(t, gpudl_library_load(stress.loader, &sources[1], NULL, place), -1);
    else if (is_one_of(t, gpudl_library_load_first(stress.loader, sources, 2, NULL, &which, place), -1) && which != 1)
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
    o.user = &stress.counts[31];
    is_one_of(t, gpudl_library_load_async(stress.loader, &source, NULL, &o, place), -1);
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

    pthread_rwlock_wrlock(&stress.shared[i].lock);
    gpudl_library_release(stress.shared[i].library);
    stress.shared[i].library = NULL;
    /* What is half-written, or was left damaged, is refused; then there is none for a while. */
    is_one_of(t, gpudl_library_load(stress.loader, GPUDL_FILE(file_path(i)), NULL, &stress.shared[i].library),
        GPUDL_ERROR_NOT_AN_IMAGE, GPUDL_ERROR_PTX, GPUDL_ERROR_IMAGE_EMPTY, GPUDL_ERROR_IMAGE_TRUNCATED, GPUDL_ERROR_IMAGE_DAMAGED,
        GPUDL_ERROR_NO_KERNELS, GPUDL_ERROR_FILE_UNREADABLE, -1);
    pthread_rwlock_unlock(&stress.shared[i].lock);
}

/* In place, or renamed to; seldom damaged. */
void write_file(struct thread *t)
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
    o.user = &stress.counts[30];
    if (l.library && pick(t, 3))
        is_one_of(t, gpudl_library_watch(l.library, &o), GPUDL_ERROR_ARGUMENT, -1); /* not of a file */
    else if (l.library)
        gpudl_library_unwatch(l.library);
    give_back(l);
}

static void trim(struct thread *t)
{
    is_one_of(t, gpudl_loader_trim(stress.loader, pick(t, 4096), pick(t, 8)), -1);
}

static void reap(struct thread *t)
{
    size_t left;

    if (pthread_rwlock_trywrlock(&stress.capturing) != 0)
        return;
    is_one_of(t, gpudl_loader_reap(stress.loader, pick(t, 2) * MOMENT, &left), -1);
    pthread_rwlock_unlock(&stress.capturing);
}

static void ask(struct thread *t)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };
    gpudl_version *pinned = t->pins[pick(t, OWN)];
    struct lent l = lend(t);

    if (pinned && (gpudl_version_kernel_count(pinned) < 1 || !gpudl_version_kernel_name(pinned, 0)))
        fail(t, "a pinned version without kernels");
    is_one_of(t, gpudl_loader_statistics(stress.loader, &stats), -1);
    if (stats.held + stats.warm + stats.retired > stats.loads + stats.joined - stats.unloads)
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
    return !stress.driver || (word >= FIRST_NUMBER && word < FIRST_NUMBER + VARIANTS);
}

/* The test's own calls leave captures alone; that gpudl's do is what is tried. In relaxed mode, and back. */
static void exchange_mode(int *mode)
{
    if (stress.driver)
        stress.cu->ThreadExchangeStreamCaptureMode(mode);
}

static void wait_for_stream(struct thread *t)
{
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED, err;

    exchange_mode(&mode);
    err = stress.cu->StreamSynchronize(t->stream);
    exchange_mode(&mode);
    if (err)
        fail(t, "cuStreamSynchronize returned %d", err);
}

void launch(struct thread *t)
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
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED, err = 0;

    if (g->graph)
        nulldrv_drop_graph(g->graph);
    exchange_mode(&mode);
    if (g->exec)
        err = stress.drop_exec(g->exec);
    exchange_mode(&mode);
    if (err)
        fail(t, "cuGraphExecDestroy returned %d", err);
    *g = (struct graph){ NULL, NULL };
}

static bool begin_capture(struct thread *t)
{
    int err;

    if (!stress.driver) {
        nulldrv_begin_capture(t->stream);
        return true;
    }
    err = stress.begin(t->stream, (int)pick(t, 3)); /* global, thread-local, relaxed */
    if (err)
        fail(t, "cuStreamBeginCapture returned %d", err);
    return !err;
}

static void end_capture(struct thread *t, struct graph *g)
{
    int mode = GPUDL_STREAM_CAPTURE_MODE_RELAXED, err;
    CUgraph graph = NULL;

    if (!stress.driver) {
        g->graph = nulldrv_end_capture(t->stream);
        return;
    }
    err = stress.end(t->stream, &graph);
    exchange_mode(&mode);
    if (!err)
        err = stress.make(&g->exec, graph, 0);
    exchange_mode(&mode);
    if (graph)
        stress.drop(graph);
    if (err)
        fail(t, "a capture ended with %d", err);
}

static void capture(struct thread *t)
{
    struct graph *g = &t->graphs[pick(t, OWN)];
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    if (!stress.captures)
        return;
    config.stream = t->stream;
    drop_graph(t, g);
    pthread_rwlock_rdlock(&stress.capturing);
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
    pthread_rwlock_unlock(&stress.capturing);
}

static void run_graph(struct thread *t)
{
    struct graph *g = &t->graphs[pick(t, OWN)];
    int err = g->exec ? stress.run(g->exec, t->stream) : 0;

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

void let_all_go(struct thread *t)
{
    t->doing = "the end";
    for (int i = 0; i < OWN; i++) {
        drop_graph(t, &t->graphs[i]);
        gpudl_task_release(t->tasks[i]);
        gpudl_version_unpin(t->pins[i]);
        gpudl_kernel_release(t->kernels[i]);
        gpudl_library_release(t->libraries[i]);
    }
    stress.cu->StreamDestroy(t->stream);
    stress.cu->MemFreeHost(t->words);
    stress.cu->CtxSetCurrent(NULL);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

const struct action actions[] = {
    { "load", load, 6 }, { "load beside", load_beside, 4 }, { "use a task", use_task, 6 },
    { "load a shared one", reload_shared, 2 },
    { "write a file", write_file, 2 }, { "replace", replace, 6 }, { "go back", go_back, 2 }, { "make resident", make_resident, 3 },
    { "watch", watch, 2 }, { "trim", trim, 1 }, { "reap", reap, 3 }, { "ask", ask, 2 }, { "get a kernel", get_kernel, 12 },
    { "pin", pin, 5 }, { "launch", launch, 30 }, { "launch a pair", launch_pair, 6 }, { "capture", capture, 3 },
    { "run a graph", run_graph, 4 }, { "let go", let_go, 8 },
};
const unsigned action_count = sizeof(actions) / sizeof(*actions);
