/* Fatbins and cubins that are wrong in one place: an error or a note names the place, and no answer is wrong. */
#include "tests/image/help.h"

/* Offsets in a fatbin's file: of its header, and of its first entry. */
enum {
    FAT_VERSION = 4,
    FAT_HEADER = 6,
    FAT_SIZE = 8,
    KIND = 0x10,
    HEADER = 0x14,
    STORED = 0x18,
    PACKED = 0x20,
    NAME = 0x30,
    NAME_LENGTH = 0x34,
    FLAGS = 0x38,
    RAW = 0x48,
    PAYLOAD = 0x50,
};

static struct bytes patched32(const char *file, size_t at, uint32_t v)
{
    struct bytes b = load(file);

    put32(b, at, v);
    return b;
}

static struct bytes patched64(const char *file, size_t at, uint64_t v)
{
    struct bytes b = load(file);

    put64(b, at, v);
    return b;
}

static struct bytes patched16(const char *file, size_t at, uint16_t v)
{
    struct bytes b = load(file);

    put16(b, at, v);
    return b;
}

/* The image opens, its first entry is unusable for this reason, and the second one is as it was. */
static void assert_first_entry_refused(struct bytes b, enum image_error error, const char *part)
{
    struct opened o = open_bytes(b);
    struct span payload;

    assert_int_equal(o.error, IMAGE_OK);
    if (gpudl__image_payload(o.image, 0, &payload, o.text, sizeof(o.text)) != error)
        fail_msg("another error than %d: %s", (int)error, o.text);
    assert_contains(o.text, "entry 0: ");
    assert_contains(o.text, part);
    assert_int_equal(gpudl__image_entry(o.image, 0)->error, error);
    assert_contains(gpudl__image_notes(o.image), "entry 0");
    assert_kernel(&o, 1, "shk 0+8 =8");
    close_opened(&o);
}

static void container_header(void **state)
{
    (void)state;
    assert_refused(patched16("multi.fatbin", FAT_VERSION, 2), IMAGE_NOT_SUPPORTED, "unsupported version 2");
    assert_refused(patched16("multi.fatbin", FAT_HEADER, 8), IMAGE_DAMAGED, "claims 8 bytes");
    assert_refused(patched16("multi.fatbin", FAT_HEADER, 0xffff), IMAGE_DAMAGED, "claims 65535 bytes");
    assert_refused(patched64("multi.fatbin", FAT_SIZE, 4294967295), IMAGE_TRUNCATED, "claims 4294967295 bytes, 17056 present");
    assert_refused(patched64("multi.fatbin", FAT_SIZE, 4294967295), IMAGE_TRUNCATED, "5 entries are complete");
    assert_refused(patched64("multi.fatbin", FAT_SIZE, UINT64_MAX), IMAGE_TRUNCATED, "claims 18446744073709551615 bytes");
    assert_refused(bytes_of("\x50\xED\x55\xBA\1\0\x10\0\0\0\0\0", 12), IMAGE_TRUNCATED, "truncated header (12 of 16 bytes)");
}

static void entry_header(void **state)
{
    (void)state;
    assert_refused(patched32("multi.fatbin", HEADER, 8), IMAGE_DAMAGED, "entry 0 at 0x10: header size 8 is below 64");
    assert_refused(patched32("multi.fatbin", HEADER, 68), IMAGE_DAMAGED, "header size 68");
    assert_refused(patched32("multi.fatbin", HEADER, 0xfffffff8), IMAGE_DAMAGED, "header size 4294967288");
    assert_refused(patched64("multi.fatbin", STORED, 0xfffffffffffffff0), IMAGE_DAMAGED,
        "payload of 18446744073709551600 bytes does not fit");
    assert_refused(patched64("multi.fatbin", STORED, 17056 - 63), IMAGE_DAMAGED, "does not fit");
    assert_refused(patched64("multi.fatbin", STORED, 17056 - 64 - 40), IMAGE_DAMAGED, "entry 1 at 0x4288: 40 bytes are left");
}

static void sizes_that_contradict_each_other(void **state)
{
    (void)state;
    assert_first_entry_refused(patched32("a_lz4.fatbin", PACKED, 1 << 20), IMAGE_DAMAGED,
        "compressed size 1048576 exceeds stored");
    assert_first_entry_refused(patched32("a_lz4.fatbin", PACKED, 0), IMAGE_DAMAGED, "names no compressed bytes");
    assert_first_entry_refused(patched32("a_default.fatbin", PACKED, 7), IMAGE_DAMAGED, "is not compressed, but names 7");
}

