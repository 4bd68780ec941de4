/* Structs grow: callers that were compiled with an older and a newer header, whose structs are smaller and larger. A struct lies at the end of
 * what may be touched, so that reading or writing more of it than its caller has ends the test.
 *
 * Every struct of layout.txt that begins with its size has an entry here. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/compile/fake.h"
#include "tests/loader/common.h"

static gpudl_loader *loader;
static gpudl_library *library, *turned; /* of a file; to be replaced, as no kernel of it is in use */
static gpudl_kernel *kernel;
static gpudl_image *image;
static gpudl_code *code;
static char secret_key[GPUDL_SECRET_KEY_TEXT], digest[GPUDL_DIGEST_TEXT];
static gpudl_source cuda, ptx;

/* ------------------------------------------------------------------------------------------------------------------ the page's end */

static unsigned char *page_end;

static void make_page(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = 4 * page;
    unsigned char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(p, MAP_FAILED);
    page_end = p + all - page;
    assert_int_equal(mprotect(page_end, page, PROT_NONE), 0);
}

/* A struct of so many bytes that says so; those beyond known are tail. Those of programs are multiples of 8, and end at the page's end. */
static void *place(const void *from, size_t known, size_t size, unsigned char tail)
{
    unsigned char *p = page_end - (size + 7) / 8 * 8;

    memset(p, tail, size);
    memcpy(p, from, size < known ? size : known);
    memcpy(p, &size, sizeof(size));
    return p;
}

/* ------------------------------------------------------------------------------------------------------------ what is passed in */

static gpudl_status use_adopt(const void *o)
{
    gpudl_library *lib = NULL;
    gpudl_version *pin;
    CUlibrary native;
    gpudl_status status;

    assert_ok(gpudl_library_pin(library, &pin));
    assert_ok(gpudl_version_native(pin, &native));
    status = gpudl_library_adopt(loader, native, o, &lib);
    gpudl_library_release(lib);
    gpudl_version_unpin(pin);
    return status;
}

static gpudl_status use_async(const void *o)
{
    gpudl_task *task = NULL;
    gpudl_status status = gpudl_library_load_async(loader, &ptx, NULL, o, &task);

    if (status == GPUDL_OK)
        status = gpudl_task_wait(task, UINT64_MAX);
    gpudl_task_release(task);
    return status;
}

static gpudl_status use_compile(const void *o)
{
    gpudl_code *made = NULL;
    gpudl_status status = gpudl_compile(loader, &cuda, o, &made);

    gpudl_code_release(made);
    return status;
}

static gpudl_status use_image(const void *o)
{
    gpudl_image *opened = NULL;
    gpudl_status status = gpudl_image_open(&ptx, o, &opened);

    gpudl_image_close(opened);
    return status;
}

static gpudl_status use_config(const void *o)
{
    return gpudl_kernel_launch_params(kernel, o, NULL);
}

static gpudl_status use_link(const void *o)
{
    gpudl_linked *linked = NULL;
    gpudl_status status = gpudl_linked_make(loader, &ptx, 1, o, &linked);

    gpudl_linked_release(linked);
    return status;
}

static gpudl_status use_load(const void *o)
{
    gpudl_library *lib = NULL;
    gpudl_status status = gpudl_library_load(loader, &ptx, o, &lib);

    gpudl_library_release(lib);
    return status;
}

static gpudl_status use_loader(const void *o)
{
    gpudl_loader *l = NULL;
    gpudl_status status = gpudl_loader_open(o, &l);

    gpudl_loader_close(l);
    return status;
}

static gpudl_status use_replace(const void *o)
{
    return gpudl_library_replace(turned, &ptx, o);
}

static gpudl_status use_sign(const void *o)
{
    char signature[GPUDL_SIGNATURE_TEXT];

    return gpudl_trust_sign(&ptx, o, signature);
}

static gpudl_status use_source(const void *o)
{
    gpudl_library *lib = NULL;
    gpudl_status status = gpudl_library_load(loader, o, NULL, &lib);

    gpudl_library_release(lib);
    return status;
}

static gpudl_status use_target(const void *o)
{
    gpudl_verdict verdict = { .size_of_struct = sizeof(verdict) };

    return gpudl_image_explain(image, GPUDL_ALL, o, &verdict);
}

