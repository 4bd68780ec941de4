/* Whatever call of the system fails, and however: right bytes or none, one warning at most, nothing left open, and all is well afterwards. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cache/folder.h"

static unsigned calls, first, last;     /* the calls numbered first to last fail */
static int error;
static size_t most;                     /* bytes that one read or write moves; 0: as asked */
static bool no_tmpfile, no_proc, no_links, no_locks;

static bool fails(void)
{
    calls++;
    if (calls < first || calls > last)
        return false;
    errno = error;
    return true;
}

static bool lacks(bool what, int why)
{
    if (what)
        errno = why;
    return what;
}

static int bad_open(int dir, const char *name, int flags, mode_t mode)
{
    if (fails() || lacks(no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE, EOPNOTSUPP))
        return -1;
    return gpudl__cache_io.open(dir, name, flags, mode);
}

static int bad_close(int fd) { return fails() + gpudl__cache_io.close(fd) ? -1 : 0; }
static ssize_t bad_read(int fd, void *to, size_t n) { return fails() ? -1 : gpudl__cache_io.read(fd, to, most && n > most ? most : n); }
static ssize_t bad_write(int fd, const void *p, size_t n) { return fails() ? -1 : gpudl__cache_io.write(fd, p, most && n > most ? most : n); }
static int bad_sync(int fd) { return fails() || fd < 0 ? -1 : 0; }     /* the disk is not at stake here, and slow */
static int bad_stat(int fd, struct stat *st) { return fails() ? -1 : gpudl__cache_io.stat(fd, st); }
static int bad_stat_at(int dir, const char *name, struct stat *st) { return fails() ? -1 : gpudl__cache_io.stat_at(dir, name, st); }
static int bad_touch(int fd) { return fails() ? -1 : gpudl__cache_io.touch(fd); }
static int bad_name(int fd, int dir, const char *n) { return fails() || lacks(no_proc, ENOENT) ? -1 : gpudl__cache_io.name(fd, dir, n); }
static int bad_link(int dir, const char *a, const char *b) { return fails() || lacks(no_links, EPERM) ? -1 : gpudl__cache_io.link(dir, a, b); }
static int bad_rename(int dir, const char *a, const char *b) { return fails() ? -1 : gpudl__cache_io.rename(dir, a, b); }
static int bad_remove(int dir, const char *name, int flags) { return fails() ? -1 : gpudl__cache_io.remove(dir, name, flags); }
static int bad_make_dir(int dir, const char *name, mode_t m) { return fails() ? -1 : gpudl__cache_io.make_dir(dir, name, m); }
static int bad_lock(int fd, int how) { return fails() || lacks(no_locks, ENOLCK) ? -1 : gpudl__cache_io.lock(fd, how); }
static DIR *bad_list(int fd) { return fails() ? NULL : gpudl__cache_io.list(fd); }
static struct dirent *bad_next(DIR *d) { return fails() ? NULL : gpudl__cache_io.next(d); }
static int bad_end(DIR *d) { return fails() + gpudl__cache_io.end(d) ? -1 : 0; }

static const struct cache_io bad_io = {
    .open = bad_open, .close = bad_close, .read = bad_read, .write = bad_write, .sync = bad_sync, .stat = bad_stat, .stat_at = bad_stat_at,
    .touch = bad_touch, .name = bad_name, .link = bad_link, .rename = bad_rename, .remove = bad_remove, .make_dir = bad_make_dir,
    .lock = bad_lock, .list = bad_list, .next = bad_next, .end = bad_end,
};

static int names_in(const char *path, const char *prefix)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        n += !strncmp(e->d_name, prefix, strlen(prefix));
    if (d)
        closedir(d);
    return n;
}

static void spoil_number_one(void)
{
    char path[256];

    path_of(1, path);
    if (access(path, F_OK) == 0)
        assert_int_equal(truncate(path, 270), 0);
}