static void bombs_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    assert_first_entry_refused(patched64("a_lz4.fatbin", RAW, 140737488355327), IMAGE_LIMIT,
        "claims 140737488355327 bytes uncompressed");
    assert_first_entry_refused(patched64("a_size.fatbin", RAW, 140737488355327), IMAGE_LIMIT,
        "claims 140737488355327 bytes uncompressed");
    assert_first_entry_refused(patched64("a_lz4.fatbin", RAW, 900u << 20), IMAGE_DAMAGED, "cannot give that many");
    assert_first_entry_refused(patched64("a_size.fatbin", RAW, 900u << 20), IMAGE_DAMAGED,
        "holds 7064 bytes, the entry claims 943718400");
}

static void limit_is_the_callers(void **state)
{
    struct bytes b = load("a_size.fatbin");
    struct image *im = NULL;
    struct span payload;
    char text[256];

    (void)state;
    assert_int_equal(gpudl__image_open(span_of(b), 4000, &im, text, sizeof(text)), IMAGE_OK);
    assert_int_equal(gpudl__image_payload(im, 0, &payload, text, sizeof(text)), IMAGE_LIMIT);
    assert_contains(text, "claims 7064 bytes uncompressed, the limit is 4000");
    assert_int_equal(gpudl__image_payload(im, 1, &payload, text, sizeof(text)), IMAGE_OK);
    gpudl__image_close(im);
    free(b.data);
}

static void compressed_data(void **state)
{
    struct bytes b;

    (void)state;
    assert_first_entry_refused(patched64("a_lz4.fatbin", RAW, 7065), IMAGE_DAMAGED,
        "decompresses to 7064 bytes, 7065 were promised");
    assert_first_entry_refused(patched64("a_lz4.fatbin", RAW, 7063), IMAGE_DAMAGED, "LZ4 data is damaged");
    assert_first_entry_refused(patched32("a_size.fatbin", PAYLOAD, 0x184D2A50), IMAGE_DAMAGED,
        "does not begin with a zstd frame");
    b = load("a_size.fatbin");
    memset(b.data + PAYLOAD + 8, 0xff, 64);
    assert_first_entry_refused(b, IMAGE_DAMAGED, "zstd data is damaged");
    b = load("a_size.fatbin");
    b.data[PAYLOAD + 4] |= 1;       /* now one byte of dictionary id follows */
    assert_first_entry_refused(b, IMAGE_DAMAGED, "needs a dictionary");
    b = load("a_size.fatbin");
    put32(b, PACKED, 48);
    assert_first_entry_refused(b, IMAGE_DAMAGED, "zstd data is damaged");
}

static void compression_flags(void **state)
{
    (void)state;
    assert_first_entry_refused(patched64("a_size.fatbin", FLAGS, 0xa011), IMAGE_NOT_SUPPORTED,
        "unknown compression (flags 0xa011)");
    assert_first_entry_refused(patched64("a_size.fatbin", FLAGS, 0x4011), IMAGE_NOT_SUPPORTED,
        "unknown compression (flags 0x4011)");
    assert_first_entry_refused(patched64("a_size.fatbin", FLAGS, 0x1011), IMAGE_NOT_SUPPORTED,
        "unknown compression (flags 0x1011)");
}

static void unknown_kinds_are_stepped_over(void **state)
{
    struct opened o = open_bytes(patched16("a_default.fatbin", KIND, 0x200));
    enum image_misfit why;
    struct image_target target = { .sm = 90, .ptx_version = 90, .machine_code = true };

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_entry(o.image, 0)->format, IMAGE_UNKNOWN);
    assert_string_equal(gpudl__image_notes(o.image), "entry 0: unknown kind 0x200, 7064 bytes");
    assert_int_equal(gpudl__image_choose(o.image, &target, &why, o.text, sizeof(o.text)), 1);
    close_opened(&o);
}

