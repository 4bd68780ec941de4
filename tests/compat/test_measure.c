/* How long an image in memory is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "src/compat/internal.h"

static size_t measured(const void *bytes, size_t limit)
{
    const void *image = NULL;
    size_t size = gpudl__rt_image_size(bytes, limit, &image);

    assert_ptr_equal(image, bytes);
    return size;
}

static void ptx_ends_at_its_nul(void **state)
{
    (void)state;
    assert_int_equal(measured(".version 7.0\n", 100), 13);
    assert_int_equal(measured("\n// PTX", 100), 7);
    assert_int_equal(measured(".version 7.0\n", 5), 5);
    assert_int_equal(measured("neither", 100), 0);
    assert_int_equal(measured("", 0), 0);
}

static void a_fatbin_says_its_size(void **state)
{
    static const unsigned char fatbin[16] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0x34, 0x12 };

    (void)state;
    assert_int_equal(measured(fatbin, 100000), 0x1234 + 16);
    assert_int_equal(measured(fatbin, 16), 16);
    assert_int_equal(measured(fatbin, 3), 0);
}

static void nvccs_wrapper_leads_to_its_fatbin(void **state)
{
    static const unsigned char fatbin[16] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 8 };
    struct {
        uint32_t magic, version;
        const void *data, *name;
    } wrapper = { 0x466243b1, 1, fatbin, NULL };
    const void *image;

    (void)state;
    assert_int_equal(gpudl__rt_image_size(&wrapper, 1000, &image), 24);
    assert_ptr_equal(image, fatbin);
    wrapper.data = NULL;
    assert_int_equal(gpudl__rt_image_size(&wrapper, 1000, &image), 0);
}

static void an_elf_ends_with_what_lies_last(void **state)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[3];
    } elf = { .header = { .e_ident = ELFMAG, .e_shoff = sizeof(Elf64_Ehdr), .e_shnum = 3 } };

    (void)state;
    assert_int_equal(measured(&elf, sizeof(elf)), sizeof(elf));
    elf.sections[1] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_offset = 5000, .sh_size = 24 };
    elf.sections[2] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_offset = 5000, .sh_size = 100000 };
    assert_int_equal(measured(&elf, 1 << 20), 5024);
    elf.sections[1].sh_size = UINT64_MAX; /* damaged: what is left to go by */
    assert_int_equal(measured(&elf, 1 << 20), sizeof(elf));
    elf.header.e_shoff = UINT64_MAX - 8;
    assert_int_equal(measured(&elf, 1 << 20), sizeof(Elf64_Ehdr));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_ends_at_its_nul),
        cmocka_unit_test(a_fatbin_says_its_size),
        cmocka_unit_test(nvccs_wrapper_leads_to_its_fatbin),
        cmocka_unit_test(an_elf_ends_with_what_lies_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