/* Taken in, and not run: there is no gpudl-trial. */
static gpudl_status use_trial(const void *o)
{
    gpudl_replace_options replace = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_status status;

    replace.trials = o, replace.ntrials = 1;
    status = gpudl_library_replace(turned, DATA_SOURCE(globals_ptx), &replace);
    return status == GPUDL_ERROR_FILE_MISSING ? GPUDL_OK : status;
}

static gpudl_status use_trial_buffer(const void *o)
{
    gpudl_trial trial = gpudl_trial_1d("k", 1, 1);

    trial.buffers = o, trial.nbuffers = 1;
    return use_trial(&trial);
}

static gpudl_status use_trust(const void *o)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;

    load.trust = o;
    return use_load(&load);
}

static gpudl_status use_watch(const void *o)
{
    gpudl_status status = gpudl_library_watch(library, o);

    gpudl_library_unwatch(library);
    return status;
}

/* Where the members end that have no default: a struct of less is no caller's. */
#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

static gpudl_adopt_options adopt = GPUDL_ADOPT_OPTIONS_INIT;
static gpudl_async_options async = GPUDL_ASYNC_OPTIONS_INIT;
static gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
static gpudl_image_options image_options = GPUDL_IMAGE_OPTIONS_INIT;
static gpudl_launch_config config;
static gpudl_link_options link_options = GPUDL_LINK_OPTIONS_INIT;
static gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
static gpudl_loader_options loader_options = GPUDL_LOADER_OPTIONS_INIT;
static gpudl_replace_options replace = GPUDL_REPLACE_OPTIONS_INIT;
static gpudl_sign_options sign = GPUDL_SIGN_OPTIONS_INIT;
static gpudl_target target = GPUDL_TARGET_INIT;
static gpudl_trial trial;
static gpudl_trial_buffer trial_buffer;
static gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
static gpudl_watch_options watch = GPUDL_WATCH_OPTIONS_INIT;

static const struct given {
    const char *name;
    size_t size, least;
    gpudl_status (*use)(const void *);
    const void *full;
} given[] = {
#define GIVEN(type, variable, use, least) { #type, sizeof(type), least, use, &variable }
    GIVEN(gpudl_adopt_options, adopt, use_adopt, sizeof(size_t)),
    GIVEN(gpudl_async_options, async, use_async, sizeof(size_t)),
    GIVEN(gpudl_compile_options, compile, use_compile, sizeof(size_t)),
    GIVEN(gpudl_image_options, image_options, use_image, sizeof(size_t)),
    GIVEN(gpudl_launch_config, config, use_config, UP_TO(gpudl_launch_config, block)),
    GIVEN(gpudl_link_options, link_options, use_link, sizeof(size_t)),
    GIVEN(gpudl_load_options, load, use_load, sizeof(size_t)),
    GIVEN(gpudl_loader_options, loader_options, use_loader, sizeof(size_t)),
    GIVEN(gpudl_replace_options, replace, use_replace, sizeof(size_t)),
    GIVEN(gpudl_sign_options, sign, use_sign, UP_TO(gpudl_sign_options, secret_key)),
    GIVEN(gpudl_source, ptx, use_source, UP_TO(gpudl_source, nbytes)),
    GIVEN(gpudl_target, target, use_target, UP_TO(gpudl_target, arch)),
    GIVEN(gpudl_trial, trial, use_trial, UP_TO(gpudl_trial, block)),
    GIVEN(gpudl_trial_buffer, trial_buffer, use_trial_buffer, UP_TO(gpudl_trial_buffer, nbytes)),
    GIVEN(gpudl_trust_options, trust, use_trust, sizeof(size_t)),
    GIVEN(gpudl_watch_options, watch, use_watch, sizeof(size_t)),
};

/* -------------------------------------------------------------------------------------------------------------- what is filled in */

static gpudl_status fill_cache(void *out)
{
    return gpudl_cache_describe(loader, out);
}

static gpudl_status fill_code(void *out)
{
    return gpudl_code_describe(code, out);
}

static gpudl_status fill_entry(void *out)
{
    return gpudl_image_entry(image, 0, out);
}

static gpudl_status fill_global(void *out)
{
    return gpudl_image_global(image, 0, 0, out);
}