static void identifiers_outside_their_header(void **state)
{
    static const struct { uint32_t at, length; } cases[] = { { 8, 4 }, { 64, 4000 }, { 0xfffffff0, 0x20 } };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes b = patched32("k_lineinfo.fatbin", NAME, cases[i].at);
        struct opened o;

        put32(b, NAME_LENGTH, cases[i].length);
        o = open_bytes(b);
        assert_int_equal(o.error, IMAGE_OK);
        assert_null(gpudl__image_entry(o.image, 0)->identifier);
        assert_string_equal(gpudl__image_notes(o.image), "entry 0: identifier lies outside its header");
        close_opened(&o);
    }
}

static void identifier_without_its_nul(void **state)
{
    struct opened o = open_bytes(patched32("k_lineinfo.fatbin", NAME_LENGTH, 3));

    (void)state;
    assert_string_equal(gpudl__image_entry(o.image, 0)->identifier, "k.c");
    close_opened(&o);
}

static void bytes_behind_the_last_fatbin(void **state)
{
    struct opened o = open_bytes(join(load("multi.fatbin"), "garbage, and a fatbin\x50\xED\x55\xBA", 25));

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_count(o.image), 5);
    assert_string_equal(gpudl__image_notes(o.image), "25 bytes after the last fatbin ignored");
    close_opened(&o);
    o = open_bytes(join(load("multi.fatbin"), "\0\0\0\0\0\0\0\0\0", 9));
    assert_int_equal(o.error, IMAGE_OK);
    close_opened(&o);
    assert_refused(join(load("multi.fatbin"), "\x50\xED\x55\xBA\1", 5), IMAGE_TRUNCATED, "5 of 16 bytes");
}

static void ptx_without_terminator(void **state)
{
    struct bytes b = load("a_none.fatbin");
    struct opened o;
    struct span payload;

    (void)state;
    for (size_t i = b.size; i > 0 && !b.data[i - 1]; i--)
        b.data[i - 1] = ' ';
    o = open_bytes(b);
    assert_string_equal(gpudl__image_notes(o.image), "entry 1: PTX has no terminator");
    assert_int_equal(gpudl__image_payload(o.image, 1, &payload, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(payload.size, 2104);
    assert_int_equal(payload.data[payload.size], 0);
    assert_kernel(&o, 1, "shk 0+8 =8");
    close_opened(&o);
}

/* --- cubins --------------------------------------------------------------------------------------------------------------- */

static void elf_header(void **state)
{
    struct bytes b = load("k_90.cubin");

    (void)state;
    b.data[5] = 2;
    assert_refused(b, IMAGE_DAMAGED, "big-endian");
    b = load("k_90.cubin");
    b.data[4] = 1;
    assert_refused(b, IMAGE_NOT_SUPPORTED, "32-bit machine code");
    b = load("k_90.cubin");
    b.data[8] = 9;
    assert_refused(b, IMAGE_NOT_SUPPORTED, "unknown cubin ABI 9");
    assert_refused(patched16("k_90.cubin", 0x10, 3), IMAGE_DAMAGED, "ELF type 3");
    assert_refused(patched16("k_90.cubin", 0x3a, 40), IMAGE_DAMAGED, "section headers of 40 bytes");
    assert_refused(patched64("k_90.cubin", 0x28, 0x9000), IMAGE_TRUNCATED,
        "section table at 0x9000 is outside the file (3440 bytes)");
    assert_refused(patched64("k_90.cubin", 0x28, UINT64_MAX - 8), IMAGE_TRUNCATED, "section table");
    assert_refused(patched64("k_90.cubin", 0x28, 0), IMAGE_DAMAGED, "section table");
    assert_refused(patched16("k_90.cubin", 0x3c, 0xfff0), IMAGE_TRUNCATED, "65520 sections");
    assert_refused(patched16("k_90.cubin", 0x3e, 0x1234), IMAGE_DAMAGED, "section of names is number 4660");
    assert_refused(patched64("k_90.cubin", 0x20, UINT64_MAX), IMAGE_TRUNCATED, "program headers");
}

static void extended_section_count_is_bounded(void **state)
{
    struct bytes b = load("k_90.cubin");
    size_t table = (size_t)span_u64(span_of(b), 0x28), count = span_u16(span_of(b), 0x3c);
    struct opened o;

    (void)state;
    put16(b, 0x3c, 0);
    assert_refused(bytes_of(b.data, b.size), IMAGE_DAMAGED, "0 sections");
    put64(b, table + 0x20, UINT64_MAX);
    assert_refused(bytes_of(b.data, b.size), IMAGE_TRUNCATED, "18446744073709551615 sections");
    put64(b, table + 0x20, count);
    o = open_bytes(b);
    assert_kernel(&o, 0, "k 0+8 =8");
    close_opened(&o);
}

static void assert_kernel_of(struct bytes b, const char *expected)
{
    struct opened o = open_bytes(b);

    assert_int_equal(o.error, IMAGE_OK);
    assert_kernel(&o, 0, expected);
    close_opened(&o);
}

static void assert_kernels_refused(struct bytes b, enum image_error error, const char *part)
{
    struct opened o = open_bytes(b);
    const struct image_kernel *k;
    size_t n;

    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), error);
    assert_contains(o.text, part);
    close_opened(&o);
}

