/* Loads under a policy: what is let in, what is not and with which words; that a load can only ask for more. */
#include "tests/loader/trust.h"

/* ---------------------------------------------------------------------------------------------------------------- signatures */

static void a_signed_file_is_loaded(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader *l = open_under(&trust);

    (void)state;
    write_file("k.cubin", data_names_cubin, DATA_SIZE(names_cubin));
    assert_fails(load(l, GPUDL_FILE(path_of("k.cubin"))), GPUDL_ERROR_SIGNATURE_MISSING, "k.cubin.minisig: No such file");
    write_text("k.cubin.minisig", sign(GPUDL_FILE(path_of("k.cubin")), bob_secret));
    assert_fails(load(l, GPUDL_FILE(path_of("k.cubin"))), GPUDL_ERROR_NOT_TRUSTED, "not among the 1 trusted");
    write_text("k.cubin.minisig", sign(DATA_SOURCE(names_ptx), alice_secret));
    assert_fails(load(l, GPUDL_FILE(path_of("k.cubin"))), GPUDL_ERROR_SIGNATURE, "did not sign these bytes");
    write_text("k.cubin.minisig", "nonsense");
    assert_fails(load(l, GPUDL_FILE(path_of("k.cubin"))), GPUDL_ERROR_SIGNATURE, "first line");
    write_text("k.cubin.minisig", sign(GPUDL_FILE(path_of("k.cubin")), alice_secret));
    assert_ok(load(l, GPUDL_FILE(path_of("k.cubin"))));
    harness_close(l);
}

static void signatures_of_other_sources_are_given(void **state)
{
    gpudl_trust_options trust = by_signature(alices), mine = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader *l = open_under(&trust);

    (void)state;
    assert_fails(load(l, DATA_SOURCE(names_ptx)), GPUDL_ERROR_SIGNATURE_MISSING, "give the signature");
    mine.signature = sign(DATA_SOURCE(names_ptx), alice_secret);
    mine.signature_size = strlen(mine.signature);
    assert_ok(load_as(l, DATA_SOURCE(names_ptx), &mine));
    assert_fails(load_as(l, DATA_SOURCE(names_cubin), &mine), GPUDL_ERROR_SIGNATURE, "did not sign");
    write_file("k.cubin", data_names_ptx, DATA_SIZE(names_ptx));
    assert_ok(load_as(l, GPUDL_FILE(path_of("k.cubin")), &mine)); /* a file may have it from elsewhere */
    harness_close(l);
}

/* So that several sources of one call have each its own, also beside one that is given for all others. */
static void a_source_may_bring_its_own_signature(void **state)
{
    gpudl_trust_options trust = by_signature(alices), given = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_loader *l = open_under(&trust);
    gpudl_source sources[] = { gpudl_source_file(path_of("k.ptx")), gpudl_source_memory(data_names_cubin, DATA_SIZE(names_cubin)),
        gpudl_source_memory(data_names_ptx, DATA_SIZE(names_ptx)) };
    char *good = strdup(sign(&sources[1], alice_secret)), *bad = strdup(sign(&sources[1], bob_secret));
    gpudl_trust_report report = { .size_of_struct = sizeof(report) };
    gpudl_library *lib;
    gpudl_task *task;
    size_t which;

    (void)state;
    sources[1].signature = bad;
    sources[1].signature_size = strlen(bad);
    given.signature = strdup(sign(&sources[2], alice_secret));
    given.signature_size = strlen(given.signature);
    options.trust = &given;
    write_text("k.ptx", ".version 7.0\n"); /* the one that is given is not over this */
    assert_ok(gpudl_library_load_first(l, sources, 3, &options, &which, &lib));
    assert_int_equal(which, 2);
    gpudl_library_release(lib);
    sources[1].signature = good;
    sources[1].signature_size = strlen(good);
    assert_ok(gpudl_library_load_first(l, sources, 3, &options, &which, &lib));
    assert_int_equal(which, 1);
    assert_ok(gpudl_trust_check(&sources[1], &trust, &report));
    assert_fails(gpudl_trust_check(&sources[2], &trust, &report), GPUDL_ERROR_SIGNATURE_MISSING, "gpudl_source");
    assert_ok(gpudl_library_replace(lib, &sources[1], NULL));
    gpudl_library_release(lib);
    assert_ok(gpudl_library_load_async(l, &sources[1], NULL, NULL, &task));
    memset(good, 'x', strlen(good)); /* the task has its own copy */
    assert_ok(gpudl_task_wait(task, UINT64_MAX));
    gpudl_task_release(task);
    assert_fails(load(l, &sources[1]), GPUDL_ERROR_SIGNATURE, "");
    free(good);
    free(bad);
    free((void *)given.signature);
    harness_close(l);
}

