/* help.h - what the tests of image/ share: images from the data folder or built in place, and patches to their bytes. */
#ifndef TESTS_IMAGE_HELP_H
#define TESTS_IMAGE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/image/details.h"
#include "src/image/explain.h"
#include "src/image/image.h"

static const char *data_folder;

/* Bytes on the heap, of exactly their size, so that a sanitizer sees one read too far. */
struct bytes {
    unsigned char *data;
    size_t size;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
    struct bytes b = { malloc(size ? size : 1), size };

    assert_non_null(b.data);
    memcpy(b.data, data, size);
    return b;
}

static inline struct bytes load(const char *name)
{
    struct bytes b = { malloc(1 << 20), 0 };
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", data_folder, name);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    assert_non_null(b.data);
    b.size = fread(b.data, 1, 1 << 20, f);
    fclose(f);
    b.data = realloc(b.data, b.size);
    return b;
}

static inline struct bytes join(struct bytes a, const void *more, size_t n)
{
    a.data = realloc(a.data, a.size + n);
    assert_non_null(a.data);
    memcpy(a.data + a.size, more, n);
    a.size += n;
    return a;
}

static inline void put16(struct bytes b, size_t at, uint16_t v)
{
    assert_true(at + 2 <= b.size);
    v = htole16(v);
    memcpy(b.data + at, &v, sizeof(v));
}

static inline void put32(struct bytes b, size_t at, uint32_t v)
{
    assert_true(at + 4 <= b.size);
    v = htole32(v);
    memcpy(b.data + at, &v, sizeof(v));
}

static inline void put64(struct bytes b, size_t at, uint64_t v)
{
    assert_true(at + 8 <= b.size);
    v = htole64(v);
    memcpy(b.data + at, &v, sizeof(v));
}

static inline struct span span_of(struct bytes b)
{
    return (struct span){ b.data, b.size };
}

struct opened {
    struct bytes bytes;
    struct image *image;
    enum image_error error;
    char text[1024];
};

/* Takes the bytes over. */
static inline struct opened open_bytes(struct bytes b)
{
    struct opened o = { .bytes = b };

    o.error = gpudl__image_open(span_of(b), 0, &o.image, o.text, sizeof(o.text));
    if (o.error) {
        assert_null(o.image);
        assert_true(o.text[0] != '\0');
    }
    return o;
}

static inline struct opened open_file(const char *name)
{
    struct opened o = open_bytes(load(name));

    if (o.error)
        fail_msg("%s: %s", name, o.text);
    return o;
}

/* The same for tools: takes everything that can be told. */
static inline struct opened inspect_bytes(struct bytes b)
{
    struct opened o = { .bytes = b };

    o.error = gpudl__image_inspect(span_of(b), NULL, &o.image, o.text, sizeof(o.text));
    if (o.error) {
        assert_null(o.image);
        assert_true(o.text[0] != '\0');
    }
    return o;
}

static inline struct opened inspect_file(const char *name)
{
    struct opened o = inspect_bytes(load(name));

    if (o.error)
        fail_msg("%s: %s", name, o.text);
    return o;
}

