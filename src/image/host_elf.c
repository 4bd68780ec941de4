/* host_elf.c - fatbins in an ELF file for the host: an object, an executable, a shared library.
 *
 * .nv_fatbin holds a program's own fatbins and __nv_relfatbin those that are to be linked, one behind the other. Each may have a
 * wrapper in .nvFatBinSegment (magic:u32 version:u32 data:address names:address), whose pointer only a dynamic relocation holds
 * in objects and in what lld links: so the data is walked, and the wrappers only tell what device linking made (version 2).
 *
 * Only headers are touched. Where the section headers are gone the whole file is searched for fatbins. */
#include "src/image/internal.h"

#include <elf.h>

#define HEADER 64u
#define SECTION_HEADER 64u
#define WRAPPER 24u
#define WRAPPER_MAGIC 0x466243b1u
#define REGIONS_MOST 64

/* A section of fatbins, and the containers that were found in it. */
struct region {
    uint64_t address, offset, size;
    size_t first, n;
};

struct host {
    struct image *im;
    struct span bytes, names;
    uint64_t sections_at;
    size_t nsections;
    const char *member;
    struct region regions[REGIONS_MOST];
    size_t nregions;
    bool offload;               /* .llvm.offloading is there, which is not read */
};

struct host_section {
    uint32_t type;
    uint64_t flags, address, offset, size;
    const char *name;
};

static struct host_section section_at(const struct host *h, size_t i)
{
    struct host_section s = { .name = "" };
    struct span b;

    if (!span_cut(h->bytes, h->sections_at + i * SECTION_HEADER, SECTION_HEADER, &b))
        return s;
    s = (struct host_section){
        .type = span_u32(b, 0x04), .flags = span_u64(b, 0x08), .address = span_u64(b, 0x10), .offset = span_u64(b, 0x18),
        .size = span_u64(b, 0x20), .name = span_string(h->names, span_u32(b, 0), 64, NULL),
    };
    if (!s.name)
        s.name = "";
    return s;
}

/* False: there are none that can be read. Above 65,279 of them section 0 has the count (its size) and the index of the names (its
 * link). */
static bool find_sections(struct host *h)
{
    uint64_t at = span_u64(h->bytes, 0x28), count = span_u16(h->bytes, 0x3c);
    uint32_t names = span_u16(h->bytes, 0x3e);
    struct span zero, header = { 0 };

    if (!at || span_u16(h->bytes, 0x3a) != SECTION_HEADER || !span_cut(h->bytes, at, SECTION_HEADER, &zero))
        return false;
    if (!count)
        count = span_u64(zero, 0x20);
    if (names == SHN_XINDEX)
        names = span_u32(zero, 0x28);
    if (!count || count > (h->bytes.size - at) / SECTION_HEADER || names >= count)
        return false;
    span_cut(h->bytes, at + (uint64_t)names * SECTION_HEADER, SECTION_HEADER, &header);
    if (!span_cut(h->bytes, span_u64(header, 0x18), span_u64(header, 0x20), &h->names) || !h->names.size)
        return false;
    h->sections_at = at;
    h->nsections = (size_t)count;
    return true;
}

