/* Fatbins inside of host files and archives: where they lie, what is told of them, and what of files that are wrong. */
#include "tests/image/help.h"

#include <elf.h>

static void assert_container(struct opened *o, size_t i, const char *member, const char *section, size_t entries,
    unsigned wrapper)
{
    const struct image_container *c = gpudl__image_container(o->image, i);

    assert_true(i < gpudl__image_container_count(o->image));
    assert_string_equal(c->member ? c->member : "-", member);
    assert_string_equal(c->section ? c->section : "-", section);
    assert_int_equal(c->count, entries);
    assert_int_equal(c->wrapper, wrapper);
    assert_true(c->offset + c->size <= o->bytes.size);
    if (c->format == IMAGE_FATBIN)
        assert_memory_equal(o->bytes.data + c->offset, "\x50\xED\x55\xBA", 4);
    for (size_t j = 0; j < entries; j++)
        assert_int_equal(gpudl__image_entry(o->image, c->first + j)->container, i);
}

static void objects(void **state)
{
    struct opened o = inspect_file("h.o");

    (void)state;
    assert_int_equal(gpudl__image_format(o.image), IMAGE_HOST_ELF);
    assert_int_equal(gpudl__image_container_count(o.image), 1);
    assert_container(&o, 0, "-", ".nv_fatbin", 2, 0);       /* the pointer in the wrapper is a relocation yet */
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    assert_kernel(&o, 1, "_Z2hkPi 0+8 =8");
    assert_global(&o, 0, "hg", 4, false, false);
    assert_string_equal(gpudl__image_notes(o.image), "");
    close_opened(&o);
}

/* A link leaves an empty cubin behind, which is no code for its architecture. */
static void linked_files_carry_a_stub(void **state)
{
    static const char *const files[] = { "h.exe", "libh.so" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct opened o = inspect_file(files[i]);

        assert_int_equal(gpudl__image_container_count(o.image), 2);
        assert_container(&o, 0, "-", ".nv_fatbin", 1, 2);
        assert_container(&o, 1, "-", ".nv_fatbin", 2, 1);
        assert_true(gpudl__image_entry(o.image, 0)->no_code);
        assert_false(gpudl__image_entry(o.image, 1)->no_code);
        assert_kernel(&o, 1, "_Z2hkPi 0+8 =8");
        assert_kernel(&o, 2, "_Z2hkPi 0+8 =8");
        close_opened(&o);
    }
}

static void separately_compiled_files_keep_their_parts(void **state)
{
    const struct image_target gpu = { .sm = 90, .ptx_version = 90, .machine_code = true }, newer = { .sm = 100,
        .machine_code = true };
    struct opened o = inspect_file("hr.exe");

    (void)state;
    assert_container(&o, 0, "-", ".nv_fatbin", 1, 2);
    assert_container(&o, 1, "-", "__nv_relfatbin", 2, 1);
    assert_false(gpudl__image_container(o.image, 0)->linked);
    assert_true(gpudl__image_container(o.image, 1)->linked);
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    assert_kernel(&o, 1, "_Z2hkPi 0+8 =8");
    assert_false(gpudl__image_entry(o.image, 0)->relocatable);
    assert_true(gpudl__image_entry(o.image, 1)->relocatable);
    assert_true(gpudl__image_entry(o.image, 2)->relocatable);
    assert_int_equal(gpudl__image_choose(o.image, &gpu, NULL, NULL, 0), 0);
    assert_int_equal(gpudl__image_choose(o.image, &newer, NULL, NULL, 0), -1);      /* that PTX is there to be linked */
    close_opened(&o);
}

static void lld_leaves_no_pointer(void **state)
{
    struct opened o = inspect_file("h_lld.exe");

    (void)state;
    assert_container(&o, 0, "-", ".nv_fatbin", 2, 0);
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    close_opened(&o);
}