static void use(struct cache *c)
{
    struct cache_total total;

    get_number(c, 1);
    put_number(c, 1);
    get_number(c, 1);
    put_number(c, 1);
    put_number(c, 2);
    spoil_number_one();
    get_number(c, 1);
    gpudl__cache_list(c, NULL, NULL, &total);
    gpudl__cache_trim(c, 1 << 20, &total);
    gpudl__cache_trim(c, 1000, &total);
    get_number(c, 2);
}

static void assert_well(struct cache *c)
{
    struct cache_total gone;
    char path[128];

    for (uint64_t n = 1; n <= 3; n++) {
        assert_true(put_number(c, n));
        assert_true(get_number(c, n));
    }
    snprintf(path, sizeof(path), "%s/v2", folder);
    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    if (!no_locks)
        assert_int_equal(names_in(path, "new-") + names_in(folder, "new-"), 0);
}

/* One use in which these calls fail, and one after it. Were there so many calls? */
static bool round_of(unsigned from, unsigned to, int with)
{
    int open_before = names_in("/proc/self/fd", "");
    unsigned made;
    struct cache *c;

    folder_new(NULL);
    calls = 0;
    first = from;
    last = to;
    error = with;
    c = cache_in(folder, &bad_io, 1 << 20);
    use(c);
    made = calls;
    first = last = 0;
    assert_in_range(warnings, 0, 1);
    assert_well(c);
    gpudl__cache_close(c);
    folder_remove(NULL);
    assert_int_equal(names_in("/proc/self/fd", ""), open_before);
    return made >= from;
}

static const int errors[] = { ENOSPC, EIO, EROFS, ESTALE, EACCES, ENOENT, EOPNOTSUPP, EINVAL, ENOMEM };

static void each_call_fails_once(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++)
        for (unsigned n = 1; round_of(n, n, errors[e]); n++)
            ;
}

static void all_calls_fail_from_one_on(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++)
        for (unsigned n = 1; round_of(n, -1u, errors[e]); n++)
            ;
}

static void bytes_come_and_go_in_small_pieces(void **state)
{
    (void)state;
    for (most = 1; most < 300; most = 3 * most + 1) {
        round_of(-1u, 0, 0);
        for (unsigned n = 1; n < 60; n += 7)
            round_of(n, n, EINTR);
    }
    most = 0;
}

static void any_file_system_will_do(void **state)
{
    struct cache *c;

    for (int lacking = 1; lacking < 16; lacking++) {
        no_tmpfile = lacking & 1;
        no_proc = lacking & 2;
        no_links = lacking & 4;
        no_locks = lacking & 8;
        folder_new(state);
        c = cache_in(folder, &bad_io, 1 << 20);
        use(c);
        assert_well(c);
        assert_int_equal(warnings, 0);
        gpudl__cache_close(c);
        folder_remove(state);
        for (unsigned n = 1; n < 80; n += 3)
            round_of(n, n, EIO);
    }
    no_tmpfile = no_proc = no_links = no_locks = false;
}

static void a_full_disk_is_told_once(void **state)
{
    struct cache *c = cache_in(folder, &bad_io, 1 << 20);

    (void)state;
    assert_true(put_number(c, 1));
    first = 1;
    last = -1u;
    calls = 0;
    error = ENOSPC;
    for (int i = 0; i < 10; i++)
        assert_false(put_number(c, 2));
    first = last = 0;
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, folder));
    assert_non_null(strstr(warning, "GPUDL_CACHE_DIR"));
    assert_non_null(strstr(warning, strerror(ENOSPC)));
    assert_true(get_number(c, 1));
    gpudl__cache_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_fails_once), cmocka_unit_test(all_calls_fail_from_one_on),
        cmocka_unit_test(bytes_come_and_go_in_small_pieces), cmocka_unit_test(any_file_system_will_do),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_once, folder_new, folder_remove),
    };

    if (access("/dev/shm", W_OK) == 0)
        folder_base = "/dev/shm";       /* thousands of folders */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
