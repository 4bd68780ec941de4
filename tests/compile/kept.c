/* What is taken from the cache, and what is made anew: with a stand-in for a compiler that says what it read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "tests/compile/fake.h"

static const char source[] = "#include \"a.h\"\nint source;\n";
static bool kept;

/* Files that are younger than the compilation are not believed: they are dated back. */
static void write_old(const char *name, const char *text)
{
    const struct utimbuf then = { time(NULL) - 100, time(NULL) - 100 };

    fake_write(name, text);
    assert_int_equal(utime(fake_path(name), &then), 0);
}

/* Compiles with -I one -I two beside k.cu. */
static bool makes(struct cache *c, const char *text, const char *words)
{
    const char *options[] = { "-I", strdup(fake_path("one")), "-I", strdup(fake_path("two")) };
    char *name = strdup(fake_path("src/k.cu"));
    struct compile_job job = fake_job(c, name, text);
    bool found;

    job.options = options;
    job.noptions = 4;
    found = fake_makes(&job, words, &kept);
    free(name);
    free((char *)(uintptr_t)options[1]);
    free((char *)(uintptr_t)options[3]);
    return found;
}

static void what_was_compiled_is_not_compiled_again(void **state)
{
    struct cache *c = fake_cache(NULL);

    (void)state;
    write_old("two/a.h", "int header;");
    assert_true(makes(c, source, "int header;"));
    assert_false(kept);
    assert_true(makes(c, source, "int header;"));
    assert_true(kept);
    assert_int_equal(fake_runs(), 1);
    gpudl__cache_close(c);
    c = fake_cache(NULL); /* as another process sees it */
    assert_true(makes(c, source, "int header;"));
    assert_true(kept);
    gpudl__cache_close(c);
}

static void a_header_that_changes_is_seen(void **state)
{
    struct cache *c = fake_cache(NULL);

    (void)state;
    write_old("two/a.h", "int one;");
    assert_true(makes(c, source, "int one;"));
    write_old("two/a.h", "int two;");
    assert_true(makes(c, source, "int two;"));
    assert_false(kept);
    write_old("two/a.h", "int one;"); /* and back: both are kept */
    assert_true(makes(c, source, "int one;"));
    assert_true(kept);
    assert_int_equal(fake_runs(), 2);
    gpudl__cache_close(c);
}

static void a_header_that_comes_before_is_seen_and_others_are_not(void **state)
{
    struct cache *c = fake_cache(NULL);

    (void)state;
    write_old("two/a.h", "int two;");
    assert_true(makes(c, source, "int two;"));
    write_old("one/b.h", "int unrelated;");
    write_old("three/a.h", "int elsewhere;");
    assert_true(makes(c, source, "int two;"));
    assert_true(kept);
    write_old("one/a.h", "int shadow;");
    assert_true(makes(c, source, "int shadow;"));
    write_old("src/a.h", "int beside;");
    assert_true(makes(c, source, "int beside;"));
    assert_int_equal(fake_runs(), 3);
    gpudl__cache_close(c);
}

/* As one that is not behind an #include that we see: the compiler says that it read it. */
static void what_only_the_compiler_sees_is_seen(void **state)
{
    static const char hidden[] = "#define X\n#if X\n#endif\n/* \n#include \"a.h\"\n*/ int hidden;\n";
    struct cache *c = fake_cache(NULL);

    (void)state;
    write_old("two/a.h", "int one;");
    assert_true(makes(c, hidden, "int one;"));
    write_old("two/a.h", "int two;");
    assert_true(makes(c, hidden, "int two;"));
    gpudl__cache_close(c);
}

static void options_names_and_targets_are_part_of_it(void **state)
{
    static const char *const defines[] = { "-DA=1" }, *const others[] = { "-D", "A=1" }, *const names[] = { "k" };
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");

    (void)state;
    assert_true(fake_makes(&job, "k", &kept));
    job.options = defines;
    job.noptions = 1;
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    job.options = others;
    job.noptions = 2;
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    job.target.sm = 80;
    assert_true(fake_makes(&job, "sm_80", &kept));
    assert_false(kept);
    job.names = names;
    job.nnames = 1;
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    assert_true(fake_makes(&job, "k", &kept));
    assert_true(kept);
    job.text.size--;
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    gpudl__cache_close(c);
}