static gpudl_status fill_image(void *out)
{
    return gpudl_image_describe(image, out);
}

static gpudl_status fill_kernel(void *out)
{
    return gpudl_image_kernel(image, 0, 0, out);
}

static gpudl_status fill_linker(void *out)
{
    return gpudl_linker_describe(loader, 1, out);
}

static gpudl_status fill_stats(void *out)
{
    return gpudl_loader_statistics(loader, out);
}

static gpudl_status fill_param(void *out)
{
    return gpudl_image_param(image, 0, 0, 0, out);
}

static gpudl_status fill_kernel_param(void *out)
{
    return gpudl_kernel_param(kernel, 0, out);
}

static gpudl_status fill_report(void *out)
{
    const char *const digests[] = { digest };
    gpudl_trust_options o = GPUDL_TRUST_OPTIONS_INIT;

    o.policy = GPUDL_TRUST_DIGEST;
    o.digests = digests, o.ndigests = 1;
    return gpudl_trust_check(&ptx, &o, out);
}

static gpudl_status fill_verdict(void *out)
{
    return gpudl_image_explain(image, GPUDL_ALL, &target, out);
}

static gpudl_status fill_judgement(void *out)
{
    return gpudl_image_judge(image, 0, &target, out);
}

static const struct filled {
    const char *name;
    size_t size;
    gpudl_status (*fill)(void *);
} filled[] = {
#define FILLED(type, fill) { #type, sizeof(type), fill }
    FILLED(gpudl_cache_info, fill_cache),
    FILLED(gpudl_code_info, fill_code),
    FILLED(gpudl_entry_info, fill_entry),
    FILLED(gpudl_global_info, fill_global),
    FILLED(gpudl_image_info, fill_image),
    FILLED(gpudl_kernel_info, fill_kernel),
    FILLED(gpudl_linker_info, fill_linker),
    FILLED(gpudl_loader_stats, fill_stats),
    FILLED(gpudl_param_info, fill_param),
    FILLED(gpudl_param_info, fill_kernel_param),
    FILLED(gpudl_trust_report, fill_report),
    FILLED(gpudl_verdict, fill_verdict),
    FILLED(gpudl_verdict, fill_judgement),
};

/* The library's own, and lent: their size says how much of them there is. */
static const char *const lent[] = { "gpudl_cache_entry", "gpudl_driver_table", "gpudl_section_info", "gpudl_symbol_info" };

/* ------------------------------------------------------------------------------------------------------------------------ tests */

#define FOR_EACH(type, x, list) for (const struct type *x = list; x < list + sizeof(list) / sizeof(*list); x++)

static void an_older_caller_gets_defaults_for_what_it_has_not(void **state)
{
    (void)state;
    FOR_EACH(given, g, given) {
        gpudl_status expected = g->use(place(g->full, g->size, g->size, 0));
        for (size_t size = sizeof(size_t); size < g->size; size += sizeof(size_t)) {
            gpudl_status status = g->use(place(g->full, g->size, size, 0));
            if (size >= g->least && status != expected)
                fail_msg("%s of %zu bytes: %s", g->name, size, gpudl_error_text());
        }
    }
}

static void a_newer_caller_is_served_if_it_wants_nothing_new(void **state)
{
    (void)state;
    FOR_EACH(given, g, given) {
        gpudl_status expected = g->use(place(g->full, g->size, g->size, 0));
        if (expected != GPUDL_OK)
            fail_msg("%s: %s", g->name, gpudl_error_text());
        for (size_t more = 1; more <= 64; more++)
            if (g->use(place(g->full, g->size, g->size + more, 0)) != expected)
                fail_msg("%s and %zu bytes: %s", g->name, more, gpudl_error_text());
    }
}

static void a_newer_caller_that_wants_something_new_is_refused(void **state)
{
    char words[128];

    (void)state;
    FOR_EACH(given, g, given)
        for (size_t more = 8; more <= 64; more += 8) {
            unsigned char *p = place(g->full, g->size, g->size + more, 0);
            p[g->size + more - 1] = 1; /* the last byte alone */
            snprintf(words, sizeof(words), "%s has a member at byte %zu that this gpudl", g->name, g->size + more - 1);
            assert_fails(g->use(p), GPUDL_ERROR_TOO_NEW, words);
        }
}

