/* How it ends: exit and fork while threads of gpudl are at work, plugins that go. Each in a process of its own, which is this program
 * again; it tells what it found wrong by its exit code, and an alarm ends what hangs. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/loader/common.h"
#include "tests/loader/plugin.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

enum { PATIENCE = 60 }; /* s; exits take less */

static const char one[] = HEAD ".visible .entry a() { ret; }\n", two[] = HEAD "// two\n.visible .entry a() { ret; }\n",
                  three[] = HEAD "// three\n.visible .entry a() { ret; }\n";
static char file[] = "/tmp/gpudl-ends-XXXXXX";

/* Else the process ends, and says where. */
#define expect(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, gpudl_error_text()); \
            _exit(100); \
        } \
    } while (0)

/* Asked by LeakSanitizer. A child has not the stacks of threads that held something; records of threads, which are the process's,
 * are out of sight when the plugin is. */
static int leaks_are_not_looked_for;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return leaks_are_not_looked_for;
}

static gpudl_loader *loader;
static gpudl_library *lib;
static gpudl_kernel *kernel;
static gpudl_version *pinned;
static gpudl_task *tasks[4];
static atomic_int told, blocked;

static void write_text(const char *text)
{
    int fd = open(file, O_WRONLY | O_TRUNC);

    expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void open_one(gpudl_loader_options options)
{
    options.driver = harness_null_driver();
    write_text(one);
    expect(gpudl_loader_open(&options, &loader) == GPUDL_OK);
    expect(gpudl_loader_use_device(loader, 0) == GPUDL_OK);
    expect(gpudl_library_load(loader, GPUDL_FILE(file), NULL, &lib) == GPUDL_OK);
    expect(gpudl_kernel_get(lib, "a", &kernel) == GPUDL_OK);
    expect(gpudl_library_pin(lib, &pinned) == GPUDL_OK);
}

static void tell(void *user, gpudl_task *task)
{
    (void)user;
    (void)task;
    atomic_fetch_add(&told, 1);
}

/* One task waits for a stream, one for a moment, one has no thread yet; a watcher waits for a moment. */
static void begin_all(void)
{
    gpudl_replace_options replace = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_watch_options watch = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;
    unsigned long loads = nulldrv_calls("cuLibraryLoadData");

    nulldrv_set_busy(1);
    o.done = tell;
    o.flags = GPUDL_ASYNC_AFTER_STREAM;
    expect(gpudl_library_load_async(loader, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &tasks[0]) == GPUDL_OK);
    o.flags = GPUDL_ASYNC_RESIDENT;
    o.when = gpudl_when_idle(UINT64_MAX);
    expect(gpudl_library_load_async(loader, GPUDL_MEMORY(two, strlen(two)), NULL, &o, &tasks[1]) == GPUDL_OK);
    expect(gpudl_library_load_async(loader, GPUDL_MEMORY(one, strlen(one)), NULL, NULL, &tasks[2]) == GPUDL_OK);
    replace.when = gpudl_when_idle(UINT64_MAX);
    watch.replace = &replace;
    expect(gpudl_library_watch(lib, &watch) == GPUDL_OK);
    write_text(three);
    while (nulldrv_calls("cuLibraryLoadData") < loads + 2)
        usleep(100);
}

/* ---------------------------------------------------------------------------------------------------------------------- exit */

/* A handler of the program's that runs after gpudl's own. */
static void use_gpudl_late(void)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *other, *none = NULL;

    expect(nulldrv_within() == 0);
    expect(nulldrv_calls("cuLibraryUnload") == 0);
    expect(gpudl_kernel_launch_params(kernel, &config, NULL) == GPUDL_OK);
    expect(gpudl_library_load(loader, DATA_SOURCE(names_ptx), NULL, &other) == GPUDL_OK);
    for (int i = 0; i < 3; i++) {
        expect(gpudl_task_wait(tasks[i], UINT64_MAX) == GPUDL_ERROR_CANCELLED);
        expect(strstr(gpudl_error_text(), "ending") || strstr(gpudl_error_text(), "cancelled"));
        expect(gpudl_task_library(tasks[i], &none) != GPUDL_OK && !none);
        gpudl_task_cancel(tasks[i]);
        gpudl_task_release(tasks[i]);
    }
    expect(gpudl_library_load_async(loader, DATA_SOURCE(names_ptx), NULL, NULL, &tasks[0]) == GPUDL_ERROR_CANCELLED);
    expect(gpudl_library_watch(other, NULL) == GPUDL_ERROR_ARGUMENT); /* from memory */
    gpudl_library_unwatch(lib);
    gpudl_library_release(other);
    gpudl_kernel_release(kernel);
    gpudl_version_unpin(pinned);
    gpudl_library_release(lib);
    gpudl_loader_close(loader);
    expect(nulldrv_calls("cuLibraryUnload") == 0);
    expect(nulldrv_misuses(NULL) == 0);
    _exit(7);
}