/* Each by itself. What comes of them answers to the policy by what it was made of. */
static void what_is_linked_is_checked(void **state)
{
    static const char caller[] = ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func f();\n"
                                 ".visible .entry k() { call.uni f, (); ret; }\n";
    static const char callee[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .func f() { ret; }\n";
    static const char linked[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader *l = open_under(&trust);
    gpudl_source both[] = { gpudl_source_file(path_of("caller.ptx")), gpudl_source_file(path_of("callee.ptx")) };
    gpudl_library *lib;

    (void)state;
    setenv("GPUDL_LINKER", "driver", 1);
    nulldrv_set_linked(linked, sizeof(linked) - 1);
    write_text("caller.ptx", caller);
    write_text("callee.ptx", callee);
    write_text("caller.ptx.minisig", sign(&both[0], alice_secret));
    assert_fails(gpudl_library_link(l, both, 2, NULL, &lib), GPUDL_ERROR_SIGNATURE_MISSING, "callee.ptx.minisig");
    assert_int_equal(nulldrv_calls("cuLinkAddData"), 0);
    write_text("callee.ptx.minisig", sign(&both[1], alice_secret));
    assert_ok(gpudl_library_link(l, both, 2, NULL, &lib));
    gpudl_library_release(lib);
    harness_close(l);
}

/* Shared versions are found by their content: whoever asks for one is asked for his signature first. */
static void a_version_that_is_there_is_no_way_around(void **state)
{
    gpudl_trust_options strict = by_signature(alices), pinned = by_digest(NULL);
    char digest[GPUDL_DIGEST_TEXT];
    const char *const digests[] = { digest };
    gpudl_loader *l = harness_open();
    gpudl_library *lib;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_cubin), NULL, &lib));
    assert_fails(load_as(l, DATA_SOURCE(names_cubin), &strict), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    assert_ok(gpudl_trust_digest(DATA_SOURCE(names_ptx), digest));
    pinned.digests = digests, pinned.ndigests = 1;
    assert_fails(load_as(l, DATA_SOURCE(names_cubin), &pinned), GPUDL_ERROR_DIGEST, "among the 1");
    gpudl_library_release(lib);
    harness_close(l);
}

static void a_key_ring_is_a_folder(void **state)
{
    gpudl_trust_options trust = by_signature(NULL);
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    o.trust = &trust;
    trust.key_ring = path_of("ring");
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "No such file");
    mkdir(path_of("ring"), 0755);
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "holds no public key");
    write_text("ring/alice.pub", "nonsense");
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "alice.pub: is no public key");
    write_text("ring/alice.pub", alice);
    write_text("ring/bob.pub", bob);
    write_text("ring/README", "not a key");
    l = open_under(&trust);
    write_file("k.ptx", data_names_ptx, DATA_SIZE(names_ptx));
    write_text("k.ptx.minisig", sign(GPUDL_FILE(path_of("k.ptx")), bob_secret));
    assert_ok(load(l, GPUDL_FILE(path_of("k.ptx"))));
    harness_close(l);
}

static void what_is_revoked_is_not_loaded(void **state)
{
    gpudl_trust_options trust = by_signature(NULL);
    char digest[GPUDL_DIGEST_TEXT], list[100];
    gpudl_loader *l;

    (void)state;
    trust.key_ring = path_of("ring");
    mkdir(trust.key_ring, 0755);
    write_text("ring/alice.pub", alice);
    write_file("k.ptx", data_names_ptx, DATA_SIZE(names_ptx));
    write_text("k.ptx.minisig", sign(GPUDL_FILE(path_of("k.ptx")), alice_secret));
    write_text("ring/revoked", "# none yet\n");
    l = open_under(&trust);
    assert_ok(load(l, GPUDL_FILE(path_of("k.ptx"))));
    harness_close(l);
    assert_ok(gpudl_trust_digest(GPUDL_FILE(path_of("k.ptx")), digest));
    snprintf(list, sizeof(list), "%s  # the old one\n", digest);
    write_text("ring/revoked", list);
    l = open_under(&trust);
    assert_fails(load(l, GPUDL_FILE(path_of("k.ptx"))), GPUDL_ERROR_REVOKED, digest);
    harness_close(l);
    write_text("list", strchr(alice, '\n') + 1);
    trust.revoked = path_of("list");
    l = open_under(&trust);
    assert_fails(load(l, GPUDL_FILE(path_of("k.ptx"))), GPUDL_ERROR_REVOKED, "which is revoked");
    harness_close(l);
}

