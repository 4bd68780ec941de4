/* Copies of gpudl in one process: what they share, what they do not, and who unloads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/loader/share/record.h"
#include "src/trust/sha256.h"
#include "tests/share/sides.h"

enum { PLUGINS = 20 };

/* Asked by LeakSanitizer, which looks for the threads' variables of plugins that are gone, and falls. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* ------------------------------------------------------------------------------------------------------- what is shared */

static void twenty_plugins_load_once(void **state)
{
    struct side *s = calloc(PLUGINS, sizeof(*s));

    (void)state;
    for (int i = 0; i < PLUGINS; i++) {
        side_open(&s[i], "static");
        side_load(&s[i]);
        side_launch(&s[i], "axpy");
        assert_int_equal(side_stats(&s[i]).loads, i == 0);
        assert_int_equal(side_stats(&s[i]).joined, i != 0);
        assert_int_equal(side_stats(&s[i]).held, 1);
    }
    assert_int_equal(loads(), 1);
    for (int i = 0; i < PLUGINS; i++) {
        side_close(&s[i]);
        assert_int_equal(nulldrv_alive("library"), i < PLUGINS - 1);
    }
    assert_nothing_left();
    free(s);
}

static void they_go_in_any_order(void **state)
{
    struct side s[5];
    int order[5];

    (void)state;
    srand(1);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 5; i++) {
            int at = rand() % (i + 1);
            order[i] = order[at];
            order[at] = i;
            side_open(&s[i], "static");
            side_load(&s[i]);
        }
        for (int i = 0; i < 5; i++) {
            for (int other = i; other < 5; other++)
                side_launch(&s[order[other]], "negate");
            side_close(&s[order[i]]);
        }
        assert_nothing_left();
    }
    assert_int_equal(loads(), 20);
}

static void a_static_copy_meets_a_shared_library_and_the_program(void **state)
{
    static const char *const kinds[] = { "own", "shared", "static" };
    struct side s[3];

    (void)state;
    for (int first = 0; first < 3; first++) {
        for (int i = 0; i < 3; i++) {
            side_open(&s[i], kinds[(first + i) % 3]);
            side_load(&s[i]);
        }
        assert_int_equal(loads(), first + 1);
        for (int i = 0; i < 3; i++)
            side_close(&s[i]);
        assert_nothing_left();
    }
}