static int leave_in_mid_flight(void)
{
    atexit(use_gpudl_late);
    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    begin_all();
    return 0;
}

/* As if it were the driver's own end. */
static void end_of_the_driver(void)
{
    expect(nulldrv_within() == 0);
    expect(atomic_load(&told) == 0);
    _exit(7);
}

static int leave_inside_the_driver(void)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;

    atexit(end_of_the_driver);
    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    nulldrv_slow("cuLibraryLoadData", 200000);
    o.done = tell; /* not told, as its data may be gone */
    expect(gpudl_library_load_async(loader, GPUDL_MEMORY(two, strlen(two)), NULL, &o, &tasks[0]) == GPUDL_OK);
    while (!nulldrv_within())
        usleep(100);
    return 0;
}

static void block(void *user, gpudl_task *task)
{
    (void)user;
    (void)task;
    atomic_store(&blocked, 1);
    for (;;)
        pause();
}

static void leave(void *user, gpudl_task *task)
{
    (void)task;
    exit(*(int *)user);
}

static int with_done(void (*done)(void *, gpudl_task *), void *user)
{
    gpudl_async_options o = GPUDL_ASYNC_OPTIONS_INIT;

    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    o.done = done;
    o.user = user;
    expect(gpudl_library_load_async(loader, GPUDL_MEMORY(one, strlen(one)), NULL, &o, &tasks[0]) == GPUDL_OK);
    while (!atomic_load(&blocked))
        usleep(100);
    return 7;
}

static int leave_while_a_callback_blocks(void)
{
    alarm(4); /* threads in callbacks are not waited for */
    return with_done(block, NULL);
}

static int leave_from_a_callback(void)
{
    static int code = 7;

    alarm(4);
    return with_done(leave, &code);
}

/* ---------------------------------------------------------------------------------------------------------------------- fork */

/* An allocator that keeps a thread inside gpudl, and so the locks that it holds, for as long as gate is closed. */
static atomic_int gate;
static pthread_t kept_thread;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (atomic_load(&gate) && !pthread_equal(pthread_self(), kept_thread)) {
        atomic_store(&blocked, 1);
        while (atomic_load(&gate))
            usleep(100);
    }
    return malloc(bytes);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void *get_another(void *unused)
{
    gpudl_version *v[200];

    (void)unused;
    for (int i = 0; i < 200; i++) /* until one needs memory, which is asked for under the lock */
        expect(gpudl_library_pin(lib, &v[i]) == GPUDL_OK);
    for (int i = 0; i < 200; i++)
        gpudl_version_unpin(v[i]);
    return NULL;
}

static void *replace(void *unused)
{
    (void)unused;
    expect(gpudl_library_replace(lib, DATA_SOURCE(names_ptx), NULL) != GPUDL_OK); /* has no kernel 'a' */
    return NULL;
}