static inline void close_opened(struct opened *o)
{
    gpudl__image_close(o->image);
    free(o->bytes.data);
    *o = (struct opened){ 0 };
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

/* These bytes are refused, with this error and these words. */
static inline void assert_refused(struct bytes b, enum image_error error, const char *part)
{
    struct opened o = open_bytes(b);

    if (o.error != error)
        fail_msg("error %d instead of %d: %s", (int)o.error, (int)error, o.text);
    assert_contains(o.text, part);
    close_opened(&o);
}

static inline void assert_text_refused(const char *text, enum image_error error, const char *part)
{
    assert_refused(bytes_of(text, strlen(text)), error, part);
}

/* "saxpy 0+4 4+4 8+8 16+8 =24", "k ?" where the parameters are not known. */
static inline void describe_kernel(const struct image_kernel *k, char *out, size_t size)
{
    int n = snprintf(out, size, "%s", k->name);

    if (!k->params_known) {
        snprintf(out + n, size - (size_t)n, " ?");
        return;
    }
    for (uint32_t i = 0; i < k->nparams; i++)
        n += snprintf(out + n, size - (size_t)n, " %u+%u", k->params[i].offset, k->params[i].size);
    snprintf(out + n, size - (size_t)n, " =%u", k->param_bytes);
}

static inline const struct image_kernel *find_kernel(struct opened *o, size_t entry, const char *name)
{
    const struct image_kernel *k;
    size_t n;

    if (gpudl__image_kernels(o->image, entry, &k, &n, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    for (size_t i = 0; i < n; i++)
        if (strcmp(k[i].name, name) == 0)
            return &k[i];
    return NULL;
}

static inline void assert_kernel(struct opened *o, size_t entry, const char *expected)
{
    char name[128], found[1024];
    const struct image_kernel *k;

    sscanf(expected, "%127s", name);
    k = find_kernel(o, entry, name);
    if (!k)
        fail_msg("no kernel %s", name);
    describe_kernel(k, found, sizeof(found));
    assert_string_equal(found, expected);
}

static inline int add_block(char *out, size_t size, const char *what, const uint32_t v[3])
{
    return v[0] ? snprintf(out, size, " %s=%ux%ux%u", what, v[0], v[1], v[2]) : 0;
}

static inline int add_count(char *out, size_t size, const char *what, uint32_t v)
{
    return v && v != IMAGE_NOT_KNOWN ? snprintf(out, size, " %s=%u", what, v) : 0;
}

/* "regs=12 shared=1024 stack=0 base=0x160 maxntid=256x1x1 barriers=1 local"; zeroes after the base and "global" are left out, and
 * so is what is not known. */
static inline void describe_resources(const struct image_resources *r, char *out, size_t size)
{
    char *end = out + size;

    *out = '\0';
    if (r->registers != IMAGE_NOT_KNOWN)
        out += snprintf(out, (size_t)(end - out), "regs=%u ", r->registers);
    out += snprintf(out, (size_t)(end - out), "shared=%u", r->shared);
    if (r->stack != IMAGE_NOT_KNOWN)
        out += snprintf(out, (size_t)(end - out), " stack=%u", r->stack);
    if (r->param_base != IMAGE_NOT_KNOWN)
        out += snprintf(out, (size_t)(end - out), " base=0x%x", r->param_base);
    out += add_block(out, (size_t)(end - out), "maxntid", r->max_block);
    out += add_block(out, (size_t)(end - out), "reqntid", r->required_block);
    out += add_count(out, (size_t)(end - out), "threads", r->max_threads);
    out += add_count(out, (size_t)(end - out), "maxreg", r->register_limit);
    out += add_count(out, (size_t)(end - out), "minblocks", r->min_blocks);
    out += add_count(out, (size_t)(end - out), "barriers", r->barriers);
    out += add_block(out, (size_t)(end - out), "cluster", r->cluster);
    out += add_count(out, (size_t)(end - out), "rank", r->max_cluster_rank);
    out += snprintf(out, (size_t)(end - out), "%s%s%s", r->explicit_cluster ? " explicit" : "",
        r->blocks_are_clusters ? " blocks-are-clusters" : "", r->binding == IMAGE_BIND_LOCAL ? " local" :
        r->binding == IMAGE_BIND_WEAK ? " weak" : "");
    if (r->problem)
        snprintf(out, (size_t)(end - out), " (%s)", r->problem);
}

/* expected: the kernel's name, then as above. */
static inline void assert_resources(struct opened *o, size_t entry, const char *expected)
{
    const struct image_details *d;
    const struct image_kernel *k;
    char name[128], found[512];
    size_t n;

    sscanf(expected, "%127s", name);
    if (gpudl__image_kernels(o->image, entry, &k, &n, o->text, sizeof(o->text)) != IMAGE_OK
        || gpudl__image_details(o->image, entry, &d, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    assert_int_equal(d->nkernels, n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(k[i].name, name) != 0)
            continue;
        describe_resources(&d->kernels[i], found, sizeof(found));
        assert_string_equal(found, expected + strlen(name) + 1);
        return;
    }
    fail_msg("no kernel %s", name);
}

static inline size_t count_kernels(struct opened *o, size_t entry)
{
    const struct image_kernel *k;
    size_t n = 0;

    if (gpudl__image_kernels(o->image, entry, &k, &n, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    return n;
}

static inline size_t count_globals(struct opened *o, size_t entry)
{
    const struct image_global *g;
    size_t n = 0;

    if (gpudl__image_globals(o->image, entry, &g, &n, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    return n;
}

static inline void assert_global(struct opened *o, size_t entry, const char *name, uint64_t size, bool constant, bool managed)
{
    const struct image_global *g;
    size_t n;

    if (gpudl__image_globals(o->image, entry, &g, &n, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(g[i].name, name) != 0)
            continue;
        assert_int_equal(g[i].size, size);
        assert_int_equal(g[i].constant, constant);
        assert_int_equal(g[i].managed, managed);
        return;
    }
    fail_msg("no global %s", name);
}

static inline void assert_entry(struct opened *o, size_t i, enum image_format format, unsigned sm, char suffix,
    enum image_compression how, uint64_t raw_size)
{
    const struct image_entry *e = gpudl__image_entry(o->image, i);

    assert_true(i < gpudl__image_count(o->image));
    assert_int_equal(e->format, format);
    assert_int_equal(e->sm, sm);
    assert_int_equal(e->suffix, suffix);
    assert_int_equal(e->compression, how);
    assert_int_equal(e->raw_size, raw_size);
    assert_int_equal(e->error, IMAGE_OK);
}

/* The header of a section of a cubin. */
static inline uint64_t section_at(struct bytes b, const char *name)
{
    struct span s = span_of(b);
    uint64_t table = span_u64(s, 0x28);
    uint64_t names = span_u64(s, table + 64u * span_u16(s, 0x3e) + 0x18);

    for (unsigned i = 0; i < span_u16(s, 0x3c); i++) {
        const char *n = span_string(s, names + span_u32(s, table + 64u * i), 1000, NULL);

        if (n && strcmp(n, name) == 0)
            return table + 64u * i;
    }
    fail_msg("no section %s", name);
    return 0;
}

/* Of the first record with this attribute in a section of records. */
static inline size_t record_at(struct bytes b, const char *name, unsigned char attribute)
{
    uint64_t section = section_at(b, name);
    size_t at = (size_t)span_u64(span_of(b), section + 0x18), end = at + (size_t)span_u64(span_of(b), section + 0x20);

    while (at < end && b.data[at + 1] != attribute)
        at += 4 + (b.data[at] == 4 ? span_u16(span_of(b), at + 2) : 0);
    assert_true(at < end);
    return at;
}

static inline bool go_on(void *user, const void *item)
{
    (void)item;
    return ++*(size_t *)user < 10000;
}

static inline bool next_section(void *user, const struct image_section *s)
{
    return go_on(user, s);
}

static inline bool next_symbol(void *user, const struct image_symbol *s)
{
    return go_on(user, s);
}

static inline void count_warning(void *user, enum image_warning what, const struct image_kernel *k, const char *text)
{
    (void)what;
    (void)k;
    assert_true(text[0] != '\0');
    ++*(size_t *)user;
}

/* Asks an image everything that it can be asked. */
static inline void ask_everything(struct image *im)
{
    static const struct image_target targets[] = {
        { .sm = 90, .ptx_version = 90, .machine_code = true, .cuda_version = 13000 }, { .sm = 75, .any_ptx = true },
    };
    char text[256];
    struct image_words words;
    struct image_provenance p;
    const struct image_kernel *k;
    const struct image_global *g;
    const struct image_details *d;
    struct span payload;
    size_t n, seen = 0;

    for (size_t i = 0; i < gpudl__image_count(im); i++) {
        gpudl__image_payload(im, i, &payload, text, sizeof(text));
        gpudl__image_kernels(im, i, &k, &n, text, sizeof(text));
        gpudl__image_globals(im, i, &g, &n, text, sizeof(text));
        gpudl__image_details(im, i, &d, text, sizeof(text));
        gpudl__image_provenance(im, i, &p, text, sizeof(text));
        gpudl__image_sections(im, i, next_section, &seen, text, sizeof(text));
        gpudl__image_symbols(im, i, next_symbol, &seen, text, sizeof(text));
        for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++) {
            gpudl__image_judge(im, i, &targets[t], &words);
            gpudl__image_warn(im, i, &targets[t], count_warning, &seen, text, sizeof(text));
        }
        gpudl__image_forget(im, i);
    }
    for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++)
        gpudl__image_explain(im, SIZE_MAX, &targets[t], &words);
}

#define RUN(tests) (data_folder = argc > 1 ? argv[1] : ".", cmocka_run_group_tests(tests, NULL, NULL))

#endif
