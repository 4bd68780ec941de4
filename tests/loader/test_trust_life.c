/* Policies and what comes after a load: replaces, tasks, watched files, versions that are warm. What waits here waits for what is promised
 * to come; the alarm ends what never does. */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/loader/common.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define BODY ".visible .entry a() { ret; }\n"

static const char *const texts[] = { HEAD "// 0\n" BODY, HEAD "// 1\n" BODY, HEAD "// 2\n" BODY };

static char folder[64], path[128], signature_path[160];
static char alice[GPUDL_PUBLIC_KEY_TEXT], alice_secret[GPUDL_SECRET_KEY_TEXT];
static char bob[GPUDL_PUBLIC_KEY_TEXT], bob_secret[GPUDL_SECRET_KEY_TEXT];
static const char *const alices[] = { alice }, *const bobs[] = { bob };

static int make_folder(void **state)
{
    reset_driver(state);
    alarm(120);
    strcpy(folder, "/tmp/gpudl-trust-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/k.ptx", folder);
    snprintf(signature_path, sizeof(signature_path), "%s.minisig", path);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static int make_keys(void **state)
{
    (void)state;
    return gpudl_trust_keygen(NULL, alice, alice_secret) || gpudl_trust_keygen(NULL, bob, bob_secret);
}

/* Appears whole. */
static void write_text(const char *to, const char *text)
{
    char new[200];
    FILE *f;

    snprintf(new, sizeof(new), "%s.new", to);
    f = fopen(new, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
    assert_int_equal(rename(new, to), 0);
}

static const char *sign(const char *text, const char *secret)
{
    static char signatures[2][GPUDL_SIGNATURE_TEXT];
    static unsigned next;
    char *signature = signatures[next++ % 2];
    gpudl_sign_options o = GPUDL_SIGN_OPTIONS_INIT;

    o.secret_key = secret;
    assert_ok(gpudl_trust_sign(GPUDL_MEMORY(text, strlen(text)), &o, signature));
    return signature;
}

static void put(const char *text, const char *secret)
{
    if (secret)
        write_text(signature_path, sign(text, secret));
    write_text(path, text);
}

static gpudl_trust_options by_signature(const char *const *keys)
{
    gpudl_trust_options o = GPUDL_TRUST_OPTIONS_INIT;

    o.policy = GPUDL_TRUST_SIGNATURE;
    o.keys = keys;
    o.nkeys = 1;
    return o;
}

static gpudl_library *load_under(gpudl_loader *l, const gpudl_trust_options *trust)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_library *lib;

    o.trust = trust;
    assert_ok(gpudl_library_load(l, GPUDL_FILE(path), &o, &lib));
    return lib;
}

static gpudl_status replace_under(gpudl_library *lib, const gpudl_source *source, const gpudl_trust_options *trust)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;

    load.trust = trust;
    o.load = &load;
    return gpudl_library_replace(lib, source, &o);
}

/* The library's own policy is as good as the loader's: what takes its place answers to it. */
static void a_replacement_answers_to_the_policy_of_the_load(void **state)
{
    gpudl_trust_options trust = by_signature(alices), other = by_signature(bobs), only = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    put(texts[0], alice_secret);
    lib = load_under(l, &trust);
    put(texts[1], NULL);
    assert_fails(gpudl_library_replace(lib, GPUDL_FILE(path), NULL), GPUDL_ERROR_SIGNATURE, "did not sign");
    assert_fails(replace_under(lib, GPUDL_FILE(path), NULL), GPUDL_ERROR_SIGNATURE, "did not sign");
    put(texts[1], bob_secret);
    assert_fails(gpudl_library_replace(lib, GPUDL_FILE(path), NULL), GPUDL_ERROR_NOT_TRUSTED, "");
    assert_int_equal(gpudl_library_generation(lib), 0);
    assert_ok(replace_under(lib, GPUDL_FILE(path), &other)); /* another one is named */
    put(texts[2], alice_secret);
    assert_ok(gpudl_library_replace(lib, GPUDL_FILE(path), NULL));
    only.signature = sign(texts[1], bob_secret); /* without a policy: it stays */
    only.signature_size = strlen(only.signature);
    assert_fails(replace_under(lib, GPUDL_MEMORY(texts[1], strlen(texts[1])), &only), GPUDL_ERROR_NOT_TRUSTED, "");
    only.signature = sign(texts[1], alice_secret);
    only.signature_size = strlen(only.signature);
    assert_ok(replace_under(lib, GPUDL_MEMORY(texts[1], strlen(texts[1])), &only));
    assert_int_equal(gpudl_library_generation(lib), 3);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_replacement_answers_to_the_loader(void **state)
{
    gpudl_trust_options trust = by_signature(alices), none = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;
    gpudl_library *lib;

    (void)state;
    options.trust = &trust;
    l = harness_open_with(options);
    put(texts[0], alice_secret);
    lib = load_under(l, NULL);
    put(texts[1], NULL);
    assert_fails(gpudl_library_replace(lib, GPUDL_FILE(path), NULL), GPUDL_ERROR_SIGNATURE, "did not sign");
    none.policy = GPUDL_TRUST_NONE;
    assert_fails(replace_under(lib, GPUDL_FILE(path), &none), GPUDL_ERROR_TRUST_WEAKER, "the loader");
    gpudl_library_release(lib);
    harness_close(l);
}

/* A version that nobody holds any more is found by its content: no way around either. */
static void a_warm_version_is_no_way_around(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    put(texts[0], NULL);
    gpudl_library_release(load_under(l, NULL));
    o.trust = &trust;
    assert_fails(gpudl_library_load(l, GPUDL_FILE(path), &o, &lib), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    harness_close(l);
}

static gpudl_status load_in_a_task(gpudl_loader *l, const gpudl_trust_options *trust)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_status status;
    gpudl_task *task;

    o.trust = trust;
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(texts[0], strlen(texts[0])), &o, NULL, &task));
    status = gpudl_task_wait(task, UINT64_MAX);
    gpudl_task_release(task);
    return status;
}

