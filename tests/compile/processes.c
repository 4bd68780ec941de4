/* Processes that want the same at the same time, some of which die at any moment. COMPILE_KILLS=500 makes it a long test. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/compile/fake.h"

enum { PROCESSES = 32 };

static int no_locks(int fd, int how)
{
    (void)fd, (void)how;
    errno = ENOLCK;
    return -1;
}

static int no_space(int fd)
{
    (void)fd;
    errno = EIO;
    return -1;
}

static ssize_t no_write(int fd, const void *from, size_t size)
{
    (void)fd, (void)from, (void)size;
    errno = ENOSPC;
    return -1;
}

static ssize_t short_read(int fd, void *to, size_t size)
{
    return gpudl__cache_io.read(fd, to, size > 7 ? 7 : size);
}

static int stale(int fd, struct stat *st)
{
    (void)fd, (void)st;
    errno = ESTALE;
    return -1;
}

static int read_only(int dir, const char *name, int flags, mode_t mode)
{
    errno = EROFS;
    return flags & (O_WRONLY | O_RDWR) ? -1 : gpudl__cache_io.open(dir, name, flags, mode);
}

/* Ends with 0 if it got what it should. */
static void work(const struct cache_io *io, const char *text)
{
    struct compile_job job = fake_job(fake_cache(io), "k.cu", text);

    _exit(!fake_makes(&job, text, NULL));
}

static int status_of(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void start_together(const struct cache_io *io, const char *text)
{
    pid_t children[PROCESSES];
    int gate[2];
    char byte;

    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i])
            continue;
        close(gate[1]);
        if (read(gate[0], &byte, 1))
            _exit(2);
        work(io, text);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(status_of(children[i]), 0);
}

/* Nothing but entries is left. */
static void assert_clean(void)
{
    struct cache *c = fake_cache(NULL);
    struct cache_total gone;
    struct dirent *e;
    DIR *d;

    assert_true(gpudl__cache_trim(c, 1 << 30, &gone));
    d = opendir(fake_path("cache/v2"));
    assert_non_null(d);
    while ((e = readdir(d)))
        if (!strncmp(e->d_name, "new-", 4))
            fail_msg("left behind: %s", e->d_name);
    closedir(d);
    gpudl__cache_close(c);
}

static void one_process_compiles_for_all(void **state)
{
    (void)state;
    fake_write("slow", "0.2");
    start_together(NULL, "int same;");
    assert_int_equal(fake_runs(), 1);
    assert_clean();
}

static void also_where_files_cannot_be_locked(void **state)
{
    struct cache_io io = gpudl__cache_io;

    (void)state;
    io.lock = no_locks;
    fake_write("slow", "0.2");
    start_together(&io, "int same;");
    assert_int_equal(fake_runs(), 1);
    assert_clean();
}

/* Whatever the disk does: all get their code. */
static void a_disk_that_fails_costs_time_only(void **state)
{
    struct cache_io table[5];

    for (int i = 0; i < 5; i++)
        table[i] = gpudl__cache_io;
    table[0].write = no_write;
    table[1].sync = no_space;
    table[2].read = short_read;
    table[3].stat = stale;
    table[4].open = read_only;
    for (int i = 0; i < 5; i++) {
        pid_t child;

        if (i)
            fake_begin(state);
        for (int again = 0; again < 2; again++) {
            child = fork();
            if (!child)
                work(&table[i], "int some;");
            assert_int_equal(status_of(child), 0);
        }
        if (i < 4)
            fake_end(state);
    }
}

static void a_dead_holder_holds_nothing(void **state)
{
    struct cache_io io = gpudl__cache_io;

    (void)state;
    io.lock = no_locks;
    fake_write("slow", "30");
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        struct timespec a_while = { 0, 5000000 };

        if (!child)
            work(i ? &io : NULL, "int same;");
        for (int tries = 0; fake_runs() == 0 && tries < 2000; tries++)
            nanosleep(&a_while, NULL);
        assert_int_equal(fake_runs(), 1); /* it holds the lock now */
        kill(child, SIGKILL);
        status_of(child);
        unlink(fake_path("runs"));
    }
    unlink(fake_path("slow"));
    start_together(NULL, "int same;");
    assert_int_equal(fake_runs(), 1);
    unlink(fake_path("runs"));
    start_together(&io, "int other;");
    assert_int_equal(fake_runs(), 1);
    assert_clean();
}

static void processes_may_be_killed_at_any_moment(void **state)
{
    const char *wish = getenv("COMPILE_KILLS");
    int kills = wish ? atoi(wish) : 40;
    uint64_t random = 88172645463325252u;
    struct cache_io io = gpudl__cache_io;

    (void)state;
    io.lock = no_locks;
    for (int i = 0; i < kills; i++) {
        struct timespec a_while = { 0, 0 };
        char text[48];
        pid_t pair[2];

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        a_while.tv_nsec = (long)(random % 30000000);
        snprintf(text, sizeof(text), "int number_%d_;", i / 4);
        for (int k = 0; k < 2; k++) {
            pair[k] = fork();
            if (!pair[k])
                work(i & 1 ? &io : NULL, text);
        }
        nanosleep(&a_while, NULL);
        kill(pair[0], SIGKILL);
        status_of(pair[0]);
        assert_int_equal(status_of(pair[1]), 0); /* the other one gets what it wants */
    }
    start_together(NULL, "int last;");
    assert_clean();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(one_process_compiles_for_all),
        TEST(also_where_files_cannot_be_locked),
        TEST(a_disk_that_fails_costs_time_only),
        TEST(a_dead_holder_holds_nothing),
        TEST(processes_may_be_killed_at_any_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
