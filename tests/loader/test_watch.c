/* Libraries that follow their files. What waits here waits for what is promised to come; the alarm ends what never does. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define BODY ".visible .entry a() { ret; }\n"

static const char *const texts[] = { HEAD "// 0\n" BODY, HEAD "// 1\n" BODY, HEAD "// 2\n" BODY, HEAD "// 3\n" BODY };

static char folder[64];

/* The file system's clock stands still: what is written twice to the same size looks the same. */
static atomic_int frozen;
int __real_stat(const char *path, struct stat *out);
int __real_fstat(int fd, struct stat *out);
__attribute__((visibility("default"))) int __wrap_stat(const char *path, struct stat *out);
__attribute__((visibility("default"))) int __wrap_fstat(int fd, struct stat *out);

static int freeze(int err, struct stat *s)
{
    if (!err && atomic_load(&frozen))
        s->st_mtim = s->st_ctim = (struct timespec){ 1000000000, 0 };
    return err;
}

int __wrap_stat(const char *path, struct stat *out)
{
    return freeze(__real_stat(path, out), out);
}

int __wrap_fstat(int fd, struct stat *out)
{
    return freeze(__real_fstat(fd, out), out);
}

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static int next;

    next = (next + 1) % 4;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
    return paths[next];
}

static void write_file(const char *name, const char *text)
{
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void rename_file(const char *from, const char *to)
{
    assert_int_equal(rename(in_folder(from), in_folder(to)), 0);
}

static int make_folder(void **state)
{
    reset_driver(state);
    strcpy(folder, "/tmp/gpudl-watch-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* What told() was told last. */
struct outcome {
    atomic_int times, failures;
    atomic_uint generation;
    char text[512];
    gpudl_status status;
    enum { NOTHING, UNWATCH, RELEASE } then;
};

static void told(void *user, gpudl_library *lib, gpudl_status status, const char *text, uint64_t generation)
{
    struct outcome *o = user;

    snprintf(o->text, sizeof(o->text), "%s", text);
    o->status = status;
    atomic_store(&o->generation, (unsigned)generation);
    if (o->then == UNWATCH)
        gpudl_library_unwatch(lib);
    if (o->then == RELEASE)
        gpudl_library_release(lib);
    atomic_fetch_add(status == GPUDL_OK ? &o->times : &o->failures, 1);
}

static void wait_for(atomic_int *count, int n)
{
    while (atomic_load(count) < n)
        usleep(200);
    assert_int_equal(atomic_load(count), n);
}

static gpudl_library *load_and_watch(gpudl_loader *l, const char *name, struct outcome *o, unsigned poll)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_library *lib = NULL;

    options.told = told;
    options.user = o;
    options.poll = poll;
    options.poll_ns = 5000000;
    assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder(name)), NULL, &lib));
    assert_ok(gpudl_library_watch(lib, &options));
    return lib;
}