/* Who can write to a key ring decides what is trusted. */
static void what_others_can_write_to_is_no_key_ring(void **state)
{
    gpudl_trust_options trust = by_signature(NULL);
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    o.trust = &trust;
    trust.key_ring = path_of("ring");
    mkdir(trust.key_ring, 0755);
    write_text("ring/alice.pub", alice);
    chmod(trust.key_ring, 0777);
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "chmod go-w");
    chmod(trust.key_ring, 0755);
    chmod(path_of("ring/alice.pub"), 0664);
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "others can write");
    chmod(path_of("ring/alice.pub"), 0644);
    write_text("ring/revoked", "");
    chmod(path_of("ring/revoked"), 0646);
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "revoked");
    if (geteuid() == 0) {
        chmod(path_of("ring/revoked"), 0644);
        assert_int_equal(chown(path_of("ring/alice.pub"), 12345, 0), 0);
        assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "belongs to user 12345");
    }
}

/* ------------------------------------------------------------------------------------------------------------------- digests */

static void a_pinned_content_is_loaded(void **state)
{
    char digest[GPUDL_DIGEST_TEXT];
    const char *const digests[] = { digest };
    gpudl_trust_options trust = by_digest(digests);
    gpudl_loader *l;

    (void)state;
    assert_ok(gpudl_trust_digest(DATA_SOURCE(names_cubin), digest));
    l = open_under(&trust);
    assert_ok(load(l, DATA_SOURCE(names_cubin)));
    write_file("k", data_names_cubin, DATA_SIZE(names_cubin));
    assert_ok(load(l, GPUDL_FILE(path_of("k"))));
    assert_fails(load(l, DATA_SOURCE(globals_cubin)), GPUDL_ERROR_DIGEST, "neither is among the 1");
    harness_close(l);
}

/* The PTX of names.fatbin, compressed in it, is what software takes: it is pinned by its own digest, alone or in there. */
static void ptx_is_pinned_wherever_it_travels(void **state)
{
    char digest[GPUDL_DIGEST_TEXT];
    const char *const digests[] = { digest };
    gpudl_trust_options trust = by_digest(digests);
    const void *bytes;
    gpudl_image *image;
    gpudl_loader *l;
    gpudl_library *lib;
    size_t size, entry = 0;
    gpudl_entry_info info = { .size_of_struct = sizeof(info) };

    (void)state;
    nulldrv_set_name("softcuda, 2 CPU threads");
    assert_ok(gpudl_image_open(DATA_SOURCE(names_fatbin), NULL, &image));
    while (gpudl_image_entry(image, entry, &info) == GPUDL_OK && strcmp(info.kind, "ptx") != 0)
        entry++;
    assert_string_not_equal(info.compression, "none");
    assert_ok(gpudl_image_code(image, entry, &bytes, &size));
    assert_ok(gpudl_trust_digest(GPUDL_MEMORY(bytes, size), digest));
    l = open_under(&trust);
    assert_ok(load(l, DATA_SOURCE(names_fatbin)));
    assert_ok(load(l, GPUDL_MEMORY(bytes, size)));
    assert_fails(load(l, DATA_SOURCE(globals_fatbin)), GPUDL_ERROR_DIGEST, "its code for this device");
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_fatbin), NULL, &lib)); /* and found there, with the same question */
    assert_ok(load(l, DATA_SOURCE(names_fatbin)));
    gpudl_library_release(lib);
    harness_close(l);
    gpudl_image_close(image);
}