static void section_headers_may_be_gone(void **state)
{
    static const char *const files[] = { "h.exe", "hr.exe", "h_lld.exe", "h.o" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct opened whole = inspect_file(files[i]), o;
        struct bytes b = bytes_of(whole.bytes.data, whole.bytes.size);

        put64(b, 0x28, 0);
        put16(b, 0x3c, 0);
        put16(b, 0x3e, 0);
        o = inspect_bytes(b);
        assert_int_equal(o.error, IMAGE_OK);
        assert_int_equal(gpudl__image_count(o.image), gpudl__image_count(whole.image));
        for (size_t c = 0; c < gpudl__image_container_count(whole.image); c++) {
            assert_string_equal(gpudl__image_container(o.image, c)->section, "");
            assert_int_equal(gpudl__image_container(o.image, c)->offset, gpudl__image_container(whole.image, c)->offset);
            assert_int_equal(gpudl__image_container(o.image, c)->size, gpudl__image_container(whole.image, c)->size);
        }
        assert_string_equal(gpudl__image_notes(o.image), "");
        close_opened(&whole);
        close_opened(&o);
    }
}

/* The header of .nv_fatbin in a file; its index is looked for by its size of entries and its magic. */
static size_t header_of_fatbins(struct bytes b)
{
    size_t at = span_u64(span_of(b), 0x28), n = span_u16(span_of(b), 0x3c);

    for (size_t i = 0; i < n; i++) {
        uint64_t offset = span_u64(span_of(b), at + 64 * i + 0x18);

        if (span_u32(span_of(b), at + 64 * i + 4) == SHT_PROGBITS && span_is(span_of(b), offset, "\x50\xED\x55\xBA", 4))
            return at + 64 * i;
    }
    fail_msg("no section of fatbins");
    return 0;
}

static void sections_that_are_not_all_there(void **state)
{
    struct bytes b = load("h.exe");
    enum image_error error;
    struct opened o;

    (void)state;
    put64(b, header_of_fatbins(b) + 0x20, 1 << 20);
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    assert_contains(gpudl__image_damage(o.image, &error), "section .nv_fatbin at 0x2010, 1048576 bytes, ends outside the file");
    assert_int_equal(error, IMAGE_TRUNCATED);
    assert_int_equal(gpudl__image_count(o.image), 3);
    close_opened(&o);

    b = load("h.exe");
    put64(b, header_of_fatbins(b) + 0x18, 1 << 20);
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_TRUNCATED);
    assert_contains(o.text, "ends outside the file");
    close_opened(&o);
}

/* One fatbin of a section is damaged: the others are read. */
static void damage_in_one_fatbin(void **state)
{
    struct bytes b = load("h.exe");
    struct opened o;
    size_t skipped;
    char note[80];

    (void)state;
    put32(b, 0x2010 + 16 + 4, 8);       /* the size of the first entry's header */
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    assert_string_equal(gpudl__image_damage(o.image, NULL), ".nv_fatbin: fatbin: entry 0 at 0x2020: header size 8 is below 64");
    assert_int_equal(gpudl__image_container_count(o.image), 2);
    assert_int_equal(gpudl__image_count(o.image), 2);
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    close_opened(&o);

    b = load("h.exe");
    skipped = 16 + (size_t)span_u64(span_of(b), 0x2010 + 8);    /* compressed: its size is another one in each build */
    put32(b, 0x2010, 0);                                        /* its magic: the walk goes on where the next one is */
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_container_count(o.image), 1);
    snprintf(note, sizeof(note), "%zu bytes at 0x2010 between two fatbins skipped", skipped);
    assert_contains(gpudl__image_notes(o.image), note);
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    close_opened(&o);
}

static void host_files_without_code(void **state)
{
    Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 }, .e_type = ET_DYN, .e_machine = EM_X86_64 };
    struct opened o = inspect_bytes(bytes_of(&h, sizeof(h)));

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_count(o.image), 0);
    assert_string_equal(gpudl__image_notes(o.image), "no CUDA code in this ELF file");
    close_opened(&o);
    h.e_ident[EI_CLASS] = ELFCLASS32;
    o = inspect_bytes(bytes_of(&h, sizeof(h)));
    assert_int_equal(o.error, IMAGE_NOT_SUPPORTED);
    assert_contains(o.text, "32-bit ELF file");
    close_opened(&o);
    o = inspect_bytes(bytes_of(&h, 40));
    assert_int_equal(o.error, IMAGE_TRUNCATED);
    close_opened(&o);
}

