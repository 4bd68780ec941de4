/* What is left to be told of images that are damaged, and that no damage does harm. */
#include "tests/image/help.h"

/* The first kernel of a cubin is told like this. */
static void assert_told(struct bytes b, const char *kernel, const char *expected)
{
    struct opened o = inspect_bytes(b);
    const struct image_details *d;
    const struct image_kernel *k;
    size_t n;

    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(gpudl__image_details(o.image, 0, &d, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(d->nkernels, n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(k[i].name, kernel) != 0)
            continue;
        assert_false(d->kernels[i].complete);
        assert_string_equal(d->kernels[i].problem, expected);
        close_opened(&o);
        return;
    }
    fail_msg("no kernel %s", kernel);
}

static void records_that_are_damaged(void **state)
{
    struct bytes b = load("k_90.cubin");
    size_t begin = (size_t)span_u64(span_of(b), section_at(b, ".nv.info.k") + 0x18), kparam = record_at(b, ".nv.info.k", 0x17);
    size_t section = section_at(b, ".nv.info.k");
    char expected[64];

    (void)state;
    b.data[kparam] = 0;
    snprintf(expected, sizeof(expected), ".nv.info is damaged at +0x%zx", kparam - begin);
    assert_told(b, "k", expected);
    b = load("k_90.cubin");
    put16(b, kparam + 2, 0xfffc);
    assert_told(b, "k", expected);
    b = load("k_90.cubin");
    put32(b, section + 0x2c, 1);
    assert_told(b, "k", "its records are missing");
    b = load("k_90.cubin");
    put16(b, kparam + 8, 1);
    assert_told(b, "k", "parameter 0 is missing");
    b = load("k_90.cubin");
    put16(b, kparam + 10, 4);
    assert_told(b, "k", "its parameters end at byte 12, but take 8");
    b = load("k_90.cubin");
    put32(b, kparam + 12, 0);
    assert_told(b, "k", "parameter 0 has no size");
}

static void parameters_over_each_other(void **state)
{
    struct bytes b = load("a_80.cubin");
    size_t at = record_at(b, ".nv.info.saxpy", 0x17);

    (void)state;
    while (b.data[at + 1] != 0x17 || span_u16(span_of(b), at + 8) != 2)
        at += 4 + (b.data[at] == 4 ? span_u16(span_of(b), at + 2) : 0);
    put16(b, at + 10, 6);
    assert_told(b, "saxpy", "parameter 1 overlaps parameter 2");
}

static void numbers_that_cannot_be(void **state)
{
    struct bytes b = load("a_default.fatbin"), cubin = bytes_of(b.data + 0x50, 7064);
    size_t shared = section_at(cubin, ".nv.shared.shk"), regcount = record_at(cubin, ".nv.info", 0x2f);
    size_t threads = record_at(cubin, ".nv.info.shk", 0x05);
    struct bytes c;

    (void)state;
    free(b.data);
    c = bytes_of(cubin.data, cubin.size);
    put64(c, shared + 0x20, 1000);
    assert_told(c, "shk", "its shared memory of 1000 bytes is less than the 1024 that are reserved");
    c = bytes_of(cubin.data, cubin.size);
    put32(c, regcount + 4, 0xffff);             /* of a symbol that is not there */
    assert_told(c, "saxpy", "the number of its registers is missing");
    c = bytes_of(cubin.data, cubin.size);
    put32(c, regcount + 8, 300);
    assert_told(c, "saxpy", "300 registers are more than a thread can have");
    c = bytes_of(cubin.data, cubin.size);
    for (size_t i = 0; i < 3; i++)
        put32(c, threads + 4 + 4 * i, UINT32_MAX);
    {
        struct opened o = inspect_bytes(c);
        const struct image_details *d;

        assert_int_equal(gpudl__image_details(o.image, 0, &d, o.text, sizeof(o.text)), IMAGE_OK);
        assert_int_equal(d->kernels[0].max_threads, IMAGE_NOT_KNOWN);
        ask_everything(o.image);
        close_opened(&o);
    }
    free(cubin.data);
}

static void cut_off_fatbins_keep_their_first_entries(void **state)
{
    static const struct { size_t size, entries; } cuts[] = {
        { 17071, 4 }, { 16000, 3 }, { 12000, 3 }, { 5000, 1 }, { 3100, 1 }, { 3000, 0 }, { 50, 0 },
    };
    struct bytes whole = load("multi.fatbin");
    enum image_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        struct opened o = inspect_bytes(bytes_of(whole.data, cuts[i].size));

        assert_int_equal(o.error, IMAGE_OK);
        assert_int_equal(gpudl__image_count(o.image), cuts[i].entries);
        assert_contains(gpudl__image_damage(o.image, &error), "fatbin: claims 17056 bytes");
        assert_int_equal(error, IMAGE_TRUNCATED);
        for (size_t j = 0; j < cuts[i].entries; j++)
            assert_kernel(&o, j, "k 0+8 =8");
        close_opened(&o);
    }
    free(whole.data);
}

