/* cubin.c - the header and the section table of a cubin, an ELF file for machine 190.
 *
 * EI_ABIVERSION (byte 8) tells how to read e_flags:
 *     7 (CUDA 11 and 12)  bits 0-7 the architecture, bit 11 the suffix 'a'
 *     8 (CUDA 13)         bits 8-15 the architecture; the suffix is attribute 9 of the section .nv.compat
 * Neither tells 'f': such a cubin equals the one without suffix. */
#include "src/image/internal.h"

#include <elf.h>

#define SECTION_HEADER 64u
#define PROGRAM_HEADER 56u
#define SHT_NV_COMPAT 0x70000086u
#define COMPAT_SUFFIX 9
#define ABI7_SUFFIX_A 0x800u
#define NOTE_CUINFO 1000u
#define TOOLKIT_MOST 999u

/* Types without bytes in the file; the last two are zero-initialised globals and shared variables of relocatable cubins. */
static bool has_bytes(uint32_t type)
{
    return type != SHT_NOBITS && type != 0x70000007u && type != 0x7000000au;
}

struct section gpudl__cubin_section(const struct cubin *c, uint32_t index)
{
    struct span h;

    if (index >= c->nsections || !span_cut(c->bytes, c->sections_at + (uint64_t)index * SECTION_HEADER, SECTION_HEADER, &h))
        return (struct section){ 0 };
    return (struct section){
        .name = span_u32(h, 0x00), .type = span_u32(h, 0x04), .offset = span_u64(h, 0x18), .size = span_u64(h, 0x20),
        .link = span_u32(h, 0x28), .info = span_u32(h, 0x2c), .entry_size = span_u64(h, 0x38),
    };
}

struct span gpudl__cubin_header(const struct cubin *c, uint32_t index)
{
    struct span h = { 0 };

    if (index < c->nsections)
        span_cut(c->bytes, c->sections_at + (uint64_t)index * SECTION_HEADER, SECTION_HEADER, &h);
    return h;
}

struct span gpudl__cubin_bytes(const struct cubin *c, struct section s)
{
    struct span bytes = { 0 };

    if (has_bytes(s.type))
        span_cut(c->bytes, s.offset, s.size, &bytes);
    return bytes;
}

static enum image_error read_arch(struct span b, struct cubin *c, struct text *t)
{
    uint32_t flags = c->is_64bit ? span_u32(b, 0x30) : span_u32(b, 0x24);

    if (c->abi == 8) {
        c->sm = flags >> 8 & 0xff;
    } else if (c->abi == 7) {
        c->sm = flags & 0xff;
        c->suffix = flags & ABI7_SUFFIX_A ? 'a' : 0;
    } else {
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "cubin: unknown cubin ABI %u (7 and 8 are known), made by a newer toolkit than this "
            "library knows: update it, or compile with CUDA 13", c->abi);
    }
    return IMAGE_OK;
}

static enum image_error check_ident(struct span b, struct cubin *c, struct text *t)
{
    unsigned type = span_u16(b, 0x10);

    if (b.size < 64)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "cubin: truncated header (%zu of 64 bytes)", b.size);
    if (!span_is(b, 0, ELFMAG, SELFMAG) || span_u16(b, 0x12) != EM_CUDA_CUBIN)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: is no ELF file for machine %u, as code for NVIDIA GPUs is",
            EM_CUDA_CUBIN);
    if (span_u8(b, EI_DATA) != ELFDATA2LSB)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: a big-endian ELF is not a CUDA image");
    c->is_64bit = span_u8(b, EI_CLASS) == ELFCLASS64;
    c->abi = span_u8(b, EI_ABIVERSION);
    c->relocatable = type == ET_REL;
    if (type != ET_REL && type != ET_EXEC)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: ELF type %u is neither executable (2) nor relocatable (1)", type);
    return IMAGE_OK;
}

/* More than 65,279 sections: the count is the size of section 0, the index of the names its link. */
static enum image_error find_sections(struct span b, struct cubin *c, struct text *t)
{
    uint64_t at = span_u64(b, 0x28), count = span_u16(b, 0x3c), most;
    unsigned header_size = span_u16(b, 0x3a);
    uint32_t names = span_u16(b, 0x3e);