static void symbol_table(void **state)
{
    struct bytes b = load("k_90.cubin");
    uint64_t symtab = section_at(b, ".symtab");

    (void)state;
    free(b.data);
    assert_kernels_refused(patched64("k_90.cubin", symtab + 0x38, 0), IMAGE_DAMAGED, "symbols of 0 bytes");
    assert_kernels_refused(patched32("k_90.cubin", symtab + 0x28, 3), IMAGE_DAMAGED, "not a string table");
    assert_kernels_refused(patched32("k_90.cubin", symtab + 0x2c, 5000), IMAGE_DAMAGED, "5000 local symbols");
    assert_kernels_refused(patched64("k_90.cubin", symtab + 0x18, 1 << 20), IMAGE_TRUNCATED, "outside the file");
    assert_kernels_refused(patched64("k_90.cubin", symtab + 0x20, UINT64_MAX), IMAGE_TRUNCATED, "outside the file");
}

static void kernels_without_a_readable_name_are_nameless(void **state)
{
    struct bytes b = load("k_90.cubin");
    struct span s = span_of(b);
    uint64_t table = section_at(b, ".symtab"), at = span_u64(s, table + 0x18), n = span_u64(s, table + 0x20) / 24;
    const struct image_kernel *k;
    struct opened o;
    size_t count;

    (void)state;
    for (uint64_t i = 0; i < n; i++)
        if (span_u8(s, at + 24 * i + 5) & 0x10)
            put32(b, (size_t)(at + 24 * i), 0x7fffffff);
    o = open_bytes(b);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &count, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(count, 1);
    assert_string_equal(k[0].name, "");
    assert_false(k[0].params_known);
    close_opened(&o);
}

static void damaged_records_leave_parameters_unknown(void **state)
{
    struct bytes b = load("k_90.cubin");
    uint64_t info = section_at(b, ".nv.info.k");
    size_t kparam = record_at(b, ".nv.info.k", 0x17), size = record_at(b, ".nv.info.k", 0x19), cbank = record_at(b,
        ".nv.info.k", 0x0a);

    (void)state;
    free(b.data);
    assert_kernel_of(load("k_90.cubin"), "k 0+8 =8");
    b = load("k_90.cubin");
    b.data[kparam] = 0;
    assert_kernel_of(b, "k ?");
    b = load("k_90.cubin");
    b.data[kparam] = 5;
    assert_kernel_of(b, "k ?");
    assert_kernel_of(patched16("k_90.cubin", kparam + 2, 0xfffc), "k ?");   /* crosses the end */
    assert_kernel_of(patched16("k_90.cubin", kparam + 8, 1), "k ?");        /* ordinal 0 is missing */
    assert_kernel_of(patched16("k_90.cubin", kparam + 8, 0xffff), "k ?");
    assert_kernel_of(patched16("k_90.cubin", kparam + 10, 4), "k ?");       /* ends behind the parameters */
    assert_kernel_of(patched32("k_90.cubin", kparam + 12, 0), "k ?");       /* size 0 */
    assert_kernel_of(patched16("k_90.cubin", size + 2, 16), "k ?");
    assert_kernel_of(patched16("k_90.cubin", cbank + 10, 16), "k ?");
    b = load("k_90.cubin");
    b.data[kparam + 1] = 0x60;                                              /* no record where there are parameters */
    assert_kernel_of(b, "k ?");
    assert_kernel_of(patched32("k_90.cubin", (size_t)info + 0x2c, 1), "k ?");    /* the records of another section */
    assert_kernel_of(patched32("k_90.cubin", (size_t)info + 0x2c, UINT32_MAX), "k ?");
    assert_kernel_of(patched64("k_90.cubin", (size_t)info + 0x18, UINT64_MAX - 1), "k ?");
    assert_kernel_of(patched64("k_90.cubin", (size_t)info + 0x20, 2), "k ?");
}