static void another_compiler_is_another_result(void **state)
{
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");
    struct utimbuf then = { 1000000, 1000000 };

    (void)state;
    assert_true(fake_makes(&job, "k", &kept));
    assert_int_equal(utime(fake_path("fake-nvcc"), &then), 0);
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    fake_write("ptxas", ""); /* a part of it */
    assert_true(fake_makes(&job, "k", &kept));
    assert_false(kept);
    assert_int_equal(fake_runs(), 3);
    gpudl__cache_close(c);
}

static void a_hit_runs_nothing(void **state)
{
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");
    struct compile_result r;

    (void)state;
    assert_true(fake_makes(&job, "k", &kept));
    fake_write("slow", "1000"); /* for whoever runs it */
    assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
    assert_true(r.kept);
    assert_string_equal(r.compiler, "nvcc 1.5");
    assert_non_null(strstr(r.log, "a remark of the fake compiler"));
    gpudl__compile_release(&r);
    gpudl__cache_close(c);
}

static void lowered_names_are_kept_too(void **state)
{
    static const char *const names[] = { "alpha", "beta" };
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");
    struct compile_result r;

    (void)state;
    job.names = names;
    job.nnames = 2;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fake_compile(&job, &r), COMPILE_OK);
        assert_int_equal(r.kept, i);
        assert_string_equal(gpudl__compile_lowered(r.lowered, "alpha"), "alpha");
        assert_string_equal(gpudl__compile_lowered(r.lowered, "beta"), "beta");
        assert_null(gpudl__compile_lowered(r.lowered, "gamma"));
        assert_null(strstr((const char *)r.bytes.data, "u64 gpudl__name_"));
        gpudl__compile_release(&r);
    }
    gpudl__cache_close(c);
}

static void what_cannot_be_known_is_not_kept(void **state)
{
    static const char *const texts[] = { "const char *t = __TIME__;", "const char *t = __DATE__;",
        "const char *t = __TIMESTAMP__;" };
    static const char *const unknown[] = { "--mystery" };
    struct cache *c = fake_cache(NULL);
    struct compile_job job;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int again = 0; again < 2; again++) {
            job = fake_job(c, "k.cu", texts[i]);
            fake_makes(&job, "k", &kept);
            assert_false(kept);
        }
    job = fake_job(c, "k.cu", "int k;");
    job.options = unknown;
    job.noptions = 1;
    for (int again = 0; again < 2; again++) {
        fake_makes(&job, "k", &kept);
        assert_false(kept);
    }
    job = fake_job(c, "k.cu", "int k;");
    job.flags = COMPILE_NO_CACHE;
    fake_makes(&job, "k", &kept);
    fake_makes(&job, "k", &kept);
    assert_false(kept);
    gpudl__cache_close(c);
}

/* Its time is all that tells whether the compiler read what we read. */
static void a_header_younger_than_the_compilation_is_not_kept(void **state)
{
    struct cache *c = fake_cache(NULL);
    const struct utimbuf later = { time(NULL) + 1000, time(NULL) + 1000 };

    (void)state;
    fake_write("two/a.h", "int header;");
    assert_int_equal(utime(fake_path("two/a.h"), &later), 0);
    assert_true(makes(c, source, "int header;"));
    assert_true(makes(c, source, "int header;"));
    assert_false(kept);
    gpudl__cache_close(c);
}

static void a_failure_is_not_remembered(void **state)
{
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "SYNTAX_ERROR");
    struct compile_result r;

    (void)state;
    for (unsigned i = 1; i < 3; i++) {
        assert_int_equal(fake_compile(&job, &r), COMPILE_SOURCE);
        assert_int_equal(fake_runs(), i);
        assert_non_null(strstr(fake_text, "k.cu(3): error: expected an expression"));
    }
    gpudl__cache_close(c);
}