static void archives(void **state)
{
    struct opened o = inspect_file("libh.a");

    (void)state;
    assert_int_equal(gpudl__image_format(o.image), IMAGE_ARCHIVE);
    assert_container(&o, 0, "h.o", ".nv_fatbin", 2, 0);
    assert_container(&o, 1, "hr.o", "__nv_relfatbin", 2, 0);
    assert_false(gpudl__image_container(o.image, 1)->linked);
    for (size_t i = 0; i < 4; i++)
        assert_kernel(&o, i, "_Z2hkPi 0+8 =8");
    assert_true(gpudl__image_entry(o.image, 2)->relocatable);
    close_opened(&o);

    o = inspect_file("libk.a");
    assert_container(&o, 0, "k_75.cubin", "-", 1, 0);
    assert_container(&o, 1, "k_90.cubin", "-", 1, 0);
    assert_container(&o, 2, "k_90.ptx", "-", 1, 0);
    assert_container(&o, 3, "names.ptx", "-", 1, 0);
    for (size_t i = 0; i < 3; i++)
        assert_kernel(&o, i, "k 0+8 =8");
    assert_int_equal(gpudl__image_container(o.image, 2)->format, IMAGE_PTX);
    close_opened(&o);
}

static struct bytes member(struct bytes archive, const char *name, const void *data, size_t size)
{
    char header[64];

    snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name, "0", "0", "0", "644", size);
    archive = join(archive, header, 60);
    archive = join(archive, data, size);
    return size % 2 ? join(archive, "\n", 1) : archive;
}

/* Names as BSD and GNU write them: in front of the data, and in a member of their own. */
static void names_of_members(void **state)
{
    static const char long_names[] = "a_name_that_is_longer_than_fifteen.ptx/\nanother_name_of_that_kind.ptx/\n";
    static const char ptx[] = ".version 9.0 .target sm_90 .entry k(){ret;}\n";
    struct bytes b = bytes_of("!<arch>\n", 8);
    char bsd[sizeof(ptx) + 20] = "bsd name.ptx\0\0\0\0\0\0\0\0";
    struct opened o;

    (void)state;
    memcpy(bsd + 20, ptx, sizeof(ptx));
    b = member(b, "/", "\0\0\0\0", 4);
    b = member(b, "//", long_names, sizeof(long_names) - 1);
    b = member(b, "/0", ptx, sizeof(ptx));
    b = member(b, "/40", ptx, sizeof(ptx));
    b = member(b, "#1/20", bsd, sizeof(bsd));
    b = member(b, "readme.txt/", "hello", 5);
    b = member(b, "short.ptx/", ptx, sizeof(ptx));
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_count(o.image), 4);
    assert_container(&o, 0, "a_name_that_is_longer_than_fifteen.ptx", "-", 1, 0);
    assert_container(&o, 1, "another_name_of_that_kind.ptx", "-", 1, 0);
    assert_container(&o, 2, "bsd name.ptx", "-", 1, 0);
    assert_container(&o, 3, "short.ptx", "-", 1, 0);
    assert_string_equal(gpudl__image_damage(o.image, NULL), "");
    for (size_t i = 0; i < 4; i++)
        assert_kernel(&o, i, "k =0");
    close_opened(&o);
}

