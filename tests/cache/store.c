/* What is put is got by everyone of this user; what is damaged, planted or too old goes; what may not be used is told once. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/cache/entry.h"
#include "tests/cache/folder.h"

static void what_is_put_is_got(void **state)
{
    struct cache *c = cache_here(), *other = cache_here();

    (void)state;
    assert_false(get_number(c, 1));
    assert_true(put_number(c, 1));
    assert_true(get_number(c, 1));
    assert_true(get_number(other, 1));
    assert_false(get_number(other, 2));
    assert_true(put_number(other, 1));      /* again: it takes the place of the first */
    assert_true(get_number(c, 1));
    assert_int_equal(counts_of(c).hits, 2);
    assert_int_equal(counts_of(c).misses, 1);
    assert_int_equal(counts_of(c).stored, 1);
    assert_int_equal(warnings, 0);
    gpudl__cache_close(c);
    gpudl__cache_close(other);
}

static mode_t mode_of(const char *name)
{
    char path[300];
    struct stat st;

    snprintf(path, sizeof(path), "%s%s", folder, name);
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void only_this_user_can_look(void **state)
{
    struct cache *c = cache_here();
    char path[256];

    (void)state;
    umask(0);
    assert_true(put_number(c, 1));
    path_of(1, path);
    assert_int_equal(mode_of(""), 0700);
    assert_int_equal(mode_of("/v2"), 0700);
    assert_int_equal(mode_of("/secret"), 0600);
    assert_int_equal(mode_of(path + strlen(folder)), 0600);
    gpudl__cache_close(c);
}

/* ---- bad entries */

static void spoil_bit(const char *path)
{
    unsigned char bytes[8192];
    size_t n = read_bytes(path, bytes, sizeof(bytes));

    bytes[n / 2] ^= 4;
    write_bytes(path, bytes, n);
}

static void spoil_half(const char *path) { assert_int_equal(truncate(path, 300), 0); }
static void spoil_all(const char *path) { assert_int_equal(truncate(path, 0), 0); }

static void spoil_longer(const char *path)
{
    unsigned char bytes[8192] = { 0 };
    size_t n = read_bytes(path, bytes, sizeof(bytes));

    write_bytes(path, bytes, n + 1);
}

static void spoil_other_key(const char *path)
{
    char from[256];

    path_of(2, from);
    unlink(path);
    assert_int_equal(link(from, path), 0);
}

static void spoil_with_link(const char *path)
{
    char from[256];

    path_of(2, from);
    unlink(path);
    assert_int_equal(symlink(from, path), 0);
}

static void spoil_with_folder(const char *path)
{
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void spoil_with_pipe(const char *path)
{
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void spoil_mode(const char *path) { assert_int_equal(chmod(path, 0666), 0); }

static void spoil_owner(const char *path)
{
    if (geteuid() == 0)
        assert_int_equal(chown(path, 12345, 12345), 0);
    else
        spoil_mode(path);
}

/* Whole and consistent, sealed by somebody else. */
static void spoil_forged(const char *path)
{
    const struct entry_secret other = { "another" };
    struct entry e = { .key = key_number(1) };
    unsigned char header[ENTRY_HEADER];

    gpudl__entry_seal(header, &e, &other);
    write_bytes(path, header, sizeof(header));
}

static void bad_entries_are_misses_and_heal(void **state)
{
    void (*const spoil[])(const char *) = { spoil_bit, spoil_half, spoil_all, spoil_longer, spoil_other_key, spoil_with_link,
        spoil_with_folder, spoil_with_pipe, spoil_mode, spoil_owner, spoil_forged };
    struct cache *c = cache_here();
    char path[256];
    struct stat st;

    (void)state;
    path_of(1, path);
    assert_true(put_number(c, 2));
    for (size_t i = 0; i < sizeof(spoil) / sizeof(*spoil); i++) {
        assert_true(put_number(c, 1));
        assert_true(get_number(c, 1));
        spoil[i](path);
        assert_false(get_number(c, 1));
        assert_int_equal(counts_of(c).healed, i + 1);
        assert_int_equal(lstat(path, &st), -1);
        assert_true(get_number(c, 2));
    }
    assert_true(put_number(c, 1));
    assert_true(get_number(c, 1));
    assert_int_equal(warnings, 0);
    gpudl__cache_close(c);
}

static void a_bad_entry_is_replaced_without_being_read(void **state)
{
    struct cache *c = cache_here();
    char path[256];

    (void)state;
    path_of(1, path);
    assert_true(put_number(c, 1));
    spoil_bit(path);
    assert_true(put_number(c, 1));
    assert_true(get_number(c, 1));
    gpudl__cache_close(c);
}

static void what_is_of_no_use_can_be_dropped(void **state)
{
    struct cache *c = cache_here();
    struct cache_key key = key_number(1);

    (void)state;
    assert_true(put_number(c, 1));
    gpudl__cache_drop(c, &key);
    assert_false(get_number(c, 1));
    gpudl__cache_drop(c, &key);
    gpudl__cache_close(c);
}

/* ---- the secret */

static void another_secret_makes_all_entries_misses(void **state)
{
    struct cache *c = cache_here();
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/secret", folder);
    assert_true(put_number(c, 1));
    gpudl__cache_close(c);
    write_bytes(path, "not the same bytes as before at all", 32);
    c = cache_here();
    assert_false(get_number(c, 1));
    assert_int_equal(counts_of(c).healed, 1);
    gpudl__cache_close(c);
}

static void a_bad_secret_is_made_anew(void **state)
{
    struct cache *c;
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/secret", folder);
    for (int i = 0; i < 3; i++) {
        c = cache_here();
        assert_true(put_number(c, 1));
        assert_true(get_number(c, 1));
        gpudl__cache_close(c);
        if (i == 0)
            assert_int_equal(chmod(path, 0644), 0);     /* others may have read it */
        else
            assert_int_equal(truncate(path, 5), 0);
        c = cache_here();
        assert_false(get_number(c, 1));
        gpudl__cache_close(c);
    }
    assert_int_equal(warnings, 0);
}

static void a_process_learns_of_a_new_secret(void **state)
{
    struct cache *c = cache_here(), *other;
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/secret", folder);
    assert_true(put_number(c, 1));
    unlink(path);
    other = cache_here();
    assert_true(put_number(other, 2));
    assert_true(get_number(c, 2));
    assert_int_equal(counts_of(c).healed, 0);
    assert_true(put_number(c, 3));
    assert_true(get_number(other, 3));
    gpudl__cache_close(c);
    gpudl__cache_close(other);
}

static void the_folder_may_vanish_and_come_back(void **state)
{
    struct cache *c = cache_here();
    char aside[80];

    (void)state;
    assert_true(put_number(c, 1));
    snprintf(aside, sizeof(aside), "%s.old", folder);
    assert_int_equal(rename(folder, aside), 0);
    assert_false(get_number(c, 1));
    assert_true(put_number(c, 2));
    assert_true(get_number(c, 2));
    assert_int_equal(warnings, 0);
    gpudl__cache_close(c);
}

/* ---- places */

static void assert_unusable(struct cache *c, const char *path, const char *variable)
{
    assert_non_null(c);
    assert_false(put_number(c, 1));
    assert_false(get_number(c, 1));
    assert_false(put_number(c, 1));
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, path));
    assert_non_null(strstr(warning, variable));
    gpudl__cache_close(c);
}

static void a_folder_that_others_can_use_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_unusable(cache_here(), folder, "GPUDL_CACHE_DIR");
    assert_non_null(strstr(warning, "0700"));
}