/* In the child: nothing waits, nothing is done, nothing crashes. Leaves as programs do. */
static void be_the_child(void)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    unsigned long calls = nulldrv_calls("*");
    CUdeviceptr address;
    gpudl_library *other;
    gpudl_version *v;
    gpudl_kernel *k;
    gpudl_task *t;
    CUlibrary native;

    leaks_are_not_looked_for = 1;
    alarm(10);
    for (int i = 0; i < 3; i++) {
        expect(gpudl_task_wait(tasks[i], UINT64_MAX) == GPUDL_ERROR_FORKED);
        expect(gpudl_task_library(tasks[i], &other) == GPUDL_ERROR_FORKED);
        expect(gpudl_task_ended(tasks[i]) == 0);
        gpudl_task_cancel(tasks[i]);
        gpudl_task_release(tasks[i]);
        gpudl_task_release(tasks[i]);
    }
    expect(gpudl_library_load_async(loader, DATA_SOURCE(names_ptx), NULL, NULL, &t) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_replace_async(lib, DATA_SOURCE(names_ptx), NULL, NULL, &t) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_replace(lib, DATA_SOURCE(names_ptx), NULL) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_rollback(lib) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_watch(lib, NULL) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_make_resident(lib, NULL, 0, gpudl_when_idle(UINT64_MAX)) == GPUDL_ERROR_FORKED);
    expect(gpudl_library_pin(lib, &v) == GPUDL_ERROR_FORKED);
    expect(gpudl_kernel_get(lib, "a", &k) == GPUDL_ERROR_FORKED);
    expect(gpudl_version_native(pinned, &native) == GPUDL_ERROR_FORKED);
    expect(gpudl_version_number(pinned) == 0);
    expect(!gpudl_version_kernel_name(pinned, 0));
    expect(gpudl_version_copy_globals(pinned, pinned, 0, NULL) == GPUDL_ERROR_FORKED);
    expect(gpudl_version_global(pinned, "x", 0, &address, NULL) == GPUDL_ERROR_FORKED);
    expect(gpudl_loader_reap(loader, UINT64_MAX, NULL) == GPUDL_ERROR_FORKED);
    expect(gpudl_loader_trim(loader, 0, 0) == GPUDL_ERROR_FORKED);
    expect(gpudl_loader_use_device(loader, 0) == GPUDL_ERROR_FORKED);
    expect(gpudl_loader_driver(loader) == NULL);
    expect(gpudl_library_load(NULL, DATA_SOURCE(names_ptx), NULL, &other) == GPUDL_ERROR_FORKED);
    expect(gpudl_launch(kernel, &config) == GPUDL_OK || 1); /* a driver's matter, as that is in no state to be asked */
    expect(gpudl_library_kernel_count(lib) == 0);
    gpudl_library_unwatch(lib);
    gpudl_kernel_release(kernel);
    gpudl_version_unpin(pinned);
    gpudl_library_release(lib);
    gpudl_loader_close(loader);
    expect(nulldrv_calls("*") <= calls + 1); /* the launch */
    exit(7);
}

static int fork_with(void *(*work)(void *))
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    pthread_t thread;
    pid_t child;
    int status;

    kept_thread = pthread_self();
    options.allocate = allocate;
    options.release = release;
    open_one(options);
    begin_all();
    if (work) {
        atomic_store(&gate, 1);
        expect(pthread_create(&thread, NULL, work, NULL) == 0);
        while (!atomic_load(&blocked))
            usleep(100);
    }
    child = fork();
    if (child == 0)
        be_the_child();
    expect(waitpid(child, &status, 0) == child);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    atomic_store(&gate, 0);
    gpudl_library_unwatch(lib); /* its replace is in the other's way */
    if (work)
        pthread_join(thread, NULL);
    for (int i = 0; i < 3; i++)
        gpudl_task_release(tasks[i]);
    nulldrv_set_busy(0);
    gpudl_kernel_release(kernel);
    gpudl_version_unpin(pinned);
    gpudl_library_release(lib);
    gpudl_loader_driver(loader)->CtxSetCurrent(NULL);
    gpudl_loader_close(loader);
    expect(nulldrv_alive("library") == 0 && nulldrv_alive("context") == 0 && nulldrv_misuses(NULL) == 0);
    return 7;
}

static int fork_in_mid_flight(void)
{
    return fork_with(NULL);
}

static int fork_under_the_lock(void)
{
    return fork_with(get_another);
}

static int fork_in_a_replace(void)
{
    return fork_with(replace);
}

/* ------------------------------------------------------------------------------------------------------------------- plugins */

static int (*run)(const char *, const char *, int);

