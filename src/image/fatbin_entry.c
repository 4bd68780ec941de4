/* fatbin_entry.c - one entry of a fatbin.
 *
 * Entry, all offsets from its own begin:
 *     0x00 kind:u16  0x02 version:u16  0x04 header_size:u32  0x08 stored_size:u64
 *     0x10 packed_size:u32 (compressed bytes, 0: none)        0x14 extension:u32
 *     0x18 minor:u16 0x1a major:u16 (PTX: of its ISA)         0x1c arch:u32
 *     0x20 name:u32  0x24 name_length:u32                     0x28 flags:u64
 *     0x30 key:u64   0x38 raw_size:u64 (0: not compressed)    0x40 name, extension record, strings
 * then stored_size bytes of payload, which end in up to 7 bytes of padding. */
#include "src/image/internal.h"

#define ENTRY_HEADER 64u
#define STUB_MOST 8192u         /* bytes; what CUDA 13 leaves takes 1,448 to 1,528 */

enum {
    KIND_PTX = 1,
    KIND_CUBIN = 2,
    KIND_OLD_CUBIN = 4,
    KIND_LTOIR = 8,
    KIND_MERCURY = 0x10,
    KIND_INDEX = 0x20,
    KIND_RELOCATABLE_PTX = 0x40,
    KIND_TILE_IR = 0x80,
    KIND_NESTED = 0x100,
};

#define FLAG_64BIT 0x1u
#define FLAG_DEBUG 0x2u
#define FLAG_ZLIB 0x1000u
#define FLAG_LZ4 0x2000u
#define FLAG_LZ4_OTHER 0x4000u
#define FLAG_ZSTD 0x8000u
#define FLAG_SCRAMBLED 0x10000u
#define FLAG_SUFFIX_A 0x100000u
#define FLAG_SUFFIX_F 0x200000u
#define FLAGS_COMPRESSION (FLAG_ZLIB | FLAG_LZ4 | FLAG_LZ4_OTHER | FLAG_ZSTD)

const char *gpudl__image_kind_name(unsigned kind)
{
    switch (kind) {
    case KIND_PTX: return "PTX";
    case KIND_CUBIN: return "machine code";
    case KIND_OLD_CUBIN: return "machine code of before CUDA 3";
    case KIND_LTOIR: return "LTO-IR";
    case KIND_MERCURY: return "code to be finalised by a driver (kind 0x10)";
    case KIND_INDEX: return "an index";
    case KIND_RELOCATABLE_PTX: return "relocatable PTX";
    case KIND_TILE_IR: return "Tile IR";
    case KIND_NESTED: return "a nested table";
    default: return NULL;
    }
}

static enum image_compression compression_of(uint64_t flags)
{
    if (flags & FLAG_SCRAMBLED)
        return IMAGE_SCRAMBLED;
    switch (flags & FLAGS_COMPRESSION) {
    case 0: return IMAGE_STORED;
    case FLAG_LZ4: return IMAGE_LZ4;
    case FLAG_ZSTD: return IMAGE_ZSTD;
    default: return IMAGE_OTHER_COMPRESSION;
    }
}

static enum image_format format_of(unsigned kind)
{
    switch (kind) {
    case KIND_PTX: case KIND_RELOCATABLE_PTX: return IMAGE_PTX;
    case KIND_CUBIN: return IMAGE_CUBIN;
    case KIND_LTOIR: return IMAGE_LTOIR;
    default: return IMAGE_UNKNOWN;
    }
}

/* The identifier is lent where its NUL is where it belongs, else copied. */
static enum image_error read_identifier(struct image *im, struct entry *e, size_t index, struct text *t)
{
    uint32_t at = span_u32(e->header, 0x20), length = span_u32(e->header, 0x24);
    struct span name;

    if (!at)
        return IMAGE_OK;
    if (at < ENTRY_HEADER || !span_cut(e->header, at, length, &name)) {
        gpudl__image_note(im, "entry %zu: identifier lies outside its header", index);
        return IMAGE_OK;
    }
    if (span_holds(e->header, at, (uint64_t)length + 1) && !name.data[length])
        e->info.identifier = (const char *)name.data;
    else
        e->info.identifier = gpudl__arena_string(&im->arena, name.data, length);
    return e->info.identifier ? IMAGE_OK : gpudl__image_no_memory(t);
}

/* Of options the record names the string itself; of machine code (sm_100 and later) a NUL that stands before it. */
bool gpudl__fatbin_extension(const struct entry *e, struct span *out)
{
    uint32_t record = span_u32(e->header, 0x14), at, length;

    if (record < ENTRY_HEADER || !span_holds(e->header, record, 8))
        return false;
    at = span_u32(e->header, record);
    length = span_u32(e->header, record + 4);
    if (e->info.format == IMAGE_CUBIN)
        at++;
    return length && at >= ENTRY_HEADER && span_cut(e->header, at, length, out);
}

/* What the header says of its payload is wrong: returns the error that the entry keeps. */
enum image_error gpudl__fatbin_explain(const struct image *im, const struct entry *e, struct text *t)
{
    uint64_t flags = e->info.flags;