/* Nothing of the caller's is needed once the call is over: his copies are gone before the task is waited for. */
static void tasks_are_checked_and_keep_nothing_of_the_callers(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    char *key = strdup(alice), *signature = strdup(sign(texts[0], alice_secret));
    const char *keys[] = { key };
    gpudl_task *task;

    (void)state;
    assert_fails(load_in_a_task(l, &trust), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    trust.signature = signature;
    trust.signature_size = strlen(signature);
    trust.keys = keys;
    o.trust = &trust;
    assert_ok(gpudl_library_load_async(l, GPUDL_MEMORY(texts[0], strlen(texts[0])), &o, NULL, &task));
    memset(key, 'x', strlen(key));
    memset(signature, 'x', strlen(signature));
    free(key);
    free(signature);
    keys[0] = NULL;
    memset(&trust, 0xff, sizeof(trust));
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    gpudl_task_release(task);
    harness_close(l);
}

struct outcome {
    atomic_int good, bad, status;
};

static void told(void *user, gpudl_library *lib, gpudl_status status, const char *text, uint64_t generation)
{
    struct outcome *o = user;

    (void)lib, (void)text, (void)generation;
    atomic_store(&o->status, (int)status);
    atomic_fetch_add(status == GPUDL_OK ? &o->good : &o->bad, 1);
}

static void wait_for(atomic_int *count, int n)
{
    while (atomic_load(count) < n)
        usleep(200);
}

/* The file first, its signature when it has been refused already: it is taken then. */
static void follow(unsigned poll)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_watch_options options = GPUDL_WATCH_OPTIONS_INIT;
    gpudl_loader *l = harness_open();
    struct outcome o = { .good = 0 };
    gpudl_library *lib;

    put(texts[0], alice_secret);
    lib = load_under(l, &trust);
    options.told = told;
    options.user = &o;
    options.poll = poll;
    options.poll_ns = 5000000;
    assert_ok(gpudl_library_watch(lib, &options));
    put(texts[1], NULL); /* the old one's signature is still there */
    wait_for(&o.bad, 1);
    assert_int_equal(atomic_load(&o.status), GPUDL_ERROR_SIGNATURE);
    assert_int_equal(gpudl_library_generation(lib), 0);
    write_text(signature_path, sign(texts[1], alice_secret));
    wait_for(&o.good, 1);
    assert_int_equal(gpudl_library_generation(lib), 1);
    assert_int_equal(unlink(signature_path), 0);
    put(texts[2], NULL);
    wait_for(&o.bad, 2);
    assert_int_equal(atomic_load(&o.status), GPUDL_ERROR_SIGNATURE_MISSING);
    write_text(signature_path, sign(texts[2], alice_secret));
    wait_for(&o.good, 2);
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_watched_file_waits_for_its_signature(void **state)
{
    (void)state;
    follow(0);
}

static void a_polled_file_waits_for_its_signature(void **state)
{
    (void)state;
    follow(1);
}

/* What a policy looked at must be what is found: bytes that nobody else can change, also of code that is loaded already. They are a
 * copy, or, where loaders share, those that are there and were found to be the same. */
static void memory_is_copied_before_a_policy_looks_at_it(void **state)
{
    enum { SIZE = 100000 };
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader_options alone = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    char *text = malloc(SIZE);
    gpudl_library *lib;
    gpudl_loader *l;

    (void)state;
    alone.share = GPUDL_SHARE_NOTHING;
    l = harness_open_with(alone);
    assert_non_null(text);
    memset(text, ' ', SIZE);
    memcpy(text, texts[0], strlen(texts[0]));
    assert_ok(gpudl_library_load(l, GPUDL_MEMORY(text, SIZE), NULL, &lib));
    gpudl_library_release(lib);
    (void)harness_largest_block();
    o.trust = &trust;
    assert_fails(gpudl_library_load(l, GPUDL_MEMORY(text, SIZE), &o, &lib), GPUDL_ERROR_SIGNATURE_MISSING, "");
    assert_true(harness_largest_block() >= SIZE);
    free(text);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        TEST(a_replacement_answers_to_the_policy_of_the_load),
        TEST(a_replacement_answers_to_the_loader),
        TEST(a_warm_version_is_no_way_around),
        TEST(memory_is_copied_before_a_policy_looks_at_it),
        TEST(tasks_are_checked_and_keep_nothing_of_the_callers),
        TEST(a_watched_file_waits_for_its_signature),
        TEST(a_polled_file_waits_for_its_signature),
    };

    return cmocka_run_group_tests_name("trust life", tests, make_keys, NULL);
}