static void *run_and_stay(void *gone)
{
    expect(run(harness_null_driver(), file, 1) == 0);
    atomic_fetch_add(&blocked, 1);
    while (!atomic_load((atomic_int *)gone))
        usleep(100);
    return NULL; /* its record's destructor would be code that is gone */
}

static void *open_plugin(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!plugin)
        fprintf(stderr, "%s\n", dlerror());
    expect(plugin);
    *(void **)&run = dlsym(plugin, "plugin_run");
    expect(run);
    return plugin;
}

static const char *plugin_path(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

    path[n > 0 ? n : 0] = '\0';
    strcpy(strrchr(path, '/') + 1, "../lib/libgpudl_test_plugin.so");
    return path;
}

static int close_a_plugin(void)
{
    pthread_t threads[4];
    atomic_int gone;
    void *plugin;

    leaks_are_not_looked_for = 1;
    for (int round = 0; round < 5; round++) {
        atomic_store(&gone, 0);
        atomic_store(&blocked, 0);
        plugin = open_plugin(plugin_path());
        for (int i = 0; i < 4; i++)
            expect(pthread_create(&threads[i], NULL, run_and_stay, &gone) == 0);
        while (atomic_load(&blocked) < 4)
            usleep(100);
        expect(dlclose(plugin) == 0);
        expect(!dlopen(plugin_path(), RTLD_NOW | RTLD_NOLOAD));
        atomic_store(&gone, 1);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        expect(nulldrv_alive("library") == 0 && nulldrv_alive("context") == 0 && nulldrv_misuses(NULL) == 0);
    }
    return 7;
}

/* Its threads need its code: it stays. */
static int close_a_plugin_before_its_loader(void)
{
    void *plugin = open_plugin(plugin_path()), *again;

    expect(run(harness_null_driver(), file, 0) == 0);
    expect(dlclose(plugin) == 0);
    again = dlopen(plugin_path(), RTLD_NOW | RTLD_NOLOAD);
    expect(again);
    expect(dlclose(again) == 0);
    plugin = open_plugin(plugin_path());
    expect(run(harness_null_driver(), file, 1) == 0);
    expect(dlclose(plugin) == 0);
    return 7;
}

/* The driver calls its code when the graph goes: it stays till then, and the loader with it. */
static int close_a_plugin_before_its_graph(void)
{
    void *plugin = open_plugin(plugin_path());
    int (*capture)(const char *, CUstream);
    CUstream stream;

    leaks_are_not_looked_for = 1;
    *(void **)&capture = dlsym(plugin, "plugin_capture");
    expect(capture);
    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    expect(gpudl_loader_driver(loader)->StreamCreate(&stream, 0) == 0);
    nulldrv_begin_capture(stream);
    expect(capture(harness_null_driver(), stream) == 0);
    expect(dlclose(plugin) == 0);
    nulldrv_drop_graph(nulldrv_end_capture(stream));
    return 7;
}

/* --------------------------------------------------------------------------------------------------------------------- leaks */

static int leave_handles(void)
{
    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    expect(gpudl_library_load_async(loader, GPUDL_FILE(file), NULL, NULL, &tasks[0]) == GPUDL_OK);
    expect(gpudl_task_wait(tasks[0], UINT64_MAX) == GPUDL_OK);
    setenv("GPUDL_DRIVER", harness_null_driver(), 1);
    expect(gpudl_library_load(NULL, DATA_SOURCE(names_ptx), NULL, &lib) == GPUDL_OK);
    return 7;
}