    switch (e->info.compression) {
    case IMAGE_SCRAMBLED:
        return IMAGE_OK;
    case IMAGE_OTHER_COMPRESSION:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "unknown compression (flags 0x%llx)", (unsigned long long)flags);
    case IMAGE_STORED:
        if (e->packed_size)
            return gpudl__image_fail(t, IMAGE_DAMAGED, "is not compressed, but names %u compressed bytes", e->packed_size);
        return IMAGE_OK;
    default:
        break;
    }
    if (e->packed_size > e->stored.size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "compressed size %u exceeds stored %zu", e->packed_size, e->stored.size);
    if (!e->packed_size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "is compressed, but names no compressed bytes");
    if (e->info.raw_size > im->limits.entry_bytes)
        return gpudl__image_fail(t, IMAGE_LIMIT, "claims %llu bytes uncompressed, the limit is %llu",
            (unsigned long long)e->info.raw_size, (unsigned long long)im->limits.entry_bytes);
    return IMAGE_OK;
}

/* What is stored is looked at right away; what is compressed has to wait for its payload. */
static enum image_error describe_stored(struct image *im, struct entry *e, size_t index, struct text *t)
{
    struct ptx_header ptx;
    struct cubin cubin;
    enum image_error error = IMAGE_OK;

    if (e->info.format == IMAGE_CUBIN) {
        error = gpudl__cubin_open(e->stored, &cubin, t);
        gpudl__cubin_describe(&cubin, &e->info);
    } else if (e->info.format == IMAGE_PTX) {
        error = gpudl__ptx_header(e->stored, &ptx, t);
        if (!error)
            gpudl__ptx_describe(&ptx, &e->info);
        if (e->stored.size && !memchr(e->stored.data, 0, e->stored.size))
            gpudl__image_note(im, "entry %zu: PTX has no terminator", index);
    }
    return error;
}

/* An entry that is unusable does not spoil the others. */
static void inspect(struct image *im, struct entry *e, size_t index)
{
    char why[200];
    struct text w = gpudl__text_init(why, sizeof(why));

    gpudl__text_add(&w, "entry %zu: ", index);
    w = (struct text){ .data = why + w.used, .size = sizeof(why) - w.used };
    e->info.error = gpudl__fatbin_explain(im, e, &w);
    if (!e->info.error && e->info.compression == IMAGE_STORED)
        e->info.error = describe_stored(im, e, index, &w);
    if (e->info.error)
        gpudl__image_note(im, "%s", why);
    if (e->info.error && e->info.error != IMAGE_NOT_SUPPORTED)
        gpudl__image_damaged(im, e->info.error, why);
    gpudl__entry_compare_arch(im, e);
}

enum image_error gpudl__fatbin_entry_add(struct image *im, struct span header, struct span payload, struct text *t)
{
    struct entry *e = gpudl__image_add_entry(im);
    uint64_t flags = span_u64(header, 0x28);
    unsigned kind = span_u16(header, 0);
    size_t index = im->count - 1;
    enum image_error error;

    if (!e)
        return gpudl__image_no_memory(t);
    e->header = header;
    e->stored = payload;
    e->packed_size = span_u32(header, 0x10);
    e->info = (struct image_entry){
        .format = format_of(kind), .kind = kind, .sm = span_u32(header, 0x1c), .flags = flags, .container = e->info.container,
        .offset = (size_t)(header.data - im->bytes.data), .suffix = flags & FLAG_SUFFIX_A ? 'a' : flags & FLAG_SUFFIX_F ? 'f' : 0,
        .is_64bit = flags & FLAG_64BIT, .debug = flags & FLAG_DEBUG, .relocatable = kind == KIND_RELOCATABLE_PTX,
        .compression = compression_of(flags), .stored_size = payload.size,
        .raw_size = flags & (FLAGS_COMPRESSION | FLAG_SCRAMBLED) ? span_u64(header, 0x38) : payload.size,
    };
    if (e->info.format == IMAGE_PTX)
        e->info.ptx_version = 10u * span_u16(header, 0x1a) + span_u16(header, 0x18);
    error = read_identifier(im, e, index, t);
    if (error)
        return error;
    if (!gpudl__image_kind_name(kind))
        gpudl__image_note(im, "entry %zu: unknown kind 0x%x, %zu bytes", index, kind, e->stored.size);
    inspect(im, e, index);
    return IMAGE_OK;
}

/* In a host file: what is to be linked has a section of its own. A small cubin may be what device linking leaves behind, without
 * any code; told at once where that is cheap. */
void gpudl__fatbin_entry_look_around(struct image *im, struct entry *e, const char *section)
{
    struct text none = gpudl__text_init(NULL, 0);
    const struct contents *c;

    if (e->info.format == IMAGE_PTX && strcmp(section, "__nv_relfatbin") == 0)
        e->info.relocatable = true;
    if (e->info.format != IMAGE_CUBIN || e->info.compression != IMAGE_STORED || e->stored.size > STUB_MOST)
        return;
    if (gpudl__entry_contents(im, e, &c, &none) == IMAGE_OK)
        gpudl__entry_forget(e);
}
