/* trust.h - folders, keys, signatures and loads for the tests of loads under a policy. */
#ifndef TESTS_LOADER_TRUST_H
#define TESTS_LOADER_TRUST_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/loader/common.h"

static char folder[] = "/tmp/gpudl-trust-XXXXXX";
static char alice[GPUDL_PUBLIC_KEY_TEXT], alice_secret[GPUDL_SECRET_KEY_TEXT];
static char bob[GPUDL_PUBLIC_KEY_TEXT], bob_secret[GPUDL_SECRET_KEY_TEXT];
static const char *const alices[] = { alice }, *const bobs[] = { bob };

/* Stays: each path of a test has its own place. */
static inline const char *path_of(const char *name)
{
    static char paths[16][256];
    char path[256];
    size_t i = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    while (i < 15 && paths[i][0] && strcmp(paths[i], path) != 0 && strncmp(paths[i], folder, strlen(folder)) == 0)
        i++;
    if (strcmp(paths[i], path) != 0)
        strcpy(paths[i], path);
    return paths[i];
}

static inline void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static inline void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static inline int make_folder(void **state)
{
    nulldrv_reset();
    *state = NULL;
    umask(022);
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static inline int make_keys(void **state)
{
    (void)state;
    return gpudl_trust_keygen(NULL, alice, alice_secret) || gpudl_trust_keygen(NULL, bob, bob_secret);
}

static inline const char *sign(const gpudl_source *source, const char *secret)
{
    static char signature[GPUDL_SIGNATURE_TEXT];
    gpudl_sign_options o = GPUDL_SIGN_OPTIONS_INIT;

    o.secret_key = secret;
    assert_ok(gpudl_trust_sign(source, &o, signature));
    return signature;
}

static inline gpudl_trust_options by_signature(const char *const *keys)
{
    gpudl_trust_options o = GPUDL_TRUST_OPTIONS_INIT;

    o.policy = GPUDL_TRUST_SIGNATURE;
    o.keys = keys;
    o.nkeys = keys ? 1 : 0;
    return o;
}

static inline gpudl_trust_options by_digest(const char *const *digests)
{
    gpudl_trust_options o = GPUDL_TRUST_OPTIONS_INIT;

    o.policy = GPUDL_TRUST_DIGEST;
    o.digests = digests;
    o.ndigests = digests ? 1 : 0;
    return o;
}

static inline gpudl_loader *open_under(const gpudl_trust_options *trust)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;

    o.trust = trust;
    return harness_open_with(o);
}

/* trust: of the load, or NULL. What is refused writes no out and is not shown to the driver. */
static inline gpudl_status load_as(gpudl_loader *l, const gpudl_source *source, const gpudl_trust_options *trust)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    unsigned long before = nulldrv_calls("cuLibraryLoadData");
    gpudl_library *untouched = (gpudl_library *)&o, *lib = untouched;
    gpudl_status status;

    o.trust = trust;
    status = gpudl_library_load(l, source, &o, &lib);
    if (status == GPUDL_OK) {
        gpudl_library_release(lib);
    } else {
        assert_ptr_equal(lib, untouched);
        assert_int_equal(nulldrv_calls("cuLibraryLoadData"), before);
    }
    return status;
}

static inline gpudl_status load(gpudl_loader *l, const gpudl_source *source)
{
    return load_as(l, source, NULL);
}

#define TRUST_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

#endif