static void overlapping_parameters_are_not_trusted(void **state)
{
    struct bytes b = load("a_80.cubin");
    uint64_t section = section_at(b, ".nv.info.saxpy");
    size_t at = (size_t)span_u64(span_of(b), section + 0x18);
    struct opened o;

    (void)state;
    while (b.data[at + 1] != 0x17 || span_u16(span_of(b), at + 8) != 2)
        at += 4 + (b.data[at] == 4 ? span_u16(span_of(b), at + 2) : 0);
    put16(b, at + 10, 6);       /* of the pointer at 8, behind the float at 4 */
    o = open_bytes(b);
    assert_kernel(&o, 0, "saxpy ?");
    assert_kernel(&o, 0, "shk 0+8 =8");
    close_opened(&o);
}

static void section_names_outside_their_table(void **state)
{
    struct bytes b = load("k_90.cubin");
    size_t info = (size_t)section_at(b, ".nv.info.k");

    (void)state;
    put32(b, info, 0xfffffff0);
    assert_kernel_of(b, "k ?");
}

/* Every section points to the same bytes: refused, as reading them once a section would take the square of the file's size. */
static void sections_over_each_other_stay_linear(void **state)
{
    struct bytes b = load("k_90.cubin");
    struct span s = span_of(b);
    size_t info = (size_t)section_at(b, ".nv.info.k"), table = (size_t)span_u64(s, 0x28);
    unsigned char header[64];

    (void)state;
    memcpy(header, b.data + info, 64);
    memcpy(header + 0x18, "\0\0\0\0\0\0\0\0", 8);
    for (size_t i = 0; i < 8; i++)
        header[0x20 + i] = (unsigned char)(b.size >> 8 * i);
    for (unsigned i = 1; i < span_u16(s, 0x3c); i++)
        if (i != span_u16(s, 0x3e))
            memcpy(b.data + table + 64u * i, header, 64);
    assert_kernels_refused(b, IMAGE_DAMAGED, "over each other");
}

static void damaged_cubin_in_a_fatbin_spoils_only_itself(void **state)
{
    (void)state;
    assert_first_entry_refused(patched64("a_default.fatbin", PAYLOAD + 0x28, 0x9000), IMAGE_TRUNCATED, "section table at 0x9000");
    assert_first_entry_refused(patched16("a_default.fatbin", PAYLOAD + 0x10, 7), IMAGE_DAMAGED, "ELF type 7");
    assert_first_entry_refused(patched32("a_default.fatbin", PAYLOAD, 0), IMAGE_DAMAGED, "no ELF file");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(container_header),
        cmocka_unit_test(entry_header),
        cmocka_unit_test(sizes_that_contradict_each_other),
        cmocka_unit_test(bombs_are_refused_before_memory_is_taken),
        cmocka_unit_test(limit_is_the_callers),
        cmocka_unit_test(compressed_data),
        cmocka_unit_test(compression_flags),
        cmocka_unit_test(unknown_kinds_are_stepped_over),
        cmocka_unit_test(identifiers_outside_their_header),
        cmocka_unit_test(identifier_without_its_nul),
        cmocka_unit_test(bytes_behind_the_last_fatbin),
        cmocka_unit_test(ptx_without_terminator),
        cmocka_unit_test(elf_header),
        cmocka_unit_test(extended_section_count_is_bounded),
        cmocka_unit_test(symbol_table),
        cmocka_unit_test(kernels_without_a_readable_name_are_nameless),
        cmocka_unit_test(damaged_records_leave_parameters_unknown),
        cmocka_unit_test(overlapping_parameters_are_not_trusted),
        cmocka_unit_test(section_names_outside_their_table),
        cmocka_unit_test(sections_over_each_other_stay_linear),
        cmocka_unit_test(damaged_cubin_in_a_fatbin_spoils_only_itself),
    };

    return RUN(tests);
}