static int leave_nothing(void)
{
    open_one((gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
    gpudl_kernel_release(kernel);
    gpudl_version_unpin(pinned);
    gpudl_library_release(lib);
    return 7;
}

/* ----------------------------------------------------------------------------------------------------------------- the tests */

static const struct mode {
    const char *name;
    int (*run)(void);
} modes[] = {
#define MODE(name) { #name, name }
    MODE(leave_in_mid_flight), MODE(leave_inside_the_driver), MODE(leave_while_a_callback_blocks), MODE(leave_from_a_callback),
    MODE(fork_in_mid_flight), MODE(fork_under_the_lock), MODE(fork_in_a_replace), MODE(close_a_plugin),
    MODE(close_a_plugin_before_its_loader), MODE(close_a_plugin_before_its_graph), MODE(leave_handles), MODE(leave_nothing),
};

static void become(const char *name, int said)
{
    char name_of_file[64];

    snprintf(name_of_file, sizeof(name_of_file), "%s", file);
    dup2(said, STDERR_FILENO);
    execl("/proc/self/exe", "test_loader_ends", name, name_of_file, NULL);
    _exit(127);
}

/* What it said on stderr; it must have ended with 7. */
static const char *in_a_process(const char *name)
{
    static char said[16384];
    size_t used = 0;
    int fds[2], status;
    ssize_t n;
    pid_t child;

    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become(name, fds[1]);
    close(fds[1]);
    while (used + 1 < sizeof(said) && (n = read(fds[0], said + used, sizeof(said) - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = '\0';
    close(fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
        fail_msg("%s: %s %d: %s", name, WIFEXITED(status) ? "exit" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said);
    return said;
}

static void exit_parks_what_is_under_way(void **state)
{
    (void)state;
    in_a_process("leave_in_mid_flight");
}

static void exit_waits_for_calls_of_the_driver(void **state)
{
    (void)state;
    in_a_process("leave_inside_the_driver");
}

static void exit_waits_for_no_callback(void **state)
{
    (void)state;
    in_a_process("leave_while_a_callback_blocks");
    in_a_process("leave_from_a_callback");
}

static void a_child_waits_for_nobody(void **state)
{
    (void)state;
    in_a_process("fork_in_mid_flight");
    in_a_process("fork_under_the_lock");
    in_a_process("fork_in_a_replace");
}

static void a_plugin_goes_when_its_loader_is_closed(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it keeps the handlers of atexit() for the end of the process, though their library is gone */
#endif
    in_a_process("close_a_plugin");
}

static void a_plugin_stays_while_its_loader_has_threads(void **state)
{
    (void)state;
    in_a_process("close_a_plugin_before_its_loader");
}

static void a_plugin_stays_while_a_graph_has_its_code(void **state)
{
    const char *said;

    (void)state;
    said = in_a_process("close_a_plugin_before_its_graph");
    if (!strstr(said, "1 graphs hold its code"))
        fail_msg("%s", said);
}

static void exit_names_what_was_not_released_to_those_who_ask(void **state)
{
    const char *said;

    (void)state;
    setenv("GPUDL_LEAKS", "1", 1);
    said = in_a_process("leave_handles");
    assert_non_null(strstr(said, "gpudl: error: at exit: not released: library /tmp/gpudl-ends-"));
    assert_non_null(strstr(said, "not released: kernel 'a' of /tmp/gpudl-ends-"));
    assert_non_null(strstr(said, "not released: pinned version 1 of /tmp/gpudl-ends-"));
    assert_non_null(strstr(said, "not released: task, a load of /tmp/gpudl-ends-"));
    assert_non_null(strstr(said, "not released: library memory, made at ")); /* of the default loader */
    assert_non_null(strstr(said, "test_loader_ends+0x"));
    assert_string_equal(in_a_process("leave_nothing"), "");
    unsetenv("GPUDL_LEAKS");
    assert_string_equal(in_a_process("leave_handles"), "");
}

static int write_file(void **state)
{
    int fd = mkstemp(file);

    (void)state;
    return fd < 0 || write(fd, one, strlen(one)) < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_parks_what_is_under_way),
        cmocka_unit_test(exit_waits_for_calls_of_the_driver),
        cmocka_unit_test(exit_waits_for_no_callback),
        cmocka_unit_test(a_child_waits_for_nobody),
        cmocka_unit_test(a_plugin_goes_when_its_loader_is_closed),
        cmocka_unit_test(a_plugin_stays_while_its_loader_has_threads),
        cmocka_unit_test(a_plugin_stays_while_a_graph_has_its_code),
        cmocka_unit_test(exit_names_what_was_not_released_to_those_who_ask),
    };

    if (argc < 3)
        return cmocka_run_group_tests_name("ends", tests, write_file, remove_file);
    alarm(PATIENCE);
    strcpy(file, argv[2]);
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return modes[i].run();
    return 126;
}