static const char *fatbin_section(const char *name)
{
    static const char *const names[] = { ".nv_fatbin", "__nv_relfatbin" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return names[i];
    return NULL;
}

static enum image_error cut_off(struct host *h, struct host_section s)
{
    char text[200];
    struct text t = gpudl__text_init(text, sizeof(text));

    gpudl__text_add(&t, "section %s at 0x%llx, %llu bytes, ends outside the file (%zu bytes)", s.name,
        (unsigned long long)s.offset,
        (unsigned long long)s.size, h->bytes.size);
    gpudl__image_damaged(h->im, IMAGE_TRUNCATED, text);
    return IMAGE_OK;
}

static enum image_error read_section(struct host *h, struct host_section s, const char *name, struct text *t)
{
    struct region r = { s.address, s.offset, s.size, h->im->ncontainers, 0 };
    enum image_error error;
    struct span part;

    if (s.type == SHT_NOBITS)
        return IMAGE_OK;
    if (s.flags & SHF_COMPRESSED) {
        gpudl__image_note(h->im, "section %s is compressed, which is not read here", name);
        return IMAGE_OK;
    }
    if (s.offset > h->bytes.size)
        return cut_off(h, s);
    part = span_from(h->bytes, s.offset);
    if (s.size > part.size)
        cut_off(h, s);
    else
        part.size = (size_t)s.size;
    error = gpudl__fatbin_add(h->im, part, h->member, name, t);
    r.n = h->im->ncontainers - r.first;
    for (size_t i = r.first; i < h->im->ncontainers; i++)
        h->im->containers[i].linked = strcmp(name, "__nv_relfatbin") == 0 && span_u16(h->bytes, 0x10) != ET_REL;
    if (h->nregions < REGIONS_MOST)
        h->regions[h->nregions++] = r;
    return error;
}

/* Containers of a region lie in the order of their offsets. */
static struct image_container *container_at(struct host *h, uint64_t address)
{
    size_t base = (size_t)(h->bytes.data - h->im->bytes.data);

    for (size_t i = 0; i < h->nregions; i++) {
        const struct region *r = &h->regions[i];
        size_t low = r->first, high = r->first + r->n;
        uint64_t offset;

        if (address < r->address || address - r->address >= r->size)
            continue;
        offset = base + r->offset + (address - r->address);
        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (h->im->containers[middle].offset == offset)
                return &h->im->containers[middle];
            if (h->im->containers[middle].offset < offset)
                low = middle + 1;
            else
                high = middle;
        }
    }
    return NULL;
}

static void read_wrappers(struct host *h, struct host_section s)
{
    struct image_container *c;
    struct span all, w;

    if (s.type == SHT_NOBITS || !span_cut(h->bytes, s.offset, s.size, &all))
        return;
    for (uint64_t at = 0; span_cut(all, at, WRAPPER, &w); at += WRAPPER) {
        if (span_u32(w, 0) != WRAPPER_MAGIC || !span_u64(w, 8))
            continue;
        c = container_at(h, span_u64(w, 8));
        if (c)
            c->wrapper = span_u32(w, 4);
    }
}

static enum image_error read_sections(struct host *h, struct text *t)
{
    enum image_error error = IMAGE_OK;

    for (size_t i = 1; i < h->nsections && !error; i++) {
        struct host_section s = section_at(h, i);
        const char *name = fatbin_section(s.name);

        if (name)
            error = read_section(h, s, name, t);
        h->offload = h->offload || strcmp(s.name, ".llvm.offloading") == 0;
    }
    for (size_t i = 1; i < h->nsections && !error && h->nregions; i++) {
        struct host_section s = section_at(h, i);

        if (strcmp(s.name, ".nvFatBinSegment") == 0)
            read_wrappers(h, s);
    }
    return error;
}

static enum image_error refuse(const struct host *h, struct text *t)
{
    if (h->bytes.size < HEADER)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "ELF file: truncated header (%zu of 64 bytes)", h->bytes.size);
    if (span_u8(h->bytes, EI_DATA) != ELFDATA2LSB)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "a big-endian ELF file holds no CUDA code");
    if (span_u8(h->bytes, EI_CLASS) != ELFCLASS64)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "this is a 32-bit ELF file for the host, which is not read here");
    return IMAGE_OK;
}

enum image_error gpudl__host_elf_add(struct image *im, struct span part, const char *member, struct text *t)
{
    struct host h = { .im = im, .bytes = part, .member = member };
    size_t before = im->ncontainers;
    enum image_error error = refuse(&h, t);

    if (error)
        return error;
    error = find_sections(&h) ? read_sections(&h, t) : gpudl__fatbin_add(im, part, member, "", t);
    if (!error && im->ncontainers == before && !member)
        gpudl__image_note(im, h.offload ? "no CUDA code in this ELF file, but an LLVM offload bundle (.llvm.offloading), "
            "which clang-offload-packager takes out" : "no CUDA code in this ELF file");
    return error;
}