static void a_damaged_entry_ends_its_fatbin_only(void **state)
{
    struct bytes second = load("a_none.fatbin"), b;
    struct opened o;

    (void)state;
    b = join(load("multi.fatbin"), second.data, second.size);
    put32(b, 0x10 + 64 + 2984 + 4, 68);     /* the header of entry 1 */
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_container_count(o.image), 2);
    assert_int_equal(gpudl__image_count(o.image), 3);
    assert_contains(gpudl__image_damage(o.image, NULL), "fatbin: entry 1 at 0xbf8: header size 68");
    assert_kernel(&o, 1, "shk 0+8 =8");
    close_opened(&o);
    free(second.data);
}

static void containers_of_another_version_are_refused(void **state)
{
    struct bytes b = load("multi.fatbin");
    struct opened o;

    (void)state;
    put16(b, 4, 2);
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_NOT_SUPPORTED);
    assert_string_equal(o.text, "fatbin: unsupported version 2, 1 is known");
    close_opened(&o);
}

static void ptx_keeps_what_stands_before_the_damage(void **state)
{
    static const char text[] = ".version 9.0 .target sm_90 .global .u32 g; "
        ".visible .entry a(.param .u32 x){ret;} .entry b(){ ret;";
    struct opened o = inspect_bytes(bytes_of(text, sizeof(text) - 1));
    const struct image_details *d;
    enum image_error error;

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(count_kernels(&o, 0), 1);
    assert_kernel(&o, 0, "a 0+4 =4");
    assert_int_equal(count_globals(&o, 0), 1);
    assert_contains(gpudl__image_damage(o.image, &error),
        "PTX: ends inside the body of kernel 'b' (line 1): the text is cut off");
    assert_int_equal(error, IMAGE_TRUNCATED);
    assert_int_equal(gpudl__image_entry(o.image, 0)->error, IMAGE_TRUNCATED);
    assert_int_equal(gpudl__image_details(o.image, 0, &d, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(d->nkernels, 1);
    close_opened(&o);
}

static void cubins_keep_their_architecture(void **state)
{
    struct bytes b = load("k_90.cubin");
    const struct image_entry *e;
    struct opened o;

    (void)state;
    put64(b, 0x28, 0x9000);
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    e = gpudl__image_entry(o.image, 0);
    assert_int_equal(e->payload_sm, 90);
    assert_int_equal(e->error, IMAGE_TRUNCATED);
    assert_string_equal(gpudl__image_damage(o.image, NULL), "cubin: section table at 0x9000 is outside the file (3440 bytes)");
    ask_everything(o.image);
    close_opened(&o);
}

/* Options and extension record outside of the header are no options. */
static void extension_records_outside_their_header(void **state)
{
    static const struct { size_t at; uint32_t v; } cases[] = {
        { 0x14, 8 }, { 0x14, 0xfffffff8 }, { 0x14, 4000 }, { 0x40, 8 }, { 0x40, 0xffffffff }, { 0x44, 4000 }, { 0x44,
            0xffffffff },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bytes b = load("reloc.fatbin");
        struct image_provenance p;
        struct opened o;
        size_t at = cases[i].at < 0x40 ? cases[i].at : span_u32(span_of(b), 0x10 + 0x14) + cases[i].at - 0x40;

        put32(b, 0x10 + at, cases[i].v);
        o = inspect_bytes(b);
        assert_int_equal(gpudl__image_provenance(o.image, 0, &p, o.text, sizeof(o.text)), IMAGE_OK);
        assert_null(p.options);
        close_opened(&o);
    }
}

/* What lies behind the code in its place is told, as a digest of the file covers it. */
static void bytes_behind_the_code(void **state)
{
    struct bytes b = load("a_none.fatbin");
    size_t ptx = 0x10 + 64 + 7064 + (size_t)span_u32(span_of(b), 0x10 + 64 + 7064 + 4), nul = b.size - 1;
    struct span payload;
    struct opened o;

    (void)state;
    while (!b.data[nul - 1])
        nul--;
    b.data[nul - 10] = '\0';
    o = inspect_bytes(b);
    assert_int_equal(gpudl__image_payload(o.image, 1, &payload, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(payload.size, nul - 10 - ptx);
    assert_contains(gpudl__image_notes(o.image), "bytes behind the end of its PTX");
    close_opened(&o);

    b = load("k_90.cubin");
    b = join(b, "hidden", 6);
    o = inspect_bytes(b);
    assert_int_equal(gpudl__image_payload(o.image, 0, &payload, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(gpudl__image_notes(o.image), "entry 0: 6 bytes behind the end of its cubin");
    close_opened(&o);
}

/* Each way to get at an image either answers or says why not. */
static void survive(const unsigned char *data, size_t size)
{
    struct opened o = open_bytes(bytes_of(data, size));

    if (!o.error)
        ask_everything(o.image);
    close_opened(&o);
    o = inspect_bytes(bytes_of(data, size));
    if (!o.error)
        ask_everything(o.image);
    close_opened(&o);
}

static void every_single_byte_may_be_wrong(void **state)
{
    static const char *const files[] = { "reloc.fatbin", "a_ptx.fatbin", "k_lto.fatbin", "a_size.fatbin", "k_75.cubin" };
    static const unsigned char flips[] = { 0x01, 0x80, 0xff };
    unsigned char old;

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct bytes b = load(files[i]);

        for (size_t at = 0; at < b.size; at++) {
            old = b.data[at];
            for (size_t f = 0; f < sizeof(flips); f++) {
                b.data[at] = old ^ flips[f];
                survive(b.data, b.size);
            }
            b.data[at] = old;
        }
        free(b.data);
    }
}

static void every_length_may_be_too_short(void **state)
{
    static const char *const files[] = { "reloc.fatbin", "a_size.fatbin", "a_lz4.fatbin", "k_75.cubin", "libk.a", "k.ltoir",
        "launch.ptx" };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct bytes b = load(files[i]);

        for (size_t n = 0; n < b.size; n++)
            survive(b.data, n);
        free(b.data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_are_damaged),
        cmocka_unit_test(parameters_over_each_other),
        cmocka_unit_test(numbers_that_cannot_be),
        cmocka_unit_test(cut_off_fatbins_keep_their_first_entries),
        cmocka_unit_test(a_damaged_entry_ends_its_fatbin_only),
        cmocka_unit_test(containers_of_another_version_are_refused),
        cmocka_unit_test(ptx_keeps_what_stands_before_the_damage),
        cmocka_unit_test(cubins_keep_their_architecture),
        cmocka_unit_test(extension_records_outside_their_header),
        cmocka_unit_test(bytes_behind_the_code),
        cmocka_unit_test(every_single_byte_may_be_wrong),
        cmocka_unit_test(every_length_may_be_too_short),
    };

    return RUN(tests);
}
