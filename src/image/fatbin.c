/* fatbin.c - a fatbin, or several one after another.
 *
 * Container: magic:u32 version:u16(1) header_size:u16(16) size:u64, then `size` bytes of entries.
 * Entry, all offsets from its own begin:
 *     0x00 kind:u16  0x02 version:u16  0x04 header_size:u32  0x08 stored_size:u64
 *     0x10 packed_size:u32 (compressed bytes, 0: none)        0x14 extension:u32
 *     0x18 minor:u16 0x1a major:u16 (PTX: of its ISA)         0x1c arch:u32
 *     0x20 name:u32  0x24 name_length:u32                     0x28 flags:u64
 *     0x30 key:u64   0x38 raw_size:u64 (0: not compressed)    0x40 name, extension record, strings
 * then stored_size bytes of payload, which end in up to 7 bytes of padding. */
#include "src/image/internal.h"

#include <limits.h>

#define MAGIC 0xBA55ED50u
#define CONTAINER_HEADER 16u
#define ENTRY_HEADER 64u
#define ENTRIES_MOST 65536u

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

const char *gpudl__fatbin_kind_name(unsigned kind)
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

/* Where the walk over all entries of all containers stands. */
struct walk {
    struct span bytes;
    size_t at;                  /* of what comes next */
    size_t container, end;      /* of the container being walked */
    size_t entries;             /* seen */
    struct span header, payload;    /* of the entry just found */
    size_t entry_at;
};

static enum image_error begin_container(struct walk *w, struct text *t)
{
    struct span rest = span_from(w->bytes, w->at);
    unsigned version = span_u16(rest, 4), header = span_u16(rest, 6);
    uint64_t size = span_u64(rest, 8);

    if (rest.size < CONTAINER_HEADER)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "fatbin: truncated header (%zu of 16 bytes)", rest.size);
    if (version != 1)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "fatbin: unsupported version %u, 1 is known", version);
    if (header < CONTAINER_HEADER || header > rest.size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: its header claims %u bytes, 16 are expected", header);
    w->container = w->at;
    w->end = w->bytes.size;
    w->at += header;
    if (size > rest.size - header)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "fatbin: claims %llu bytes, %zu present: the file is cut off",
            (unsigned long long)size,
            rest.size - header);
    w->end = w->at + (size_t)size;
    return IMAGE_OK;
}

static enum image_error next_entry(struct walk *w, struct text *t)
{
    struct span rest = { w->bytes.data + w->at, w->end - w->at };
    uint32_t header = span_u32(rest, 4);
    uint64_t stored = span_u64(rest, 8);

    if (rest.size < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: %zu bytes are left, its header takes 64",
            w->entries, w->at, rest.size);
    if (header < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: header size %u is below 64", w->entries, w->at,
            header);
    if (header % 8 || !span_cut(rest, 0, header, &w->header))
        return gpudl__image_fail(t, IMAGE_DAMAGED,
            "fatbin: entry %zu at 0x%zx: header size %u is not a multiple of 8 within the fatbin", w->entries,
            w->at, header);
    if (!span_cut(rest, header, stored, &w->payload))
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: payload of %llu bytes does not fit (%zu left)",
            w->entries, w->at, (unsigned long long)stored, rest.size - header);
    if (w->entries == ENTRIES_MOST)
        return gpudl__image_fail(t, IMAGE_LIMIT, "fatbin: more than %u entries", ENTRIES_MOST);
    w->entry_at = w->at;
    w->at += header + (size_t)stored;
    w->entries++;
    return IMAGE_OK;
}

/* Goes to the next entry, over padding and the headers of containers. *found is false at the end; w->at is then behind the last
 * one. */
static enum image_error step(struct walk *w, bool *found, struct text *t)
{
    size_t at;
    enum image_error error;

    while (w->at == w->end) {
        for (at = w->at; span_is(w->bytes, at, "\0\0\0\0\0\0\0\0", 8); at += 8)
            ;
        *found = span_holds(w->bytes, at, 4) && span_u32(w->bytes, at) == MAGIC;
        if (!*found)
            return IMAGE_OK;
        w->at = at;
        error = begin_container(w, t);
        if (error)
            return error;
    }
    *found = true;
    return next_entry(w, t);
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
static enum image_error read_identifier(struct image *im, struct entry *e, struct span header, size_t index, struct text *t)
{
    uint32_t at = span_u32(header, 0x20), length = span_u32(header, 0x24);
    struct span name;

