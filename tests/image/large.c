/* A cubin as large as they come: 22,500 kernels in 67,505 sections, which needs ELF's extended numbering of sections. */
#include <elf.h>

#include "tests/image/help.h"

#define KERNELS 22500u
#define FIRST 5u                            /* null, section names, symbol names, symbols, wide section numbers */
#define SECTIONS (FIRST + 3 * KERNELS)
#define RECORDS 28u

struct builder {
    struct bytes file;
    size_t room;
};

static size_t add(struct builder *b, const void *data, size_t n)
{
    size_t at = b->file.size;

    if (n > b->room - at) {
        b->room = 2 * (b->room + n);
        b->file.data = realloc(b->file.data, b->room);
        assert_non_null(b->file.data);
    }
    memcpy(b->file.data + at, data, n);
    b->file.size += n;
    return at;
}

static uint32_t add_name(struct builder *b, size_t table, const char *prefix, unsigned i)
{
    char name[64];
    int n = snprintf(name, sizeof(name), "%sk%u", prefix, i);

    return (uint32_t)(add(b, name, (size_t)n + 1) - table);
}

/* One parameter of 4 bytes at 0, and the sum of them. */
static void add_records(struct builder *b)
{
    static const unsigned char records[RECORDS] = {
        4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x11, 0, 3, 0x19, 4, 0, 3, 0x1b, 0xff, 0, 1, 4, 0, 0,
    };

    add(b, records, sizeof(records));
}

static struct bytes build(void)
{
    static const unsigned char zeros[64];
    Elf64_Ehdr header = {
        .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, 0x41, 8 }, .e_type = ET_EXEC, .e_machine = 190,
        .e_version = 1,
        .e_flags = 0x06004b04, .e_ehsize = 64, .e_shentsize = 64, .e_shnum = 0, .e_shstrndx = 1,
    };
    Elf64_Shdr *s = calloc(SECTIONS, sizeof(*s));
    struct builder b = { { NULL, 0 }, 0 };
    uint32_t wide = 0, code;

    assert_non_null(s);
    add(&b, &header, sizeof(header));
    s[0].sh_size = SECTIONS;
    s[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = add(&b, zeros, 1) };
    for (unsigned i = 0; i < KERNELS; i++) {
        s[FIRST + 3 * i].sh_name = add_name(&b, s[1].sh_offset, ".text.", i);
        s[FIRST + 3 * i + 1].sh_name = add_name(&b, s[1].sh_offset, ".nv.info.", i);
        s[FIRST + 3 * i + 2].sh_name = add_name(&b, s[1].sh_offset, ".nv.constant0.", i);
    }
    s[1].sh_size = b.file.size - s[1].sh_offset;
    s[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = add(&b, zeros, 1) };
    for (unsigned i = 0; i < KERNELS; i++)
        add_name(&b, s[2].sh_offset, "", i);
    s[2].sh_size = b.file.size - s[2].sh_offset;

    s[3] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = b.file.size, .sh_size = 24 * (KERNELS + 1), .sh_entsize = 24,
        .sh_link = 2, .sh_info = 1 };
    add(&b, zeros, 24);
    for (unsigned i = 0, name = 1; i < KERNELS; i++) {
        Elf64_Sym symbol = { .st_name = name, .st_info = STT_FUNC | STB_GLOBAL << 4, .st_other = 0x10 };

        code = FIRST + 3 * i;
        symbol.st_shndx = code < SHN_LORESERVE ? (uint16_t)code : SHN_XINDEX;
        add(&b, &symbol, sizeof(symbol));
        name += (uint32_t)strlen((char *)b.file.data + s[2].sh_offset + name) + 1;
    }
    s[4] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB_SHNDX, .sh_offset = add(&b, &wide, 4), .sh_size = 4 * (KERNELS + 1),
        .sh_link = 3 };
    for (unsigned i = 0; i < KERNELS; i++) {
        code = FIRST + 3 * i;
        wide = code < SHN_LORESERVE ? 0 : code;
        add(&b, &wide, 4);
    }
    for (unsigned i = 0; i < KERNELS; i++) {
        Elf64_Shdr *k = &s[FIRST + 3 * i];

        k[0].sh_type = k[2].sh_type = SHT_PROGBITS;
        k[0].sh_offset = k[2].sh_offset = b.file.size;
        k[1].sh_type = 0x70000000;
        k[1].sh_offset = b.file.size;
        k[1].sh_size = RECORDS;
        k[1].sh_info = FIRST + 3 * i;
        add_records(&b);
    }
    put64(b.file, 0x28, add(&b, s, SECTIONS * sizeof(*s)));
    free(s);
    return b.file;
}

static void every_kernel_is_found(void **state)
{
    struct opened o = open_bytes(build());
    const struct image_details *d;
    const struct image_kernel *k;
    char expected[64];
    size_t n;

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(n, KERNELS);
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(expected, sizeof(expected), "k%u", i);
        assert_string_equal(k[i].name, expected);
        assert_true(k[i].params_known);
        assert_int_equal(k[i].nparams, 1);
        assert_int_equal(k[i].params[0].size, 4);
        assert_int_equal(k[i].param_bytes, 4);
    }
    assert_int_equal(gpudl__image_details(o.image, 0, &d, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(d->nkernels, KERNELS);
    assert_string_equal(d->kernels[KERNELS - 1].problem, "the number of its registers is missing");
    close_opened(&o);
}

static void ptx_with_as_many_kernels(void **state)
{
    char *text = malloc(64 * (size_t)KERNELS + 64);
    size_t at = (size_t)sprintf(text, ".version 9.0\n.target sm_75\n");
    struct opened o;

    (void)state;
    for (unsigned i = 0; i < KERNELS; i++)
        at += (size_t)sprintf(text + at, ".visible .entry k%u(.param .u32 a){ret;}\n", i);
    o = open_bytes(bytes_of(text, at));
    free(text);
    assert_int_equal(count_kernels(&o, 0), KERNELS);
    assert_kernel(&o, 0, "k22499 0+4 =4");
    close_opened(&o);
}

/* Bounded however many there are: 100,000 containers of one small entry each. */
static void too_many_entries_are_refused(void **state)
{
    unsigned char container[16 + 64] = { 0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0, 64 };
    struct bytes b = { malloc(100000 * sizeof(container)), 100000 * sizeof(container) };

    (void)state;
    container[16 + 0] = 0x80;
    container[16 + 4] = 64;
    for (size_t i = 0; i < 100000; i++)
        memcpy(b.data + i * sizeof(container), container, sizeof(container));
    assert_refused(b, IMAGE_LIMIT, "more than 65536 entries");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_found),
        cmocka_unit_test(ptx_with_as_many_kernels),
        cmocka_unit_test(too_many_entries_are_refused),
    };

    return RUN(tests);
}
