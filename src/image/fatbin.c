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

/* Where the walk over all entries of all containers stands. */
struct walk {
    struct span bytes;
    size_t base;                /* of bytes in the file, for messages */
    size_t at;                  /* of what comes next */
    size_t container, end;      /* of the container being walked */
    size_t index, most;         /* of the next entry, in the image; that there may be */
    uint64_t work;              /* headers that may still be looked at in search of a container */
    struct span header, payload;    /* of the entry just found */
};
enum found { END, CONTAINER, ENTRY };

/* Begun when w->container has moved, even if it fails then: the file may be cut off. */
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
            (unsigned long long)size, rest.size - header);
    w->end = w->at + (size_t)size;
    return IMAGE_OK;
}

static enum image_error next_entry(struct walk *w, struct text *t)
{
    struct span rest = { w->bytes.data + w->at, w->end - w->at };
    size_t offset = w->base + w->at;
    uint32_t header = span_u32(rest, 4);
    uint64_t stored = span_u64(rest, 8);

    if (rest.size < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: %zu bytes are left, its header takes 64", w->index,
            offset, rest.size);
    if (header < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: header size %u is below 64", w->index, offset,
            header);
    if (header % 8 || !span_cut(rest, 0, header, &w->header))
        return gpudl__image_fail(t, IMAGE_DAMAGED,
            "fatbin: entry %zu at 0x%zx: header size %u is not a multiple of 8 within the fatbin", w->index, offset, header);
    if (!span_cut(rest, header, stored, &w->payload))
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: payload of %llu bytes does not fit (%zu left)",
            w->index, offset, (unsigned long long)stored, rest.size - header);
    if (w->index >= w->most)
        return gpudl__image_fail(t, IMAGE_LIMIT, "fatbin: more than %zu entries", w->most);
    w->at += header + (size_t)stored;
    w->index++;
    return IMAGE_OK;
}

static bool is_magic(struct span bytes, size_t at)
{
    return span_holds(bytes, at, 4) && span_u32(bytes, at) == MAGIC;
}

/* Takes the header of the next container or entry, over padding. At the end w->at is behind the last one. */
static enum image_error step(struct walk *w, enum found *found, struct text *t)
{
    size_t at = w->at;

    if (at < w->end) {
        *found = ENTRY;
        return next_entry(w, t);
    }
    while (span_is(w->bytes, at, "\0\0\0\0\0\0\0\0", 8))
        at += 8;
    *found = is_magic(w->bytes, at) ? CONTAINER : END;
    if (*found == END)
        return IMAGE_OK;
    w->at = at;
    return begin_container(w, t);
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

/* In a host file: what is to be linked has a section of its own. A small cubin may be what device linking leaves behind, without
 * any code; told at once where that is cheap. */
static void look_around(struct image *im, struct entry *e, const char *section)
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

static enum image_error read_entry(struct image *im, const struct walk *w, struct text *t)
{
    struct entry *e = gpudl__image_add_entry(im);
    struct span h = w->header;
    uint64_t flags = span_u64(h, 0x28);
    unsigned kind = span_u16(h, 0);
    size_t index = im->count - 1;
    enum image_error error;

    if (!e)
        return gpudl__image_no_memory(t);
    e->header = h;
    e->stored = w->payload;
    e->packed_size = span_u32(h, 0x10);
    e->info = (struct image_entry){
        .format = format_of(kind), .kind = kind, .sm = span_u32(h, 0x1c), .flags = flags, .container = e->info.container,
        .offset = (size_t)(h.data - im->bytes.data), .suffix = flags & FLAG_SUFFIX_A ? 'a' : flags & FLAG_SUFFIX_F ? 'f' : 0,
        .is_64bit = flags & FLAG_64BIT, .debug = flags & FLAG_DEBUG, .relocatable = kind == KIND_RELOCATABLE_PTX,
        .compression = compression_of(flags), .stored_size = w->payload.size,
        .raw_size = flags & (FLAGS_COMPRESSION | FLAG_SCRAMBLED) ? span_u64(h, 0x38) : w->payload.size,
    };
    if (e->info.format == IMAGE_PTX)
        e->info.ptx_version = 10u * span_u16(h, 0x1a) + span_u16(h, 0x18);
    error = read_identifier(im, e, index, t);
    if (error)
        return error;
    if (!gpudl__image_kind_name(kind))
        gpudl__image_note(im, "entry %zu: unknown kind 0x%x, %zu bytes", index, kind, e->stored.size);
    inspect(im, e, index);
    return IMAGE_OK;
}

static enum image_error count(struct span bytes, struct walk *end, size_t *containers, struct text *t)
{
    struct walk w = { .bytes = bytes, .most = ENTRIES_MOST };
    enum image_error error;
    enum found found;

    *containers = 0;
    do {
        error = step(&w, &found, t);
        *containers += found == CONTAINER;
    } while (!error && found != END);
    *end = w;
    return error;
}

static struct image_container *add_container(struct image *im, const struct walk *w)
{
    size_t at = (size_t)(w->bytes.data - im->bytes.data) + w->container;

    if (w->end - w->container > INT_MAX)
        gpudl__image_note(im, "the fatbin at 0x%zx is larger than 2 GiB: drivers are reported to read such ones in part only", at);
    return gpudl__image_add_container(im, IMAGE_FATBIN, at, w->end - w->container);
}

static enum image_error read_entries(struct image *im, struct text *t)
{
    struct walk w = { .bytes = im->bytes, .most = ENTRIES_MOST };
    enum image_error error;
    enum found found;