static void what_was_verified_less_does_not_serve(void **state)
{
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");

    (void)state;
    fake_makes(&job, "k", &kept);
    job.policy = 2;
    fake_makes(&job, "k", &kept);
    assert_false(kept);
    fake_makes(&job, "k", &kept);
    assert_true(kept);
    job.policy = 1;
    fake_makes(&job, "k", &kept);
    assert_true(kept);
    gpudl__cache_close(c);
}

/* A file may be another one when the compiler opens it. */
static void under_a_policy_headers_come_from_memory(void **state)
{
    static const struct compile_header header = { "a.h", { (const unsigned char *)"int in_memory;", 14 } };
    static const char *const unknown[] = { "--mystery" };
    struct compile_job job = fake_job(NULL, fake_path("src/k.cu"), source);
    struct compile_result r;

    (void)state;
    fake_write("src/a.h", "int on_disk;");
    job.policy = 1;
    assert_int_equal(fake_compile(&job, &r), COMPILE_HEADER);
    assert_non_null(strstr(fake_text, "trust policy"));
    assert_int_equal(fake_runs(), 0);
    unlink(fake_path("src/a.h"));
    job.headers = &header;
    job.nheaders = 1;
    assert_true(fake_makes(&job, "int in_memory;", NULL));
    job.options = unknown;
    job.noptions = 1;
    assert_int_equal(fake_compile(&job, &r), COMPILE_HEADER);
}

static void each_entry(void *user, const struct cache_item *item)
{
    char name[CACHE_KEY_TEXT], path[256];
    FILE *f;

    (void)user;
    gpudl__key_print(item->key, name);
    snprintf(path, sizeof(path), "%s/cache/v2/%s", fake_folder, name);
    f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, -1, SEEK_END);
    fputc('#', f);
    fclose(f);
}

static void a_damaged_entry_is_made_anew(void **state)
{
    struct cache *c = fake_cache(NULL);
    struct compile_job job = fake_job(c, "k.cu", "int k;");
    struct cache_counts counts;
    struct cache_total total;

    (void)state;
    fake_makes(&job, "k", &kept);
    assert_true(gpudl__cache_list(c, each_entry, NULL, &total));
    fake_makes(&job, "k", &kept);
    assert_false(kept);
    fake_makes(&job, "k", &kept);
    assert_true(kept);
    gpudl__cache_counts(c, &counts);
    assert_true(counts.healed > 0);
    gpudl__cache_close(c);
}

static void where_nothing_can_be_kept_all_is_compiled(void **state)
{
    struct cache *c;
    struct compile_job job;

    (void)state;
    fake_write("cache", "a file is in the way");
    c = fake_cache(NULL);
    job = fake_job(c, "k.cu", "int k;");
    assert_true(fake_makes(&job, "int k;", &kept));
    assert_true(fake_makes(&job, "int k;", &kept));
    assert_false(kept);
    job.cache = NULL;
    assert_true(fake_makes(&job, "int k;", &kept));
    gpudl__cache_close(c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(what_was_compiled_is_not_compiled_again),
        TEST(a_header_that_changes_is_seen),
        TEST(a_header_that_comes_before_is_seen_and_others_are_not),
        TEST(what_only_the_compiler_sees_is_seen),
        TEST(options_names_and_targets_are_part_of_it),
        TEST(another_compiler_is_another_result),
        TEST(a_hit_runs_nothing),
        TEST(lowered_names_are_kept_too),
        TEST(what_cannot_be_known_is_not_kept),
        TEST(a_header_younger_than_the_compilation_is_not_kept),
        TEST(a_failure_is_not_remembered),
        TEST(what_was_verified_less_does_not_serve),
        TEST(under_a_policy_headers_come_from_memory),
        TEST(a_damaged_entry_is_made_anew),
        TEST(where_nothing_can_be_kept_all_is_compiled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