static void a_folder_of_another_user_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chown(folder, 12345, 12345), 0);
    assert_unusable(cache_here(), folder, "GPUDL_CACHE_DIR");
    assert_non_null(strstr(warning, "another user"));
}

static void a_file_is_no_folder(void **state)
{
    (void)state;
    write_bytes(folder, "x", 1);
    assert_unusable(cache_here(), folder, "GPUDL_CACHE_DIR");
}

static struct cache *cache_of(const char *own, const char *xdg, const char *home)
{
    own ? setenv("GPUDL_CACHE_DIR", own, 1) : unsetenv("GPUDL_CACHE_DIR");
    xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    return cache_in(NULL, NULL, 0);
}

static void assert_folder(const char *own, const char *xdg, const char *home, const char *expected)
{
    struct cache *c = cache_of(own, xdg, home);

    assert_string_equal(gpudl__cache_folder(c), expected);
    gpudl__cache_close(c);
}

static void variables_name_the_folder(void **state)
{
    (void)state;
    assert_folder("/a", "/b", "/c", "/a");
    assert_folder(NULL, "/b", "/c", "/b/gpudl");
    assert_folder("", "/b", "/c", "/b/gpudl");
    assert_folder(NULL, "relative", "/c", "/c/.cache/gpudl");
    assert_folder(NULL, NULL, "/c", "/c/.cache/gpudl");
}