    do {
        error = step(&w, &found, t);
        if (!error && found == CONTAINER && !add_container(im, &w))
            error = gpudl__image_no_memory(t);
        if (!error && found == ENTRY)
            error = read_entry(im, &w, t);
    } while (!error && found != END);
    return error;
}

/* A walk that stopped early: what is whole before the end is worth a word. */
static enum image_error stopped(struct walk *w, enum image_error error, struct text *t)
{
    struct text none = gpudl__text_init(NULL, 0);

    while (error == IMAGE_TRUNCATED && next_entry(w, &none) == IMAGE_OK)
        ;
    if (w->index)
        gpudl__text_add(t, "; %zu %s complete", w->index, w->index == 1 ? "entry is" : "entries are");
    return error;
}

enum image_error gpudl__fatbin_open(struct span bytes, const struct image_limits *limits, struct image **out, struct text *t)
{
    struct image *im;
    struct walk end;
    size_t containers;
    enum image_error error = count(bytes, &end, &containers, t);

    if (error)
        return stopped(&end, error, t);
    im = gpudl__image_create(IMAGE_FATBIN, bytes, limits, end.index, containers);
    if (!im)
        return gpudl__image_no_memory(t);
    error = read_entries(im, t);
    if (error) {
        gpudl__image_close(im);
        return error;
    }
    if (end.at < bytes.size)
        gpudl__image_note(im, "%zu bytes after the last fatbin ignored", bytes.size - end.at);
    *out = im;
    return IMAGE_OK;
}

/* A whole container whose entries' headers are in order. */
static bool is_sound(struct span bytes, uint64_t *work)
{
    struct text none = gpudl__text_init(NULL, 0);
    struct walk w = { .bytes = bytes, .most = SIZE_MAX };

    if (begin_container(&w, &none) != IMAGE_OK)
        return false;
    for (; w.at < w.end && *work; --*work)
        if (next_entry(&w, &none) != IMAGE_OK)
            return false;
    return w.at == w.end;
}

/* The next sound container on a step of 8 bytes; the end: none. */
static size_t find_container(struct walk *w, size_t at)
{
    for (at = (at + 7) & ~(size_t)7; at < w->bytes.size; at += 8)
        if (is_magic(w->bytes, at) && is_sound(span_from(w->bytes, at), &w->work))
            return at;
    return w->bytes.size;
}

/* After damage: where its own size leads to if a container follows there, else wherever the next one is found. */
static void resume(struct walk *w)
{
    size_t at = w->end;

    if (w->at >= w->end || !is_magic(w->bytes, at))
        at = find_container(w, w->at + 1);
    w->at = w->end = at;
}

static void told(struct image *im, const struct image_container *where, enum image_error error, struct text *t)
{
    char text[400];
    struct text all = gpudl__text_init(text, sizeof(text));

    if (where->member) {
        gpudl__text_add(&all, "member ");
        gpudl__text_quote(&all, where->member, strlen(where->member));
        gpudl__text_add(&all, ": ");
    }
    if (where->section && *where->section)
        gpudl__text_add(&all, "%s: ", where->section);
    gpudl__text_add(&all, "%s", t->size ? t->data : "damaged");
    gpudl__image_damaged(im, error, text);
}

/* What is behind the last fatbin, or between two of them. In a file without section headers (quiet) there is much of it. */
static bool skip_to_next(struct image *im, struct walk *w, bool quiet)
{
    size_t at = find_container(w, w->at);

    if (quiet)
        ;
    else if (at < w->bytes.size)
        gpudl__image_note(im, "%zu bytes at 0x%zx between two fatbins skipped", at - w->at, w->base + w->at);
    else if (w->at < w->bytes.size && w->container != SIZE_MAX)
        gpudl__image_note(im, "%zu bytes after the last fatbin ignored", w->bytes.size - w->at);
    w->at = w->end = at;
    return at < w->bytes.size;
}

static enum image_error add_found(struct image *im, struct walk *w, enum found found, const struct image_container *where,
    struct text *t)
{
    struct image_container *c;

    if (found == CONTAINER) {
        c = add_container(im, w);
        if (!c)
            return gpudl__image_no_memory(t);
        c->member = where->member;
        c->section = where->section;
        return IMAGE_OK;
    }
    return read_entry(im, w, t);
}

enum image_error gpudl__fatbin_add(struct image *im, struct span part, const char *member, const char *section, struct text *t)
{
    const struct image_container where = { .member = member, .section = section };
    struct walk w = {
        .bytes = part, .base = (size_t)(part.data - im->bytes.data), .container = SIZE_MAX, .index = im->count,
        .most = im->limits.entries, .work = part.size / CONTAINER_HEADER + 1,
    };
    enum image_error error;
    enum found found;
    size_t before;

    for (;;) {
        before = w.container;
        error = step(&w, &found, t);
        if (error) {
            told(im, &where, error, t);
            if (found == CONTAINER && w.container != before)
                error = add_found(im, &w, found, &where, t);    /* cut off: its entries so far are worth a look */
            else
                resume(&w);
            if (error == IMAGE_NO_MEMORY)
                return error;
            if (im->count >= im->limits.entries)
                return IMAGE_OK;
            continue;
        }
        if (found == END) {
            if (!skip_to_next(im, &w, section && !*section))
                return IMAGE_OK;
            continue;
        }
        error = add_found(im, &w, found, &where, t);
        if (error)
            return error;
        if (found == ENTRY && section)
            look_around(im, &im->entries[im->count - 1], section);
    }
}