static void everything_is_read_once_and_told_by_all(void **state)
{
    struct side a, b;
    gpudl_kernel *ka, *kb;
    size_t na, nb;
    int ra, rb;

    (void)state;
    nulldrv_set_remarks("a remark");
    side_open(&a, "static");
    side_open(&b, "static");
    for (int i = 0; i < 3; i++) {
        const gpudl_source *source = i == 0 ? DATA_SOURCE(names_cubin)
            : i == 1                        ? DATA_SOURCE(names_fatbin)
                                            : DATA_SOURCE(names_ptx);
        side_load_with(&a, source, NULL);
        side_load_with(&b, source, NULL);
        side_ok(&a, kernel_get(a.library, "axpy", &ka));
        side_ok(&b, kernel_get(b.library, "axpy", &kb));
        side_ok(&a, kernel_param_count(ka, &na));
        side_ok(&b, kernel_param_count(kb, &nb));
        assert_int_equal(na, nb);
        side_ok(&a, kernel_attribute(ka, GPUDL_FUNC_NUM_REGS, 0, &ra));
        side_ok(&b, kernel_attribute(kb, GPUDL_FUNC_NUM_REGS, 0, &rb));
        assert_int_equal(ra, rb);
        a.g->kernel_release(ka);
        b.g->kernel_release(kb);
        side_release(&a);
        side_release(&b);
    }
    assert_int_equal(loads(), 3);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

/* The first one's plugin goes; what it read of the image stays for the others. */
static void checked_launches_outlive_who_loaded(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_arg wrong = { GPUDL_ARG_FLOAT, 4, { 0 } };
    gpudl_kernel *k;
    struct side a, b;

    (void)state;
    side_open(&a, "static");
    side_load(&a);
    side_open(&b, "static");
    side_load(&b);
    side_close(&a);
    side_ok(&b, kernel_get(b.library, "axpy", &k));
    assert_int_equal(b.g->kernel_launch(k, &config, &wrong, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS);
    assert_non_null(strstr(b.g->error_text(), "axpy"));
    b.g->kernel_release(k);
    side_close(&b);
    assert_int_equal(loads(), 1);
    assert_nothing_left();
}

static char *long_text(size_t size, char filler)
{
    static const char head[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n//";
    char *text = malloc(size + 1);

    memset(text, filler, size);
    memcpy(text, head, sizeof(head) - 1);
    text[size] = '\0';
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Where samples of two contents are the same, and their sizes, the bytes still decide; of memory and of files. */
static void every_byte_of_large_contents_counts(void **state)
{
    enum { SIZE = 100000 };
    char path[] = "/tmp/gpudl-share-XXXXXX", *text = long_text(SIZE, 'x'), *longer = long_text(SIZE + 1, 'x');
    struct side a, b;

    (void)state;
    close(mkstemp(path));
    write_text(path, text);
    side_open(&a, "static");
    side_open(&b, "static");
    side_load_with(&a, GPUDL_FILE(path), NULL);
    side_load_with(&b, GPUDL_FILE(path), NULL);
    side_release(&b);
    side_load_with(&b, GPUDL_MEMORY(text, SIZE), NULL);
    side_release(&b);
    assert_int_equal(loads(), 1);
    for (int i = 1; i <= 3; i++) {
        text[SIZE / 2 + 1000 * i]++; /* not where samples are taken */
        write_text(path, text);
        side_load_with(&b, i % 2 ? GPUDL_FILE(path) : GPUDL_MEMORY(text, SIZE), NULL);
        side_release(&b);
        assert_int_equal(loads(), 1 + i);
    }
    write_text(path, longer);
    side_load_with(&b, GPUDL_FILE(path), NULL);
    assert_int_equal(loads(), 5);
    unlink(path);
    free(text);
    free(longer);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

/* Figures that one has remembered are asked for again when another has set an attribute. */
static void attributes_are_everybodys(void **state)
{
    static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry plain() { ret; }\n";
    gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(8, 1024), &cooperative, 1);
    gpudl_kernel *ka, *kb;
    struct side a, b;
    int value;

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    side_load_with(&a, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL);
    side_load_with(&b, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL);
    side_ok(&b, loader_use_device(b.loader, 0));
    side_ok(&a, kernel_get(a.library, NULL, &ka));
    side_ok(&b, kernel_get(b.library, NULL, &kb));
    side_ok(&b, kernel_launch(kb, &config, NULL, 0));
    side_ok(&b, kernel_launch(kb, &config, NULL, 0));
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
    side_ok(&a, kernel_set_attribute(ka, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, 0));
    side_ok(&b, kernel_attribute(kb, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 0, &value));
    assert_int_equal(value, 50);
    side_ok(&b, kernel_launch(kb, &config, NULL, 0));
    side_ok(&b, kernel_launch(kb, &config, NULL, 0));
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 2);
    a.g->kernel_release(ka);
    b.g->kernel_release(kb);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

/* --------------------------------------------------------------------------------------------------- what is not */

static void another_format_works_alone_and_says_so(void **state)
{
    struct side a, b;

    (void)state;
    side_open(&a, "static");
    side_load(&a);
    assert_string_equal(a.said, "");
    side_open(&b, "other");
    assert_non_null(strstr(b.said, "holds a copy of gpudl that shares loaded code in another way (format 1, here 999)"));
    assert_non_null(strstr(b.said, "each works alone"));
    side_load(&b);
    side_launch(&b, "axpy");
    assert_int_equal(loads(), 2);
    assert_int_equal(side_stats(&b).joined, 0);
    side_close(&a);
    side_launch(&b, "axpy");
    side_close(&b);
    assert_nothing_left();
}

static void nothing_is_shared_where_that_is_asked_for(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    struct side a, b, c;

    (void)state;
    options.share = GPUDL_SHARE_NOTHING;
    side_open(&a, "static");
    side_load(&a);
    side_open_with(&b, "static", options);
    side_load(&b);
    setenv("GPUDL_SHARE", "0", 1);
    side_open(&c, "static");
    unsetenv("GPUDL_SHARE");
    side_load(&c);
    assert_int_equal(loads(), 3);
    side_close(&a);
    side_close(&b);
    side_close(&c);
    options.share = 2;
    assert_fails(gpudl_loader_open(&options, &a.loader), GPUDL_ERROR_ARGUMENT, "GPUDL_SHARE_NOTHING");
    assert_nothing_left();
}

static void loads_that_differ_are_two(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    struct side a, b;
    int data = 0;
    gpudl_host_table table = { NULL, 0, &data, sizeof(data) };

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    side_load(&a);
    options.flags = GPUDL_LOAD_LINE_INFO;
    side_load_with(&b, DATA_SOURCE(names_cubin), &options);
    assert_int_equal(loads(), 2);
    side_release(&b);
    options.flags = 0;
    options.host_table = &table; /* points into who gave it */
    side_load_with(&b, DATA_SOURCE(names_cubin), &options);
    side_release(&a);
    side_load_with(&a, DATA_SOURCE(names_cubin), &options);
    assert_int_equal(loads(), 4);
    side_close(&a);
    side_close(&b);
    nulldrv_set_sm(80); /* another entry of an image may be another device's choice */
    side_open(&a, "static");
    side_load_with(&a, DATA_SOURCE(names_ptx), NULL);
    nulldrv_set_sm(90);
    side_open(&b, "static");
    side_load_with(&b, DATA_SOURCE(names_ptx), NULL);
    assert_int_equal(loads(), 6);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

static void globals_are_shared_if_both_sides_ask(void **state)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    struct side a, b;

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    options.flags = GPUDL_LOAD_SHARED_GLOBALS;
    side_load_with(&a, DATA_SOURCE(globals_cubin), NULL);
    side_load_with(&b, DATA_SOURCE(globals_cubin), NULL);
    assert_int_equal(loads(), 2);
    side_release(&b);
    side_load_with(&b, DATA_SOURCE(globals_cubin), &options);
    assert_int_equal(loads(), 3);
    side_release(&a);
    side_load_with(&a, DATA_SOURCE(globals_cubin), &options);
    assert_int_equal(loads(), 3);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

static void a_policy_is_held_whoever_loaded(void **state)
{
    char digits[SHA256_TEXT] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const char *const digests[] = { digits };
    struct sha256 digest;
    gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    struct side a, b;

    (void)state;
    trust.policy = GPUDL_TRUST_DIGEST;
    trust.digests = digests;
    trust.ndigests = 1;
    options.trust = &trust;
    side_open(&a, "static");
    side_load(&a);
    side_open_with(&b, "static", options);
    assert_int_equal(b.g->library_load(b.loader, DATA_SOURCE(names_cubin), NULL, &b.library), GPUDL_ERROR_DIGEST);
    b.library = NULL;
    side_close(&b);
    digest = gpudl__sha256((struct span){ data_names_cubin, DATA_SIZE(names_cubin) });
    gpudl__sha256_print(&digest, digits);
    side_open_with(&b, "static", options);
    side_load(&b);
    assert_int_equal(loads(), 1);
    side_close(&b);
    side_close(&a);
    assert_nothing_left();
}

/* -------------------------------------------------------------------------------------------------------------- warm, retired */

/* The others let go at once; the last keeps it warm, and any of them finds it. */
static void the_last_one_keeps_it_warm(void **state)
{
    struct side a, b;

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    side_load(&a);
    side_load(&b);
    side_launch(&a, "axpy");
    side_release(&a);
    assert_int_equal(side_stats(&a).warm, 0);
    assert_int_equal(side_stats(&a).held, 0);
    side_release(&b);
    assert_int_equal(side_stats(&b).warm, 1);
    side_load(&a);
    assert_int_equal(loads(), 1);
    side_ok(&b, loader_trim(b.loader, 0, 0));
    assert_int_equal(nulldrv_alive("library"), 1);
    side_launch(&a, "axpy");
    side_release(&a);
    side_ok(&a, loader_trim(a.loader, 0, 0));
    assert_int_equal(side_stats(&a).retired, 1); /* a device may have it */
    side_ok(&a, loader_reap(a.loader, 0, NULL));
    assert_int_equal(nulldrv_alive("library"), 0);
    side_close(&a);
    side_close(&b);
    assert_nothing_left();
}

/* One that has only loaded it does not unload what another has launched without waiting for a moment. */
static void what_others_have_touched_waits_for_a_moment(void **state)
{
    struct side a, b;

    (void)state;
    side_open(&a, "static");
    side_open(&b, "static");
    side_load(&a);
    side_load(&b);
    side_launch(&a, "axpy");
    side_close(&a);
    side_release(&b);
    side_ok(&b, loader_trim(b.loader, 0, 0));
    assert_int_equal(side_stats(&b).retired, 1);
    side_close(&b);
    assert_nothing_left();
}

/* ------------------------------------------------------------------------------------------------------------ at one time */

static void *load_in_thread(void *user)
{
    struct side *s = user;

    return s->g->library_load(s->loader, DATA_SOURCE(names_cubin), NULL, &s->library) == GPUDL_OK ? NULL : s;
}

enum { AT_ONCE = 6 };

/* How many failed. */
static int load_at_once(struct side s[AT_ONCE])
{
    pthread_t threads[AT_ONCE];
    void *failed;
    int n = 0;

    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_in_thread, &s[i]), 0);
    for (int i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], &failed);
        n += failed != NULL;
    }
    return n;
}

static void loads_at_one_time_wait_for_one(void **state)
{
    struct side *s = calloc(AT_ONCE, sizeof(*s));

    (void)state;
    for (int i = 0; i < AT_ONCE; i++)
        side_open(&s[i], i % 2 ? "static" : "own");
    nulldrv_slow("cuLibraryLoadData", 100000);
    assert_int_equal(load_at_once(s), 0);
    nulldrv_slow("cuLibraryLoadData", 0);
    assert_int_equal(loads(), 1);
    for (int i = 0; i < AT_ONCE; i++)
        side_close(&s[i]);
    assert_nothing_left();
    free(s);
}

static void one_that_fails_takes_nobody_with_it(void **state)
{
    struct side *s = calloc(AT_ONCE, sizeof(*s));

    (void)state;
    for (int i = 0; i < AT_ONCE; i++)
        side_open(&s[i], "static");
    nulldrv_slow("cuLibraryLoadData", 50000);
    nulldrv_fail("cuLibraryLoadData", 1, GPUDL_CU_INVALID_IMAGE);
    assert_int_equal(load_at_once(s), 1);
    nulldrv_slow("cuLibraryLoadData", 0);
    for (int i = 0; i < AT_ONCE; i++)
        side_close(&s[i]);
    assert_nothing_left();
    free(s);
}

/* -------------------------------------------------------------------------------------------- threads that end inside */

static void *end_in_the_lock(void *commons)
{
    gpudl__commons_lock(commons);
    return NULL;
}

static void a_thread_that_ends_in_the_lock_stops_nobody(void **state)
{
    struct commons_report report;
    struct commons *c = gpudl__commons_join(&report);
    pthread_t thread;
    struct side a;

    (void)state;
    side_open(&a, "static");
    side_load(&a);
    assert_int_equal(pthread_create(&thread, NULL, end_in_the_lock, c), 0);
    pthread_join(thread, NULL);
    side_launch(&a, "axpy");
    side_close(&a);
    gpudl__commons_leave();
    assert_nothing_left();
}

/* As one would that is cancelled in the driver: it never lands. */
static void *end_in_flight(void *commons)
{
    struct record_key key = { 0 };
    struct record *r;
    bool mine;

    r = gpudl__record_get(
        commons, &key, (struct hash128){ 1, 2 }, (struct span){ (const unsigned char *)"x", 1 }, (struct span){ NULL, 0 }, &mine);
    return r && mine ? r : NULL;
}

static void a_thread_that_ends_in_flight_is_not_waited_for(void **state)
{
    struct commons_report report;
    struct commons *c = gpudl__commons_join(&report);
    void *first, *second;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, end_in_flight, c), 0);
    pthread_join(thread, &first);
    assert_non_null(first);
    assert_null(end_in_flight(c)); /* goes alone */
    second = end_in_flight(c);     /* makes a new one: nobody finds the first */
    assert_non_null(second);
    gpudl__record_land(c, second, NULL);
    assert_true(gpudl__record_release(c, second));
    gpudl__record_free(second);
    assert_true(gpudl__record_release(c, first));
    gpudl__record_free(first);
    gpudl__commons_leave();
}