static void a_size_that_cannot_be_is_refused(void **state)
{
    static const size_t sizes[] = { 0, 1, 7, 4097, SIZE_MAX };
    char words[128];

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        FOR_EACH(given, g, given) {
            void *p = place(g->full, g->size, g->size, 0);
            memcpy(p, &sizes[i], sizeof(size_t));
            snprintf(words, sizeof(words), "%s.size is %zu", g->name, sizes[i]);
            assert_fails(g->use(p), GPUDL_ERROR_ARGUMENT, words);
        }
        FOR_EACH(filled, f, filled) {
            void *p = place(&sizes[i], 0, f->size, 0);
            memcpy(p, &sizes[i], sizeof(size_t));
            snprintf(words, sizeof(words), "%s.size_of_struct is %zu", f->name, sizes[i]);
            assert_fails(f->fill(p), GPUDL_ERROR_ARGUMENT, words);
        }
    }
}

/* Both at once: smaller ones get their share, of larger ones the rest is zero. */
static void what_is_filled_in_is_what_the_caller_has_room_for(void **state)
{
    unsigned char full[4096];

    (void)state;
    FOR_EACH(filled, f, filled) {
        unsigned char *p = place("", 0, f->size, 0xee);
        if (f->fill(p) != GPUDL_OK)
            fail_msg("%s: %s", f->name, gpudl_error_text());
        memcpy(full, p, f->size);
        for (size_t size = sizeof(size_t); size < f->size + 64; size++) {
            p = place("", 0, size, 0xee);
            assert_ok(f->fill(p));
            assert_int_equal(*(size_t *)p, size);
            if (memcmp(p + 8, full + 8, (size < f->size ? size : f->size) - 8) != 0 && f->fill != fill_stats)
                fail_msg("%s of %zu bytes is filled otherwise", f->name, size);
            for (size_t i = f->size; i < size; i++)
                assert_int_equal(p[i], 0);
        }
    }
}

/* Elements of arrays lie as far apart as their caller's header has them. */
static void arrays_are_of_the_callers_structs(void **state)
{
    struct newer {
        gpudl_source source;
        void *more[2];
    } sources[3] = { { gpudl_source_file("/nowhere"), { NULL, NULL } }, { gpudl_source_file("/nor/here"), { NULL, NULL } }, { ptx, { NULL, NULL } } };
    gpudl_library *lib;
    size_t which;

    (void)state;
    for (int i = 0; i < 3; i++)
        sources[i].source.size = sizeof(sources[i]);
    assert_ok(gpudl_library_load_first(loader, &sources[0].source, 3, NULL, &which, &lib));
    assert_int_equal(which, 2);
    gpudl_library_release(lib);
    sources[1].source.size = sizeof(gpudl_source);
    assert_fails(gpudl_library_load_first(loader, &sources[0].source, 3, NULL, &which, &lib), GPUDL_ERROR_ARGUMENT, "of one size");
}

/* Sets a bit in the member of that name, in turn of each struct that has one; what its use answers then. */
static void expect_of_members(const char *member, unsigned bit, gpudl_status expected)
{
    FILE *f = fopen(LAYOUT, "re");
    char line[256], name[128] = "", found[64];
    size_t place_of;

    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        sscanf(line, "struct %127[a-z0-9_]", name);
        if (sscanf(line, "    %63[a-z_] at %zu", found, &place_of) != 2 || strcmp(found, member) != 0)
            continue;
        FOR_EACH(given, g, given) {
            unsigned char *p;
            if (strcmp(g->name, name) != 0)
                continue;
            p = place(g->full, g->size, g->size, 0);
            p[place_of + bit / 8] |= 1u << bit % 8;
            gpudl_status status = g->use(p);
            if (status != expected || !strstr(gpudl_error_text(), member))
                fail_msg("%s.%s: %s: %s", name, member, gpudl_status_name(status), gpudl_error_text());
        }
    }
    fclose(f);
}

/* So that a later header may give them a meaning: who uses it is not misunderstood. */
static void what_is_reserved_must_be_zero(void **state)
{
    (void)state;
    expect_of_members("reserved", 0, GPUDL_ERROR_ARGUMENT);
}

