/* measure.c - how long an image in memory is, for cudaLibraryLoadData(), which takes no size.
 *
 *     fatbin     magic:u32 version:u16 header:u16 size:u64      header + size bytes
 *     wrapper    magic:u32 version:u32 image:pointer ...        what nvcc puts into host programs; the image is elsewhere in memory
 *     ELF        up to the end of its tables and of whatever section or segment lies last
 *     PTX        up to its NUL
 *
 * The headers are believed, as a driver that gets the pointer alone believes them; what they say is looked at again when the image is loaded. */
#include "src/compat/internal.h"

#include <elf.h>
#include <string.h>

#include "src/util/span.h"

#define FATBIN 0xba55ed50u
#define WRAPPER 0x466243b1u
#define LONGEST ((uint64_t)1 << 32) /* an ELF file that says more is damaged */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t elf_size(struct span s)
{
    uint64_t phoff = span_u64(s, offsetof(Elf64_Ehdr, e_phoff)), shoff = span_u64(s, offsetof(Elf64_Ehdr, e_shoff));
    uint64_t phnum = span_u16(s, offsetof(Elf64_Ehdr, e_phnum)), shnum = span_u16(s, offsetof(Elf64_Ehdr, e_shnum));
    uint64_t end = sizeof(Elf64_Ehdr);
    struct span table;

    if (phoff >= LONGEST || shoff >= LONGEST)
        return end;
    if (span_cut(s, phoff, phnum * sizeof(Elf64_Phdr), &table)) {
        end = larger(end, phnum ? phoff + table.size : 0);
        for (size_t i = 0; i < phnum; i++) {
            struct span p = span_from(table, i * sizeof(Elf64_Phdr));
            uint64_t at = span_u64(p, offsetof(Elf64_Phdr, p_offset)), n = span_u64(p, offsetof(Elf64_Phdr, p_filesz));

            end = at < LONGEST && n < LONGEST ? larger(end, at + n) : end;
        }
    }
    if (span_cut(s, shoff, shnum * sizeof(Elf64_Shdr), &table)) {
        end = larger(end, shnum ? shoff + table.size : 0);
        for (size_t i = 0; i < shnum; i++) {
            struct span h = span_from(table, i * sizeof(Elf64_Shdr));
            uint64_t at = span_u64(h, offsetof(Elf64_Shdr, sh_offset)), n = span_u64(h, offsetof(Elf64_Shdr, sh_size));

            if (span_u32(h, offsetof(Elf64_Shdr, sh_type)) != SHT_NOBITS && at < LONGEST && n < LONGEST)
                end = larger(end, at + n);
        }
    }
    return end;
}

static uint64_t fatbin_size(struct span s)
{
    uint64_t header = span_u16(s, 6), size = span_u64(s, 8);

    return header < 16 || size >= LONGEST ? 16 : header + size;
}

/* PTX begins with a comment, a directive, or white space before them. */
static bool may_be_ptx(unsigned char c)
{
    return c == '/' || c == '.' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t gpudl__rt_image_size(const void *code, size_t limit, const void **image)
{
    const unsigned char *p = code;
    struct span s = { code, limit };
    uint64_t size = 0;

    *image = code;
    if (limit && may_be_ptx(p[0]))
        return strnlen(code, limit);
    if (span_u32(s, 0) == WRAPPER && span_holds(s, 8, sizeof(*image))) {
        memcpy(image, p + 8, sizeof(*image));
        s.data = *image;
        return *image && span_u32(s, 0) == FATBIN ? (size_t)fatbin_size(s) : 0;
    }
    if (span_u32(s, 0) == FATBIN)
        size = fatbin_size(s);
    else if (span_holds(s, 0, sizeof(Elf64_Ehdr)) && memcmp(p, ELFMAG, SELFMAG) == 0)
        size = elf_size(s);
    return size > limit ? limit : (size_t)size;
}