static void archives_that_are_wrong(void **state)
{
    static const char ptx[] = ".version 9.0 .target sm_90 .entry k(){ret;}\n";
    enum image_error error;
    struct opened o;
    struct bytes b;

    (void)state;
    b = member(bytes_of("!<arch>\n", 8), "x.ptx/", ptx, sizeof(ptx));
    b = join(b, "no header of a member, though it is as long as one should be....", 60);
    o = inspect_bytes(b);
    assert_int_equal(gpudl__image_count(o.image), 1);
    assert_contains(gpudl__image_damage(o.image, &error), "archive: no header of a member at 0x");
    assert_int_equal(error, IMAGE_DAMAGED);
    close_opened(&o);

    b = load("libk.a");
    b.size -= 20;                               /* within the last member */
    o = inspect_bytes(bytes_of(b.data, b.size));
    free(b.data);
    assert_contains(gpudl__image_damage(o.image, &error), "archive member 'names.ptx' is truncated");
    assert_int_equal(error, IMAGE_TRUNCATED);
    close_opened(&o);

    b = member(bytes_of("!<arch>\n", 8), "#1/4000", ptx, sizeof(ptx));
    o = inspect_bytes(b);
    assert_int_equal(o.error, IMAGE_DAMAGED);
    assert_contains(o.text, "the name of the member at 0x8 is longer than it");
    close_opened(&o);

    b = member(bytes_of("!<arch>\n", 8), "inner.a/", "!<arch>\n", 8);
    o = inspect_bytes(b);
    assert_int_equal(gpudl__image_count(o.image), 0);
    assert_contains(gpudl__image_notes(o.image), "archive member 'inner.a': an archive inside of an archive");
    close_opened(&o);

    o = inspect_bytes(bytes_of("!<arch>\n", 8));
    assert_string_equal(gpudl__image_notes(o.image), "no CUDA code in this archive");
    close_opened(&o);
}

static void thin_archives_name_their_members(void **state)
{
    struct opened o = inspect_bytes(load("thin.a"));

    (void)state;
    assert_int_equal(o.error, IMAGE_NOT_SUPPORTED);
    assert_contains(o.text, "thin archive");
    assert_contains(o.text, ": 'h.o'");
    close_opened(&o);
}

/* What a loader takes is one image; these hold many. */
static void loading_them_is_refused(void **state)
{
    (void)state;
    assert_refused(load("h.exe"), IMAGE_NOT_SUPPORTED, "a program or shared object for the host (ELF, x86-64)");
    assert_refused(load("h.exe"), IMAGE_NOT_SUPPORTED, "gpudl extract");
    assert_refused(load("libh.a"), IMAGE_NOT_SUPPORTED, "an archive of host objects");
}

static void limits_hold_for_the_whole_file(void **state)
{
    const struct image_limits two = { .entries = 2 }, little = { .total_bytes = 3000 };
    struct bytes b = load("h.exe");
    struct image *im = NULL;
    enum image_error error;
    struct span payload;
    char text[256];

    (void)state;
    assert_int_equal(gpudl__image_inspect(span_of(b), &two, &im, text, sizeof(text)), IMAGE_OK);
    assert_int_equal(gpudl__image_count(im), 2);
    assert_contains(gpudl__image_damage(im, &error), "more than 2 entries");
    assert_int_equal(error, IMAGE_LIMIT);
    gpudl__image_close(im);
    free(b.data);

    b = load("a_size.fatbin");          /* 7064 and 2100 bytes */
    assert_int_equal(gpudl__image_inspect(span_of(b), &little, &im, text, sizeof(text)), IMAGE_OK);
    assert_int_equal(gpudl__image_payload(im, 1, &payload, text, sizeof(text)), IMAGE_OK);
    gpudl__image_forget(im, 1);
    assert_int_equal(gpudl__image_payload(im, 1, &payload, text, sizeof(text)), IMAGE_LIMIT);
    assert_contains(text, "claims 2100 bytes uncompressed, and 2100 of the 3000 that are allowed in all are used");
    gpudl__image_close(im);
    free(b.data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects),
        cmocka_unit_test(linked_files_carry_a_stub),
        cmocka_unit_test(separately_compiled_files_keep_their_parts),
        cmocka_unit_test(lld_leaves_no_pointer),
        cmocka_unit_test(section_headers_may_be_gone),
        cmocka_unit_test(sections_that_are_not_all_there),
        cmocka_unit_test(damage_in_one_fatbin),
        cmocka_unit_test(host_files_without_code),
        cmocka_unit_test(archives),
        cmocka_unit_test(names_of_members),
        cmocka_unit_test(archives_that_are_wrong),
        cmocka_unit_test(thin_archives_name_their_members),
        cmocka_unit_test(loading_them_is_refused),
        cmocka_unit_test(limits_hold_for_the_whole_file),
    };

    return RUN(tests);
}