static void follow_changes(unsigned poll)
{
    gpudl_loader *l = harness_open();
    struct outcome o = { .then = NOTHING };
    gpudl_library *lib;

    write_file("k.ptx", texts[0]);
    lib = load_and_watch(l, "k.ptx", &o, poll);
    write_file("k.ptx", texts[1]);      /* in place */
    wait_for(&o.times, 1);
    write_file("new", texts[2]);        /* renamed to it */
    rename_file("new", "k.ptx");
    wait_for(&o.times, 2);
    assert_int_equal(unlink(in_folder("k.ptx")), 0);    /* gone, and there again */
    usleep(10000);
    write_file("k.ptx", texts[3]);
    wait_for(&o.times, 3);
    assert_int_equal(o.generation, 3);
    assert_int_equal(gpudl_library_generation(lib), 3);
    assert_int_equal(o.failures, 0);
    gpudl_library_unwatch(lib);
    write_file("k.ptx", texts[0]);
    usleep(20000);
    assert_int_equal(gpudl_library_generation(lib), 3);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_changed_file_is_followed(void **state)
{
    (void)state;
    follow_changes(0);
}

static void a_changed_file_is_found_by_looking(void **state)
{
    (void)state;
    follow_changes(1);
}

/* Written again to the same size, within a tick: good, bad, and good again. */
static void follow_in_one_tick(unsigned poll)
{
    gpudl_loader *l = harness_open();
    struct outcome o = { .then = NOTHING };
    char bad[sizeof(HEAD "// 0\n" BODY)];
    gpudl_library *lib;

    memset(bad, 'x', sizeof(bad) - 1);
    bad[sizeof(bad) - 1] = '\0';
    atomic_store(&frozen, 1);
    write_file("k.ptx", texts[0]);
    lib = load_and_watch(l, "k.ptx", &o, poll);
    write_file("k.ptx", texts[1]);
    wait_for(&o.times, 1);
    write_file("k.ptx", bad);
    wait_for(&o.failures, 1);
    assert_int_equal(o.status, GPUDL_ERROR_NOT_AN_IMAGE);
    if (!poll) { /* what could not be loaded is looked into again when it looks different, or something is told */
        write_file("k.ptx", texts[2]);
        wait_for(&o.times, 2);
    }
    atomic_store(&frozen, 0);
    assert_int_equal(o.failures, 1);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_change_within_a_tick_is_followed(void **state)
{
    (void)state;
    follow_in_one_tick(0);
}

static void a_change_within_a_tick_is_found_by_looking(void **state)
{
    (void)state;
    follow_in_one_tick(1);
}

/* Half of it lies there for a while, and could be loaded as it is. */
static void half_written_files_are_waited_for(void **state)
{
    gpudl_loader *l = harness_open();
    struct outcome o = { .then = NOTHING };
    gpudl_library *lib;
    int fd;

    (void)state;
    write_file("k.ptx", texts[0]);
    lib = load_and_watch(l, "k.ptx", &o, 0);
    fd = open(in_folder("k.ptx"), O_WRONLY | O_TRUNC);
    assert_int_equal(write(fd, texts[1], strlen(texts[1])), strlen(texts[1]));
    write_file("other", "x"); /* the thread looks */
    usleep(50000);
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_int_equal(write(fd, "// end\n", 7), 7);
    close(fd);
    wait_for(&o.times, 1);
    assert_int_equal(o.failures, 0);
    gpudl_library_release(lib);
    harness_close(l);
}

static void what_cannot_be_loaded_is_told_when_it_stays(void **state)
{
    gpudl_loader *l = harness_open();
    struct outcome o = { .then = NOTHING };
    gpudl_library *lib;
    gpudl_kernel *a;

    (void)state;
    write_file("k.ptx", texts[0]);
    lib = load_and_watch(l, "k.ptx", &o, 0);
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    write_file("k.ptx", "nothing of use");
    wait_for(&o.failures, 1);
    assert_int_equal(o.status, GPUDL_ERROR_NOT_AN_IMAGE);
    write_file("k.ptx", HEAD ".visible .entry b() { ret; }\n");
    wait_for(&o.failures, 2);
    assert_int_equal(o.status, GPUDL_ERROR_REPLACE);
    assert_non_null(strstr(o.text, "kernel 'a' is in use"));
    assert_int_equal(o.generation, 0);
    write_file("k.ptx", texts[2]);
    wait_for(&o.times, 1);
    assert_int_equal(o.failures, 2);
    gpudl_kernel_release(a);
    gpudl_library_release(lib);
    harness_close(l);
}

/* k.ptx -> now/k.ptx, now -> v0, as deployments have it: both links are turned in one step. */
static void links_on_the_way_are_followed(void **state)
{
    gpudl_loader *l = harness_open();
    struct outcome o = { .then = NOTHING };
    gpudl_library *lib;

    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "v%d", i);
        assert_int_equal(mkdir(in_folder(name), 0700), 0);
        snprintf(name, sizeof(name), "v%d/k.ptx", i);
        write_file(name, texts[i]);
    }
    write_file("elsewhere", texts[3]);
    assert_int_equal(symlink("v0", in_folder("now")), 0);
    assert_int_equal(symlink("now/k.ptx", in_folder("k.ptx")), 0);
    lib = load_and_watch(l, "k.ptx", &o, 0);
    assert_int_equal(symlink("v1", in_folder("turn")), 0);
    rename_file("turn", "now");
    wait_for(&o.times, 1);
    assert_int_equal(symlink(in_folder("v2"), in_folder("turn")), 0);
    rename_file("turn", "now");
    wait_for(&o.times, 2);
    assert_int_equal(symlink("./v2/../elsewhere", in_folder("turn")), 0);
    rename_file("turn", "k.ptx");
    wait_for(&o.times, 3);
    write_file("elsewhere", texts[0]);
    wait_for(&o.times, 4);
    gpudl_library_release(lib);
    harness_close(l);
}