static void a_manifest_is_of_names(void **state)
{
    char a[GPUDL_DIGEST_TEXT], b[GPUDL_DIGEST_TEXT], text[256];
    gpudl_trust_options trust = by_digest(NULL);
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l;

    (void)state;
    o.trust = &trust;
    write_file("a.cubin", data_names_cubin, DATA_SIZE(names_cubin));
    write_file("b.cubin", data_globals_cubin, DATA_SIZE(globals_cubin));
    assert_ok(gpudl_trust_digest(GPUDL_FILE(path_of("a.cubin")), a));
    assert_ok(gpudl_trust_digest(GPUDL_FILE(path_of("b.cubin")), b));
    trust.manifest = path_of("SHA256SUMS");
    write_text("SHA256SUMS", "nonsense\n");
    assert_fails(gpudl_loader_open(&o, &l), GPUDL_ERROR_TRUST_SETUP, "SHA256SUMS: line 1");
    snprintf(text, sizeof(text), "%s  a.cubin\n%s *b.cubin\n", a, b);
    write_text("SHA256SUMS", text);
    l = open_under(&trust);
    assert_ok(load(l, GPUDL_FILE(path_of("a.cubin"))));
    assert_ok(load(l, GPUDL_FILE(path_of("./b.cubin"))));
    assert_ok(load(l, DATA_SOURCE(globals_cubin)));
    assert_fails(load(l, DATA_SOURCE(names_ptx)), GPUDL_ERROR_DIGEST, "among the 2");
    assert_int_equal(rename(path_of("b.cubin"), path_of("a.cubin")), 0); /* both are listed, but not so */
    assert_fails(load(l, GPUDL_FILE(path_of("a.cubin"))), GPUDL_ERROR_DIGEST, "another for this file");
    harness_close(l);
}

/* ------------------------------------------------------------------------------------------------------------- more, not less */

static void a_load_can_only_ask_for_more(void **state)
{
    char digest[GPUDL_DIGEST_TEXT];
    const char *const digests[] = { digest };
    gpudl_trust_options pinned, none = GPUDL_TRUST_OPTIONS_INIT, mine;
    gpudl_loader *l;

    (void)state;
    assert_ok(gpudl_trust_digest(DATA_SOURCE(names_ptx), digest));
    pinned = by_digest(digests);
    l = open_under(&pinned);
    none.policy = GPUDL_TRUST_NONE;
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &none), GPUDL_ERROR_TRUST_WEAKER, "asks for GPUDL_TRUST_NONE");
    mine = by_signature(alices);
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &mine), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    mine.signature = sign(DATA_SOURCE(names_ptx), alice_secret);
    mine.signature_size = strlen(mine.signature);
    assert_ok(load_as(l, DATA_SOURCE(names_ptx), &mine));
    mine.signature = sign(DATA_SOURCE(names_cubin), alice_secret); /* signed, but not pinned */
    mine.signature_size = strlen(mine.signature);
    assert_fails(load_as(l, DATA_SOURCE(names_cubin), &mine), GPUDL_ERROR_DIGEST, "");
    harness_close(l);

    mine = by_signature(alices);
    l = open_under(&mine);
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &pinned), GPUDL_ERROR_TRUST_WEAKER, "of the loader is GPUDL_TRUST_SIGNATURE");
    mine = by_signature(bobs); /* both keys' then, which one signature is not */
    mine.signature = sign(DATA_SOURCE(names_ptx), bob_secret);
    mine.signature_size = strlen(mine.signature);
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &mine), GPUDL_ERROR_NOT_TRUSTED, "");
    harness_close(l);
}

/* A loader may have keys for the loads that ask for signatures. */
static void a_load_goes_by_the_loaders_keys(void **state)
{
    gpudl_trust_options stock = GPUDL_TRUST_OPTIONS_INIT, strict = by_signature(NULL), pinned = by_digest(NULL);
    gpudl_loader *l;

    (void)state;
    stock.policy = GPUDL_TRUST_NONE;
    stock.keys = alices, stock.nkeys = 1;
    l = open_under(&stock);
    assert_ok(load(l, DATA_SOURCE(names_ptx)));
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &strict), GPUDL_ERROR_SIGNATURE_MISSING, "not signed");
    strict.signature = sign(DATA_SOURCE(names_ptx), alice_secret);
    strict.signature_size = strlen(strict.signature);
    assert_ok(load_as(l, DATA_SOURCE(names_ptx), &strict));
    write_text("list", strchr(alice, '\n') + 1); /* and revokes one of them */
    strict.revoked = path_of("list");
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &strict), GPUDL_ERROR_REVOKED, "which is revoked");
    strict.revoked = NULL;
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &pinned), GPUDL_ERROR_TRUST_SETUP, "has a digest");
    harness_close(l);
    l = harness_open();
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &strict), GPUDL_ERROR_TRUST_SETUP, "has a key");
    harness_close(l);
}

