/* Many processes in one folder, some of which die at any moment: never a wrong byte, nothing that stays broken.
 * CACHE_KILLS=500 makes it a long test. */
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

#include "tests/cache/folder.h"

#define PROCESSES 8
#define KEYS 20

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int open_named(int dir, const char *name, int flags, mode_t mode)
{
    errno = EOPNOTSUPP;
    return (flags & O_TMPFILE) == O_TMPFILE ? -1 : gpudl__cache_io.open(dir, name, flags, mode);
}

/* get_number aborts on wrong bytes. Every second process has a file system without nameless files. */
static void work(uint64_t seed, unsigned rounds)
{
    struct cache_io io = gpudl__cache_io;
    struct cache *c = cache_in(folder, &io, 30000);
    uint64_t random = 0x9e3779b97f4a7c15u * (seed + 1);
    struct cache_total total;

    if (seed & 1)
        io.open = open_named;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t n = next_random(&random) % KEYS;

        if (!get_number(c, n))
            put_number(c, n);
        if (next_random(&random) % 50 == 0)
            gpudl__cache_trim(c, 20000, &total);
    }
    _exit(warnings != 0);
}

static pid_t start(uint64_t seed, unsigned rounds)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (!child)
        work(seed, rounds);
    return child;
}

static int status_of(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_well(void)
{
    struct cache *c = cache_here();
    struct cache_total gone;
    struct dirent *e;
    char path[128];
    DIR *d;

    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    snprintf(path, sizeof(path), "%s/v2", folder);
    d = opendir(path);
    while ((e = readdir(d)))
        assert_int_not_equal(strncmp(e->d_name, "new-", 4), 0);
    closedir(d);
    for (uint64_t n = 0; n < KEYS; n++) {
        get_number(c, n);
        assert_true(put_number(c, n));
        assert_true(get_number(c, n));
    }
    assert_int_equal(counts_of(c).healed, 0);
    gpudl__cache_close(c);
}

static void processes_share_a_folder(void **state)
{
    pid_t children[PROCESSES];

    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start((uint64_t)i, 300);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(status_of(children[i]), 0);
    assert_well();
}

/* All wait for the pipe's end, then make folder, secret and an entry of their own at once. */
static void processes_that_start_together_agree_on_the_secret(void **state)
{
    for (int round = 0; round < 20; round++) {
        pid_t children[PROCESSES];
        struct cache *c;
        int gate[2];
        char byte;

        folder_new(state);
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            if (children[i])
                continue;
            close(gate[1]);
            c = cache_here();
            _exit(read(gate[0], &byte, 1) || !put_number(c, (uint64_t)i) || !get_number(c, (uint64_t)i) || warnings);
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < PROCESSES; i++)
            assert_int_equal(status_of(children[i]), 0);
        c = cache_here();
        for (uint64_t n = 0; n < PROCESSES; n++)
            assert_true(get_number(c, n));
        gpudl__cache_close(c);
        folder_remove(state);
    }
}

static void processes_may_be_killed_at_any_moment(void **state)
{
    const char *wish = getenv("CACHE_KILLS");
    int kills = wish ? atoi(wish) : 60;
    uint64_t random = 88172645463325252u;
    pid_t steady = start(1000, 2000);

    (void)state;
    for (int i = 0; i < kills; i++) {
        pid_t child = start((uint64_t)i, 100000);
        struct timespec a_while = { 0, (long)(next_random(&random) % 4000000) };
        int status;

        nanosleep(&a_while, NULL);
        kill(child, SIGKILL);
        status = status_of(child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    assert_int_equal(status_of(steady), 0);
    assert_well();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_share_a_folder, folder_new, folder_remove),
        cmocka_unit_test(processes_that_start_together_agree_on_the_secret),
        cmocka_unit_test_setup_teardown(processes_may_be_killed_at_any_moment, folder_new, folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