static void folders_above_are_made_but_no_home(void **state)
{
    char home[80], xdg[100];
    struct cache *c;

    (void)state;
    snprintf(home, sizeof(home), "%s.home", folder);
    assert_unusable(cache_of(NULL, NULL, home), home, "HOME");
    assert_int_equal(access(home, F_OK), -1);
    assert_int_equal(mkdir(home, 0755), 0);
    c = cache_of(NULL, NULL, home);
    assert_true(put_number(c, 1));
    gpudl__cache_close(c);
    snprintf(xdg, sizeof(xdg), "%s/deep/er", folder);
    c = cache_of(NULL, xdg, NULL);
    assert_true(put_number(c, 1));
    gpudl__cache_close(c);
}

static void no_variable_at_all_is_told(void **state)
{
    (void)state;
    assert_unusable(cache_of(NULL, NULL, NULL), "HOME", "GPUDL_CACHE_DIR");
}

static void no_cache_keeps_nothing(void **state)
{
    struct cache_total total;

    (void)state;
    assert_false(put_number(NULL, 1));
    assert_false(get_number(NULL, 1));
    assert_false(gpudl__cache_list(NULL, NULL, NULL, &total));
    assert_false(gpudl__cache_trim(NULL, 0, &total));
    gpudl__cache_drop(NULL, &(struct cache_key){ { 0 } });
    gpudl__cache_close(NULL);
    assert_int_equal(counts_of(NULL).misses, 0);
}

/* ---- lists and bounds */

static void add_up(void *user, const struct cache_item *item)
{
    uint64_t *sum = user, now = (uint64_t)time(NULL);
    int n = 0;

    assert_int_equal(sscanf(item->label, "number %d", &n), 1);
    assert_memory_equal(item->key, &(struct cache_key[]){ key_number((uint64_t)n) }, sizeof(*item->key));
    assert_true(item->made <= now && item->made + 100 > now && item->used + 100 > now);
    *sum += (uint64_t)n;
}

static void what_is_there_can_be_listed(void **state)
{
    struct cache *c = cache_here();
    struct cache_total total;
    uint64_t sum = 0;
    char path[256];

    (void)state;
    assert_false(gpudl__cache_list(c, add_up, &sum, &total));
    for (uint64_t n = 1; n <= 10; n++)
        assert_true(put_number(c, n));
    path_of(3, path);
    spoil_forged(path);
    assert_true(gpudl__cache_list(c, add_up, &sum, &total));
    assert_int_equal(sum, 55 - 3);
    assert_int_equal(total.entries, 9);
    gpudl__cache_close(c);
}