static void options_that_cannot_be_are_refused(void **state)
{
    static const char *const nonsense[] = { "nonsense" };
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_trust_options t;
    gpudl_loader *l;

    (void)state;
    o.trust = &t;
    o.driver = harness_null_driver();
#define REFUSED(status, words) assert_fails(gpudl_loader_open(&o, &l), status, words)
    t = by_signature(NULL);
    REFUSED(GPUDL_ERROR_ARGUMENT, "wants a key_ring");
    t = by_digest(NULL);
    REFUSED(GPUDL_ERROR_ARGUMENT, "wants a manifest");
    t = by_signature(nonsense);
    REFUSED(GPUDL_ERROR_TRUST_SETUP, "key 0: is no public key");
    t = by_digest(nonsense);
    REFUSED(GPUDL_ERROR_TRUST_SETUP, "digest 0: 'nonsense' is no SHA-256");
    t.policy = GPUDL_TRUST_DEFAULT;
    REFUSED(GPUDL_ERROR_ARGUMENT, "no policy");
    t.policy = (gpudl_trust_policy)7;
    REFUSED(GPUDL_ERROR_ARGUMENT, "policy is 7");
    t = by_signature(alices);
    t.signature = "x", t.signature_size = 1;
    REFUSED(GPUDL_ERROR_ARGUMENT, "of one load");
    t = by_signature(alices);
    t.locked = 2;
    REFUSED(GPUDL_ERROR_ARGUMENT, "locked is 0 or 1");
    t = by_signature(alices);
    t.nkeys = 1, t.keys = NULL;
    REFUSED(GPUDL_ERROR_ARGUMENT, "NULL");
    t.size = 3;
    REFUSED(GPUDL_ERROR_ARGUMENT, "gpudl_trust_options.size is 3");
    l = harness_open();
    t = by_signature(alices);
    t.locked = 1;
    assert_fails(load_as(l, DATA_SOURCE(names_ptx), &t), GPUDL_ERROR_ARGUMENT, "locked is for loaders");
    harness_close(l);
}

/* --------------------------------------------------------------------------------------------------------- without a loader */

static void contents_of_any_kind_are_checked(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_trust_report r = { .size_of_struct = sizeof(r) };
    gpudl_sign_options o = GPUDL_SIGN_OPTIONS_INIT;
    char signature[GPUDL_SIGNATURE_TEXT], digest[GPUDL_DIGEST_TEXT];

    (void)state;
    o.secret_key = alice_secret;
    o.trusted_comment = "for tests";
    o.legacy = 1;
    assert_ok(gpudl_trust_sign(GPUDL_TEXT("k.cu", "__global__ void k() {}"), &o, signature));
    trust.signature = signature, trust.signature_size = strlen(signature);
    assert_ok(gpudl_trust_check(GPUDL_TEXT("k.cu", "__global__ void k() {}"), &trust, &r));
    assert_string_equal(r.comment, "for tests");
    assert_int_equal(r.prehashed, 0);
    assert_non_null(strstr(alice, r.key_id));
    assert_ok(gpudl_trust_digest(GPUDL_TEXT("k.cu", "__global__ void k() {}"), digest));
    assert_string_equal(r.digest, digest);
    assert_fails(gpudl_trust_check(GPUDL_TEXT("k.cu", "__global__ void l() {}"), &trust, &r), GPUDL_ERROR_SIGNATURE, "k.cu");
    write_text("k.cu", "__global__ void k() {}");
    assert_ok(gpudl_trust_check(GPUDL_FILE(path_of("k.cu")), &trust, NULL));
    trust = by_digest((const char *const[]){ digest });
    assert_ok(gpudl_trust_check(GPUDL_FILE(path_of("k.cu")), &trust, &r));
    assert_string_equal(r.key_id, "");
    assert_fails(gpudl_trust_check(DATA_SOURCE(names_ptx), &trust, NULL), GPUDL_ERROR_DIGEST, "not among those");
    trust.policy = GPUDL_TRUST_NONE;
    assert_fails(gpudl_trust_check(DATA_SOURCE(names_ptx), &trust, NULL), GPUDL_ERROR_ARGUMENT, "policy is");
}