    if (header_size != SECTION_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: section headers of %u bytes, 64 are expected", header_size);
    if (!at || !span_holds(b, at, SECTION_HEADER))
        return gpudl__image_fail(t, at ? IMAGE_TRUNCATED : IMAGE_DAMAGED,
            "cubin: section table at 0x%llx is outside the file (%zu bytes)",
            (unsigned long long)at, b.size);
    most = (b.size - at) / SECTION_HEADER;
    c->sections_at = at;
    c->nsections = 1;
    if (!count)
        count = gpudl__cubin_section(c, 0).size;
    if (names == SHN_XINDEX)
        names = gpudl__cubin_section(c, 0).link;
    if (!count || count > most)
        return gpudl__image_fail(t, count ? IMAGE_TRUNCATED : IMAGE_DAMAGED,
            "cubin: %llu sections at 0x%llx, room for %llu in the file (%zu bytes)",
            (unsigned long long)count, (unsigned long long)at, (unsigned long long)most, b.size);
    if (count > UINT32_MAX || names >= count)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: the section of names is number %u of %llu", names,
            (unsigned long long)count);
    c->nsections = (uint32_t)count;
    c->section_names = gpudl__cubin_bytes(c, gpudl__cubin_section(c, names));
    return IMAGE_OK;
}

/* The program headers are the last thing in a cubin: without this a cut through them would not be seen. */
static enum image_error check_segments(struct span b, struct text *t)
{
    uint64_t at = span_u64(b, 0x20), size = (uint64_t)span_u16(b, 0x36) * span_u16(b, 0x38);

    if (size && !span_holds(b, at, size))
        return gpudl__image_fail(t, IMAGE_TRUNCATED,
            "cubin: program headers at 0x%llx, %llu bytes, end outside the file (%zu bytes)",
            (unsigned long long)at, (unsigned long long)size, b.size);
    return IMAGE_OK;
}

static char read_suffix(const struct cubin *c)
{
    struct info_record r;
    struct span records;
    bool damaged;

    for (uint32_t i = 1; i < c->nsections; i++) {
        struct section s = gpudl__cubin_section(c, i);

        if (s.type != SHT_NV_COMPAT)
            continue;
        records = gpudl__cubin_bytes(c, s);
        while (gpudl__info_next(&records, &r, &damaged))
            if (r.attribute == COMPAT_SUFFIX)
                return r.value == 1 ? 'a' : 0;
        return 0;
    }
    return 0;
}

enum image_error gpudl__cubin_open(struct span bytes, struct cubin *out, struct text *t)
{
    enum image_error error;

    *out = (struct cubin){ .bytes = bytes };
    error = check_ident(bytes, out, t);
    if (!error)
        error = read_arch(bytes, out, t);
    if (error)
        return error;
    if (!out->is_64bit)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "cubin: 32-bit machine code for sm_%u (CUDA 11 or older), which no 64-bit driver runs: "
            "compile it for 64 bits", out->sm);
    error = find_sections(bytes, out, t);
    if (!error)
        error = check_segments(bytes, t);
    if (!error && out->abi == 8 && out->sm >= 90)
        out->suffix = read_suffix(out);
    return error;
}

/* What a reader that goes by the ELF file alone takes for its end. */
uint64_t gpudl__cubin_extent(const struct cubin *c)
{
    uint64_t end = c->sections_at + (uint64_t)c->nsections * SECTION_HEADER, at;

    at = span_u64(c->bytes, 0x20) + (uint64_t)span_u16(c->bytes, 0x36) * span_u16(c->bytes, 0x38);
    if (at > end && at <= c->bytes.size)
        end = at;
    for (uint32_t i = 0; i < c->nsections; i++) {
        struct section s = gpudl__cubin_section(c, i);

        if (gpudl__cubin_bytes(c, s).size && s.offset + s.size > end)
            end = s.offset + s.size;
    }
    return end;
}

/* ABI 7 keeps both in the ELF header, ABI 8 in a note: name_size:u32 size:u32 type:u32 name[12] version:u16 virtual_sm:u16
 * toolkit:u16. The index of the note's section is the highest byte of e_flags. */
void gpudl__cubin_origin(const struct cubin *c, unsigned *toolkit, unsigned *virtual_sm)
{
    uint32_t flags = span_u32(c->bytes, 0x30);
    struct span note;

    *toolkit = *virtual_sm = 0;
    if (c->abi == 7 && c->is_64bit) {
        *toolkit = span_u32(c->bytes, 0x14);
        *virtual_sm = flags >> 16 & 0xff;
    } else if (c->abi == 8) {
        note = gpudl__cubin_bytes(c, gpudl__cubin_section(c, flags >> 24));
        if (span_u32(note, 0) != 12 || span_u32(note, 4) < 8 || span_u32(note, 8) != NOTE_CUINFO)
            return;
        *virtual_sm = span_u16(note, 0x1a);
        *toolkit = span_u16(note, 0x1c);
    }
    if (*toolkit > TOOLKIT_MOST)
        *toolkit = 0;       /* another field than it was taken for */
}

void gpudl__cubin_describe(const struct cubin *c, struct image_entry *info)
{
    info->payload_sm = c->sm;
    info->payload_suffix = c->suffix;
    info->abi = c->abi;
    if (!c->sm)
        return;
    info->relocatable = c->relocatable;
    info->is_64bit = c->is_64bit;
    gpudl__cubin_origin(c, &info->toolkit, &info->virtual_sm);
}