    if (!at)
        return IMAGE_OK;
    if (at < ENTRY_HEADER || !span_cut(header, at, length, &name)) {
        gpudl__image_note(im, "entry %zu: identifier lies outside its header", index);
        return IMAGE_OK;
    }
    if (span_holds(header, at, (uint64_t)length + 1) && !name.data[length]) {
        e->info.identifier = (const char *)name.data;
        return IMAGE_OK;
    }
    e->owned_name = gpudl__alloc_zero((size_t)length + 1);
    if (!e->owned_name)
        return gpudl__image_no_memory(t);
    memcpy(e->owned_name, name.data, length);
    e->info.identifier = e->owned_name;
    return IMAGE_OK;
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
    if (e->info.raw_size > im->limit)
        return gpudl__image_fail(t, IMAGE_LIMIT, "claims %llu bytes uncompressed, the limit is %llu",
            (unsigned long long)e->info.raw_size, (unsigned long long)im->limit);
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
        if (!error)
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
    char why[160];
    struct text w = gpudl__text_init(why, sizeof(why));

    e->info.error = gpudl__fatbin_explain(im, e, &w);
    if (!e->info.error && e->info.compression == IMAGE_STORED)
        e->info.error = describe_stored(im, e, index, &w);
    if (e->info.error)
        gpudl__image_note(im, "entry %zu: %s", index, why);
    gpudl__image_compare_arch(im, e);
}

static enum image_error read_entry(struct image *im, const struct walk *w, size_t index, struct text *t)
{
    struct entry *e = &im->entries[index];
    struct span h = w->header;
    uint64_t flags = span_u64(h, 0x28);
    unsigned kind = span_u16(h, 0);
    enum image_error error;

    e->stored = w->payload;
    e->packed_size = span_u32(h, 0x10);
    e->info = (struct image_entry){
        .format = format_of(kind), .kind = kind, .sm = span_u32(h, 0x1c), .flags = flags, .offset = w->entry_at,
        .suffix = flags & FLAG_SUFFIX_A ? 'a' : flags & FLAG_SUFFIX_F ? 'f' : 0,
        .is_64bit = flags & FLAG_64BIT, .debug = flags & FLAG_DEBUG, .relocatable = kind == KIND_RELOCATABLE_PTX,
        .compression = compression_of(flags), .stored_size = w->payload.size,
        .raw_size = flags & (FLAGS_COMPRESSION | FLAG_SCRAMBLED) ? span_u64(h, 0x38) : w->payload.size,
    };
    if (e->info.format == IMAGE_PTX)
        e->info.ptx_version = 10u * span_u16(h, 0x1a) + span_u16(h, 0x18);
    error = read_identifier(im, e, h, index, t);
    if (error)
        return error;
    if (!gpudl__fatbin_kind_name(kind))
        gpudl__image_note(im, "entry %zu: unknown kind 0x%x, %zu bytes", index, kind, e->stored.size);
    inspect(im, e, index);
    return IMAGE_OK;
}

static enum image_error count_entries(struct span bytes, struct walk *end, struct text *t)
{
    struct walk w = { .bytes = bytes };
    enum image_error error;
    bool found;

    do {
        error = step(&w, &found, t);
    } while (!error && found);
    *end = w;
    return error;
}

static enum image_error read_entries(struct image *im, struct text *t)
{
    struct walk w = { .bytes = im->bytes };
    enum image_error error;
    bool found;

    for (size_t i = 0; i < im->count; i++) {
        error = step(&w, &found, t);
        if (!error && found)
            error = read_entry(im, &w, i, t);
        if (error)
            return error;
    }
    return IMAGE_OK;
}

/* A walk that stopped early: what is whole before the end is worth a word. */
static enum image_error stopped(struct walk *w, enum image_error error, struct text *t)
{
    struct text none = gpudl__text_init(NULL, 0);

    while (error == IMAGE_TRUNCATED && next_entry(w, &none) == IMAGE_OK)
        ;
    if (w->entries)
        gpudl__text_add(t, "; %zu %s complete", w->entries, w->entries == 1 ? "entry is" : "entries are");
    return error;
}

enum image_error gpudl__fatbin_open(struct span bytes, uint64_t limit, struct image **out, struct text *t)
{
    struct image *im;
    struct walk end;
    enum image_error error = count_entries(bytes, &end, t);

    if (error)
        return stopped(&end, error, t);
    im = gpudl__image_create(IMAGE_FATBIN, bytes, limit, end.entries);
    if (!im)
        return gpudl__image_no_memory(t);
    error = read_entries(im, t);
    if (error) {
        gpudl__image_close(im);
        return error;
    }
    if (end.at < bytes.size)
        gpudl__image_note(im, "%zu bytes after the last fatbin ignored", bytes.size - end.at);
    if (end.end - end.container > INT_MAX)
        gpudl__image_note(im, "the fatbin at 0x%zx is larger than 2 GiB: drivers are reported to read such ones in part only",
            end.container);
    *out = im;
    return IMAGE_OK;
}