static void a_flag_that_is_not_known_is_refused(void **state)
{
    (void)state;
    expect_of_members("flags", 30, GPUDL_ERROR_TOO_NEW);
}

static bool has_entry(const char *name)
{
    FOR_EACH(given, g, given)
        if (!strcmp(g->name, name))
            return true;
    FOR_EACH(filled, f, filled)
        if (!strcmp(f->name, name))
            return true;
    for (size_t i = 0; i < sizeof(lent) / sizeof(*lent); i++)
        if (!strcmp(lent[i], name))
            return true;
    return false;
}

static void every_struct_that_may_grow_is_tried(void **state)
{
    FILE *f = fopen(LAYOUT, "re");
    char line[256], name[128] = "";
    int n = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        bool sized = !strcmp(line, "    size at 0: size_t\n") || !strcmp(line, "    size_of_struct at 0: size_t\n");
        if (sized && !has_entry(name))
            fail_msg("%s begins with its size, and is not tried here", name);
        n += sized;
        sscanf(line, "struct %127[a-z0-9_]", name);
    }
    fclose(f);
    assert_true(n > 30);
}

/* ------------------------------------------------------------------------------------------------------------------------ around */

static void be_quiet(void *user, gpudl_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

static void set_full(void)
{
    static char driver[4096];

    snprintf(driver, sizeof(driver), "%s", harness_null_driver());
    setenv("GPUDL_DRIVER", driver, 1);
    setenv("GPUDL_TRIAL", "/nowhere/gpudl-trial", 1);
    setenv("GPUDL_LINKER", "driver", 1);
    setenv("GPUDL_COMPILER", fake_path("fake-nvcc"), 1);
    setenv("GPUDL_CACHE_DIR", fake_path("cache"), 1);
    config = gpudl_launch_1d(1, 32);
    target.arch = "sm_90";
    trial = gpudl_trial_1d("k", 1, 1);
    trial_buffer = gpudl_trial_buffer_of(GPUDL_TRIAL_U8, NULL, NULL, 8);
    sign.secret_key = secret_key;
    loader_options.log = be_quiet;
}

static int begin(void **state)
{
    char public_key[GPUDL_PUBLIC_KEY_TEXT];

    if (fake_begin(state))
        return -1;
    make_page();
    set_full();
    ptx = *DATA_SOURCE(globals_ptx);
    cuda = gpudl_source_text("k.cu", "int k;");
    assert_ok(gpudl_loader_open(&loader_options, &loader));
    assert_ok(gpudl_library_load(loader, GPUDL_FILE(NAMES), NULL, &library));
    assert_ok(gpudl_library_load(loader, DATA_SOURCE(names_ptx), NULL, &turned));
    assert_ok(gpudl_kernel_get(library, "axpy", &kernel));
    assert_ok(gpudl_image_open(&ptx, NULL, &image));
    assert_ok(gpudl_compile(loader, &cuda, NULL, &code));
    assert_ok(gpudl_trust_keygen(NULL, public_key, secret_key));
    assert_ok(gpudl_trust_digest(&ptx, digest));
    return 0;
}

static int end(void **state)
{
    gpudl_code_release(code);
    gpudl_image_close(image);
    gpudl_kernel_release(kernel);
    gpudl_library_release(library);
    gpudl_library_release(turned);
    gpudl_loader_close(loader);
    assert_int_equal(nulldrv_misuses(NULL), 0);
    return fake_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_defaults_for_what_it_has_not),
        cmocka_unit_test(a_newer_caller_is_served_if_it_wants_nothing_new),
        cmocka_unit_test(a_newer_caller_that_wants_something_new_is_refused),
        cmocka_unit_test(a_size_that_cannot_be_is_refused),
        cmocka_unit_test(what_is_filled_in_is_what_the_caller_has_room_for),
        cmocka_unit_test(arrays_are_of_the_callers_structs),
        cmocka_unit_test(what_is_reserved_must_be_zero),
        cmocka_unit_test(a_flag_that_is_not_known_is_refused),
        cmocka_unit_test(every_struct_that_may_grow_is_tried),
    };

    return cmocka_run_group_tests_name("sizes", tests, begin, end);
}