/* Folders that the kernel watches for this process. */
static int count_folders(void)
{
    FILE *f = popen("cat /proc/$PPID/fdinfo/* 2>/dev/null | grep -c '^inotify'", "r");
    int n = -1;

    assert_non_null(f);
    if (fscanf(f, "%d", &n) != 1)
        n = -1;
    pclose(f);
    return n;
}

static void folders_that_no_link_leads_through_are_watched_no_more(void **state)
{
    gpudl_loader *l = harness_open();
    struct outcome a = { .then = NOTHING }, b = { .then = NOTHING };
    gpudl_library *first, *second;
    char name[16];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "v%d", i);
        assert_int_equal(mkdir(in_folder(name), 0700), 0);
        snprintf(name, sizeof(name), "v%d/k.ptx", i);
        write_file(name, texts[i]);
    }
    assert_int_equal(symlink("v0/k.ptx", in_folder("k.ptx")), 0);
    first = load_and_watch(l, "k.ptx", &a, 0);
    second = load_and_watch(l, "v1/k.ptx", &b, 0);
    if (!count_folders()) /* not every kernel says */
        print_message("the kernel does not list what is watched\n");
    for (int i = 1; i < 4 && count_folders(); i++) {
        snprintf(name, sizeof(name), "v%d/k.ptx", i);
        assert_int_equal(symlink(name, in_folder("turn")), 0);
        rename_file("turn", "k.ptx");
        wait_for(&a.times, i);
        assert_int_equal(count_folders(), i == 1 ? 2 : 3); /* the folder, v1, and where the link leads */
    }
    write_file("v1/k.ptx", texts[2]);
    wait_for(&b.times, 1); /* is watched still */
    gpudl_library_unwatch(second);
    assert_true(count_folders() == 2 || !count_folders());
    gpudl_library_unwatch(first);
    assert_int_equal(count_folders(), 0);
    gpudl_library_release(first);
    gpudl_library_release(second);
    harness_close(l);
}

static void told_may_end_it(void **state)
{
    gpudl_loader *l = harness_open();
    struct outcome a = { .then = UNWATCH }, b = { .then = RELEASE };
    gpudl_library *lib;

    (void)state;
    write_file("a.ptx", texts[0]);
    write_file("b.ptx", texts[0]);
    lib = load_and_watch(l, "a.ptx", &a, 0);
    load_and_watch(l, "b.ptx", &b, 0);
    write_file("a.ptx", texts[1]);
    write_file("b.ptx", texts[1]);
    wait_for(&a.times, 1);
    wait_for(&b.times, 1);
    write_file("a.ptx", texts[2]);
    usleep(20000);
    assert_int_equal(gpudl_library_generation(lib), 1);
    gpudl_library_release(lib);
    usleep(20000);
    harness_close(l);
}

static void release_and_linger(void *user, gpudl_library *lib, gpudl_status status, const char *text, uint64_t generation)
{
    (void)status, (void)text, (void)generation;
    gpudl_library_release(lib);
    atomic_store((atomic_int *)user, 1);
    usleep(50000);
}

/* told() is still at work when the loader is closed, which waits for it. */
static void a_close_waits_for_told(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    atomic_int released = 0;
    gpudl_library *lib;

    (void)state;
    write_file("k.ptx", texts[0]);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
    options.told = release_and_linger;
    options.user = &released;
    assert_ok(gpudl_library_watch(lib, &options));
    write_file("k.ptx", texts[1]);
    while (!atomic_load(&released))
        usleep(200);
    harness_close(l);
}

/* The thread looks all the time, so it is mostly at it when the library goes. */
static void a_release_leaves_nothing_with_the_thread(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    options.poll = 1;
    options.poll_ns = 1;
    write_file("k.ptx", texts[0]);
    for (int i = 0; i < 100; i++) {
        l = harness_open();
        assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
        assert_ok(gpudl_library_watch(lib, &options));
        usleep(100 + i);
        gpudl_library_release(lib);
        harness_close(l);
    }
}

static void *watch_again_and_again(void *user)
{
    for (int i = 0; i < 200; i++)
        if (gpudl_library_watch(user, NULL) != GPUDL_OK)
            return user;
    return NULL;
}