static void age(uint64_t n, time_t seconds)
{
    char path[256];
    struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };

    path_of(n, path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_longest_unused_goes_first(void **state)
{
    struct cache *c = cache_here();
    struct cache_total total, gone;

    (void)state;
    for (uint64_t n = 1; n <= 10; n++) {
        assert_true(put_number(c, n));
        age(n, 36000 + (time_t)(n * 1000));
    }
    assert_true(get_number(c, 10));     /* the oldest is used, and so the youngest */
    assert_true(gpudl__cache_list(c, NULL, NULL, &total));
    assert_true(gpudl__cache_trim(c, total.bytes - 1, &gone));
    assert_int_equal(gone.entries, 1);
    assert_false(get_number(c, 9));
    for (uint64_t n = 1; n <= 10; n++)
        if (n != 9)
            assert_true(get_number(c, n));
    assert_true(gpudl__cache_trim(c, 0, &gone));
    assert_int_equal(gone.entries, 9);
    assert_int_equal(counts_of(c).evicted, 10);
    gpudl__cache_close(c);
}

static void what_is_not_used_for_long_goes(void **state)
{
    const struct cache_options o = { .folder = folder, .max_age = 1000 };
    struct cache *c = gpudl__cache_open(&o);
    struct cache_total gone;

    (void)state;
    assert_true(put_number(c, 1));
    assert_true(put_number(c, 2));
    age(1, 1100);
    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    assert_int_equal(gone.entries, 1);
    assert_false(get_number(c, 1));
    assert_true(get_number(c, 2));
    gpudl__cache_close(c);
}

static void a_use_is_written_down_once_an_hour(void **state)
{
    struct cache *c = cache_here();
    struct stat before, after;
    char path[256];

    (void)state;
    path_of(1, path);
    assert_true(put_number(c, 1));
    age(1, 3000);
    stat(path, &before);
    assert_true(get_number(c, 1));
    stat(path, &after);
    assert_int_equal(before.st_mtime, after.st_mtime);
    age(1, 4000);
    assert_true(get_number(c, 1));
    stat(path, &after);
    assert_true(after.st_mtime > before.st_mtime);
    gpudl__cache_close(c);
}

static void writing_alone_keeps_the_bound(void **state)
{
    struct cache *c = cache_in(folder, NULL, 40000);
    struct cache_total total;

    (void)state;
    for (uint64_t n = 0; n < 400; n++)
        assert_true(put_number(c, n));
    assert_true(gpudl__cache_list(c, NULL, NULL, &total));
    assert_in_range(total.bytes, 1, 80000);     /* a sweep comes by chance: twice the bound would take twenty thousand to one */
    assert_true(counts_of(c).evicted > 300);
    gpudl__cache_close(c);
}

static void what_is_larger_than_half_the_bound_is_not_kept(void **state)
{
    struct cache *c = cache_in(folder, NULL, 2000);
    static unsigned char big[1000];
    struct cache_key key = key_number(1);

    (void)state;
    assert_false(gpudl__cache_put(c, &key, "", (struct span){ NULL, 0 }, (struct span){ big, sizeof(big) }));
    assert_int_equal(warnings, 0);
    gpudl__cache_close(c);
}

static void what_dead_writers_left_goes_and_nothing_else(void **state)
{
    struct cache *c = cache_here();
    struct cache_total gone;
    char dead[128], alive[128], other[128];
    int fd;

    (void)state;
    assert_true(put_number(c, 1));
    snprintf(dead, sizeof(dead), "%s/v2/new-dead", folder);
    snprintf(alive, sizeof(alive), "%s/v2/new-alive", folder);
    snprintf(other, sizeof(other), "%s/v2/README", folder);
    write_bytes(dead, "x", 1);
    write_bytes(alive, "x", 1);
    write_bytes(other, "x", 1);
    fd = open(alive, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(alive, F_OK), 0);
    close(fd);
    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    assert_int_equal(access(alive, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    assert_true(get_number(c, 1));
    gpudl__cache_close(c);
}

/* Older versions of gpudl kept theirs in v1, and nobody reads it any more. */
static void what_older_versions_kept_goes_with_a_sweep(void **state)
{
    struct cache *c = cache_here();
    struct cache_total gone;
    char old[128], entry[160];

    (void)state;
    assert_true(put_number(c, 1));
    snprintf(old, sizeof(old), "%s/v1", folder);
    snprintf(entry, sizeof(entry), "%s/entry", old);
    assert_int_equal(mkdir(old, 0700), 0);
    write_bytes(entry, "x", 1);
    assert_true(get_number(c, 1));
    assert_int_equal(access(entry, F_OK), 0);
    assert_true(gpudl__cache_trim(c, 1 << 20, &gone));
    assert_int_equal(access(old, F_OK), -1);
    assert_true(get_number(c, 1));
    gpudl__cache_close(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_new, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_put_is_got), TEST(only_this_user_can_look), TEST(bad_entries_are_misses_and_heal),
        TEST(a_bad_entry_is_replaced_without_being_read), TEST(what_is_of_no_use_can_be_dropped),
        TEST(another_secret_makes_all_entries_misses), TEST(a_bad_secret_is_made_anew), TEST(a_process_learns_of_a_new_secret),
        TEST(the_folder_may_vanish_and_come_back), TEST(a_folder_that_others_can_use_is_refused), TEST(a_folder_of_another_user_is_refused),
        TEST(a_file_is_no_folder), TEST(variables_name_the_folder), TEST(folders_above_are_made_but_no_home),
        TEST(no_variable_at_all_is_told), TEST(no_cache_keeps_nothing), TEST(what_is_there_can_be_listed),
        TEST(the_longest_unused_goes_first), TEST(what_is_not_used_for_long_goes), TEST(a_use_is_written_down_once_an_hour),
        TEST(writing_alone_keeps_the_bound), TEST(what_is_larger_than_half_the_bound_is_not_kept),
        TEST(what_dead_writers_left_goes_and_nothing_else), TEST(what_older_versions_kept_goes_with_a_sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