/* A log that loads the same again, from within the load that it tells of. */
static struct side again;

static void load_again(void *user, gpudl_log_level level, const char *text)
{
    gpudl_library *lib;

    (void)user;
    (void)level;
    if (strstr(text, "the driver says")) {
        assert_ok(gpudl_library_load(again.loader, DATA_SOURCE(names_cubin), NULL, &lib));
        gpudl_library_release(lib);
    }
}

static void a_log_may_load_what_is_being_loaded(void **state)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    nulldrv_set_remarks("a remark");
    side_open(&again, "own");
    options.driver = harness_null_driver();
    options.log = load_again;
    assert_ok(gpudl_loader_open(&options, &l));
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_cubin), NULL, &lib));
    gpudl_library_release(lib);
    gpudl_loader_close(l);
    side_close(&again);
    assert_int_equal(loads(), 1);
    assert_nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(twenty_plugins_load_once),
        TEST(they_go_in_any_order),
        TEST(a_static_copy_meets_a_shared_library_and_the_program),
        TEST(everything_is_read_once_and_told_by_all),
        TEST(checked_launches_outlive_who_loaded),
        TEST(every_byte_of_large_contents_counts),
        TEST(attributes_are_everybodys),
        TEST(another_format_works_alone_and_says_so),
        TEST(nothing_is_shared_where_that_is_asked_for),
        TEST(loads_that_differ_are_two),
        TEST(globals_are_shared_if_both_sides_ask),
        TEST(a_policy_is_held_whoever_loaded),
        TEST(the_last_one_keeps_it_warm),
        TEST(what_others_have_touched_waits_for_a_moment),
        TEST(loads_at_one_time_wait_for_one),
        TEST(one_that_fails_takes_nobody_with_it),
        TEST(a_thread_that_ends_in_the_lock_stops_nobody),
        TEST(a_thread_that_ends_in_flight_is_not_waited_for),
        TEST(a_log_may_load_what_is_being_loaded),
    };

    return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