/* A library has one watch, whoever asks for it: none is left to look at a library that went. */
static void two_threads_may_watch_one_library(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    void *failed[2];
    pthread_t t[2];

    (void)state;
    write_file("k.ptx", texts[0]);
    for (int round = 0; round < 5; round++) {
        assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&t[i], NULL, watch_again_and_again, lib), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], &failed[i]);
        assert_null(failed[0]);
        assert_null(failed[1]);
        gpudl_library_release(lib);
    }
    harness_close(l);
}

/* Nobody names a moment, so the replace would wait for ever. */
static void an_end_does_not_wait_for_a_moment(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_replace_options replace = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    gpudl_kernel *a;

    (void)state;
    write_file("k.ptx", texts[0]);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "a", &a));
    assert_ok(gpudl_loader_use_device(l, 0));
    gpudl_loader_driver(l)->CtxSetCurrent(NULL); /* there is a context, where the code is to be resident */
    replace.when = gpudl_when_idle(UINT64_MAX);
    options.replace = &replace;
    assert_ok(gpudl_library_watch(lib, &options));
    write_file("k.ptx", texts[1]);
    while (nulldrv_calls("cuLibraryLoadData") < 2)
        usleep(200);
    gpudl_library_unwatch(lib);
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_ok(gpudl_library_watch(lib, &options)); /* it has changed since it was loaded */
    while (gpudl_library_generation(lib) == 0)
        assert_ok(gpudl_loader_reap(l, 0, NULL));
    gpudl_library_release(lib);
    gpudl_kernel_release(a);
    harness_close(l);
}

static void wrong_arguments_are_told(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(texts[0], strlen(texts[0])), NULL, &lib));
    assert_fails(gpudl_library_watch(lib, NULL), GPUDL_ERROR_ARGUMENT, "not loaded from a file");
    assert_fails(gpudl_library_watch(NULL, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    gpudl_library_release(lib);
    write_file("k.ptx", texts[0]);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
    options.poll = 2;
    assert_fails(gpudl_library_watch(lib, &options), GPUDL_ERROR_ARGUMENT, "poll");
    gpudl_library_unwatch(lib);
    gpudl_library_unwatch(NULL);
    gpudl_library_release(lib);
    harness_close(l);
}

/* Whoever released it may close the loader. */
static void a_release_leaves_nothing_to_the_thread(void **state)
{
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    options.poll_ns = 1;
    options.poll = 1;
    write_file("k.ptx", texts[0]);
    for (int i = 0; i < 200; i++) {
        l = harness_open();
        assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
        assert_ok(gpudl_library_watch(lib, &options));
        usleep((unsigned)i);
        gpudl_library_release(lib);
        gpudl_loader_close(l);
        assert_string_equal(harness_log(), "");
        assert_int_equal(harness_live_blocks(), 0);
    }
}

static void *watch_anew(void *lib)
{
    for (int i = 0; i < 2000; i++)
        gpudl_library_watch(lib, NULL);
    return NULL;
}

static void threads_that_watch_one_library_leave_one_watch(void **state)
{
    gpudl_loader *l = harness_open();
    pthread_t threads[4];
    gpudl_library *lib;

    (void)state;
    write_file("k.ptx", texts[0]);
    assert_ok(gpudl_library_load(l, GPUDL_FILE(in_folder("k.ptx")), NULL, &lib));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch_anew, lib), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    gpudl_library_release(lib);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        TEST(a_changed_file_is_followed),
        TEST(a_changed_file_is_found_by_looking),
        TEST(a_change_within_a_tick_is_followed),
        TEST(a_change_within_a_tick_is_found_by_looking),
        TEST(half_written_files_are_waited_for),
        TEST(what_cannot_be_loaded_is_told_when_it_stays),
        TEST(links_on_the_way_are_followed),
        TEST(folders_that_no_link_leads_through_are_watched_no_more),
        TEST(told_may_end_it),
        TEST(a_close_waits_for_told),
        TEST(a_release_leaves_nothing_with_the_thread),
        TEST(an_end_does_not_wait_for_a_moment),
        TEST(two_threads_may_watch_one_library),
        TEST(wrong_arguments_are_told),
        TEST(a_release_leaves_nothing_to_the_thread),
        TEST(threads_that_watch_one_library_leave_one_watch),
    };

    alarm(60);
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