/* They are loaded already, and have no bytes that could be signed. */
static void the_programs_own_kernels_are_not_asked(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader *owner = harness_open(), *l = open_under(&trust);
    gpudl_registered_kernel own = { "mine", NULL, NULL, NULL };
    char digest[GPUDL_DIGEST_TEXT];
    gpudl_source source;
    gpudl_library *lib;
    gpudl_version *v;
    CUlibrary native;

    (void)state;
    assert_ok(gpudl_library_load(owner, DATA_SOURCE(names_ptx), NULL, &lib));
    assert_ok(gpudl_library_pin(lib, &v));
    assert_ok(gpudl_version_native(v, &native));
    assert_int_equal(gpudl_loader_driver(owner)->LibraryGetKernel(&own.kernel, native, gpudl_library_kernel_name(lib, 0)), 0);
    source = gpudl_source_registered("built in", &own, 1);
    assert_fails(gpudl_trust_digest(&source, digest), GPUDL_ERROR_ARGUMENT, "no bytes");
    assert_ok(load(l, &source));
    gpudl_version_unpin(v);
    gpudl_library_release(lib);
    gpudl_loader_close(owner);
    harness_close(l);
}

/* ----------------------------------------------------------------------------------------------------------------- failures */

/* With a load's own policy, a signature, and a question about the entry. */
static gpudl_status scenario(gpudl_loader *l, void *user)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_library *lib;
    gpudl_status status;

    o.trust = user;
    status = gpudl_library_load(l, GPUDL_FILE(path_of("k.fatbin")), &o, &lib);
    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    char digest[GPUDL_DIGEST_TEXT], text[200];
    gpudl_trust_options trust = by_signature(alices);
    const void *bytes;
    gpudl_image *image;
    gpudl_verdict verdict = { .size_of_struct = sizeof(verdict) };
    gpudl_target target = GPUDL_TARGET_INIT;
    size_t size;

    (void)state;
    write_file("k.fatbin", data_names_fatbin, DATA_SIZE(names_fatbin));
    write_text("k.fatbin.minisig", sign(GPUDL_FILE(path_of("k.fatbin")), alice_secret));
    target.arch = "sm_90";
    assert_ok(gpudl_image_open(DATA_SOURCE(names_fatbin), NULL, &image));
    assert_ok(gpudl_image_explain(image, GPUDL_ALL, &target, &verdict));
    assert_ok(gpudl_image_code(image, verdict.entry, &bytes, &size));
    assert_ok(gpudl_trust_digest(GPUDL_MEMORY(bytes, size), digest));
    gpudl_image_close(image);
    snprintf(text, sizeof(text), "%s  code\n", digest);
    mkdir(path_of("ring"), 0755);
    write_text("ring/alice.pub", alice);
    write_text("ring/SHA256SUMS", text);
    trust.key_ring = path_of("ring");
    trust.manifest = path_of("ring/SHA256SUMS");
    harness_fail_allocations(scenario, &trust);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRUST_TEST(a_signed_file_is_loaded),
        TRUST_TEST(signatures_of_other_sources_are_given),
        TRUST_TEST(a_source_may_bring_its_own_signature),
        TRUST_TEST(what_is_linked_is_checked),
        TRUST_TEST(a_version_that_is_there_is_no_way_around),
        TRUST_TEST(a_key_ring_is_a_folder),
        TRUST_TEST(what_is_revoked_is_not_loaded),
        TRUST_TEST(what_others_can_write_to_is_no_key_ring),
        TRUST_TEST(a_pinned_content_is_loaded),
        TRUST_TEST(ptx_is_pinned_wherever_it_travels),
        TRUST_TEST(a_manifest_is_of_names),
        TRUST_TEST(a_load_can_only_ask_for_more),
        TRUST_TEST(a_load_goes_by_the_loaders_keys),
        TRUST_TEST(options_that_cannot_be_are_refused),
        TRUST_TEST(contents_of_any_kind_are_checked),
        TRUST_TEST(the_programs_own_kernels_are_not_asked),
        TRUST_TEST(each_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("trust", tests, make_keys, NULL);
}
